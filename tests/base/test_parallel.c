/* SPDX-License-Identifier: MIT
 * The two threading backends (kernel/base: pool.c, openmp.c; one program each) and their number of threads: fork() at
 * bad moments, many callers, few processors, the end of the program. alarm() ends a test that hangs. */
#define _GNU_SOURCE /* sched_setaffinity, mkdtemp */

#include "test.h"

#include "base/parallel.h"
#include "foreign_openmp.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { ITEMS = 1000 };

static bool is_pool(void)
{
    return strcmp(THREADS_BY, "pool") == 0;
}

/* ---- bodies ---- */

typedef struct tally {
    atomic_int seen[ITEMS];
    atomic_int wrong;
    unsigned threads;
} tally;

static void count_item(void *argument, size_t item, unsigned thread)
{
    tally *counts = argument;
    atomic_fetch_add(&counts->seen[item % ITEMS], 1);
    if (thread >= counts->threads || thread >= PARALLEL_MAX_THREADS || fegetround() != FE_TONEAREST) {
        atomic_fetch_add(&counts->wrong, 1);
    }
}

/* Is every item played once, many of them counted together, by a thread that there may be? */
static bool covers(unsigned threads, size_t items)
{
    FREED tally *counts = calloc(1, sizeof *counts);
    bool right = counts != NULL;
    if (right) {
        counts->threads = threads < items ? threads : (unsigned)items;
        carom_parallel_for(threads, NULL, items, count_item, counts);
        right = atomic_load(&counts->wrong) == 0;
        for (size_t i = 0; i < ITEMS; ++i) {
            const size_t times = items / ITEMS + (i < items % ITEMS);
            right = right && (size_t)atomic_load(&counts->seen[i]) == times;
        }
    }
    return right;
}

static void nap(unsigned milliseconds)
{
    const struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}

/* Two items, each of which waits a second for the other: do two threads work? */
static void meet(void *argument, size_t item, unsigned thread)
{
    (void)item, (void)thread;
    atomic_int *here = argument;
    atomic_fetch_add(here, 1);
    for (int i = 0; i < 1000 && atomic_load(here) < 2; ++i) {
        nap(1);
    }
    atomic_fetch_add(here, atomic_load(here) >= 2 ? 100 : 0);
}

static bool two_threads_work(void)
{
    atomic_int here = 0;
    carom_parallel_for(2, NULL, 2, meet, &here);
    return atomic_load(&here) == 202;
}

/* ---- child processes ---- */

static bool works(void)
{
    return covers(4, ITEMS) && covers(4, 7) && carom_threads() >= 1 && (!is_pool() || two_threads_work());
}

/* First of all: the program has used OpenMP, Carom has not yet used threads. */
TEST(test_fork_after_foreign_openmp)
{
    assert_int_equal(foreign_openmp(), FOREIGN_SUM);
    assert_child(works);
    assert_true(works());
}

TEST(test_fork_after_own_use)
{
    assert_true(covers(4, ITEMS));
    assert_child(works);
    assert_true(works());
}

static bool grandchild_works(void)
{
    const bool here = works();
    const pid_t child = fork();
    if (child == 0) {
        alarm(CHILD_SECONDS);
        _exit(works() ? 0 : 1);
    }
    int status = -1;
    return here && child > 0 && waitpid(child, &status, 0) == child && status == 0 && works();
}

TEST(test_fork_in_a_child)
{
    assert_child(grandchild_works);
}

/* Threads make call after call, so that some of the forks come while the lock is held. */
static void touch(void *argument, size_t item, unsigned thread)
{
    (void)argument, (void)item, (void)thread;
}

static void *call_and_call(void *argument)
{
    atomic_int *stop = argument;
    while (atomic_load(stop) == 0) {
        carom_parallel_for(2, NULL, 2, touch, NULL);
    }
    return NULL;
}

static bool covers_few(void)
{
    return covers(2, 3);
}

TEST(test_fork_beside_calls)
{
    NEEDS_FORK();
    atomic_int stop = 0;
    pthread_t others[2];
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_create(&others[i], NULL, call_and_call, &stop), 0);
    }
    for (int i = 0; i < (getenv("CAROM_TEST_SHORT") != NULL ? 100 : 1000); ++i) {
        assert_child(covers_few);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_join(others[i], NULL), 0);
    }
}

