/* SPDX-License-Identifier: MIT
 * The oracle of walls under acceleration. The distance from a wall first falls to r where the centre is at that
 * distance from a side, between its ends, or from a corner: the earliest of these times is the impact.
 */
#include "mpfr_walls.h"

#include "mpfr_quartic.h"

#include <math.h>
#include <mpfr.h>

enum { BITS = 400 };
#define NEAREST MPFR_RNDN

/* A side from (x, y), its direction (ex, ey) as long as the side is. */
typedef struct side {
    mpfr_t x, y, ex, ey;
} side;

static side new_side(double x0, double y0, double x1, double y1)
{
    side s;
    mpfr_inits2(BITS, s.x, s.y, s.ex, s.ey, (mpfr_ptr)0);
    mpfr_set_d(s.x, x0, NEAREST);
    mpfr_set_d(s.y, y0, NEAREST);
    mpfr_set_d(s.ex, x1, NEAREST);
    mpfr_sub_d(s.ex, s.ex, x0, NEAREST);
    mpfr_set_d(s.ey, y1, NEAREST);
    mpfr_sub_d(s.ey, s.ey, y0, NEAREST);
    return s;
}

static void free_side(side *s)
{
    mpfr_clears(s->x, s->y, s->ex, s->ey, (mpfr_ptr)0);
}

/* out = ux * x + uy * y of the position (order 0, relative to the side's first end), the velocity or half the
 * acceleration, u being the side's direction or, if `across`, that turned to its left. */
static void along(mpfr_ptr out, const side *s, const double in[QUARTIC_INPUTS], int order, bool across)
{
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)0);
    mpfr_set_d(x, in[2 * order], NEAREST);
    mpfr_set_d(y, in[2 * order + 1], NEAREST);
    if (order == 0) {
        mpfr_sub(x, x, s->x, NEAREST);
        mpfr_sub(y, y, s->y, NEAREST);
    }
    if (across) {
        mpfr_fmms(out, s->ex, y, s->ey, x, NEAREST);
    } else {
        mpfr_fmma(out, s->ex, x, s->ey, y, NEAREST);
    }
    if (order == 2) {
        mpfr_div_2ui(out, out, 1, NEAREST);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* Is the centre between the ends of the side at t? */
static bool beside(const side *s, const double in[QUARTIC_INPUTS], mpfr_srcptr t)
{
    mpfr_t u, term, length;
    mpfr_inits2(BITS, u, term, length, (mpfr_ptr)0);
    along(u, s, in, 2, false);
    for (int order = 1; order >= 0; order--) {
        mpfr_mul(u, u, t, NEAREST);
        along(term, s, in, order, false);
        mpfr_add(u, u, term, NEAREST);
    }
    mpfr_fmma(length, s->ex, s->ex, s->ey, s->ey, NEAREST);
    const bool is = mpfr_sgn(u) >= 0 && mpfr_cmp(u, length) <= 0;
    mpfr_clears(u, term, length, (mpfr_ptr)0);
    return is;
}

/* The earliest t >= 0 at which the centre is at `distance` (either sign) to the left of the side, and between its ends
 * unless the side is `endless`. */
static double reach(const side *s, const double in[QUARTIC_INPUTS], double distance, bool endless)
{
    mpfr_t a, b, c, d, t;
    double first = INFINITY;
    mpfr_inits2(BITS, a, b, c, d, t, (mpfr_ptr)0);
    along(a, s, in, 2, true);
    along(b, s, in, 1, true);
    along(c, s, in, 0, true);
    mpfr_hypot(d, s->ex, s->ey, NEAREST);
    mpfr_mul_d(d, d, distance, NEAREST);
    mpfr_sub(c, c, d, NEAREST); /* a t^2 + b t + c = 0 */
    mpfr_mul(d, a, c, NEAREST);
    mpfr_mul_2ui(d, d, 2, NEAREST);
    mpfr_sqr(t, b, NEAREST);
    mpfr_sub(d, t, d, NEAREST);
    for (int sign = -1; sign <= 1 && mpfr_sgn(d) >= 0; sign += 2) {
        if (mpfr_zero_p(a)) {
            mpfr_div(t, c, b, NEAREST);
            mpfr_neg(t, t, NEAREST);
        } else {
            mpfr_sqrt(t, d, NEAREST);
            mpfr_mul_si(t, t, sign, NEAREST);
            mpfr_sub(t, t, b, NEAREST);
            mpfr_div(t, t, a, NEAREST);
            mpfr_div_2ui(t, t, 1, NEAREST);
        }
        if (mpfr_number_p(t) && mpfr_sgn(t) >= 0 && (endless || beside(s, in, t))) {
            first = fmin(first, mpfr_get_d(t, NEAREST));
        }
    }
    mpfr_clears(a, b, c, d, t, (mpfr_ptr)0);
    return first;
}

double walls_exact(exact_wall what, const double in[QUARTIC_INPUTS], const double wall[4])
{
    const double x0 = wall[0], y0 = wall[1], x1 = wall[2], y1 = wall[3], r = fabs(in[6]);
    const double x = in[0], y = in[1];
    /* Counterclockwise: within is to the left of every side. */
    const double corners[5][2] = {{x0, y0}, {x1, what == EXACT_SEGMENT ? y1 : y0}, {x1, y1}, {x0, y1}, {x0, y0}};
    const int sides = what == EXACT_POINT ? 0 : what == EXACT_SEGMENT ? 1 : 4;
    const int corner_count = what == EXACT_POINT ? 1 : what == EXACT_SEGMENT ? 2 : 4;
    const bool within = what == EXACT_BOX && x >= x0 && x <= x1 && y >= y0 && y <= y1;
    double first = INFINITY;
    if (within && fmin(fmin(x - x0, x1 - x), fmin(y - y0, y1 - y)) <= r) {
        return 0;
    }
    for (int k = 0; k < sides; k++) {
        side s = new_side(corners[k][0], corners[k][1], corners[k + 1][0], corners[k + 1][1]);
        first = fmin(first, reach(&s, in, r, within));
        if (!within) {
            first = fmin(first, reach(&s, in, -r, false));
        }
        free_side(&s);
    }
    for (int k = 0; k < corner_count && !within; k++) {
        first = fmin(first, quartic_exact_from(in, corners[k][0], corners[k][1]));
    }
    return first;
}
