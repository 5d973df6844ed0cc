/* SPDX-License-Identifier: MIT
 * Makes a frozen scene from a checked description: one block of memory, with numbers in the kernel's precision.
 *
 * A grid over the walls and polygons lists the ones near a position, so that all others cost nothing. Its cells are
 * about as wide as a piece (a wall, or an edge of a polygon) is long, and there are not many more cells than pieces; so
 * a piece is in a few cells, those that it touches or nearly touches.
 */
#ifndef CAROM_SCENES_FREEZE_H
#define CAROM_SCENES_FREEZE_H

#include <float.h>

#include "base/narrow.h"
#include "scenes/frozen.h"
#include "scenes/scenes.h"
#include "toi/arc.h"

/* ---- the grid of walls and polygons ---- */

#define PLACES_MOST 4096.0   /* columns, or rows */
#define PLACES_MARGIN 1e-3   /* of a cell's width: a piece closer than this is in the cell; rounding is far less */
#define PLACES_ROUNDING 64.0 /* places_piece.more, in roundings of the wall's or polygon's size */

/* A wall, an edge of a polygon, or a part of an arc, with coordinates rounded as in the kernel. */
typedef struct places_piece {
    double ax, ay, bx, by;
    double more; /* a margin around it: half for scene_fuzz(), half for rounding */
    uint32_t of; /* its obstacle: walls are counted first, then polygons, then arcs */
} places_piece;

/* Iterates over all pieces, polygon by polygon. */
typedef struct places_walk {
    const carom_scene_desc *desc;
    uint32_t wall, polygon, arc; /* of the next piece */
    uint32_t edge;               /* of the polygon, or of the slices of the arc */
    double more;                 /* of the polygon */
} places_walk;

static places_walk places_begin(const carom_scene_desc *desc)
{
    const places_walk walk = {desc, 0, 0, 0, 0, 0};
    return walk;
}

static inline double places_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double places_most(double a, double b)
{
    return a > b ? a : b;
}

/* A coordinate rounded as in the kernel. */
static inline double places_real(double a)
{
    return CAROM_REAL_BITS == 64 ? a : narrowed(a);
}

/* The margin of a wall or polygon with a corner at (x, y): the greatest one of its corners counts. */
static double places_more(double x, double y)
{
    const double epsilon = CAROM_REAL_BITS == 64 ? DBL_EPSILON : (double)FLT_EPSILON;
    return (places_most(x, -x) + places_most(y, -y)) * (PLACES_ROUNDING * epsilon);
}

/* A circle in sixteen slices: the cosines of their borders, in the first quarter. */
#define PLACES_SLICES 16
#define PLACES_BULGE 0.02 /* of the radius: above the deviation of an arc from its chord in a slice, 1 - cos(pi / 16) */
static const double places_cosines[PLACES_SLICES / 4 + 1] = {1, 0.92387953251128674, 0.70710678118654752,
                                                             0.38268343236508977, 0};

static double places_cosine(uint32_t border)
{
    const uint32_t k = border % PLACES_SLICES, quarter = PLACES_SLICES / 4;
    return k <= quarter       ? places_cosines[k]
           : k <= 2 * quarter ? -places_cosines[2 * quarter - k]
           : k <= 3 * quarter ? -places_cosines[k - 2 * quarter]
                              : places_cosines[PLACES_SLICES - k];
}

/* Is the direction of (x, y) on an arc from that of (ax, ay) to that of (bx, by)? With a small margin. */
static bool places_turns(double ax, double ay, double bx, double by, double x, double y)
{
    const double slack = -1e-3 * (__builtin_fabs(ax) + __builtin_fabs(ay)),
                 more = -1e-3 * (__builtin_fabs(bx) + __builtin_fabs(by));
    const bool past = ax * y - ay * x >= slack, before = x * by - y * bx >= more;
    return ax * by - ay * bx < 0 ? past || before : past && before;
}

