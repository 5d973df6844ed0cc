/* SPDX-License-Identifier: MIT
 * A ladder: sides of a game from the strongest to the weakest, kept in a file with all that they have played.
 *
 * A new side climbs it: it plays one that is there until it is known who is stronger, and goes on above or below, until
 * it has beaten the one below it and lost to the one above. A side that is on the ladder already begins at its own
 * place; what it had played counts no longer.
 *
 * The file, JSON: the game, its options, the seed of the starts, the rungs' texts, and a match of any two that have
 * met. It is written again and again: a command that was killed goes on when it is given again.
 */
#ifndef CAROM_TOOLS_ARENA_LADDER_H
#define CAROM_TOOLS_ARENA_LADDER_H

#include "arena.h"

/* Shows the ladder of the file options->ladder; before that options->add climbs it, unless it is NULL: sides[0], which
 * plays `games` games with each rung at most. True if it was interrupted. */
bool carom_arena_ladder(arena_options *options);

#endif
