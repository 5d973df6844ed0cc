/* SPDX-License-Identifier: MIT
 * A side that searches: what is asked of a planner as text, "cem:rollouts=4096,horizon=8", what a state is worth to it,
 * and its commands. A bot is one of these in one world; in the arena it plays many worlds side by side.
 */
#ifndef CAROM_TOOLS_BOT_PLAN_H
#define CAROM_TOOLS_BOT_PLAN_H

#include "protocol.h"

#include <carom/search.h>

#define PLAN_WEIGHTS 12
#define PLAN_CANDIDATES 8

/* What a state at the horizon is worth is a sum of features, times these weights. */
typedef struct plan_weight {
    const char *name; /* the key that sets it */
    double value;     /* by default */
} plan_weight;

/* The weights of csb or fantastic_bits, `count` at most PLAN_WEIGHTS; other games have none. */
const plan_weight *carom_plan_weights(const char *game, size_t *count);

typedef struct plan_options {
    carom_search_desc search; /* of its candidates only the count */
    carom_candidate candidates[PLAN_CANDIDATES];
    bool other_by_budget;      /* the other side is taken to do what pays best with the budget */
    bool own_value;            /* the game's final value instead of the weights */
    carom_precision precision; /* to search in; f32: only where the game has its default options */
    double weights[PLAN_WEIGHTS];
} plan_options;

/* What is played where nothing else is said; strong in a bot's time. */
plan_options carom_plan_default(const carom_game *game);

/* Reads "PLANNER" or "PLANNER:key=value,..." (shooting, cem, genetic or mppi); dies if it cannot. */
plan_options carom_plan_parse(const carom_game *game, const char *text);

/* Dies if the plan is not one for a game with these options (NULL: the defaults): in f32 it needs the defaults. */
void carom_plan_allow(const plan_options *options, const void *set);

/* Is the text, up to a colon, a planner's name? */
bool carom_plan_is_planner(const char *text);

/* The keys of a planner, and the weights of both games. */
void carom_plan_help(void);

typedef struct planner planner;

/* For player `player` of all worlds of a batch like `worlds`, and for no others. Dies if the options do not fit. */
planner *carom_planner_create(const carom_worlds *worlds, const plan_options *options, unsigned player);
void carom_planner_destroy(planner *made); /* NULL is allowed */

/* So many milliseconds, above 0, for each of the searches that follow, instead of the options' budget. */
void carom_planner_set_time(planner *asked, double milliseconds);

/* Searches, and gives for each world what the player says: lines[world][PROTOCOL_LINES][PROTOCOL_LINE]. The worlds are
 * as before afterwards. lines is NULL of games without a protocol. */
void carom_planner_think(planner *asked, carom_worlds *worlds, char (*lines)[PROTOCOL_LINES][PROTOCOL_LINE]);

/* What the last search found, as actions of the kind `normalised`: [world][number]. */
const float *carom_planner_numbers(const planner *asked);

/* Its search, to be looked at. */
carom_search *carom_planner_search(const planner *asked);

/* Of the last search; there must have been one. */
carom_search_report carom_planner_last(const planner *asked);

/* The longest time in milliseconds that it stood still, as other programs had the core: by how much one of its
 * generations took longer than at the pace of its fastest. */
double carom_planner_pause(const planner *asked);

/* What the plan of world 0 is worth, as far as it was looked. */
double carom_planner_value(const planner *asked);

#endif
