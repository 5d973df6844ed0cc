/* SPDX-License-Identifier: MIT
 * The deep engine's rules for the gas: see deep/gas_kernel.h; the loop is deep/loop.h. Compiled once for every
 * instruction set and precision.
 */
#include "deep/gas_kernel.h"

#include "deep/state.h"

#define CELL_LEAST 1.0001  /* least width of a cell, in diameters; rounding moves a body by far less than the excess */
#define CELLS_PER_BODY 1.3 /* at most, except in the smallest grid: trades crossings against pairs */
#define PERIODIC_LEAST 5   /* cells per side: then neighbours are closer than half the box */
#define STALL_LIMIT 1000   /* this many events per body without time advancing are a fault */

/* One cache line: a body's record, and the earliest meeting from its last prediction. */
typedef struct gas_body {
    alignas(64) real x;
    real y, vx, vy;
    real t; /* the body's own time: x .. vy are as of then */
    deep_meeting meeting;
    uint32_t changes; /* counts the record's changes */
    uint32_t cell;    /* as of grid_name() */
} gas_body;

#define GAS_STRIDE (64 / sizeof(real)) /* reals from a body to the next */

/* All arrays are in the world's block of memory. */
typedef struct gas_world {
    gas_totals totals; /* first: a world begins with its totals */
    gas_setup setup;
    deep_loop loop;
    gas_body *body; /* in order of cells at the epoch's start */
    int32_t *ids;   /* [body]: the caller's index */
    real *edges;    /* [cells per side + 1]: column or row c lies between edges[c - 1] and edges[c] */
    real side;      /* of the box */
    real low, high; /* the range of centres: half a diameter less on each side if the box is solid */
    real inverse_cell, contact, epoch;
    double response; /* (1 + restitution) / 2 */
    uint64_t still;  /* events since time last advanced */
} gas_world;

typedef gas_world rules_world;
#include "deep/loop.h"

/* ---- bodies in lanes ---- */

typedef struct gas_records {
    vreal x, y, vx, vy, t;
} gas_records;

/* The same body in all lanes. */
CAROM_LANE gas_records gas_repeat(const gas_body *b)
{
    gas_records r;
    r.x = v_set1(b->x);
    r.y = v_set1(b->y);
    r.vx = v_set1(b->vx);
    r.vy = v_set1(b->vy);
    r.t = v_set1(b->t);
    return r;
}

/* The bodies which[0..LANES), one in each lane. */
CAROM_LANE gas_records gas_gather(const gas_body *bodies, const int32_t *which)
{
    vreal fields[V_ROWS];
    gas_records r;
    v_rows(&bodies[0].x, GAS_STRIDE, which, fields);
    r.x = fields[0];
    r.y = fields[1];
    r.vx = fields[2];
    r.vy = fields[3];
    r.t = fields[4];
    return r;
}

/* When disks of diameter 1 meet, starting at the later of their times: that time itself where they touch and approach,
 * infinity where they do not meet. The shift, to an image of j, is added to its position; swapping i and j and the sign
 * of the shift changes no bit. The equation is the variant cross-citardauq of toi.h, without cancellation in d, nor
 * where the meeting is near. */
CAROM_LANE vreal gas_meeting(gas_records i, gas_records j, vreal shift_x, vreal shift_y)
{
    const vreal zero = v_set1(0);

    /* Relative position and velocity, at the later time. */
    vreal start = v_max(i.t, j.t), di = start - i.t, dj = start - j.t;
    vreal px = j.x + j.vx * dj - (i.x + i.vx * di);
    vreal py = j.y + j.vy * dj - (i.y + i.vy * di);
    px = px + shift_x;
    py = py + shift_y;
    vreal vx = j.vx - i.vx, vy = j.vy - i.vy;

    vreal b = px * vx + py * vy;
    vreal c = px * px + py * py - v_set1(1);
    vreal a = vx * vx + vy * vy;
    vreal cross = px * vy - py * vx, d = a - cross * cross;

    vmask approaching = v_lt(b, zero), inside = v_le(c, zero);
    vmask meet = m_and(approaching, m_or(inside, v_ge(d, zero)));
    vreal root = v_sqrt(v_max(d, zero)), wait = c / (root - b);
    vreal time = start + v_select(inside, zero, wait);
    return v_select(meet, time, v_set1(DEEP_NEVER));
}

