/* SPDX-License-Identifier: MIT
 * The time of impact of circles: hand-computed cases, a 113-bit reference, every instruction set, `within`, memory and
 * floating-point environment. Both precisions run the same cases; numbers pass through double, which holds a float.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <carom/toi.h>
#include <cmocka.h>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

#if LDBL_MANT_DIG >= 113
typedef long double wide;
#else
__extension__ typedef __float128 wide;
#endif

/* --- One interface for both precisions -------------------------------------------------------------------------- */

/* Arrays of floats or doubles: px, py, vx, vy, r. */
typedef struct inputs {
    void *of[5];
} inputs;

static const carom_precision precisions[] = {CAROM_F32, CAROM_F64};

static size_t size_of(carom_precision precision)
{
    return (size_t)precision / 8;
}

static double get(carom_precision precision, const void *array, size_t i)
{
    return precision == CAROM_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put(carom_precision precision, void *array, size_t i, double value)
{
    if (precision == CAROM_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

static carom_status circles(carom_precision precision, size_t n, const inputs *in, void *t)
{
    if (precision == CAROM_F32) {
        const carom_toi_pairs_f32 pairs = {in->of[0], in->of[1], in->of[2], in->of[3], in->of[4]};
        const carom_toi_contacts_f32 out = {.t = t};
        return carom_toi_circles_f32(CAROM_TOI_FAST, n, &pairs, &out);
    }
    const carom_toi_pairs_f64 pairs = {in->of[0], in->of[1], in->of[2], in->of[3], in->of[4]};
    const carom_toi_contacts_f64 out = {.t = t};
    return carom_toi_circles_f64(CAROM_TOI_FAST, n, &pairs, &out);
}

static carom_status within(carom_precision precision, size_t n, const inputs *in, double limit, uint64_t *mask)
{
    if (precision == CAROM_F32) {
        const carom_toi_pairs_f32 pairs = {in->of[0], in->of[1], in->of[2], in->of[3], in->of[4]};
        return carom_toi_circles_within_f32(n, &pairs, (float)limit, mask);
    }
    const carom_toi_pairs_f64 pairs = {in->of[0], in->of[1], in->of[2], in->of[3], in->of[4]};
    return carom_toi_circles_within_f64(n, &pairs, limit, mask);
}

/* The number `ulps` steps away from a positive one. */
static double step(carom_precision precision, double value, int ulps)
{
    for (; ulps != 0; ulps += ulps < 0 ? 1 : -1) {
        const double towards = ulps < 0 ? -INFINITY : INFINITY;
        value = precision == CAROM_F32 ? (double)nextafterf((float)value, (float)towards) : nextafter(value, towards);
    }
    return value;
}

/* Forces every usable instruction set in turn, from scalar on. */
#define FOR_EACH_ISA(isa)                                                                                              \
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++)                                               \
        if (carom_isa_force(isa) == CAROM_OK)

#define FOR_EACH_PRECISION(precision)                                                                                  \
    for (size_t which = 0; which < 2; which++)                                                                         \
        for (carom_precision precision = precisions[which], once = precision; once != 0; once = 0)

static void *allocate(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    if (memory == NULL) {
        fail_msg("no memory");
    }
    return memory;
}

static inputs inputs_new(carom_precision precision, size_t n)
{
    inputs in;
    for (int k = 0; k < 5; k++) {
        in.of[k] = allocate(n * size_of(precision));
    }
    return in;
}

static void inputs_free(inputs *in)
{
    for (int k = 0; k < 5; k++) {
        free(in->of[k]);
    }
}

/* --- Random pairs ------------------------------------------------------------------------------------------------ */

static uint64_t seed, random_state;

static double uniform(double low, double high)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Pairs of every kind: anywhere; aimed at each other; about to graze; about to touch; overlapping; of any magnitude. */
static void random_pair(carom_precision precision, const inputs *in, size_t i)
{
    double r = uniform(0.1, 2), angle = uniform(0, 6.283185307179586), speed = exp2(uniform(-6, 6));
    double distance = r * exp2(uniform(-0.2, 6)), miss = uniform(-2, 2) * r; /* of the other's centre from its line */
    const double shift = exp2(-uniform(2, precision == CAROM_F32 ? 20 : 45));
    switch ((int)uniform(0, 6)) {
    case 0:
        miss = uniform(-20, 20) * r;
        break;
    case 1:
        miss = uniform(-0.5, 0.5) * r;
        break;
    case 2:
        miss = r * (uniform(0, 1) < 0.5 ? 1 + shift : 1 - shift);
        break;
    case 3:
        distance = r * (1 + shift);
        break;
    case 4:
        distance = r * uniform(0, 1);
        break;
    default:
        break;
    }
    if (uniform(0, 1) < 0.2) {
        const double scale = exp2(uniform(-20, 20));
        r *= scale, distance *= scale, miss *= scale;
    }
    const double along = sqrt(fmax(distance * distance - miss * miss, 0)) * (uniform(0, 1) < 0.85 ? 1 : -1);
    const double c = cos(angle), s = sin(angle);
    put(precision, in->of[0], i, along * c - miss * s);
    put(precision, in->of[1], i, along * s + miss * c);
    put(precision, in->of[2], i, -speed * c);
    put(precision, in->of[3], i, -speed * s);
    put(precision, in->of[4], i, r);
}

/* Values that upset something, mixed at random with ordinary ones. */
static void strange_pair(carom_precision precision, const inputs *in, size_t i)
{
    enum { STRANGE = 15 };
    static const double strange_f32[STRANGE] = {
        0, -0.0, INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, FLT_MIN, 0x1p-149, -1e-40, 1e19, -3e18, 1e-20, 1, -1};
    static const double strange_f64[STRANGE] = {0,       -0.0,     INFINITY, -INFINITY, NAN,
                                                DBL_MAX, -DBL_MAX, DBL_MIN,  0x1p-1074, -1e-310,
                                                1e154,   -3e153,   1e-160,   1,         -1};
    const double *strange = precision == CAROM_F32 ? strange_f32 : strange_f64;
    const double lowest = precision == CAROM_F32 ? -149 : -1074, highest = precision == CAROM_F32 ? 128 : 1023.9;
    random_pair(precision, in, i);
    for (int k = 0; k < 5; k++) {
        if (uniform(0, 1) < 0.4) {
            put(precision, in->of[k], i, strange[(size_t)uniform(0, STRANGE)]);
        } else if (uniform(0, 1) < 0.3) {
            put(precision, in->of[k], i, uniform(-1, 1) * exp2(uniform(lowest, highest)));
        }
    }
}

static void describe(carom_precision precision, const inputs *in, size_t i, const char *what)
{
    print_error("seed %llu, f%d, %s: p = (%a, %a), v = (%a, %a), r = %a\n", (unsigned long long)seed, (int)precision,
                what, get(precision, in->of[0], i), get(precision, in->of[1], i), get(precision, in->of[2], i),
                get(precision, in->of[3], i), get(precision, in->of[4], i));
}

/* --- Cases computed by hand -------------------------------------------------------------------------------------- */

typedef struct hand_case {
    const char *name;
    double in[5], t;
} hand_case;

static const hand_case hand_cases[] = {
    /* A published listing leaves out - r*r, and then says 2.5. */
    {"head on, distance 10, radii 1 + 1, speed 4", {10, 0, -4, 0, 2}, 2},
    {"the same along y", {0, -10, 0, 4, 2}, 2},
    {"along a 3-4-5 triangle", {3, 4, -3, -4, 1}, 0.8},
    {"points", {6, 8, -3, -4, 0}, 2},
    {"off the centre: contact at (4, 3)", {8, 3, -2, 0, 5}, 2},
    {"at rest, apart", {10, 0, 0, 0, 2}, INFINITY},
    {"at rest, overlapping", {1, 0, 0, 0, 2}, INFINITY},
    {"at rest, on one point", {0, 0, 0, 0, 2}, INFINITY},
    {"on one point, moving", {0, 0, 1, 0, 2}, INFINITY},
    {"parting", {10, 0, 4, 0, 2}, INFINITY},
    {"parting while overlapping", {1, 0, 1, 0, 2}, INFINITY},
    {"touching and parting", {5, 0, 1, 1, 5}, INFINITY},
    {"touching and sliding along", {5, 0, 0, 1, 5}, INFINITY},
    {"overlapping and sliding along", {4, 0, 0, 1, 5}, INFINITY},
    {"touching and approaching", {3, 4, -1, -1, 5}, 0},
    {"overlapping and approaching", {1, 1, -1, -3, 5}, 0},
    {"grazing above", {10, 2, -1, 0, 2}, 10},
    {"grazing below", {10, -2, -1, 0, 2}, 10},
    {"just missed", {10, 2.0078125, -1, 0, 2}, INFINITY},
    {"passing on a parallel line", {10, 5, -1, 0, 2}, INFINITY},
    {"the same velocity", {10, 5, 0, 0, 20}, INFINITY},
    {"far", {1048576, 0, -1024, 0, 1024}, 1023},
    {"a negative sum of radii counts like its amount", {10, 0, -4, 0, -2}, 2},
};

static void expect_single(carom_precision precision, const char *name, const double *in, double expected)
{
    /* In every place of a register, among pairs that hit, miss and are NaN. */
    enum { N = 37 };
    const double others[][5] = {{9, 0, -2, 0, 1}, {9, 9, 1, 0, 1}, {NAN, 0, 0, 0, 1}, {1, 0, -1, 0, 3}};
    inputs arrays = inputs_new(precision, N);
    void *t = allocate(N * size_of(precision));
    for (size_t place = 0; place < N; place++) {
        for (size_t i = 0; i < N; i++) {
            const double *from = i == place ? in : others[(i + place) % 4];
            for (int k = 0; k < 5; k++) {
                put(precision, arrays.of[k], i, from[k]);
            }
        }
        assert_int_equal(circles(precision, N, &arrays, t), CAROM_OK);
        const double got = get(precision, t, place);
        put(precision, t, place, expected);
        const double rounded = get(precision, t, place);
        if (isnan(rounded) ? !isnan(got) : got != rounded || signbit(got) != signbit(rounded)) {
            fail_msg("%s, f%d, place %zu: expected %.17g, got %.17g", name, (int)precision, place, rounded, got);
        }
    }
    inputs_free(&arrays);
    free(t);
}

static void test_by_hand(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        for (size_t k = 0; k < sizeof hand_cases / sizeof hand_cases[0]; k++) {
            expect_single(precision, hand_cases[k].name, hand_cases[k].in, hand_cases[k].t);
        }
    }
}

/* A change of units by a power of two changes no bit. */
static void test_magnitudes(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        const double most = precision == CAROM_F32 ? 0x1p26 : 0x1p246;
        for (int k = 0; k < 2; k++) {
            const double scale = k == 0 ? most : 1 / most;
            for (size_t h = 0; h < 4; h++) {
                double in[5];
                for (int e = 0; e < 5; e++) {
                    in[e] = hand_cases[h].in[e] * scale;
                }
                expect_single(precision, "scaled", in, hand_cases[h].t);
            }
        }
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    const double base[][5] = {{10, 0, -4, 0, 2}, {1, 0, -4, 0, 2}, {10, 0, 4, 0, 2}, {0, 0, 0, 0, 0}};
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        for (size_t b = 0; b < 4; b++) {
            for (int k = 0; k < 5; k++) {
                double in[5];
                memcpy(in, base[b], sizeof in);
                in[k] = NAN;
                expect_single(precision, "a NaN", in, NAN);
                in[k] = INFINITY;
                expect_single(precision, "infinity", in, INFINITY);
                in[k] = -INFINITY;
                expect_single(precision, "-infinity", in, INFINITY);
                in[(k + 1) % 5] = NAN;
                expect_single(precision, "a NaN beside -infinity", in, NAN);
            }
        }
        const double big = precision == CAROM_F32 ? FLT_MAX : DBL_MAX;
        const double overflows[][5] = {
            {big, 0, -1, 0, 1},     {big, big, -1, -1, 1},    {10, 0, -big, 0, 2},
            {10, 0, -1, 0, big},    {big, big, -big, big, 1}, {big, -1, -big, big, 0},
            {big, 0, -big, 0, big}, {1, 0, -big, 0, 2},       {0, big, 0, -1e-30, 1},
        };
        for (size_t k = 0; k < sizeof overflows / sizeof overflows[0]; k++) {
            expect_single(precision, "overflow", overflows[k], INFINITY);
        }
    }
}

