/* SPDX-License-Identifier: MIT
 * Questions about one world, in f64: a lane is an element of a set. Compiled once per instruction set.
 *
 * A ray is followed in pieces, each short enough to cross only a few cells; for each piece the elements of all cells
 * near it are tried. The search ends as soon as the hit lies within the piece. The choice of cells does not affect the
 * result: an element gives the same distance wherever it is tried from, and the least (distance, id) is taken.
 */
#include "query/space.h"

#include "toi/ray_arc.h"

#define PIECE 3.0             /* the length of a piece, in cells */
#define ROUNDING 2.3841858e-7 /* 2^-22 of a distance: above the error of a distance to a circle that is grazed */

typedef struct query_lanes {
    vreal x, y;   /* the start, in the current image of the box */
    vreal ux, uy; /* cast: the direction */
    vreal w;
    bool moves_circle;    /* w > 0 */
    vreal begun, to;      /* walls: distance from the question's start to this one; another image of the box begins at
                          `to` */
    double width, height; /* of the box where it is periodic, otherwise 0: things are at their nearest image */
} query_lanes;

/* The best so far of one set, lane by lane. */
typedef struct query_best {
    vreal distance;
    vint id, at;
} query_best;

static inline double query_least(double a, double b)
{
    return a < b ? a : b;
}
static inline double query_most(double a, double b)
{
    return a > b ? a : b;
}
static inline double query_amount(double a)
{
    return a < 0 ? -a : a;
}

/* ---- one register of elements ---- */

/* Elements k, ... that the question may find, whatever their distance. */
CAROM_LANE vmask query_finds(const space_set *set, uint32_t k, const space_question *q)
{
    const vint zero = i_set1(0);
    vint shown = i_and(i_loadu32(set->category + k), i_set1(q->mask));
    vint sees = i_and(i_loadu32(set->mask + k), i_set1(q->category));
    vint sensor = i_and(i_loadu32(set->flags + k), i_set1(q->sensors ? 0 : SPACE_SENSOR));
    vmask hidden = m_or(m_or(i_eq(shown, zero), i_eq(sees, zero)), i_gt(sensor, zero));
    return m_not(m_or(hidden, i_eq(i_loadu32(set->id + k), i_set1(q->ignore))));
}

/* One-sided walls are absent for circles that are not to their left. */
CAROM_LANE vmask query_passed(const space_set *set, uint32_t k, rays_edge e)
{
    vint one_sided = i_and(i_loadu32(set->flags + k), i_set1(SPACE_ONE_SIDED));
    return m_and(i_gt(one_sided, i_set1(0)), v_le(e.cross, v_set1(0)));
}

/* An arc, on the sides on which it exists. */
CAROM_LANE rays_arc query_arc(const space_set *set, uint32_t k, const query_lanes *l)
{
    arc_shape s =
        arc_shape_of(v_loadu(set->v[0] + k), v_loadu(set->v[1] + k), v_loadu(set->v[2] + k), v_loadu(set->v[3] + k),
                     v_loadu(set->v[4] + k), v_loadu(set->v[5] + k), v_loadu(set->v[6] + k));
    vint flags = i_loadu32(set->flags + k), zero = i_set1(0);
    s.within = i_eq(i_and(flags, i_set1(SPACE_WITHOUT)), zero);
    s.without = i_eq(i_and(flags, i_set1(SPACE_WITHIN)), zero);
    return rays_arc_of(l->x, l->y, s);
}

CAROM_LANE vreal query_met(const space_set *set, uint32_t k, const query_lanes *l)
{
    vreal a = v_loadu(set->v[0] + k), b = v_loadu(set->v[1] + k), c = v_loadu(set->v[2] + k);
    if (set->kind == SPACE_DISCS) {
        return rays_disc_met(rays_disc_of(l->x, l->y, a, b, c + l->w), l->ux, l->uy);
    }
    vreal t;
    if (set->kind == SPACE_ARCS) {
        t = rays_arc_met(query_arc(set, k, l), l->w, l->ux, l->uy);
    } else {
        rays_edge e = rays_edge_of(l->x, l->y, a, b, c, v_loadu(set->v[3] + k));
        t = l->moves_circle ? rays_edge_met_by(e, l->w, l->ux, l->uy) : rays_edge_met(e, l->ux, l->uy);
        t = v_select(query_passed(set, k, e), v_set1(RAYS_NEVER), t);
    }
    t = l->begun + t;
    return v_select(v_gt(t, l->to), v_set1(RAYS_NEVER), t);
}