/* Is a part of the arc in this slice? */
static bool places_in_slice(const carom_scene_arc *arc, uint32_t slice)
{
    const double ax = arc->ax - arc->x, ay = arc->ay - arc->y, bx = arc->bx - arc->x, by = arc->by - arc->y;
    const double x = places_cosine(slice), y = places_cosine(slice + 12);
    const double u = places_cosine(slice + 1), v = places_cosine(slice + 13);
    const bool ring = arc->ax == arc->bx && arc->ay == arc->by;
    return ring || places_turns(ax, ay, bx, by, x, y) || places_turns(ax, ay, bx, by, u, v) ||
           places_turns(x, y, u, v, ax, ay);
}

/* Sets *piece to the next piece of an arc, a chord with a margin; false after the last one. */
static bool places_next_slice(places_walk *walk, places_piece *piece)
{
    const carom_scene_desc *desc = walk->desc;
    while (walk->arc < desc->arc_count) {
        const carom_scene_arc *arc = &desc->arcs[walk->arc];
        const uint32_t slice = walk->edge;
        piece->of = desc->wall_count + desc->polygon_count + walk->arc;
        walk->edge = slice + 1 < PLACES_SLICES ? slice + 1 : 0;
        walk->arc += walk->edge == 0;
        if (places_in_slice(arc, slice)) {
            const double x = places_real(arc->x), y = places_real(arc->y), radius = places_real(arc->radius);
            piece->ax = x + radius * places_cosine(slice), piece->ay = y + radius * places_cosine(slice + 12);
            piece->bx = x + radius * places_cosine(slice + 1), piece->by = y + radius * places_cosine(slice + 13);
            piece->more = places_more(x, y) + places_more(radius, radius) + PLACES_BULGE * radius;
            return true;
        }
    }
    return false;
}

/* Sets *piece to the next piece; false after the last one. */
static bool places_next(places_walk *walk, places_piece *piece)
{
    const carom_scene_desc *desc = walk->desc;

    if (walk->wall < desc->wall_count) {
        const carom_scene_wall *w = &desc->walls[walk->wall];
        piece->ax = places_real(w->ax), piece->ay = places_real(w->ay);
        piece->bx = places_real(w->bx), piece->by = places_real(w->by);
        piece->more = places_most(places_more(piece->ax, piece->ay), places_more(piece->bx, piece->by));
        piece->of = walk->wall++;
        return true;
    }

    if (walk->polygon < desc->polygon_count) {
        const carom_scene_polygon *p = &desc->polygons[walk->polygon];
        const uint32_t next = walk->edge + 1 < p->corners ? walk->edge + 1 : 0;
        piece->ax = places_real(p->x[walk->edge]), piece->ay = places_real(p->y[walk->edge]);
        piece->bx = places_real(p->x[next]), piece->by = places_real(p->y[next]);

        /* The greatest margin of its corners holds for all of its edges. */
        for (uint32_t c = 0; c < p->corners && walk->edge == 0; c++) {
            walk->more = places_most(c == 0 ? 0 : walk->more, places_more(places_real(p->x[c]), places_real(p->y[c])));
        }
        piece->more = walk->more;

        piece->of = desc->wall_count + walk->polygon;
        walk->edge = next;
        walk->polygon += next == 0;
        return true;
    }
    return places_next_slice(walk, piece);
}

/* The shape of the grid. */
typedef struct places_plan {
    double x0, y0, width, height; /* corner of the first cell, and the size of one */
    uint32_t columns, rows;       /* 0: there are no pieces */
} places_plan;

static uint32_t places_count(double size, double width)
{
    return width > 0 ? (uint32_t)places_least(size / width + 1, PLACES_MOST) : 1;
}

