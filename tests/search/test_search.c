/* SPDX-License-Identifier: MIT
 * Planners: better than what they start from, the same bits on every instruction set, number of threads and batch size;
 * budgets, plans from turn to turn, the other player, values by the caller, invalid settings.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#endif

#include <time.h>

#include "search_batch.h"

enum { W = 5, H = 6, SIZE = 4, SERIES = H * SIZE, PLANNERS = CAROM_MPPI + 1 };

static size_t race;

SET_UP
{
    set_up_samples();
    OK(carom_game_find_policy(csb, "race", &race));
}

static carom_search_desc describe(carom_planner planner)
{
    carom_search_desc desc = carom_search_desc_default(csb);
    desc.planner = planner;
    desc.sequences = 32;
    desc.rollouts = 160;
    desc.seed = 8;
    return desc;
}

/* The returns of given plans to `player` against the other player's `other`, with its plan `others`. */
static void value_plans(const carom_worlds *roots, const carom_search_desc *asked, const float *plans,
                        const float *others, double *values)
{
    static double returns[ROOTS][PLAYERS];
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    desc.horizon = asked->horizon;
    desc.action_kind = asked->action_kind;
    desc.discount = asked->discount;
    desc.final_weight = asked->final_weight;
    desc.reward_weight = asked->reward_weight;
    desc.players[asked->player].source = CAROM_BROADCAST;
    desc.players[asked->player].actions = plans;
    desc.players[asked->player].hold = asked->hold;
    desc.players[1 - asked->player].source = others != NULL                       ? CAROM_BROADCAST
                                             : asked->other == CAROM_OTHER_POLICY ? CAROM_POLICY
                                                                                  : CAROM_ZERO;
    desc.players[1 - asked->player].actions = others;
    desc.players[1 - asked->player].hold = asked->hold;
    desc.players[1 - asked->player].policy = asked->policy;
    OK(carom_rollout(roots, &desc, *returns, NULL, NULL));
    for (size_t root = 0; root < carom_worlds_count(roots); root++) {
        values[root] = returns[root][asked->player];
    }
}

/* ---- results ---- */

/* Each planner, for each player, with each kind of other: the plan has the reported value, above that at the start. */
TEST(test_plans)
{
    for (int run = 0; run < 4 * PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS));
        desc.player = (unsigned)(run / 2 % 2);
        desc.other = (carom_other)(run / PLANNERS);
        desc.policy = race;
        desc.hold = 1 + (size_t)run % 3;
        desc.discount = 0.9;
        desc.reward_weight = 0.5;
        desc.final_weight = 2;
        const size_t series = (H - 1) / desc.hold * SIZE + SIZE;
        OWNED(carom_worlds) *roots = make_roots(run % 3 == 0 ? CAROM_F32 : CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
        const uint64_t before = digest_of(roots);
        OWNED(carom_search) *search = make_search(roots, &desc);
        float plans[PLAYERS][W * SERIES], start[W * SERIES];
        double told[W], want[W], begun[W], gain = 0;
        const bool planned = desc.other == CAROM_OTHER_PLAN || desc.other == CAROM_OTHER_SEARCH;
        OK(carom_search_plan(search, desc.player, start));
        for (size_t n = 0; n < W * series; n++) {
            assert_true(start[n] == 0);
        }
        OK(carom_search_run(search, roots));
        assert_true(digest_of(roots) == before);
        OK(carom_search_plan(search, desc.player, plans[0]));
        if (planned) {
            OK(carom_search_plan(search, 1 - desc.player, plans[1]));
        } else if (desc.other == CAROM_OTHER_POLICY) {
            assert_int_equal(carom_search_plan(search, 1 - desc.player, plans[1]), CAROM_ERROR_ARGUMENT);
        }
        OK(carom_search_returns(search, told));
        value_plans(roots, &desc, plans[0], planned ? plans[1] : NULL, want);
        assert_memory_equal(told, want, sizeof told);
        value_plans(roots, &desc, start, planned ? plans[1] : NULL, begun);
        for (size_t root = 0; root < W; root++) {
            assert_true(told[root] >= begun[root]);
            gain += told[root] - begun[root];
        }
        assert_true(gain > 0.1);
        float first[W][SIZE];
        OK(carom_search_actions(search, desc.player, first));
        for (size_t n = 0; n < W * SIZE; n++) {
            assert_true(first[n / SIZE][n % SIZE] == plans[0][n / SIZE * series + n % SIZE]);
        }
    }
}

