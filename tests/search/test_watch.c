/* SPDX-License-Identifier: MIT
 * Watching a search: a watch gets exactly what was rolled out, to the bit; it changes nothing; errors.
 */

#include "search_batch.h"

enum { W = 3, H = 6, K = 32, SIZE = 4, MOST_SERIES = H * SIZE, PLANNERS = CAROM_MPPI + 1 };

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
    desc.sequences = K;
    desc.rollouts = 4 * K + 8; /* the last generation is a small one */
    desc.seed = 8;
    desc.policy = race;
    return desc;
}

/* A test's data while it watches, and what it has seen. */
typedef struct witness {
    const carom_search_desc *desc;
    const carom_worlds *roots;
    size_t series, calls, own, cut;
    double best[W];              /* of the search's own player, in all generations */
    float plans[W][MOST_SERIES]; /* what had it */
} witness;

/* Rolls a generation out again from the watch's arguments: returns[root][sequence][player]. */
static void roll_again(const witness *seen, const carom_search *search, const carom_search_drawn *drawn,
                       const float *numbers, double *returns)
{
    static float others[W * MOST_SERIES];
    const carom_search_desc *asked = seen->desc;
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    desc.sequences = drawn->sequences;
    desc.horizon = asked->horizon;
    desc.discount = asked->discount;
    desc.reward_weight = asked->reward_weight;
    desc.players[drawn->player].source = CAROM_GIVEN;
    desc.players[drawn->player].actions = numbers;
    desc.players[drawn->player].hold = asked->hold;
    const unsigned other = 1 - drawn->player;
    desc.players[other].hold = asked->hold;
    desc.players[other].source = asked->other == CAROM_OTHER_ZERO     ? CAROM_ZERO
                                 : asked->other == CAROM_OTHER_POLICY ? CAROM_POLICY
                                                                      : CAROM_BROADCAST;
    desc.players[other].policy = asked->policy;
    if (asked->other >= CAROM_OTHER_PLAN) {
        OK(carom_search_plan(search, other, others));
        desc.players[other].actions = others;
    }
    OK(carom_rollout(drawn->roots, &desc, returns, NULL, NULL));
}

/* Every sequence of every root has the value that the watch gets, unless it ended early; lists of sequences give the
 * same as all of them. */
static void look(void *user, const carom_search *search, const carom_search_drawn *drawn)
{
    static float numbers[W * K * MOST_SERIES], one[MOST_SERIES];
    static double returns[W * K * PLAYERS], told[K];
    witness *seen = (witness *)user;
    const size_t n = drawn->sequences, series = seen->series;
    assert_true(drawn->roots == seen->roots && n >= 4 && n <= K);
    assert_int_equal(drawn->generation, seen->calls);
    assert_true(drawn->desc->horizon == seen->desc->horizon && drawn->desc->hold == seen->desc->hold &&
                drawn->desc->other == seen->desc->other && drawn->desc->candidates == NULL);
    seen->calls++;
    seen->own += drawn->player == seen->desc->player;
    for (size_t root = 0; root < W; root++) {
        OK(carom_search_sequences(search, root, NULL, n, numbers + root * n * series, NULL));
    }
    roll_again(seen, search, drawn, numbers, returns);
    for (size_t root = 0; root < W; root++) {
        OK(carom_search_sequences(search, root, NULL, n, NULL, told));
        for (size_t k = 0; k < n; k++) {
            const double want = returns[(root * n + k) * PLAYERS + drawn->player];
            const bool cut = told[k] == -INFINITY && want > -INFINITY;
            assert_true(told[k] == want || (cut && seen->desc->cut_after > 0));
            seen->cut += cut;
            if (drawn->player == seen->desc->player && told[k] > seen->best[root]) {
                seen->best[root] = told[k];
                memcpy(seen->plans[root], numbers + (root * n + k) * series, series * sizeof *numbers);
            }
        }
        const uint32_t last = (uint32_t)n - 1;
        double value;
        OK(carom_search_sequences(search, root, &last, 1, one, &value));
        assert_true(value == told[last]);
        assert_memory_equal(one, numbers + (root * n + last) * series, series * sizeof *one);
    }
}