static places_plan places_plan_of(const carom_scene_desc *desc)
{
    places_plan plan = {0, 0, 1, 1, 0, 0};
    double x1 = 0, y1 = 0, length = 0, more = 0, pieces = 0;
    places_piece p;

    /* Extent, length and number of all pieces. */
    for (places_walk walk = places_begin(desc); places_next(&walk, &p);) {
        const bool first = pieces == 0;
        const double low_x = places_least(p.ax, p.bx), high_x = places_most(p.ax, p.bx);
        const double low_y = places_least(p.ay, p.by), high_y = places_most(p.ay, p.by);
        plan.x0 = first ? low_x : places_least(plan.x0, low_x);
        plan.y0 = first ? low_y : places_least(plan.y0, low_y);
        x1 = first ? high_x : places_most(x1, high_x);
        y1 = first ? high_y : places_most(y1, high_y);
        length += (high_x - low_x) + (high_y - low_y);
        more = places_most(more, p.more);
        pieces++;
    }

    if (pieces > 0) {
        const double size_x = x1 - plan.x0, size_y = y1 - plan.y0;

        /* No more cells than pieces, none narrower than the mean length of a piece. Far from the origin, where margins
         * are wide, cells are wider: otherwise a piece might be in very many. */
        double width = places_most(__builtin_sqrt(size_x * size_y / pieces), length / pieces);
        width = places_most(width, places_most(size_x, size_y) / PLACES_MOST);
        width = places_most(width, 4 * more);

        plan.columns = places_count(size_x, width);
        plan.rows = places_count(size_y, width);
        plan.width = size_x > 0 ? size_x / plan.columns : width;
        plan.height = size_y > 0 ? size_y / plan.rows : width;
    }
    return plan;
}

static uint32_t places_index(double place, uint32_t count)
{
    return place > 0 ? place < count ? (uint32_t)place : count - 1 : 0;
}

/* Iterates over the cells that a piece touches or nearly touches, and returns their number. Without items adds 1 to
 * counts[cell] of each, if counts is not NULL; with items writes the piece to items[counts[cell]++]. */
static size_t places_spread(const places_plan *plan, const places_piece *p, uint32_t *counts, uint32_t *items)
{
    const double ax = (p->ax - plan->x0) / plan->width, ay = (p->ay - plan->y0) / plan->height;
    const double bx = (p->bx - plan->x0) / plan->width, by = (p->by - plan->y0) / plan->height;
    const double margin_x = PLACES_MARGIN + p->more / plan->width, margin_y = PLACES_MARGIN + p->more / plan->height;
    const double low = places_least(ay, by) - margin_y, high = places_most(ay, by) + margin_y;
    const uint32_t last = places_index(high, plan->rows);
    size_t cells = 0;

    for (uint32_t row = places_index(low, plan->rows); row <= last; row++) {
        /* The part of the piece in this row: 0 is its end a, 1 its end b. */
        double from = 0, to = 1;
        if (by != ay) {
            const double enters = (row - margin_y - ay) / (by - ay), leaves = (row + 1 + margin_y - ay) / (by - ay);
            from = places_least(places_most(0, places_least(enters, leaves)), 1);
            to = places_most(places_least(1, places_most(enters, leaves)), 0);
        }

        const double x = ax + (bx - ax) * from, other = ax + (bx - ax) * to;
        const uint32_t end = places_index(places_most(x, other) + margin_x, plan->columns);
        for (uint32_t column = places_index(places_least(x, other) - margin_x, plan->columns); column <= end;
             column++) {
            const size_t cell = (size_t)row * plan->columns + column;
            if (items != NULL) {
                items[counts[cell]++] = p->of;
            } else if (counts != NULL) {
                counts[cell]++;
            }
            cells++;
        }
    }
    return cells;
}

/* The total number of items in all cells. */
static size_t places_items(const carom_scene_desc *desc, const places_plan *plan)
{
    size_t items = 0;
    places_piece p;
    for (places_walk walk = places_begin(desc); places_next(&walk, &p);) {
        items += places_spread(plan, &p, NULL, NULL);
    }
    return items;
}

