/* SPDX-License-Identifier: MIT
 * Reads a world into sets of circles and edges, and builds grids over them. See query/space.h.
 */
#include "query/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/narrow.h"
#include "games/game.h"
#include "games/look.h"
#include "scenes/scenes.h"
#include "worlds/layout.h"

#define CELLS_MOST 4096  /* columns, or rows */
#define GRID_LEAST 64    /* fewer things have no grid */
#define LARGE_CELLS 2    /* a circle with a radius of more than this many cells goes into a separate set */
#define CELL_MARGIN 1e-3 /* of a cell: an edge that is closer than this is in the cell */

/* ---- lists ---- */

/* Makes room for one more element of `bytes`; NULL if out of memory. */
static void *grown(void *list, size_t count, size_t *room, size_t bytes)
{
    if (count < *room) {
        return list;
    }
    const size_t more = 2 * *room + 64;
    void *larger = realloc(list, more * bytes);
    *room = larger != NULL ? more : *room;
    return larger;
}

static bool add(space_things *things, space_thing thing)
{
    space_thing *list = grown(things->list, things->count, &things->room, sizeof *list);
    if (list == NULL) {
        return false;
    }
    things->list = list;
    list[things->count++] = thing;
    return true;
}

/* The next id of something that does not move, which stands for `name`; -1 if out of memory. */
static int32_t named(space_reader *r, carom_found_kind kind, uint32_t index, uint32_t part)
{
    space_name *names = grown(r->names, r->names_count, &r->names_room, sizeof *names);
    if (names == NULL) {
        return -1;
    }
    r->names = names;
    names[r->names_count] = (space_name){kind, index, part};
    return r->held.first_side + 4 + (int32_t)r->names_count++;
}

static bool add_edge(space_reader *r, space_name name, const double ends[4], space_thing like)
{
    like.id = named(r, name.kind, name.index, name.part);
    memcpy(like.v, ends, 4 * sizeof *ends);
    return like.id >= 0 && add(&r->edges, like);
}

static bool add_arc(space_reader *r, space_name name, const double numbers[SPACE_NUMBERS], space_thing like)
{
    like.id = named(r, name.kind, name.index, name.part);
    memcpy(like.v, numbers, SPACE_NUMBERS * sizeof *numbers);
    return like.id >= 0 && add(&r->arcs, like);
}

/* ---- the contents of a scene's world ---- */

/* The world being read. */
typedef struct spot {
    const void *tile;
    unsigned lane;
} spot;

static spot spot_of(const space_reader *r, size_t world)
{
    return (spot){carom_worlds_tile_of(r->worlds, world), carom_worlds_lane_of(r->worlds, world)};
}

/* Element e of a field of numbers. */
static double number(const space_reader *r, spot at, const carom_field *field, size_t e)
{
    const unsigned char *first = field_in(field, at.tile, at.lane);
    return field_number(field, first + e * field_stride(&r->worlds->layout, field));
}

/* A number of the description, rounded as in the worlds. */
static double rounded(const space_reader *r, double a)
{
    return r->worlds->desc.precision == CAROM_F32 ? narrowed(a) : a;
}

/* A number of the description, or the world's own where it may differ. */
static double own(const space_reader *r, spot at, const carom_field *field, size_t e, double described)
{
    return field != NULL ? number(r, at, field, e) : rounded(r, described);
}

static bool read_bodies(space_reader *r, spot at)
{
    bool good = true;
    for (uint32_t i = 0; good && i < r->bodies; i++) {
        const carom_scene_body *body = &r->scene->desc.bodies[i];
        if (number(r, at, r->active, i) != 0) {
            const space_thing thing = {
                .v = {number(r, at, r->x, i), number(r, at, r->y, i), own(r, at, r->radius, i, body->radius)},
                .id = (int32_t)i,
                .category = (int32_t)body->category,
                .mask = (int32_t)body->mask,
                .flags = body->sensor ? SPACE_SENSOR : 0};
            good = add(&r->circles, thing);
        }
    }
    return good;
}

/* A category or a mask of something that does not move: 0 lets everything through. */
static int32_t filter_of(uint32_t bits)
{
    return bits != 0 ? (int32_t)bits : -1;
}