/* ---- memory ---- */

/* Cells per side. */
static uint32_t side_of(const gas_setup *setup)
{
    const double widest = setup->side / CELL_LEAST;
    uint32_t side = widest < GRID_MOST ? (uint32_t)widest : GRID_MOST;
    const uint64_t most = (uint64_t)(setup->bodies * CELLS_PER_BODY);
    if ((uint64_t)side * side > most) {
        uint32_t root = (uint32_t)__builtin_sqrt((double)most);
        side = root < PERIODIC_LEAST ? (side < PERIODIC_LEAST ? side : PERIODIC_LEAST) : root;
    }
    return side > 0 ? side : 1;
}

/* Offsets in a world's block of memory. */
typedef struct layout {
    size_t body, ids, images, edges, end;
    deep_memory loop;
} layout;

static layout layout_of(const gas_setup *setup)
{
    layout at;
    const size_t n = setup->bodies;
    at.body = deep_aligned(sizeof(gas_world));
    at.loop =
        deep_memory_from(at.body + n * sizeof(gas_body), setup->bodies, grid_places(side_of(setup), side_of(setup)));
    at.ids = at.loop.end;
    at.images = at.ids + deep_aligned(n * sizeof(int32_t));
    at.edges = at.images + deep_aligned(n * 2 * sizeof(int32_t));
    at.end = at.edges + deep_aligned((side_of(setup) + 1) * sizeof(real));
    return at;
}

static size_t bytes(const gas_setup *setup)
{
    return layout_of(setup).end;
}

static void create(const gas_setup *setup, void *memory)
{
    gas_world *w = (gas_world *)memory;
    unsigned char *base = (unsigned char *)memory;
    const layout at = layout_of(setup);

    w->setup = *setup;
    w->loop.bodies = setup->bodies;
    w->body = (gas_body *)(void *)(base + at.body);
    w->ids = (int32_t *)(void *)(base + at.ids);
    w->totals.images = (int32_t *)(void *)(base + at.images);
    w->edges = (real *)(void *)(base + at.edges);

    deep_take_memory(&w->loop, base, &at.loop, setup->bodies);
    grid_size(&w->loop.cells, side_of(setup), side_of(setup), setup->periodic, setup->periodic);
    queue_create(&w->loop.events, w->loop.events.lines, setup->bodies);
    w->loop.last = DEEP_NEVER;

    w->side = (real)setup->side;
    w->low = setup->periodic ? 0 : REAL(0.5);
    w->high = setup->periodic ? w->side : w->side - REAL(0.5);
    for (uint32_t k = 1; k < w->loop.cells.columns; k++) {
        w->edges[k] = (real)(setup->side / w->loop.cells.columns * k);
    }
    w->edges[0] = w->low;
    w->edges[w->loop.cells.columns] = w->high;
    w->inverse_cell = (real)(w->loop.cells.columns / setup->side);

    w->contact = (real)setup->contact;
    w->epoch = (real)setup->epoch;
    w->loop.events.last = w->epoch;
    w->response = (1 + setup->restitution) / 2;
}

