/* SPDX-License-Identifier: MIT
 * Searches with a network: leaves have the value of the network run by hand, alone or added to the game's value; plans
 * by the policy equal those of a game that it plays; the same bits everywhere; invalid settings.
 */
#include "search_batch.h"
#include "tests/network/network_plain.h"

enum { W = 3, H = 6, K = 32, SIZE = 4, SERIES = H * SIZE, PLANNERS = CAROM_MPPI + 1 };

static carom_network *raw, *ego, *nothing; /* of a player, of a pod; one with value 0 */

static carom_network *draw_network(uint64_t seed, const char *observation, int inputs, int policy, bool zero)
{
    FREED plain_network *made = (plain_network *)take(sizeof *made);
    const int widths[] = {16, 8};
    plain_draw(made, &seed, "csb", observation, inputs, widths, 2, 1, policy);

    /* Numbers of a size such as games have: halves of what comes out are beyond the bounds, if anything. */
    made->input_bits = 10, made->input_limit = 4096;
    for (int k = 0; k < 4; k++) {
        plain_layer *layer = &made->layers[k];
        layer->activation = k < 2 ? PLAIN_CLIP : k == 2 ? PLAIN_LINEAR : PLAIN_TANH;
        layer->limit = 1024, layer->bits = 10;
        for (int o = 0; o < layer->outputs; o++) {
            for (int i = 0; i < layer->inputs; i++) {
                layer->weights[o][i] = zero ? 0 : rng_below(&seed, 1401) - 700;
            }
            layer->biases[o] = zero ? 0 : rng_below(&seed, 200001) - 100000;
        }
    }
    return plain_make(made);
}

SET_UP
{
    set_up_samples();
    raw = draw_network(1, "raw", CAROM_CSB_OBSERVATION, 4, false);
    ego = draw_network(2, "ego", CAROM_CSB_EGO, 2, false);
    nothing = draw_network(3, "ego", CAROM_CSB_EGO, 2, true);
}

static void release_all(void)
{
    tear_down(); /* the samples */
    carom_network_destroy(raw);
    carom_network_destroy(ego);
    carom_network_destroy(nothing);
}

__attribute__((constructor)) static void end_with_networks(void)
{
    add_tear_down(release_all);
}

static carom_search_desc describe(carom_planner planner)
{
    carom_search_desc desc = carom_search_desc_default(csb);
    desc.planner = planner;
    desc.sequences = K;
    desc.rollouts = 6 * K + 9;
    desc.seed = 8;
    return desc;
}

/* The results of a search: the plans and values of all roots; the first root is sample `first`. */
typedef struct found {
    float plan[W * SERIES], first[W * SIZE];
    double returns[W];
} found;

static void run(const carom_search_desc *desc, size_t first, found *what)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, first, W);
    OWNED(carom_search) *search = make_search(roots, desc);
    OK(carom_search_run(search, roots));
    OK(carom_search_plan(search, desc->player, what->plan));
    OK(carom_search_returns(search, what->returns));
    OK(carom_search_actions(search, desc->player, what->first));
}

static bool same(const found *a, const found *b)
{
    return memcmp(a->plan, b->plan, sizeof a->plan) == 0 && memcmp(a->returns, b->returns, sizeof a->returns) == 0;
}

/* ---- the value ---- */

/* A network's values of leaves, by hand: a player's value is the mean of its agents'. */
typedef struct valuer {
    const carom_network *network;
    size_t agents;
} valuer;

static carom_status value_by_hand(void *user, size_t leaves, const float *observations, double *values)
{
    const valuer *by = (const valuer *)user;
    const carom_network_info info = carom_network_about(by->network);
    for (size_t k = 0; k < leaves * PLAYERS; k++) {
        values[k] = 0;
        for (size_t agent = 0; agent < by->agents; agent++) {
            float said[8];
            OK(carom_network_run(by->network, observations + (k * by->agents + agent) * info.inputs, 1, said));
            values[k] += (double)said[0];
        }
        values[k] /= (double)by->agents;
    }
    return CAROM_OK;
}

