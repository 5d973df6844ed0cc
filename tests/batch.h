/* SPDX-License-Identifier: MIT
 * What the tests of every game share: random numbers, instruction sets, batches, their fields and whole worlds, the
 * short form of a test.
 */
#ifndef CAROM_TESTS_BATCH_H
#define CAROM_TESTS_BATCH_H

#include <carom/carom.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef CAROM_TEST_DATA
#define CAROM_TEST_DATA "tests/data"
#endif

/* ---- the short form ---- */

/* How much of something a test does: `whole`, or `brief` where machines are emulated or every access is checked. */
static inline int unless_short(int whole, int brief)
{
    return getenv("CAROM_TEST_SHORT") == NULL ? whole : brief;
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

/* ---- whole worlds ---- */

/* Where a world of the reference keeps a field, reals as doubles, and its size; NULL: nowhere. */
typedef void *world_member(void *world, const char *name, size_t *bytes);

#define RECORD_BYTES 4096

/* Between a record of either precision and a world of the reference. Records are not aligned. */
static inline void copy_record(const carom_worlds *worlds, world_member *member, void *world, unsigned char *record,
                               bool into_record)
{
    for (size_t f = 0; f < carom_worlds_field_count(worlds); f++) {
        carom_field field;
        size_t bytes = 0;
        must(carom_worlds_field(worlds, f, &field), "carom_worlds_field");
        void *const mine = member(world, field.name, &bytes);
        const bool floats = field.type == CAROM_TYPE_REAL && field.bytes == sizeof(float);
        for (size_t k = 0; mine != NULL && floats && k < field.count; k++) {
            unsigned char *const at = record + k * sizeof(float);
            double *const real = (double *)mine + k;
            float number;
            if (into_record) {
                number = (float)*real;
                memcpy(at, &number, sizeof number);
            } else {
                memcpy(&number, at, sizeof number);
                *real = (double)number;
            }
        }
        if (mine != NULL && !floats)
            memcpy(into_record ? record : mine, into_record ? mine : record, bytes);
        record += (size_t)field.count * field.bytes;
    }
}

static inline void get_world(const carom_worlds *worlds, size_t index, world_member *member, void *world)
{
    unsigned char record[RECORD_BYTES];
    const size_t size = carom_worlds_record_size(worlds);
    assert_true(size <= sizeof record);
    must(carom_worlds_get_world(worlds, index, record, size), "carom_worlds_get_world");
    copy_record(worlds, member, world, record, false);
}

/* All fields at once: one at a time would pass through states that a game does not allow. What the reference does not
 * keep stays as it is. */
static inline carom_status try_put_world(carom_worlds *worlds, size_t index, world_member *member, void *world)
{
    unsigned char record[RECORD_BYTES];
    const size_t size = carom_worlds_record_size(worlds);
    assert_true(size <= sizeof record);
    must(carom_worlds_get_world(worlds, index, record, size), "carom_worlds_get_world");
    copy_record(worlds, member, world, record, true);
    return carom_worlds_set_world(worlds, index, record, size);
}

#endif
