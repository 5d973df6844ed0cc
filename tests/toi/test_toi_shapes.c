/* SPDX-License-Identifier: MIT
 * The three shapes in which pairs come - relative motion, index pairs, one against many - and the earliest of many:
 * every variant, all outputs, every number of pairs, any position in memory, outputs in place of inputs, arguments.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "test.h"

#include <sys/mman.h>

#include "toi_cases.h"

typedef enum pair_shape { PAIRS, INDEXED, ONE, SHAPES } pair_shape;

enum { MOST = 600, BODIES = 97 };

/* Questions in one shape, and their answers by a variant at width 1. */
typedef struct questions {
    carom_precision precision;
    pair_shape shape;
    inputs in; /* MOST pairs, BODIES bodies or MOST others */
    int32_t i[MOST], j[MOST];
    double one[5];
    outputs expected;
} questions;

static carom_status ask(const questions *q, int variant, size_t n, const inputs *in, const int32_t *i, const int32_t *j,
                        const outputs *out)
{
    return q->shape == PAIRS     ? solve_pairs(q->precision, variant, n, in, out)
           : q->shape == INDEXED ? solve_indexed(q->precision, variant, n, BODIES, in, i, j, out)
                                 : solve_one(q->precision, variant, q->one, n, in, out);
}

static size_t inputs_of(const questions *q, size_t n)
{
    return q->shape == INDEXED ? BODIES : n;
}

static questions questions_new(carom_precision precision, pair_shape shape)
{
    questions q = {.precision = precision, .shape = shape, .one = {0.5, -1, 2, 0.25, 0.5}};
    q.in = inputs_new(precision, MOST);
    q.expected = outputs_new(precision, MOST);
    for (size_t k = 0; k < MOST; k++) {
        (k % 16 == 0 ? any_pair : k % 3 == 0 ? integer_pair : random_pair)(precision, &q.in, k);
        q.i[k] = (int32_t)(random_bits() % BODIES);
        q.j[k] = k % 11 == 0 ? q.i[k] : (int32_t)(random_bits() % BODIES);
    }
    q.i[0] = q.j[1] = 0;
    q.j[0] = q.i[1] = BODIES - 1;
    table_pair(precision, &q.in, 7, q.one); /* the body itself, among the others */
    return q;
}

static void end_questions(questions *q)
{
    end_inputs(&q->in);
    end_outputs(&q->expected);
}

/* Pair k of the questions as relative motion, and where its bodies are: plain arithmetic. */
static void relative_pair(const questions *q, size_t k, double pair[5], double i[5], double j[5])
{
    for (int f = 0; f < 5; f++) {
        i[f] = q->shape == PAIRS ? 0 : q->shape == ONE ? q->one[f] : get(q->precision, q->in.of[f], (size_t)q->i[k]);
        j[f] = get(q->precision, q->in.of[f], q->shape == INDEXED ? (size_t)q->j[k] : k);
        pair[f] = rounded(q->precision, f == 4 ? i[f] + j[f] : q->shape == PAIRS ? j[f] : j[f] - i[f]);
    }
}

static double moved(const questions *q, double x, double v, double t)
{
    return isfinite(t) ? rounded(q->precision, x + rounded(q->precision, v * t)) : x;
}

/* The answers at width 1: those of relative motion, and positions. A NaN that is no time may be any. */
static void answer(questions *q, int variant)
{
    const carom_precision precision = q->precision;
    OWNED(inputs) pairs = inputs_new(precision, MOST);
    outputs *out = &q->expected;
    double pair[5], i[5], j[5];
    for (size_t k = 0; k < MOST; k++) {
        relative_pair(q, k, pair, i, j);
        table_pair(precision, &pairs, k, pair);
    }
    assert_int_equal(solve_pairs(precision, variant, MOST, &pairs, out), CAROM_OK);
    for (size_t k = 0; k < MOST; k++) {
        relative_pair(q, k, pair, i, j);
        const double t = get(precision, out->of[OUT_T], k);
        put(precision, out->of[OUT_XI], k, moved(q, i[0], i[2], t));
        put(precision, out->of[OUT_YI], k, moved(q, i[1], i[3], t));
        put(precision, out->of[OUT_XJ], k, moved(q, j[0], j[2], t));
        put(precision, out->of[OUT_YJ], k, moved(q, j[1], j[3], t));
    }
}

