/* SPDX-License-Identifier: MIT
 * Cases of accelerating circles: game-like and adversarial distributions, and a certificate in long double.
 */
#include "quartic_cases.h"

#include <float.h>
#include <math.h>

#include "tests/random.h"

const char *const quartic_kind_names[QUARTIC_KINDS] = {
    "uniform, game-like", "grazing within 1e-6 r", "gaps of 1e-2 ... 1e-10 r", "far and fast",
    "tiny acceleration",  "equal accelerations",   "equal velocities",         "huge and tiny scales",
    "double touch",       "triple touch",          "thrown up, falling back",  "overlapping",
    "small integers",     "two wells alike",       "random exponents",         "far, fast and grazing"};

/* The motion that at time t has the position D, the velocity V and the acceleration a. */
static void back_from(double in[QUARTIC_INPUTS], double t, double dx, double dy, double vx, double vy, double ax,
                      double ay)
{
    in[2] = vx - ax * t;
    in[3] = vy - ay * t;
    in[0] = dx - vx * t + ax * t * t / 2;
    in[1] = dy - vy * t + ay * t * t / 2;
    in[4] = ax;
    in[5] = ay;
}

void quartic_case(int kind, bool single, uint64_t *state, double in[QUARTIC_INPUTS])
{
#define ANY(size) rng_in(state, -(size), (size))
    const double angle = ANY(3.141592653589793), c = cos(angle), s = sin(angle), t = exp2(ANY(3)), r = exp2(ANY(2));
    const double speed = exp2(ANY(4)), pull = exp2(ANY(4)), sign = rng_in(state, 0, 1) < 0.5 ? -1 : 1;
    double shift = exp2(-rng_in(state, 20, single ? 26 : 56));
    in[6] = r;
    switch (kind) {
    case 1: /* least distance r (1 +- shift) at t */
        back_from(in, t, r * (1 + sign * shift) * c, r * (1 + sign * shift) * s, -speed * s, speed * c, ANY(pull),
                  ANY(pull));
        break;
    case 2:
        shift = exp2(-rng_in(state, 6.6, single ? 22 : 33.3));
        back_from(in, 0, r * (1 + shift) * c, r * (1 + shift) * s, ANY(speed), ANY(speed), ANY(pull), ANY(pull));
        break;
    case 3: { /* at t somewhere near the circle */
        const double far = r * exp2(rng_in(state, 3, 13.3)) / t;
        back_from(in, t, ANY(1.5 * r), ANY(1.5 * r), far * c, far * s, ANY(far / t), ANY(far / t));
        break;
    }
    case 4:
        shift = exp2(-rng_in(state, 10, single ? 24 : 46));
        back_from(in, t, ANY(1.5 * r), ANY(1.5 * r), speed * c, speed * s, ANY(speed * shift), ANY(speed * shift));
        break;
    case 5:
        back_from(in, t, ANY(1.5 * r), ANY(1.5 * r), speed * c, speed * s, 0, 0);
        break;
    case 6:
        back_from(in, 0, r * ANY(8), r * ANY(8), 0, 0, ANY(pull), ANY(pull));
        break;
    case 7: {
        const double length = exp2(floor(ANY(single ? 12 : 150))), time = exp2(floor(ANY(single ? 8 : 70)));
        back_from(in, t, ANY(2 * r), ANY(2 * r), ANY(speed), ANY(speed), ANY(pull), ANY(pull));
        for (int k = 0; k < 6; k++) {
            in[k] *= k < 2 ? length : k < 4 ? length / time : length / time / time;
        }
        in[6] *= length;
        break;
    }
    case 8:   /* exact numbers: |D| = 5 n, V across D */
    case 9: { /* and |V|^2 + D.a = 0 */
        const double n = floor(rng_in(state, 1, 9)), u = floor(ANY(5)), w = kind == 8 ? 5 : -5 * u * u / n;
        const double cross = floor(ANY(4)), time = floor(rng_in(state, 1, 9)) / 2;
        const double along = kind == 8 ? floor(ANY(6)) : w;
        back_from(in, time, 3 * n, 4 * n, -4 * u, 3 * u, along * 0.6 - 4 * cross, along * 0.8 + 3 * cross);
        in[6] = 5 * n;
        break;
    }
    case 10: {
        const double bend = ANY(0.1) * exp2(-rng_in(state, 0, 30)), from = r * rng_in(state, -3, 6);
        back_from(in, 0, from * c + ANY(r), from * s + ANY(r), speed * c, speed * s, -pull * (c + bend),
                  -pull * (s + ANY(bend)));
        break;
    }
    case 11:
        back_from(in, 0, r * rng_in(state, 0, 1) * c, r * rng_in(state, 0, 1) * s, ANY(speed), ANY(speed), ANY(pull),
                  ANY(pull));
        break;
    case 12:
        for (int k = 0; k < QUARTIC_INPUTS; k++) {
            in[k] = floor(rng_in(state, -8, 9)) * (rng_in(state, 0, 1) < 0.7);
        }
        break;
    case 13: { /* D is nearly even about t: by turns near r, a little more, a little less */
        const double top = r * (1 + sign * shift), drift = speed * exp2(-rng_in(state, 0, 45));
        back_from(in, t, top * c, top * s, drift * -s, drift * c, -pull * (c + ANY(0.3)), -pull * (s + ANY(0.3)));
        break;
    }
    case 14:
        for (int k = 0; k < QUARTIC_INPUTS; k++) {
            in[k] = ANY(1) * exp2(ANY(single ? 8 : 20));
        }
        break;
    case 15: { /* a near miss or a near hit after a long path; the bend is as large as the radius */
        const double far = r * exp2(rng_in(state, 3, 13.3)) / t, bend = r / (t * t);
        shift = exp2(-rng_in(state, 2, single ? 26 : 54));
        back_from(in, t, r * (1 + sign * shift) * c, r * (1 + sign * shift) * s, -far * s, far * c, ANY(bend),
                  ANY(bend));
        break;
    }
    default:
        back_from(in, 0, ANY(8000), ANY(8000), ANY(1000), ANY(1000), ANY(500), ANY(500));
        in[6] = 800;
        break;
    }
    for (int k = 0; k < QUARTIC_INPUTS && single; k++) {
        in[k] = (double)(float)in[k];
    }
#undef ANY
}