/* ---- the same bits ---- */

typedef struct outcome {
    float plans[2][W][SERIES];
    double values[W];
    uint64_t ticks;
    carom_search_generation last;
} outcome;

/* Two turns; the roots between them play what was planned. */
static void run_two(carom_worlds *roots, const carom_search_desc *desc, outcome *out)
{
    OWNED(carom_search) *search = make_search(roots, desc);
    float actions[W][SIZE];
    OK(carom_search_run(search, roots));
    OK(carom_search_plan(search, 0, *out->plans[0]));
    OK(carom_search_actions(search, 0, actions));
    PLAY(roots, .action_kind = NORMALISED, .actions = actions, .players[1].source = CAROM_ZERO);
    OK(carom_search_run(search, roots));
    OK(carom_search_plan(search, 0, *out->plans[1]));
    OK(carom_search_returns(search, out->values));
    const carom_search_report report = carom_search_last(search);
    out->ticks = report.ticks;
    OK(carom_search_generation_at(search, report.generations - 1, &out->last));
    out->last.seconds = 0;
}

TEST(test_same_bits)
{
    static outcome want, got;
    for (int run = 0; run < 2 * PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS));
        const carom_precision precision = run / PLANNERS ? CAROM_F64 : CAROM_F32;
        desc.other = (carom_other)(run % 2 ? CAROM_OTHER_SEARCH : CAROM_OTHER_POLICY);
        desc.policy = race;
        carom_worlds *roots = make_roots(precision, CAROM_ISA_SCALAR, 1, 0, W);
        run_two(roots, &desc, &want);
        assert_true(memcmp(want.plans[0], want.plans[1], sizeof want.plans[0]) != 0);
        carom_worlds_destroy(roots);
        for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
            for (unsigned threads = 1; threads <= 3 && carom_isa_usable(isa); threads++) {
                roots = make_roots(precision, isa, threads, 0, W);
                memset(&got, 0, sizeof got);
                run_two(roots, &desc, &got);
                assert_memory_equal(got.plans, want.plans, sizeof got.plans);
                assert_memory_equal(got.values, want.values, sizeof got.values);
                assert_true(got.ticks == want.ticks && got.last.best == want.last.best &&
                            got.last.mean == want.last.mean && got.last.spread == want.last.spread);
                carom_worlds_destroy(roots);
            }
        }
        /* A root alone is planned as among others. */
        for (size_t root = 0; root < W; root += 2) {
            static float alone[SERIES];
            roots = make_roots(precision, CAROM_ISA_DEFAULT, 1, root, 1);
            OWNED(carom_search) *search = make_search(roots, &desc);
            OK(carom_search_run(search, roots));
            OK(carom_search_plan(search, 0, alone));
            assert_memory_equal(alone, want.plans[0][root], sizeof alone);
            carom_worlds_destroy(roots);
        }
    }
}

/* ---- what generations report ---- */

/* The elites of normal numbers of deviation 0.7 in a first generation; the second, about them, is narrower, better. */
TEST(test_first_generations)
{
    enum { N = 24, E = 5 };
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 1, 1);
    carom_search_desc desc = describe(CAROM_CEM);
    desc.sequences = N;
    desc.rollouts = 2 * N;
    desc.elites = E;
    desc.keep = 0;
    desc.sigma = 0.7;
    desc.sigma_least = 0;
    OWNED(carom_search) *search = make_search(roots, &desc);
    OK(carom_search_run(search, roots));
    carom_search_generation told[2];
    OK(carom_search_generation_at(search, 0, &told[0]));
    OK(carom_search_generation_at(search, 1, &told[1]));
    assert_true(told[0].spread > 0.25 && told[0].spread < 0.7);
    assert_true(told[1].spread < told[0].spread);
    assert_true(told[1].best >= told[0].best - 0.05 && told[1].mean > told[0].mean);
    assert_true(told[0].mean <= told[0].best && told[1].mean <= told[1].best);
}

