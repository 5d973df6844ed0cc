/* SPDX-License-Identifier: MIT
 * A world of the deep engine at the start and the end of a tick: its memory, its cells, and its bodies, which come from
 * the tile and return to it.
 */
#ifndef CAROM_SCENES_DEEP_SETUP_H
#define CAROM_SCENES_DEEP_SETUP_H

#include "scenes/deep_world.h"

#define DEEP_CELLS 1.3   /* per body at most: fewer cells mean fewer crossings, more cells fewer pairs */
#define DEEP_LEVELS 12   /* candidates for the largest radius in cells: the largest, then halved each time */
#define DEEP_ROUNDING 64 /* bound on the error of a computed position, in roundings; the true error is far smaller */
#define DEEP_EPSILON (CAROM_REAL_BITS == 64 ? (real)DBL_EPSILON : (real)FLT_EPSILON)
#define DEEP_WRAPS_LEAST 3      /* cells across a periodic box */
#define DEEP_SLACK REAL(0.001)  /* deep_world.slack, of a cell's width */
#define DEEP_OVERLAP REAL(0.05) /* deep_world.overlap, of a cell's width */

/* ---- memory ---- */

/* Offsets in the scratch. columns, cells and order are needed only until there are plans, and share their memory. */
typedef struct deep_layout {
    size_t body, plan, due, renew, undo, outside, edges, columns, cells, order;
    deep_memory loop;
    size_t rest, spot, group, members, touches, gaps; /* from rest on: only if bodies may settle */
    size_t own, end;
} deep_layout;

/* Room for the touches of a group: disks in a plane have at most three per body among themselves. */
CAROM_LANE uint32_t deep_touches_most(uint32_t bodies)
{
    return 4 * bodies + 16;
}

CAROM_LANE uint32_t deep_cells_most(uint32_t bodies)
{
    return (uint32_t)(bodies * DEEP_CELLS) + 4;
}

/* Room for cells with the ring around them: enough for a box up to some ten times as long as high, or less with few
 * bodies. Longer boxes have longer cells. */
CAROM_LANE uint32_t deep_ringed_most(uint32_t bodies)
{
    const uint32_t most = deep_cells_most(bodies);
    return most + most / 16 + 8 * (uint32_t)__builtin_sqrt((double)most) + 16;
}

static deep_layout deep_layout_of(const scene_frozen *s)
{
    const size_t n = s->bodies, ringed = deep_ringed_most(s->bodies), small = deep_aligned(n * sizeof(int32_t));
    const size_t plans = deep_aligned(n * sizeof(deep_plan)), columns = deep_aligned(4 * n * sizeof(real));
    deep_layout at;

    /* Bodies, and their plans or their predecessors in memory. */
    at.body = deep_aligned(sizeof(deep_world));
    at.plan = at.columns = at.body + n * sizeof(deep_body);
    at.cells = at.columns + columns;
    at.order = at.cells + small;
    const size_t begin = at.plan + (plans > columns + 3 * small ? plans : columns + 3 * small);

    /* Queue, cells, ties. */
    at.loop = deep_memory_from(begin, s->bodies, ringed * GRID_PLACES + GRID_PAD);
    at.due = at.loop.end;
    at.renew = at.due + deep_aligned((n + GRID_PAD) * sizeof(int32_t));
    at.undo = at.renew + (s->goes_on && s->accelerates ? deep_aligned(n * sizeof(int32_t)) : 0);
    at.outside = at.undo + (s->goes_on ? deep_aligned(n * sizeof(deep_undo)) : 0);
    at.edges = at.outside + deep_aligned((n + GRID_PAD) * sizeof(int32_t));
    at.rest = at.edges + deep_aligned((ringed / 3 + 1) * sizeof(real)); /* of rows + columns, each 3 with its ring */

    /* Settling, only if bodies may settle. */
    const size_t settling = s->settles_after != UINT32_MAX ? n : 0;
    at.spot = at.rest + deep_aligned(settling * sizeof(deep_rest));
    at.group = at.spot + deep_aligned(settling * sizeof(deep_spot));
    at.members = at.group + deep_aligned(2 * settling * sizeof(int32_t));
    at.touches = at.members + deep_aligned(settling * sizeof(settle_member));
    const size_t most = settling != 0 ? deep_touches_most(s->bodies) : 0;
    at.gaps = at.touches + deep_aligned(most * sizeof(settle_touch));
    at.own = at.gaps + deep_aligned(most * sizeof(settle_gap));
    at.end = at.own + CAROM_KERNEL(scene_own_bytes)(s);
    return at;
}