/* A difference of coordinates, to the nearest image; size 0: there is only one. */
CAROM_LANE vreal query_nearest_image(vreal d, double size)
{
    if (size == 0) {
        return d;
    }
    return d - v_set1(size) * v_floor(d / v_set1(size) + v_set1(0.5));
}

CAROM_LANE vreal query_apart(const space_set *set, uint32_t k, const query_lanes *l)
{
    const vreal zero = v_set1(0);
    vreal a = v_loadu(set->v[0] + k), b = v_loadu(set->v[1] + k), c = v_loadu(set->v[2] + k);
    if (set->kind == SPACE_DISCS) {
        vreal px = query_nearest_image(a - l->x, l->width), py = query_nearest_image(b - l->y, l->height);
        return near_disc(rays_disc_of(zero, zero, px, py, c + l->w), c + l->w);
    }
    if (set->kind == SPACE_ARCS) {
        rays_arc arc = query_arc(set, k, l);
        return v_select(rays_arc_there(&arc), v_max(near_arc(&arc) - l->w, zero), v_set1(RAYS_NEVER));
    }
    rays_edge e = rays_edge_of(l->x, l->y, a, b, c, v_loadu(set->v[3] + k));
    vreal gap = v_max(near_edge(e) - l->w, zero);
    return v_select(query_passed(set, k, e), v_set1(RAYS_NEVER), gap);
}

/* ---- runs of elements ---- */

typedef enum query_what { QUERY_CAST, QUERY_NEAREST, QUERY_WITHIN } query_what;

/* A question in progress. */
typedef struct query_work {
    const space *s;
    const space_question *q;
    query_what what;
    query_lanes lanes;
    space_hit hit;   /* the best of all sets so far; `within`: its distance is the range */
    query_best best; /* of this set */
    int which;       /* the set */
    space_hit *list; /* within */
    size_t count;
} query_work;

/* Merges closer elements into the best, lane by lane; among equal distances the lower id. */
CAROM_LANE void query_keep(query_work *w, const space_set *set, uint32_t k, vmask closer, vreal distance)
{
    vint id = i_loadu32(set->id + k);
    vmask less = v_lt(distance, w->best.distance);
    vmask tie = m_and(v_eq(distance, w->best.distance), i_gt(w->best.id, id));
    vmask better = m_and(m_and(closer, m_or(less, tie)), query_finds(set, k, w->q));

    /* Elements of this register are counted from k. */
    int32_t places[LANES];
    for (int l = 0; l < LANES; l++) {
        places[l] = (int32_t)k + l;
    }
    w->best.distance = v_select(better, distance, w->best.distance);
    w->best.id = i_select(better, id, w->best.id);
    w->best.at = i_select(better, i_loadu32(places), w->best.at);
}

CAROM_LANE void query_list(query_work *w, const space_set *set, uint32_t k, vmask near, vreal distance)
{
    const unsigned found = m_bits(m_and(near, query_finds(set, k, w->q)));
    real distances[LANES];
    v_storeu(distances, distance);
    for (unsigned l = 0; l < LANES; l++) {
        if ((found >> l & 1) != 0) {
            const space_hit hit = {distances[l], set->id[k + l], w->which, (int32_t)(k + l)};
            w->list[w->count++] = hit;
        }
    }
}

CAROM_LANE void query_run(query_work *w, const space_set *set, uint32_t k, uint32_t end)
{
    const vreal most = v_set1(REAL_MAX);
    for (; k < end; k += LANES) {
        vreal d = w->what == QUERY_CAST ? query_met(set, k, &w->lanes) : query_apart(set, k, &w->lanes);
        vmask near = m_and(m_below(end - k), m_and(v_le(d, w->best.distance), v_le(d, most)));
        if (m_any(near)) {
            if (w->what == QUERY_WITHIN) {
                query_list(w, set, k, near, d);
            } else {
                query_keep(w, set, k, near, d);
            }
        }
    }
}

static void query_begin(query_work *w, int which)
{
    w->which = which;
    w->best.distance = v_set1(w->hit.distance);
    w->best.id = i_set1(w->hit.id);
    w->best.at = i_set1(-1);
}