/* A search keeps its initial plan, even with the smallest budget. */
TEST(test_start)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    carom_search_desc desc = describe(CAROM_CEM);
    float plan[W * SERIES];
    double good[W], values[W];
    desc.rollouts = 4096;
    carom_search *search = make_search(roots, &desc);
    OK(carom_search_run(search, roots));
    OK(carom_search_plan(search, 0, plan));
    OK(carom_search_returns(search, good));
    carom_search_destroy(search);
    for (int planner = 0; planner < PLANNERS; planner++) {
        desc = describe((carom_planner)planner);
        desc.rollouts = 4;
        search = make_search(roots, &desc);
        OK(carom_search_set_plan(search, 0, plan));
        OK(carom_search_run(search, roots));
        OK(carom_search_returns(search, values));
        for (size_t root = 0; root < W; root++) {
            assert_true(values[root] >= good[root]);
        }
        carom_search_destroy(search);
    }
}

/* More rollouts find more; learning finds more than drawing. */
TEST(test_learning)
{
    double gained[PLANNERS][2] = {{0}};
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    for (int run = 0; run < 2 * PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)(run / 2));
        double values[W];
        desc.sequences = 64;
        desc.rollouts = run % 2 ? 2048 : 64;
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        OK(carom_search_returns(search, values));
        for (size_t root = 0; root < W; root++) {
            gained[run / 2][run % 2] += values[root] / (double)W;
        }
    }
    for (int planner = 0; planner < PLANNERS; planner++) {
        assert_true(gained[planner][1] > gained[planner][0]);
        assert_true(planner == CAROM_SHOOTING || gained[planner][1] > gained[CAROM_SHOOTING][1]);
    }
}

/* ---- budgets ---- */

TEST(test_rollouts)
{
    static const uint64_t budgets[] = {4, 31, 32, 33, 36, 100, 160};
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
        for (int other = CAROM_OTHER_ZERO; other <= CAROM_OTHER_SEARCH; other++) {
            carom_search_desc desc = describe((carom_planner)(b % PLANNERS));
            desc.rollouts = budgets[b];
            desc.other = (carom_other)other;
            desc.policy = race;
            desc.other_rounds = 2;
            OWNED(carom_search) *search = make_search(roots, &desc);
            OK(carom_search_run(search, roots));
            const carom_search_report report = carom_search_last(search);
            uint64_t rollouts[PLAYERS] = {0, 0}, ticks = 0;
            double before = 0;
            for (size_t g = 0; g < report.generations; g++) {
                carom_search_generation told;
                OK(carom_search_generation_at(search, g, &told));
                assert_true(told.player < PLAYERS && told.rollouts >= 4 * W && told.rollouts <= 32 * W);
                assert_true(told.ticks <= told.rollouts * H && told.seconds >= before);
                rollouts[told.player] += told.rollouts;
                ticks += told.ticks;
                before = told.seconds;
            }
            assert_true(report.rollouts == rollouts[0] + rollouts[1] && report.ticks == ticks && ticks > 0);
            assert_true(report.seconds >= before);
            carom_search_generation none;
            assert_int_equal(carom_search_generation_at(search, report.generations, &none), CAROM_ERROR_ARGUMENT);
            if (other != CAROM_OTHER_SEARCH) {
                const uint64_t left = budgets[b] % 32; /* fewer than four are no generation */
                assert_true(rollouts[0] == W * (left < 4 && budgets[b] >= 32 ? budgets[b] - left : budgets[b]));
            } else if (budgets[b] == 160) { /* 20 and 60, twice */
                assert_true(rollouts[1] == 40 * W && rollouts[0] == 120 * W);
            }
        }
    }
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of this thread for a small rollout here: instructions may be emulated or instrumented. */
static double grain(void)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, 1);
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    double returns[128][PLAYERS], least = INFINITY;
    desc.sequences = 128;
    desc.horizon = H;
    for (int k = 0; k < 10; k++) {
        const double begun = seconds(CLOCK_THREAD_CPUTIME_ID);
        OK(carom_rollout(roots, &desc, *returns, NULL, NULL));
        const double took = seconds(CLOCK_THREAD_CPUTIME_ID) - begun;
        least = took < least ? took : least;
    }
    return least;
}

