/* SPDX-License-Identifier: MIT
 * The deep engine's rules for the gas: see deep/kernel.h; the loop is deep/loop.h. Compiled once for every instruction
 * set and precision.
 */
#include "deep/kernel.h"

#include "deep/body.h"
#include "deep/earliest.h"

#define CELL_LEAST                                                                                                     \
    1.0001 /* least width of a cell, in diameters; rounding may move a body by far less than the excess */
#define CELLS_PER_BODY 1.3 /* at most, except in the smallest grid: fewer make fewer crossings, more make fewer pairs */
#define PERIODIC_LEAST 5   /* cells per side: then neighbours are closer than half the box */
#define STALL_LIMIT 1000   /* a fault: so many events per body without time advancing */

/* All arrays are in the world's own block of memory. */
typedef struct deep_world {
    deep_totals totals; /* first: a world begins with its totals */
    deep_scene scene;
    deep_loop loop;
    deep_body *body; /* in order of cells at the epoch's start */
    int32_t *ids;    /* [body]: the caller's index */
    real *edges;     /* [cells per side + 1]: column or row c lies between edges[c - 1] and edges[c] */
    real side;       /* of the box */
    real low, high;  /* the range of centres: half a diameter less if the box is solid */
    real inverse_cell, contact, epoch;
    double response; /* (1 + restitution) / 2 */
    uint64_t still;  /* events since time last advanced */
} deep_world;

/* ---- memory ---- */

/* Cells per side. */
static uint32_t side_of(const deep_scene *scene)
{
    const double widest = scene->side / CELL_LEAST;
    uint32_t side = widest < GRID_MOST ? (uint32_t)widest : GRID_MOST;
    const uint64_t most = (uint64_t)(scene->bodies * CELLS_PER_BODY);
    if ((uint64_t)side * side > most) {
        uint32_t root = (uint32_t)__builtin_sqrt((double)most);
        side = root < PERIODIC_LEAST ? (side < PERIODIC_LEAST ? side : PERIODIC_LEAST) : root;
    }
    return side > 0 ? side : 1;
}

/* Offsets in a world's block of memory. */
typedef struct layout {
    size_t body, lines, places, ids, next, ranks, ties, edges, end;
} layout;

static layout layout_of(const deep_scene *scene)
{
    layout at;
    const uint32_t n = scene->bodies;
    at.body = deep_aligned(sizeof(deep_world));
    at.lines = at.body + (size_t)n * sizeof(deep_body);
    at.places = at.lines + ((size_t)queue_buckets(n) + queue_pool(n)) * sizeof(queue_line);
    at.ids = at.places + deep_aligned(grid_places(side_of(scene), side_of(scene)) * sizeof(int32_t));
    at.next = at.ids + deep_aligned((size_t)n * sizeof(int32_t));
    at.ranks = at.next + deep_aligned((size_t)n * sizeof(int32_t));
    at.ties = at.ranks + deep_aligned((size_t)n * sizeof(uint64_t));
    at.edges = at.ties + deep_aligned((size_t)n * sizeof(int32_t));
    at.end = at.edges + deep_aligned((side_of(scene) + 1) * sizeof(real));
    return at;
}

static size_t bytes(const deep_scene *scene)
{
    return layout_of(scene).end;
}

static void create(const deep_scene *scene, void *memory)
{
    deep_world *w = (deep_world *)memory;
    unsigned char *base = (unsigned char *)memory;
    const layout at = layout_of(scene);

    w->scene = *scene;
    w->loop.bodies = scene->bodies;
    w->body = (deep_body *)(void *)(base + at.body);
    w->ids = (int32_t *)(void *)(base + at.ids);
    w->loop.cells.places = (int32_t *)(void *)(base + at.places);
    w->loop.cells.next = (int32_t *)(void *)(base + at.next);
    w->edges = (real *)(void *)(base + at.edges);

    grid_size(&w->loop.cells, side_of(scene), side_of(scene), scene->periodic, scene->periodic);
    queue_create(&w->loop.events, (queue_line *)(void *)(base + at.lines), scene->bodies);
    ties_create(&w->loop.equals, (uint64_t *)(void *)(base + at.ranks), (int32_t *)(void *)(base + at.ties),
                scene->bodies);
    w->loop.last = DEEP_NEVER;

    w->side = (real)scene->side;
    w->low = scene->periodic ? 0 : REAL(0.5);
    w->high = scene->periodic ? w->side : w->side - REAL(0.5);
    for (uint32_t k = 1; k < w->loop.cells.columns; k++) {
        w->edges[k] = (real)(scene->side / w->loop.cells.columns * k);
    }
    w->edges[0] = w->low;
    w->edges[w->loop.cells.columns] = w->high;
    w->inverse_cell = (real)(w->loop.cells.columns / scene->side);

    w->contact = (real)scene->contact;
    w->epoch = (real)scene->epoch;
    w->loop.events.last = w->epoch;
    w->response = (1 + scene->restitution) / 2;
}

