/* SPDX-License-Identifier: MIT
 * carom_worlds_expand(): the same as copying the parents' states and playing, in every game, on every instruction set
 * and number of threads, in ranges of a batch, with all options of a step; invalid calls.
 */
#include "test.h"

enum { PARENTS = 21, CHILDREN = 77, FIRST = 9, COUNT = 50, TICKS = 3, PLAYERS = 2 };

static carom_worlds *make(const carom_game *game, carom_precision precision, carom_isa isa, unsigned threads,
                          size_t count, uint64_t first_id)
{
    return MAKE_WORLDS(game, .count = count, .precision = precision, .isa = isa, .threads = threads, .seed = 4,
                       .first_id = first_id, .at_end = CAROM_RESET);
}

/* Plays some ticks, with policies where there are some. */
static void advance(carom_worlds *worlds, size_t ticks)
{
    const carom_game_info info = carom_game_describe(carom_worlds_describe(worlds).game);
    carom_step step = STEP_WITH(.ticks = ticks);
    for (int p = 0; p < PLAYERS && info.policies > 0; p++) {
        step.players[p].source = CAROM_POLICY;
        step.players[p].policy = info.policies - 1;
    }
    OK(carom_worlds_play(worlds, &step));
}

static uint64_t id_of(const carom_worlds *worlds, size_t world)
{
    uint32_t words[2];
    OK(carom_worlds_get(worlds, 0, world, 1, words));
    return words[0] | (uint64_t)words[1] << 32;
}

/* The outputs of a call. */
typedef struct told {
    float rewards[TICKS][COUNT][PLAYERS];
    uint8_t ends[TICKS][COUNT];
    float *seen;
    size_t bytes;
} told;

static carom_step ask(const carom_game *game, told *to, const void *actions, const uint8_t *skip)
{
    carom_step step = carom_step_default();
    memset(to->rewards, 0, sizeof to->rewards);
    memset(to->ends, 0, sizeof to->ends);
    memset(to->seen, 0, to->bytes);
    OK(carom_game_find_action_kind(game, "normalised", &step.action_kind));
    step.ticks = TICKS;
    step.first = FIRST;
    step.count = COUNT;
    step.actions = actions;
    step.skip = skip;
    step.observations = to->seen;
    step.rewards = &to->rewards[0][0][0];
    step.ends = to->ends[0];
    return step;
}

static void expand_game(const carom_game *game, carom_precision precision, carom_isa isa, unsigned threads,
                        const size_t *from)
{
    const carom_game_info info = carom_game_describe(game);
    OWNED(carom_worlds) *parents = make(game, precision, isa, threads, from != NULL ? PARENTS : CHILDREN, 1000);
    OWNED(carom_worlds) *got = make(game, precision, isa, threads, CHILDREN, 7);
    OWNED(carom_worlds) *want = make(game, precision, isa, 1, CHILDREN, 7);
    told tells[2];
    uint8_t skip[COUNT];
    uint64_t hashes[2][CHILDREN], before, after;
    advance(parents, 7);
    advance(got, 2);
    OK(carom_worlds_copy(want, NULL, got, NULL, CHILDREN));
    OK(carom_worlds_digest(parents, &before));
    for (size_t w = 0; w < COUNT; w++) {
        skip[w] = w % 7 == 3;
        OK(carom_worlds_fork(want, FIRST + w, 1, parents, from != NULL ? from[w] : FIRST + w));
    }
    for (int k = 0; k < 2; k++) {
        tells[k].bytes = (size_t)TICKS * COUNT * info.players * info.observation_size * sizeof(float);
        tells[k].seen = malloc(tells[k].bytes);
        assert_non_null(tells[k].seen);
    }
    float *actions = calloc((size_t)TICKS * COUNT * PLAYERS * 64, sizeof *actions);
    assert_non_null(actions);
    for (size_t n = 0; n < (size_t)TICKS * COUNT * PLAYERS * 64; n++) {
        actions[n] = (float)(n * 7919 % 2001) / 1000 - 1;
    }
    carom_step step = ask(game, &tells[0], actions, skip);
    OK(carom_worlds_expand(got, parents, from, &step));
    step = ask(game, &tells[1], actions, skip);
    OK(carom_worlds_play(want, &step));
    assert_memory_equal(tells[0].rewards, tells[1].rewards, sizeof tells[0].rewards);
    assert_memory_equal(tells[0].ends, tells[1].ends, sizeof tells[0].ends);
    assert_memory_equal(tells[0].seen, tells[1].seen, tells[0].bytes);
    OK(carom_worlds_hash(got, 0, CHILDREN, hashes[0]));
    OK(carom_worlds_hash(want, 0, CHILDREN, hashes[1]));
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    for (size_t w = 0; w < CHILDREN; w++) {
        assert_true(id_of(got, w) == 7 + w);
    }
    OK(carom_worlds_digest(parents, &after));
    assert_true(before == after);
    free(actions);
    free(tells[0].seen);
    free(tells[1].seen);
}

