/* SPDX-License-Identifier: MIT
 * Tests of kernel/worlds: hashes and digests, save and load, and what surrounds a call: rounding, fork(). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* alarm, fork */
#endif

#include <fenv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "child.h"
#include "tests/games/toy.h"

/* ---- hash ---- */

TEST(test_hash_canonical)
{
    for (int f64 = 0; f64 < 2; ++f64) {
        const carom_worlds_desc desc = toy_desc(4, f64 ? CAROM_F64 : CAROM_F32);
        OWNED(carom_worlds) *worlds = make(&desc);
        const uint64_t f64_bits[4] = {0, UINT64_C(1) << 63, UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000001)};
        const uint32_t f32_bits[4] = {0, UINT32_C(1) << 31, UINT32_C(0x7fc00000), UINT32_C(0xffc00001)};
        uint64_t hashes[4];
        for (size_t i = 0; i < 4; ++i) {
            const void *bits = f64 ? (const void *)&f64_bits[i] : &f32_bits[i];
            assert_int_equal(carom_worlds_set(worlds, HEAT, 2, 1, bits), CAROM_OK);
            hashes[i] = hash_of(worlds, 2);
        }
        assert_true(hashes[0] == hashes[1] && hashes[2] == hashes[3] && hashes[0] != hashes[2]);
    }
}

/* The hash covers state and parameters only. */
TEST(test_hash_fields)
{
    OWNED(carom_worlds) *worlds = make_toys(16);
    toy_f64 *tile = carom_worlds_tile(worlds, 0);
    for (size_t i = 0; i < FIELDS; ++i) {
        const carom_field *field = &worlds->layout.fields[i];
        for (size_t byte = 0; byte < field_bytes(field); ++byte) {
            unsigned char *at = (unsigned char *)field_at(field, tile, 3) +
                                byte / field->bytes * field_stride(&worlds->layout, field) + byte % field->bytes;
            const uint64_t hash = hash_of(worlds, 3), neighbour = hash_of(worlds, 4);
            *at ^= 1;
            const bool same = hash == hash_of(worlds, 3);
            assert_int_equal(same, field->role == CAROM_ROLE_IDENTITY || field->role == CAROM_ROLE_DERIVED);
            assert_true(neighbour == hash_of(worlds, 4));
            *at ^= 1;
        }
    }
}

TEST(test_digest)
{
    enum { N = 5000 };
    carom_worlds_desc desc = toy_desc(N, CAROM_F64);
    FREED uint64_t *hashes = calloc((size_t)2 * N, sizeof *hashes);
    FREED size_t *order = calloc(N, sizeof *order);
    assert_true(hashes && order);
    OWNED(carom_worlds) *whole = make(&desc);
    const uint64_t digest = digest_of(whole);
    assert_int_equal(carom_worlds_hash(whole, 0, N, hashes), CAROM_OK);

    const unsigned threads[] = {1, 2, 7};
    for (int t = 0; t < 3; ++t) {
        desc.threads = threads[t];
        OWNED(carom_worlds) *again = make(&desc);
        assert_true(digest == digest_of(again));
        assert_int_equal(carom_worlds_hash(again, 3, N - 3, hashes + N + 3), CAROM_OK);
        assert_memory_equal(hashes + 3, hashes + N + 3, (N - 3) * sizeof *hashes);
    }

    const size_t cuts[] = {0, 1, 17, 2000, N};
    uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
        carom_worlds_desc part = desc;
        part.first_id = desc.first_id + cuts[i];
        part.count = cuts[i + 1] - cuts[i];
        OWNED(carom_worlds) *shard = make(&part);
        sum += digest_of(shard);
    }
    assert_true(sum == digest);

    for (size_t i = 0; i < N; ++i) {
        order[i] = i * 1999 % N;
    }
    OWNED(carom_worlds) *permuted = make(&desc);
    assert_int_equal(carom_worlds_copy(permuted, order, whole, NULL, N), CAROM_OK);
    assert_true(digest == digest_of(permuted));
    assert_true(hash_of(permuted, order[5]) == hash_of(whole, 5));

    /* The same states under other ids are another batch. */
    const int32_t swapped[4] = {101, 0, 100, 0};
    assert_int_equal(carom_worlds_set(whole, FIELD_id, 0, 2, swapped), CAROM_OK);
    assert_true(digest != digest_of(whole));
}

/* ---- save and load ---- */

TEST(test_save_and_load)
{
    const size_t counts[] = {1, 16, 21, 3000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        OWNED(carom_worlds) *worlds = make_toys(counts[i]);
        const int32_t tick = 9;
        const double heat = -0.0;
        assert_int_equal(carom_worlds_set(worlds, FIELD_tick, counts[i] - 1, 1, &tick), CAROM_OK);
        assert_int_equal(carom_worlds_set(worlds, HEAT, 0, 1, &heat), CAROM_OK);
        worlds->counters = (carom_counters){1, 2, 3, UINT64_MAX, 5};

        /* More room than needed is fine, and stays as it was. */
        const size_t size = carom_worlds_save_size(worlds);
        unsigned char *buffer = malloc(size + 8);
        assert_non_null(buffer);
        memset(buffer, 0xa5, size + 8);
        assert_int_equal(carom_worlds_save(worlds, buffer, size - 1), CAROM_ERROR_SIZE);
        assert_int_equal(buffer[0], 0xa5);
        assert_int_equal(carom_worlds_save(worlds, buffer, size + 8), CAROM_OK);
        for (size_t byte = size; byte < size + 8; ++byte) {
            assert_int_equal(buffer[byte], 0xa5);
        }

        carom_worlds_desc desc = toy_desc(counts[i], CAROM_F64);
        desc.seed = 12;
        desc.first_id = 7;
        desc.threads = 3;
        OWNED(carom_worlds) *other = make(&desc);
        assert_int_equal(carom_worlds_load(other, buffer, size + 8), CAROM_ERROR_FORMAT);
        assert_int_equal(carom_worlds_load(other, buffer, size), CAROM_OK);
        assert_same_state(worlds, other);
        assert_true(digest_of(worlds) == digest_of(other));
        assert_int_equal(carom_worlds_describe(other).seed, 11);
        assert_int_equal(carom_worlds_describe(other).first_id, 100);
        assert_true(carom_worlds_counters(other).goals == UINT64_MAX && carom_worlds_counters(other).faults == 5);
        OWNED(carom_worlds) *fresh = make_toys(counts[i]);
        assert_int_equal(carom_worlds_reset(other), CAROM_OK);
        assert_same_state(other, fresh);
        assert_sound(other);
        free(buffer);
    }
}

