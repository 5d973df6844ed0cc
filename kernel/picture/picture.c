/* SPDX-License-Identifier: MIT
 * Draws a world: its shapes, its bodies and the caption; and the functions of carom/picture.h: pictures of the present
 * state of a world.
 */
#include <carom/picture.h>

#include <carom/game.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/picture.h"

const theme carom_themes[2] = {
    {"light",
     0xffffffff,
     0x1c2430ff,
     0x6b7684ff,
     0xd0021bff,
     {0x3b4cc0ff, 0x7b9ff9ff, 0xb0b0b0ff, 0xee8468ff, 0xb40426ff},
     {[CAROM_LOOK_PLAIN] = 0x5b7a99ff,
      [CAROM_LOOK_FIRST] = 0x1769c4ff,
      [CAROM_LOOK_SECOND] = 0xd9542bff,
      [CAROM_LOOK_THIRD] = 0x2c8a3cff,
      [CAROM_LOOK_FOURTH] = 0xb23a8fff,
      [CAROM_LOOK_BALL] = 0xe0a100ff,
      [CAROM_LOOK_DANGER] = 0x5c2a86ff,
      [CAROM_LOOK_FIXED] = 0x8a939eff,
      [CAROM_LOOK_SENSOR] = 0x2a9d6fff,
      [CAROM_LOOK_WALL] = 0x3a424dff,
      [CAROM_LOOK_FIELD] = 0xc8d0d8ff,
      [CAROM_LOOK_TARGET] = 0x2a9d6fff}},
    {"dark",
     0x10151cff,
     0xe8edf2ff,
     0x93a0afff,
     0xff6b6bff,
     {0x6788eeff, 0x9abbffff, 0xc9c9c9ff, 0xf4987aff, 0xff5a5aff},
     {[CAROM_LOOK_PLAIN] = 0x8fb0d0ff,
      [CAROM_LOOK_FIRST] = 0x5aa7ffff,
      [CAROM_LOOK_SECOND] = 0xff8a5cff,
      [CAROM_LOOK_THIRD] = 0x74d680ff,
      [CAROM_LOOK_FOURTH] = 0xf07fcbff,
      [CAROM_LOOK_BALL] = 0xffcf4aff,
      [CAROM_LOOK_DANGER] = 0xc28cf0ff,
      [CAROM_LOOK_FIXED] = 0x7a8796ff,
      [CAROM_LOOK_SENSOR] = 0x57d19fff,
      [CAROM_LOOK_WALL] = 0xb8c4d0ff,
      [CAROM_LOOK_FIELD] = 0x38434fff,
      [CAROM_LOOK_TARGET] = 0x57d19fff}},
};

colour carom_picture_pale(colour c, double share)
{
    return (c & ~(colour)255) | (colour)(share * (c & 255) + 0.5);
}

mapping carom_picture_map(const carom_look_view *view, double width)
{
    const mapping m = {width / (view->x1 - view->x0), view->x0, view->y_down ? view->y0 : view->y1,
                       view->y_down ? 1 : -1};
    return m;
}

void carom_picture_shapes(picture *p, const theme *colours, const mapping *m, const carom_look_shape *shapes,
                          size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const carom_look_shape *s = &shapes[k];
        const colour of = colours->style[s->style];
        const double x = to_x(m, s->x), y = to_y(m, s->y), width = s->style == CAROM_LOOK_FIELD ? 1 : 2;
        if (s->kind == CAROM_LOOK_LINE) {
            carom_mark_line(p, x, y, to_x(m, s->x2), to_y(m, s->y2), of, s->style == CAROM_LOOK_TARGET ? 3 : width);
        } else if (s->kind == CAROM_LOOK_CIRCLE) {
            const bool filled = s->style == CAROM_LOOK_TARGET || s->style == CAROM_LOOK_FIXED;
            carom_mark_circle(p, x, y, s->radius * m->scale, filled ? carom_picture_pale(of, 0.15) : 0, of, width);
        } else {
            carom_mark_text(p, x, y, 2 * s->radius * m->scale, 0, carom_picture_pale(of, 0.6), s->text);
        }
    }
}