/* Fills the arrays of scene_places. */
static void places_fill(const carom_scene_desc *desc, const places_plan *plan, uint32_t *starts, uint32_t *items,
                        real *boxes)
{
    const size_t cells = (size_t)plan->columns * plan->rows;
    uint32_t previous = UINT32_MAX;
    places_piece p;

    /* Count the items of each cell; then starts[] holds the start of a cell's items and, once they are written, their
     * end, which is the start of the next cell's. */
    __builtin_memset(starts, 0, (cells + 1) * sizeof *starts);
    for (places_walk walk = places_begin(desc); places_next(&walk, &p);) {
        (void)places_spread(plan, &p, starts, NULL);
    }
    uint32_t sum = 0;
    for (size_t c = 0; c < cells; c++) {
        const uint32_t here = starts[c];
        starts[c] = sum;
        sum += here;
    }
    for (places_walk walk = places_begin(desc); places_next(&walk, &p);) {
        (void)places_spread(plan, &p, starts, items);
    }
    for (size_t c = cells; c > 0; c--) {
        starts[c] = starts[c - 1];
    }
    starts[0] = 0;

    /* Boxes. The pieces of a polygon are consecutive. */
    for (places_walk walk = places_begin(desc); places_next(&walk, &p);) {
        const double low_x = places_least(p.ax, p.bx), high_x = places_most(p.ax, p.bx);
        const double low_y = places_least(p.ay, p.by), high_y = places_most(p.ay, p.by);
        real *box = boxes + (size_t)4 * p.of;
        const bool first = p.of != previous;
        box[0] = (real)(first ? low_x - p.more : places_least((double)box[0], low_x - p.more));
        box[1] = (real)(first ? low_y - p.more : places_least((double)box[1], low_y - p.more));
        box[2] = (real)(first ? high_x + p.more : places_most((double)box[2], high_x + p.more));
        box[3] = (real)(first ? high_y + p.more : places_most((double)box[3], high_y + p.more));
        previous = p.of;
    }
}

/* ---- the block ---- */

/* The arrays of the block, which are const in scene_frozen. */
typedef struct freeze_block {
    unsigned char *memory; /* NULL: only compute the size */
    size_t used;
    scene_frozen *scene;
    real *radius, *inverse_mass, *restitution, *keep, *ax, *ay, *action_scale, *corner_x, *corner_y;
    uint32_t *category, *mask, *actors, *views;
    uint8_t *sensor, *slow, *renews;
    scene_wall *wall;
    scene_polygon *polygon;
    scene_arc *arc;
    scene_rule *rules;
    places_plan places;
    uint32_t *starts, *items;
    real *boxes;
} freeze_block;

/* Allocates an array, which begins at a cache line. */
static void *freeze_take(freeze_block *b, size_t count, size_t bytes)
{
    void *at = b->memory != NULL ? b->memory + b->used : NULL;
    b->used += (count * bytes + 63) / 64 * 64;
    return at;
}

/* Bodies in a view, the viewing one included. */
static size_t freeze_view_bodies(const carom_scene_desc *desc)
{
    return desc->view_count > 0 ? (size_t)desc->views[0].count + 1 : 0;
}

static freeze_block freeze_lay_out(const carom_scene_desc *desc, void *memory)
{
    const size_t n = desc->body_count;
    size_t corners = 0;
    freeze_block b;
    b.memory = (unsigned char *)memory;
    b.used = 0;
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        corners += desc->polygons[p].corners;
    }

    b.scene = (scene_frozen *)freeze_take(&b, 1, sizeof(scene_frozen));
    b.radius = (real *)freeze_take(&b, n, sizeof(real));
    b.inverse_mass = (real *)freeze_take(&b, n, sizeof(real));
    b.restitution = (real *)freeze_take(&b, n, sizeof(real));
    b.keep = (real *)freeze_take(&b, n, sizeof(real));
    b.ax = (real *)freeze_take(&b, n, sizeof(real));
    b.ay = (real *)freeze_take(&b, n, sizeof(real));
    b.action_scale = (real *)freeze_take(&b, n, sizeof(real));
    b.category = (uint32_t *)freeze_take(&b, n, sizeof(uint32_t));
    b.mask = (uint32_t *)freeze_take(&b, n, sizeof(uint32_t));
    b.actors = (uint32_t *)freeze_take(&b, n, sizeof(uint32_t));

    b.rules = (scene_rule *)freeze_take(&b, desc->rule_count, sizeof(scene_rule));
    b.views = (uint32_t *)freeze_take(&b, desc->view_count, freeze_view_bodies(desc) * sizeof(uint32_t));
    b.sensor = (uint8_t *)freeze_take(&b, n, 1);
    b.slow = (uint8_t *)freeze_take(&b, n, 1);
    b.renews = (uint8_t *)freeze_take(&b, n, 1);
    b.wall = (scene_wall *)freeze_take(&b, desc->wall_count, sizeof(scene_wall));
    b.polygon = (scene_polygon *)freeze_take(&b, desc->polygon_count, sizeof(scene_polygon));
    b.arc = (scene_arc *)freeze_take(&b, desc->arc_count, sizeof(scene_arc));
    b.corner_x = (real *)freeze_take(&b, corners, sizeof(real));
    b.corner_y = (real *)freeze_take(&b, corners, sizeof(real));

    b.places = places_plan_of(desc);
    b.starts = (uint32_t *)freeze_take(&b, (size_t)b.places.columns * b.places.rows + 1, sizeof(uint32_t));
    b.items = (uint32_t *)freeze_take(&b, places_items(desc, &b.places), sizeof(uint32_t));
    b.boxes =
        (real *)freeze_take(&b, (size_t)desc->wall_count + desc->polygon_count + desc->arc_count, 4 * sizeof(real));
    return b;
}