static void put(void *memory, const double *x, const double *y, const double *vx, const double *vy)
{
    gas_world *w = (gas_world *)memory;
    for (uint32_t i = 0; i < w->setup.bodies; i++) {
        gas_body *b = &w->body[i];
        w->ids[i] = (int32_t)i;
        w->totals.images[2 * i] = w->totals.images[2 * i + 1] = 0;
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
    const gas_world *w = (const gas_world *)memory;
    for (uint32_t k = 0; k < w->setup.bodies; k++) {
        const gas_body *b = &w->body[k];
        const int32_t i = w->ids[k];
        x[i] = (double)b->x;
        y[i] = (double)b->y;
        vx[i] = (double)b->vx;
        vy[i] = (double)b->vy;
    }
}

static void look(const void *memory, double at, double *x, double *y, double *vx, double *vy)
{
    const gas_world *w = (const gas_world *)memory;
    for (uint32_t k = 0; k < w->setup.bodies; k++) {
        const gas_body *b = &w->body[k];
        const int32_t i = w->ids[k];
        const real wait = (real)at - b->t;
        x[i] = (double)(b->x + b->vx * wait);
        y[i] = (double)(b->y + b->vy * wait);
        vx[i] = (double)b->vx;
        vy[i] = (double)b->vy;
    }
}

/* ---- cells ---- */

/* When and where body i leaves its cell; directions are numbered like the sides of the box, which are the outermost
 * edges. Recomputed from its record each time, which is cheaper than storing it. */
CAROM_LANE deep_departure departure_of(const gas_world *w, int32_t i)
{
    return deep_departs(w, i, w->edges, w->edges);
}

/* Does the body leave the box with its cell? */
CAROM_LANE bool is_at_side(const gas_world *w, const gas_body *b, int way)
{
    const uint32_t index = way < 2 ? grid_column(b->cell) : grid_row(b->cell);
    return index == ((way & 1) != 0 ? w->loop.cells.columns : 1);
}

/* ---- prediction ---- */

/* In one direction: the shift to the image in which a body of column, or row, `here` sees one of its neighbour
 * `there`. */
CAROM_LANE real shift_of(const gas_world *w, uint32_t here, uint32_t there)
{
    const uint32_t last = w->loop.cells.columns;
    return here == 1 && there == last ? -w->side : here == last && there == 1 ? w->side : 0;
}

/* When body b, `self`, meets LANES others. near_side: it is at a side of a periodic box, across which it sees
 * images. */
CAROM_LANE vreal meetings(const gas_world *w, const gas_body *b, gas_records self, bool near_side, const int32_t *which)
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
    return gas_meeting(self, gas_gather(w->body, which), shift_x, shift_y);
}

/* Like rules_consider(), for several meetings that are first at the same time: takes that with the lowest id. */
static void consider_several(gas_world *w, int32_t i, const int32_t *list, uint32_t n, bool near_side)
{
    gas_body *b = &w->body[i];
    const gas_records self = gas_repeat(b);
    for (uint32_t k = 0; k < n; k += LANES) {
        const vreal time = meetings(w, b, self, near_side, list + k);
        const real least = v_least(time);
        if (least > b->meeting.time || least == DEEP_NEVER) {
            continue;
        }

        for (unsigned bits = m_bits(v_eq(time, v_set1(least))); bits != 0; bits &= bits - 1) {
            const int32_t other = list[k + (unsigned)__builtin_ctz(bits)];
            if (least < b->meeting.time || w->ids[other] <= w->ids[b->meeting.partner]) {
                deep_expect(w, i, other, least);
            }
        }
    }
}

/* Makes the earliest meeting with a body of list[0..n) that of body i, if it precedes the present one. May write to the
 * list up to LANES entries beyond n. */
CAROM_LANE void rules_consider(gas_world *w, int32_t i, int32_t *list, uint32_t n)
{
    gas_body *b = &w->body[i];
    const gas_records self = gas_repeat(b);
    const uint32_t row = grid_row(b->cell), column = grid_column(b->cell), last = w->loop.cells.columns;
    const bool near_side = w->setup.periodic && (row == 1 || row == last || column == 1 || column == last);

    /* Pad the last register with the body itself, which never meets itself. */
    deep_earliest first = deep_earliest_begin();
    real meeting;
    uint32_t which;
    i_compress(list + n, m_below(LANES), i_set1(i));
    for (uint32_t k = 0; k < n; k += LANES) {
        deep_earliest_take(&first, meetings(w, b, self, near_side, list + k), k);
    }

    const deep_found found = deep_earliest_end(&first, b->meeting.time, &meeting, &which);
    if (found == DEEP_ONE) {
        deep_expect(w, i, list[which], meeting);
    } else if (found == DEEP_SEVERAL) {
        consider_several(w, i, list, n, near_side);
    }
}

