/* SPDX-License-Identifier: MIT
 * Which bodies settle, when, and how they move afterwards: the rule in settle.h, whose steps 1 to 7 the comments here
 * refer to. settle.h also finds the velocities.
 *
 * Both engines use this code: once a tick of a world in the wide engine has had so many impacts that short ones are
 * counted, the deep engine finishes that tick (deep_resume()).
 *
 * Over 800 lines: one rule in seven steps, whose parts are of no use elsewhere.
 */
#ifndef CAROM_SCENES_DEEP_SETTLE_H
#define CAROM_SCENES_DEEP_SETTLE_H

#include "scenes/deep_find.h"
#include "scenes/settle.h"

static void deep_begin(deep_world *w, real time);
static void deep_enter_group(deep_world *w);

/* ---- short impacts ---- */

/* Step 1: so far this tick has had too few impacts to count short ones. */
static void deep_start_counting(deep_world *w)
{
    w->counts = true;
    for (uint32_t i = 0; i < w->loop.bodies; i++) {
        deep_rest *r = &w->rest[i];
        __builtin_memset(r, 0, sizeof *r);
        r->struck = -SCENE_NEVER;
    }
}

/* Is it a fixed body? */
CAROM_LANE bool deep_is_still(const deep_world *w, int32_t i)
{
    return w->scene->inverse_mass[w->body[i].id] == 0;
}

/* a| of a body, as in the rule: the sum of the absolute values of both components. */
CAROM_LANE real deep_pull(const deep_world *w, int32_t i)
{
    const scene_frozen *s = w->scene;
    return s->accelerates ? scene_amount(s->ax[w->body[i].id]) + scene_amount(s->ay[w->body[i].id]) : 0;
}

/* Counts an impact of a free body at `time`; true if the body has had too many short impacts in a row (step 1). */
static bool deep_count_short(deep_world *w, int32_t i, real time)
{
    const scene_frozen *s = w->scene;
    const deep_body *b = &w->body[i];
    deep_rest *r = &w->rest[i];
    if (deep_is_still(w, i)) {
        return false;
    }

    /* Short: since the last impact the body has moved less than a thousandth of its radius, or than rounding. */
    const real wait = time - r->struck, speed = scene_amount(b->vx) + scene_amount(b->vy);
    const real pull = deep_pull(w, i);
    const real rough = deep_lane0(scene_fuzz(s, deep_repeat(w, b), v_set1(0), v_set1(w->dt)));
    const bool is_short = (speed + pull * wait) * wait <= settle_more(SETTLE_STRIDE * b->r, rough);

    r->struck = time;
    r->shorts = is_short ? r->shorts + 1 : 0;
    return r->shorts > SETTLE_SHORTS;
}

/* ---- the group ---- */

/* Restores the heap order, highest id first, of list[0..n) below `at`. */
CAROM_LANE void deep_sift(const deep_world *w, int32_t *list, uint32_t at, uint32_t n)
{
    for (uint32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && w->body[list[child]].id < w->body[list[child + 1]].id;
        if (w->body[list[at]].id >= w->body[list[child]].id) {
            return;
        }
        const int32_t lower = list[at];
        list[at] = list[child];
        list[child] = lower;
        at = child;
    }
}

/* Sorts bodies by their ids: lists come in the order of cells, on which results must not depend. A heap, because groups
 * may be large. */
static void deep_sort(const deep_world *w, int32_t *list, uint32_t n)
{
    for (uint32_t k = n / 2; k-- > 0;) {
        deep_sift(w, list, k, n);
    }
    for (uint32_t end = n; end-- > 1;) {
        const int32_t last = list[end];
        list[end] = list[0];
        list[0] = last;
        deep_sift(w, list, 0, end);
    }
}

/* The vector from body i to body j, to j's nearest image in a periodic box, and the gap between their rims. */
typedef struct deep_gap {
    real px, py, length; /* between centres */
    real gap;            /* negative if they overlap */
    real r;              /* the smaller radius */
    real rough;          /* the possible rounding error of both, see scene_fuzz() */
} deep_gap;

/* Among images at equal distances the first in the order of motion.h. */
CAROM_LANE real deep_nearest(real way, const real shifts[DEEP_IMAGES])
{
    real best = way;
    for (int k = 1; k < DEEP_IMAGES; k++) {
        const real other = way + shifts[k];
        best = scene_amount(other) < scene_amount(best) ? other : best;
    }
    return best;
}

static deep_spot deep_spot_of(const deep_world *w, int32_t i, real time)
{
    const scene_circle c = deep_moved(w, i, time);
    deep_spot p;
    p.x = deep_lane0(c.x), p.y = deep_lane0(c.y);
    p.vx = deep_lane0(c.vx), p.vy = deep_lane0(c.vy);
    p.r = w->body[i].r;
    p.rough = deep_lane0(scene_fuzz(w->scene, c, v_set1(0), v_set1(w->dt)));
    return p;
}

