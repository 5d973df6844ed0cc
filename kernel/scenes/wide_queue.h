/* SPDX-License-Identifier: MIT
 * Worlds of many bodies, own clock: every body keeps its first known event, and the earliest of these is played.
 *
 * An event changes one or two records. Only those bodies search for their next events, among all others. Another body
 * that waited for one of them notices when its event comes up and the partner has changed since: then it searches
 * again. No meeting is missed: of two bodies the one that changed last knows of it, or keeps an earlier event.
 *
 * Records are in columns, one world after another, so that a body is tested against LANES others at once. A round
 * visits all worlds that have an event left: each finds its earliest, the events of up to LANES worlds are played
 * together (wide_play.h), and then the bodies that took part search again. Each step does this for many independent
 * worlds, so that the processor need not wait for any of them.
 *
 * Over 600 lines: the queue's data, the search of one body, and the rounds that use it read as one.
 */
#ifndef CAROM_SCENES_WIDE_QUEUE_H
#define CAROM_SCENES_WIDE_QUEUE_H

#include "scenes/wide_play.h"

enum { WIDE_SENSOR = 1, WIDE_FIXED = 2 }; /* wide_queue.flags */

/* All arrays are in the engine's scratch. Unless noted otherwise they have an element for each record. */
typedef struct wide_queue {
    wide w;                     /* records are in columns, by home */
    size_t column;              /* records of a world: its bodies, rounded up; extra ones are empty */
    size_t homes;               /* room for worlds */
    unsigned open[SCENE_TILES]; /* the worlds of each tile that have an event left, as bits */

    /* The first meeting with another body. */
    real *meeting; /* its time, or infinity */
    int32_t *partner, *image;
    int32_t *seen;    /* `changes` of the partner at the prediction: stale if they differ now */
    int32_t *changes; /* counts the changes of the record itself */

    /* The first contact with something that does not move. */
    real *contact; /* its time, or infinity */
    real *nx, *ny;
    int32_t *id, *feature;

    real *event; /* the earlier of both times, in rows: of body b at [b * homes + home] */

    /* The scene's numbers, [column], so that LANES of them can be loaded at once. */
    real *r, *ax, *ay; /* of those that differ by world for each record */
    int32_t *number;   /* [b] = b */
    int32_t *category, *mask, *flags;
} wide_queue;

CAROM_LANE void wide_queue_take(wide_queue *q, const scene_frozen *s, size_t tiles, wide_memory *m)
{
    q->homes = tiles * CAROM_TILE;
    q->column = ((size_t)s->bodies + CAROM_TILE - 1) / CAROM_TILE * CAROM_TILE;
    const size_t all = q->column * q->homes;
    q->w.s = s;
    q->w.body_step = 1, q->w.lane_step = q->column;
    wide_take_records(&q->w, s, m, all);
    q->meeting = wide_take_reals(m, all), q->contact = wide_take_reals(m, all);
    q->partner = wide_take_ints(m, all), q->image = wide_take_ints(m, all);
    q->seen = wide_take_ints(m, all), q->changes = wide_take_ints(m, all);
    q->nx = wide_take_reals(m, all), q->ny = wide_take_reals(m, all);
    q->id = wide_take_ints(m, all), q->feature = wide_take_ints(m, all);
    q->event = wide_take_reals(m, all);
    q->r = wide_take_reals(m, s->own[SCENE_OWN_RADIUS] != 0 ? all : q->column);
    q->ax = wide_take_reals(m, s->own[SCENE_OWN_AX] != 0 ? all : q->column);
    q->ay = wide_take_reals(m, s->own[SCENE_OWN_AY] != 0 ? all : q->column);
    q->number = wide_take_ints(m, q->column), q->category = wide_take_ints(m, q->column);
    q->mask = wide_take_ints(m, q->column), q->flags = wide_take_ints(m, q->column);
}

/* Copies the scene's numbers for its bodies. */
static void wide_queue_load_bodies(const wide_queue *q)
{
    const scene_frozen *s = q->w.s;
    for (uint32_t b = 0; b < q->column; b++) {
        const bool there = b < s->bodies;
        q->number[b] = (int32_t)b;
        /* wide_queue_copy_in() overwrites those that differ. */
        q->r[b] = there ? s->radius[b] : 0;
        q->ax[b] = there ? s->ax[b] : 0;
        q->ay[b] = there ? s->ay[b] : 0;
        q->category[b] = there ? (int32_t)s->category[b] : 0;
        q->mask[b] = there ? (int32_t)s->mask[b] : 0;
        q->flags[b] = there ? (s->sensor[b] != 0 ? WIDE_SENSOR : 0) | (s->inverse_mass[b] == 0 ? WIDE_FIXED : 0) : 0;
    }
}

