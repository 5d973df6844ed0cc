/* SPDX-License-Identifier: MIT
 * Calls that are queued on a device: steps with all their outputs, trees, rollouts and searches give the same as on
 * this processor; also captured in a graph, on two streams, in several batches and threads.
 */
#include "test_device.h"

#include <pthread.h>

enum { N = 37, TICKS = 30, STEPS = 3 };

SET_UP
{
    if (is_fake()) {
        DRIVER(fake_cuda_start)(2);
    }
}

static kind first_kind(void)
{
    size_t count;
    return kinds(&count)[0];
}

/* ---- steps ---- */

/* A step's arrays on one side. */
typedef struct arrays_of {
    float *actions, *observations, *last, *rewards;
    uint8_t *ends, *skip;
    carom_result *results;
    uint32_t *rows, *places;
    size_t action_bytes, seen_bytes, reward_bytes;
} arrays_of;

static arrays_of arrays_here(const carom_game *game, size_t observation, size_t reward, uint64_t *rng)
{
    arrays_of a;
    carom_observation_kind seen;
    carom_reward_kind rewarded;
    OK(carom_game_observation_kind(game, observation, &seen));
    OK(carom_game_reward_kind(game, reward, &rewarded));
    const size_t players = carom_game_describe(game).players;
    a.actions = draw_actions(game, STEPS * N, rng, &a.action_bytes);
    a.seen_bytes = STEPS * N * players * seen.agents * seen.size * sizeof(float);
    a.reward_bytes = STEPS * N * players * rewarded.agents * sizeof(float);
    a.observations = take(a.seen_bytes);
    a.last = take(a.seen_bytes);
    a.rewards = take(a.reward_bytes);
    a.ends = take(STEPS * N);
    a.skip = take(N);
    a.results = take(STEPS * N * sizeof *a.results);
    a.rows = take(N * sizeof *a.rows);
    a.places = take(N * sizeof *a.places);
    for (uint32_t w = 0; w < N; w++) {
        a.skip[w] = rng_one_in(rng, 5);
        a.rows[w] = (uint32_t)rng_below(rng, N);
        a.places[w] = (w * 5 + 3) % N;
    }
    return a;
}

static arrays_of arrays_there(const arrays_of *here)
{
    arrays_of a = *here;
    a.actions = on_device(here->actions, here->action_bytes);
    a.observations = on_device(here->observations, here->seen_bytes);
    a.last = on_device(here->last, here->seen_bytes);
    a.rewards = on_device(here->rewards, here->reward_bytes);
    a.ends = on_device(here->ends, STEPS * N);
    a.skip = on_device(here->skip, N);
    a.results = on_device(here->results, STEPS * N * sizeof *here->results);
    a.rows = on_device(here->rows, N * sizeof *here->rows);
    a.places = on_device(here->places, N * sizeof *here->places);
    return a;
}

static void assert_same_arrays(const arrays_of *here, const arrays_of *there)
{
    assert_same_bytes(here->observations, there->observations, here->seen_bytes);
    assert_same_bytes(here->last, there->last, here->seen_bytes);
    assert_same_bytes(here->rewards, there->rewards, here->reward_bytes);
    assert_same_bytes(here->ends, there->ends, STEPS * N);
    assert_same_bytes(here->results, there->results, STEPS * N * sizeof *here->results);
}