static void put(void *memory, const double *x, const double *y, const double *vx, const double *vy)
{
    deep_world *w = (deep_world *)memory;
    for (uint32_t i = 0; i < w->scene.bodies; i++) {
        deep_body *b = &w->body[i];
        w->ids[i] = (int32_t)i;
        b->x = (real)x[i];
        b->y = (real)y[i];
        b->vx = (real)vx[i];
        b->vy = (real)vy[i];
        b->t = 0;
    }
    w->loop.events.length = 0;
}

static void get(const void *memory, double *x, double *y, double *vx, double *vy)
{
    const deep_world *w = (const deep_world *)memory;
    for (uint32_t k = 0; k < w->scene.bodies; k++) {
        const deep_body *b = &w->body[k];
        const int32_t i = w->ids[k];
        x[i] = (double)b->x;
        y[i] = (double)b->y;
        vx[i] = (double)b->vx;
        vy[i] = (double)b->vy;
    }
}

/* ---- cells ---- */

/* Directions are numbered like the sides of the box: left, right, lower, upper. */
typedef struct departure {
    real time;
    int direction;
} departure;

/* When a body passes the edge of its column, or row, that lies ahead. The outermost edges are the sides of the box. */
CAROM_LANE real leaves_at(const real *edges, uint32_t index, real x, real v, real t)
{
    const real time = t + (edges[index - (v > 0 ? 0 : 1)] - x) / v;
    return v != 0 ? time : DEEP_NEVER;
}

/* When and where a body leaves its cell: computed from its record each time, which is cheaper than keeping it. */
CAROM_LANE departure departure_of(const deep_world *w, const deep_body *b)
{
    const real x = leaves_at(w->edges, grid_column(b->cell), b->x, b->vx, b->t);
    const real y = leaves_at(w->edges, grid_row(b->cell), b->y, b->vy, b->t);
    departure d;
    d.time = x <= y ? x : y;
    d.direction = x <= y ? (b->vx > 0 ? 1 : 0) : (b->vy > 0 ? 3 : 2);
    return d;
}

/* Does the body leave the box with its cell? */
CAROM_LANE bool is_at_side(const deep_world *w, const deep_body *b, int direction)
{
    const uint32_t index = direction < 2 ? grid_column(b->cell) : grid_row(b->cell);
    return index == ((direction & 1) != 0 ? w->loop.cells.columns : 1);
}

/* ---- prediction ---- */

/* In one direction: the shift to the image in which a body of column, or row, `here` sees one of its neighbour
 * `there`. */
CAROM_LANE real shift_of(const deep_world *w, uint32_t here, uint32_t there)
{
    const uint32_t last = w->loop.cells.columns;
    return here == 1 && there == last ? -w->side : here == last && there == 1 ? w->side : 0;
}

/* When body b, `self`, meets LANES others. near_side: it is at a side of a periodic box, across which it sees
 * images. */
CAROM_LANE vreal meetings(const deep_world *w, const deep_body *b, deep_records self, bool near_side,
                          const int32_t *which)
{
    vreal shift_x = v_set1(0), shift_y = shift_x;
    if (near_side) {
        real x[LANES], y[LANES];
        for (int l = 0; l < LANES; l++) {
            const uint32_t there = w->body[which[l]].cell;
            x[l] = shift_of(w, grid_column(b->cell), grid_column(there));
            y[l] = shift_of(w, grid_row(b->cell), grid_row(there));
        }
        shift_x = v_loadu(x);
        shift_y = v_loadu(y);
    }
    return deep_meeting(self, deep_gather(w->body, which), shift_x, shift_y);
}