/* It ends in time. Other programs may take the processor meanwhile: its processor time counts. */
TEST(test_time)
{
    NOT_ON_WEB(); /* has no clock of a thread */
    const double small = grain(), budget = 100 * small > 0.008 ? 100 * small : 0.008;
    const double late = 2 * small > 0.001 ? 2 * small : 0.001;
    for (int run = 0; run < 4; run++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0,
                                                run == 0   ? ROOTS
                                                : run == 2 ? 4
                                                           : 1);
        carom_search_desc desc = describe(run % 2 ? CAROM_CEM : CAROM_GENETIC);
        desc.rollouts = 0;
        desc.milliseconds = 1000 * budget;
        desc.sequences = run == 0 ? 4096 : 128; /* the first: more than there is time for */
        desc.other = run == 3 ? CAROM_OTHER_SEARCH : CAROM_OTHER_ZERO;
        OWNED(carom_search) *search = make_search(roots, &desc);
        bool used = false, planned = false;
        for (int k = 0; k < 40 && !(used && planned); k++) {
            const double begun = seconds(CLOCK_MONOTONIC), worked = seconds(CLOCK_THREAD_CPUTIME_ID);
            OK(carom_search_run(search, roots));
            const double took = seconds(CLOCK_MONOTONIC) - begun;
            assert_true(seconds(CLOCK_THREAD_CPUTIME_ID) - worked < budget + late);
            const carom_search_report report = carom_search_last(search);
            assert_true(report.seconds <= took);
            used |= run == 0 || took > budget / 2;
            if (run == 0) { /* no generation is complete: the plan is unchanged */
                planned = report.generations == 0;
            } else if (report.generations > 0) {
                carom_search_generation told[2];
                OK(carom_search_generation_at(search, 0, &told[0]));
                OK(carom_search_generation_at(search, report.generations - 1, &told[1]));
                planned |= told[0].player == (run == 3 ? 1 : 0) && told[1].player == 0;
            }
        }
        assert_true(used && planned);
    }
}

/* A budget for each run; an invalid one changes nothing. */
TEST(test_budget)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    const carom_search_desc desc = describe(CAROM_CEM);
    OWNED(carom_search) *search = make_search(roots, &desc);
    OK(carom_search_set_budget(search, 64, 1e-6)); /* time counts alone: there is none */
    OK(carom_search_run(search, roots));
    assert_int_equal(carom_search_last(search).generations, 0);
    OK(carom_search_set_budget(search, 320, 0));
    assert_int_equal(carom_search_set_budget(NULL, 64, 0), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_set_budget(search, 3, 0), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_set_budget(search, 0, -1), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_set_budget(search, 0, (double)NAN), CAROM_ERROR_ARGUMENT);
    OK(carom_search_run(search, roots));
    assert_int_equal(carom_search_last(search).rollouts, 320 * W);
}

TEST(test_cancel)
{
    static const volatile int raised = 1;
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    carom_search_desc desc = describe(CAROM_CEM);
    desc.cancel = &raised;
    OWNED(carom_search) *search = make_search(roots, &desc);
    float plan[W * SERIES];
    assert_int_equal(carom_search_run(search, roots), CAROM_ERROR_CANCELLED);
    assert_int_equal(carom_search_last(search).generations, 0);
    OK(carom_search_plan(search, 0, plan));
}

/* ---- from turn to turn ---- */

/* Plans are shifted by the ticks played; those of other worlds start over. A search with only four random sequences
 * keeps plans that are better. */
