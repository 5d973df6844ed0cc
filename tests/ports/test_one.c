/* SPDX-License-Identifier: MIT
 * One world at a time (kernel/tick/one_driver.h) against batches: the same rules must give the same bits in states,
 * rewards, ends, observations and returns. The kernels under test are compiled as C and as C++.
 */
#include "test.h"

#include "games/game.h"
#include "ports/programs.h"
#include "tick/tick.h"

#define DECLARE(name) extern const one_kernel carom_##name##_one_f32, carom_##name##_one_f64;
DECLARE(csb)
DECLARE(fall)
DECLARE(fantastic_bits)
DECLARE(soccer)
DECLARE(stones)

static const struct {
    const char *game;
    const one_kernel *kernel[2];
    size_t worlds;     /* of every policy, kind and precision: 10,240 and more of a precision */
    size_t most_bytes; /* of working memory */
} games[] = {
    {"csb", {&carom_csb_one_f32, &carom_csb_one_f64}, 1024, 4096},
    {"fall", {&carom_fall_one_f32, &carom_fall_one_f64}, 5120, 1 << 20},
    {"fantastic_bits", {&carom_fantastic_bits_one_f32, &carom_fantastic_bits_one_f64}, 2560, 1 << 20},
    {"soccer", {&carom_soccer_one_f32, &carom_soccer_one_f64}, 2560, 1 << 20},
    {"stones", {&carom_stones_one_f32, &carom_stones_one_f64}, 2048, 1 << 20},
};

enum { TICKS = 100, BATCH = 256 };

/* A batch played by the library, tick by tick, with its inputs and outputs. */
typedef struct recording {
    const carom_game *game;
    carom_action_kind kind;
    size_t kind_index, policy, row, seen, players;
    unsigned char *actions; /* [world][tick][row] */
    float *observations;    /* [world][tick][seen] */
    float *rewards;         /* [world][tick][player] */
    uint8_t *ends;          /* [world][tick] */
} recording;

static carom_worlds *make(const carom_game *game, carom_precision precision, carom_at_end at_end, uint64_t seed)
{
    return MAKE_WORLDS(game, .count = BATCH, .precision = precision, .seed = seed, .first_id = seed * 1000,
                       .at_end = at_end);
}

/* Every 16th world gets the greatest valid speed of its game: in most games it soon faults. */
static void throw_some(carom_worlds *worlds)
{
    size_t index = 0;
    carom_field field;
    if (carom_worlds_find_field(worlds, "vx", &index) != CAROM_OK) {
        assert_int_equal(carom_worlds_find_field(worlds, "speed", &index), CAROM_OK);
    }
    assert_int_equal(carom_worlds_field(worlds, index, &field), CAROM_OK);
    unsigned char *values = take((size_t)field.count * field.bytes);
    for (size_t w = 0; w < BATCH; w += 16) {
        assert_int_equal(carom_worlds_get(worlds, index, w, 1, values), CAROM_OK);
        carom_status status = CAROM_ERROR_VALUE;
        for (double speed = 0x1p30; status != CAROM_OK; speed /= 2) {
            const float narrow = (float)speed;
            memcpy(values, field.bytes == sizeof narrow ? (const void *)&narrow : &speed, field.bytes);
            status = carom_worlds_set(worlds, index, w, 1, values);
        }
    }
    free(values);
}

