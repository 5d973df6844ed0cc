/* SPDX-License-Identifier: MIT
 * What a world of fall holds.
 */
#ifndef CAROM_GAMES_FALL_STATE_H
#define CAROM_GAMES_FALL_STATE_H

#define FALL_CIRCLES 64
#define FALL_PASTS 32

/* Fields as (name, count, role); include/carom/fall.h gives their meaning and units. */
#define FALL_FIELDS(REAL, INT32, INT16, INT8)                                                                          \
    REAL(x, FALL_CIRCLES, STATE)                                                                                       \
    REAL(y, FALL_CIRCLES, STATE)                                                                                       \
    REAL(vx, FALL_CIRCLES, STATE)                                                                                      \
    REAL(vy, FALL_CIRCLES, STATE)                                                                                      \
    REAL(wait, 1, STATE)                                                                                               \
    REAL(at, 2, STATE)                                                                                                 \
    REAL(past_age, FALL_PASTS, STATE)                                                                                  \
    REAL(past_x, FALL_PASTS, STATE)                                                                                    \
    REAL(past_y, FALL_PASTS, STATE)                                                                                    \
    INT8(who, 3, STATE)                                                                                                \
    INT8(pasts, 1, STATE)                                                                                              \
    INT8(past_a, FALL_PASTS, STATE)                                                                                    \
    INT8(past_b, FALL_PASTS, STATE)

#endif
