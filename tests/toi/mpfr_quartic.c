/* SPDX-License-Identifier: MIT
 * The oracle of accelerating circles. At 400 bits: the roots of h = g', between them those of g = f'/2, between them
 * those of f; every interval is monotonic, so that a change of sign is a root and none is missed.
 */
#include "mpfr_quartic.h"

#include <math.h>
#include <mpfr.h>

enum { BITS = 400 };
#define NEAREST MPFR_RNDN

static mpfr_t input[QUARTIC_INPUTS], dx, dy, wx, wy, x, y;
static bool ready;

static void load(const double in[QUARTIC_INPUTS])
{
    if (!ready) {
        for (int k = 0; k < QUARTIC_INPUTS; k++) {
            mpfr_init2(input[k], BITS);
        }
        mpfr_inits2(BITS, dx, dy, wx, wy, x, y, (mpfr_ptr)0);
        ready = true;
    }
    for (int k = 0; k < QUARTIC_INPUTS; k++) {
        mpfr_set_d(input[k], in[k], NEAREST);
    }
}

/* The position and the velocity at t. */
static void move(mpfr_srcptr t)
{
    for (int k = 0; k < 2; k++) {
        mpfr_ptr d = k == 0 ? dx : dy, w = k == 0 ? wx : wy;
        mpfr_mul(w, input[4 + k], t, NEAREST);
        mpfr_div_2ui(d, w, 1, NEAREST);
        mpfr_add(d, d, input[2 + k], NEAREST);
        mpfr_mul(d, d, t, NEAREST);
        mpfr_add(d, d, input[k], NEAREST);
        mpfr_add(w, w, input[2 + k], NEAREST);
    }
}

static void dot(mpfr_ptr out, mpfr_srcptr ax, mpfr_srcptr ay, mpfr_srcptr bx, mpfr_srcptr by)
{
    mpfr_fmma(out, ax, bx, ay, by, NEAREST);
}

/* Derivatives of f/2 of order 0, 1, 2; order 0 is f itself. */
static void value(int order, mpfr_ptr out, mpfr_srcptr t)
{
    move(t);
    if (order == 0) {
        dot(out, dx, dy, dx, dy);
        mpfr_sqr(x, input[6], NEAREST);
        mpfr_sub(out, out, x, NEAREST);
    } else if (order == 1) {
        dot(out, dx, dy, wx, wy);
    } else {
        dot(out, wx, wy, wx, wy);
        dot(x, dx, dy, input[4], input[5]);
        mpfr_add(out, out, x, NEAREST);
    }
}

/* value() in long double. */
static long double rough(int order, const long double in[QUARTIC_INPUTS], long double t)
{
    const long double ux = in[2] + in[4] * t, uy = in[3] + in[5] * t;
    const long double sx = in[0] + t * (in[2] + t * in[4] / 2), sy = in[1] + t * (in[3] + t * in[5] / 2);
    return order == 0   ? sx * sx + sy * sy - in[6] * in[6]
           : order == 1 ? sx * ux + sy * uy
                        : ux * ux + uy * uy + sx * in[4] + sy * in[5];
}

/* Narrows [lo, hi], in which the function changes its sign, around the root in long double; unchanged if the signs
 * there, at full precision, disagree. */
static void narrow(int order, mpfr_ptr lo, mpfr_ptr hi, mpfr_ptr e, int sign)
{
    long double in[QUARTIC_INPUTS], from = mpfr_get_ld(lo, MPFR_RNDU), to = mpfr_get_ld(hi, MPFR_RNDD);
    for (int k = 0; k < QUARTIC_INPUTS; k++) {
        in[k] = mpfr_get_ld(input[k], NEAREST);
    }
    long double t = from / 2 + to / 2;
    for (int i = 0; i < 200 && from < to; i++) {
        const long double f = rough(order, in, t);
        *(sign * f > 0 ? &from : &to) = t;
        long double next = t - f / (rough(order + 1, in, t) * (order == 0 ? 2 : 1));
        next = next > from && next < to ? next : from / 2 + to / 2;
        const bool done = fabsl(next - t) <= 0x1p-60L * next;
        t = next;
        if (done) {
            break;
        }
    }
    for (int side = 0; side < 2; side++) { /* ends nearer to the root, where the sign there is the end's */
        mpfr_set_ld(x, side == 0 ? t * (1 - 0x1p-50L) : t * (1 + 0x1p-50L), NEAREST);
        mpfr_ptr end = side == 0 ? lo : hi;
        if (mpfr_cmp(x, lo) > 0 && mpfr_cmp(x, hi) < 0) {
            mpfr_set(y, x, NEAREST);
            value(order, e, y);
            if (mpfr_sgn(e) * sign * (side == 0 ? 1 : -1) > 0) {
                mpfr_set(end, y, NEAREST);
            }
        }
    }
}

