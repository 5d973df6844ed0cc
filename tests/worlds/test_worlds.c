/* SPDX-License-Identifier: MIT
 * Tests of kernel/worlds: creation, layout, fields, views, records, copy and fork. */

#include "base/memory.h"
#include "tests/games/toy.h"

/* ---- creation ---- */

TEST(test_layout)
{
#define ROW(name) {#name, offsetof(toy_f64, name), offsetof(toy_f32, name)}
    static const struct {
        const char *name;
        size_t f64, f32;
    } rows[FIELDS] = {ROW(id),  ROW(episode), ROW(tick), ROW(end), ROW(fault), ROW(frozen), ROW(pos),
                      ROW(mid), ROW(kind),    ROW(heat), ROW(sum), ROW(big),   ROW(twice)};
    for (int f64 = 0; f64 < 2; ++f64) {
        const carom_worlds_desc desc = toy_desc(1, f64 ? CAROM_F64 : CAROM_F32);
        OWNED(carom_worlds) *worlds = make(&desc);
        assert_int_equal(carom_worlds_field_count(worlds), FIELDS);
        for (size_t i = 0; i < FIELDS; ++i) {
            carom_field field;
            size_t found;
            assert_int_equal(carom_worlds_field(worlds, i, &field), CAROM_OK);
            assert_string_equal(field.name, rows[i].name);
            assert_int_equal(field.offset, f64 ? rows[i].f64 : rows[i].f32);
            assert_int_equal(carom_worlds_find_field(worlds, rows[i].name, &found), CAROM_OK);
            assert_int_equal(found, i);
        }
        assert_int_equal(worlds->layout.tile_bytes, f64 ? sizeof(toy_f64) : sizeof(toy_f32));
        assert_int_equal(carom_worlds_record_size(worlds), f64 ? RECORD(double) : RECORD(float));
        size_t none = 77;
        assert_int_equal(carom_worlds_find_field(worlds, "none", &none), CAROM_ERROR_ARGUMENT);
        assert_int_equal(none, 77);
    }
}

TEST(test_create)
{
    const size_t counts[] = {1, 15, 16, 17, 3000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        OWNED(carom_worlds) *worlds = make_toys(counts[i]);
        const carom_worlds_desc desc = carom_worlds_describe(worlds);
        assert_int_equal(carom_worlds_count(worlds), counts[i]);
        assert_int_equal(desc.count, counts[i]);
        assert_true(desc.threads >= 1);
        assert_true(desc.isa != CAROM_ISA_DEFAULT);
        assert_null(desc.options);
        assert_int_equal(worlds->tiles, (counts[i] + 15) / 16);
        assert_int_equal((uintptr_t)worlds->data % 64, 0);
        assert_int_equal((uintptr_t)worlds->scratch % 64, 0);
        assert_int_equal(worlds->scratch_bytes % 64, 0);
        assert_sound(worlds);
        for (size_t world = 0; world < counts[i]; ++world) {
            assert_int_equal(id_of(worlds, world), 100 + world);
        }
        unsigned bits = 77;
        assert_int_equal(carom_worlds_faults(worlds, &bits), 0);
        assert_int_equal(bits, 0);
        assert_int_equal(carom_worlds_counters(worlds).ticks, 0);
    }
}

/* tests/base/test_affinity.c finds out where threads run. */
TEST(test_affinity)
{
    NOT_ON_WEB(); /* has no threads */
    unsigned list[2];
    size_t found = 0;
    for (unsigned p = 0; p < 8192 && found < 2; ++p) {
        list[found] = p;
        found += carom_affinity_check(&p, 1, NULL) == CAROM_OK;
    }
    assert_in_range(found, 1, 2);

    carom_worlds_desc desc = toy_desc(40, CAROM_F64);
    desc.affinity = list;
    for (desc.affinity_count = 1; desc.affinity_count <= found; ++desc.affinity_count) {
        OWNED(carom_worlds) *worlds = make(&desc);
        const carom_worlds_desc made = carom_worlds_describe(worlds);
        assert_int_equal(made.threads, desc.affinity_count);
        assert_null(made.affinity);
        assert_int_equal(made.affinity_count, 0);
        assert_non_null(worlds->where);
        assert_int_equal(carom_affinity_count(worlds->where), desc.affinity_count);
        assert_true(carom_worlds_bytes(&desc) > 0);
    }
    desc.threads = 3;
    desc.affinity_count = 1;
    OWNED(carom_worlds) *worlds = make(&desc);
    assert_int_equal(carom_worlds_describe(worlds).threads, 3);
}

