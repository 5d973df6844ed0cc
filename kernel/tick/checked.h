/* SPDX-License-Identifier: MIT
 * The numbers by which a game's rules name a part of what the tick holds: elements of fields, actions, observations,
 * players, rows of a motion. C looks at none of them. On the host's side of a game from outside
 * (carom/kit/engine/checked.h, which is included before) each is compared with what the game has declared; the first
 * that is wrong is noted, and number 0 is taken in its place, so that nothing is written where it does not belong.
 * Kernels compare nothing.
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
