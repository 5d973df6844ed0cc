/* SPDX-License-Identifier: MIT
 * A grid over the walls and polygons of a scene, made when the scene is frozen. It lists the ones near a place, so that
 * all others cost nothing.
 *
 * A cell is about as wide as a piece (a wall, or an edge of a polygon) is long, and there are not many more cells than
 * pieces; so a piece is in a few cells, those that it touches or nearly touches.
 */
#ifndef CAROM_SCENES_FREEZE_PLACES_H
#define CAROM_SCENES_FREEZE_PLACES_H

#include <float.h>

#include "scenes/frozen.h"

#define PLACES_MOST 4096.0   /* columns, or rows */
#define PLACES_MARGIN 1e-3   /* of a cell's width: a piece closer than this is in the cell; rounding is far less */
#define PLACES_ROUNDING 64.0 /* places_piece.more, in roundings of the wall's or polygon's size */

/* A wall, or an edge of a polygon, with coordinates as the kernel has them. */
typedef struct places_piece {
    double ax, ay, bx, by;
    double more; /* a margin around it: half for scene_fuzz(), half for rounding */
    uint32_t of; /* which wall or polygon: walls are counted first, then polygons */
} places_piece;

/* Goes through all pieces, polygon by polygon. */
typedef struct places_walk {
    const carom_scene_desc *desc;
    uint32_t wall, polygon, edge; /* of the next piece */
    double more;                  /* of the polygon */
} places_walk;

static places_walk places_begin(const carom_scene_desc *desc)
{
    const places_walk walk = {desc, 0, 0, 0, 0};
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

/* The margin of a wall or polygon with a corner at (x, y): the greatest one of its corners counts. */
static double places_more(double x, double y)
{
    const double epsilon = CAROM_REAL_BITS == 64 ? DBL_EPSILON : (double)FLT_EPSILON;
    return (places_most(x, -x) + places_most(y, -y)) * (PLACES_ROUNDING * epsilon);
}

/* Sets *piece to the next piece; false after the last one. */
static bool places_next(places_walk *walk, places_piece *piece)
{
    const carom_scene_desc *desc = walk->desc;

    if (walk->wall < desc->wall_count) {
        const carom_scene_wall *w = &desc->walls[walk->wall];
        piece->ax = (double)(real)w->ax, piece->ay = (double)(real)w->ay;
        piece->bx = (double)(real)w->bx, piece->by = (double)(real)w->by;
        piece->more = places_most(places_more(piece->ax, piece->ay), places_more(piece->bx, piece->by));
        piece->of = walk->wall++;
        return true;
    }

    if (walk->polygon < desc->polygon_count) {
        const carom_scene_polygon *p = &desc->polygons[walk->polygon];
        const uint32_t next = walk->edge + 1 < p->corners ? walk->edge + 1 : 0;
        piece->ax = (double)(real)p->x[walk->edge], piece->ay = (double)(real)p->y[walk->edge];
        piece->bx = (double)(real)p->x[next], piece->by = (double)(real)p->y[next];

        /* Its corners' greatest margin holds for all of its edges. */
        for (uint32_t c = 0; c < p->corners && walk->edge == 0; c++) {
            walk->more =
                places_most(c == 0 ? 0 : walk->more, places_more((double)(real)p->x[c], (double)(real)p->y[c]));
        }
        piece->more = walk->more;

        piece->of = desc->wall_count + walk->polygon;
        walk->edge = next;
        walk->polygon += next == 0;
        return true;
    }
    return false;
}

/* The shape of the grid. */
typedef struct places_plan {
    double x0, y0, width, height; /* where cells begin, and the size of one */
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

        /* No more cells than pieces, none narrower than the mean piece is long. Far from the origin, where margins are
         * wide, cells are wider: else a piece might be in very many. */
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

/* Goes through the cells that a piece touches or nearly touches, and returns how many they are. Without items adds 1 to
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
        /* Which part of the piece is in this row: 0 is its end a, 1 its end b. */
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

/* How many items all cells have. */
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

    /* Count the items of each cell; then starts[] is where a cell's items begin, and, once they are written, where they
     * end, which is where those of the next cell begin. */
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

    /* Boxes. The pieces of a polygon follow each other. */
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

#endif