static bool read_walls(space_reader *r, spot at)
{
    const carom_scene_desc *d = &r->scene->desc;
    bool good = true;
    for (uint32_t k = 0; good && k < d->wall_count; k++) {
        const carom_scene_wall *w = &d->walls[k];
        const double ends[4] = {own(r, at, r->ends[0], k, w->ax), own(r, at, r->ends[1], k, w->ay),
                                own(r, at, r->ends[2], k, w->bx), own(r, at, r->ends[3], k, w->by)};
        const space_thing like = {.category = filter_of(w->category),
                                  .mask = filter_of(w->mask),
                                  .flags = (w->sensor ? SPACE_SENSOR : 0) | (w->one_sided ? SPACE_ONE_SIDED : 0)};
        const bool there = r->wall_there == NULL || number(r, at, r->wall_there, k) != 0;
        good = !there || add_edge(r, (space_name){CAROM_FOUND_WALL, k, 0}, ends, like);
    }
    return good;
}

static bool read_polygons(space_reader *r, spot at)
{
    const carom_scene_desc *d = &r->scene->desc;
    bool good = true;
    size_t first = 0; /* corner of the polygon */
    for (uint32_t k = 0; good && k < d->polygon_count; first += d->polygons[k++].corners) {
        const carom_scene_polygon *p = &d->polygons[k];
        const space_thing like = {
            .category = filter_of(p->category), .mask = filter_of(p->mask), .flags = p->sensor ? SPACE_SENSOR : 0};
        const bool there = r->polygon_there == NULL || number(r, at, r->polygon_there, k) != 0;
        for (uint32_t c = 0; good && there && c < p->corners; c++) {
            const uint32_t next = c + 1 < p->corners ? c + 1 : 0;
            const carom_field *x = r->corners[0], *y = r->corners[1];
            const double ends[4] = {own(r, at, x, first + c, p->x[c]), own(r, at, y, first + c, p->y[c]),
                                    own(r, at, x, first + next, p->x[next]), own(r, at, y, first + next, p->y[next])};
            good = add_edge(r, (space_name){CAROM_FOUND_POLYGON, k, c}, ends, like);
        }
    }
    return good;
}

static bool read_arcs(space_reader *r)
{
    const carom_scene_desc *d = &r->scene->desc;
    bool good = true;
    for (uint32_t k = 0; good && k < d->arc_count; k++) {
        const carom_scene_arc *a = &d->arcs[k];
        const double numbers[SPACE_NUMBERS] = {rounded(r, a->x),  rounded(r, a->y),  rounded(r, a->radius),
                                               rounded(r, a->ax), rounded(r, a->ay), rounded(r, a->bx),
                                               rounded(r, a->by)};
        const int32_t side = a->sides == CAROM_ARC_WITHIN    ? SPACE_WITHIN
                             : a->sides == CAROM_ARC_WITHOUT ? SPACE_WITHOUT
                                                             : 0;
        const space_thing like = {.category = filter_of(a->category),
                                  .mask = filter_of(a->mask),
                                  .flags = (a->sensor ? SPACE_SENSOR : 0) | side};
        good = add_arc(r, (space_name){CAROM_FOUND_ARC, k, 0}, numbers, like);
    }
    return good;
}

/* ---- the contents of a game's world: whatever is drawn ---- */

static int32_t flags_of(carom_look_style style)
{
    return style == CAROM_LOOK_SENSOR || style == CAROM_LOOK_TARGET ? SPACE_SENSOR : 0;
}