/* Like deep_consider() if several meetings are first at the same time: takes that with the lowest id. */
static void consider_several(deep_world *w, int32_t i, const int32_t *list, uint32_t n, bool near_side)
{
    deep_body *b = &w->body[i];
    const deep_records self = deep_repeat(b);
    for (uint32_t k = 0; k < n; k += LANES) {
        const vreal time = meetings(w, b, self, near_side, list + k);
        const real least = v_least(time);
        if (least > b->meeting || least == DEEP_NEVER) {
            continue;
        }

        for (unsigned bits = m_bits(v_eq(time, v_set1(least))); bits != 0; bits &= bits - 1) {
            const int32_t other = list[k + (unsigned)__builtin_ctz(bits)];
            if (least < b->meeting || w->ids[other] <= w->ids[b->partner]) {
                b->meeting = least;
                b->partner = other;
                b->partner_changes = w->body[other].changes;
            }
        }
    }
}

/* Makes the earliest meeting with a body of list[0..n) that of body i, if it comes before the one it has. The list may
 * be written up to LANES beyond n. */
CAROM_LANE void deep_consider(deep_world *w, int32_t i, int32_t *list, uint32_t n)
{
    deep_body *b = &w->body[i];
    const deep_records self = deep_repeat(b);
    const uint32_t row = grid_row(b->cell), column = grid_column(b->cell), last = w->loop.cells.columns;
    const bool near_side = w->scene.periodic && (row == 1 || row == last || column == 1 || column == last);

    /* The last register is filled up with the body itself, which never meets itself. */
    deep_earliest first = deep_earliest_begin();
    real meeting;
    uint32_t which;
    i_compress(list + n, m_below(LANES), i_set1(i));
    for (uint32_t k = 0; k < n; k += LANES) {
        deep_earliest_take(&first, meetings(w, b, self, near_side, list + k), k);
    }

    const deep_found found = deep_earliest_end(&first, b->meeting, &meeting, &which);
    if (found == DEEP_ONE) {
        b->meeting = meeting;
        b->partner = list[which];
        b->partner_changes = w->body[b->partner].changes;
    } else if (found == DEEP_SEVERAL) {
        consider_several(w, i, list, n, near_side);
    }
}

#include "deep/neighbours.h"

/* The earliest meeting of body i from its record on. */
static void deep_predict(deep_world *w, int32_t i)
{
    deep_body *b = &w->body[i];
    b->meeting = DEEP_NEVER;
    deep_look(w, i, grid_row(b->cell) - 1, grid_column(b->cell) - 1, 3, 3);
}

CAROM_LANE real deep_key(const deep_world *w, int32_t i)
{
    const deep_body *b = &w->body[i];
    const real x = leaves_at(w->edges, grid_column(b->cell), b->x, b->vx, b->t);
    const real y = leaves_at(w->edges, grid_row(b->cell), b->y, b->vy, b->t), leaves = x <= y ? x : y;
    return b->meeting < leaves ? b->meeting : leaves;
}

/* ---- events ---- */

CAROM_LANE void move_to(deep_body *b, real time)
{
    const real wait = time - b->t;
    b->x = b->x + b->vx * wait;
    b->y = b->y + b->vy * wait;
    b->t = time;
    b->changes++;
}

/* A difference of coordinates, to the nearest image. */
CAROM_LANE real nearest(const deep_world *w, real p)
{
    const real half = w->side * REAL(0.5);
    return !w->scene.periodic ? p : p > half ? p - w->side : p < -half ? p + w->side : p;
}

/* Plays a collision. Masses are equal, so velocities change along the line of centres by (1 + e) / 2 of the speed of
 * approach. The line is taken 1.25 times as long because of a bias in rounding near 1, which would heat the gas: see
 * scene_collide(). */
