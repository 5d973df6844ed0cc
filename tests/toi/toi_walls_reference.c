/* SPDX-License-Identifier: MIT
 * See toi_walls_reference.h.
 */
#include "toi_walls_reference.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const wall_names[WALL_KINDS] = {"line", "segment", "point", "box", "polygon"};

int wall_inputs(int kind)
{
    return kind == WALL_POINT || kind == WALL_POLYGON ? 7 : 9;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

wall_cases wall_cases_new(carom_precision precision, int kind, size_t n, size_t m)
{
    wall_cases c = {.precision = precision, .kind = kind, .n = n, .m = m};
    const size_t size = (size_t)precision / 8;
    for (int k = 0; k < wall_inputs(kind); k++) {
        c.in[k] = allocate((k >= 5 && kind == WALL_POLYGON ? m : n) * size);
    }
    c.t = allocate(n * size);
    c.nx = allocate(n * size);
    c.ny = allocate(n * size);
    c.feature = allocate(n * sizeof(int32_t));
    return c;
}

void end_wall_cases(wall_cases *c)
{
    for (int k = 0; k < 9; k++) {
        free(c->in[k]);
    }
    free(c->t);
    free(c->nx);
    free(c->ny);
    free(c->feature);
}

double wall_get(const wall_cases *c, const void *array, size_t i)
{
    return c->precision == CAROM_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

void wall_put(const wall_cases *c, void *array, size_t i, double value)
{
    if (c->precision == CAROM_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

double wall_epsilon(const wall_cases *c)
{
    return c->precision == CAROM_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

#define SOLVE(bits, real)                                                                                              \
    static carom_status solve_f##bits(const wall_cases *c, carom_detection detection, double limit)                    \
    {                                                                                                                  \
        const carom_toi_bodies_f##bits circles = {c->in[0], c->in[1], c->in[2], c->in[3], c->in[4]};                   \
        const carom_toi_segments_f##bits segments = {c->in[5], c->in[6], c->in[7], c->in[8]};                          \
        const carom_toi_points_f##bits points = {c->in[5], c->in[6]};                                                  \
        const carom_toi_boxes_f##bits boxes = {c->in[5], c->in[6], c->in[7], c->in[8]};                                \
        const carom_toi_hits_f##bits out = {c->t, c->nx, c->ny, c->feature};                                           \
        const real most = (real)limit;                                                                                 \
        switch (c->kind) {                                                                                             \
        case WALL_LINE:                                                                                                \
            return carom_toi_line_f##bits(detection, c->n, &circles, &segments, most, &out);                           \
        case WALL_SEGMENT:                                                                                             \
            return carom_toi_segment_f##bits(detection, c->n, &circles, &segments, most, &out);                        \
        case WALL_POINT:                                                                                               \
            return carom_toi_point_f##bits(detection, c->n, &circles, &points, most, &out);                            \
        case WALL_BOX:                                                                                                 \
            return carom_toi_box_f##bits(detection, c->n, &circles, &boxes, most, &out);                               \
        default:                                                                                                       \
            return carom_toi_polygon_f##bits(detection, c->n, &circles, c->m, c->in[5], c->in[6], most, &out);         \
        }                                                                                                              \
    }

SOLVE(32, float)
SOLVE(64, double)

carom_status wall_solve(const wall_cases *c, carom_detection detection, double limit)
{
    return c->precision == CAROM_F32 ? solve_f32(c, detection, limit) : solve_f64(c, detection, limit);
}

void wall_describe(const wall_cases *c, size_t i, double limit)
{
    fprintf(stderr, "f%d %s, limit %a: x = (%a, %a), v = (%a, %a), r = %a", (int)c->precision, wall_names[c->kind],
            limit, wall_get(c, c->in[0], i), wall_get(c, c->in[1], i), wall_get(c, c->in[2], i),
            wall_get(c, c->in[3], i), wall_get(c, c->in[4], i));
    const size_t corners = c->kind == WALL_POLYGON ? c->m : 1;
    for (size_t k = 0; k < corners; k++) {
        const size_t at = c->kind == WALL_POLYGON ? k : i;
        for (int w = 5; w < wall_inputs(c->kind); w++) {
            fprintf(stderr, "%s %a", w == 5 ? ";" : ",", wall_get(c, c->in[w], at));
        }
    }
    fprintf(stderr, "; t = %a, n = (%a, %a), feature %d\n", wall_get(c, c->t, i), wall_get(c, c->nx, i),
            wall_get(c, c->ny, i), (int)c->feature[i]);
}

point point_minus(point a, point b)
{
    return (point){a.x - b.x, a.y - b.y};
}

long double point_dot(point a, point b)
{
    return a.x * b.x + a.y * b.y;
}

long double point_cross(point a, point b)
{
    return a.x * b.y - a.y * b.x;
}

long double point_length(point a)
{
    return hypotl(a.x, a.y);
}

/* From the nearer end on, so that the error is relative to that distance. */
static void nearer_first(point p, point *a, point *b)
{
    if (point_length(point_minus(p, *b)) < point_length(point_minus(p, *a))) {
        const point other = *a;
        *a = *b;
        *b = other;
    }
}

point nearest_point(point p, point a, point b)
{
    nearer_first(p, &a, &b);
    const point e = point_minus(b, a);
    const long double square = point_dot(e, e);
    const long double part = square > 0 ? point_dot(point_minus(p, a), e) / square : 0;
    if (part <= 0) {
        return a;
    }
    return part >= 1 ? b : (point){a.x + part * e.x, a.y + part * e.y};
}

static long double point_distance(point p, point a, point b)
{
    nearer_first(p, &a, &b);
    const point e = point_minus(b, a), near = nearest_point(p, a, b);
    if (near.x == a.x && near.y == a.y) {
        return point_length(point_minus(p, a));
    }
    if (near.x == b.x && near.y == b.y) {
        return point_length(point_minus(p, b));
    }
    return fabsl(point_cross(e, point_minus(p, a))) / point_length(e);
}

long double segment_distance(point p, point q, point a, point b)
{
    const point w = point_minus(q, p), e = point_minus(b, a);
    const long double pa = point_cross(w, point_minus(a, p)), pb = point_cross(w, point_minus(b, p));
    const long double ap = point_cross(e, point_minus(p, a)), aq = point_cross(e, point_minus(q, a));
    if (((pa < 0 && pb > 0) || (pa > 0 && pb < 0)) && ((ap < 0 && aq > 0) || (ap > 0 && aq < 0))) {
        return 0;
    }
    return fminl(fminl(point_distance(p, a, b), point_distance(q, a, b)),
                 fminl(point_distance(a, p, q), point_distance(b, p, q)));
}

static point point_at(const wall_cases *c, int k, size_t i)
{
    return (point){wall_get(c, c->in[k], i), wall_get(c, c->in[k + 1], i)};
}

size_t wall_segments(const wall_cases *c, size_t i, point from[], point to[])
{
    if (c->kind == WALL_POLYGON) {
        for (size_t k = 0; k < c->m; k++) {
            from[k] = point_at(c, 5, k);
            to[k] = point_at(c, 5, k + 1 < c->m ? k + 1 : 0);
        }
        return c->m;
    }
    const point a = point_at(c, 5, i), b = c->kind == WALL_POINT ? a : point_at(c, 7, i), e = point_minus(b, a);
    if (c->kind == WALL_BOX) {
        const point corners[4] = {a, {b.x, a.y}, b, {a.x, b.y}};
        const int starts[4] = {3, 1, 0, 2}; /* in the order of the features: left, right, bottom, top */
        for (int k = 0; k < 4; k++) {
            from[k] = corners[starts[k]];
            to[k] = corners[(starts[k] + 1) % 4];
        }
        return 4;
    }
    from[0] = a, to[0] = b;
    if (c->kind == WALL_LINE && point_dot(e, e) == 0) {
        return 0; /* no line */
    }
    if (c->kind == WALL_LINE) { /* so long that no path of 4 units of time reaches its ends */
        const point p = point_minus(point_at(c, 0, i), a), v = point_at(c, 2, i);
        const long double reach = 2 * (point_length(p) + 4 * point_length(v)) / point_length(e);
        from[0] = (point){a.x - reach * e.x, a.y - reach * e.y};
        to[0] = (point){b.x + reach * e.x, b.y + reach * e.y};
    }
    return 1;
}