static bool read_look(space_reader *r, size_t world)
{
    size_t count;
    bool good = carom_look_bodies(r->worlds, world, r->look_bodies, r->bodies, &count) == CAROM_OK;
    for (uint32_t i = 0; good && i < r->bodies; i++) {
        const carom_look_body *body = &r->look_bodies[i];
        const space_thing thing = {.v = {body->x, body->y, body->radius},
                                   .id = (int32_t)i,
                                   .category = (int32_t)(1u << body->style),
                                   .mask = -1,
                                   .flags = flags_of(body->style)};
        good = !body->there || add(&r->circles, thing);
    }

    good = good && carom_look_shapes(r->worlds, world, NULL, 0, &count) == CAROM_OK;
    if (good && count > r->shapes) {
        carom_look_shape *shapes = realloc(r->look_shapes, count * sizeof *shapes);
        good = shapes != NULL;
        r->look_shapes = good ? shapes : r->look_shapes;
        r->shapes = good ? count : r->shapes;
    }
    good = good && carom_look_shapes(r->worlds, world, r->look_shapes, count, &count) == CAROM_OK;

    for (uint32_t k = 0; good && k < count; k++) {
        const carom_look_shape *shape = &r->look_shapes[k];
        const space_name name = {CAROM_FOUND_WALL, k, 0};
        space_thing like = {.category = (int32_t)(1u << shape->style), .mask = -1, .flags = flags_of(shape->style)};
        const bool stands = shape->style == CAROM_LOOK_WALL || shape->style == CAROM_LOOK_FIXED || like.flags != 0;
        if (stands && shape->kind == CAROM_LOOK_LINE) {
            const double ends[4] = {shape->x, shape->y, shape->x2, shape->y2};
            good = add_edge(r, name, ends, like);
        } else if (stands && shape->kind == CAROM_LOOK_CIRCLE && shape->style == CAROM_LOOK_WALL) {
            good = add_arc(r, name, (double[SPACE_NUMBERS]){shape->x, shape->y, shape->radius}, like); /* a ring */
        } else if (stands && shape->kind == CAROM_LOOK_CIRCLE) {
            like.id = named(r, name.kind, name.index, name.part);
            memcpy(like.v, (double[3]){shape->x, shape->y, shape->radius}, 3 * sizeof *like.v);
            good = like.id >= 0 && add(&r->circles, like);
        }
    }
    return good;
}

/* ---- sets and their grids ---- */

/* Allocates a set of `count` elements and `cells` cells; false if out of memory. */
static bool take_set(space_reader *r, int which, size_t count, size_t cells)
{
    space_set *set = &r->held.sets[which];
    const size_t room = count + SPACE_PAD;
    const size_t numbers = (size_t)space_numbers(set->kind);
    const size_t bytes = room * (numbers * sizeof(double) + 4 * sizeof(int32_t)) + (cells + 1) * sizeof(uint32_t);
    if (bytes > r->block_bytes[which]) {
        free(r->blocks[which]);
        r->blocks[which] = calloc(1, bytes + bytes / 2);
        r->block_bytes[which] = r->blocks[which] != NULL ? bytes + bytes / 2 : 0;
    }
    if (r->blocks[which] == NULL) {
        return false;
    }

    double *reals = r->blocks[which];
    for (size_t n = 0; n < SPACE_NUMBERS; n++) {
        set->v[n] = n < numbers ? reals + n * room : NULL;
    }
    int32_t *ints = (int32_t *)(void *)(reals + numbers * room);
    set->id = ints, set->category = ints + room, set->mask = ints + 2 * room, set->flags = ints + 3 * room;
    set->starts = (uint32_t *)(void *)(ints + 4 * room);
    set->count = (uint32_t)count;
    return true;
}

static void put(space_set *set, size_t k, const space_thing *thing)
{
    for (int n = 0; n < space_numbers(set->kind); n++) {
        set->v[n][k] = thing->v[n];
    }
    set->id[k] = thing->id;
    set->category[k] = thing->category;
    set->mask[k] = thing->mask;
    set->flags[k] = thing->flags;
}

/* The extent that determines a thing's cells: the line from a to b, or the rectangle between the two. */
typedef struct extent {
    double ax, ay, bx, by;
} extent;

static extent extent_of(space_kind kind, const space_thing *t)
{
    const double x = t->v[0], y = t->v[1], r = t->v[2];
    if (kind == SPACE_EDGES) {
        return (extent){x, y, t->v[2], t->v[3]};
    }
    return kind == SPACE_ARCS ? (extent){x - r, y - r, x + r, y + r} : (extent){x, y, x, y};
}

