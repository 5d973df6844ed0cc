/* SPDX-License-Identifier: MIT
 * A thread pool that harms neither the caller nor other programs nor child processes.
 *
 * A call is a job on its caller's stack, in a list that workers search. Workers and the caller take items one by one.
 * At the end the caller waits only for items that have been taken, so a worker that gets no processor delays no one.
 * Workers are started when a job first needs them. An idle worker watches for the next job for a moment, since calls
 * often follow each other closely, and then sleeps; so does a waiting caller.
 *
 * No more threads work at the same time, callers included, than there are processors, however many callers there are,
 * unless one of them requests more.
 *
 * A job may name the processors on which it runs. A worker moves there when it joins and stays until a job needs it
 * elsewhere, so that successive calls of one batch move it once; the caller moves back after each call.
 *
 * fork() copies one thread: the child forgets the pool and starts its own when it first needs one. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sigfillset and the like under strict C17 */
#endif

#include "base/parallel.h"

#include "base/fpenv.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#if defined(_WIN32)
#include <windows.h>
#endif

/* How long a thread watches memory before it sleeps, in nanoseconds. Waking it up takes some 5,000 to 50,000. A worker
 * without a job watches for about this long; a caller watches longer, because the items it waits for are in
 * progress. */
#define WORKER_WATCHES 30000
#define CALLER_WATCHES 100000
#define TRIES 100 /* attempts to take the lock, held for some 100 ns at a time, before the thread blocks on it */

/* One call of carom_parallel_run(). */
typedef struct job {
    struct job *next;    /* in pool.jobs */
    parallel_body *body; /* called for each of `items` items, with `argument` */
    void *argument;
    const affinity *where; /* NULL: any processor */
    size_t items;
    unsigned threads;    /* the most that may take part, the caller included */
    unsigned seated;     /* how many have taken part so far */
    atomic_size_t taken; /* the next item; each thread that finds none increments it once more */
    atomic_uint inside;  /* twice the number of workers inside, plus one if the caller sleeps */
} job;

static struct {
    pthread_mutex_t lock; /* protects everything below; `calls` is also read without it */
    pthread_cond_t work;  /* for workers: `wakes` is not 0, or the pool has stopped */
    pthread_cond_t done;  /* for callers: the last worker has left some job */
    job *jobs;            /* jobs whose callers still take items */
    unsigned processors;  /* 0: not yet known */
    unsigned active;      /* callers and workers taking items */
    unsigned workers;     /* threads of the pool */
    unsigned most;        /* the maximum of `workers` */
    unsigned idle;        /* workers looking for a job */
    unsigned sleeping;    /* sleeping workers */
    unsigned wakes;       /* sleepers counted as idle already, but not yet awake */
    atomic_uint calls;    /* changes when there may be work */
    bool usable;          /* from the loading of the library until it is unloaded */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static pthread_t handles[PARALLEL_MAX_THREADS]; /* of the workers */

/* Is this thread in the body of a call? With initial-exec, reading it never takes the loader's lock, which a thread
 * that unloads the library holds while it waits for the workers to end. */
static _Thread_local bool in_body __attribute__((tls_model("initial-exec")));

/* ---- waiting ---- */

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Does the word change from `from` within `patience` nanoseconds? */
static bool changes(const atomic_uint *word, unsigned from, int64_t patience)
{
    int64_t end = 0;
    for (unsigned turn = 1;; ++turn) {
        if (atomic_load_explicit(word, memory_order_acquire) != from) {
            return true;
        }
        relax();
        if (turn % 16 == 0) {
            const int64_t now = nanoseconds();
            end = end == 0 ? now + patience : end;
            if (now >= end) {
                return false;
            }
        }
    }
}

/* How long a thread restricted to `where` (NULL: anywhere) watches memory. With a single processor it would only keep
 * the thread that it waits for from running. */
static int64_t patience_of(int64_t longest, const affinity *where)
{
    return pool.processors > 1 && (where == NULL || carom_affinity_count(where) > 1) ? longest : 0;
}

static void lock(void)
{
    for (int i = 0; i < TRIES; ++i) {
        if (pthread_mutex_trylock(&pool.lock) == 0) {
            return;
        }
        relax();
    }
    (void)pthread_mutex_lock(&pool.lock);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&pool.lock);
}

/* ---- choosing workers; the caller must hold the lock ---- */

/* Turns sleepers into idle workers until `wanted` workers are idle, but at most two: each of them does the same when it
 * has found a job. Returns how many to wake with wake(), after releasing the lock. */
static unsigned rouse(unsigned wanted)
{
    unsigned count = wanted > pool.idle ? wanted - pool.idle : 0;
    count = count < pool.sleeping ? count : pool.sleeping;
    count = count < 2 ? count : 2;
    pool.sleeping -= count;
    pool.idle += count;
    pool.wakes += count;
    return count;
}

/* Announces work to idle workers, and rouses sleepers. Returns how many to wake. */
static unsigned call_workers(unsigned wanted)
{
    (void)atomic_fetch_add_explicit(&pool.calls, 1, memory_order_release);
    return rouse(wanted);
}

