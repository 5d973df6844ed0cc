/* SPDX-License-Identifier: MIT
 * Players: created from a text, they take a seat in a game. The same text is the same player, bit for bit, everywhere:
 * in C, in Python, in `carom arena`, in the viewer and as a bot.
 *
 *     carom_player *rival;
 *     carom_problem problem;
 *     carom_player_create(worlds, 1, "cem:1000", &rival, &problem);
 *     for (every turn) {
 *         carom_step step = carom_step_default();
 *         ... what player 0 does ...
 *         carom_player_take(rival, worlds, &step);
 *         carom_worlds_play(worlds, &step);
 *     }
 *     carom_player_destroy(rival);
 *
 * The texts:
 *     "race"                    a built-in policy, by its name
 *     "zero"                    every number of its actions is 0
 *     "network:FILE"            the policy of a network (network.h), evaluated once a turn for all agents
 *     "cem:1000"                a planner: shooting, cem, genetic or mppi (search.h), with its rollouts a turn
 *     "cem:rollouts=1000,horizon=8"
 *                               the same with keys: carom_player_key() lists them. Others have defaults by game and
 *                               budget, chosen by measurement (docs/notes/search.md)
 *
 * A planner searches from all worlds of a batch at once. With a budget in rollouts world i gets the same plan as in a
 * batch of its own that plays the same turns. Plans are kept from turn to turn; a new game starts with new ones.
 *
 * Only one call at a time may use a player.
 */
#ifndef CAROM_PLAYER_H
#define CAROM_PLAYER_H

#include <carom/search.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_player carom_player;

/* Whether the text names a player of the game; if not, *problem (may be NULL) says why.
 *     CAROM_ERROR_ARGUMENT      NULL, or the text is wrong
 *     others                    for a network's file: as carom_network_load() */
CAROM_API carom_status carom_player_check(const carom_game *game, const char *text, carom_problem *problem);

/* Creates a player for seat `seat` in batches like `worlds`: of the same game, options, precision and number of worlds.
 * worlds is not kept. Free *player with carom_player_destroy(); it is NULL after an error, and *problem (may be NULL)
 * says what is wrong.
 *     CAROM_ERROR_ARGUMENT      NULL, no such seat, the text is wrong, or nobody acts in the game
 *     CAROM_ERROR_VALUE         a weight or parameter that searches do not take
 *     CAROM_ERROR_FORMAT        a file that is no network
 *     CAROM_ERROR_UNSUPPORTED   a planner or a network for a batch on a device, or precision=f32 where the game's
 *                               options are not its defaults */
CAROM_API carom_status carom_player_create(const carom_worlds *worlds, unsigned seat, const char *text,
                                           carom_player **player, carom_problem *problem);
CAROM_API void carom_player_destroy(carom_player *player); /* NULL is allowed */

/* The kind of action in which it acts: `referee` in csb and fantastic_bits, with the numbers that a bot would write;
 * elsewhere `normalised`. */
CAROM_API size_t carom_player_action_kind(const carom_player *player);

/* Its next action in every world: numbers of that kind, for world w at actions + w * stride bytes. stride 0: one world
 * after the other. The worlds do not change.
 *     CAROM_ERROR_ARGUMENT      NULL, or the worlds do not match those that it was created for
 *     CAROM_ERROR_CANCELLED     the actions are those of the best plans so far */
CAROM_API carom_status carom_player_act(carom_player *player, carom_worlds *worlds, void *actions, size_t stride);

/* Takes its seat in a step of these worlds: sets step->players[seat]. A policy then acts before every tick, as always;
 * a planner searches now, and holds its action for the whole step of step->repeat ticks. Play this step, by
 * carom_worlds_play() or carom_recorder_play(), before the next call for this player. step->cancel, if it is not NULL,
 * also stops the search; then the step does not change.
 *     CAROM_ERROR_ARGUMENT      as above; or, for a planner, a step with more than one tick, with `rows` or `played` */
CAROM_API carom_status carom_player_take(carom_player *player, carom_worlds *worlds, carom_step *step);

/* Makes it plan and draw as if it were new: after a reset of all worlds the same games follow. */
CAROM_API carom_status carom_player_forget(carom_player *player);

/* A planner's search, to read it and for carom_search_set_budget(); it belongs to the player. NULL for other
 * players. */
CAROM_API carom_search *carom_player_search(carom_player *player);

/* A game's ladder: texts of players from the weakest to the strongest, each of which beats the one before it in 70% to
 * 95% of its games (docs/strength.md). Returns the number of rungs, 0 if the game has no ladder. *names (may be NULL)
 * belongs to the library. */
CAROM_API size_t carom_ladder(const carom_game *game, const char *const **names);

/* The keys of planners, "rollouts", ..., and what each means (*meaning may be NULL); NULL after the last. The weights
 * of a value (carom_game_value_weight()) are keys, too. */
CAROM_API const char *carom_player_key(size_t index, const char **meaning);

#ifdef __cplusplus
}
#endif
#endif