/* --- Against 113 bits -------------------------------------------------------------------------------------------- */

static wide wide_abs(wide a)
{
    return a < 0 ? -a : a;
}

/* From a double's root by Newton's iteration: 53, 106, 113 bits. */
static wide wide_sqrt(wide a)
{
    if (a <= 0) {
        return 0;
    }
    wide x = (wide)sqrt((double)a);
    x = (x + a / x) / 2;
    return (x + a / x) / 2;
}

/* With u half the spacing at 1, C = p.p + r*r and B = |px vx| + |py vy| the computed coefficients are off by at most
 *     a: 2 u a     b: 2 u B     c: 3 u C
 *     d: 2 B (2 u B) + u B B + a (3 u C) + 3 u a C + u (B B + a C) = u (6 B B + 7 a C)
 * in the first order (products of small numbers are left to the factor 1.1). As |sqrt x - sqrt y| <= |x - y| / sqrt y,
 * the denominator e = -b + sqrt d is off by 2 u B + error(d) / sqrt d + 2 u e, and t = c / e by t (error(c) / c +
 * error(e) / e + u) - provided that this is small; if not, the problem is ill-conditioned and the case is unsettled.
 * Whether there is a hit may be answered wrongly only where b, c or d are within their errors of 0. */
static void test_against_wide(void **state)
{
    (void)state;
    enum { N = 40000 };
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        const wide u = precision == CAROM_F32 ? (wide)0x1p-24 : (wide)0x1p-53, slack = (wide)1.1;
        inputs in = inputs_new(precision, N);
        void *times = allocate(N * size_of(precision));
        random_state = seed;
        for (size_t i = 0; i < N; i++) {
            random_pair(precision, &in, i);
        }
        assert_int_equal(circles(precision, N, &in, times), CAROM_OK);
        size_t settled = 0, hits = 0;
        double worst = 0;
        for (size_t i = 0; i < N; i++) {
            wide x[5];
            for (int k = 0; k < 5; k++) {
                x[k] = (wide)get(precision, in.of[k], i);
            }
            const wide a = x[2] * x[2] + x[3] * x[3], b = x[0] * x[2] + x[1] * x[3];
            const wide pp = x[0] * x[0] + x[1] * x[1], rr = x[4] * x[4], c = pp - rr, d = b * b - a * c;
            const wide big_b = wide_abs(x[0] * x[2]) + wide_abs(x[1] * x[3]), big_c = pp + rr;
            const wide error_b = slack * 2 * u * big_b, error_c = slack * 3 * u * big_c;
            const wide error_d = slack * u * (6 * big_b * big_b + 7 * a * big_c);
            const double got = get(precision, times, i);
            const bool clear = wide_abs(b) > error_b && (b >= 0 || wide_abs(c) > error_c) &&
                               (b >= 0 || c < 0 || wide_abs(d) > error_d);
            if (!clear) {
                assert_true(got >= 0); /* anything but nonsense */
                continue;
            }
            settled++;
            if (b >= 0 || (c > 0 && d < 0) || c < 0) {
                const double expected = b < 0 && c < 0 ? 0 : (double)INFINITY;
                if (got != expected) {
                    describe(precision, &in, i, carom_isa_name(isa));
                    fail_msg("expected %g, got %a", expected, got);
                }
                continue;
            }
            const wide root = wide_sqrt(d), e = root - b, t = c / e;
            const wide bound = slack * (error_c / c + (2 * u * big_b + error_d / root) / e + 4 * u);
            if (bound > (wide)0.01) {
                assert_true(got >= 0);
                continue;
            }
            hits++;
            const wide error = wide_abs((wide)got - t) / t;
            worst = fmax(worst, (double)(error / bound));
            if (!(error <= bound)) {
                describe(precision, &in, i, carom_isa_name(isa));
                fail_msg("expected %a, got %a: error %g of it, bound %g", (double)t, got, (double)error, (double)bound);
            }
        }
        print_message("f%d %-6s %d pairs: %zu settled, %zu times, worst error %.2f of its bound\n", (int)precision,
                      carom_isa_name(isa), N, settled, hits, worst);
        assert_true(settled > N / 2 && hits > N / 5 && worst > 0.05); /* a bound that never bites shows nothing */
        inputs_free(&in);
        free(times);
    }
}

