/* SPDX-License-Identifier: MIT
 * The game "csb": Coders Strike Back, as its published referee plays it, bit for bit in f64.
 *
 * A race of four pods (circles of radius 400), two per player: pods 0 and 1 are player 0's, 2 and 3 player 1's. Each
 * must pass the checkpoints in order. Units: positions in game units (a board is 16000 x 9000; y points down),
 * velocities in units per tick, angles in radians (0 = +x, positive towards +y), one tick = one turn.
 *
 * Fields (in addition to those of worlds.h)
 *     x, y, vx, vy   4 reals each, one per pod; whole numbers after every tick
 *     angle          4 reals, not normalised; within +-2^20
 *     next           4 x int16: index of the next checkpoint in the map's expanded list, 1 .. laps * n
 *     shield         4 x int8: 0..3, ticks until the engine works again
 *     boosted        4 x int8: 1 once the boost is used
 *     won            4 x int8: 1 once the pod has passed the last checkpoint
 *     timeout        2 x int16: ticks that a player has left to pass a checkpoint (from 100)
 *     winner         int8: -1 undecided or a draw, else the player
 *     map            int32: index into the batch's maps (parameter)
 * |x|, |y| stay within 2^26 and |vx|, |vy| within 2^27 (f64), or 2^17 and 2^18 (f32): a world that leaves that range
 * has CAROM_FAULT_RANGE. A tick of 64 sub-steps (more than 62 impacts: pods squeezed together) is CAROM_FAULT_EVENTS.
 *
 * Action kinds: numbers per player, first its lower pod's
 *     "relative"     4 floats: (turn, thrust) per pod. turn in radians is clamped to +-18 degrees (not on tick 0);
 *                    thrust is clamped to [0, 200], or CAROM_CSB_SHIELD, or CAROM_CSB_BOOST. NaN counts as 0.
 *     "referee"      6 doubles: (x, y, thrust) per pod: the target and the thrust, CAROM_CSB_SHIELD or CAROM_CSB_BOOST,
 *                    as a bot prints them. Whole numbers in the referee; any finite number here. A target that is not
 *                    finite counts as the pod's own position. Thrust above 200 or NaN: see carom_csb_rules.
 *     "normalised"   4 floats: (a0, a1) per pod in [-1, 1] (clamped; NaN counts as 0): turn = a0 * 18 degrees;
 *                    a1 <= -0.95: SHIELD; a1 >= 0.95 and boost unused: BOOST; else thrust = 100 * (a1 + 1). +-0.95 is
 *                    a number of the batch's precision: in f64 the float 0.95f is below it, so it gives a thrust.
 *     "normalised_full"  6 floats: (a0, a1, a2) per pod in [-1, 1] (clamped; NaN counts as 0), for everything that
 *                    a bot can do: turn = a0 * 18 degrees, on tick 0 a0 * 180 degrees; thrust = 100 * (a1 + 1), 0 to
 *                    200; a2 <= -0.5: SHIELD; a2 >= 0.5 and boost unused: BOOST.
 *
 * Ends. Checked in this order after each tick, which is always played to its end: player 0 loses if it gave a losing
 * thrust (see carom_csb_rules); player 1 likewise; player 0 loses if its timeout is <= 0; player 1 likewise; the first
 * pod (0..3) that has won makes its player win. All these terminate. After tick 500 the game is truncated; its winner
 * is the player of the pod with the greatest next * 1000000 - (distance to the next checkpoint), if above 0, the first
 * of equals. If both players run out of time in the same tick, as two players do that never passed a checkpoint, player
 * 0 loses. That is the referee's rule; with two random players it gives nine games in ten to player 1. To train from
 * both seats set carom_csb_options.fair_timeouts.
 *
 * Reward. progress_i = next_i - min(distance(pod i, its next checkpoint) / 20000, 1), or laps * n + 1 once it has won;
 * P_p = the greater progress of player p's pods. The reward of player p is the tick's change of P_p, plus 1 in the tick
 * in which the game ends with winner p, minus 1 in the tick in which it ends with the other as winner. The change is
 * computed in the batch's precision and rounded to float; the 1 is added in float. After the end (CAROM_PLAY_ON) only
 * the change counts. carom_csb_options has a weight for each part.
 * The kind of reward `own` (game.h), two agents per player: the tick's change of progress_i of pod i, and 1 or -1 at
 * the end, with the same weights.
 * The score of a result (game.h) is the number of checkpoints that the player's pod ahead has passed.
 * Final value of a rollout (rollout.h): `game`: V_p = P_p - P_other in the state at the horizon. `race`, `block`,
 * `both` and `duel` are weighted sums of these features; carom_game_value_weight() returns the default weights.
 * Of a player's two pods the runner is the one with the greater progress (the lower of equals), the guard the other.
 * The other player's runner is the rival.
 *     progress         of the own runner, as in the reward
 *     speed            of it, along the way to its next checkpoint, / 1000
 *     facing           cosine of its angle to that way
 *     guard_progress   of the own guard
 *     rival_progress   of the rival
 *     guard_at_gate    1 - the distance of the own guard from the rival's next checkpoint / 16000
 *     guard_at_rival   1 - the distance of the own guard from the rival / 16000
 *     guard_facing     cosine of the guard's angle to the way to the rival
 *     won              1 if the game is won, -1 if it is lost, else 0
 *     gate_guarded     1 - the distance of the other player's guard from the own runner's next checkpoint / 16000
 *     runner_guarded   1 - the distance of that guard from the own runner / 16000
 *
 * Observation, CAROM_CSB_OBSERVATION floats, from player p's side: for each of its own pods, then each of the other's,
 * the CAROM_CSB_OBSERVATION_POD numbers
 *     x / 16000, y / 9000, vx / 1000, vy / 1000, cos(angle), sin(angle),
 *     (cx - x) / 16000, (cy - y) / 16000   to the next checkpoint,
 *     (dx - x) / 16000, (dy - y) / 16000   to the one after it (the last one stands for those beyond it),
 *     next / (laps * n), shield / 3, boosted
 * then timeout of p / 100, timeout of the other / 100, tick / ticks of a game (500).
 *
 * Observation `ego` (game.h), CAROM_CSB_EGO floats per pod, two pods per player. Ahead is where the pod points, aside
 * is 90 degrees from it towards +angle. A point is given as (ahead, aside, distance / 20000), where the first two are
 * the components of the unit vector to it; (0, 0, 0) if it is where the pod is.
 *     vx, vy ahead and aside / 1000; the next checkpoint; the one after it (the last one stands for those beyond it);
 *     shield / 3, boosted, next / (laps * n), timeout of its player / 100, of the other / 100, tick / ticks of a game,
 * then, of the other pod of its player, the first of the other player's and the second, relative to it, the
 * CAROM_CSB_EGO_POD numbers
 *     place ahead and aside / 16000, velocity relative to its own ahead and aside / 1000, cos and sin of the angle
 *     between the two headings, shield / 3, progress_i - its own progress.
 *
 * Observation `lidar` (game.h), CAROM_CSB_LIDAR floats per pod, two pods per player, not on devices: the first
 * CAROM_CSB_EGO_OWN numbers of `ego`, which describe the pod itself; then, for each of CAROM_CSB_LIDAR_RAYS rays spread
 * evenly around the pod's centre, the first one ahead, the second towards +angle,
 *     the distance to the first pod on the ray / CAROM_CSB_LIDAR_RANGE, 1 if there is none within that range; whether
 *     that is the pod's mate; whether it is another player's; velocity relative to its own along the ray (positive:
 *     away) and aside (90 degrees from it towards +angle) / 1000, 0 if there is no pod. The distance is 0 if the centre
 *     is within another pod.
 *
 * f32 is a variant of the rules, not the referee's: pods must approach for a contact to count, and overlapping pods are
 * pushed apart by at least 4 units in the last place of the greatest coordinate.
 */
