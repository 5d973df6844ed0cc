/* SPDX-License-Identifier: MIT
 * What a world of fantastic_bits holds.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_STATE_H
#define CAROM_GAMES_FANTASTIC_BITS_STATE_H

#define FB_BODIES 13
#define FB_WIZARDS 4
#define FB_SNAFFLES 7
#define FB_BLUDGERS 2
#define FB_SPELLS 4

/* Fields as (name, count, role); include/carom/fantastic_bits.h gives their meaning. */
#define FB_FIELDS(REAL, INT32, INT16, INT8)                                                                            \
    REAL(x, FB_BODIES, STATE)                                                                                          \
    REAL(y, FB_BODIES, STATE)                                                                                          \
    REAL(vx, FB_BODIES, STATE)                                                                                         \
    REAL(vy, FB_BODIES, STATE)                                                                                         \
    INT8(hold, FB_WIZARDS, STATE)                                                                                      \
    INT8(wait, FB_WIZARDS, STATE)                                                                                      \
    INT8(countdown, FB_WIZARDS *FB_SPELLS, STATE)                                                                      \
    INT8(target, FB_WIZARDS *FB_SPELLS, STATE)                                                                         \
    INT8(cast, FB_WIZARDS, STATE)                                                                                      \
    INT8(cast_target, FB_WIZARDS, STATE)                                                                               \
    INT8(alive, FB_SNAFFLES, STATE)                                                                                    \
    INT8(ignores, FB_SNAFFLES, STATE)                                                                                  \
    INT8(last, FB_BLUDGERS, STATE)                                                                                     \
    INT8(score, 2, STATE)                                                                                              \
    INT8(mana, 2, STATE)                                                                                               \
    INT8(winner, 1, STATE)                                                                                             \
    INT8(snaffles, 1, PARAMETER)

#endif
