/* SPDX-License-Identifier: MIT
 * Shared by tests of batches on devices: the driver, device memory, pairs of batches that must stay equal.
 *
 * These tests use whichever libcuda.so.1 is found. The build lets them find the tests' own (libcuda/), and then they
 * also check its counters; on a machine with a GPU they run with the driver's as well.
 */
#ifndef CAROM_TESTS_DEVICE_TEST_DEVICE_H
#define CAROM_TESTS_DEVICE_TEST_DEVICE_H

#include "../test.h"

#include "libcuda/api.h"
#include "libcuda/fake_cuda.h"

#include <dlfcn.h>

#define CU(call) assert_int_equal(call, CUDA_SUCCESS)

/* DRIVER(cuStreamCreate)(...): a function of the libcuda that is found. */
#define DRIVER(name) ((__typeof__(&(name)))driver_function(#name))

typedef void any_function(void);

static inline any_function *driver_function(const char *name)
{
    static void *driver;
    any_function *function;
    if (driver == NULL) {
        driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        assert_non_null(driver);
    }
    void *symbol = dlsym(driver, name);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* Is the libcuda the tests' own? */
static inline bool is_fake(void)
{
    return driver_function("fake_cuda_count") != NULL;
}

static inline fake_cuda_stats counted(void)
{
    const fake_cuda_stats none = {0};
    return is_fake() ? DRIVER(fake_cuda_count)() : none;
}

/* Leaves a test where there is no device, or fails it if CAROM_REQUIRE_DEVICE is set. */
#define NEEDS_DEVICE()                                                                                                 \
    do {                                                                                                               \
        carom_problem why;                                                                                             \
        if (carom_device_count(&why) == 0) {                                                                           \
            print_message("%s\n", why.text);                                                                           \
            assert_null(getenv("CAROM_REQUIRE_DEVICE"));                                                               \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

#define NEEDS_FAKE()                                                                                                   \
    do {                                                                                                               \
        NEEDS_DEVICE();                                                                                                \
        if (!is_fake()) {                                                                                              \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* Every test ends so: nothing that a driver forbids was done. */
static inline void assert_proper(void)
{
    if (is_fake()) {
        assert_string_equal(DRIVER(fake_cuda_misuse)(), "");
    }
}

/* ---- device memory ---- */

enum { ARRAYS = 256 };

static void *arrays[ARRAYS];
static size_t array_count;

static inline unsigned device(void)
{
    return carom_device_cuda(0);
}

/* Memory on the device; a copy of `data` unless that is NULL, else nothing in particular. Freed by free_arrays(). */
static inline void *on_device(const void *data, size_t bytes)
{
    void *memory;
    assert_true(array_count < ARRAYS);
    OK(carom_device_allocate(device(), bytes, &memory, NULL));
    if (data != NULL) {
        OK(carom_device_write(device(), memory, data, bytes, NULL));
    }
    arrays[array_count++] = memory;
    return memory;
}

static inline void free_arrays(void)
{
    while (array_count > 0) {
        carom_device_release(device(), arrays[--array_count]);
    }
}

/* Both hold the same bytes. */
static inline void assert_same_bytes(const void *here, const void *there, size_t bytes)
{
    FREED void *fetched = take(bytes);
    OK(carom_device_read(device(), fetched, there, bytes, NULL));
    assert_memory_equal(here, fetched, bytes);
}

/* ---- games and precisions that are there ---- */

typedef struct kind {
    const carom_game *game;
    carom_precision precision;
} kind;

/* All five games, as far as this build has programs for them; *count is at least 1. */
static inline const kind *kinds(size_t *count)
{
    static kind all[10];
    size_t n = 0;
    const char *names[] = {"csb", "soccer", "stones", "fantastic_bits", "fall"};
    for (size_t i = 0; i < 10; i++) {
        carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find(names[i / 2]));
        desc.precision = i % 2 == 0 ? CAROM_F64 : CAROM_F32;
        desc.device = device();
        if (carom_device_check(&desc, NULL) == CAROM_OK) {
            all[n++] = (kind){desc.game, desc.precision};
        }
    }
    *count = n;
    assert_true(*count > 0);
    return all;
}

/* ---- the same batch twice ---- */

typedef struct pair {
    carom_worlds *here, *there;
} pair;

static inline carom_worlds_desc desc_of(kind k, size_t count)
{
    carom_worlds_desc desc = carom_worlds_desc_default(k.game);
    desc.precision = k.precision;
    desc.count = count;
    desc.seed = 5;
    desc.first_id = 1000;
    desc.at_end = CAROM_RESET;
    desc.threads = 1;
    return desc;
}

static inline carom_worlds *made_there(carom_worlds_desc desc)
{
    carom_worlds *worlds;
    desc.device = device();
    OK(carom_worlds_create(&desc, &worlds));
    return worlds;
}

static inline pair made_pair(carom_worlds_desc desc)
{
    pair p;
    OK(carom_worlds_create(&desc, &p.here));
    p.there = made_there(desc);
    return p;
}

static inline void end_pair(pair *p)
{
    carom_worlds_destroy(p->here);
    carom_worlds_destroy(p->there);
}

/* The whole states, ids, seeds and counters. */
static inline void assert_alike(const carom_worlds *here, const carom_worlds *there)
{
    const size_t bytes = carom_worlds_save_size(here);
    assert_int_equal(carom_worlds_save_size(there), bytes);
    FREED unsigned char *mine = take(bytes);
    FREED unsigned char *theirs = take(bytes);
    OK(carom_worlds_save(here, mine, bytes));
    OK(carom_worlds_save(there, theirs, bytes));
    assert_memory_equal(mine, theirs, bytes);
}

/* A test for every game and precision that is there; a driver's rules are kept. */
static inline void each_kind(void (*test)(kind k))
{
    NEEDS_DEVICE();
    size_t count;
    const kind *all = kinds(&count);
    for (size_t i = 0; i < count; i++) {
        print_message("%s %d\n", carom_game_describe(all[i].game).name, (int)all[i].precision);
        test(all[i]);
        free_arrays();
    }
    assert_proper();
}

/* ---- actions ---- */

static inline size_t normalised_kind(const carom_game *game)
{
    size_t index;
    OK(carom_game_find_action_kind(game, "normalised", &index));
    return index;
}

/* `rows` of normalised actions of all players, here; *bytes of all. */
static inline float *draw_actions(const carom_game *game, size_t rows, uint64_t *rng, size_t *bytes)
{
    carom_action_kind normalised;
    OK(carom_game_action_kind(game, normalised_kind(game), &normalised));
    const size_t n = rows * carom_game_describe(game).players * normalised.size;
    float *actions = take(n * sizeof *actions);
    for (size_t i = 0; i < n; i++) {
        actions[i] = (float)rng_in(rng, -1, 1);
    }
    *bytes = n * sizeof *actions;
    return actions;
}

/* Plays both for `ticks` ticks of drawn actions. */
static inline void play_both(pair p, size_t ticks, uint64_t *rng)
{
    const carom_game *game = carom_worlds_describe(p.here).game;
    size_t bytes;
    FREED float *actions = draw_actions(game, ticks * carom_worlds_count(p.here), rng, &bytes);
    carom_step step = carom_step_default();
    step.ticks = ticks;
    step.action_kind = normalised_kind(game);
    step.actions = actions;
    OK(carom_worlds_play(p.here, &step));
    step.actions = on_device(actions, bytes);
    OK(carom_worlds_play(p.there, &step));
    OK(carom_worlds_wait(p.there));
}

#endif
