/* SPDX-License-Identifier: MIT
 * A watched gas against an unwatched one: collisions a second without a laboratory, in one, with a sample each unit of
 * time, with all events, and with a default probe.
 */
#include "bench/common/harness.h"

#include <math.h>
#include <stdlib.h>

#define CASES 5
#define SIZES 2
#define PACKINGS 2

typedef enum watched { ALONE, UNWATCHED, SAMPLED, EVENTS, PROBED } watched;

typedef struct watched_case {
    size_t bodies;
    double packing;
    watched how;
    carom_gas *gas; /* made when first used */
    carom_lab *lab;
    double time;   /* that an iteration runs: an epoch, or all that comes between two samples of a probe */
    uint64_t told; /* samples and events, so that none is left out */
} watched_case;

static bool take_sample(void *user, const carom_lab_frame *frame)
{
    ((watched_case *)user)->told += frame->x[0] >= 0;
    return true;
}

static bool take_events(void *user, const carom_lab_event *events, size_t count)
{
    (void)events;
    ((watched_case *)user)->told += count;
    return true;
}

static void prepare(watched_case *c)
{
    carom_gas_desc desc = carom_gas_desc_default();
    desc.bodies = c->bodies;
    desc.packing = c->packing;
    carom_bench_demand(carom_gas_create(&desc, &c->gas), "create a gas");
    carom_bench_demand(carom_gas_run(c->gas, 8, NULL, NULL), "run a gas");
    carom_bench_demand(carom_lab_of_gas(c->gas, &c->lab), "create a laboratory");

    unsigned number;
    const carom_lab_watcher watcher = {.interval = 1,
                                       .sample = c->how == SAMPLED ? take_sample : NULL,
                                       .window = INFINITY,
                                       .events = c->how == EVENTS ? take_events : NULL,
                                       .user = c};
    c->time = CAROM_GAS_EPOCH;
    if (c->how == PROBED) {
        const carom_probe_desc probed = carom_probe_desc_default();
        carom_probe *probe;
        carom_probe_measures m;
        carom_bench_demand(carom_probe_create(c->lab, &probed, &probe), "create a probe");
        carom_bench_demand(carom_probe_results(probe, &m), "ask a probe");
        c->time = m.interval;
    } else if (c->how >= SAMPLED) {
        carom_bench_demand(carom_lab_watch(c->lab, &watcher, &number), "watch a laboratory");
    }
}

static uint64_t collisions_of(const carom_gas *gas)
{
    carom_gas_measures m;
    carom_bench_demand(carom_gas_measure(gas, &m), "measure a gas");
    return m.collisions;
}

static void run_gas(const void *argument, uint64_t iterations, bench_sample *sample)
{
    watched_case *c = (watched_case *)(uintptr_t)argument;
    if (c->gas == NULL) {
        prepare(c);
    }
    const uint64_t before = collisions_of(c->gas);
    const double time = c->time * (double)iterations;
    carom_bench_start(sample);
    carom_bench_demand(c->how == ALONE ? carom_gas_run(c->gas, time, NULL, NULL)
                                       : carom_lab_run(c->lab, time, NULL, NULL),
                       "run a gas");
    carom_bench_stop(sample);
    sample->items = (double)(collisions_of(c->gas) - before);
    if ((c->how == SAMPLED || c->how == EVENTS) && c->told == 0) {
        carom_bench_die("nothing was told");
    }
}

int main(int argc, char **argv)
{
    static const bench_program program = {"A gas that is watched", "M/s", 1e-6, {"x alone"}, {{NULL}}};
    static const char *const names[CASES] = {"alone", "unwatched", "samples", "events", "probe"};
    static const double packings[PACKINGS] = {0.5, 0.7};
    static watched_case cases[CASES * SIZES * PACKINGS];
    bench *b = carom_bench_create(argc, argv, &program);
    size_t used = 0;
    for (size_t p = 0; p < PACKINGS; p++) {
        size_t bodies = 1000;
        for (size_t s = 0; s < (carom_bench_is_quick(b) ? 1 : SIZES); s++, bodies *= 10) {
            size_t baseline = BENCH_NONE;
            for (int k = 0; k < CASES; k++, used++) {
                cases[used] = (watched_case){.bodies = bodies, .packing = packings[p], .how = (watched)k};
                bench_case c = carom_bench_case(run_gas, &cases[used]);
                carom_bench_name(&c, "watched/%g/%zu/%s", packings[p], bodies, names[k]);
                c.baselines[0] = k == ALONE ? BENCH_NONE : baseline;
                const size_t number = carom_bench_add(b, &c);
                baseline = k == ALONE ? number : baseline;
            }
        }
    }
    return carom_bench_run(b);
}
