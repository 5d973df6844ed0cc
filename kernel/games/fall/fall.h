/* SPDX-License-Identifier: MIT
 * fall inside the library: the game's constants, the fields of a world, and the scene of a batch.
 */
#ifndef CAROM_GAMES_FALL_FALL_H
#define CAROM_GAMES_FALL_FALL_H

#include <carom/fall.h>

#include <stdalign.h>

#include "games/game.h"

#define FALL_TICK 0.01       /* seconds */
#define FALL_EVENTS 256      /* a world with more collisions in a tick faults */
#define FALL_RANGE 1048576.0 /* of coordinates and velocities: 2^20 */
#define FALL_SEEN 8          /* circles in an observation */
#define FALL_NEAR_SCENE 1e-6 /* coordinates of corners closer to 0 than this become 0 */
#define FALL_LEAST_EDGE 1e-5 /* length of an edge (sum of both coordinates), m */
#define FALL_SUBS 32         /* tests of a pair: see fall_pair */

/* The `purpose` of each random stream (base/random.h) that the game draws from. */
enum { FALL_DRAW_GAME = 1, FALL_DRAW_POLICY };

/* ---- a world ---- */

#define FALL_CIRCLES 64
#define FALL_PASTS 32

/* Fields as (name, count, role); include/carom/fall.h gives their meaning and units. */
#define FALL_FIELDS(REAL, INT32, INT16, INT8)                                                                          \
    REAL(x, FALL_CIRCLES, STATE)                                                                                       \
    REAL(y, FALL_CIRCLES, STATE)                                                                                       \
    REAL(vx, FALL_CIRCLES, STATE)                                                                                      \
    REAL(vy, FALL_CIRCLES, STATE)                                                                                      \
    REAL(wait, 1, STATE)                                                                                               \
    REAL(at, 2, STATE)                                                                                                 \
    REAL(past_age, FALL_PASTS, STATE)                                                                                  \
    REAL(past_x, FALL_PASTS, STATE)                                                                                    \
    REAL(past_y, FALL_PASTS, STATE)                                                                                    \
    INT8(who, 3, STATE)                                                                                                \
    INT8(pasts, 1, STATE)                                                                                              \
    INT8(past_a, FALL_PASTS, STATE)                                                                                    \
    INT8(past_b, FALL_PASTS, STATE)

/* ---- the scene ---- */

/* A circle of the scene. Units: metres, seconds, kilograms. */
typedef struct fall_circle {
    double x, y, vx, vy; /* at the start */
    double ax, ay;       /* gravity included; 0 if fixed */
    double radius;
    double share; /* 1 / mass; 0 if fixed */
    int32_t body; /* its number among all bodies */
    int32_t fixed;
} fall_circle;

/* An edge from corner (x, y) to the next one. Its line starts at the smaller end (px, py), by x, then y, and has the
 * direction (ux, uy). */
typedef struct fall_edge {
    double x, y, to_x, to_y;
    double px, py, ux, uy, length;
    double left, low, right, high; /* the box around it */
} fall_edge;

/* A fixed polygon. Its edges are `count` of fall_context.edges, from `first` on. */
typedef struct fall_polygon {
    int32_t body; /* its number among all bodies */
    int32_t first, count;
    alignas(8) double left; /* the box around it */
    double low, right, high;
} fall_polygon;

/* Two bodies that can collide, in the engine's order: the pairs of the last body first, each from the nearest number
 * down. Test `sub` of pair k has the rank FALL_SUBS k + sub; among equal times the lowest rank wins. Two circles have
 * one test, sub 0. Edge e of a polygon has the subs 4 e .. 4 e + 3: its first corner, its second, the line to its left,
 * the line to its right. */
typedef struct fall_pair {
    int32_t a, b;          /* a circle, and a circle or polygon: their index in fall_context */
    int32_t polygon;       /* 1 if b is a polygon */
    int32_t first, second; /* the two as body numbers, as in events */
    alignas(8) double ax;  /* circles: the acceleration of b relative to a */
    double ay;
} fall_pair;

/* The scene of a batch; read-only once created, and without pointers. */
typedef struct fall_context {
    int32_t circle_count, polygon_count, edge_count, pair_count, body_count;
    int32_t kicked; /* the circle that actions kick, or -1 */
    uint32_t last_tick;
    alignas(8) double scatter; /* see carom_fall_options */
    double keep, cutoff, kick;
    fall_circle circles[FALL_CIRCLES];
    fall_polygon polygons[CAROM_FALL_BODIES];
    fall_edge edges[CAROM_FALL_BODIES * CAROM_FALL_CORNERS];
    fall_pair pairs[CAROM_FALL_BODIES * (CAROM_FALL_BODIES - 1) / 2];

    /* Indices of the pairs with a polygon, circle by circle. */
    int32_t obstacle_count;
    int32_t obstacles[CAROM_FALL_BODIES * (CAROM_FALL_BODIES - 1) / 2];

    /* The circle and the polygon of each body; -1 for the other kind. */
    int32_t circle_of[CAROM_FALL_BODIES];
    int32_t polygon_of[CAROM_FALL_BODIES];
} fall_context;

extern const game_options carom_fall_table;
size_t carom_fall_context_bytes(const carom_worlds_desc *desc);
carom_status carom_fall_context_create(const carom_worlds_desc *desc, void **result);
void carom_fall_context_destroy(void *any);
uint64_t carom_fall_context_hash(const void *any);
void carom_fall_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions);

#endif
