/* SPDX-License-Identifier: MIT
 * How games of fantastic_bits start: the referee's start for a seed of 48 bits, which seeds a batch plays, and the
 * game's options.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/problem.h"
#include "base/random.h"
#include "games/fantastic_bits/fantastic_bits.h"

#define MOST_SEEDS (1u << 24)
#define APART 1250 /* least distance of two snaffles at the start */
#define MASK48 ((UINT64_C(1) << 48) - 1)
#define TRIES 65536 /* more than any seed needs: bounds the loops that draw again */

/* ---- java.util.Random, a linear congruential generator of 48 bits ---- */

static int32_t next31(uint64_t *state)
{
    *state = (*state * UINT64_C(0x5DEECE66D) + 0xB) & MASK48;
    return (int32_t)(*state >> 17);
}

/* Uniform in [0, bound), bound > 0. Numbers beyond the last multiple of `bound` are drawn again, or low results would
 * be more likely. */
static int32_t next_below(uint64_t *state, int32_t bound)
{
    int32_t bits = next31(state);
    if ((bound & (bound - 1)) == 0) {
        return (int32_t)(((int64_t)bound * bits) >> 31);
    }

    for (int tries = 0; (int64_t)bits - bits % bound + (bound - 1) > INT32_MAX && tries < TRIES; tries++) {
        bits = next31(state);
    }
    return bits % bound;
}

/* Is (x, y) too near to one of the snaffles placed so far? */
static bool is_near(const fb_start *start, int count, int32_t x, int32_t y)
{
    for (int k = 0; k < count; k++) {
        const int32_t dx = start->x[k] - x, dy = start->y[k] - y;
        if (dx * dx + dy * dy < APART * APART) {
            return true;
        }
    }
    return false;
}

static void place(fb_start *start, int k, int32_t x, int32_t y)
{
    start->x[k] = x;
    start->y[k] = y;
}

/* The referee's start for a seed: 5 or 7 snaffles, in pairs mirrored at the middle, and one in the middle. */
static fb_start start_of_seed(int64_t seed)
{
    fb_start start;
    uint64_t state = ((uint64_t)seed ^ UINT64_C(0x5DEECE66D)) & MASK48;
    memset(&start, 0, sizeof start);

    start.snaffles = 2 * (2 + next_below(&state, 2)) + 1;
    int count = 0;
    for (int tries = 0; count < start.snaffles - 1 && tries < TRIES; tries++) {
        const int32_t x = next_below(&state, 5000) + 2000, y = next_below(&state, 6500) + 500;
        if (!is_near(&start, count, x, y)) {
            place(&start, count++, x, y);
            place(&start, count++, FB_WIDTH - x, FB_HEIGHT - y);
        }
    }
    place(&start, start.snaffles - 1, FB_WIDTH / 2, FB_HEIGHT / 2);
    return start;
}

/* See fb_context.start_of. Listed seeds are played in turn; others are drawn until one has the wanted snaffles. */
static fb_start start_of(const fb_context *context, uint64_t seed, uint64_t id, uint32_t episode)
{
    if (context->seeds != NULL) {
        return start_of_seed(context->seeds[(id + episode) % context->seed_count]);
    }

    random_stream stream = random_begin(seed, id, FB_DRAW_GAME, episode);
    fb_start start;
    int tries = 0;
    do {
        const uint64_t high = random_word(&stream);
        start = start_of_seed((int64_t)((high << 32 | random_word(&stream)) & MASK48));
    } while (context->snaffles != 0 && start.snaffles != (int32_t)context->snaffles && ++tries < TRIES);
    return start;
}

/* ---- options ---- */

#define ROW(member, kind, ...) OPTION(carom_fantastic_bits_options, member, kind, __VA_ARGS__)
static const carom_option table[] = {
    {ROW(snaffles, COUNT, 0, 0, 7, "of drawn seeds: 5 or 7 snaffles; 0: as the seed has it")},
    {OPTION_LIST(carom_fantastic_bits_options, seeds, seed_count, MOST_SEEDS, "the referee's seeds, not drawn ones"),
     .item_bytes = sizeof(int64_t)},
};

/* What the table cannot say: 6 snaffles are none, and listed seeds decide their number themselves. */
static carom_status check(const carom_worlds_desc *desc, carom_problem *problem)
{
    const carom_fantastic_bits_options *o = (const carom_fantastic_bits_options *)desc->options;
    if (o->snaffles != 0 && (o->seeds != NULL || (o->snaffles != 5 && o->snaffles != 7))) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "snaffles: %u is none of 0, 5, 7; or 0 with seeds",
                           o->snaffles);
    }
    if ((o->seeds != NULL) != (o->seed_count != 0) || o->seed_count > MOST_SEEDS) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "seeds: there are none, or 1 to %u", MOST_SEEDS);
    }
    return CAROM_OK;
}

const game_options carom_fantastic_bits_table = {
    sizeof(carom_fantastic_bits_options), table, sizeof table / sizeof table[0], CAROM_ERROR_ARGUMENT, check, NULL};

carom_fantastic_bits_options carom_fantastic_bits_options_default(void)
{
    carom_fantastic_bits_options options;
    (void)carom_game_options_default(&carom_game_fantastic_bits, &options);
    return options;
}

size_t carom_fantastic_bits_context_bytes(const carom_worlds_desc *desc)
{
    carom_fantastic_bits_options options;
    return carom_options_read(desc, &options) == CAROM_OK ? sizeof(fb_context) + options.seed_count * sizeof(int64_t)
                                                          : 0;
}

carom_status carom_fantastic_bits_context_create(const carom_worlds_desc *desc, void **result)
{
    carom_fantastic_bits_options options;
    const carom_status status = carom_options_read(desc, &options);
    if (status != CAROM_OK) {
        return status;
    }

    fb_context *context = (fb_context *)calloc(1, sizeof *context);
    int64_t *seeds = options.seeds != NULL ? (int64_t *)calloc(options.seed_count, sizeof *seeds) : NULL;
    if (context == NULL || (options.seeds != NULL && seeds == NULL)) {
        free(context);
        free(seeds);
        return CAROM_ERROR_MEMORY;
    }
    if (seeds != NULL) {
        memcpy(seeds, options.seeds, options.seed_count * sizeof *seeds);
    }

    context->start_of = start_of;
    context->snaffles = options.snaffles;
    context->seeds = seeds;
    context->seed_count = options.seed_count;
    *result = context;
    return CAROM_OK;
}

void carom_fantastic_bits_context_destroy(void *any)
{
    fb_context *context = (fb_context *)any;
    if (context != NULL) {
        free(context->seeds);
        free(context);
    }
}

uint64_t carom_fantastic_bits_context_hash(const void *any)
{
    const fb_context *context = (const fb_context *)any;
    uint64_t hash = hash_step(context->snaffles, context->seed_count);
    return context->seeds == NULL ? hash_end(hash)
                                  : hash_bytes(hash, context->seeds, context->seed_count * sizeof(int64_t));
}
