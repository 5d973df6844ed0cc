/* SPDX-License-Identifier: MIT
 * Tests of kernel/base: words, memory, floating-point environment, threads, random numbers, hashes, byte
 * order. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* alarm, fork */
#endif

#include "test.h"

#include <fenv.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fpenv.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "child.h"

/* ---- words ---- */

TEST(test_words)
{
    for (int i = 0; i <= CAROM_ERROR_CANCELLED; ++i) {
        const char *words = carom_status_string((carom_status)i);
        assert_non_null(words);
        assert_true(strlen(words) > 5);
        for (int j = 0; j < i; ++j) {
            assert_string_not_equal(words, carom_status_string((carom_status)j));
        }
    }
    char version[32];
    (void)snprintf(version, sizeof version, "%d.%d.%d", CAROM_VERSION_MAJOR, CAROM_VERSION_MINOR, CAROM_VERSION_PATCH);
    assert_string_equal(carom_version(), version);
    assert_true(strlen(carom_build_info()) > 0);
    assert_null(strchr(carom_build_info(), '\n'));
}

/* ---- memory ---- */

TEST(test_memory_blocks)
{
    const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 100000, (size_t)9 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        unsigned char *block = carom_memory_take(sizes[i]);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % MEMORY_ALIGNMENT, 0);
        for (size_t byte = 0; byte < sizes[i]; ++byte) {
            assert_int_equal(block[byte], 0);
            block[byte] = 0xff;
        }
        carom_memory_release(block);
    }
    carom_memory_release(NULL);
}

TEST(test_memory_refused)
{
    const size_t available = carom_memory_available();
    assert_true(available > 0);
    assert_null(carom_memory_take(SIZE_MAX));
    assert_null(carom_memory_take(SIZE_MAX - 64));
    assert_null(carom_memory_take(SIZE_MAX / 2));
    if (available < SIZE_MAX / 2) {
        assert_null(carom_memory_take(available + available / 10));
    }
}

TEST(test_sizes)
{
    size_t result;
    assert_true(size_multiply(3, 5, &result) && result == 15);
    assert_false(size_multiply(SIZE_MAX / 2, 3, &result));
    assert_true(size_add(SIZE_MAX - 1, 1, &result) && result == SIZE_MAX);
    assert_false(size_add(SIZE_MAX, 1, &result));
    assert_true(size_align(0, &result) && result == 0);
    assert_true(size_align(1, &result) && result == 64);
    assert_true(size_align(64, &result) && result == 64);
    assert_false(size_align(SIZE_MAX, &result));
}

/* ---- floating-point environment ---- */

/* Through volatile and out of line, so that the arithmetic happens here and now. */
__attribute__((noinline)) static bool rounds_to_nearest(void)
{
    volatile double one = 1.0, tiny = 0x1p-60;
    volatile double up = one + tiny, down = -one - tiny;
    return up == 1.0 && down == -1.0;
}

__attribute__((noinline)) static bool keeps_denormals(void)
{
    volatile double least = 0x1p-1022, half = 0.5;
    volatile double result = least * half;
    return result > 0.0;
}

/* Sets flush-to-zero as well where there is a way. */
static void disturb(void)
{
    assert_int_equal(fesetround(FE_UPWARD), 0);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" ::"r"(control | (UINT64_C(1) << 24)));
#endif
}

static bool is_disturbed(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    if (keeps_denormals()) {
        return false;
    }
#endif
    return fegetround() == FE_UPWARD && !rounds_to_nearest();
}

static void calm(void)
{
    assert_int_equal(fesetenv(FE_DFL_ENV), 0);
}

TEST(test_environment)
{
    disturb();
    assert_true(is_disturbed());
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    const fp_environment caller = fp_begin();
    const bool nearest = rounds_to_nearest(), denormals = keeps_denormals();
    volatile double zero = 0.0;
    volatile double none = zero / zero; /* raises FE_INVALID */
    fp_end(caller);
    const int flags = fetestexcept(FE_DIVBYZERO | FE_INVALID);
    const bool restored = is_disturbed();
    calm();
    assert_true(none != none);
    assert_true(nearest);
    assert_true(denormals);
    assert_int_equal(flags, FE_DIVBYZERO);
    assert_true(restored);
}