static void wake(unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        (void)pthread_cond_signal(&pool.work);
    }
}

/* How many more threads a job could use. */
static unsigned seats_left(const job *j)
{
    const size_t taken = atomic_load_explicit(&j->taken, memory_order_relaxed);
    const size_t items = taken < j->items ? j->items - taken : 0;
    const unsigned seats = j->threads - j->seated;
    return items < seats ? (unsigned)items : seats;
}

/* Finds a job for a worker, with its first item and its thread number in that job. NULL if there is none. */
static job *join(size_t *item, unsigned *thread)
{
    for (job *j = pool.jobs; j != NULL; j = j->next) {
        const unsigned most = j->threads > pool.processors ? j->threads : pool.processors;
        if (j->seated < j->threads && pool.active < most) {
            *item = atomic_fetch_add_explicit(&j->taken, 1, memory_order_relaxed);
            if (*item < j->items) {
                *thread = j->seated++;
                (void)atomic_fetch_add_explicit(&j->inside, 2, memory_order_relaxed);
                ++pool.active;
                --pool.idle;
                return j;
            }
        }
    }
    return NULL;
}

/* ---- workers ---- */

/* Where a worker may run. */
typedef struct worker_place {
    affinity first, now; /* at its start, and since its last job */
    bool chosen;         /* by that job */
} worker_place;

/* Moves a worker to the processors of a job. */
static void go_to(worker_place *place, const affinity *where)
{
    if (where != NULL || place->chosen) {
        const affinity *to = where != NULL ? where : &place->first;
        if (!carom_affinity_equal(to, &place->now)) {
            carom_affinity_set(to);
            place->now = *to;
        }
        place->chosen = where != NULL;
    }
}

/* Takes items of a job, starting with `item`, until none is left. */
static void play(job *j, size_t item, unsigned thread)
{
    parallel_body *body = j->body;
    void *argument = j->argument;
    const size_t items = j->items;
    const fp_environment caller = fp_begin();
    while (item < items) {
        body(argument, item, thread);
        item = atomic_fetch_add_explicit(&j->taken, 1, memory_order_relaxed);
    }
    fp_end(caller);
}

/* The life of a worker. */
static void *work(void *unused)
{
    (void)unused;
    worker_place place = {.chosen = false};
    carom_affinity_get(&place.first);
    place.now = place.first;
    in_body = true;
    lock();
    while (pool.usable) {
        size_t item;
        unsigned thread;
        job *j = join(&item, &thread);
        const unsigned calls = atomic_load_explicit(&pool.calls, memory_order_relaxed);

        /* Work on the job. Decrement `active` before the caller can return, because end() must see that no call is in
         * progress. Once `inside` has been decremented the job may no longer exist. */
        if (j != NULL) {
            const unsigned more = rouse(seats_left(j));
            unlock();
            wake(more);
            go_to(&place, j->where);
            play(j, item, thread);
            lock();
            --pool.active;
            ++pool.idle;
            if (atomic_fetch_sub_explicit(&j->inside, 2, memory_order_acq_rel) == 3) {
                (void)pthread_cond_broadcast(&pool.done);
            }
            continue;
        }

        /* Without a job, watch for the next call, then sleep until a call wakes this worker. A call in between is
         * noticed under the lock. */
        const int64_t patience = patience_of(WORKER_WATCHES, place.chosen ? &place.now : NULL);
        unlock();
        const bool called = changes(&pool.calls, calls, patience);
        lock();
        if (!called && atomic_load_explicit(&pool.calls, memory_order_relaxed) == calls && pool.usable) {
            --pool.idle;
            ++pool.sleeping;
            while (pool.wakes == 0 && pool.usable) {
                (void)pthread_cond_wait(&pool.work, &pool.lock);
            }
            pool.wakes -= pool.wakes > 0;
        }
    }
    unlock();
    return NULL;
}

#if defined(_WIN32)

/* Windows sends no signals to threads, and has no fork(). */
typedef int signal_set;

static void block_signals(signal_set *callers)
{
    *callers = 0;
}

static void allow_signals(const signal_set *callers)
{
    (void)callers;
}

#else

typedef sigset_t signal_set;

/* Signals are for the program's own threads, except those that a thread causes itself and those of profilers. */
static void block_signals(signal_set *callers)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigset_t ours;
    (void)sigfillset(&ours);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
        (void)sigdelset(&ours, own[i]);
    }
    (void)pthread_sigmask(SIG_SETMASK, &ours, callers);
}

static void allow_signals(const signal_set *callers)
{
    (void)pthread_sigmask(SIG_SETMASK, callers, NULL);
}

#endif

/* Starts workers; the caller holds the lock. If the system refuses one, the pool never grows again. */
static void start_workers(unsigned wanted)
{
    signal_set callers;
    block_signals(&callers);
    for (; wanted > 0 && pool.workers < pool.most; --wanted) {
        if (pthread_create(&handles[pool.workers], NULL, work, NULL) != 0) {
            pool.most = pool.workers;
            break;
        }
        ++pool.workers;
        ++pool.idle;
    }
    allow_signals(&callers);
}

