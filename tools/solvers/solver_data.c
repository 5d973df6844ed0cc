/* SPDX-License-Identifier: MIT
 * Draws the arrays, calls the solvers, and compares their results with those at width 1.
 */
#include "solver_data.h"

#include "../command/command.h"
#include "base/memory.h"

#include <carom/toi_accelerated.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS 5 /* of a body: x, y, vx, vy, r */
#define MOST_INPUTS 9
#define APART 64 /* bytes between two arrays, so that they do not start in the same cache set */
#define SPAN 8000
#define SPEED 1000
#define PUSH 250   /* greatest acceleration along an axis */
#define RADIUS 800 /* of a body; of a pair together, twice that */

const char *const carom_shape_names[SHAPES + 1] = {"pairs",    "indexed", "one",     "first",
                                                   "segments", "boxes",   "polygon", "accelerated"};

static const unsigned inputs_of[SHAPES] = {INPUTS, INPUTS, INPUTS, INPUTS, INPUTS + 4, INPUTS + 4, INPUTS, INPUTS + 2};

#define CORNERS(unit)                                                                                                  \
    {4 * (unit), unit, 0, -(unit), -4 * (unit), -(unit), 0, unit},                                                     \
    {                                                                                                                  \
        0, unit, 4 * (unit), unit, 0, -(unit), -4 * (unit), -(unit)                                                    \
    }
static const float corners_f32[2][POLYGON_CORNERS] = {CORNERS(1000)};
static const double corners_f64[2][POLYGON_CORNERS] = {CORNERS(1000)};

int carom_solver_count(solver_shape shape)
{
    return shape < CIRCLE_SHAPES ? CAROM_TOI_VARIANTS : shape == SHAPE_ACCELERATED ? CAROM_QUARTIC_VARIANTS : 1;
}

const char *carom_solver_name(solver_shape shape, int variant)
{
    static const char *const quartics[CAROM_QUARTIC_VARIANTS] = {"bracketed", "ferrari"};
    return shape < CIRCLE_SHAPES        ? carom_toi_variant_describe(variant)->name
           : shape == SHAPE_ACCELERATED ? quartics[variant]
                                        : "continuous";
}

bool carom_solver_has_lanes(solver_shape shape, int variant)
{
    return shape >= CIRCLE_SHAPES || carom_toi_variant_describe(variant)->lanes;
}

/* `first` finds the earliest impacts of several bodies at once. Their times and indices are stored in place of the
 * times of pairs. */
#define FIRST_ANSWERS (FIRST_BODIES * (sizeof(double) + sizeof(int32_t)))

static size_t first_bodies(size_t count)
{
    return count < FIRST_BODIES ? count : FIRST_BODIES;
}

static void *array_of(const solver_data *data, size_t index)
{
    return data->inputs + index * data->stride;
}

unsigned carom_solver_bytes(solver_shape shape, carom_precision precision)
{
    const unsigned real = precision / 8;
    switch (shape) {
    case SHAPE_INDEXED:
        return 2 * (unsigned)sizeof(int32_t) + real;
    case SHAPE_FIRST:
        return INPUTS * real;
    default:
        return (inputs_of[shape] + 1) * real;
    }
}

size_t carom_solver_bodies(solver_shape shape, carom_precision precision)
{
    const size_t numbers = shape == SHAPE_INDEXED   ? (size_t)INPUTS * INDEXED_BODIES
                           : shape == SHAPE_POLYGON ? (size_t)2 * POLYGON_CORNERS
                                                    : 0;
    return numbers * (precision / 8);
}

/* ---- one call ---- */

