/* SPDX-License-Identifier: MIT
 * The time of impact of every variant against 113 bits, with an error bound derived for its equation and its root; the
 * same for both roots, the normal and the positions; what "accurate" promises, except at the very border.
 */
#include "test.h"

#include <float.h>

#include "tests/simd/wide.h"
#include "toi_cases.h"

/* The equation of a pair, without error, and the sums of the amounts of its terms. */
typedef struct truth {
    wide x[5]; /* px, py, vx, vy, r */
    wide a, b, c, d;
    wide big_b, big_c; /* |px vx| + |py vy|, p.p + r*r */
    wide rr, big_x;    /* r*r, |px vy| + |py vx| */
    wide entry, exit;  /* where d >= 0 and a > 0 */
} truth;

static truth truth_of(carom_precision precision, const inputs *in, size_t i)
{
    truth e;
    for (int k = 0; k < 5; k++) {
        e.x[k] = (wide)get(precision, in->of[k], i);
    }
    const wide pp = e.x[0] * e.x[0] + e.x[1] * e.x[1], cross = e.x[0] * e.x[3] - e.x[1] * e.x[2];
    e.a = e.x[2] * e.x[2] + e.x[3] * e.x[3];
    e.b = e.x[0] * e.x[2] + e.x[1] * e.x[3];
    e.rr = e.x[4] * e.x[4];
    e.c = pp - e.rr;
    e.d = e.rr * e.a - cross * cross; /* cancels less than b*b - a*c */
    e.big_b = wide_abs(e.x[0] * e.x[2]) + wide_abs(e.x[1] * e.x[3]);
    e.big_c = pp + e.rr;
    e.big_x = wide_abs(e.x[0] * e.x[3]) + wide_abs(e.x[1] * e.x[2]);
    const wide w = e.b < 0 ? wide_sqrt(e.d) - e.b : -wide_sqrt(e.d) - e.b;
    const wide one = e.a > 0 ? w / e.a : 0, other = w != 0 ? e.c / w : 0;
    e.entry = e.b < 0 ? other : one;
    e.exit = e.b < 0 ? one : other;
    return e;
}

/* How far the computed numbers may be off. */
typedef struct errors {
    wide b, c, d;
    wide minus, quotient; /* of (-b - sqrt d) / a and c / (-b + sqrt d), relatively; more than 0.01: unknown */
} errors;

/* With u half the spacing at 1, the computed coefficients are off by at most
 *     a: 2 u a     b: 2 u B     c: 3 u C     r*r: u r*r     p x v: 2 u X
 *     d = b*b - a*c: 2 B (2 u B) + u B B + a (3 u C) + 3 u a C + u (B B + a C) = u (6 B B + 7 a C)
 *     d = r*r*a - (p x v)^2: 4 u r*r*a + 5 u X X + u (r*r*a + X X) = u (5 r*r*a + 6 X X)
 *     d by error-free products of the rounded a, b, c: 4 u B B + 5 u a C + 3 u |d|
 *     all in twice the precision: b, c and d are rounded once, and 16 u u of their terms are left to what is cancelled
 * in the first order (products of small numbers are left to a factor of 1.1). A call to pow() is wrong by u more than a
 * product: twice as much covers that. As |sqrt x - sqrt y| <= |x - y| / sqrt y, sqrt d is off by error(d) / sqrt d + u
 * sqrt d, and the roots follow. Whether there is a hit may be answered wrongly only where b, c or d are within their
 * errors of 0. */
static errors errors_of(carom_precision precision, int variant, const truth *e)
{
    const wide u = precision == CAROM_F32 ? (wide)0x1p-24 : (wide)0x1p-53;
    wide slack = (wide)1.1 * u;
    errors o = {2 * e->big_b, 3 * e->big_c, 6 * e->big_b * e->big_b + 7 * e->a * e->big_c, 0, 0};
    wide root_error = 0, inverse_error = 0; /* of Newton's steps */
    switch (variant) {
    case CAROM_TOI_POW:
        slack *= 2;
        break;
    case CAROM_TOI_CROSS:
    case CAROM_TOI_CROSS_CITARDAUQ:
        o.d = 5 * e->rr * e->a + 6 * e->big_x * e->big_x;
        break;
    case CAROM_TOI_FMA_KAHAN:
        o.d = 4 * e->big_b * e->big_b + 5 * e->a * e->big_c + 3 * wide_abs(e->d);
        break;
    case CAROM_TOI_ACCURATE:
        o.b = wide_abs(e->b) + 16 * u * e->big_b;
        o.c = wide_abs(e->c) + 16 * u * e->big_c;
        o.d = wide_abs(e->d) + 16 * u * (e->rr * e->a + e->big_x * e->big_x);
        break;
    case CAROM_TOI_RSQRT_NEWTON:
        root_error = precision == CAROM_F32 ? (wide)5e-6 : (wide)4.1e-11;
        inverse_error = 2 * root_error;
        break;
    default:
        break;
    }
    o.b *= slack;
    o.c *= slack;
    o.d *= slack;
    const wide root = wide_sqrt(e->d), sum = root - e->b;
    if (e->d > o.d && root > 0) {
        const wide root_off = o.d / root + (slack + root_error) * root, above = wide_abs(-e->b - root);
        o.minus = above > 0 ? (o.b + root_off) / above + 4 * slack : 1;
        o.quotient = sum > 0 && e->c != 0 ? o.c / wide_abs(e->c) + (o.b + root_off) / sum + inverse_error +
                                                (inverse_error > 0 ? 8 : 3) * slack
                                          : 1;
    } else {
        o.minus = o.quotient = 1;
    }
    return o;
}