TEST(test_create_refused)
{
    const carom_worlds_desc good = toy_desc(3, CAROM_F64);
    const toy_options bad_options = {-1};
    const unsigned processors[] = {0, 1u << 31};
    carom_worlds_desc bad[15];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        bad[i] = good;
    }
    bad[0].size = 0;
    bad[1].size = sizeof bad[1] - 1;
    bad[2].game = NULL;
    bad[3].count = 0;
    bad[4].precision = (carom_precision)16;
    bad[5].precision = (carom_precision)0;
    bad[6].at_end = (carom_at_end)3;
    bad[7].isa = CAROM_ISA_COUNT;
    bad[8].isa = (carom_isa)-1;
    bad[9].options = &bad_options;
    bad[10].threads = CAROM_MAX_THREADS + 1;
    bad[11].threads = (unsigned)-1;
    bad[12].affinity = processors, bad[12].affinity_count = 2;
    bad[13].affinity = processors, bad[13].affinity_count = 0;
    bad[14].affinity = NULL, bad[14].affinity_count = 1;
    for (size_t i = 0; i < (ON_WEB ? 12 : sizeof bad / sizeof bad[0]); ++i) { /* there affinity is not supported */
        const carom_status expected = i < 7 || i > 12 ? CAROM_ERROR_ARGUMENT
                                      : i < 9         ? CAROM_ERROR_UNSUPPORTED
                                                      : CAROM_ERROR_VALUE;
        carom_worlds *worlds = (carom_worlds *)(uintptr_t)8;
        assert_int_equal(carom_worlds_create(&bad[i], &worlds), expected);
        assert_null(worlds);
        assert_int_equal(carom_worlds_bytes(&bad[i]), 0);
    }
    carom_worlds *worlds = (carom_worlds *)(uintptr_t)8;
    assert_int_equal(carom_worlds_create(NULL, &worlds), CAROM_ERROR_ARGUMENT);
    assert_null(worlds);
    assert_int_equal(carom_worlds_create(&good, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_bytes(NULL), 0);
    assert_in_range(carom_worlds_bytes(&good), sizeof(toy_f64), 1u << 24);
}

TEST(test_too_large)
{
    NOT_ON_WEB(); /* growing memory has no fixed size */
    const size_t counts[] = {SIZE_MAX,       SIZE_MAX - 15,   SIZE_MAX / 2,
                             SIZE_MAX / 300, SIZE_MAX / 1000, carom_memory_available() / sizeof(toy_f64) * 17};
    const size_t known = carom_memory_available() < SIZE_MAX ? 0 : 1; /* else only overflow can be detected */
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] - known; ++i) {
        const carom_worlds_desc desc = toy_desc(counts[i], CAROM_F64);
        carom_worlds *worlds = (carom_worlds *)(uintptr_t)8;
        assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_MEMORY);
        assert_null(worlds);
    }
    const carom_worlds_desc desc = toy_desc(SIZE_MAX, CAROM_F64);
    assert_int_equal(carom_worlds_bytes(&desc), 0);
}

TEST(test_reset)
{
    OWNED(carom_worlds) *worlds = make_toys(35), *fresh = make_toys(35);
    const size_t to[] = {0, 20, 34}, from[] = {5, 6, 7};
    const int32_t ticks[2] = {5, 6};
    assert_int_equal(carom_worlds_copy(worlds, to, worlds, from, 3), CAROM_OK);
    assert_int_equal(carom_worlds_set(worlds, FIELD_tick, 1, 2, ticks), CAROM_OK);
    worlds->counters.events = 3;
    assert_true(digest_of(worlds) != digest_of(fresh));
    assert_int_equal(carom_worlds_reset(worlds), CAROM_OK);
    assert_same_state(worlds, fresh);
    assert_sound(worlds);
    assert_int_equal(carom_worlds_counters(worlds).events, 0);
    assert_int_equal(carom_worlds_reset(NULL), CAROM_ERROR_ARGUMENT);
}