/* ---- threads ---- */

enum { ITEMS = 1000 };

typedef struct tally {
    atomic_int seen[ITEMS];
    atomic_int wrong;
    unsigned threads;
} tally;

static void count_item(void *argument, size_t item, unsigned thread)
{
    tally *counts = argument;
    atomic_fetch_add(&counts->seen[item], 1);
    if (thread >= (counts->threads ? counts->threads : 1) || !rounds_to_nearest() || !keeps_denormals()) {
        atomic_fetch_add(&counts->wrong, 1);
    }
}

static bool covers(unsigned threads, size_t items)
{
    tally counts = {.threads = threads};
    carom_parallel_for(threads, NULL, items, count_item, &counts);
    bool right = atomic_load(&counts.wrong) == 0;
    for (size_t i = 0; i < ITEMS; ++i) {
        right &= atomic_load(&counts.seen[i]) == (i < items);
    }
    return right;
}

static bool child_covers(void)
{
    return covers(4, ITEMS) && carom_threads() >= 1 && covers(4, 7);
}

/* First of the tests that go parallel. */
TEST(test_fork_before)
{
    assert_child(child_covers);
}

TEST(test_parallel)
{
    const unsigned threads[] = {0, 1, 2, 7, 1000000};
    const size_t items[] = {0, 1, 2, 6, ITEMS};
    assert_true(carom_threads() >= 1);
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; ++t) {
        for (size_t n = 0; n < sizeof items / sizeof items[0]; ++n) {
            if (threads[t] <= 7 || items[n] <= 6) { /* a million threads are capped by few items */
                assert_true(covers(threads[t], items[n]));
            }
        }
    }
    disturb();
    const bool covered = covers(2, ITEMS) && covers(1, ITEMS);
    const bool restored = is_disturbed();
    calm();
    assert_true(covered);
    assert_true(restored);
}

static void cover_inside(void *argument, size_t item, unsigned thread)
{
    (void)item;
    (void)thread;
    atomic_int *wrong = argument;
    if (!covers(3, 10)) {
        atomic_fetch_add(wrong, 1);
    }
}

TEST(test_nested)
{
    atomic_int wrong = 0;
    carom_parallel_for(2, NULL, 20, cover_inside, &wrong);
    assert_int_equal(atomic_load(&wrong), 0);
}

TEST(test_fork_after)
{
    assert_true(covers(4, ITEMS));
    assert_child(child_covers);
    assert_true(covers(4, ITEMS));
}

/* ---- random numbers and hashes ---- */

/* The known answers that Random123, the authors' own code, publishes. */
TEST(test_philox)
{
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        uint32_t counter[4];
        memcpy(counter, known[i].counter, sizeof counter);
        philox4x32(counter, known[i].key);
        assert_memory_equal(counter, known[i].answer, sizeof counter);
    }
}

static bool same_key(philox_key a, philox_key b)
{
    return a.key[0] == b.key[0] && a.key[1] == b.key[1];
}

TEST(test_keys)
{
    for (uint64_t i = 0; i < 64; ++i) {
        assert_false(same_key(philox_key_of(0, 0), philox_key_of(UINT64_C(1) << i, 0)));
        assert_false(same_key(philox_key_of(0, 0), philox_key_of(0, UINT64_C(1) << i)));
        assert_false(same_key(philox_key_of(i, i + 1), philox_key_of(i + 1, i)));
    }
}

TEST(test_streams)
{
    random_stream one = random_begin(5, 6, 1, 0), again = random_begin(5, 6, 1, 0), other = random_begin(5, 6, 1, 1);
    unsigned equal = 0;
    for (int i = 0; i < 1000; ++i) {
        const uint32_t word = random_word(&one);
        assert_int_equal(word, random_word(&again));
        equal += word == random_word(&other);
    }
    assert_true(equal < 2);

    /* Each of 13 values about 1000 times: a standard deviation is 30. */
    unsigned counts[13] = {0};
    for (int i = 0; i < 13000; ++i) {
        const uint32_t value = random_below(&one, 13);
        assert_true(value < 13);
        ++counts[value];
    }
    for (int i = 0; i < 13; ++i) {
        assert_in_range(counts[i], 800, 1200);
    }
    /* Just above half of the words: nearly every second is rejected. */
    uint64_t sum = 0;
    const uint32_t n = 0x80000001;
    for (int i = 0; i < 4096; ++i) {
        const uint32_t value = random_below(&one, n);
        assert_true(value < n);
        sum += value;
    }
    assert_in_range(sum / 4096, n / 2 - n / 32, n / 2 + n / 32);
    assert_int_equal(random_below(&one, 1), 0);
}

