/* SPDX-License-Identifier: MIT
 * Batches on a device with the functions of worlds.h: creation, queries, changes, copies, saves, and errors.
 */
#include "test_device.h"

#include <sys/wait.h>
#include <unistd.h>

#include "../child.h"

enum { N = 37, TICKS = 40 };

SET_UP
{
    if (is_fake()) {
        DRIVER(fake_cuda_start)(1);
    }
}

static pair played_pair(kind k, uint64_t seed)
{
    pair p = made_pair(desc_of(k, N));
    uint64_t rng = seed;
    play_both(p, TICKS, &rng);
    return p;
}

/* ---- asked ---- */

TEST_BY(each_kind, test_a_batch_is_made_as_here, kind k)
{
    pair p = made_pair(desc_of(k, N));
    assert_alike(p.here, p.there);
    assert_int_equal(carom_worlds_describe(p.there).device, device());
    end_pair(&p);
}

TEST_BY(each_kind, test_all_that_can_be_asked_is_the_same, kind k)
{
    pair p = played_pair(k, 1);
    assert_alike(p.here, p.there);
    uint64_t digests[2], hashes[2][N], seeds[2][N];
    OK(carom_worlds_digest(p.here, &digests[0]));
    OK(carom_worlds_digest(p.there, &digests[1]));
    assert_int_equal(digests[0], digests[1]);
    OK(carom_worlds_hash(p.here, 0, N, hashes[0]));
    OK(carom_worlds_hash(p.there, 0, N, hashes[1]));
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    OK(carom_worlds_seeds(p.here, 0, N, seeds[0]));
    OK(carom_worlds_seeds(p.there, 0, N, seeds[1]));
    assert_memory_equal(seeds[0], seeds[1], sizeof seeds[0]);

    const carom_counters mine = carom_worlds_counters(p.here), theirs = carom_worlds_counters(p.there);
    assert_memory_equal(&mine, &theirs, sizeof mine);
    assert_int_equal(mine.ticks, (size_t)N * TICKS);
    unsigned bits[2];
    assert_int_equal(carom_worlds_faults(p.here, &bits[0]), carom_worlds_faults(p.there, &bits[1]));
    assert_int_equal(bits[0], bits[1]);
    end_pair(&p);
}

TEST_BY(each_kind, test_every_field_and_record_is_the_same, kind k)
{
    pair p = played_pair(k, 2);
    for (size_t f = 0; f < carom_worlds_field_count(p.here); f++) {
        carom_field field;
        OK(carom_worlds_field(p.here, f, &field));
        const size_t bytes = (size_t)field.count * field.bytes, first = 3, count = N - 5;
        FREED unsigned char *mine = take(count * bytes);
        FREED unsigned char *theirs = take(count * bytes);
        OK(carom_worlds_get(p.here, f, first, count, mine));
        OK(carom_worlds_get(p.there, f, first, count, theirs));
        assert_memory_equal(mine, theirs, count * bytes);
        const size_t list[] = {N - 1, 0, 17, 17};
        OK(carom_worlds_get_list(p.here, f, list, 4, mine));
        OK(carom_worlds_get_list(p.there, f, list, 4, theirs));
        assert_memory_equal(mine, theirs, 4 * bytes);
    }
    const size_t size = N * carom_worlds_record_size(p.here);
    FREED unsigned char *mine = take(size);
    FREED unsigned char *theirs = take(size);
    OK(carom_worlds_get_records(p.here, NULL, N, mine, size));
    OK(carom_worlds_get_records(p.there, NULL, N, theirs, size));
    assert_memory_equal(mine, theirs, size);
    end_pair(&p);
}

/* ---- changed ---- */

TEST_BY(each_kind, test_worlds_that_are_set_are_played_on, kind k)
{
    pair p = played_pair(k, 3), other = played_pair(k, 4);
    uint64_t rng = 5;
    const size_t size = carom_worlds_record_size(p.here), list[] = {0, 16, 36, 2};
    FREED unsigned char *records = take(4 * size);
    OK(carom_worlds_get_records(other.here, list, 4, records, 4 * size));
    OK(carom_worlds_set_records(p.here, list, 4, records, 4 * size));
    OK(carom_worlds_set_records(p.there, list, 4, records, 4 * size));
    OK(carom_worlds_set_world(p.here, 20, records, size));
    OK(carom_worlds_set_world(p.there, 20, records, size));
    size_t field;
    OK(carom_worlds_find_field(p.here, "tick", &field));
    const int32_t ticks[] = {7, 8, 9};
    OK(carom_worlds_set(p.here, field, 15, 3, ticks));
    OK(carom_worlds_set(p.there, field, 15, 3, ticks));
    OK(carom_worlds_set_list(p.here, field, list, 3, ticks));
    OK(carom_worlds_set_list(p.there, field, list, 3, ticks));
    assert_alike(p.here, p.there);
    play_both(p, TICKS, &rng);
    assert_alike(p.here, p.there);
    end_pair(&p);
    end_pair(&other);
}