/* A world in memory of scratch_bytes(), with everything that follows from the scene alone. Where worlds differ the tick
 * gets the world's own scene. */
static deep_world *deep_create(scene_tick *tick, unsigned lane, void *scratch)
{
    const deep_layout at = deep_layout_of(tick->scene);
    unsigned char *base = (unsigned char *)scratch;
    deep_world *w = (deep_world *)scratch;
    w->numbers = 0;
    if (tick->scene->record_numbers != 0) {
        scene_hash_numbers(tick, lane, 1, &w->numbers);
    }
    if (tick->scene->varies != 0) {
        tick->scene = CAROM_KERNEL(scene_own)(tick, lane, base + at.own);
    }
    const scene_frozen *s = tick->scene;

    w->tick = tick;
    w->lane = lane;
    w->scene = s;
    w->dt = scene_dt(tick, lane);
    w->inverse_dt = 1 / w->dt;

    w->body = (deep_body *)(void *)(base + at.body);
    w->plan = (deep_plan *)(void *)(base + at.plan);
    deep_take_memory(&w->loop, base, &at.loop, s->bodies);
    w->due = (int32_t *)(void *)(base + at.due);
    w->renew = (int32_t *)(void *)(base + at.renew);
    w->undo = (deep_undo *)(void *)(base + at.undo);
    w->outside = (int32_t *)(void *)(base + at.outside);
    w->edges_x = (real *)(void *)(base + at.edges);

    w->rest = (deep_rest *)(void *)(base + at.rest);
    w->spot = (deep_spot *)(void *)(base + at.spot);
    w->group = (int32_t *)(void *)(base + at.group);
    w->partners = w->group + s->bodies;
    w->settling.members = (settle_member *)(void *)(base + at.members);
    w->settling.touches = (settle_touch *)(void *)(base + at.touches);
    w->settling.gaps = (settle_gap *)(void *)(base + at.gaps);
    w->settling.touch_most = deep_touches_most(s->bodies);

    w->start = (real *)(void *)(base + at.columns);
    w->start_cells = (uint32_t *)(void *)(base + at.cells);
    w->ids = (int32_t *)(void *)(base + at.order);
    w->order = w->ids + deep_aligned(s->bodies * sizeof(int32_t)) / sizeof(int32_t);

    /* Images: see motion.h for their order. */
    const bool wraps_x = s->horizontal == CAROM_SIDES_PERIODIC, wraps_y = s->vertical == CAROM_SIDES_PERIODIC;
    const real width = wraps_x ? s->x1 - s->x0 : 0, height = wraps_y ? s->y1 - s->y0 : 0;
    w->images = wraps_x || wraps_y;
    w->shift_x[0] = w->shift_y[0] = 0;
    w->shift_x[1] = wraps_x ? -width : 0;
    w->shift_x[2] = width;
    w->shift_y[1] = wraps_y ? -height : 0;
    w->shift_y[2] = height;
    return w;
}

/* ---- the cells ---- */

/* The positions and sizes of the bodies, which determine the cells. */
typedef struct deep_extent {
    real low_x, high_x, low_y, high_y; /* of most centres; of the box where that is periodic */
    real span;                         /* a bound on |x| + |y| + radius */
    uint32_t above[DEEP_LEVELS];       /* [k]: bodies with a radius above the largest / 2^k; valid if radii differ */
    real least, most;                  /* radii */
} deep_extent;

CAROM_LANE void deep_widen(real *low, real *high, real x)
{
    *low = x < *low ? x : *low;
    *high = x > *high ? x : *high;
}

/* Without sides a few bodies may be far away from all others: shrinks the interval to four standard deviations around
 * the mean. */
static void deep_trim(const real *x, uint32_t n, real *low, real *high)
{
    for (int pass = 0; pass < 3; pass++) {
        const double middle = ((double)*low + (double)*high) / 2;
        double count = 0, sum = 0, squares = 0;

        for (uint32_t k = 0; k < n; k++) {
            const bool within = x[k] >= *low && x[k] <= *high;
            const double way = within ? (double)x[k] - middle : 0;
            count += within;
            sum += way;
            squares += way * way;
        }

        const double mean = sum / count, variance = squares / count - mean * mean;
        const double reach = 4 * __builtin_sqrt(variance > 0 ? variance : 0);
        const real from = (real)(middle + mean - reach), to = (real)(middle + mean + reach);
        *low = from > *low ? from : *low;
        *high = to < *high ? to : *high;
    }
}

