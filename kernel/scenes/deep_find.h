/* SPDX-License-Identifier: MIT
 * Predictions of scenes in the deep engine: of a body against the bodies in the cells around it, LANES pairs at a time,
 * and against the walls and polygons near it while it is in its cell.
 *
 * Every pair that can collide is tested from the later of the two bodies' last changes on: a body in a cell is tested
 * against those of nine cells when its record changes, against those of three more when it enters a cell, and against
 * all bodies outside the cells; a body outside the cells is tested against all others.
 */
#ifndef CAROM_SCENES_DEEP_FIND_H
#define CAROM_SCENES_DEEP_FIND_H

#include "scenes/deep_world.h"

#define DEEP_BY_CELLS (-1) /* the cells of the two bodies determine the image */

/* The rounding error of a time as seen from the present tick, relative to the time since the tick of its record. */
#define DEEP_ROUGH ((CAROM_REAL_BITS == 64 ? (real)DBL_EPSILON : (real)FLT_EPSILON) * 8)

/* The image as the other body sees it: left for right, lower for upper. */
CAROM_LANE uint8_t deep_opposite(uint8_t image)
{
    const uint8_t x = image % 3, y = image / 3;
    return (uint8_t)((x == 0 ? 0 : 3 - x) + 3 * (y == 0 ? 0 : 3 - y));
}

/* The image in which a body in column, or row, `here` of `count` sees one in a neighbouring column, or row. */
CAROM_LANE uint8_t deep_across(uint32_t here, uint32_t there, uint32_t count)
{
    return here == 1 && there == count ? 1 : here == count && there == 1 ? 2 : 0;
}

/* Is the cell at a side of a periodic box, so that some of its neighbours lie across that side? */
CAROM_LANE bool deep_sees_images(const deep_world *w, uint32_t cell)
{
    const grid *g = &w->loop.cells;
    const uint32_t row = grid_row(cell), column = grid_column(cell);
    return (g->wraps_x && (column == 1 || column == g->columns)) || (g->wraps_y && (row == 1 || row == g->rows));
}

/* The image in which body i sees body j of a neighbouring cell. */
CAROM_LANE uint8_t deep_image_of(const deep_world *w, int32_t i, int32_t j)
{
    const grid *g = &w->loop.cells;
    const uint32_t here = w->body[i].cell, there = w->body[j].cell;
    const uint8_t x = g->wraps_x ? deep_across(grid_column(here), grid_column(there), g->columns) : 0;
    const uint8_t y = g->wraps_y ? deep_across(grid_row(here), grid_row(there), g->rows) : 0;
    return (uint8_t)(x + 3 * y);
}

/* ---- one body and a list ---- */

/* The bodies that one body is tested against, and the image in which it sees them. */
typedef struct deep_question {
    int32_t *list; /* with writable room for DEEP_SPARE entries beyond its end */
    uint32_t count;
    int image_x, image_y; /* 0 to 2, or DEEP_BY_CELLS */
} deep_question;

/* The image in which body i sees body j of the list. */
CAROM_LANE uint8_t deep_image_in(const deep_world *w, const deep_question *q, int32_t i, int32_t j)
{
    const uint8_t seen = q->image_x < 0 || q->image_y < 0 ? deep_image_of(w, i, j) : 0;
    return (uint8_t)((q->image_x < 0 ? seen % 3 : q->image_x) + 3 * (q->image_y < 0 ? seen / 3 : q->image_y));
}

/* Entries of a list that need more than a plain test: bit k is entry k. */
typedef struct deep_special {
    uint64_t senses; /* one of the two is a sensor */
    uint64_t slow;   /* both are slow, and strike each other */
} deep_special;

/* Removes all bodies from the list with which body i cannot have an event. */
static deep_special deep_filter(const deep_world *w, int32_t i, deep_question *q)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    deep_special special = {0, 0};
    uint32_t n = 0;
    for (uint32_t k = 0; k < q->count; k++) {
        const deep_body *other = &w->body[q->list[k]];
        const scene_kind kind = scene_pair_kind(s, (uint32_t)b->id, (uint32_t)other->id);
        const bool sensed = kind == SCENE_SENSES;
        if (kind == SCENE_PASSES || (sensed && w->plan[i].last == other->id && w->plan[q->list[k]].last == b->id)) {
            continue;
        }
        q->list[n] = q->list[k];
        special.senses |= (uint64_t)sensed << n;
        special.slow |= (uint64_t)(kind == SCENE_STRIKES_SLOW) << n;
        n++;
    }
    q->count = n;
    return special;
}

