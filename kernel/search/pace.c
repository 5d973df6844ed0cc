/* SPDX-License-Identifier: MIT
 * The speed of a search, and from it the size of its generations if the budget is in time and desc.generations gives
 * their number.
 *
 * The unit is a leaf: a sequence of every root against one candidate. Two speeds are measured. The average time of a
 * leaf, which includes all interruptions by other load, sets the size of a generation. The best time decides whether a
 * generation would end in time: one that is interrupted may be lost, but a reserve against that would lose more.
 */
#include "search/search.h"

#include <math.h>

#define PROBE 64     /* sequences of the first generation, before anything is known */
#define FEW 128      /* sequences: rather fewer generations than smaller ones, but at least ten */
#define REMEMBER 0.9 /* the factor by which each generation reduces the weight of those before it */
#define SLOWING 1.02 /* the factor by which the best time may grow with each generation */
#define ROOM 1.1     /* how much longer than the best time a generation may take */

void carom_search_measure(search_pace *pace, size_t leaves, double seconds)
{
    const double one = seconds / (double)leaves;
    pace->best = pace->leaves > 0 ? fmin(one, SLOWING * pace->best) : one;
    pace->leaves = REMEMBER * pace->leaves + (double)leaves;
    pace->seconds = REMEMBER * pace->seconds + seconds;
}

size_t carom_search_size(const search_fixed *fixed, const search_pace *pace, const search_phase *phase, double now)
{
    const size_t most = fixed->desc.sequences;
    if (!(pace->leaves > 0)) {
        return now >= phase->end ? 0 : most < PROBE ? most : PROBE;
    }

    /* Whole tiles, unless many roots share them or generations must be smaller. */
    const size_t grain = fixed->roots > 1 || most < CAROM_TILE ? SEARCH_LEAST : CAROM_TILE;
    const double facing = (double)phase->facing, average = pace->seconds / pace->leaves;
    const double aimed = phase->generation / (facing * average), ten = aimed * (double)fixed->desc.generations / 10;
    const double wanted = fmax(fmax(aimed, fmin(ten, FEW)), (double)grain);
    const double fits = (phase->end - now) / (ROOM * facing * pace->best);

    /* Always try the first generation of a run: otherwise a wrong measurement could never be corrected. */
    const bool tried = phase->index > 0 || phase->generations > 0 || now >= phase->end;
    const double count = fmin(fmin(wanted, tried ? fits : fmax(fits, (double)grain)), (double)most);
    return count >= (double)grain ? (size_t)count / grain * grain : 0;
}
