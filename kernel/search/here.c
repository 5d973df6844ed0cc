/* SPDX-License-Identifier: MIT
 * The engine of searches on this processor: the functions of the other files, executed at once.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "search/search.h"

/* ---- memory ---- */

static void *here_take(carom_search *search, size_t bytes)
{
    (void)search;
    return carom_memory_take(bytes);
}

static void here_release(carom_search *search, void *memory)
{
    (void)search;
    carom_memory_release(memory);
}

static void here_copy(carom_search *search, void *to, const void *from, size_t bytes)
{
    (void)search;
    memcpy(to, from, bytes);
}

/* ---- plans ---- */

static carom_status here_set_plan(carom_search *search, unsigned player, const float *plan)
{
    /* Check everything before anything is changed. */
    const search_fixed *fixed = &search->fixed;
    search_past *past = &search->past;
    const size_t numbers = fixed->roots * fixed->series;
    for (size_t n = 0; n < numbers; n++) {
        if (!(fabsf(plan[n]) < INFINITY)) {
            return CAROM_ERROR_VALUE;
        }
    }

    /* Clip to the bounds; the next run must not shift this plan. */
    for (size_t n = 0; n < numbers; n++) {
        const float low = fixed->low[n % fixed->series], high = fixed->high[n % fixed->series];
        past->plans[player][n] = plan[n] < low ? low : plan[n] > high ? high : plan[n];
    }
    for (size_t root = 0; root < fixed->roots; root++) {
        past->moments[root].fresh |= 1u << player;
    }
    return CAROM_OK;
}

/* A save accesses the past directly. */
static search_past *here_read_past(carom_search *search)
{
    return &search->past;
}

static void here_write_past(carom_search *search, search_past *past, bool changed)
{
    (void)search, (void)past, (void)changed;
}

/* ---- generations ---- */

static void here_roll(carom_search *search, size_t candidate)
{
    /* The numbers are the same against every candidate. */
    rollout *r = &search->generation.r;
    r->numbers = candidate == 0 ? search->generation.numbers : NULL;
    carom_rollout_run(r);
    r->numbers = search->generation.numbers;
}

static void here_add_values(carom_search *search, const double *values, double weight)
{
    const search_generation *generation = &search->generation;
    const size_t players = search->fixed.players, leaves = search->phase.facing * generation->r.total;
    for (size_t k = 0; k < leaves * players; k++) {
        if (generation->valued[k / players]) {
            const double sum = generation->returns[k] + weight * values[k];
            generation->returns[k] = sum > -INFINITY ? sum : -INFINITY; /* NaN: the worst return */
        }
    }
}

static void here_tell(carom_search *search, size_t index)
{
    const search_generation *generation = &search->generation;
    const size_t roots = search->fixed.roots;
    carom_search_generation *told = &search->run.log[index];
    told->ticks = generation->ticks;
    search->run.report.ticks += generation->ticks;

    /* Means over the roots. */
    for (size_t root = 0; root < roots; root++) {
        told->best += generation->results[root].best / (double)roots;
        told->mean += generation->results[root].mean / (double)roots;
        told->spread += generation->results[root].spread / (double)roots;
    }
}

static void here_read_log(carom_search *search)
{
    (void)search;
}

static void here_keep_values(carom_search *search)
{
    memcpy(search->past.values, search->phase.reached, search->fixed.roots * sizeof *search->past.values);
}

const struct search_engine carom_search_here = {
    .take = here_take,
    .release = here_release,
    .start_plans = carom_search_start_plans,
    .move_plans = carom_search_move_plans,
    .keep_found = carom_search_keep_found,
    .take_plans = carom_search_take_plans,
    .open = carom_search_open,
    .sample = carom_search_sample,
    .roll = here_roll,
    .add_values = here_add_values,
    .combine = carom_search_combine,
    .choose = carom_search_choose,
    .spread = carom_search_spread,
    .learn = carom_search_learn,
    .tell = here_tell,
    .read_log = here_read_log,
    .keep_values = here_keep_values,
    .actions = carom_search_first_rows,
    .copy = here_copy,
    .set_plan = here_set_plan,
    .read_past = here_read_past,
    .write_past = here_write_past,
};
