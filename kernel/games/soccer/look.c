/* SPDX-License-Identifier: MIT
 * How soccer is drawn: a walled field with two goals, robots with a heading, balls.
 */
#include "games/look.h"
#include "games/soccer/soccer.h"

/* One group for all bodies; body() below distinguishes robots from balls, whose number and size depend on the
 * options. */
static const look_group groups[] = {
    {.name = "robot", .style = CAROM_LOOK_FIRST, LOOK_AT(0), .facing = {"angle", 0}},
};

static const look_number numbers[] = {{"score", 0, "score", 0}, {"score", 1, "score", 1}};

static uint32_t bodies(const void *any)
{
    return (uint32_t)((const soccer_context *)any)->bodies;
}

static void body(const void *any, uint32_t k, carom_look_body *b)
{
    const soccer_context *context = (const soccer_context *)any;
    const bool ball = (int)k >= context->robots;
    b->name = ball ? "ball" : "robot";
    b->number = ball ? k - (uint32_t)context->robots : k;
    b->style = ball ? CAROM_LOOK_BALL : (int)k < context->team ? CAROM_LOOK_FIRST : CAROM_LOOK_SECOND;
    b->radius = ball ? context->options.ball_radius : context->options.robot_radius;
    b->mass = ball ? context->options.ball_mass : context->options.robot_mass;
    b->has_facing = !ball;
}

/* The field, and a margin wide enough for the robots in the goals. */
static void view_of(const void *any, carom_look_view *view)
{
    const carom_soccer_options *o = &((const soccer_context *)any)->options;
    view->dt = 1 / o->rate;
    view->x0 = -0.53 * o->length;
    view->x1 = 0.53 * o->length;
    view->y0 = -0.5 * o->width - 0.03 * o->length;
    view->y1 = 0.5 * o->width + 0.03 * o->length;
}

/* Halfway line, centre circle, and the walls around the field, in which the goals are openings. */
static void shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    const carom_soccer_options *o = &((const soccer_context *)worlds->context)->options;
    const double x = o->length / 2, y = o->width / 2, mouth = o->mouth / 2;
    (void)world;
    look_line(sink, CAROM_LOOK_FIELD, 0, -y, 0, y);
    look_circle(sink, CAROM_LOOK_FIELD, 0, 0, o->width / 12);
    look_line(sink, CAROM_LOOK_WALL, -x, -y, x, -y);
    look_line(sink, CAROM_LOOK_WALL, -x, y, x, y);
    for (int side = -1; side <= 1; side += 2) {
        look_line(sink, CAROM_LOOK_WALL, side * x, -y, side * x, -mouth);
        look_line(sink, CAROM_LOOK_TARGET, side * x, -mouth, side * x, mouth);
        look_line(sink, CAROM_LOOK_WALL, side * x, mouth, side * x, y);
    }
}

const game_look carom_soccer_look = {
    .view = {-1, -1, 1, 1, false, true, false, 0, 0, 0},
    .groups = groups,
    .group_count = sizeof groups / sizeof groups[0],
    .numbers = numbers,
    .number_count = sizeof numbers / sizeof numbers[0],
    .bodies = bodies,
    .body = body,
    .view_of = view_of,
    .shapes = shapes,
};
