/* SPDX-License-Identifier: MIT
 * Growing disks: a separate event-driven loop, in plain C. All radii are s(t) times the final ones, with s growing
 * linearly to 1. It need not be fast: a start takes some tens of collisions a disk.
 *
 * Each disk has one event, the first of: it meets another one, meets a solid side, or leaves its cell. A disk whose
 * partner has changed since notices when its event comes up.
 *
 * Two disks at distance vector p, moving with relative velocity v, touch when |p + v t| = R + R' t, where R' is the
 * growth rate of the sum of their radii: the usual equation with a = v v - R' R', b = p v - R R', c = p p - R R.
 */
#include "lab/grow.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>

#define FIRST_PACKING 0.25 /* at which disks are placed at random */
#define TRIES 100000       /* attempts to place a disk */
/* A growth with more events per disk than this, plus this for each unit of its time, is jammed. */
#define EVENTS_MOST 1000
#define EVENTS_BY_TIME 200
#define SYNC_EVENTS 8 /* per disk, until speeds are scaled back to temperature 1, since growth heats */
#define PURPOSE_PLACE 0x67726f77u
#define NONE (-1)

typedef enum grow_kind { GROW_MEETS, GROW_HITS, GROW_CROSSES } grow_kind;

typedef struct disk {
    double x, y, vx, vy, t; /* its position at its own time, and its velocity */
    double due;             /* the time of its next event */
    uint32_t changes, partner_changes;
    int32_t partner;        /* of a meeting */
    int32_t next, previous; /* in its cell */
    uint32_t row, column;
    uint32_t place;    /* in the heap */
    uint8_t kind, way; /* way: 0 left, 1 right, 2 lower, 3 upper */
} disk;

typedef struct growth {
    const grow_setup *setup;
    disk *disks;
    int32_t *heads; /* [rows][columns]: the first disk of a cell */
    int32_t *heap;  /* [bodies]: disks, those with the earliest events first */
    uint32_t rows, columns;
    double cell_x, cell_y;
    double now, scale, rate; /* radii are (scale + rate t) times the final ones, at time t */
} growth;

static double scale_at(const growth *g, double t)
{
    return g->scale + g->rate * t;
}

/* ---- cells ---- */

static uint32_t cells_along(double side, double widest, size_t bodies)
{
    const double most = fmin(floor(side / widest), 2 + sqrt((double)bodies) * 2);
    return most >= 1 ? (uint32_t)most : 1;
}

static void link_disk(growth *g, int32_t i)
{
    disk *d = &g->disks[i];
    int32_t *head = &g->heads[(size_t)d->row * g->columns + d->column];
    d->next = *head;
    d->previous = NONE;
    if (*head != NONE) {
        g->disks[*head].previous = i;
    }
    *head = i;
}

static void unlink_disk(growth *g, int32_t i)
{
    const disk *d = &g->disks[i];
    if (d->previous != NONE) {
        g->disks[d->previous].next = d->next;
    } else {
        g->heads[(size_t)d->row * g->columns + d->column] = d->next;
    }
    if (d->next != NONE) {
        g->disks[d->next].previous = d->previous;
    }
}

static uint32_t index_of(double x, double cell, uint32_t cells)
{
    const double index = floor(x / cell);
    return index <= 0 ? 0 : index >= cells ? cells - 1 : (uint32_t)index;
}

static void place_in_cell(growth *g, int32_t i)
{
    disk *d = &g->disks[i];
    d->row = index_of(d->y, g->cell_y, g->rows);
    d->column = index_of(d->x, g->cell_x, g->columns);
    link_disk(g, i);
}

/* The cell at offset `step` from one, and the shift of the image in which its disks are seen; false: there is none. */
static bool beside(uint32_t here, int step, uint32_t cells, bool periodic, double side, uint32_t *there, double *shift)
{
    const int64_t at = (int64_t)here + step;
    *shift = at < 0 ? -side : at >= cells ? side : 0;
    *there = (uint32_t)((at + cells) % cells);
    return (at >= 0 && at < cells) || periodic;
}

/* ---- the heap ---- */