TEST(test_shift)
{
    for (size_t hold = 1; hold <= 4; hold++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
        carom_search_desc desc = describe(CAROM_CEM);
        desc.hold = hold;
        desc.other = CAROM_OTHER_PLAN;
        desc.rollouts = 4;
        desc.sequences = 4;
        const size_t rows = (H - 1) / hold + 1, series = rows * SIZE;
        OWNED(carom_search) *search = make_search(roots, &desc);
        static float set_to[W * SERIES], now[W * SERIES];
        for (size_t n = 0; n < W * series; n++) {
            set_to[n] = (float)(n % 97) / 50 - 1.5f; /* some are beyond the bounds */
        }
        OK(carom_search_set_plan(search, 1, set_to));
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, 1, now)); /* as it was set, clipped */
        for (size_t n = 0; n < W * series; n++) {
            assert_true(now[n] == (set_to[n] < -1 ? -1 : set_to[n]));
        }
        const size_t ticks = 3;
        size_t begun = 0;
        int32_t episodes[W];
        OK(carom_worlds_get(roots, field_index(roots, "episode"), 0, W, episodes));
        PLAY(roots, .action_kind = NORMALISED, .ticks = ticks);
        const int32_t back[] = {1};
        const int32_t third[] = {3};
        set(roots, "tick", 1, back);     /* world 1 is at another time */
        set(roots, "episode", 2, third); /* world 2 in another game */
        memcpy(set_to, now, sizeof now);
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, 1, now));
        for (size_t n = 0; n < W * series; n++) {
            const size_t root = n / series, row = n / SIZE % rows, whole = ticks / hold;
            const float part = (float)(ticks % hold) / (float)hold;
            const size_t a = row + whole < rows ? row + whole : rows - 1, b = a + 1 < rows ? a + 1 : rows - 1;
            const float *plan = set_to + root * series + n % SIZE;
            int32_t episode;
            get(roots, "episode", root, &episode);
            const float want = plan[a * SIZE] + part * (plan[b * SIZE] - plan[a * SIZE]);
            begun += episode != episodes[root];
            if (root == 1 || episode != episodes[root]) { /* world 2's is */
                assert_true(now[n] == 0);
            } else {
                assert_true(fabsf(now[n] - want) < 1e-6f);
            }
        }
        assert_true(begun > 0 && begun < (W - 1) * series); /* some roots are in their next game */
        OK(carom_search_set_plan(search, 1, NULL));
        OK(carom_search_plan(search, 1, now));
        for (size_t n = 0; n < W * series; n++) {
            assert_true(now[n] == 0);
        }
    }
}

/* ---- values by the caller ---- */

typedef struct valuing {
    size_t calls, leaves;
    const carom_worlds *roots;
    carom_status answer;
} valuing;

/* The final value of csb.h, from an observation: the progress by the numbers 6, 7 and 10 of each pod. */
static void value_leaf(const carom_worlds *roots, size_t root, const float *seen, double *values)
{
    uint32_t n, laps;
    int32_t xy[8][2];
    double best[2] = {-1e9, -1e9};
    map_of(roots, root, &n, &laps, xy);
    for (int pod = 0; pod < 4; pod++) {
        const float *p = seen + pod * CAROM_CSB_OBSERVATION_POD;
        const double far = 16000.0 * sqrt((double)p[6] * (double)p[6] + (double)p[7] * (double)p[7]) / 20000;
        const double progress = (double)p[10] * n * laps - (far < 1 ? far : 1);
        best[pod / 2] = progress > best[pod / 2] ? progress : best[pod / 2];
    }
    values[0] = best[0] - best[1];
    values[1] = -values[0];
}

static carom_status value(void *user, size_t leaves, const float *observations, double *values)
{
    valuing *v = user;
    v->calls++;
    v->leaves += leaves;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        value_leaf(v->roots, leaf / (leaves / carom_worlds_count(v->roots)),
                   observations + leaf * PLAYERS * CAROM_CSB_OBSERVATION, values + leaf * PLAYERS);
    }
    return v->answer;
}

