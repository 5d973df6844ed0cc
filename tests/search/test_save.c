/* SPDX-License-Identifier: MIT
 * Saves of searches: a root continued in another search, turn after turn, gets the same bits as in one search; invalid
 * saves.
 */
#include "search_batch.h"

enum { W = 7, H = 5, TURNS = 4, SIZE = 4, SERIES = H * SIZE, PLANNERS = CAROM_MPPI + 1, MOST_BYTES = 1 << 14 };

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
    desc.horizon = H;
    desc.sequences = 16;
    desc.rollouts = 100;
    desc.seed = 9;
    return desc;
}

typedef struct turn {
    float plans[PLAYERS][W * SERIES];
    float actions[W * SIZE];
    double returns[W];
} turn;

/* Adds the results of a search of `count` roots to those of the turn, from `first` on. */
static void note(const carom_search *search, const carom_search_desc *desc, size_t first, turn *to)
{
    for (unsigned p = 0; p < PLAYERS; p++) {
        if (p == desc->player || desc->other != CAROM_OTHER_POLICY) {
            OK(carom_search_plan(search, p, to->plans[p] + first * SERIES));
        }
    }
    OK(carom_search_actions(search, desc->player, to->actions + first * SIZE));
    OK(carom_search_returns(search, to->returns + first));
}

/* A batch of the worlds [first, first + count), with other threads and, on most machines, another instruction set. */
static carom_worlds *part_of(const carom_worlds *roots, size_t first, size_t count)
{
    const carom_isa isa = count % 2 ? CAROM_ISA_SCALAR : CAROM_ISA_DEFAULT;
    carom_worlds *part = make(carom_worlds_describe(roots).precision, isa, 1 + (unsigned)count % 2, count, CAROM_RESET);
    size_t from[W];
    for (size_t k = 0; k < count; k++) {
        from[k] = first + k;
    }
    OK(carom_worlds_copy(part, NULL, roots, from, count));
    return part;
}

/* The next turn of a block, by a search that starts from the save alone, and replaces it. */
static void continue_block(const carom_worlds *roots, const carom_search_desc *desc, size_t first, size_t count,
                           unsigned char *save, size_t *bytes, turn *to)
{
    OWNED(carom_worlds) *part = part_of(roots, first, count);
    OWNED(carom_search) *search = make_search(part, desc);
    carom_problem problem = {""};
    if (*bytes > 0) {
        assert_int_equal(carom_search_load(search, 0, save, *bytes, &problem), CAROM_OK);
    }
    OK(carom_search_run(search, part));
    note(search, desc, first, to);
    *bytes = carom_search_save_size(search, count);
    assert_in_range(*bytes, 1, MOST_BYTES);
    OK(carom_search_save(search, 0, count, save, *bytes));
}

/* Each planner against each kind of other, with and without a cut, for both players. */
TEST(test_blocks)
{
    for (int run = 0; run < 2 * 5 * PLANNERS; run++) {
        carom_search_desc desc = describe((carom_planner)(run % PLANNERS));
        desc.other = (carom_other)(run / 2 % 5);
        desc.policy = race;
        desc.against = CAROM_AGAINST_MEAN;
        desc.player = (unsigned)(run / 3 % 2);
        desc.cut_after = run % 3 == 0 ? 2 : 0;
        desc.other_rounds = 1 + (unsigned)run % 2;
        desc.candidates = NULL;
        const carom_candidate two[] = {{CAROM_OTHER_SEARCH, 0}, {CAROM_OTHER_POLICY, race}};
        if (run % 7 == 0) {
            desc.candidates = two;
            desc.candidate_count = 2;
        }
        const carom_precision precision = run % 5 == 0 ? CAROM_F32 : CAROM_F64;
        OWNED(carom_worlds) *roots = make_roots(precision, CAROM_ISA_DEFAULT, 2, 0, W);
        OWNED(carom_search) *search = make_search(roots, &desc);
        static unsigned char saves[W][MOST_BYTES];
        size_t bytes[W] = {0};
        for (int t = 0; t < TURNS; t++) {
            static turn whole, parts;
            memset(&whole, 0, sizeof whole);
            memset(&parts, 0, sizeof parts);
            OK(carom_search_run(search, roots));
            note(search, &desc, 0, &whole);
            for (size_t first = 0; first < W; first += 3) {
                continue_block(roots, &desc, first, W - first < 3 ? W - first : 3, saves[first], &bytes[first], &parts);
            }
            assert_memory_equal(&parts, &whole, sizeof whole);

            /* Some games end within these turns. A skipped tick leaves plans where they are. */
            carom_step step = STEP_WITH(.action_kind = NORMALISED, .actions = whole.actions, .repeat = (size_t)t % 3);
            step.players[1 - desc.player].source = CAROM_ZERO;
            if (t % 3 != 0) {
                OK(carom_worlds_play(roots, &step));
            }
        }
    }
}

