/* SPDX-License-Identifier: MIT
 * The oracle of mpfr_toi.h.
 */
#include "mpfr_toi.h"

#include <float.h>
#include <math.h>

#define MOST_BITS (MPFR_TOI_BITS + 2 * 2200) /* see bits_of(); 2200 exponents of a double, subnormal ones included */

/* The number 0 of `bits` on the stack. */
#define NUMBER(name, bits)                                                                                             \
    mp_limb_t name##_limbs[MOST_BITS / GMP_NUMB_BITS + 1];                                                             \
    mpfr_t name;                                                                                                       \
    mpfr_custom_init_set(name, MPFR_ZERO_KIND, 0, bits, name##_limbs)

/* Extra bits for the cancellation in q = p + v t, to get the circles' distance from r at t. Few pairs need any. */
static mpfr_prec_t bits_of(const double pair[5])
{
    const double most = fmax(fabs(pair[0]), fabs(pair[1])), r = fabs(pair[4]);
    const int lost = most > 0 && r > 0 ? ilogb(most) - ilogb(r) : 0;
    return MPFR_TOI_BITS + (lost > 64 ? 2 * lost : 0);
}

/* ---- sums of products, rounded once ---- */

/* A product of up to six inputs has 6 * 53 bits: it is exact. */
static void multiply(mpfr_t product, const double *factors, int count)
{
    mpfr_set_d(product, factors[0], MPFR_RNDN);
    for (int k = 1; k < count; k++) {
        mpfr_mul_d(product, product, factors[k], MPFR_RNDN);
    }
}

/* |x||y| */
static void multiply_amounts(mpfr_t product, mpfr_t x, double y)
{
    mpfr_mul_d(product, x, y, MPFR_RNDN);
    mpfr_abs(product, product, MPFR_RNDN);
}

/* x x' + y y' */
static void dot(mpfr_t sum, double x, double x2, double y, double y2)
{
    NUMBER(first, mpfr_get_prec(sum));
    NUMBER(second, mpfr_get_prec(sum));
    multiply(first, (const double[]){x, x2}, 2);
    multiply(second, (const double[]){y, y2}, 2);
    mpfr_add(sum, first, second, MPFR_RNDN);
}

/* c = p.p - r r */
static void contact(mpfr_t c, double px, double py, double r)
{
    NUMBER(x, mpfr_get_prec(c));
    NUMBER(y, mpfr_get_prec(c));
    NUMBER(z, mpfr_get_prec(c));
    multiply(x, (const double[]){px, px}, 2);
    multiply(y, (const double[]){py, py}, 2);
    multiply(z, (const double[]){-r, r}, 2);
    const mpfr_ptr terms[] = {x, y, z};
    mpfr_sum(c, terms, 3, MPFR_RNDN);
}

/* d = b b - a c = r r a - (p x v)^2, multiplied out */
static void discriminant(mpfr_t d, const double pair[5])
{
    const double px = pair[0], py = pair[1], vx = pair[2], vy = pair[3], r = pair[4];
    NUMBER(rx, mpfr_get_prec(d));
    NUMBER(ry, mpfr_get_prec(d));
    NUMBER(xy, mpfr_get_prec(d));
    NUMBER(yx, mpfr_get_prec(d));
    NUMBER(mixed, mpfr_get_prec(d));
    multiply(rx, (const double[]){r, r, vx, vx}, 4);
    multiply(ry, (const double[]){r, r, vy, vy}, 4);
    multiply(xy, (const double[]){-px, px, vy, vy}, 4);
    multiply(yx, (const double[]){-py, py, vx, vx}, 4);
    multiply(mixed, (const double[]){2, px, py, vx, vy}, 5);
    const mpfr_ptr terms[] = {rx, ry, xy, yx, mixed};
    mpfr_sum(d, terms, 5, MPFR_RNDN);
}

/* ---- the answer ---- */

void exact_toi_init(exact_toi *x)
{
    mpfr_inits2(MPFR_TOI_BITS, x->entry, x->entry_spread, x->start_spread, x->extent, (mpfr_ptr)NULL);
}

void exact_toi_clear(exact_toi *x)
{
    mpfr_clears(x->entry, x->entry_spread, x->start_spread, x->extent, (mpfr_ptr)NULL);
}

/* S for contact at time t, when the distance changes with q.v = slope. */
static void spread_at(mpfr_t spread, const double pair[5], mpfr_t t, mpfr_t slope)
{
    NUMBER(q, mpfr_get_prec(t));
    NUMBER(term, mpfr_get_prec(t));
    NUMBER(moved, mpfr_get_prec(t));
    multiply(spread, (const double[]){pair[4], pair[4]}, 2);
    for (int k = 0; k < 2; k++) {
        mpfr_mul_d(q, t, pair[2 + k], MPFR_RNDN);
        mpfr_add_d(q, q, pair[k], MPFR_RNDN);
        multiply_amounts(term, q, pair[k]);
        mpfr_add(spread, spread, term, MPFR_RNDN);
        multiply_amounts(term, q, pair[2 + k]);
        mpfr_add(moved, moved, term, MPFR_RNDN);
    }
    mpfr_mul(moved, moved, t, MPFR_RNDN);
    mpfr_abs(moved, moved, MPFR_RNDN);
    mpfr_add(spread, spread, moved, MPFR_RNDN);
    mpfr_div(spread, spread, slope, MPFR_RNDN);
    mpfr_abs(spread, spread, MPFR_RNDN);
}

/* (distance - r) / extent */
static double clearance(const exact_toi *x, mpfr_t distance)
{
    NUMBER(left, mpfr_get_prec(x->entry));
    mpfr_sub_d(left, distance, fabs(x->pair[4]), MPFR_RNDN);
    mpfr_div(left, left, x->extent, MPFR_RNDN);
    return mpfr_zero_p(x->extent) ? 0 : mpfr_get_d(left, MPFR_RNDN);
}

static void measure_clearances(exact_toi *x, mpfr_t a)
{
    const double *p = x->pair, *v = p + 2;
    NUMBER(distance, mpfr_get_prec(x->entry));
    NUMBER(speed, mpfr_get_prec(x->entry));
    dot(distance, p[0], p[0], p[1], p[1]);
    mpfr_sqrt(distance, distance, MPFR_RNDN);
    mpfr_set_d(x->extent, fabs(p[4]), MPFR_RNDN);
    mpfr_max(x->extent, x->extent, distance, MPFR_RNDN);
    x->gap = clearance(x, distance);
    x->passing = 0;
    if (x->moves) {
        dot(distance, p[0], v[1], -p[1], v[0]);
        mpfr_sqrt(speed, a, MPFR_RNDN);
        mpfr_div(distance, distance, speed, MPFR_RNDN);
        mpfr_abs(distance, distance, MPFR_RNDN);
        x->passing = clearance(x, distance);
    }
}

void exact_toi_solve(exact_toi *x, carom_precision precision, const double pair[5])
{
    x->precision = precision;
    x->has_nan = x->has_infinity = x->moves = x->meets = false;
    for (int k = 0; k < 5; k++) {
        x->pair[k] = pair[k];
        x->has_nan = x->has_nan || isnan(pair[k]);
        x->has_infinity = x->has_infinity || isinf(pair[k]);
    }
    if (x->has_nan || x->has_infinity) {
        return;
    }
    const double *p = x->pair, *v = p + 2;
    const mpfr_prec_t bits = bits_of(pair);
    NUMBER(a, bits);
    NUMBER(b, bits);
    NUMBER(c, bits);
    NUMBER(d, bits);
    NUMBER(zero, bits);
    dot(a, v[0], v[0], v[1], v[1]);
    dot(b, p[0], v[0], p[1], v[1]);
    contact(c, p[0], p[1], p[4]);
    discriminant(d, pair);
    mpfr_set_prec(x->entry, bits);
    x->sign_b = mpfr_sgn(b);
    x->sign_c = mpfr_sgn(c);
    x->moves = mpfr_sgn(a) > 0;
    x->meets = x->moves && mpfr_sgn(d) >= 0;
    measure_clearances(x, a);
    if (x->sign_b != 0) {
        spread_at(x->start_spread, pair, zero, b);
    }
    if (x->meets) {
        mpfr_sqrt(d, d, MPFR_RNDN);
        if (x->sign_b < 0) { /* c / (-b + sqrt d) */
            mpfr_sub(b, d, b, MPFR_RNDN);
            mpfr_div(x->entry, c, b, MPFR_RNDN);
        } else { /* -(b + sqrt d) / a */
            mpfr_add(b, b, d, MPFR_RNDN);
            mpfr_div(x->entry, b, a, MPFR_RNDN);
            mpfr_neg(x->entry, x->entry, MPFR_RNDN);
        }
        spread_at(x->entry_spread, pair, x->entry, d);
    }
}

toi_kind exact_toi_kind(const exact_toi *x, toi_question question)
{
    if (x->has_nan) {
        return TOI_NAN;
    }
    if (x->has_infinity || !x->moves) {
        return TOI_NEVER;
    }
    if (question == TOI_BEHIND) {
        return x->meets && mpfr_sgn(x->entry) <= 0 ? TOI_ROOT : TOI_NEVER;
    }
    if (question == TOI_TICK && x->sign_c < 0) {
        return TOI_NOW;
    }
    if (x->sign_b >= 0) {
        return TOI_NEVER;
    }
    if (x->sign_c <= 0) {
        return TOI_NOW;
    }
    return !x->meets || (question == TOI_TICK && mpfr_cmp_ui(x->entry, 1) > 0) ? TOI_NEVER : TOI_ROOT;
}

double exact_toi_time(const exact_toi *x, toi_question question)
{
    switch (exact_toi_kind(x, question)) {
    case TOI_NAN:
        return NAN;
    case TOI_NEVER:
        return INFINITY;
    case TOI_NOW:
        return 0;
    default:
        return x->precision == CAROM_F32 ? (double)mpfr_get_flt(x->entry, MPFR_RNDN) : mpfr_get_d(x->entry, MPFR_RNDN);
    }
}

/* ---- the verdict ---- */

static double epsilon_of(const exact_toi *x)
{
    return x->precision == CAROM_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* Half of it is the best accuracy of a subnormal t, whatever its condition. */
static double least_of(const exact_toi *x)
{
    return x->precision == CAROM_F32 ? 0x1p-149 : 0x1p-1074;
}

/* Numbers below half of the least positive one round to 0; up to it, an error of one unit. */
static bool rounds_to_zero(const exact_toi *x)
{
    NUMBER(amount, mpfr_get_prec(x->entry));
    mpfr_abs(amount, x->entry, MPFR_RNDN);
    return mpfr_cmp_d(amount, least_of(x)) < 0;
}

/* The spacing of the precision's numbers at the entry, subnormal ones included. */
static void spacing(mpfr_t unit, const exact_toi *x)
{
    const bool single = x->precision == CAROM_F32;
    const long lowest = single ? -149 : -1074;
    const long power = mpfr_zero_p(x->entry) ? lowest : (long)mpfr_get_exp(x->entry) - (single ? 24 : 53);
    mpfr_set_ui_2exp(unit, 1, power > lowest ? power : lowest, MPFR_RNDN);
}

/* value / unit as a double, DBL_MAX if it is greater than that. */
static double in_units(mpfr_t value, mpfr_t unit)
{
    NUMBER(quotient, mpfr_get_prec(value));
    if (mpfr_zero_p(value)) {
        return 0;
    }
    mpfr_div(quotient, value, unit, MPFR_RNDN);
    mpfr_abs(quotient, quotient, MPFR_RNDN);
    return mpfr_get_d(quotient, MPFR_RNDZ);
}

static double condition_error(const exact_toi *x, mpfr_srcptr spread, mpfr_t error)
{
    NUMBER(unit, MPFR_TOI_BITS);
    mpfr_mul_d(unit, spread, epsilon_of(x), MPFR_RNDN);
    if (mpfr_cmp_d(unit, least_of(x)) < 0) {
        mpfr_set_d(unit, least_of(x), MPFR_RNDN);
    }
    return in_units(error, unit);
}

static double position_error(const exact_toi *x, double t)
{
    NUMBER(distance, mpfr_get_prec(x->entry));
    NUMBER(q, mpfr_get_prec(x->entry));
    NUMBER(unit, MPFR_TOI_BITS);
    for (int k = 0; k < 2; k++) {
        mpfr_set_d(q, t, MPFR_RNDN);
        mpfr_mul_d(q, q, x->pair[2 + k], MPFR_RNDN);
        mpfr_add_d(q, q, x->pair[k], MPFR_RNDN);
        mpfr_sqr(q, q, MPFR_RNDN);
        mpfr_add(distance, distance, q, MPFR_RNDN);
    }
    mpfr_sqrt(distance, distance, MPFR_RNDN);
    mpfr_sub_d(distance, distance, fabs(x->pair[4]), MPFR_RNDN);
    mpfr_mul_d(unit, x->extent, epsilon_of(x), MPFR_RNDN);
    for (int k = 0; k < 2; k++) {
        mpfr_set_d(q, fabs(x->pair[2 + k]), MPFR_RNDN);
        mpfr_mul_d(q, q, least_of(x), MPFR_RNDN);
        mpfr_max(unit, unit, q, MPFR_RNDN);
    }
    return in_units(distance, unit);
}

/* At the edge of the tick: the root and 1 are within the band's share of the spread. */
static bool ends_with_tick(const exact_toi *x)
{
    NUMBER(left, mpfr_get_prec(x->entry));
    if (!x->meets || mpfr_inf_p(x->entry_spread)) {
        return false;
    }
    mpfr_sub_ui(left, x->entry, 1, MPFR_RNDN);
    return condition_error(x, x->entry_spread, left) <= MPFR_TOI_BAND;
}

/* Which decisions behind a wrong answer are within rounding. */
static bool is_in_band(const exact_toi *x, toi_question question, bool about_contact)
{
    const double band = MPFR_TOI_BAND * epsilon_of(x);
    const bool touching = fabs(x->gap) <= band;
    if (about_contact || !x->moves) {
        return x->moves && touching;
    }
    return fabs(x->passing) <= band || (question != TOI_AHEAD && touching) ||
           (question == TOI_TICK && ends_with_tick(x));
}

/* An answer that the question does not have. -0 is none to "ahead" and "within the tick". */
static bool is_breach(const exact_toi *x, toi_question question, double answer)
{
    if (x->has_nan || isnan(answer)) {
        return !(x->has_nan && isnan(answer));
    }
    if (!isfinite(answer)) {
        return answer < 0;
    }
    return x->has_infinity || (question == TOI_BEHIND ? answer > 0 : signbit(answer)) ||
           (question == TOI_TICK && answer > 1);
}

toi_verdict exact_toi_judge(const exact_toi *x, toi_question question, double answer)
{
    const toi_kind kind = exact_toi_kind(x, question);
    const bool finite = isfinite(answer), contact_matters = question != TOI_BEHIND;
    toi_verdict v = {.hit = kind == TOI_NOW || kind == TOI_ROOT};
    v.broken = is_breach(x, question, answer);
    if (kind == TOI_NAN || isnan(answer)) {
        return v;
    }
    const bool too_late = kind == TOI_ROOT && isinf(exact_toi_time(x, question)); /* a root beyond all numbers */
    const bool other_contact = contact_matters && finite && v.hit && (kind == TOI_NOW) != (answer == 0) &&
                               !(kind == TOI_ROOT && rounds_to_zero(x));
    v.missed = (v.hit && !finite && !too_late) || (other_contact && kind == TOI_NOW);
    v.false_hit = (!v.hit && finite) || (other_contact && kind == TOI_ROOT);
    v.outside = (v.missed || v.false_hit) && !is_in_band(x, question, other_contact);
    if (!v.hit || !finite) {
        return v;
    }
    NUMBER(error, mpfr_get_prec(x->entry));
    NUMBER(unit, mpfr_get_prec(x->entry));
    mpfr_set_d(error, answer, MPFR_RNDN);
    if (kind == TOI_NOW) {
        if (x->sign_b != 0) { /* a tick's overlap may be at b = 0 */
            v.condition = condition_error(x, x->start_spread, error);
        }
        return v;
    }
    mpfr_sub(error, error, x->entry, MPFR_RNDN);
    spacing(unit, x);
    v.timed = true;
    v.ulp = in_units(error, unit);
    v.position = position_error(x, answer);
    v.condition = condition_error(x, x->entry_spread, error);
    return v;
}
