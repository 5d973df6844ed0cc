/* SPDX-License-Identifier: MIT
 * What a world of stones holds.
 */
#ifndef CAROM_GAMES_STONES_STATE_H
#define CAROM_GAMES_STONES_STATE_H

#define STONES_MAX 32

/* Fields as (name, count, role); include/carom/stones.h gives their meaning and units. course_cos and course_sin are
 * derived from course and kept beside it. */
#define STONES_FIELDS(REAL, INT32, INT16, INT8)                                                                        \
    REAL(px, STONES_MAX, STATE)                                                                                        \
    REAL(py, STONES_MAX, STATE)                                                                                        \
    REAL(radius, STONES_MAX, PARAMETER)                                                                                \
    REAL(power, STONES_MAX, PARAMETER)                                                                                 \
    REAL(friction, STONES_MAX, PARAMETER)                                                                              \
    REAL(speed, STONES_MAX, STATE)                                                                                     \
    REAL(course, STONES_MAX, STATE)                                                                                    \
    REAL(unused, STONES_MAX, STATE)                                                                                    \
    REAL(curve, STONES_MAX, STATE)                                                                                     \
    REAL(shot_course, STONES_MAX, STATE)                                                                               \
    REAL(origin_x, STONES_MAX, STATE)                                                                                  \
    REAL(origin_y, STONES_MAX, STATE)                                                                                  \
    REAL(shot_distance, STONES_MAX, STATE)                                                                             \
    REAL(shot_traveled, STONES_MAX, STATE)                                                                             \
    REAL(next_x, STONES_MAX, STATE)                                                                                    \
    REAL(next_y, STONES_MAX, STATE)                                                                                    \
    REAL(course_cos, STONES_MAX, DERIVED)                                                                              \
    REAL(course_sin, STONES_MAX, DERIVED)                                                                              \
    INT8(shot, STONES_MAX, STATE)                                                                                      \
    INT8(in_play, STONES_MAX, STATE)                                                                                   \
    INT8(sweeps, 1, STATE)                                                                                             \
    INT8(winner, 1, STATE)

#endif
