/* SPDX-License-Identifier: MIT
 * Time of impact over arrays: pairs a second in the first and second cache and in memory, for every instruction set.
 *
 * Baselines: width 1 of the same source, the equation in plain C, and for memory a copy (memcpy) that reads and writes
 * as many bytes in total as the case. Every run's results are compared with those of the plain C.
 */
#include "bench/common/harness.h"
#include "bench/common/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS 5 /* px, py, vx, vy, r */
#define APART 64 /* bytes between two arrays, so that they do not begin at the same place of a cache */
#define LIMIT 1  /* of `within` */
#define SPAN 8000
#define SPEED 1000
#define RADII 800

typedef enum function { CIRCLES, WITHIN, FUNCTIONS } function;

static const char *const function_names[FUNCTIONS] = {"circles", "within"};

/* The pairs of one size and precision; made when first used. */
typedef struct pairs {
    size_t count;
    carom_precision precision;
    unsigned char *arrays;        /* the inputs one after the other, then the output; NULL: not made yet */
    uint64_t expected[FUNCTIONS]; /* checksum of the output */
} pairs;

typedef struct toi_case {
    pairs *pairs;
    function function;
    carom_isa isa; /* CAROM_ISA_DEFAULT: the plain C */
} toi_case;

static size_t stride_of(const pairs *p)
{
    return (p->count * (p->precision / 8) + 63) / 64 * 64 + APART;
}

static void *array_of(const pairs *p, size_t index)
{
    return p->arrays + index * stride_of(p);
}

static size_t output_bytes(const pairs *p, function f)
{
    return f == CIRCLES ? p->count * (p->precision / 8) : (p->count + 63) / 64 * 8;
}

/* Read and written by one call. */
static size_t bytes_of(const pairs *p, function f)
{
    return INPUTS * p->count * (p->precision / 8) + output_bytes(p, f);
}

/* ---- the plain C: the equation as one writes it down, not minding NaN and overflow ---- */

#define PLAIN(bits, real, root)                                                                                        \
    static real plain_time_f##bits(real px, real py, real vx, real vy, real r)                                         \
    {                                                                                                                  \
        const real b = px * vx + py * vy;                                                                              \
        if (b >= 0) {                                                                                                  \
            return (real)INFINITY;                                                                                     \
        }                                                                                                              \
        const real c = px * px + py * py - r * r;                                                                      \
        if (c <= 0) {                                                                                                  \
            return 0;                                                                                                  \
        }                                                                                                              \
        const real cross = px * vy - py * vx, d = r * r * (vx * vx + vy * vy) - cross * cross;                         \
        return d < 0 ? (real)INFINITY : c / (-b + root(d));                                                            \
    }                                                                                                                  \
                                                                                                                       \
    static void plain_circles_f##bits(size_t n, const carom_toi_pairs_f##bits *p, real *t)                             \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            t[i] = plain_time_f##bits(p->px[i], p->py[i], p->vx[i], p->vy[i], p->r[i]);                                \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void plain_within_f##bits(size_t n, const carom_toi_pairs_f##bits *p, real limit, uint64_t *mask)           \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i += 64) {                                                                           \
            uint64_t word = 0;                                                                                         \
            for (size_t k = i; k < n && k < i + 64; k++) {                                                             \
                real t = plain_time_f##bits(p->px[k], p->py[k], p->vx[k], p->vy[k], p->r[k]);                          \
                word |= (uint64_t)(t <= limit) << (k - i);                                                             \
            }                                                                                                          \
            mask[i / 64] = word;                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void call_f##bits(const toi_case *c)                                                                        \
    {                                                                                                                  \
        const pairs *q = c->pairs;                                                                                     \
        const carom_toi_pairs_f##bits p = {array_of(q, 0), array_of(q, 1), array_of(q, 2), array_of(q, 3),             \
                                           array_of(q, 4)};                                                            \
        void *output = array_of(q, INPUTS);                                                                            \
        if (c->isa == CAROM_ISA_DEFAULT) {                                                                             \
            if (c->function == CIRCLES) {                                                                              \
                plain_circles_f##bits(q->count, &p, output);                                                           \
            } else {                                                                                                   \
                plain_within_f##bits(q->count, &p, LIMIT, output);                                                     \
            }                                                                                                          \
        } else {                                                                                                       \
            const carom_toi_contacts_f##bits out = {.t = output};                                                      \
            carom_bench_demand(c->function == CIRCLES ? carom_toi_circles_f##bits(CAROM_TOI_FAST, q->count, &p, &out)  \
                                                      : carom_toi_circles_within_f##bits(q->count, &p, LIMIT, output), \
                               "solve");                                                                               \
        }                                                                                                              \
    }

PLAIN(32, float, sqrtf)
PLAIN(64, double, sqrt)

static void call(const toi_case *c)
{
    if (c->pairs->precision == CAROM_F32) {
        call_f32(c);
    } else {
        call_f64(c);
    }
    __asm__ volatile("" ::: "memory"); /* every call counts, although the next one overwrites it */
}

/* ---- the pairs ---- */

/* Uniform in [-1, 1); xorshift64. */
static float draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (float)(int32_t)(*state >> 40) * 0x1p-23f - 1;
}