/* The borders of the grid: around all centres, or edges, or the box where it is periodic. */
static void set_extent(const space *s, space_set *set, const space_things *things)
{
    set->x0 = set->y0 = INFINITY;
    set->x1 = set->y1 = -INFINITY;
    for (size_t k = 0; k < things->count; k++) {
        const extent e = extent_of(set->kind, &things->list[k]);
        set->x0 = fmin(set->x0, fmin(e.ax, e.bx));
        set->x1 = fmax(set->x1, fmax(e.ax, e.bx));
        set->y0 = fmin(set->y0, fmin(e.ay, e.by));
        set->y1 = fmax(set->y1, fmax(e.ay, e.by));
    }
    if (things->count == 0) {
        set->x0 = set->x1 = set->y0 = set->y1 = 0;
    }

    set->wraps_x = set->kind == SPACE_DISCS && s->horizontal == CAROM_SIDES_PERIODIC;
    set->wraps_y = set->kind == SPACE_DISCS && s->vertical == CAROM_SIDES_PERIODIC;
    if (set->wraps_x) {
        set->x0 = s->x0, set->x1 = s->x1;
    }
    if (set->wraps_y) {
        set->y0 = s->y0, set->y1 = s->y1;
    }
}

static uint32_t cells_along(double size, double width)
{
    return size > width ? (uint32_t)fmin(size / width, CELLS_MOST) : 1;
}

/* Two things per cell, if they are spread evenly. */
static void set_cells(space_set *set, size_t count, bool grid)
{
    const double x = set->x1 - set->x0, y = set->y1 - set->y0;
    double width = sqrt(x * y * 2 / (double)count);
    width = fmax(width, fmax(x, y) / fmin((double)count, CELLS_MOST));
    const bool several = grid && count >= GRID_LEAST && width > 0;
    set->columns = several ? cells_along(x, width) : 1;
    set->rows = several ? cells_along(y, width) : 1;
    set->width = x > 0 ? x / set->columns : 1;
    set->height = y > 0 ? y / set->rows : 1;
}

static uint32_t cell_at(double place, uint32_t count)
{
    return place > 0 ? place < count ? (uint32_t)place : count - 1 : 0;
}

/* The cells that a thing is in: first and last column, first and last row. */
typedef struct cell_span {
    uint32_t c0, c1, r0, r1;
} cell_span;

static cell_span span_of(const space_set *set, const space_thing *t)
{
    const extent e = extent_of(set->kind, t);
    const double x = (e.ax - set->x0) / set->width, y = (e.ay - set->y0) / set->height;
    if (set->kind == SPACE_DISCS) {
        const uint32_t column = cell_at(x, set->columns), row = cell_at(y, set->rows);
        return (cell_span){column, column, row, row};
    }
    const double x2 = (e.bx - set->x0) / set->width, y2 = (e.by - set->y0) / set->height;
    return (cell_span){cell_at(fmin(x, x2) - CELL_MARGIN, set->columns),
                       cell_at(fmax(x, x2) + CELL_MARGIN, set->columns), cell_at(fmin(y, y2) - CELL_MARGIN, set->rows),
                       cell_at(fmax(y, y2) + CELL_MARGIN, set->rows)};
}

/* The rows of a column that the thing touches: those of cell_span or, for a slanted edge, fewer. */
static cell_span span_in(const space_set *set, const space_thing *t, cell_span all, uint32_t column)
{
    if (set->kind != SPACE_EDGES || all.c0 == all.c1) {
        return all;
    }
    const extent line = extent_of(set->kind, t);
    const double x = (line.ax - set->x0) / set->width, y = (line.ay - set->y0) / set->height;
    const double dx = (line.bx - set->x0) / set->width - x, dy = (line.by - set->y0) / set->height - y;
    if (dx == 0) {
        return all;
    }
    const double enters = (column - CELL_MARGIN - x) / dx, leaves = (column + 1 + CELL_MARGIN - x) / dx;
    const double from = fmin(fmax(0, fmin(enters, leaves)), 1), to = fmax(fmin(1, fmax(enters, leaves)), 0);
    const double y1 = y + dy * from, y2 = y + dy * to;
    all.r0 = cell_at(fmin(y1, y2) - CELL_MARGIN, set->rows);
    all.r1 = cell_at(fmax(y1, y2) + CELL_MARGIN, set->rows);
    return all;
}

/* The circles of a set: those with a radius above `above`, up to `most`. */
typedef struct sizes {
    double above, most;
} sizes;

static bool is_chosen(sizes chosen, const space_thing *circle)
{
    return circle->v[2] > chosen.above && circle->v[2] <= chosen.most;
}

/* Visits the elements that things have in cells. With `starts` as counters: counts them; otherwise stores them at
 * starts[], which then advances to the cell's next element. */