/* The earliest meeting of body i, from its record on. */
static void rules_predict(gas_world *w, int32_t i)
{
    const uint32_t cell = w->body[i].cell;
    deep_expect_nobody(w, i);
    deep_look(w, i, grid_row(cell) - 1, grid_column(cell) - 1, 3, 3);
}

CAROM_LANE real rules_key(const gas_world *w, int32_t i)
{
    const real meeting = w->body[i].meeting.time, leaves = departure_of(w, i).time;
    return meeting < leaves ? meeting : leaves;
}

/* ---- events ---- */

CAROM_LANE void move_to(gas_body *b, real time)
{
    const real wait = time - b->t;
    b->x = b->x + b->vx * wait;
    b->y = b->y + b->vy * wait;
    b->t = time;
    b->changes++;
}

/* A difference of coordinates, to the nearest image. */
CAROM_LANE real nearest(const gas_world *w, real p)
{
    const real half = w->side * REAL(0.5);
    return !w->setup.periodic ? p : p > half ? p - w->side : p < -half ? p + w->side : p;
}

/* Logs an event of body i, which gets the impulse (jx, jy) and touches `second` (an id, as in gas_event) at its
 * position and (dx, dy). Out of line, since it is rarely wanted. */
__attribute__((noinline)) static void log_event(gas_world *w, const gas_body *i, uint32_t second, real dx, real dy,
                                                real jx, real jy)
{
    gas_event *e = &w->totals.log[w->totals.logged++];
    e->time = (double)i->t;
    e->x = (double)i->x + (double)dx;
    e->y = (double)i->y + (double)dy;
    e->jx = (double)jx;
    e->jy = (double)jy;
    e->first = (uint32_t)w->ids[i - w->body];
    e->second = second;
}

/* Logs a collision: j is (px, py) / 1.25 away from i, which gets the impulse (jx, jy). Logged from the lower id, so
 * that no bit depends on which of the two came up first. */
__attribute__((noinline)) static void log_collision(gas_world *w, const gas_body *i, const gas_body *j, real px,
                                                    real py, real jx, real jy)
{
    const int32_t id = w->ids[i - w->body], other = w->ids[j - w->body];
    const real half = REAL(0.4);
    if (id < other) {
        log_event(w, i, (uint32_t)other, px * half, py * half, jx, jy);
    } else {
        log_event(w, j, (uint32_t)id, -px * half, -py * half, -jx, -jy);
    }
}

/* Plays a collision. Masses are equal, so velocities change along the line of centres by (1 + e) / 2 of the speed of
 * approach. The line is taken 1.25 times as long because of a bias in rounding near 1, which would heat the gas: see
 * scene_collide(). */
CAROM_LANE void collide(gas_world *w, gas_body *i, gas_body *j, real time)
{
    const bool elastic = time - i->t < w->contact || time - j->t < w->contact;
    move_to(i, time);
    move_to(j, time);

    const real px = nearest(w, j->x - i->x) * REAL(1.25), py = nearest(w, j->y - i->y) * REAL(1.25);
    const real approach = px * (j->vx - i->vx) + py * (j->vy - i->vy), pp = px * px + py * py;
    real ux = 0, uy = 0;
    w->totals.collisions++;

    /* Rounding may leave a pair that touches not approaching: then nothing changes. */
    if (approach < 0) {
        const real part = (elastic ? 1 : (real)w->response) * (approach / pp);
        ux = part * px;
        uy = part * py;
        i->vx = i->vx + ux;
        i->vy = i->vy + uy;
        j->vx = j->vx - ux;
        j->vy = j->vy - uy;
        w->totals.virial -= (double)(part * pp) / 1.25;
        w->totals.virial_xx -= (double)(ux * px) / 1.25;
        w->totals.virial_xy -= (double)(ux * py) / 1.25;
    }
    if (w->totals.log != NULL) {
        log_collision(w, i, j, px, py, ux, uy);
    }
}

