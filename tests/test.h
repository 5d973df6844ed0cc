/* SPDX-License-Identifier: MIT
 * Shared by all tests: cmocka, the library, the lengths of tests, random seeds, instruction sets, batches and their
 * fields.
 */
#ifndef CAROM_TESTS_TEST_H
#define CAROM_TESTS_TEST_H

#include <carom/carom.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

#ifndef CAROM_TEST_DATA
#define CAROM_TEST_DATA "tests/data"
#endif

#define OK(call) assert_int_equal(call, CAROM_OK)

/* WebAssembly has no threads, processes, signals or rounding modes, and numbers of 32 bits for sizes. */
#if defined(__EMSCRIPTEN__)
#define ON_WEB true
#else
#define ON_WEB false
#endif

/* Leaves a test of what WebAssembly does not have. */
#define NOT_ON_WEB()                                                                                                   \
    do {                                                                                                               \
        if (ON_WEB) {                                                                                                  \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* How many kinds of observation of a game devices have: all but `lidar`, which is the last one. */
static inline size_t observation_kinds_on_devices(const carom_game *game)
{
    size_t lidar;
    return carom_game_find_observation_kind(game, "lidar", &lidar) == CAROM_OK
               ? lidar
               : carom_game_describe(game).observation_kinds;
}

/* ---- tests: each registers itself with tests/main.c, which runs them in the order of the file ---- */

/* TEST(name) { ... } */
#define TEST(name)                                                                                                     \
    static void name(void **unused);                                                                                   \
    __attribute__((constructor)) static void add_##name(void)                                                          \
    {                                                                                                                  \
        add_test(#name, name, __LINE__);                                                                               \
    }                                                                                                                  \
    static void name(__attribute__((unused)) void **unused)

/* A test that the function `each` calls several times, with arguments: TEST_BY(each, name, int argument) { ... } */
#define TEST_BY(each, name, ...)                                                                                       \
    static void name##_once(__VA_ARGS__);                                                                              \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        each(name##_once);                                                                                             \
    }                                                                                                                  \
    static void name##_once(__VA_ARGS__)

/* SET_UP { ... } is run before the tests of the file, TEAR_DOWN { ... } after them. */
#define SET_UP AROUND(set_up)
#define TEAR_DOWN AROUND(tear_down)
#define AROUND(when)                                                                                                   \
    static void when(void);                                                                                            \
    __attribute__((constructor)) static void add_this_##when(void)                                                     \
    {                                                                                                                  \
        add_##when(when);                                                                                              \
    }                                                                                                                  \
    static void when(void)

void add_test(const char *name, CMUnitTestFunction run, int line);
void add_set_up(void (*run)(void));
void add_tear_down(void (*run)(void));

/* ---- the short form, which scripts/test selects for emulated machines and sanitizers: the same kinds of cases, fewer
 * of each ---- */

/* How much of something a test does: `whole`, or `brief` in the short form. */
static inline int unless_short(int whole, int brief)
{
    return getenv("CAROM_TEST_SHORT") == NULL ? whole : brief;
}

/* The same, with a third form, which scripts/test long selects. */
static inline int at_length(int longest, int whole, int brief)
{
    return getenv("CAROM_TEST_LONG") != NULL ? longest : unless_short(whole, brief);
}

/* Zeros; to be freed. */
static inline void *take(size_t bytes)
{
    void *memory = calloc(bytes, 1);
    assert_non_null(memory);
    return memory;
}

/* ---- owned objects: destroyed at the end of their block, in reverse order of declaration ---- */

/* OWNED(carom_worlds) *worlds = ...; of any type for which there is an end_TYPE(). */
#define OWNED(type) __attribute__((cleanup(end_##type))) type
#define OWNED_TEXT __attribute__((cleanup(end_text)))
#define FREED __attribute__((cleanup(end_memory)))

static inline void end_carom_worlds(carom_worlds **worlds)
{
    carom_worlds_destroy(*worlds);
}

static inline void end_carom_scene(carom_scene **scene)
{
    carom_scene_destroy(*scene);
}

static inline void end_carom_search(carom_search **search)
{
    carom_search_destroy(*search);
}

static inline void end_carom_gas(carom_gas **gas)
{
    carom_gas_destroy(*gas);
}

static inline void end_carom_recorder(carom_recorder **recorder)
{
    carom_recorder_destroy(*recorder);
}

static inline void end_carom_replay(carom_replay **replay)
{
    carom_replay_close(*replay);
}

static inline void end_text(char **text)
{
    carom_text_free(*text);
}

/* `at`: of a pointer to anything. */
static inline void end_memory(void *at)
{
    void *memory;
    memcpy(&memory, at, sizeof memory);
    free(memory);
}

/* ---- random numbers ---- */

/* The first seed: CAROM_TEST_SEED or `usual`; printed, so that a run can be repeated. */
static inline uint64_t test_seed(uint64_t usual)
{
    const char *given = getenv("CAROM_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : usual;
    print_message("CAROM_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* ---- instruction sets ---- */

/* Those that this machine runs; scalar first. main.c finds them. */
extern carom_isa isas[CAROM_ISA_COUNT];
extern size_t isa_count;

/* ---- batches ---- */

static inline void must(carom_status status, const char *what)
{
    if (status != CAROM_OK)
        fail_msg("%s: %s", what, carom_status_string(status));
}

static inline carom_worlds *make_worlds(const carom_worlds_desc *desc)
{
    carom_worlds *worlds = NULL;
    must(carom_worlds_create(desc, &worlds), "carom_worlds_create");
    return worlds;
}

/* The library's defaults, except for the given members that are not 0. */
#define STEP_WITH(...) step_with((carom_step){.size = sizeof(carom_step), __VA_ARGS__})
#define PLAY(worlds, ...) play_step(worlds, STEP_WITH(__VA_ARGS__)) /* which must be right */
#define WORLDS_DESC(of, ...) worlds_desc_of(of, (carom_worlds_desc){__VA_ARGS__})
#define MAKE_WORLDS(of, ...) make_worlds_of(of, (carom_worlds_desc){__VA_ARGS__})

static inline carom_step step_with(carom_step step)
{
    const carom_step usual = carom_step_default();
    step.ticks = step.ticks == 0 ? usual.ticks : step.ticks;
    step.repeat = step.repeat == 0 ? usual.repeat : step.repeat;
    step.at_end = usual.at_end;
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        if (step.players[p].source == (carom_source)0) {
            step.players[p].source = usual.players[p].source;
        }
    }
    return step;
}

static inline void play_worlds(carom_worlds *worlds, const carom_step *step)
{
    carom_problem problem = {""};
    const carom_status status = carom_worlds_play(worlds, step);
    if (status != CAROM_OK) {
        (void)carom_worlds_problem(worlds, &problem);
        fail_msg("carom_worlds_play: %s: %s", carom_status_string(status), problem.text);
    }
}

static inline void play_step(carom_worlds *worlds, carom_step step)
{
    play_worlds(worlds, &step);
}

static inline carom_worlds_desc worlds_desc_of(const carom_game *game, carom_worlds_desc desc)
{
    const carom_worlds_desc usual = carom_worlds_desc_default(game);
    desc.size = usual.size;
    desc.game = game;
    desc.count = desc.count == 0 ? usual.count : desc.count;
    desc.precision = desc.precision == 0 ? usual.precision : desc.precision;
    return desc;
}

static inline carom_worlds *make_worlds_of(const carom_game *game, carom_worlds_desc desc)
{
    desc = worlds_desc_of(game, desc);
    return make_worlds(&desc);
}

static inline carom_scene *make_scene(const carom_scene_desc *desc)
{
    carom_scene *scene = NULL;
    carom_problem problem = {""};
    const carom_status status = carom_scene_create(desc, &scene, &problem);
    if (status != CAROM_OK) {
        fail_msg("carom_scene_create: %s: %s", carom_status_string(status), problem.text);
    }
    return scene;
}

static inline size_t find_kind(const carom_game *game, const char *name)
{
    size_t index = 0;
    must(carom_game_find_action_kind(game, name, &index), name);
    return index;
}

static inline size_t field_index(const carom_worlds *worlds, const char *name)
{
    size_t index = 0;
    must(carom_worlds_find_field(worlds, name, &index), name);
    return index;
}

/* One field of worlds [first, first + count), in its own type. */
static inline void get_field(const carom_worlds *worlds, const char *name, size_t first, size_t count, void *values)
{
    must(carom_worlds_get(worlds, field_index(worlds, name), first, count, values), name);
}

static inline void set_field(carom_worlds *worlds, const char *name, size_t first, size_t count, const void *values)
{
    must(carom_worlds_set(worlds, field_index(worlds, name), first, count, values), name);
}

/* ---- contacts, which are all numbers ---- */

#define CONTACT_NUMBERS (sizeof(carom_contact) / sizeof(double))

static inline double contact_number(const carom_contact *contact, size_t k)
{
    double number;
    memcpy(&number, (const unsigned char *)contact + k * sizeof number, sizeof number);
    return number;
}

/* The first number in which they differ, or CONTACT_NUMBERS. */
static inline size_t contact_difference(const carom_contact *a, const carom_contact *b)
{
    size_t k = 0;
    while (k < CONTACT_NUMBERS && contact_number(a, k) == contact_number(b, k))
        k++;
    return k;
}

static inline uint64_t digest_of(const carom_worlds *worlds)
{
    uint64_t digest = 0;
    OK(carom_worlds_digest(worlds, &digest));
    return digest;
}

#endif
