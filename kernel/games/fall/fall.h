/* SPDX-License-Identifier: MIT
 * fall inside the library: the scene of a batch, the game's constants, and what its files offer to each other.
 */
#ifndef CAROM_GAMES_FALL_FALL_H
#define CAROM_GAMES_FALL_FALL_H

#include <carom/fall.h>

#include "games/fall/state.h"
#include "games/game.h"

#define FALL_TICK 0.01       /* seconds */
#define FALL_EVENTS 256      /* a tick that has more is given up */
#define FALL_RANGE 1048576.0 /* of coordinates and velocities */
#define FALL_SEEN 8          /* circles in an observation */
#define FALL_NEAR_SCENE 1e-6 /* corners nearer to 0 are at 0 */
#define FALL_LEAST_EDGE 1e-5
#define FALL_SUBS 32 /* tests of a pair, see fall_pair */

/* The `purpose` of the streams of base/random.h that the game draws from. */
enum { FALL_DRAW_GAME = 1, FALL_DRAW_POLICY };

typedef struct fall_circle {
    double x, y, vx, vy; /* at the start */
    double ax, ay;       /* gravity included; 0 if fixed */
    double radius;
    double share; /* 1 / mass; 0 if fixed */
    int32_t body;
    int32_t fixed;
} fall_circle;

/* From corner (x, y) to the next; the line runs from its lesser end (px, py), by x, then y, along (ux, uy). */
typedef struct fall_edge {
    double x, y, to_x, to_y;
    double px, py, ux, uy, length;
    double left, low, right, high; /* the box around it */
} fall_edge;

typedef struct fall_polygon {
    int32_t body;
    int32_t first, count;          /* of its edges in fall_context.edges */
    double left, low, right, high; /* the box around it */
} fall_polygon;

/* Two bodies that may meet, in the engine's order: the pairs of the last body first, each from the nearest number down.
 * Test `sub` of pair k has the rank FALL_SUBS k + sub; among equal times the lowest rank wins. Circles: sub 0. Edge e
 * of a polygon has the subs 4 e .. 4 e + 3: its first corner, its second, the line to its left, that to its right. */
typedef struct fall_pair {
    int32_t a, b;          /* circles; or circle and polygon */
    int32_t polygon;       /* is b a polygon? */
    int32_t first, second; /* bodies, as events name them */
    double ax, ay;         /* circles: the acceleration of b relative to a */
} fall_pair;

/* The scene of a batch; read-only after its creation, and plain numbers throughout. */
typedef struct fall_context {
    int32_t circle_count, polygon_count, edge_count, pair_count, body_count;
    int32_t kicked; /* circle, or -1 */
    uint32_t last_tick;
    double scatter, keep, cutoff, kick;
    fall_circle circles[FALL_CIRCLES];
    fall_polygon polygons[CAROM_FALL_BODIES];
    fall_edge edges[CAROM_FALL_BODIES * CAROM_FALL_CORNERS];
    fall_pair pairs[CAROM_FALL_BODIES * (CAROM_FALL_BODIES - 1) / 2];
    int32_t obstacle_count;
    int32_t obstacles[CAROM_FALL_BODIES * (CAROM_FALL_BODIES - 1) / 2]; /* pairs with a polygon, circle by circle */
    int32_t circle_of[CAROM_FALL_BODIES];                               /* -1: not a circle */
    int32_t polygon_of[CAROM_FALL_BODIES];                              /* likewise */
} fall_context;

extern const game_options carom_fall_table;
size_t carom_fall_context_bytes(const carom_worlds_desc *desc);
carom_status carom_fall_context_create(const carom_worlds_desc *desc, void **result);
void carom_fall_context_destroy(void *any);
uint64_t carom_fall_context_hash(const void *any);
void carom_fall_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions);

#endif