/* The root of a monotonic function in [a, b] where its signs differ: Newton's method, kept within the interval. */
static void root_of(int order, mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b)
{
    mpfr_t lo, hi, e, slope, bend, step, last, zero;
    mpfr_inits2(BITS, lo, hi, e, slope, bend, step, last, zero, (mpfr_ptr)0);
    mpfr_set_ui(zero, 0, NEAREST);
    mpfr_set(lo, a, NEAREST);
    mpfr_set(hi, b, NEAREST);
    value(order, e, lo);
    const int sign = mpfr_sgn(e);
    narrow(order, lo, hi, e, sign);
    mpfr_add(out, lo, hi, NEAREST);
    mpfr_div_2ui(out, out, 1, NEAREST);
    mpfr_sub(last, hi, lo, NEAREST);
    for (int i = 0; i < 2000; i++) {
        value(order, e, out);
        if (mpfr_zero_p(e)) {
            break;
        }
        mpfr_set(mpfr_sgn(e) == sign ? lo : hi, out, NEAREST);
        value(order + 1, slope, out);
        if (order == 0) { /* Euler's method, which a double root does not slow down: f falls, so g < 0 */
            value(2, bend, out);
            mpfr_fmms(bend, slope, slope, bend, e, NEAREST);
            mpfr_sqrt(bend, mpfr_sgn(bend) > 0 ? bend : zero, NEAREST);
            mpfr_sub(slope, slope, bend, NEAREST);
        }
        mpfr_div(step, e, slope, NEAREST);
        mpfr_sub(x, out, step, NEAREST);
        mpfr_div_2ui(last, last, 1, NEAREST);
        const bool good = !mpfr_nan_p(x) && mpfr_cmp(x, lo) > 0 && mpfr_cmp(x, hi) < 0 && mpfr_cmpabs(step, last) < 0;
        if (good) {
            mpfr_abs(last, step, NEAREST);
        } else {
            mpfr_add(x, lo, hi, NEAREST);
            mpfr_div_2ui(x, x, 1, NEAREST);
            mpfr_sub(last, hi, lo, NEAREST);
        }
        mpfr_set(out, x, NEAREST);
        mpfr_abs(y, out, NEAREST);
        mpfr_div_2ui(y, y, BITS / 2 - 20, NEAREST);
        if (mpfr_cmp(last, y) <= 0) {
            break;
        }
    }
    mpfr_clears(lo, hi, e, slope, bend, step, last, zero, (mpfr_ptr)0);
}

/* The points between which the function of `order` is monotonic are at[0..n-1], ascending, the ends included. Its roots
 * within, between the same ends: the number of points. */
static int refine(int order, mpfr_t *at, int n, mpfr_t *to)
{
    mpfr_t e, next;
    mpfr_inits2(BITS, e, next, (mpfr_ptr)0);
    int count = 0;
    mpfr_set(to[count++], at[0], NEAREST);
    for (int i = 0; i + 1 < n; i++) {
        value(order, e, at[i]);
        value(order, next, at[i + 1]);
        if (mpfr_zero_p(next) && i + 2 < n) {
            mpfr_set(to[count++], at[i + 1], NEAREST);
        } else if (mpfr_sgn(e) * mpfr_sgn(next) < 0) {
            root_of(order, to[count++], at[i], at[i + 1]);
        }
    }
    mpfr_set(to[count++], at[n - 1], NEAREST);
    mpfr_clears(e, next, (mpfr_ptr)0);
    return count;
}

typedef struct exact {
    double t, clear;       /* the first impact, and the first that rounding cannot undo: see shallow() */
    bool band, start_band; /* see quartic_judge() */
    double error;          /* |given t - t|, where both are finite */
} exact;

/* Is the distance at t within `share` of max(size, r) from r? */
static bool in_band(const double in[QUARTIC_INPUTS], mpfr_srcptr t, double share)
{
    double size;
    (void)quartic_condition(in, mpfr_get_d(t, NEAREST), &size);
    value(0, y, t);
    mpfr_sqr(x, input[6], NEAREST);
    mpfr_add(y, y, x, NEAREST);
    mpfr_sqrt(y, y, NEAREST);
    mpfr_abs(x, input[6], NEAREST);
    mpfr_sub(y, y, x, NEAREST);
    return fabs(mpfr_get_d(y, NEAREST)) <= share * fmax(size, fabs(in[6]));
}