static void heap_put(growth *g, uint32_t place, int32_t i)
{
    g->heap[place] = i;
    g->disks[i].place = place;
}

static void heap_update(growth *g, int32_t i)
{
    const double due = g->disks[i].due;
    const uint32_t n = (uint32_t)g->setup->bodies;
    uint32_t at = g->disks[i].place;
    while (at > 0 && g->disks[g->heap[(at - 1) / 2]].due > due) {
        heap_put(g, at, g->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= n) {
            break;
        }
        child += child + 1 < n && g->disks[g->heap[child + 1]].due < g->disks[g->heap[child]].due;
        if (g->disks[g->heap[child]].due >= due) {
            break;
        }
        heap_put(g, at, g->heap[child]);
        at = child;
    }
    heap_put(g, at, i);
}

/* ---- prediction ---- */

/* When disks i and j, seen `shift` away, touch: not before the time reached. */
static double meeting(const growth *g, const disk *i, const disk *j, double sum, double shift_x, double shift_y)
{
    const double px = j->x + j->vx * (g->now - j->t) + shift_x - (i->x + i->vx * (g->now - i->t));
    const double py = j->y + j->vy * (g->now - j->t) + shift_y - (i->y + i->vy * (g->now - i->t));
    const double vx = j->vx - i->vx, vy = j->vy - i->vy;
    const double apart = sum * scale_at(g, g->now), grows = sum * g->rate;
    const double a = vx * vx + vy * vy - grows * grows, b = px * vx + py * vy - apart * grows;
    const double c = px * px + py * py - apart * apart;
    if (c <= 0) {
        return b < 0 ? g->now : INFINITY;
    }
    const double d = b * b - a * c;
    return (b >= 0 && a >= 0) || d < 0 ? INFINITY : g->now + c / (sqrt(d) - b);
}

/* When it reaches, in one direction, the edge of its cell or a solid side. */
static void predict_along(const growth *g, disk *d, double x, double v, double radius, uint32_t index, uint32_t cells,
                          double cell, double side, bool periodic, uint8_t way)
{
    const double ahead = v > 0 ? (index + 1) * cell - x : index * cell - x;
    const double crosses = v != 0 ? g->now + fmax(ahead / v, 0) : INFINITY;
    const bool inner = periodic || (v > 0 ? index + 1 < cells : index > 0);
    if (inner && crosses < d->due) {
        d->due = crosses;
        d->kind = GROW_CROSSES;
        d->way = (uint8_t)(way + (v > 0));
    }
    for (uint8_t up = 0; up < 2 && !periodic; up++) {
        const double room = (up ? side - x : x) - radius * scale_at(g, g->now);
        const double closing = radius * g->rate + (up ? v : -v);
        const double hits = closing > 0 ? g->now + fmax(room, 0) / closing : INFINITY;
        if (hits < d->due) {
            d->due = hits;
            d->kind = GROW_HITS;
            d->way = (uint8_t)(way + up);
        }
    }
}

static void predict(growth *g, int32_t i)
{
    const grow_setup *s = g->setup;
    disk *d = &g->disks[i];
    d->due = INFINITY;
    d->partner = NONE;
    for (int dr = -1; dr <= 1; dr++) {
        for (int dc = -1; dc <= 1; dc++) {
            uint32_t row, column;
            double shift_x, shift_y;
            if (!beside(d->row, dr, g->rows, s->periodic_y, s->height, &row, &shift_y) ||
                !beside(d->column, dc, g->columns, s->periodic_x, s->width, &column, &shift_x)) {
                continue;
            }
            for (int32_t j = g->heads[(size_t)row * g->columns + column]; j != NONE; j = g->disks[j].next) {
                const double time =
                    j == i ? INFINITY : meeting(g, d, &g->disks[j], s->radii[i] + s->radii[j], shift_x, shift_y);
                if (time < d->due) {
                    d->due = time;
                    d->kind = GROW_MEETS;
                    d->partner = j;
                    d->partner_changes = g->disks[j].changes;
                }
            }
        }
    }
    const double wait = g->now - d->t, radius = s->radii[i];
    predict_along(g, d, d->x + d->vx * wait, d->vx, radius, d->column, g->columns, g->cell_x, s->width, s->periodic_x,
                  0);
    predict_along(g, d, d->y + d->vy * wait, d->vy, radius, d->row, g->rows, g->cell_y, s->height, s->periodic_y, 2);
    heap_update(g, i);
}

