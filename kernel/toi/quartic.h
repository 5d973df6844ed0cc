/* SPDX-License-Identifier: MIT
 * Circles under constant acceleration, one pair in each lane: the entering roots of f(t) = |D|^2 - r^2 with
 * D = p + v t + a t^2/2.
 *
 * f is never expanded into coefficients: near contact D is a small vector and exact to a few units of its own size,
 * while the terms of an expanded quartic cancel. With V = v + a t,
 *     g = f'/2 = D.V      h = g' = |V|^2 + D.a      k = h'/3 = V.a
 *     f(t + s) = f + 2 g s + h s^2 + k s^3 + |a|^2/4 s^4      exactly, f, g, h, k evaluated at t
 * h is a quadratic: f is convex, concave between the roots c1 < c2 of h (if there are any), and convex again. So the
 * circles can come together (f falls through 0) at most once before c1 and once after it, in an interval where f falls.
 *
 * Motions are first scaled to a size near 1 by powers of two, for lengths and for time, which changes no digit.
 */
#ifndef CAROM_TOI_QUARTIC_H
#define CAROM_TOI_QUARTIC_H

#include "simd/lanes.h"

#if CAROM_REAL_BITS == 64
#define QUARTIC_EPSILON DBL_EPSILON
#define QUARTIC_LEAST DBL_MIN
#define QUARTIC_FAR 0x1p60      /* the latest scaled time: there the rounding of D exceeds r, see below */
#define QUARTIC_SPLIT 0x1.0p+27 /* Dekker's constant, minus 1 */
#else
#define QUARTIC_EPSILON FLT_EPSILON
#define QUARTIC_LEAST FLT_MIN
#define QUARTIC_FAR 0x1p28f
#define QUARTIC_SPLIT 0x1.0p+12f
#endif
#define QUARTIC_NEVER ((real)__builtin_inf())
#define QUARTIC_STEPS 150 /* limit for one search; typically about 4 */

/* One circle relative to another: position, velocity and acceleration, and the sum of radii. */
typedef struct quartic_motion {
    vreal px, py, vx, vy, ax, ay, r;
} quartic_motion;

/* A motion in its own units. The greatest of its lengths is in [1, 2) (or all are 0); |v| < 2 and |a| < 4 in each
 * coordinate, and one of the two is at least 1 (or both are 0). */
typedef struct quartic_scaled {
    quartic_motion q;
    vreal hx, hy;     /* a/2 */
    vreal rr;         /* r*r */
    vreal unit, rate; /* scaled time * unit = the caller's; unit = 1/rate, a power of two */
    vreal end;        /* no root is later than this, nor earlier than its negative */
    vmask nan, tame;  /* an input is NaN; all numbers are finite and survived scaling (otherwise all are 0) */
} quartic_scaled;

CAROM_LANE vmask quartic_is_nan(const quartic_motion *q)
{
    vmask p = m_or(v_ne(q->px, q->px), v_ne(q->py, q->py));
    vmask v = m_or(v_ne(q->vx, q->vx), v_ne(q->vy, q->vy));
    vmask a = m_or(v_ne(q->ax, q->ax), v_ne(q->ay, q->ay));
    return m_or(m_or(p, v), m_or(a, v_ne(q->r, q->r)));
}

/* Scales a motion by powers of two, and bounds its roots.
 *
 * They are bounded by |a| t^2/2 <= |v| t + |p| + r: for t >= 4 |v|/|a| and t >= 2 sqrt((|p| + r)/|a|) the left side is
 * greater, and 2 sqrt(x y) <= x + y avoids the root. Without acceleration |v| is at least 1 and t <= |p| + r < 8. A
 * root past QUARTIC_FAR means |v| >= 1, and |v| t times the spacing of numbers far exceeds r: such a hit cannot be
 * distinguished from a miss. */