/* The game's own value computed outside gives nearly its returns; a callback and leaves give the same bits. */
TEST(test_values)
{
    for (int planner = 0; planner < PLANNERS; planner++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, 2);
        valuing user = {0, 0, roots, CAROM_OK};
        carom_search_desc desc = describe((carom_planner)planner);
        desc.discount = 0.9;
        desc.final_weight = 3;
        desc.value = value;
        desc.user = &user;
        carom_search *search = make_search(roots, &desc);
        float plans[2][2 * SERIES];
        double told[2], want[2];
        OK(carom_search_run(search, roots));
        assert_int_equal(user.calls, 5);
        assert_int_equal(user.leaves, 2 * 160);
        OK(carom_search_plan(search, 0, plans[0]));
        OK(carom_search_returns(search, told));
        value_plans(roots, &desc, plans[0], NULL, want);
        for (size_t root = 0; root < 2; root++) {
            assert_true(fabs(told[root] - want[root]) < 1e-4);
        }
        carom_search_destroy(search);

        desc.value = NULL;
        search = make_search(roots, &desc);
        const float *observations;
        size_t leaves, asked = 0;
        static double values[2 * 32 * PLAYERS];
        assert_int_equal(carom_search_leaves(search, &observations, &leaves), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_search_values(search, values), CAROM_ERROR_ARGUMENT);
        OK(carom_search_begin(search, roots));
        for (;;) {
            OK(carom_search_leaves(search, &observations, &leaves));
            if (leaves == 0) {
                break;
            }
            asked += leaves;
            assert_int_equal(carom_search_leaves(search, &observations, &leaves), CAROM_ERROR_ARGUMENT);
            OK(value(&user, 2 * 32, observations, values));
            OK(carom_search_values(search, values));
        }
        assert_int_equal(asked, 2 * 160);
        OK(carom_search_plan(search, 0, plans[1]));
        assert_memory_equal(plans[0], plans[1], sizeof plans[0]);
        /* And it runs by itself, too. */
        OK(carom_search_run(search, roots));
        carom_search_destroy(search);
    }
}

/* Every second leaf is worth the user's number, the others their index in their root's generation. */
static carom_status nonsense(void *user, size_t leaves, const float *observations, double *values)
{
    (void)observations;
    const size_t count = leaves / W;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const double good = (double)(leaf % count), bad = *(double *)user;
        values[leaf * PLAYERS] = leaf % count % 2 == 0 ? bad : good;
        values[leaf * PLAYERS + 1] = 0;
    }
    return CAROM_OK;
}

/* NaN values are harmless; a callback that gives up ends the search. */
TEST(test_odd_values)
{
    static double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    for (int run = 0; run < 3 * PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS));
        desc.value = nonsense;
        desc.user = &odd[run / PLANNERS];
        desc.reward_weight = 0;
        OWNED(carom_search) *search = make_search(roots, &desc);
        float plan[W * SERIES];
        OK(carom_search_run(search, roots));
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, 0, plan));
        for (size_t n = 0; n < W * SERIES; n++) {
            assert_true(plan[n] >= -1 && plan[n] <= 1);
        }
        double values[W];
        OK(carom_search_returns(search, values));
        for (size_t root = 0; root < W; root++) {
            assert_true(values[root] == (run / PLANNERS == 1 ? (double)INFINITY : 31));
        }
    }
    valuing user = {0, 0, roots, CAROM_ERROR_VALUE};
    carom_search_desc desc = describe(CAROM_CEM);
    desc.value = value;
    desc.user = &user;
    OWNED(carom_search) *search = make_search(roots, &desc);
    assert_int_equal(carom_search_run(search, roots), CAROM_ERROR_VALUE);
    assert_int_equal(user.calls, 1);
}

/* ---- bounds, kinds, games ---- */