static size_t freeze_bytes(const carom_scene_desc *desc)
{
    return freeze_lay_out(desc, NULL).used;
}

/* Offsets of fields in a tile: the same that worlds/fields.c makes of the fields declared by scenes/game.c, largest
 * type first. */
static void freeze_offsets(scene_frozen *s)
{
    const size_t n = s->bodies, reals = n * s->lanes * sizeof(real);
    const size_t ints = s->lanes * sizeof(int32_t), user = s->desc->user_words ? n : 0;
    size_t at = 4 * reals;

    s->x = 0;
    s->y = reals;
    s->vx = 2 * reals;
    s->vy = 3 * reals;
    if (s->goes_on) {
        s->record_x = at, s->record_y = at + reals, s->record_time = at + 2 * reals;
        at += 3 * reals;
        s->record_vx = at, s->record_vy = at + reals;
        at += scene_has_accelerations(s->desc) ? 2 * reals : 0;
        s->record_dt = at;
        at += s->lanes * sizeof(real);
    }

    for (unsigned k = 0; k < SCENE_OWN_REALS; k++) {
        const size_t count = scene_own_count(s->desc, s->varies, (scene_own)k);
        s->own[k] = count != 0 ? at : 0;
        at += count * s->lanes * sizeof(real);
    }

#define FREEZE_INT32(name, count, role)                                                                                \
    s->name = at;                                                                                                      \
    at += (count) * ints;
    WORLD_INT32_FIELDS(FREEZE_INT32)
#undef FREEZE_INT32
    s->record_tick = at;
    at += s->goes_on ? n * ints : 0;
    s->record_numbers = scene_watches_numbers(s->desc) ? at : 0;
    at += s->record_numbers != 0 ? ints : 0;
    s->user = at;
    at += user * ints;

#define FREEZE_INT8(name, count, role)                                                                                 \
    s->name = at;                                                                                                      \
    at += (count) * (size_t)s->lanes;
    WORLD_INT8_FIELDS(FREEZE_INT8)
#undef FREEZE_INT8
    s->active = at;
    at += n * s->lanes;
    for (unsigned k = SCENE_OWN_REALS; k < SCENE_OWNS; k++) {
        const size_t count = scene_own_count(s->desc, s->varies, (scene_own)k);
        s->own[k] = count != 0 ? at : 0;
        at += count * s->lanes;
    }
    s->tile_bytes = (at + 63) / 64 * 64;
}

