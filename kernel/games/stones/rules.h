/* SPDX-License-Identifier: MIT
 * The rules in lanes, for one stone or one pair at a time: a lane is a world. In f64 every operation is in the plugin's
 * order, so that results agree to the bit. Compiles as C++, too.
 */
#ifndef CAROM_GAMES_STONES_RULES_H
#define CAROM_GAMES_STONES_RULES_H

#include "games/stones/stones.h"
#include "simd/fdlibm.h"

/* STONES_RANGE: of places and speeds. STONES_SLACK: relative margin of filters, far above their rounding. */
#if CAROM_REAL_BITS == 64
#define STONES_RANGE STONES_RANGE_F64
#define STONES_SLACK 1e-9
#else
#define STONES_RANGE ((real)STONES_RANGE_F32)
#define STONES_SLACK 1e-4f
#endif

CAROM_LANE vreal stones_length(vreal x, vreal y)
{
    return v_sqrt(x * x + y * y);
}

CAROM_LANE vmask stones_within(vreal a, real range)
{
    return v_le(v_abs(a), v_set1(range)); /* false for NaN */
}

/* ---- the path of a push ---- */

/* How far a push with `speed` takes a stone: the sum of its speeds, speed * friction^k, down to STONES_STOP_SPEED. */
CAROM_LANE vreal stones_travel(vreal speed, vreal friction)
{
    vreal one = v_set1(REAL(1.0)), stop = v_set1((real)STONES_STOP_SPEED) / speed;
#if CAROM_REAL_BITS == 64
    vreal n = fd_log(stop) / fd_log(friction);
    vreal left = fd_pow(friction, n + one);
#else
    vreal left = stop * friction;
#endif
    return speed * (one - left) / (one - friction);
}

/* The path of a push: curve k, course c at its beginning, its origin (the stone's corner then) and its length. */
typedef struct stones_path {
    vreal curve, course, origin_x, origin_y, distance;
} stones_path;

/* The phase of a path after `progress`: 0 at its beginning, pi at its end. */
CAROM_LANE vreal stones_phase(const stones_path *path, vreal progress)
{
    return progress / path->distance * v_set1(V_PI);
}

/* The point of a path at `progress`. See RULES.md, Pushes. */
CAROM_LANE void stones_point(const stones_path *path, vreal progress, vreal *x, vreal *y)
{
    vreal zero = v_set1(REAL(0.0)), side = zero, angle = path->course, s, c;

    /* A straight path has neither offset nor angle. Where the phase is out of range the path has no point: NaN. */
    vmask bent = v_ne(path->curve, zero);
    if (m_any(bent)) {
        vreal phase = stones_phase(path, progress);
        fd_sincos(phase, &s, &c);
        s = v_select(stones_within(phase, FD_RANGE), s, zero / zero);
        side = v_select(bent, s * path->curve, zero);
        angle = v_select(bent, angle - fd_atan(side / phase), angle);
    }

    vreal r = stones_length(progress, side / v_set1(V_PI) * path->distance);
    fd_sincos(angle, &s, &c);
    *x = path->origin_x + c * r;
    *y = path->origin_y + s * r;
}

/* The course from corner (x, y) to corner (to_x, to_y), computed between the centres as the plugin does. */
CAROM_LANE vreal stones_aim(vreal x, vreal y, vreal radius, vreal to_x, vreal to_y)
{
    return fd_atan2(to_y + radius - (y + radius), to_x + radius - (x + radius));
}

/* ---- two stones ---- */

/* Two stones touch when a t^2 + b t + c = 0, t the share of the tick, for a relative position f and a relative way d.
 * It makes no difference which of the two is first: every term has an even number of factors that change sign. */
typedef struct stones_touch {
    vreal a, b, c, q, reach2; /* q: the discriminant; reach2: the square of the sum of radii */
} stones_touch;

CAROM_LANE stones_touch stones_touching(vreal fx, vreal fy, vreal dx, vreal dy, vreal reach)
{
    stones_touch e;
    e.reach2 = reach * reach;
    e.a = dx * dx + dy * dy;
    vreal dot = fx * dx + fy * dy;
    e.b = dot + dot;
    e.c = fx * fx + fy * fy - e.reach2;
    e.q = e.b * e.b - v_set1(REAL(4.0)) * e.a * e.c;
    return e;
}

/* The share of the tick after which they touch: the entering root, NaN if there is none. The leaving root is later and
 * never matters. */
CAROM_LANE vreal stones_share(const stones_touch *e)
{
    return (-e->b - v_sqrt(e->q)) / (e->a + e->a);
}

