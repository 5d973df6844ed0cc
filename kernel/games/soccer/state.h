/* SPDX-License-Identifier: MIT
 * What a world of soccer holds.
 */
#ifndef CAROM_GAMES_SOCCER_STATE_H
#define CAROM_GAMES_SOCCER_STATE_H

#include <carom/soccer.h>

#define SOCCER_TEAM CAROM_SOCCER_ROBOTS
#define SOCCER_ROBOTS (2 * SOCCER_TEAM)
#define SOCCER_BALLS CAROM_SOCCER_BALLS
#define SOCCER_BODIES CAROM_SOCCER_BODIES

/* Fields as (name, count, role); include/carom/soccer.h gives their meaning and units. */
#define SOCCER_FIELDS(REAL, INT32, INT16, INT8)                                                                        \
    REAL(x, SOCCER_BODIES, STATE)                                                                                      \
    REAL(y, SOCCER_BODIES, STATE)                                                                                      \
    REAL(vx, SOCCER_BODIES, STATE)                                                                                     \
    REAL(vy, SOCCER_BODIES, STATE)                                                                                     \
    REAL(angle, SOCCER_ROBOTS, STATE)                                                                                  \
    REAL(spin, SOCCER_ROBOTS, STATE)                                                                                   \
    REAL(hold_x, SOCCER_BALLS, STATE)                                                                                  \
    REAL(hold_y, SOCCER_BALLS, STATE)                                                                                  \
    INT32(ready, SOCCER_ROBOTS, STATE)                                                                                 \
    INT16(score, 2, STATE)                                                                                             \
    INT8(holder, SOCCER_BALLS, STATE)                                                                                  \
    INT8(winner, 1, STATE)

#endif
