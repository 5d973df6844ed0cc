/* SPDX-License-Identifier: MIT
 * How fast a search is, and how large its generations are where the budget is one in time and desc.generations says how
 * many of them there should be.
 *
 * The unit is a leaf: a sequence of every root against one candidate. Two speeds are measured. What leaves took on
 * average, with all that kept the processor from the search, says how large a generation should be. What they took at
 * best says whether one ends in time: one that is held up is lost, but to keep time back for that would lose more.
 */
#include "search/search.h"

#include <math.h>

#define PROBE 64     /* sequences of the first generation, before anything is known */
#define FEW 128      /* sequences: rather fewer generations than smaller ones, but ten */
#define REMEMBER 0.9 /* what the generations before count for, with each that is added */
#define SLOWING 1.02 /* how much slower than at best a search may have become, with each generation */
#define ROOM 1.1     /* how much longer than at best a generation may take */

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

    /* Whole tiles, unless many roots share them, or generations are to be smaller. */
    const size_t grain = fixed->roots > 1 || most < CAROM_TILE ? SEARCH_LEAST : CAROM_TILE;
    const double facing = (double)phase->facing, average = pace->seconds / pace->leaves;
    const double aimed = phase->generation / (facing * average), ten = aimed * (double)fixed->desc.generations / 10;
    const double wanted = fmax(fmax(aimed, fmin(ten, FEW)), (double)grain);
    const double fits = (phase->end - now) / (ROOM * facing * pace->best);

    /* The first one of a run is tried however unlikely: a speed that was measured wrong would never be put right. */
    const bool tried = phase->index > 0 || phase->generations > 0 || now >= phase->end;
    const double count = fmin(fmin(wanted, tried ? fits : fmax(fits, (double)grain)), (double)most);
    return count >= (double)grain ? (size_t)count / grain * grain : 0;
}
