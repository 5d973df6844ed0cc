/* SPDX-License-Identifier: MIT
 * The built-in policies of soccer and stones in plain C, one world at a time: what those in lanes are tested against.
 */
#ifndef CAROM_TESTS_GAMES_POLICY_REFERENCE_H
#define CAROM_TESTS_GAMES_POLICY_REFERENCE_H

#include "tests/games/soccer/soccer_reference.h"
#include "tests/games/stones/stones_reference.h"

/* The policies by number, as the games name them. */
enum { SOCCER_REF_STRIKER, SOCCER_REF_RANDOM };
enum { STONES_REF_STRIKE, STONES_REF_RANDOM };

/* actions[player][11 robots][5]. */
void soccer_ref_policy(const soccer_ref_game *game, const soccer_ref_world *world, size_t policy, soccer_ref_kind kind,
                       float *actions);

/* A world of stones, as its policies see it. */
typedef struct stones_ref_seen {
    uint64_t seed, id;
    int32_t episode, tick;
    double px[CAROM_STONES_MAX], py[CAROM_STONES_MAX], radius[CAROM_STONES_MAX], speed[CAROM_STONES_MAX];
    int8_t in_play[CAROM_STONES_MAX];
} stones_ref_seen;

/* push: [2], stone -1 for none. places, counts: [2]; the stone's place among the player's that may be pushed, and how
 * many these are. */
void stones_ref_policy(const stones_ref_seen *world, size_t policy, stones_ref_push *push, int *places, int *counts);

#endif