/* Two runs, watched or not; the roots play the plan's first row between them. */
static void run_two(const carom_search_desc *desc, carom_precision precision, witness *seen, float *plan,
                    double *values)
{
    OWNED(carom_worlds) *roots = make_roots(precision, CAROM_ISA_DEFAULT, 2, 0, W);
    OWNED(carom_search) *search = make_search(roots, desc);
    float actions[W][SIZE];
    for (int turn = 0; turn < 2; turn++) {
        if (seen != NULL) {
            *seen = (witness){.desc = desc, .roots = roots, .series = (H - 1) / desc->hold * SIZE + SIZE};
            for (size_t root = 0; root < W; root++) {
                seen->best[root] = -INFINITY;
            }
            OK(carom_search_set_watch(search, look, seen));
        }
        OK(carom_search_run(search, roots));
        if (seen != NULL) {
            assert_int_equal(seen->calls, carom_search_last(search).generations);
        }
        OK(carom_search_plan(search, desc->player, plan));
        OK(carom_search_returns(search, values));
        OK(carom_search_actions(search, desc->player, actions));
        carom_step step = STEP_WITH(.action_kind = NORMALISED, .actions = actions);
        step.players[1 - desc->player].source = CAROM_ZERO;
        OK(carom_worlds_play(roots, &step));
    }
}

TEST(test_as_rolled_out)
{
    size_t cut = 0;
    for (int run = 0; run < 4 * PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS));
        const carom_precision precision = run % 3 == 0 ? CAROM_F32 : CAROM_F64;
        desc.player = (unsigned)(run % 2);
        desc.other = (carom_other)(run / PLANNERS);
        desc.hold = 1 + (size_t)run % 3;
        desc.discount = 0.9;
        desc.cut_after = run / PLANNERS % 2 ? 2 : 0;
        float alone[W * MOST_SERIES], watched[W * MOST_SERIES];
        double plain_values[W], values[W];
        witness seen;
        run_two(&desc, precision, NULL, alone, plain_values);
        run_two(&desc, precision, &seen, watched, values);
        assert_memory_equal(watched, alone, W * seen.series * sizeof *alone);
        assert_memory_equal(values, plain_values, sizeof values);
        assert_memory_equal(seen.best, values, sizeof values);
        assert_true(desc.other == CAROM_OTHER_SEARCH ? seen.own < seen.calls : seen.own == seen.calls);
        for (size_t root = 0; root < W; root++) {
            assert_memory_equal(seen.plans[root], watched + root * seen.series, seen.series * sizeof *watched);
        }
        cut += seen.cut;
    }
    assert_true(cut > 0);
}

/* ---- which watch is called ---- */

static void count_calls(void *user, const carom_search *search, const carom_search_drawn *drawn)
{
    (void)search, (void)drawn;
    ++*(size_t *)user;
}

/* The last watch that was set is called, until none is set; also for a run in steps. */
TEST(test_who_watches)
{
    size_t first = 0, second = 0;
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    const carom_search_desc desc = describe(CAROM_CEM);
    OWNED(carom_search) *search = make_search(roots, &desc);
    OK(carom_search_set_watch(search, count_calls, &first));
    OK(carom_search_set_watch(search, count_calls, &second));
    OK(carom_search_run(search, roots));
    assert_true(first == 0 && second == carom_search_last(search).generations);

    const float *observations;
    size_t leaves;
    static double values[W * K * PLAYERS];
    OK(carom_search_begin(search, roots));
    OK(carom_search_leaves(search, &observations, &leaves));
    const size_t before = second;
    assert_int_equal(carom_search_set_watch(search, NULL, NULL), CAROM_ERROR_ARGUMENT); /* the run is unfinished */
    OK(carom_search_values(search, values));
    assert_int_equal(second, before + 1);
    while (leaves != 0) {
        OK(carom_search_leaves(search, &observations, &leaves));
        if (leaves != 0) {
            OK(carom_search_values(search, values));
        }
    }

    const size_t all = second;
    OK(carom_search_set_watch(search, NULL, NULL));
    OK(carom_search_set_watch(search, NULL, NULL));
    OK(carom_search_run(search, roots));
    assert_int_equal(second, all);
}

