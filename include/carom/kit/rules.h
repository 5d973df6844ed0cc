/* SPDX-License-Identifier: MIT
 * The words in which the rules of a game are written. A game is one source file:
 *
 *     #define RULES_NAME air_hockey ...         what the game is: see below
 *     #include <carom/kit/rules.h>
 *     ...                                       its rules: functions rules_...(), as tick/driver.h declares them
 *     #include <carom/kit/game.h>               last
 *
 * `carom-kit build game.c -o game.so` compiles it once for every instruction set and precision, and once for the host.
 * `carom-new-game NAME FOLDER` (scripts/new_game) writes a small game to begin with; examples/air_hockey/ is a whole
 * one.
 *
 * Which worlds stand in which lanes, how they are stored, frozen, ended, begun anew, forked and saved is the tick's;
 * rules read and write the fields of a world through get_x(w, i), set_x(w, i, a, kept) and, of one world, *at_x(w, i).
 * The pages to read are simd/lanes.h (lanes), simd/elementary.h (sines), base/random.h (draws), tick/state.h (fields),
 * tick/run.h (what a rule may ask of the tick), tick/driver.h (the order of a tick, and the rules to be defined),
 * toi/circles.h and toi/wall.h (times of impact) - all in this folder.
 *
 * Before this file a game defines
 *     RULES_NAME           its name, in small letters, digits and _
 *     RULES_TITLE          "its title"
 *     RULES_FIELDS         what a world holds, a macro of four macros (see WORLD_FIELD_TABLE() in worlds/type.h)
 *     RULES_PLAYERS        sides that act and are rewarded: 1 to 4
 *     RULES_BODIES         circles a world
 *     RULES_EVENTS         most impacts of a tick
 *     RULES_OBSERVATION    numbers that a player sees
 *     RULES_KINDS          number of kinds of action, 1 to 4
 *     RULES_ACTIONS(X)     the kinds, as X(name, F32 or F64, numbers of a player); one is `normalised`: F32, in [-1, 1]
 *     RULES_DRAWN          numbers of the kind `normalised`
 *     RULES_POLICIES(X)    the built-in policies, as X(name); at least one
 *     RULES_PLAY_WORKLIST, RULES_PLAY_ROUNDS or RULES_PLAY_OWN: see tick/driver.h
 *     rules_context        typedef: what all worlds of a batch share, read-only and without pointers
 * and if it likes
 *     RULES_COUNTS         "goals": what run_count_goals() counts
 *     RULES_AGENTS         bodies that a player acts with: what each of them gains (rules_settle_own() in
 *                          tick/driver.h) is the kind of reward `own`
 *     RULES_MIXED          rules_command() can be called with the kind TICK_MIXED: then it asks run_kind_of() and
 *                          run_numbers_of() for each player. Without it all players act with one kind in a step
 *     RULES_OPTIONS        what it leaves open, a macro of three macros: COUNT and NUMBER (uint32_t and double) of
 *                          (name, default, least, most, "meaning"), FLAG (uint32_t) of (name, default, "meaning").
 *                          They are the members of the structure rules_options, and options like those of any game:
 *                          for programs (carom_game_set_option()), `--set`, Python, replays. The game defines, in
 *                          `#if defined(CAROM_KIT_HOST)`, static void rules_prepare(const rules_options *options,
 *                          rules_context *context): fills the context, which is all 0, from options that are in their
 *                          ranges. Without it the context stays all 0.
 *     RULES_LOOK           a game_look (games/look.h), in `#if defined(CAROM_KIT_HOST)`: how a world is drawn. Without
 *                          it bodies are drawn by the fields x and y, if there are any
 *
 * Names. This kit owns all names that begin with carom_, CAROM_, kit_, KIT_; rules_, RULES_; run_, RUN_, tick_, TICK_,
 * world_, WORLD_, field_, state_, STATE_, see_, SEE_, number_, view_, value_, end_, verdict_, one_, ONE_, checked,
 * CHECKED, game_, GAME_, look_, LOOK_, worklist, rounds_, ROUNDS_, motion_, MOTION_, EACH_, TILE_; get_, set_, at_
 * before the name of a field; v_, V_, i_, I_, m_, fdlibm_, random_, RANDOM_, philox_, PHILOX_, hash_, HASH_, mix64;
 * circles_, equation_, root_, walls_, WALLS_ with toi/; real, REAL, LANES, vreal, vint, vmask. A game does well to give
 * its own names a prefix, too.
 *
 * A wrong number is refused. When a game is opened or adopted, some of its worlds are played with every number looked
 * at by which the rules name a part of what the tick holds: elements of fields, numbers of observations and actions,
 * players, rewards, rows of motions; all that a player sees must be set, and RULES_DRAWN be right. `carom check` plays
 * more worlds so. A number that is wrong only in states which these do not come to is not found.
 */
#ifndef CAROM_KIT_RULES_H
#define CAROM_KIT_RULES_H

#if !defined(RULES_NAME) || !defined(RULES_FIELDS)
#error "a game defines RULES_NAME, RULES_FIELDS and the others before it includes carom/kit/rules.h"
#endif

#if defined(RULES_OPTIONS)
#include <stddef.h>
#include <stdint.h>
#define KIT_COUNT_MEMBER(name, usual, least, most, meaning) uint32_t name;
#define KIT_FLAG_MEMBER(name, usual, meaning) uint32_t name;
#define KIT_NUMBER_MEMBER(name, usual, least, most, meaning) double name;
typedef struct rules_options {
    size_t size;
    RULES_OPTIONS(KIT_COUNT_MEMBER, KIT_FLAG_MEMBER, KIT_NUMBER_MEMBER)
} rules_options;
#endif

/* On the host's side one world is tried with every number looked at: see carom/kit/trial.h. */
#if defined(CAROM_KIT_HOST)
#define TILE_LANES 1
#include "carom/kit/checked.h"
#endif

#include "base/random.h"
#include "simd/elementary.h"
#include "simd/lanes.h"
#include "tick/run.h"
#include "tick/verdict.h"

#if defined(CAROM_KIT_HOST)
#include "games/look.h"
#include "tick/policy.h"

/* The policies, in f64 whatever the worlds' precision; a game defines it in `#if defined(CAROM_KIT_HOST)`, where it
 * sees the field x by see_x(w, i). It sets the numbers of `player` for policy number `policy`, in kind of action number
 * `kind`. */
static void rules_policy(const rules_context *context, see_world w, int player, unsigned policy, unsigned kind,
                         random_stream *draws, double *numbers);
#endif

#endif
