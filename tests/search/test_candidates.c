/* SPDX-License-Identifier: MIT
 * Searches against several candidates for the other player's actions: values of plans, the same bits everywhere, what
 * counts in the budget, leaves of all candidates, fictitious play, errors.
 */

#include "search_batch.h"

enum { W = 3, H = 6, SIZE = 4, SERIES = H * SIZE, PLANNERS = CAROM_MPPI + 1, MOST = 4 };

static carom_candidate all[MOST]; /* race, plan, search, zero */

SET_UP
{
    static const carom_other others[MOST] = {CAROM_OTHER_POLICY, CAROM_OTHER_PLAN, CAROM_OTHER_SEARCH,
                                             CAROM_OTHER_ZERO};
    set_up_samples();
    for (int c = 0; c < MOST; c++) {
        all[c].other = others[c];
        OK(carom_game_find_policy(csb, "race", &all[c].policy));
    }
}

static carom_search_desc describe(carom_planner planner, size_t candidates)
{
    carom_search_desc desc = carom_search_desc_default(csb);
    desc.planner = planner;
    desc.sequences = 16;
    desc.rollouts = 48 * candidates;
    desc.seed = 8;
    desc.candidates = all;
    desc.candidate_count = candidates;
    desc.against = planner % 2 == 0 ? CAROM_AGAINST_WORST : CAROM_AGAINST_MEAN;
    return desc;
}

/* The rollout of given plans of `player` against a candidate with the plan `others`. */
static carom_rollout_desc describe_one(const carom_search_desc *asked, const carom_candidate *candidate,
                                       const float *plans, const float *others)
{
    static const carom_source sources[] = {CAROM_ZERO, CAROM_POLICY, CAROM_BROADCAST, CAROM_BROADCAST};
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    const unsigned player = asked->player;
    desc.horizon = asked->horizon;
    desc.discount = asked->discount;
    desc.players[player].source = CAROM_BROADCAST;
    desc.players[player].actions = plans;
    desc.players[player].hold = asked->hold;
    desc.players[1 - player].source = sources[candidate->other];
    desc.players[1 - player].actions = others;
    desc.players[1 - player].hold = asked->hold;
    desc.players[1 - player].policy = candidate->policy;
    return desc;
}

/* The other player's plan that these tests set: round in circles. */
static const float *circles(void)
{
    static float plan[W * SERIES];
    for (size_t n = 0; n < W * SERIES; n++) {
        plan[n] = n % 2 == 0 ? 0.9f : 0.3f;
    }
    return plan;
}

/* ---- the value of a plan ---- */

/* A list of one equals that one, whatever `other` is. */
TEST(test_one)
{
    for (int run = 0; run < MOST * PLANNERS; run++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS), 1);
        float plans[2][W * SERIES];
        double returns[2][W];
        uint64_t ticks[2];
        for (int listed = 0; listed < 2; listed++) {
            desc.candidates = listed ? &all[run / PLANNERS] : NULL;
            desc.candidate_count = (size_t)listed;
            desc.other = listed ? CAROM_OTHER_ZERO : all[run / PLANNERS].other;
            desc.policy = listed ? 99 : all[run / PLANNERS].policy;
            OWNED(carom_search) *search = make_search(roots, &desc);
            OK(carom_search_run(search, roots));
            OK(carom_search_plan(search, 0, plans[listed]));
            OK(carom_search_returns(search, returns[listed]));
            ticks[listed] = carom_search_last(search).ticks;
        }
        assert_memory_equal(plans[0], plans[1], sizeof plans[0]);
        assert_memory_equal(returns[0], returns[1], sizeof returns[0]);
        assert_true(ticks[0] == ticks[1]);
    }
}