static void freeze_bodies(freeze_block *b, const carom_scene_desc *desc)
{
    scene_frozen *s = b->scene;
    uint32_t seen_by_all = UINT32_MAX, slow = 0;
    bool slow_moves = false;
    s->plain = !s->choosy;

    for (uint32_t i = 0; i < desc->body_count; i++) {
        const carom_scene_body *body = &desc->bodies[i];
        b->radius[i] = (real)body->radius;
        b->inverse_mass[i] = (real)(1 / body->mass);
        b->restitution[i] = (real)body->restitution;
        b->keep[i] = (real)(1 - body->damping);
        b->ax[i] = (real)body->ax;
        b->ay[i] = (real)body->ay;
        b->action_scale[i] = (real)body->action_scale;
        b->category[i] = body->category;
        b->mask[i] = body->mask;
        b->sensor[i] = body->sensor;
        b->slow[i] = body->slow;

        seen_by_all &= body->mask;
        slow += body->slow;
        slow_moves = slow_moves || (body->slow && b->inverse_mass[i] > 0);
        s->accelerates = s->accelerates || b->ax[i] != 0 || b->ay[i] != 0;
        s->damped = s->damped || b->keep[i] != 1;
        s->plain = s->plain && !body->sensor && !body->slow && b->inverse_mass[i] > 0;
    }

    s->accelerates = s->accelerates || (s->varies & (CAROM_VARIES_AX | CAROM_VARIES_AY)) != 0;
    s->damped = s->damped || (s->varies & CAROM_VARIES_DAMPING) != 0;

    /* In a plain scene each category is in all masks, so that every pair strikes. */
    for (uint32_t i = 0; i < desc->body_count; i++) {
        s->plain = s->plain && (desc->bodies[i].category & seen_by_all) != 0;
    }
    s->slowly = slow_moves && (slow > 1 || desc->wall_count > 0 || desc->polygon_count > 0 || desc->arc_count > 0);
}

/* The bodies that begin new records every tick: sensors, and those whose category and mask let some sensor notice
 * them. */
static void freeze_renewals(freeze_block *b, const carom_scene_desc *desc)
{
    scene_frozen *s = b->scene;
    uint32_t category = 0, mask = 0; /* of all sensors among the bodies */
    for (uint32_t i = 0; i < desc->body_count; i++) {
        category |= desc->bodies[i].sensor ? desc->bodies[i].category : 0;
        mask |= desc->bodies[i].sensor ? desc->bodies[i].mask : 0;
    }

    for (uint32_t i = 0; i < desc->body_count; i++) {
        bool renews = s->sensor[i] != 0 || ((s->category[i] & mask) != 0 && (s->mask[i] & category) != 0);
        for (uint32_t which = 0; which < scene_obstacles(s) && !renews; which++) {
            renews = scene_wall_kind(s, i, which) == SCENE_SENSES;
        }
        b->renews[i] = renews;
        s->renewing = s->renewing || renews;
    }
}

static void freeze_players(freeze_block *b, const carom_scene_desc *desc)
{
    scene_frozen *s = b->scene;
    uint32_t views = 0;
    s->players = scene_players(desc);
    s->view_count = desc->view_count;
    s->view_bodies = (uint32_t)freeze_view_bodies(desc);

    /* Actors and views are sorted by player. */
    for (uint32_t player = 0; player < s->players; player++) {
        for (uint32_t i = 0; i < desc->body_count; i++) {
            if (desc->bodies[i].acts && desc->bodies[i].player == player) {
                b->actors[s->actor_count++] = i;
            }
        }

        for (uint32_t v = 0; v < desc->view_count; v++) {
            const carom_scene_view *view = &desc->views[v];
            uint32_t *to = b->views + (size_t)views * s->view_bodies;
            if (desc->bodies[view->body].player == player) {
                to[0] = view->body;
                for (uint32_t k = 0; k < view->count; k++) {
                    to[k + 1] = view->bodies[k];
                }
                views++;
            }
        }
    }
}

static void freeze_rules(freeze_block *b, const carom_scene_desc *desc)
{
    scene_frozen *s = b->scene;
    s->rule_count = desc->rule_count;

    for (uint32_t r = 0; r < desc->rule_count; r++) {
        const carom_scene_rule *from = &desc->rules[r];
        const uint32_t gets = from->to < 0 ? from->body : (uint32_t)from->to;
        scene_rule *to = &b->rules[r];

        to->kind = from->kind;
        to->body = from->body;
        to->category = from->category;
        to->x = (real)from->x;
        to->y = (real)from->y;
        to->x1 = (real)from->x1;
        to->y1 = (real)from->y1;
        to->other = from->kind == CAROM_RULE_MEETS_SIDE      ? scene_side_id(s, from->which)
                    : from->kind == CAROM_RULE_MEETS_WALL    ? scene_wall_id(s, from->which)
                    : from->kind == CAROM_RULE_MEETS_POLYGON ? scene_polygon_id(s, from->which)
                    : from->kind == CAROM_RULE_MEETS_ARC     ? scene_arc_id(s, from->which)
                                                             : from->which;

        to->player = desc->bodies[gets].player;
        to->agent = to->actor = 0;
        for (uint32_t k = 0; k < s->actor_count; k++) {
            to->agent = b->actors[k] == gets ? k : to->agent;
            to->actor = b->actors[k] == from->body ? k : to->actor;
        }
        s->counts = s->counts || scene_is_counted(from->kind);
    }
}