/* Plays the batch by a policy; the first worlds start at different times, so that games end within the test. */
static void record(recording *r, carom_worlds *worlds)
{
    unsigned char *actions = take(BATCH * r->row);
    FREED float *observations = take(BATCH * r->seen * sizeof(float)),
                *rewards = take(BATCH * r->players * sizeof(float));
    FREED uint8_t *ends = take(BATCH);
    carom_step step = STEP_WITH(.action_kind = r->kind_index, .actions = actions, .observations = observations,
                                .rewards = rewards, .ends = ends);
    for (size_t tick = 0; tick < TICKS; tick++) {
        assert_int_equal(carom_worlds_policy(worlds, r->policy, r->kind_index, actions), CAROM_OK);
        assert_int_equal(carom_worlds_play(worlds, &step), CAROM_OK);
        for (size_t w = 0; w < BATCH; w++) {
            const size_t at = w * TICKS + tick;
            memcpy(r->actions + at * r->row, actions + w * r->row, r->row);
            memcpy(r->observations + at * r->seen, observations + w * r->seen, r->seen * sizeof(float));
            memcpy(r->rewards + at * r->players, rewards + w * r->players, r->players * sizeof(float));
            r->ends[at] = ends[w];
        }
    }
    free(actions);
}

/* A task that plays a world of a batch; its actions and outputs are for the caller to fill in. */
static one_task task_of(const carom_worlds *worlds, size_t world, const recording *r)
{
    one_task task;
    memset(&task, 0, sizeof task);
    task.tile = carom_worlds_tile(worlds, world / CAROM_TILE);
    task.lane = world % CAROM_TILE;
    task.context = worlds->context;
    task.seed = worlds->desc.seed;
    task.at_end = worlds->desc.at_end;
    task.kind = (uint32_t)r->kind_index;
    task.action_bytes = r->row;
    task.discount = 1;
    return task;
}

static void same(const carom_worlds *worlds, size_t world, const char *what, const void *one, const void *batch,
                 size_t bytes)
{
    if (memcmp(one, batch, bytes) != 0) {
        fail_msg("%s, %s, seed %llu, world %zu: %s differ from the batch's", worlds->desc.game->info.name,
                 worlds->desc.precision == CAROM_F64 ? "f64" : "f32", (unsigned long long)worlds->desc.seed, world,
                 what);
    }
}

/* Every world once more, from its start. */
static void replay(const recording *r, const one_kernel *kernel, const carom_worlds *played, carom_worlds *again)
{
    const size_t record_size = carom_worlds_record_size(played);
    unsigned char *one = take(record_size), *batch = take(record_size);
    FREED float *observations = take(TICKS * r->seen * sizeof(float)),
                *rewards = take(TICKS * r->players * sizeof(float));
    uint8_t ends[TICKS];
    for (size_t w = 0; w < BATCH; w++) {
        one_task task = task_of(again, w, r);
        task.ticks = TICKS;
        task.actions = r->actions + w * TICKS * r->row;
        task.observations = observations;
        task.rewards = rewards;
        task.ends = ends;
        kernel->play(&task);
        assert_int_equal(carom_worlds_get_world(again, w, one, record_size), CAROM_OK);
        assert_int_equal(carom_worlds_get_world(played, w, batch, record_size), CAROM_OK);
        same(played, w, "states", one, batch, record_size);
        same(played, w, "rewards", rewards, r->rewards + w * TICKS * r->players, TICKS * r->players * sizeof(float));
        same(played, w, "ends", ends, r->ends + w * TICKS, TICKS);
        same(played, w, "observations", observations, r->observations + w * TICKS * r->seen,
             TICKS * r->seen * sizeof(float));
    }
    free(one);
    free(batch);
}

/* Drawn actions: what rollouts return. */
static void roll_out(const recording *r, const one_kernel *kernel, const carom_worlds *roots, carom_worlds *again)
{
    enum { SEQUENCES = 2, HORIZON = 6 };
    FREED double *returns = take(BATCH * SEQUENCES * r->players * sizeof(double));
    carom_rollout_desc desc = carom_rollout_desc_default(r->game);
    desc.sequences = SEQUENCES;
    desc.horizon = HORIZON;
    desc.seed = 77;
    desc.discount = 0.9;
    desc.final_weight = 0.5;
    assert_int_equal(carom_rollout(roots, &desc, returns, NULL, NULL), CAROM_OK);
    for (size_t q = 0; q < BATCH * SEQUENCES; q++) {
        const size_t w = q / SEQUENCES;
        double one[CAROM_MAX_PLAYERS];
        assert_int_equal(carom_worlds_copy(again, &w, roots, &w, 1), CAROM_OK);
        one_task task = task_of(again, w, r);
        task.ticks = HORIZON;
        task.at_end = CAROM_FREEZE;
        task.kind = (uint32_t)desc.action_kind;
        task.draw_seed = desc.seed;
        task.root_id = carom_tile_get_id(&again->layout, task.tile, task.lane);
        task.sequence = (uint32_t)(q % SEQUENCES);
        task.discount = desc.discount;
        task.final_weight = desc.final_weight;
        task.returns = one;
        kernel->play(&task);
        same(roots, w, "returns", one, returns + q * r->players, r->players * sizeof(double));
    }
}

