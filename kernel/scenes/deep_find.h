/* SPDX-License-Identifier: MIT
 * Predictions of the deep engine: candidates of the cells around a body are collected into a list and asked in batches
 * of LANES pairs; walls and polygons are asked whose boxes are in the body's reach.
 *
 * In one way or another each pair that can meet is asked from the later of their last changes on: a body in a cell asks
 * those of nine cells, and of three more whenever it enters a cell, and those that are in no cell; a body in no cell
 * asks all.
 */
#ifndef CAROM_SCENES_DEEP_FIND_H
#define CAROM_SCENES_DEEP_FIND_H

#include "scenes/deep_world.h"

#define DEEP_CHUNK 16  /* bodies that i_pack16() takes at once */
#define DEEP_NEAR 36   /* bodies on the places of nine cells */
#define DEEP_LINKED 64 /* of a chain at once */
#define DEEP_SPARE 16  /* entries that a list may be written beyond its end */

/* Bodies, and the images in which they are seen by the one that asks. */
typedef struct deep_list {
    int32_t who[DEEP_LINKED + 2 * DEEP_SPARE];
    uint8_t image[DEEP_LINKED + 2 * DEEP_SPARE];
    uint32_t count;
} deep_list;

/* The image as the other body sees it: left for right, lower for upper. */
CAROM_LANE uint8_t deep_opposite(uint8_t image)
{
    const uint8_t x = image % 3, y = image / 3;
    return (uint8_t)((x == 0 ? 0 : 3 - x) + 3 * (y == 0 ? 0 : 3 - y));
}

/* Leaves those of the list that see body i, and sets a bit for each that is sensed, or senses. */
static uint64_t deep_sort_out(const deep_world *w, int32_t i, bool late, deep_list *list)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    uint64_t senses = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        const deep_body *other = &w->body[list->who[k]];
        const scene_kind kind = scene_pair_kind(s, (uint32_t)b->id, (uint32_t)other->id);
        const bool sensed = kind == SCENE_SENSES || kind == SCENE_SENSES_LATE;
        if (kind == SCENE_PASSES || late != (kind == SCENE_STRIKES_LATE || kind == SCENE_SENSES_LATE) ||
            (sensed && b->last == other->id && other->last == b->id)) {
            continue;
        }
        list->who[n] = list->who[k];
        list->image[n] = list->image[k];
        senses |= (uint64_t)sensed << n++;
    }
    list->count = n;
    return senses;
}

/* Takes the earliest meeting with those of the list as that of body i, if it comes before the one it has; of equal ones
 * that with the lowest id, and image. Its end may be written over. */
CAROM_LANE void deep_consider_as(deep_world *w, int32_t i, deep_list *list, bool late, bool simple)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    deep_plan *p = &w->plan[i];
    const uint64_t senses = simple || s->plain ? 0 : deep_sort_out(w, i, late, list);
    const uint32_t n = list->count;
    if (n == 0) {
        return;
    }
    if (simple && (s->accelerates || s->solver != CAROM_TOI_FAST || w->images)) {
        __builtin_unreachable();
    }
    const scene_circle self = deep_repeat(w, b);
    bool found = false;
    i_compress(list->who + n, m_below(LANES), i_set1(i)); /* a body never meets itself */
    for (uint32_t k = 0; k < n; k += LANES) {
        vreal shift_x = v_set1(0), shift_y = shift_x;
        if (w->images) {
            real x[LANES], y[LANES];
            for (uint32_t l = 0; l < LANES; l++) {
                const uint8_t image = k + l < n ? list->image[k + l] : 0;
                x[l] = w->shift_x[image % 3];
                y[l] = w->shift_y[image / 3];
            }
            shift_x = v_loadu(x);
            shift_y = v_loadu(y);
        }
        const scene_circle others = deep_gather(w, list->who + k);
        const vreal time =
            late ? scene_late_meeting(s, self, others, shift_x, shift_y, w->dt)
                 : scene_meeting(s, self, others, shift_x, shift_y, m_from_bits((unsigned)(senses >> k)), w->dt);
        const real least = v_least(time);
        if (least > p->meeting || least == SCENE_NEVER) {
            continue;
        }
        for (unsigned bits = m_bits(v_eq(time, v_set1(least))); bits != 0; bits &= bits - 1) {
            const uint32_t at = k + (unsigned)__builtin_ctz(bits);
            const int32_t who = list->who[at], id = w->body[who].id, best = w->body[p->partner].id;
            const uint8_t seen = w->images ? list->image[at] : 0, image = id < b->id ? deep_opposite(seen) : seen;
            if (least < p->meeting || id < best || (id == best && image < p->image)) {
                p->meeting = least;
                p->partner = who;
                p->image = image;
                found = true;
            }
        }
    }
    if (found) {
        p->partner_changes = w->body[p->partner].changes;
    }
}