static void freeze_walls(freeze_block *b, const carom_scene_desc *desc)
{
    for (uint32_t w = 0; w < desc->wall_count; w++) {
        const carom_scene_wall *from = &desc->walls[w];
        scene_wall *to = &b->wall[w];
        to->ax = (real)from->ax;
        to->ay = (real)from->ay;
        to->bx = (real)from->bx;
        to->by = (real)from->by;
        to->restitution = (real)from->restitution;
        to->size = scene_greater_size(scene_greater_size(0, to->ax, to->ay), to->bx, to->by);
        to->one_sided = from->one_sided;
        to->sensor = from->sensor;
        to->category = from->category;
        to->mask = from->mask;
        b->scene->plain = b->scene->plain && !from->sensor && (from->category | from->mask) == 0;
    }
}

static void freeze_polygons(freeze_block *b, const carom_scene_desc *desc)
{
    uint32_t used = 0;
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        const carom_scene_polygon *from = &desc->polygons[p];
        scene_polygon *to = &b->polygon[p];
        to->first = used;
        to->restitution = (real)from->restitution;
        to->sensor = from->sensor;
        to->category = from->category;
        to->mask = from->mask;
        b->scene->plain = b->scene->plain && !from->sensor && (from->category | from->mask) == 0;

        to->corners = from->corners;
        to->size = 0;
        for (uint32_t c = 0; c < from->corners; c++, used++) {
            b->corner_x[used] = (real)from->x[c];
            b->corner_y[used] = (real)from->y[c];
            to->size = scene_greater_size(to->size, b->corner_x[used], b->corner_y[used]);
        }
    }
}

/* A box around an arc: its ends, and the extremes of its circle in the four directions that are on it. */
static void freeze_arc_box(scene_arc *a, const arc_shape *shape)
{
    const real r = a->radius, x[6] = {a->ax, a->bx, r, 0, -r, 0}, y[6] = {a->ay, a->by, 0, r, 0, -r};
    for (int k = a->ring ? 2 : 0; k < 6; k++) {
        const bool on = k < 2 || m_any(arc_has(shape, v_set1(x[k]), v_set1(y[k]), v_set1(r * 4 * WALLS_EPSILON)));
        const real here_x = a->x + x[k], here_y = a->y + y[k];
        const bool first = k == (a->ring ? 2 : 0);
        a->x0 = first || (on && here_x < a->x0) ? here_x : a->x0;
        a->y0 = first || (on && here_y < a->y0) ? here_y : a->y0;
        a->x1 = first || (on && here_x > a->x1) ? here_x : a->x1;
        a->y1 = first || (on && here_y > a->y1) ? here_y : a->y1;
    }
}