#define WIDE_HOMES (SCENE_TILES * CAROM_TILE)

/* The numbers of a world's bodies, [column]. */
typedef struct wide_numbers {
    const real *r, *ax, *ay;
} wide_numbers;

CAROM_LANE wide_numbers wide_queue_numbers(const wide_queue *q, size_t home)
{
    const size_t *own = q->w.s->own, base = home * q->column;
    const wide_numbers n = {q->r + (own[SCENE_OWN_RADIUS] != 0 ? base : 0), q->ax + (own[SCENE_OWN_AX] != 0 ? base : 0),
                            q->ay + (own[SCENE_OWN_AY] != 0 ? base : 0)};
    return n;
}

/* The length of a world's tick. */
CAROM_LANE vreal wide_queue_dt(const wide_queue *q, size_t home)
{
    return v_set1(scene_dt(wide_tick_of(&q->w, (int32_t)home), wide_lane_of((int32_t)home)));
}

/* The events of one round, at most one of each world, and the bodies that search for a new one afterwards. */
typedef struct wide_round {
    alignas(64) real time[WIDE_HOMES], nx[WIDE_HOMES], ny[WIDE_HOMES];
    alignas(64) int32_t first[WIDE_HOMES], second[WIDE_HOMES], part[WIDE_HOMES]; /* as in wide_first */
    int32_t home[WIDE_HOMES];
    size_t count;
    int32_t ask_home[2 * WIDE_HOMES + 1]; /* by search */
    uint32_t ask_body[2 * WIDE_HOMES + 1];
    size_t asks;
} wide_round;

CAROM_LANE void wide_round_ask(wide_round *r, int32_t home, uint32_t body)
{
    r->ask_home[r->asks] = home;
    r->ask_body[r->asks++] = body;
}

/* ---- the search ---- */

/* The lanes whose body is stopped by solid sides, in a scene in which they let some pass. */
CAROM_LANE vmask wide_queue_stopped(const wide_queue *q, const wide_played *p, int which, unsigned lanes)
{
    unsigned stopped = 0;
    EACH_LANE (l, lanes) {
        stopped |= (unsigned)scene_sides_stop(q->w.s, (uint32_t)p->body[which][l]) << l;
    }
    return m_from_bits(stopped);
}

/* Finds the first contact of each lane's body, just played, with something that does not move. */
CAROM_LANE void wide_queue_still(const wide_queue *q, const wide_played *p, int which, unsigned lanes)
{
    const wide *w = &q->w;
    const scene_frozen *s = w->s;
    const vreal dt = wide_dt_of(w, p);
    const vint bodies = i_load32(p->body[which]);
    wide_first best = wide_none();

    scene_circle c;
    c.x = v_load(p->x[which]), c.y = v_load(p->y[which]);
    c.vx = v_load(p->vx[which]), c.vy = v_load(p->vy[which]);
    c.k = v_set1(0);
    c.t = v_load(p->time);
    c.r = wide_gather_radius(w, p, bodies);
    c.ax = c.ay = v_set1(0);
    if (s->accelerates) {
        c.ax = wide_gather_ax(w, p, bodies), c.ay = wide_gather_ay(w, p, bodies);
    }
    const vreal near = v_load(p->near[which]);

    if (s->horizontal != CAROM_SIDES_OPEN || s->vertical != CAROM_SIDES_OPEN) {
        const scene_at_side side =
            s->choosy ? scene_side_passed(s, c, wide_queue_stopped(q, p, which, lanes), dt) : scene_side(s, c, dt);
        best.time = side.time;
        best.second = i_add(side.side, i_set1((int32_t)s->bodies));
    }

    /* Walls, polygons and arcs: only those that are near the body of a lane, and with which it has an event. */
    for (uint32_t n = 0; n < scene_obstacles(s); n++) {
        const uint32_t id = scene_wall_id(s, n);
        unsigned may = m_bits(wide_box_near(w, n, c.x, c.y, near)) & lanes, senses = 0;
        for (unsigned bits = s->plain ? 0 : may; bits != 0; bits &= bits - 1) {
            const unsigned l = (unsigned)__builtin_ctz(bits);
            const uint32_t b = (uint32_t)p->body[which][l];
            const scene_kind kind = scene_wall_kind(s, b, n);
            const bool passed = kind == SCENE_SENSES && w->last[b + (size_t)p->base[l]] == (int32_t)id;
            may &= ~((unsigned)(kind == SCENE_PASSES || passed) << l);
            senses |= (unsigned)(kind == SCENE_SENSES) << l;
        }
        if (may == 0) {
            continue;
        }

        const scene_arc *arc = scene_arc_of(s, n);
        scene_contact hit = n < s->walls ? scene_wall_contact(s, c, wide_ends(w, n), m_from_bits(senses), dt)
                            : arc != NULL
                                ? scene_arc_contact(s, c, arc, m_from_bits(senses), dt)
                                : scene_polygon_contact(s, c, wide_corners(w, n - s->walls), m_from_bits(senses), dt);
        hit.time = v_select(m_from_bits(may), hit.time, v_set1(SCENE_NEVER));
        wide_offer_contact(&best, hit, 0, id);
    }

    alignas(64) real time[LANES], nx[LANES], ny[LANES];
    alignas(64) int32_t id[LANES], feature[LANES];
    v_store(time, best.time), v_store(nx, best.nx), v_store(ny, best.ny);
    i_store32(id, best.second), i_store32(feature, best.part);
    for (unsigned bits = lanes; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits);
        const size_t row = (size_t)p->body[which][l] + (size_t)p->base[l];
        q->contact[row] = time[l], q->id[row] = id[l];
        q->changes[row]++;
        if (scene_obstacles(s) != 0) {
            q->nx[row] = nx[l], q->ny[row] = ny[l], q->feature[row] = feature[l];
        }
    }
}