/* When pairs meet: `time` as seen from the start of this tick, with an error of at most `rough`, to find the first; and
 * exactly, `after` the start of the tick of the later of the two records. Infinity, or NaN: never. */
typedef struct deep_times {
    vreal time, rough, after;
} deep_times;

/* When the bodies of records i and j meet; slow: the lanes in which both are, and strike each other. */
CAROM_LANE deep_times deep_meeting_of(const deep_world *w, scene_circle i, scene_circle j, vreal shift_x, vreal shift_y,
                                      vmask senses, vmask slow)
{
    const scene_frozen *s = w->scene;
    deep_times found;
    found.rough = v_set1(0);
    if (!s->goes_on) {
        found.time = scene_meeting(s, i, j, shift_x, shift_y, senses, v_set1(w->dt));
        if (m_any(slow)) {
            found.time = v_select(slow, scene_slow_meeting(s, i, j, shift_x, shift_y, v_set1(w->dt)), found.time);
        }
        found.after = found.time;
        return found;
    }

    const scene_foreseen e = scene_foresee(s, i, j, shift_x, shift_y, senses, v_set1(w->dt));
    found.after = e.time;
    found.time = e.time + e.k * v_set1(w->dt);
    found.rough = v_select(v_lt(e.time, v_set1(SCENE_NEVER)), e.time * v_set1(DEEP_ROUGH), found.rough);

    /* In a world that does not outlive the tick only times within it matter: most pairs do not meet so soon. */
    const vmask late = m_not(v_le(found.time - found.rough, v_set1(w->horizon)));
    found.time = v_select(late, v_set1(SCENE_NEVER), found.time);
    found.after = v_select(late, v_set1(SCENE_NEVER), found.after);
    found.rough = v_select(late, v_set1(0), found.rough);
    return found;
}

/* When body i meets each of LANES entries of the list, from `at` on. shifted: some are seen in an image other than the
 * first. simple: as deep_world.simple, a constant in every caller. */
CAROM_LANE deep_times deep_meets_list(const deep_world *w, int32_t i, scene_circle self, const deep_question *q,
                                      uint32_t at, deep_special special, bool shifted, bool simple)
{
    const scene_frozen *s = w->scene;
    vreal shift_x = v_set1(0), shift_y = shift_x;

    /* For the compiler: removes the branches for other solvers and accelerations. */
    if (simple && (s->accelerates || s->solver != CAROM_TOI_FAST)) {
        __builtin_unreachable();
    }

    if (shifted) {
        real x[LANES], y[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            const uint8_t image = deep_image_in(w, q, i, q->list[at + l]);
            x[l] = w->shift_x[image % 3];
            y[l] = w->shift_y[image / 3];
        }
        shift_x = v_loadu(x);
        shift_y = v_loadu(y);
    }

    const scene_circle others = deep_gather(w, q->list + at);
    const vmask senses = m_from_bits((unsigned)(special.senses >> at));
    const vmask slow = m_from_bits(simple ? 0 : (unsigned)(special.slow >> at));
    return deep_meeting_of(w, self, others, shift_x, shift_y, senses, slow);
}

/* A meeting with `who` at a time `after` the start of the tick of the later record: the tick in which it is due. */
CAROM_LANE deep_due deep_due_with(const deep_world *w, int32_t i, int32_t who, real after)
{
    const int32_t tick_i = w->body[i].tick, tick_j = w->body[who].tick;
    return deep_due_of(w, tick_i > tick_j ? tick_i : tick_j, after);
}

/* Makes the meeting with `who`, seen in the image `seen`, that of body i. */
CAROM_LANE void deep_take(deep_world *w, int32_t i, int32_t who, deep_due due, uint8_t seen)
{
    deep_plan *p = &w->plan[i];
    deep_expect(w, i, who, due.time);
    p->meets_in = due.tick;
    p->image = seen != 0 && w->body[who].id < w->body[i].id ? deep_opposite(seen) : seen;
}

/* The first of many meetings, lane by lane: see deep/state.h. */
typedef struct deep_nearest_of {
    deep_times least;
    vint at;     /* the entry of lane 0 of its register */
    vmask close; /* others come at this time, within rounding */
} deep_nearest_of;

CAROM_LANE deep_nearest_of deep_nearest_begin(void)
{
    deep_nearest_of f;
    f.least.time = f.least.after = v_set1(SCENE_NEVER);
    f.least.rough = v_set1(0);
    f.at = i_set1(0);
    f.close = m_from_bits(0);
    return f;
}

