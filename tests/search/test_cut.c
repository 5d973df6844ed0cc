/* SPDX-License-Identifier: MIT
 * The early end of hopeless sequences: which ones continue, their returns are unchanged, what the others cost, the same
 * bits everywhere, invalid settings.
 */

#include "search_batch.h"

enum {
    W = 3,
    H = 6,
    AFTER = 2,
    K = 32,
    KEPT = 8, /* a quarter */
    SIZE = 4,
    SERIES = H * SIZE,
    SEEN = PLAYERS * CAROM_CSB_OBSERVATION,
    PLANNERS = CAROM_MPPI + 1
};

static carom_candidate both[2] = {{CAROM_OTHER_ZERO, 0}, {CAROM_OTHER_POLICY, 0}};

SET_UP
{
    set_up_samples();
    OK(carom_game_find_policy(csb, "race", &both[1].policy));
}

static carom_search_desc describe(carom_planner planner)
{
    carom_search_desc desc = carom_search_desc_default(csb);
    desc.planner = planner;
    desc.sequences = K;
    desc.rollouts = 160;
    desc.seed = 8;
    desc.cut_after = AFTER;
    return desc;
}

static carom_search_generation generation(const carom_search *search, size_t index)
{
    carom_search_generation told;
    OK(carom_search_generation_at(search, index, &told));
    return told;
}

/* ---- which continue ---- */

/* What sequence k of `root` is worth after the first ticks against candidate c: sequence 0, the plan, is the worst. */
static double first_value(size_t root, size_t k, size_t c)
{
    return k == 0 ? -1e6 : (double)((k * 7 + root * 5) % 31) + (c == 1 && k % 4 == 3 ? -100 : 0);
}

/* Those with the greatest least value, the lowest first of equals, and sequence 0: ascending. */
static void choose(size_t root, size_t candidates, size_t chosen[KEPT])
{
    bool taken[K] = {true};
    for (size_t n = 1; n < KEPT; n++) {
        size_t best = 0;
        double value = -INFINITY;
        for (size_t k = 1; k < K; k++) {
            const double last = first_value(root, k, candidates - 1);
            if (!taken[k] && last > value) {
                best = k;
                value = last;
            }
        }
        taken[best] = true;
    }
    for (size_t k = 0, n = 0; k < K; k++) {
        if (taken[k]) {
            chosen[n++] = k;
        }
    }
}

/* The leaves of the first generation of such a search: those of its first call, kept in `seen`. */
static carom_search *first_leaves(const carom_worlds *roots, const carom_search_desc *desc, float *seen)
{
    const float *observations;
    size_t leaves;
    carom_search *search = make_search(roots, desc);
    OK(carom_search_begin(search, roots));
    OK(carom_search_leaves(search, &observations, &leaves));
    assert_int_equal(leaves, desc->candidate_count * W * K);
    memcpy(seen, observations, leaves * SEEN * sizeof *seen);
    return search;
}

/* The first call's leaves are those of a shorter horizon, the second's those of the whole horizon of the chosen. What
 * they are worth there decides; those that were not chosen are ignored. */