/* scene_pair_kind() of body b with the bodies of a register: the lanes with which it can have an event, and of these
 * those in which a sensor takes part. */
CAROM_LANE vmask wide_queue_kinds(const wide_queue *q, uint32_t b, size_t others, vmask *senses)
{
    const vint zero = i_set1(0), its_flags = i_set1(q->flags[b]), flags = i_load32(q->flags + others);
    const vint forth = i_and(i_set1(q->category[b]), i_load32(q->mask + others));
    const vint back = i_and(i_set1(q->mask[b]), i_load32(q->category + others));
    const vmask unseen = m_or(i_eq(forth, zero), i_eq(back, zero));
    const vmask fixed = m_not(i_eq(i_and(i_and(flags, its_flags), i_set1(WIDE_FIXED)), zero));
    *senses = m_not(i_eq(i_and(i_or(flags, its_flags), i_set1(WIDE_SENSOR)), zero));
    return m_not(m_or(unseen, fixed));
}

/* Makes the first of the meetings found, one in each lane, that of body b. */
CAROM_LANE void wide_queue_keep(const wide_queue *q, size_t home, uint32_t b, vreal best, vint partner, vint image)
{
    const size_t base = home * q->column, row = base + b;
    const real time = v_least(best);
    alignas(64) int32_t partners[LANES], images[LANES];
    i_store32(partners, partner), i_store32(images, image);

    /* Among equal ones, which are rare, take that with the lowest partner. */
    unsigned bits = m_bits(v_eq(best, v_set1(time))), first = (unsigned)__builtin_ctz(bits);
    bits &= bits - 1;
    if ((bits != 0) & (time < SCENE_NEVER)) {
        for (; bits != 0; bits &= bits - 1) {
            const unsigned l = (unsigned)__builtin_ctz(bits);
            first = partners[l] < partners[first] ? l : first;
        }
    }

    q->meeting[row] = time;
    q->event[b * q->homes + home] = time < q->contact[row] ? time : q->contact[row];
    q->partner[row] = partners[first];
    q->image[row] = images[first];
    q->seen[row] = q->changes[base + (size_t)partners[first]];
}

/* Finds the first meeting of body b of a world with another. Not inlined: in the loop of rounds it takes a tenth longer
 * (gcc). */