/* Merges the best of the set into the answer. */
static void query_end(query_work *w)
{
    real distances[LANES];
    int32_t ids[LANES], places[LANES];
    v_storeu(distances, w->best.distance);
    i_compress(ids, m_below(LANES), w->best.id);
    i_compress(places, m_below(LANES), w->best.at);
    for (int l = 0; l < LANES; l++) {
        const bool less = distances[l] < w->hit.distance;
        if (places[l] >= 0 && (less || (distances[l] == w->hit.distance && ids[l] < w->hit.id))) {
            const space_hit hit = {distances[l], ids[l], w->which, places[l]};
            w->hit = hit;
        }
    }
}

/* ---- cells ---- */

/* Cells first..last of columns, or rows; where the grid wraps, of any image of the box. */
typedef struct query_cells {
    int64_t first, last;
} query_cells;

static int64_t query_floor(double a)
{
    const int64_t whole = (int64_t)a;
    return (double)whole > a ? whole - 1 : whole;
}

static query_cells query_cells_of(double low, double high, double at, double size, uint32_t count, bool wraps)
{
    const double limit = wraps ? 1e9 : (double)count; /* ranges are limited in boxes that wrap */
    const double first = query_most(query_least((low - at) / size, limit), -limit);
    const double last = query_most(query_least((high - at) / size, limit), -limit);
    query_cells c = {query_floor(first), query_floor(last)};
    if (!wraps) {
        c.first = c.first < 0 ? 0 : c.first >= count ? (int64_t)count - 1 : c.first;
        c.last = c.last < 0 ? 0 : c.last >= count ? (int64_t)count - 1 : c.last;
    }
    return c;
}

/* The image of the box that contains a cell, rounded towards minus infinity. */
static int64_t query_image(int64_t cell, uint32_t count)
{
    return cell >= 0 ? cell / count : -((count - 1 - cell) / count);
}

/* Tries the elements in the rows of one column, each image of the box separately. */
static void query_column(query_work *w, const space_set *set, uint32_t column, query_cells rows)
{
    const vreal y = w->lanes.y;
    const double height = set->height * set->rows;
    for (int64_t row = rows.first; row <= rows.last;) {
        const int64_t image = query_image(row, set->rows), next = (image + 1) * set->rows;
        const int64_t last = rows.last < next - 1 ? rows.last : next - 1;
        const size_t cell = (size_t)column * set->rows;
        const uint32_t begin = set->starts[cell + (size_t)(row - image * set->rows)];
        const uint32_t end = set->starts[cell + (size_t)(last - image * set->rows) + 1];
        if (begin < end) {
            w->lanes.y = image != 0 && w->what == QUERY_CAST ? y - v_set1((double)image * height) : y;
            query_run(w, set, begin, end);
        }
        row = last + 1;
    }
    w->lanes.y = y;
}

/* Tries all elements in cells that touch a rectangle. */
static void query_window(query_work *w, const space_set *set, double x0, double x1, double y0, double y1)
{
    query_cells columns = query_cells_of(x0, x1, set->x0, set->width, set->columns, set->wraps_x);
    query_cells rows = query_cells_of(y0, y1, set->y0, set->height, set->rows, set->wraps_y);
    const vreal x = w->lanes.x;
    const double width = set->width * set->columns;

    /* Where things are taken at their nearest image, each cell is visited once. */
    if (w->what != QUERY_CAST) {
        columns.last = columns.last - columns.first < set->columns ? columns.last : columns.first + set->columns - 1;
        rows.last = rows.last - rows.first < set->rows ? rows.last : rows.first + set->rows - 1;
    }

    for (int64_t column = columns.first; column <= columns.last; column++) {
        const int64_t image = query_image(column, set->columns);
        w->lanes.x = image != 0 && w->what == QUERY_CAST ? x - v_set1((double)image * width) : x;
        query_column(w, set, (uint32_t)(column - image * set->columns), rows);
    }
    w->lanes.x = x;
}

/* ---- sides ---- */

/* The start's distance from a side, minus the radius of the circle, and the component of the direction towards it. */
static void query_side(const space *s, const space_question *q, int side, double ux, double uy, double *gap,
                       double *fall)
{
    const double from = side == 0 ? q->x - s->x0 : side == 1 ? s->x1 - q->x : side == 2 ? q->y - s->y0 : s->y1 - q->y;
    *gap = from - q->radius;
    *fall = side == 0 ? -ux : side == 1 ? ux : side == 2 ? -uy : uy;
}

