/* SPDX-License-Identifier: MIT
 * The arrays for measuring the solvers, and one call of a solver on a part of them.
 *
 * Positions, velocities and partners are drawn uniformly and independently for each pair, so that about 10% of the
 * pairs meet, in an order that a branch predictor cannot know and that repeats only after the whole array.
 */
#ifndef CAROM_TOOLS_SOLVERS_SOLVER_DATA_H
#define CAROM_TOOLS_SOLVERS_SOLVER_DATA_H

#include <carom/toi.h>

#define CALL_MOST ((size_t)1 << 16) /* pairs of one call; larger arrays are processed in several calls */
#define FIRST_BODIES 64             /* the most bodies for which `first` finds the earliest impacts in one call */
#define INDEXED_BODIES 256          /* that pairs of indices refer to: they stay in the first cache */
#define POLYGON_CORNERS 8           /* a star with four points */

/* The shapes of pairs of circles, as in carom/toi.h; then circles against walls, and quartics. */
typedef enum solver_shape {
    SHAPE_PAIRS,
    SHAPE_INDEXED,
    SHAPE_ONE,
    SHAPE_FIRST,
    CIRCLE_SHAPES, /* how many of them use the variants of the circle equation */
    SHAPE_SEGMENTS = CIRCLE_SHAPES,
    SHAPE_BOXES,
    SHAPE_POLYGON,
    SHAPE_ACCELERATED,
    SHAPES
} solver_shape;

typedef struct solver_data {
    solver_shape shape;
    carom_precision precision;
    size_t n;       /* pairs */
    size_t numbers; /* of each array of bodies or pairs: n, or INDEXED_BODIES */
    size_t stride;  /* bytes from one array to the next */
    unsigned char *memory;
    unsigned char *inputs; /* x, y, vx, vy, r of pairs or bodies; then both ends of segments, or x0, y0, x1, y1 of
                              boxes; x, y, vx, vy, ax, ay, r of accelerated pairs */
    unsigned char *times;
    int32_t *i, *j; /* indexed; else NULL */
    size_t cursor;  /* where the next call begins */
} solver_data;

/* "pairs", "indexed", "one", "first", "segments", "boxes", "polygon", "accelerated". */
extern const char *const carom_shape_names[SHAPES + 1]; /* NULL after the last */

/* A shape's solvers: the variants of the circle equation, one solver for walls, those of quartics. */
int carom_solver_count(solver_shape shape);
const char *carom_solver_name(solver_shape shape, int variant);

/* Whether it runs on SIMD lanes: all except `pow`. */
bool carom_solver_has_lanes(solver_shape shape, int variant);

/* Bytes read and written for a pair, without indexed bodies and the polygon, which stay in a cache. */
unsigned carom_solver_bytes(solver_shape shape, carom_precision precision);

/* Bytes of the indexed bodies or of the polygon. */
size_t carom_solver_bodies(solver_shape shape, carom_precision precision);

/* Bytes of all arrays; SIZE_MAX: more than any memory holds. */
size_t carom_solver_data_bytes(solver_shape shape, carom_precision precision, size_t n);

/* Makes the arrays; dies if there is no memory for them. */
solver_data carom_solver_data_make(solver_shape shape, carom_precision precision, size_t n);
void carom_solver_data_free(solver_data *data);

/* Solves the next pairs, at most CALL_MOST; returns how many. Instruction set: that of carom_isa_force(). */
size_t carom_solver_call(solver_data *data, int variant);

/* Solves the first pairs on `isa` and at width 1, and dies unless all bits agree; returns the share of pairs that
 * meet. */
double carom_solver_check(solver_data *data, int variant, carom_isa isa);

#endif