static deep_extent deep_extent_of(const deep_world *w)
{
    const scene_frozen *s = w->scene;
    const uint32_t n = w->loop.bodies;
    const real *x = w->start, *y = x + n;
    deep_extent e;
    e.low_x = e.low_y = e.least = SCENE_RANGE;
    e.high_x = e.high_y = -SCENE_RANGE;
    e.most = 0;

    /* A box that is periodic in both directions is the extent. */
    const bool wraps = s->horizontal == CAROM_SIDES_PERIODIC && s->vertical == CAROM_SIDES_PERIODIC;
    for (uint32_t k = 0; k < n && !wraps; k++) {
        deep_widen(&e.low_x, &e.high_x, x[k]);
        deep_widen(&e.low_y, &e.high_y, y[k]);
    }
    for (uint32_t k = 0; k < n; k++) {
        deep_widen(&e.least, &e.most, s->radius[w->ids[k]]);
    }

    /* The box where it is periodic, and the range of coordinates if a centre is beyond it. Without bodies a point. */
    if (s->horizontal == CAROM_SIDES_PERIODIC || !(e.low_x >= -SCENE_RANGE && e.high_x <= SCENE_RANGE)) {
        e.low_x = s->horizontal == CAROM_SIDES_PERIODIC ? s->x0 : -SCENE_RANGE;
        e.high_x = s->horizontal == CAROM_SIDES_PERIODIC ? s->x1 : SCENE_RANGE;
    }
    if (s->vertical == CAROM_SIDES_PERIODIC || !(e.low_y >= -SCENE_RANGE && e.high_y <= SCENE_RANGE)) {
        e.low_y = s->vertical == CAROM_SIDES_PERIODIC ? s->y0 : -SCENE_RANGE;
        e.high_y = s->vertical == CAROM_SIDES_PERIODIC ? s->y1 : SCENE_RANGE;
    }
    e.high_x = e.high_x > e.low_x ? e.high_x : e.low_x;
    e.high_y = e.high_y > e.low_y ? e.high_y : e.low_y;

    const real across = scene_amount(e.low_x) > scene_amount(e.high_x) ? scene_amount(e.low_x) : scene_amount(e.high_x);
    const real along = scene_amount(e.low_y) > scene_amount(e.high_y) ? scene_amount(e.low_y) : scene_amount(e.high_y);
    e.span = across + along + e.most;
    e.span = w->farthest > e.span ? w->farthest : e.span;
    if (s->horizontal == CAROM_SIDES_OPEN) {
        deep_trim(x, n, &e.low_x, &e.high_x);
    }
    if (s->vertical == CAROM_SIDES_OPEN) {
        deep_trim(y, n, &e.low_y, &e.high_y);
    }

    for (int level = 0; level < DEEP_LEVELS; level++) {
        e.above[level] = 0;
    }
    for (uint32_t k = 0; k < n && e.most > e.least; k++) {
        real bound = e.most;
        for (int level = 0; level < DEEP_LEVELS; level++, bound *= REAL(0.5)) {
            e.above[level] += s->radius[w->ids[k]] > bound;
        }
    }
    return e;
}

/* The largest radius of bodies that go into cells. Larger bodies are tested against all others: that pays if they are
 * few, because cells as wide as theirs would hold many small ones. If one body in a hundred is ten times as large as
 * the others, a tick of 256 bodies takes 0.2 of the time that it takes with all bodies in cells, and of 1,024 a third;
 * if one in a thousand is a hundred times as large, a tick of 10,000 takes a seventeenth. If every third is three times
 * as large, or a hundred of 10,000 ten times, there is no gain. */
static real deep_cell_radius(const deep_world *w, const deep_extent *e)
{
    const double area = (double)(e->high_x - e->low_x) * (double)(e->high_y - e->low_y), n = w->loop.bodies;
    double least = __builtin_inf();
    real best = e->most, radius = e->most;

    for (int level = 0; level < DEEP_LEVELS; level++, radius *= REAL(0.5)) {
        /* The cost is roughly the number of registers of pairs in a tick. */
        const double large = e->above[level], small = n - large, cell = 4.0 * (double)radius * (double)radius;
        const double share = area > 9 * cell ? 9 * cell / area : 1;
        const double often = (double)(e->most / radius); /* a large body meets more */
        const double cost = small * (2 + (small * share + large) / LANES) + large * often * n / LANES;
        if (cost < least) {
            least = cost;
            best = radius;
        }
        if (!(radius > e->least)) {
            break;
        }
    }
    return best;
}