static bool by_quotient(int variant)
{
    return variant == CAROM_TOI_CITARDAUQ ||
           (variant >= CAROM_TOI_CROSS_CITARDAUQ && variant <= CAROM_TOI_RSQRT_NEWTON);
}

/* What t is without error: a time, 0, +INFINITY; -1 if rounding may decide otherwise. */
static wide decided(int variant, const truth *e, const errors *off)
{
    const wide never = (wide)INFINITY;
    const bool clear_c = wide_abs(e->c) > off->c, clear_d = wide_abs(e->d) > off->d;
    if (variant == CAROM_TOI_NORMALISED) {
        if (!clear_c || (e->c > 0 && !clear_d)) {
            return -1;
        }
        const wide band = 2 * wide_abs(e->entry) * off->minus;
        if (e->c < 0 || e->d < 0) {
            return e->c < 0 ? 0 : never;
        }
        return wide_abs(e->entry) <= band || wide_abs(e->entry - 1) <= band ? -1
               : e->entry > 0 && e->entry < 1                               ? e->entry
                                                                            : never;
    }
    if (wide_abs(e->b) <= off->b) {
        return -1;
    }
    if (e->b > 0) {
        return never;
    }
    if (!clear_c || (e->c > 0 && !clear_d)) {
        return -1;
    }
    return e->c < 0 ? 0 : e->d < 0 ? never : e->entry;
}

typedef struct tally {
    size_t settled, times;
    double worst;
} tally;

/* One pair of an ordinary variant or of `normalised`. */
static void check_time(carom_precision precision, int variant, const inputs *in, size_t i, const truth *e, double got,
                       tally *sum)
{
    const errors off = errors_of(precision, variant, e);
    const wide expected = decided(variant, e, &off);
    if (expected < 0) {
        assert_true(got >= 0); /* anything but nonsense */
        return;
    }
    sum->settled++;
    if (expected == 0 || expected > (wide)DBL_MAX) {
        if (got != (double)expected) {
            describe(precision, in, i, variant, "decision");
            fail_msg("expected %g, got %a", (double)expected, got);
        }
        return;
    }
    const wide bound = by_quotient(variant) ? off.quotient : off.minus;
    if (bound > (wide)0.01) {
        assert_true(got >= 0);
        return;
    }
    sum->times++;
    const wide error = wide_abs((wide)got - expected) / expected;
    sum->worst = fmax(sum->worst, (double)(error / bound));
    if (!(error <= bound)) {
        describe(precision, in, i, variant, "error");
        fail_msg("expected %a, got %a: error %g of it, bound %g", (double)expected, got, (double)error, (double)bound);
    }
}

/* Answers that are equal on all instruction sets are checked once. */
TEST(test_against_wide)
{
    enum { N = 20000 };
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) in = inputs_new(precision, N);
        FREED void *times = allocate(N * size_of(precision)), *others = allocate(N * size_of(precision));
        FREED truth *truths = allocate(N * sizeof *truths);
        for (size_t i = 0; i < N; i++) {
            random_pair(precision, &in, i);
            truths[i] = truth_of(precision, &in, i);
        }
        for (int v = 0; v < CAROM_TOI_BACKWARD; v++) {
            tally sum = {0, 0, 0};
            FOR_EACH_ISA(isa)
            {
                assert_int_equal(solve_times(precision, v, N, &in, isa == CAROM_ISA_SCALAR ? times : others), CAROM_OK);
                if (isa != CAROM_ISA_SCALAR) {
                    assert_memory_equal(times, others, N * size_of(precision));
                }
            }
            for (size_t i = 0; i < N; i++) {
                check_time(precision, v, &in, i, &truths[i], get(precision, times, i), &sum);
            }
            print_message("f%d %-15s %d pairs: %zu settled, %zu times, worst error %.2f of its bound\n", (int)precision,
                          carom_toi_variant_describe(v)->name, N, sum.settled, sum.times, sum.worst);
            assert_true(sum.settled > N / 2 && sum.worst > 0.05); /* a bound that never bites shows nothing */
            assert_true(sum.times > (v == CAROM_TOI_NORMALISED ? N / 50 : N / 5));
        }
    }
}

