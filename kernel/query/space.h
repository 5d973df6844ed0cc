/* SPDX-License-Identifier: MIT
 * The contents of a world, for questions: sets of circles, of edges and of arcs, structures of arrays in f64, each with
 * a grid.
 *
 * A cell of a grid lists its elements: a circle is in the cell of its centre, an edge in every cell that it touches, an
 * arc in every cell that the square around its circle touches. Cells of a column are consecutive, so several cells of a
 * column are one run of the arrays. A set of few things has one cell.
 */
#ifndef CAROM_QUERY_SPACE_H
#define CAROM_QUERY_SPACE_H

#include <carom/query.h>
#include <carom/scene.h>

#include "worlds/worlds.h"

#define SPACE_PAD 16 /* readable elements beyond the last */

typedef enum space_kind { SPACE_DISCS, SPACE_EDGES, SPACE_ARCS } space_kind;

#define SPACE_NUMBERS 7 /* of a thing, at most */

/* The numbers of a thing: x, y, radius; ax, ay, bx, by; x, y, radius, ax, ay, bx, by. */
static inline int space_numbers(space_kind kind)
{
    return kind == SPACE_DISCS ? 3 : kind == SPACE_EDGES ? 4 : SPACE_NUMBERS;
}

/* Flags of things. */
enum {
    SPACE_SENSOR = 1,
    SPACE_ONE_SIDED = 2, /* an edge */
    SPACE_WITHIN = 4,    /* an arc that exists only inside its circle, */
    SPACE_WITHOUT = 8    /* or only outside */
};

typedef struct space_set {
    space_kind kind;
    uint32_t count;           /* elements; an edge has one in each of its cells */
    double *v[SPACE_NUMBERS]; /* arrays of the numbers */
    int32_t *id;              /* equal for all elements of a thing; on ties the lower one is found */
    int32_t *category, *mask; /* of things that do not move: all ones where carom_scene_wall has 0 */
    int32_t *flags;
    uint32_t columns, rows; /* of cells; 1, 1: no grid */
    uint32_t *starts;       /* [columns * rows + 1]: where a cell's elements begin, column by column */
    double x0, y0;          /* the grid's corner */
    double width, height;   /* of a cell */
    double x1, y1;          /* the opposite corner: all centres, edges, or arcs are between the two */
    double reach;           /* the greatest radius; 0 if elements stay within their cells */
    bool wraps_x, wraps_y;  /* the grid is the box, which is periodic in this direction */
} space_set;

/* Circles of the grid; large ones, without one; edges; arcs. */
enum { SPACE_NEAR, SPACE_LARGE, SPACE_WALLS, SPACE_ROUND, SPACE_SETS };

/* Ids number bodies, then sides, walls, polygons' edges, arcs, each in their order. */
typedef struct space {
    space_set sets[SPACE_SETS];
    double x0, y0, x1, y1; /* the box */
    carom_scene_sides horizontal, vertical;
    int32_t side_category, side_mask;
    int32_t first_side; /* the id of the left side: the number of bodies */
} space;

/* A question as the kernel reads it. */
typedef struct space_question {
    double x, y, dx, dy, radius, range;
    int32_t category, mask, ignore; /* ignore: an id; -1: none */
    bool sensors;
} space_question;

typedef struct space_hit {
    double distance; /* if nothing is found: the range */
    int32_t id;      /* SPACE_NOTHING */
    int32_t set, at; /* where its numbers are; set -1: a side */
} space_hit;

#define SPACE_NOTHING INT32_MAX

typedef struct query_kernel {
    space_hit (*cast)(const space *s, const space_question *q);
    space_hit (*nearest)(const space *s, const space_question *q);
    /* Writes all to list, which has room for every element and the sides; an edge may come several times. */
    size_t (*within)(const space *s, const space_question *q, space_hit *list);
} query_kernel;

/* ---- reading worlds: space.c ---- */

/* The thing that an id from first_side + 4 on stands for. */
typedef struct space_name {
    carom_found_kind kind;
    uint32_t index, part;
} space_name;

/* A thing before it is put into a set. */
typedef struct space_thing {
    double v[SPACE_NUMBERS];
    int32_t id, category, mask, flags;
} space_thing;

typedef struct space_things {
    space_thing *list;
    size_t count, room;
} space_things;

/* Reads worlds of a batch, one after the other. Each thread has its own. */
typedef struct space_reader {
    const carom_worlds *worlds;
    const carom_scene *scene;          /* NULL: these are worlds of a game */
    const carom_field *x, *y, *active; /* of a scene */
    const carom_field *radius, *ends[4], *corners[2], *wall_there, *polygon_there; /* NULL: the same in all worlds */
    bool fixed;                                                                    /* so are all walls */
    uint32_t bodies;                                                               /* all, in play or not */
    size_t shapes;                                                                 /* room in look_shapes */
    struct carom_look_body *look_bodies;
    struct carom_look_shape *look_shapes;
    space_things circles, edges, arcs;
    space_name *names;
    size_t names_count, names_room;
    void *blocks[SPACE_SETS]; /* the memory of sets */
    size_t block_bytes[SPACE_SETS];
    size_t world; /* the world in `held`; SIZE_MAX: none */
    space held;
} space_reader;

/* CAROM_ERROR_ARGUMENT if these worlds have no positions. Call carom_space_close() afterwards, whatever it returns. */
carom_status carom_space_open(space_reader *r, const carom_worlds *worlds);
void carom_space_close(space_reader *r);

/* Fills r->held. grid: many questions are coming, so that a grid pays off. CAROM_OK or CAROM_ERROR_MEMORY. */
carom_status carom_space_read(space_reader *r, size_t world, bool grid);

/* The greatest number of elements of its sets, and sides. */
static inline size_t space_elements(const space *s)
{
    size_t count = 4;
    for (int k = 0; k < SPACE_SETS; k++) {
        count += s->sets[k].count;
    }
    return count;
}

#endif