void carom_picture_body(picture *p, const theme *colours, const mapping *m, const carom_look_body *body, bool numbered)
{
    const colour of = colours->style[body->style];
    const double x = to_x(m, body->x), y = to_y(m, body->y), radius = fmax(body->radius * m->scale, 1);
    if (!body->there || !isfinite(x) || !isfinite(y)) {
        return;
    }

    const bool hollow = body->style == CAROM_LOOK_SENSOR;
    carom_mark_circle(p, x, y, radius, hollow ? 0 : carom_picture_pale(of, 0.85), of,
                      hollow       ? 1.5
                      : radius > 4 ? 1
                                   : 0.5);

    if (body->has_facing) {
        carom_mark_line(p, x, y, x + radius * cos(body->facing), y + m->sign * radius * sin(body->facing),
                        colours->ground, fmax(1.5, 0.15 * radius));
    }

    /* Keep the number clear of the line that shows the facing. */
    if (numbered && radius >= 9) {
        char text[16];
        snprintf(text, sizeof text, "%" PRIu32, body->number);
        const double beside = body->has_facing ? 0.45 * radius : 0;
        carom_mark_text(p, x - beside * cos(body->facing), y - m->sign * beside * sin(body->facing), 0.8 * radius, 0,
                        colours->ground, text);
    }
}

/* ---- captions ---- */

void carom_picture_title(const caption *c, char *text, size_t size)
{
    snprintf(text, size, "%s, tick %.13g", c->title, c->tick);
}

/* Writes the numbers of a player, such as "next checkpoint 3 4   timeout 96": equal names are written once. */
static void tell_numbers(const caption *c, int32_t player, char *text, size_t size)
{
    const char *last = "";
    size_t length = 0;
    text[0] = '\0';
    for (size_t k = 0; k < c->count && length + 1 < size; k++) {
        const carom_look_number *n = &c->numbers[k];
        if (n->player == player) {
            const bool again = strcmp(last, n->name) == 0;
            length += (size_t)snprintf(text + length, size - length, "%s%s%s%.6g", again || length == 0 ? "" : "   ",
                                       again ? "" : n->name, " ", n->value);
            last = n->name;
        }
    }
}

void carom_picture_caption(picture *p, const theme *colours, const caption *c)
{
    const double top = p->height - CAPTION_HEIGHT;
    char text[96], title[64];

    /* A thick line in the background colour covers what the world has drawn below. */
    carom_mark_line(p, 0, p->height - CAPTION_HEIGHT / 2, p->width, p->height - CAPTION_HEIGHT / 2, colours->ground,
                    CAPTION_HEIGHT);

    /* First line: title, tick and state at the left, the hash at the right. */
    carom_picture_title(c, title, sizeof title);
    snprintf(text, sizeof text, "%s%s", title,
             c->fault != 0                ? ", FAULT"
             : c->end == CAROM_TERMINATED ? ", decided"
             : c->end == CAROM_TRUNCATED  ? ", out of time"
                                          : "");
    carom_mark_text(p, 10, top + 22, 15, -1, colours->text, text);
    snprintf(text, sizeof text, "%016" PRIx64, c->hash);
    carom_mark_text(p, p->width - 10, top + 22, 11, 1, colours->faint, text);

    /* Second line: numbers of the game, then those of each player in its colour. */
    double x = 10;
    for (int32_t player = -1; player < (int32_t)c->players; player++) {
        tell_numbers(c, player, text, sizeof text);
        if (text[0] != '\0') {
            const carom_look_style style = (carom_look_style)(CAROM_LOOK_FIRST + player);
            carom_mark_text(p, x, top + 44, 13, -1, player < 0 ? colours->text : colours->style[style], text);
            x += p->width / (c->players > 2 ? c->players : 2);
        }
    }
}

carom_picture_desc carom_picture_desc_default(void)
{
    const carom_picture_desc desc = {.size = sizeof desc, .width = 640, .captions = true};
    return desc;
}

/* ---- what to draw ---- */

/* How a game draws a world. */
typedef struct seen {
    carom_look_view view;
    carom_look_shape *shapes;
    carom_look_body *bodies;
    carom_look_number *numbers;
    size_t shape_count, body_count, number_count;
    uint32_t width, height; /* of the picture, in pixels */
} seen;

/* Checks the descriptor, and computes the size of the picture. */
static carom_status measure(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc, seen *s)
{
    if (desc == NULL || desc->size != sizeof *desc) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_status status = carom_look_view_of(worlds, world, &s->view);
    if (status != CAROM_OK) {
        return status;
    }
    if (desc->width < CAROM_PICTURE_LEAST || desc->width > CAROM_PICTURE_MOST || desc->width % 2 != 0) {
        return CAROM_ERROR_VALUE;
    }

    /* The height follows from the width, rounded up to an even number. Rounding errors must not add a row. */
    const carom_look_view *v = &s->view;
    const double field = 2 * ceil(desc->width * (v->y1 - v->y0) / (v->x1 - v->x0) / 2 - 1e-6);
    const double height = field + (desc->captions ? CAPTION_HEIGHT : 0);
    if (!(height >= CAROM_PICTURE_LEAST && height <= CAROM_PICTURE_MOST)) {
        return CAROM_ERROR_VALUE;
    }

    s->width = desc->width;
    s->height = (uint32_t)height;
    return CAROM_OK;
}

