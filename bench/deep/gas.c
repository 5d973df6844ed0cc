/* SPDX-License-Identifier: MIT
 * The deep engine: collisions a second of gases of 10^3 to 10^6 disks at three packings; building the grid; the queue.
 *
 * Cell crossings and other work without an event are not counted. Every gas runs for a while before it is timed; a run
 * of a case starts and ends at an epoch. The digest after the first unit of time is compared with that at width 1 for
 * gases of up to 10^4 disks.
 */
#include "bench/common/harness.h"

#include <stdio.h>
#include <stdlib.h>

#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64
#include "events/queue.h"
#include "grid/grid.h"

#define SIZES 4
#define PACKINGS 3
#define COMPARED 10000 /* disks at most */

typedef struct gas_case {
    size_t bodies;
    double packing;
    carom_precision precision;
    carom_isa isa;
    carom_gas *gas; /* made when first used */
} gas_case;

static carom_gas *make(const gas_case *c, carom_isa isa)
{
    carom_gas_desc desc = carom_gas_desc_default();
    carom_gas *gas;
    desc.bodies = c->bodies;
    desc.packing = c->packing;
    desc.precision = c->precision;
    desc.isa = isa;
    carom_bench_demand(carom_gas_create(&desc, &gas), "create a gas");
    carom_bench_demand(carom_gas_run(gas, 1, NULL, NULL), "run a gas");
    return gas;
}

static void prepare(gas_case *c)
{
    c->gas = make(c, c->isa);
    if (c->bodies <= COMPARED) {
        carom_gas *plain = make(c, CAROM_ISA_SCALAR);
        if (carom_gas_digest(plain) != carom_gas_digest(c->gas)) {
            carom_bench_die("%zu disks, packing %g: another state than at width 1", c->bodies, c->packing);
        }
        carom_gas_destroy(plain);
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
    gas_case *c = (gas_case *)(uintptr_t)argument;
    if (c->gas == NULL) {
        prepare(c);
    }
    const uint64_t before = collisions_of(c->gas);
    carom_bench_start(sample);
    carom_bench_demand(carom_gas_run(c->gas, (double)iterations, NULL, NULL), "run a gas");
    carom_bench_stop(sample);
    sample->items = (double)(collisions_of(c->gas) - before);
    const carom_gas_desc desc = carom_gas_describe(c->gas);
    sample->counters[0] = (double)carom_gas_bytes(&desc) / (double)desc.bodies;
}

/* ---- parts ---- */

#define PART_BODIES 100000u
#define PART_SIDE 396u /* cells a side: packing 0.5 */

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* Order of cells by counting, and every body into its cell. */
static void run_grid(const void *argument, uint64_t iterations, bench_sample *sample)
{
    (void)argument;
    grid g;
    grid_size(&g, PART_SIDE, PART_SIDE, true, true);
    g.places = carom_bench_take(grid_places(PART_SIDE, PART_SIDE), sizeof *g.places);
    g.next = carom_bench_take(PART_BODIES, sizeof *g.next);
    uint32_t *cells = carom_bench_take(PART_BODIES, sizeof *cells);
    int32_t *order = carom_bench_take(PART_BODIES, sizeof *order);
    uint32_t *starts = carom_bench_take((size_t)g.stride * g.stride + 1, sizeof *starts);
    uint64_t state = 1;
    for (uint32_t i = 0; i < PART_BODIES; i++) {
        cells[i] = grid_name(1 + draw(&state) % PART_SIDE, 1 + draw(&state) % PART_SIDE);
    }
    carom_bench_start(sample);
    for (uint64_t k = 0; k < iterations; k++) {
        grid_order(&g, PART_BODIES, cells, sizeof *cells, starts, order);
        grid_clear(&g);
        for (uint32_t i = 0; i < PART_BODIES; i++) {
            grid_insert(&g, cells[order[i]], order[i]);
        }
    }
    carom_bench_stop(sample);
    sample->items = (double)iterations * PART_BODIES;
    free(g.places);
    free(g.next);
    free(cells);
    free(order);
    free(starts);
}

/* One event comes up, its owner enters the next one. */
static void run_queue(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const uint32_t n = *(const uint32_t *)argument;
    queue *q = carom_bench_take(1, sizeof *q);
    double *keys = carom_bench_take(n, sizeof *keys);
    uint64_t state = 1;
    q->last = 1e6;
    queue_create(q, carom_bench_take((size_t)queue_buckets(n) + queue_pool(n), sizeof(queue_line)), n);
    q->length = 0.5;
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = draw(&state) * 0x1p-32;
    }
    queue_clear(q, 0);
    q->end = 0; /* all at the first refill */
    q->length = 0.5;
    double begin = 0;
    uint64_t done = 0;
    carom_bench_start(sample);
    while (done < iterations * n) {
        if (queue_advance(q) != QUEUE_READY) {
            if (q->end > 0) {
                queue_tune(q);
                begin = q->end;
            }
            queue_clear(q, begin);
            for (uint32_t i = 0; i < n; i++) {
                if (keys[i] < q->end) {
                    queue_insert(q, keys[i], (int32_t)i);
                }
            }
            continue;
        }
        const uint32_t last = --q->count;
        const int32_t who = q->who[last];
        keys[who] = q->key[last] + draw(&state) * 0x1p-32;
        done++;
        if (keys[who] < q->end && !queue_insert(q, keys[who], who)) {
            carom_bench_die("the pool of lines is exhausted");
        }
    }
    carom_bench_stop(sample);
    sample->items = (double)done;
    free(q->lines);
    free(keys);
    free(q);
}

