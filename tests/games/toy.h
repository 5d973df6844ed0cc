/* SPDX-License-Identifier: MIT
 * A game for the tests of kernel/worlds with a field of every type and role and nothing else, and shorthands for
 * batches of it. Include cmocka.h first. */
#ifndef CAROM_TESTS_GAMES_TOY_H
#define CAROM_TESTS_GAMES_TOY_H

#include "test.h"

#include "base/random.h"
#include "worlds/layout.h"

/* ---- the game ---- */

/* Its tile, in the layout that worlds/fields.c must produce. */
#define TOY_TILE(name, real)                                                                                           \
    typedef struct name {                                                                                              \
        _Alignas(64) real pos[3][CAROM_TILE];                                                                          \
        real heat[CAROM_TILE];                                                                                         \
        real sum[CAROM_TILE];                                                                                          \
        int32_t id[2][CAROM_TILE];                                                                                     \
        int32_t episode[CAROM_TILE];                                                                                   \
        int32_t tick[CAROM_TILE];                                                                                      \
        int32_t big[2][CAROM_TILE];                                                                                    \
        int16_t mid[3][CAROM_TILE];                                                                                    \
        int16_t twice[CAROM_TILE];                                                                                     \
        int8_t end[CAROM_TILE];                                                                                        \
        int8_t fault[CAROM_TILE];                                                                                      \
        int8_t frozen[CAROM_TILE];                                                                                     \
        int8_t kind[2][CAROM_TILE];                                                                                    \
    } name
TOY_TILE(toy_f64, double);
TOY_TILE(toy_f32, float);

static const field_spec toy_fields[] = {
    {"pos", CAROM_TYPE_REAL, CAROM_ROLE_STATE, 3},      /* finite */
    {"mid", CAROM_TYPE_INT16, CAROM_ROLE_STATE, 3},     /* in [-1000, 1000] */
    {"kind", CAROM_TYPE_INT8, CAROM_ROLE_PARAMETER, 2}, /* in [0, 100) */
    {"heat", CAROM_TYPE_REAL, CAROM_ROLE_STATE, 1},     /* anything, NaN included */
    {"sum", CAROM_TYPE_REAL, CAROM_ROLE_DERIVED, 1},    /* (pos[0] + pos[1]) + pos[2] */
    {"big", CAROM_TYPE_INT32, CAROM_ROLE_STATE, 2},     /* anything */
    {"twice", CAROM_TYPE_INT16, CAROM_ROLE_DERIVED, 1}, /* 2 * mid[0] */
};

enum { POS = FIELD_COMMON, MID, KIND, HEAT, SUM, BIG, TWICE, FIELDS };

/* Bytes of a record: id, episode, tick, end, fault, frozen; pos and heat; mid, kind, big. */
#define RECORD(real) (16u + 3u + 4u * (unsigned)sizeof(real) + 6u + 2u + 8u)

/* The options, and the context made from them. */
typedef struct toy_options {
    int salt; /* not negative */
} toy_options;

static inline const toy_options *options_of(const carom_worlds_desc *desc)
{
    static const toy_options none = {0};
    return desc->options ? desc->options : &none;
}

static inline size_t toy_context_bytes(const carom_worlds_desc *desc)
{
    return options_of(desc)->salt < 0 ? 0 : sizeof(toy_options);
}

static inline carom_status toy_context_create(const carom_worlds_desc *desc, void **context)
{
    if (options_of(desc)->salt < 0) {
        return CAROM_ERROR_VALUE;
    }
    toy_options *made = malloc(sizeof *made);
    if (!made) {
        return CAROM_ERROR_MEMORY;
    }
    *made = *options_of(desc);
    *context = made;
    return CAROM_OK;
}

static inline uint64_t toy_context_hash(const void *context)
{
    return (uint64_t)((const toy_options *)context)->salt;
}