/* ---- events ---- */

static void move(growth *g, int32_t i)
{
    disk *d = &g->disks[i];
    d->x += d->vx * (g->now - d->t);
    d->y += d->vy * (g->now - d->t);
    d->t = g->now;
    d->changes++;
}

static double nearest(double p, double side, bool periodic)
{
    return !periodic ? p : p > side / 2 ? p - side : p < -side / 2 ? p + side : p;
}

/* Elastic in the frame of the growing surfaces: the two separate as fast as they approached. */
static void collide(growth *g, int32_t i, int32_t j)
{
    const grow_setup *s = g->setup;
    move(g, i);
    move(g, j);
    disk *a = &g->disks[i], *b = &g->disks[j];
    const double px = nearest(b->x - a->x, s->width, s->periodic_x);
    const double py = nearest(b->y - a->y, s->height, s->periodic_y);
    const double length = sqrt(px * px + py * py), nx = px / length, ny = py / length;
    const double parts = (b->vx - a->vx) * nx + (b->vy - a->vy) * ny, grows = (s->radii[i] + s->radii[j]) * g->rate;
    if (parts < grows) {
        const double impulse = 2 * (grows - parts) / (1 / s->masses[i] + 1 / s->masses[j]);
        a->vx -= impulse / s->masses[i] * nx;
        a->vy -= impulse / s->masses[i] * ny;
        b->vx += impulse / s->masses[j] * nx;
        b->vy += impulse / s->masses[j] * ny;
    }
    predict(g, i);
    predict(g, j);
}

static void hit_side(growth *g, int32_t i)
{
    disk *d = &g->disks[i];
    move(g, i);
    double *v = d->way < 2 ? &d->vx : &d->vy;
    const double grows = g->setup->radii[i] * g->rate, into = (d->way & 1) != 0 ? *v : -*v;
    const double after = fmin(into, -2 * grows - into);
    *v = (d->way & 1) != 0 ? after : -after;
    predict(g, i);
}

static void cross(growth *g, int32_t i)
{
    disk *d = &g->disks[i];
    const bool up = (d->way & 1) != 0, along_x = d->way < 2;
    uint32_t *index = along_x ? &d->column : &d->row;
    const uint32_t cells = along_x ? g->columns : g->rows;
    unlink_disk(g, i);
    if (up ? *index + 1 == cells : *index == 0) {
        /* Into the opposite end of the box, which is a change of its record. */
        move(g, i);
        *(along_x ? &d->x : &d->y) = up ? 0 : along_x ? g->setup->width : g->setup->height;
        *index = up ? 0 : cells - 1;
    } else {
        *index += up ? 1 : UINT32_MAX;
    }
    link_disk(g, i);
    predict(g, i);
}

/* Plays the next event, or moves to the end at `until`, whichever is first; false at the end. */
static bool play_next(growth *g, double until)
{
    const int32_t i = g->heap[0];
    const disk *d = &g->disks[i];
    if (d->due >= until) {
        g->now = until;
        return false;
    }
    g->now = fmax(d->due, g->now);
    switch ((grow_kind)d->kind) {
    case GROW_MEETS:
        if (g->disks[d->partner].changes != d->partner_changes) {
            predict(g, i);
        } else {
            collide(g, i, d->partner);
        }
        break;
    case GROW_HITS:
        hit_side(g, i);
        break;
    case GROW_CROSSES:
        cross(g, i);
        break;
    }
    return true;
}

/* ---- the start ---- */