/* Saves include plans that were set, for their players, and also that no search has started. */
TEST(test_set_plans)
{
    carom_search_desc desc = describe(CAROM_CEM);
    desc.other = CAROM_OTHER_PLAN;
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    for (int ran = 0; ran < 2; ran++) {
        OWNED(carom_search) *search = make_search(roots, &desc), *other = make_search(roots, &desc);
        static float plan[W * SERIES];
        static unsigned char save[MOST_BYTES];
        static turn want, got;
        for (size_t n = 0; n < W * SERIES; n++) {
            plan[n] = (float)(n % 17) / 8 - 1;
        }
        if (ran) {
            OK(carom_search_run(search, roots));
            PLAY(roots, .action_kind = NORMALISED, .ticks = 2);
        }
        OK(carom_search_set_plan(search, 1, plan));
        const size_t bytes = carom_search_save_size(search, W);
        OK(carom_search_save(search, 0, W, save, bytes));
        OK(carom_search_load(other, 0, save, bytes, NULL));
        OK(carom_search_run(search, roots));
        OK(carom_search_run(other, roots));
        note(search, &desc, 0, &want);
        note(other, &desc, 0, &got);
        assert_memory_equal(&got, &want, sizeof want);
        assert_memory_equal(want.plans[1], plan, sizeof plan); /* not moved on */
    }
}

/* Saves of two parts, loaded at other positions of a larger search; it saves them as the same bytes. */
TEST(test_places)
{
    const carom_search_desc desc = describe(CAROM_GENETIC);
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    OWNED(carom_worlds) *turned = make(CAROM_F64, CAROM_ISA_DEFAULT, 2, W + 2, CAROM_RESET);
    OWNED(carom_search) *search = make_search(roots, &desc), *larger = make_search(turned, &desc);
    static unsigned char saves[2][MOST_BYTES], again[MOST_BYTES];
    const size_t to[W] = {4, 5, 6, 7, 0, 1, 2};
    OK(carom_search_run(search, roots));
    PLAY(roots, .action_kind = NORMALISED, .ticks = 1);
    OK(carom_worlds_copy(turned, to, roots, NULL, W));
    const size_t sizes[2] = {carom_search_save_size(search, 4), carom_search_save_size(search, 3)};
    OK(carom_search_save(search, 0, 4, saves[0], sizes[0]));
    OK(carom_search_save(search, 4, 3, saves[1], sizes[1]));
    OK(carom_search_load(larger, 4, saves[0], sizes[0], NULL));
    OK(carom_search_load(larger, 0, saves[1], sizes[1], NULL));
    OK(carom_search_save(larger, 4, 4, again, sizes[0]));
    assert_memory_equal(again, saves[0], sizes[0]);

    float want[W * SERIES], got[(W + 2) * SERIES];
    OK(carom_search_run(search, roots));
    OK(carom_search_run(larger, turned));
    OK(carom_search_plan(search, 0, want));
    OK(carom_search_plan(larger, 0, got));
    for (size_t root = 0; root < W; root++) {
        assert_memory_equal(got + to[root] * SERIES, want + root * SERIES, SERIES * sizeof *got);
    }
}

/* ---- errors ---- */