static void expect_output(const questions *q, int variant, size_t n, int output, const void *got, const char *what)
{
    const size_t size = size_of(q->precision);
    for (size_t k = 0; k < n; k++) {
        const void *want = (const char *)q->expected.of[output] + k * size;
        if (memcmp(want, (const char *)got + k * size, size) != 0 &&
            !(isnan(get(q->precision, want, 0)) && isnan(get(q->precision, got, k)))) {
            describe(q->precision, &q->in, q->shape == INDEXED ? (size_t)q->j[k] : k, variant, what);
            fail_msg("shape %d, output %d, pair %zu of %zu: expected %a, got %a", (int)q->shape, output, k, n,
                     get(q->precision, want, 0), get(q->precision, got, k));
        }
    }
}

/* All shapes answer what relative motion answers, on every instruction set, for every number of pairs about those that
 * registers and chunks hold; with guards right before and right behind all arrays. */
TEST(test_lengths_and_guards)
{
    static const size_t more[] = {63, 64, 65, 255, 256, 257, 271, 511, 513, MOST};
    guarded in[5], out[OUTPUTS], index[2];
    for (int k = 0; k < 5; k++) {
        in[k] = guarded_new(MOST * 8);
    }
    for (int k = 0; k < OUTPUTS; k++) {
        out[k] = guarded_new(MOST * 8);
    }
    for (int k = 0; k < 2; k++) {
        index[k] = guarded_new(MOST * 4);
    }
    FOR_EACH_PRECISION(precision)
    for (pair_shape shape = 0; shape < SHAPES; shape++) {
        OWNED(questions) q = questions_new(precision, shape);
        const size_t size = size_of(precision);
        FOR_EACH_VARIANT(variant)
        {
            assert_int_equal(carom_isa_force(CAROM_ISA_SCALAR), CAROM_OK);
            answer(&q, variant);
            FOR_EACH_ISA(isa)
            for (size_t c = 0; c < 34 + sizeof more / sizeof more[0]; c++) {
                const size_t n = c < 34 ? c : more[c - 34], bodies = inputs_of(&q, n);
                const bool tail = (c + (size_t)variant) % 2 == 0, times_only = c % 4 == 3;
                inputs arrays;
                outputs got = {{NULL}};
                for (int k = 0; k < 5; k++) {
                    arrays.of[k] = guarded_place(&in[k], bodies * size, tail);
                    memcpy(arrays.of[k], q.in.of[k], bodies * size);
                }
                for (int k = 0; k < (times_only ? 1 : OUTPUTS); k++) {
                    memset(out[k].first, 0x5a, out[k].bytes);
                    got.of[k] = guarded_place(&out[k], n * size, tail);
                }
                int32_t *const i = guarded_place(&index[0], n * sizeof *i, tail);
                int32_t *const j = guarded_place(&index[1], n * sizeof *j, tail);
                memcpy(i, q.i, n * sizeof *i);
                memcpy(j, q.j, n * sizeof *j);
                assert_int_equal(ask(&q, variant, n, &arrays, i, j, &got), CAROM_OK);
                for (int k = 0; k < (times_only ? 1 : OUTPUTS); k++) {
                    expect_output(&q, variant, n, k, got.of[k], carom_isa_name(isa));
                    const unsigned char *beside =
                        tail ? (unsigned char *)got.of[k] - 16 : (unsigned char *)got.of[k] + n * size;
                    for (int b = 0; b < 16; b++) {
                        assert_int_equal(beside[b], 0x5a);
                    }
                }
                for (int k = 0; k < 5; k++) {
                    assert_memory_equal(arrays.of[k], q.in.of[k], bodies * size);
                }
            }
        }
    }
    for (int k = 0; k < 5; k++) {
        guarded_free(&in[k]);
    }
    for (int k = 0; k < OUTPUTS; k++) {
        guarded_free(&out[k]);
    }
    for (int k = 0; k < 2; k++) {
        guarded_free(&index[k]);
    }
}