TEST(test_same_as_copies)
{
    size_t from[COUNT];
    for (size_t w = 0; w < COUNT; w++) {
        from[w] = w < 20 ? 3 : w * w % PARENTS;
    }
    for (size_t g = 0; g < carom_game_count(); g++) {
        for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
            for (unsigned threads = 1; threads <= 3 && carom_isa_usable(isa); threads++) {
                const carom_precision precision = (g + threads) % 2 ? CAROM_F32 : CAROM_F64;
                expand_game(carom_game_at(g), precision, isa, threads, threads == 3 ? NULL : from);
            }
        }
    }
}

/* Sums of rewards in results start at the expansion. */
TEST(test_sums)
{
    const carom_game *csb = carom_game_find("csb");
    OWNED(carom_worlds) *parents = make(csb, CAROM_F64, CAROM_ISA_DEFAULT, 1, 1, 0);
    OWNED(carom_worlds) *children = make(csb, CAROM_F64, CAROM_ISA_DEFAULT, 1, 4, 0);
    carom_result results[4], before[60][4];
    float rewards[4][PLAYERS];
    size_t race;
    OK(carom_game_find_policy(csb, "race", &race));
    carom_step step = STEP_WITH(.ticks = 60, .results = before[0]);
    step.players[0].source = step.players[1].source = CAROM_POLICY; /* so that there is something to sum up */
    step.players[0].policy = step.players[1].policy = race;
    OK(carom_worlds_play(children, &step));
    step.ticks = 99;
    step.results = NULL;
    step.players[0].source = step.players[1].source = CAROM_ZERO;
    OK(carom_worlds_play(parents, &step)); /* all time out in the next tick */
    step.ticks = 1;
    step.results = results;
    step.rewards = rewards[0];
    OK(carom_worlds_expand(children, parents, (const size_t[4]){0, 0, 0, 0}, &step));
    for (int w = 0; w < 4; w++) {
        for (int p = 0; p < PLAYERS; p++) {
            assert_true(rewards[w][p] != 0 && results[w].returns[p] == (double)rewards[w][p]);
        }
    }
}

TEST(test_refused)
{
    const carom_game *csb = carom_game_find("csb");
    OWNED(carom_worlds) *parents = make(csb, CAROM_F64, CAROM_ISA_DEFAULT, 1, PARENTS, 0);
    OWNED(carom_worlds) *narrow = make(csb, CAROM_F32, CAROM_ISA_DEFAULT, 1, PARENTS, 0);
    OWNED(carom_worlds) *other = make(carom_game_find("soccer"), CAROM_F64, CAROM_ISA_DEFAULT, 1, PARENTS, 0);
    OWNED(carom_worlds) *children = make(csb, CAROM_F64, CAROM_ISA_DEFAULT, 1, CHILDREN, 0);
    size_t from[CHILDREN] = {0};
    uint64_t before, after;
    carom_step step = carom_step_default();
    OK(carom_worlds_digest(children, &before));
    assert_int_equal(carom_worlds_expand(NULL, parents, from, &step), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_expand(children, NULL, from, &step), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_expand(children, parents, from, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_expand(children, narrow, from, &step), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_expand(children, other, from, &step), CAROM_ERROR_ARGUMENT);
    carom_problem problem;
    OK(carom_worlds_problem(children, &problem));
    assert_non_null(strstr(problem.text, "soccer"));
    assert_int_equal(carom_worlds_expand(children, children, from, &step), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_expand(children, parents, NULL, &step), CAROM_ERROR_ARGUMENT); /* too few */
    from[CHILDREN - 1] = PARENTS;
    assert_int_equal(carom_worlds_expand(children, parents, from, &step), CAROM_ERROR_ARGUMENT);
    OK(carom_worlds_problem(children, &problem));
    assert_non_null(strstr(problem.text, "from"));
    from[CHILDREN - 1] = 0;
    step.ticks = 0;
    assert_int_equal(carom_worlds_expand(children, parents, from, &step), CAROM_ERROR_ARGUMENT);
    OK(carom_worlds_digest(children, &after));
    assert_true(before == after);
}
