/* SPDX-License-Identifier: MIT
 * How a scene is drawn: its bodies, walls, polygons, arcs and box. Bodies that act have their player's colour.
 */
#include <math.h>

#include "games/look.h"
#include "scenes/scenes.h"

static const look_group groups[] = {
    {.name = "body",
     .style = CAROM_LOOK_PLAIN,
     LOOK_AT(0),
     .size = {"radius", 0},
     .there = {"active", 0},
     .ax = {"ax", 0},
     .ay = {"ay", 0}},
};

static const carom_scene_desc *desc_of(const void *context)
{
    return &((const carom_scene *)context)->desc;
}

static uint32_t bodies(const void *context)
{
    return desc_of(context)->body_count;
}

static void body(const void *context, uint32_t k, carom_look_body *b)
{
    const carom_scene_body *of = &desc_of(context)->bodies[k];
    const uint32_t varies = ((const carom_scene *)context)->varies;
    b->radius = (varies & CAROM_VARIES_RADIUS) != 0 ? b->radius : of->radius;
    b->mass = of->mass;
    b->ax = (varies & CAROM_VARIES_AX) != 0 ? b->ax : of->ax;
    b->ay = (varies & CAROM_VARIES_AY) != 0 ? b->ay : of->ay;
    b->style = of->sensor        ? CAROM_LOOK_SENSOR
               : isinf(of->mass) ? CAROM_LOOK_FIXED
               : of->acts        ? (carom_look_style)(CAROM_LOOK_FIRST + of->player)
                                 : CAROM_LOOK_PLAIN;
}

/* Widens the view by a square around a point. */
static void stretch(carom_look_view *view, double x, double y, double by)
{
    view->x0 = fmin(view->x0, x - by);
    view->x1 = fmax(view->x1, x + by);
    view->y0 = fmin(view->y0, y - by);
    view->y1 = fmax(view->y1, y + by);
}

#define CHORDS 64 /* of a whole circle */

/* The angle of an arc, in radians. */
static double turn_of(const carom_scene_arc *arc)
{
    const double from = atan2(arc->ay - arc->y, arc->ax - arc->x), to = atan2(arc->by - arc->y, arc->bx - arc->x);
    const double turn = arc->ax == arc->bx && arc->ay == arc->by ? 0 : to - from;
    return turn > 0 ? turn : turn + 6.283185307179586;
}

/* An arc is drawn as chords: their number, and the start of each; the last one ends where the next would start. */
static uint32_t chords_of(const carom_scene_arc *arc)
{
    return (uint32_t)ceil(turn_of(arc) / 6.283185307179586 * CHORDS);
}

static void arc_point(const carom_scene_arc *arc, uint32_t chord, double *x, double *y)
{
    const double angle = atan2(arc->ay - arc->y, arc->ax - arc->x) + turn_of(arc) * chord / chords_of(arc);
    *x = arc->x + arc->radius * cos(angle);
    *y = arc->y + arc->radius * sin(angle);
}

/* Everything at its start, with a margin. */
static void view_of(const void *context, carom_look_view *view)
{
    const carom_scene_desc *d = desc_of(context);

    view->dt = d->dt;
    view->wrap_x = d->box.horizontal == CAROM_SIDES_PERIODIC ? d->box.x1 - d->box.x0 : 0;
    view->wrap_y = d->box.vertical == CAROM_SIDES_PERIODIC ? d->box.y1 - d->box.y0 : 0;
    view->x0 = view->y0 = INFINITY;
    view->x1 = view->y1 = -INFINITY;
    for (uint32_t k = 0; k < d->body_count; k++) {
        stretch(view, d->bodies[k].x, d->bodies[k].y, d->bodies[k].radius);
    }
    for (uint32_t k = 0; k < d->wall_count; k++) {
        stretch(view, d->walls[k].ax, d->walls[k].ay, 0);
        stretch(view, d->walls[k].bx, d->walls[k].by, 0);
    }
    for (uint32_t k = 0; k < d->polygon_count; k++) {
        for (uint32_t c = 0; c < d->polygons[k].corners; c++) {
            stretch(view, d->polygons[k].x[c], d->polygons[k].y[c], 0);
        }
    }

    for (uint32_t k = 0; k < d->arc_count; k++) {
        const carom_scene_arc *arc = &d->arcs[k];
        for (uint32_t point = 0; point <= chords_of(arc); point++) {
            double x, y;
            arc_point(arc, point, &x, &y);
            stretch(view, x, y, 0);
        }
    }

    /* Where the box has sides they limit the view. */
    if (d->box.horizontal != CAROM_SIDES_OPEN) {
        view->x0 = d->box.x0;
        view->x1 = d->box.x1;
    }
    if (d->box.vertical != CAROM_SIDES_OPEN) {
        view->y0 = d->box.y0;
        view->y1 = d->box.y1;
    }

    const double size = fmax(view->x1 - view->x0, view->y1 - view->y0), margin = size > 0 ? 0.02 * size : 1;
    view->x0 -= margin;
    view->y0 -= margin;
    view->x1 += margin;
    view->y1 += margin;
}