/* A body reaches a side of the box: it enters through the opposite side, or turns back. */
CAROM_LANE void pass_side(gas_world *w, int32_t who, int direction, real time)
{
    gas_body *b = &w->body[who];
    const bool up = (direction & 1) != 0;

    move_to(b, time);
    w->totals.sides++;

    if (w->setup.periodic) {
        const uint32_t row = grid_row(b->cell), column = grid_column(b->cell), far = up ? 1 : w->loop.cells.columns;
        grid_remove(&w->loop.cells, b->cell, who);
        b->cell = direction < 2 ? grid_name(row, far) : grid_name(far, column);
        *(direction < 2 ? &b->x : &b->y) = up ? 0 : w->side;
        grid_insert(&w->loop.cells, b->cell, who);
        w->totals.images[2 * w->ids[who] + (direction < 2 ? 0 : 1)] += up ? 1 : -1;
    } else {
        real *v = direction < 2 ? &b->vx : &b->vy;
        w->totals.push += 2 * (double)(up ? *v : -*v);
        *(direction < 2 ? &b->x : &b->y) = up ? w->high : w->low;
        *v = -*v;
        if (w->totals.log != NULL) {
            const real radius = up ? REAL(0.5) : REAL(-0.5), j = 2 * *v;
            log_event(w, b, w->setup.bodies + (uint32_t)direction, direction < 2 ? radius : 0,
                      direction < 2 ? 0 : radius, direction < 2 ? j : 0, direction < 2 ? 0 : j);
        }
    }
}

/* ---- what deep/loop.h requires of a rule set ---- */

CAROM_LANE deep_meeting *rules_meeting(const gas_world *w, int32_t i)
{
    return &w->body[i].meeting;
}

/* `last` is DEEP_NEVER: any body may be due. */
CAROM_LANE uint32_t rules_due(const gas_world *w, uint32_t from, uint32_t to, int32_t *who)
{
    (void)w;
    for (uint32_t i = from; i < to; i++) {
        who[i - from] = (int32_t)i;
    }
    return to - from;
}

CAROM_LANE void rules_fit(gas_world *w)
{
    (void)w;
}

CAROM_LANE deep_next rules_what(const gas_world *w, int32_t i, real time)
{
    const gas_body *b = &w->body[i];
    if (time == b->meeting.time) {
        return DEEP_MEETS;
    }
    const deep_departure d = departure_of(w, i);
    return d.time != time ? DEEP_IS_PAST : is_at_side(w, b, d.way) ? DEEP_HITS : DEEP_CROSSES;
}

/* By pairs of ids; crossings, which change no record, come first. */
static uint64_t rules_rank(const gas_world *w, int32_t i, real key)
{
    const uint64_t id = (uint64_t)w->ids[i];
    uint64_t other;

    switch (rules_what(w, i, key)) {
    case DEEP_MEETS:
        other = (uint64_t)w->ids[w->body[i].meeting.partner];
        return id < other ? id << 32 | other : other << 32 | id;
    case DEEP_HITS:
        other = (uint64_t)w->setup.bodies + departure_of(w, i).way;
        return id << 32 | other;
    default:
        return 0;
    }
}

CAROM_LANE void rules_predict_two(gas_world *w, int32_t i, int32_t j)
{
    rules_predict(w, i);
    rules_predict(w, j);
}

static void rules_cross(gas_world *w, int32_t i)
{
    const int way = departure_of(w, i).way;
    w->totals.crossings++;
    deep_step(w, i, way);
    deep_look_on(w, i, way);
}

