/* SPDX-License-Identifier: MIT
 * Generations sized by the speed: with a simulated clock, whole runs of phases as kernel/search/search.c plays them, at
 * speeds from 3 to 3,000 leaves a millisecond; and with the real clock, searches that use up their budget.
 */
#define _XOPEN_SOURCE 700 /* setitimer */
#include "search_batch.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "search/search.h"

#define ROOM_FOR_ALL 4096

SET_UP
{
    set_up_samples();
}

/* ---- a clock of the test's own ---- */

/* A simulated search at a known speed. */
typedef struct machine {
    double now;          /* seconds */
    double leaf;         /* seconds of one */
    double overhead;     /* of a generation */
    double pause, every; /* other programs take the processor for `pause` of each `every` seconds; 0: never */
    search_fixed fixed;
    search_pace pace;
    search_phase phase;
    size_t generations, leaves, longest, least; /* of the last run: how many; leaves of those in time; sizes */
    size_t lost, last;                          /* leaves too late; generations of the last phase */
} machine;

static machine make_machine(double leaf, size_t sequences, size_t generations)
{
    machine made = {.leaf = leaf, .overhead = 2e-6};
    made.fixed.roots = 1;
    made.fixed.desc.sequences = sequences;
    made.fixed.desc.generations = generations;
    return made;
}

/* Works for this many seconds, pauses included. */
static void work(machine *m, double seconds)
{
    while (m->pause > 0 && seconds > 0) {
        const double at = fmod(m->now, m->every), free = m->every - m->pause - at;
        if (free <= 0) {
            m->now += m->every - at + 1e-12;
        } else if (free < seconds) {
            m->now += free + m->pause + 1e-12;
            seconds -= free;
        } else {
            break;
        }
    }
    m->now += seconds;
}

/* One run: phases with these shares of the time, and the number of candidates of each. */
static void run(machine *m, double seconds, size_t phases, const double *parts, const size_t *facing)
{
    const double end = m->now + seconds;
    double before = 0;
    m->generations = m->leaves = m->longest = m->lost = 0;
    m->least = SIZE_MAX;
    for (size_t k = 0; k < phases; k++) {
        const double length = (end - m->now) * parts[k] / (1 - before);
        before += parts[k];
        m->phase.facing = facing[k];
        m->phase.index = (unsigned)k;
        m->last = m->phase.generations = 0;
        m->phase.end = m->now + length;
        m->phase.generation = length * (double)phases / (double)m->fixed.desc.generations;
        size_t size;
        while ((size = carom_search_size(&m->fixed, &m->pace, &m->phase, m->now)) != 0) {
            const double begun = m->now;
            const size_t leaves = size * facing[k];
            work(m, m->overhead + m->leaf * (double)leaves);
            if (m->now > end) {
                m->lost += leaves;
                if (m->generations == 0) {
                    carom_search_measure(&m->pace, leaves, end - begun);
                }
                return;
            }
            carom_search_measure(&m->pace, leaves, m->now - begun);
            m->generations++;
            m->phase.generations = ++m->last;
            m->leaves += leaves;
            m->longest = size > m->longest ? size : m->longest;
            m->least = size < m->least ? size : m->least;
        }
    }
}

static const double whole[] = {1}, in_rounds[] = {0.25 / 3, 0.75 / 3, 0.25 / 3, 0.75 / 3, 0.25 / 3, 0.75 / 3};
static const size_t two[] = {2}, more_and_more[] = {1, 2, 1, 3, 1, 4};

/* Ten generations or more, and nearly all of the time is used, for every speed and budget. */
TEST(test_every_speed)
{
    for (double a_ms = 3; a_ms < 4000; a_ms *= 1.7) { /* leaves */
        for (double ms = 5; ms < 1000; ms *= 2.3) {
            for (int fictitious = 0; fictitious < 2; fictitious++) {
                machine m = make_machine(1e-3 / a_ms, 1024, fictitious ? 48 : 20);
                for (int turn = 0; turn < 3; turn++) {
                    run(&m, 1e-3 * ms, fictitious ? 6 : 1, fictitious ? in_rounds : whole,
                        fictitious ? more_and_more : two);
                }
                /* If there is time for ten of the smallest. */
                const double all = a_ms * ms, least = 10 * CAROM_TILE * (fictitious ? 4 : 2);
                if (all > 2 * least) {
                    assert_in_range(m.generations, 10, ROOM_FOR_ALL);
                    assert_in_range(m.longest, CAROM_TILE, 1024);
                    assert_int_equal(m.longest % CAROM_TILE, 0);
                    assert_true((double)m.leaves > 0.8 * all - least);
                }
                assert_in_range(m.lost, 0, 4 * CAROM_TILE + m.leaves / 50);
            }
        }
    }
}

