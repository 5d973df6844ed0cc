/* SPDX-License-Identifier: MIT
 * The game "stones": the stones of King of War, pushed on a plane without walls. A stone that is hit leaves along the
 * line between the two; the angle of approach decides how they share the speed. In f64 it is the published plugin, bit
 * for bit (as_shipped), or the article that describes it (as_described).
 *
 * Up to CAROM_STONES_MAX stones per world, in an order that decides ties. Stone i belongs to player i mod 2. Units:
 * positions in pixels (y points down), speeds in pixels a tick, angles in radians (0 = +x, positive towards +y).
 *
 * Fields (in addition to those of worlds.h), one element per stone unless said otherwise
 *     px, py             the corner of the stone's bounding box: its centre is (px + radius, py + radius)
 *     radius, power, friction   parameters; friction is what is left of the speed after a tick
 *     speed, course      of the motion
 *     unused             share of the tick; -1 before the first. A stone that has moved ends a tick with 0
 *     shot               int8: 1 while the stone follows the path of a push; then
 *     curve, shot_course, origin_x, origin_y, shot_distance, shot_traveled   describe that path: how much it bends, its
 *                        direction, origin and length, and how far the stone has come; and
 *     next_x, next_y     is the point of the path that was computed last, where the stone goes next
 *     in_play            int8: 0 once the stone has left the ring; it then takes part in nothing
 *     sweeps             int8, one per world: sweeps of the last tick, 1 to 10
 *     winner             int8, one per world: -1 undecided or a draw, else the player
 *     course_cos, course_sin   derived
 * Positions, speeds and path points stay within 2^26 (f64) or 2^17 (f32) of 0: a world that leaves that range has
 * CAROM_FAULT_RANGE. Radius is in (0, 2^16], power in [2^-10, 2^10], friction in [2^-10, 1 - 2^-20], |course| and
 * |shot_course| at most 2^19, |curve| at most 2^10; only stones below carom_stones_options.stones may be in play.
 *
 * A tick. Stones are pushed, then up to ten sweeps look for hits: a sweep goes through the stones in their order, and
 * the first one in motion that would hit another in what is left of the tick hits the one nearest to it (the first of
 * equals) or, if a third stone is in the way, that one. If hits are left after ten sweeps, those stones pass through
 * each other: that is a rule, not a fault. Then all stones move.
 *
 * Exactness. In f64 every number is the plugin's to the last bit, except what depends on pow: shot_distance (TRAVEL's
 * friction^(n + 1)) agrees within a relative 1e-12, and so do the numbers of a stone on the path of a push (px, py,
 * course, next_x, next_y) and of what it hits, unless a decision depends on the last bit. No known recording shows such
 * a difference. f32 is a variant: sine, cosine and angles are those of single precision in simd/elementary.h, and
 * friction^(n + 1) is STOP_SPEED / speed * friction, which it equals up to rounding.
 *
 * as_described differs only in this: the stone that is hit leaves in the faster stone's original course; the faster one
 * leaves along the tangent (across the line of centres); the speed that the angle takes from the faster is added to the
 * slower, all of it in a head-on hit, where the striker stops (power scales it, as shipped); both keep the share of the
 * tick that is left; a hit at any 0 <= t <= 1 counts; and both may lose speed in it (options.loss).
 *
 * Action kinds: numbers per player
 *     "push"         4 doubles: (stone, course, speed, curve). Only an own stone that is in play and at rest is pushed.
 *     "engine"       64 doubles: 16 times (stone, course, speed, curve), any stone in play, in motion or not, in this
 *                    order and player 0's first: the plugin's own calls.
 *     "normalised"   4 floats (a0, a1, a2, a3) in [-1, 1] (clamped; NaN counts as 0): of the m own stones in play and
 *                    at rest number min(trunc((a0 + 1) / 2 * m), m - 1), with course a1 * pi, speed max(a2, 0) * 40
 *                    and curve a3.
 * Speeds are limited to 40. Nothing is pushed if `stone` is not the number of a stone that may be pushed, speed is
 * below 2^-30, |course| exceeds 2^19 or |curve| 2^10, a number is NaN, or the path has no points: if its length is so
 * near 0 that speed / shot_distance * pi exceeds 2^19 (a speed a little below 0.01).
 *
 * Ends. With a ring (options.ring > 0), stones whose centre is farther than that from (0, 0) after a tick are out of
 * play. A player whose last stone goes out has lost (a draw if both do): terminated. After options.ticks ticks the game
 * is truncated; the winner has more stones in play. goals of carom_counters counts stones that went out.
 * Reward of a player: the other's stones that went out in the tick minus its own; in the tick in which the game ends
 * plus 1 for the winner and minus 1 for the loser.
 * Final value of a rollout (rollout.h): `game`: own stones in play minus the other's. `match` is a weighted sum of
 * CAROM_STONES_VALUE_WEIGHTS features, which assume that stones come to rest after speed / (1 - friction) along their
 * course:
 *     stones     own stones in play minus the other's
 *     leaving    stones that would come to rest outside the ring: the other's minus the own
 *     edge       squared distances from the middle at which they would come to rest, in radii of the ring and at most 4
 *                each: the other's minus the own
 * At the start of a game the two sides are mirror images of each other, with places and powers (1 to 3) drawn for each
 * game; radius 20, friction 0.9.
 *
 * Observation, CAROM_STONES_OBSERVATION floats: for every stone, in order, CAROM_STONES_OBSERVATION_STONE numbers
 *     in play, 1 if own and -1 if not, x / 400, y / 400 of the centre, vx / 40, vy / 40, radius / 40, power / 3
 * (all 0 for one that is not in play), then tick / options.ticks.
 *
 * Recording: an event's `first` is the striker and its `second` the stone that was hit; `left` is how far the striker
 * had moved, with the sign bit set if it was pulled back to 0.95 of that because rounding made the two overlap. `moved`
 * holds px, py, speed and unused before the last step of a tick, when all stones move. carom_game_info.bodies is always
 * CAROM_STONES_MAX.
 */
#ifndef CAROM_STONES_H
#define CAROM_STONES_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_STONES_MAX 32
#define CAROM_STONES_PUSHES 16 /* of a player in one tick, in actions of the kind "engine" */
#define CAROM_STONES_OBSERVATION_STONE 8
#define CAROM_STONES_OBSERVATION 257
#define CAROM_STONES_VALUE_WEIGHTS 3

typedef enum carom_stones_rules { CAROM_STONES_AS_SHIPPED, CAROM_STONES_AS_DESCRIBED } carom_stones_rules;

typedef struct carom_stones_options {
    size_t size; /* sizeof(carom_stones_options), set by carom_stones_options_default() */
    carom_stones_rules rules;
    uint32_t stones; /* of a world: 1 .. CAROM_STONES_MAX; default 12 */
    uint32_t ticks;  /* limit of a game: 1 .. 2^24; default 200 */
    double ring;     /* its radius; 0: none. At most 2^16; with one there are two stones at least. Default 400 */
    double loss;     /* as_described: the share of speed that both lose in a hit, [0, 1); default 0 */
    bool check;      /* the plugin's collisionCheck after every tick: the first two stones whose corners are closer than
                        their radii reach have their courses set as in a hit. Default false */
} carom_stones_options;

CAROM_API carom_stones_options carom_stones_options_default(void);

#ifdef __cplusplus
}
#endif
#endif
