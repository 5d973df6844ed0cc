/* SPDX-License-Identifier: MIT
 * The surroundings of the loop of docs/search.md: 64 games of csb, a step, and the number of the policy `race`.
 */
#include <carom/carom.h>
/* directives */

int main(void)
{
    const carom_game *csb = carom_game_find("csb");
    carom_worlds_desc made = carom_worlds_desc_default(csb);
    made.count = 64;
    carom_worlds *worlds;
    size_t race;
    float actions[64 * 4];
    if (carom_worlds_create(&made, &worlds) != CAROM_OK || carom_game_find_policy(csb, "race", &race) != CAROM_OK) {
        return 1;
    }
    carom_step step = carom_step_default();
    step.players[0].actions = actions;
    step.players[1].source = CAROM_POLICY, step.players[1].policy = race;
    /* the rest */
    const carom_counters counters = carom_worlds_counters(worlds);
    carom_search_destroy(search);
    carom_worlds_destroy(worlds);
    return counters.ticks > 0 && counters.faults == 0 ? 0 : 1;
}