/* Times of entries `at` to at + LANES - 1. */
CAROM_LANE void deep_nearest_take(deep_nearest_of *f, deep_times t, uint32_t at)
{
    const vmask earlier = v_lt(t.time, f->least.time);
    const vmask close = m_or(v_le(v_abs(t.time - f->least.time), t.rough + f->least.rough),
                             m_and(v_eq(t.time, f->least.time), v_lt(t.time, v_set1(SCENE_NEVER))));
    f->close = m_or(m_andnot(f->close, earlier), close);
    f->least.time = v_select(earlier, t.time, f->least.time);
    f->least.rough = v_select(earlier, t.rough, f->least.rough);
    f->least.after = v_select(earlier, t.after, f->least.after);
    f->at = i_select(earlier, i_set1((int32_t)at), f->at);
}

/* The possible rounding error of the plan's meeting, as seen from now. */
CAROM_LANE real deep_rough(const deep_world *w, real seen)
{
    return w->scene->goes_on && seen < SCENE_NEVER ? seen * DEEP_ROUGH : 0;
}

/* The first entry and its time, if that may be before the meeting that body i has. DEEP_SEVERAL: within rounding
 * several may be first; then neither is set. */
CAROM_LANE deep_found deep_nearest_end(const deep_world *w, int32_t i, const deep_nearest_of *f, real *after,
                                       uint32_t *which)
{
    const deep_plan *p = &w->plan[i];
    const real limit = deep_from_now(w, p->meets_in, p->meeting.time), rough = deep_rough(w, limit);
    const vreal low = f->least.time - f->least.rough;
    const real first = v_least(low), last = v_least(f->least.time + f->least.rough);
    if (first > limit + rough || first == SCENE_NEVER) {
        return DEEP_NONE;
    }

    const vmask those = v_le(low, v_set1(last));
    const unsigned bits = m_bits(those);
    if (last >= limit - rough || (bits & (bits - 1)) != 0 || m_any(m_and(those, f->close))) {
        return DEEP_SEVERAL;
    }

    int32_t at[LANES];
    real afters[LANES];
    const unsigned lane = (unsigned)__builtin_ctz(bits);
    i_compress(at, m_below(LANES), f->at);
    v_storeu(afters, f->least.after);
    *after = afters[lane];
    *which = (uint32_t)at[lane] + lane;
    return DEEP_ONE;
}

/* Like deep_ask_as(), for several meetings that may be first within rounding: takes the first of them, at equal times
 * that with the lowest id, then image. */
static void deep_take_first(deep_world *w, int32_t i, scene_circle self, const deep_question *q, deep_special special,
                            bool shifted)
{
    const deep_body *b = &w->body[i];
    const deep_plan *p = &w->plan[i];
    for (uint32_t k = 0; k < q->count; k += LANES) {
        const deep_times t = deep_meets_list(w, i, self, q, k, special, shifted, false);
        const real limit = deep_from_now(w, p->meets_in, p->meeting.time), rough = deep_rough(w, limit);
        real after[LANES];
        v_storeu(after, t.after);

        const vmask early = m_and(v_le(t.time - t.rough, v_set1(limit + rough)), v_lt(t.time, v_set1(SCENE_NEVER)));
        for (unsigned bits = m_bits(early); bits != 0; bits &= bits - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(bits);
            const int32_t who = q->list[k + lane];
            const int32_t id = w->body[who].id, best = w->body[p->meeting.partner].id;
            const uint8_t seen = shifted ? deep_image_in(w, q, i, who) : 0;
            const uint8_t image = id < b->id ? deep_opposite(seen) : seen;
            const deep_due due = deep_due_with(w, i, who, after[lane]);
            const bool same = due.tick == p->meets_in && due.time == p->meeting.time;
            if (deep_is_before(due.tick, due.time, p->meets_in, p->meeting.time) ||
                (same && due.time < SCENE_NEVER && (id < best || (id == best && image < p->image)))) {
                deep_take(w, i, who, due, seen);
            }
        }
    }
}

/* Makes the earliest meeting with a body of the list that of body i, if it precedes the present one. `simple` is a
 * constant: see deep_meets_list(). */