TEST(test_hash)
{
    assert_int_equal(hash_canonical_f64(UINT64_C(0x8000000000000000)), 0);
    assert_int_equal(hash_canonical_f64(UINT64_C(0xfff8000000000001)),
                     hash_canonical_f64(UINT64_C(0x7ff0000000000001)));
    assert_int_equal(hash_canonical_f64(UINT64_C(0xfff0000000000000)), UINT64_C(0xfff0000000000000));
    assert_int_equal(hash_canonical_f64(1), 1);
    assert_int_equal(hash_canonical_f32(0x80000000), 0);
    assert_int_equal(hash_canonical_f32(0xff800001), hash_canonical_f32(0x7fc12345));
    assert_int_equal(hash_canonical_f32(0xff800000), 0xff800000);
    assert_int_equal(hash_canonical_f32(0x80000001), 0x80000001);

    /* No two of: every length of zeroes, every single bit of 40 bytes, that bit and the same one of the next word. */
    unsigned char bytes[40] = {0};
    uint64_t hashes[41 + 320 + 256];
    size_t n = 0;
    for (size_t length = 0; length <= sizeof bytes; ++length) {
        hashes[n++] = hash_bytes(0, bytes, length);
    }
    for (unsigned bit = 0; bit < 320; ++bit) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        hashes[n++] = hash_bytes(0, bytes, sizeof bytes);
        if (bit < 256) {
            bytes[bit / 8 + 8] ^= (unsigned char)(1u << bit % 8);
            hashes[n++] = hash_bytes(0, bytes, sizeof bytes);
        }
        memset(bytes, 0, sizeof bytes);
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            assert_true(hashes[i] != hashes[j]);
        }
    }
}

/* Numbers as little-endian bytes, on machines of both byte orders. */
TEST(test_little)
{
    const double real = 1.5;
    const int16_t shorts[5] = {1, -2, 3, 4, 5};
    const unsigned char real_bytes[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
    const unsigned char short_bytes[10] = {1, 0, 0xfe, 0xff, 3, 0, 4, 0, 5, 0};
    const little_part parts[] = {{8, 1}, {2, 5}};
    unsigned char bytes[18], numbers[18];
    double again;

    little_copy(bytes, &real, 1, sizeof real);
    assert_memory_equal(bytes, real_bytes, sizeof real_bytes);
    little_copy(&again, bytes, 1, sizeof again);
    assert_true(again == real);
    little_copy(bytes, shorts, 5, sizeof shorts[0]);
    assert_memory_equal(bytes, short_bytes, sizeof short_bytes);

    memcpy(numbers, &real, sizeof real);
    memcpy(numbers + sizeof real, shorts, sizeof shorts);
    little_parts(bytes, numbers, parts, 2);
    assert_memory_equal(bytes, real_bytes, sizeof real_bytes);
    assert_memory_equal(bytes + 8, short_bytes, sizeof short_bytes);

    assert_int_equal(little_read(short_bytes + 2, 3), 0x03fffe);
    assert_int_equal(number_bits(&shorts[1], 2), 0xfffe);
    int32_t whole = 0;
    number_put(&whole, 77, sizeof whole);
    assert_int_equal(whole, 77);

    /* The hash of numbers is that of their bytes. The first of four numbers is the lowest part of their word. */
    uint64_t word;
    for (size_t count = 0; count <= 5; ++count) {
        assert_int_equal(hash_array(9, shorts, count, 2), hash_bytes(9, short_bytes, 2 * count));
    }
    assert_int_equal(hash_end(hash_step(hash_step(hash_words(9, shorts, 4, 2), 0), 8)), hash_bytes(9, short_bytes, 8));
    memcpy(&word, shorts, sizeof word);
    assert_int_equal(little_order(word, 2), UINT64_C(0x00040003fffe0001));
}