static void query_sides(query_work *w, double ux, double uy)
{
    const space *s = w->s;
    const bool finds = (s->side_category & w->q->mask) != 0 && (s->side_mask & w->q->category) != 0;
    for (int side = 0; side < 4 && finds; side++) {
        double gap, fall;
        real d[LANES];
        query_side(s, w->q, side, ux, uy, &gap, &fall);
        v_storeu(d, rays_box_met(v_set1(gap), v_set1(fall)));
        const double distance = w->what == QUERY_CAST ? d[0] : query_most(gap, 0);
        const bool solid = (side < 2 ? s->horizontal : s->vertical) == CAROM_SIDES_SOLID;
        if (!solid || !(distance <= w->hit.distance) || !(distance <= REAL_MAX)) {
            continue;
        }
        const space_hit hit = {distance, s->first_side + side, -1, side};
        if (w->what == QUERY_WITHIN) {
            w->list[w->count++] = hit;
        } else if (distance < w->hit.distance || hit.id < w->hit.id) {
            w->hit = hit;
        }
    }
}

static query_work query_work_of(const space *s, const space_question *q, query_what what)
{
    const space_hit nothing = {q->range, SPACE_NOTHING, -1, -1};
    query_work w;
    w.s = s;
    w.q = q;
    w.what = what;
    w.hit = nothing;
    w.list = NULL;
    w.count = 0;
    w.lanes.x = v_set1(q->x);
    w.lanes.y = v_set1(q->y);
    w.lanes.ux = v_set1(q->dx);
    w.lanes.uy = v_set1(q->dy);
    w.lanes.w = v_set1(q->radius);
    w.lanes.moves_circle = q->radius > 0;
    w.lanes.begun = v_set1(0);
    w.lanes.to = v_set1(RAYS_NEVER);
    w.lanes.width = s->horizontal == CAROM_SIDES_PERIODIC ? s->x1 - s->x0 : 0;
    w.lanes.height = s->vertical == CAROM_SIDES_PERIODIC ? s->y1 - s->y0 : 0;
    query_begin(&w, -1);
    return w;
}

/* ---- rays ---- */

/* A part of the ray, in the frame of one image of the box. */
typedef struct query_part {
    double x, y;     /* the ray's start in that frame */
    double from, to; /* distances along it */
} query_part;

/* Clips a part to where it may meet things between low and high along an axis on which the ray starts at x. */
static void query_clip(query_part *p, double x, double u, double low, double high)
{
    if (u == 0) {
        p->to = x >= low && x <= high ? p->to : -1;
        return;
    }
    const double a = (low - x) / u, b = (high - x) / u, far = query_most(a, b);
    const double margin = ROUNDING * query_amount(far);
    p->from = query_most(p->from, query_least(a, b) - margin);
    p->to = query_least(p->to, far + margin);
}

/* Tries the elements of a set along a part of the ray. Walls are tested from the start of the part: one that the circle
 * overlaps there is hit there. */
static void query_follow(query_work *w, const space_set *set, query_part p, double ux, double uy)
{
    const double begun = set->kind == SPACE_DISCS ? 0 : p.from;
    p.x = p.x + ux * begun, p.y = p.y + uy * begun;
    p.from = p.from - begun, p.to = p.to - begun;
    w->lanes.x = v_set1(p.x);
    w->lanes.y = v_set1(p.y);
    w->lanes.begun = v_set1(begun);
    if (set->columns == 1 && set->rows == 1 && !set->wraps_x && !set->wraps_y) {
        query_run(w, set, 0, set->count);
        return;
    }

    const double reach = set->reach + w->q->radius;
    const double around = reach + ROUNDING * (reach + query_amount(p.x) + query_amount(p.y));
    if (!set->wraps_x) {
        query_clip(&p, p.x, ux, set->x0 - around, set->x1 + around);
    }
    if (!set->wraps_y) {
        query_clip(&p, p.y, uy, set->y0 - around, set->y1 + around);
    }

    const double length = PIECE * query_most(set->width, set->height);
    const double pieces = (p.to - p.from) / length;
    double nearest = v_least(w->best.distance) - begun;
    for (double k = 0; k <= pieces && p.from + k * length <= nearest; k++) {
        const double from = p.from + k * length, to = query_least(from + length, p.to);
        const double x = p.x + ux * from, y = p.y + uy * from, x2 = p.x + ux * to, y2 = p.y + uy * to;
        const double pad = around + ROUNDING * to;
        query_window(w, set, query_least(x, x2) - pad, query_most(x, x2) + pad, query_least(y, y2) - pad,
                     query_most(y, y2) + pad);
        nearest = v_least(w->best.distance) - begun;
    }
}