TEST(test_chosen)
{
    static float whole[2 * W * K * SEEN], shorter[2 * W * K * SEEN], first[2 * W * K * SEEN];
    for (int run = 0; run < 2 * PLANNERS; run++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
        const size_t candidates = run / PLANNERS + 1;
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS));
        desc.rollouts = 2 * K;
        desc.reward_weight = 0;
        desc.discount = run / PLANNERS ? 1e-60 : 0.5; /* its sixth power is 0, its second is not */
        desc.candidates = both;
        desc.candidate_count = candidates;
        desc.cut_after = 0;
        carom_search_destroy(first_leaves(roots, &desc, whole));
        desc.horizon = AFTER;
        carom_search_destroy(first_leaves(roots, &desc, shorter));
        desc.horizon = H;
        desc.cut_after = AFTER;
        OWNED(carom_search) *search = first_leaves(roots, &desc, first);
        assert_memory_equal(first, shorter, candidates * W * K * SEEN * sizeof *first);
        static double values[2 * W * K * PLAYERS];
        for (size_t leaf = 0; leaf < candidates * W * K; leaf++) {
            values[leaf * PLAYERS] = first_value(leaf / K % W, leaf % K, leaf / (W * K));
            values[leaf * PLAYERS + 1] = (double)NAN;
        }
        OK(carom_search_values(search, values));
        const float *observations;
        size_t leaves;
        OK(carom_search_leaves(search, &observations, &leaves));
        assert_int_equal(leaves, candidates * W * KEPT);
        for (size_t leaf = 0; leaf < leaves; leaf++) {
            size_t chosen[KEPT];
            const size_t c = leaf / (W * KEPT), root = leaf / KEPT % W;
            choose(root, candidates, chosen);
            const size_t from = (c * W + root) * K + chosen[leaf % KEPT];
            assert_memory_equal(observations + leaf * SEEN, whole + from * SEEN, SEEN * sizeof *whole);
            values[leaf * PLAYERS] = -50 - (double)((leaf % KEPT) * 3 % KEPT); /* the first is the best: the plan */
        }
        OK(carom_search_values(search, values));
        double returns[W];
        float plan[W * SERIES];
        OK(carom_search_leaves(search, &observations, &leaves)); /* the next generation's */
        OK(carom_search_returns(search, returns));
        OK(carom_search_plan(search, 0, plan));
        const double discounted = 50 * pow(desc.discount, H);
        assert_true(generation(search, 0).best == -discounted && generation(search, 0).mean <= -discounted);
        assert_true(discounted == 0 || generation(search, 0).mean < -discounted);
        assert_true(generation(search, 0).mean >= -discounted * 57 / 50);
        assert_true(generation(search, 0).cut == candidates * W * (K - KEPT));
        for (size_t n = 0; n < W * SERIES; n++) {
            assert_true(plan[n] == 0);
        }
    }
}

/* The return of the plan that comes out is that of a rollout. It is not worse than the start. */
TEST(test_worth)
{
    for (int run = 0; run < 2 * PLANNERS; run++) {
        OWNED(carom_worlds) *roots = make_roots(run % 3 ? CAROM_F64 : CAROM_F32, CAROM_ISA_DEFAULT, 2, 0, W);
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS));
        desc.other = run / PLANNERS ? CAROM_OTHER_SEARCH : CAROM_OTHER_POLICY;
        desc.policy = both[1].policy;
        desc.hold = run % 2 ? 4 : 1; /* rows that are cut through */
        const size_t series = (H - 1) / desc.hold * SIZE + SIZE;
        OWNED(carom_search) *search = make_search(roots, &desc);
        float plans[2][W * SERIES];
        double told[W], want[W][PLAYERS], start[W][PLAYERS], gain = 0;
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, 0, plans[0]));
        OK(carom_search_returns(search, told));
        carom_rollout_desc asked = carom_rollout_desc_default(csb);
        asked.horizon = H;
        asked.players[0].source = CAROM_BROADCAST;
        asked.players[0].actions = plans[0];
        asked.players[0].hold = asked.players[1].hold = desc.hold;
        asked.players[1].source = run / PLANNERS ? CAROM_BROADCAST : CAROM_POLICY;
        asked.players[1].policy = desc.policy;
        asked.players[1].actions = plans[1];
        if (run / PLANNERS) {
            OK(carom_search_plan(search, 1, plans[1]));
        }
        OK(carom_rollout(roots, &asked, *want, NULL, NULL));
        memset(plans[0], 0, W * series * sizeof(float));
        OK(carom_rollout(roots, &asked, *start, NULL, NULL));
        for (size_t root = 0; root < W; root++) {
            assert_true(told[root] == want[root][0] && told[root] >= start[root][0]);
            gain += told[root] - start[root][0];
        }
        assert_true(gain > 0.05);
        assert_true(carom_search_last(search).cut > 0);
    }
}

/* ---- cost ---- */

