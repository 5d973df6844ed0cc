/* SPDX-License-Identifier: MIT
 * A planner as a player: its options as text, "cem:rollouts=4096,horizon=8", its value of states, and its actions.
 */
#ifndef CAROM_PLAYERS_PLAN_H
#define CAROM_PLAYERS_PLAN_H

#include <carom/player.h>

#define PLAN_TEXT 1024 /* bytes of the longest text */
#define PLAN_WEIGHTS 32
#define PLAN_CANDIDATES 8
#define PLAN_NUMBERS 2000 /* of the longest plan of fantastic_bits */

/* In carom_search_desc.cut_after: half the horizon, when that is known. */
#define CUT_BY_HORIZON SIZE_MAX

typedef struct plan_options {
    carom_search_desc search; /* only the count of its candidates */
    carom_candidate candidates[PLAN_CANDIDATES];
    bool other_by_budget;                        /* assume of the other side what pays best with the budget */
    carom_precision precision;                   /* of the search; f32 requires the game's default options */
    float low[PLAN_NUMBERS], high[PLAN_NUMBERS]; /* bounds of a plan, in fantastic_bits */
    double weights[PLAN_WEIGHTS];                /* of search.value_kind, unless that is 0 */
    char network[PLAN_TEXT];                     /* the file of search.network; "": none */
    bool asks_policy;                            /* does not search: follows the policy of that network */
    bool network_weighed;                        /* its weight is given; default: 1 if the network has a value */
    bool network_planned; /* whether plans start from its policy's is given; default: if it has one */
} plan_options;

/* Whether the planner reads a network's file, and whether it uses a network: that of a single file is part of it. See
 * search_has_network(). */
#ifdef CAROM_NO_NETWORKS
#define plan_has_network(options) 0
#define plan_uses_network(options) CAROM_ONE_NETWORK
#else
#define plan_has_network(options) ((options)->network[0] != '\0')
#define plan_uses_network plan_has_network
#endif

/* A player's text after parsing: a source, and its policy or plan. */
typedef struct player_text {
    carom_source source; /* CAROM_POLICY, CAROM_ZERO, or CAROM_GIVEN: it plans */
    size_t policy;
    plan_options plan;
} player_text;

/* ---- plan.c ---- */

/* The default kind of value of a planner of this game. 0: the game's own. */
size_t carom_plan_value(const carom_game *game);

/* Its weights, by name, *count at most PLAN_WEIGHTS; NULL: the game's own value has none. */
const carom_value_weight *carom_plan_weights(const carom_game *game, size_t *count);

/* The default horizon, in ticks. */
size_t carom_plan_horizon(const carom_game *game);

/* The default options of a planner: strong within a bot's time. */
plan_options carom_plan_default(const carom_game *game);

/* The search of such a planner for seat `seat`; the budget sets what is left open. It points into *options. */
carom_search_desc carom_plan_search(const plan_options *options, const carom_game *game, unsigned seat);

/* A planner for seat `seat`, as carom_player_create() makes it. */
carom_status carom_plan_player(const carom_worlds *worlds, const plan_options *options, unsigned seat,
                               carom_player **player, carom_problem *problem);

/* carom_player_act() of a planner, and of a policy of a network. */
carom_status carom_plan_act(carom_player *player, carom_worlds *worlds, void *actions, size_t stride);

/* ---- network.c ---- */

/* Reads the network of a planner and sets which of its heads are used. The caller frees *network; NULL after an
 * error. */
carom_status carom_plan_open_network(const carom_game *game, const plan_options *options, carom_search_desc *search,
                                     carom_network **network, carom_problem *problem);

/* Whether the planner can use its network. */
carom_status carom_plan_check_network(const carom_game *game, const plan_options *options, carom_problem *problem);

/* Allocates the memory in which a player evaluates its policy; false if out of memory. */
bool carom_policy_take(carom_player *made, const carom_worlds *worlds);

/* Evaluates the policy, and writes the player's actions to its rows. */
carom_status carom_policy_act(carom_player *player, carom_worlds *worlds, unsigned char *actions, size_t stride);
void carom_policy_release(carom_player *player);

/* ---- player.c ---- */

/* Parses the text of any player. */
carom_status carom_player_parse(const carom_game *game, const char *text, player_text *made, carom_problem *problem);

/* The kind of action in which players act: `referee` if the game's bots write that, else `normalised`. */
size_t carom_player_kind(const carom_game *game);

/* ---- text.c ---- */

/* Whether the text, up to a colon, is a planner's name or "network". */
bool carom_plan_is_planner(const char *text);

/* Reads "network:FILE", "PLANNER", "PLANNER:ROLLOUTS", "PLANNER:key=value,..." or "PLANNER:ROLLOUTS,key=value,...". */
carom_status carom_plan_read(const carom_game *game, const char *text, plan_options *made, carom_problem *problem);

#endif