/* Five of the outputs lie in the five inputs, whichever; or the times alone in one of them. */
TEST(test_in_place)
{
    static const size_t lengths[] = {1, 7, 16, 37, 256, 300, MOST};
    static const int variants[] = {CAROM_TOI_POW, CAROM_TOI_FAST, CAROM_TOI_ACCURATE, CAROM_TOI_BACKWARD,
                                   CAROM_TOI_HALF_B | CAROM_TOI_BRANCHES};
    FOR_EACH_PRECISION(precision)
    for (pair_shape shape = 0; shape < SHAPES; shape++) {
        if (shape == INDEXED) {
            continue; /* any pair may still need its bodies */
        }
        OWNED(questions) q = questions_new(precision, shape);
        OWNED(inputs) arrays = inputs_new(precision, MOST);
        OWNED(outputs) others = outputs_new(precision, MOST);
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
            answer(&q, variants[v]);
            FOR_EACH_ISA(isa)
            for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
                for (int shift = 0; shift < OUTPUTS + 5; shift++) {
                    outputs got = {{NULL}};
                    for (int k = 0; k < 5; k++) {
                        memcpy(arrays.of[k], q.in.of[k], MOST * size_of(precision));
                    }
                    if (shift < OUTPUTS) {
                        got = others;
                        for (int k = 0; k < 5; k++) {
                            got.of[(shift + 2 * k) % OUTPUTS] = arrays.of[k];
                        }
                    } else {
                        got.of[OUT_T] = arrays.of[shift - OUTPUTS];
                    }
                    assert_int_equal(ask(&q, variants[v], lengths[l], &arrays, q.i, q.j, &got), CAROM_OK);
                    for (int k = 0; k < OUTPUTS && got.of[k] != NULL; k++) {
                        expect_output(&q, variants[v], lengths[l], k, got.of[k], carom_isa_name(isa));
                    }
                }
            }
        }
    }
}

/* Each output on request: any set of them, the same values. */
TEST(test_on_request)
{
    enum { N = 43 };
    FOR_EACH_PRECISION(precision)
    for (pair_shape shape = 0; shape < SHAPES; shape++) {
        OWNED(questions) q = questions_new(precision, shape);
        OWNED(outputs) all = outputs_new(precision, N);
        answer(&q, CAROM_TOI_FAST);
        FOR_EACH_ISA(isa)
        for (unsigned set = 0; set < 1u << (OUTPUTS - 1); set++) {
            outputs got = {{all.of[OUT_T]}};
            for (int k = 1; k < OUTPUTS; k++) {
                got.of[k] = set >> (k - 1) & 1 ? all.of[k] : NULL;
            }
            assert_int_equal(ask(&q, CAROM_TOI_FAST, N, &q.in, q.i, q.j, &got), CAROM_OK);
            for (int k = 0; k < OUTPUTS; k++) {
                if (got.of[k] != NULL) {
                    expect_output(&q, CAROM_TOI_FAST, N, k, got.of[k], carom_isa_name(isa));
                }
            }
        }
    }
}