CAROM_LANE quartic_scaled quartic_scale(quartic_motion q)
{
    const vreal zero = v_set1(0), one = v_set1(1), least = v_set1(QUARTIC_LEAST), half = v_set1(REAL(0.5));
    quartic_scaled s;
    s.nan = quartic_is_nan(&q);

    /* Lengths: scale the greatest to [1, 2). The divisor is a normal number, so that its inverse is finite. */
    vreal length = v_max(v_max(v_abs(q.px), v_abs(q.py)), v_abs(q.r));
    length = v_binade(v_select(v_gt(length, zero), v_max(length, least), one));
    vreal inverse = one / length;
    s.q.px = q.px * inverse;
    s.q.py = q.py * inverse;
    s.q.r = q.r * inverse;
    vreal vx = q.vx * inverse, vy = q.vy * inverse;
    vreal ax = q.ax * inverse, ay = q.ay * inverse;

    /* Time: choose the unit in which the greater of |v| and sqrt(|a|) is near 1. */
    vreal speed = v_binade(v_max(v_abs(vx), v_abs(vy)));
    vreal pull = v_binade(v_sqrt(v_max(v_abs(ax), v_abs(ay))));
    s.rate = v_max(v_max(speed, pull), least);
    s.unit = one / s.rate;
    s.q.vx = vx * s.unit;
    s.q.vy = vy * s.unit;
    s.q.ax = ax * s.unit * s.unit;
    s.q.ay = ay * s.unit * s.unit;

    /* A motion is tame if its numbers are as small as scaling should make them. A NaN makes this sum NaN; infinity
     * stays, or has become NaN. All other motions are replaced by a circle at rest. */
    vreal a = v_max(v_abs(s.q.ax), v_abs(s.q.ay)), v = v_abs(s.q.vx) + v_abs(s.q.vy);
    vreal p = v_abs(s.q.px) + v_abs(s.q.py) + v_abs(s.q.r);
    s.tame = v_le(p + v + (v_abs(s.q.ax) + v_abs(s.q.ay)), v_set1(32));
    if (!m_all(s.tame)) {
        s.q.px = v_select(s.tame, s.q.px, zero);
        s.q.py = v_select(s.tame, s.q.py, zero);
        s.q.vx = v_select(s.tame, s.q.vx, zero);
        s.q.vy = v_select(s.tame, s.q.vy, zero);
        s.q.ax = v_select(s.tame, s.q.ax, zero);
        s.q.ay = v_select(s.tame, s.q.ay, zero);
        s.q.r = v_select(s.tame, s.q.r, zero);
        s.rate = v_select(s.tame, s.rate, one);
        s.unit = v_select(s.tame, s.unit, one);
        p = v_select(s.tame, p, zero);
        v = v_select(s.tame, v, zero);
        a = v_select(s.tame, a, zero);
    }

    /* Terms that every evaluation of f needs. */
    s.hx = s.q.ax * half;
    s.hy = s.q.ay * half;
    s.rr = s.q.r * s.q.r;

    /* The latest time of a root, as derived above. */
    inverse = one / v_max(a, least);
    s.end = v_min(v_max(v * v_set1(4) * inverse, p + inverse), v_set1(QUARTIC_FAR));
    s.end = v_select(v_eq(a, zero), v_set1(8), s.end);
    return s;
}

/* f, g, h and k at one time, by Horner's rule from the vectors. */
typedef struct quartic_point {
    vreal f, g, h, k;
} quartic_point;

CAROM_LANE quartic_point quartic_at(const quartic_scaled *s, vreal t)
{
    const quartic_motion *q = &s->q;
    quartic_point e;
    vreal dx = q->px + t * (q->vx + t * s->hx);
    vreal dy = q->py + t * (q->vy + t * s->hy);
    vreal wx = q->vx + t * q->ax, wy = q->vy + t * q->ay;
    e.f = dx * dx + dy * dy - s->rr;
    e.g = dx * wx + dy * wy;
    e.k = wx * q->ax + wy * q->ay;
    e.h = wx * wx + wy * wy + (dx * q->ax + dy * q->ay);
    return e;
}

/* Is it certain that f has no root from here, where f > 0, to s = w? There k s^3 >= min(k w, 0) s^2, and the quadratic
 * f + 2 g s + (h + min(k w, 0)) s^2 below f stays above 0, by more than rounding: from afar, with the bodies many radii
 * apart, g^2 and h f say little about a near miss. (False if f <= 0.) */
CAROM_LANE vmask quartic_passes(quartic_point e, vreal w)
{
    const vreal zero = v_set1(0);
    vreal below = e.h + v_min(e.k * w, zero);
    return m_and(v_gt(below, zero), v_lt(e.g * e.g, below * e.f * v_set1(1 - 256 * QUARTIC_EPSILON)));
}

