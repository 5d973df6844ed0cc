/* SPDX-License-Identifier: MIT
 * The seats of the two sides of an arena's game, chosen so that the games of a start favour neither.
 *
 *     players  games of a start
 *     1        1   both sides play the start, each alone; the higher sum of rewards wins
 *     2, 4     2   side a has seats 0, 2, side b seats 1, 3; then the other way round
 *     3        6   side a has seat 0, 1, 2 in turn and side b the two others; then the other way round
 */
#ifndef CAROM_TOOLS_ARENA_SEATS_H
#define CAROM_TOOLS_ARENA_SEATS_H

/* Games of a start in a game with `players` players. */
static inline unsigned arena_rounds(unsigned players)
{
    return players == 1 ? 1 : players == 3 ? 6 : 2;
}

/* The side on a seat in a round: 0 (a) or 1 (b). For games of several players. */
static inline unsigned arena_side_on(unsigned players, unsigned seat, unsigned round)
{
    if (players == 3) {
        const unsigned alone = round / 3;
        return seat == round % 3 ? alone : 1 - alone;
    }
    return (seat % 2) ^ round;
}

#endif