/* The network alone equals a caller's function that runs it, for every planner and with a cut, too. */
TEST(value_alone)
{
    int differ = 0;
    for (int run_of = 0; run_of < 12; run_of++) {
        valuer by = run_of % 2 ? (valuer){ego, 2} : (valuer){raw, 1};
        carom_search_desc desc = describe((carom_planner)(run_of % PLANNERS));
        desc.player = (unsigned)(run_of / 2 % 2);
        desc.discount = 0.75;
        desc.final_weight = run_of % 3 ? 0.5 : 2;
        desc.cut_after = run_of % 4 == 3 ? 2 : 0;
        desc.other = run_of % 3 == 2 ? CAROM_OTHER_FICTITIOUS : CAROM_OTHER_SEARCH;
        desc.value_at_end = run_of < 6;
        carom_search_desc hand = desc;
        hand.value = value_by_hand;
        hand.user = &by;
        OK(carom_game_find_observation_kind(csb, carom_network_about(by.network).observation, &hand.observation_kind));
        desc.network = by.network;
        desc.network_weight = desc.final_weight;
        desc.final_weight = 0;

        found wanted, got;
        const size_t first = (size_t)run_of * W; /* games that end on the way, too */
        run(&hand, first, &wanted);
        run(&desc, first, &got);
        assert_true(same(&got, &wanted));

        /* It decides something: with another weight another plan is found. */
        desc.network_weight *= -1;
        run(&desc, first, &got);
        differ += !same(&got, &wanted);
    }
    assert_in_range(differ, 9, 12); /* of some roots no state counts: their games are over */
}

/* With the game's own value: a network that is always 0 changes nothing, and both add up. */
TEST(value_beside_the_games)
{
    carom_search_desc desc = describe(CAROM_CEM);
    found without, with;
    run(&desc, 0, &without);
    desc.network = nothing;
    desc.network_weight = 3;
    run(&desc, 0, &with);
    assert_true(same(&with, &without));

    /* A single generation: the return of its mean, which is the plan, is that of the game and that of the network. */
    static float plan[W * SERIES];
    double alone[W], network[W], both[W];
    for (int k = 0; k < 3; k++) {
        double *to = k == 0 ? alone : k == 1 ? network : both;
        desc = describe(CAROM_CEM);
        desc.rollouts = 4, desc.sequences = 4, desc.sigma = 1e-9, desc.sigma_least = 0;
        desc.reward_weight = 0;
        desc.final_weight = k == 1 ? 0 : 1;
        desc.network = k == 0 ? NULL : ego;
        desc.network_weight = k == 0 ? 0 : 0.25;
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_set_plan(search, 0, plan));
        OK(carom_search_run(search, roots));
        OK(carom_search_returns(search, to));
    }
    for (int root = 0; root < W; root++) {
        assert_true(fabs(alone[root] + network[root] - both[root]) < 1e-6 && network[root] != 0);
    }
}

/* ---- the policy ---- */

/* The network's actions from the roots on, in a game that it plays by itself: plans[player][root][row][number]. */
static void play_by_hand(const carom_network *network, size_t agents, size_t hold, float *plans)
{
    const carom_network_info info = carom_network_about(network);
    OWNED(carom_worlds) *worlds = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    const size_t rows = (H - 1) / hold + 1;
    carom_step step = STEP_WITH(.action_kind = find_kind(csb, "normalised"), .repeat = hold);
    OK(carom_game_find_observation_kind(csb, info.observation, &step.observation_kind));
    float seen[W * PLAYERS * 2 * CAROM_CSB_OBSERVATION], said[W * PLAYERS * 2 * 8], actions[W * PLAYERS * SIZE];
    for (size_t row = 0; row < rows; row++) {
        step.observations = seen;
        step.actions = NULL;
        OK(carom_worlds_observe_step(worlds, &step));
        OK(carom_network_run(network, seen, W * PLAYERS * agents, said));
        for (size_t k = 0; k < W * PLAYERS * SIZE; k++) {
            const size_t agent = k / (SIZE / agents);
            actions[k] = fminf(fmaxf(said[agent * info.outputs + 1 + k % (SIZE / agents)], -1), 1);
            const size_t root = k / SIZE / PLAYERS, player = k / SIZE % PLAYERS;
            plans[((player * W + root) * rows + row) * SIZE + k % SIZE] = actions[k];
        }
        step.observations = NULL;
        step.actions = actions;
        play_worlds(worlds, &step);
    }
}

