/* SPDX-License-Identifier: MIT
 * A bot for Coders Strike Back in ten lines of search: player 0 plans by the cross-entropy method against the driver
 * `race`, which reacts in its rollouts, in sixteen games at once. Prints the winners; fails unless the bot won most
 * games. csb_search N: N games, at most sixteen.
 */
#include <stdio.h>
#include <stdlib.h>

#include <carom/carom.h>

#define GAMES 16

int main(int argc, char **argv)
{
    const int count = argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) < GAMES ? atoi(argv[1]) : GAMES;
    const carom_game *csb = carom_game_find("csb");
    float actions[GAMES][4];
    size_t race, field, normalised;
    carom_game_find_policy(csb, "race", &race);
    carom_game_find_action_kind(csb, "normalised", &normalised);

    carom_worlds_desc batch = carom_worlds_desc_default(csb);
    batch.count = (size_t)count;
    batch.at_end = CAROM_FREEZE;
    carom_worlds *games;
    if (carom_worlds_create(&batch, &games) != CAROM_OK) {
        return 2;
    }

    carom_search_desc desc = carom_search_desc_default(csb); /* plans for player 0 */
    desc.rollouts = 512;                                     /* per turn and game; or set desc.milliseconds */
    desc.other = CAROM_OTHER_POLICY;
    desc.policy = race;
    carom_search *search;
    if (carom_search_create(games, &desc, &search) != CAROM_OK) {
        return 2;
    }

    carom_step step = carom_step_default();
    step.action_kind = normalised;
    step.actions = actions;
    step.players[1].source = CAROM_POLICY;
    step.players[1].policy = race;
    for (int turn = 0; turn < 500; turn++) {
        carom_search_run(search, games); /* every turn starts from the last one's plans */
        carom_search_actions(search, 0, actions);
        carom_worlds_play(games, &step);
    }

    int8_t winner[GAMES];
    int won = 0, lost = 0;
    carom_worlds_find_field(games, "winner", &field);
    carom_worlds_get(games, field, 0, (size_t)count, winner);
    for (int game = 0; game < count; game++) {
        won += winner[game] == 0;
        lost += winner[game] == 1;
    }
    printf("%d games: %d won, %d lost against `race`\n", count, won, lost);
    carom_search_destroy(search);
    carom_worlds_destroy(games);
    return won <= count / 2;
}
