/* SPDX-License-Identifier: MIT
 * The game "fall": circles under constant acceleration among fixed circles, boxes and polygons, with the collisions
 * predicted as the Predictive Game Engine of Gaius Mulley's lecture does: gravity in, times of impact from quartics.
 *
 * One tick = one frame of 0.01 s. Lengths in metres, x to the right, y up; the engine's world is the unit square. All
 * worlds of a batch have the same scene: bodies 0, 1, ... in the order in which the options list them. Circles also
 * have numbers among themselves, in the same order: circle k of the fields below is the k-th circle among the bodies.
 *
 * The engine in short
 *     queue        At most one collision is known in advance: the earliest of all pairs at the time of the search. The
 *                  search is repeated when the queue is empty, and after every collision, before overlaps are removed.
 *     duplicates   A collision that has just happened (same pair, within 1e-6 in time and in each coordinate) is not
 *                  found again. A pair of circles, or a circle and a corner, that touch in this way is skipped: it is
 *                  checked again when the queue is next empty or after the next collision.
 *     response     The impact is elastic along the normal (a fixed body reverses the normal velocity). Then each
 *                  component of the two velocities is multiplied by `keep`, and set to 0 below `cutoff`.
 *     separation   After every collision and frame a circle that is 1e-6 or more inside an edge is put back on it; if
 *                  the scene has a polygon, a circle's centre stays `radius` or more within the unit square, though its
 *                  velocity does not change; of two circles that overlap the later is moved, and pushed by the overlap.
 * In f32 all thresholds of 1e-6 are 1e-4.
 *
 * Differences from the engine: polygons do not move, there are no springs, reading a body does not change it, and
 * impacts are also found where small accelerations defeat the engine's solver.
 *
 * Fields (in addition to those of worlds.h)
 *     x, y, vx, vy   CAROM_FALL_CIRCLES reals each, one per circle; 0 where the scene has none
 *     wait           the time until the collision in the queue, seconds; -1: none
 *     at             2 reals: its point
 *     who            3 x int8: circle (body number), other body, part; 0 if there is none
 *     pasts          int8: collisions of the last 1e-6 s, at most CAROM_FALL_PASTS
 *     past_age, past_x, past_y   CAROM_FALL_PASTS reals each: how long ago, and their points
 *     past_a, past_b             CAROM_FALL_PASTS x int8 each: their bodies
 * A caller who sets positions or velocities should set wait to -1. |x|, |y| stay within 2^20, |vx|, |vy| within 2^20:
 * a world that leaves that range has CAROM_FAULT_RANGE. A tick with max_events events is CAROM_FAULT_EVENTS.
 *
 * One player. Action kind "normalised": 2 floats in [-1, 1] (clamped; NaN counts as 0): a kick to the first circle that
 * is not fixed, which changes its velocity by `kick` times these numbers. (0, 0) changes nothing at all; any other
 * action empties the queue. Policies: "still" (no kicks), "random" (one tick in 32, in any direction).
 *
 * Reward: how far the kicked circle rose in the tick. Final value of a rollout (rollout.h): 0. A game ends only after
 * `last_tick` ticks (truncated). The counter `goals` stays 0.
 *
 * Observation, CAROM_FALL_OBSERVATION floats: x, y, vx, vy of circles 0..7 (0 where there is none), then tick /
 * last_tick.
 *
 * Events (carom_step): first is the circle's body number (of two circles, the lower one), second the other body's; part
 * is CAROM_FALL_CIRCLE, CAROM_FALL_EDGE + k or CAROM_FALL_CORNER + k (edge k is from corner k to the next); (x, y) is
 * the corner, the centre of a circle that meets an edge, or the point where two circles touch, which the engine
 * computes as c2 + (c1 - c2) r1 / (r1 + r2).
 */
#ifndef CAROM_FALL_H
#define CAROM_FALL_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_FALL_CIRCLES 64
#define CAROM_FALL_BODIES 120 /* circles and polygons */
#define CAROM_FALL_CORNERS 6
#define CAROM_FALL_PASTS 32
#define CAROM_FALL_OBSERVATION 33

/* Parts of events. */
#define CAROM_FALL_CIRCLE 0
#define CAROM_FALL_EDGE 1
#define CAROM_FALL_CORNER 8

typedef struct carom_fall_body {
    double x, y, vx, vy;   /* of a circle: centre and velocity at the start */
    double ax, ay;         /* of a circle: its own acceleration, added to gravity */
    double radius, mass;   /* of a circle; > 0 */
    int32_t fixed;         /* a fixed circle has no velocity or acceleration; polygons must be fixed */
    uint32_t corner_count; /* 0: a circle; 3..6: a polygon */
    double corners[CAROM_FALL_CORNERS][2];
} carom_fall_body;

/* A number at the end of a comment is the default. */
typedef struct carom_fall_options {
    size_t size; /* sizeof(carom_fall_options), set by carom_fall_options_default() */
    /* body_count bodies, at least one of them a circle; copied. NULL (default): the scene of carom_fall_box(), four
     * balls of radius 0.05 in a box with random velocities by seed, id and episode. */
    const carom_fall_body *bodies;
    uint32_t body_count;
    double scatter; /* each component of a free circle's starting velocity is drawn within +-scatter of the given one;
                           -1 (default): 0 if bodies are given, else 1 */
    double gravity; /* added to every ay; -9.81 */
    double keep;    /* in [0, 1]; 0.98 */
    double cutoff;  /* 0.01 */
    double kick;    /* 0.5 m/s */
    uint32_t last_tick; /* at least 1; 1000 */
} carom_fall_options;

CAROM_API carom_fall_options carom_fall_options_default(void);

/* The default scene, as a start for your own: walls (4 boxes of thickness 0.01 along the unit square), then 4 balls. */
CAROM_API uint32_t carom_fall_box(carom_fall_body bodies[8]);

#ifdef __cplusplus
}
#endif
#endif
