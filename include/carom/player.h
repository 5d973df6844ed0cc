/* SPDX-License-Identifier: MIT
 * Players: what takes a seat of a game, made from a text. The same text is the same player, bit for bit, wherever it
 * plays: in C, in Python, in `carom arena`, in the viewer and as a bot.
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
 * A text is one of these:
 *     "race"                    a built-in policy, by its name
 *     "zero"                    every number is 0
 *     "network:FILE"            what the policy of a network says (network.h), one call a turn for all agents
 *     "cem:1000"                a planner: shooting, cem, genetic or mppi (search.h), with so many rollouts a turn
 *     "cem:rollouts=1000,horizon=8"
 *                               the same with keys: carom_player_key() lists them. What is not said follows from the
 *                               game and the budget: what has been found to pay there (docs/search.md)
 *
 * A planner searches from all worlds of a batch at once. With a budget in rollouts world i gets the plan that it gets
 * alone, in a batch of one world that plays the same turns. Plans are remembered from turn to turn, and begin anew
 * with a new game.
 *
 * A player is used by one call at a time.
 */
#ifndef CAROM_PLAYER_H
#define CAROM_PLAYER_H

#include <carom/search.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_player carom_player;

/* Can the text take a seat of the game? *problem (may be NULL) gets what is wrong.
 *     CAROM_ERROR_ARGUMENT      NULL, or the text is wrong
 *     others                    of a network's file: as of carom_network_load() */
CAROM_API carom_status carom_player_check(const carom_game *game, const char *text, carom_problem *problem);

/* A player for seat `seat` of all worlds of a batch like `worlds`: of the same game, options, precision and number of
 * worlds. worlds is not kept. *player is the caller's, to be freed by carom_player_destroy(); NULL after an error, of
 * which *problem (may be NULL) tells what is wrong.
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

/* What it does next in every world: numbers of that kind, those of world w at actions + w * stride bytes. stride 0: one
 * world after the other. The worlds are as before afterwards.
 *     CAROM_ERROR_ARGUMENT      NULL, or the worlds are not such as it was made for
 *     CAROM_ERROR_CANCELLED     the actions are those of the best plans so far */
CAROM_API carom_status carom_player_act(carom_player *player, carom_worlds *worlds, void *actions, size_t stride);

/* Takes its seat in a step of these worlds: sets step->players[seat]. A policy then acts before every tick, as always;
 * a planner searches now, and its action is held for the whole step, for step->repeat ticks. The step must be played
 * before the next call for this player, and by carom_worlds_play() or carom_replay_record(), with all that it was
 * given. step->cancel, if it is not NULL, stops the search, too; then the step stays as it is.
 *     CAROM_ERROR_ARGUMENT      as above; or, of a planner, a step with more ticks than one, with `rows` or `played` */
CAROM_API carom_status carom_player_take(carom_player *player, carom_worlds *worlds, carom_step *step);

/* It forgets its plans and draws as if it were new: after a reset of all worlds the same games follow. */
CAROM_API carom_status carom_player_forget(carom_player *player);

/* The search of a planner, to be looked at, and for carom_search_set_budget(); NULL of any other. The player's own. */
CAROM_API carom_search *carom_player_search(carom_player *player);

/* A game's ladder: texts of players from the weakest to the strongest, each of which beats the one before it in 70% to
 * 95% of its games (docs/search.md). *names (may be NULL) is the library's; NULL where the game has no ladder, whose
 * number of rungs is 0. */
CAROM_API size_t carom_ladder(const carom_game *game, const char *const **names);

/* The keys of planners, "rollouts", ...; NULL after the last. *meaning (may be NULL): what each is. Weights of a value
 * (carom_game_value_weight()) are keys, too. */
CAROM_API const char *carom_player_key(size_t index, const char **meaning);

#ifdef __cplusplus
}
#endif
#endif