typedef struct own_items {
    pid_t process;
    atomic_int begun, stop;
} own_items;

/* A child that plays this ends. */
static void play_own_item(void *argument, size_t item, unsigned thread)
{
    own_items *own = argument;
    (void)item, (void)thread;
    if (getpid() != own->process) {
        _exit(2);
    }
    atomic_fetch_add(&own->begun, 1);
    if (atomic_load(&own->stop) == 0) {
        nap(1);
    }
}

static void *call_own_items(void *argument)
{
    carom_parallel_for(2, NULL, 1000000, play_own_item, argument);
    return NULL;
}

/* Calls are running in other threads, one of them, if there are two processors, with a free slot: the child is not
 * affected by them. */
TEST(test_fork_in_a_call)
{
    NEEDS_FORK();
    own_items own = {getpid(), 0, 0};
    pthread_t others[2];
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_create(&others[i], NULL, call_own_items, &own), 0);
    }
    while (atomic_load(&own.begun) < 10) {
        nap(1);
    }
    for (int i = 0; i < 5; ++i) {
        assert_child(works);
    }
    atomic_store(&own.stop, 1);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_join(others[i], NULL), 0);
    }
    assert_int_equal(atomic_load(&own.begun), 2000000);
}

/* ---- callers ---- */

typedef struct player {
    uint64_t seed, digest;
    unsigned threads;
} player;

static void *play(void *argument)
{
    player *p = argument;
    carom_worlds_desc desc = WORLDS_DESC(carom_game_find("csb"), .count = 300, .threads = p->threads, .seed = p->seed);
    carom_worlds *worlds = NULL;
    carom_step step = carom_step_default();
    bool good = carom_worlds_create(&desc, &worlds) == CAROM_OK;
    for (int tick = 0; good && tick < 200; ++tick) {
        good = carom_worlds_play(worlds, &step) == CAROM_OK;
    }
    p->digest = 0;
    good = good && carom_worlds_digest(worlds, &p->digest) == CAROM_OK;
    carom_worlds_destroy(worlds);
    return good ? p : NULL;
}

TEST(test_two_batches)
{
    player alone[2] = {{1, 0, 1}, {2, 0, 1}}, together[2] = {{1, 0, 2}, {2, 0, 3}};
    pthread_t threads[2];
    void *result = NULL;
    for (int i = 0; i < 2; ++i) {
        assert_non_null(play(&alone[i]));
        assert_int_equal(pthread_create(&threads[i], NULL, play, &together[i]), 0);
    }
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
        assert_true(alone[i].digest == together[i].digest && alone[i].digest != 0);
    }
}

typedef struct holding {
    atomic_int begun, go;
} holding;

/* The caller's item lasts longer. */
static void hold(void *argument, size_t item, unsigned thread)
{
    holding *h = argument;
    (void)item;
    atomic_fetch_add(&h->begun, 1);
    while (atomic_load(&h->go) == 0) {
        nap(1);
    }
    nap(thread == 0 ? 50 : 0);
}

static void *call_hold(void *argument)
{
    carom_parallel_for(2, NULL, 2, hold, argument);
    return NULL;
}

static void *call_meet(void *argument)
{
    atomic_store((atomic_int *)argument, two_threads_work());
    return NULL;
}

static bool has_one_processor(void);

/* The second caller comes when the maximum of threads is at work, and gets a worker once the first has left. */
static bool second_caller_is_helped(void)
{
    holding h = {0, 0};
    atomic_int helped = 0;
    pthread_t first, second;
    bool good = has_one_processor() && pthread_create(&first, NULL, call_hold, &h) == 0;
    while (good && atomic_load(&h.begun) < 2) {
        nap(1);
    }
    good = good && pthread_create(&second, NULL, call_meet, &helped) == 0;
    nap(50);
    atomic_store(&h.go, 1);
    return good && pthread_join(first, NULL) == 0 && pthread_join(second, NULL) == 0 && atomic_load(&helped) == 1;
}

TEST(test_second_caller)
{
    if (!is_pool()) { /* with OpenMP every caller has threads of his own */
        skip();
    }
    assert_child(second_caller_is_helped);
}

