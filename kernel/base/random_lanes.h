/* SPDX-License-Identifier: MIT
 * The draws of base/random.h for 16 worlds in step. The inner loops run over lanes, so that compilers vectorise them,
 * except at width 1.
 */
#ifndef CAROM_BASE_RANDOM_LANES_H
#define CAROM_BASE_RANDOM_LANES_H

#include <stddef.h>

#include "base/random.h"

#if defined(CAROM_ISA_AVX512)
#include <simde/x86/avx512.h>
#define PHILOX(operation) simde_mm512_##operation
#define PHILOX_WHOLE(operation) simde_mm512_##operation##_si512
#define PHILOX_ODD(even, odd) simde_mm512_mask_blend_epi32(0xaaaa, even, odd)
#define PHILOX_WIDTH 16
typedef simde__m512i philox_words;
#elif defined(CAROM_ISA_AVX2)
#include <simde/x86/avx2.h>
#define PHILOX(operation) simde_mm256_##operation
#define PHILOX_WHOLE(operation) simde_mm256_##operation##_si256
#define PHILOX_ODD(even, odd) simde_mm256_blend_epi32(even, odd, 0xaa)
#define PHILOX_WIDTH 8
typedef simde__m256i philox_words;
#endif

/* Counters side by side, one in each lane, like the worlds of a tile. */
#if !defined(PHILOX_LANES)
#define PHILOX_LANES 16
#endif

#if defined(PHILOX_WIDTH)
/* All rounds for a register of lanes. The multiplication uses the lower halves of 64 bits, so even and odd lanes are
 * kept in separate registers, whose upper halves may hold anything. Otherwise compilers rearrange the halves in every
 * round or multiply 64 bits by 64, which takes three times as long. */
static inline void philox_register(uint32_t counter[4][PHILOX_LANES], uint32_t key[2][PHILOX_LANES], int at)
{
    const philox_words times_a = PHILOX(set1_epi32)((int32_t)UINT32_C(0xd2511f53));
    const philox_words times_b = PHILOX(set1_epi32)((int32_t)UINT32_C(0xcd9e8d57));
    const philox_words step_a = PHILOX(set1_epi32)((int32_t)UINT32_C(0x9e3779b9));
    const philox_words step_b = PHILOX(set1_epi32)((int32_t)UINT32_C(0xbb67ae85));
    philox_words word[4][2], named[2][2]; /* of even and of odd lanes */

    /* Odd lanes move to the lower halves of their own registers. */
    for (int k = 0; k < 4; k++) {
        word[k][0] = PHILOX_WHOLE(loadu)((const philox_words *)(const void *)&counter[k][at]);
        word[k][1] = PHILOX(srli_epi64)(word[k][0], 32);
    }
    for (int k = 0; k < 2; k++) {
        named[k][0] = PHILOX_WHOLE(loadu)((const philox_words *)(const void *)&key[k][at]);
        named[k][1] = PHILOX(srli_epi64)(named[k][0], 32);
    }

    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        for (int odd = 0; odd < 2; odd++) {
            const philox_words a = PHILOX(mul_epu32)(word[0][odd], times_a);
            const philox_words b = PHILOX(mul_epu32)(word[2][odd], times_b);
            const philox_words c = PHILOX_WHOLE(xor)(word[1][odd], named[0][odd]);
            const philox_words d = PHILOX_WHOLE(xor)(word[3][odd], named[1][odd]);
            word[0][odd] = PHILOX_WHOLE(xor)(PHILOX(srli_epi64)(b, 32), c);
            word[1][odd] = b;
            word[2][odd] = PHILOX_WHOLE(xor)(PHILOX(srli_epi64)(a, 32), d);
            word[3][odd] = a;
            named[0][odd] = PHILOX(add_epi32)(named[0][odd], step_a);
            named[1][odd] = PHILOX(add_epi32)(named[1][odd], step_b);
        }
    }

    /* Interleave even and odd lanes again. */
    for (int k = 0; k < 4; k++) {
        const philox_words both = PHILOX_ODD(word[k][0], PHILOX(slli_epi64)(word[k][1], 32));
        PHILOX_WHOLE(storeu)((philox_words *)(void *)&counter[k][at], both);
    }
}
#endif

