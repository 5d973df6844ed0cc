/* SPDX-License-Identifier: MIT
 * Measuring in turn (bench/common/rounds.h): which case runs when, how often, how long, and when it ends.
 */
#include "test.h"

#include "bench/common/rounds.h"

#define CASES 3
#define ROUNDS 5

static struct {
    double seconds; /* simulated time of one iteration */
    size_t order[CASES * ROUNDS], runs, kept, begun;
    size_t stop_after; /* runs */
} seen;

static void run(void *context, size_t number, uint64_t iterations, bench_sample *sample)
{
    assert_ptr_equal(context, &seen);
    assert_true(sample->seconds == 0 && sample->items == 0 && !sample->threaded);
    sample->seconds = seen.seconds * (double)iterations;
    sample->items = (double)iterations;
    if (seen.runs < CASES * ROUNDS) {
        seen.order[seen.runs] = number;
    }
    seen.runs++;
}

static void keep(void *context, size_t number, unsigned round, const bench_sample *sample)
{
    assert_ptr_equal(context, &seen);
    assert_int_equal(number, (seen.kept + round) % CASES); /* one further than the round before */
    assert_int_equal(round, seen.kept / CASES);
    assert_int_equal(round + 1, seen.begun);
    assert_true(sample->items == (double)(10 + number));
    seen.kept++;
}

static void begin(void *context, unsigned round)
{
    assert_ptr_equal(context, &seen);
    assert_int_equal(round, seen.begun++);
}

static bool stopped(void)
{
    return seen.runs >= seen.stop_after;
}

static bench_rounds rounds_of(double seconds)
{
    seen.seconds = 1e-6;
    seen.runs = seen.kept = seen.begun = 0;
    seen.stop_after = SIZE_MAX;
    return (bench_rounds){.context = &seen,
                          .cases = CASES,
                          .rounds = ROUNDS,
                          .seconds = seconds,
                          .run = run,
                          .keep = keep,
                          .begin = begin,
                          .stopped = stopped};
}

TEST(test_order)
{
    static const uint64_t iterations[CASES] = {10, 11, 12};
    static const size_t order[CASES * ROUNDS] = {0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2, 1, 2, 0};
    bench_rounds rounds = rounds_of(1);
    carom_bench_go_round(&rounds, iterations);
    assert_memory_equal(seen.order, order, sizeof order);
    assert_int_equal(seen.kept, CASES * ROUNDS);
    assert_int_equal(seen.begun, ROUNDS);

    rounds = rounds_of(1);
    seen.stop_after = 4;
    carom_bench_go_round(&rounds, iterations);
    assert_int_equal(seen.kept, 4);
    assert_int_equal(seen.begun, 2);
}

TEST(test_calibration)
{
    const bench_rounds rounds = rounds_of(0.03);
    for (seen.seconds = 1e-9; seen.seconds < 1; seen.seconds *= 7) {
        const double lasts = seen.seconds * (double)carom_bench_calibrate(&rounds, 1);
        assert_true(lasts >= seen.seconds);
        assert_true(seen.seconds > 0.02 || (lasts > 0.02 && lasts < 0.04));
    }
    assert_int_equal(seen.kept, 0);
}

TEST(test_clocks)
{
    bench_sample sample = {0};
    volatile double work = 1;
    for (int part = 0; part < 2; part++) {
        carom_bench_start(&sample);
        for (int i = 0; i < 100000; i++) {
            work = work * 1.0000001;
        }
        carom_bench_stop(&sample);
    }
    assert_true(sample.seconds > 0 && sample.cpu_seconds > 0);
    assert_true(carom_bench_disturbed(1, 0.96) && !carom_bench_disturbed(1, 0.98));
}