/* Does g = D.V differ from 0 by no more than rounding does? */
static bool nearly_flat(const double in[QUARTIC_INPUTS], mpfr_srcptr t, double eps)
{
    double size;
    const double time = mpfr_get_d(t, NEAREST);
    (void)quartic_condition(in, time, &size);
    const double speed = hypot(fabs(in[2]) + fabs(in[4]) * time, fabs(in[3]) + fabs(in[5]) * time);
    value(1, y, t);
    return fabs(mpfr_get_d(y, NEAREST)) <= 8 * eps * size * speed;
}

/* f falls through 0 between `from` and `to`, two of its extrema or its ends: is one of them in the band, or a turning
 * point between them? */
static bool shallow(const double in[QUARTIC_INPUTS], mpfr_srcptr from, mpfr_srcptr to, mpfr_t *turn, int turns,
                    double eps)
{
    bool yes = in_band(in, from, 4 * eps) || in_band(in, to, 4 * eps);
    for (int i = 1; i + 1 < turns; i++) {
        yes = yes || (mpfr_cmp(turn[i], from) > 0 && mpfr_cmp(turn[i], to) < 0 && nearly_flat(in, turn[i], eps) &&
                      in_band(in, turn[i], 4 * eps));
    }
    return yes;
}

static bool touches(const double in[QUARTIC_INPUTS], double t, double share)
{
    mpfr_t at;
    mpfr_init2(at, BITS);
    mpfr_set_d(at, t, NEAREST);
    load(in);
    const bool near_r = in_band(in, at, share);
    mpfr_clear(at);
    return near_r;
}

/* Of the motion that is loaded; `in` serves to judge sizes. */
static exact solve(const double in[QUARTIC_INPUTS], double given, double eps)
{
    enum { MOST = 8 };
    mpfr_t turn[MOST], flat[MOST], e, next, end;
    exact answer = {INFINITY, INFINITY, false, false, INFINITY};
    int n = 0;
    for (int k = 0; k < MOST; k++) {
        mpfr_inits2(BITS, turn[k], flat[k], (mpfr_ptr)0);
    }
    mpfr_inits2(BITS, e, next, end, (mpfr_ptr)0);

    /* All roots are before 1 + max(4 |v|/|a|, 2 sqrt((|p| + r)/|a|)), without acceleration before (|p| + r)/|v|. */
    mpfr_t a, v, p;
    mpfr_inits2(BITS, a, v, p, (mpfr_ptr)0);
    mpfr_hypot(p, input[0], input[1], NEAREST);
    mpfr_abs(e, input[6], NEAREST);
    mpfr_add(p, p, e, NEAREST);
    mpfr_hypot(v, input[2], input[3], NEAREST);
    mpfr_hypot(a, input[4], input[5], NEAREST);
    if (!mpfr_zero_p(a)) {
        mpfr_div(v, v, a, NEAREST);
        mpfr_mul_ui(v, v, 4, NEAREST);
        mpfr_div(p, p, a, NEAREST);
        mpfr_sqrt(p, p, NEAREST);
        mpfr_mul_ui(p, p, 2, NEAREST);
        mpfr_max(end, v, p, NEAREST);
    } else if (!mpfr_zero_p(v)) {
        mpfr_div(end, p, v, NEAREST);
    } else {
        mpfr_set_ui(end, 0, NEAREST);
    }
    mpfr_mul_d(end, end, 1.0625, NEAREST);

    /* Roots of h: 3/2 |a|^2 t^2 + 3 v.a t + |v|^2 + p.a */
    mpfr_set_ui(turn[n++], 0, NEAREST);
    if (!mpfr_zero_p(a)) {
        dot(a, input[4], input[5], input[4], input[5]);
        dot(v, input[2], input[3], input[4], input[5]);
        dot(p, input[2], input[3], input[2], input[3]);
        dot(e, input[0], input[1], input[4], input[5]);
        mpfr_add(p, p, e, NEAREST);
        mpfr_mul(p, p, a, NEAREST);
        mpfr_mul_ui(p, p, 2, NEAREST);
        mpfr_div_ui(p, p, 3, NEAREST);
        mpfr_sqr(e, v, NEAREST);
        mpfr_sub(e, e, p, NEAREST);
        if (mpfr_sgn(e) > 0) {
            mpfr_sqrt(e, e, NEAREST);
            for (int side = -1; side <= 1; side += 2) {
                mpfr_mul_si(next, e, side, NEAREST);
                mpfr_sub(next, next, v, NEAREST);
                mpfr_div(next, next, a, NEAREST);
                if (mpfr_sgn(next) > 0 && mpfr_cmp(next, end) < 0) {
                    mpfr_set(turn[n++], next, NEAREST);
                }
            }
        }
    }
    mpfr_set(turn[n++], end, NEAREST);
    const int points = refine(1, turn, n, flat);

    value(0, e, flat[0]);
    answer.start_band = in_band(in, flat[0], 4 * eps);
    bool zero = false;
    if (mpfr_sgn(e) <= 0) { /* do they come closer? */
        value(1, e, flat[0]);
        value(2, next, flat[0]);
        zero = mpfr_sgn(e) < 0 || (mpfr_zero_p(e) && mpfr_sgn(next) < 0);
        if (mpfr_zero_p(e) && mpfr_zero_p(next)) {
            move(flat[0]);
            dot(e, wx, wy, input[4], input[5]);
            zero = mpfr_sgn(e) < 0;
        } else if (mpfr_zero_p(e)) { /* |v|^2 + p.a is decided by rounding, too */
            const double all = in[2] * in[2] + in[3] * in[3] + fabs(in[0] * in[4]) + fabs(in[1] * in[5]);
            answer.start_band = answer.start_band || fabs(mpfr_get_d(next, NEAREST)) <= 8 * eps * all;
        }
    }
    if (zero) {
        answer.t = 0;
        answer.clear = answer.start_band ? INFINITY : 0;
        answer.error = fabs(given);
    }
    for (int i = 0; i + 1 < points && isinf(answer.clear); i++) {
        value(0, e, flat[i]);
        value(0, next, flat[i + 1]);
        const bool enters = mpfr_sgn(e) > 0 && mpfr_sgn(next) <= 0;
        const bool clear = enters && !shallow(in, flat[i], flat[i + 1], turn, n, eps);
        if (clear || (enters && isinf(answer.t))) {
            root_of(0, a, flat[i], flat[i + 1]);
            answer.clear = clear ? mpfr_get_d(a, NEAREST) : INFINITY;
        }
        if (enters && isinf(answer.t)) {
            answer.t = mpfr_get_d(a, NEAREST);
            if (isfinite(given)) {
                mpfr_sub_d(e, a, given, NEAREST);
                answer.error = fabs(mpfr_get_d(e, NEAREST));
            }
        }
    }
    for (int i = 1; i + 1 < points; i++) {
        answer.band = answer.band || in_band(in, flat[i], 4 * eps);
    }
    for (int i = 1; i + 1 < n; i++) {
        answer.band = answer.band || (nearly_flat(in, turn[i], eps) && in_band(in, turn[i], 4 * eps));
    }
    for (int k = 0; k < MOST; k++) {
        mpfr_clears(turn[k], flat[k], (mpfr_ptr)0);
    }
    mpfr_clears(e, next, end, a, v, p, (mpfr_ptr)0);
    return answer;
}