/* The number of columns, or rows, of at least this width that fit into the extent. */
CAROM_LANE uint32_t deep_count(real size, real width)
{
    const real count = size / width;
    return count >= 1 ? count < GRID_MOST ? (uint32_t)count : GRID_MOST : 1;
}

/* The edges between columns, or rows: those at the border of the grid have no outer edge. */
static void deep_edges(real *edges, real low, real size, uint32_t count)
{
    edges[0] = -SCENE_NEVER;
    for (uint32_t k = 1; k < count; k++) {
        edges[k] = low + size / (real)count * (real)k;
    }
    edges[count] = SCENE_NEVER;
}

/* The first and the last column, or row, that lie further than `reach` from both sides. A body outside the cells has
 * column and row 0: it counts as near the sides if there are any. */
static void deep_inner(uint32_t inner[2], const real *edges, uint32_t count, const scene_frozen *s, bool vertical,
                       real reach)
{
    const real low = vertical ? s->y0 : s->x0, high = vertical ? s->y1 : s->x1;
    const bool open = (vertical ? s->vertical : s->horizontal) == CAROM_SIDES_OPEN;
    inner[0] = open ? 0 : 1;
    inner[1] = count;
    while (!open && inner[0] <= count && !(edges[inner[0] - 1] - reach > low)) {
        inner[0]++;
    }
    while (!open && inner[1] >= 1 && !(edges[inner[1]] + reach < high)) {
        inner[1]--;
    }
}

/* Lays cells over the bodies' extent; those at the border have no outer edge. In a periodic direction the outer edges
 * are the box's sides, which bodies cross by a separate event. If there were so few cells that a body could be seen in
 * two images at once, there is a single one, and all images are tested. */
static void deep_choose_cells(deep_world *w, const deep_extent *e, real radius)
{
    const scene_frozen *s = w->scene;
    const real size_x = e->high_x - e->low_x, size_y = e->high_y - e->low_y;

    /* The margins follow from a first estimate of the width: the reach of two bodies, or the width that makes
     * DEEP_CELLS cells for each body. */
    const real reach = 2 * radius, least_slack = e->span * (4 * DEEP_ROUNDING * DEEP_EPSILON);
    const uint32_t most = (uint32_t)((real)w->loop.bodies * (real)DEEP_CELLS) + 1;
    const real fair = (real)__builtin_sqrt((double)size_x * (double)size_y / (double)most);
    real width = reach > fair ? reach : fair;
    width = width > least_slack ? width : least_slack;
    width = width > 0 ? width : 1;
    w->slack = width * DEEP_SLACK > least_slack ? width * DEEP_SLACK : least_slack;
    w->overlap = s->accelerates ? width * DEEP_OVERLAP : 0;
    w->far = w->slack / (DEEP_ROUNDING * DEEP_EPSILON) - e->span;

    /* The width with its margins, and the resulting number of cells. */
    const real need = reach + w->slack + 2 * w->overlap;
    width = need > fair ? need : fair;
    uint32_t columns = deep_count(size_x, width), rows = deep_count(size_y, width);
    if ((uint64_t)columns * rows > most) { /* bodies almost in a line */
        if (rows == 1) {
            columns = most;
        } else {
            rows = most;
        }
    }

    const bool wraps_x = s->horizontal == CAROM_SIDES_PERIODIC, wraps_y = s->vertical == CAROM_SIDES_PERIODIC;
    w->narrow_x = wraps_x && columns < DEEP_WRAPS_LEAST;
    w->narrow_y = wraps_y && rows < DEEP_WRAPS_LEAST;
    columns = w->narrow_x ? 1 : columns;
    rows = w->narrow_y ? 1 : rows;

    /* Memory may be too small for the ring of a long box. */
    const uint32_t ringed = deep_ringed_most(w->loop.bodies);
    if (columns > rows && (uint64_t)(columns + 2) * (rows + 2) > ringed) {
        columns = ringed / (rows + 2) - 2;
    } else if ((uint64_t)(columns + 2) * (rows + 2) > ringed) {
        rows = ringed / (columns + 2) - 2;
    }

    grid_size(&w->loop.cells, columns, rows, wraps_x && !w->narrow_x, wraps_y && !w->narrow_y);
    w->edges_y = w->edges_x + columns + 1;
    deep_edges(w->edges_x, e->low_x, size_x, columns);
    deep_edges(w->edges_y, e->low_y, size_y, rows);

    const real near_side = radius * REAL(1.001) + w->slack + w->overlap;
    deep_inner(w->inner_x, w->edges_x, columns, s, false, near_side);
    deep_inner(w->inner_y, w->edges_y, rows, s, true, near_side);

    w->x0 = e->low_x;
    w->y0 = e->low_y;
    w->inverse_x = size_x > 0 ? (real)columns / size_x : 0;
    w->inverse_y = size_y > 0 ? (real)rows / size_y : 0;
    w->cell_width = width;
}

