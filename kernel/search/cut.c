/* SPDX-License-Identifier: MIT
 * Dropping hopeless sequences early, as in successive halving with one cut: all sequences of a generation are rolled
 * out for some ticks, then the best of them, from the roots again, for the whole horizon. Starting over needs no memory
 * for states and gives the same returns as without a cut.
 */
#include "search/search.h"

#include <math.h>

#include "base/parallel.h"

void carom_search_begin_cut(const search_fixed *fixed, search_generation *generation)
{
    const size_t count = generation->count, horizon = fixed->desc.horizon, after = fixed->desc.cut_after;
    size_t kept = (size_t)(fixed->desc.cut_keep * (double)count);
    kept = kept < generation->elites ? generation->elites : kept;

    /* The second part repeats the first ticks, so a cut saves ticks only if few enough sequences are kept. Otherwise
     * roll the generation out whole, as already described. */
    if (kept < count && count * after + kept * horizon < count * horizon) {
        generation->first_part = true;
        generation->kept = kept;
        generation->depth = (uint32_t)after;
        generation->r.desc.horizon = after; /* the plan keeps all its rows */
    }
}

void carom_search_begin_rest(const search_fixed *fixed, search_generation *generation)
{
    generation->first_part = false;
    generation->depth = (uint32_t)fixed->desc.horizon;
    generation->r.desc.horizon = fixed->desc.horizon;
    generation->r.chosen = generation->chosen;
    carom_rollout_resize(&generation->r, generation->kept);
}

uint64_t carom_search_cost(const search_fixed *fixed, search_phase *phase, const search_generation *generation)
{
    const uint64_t horizon = fixed->desc.horizon;
    const uint64_t ticks = generation->count * fixed->desc.cut_after + generation->kept * horizon - phase->spare;

    /* Round up to whole horizons, and credit the difference to the next generation. */
    const uint64_t cost = (ticks - 1) / horizon + 1;
    phase->spare = cost * horizon - ticks;
    return cost;
}

/* The planning player's returns in a root that has `sequences` of them; the stride is `players`. */
static double *returns_of(const carom_search *search, size_t root, size_t sequences)
{
    return search->generation.returns + root * sequences * search->fixed.players + search->phase.player;
}

/* Fills generation->chosen of a root, ascending. Overwrites its returns, which the second part computes again. */
static void choose_root(void *argument, size_t root, unsigned thread)
{
    const carom_search *search = (const carom_search *)argument;
    const search_generation *generation = &search->generation;
    const size_t count = generation->count, kept = generation->kept, stride = search->fixed.players;
    double *returns = returns_of(search, root, count);
    rollout_rank *ranks = (rollout_rank *)(void *)(search->room.learn + thread * search->room.bytes);
    uint32_t *chosen = generation->chosen + root * kept;

    /* Sequence 0 may be the current plan or mean itself. It needs a full return, since learning starts from it. */
    if (generation->exact) {
        returns[0] = INFINITY;
    }

    /* Selection gives the best first, but rollouts need ascending order: mark the chosen in place and collect the
     * marks. */
    carom_rollout_select(returns, stride, count, kept, ranks);
    for (size_t k = 0; k < count; k++) {
        returns[k * stride] = 0;
    }
    for (size_t i = 0; i < kept; i++) {
        returns[ranks[i].sequence * stride] = 1;
    }
    for (size_t k = 0; k < count; k++) {
        if (returns[k * stride] > 0) {
            *chosen++ = (uint32_t)k;
        }
    }
}

void carom_search_choose(carom_search *search)
{
    carom_parallel_for(search->fixed.worlds.threads, search->run.from->where, search->fixed.roots, choose_root, search);
}

void carom_search_spread(carom_search *search)
{
    const size_t count = search->generation.count, kept = search->generation.kept, stride = search->fixed.players;

    /* The returns of the sequences kept are packed at the front of the array. Move them to their sequences' entries
     * from the back, since none moves to a lower index. */
    for (size_t root = search->fixed.roots; root-- > 0;) {
        const double *from = returns_of(search, root, kept);
        const uint32_t *chosen = search->generation.chosen + root * kept;
        double *to = returns_of(search, root, count);
        for (size_t k = count, i = kept; k-- > 0;) {
            const bool went_on = i > 0 && chosen[i - 1] == k;
            i -= went_on;
            to[k * stride] = went_on ? from[i * stride] : -INFINITY;
        }
    }
}