/* A contact computed by hand: the circles of radius 1 and 2 at (1, 1) and (9, 7) close in along a 3-4-5 triangle. */
TEST(test_by_hand)
{
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) bodies = inputs_new(precision, 3);
        OWNED(outputs) out = outputs_new(precision, 3);
        const double i[5] = {1, 1, 4, 3, 1}, j[5] = {9, 7, 0, 0, 2}, away[5] = {9, 7, 8, 6, 2};
        const int32_t from[3] = {0, 1, 0}, to[3] = {1, 0, 2};
        const double expected[OUTPUTS][3] = {{1.4, 1.4, INFINITY}, {1.4, 1.4, -2.6}, {2.6, 2.6, -1.4},
                                             {0.8, -0.8, 0},       {0.6, -0.6, 0},   {6.6, 9, 1},
                                             {5.2, 7, 1},          {9, 6.6, 9},      {7, 5.2, 7}};
        table_pair(precision, &bodies, 0, i);
        table_pair(precision, &bodies, 1, j);
        table_pair(precision, &bodies, 2, away);
        assert_int_equal(solve_indexed(precision, CAROM_TOI_FAST, 3, 3, &bodies, from, to, &out), CAROM_OK);
        for (int f = 0; f < OUTPUTS; f++) {
            for (size_t k = 0; k < 3; k++) {
                const double got = get(precision, out.of[f], k), want = expected[f][k];
                assert_true(got == want || fabs(got - want) < (precision == CAROM_F32 ? 2e-6 : 4e-15));
            }
        }
    }
}

/* --- The earliest of many ----------------------------------------------------------------------------------------- */

static void check_first(carom_precision precision, int variant, const double one[5], size_t n, const inputs *others)
{
    FREED void *times = allocate(n * size_of(precision));
    const outputs out = {{times}};
    double least = INFINITY, t = 77;
    int32_t where = -1, index = 77;
    assert_int_equal(solve_one(precision, variant, one, n, others, &out), CAROM_OK);
    for (size_t k = 0; k < n; k++) {
        if (get(precision, times, k) < least) {
            least = get(precision, times, k);
            where = (int32_t)k;
        }
    }
    assert_int_equal(solve_first(precision, variant, one, n, others, &t, &index), CAROM_OK);
    if (t != least || index != where) {
        fail_msg("variant %#x, f%d, %zu others: expected %a at %d, got %a at %d", (unsigned)variant, (int)precision, n,
                 least, where, t, index);
    }
}

/* The least of the times, wherever and however often it occurs; integers and copies make many ties. */
TEST(test_first)
{
    enum { N = 300 };
    static const double one[5] = {0, 1, 1, 0, 1}, far[5] = {1e6, 0, 1, 0, 1};
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) others = inputs_new(precision, N);
        for (int round = 0; round < 4; round++) {
            for (size_t k = 0; k < N; k++) {
                if (k > 0 && random_bits() % 4 == 0) { /* as one before */
                    const size_t from = random_bits() % k;
                    for (int f = 0; f < 5; f++) {
                        put(precision, others.of[f], k, get(precision, others.of[f], from));
                    }
                } else {
                    (round == 0 ? integer_pair : round == 1 ? any_pair : random_pair)(precision, &others, k);
                }
                if (round == 3 && random_bits() % 3 == 0) {
                    put(precision, others.of[random_bits() % 5], k, NAN);
                }
                if (round == 2 && random_bits() % 32 == 0) {
                    table_pair(precision, &others, k, one);
                }
            }
            FOR_EACH_ISA(isa)
            FOR_EACH_VARIANT(variant)
            for (size_t n = 0; n <= N; n += n < 40 ? 1 : 52) {
                check_first(precision, variant, one, n, &others);
            }
        }
        /* The same time everywhere; then no pair meets. */
        for (int round = 0; round < 2; round++) {
            const double ahead[5] = {4, 1, -1, 0, 1};
            for (size_t k = 0; k < N; k++) {
                table_pair(precision, &others, k, round == 0 ? ahead : k % 3 == 0 ? one : far);
            }
            FOR_EACH_ISA(isa)
            for (size_t n = 1; n < 70; n++) {
                for (size_t front = 0; front < n && round == 0; front += 5) { /* none before `front` */
                    double t = 0;
                    int32_t index = 0;
                    for (int f = 0; f < 5; f++) {
                        put(precision, others.of[f], front, far[f]);
                    }
                    assert_int_equal(solve_first(precision, CAROM_TOI_FAST, one, n, &others, &t, &index), CAROM_OK);
                    assert_true(n == 1 ? isinf(t) && index == -1 : t == 1 && index == (front == 0));
                    table_pair(precision, &others, front, ahead);
                }
                if (round == 1) {
                    double t = 0;
                    int32_t index = 0;
                    assert_int_equal(solve_first(precision, CAROM_TOI_FAST, one, n, &others, &t, &index), CAROM_OK);
                    assert_true(isinf(t) && t > 0 && index == -1);
                }
            }
        }
    }
}