/* ---- bodies in and out ---- */

/* Copies x, y, vx, vy of the active bodies to w->start, in order of ids. fields: those of body i are at [i * step]. */
static void deep_copy_in(deep_world *w, const real *const fields[4], size_t step)
{
    const scene_frozen *s = w->scene;
    const int8_t *active = scene_actives(w->tick) + w->lane;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->bodies; i++) {
        w->ids[n] = (int32_t)i;
        n += active[(size_t)i * s->lanes] != 0;
    }

    for (int f = 0; f < 4; f++) {
        real *to = w->start + (size_t)f * n;
        if (n == s->bodies && step == 1) {
            __builtin_memcpy(to, fields[f], n * sizeof(real));
            continue;
        }
        for (uint32_t i = 0; i < n; i++) {
            to[i] = fields[f][(size_t)w->ids[i] * step];
        }
    }
    w->loop.bodies = n;
}

/* Makes the records, in order of cells, so that neighbours are close in memory. Bodies larger than `radius` are outside
 * the cells and come last. */
static void deep_make_bodies(deep_world *w, real radius)
{
    const scene_frozen *s = w->scene;
    const uint32_t n = w->loop.bodies, last = grid_name(w->loop.cells.rows + 1, w->loop.cells.columns + 1);
    const real *x = w->start, *y = x + n, *vx = y + n, *vy = vx + n;

    /* The grid's memory is not in use yet, and serves for sorting. */
    for (uint32_t k = 0; k < n; k++) {
        w->start_cells[k] = s->radius[w->ids[k]] <= radius ? deep_cell_at(w, x[k], y[k]) : last;
    }
    grid_order(&w->loop.cells, n, w->start_cells, sizeof(uint32_t), (uint32_t *)(void *)w->loop.cells.places, w->order);

    w->outside_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int32_t k = w->order[i];
        deep_body *b = &w->body[i];
        b->x = x[k];
        b->y = y[k];
        b->vx = vx[k];
        b->vy = vy[k];
        b->t = 0;
        b->id = w->ids[k];
        b->r = s->radius[b->id];
        b->changes = 0;
        b->tick = w->now;
        b->cell = w->start_cells[k];
        if (b->cell == last) {
            deep_take_outside(w, (int32_t)i);
        }
    }

    /* Plans overlap the start in memory, so they begin only now. */
    for (uint32_t i = 0; i < n; i++) {
        w->plan[i].met = -SCENE_NEVER;
        w->plan[i].last = -1;
    }
}

