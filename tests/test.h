/* SPDX-License-Identifier: MIT
 * What all tests begin with: cmocka, the library, the lengths of tests, random numbers, instruction sets, batches and
 * their fields.
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

#ifndef CAROM_TEST_DATA
#define CAROM_TEST_DATA "tests/data"
#endif

#define OK(call) assert_int_equal(call, CAROM_OK)

/* ---- the short form, which scripts/test asks for where machines are emulated or every access is checked: the same
 * cases of every kind, fewer of each ---- */

/* How much of something a test does: `whole`, or `brief` in the short form. */
static inline int unless_short(int whole, int brief)
{
    return getenv("CAROM_TEST_SHORT") == NULL ? whole : brief;
}

/* The same, with a third form, which scripts/test long asks for. */
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

/* ---- random numbers: splitmix64 ---- */

static inline uint64_t rng_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A whole number in [0, n). */
static inline int rng_below(uint64_t *state, int n)
{
    return (int)(rng_next(state) >> 33) % n;
}

static inline bool rng_one_in(uint64_t *state, int n)
{
    return rng_below(state, n) == 0;
}

static inline double rng_in(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(rng_next(state) >> 11) * 0x1p-53);
}

/* ---- instruction sets ---- */

/* Those that this machine runs; scalar first. */
static inline size_t usable_isas(carom_isa isas[CAROM_ISA_COUNT])
{
    size_t count = 0;
    for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++)
        if (carom_isa_usable((carom_isa)isa))
            isas[count++] = (carom_isa)isa;
    return count;
}

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

/* A batch of that game; members of carom_worlds_desc that are not given are the defaults. */
#define MAKE_WORLDS(of, ...) make_worlds_of(of, (carom_worlds_desc){__VA_ARGS__})

static inline carom_worlds *make_worlds_of(const carom_game *game, carom_worlds_desc desc)
{
    const carom_worlds_desc usual = carom_worlds_desc_default(game);
    desc.size = usual.size;
    desc.game = game;
    desc.count = desc.count == 0 ? usual.count : desc.count;
    desc.precision = desc.precision == 0 ? usual.precision : desc.precision;
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

#endif
