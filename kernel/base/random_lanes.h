/* SPDX-License-Identifier: MIT
 * The draws of base/random.h for 16 worlds in step. The loops run over lanes inside, so that compilers make vectors of
 * them.
 */
#ifndef CAROM_BASE_RANDOM_LANES_H
#define CAROM_BASE_RANDOM_LANES_H

#include "base/random.h"

/* Counters side by side, as worlds stand in a tile: one to a lane. */
#define PHILOX_LANES 16

/* philox4x32() of PHILOX_LANES counters. */
static inline void philox4x32_lanes(uint32_t counter[4][PHILOX_LANES], uint32_t key[2][PHILOX_LANES])
{
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
}

/* The streams of the worlds of a tile, with the first block of each made in lanes. */
typedef struct random_streams {
    uint32_t key[2][PHILOX_LANES], tag[PHILOX_LANES];
    uint32_t purpose, index[PHILOX_LANES];
    uint32_t words[4][PHILOX_LANES];
} random_streams;

/* What random_begin() begins for every lane; streams->index is set already. */
static inline void random_begin_lanes(random_streams *streams, const uint64_t seed[PHILOX_LANES],
                                      const uint64_t id[PHILOX_LANES], uint32_t purpose)
{
    streams->purpose = purpose;
    for (int l = 0; l < PHILOX_LANES; l++) {
        const philox_key named = philox_key_of(seed[l], id[l]);
        streams->key[0][l] = named.key[0];
        streams->key[1][l] = named.key[1];
        streams->tag[l] = named.tag;
        streams->words[0][l] = purpose;
        streams->words[1][l] = streams->index[l];
        streams->words[2][l] = 0;
        streams->words[3][l] = ~named.tag;
    }
    philox4x32_lanes(streams->words, streams->key);
}

/* The stream of one lane, of which nothing is drawn yet. */
static inline random_stream random_stream_of(const random_streams *streams, unsigned l)
{
    const random_stream stream = {
        {{streams->key[0][l], streams->key[1][l]}, streams->tag[l]},
        streams->purpose,
        streams->index[l],
        1,
        4,
        {streams->words[0][l], streams->words[1][l], streams->words[2][l], streams->words[3][l]}};
    return stream;
}

#endif
