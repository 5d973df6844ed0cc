/* SPDX-License-Identifier: MIT
 * bench_literature PACKING START SEED SETTLE TIME: one run of the comparison with the literature, bench/literature.
 *
 * 870 disks in a square periodic box at PACKING. START is `lattice`, or `fluid`: a gas at 0.5 that is compressed. The
 * gas runs for SETTLE units of time without measuring, then for PARTS times a PARTS-th of TIME. Prints one line:
 *     packing start seed settle time steps collisions seconds digest Z ...
 * where steps are those of the compression, followed by the PARTS values of Z, the compressibility factor.
 */
#include <carom/carom.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BODIES 870
#define PARTS 64        /* equal parts of the time that is measured */
#define LOOSE 0.5       /* the packing at which a fluid begins */
#define LOOSE_TIME 32.0 /* which it needs to forget its lattice */
#define STEP_TIME 0.125 /* between two steps of a compression */
#define GAP 1e-7        /* that a step leaves between the two nearest disks */

typedef struct state {
    double x[BODIES], y[BODIES], vx[BODIES], vy[BODIES];
} state;

static void must(carom_status status, const char *what)
{
    if (status != CAROM_OK) {
        fprintf(stderr, "bench_literature: %s: %s\n", what, carom_status_string(status));
        exit(1);
    }
}

static carom_gas *make(double packing, uint64_t seed)
{
    carom_gas_desc desc = carom_gas_desc_default();
    desc.bodies = BODIES;
    desc.packing = packing;
    desc.seed = seed;

    carom_gas *gas = NULL;
    must(carom_gas_create(&desc, &gas), "create");
    return gas;
}

static void run(carom_gas *gas, double time)
{
    must(carom_gas_run(gas, time, NULL, NULL), "run");
}

/* A distance along one axis, to the nearest image. */
static double nearest(double d, double side)
{
    return d < side - d ? d : side - d;
}

/* The least distance of two centres, from 1 on, each to the nearest image of the other. */
static double least_distance(const state *s, double side)
{
    double least = INFINITY;
    for (int i = 0; i < BODIES; i++) {
        for (int j = 0; j < i; j++) {
            const double dx = nearest(fabs(s->x[i] - s->x[j]), side);
            const double dy = nearest(fabs(s->y[i] - s->y[j]), side);
            const double square = dx * dx + dy * dy;
            least = square < least ? square : least;
        }
    }
    return fmax(sqrt(least), 1);
}

/* The same gas in a box that is smaller by the factor `scale`. Destroys the one it is given. */
static carom_gas *shrink(carom_gas *gas, state *s, double scale, double packing)
{
    carom_gas *smaller = make(packing, carom_gas_describe(gas).seed);
    const double most = nextafter(carom_gas_side(smaller), 0);
    for (int i = 0; i < BODIES; i++) {
        s->x[i] = fmin(s->x[i] * scale, most);
        s->y[i] = fmin(s->y[i] * scale, most);
    }
    must(carom_gas_set(smaller, s->x, s->y, s->vx, s->vy), "set");
    carom_gas_destroy(gas);
    return smaller;
}

/* A fluid is compressed step by step: the box shrinks until the two nearest disks nearly touch, and all move on for a
 * moment. */
static carom_gas *compress(double packing, uint64_t seed, unsigned long *steps)
{
    static state s;
    carom_gas *gas = make(LOOSE, seed);
    run(gas, LOOSE_TIME);

    for (double reached = LOOSE; reached < packing; ++*steps) {
        run(gas, STEP_TIME);
        must(carom_gas_get(gas, s.x, s.y, s.vx, s.vy), "get");

        const double least = fmax(least_distance(&s, carom_gas_side(gas)) - GAP, 1);
        const double next = fmin(reached * least * least, packing);
        gas = shrink(gas, &s, sqrt(reached / next), next);
        reached = next;
    }
    return gas;
}

static double seconds_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 6 || (strcmp(argv[2], "lattice") != 0 && strcmp(argv[2], "fluid") != 0)) {
        fprintf(stderr, "usage: bench_literature PACKING lattice|fluid SEED SETTLE TIME\n");
        return 2;
    }
    const double packing = atof(argv[1]), settle = atof(argv[4]), time = atof(argv[5]);
    const uint64_t seed = strtoull(argv[3], NULL, 10);

    const double began = seconds_now();
    unsigned long steps = 0;
    carom_gas *gas = strcmp(argv[2], "fluid") == 0 ? compress(packing, seed, &steps) : make(packing, seed);
    run(gas, settle);

    double z[PARTS];
    uint64_t collisions = 0;
    for (int k = 0; k < PARTS; k++) {
        carom_gas_measures m;
        carom_gas_forget(gas);
        run(gas, time / PARTS);
        must(carom_gas_measure(gas, &m), "measure");
        z[k] = m.compressibility;
        collisions += m.collisions;
    }

    printf("%s %s %s %g %g %lu %" PRIu64 " %.1f %016" PRIx64, argv[1], argv[2], argv[3], settle, time, steps,
           collisions, seconds_now() - began, carom_gas_digest(gas));
    for (int k = 0; k < PARTS; k++) {
        printf(" %.7f", z[k]);
    }
    printf("\n");
    carom_gas_destroy(gas);
    return 0;
}