/* The generations that a budget of `rollouts` should have: each pays the ticks that it plays, in whole rollouts. */
TEST(test_budget)
{
    static const uint64_t budgets[] = {8, 32, 100, 160, 1000};
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    for (size_t run = 0; run < 2 * sizeof budgets / sizeof budgets[0]; run++) {
        const size_t candidates = run % 2 + 1;
        carom_search_desc desc = describe(CAROM_CEM);
        desc.candidates = both;
        desc.candidate_count = candidates;
        desc.rollouts = budgets[run / 2];
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        const carom_search_report report = carom_search_last(search);
        uint64_t left = desc.rollouts, spare = 0, rollouts = 0, cut = 0, ticks = 0;
        size_t number = 0;
        for (; left >= 4 * candidates; number++) {
            const uint64_t count = left / candidates < K ? left / candidates : K;
            const uint64_t quarter = count / 4 > K / 8 ? count / 4 : K / 8; /* not fewer than the elites */
            const bool saves = count * AFTER + quarter * H < count * H;
            const uint64_t kept = saves ? quarter : count, played = saves ? count * AFTER + kept * H : count * H;
            const carom_search_generation told = generation(search, number);
            assert_true(told.rollouts == W * candidates * count && told.cut == W * candidates * (count - kept));
            assert_true(told.ticks == W * candidates * played);
            const uint64_t paid = saves ? (played - spare + H - 1) / H : count;
            spare += saves ? paid * H - played : 0;
            left -= paid * candidates;
            rollouts += told.rollouts;
            cut += told.cut;
            ticks += told.ticks;
        }
        assert_int_equal(report.generations, number);
        assert_true(report.rollouts == rollouts && report.cut == cut && report.ticks == ticks);
        assert_true(ticks <= W * desc.rollouts * H);
        assert_true(desc.rollouts < 1000 || rollouts > W * desc.rollouts * 15 / 10);
    }
}

/* Where a cut would save no tick, none is made: the bits are the same. */
TEST(test_nothing_to_save)
{
    for (int planner = 0; planner < PLANNERS; planner++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
        float plans[3][W * SERIES];
        for (int run = 0; run < 3; run++) {
            carom_search_desc desc = describe((carom_planner)planner);
            desc.cut_after = run == 0 ? 0 : run == 1 ? H - 1 : 1;
            desc.cut_keep = 0.2;
            desc.elites = run == 2 ? 27 : 4; /* 5 of 6 ticks of 32 sequences, or all of 27, are too many */
            OWNED(carom_search) *search = make_search(roots, &desc);
            OK(carom_search_run(search, roots));
            OK(carom_search_plan(search, 0, plans[run]));
            assert_true(carom_search_last(search).cut == 0 && carom_search_last(search).rollouts == W * 160);
        }
        assert_memory_equal(plans[0], plans[1], sizeof plans[0]);
    }
}

/* With a time budget, too: more sequences are started, and an interrupted run plans as far as it came. */
TEST(test_time)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    carom_search_desc desc = describe(CAROM_CEM);
    desc.milliseconds = 20;
    OWNED(carom_search) *search = make_search(roots, &desc);
    for (int turn = 0; turn < 3; turn++) {
        OK(carom_search_run(search, roots));
        const carom_search_report report = carom_search_last(search);
        assert_true(report.cut * K == report.rollouts * (K - KEPT));
        assert_true(report.seconds < 20); /* of a busy machine */
    }
    assert_true(carom_search_last(search).generations > 0);
}

/* ---- the same bits ---- */

TEST(test_same_bits)
{
    for (int run = 0; run < PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)run);
        const carom_precision precision = run % 2 ? CAROM_F64 : CAROM_F32;
        desc.candidates = both;
        desc.candidate_count = 2;
        desc.rollouts = 320;
        same_bits(&desc, precision);
    }
}

/* ---- games, refusals ---- */

TEST(test_games)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        carom_worlds_desc like = WORLDS_DESC(carom_game_at(g), .count = 2);
        OWNED(carom_worlds) *roots = make_worlds(&like);
        carom_search_desc desc = carom_search_desc_default(like.game);
        desc.sequences = 16;
        desc.rollouts = 48;
        desc.horizon = 3;
        desc.cut_after = 1;
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        assert_true(carom_search_last(search).cut > 0 && carom_search_last(search).rollouts > 2 * 48);
    }
}

TEST(test_refused)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
#define REFUSED(change) SEARCH_REFUSED(describe(CAROM_CEM), CAROM_ERROR_ARGUMENT, change)
    REFUSED(cut_after = H);
    REFUSED(cut_keep = 0);
    REFUSED(cut_keep = 1);
    REFUSED(cut_keep = (double)NAN);
#undef REFUSED
}
