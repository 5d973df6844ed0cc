/* SPDX-License-Identifier: MIT
 * A ladder: sides of a game from the strongest to the weakest, kept in a file with all their matches.
 *
 * A new side climbs it: it plays a rung until a test decides which is stronger, then one above or below, until it has
 * beaten the rung below it and lost to the one above. A side that is already on the ladder begins at its position; its
 * earlier matches are discarded.
 *
 * The file, JSON: the game, its options, the seed of the starts, the rungs' texts, and a match for any two sides that
 * have met. ladder_file.h says when it is written: give a command that was killed again to continue it.
 */
#ifndef CAROM_TOOLS_ARENA_LADDER_H
#define CAROM_TOOLS_ARENA_LADDER_H

#include "arena.h"

/* Shows the ladder of the file options->ladder. Before that, unless options->add is NULL, adds that side, which is
 * sides[0] and plays at most `games` games with each rung. True if interrupted. */
bool carom_arena_ladder(arena_options *options);

#endif