CAROM_LANE deep_gap deep_gap_of(const deep_world *w, const deep_spot *i, const deep_spot *j)
{
    deep_gap g;
    g.px = j->x - i->x, g.py = j->y - i->y;
    if (w->images) {
        g.px = deep_nearest(g.px, w->shift_x);
        g.py = deep_nearest(g.py, w->shift_y);
    }
    g.length = settle_root(g.px * g.px + g.py * g.py);
    g.gap = g.length - (i->r + j->r);
    g.r = settle_less(i->r, j->r);
    g.rough = i->rough + j->rough;
    return g;
}

/* The normal from j to i; the x axis if their centres coincide. */
CAROM_LANE void deep_gap_normal(const deep_gap *g, real *nx, real *ny)
{
    *nx = g->length > 0 ? -(g->px / g->length) : 1;
    *ny = g->length > 0 ? -(g->py / g->length) : 0;
}

/* The action of deep_around() on body i and a body j that may be near it. */
typedef void deep_visit(deep_world *w, int32_t i, int32_t j, real time);

/* Calls visit() for every body that may touch body i. */
CAROM_LANE void deep_around(deep_world *w, int32_t i, real time, deep_visit *visit)
{
    const grid *g = &w->loop.cells;
    const uint32_t cell = w->body[i].cell;

    /* A body outside the cells, because it is large or fast, may touch any other. */
    if (cell == DEEP_NOWHERE) {
        for (int32_t j = 0; j < (int32_t)w->loop.bodies; j++) {
            if (j != i) {
                visit(w, i, j, time);
            }
        }
        return;
    }

    /* Otherwise those in the nine cells around it (the last place of a cell heads a chain of the bodies that found no
     * place there), and those outside the cells. */
    for (uint32_t around = 0; around < 9; around++) {
        const int32_t *places = grid_at(g, grid_row(cell) + around / 3 - 1, grid_column(cell) + around % 3 - 1);
        for (int k = 0; k < GRID_PLACES; k++) {
            const bool chain = k == GRID_PLACES - 1;
            for (int32_t j = places[k]; j != GRID_NONE; j = chain ? g->next[j] : GRID_NONE) {
                if (j != i) {
                    visit(w, i, j, time);
                }
            }
        }
    }
    for (uint32_t k = 0; k < w->outside_count; k++) {
        if (w->outside[k] != i) {
            visit(w, i, w->outside[k], time);
        }
    }
}

CAROM_LANE bool deep_strikes(const deep_world *w, int32_t i, int32_t j)
{
    return scene_pair_kind(w->scene, (uint32_t)w->body[i].id, (uint32_t)w->body[j].id) == SCENE_STRIKES;
}

/* Adds a body to the group, and notes its position at `time`. */
CAROM_LANE void deep_join(deep_world *w, int32_t i, real time)
{
    if (w->rest[i].member == 0) {
        w->spot[i] = deep_spot_of(w, i, time);
        w->group[w->group_count++] = i;
        w->rest[i].member = (int32_t)w->group_count;
    }
}

/* Has its group been solved as often as the rule allows (step 6)? */
CAROM_LANE bool deep_is_spent(const deep_world *w, int32_t i)
{
    return w->rest[i].rounds >= SETTLE_ROUNDS;
}

/* Will the gap between two bodies close before the tick is over, or do they already move as one? */
static bool deep_closes(const deep_world *w, int32_t i, int32_t j, const deep_gap *g, real time)
{
    const deep_body *a = &w->body[i], *b = &w->body[j];
    const bool as_one = w->rest[i].state == DEEP_AS_ONE && w->rest[j].state == DEEP_AS_ONE;
    const real parting = (b->vx - a->vx) * g->px + (b->vy - a->vy) * g->py; /* times the distance */
    return (as_one && a->vx == b->vx && a->vy == b->vy) || g->gap * g->length + parting * (w->dt - time) < 0;
}

/* Adds body j if its gap to the member i connects the two (step 2); of spent groups only if it will close. */
static void deep_join_near(deep_world *w, int32_t i, int32_t j, real time)
{
    if (w->rest[j].member == 0 && deep_strikes(w, i, j)) {
        const deep_spot there = deep_spot_of(w, j, time);
        const deep_gap g = deep_gap_of(w, &w->spot[i], &there);
        const bool near = g.gap <= settle_within(SETTLE_GROUP, g.r, g.rough);
        if (near && (!w->spent_only || (deep_is_spent(w, j) && deep_closes(w, i, j, &g, time)))) {
            deep_join(w, j, time);
        }
    }
}

/* Step 2: the group of bodies i and j (or of i alone, with j GRID_NONE), in order of ids. The body that `arrives` (or
 * GRID_NONE) and fixed bodies are members, but connect nothing to the group. spent_only: other members than i and j
 * must be spent. */
