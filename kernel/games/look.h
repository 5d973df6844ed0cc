/* SPDX-License-Identifier: MIT
 * How a game is drawn: one const table next to its rules, from which the functions of carom/look.h answer. Hooks add
 * what depends on a batch's options.
 */
#ifndef CAROM_GAMES_LOOK_H
#define CAROM_GAMES_LOOK_H

#include <carom/look.h>

#include <string.h>

/* Where a number of body k of a group is: element first + k of a field. NULL: it has none. */
typedef struct look_place {
    const char *field;
    uint32_t first;
} look_place;

/* Bodies that are drawn alike. */
typedef struct look_group {
    const char *name;
    uint32_t count;
    carom_look_style style;
    double radius, mass; /* radius: unless `size` is set */
    look_place x, y, vx, vy;
    look_place facing; /* an angle in radians */
    look_place size;   /* a field with the body's own radius */
    look_place there;  /* a field that is 0 while the body is out of play */
    look_place ax, ay; /* acceleration during a tick, if any */
    bool corner;       /* x and y are the corner of its bounding box, not its centre */
    bool polar;        /* vx and vy are a speed and an angle */
} look_group;

/* The places of bodies whose fields are x, y, vx, vy, from element `at` on. */
#define LOOK_AT(at) .x = {"x", at}, .y = {"y", at}, .vx = {"vx", at}, .vy = {"vy", at}

/* A number to show: an element of a field. */
typedef struct look_number {
    const char *name;
    int32_t player; /* its player, or -1 */
    const char *field;
    uint32_t element;
} look_number;

/* Collects shapes: look_line() and the functions below append to it. */
typedef struct look_sink {
    carom_look_shape *shapes; /* [capacity], the caller's */
    size_t capacity, count;   /* count may exceed capacity: shapes beyond it are only counted */
} look_sink;

/* Element `element` of a world's field; NaN if there is no such field or element. */
double carom_look_read(const carom_worlds *worlds, size_t world, const char *name, uint32_t element);

/* How a game is drawn. Hooks may be NULL; `context` is the batch's (world_type.context_create). */
typedef struct game_look {
    carom_look_view view; /* dt 0 stands for 1 */
    const char *dt;       /* a field with the world's own length of a tick, if worlds differ in it; NULL: the view's */
    const look_group *groups;
    uint32_t group_count;
    const look_number *numbers;
    uint32_t number_count;

    /* The number of bodies. A group with count 0 takes all remaining ones. */
    uint32_t (*bodies)(const void *context);
    /* Changes the table's description of body k. */
    void (*body)(const void *context, uint32_t k, carom_look_body *body);
    /* Changes the view. */
    void (*view_of)(const void *context, carom_look_view *view);
    /* Adds whatever does not move, such as walls. */
    void (*shapes)(const carom_worlds *worlds, size_t world, look_sink *sink);
} game_look;

/* ---- for `shapes` to call ---- */

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