#define CALL_LANES(bits, real)                                                                                         \
    static carom_status call_f##bits(const solver_data *data, int variant, size_t from, size_t count)                  \
    {                                                                                                                  \
        const size_t at = data->shape == SHAPE_INDEXED ? 0 : from;                                                     \
        const real *x[MOST_INPUTS] = {0};                                                                              \
        for (size_t k = 0; k < inputs_of[data->shape]; k++) {                                                          \
            x[k] = (const real *)array_of(data, k) + at;                                                               \
        }                                                                                                              \
        const carom_toi_pairs_f##bits pairs = {x[0], x[1], x[2], x[3], x[4]};                                          \
        const carom_toi_bodies_f##bits bodies = {x[0], x[1], x[2], x[3], x[4]};                                        \
        const carom_toi_body_f##bits one = {0, 0, 0, 0, RADIUS};                                                       \
        real *const times = (real *)(void *)data->times + from;                                                        \
        const carom_toi_contacts_f##bits out = {.t = times};                                                           \
        const carom_toi_hits_f##bits hits = {.t = times};                                                              \
        const carom_toi_segments_f##bits segments = {x[5], x[6], x[7], x[8]};                                          \
        const carom_toi_boxes_f##bits boxes = {x[5], x[6], x[7], x[8]};                                                \
        const carom_toi_motion_f##bits motion = {x[0], x[1], x[2], x[3], x[4], x[5], x[6]};                            \
        switch (data->shape) {                                                                                         \
        case SHAPE_PAIRS:                                                                                              \
            return carom_toi_circles_f##bits(variant, count, &pairs, &out);                                            \
        case SHAPE_INDEXED:                                                                                            \
            return carom_toi_circles_indexed_f##bits(variant, count, INDEXED_BODIES, &bodies, data->i + from,          \
                                                     data->j + from, &out);                                            \
        case SHAPE_ONE:                                                                                                \
            return carom_toi_circles_one_f##bits(variant, &one, count, &bodies, &out);                                 \
        case SHAPE_SEGMENTS:                                                                                           \
            return carom_toi_segment_f##bits(CAROM_DETECTION_CONTINUOUS, count, &bodies, &segments, (real)INFINITY,    \
                                             &hits);                                                                   \
        case SHAPE_BOXES:                                                                                              \
            return carom_toi_box_f##bits(CAROM_DETECTION_CONTINUOUS, count, &bodies, &boxes, (real)INFINITY, &hits);   \
        case SHAPE_POLYGON:                                                                                            \
            return carom_toi_polygon_f##bits(CAROM_DETECTION_CONTINUOUS, count, &bodies, POLYGON_CORNERS,              \
                                             corners_f##bits[0], corners_f##bits[1], (real)INFINITY, &hits);           \
        case SHAPE_ACCELERATED:                                                                                        \
            return carom_toi_accelerated_f##bits((carom_toi_quartic)variant, count, &motion, (real)INFINITY, times);   \
        default:                                                                                                       \
            return carom_toi_circles_first_f##bits(variant, first_bodies(count), &bodies, count, &bodies,              \
                                                   (real *)(void *)data->times,                                        \
                                                   (int32_t *)(void *)data->times + (size_t)2 * FIRST_BODIES);         \
        }                                                                                                              \
    }

CALL_LANES(32, float)
CALL_LANES(64, double)

static void call(const solver_data *data, int variant, size_t from, size_t count)
{
    const carom_status status =
        data->precision == CAROM_F32 ? call_f32(data, variant, from, count) : call_f64(data, variant, from, count);
    if (status != CAROM_OK) {
        carom_die("cannot solve: %s", carom_status_string(status));
    }
}

size_t carom_solver_call(solver_data *data, int variant)
{
    const size_t left = data->n - data->cursor, count = left < CALL_MOST ? left : CALL_MOST;
    call(data, variant, data->cursor, count);
    data->cursor = count == left ? 0 : data->cursor + count;
    return data->shape == SHAPE_FIRST ? first_bodies(count) * count : count;
}

/* ---- the arrays ---- */

/* xorshift64 */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Uniform in [-scale, scale). */
static float draw_real(uint64_t *state, float scale)
{
    return scale * ((float)(int32_t)(draw(state) >> 40) * 0x1p-23f - 1);
}

static void put(const solver_data *data, size_t k, size_t index, float value)
{
    if (data->precision == CAROM_F32) {
        ((float *)array_of(data, k))[index] = value;
    } else {
        ((double *)array_of(data, k))[index] = value;
    }
}

/* A wall of up to half the span, or a body's acceleration. */
static void fill_rest(const solver_data *data, size_t index, uint64_t *state)
{
    for (size_t axis = 0; axis < 2; axis++) {
        if (data->shape == SHAPE_ACCELERATED) {
            put(data, 4 + axis, index, draw_real(state, PUSH));
        } else {
            const float from = draw_real(state, SPAN), length = draw_real(state, SPAN / 2.0F);
            put(data, 5 + axis, index, from);
            put(data, 7 + axis, index, from + (data->shape == SHAPE_BOXES ? fabsf(length) : length));
        }
    }
}

