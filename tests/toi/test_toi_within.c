/* SPDX-License-Identifier: MIT
 * "Do these circles meet within a limit?": exactly the pairs whose time by CAROM_TOI_FAST is within it, whatever the
 * limit, the pair, the instruction set, the number of pairs and the position in memory.
 */
#include "test.h"

#include <float.h>

#include "toi_cases.h"

static void check_within(carom_precision precision, carom_isa isa, size_t n, const inputs *in, const void *t,
                         double limit)
{
    uint64_t mask[64];
    memset(mask, 0xff, sizeof mask);
    assert_int_equal(solve_within(precision, n, in, limit, mask), CAROM_OK);
    for (size_t i = 0; i < (n + 63) / 64 * 64; i++) {
        const bool want = i < n && get(precision, t, i) <= limit;
        if ((mask[i / 64] >> i % 64 & 1) != want) {
            if (i < n) {
                describe(precision, in, i, CAROM_TOI_FAST, carom_isa_name(isa));
                fail_msg("t = %a, limit = %a: not %d", get(precision, t, i), limit, (int)want);
            }
            fail_msg("bit %zu of %zu pairs is set", i, n);
        }
    }
}

/* Any limit, but above all those within 4 ulp of the time of one of the pairs. */
TEST(test_within)
{
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
        OWNED(inputs) in = inputs_new(precision, N);
        FREED void *t = allocate(N * size_of(precision));
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
                assert_int_equal(solve_times(precision, CAROM_TOI_FAST, N, &in, t), CAROM_OK);
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
    }
}

/* Many pairs that all meet at nearly the same time, from far and near, head on and grazing; with a small scale the
 * products of four lengths are denormal numbers or 0. */
static void check_crowd(carom_precision precision, double scale)
{
    enum { N = 3000 };
    OWNED(inputs) in = inputs_new(precision, N);
    FREED void *t = allocate(N * size_of(precision));
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
        assert_int_equal(solve_times(precision, CAROM_TOI_FAST, N, &in, t), CAROM_OK);
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
}

TEST(test_within_crowd)
{
    FOR_EACH_PRECISION(precision)
    {
        const bool single = precision == CAROM_F32;
        check_crowd(precision, 1);
        check_crowd(precision, single ? 0x1p-31 : 0x1p-258);
        check_crowd(precision, single ? 0x1p-36 : 0x1p-268);
        check_crowd(precision, single ? 0x1p27 : 0x1p250);
    }
}

/* Every length, in guarded memory: nothing beyond the pairs is read, nothing but the words is written. */
TEST(test_lengths_and_guards)
{
    enum { MOST = 200 };
    guarded arrays[5], words = guarded_new((MOST / 64 + 1) * 8);
    for (int k = 0; k < 5; k++) {
        arrays[k] = guarded_new(MOST * 8);
    }
    FOR_EACH_PRECISION(precision)
    {
        const size_t size = size_of(precision);
        inputs all = inputs_new(precision, MOST), in;
        FREED void *t = allocate(MOST * size);
        for (size_t i = 0; i < MOST; i++) {
            random_pair(precision, &all, i);
        }
        FOR_EACH_ISA(isa)
        {
            assert_int_equal(solve_times(precision, CAROM_TOI_FAST, MOST, &all, t), CAROM_OK);
            for (size_t n = 0; n <= MOST; n++) {
                for (int tail = 0; tail < 2; tail++) {
                    const size_t count = (n + 63) / 64;
                    memset(words.first, 0x5a, words.bytes);
                    uint64_t *mask = guarded_place(&words, count * 8, tail);
                    for (int k = 0; k < 5; k++) {
                        in.of[k] = guarded_place(&arrays[k], n * size, tail);
                        memcpy(in.of[k], all.of[k], n * size);
                    }
                    assert_int_equal(solve_within(precision, n, &in, 3, mask), CAROM_OK);
                    for (size_t i = 0; i < count * 64; i++) {
                        const bool want = i < n && get(precision, t, i) <= 3;
                        assert_int_equal(mask[i / 64] >> i % 64 & 1, want);
                    }
                    assert_int_equal(tail ? ((unsigned char *)mask)[-1] : ((unsigned char *)(mask + count))[0], 0x5a);
                    for (int k = 0; k < 5; k++) {
                        assert_memory_equal(in.of[k], all.of[k], n * size);
                    }
                }
            }
        }
        end_inputs(&all);
    }
    for (int k = 0; k < 5; k++) {
        guarded_free(&arrays[k]);
    }
    guarded_free(&words);
}

TEST(test_arguments)
{
    FOR_EACH_ISA(isa)
    FOR_EACH_PRECISION(precision)
    {
        OWNED(inputs) in = inputs_new(precision, 3);
        uint64_t mask = 77;
        const double bad[] = {-1, -INFINITY, NAN, precision == CAROM_F32 ? -1e-45 : -5e-324};
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(solve_within(precision, 3, &in, bad[k], &mask), CAROM_ERROR_ARGUMENT);
            assert_int_equal(solve_within(precision, 0, &in, bad[k], &mask), CAROM_ERROR_ARGUMENT);
        }
        for (int k = 0; k < 5; k++) {
            inputs holed = in;
            holed.of[k] = NULL;
            assert_int_equal(solve_within(precision, 3, &holed, 1, &mask), CAROM_ERROR_ARGUMENT);
        }
        const inputs none = {{NULL}};
        assert_int_equal(solve_within(precision, 3, NULL, 1, &mask), CAROM_ERROR_ARGUMENT);
        assert_int_equal(solve_within(precision, 0, NULL, 1, &mask), CAROM_ERROR_ARGUMENT);
        assert_int_equal(solve_within(precision, 3, &in, 1, NULL), CAROM_ERROR_ARGUMENT);
        assert_int_equal(solve_within(precision, 0, &none, 1, NULL), CAROM_OK);
        assert_int_equal(mask, 77);
    }
}

SET_UP
{
    random_start(test_seed(2));
}