TEST_BY(each_kind, test_what_a_game_does_not_allow_is_refused_whole, kind k)
{
    pair p = played_pair(k, 6);
    size_t field;
    carom_problem problems[2];
    OK(carom_worlds_find_field(p.here, "tick", &field));
    const int32_t ticks[] = {7, -1};
    assert_int_equal(carom_worlds_set(p.here, field, 0, 2, ticks), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(p.there, field, 0, 2, ticks), CAROM_ERROR_VALUE);
    OK(carom_worlds_problem(p.here, &problems[0]));
    OK(carom_worlds_problem(p.there, &problems[1]));
    assert_string_equal(problems[0].text, problems[1].text);
    assert_alike(p.here, p.there);
    end_pair(&p);
}

/* Which worlds start new games, with which ids and seeds. */
static void draw_restarts(uint64_t *rng, uint8_t mask[N], uint64_t ids[N], uint64_t seeds[N])
{
    for (size_t w = 0; w < N; w++) {
        mask[w] = rng_one_in(rng, 2);
        ids[w] = rng_next(rng);
        seeds[w] = rng_next(rng);
    }
}

TEST_BY(each_kind, test_games_begin_again_as_here, kind k)
{
    pair p = played_pair(k, 7);
    uint64_t rng = 8, ids[N], seeds[N];
    uint8_t mask[N];
    draw_restarts(&rng, mask, ids, seeds);
    OK(carom_worlds_restart(p.here, mask, ids, seeds));
    OK(carom_worlds_restart(p.there, mask, ids, seeds));
    assert_alike(p.here, p.there);
    play_both(p, TICKS, &rng);
    assert_alike(p.here, p.there);

    OK(carom_worlds_reseed(p.here, 99));
    OK(carom_worlds_reseed(p.there, 99));
    play_both(p, TICKS, &rng);
    assert_alike(p.here, p.there);

    OK(carom_worlds_reset(p.here));
    OK(carom_worlds_reset(p.there));
    assert_alike(p.here, p.there);
    play_both(p, TICKS, &rng);
    assert_alike(p.here, p.there);
    end_pair(&p);
}

TEST_BY(each_kind, test_restarts_can_be_queued, kind k)
{
    pair p = played_pair(k, 9);
    uint64_t rng = 10, ids[N], seeds[N];
    uint8_t mask[N];
    draw_restarts(&rng, mask, ids, seeds);
    OK(carom_worlds_restart(p.here, mask, ids, seeds));
    OK(carom_worlds_restart_queued(p.there, on_device(mask, sizeof mask), on_device(ids, sizeof ids),
                                   on_device(seeds, sizeof seeds), NULL));
    play_both(p, TICKS, &rng);
    OK(carom_worlds_restart(p.here, NULL, NULL, NULL));
    OK(carom_worlds_restart_queued(p.there, NULL, NULL, NULL, NULL));
    OK(carom_worlds_wait(p.there));
    assert_alike(p.here, p.there);
    assert_int_equal(carom_worlds_restart_queued(p.here, NULL, NULL, NULL, NULL), CAROM_ERROR_ARGUMENT);
    end_pair(&p);
}

/* ---- copied ---- */

static void copy_both(pair to, pair from, bool swapped)
{
    const size_t places[] = {0, 36, 5, 16}, sources[] = {3, 2, 33, 15};
    OK(carom_worlds_copy(to.here, places, from.here, sources, 4));
    OK(carom_worlds_copy(to.there, places, swapped ? from.here : from.there, sources, 4));
    OK(carom_worlds_fork(to.here, 6, 9, from.here, 30));
    OK(carom_worlds_fork(to.there, 6, 9, swapped ? from.here : from.there, 30));
    assert_alike(to.here, to.there);
}

