/* SPDX-License-Identifier: MIT
 * The early end of hopeless sequences: a generation is rolled out for some ticks, and the best of it for the whole
 * horizon, anew: no states are kept in between, and a return is the same as it is without the cut.
 */
#include "search/search.h"

#include <math.h>

#include "base/parallel.h"

void carom_search_begin_cut(carom_search *search)
{
    const size_t count = search->count, horizon = search->desc.horizon, after = search->desc.cut_after;
    size_t kept = (size_t)(search->desc.cut_keep * (double)count);
    kept = kept < search->elites ? search->elites : kept;
    if (kept < count && count * after + kept * horizon < count * horizon) {
        search->first_part = true;
        search->kept = kept;
        search->depth = (uint32_t)after;
        search->r.desc.horizon = after; /* rows are those of the whole horizon still */
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
    const uint64_t cost = (ticks - 1) / horizon + 1;
    search->spare = cost * horizon - ticks;
    return cost;
}

static double *returns_of(const carom_search *search, size_t root, size_t sequences)
{
    return search->returns + root * sequences * search->players + search->planner_player;
}

static void choose_root(void *argument, size_t root, unsigned thread)
{
    const carom_search *search = (const carom_search *)argument;
    const size_t count = search->count, stride = search->players;
    double *returns = returns_of(search, root, count);
    rollout_rank *ranks = (rollout_rank *)(void *)(search->room + thread * search->room_bytes);
    uint32_t *chosen = search->chosen + root * search->kept;
    if (search->origins[root * count].exact != 0) {
        returns[0] = INFINITY; /* what a search starts from is not lost */
    }
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
    for (size_t root = search->roots; root-- > 0;) { /* backwards: a return moves up, or stays */
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
