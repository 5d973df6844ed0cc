/* SPDX-License-Identifier: MIT
 * A picture as a list of marks in pixels, where later marks cover earlier ones, which can be written as SVG text or as
 * pixels; and the drawing of a world into it: its shapes, its bodies, and the caption below them.
 */
#ifndef CAROM_PICTURE_PICTURE_H
#define CAROM_PICTURE_PICTURE_H

#include <carom/look.h>

/* ---- marks (marks.c, and pixels.c for carom_marks_rgb()) ---- */

typedef uint32_t colour; /* 0xRRGGBBAA; 0: none */

typedef enum mark_kind { MARK_CIRCLE, MARK_LINE, MARK_PATH, MARK_TEXT } mark_kind;

typedef struct mark {
    mark_kind kind;
    colour fill, stroke; /* a text has only fill */
    double width;        /* of the stroke */
    double x, y;         /* the centre of a circle, the start of a line, the position of a text */
    double x2, y2;       /* the end of a line */
    double radius;       /* of a circle; the size of a text */
    int anchor;          /* of a text: -1 starts at x, 0 is centred both ways, 1 ends at x */
    size_t first, count; /* a path's points in picture.points */
    char text[96];
} mark;

typedef struct picture {
    double width, height;
    colour ground;
    char title[96];
    mark *marks;
    size_t count, room;  /* marks, and those that fit in the memory */
    double (*points)[2]; /* of all paths */
    size_t point_count, point_room;
    bool failed; /* out of memory for a mark: it and all later ones are missing */
} picture;

void carom_marks_begin(picture *p, double width, double height, colour ground, const char *title);
void carom_marks_free(picture *p);

void carom_mark_circle(picture *p, double x, double y, double radius, colour fill, colour stroke, double width);
void carom_mark_line(picture *p, double x, double y, double x2, double y2, colour stroke, double width);
void carom_mark_text(picture *p, double x, double y, double size, int anchor, colour fill, const char *text);

/* Begins a path; carom_mark_point() then adds its points. */
void carom_mark_path(picture *p, colour stroke, double width);
void carom_mark_point(picture *p, double x, double y);

/* Returns the picture as SVG text of *size bytes and a zero; free it with free(). NULL if out of memory, or if the
 * picture has failed. */
char *carom_marks_svg(const picture *p, size_t *size);

/* Paints the picture as red, green and blue: rgb[height][width][3]. Characters other than ASCII become boxes. */
void carom_marks_rgb(const picture *p, uint8_t *rgb);

/* ---- text as strokes (letters.c): no fonts needed, and the same on every machine ---- */

typedef struct segment {
    double x, y, dx, dy; /* from (x, y) to (x + dx, y + dy) */
} segment;

#define LETTER_SEGMENTS 64 /* at most per letter */

/* The width of a text of size 1. */
double carom_letters_width(const char *text);

/* The strokes of the first letter of *text, which is not empty; advances *text to the next one. The letter's base line
 * begins at (x, y), the next letter is *advance to the right. */
size_t carom_letters_next(const char **text, double x, double y, double size, segment segments[LETTER_SEGMENTS],
                          double *advance);

/* ---- worlds (picture.c) ---- */

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
    double sign;   /* 1 if the game's y points down, otherwise -1 */
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

/* `numbered`: also draw the body's number if there is room. */
void carom_picture_body(picture *p, const theme *colours, const mapping *m, const carom_look_body *body, bool numbered);

/* The most bodies in a picture whose bodies are numbered. */
#define PICTURE_NUMBERED 64

/* What the caption shows of a world. */
typedef struct caption {
    const char *title; /* of the game */
    double tick;       /* may lie within a tick */
    int end, fault;    /* the fields of these names */
    uint64_t hash;
    const carom_look_number *numbers;
    size_t count;
    uint32_t players;
} caption;

/* Draws the caption: two lines at the lower edge, CAPTION_HEIGHT pixels high, which cover everything there. */
#define CAPTION_HEIGHT 56.0
void carom_picture_caption(picture *p, const theme *colours, const caption *c);

/* "Coders Strike Back, tick 12" */
void carom_picture_title(const caption *c, char *text, size_t size);

#endif
