/* SPDX-License-Identifier: MIT
 * Worlds of many bodies are stored one after another: they take little memory, keep their values when copied between
 * batches with different storage, and rollouts of few futures use a thread for each.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "scene_stage.h"

#include "base/parallel.h"

#include <pthread.h>
#include <time.h>

enum { N = 300, WORLDS = 21 };

/* The same gas for either engine: worlds of the wide one are stored 16 side by side. */
static carom_worlds *batch_of(const gas *g, carom_engine engine, carom_precision precision, size_t worlds,
                              carom_scene **scene)
{
    carom_scene_desc d = g->desc;
    d.engine = engine;
    *scene = make_scene(&d);
    return scene_worlds(*scene, worlds, precision, CAROM_ISA_DEFAULT, 2);
}

/* ---- memory ---- */

static size_t bytes_of(const carom_scene *scene, size_t worlds, unsigned threads)
{
    carom_worlds_desc d = WORLDS_DESC(carom_scene_game(scene), .count = worlds, .threads = threads);
    return carom_worlds_bytes(&d);
}

TEST(test_bytes)
{
    const uint32_t n = 20000;
    gas g = gas_of(1, n, 100, 0.3, false, CAROM_SIDES_PERIODIC);
    g.desc.user_words = true;
    carom_scene *scene = make_scene(&g.desc);
    assert_int_equal(carom_scene_engine(scene), CAROM_ENGINE_DEEP);
    const size_t one = bytes_of(scene, 1, 1), two = bytes_of(scene, 2, 1), threads = bytes_of(scene, 2, 2);
    assert_in_range(two - one, 65 * n, 76 * n);
    assert_in_range(one, 72 * n, 336 * n); /* of a thread, too: carom/scene.h, with records across ticks */
    assert_in_range(threads - two, 48 * n, 260 * n);
    carom_scene_destroy(scene);
    free(g.bodies);
}

/* A body's number, found through the view. */
TEST(test_view)
{
    gas g = gas_of(2, N, 20, 0.3, false, CAROM_SIDES_SOLID);
    for (int k = 0; k < 2; k++) {
        OWNED(carom_scene) *scene = NULL;
        OWNED(carom_worlds) *worlds =
            batch_of(&g, k == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP, CAROM_F64, WORLDS, &scene);
        size_t index;
        carom_view view;
        must(carom_worlds_step(worlds, 0.5, 2), "carom_worlds_step");
        must(carom_worlds_find_field(worlds, "vy", &index), "carom_worlds_find_field");
        must(carom_worlds_view(worlds, index, &view), "carom_worlds_view");
        assert_int_equal(view.lanes, k == 0 ? 16 : 1);
        assert_int_equal(view.element_stride, view.lanes * sizeof(double));
        OWNED(scene_state) s = scene_state_new(N);
        for (size_t w = 0; w < WORLDS; w++) {
            scene_get(worlds, w, &s);
            for (size_t e = 0; e < N; e++) {
                double number;
                memcpy(&number,
                       (const char *)view.data + w / view.lanes * view.tile_stride + e * view.element_stride +
                           w % view.lanes * view.lane_stride,
                       sizeof number);
                assert_true(number == s.number[3 * N + e]);
            }
        }
    }
    free(g.bodies);
}

/* ---- from batch to batch ---- */

static void assert_same(const carom_worlds *a, const carom_worlds *b)
{
    uint64_t here[WORLDS], there[WORLDS];
    must(carom_worlds_hash(a, 0, WORLDS, here), "carom_worlds_hash");
    must(carom_worlds_hash(b, 0, WORLDS, there), "carom_worlds_hash");
    assert_memory_equal(here, there, sizeof here);
}

/* The worlds of a batch differ, since they advance one after the other. */
static void stagger(carom_worlds *worlds)
{
    carom_step step = carom_step_default();
    for (size_t first = 0; first < WORLDS; first += 4) {
        step.first = first;
        step.dt = 0.01;
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    }
}

