/* SPDX-License-Identifier: MIT
 * The processors that a call is limited to (kernel/base/affinity.c), for each threading backend: where its threads run,
 * that the caller's own set is restored, and which lists are refused. */
#define _GNU_SOURCE /* sched_getcpu */

#include "test.h"

#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"

typedef struct residence {
    const affinity *where;
    atomic_int wrong;   /* items that ran elsewhere, or on a thread that could have */
    atomic_uint helped; /* bits of the threads that took part */
} residence;

static bool runs_on(const affinity *where)
{
    affinity now;
    const unsigned processor = (unsigned)sched_getcpu();
    const size_t bits = 8 * sizeof where->mask[0];
    carom_affinity_get(&now);
    return carom_affinity_equal(&now, where) && (where->mask[processor / bits] >> processor % bits & 1) != 0;
}

static void reside(void *argument, size_t item, unsigned thread)
{
    (void)item;
    residence *r = argument;
    atomic_fetch_or(&r->helped, 1u << thread);
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL); /* others come to help, and threads wake up where they may */
    if (!runs_on(r->where)) {
        atomic_fetch_add(&r->wrong, 1);
    }
}

/* Do all threads of a call keep to `where` (NULL: to `usual`), and does the caller come back? The threads that took
 * part are added to `helped`, as bits. */
static bool stays_at(unsigned threads, const affinity *where, const affinity *usual, unsigned *helped)
{
    residence r = {.where = where != NULL ? where : usual};
    carom_parallel_for(threads, where, 24, reside, &r);
    affinity after;
    carom_affinity_get(&after);
    *helped |= atomic_load(&r.helped);
    return atomic_load(&r.wrong) == 0 && carom_affinity_equal(&after, usual);
}

/* In a build with the pool: did a thread other than the caller take part? */
static bool had_help(unsigned threads, unsigned helped)
{
    return !(strcmp(THREADS_BY, "pool") == 0) || threads == 1 || helped > 1;
}

static bool keeps_to(unsigned threads, const affinity *where, const affinity *usual)
{
    unsigned helped = 0;
    return stays_at(threads, where, usual, &helped) && had_help(threads, helped);
}

typedef struct resident {
    affinity where, usual;
    bool good;
} resident;

static void *keep_to(void *argument)
{
    resident *r = argument;
    unsigned helped = 0;
    r->good = true;
    for (int i = 0; i < 10; ++i) {
        r->good = stays_at(3, &r->where, &r->usual, &helped) && r->good;
    }
    /* Two callers share the workers: one call may go without help, but not all of them. */
    r->good = r->good && had_help(3, helped);
    return NULL;
}

/* A set of one processor, the first (or last) on which this thread may run. */
static affinity one_processor(bool last)
{
    affinity all, one = {{0}};
    carom_affinity_get(&all);
    unsigned found = AFFINITY_PROCESSORS;
    const unsigned bits = 8 * sizeof all.mask[0];
    for (unsigned p = 0; p < AFFINITY_PROCESSORS; ++p) {
        if ((all.mask[p / bits] >> p % bits & 1) != 0 && (last || found == AFFINITY_PROCESSORS)) {
            found = p;
        }
    }
    assert_int_equal(carom_affinity_make(&found, 1, &one, NULL), CAROM_OK);
    return one;
}

static void reside_inside(void *argument, size_t item, unsigned thread)
{
    (void)item, (void)thread;
    const resident *r = argument;
    if (!keeps_to(1, &r->where, &r->usual)) {
        abort();
    }
}

TEST(test_processors)
{
    affinity usual;
    const affinity first = one_processor(false), last = one_processor(true);
    carom_affinity_get(&usual);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        for (int i = 0; i < 3; ++i) {
            assert_true(keeps_to(threads, &first, &usual));
            assert_true(keeps_to(threads, &last, &usual));
            assert_true(keeps_to(threads, NULL, &usual));
            assert_true(keeps_to(threads, &usual, &usual));
        }
    }

    /* A nested call has its own processors. */
    resident inner = {last, first, false};
    carom_parallel_for(3, &first, 9, reside_inside, &inner);

    /* Two callers, helped by the same threads. */
    resident residents[2] = {{first, usual, false}, {last, usual, false}};
    pthread_t callers[2];
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_create(&callers[i], NULL, keep_to, &residents[i]), 0);
    }
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_join(callers[i], NULL), 0);
        assert_true(residents[i].good);
    }
}

static bool lists_are_refused(void)
{
    const affinity first = one_processor(false);
    carom_affinity_set(&first);
    unsigned list[2] = {0, 0};
    const unsigned bits = 8 * sizeof first.mask[0];
    while ((first.mask[list[0] / bits] >> list[0] % bits & 1) == 0) {
        ++list[0];
    }
    carom_problem problem;
    bool good = carom_affinity_check(list, 1, &problem) == CAROM_OK;
    good = good && carom_affinity_check(NULL, 0, &problem) == CAROM_ERROR_ARGUMENT;
    good = good && carom_affinity_check(list, 0, NULL) == CAROM_ERROR_ARGUMENT;

    list[1] = list[0];
    good = good && carom_affinity_check(list, 2, &problem) == CAROM_ERROR_VALUE;
    good = good && strstr(problem.text, "twice") != NULL;

    /* Neighbours that this thread may not use, and processors that no machine has. */
    const unsigned others[] = {list[0] + 1, AFFINITY_PROCESSORS, (unsigned)-1};
    for (size_t i = 0; i < 3; ++i) {
        char number[16], allowed[16];
        snprintf(number, sizeof number, "%u ", others[i]);
        snprintf(allowed, sizeof allowed, "on %u", list[0]);
        list[1] = others[i];
        good = good && carom_affinity_check(list, 2, &problem) == CAROM_ERROR_VALUE;
        good = good && strstr(problem.text, number) != NULL && strstr(problem.text, allowed) != NULL;
    }
    return good;
}

TEST(test_processors_refused)
{
    assert_child(lists_are_refused);
}