/* The search refuses the save so, and is as before. */
static void assert_refused(carom_search *search, size_t first, const void *save, size_t bytes, carom_status status,
                           const char *words)
{
    static unsigned char before[MOST_BYTES], after[MOST_BYTES];
    const size_t size = carom_search_save_size(search, W);
    carom_problem problem = {""};
    OK(carom_search_save(search, 0, W, before, size));
    assert_int_equal(carom_search_load(search, first, save, bytes, &problem), status);
    assert_non_null(strstr(problem.text, words));
    OK(carom_search_save(search, 0, W, after, size));
    assert_memory_equal(after, before, size);
}

TEST(test_damage)
{
    carom_search_desc desc = describe(CAROM_CEM);
    desc.horizon = 2;
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    OWNED(carom_search) *search = make_search(roots, &desc), *other = make_search(roots, &desc);
    static unsigned char save[MOST_BYTES];
    const size_t bytes = carom_search_save_size(search, 2);
    OK(carom_search_run(search, roots));
    OK(carom_search_save(search, 1, 2, save, bytes));
    for (size_t size = 0; size <= bytes + 100; size++) {
        if (size != bytes) { /* at its end, so that a read beyond it is found */
            unsigned char *part = malloc(size > 0 ? size : 1);
            assert_non_null(part);
            memset(part, 0, size);
            memcpy(part, save, size < bytes ? size : bytes);
            assert_refused(other, 0, part, size, CAROM_ERROR_FORMAT, "");
            free(part);
        }
    }
    for (size_t at = 0; at < bytes; at++) {
        for (unsigned bit = 0; bit < 8; bit += 7) {
            save[at] ^= (unsigned char)(1u << bit);
            assert_refused(other, 0, save, bytes, CAROM_ERROR_FORMAT, at < 8 ? "not a save of a search" : "");
            save[at] ^= (unsigned char)(1u << bit);
        }
    }
    assert_refused(other, W - 1, save, bytes, CAROM_ERROR_ARGUMENT, "has 2 roots, the search 1 from root 6");
    assert_refused(other, SIZE_MAX, save, bytes, CAROM_ERROR_ARGUMENT, "");
    OK(carom_search_load(other, W - 2, save, bytes, NULL));
}

/* Bounds of alternate rows are disjoint, so that a plan shifted by a row violates all of them. */
TEST(test_bounds_of_rows)
{
    float low[SERIES], high[SERIES];
    for (size_t n = 0; n < SERIES; n++) {
        low[n] = n / SIZE % 2 ? 0.5f : -1;
        high[n] = n / SIZE % 2 ? 1 : -0.5f;
    }
    for (size_t hold = 1; hold <= 2; hold++) {
        volatile int cancel = 0;
        carom_search_desc desc = describe(CAROM_CEM);
        desc.horizon = hold * H;
        desc.hold = hold;
        desc.other = CAROM_OTHER_PLAN;
        desc.low = low;
        desc.high = high;
        desc.cancel = &cancel;
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
        OWNED(carom_search) *search = make_search(roots, &desc);
        OK(carom_search_run(search, roots));
        carom_step step = carom_step_default();
        OK(carom_worlds_play(roots, &step));

        /* A run without a generation leaves the plans as they were moved. */
        cancel = 1;
        assert_int_equal(carom_search_run(search, roots), CAROM_ERROR_CANCELLED);
        for (unsigned p = 0; p < PLAYERS; p++) {
            float plan[W * SERIES];
            OK(carom_search_plan(search, p, plan));
            for (size_t n = 0; n < W * SERIES; n++) {
                assert_true(plan[n] >= low[n % SERIES] && plan[n] <= high[n % SERIES]);
            }
        }

        static unsigned char save[MOST_BYTES];
        const size_t bytes = carom_search_save_size(search, W);
        OK(carom_search_save(search, 0, W, save, bytes));
        OK(carom_search_load(search, 0, save, bytes, NULL));
    }
}

