/* SPDX-License-Identifier: MIT
 * What a world of csb holds.
 */
#ifndef CAROM_GAMES_CSB_STATE_H
#define CAROM_GAMES_CSB_STATE_H

#define CSB_PODS 4

/* (name, count, role). cx, cy: the pod's next checkpoint, kept beside it so that a tick looks nothing up. */
#define CSB_FIELDS(REAL, INT32, INT16, INT8)                                                                           \
    REAL(x, CSB_PODS, STATE)                                                                                           \
    REAL(y, CSB_PODS, STATE)                                                                                           \
    REAL(vx, CSB_PODS, STATE)                                                                                          \
    REAL(vy, CSB_PODS, STATE)                                                                                          \
    REAL(angle, CSB_PODS, STATE)                                                                                       \
    REAL(cx, CSB_PODS, DERIVED)                                                                                        \
    REAL(cy, CSB_PODS, DERIVED)                                                                                        \
    INT32(map, 1, PARAMETER)                                                                                           \
    INT16(next, CSB_PODS, STATE)                                                                                       \
    INT16(timeout, 2, STATE)                                                                                           \
    INT8(shield, CSB_PODS, STATE)                                                                                      \
    INT8(boosted, CSB_PODS, STATE)                                                                                     \
    INT8(won, CSB_PODS, STATE)                                                                                         \
    INT8(winner, 1, STATE)

#endif