static void deep_gather_group(deep_world *w, int32_t i, int32_t j, int32_t arrives, bool spent_only, real time)
{
    w->group_count = 0;
    w->spent_only = spent_only;
    deep_join(w, i, time);
    if (j != GRID_NONE) {
        deep_join(w, j, time);
    }

    /* The list grows during the loop, until it has the neighbours of all members. */
    for (uint32_t k = 0; k < w->group_count; k++) {
        const int32_t member = w->group[k];
        if (member != arrives && !deep_is_still(w, member)) {
            deep_around(w, member, time, deep_join_near);
        }
    }

    deep_sort(w, w->group, w->group_count);
    for (uint32_t k = 0; k < w->group_count; k++) {
        w->rest[w->group[k]].member = (int32_t)k + 1;
    }
}

static void deep_forget_group(deep_world *w)
{
    for (uint32_t k = 0; k < w->group_count; k++) {
        w->rest[w->group[k]].member = 0;
    }
}

/* ---- touches of members ---- */

/* Lists the member j if an earlier member i touches it: each pair once. */
static void deep_list_partner(deep_world *w, int32_t i, int32_t j, real time)
{
    (void)time;
    if (w->rest[j].member > w->rest[i].member && deep_strikes(w, i, j) &&
        !(deep_is_still(w, i) && deep_is_still(w, j))) {
        const deep_gap g = deep_gap_of(w, &w->spot[i], &w->spot[j]);
        if (g.gap <= settle_within(SETTLE_TOUCH, g.r, g.rough)) {
            w->partners[w->partner_count++] = j;
        }
    }
}

/* The action of deep_lean_on() on a side, an edge or a corner close to a member: n is the normal from there to the
 * member, r the radius that counts, rough the possible rounding error of the gap. */
typedef void deep_lean(deep_world *w, uint32_t member, real nx, real ny, real gap, real r, real rough);

/* Against a corner, from which (px, py) leads to the member's centre. */
CAROM_LANE void deep_lean_on_point(deep_world *w, uint32_t member, real px, real py, real r, real rough, real share,
                                   deep_lean *lean)
{
    const real length = settle_root(px * px + py * py), gap = length - r;
    if (gap <= settle_within(share, r, rough) && length > 0) {
        lean(w, member, px / length, py / length, gap, r, rough);
    }
}

/* Against the edge from a to b. `ends` are the ends that count: bit 0 for a, bit 1 for b. */
CAROM_LANE void deep_lean_on_edge(deep_world *w, uint32_t member, const deep_spot *p, const real edge[4], unsigned ends,
                                  bool one_sided, real rough, real share, deep_lean *lean)
{
    const real ex = edge[2] - edge[0], ey = edge[3] - edge[1];
    const real pax = p->x - edge[0], pay = p->y - edge[1], pbx = p->x - edge[2], pby = p->y - edge[3];
    const real foot_a = pax * ex + pay * ey, foot_b = pbx * ex + pby * ey, height = ex * pay - ey * pax;
    const real r = settle_more(rough, p->r); /* for walls a circle is never smaller than rounding: scene_fuzz() */
    if (one_sided && height < 0) {
        return;
    }

    /* The nearest point is the end at a, the end at b, or between them. */
    if (foot_a < 0) {
        if ((ends & 1) != 0) {
            deep_lean_on_point(w, member, pax, pay, r, rough, share, lean);
        }
    } else if (foot_b > 0) {
        if ((ends & 2) != 0) {
            deep_lean_on_point(w, member, pbx, pby, r, rough, share, lean);
        }
    } else {
        const real length = settle_root(ex * ex + ey * ey), from = scene_amount(height) / length;
        const real way = height < 0 ? -1 / length : 1 / length;
        if (from - r <= settle_within(share, r, rough)) {
            lean(w, member, -(ey * way), ex * way, from - r, r, rough);
        }
    }
}

/* Against an arc: its nearest point, or the ends that the circle is beyond. */
static void deep_lean_on_arc(deep_world *w, uint32_t member, const deep_spot *p, const scene_arc *arc, real rough,
                             real share, deep_lean *lean)
{
    const real px = p->x - arc->x, py = p->y - arc->y, length = settle_root(px * px + py * py);
    const real r = settle_more(rough, p->r);
    const bool inside = length < arc->radius;
    if (!(inside ? arc->within : arc->without)) {
        return;
    }

    const arc_shape shape = scene_arc_shape(arc);
    if ((m_bits(arc_has(&shape, v_set1(px), v_set1(py), v_set1(0))) & 1) != 0) {
        const real gap = (inside ? arc->radius - length : length - arc->radius) - r, way = inside ? -length : length;
        if (gap <= settle_within(share, r, rough) && length > 0) {
            lean(w, member, px / way, py / way, gap, r, rough);
        }
        return;
    }
    deep_lean_on_point(w, member, px - arc->ax, py - arc->ay, r, rough, share, lean);
    deep_lean_on_point(w, member, px - arc->bx, py - arc->by, r, rough, share, lean);
}