TEST(test_copies)
{
    gas g = gas_of(3, N, 20, 0.3, true, CAROM_SIDES_PERIODIC);
    g.bodies[7].acts = true;
    g.desc.user_words = true;
    static const carom_precision precisions[] = {CAROM_F64, CAROM_F32};
    for (int k = 0; k < 4; k++) {
        const carom_precision precision = precisions[k / 2];
        OWNED(carom_scene) *from_scene = NULL, *to_scene = NULL;
        OWNED(carom_worlds) *from =
            batch_of(&g, k % 2 == 0 ? CAROM_ENGINE_DEEP : CAROM_ENGINE_WIDE, precision, WORLDS, &from_scene);
        OWNED(carom_worlds) *to =
            batch_of(&g, k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP, precision, WORLDS, &to_scene);
        size_t reversed[WORLDS];
        stagger(from);
        for (size_t w = 0; w < WORLDS; w++) {
            reversed[w] = WORLDS - 1 - w;
        }
        must(carom_worlds_copy(to, reversed, from, reversed, WORLDS), "carom_worlds_copy");
        assert_same(from, to);
        must(carom_worlds_step(from, 0.5, 2), "carom_worlds_step");
        must(carom_worlds_step(to, 0.5, 2), "carom_worlds_step");
        assert_same(from, to);

        /* children continue from their parents, wherever these are */
        carom_step step = STEP_WITH(.dt = 0.1);
        must(carom_worlds_expand(to, from, reversed, &step), "carom_worlds_expand");
        must(carom_worlds_play(from, &step), "carom_worlds_play");
        must(carom_worlds_copy(from, NULL, from, NULL, WORLDS), "carom_worlds_copy");
        uint64_t here[WORLDS], there[WORLDS];
        must(carom_worlds_hash(from, 0, WORLDS, here), "carom_worlds_hash");
        must(carom_worlds_hash(to, 0, WORLDS, there), "carom_worlds_hash");
        for (size_t w = 0; w < WORLDS; w++) {
            assert_true(here[w] == there[reversed[w]]);
        }

        /* a save of the one is one of the other */
        const size_t size = carom_worlds_save_size(from);
        assert_int_equal(size, carom_worlds_save_size(to));
        void *save = malloc(size);
        must(carom_worlds_save(from, save, size), "carom_worlds_save");
        must(carom_worlds_load(to, save, size), "carom_worlds_load");
        assert_same(from, to);
        free(save);

        /* a fork of each to its position; the finals of rollouts in a batch of the other kind */
        for (size_t w = 0; w < WORLDS; w++) {
            must(carom_worlds_fork(to, w, 1, from, reversed[w]), "carom_worlds_fork");
        }
        must(carom_worlds_copy(from, reversed, to, NULL, WORLDS), "carom_worlds_copy");
        must(carom_worlds_hash(from, 0, WORLDS, here), "carom_worlds_hash");
        must(carom_worlds_hash(to, 0, WORLDS, there), "carom_worlds_hash");
        for (size_t w = 0; w < WORLDS; w++) {
            assert_true(here[reversed[w]] == there[w]);
        }
        double returns[WORLDS], again[WORLDS];
        carom_rollout_desc desc = carom_rollout_desc_default(carom_scene_game(from_scene));
        OWNED(carom_scene) *finals_scene = NULL;
        OWNED(carom_worlds) *finals = batch_of(&g, CAROM_ENGINE_WIDE, precision, WORLDS, &finals_scene);
        desc.horizon = 2;
        must(carom_rollout(from, &desc, returns, NULL, to), "carom_rollout");
        must(carom_rollout(from, &desc, again, NULL, finals), "carom_rollout");
        assert_same(to, finals);
        assert_memory_equal(returns, again, sizeof returns);
    }
    free(g.bodies);
}

/* ---- threads ---- */

enum { FUTURES = 5 };

/* A barrier for threads. */
typedef struct meeting_place {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int inside, most, wanted;
} meeting_place;

/* Stays until as many as are wanted are here, or ten seconds have passed, and then until the end. */
static void wait_for_others(void *user, const carom_scene_range *range)
{
    meeting_place *place = (meeting_place *)user;
    struct timespec until;
    (void)range;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&place->lock);
    place->inside++;
    place->most = place->inside > place->most ? place->inside : place->most;
    pthread_cond_broadcast(&place->moved);
    while (place->most < place->wanted) {
        if (pthread_cond_timedwait(&place->moved, &place->lock, &until) != 0) {
            place->wanted = 0; /* they do not come */
        }
    }
    place->inside--;
    pthread_mutex_unlock(&place->lock);
}

/* Rollouts of one root: as many threads work as there are futures, with the results of one. */
TEST(test_threads)
{
    if (carom_parallel_limit() == 1) {
        skip();
    }
    gas g = gas_of(4, N, 20, 0.3, false, CAROM_SIDES_SOLID);
    meeting_place place = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 1};
    g.bodies[0].acts = true;
    g.desc.tick_hook = wait_for_others;
    g.desc.user = &place;
    g.desc.engine = CAROM_ENGINE_DEEP;
    g.desc.reward.kind = g.desc.final_value.kind = CAROM_MEASURE_DISTANCE;
    carom_scene *scene = make_scene(&g.desc);
    double returns[2][FUTURES];
    uint64_t hashes[2][FUTURES];
    for (int k = 0; k < 2; k++) {
        OWNED(carom_worlds) *root = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_DEFAULT, k == 0 ? 1 : FUTURES);
        OWNED(carom_worlds) *finals = scene_worlds(scene, FUTURES, CAROM_F64, CAROM_ISA_DEFAULT, 1);
        carom_rollout_desc desc = carom_rollout_desc_default(carom_scene_game(scene));
        desc.sequences = FUTURES;
        desc.horizon = 3;
        place.most = 0;
        place.wanted = k == 0 ? 1 : FUTURES;
        must(carom_rollout(root, &desc, returns[k], NULL, finals), "carom_rollout");
        assert_int_equal(place.most, k == 0 ? 1 : FUTURES);
        must(carom_worlds_hash(finals, 0, FUTURES, hashes[k]), "carom_worlds_hash");
    }
    assert_memory_equal(returns[0], returns[1], sizeof returns[0]);
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    assert_true(hashes[0][0] != hashes[0][1]);
    carom_scene_destroy(scene);
    free(g.bodies);
}