static __attribute__((noinline)) void wide_queue_pairs(const wide_queue *q, size_t home, uint32_t b)
{
    const wide *w = &q->w;
    const scene_frozen *s = w->s;
    const vreal dt = wide_queue_dt(q, home);
    const size_t base = home * q->column, row = base + b;
    const vreal near = v_set1(w->near[row]);
    const vint self = i_set1((int32_t)b);
    const wide_numbers numbers = wide_queue_numbers(q, home);

    vreal best = v_set1(SCENE_NEVER);
    vint partner = i_set1(0), image = i_set1(0);
    scene_circle c;
    c.x = v_set1(w->x[row]), c.y = v_set1(w->y[row]), c.vx = v_set1(w->vx[row]), c.vy = v_set1(w->vy[row]);
    c.k = v_set1(s->goes_on ? w->ticks[row] : 0);
    c.t = v_set1(w->t[row]);
    c.r = v_set1(numbers.r[b]), c.ax = v_set1(numbers.ax[b]), c.ay = v_set1(numbers.ay[b]);

    for (size_t k = 0; k < q->column; k += LANES) {
        scene_circle other;
        const vreal dx = v_load(w->at_x + base + k) - v_set1(w->at_x[row]);
        const vreal dy = v_load(w->at_y + base + k) - v_set1(w->at_y[row]), reach = near + v_load(w->near + base + k);
        const vint ids = i_load32(q->number + k);

        /* Pairs that pass each other, and sensors that were noticed last: see motion.h. */
        vmask may = wide_everywhere(), senses = wide_nowhere(), passed = wide_nowhere();
        if (!s->plain) {
            may = wide_queue_kinds(q, b, k, &senses);
            if (m_any(senses)) {
                const vmask its = i_eq(i_set1(w->last[row]), ids);
                passed = m_and(m_and(its, i_eq(i_load32(w->last + base + k), self)), senses);
            }
        }

        /* Images are those seen by the body with the lower id: if that is the other one, shifts are reversed. */
        const vmask lower = i_gt(self, ids);
        for (uint32_t images = w->images; images != 0; images &= images - 1) {
            const uint32_t seen = (uint32_t)__builtin_ctz(images);
            const vreal sx = v_flip(lower, wide_shift(w->width, seen % 3));
            const vreal sy = v_flip(lower, wide_shift(w->height, seen / 3));
            const vmask close = m_and(may, wide_pair_near(dx + sx, dy + sy, reach));
            if (!m_any(close)) {
                continue;
            }

            other.x = v_load(w->x + base + k), other.y = v_load(w->y + base + k);
            other.k = s->goes_on ? v_load(w->ticks + base + k) : v_set1(0);
            other.vx = v_load(w->vx + base + k), other.vy = v_load(w->vy + base + k);
            other.t = v_load(w->t + base + k);
            other.r = v_load(numbers.r + k), other.ax = v_load(numbers.ax + k), other.ay = v_load(numbers.ay + k);
            const vreal time = scene_meeting(s, c, other, sx, sy, senses, dt);
            const vmask earlier = m_andnot(m_and(close, v_lt(time, best)), m_or(passed, i_eq(self, ids)));
            best = v_select(earlier, time, best);
            partner = i_select(earlier, ids, partner);
            image = i_select(earlier, i_set1((int32_t)seen), image);
        }
    }

    wide_queue_keep(q, home, b, best, partner, image);
}

/* ---- the search in simple scenes ----
 *
 * Few of the tests find a meeting, and which ones is unpredictable: a branch for each would cost more than it saves. So
 * tests, each of one body against a register of others, pass from filter to filter as a list. */

#define WIDE_ASKED 256

typedef struct wide_asked {
    size_t count;
    int32_t ask[WIDE_ASKED];    /* an index of wide_round.ask_home and ask_body */
    int32_t others[WIDE_ASKED]; /* the first of LANES bodies to test against */
} wide_asked;

/* Appends a test if it is `wanted`, without a branch. */
CAROM_LANE void wide_asked_add(wide_asked *list, int32_t ask, int32_t others, bool wanted)
{
    list->ask[list->count] = ask;
    list->others[list->count] = others;
    list->count += wanted;
}

/* The pairs of a test, both bodies moved to the later of their times, `start`. */
CAROM_LANE circles_pair wide_asked_pair(const wide_queue *q, size_t home, uint32_t body, size_t others,
                                        scene_moment *start)
{
    const wide *w = &q->w;
    const scene_frozen *s = w->s;
    const vreal dt = wide_queue_dt(q, home);
    const real *r = wide_queue_numbers(q, home).r;
    const size_t base = home * q->column, row = base + body;
    scene_circle c, other;
    c.x = v_set1(w->x[row]), c.y = v_set1(w->y[row]), c.vx = v_set1(w->vx[row]), c.vy = v_set1(w->vy[row]);
    c.t = v_set1(w->t[row]), c.r = v_set1(r[body]);
    other.x = v_load(w->x + base + others), other.y = v_load(w->y + base + others);
    other.vx = v_load(w->vx + base + others), other.vy = v_load(w->vy + base + others);
    other.t = v_load(w->t + base + others), other.r = v_load(r + others);
    c.ax = c.ay = other.ax = other.ay = v_set1(0);
    c.k = v_set1(s->goes_on ? w->ticks[row] : 0);
    other.k = s->goes_on ? v_load(w->ticks + base + others) : v_set1(0);
    *start = record_later(s, c, other);
    return scene_pair_of(wide_straight(s, c, *start, dt), wide_straight(s, other, *start, dt));
}