static void deep_consider(deep_world *w, int32_t i, deep_list *list, bool late)
{
    if (w->simple) {
        deep_consider_as(w, i, list, false, true);
    } else {
        deep_consider_as(w, i, list, late, false);
    }
}

/* ---- who is near ---- */

/* In which image a cell in the ring is seen. */
CAROM_LANE uint8_t deep_image(const deep_world *w, uint32_t row, uint32_t column)
{
    const grid *g = &w->cells;
    const uint8_t x = column == 0 ? 1 : column == g->columns + 1 ? 2 : 0, y = row == 0 ? 1 : row == g->rows + 1 ? 2 : 0;
    return (uint8_t)(x + 3 * y);
}

/* The bodies behind the heads of chains in rows x columns cells from (row, column) on. */
static void deep_look_behind(deep_world *w, int32_t i, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns,
                             bool late)
{
    deep_list list;
    for (uint32_t r = row; r < row + rows; r++) {
        for (uint32_t c = column; c < column + columns; c++) {
            const int32_t head = grid_at(&w->cells, r, c)[GRID_PLACES - 1];
            const uint8_t image = deep_image(w, r, c);
            int32_t k = head == GRID_NONE ? GRID_NONE : w->cells.next[head];
            while (k != GRID_NONE) {
                for (list.count = 0; k != GRID_NONE && list.count < DEEP_LINKED; k = w->cells.next[k]) {
                    list.image[list.count] = image;
                    list.who[list.count] = k;
                    list.count += k != i;
                }
                deep_consider(w, i, &list, late);
            }
        }
    }
}

CAROM_LANE void deep_look(deep_world *w, int32_t i, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns,
                          bool late)
{
    deep_list list;
    list.count = 0;
    for (uint32_t r = row; r < row + rows; r++) {
        if (!w->images) {
            const int32_t *places = grid_at(&w->cells, r, column);
            list.count += i_pack16(list.who + list.count, places, columns * GRID_PLACES, i);
            continue;
        }
        for (uint32_t c = column; c < column + columns; c++) {
            const uint32_t n = i_pack16(list.who + list.count, grid_at(&w->cells, r, c), GRID_PLACES, i);
            __builtin_memset(list.image + list.count, deep_image(w, r, c), GRID_PLACES);
            list.count += n;
        }
    }
    deep_consider(w, i, &list, late);
    if (w->cells.chained != 0) {
        deep_look_behind(w, i, row, column, rows, columns, late);
    }
}

/* Those of from[0..n), in every image. */
static void deep_look_at(deep_world *w, int32_t i, const int32_t *from, uint32_t n, bool late)
{
    deep_list list;
    for (uint8_t image = 0; image < DEEP_IMAGES; image++) {
        if ((image % 3 != 0 && !w->cells.wraps_x) || (image / 3 != 0 && !w->cells.wraps_y)) {
            continue;
        }
        for (uint32_t k = 0; k < n; k += DEEP_CHUNK) {
            list.count = i_pack16(list.who, from + k, n - k < DEEP_CHUNK ? n - k : DEEP_CHUNK, i);
            __builtin_memset(list.image, image, DEEP_CHUNK);
            deep_consider(w, i, &list, late);
        }
    }
}