/* ---- several candidates ---- */

/* Keeps the returns of all generations of root 0, one after the other. */
typedef struct kept_returns {
    double values[16 * K];
    size_t count;
} kept_returns;

static void keep_returns(void *user, const carom_search *search, const carom_search_drawn *drawn)
{
    kept_returns *kept = (kept_returns *)user;
    assert_true(kept->count + drawn->sequences <= sizeof kept->values / sizeof *kept->values);
    OK(carom_search_sequences(search, 0, NULL, drawn->sequences, NULL, kept->values + kept->count));
    kept->count += drawn->sequences;
}

static void keep_all(const carom_search_desc *desc, kept_returns *kept)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    OWNED(carom_search) *search = make_search(roots, desc);
    OK(carom_search_set_watch(search, keep_returns, kept));
    OK(carom_search_run(search, roots));
}

/* Shooting draws the same sequences whatever their values: against two candidates the value is the minimum, or the
 * mean. */
TEST(test_candidates)
{
    static kept_returns zero, policy, both;
    const carom_candidate candidates[] = {{CAROM_OTHER_ZERO, 0}, {CAROM_OTHER_POLICY, race}};
    for (int mean = 0; mean < 2; mean++) {
        carom_search_desc desc = describe(CAROM_SHOOTING);
        zero.count = policy.count = both.count = 0;
        desc.rollouts = K;
        keep_all(&desc, &zero);
        desc.other = CAROM_OTHER_POLICY;
        keep_all(&desc, &policy);
        desc.rollouts = 2 * K;
        desc.candidates = candidates;
        desc.candidate_count = 2;
        desc.against = mean ? CAROM_AGAINST_MEAN : CAROM_AGAINST_WORST;
        keep_all(&desc, &both);
        assert_true(zero.count == K && policy.count == K && both.count == K);
        size_t differ = 0;
        for (size_t k = 0; k < K; k++) {
            const double a = zero.values[k], b = policy.values[k];
            assert_true(both.values[k] == (mean ? (a + b) / 2 : fmin(a, b)));
            differ += a != b;
        }
        assert_true(differ > 0);
    }
}

/* ---- errors ---- */

static void ask_wrongly(void *user, const carom_search *search, const carom_search_drawn *drawn)
{
    float numbers[MOST_SERIES];
    double value = 7;
    const uint32_t beyond = (uint32_t)drawn->sequences;
    assert_int_equal(carom_search_sequences(search, W, NULL, 1, numbers, &value), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_sequences(search, 0, &beyond, 1, numbers, &value), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_sequences(search, 0, NULL, drawn->sequences + 1, NULL, &value), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_sequences(NULL, 0, NULL, 1, numbers, &value), CAROM_ERROR_ARGUMENT);
    assert_true(value == 7);
    OK(carom_search_sequences(search, 0, NULL, 0, numbers, &value));
    assert_true(value == 7);
    ++*(size_t *)user;
}

TEST(test_refused)
{
    size_t calls = 0;
    float numbers[MOST_SERIES];
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    const carom_search_desc desc = describe(CAROM_GENETIC);
    OWNED(carom_search) *search = make_search(roots, &desc);
    assert_int_equal(carom_search_set_watch(NULL, ask_wrongly, &calls), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_sequences(search, 0, NULL, 1, numbers, NULL), CAROM_ERROR_ARGUMENT);
    OK(carom_search_set_watch(search, ask_wrongly, &calls));
    OK(carom_search_run(search, roots));
    assert_true(calls > 1);
    assert_int_equal(carom_search_sequences(search, 0, NULL, 1, numbers, NULL), CAROM_ERROR_ARGUMENT);
}