/* Loads a copy of `size` bytes, at the end of its own allocation, so that a sanitizer detects reads beyond it. */
static carom_status load_copy(carom_worlds *worlds, const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const carom_status status = carom_worlds_load(worlds, copy, size);
    free(copy);
    return status;
}

TEST(test_load_damaged)
{
    OWNED(carom_worlds) *worlds = make_toys(3), *target = make_toys(3), *untouched = make_toys(3);
    const int32_t tick = 4;
    assert_int_equal(carom_worlds_set(worlds, FIELD_tick, 1, 1, &tick), CAROM_OK);
    const size_t size = carom_worlds_save_size(worlds);
    unsigned char *buffer = save_of(worlds);
    for (size_t length = 0; length < size; ++length) {
        assert_int_equal(load_copy(target, buffer, length), CAROM_ERROR_FORMAT);
    }
    for (size_t bit = 0; bit < size * 8; ++bit) {
        buffer[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(carom_worlds_load(target, buffer, size), CAROM_ERROR_FORMAT);
        buffer[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    unsigned char *zeroes = save_of(worlds);
    memset(zeroes, 0, size);
    assert_int_equal(carom_worlds_load(target, zeroes, size), CAROM_ERROR_FORMAT);
    free(zeroes);

    /* A correct checksum over an invalid state: a pos that is not a number, in any world. */
    const double nan = (double)NAN;
    const size_t body = size - 8, record = RECORD(double);
    for (size_t world = 0; world < 3; ++world) {
        unsigned char *pos = buffer + body - (3 - world) * record + 19, kept[8];
        memcpy(kept, pos, 8);
        memcpy(pos, &nan, 8);
        uint64_t checksum = hash_bytes(3, buffer, body);
        memcpy(buffer + body, &checksum, 8);
        assert_int_equal(carom_worlds_load(target, buffer, size), CAROM_ERROR_FORMAT);
        memcpy(pos, kept, 8);
        checksum = hash_bytes(3, buffer, body);
        memcpy(buffer + body, &checksum, 8);
    }
    assert_same_state(target, untouched);
    assert_sound(target);
    assert_int_equal(load_copy(target, buffer, size), CAROM_OK); /* whole again */
    assert_same_state(target, worlds);
    free(buffer);
}

TEST(test_load_foreign)
{
    const toy_options salted = {5};
    carom_worlds_desc descs[4] = {toy_desc(6, CAROM_F64), toy_desc(6, CAROM_F32), toy_desc(7, CAROM_F64),
                                  toy_desc(6, CAROM_F64)};
    descs[3].options = &salted;
    carom_worlds *worlds[4];
    for (int i = 0; i < 4; ++i) {
        worlds[i] = make(&descs[i]);
    }
    for (int i = 0; i < 4; ++i) {
        unsigned char *buffer = save_of(worlds[i]);
        for (int j = 0; j < 4; ++j) {
            const carom_status status = carom_worlds_load(worlds[j], buffer, carom_worlds_save_size(worlds[i]));
            assert_int_equal(status, i == j ? CAROM_OK : CAROM_ERROR_FORMAT);
        }
        free(buffer);
    }
    for (int i = 0; i < 4; ++i) {
        carom_worlds_destroy(worlds[i]);
    }
}

/* ---- surroundings ---- */

/* Derived fields do not depend on the caller's rounding. */
TEST(test_rounding)
{
    NOT_ON_WEB(); /* rounds to nearest only */
    OWNED(carom_worlds) *worlds = make_toys(2);
    const double pos[3] = {1.0, 0x1p-60, 0.0};
    double sum = 0;
    assert_int_equal(fesetround(FE_UPWARD), 0);
    const carom_status status = carom_worlds_set(worlds, POS, 1, 1, pos);
    const int rounding = fegetround();
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    assert_int_equal(status, CAROM_OK);
    assert_int_equal(rounding, FE_UPWARD);
    assert_int_equal(carom_worlds_get(worlds, SUM, 1, 1, &sum), CAROM_OK);
    assert_true(sum == 1.0);
}

/* A child of fork() continues alone after its parent used threads, and gets the same. */
TEST(test_fork_process)
{
    NEEDS_FORK();
    carom_worlds_desc desc = toy_desc(5000, CAROM_F64);
    desc.threads = 4;
    OWNED(carom_worlds) *worlds = make(&desc);
    const uint64_t digest = digest_of(worlds);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(CHILD_SECONDS);
        uint64_t old = 0, made = 0;
        carom_worlds *fresh = NULL;
        const bool good = carom_worlds_digest(worlds, &old) == CAROM_OK && old == digest &&
                          carom_worlds_create(&desc, &fresh) == CAROM_OK &&
                          carom_worlds_digest(fresh, &made) == CAROM_OK && made == digest;
        _exit(good ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(digest == digest_of(worlds));
}