/* The earliest meeting of body i from its record on. */
static void deep_plan_meeting(deep_world *w, int32_t i, bool late)
{
    const uint32_t cell = w->body[i].cell;
    w->plan[i].meeting = SCENE_NEVER;
    w->plan[i].partner = i;
    if (cell == DEEP_NOWHERE) {
        deep_look_at(w, i, w->every, w->bodies, late);
        return;
    }
    deep_look(w, i, grid_row(cell) - 1, grid_column(cell) - 1, 3, 3, late);
    if (w->outside_count != 0) {
        deep_look_at(w, i, w->outside, w->outside_count, late);
    }
}

/* ---- all at once ---- */

#define DEEP_OUTSIDE 15                             /* bodies in no cell that are asked like others */
#define DEEP_PAIRS (2 * (DEEP_NEAR + DEEP_OUTSIDE)) /* collected before they are asked */

typedef struct deep_pairs {
    int32_t first[DEEP_PAIRS + 2 * DEEP_SPARE], second[DEEP_PAIRS + 2 * DEEP_SPARE];
    uint32_t count;
} deep_pairs;

/* Body i may take its meeting with j for its first. */
CAROM_LANE void deep_offer(deep_world *w, int32_t i, int32_t j, real time)
{
    deep_plan *p = &w->plan[i];
    if (time < p->meeting || (time == p->meeting && w->body[j].id < w->body[p->partner].id)) {
        p->meeting = time;
        p->partner = j;
        p->image = 0;
        p->partner_changes = w->body[j].changes;
    }
}

/* Asks LANES pairs from `at` on, for both, or for the first ones. */
CAROM_LANE void deep_ask_pairs(deep_world *w, const deep_pairs *pairs, uint32_t at, bool both)
{
    const scene_frozen *s = w->scene;
    const vreal zero = v_set1(0);
    if (s->accelerates || s->solver != CAROM_TOI_FAST) {
        __builtin_unreachable();
    }
    const scene_circle i = deep_gather(w, pairs->first + at), j = deep_gather(w, pairs->second + at);
    const vreal time = scene_meeting(s, i, j, zero, zero, m_from_bits(0), w->dt);
    unsigned bits = m_bits(v_lt(time, v_set1(SCENE_NEVER)));
    if (bits != 0) {
        real times[LANES];
        v_storeu(times, time);
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t l = (unsigned)__builtin_ctz(bits);
            deep_offer(w, pairs->first[at + l], pairs->second[at + l], times[l]);
            if (both) {
                deep_offer(w, pairs->second[at + l], pairs->first[at + l], times[l]);
            }
        }
    }
}

/* The bodies on the places around i, and those that are in no cell, with i. */
CAROM_LANE void deep_pair_around(const deep_world *w, deep_pairs *pairs, int32_t i)
{
    const uint32_t cell = w->body[i].cell, from = pairs->count;
    for (uint32_t r = 0; r < 3; r++) {
        pairs->count += i_pack16(pairs->second + pairs->count,
                                 grid_at(&w->cells, grid_row(cell) - 1 + r, grid_column(cell) - 1), 3 * GRID_PLACES, i);
    }
    pairs->count += i_pack16(pairs->second + pairs->count, w->outside, w->outside_count, i);
    for (uint32_t k = from; k < pairs->count; k += LANES) {
        i_compress(pairs->first + k, m_below(LANES), i_set1(i));
    }
}