/* The return of the plan that comes out is the least of its returns against each, or their mean. */
TEST(test_worth)
{
    size_t differ = 0;
    for (int run = 0; run < 2 * 2 * PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS), run / PLANNERS % 2 ? MOST : 2);
        OWNED(carom_worlds) *roots = make_roots(run % 3 == 0 ? CAROM_F32 : CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
        desc.player = (unsigned)(run / 2 % 2);
        desc.against = run / PLANNERS < 2 ? CAROM_AGAINST_WORST : CAROM_AGAINST_MEAN;
        desc.discount = 0.9;
        OWNED(carom_search) *search = make_search(roots, &desc);
        float plan[W * SERIES], searched[W * SERIES];
        double told[W], to_first[W], want[W] = {0};
        OK(carom_search_set_plan(search, 1 - desc.player, circles()));
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, desc.player, plan));
        OK(carom_search_plan(search, 1 - desc.player, searched));
        OK(carom_search_returns(search, told));
        assert_true((memcmp(searched, circles(), sizeof searched) != 0) == (desc.candidate_count > 2));
        for (size_t c = 0; c < desc.candidate_count; c++) {
            double returns[W][PLAYERS];
            const carom_rollout_desc one =
                describe_one(&desc, &all[c], plan, all[c].other == CAROM_OTHER_SEARCH ? searched : circles());
            OK(carom_rollout(roots, &one, *returns, NULL, NULL));
            for (size_t root = 0; root < W; root++) {
                const double to_one = returns[root][desc.player];
                to_first[root] = c == 0 ? to_one : to_first[root];
                differ += to_one != to_first[root];
                want[root] = desc.against == CAROM_AGAINST_MEAN ? want[root] + to_one
                             : c == 0 || to_one < want[root]    ? to_one
                                                                : want[root];
            }
        }
        for (size_t root = 0; root < W; root++) {
            assert_true(told[root] ==
                        (desc.against == CAROM_AGAINST_MEAN ? want[root] / (double)desc.candidate_count : want[root]));
        }
    }
    assert_true(differ > PLANNERS * W); /* or the candidates would not matter here */
}

/* ---- the same bits ---- */

TEST(test_same_bits)
{
    for (int run = 0; run < PLANNERS; run++) {
        const carom_search_desc desc = describe((carom_planner)run, MOST);
        const carom_precision precision = run % 2 ? CAROM_F64 : CAROM_F32;
        same_bits(&desc, precision);
    }
}

/* ---- the budget ---- */

TEST(test_budget)
{
    static const uint64_t budgets[] = {12, 47, 48, 60, 61, 150};
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
        carom_search_desc desc =
            describe(CAROM_CEM, 3); /* race, plan, search: a quarter of the budget is the other's */
        desc.rollouts = budgets[b];
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        const carom_search_report report = carom_search_last(search);
        uint64_t rollouts[PLAYERS] = {0, 0}, ticks = 0;
        for (size_t g = 0; g < report.generations; g++) {
            carom_search_generation told;
            OK(carom_search_generation_at(search, g, &told));
            rollouts[told.player] += told.rollouts / W;
            ticks += told.ticks;
            assert_true(told.player == 1 || told.rollouts % (3 * W) == 0);
            assert_true(told.rollouts <= W * 16 * (told.player == 0 ? 3 : 1) && told.cut == 0);
        }
        /* The rest of the budget must suffice for four sequences, or none is rolled out. */
        const uint64_t others = budgets[b] / 4 > 4 ? budgets[b] / 4 : 4;
        uint64_t own = budgets[b] - budgets[b] / 4 > 12 ? budgets[b] - budgets[b] / 4 : 12;
        own = own % 48 < 12 ? own - own % 48 : own - own % 3;
        assert_true(rollouts[1] == (others % 16 < 4 ? others - others % 16 : others));
        assert_true(rollouts[0] == own);
        assert_true(report.rollouts == W * (rollouts[0] + rollouts[1]) && report.ticks == ticks && report.cut == 0);
        assert_true(ticks > report.rollouts * H / 2 && ticks <= report.rollouts * H);
    }
}

/* ---- leaves ---- */

/* The leaves of the unchanged sequence are those of the plan, against each candidate in order; a callback gets the same
 * ones. */
typedef struct heard {
    size_t calls, leaves;
    uint64_t sum; /* of the bits of all that was seen */
} heard;