/* --- Every instruction set, every length, every place in memory -------------------------------------------------- */

static void test_same_bits(void **state)
{
    (void)state;
    enum { N = 20011 };
    FOR_EACH_PRECISION(precision)
    {
        inputs in = inputs_new(precision, N);
        void *expected = allocate(N * size_of(precision)), *t = allocate(N * size_of(precision));
        for (size_t i = 0; i < N; i++) {
            if (i / 1000 % 2 == 0) {
                random_pair(precision, &in, i);
            } else {
                strange_pair(precision, &in, i);
            }
        }
        FOR_EACH_ISA(isa)
        {
            assert_int_equal(circles(precision, N, &in, isa == CAROM_ISA_SCALAR ? expected : t), CAROM_OK);
            for (size_t i = 0; i < N && isa != CAROM_ISA_SCALAR; i++) {
                const size_t at = i * size_of(precision);
                if (memcmp((char *)t + at, (char *)expected + at, size_of(precision)) != 0) {
                    describe(precision, &in, i, carom_isa_name(isa));
                    fail_msg("expected %a, got %a", get(precision, expected, i), get(precision, t, i));
                }
            }
        }
        for (size_t i = 0; i < N; i++) { /* NaN in, and only NaN in, is NaN out */
            bool nan_in = false;
            for (int k = 0; k < 5; k++) {
                nan_in = nan_in || isnan(get(precision, in.of[k], i));
            }
            const double got = get(precision, expected, i);
            if (isnan(got) != nan_in || (!nan_in && !(got >= 0 && !signbit(got)))) {
                describe(precision, &in, i, "scalar");
                fail_msg("got %a", got);
            }
        }
        inputs_free(&in);
        free(expected);
        free(t);
    }
}

