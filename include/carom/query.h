/* SPDX-License-Identifier: MIT
 * Rays and queries: casts rays and moving circles into worlds, finds the nearest thing, and all things within a
 * distance. One call takes many questions, each about any world of a batch. The worlds do not change.
 *
 *     carom_query q = carom_query_default();
 *     q.world = 7, q.x = 1, q.y = 2, q.dx = 0, q.dy = 1, q.range = 50;
 *     carom_worlds_cast(worlds, 1, &q, &found);               the first thing on a ray upwards, and its distance
 *     carom_worlds_nearest(worlds, 1, &q, &found);            what is nearest to (1, 2)
 *     carom_worlds_within(worlds, 1, &q, 16, list, &count);   all within 50 of it; range 0: what a circle overlaps
 *
 * Only the circle that is cast moves. It can find these circles and walls of the world in its current state:
 *     scenes   active bodies, solid sides of the box, walls, polygons (outlines: their inside is empty), arcs
 *     games    bodies, and these shapes of carom/look.h: lines of style "wall" and "fixed", circles of style "fixed"
 *              (posts) and of style "wall" (rings, such as the rim of stones' field)
 * Sensors are found only if the question includes them; in games they are shapes of style "sensor" or "target".
 *
 * Filters. A question has a category and a mask like a body of a scene: it finds a body if the category of each is in
 * the other's mask, and walls by the rule of carom_scene_wall. In games the category of a thing is 1 << its
 * carom_look_style, and its mask is all ones. One-sided walls are found only from their left, and arcs only from the
 * sides that they have.
 *
 * Periodic boxes. Rays continue at the opposite side; their range must be finite, at most CAROM_QUERY_BOXES times the
 * box's shorter periodic side. Bodies are found at the nearest of their images. Walls, polygons and arcs have no
 * images, as in the motion of bodies: a circle whose centre enters through a side meets what it overlaps there. A start
 * outside the box is wrapped into it.
 *
 * Accuracy. Everything is computed in f64 from the numbers of the worlds (worlds in f32 also round radii and walls to
 * f32), by the equations of kernel/toi/ray.h. The error of a distance is at most 16 units of rounding of S / q, where S
 * is the distance of the start from the centre or the nearer end, and q the cosine between the ray and the normal.
 * Answers do not depend on the instruction set, the number of threads, or other questions in the same call. Among
 * things at the same distance the first is found, in the order bodies, sides, walls, polygons, arcs, and by index.
 *
 * Time. A call reads every world in question, at some 25 ns per body (80 in a world of a million). Worlds of up to
 * CAROM_QUERY_SMALL things are searched linearly. If a call has several questions about a larger world, it first builds
 * a grid, and each question then checks only the cells that its ray crosses. So ask many questions in one call. The
 * batch's threads share the questions.
 */
#ifndef CAROM_QUERY_H
#define CAROM_QUERY_H

#include <carom/worlds.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_QUERY_SMALL 256  /* bodies, and edges of walls and polygons */
#define CAROM_QUERY_BOXES 1024 /* the greatest range in a periodic box, in lengths of its shorter periodic side */
#define CAROM_QUERY_NOBODY UINT32_MAX

typedef struct carom_query {
    size_t world;
    double x, y;             /* the start */
    double dx, dy;           /* cast: the direction, of any length but 0 */
    double radius;           /* of the circle around (x, y), >= 0; 0: a point or ray */
    double range;            /* >= 0; the greatest distance to search. INFINITY: no limit */
    uint32_t category, mask; /* default: all ones */
    uint32_t ignore;         /* a body to leave out, such as the one that looks; default: CAROM_QUERY_NOBODY */
    bool sensors;            /* whether to find sensors, too */
} carom_query;

typedef enum carom_found_kind {
    CAROM_FOUND_NONE,
    CAROM_FOUND_BODY, /* index: the body, as in the fields; in games the place in carom_look_bodies() */
    CAROM_FOUND_SIDE, /* index: 0 left, 1 right, 2 lower, 3 upper */
    CAROM_FOUND_WALL, /* index: the wall, part: feature as in toi_walls.h; in games the place in carom_look_shapes() */
    CAROM_FOUND_POLYGON, /* index: the polygon; part: feature as in toi_walls.h */
    CAROM_FOUND_ARC      /* index: the arc; part: feature as in toi_arcs.h */
} carom_found_kind;

typedef struct carom_found {
    carom_found_kind kind;
    uint32_t index, part;
    bool inside;     /* the start touches or overlaps it: distance 0 */
    double distance; /* cast: how far the circle's centre moves; else from its rim; if nothing is found, the range */
    double x, y;     /* the point where it is hit, or its nearest point */
    double nx, ny;   /* the unit normal there, towards the circle's centre; 0 if they are at the same place */
} carom_found;

/* At the origin, towards +x: a ray without a limit. */
CAROM_API carom_query carom_query_default(void);

/* The first thing that a circle hits as its centre moves from (x, y) along (dx, dy). found: [count].
 *
 * Errors of all three functions: CAROM_ERROR_ARGUMENT for NULL, a batch whose worlds have no positions, a world or body
 * that does not exist; CAROM_ERROR_VALUE for numbers out of their ranges or positions beyond 2^100; CAROM_ERROR_MEMORY.
 * carom_worlds_problem() says which question is wrong; nothing is written then. */
CAROM_API carom_status carom_worlds_cast(carom_worlds *worlds, size_t count, const carom_query *queries,
                                         carom_found *found);

/* The thing nearest to the circle, within range. Ignores dx and dy. */
CAROM_API carom_status carom_worlds_nearest(carom_worlds *worlds, size_t count, const carom_query *queries,
                                            carom_found *found);

/* All things within range; with range 0, those that the circle touches or overlaps. Those of query k start at found[k *
 * capacity], at most `capacity`, each once, in order of kind and index; counts[k] is their number, which may be
 * greater. found may be NULL if capacity is 0. */
CAROM_API carom_status carom_worlds_within(carom_worlds *worlds, size_t count, const carom_query *queries,
                                           size_t capacity, carom_found *found, size_t *counts);

#ifdef __cplusplus
}
#endif
#endif