/* Many at once, the others among them: each as alone. */
TEST(test_first_of_each)
{
    enum { N = 70 };
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) bodies = inputs_new(precision, N);
        int32_t index[N];
        double t[N];
        for (size_t k = 0; k < N; k++) {
            random_pair(precision, &bodies, k);
        }
        FOR_EACH_ISA(isa)
        FOR_EACH_VARIANT(variant)
        {
            assert_int_equal(solve_first_of_each(precision, variant, N, &bodies, N, &bodies, t, index), CAROM_OK);
            for (size_t k = 0; k < N; k++) {
                double one[5], alone = 77;
                int32_t which = 77;
                for (int f = 0; f < 5; f++) {
                    one[f] = get(precision, bodies.of[f], k);
                }
                assert_int_equal(solve_first(precision, variant, one, N, &bodies, &alone, &which), CAROM_OK);
                assert_true(get(precision, t, k) == alone && index[k] == which);
                assert_true((variant & ~CAROM_TOI_BRANCHES) == CAROM_TOI_NORMALISED || which != (int32_t)k);
            }
        }
        const size_t many = (size_t)INT32_MAX + 1;
        if (many > INT32_MAX) {
            assert_int_equal(solve_first_of_each(precision, 1, N, &bodies, many, &bodies, t, index),
                             CAROM_ERROR_ARGUMENT);
        }
    }
}

/* --- Arguments ---------------------------------------------------------------------------------------------------- */

/* Fails unless the call is refused and leaves all outputs alone. */
static void expect_refused(const questions *q, int variant, size_t n, const inputs *in, const int32_t *i,
                           const int32_t *j, const outputs *out, const char *what)
{
    if (ask(q, variant, n, in, i, j, out) != CAROM_ERROR_ARGUMENT) {
        fail_msg("f%d, shape %d: not refused: %s", (int)q->precision, (int)q->shape, what);
    }
    for (int f = 0; out != NULL && f < OUTPUTS; f++) {
        for (size_t b = 0; out->of[f] != NULL && b < 5 * size_of(q->precision); b++) {
            assert_int_equal(((unsigned char *)out->of[f])[b], 0x5a);
        }
    }
}