static void fill(const solver_data *data)
{
    uint64_t state = 1;
    const bool together = data->shape == SHAPE_PAIRS || data->shape == SHAPE_ACCELERATED;
    for (size_t index = 0; index < data->numbers; index++) {
        put(data, 0, index, draw_real(&state, SPAN));
        put(data, 1, index, draw_real(&state, SPAN));
        put(data, 2, index, draw_real(&state, SPEED));
        put(data, 3, index, draw_real(&state, SPEED));
        put(data, data->shape == SHAPE_ACCELERATED ? 6 : 4, index, together ? 2 * RADIUS : RADIUS);
        if (inputs_of[data->shape] > INPUTS) {
            fill_rest(data, index, &state);
        }
    }
    for (size_t k = 0; k < data->n && data->i != NULL; k++) {
        const uint64_t drawn = draw(&state) >> 32;
        data->i[k] = (int32_t)(drawn % INDEXED_BODIES);
        data->j[k] = (int32_t)((drawn + 1 + (drawn >> 8) % (INDEXED_BODIES - 1)) % INDEXED_BODIES); /* another one */
    }
    memset(data->times, 0xff, data->n * (data->precision / 8)); /* so that the pages exist before the timing */
}

/* Bytes of the arrays of bodies or pairs, of the times, of a list of indices. False if they do not fit into size_t. */
typedef struct array_sizes {
    size_t stride, times, list, all;
} array_sizes;

static bool array_sizes_of(solver_shape shape, carom_precision precision, size_t n, array_sizes *sizes)
{
    const size_t numbers = shape == SHAPE_INDEXED ? INDEXED_BODIES : n;
    if (n > SIZE_MAX / 128) {
        return false;
    }
    sizes->stride = memory_aligned(numbers * (precision / 8)) + APART;
    sizes->times = memory_aligned(n * (precision / 8) + FIRST_ANSWERS) + APART;
    sizes->list = shape == SHAPE_INDEXED ? memory_aligned(n * sizeof(int32_t)) + APART : 0;
    sizes->all = inputs_of[shape] * sizes->stride + sizes->times + 2 * sizes->list;
    return true;
}

size_t carom_solver_data_bytes(solver_shape shape, carom_precision precision, size_t n)
{
    array_sizes sizes;
    return array_sizes_of(shape, precision, n, &sizes) ? sizes.all : SIZE_MAX;
}

solver_data carom_solver_data_make(solver_shape shape, carom_precision precision, size_t n)
{
    solver_data made = {.shape = shape, .precision = precision, .n = n};
    array_sizes sizes;
    made.memory = array_sizes_of(shape, precision, n, &sizes) ? carom_memory_take(sizes.all) : NULL;
    if (made.memory == NULL) {
        carom_die("no memory for %zu pairs", n);
    }
    made.numbers = shape == SHAPE_INDEXED ? INDEXED_BODIES : n;
    made.stride = sizes.stride;
    made.inputs = made.memory;
    made.times = made.memory + inputs_of[shape] * sizes.stride;
    if (shape == SHAPE_INDEXED) {
        made.i = (int32_t *)(void *)(made.times + sizes.times);
        made.j = (int32_t *)(void *)(made.times + sizes.times + sizes.list);
    }
    fill(&made);
    return made;
}

void carom_solver_data_free(solver_data *data)
{
    carom_memory_release(data->memory);
    data->memory = NULL;
}

/* ---- the comparison ---- */

static size_t count_hits(const solver_data *data, size_t count)
{
    size_t hits = 0;
    for (size_t k = 0; k < count; k++) {
        hits += data->precision == CAROM_F32 ? isfinite(((const float *)(const void *)data->times)[k])
                                             : isfinite(((const double *)(const void *)data->times)[k]);
    }
    return hits;
}

double carom_solver_check(solver_data *data, int variant, carom_isa isa)
{
    static unsigned char expected[CALL_MOST * sizeof(double)];
    const size_t count = data->n < CALL_MOST ? data->n : CALL_MOST;
    const size_t bytes = data->shape == SHAPE_FIRST ? FIRST_ANSWERS : count * (data->precision / 8);
    carom_isa_force(CAROM_ISA_SCALAR);
    memset(data->times, 0xff, bytes);
    call(data, variant & ~CAROM_TOI_BRANCHES, 0, count);
    memcpy(expected, data->times, bytes);
    carom_isa_force(isa);
    memset(data->times, 0xff, bytes);
    call(data, variant, 0, count);
    if (memcmp(expected, data->times, bytes) != 0) {
        carom_progress_erase();
        fprintf(stderr, "carom: %s%s, %s, f%d, %s, %zu pairs: other results than at width 1\n",
                carom_solver_name(data->shape, variant), variant & CAROM_TOI_BRANCHES ? "/branches" : "",
                carom_shape_names[data->shape], (int)data->precision, carom_isa_name(isa), count);
        exit(EXIT_MISMATCH);
    }
    if (data->shape == SHAPE_FIRST) { /* the share that meets one body at rest in the middle */
        solver_data all = *data;
        all.shape = SHAPE_ONE;
        call(&all, variant, 0, count);
    }
    return (double)count_hits(data, count) / (double)count;
}