double quartic_exact(const double in[QUARTIC_INPUTS])
{
    load(in);
    return solve(in, INFINITY, 0).t;
}

double quartic_exact_from(const double in[QUARTIC_INPUTS], double px, double py)
{
    load(in);
    mpfr_sub_d(input[0], input[0], px, NEAREST);
    mpfr_sub_d(input[1], input[1], py, NEAREST);
    return solve(in, INFINITY, 0).t;
}

quartic_verdict quartic_judge(const double in[QUARTIC_INPUTS], double t, double eps, double *error)
{
    load(in);
    const exact truth = solve(in, t, eps);
    double size;
    *error = 0;
    if (isnan(t)) {
        return QUARTIC_FALSE;
    }
    if (isinf(truth.t) && isinf(t)) {
        return QUARTIC_GOOD;
    }
    if (truth.t == 0 && t == 0) {
        return QUARTIC_GOOD;
    }
    if (isfinite(truth.t) && isfinite(t) && truth.t > 0) {
        const double units = truth.error / (eps * quartic_condition(in, truth.t, &size));
        if (units <= 16 && touches(in, t, 16 * eps)) { /* far from the root the condition number is meaningless */
            *error = units;
            return QUARTIC_GOOD;
        }
    }
    const double slack = truth.clear > 0 ? 16 * eps * quartic_condition(in, truth.clear, &size) : 0;
    if ((truth.band || truth.start_band) && (isinf(truth.clear) || t <= truth.clear + slack)) {
        if (isinf(t) || (t == 0 && truth.start_band) || touches(in, t, 4 * eps)) {
            return QUARTIC_BAND;
        }
    }
    if (isfinite(truth.t) && isfinite(t) && truth.t > 0) {
        *error = truth.error / (eps * quartic_condition(in, truth.t, &size));
        if (*error < 1e6) {
            return QUARTIC_INEXACT;
        }
    }
    return t > truth.t ? QUARTIC_MISSED : QUARTIC_FALSE;
}
