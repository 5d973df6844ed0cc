/* SPDX-License-Identifier: MIT
 * The distance of a point from fixed circles, walls and sides, one pair in each lane. Squares of lengths must not
 * overflow. Arguments relative to the point are those of rays from there (toi/ray.h).
 */
#ifndef CAROM_TOI_NEAR_H
#define CAROM_TOI_NEAR_H

#include "toi/ray.h"

/* From the rim of a circle of radius r around p; 0 inside, decided by p^2 <= r^2 as for rays. */
CAROM_LANE vreal near_disc(rays_disc q, vreal r)
{
    const vreal zero = v_set1(0);
    vreal gap = v_sqrt(q.px * q.px + q.py * q.py) - r;
    return v_select(rays_disc_inside(q), zero, v_max(gap, zero));
}

/* From an edge: from its line if the foot of the point is within it, otherwise from the nearer end. */
CAROM_LANE vreal near_edge(rays_edge q)
{
    const vreal zero = v_set1(0);
    vreal square = q.ex * q.ex + q.ey * q.ey;
    vreal before = q.ax * q.ex + q.ay * q.ey, beyond = q.bx * q.ex + q.by * q.ey; /* > 0: the foot is before a; < 0 */
    vmask within = m_and(m_and(v_lt(before, zero), v_gt(beyond, zero)), v_gt(square, zero));
    vreal a = q.ax * q.ax + q.ay * q.ay, b = q.bx * q.bx + q.by * q.by;
    vreal height = v_abs(q.cross) / v_sqrt(v_select(within, square, v_set1(1)));
    return v_select(within, height, v_sqrt(v_min(a, b)));
}

#endif