/* ---- callers ---- */

/* Starts the workers that the job could use and that do not exist yet, but no more than can work at the same time. */
static void provide_workers(const job *j)
{
    if (pool.processors == 0) {
        pool.processors = carom_processors();
        pool.most = PARALLEL_MAX_THREADS;
    }

    const unsigned wanted = j->threads - 1, there = pool.idle + pool.sleeping;
    const unsigned useful = (j->threads > pool.processors ? j->threads : pool.processors) - 1;
    if (wanted > there && pool.workers < useful) {
        const unsigned missing = wanted - there, room = useful - pool.workers;
        start_workers(missing < room ? missing : room);
    }
}

/* Removes the caller's job from the list once all of its items are taken. */
static void leave(const job *j)
{
    lock();
    job **link = &pool.jobs;
    while (*link != j) {
        link = &(*link)->next;
    }
    *link = j->next;
    --pool.active;
    /* Another job may have gone without a worker because of this one. */
    const unsigned count = pool.jobs != NULL ? call_workers(seats_left(pool.jobs)) : 0;
    unlock();
    wake(count);
}

/* Waits until no worker is inside the job: watches memory first, then sleeps. */
static void wait_for_workers(job *j, int64_t patience)
{
    unsigned inside;
    while ((inside = atomic_load_explicit(&j->inside, memory_order_acquire)) != 0) {
        if (!changes(&j->inside, inside, patience)) {
            (void)atomic_fetch_or_explicit(&j->inside, 1, memory_order_acq_rel);
            lock();
            while (atomic_load_explicit(&j->inside, memory_order_acquire) > 1) {
                (void)pthread_cond_wait(&pool.done, &pool.lock);
            }
            unlock();
            return;
        }
    }
}

bool carom_parallel_run(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument)
{
    if (in_body) {
        return false;
    }

    /* The caller has taken the first item, and a seat. */
    job j = {.body = body,
             .argument = argument,
             .where = where,
             .items = items,
             .threads = threads,
             .seated = 1,
             .taken = 1};
    lock();
    if (!pool.usable) {
        unlock();
        return false;
    }
    provide_workers(&j);
    j.next = pool.jobs;
    pool.jobs = &j;
    ++pool.active;
    const int64_t patience = patience_of(CALLER_WATCHES, where);
    const unsigned count = call_workers(threads - 1);
    unlock();
    wake(count);

    /* A cancelled thread must not remove the job while workers use it. */
    int cancelling;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    affinity before;
    const bool moved = carom_affinity_enter(where, &before);
    in_body = true;
    play(&j, 0, 0);
    in_body = false;
    leave(&j);
    wait_for_workers(&j, patience);
    if (moved) {
        carom_affinity_set(&before);
    }
    (void)pthread_setcancelstate(cancelling, NULL);
    return true;
}

/* OMP_NUM_THREADS, which users know, limits the default number of threads in every build. */
unsigned carom_parallel_limit(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    const long threads = text != NULL ? strtol(text, NULL, 10) : 0;
    return threads > 0 && threads < (long)PARALLEL_MAX_THREADS ? (unsigned)threads : PARALLEL_MAX_THREADS;
}

/* ---- the library's life ---- */

#if defined(_WIN32)

/* Windows unloads a DLL under a lock that a thread needs to end, so workers cannot be waited for then. The DLL stays
 * until the process ends, which ends the workers first. */
__attribute__((constructor)) static void begin(void)
{
    HMODULE here;
    const DWORD stay = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
    pool.usable = GetModuleHandleExA(stay, (LPCSTR)(const void *)&pool, &here) != 0;
}

#else

/* Resets the pool in a child of fork(), where the other threads and all that they held no longer exist. */
static void forget(void)
{
    (void)pthread_mutex_init(&pool.lock, NULL);
    (void)pthread_cond_init(&pool.work, NULL);
    (void)pthread_cond_init(&pool.done, NULL);
    pool.jobs = NULL;
    pool.processors = pool.active = pool.workers = pool.idle = pool.sleeping = pool.wakes = 0;
}

__attribute__((constructor)) static void begin(void)
{
    pool.usable = pthread_atfork(NULL, NULL, forget) == 0;
}

/* Runs when the program ends or unloads the library, whose code must not disappear while a worker runs it. If a call is
 * in progress, the program is ending by exit() on another thread or in a body: do not wait then. */
__attribute__((destructor)) static void end(void)
{
    lock();
    const unsigned count = pool.active == 0 ? pool.workers : 0;
    pool.usable = false;
    (void)call_workers(0);
    (void)pthread_cond_broadcast(&pool.work);
    unlock();
    for (unsigned i = 0; i < count; ++i) {
        (void)pthread_join(handles[i], NULL);
    }
}

#endif