static void deep_lean_on_wall(deep_world *w, uint32_t member, const deep_spot *p, uint32_t which, real share,
                              deep_lean *lean)
{
    const scene_frozen *s = w->scene;
    const uint32_t id = (uint32_t)w->body[w->group[member]].id;
    if (scene_wall_kind(s, id, which) != SCENE_STRIKES) {
        return;
    }

    const real rough = p->rough + scene_size(s, which) * SCENE_FUZZ;
    if (which < s->walls) {
        const scene_wall *wall = &s->wall[which];
        const real edge[4] = {wall->ax, wall->ay, wall->bx, wall->by};
        deep_lean_on_edge(w, member, p, edge, 3, wall->one_sided, rough, share, lean);
        return;
    }

    const scene_arc *arc = scene_arc_of(s, which);
    if (arc != NULL) {
        deep_lean_on_arc(w, member, p, arc, rough, share, lean);
        return;
    }

    /* A corner must count once, though two edges meet there: it counts with the edge that begins there, and only if the
     * circle is beyond the end of the other one. */
    const scene_polygon *polygon = &s->polygon[which - s->walls];
    const real *x = s->corner_x + polygon->first, *y = s->corner_y + polygon->first;
    const uint32_t m = polygon->corners;
    for (uint32_t e = 0; e < m; e++) {
        const uint32_t next = e + 1 < m ? e + 1 : 0, last = e > 0 ? e - 1 : m - 1;
        const real edge[4] = {x[e], y[e], x[next], y[next]};
        const bool beyond = (p->x - x[e]) * (x[e] - x[last]) + (p->y - y[e]) * (y[e] - y[last]) > 0;
        deep_lean_on_edge(w, member, p, edge, beyond, false, rough, share, lean);
    }
}

#define DEEP_LEANS 64 /* walls and polygons near a body that fit into a list */

/* Lists the walls and polygons whose boxes meet that of the body, in order. Returns their number; DEEP_LEANS + 1 if
 * they do not fit. */
static uint32_t deep_list_walls(const deep_world *w, deep_box body, uint32_t *list)
{
    const scene_places *p = &w->scene->places;
    const real low_x = (body.low_x - p->x0) * p->inverse_width, high_x = (body.high_x - p->x0) * p->inverse_width;
    const real low_y = (body.low_y - p->y0) * p->inverse_height, high_y = (body.high_y - p->y0) * p->inverse_height;
    const uint32_t left = deep_place_index(low_x, p->columns), right = deep_place_index(high_x, p->columns);
    const uint32_t lower = deep_place_index(low_y, p->rows), upper = deep_place_index(high_y, p->rows);
    uint32_t count = 0;

    for (uint32_t row = lower; row <= upper; row++) {
        const uint32_t *starts = p->starts + (size_t)row * p->columns;
        for (uint32_t k = starts[left]; k < starts[right + 1]; k++) {
            const uint32_t which = p->items[k];
            uint32_t at = count;
            if (deep_apart(body, p->boxes + (size_t)4 * which)) {
                continue;
            }

            /* Insert it in order, as the order of touches must not depend on cells. */
            while (at > 0 && list[at - 1] > which) {
                at--;
            }
            if (at > 0 && list[at - 1] == which) {
                continue; /* it is already listed, from another cell or edge */
            }
            if (count == DEEP_LEANS) {
                return DEEP_LEANS + 1;
            }
            for (uint32_t move = count++; move > at; move--) {
                list[move] = list[move - 1];
            }
            list[at] = which;
        }
    }
    return count;
}

static void deep_lean_on_walls(deep_world *w, uint32_t member, real within, real share, deep_lean *lean)
{
    const scene_frozen *s = w->scene;
    const deep_spot *p = &w->spot[w->group[member]];
    const real reach = (p->r + p->rough) * REAL(1.01) + within;
    const deep_box body = {p->x - reach, p->y - reach, p->x + reach, p->y + reach};

    /* If there are more walls nearby than fit into the list, visit all of the scene's. */
    uint32_t list[DEEP_LEANS];
    const uint32_t count = deep_list_walls(w, body, list);
    for (uint32_t k = 0; count <= DEEP_LEANS && k < count; k++) {
        deep_lean_on_wall(w, member, p, list[k], share, lean);
    }
    for (uint32_t which = 0; count > DEEP_LEANS && which < scene_obstacles(s); which++) {
        if (!deep_apart(body, s->places.boxes + (size_t)4 * which)) {
            deep_lean_on_wall(w, member, p, which, share, lean);
        }
    }
}