static void free_here(arrays_of *a)
{
    void *const all[] = {a->actions, a->observations, a->last, a->rewards, a->ends,
                         a->skip,    a->results,      a->rows, a->places};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

static carom_step step_of(const carom_game *game, const arrays_of *a)
{
    carom_step step = carom_step_default();
    step.ticks = STEPS;
    step.action_kind = normalised_kind(game);
    step.actions = a->actions;
    step.observations = a->observations;
    step.last_observations = a->last;
    step.rewards = a->rewards;
    step.ends = a->ends;
    step.results = a->results;
    return step;
}

/* Games are near their ends, so that some end within the steps. */
static void near_the_end(pair p)
{
    for (uint64_t i = 0, rng = 3; i < 4; i++) {
        play_both(p, TICKS, &rng);
    }
}

TEST_BY(each_kind, test_every_kind_of_output_is_as_here, kind k)
{
    const carom_game_info info = carom_game_describe(k.game);
    uint64_t rng = 1;
    pair p = made_pair(desc_of(k, N));
    near_the_end(p);
    const size_t seen = observation_kinds_on_devices(k.game);
    for (size_t i = 0; i < 2 * seen * info.reward_kinds; i++) {
        const size_t observation = i % seen, reward = i / seen % info.reward_kinds;
        arrays_of here = arrays_here(k.game, observation, reward, &rng), there = arrays_there(&here);
        const arrays_of *sides[] = {&here, &there};
        for (size_t s = 0; s < 2; s++) {
            carom_step step = step_of(k.game, sides[s]);
            step.observation_kind = observation;
            step.reward_kind = reward;
            step.repeat = 1 + i % 3;
            step.at_end = i % 4 == 3 ? CAROM_FREEZE : CAROM_RESET;
            step.skip = i % 2 == 1 ? sides[s]->skip : NULL;
            step.rows = i % 3 == 1 ? sides[s]->rows : NULL;
            step.places = i % 3 == 2 ? sides[s]->places : NULL;
            OK(carom_worlds_play(s == 0 ? p.here : p.there, &step));
        }
        OK(carom_worlds_wait(p.there));
        assert_same_arrays(&here, &there);
        assert_alike(p.here, p.there);
        free_here(&here);
        free_arrays();
    }
    end_pair(&p);
}

TEST_BY(each_kind, test_a_part_of_a_batch_plays_and_is_seen, kind k)
{
    uint64_t rng = 4;
    pair p = made_pair(desc_of(k, N));
    arrays_of here = arrays_here(k.game, 0, 0, &rng), there = arrays_there(&here);
    const arrays_of *sides[] = {&here, &there};
    for (size_t s = 0; s < 2; s++) {
        carom_step step = step_of(k.game, sides[s]);
        step.first = 7;
        step.count = 19;
        OK(carom_worlds_play(s == 0 ? p.here : p.there, &step));
        OK(carom_worlds_observe(s == 0 ? p.here : p.there, sides[s]->last));
    }
    OK(carom_worlds_wait(p.there));
    assert_same_arrays(&here, &there);
    assert_alike(p.here, p.there);
    free_here(&here);
    end_pair(&p);
}

TEST_BY(each_kind, test_policies_play_as_here, kind k)
{
    uint64_t rng = 5;
    pair p = made_pair(desc_of(k, N));
    for (size_t policy = 0; policy < carom_game_describe(k.game).policies; policy++) {
        arrays_of here = arrays_here(k.game, 0, 0, &rng), there = arrays_there(&here);
        const arrays_of *sides[] = {&here, &there};
        for (size_t s = 0; s < 2; s++) {
            carom_step step = step_of(k.game, sides[s]);
            step.players[0].source = CAROM_POLICY;
            step.players[0].policy = policy;
            OK(carom_worlds_play(s == 0 ? p.here : p.there, &step));
        }
        OK(carom_worlds_wait(p.there));
        assert_same_arrays(&here, &there);
        free_here(&here);
        free_arrays();
    }
    assert_alike(p.here, p.there);
    end_pair(&p);
}

TEST_BY(each_kind, test_children_are_made_and_play_as_here, kind k)
{
    uint64_t rng = 6;
    pair parents = made_pair(desc_of(k, N)), children = made_pair(desc_of(k, N));
    play_both(parents, TICKS, &rng);
    arrays_of here = arrays_here(k.game, 0, 0, &rng), there = arrays_there(&here);
    size_t from[N];
    for (size_t w = 0; w < N; w++) {
        from[w] = (size_t)rng_below(&rng, N);
    }
    carom_step step = step_of(k.game, &here);
    OK(carom_worlds_expand(children.here, parents.here, from, &step));
    step = step_of(k.game, &there);
    OK(carom_worlds_expand(children.there, parents.there, on_device(from, sizeof from), &step));
    OK(carom_worlds_wait(children.there));
    assert_same_arrays(&here, &there);
    assert_alike(children.here, children.there);
    assert_alike(parents.here, parents.there);
    free_here(&here);
    end_pair(&parents);
    end_pair(&children);
}

/* ---- rollouts ---- */

enum { K = 12, HORIZON = 5, ROOTS = 9, HOLD = 2, DEPTHS = 2, BEST = 3, FUTURES = ROOTS * K };

/* A rollout's arrays on one side. */
typedef struct outputs_of {
    double *returns;
    float *rewards, *observations, *mean, *sigma;
    uint32_t *best, *lengths, *elite;
    size_t return_bytes, reward_bytes, seen_bytes, plan_bytes;
} outputs_of;

/* Numbers of a player's plan: rows of HOLD ticks. */
static size_t plan_size(const carom_game *game)
{
    carom_action_kind normalised;
    OK(carom_game_action_kind(game, normalised_kind(game), &normalised));
    return (HORIZON + HOLD - 1) / HOLD * (size_t)normalised.size;
}

static outputs_of outputs_here(const carom_game *game)
{
    outputs_of o;
    const carom_game_info info = carom_game_describe(game);
    o.return_bytes = FUTURES * info.players * sizeof(double);
    o.reward_bytes = FUTURES * (size_t)HORIZON * info.players * sizeof(float);
    o.seen_bytes = FUTURES * (size_t)DEPTHS * info.players * info.observation_size * sizeof(float);
    o.plan_bytes = ROOTS * plan_size(game) * sizeof(float);
    o.returns = take(o.return_bytes);
    o.rewards = take(o.reward_bytes);
    o.observations = take(o.seen_bytes);
    o.mean = take(o.plan_bytes);
    o.sigma = take(o.plan_bytes);
    o.best = take(ROOTS * info.players * sizeof(uint32_t));
    o.lengths = take(FUTURES * sizeof(uint32_t));
    o.elite = take((size_t)ROOTS * BEST * sizeof(uint32_t));
    return o;
}

static outputs_of outputs_there(const carom_game *game, const outputs_of *here)
{
    outputs_of o = *here;
    o.returns = on_device(here->returns, o.return_bytes);
    o.rewards = on_device(here->rewards, o.reward_bytes);
    o.observations = on_device(here->observations, o.seen_bytes);
    o.mean = on_device(here->mean, o.plan_bytes);
    o.sigma = on_device(here->sigma, o.plan_bytes);
    o.best = on_device(here->best, ROOTS * carom_game_describe(game).players * sizeof(uint32_t));
    o.lengths = on_device(here->lengths, FUTURES * sizeof(uint32_t));
    o.elite = on_device(here->elite, (size_t)ROOTS * BEST * sizeof(uint32_t));
    return o;
}

static void assert_same_outputs(const carom_game *game, const outputs_of *here, const outputs_of *there)
{
    assert_same_bytes(here->returns, there->returns, here->return_bytes);
    assert_same_bytes(here->rewards, there->rewards, here->reward_bytes);
    assert_same_bytes(here->observations, there->observations, here->seen_bytes);
    assert_same_bytes(here->mean, there->mean, here->plan_bytes);
    assert_same_bytes(here->sigma, there->sigma, here->plan_bytes);
    assert_same_bytes(here->best, there->best, ROOTS * carom_game_describe(game).players * sizeof(uint32_t));
    assert_same_bytes(here->lengths, there->lengths, FUTURES * sizeof(uint32_t));
    assert_same_bytes(here->elite, there->elite, (size_t)ROOTS * BEST * sizeof(uint32_t));
}

static void free_outputs(outputs_of *o)
{
    void *const all[] = {o->returns, o->rewards, o->observations, o->mean, o->sigma, o->best, o->lengths, o->elite};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

/* A rollout of all outputs in which player 0 acts by `source`; `given`, `about`, `depths`: on the same side. */
static carom_status roll(carom_worlds *roots, const outputs_of *o, carom_source source, const float *given,
                         const float *about, const uint32_t *depths, carom_worlds *finals)
{
    carom_rollout_desc desc = carom_rollout_desc_default(carom_worlds_describe(roots).game);
    desc.sequences = K;
    desc.horizon = HORIZON;
    desc.seed = 21;
    desc.discount = 0.9;
    desc.players[0].source = source;
    desc.players[0].hold = HOLD;
    desc.players[0].actions = given;
    if (source == CAROM_GAUSSIAN) {
        desc.players[0].mean = about;
        desc.players[0].sigma = about + ROOTS * plan_size(carom_worlds_describe(roots).game);
    }
    desc.rewards = o->rewards;
    desc.lengths = o->lengths;
    desc.depths = depths;
    desc.depth_count = DEPTHS;
    desc.observations = o->observations;
    if (source != CAROM_POLICY && source != CAROM_ZERO && source != CAROM_BROADCAST) {
        desc.elites.count = BEST;
        desc.elites.best = o->elite;
        desc.elites.mean = o->mean;
        desc.elites.sigma = o->sigma;
    }
    return carom_rollout(roots, &desc, o->returns, o->best, finals);
}

TEST_BY(each_kind, test_rollouts_return_what_they_return_here, kind k)
{
    static const carom_source sources[] = {CAROM_DRAWN,     CAROM_UNIFORM, CAROM_GAUSSIAN, CAROM_GIVEN,
                                           CAROM_BROADCAST, CAROM_ZERO,    CAROM_POLICY};
    static const uint32_t depths[DEPTHS] = {0, 4};
    uint64_t rng = 7;
    pair p = made_pair(desc_of(k, ROOTS)), finals = made_pair(desc_of(k, FUTURES));
    play_both(p, TICKS, &rng);
    const size_t n = plan_size(k.game);
    FREED float *numbers = take((FUTURES + 2 * ROOTS) * n * sizeof *numbers); /* given; mean and sigma */
    for (size_t i = 0; i < (FUTURES + 2 * ROOTS) * n; i++) {
        numbers[i] = (float)rng_in(&rng, i < (FUTURES + ROOTS) * n ? -1 : 0, 1);
    }
    const size_t policies = carom_game_describe(k.game).policies;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (sources[i] == CAROM_POLICY && policies == 0) {
            continue;
        }
        outputs_of here = outputs_here(k.game), there = outputs_there(k.game, &here);
        const float *numbers_there = on_device(numbers, (FUTURES + 2 * ROOTS) * n * sizeof *numbers);
        const uint32_t *depths_there = on_device(depths, sizeof depths);
        OK(roll(p.here, &here, sources[i], numbers, numbers + FUTURES * n, depths, finals.here));
        OK(roll(p.there, &there, sources[i], numbers_there, numbers_there + FUTURES * n, depths_there, finals.there));
        OK(carom_worlds_wait(p.there));
        assert_same_outputs(k.game, &here, &there);
        assert_alike(p.here, p.there);
        assert_alike(finals.here, finals.there);
        free_outputs(&here);
        free_arrays();
    }
    end_pair(&p);
    end_pair(&finals);
}

/* ---- queued ---- */

static CUstream new_stream(void)
{
    CUdevice number;
    CUcontext context;
    CUstream stream;
    CU(DRIVER(cuDeviceGet)(&number, 0));
    CU(DRIVER(cuDevicePrimaryCtxRetain)(&context, number));
    CU(DRIVER(cuCtxPushCurrent_v2)(context));
    CU(DRIVER(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static void end_stream(CUstream stream)
{
    CUdevice number;
    CUcontext context;
    CU(DRIVER(cuStreamSynchronize)(stream));
    CU(DRIVER(cuStreamDestroy_v2)(stream));
    CU(DRIVER(cuCtxPopCurrent_v2)(&context));
    CU(DRIVER(cuDeviceGet)(&number, 0));
    CU(DRIVER(cuDevicePrimaryCtxRelease_v2)(number));
}

/* Nothing runs, waits or is allocated by calls that are queued. */
TEST_BY(each_kind, test_queued_calls_wait_for_nothing, kind k)
{
    NEEDS_FAKE();
    uint64_t rng = 8;
    pair p = made_pair(desc_of(k, N));
    arrays_of here = arrays_here(k.game, 0, 0, &rng), there = arrays_there(&here);
    double *returns = on_device(NULL, N * 4 * CAROM_MAX_PLAYERS * sizeof *returns);
    carom_rollout_desc rollout = carom_rollout_desc_default(k.game);
    rollout.sequences = 4;
    carom_step step = step_of(k.game, &there);
    const fake_cuda_stats before = counted();
    OK(carom_worlds_play(p.there, &step));
    OK(carom_worlds_observe_step(p.there, &step));
    OK(carom_rollout(p.there, &rollout, returns, NULL, NULL));
    OK(carom_worlds_restart_queued(p.there, NULL, NULL, NULL, NULL));
    const fake_cuda_stats after = counted();
    assert_int_equal(after.kernels, before.kernels);
    assert_int_equal(after.waits, before.waits);
    assert_int_equal(after.allocated, before.allocated);
    assert_int_equal(after.loads, before.loads);
    assert_true(after.launches > before.launches + 3);
    OK(carom_worlds_wait(p.there));
    free_here(&here);
    end_pair(&p);
}

/* carom_device_read() waits by itself, for what any stream has queued. */
TEST(test_reads_and_writes_wait)
{
    NEEDS_DEVICE();
    uint64_t rng = 13;
    const kind k = first_kind();
    pair p = made_pair(desc_of(k, N));
    CUstream stream = new_stream();
    for (size_t i = 0; i < 3; i++) {
        arrays_of here = arrays_here(k.game, 0, 0, &rng), there = arrays_there(&here);
        carom_step step = step_of(k.game, &here);
        OK(carom_worlds_play(p.here, &step));
        step = step_of(k.game, &there);
        step.stream = stream;
        OK(carom_worlds_play(p.there, &step));
        assert_same_arrays(&here, &there);
        free_here(&here);
    }
    assert_alike(p.here, p.there);
    end_stream(stream);
    end_pair(&p);
    free_arrays();
    assert_proper();
}

/* Lists in device memory cannot be read beforehand: a wrong index is reported once, by the wait. */
TEST(test_a_wrong_index_is_reported_by_the_wait)
{
    NEEDS_DEVICE();
    uint64_t rng = 14;
    const kind k = first_kind();
    pair p = made_pair(desc_of(k, N));
    size_t bytes;
    FREED float *actions = draw_actions(k.game, N, &rng, &bytes);
    uint32_t rows[N] = {0};
    rows[5] = N;
    carom_step step = carom_step_default();
    step.action_kind = normalised_kind(k.game);
    step.actions = on_device(actions, bytes);
    step.rows = on_device(rows, sizeof rows);
    OK(carom_worlds_play(p.there, &step));
    assert_int_equal(carom_worlds_wait(p.there), CAROM_ERROR_ARGUMENT);
    OK(carom_worlds_wait(p.there));
    end_pair(&p);
    free_arrays();
    assert_proper();
}

/* A graph of a step and a rollout, captured before anything else has been played, and replayed. */
TEST_BY(each_kind, test_a_graph_plays_what_calls_play, kind k)
{
    uint64_t rng = 9;
    pair p = made_pair(desc_of(k, N));
    arrays_of here = arrays_here(k.game, 0, 0, &rng), there = arrays_there(&here);
    double *returns = take(N * 4 * CAROM_MAX_PLAYERS * sizeof *returns),
           *returns_there = on_device(returns, N * 4 * CAROM_MAX_PLAYERS * sizeof *returns);
    carom_rollout_desc rollout = carom_rollout_desc_default(k.game);
    rollout.sequences = 4;
    CUstream stream = new_stream();
    CUgraph graph;
    CUgraphExec exec;

    CU(DRIVER(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    carom_step step = step_of(k.game, &there);
    step.stream = stream;
    rollout.stream = stream;
    OK(carom_worlds_play(p.there, &step));
    OK(carom_rollout(p.there, &rollout, returns_there, NULL, NULL));
    CU(DRIVER(cuStreamEndCapture)(stream, &graph));
    CU(DRIVER(cuGraphInstantiateWithFlags)(&exec, graph, 0));
    CU(DRIVER(cuGraphDestroy)(graph));

    step = step_of(k.game, &here);
    rollout.stream = NULL;
    for (size_t i = 0; i < 4; i++) {
        OK(carom_worlds_play(p.here, &step));
        OK(carom_rollout(p.here, &rollout, returns, NULL, NULL));
        CU(DRIVER(cuGraphLaunch)(exec, stream));
        CU(DRIVER(cuStreamSynchronize)(stream));
        assert_same_arrays(&here, &there);
        assert_same_bytes(returns, returns_there, N * 4 * CAROM_MAX_PLAYERS * sizeof *returns);
        assert_alike(p.here, p.there);
    }
    CU(DRIVER(cuGraphExecDestroy)(exec));
    end_stream(stream);
    free(returns);
    free_here(&here);
    end_pair(&p);
}

/* Two batches on two streams; then one batch on both, in the order that carom_device_order() makes. */
TEST(test_streams_are_independent_and_can_be_ordered)
{
    NEEDS_DEVICE();
    const kind k = first_kind();
    for (uint64_t seed = 0; seed < 6; seed++) {
        uint64_t rng = seed;
        if (is_fake()) {
            DRIVER(fake_cuda_start)(seed);
        }
        pair p = made_pair(desc_of(k, N)), other = made_pair(desc_of(k, N));
        CUstream one = new_stream(), two = new_stream();
        size_t bytes;
        FREED float *actions = draw_actions(k.game, N, &rng, &bytes);
        const void *there = on_device(actions, bytes);
        carom_step step = carom_step_default();
        step.action_kind = normalised_kind(k.game);
        for (size_t i = 0; i < 6; i++) {
            step.actions = actions;
            OK(carom_worlds_play(p.here, &step));
            OK(carom_worlds_play(other.here, &step));
            step.actions = there;
            step.stream = i % 2 == 0 ? one : two;
            OK(carom_worlds_play(p.there, &step));
            OK(carom_device_order(device(), step.stream, i % 2 == 0 ? two : one, NULL));
            step.stream = two;
            OK(carom_worlds_play(other.there, &step));
        }
        OK(carom_worlds_wait(p.there));
        assert_alike(p.here, p.there);
        assert_alike(other.here, other.there);
        end_stream(two);
        end_stream(one);
        end_pair(&p);
        end_pair(&other);
        free_arrays();
    }
    assert_proper();
}

/* The default stream of a program that uses no other is enough. */
TEST(test_calls_on_the_default_stream_are_ordered)
{
    NEEDS_DEVICE();
    uint64_t rng = 10;
    pair p = made_pair(desc_of(first_kind(), N));
    for (size_t i = 0; i < 4; i++) {
        play_both(p, 2, &rng);
    }
    assert_alike(p.here, p.there);
    end_pair(&p);
    free_arrays();
    assert_proper();
}

static void *play_in_a_thread(void *at)
{
    const pair *p = at;
    carom_step step = carom_step_default();
    step.ticks = 5;
    uint64_t digests[2];
    for (size_t i = 0; i < 4; i++) {
        if (carom_worlds_play(p->here, &step) != CAROM_OK || carom_worlds_play(p->there, &step) != CAROM_OK ||
            carom_worlds_digest(p->here, &digests[0]) != CAROM_OK ||
            carom_worlds_digest(p->there, &digests[1]) != CAROM_OK || digests[0] != digests[1]) {
            return at;
        }
    }
    return NULL;
}

TEST(test_threads_play_batches_of_their_own)
{
    NEEDS_DEVICE();
    enum { THREADS = 4 };
    pair pairs[THREADS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        carom_worlds_desc desc = desc_of(first_kind(), N);
        desc.seed = i;
        pairs[i] = made_pair(desc);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, play_in_a_thread, &pairs[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_alike(pairs[i].here, pairs[i].there);
        end_pair(&pairs[i]);
    }
    assert_proper();
}

/* Rays are for this processor. */
TEST_BY(each_kind, test_a_kind_of_observation_that_devices_do_not_have_is_refused_by_name, kind k)
{
    uint64_t rng = 11;
    size_t lidar;
    if (carom_game_find_observation_kind(k.game, "lidar", &lidar) != CAROM_OK) {
        return;
    }
    pair p = made_pair(desc_of(k, N));
    arrays_of here = arrays_here(k.game, lidar, 0, &rng), there = arrays_there(&here);
    carom_step step = step_of(k.game, &there);
    carom_problem problem;
    step.observation_kind = lidar;
    assert_int_equal(carom_worlds_play(p.there, &step), CAROM_ERROR_ARGUMENT);
    OK(carom_worlds_problem(p.there, &problem));
    assert_non_null(strstr(problem.text, "`lidar`"));
    assert_int_equal(carom_worlds_observe_step(p.there, &step), CAROM_ERROR_ARGUMENT);
    free_here(&here);
    free_arrays();
    end_pair(&p);
}

/* Memory of this processor among the arrays is an error, not a read of it. */
TEST(test_arrays_of_this_processor_are_refused)
{
    NEEDS_FAKE();
    const kind k = first_kind();
    uint64_t rng = 11;
    pair p = made_pair(desc_of(k, N));
    size_t bytes;
    FREED float *actions = draw_actions(k.game, N, &rng, &bytes);
    carom_step step = carom_step_default();
    step.action_kind = normalised_kind(k.game);
    step.actions = actions;
    assert_int_not_equal(carom_worlds_play(p.there, &step), CAROM_OK);
    assert_alike(p.here, p.there);
    end_pair(&p);
}