/* Continues the records of earlier ticks that hold: see scenes/record.h. */
static void deep_resume_records(deep_world *w)
{
    const scene_frozen *s = w->scene;
    const scene_tick *k = w->tick;
    const real *x = scene_reals(k, s->record_x) + w->lane, *y = scene_reals(k, s->record_y) + w->lane;
    const real *vx = scene_reals(k, s->record_vx) + w->lane, *vy = scene_reals(k, s->record_vy) + w->lane;
    const real *t = scene_reals(k, s->record_time) + w->lane;
    const int32_t *ticks = scene_ints(k, s->record_tick) + w->lane;
    if (scene_reals(k, s->record_dt)[w->lane] != w->dt || w->now == INT32_MAX) {
        return;
    }
    if (s->record_numbers != 0 && (uint32_t)scene_ints(k, s->record_numbers)[w->lane] != w->numbers) {
        return;
    }

    for (uint32_t i = 0; i < w->loop.bodies; i += LANES) {
        int32_t which[LANES], tick[LANES];
        real from[5][LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            which[l] = (int32_t)(i + l < w->loop.bodies ? i + l : i);
            const uint32_t id = (uint32_t)w->body[which[l]].id;
            const size_t at = (size_t)id * s->lanes;
            from[0][l] = x[at], from[1][l] = y[at], from[4][l] = t[at];
            from[2][l] = s->accelerates ? vx[at] : w->body[which[l]].vx;
            from[3][l] = s->accelerates ? vy[at] : w->body[which[l]].vy;
            tick[l] = s->renews[id] != 0 ? -1 : ticks[at];
        }

        const vreal dt = v_set1(w->dt), most = record_most(s, dt);
        const scene_circle seen = deep_gather(w, which);
        scene_circle c = seen;
        c.x = v_loadu(from[0]), c.y = v_loadu(from[1]), c.vx = v_loadu(from[2]), c.vy = v_loadu(from[3]);
        c.t = v_loadu(from[4]);
        unsigned keeps = m_bits(record_keeps(s, c, i_loadu32(tick), seen, i_set1(w->now), most, dt));
        keeps &= m_bits(m_below(w->loop.bodies - i));
        for (; keeps != 0; keeps &= keeps - 1) {
            const uint32_t l = (unsigned)__builtin_ctz(keeps);
            deep_body *b = &w->body[which[l]];
            b->x = from[0][l], b->y = from[1][l], b->vx = from[2][l], b->vy = from[3][l], b->t = from[4][l];
            b->tick = tick[l];
        }
    }
}

/* Takes the wide engine's data on a world that it has begun, other than positions and velocities. */
static void deep_take_records(deep_world *w, const scene_begun *from)
{
    for (uint32_t i = 0; i < w->loop.bodies; i++) {
        deep_body *b = &w->body[i];
        const size_t at = (size_t)b->id * from->step;
        b->x = from->x[at], b->y = from->y[at];
        b->t = from->t[at];
        b->tick = w->now + (from->k != NULL ? (int32_t)from->k[at] : 0);
        b->changes = 1; /* so that deep_begin() gives it the cell of its record */
        w->plan[i].last = from->last != NULL ? from->last[at] : -1;
        w->plan[i].met = from->met != NULL ? from->met[at] : -SCENE_NEVER;
    }
    w->impacts = from->impacts, w->sensed = from->sensed, w->watched = from->watched;
    w->passages = from->passages;
}

/* A bound on |x| + |y| of the records of earlier ticks. */
static real deep_farthest(const deep_world *w, const scene_begun *from)
{
    const scene_frozen *s = w->scene;
    real most = 0;
    if (s->goes_on) {
        const real *x = from != NULL ? from->x : scene_reals(w->tick, s->record_x) + w->lane;
        const real *y = from != NULL ? from->y : scene_reals(w->tick, s->record_y) + w->lane;
        const size_t step = from != NULL ? from->step : s->lanes;
        for (uint32_t i = 0; i < w->loop.bodies; i++) {
            const size_t at = (size_t)w->ids[i] * step;
            const real far = scene_amount(x[at]) + scene_amount(y[at]);
            most = far > most && far <= 2 * SCENE_RANGE ? far : most; /* invalid ones do not hold */
        }
    }
    return most;
}

/* The counts at the start of a tick. */
static void deep_count_from_zero(deep_world *w)
{
    w->impacts = w->sensed = w->watched = 0;
    w->passages = 0;
    w->undo_count = 0;
}

#define DEEP_LIFE 256 /* ticks, after which a world is set up again: bodies are no longer in order of their cells */