/* Calls lean() for every side, wall and polygon within `share` radii of a member that is not fixed, in order of ids. */
static void deep_lean_on(deep_world *w, uint32_t member, real share, deep_lean *lean)
{
    const scene_frozen *s = w->scene;
    const deep_spot *p = &w->spot[w->group[member]];
    const real within = settle_within(share, p->r, p->rough);
    if (deep_is_still(w, w->group[member])) {
        return;
    }

    /* The box's solid sides, unless they let this body pass. */
    const real gap[SCENE_SIDES] = {p->x - (s->x0 + p->r), (s->x1 - p->r) - p->x, p->y - (s->y0 + p->r),
                                   (s->y1 - p->r) - p->y};
    const bool pass = s->choosy && !scene_sides_stop(s, (uint32_t)w->body[w->group[member]].id);
    for (int side = 0; side < SCENE_SIDES && !pass; side++) {
        const bool solid = scene_sides_of(s, (uint32_t)side) == CAROM_SIDES_SOLID;
        const real way = side % 2 == 0 ? 1 : -1;
        if (solid && gap[side] <= within) {
            lean(w, member, side < 2 ? way : 0, side < 2 ? 0 : way, gap[side], p->r, p->rough);
        }
    }

    if (s->places.columns != 0) {
        deep_lean_on_walls(w, member, within, share, lean);
    }
}

/* A deep_lean: the member touches something that does not move. */
static void deep_touch_still(deep_world *w, uint32_t member, real nx, real ny, real gap, real r, real rough)
{
    settle_add(&w->settling, (int32_t)member, -1, nx, ny, gap, r, rough);
}

/* Step 3: the touches of each member in turn, first with members of higher ids, then with sides, walls and polygons. */
static void deep_list_touches(deep_world *w, real time)
{
    for (uint32_t k = 0; k < w->group_count; k++) {
        const int32_t i = w->group[k];

        w->partner_count = 0;
        deep_around(w, i, time, deep_list_partner);
        deep_sort(w, w->partners, w->partner_count);
        for (uint32_t l = 0; l < w->partner_count; l++) {
            const int32_t j = w->partners[l];
            const deep_gap g = deep_gap_of(w, &w->spot[i], &w->spot[j]);
            real nx, ny;
            deep_gap_normal(&g, &nx, &ny);
            settle_add(&w->settling, (int32_t)k, w->rest[j].member - 1, nx, ny, g.gap, g.r, g.rough);
        }

        deep_lean_on(w, k, SETTLE_TOUCH, deep_touch_still);
    }
}

/* ---- settling ---- */

/* Predicts the events of the group's members, whose records have changed. */
static void deep_look_again(deep_world *w, real time)
{
    if (w->scene->advance == CAROM_ADVANCE_ALL) {
        for (int32_t k = 0; k < (int32_t)w->loop.bodies; k++) {
            if (w->rest[k].member == 0) {
                deep_keep(w, k, deep_moved(w, k, time));
            }
        }
    }

    /* All bodies predict again if all have new records, or if the group is large: predicting all at once is cheaper per
     * body. */
    if (w->scene->advance == CAROM_ADVANCE_ALL || w->group_count > w->loop.bodies / 4) {
        deep_begin(w, time);
        return;
    }

    for (uint32_t k = 0; k < w->group_count; k++) {
        deep_place(w, w->group[k]);
    }
    for (uint32_t k = 0; k < w->group_count; k++) {
        rules_predict(w, w->group[k]);
    }
    deep_enter_group(w);
}

/* Gives a member a new record, from its position at `time`, with the velocity (vx, vy). */
CAROM_LANE void deep_set_record(deep_world *w, int32_t i, real vx, real vy, real time)
{
    deep_body *b = &w->body[i];
    deep_touch(w, i);
    b->x = w->spot[i].x, b->y = w->spot[i].y;
    b->vx = vx, b->vy = vy;
    b->t = time;
}

/* A member's velocity before the group is solved. If it has settled before, this is stored apart from its record. */
CAROM_LANE void deep_velocity(const deep_world *w, int32_t i, real *vx, real *vy)
{
    const bool settled = w->rest[i].state != DEEP_FREE;
    *vx = settled ? w->rest[i].vx : w->spot[i].vx;
    *vy = settled ? w->rest[i].vy : w->spot[i].vy;
}

/* Adds the acceleration of a member during the time `left`. Settled bodies have had all of theirs. */
CAROM_LANE void deep_fall(const deep_world *w, int32_t i, real left, real *vx, real *vy)
{
    const scene_frozen *s = w->scene;
    if (s->accelerates && w->rest[i].state == DEEP_FREE) {
        *vx = *vx + s->ax[w->body[i].id] * left;
        *vy = *vy + s->ay[w->body[i].id] * left;
    }
}

/* Fills in the members for the solver, and whether all of them are at rest. */
static void deep_list_members(deep_world *w, int32_t arrives, real left)
{
    settle_group *g = &w->settling;
    g->member_count = w->group_count;
    g->rests = arrives == GRID_NONE;

    for (uint32_t k = 0; k < w->group_count; k++) {
        const int32_t i = w->group[k];
        settle_member *m = &g->members[k];
        m->body = i;
        m->touches = 0;
        m->arrives = i == arrives;
        m->r = w->spot[i].r;
        m->inverse_mass = w->scene->inverse_mass[w->body[i].id];

        /* Step 4 starts from v + a h. The body that arrives stays free, and keeps its acceleration for later. */
        deep_velocity(w, i, &m->vx, &m->vy);
        m->free_x = m->vx, m->free_y = m->vy;
        if (!m->arrives) {
            deep_fall(w, i, left, &m->free_x, &m->free_y);
        }

        g->rests = g->rests && scene_amount(m->vx) + scene_amount(m->vy) <= SETTLE_SLOW * deep_pull(w, i) * w->dt;
    }
}