CAROM_LANE void deep_ask_as(deep_world *w, int32_t i, deep_question q, bool simple)
{
    const uint32_t cell = w->body[i].cell;
    if (simple && (w->scene->accelerates || w->scene->solver != CAROM_TOI_FAST)) {
        __builtin_unreachable();
    }

    deep_special special = {0, 0};
    if (!simple && !w->scene->plain) {
        special = deep_filter(w, i, &q);
    }
    const scene_circle self = deep_repeat(w, &w->body[i]);
    const bool by_cells = (q.image_x < 0 || q.image_y < 0) && deep_sees_images(w, cell);
    const bool shifted = by_cells || q.image_x > 0 || q.image_y > 0;

    /* Pad the last register with body i itself, which never meets itself. */
    deep_nearest_of first = deep_nearest_begin();
    real after;
    uint32_t which;
    i_compress(q.list + q.count, m_below(LANES), i_set1(i));
    for (uint32_t k = 0; k < q.count; k += LANES) {
        deep_nearest_take(&first, deep_meets_list(w, i, self, &q, k, special, shifted, simple), k);
    }

    /* Doubtful cases are rare: only then compute everything again, in order of ids. */
    const deep_found found = deep_nearest_end(w, i, &first, &after, &which);
    if (found == DEEP_ONE) {
        const int32_t who = q.list[which];
        deep_take(w, i, who, deep_due_with(w, i, who, after), shifted ? deep_image_in(w, &q, i, who) : 0);
    } else if (found == DEEP_SEVERAL) {
        deep_take_first(w, i, self, &q, special, shifted);
    }
}

static __attribute__((noinline)) void deep_ask(deep_world *w, int32_t i, deep_question q)
{
    if (w->simple) {
        deep_ask_as(w, i, q, true);
    } else {
        deep_ask_as(w, i, q, false);
    }
}

/* In a narrow periodic box cells do not determine the image in which a body is seen: tries all of them. */
static __attribute__((noinline)) void deep_ask_narrow(deep_world *w, int32_t i, deep_question q)
{
    int32_t *const list = q.list;
    const uint32_t n = q.count;
    int32_t copy[DEEP_LISTED]; /* deep_ask() may remove entries from its list */

    for (int image = 0; image < DEEP_IMAGES * DEEP_IMAGES; image++) {
        if ((image % 3 == 0 || w->narrow_x) && (image / 3 == 0 || w->narrow_y)) {
            __builtin_memcpy(copy, list, n * sizeof *copy);
            q.list = copy;
            q.image_x = w->narrow_x ? image % 3 : DEEP_BY_CELLS;
            q.image_y = w->narrow_y ? image / 3 : DEEP_BY_CELLS;
            q.count = n;
            deep_ask(w, i, q);
        }
    }
}

/* For deep/loop.h: tests body i against list[0..n), bodies in the cells around it. */
CAROM_LANE void rules_consider(deep_world *w, int32_t i, int32_t *list, uint32_t n)
{
    const deep_question q = {list, n, DEEP_BY_CELLS, DEEP_BY_CELLS};
    if (w->narrow_x || w->narrow_y) {
        deep_ask_narrow(w, i, q);
    } else if (w->simple) {
        deep_ask_as(w, i, q, true);
    } else {
        deep_ask(w, i, q);
    }
}

/* Tests body i against from[0..n), or with from NULL against bodies 0..n-1, at any position: in every image. */
static void deep_look_at(deep_world *w, int32_t i, const int32_t *from, uint32_t n)
{
    const bool wraps_x = w->scene->horizontal == CAROM_SIDES_PERIODIC;
    const bool wraps_y = w->scene->vertical == CAROM_SIDES_PERIODIC;
    for (int image = 0; image < DEEP_IMAGES * DEEP_IMAGES; image++) {
        if ((image % 3 != 0 && !wraps_x) || (image / 3 != 0 && !wraps_y)) {
            continue;
        }

        for (uint32_t k = 0; k < n;) {
            int32_t list[DEEP_LISTED];
            deep_question q = {list, 0, image % 3, image / 3};
            for (; k < n && q.count < DEEP_LINKED; k++) {
                list[q.count] = from != NULL ? from[k] : (int32_t)k;
                q.count += list[q.count] != i;
            }
            deep_ask(w, i, q);
        }
    }
}

CAROM_LANE void deep_wait_for_nobody(deep_world *w, int32_t i)
{
    deep_expect_nobody(w, i);
    w->plan[i].meets_in = DEEP_NOT_DUE;
}

/* Predicts the earliest meeting of body i with another, from its record on. */
static void deep_plan_meeting(deep_world *w, int32_t i)
{
    const uint32_t cell = w->body[i].cell;
    deep_wait_for_nobody(w, i);
    if (cell == DEEP_NOWHERE) {
        deep_look_at(w, i, NULL, w->loop.bodies);
        return;
    }

    deep_look(w, i, grid_row(cell) - 1, grid_column(cell) - 1, 3, 3);
    if (w->outside_count != 0) {
        deep_look_at(w, i, w->outside, w->outside_count);
    }
}

/* ---- all at once ---- */