/* The search for the root of f in an interval in which it falls; the answer is +INFINITY if there is none.
 *
 * Lanes in `active` only; f(lo) > 0. In lanes of `concave` f has one root in [lo, hi]. In the others f is convex there
 * and initially falls from lo: f may reach 0, or have its minimum before. `hit`: f(hi) <= 0 is known, as always where f
 * is concave. [lo, hi] shrinks around the root, or around the minimum as long as no f <= 0 has been found:
 *     f(t) > 0 and g(t) < 0   the root is later: lo = t     (concave: whatever g is)
 *     otherwise               the root or the minimum is earlier: hi = t
 * The next t is the root of f + 2 g s + h s^2 (Euler's method, of third order; tangency does not slow it down; exact
 * for a = 0), or its minimum if it has no root. If that is outside, or the step is more than half of the last one, the
 * middle of [lo, hi] is used instead: either steps halve or the interval does, so the search ends.
 *
 * After a step s the rest k s^3 + |a|^2/4 s^4 of f moves the root by that over 2 sqrt(d): once this is below the
 * spacing of numbers the search is done. The step must then begin near the circle, f <= 4 r (lengths are near 1): d
 * loses g^2/h ~ |D|^2 times its rounding, and f itself, at the root, no less than r times that of D. */
typedef struct quartic_search_state {
    vreal lo, hi;  /* the bracket */
    vreal t, last; /* the next time to evaluate; the size of the last step */
    vmask concave; /* f is concave in the bracket, and has one root there */
    vmask hit;     /* f(hi) <= 0 */
} quartic_search_state;

/* Takes one step from s->t. Returns the lanes that are done, with their answers in *root. */
CAROM_LANE vmask quartic_step(const quartic_scaled *m, quartic_search_state *s, vreal *root)
{
    const vreal zero = v_set1(0), half = v_set1(REAL(0.5)), epsilon = v_set1(QUARTIC_EPSILON);
    const vreal quarter_aa = m->hx * m->hx + m->hy * m->hy;

    /* Shrink the bracket by the signs of f and g at t. */
    quartic_point e = quartic_at(m, s->t);
    vmask above = v_gt(e.f, zero), falling = v_lt(e.g, zero), left = m_and(above, m_or(falling, s->concave));
    s->lo = v_select(left, s->t, s->lo);
    s->hi = v_select(left, s->hi, s->t);
    s->hit = m_or(s->hit, m_not(above));

    /* Give up if f provably stays above 0 over the rest of the bracket. */
    vreal d = e.g * e.g - e.h * e.f, w = v_select(left, s->hi, s->lo) - s->t;
    vmask miss = m_andnot(quartic_passes(e, w), s->hit);

    /* Step to the earlier root of the quadratic, in the form that does not cancel, or to its minimum if it has no
     * root. */
    vmask near_root = m_and(falling, v_ge(d, zero));
    vreal slope = v_sqrt(v_max(d, zero));
    vreal top = v_select(near_root, e.f, -(e.g + slope));
    vreal inverse = v_set1(1) / v_select(near_root, slope - e.g, e.h);
    vreal step = top * inverse;

    /* Towards a minimum, include the next term of g and step slightly further: from beyond the minimum the quadratic
     * below f is the better bound. */
    vreal x = v_min(e.k * step * inverse * v_set1(REAL(-1.5)), v_set1(REAL(0.25)));
    vreal more = v_set1(REAL(1.0001)) + x * (v_set1(1) + (x + x));
    step = v_select(m_and(v_lt(d, zero), v_gt(x, zero)), step * more, step);

    /* Replace a step that leaves the bracket or fails to halve by a bisection. */
    vreal next = s->t + step, size = v_abs(step);
    vmask inside = m_and(v_gt(next, s->lo), v_lt(next, s->hi));
    vmask good = m_and(inside, v_le(size, s->last * half));

    /* Stop when the step's error is below the spacing of numbers, when the step has no effect, or when the bracket is
     * empty. */
    vreal width = (s->hi - s->lo) * half, spacing = v_abs(next) * epsilon;
    vreal rest = v_abs(size * (size * size) * (e.k + quarter_aa * step));
    vmask small = m_and(v_le(size, v_abs(next) * v_set1(REAL(0.0625))), v_le(v_abs(e.f), v_abs(m->q.r) * v_set1(4)));
    vmask exact = m_and(m_and(near_root, small), v_le(rest, spacing * slope));
    vmask still = v_le(size, spacing * half);           /* a step without effect */
    vmask narrow = v_le(width, epsilon * v_abs(s->hi)); /* nothing left to search */
    vmask settled = m_or(exact, still);

    /* A root is found if a step to one has settled, or if the bracket has closed around f <= 0. */
    vmask found = m_andnot(m_or(m_and(near_root, settled), s->hit), miss);
    vreal answer = v_select(settled, v_min(v_max(next, s->lo), s->hi), s->hi);
    *root = v_select(found, answer, v_set1(QUARTIC_NEVER));

    /* Continue from the step, or from the middle of the bracket. */
    s->t = v_select(good, next, s->lo + width);
    s->last = v_select(good, size, width);
    return m_or(m_or(settled, narrow), miss);
}

