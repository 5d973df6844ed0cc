/* SPDX-License-Identifier: MIT
 * The early end of hopeless sequences, as in successive halving with one cut: all sequences of a generation are rolled
 * out for some ticks, and the best of them, from the roots again, for the whole horizon. Starting over needs no memory
 * for states and gives the same returns as without a cut.
 */
#include "search/search.h"

#include <math.h>

#include "base/parallel.h"

void carom_search_begin_cut(carom_search *search)
{
    const size_t count = search->count, horizon = search->desc.horizon, after = search->desc.cut_after;
    size_t kept = (size_t)(search->desc.cut_keep * (double)count);
    kept = kept < search->elites ? search->elites : kept;

    /* The second part repeats the first ticks, so that a cut pays only if few enough go on. Otherwise the generation
     * is rolled out whole, as described already. */
    if (kept < count && count * after + kept * horizon < count * horizon) {
        search->first_part = true;
        search->kept = kept;
        search->depth = (uint32_t)after;
        search->r.desc.horizon = after; /* the plan keeps all its rows */
    }
}

void carom_search_begin_rest(carom_search *search)
{
    search->first_part = false;
    search->depth = (uint32_t)search->desc.horizon;
    search->r.desc.horizon = search->desc.horizon;
    search->r.chosen = search->chosen;
    carom_rollout_resize(&search->r, search->kept);
}

uint64_t carom_search_cost(carom_search *search)
{
    const uint64_t horizon = search->desc.horizon;
    const uint64_t ticks = search->count * search->desc.cut_after + search->kept * horizon - search->spare;

    /* Round up to whole horizons, and credit the rest to the next generation. */
    const uint64_t cost = (ticks - 1) / horizon + 1;
    search->spare = cost * horizon - ticks;
    return cost;
}

/* The planning player's returns in a root that has `sequences` of them; the next one is search->players further. */
static double *returns_of(const carom_search *search, size_t root, size_t sequences)
{
    return search->returns + root * sequences * search->players + search->planner_player;
}

/* The chosen sequences of a root, ascending. Overwrites its returns, which the second part computes again. */
static void choose_root(void *argument, size_t root, unsigned thread)
{
    const carom_search *search = (const carom_search *)argument;
    const size_t count = search->count, stride = search->players;
    double *returns = returns_of(search, root, count);
    rollout_rank *ranks = (rollout_rank *)(void *)(search->room + thread * search->room_bytes);
    uint32_t *chosen = search->chosen + root * search->kept;

    /* Sequence 0 may be the current plan or mean itself. It must get a full return, for learning starts from it. */
    if (search->origins[root * count].exact != 0) {
        returns[0] = INFINITY;
    }

    /* Selection gives the best first. Rollouts want ascending order, so mark the chosen in place and collect the
     * marks. */
    carom_rollout_select(returns, stride, count, search->kept, ranks);
    for (size_t k = 0; k < count; k++) {
        returns[k * stride] = 0;
    }
    for (size_t i = 0; i < search->kept; i++) {
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
    carom_parallel_for(search->worlds.threads, search->roots, choose_root, search);
}

void carom_search_spread(carom_search *search)
{
    const size_t count = search->count, kept = search->kept, stride = search->players;

    /* The returns of those that went on are packed at the front of the array. Moving them to their sequences' places
     * works backwards, since no return moves to a lower place than its own. */
    for (size_t root = search->roots; root-- > 0;) {
        const double *from = returns_of(search, root, kept);
        const uint32_t *chosen = search->chosen + root * kept;
        double *to = returns_of(search, root, count);
        for (size_t k = count, i = kept; k-- > 0;) {
            const bool went_on = i > 0 && chosen[i - 1] == k;
            i -= went_on;
            to[k * stride] = went_on ? from[i * stride] : -INFINITY;
        }
    }
}