/* Written once for both precisions. */
#define TOY_LANES(suffix, tile_type, real)                                                                             \
    static inline void start_##suffix(const void *context, uint64_t seed, void *any, unsigned lane)                    \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        tile_type *tile = any;                                                                                         \
        const uint64_t id = (uint32_t)tile->id[0][lane] | (uint64_t)(uint32_t)tile->id[1][lane] << 32;                 \
        random_stream stream = random_begin(seed, id, 1, (uint32_t)tile->episode[lane]);                               \
        for (int i = 0; i < 3; ++i) {                                                                                  \
            tile->pos[i][lane] = (real)random_below(&stream, 1000) / 8;                                                \
            tile->mid[i][lane] = (int16_t)random_below(&stream, 1000);                                                 \
        }                                                                                                              \
        tile->kind[0][lane] = (int8_t)random_below(&stream, 100);                                                      \
        tile->big[1][lane] = -7;                                                                                       \
    }                                                                                                                  \
    static inline bool check_##suffix(const void *context, const void *any, unsigned lane)                             \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        const tile_type *tile = any;                                                                                   \
        bool good = true;                                                                                              \
        for (int i = 0; i < 3; ++i) {                                                                                  \
            good = good && isfinite(tile->pos[i][lane]) && abs(tile->mid[i][lane]) <= 1000;                            \
        }                                                                                                              \
        for (int i = 0; i < 2; ++i) {                                                                                  \
            good = good && tile->kind[i][lane] >= 0 && tile->kind[i][lane] < 100;                                      \
        }                                                                                                              \
        return good;                                                                                                   \
    }                                                                                                                  \
    static inline void derive_##suffix(const void *context, void *any, unsigned lane)                                  \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        tile_type *tile = any;                                                                                         \
        tile->sum[lane] = (tile->pos[0][lane] + tile->pos[1][lane]) + tile->pos[2][lane];                              \
        tile->twice[lane] = (int16_t)(2 * tile->mid[0][lane]);                                                         \
    }                                                                                                                  \
    static const world_ops toy_ops_##suffix = {start_##suffix, check_##suffix, derive_##suffix};
TOY_LANES(f64, toy_f64, double)
TOY_LANES(f32, toy_f32, float)

static inline size_t toy_scratch_bytes(const carom_worlds_desc *desc)
{
    (void)desc;
    return 100;
}

static const world_type toy = {.name = "toy",
                               .fields = toy_fields,
                               .field_count = sizeof toy_fields / sizeof toy_fields[0],
                               .context_bytes = toy_context_bytes,
                               .context_create = toy_context_create,
                               .context_destroy = free,
                               .context_hash = toy_context_hash,
                               .ops = {&toy_ops_f32, &toy_ops_f64},
                               .scratch_bytes = toy_scratch_bytes};

/* ---- helpers ---- */

/* kernel/worlds only requires that a game starts with its world_type. */
static inline carom_worlds_desc toy_desc(size_t count, carom_precision precision)
{
    carom_worlds_desc desc = WORLDS_DESC((const carom_game *)(const void *)&toy, .count = count, .precision = precision,
                                         .seed = 11, .first_id = 100);
    return desc;
}

static inline carom_worlds *make(const carom_worlds_desc *desc)
{
    carom_worlds *worlds = NULL;
    assert_int_equal(carom_worlds_create(desc, &worlds), CAROM_OK);
    assert_non_null(worlds);
    return worlds;
}

static inline carom_worlds *make_toys(size_t count)
{
    const carom_worlds_desc desc = toy_desc(count, CAROM_F64);
    return make(&desc);
}

static inline uint64_t hash_of(const carom_worlds *worlds, size_t world)
{
    uint64_t hash = 0;
    assert_int_equal(carom_worlds_hash(worlds, world, 1, &hash), CAROM_OK);
    return hash;
}

static inline uint64_t id_of(const carom_worlds *worlds, size_t world)
{
    int32_t words[2];
    assert_int_equal(carom_worlds_get(worlds, FIELD_id, world, 1, words), CAROM_OK);
    return (uint32_t)words[0] | (uint64_t)(uint32_t)words[1] << 32;
}

static inline unsigned char *save_of(const carom_worlds *worlds)
{
    const size_t size = carom_worlds_save_size(worlds);
    unsigned char *buffer = malloc(size);
    assert_non_null(buffer);
    assert_int_equal(carom_worlds_save(worlds, buffer, size), CAROM_OK);
    return buffer;
}

static inline void assert_same_state(const carom_worlds *a, const carom_worlds *b)
{
    const size_t size = carom_worlds_save_size(a);
    assert_int_equal(size, carom_worlds_save_size(b));
    unsigned char *one = save_of(a), *other = save_of(b);
    assert_memory_equal(one, other, size);
    free(one);
    free(other);
}

/* Every world, and every lane beyond the last, is valid and has its derived fields; those lanes are frozen. */
static inline void assert_sound(const carom_worlds *worlds)
{
    assert_int_equal(worlds->desc.precision, CAROM_F64);
    for (size_t tile = 0; tile < worlds->tiles; ++tile) {
        const toy_f64 *data = carom_worlds_tile(worlds, tile);
        for (unsigned lane = 0; lane < CAROM_TILE; ++lane) {
            assert_true(carom_tile_check(worlds, data, lane));
            assert_true(data->sum[lane] == (data->pos[0][lane] + data->pos[1][lane]) + data->pos[2][lane]);
            assert_int_equal(data->twice[lane], 2 * data->mid[0][lane]);
            if (tile * CAROM_TILE + lane >= worlds->desc.count) {
                assert_int_equal(data->frozen[lane], 1);
                assert_int_equal(carom_tile_get_id(&worlds->layout, data, lane),
                                 worlds->desc.first_id + tile * CAROM_TILE + lane);
            }
        }
    }
}

#endif