#ifndef CAROM_CSB_H
#define CAROM_CSB_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_CSB_SHIELD 1048576.0f /* thrust values that are commands */
#define CAROM_CSB_BOOST 2097152.0f
#define CAROM_CSB_OBSERVATION_POD 13
#define CAROM_CSB_OBSERVATION 55
#define CAROM_CSB_VALUE_WEIGHTS 11
#define CAROM_CSB_EGO_POD 8
#define CAROM_CSB_EGO_OWN 14
#define CAROM_CSB_EGO 38
#define CAROM_CSB_LIDAR_RAYS 16
#define CAROM_CSB_LIDAR_RANGE 8000.0
#define CAROM_CSB_LIDAR 94

typedef enum carom_csb_rules {
    CAROM_CSB_FULL, /* the real game: a player whose referee action has a thrust above 200 or NaN loses in that tick, in
                       which this thrust counts as 0. A negative thrust is allowed. */
    CAROM_CSB_TEST  /* the referee's -test mode, which made the golden traces: every thrust is used as it is, NaN as 0;
                       in tick 0 the angle of a referee action is brought into [0, 2 pi]. Other kinds of action are
                       not affected. */
} carom_csb_rules;

/* A map that the caller provides. */
typedef struct carom_csb_map {
    const int32_t (*checkpoints)[2]; /* [count] x, y, each within +-2^24 (f64) or +-2^16 (f32) */
    uint32_t count;                  /* 2 .. 1024; neighbours in the list (cyclic) differ in place */
    uint32_t laps;                   /* 1 .. 31 with count * laps < 32767; the real game: 3 */
} carom_csb_map;

