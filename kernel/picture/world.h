/* SPDX-License-Identifier: MIT
 * Drawing a world: its shapes, its bodies, and the caption below them.
 */
#ifndef CAROM_PICTURE_WORLD_H
#define CAROM_PICTURE_WORLD_H

#include <carom/look.h>

#include "picture/marks.h"

/* The colours of a picture. The viewer uses them, too. */
typedef struct theme {
    const char *name;
    colour ground, text, faint, impact, ghost[5];
    colour style[CAROM_LOOK_STYLES];
} theme;

extern const theme carom_themes[2]; /* light, dark */

/* The mapping from the game's units to pixels. */
typedef struct mapping {
    double scale;  /* pixels a unit */
    double x0, y0; /* the upper left corner, in the game's units */
    double sign;   /* 1 if the game's y points down, else -1 */
} mapping;

static inline double to_x(const mapping *m, double x)
{
    return (x - m->x0) * m->scale;
}

static inline double to_y(const mapping *m, double y)
{
    return m->sign * (y - m->y0) * m->scale;
}

mapping carom_picture_map(const carom_look_view *view, double width);

/* The colour with its opacity multiplied by `share`. */
colour carom_picture_pale(colour c, double share);

void carom_picture_shapes(picture *p, const theme *colours, const mapping *m, const carom_look_shape *shapes,
                          size_t count);

/* `numbered`: write the body's number into it if there is room. */
void carom_picture_body(picture *p, const theme *colours, const mapping *m, const carom_look_body *body, bool numbered);

/* The most bodies in a picture whose bodies are numbered. */
#define PICTURE_NUMBERED 64

/* What the caption tells of a world. */
typedef struct caption {
    const char *title; /* of the game */
    int32_t tick;
    int end, fault; /* the fields of these names */
    uint64_t hash;
    const carom_look_number *numbers;
    size_t count;
    uint32_t players;
} caption;

/* Draws the caption: two lines at the lower edge, CAPTION_HEIGHT pixels high, which cover what is there. */
#define CAPTION_HEIGHT 56.0
void carom_picture_caption(picture *p, const theme *colours, const caption *c);

/* "Coders Strike Back, tick 12" */
void carom_picture_title(const caption *c, char *text, size_t size);

#endif
