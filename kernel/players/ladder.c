/* SPDX-License-Identifier: MIT
 * The ladders: sides of each game from the weakest to the strongest. The rungs were chosen by measurement: each beats
 * the one below in 70% to 95% of 200 games (bench/strength plays them; docs/strength.md).
 */
#include "games/game.h"
#include "players/players.h"

static const char *const csb[] = {"race", "drive", "cem:300", "cem:600", "cem:1500", "cem:4096"};
static const char *const fantastic_bits[] = {"striker", "cem:20", "cem:48", "cem:120", "cem:300"};
static const char *const soccer[] = {"random", "striker", "cem:8,horizon=24,hold=12", "cem:64"};
static const char *const stones[] = {"strike", "cem:4", "cem:32", "cem:256"};

#define LADDER(game) {&carom_game_##game, game, sizeof game / sizeof game[0]}
static const struct ladder {
    const carom_game *game;
    const char *const *names;
    size_t count;
} ladders[] = {LADDER(csb), LADDER(fantastic_bits), LADDER(soccer), LADDER(stones)};

size_t carom_ladder(const carom_game *game, const char *const **names)
{
    for (size_t k = 0; k < sizeof ladders / sizeof ladders[0]; k++) {
        if (ladders[k].game == game) {
            if (names != NULL) {
                *names = ladders[k].names;
            }
            return ladders[k].count;
        }
    }
    if (names != NULL) {
        *names = NULL;
    }
    return 0;
}