/* Overwrites the caller's thread by another one. */
static void note_thread(void *argument, size_t item, unsigned thread)
{
    (void)item, (void)thread;
    nap(1); /* time for others to take an item, too */
    if (pthread_equal(*(pthread_t *)argument, pthread_self()) == 0) {
        *(pthread_t *)argument = pthread_self();
    }
}

/* A call within a call runs on the thread that makes it. */
static void cover_inside(void *argument, size_t item, unsigned thread)
{
    (void)item, (void)thread;
    pthread_t self = pthread_self();
    if (!covers(3, 10)) {
        atomic_fetch_add((atomic_int *)argument, 1);
    }
    carom_parallel_for(6, NULL, 10, note_thread, &self);
    if (pthread_equal(self, pthread_self()) == 0) {
        atomic_fetch_add((atomic_int *)argument, 1);
    }
}

TEST(test_nested)
{
    atomic_int wrong = 0;
    for (int i = 0; i < 3; ++i) {
        carom_parallel_for(3, NULL, 9, cover_inside, &wrong);
    }
    assert_int_equal(atomic_load(&wrong), 0);
}

TEST(test_numbers)
{
    const unsigned threads[] = {0, 1, 2, 7};
    const size_t items[] = {0, 1, 2, 6, ITEMS};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; ++t) {
        for (size_t n = 0; n < sizeof items / sizeof items[0]; ++n) {
            assert_true(covers(threads[t] > 0 ? threads[t] : 1, items[n]));
        }
    }
}

typedef struct seats {
    atomic_int taken[3], twice, all;
} seats;

static void sit(void *argument, size_t item, unsigned thread)
{
    seats *s = argument;
    (void)item;
    atomic_fetch_add(&s->twice, atomic_exchange(&s->taken[thread], 1));
    atomic_fetch_or(&s->all, 1 << thread);
    nap(1);
    atomic_store(&s->taken[thread], 0);
}

/* No two threads have the same number at a time. */
TEST(test_seats)
{
    seats s = {.twice = 0};
    carom_parallel_for(3, NULL, 100, sit, &s);
    assert_int_equal(atomic_load(&s.twice), 0);
    assert_int_equal(atomic_load(&s.all), 7);
}

/* Room for a few stacks only. */
static bool covers_without_memory(void)
{
    const struct rlimit few = {(rlim_t)100 << 20, (rlim_t)100 << 20};
    return setrlimit(RLIMIT_AS, &few) == 0 && covers(500, ITEMS) && covers(500, ITEMS);
}

TEST(test_no_more_threads)
{
    if (!is_pool() || SANITIZED) { /* OpenMP ends the process; sanitizers reserve terabytes */
        skip();
    }
    assert_child(covers_without_memory);
}

static void wait_at(void *argument, size_t item, unsigned thread)
{
    (void)item, (void)thread;
    atomic_fetch_add((atomic_int *)argument, 1);
    nap(1); /* a thread that is cancelled would end here */
    pthread_testcancel();
    atomic_fetch_add((atomic_int *)argument, 1);
}

static void *call_to_be_cancelled(void *argument)
{
    carom_parallel_for(3, NULL, 100, wait_at, argument);
    pthread_testcancel();
    return argument;
}

/* A caller that is cancelled finishes the call, and only then ends. */
TEST(test_cancelled_caller)
{
    if (!is_pool()) { /* what OpenMP does then is its own affair */
        skip();
    }
    atomic_int count = 0;
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, call_to_be_cancelled, &count), 0);
    while (atomic_load(&count) == 0) {
        sched_yield();
    }
    assert_int_equal(pthread_cancel(thread), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_true(result == PTHREAD_CANCELED);
    assert_int_equal(atomic_load(&count), 200);
    assert_true(works());
}

/* ---- what others notice ---- */