/* f, g, h and k of kernel/toi/quartic.h at a time: |D|^2 - r^2, D.V, |V|^2 + D.a and V.a. Each comes with a bound of
 * its rounding error: 64 spacings of the sum of the amounts of all terms, of which the rounding of D and V is a part.
 * (f keeps D in place of one of the amounts, and so the square of D's own error.) */
typedef struct place {
    long double f, g, h, k, f_error, g_error, h_error, k_error;
} place;

static place place_at(const double in[QUARTIC_INPUTS], long double t)
{
    const long double unit = 64 * LDBL_EPSILON, ax = (long double)in[4], ay = (long double)in[5];
    const long double r = (long double)in[6], bx = fabsl(ax), by = fabsl(ay);
    const long double wx = in[2] + ax * t, wy = in[3] + ay * t;
    const long double ux = fabsl((long double)in[2]) + bx * t, uy = fabsl((long double)in[3]) + by * t;
    const long double dx = in[0] + t * (in[2] + t * ax / 2), dy = in[1] + t * (in[3] + t * ay / 2);
    const long double sx = fabsl((long double)in[0]) + t * (fabsl((long double)in[2]) + t * bx / 2);
    const long double sy = fabsl((long double)in[1]) + t * (fabsl((long double)in[3]) + t * by / 2);
    place e;
    e.f = dx * dx + dy * dy - r * r;
    e.g = dx * wx + dy * wy;
    e.h = wx * wx + wy * wy + dx * ax + dy * ay;
    e.k = wx * ax + wy * ay;
    e.f_error = unit * (fabsl(dx) * sx + fabsl(dy) * sy + r * r) + unit * unit * (sx * sx + sy * sy);
    e.g_error = unit * (sx * ux + sy * uy);
    e.h_error = unit * (ux * ux + uy * uy + sx * bx + sy * by);
    e.k_error = unit * (ux * bx + uy * by);
    return e;
}