TEST(test_arguments)
{
    enum { N = 5 };
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    for (pair_shape shape = 0; shape < SHAPES; shape++) {
        OWNED(questions) q = questions_new(precision, shape);
        outputs out = outputs_new(precision, N);
        const inputs nothing = {{NULL}};
        const outputs no_outputs = {{NULL}};
        for (int f = 0; f < OUTPUTS; f++) {
            memset(out.of[f], 0x5a, N * size_of(precision));
        }
        const int unknown[] = {-1, CAROM_TOI_VARIANTS, CAROM_TOI_VARIANTS | CAROM_TOI_BRANCHES, 0x200, INT32_MIN};
        for (size_t k = 0; k < sizeof unknown / sizeof unknown[0]; k++) {
            double t = 77;
            int32_t index = 77;
            expect_refused(&q, unknown[k], N, &q.in, q.i, q.j, &out, "unknown variant");
            expect_refused(&q, unknown[k], 0, &q.in, q.i, q.j, &out, "unknown variant of nothing");
            assert_int_equal(solve_first(precision, unknown[k], q.one, N, &q.in, &t, &index), CAROM_ERROR_ARGUMENT);
            assert_true(t == 77 && index == 77);
        }
        for (int k = 0; k < 5; k++) {
            inputs holed = q.in;
            double t = 77;
            int32_t index = 77;
            holed.of[k] = NULL;
            expect_refused(&q, CAROM_TOI_FAST, N, &holed, q.i, q.j, &out, "an array of the input");
            assert_int_equal(solve_first(precision, CAROM_TOI_POW, q.one, N, &holed, &t, &index), CAROM_ERROR_ARGUMENT);
            assert_true(t == 77 && index == 77);
        }
        outputs timeless = out;
        timeless.of[OUT_T] = NULL;
        expect_refused(&q, CAROM_TOI_FAST, N, NULL, q.i, q.j, &out, "the input");
        expect_refused(&q, CAROM_TOI_FAST, 0, NULL, q.i, q.j, &out, "the input of nothing");
        expect_refused(&q, CAROM_TOI_FAST, N, &q.in, q.i, q.j, NULL, "the output");
        expect_refused(&q, CAROM_TOI_FAST, 0, &q.in, q.i, q.j, NULL, "the output of nothing");
        expect_refused(&q, CAROM_TOI_FAST, N, &q.in, q.i, q.j, &timeless, "the times");
        if (shape == INDEXED) {
            expect_refused(&q, CAROM_TOI_FAST, N, &q.in, NULL, q.j, &out, "i");
            expect_refused(&q, CAROM_TOI_FAST, N, &q.in, q.i, NULL, &out, "j");
            const int32_t outside[] = {-1, BODIES, BODIES + 1, INT32_MAX, INT32_MIN};
            for (size_t k = 0; k < sizeof outside / sizeof outside[0]; k++) {
                for (size_t place = 0; place < 2 * N; place++) {
                    int32_t *const index = place % 2 == 0 ? &q.i[place / 2] : &q.j[place / 2], old = *index;
                    *index = outside[k];
                    expect_refused(&q, CAROM_TOI_FAST, N, &q.in, q.i, q.j, &out, "an index");
                    *index = old;
                }
            }
            assert_int_equal(solve_indexed(precision, 1, 1, 0, &q.in, q.i, q.j, &out), CAROM_ERROR_ARGUMENT);
            assert_int_equal(solve_indexed(precision, 1, 0, 0, &nothing, NULL, NULL, &no_outputs), CAROM_OK);
        } else if (shape == ONE) {
            double t = 77;
            int32_t index = 77;
            assert_int_equal(solve_one(precision, 1, NULL, N, &q.in, &out), CAROM_ERROR_ARGUMENT);
            assert_int_equal(solve_first(precision, 1, NULL, N, &q.in, &t, &index), CAROM_ERROR_ARGUMENT);
            assert_int_equal(solve_first(precision, 1, q.one, N, NULL, &t, &index), CAROM_ERROR_ARGUMENT);
            assert_int_equal(solve_first(precision, 1, q.one, N, &q.in, NULL, &index), CAROM_ERROR_ARGUMENT);
            assert_int_equal(solve_first(precision, 1, q.one, N, &q.in, &t, NULL), CAROM_ERROR_ARGUMENT);
            assert_true(t == 77 && index == 77);
            assert_int_equal(solve_first(precision, 1, q.one, 0, &nothing, &t, &index), CAROM_OK);
            assert_true(isinf(t) && t > 0 && index == -1);
        }
        assert_int_equal(ask(&q, CAROM_TOI_POW | CAROM_TOI_BRANCHES, 0, &nothing, NULL, NULL, &no_outputs), CAROM_OK);
        end_outputs(&out);
    }
}

SET_UP
{
    random_start(test_seed(2));
}
