/* SPDX-License-Identifier: MIT
 * The array drivers for circles against walls; compiled once per instruction set and precision.
 */
#include "toi/kernel.h"

#include "toi/walls_outline.h"

#if CAROM_REAL_BITS == 64
typedef toi_walls_kernel_f64 walls_kernel;
typedef carom_toi_bodies_f64 bodies_of_reals;
typedef carom_toi_segments_f64 segments_of_reals;
typedef carom_toi_points_f64 points_of_reals;
typedef carom_toi_boxes_f64 boxes_of_reals;
typedef carom_toi_hits_f64 hits_of_reals;
#else
typedef toi_walls_kernel_f32 walls_kernel;
typedef carom_toi_bodies_f32 bodies_of_reals;
typedef carom_toi_segments_f32 segments_of_reals;
typedef carom_toi_points_f32 points_of_reals;
typedef carom_toi_boxes_f32 boxes_of_reals;
typedef carom_toi_hits_f32 hits_of_reals;
#endif

enum wall_kind { LINE, SEGMENT, POINT, BOX };

/* The coordinates of walls, one element per wall, in the order of the public structures; points have two. */
typedef struct wall_arrays {
    const real *of[4];
} wall_arrays;

CAROM_LANE walls_circle load(const bodies_of_reals *circles, size_t i)
{
    walls_circle c;
    c.x = v_loadu(circles->x + i);
    c.y = v_loadu(circles->y + i);
    c.vx = v_loadu(circles->vx + i);
    c.vy = v_loadu(circles->vy + i);
    c.r = v_loadu(circles->r + i);
    return c;
}

/* Loads `count` < LANES circles, and nothing past them; the other lanes are at rest. */
CAROM_LANE walls_circle load_some(const bodies_of_reals *circles, size_t i, size_t count)
{
    real x[LANES] = {0}, y[LANES] = {0}, vx[LANES] = {0}, vy[LANES] = {0}, r[LANES] = {0};
    for (size_t l = 0; l < count; l++) {
        x[l] = circles->x[i + l];
        y[l] = circles->y[i + l];
        vx[l] = circles->vx[i + l];
        vy[l] = circles->vy[i + l];
        r[l] = circles->r[i + l];
    }
    const bodies_of_reals block = {x, y, vx, vy, r};
    return load(&block, 0);
}

/* Stores LANES hits: all outputs, or only t. */
CAROM_LANE void store(const hits_of_reals *out, size_t i, walls_hit hit, bool all)
{
    v_storeu(out->t + i, hit.t);
    if (all && out->nx != NULL) {
        v_storeu(out->nx + i, hit.nx);
    }
    if (all && out->ny != NULL) {
        v_storeu(out->ny + i, hit.ny);
    }
    if (all && out->feature != NULL) {
        __builtin_memcpy(out->feature + i, &hit.feature, LANES * sizeof(int32_t));
    }
}

/* Stores `count` < LANES hits. */
CAROM_LANE void store_some(const hits_of_reals *out, size_t i, size_t count, walls_hit hit, bool all)
{
    real t[LANES], nx[LANES], ny[LANES];
    int32_t feature[LANES];
    const hits_of_reals block = {t, nx, ny, feature};
    store(&block, 0, hit, all);
    for (size_t l = 0; l < count; l++) {
        out->t[i + l] = t[l];
        if (all && out->nx != NULL) {
            out->nx[i + l] = nx[l];
        }
        if (all && out->ny != NULL) {
            out->ny[i + l] = ny[l];
        }
        if (all && out->feature != NULL) {
            out->feature[i + l] = feature[l];
        }
    }
}

CAROM_LANE walls_hit solve(enum wall_kind kind, bool discrete, walls_circle c, const wall_arrays *walls, size_t i,
                           walls_span span)
{
    vreal w0 = v_loadu(walls->of[0] + i), w1 = v_loadu(walls->of[1] + i);
    if (kind == POINT) {
        return walls_point(c, w0, w1, discrete, span);
    }
    vreal w2 = v_loadu(walls->of[2] + i), w3 = v_loadu(walls->of[3] + i);
    if (kind == BOX) {
        return walls_box(c, w0, w1, w2, w3, discrete, span);
    }
    walls_edge e = walls_edge_of(w0, w1, w2, w3);
    return kind == LINE ? walls_line(c, e, discrete, span) : walls_segment(c, e, discrete, span);
}

/* An output may be one of the inputs: each vector of pairs is read before its hits are stored. */
CAROM_LANE void solve_all(enum wall_kind kind, bool discrete, bool all, size_t n, bodies_of_reals circles,
                          wall_arrays walls, real limit, hits_of_reals out)
{
    const walls_span span = walls_span_of(discrete, limit);
    size_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        store(&out, i, solve(kind, discrete, load(&circles, i), &walls, i, span), all);
    }

    if (i < n) {
        real last[4][LANES] = {{0}};
        for (int k = 0; k < (kind == POINT ? 2 : 4); k++) {
            for (size_t l = 0; i + l < n; l++) {
                last[k][l] = walls.of[k][i + l];
            }
        }
        const wall_arrays block = {{last[0], last[1], last[2], last[3]}};
        store_some(&out, i, n - i, solve(kind, discrete, load_some(&circles, i, n - i), &block, 0, span), all);
    }
}