/* How long the world may live, and how far bodies may move until then: rounding grows with the distance. */
static void deep_plan_life(deep_world *w, deep_extent *e)
{
    const scene_frozen *s = w->scene;
    const uint32_t n = w->loop.bodies;
    const real *x = w->start, *y = x + n, *vx = y + n, *vy = vx + n;
    bool closed = s->horizontal != CAROM_SIDES_OPEN && s->vertical != CAROM_SIDES_OPEN && !s->choosy;
    for (uint32_t i = 0; i < n; i++) {
        closed = closed && x[i] >= s->x0 && x[i] <= s->x1 && y[i] >= s->y0 && y[i] <= s->y1;
    }
    int32_t life = s->goes_on && !s->renewing && w->now < INT32_MAX - 2 * DEEP_LIFE ? DEEP_LIFE : 0;

    /* Records of bodies without acceleration end after a fixed number of ticks. */
    const real most = life != 0 ? deep_lane0(record_most(s, v_set1(w->dt))) : 0;
    for (uint32_t i = 0; i < n && life != 0 && !s->accelerates; i++) {
        const int32_t tick = scene_ints(w->tick, s->record_tick)[(size_t)w->ids[i] * s->lanes + w->lane];
        const real left = tick >= 0 ? (real)tick + most - (real)w->now : most;
        life = left >= 1 && left < (real)life ? (int32_t)left : life;
    }
    life = most >= 1 ? life : 0;

    /* In a closed box bodies stay. */
    if (closed) {
        const real left = scene_amount(s->x0), right = scene_amount(s->x1);
        const real lower = scene_amount(s->y0), upper = scene_amount(s->y1);
        const real span = (left > right ? left : right) + (lower > upper ? lower : upper) + e->most;
        e->span = span * REAL(1.001) > e->span ? span * REAL(1.001) : e->span;
    }

    /* In an open box by twice the distance to the furthest body, or less. */
    real way = 0;
    for (uint32_t i = 0; i < n && !closed; i++) {
        const real go = scene_amount(vx[i]) + scene_amount(vy[i]);
        way = go > way ? go : way;
    }
    w->travel = 0;
    if (!closed && life != 0) {
        while (life > 0 && !(2 * way * (w->dt * (real)life) <= e->span)) {
            life /= 2;
        }
        w->travel = w->dt * (real)life;
        e->span += e->span;
    }
    w->roam = e->span < SCENE_RANGE ? e->span : SCENE_RANGE;
    w->until = w->now + life;
    w->leaves_box = life == 0;
    w->horizon = w->tick->behind && life > 1 ? SCENE_NEVER : w->dt * REAL(1.001);
    w->played = w->lived = 0;
}

/* Sets up a world for a tick, or for the rest of one that the wide engine has begun (`from`, otherwise NULL). */
static void deep_setup(deep_world *w, const scene_begun *from)
{
    w->cancelled = w->counts = w->settled = w->calm = false;
    const scene_tick *k = w->tick;
    w->now = ((const int32_t *)(const void *)(k->tile + w->scene->tick))[w->lane];

    if (from != NULL) {
        const real *const fields[4] = {from->x, from->y, from->vx, from->vy};
        deep_copy_in(w, fields, from->step);
        for (uint32_t i = 0; from->k != NULL && i < w->loop.bodies; i++) { /* records may start far away */
            const size_t at = (size_t)w->ids[i] * from->step;
            w->start[i] = from->k[at] < 0 ? from->at_x[at] : from->x[at];
            w->start[w->loop.bodies + i] = from->k[at] < 0 ? from->at_y[at] : from->y[at];
        }
    } else {
        const scene_frozen *s = w->scene;
        const real *const fields[4] = {scene_reals(k, s->x), scene_reals(k, s->y), scene_reals(k, s->vx),
                                       scene_reals(k, s->vy)};
        deep_copy_in(w, fields, 1);
    }

    w->farthest = deep_farthest(w, from);
    deep_extent e = deep_extent_of(w);
    deep_plan_life(w, &e);
    const real radius = e.most > e.least ? deep_cell_radius(w, &e) : e.most;
    w->equal = !(e.most > e.least);
    w->simple = w->scene->plain && !w->scene->accelerates && w->scene->solver == CAROM_TOI_FAST;
    deep_choose_cells(w, &e, radius);
    deep_make_bodies(w, radius);

    w->loop.now = 0;
    deep_count_from_zero(w);
    if (from != NULL) {
        deep_take_records(w, from);
    } else if (w->scene->goes_on) {
        deep_resume_records(w);
    }
}

/* At the end of the tick a settled body takes its separate velocity, not the one with which it moved. */
CAROM_LANE void deep_end_settled(const deep_world *w, const int32_t *which, scene_circle *c)
{
    real vx[LANES], vy[LANES];
    v_storeu(vx, c->vx), v_storeu(vy, c->vy);
    for (uint32_t l = 0; l < LANES; l++) {
        const deep_rest *r = &w->rest[which[l]];
        vx[l] = r->state != DEEP_FREE ? r->vx : vx[l];
        vy[l] = r->state != DEEP_FREE ? r->vy : vy[l];
    }
    c->vx = v_loadu(vx), c->vy = v_loadu(vy);
}

/* Moves all bodies to the end of the tick, into w->start; false if a number is out of range. Puts centres that rounding
 * left beyond a periodic side on it. */