/* Memory of which the last byte is followed by a page that must not be touched. */
typedef struct guarded {
    unsigned char *pages;
    size_t bytes;
} guarded;

static guarded guarded_new(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes / page + 1) * page;
    void *pages = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect((unsigned char *)pages + room, page, PROT_NONE), 0);
    return (guarded){pages, room};
}

static void guarded_free(guarded *g)
{
    munmap(g->pages, g->bytes + (size_t)sysconf(_SC_PAGESIZE));
}

/* The last `bytes` bytes before the guard. */
static void *guarded_tail(const guarded *g, size_t bytes)
{
    return g->pages + g->bytes - bytes;
}

static void test_lengths_and_guards(void **state)
{
    (void)state;
    enum { MOST = 200 };
    guarded arrays[5], output = guarded_new(MOST * 8), words = guarded_new((MOST / 64 + 1) * 8);
    for (int k = 0; k < 5; k++) {
        arrays[k] = guarded_new(MOST * 8);
    }
    FOR_EACH_PRECISION(precision)
    {
        const size_t size = size_of(precision);
        inputs all = inputs_new(precision, MOST), in, before;
        void *expected = allocate(MOST * size);
        for (size_t i = 0; i < MOST; i++) {
            random_pair(precision, &all, i);
        }
        assert_int_equal(carom_isa_force(CAROM_ISA_SCALAR), CAROM_OK);
        assert_int_equal(circles(precision, MOST, &all, expected), CAROM_OK);
        FOR_EACH_ISA(isa)
        {
            for (size_t n = 0; n <= MOST; n += n < 70 ? 1 : 13) {
                unsigned char *t = guarded_tail(&output, n * size);
                for (int k = 0; k < 5; k++) {
                    in.of[k] = guarded_tail(&arrays[k], n * size);
                    memcpy(in.of[k], all.of[k], n * size);
                }
                memset(output.pages, 0x5a, output.bytes);
                assert_int_equal(circles(precision, n, &in, t), CAROM_OK);
                assert_memory_equal(t, expected, n * size);
                assert_true(t == output.pages || t[-1] == 0x5a);

                const size_t count = (n + 63) / 64;
                uint64_t *mask = guarded_tail(&words, count * 8);
                memset(words.pages, 0x5a, words.bytes);
                assert_int_equal(within(precision, n, &in, 3, mask), CAROM_OK);
                for (size_t i = 0; i < count * 64; i++) {
                    const bool want = i < n && get(precision, expected, i) <= 3;
                    assert_int_equal(mask[i / 64] >> i % 64 & 1, want);
                }
                assert_int_equal(((unsigned char *)mask)[-1], 0x5a);

                for (int k = 0; k < 5; k++) { /* in place */
                    before = in;
                    assert_int_equal(circles(precision, n, &in, in.of[k]), CAROM_OK);
                    assert_memory_equal(in.of[k], expected, n * size);
                    memcpy(in.of[k], all.of[k], n * size);
                    for (int other = 0; other < 5; other++) {
                        assert_memory_equal(before.of[other], all.of[other], n * size);
                    }
                }
            }
        }
        inputs_free(&all);
        free(expected);
    }
    for (int k = 0; k < 5; k++) {
        guarded_free(&arrays[k]);
    }
    guarded_free(&output);
    guarded_free(&words);
}