CAROM_LANE void collide(deep_world *w, deep_body *i, deep_body *j, real time)
{
    const bool elastic = time - i->t < w->contact || time - j->t < w->contact;
    move_to(i, time);
    move_to(j, time);

    const real px = nearest(w, j->x - i->x) * REAL(1.25), py = nearest(w, j->y - i->y) * REAL(1.25);
    const real approach = px * (j->vx - i->vx) + py * (j->vy - i->vy), pp = px * px + py * py;
    w->totals.collisions++;

    /* Rounding may leave a pair that touches not approaching: then nothing changes. */
    if (approach < 0) {
        const real part = (elastic ? 1 : (real)w->response) * (approach / pp), ux = part * px, uy = part * py;
        i->vx = i->vx + ux;
        i->vy = i->vy + uy;
        j->vx = j->vx - ux;
        j->vy = j->vy - uy;
        w->totals.virial -= (double)(part * pp) / 1.25;
    }
}

/* A body comes to a side of the box: it enters through the opposite side, or turns back. */
CAROM_LANE void pass_side(deep_world *w, int32_t who, int direction, real time)
{
    deep_body *b = &w->body[who];
    const bool up = (direction & 1) != 0;

    move_to(b, time);
    w->totals.sides++;

    if (w->scene.periodic) {
        const uint32_t row = grid_row(b->cell), column = grid_column(b->cell), far = up ? 1 : w->loop.cells.columns;
        grid_remove(&w->loop.cells, b->cell, who);
        b->cell = direction < 2 ? grid_name(row, far) : grid_name(far, column);
        *(direction < 2 ? &b->x : &b->y) = up ? 0 : w->side;
        grid_insert(&w->loop.cells, b->cell, who);
    } else {
        real *v = direction < 2 ? &b->vx : &b->vy;
        w->totals.push += 2 * (double)(up ? *v : -*v);
        *(direction < 2 ? &b->x : &b->y) = up ? w->high : w->low;
        *v = -*v;
    }
}

/* ---- the functions that deep/loop.h needs: see there ---- */

CAROM_LANE deep_next deep_what(const deep_world *w, int32_t i, real time)
{
    const deep_body *b = &w->body[i];
    if (time == b->meeting) {
        return DEEP_MEETS;
    }
    const departure d = departure_of(w, b);
    return d.time != time ? DEEP_IS_PAST : is_at_side(w, b, d.direction) ? DEEP_HITS : DEEP_CROSSES;
}

/* By pairs of ids; crossings, which change no record, first. */
static uint64_t deep_rank(const deep_world *w, int32_t i, real key)
{
    const deep_body *b = &w->body[i];
    const uint64_t id = (uint64_t)w->ids[i];
    uint64_t other;

    switch (deep_what(w, i, key)) {
    case DEEP_MEETS:
        other = (uint64_t)w->ids[b->partner];
        return id < other ? id << 32 | other : other << 32 | id;
    case DEEP_HITS:
        other = (uint64_t)w->scene.bodies + (unsigned)departure_of(w, b).direction;
        return id << 32 | other;
    default:
        return 0;
    }
}

CAROM_LANE int32_t deep_partner(const deep_world *w, int32_t i)
{
    return w->body[i].meeting < DEEP_NEVER ? w->body[i].partner : GRID_NONE;
}

CAROM_LANE bool deep_is_stale(const deep_world *w, int32_t i)
{
    return w->body[w->body[i].partner].changes != w->body[i].partner_changes;
}

CAROM_LANE void deep_predict_two(deep_world *w, int32_t i, int32_t j)
{
    deep_predict(w, i);
    deep_predict(w, j);
}

static void deep_cross(deep_world *w, int32_t i)
{
    const int way = departure_of(w, &w->body[i]).direction;
    w->totals.crossings++;
    deep_step(w, i, way);
    deep_look_on(w, i, way);
}

CAROM_LANE deep_outcome deep_meet(deep_world *w, int32_t i, real time)
{
    collide(w, &w->body[i], &w->body[w->body[i].partner], time);
    return DEEP_PLAYED;
}

CAROM_LANE deep_outcome deep_hit(deep_world *w, int32_t i, real time)
{
    pass_side(w, i, departure_of(w, &w->body[i]).direction, time);
    return DEEP_PLAYED;
}