typedef struct carom_csb_options {
    size_t size; /* sizeof(carom_csb_options), set by carom_csb_options_default() */
    carom_csb_rules rules;
    /* Maps of the batch. By default map_count maps are drawn with the batch's seed as the real game draws them: one of
     * 13 base maps, every coordinate shifted by -30..30, the order scrambled; map k does not depend on map_count. Each
     * game is then played on one of them, drawn by the world's id and episode. */
    uint32_t map_count;        /* default 1024 */
    const carom_csb_map *maps; /* map_count maps to use instead; copied. Game e of world id is played on map
                                  (id + e) mod map_count */
    const uint64_t *map_seed;  /* the seed of drawn maps; NULL (default): the batch's. Read at creation */
    /* For training; the defaults are the referee's game. */
    uint32_t ticks;         /* of a game before it is truncated, 1 .. 2^30; default 500 */
    uint32_t fair_timeouts; /* 1: if both players run out of time in the same tick, the winner is decided as in a
                               truncated game (see Ends), with no winner between equals; default 0 */
    uint32_t alone;         /* 1: a time trial. Player 1's pods are far off the board, out of reach; they get no actions
                               and lose no time. After the last tick there is no winner. Default 0 */
    double progress_reward; /* the weights of the reward, finite, within +-1e6: of the change of progress, default 1; */
    double checkpoint_reward; /* of each checkpoint that a pod passes, default 0; */
    double result_reward;     /* of the end, default 1 */
} carom_csb_options;

CAROM_API carom_csb_options carom_csb_options_default(void);

/* Map `map` of a batch of csb: n = its checkpoints, laps, and up to `capacity` of its checkpoints in xy[][2]. Any
 * output may be NULL. */
CAROM_API carom_status carom_csb_get_map(const carom_worlds *worlds, uint32_t map, uint32_t *n, uint32_t *laps,
                                         int32_t (*xy)[2], size_t capacity);

/* The 13 base maps of the real game, unshifted: checkpoints of map `index`, and their number. NULL if index > 12. */
#define CAROM_CSB_BASE_MAPS 13
CAROM_API const int32_t (*carom_csb_base_map(size_t index, uint32_t *count))[2];

#ifdef __cplusplus
}
#endif
#endif