/* 100 c + k for the sequence k against candidate c, but every candidate hates another sequence. */
static void price(size_t leaves, size_t candidates, double *values)
{
    const size_t count = leaves / candidates / W;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const size_t c = leaf / (W * count), k = leaf % count;
        values[PLAYERS * leaf] = k == count - 1 - c ? -1e6 : (double)(100 * c + k);
        values[PLAYERS * leaf + 1] = (double)NAN;
    }
}

static carom_status listen(void *user, size_t leaves, const float *observations, double *values)
{
    heard *h = user;
    h->calls++;
    h->leaves += leaves;
    for (size_t n = 0; n < leaves * PLAYERS * CAROM_CSB_OBSERVATION; n++) {
        uint32_t bits;
        memcpy(&bits, observations + n, sizeof bits);
        h->sum = h->sum * 31 + bits;
    }
    price(leaves, 2, values);
    return CAROM_OK;
}

TEST(test_leaves)
{
    enum { K = 16, SEEN = PLAYERS * CAROM_CSB_OBSERVATION };
    const uint32_t depth = H;
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    for (int against = CAROM_AGAINST_WORST; against <= CAROM_AGAINST_MEAN; against++) {
        heard by_hand = {0, 0, 0}, called = {0, 0, 0};
        carom_search_desc desc = describe(CAROM_SHOOTING, 2); /* race, plan */
        desc.against = (carom_against)against;
        desc.reward_weight = 0;
        carom_search *search = make_search(roots, &desc);
        float start[W * SERIES], plans[2][W * SERIES];
        double returns[W];
        OK(carom_search_set_plan(search, 1, circles()));
        OK(carom_search_plan(search, 0, start));
        OK(carom_search_begin(search, roots));
        for (size_t number = 0;; number++) {
            const float *observations;
            static double values[2 * W * K * PLAYERS];
            size_t leaves;
            OK(carom_search_leaves(search, &observations, &leaves));
            if (leaves == 0) {
                break;
            }
            assert_int_equal(leaves, 2 * W * K);
            for (size_t c = 0; c < 2 && number == 0; c++) {
                static float seen[W * SEEN];
                carom_rollout_desc one = describe_one(&desc, &all[c], start, circles());
                one.depths = &depth;
                one.depth_count = 1;
                one.observations = seen;
                OK(carom_rollout(roots, &one, NULL, NULL, NULL));
                for (size_t root = 0; root < W; root++) {
                    assert_memory_equal(observations + (c * W + root) * K * SEEN, seen + root * SEEN,
                                        SEEN * sizeof *seen);
                }
            }
            OK(listen(&by_hand, leaves, observations, values));
            OK(carom_search_values(search, values));
        }
        assert_int_equal(by_hand.leaves, 2 * W * 48);
        OK(carom_search_plan(search, 0, plans[0]));
        OK(carom_search_returns(search, returns));
        for (size_t root = 0; root < W; root++) { /* 13 is the best that no candidate penalises; 13 and 113 */
            assert_true(returns[root] == (against == CAROM_AGAINST_WORST ? K - 3 : 50 + K - 3));
        }
        carom_search_destroy(search);
        desc.value = listen;
        desc.user = &called;
        search = make_search(roots, &desc);
        OK(carom_search_set_plan(search, 1, circles()));
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, 0, plans[1]));
        assert_memory_equal(plans[0], plans[1], sizeof plans[0]);
        assert_true(called.calls == by_hand.calls && called.sum == by_hand.sum);
        carom_search_destroy(search);
    }
}

/* A value that is no number against one candidate is a bad return against all. */
static carom_status no_number(void *user, size_t leaves, const float *observations, double *values)
{
    (void)user;
    (void)observations;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const size_t c = leaf / (leaves / 2), k = leaf % (leaves / 2 / W);
        values[PLAYERS * leaf] = values[PLAYERS * leaf + 1] = k % 2 == c ? (double)NAN : (double)k;
    }
    return CAROM_OK;
}

TEST(test_no_number)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    for (int run = 0; run < 2 * PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS), 2);
        desc.against = (carom_against)(run / PLANNERS);
        desc.value = no_number;
        OWNED(carom_search) *search = make_search(roots, &desc);
        float plan[W * SERIES];
        double returns[W];
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, 0, plan));
        OK(carom_search_returns(search, returns));
        for (size_t root = 0; root < W; root++) { /* every sequence is bad against one of the two */
            assert_true(returns[root] == -(double)INFINITY);
        }
        for (size_t n = 0; n < W * SERIES; n++) {
            assert_true(fabsf(plan[n]) <= 1);
        }
    }
}