TEST(test_refused)
{
    const carom_search_desc usual = describe(CAROM_CEM);
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    OWNED(carom_search) *search = make_search(roots, &usual);
    static unsigned char save[MOST_BYTES];
    const size_t bytes = carom_search_save_size(search, W);
    OK(carom_search_save(search, 0, W, save, bytes));

    /* Another search: each parameter that changes bits. */
    float low[SERIES], high[SERIES];
    double weights[64] = {0};
    for (size_t n = 0; n < SERIES; n++) {
        low[n] = -1;
        high[n] = n == SERIES - 1 ? 0.5f : 1;
    }
#define OTHER_REFUSES(change)                                                                                          \
    do {                                                                                                               \
        carom_search_desc desc = usual;                                                                                \
        desc.change;                                                                                                   \
        OWNED(carom_search) *other = make_search(roots, &desc);                                                        \
        assert_refused(other, 0, save, bytes, CAROM_ERROR_FORMAT, "a search with other parameters");                   \
    } while (0)
    OTHER_REFUSES(planner = CAROM_MPPI);
    OTHER_REFUSES(player = 1);
    OTHER_REFUSES(sequences = 17);
    OTHER_REFUSES(horizon = 6);
    OTHER_REFUSES(hold = 2);
    OTHER_REFUSES(seed = 10);
    OTHER_REFUSES(discount = 0.5);
    OTHER_REFUSES(reward_weight = 2);
    OTHER_REFUSES(final_weight = 2);
    OTHER_REFUSES(value_at_end = false);
    OTHER_REFUSES(weights = weights);
    OTHER_REFUSES(elites = 5);
    OTHER_REFUSES(sigma = 0.25);
    OTHER_REFUSES(sigma_least = 0.125);
    OTHER_REFUSES(keep = 0.5);
    OTHER_REFUSES(mutation = 0.5);
    OTHER_REFUSES(mutation_spread = 0.5);
    OTHER_REFUSES(temperature = 0.5);
    OTHER_REFUSES(other = CAROM_OTHER_PLAN);
    OTHER_REFUSES(other_share = 0.5);
    OTHER_REFUSES(other_rounds = 2);
    OTHER_REFUSES(against = CAROM_AGAINST_MEAN);
    OTHER_REFUSES(cut_after = 2);
    OTHER_REFUSES(cut_keep = 0.5);
    OTHER_REFUSES(low = low; desc.high = high);

    /* Budgets and cancel flags may differ, and so may the notation of the default. */
    carom_search_desc same = usual;
    const volatile int cancel = 0;
    same.rollouts = 64;
    same.cancel = &cancel;
    same.elites = 2;
    high[SERIES - 1] = 1;
    same.low = low;
    same.high = high;
    OWNED(carom_search) *other = make_search(roots, &same);
    OK(carom_search_load(other, 0, save, bytes, NULL));

    /* Another precision. */
    OWNED(carom_worlds) *narrow = make_roots(CAROM_F32, CAROM_ISA_DEFAULT, 1, 0, W);
    OWNED(carom_search) *of_narrow = make_search(narrow, &usual);
    assert_refused(of_narrow, 0, save, bytes, CAROM_ERROR_FORMAT, "another game or precision");

    /* What there is not; and in the middle of a run. */
    assert_int_equal(carom_search_save_size(search, W + 1), 0);
    assert_int_equal(carom_search_save_size(NULL, 1), 0);
    assert_int_equal(carom_search_save(search, 1, W, save, sizeof save), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_save(search, W + 1, 0, save, sizeof save), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_save(search, 0, W, save, bytes - 1), CAROM_ERROR_SIZE);
    assert_int_equal(carom_search_save(search, 0, W, NULL, bytes), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_save(NULL, 0, W, save, bytes), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_load(NULL, 0, save, bytes, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_load(search, 0, NULL, bytes, NULL), CAROM_ERROR_ARGUMENT);
    OK(carom_search_begin(search, roots));
    assert_int_equal(carom_search_save(search, 0, W, save, bytes), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_search_load(search, 0, save, bytes, NULL), CAROM_ERROR_ARGUMENT);
}