/* philox4x32() of PHILOX_LANES counters. */
static inline void philox4x32_lanes(uint32_t counter[4][PHILOX_LANES], uint32_t key[2][PHILOX_LANES])
{
#if defined(PHILOX_WIDTH)
    for (int at = 0; at < PHILOX_LANES; at += PHILOX_WIDTH) {
        philox_register(counter, key, at);
    }
#elif defined(CAROM_ISA_SCALAR) /* one by one, in registers */
    for (int l = 0; l < PHILOX_LANES; l++) {
        uint32_t words[4] = {counter[0][l], counter[1][l], counter[2][l], counter[3][l]};
        const uint32_t named[2] = {key[0][l], key[1][l]};
        philox4x32(words, named);
        for (int k = 0; k < 4; k++) {
            counter[k][l] = words[k];
        }
    }
#else

    /* Compilers vectorise the inner loop, as all lanes use their keys and counters in step. */
    uint32_t round_key[2][PHILOX_LANES];
    for (int l = 0; l < PHILOX_LANES; l++) {
        round_key[0][l] = key[0][l];
        round_key[1][l] = key[1][l];
    }

    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        for (int l = 0; l < PHILOX_LANES; l++) {
            uint32_t words[4] = {counter[0][l], counter[1][l], counter[2][l], counter[3][l]};
            uint32_t named[2] = {round_key[0][l], round_key[1][l]};
            philox_round(words, named);
            counter[0][l] = words[0];
            counter[1][l] = words[1];
            counter[2][l] = words[2];
            counter[3][l] = words[3];
            round_key[0][l] = named[0];
            round_key[1][l] = named[1];
        }
    }
#endif
}

#define RANDOM_BLOCKS 14 /* the most blocks of four words made in lanes */

/* The streams of a tile's worlds, with their first words made in lanes. */
typedef struct random_streams {
    uint32_t key[2][PHILOX_LANES], tag[PHILOX_LANES];
    uint32_t purpose, index[PHILOX_LANES];
    uint32_t made;                                   /* words that each lane has */
    uint32_t words[4 * RANDOM_BLOCKS][PHILOX_LANES]; /* word k of lane l: [k][l] */
} random_streams;

/* Starts a stream for every lane, like random_begin(), and makes `blocks` blocks of words. The caller has set
 * streams->index. */
static inline void random_begin_lanes(random_streams *streams, const uint64_t seed[PHILOX_LANES],
                                      const uint64_t id[PHILOX_LANES], uint32_t purpose, uint32_t blocks)
{
    streams->purpose = purpose;
    streams->made = 4 * blocks;

    /* The forks of a root share one key. Otherwise compute the keys of all lanes, the first included, in whole
     * registers. */
    bool alike = true;
    for (int l = 1; l < PHILOX_LANES; l++) {
        alike &= (seed[l] == seed[0]) & (id[l] == id[0]);
    }
    if (alike) {
        const philox_key named = philox_key_of(seed[0], id[0]);
        for (int l = 0; l < PHILOX_LANES; l++) {
            streams->key[0][l] = named.key[0];
            streams->key[1][l] = named.key[1];
            streams->tag[l] = named.tag;
        }
    } else {
        for (int l = 0; l < PHILOX_LANES; l++) {
            const philox_key named = philox_key_of(seed[l], id[l]);
            streams->key[0][l] = named.key[0];
            streams->key[1][l] = named.key[1];
            streams->tag[l] = named.tag;
        }
    }

    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t(*words)[PHILOX_LANES] = streams->words + (size_t)4 * block;
        for (int l = 0; l < PHILOX_LANES; l++) {
            words[0][l] = purpose;
            words[1][l] = streams->index[l];
            words[2][l] = block;
            words[3][l] = ~streams->tag[l];
        }
        philox4x32_lanes(words, streams->key);
    }
}

/* The words of one lane, in order. */
typedef struct random_lane {
    const random_streams *streams;
    unsigned lane;
    uint32_t next; /* index of the next word */
} random_lane;

/* The next word: made in lanes if there is one, otherwise from a separate block. */
static inline uint32_t random_lane_word(random_lane *from)
{
    const random_streams *streams = from->streams;
    const unsigned l = from->lane;
    const uint32_t number = from->next++;
    if (number < streams->made) {
        return streams->words[number][l];
    }
    uint32_t block[4] = {streams->purpose, streams->index[l], number / 4, ~streams->tag[l]};
    const uint32_t key[2] = {streams->key[0][l], streams->key[1][l]};
    philox4x32(block, key);
    return block[number % 4];
}

/* random_below() for one lane. */
static inline uint32_t random_lane_below(random_lane *from, uint32_t n)
{
    uint32_t drawn;
    while (!random_draws(random_lane_word(from), n, &drawn)) {
    }
    return drawn;
}

#endif