CAROM_LANE deep_outcome rules_meet(gas_world *w, int32_t i, real time)
{
    collide(w, &w->body[i], &w->body[w->body[i].meeting.partner], time);
    return DEEP_PLAYED;
}

CAROM_LANE deep_outcome rules_hit(gas_world *w, int32_t i, real time)
{
    pass_side(w, i, departure_of(w, i).way, time);
    return DEEP_PLAYED;
}

/* False if too many events have come since time last advanced. */
CAROM_LANE bool rules_passes_time(gas_world *w, real time)
{
    if (time > w->loop.now) {
        w->loop.now = time;
        w->still = 0;
    } else if (++w->still > STALL_LIMIT * ((uint64_t)w->setup.bodies + 10)) {
        w->totals.fault |= GAS_FAULT_STALLED;
        return false;
    }
    return true;
}

CAROM_LANE void rules_fetch(const gas_world *w, int32_t i)
{
    __builtin_prefetch(&w->body[i], 1);
}

CAROM_LANE void rules_fetch_traits(const gas_world *w, int32_t i)
{
    (void)w, (void)i; /* all disks are alike */
}

/* ---- begin and end of an epoch ---- */

#define SAMPLE 255

/* The length of the first window: half of a sample of the bodies have their event in it. */
static real first_length(const gas_world *w)
{
    real sample[SAMPLE];
    const uint32_t n = w->setup.bodies, count = n < SAMPLE ? n : SAMPLE;
    for (uint32_t s = 0; s < count; s++) {
        const real key = rules_key(w, (int32_t)((uint64_t)s * n / count));
        uint32_t k = s;
        for (; k > 0 && sample[k - 1] > key; k--) {
            sample[k] = sample[k - 1];
        }
        sample[k] = key;
    }
    const real median = sample[count / 2];
    return median < w->epoch ? median : w->epoch;
}

/* Sorts bodies by cells, so that neighbours are close in memory. */
static void sort(gas_world *w)
{
    const uint32_t n = w->setup.bodies;

    /* Between two epochs queue and grid are empty, and serve as scratch. */
    int32_t *order = (int32_t *)(void *)w->loop.events.lines;
    uint32_t *starts = (uint32_t *)(void *)w->loop.cells.places;

    for (uint32_t i = 0; i < n; i++) {
        gas_body *b = &w->body[i];
        b->cell = grid_name(grid_index(w->loop.cells.rows, b->y, w->inverse_cell),
                            grid_index(w->loop.cells.columns, b->x, w->inverse_cell));
    }
    grid_order(&w->loop.cells, n, &w->body[0].cell, sizeof(gas_body), starts, order);

    /* Move them in place, along each cycle of the permutation. */
    for (uint32_t first = 0; first < n; first++) {
        const gas_body body = w->body[first];
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
    gas_world *w = (gas_world *)memory;
    const uint32_t n = w->setup.bodies;

    sort(w);
    grid_clear(&w->loop.cells);
    for (uint32_t i = 0; i < n; i++) {
        w->body[i].changes = 0;
        grid_insert(&w->loop.cells, w->body[i].cell, (int32_t)i);
    }
    for (uint32_t i = 0; i < n; i++) {
        rules_predict(w, (int32_t)i);
    }

    /* Later windows start with the length at the end of the last epoch. */
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
    gas_world *w = (gas_world *)memory;
    for (uint32_t i = 0; i < w->setup.bodies; i++) {
        move_to(&w->body[i], (real)at);
        w->body[i].t = 0;
    }
}

static bool run(void *memory, double until, uint64_t most)
{
    gas_world *w = (gas_world *)memory;
    const bool goes_on = w->totals.fault == 0 && deep_run(w, (real)until, most) == DEEP_PAUSED;
    w->totals.now = (double)w->loop.now;
    return !goes_on;
}

CAROM_EXTERN const gas_kernel CAROM_KERNEL(gas);
const gas_kernel CAROM_KERNEL(gas) = {bytes, create, put, get, look, begin, run, end};
