/* SPDX-License-Identifier: MIT
 * What an answer may hold beside the time of impact: both roots, and the normal.
 */
#ifndef CAROM_TOI_CONTACT_H
#define CAROM_TOI_CONTACT_H

#include "toi/circles.h"

/* When the circles begin and cease to overlap; +INFINITY: never. */
typedef struct contact_roots {
    vreal entry, exit;
} contact_roots;

/* With w = -(b + sqrt d) or -(b - sqrt d), whichever does not cancel, the roots are w / a and c / w. */
CAROM_LANE contact_roots contact_roots_of(circles_pair q)
{
    const vreal zero = v_set1(0);
    circles_equation e = equation_components(q);
    vmask approaching = v_lt(e.b, zero);
    vreal root = v_sqrt(e.d), w = v_flip(m_not(approaching), root) - e.b;
    vreal one = w / e.a, other = v_select(v_eq(w, zero), zero, e.c / w);
    vmask real_roots = m_and(v_ge(e.d, zero), v_gt(e.a, zero));
    const vreal never = v_set1((real)__builtin_inf());
    contact_roots roots;
    roots.entry = circles_tamed(q, e.d, v_select(real_roots, v_select(approaching, other, one), never));
    roots.exit = circles_tamed(q, e.d, v_select(real_roots, v_select(approaching, one, other), never));
    return roots;
}

typedef struct contact_normal {
    vreal x, y;
} contact_normal;

/* The direction from i to j at time t; 0 where there is none. */
CAROM_LANE contact_normal contact_normal_of(circles_pair q, vreal t)
{
    const vreal zero = v_set1(0);
    vreal x = q.px + q.vx * t, y = q.py + q.vy * t;
    vreal length = v_sqrt(x * x + y * y);
    vmask some = m_and(m_and(v_le(v_abs(t), v_set1(REAL_MAX)), v_gt(length, zero)), v_le(length, v_set1(REAL_MAX)));
    contact_normal n;
    n.x = v_select(some, x / length, zero);
    n.y = v_select(some, y / length, zero);
    return n;
}

#endif