/* Does the tests of a list, and empties it. */
CAROM_LANE void wide_asked_run(const wide_queue *q, const wide_round *r, wide_asked *list)
{
    const scene_frozen *s = q->w.s;
    const size_t count = list->count;
    scene_moment start;

    /* A second filter, without a root or a division. A body never meets itself: there b = 0. */
    list->count = 0;
    for (size_t n = 0; n < count; n++) {
        const size_t home = (size_t)r->ask_home[list->ask[n]];
        const circles_pair pair = wide_asked_pair(q, home, r->ask_body[list->ask[n]], (size_t)list->others[n], &start);
        const vmask may = wide_may_meet(equation_cross(pair), pair.r, wide_left(s, start, wide_queue_dt(q, home)));
        wide_asked_add(list, list->ask[n], list->others[n], m_any(may));
    }

    /* The times of the rest. Among equal ones take the lowest partner's, which comes first. */
    for (size_t n = 0; n < list->count; n++) {
        const size_t home = (size_t)r->ask_home[list->ask[n]], base = home * q->column;
        const uint32_t body = r->ask_body[list->ask[n]];
        const size_t row = base + body;
        const circles_pair pair = wide_asked_pair(q, home, body, (size_t)list->others[n], &start);

        const vreal times = wide_pair_time(s, pair, equation_cross(pair), start, wide_queue_dt(q, home));
        const real time = v_least(times);
        const int32_t partner = list->others[n] + __builtin_ctz(m_bits(v_eq(times, v_set1(time))));
        if (time < q->meeting[row]) {
            q->meeting[row] = time;
            q->event[body * q->homes + home] = time < q->contact[row] ? time : q->contact[row];
            q->partner[row] = partner;
            q->seen[row] = q->changes[base + (size_t)partner];
        }
    }

    list->count = 0;
}

/* Finds the first meetings of all bodies that search in a round, in a simple scene. The first filter is by distance. */
static void wide_queue_ask(const wide_queue *q, const wide_round *r)
{
    const wide *w = &q->w;
    wide_asked list;
    list.count = 0;

    for (size_t a = 0; a < r->asks; a++) {
        const size_t home = (size_t)r->ask_home[a], base = home * q->column, row = base + r->ask_body[a];
        const vreal x = v_set1(w->at_x[row]), y = v_set1(w->at_y[row]), near = v_set1(w->near[row]);
        q->meeting[row] = SCENE_NEVER;
        q->event[r->ask_body[a] * q->homes + home] = q->contact[row];
        q->image[row] = 0;

        for (size_t k = 0; k < q->column; k += LANES) {
            const vreal dx = v_load(w->at_x + base + k) - x, dy = v_load(w->at_y + base + k) - y;
            const vmask close = wide_pair_near(dx, dy, near + v_load(w->near + base + k));
            wide_asked_add(&list, (int32_t)a, (int32_t)k, m_any(close));
            if (list.count == WIDE_ASKED) {
                wide_asked_run(q, r, &list);
            }
        }
    }
    wide_asked_run(q, r, &list);
}

/* ---- the start of the tick ---- */

/* Notes the first meeting of body i with one of the bodies after it (`pair`), and the first contact with something that
 * does not move (`still`), in the worlds from `home` on, one in each lane. Returns the lanes that have any. */
CAROM_LANE unsigned wide_queue_note(const wide_queue *q, size_t home, uint32_t i, const wide_first *pair,
                                    const wide_first *still)
{
    const vreal never = v_set1(SCENE_NEVER);
    const unsigned pairs = m_bits(v_lt(pair->time, never)), stills = m_bits(v_lt(still->time, never));
    v_store(q->event + i * q->homes + home, v_min(pair->time, still->time));

    if (pairs != 0) {
        alignas(64) real time[LANES];
        alignas(64) int32_t partner[LANES], image[LANES];
        v_store(time, pair->time);
        i_store32(partner, pair->second), i_store32(image, pair->part);
        for (unsigned bits = pairs; bits != 0; bits &= bits - 1) {
            const unsigned l = (unsigned)__builtin_ctz(bits);
            const size_t row = wide_at(&q->w, i, home + l);
            q->meeting[row] = time[l];
            q->partner[row] = partner[l], q->image[row] = image[l], q->seen[row] = 0;
        }
    }

    if (stills != 0) {
        alignas(64) real time[LANES], nx[LANES], ny[LANES];
        alignas(64) int32_t id[LANES], feature[LANES];
        v_store(time, still->time), v_store(nx, still->nx), v_store(ny, still->ny);
        i_store32(id, still->second), i_store32(feature, still->part);
        for (unsigned bits = stills; bits != 0; bits &= bits - 1) {
            const unsigned l = (unsigned)__builtin_ctz(bits);
            const size_t row = wide_at(&q->w, i, home + l);
            q->contact[row] = time[l], q->nx[row] = nx[l], q->ny[row] = ny[l];
            q->id[row] = id[l], q->feature[row] = feature[l];
        }
    }
    return pairs | stills;
}