static uint64_t faults[2]; /* of all games, f32 and f64 */

static void compare(const carom_game *game, const one_kernel *kernel, carom_precision precision, size_t kind,
                    size_t policy, uint64_t seed)
{
    recording r;
    memset(&r, 0, sizeof r);
    r.game = game;
    r.kind_index = kind;
    r.policy = policy;
    r.players = game->info.players;
    assert_int_equal(carom_game_action_kind(game, kind, &r.kind), CAROM_OK);
    r.row = r.players * r.kind.size * (r.kind.precision / 8);
    r.seen = r.players * game->info.observation_size;
    r.actions = take(BATCH * TICKS * r.row);
    r.observations = take(BATCH * TICKS * r.seen * sizeof(float));
    r.rewards = take(BATCH * TICKS * r.players * sizeof(float));
    r.ends = take(BATCH * TICKS);
    const carom_at_end at_end = (carom_at_end)(seed % 3); /* all there are, in turn */
    carom_worlds *played = make(game, precision, at_end, seed), *again = make(game, precision, at_end, seed);
    throw_some(played);
    throw_some(again);
    record(&r, played);
    faults[precision == CAROM_F64] += carom_worlds_counters(played).faults;
    replay(&r, kernel, played, again);
    roll_out(&r, kernel, played, again);
    carom_worlds_destroy(played);
    carom_worlds_destroy(again);
    free(r.actions);
    free(r.observations);
    free(r.rewards);
    free(r.ends);
}

TEST(test_same_bits)
{
    uint64_t seed = 1;
    for (size_t g = 0; g < sizeof games / sizeof games[0]; g++) {
        const carom_game *game = carom_game_find(games[g].game);
        assert_non_null(game);
        for (int f64 = 0; f64 < 2; f64++) {
            if (!program_is_asked(games[g].game, f64 != 0)) {
                continue;
            }
            for (size_t kind = 0; kind < game->info.action_kinds; kind++) {
                const size_t policies = game->info.policies, few = (size_t)unless_short((int)policies, 1);
                for (size_t n = 0; n < few; n++) {
                    const size_t policy = (n + kind) % policies;
                    const size_t batches = (size_t)unless_short((int)(games[g].worlds / BATCH), 1);
                    for (size_t batch = 0; batch < batches; batch++) {
                        compare(game, games[g].kernel[f64], f64 ? CAROM_F64 : CAROM_F32, kind, policy, seed++);
                    }
                }
            }
        }
    }
    printf("faults: %llu in f32, %llu in f64\n", (unsigned long long)faults[0], (unsigned long long)faults[1]);
    const bool all = getenv("CAROM_TEST_MODULE") == NULL;
    assert_true(!all || (faults[0] > BATCH / 16 && faults[1] > BATCH / 16));
}

TEST(test_memory)
{
    for (size_t g = 0; g < sizeof games / sizeof games[0]; g++) {
        for (int f64 = 0; f64 < 2; f64++) {
            printf("%s, f%d: a world takes %zu bytes\n", games[g].game, f64 ? 64 : 32, games[g].kernel[f64]->bytes);
            assert_in_range(games[g].kernel[f64]->bytes, 1, games[g].most_bytes);
        }
    }
}