/* Is t the touch of bodies i and j, or, with j GRID_NONE, one of i with something that does not move? */
CAROM_LANE bool deep_is_touch_of(const settle_group *g, const settle_touch *t, int32_t i, int32_t j)
{
    const int32_t a = g->members[t->first].body, b = t->second < 0 ? GRID_NONE : g->members[t->second].body;
    return (a == i && b == j) || (j != GRID_NONE && a == j && b == i);
}

/* Steps 3 to 5: gives the gathered group the velocities that its touches allow. Adds the impulse between i and j, or
 * between i and something that does not move, to *impulse.
 *     arrives   the free body that bounces off the group with the speed `parting`, or GRID_NONE
 *     again     all members have settled before
 * False, with unchanged records, if the group is at rest and was not solved within the steps: then it moves as one. */
static bool deep_solve(deep_world *w, int32_t i, int32_t j, int32_t arrives, real parting, bool again, real time,
                       real *impulse)
{
    settle_group *g = &w->settling;

    g->left = w->dt - time;
    g->dt = w->dt;
    g->touch_count = 0;
    deep_list_members(w, arrives, g->left);
    deep_list_touches(w, time);
    for (uint32_t k = 0; k < g->touch_count && arrives != GRID_NONE; k++) {
        settle_touch *t = &g->touches[k];
        t->want = deep_is_touch_of(g, t, i, j) ? parting : t->want;
    }

    /* First run: the velocities at the end of the tick (step 4). Only its impulses are real. */
    bool ended = settle_run(g);
    for (uint32_t k = 0; k < g->touch_count; k++) {
        const settle_touch *t = &g->touches[k];
        *impulse = deep_is_touch_of(g, t, i, j) ? *impulse + t->push : *impulse;
    }
    if (g->rests && !ended) {
        return false;
    }

    /* Second run: the velocities until then (step 5). */
    const bool turned = g->left > 0 && ended;
    if (turned) {
        settle_turn(g);
        ended = settle_run(g);
        if (g->rests && !ended) {
            return false;
        }
    }

    /* The members' records. Fixed bodies keep theirs. */
    for (uint32_t k = 0; k < g->member_count; k++) {
        settle_member *m = &g->members[k];
        deep_rest *r = &w->rest[m->body];
        if (m->inverse_mass == 0) {
            continue;
        }

        /* settle_turn() has put the first run's result into v. Without a second run it is still in u. */
        if (!turned) {
            m->vx = m->ux, m->vy = m->uy;
        }
        if (m->arrives) {
            deep_set_record(w, m->body, m->vx, m->vy, time);
            continue;
        }

        /* A settled body's record has the velocity with which it moves; that at the end of the tick is stored
         * separately. If the solver did not finish, all members are spent. */
        r->state = DEEP_SETTLED;
        r->meetings = 0;
        r->rounds = ended ? (uint8_t)(r->rounds + (again && (m->body == i || m->body == j))) : SETTLE_ROUNDS;
        r->vx = m->vx, r->vy = m->vy;
        deep_set_record(w, m->body, m->ux, m->uy, time);
    }
    return true;
}

/* ---- moving as one ---- */

/* A deep_lean: removes the component into a wall from the common velocity. */
static void deep_hold(deep_world *w, uint32_t member, real nx, real ny, real gap, real r, real rough)
{
    (void)member, (void)gap, (void)r, (void)rough;
    const real into = w->common_x * nx + w->common_y * ny;
    const real speed = scene_amount(w->common_x) + scene_amount(w->common_y);
    const real least = deep_lane0(scene_least_approach(v_set1(speed)));
    if (into < 0) {
        w->common_x = w->common_x + (least - into) * nx;
        w->common_y = w->common_y + (least - into) * ny;
    }
}

/* A deep_lean: the group is stuck if it still moves into this wall, because another one has turned it there. */
static void deep_check_held(deep_world *w, uint32_t member, real nx, real ny, real gap, real r, real rough)
{
    (void)member, (void)gap, (void)r, (void)rough;
    w->stuck = w->stuck || w->common_x * nx + w->common_y * ny < 0;
}

