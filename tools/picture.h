/* SPDX-License-Identifier: MIT
 * A picture as a list of things to draw, in pixels; written as SVG, or painted by cairo where it is there.
 */
#ifndef CAROM_TOOLS_PICTURE_H
#define CAROM_TOOLS_PICTURE_H

#include "command.h"

typedef uint32_t colour; /* 0xRRGGBBAA; 0: none */

typedef enum mark_kind { MARK_CIRCLE, MARK_LINE, MARK_PATH, MARK_TEXT } mark_kind;

typedef struct mark {
    mark_kind kind;
    colour fill, stroke; /* of a text: fill */
    double width;        /* of the stroke */
    double x, y, x2, y2;
    double radius; /* of a text: its size */
    int anchor;    /* of a text: -1 it begins at x, 0 it is centred (both ways), 1 it ends at x */
    size_t first, count;
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
} picture;

void picture_begin(picture *p, double width, double height, colour ground, const char *title);
void picture_free(picture *p);

void picture_circle(picture *p, double x, double y, double radius, colour fill, colour stroke, double width);
void picture_line(picture *p, double x, double y, double x2, double y2, colour stroke, double width);
void picture_text(picture *p, double x, double y, double size, int anchor, colour fill, const char *text);

/* A path: begun, then its points, as many as there are. */
void picture_path(picture *p, colour stroke, double width);
void picture_point(picture *p, double x, double y);

/* As SVG text. */
void picture_svg(const picture *p, FILE *file);

/* Was the command built with cairo? Without it the functions below die with a message. */
bool picture_can_paint(void);

/* As PNG. False, with errno set if it can be, if the file cannot be written. */
bool picture_png(const picture *p, FILE *file);

/* Pixels, [height][width] of 4 bytes blue, green, red, unused. */
void picture_pixels(const picture *p, unsigned char *pixels);

#endif