/* The pairs of one cell, with four bodies at its places that see 19, 18, 17 and 16 others; pairs left over from earlier
 * cells; and entries written beyond the end. */
#define DEEP_PAIRED (70 + 2 * DEEP_SPARE)

/* Pairs of bodies that wait until they can fill a register. */
typedef struct deep_pairs {
    int32_t first[DEEP_PAIRED], second[DEEP_PAIRED];
    uint32_t count;
    bool images; /* some may see each other across a side of a periodic box */
} deep_pairs;

/* Does deep_plan_meetings() work for this world? */
CAROM_LANE bool deep_asks_pairs(const deep_world *w)
{
    return w->simple && !w->narrow_x && !w->narrow_y;
}

/* Makes a meeting with j that of body i if it precedes the present one. */
CAROM_LANE void deep_offer(deep_world *w, int32_t i, int32_t j, deep_due due, bool images)
{
    const deep_meeting *m = &w->plan[i].meeting;
    const int32_t meets_in = w->plan[i].meets_in;
    if (deep_is_before(due.tick, due.time, meets_in, m->time) ||
        (due.tick == meets_in && due.time == m->time && w->body[j].id < w->body[m->partner].id)) {
        const bool first = w->body[i].id < w->body[j].id;
        deep_expect(w, i, j, due.time);
        w->plan[i].meets_in = due.tick;
        w->plan[i].image = !images ? 0 : first ? deep_image_of(w, i, j) : deep_image_of(w, j, i);
    }
}

/* Tests LANES pairs from `at` on. */
CAROM_LANE void deep_ask_pairs(deep_world *w, const deep_pairs *pairs, uint32_t at)
{
    const scene_frozen *s = w->scene;
    vreal shift_x = v_set1(0), shift_y = shift_x;

    /* For the compiler: deep_asks_pairs() guarantees this. */
    if (s->accelerates || s->solver != CAROM_TOI_FAST) {
        __builtin_unreachable();
    }

    if (pairs->images) {
        real x[LANES], y[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            const uint8_t image = deep_image_of(w, pairs->first[at + l], pairs->second[at + l]);
            x[l] = w->shift_x[image % 3];
            y[l] = w->shift_y[image / 3];
        }
        shift_x = v_loadu(x);
        shift_y = v_loadu(y);
    }

    /* Most pairs never meet. A meeting is offered to both bodies. */
    const vmask none = m_from_bits(0);
    const int32_t *first = pairs->first + at, *second = pairs->second + at;
    const scene_circle i = deep_gather(w, first), j = deep_gather(w, second);
    const vreal after = deep_meeting_of(w, i, j, shift_x, shift_y, none, none).after;
    unsigned bits = m_bits(v_lt(after, v_set1(SCENE_NEVER)));
    if (bits != 0) {
        real times[LANES];
        v_storeu(times, after);
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t l = (unsigned)__builtin_ctz(bits);
            const deep_due due = deep_due_with(w, first[l], second[l], times[l]);
            if (due.tick != DEEP_NOT_DUE) {
                deep_offer(w, first[l], second[l], due, pairs->images);
                deep_offer(w, second[l], first[l], due, pairs->images);
            }
        }
    }
}

/* Adds the pairs of the bodies at a cell's places with each other and with those of four of its eight neighbours. For
 * the other four neighbours this cell is among their four, so each pair is listed once. */
CAROM_LANE void deep_pair_up(const deep_world *w, deep_pairs *pairs, uint32_t row, uint32_t column)
{
    const grid *g = &w->loop.cells;
    const int32_t *places = grid_at(g, row, column);

    /* The cell's own bodies come first, then those of the next column, then three cells of the next row. */
    int32_t list[5 * GRID_PLACES + 2 * DEEP_SPARE];
    const uint32_t own = i_pack16(list, places, GRID_PLACES, GRID_NONE);
    if (own == 0) {
        return;
    }
    uint32_t n = own + i_pack16(list + own, places + GRID_PLACES, GRID_PLACES, GRID_NONE);
    n += i_pack16(list + n, grid_at(g, row + 1, column - 1), 3 * GRID_PLACES, GRID_NONE);

    /* Each of its own with all later ones in the list. Writes whole registers, also beyond the end. */
    for (uint32_t k = 0; k < own; k++) {
        const uint32_t others = n - k - 1;
        for (uint32_t to = 0; to < others; to += LANES) {
            const vint one = i_set1(list[k]);
            __builtin_memcpy(pairs->first + pairs->count + to, &one, LANES * sizeof(int32_t));
            __builtin_memcpy(pairs->second + pairs->count + to, list + k + 1 + to, LANES * sizeof(int32_t));
        }
        pairs->count += others;
    }

    pairs->images = pairs->images || deep_sees_images(w, grid_name(row, column));
}