/* Removes the momentum, and sets the kinetic energy to 1 per disk. */
static void thermalise(growth *g)
{
    const grow_setup *s = g->setup;
    double px = 0, py = 0, mass = 0, energy = 0;
    for (size_t i = 0; i < s->bodies; i++) {
        px += s->masses[i] * g->disks[i].vx;
        py += s->masses[i] * g->disks[i].vy;
        mass += s->masses[i];
    }
    for (size_t i = 0; i < s->bodies; i++) {
        disk *d = &g->disks[i];
        d->vx -= px / mass;
        d->vy -= py / mass;
        energy += s->masses[i] * (d->vx * d->vx + d->vy * d->vy) / 2;
    }
    const double factor = energy > 0 ? sqrt((double)s->bodies / energy) : 0;
    for (size_t i = 0; i < s->bodies; i++) {
        g->disks[i].vx *= factor;
        g->disks[i].vy *= factor;
    }
}

/* Moves all disks to the time reached, which becomes 0, and predicts all their events again. */
static void synchronise(growth *g)
{
    const uint32_t n = (uint32_t)g->setup->bodies;
    for (uint32_t i = 0; i < n; i++) {
        move(g, (int32_t)i);
        g->disks[i].t = 0;
    }
    g->scale = scale_at(g, g->now);
    g->now = 0;
    thermalise(g);

    for (uint32_t i = 0; i < n; i++) {
        g->disks[i].due = INFINITY;
        heap_put(g, i, (int32_t)i);
    }
    for (uint32_t i = 0; i < n; i++) {
        predict(g, (int32_t)i);
    }
}