/* Copies a number of a world's bodies into its column, if it differs by world. */
CAROM_LANE void wide_queue_copy_own(const wide_queue *q, const real *from, scene_own own, real *to, unsigned lane,
                                    size_t home)
{
    for (size_t b = 0; q->w.s->own[own] != 0 && b < q->column; b++) {
        to[home * q->column + b] = b < q->w.s->bodies ? from[b * CAROM_TILE + lane] : 0;
    }
}

/* Copies one world's records from rows into its column, for the start of the tick. */
static void wide_queue_copy_in(const wide_queue *q, const wide *rows, unsigned lane, size_t home)
{
    const wide *w = &q->w;
    const uint32_t n = w->s->bodies;
    const size_t base = home * q->column;
    for (uint32_t b = 0; b < n; b++) {
        const size_t from = (size_t)b * CAROM_TILE + lane, to = base + b;
        w->x[to] = rows->x[from], w->y[to] = rows->y[from];
        w->vx[to] = rows->vx[from], w->vy[to] = rows->vy[from];
        w->near[to] = rows->near[from];
        w->t[to] = 0;
        if (w->s->goes_on) {
            w->t[to] = rows->t[from], w->ticks[to] = rows->ticks[from];
            w->at_x[to] = rows->at_x[from], w->at_y[to] = rows->at_y[from];
        }
        w->last[to] = -1;
        w->met[to] = -SCENE_NEVER;
        q->changes[to] = 0;
    }

    wide_queue_copy_own(q, rows->r, SCENE_OWN_RADIUS, q->r, lane, home);
    wide_queue_copy_own(q, rows->ax, SCENE_OWN_AX, q->ax, lane, home);
    wide_queue_copy_own(q, rows->ay, SCENE_OWN_AY, q->ay, lane, home);

    /* The rest of the column is empty, and meets nothing. */
    for (size_t to = base + n; to < base + q->column; to++) {
        w->x[to] = w->y[to] = (real)__builtin_nan("");
        w->vx[to] = w->vy[to] = w->t[to] = w->near[to] = 0;
        if (w->s->goes_on) {
            w->at_x[to] = w->at_y[to] = w->x[to];
            w->ticks[to] = 0;
        }
    }
}

/* Moves a world without further events to the end of the tick, and returns it to its tile. */
static void wide_queue_copy_out(const wide_queue *q, int32_t home)
{
    const wide *w = &q->w;
    const scene_frozen *s = w->s;
    const scene_tick *k = wide_tick_of(w, home);
    const size_t base = (size_t)home * q->column;
    const wide_numbers numbers = wide_queue_numbers(q, (size_t)home);

    for (uint32_t b = 0; b < s->bodies; b += LANES) {
        scene_circle c;
        c.x = v_load(w->x + base + b), c.y = v_load(w->y + base + b);
        c.vx = v_load(w->vx + base + b), c.vy = v_load(w->vy + base + b);
        c.k = s->goes_on ? v_load(w->ticks + base + b) : v_set1(0);
        c.t = v_load(w->t + base + b);
        c.r = v_load(numbers.r + b), c.ax = v_load(numbers.ax + b), c.ay = v_load(numbers.ay + b);
        wide_ended e;
        wide_end(w->s, &e, c, wide_queue_dt(q, (size_t)home));
        for (uint32_t l = 0; l < LANES && b + l < s->bodies; l++) {
            wide_put_ended(k, wide_lane_of(home), b + l, &e, l);
        }
    }
}

/* Tests all pairs of the worlds of a register group, and returns the worlds that have an event. `simple` is a constant:
 * see wide_is_simple(). */
CAROM_LANE unsigned wide_queue_fill_of(const wide_queue *q, const wide *rows, unsigned at, unsigned worlds, size_t home,
                                       bool simple)
{
    const scene_frozen *s = rows->s;
    const vreal never = v_set1(SCENE_NEVER);
    const vmask among = m_from_bits(worlds);
    unsigned open = 0;

    for (size_t row = home * q->column; row < (home + LANES) * q->column; row += LANES) {
        v_store(q->meeting + row, never);
        v_store(q->contact + row, never);
    }

    for (uint32_t i = 0; i < s->bodies; i++) {
        const scene_circle c = wide_circle(rows, i, at);
        const vreal near = v_load(rows->near + (size_t)i * CAROM_TILE + at);
        wide_first pair = wide_none(), still = wide_none();
        for (uint32_t j = i + 1; j < s->bodies; j++) {
            wide_scan_pair(rows, at, &pair, i, c, near, j, among, !s->goes_on, simple);
        }
        wide_scan_still(rows, at, &still, i, c, near, among, !s->goes_on);
        open |= wide_queue_note(q, home, i, &pair, &still);
    }
    return open & worlds;
}

