/* SPDX-License-Identifier: MIT
 * The numbers of a player's sequences, one sequence at a time: given, broadcast or drawn, with the same bits as
 * rollout/actions.c, which makes sixteen at a time. For programs that play or plan for one world (tick/one_rollout.h,
 * tick/one_search.h). The numbers are independent, so any of them can be drawn again where it is needed.
 */
#ifndef CAROM_TICK_ONE_NUMBERS_H
#define CAROM_TICK_ONE_NUMBERS_H

#include <carom/game.h>

#include "base/random.h"
#include "base/random_normal.h"

/* The mean around which a planner draws a sequence: a crossover of two members of the root's pool. Rows before `cut`
 * come from `first`, the others from `second`. */
typedef struct one_origin {
    uint32_t first, second, cut;
    uint32_t exact; /* nonzero: the sequence is the mean itself, without noise */
} one_origin;

/* The source of a player's numbers: its part of a carom_rollout_desc, and a planner's additions. */
typedef struct one_numbers {
    uint32_t source; /* carom_source */
    uint32_t player;
    uint32_t size, rows, hold; /* numbers of a row; rows of a sequence; ticks for which a row is held, at least 1 */
    uint32_t wide;             /* 1: the numbers of actions are doubles; 0: floats */
    uint64_t seed;             /* of the draws */
    uint64_t sequences;        /* of a root, among the given ones */
    const void *actions;       /* given: [root][sequence][row][number]; broadcast: [root][row][number] */
    const float *mean;         /* [root][pool][row][number] */
    const float *sigma;        /* [root][row][number] */
    const float *low, *high;   /* [row][number]; NULL: -1 and 1 */

    /* Set by planners; otherwise NULL, 1 and 0. */
    const one_origin *origins; /* [root][named] */
    uint64_t named, pool;      /* sequences of a root that have an origin; means of a root */
    float threshold;           /* for the normal numbers: see random_beyond() */
} one_numbers;

/* One sequence of a root. */
typedef struct one_sequence {
    philox_key key; /* of the rollout's seed and the root's id */
    uint64_t root;
    uint32_t number;
} one_sequence;

/* ---- drawn numbers ---- */

/* The address of a row of the sequence's mean, and whether the sequence is that mean itself. */
static inline const float *one_mean_row(const one_numbers *numbers, const one_sequence *of, uint64_t row, bool *exact)
{
    uint64_t member = 0;
    *exact = false;
    if (numbers->origins != NULL) {
        const one_origin *origin = &numbers->origins[of->root * numbers->named + of->number];
        member = row < origin->cut ? origin->first : origin->second;
        *exact = origin->exact != 0;
    }
    return numbers->mean + ((of->root * numbers->pool + member) * numbers->rows + row) * numbers->size;
}

/* A uniform number of an action: u mapped to the bounds, if there are any. */
static inline float one_spread(const one_numbers *numbers, uint64_t at, float u)
{
    if (numbers->source != CAROM_UNIFORM || numbers->low == NULL) {
        return u;
    }
    const float low = numbers->low[at], high = numbers->high[at];
    const float middle = (low + high) * 0.5f, half = (high - low) * 0.5f;
    return random_clip(middle + half * u, low, high);
}

/* Draws numbers [from, end) of a row of uniform numbers into to[0 .. end - from). */
static inline void one_draw_uniform(const one_numbers *numbers, const one_sequence *of, uint32_t row, uint32_t from,
                                    uint32_t end, float *to)
{
    bool exact = false;
    const float *mean = numbers->origins != NULL ? one_mean_row(numbers, of, row, &exact) : NULL;
    if (exact) {
        for (uint32_t e = from; e < end; e++) {
            to[e - from] = mean[e];
        }
        return;
    }

    for (uint32_t block = from / 4; block * 4 < end; block++) {
        uint32_t words[4] = {of->number, row, numbers->player << 16 | block, of->key.tag};
        philox4x32(words, of->key.key);
        for (uint32_t word = 0; word < 4; word++) {
            const uint32_t e = block * 4 + word;
            if (e >= from && e < end) {
                const uint64_t at = (uint64_t)row * numbers->size + e;
                to[e - from] = one_spread(numbers, at, (float)random_number(words[word]));
            }
        }
    }
}

/* Draws numbers [from, end) of a row of normal numbers into to[0 .. end - from). Rows continue through blocks of eight
 * normal numbers, two from each word. */
static inline void one_draw_normal(const one_numbers *numbers, const one_sequence *of, uint32_t row, uint32_t from,
                                   uint32_t end, float *to)
{
    const uint32_t size = numbers->size;
    const uint64_t begin = (uint64_t)row * size, first = begin + from, last = begin + end;
    const float *sigma = numbers->sigma + (of->root * numbers->rows + row) * size;
    bool exact;
    const float *mean = one_mean_row(numbers, of, row, &exact);

    for (uint64_t block = first / 8; block * 8 < last; block++) {
        uint32_t words[4] = {of->number, (uint32_t)block, numbers->player << 16 | 0x8000u, of->key.tag};
        philox4x32(words, of->key.key);
        for (uint32_t word = 0; word < 4; word++) {
            float z[2];
            random_normal_pair(words[word], &z[0], &z[1]);
            for (uint32_t half = 0; half < 2; half++) {
                const uint64_t number = block * 8 + (uint64_t)2 * word + half;
                if (number >= first && number < last) {
                    const uint32_t e = (uint32_t)(number - begin);
                    const float low = numbers->low != NULL ? numbers->low[number] : -1.0f;
                    const float high = numbers->high != NULL ? numbers->high[number] : 1.0f;
                    const float far = (exact ? 0.0f : sigma[e]) * random_beyond(z[half], numbers->threshold);
                    to[e - from] = random_clip(mean[e] + far, low, high);
                }
            }
        }
    }
}

static inline void one_draw(const one_numbers *numbers, const one_sequence *of, uint32_t row, uint32_t from,
                            uint32_t end, float *to)
{
    if (numbers->source == CAROM_GAUSSIAN) {
        one_draw_normal(numbers, of, row, from, end, to);
    } else {
        one_draw_uniform(numbers, of, row, from, end, to);
    }
}

/* ---- all numbers ---- */

/* Does the rollout draw these numbers, or read them? */
static inline bool one_is_drawn(const one_numbers *numbers)
{
    return numbers->source == CAROM_DRAWN || numbers->source == CAROM_UNIFORM || numbers->source == CAROM_GAUSSIAN;
}

/* The index of number 0 of a row in numbers->actions. */
static inline uint64_t one_given_at(const one_numbers *numbers, const one_sequence *of, uint32_t row)
{
    const uint64_t series = numbers->source == CAROM_GIVEN ? of->root * numbers->sequences + of->number : of->root;
    return (series * numbers->rows + row) * numbers->size;
}

/* One number of a sequence as a float, whatever the kind's precision. */
static inline float one_number(const one_numbers *numbers, const one_sequence *of, uint32_t row, uint32_t e)
{
    if (one_is_drawn(numbers)) {
        float drawn = 0;
        one_draw(numbers, of, row, e, e + 1, &drawn);
        return drawn;
    }
    const uint64_t at = one_given_at(numbers, of, row) + e;
    return numbers->wide != 0 ? (float)((const double *)numbers->actions)[at] : ((const float *)numbers->actions)[at];
}

#endif
