/* SPDX-License-Identifier: MIT
 * For the tests of circles against walls: one interface for both precisions and all kinds of walls, and distances in
 * long double, independent of times of impact.
 */
#ifndef CAROM_TESTS_TOI_TOI_WALLS_REFERENCE_H
#define CAROM_TESTS_TOI_TOI_WALLS_REFERENCE_H

#include <carom/toi_walls.h>

/* --- Solving ------------------------------------------------------------------------------------------------------ */

enum { WALL_LINE, WALL_SEGMENT, WALL_POINT, WALL_BOX, WALL_POLYGON, WALL_KINDS };

extern const char *const wall_names[WALL_KINDS];

/* n circles and walls in arrays of floats or doubles: x, y, vx, vy, r, then the wall's coordinates (a polygon's x and y
 * have m elements and are the same for all). t, nx, ny, feature: the answers. */
typedef struct wall_cases {
    carom_precision precision;
    int kind;
    size_t n, m;
    void *in[9], *t, *nx, *ny;
    int32_t *feature;
} wall_cases;

int wall_inputs(int kind); /* how many of the arrays in[] it has */
wall_cases wall_cases_new(carom_precision precision, int kind, size_t n, size_t m);
void end_wall_cases(wall_cases *c);
double wall_get(const wall_cases *c, const void *array, size_t i);
void wall_put(const wall_cases *c, void *array, size_t i, double value);
double wall_epsilon(const wall_cases *c);
carom_status wall_solve(const wall_cases *c, carom_detection detection, double limit);
void wall_describe(const wall_cases *c, size_t i, double limit);

/* --- Distances ---------------------------------------------------------------------------------------------------- */

typedef struct point {
    long double x, y;
} point;

point point_minus(point a, point b);
long double point_dot(point a, point b);
long double point_cross(point a, point b);
long double point_length(point a);

/* The point of the segment a b that is nearest to p. */
point nearest_point(point p, point a, point b);

/* The least distance between the segments p q and a b. */
long double segment_distance(point p, point q, point a, point b);

/* The walls of circle i as segments; how many. A line is a segment longer than the path of 4 units of time. */
size_t wall_segments(const wall_cases *c, size_t i, point from[], point to[]);

#endif