/* Opens the worlds of a register group that have an event, and returns them. */
static unsigned wide_queue_fill(wide_queue *q, const wide *rows, unsigned at, unsigned worlds, size_t number)
{
    const size_t home = number * CAROM_TILE + at;
    wide_find_stills(rows, NULL, at, worlds);
    const unsigned open = wide_is_simple(rows) ? wide_queue_fill_of(q, rows, at, worlds, home, true)
                                               : wide_queue_fill_of(q, rows, at, worlds, home, false);
    q->open[number] |= open << at;
    for (unsigned bits = open; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits);
        wide_queue_copy_in(q, rows, at + l, home + l);
        q->w.crossed[home + l] = 0;
    }
    return open;
}

/* ---- rounds ---- */

/* What the body of a record meets first: the id of another body, or of something that does not move. Without a branch,
 * which would be unpredictable. */
CAROM_LANE uint32_t wide_queue_other(const wide_queue *q, size_t row)
{
    const uint32_t meets = 0 - (uint32_t)(q->meeting[row] <= q->contact[row]);
    return ((uint32_t)q->partner[row] & meets) | ((uint32_t)q->id[row] & ~meets);
}

/* The bodies that keep the earliest event, in each world of a register group: the lowest one, and their number. */
typedef struct wide_fronts {
    alignas(64) int32_t body[LANES], count[LANES];
} wide_fronts;

/* Finds the fronts, and returns the worlds that have an event left. */
CAROM_LANE unsigned wide_queue_fronts(const wide_queue *q, size_t home, wide_fronts *fronts)
{
    const vint zero = i_set1(0), one = i_set1(1);
    const real *events = q->event + home;
    vreal least = v_set1(SCENE_NEVER);
    vint body = zero, count = zero;

    for (uint32_t b = 0; b < q->w.s->bodies; b++) {
        least = v_min(v_load(events + b * q->homes), least);
    }
    for (uint32_t b = q->w.s->bodies; b-- > 0;) {
        const vmask first = v_eq(v_load(events + b * q->homes), least);
        body = i_select(first, i_set1((int32_t)b), body);
        count = i_add(count, i_select(first, one, zero));
    }
    i_store32(fronts->body, body), i_store32(fronts->count, count);
    return m_bits(v_lt(least, v_set1(SCENE_NEVER)));
}

/* For several events of the same time: the body that keeps the one with the lowest pair of ids. */
static uint32_t wide_queue_tied(const wide_queue *q, size_t home, real time)
{
    uint32_t body = 0, lower = UINT32_MAX, higher = UINT32_MAX;
    for (uint32_t b = 0; b < q->w.s->bodies; b++) {
        if (q->event[b * q->homes + home] == time) {
            const uint32_t other = wide_queue_other(q, home * q->column + b);
            const uint32_t low = b < other ? b : other, high = b < other ? other : b;
            if (low < lower || (low == lower && high < higher)) {
                lower = low, higher = high;
                body = b;
            }
        }
    }
    return body;
}

/* Adds a world's earliest event to the round; b and count are the world's front. */
CAROM_LANE void wide_queue_pop(const wide_queue *q, wide_round *r, size_t home, uint32_t b, int32_t count)
{
    const scene_frozen *s = q->w.s;
    const size_t base = home * q->column;
    const real time = q->event[b * q->homes + home];

    /* Nearly always a single body keeps that event, or two bodies keep the same one. */
    uint32_t other = wide_queue_other(q, base + b);
    uint32_t partner = other < s->bodies ? other : b; /* itself if it meets something that does not move */
    const bool both = (q->event[partner * q->homes + home] == time) & (wide_queue_other(q, base + partner) == b);
    if (count - both != 1) {
        b = wide_queue_tied(q, home, time);
        other = wide_queue_other(q, base + b);
        partner = other < s->bodies ? other : b;
    }

    /* It is played if the partner has not changed since the prediction; otherwise b searches again. Both are written,
     * and only the counts differ: a branch would be unpredictable. */
    const size_t row = base + b;
    const bool stale = (other < s->bodies) & (q->changes[base + partner] != q->seen[row]);
    const size_t at = r->count;
    r->home[at] = (int32_t)home;
    r->time[at] = time;
    r->first[at] = (int32_t)(b < other ? b : other), r->second[at] = (int32_t)(b < other ? other : b);
    r->part[at] = other < s->bodies ? q->image[row] : q->feature[row];
    if (scene_obstacles(s) != 0) {
        r->nx[at] = q->nx[row], r->ny[at] = q->ny[row];
    }
    r->count += !stale;

    r->ask_home[r->asks] = (int32_t)home;
    r->ask_body[r->asks] = b;
    r->asks += stale;
}