TEST(test_faults)
{
    OWNED(carom_worlds) *worlds = make_toys(20);
    const int8_t faults[2] = {CAROM_FAULT_EVENTS, CAROM_FAULT_RANGE};
    assert_int_equal(carom_worlds_set(worlds, FIELD_fault, 15, 2, faults), CAROM_OK);
    *(int8_t *)field_at(&worlds->layout.fields[FIELD_fault], carom_worlds_tile(worlds, 1), 4) = CAROM_FAULT_NAN;
    unsigned bits = 0;
    assert_int_equal(carom_worlds_faults(worlds, &bits), 2); /* lane 4 of tile 1 is padding */
    assert_int_equal(bits, CAROM_FAULT_EVENTS | CAROM_FAULT_RANGE);
    assert_int_equal(carom_worlds_faults(worlds, NULL), 2);
    assert_int_equal(carom_worlds_faults(NULL, &bits), 0);
    assert_int_equal(bits, 0);
}

/* ---- fields ---- */

TEST(test_get_and_set)
{
    OWNED(carom_worlds) *worlds = make_toys(40);
    double pos[20][3], back[20][3], sums[20];
    int16_t mid[20][3], mid_back[20][3];
    for (int w = 0; w < 20; ++w) {
        for (int e = 0; e < 3; ++e) {
            pos[w][e] = w * 10 + e + 0.5;
            mid[w][e] = (int16_t)(w - 3 * e);
        }
    }
    const uint64_t before = hash_of(worlds, 12), after = hash_of(worlds, 33);
    assert_int_equal(carom_worlds_set(worlds, POS, 13, 20, pos), CAROM_OK);
    assert_int_equal(carom_worlds_set(worlds, MID, 13, 20, mid), CAROM_OK);
    assert_int_equal(carom_worlds_get(worlds, POS, 13, 20, back), CAROM_OK);
    assert_int_equal(carom_worlds_get(worlds, MID, 13, 20, mid_back), CAROM_OK);
    assert_int_equal(carom_worlds_get(worlds, SUM, 13, 20, sums), CAROM_OK);
    assert_memory_equal(back, pos, sizeof pos);
    assert_memory_equal(mid_back, mid, sizeof mid);
    for (int w = 0; w < 20; ++w) {
        assert_true(sums[w] == pos[w][0] + pos[w][1] + pos[w][2]);
    }
    assert_true(before == hash_of(worlds, 12) && after == hash_of(worlds, 33));
    assert_sound(worlds);

    const carom_worlds_desc desc = toy_desc(3, CAROM_F32);
    OWNED(carom_worlds) *floats = make(&desc);
    const float given[6] = {1, 2, 3, 4, 5, 6};
    float got[6], sum;
    assert_int_equal(carom_worlds_set(floats, POS, 1, 2, given), CAROM_OK);
    assert_int_equal(carom_worlds_get(floats, POS, 1, 2, got), CAROM_OK);
    assert_int_equal(carom_worlds_get(floats, SUM, 2, 1, &sum), CAROM_OK);
    assert_memory_equal(got, given, sizeof got);
    assert_true(sum == 15);
}

TEST(test_set_refused)
{
    OWNED(carom_worlds) *worlds = make_toys(3000), *untouched = make_toys(3000);
    double *pos = calloc(9000, sizeof *pos);
    assert_non_null(pos);
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const size_t places[] = {0, 4500, 8999};
    for (int i = 0; i < 3; ++i) {
        pos[places[i]] = bad[i];
        assert_int_equal(carom_worlds_set(worlds, POS, 0, 3000, pos), CAROM_ERROR_VALUE);
        pos[places[i]] = 0;
    }
    free(pos);
    const int8_t kinds[2] = {3, 100}, end = 3, frozen[2] = {2, -1}, fault = 8;
    const int16_t mid[3] = {0, 1001, 0};
    const int32_t negative = -1;
    assert_int_equal(carom_worlds_set(worlds, KIND, 5, 1, kinds), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(worlds, MID, 5, 1, mid), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(worlds, FIELD_end, 5, 1, &end), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(worlds, FIELD_fault, 5, 1, &fault), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(worlds, FIELD_frozen, 5, 1, &frozen[0]), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(worlds, FIELD_frozen, 5, 1, &frozen[1]), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(worlds, FIELD_tick, 5, 1, &negative), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(worlds, FIELD_episode, 5, 1, &negative), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set(worlds, SUM, 5, 1, &bad), CAROM_ERROR_ARGUMENT);
    assert_same_state(worlds, untouched);
    assert_sound(worlds);
}