/* Calls solve_all() with constants for its flags, so that each combination is compiled separately. */
CAROM_LANE carom_status solve_kind(enum wall_kind kind, bool discrete, size_t n, const bodies_of_reals *circles,
                                   wall_arrays walls, real limit, const hits_of_reals *out)
{
    const bool all = out->nx != NULL || out->ny != NULL || out->feature != NULL;
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (discrete) {
        solve_all(kind, true, true, n, *circles, walls, limit, *out);
    } else if (all) {
        solve_all(kind, false, true, n, *circles, walls, limit, *out);
    } else {
        solve_all(kind, false, false, n, *circles, walls, limit, *out);
    }
    return CAROM_OK;
}

static carom_status line(bool discrete, size_t n, const bodies_of_reals *circles, const segments_of_reals *walls,
                         real limit, const hits_of_reals *out)
{
    const wall_arrays arrays = {{walls->ax, walls->ay, walls->bx, walls->by}};
    return solve_kind(LINE, discrete, n, circles, arrays, limit, out);
}

static carom_status segment(bool discrete, size_t n, const bodies_of_reals *circles, const segments_of_reals *walls,
                            real limit, const hits_of_reals *out)
{
    const wall_arrays arrays = {{walls->ax, walls->ay, walls->bx, walls->by}};
    return solve_kind(SEGMENT, discrete, n, circles, arrays, limit, out);
}

static carom_status point(bool discrete, size_t n, const bodies_of_reals *circles, const points_of_reals *points,
                          real limit, const hits_of_reals *out)
{
    const wall_arrays arrays = {{points->x, points->y, NULL, NULL}};
    return solve_kind(POINT, discrete, n, circles, arrays, limit, out);
}

static carom_status box(bool discrete, size_t n, const bodies_of_reals *circles, const boxes_of_reals *boxes,
                        real limit, const hits_of_reals *out)
{
    const wall_arrays arrays = {{boxes->x0, boxes->y0, boxes->x1, boxes->y1}};
    return solve_kind(BOX, discrete, n, circles, arrays, limit, out);
}

/* --- Polygon ------------------------------------------------------------------------------------------------------ */

#define GROUP 4 /* vectors of circles that share an edge's root and division */

/* Takes GROUP vectors of circles around the outline. */
CAROM_LANE void go_round(const walls_circle c[GROUP], walls_round w[GROUP], size_t m, const real *x, const real *y,
                         bool discrete, walls_span span)
{
    bool first = true;
    size_t corner = 0; /* at the edge's start, the first of those in the same position */
    for (int g = 0; g < GROUP; g++) {
        w[g].best = walls_never();
        w[g].beyond = w[g].before_first = m_not(m_from_bits(0));
    }

    /* Edges without length are skipped: their corners coincide, and count as the first of them. */
    for (size_t k = 0; k < m; k++) {
        const size_t next = k + 1 < m ? k + 1 : 0;
        if (x[k] == x[next] && y[k] == y[next]) {
            continue;
        }
        const walls_edge e = walls_edge_of(v_set1(x[k]), v_set1(y[k]), v_set1(x[next]), v_set1(y[next]));
        for (int g = 0; g < GROUP; g++) {
            walls_round_edge(&w[g], c[g], e, first, (int32_t)k, (int32_t)(m + corner), discrete, span);
        }
        first = false;
        corner = next;
    }

    /* The corner at the start of the first edge, now that the last edge is known. */
    for (int g = 0; g < GROUP && m > 0 && !discrete; g++) {
        vmask facing = m_and(w[g].beyond, w[g].before_first);
        walls_corner(&w[g].best, c[g], v_set1(x[0]), v_set1(y[0]), facing, (int32_t)m, span);
    }
}

CAROM_LANE void polygon_all(bool discrete, bool all, size_t n, bodies_of_reals circles, size_t m, const real *x,
                            const real *y, real limit, hits_of_reals out)
{
    const walls_span span = walls_span_of(discrete, limit);

    /* If a corner is NaN, no circle has an answer. */
    bool nan = false;
    for (size_t k = 0; k < m; k++) {
        nan = nan || x[k] != x[k] || y[k] != y[k];
    }
    for (size_t i = 0; i < n; i += GROUP * LANES) {
        walls_circle c[GROUP];
        walls_round w[GROUP];
        for (size_t g = 0; g < GROUP; g++) {
            const size_t at = i + g * LANES, count = at < n ? n - at : 0;
            c[g] = count >= LANES ? load(&circles, at) : load_some(&circles, at, count);
        }

        go_round(c, w, m, x, y, discrete, span);
        for (size_t g = 0; g < GROUP; g++) {
            const size_t at = i + g * LANES, count = at < n ? n - at : 0;
            vmask bad = nan ? m_not(m_from_bits(0)) : walls_circle_nan(c[g]);
            walls_hit hit = m_any(bad) ? walls_poison(w[g].best, bad) : w[g].best;
            if (count >= LANES) {
                store(&out, at, hit, all);
            } else {
                store_some(&out, at, count, hit, all);
            }
        }
    }
}

static carom_status polygon(bool discrete, size_t n, const bodies_of_reals *circles, size_t m, const real *x,
                            const real *y, real limit, const hits_of_reals *out)
{
    const bool all = out->nx != NULL || out->ny != NULL || out->feature != NULL;
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (discrete) {
        polygon_all(true, true, n, *circles, m, x, y, limit, *out);
    } else if (all) {
        polygon_all(false, true, n, *circles, m, x, y, limit, *out);
    } else {
        polygon_all(false, false, n, *circles, m, x, y, limit, *out);
    }
    return CAROM_OK;
}

CAROM_EXTERN const walls_kernel CAROM_KERNEL(toi_walls);
const walls_kernel CAROM_KERNEL(toi_walls) = {line, segment, point, box, polygon};