/* Step 6: the gathered group moves as one for the rest of the tick. */
static void deep_unite(deep_world *w, real time)
{
    real px = 0, py = 0, mass = 0;

    /* The sum of momenta. A group cannot move if one of its bodies is fixed, or has met walls too often. */
    w->stuck = false;
    for (uint32_t k = 0; k < w->group_count; k++) {
        const int32_t i = w->group[k];
        deep_rest *r = &w->rest[i];
        real vx, vy;
        r->meetings = r->state == DEEP_AS_ONE ? r->meetings : 0;
        if (deep_is_still(w, i) || r->meetings > SETTLE_MEETINGS) {
            w->stuck = true;
            continue;
        }
        deep_velocity(w, i, &vx, &vy);
        deep_fall(w, i, w->dt - time, &vx, &vy);
        const real own = 1 / w->scene->inverse_mass[w->body[i].id];
        px = px + own * vx;
        py = py + own * vy;
        mass = mass + own;
    }

    /* The velocity of the common centre, minus its components into walls; 0 if those leave no direction to move. */
    w->common_x = px / mass, w->common_y = py / mass;
    for (uint32_t k = 0; k < w->group_count && !w->stuck; k++) {
        deep_lean_on(w, k, SETTLE_GROUP, deep_hold);
    }
    for (uint32_t k = 0; k < w->group_count && !w->stuck; k++) {
        deep_lean_on(w, k, SETTLE_GROUP, deep_check_held);
    }
    if (w->stuck) {
        w->common_x = w->common_y = 0;
    }

    for (uint32_t k = 0; k < w->group_count; k++) {
        const int32_t i = w->group[k];
        deep_rest *r = &w->rest[i];
        if (!deep_is_still(w, i)) {
            r->state = DEEP_AS_ONE;
            r->rounds = SETTLE_ROUNDS;
            r->vx = w->common_x, r->vy = w->common_y;
            deep_set_record(w, i, w->common_x, w->common_y, time);
        }
    }
}

/* ---- the result of an impact ---- */

/* Records and counts a settling as one impact of the two bodies that met. */
static void deep_record_settling(deep_world *w, int32_t i, int32_t j, uint32_t wall_id, real impulse, real time)
{
    const scene_frozen *s = w->scene;
    scene_impact impact, *seen = &impact;
    __builtin_memset(seen, 0, sizeof *seen);

    /* The one with the lower id is the first. */
    const bool swap = j != GRID_NONE && w->body[j].id < w->body[i].id;
    const int32_t lower = swap ? j : i, higher = swap || j == GRID_NONE ? i : j;
    const deep_spot *a = &w->spot[lower], *b = &w->spot[higher];
    seen->time = time;
    seen->impulse = impulse;
    seen->first = (uint32_t)w->body[lower].id;
    seen->x1 = a->x, seen->y1 = a->y, seen->x2 = b->x, seen->y2 = b->y;
    seen->vx1 = a->vx, seen->vy1 = a->vy, seen->vx2 = b->vx, seen->vy2 = b->vy;
    seen->ux1 = w->body[lower].vx, seen->uy1 = w->body[lower].vy;
    seen->ux2 = w->body[higher].vx, seen->uy2 = w->body[higher].vy;

    /* The second, and the normal from it to the first. */
    if (j != GRID_NONE) {
        const deep_gap g = deep_gap_of(w, a, b);
        scene_impact_with(s, seen, (uint32_t)w->body[higher].id);
        deep_gap_normal(&g, &seen->nx, &seen->ny);
    } else {
        const uint32_t side = wall_id - s->bodies;
        scene_impact_with(s, seen, wall_id);
        if (side < SCENE_SIDES) {
            scene_side_normal(side, &seen->nx, &seen->ny);
        } else {
            seen->nx = w->wall_hit.nx, seen->ny = w->wall_hit.ny, seen->part = w->wall_hit.part;
        }
    }

    seen->settles = true;
    scene_record(w->tick, w->lane, seen);
    deep_tally(w, seen, false);
}

/* Keeps the normal and the feature of the wall or polygon that body i meets, if events are recorded: they follow from
 * its record, which changes before the settling is recorded. */
static void deep_note_wall(deep_world *w, int32_t i, uint32_t wall_id)
{
    const scene_frozen *s = w->scene;
    const uint32_t side = wall_id - s->bodies;
    if (w->tick->events != NULL && side >= SCENE_SIDES) {
        const scene_contact hit = deep_contact(w, deep_repeat(w, &w->body[i]), side - SCENE_SIDES, SCENE_STRIKES);
        int32_t feature[LANES];
        i_compress(feature, m_below(LANES), hit.feature);
        w->wall_hit.nx = deep_lane0(hit.nx), w->wall_hit.ny = deep_lane0(hit.ny);
        w->wall_hit.part = (uint32_t)feature[0];
    }
}

/* Settles or unites the group of bodies i and j, or, with j GRID_NONE, of body i, which meets wall_id. See deep_solve()
 * for arrives and parting. */
