/* SPDX-License-Identifier: MIT
 * Bounds checks of the indices that a game's rules pass to the tick: elements of fields, actions, observations,
 * players, rows of a motion. The host's side of a plug-in game includes carom/kit/engine/checked.h before this file.
 * Its checks compare each index with what the game declares, note the first wrong one and use 0 instead, so that
 * nothing is written out of bounds. In kernels the checks are the empty macros below and cost nothing.
 */
#ifndef CAROM_TICK_CHECKED_H
#define CAROM_TICK_CHECKED_H

#if !defined(CAROM_KIT_ENGINE_CHECKED_H)

#define CHECKED_INDEX(index, count, format)
#define CHECKED_ACTION(e, width)
#define CHECKED_SEEN(number)
#define CHECKED_ROOM(count) (count)
#define CHECKED_FILL(array, count)
#define CHECKED_HELD(array, count, format)

#endif
#endif