/* Searches [lo, hi], starting at t, in the lanes of `active`; +INFINITY in all others and if there is no root. */
CAROM_LANE vreal quartic_search(const quartic_scaled *m, vreal lo, vreal hi, vreal t, vmask active, vmask concave,
                                vmask hit)
{
    vreal root = v_set1(QUARTIC_NEVER), answer;
    quartic_search_state s = {lo, hi, t, hi - lo, concave, hit};
    for (int i = 0; i < QUARTIC_STEPS && m_any(active); i++) {
        vmask done = quartic_step(m, &s, &answer);
        root = v_select(m_and(active, done), answer, root);
        active = m_andnot(active, done);
    }
    return v_select(m_and(active, s.hit), s.hi, root);
}

/* A time in (lo, hi) with f > 0, or lo if there is none: f is concave, rising at lo and falling at hi. */
CAROM_LANE vreal quartic_peak(const quartic_scaled *m, vreal lo, vreal hi, vmask active)
{
    const vreal zero = v_set1(0), half = v_set1(REAL(0.5));
    vreal at = lo, t = (lo + hi) * half, last = hi - lo;
    for (int i = 0; i < QUARTIC_STEPS && m_any(active); i++) {
        /* Any time with f > 0 will do. Until one is found, shrink the bracket around the maximum, where g = 0. */
        quartic_point e = quartic_at(m, t);
        vmask above = v_gt(e.f, zero), rising = v_gt(e.g, zero);
        at = v_select(m_and(active, above), t, at);
        lo = v_select(rising, t, lo);
        hi = v_select(rising, hi, t);

        /* Newton's step for g = 0, or a bisection if it leaves the bracket or fails to halve. */
        vreal step = -(e.g / e.h), next = t + step, size = v_abs(step);
        vreal width = (hi - lo) * half;
        vmask good = m_and(m_and(v_gt(next, lo), v_lt(next, hi)), v_le(size, last * half));
        vmask done = v_le(v_min(size, width), v_set1(QUARTIC_EPSILON) * v_abs(hi));
        active = m_andnot(active, m_or(above, done));
        t = v_select(good, next, lo + width);
        last = v_select(good, size, width);
    }
    return at;
}

/* Where to search: `first` in [from, hi1], before f turns from convex to concave; `second` in [lo, hi], starting at t,
 * after that. `reached`: f(hi1) <= 0. `concave`: f is concave in the second interval. */
typedef struct quartic_plan {
    vreal from, hi1, lo, hi, t;
    vmask first, second, reached, concave;
} quartic_plan;

/* Plans the search in the lanes of `active`, starting at time `from`. `both`: plan the second interval even if the
 * first has a root. Intervals that begin after `limit` may be omitted. */