/* When a ray that starts at x leaves [low, high]. */
static double query_leaves(double x, double u, double low, double high)
{
    return u > 0 ? (high - x) / u : u < 0 ? (low - x) / u : RAYS_NEVER;
}

static space_hit query_cast(const space *s, const space_question *q)
{
    query_work w = query_work_of(s, q, QUERY_CAST);
    real u[2][LANES];
    rays_unit(&w.lanes.ux, &w.lanes.uy);
    v_storeu(u[0], w.lanes.ux);
    v_storeu(u[1], w.lanes.uy);
    const double ux = u[0][0], uy = u[1][0];
    const double width = w.lanes.width, height = w.lanes.height;
    query_sides(&w, ux, uy);

    /* Image by image of a periodic box; otherwise there is one part. */
    double left = 0, down = 0, from = 0;
    for (bool more = true; more && from <= w.hit.distance;) {
        query_part p = {q->x - left * width, q->y - down * height, from, w.hit.distance};
        const double to_x = width > 0 ? query_leaves(p.x, ux, s->x0, s->x1) : RAYS_NEVER;
        const double to_y = height > 0 ? query_leaves(p.y, uy, s->y0, s->y1) : RAYS_NEVER;
        const double to = query_least(to_x, to_y);
        more = to < p.to;
        p.to = query_least(p.to, to);

        w.lanes.to = v_set1(to);
        for (int k = 0; k < SPACE_SETS; k++) {
            if (s->sets[k].count > 0) {
                query_begin(&w, k);
                query_follow(&w, &s->sets[k], p, ux, uy);
                query_end(&w);
            }
        }
        left += to_x <= to ? (ux > 0 ? 1 : -1) : 0;
        down += to_y <= to ? (uy > 0 ? 1 : -1) : 0;
        from = query_most(from, to);
    }
    return w.hit;
}

/* ---- positions ---- */

/* Tries the elements that may be within `range` of the circle. */
static void query_around(query_work *w, const space_set *set, double range)
{
    const space_question *q = w->q;
    const double out = range + set->reach + q->radius;
    const double pad = out + ROUNDING * (out + query_amount(q->x) + query_amount(q->y));
    query_window(w, set, q->x - pad, q->x + pad, q->y - pad, q->y + pad);
}

/* A range that contains the whole set. */
static double query_all_of(const space_set *set, const space_question *q)
{
    const double x = query_most(query_amount(q->x - set->x0), query_amount(q->x - set->x1));
    const double y = query_most(query_amount(q->y - set->y0), query_amount(q->y - set->y1));
    return x + y;
}

static space_hit query_nearest(const space *s, const space_question *q)
{
    query_work w = query_work_of(s, q, QUERY_NEAREST);
    query_sides(&w, 0, 0);

    for (int k = 0; k < SPACE_SETS; k++) {
        const space_set *set = &s->sets[k];
        if (set->count == 0) {
            continue;
        }
        query_begin(&w, k);
        const bool one = set->columns == 1 && set->rows == 1;
        const double all = query_all_of(set, q);
        double range = one ? all : query_most(set->width, set->height);
        for (;;) {
            query_around(&w, set, range);
            if (range >= all || v_least(w.best.distance) <= range) {
                break;
            }
            range *= 2;
        }
        query_end(&w);
    }
    return w.hit;
}

static size_t query_within(const space *s, const space_question *q, space_hit *list)
{
    query_work w = query_work_of(s, q, QUERY_WITHIN);
    w.list = list;
    query_sides(&w, 0, 0);
    for (int k = 0; k < SPACE_SETS; k++) {
        const space_set *set = &s->sets[k];
        if (set->count > 0) {
            query_begin(&w, k);
            query_around(&w, set, query_least(q->range, query_all_of(set, q)));
        }
    }
    return w.count;
}

extern const query_kernel CAROM_KERNEL(query);
const query_kernel CAROM_KERNEL(query) = {query_cast, query_nearest, query_within};
