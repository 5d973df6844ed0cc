/* SPDX-License-Identifier: MIT
 * 64-bit hashes, for telling states apart and detecting damage; not secure against an adversary.
 *
 * They are the same on every machine. Every step is a bijection of the state for a fixed word, and of the word for a
 * fixed state, so two inputs of equal length that differ in a single word never have the same hash. */
#ifndef CAROM_BASE_HASH_H
#define CAROM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/little.h"

/* The finaliser of splitmix64, which is David Stafford's "variant 13" of MurmurHash3's. */
static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The finaliser of MurmurHash3 (Austin Appleby), for uses that need a second, independent mixer. */
static inline uint64_t mix64_other(uint64_t x)
{
    x = (x ^ (x >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ (x >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* The increment of splitmix64: 2^64 divided by the golden ratio. Add it before a mixer, which would map 0 to 0. */
#define HASH_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* Adds a word. The rotation moves the top bits, which a product does not spread, to where the second product spreads
 * them. The first product is not on the chain from state to state, so it adds no latency. */
static inline uint64_t hash_step(uint64_t state, uint64_t word)
{
    state ^= word * UINT64_C(0x94d049bb133111eb);
    state = (state << 31) | (state >> 33);
    return state * UINT64_C(0xff51afd7ed558ccd) + HASH_GOLDEN;
}

static inline uint64_t hash_end(uint64_t state)
{
    return mix64(state);
}

/* The hash of `size` bytes, continued from `state`. For numbers in memory use hash_array(). */
static inline uint64_t hash_bytes(uint64_t state, const void *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t left = size;
    for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        state = hash_step(state, little_read(at, sizeof(uint64_t)));
    }
    return hash_end(hash_step(hash_step(state, little_read(at, left)), size));
}

/* The word that up to 8 bytes of numbers of `bytes` bytes each make. */
static inline uint64_t hash_word_of(const unsigned char *at, size_t count, size_t bytes)
{
    uint64_t word = 0;
    for (size_t k = 0; k < count; ++k) {
        word |= number_bits(at + k * bytes, bytes) << 8 * bytes * k;
    }
    return word;
}

/* Adds numbers that fill whole words, without an end: parts of a structure one after the other. */
static inline uint64_t hash_words(uint64_t state, const void *numbers, size_t count, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)numbers;
    const size_t each = sizeof(uint64_t) / bytes;
    for (size_t k = 0; k < count / each; ++k, at += sizeof(uint64_t)) {
        state = hash_step(state, hash_word_of(at, each, bytes));
    }
    return state;
}

/* The hash of `count` numbers of `bytes` bytes each, 1, 2, 4 or 8: that of their little-endian bytes. */
static inline uint64_t hash_array(uint64_t state, const void *numbers, size_t count, size_t bytes)
{
    if (LITTLE_ENDIAN_MACHINE) {
        return hash_bytes(state, numbers, count * bytes);
    }
    const size_t left = count % (sizeof(uint64_t) / bytes);
    const unsigned char *rest = (const unsigned char *)numbers + (count - left) * bytes;
    state = hash_words(state, numbers, count, bytes);
    return hash_end(hash_step(hash_step(state, hash_word_of(rest, left, bytes)), count * bytes));
}

/* The bits of a real in canonical form: -0 becomes +0, and all NaNs become the same one. It works on bits, since in
 * some floating-point environments denormals compare equal to 0. */
static inline uint32_t hash_canonical_f32(uint32_t bits)
{
    const uint32_t magnitude = bits & UINT32_C(0x7fffffff);
    bits = magnitude > UINT32_C(0x7f800000) ? UINT32_C(0x7fc00000) : bits;
    return magnitude == 0 ? 0 : bits;
}

static inline uint64_t hash_canonical_f64(uint64_t bits)
{
    const uint64_t magnitude = bits & UINT64_C(0x7fffffffffffffff);
    bits = magnitude > UINT64_C(0x7ff0000000000000) ? UINT64_C(0x7ff8000000000000) : bits;
    return magnitude == 0 ? 0 : bits;
}

#endif
