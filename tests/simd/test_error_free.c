/* SPDX-License-Identifier: MIT
 * Arithmetic in twice the precision: exact operations are exact, the others keep their bounds, and every instruction
 * set gives the same bits, whether it fuses multiplications or not. Compiled like a kernel, once per instruction set
 * and precision; exits with 77 if this machine cannot run it.
 */
#include "test.h"

#include "simd/error_free.h"
#include "this_isa.h"
#include "wide.h"

#if CAROM_REAL_BITS == 64
#define DIGITS 53
#define NORMAL_LEAST DBL_MIN
#else
#define DIGITS 24
#define NORMAL_LEAST FLT_MIN
#endif

enum { ROUNDS = 400000 / LANES };

static uint64_t random_state;

static uint64_t random_bits(void)
{
    return rng_next(&random_state);
}

/* Of either sign, with an exponent in [low, high] and few or many digits. */
static real random_real(int low, int high)
{
    const uint64_t digits = random_bits() >> (64 - DIGITS) >> (random_bits() % 4 == 0 ? random_bits() % DIGITS : 0);
    const int exponent = low + (int)(random_bits() % (unsigned)(high - low + 1));
    const double a = ldexp((double)(digits | (uint64_t)1 << (DIGITS - 1)), exponent - DIGITS + 1);
    return (real)(random_bits() % 2 == 0 ? a : -a);
}

/* An unevaluated sum: any low part that is at most half a unit in the last place of the high one. */
static void random_twice(int low, int high, real *top, real *rest)
{
    *top = random_real(low, high);
    *rest = random_bits() % 8 == 0 ? 0 : random_real(low - 3 * DIGITS, low - DIGITS - 1);
    const real half = (real)ldexp(fabs((double)*top), -DIGITS);
    *rest = *rest == 0 ? 0 : (real)ldexp((double)half, -(int)(random_bits() % 6) - 1) * (*rest < 0 ? -1 : 1);
    *rest += *rest * (real)ldexp((double)(random_bits() % 1024), -12);
}

static void fail_at(const char *what, int lane, real a, real b, real high, real low)
{
    fail_msg("%s, lane %d of %d: a = %a, b = %a: %a + %a", what, lane, LANES, (double)a, (double)b, (double)high,
             (double)low);
}