TEST(test_ranges)
{
    OWNED(carom_worlds) *worlds = make_toys(20);
    int32_t ticks[20] = {0};
    uint64_t hashes[20];
    static const struct {
        size_t first, count;
    } bad[] = {{0, 21}, {20, 1}, {21, 0}, {1, SIZE_MAX}, {SIZE_MAX, 1}, {SIZE_MAX, 2}, {SIZE_MAX - 1, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const size_t first = bad[i].first, count = bad[i].count;
        assert_int_equal(carom_worlds_get(worlds, FIELD_tick, first, count, ticks), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_worlds_set(worlds, FIELD_tick, first, count, ticks), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_worlds_hash(worlds, first, count, hashes), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_worlds_fork(worlds, first, count, worlds, 0), CAROM_ERROR_ARGUMENT);
    }
    assert_int_equal(carom_worlds_get(worlds, FIELDS, 0, 1, ticks), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_set(worlds, FIELDS, 0, 1, ticks), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get(worlds, FIELD_tick, 0, 1, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_set(worlds, FIELD_tick, 0, 1, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_hash(worlds, 0, 1, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_digest(worlds, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get(worlds, FIELD_tick, 20, 0, NULL), CAROM_OK);
    assert_int_equal(carom_worlds_set(worlds, FIELD_tick, 20, 0, NULL), CAROM_OK);
    assert_int_equal(carom_worlds_hash(worlds, 20, 0, NULL), CAROM_OK);
    assert_int_equal(carom_worlds_fork(worlds, 20, 0, worlds, 0), CAROM_OK);
}

TEST(test_null)
{
    OWNED(carom_worlds) *worlds = make_toys(1);
    carom_field field;
    carom_view view;
    size_t index;
    unsigned char bytes[8] = {0};
    uint64_t hash;
    assert_int_equal(carom_worlds_count(NULL), 0);
    assert_int_equal(carom_worlds_describe(NULL).size, 0);
    assert_int_equal(carom_worlds_field_count(NULL), 0);
    assert_int_equal(carom_worlds_record_size(NULL), 0);
    assert_int_equal(carom_worlds_save_size(NULL), 0);
    assert_int_equal(carom_worlds_counters(NULL).ticks, 0);
    assert_int_equal(carom_worlds_field(NULL, 0, &field), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_field(worlds, 0, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_field(worlds, FIELDS, &field), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_find_field(NULL, "id", &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_find_field(worlds, NULL, &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_find_field(worlds, "id", NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_view(NULL, 0, &view), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_view(worlds, 0, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_view(worlds, FIELDS, &view), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get(NULL, 0, 0, 1, bytes), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_set(NULL, 0, 0, 1, bytes), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get_world(NULL, 0, bytes, 8), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_set_world(NULL, 0, bytes, 8), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_copy(NULL, NULL, worlds, NULL, 1), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_copy(worlds, NULL, NULL, NULL, 1), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_fork(NULL, 0, 1, worlds, 0), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_fork(worlds, 0, 1, NULL, 0), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_hash(NULL, 0, 0, &hash), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_digest(NULL, &hash), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_save(NULL, bytes, 8), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_save(worlds, NULL, 8), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_load(NULL, bytes, 8), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_load(worlds, NULL, 8), CAROM_ERROR_ARGUMENT);
    carom_worlds_destroy(NULL);
}

TEST(test_views)
{
    OWNED(carom_worlds) *worlds = make_toys(37);
    for (size_t i = 0; i < FIELDS; ++i) {
        carom_field field;
        carom_view view;
        assert_int_equal(carom_worlds_field(worlds, i, &field), CAROM_OK);
        assert_int_equal(carom_worlds_view(worlds, i, &view), CAROM_OK);
        assert_int_equal(view.type, field.type);
        assert_int_equal(view.worlds, 37);
        assert_int_equal(view.elements, field.count);
        for (size_t w = 0; w < view.worlds; ++w) {
            unsigned char values[64];
            assert_int_equal(carom_worlds_get(worlds, i, w, 1, values), CAROM_OK);
            for (size_t e = 0; e < view.elements; ++e) {
                const char *at = (const char *)view.data + w / 16 * view.tile_stride + e * view.element_stride +
                                 w % 16 * view.lane_stride;
                assert_memory_equal(at, values + e * field.bytes, field.bytes);
            }
        }
    }
}

TEST(test_records)
{
    OWNED(carom_worlds) *worlds = make_toys(20), *other = make_toys(5);
    unsigned char record[RECORD(double)], back[RECORD(double)];
    const size_t size = sizeof record;
    assert_int_equal(carom_worlds_get_world(worlds, 18, record, size), CAROM_OK);
    assert_int_equal(carom_worlds_set_world(other, 3, record, size), CAROM_OK);
    assert_int_equal(carom_worlds_get_world(other, 3, back, size), CAROM_OK);
    assert_memory_equal(back, record, size);
    assert_int_equal(id_of(other, 3), 118);
    assert_true(hash_of(other, 3) == hash_of(worlds, 18));
    assert_sound(other);

    /* Table order, low word of the id first. */
    const int32_t head[4] = {118, 0, 0, 0};
    assert_memory_equal(record, head, sizeof head);

    const uint64_t digest = digest_of(other);
    memset(record + 19, 0xff, 8); /* pos[0]: NaN */
    assert_int_equal(carom_worlds_set_world(other, 2, record, size), CAROM_ERROR_VALUE);
    assert_int_equal(carom_worlds_set_world(other, 2, back, size - 1), CAROM_ERROR_SIZE);
    assert_int_equal(carom_worlds_set_world(other, 2, back, size + 1), CAROM_ERROR_SIZE);
    assert_int_equal(carom_worlds_get_world(other, 2, back, size - 1), CAROM_ERROR_SIZE);
    assert_int_equal(carom_worlds_set_world(other, 5, back, size), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get_world(other, 5, back, size), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_set_world(other, 0, NULL, size), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get_world(other, 0, NULL, size), CAROM_ERROR_ARGUMENT);
    assert_true(digest == digest_of(other));
}

/* ---- copy and fork ---- */

TEST(test_copy)
{
    enum { N = 100 };
    OWNED(carom_worlds) *src = make_toys(N), *dst = make_toys(N + 7), *fresh = make_toys(N + 7);
    carom_worlds_desc desc = toy_desc(N + 7, CAROM_F64);
    desc.first_id = 1000;
    OWNED(carom_worlds) *far = make(&desc);

    /* Lists: some runs of whole tiles, aligned and not, and single worlds. */
    size_t to[N], from[N];
    for (size_t i = 0; i < N; ++i) {
        to[i] = i < 40 ? i + 16 : i < 60 ? 106 - i : i - 60 + (i < 76 ? 0 : 41);
        from[i] = i < 40 ? i + 32 : (i * 37) % N;
    }
    uint64_t expected[N + 7], ids[N + 7];
    for (size_t w = 0; w < N + 7; ++w) {
        expected[w] = hash_of(far, w);
        ids[w] = id_of(far, w);
    }
    for (size_t i = 0; i < N; ++i) {
        expected[to[i]] = hash_of(src, from[i]);
        ids[to[i]] = 100 + from[i];
    }
    assert_int_equal(carom_worlds_copy(far, to, src, from, N), CAROM_OK);
    for (size_t w = 0; w < N + 7; ++w) {
        assert_true(expected[w] == hash_of(far, w));
        assert_int_equal(ids[w], id_of(far, w));
    }
    assert_sound(far);

    /* No lists: the first n. Padding lanes of src and dst stay apart. */
    assert_int_equal(carom_worlds_copy(dst, NULL, src, NULL, N), CAROM_OK);
    assert_same_state(dst, fresh);
    assert_sound(dst);
    assert_int_equal(carom_worlds_copy(dst, NULL, dst, NULL, N + 7), CAROM_OK);
    assert_same_state(dst, fresh);
    assert_int_equal(carom_worlds_copy(dst, NULL, dst, NULL, 0), CAROM_OK);

    /* The later one of two stays. */
    const size_t twice[] = {3, 3}, sources[] = {8, 9};
    assert_int_equal(carom_worlds_copy(dst, twice, src, sources, 2), CAROM_OK);
    assert_int_equal(id_of(dst, 3), 109);
}

TEST(test_copy_refused)
{
    const toy_options salted = {5};
    carom_worlds_desc desc = toy_desc(20, CAROM_F64);
    desc.options = &salted;
    OWNED(carom_worlds) *salty = make(&desc);
    desc = toy_desc(20, CAROM_F32);
    OWNED(carom_worlds) *floats = make(&desc);
    OWNED(carom_worlds) *worlds = make_toys(20), *untouched = make_toys(20), *small = make_toys(3);
    const size_t good[] = {1, 2}, bad[] = {1, 20}, worse[] = {1, SIZE_MAX};
    assert_int_equal(carom_worlds_copy(worlds, good, worlds, bad, 2), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_copy(worlds, bad, worlds, NULL, 2), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_copy(worlds, worse, worlds, good, 2), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_copy(worlds, NULL, small, NULL, 4), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_copy(small, NULL, worlds, NULL, 4), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_copy(worlds, NULL, salty, NULL, 4), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_copy(worlds, NULL, floats, NULL, 4), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_fork(worlds, 0, 4, salty, 4), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_fork(worlds, 0, 4, worlds, 20), CAROM_ERROR_ARGUMENT);
    assert_same_state(worlds, untouched);
}

TEST(test_fork_worlds)
{
    OWNED(carom_worlds) *worlds = make_toys(3000), *fresh = make_toys(3000), *src = make_toys(40);
    const size_t ranges[][2] = {{0, 3000}, {5, 3}, {15, 2}, {16, 16}, {7, 50}, {2990, 10}, {39, 1}};
    const size_t sources[] = {0, 6, 39};
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; ++r) {
        for (size_t s = 0; s < 6; ++s) {
            const carom_worlds *from = s < 3 ? worlds : src;
            assert_int_equal(carom_worlds_reset(worlds), CAROM_OK);
            const size_t first = ranges[r][0], n = ranges[r][1];
            const uint64_t hash = hash_of(from, sources[s % 3]);
            assert_int_equal(carom_worlds_fork(worlds, first, n, from, sources[s % 3]), CAROM_OK);
            for (size_t w = 0; w < 3000; ++w) {
                const bool forked = w >= first && w - first < n;
                assert_true(hash_of(worlds, w) == (forked ? hash : hash_of(fresh, w)));
                assert_int_equal(id_of(worlds, w), 100 + w);
            }
            assert_sound(worlds);
        }
    }
}

/* The functions of worlds.h for the layers above. */
TEST(test_tiles)
{
    OWNED(carom_worlds) *worlds = make_toys(16);
    toy_f64 tile;
    memset(&tile, 0, sizeof tile);
    carom_tile_broadcast(&worlds->layout, &tile, &worlds->layout, carom_worlds_tile(worlds, 0), 9);
    const toy_f64 *source = carom_worlds_tile(worlds, 0);
    for (unsigned lane = 0; lane < CAROM_TILE; ++lane) {
        assert_int_equal(carom_tile_get_id(&worlds->layout, &tile, lane), 109);
        assert_true(tile.pos[2][lane] == source->pos[2][9] && tile.mid[1][lane] == source->mid[1][9]);
        assert_true(tile.sum[lane] == source->sum[9] && tile.kind[0][lane] == source->kind[0][9]);
    }
    carom_tile_copy_lane(&worlds->layout, &tile, 4, &worlds->layout, source, 2);
    assert_int_equal(carom_tile_get_id(&worlds->layout, &tile, 4), 102);
    assert_int_equal(carom_tile_get_id(&worlds->layout, &tile, 5), 109);
    assert_true(tile.pos[2][4] == source->pos[2][2] && tile.sum[4] == source->sum[2]);
    carom_tile_set_id(&worlds->layout, &tile, 4, UINT64_C(0xfedcba9876543210));
    assert_true(carom_tile_get_id(&worlds->layout, &tile, 4) == UINT64_C(0xfedcba9876543210));
    carom_tile_freeze(&worlds->layout, &tile, 4);
    assert_true(tile.frozen[4] == 1 && tile.frozen[3] == 0 && tile.frozen[5] == 0);
}