/* The requested number, if sizes are neither large nor small; equally many in every phase. */
TEST(test_number)
{
    for (size_t number = 10; number <= 100; number *= 2) {
        machine m = make_machine(1e-6, 100000, number);
        for (int turn = 0; turn < 3; turn++) {
            run(&m, 0.07, 1, whole, two);
        }
        assert_in_range(m.generations, number, number + 6); /* and the last, smaller and smaller */
    }
    machine m = make_machine(1e-6, 100000, 60);
    for (int turn = 0; turn < 3; turn++) {
        run(&m, 0.07, 6, in_rounds, more_and_more);
    }
    assert_in_range(m.generations, 60, 60 + 6 * 5);

    /* As many in a quarter as in the rest. */
    machine other = make_machine(1e-6, 100000, 20);
    const double quarter[] = {0.25, 0.75};
    const size_t one[] = {1, 1};
    run(&other, 0.07, 2, quarter, one);
    run(&other, 0.07, 2, quarter, one);
    assert_in_range(other.last, 10, 15);
    assert_in_range(other.generations - other.last, 10, 15);
}

/* Few sequences: fewer generations, but at least ten; many: no more than fit. */
TEST(test_bounds)
{
    machine slow = make_machine(1e-5, 1024, 100); /* 7,000 leaves: 100 generations of 70, 55 of 128 */
    const size_t one[] = {1};
    for (int turn = 0; turn < 3; turn++) {
        run(&slow, 0.07, 1, whole, one);
    }
    assert_int_equal(slow.longest, 128);
    assert_in_range(slow.generations, 50, 60);

    machine slower = make_machine(1e-4, 1024, 100); /* 700: ten of 64, with what the measurement is short of */
    for (int turn = 0; turn < 3; turn++) {
        run(&slower, 0.07, 1, whole, one);
    }
    assert_in_range(slower.longest, 48, 64);
    assert_in_range(slower.generations, 10, 18);

    machine fast = make_machine(1e-7, 1024, 10);
    run(&fast, 0.07, 1, whole, one);
    assert_int_equal(fast.longest, 1024);

    machine small = make_machine(1e-6, 9, 20);
    run(&small, 0.01, 1, whole, one);
    run(&small, 0.01, 1, whole, one);
    assert_int_equal(small.longest, 8);

    /* Of many roots even four sequences are worth a generation, of one root a tile. */
    machine many = make_machine(1e-3, 1024, 20);
    many.fixed.roots = 1000;
    run(&many, 0.41, 1, whole, one);
    run(&many, 0.41, 1, whole, one);
    assert_int_equal(many.longest % SEARCH_LEAST, 0);
    assert_in_range(many.longest, 16, 40);
    assert_true(many.least < CAROM_TILE);
}

/* A machine that becomes slower, or faster, is followed. */
TEST(test_changes)
{
    machine m = make_machine(1e-6, 1 << 20, 20);
    run(&m, 0.07, 1, whole, two);
    run(&m, 0.07, 1, whole, two);
    const size_t before = m.longest;
    m.leaf *= 4;
    run(&m, 0.07, 1, whole, two);
    run(&m, 0.07, 1, whole, two);
    run(&m, 0.07, 1, whole, two);
    assert_in_range(m.longest, before / 5, before / 3);
    assert_in_range(m.generations, 18, 30);
    m.leaf /= 4;
    run(&m, 0.07, 1, whole, two);
    run(&m, 0.07, 1, whole, two);
    assert_in_range(m.longest, before * 3 / 4, before * 5 / 4);
}

/* With a busy program that takes half of the processor, four milliseconds at a time: ten generations, and most of the
 * remaining processor time is used. */
TEST(test_busy)
{
    for (double a_ms = 100; a_ms < 3000; a_ms *= 2) {
        machine m = make_machine(1e-3 / a_ms, 1024, 20);
        m.pause = 0.004;
        m.every = 0.008;
        size_t done = 0, runs = 20;
        run(&m, 0.07, 1, whole, two);
        for (size_t turn = 0; turn < runs; turn++) {
            run(&m, 0.0653, 1, whole, two);
            assert_in_range(m.generations, 10, ROOM_FOR_ALL);
            done += m.leaves;
        }
        assert_true((double)done > 0.85 * 0.5 * 65.3 * a_ms * (double)runs);
    }
}

/* With an unknown speed and no processor time at all, the next runs find the speed. */
TEST(test_begins)
{
    const size_t one[] = {1};
    machine m = make_machine(1e-6, 1024, 20);
    m.pause = 0.099;
    m.every = 0.1;
    m.now = 0.001;
    for (int turn = 0; turn < 10; turn++) { /* the processor is away all the time */
        m.now = 0.002;
        run(&m, 0.07, 1, whole, one);
        assert_int_equal(m.generations, 0);
        assert_true(m.lost >= CAROM_TILE);
    }
    m.pause = 0;
    for (int turn = 0; turn < 5; turn++) {
        run(&m, 0.07, 1, whole, one);
    }
    assert_in_range(m.generations, 20, ROOM_FOR_ALL);
    assert_true(m.leaves > 60000);
}

