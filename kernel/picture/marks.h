/* SPDX-License-Identifier: MIT
 * A picture as a list of marks, in pixels, the first lowest. It is written as SVG text, or as pixels; the command's
 * cairo paints it, too (tools/film/paint.c).
 */
#ifndef CAROM_PICTURE_MARKS_H
#define CAROM_PICTURE_MARKS_H

#include <carom/base.h>

typedef uint32_t colour; /* 0xRRGGBBAA; 0: none */

typedef enum mark_kind { MARK_CIRCLE, MARK_LINE, MARK_PATH, MARK_TEXT } mark_kind;

typedef struct mark {
    mark_kind kind;
    colour fill, stroke; /* of a text: fill */
    double width;        /* of the stroke */
    double x, y, x2, y2;
    double radius;       /* of a text: its size */
    int anchor;          /* of a text: -1 it begins at x, 0 it is centred (both ways), 1 it ends at x */
    size_t first, count; /* of a path: its points */
    char text[96];
} mark;

typedef struct picture {
    double width, height;
    colour ground;
    char title[96];
    mark *marks;
    size_t count, room;
    double (*points)[2]; /* of paths */
    size_t point_count, point_room;
    bool failed; /* there was no memory for a mark: what was to be drawn after it is not there */
} picture;

void carom_marks_begin(picture *p, double width, double height, colour ground, const char *title);
void carom_marks_free(picture *p);

void carom_mark_circle(picture *p, double x, double y, double radius, colour fill, colour stroke, double width);
void carom_mark_line(picture *p, double x, double y, double x2, double y2, colour stroke, double width);
void carom_mark_text(picture *p, double x, double y, double size, int anchor, colour fill, const char *text);

/* A path: begun, then its points, as many as there are. */
void carom_mark_path(picture *p, colour stroke, double width);
void carom_mark_point(picture *p, double x, double y);

/* As SVG text of *size bytes and a zero, to be freed by free(); NULL if there is no memory, or the picture has
 * failed. */
char *carom_marks_svg(const picture *p, size_t *size);

/* As pixels, red, green, blue: rgb[height][width][3]. Of texts letters and digits of ASCII are drawn. */
void carom_marks_rgb(const picture *p, uint8_t *rgb);

#endif