/* ---- fictitious play ---- */

/* The player's plan, tried as it is in the first generation of a round, is rolled out against every candidate: race,
 * and the other player's plans that this test has seen come out of each round so far. */
static void check_round(const carom_worlds *roots, const carom_search_desc *desc, const float *own,
                        float (*others)[W * SERIES], size_t rounds, const float *observations, size_t leaves)
{
    enum { SEEN = PLAYERS * CAROM_CSB_OBSERVATION };
    const size_t candidates = rounds + 2, count = leaves / candidates / W;
    const uint32_t depth = H;
    assert_int_equal(leaves, candidates * W * count);
    for (size_t c = 0; c < candidates; c++) {
        static float seen[W * SEEN];
        carom_rollout_desc one =
            c == 0 ? describe_one(desc, &all[0], own, NULL) : describe_one(desc, &all[1], own, others[c - 1]);
        one.depths = &depth;
        one.depth_count = 1;
        one.observations = seen;
        OK(carom_rollout(roots, &one, NULL, NULL, NULL));
        for (size_t root = 0; root < W; root++) {
            assert_memory_equal(observations + (c * W + root) * count * SEEN, seen + root * SEEN, SEEN * sizeof *seen);
        }
    }
}

TEST(test_fictitious)
{
    enum { ROUNDS = 3 };
    for (unsigned player = 0; player < 2; player++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
        const carom_candidate two[2] = {{CAROM_OTHER_FICTITIOUS, 0}, all[0]};
        carom_search_desc desc = describe(CAROM_CEM, 2);
        desc.player = player;
        desc.candidates = two;
        desc.other_rounds = ROUNDS;
        desc.rollouts = 600;
        float own[W * SERIES], others[ROUNDS + 1][W * SERIES];
        size_t checked = 0, generations = 0;
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_set_plan(search, 1 - player, circles()));
        memcpy(others[0], circles(), sizeof others[0]);
        OK(carom_search_plan(search, player, own));
        OK(carom_search_begin(search, roots));
        for (;;) {
            const float *observations;
            static double values[(ROUNDS + 2) * W * 16 * PLAYERS];
            size_t leaves;
            OK(carom_search_leaves(search, &observations, &leaves));
            if (leaves == 0) {
                break;
            }
            carom_search_generation before = {.player = player};
            if (generations > 0) {
                OK(carom_search_generation_at(search, generations - 1, &before));
            }
            if (before.player != player && leaves > W * 16) { /* the other player's last plan is found */
                checked++;
                OK(carom_search_plan(search, 1 - player, others[checked]));
                check_round(roots, &desc, own, others, checked, observations, leaves);
            }
            for (size_t n = 0; n < leaves * PLAYERS; n++) {
                values[n] = (double)(n * 7919 % 101);
            }
            OK(carom_search_values(search, values));
            OK(carom_search_plan(search, player, own));
            generations++;
        }
        assert_int_equal(checked, ROUNDS);
        for (size_t a = 0; a < ROUNDS; a++) {
            assert_memory_not_equal(others[a], others[a + 1], sizeof others[a]);
        }
    }
}

/* With one round there are two plans, which are candidates that can be named one by one. */
TEST(test_fictitious_of_one_round)
{
    static const carom_candidate by_name[2] = {{CAROM_OTHER_PLAN, 0}, {CAROM_OTHER_SEARCH, 0}};
    for (int planner = 0; planner < PLANNERS; planner++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
        float plans[2][W * SERIES];
        double returns[2][W];
        for (int named = 0; named < 2; named++) {
            carom_search_desc desc = describe((carom_planner)planner, 2);
            desc.candidates = named ? by_name : NULL;
            desc.candidate_count = named ? 2 : 0;
            desc.other = CAROM_OTHER_FICTITIOUS;
            OWNED(carom_search) *search = make_search(roots, &desc);
            OK(carom_search_set_plan(search, 1, circles()));
            OK(carom_search_run(search, roots));
            OK(carom_search_plan(search, 0, plans[named]));
            OK(carom_search_returns(search, returns[named]));
        }
        assert_memory_equal(plans[0], plans[1], sizeof plans[0]);
        assert_memory_equal(returns[0], returns[1], sizeof returns[0]);
    }
}