static void check_within(carom_precision precision, carom_isa isa, size_t n, const inputs *in, const void *t,
                         double limit)
{
    uint64_t mask[64];
    memset(mask, 0xff, sizeof mask);
    assert_int_equal(within(precision, n, in, limit, mask), CAROM_OK);
    for (size_t i = 0; i < (n + 63) / 64 * 64; i++) {
        const bool want = i < n && get(precision, t, i) <= limit;
        if ((mask[i / 64] >> i % 64 & 1) != want) {
            if (i < n) {
                describe(precision, in, i, carom_isa_name(isa));
                fail_msg("t = %a, limit = %a: not %d", get(precision, t, i), limit, (int)want);
            }
            fail_msg("bit %zu of %zu pairs is set", i, n);
        }
    }
}

/* Any limit, but above all those within 4 ulp of the time of one of the pairs. */
static void test_within(void **state)
{
    (void)state;
    enum { N = 331, ROUNDS = 24, TARGETS = 40 };
    FOR_EACH_PRECISION(precision)
    {
        const bool single = precision == CAROM_F32;
        const double limits[] = {0,
                                 -0.0,
                                 1,
                                 0.5,
                                 1e-30,
                                 1e30,
                                 INFINITY,
                                 single ? FLT_MAX : DBL_MAX,
                                 single ? FLT_MIN : DBL_MIN,
                                 single ? 1e-45 : 5e-324,
                                 single ? 1e-19 : 1e-154,
                                 single ? 1e19 : 1e154};
        inputs in = inputs_new(precision, N);
        void *t = allocate(N * size_of(precision));
        for (int round = 0; round < ROUNDS; round++) {
            for (size_t i = 0; i < N; i++) {
                if (round % 4 == 3) {
                    strange_pair(precision, &in, i);
                } else {
                    random_pair(precision, &in, i);
                }
            }
            FOR_EACH_ISA(isa)
            {
                assert_int_equal(circles(precision, N, &in, t), CAROM_OK);
                for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
                    check_within(precision, isa, N, &in, t, single ? (float)limits[k] : limits[k]);
                }
                size_t targets = 0;
                for (size_t i = 0; i < N && targets < TARGETS; i++) {
                    const double time = get(precision, t, i);
                    if (time > 0 && time < INFINITY) {
                        targets++;
                        for (int ulps = -4; ulps <= 4; ulps++) {
                            check_within(precision, isa, N, &in, t, fmax(step(precision, time, ulps), 0));
                        }
                    }
                }
                assert_true(targets > 0);
            }
        }
        inputs_free(&in);
        free(t);
    }
}