/* The earliest meetings of two at once, in a simple world. */
static void deep_plan_two_meetings(deep_world *w, int32_t i, int32_t j)
{
    deep_pairs pairs;
    if (!w->simple || w->cells.chained != 0 || w->outside_count > DEEP_OUTSIDE || w->body[i].cell == DEEP_NOWHERE ||
        w->body[j].cell == DEEP_NOWHERE) {
        deep_plan_meeting(w, i, false);
        deep_plan_meeting(w, j, false);
        return;
    }
    w->plan[i].meeting = w->plan[j].meeting = SCENE_NEVER;
    w->plan[i].partner = i;
    w->plan[j].partner = j;
    pairs.count = 0;
    deep_pair_around(w, &pairs, i);
    deep_pair_around(w, &pairs, j);
    i_compress(pairs.first + pairs.count, m_below(LANES), i_set1(i));
    i_compress(pairs.second + pairs.count, m_below(LANES), i_set1(i)); /* a body never meets itself */
    for (uint32_t k = 0; k < pairs.count; k += LANES) {
        deep_ask_pairs(w, &pairs, k, false);
    }
}

/* Those of `count` places whose number is greater than i, with i. */
CAROM_LANE void deep_pair_up(deep_pairs *pairs, int32_t i, const int32_t *places, uint32_t count)
{
    for (uint32_t k = 0; k < count; k += LANES) {
        const vint who = i_loadu32(places + k);
        const vmask later = m_and(i_gt(who, i_set1(i)), m_below(count - k));
        i_compress(pairs->second + pairs->count, later, who);
        i_compress(pairs->first + pairs->count, m_below(LANES), i_set1(i));
        pairs->count += (unsigned)__builtin_popcount(m_bits(later));
    }
}

/* The meetings of all, in a simple world. Each pair of two that are in cells is asked once, so that no lane is idle. */
static void deep_plan_meetings(deep_world *w)
{
    deep_pairs pairs;
    pairs.count = 0;
    for (uint32_t i = 0; i < w->bodies; i++) {
        w->plan[i].meeting = SCENE_NEVER;
        w->plan[i].partner = (int32_t)i;
    }
    for (uint32_t i = 0; i < w->bodies; i++) {
        const uint32_t cell = w->body[i].cell, row = grid_row(cell), column = grid_column(cell);
        if (cell == DEEP_NOWHERE) {
            deep_look_at(w, (int32_t)i, w->every, w->bodies, false);
            continue;
        }
        for (uint32_t r = row - 1; r <= row + 1; r++) {
            deep_pair_up(&pairs, (int32_t)i, grid_at(&w->cells, r, column - 1), 3 * GRID_PLACES);
        }
        if (w->cells.chained != 0) {
            deep_look_behind(w, (int32_t)i, row - 1, column - 1, 3, 3, false);
        }
        uint32_t at = 0;
        for (; at + LANES <= pairs.count; at += LANES) {
            deep_ask_pairs(w, &pairs, at, true);
        }
        for (uint32_t k = 0; at > 0 && k < LANES; k++) {
            pairs.first[k] = pairs.first[at + k];
            pairs.second[k] = pairs.second[at + k];
        }
        pairs.count -= at;
    }
    for (uint32_t k = pairs.count; k < LANES; k++) {
        pairs.first[k] = pairs.second[k] = 0; /* a body never meets itself */
    }
    deep_ask_pairs(w, &pairs, 0, true);
}

/* ---- walls ---- */

/* Contact of c with a wall or polygon: `which` counts both. */
static scene_contact deep_contact(const scene_frozen *s, scene_circle c, uint32_t which, bool senses, bool late,
                                  real dt)
{
    const vmask sensed = senses ? m_below(LANES) : m_from_bits(0);
    if (which < s->walls) {
        return late ? scene_late_wall_contact(s, c, &s->wall[which], sensed, dt)
                    : scene_wall_contact(s, c, &s->wall[which], sensed, dt);
    }
    const scene_polygon *p = &s->polygon[which - s->walls];
    return late ? scene_late_polygon_contact(s, c, p, sensed, dt) : scene_polygon_contact(s, c, p, sensed, dt);
}