static bool keeps_state(void)
{
    sigset_t before, after;
    cpu_set_t cpus_before, cpus_after;
    int cancelling = -1;
    sigemptyset(&before);
    sigaddset(&before, SIGUSR1);
    bool good = pthread_sigmask(SIG_SETMASK, &before, NULL) == 0;
    good = good && sched_getaffinity(0, sizeof cpus_before, &cpus_before) == 0 && covers(4, ITEMS);
    good = good && pthread_sigmask(SIG_SETMASK, NULL, &after) == 0;
    good = good && sched_getaffinity(0, sizeof cpus_after, &cpus_after) == 0;
    for (int number = 1; number < 32; ++number) {
        good = good && sigismember(&after, number) == (number == SIGUSR1);
    }
    good = good && pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancelling) == 0;
    return good && cancelling == PTHREAD_CANCEL_ENABLE && CPU_EQUAL(&cpus_before, &cpus_after);
}

static atomic_int signalled_elsewhere;
static pthread_t main_thread;

static void note_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signalled_elsewhere, !pthread_equal(pthread_self(), main_thread));
}

/* Signals to the process come to the program's own threads. A blocked signal would be a worker's, if it could. */
static bool workers_take_no_signals(void)
{
    const struct sigaction action = {.sa_handler = note_signal};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    main_thread = pthread_self();
    bool good = works() && sigaction(SIGUSR2, &action, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &one, NULL) == 0;
    good = good && kill(getpid(), SIGUSR2) == 0;
    nap(20);
    return good && pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0 && atomic_load(&signalled_elsewhere) == 0;
}

TEST(test_state_and_signals)
{
    assert_child(keeps_state);
    assert_child(workers_take_no_signals); /* where OpenMP is not used at all */
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Idle threads sleep (those of OpenMP with OMP_WAIT_POLICY=passive, as in this test's environment): in 30 ms they use
 * 0.02 ms of processor time, the least of ten; a spinning thread would use 30, or half of that. */
TEST(test_idle_threads_sleep)
{
    double least = 1;
    assert_true(works());
    for (int k = 0; k < 10; k++) {
        const double before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        nap(30);
        const double spent = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before;
        least = spent < least ? spent : least;
    }
    print_message("idle for 30 ms: %.3g ms of the processor\n", 1e3 * least);
    assert_true(least < 0.001);
}

/* ---- processors ---- */

/* From now on this process, which is a child, has one. */
static bool has_one_processor(void)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) {
        return false;
    }
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &one);
        }
    }
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

static bool works_on_one_processor(void)
{
    return has_one_processor() && carom_processors() == 1 && carom_threads() == 1 && works();
}

TEST(test_one_processor)
{
    assert_child(works_on_one_processor);
}

typedef struct group_file {
    const char *path, *text;
} group_file;

/* What the quota is where these are the only files. */
static unsigned quota_of(const group_file *files, size_t count)
{
    char root[] = "/tmp/carom_quota_XXXXXX", path[512];
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < count; ++i) {
        snprintf(path, sizeof path, "%s%s", root, files[i].path);
        for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; ++slash) {
            *slash = '\0';
            (void)mkdir(path, 0700);
            *slash = '/';
        }
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(files[i].text, file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    const unsigned quota = carom_quota_threads(root);
    snprintf(path, sizeof path, "rm -r %s", root);
    assert_int_equal(system(path), 0);
    return quota;
}

#define OWN "/proc/self/cgroup"
#define V2 "/sys/fs/cgroup"
#define V1 "/sys/fs/cgroup/cpu"
#define NONE PARALLEL_MAX_THREADS