/* Many pairs that all meet at nearly the same time, from far and near, head on and grazing; with a small scale the
 * products of four lengths are denormal numbers or 0. */
static void check_crowd(carom_precision precision, double scale)
{
    enum { N = 3000 };
    inputs in = inputs_new(precision, N);
    void *t = allocate(N * size_of(precision));
    for (size_t i = 0; i < N; i++) {
        const double normal = uniform(0, 6.283185307179586), course = normal + uniform(-1.5707, 1.5707);
        const double speed = scale * exp2(uniform(-8, 8)), r = scale * exp2(uniform(-4, 4));
        const double vx = -speed * cos(course), vy = -speed * sin(course);
        put(precision, in.of[0], i, r * cos(normal) - vx);
        put(precision, in.of[1], i, r * sin(normal) - vy);
        put(precision, in.of[2], i, vx);
        put(precision, in.of[3], i, vy);
        put(precision, in.of[4], i, r);
    }
    FOR_EACH_ISA(isa)
    {
        assert_int_equal(circles(precision, N, &in, t), CAROM_OK);
        size_t near = 0;
        for (size_t i = 0; i < N; i++) {
            near += fabs(get(precision, t, i) - 1) < (precision == CAROM_F32 ? 0x1p-16 : 0x1p-45);
        }
        assert_true(near > N / 3 || scale != 1);
        for (int ulps = -20; ulps <= 20; ulps++) {
            check_within(precision, isa, N, &in, t, step(precision, 1, ulps));
        }
        for (size_t i = 0; i < N; i += 20) {
            const double time = get(precision, t, i);
            for (int ulps = -1; ulps <= 1; ulps++) {
                check_within(precision, isa, N, &in, t, time < INFINITY ? step(precision, time, ulps) : time);
            }
        }
    }
    inputs_free(&in);
    free(t);
}

