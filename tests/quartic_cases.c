/* SPDX-License-Identifier: MIT
 * Cases of accelerating circles: game-like and adversarial distributions, and a certificate in long double.
 */
#include "quartic_cases.h"

#include <float.h>
#include <math.h>

const char *const quartic_kind_names[QUARTIC_KINDS] = {
    "uniform, game-like", "grazing within 1e-6 r", "gaps of 1e-2 ... 1e-10 r", "far and fast",
    "tiny acceleration",  "equal accelerations",   "equal velocities",         "huge and tiny scales",
    "double touch",       "triple touch",          "thrown up, falling back",  "overlapping",
    "small integers",     "two wells alike",       "random exponents",         "far, fast and grazing"};

static double uniform(uint64_t *state, double low, double high)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* The motion that at time t has the place D, the velocity V and the acceleration a. */
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
#define ANY(size) uniform(state, -(size), (size))
    const double angle = ANY(3.141592653589793), c = cos(angle), s = sin(angle), t = exp2(ANY(3)), r = exp2(ANY(2));
    const double speed = exp2(ANY(4)), pull = exp2(ANY(4)), sign = uniform(state, 0, 1) < 0.5 ? -1 : 1;
    double shift = exp2(-uniform(state, 20, single ? 26 : 56));
    in[6] = r;
    switch (kind) {
    case 1: /* least distance r (1 +- shift) at t */
        back_from(in, t, r * (1 + sign * shift) * c, r * (1 + sign * shift) * s, -speed * s, speed * c, ANY(pull),
                  ANY(pull));
        break;
    case 2:
        shift = exp2(-uniform(state, 6.6, single ? 22 : 33.3));
        back_from(in, 0, r * (1 + shift) * c, r * (1 + shift) * s, ANY(speed), ANY(speed), ANY(pull), ANY(pull));
        break;
    case 3: { /* at t somewhere near the circle */
        const double far = r * exp2(uniform(state, 3, 13.3)) / t;
        back_from(in, t, ANY(1.5 * r), ANY(1.5 * r), far * c, far * s, ANY(far / t), ANY(far / t));
        break;
    }
    case 4:
        shift = exp2(-uniform(state, 10, single ? 24 : 46));
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
        const double n = floor(uniform(state, 1, 9)), u = floor(ANY(5)), w = kind == 8 ? 5 : -5 * u * u / n;
        const double cross = floor(ANY(4)), time = floor(uniform(state, 1, 9)) / 2;
        const double along = kind == 8 ? floor(ANY(6)) : w;
        back_from(in, time, 3 * n, 4 * n, -4 * u, 3 * u, along * 0.6 - 4 * cross, along * 0.8 + 3 * cross);
        in[6] = 5 * n;
        break;
    }
    case 10: {
        const double bend = ANY(0.1) * exp2(-uniform(state, 0, 30)), from = r * uniform(state, -3, 6);
        back_from(in, 0, from * c + ANY(r), from * s + ANY(r), speed * c, speed * s, -pull * (c + bend),
                  -pull * (s + ANY(bend)));
        break;
    }
    case 11:
        back_from(in, 0, r * uniform(state, 0, 1) * c, r * uniform(state, 0, 1) * s, ANY(speed), ANY(speed), ANY(pull),
                  ANY(pull));
        break;
    case 12:
        for (int k = 0; k < QUARTIC_INPUTS; k++) {
            in[k] = floor(uniform(state, -8, 9)) * (uniform(state, 0, 1) < 0.7);
        }
        break;
    case 13: { /* D is nearly even about t: by turns near r, a little more, a little less */
        const double top = r * (1 + sign * shift), drift = speed * exp2(-uniform(state, 0, 45));
        back_from(in, t, top * c, top * s, drift * -s, drift * c, -pull * (c + ANY(0.3)), -pull * (s + ANY(0.3)));
        break;
    }
    case 14:
        for (int k = 0; k < QUARTIC_INPUTS; k++) {
            in[k] = ANY(1) * exp2(ANY(single ? 8 : 20));
        }
        break;
    case 15: { /* a near miss or a near hit after a long way; the bend is as large as the radius */
        const double far = r * exp2(uniform(state, 3, 13.3)) / t, bend = r / (t * t);
        shift = exp2(-uniform(state, 2, single ? 26 : 54));
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

typedef struct place {
    long double f, g, h, k, margin;
} place;

static place place_at(const double in[QUARTIC_INPUTS], long double t)
{
    place e;
    const long double ax = (long double)in[4], ay = (long double)in[5], r = (long double)in[6];
    const long double wx = in[2] + ax * t, wy = in[3] + ay * t;
    const long double dx = in[0] + t * (in[2] + t * ax / 2), dy = in[1] + t * (in[3] + t * ay / 2);
    const long double sx = fabsl((long double)in[0]) + t * (fabsl((long double)in[2]) + t * fabsl(ax) / 2);
    const long double sy = fabsl((long double)in[1]) + t * (fabsl((long double)in[3]) + t * fabsl(ay) / 2);
    e.f = dx * dx + dy * dy - r * r;
    e.g = dx * wx + dy * wy;
    e.h = wx * wx + wy * wy + dx * ax + dy * ay;
    e.k = wx * ax + wy * ay;
    e.margin = 64 * LDBL_EPSILON * (fabsl(dx) * sx + fabsl(dy) * sy + r * r) +
               LDBL_EPSILON * LDBL_EPSILON * 4096 * (sx * sx + sy * sy);
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

/* f > 0 on [from, to]? Over a window of length w f lies above f + 2 g s + k' s^2 with k' = h + min(k w, 0): windows are
 * halved until that is positive. The margin covers the rounding of f at the window's start; g's and h's are to theirs
 * as f's to its, and enter with s times V and V^2, which the sizes of the window's end cover. */
static bool stays_apart(const double in[QUARTIC_INPUTS], long double from, long double to)
{
    long double w = to - from;
    for (int i = 0; i < 200; i++) {
        if (from >= to) {
            return true;
        }
        w = fminl(w, to - from);
        const place e = place_at(in, from);
        const long double margin = fmaxl(e.margin, place_at(in, from + w).margin) * 4;
        const long double k = e.h + fminl(e.k * w, 0);
        long double least = fminl(e.f, e.f + w * (2 * e.g + k * w));
        if (k > 0 && e.g < 0 && -e.g < k * w) {
            least = e.f - e.g * e.g / k;
        }
        if (least > margin) {
            from += w;
            w *= 2;
        } else if (e.f <= margin) {
            return false;
        } else {
            w /= 2;
        }
    }
    return false;
}

quartic_verdict quartic_certify(const double in[QUARTIC_INPUTS], double t, double eps, double *error)
{
    const place start = place_at(in, 0);
    const long double slack = 64 * LDBL_EPSILON * (long double)(fabs(in[0] * in[2]) + fabs(in[1] * in[3]));
    *error = 0;
    if (t == 0 && start.f < -start.margin && start.g < -slack) {
        return QUARTIC_GOOD;
    }
    if (!(start.f > start.margin) || t <= 0) {
        return QUARTIC_UNSURE;
    }
    if (isinf(t)) { /* |a| t^2/2 <= |v| t + |p| + r, as in the kernel */
        const double a = hypot(in[4], in[5]), v = hypot(in[2], in[3]), p = hypot(in[0], in[1]) + fabs(in[6]);
        const double end = a > 0 ? fmax(4 * v / a, 2 * sqrt(p / a)) : v > 0 ? p / v : 0;
        return end < 1e100 && stays_apart(in, 0, (long double)end * 1.001L) ? QUARTIC_GOOD : QUARTIC_UNSURE;
    }
    double size;
    const double condition = quartic_condition(in, t, &size);
    for (double units = 0.5; units <= 16; units *= 2) {
        const long double away = (long double)(units * eps * condition);
        const place before = place_at(in, (long double)t - away), after = place_at(in, (long double)t + away);
        if (!(away < (long double)t / 4)) {
            return QUARTIC_UNSURE;
        }
        const long double least = fabsl(place_at(in, (long double)t).g) / 2;
        if (!(before.g < -least && after.g < -least)) { /* the root's condition is not that of t */
            return QUARTIC_UNSURE;
        }
        if (before.f > before.margin && after.f < -after.margin) {
            *error = units;
            return stays_apart(in, 0, (long double)t - away) ? QUARTIC_GOOD : QUARTIC_UNSURE;
        }
    }
    return QUARTIC_UNSURE;
}