/* Anything of any size: near and far, fast and slow, close to touching and to grazing. */
static void extreme_pair(carom_precision precision, const inputs *in, size_t i)
{
    const int most = precision == CAROM_F32 ? 55 : 500;
    const double lengths = uniform(-most, most), speeds = uniform(-most, most);
    random_pair(precision, in, i);
    if (i % 4 == 0) { /* farther away than a radius by up to 2^14, aimed near its border */
        const double distance = exp2(uniform(0, 14)), angle = uniform(0, 6.283185307179586);
        const double miss = 1 + uniform(-1, 1) * exp2(-uniform(0, precision == CAROM_F32 ? 18 : 40));
        const double c = cos(angle), s = sin(angle);
        const double pair[5] = {distance * c - miss * s, distance * s + miss * c, -c, -s, 1};
        table_pair(precision, in, i, pair);
    }
    for (int k = 0; k < 5; k++) {
        put(precision, in->of[k], i, get(precision, in->of[k], i) * exp2(floor(k == 2 || k == 3 ? speeds : lengths)));
    }
}

/* What carom/toi.h says of "accurate", over nearly the whole range of numbers: no wrong decision where the way passes
 * the border, and the start lies off it, by more than 4 eps max(|p|, r); where c and d are more than the 2^-90th part
 * (f32: 2^-36) of their terms, t within 4 units in its last place, and the circles touch within 4 eps max(|p|, r). */
TEST(test_accurate)
{
    enum { N = 60000 };
    FOR_EACH_PRECISION(precision)
    {
        const wide eps = precision == CAROM_F32 ? (wide)FLT_EPSILON : (wide)DBL_EPSILON;
        const wide least = precision == CAROM_F32 ? (wide)0x1p-36 : (wide)0x1p-90;
        OWNED(inputs) in = inputs_new(precision, N);
        FREED void *times = allocate(N * size_of(precision));
        size_t hits = 0, misses = 0;
        double worst = 0, worst_gap = 0;
        for (size_t i = 0; i < N; i++) {
            extreme_pair(precision, &in, i);
        }
        assert_int_equal(carom_isa_force(CAROM_ISA_DEFAULT), CAROM_OK);
        assert_int_equal(solve_times(precision, CAROM_TOI_ACCURATE, N, &in, times), CAROM_OK);
        for (size_t i = 0; i < N; i++) {
            const truth e = truth_of(precision, &in, i);
            const double got = get(precision, times, i);
            const wide p = wide_sqrt(e.x[0] * e.x[0] + e.x[1] * e.x[1]), r = wide_abs(e.x[4]);
            const wide band = 4 * eps * wide_max(p, r), cross = e.x[0] * e.x[3] - e.x[1] * e.x[2];
            const wide miss = wide_abs(cross) / wide_sqrt(e.a);
            if (wide_abs(e.b) <= least * e.big_b || wide_abs(p - r) <= band ||
                (e.b < 0 && e.c > 0 && wide_abs(miss - r) <= band)) {
                continue;
            }
            if (e.b > 0 || e.c < 0 || miss > r) {
                misses++;
                if (got != (e.b < 0 && e.c < 0 ? 0 : (double)INFINITY)) {
                    describe(precision, &in, i, CAROM_TOI_ACCURATE, "decision");
                    fail_msg("got %a", got);
                }
                continue;
            }
            hits++;
            const double t = rounded(precision, (double)e.entry);
            if (e.c < least * e.big_c || e.d < least * e.rr * e.a || !(t < INFINITY) || t < 1e-30) {
                continue;
            }
            const double error = (double)(wide_abs((wide)got - e.entry) / (wide)(step(precision, t, 1) - t));
            const wide x = e.x[0] + e.x[2] * (wide)got, y = e.x[1] + e.x[3] * (wide)got;
            const double gap = (double)(wide_abs(wide_sqrt(x * x + y * y) - r) / band);
            worst = fmax(worst, error);
            worst_gap = fmax(worst_gap, gap);
            if (!(error <= 4) || !(gap <= 1)) {
                describe(precision, &in, i, CAROM_TOI_ACCURATE, "error");
                fail_msg("expected %a, got %a: %g ulp; they touch within %g of the bound", t, got, error, gap);
            }
        }
        print_message("f%d accurate: %zu hits, %zu misses, worst error %.2f ulp, worst gap %.2f of its bound\n",
                      (int)precision, hits, misses, worst, worst_gap);
        assert_true(hits > N / 10 && misses > N / 10 && worst > 0.5);
    }
}