/* Does disk i overlap one that has been placed? */
static bool is_free(const growth *g, int32_t i)
{
    const grow_setup *s = g->setup;
    const disk *d = &g->disks[i];
    const uint32_t at_row = index_of(d->y, g->cell_y, g->rows), at_column = index_of(d->x, g->cell_x, g->columns);
    for (int dr = -1; dr <= 1; dr++) {
        for (int dc = -1; dc <= 1; dc++) {
            uint32_t row, column;
            double shift_x, shift_y;
            if (!beside(at_row, dr, g->rows, s->periodic_y, s->height, &row, &shift_y) ||
                !beside(at_column, dc, g->columns, s->periodic_x, s->width, &column, &shift_x)) {
                continue;
            }
            for (int32_t j = g->heads[(size_t)row * g->columns + column]; j != NONE; j = g->disks[j].next) {
                const double px = g->disks[j].x + shift_x - d->x, py = g->disks[j].y + shift_y - d->y;
                const double apart = (s->radii[i] + s->radii[j]) * g->scale;
                if (px * px + py * py < apart * apart) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Places disk i at random; false if there is no room. Solid sides stay clear of the disk at its final size. */
static bool place_disk(growth *g, int32_t i, random_stream *stream)
{
    const grow_setup *s = g->setup;
    disk *d = &g->disks[i];
    const double radius = s->radii[i] * g->scale;
    const double edge_x = s->periodic_x ? 0 : radius, edge_y = s->periodic_y ? 0 : radius;
    for (int k = 0; k < TRIES; k++) {
        d->x = edge_x + (s->width - 2 * edge_x) * ((double)random_word(stream) * 0x1p-32);
        d->y = edge_y + (s->height - 2 * edge_y) * ((double)random_word(stream) * 0x1p-32);
        if (is_free(g, i)) {
            place_in_cell(g, i);
            return true;
        }
    }
    return false;
}

/* The largest disks first, as they would find no room among many small ones: sorts the heap, which is not in use
 * yet. */
static void sort_by_radius(const growth *g)
{
    const double *radii = g->setup->radii;
    const uint32_t n = (uint32_t)g->setup->bodies;
    for (uint32_t half = n / 2, end = n; end > 1;) {
        int32_t moved;
        if (half > 0) {
            moved = g->heap[--half];
        } else {
            moved = g->heap[--end];
            g->heap[end] = g->heap[0];
        }
        uint32_t at = half;
        for (uint32_t child; (child = 2 * at + 1) < end; at = child) {
            child += child + 1 < end && radii[g->heap[child + 1]] < radii[g->heap[child]];
            if (radii[g->heap[child]] >= radii[moved]) {
                break;
            }
            g->heap[at] = g->heap[child];
        }
        g->heap[at] = moved;
    }
}

static bool place_all(growth *g)
{
    const grow_setup *s = g->setup;
    random_stream stream = random_begin(s->seed, 0, PURPOSE_PLACE, 0);
    for (size_t k = 0; k < (size_t)g->rows * g->columns; k++) {
        g->heads[k] = NONE;
    }
    for (uint32_t i = 0; i < s->bodies; i++) {
        g->heap[i] = (int32_t)i;
    }
    sort_by_radius(g);
    for (uint32_t k = 0; k < s->bodies; k++) {
        if (!place_disk(g, g->heap[k], &stream)) {
            return false;
        }
    }

    /* Sums of four uniform numbers are nearly normal; collisions do the rest. */
    for (uint32_t i = 0; i < s->bodies; i++) {
        disk *d = &g->disks[i];
        const double width = 1 / sqrt(s->masses[i]);
        for (int k = 0; k < 4; k++) {
            d->vx += ((double)random_word(&stream) * 0x1p-32 - 0.5) * width;
            d->vy += ((double)random_word(&stream) * 0x1p-32 - 0.5) * width;
        }
    }
    return true;
}

/* Grows the disks to the end; false if they jam before. */
static bool grow(growth *g)
{
    const uint64_t n = g->setup->bodies;
    const double end = 1 + g->setup->excess;
    const double most = (double)(n + 10) * (EVENTS_MOST + EVENTS_BY_TIME * (end - g->scale) / g->rate);
    uint64_t events = 0;
    synchronise(g);
    while (g->scale < end) {
        const double until = (end - g->scale) / g->rate;
        uint64_t played = 0;
        while (played < (n + 10) * SYNC_EVENTS && play_next(g, until)) {
            played++;
        }
        events += played;
        const bool is_grown = g->now >= until;
        synchronise(g);
        if (is_grown) {
            break;
        }
        if ((double)events > most) {
            return false;
        }
    }
    return true;
}

static carom_status run(growth *g, double *x, double *y, double *vx, double *vy)
{
    if (!place_all(g) || !grow(g)) {
        return CAROM_ERROR_VALUE;
    }
    const grow_setup *s = g->setup;
    for (size_t i = 0; i < s->bodies; i++) {
        const disk *d = &g->disks[i];
        x[i] = fmin(fmax(d->x, 0), s->width);
        y[i] = fmin(fmax(d->y, 0), s->height);
        vx[i] = d->vx;
        vy[i] = d->vy;
    }
    return CAROM_OK;
}

carom_status carom_grow(const grow_setup *s, double *x, double *y, double *vx, double *vy)
{
    double widest = 0, mean = 0;
    for (size_t i = 0; i < s->bodies; i++) {
        widest = fmax(widest, 2 * s->radii[i] * (1 + s->excess));
        mean += s->radii[i] / (double)s->bodies;
    }

    /* In a periodic box a disk must see another one in one image only. */
    growth g = {.setup = s,
                .columns = cells_along(s->width, widest * 1.0001, s->bodies),
                .rows = cells_along(s->height, widest * 1.0001, s->bodies)};
    if ((s->periodic_x && g.columns < 3) || (s->periodic_y && g.rows < 3)) {
        return CAROM_ERROR_VALUE;
    }
    g.cell_x = s->width / g.columns;
    g.cell_y = s->height / g.rows;
    g.scale = s->packing > FIRST_PACKING ? sqrt(FIRST_PACKING / s->packing) : 1 + s->excess;
    g.rate = s->speed / mean;

    g.disks = carom_memory_take(s->bodies * sizeof *g.disks);
    g.heads = carom_memory_take((size_t)g.rows * g.columns * sizeof *g.heads);
    g.heap = carom_memory_take(s->bodies * sizeof *g.heap);
    const bool taken = g.disks != NULL && g.heads != NULL && g.heap != NULL;
    const carom_status status = taken ? run(&g, x, y, vx, vy) : CAROM_ERROR_MEMORY;
    carom_memory_release(g.disks);
    carom_memory_release(g.heads);
    carom_memory_release(g.heap);
    return status;
}
