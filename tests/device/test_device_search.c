/* SPDX-License-Identifier: MIT
 * Searches on a device: the planners of search.h find the same plans as on this processor, turn after turn.
 */
#include "test_device.h"

enum { ROOTS = 5, TICKS = 20, TURNS = 2, SEQUENCES = 16, HORIZON = 4 };

SET_UP
{
    if (is_fake()) {
        DRIVER(fake_cuda_start)(3);
    }
}

static carom_search_desc describe(const carom_game *game, carom_planner planner)
{
    carom_search_desc desc = carom_search_desc_default(game);
    desc.planner = planner;
    desc.sequences = SEQUENCES;
    desc.horizon = HORIZON;
    desc.rollouts = 5 * SEQUENCES / 2; /* the last generation is a smaller one */
    desc.seed = 4;
    return desc;
}

/* All state and results of a search; `rows` of a plan. */
static void assert_same_search(const carom_game *game, size_t rows, const carom_search *here, const carom_search *there)
{
    carom_action_kind normalised;
    OK(carom_game_action_kind(game, normalised_kind(game), &normalised));
    const size_t plan_bytes = ROOTS * rows * normalised.size * sizeof(float);
    const size_t action_bytes = ROOTS * normalised.size * sizeof(float);
    FREED float *plan = take(plan_bytes);
    FREED float *actions = take(action_bytes);
    double returns[ROOTS];
    OK(carom_search_plan(here, 0, plan));
    OK(carom_search_returns(here, returns));
    OK(carom_search_actions(here, 0, actions));
    float *plan_there = on_device(NULL, plan_bytes), *actions_there = on_device(NULL, action_bytes);
    double *returns_there = on_device(NULL, sizeof returns);
    OK(carom_search_plan(there, 0, plan_there));
    OK(carom_search_returns(there, returns_there));
    OK(carom_search_actions(there, 0, actions_there));
    assert_same_bytes(plan, plan_there, plan_bytes);
    assert_same_bytes(returns, returns_there, sizeof returns);
    assert_same_bytes(actions, actions_there, action_bytes);

    const size_t bytes = carom_search_save_size(here, ROOTS);
    assert_int_equal(carom_search_save_size(there, ROOTS), bytes);
    FREED unsigned char *mine = take(bytes);
    FREED unsigned char *theirs = take(bytes);
    OK(carom_search_save(here, 0, ROOTS, mine, bytes));
    OK(carom_search_save(there, 0, ROOTS, theirs, bytes));
    assert_memory_equal(mine, theirs, bytes);
}

/* Searches on both sides for some turns of a game. */
static void search_both(kind k, carom_search_desc desc)
{
    uint64_t rng = 2;
    pair p = made_pair(desc_of(k, ROOTS));
    play_both(p, TICKS, &rng);
    carom_search *here, *there;
    OK(carom_search_create(p.here, &desc, &here));
    OK(carom_search_create(p.there, &desc, &there));
    for (int turn = 0; turn < TURNS; turn++) {
        OK(carom_search_run(here, p.here));
        OK(carom_search_run(there, p.there));
        assert_same_search(k.game, HORIZON / desc.hold, here, there);
        play_both(p, 1, &rng);
    }
    free_arrays();
    carom_search_destroy(here);
    carom_search_destroy(there);
    end_pair(&p);
}

TEST_BY(each_kind, test_every_planner_finds_the_same, kind k)
{
    static const carom_planner planners[] = {CAROM_SHOOTING, CAROM_CEM, CAROM_GENETIC, CAROM_MPPI};
    for (size_t i = 0; i < sizeof planners / sizeof planners[0]; i++) {
        search_both(k, describe(k.game, planners[i]));
    }
}

TEST_BY(each_kind, test_plans_are_cut_and_held_as_here, kind k)
{
    carom_search_desc desc = describe(k.game, CAROM_GENETIC);
    desc.cut_after = 2;
    search_both(k, desc);
    desc = describe(k.game, CAROM_CEM);
    desc.hold = 2;
    desc.cut_after = 1;
    search_both(k, desc);
}

TEST_BY(each_kind, test_the_other_player_does_the_same, kind k)
{
    const carom_game_info info = carom_game_describe(k.game);
    if (info.players != 2) {
        return;
    }
    carom_search_desc desc = describe(k.game, CAROM_CEM);
    desc.rollouts = 8 * SEQUENCES;
    desc.other = CAROM_OTHER_SEARCH;
    search_both(k, desc);
    desc.other = CAROM_OTHER_FICTITIOUS;
    desc.against = CAROM_AGAINST_MEAN;
    search_both(k, desc);
    if (info.policies > 0) {
        const carom_candidate candidates[] = {{CAROM_OTHER_POLICY, 0}, {CAROM_OTHER_PLAN, 0}, {CAROM_OTHER_ZERO, 0}};
        desc = describe(k.game, CAROM_MPPI);
        desc.rollouts = 8 * SEQUENCES;
        desc.candidates = candidates;
        desc.candidate_count = 3;
        search_both(k, desc);
    }
}

TEST(test_a_run_is_queued_and_what_is_not_there_is_refused)
{
    NEEDS_DEVICE();
    size_t count;
    const kind k = kinds(&count)[0];
    OWNED(carom_worlds) *roots = made_there(desc_of(k, ROOTS));
    OWNED(carom_search) * search;
    carom_search_desc desc = describe(k.game, CAROM_CEM);
    OK(carom_search_create(roots, &desc, &search));
    const fake_cuda_stats before = counted();
    OK(carom_search_run(search, roots));
    const fake_cuda_stats after = counted();
    assert_int_equal(after.waits, before.waits);
    assert_int_equal(after.allocated, before.allocated);
    OK(carom_worlds_wait(roots));

    carom_search *none;
    desc.milliseconds = 1;
    assert_int_equal(carom_search_create(roots, &desc, &none), CAROM_ERROR_UNSUPPORTED);
    assert_null(none);
    assert_proper();
}