TEST(test_bounds)
{
    static float low[H * 6], high[H * 6];
    for (int run = 0; run < 3 * PLANNERS; run++) {
        const size_t kind = (size_t)run / PLANNERS, size = kind_of(kind).size;
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS));
        desc.action_kind = kind;
        desc.other = CAROM_OTHER_SEARCH;
        for (size_t n = 0; n < H * size; n++) {
            low[n] = kind == REFEREE ? (n % 3 == 2 ? 50 : 0) : kind == RELATIVE ? (n % 2 ? 0 : -0.3f) : -0.5f;
            high[n] = kind == REFEREE ? (n % 3 == 2 ? 50 : 9000) : kind == RELATIVE ? (n % 2 ? 200 : 0.3f) : 0.25f;
        }
        desc.low = low;
        desc.high = high;
        OWNED(carom_search) *search = make_search(roots, &desc);
        static float plan[W * H * 6];
        static double actions[W * 6];
        OK(carom_search_run(search, roots));
        for (unsigned player = 0; player < PLAYERS; player++) {
            OK(carom_search_plan(search, player, plan));
            OK(carom_search_actions(search, player, actions));
            for (size_t n = 0; n < W * H * size; n++) {
                assert_true(plan[n] >= low[n % (H * size)] && plan[n] <= high[n % (H * size)]);
            }
            for (size_t n = 0; n < W * size; n++) {
                const float want = plan[n / size * H * size + n % size];
                assert_true(kind == REFEREE ? actions[n] == (double)want : ((const float *)actions)[n] == want);
            }
        }
    }
}

/* Every game can be searched, those of one player, too. */
TEST(test_games)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        carom_worlds_desc like = WORLDS_DESC(carom_game_at(g), .count = 3);
        OWNED(carom_worlds) *roots = make_worlds(&like);
        carom_search_desc desc = carom_search_desc_default(like.game);
        desc.sequences = 16;
        desc.rollouts = 48;
        desc.horizon = 3;
        desc.other = CAROM_OTHER_SEARCH;
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        assert_true(carom_search_last(search).ticks > 0);
        double values[3];
        OK(carom_search_returns(search, values));
    }
}

/* A scene in which no body acts: plans have no numbers, but have returns. */
TEST(test_plans_without_numbers)
{
    carom_scene_body body = carom_scene_body_default();
    body.vx = 1;
    carom_scene_desc described = carom_scene_desc_default();
    described.bodies = &body;
    described.body_count = 1;
    OWNED(carom_scene) *scene = NULL;
    OK(carom_scene_create(&described, &scene, NULL));
    carom_worlds_desc like = WORLDS_DESC(carom_scene_game(scene), .count = 3);
    OWNED(carom_worlds) *roots = make_worlds(&like);
    for (carom_planner planner = CAROM_SHOOTING; planner <= CAROM_MPPI; planner++) {
        carom_search_desc desc = carom_search_desc_default(like.game);
        desc.planner = planner;
        desc.sequences = 16;
        desc.rollouts = 48;
        desc.horizon = 3;
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        assert_int_equal(carom_search_last(search).ticks, 3 * 3 * 48);
    }
}

/* ---- refusals ---- */

TEST(test_refused)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    static float low[SERIES], high[SERIES];
    for (size_t n = 0; n < SERIES; n++) {
        low[n] = -0.5f;
        high[n] = 0.5f;
    }