double quartic_condition(const double in[QUARTIC_INPUTS], double t, double *size)
{
    const place e = place_at(in, (long double)t);
    const double dx = in[0] + t * (in[2] + t * in[4] / 2), dy = in[1] + t * (in[3] + t * in[5] / 2);
    const double sx = fabs(in[0]) + t * (fabs(in[2]) + t * fabs(in[4]) / 2);
    const double sy = fabs(in[1]) + t * (fabs(in[3]) + t * fabs(in[5]) / 2);
    *size = hypot(sx, sy);
    return (double)((fabs(dx) * sx + fabs(dy) * sy + in[6] * in[6]) / fabsl(e.g));
}

/* What f is at least and at most, and what g is at least, in all of [t, t + w]. */
typedef struct window {
    long double lowest, highest, rising;
} window;

/* The least of f + 2 g s + h s^2 for s in [0, w]. */
static long double least_of(long double f, long double g, long double h, long double w)
{
    return h > 0 && g < 0 && -g < h * w ? f - g * g / h : fminl(f, f + w * (2 * g + h * w));
}

/* f(t + s) = f + 2 g s + h s^2 + k s^3 + |a|^2/4 s^4 and half its derivative, g + h s + 3/2 k s^2 + |a|^2/2 s^3: the
 * highest terms are never negative and go with s^2 and s at most as at the window's end. */
static window window_at(const double in[QUARTIC_INPUTS], const place *e, long double w)
{
    const long double aa = (long double)in[4] * in[4] + (long double)in[5] * in[5];
    const long double k_least = fminl(e->k - e->k_error, 0) * w, k_most = fmaxl(e->k + e->k_error, 0) * w;
    const long double g_least = e->g - e->g_error, h_least = e->h - e->h_error;
    const long double top = e->h + e->h_error + k_most + aa * (w * w);
    window b;
    b.lowest = least_of(e->f - e->f_error, g_least, h_least + k_least, w);
    b.highest = -least_of(-(e->f + e->f_error), -(e->g + e->g_error), -top, w);
    b.rising = fminl(g_least, g_least + (h_least + k_least * 3 / 2) * w);
    return b;
}

/* How far f may be below 0 at t with |D| no less than r by more than `share` of max(|p| + |v| t + |a| t^2/2, r). */
static long double band_of(const double in[QUARTIC_INPUTS], long double t, double share)
{
    double size;
    const double r = fabs(in[6]);
    (void)quartic_condition(in, (double)t, &size);
    const long double depth = 0.999L * (long double)share * (long double)fmax(size * (1 - 1e-9), r);
    return depth < (long double)r ? depth * (2 * (long double)r - depth) : (long double)r * (long double)r;
}

/* Do the circles never meet in [from, to]? Each window shows one of three: f > 0; f rises; f < 0, as it has been since
 * `from`. With eps > 0 they may overlap, by no more than the band. `from` is no such time. */
static bool stays_apart(const double in[QUARTIC_INPUTS], long double from, long double to, double eps)
{
    long double w = to - from;
    bool apart = false;
    for (int i = 0; i < 400 && from < to; i++) {
        const long double next = fminl(from + w, to);
        const place e = place_at(in, from);
        const window b = window_at(in, &e, (next - from) * (1 + 4 * LDBL_EPSILON));
        const bool above = b.lowest > (eps > 0 ? -band_of(in, from, 4 * eps) : 0);
        if (above || b.rising > 0 || (b.highest < 0 && !apart)) {
            apart = apart || above;
            from = next;
            w *= 2;
        } else {
            w /= 2;
            if (!(from + w > from)) {
                return false;
            }
        }
    }
    return from >= to;
}