int main(int argc, char **argv)
{
    static const bench_program program = {
        "Events of large worlds", "M/s", 1e-6, {"x scalar"}, {{"bytes_per_body", "bytes/body", 1}}};
    static const double packings[PACKINGS] = {0.3, 0.5, 0.7};
    static const uint32_t owners[] = {1000, 100000};
    static gas_case cases[SIZES * PACKINGS * 4];
    bench *b = carom_bench_create(argc, argv, &program);
    carom_isa isas[CAROM_ISA_COUNT];
    const size_t isa_count = carom_bench_isas(isas);
    size_t used = 0;
    for (size_t p = 0; p < PACKINGS; p++) {
        size_t bodies = 1000;
        for (size_t s = 0; s < (carom_bench_is_quick(b) ? 2 : SIZES); s++, bodies *= 10) {
            for (int k = 0; k < 4; k++) { /* f64 and f32; width 1 as a baseline */
                const bool scalar = k % 2 == 0;
                static size_t baseline;
                cases[used] = (gas_case){bodies, packings[p], k < 2 ? CAROM_F64 : CAROM_F32,
                                         scalar ? CAROM_ISA_SCALAR : isas[isa_count - 1], NULL};
                bench_case c = carom_bench_case(run_gas, &cases[used]);
                carom_bench_name(&c, "gas/%g/%zu/f%d/%s", packings[p], bodies, (int)cases[used].precision,
                                 carom_isa_name(cases[used].isa));
                c.baselines[0] = scalar ? BENCH_NONE : baseline;
                if (!scalar || bodies < 100000) {
                    const size_t number = carom_bench_add(b, &c);
                    baseline = scalar ? number : baseline;
                    used++;
                } else {
                    baseline = BENCH_NONE;
                }
            }
        }
    }
    bench_case c = carom_bench_case(run_grid, NULL);
    carom_bench_name(&c, "grid/build/%u", PART_BODIES);
    carom_bench_add(b, &c);
    for (size_t k = 0; k < 2; k++) {
        c = carom_bench_case(run_queue, &owners[k]);
        carom_bench_name(&c, "queue/hold/%u", owners[k]);
        carom_bench_add(b, &c);
    }
    return carom_bench_run(b);
}