static void test_within_crowd(void **state)
{
    (void)state;
    FOR_EACH_PRECISION(precision)
    {
        const bool single = precision == CAROM_F32;
        check_crowd(precision, 1);
        check_crowd(precision, single ? 0x1p-31 : 0x1p-258);
        check_crowd(precision, single ? 0x1p-36 : 0x1p-268);
        check_crowd(precision, single ? 0x1p27 : 0x1p250);
    }
}

/* --- Arguments and environment ------------------------------------------------------------------------------------ */

static void test_arguments(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        inputs in = inputs_new(precision, 3);
        double t[3] = {7, 7, 7};
        uint64_t mask = 77;
        const double bad[] = {-1, -INFINITY, NAN, precision == CAROM_F32 ? -1e-45 : -5e-324};
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(within(precision, 3, &in, bad[k], &mask), CAROM_ERROR_ARGUMENT);
        }
        for (int k = 0; k < 5; k++) {
            inputs holed = in;
            holed.of[k] = NULL;
            assert_int_equal(circles(precision, 3, &holed, t), CAROM_ERROR_ARGUMENT);
            assert_int_equal(within(precision, 3, &holed, 1, &mask), CAROM_ERROR_ARGUMENT);
        }
        assert_int_equal(circles(precision, 3, &in, NULL), CAROM_ERROR_ARGUMENT);
        assert_int_equal(within(precision, 3, &in, 1, NULL), CAROM_ERROR_ARGUMENT);
        const inputs none = {{NULL}};
        assert_int_equal(circles(precision, 0, &none, NULL), CAROM_OK);
        assert_int_equal(within(precision, 0, &none, 1, NULL), CAROM_OK);
        assert_true(t[0] == 7 && mask == 77);
        inputs_free(&in);
    }
    const carom_toi_contacts_f32 out_f32 = {.t = &(float){0}};
    const carom_toi_contacts_f64 out_f64 = {.t = &(double){0}};
    assert_int_equal(carom_toi_circles_f32(CAROM_TOI_FAST, 1, NULL, &out_f32), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_toi_circles_f64(CAROM_TOI_FAST, 1, NULL, &out_f64), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_toi_circles_within_f32(1, NULL, 1, &(uint64_t){0}), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_toi_circles_within_f64(1, NULL, 1, &(uint64_t){0}), CAROM_ERROR_ARGUMENT);
}