/* ---- searches ---- */

static carom_search_desc describe(void)
{
    carom_search_desc desc = carom_search_desc_default(csb);
    desc.milliseconds = 20;
    desc.sequences = 1024;
    desc.generations = 20;
    return desc;
}

/* By the real clock, on a machine that may be busy: in the best of some runs it has the generations asked for, and
 * elites in proportion; the time is used and kept to. */
TEST(test_search)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, 1);
    for (int kind = 0; kind < 4; kind++) {
        carom_search_desc desc = describe();
        desc.planner = kind == 2 ? CAROM_GENETIC : kind == 3 ? CAROM_MPPI : CAROM_CEM;
        desc.other = kind == 1 ? CAROM_OTHER_FICTITIOUS : CAROM_OTHER_ZERO;
        desc.other_rounds = 3;
        desc.cut_after = kind == 0 ? 3 : 0;
        OWNED(carom_search) *search = make_search(roots, &desc);
        bool found = false;
        for (int turn = 0; turn < 50 && !found; turn++) {
            OK(carom_search_run(search, roots));
            const carom_search_report report = carom_search_last(search);
            assert_true(report.pause >= 0 && report.pause <= report.seconds);
            carom_search_generation told = {0};
            uint64_t largest = 0;
            for (size_t k = 0; k < report.generations; k++) {
                OK(carom_search_generation_at(search, k, &told));
                largest = told.rollouts > largest ? told.rollouts : largest;
            }
            found = report.generations >= 10 && told.seconds > 0.018 && report.seconds < 0.021 && largest >= 64;
        }
        assert_true(found);
    }
}

#if !defined(__EMSCRIPTEN__) /* which has no signals */
static void hold_up(int number)
{
    (void)number;
    nanosleep(&(struct timespec){0, 40000000}, NULL);
}

/* A delay of 40 of 100 ms is reported as a pause, unless it falls between two pieces of rollouts, where no ticks are
 * timed; without one less is reported, on a machine that may be busy. So each must be seen in one of some runs. */
TEST(test_pause)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, 1);
    carom_search_desc desc = describe();
    desc.milliseconds = 100;
    OWNED(carom_search) *search = make_search(roots, &desc);
    double least = 1, most = 0; /* without delays, and with them */
    struct sigaction before, action = {.sa_handler = hold_up};
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    for (int turn = 0; turn < 40 && (least > 0.03 || most < 0.04); turn++) {
        const struct itimerval in_20_ms = {{0, 0}, {0, turn % 2 ? 20000 : 0}};
        assert_int_equal(setitimer(ITIMER_REAL, &in_20_ms, NULL), 0);
        OK(carom_search_run(search, roots));
        const double pause = carom_search_last(search).pause;
        assert_true(pause > 0 && pause <= carom_search_last(search).seconds);
        if (turn % 2) {
            most = fmax(most, pause);
        } else {
            least = fmin(least, pause);
        }
    }
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_true(least <= 0.03 && most >= 0.04);
}
#endif

/* A budget in rollouts does not depend on it. */
TEST(test_rollouts)
{
    enum { NUMBERS = 24 };
    float plans[2][NUMBERS];
    for (int run = 0; run < 2; run++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, 1);
        carom_search_desc desc = describe();
        desc.milliseconds = 0;
        desc.rollouts = 5000;
        desc.generations = run == 0 ? 0 : 20;
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, 0, plans[run]));
        assert_int_equal(carom_search_last(search).generations, 5);
        assert_true(carom_search_last(search).pause == 0);
    }
    assert_memory_equal(plans[0], plans[1], sizeof plans[0]);
}

/* A search that ends before its first generation, in a batch too large for its budget, starts smaller the next time. */
TEST(test_too_large)
{
    enum { MANY = SIZE_MAX > UINT32_MAX ? 4096 : 60 }; /* with 32 bits a search must be smaller */
    OWNED(carom_worlds) *roots = make(CAROM_F64, CAROM_ISA_DEFAULT, 1, MANY, CAROM_FREEZE);
    carom_search_desc desc = describe();

    /* The time that a quarter of such a generation takes here, by a budget in rollouts; twice that is too little. */
    desc.milliseconds = 0;
    desc.rollouts = 16;
    OWNED(carom_search) *quarter = make_search(roots, &desc);
    OK(carom_search_run(quarter, roots));
    desc.milliseconds = fmax(2000 * carom_search_last(quarter).seconds, 1); /* clocks may be coarse */

    OWNED(carom_search) *search = make_search(roots, &desc);
    bool found = false;
    for (int turn = 0; turn < 30 && !found; turn++) {
        OK(carom_search_run(search, roots));
        found = carom_search_last(search).generations > 0;
    }
    assert_true(found);
}