static size_t spread(space_set *set, const space_things *things, uint32_t *counts, bool place, sizes chosen)
{
    size_t elements = 0;
    for (size_t k = 0; k < things->count; k++) {
        const space_thing *t = &things->list[k];
        if (set->kind == SPACE_DISCS && !is_chosen(chosen, t)) {
            continue;
        }
        const cell_span span = span_of(set, t);
        for (uint32_t column = span.c0; column <= span.c1; column++) {
            const cell_span rows = span_in(set, t, span, column);
            for (uint32_t row = rows.r0; row <= rows.r1; row++) {
                const size_t cell = (size_t)column * set->rows + row;
                if (place) {
                    put(set, counts[cell], t);
                }
                if (counts != NULL) {
                    counts[cell]++;
                }
                elements++;
            }
        }
    }
    return elements;
}

/* A set of one cell. */
static bool fill_cell(space_reader *r, int which, const space_things *things, sizes chosen)
{
    space_set *set = &r->held.sets[which];
    const size_t most = chosen.above < INFINITY ? things->count : 0;
    if (!take_set(r, which, most, 1)) {
        return false;
    }
    set->count = 0;
    for (size_t k = 0; k < most; k++) {
        if (set->kind != SPACE_DISCS || is_chosen(chosen, &things->list[k])) {
            put(set, set->count++, &things->list[k]);
        }
    }
    set->starts[0] = 0;
    set->starts[1] = set->count;
    return true;
}

/* A set with a grid: a counting sort. */
static bool fill_grid(space_reader *r, int which, const space_things *things, sizes chosen)
{
    space_set *set = &r->held.sets[which];
    const size_t cells = (size_t)set->columns * set->rows;
    const size_t elements = set->kind == SPACE_DISCS ? things->count : spread(set, things, NULL, false, chosen);
    if (elements > INT32_MAX || !take_set(r, which, elements, cells)) {
        return false;
    }

    /* starts[] counts; then it holds the position of a cell's next element, which in the end is where the next cell
     * begins. */
    memset(set->starts, 0, (cells + 1) * sizeof *set->starts);
    spread(set, things, set->starts, false, chosen);
    uint32_t sum = 0;
    for (size_t c = 0; c <= cells; c++) {
        const uint32_t here = c < cells ? set->starts[c] : 0;
        set->starts[c] = sum;
        sum += here;
    }
    set->count = sum;
    spread(set, things, set->starts, true, chosen);
    memmove(set->starts + 1, set->starts, cells * sizeof *set->starts);
    set->starts[0] = 0;
    return true;
}

/* Fills a set whose kind and cells are known. */
static bool fill_set(space_reader *r, int which, const space_things *things, sizes chosen)
{
    space_set *set = &r->held.sets[which];
    const bool one = set->columns == 1 && set->rows == 1;
    const bool good = one ? fill_cell(r, which, things, chosen) : fill_grid(r, which, things, chosen);
    set->reach = 0;
    for (uint32_t k = 0; good && set->kind == SPACE_DISCS && k < set->count; k++) {
        set->reach = fmax(set->reach, set->v[2][k]);
    }
    return good;
}

static bool arrange_circles(space_reader *r, bool grid)
{
    space_set *near = &r->held.sets[SPACE_NEAR], *large = &r->held.sets[SPACE_LARGE];
    near->kind = SPACE_DISCS;
    set_extent(&r->held, near, &r->circles);
    set_cells(near, r->circles.count, grid);
    *large = *near;
    set_cells(large, r->circles.count, false);

    const bool several = near->columns > 1 || near->rows > 1;
    const double limit = several ? LARGE_CELLS * fmax(near->width, near->height) : INFINITY;
    return fill_set(r, SPACE_NEAR, &r->circles, (sizes){-1, limit}) &&
           fill_set(r, SPACE_LARGE, &r->circles, (sizes){limit, INFINITY});
}

/* Walls of one kind. */
static bool arrange(space_reader *r, int which, space_kind kind, const space_things *things)
{
    space_set *set = &r->held.sets[which];
    set->kind = kind;
    set_extent(&r->held, set, things);
    set_cells(set, things->count, true);
    return fill_set(r, which, things, (sizes){-1, INFINITY});
}

