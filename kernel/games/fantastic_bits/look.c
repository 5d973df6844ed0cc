/* SPDX-License-Identifier: MIT
 * How fantastic_bits is drawn: a walled field with a goal on either side, wizards, snaffles, bludgers.
 */
#include "games/look.h"
#include "games/fantastic_bits/fantastic_bits.h"

static const look_group groups[] = {
    {.name = "wizard", .count = 2, .style = CAROM_LOOK_FIRST, .radius = FB_WIZARD_RADIUS, .mass = 1, LOOK_AT(0)},
    {.name = "wizard", .count = 2, .style = CAROM_LOOK_SECOND, .radius = FB_WIZARD_RADIUS, .mass = 1, LOOK_AT(2)},
    {.name = "snaffle",
     .count = FB_BLUDGER - FB_SNAFFLE,
     .style = CAROM_LOOK_BALL,
     .radius = FB_SNAFFLE_RADIUS,
     .mass = 0.5,
     LOOK_AT(FB_SNAFFLE),
     .there = {"alive", 0}},
    {.name = "bludger",
     .count = 2,
     .style = CAROM_LOOK_DANGER,
     .radius = FB_BLUDGER_RADIUS,
     .mass = 8,
     LOOK_AT(FB_BLUDGER)},
};

static const look_number numbers[] = {
    {"score", 0, "score", 0}, {"score", 1, "score", 1}, {"mana", 0, "mana", 0}, {"mana", 1, "mana", 1}};

/* Numbers the wizards of both players in one sequence. */
static void body(const void *context, uint32_t k, carom_look_body *b)
{
    (void)context;
    b->number = k < FB_SNAFFLE ? k : b->number;
}

static void shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    (void)worlds;
    (void)world;
    look_line(sink, CAROM_LOOK_WALL, 0, 0, FB_WIDTH, 0);
    look_line(sink, CAROM_LOOK_WALL, 0, FB_HEIGHT, FB_WIDTH, FB_HEIGHT);
    for (int side = 0; side < 2; side++) {
        const double x = side == 0 ? 0 : FB_WIDTH;
        look_line(sink, CAROM_LOOK_WALL, x, 0, x, FB_MOUTH_TOP);
        look_line(sink, CAROM_LOOK_TARGET, x, FB_MOUTH_TOP, x, FB_MOUTH_BOTTOM);
        look_line(sink, CAROM_LOOK_WALL, x, FB_MOUTH_BOTTOM, x, FB_HEIGHT);
        look_circle(sink, CAROM_LOOK_FIXED, x, FB_MOUTH_TOP, FB_POST_RADIUS);
        look_circle(sink, CAROM_LOOK_FIXED, x, FB_MOUTH_BOTTOM, FB_POST_RADIUS);
    }
}

const game_look carom_fantastic_bits_look = {
    .view = {-400, -200, FB_WIDTH + 400, FB_HEIGHT + 200, true, true, false, 1, 0, 0},
    .groups = groups,
    .group_count = sizeof groups / sizeof groups[0],
    .numbers = numbers,
    .number_count = sizeof numbers / sizeof numbers[0],
    .body = body,
    .shapes = shapes,
};