CAROM_LANE quartic_plan quartic_intervals(const quartic_scaled *m, vreal from, quartic_point start, vmask active,
                                          bool both, vreal limit)
{
    const vreal zero = v_set1(0);
    const quartic_motion *q = &m->q;
    quartic_plan plan;
    vreal aa = q->ax * q->ax + q->ay * q->ay, va = q->vx * q->ax + q->vy * q->ay;
    vreal vv = q->vx * q->vx + q->vy * q->vy, pa = q->px * q->ax + q->py * q->ay;

    /* Where f turns: the roots of h/3 = |a|^2/2 t^2 + v.a t + (|v|^2 + p.a)/3. */
    vreal free = (vv + pa) * v_set1(REAL(0.66666666666666667));
    vreal d = va * va - aa * free;
    vmask bent = m_and(active, v_gt(d, zero));

    /* Without inflections f is convex throughout: one interval, if f falls at its start. */
    plan.from = from;
    plan.hi1 = plan.lo = plan.hi = plan.t = m->end;
    plan.first = m_and(active, m_and(v_gt(start.f, zero), v_lt(start.g, zero)));
    plan.second = plan.reached = plan.concave = m_from_bits(0);
    if (!m_any(bent)) {
        plan.first = m_andnot(plan.first, quartic_passes(start, m->end - from));
        return plan;
    }

    /* c1 < c2, each by the form that does not cancel, clamped to the range searched. */
    vreal sum = -(va + v_flip(v_lt(va, zero), v_sqrt(v_max(d, zero))));
    vreal one = sum / aa, other = free / sum;
    vreal c2 = v_min(v_max(one, other), m->end);
    bent = m_and(bent, v_gt(c2, from));
    vreal c1 = v_select(bent, v_max(v_min(one, other), from), m->end);
    quartic_point turn1 = quartic_at(m, c1), turn2 = quartic_at(m, c2);

    /* The first interval has no impact if it is empty, or if f falls to its end without reaching 0. */
    vmask passed = m_or(v_le(c1, from), m_and(v_gt(turn1.f, zero), v_lt(turn1.g, zero)));
    plan.hi1 = c1;
    plan.t = c2;
    plan.reached = m_and(bent, v_le(turn1.f, zero));
    passed = m_or(m_and(bent, passed), m_andnot(quartic_passes(start, c1 - from), plan.reached));
    plan.first = m_andnot(plan.first, passed);

    /* A second impact needs f to fall at c2: before c2, where f is concave, if f(c2) <= 0, otherwise after it. If f
     * still falls at the end of the first interval, the circles overlap from the first impact until after c2. */
    plan.second = m_and(m_and(bent, v_lt(turn2.g, zero)), v_le(c1, limit));
    if (!both) {
        plan.second = m_and(plan.second, m_or(m_not(plan.first), v_ge(turn1.g, zero)));
    }
    plan.concave = m_and(plan.second, v_le(turn2.f, zero));
    plan.second = m_and(plan.second, m_or(plan.concave, v_le(c2, limit)));

    /* If they overlap at both c1 and c2, there is an impact in between only if f rises above 0 there. The search then
     * starts at such a time. */
    vmask inside = m_andnot(plan.concave, v_gt(turn1.f, zero));
    plan.lo = v_select(plan.concave, c1, c2);
    plan.hi = v_select(plan.concave, c2, m->end);
    if (m_any(inside)) {
        vmask rising = m_and(inside, v_gt(turn1.g, zero));
        plan.lo = v_select(inside, quartic_peak(m, c1, c2, rising), plan.lo);
        vmask apart = m_and(rising, v_gt(plan.lo, c1));
        plan.second = m_andnot(plan.second, m_andnot(inside, apart));
    }
    return plan;
}

/* When the circles come together in the first and in the second interval of a plan; +INFINITY: never. */
typedef struct quartic_entries {
    vreal first, second;
} quartic_entries;

CAROM_LANE quartic_entries quartic_enter(const quartic_scaled *m, vreal from, vmask active, bool both, vreal limit)
{
    const vreal never = v_set1(QUARTIC_NEVER);
    quartic_plan p = quartic_intervals(m, from, quartic_at(m, from), active, both, limit);
    quartic_entries e = {never, never};

    vmask now = m_or(p.first, p.second);
    if (m_any(now)) {
        /* Lanes without a first interval search the second one in the same pass. */
        vreal t = quartic_search(m, v_select(p.first, p.from, p.lo), v_select(p.first, p.hi1, p.hi),
                                 v_select(p.first, p.from, p.t), now, m_andnot(p.concave, p.first),
                                 m_select(p.first, p.reached, p.concave));
        e.first = v_select(p.first, t, never);
        e.second = v_select(p.first, never, t);

        vmask later = m_and(p.first, p.second);
        later = both ? later : m_and(later, v_eq(e.first, never));
        if (m_any(later)) {
            e.second = v_select(later, quartic_search(m, p.lo, p.hi, p.t, later, p.concave, p.concave), e.second);
        }
    }
    return e;
}

