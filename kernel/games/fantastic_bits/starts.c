/* SPDX-License-Identifier: MIT
 * The options of fantastic_bits, and the context of a batch.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/problem.h"
#include "games/fantastic_bits/fantastic_bits.h"

#define MOST_SEEDS (1u << 24)

#define ROW(member, kind, ...) OPTION(carom_fantastic_bits_options, member, kind, __VA_ARGS__)
static const carom_option table[] = {
    {ROW(snaffles, COUNT, 0, 0, 7, "of drawn seeds: 5 or 7 snaffles; 0: by the seed")},
    {OPTION_LIST(carom_fantastic_bits_options, seeds, seed_count, MOST_SEEDS, "the referee's seeds, not drawn ones"),
     .item_bytes = sizeof(int64_t)},
};

/* The checks that the table cannot express: 6 snaffles are not allowed, and listed seeds determine the number. */
static carom_status check(const carom_worlds_desc *desc, carom_problem *problem)
{
    const carom_fantastic_bits_options *o = (const carom_fantastic_bits_options *)desc->options;
    if (o->snaffles != 0 && (o->seeds != NULL || (o->snaffles != 5 && o->snaffles != 7))) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "snaffles: %u, not 0, 5 or 7; or 0 with seeds", o->snaffles);
    }
    if ((o->seeds != NULL) != (o->seed_count != 0) || o->seed_count > MOST_SEEDS) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "seeds: either none, or 1 to %u", MOST_SEEDS);
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
                                  : hash_array(hash, context->seeds, context->seed_count, sizeof(int64_t));
}

size_t carom_fantastic_bits_context_image(const void *any, void *to, uint64_t address)
{
    /* The seeds follow the context in memory. */
    const fb_context *context = (const fb_context *)any;
    const size_t seeds = memory_aligned(sizeof *context), count = context->seeds != NULL ? context->seed_count : 0;
    if (to != NULL) {
        fb_context head = *context;
        head.seeds = context->seeds != NULL ? (int64_t *)(uintptr_t)(address + seeds) : NULL;
        memset(to, 0, seeds);
        memcpy(to, &head, sizeof head);
    }
    if (to != NULL && count > 0) {
        memcpy((unsigned char *)to + seeds, context->seeds, count * sizeof context->seeds[0]);
    }
    return seeds + count * sizeof context->seeds[0];
}