TEST(test_quota)
{
    static const struct {
        unsigned threads;
        group_file files[5];
    } cases[] = {
        {NONE, {{OWN, ""}}},
        {NONE, {{OWN, "0::/\n"}}},
        {NONE, {{OWN, "0::/\n"}, {V2 "/cpu.max", "max 100000\n"}}},
        {2, {{OWN, "0::/\n"}, {V2 "/cpu.max", "200000 100000\n"}}},
        {3, {{OWN, "0::/\n"}, {V2 "/cpu.max", "200001 100000\n"}}},
        {1, {{OWN, "0::/\n"}, {V2 "/cpu.max", "1000 100000\n"}}},
        {NONE, {{OWN, "0::/\n"}, {V2 "/cpu.max", "9999999999999 100\n"}}},
        /* the least from the own group up to the root; the others' do not count */
        {4, {{OWN, "0::/a/b\n"}, {V2 "/a/b/cpu.max", "400000 100000"}, {V2 "/a/cpu.max", "max 100000"}}},
        {3,
         {{OWN, "0::/a/b\n"},
          {V2 "/a/b/cpu.max", "400000 100000"},
          {V2 "/a/cpu.max", "300000 100000"},
          {V2 "/a/c/cpu.max", "100000 100000"}}},
        /* a container: the path is the host's */
        {5, {{OWN, "0::/docker/0123\n"}, {V2 "/cpu.max", "500000 100000"}}},
        /* version 1, alone and next to version 2 */
        {2,
         {{OWN, "5:memory:/m\n4:cpu,cpuacct:/a\n1:name=systemd:/\n"},
          {V1 "/a/cpu.cfs_quota_us", "150000\n"},
          {V1 "/a/cpu.cfs_period_us", "100000\n"}}},
        {NONE,
         {{OWN, "4:cpuacct,cpu:/a\n0::/\n"},
          {V1 "/a/cpu.cfs_quota_us", "-1\n"},
          {V1 "/a/cpu.cfs_period_us", "100000\n"}}},
        {NONE, {{OWN, "4:cpuacct:/a\n"}, {V1 "/a/cpu.cfs_quota_us", "1"}, {V1 "/a/cpu.cfs_period_us", "1"}}},
        {7,
         {{OWN, "4:cpu:/a\n0::/b\n"},
          {V1 "/a/cpu.cfs_quota_us", "900000\n"},
          {V1 "/a/cpu.cfs_period_us", "100000\n"},
          {V2 "/b/cpu.max", "700000 100000"}}},
        /* what makes no sense */
        {NONE, {{OWN, "0::/\n"}, {V2 "/cpu.max", ""}}},
        {NONE, {{OWN, "0::/\n"}, {V2 "/cpu.max", "a b c\n"}}},
        {NONE, {{OWN, "0::/\n"}, {V2 "/cpu.max", "100000 0\n"}}},
        {NONE, {{OWN, "0::/\n"}, {V2 "/cpu.max", "100000"}}},
        {NONE, {{OWN, "0:\n:\n\n4:cpu\n::"}, {V1 "/cpu.cfs_quota_us", "100000"}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        size_t count = 0;
        while (count < 5 && cases[i].files[count].path != NULL) {
            ++count;
        }
        assert_int_equal(quota_of(cases[i].files, count), cases[i].threads);
    }
    assert_int_equal(quota_of(NULL, 0), NONE);
    assert_true(carom_processors() >= 1);
}

static bool default_is_limited(void)
{
    return setenv("OMP_NUM_THREADS", "1", 1) == 0 && carom_threads() == 1 &&
           (!is_pool() || (setenv("OMP_NUM_THREADS", "many", 1) == 0 && carom_threads() == carom_processors()));
}

TEST(test_default)
{
    assert_true(carom_threads() >= 1 && carom_threads() <= carom_processors());
    assert_child(default_is_limited);
}

/* ---- the end ---- */

static void rest(void *argument, size_t item, unsigned thread)
{
    (void)item, (void)thread;
    atomic_fetch_add((atomic_int *)argument, 1);
    sleep(2 * CHILD_SECONDS);
}

static void *rest_long(void *argument)
{
    carom_parallel_for(3, NULL, 3, rest, argument);
    return NULL;
}

static void leave_the_program(void *argument, size_t item, unsigned thread)
{
    (void)argument, (void)thread;
    if (item == 5) {
        exit(0);
    }
}

/* exit() after calls, during another thread's call, and from within a call: it does not wait. 0: the process exited
 * cleanly. */
TEST(test_exit)
{
    NEEDS_FORK();
    for (int how = 0; how < 3; ++how) {
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            static atomic_int resting;
            pthread_t thread;
            alarm(CHILD_SECONDS);
            if (!works()) {
                _exit(1);
            }
            if (how == 1 && pthread_create(&thread, NULL, rest_long, &resting) == 0) {
                while (atomic_load(&resting) < (is_pool() ? 3 : 1)) {
                    nap(1);
                }
            }
            if (how == 2) {
                carom_parallel_for(3, NULL, 10, leave_the_program, NULL);
            }
            exit(0);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* Last of all, because its thousand threads stay. */
TEST(test_100000_threads)
{
    assert_true(covers(100000, 100000));
}

SET_UP
{
    alarm(4 * CHILD_SECONDS);
}