static bool arrange_walls(space_reader *r)
{
    return arrange(r, SPACE_WALLS, SPACE_EDGES, &r->edges) && arrange(r, SPACE_ROUND, SPACE_ARCS, &r->arcs);
}

/* ---- the reader ---- */

static const carom_field *field_named(const carom_worlds *worlds, const char *name)
{
    size_t index;
    return carom_worlds_find_field(worlds, name, &index) == CAROM_OK ? &worlds->layout.fields[index] : NULL;
}

/* Finds which numbers of the walls may differ from world to world. */
static void find_own(space_reader *r)
{
    static const char *const ends[4] = {"wall_ax", "wall_ay", "wall_bx", "wall_by"};
    r->radius = field_named(r->worlds, "radius");
    r->corners[0] = field_named(r->worlds, "corner_x");
    r->corners[1] = field_named(r->worlds, "corner_y");
    r->wall_there = field_named(r->worlds, "wall_there");
    r->polygon_there = field_named(r->worlds, "polygon_there");
    r->fixed = r->corners[0] == NULL && r->corners[1] == NULL && r->wall_there == NULL && r->polygon_there == NULL;
    for (int k = 0; k < 4; k++) {
        r->ends[k] = field_named(r->worlds, ends[k]);
        r->fixed = r->fixed && r->ends[k] == NULL;
    }
}

/* Walls of a scene's world, or of all of its worlds. */
static bool read_still(space_reader *r, size_t world)
{
    const spot at = spot_of(r, world);
    r->edges.count = r->arcs.count = r->names_count = 0;
    return read_walls(r, at) && read_polygons(r, at) && read_arcs(r) && arrange_walls(r);
}

static carom_status open_scene(space_reader *r)
{
    const carom_scene_desc *d = &r->scene->desc;
    space *s = &r->held;
    r->x = field_named(r->worlds, "x");
    r->y = field_named(r->worlds, "y");
    r->active = field_named(r->worlds, "active");
    find_own(r);
    r->bodies = d->body_count;

    s->first_side = (int32_t)d->body_count;
    s->x0 = rounded(r, d->box.x0), s->y0 = rounded(r, d->box.y0);
    s->x1 = rounded(r, d->box.x1), s->y1 = rounded(r, d->box.y1);
    s->horizontal = d->box.horizontal;
    s->vertical = d->box.vertical;
    s->side_category = filter_of(d->box.category);
    s->side_mask = filter_of(d->box.mask);
    r->circles.list = malloc(d->body_count * sizeof *r->circles.list);
    r->circles.room = r->circles.list != NULL ? d->body_count : 0;
    return read_still(r, 0) ? CAROM_OK : CAROM_ERROR_MEMORY;
}

carom_status carom_space_open(space_reader *r, const carom_worlds *worlds)
{
    size_t count;
    memset(r, 0, sizeof *r);
    r->worlds = worlds;
    r->world = SIZE_MAX;
    r->scene = worlds->desc.game->any_dt ? (const carom_scene *)(const void *)worlds->desc.game : NULL;

    if (r->scene != NULL) {
        return open_scene(r);
    }
    if (carom_look_bodies(worlds, 0, NULL, 0, &count) != CAROM_OK || count == 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    r->bodies = (uint32_t)count;
    r->held.first_side = (int32_t)count;
    r->look_bodies = malloc(count * sizeof *r->look_bodies);
    return r->look_bodies != NULL ? CAROM_OK : CAROM_ERROR_MEMORY;
}

void carom_space_close(space_reader *r)
{
    free(r->look_bodies);
    free(r->look_shapes);
    free(r->circles.list);
    free(r->edges.list);
    free(r->arcs.list);
    free(r->names);
    for (int k = 0; k < SPACE_SETS; k++) {
        free(r->blocks[k]);
    }
}

carom_status carom_space_read(space_reader *r, size_t world, bool grid)
{
    r->circles.count = 0;
    bool good;
    if (r->scene != NULL) {
        good = read_bodies(r, spot_of(r, world)) && (r->fixed || read_still(r, world));
    } else {
        r->edges.count = r->arcs.count = r->names_count = 0;
        good = read_look(r, world) && arrange_walls(r);
    }
    good = good && arrange_circles(r, grid);
    r->world = good ? world : SIZE_MAX;
    return good ? CAROM_OK : CAROM_ERROR_MEMORY;
}
