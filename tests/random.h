/* SPDX-License-Identifier: MIT
 * Random numbers of tests: splitmix64.
 */
#ifndef CAROM_TESTS_RANDOM_H
#define CAROM_TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t rng_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A whole number in [0, n). */
static inline int rng_below(uint64_t *state, int n)
{
    return (int)(rng_next(state) >> 33) % n;
}

static inline bool rng_one_in(uint64_t *state, int n)
{
    return rng_below(state, n) == 0;
}

static inline double rng_in(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(rng_next(state) >> 11) * 0x1p-53);
}

#endif