static bool same_bits(real a, real b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* ---- sums ---- */

/* Exponents as far apart as 113 bits can hold. */
TEST(test_sums)
{
    const int apart = DIGITS == 53 ? 28 : 40;
    for (int k = 0; k < ROUNDS; k++) {
        real a[LANES], b[LANES], high[LANES], low[LANES], fast_high[LANES], fast_low[LANES];
        for (int l = 0; l < LANES; l++) {
            a[l] = random_real(-apart, apart);
            b[l] = random_real(-apart, apart);
            if (random_bits() % 4 == 0) { /* nearly cancelled */
                b[l] = -a[l] * (1 + (real)ldexp((double)(random_bits() % 16), 1 - DIGITS));
            }
        }
        const vreal x = v_loadu(a), y = v_loadu(b);
        const vmask order = v_ge(v_abs(x), v_abs(y));
        const vtwice s = v_two_sum(x, y), f = v_fast_two_sum(v_select(order, x, y), v_select(order, y, x));
        v_storeu(high, s.high);
        v_storeu(low, s.low);
        v_storeu(fast_high, f.high);
        v_storeu(fast_low, f.low);
        for (int l = 0; l < LANES; l++) {
            const bool exact = (wide)high[l] + (wide)low[l] == (wide)a[l] + (wide)b[l];
            if (!exact || !same_bits(high[l], a[l] + b[l])) {
                fail_at("v_two_sum", l, a[l], b[l], high[l], low[l]);
            }
            if (high[l] != fast_high[l] || low[l] != fast_low[l]) {
                fail_at("v_fast_two_sum", l, a[l], b[l], fast_high[l], fast_low[l]);
            }
        }
    }
}

/* ---- products ---- */

/* Dekker's error of a product, in plain C. */
static real plain_error(real a, real b)
{
    const real product = a * b, ca = a * ERROR_FREE_SPLIT, cb = b * ERROR_FREE_SPLIT;
    const real a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
    return a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2;
}

static void check_products(const real a[LANES], const real b[LANES])
{
    real high[LANES], low[LANES], dekker[LANES], own[LANES];
    const vreal x = v_loadu(a), y = v_loadu(b);
    const vtwice p = v_two_product(x, y);
    v_storeu(high, p.high);
    v_storeu(low, p.low);
    v_storeu(dekker, v_product_error_dekker(x, y, p.high));
    v_storeu(own, v_product_error(x, y, p.high));
    for (int l = 0; l < LANES; l++) {
        if (!same_bits(high[l], a[l] * b[l])) {
            fail_at("v_two_product: the product", l, a[l], b[l], high[l], low[l]);
        }
        if (fabs((double)high[l]) < (double)ERROR_FREE_LEAST) {
            if (!same_bits(low[l], 0)) {
                fail_at("v_two_product: an error of a small product", l, a[l], b[l], high[l], low[l]);
            }
            continue;
        }
        const wide error = (wide)a[l] * (wide)b[l] - (wide)high[l];
        const real plain = plain_error(a[l], b[l]);
        if ((wide)low[l] != error || !same_bits(low[l], own[l]) || low[l] != dekker[l] || low[l] != plain) {
            fail_at("v_two_product: the error", l, a[l], b[l], high[l], low[l]);
        }
        if (low[l] != 0 && (!same_bits(low[l], dekker[l]) || !same_bits(low[l], plain))) {
            fail_at("the error by Dekker", l, a[l], b[l], high[l], dekker[l]);
        }
        if (low[l] == 0 && !same_bits(low[l], dekker[l])) {
            fail_at("the sign of no error", l, a[l], b[l], high[l], low[l]);
        }
    }
}

TEST(test_products)
{
    const int most = DIGITS == 53 ? 400 : 30;
    for (int k = 0; k < ROUNDS; k++) {
        real a[LANES], b[LANES];
        for (int l = 0; l < LANES; l++) {
            a[l] = k % 2 == 0 ? random_real(-2, 2) : random_real(-most, most);
            b[l] = random_bits() % 8 == 0 ? a[l] : k % 2 == 0 ? random_real(-2, 2) : random_real(-most, most);
        }
        check_products(a, b);
    }
}

/* Products about the border below which there is no error term: it still is exact there, and 0 from the next one on. */
TEST(test_border)
{
    const int border = ilogb((double)ERROR_FREE_LEAST);
    size_t above = 0, below = 0;
    assert_true((double)ERROR_FREE_LEAST == ldexp((double)NORMAL_LEAST, 2 * DIGITS));
    for (int k = 0; k < ROUNDS; k++) {
        real a[LANES], b[LANES];
        for (int l = 0; l < LANES; l++) {
            const int part = (int)(random_bits() % (unsigned)-(border / 2));
            const double a_here = fabs((double)random_real(-part, -part));
            /* the quotient, rounded, gives a product within an ulp or some of the border */
            double b_here = (double)(real)((double)ERROR_FREE_LEAST / a_here);
            b_here *= random_bits() % 2 == 0 ? 1 : 1 + ldexp((double)(random_bits() % 64) - 32, 1 - DIGITS);
            a[l] = (real)a_here;
            b[l] = random_bits() % 8 == 0 ? random_real(border - 2 + part, border + 2 + part) : (real)b_here;
            b[l] = random_bits() % 2 == 0 ? b[l] : -b[l];
            *(fabs((double)(a[l] * b[l])) < (double)ERROR_FREE_LEAST ? &below : &above) += 1;
        }
        check_products(a, b);
    }
    assert_true(above > ROUNDS / 8 && below > ROUNDS / 8);
    const real zeros[] = {0, REAL(-0.0), 1, NORMAL_LEAST, (real)(NORMAL_LEAST / 4), ERROR_FREE_LEAST};
    for (int i = 0; i < 36; i++) {
        real a[LANES], b[LANES];
        for (int l = 0; l < LANES; l++) {
            a[l] = zeros[(i + l) % 6];
            b[l] = zeros[(i / 6 + l) % 6];
        }
        check_products(a, b);
    }
}

/* ---- in twice the precision ---- */

/* v_twice_add: 3 u u (|a| + |b|), u half the spacing at 1: half a unit each in a.low + b.low, which is at most
 * u (|a| + |b|), and in the sum with s.low, at most 2 u (|a| + |b|). v_twice_mul: 8 u u |a b|: u u of low * low, 2 of
 * the two other products, 2 of their sum, 3 of the sum with p.low. simd/error_free.h calls both some 2^-104 (f32:
 * 2^-46). */
TEST(test_twice)
{
    const wide u = (wide)ldexp(1, -DIGITS), slack = (wide)1.0001;
    double worst_sum = 0, worst_product = 0;
    for (int k = 0; k < ROUNDS; k++) {
        real a[2][LANES], b[2][LANES], sum[2][LANES], product[2][LANES];
        for (int l = 0; l < LANES; l++) {
            random_twice(-4, 4, &a[0][l], &a[1][l]);
            random_twice(-4, 4, &b[0][l], &b[1][l]);
            if (random_bits() % 4 == 0) { /* nearly cancelled */
                b[0][l] = -a[0][l];
                b[1][l] = random_bits() % 2 == 0 ? -a[1][l] : a[1][l] / 3;
            }
        }
        vtwice x, y;
        x.high = v_loadu(a[0]);
        x.low = v_loadu(a[1]);
        y.high = v_loadu(b[0]);
        y.low = v_loadu(b[1]);
        const vtwice s = v_twice_add(x, y), p = v_twice_mul(x, y), n = v_twice_neg(x);
        real minus[2][LANES];
        v_storeu(sum[0], s.high);
        v_storeu(sum[1], s.low);
        v_storeu(product[0], p.high);
        v_storeu(product[1], p.low);
        v_storeu(minus[0], n.high);
        v_storeu(minus[1], n.low);
        for (int l = 0; l < LANES; l++) {
            const wide wa = (wide)a[0][l] + (wide)a[1][l], wb = (wide)b[0][l] + (wide)b[1][l];
            /* 113 bits do not hold all products of twice 53: the remainder is below 2^-112. */
            const wide sum_error = wide_abs((wide)sum[0][l] - wa - wb + (wide)sum[1][l]);
            const wide product_error = wide_abs((wide)product[0][l] - wa * wb + (wide)product[1][l]);
            const wide sum_bound = 3 * u * u * (wide_abs(wa) + wide_abs(wb)) * slack;
            const wide product_bound = 8 * u * u * wide_abs(wa * wb) * slack;
            worst_sum = fmax(worst_sum, (double)(sum_error / (wide_abs(wa) + wide_abs(wb)) / u / u));
            worst_product = fmax(worst_product, (double)(product_error / wide_abs(wa * wb) / u / u));
            if (sum_error > sum_bound || !same_bits(sum[0][l], sum[0][l] + sum[1][l])) {
                fail_at("v_twice_add", l, a[0][l], b[0][l], sum[0][l], sum[1][l]);
            }
            if (product_error > product_bound || !same_bits(product[0][l], product[0][l] + product[1][l])) {
                fail_at("v_twice_mul", l, a[0][l], b[0][l], product[0][l], product[1][l]);
            }
            assert_true(same_bits(minus[0][l], -a[0][l]) && same_bits(minus[1][l], -a[1][l]));
        }
    }
    print_message("worst error of a sum %.2f, of a product %.2f, in units of 2^-%d\n", worst_sum, worst_product,
                  2 * DIGITS);
    assert_true(worst_sum > 0.5 && worst_product > 0.5); /* a bound that never bites shows nothing */
}

SET_UP
{
    needs_this_isa();
    random_state = test_seed(20);
}
