/* SPDX-License-Identifier: MIT
 * Times the kernels of kernels.c: nanoseconds a pair, as JSON on stdout. `main [ROUNDS]`; exit code 1 if a kernel is
 * wrong. Always compiled in the same way, independent of the kernels.
 *
 * A block of pairs is in the first cache when it is solved. Blocks alternate, and are copied there before the clock
 * starts: with a single block the processor would learn its branches.
 */
#include "kernels.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 512 /* pairs; 24 KiB of inputs and output in double precision */
#define BLOCKS 64
#define MOST_ROUNDS 101

double study_two_f64 = 2;
float study_two_f32 = 2;

/* Pairs whose numbers are floats, so that both precisions solve the same ones. */
typedef struct block {
    float px[BLOCK], py[BLOCK], vx[BLOCK], vy[BLOCK], r[BLOCK];
    double t[BLOCK]; /* solved in long double */
} block;

static block blocks[BLOCKS];

/* ---- the pairs ---- */

/* Uniform in [-1, 1); xorshift64. */
static double draw(void)
{
    static uint64_t state = 88172645463325252U;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(int32_t)(state >> 32) * 0x1p-31;
}

static void draw_direction(double *x, double *y)
{
    double length;
    do {
        *x = draw();
        *y = draw();
        length = sqrt(*x * *x + *y * *y);
    } while (length > 1 || length < 0.1);
    *x /= length;
    *y /= length;
}

static long double solve(long double px, long double py, long double vx, long double vy, long double r)
{
    const long double a = vx * vx + vy * vy, b = px * vx + py * vy, c = px * px + py * py - r * r;
    const long double d = b * b - a * c;
    return b >= 0 ? (long double)STUDY_NEVER : c <= 0 ? 0 : d < 0 ? (long double)STUDY_NEVER : c / (sqrtl(d) - b);
}

/* Half of the pairs approach, and half of these meet. The line of motion passes at a distance of 0 to 2 r, but not near
 * r, where rounding decides between hit and miss. */
static void draw_pair(block *to, size_t i)
{
    double x, y;
    draw_direction(&x, &y);
    const double r = 200 * (1.5 + draw()), along = r * (5.5 + 3.5 * draw()), speed = 600 * (1.5 + draw());
    double aside = 0.97 * draw() * r;
    if (draw() < 0) {
        aside += aside < 0 ? -1.03 * r : 1.03 * r;
    }
    const double way = draw() < 0 ? -speed : speed;
    to->px[i] = (float)(along * x - aside * y);
    to->py[i] = (float)(along * y + aside * x);
    to->vx[i] = (float)(way * x);
    to->vy[i] = (float)(way * y);
    to->r[i] = (float)r;
    to->t[i] = (double)solve(to->px[i], to->py[i], to->vx[i], to->vy[i], to->r[i]);
}

/* ---- the clock ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* What reading the clock twice takes, in nanoseconds. */
static double clock_cost(void)
{
    double costs[MOST_ROUNDS];
    for (size_t i = 0; i < MOST_ROUNDS; i++) {
        const double start = now();
        costs[i] = now() - start;
    }
    return median(costs, MOST_ROUNDS);
}

/* ---- the kernels ---- */

static void check(const char *name, const block *b, size_t i, double t, double tolerance)
{
    if (!(fabs(t - b->t[i]) <= tolerance * b->t[i])) {
        fprintf(stderr, "%s: time %.17g, expected %.17g\n", name, t, b->t[i]);
        exit(1);
    }
}

/* The buffers of a precision, and one round of a kernel: nanoseconds a pair over all blocks. Either `scalar` or
 * `arrays` is null. */