#define REFUSED(status, change) SEARCH_REFUSED(describe(CAROM_CEM), status, change)
    REFUSED(CAROM_ERROR_ARGUMENT, size--);
    REFUSED(CAROM_ERROR_ARGUMENT, planner = (carom_planner)PLANNERS);
    REFUSED(CAROM_ERROR_ARGUMENT, player = PLAYERS);
    REFUSED(CAROM_ERROR_ARGUMENT, action_kind = KINDS);
    REFUSED(CAROM_ERROR_ARGUMENT, action_kind = RELATIVE); /* which has no own bounds */
    REFUSED(CAROM_ERROR_ARGUMENT, sequences = 3);
    REFUSED(CAROM_ERROR_ARGUMENT, sequences = SIZE_MAX);
    REFUSED(CAROM_ERROR_ARGUMENT, horizon = 0);
    REFUSED(CAROM_ERROR_ARGUMENT, hold = 0);
    REFUSED(CAROM_ERROR_ARGUMENT, rollouts = 3);
    REFUSED(CAROM_ERROR_ARGUMENT, milliseconds = -1);
    REFUSED(CAROM_ERROR_ARGUMENT, milliseconds = (double)NAN);
    REFUSED(CAROM_ERROR_ARGUMENT, discount = 1.5);
    REFUSED(CAROM_ERROR_ARGUMENT, reward_weight = (double)NAN);
    REFUSED(CAROM_ERROR_ARGUMENT, final_weight = (double)INFINITY);
    REFUSED(CAROM_ERROR_ARGUMENT, elites = 1);
    REFUSED(CAROM_ERROR_ARGUMENT, elites = 33);
    REFUSED(CAROM_ERROR_ARGUMENT, sigma = 0);
    REFUSED(CAROM_ERROR_ARGUMENT, sigma_least = 0.6);
    REFUSED(CAROM_ERROR_ARGUMENT, sigma_least = -0.1);
    REFUSED(CAROM_ERROR_ARGUMENT, keep = 1);
    REFUSED(CAROM_ERROR_ARGUMENT, keep = (double)NAN);
    REFUSED(CAROM_ERROR_ARGUMENT, mutation = 0);
    REFUSED(CAROM_ERROR_ARGUMENT, mutation = 1.1);
    REFUSED(CAROM_ERROR_ARGUMENT, mutation_spread = 0);
    REFUSED(CAROM_ERROR_ARGUMENT, temperature = 0);
    REFUSED(CAROM_ERROR_ARGUMENT, other = (carom_other)(CAROM_OTHER_FICTITIOUS + 1));
    REFUSED(CAROM_ERROR_ARGUMENT, low = low);
#define OTHER(kind, change) REFUSED(CAROM_ERROR_ARGUMENT, other = kind; desc.change)
    OTHER(CAROM_OTHER_POLICY, policy = 99);
    OTHER(CAROM_OTHER_SEARCH, other_share = 0);
    OTHER(CAROM_OTHER_SEARCH, other_share = 1);
    OTHER(CAROM_OTHER_SEARCH, other_rounds = 0);
#undef OTHER
    high[3] = -0.6f;
    REFUSED(CAROM_ERROR_VALUE, low = low; desc.high = high);
    high[3] = NAN;
    REFUSED(CAROM_ERROR_VALUE, low = low; desc.high = high);
#undef REFUSED
    carom_search *search = NULL;
    const carom_search_desc good = describe(CAROM_CEM);
    assert_int_equal(carom_search_create(NULL, &good, &search), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_create(roots, NULL, &search), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_create(roots, &good, NULL), CAROM_ERROR_ARGUMENT);

    /* Other worlds than it was made for. */
    search = make_search(roots, &good);
    carom_worlds *fewer = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W - 1);
    carom_worlds *narrow = make_roots(CAROM_F32, CAROM_ISA_DEFAULT, 2, 0, W);
    OWNED(carom_worlds) *threads = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 3, 0, W);
    carom_worlds *const wrong[] = {NULL, fewer, narrow, threads};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(carom_search_run(search, wrong[k]), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_search_begin(search, wrong[k]), CAROM_ERROR_ARGUMENT);
    }
    float plan[W * SERIES];
    assert_int_equal(carom_search_run(NULL, roots), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_plan(search, PLAYERS, plan), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_plan(search, 0, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_actions(search, 0, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_returns(search, NULL), CAROM_ERROR_ARGUMENT);
    memset(plan, 0, sizeof plan);
    plan[W * SERIES - 1] = NAN;
    assert_int_equal(carom_search_set_plan(search, 0, plan), CAROM_ERROR_VALUE);
    assert_int_equal(carom_search_set_plan(search, PLAYERS, plan), CAROM_ERROR_ARGUMENT);
    carom_search_destroy(search);
    carom_search_destroy(NULL);
    carom_worlds_destroy(fewer);
    carom_worlds_destroy(narrow);
}