/* Tests as many pairs as fill whole registers, or `all` of them, and removes them from the list. */
CAROM_LANE void deep_ask_list(deep_world *w, deep_pairs *pairs, bool all)
{
    uint32_t at = 0;

    /* Pad the last register with body 0 and itself: a body never meets itself. */
    for (uint32_t k = 0; all && k < LANES; k++) {
        pairs->first[pairs->count + k] = pairs->second[pairs->count + k] = 0;
    }
    for (; at + (all ? 1 : LANES) <= pairs->count; at += LANES) {
        deep_ask_pairs(w, pairs, at);
    }

    for (uint32_t k = 0; at > 0 && k < LANES; k++) {
        pairs->first[k] = pairs->first[at + k];
        pairs->second[k] = pairs->second[at + k];
    }
    pairs->count -= at < pairs->count ? at : pairs->count;
    pairs->images = pairs->count > 0 && pairs->images;
}

/* Predicts the earliest meetings of all bodies. Each pair of two bodies in cells is tested once, not once for each of
 * them, and pairs of several cells share registers, so that no lane is idle. */
static void deep_plan_meetings(deep_world *w)
{
    const grid *g = &w->loop.cells;
    deep_pairs pairs;
    pairs.count = 0;
    pairs.images = false;

    for (uint32_t i = 0; i < w->loop.bodies; i++) {
        deep_wait_for_nobody(w, (int32_t)i);
    }

    /* Bodies at the places of cells. */
    for (uint32_t row = 1; row <= g->rows; row++) {
        if (deep_is_cancelled(w)) {
            return;
        }
        for (uint32_t column = 1; column <= g->columns; column++) {
            deep_pair_up(w, &pairs, row, column);
            deep_ask_list(w, &pairs, false);
        }
    }
    deep_ask_list(w, &pairs, true);

    /* Each body against those that found no place in the nine cells around it, and are in chains. */
    for (uint32_t i = 0; i < w->loop.bodies && g->chained != 0; i++) {
        const uint32_t cell = w->body[i].cell;
        if (cell != DEEP_NOWHERE) {
            deep_look_behind(w, (int32_t)i, grid_row(cell) - 1, grid_column(cell) - 1, 3, 3);
        }
    }

    /* Bodies outside the cells against all. */
    for (uint32_t k = 0; k < w->outside_count; k++) {
        if (k % DEEP_CHUNK == 0 && deep_is_cancelled(w)) {
            return;
        }
        deep_look_at(w, w->outside[k], NULL, w->loop.bodies);
    }
}

/* ---- walls ---- */

/* The contact of c with obstacle `which`. */
static scene_contact deep_contact(const deep_world *w, scene_circle c, uint32_t which, scene_kind kind)
{
    const scene_frozen *s = w->scene;
    const vreal dt = v_set1(w->dt);
    const vmask senses = kind == SCENE_SENSES ? m_below(LANES) : m_from_bits(0);
    const scene_arc *arc = scene_arc_of(s, which);
    if (which < s->walls) {
        const scene_ends ends = scene_ends_of(&s->wall[which]);
        return kind == SCENE_STRIKES_SLOW ? scene_slow_wall_contact(s, c, ends, dt)
                                          : scene_wall_ahead(s, c, ends, senses, dt);
    }
    if (arc != NULL) {
        return kind == SCENE_STRIKES_SLOW ? scene_slow_arc_contact(s, c, arc, dt)
                                          : scene_arc_ahead(s, c, arc, senses, dt);
    }
    const scene_corners p = scene_corners_of(s, &s->polygon[which - s->walls]);
    return kind == SCENE_STRIKES_SLOW ? scene_slow_polygon_contact(s, c, p, dt)
                                      : scene_polygon_ahead(s, c, p, senses, dt);
}

/* Makes the contact with something that does not move, at a time `after` the start of the tick of its record, that of
 * body i if it precedes the present one. */
CAROM_LANE void deep_offer_wall(deep_world *w, int32_t i, uint32_t id, real after)
{
    deep_plan *p = &w->plan[i];
    if (!(after < SCENE_NEVER)) {
        return;
    }
    const deep_due due = deep_due_of(w, w->body[i].tick, after);
    if (due.tick != DEEP_NOT_DUE && (deep_is_before(due.tick, due.time, p->hits_in, p->wall) ||
                                     (due.tick == p->hits_in && due.time == p->wall && id < p->wall_id))) {
        p->hits_in = due.tick;
        p->wall = due.time;
        p->wall_id = id;
    }
}