CAROM_LANE bool deep_wall_senses(const scene_frozen *s, uint32_t which)
{
    return which < s->walls ? s->wall[which].sensor : s->polygon[which - s->walls].sensor;
}

CAROM_LANE void deep_try_wall(deep_world *w, int32_t i, scene_circle c, uint32_t which, bool late)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    deep_plan *p = &w->plan[i];
    const uint32_t id = scene_wall_id(s, which); /* polygons follow */
    const scene_kind kind = scene_wall_kind(s, (uint32_t)b->id, deep_wall_senses(s, which));
    const bool senses = kind == SCENE_SENSES || kind == SCENE_SENSES_LATE;
    if (kind == SCENE_PASSES || late != (kind == SCENE_STRIKES_LATE || kind == SCENE_SENSES_LATE) ||
        (senses && b->last == (int32_t)id)) {
        return;
    }
    const scene_contact hit = deep_contact(s, c, which, senses, late, w->dt);
    const real time = deep_lane0(hit.time);
    if (time < p->wall) {
        p->wall = time;
        p->wall_id = id;
    }
}

/* The first side, wall or polygon that body i comes to. Only those are asked whose boxes meet the one around the body
 * on its way to the end of the tick. */
static void deep_plan_wall(deep_world *w, int32_t i, bool late)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    deep_plan *p = &w->plan[i];
    const bool sides = !late && (s->horizontal != CAROM_SIDES_OPEN || s->vertical != CAROM_SIDES_OPEN);
    p->wall = SCENE_NEVER;
    if (!sides && w->statics == 0) {
        return;
    }
    real ax = 0, ay = 0;
    if (s->accelerates) {
        ax = deep_abs(s->ax[b->id]) * w->dt;
        ay = deep_abs(s->ay[b->id]) * w->dt;
    }
    const real wait = w->dt - b->t, more = b->r * REAL(1.001) + w->slack;
    const real reach_x = (deep_abs(b->vx) + ax) * (wait * REAL(1.001)) + more;
    const real reach_y = (deep_abs(b->vy) + ay) * (wait * REAL(1.001)) + more;
    const real low_x = b->x - reach_x, high_x = b->x + reach_x, low_y = b->y - reach_y, high_y = b->y + reach_y;
    const scene_circle c = deep_repeat(w, b);
    const bool within_x = s->horizontal == CAROM_SIDES_OPEN || (low_x > s->x0 && high_x < s->x1);
    const bool within_y = s->vertical == CAROM_SIDES_OPEN || (low_y > s->y0 && high_y < s->y1);
    if (sides && !(within_x && within_y)) {
        const scene_at_side at = scene_side(s, c, w->dt);
        int32_t side[LANES];
        i_compress(side, m_below(LANES), at.side);
        p->wall = deep_lane0(at.time);
        p->wall_id = scene_side_id(s, (uint32_t)side[0]);
    }
    if (w->statics == 0) {
        return;
    }
    const real *box = w->boxes;
    const size_t stride = w->statics_stride;
    for (uint32_t k = 0; k < w->statics; k += LANES) {
        const vmask beyond_x =
            m_or(v_gt(v_loadu(box + k), v_set1(high_x)), v_lt(v_loadu(box + 2 * stride + k), v_set1(low_x)));
        const vmask beyond_y =
            m_or(v_gt(v_loadu(box + stride + k), v_set1(high_y)), v_lt(v_loadu(box + 3 * stride + k), v_set1(low_y)));
        unsigned bits = m_bits(m_and(m_not(m_or(beyond_x, beyond_y)), m_below(w->statics - k)));
        for (; bits != 0; bits &= bits - 1) {
            deep_try_wall(w, i, c, k + (unsigned)__builtin_ctz(bits), late);
        }
    }
}

static void deep_predict(deep_world *w, int32_t i)
{
    deep_plan_meeting(w, i, false);
    deep_plan_wall(w, i, false);
    deep_plan_leaving(w, i);
}

#endif
