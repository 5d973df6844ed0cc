/* SPDX-License-Identifier: MIT
 * Carom compared with Box2D and Chipmunk: circles in a walled box, from 4 to 10,000 a world, on one thread.
 *
 * `k` is the number of equal steps in a tick: engines without exact impacts gain accuracy with more steps. The table
 * shows that accuracy next to the rates, see peers_study.h. First it finds the smallest power of two that brings
 * Chipmunk's median error of direction below one degree.
 *
 * Every iteration builds new worlds, plays WARM ticks, and is then timed for some ticks in one call, during which
 * engines that step world by world keep a world in the cache. `calls` has one tick a call instead.
 */
#include "bench/common/harness.h"
#include "peers_study.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM 8
#define LARGE 10000 /* circles: engines that check all pairs, or sweep all bullets, take minutes a tick */
#define MOST_K 64
#define MOST 64 /* cases */

typedef struct contest {
    const peer *peer;
    unsigned k;
    const peer_scene *scene;
    unsigned ticks, call; /* that are timed; of them in a call */
    bool quick;
    bool studied; /* the accuracy is shown */
    peers_accuracy accuracy;
    double bytes; /* a world; 0: not yet known */
} contest;

static contest contests[MOST];
static size_t contest_count;

/* What a case has computed once is kept in its argument. */
static contest *changeable(const void *argument)
{
    return (contest *)(uintptr_t)argument;
}

/* ---- bodies ---- */

static void run_ticks(const void *argument, uint64_t iterations, bench_sample *sample)
{
    contest *c = changeable(argument);
    if (c->studied && c->accuracy.impacts == 0) {
        c->accuracy = carom_peers_accuracy(c->peer, c->k, c->quick);
    }
    for (uint64_t i = 0; i < iterations; i++) {
        void *worlds = c->peer->create(c->peer, c->scene);
        c->peer->step(worlds, WARM, c->k);
        carom_bench_start(sample);
        for (unsigned t = 0; t < c->ticks; t += c->call) {
            c->peer->step(worlds, c->call, c->k);
        }
        carom_bench_stop(sample);
        c->peer->destroy(worlds);
    }
    sample->items = (double)iterations * (double)c->scene->worlds * c->ticks;
    sample->counters[0] = c->accuracy.met;
    sample->counters[1] = c->accuracy.direction;
    sample->counters[2] = c->accuracy.direction_90;
    sample->counters[3] = c->accuracy.energy;
    sample->counters[4] = c->accuracy.least_energy;
    sample->counters[5] = c->accuracy.overlap;
}

static double allocated(void)
{
    const struct mallinfo2 m = mallinfo2();
    return (double)m.uordblks + (double)m.hblkhd;
}

/* Building and destroying; how much memory a world has after some ticks. */
static void run_create(const void *argument, uint64_t iterations, bench_sample *sample)
{
    contest *c = changeable(argument);
    if (c->bytes == 0) {
        const double before = allocated();
        void *worlds = c->peer->create(c->peer, c->scene);
        c->peer->step(worlds, WARM, 1);
        c->bytes = (allocated() - before) / (double)c->scene->worlds;
        c->peer->destroy(worlds);
    }
    carom_bench_start(sample);
    for (uint64_t i = 0; i < iterations; i++) {
        c->peer->destroy(c->peer->create(c->peer, c->scene));
    }
    carom_bench_stop(sample);
    sample->items = (double)iterations * (double)c->scene->worlds;
    sample->counters[6] = c->bytes;
}

static void run_copies(const contest *c, const size_t *to, const size_t *from, size_t n, uint64_t iterations,
                       bench_sample *sample)
{
    void *worlds = c->peer->create(c->peer, c->scene);
    carom_bench_start(sample);
    for (uint64_t i = 0; i < iterations; i++) {
        c->peer->copy(worlds, to, from, n);
    }
    carom_bench_stop(sample);
    sample->items = (double)iterations * (double)n;
    c->peer->destroy(worlds);
}

/* The first half of the worlds, in no order, onto the other half, in no order. */
static void run_copy(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const contest *c = argument;
    const size_t n = c->scene->worlds / 2;
    size_t *to = carom_bench_take(n, sizeof *to), *from = carom_bench_take(n, sizeof *from);
    for (size_t w = 0; w < n; w++) {
        to[w] = n + (w * 2654435761u + 7) % n;
        from[w] = (w * 2246822519u + 1) % n;
    }
    run_copies(c, to, from, n, iterations, sample);
    free(to);
    free(from);
}

/* The first world onto all others. */
static void run_fork(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const contest *c = argument;
    run_copies(c, NULL, NULL, c->scene->worlds - 1, iterations, sample);
}

/* ---- cases ---- */

typedef struct shape {
    size_t circles;
    double coverage;            /* 0: the box is 16 x 9 */
    size_t worlds, many_worlds; /* of the peers; Carom is timed with both */
    unsigned ticks;
} shape;

static const shape shapes[] = {
    {4, 0, 256, 4096, 64},
    {16, 0.3, 64, 1024, 64},
    {64, 0.3, 16, 256, 32},
    {LARGE, 0.5, 1, 1, 4},
};

/* The least number of Chipmunk's steps with which half of all impacts have an error below one degree. */
static unsigned steps_for_one_degree(void)
{
    unsigned k = 1;
    while (k < MOST_K && carom_peers_impacts(&carom_peer_chipmunk, k).direction >= 1) {
        k *= 2;
    }
    return k;
}

