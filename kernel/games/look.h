/* SPDX-License-Identifier: MIT
 * How a game is described to those who draw it: one const table beside its rules, which carom/look.h answers from. What
 * depends on a batch's options comes from hooks.
 */
#ifndef CAROM_GAMES_LOOK_H
#define CAROM_GAMES_LOOK_H

#include <carom/look.h>

#include <string.h>

/* Where a group of bodies has a number: elements first, first + 1, ... of a field. NULL: it has none. */
typedef struct look_place {
    const char *field;
    uint32_t first;
} look_place;

/* Bodies that are described alike. */
typedef struct look_group {
    const char *name;
    uint32_t count;
    carom_look_style style;
    double radius, mass;
    look_place x, y, vx, vy;
    look_place facing; /* an angle in radians */
    look_place size;   /* a radius of its own */
    look_place there;  /* a field that is 0 if the body is not there */
    bool corner;       /* x and y are the corner of the box around it */
    bool polar;        /* vx and vy are a speed and an angle */
} look_group;

/* Places of those games whose fields are x, y, vx, vy. */
#define LOOK_AT(at) .x = {"x", at}, .y = {"y", at}, .vx = {"vx", at}, .vy = {"vy", at}

/* A number to be shown: an element of a field. */
typedef struct look_number {
    const char *name;
    int32_t player; /* -1: nobody's */
    const char *field;
    uint32_t element;
} look_number;

/* Where shapes go: see look_line() and the others below. */
typedef struct look_sink {
    carom_look_shape *shapes;
    size_t capacity, count;
} look_sink;

typedef struct game_look {
    carom_look_view view;
    const look_group *groups;
    uint32_t group_count;
    const look_number *numbers;
    uint32_t number_count;
    /* What depends on options; each may be NULL. context is the batch's (world_type.context_create). `bodies`: how many
     * there are; a group with count 0 has all that are left. `body` changes what the table says of body k. */
    uint32_t (*bodies)(const void *context);
    void (*body)(const void *context, uint32_t k, carom_look_body *body);
    void (*view_of)(const void *context, carom_look_view *view);
    void (*shapes)(const carom_worlds *worlds, size_t world, look_sink *sink);
} game_look;

/* ---- what `shapes` calls ---- */

static inline void look_add(look_sink *sink, const carom_look_shape *shape)
{
    if (sink->count < sink->capacity) {
        sink->shapes[sink->count] = *shape;
    }
    sink->count++;
}

static inline void look_line(look_sink *sink, carom_look_style style, double x, double y, double x2, double y2)
{
    const carom_look_shape shape = {CAROM_LOOK_LINE, style, x, y, x2, y2, 0, ""};
    look_add(sink, &shape);
}

static inline void look_circle(look_sink *sink, carom_look_style style, double x, double y, double radius)
{
    const carom_look_shape shape = {CAROM_LOOK_CIRCLE, style, x, y, x, y, radius, ""};
    look_add(sink, &shape);
}

static inline void look_text(look_sink *sink, carom_look_style style, double x, double y, double radius,
                             const char *text)
{
    carom_look_shape shape = {CAROM_LOOK_TEXT, style, x, y, x, y, radius, ""};
    const size_t length = strlen(text);
    memcpy(shape.text, text, length < sizeof shape.text ? length : sizeof shape.text - 1);
    look_add(sink, &shape);
}

/* The outline of a box. */
static inline void look_box(look_sink *sink, carom_look_style style, double x0, double y0, double x1, double y1)
{
    look_line(sink, style, x0, y0, x1, y0);
    look_line(sink, style, x1, y0, x1, y1);
    look_line(sink, style, x1, y1, x0, y1);
    look_line(sink, style, x0, y1, x0, y0);
}

#endif