/* The register that holds rounding mode, flush-to-zero and exception flags. */
static uint64_t environment_get(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return _mm_getcsr();
#elif defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
#else
    return (uint64_t)fegetround();
#endif
}

/* Denormals flushed to zero, in results and operands, beside what is set already. */
static void environment_flush(void)
{
#if defined(__x86_64__) || defined(__i386__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" ::"r"(environment_get() | (uint64_t)1 << 24));
#endif
}

static void test_environment(void **state)
{
    (void)state;
    enum { N = 500 };
    FOR_EACH_PRECISION(precision)
    {
        const bool single = precision == CAROM_F32;
        inputs in = inputs_new(precision, N);
        void *t = allocate(N * size_of(precision)), *expected = allocate(N * size_of(precision));
        uint64_t mask[N / 64 + 1], expected_mask[N / 64 + 1], refused = 0;
        for (size_t i = 0; i < N; i++) {
            random_pair(precision, &in, i);
            for (int k = 0; k < 5 && i % 4 == 0; k++) { /* so small that some products are denormal */
                put(precision, in.of[k], i, get(precision, in.of[k], i) * (single ? 0x1p-34 : 0x1p-262));
            }
            for (int k = 0; k < 2 && i % 16 == 0; k++) { /* denormal themselves */
                put(precision, in.of[k], i, get(precision, in.of[k], i) * (single ? 0x1p-100 : 0x1p-780));
            }
        }
        FOR_EACH_ISA(isa)
        {
            assert_int_equal(circles(precision, N, &in, expected), CAROM_OK);
            assert_int_equal(within(precision, N, &in, 1, expected_mask), CAROM_OK);
            for (int setting = 1; setting < 8; setting++) {
                const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
                fenv_t normal;
                fegetenv(&normal);
                fesetround(rounding[setting % 4]);
                if (setting >= 4) {
                    environment_flush();
                }
                const uint64_t before = environment_get();
                const carom_status first = circles(precision, N, &in, t);
                const carom_status second = within(precision, N, &in, 1, mask);
                const carom_status third =
                    single ? carom_toi_circles_within_f32(0, &(carom_toi_pairs_f32){0}, -0x1p-149f, &refused)
                           : carom_toi_circles_within_f64(0, &(carom_toi_pairs_f64){0}, -0x1p-1074, &refused);
                const uint64_t after = environment_get();
                fesetenv(&normal);
                assert_int_equal(first, CAROM_OK);
                assert_int_equal(second, CAROM_OK);
                assert_int_equal(third, CAROM_ERROR_ARGUMENT);
                assert_int_equal(after, before);
                assert_memory_equal(t, expected, N * size_of(precision));
                assert_memory_equal(mask, expected_mask, (N + 63) / 64 * 8);
            }
        }
        inputs_free(&in);
        free(t);
        free(expected);
    }
}

int main(void)
{
    const char *given = getenv("CAROM_TEST_SEED");
    seed = random_state = given != NULL ? strtoull(given, NULL, 0) : 2;
    printf("CAROM_TEST_SEED=%llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),    cmocka_unit_test(test_magnitudes),
        cmocka_unit_test(test_not_finite), cmocka_unit_test(test_against_wide),
        cmocka_unit_test(test_same_bits),  cmocka_unit_test(test_lengths_and_guards),
        cmocka_unit_test(test_within),     cmocka_unit_test(test_within_crowd),
        cmocka_unit_test(test_arguments),  cmocka_unit_test(test_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