/* An other side played by the policy equals one that follows that plan. */
TEST(other_side_by_the_policy)
{
    for (int run_of = 0; run_of < 4; run_of++) {
        const carom_network *network = run_of % 2 ? ego : raw;
        carom_search_desc desc = describe(CAROM_CEM);
        desc.hold = run_of < 2 ? 1 : 2;
        const size_t series = (size_t)H / desc.hold * SIZE;
        static float plans[PLAYERS * W * SERIES];
        play_by_hand(network, run_of % 2 ? 2 : 1, desc.hold, plans);

        float wanted[W * SERIES], got[W * SERIES];
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
        desc.other = CAROM_OTHER_PLAN;
        OWNED(carom_search) *by_plan = make_search(roots, &desc);
        OK(carom_search_set_plan(by_plan, 1, plans + W * series));
        OK(carom_search_run(by_plan, roots));
        OK(carom_search_plan(by_plan, 0, wanted));

        desc.other = CAROM_OTHER_NETWORK;
        desc.network = network;
        OWNED(carom_search) *by_network = make_search(roots, &desc);
        OK(carom_search_run(by_network, roots));
        OK(carom_search_plan(by_network, 0, got));
        assert_memory_equal(got, wanted, W * series * sizeof *got);
        assert_int_equal(carom_search_actions(by_network, 1, got), CAROM_ERROR_ARGUMENT);

        /* As one of several candidates, too. */
        const carom_candidate by_name[2][2] = {{{CAROM_OTHER_PLAN, 0}, {CAROM_OTHER_ZERO, 0}},
                                               {{CAROM_OTHER_NETWORK, 0}, {CAROM_OTHER_ZERO, 0}}};
        for (int k = 0; k < 2; k++) {
            desc.candidates = by_name[k];
            desc.candidate_count = 2;
            OWNED(carom_search) *search = make_search(roots, &desc);
            OK(carom_search_set_plan(search, k == 0 ? 1 : 0, k == 0 ? plans + W * series : NULL));
            OK(carom_search_run(search, roots));
            OK(carom_search_plan(search, 0, k == 0 ? wanted : got));
        }
        assert_memory_equal(got, wanted, W * series * sizeof *got);
    }
}

/* The first generations that a watch saw: for each player the one in which its plan starts. */
typedef struct witness {
    const float *plans; /* [player][root][series] */
    size_t calls, first;
    bool seen[PLAYERS];
} witness;

static void see(void *user, const carom_search *search, const carom_search_drawn *drawn)
{
    witness *w = (witness *)user;
    float numbers[K * SERIES];
    w->calls++;
    for (size_t root = 0; root < W; root++) {
        const float *plan = w->plans + (drawn->player * W + root) * SERIES;
        OK(carom_search_sequences(search, root, NULL, drawn->sequences, numbers, NULL));
        const bool tried = memcmp(numbers + SERIES, plan, SERIES * sizeof *plan) == 0;
        assert_int_equal(tried, !w->seen[drawn->player]);

        /* Sequences of the policy's half are closer to its actions than to the old plan, the centre. */
        double near[2] = {0, 0};
        for (size_t k = 2; k < drawn->sequences && tried; k++) {
            for (size_t n = 0; n < SERIES; n++) {
                near[k % 2] += fabs((double)numbers[k * SERIES + n] - (double)plan[n]);
            }
        }
        if (tried && drawn->desc->planner == CAROM_CEM) {
            assert_true(near[1] < 0.8 * near[0]);
        }
    }
    w->seen[drawn->player] = true;
}

TEST(first_plan_by_the_policy)
{
    static float plans[PLAYERS * W * SERIES];
    play_by_hand(ego, 2, 1, plans);
    for (int planner = 0; planner < PLANNERS; planner++) {
        carom_search_desc desc = describe((carom_planner)planner);
        desc.network = ego;
        desc.network_plan = true;
        desc.sigma = 0.2;
        desc.other = CAROM_OTHER_SEARCH;
        desc.other_rounds = 2;
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
        OWNED(carom_search) *search = make_search(roots, &desc);
        witness w = {.plans = plans};
        OK(carom_search_set_watch(search, see, &w));
        OK(carom_search_run(search, roots));
        assert_true(w.seen[0] && w.seen[1] && w.calls >= 4);

        /* The next run evaluates it again: the worlds are the same, and so are its actions. */
        w = (witness){.plans = plans};
        OK(carom_search_run(search, roots));
        assert_true(w.seen[0] && w.seen[1]);
    }
}

/* ---- everywhere ---- */

TEST(same_bits_everywhere)
{
    for (int planner = 0; planner < PLANNERS; planner++) {
        static const carom_candidate two[] = {{CAROM_OTHER_NETWORK, 0}, {CAROM_OTHER_FICTITIOUS, 0}};
        carom_search_desc desc = describe((carom_planner)planner);
        desc.network = planner % 2 ? raw : ego;
        desc.network_weight = 0.5;
        desc.network_plan = true;
        desc.candidates = two;
        desc.candidate_count = 2;
        desc.against = CAROM_AGAINST_MEAN;
        same_bits(&desc, CAROM_F64);
        same_bits(&desc, CAROM_F32);
    }
}