TEST_BY(each_kind, test_worlds_are_copied_within_a_device_and_from_here, kind k)
{
    pair p = played_pair(k, 11), other = played_pair(k, 12);
    uint64_t rng = 13;
    OK(carom_worlds_reseed(other.here, 77));
    OK(carom_worlds_reseed(other.there, 77));
    copy_both(p, other, false);
    play_both(p, TICKS, &rng);
    copy_both(p, other, true);
    play_both(p, TICKS, &rng);
    assert_alike(p.here, p.there);

    const size_t from[] = {1, 2}, to[] = {20, 21};
    OK(carom_worlds_copy(p.here, to, p.here, from, 2));
    OK(carom_worlds_copy(p.there, to, p.there, from, 2));
    assert_alike(p.here, p.there);

    /* From the device to here. */
    carom_worlds_desc desc = desc_of(k, N);
    OWNED(carom_worlds) * back;
    OK(carom_worlds_create(&desc, &back));
    OK(carom_worlds_copy(back, NULL, p.there, NULL, N));
    uint64_t digests[2];
    OK(carom_worlds_digest(back, &digests[0]));
    OK(carom_worlds_digest(p.here, &digests[1]));
    assert_int_equal(digests[0], digests[1]);
    end_pair(&p);
    end_pair(&other);
}

TEST_BY(each_kind, test_a_save_of_one_side_is_played_on_by_the_other, kind k)
{
    pair p = played_pair(k, 14);
    pair crossed = made_pair(desc_of(k, N));
    uint64_t rng = 15, same = 15;
    const size_t bytes = carom_worlds_save_size(p.here);
    FREED unsigned char *saved = take(bytes);
    OK(carom_worlds_save(p.here, saved, bytes));
    OK(carom_worlds_load(crossed.there, saved, bytes));
    OK(carom_worlds_save(p.there, saved, bytes));
    OK(carom_worlds_load(crossed.here, saved, bytes));
    play_both(p, TICKS, &rng);
    play_both(crossed, TICKS, &same);
    assert_alike(p.here, crossed.there);
    assert_alike(crossed.here, p.there);

    saved[bytes / 2] ^= 1;
    assert_int_equal(carom_worlds_load(crossed.there, saved, bytes), CAROM_ERROR_FORMAT);
    assert_alike(p.here, crossed.there);
    end_pair(&p);
    end_pair(&crossed);
}

/* ---- errors ---- */

static kind first_kind(void)
{
    size_t count;
    return kinds(&count)[0];
}

/* Batches release everything they allocate. */
TEST(test_nothing_is_left_behind)
{
    NEEDS_FAKE();
    uint64_t rng = 16;
    carom_worlds_destroy(made_there(desc_of(first_kind(), N)));
    const fake_cuda_stats before = counted();
    for (int i = 0; i < 3; i++) {
        pair p = made_pair(desc_of(first_kind(), N));
        play_both(p, 3, &rng);
        end_pair(&p);
        free_arrays();
    }
    const fake_cuda_stats after = counted();
    assert_int_equal(after.allocations, before.allocations);
    assert_int_equal(after.bytes, before.bytes);
    assert_int_equal(after.host_allocations, before.host_allocations);
    assert_int_equal(after.streams, before.streams);
    assert_int_equal(after.events, before.events);
    assert_int_equal(after.modules, before.modules);
    assert_int_equal(after.retains, before.retains);
    assert_int_equal(after.pushed, 0);
    assert_proper();
}

/* Each allocation of a batch fails once. */
TEST(test_memory_that_runs_out_is_an_error_and_leaves_nothing)
{
    NEEDS_FAKE();
    carom_worlds_desc desc = desc_of(first_kind(), N);
    desc.device = device();
    carom_worlds_destroy(made_there(desc));
    const fake_cuda_stats before = counted();
    unsigned failures = 0;
    carom_worlds *worlds = NULL;
    for (;; failures++) {
        DRIVER(fake_cuda_start)(1);
        DRIVER(fake_cuda_fail)("cuMemAlloc_v2", failures + 1, CUDA_ERROR_OUT_OF_MEMORY);
        const carom_status status = carom_worlds_create(&desc, &worlds);
        if (status == CAROM_OK) {
            break;
        }
        assert_int_equal(status, CAROM_ERROR_MEMORY);
        assert_null(worlds);
        assert_int_equal(counted().bytes, before.bytes);
        assert_true(failures < 100);
    }
    assert_true(failures > 0);
    carom_worlds_destroy(worlds);
    DRIVER(fake_cuda_start)(1);

    /* And a batch that is larger than the device. */
    DRIVER(fake_cuda_memory)(1 << 20);
    desc.count = 1000000;
    assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_MEMORY);
    DRIVER(fake_cuda_memory)((size_t)1 << 30);
    assert_int_equal(counted().bytes, before.bytes);
    assert_int_equal(counted().pushed, 0);
    assert_proper();
}

