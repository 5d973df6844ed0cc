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
    static const char *const csb[] = {
        "progress of the own runner, in checkpoints; the runner is the pod ahead, the guard the other",
        "its speed towards its checkpoint, in 1000 units a turn",
        "does it look at its checkpoint: -1 to 1",
        "progress of the guard",
        "progress of the other side's runner, the rival",
        "how near the guard is to the rival's checkpoint: 1 there, 0 at 16000 units",
        "how near it is to the rival",
        "does it look at the rival: -1 to 1",
        "1 if the game is won, -1 if it is lost",
        "how near the other side's guard is to the own runner's checkpoint",
        "how near it is to the own runner"};
    static const char *const fantastic_bits[] = {
        "how much nearer to the other's goal than to one's own the snaffles are in two ticks, in fields",
        "distance then of each wizard to a snaffle of its own, in 16000 units, summed",
        "the snaffles' speed towards the other's goal, in 1000 units a turn, summed",
        "own wizards that hold a snaffle, less the other's",
        "own mana, in 100",
        "a bludger within 2000 units of a wizard: 1 if it touches, 0 at that distance",
        "the snaffle nearest to one's own goal, in fields",
        "distance of the other's wizards to snaffles of their own, as `near`",
        "whose wizard is nearer to a snaffle then: -1 to 1, summed",
        "1 if the own wizards are nearer then to as many snaffles as win, -1 if the other's are"};
    static const char *const soccer[] = {"the ball's place towards the other's goal, in lengths of the field",
                                         "its speed towards it, in the speed of a kick",
                                         "distance of the own robot nearest to the ball, in lengths",
                                         "distance of the other's robot nearest to it",
                                         "1 if an own robot dribbles the ball, -1 if one of the other's does",
                                         "is that robot behind the ball, seen from the other's goal: -1 to 1"};
    static const char *const stones[] = {"own stones in play, less the other's",
                                         "the other's stones that roll out of the ring, less own ones",
                                         "how far out the other's stones come to rest, less how far own ones do"};
    const char *const *about = strcmp(game, "csb") == 0      ? csb
                               : strcmp(game, "soccer") == 0 ? soccer
                               : strcmp(game, "stones") == 0 ? stones
                                                             : fantastic_bits;
    printf("\nweights of %s\n", game);
    for (size_t k = 0; k < count; k++) {
        printf("  %-14s %-5g %s\n", weights[k].name, weights[k].weight, about[k]);
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
