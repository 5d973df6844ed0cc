/* SPDX-License-Identifier: MIT
 * How fall is drawn: circles among polygons in the unit square.
 */
#include <math.h>

#include "games/fall/fall.h"
#include "games/look.h"

static const look_group groups[] = {
    {.name = "circle", .style = CAROM_LOOK_PLAIN, LOOK_AT(0)},
};

static uint32_t bodies(const void *context)
{
    return (uint32_t)((const fall_context *)context)->circle_count;
}

static void body(const void *any, uint32_t k, carom_look_body *b)
{
    const fall_context *context = (const fall_context *)any;
    const fall_circle *circle = &context->circles[k];
    b->id = (uint32_t)circle->body;
    b->radius = circle->radius;
    b->mass = circle->fixed != 0 ? (double)INFINITY : 1 / circle->share;
    b->ax = circle->ax;
    b->ay = circle->ay;
    b->style = circle->fixed != 0              ? CAROM_LOOK_FIXED
               : (int32_t)k == context->kicked ? CAROM_LOOK_FIRST
                                               : CAROM_LOOK_PLAIN;
}

static void view_of(const void *any, carom_look_view *view)
{
    const fall_context *context = (const fall_context *)any;
    for (int32_t k = 0; k < context->edge_count; k++) {
        view->x0 = fmin(view->x0, context->edges[k].left);
        view->x1 = fmax(view->x1, context->edges[k].right);
        view->y0 = fmin(view->y0, context->edges[k].low);
        view->y1 = fmax(view->y1, context->edges[k].high);
    }
}

static void shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    const fall_context *context = (const fall_context *)worlds->context;
    (void)world;
    for (int32_t k = 0; k < context->edge_count; k++) {
        const fall_edge *edge = &context->edges[k];
        look_line(sink, CAROM_LOOK_WALL, edge->x, edge->y, edge->to_x, edge->to_y);
    }
}

const game_look carom_fall_look = {
    .view = {-0.02, -0.02, 1.02, 1.02, false, true, true, FALL_TICK, 0, 0},
    .groups = groups,
    .group_count = sizeof groups / sizeof groups[0],
    .bodies = bodies,
    .body = body,
    .view_of = view_of,
    .shapes = shapes,
};