/* Is there a least distance near t, and is the distance from there to t in the band? *before: a time just before. */
static bool least_in_band(const double in[QUARTIC_INPUTS], long double t, double eps, long double *before)
{
    const place e = place_at(in, t);
    const long double band = band_of(in, t * 0.999L, 4 * eps);
    if (!(e.h > e.h_error)) {
        return false;
    }
    const long double least = t - e.g / e.h;
    for (long double w = sqrtl(band / e.h) / 2; w * w * e.h > band / 1000; w /= 2) {
        const long double a = fminl(t, least - w), b = fmaxl(t, least + w);
        if (a > t * 0.999L && b < t * 1.001L) {
            const place first = place_at(in, a), last = place_at(in, b);
            const window span = window_at(in, &first, (b - a) * (1 + 4 * LDBL_EPSILON));
            if (first.g < -first.g_error && last.g > last.g_error && span.lowest > -band && span.highest < band) {
                *before = a;
                return true;
            }
        }
    }
    return false;
}

/* The times at which they come together are before this one: |a| t^2/2 <= |v| t + |p| + r, as in the kernel. */
static long double latest(const double in[QUARTIC_INPUTS])
{
    const double a = hypot(in[4], in[5]), v = hypot(in[2], in[3]), p = hypot(in[0], in[1]) + fabs(in[6]);
    return (long double)(a > 0 ? fmax(4 * v / a, 2 * sqrt(p / a)) : v > 0 ? p / v : 0) * 1.001L;
}

/* Does f fall through 0 within w of t, for some w, and by how many units of eps times the condition number at any such
 * time may t be wrong at most? INFINITY if that is not seen. *before = t - w. */
static double root_near(const double in[QUARTIC_INPUTS], long double t, double eps, long double *before)
{
    const place there = place_at(in, t);
    const long double r = (long double)in[6];
    if (!(fabsl(there.f) + there.f_error < band_of(in, t, 16 * eps))) {
        return INFINITY;
    }
    for (long double w = t * (long double)eps / 2; w < t / 4; w *= 2) {
        const place first = place_at(in, t - w), last = place_at(in, t + w);
        if (first.f > first.f_error && last.f < -last.f_error) {
            const long double steepest = window_at(in, &first, 2 * w * (1 + 4 * LDBL_EPSILON)).rising;
            long double sum = r * r;
            for (int k = 0; k < 2; k++) { /* the condition's numerator, at least */
                const long double p = in[k], v = in[2 + k], a = in[4 + k], moved = w * (fabsl(v) + fabsl(a) * (t + w));
                const long double s = fabsl(p) + (t - w) * (fabsl(v) + (t - w) * fabsl(a) / 2);
                sum += s * fmaxl(fabsl(p + t * (v + t * a / 2)) - moved, 0);
            }
            *before = t - w;
            return (double)(w * fmaxl(-steepest, 0) / ((long double)eps * sum)) * 1.001;
        }
    }
    return INFINITY;
}

quartic_verdict quartic_certify(const double in[QUARTIC_INPUTS], double t, double eps, double *error)
{
    const place start = place_at(in, 0);
    const bool inside = start.f < -start.f_error;
    *error = 0;
    if (t == 0 && inside && start.g < -start.g_error) {
        return QUARTIC_GOOD;
    }
    if (!(t > 0) || !(start.f > start.f_error || (inside && start.g > start.g_error))) {
        return QUARTIC_UNSURE;
    }
    if (isinf(t)) {
        const long double end = latest(in);
        if (!isfinite((double)end)) {
            return QUARTIC_UNSURE;
        }
        return stays_apart(in, 0, end, 0) ? QUARTIC_GOOD : stays_apart(in, 0, end, eps) ? QUARTIC_BAND : QUARTIC_UNSURE;
    }
    long double before;
    *error = root_near(in, (long double)t, eps, &before);
    if (*error <= 16) {
        return stays_apart(in, 0, before, 0) ? QUARTIC_GOOD : QUARTIC_UNSURE;
    }
    *error = 0;
    return least_in_band(in, (long double)t, eps, &before) && stays_apart(in, 0, before, eps) ? QUARTIC_BAND
                                                                                              : QUARTIC_UNSURE;
}