static uint64_t checksum(const pairs *p, function f)
{
    const unsigned char *bytes = array_of(p, INPUTS);
    const size_t count = output_bytes(p, f); /* a multiple of 8: that of the pairs is one of 64 */
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

static void make(pairs *p)
{
    static const float scales[INPUTS] = {SPAN, SPAN, SPEED, SPEED, 0};
    uint64_t state = 1;
    p->arrays = carom_bench_take(INPUTS + 1, stride_of(p));
    for (size_t k = 0; k < INPUTS; k++) {
        float *singles = array_of(p, k);
        double *doubles = array_of(p, k);
        for (size_t i = 0; i < p->count; i++) {
            float value = k == 4 ? RADII : scales[k] * draw(&state);
            if (p->precision == CAROM_F32) {
                singles[i] = value;
            } else {
                doubles[i] = value;
            }
        }
    }
    for (function f = CIRCLES; f < FUNCTIONS; f++) {
        call(&(toi_case){p, f, CAROM_ISA_DEFAULT});
        p->expected[f] = checksum(p, f);
    }
}

/* ---- the bodies ---- */

static void keep_sums(const toi_case *c, uint64_t iterations, bench_sample *sample)
{
    sample->items = (double)iterations * (double)c->pairs->count;
    sample->counters[0] = (double)iterations * (double)bytes_of(c->pairs, c->function) / sample->seconds;
}

static void run_solver(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const toi_case *c = argument;
    if (c->pairs->arrays == NULL) {
        make(c->pairs);
    }
    if (c->isa != CAROM_ISA_DEFAULT) {
        carom_bench_demand(carom_isa_force(c->isa), "choose an instruction set");
    }
    memset(array_of(c->pairs, INPUTS), 0xff, output_bytes(c->pairs, c->function));
    carom_bench_start(sample);
    for (uint64_t i = 0; i < iterations; i++) {
        call(c);
    }
    carom_bench_stop(sample);
    carom_bench_demand(carom_isa_force(CAROM_ISA_DEFAULT), "choose an instruction set");
    if (checksum(c->pairs, c->function) != c->pairs->expected[c->function]) {
        carom_bench_die("%s, f%d, %s, %zu pairs: another answer than plain C's", function_names[c->function],
                        (int)c->pairs->precision, carom_isa_name(c->isa), c->pairs->count);
    }
    keep_sums(c, iterations, sample);
}

/* The bytes that it writes, and as many that it reads, are together those of the function. */
static void run_copy(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const toi_case *c = argument;
    const size_t half = bytes_of(c->pairs, c->function) / 2;
    unsigned char *from = carom_bench_take(half, 1), *to = carom_bench_take(half, 1);
    memset(from, 1, half);
    memset(to, 2, half);
    carom_bench_start(sample);
    for (uint64_t i = 0; i < iterations; i++) {
        memcpy(to, from, half);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    carom_bench_stop(sample);
    free(from);
    free(to);
    keep_sums(c, iterations, sample);
}

/* ---- the cases ---- */

enum { L1, L2, MEMORY, PLACES };

static const char *const place_names[PLACES] = {"L1", "L2", "memory"};

/* All arrays together fill three quarters of the first cache, half of the second, four times the third. */
static size_t count_for(const machine *m, int place, carom_precision precision)
{
    size_t bytes = place == L1   ? carom_machine_cache(m, 1) / 4 * 3
                   : place == L2 ? carom_machine_cache(m, 2) / 2
                                 : carom_machine_cache(m, 3) * 4;
    bytes = bytes < (size_t)1 << 30 ? bytes : (size_t)1 << 30;
    return bytes / ((INPUTS + 1) * (precision / 8)) / 64 * 64;
}

#define MOST (PLACES * 2 * FUNCTIONS * (CAROM_ISA_COUNT + 1))

int main(int argc, char **argv)
{
    static const bench_program program = {"Time of impact of circles over arrays",
                                          "G pairs/s",
                                          1e-9,
                                          {"x scalar", "x plain C", "x copy"},
                                          {{"bytes_per_second", "GB/s", 1e-9}}};
    static pairs data[PLACES][2];
    static toi_case arguments[MOST];
    bench *b = carom_bench_create(argc, argv, &program);
    carom_isa isas[CAROM_ISA_COUNT];
    const size_t isa_count = carom_bench_isas(isas);
    const machine m = carom_machine_read();
    size_t used = 0;
    for (size_t n = 0; n < PLACES * 2 * FUNCTIONS; n++) {
        const int place = (int)(n % PLACES);
        const function f = (function)(n / PLACES % FUNCTIONS);
        const carom_precision precision = n / PLACES / FUNCTIONS == 0 ? CAROM_F32 : CAROM_F64;
        pairs *p = &data[place][precision == CAROM_F64];
        p->count = count_for(&m, place, precision);
        p->precision = precision;

        size_t baselines[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
        arguments[used] = (toi_case){p, f, CAROM_ISA_DEFAULT};
        if (place == MEMORY) {
            bench_case copy = carom_bench_case(run_copy, &arguments[used]);
            carom_bench_name(&copy, "toi/%s/f%d/copy/%s", function_names[f], (int)precision, place_names[place]);
            baselines[2] = carom_bench_add(b, &copy);
        }
        bench_case plain = carom_bench_case(run_solver, &arguments[used++]);
        carom_bench_name(&plain, "toi/%s/f%d/plain_c/%s", function_names[f], (int)precision, place_names[place]);
        baselines[1] = carom_bench_add(b, &plain);
        for (size_t i = 0; i < isa_count; i++) {
            arguments[used] = (toi_case){p, f, isas[i]};
            bench_case c = carom_bench_case(run_solver, &arguments[used++]);
            carom_bench_name(&c, "toi/%s/f%d/%s/%s", function_names[f], (int)precision, carom_isa_name(isas[i]),
                             place_names[place]);
            memcpy(c.baselines, baselines, sizeof baselines);
            const size_t number = carom_bench_add(b, &c);
            baselines[0] = i == 0 ? number : baselines[0];
        }
    }
    return carom_bench_run(b);
}
