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

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Carom's hashes and saved buffers are little-endian"
#endif

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

/* The hash of `size` bytes, continued from `state`. */
static inline uint64_t hash_bytes(uint64_t state, const void *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t left = size;
    uint64_t word;
    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        state = hash_step(state, word);
    }
    word = 0;
    memcpy(&word, at, left);
    return hash_end(hash_step(hash_step(state, word), size));
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