/* `what` with its peer's name, or Carom's precision, instruction set and number of worlds; NULL for no baselines. */
static size_t add(bench *b, const char *group, bench_body *body, const contest *what, const size_t *baselines)
{
    const peer *p = what->peer;
    if (contest_count == MOST) {
        carom_bench_die("more than %d cases", MOST);
    }
    contests[contest_count] = *what;
    bench_case c = carom_bench_case(body, &contests[contest_count++]);
    for (size_t i = 0; baselines != NULL && i < BENCH_BASELINES; i++) {
        c.baselines[i] = baselines[i];
    }
    if (p->precision == 0) {
        carom_bench_name(&c, "peers/%s/%s/k:%u", group, p->name, what->k);
    } else {
        carom_bench_name(&c, "peers/%s/carom/f%d/%s/worlds:%zu", group, p->precision, carom_isa_name((carom_isa)p->isa),
                         what->scene->worlds);
    }
    return carom_bench_add(b, &c);
}

/* One shape: the peers with each k, then Carom with few and many worlds. `scenes`: their number of worlds. */
static void add_shape(bench *b, const shape *s, const peer_scene scenes[2], const peer carom[2], unsigned k_degree)
{
    const peer *const peers[] = {s->circles < LARGE ? &carom_peer_box2d : &carom_peer_box2d_discrete,
                                 s->circles < LARGE ? &carom_peer_box2d_discrete : NULL, &carom_peer_chipmunk,
                                 s->circles < LARGE ? &carom_peer_plain : NULL};
    const unsigned ks[] = {1, 16, k_degree};
    const bool studied = s->circles == shapes[0].circles;
    contest what = {NULL, 1, &scenes[0], s->ticks, s->ticks, carom_bench_is_quick(b), studied, {0}, 0};
    size_t baselines[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
    char group[24];
    snprintf(group, sizeof group, "%zu", s->circles);
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        what.peer = peers[i];
        for (size_t k = 0; peers[i] != NULL && k < 3; k++) {
            if (k == 0 || (s->circles < LARGE && peers[i] != &carom_peer_plain && (k == 1 || ks[k] != ks[1]))) {
                what.k = ks[k];
                const size_t number = add(b, group, run_ticks, &what, NULL);
                baselines[0] = i == 0 && k == 0 ? number : baselines[0];
                baselines[1] = i == 2 && k == 0 ? number : baselines[1];
                baselines[2] = i == 2 && ks[k] == k_degree ? number : baselines[2];
            }
        }
    }
    what.k = 1;
    for (size_t i = 0; i < 4; i++) {
        what.peer = &carom[i / 2];
        what.scene = &scenes[i % 2];
        if (i % 2 == 0 || s->many_worlds != s->worlds) {
            add(b, group, run_ticks, &what, baselines);
        }
    }
}

/* Four circles: one tick a call; building; copies, compared with building a world in the peers. */
static void add_other_work(bench *b, const peer_scene scenes[2], const peer carom[2])
{
    const peer *const peers[] = {&carom_peer_box2d, &carom_peer_chipmunk};
    contest what = {NULL, 1, NULL, shapes[0].ticks, 1, carom_bench_is_quick(b), false, {0}, 0};
    size_t calls[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
    size_t builds[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
    for (size_t i = 0; i < 2; i++) {
        what.scene = &scenes[0];
        what.peer = peers[i];
        calls[i] = add(b, "calls", run_ticks, &what, NULL);
        builds[i] = add(b, "create", run_create, &what, NULL);
    }
    for (size_t i = 0; i < 2; i++) {
        what.peer = &carom[i];
        what.scene = &scenes[1];
        add(b, "calls", run_ticks, &what, calls);
        add(b, "create", run_create, &what, builds);
        add(b, "copy", run_copy, &what, builds);
        add(b, "fork", run_fork, &what, builds);
    }
}

int main(int argc, char **argv)
{
    static peer_scene scenes[sizeof shapes / sizeof *shapes][2];
    static peer carom[2];
    static char title[128];
    static const bench_program program = {title,
                                          "M/s",
                                          1e-6,
                                          {"x Box2D", "x Chipmunk", "x Ch. 1 deg"},
                                          {{"impacts_met", "met %", 100},
                                           {"direction_error", "degrees", 1},
                                           {"direction_error_90", "90%", 1},
                                           {"energy", "energy %", 100},
                                           {"least_energy", "least %", 100},
                                           {"overlap", "overlap", 1},
                                           {"bytes_per_world", "bytes", 1}}};
    snprintf(title, sizeof title, "Circles in a walled box: Carom, Box2D %s and Chipmunk %s", carom_peer_box2d.version,
             carom_peer_chipmunk.version);
    bench *b = carom_bench_create(argc, argv, &program);
    carom_isa isas[CAROM_ISA_COUNT];
    const carom_isa widest = isas[carom_bench_isas(isas) - 1];
    for (size_t i = 0; i < 2; i++) {
        carom[i] = carom_peer_carom;
        carom[i].isa = (int)widest;
        carom[i].precision = i == 0 ? CAROM_F32 : CAROM_F64;
    }
    const unsigned k_degree = steps_for_one_degree();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        if (s->circles < LARGE || !carom_bench_is_quick(b)) {
            scenes[i][0] = carom_peers_scene(s->worlds, s->circles, s->coverage);
            scenes[i][1] = carom_peers_scene(s->many_worlds, s->circles, s->coverage);
            add_shape(b, s, scenes[i], carom, k_degree);
        }
    }
    add_other_work(b, scenes[0], carom);
    return carom_bench_run(b);
}