static void forget(seen *s)
{
    free(s->shapes);
    free(s->bodies);
    free(s->numbers);
}

/* Fetches the shapes, bodies and numbers to draw; forget() frees them. */
static carom_status look(const carom_worlds *worlds, size_t world, seen *s)
{
    carom_look_shapes(worlds, world, NULL, 0, &s->shape_count);
    carom_look_bodies(worlds, world, NULL, 0, &s->body_count);
    carom_look_numbers(worlds, world, NULL, 0, &s->number_count);

    s->shapes = calloc(s->shape_count + 1, sizeof *s->shapes);
    s->bodies = calloc(s->body_count + 1, sizeof *s->bodies);
    s->numbers = calloc(s->number_count + 1, sizeof *s->numbers);
    if (s->shapes == NULL || s->bodies == NULL || s->numbers == NULL) {
        forget(s);
        return CAROM_ERROR_MEMORY;
    }

    carom_look_shapes(worlds, world, s->shapes, s->shape_count, &s->shape_count);
    carom_look_bodies(worlds, world, s->bodies, s->body_count, &s->body_count);
    carom_look_numbers(worlds, world, s->numbers, s->number_count, &s->number_count);
    return CAROM_OK;
}

/* The value of one of the integer fields that every world has. */
static int32_t whole_number(const carom_worlds *worlds, const char *name, size_t world)
{
    size_t index;
    carom_field field;
    union {
        int8_t narrow;
        int32_t wide;
    } value = {0};
    if (carom_worlds_find_field(worlds, name, &index) != CAROM_OK ||
        carom_worlds_field(worlds, index, &field) != CAROM_OK) {
        return 0;
    }
    carom_worlds_get(worlds, index, world, 1, &value);
    return field.bytes == 1 ? value.narrow : value.wide;
}

/* Makes the list of marks. */
static carom_status draw(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc, picture *p)
{
    seen s = {0};
    carom_status status = measure(worlds, world, desc, &s);
    status = status == CAROM_OK ? look(worlds, world, &s) : status;
    if (status != CAROM_OK) {
        return status;
    }

    const theme *colours = &carom_themes[desc->dark ? 1 : 0];
    const mapping m = carom_picture_map(&s.view, s.width);
    const carom_game_info game = carom_game_describe(carom_worlds_describe(worlds).game);
    caption said = {.title = game.title,
                    .tick = whole_number(worlds, "tick", world),
                    .end = whole_number(worlds, "end", world),
                    .fault = whole_number(worlds, "fault", world),
                    .numbers = s.numbers,
                    .count = s.number_count,
                    .players = game.players};

    carom_worlds_hash(worlds, world, 1, &said.hash);
    char title[96];
    carom_picture_title(&said, title, sizeof title);

    /* Bodies cover shapes, and the caption covers both. */
    carom_marks_begin(p, s.width, s.height, colours->ground, title);
    carom_picture_shapes(p, colours, &m, s.shapes, s.shape_count);
    for (size_t k = 0; k < s.body_count; k++) {
        carom_picture_body(p, colours, &m, &s.bodies[k], s.body_count <= PICTURE_NUMBERED);
    }
    if (desc->captions) {
        carom_picture_caption(p, colours, &said);
    }

    forget(&s);
    if (p->failed) {
        carom_marks_free(p);
        return CAROM_ERROR_MEMORY;
    }
    return CAROM_OK;
}

/* ---- public functions ---- */

carom_status carom_picture_size(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc,
                                uint32_t *width, uint32_t *height)
{
    seen s = {0};
    if (width == NULL || height == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_status status = measure(worlds, world, desc, &s);
    if (status == CAROM_OK) {
        *width = s.width;
        *height = s.height;
    }
    return status;
}

carom_status carom_picture_pixels(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc,
                                  uint8_t *rgb)
{
    picture p;
    if (rgb == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_status status = draw(worlds, world, desc, &p);
    if (status == CAROM_OK) {
        carom_marks_rgb(&p, rgb);
        carom_marks_free(&p);
    }
    return status;
}

carom_status carom_picture_svg(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc, char **text)
{
    picture p;
    if (text == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *text = NULL;
    const carom_status status = draw(worlds, world, desc, &p);
    if (status == CAROM_OK) {
        size_t size;
        *text = carom_marks_svg(&p, &size);
        carom_marks_free(&p);
        return *text == NULL ? CAROM_ERROR_MEMORY : CAROM_OK;
    }
    return status;
}