static carom_look_style style_of(bool sensor)
{
    return sensor ? CAROM_LOOK_SENSOR : CAROM_LOOK_WALL;
}

/* A number of the world where worlds differ in it, otherwise the described one. */
static double own(const carom_worlds *worlds, size_t world, const char *name, uint32_t element, double described)
{
    const double number = carom_look_read(worlds, world, name, element);
    return isnan(number) ? described : number;
}

static void own_walls(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    const carom_scene_desc *d = desc_of(worlds->context);
    for (uint32_t k = 0; k < d->wall_count; k++) {
        const carom_scene_wall *wall = &d->walls[k];
        if (own(worlds, world, "wall_there", k, 1) != 0) {
            look_line(sink, style_of(wall->sensor), own(worlds, world, "wall_ax", k, wall->ax),
                      own(worlds, world, "wall_ay", k, wall->ay), own(worlds, world, "wall_bx", k, wall->bx),
                      own(worlds, world, "wall_by", k, wall->by));
        }
    }
}

static void own_polygons(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    const carom_scene_desc *d = desc_of(worlds->context);
    uint32_t first = 0; /* corner of the polygon, among those of all */
    for (uint32_t k = 0; k < d->polygon_count; k++) {
        const carom_scene_polygon *p = &d->polygons[k];
        const bool there = own(worlds, world, "polygon_there", k, 1) != 0;
        for (uint32_t c = 0; c < p->corners && there; c++) {
            const uint32_t n = c + 1 < p->corners ? c + 1 : 0;
            look_line(sink, style_of(p->sensor), own(worlds, world, "corner_x", first + c, p->x[c]),
                      own(worlds, world, "corner_y", first + c, p->y[c]),
                      own(worlds, world, "corner_x", first + n, p->x[n]),
                      own(worlds, world, "corner_y", first + n, p->y[n]));
        }
        first += p->corners;
    }
}

static void shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    const carom_scene_desc *d = desc_of(worlds->context);
    const carom_scene_box *box = &d->box;

    /* The box. If it is open in one direction, its sides span the view. */
    const carom_look_style of[] = {CAROM_LOOK_PLAIN, CAROM_LOOK_WALL, CAROM_LOOK_FIELD}; /* by carom_scene_sides */
    if (box->horizontal != CAROM_SIDES_OPEN && box->vertical != CAROM_SIDES_OPEN) {
        look_line(sink, of[box->horizontal], box->x0, box->y0, box->x0, box->y1);
        look_line(sink, of[box->horizontal], box->x1, box->y0, box->x1, box->y1);
        look_line(sink, of[box->vertical], box->x0, box->y0, box->x1, box->y0);
        look_line(sink, of[box->vertical], box->x0, box->y1, box->x1, box->y1);
    } else if (box->horizontal != CAROM_SIDES_OPEN || box->vertical != CAROM_SIDES_OPEN) {
        carom_look_view view;
        view_of(worlds->context, &view);
        if (box->horizontal != CAROM_SIDES_OPEN) {
            look_line(sink, of[box->horizontal], box->x0, view.y0, box->x0, view.y1);
            look_line(sink, of[box->horizontal], box->x1, view.y0, box->x1, view.y1);
        } else {
            look_line(sink, of[box->vertical], view.x0, box->y0, view.x1, box->y0);
            look_line(sink, of[box->vertical], view.x0, box->y1, view.x1, box->y1);
        }
    }

    own_walls(worlds, world, sink);
    own_polygons(worlds, world, sink);
    for (uint32_t k = 0; k < d->arc_count; k++) {
        const carom_scene_arc *arc = &d->arcs[k];
        for (uint32_t chord = 0; chord < chords_of(arc); chord++) {
            double x, y, to_x, to_y;
            arc_point(arc, chord, &x, &y);
            arc_point(arc, chord + 1, &to_x, &to_y);
            look_line(sink, style_of(arc->sensor), x, y, to_x, to_y);
        }
    }
}

const game_look carom_scene_look = {
    .view = {-1, -1, 1, 1, false, true, true, 0, 0, 0},
    .dt = "dt",
    .groups = groups,
    .group_count = sizeof groups / sizeof groups[0],
    .bodies = bodies,
    .body = body,
    .view_of = view_of,
    .shapes = shapes,
};