/* Whichever of the driver's functions fails, the call reports it, the process continues, and later calls work. */
TEST(test_errors_of_the_driver_are_reported)
{
    NEEDS_FAKE();
    static const char *const names[] = {"cuCtxPushCurrent_v2",  "cuMemAlloc_v2",       "cuMemcpyHtoDAsync_v2",
                                        "cuMemcpyDtoHAsync_v2", "cuMemsetD8Async",     "cuCtxSynchronize",
                                        "cuStreamSynchronize",  "cuLaunchKernel",      "cuStreamWaitEvent",
                                        "cuEventRecord",        "cuMemcpyDtoDAsync_v2"};
    const carom_worlds_desc desc = desc_of(first_kind(), N);
    carom_step step = carom_step_default();
    step.ticks = 2;
    size_t reported = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        OWNED(carom_worlds) *worlds = made_there(desc);
        DRIVER(fake_cuda_start)(1);
        DRIVER(fake_cuda_fail)(names[i], 1, CUDA_ERROR_UNKNOWN);
        uint64_t digest;
        carom_status status = carom_worlds_play(worlds, &step);
        status = status == CAROM_OK ? carom_worlds_wait(worlds) : status;
        status = status == CAROM_OK ? carom_worlds_digest(worlds, &digest) : status;
        status = status == CAROM_OK ? carom_worlds_reset(worlds) : status;
        assert_true(status == CAROM_OK || status == CAROM_ERROR_DEVICE);
        if (status == CAROM_ERROR_DEVICE) {
            carom_problem problem;
            OK(carom_worlds_problem(worlds, &problem));
            assert_non_null(strstr(problem.text, "unknown error"));
            reported++;
        }
        DRIVER(fake_cuda_start)(1);
        OK(carom_worlds_reset(worlds));
        OK(carom_worlds_play(worlds, &step));
        OK(carom_worlds_wait(worlds));
        assert_int_equal(counted().pushed, 0);
    }
    assert_true(reported >= 4);
    assert_proper();
}

/* A kernel's error is reported by the wait, and stays; batches on this processor still work. */
TEST(test_an_error_of_a_kernel_is_reported_and_the_process_goes_on)
{
    NEEDS_FAKE();
    pair p = made_pair(desc_of(first_kind(), N));
    carom_step step = carom_step_default();
    DRIVER(fake_cuda_fail)("kernel", 1, CUDA_ERROR_LAUNCH_FAILED);
    OK(carom_worlds_play(p.there, &step));
    assert_int_equal(carom_worlds_wait(p.there), CAROM_ERROR_DEVICE);
    carom_problem problem;
    OK(carom_worlds_problem(p.there, &problem));
    assert_non_null(strstr(problem.text, "launch failure"));
    assert_int_equal(carom_worlds_play(p.there, &step), CAROM_ERROR_DEVICE);
    uint64_t digest;
    assert_int_equal(carom_worlds_digest(p.there, &digest), CAROM_ERROR_DEVICE);
    carom_worlds *worlds;
    carom_worlds_desc desc = desc_of(first_kind(), N);
    desc.device = device();
    assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_DEVICE);
    OK(carom_worlds_play(p.here, &step));
    assert_int_equal(counted().pushed, 0);
    end_pair(&p);
    DRIVER(fake_cuda_heal)();
    assert_proper();
}

static carom_worlds *of_parent;

static bool is_told_in_a_child(void)
{
    carom_step step = carom_step_default();
    uint64_t digest;
    const bool told = carom_worlds_play(of_parent, &step) == CAROM_ERROR_DEVICE &&
                      carom_worlds_digest(of_parent, &digest) == CAROM_ERROR_DEVICE &&
                      carom_worlds_wait(of_parent) == CAROM_ERROR_DEVICE;
    carom_worlds_destroy(of_parent);
    return told && counted().misuse == 0;
}

TEST(test_a_forked_child_is_told)
{
    NEEDS_FAKE();
    of_parent = made_there(desc_of(first_kind(), N));
    assert_child(is_told_in_a_child);
    carom_worlds_destroy(of_parent);
    assert_proper();
}

TEST(test_what_is_not_there_is_refused_by_name)
{
    NEEDS_DEVICE();
    OWNED(carom_worlds) *worlds = made_there(desc_of(first_kind(), N));
    carom_problem problem;
    double moved[1];
    carom_step step = carom_step_default();
    step.moved = moved;
    assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_UNSUPPORTED);
    OK(carom_worlds_problem(worlds, &problem));
    assert_non_null(strstr(problem.text, "moved"));

    carom_worlds_desc desc = desc_of(first_kind(), N);
    desc.device = carom_device_cuda(7);
    carom_worlds *none;
    assert_int_not_equal(carom_worlds_create(&desc, &none), CAROM_OK);
    assert_null(none);
    assert_int_not_equal(carom_device_check(&desc, &problem), CAROM_OK);
    assert_string_not_equal(problem.text, "");
    assert_proper();
}