/* In steps the caller's values replace the network's. */
TEST(steps_have_the_callers_values)
{
    valuer by = {raw, 1};
    carom_search_desc desc = describe(CAROM_CEM);
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    float plans[2][W * SERIES];
    for (int k = 0; k < 2; k++) {
        desc.network = k == 0 ? NULL : ego;
        desc.network_weight = k;
        OWNED(carom_search) *search = make_search(roots, &desc);
        const float *seen;
        size_t leaves;
        OK(carom_search_begin(search, roots));
        while (carom_search_leaves(search, &seen, &leaves) == CAROM_OK && leaves != 0) {
            static double values[PLAYERS * W * K];
            OK(value_by_hand(&by, leaves, seen, values));
            OK(carom_search_values(search, values));
        }
        OK(carom_search_plan(search, 0, plans[k]));
    }
    assert_memory_equal(plans[0], plans[1], sizeof plans[0]);
}

/* The time limit ends a run, however slow the network. */
TEST(time_is_kept)
{
    carom_search_desc desc = describe(CAROM_CEM);
    desc.network = ego;
    desc.network_weight = 1;
    desc.network_plan = true;
    desc.milliseconds = 20;
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    OWNED(carom_search) *search = make_search(roots, &desc);
    OK(carom_search_run(search, roots));
    assert_true(carom_search_last(search).generations > 0);
}

/* ---- saves, and errors ---- */

TEST(saves_are_of_one_network)
{
    carom_search_desc desc = describe(CAROM_CEM);
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    desc.network = ego;
    desc.network_weight = 1;
    OWNED(carom_search) *search = make_search(roots, &desc);
    OK(carom_search_run(search, roots));
    const size_t bytes = carom_search_save_size(search, W);
    FREED void *save = take(bytes);
    OK(carom_search_save(search, 0, W, save, bytes));
    OK(carom_search_load(search, 0, save, bytes, NULL));

    for (int change = 0; change < 4; change++) {
        carom_search_desc other = desc;
        other.network = change == 0 ? nothing : change == 1 ? NULL : ego;
        other.network_weight = change == 1 ? 0 : change == 2 ? 2 : 1;
        other.network_plan = change == 3;
        OWNED(carom_search) *another = make_search(roots, &other);
        assert_int_equal(carom_search_load(another, 0, save, bytes, NULL), CAROM_ERROR_FORMAT);
    }
}

TEST(refused)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    const carom_search_desc none = describe(CAROM_CEM);
    SEARCH_REFUSED(none, CAROM_ERROR_ARGUMENT, network_weight = 1);
    SEARCH_REFUSED(none, CAROM_ERROR_ARGUMENT, network_plan = true);
    SEARCH_REFUSED(none, CAROM_ERROR_ARGUMENT, other = CAROM_OTHER_NETWORK);
    SEARCH_REFUSED(none, CAROM_ERROR_ARGUMENT, other = (carom_other)(CAROM_OTHER_NETWORK + 1));

    carom_search_desc usual = none;
    usual.network = ego;
    usual.network_weight = 1;
    SEARCH_REFUSED(usual, CAROM_ERROR_VALUE, network_weight = NAN);
    SEARCH_REFUSED(usual, CAROM_ERROR_VALUE, network_weight = INFINITY);
    SEARCH_REFUSED(usual, CAROM_ERROR_ARGUMENT, value = value_by_hand);

    /* Of another game, of something that is not observed, with too few inputs, without a value, or a policy for other
     * actions. */
    const struct {
        const char *game, *observation;
        int inputs, value, policy;
    } wrong[] = {{"soccer", "ego", CAROM_CSB_EGO, 1, 2},  {"csb", "radar", CAROM_CSB_EGO, 1, 2},
                 {"csb", "ego", CAROM_CSB_EGO - 1, 1, 2}, {"csb", "ego", CAROM_CSB_EGO, 0, 2},
                 {"csb", "ego", CAROM_CSB_EGO, 1, 4},     {"csb", "raw", CAROM_CSB_OBSERVATION, 1, 0}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        uint64_t seed = k;
        FREED plain_network *made = (plain_network *)take(sizeof *made);
        plain_draw(made, &seed, wrong[k].game, wrong[k].observation, wrong[k].inputs, NULL, 0, wrong[k].value,
                   wrong[k].policy);
        OWNED(carom_network) *network = plain_make(made);
        usual.network = network;
        usual.network_weight = 1;
        usual.network_plan = true;
        SEARCH_REFUSED(usual, CAROM_ERROR_ARGUMENT, seed = 1);
    }
    usual.network = ego;
    OK(carom_game_find_action_kind(csb, "relative", &usual.action_kind));
    SEARCH_REFUSED(usual, CAROM_ERROR_ARGUMENT, seed = 1);
}
