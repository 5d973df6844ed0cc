/* SPDX-License-Identifier: MIT
 * The oracle of walls under acceleration: the first impact of a circle on a point, a segment or a box at 400 bits.
 */
#ifndef CAROM_TESTS_TOI_MPFR_WALLS_H
#define CAROM_TESTS_TOI_MPFR_WALLS_H

#include "quartic_cases.h"

typedef enum exact_wall { EXACT_POINT, EXACT_SEGMENT, EXACT_BOX } exact_wall;

/* The first time t >= 0 at which the circle touches the wall, rounded; INFINITY: never. 0: the circle touches or
 * overlaps it at the start. in: x, y, vx, vy, ax, ay, r; wall: a point's x, y; both ends of a segment, which has a
 * length; x0, y0, x1, y1 of a box. From inside a box: its sides, each as if it continued beyond its corners. */
double walls_exact(exact_wall what, const double in[QUARTIC_INPUTS], const double wall[4]);

#endif
