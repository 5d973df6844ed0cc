/* SPDX-License-Identifier: MIT
 * How csb is drawn: the board, the map's checkpoints with their numbers, pods with a heading.
 */
#include <stdio.h>
#include <string.h>

#include "games/csb/csb.h"
#include "games/look.h"

static const look_group groups[] = {
    {.name = "pod",
     .count = 2,
     .style = CAROM_LOOK_FIRST,
     .radius = CSB_TOUCH / 2,
     .mass = 1,
     LOOK_AT(0),
     .facing = {"angle", 0}},
    {.name = "pod",
     .count = 2,
     .style = CAROM_LOOK_SECOND,
     .radius = CSB_TOUCH / 2,
     .mass = 1,
     LOOK_AT(2),
     .facing = {"angle", 2}},
};

static const look_number numbers[] = {{"next checkpoint", 0, "next", 0}, {"next checkpoint", 0, "next", 1},
                                      {"next checkpoint", 1, "next", 2}, {"next checkpoint", 1, "next", 3},
                                      {"timeout", 0, "timeout", 0},      {"timeout", 1, "timeout", 1}};

/* Numbers the pods of both players in one sequence. */
static void body(const void *context, uint32_t k, carom_look_body *b)
{
    (void)context;
    b->number = k;
}

/* The board and the checkpoints of the world's own map. */
static void shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    const csb_context *context = (const csb_context *)worlds->context;
    size_t field;
    int32_t map = 0;
    carom_worlds_find_field(worlds, "map", &field);
    carom_worlds_get(worlds, field, world, 1, &map);
    const csb_course *course = &context->courses[map];

    look_box(sink, CAROM_LOOK_FIELD, 0, 0, CSB_WIDTH, CSB_HEIGHT);
    for (int32_t k = 0; k < course->n; k++) {
        const int32_t *at = context->points[course->first + k];
        char text[16];
        snprintf(text, sizeof text, "%d", (int)k);
        look_circle(sink, CAROM_LOOK_TARGET, at[0], at[1], CSB_CHECKPOINT);
        look_text(sink, CAROM_LOOK_TARGET, at[0], at[1], CSB_CHECKPOINT / 2, text);
    }
}

const game_look carom_csb_look = {
    .view = {-0.05 * CSB_WIDTH, -0.05 * CSB_HEIGHT, 1.05 * CSB_WIDTH, 1.05 * CSB_HEIGHT, true, true, false, 1, 0, 0},
    .groups = groups,
    .group_count = sizeof groups / sizeof groups[0],
    .numbers = numbers,
    .number_count = sizeof numbers / sizeof numbers[0],
    .body = body,
    .shapes = shapes,
};