/* False if too many events have come since time last advanced. */
CAROM_LANE bool deep_passes_time(deep_world *w, real time)
{
    if (time > w->loop.now) {
        w->loop.now = time;
        w->still = 0;
    } else if (++w->still > STALL_LIMIT * ((uint64_t)w->scene.bodies + 10)) {
        w->totals.fault |= DEEP_FAULT_STALLED;
        return false;
    }
    return true;
}

CAROM_LANE void deep_fetch(const deep_world *w, int32_t i)
{
    __builtin_prefetch(&w->body[i], 1);
}

CAROM_LANE void deep_fetch_traits(const deep_world *w, int32_t i)
{
    (void)w, (void)i; /* all disks are alike */
}

#include "deep/loop.h"

/* ---- begin and end of an epoch ---- */

#define SAMPLE 255

/* The length of the first window: so that half of a sample of the bodies have their event in it. */
static real first_length(const deep_world *w)
{
    real sample[SAMPLE];
    const uint32_t n = w->scene.bodies, count = n < SAMPLE ? n : SAMPLE;
    for (uint32_t s = 0; s < count; s++) {
        const real key = deep_key(w, (int32_t)((uint64_t)s * n / count));
        uint32_t k = s;
        for (; k > 0 && sample[k - 1] > key; k--) {
            sample[k] = sample[k - 1];
        }
        sample[k] = key;
    }
    const real median = sample[count / 2];
    return median < w->epoch ? median : w->epoch;
}

/* Sorts bodies by cells, so that neighbours lie close together in memory. */
static void sort(deep_world *w)
{
    const uint32_t n = w->scene.bodies;

    /* Between two epochs queue and grid are empty, and serve as scratch. */
    int32_t *order = (int32_t *)(void *)w->loop.events.lines;
    uint32_t *starts = (uint32_t *)(void *)w->loop.cells.places;

    for (uint32_t i = 0; i < n; i++) {
        deep_body *b = &w->body[i];
        b->cell = grid_name(grid_index(w->loop.cells.rows, b->y, w->inverse_cell),
                            grid_index(w->loop.cells.columns, b->x, w->inverse_cell));
    }
    grid_order(&w->loop.cells, n, &w->body[0].cell, sizeof(deep_body), starts, order);

    /* Move them in place, along each cycle of the permutation. */
    for (uint32_t first = 0; first < n; first++) {
        const deep_body body = w->body[first];
        const int32_t id = w->ids[first];
        uint32_t to = first;
        for (uint32_t from; order[to] != -1; to = from) {
            from = (uint32_t)order[to];
            order[to] = -1;
            w->body[to] = from == first ? body : w->body[from];
            w->ids[to] = from == first ? id : w->ids[from];
        }
    }
}

static void begin(void *memory)
{
    deep_world *w = (deep_world *)memory;
    const uint32_t n = w->scene.bodies;

    sort(w);
    grid_clear(&w->loop.cells);
    for (uint32_t i = 0; i < n; i++) {
        w->body[i].changes = 0;
        grid_insert(&w->loop.cells, w->body[i].cell, (int32_t)i);
    }
    for (uint32_t i = 0; i < n; i++) {
        deep_predict(w, (int32_t)i);
    }

    /* Later windows have the length that the last epoch ended with. */
    if (!(w->loop.events.length > 0)) {
        w->loop.events.length = first_length(w);
    }

    w->totals.now = 0;
    w->loop.now = 0;
    w->still = 0;
    deep_refill(w, 0);
}

static void end(void *memory, double at)
{
    deep_world *w = (deep_world *)memory;
    for (uint32_t i = 0; i < w->scene.bodies; i++) {
        move_to(&w->body[i], (real)at);
        w->body[i].t = 0;
    }
}

static bool run(void *memory, double until, uint64_t most)
{
    deep_world *w = (deep_world *)memory;
    const bool goes_on = w->totals.fault == 0 && deep_run(w, (real)until, most) == DEEP_PAUSED;
    w->totals.now = (double)w->loop.now;
    return !goes_on;
}

CAROM_EXTERN const deep_kernel CAROM_KERNEL(deep);
const deep_kernel CAROM_KERNEL(deep) = {bytes, create, put, get, begin, run, end};
