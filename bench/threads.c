/* SPDX-License-Identifier: MIT
 * The gains of threads, and their costs for others: one tick of csb a call, by one thread and by two.
 *
 *     idle     calls without pauses; nothing else runs
 *     pauses   the caller computes for 0.2 ms between two calls
 *     busy     with a busy process on every hardware thread
 *     two      two threads of the program step a batch each
 *     child    in the child of a fork(), after the parent has used threads
 *
 * Each call is timed separately. Rounds run every case for a while, in turn; figures are over all calls of all rounds.
 * `p1`, the first percentile of the times, estimates an idle machine if others use it, too. Every implementation of
 * threads is a separate program (bench_threads_pool, bench_threads_openmp); run them in turn.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, pthread barriers */

#include "bench/common/harness.h"
#include "bench/common/statistics.h"

#include <carom/carom.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_CALLERS 2
#define MOST_SAMPLES ((size_t)1 << 20) /* of a case */
#define MOST_ROUNDS 1000
#define WARM_UP 20 /* calls */

typedef struct situation {
    const char *name;
    unsigned callers;
    bool busy, child;
    double pause; /* seconds */
} situation;

static const situation situations[] = {
    {"idle", 1, false, false, 0}, {"pauses", 1, false, false, 200e-6}, {"busy", 1, true, false, 0},
    {"two", 2, false, false, 0},  {"child", 1, false, true, 0},
};
static const size_t sizes[] = {256, 1024, 16384};

/* Nanoseconds a world, of each call; shared with the child. */
typedef struct samples {
    size_t count;
    double values[MOST_SAMPLES];
} samples;

typedef struct measured_case {
    const situation *situation;
    size_t worlds;
    unsigned threads;
    char name[64];
    bool chosen;
    samples *samples;
} measured_case;

typedef struct caller {
    const measured_case *what;
    double seconds;
    pthread_barrier_t *start;
    samples *samples;
    size_t room;
} caller;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *take_shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        carom_bench_die("no memory for %zu bytes", bytes);
    }
    return memory;
}

/* ---- one case, once ---- */

/* Actions between -1 and 1, the same in every tick. */
static float *take_actions(const carom_game *game, size_t kind_index, size_t worlds)
{
    carom_action_kind kind;
    const carom_game_info info = carom_game_describe(game);
    carom_bench_demand(carom_game_action_kind(game, kind_index, &kind), "find a kind of action");
    const size_t count = worlds * info.players * kind.size;
    float *actions = carom_bench_take(count, sizeof *actions);
    uint32_t word = 1;
    for (size_t i = 0; i < count; i++) {
        word = word * 1664525u + 1013904223u;
        actions[i] = (float)(word >> 8) / 8388608.0f - 1.0f;
    }
    return actions;
}

static void *call_again_and_again(void *argument)
{
    const caller *c = argument;
    const measured_case *what = c->what;
    const carom_game *game = carom_game_find("csb");
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    desc.count = what->worlds;
    desc.threads = what->threads;
    desc.at_end = CAROM_RESET;
    carom_worlds *worlds = NULL;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "make a batch");
    carom_step step = carom_step_default();
    carom_bench_demand(carom_game_find_action_kind(game, "normalised", &step.action_kind), "find a kind of action");
    float *actions = take_actions(game, step.action_kind, desc.count);
    step.actions = actions;
    for (int i = 0; i < WARM_UP; i++) {
        carom_bench_demand(carom_worlds_play(worlds, &step), "play");
    }
    pthread_barrier_wait(c->start);
    const double end = now() + c->seconds;
    for (double after = 0; after < end && c->samples->count < c->room;) {
        double before = now();
        for (const double go = before + what->situation->pause; before < go;) {
            before = now();
        }
        carom_bench_demand(carom_worlds_play(worlds, &step), "play");
        after = now();
        c->samples->values[c->samples->count++] = 1e9 * (after - before) / (double)desc.count;
    }
    carom_worlds_destroy(worlds);
    free(actions);
    return NULL;
}

/* The first caller is the calling thread itself. */
static void call(const measured_case *what, double seconds, size_t room, samples *sets[MOST_CALLERS])
{
    pthread_barrier_t start;
    pthread_t threads[MOST_CALLERS];
    caller callers[MOST_CALLERS];
    const unsigned count = what->situation->callers;
    pthread_barrier_init(&start, NULL, count);
    for (unsigned i = count; i-- > 0;) {
        callers[i] = (caller){what, seconds, &start, sets[i], room};
        if (i > 0 && pthread_create(&threads[i], NULL, call_again_and_again, &callers[i]) != 0) {
            carom_bench_die("cannot start a thread");
        }
    }
    call_again_and_again(&callers[0]);
    for (unsigned i = 1; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&start);
}

static pid_t start_process(void)
{
    fflush(NULL);
    const pid_t process = fork();
    if (process < 0) {
        carom_bench_die("cannot fork");
    }
    return process;
}

/* Computes until it is killed, or the program that started it has ended. */
static pid_t start_busy_process(void)
{
    const pid_t parent = getpid(), process = start_process();
    if (process == 0) {
        while (getppid() == parent) {
            for (volatile int i = 0; i < 1000000; i++) {
            }
        }
        _exit(0);
    }
    return process;
}

