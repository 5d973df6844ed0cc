/* SPDX-License-Identifier: MIT
 * The start of a game of fantastic_bits: the referee's start for a seed of 48 bits, and the seeds of a batch.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_STARTS_H
#define CAROM_GAMES_FANTASTIC_BITS_STARTS_H

#include "base/random.h"
#include "games/fantastic_bits/fantastic_bits.h"

#define FB_APART 1250 /* least distance between two snaffles at the start */
#define FB_MASK48 ((UINT64_C(1) << 48) - 1)
#define FB_TRIES 65536 /* more than any seed needs: bounds the loops that redraw */

/* ---- java.util.Random, a linear congruential generator of 48 bits ---- */

static int32_t fb_next31(uint64_t *state)
{
    *state = (*state * UINT64_C(0x5DEECE66D) + 0xB) & FB_MASK48;
    return (int32_t)(*state >> 17);
}

/* Uniform in [0, bound), bound > 0. Numbers beyond the last multiple of `bound` are redrawn, or low results would be
 * more likely. */
static int32_t fb_next_below(uint64_t *state, int32_t bound)
{
    int32_t bits = fb_next31(state);
    if ((bound & (bound - 1)) == 0) {
        return (int32_t)(((int64_t)bound * bits) >> 31);
    }

    for (int tries = 0; (int64_t)bits - bits % bound + (bound - 1) > INT32_MAX && tries < FB_TRIES; tries++) {
        bits = fb_next31(state);
    }
    return bits % bound;
}

/* Is (x, y) too close to one of the snaffles placed so far? */
static bool fb_is_near(const fb_start *start, int count, int32_t x, int32_t y)
{
    for (int k = 0; k < count; k++) {
        const int32_t dx = start->x[k] - x, dy = start->y[k] - y;
        if (dx * dx + dy * dy < FB_APART * FB_APART) {
            return true;
        }
    }
    return false;
}

static void fb_place(fb_start *start, int k, int32_t x, int32_t y)
{
    start->x[k] = x;
    start->y[k] = y;
}

/* The referee's start for a seed: 5 or 7 snaffles, in pairs mirrored at the middle, and one in the middle. */
static fb_start fb_start_of_seed(int64_t seed)
{
    fb_start start;
    uint64_t state = ((uint64_t)seed ^ UINT64_C(0x5DEECE66D)) & FB_MASK48;
    __builtin_memset(&start, 0, sizeof start);

    start.snaffles = 2 * (2 + fb_next_below(&state, 2)) + 1;
    int count = 0;
    for (int tries = 0; count < start.snaffles - 1 && tries < FB_TRIES; tries++) {
        const int32_t x = fb_next_below(&state, 5000) + 2000, y = fb_next_below(&state, 6500) + 500;
        if (!fb_is_near(&start, count, x, y)) {
            fb_place(&start, count++, x, y);
            fb_place(&start, count++, FB_WIDTH - x, FB_HEIGHT - y);
        }
    }
    fb_place(&start, start.snaffles - 1, FB_WIDTH / 2, FB_HEIGHT / 2);
    return start;
}

/* The start of game `episode` of the world with that id. Listed seeds are played in turn; others are drawn until one
 * has the wanted number of snaffles. */
static fb_start fb_start_of(const fb_context *context, uint64_t seed, uint64_t id, uint32_t episode)
{
    if (context->seeds != NULL) {
        return fb_start_of_seed(context->seeds[(id + episode) % context->seed_count]);
    }

    random_stream stream = random_begin(seed, id, FB_DRAW_GAME, episode);
    fb_start start;
    int tries = 0;
    do {
        const uint64_t high = random_word(&stream);
        start = fb_start_of_seed((int64_t)((high << 32 | random_word(&stream)) & FB_MASK48));
    } while (context->snaffles != 0 && start.snaffles != (int32_t)context->snaffles && ++tries < FB_TRIES);
    return start;
}

#endif