/* Plays the events of a round from slot `at` on. */
CAROM_LANE void wide_queue_play(wide_queue *q, wide_round *r, size_t at)
{
    const uint32_t n = q->w.s->bodies;
    const unsigned slots = (unsigned)(r->count - at < LANES ? r->count - at : LANES),
                   all = (1u << (slots - 1) << 1) - 1;

    /* Lanes beyond the last event point to the first one's world, and are not active. */
    wide_played p;
    wide_first f;
    f.time = v_load(r->time + at), f.nx = v_load(r->nx + at), f.ny = v_load(r->ny + at);
    f.first = i_load32(r->first + at), f.second = i_load32(r->second + at), f.part = i_load32(r->part + at);
    p.active = all;
    unsigned pairs = 0;
    p.at = 0;
    p.home = r->home + at;
    for (unsigned l = 0; l < LANES; l++) {
        p.base[l] = p.home[l < slots ? l : 0] * (int32_t)q->column;
    }

    wide_play(&q->w, &p, &f);
    wide_put_back(&q->w, &p);

    /* The bodies that took part search again. Worlds that are no longer active are done. */
    for (unsigned bits = all; bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits);
        if ((p.active >> l & 1) == 0) {
            q->open[p.home[l] / CAROM_TILE] &= ~(1u << wide_lane_of(p.home[l]));
            continue;
        }
        wide_round_ask(r, p.home[l], (uint32_t)p.first[l]);
        if ((uint32_t)p.second[l] < n) {
            pairs |= 1u << l;
            wide_round_ask(r, p.home[l], (uint32_t)p.second[l]);
        }
    }

    wide_find_stills(&q->w, p.home, 0, p.active);
    wide_queue_still(q, &p, 0, p.active);
    if (pairs != 0) {
        wide_queue_still(q, &p, 1, pairs);
    }
}

/* Adds an event of every open world of a tile to the round, and closes the worlds that have none left. */
CAROM_LANE void wide_queue_pop_tile(wide_queue *q, wide_round *r, size_t tile)
{
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        const size_t home = tile * CAROM_TILE + at;
        unsigned group = q->open[tile] >> at & LANES_ALL;
        if (group != 0) {
            wide_fronts fronts;
            const unsigned ended = group & ~wide_queue_fronts(q, home, &fronts);

            for (group &= ~ended; group != 0; group &= group - 1) {
                const unsigned l = (unsigned)__builtin_ctz(group);
                wide_queue_pop(q, r, home + l, (uint32_t)fronts.body[l], fronts.count[l]);
            }
            for (unsigned bits = ended; bits != 0; bits &= bits - 1) {
                wide_queue_copy_out(q, (int32_t)home + __builtin_ctz(bits));
            }
            q->open[tile] &= ~(ended << at);
        }
    }
}

/* Plays the open worlds until none has an event left; false if it was cancelled, with worlds at arbitrary times within
 * the tick. */
static bool wide_queue_run(wide_queue *q, size_t tiles)
{
    wide_round r;
    for (size_t l = 0; l < WIDE_HOMES; l++) {
        r.time[l] = r.nx[l] = r.ny[l] = 0;
        r.first[l] = r.second[l] = r.part[l] = r.home[l] = 0;
    }

    /* An event that is played makes its bodies search, and so does a stale one: no searches, no events. */
    do {
        if (progress_cancelled(q->w.k->cancel)) {
            return false;
        }

        r.count = r.asks = 0;
        for (size_t tile = 0; tile < tiles; tile++) {
            wide_queue_pop_tile(q, &r, tile);
        }
        for (size_t at = 0; at < r.count; at += LANES) {
            wide_queue_play(q, &r, at);
        }

        if (wide_is_simple(&q->w)) {
            wide_queue_ask(q, &r);
        } else {
            for (size_t a = 0; a < r.asks; a++) {
                wide_queue_pairs(q, (size_t)r.ask_home[a], r.ask_body[a]);
            }
        }
    } while (r.asks != 0);
    return true;
}

#endif