/* Makes the contact with a wall or polygon that of body i if it precedes the present one. */
CAROM_LANE void deep_try_wall(deep_world *w, int32_t i, scene_circle c, uint32_t which)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    deep_plan *p = &w->plan[i];
    const uint32_t id = scene_wall_id(s, which); /* those of polygons and arcs follow */
    const scene_kind kind = scene_wall_kind(s, (uint32_t)b->id, which);
    if (kind == SCENE_PASSES || (kind == SCENE_SENSES && p->last == (int32_t)id)) {
        return;
    }
    const scene_contact hit = deep_contact(w, c, which, kind);
    deep_offer_wall(w, i, id, deep_lane0(hit.time));
}

typedef struct deep_box {
    real low_x, low_y, high_x, high_y;
} deep_box;

/* The distance from its centre at which a body may touch something: its radius, which for walls and polygons is at
 * least scene_fuzz(), plus rounding. A wall's own share of the fuzz is in its box. */
CAROM_LANE real deep_margin(const deep_world *w, int32_t i)
{
    const deep_body *b = &w->body[i];
    const bool walls = w->scene->places.columns != 0;
    const real fuzz = walls ? deep_lane0(scene_fuzz(w->scene, deep_repeat(w, b), v_set1(0), v_set1(w->dt))) : 0;
    return b->r * REAL(1.001) + fuzz + w->slack;
}

/* The box around everything that body i may touch until the end of the tick or, if records outlive ticks, at any
 * time. */
CAROM_LANE deep_box deep_reach(const deep_world *w, int32_t i)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    if (w->scene->goes_on) {
        const deep_box all = {-SCENE_NEVER, -SCENE_NEVER, SCENE_NEVER, SCENE_NEVER};
        return all;
    }

    real ax = 0, ay = 0; /* acceleration's contribution to its speed */
    if (s->accelerates) {
        ax = scene_amount(deep_ax(w, (size_t)i)) * w->dt;
        ay = scene_amount(deep_ay(w, (size_t)i)) * w->dt;
    }

    const real wait = w->dt - b->t, more = deep_margin(w, i);
    const real reach_x = (scene_amount(b->vx) + ax) * (wait * REAL(1.001)) + more;
    const real reach_y = (scene_amount(b->vy) + ay) * (wait * REAL(1.001)) + more;
    const deep_box box = {b->x - reach_x, b->y - reach_y, b->x + reach_x, b->y + reach_y};
    return box;
}

/* The part of that box that body i may touch before it leaves its cell. */
CAROM_LANE deep_box deep_reach_in_cell(const deep_world *w, int32_t i, deep_box box)
{
    const deep_body *b = &w->body[i];
    if (b->cell != DEEP_NOWHERE) {
        const real *x = &w->edges_x[grid_column(b->cell)], *y = &w->edges_y[grid_row(b->cell)];
        const real more = deep_margin(w, i) + w->overlap;
        box.low_x = x[-1] - more > box.low_x ? x[-1] - more : box.low_x;
        box.low_y = y[-1] - more > box.low_y ? y[-1] - more : box.low_y;
        box.high_x = x[0] + more < box.high_x ? x[0] + more : box.high_x;
        box.high_y = y[0] + more < box.high_y ? y[0] + more : box.high_y;
    }
    return box;
}

/* other: low x, low y, high x, high y, as in scene_places.boxes. */
CAROM_LANE bool deep_apart(deep_box box, const real *other)
{
    return other[0] > box.high_x || other[1] > box.high_y || other[2] < box.low_x || other[3] < box.low_y;
}

#define DEEP_TRIED 16 /* of the walls tried last that are remembered, since one may be listed in several cells */

/* Tries the walls and polygons listed in neighbouring cells of a row of scene_places. tried, tries: the last ones tried
 * for this body, and how many in all. */
CAROM_LANE void deep_try_items(deep_world *w, int32_t i, scene_circle c, deep_box box, const uint32_t *items,
                               uint32_t count, uint32_t *tried, uint32_t *tries)
{
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t which = items[k];
        if (deep_apart(box, w->scene->places.boxes + (size_t)4 * which)) {
            continue;
        }

        bool again = false;
        for (uint32_t t = 0; t < *tries && t < DEEP_TRIED; t++) {
            again = again || tried[t] == which;
        }
        if (!again) {
            tried[(*tries)++ % DEEP_TRIED] = which;
            deep_try_wall(w, i, c, which);
        }
    }
}