/* Both roots, without the cancellation of (-b - sqrt d) / a; the normal at t has length 1 and points from i to j; the
 * positions are where t says, to the rounding of a product and a sum. */
TEST(test_contacts)
{
    enum { N = 20000 };
    FOR_EACH_PRECISION(precision)
    {
        const wide u = precision == CAROM_F32 ? (wide)0x1p-24 : (wide)0x1p-53;
        OWNED(inputs) in = inputs_new(precision, N);
        OWNED(outputs) out = outputs_new(precision, N);
        size_t roots = 0, none = 0, normals = 0;
        for (size_t i = 0; i < N; i++) {
            random_pair(precision, &in, i);
        }
        assert_int_equal(carom_isa_force(CAROM_ISA_DEFAULT), CAROM_OK);
        assert_int_equal(solve_pairs(precision, CAROM_TOI_HALF_B, N, &in, &out), CAROM_OK);
        for (size_t i = 0; i < N; i++) {
            const truth e = truth_of(precision, &in, i);
            const errors off = errors_of(precision, CAROM_TOI_HALF_B, &e);
            wide got[OUTPUTS];
            for (int f = 0; f < OUTPUTS; f++) {
                got[f] = (wide)get(precision, out.of[f], i);
            }
            bool good = got[OUT_XI] == 0 && got[OUT_YI] == 0;
            if (e.d < -off.d) {
                none++;
                good = good && isinf((double)got[OUT_ENTRY]) && isinf((double)got[OUT_EXIT]) && got[OUT_ENTRY] > 0;
            } else if (e.d > off.d) {
                /* The root from c is off as c / (|b| + sqrt d) is, the other as its denominator. */
                const wide sum = wide_abs(e.b) + wide_sqrt(e.d);
                const wide both = (off.b + off.d / wide_sqrt(e.d)) / sum + 8 * u, one = both + off.c / wide_abs(e.c);
                const wide entry = wide_abs(e.entry) * (e.b < 0 ? one : both);
                const wide exit = wide_abs(e.exit) * (e.b < 0 ? both : one);
                roots++;
                good = good && wide_abs(got[OUT_ENTRY] - e.entry) <= entry && wide_abs(got[OUT_EXIT] - e.exit) <= exit;
            }
            if (isinf((double)got[OUT_T])) {
                good = good && got[OUT_NX] == 0 && got[OUT_NY] == 0 && got[OUT_XJ] == e.x[0] && got[OUT_YJ] == e.x[1];
            } else {
                const wide x = e.x[0] + e.x[2] * got[OUT_T], y = e.x[1] + e.x[3] * got[OUT_T];
                const wide off_x = u * (wide_abs(x) + wide_abs(e.x[2] * got[OUT_T])) * 2;
                const wide off_y = u * (wide_abs(y) + wide_abs(e.x[3] * got[OUT_T])) * 2;
                const wide length = wide_sqrt(x * x + y * y), off_n = (off_x + off_y) / length * 2 + 4 * u;
                const wide unit = got[OUT_NX] * got[OUT_NX] + got[OUT_NY] * got[OUT_NY];
                normals++;
                good = good && wide_abs(got[OUT_XJ] - x) <= off_x && wide_abs(got[OUT_YJ] - y) <= off_y &&
                       wide_abs(got[OUT_NX] - x / length) <= off_n && wide_abs(got[OUT_NY] - y / length) <= off_n &&
                       wide_abs(unit - 1) <= 8 * u;
            }
            if (!good) {
                describe(precision, &in, i, CAROM_TOI_HALF_B, "contact");
                for (int f = 0; f < OUTPUTS; f++) {
                    print_error("output %d: %a\n", f, (double)got[f]);
                }
                fail_msg("entry %a, exit %a", (double)e.entry, (double)e.exit);
            }
        }
        assert_true(roots > N / 4 && none > N / 20 && normals > N / 5);
    }
}

SET_UP
{
    random_start(test_seed(2));
}
