/* SPDX-License-Identifier: MIT
 * The players' plans: the initial ones, those of the last run shifted for this one, and what callers read and set.
 */
#include "search/search.h"

#include <math.h>
#include <string.h>

#include "worlds/layout.h"

/* ---- from run to run ---- */

/* The initial plan of a root: halfway between the bounds. */
static void start_plan(const search_fixed *fixed, float *plan)
{
    for (size_t n = 0; n < fixed->series; n++) {
        plan[n] = (fixed->low[n] + fixed->high[n]) * 0.5f;
    }
}

void carom_search_start_plans(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    search_past *past = &search->past;
    for (unsigned p = 0; p < fixed->players; p++) {
        for (size_t root = 0; root < fixed->roots; root++) {
            start_plan(fixed, past->plans[p] + root * fixed->series);
        }
    }
    memset(past->moments, 0, fixed->roots * sizeof *past->moments);
}

/* Identifies the state of a root. `fresh` is 0: the caller has not set its plans since. */
static search_moment moment_of(const carom_worlds *roots, size_t root)
{
    const world_layout *layout = &roots->layout;
    const void *tile = carom_worlds_tile_of(roots, root);
    const unsigned lane = carom_worlds_lane_of(roots, root);
    search_moment moment;
    moment.id = carom_tile_get_id(layout, tile, lane);
    moment.episode = *(const int32_t *)field_in(&layout->fields[FIELD_episode], tile, lane);
    moment.tick = *(const int32_t *)field_in(&layout->fields[FIELD_tick], tile, lane);
    moment.met = 1;
    moment.fresh = 0;
    return moment;
}

/* Shifts a plan by `ticks` ticks; the last row is repeated at the end. If the shift is not a whole number of rows, each
 * row becomes the mean of the two that it then covers, weighted by the ticks it shares with them. If rows have
 * different bounds, the numbers are clipped to those of the row that they move to; otherwise they stay within the
 * bounds up to rounding. Rows are read before they are overwritten, because `from` is never before `row`. */
static void shift(const search_fixed *fixed, float *plan, uint64_t ticks)
{
    const size_t size = fixed->kind.size, rows = fixed->rows, hold = fixed->desc.hold;
    const uint64_t whole = ticks / hold;
    const float part = (float)(ticks % hold) / (float)hold;
    for (size_t row = 0; row < rows; row++) {
        const size_t from = whole < rows - row ? row + (size_t)whole : rows - 1;
        const size_t next = from + 1 < rows ? from + 1 : rows - 1;
        for (size_t e = 0; e < size; e++) {
            const float a = plan[from * size + e], b = plan[next * size + e];
            const float moved = part > 0 ? a + part * (b - a) : a;
            const float low = fixed->low[row * size + e], high = fixed->high[row * size + e];
            plan[row * size + e] = !fixed->uneven ? moved : moved < low ? low : moved > high ? high : moved;
        }
    }
}

void carom_search_move_plans(carom_search *search, const carom_worlds *roots)
{
    const search_fixed *fixed = &search->fixed;
    search_past *past = &search->past;

    /* A world that has since advanced in the same game keeps its plan, shifted; any other begins from the initial plan.
     * Plans that the caller has set since are used as they are. */
    for (size_t root = 0; root < fixed->roots; root++) {
        const search_moment now = moment_of(roots, root), then = past->moments[root];
        const bool same = then.met != 0 && now.id == then.id && now.episode == then.episode && now.tick >= then.tick;
        for (unsigned p = 0; p < fixed->players; p++) {
            float *plan = past->plans[p] + root * fixed->series;
            if ((then.fresh >> p & 1) != 0) {
                continue;
            }
            if (same) {
                shift(fixed, plan, (uint64_t)((int64_t)now.tick - then.tick));
            } else {
                start_plan(fixed, plan);
            }
        }
        past->moments[root] = now;
    }
}

/* ---- what callers read and set ---- */

/* The status of a call after the engine's work. On a device clears search->failed, so that no later call returns it. */
static carom_status outcome(const carom_search *search)
{
    carom_status status = CAROM_OK;
    if (carom_is_on_device(search->home)) {
        carom_search *changed = (carom_search *)(uintptr_t)search;
        status = changed->failed;
        changed->failed = CAROM_OK;
    }
    return status;
}

/* The search's own player always has a plan; the others have one unless a policy plays them. */
static bool has_plan(const carom_search *search, unsigned player)
{
    return search != NULL && player < search->fixed.players &&
           (player == search->fixed.desc.player || search->fixed.desc.other != CAROM_OTHER_POLICY);
}

void carom_search_first_rows(carom_search *search, unsigned player, bool zero, void *actions)
{
    /* The first row of each plan. */
    const search_fixed *fixed = &search->fixed;
    const size_t size = fixed->kind.size;
    for (size_t root = 0; root < fixed->roots; root++) {
        const float *plan = search->past.plans[player] + root * fixed->series;
        for (size_t e = 0; e < size; e++) {
            const float number = zero ? 0.0f : plan[e];
            if (fixed->kind.precision == CAROM_F32) {
                ((float *)actions)[root * size + e] = number;
            } else {
                ((double *)actions)[root * size + e] = (double)number;
            }
        }
    }
}

carom_status carom_search_actions(const carom_search *search, unsigned player, void *actions)
{
    if (!has_plan(search, player) || actions == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* A player that is assumed to do nothing has a plan, too, but does not follow it: give zeros. */
    const search_fixed *fixed = &search->fixed;
    const bool zero = player != fixed->desc.player && fixed->desc.other == CAROM_OTHER_ZERO;
    search->engine->actions((carom_search *)(uintptr_t)search, player, zero, actions);
    return outcome(search);
}

carom_status carom_search_plan(const carom_search *search, unsigned player, float *plan)
{
    if (!has_plan(search, player) || plan == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    search->engine->copy((carom_search *)(uintptr_t)search, plan, search->past.plans[player],
                         search->fixed.roots * search->fixed.series * sizeof *plan);
    return outcome(search);
}

carom_status carom_search_set_plan(carom_search *search, unsigned player, const float *plan)
{
    if (!has_plan(search, player)) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* NULL resets the plans of all players. */
    if (plan == NULL) {
        search->engine->start_plans(search);
        return outcome(search);
    }
    const carom_status status = search->engine->set_plan(search, player, plan);
    return status != CAROM_OK ? status : outcome(search);
}

carom_status carom_search_returns(const carom_search *search, double *values)
{
    if (search == NULL || values == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    search->engine->copy((carom_search *)(uintptr_t)search, values, search->past.values,
                         search->fixed.roots * sizeof *values);
    return outcome(search);
}
