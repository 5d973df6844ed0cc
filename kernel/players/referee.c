/* SPDX-License-Identifier: MIT
 * Plans as a bot would write them: targets and powers are whole numbers, as contest sites require, and shields, boosts
 * and spells are words. So a planner plays the same everywhere.
 */
#include <carom/csb.h>
#include <carom/fantastic_bits.h>

#include <math.h>
#include <string.h>

#include "games/game.h"
#include "players/players.h"

void carom_player_read(const carom_worlds *worlds, size_t world, const char *name, void *values)
{
    size_t field = 0;
    (void)carom_worlds_find_field(worlds, name, &field);
    (void)carom_worlds_get(worlds, field, world, 1, values);
}

void carom_player_read_reals(const carom_worlds *worlds, size_t world, const char *name, double *values)
{
    if (worlds->desc.precision == CAROM_F64) {
        carom_player_read(worlds, world, name, values);
        return;
    }
    float singles[PLAYER_REALS] = {0};
    carom_player_read(worlds, world, name, singles);
    for (size_t k = 0; k < PLAYER_REALS; k++) {
        values[k] = (double)singles[k];
    }
}

/* ---- csb ---- */

void carom_csb_say(const carom_worlds *worlds, size_t world, unsigned seat, const float *action, double *numbers)
{
    const double most_turn = 0.31415926535897931, far = 100000;
    double x[PLAYER_REALS], y[PLAYER_REALS], angle[PLAYER_REALS];
    int8_t boosted[4];
    carom_player_read_reals(worlds, world, "x", x);
    carom_player_read_reals(worlds, world, "y", y);
    carom_player_read_reals(worlds, world, "angle", angle);
    carom_player_read(worlds, world, "boosted", boosted);

    for (size_t k = 0; k < 2; k++) {
        const size_t pod = 2 * (size_t)seat + k;
        const double to = angle[pod] + most_turn * fmin(fmax((double)action[2 * k], -1), 1);
        numbers[3 * k] = rint(x[pod] + far * cos(to));
        numbers[3 * k + 1] = rint(y[pod] + far * sin(to));
        numbers[3 * k + 2] = action[2 * k + 1] <= -0.95F ? CAROM_CSB_SHIELD
                             : action[2 * k + 1] >= 0.95F && boosted[pod] == 0
                                 ? CAROM_CSB_BOOST
                                 : rint(fmin(fmax(100 * ((double)action[2 * k + 1] + 1), 0), 200));
    }
}

/* ---- fantastic_bits ---- */

#define FB_SNAFFLE CAROM_FANTASTIC_BITS_SNAFFLE
#define FB_BLUDGER CAROM_FANTASTIC_BITS_BLUDGER

/* Whether this wizard may cast the spell (0 Obliviate, Petrificus, Accio, Flipendo) on that slot. */
static bool may_cast(int spell, int slot, unsigned seat, const int8_t *alive)
{
    const bool bludger = slot >= FB_BLUDGER, snaffle = slot >= FB_SNAFFLE && !bludger;
    return bludger || (spell > 0 && snaffle && alive[slot - FB_SNAFFLE] != 0) ||
           (spell % 2 == 1 && slot < FB_SNAFFLE && slot / 2 != (int)seat);
}

void carom_fantastic_bits_say(const carom_worlds *worlds, size_t world, unsigned seat, const float *action,
                              double *numbers)
{
    static const int costs[] = {5, 10, 20, 20};
    double x[PLAYER_REALS], y[PLAYER_REALS];
    int8_t hold[4], alive[7], mana[2], snaffles;
    carom_player_read_reals(worlds, world, "x", x);
    carom_player_read_reals(worlds, world, "y", y);
    carom_player_read(worlds, world, "hold", hold);
    carom_player_read(worlds, world, "alive", alive);
    carom_player_read(worlds, world, "mana", mana);
    carom_player_read(worlds, world, "snaffles", &snaffles);

    for (unsigned k = 0; k < 2; k++) {
        const unsigned wizard = 2 * seat + k;
        double a[5];
        for (int i = 0; i < 5; i++) {
            a[i] = fmin(fmax((double)action[5 * k + (unsigned)i], -1), 1);
        }
        const int spell = a[3] < 0.2 ? -1 : (int)fmin(floor((a[3] - 0.2) / 0.2), 3);
        const int slot = (int)fmin(floor((a[4] + 1) * 6.5), 12);
        double *to = numbers + (size_t)4 * k;
        to[2] = to[3] = 0;

        /* The second wizard has the mana that the first leaves. */
        if (spell >= 0 && mana[seat] >= costs[spell] && may_cast(spell, slot, seat, alive)) {
            mana[seat] = (int8_t)(mana[seat] - costs[spell]);
            to[0] = CAROM_FANTASTIC_BITS_OBLIVIATE + spell;
            to[1] = slot < FB_BLUDGER ? slot : slot - FB_BLUDGER + FB_SNAFFLE + snaffles;
        } else {
            const bool throws = hold[wizard] >= 0;
            to[0] = throws ? CAROM_FANTASTIC_BITS_THROW : CAROM_FANTASTIC_BITS_MOVE;
            to[1] = rint(x[wizard] + 10000 * a[0]) + 0.0;
            to[2] = rint(y[wizard] + 10000 * a[1]) + 0.0;
            to[3] = rint((a[2] + 1) * (throws ? 250 : 75));
        }
    }
}

/* ---- which game ---- */

referee_say *carom_referee_of(const carom_game *game)
{
    return game == &carom_game_csb              ? carom_csb_say
           : game == &carom_game_fantastic_bits ? carom_fantastic_bits_say
                                                : NULL;
}