static void deep_settle(deep_world *w, int32_t i, int32_t j, uint32_t wall_id, int32_t arrives, real parting, real time)
{
    real impulse = 0;
    bool again = true; /* all of it has settled before */
    if (j == GRID_NONE) {
        deep_note_wall(w, i, wall_id);
    }

    deep_gather_group(w, i, j, arrives, false, time);
    for (uint32_t k = 0; k < w->group_count; k++) {
        const deep_rest *r = &w->rest[w->group[k]];
        again = again && (r->state != DEEP_FREE || deep_is_still(w, w->group[k]));
    }

    /* A spent body moves as one with what it meets, and otherwise only with spent bodies: others may be about to leave
     * the group. All other groups are solved. */
    const bool one = arrives == GRID_NONE && (deep_is_spent(w, i) || (j != GRID_NONE && deep_is_spent(w, j)));
    if (one) {
        if (j == GRID_NONE && w->rest[i].state == DEEP_AS_ONE) {
            w->rest[i].meetings++;
        }
        deep_forget_group(w);
        deep_gather_group(w, i, j, arrives, true, time);
        deep_unite(w, time);
    } else if (!deep_solve(w, i, j, arrives, parting, again, time, &impulse)) {
        deep_unite(w, time);
    }

    /* For i and j it was an impact. Then the whole group predicts its next events. */
    w->settled = true;
    deep_record_settling(w, i, j, wall_id, impulse, time);
    w->plan[i].last = j != GRID_NONE ? w->body[j].id : (int32_t)wall_id;
    w->plan[i].met = time;
    if (j != GRID_NONE) {
        w->plan[j].last = w->body[i].id;
        w->plan[j].met = time;
    }
    deep_look_again(w, time);
    deep_forget_group(w);
}

/* Is this body settled or fixed? Two of these meet each other without restitution (step 6). */
CAROM_LANE bool deep_is_calm(const deep_world *w, int32_t i)
{
    return deep_is_still(w, i) || w->rest[i].state != DEEP_FREE;
}

/* Has a calm body met others as often as it may before its group is solved again? */
CAROM_LANE bool deep_has_met(const deep_world *w, int32_t i)
{
    return w->rest[i].state == DEEP_AS_ONE || w->rest[i].meetings >= SETTLE_MEETINGS;
}

/* The speed with which the free body f approaches a settled one, and whether it is slow enough for f to join it instead
 * of bouncing (step 7). */
static real deep_arrival(const deep_world *w, int32_t f, int32_t on, real time, bool *leans)
{
    const scene_frozen *s = w->scene;
    const deep_spot a = deep_spot_of(w, f, time), b = deep_spot_of(w, on, time);
    const deep_gap g = deep_gap_of(w, &a, &b);
    const deep_rest *r = &w->rest[on];
    const int32_t id = w->body[f].id;
    const real nx = g.length > 0 ? g.px / g.length : -1, ny = g.length > 0 ? g.py / g.length : 0;
    const real u = (a.vx - r->vx) * nx + (a.vy - r->vy) * ny;
    real pull = 0;
    if (s->accelerates) {
        pull = settle_root(s->ax[id] * s->ax[id] + s->ay[id] * s->ay[id]);
    }
    *leans = !(u > 2 * pull * w->dt) || !(u > 0);
    return u;
}

/* Body i meets j, or wall_id if j is GRID_NONE; neither is a sensor. True if they have settled. False if this is still
 * an impact for the caller to play, without restitution if w->calm is set. */
static bool deep_settles(deep_world *w, int32_t i, int32_t j, uint32_t wall_id, real restitution, real time)
{
    const scene_frozen *s = w->scene;
    w->calm = false;
    if (w->impacts < s->settles_after) {
        return false;
    }
    if (!w->counts) {
        deep_start_counting(w);
    }

    /* Both are free: they settle after too many short impacts (step 1). Elastic ones do not count without a
     * contact_time. */
    deep_rest *a = &w->rest[i], *b = j != GRID_NONE ? &w->rest[j] : a;
    const bool settled = a->state != DEEP_FREE || b->state != DEEP_FREE;
    if (!settled) {
        if (restitution == 1 && !(s->contact_time > 0)) {
            return false;
        }
        bool over = deep_count_short(w, i, time);
        if (j != GRID_NONE) {
            over = deep_count_short(w, j, time) || over;
        }
        if (over) {
            deep_settle(w, i, j, wall_id, GRID_NONE, 0, time);
        }
        return over;
    }

    /* Both have settled, or are fixed: some impacts without restitution, then their group is solved again (step 6). */
    if (deep_is_calm(w, i) && (j == GRID_NONE || deep_is_calm(w, j))) {
        if (deep_has_met(w, i) || deep_has_met(w, j != GRID_NONE ? j : i)) {
            deep_settle(w, i, j, wall_id, GRID_NONE, 0, time);
            return true;
        }
        a->meetings++;
        if (j != GRID_NONE) {
            b->meetings++;
        }
        w->calm = true;
        return false;
    }

    /* One is free: it bounces off the group, or joins it (step 7). */
    const int32_t arrives = a->state == DEEP_FREE ? i : j, on = arrives == i ? j : i;
    bool leans;
    const bool over = deep_count_short(w, arrives, time);
    const real u = deep_arrival(w, arrives, on, time, &leans);
    deep_settle(w, i, j, wall_id, over || leans || !(restitution > 0) ? GRID_NONE : arrives, restitution * u, time);
    return true;
}

#endif