/* x y = high + low, exactly (Dekker); numbers near 1. */
CAROM_LANE void quartic_product(vreal x, vreal y, vreal *high, vreal *low)
{
    const vreal split = v_set1(QUARTIC_SPLIT + 1);
    vreal x1 = x * split, y1 = y * split;
    x1 = x1 - (x1 - x);
    y1 = y1 - (y1 - y);
    vreal x2 = x - x1, y2 = y - y1;
    *high = x * y;
    *low = x2 * y2 + (x1 * y1 - *high + x1 * y2 + x2 * y1);
}

/* p.v with the right sign: if the plain sum cancels, from the products' rounding errors. */
CAROM_LANE vreal quartic_approach(const quartic_motion *q)
{
    vreal h1, l1, h2, l2;
    quartic_product(q->px, q->vx, &h1, &l1);
    quartic_product(q->py, q->vy, &h2, &l2);
    /* h1 + h2 is exact if it is so small that l1 + l2 matters; both sums are split without loss. */
    vreal high = h1 + h2, low = l1 + l2, part = low - l1;
    vreal lost = l1 - (low - part) + (l2 - part);
    vreal sum = high + low;
    return v_select(v_eq(sum, v_set1(0)), lost, sum);
}

/* Do circles that overlap or touch at the start approach each other? The first nonzero derivative of f decides. */
CAROM_LANE vmask quartic_closing(const quartic_scaled *m, quartic_point start)
{
    const vreal zero = v_set1(0);
    vreal g = quartic_approach(&m->q);
    vmask third = m_and(v_eq(start.h, zero), v_lt(start.k, zero));
    return m_or(v_lt(g, zero), m_and(v_eq(g, zero), m_or(v_lt(start.h, zero), third)));
}

/* Is every point of the path up to `limit` (scaled) outside the circle? Sums of absolute coordinates bound the lengths
 * of vectors, and the factor far exceeds all rounding. */
CAROM_LANE vmask quartic_out_of_reach(const quartic_scaled *m, vreal limit)
{
    const quartic_motion *q = &m->q;
    vreal v = v_abs(q->vx) + v_abs(q->vy), a = v_abs(m->hx) + v_abs(m->hy);
    vreal reach = v_abs(q->r) + limit * (v + limit * a);
    vreal pp = q->px * q->px + q->py * q->py;
    return v_lt(reach * reach * v_set1(REAL(1.001)), pp);
}

/* The answer in the caller's unit of time: +INFINITY after the limit, and NaN if an input was NaN. */
CAROM_LANE vreal quartic_answer(const quartic_scaled *m, vreal t, vreal limit)
{
    vreal time = t * m->unit;
    time = v_select(v_le(time, limit), time, v_set1(QUARTIC_NEVER));
    return v_select(m->nan, v_set1((real)__builtin_nan("")), time);
}

/* Decides what needs no search. Returns the lanes to search; of the others, those in `closing` collide at 0, the rest
 * never. */
CAROM_LANE vmask quartic_begin(const quartic_scaled *m, vreal scaled_limit, quartic_point start, vmask *closing)
{
    vmask active = m_andnot(m->tame, quartic_out_of_reach(m, scaled_limit));
    vmask overlap = m_and(active, v_le(start.f, v_set1(0)));
    *closing = m_from_bits(0);
    if (m_any(overlap)) {
        *closing = m_and(overlap, quartic_closing(m, start));
    }
    return m_andnot(active, *closing);
}

/* The time of impact by the contract of carom/toi_accelerated.h. */
CAROM_LANE vreal quartic_time(quartic_motion q, vreal limit)
{
    const vreal zero = v_set1(0);
    quartic_scaled m = quartic_scale(q);
    vreal scaled_limit = limit * m.rate;
    vmask closing, active = quartic_begin(&m, scaled_limit, quartic_at(&m, zero), &closing);
    quartic_entries e = quartic_enter(&m, zero, active, false, scaled_limit);
    return quartic_answer(&m, v_select(closing, zero, v_min(e.first, e.second)), limit);
}

/* All real roots in ascending order, followed by +INFINITY. The times at which the circles separate are those at which
 * they come together in reversed time. */