/* The column, or row, of scene_places at a distance of `place` cells from the first. */
CAROM_LANE uint32_t deep_place_index(real place, uint32_t count)
{
    return place > 0 ? place < (real)count ? (uint32_t)place : count - 1 : 0;
}

/* Tries the walls and polygons near body i while it is in its cell. */
static void deep_try_places(deep_world *w, int32_t i, deep_box reach)
{
    const scene_places *p = &w->scene->places;

    /* The box in columns and rows of scene_places, which has different cells. */
    const deep_box box = deep_reach_in_cell(w, i, reach);
    const real low_x = (box.low_x - p->x0) * p->inverse_width, high_x = (box.high_x - p->x0) * p->inverse_width;
    const real low_y = (box.low_y - p->y0) * p->inverse_height, high_y = (box.high_y - p->y0) * p->inverse_height;
    if (high_x < -1 || high_y < -1 || low_x > (real)p->columns + 1 || low_y > (real)p->rows + 1) {
        return;
    }
    const uint32_t left = deep_place_index(low_x, p->columns), right = deep_place_index(high_x, p->columns);
    const uint32_t lower = deep_place_index(low_y, p->rows), upper = deep_place_index(high_y, p->rows);

    const scene_circle c = deep_repeat(w, &w->body[i]);
    uint32_t tried[DEEP_TRIED], tries = 0;
    for (uint32_t row = lower; row <= upper; row++) {
        const uint32_t *starts = p->starts + (size_t)row * p->columns;
        const uint32_t from = starts[left], to = starts[right + 1];
        deep_try_items(w, i, c, box, p->items + from, to - from, tried, &tries);
    }
}

/* May a body in this cell reach a side before it leaves the cell? */
CAROM_LANE bool deep_is_near_sides(const deep_world *w, uint32_t cell)
{
    const uint32_t row = grid_row(cell), column = grid_column(cell);
    return row < w->inner_y[0] || row > w->inner_y[1] || column < w->inner_x[0] || column > w->inner_x[1];
}

/* Makes the contact with a side that of body i if it precedes the present one. */
static void deep_try_sides(deep_world *w, int32_t i, deep_box reach)
{
    const scene_frozen *s = w->scene;

    /* Most bodies reach no side within the tick. */
    const bool within_x = s->horizontal == CAROM_SIDES_OPEN || (reach.low_x > s->x0 && reach.high_x < s->x1);
    const bool within_y = s->vertical == CAROM_SIDES_OPEN || (reach.low_y > s->y0 && reach.high_y < s->y1);
    if (within_x && within_y) {
        return;
    }

    const bool passes = s->choosy && !scene_sides_stop(s, (uint32_t)w->body[i].id);
    const scene_circle c = deep_repeat(w, &w->body[i]);
    const scene_at_side at = passes ? scene_side_ahead_passed(s, c, m_from_bits(0)) : scene_side_ahead(s, c);
    int32_t side[LANES];
    i_compress(side, m_below(LANES), at.side);
    deep_offer_wall(w, i, scene_side_id(s, (uint32_t)side[0]), deep_lane0(at.time));
}

/* Searches for earlier contacts of body i after it has entered a cell. Those found before are still valid. */
CAROM_LANE void deep_look_at_walls(deep_world *w, int32_t i)
{
    const bool sides = deep_is_near_sides(w, w->body[i].cell), places = w->scene->places.columns != 0;
    if (sides || places) {
        const deep_box reach = deep_reach(w, i);
        if (sides) {
            deep_try_sides(w, i, reach);
        }
        if (places) {
            deep_try_places(w, i, reach);
        }
    }
}

/* Predicts the first contact of body i with a side, wall or polygon that it may touch within its cell. */
CAROM_LANE void deep_plan_wall(deep_world *w, int32_t i)
{
    w->plan[i].wall = SCENE_NEVER;
    w->plan[i].hits_in = DEEP_NOT_DUE;
    deep_look_at_walls(w, i);
}

/* Predicts all next events of body i from its record on. */
static void rules_predict(deep_world *w, int32_t i)
{
    deep_plan_meeting(w, i);
    deep_plan_wall(w, i);
    deep_plan_leaving(w, i);
}

/* Like rules_predict() for two bodies, in an order that lets the processor overlap independent predictions. */
static void rules_predict_two(deep_world *w, int32_t i, int32_t j)
{
    deep_plan_meeting(w, i);
    deep_plan_meeting(w, j);
    deep_plan_wall(w, i);
    deep_plan_wall(w, j);
    deep_plan_leaving(w, i);
    deep_plan_leaving(w, j);
}

#endif