static void freeze_arcs(freeze_block *b, const carom_scene_desc *desc)
{
    for (uint32_t k = 0; k < desc->arc_count; k++) {
        const carom_scene_arc *from = &desc->arcs[k];
        scene_arc *to = &b->arc[k];
        const arc_shape shape = arc_shape_of(v_set1((real)from->x), v_set1((real)from->y), v_set1((real)from->radius),
                                             v_set1((real)from->ax), v_set1((real)from->ay), v_set1((real)from->bx),
                                             v_set1((real)from->by));
        real ends[4][LANES];
        v_storeu(ends[0], shape.ax), v_storeu(ends[1], shape.ay), v_storeu(ends[2], shape.bx),
            v_storeu(ends[3], shape.by);

        to->x = (real)from->x;
        to->y = (real)from->y;
        to->radius = (real)from->radius;
        to->ring = m_any(shape.ring);
        to->ax = to->ring ? 0 : ends[0][0];
        to->ay = to->ring ? 0 : ends[1][0];
        to->bx = to->ring ? 0 : ends[2][0];
        to->by = to->ring ? 0 : ends[3][0];
        to->major = !to->ring && m_any(shape.major);
        to->within = from->sides != CAROM_ARC_WITHOUT;
        to->without = from->sides != CAROM_ARC_WITHIN;

        to->restitution = (real)from->restitution;
        to->size = scene_greater_size(0, to->x, to->y) + to->radius * REAL(1.5);
        to->sensor = from->sensor;
        to->category = from->category;
        to->mask = from->mask;
        freeze_arc_box(to, &shape);
        b->scene->plain = b->scene->plain && !from->sensor && (from->category | from->mask) == 0;
    }
}

static void freeze_places(freeze_block *b, const carom_scene_desc *desc)
{
    scene_places *places = &b->scene->places;
    places->columns = b->places.columns;
    places->rows = b->places.rows;
    places->x0 = (real)b->places.x0;
    places->y0 = (real)b->places.y0;
    places->inverse_width = (real)(1 / b->places.width);
    places->inverse_height = (real)(1 / b->places.height);
    places->starts = b->starts;
    places->items = b->items;
    places->boxes = b->boxes;
    places_fill(desc, &b->places, b->starts, b->items, b->boxes);
}

/* See scene_kernel.freeze. */
static void freeze(const carom_scene_desc *desc, carom_engine engine, void *memory)
{
    freeze_block b = freeze_lay_out(desc, memory);
    scene_frozen *s = b.scene;
    __builtin_memset(s, 0, sizeof *s);

    s->desc = desc;
    s->bodies = desc->body_count;
    s->walls = desc->wall_count;
    s->polygons = desc->polygon_count;
    s->arcs = desc->arc_count;
    s->max_events = scene_max_events(desc);
    s->max_crossings = scene_max_crossings(desc);
    s->settles_after = scene_settles_after(desc);

    s->radius = b.radius;
    s->inverse_mass = b.inverse_mass;
    s->restitution = b.restitution;
    s->keep = b.keep;
    s->ax = b.ax;
    s->ay = b.ay;
    s->action_scale = b.action_scale;
    s->category = b.category;
    s->mask = b.mask;
    s->sensor = b.sensor;
    s->slow = b.slow;
    s->renews = b.renews;
    s->wall = b.wall;
    s->polygon = b.polygon;
    s->arc = b.arc;
    s->corner_x = b.corner_x;
    s->corner_y = b.corner_y;
    s->actors = b.actors;
    s->rules = b.rules;
    s->views = b.views;

    s->x0 = (real)desc->box.x0;
    s->y0 = (real)desc->box.y0;
    s->x1 = (real)desc->box.x1;
    s->y1 = (real)desc->box.y1;
    s->side_restitution = (real)desc->box.restitution;
    s->side_category = desc->box.category;
    s->side_mask = desc->box.mask;
    s->choosy = (s->side_category | s->side_mask) != 0;
    s->horizontal = desc->box.horizontal;
    s->vertical = desc->box.vertical;

    s->speed_limit = (real)desc->speed_limit;
    s->least_impulse = (real)desc->least_impulse;
    s->contact_time = (real)desc->contact_time;
    s->solver = (int)desc->solver;
    s->advance = desc->advance;
    s->deep = engine == CAROM_ENGINE_DEEP;
    s->lanes = s->deep ? 1 : CAROM_TILE;
    s->varies = scene_varies(desc);
    s->goes_on = scene_goes_on(desc);

    freeze_bodies(&b, desc);
    freeze_players(&b, desc);
    freeze_rules(&b, desc);
    freeze_walls(&b, desc);
    freeze_polygons(&b, desc);
    freeze_arcs(&b, desc);
    if (s->goes_on) {
        freeze_renewals(&b, desc);
    }
    freeze_places(&b, desc);
    freeze_offsets(s);
}

#endif