CAROM_LANE void quartic_roots(quartic_motion q, vreal root[4])
{
    const vreal never = v_set1(QUARTIC_NEVER);
    quartic_scaled m = quartic_scale(q), back = m;

    /* Reverse the velocity to find exits as entries. */
    back.q.vx = -m.q.vx;
    back.q.vy = -m.q.vy;
    quartic_entries in = quartic_enter(&m, -m.end, m.tame, true, never);
    quartic_entries out = quartic_enter(&back, -m.end, m.tame, true, never);

    /* Each entry has its exit. If rounding has lost the partner, the flattest root is a double one. */
    vreal e1 = in.first, e2 = in.second, x1 = -out.second, x2 = -out.first;
    vmask has_e1 = v_lt(e1, never), has_e2 = v_lt(e2, never);
    vmask has_x1 = v_gt(x1, -never), has_x2 = v_gt(x2, -never);
    vmask both_e = m_and(has_e1, has_e2), both_x = m_and(has_x1, has_x2);
    vmask one_e = m_andnot(m_or(has_e1, has_e2), both_e), one_x = m_andnot(m_or(has_x1, has_x2), both_x);
    vmask no_e = m_not(m_or(has_e1, has_e2)), no_x = m_not(m_or(has_x1, has_x2));

    /* Choose the roots to double: of two candidates, the one where f has the smaller slope. */
    const vreal zero = v_set1(0);
#define QUARTIC_SLOPE(t, has) v_abs(quartic_at(&m, v_select(has, t, zero)).g)
    vmask e1_flat = v_lt(QUARTIC_SLOPE(e1, has_e1), QUARTIC_SLOPE(e2, has_e2));
    vmask x1_flat = v_lt(QUARTIC_SLOPE(x1, has_x1), QUARTIC_SLOPE(x2, has_x2));
#undef QUARTIC_SLOPE
    vmask copy_e1 = m_and(has_e1, m_or(no_x, m_and(m_and(both_e, one_x), e1_flat)));
    vmask copy_e2 = m_and(has_e2, m_or(no_x, m_andnot(m_and(both_e, one_x), e1_flat)));
    vmask copy_x1 = m_and(has_x1, m_or(no_e, m_and(m_and(both_x, one_e), x1_flat)));
    vmask copy_x2 = m_and(has_x2, m_or(no_e, m_andnot(m_and(both_x, one_e), x1_flat)));

    /* Put the roots, and the copies of double ones, into the four elements. */
    x1 = v_select(has_x1, x1, never);
    x2 = v_select(has_x2, x2, never);
    vreal a = e1, b = e2, c = x1, d = x2;
    c = v_select(m_and(copy_e1, m_not(has_x1)), e1, c);
    d = v_select(m_and(m_and(copy_e1, has_x1), m_not(has_x2)), e1, d);
    d = v_select(m_and(m_and(copy_e2, m_not(has_x2)), m_not(m_and(copy_e1, has_x1))), e2, d);
    c = v_select(m_and(m_and(copy_e2, has_x2), m_not(has_x1)), e2, c);
    a = v_select(m_and(copy_x1, m_not(has_e1)), x1, a);
    b = v_select(m_and(m_and(copy_x1, has_e1), m_not(has_e2)), x1, b);
    b = v_select(m_and(m_and(copy_x2, m_not(has_e2)), m_not(m_and(copy_x1, has_e1))), x2, b);
    a = v_select(m_and(m_and(copy_x2, has_e2), m_not(has_e1)), x2, a);

    /* Sort them with a network of five exchanges. */
#define QUARTIC_ORDER(x, y)                                                                                            \
    {                                                                                                                  \
        vreal less = v_min(x, y);                                                                                      \
        y = v_max(x, y);                                                                                               \
        x = less;                                                                                                      \
    }
    QUARTIC_ORDER(a, b)
    QUARTIC_ORDER(c, d)
    QUARTIC_ORDER(a, c)
    QUARTIC_ORDER(b, d)
    QUARTIC_ORDER(b, c)
#undef QUARTIC_ORDER

    /* Convert to the caller's unit of time. */
    root[0] = quartic_answer(&m, a, never);
    root[1] = quartic_answer(&m, b, never);
    root[2] = quartic_answer(&m, c, never);
    root[3] = quartic_answer(&m, d, never);
}

#endif
