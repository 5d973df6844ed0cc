/* SPDX-License-Identifier: MIT
 * A picture as a list of marks in pixels, where later marks cover earlier ones. It can be written as SVG text or as
 * pixels.
 */
#ifndef CAROM_PICTURE_MARKS_H
#define CAROM_PICTURE_MARKS_H

#include <carom/base.h>

typedef uint32_t colour; /* 0xRRGGBBAA; 0: none */

typedef enum mark_kind { MARK_CIRCLE, MARK_LINE, MARK_PATH, MARK_TEXT } mark_kind;

typedef struct mark {
    mark_kind kind;
    colour fill, stroke; /* a text has only fill */
    double width;        /* of the stroke */
    double x, y;         /* the centre of a circle, the start of a line, the place of a text */
    double x2, y2;       /* the end of a line */
    double radius;       /* of a circle; the size of a text */
    int anchor;          /* of a text: -1 begins at x, 0 is centred both ways, 1 ends at x */
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
    bool failed; /* there was no memory for a mark: it and all later ones are missing */
} picture;

void carom_marks_begin(picture *p, double width, double height, colour ground, const char *title);
void carom_marks_free(picture *p);

void carom_mark_circle(picture *p, double x, double y, double radius, colour fill, colour stroke, double width);
void carom_mark_line(picture *p, double x, double y, double x2, double y2, colour stroke, double width);
void carom_mark_text(picture *p, double x, double y, double size, int anchor, colour fill, const char *text);

/* Begins a path; carom_mark_point() then adds its points. */
void carom_mark_path(picture *p, colour stroke, double width);
void carom_mark_point(picture *p, double x, double y);

/* Returns the picture as SVG text of *size bytes and a zero; free it with free(). NULL if there is no memory, or if the
 * picture has failed. */
char *carom_marks_svg(const picture *p, size_t *size);

/* Paints the picture as red, green and blue: rgb[height][width][3]. What is not ASCII is a box in texts. */
void carom_marks_rgb(const picture *p, uint8_t *rgb);

#endif
