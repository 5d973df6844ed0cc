/* SPDX-License-Identifier: MIT
 * Pictures of the present state of a world: the functions of carom/picture.h.
 */
#include <carom/picture.h>

#include <math.h>
#include <stdlib.h>

#include "picture/world.h"

carom_picture_desc carom_picture_desc_default(void)
{
    const carom_picture_desc desc = {.size = sizeof desc, .width = 640, .captions = true};
    return desc;
}

/* ---- what to draw ---- */

/* How a game wants a world to be drawn. */
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

    /* Shapes are covered by bodies, and both by the caption. */
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
