/* SPDX-License-Identifier: MIT
 * Counter-based random numbers: Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3" (SC 2011). A draw is a pure function of key and counter, so it does not depend on threads, batches or order.
 *
 * A 64-bit seed and a 64-bit id (of a world) give the 64-bit key and 32 bits of the counter; the rest of the counter is
 * three words for the user. For one seed, different ids have different keys.
 *
 *     rollouts:  counter = (k, tick, slot, tag)
 *     streams:   counter = (purpose, index, block, ~tag), never equal to one of a rollout */
#ifndef CAROM_BASE_RANDOM_H
#define CAROM_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

/* One round, and the step to the next round's key. It is a function so that a loop over lanes can be inside the loop of
 * rounds. */
static inline void philox_round(uint32_t counter[4], uint32_t key[2])
{
    const uint64_t a = UINT64_C(0xd2511f53) * counter[0];
    const uint64_t b = UINT64_C(0xcd9e8d57) * counter[2];
    counter[0] = (uint32_t)(b >> 32) ^ counter[1] ^ key[0];
    counter[1] = (uint32_t)b;
    counter[2] = (uint32_t)(a >> 32) ^ counter[3] ^ key[1];
    counter[3] = (uint32_t)a;
    key[0] += UINT32_C(0x9e3779b9);
    key[1] += UINT32_C(0xbb67ae85);
}

#define PHILOX_ROUNDS 10

/* Turns a counter into four random words. */
static inline void philox4x32(uint32_t counter[4], const uint32_t key[2])
{
    uint32_t round_key[2] = {key[0], key[1]};
    for (int round = 0; round < PHILOX_ROUNDS; ++round) {
        philox_round(counter, round_key);
    }
}

typedef struct philox_key {
    uint32_t key[2];
    uint32_t tag; /* the counter's last word */
} philox_key;

/* The mixers are bijections. The tag comes from the other mixer, so that two pairs (seed, id) that happen to have the
 * same key still differ. */
static inline philox_key philox_key_of(uint64_t seed, uint64_t id)
{
    const uint64_t mixed = mix64((mix64(seed + HASH_GOLDEN) ^ id) + HASH_GOLDEN);
    const uint64_t other = mix64_other((mix64_other(id + HASH_GOLDEN) ^ seed) + HASH_GOLDEN);
    const philox_key key = {{(uint32_t)mixed, (uint32_t)(mixed >> 32)}, (uint32_t)(other >> 32)};
    return key;
}

/* A sequence of words for code that draws a variable number of them, up to 2^34. */
typedef struct random_stream {
    philox_key key;
    uint32_t purpose, index; /* what is drawn, and its number */
    uint32_t block;          /* the next block of four words */
    uint32_t left;           /* unused words of the last block */
    uint32_t words[4];       /* the last block */
} random_stream;

static inline random_stream random_begin(uint64_t seed, uint64_t id, uint32_t purpose, uint32_t index)
{
    const random_stream stream = {philox_key_of(seed, id), purpose, index, 0, 0, {0, 0, 0, 0}};
    return stream;
}

static inline uint32_t random_word(random_stream *stream)
{
    if (stream->left == 0) {
        stream->words[0] = stream->purpose;
        stream->words[1] = stream->index;
        stream->words[2] = stream->block++;
        stream->words[3] = ~stream->key.tag;
        philox4x32(stream->words, stream->key.key);
        stream->left = 4;
    }
    return stream->words[4 - stream->left--];
}

/* Maps a word to [0, n), n > 0. False for 2^32 mod n of the words, without which all numbers are equally likely: retry
 * with the next word. Lemire, "Fast random integer generation in an interval" (2019). */
static inline bool random_draws(uint32_t word, uint32_t n, uint32_t *drawn)
{
    const uint64_t product = (uint64_t)word * n;
    *drawn = (uint32_t)(product >> 32);
    return (uint32_t)product >= n || (uint32_t)product >= (0 - n) % n;
}

/* Uniform in [0, n), n > 0, without bias. */
static inline uint32_t random_below(random_stream *stream, uint32_t n)
{
    uint32_t drawn;
    while (!random_draws(random_word(stream), n, &drawn)) {
    }
    return drawn;
}

/* A random word's top 24 bits as a number in [-1, 1), exact in float. */
static inline double random_number(uint32_t word)
{
    return (double)((int32_t)(word >> 8) - (1 << 23)) * (1.0 / (1 << 23));
}

/* The numbers of a player at a tick of sequence `sequence` of a root, as defined by carom_rollout_draw(). */
static inline void random_rollout(uint64_t seed, uint64_t root_id, uint32_t sequence, uint32_t tick, uint32_t player,
                                  uint32_t count, float *numbers)
{
    const philox_key key = philox_key_of(seed, root_id);
    for (uint32_t e = 0; e < count; e += 4) {
        uint32_t words[4] = {sequence, tick, player << 16 | e / 4, key.tag};
        philox4x32(words, key.key);
        for (uint32_t w = 0; w < 4 && e + w < count; w++) {
            numbers[e + w] = (float)random_number(words[w]);
        }
    }
}

#endif
