/* SPDX-License-Identifier: MIT
 * Planners on the command line: see plan.h.
 */
#include "plan.h"
#include "../command/command.h"

#include <string.h>

plan_options carom_plan_parse(const carom_game *game, const char *text)
{
    plan_options made;
    carom_problem problem = {""};
    if (carom_plan_read(game, text, &made, &problem) != CAROM_OK) {
        carom_die("%s (see carom bot --help)", problem.text);
    }
    return made;
}

void carom_plan_allow(const plan_options *options, const void *set)
{
    if (options->precision == CAROM_F32 && set != NULL) {
        carom_die("precision=f32: the game must have its default options, not --set");
    }
}

static void print_weights(const char *game)
{
    size_t count;
    const carom_value_weight *weights = carom_plan_weights(carom_game_find(game), &count);
    printf("\nweights of %s\n", game);
    for (size_t k = 0; k < count; k++) {
        printf("  %-14s %-5g %s\n", weights[k].name, weights[k].weight, weights[k].meaning);
    }
}

void carom_plan_help(void)
{
    const char *meaning, *key;
    puts("\nkeys of PLANNER:KEYS, also as a side of carom arena (--a carom:cem:rollouts=1000,horizon=8)");
    for (size_t k = 0; (key = carom_player_key(k, &meaning)) != NULL; k++) {
        carom_print_row(key, meaning);
    }
    print_weights("csb");
    print_weights("fantastic_bits");
    print_weights("soccer");
    print_weights("stones");
}

carom_player *carom_planner_create(const carom_worlds *worlds, const plan_options *options, unsigned player)
{
    carom_player *made;
    carom_problem problem = {""};
    const carom_status status = carom_plan_player(worlds, options, player, &made, &problem);
    if (status != CAROM_OK) {
        carom_die("%s", problem.text[0] != '\0' ? problem.text : carom_status_string(status));
    }
    return made;
}

void carom_planner_act(carom_player *asked, carom_worlds *worlds, void *actions, size_t stride)
{
    const carom_status status = carom_player_act(asked, worlds, actions, stride);
    if (status != CAROM_ERROR_CANCELLED) {
        carom_demand(status, "search");
    }
}