TEST(test_fictitious_same_bits)
{
    for (int run = 0; run < PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)run, 2);
        desc.candidates = NULL;
        desc.candidate_count = 0;
        desc.other = CAROM_OTHER_FICTITIOUS;
        desc.other_rounds = 2;
        same_bits(&desc, run % 2 ? CAROM_F64 : CAROM_F32);
    }
}

/* ---- which players have plans; one-player games; refusals ---- */

TEST(test_other_plan)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    float plan[W * SERIES];
    for (size_t first = 0; first < MOST; first++) {
        carom_candidate two[2] = {all[first], all[0]}; /* and race */
        carom_search_desc desc = describe(CAROM_CEM, 2);
        desc.candidates = two;
        OWNED(carom_search) *search = make_search(roots, &desc);
        two[1].other = (carom_other)-1; /* the list is the search's own */
        OK(carom_search_run(search, roots));
        const bool planned = all[first].other >= CAROM_OTHER_PLAN;
        assert_int_equal(carom_search_plan(search, 1, plan), planned ? CAROM_OK : CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_search_actions(search, 1, plan), planned ? CAROM_OK : CAROM_ERROR_ARGUMENT);
    }
}

TEST(test_one_player)
{
    size_t games = 0;
    for (size_t g = 0; g < carom_game_count(); g++) {
        carom_worlds_desc like = carom_worlds_desc_default(carom_game_at(g));
        if (carom_game_describe(like.game).players != 1) {
            continue;
        }
        like.count = 2;
        carom_worlds *roots = make_worlds(&like);
        carom_search_desc desc = carom_search_desc_default(like.game);
        const carom_candidate odd[3] = {{(carom_other)7, 99}, {CAROM_OTHER_POLICY, 99}, {CAROM_OTHER_SEARCH, 0}};
        desc.candidates = odd;
        desc.candidate_count = 3;
        desc.rollouts = desc.sequences = 8;
        carom_search *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        assert_true(carom_search_last(search).rollouts == 16 && carom_search_last(search).generations == 1);
        carom_search_destroy(search);
        carom_worlds_destroy(roots);
        games++;
    }
    assert_true(games > 0);
}

TEST(test_refused)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    const carom_candidate wrong_other = {(carom_other)(CAROM_OTHER_FICTITIOUS + 1), 0};
    const carom_candidate fictitious = {CAROM_OTHER_FICTITIOUS, 0};
    const carom_candidate wrong_policy[2] = {all[0], {CAROM_OTHER_POLICY, 99}};
#define REFUSED(change) SEARCH_REFUSED(describe(CAROM_CEM, 3), CAROM_ERROR_ARGUMENT, change)
    REFUSED(candidates = NULL);
    REFUSED(candidate_count = 0);
    REFUSED(candidate_count = 1; desc.candidates = &wrong_other);
    REFUSED(candidate_count = 2; desc.candidates = wrong_policy);
    REFUSED(against = (carom_against)(CAROM_AGAINST_MEAN + 1));
    REFUSED(rollouts = 11);
    REFUSED(other_share = 1);
    REFUSED(other_rounds = 0);
    REFUSED(candidate_count = 1; desc.candidates = &fictitious; desc.other_rounds = 0);
    REFUSED(candidate_count = 1; desc.candidates = &fictitious; desc.other_rounds = 36); /* 37 for 144 rollouts */
#undef REFUSED
    const carom_search_desc three = describe(CAROM_CEM, 3);
    OWNED(carom_search) *search = make_search(roots, &three);
    assert_int_equal(carom_search_set_budget(search, 11, 0), CAROM_ERROR_ARGUMENT);
    OK(carom_search_set_budget(search, 12, 0));
}