/* A filter without a root, which passes every hit. A hit has q > 0 and b < 0, else the root would be below 0. Where the
 * closest approach lies within the tick (-b <= 2a) it may hit. Otherwise the parabola still falls at t = 1, and the
 * root is at most 1 only if its value there, a + b + c, is <= 0. Rounding of q amounts to some 6 u b^2 (u: half a unit
 * in the last place), which is like an error of c by 6 u b^2 / 4a <= 6 u (c + R^2), as b^2 <= 4 a (c + R^2); rounding
 * of the sum and the root to some 4 u (a + |b| + |c|). STONES_SLACK is far above 10 u. */
CAROM_LANE vmask stones_may_hit(const stones_touch *e)
{
    vreal zero = v_set1(REAL(0.0)), sum = e->a + e->b;
    vreal size = e->a - e->b + v_abs(e->c) + e->reach2;
    vmask inside = m_or(v_ge(sum + e->a, zero), v_le(sum + e->c, size * v_set1(STONES_SLACK)));
    return m_and(m_and(v_gt(e->q, zero), v_lt(e->b, zero)), inside);
}

/* The cosine of (u - v + pi/2), which decides how speed is shared. */
CAROM_LANE vreal stones_relative(vreal u, vreal v)
{
    vreal s, c;
    fd_sincos(u - v + v_set1(V_HALF_PI), &s, &c);
    return c;
}

/* The course across n, on the side that the sign of k gives. */
CAROM_LANE vreal stones_tangent(vreal n, vreal k)
{
    vreal tangent = n - v_set1(V_HALF_PI);
    return v_select(v_gt(k, v_set1(REAL(0.0))), tangent, tangent - v_set1(V_PI));
}

/* A stone that takes part in a hit, in each lane; fields as in stones_group. */
typedef struct stones_part {
    vreal x, y, radius, power, speed, course, unused, cos, sin, step;
} stones_part;

/* Moves a stone along its course. */
CAROM_LANE void stones_go(stones_part *s, vreal way)
{
    s->x = s->x + s->cos * way;
    s->y = s->y + s->sin * way;
}

/* Moves striker a and stone b to their hit, after the share t of the tick. Returns the lanes in which rounding made
 * them overlap, where a goes only STONES_SHRINK of its way. */
CAROM_LANE vmask stones_meet(stones_part *a, stones_part *b, vreal t)
{
    vreal way = t * a->step, x0 = a->x, y0 = a->y, shrink = v_set1((real)STONES_SHRINK);
    stones_go(a, way);
    stones_go(b, t * b->step);
    vreal apart = stones_length(a->x + a->radius - (b->x + b->radius), a->y + a->radius - (b->y + b->radius));
    vmask overlap = v_lt(apart, a->radius + b->radius);
    a->x = v_select(overlap, x0 + a->cos * way * shrink, a->x);
    a->y = v_select(overlap, y0 + a->sin * way * shrink, a->y);
    return overlap;
}

/* The plugin's response: the normal is the direction between the corners, and each stone keeps the share of its time
 * that it has used. */
CAROM_LANE void stones_answer_shipped(stones_part *a, stones_part *b, vreal t)
{
    vreal one = v_set1(REAL(1.0)), zero = v_set1(REAL(0.0));
    a->unused = a->unused * (t * a->step / a->step);
    vreal unused = b->unused * (t * b->step / b->step);
    b->unused = v_select(v_ne(b->step, zero), unused, b->unused);

    vreal n = fd_atan2(b->y - a->y, b->x - a->x), k = stones_relative(a->course, n), share = v_abs(k);
    a->course = stones_tangent(n, k);
    b->course = n;

    vreal given = a->speed * a->power / b->power;
    a->speed = a->speed * share;
    b->speed = given * (one - share);
    fd_sincos(a->course, &a->sin, &a->cos);
    fd_sincos(b->course, &b->sin, &b->cos);
}

/* The article's response: the normal is the direction between the centres, and both keep the share of the tick that is
 * left. */
CAROM_LANE void stones_answer_described(stones_part *a, stones_part *b, vreal t, real loss)
{
    vreal one = v_set1(REAL(1.0)), left = one - t, kept = v_set1(REAL(1.0) - loss);
    a->unused = a->unused * left;
    b->unused = b->unused * left;

    vreal n = fd_atan2(b->y + b->radius - (a->y + a->radius), b->x + b->radius - (a->x + a->radius));
    vreal k = stones_relative(a->course, n), share = v_abs(k);
    b->course = a->course;
    b->cos = a->cos;
    b->sin = a->sin;
    a->course = stones_tangent(n, k);

    vreal given = a->speed * a->power / b->power;
    a->speed = a->speed * share * kept;
    b->speed = (b->speed + given * (one - share)) * kept;
    fd_sincos(a->course, &a->sin, &a->cos);
}

#endif