static bool deep_move_all(const deep_world *w)
{
    const scene_frozen *s = w->scene;
    const uint32_t n = w->loop.bodies;
    const vreal far = v_set1(SCENE_RANGE), fast = v_set1(REAL_MAX);
    const bool wraps_x = s->horizontal == CAROM_SIDES_PERIODIC, wraps_y = s->vertical == CAROM_SIDES_PERIODIC;
    vmask sound = m_below(LANES);

    for (uint32_t i = 0; i < n; i += LANES) {
        int32_t which[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            which[l] = (int32_t)(i + l < n ? i + l : i);
        }

        scene_circle c = record_end(s, deep_gather(w, which), v_set1(w->dt));
        c.x = wraps_x ? scene_clamped(c.x, s->x0, s->x1) : c.x;
        c.y = wraps_y ? scene_clamped(c.y, s->y0, s->y1) : c.y;
        sound = m_and(sound, m_and(v_le(v_abs(c.x), far), v_le(v_abs(c.y), far)));
        sound = m_and(sound, m_and(v_le(v_abs(c.vx), fast), v_le(v_abs(c.vy), fast)));
        if (w->settled) {
            deep_end_settled(w, which, &c);
        }

        /* The last register may have fewer bodies than lanes. */
        const vreal out[4] = {c.x, c.y, c.vx, c.vy};
        for (uint32_t f = 0; f < 4; f++) {
            real *to = w->start + (size_t)f * n + i, last[LANES];
            if (i + LANES <= n) {
                v_storeu(to, out[f]);
                continue;
            }
            v_storeu(last, out[f]);
            for (uint32_t l = 0; i + l < n; l++) {
                to[l] = last[l];
            }
        }
    }
    return m_bits(sound) == m_bits(m_below(LANES));
}

/* Writes the records to the tile, at the end of the tick. */
static void deep_put_records(const deep_world *w)
{
    const scene_frozen *s = w->scene;
    const size_t n = w->loop.bodies;
    const real *ends = w->start;
    scene_reals(w->tick, s->record_dt)[w->lane] = w->dt;
    if (s->record_numbers != 0) {
        scene_ints(w->tick, s->record_numbers)[w->lane] = (int32_t)w->numbers;
    }
    if (n < s->bodies) {
        const int8_t *active = scene_actives(w->tick) + w->lane;
        for (uint32_t id = 0; id < s->bodies; id++) {
            if (active[(size_t)id * s->lanes] == 0) {
                scene_drop_record(w->tick, w->lane, id);
            }
        }
    }

    for (size_t i = 0; i < n; i++) {
        const deep_body *b = &w->body[i];
        if (w->settled && w->rest[i].state != DEEP_FREE) { /* its velocity changes now */
            scene_keep_record(w->tick, w->lane, (uint32_t)b->id, ends[i], ends[n + i], ends[2 * n + i], ends[3 * n + i],
                              0, w->now == INT32_MAX ? w->now : w->now + 1);
        } else {
            scene_keep_record(w->tick, w->lane, (uint32_t)b->id, b->x, b->y, b->vx, b->vy, b->t, b->tick);
        }
    }
}

/* Writes the end of the tick to the tile, or leaves that unchanged if a number is out of range: returns a carom_fault,
 * or 0. */
static uint8_t deep_copy_out(const deep_world *w)
{
    const scene_frozen *s = w->scene;
    const scene_tick *k = w->tick;
    const size_t n = w->loop.bodies;
    const real *ends = w->start;
    real *x = scene_reals(k, s->x) + w->lane, *y = scene_reals(k, s->y) + w->lane;
    real *vx = scene_reals(k, s->vx) + w->lane, *vy = scene_reals(k, s->vy) + w->lane;

    if (!deep_move_all(w)) {
        bool nan = false;
        for (size_t i = 0; i < 4 * n; i++) {
            nan = nan || ends[i] != ends[i];
        }
        return nan ? CAROM_FAULT_NAN : CAROM_FAULT_RANGE;
    }

    for (size_t i = 0; i < n; i++) {
        const size_t at = (size_t)w->body[i].id * s->lanes;
        x[at] = ends[i];
        y[at] = ends[n + i];
        vx[at] = ends[2 * n + i];
        vy[at] = ends[3 * n + i];
    }
    if (s->goes_on) {
        deep_put_records(w);
    }
    return 0;
}

#endif
