/* SPDX-License-Identifier: MIT
 * How stones is drawn: two colours of stones, and the ring if there is one.
 */
#include "games/look.h"
#include "games/stones/stones.h"

static const look_group groups[] = {
    {.name = "stone",
     .style = CAROM_LOOK_FIRST,
     .mass = 1,
     .x = {"px", 0},
     .y = {"py", 0},
     .vx = {"speed", 0},
     .vy = {"course", 0},
     .size = {"radius", 0},
     .there = {"in_play", 0},
     .corner = true,
     .polar = true},
};

static const look_number numbers[] = {{"sweeps of the last tick", -1, "sweeps", 0}};

static uint32_t bodies(const void *context)
{
    return ((const stones_context *)context)->stones;
}

static void body(const void *context, uint32_t k, carom_look_body *b)
{
    (void)context;
    b->style = k % 2 == 0 ? CAROM_LOOK_FIRST : CAROM_LOOK_SECOND;
}

static void view_of(const void *context, carom_look_view *view)
{
    const double ring = ((const stones_context *)context)->ring;
    const double far = ring > 0 ? 1.05 * ring : 400;
    view->x0 = view->y0 = -far;
    view->x1 = view->y1 = far;
}

static void shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    const double ring = ((const stones_context *)worlds->context)->ring;
    (void)world;
    if (ring > 0) {
        look_circle(sink, CAROM_LOOK_WALL, 0, 0, ring);
    }
}

const game_look carom_stones_look = {
    .view = {-1, -1, 1, 1, true, false, false, 1, 0, 0},
    .groups = groups,
    .group_count = sizeof groups / sizeof groups[0],
    .numbers = numbers,
    .number_count = sizeof numbers / sizeof numbers[0],
    .bodies = bodies,
    .body = body,
    .view_of = view_of,
    .shapes = shapes,
};