#define ROUND(bits, type, tolerance)                                                                                   \
    typedef type scalar_f##bits(type, type, type, type, type);                                                         \
    typedef void arrays_f##bits(size_t, const type *, const type *, const type *, const type *, const type *, type *); \
                                                                                                                       \
    static type px_f##bits[BLOCK], py_f##bits[BLOCK], vx_f##bits[BLOCK], vy_f##bits[BLOCK], r_f##bits[BLOCK];          \
    static type t_f##bits[BLOCK];                                                                                      \
                                                                                                                       \
    static double solve_block_f##bits(scalar_f##bits *scalar, arrays_f##bits *arrays)                                  \
    {                                                                                                                  \
        const double start = now();                                                                                    \
        if (arrays) {                                                                                                  \
            arrays(BLOCK, px_f##bits, py_f##bits, vx_f##bits, vy_f##bits, r_f##bits, t_f##bits);                       \
        } else {                                                                                                       \
            for (size_t i = 0; i < BLOCK; i++) {                                                                       \
                t_f##bits[i] = scalar(px_f##bits[i], py_f##bits[i], vx_f##bits[i], vy_f##bits[i], r_f##bits[i]);       \
            }                                                                                                          \
        }                                                                                                              \
        return now() - start;                                                                                          \
    }                                                                                                                  \
                                                                                                                       \
    static double round_f##bits(const char *name, scalar_f##bits *scalar, arrays_f##bits *arrays, bool checked)        \
    {                                                                                                                  \
        double sum = 0;                                                                                                \
        for (size_t k = 0; k < BLOCKS; k++) {                                                                          \
            const block *b = &blocks[k];                                                                               \
            for (size_t i = 0; i < BLOCK; i++) {                                                                       \
                px_f##bits[i] = b->px[i];                                                                              \
                py_f##bits[i] = b->py[i];                                                                              \
                vx_f##bits[i] = b->vx[i];                                                                              \
                vy_f##bits[i] = b->vy[i];                                                                              \
                r_f##bits[i] = b->r[i];                                                                                \
                t_f##bits[i] = -1;                                                                                     \
            }                                                                                                          \
            sum += solve_block_f##bits(scalar, arrays);                                                                \
            for (size_t i = 0; i < BLOCK && checked; i++) {                                                            \
                check(name, b, i, t_f##bits[i], tolerance);                                                            \
            }                                                                                                          \
        }                                                                                                              \
        return sum / (BLOCK * BLOCKS);                                                                                 \
    }

ROUND(64, double, 1e-10)
ROUND(32, float, 2e-3)

typedef struct kernel {
    const char *name;
    double (*round)(const char *name, bool checked);
} kernel;

#define DEFINE_ROUNDS(formula, square, bits, type)                                                                     \
    static double round_scalar_##formula##_##square##_f##bits(const char *name, bool checked)                          \
    {                                                                                                                  \
        return round_f##bits(name, study_scalar_##formula##_##square##_f##bits, NULL, checked);                        \
    }                                                                                                                  \
                                                                                                                       \
    static double round_arrays_##formula##_##square##_f##bits(const char *name, bool checked)                          \
    {                                                                                                                  \
        return round_f##bits(name, NULL, study_arrays_##formula##_##square##_f##bits, checked);                        \
    }

#define LIST_ROUNDS(formula, square, bits, type)                                                                       \
    {"study_scalar_" #formula "_" #square "_f" #bits, round_scalar_##formula##_##square##_f##bits},                    \
        {"study_arrays_" #formula "_" #square "_f" #bits, round_arrays_##formula##_##square##_f##bits},

STUDY_KERNELS(DEFINE_ROUNDS)
static const kernel kernels[] = {STUDY_KERNELS(LIST_ROUNDS)};
#define KERNELS (sizeof kernels / sizeof *kernels)

int main(int argc, char **argv)
{
    const long asked = argc > 1 ? strtol(argv[1], NULL, 10) : 21;
    if (asked < 1 || asked > MOST_ROUNDS) {
        fprintf(stderr, "usage: %s [ROUNDS], 1 to %d\n", argv[0], MOST_ROUNDS);
        return 2;
    }
    for (size_t k = 0; k < BLOCKS; k++) {
        for (size_t i = 0; i < BLOCK; i++) {
            draw_pair(&blocks[k], i);
        }
    }
    /* Round by round: a machine that slows down for a while slows all kernels. */
    static double times[KERNELS][MOST_ROUNDS];
    const double cost = clock_cost() / BLOCK;
    for (size_t round = 0; round < (size_t)asked; round++) {
        for (size_t k = 0; k < KERNELS; k++) {
            times[k][round] = kernels[k].round(kernels[k].name, round == 0) - cost;
        }
    }
    for (size_t k = 0; k < KERNELS; k++) {
        printf("%s\n  {\"kernel\": \"%s\", \"ns_per_pair\": %.4f}", k == 0 ? "[" : ",", kernels[k].name,
               median(times[k], (size_t)asked));
    }
    printf("\n]\n");
    return 0;
}