static void play_in_child(const measured_case *what, double seconds, size_t room, samples *sets[MOST_CALLERS])
{
    call(what, 0, 1, sets); /* the parent uses threads */
    for (unsigned i = 0; i < MOST_CALLERS; i++) {
        sets[i]->count = 0;
    }
    const pid_t child = start_process();
    if (child == 0) {
        call(what, seconds, room, sets);
        _exit(0);
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) {
        carom_bench_die("the child has failed");
    }
}

/* One round of a case. */
static void run_round(measured_case *what, double seconds, size_t room, samples *sets[MOST_CALLERS])
{
    const unsigned processes = what->situation->busy ? carom_threads() : 0;
    pid_t busy[1024];
    for (unsigned i = 0; i < MOST_CALLERS; i++) {
        sets[i]->count = 0;
    }
    for (unsigned i = 0; i < processes; i++) {
        busy[i] = start_busy_process();
    }
    (what->situation->child ? play_in_child : call)(what, seconds, room, sets);
    for (unsigned i = 0; i < processes; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    samples *all = what->samples;
    for (unsigned i = 0; i < what->situation->callers; i++) {
        memcpy(all->values + all->count, sets[i]->values, sets[i]->count * sizeof(double));
        all->count += sets[i]->count;
    }
}

/* ---- the program ---- */

static void help(void)
{
    puts("bench_threads: one tick of csb a call, by one thread and by two\n\n"
         "  --filter TEXT   only the cases with TEXT in their name\n"
         "  --rounds N      5 by default\n"
         "  --ms N          how long a round runs each case, 200 by default\n"
         "  --quick         one round of 10 ms: to see that it works");
}

static unsigned number_of(const char *option, const char *text, unsigned most)
{
    char *end = NULL;
    const unsigned long value = text != NULL ? strtoul(text, &end, 10) : 0;
    if (value < 1 || value > most || *end != '\0') {
        carom_bench_die("%s wants a number from 1 to %u", option, most);
    }
    return (unsigned)value;
}

static void print(const measured_case *what)
{
    samples *all = what->samples;
    double sum = 0;
    const statistics s = carom_bench_sort(all->values, (unsigned)all->count);
    for (size_t i = 0; i < all->count; i++) {
        sum += all->values[i];
    }
    printf("%-32s %9.1f %9.1f %9.1f %9.1f\n", what->name, all->values[all->count / 100], s.median,
           sum / (double)all->count, all->values[all->count - 1 - all->count / 100]);
}

int main(int argc, char **argv)
{
    enum { CASES = sizeof situations / sizeof *situations * (sizeof sizes / sizeof *sizes) * 2 };
    static measured_case cases[CASES];
    unsigned rounds = 5, milliseconds = 200;
    const char *filter = "";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc) {
            filter = argv[++i];
        } else if (strcmp(argv[i], "--rounds") == 0) {
            rounds = number_of("--rounds", argv[i + 1], MOST_ROUNDS), i++;
        } else if (strcmp(argv[i], "--ms") == 0) {
            milliseconds = number_of("--ms", argv[i + 1], 100000), i++;
        } else if (strcmp(argv[i], "--quick") == 0) {
            rounds = 1, milliseconds = 10;
        } else if (strcmp(argv[i], "--help") == 0) {
            help();
            return 0;
        } else {
            carom_bench_die("unknown option '%s' (see --help)", argv[i]);
        }
    }
    unsigned used = 0;
    for (size_t s = 0; s < sizeof situations / sizeof *situations; s++) {
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
            for (unsigned threads = 1; threads <= 2; threads++) {
                measured_case *c = &cases[used++];
                *c = (measured_case){.situation = &situations[s], .worlds = sizes[n], .threads = threads};
                snprintf(c->name, sizeof c->name, "%s/worlds:%zu/threads:%u", situations[s].name, sizes[n], threads);
                c->samples = take_shared(sizeof *c->samples);
            }
        }
    }
    samples *sets[MOST_CALLERS];
    for (unsigned i = 0; i < MOST_CALLERS; i++) {
        sets[i] = take_shared(sizeof *sets[i]);
    }
    for (unsigned i = 0; i < CASES; i++) { /* both of a pair */
        cases[i].chosen = strstr(cases[i].name, filter) != NULL || strstr(cases[i ^ 1].name, filter) != NULL;
    }
    const size_t room = MOST_SAMPLES / MOST_CALLERS / rounds;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < CASES; i++) {
            measured_case *c = &cases[(i + 7 * round) % CASES];
            if (c->chosen) {
                run_round(c, 1e-3 * milliseconds, room, sets);
            }
        }
    }
    printf("threads by %s, %u of them; the rest: %s\n\n", THREADS_BY, carom_threads(), carom_build_info());
    printf("%-32s %9s %9s %9s %9s\n", "ns a world", "p1", "median", "mean", "p99");
    for (unsigned i = 0; i < CASES; i++) {
        if (cases[i].chosen) {
            print(&cases[i]);
        }
    }
    return 0;
}
