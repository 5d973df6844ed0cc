/* SPDX-License-Identifier: MIT
 * bench_scene_ticks [--packing P] [--bodies N] [--million]: the cost of short ticks in a world of the deep engine,
 * without access to the bodies between ticks.
 *
 * Gases of 10^3 to 10^5 equal disks of radius 0.5 and mass 1, with --million also 10^6; at six packings; in a periodic
 * box, and in a solid one in which they fall (so that the lowest are slightly faster than the highest). Speeds are 1 at
 * the start, so a tick of 1 moves a disk about its diameter. For each of them ticks of 1, 0.1, 0.01 and 0.001, in calls
 * that take LEAST seconds, the fastest of REPEATS calls, on one thread.
 *
 * A line for each: nanoseconds a body and tick, and the allowed number: the time of its impacts, at their cost with
 * ticks of 1 (including all work of such a tick), divided by 0.8, plus 5 ns. --packing and --bodies select some of
 * them.
 */
#include <carom/carom.h>
#include <carom/scene.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAST 0.1 /* seconds of a call that is measured */
#define REPEATS 3
#define MIXING 5 /* units of time before anything is measured */
#define SHARE 0.8
#define PER_TICK 5.0 /* ns */

static void must(carom_status status, const char *what)
{
    if (status != CAROM_OK) {
        fprintf(stderr, "bench_scene_ticks: %s: %s\n", what, carom_status_string(status));
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* A lattice of disks in random directions. */
static carom_scene *make_scene(uint32_t n, double packing, bool falls)
{
    const uint32_t rows = (uint32_t)ceil(sqrt(n));
    const double step = sqrt(0.25 * 3.14159265358979 / packing), side = step * rows;
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene_body *bodies = calloc(n, sizeof *bodies);
    if (bodies == NULL) {
        must(CAROM_ERROR_MEMORY, "bodies");
    }
    uint64_t state = 1;
    for (uint32_t i = 0; i < n; i++) {
        const double turn = 6.283185307179586 * draw(&state);
        bodies[i] = carom_scene_body_default();
        bodies[i].radius = 0.5;
        bodies[i].x = (i % rows + 0.5) * step;
        bodies[i].y = (i / rows + 0.5) * step;
        bodies[i].vx = cos(turn);
        bodies[i].vy = sin(turn);
        bodies[i].ay = falls ? -0.5 / side : 0;
    }

    desc.bodies = bodies;
    desc.body_count = n;
    desc.box.x1 = desc.box.y1 = side;
    desc.box.horizontal = desc.box.vertical = falls ? CAROM_SIDES_SOLID : CAROM_SIDES_PERIODIC;
    desc.engine = CAROM_ENGINE_DEEP;
    desc.max_events = UINT32_MAX;

    carom_scene *scene;
    must(carom_scene_create(&desc, &scene, NULL), "create a scene");
    free(bodies);
    return scene;
}

typedef struct cost {
    double ns;      /* a body and tick */
    double impacts; /* likewise */
} cost;

/* One call of `ticks`; its seconds. */
static double call(carom_worlds *worlds, uint32_t n, double dt, size_t ticks, cost *c)
{
    const uint64_t before = carom_worlds_counters(worlds).events;
    const double from = now();
    must(carom_worlds_step(worlds, dt, ticks), "step");
    const double seconds = now() - from, all = (double)n * (double)ticks;
    c->ns = 1e9 * seconds / all;
    c->impacts = (double)(carom_worlds_counters(worlds).events - before) / all;
    return seconds;
}

static cost measure(carom_worlds *worlds, uint32_t n, double dt)
{
    cost c, best;
    size_t ticks = dt < 1 ? 16 : 1;
    while (call(worlds, n, dt, ticks, &best) < LEAST) {
        ticks *= 2;
    }
    for (int k = 1; k < REPEATS; k++) {
        (void)call(worlds, n, dt, ticks, &c);
        best = c.ns < best.ns ? c : best;
    }
    return best;
}

/* Prints the lines of one gas; returns how many of them exceed the allowed time. */
static int tell_gas(uint32_t n, double packing, bool falls, carom_precision precision)
{
    static const double lengths[] = {1, 0.1, 0.01, 0.001};
    carom_scene *scene = make_scene(n, packing, falls);
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(scene));
    carom_worlds *worlds;
    desc.count = desc.threads = 1;
    desc.precision = precision;
    must(carom_worlds_create(&desc, &worlds), "create a world");
    must(carom_worlds_step(worlds, 1, MIXING), "step");

    int missed = 0;
    double of_impact = 0;
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        const cost c = measure(worlds, n, lengths[k]);
        of_impact = k == 0 ? c.ns / c.impacts : of_impact;
        const double allowed = of_impact * c.impacts / SHARE + PER_TICK;
        const bool met = c.ns <= allowed;
        missed += !met;
        printf("%7g  %7" PRIu32 "  f%d  %-8s  %6g  %9.5f  %8.2f  %8.2f  %s\n", packing, n, (int)precision,
               falls ? "falls" : "periodic", lengths[k], c.impacts, c.ns, allowed, met ? "met" : "missed");
        (void)fflush(stdout);
    }
    carom_worlds_destroy(worlds);
    carom_scene_destroy(scene);
    return missed;
}

int main(int argc, char **argv)
{
    static const double packings[] = {0.01, 0.05, 0.14, 0.3, 0.5, 0.7};
    double packing = 0;
    uint32_t bodies = 0, most = 100000;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--million") == 0) {
            most = 1000000;
        } else if (strcmp(argv[k], "--packing") == 0 && k + 1 < argc) {
            packing = strtod(argv[++k], NULL);
        } else if (strcmp(argv[k], "--bodies") == 0 && k + 1 < argc) {
            bodies = (uint32_t)strtoul(argv[++k], NULL, 10);
        } else {
            fprintf(stderr, "usage: bench_scene_ticks [--packing P] [--bodies N] [--million]\n");
            return 2;
        }
    }

    int missed = 0, lines = 0;
    printf("packing   bodies       box           dt    impacts        ns   allowed\n");
    for (size_t p = 0; p < sizeof packings / sizeof packings[0]; p++) {
        for (uint32_t n = 1000; n <= most; n *= 10) {
            for (int k = 0; k < 4 && (packing == 0 || packing == packings[p]) && (bodies == 0 || bodies == n); k++) {
                missed += tell_gas(n, packings[p], k >= 2, k % 2 == 0 ? CAROM_F64 : CAROM_F32);
                lines += 4;
            }
        }
    }
    printf("%d of %d met\n", lines - missed, lines);
    return 0;
}
