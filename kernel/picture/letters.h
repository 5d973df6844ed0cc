/* SPDX-License-Identifier: MIT
 * Text as strokes, for pictures of pixels: no font needs to be installed, and every machine draws the same.
 */
#ifndef CAROM_PICTURE_LETTERS_H
#define CAROM_PICTURE_LETTERS_H

#include <carom/base.h>

typedef struct segment {
    double x, y, dx, dy; /* from (x, y) to (x + dx, y + dy) */
} segment;

#define LETTER_SEGMENTS 64 /* at most so many make a letter */

/* How wide a text of size 1 is. */
double carom_letters_width(const char *text);

/* The strokes of the letter that *text, which is not empty, begins with; *text is moved to the next one. Its base line
 * begins at (x, y), the next letter is *advance to the right. */
size_t carom_letters_next(const char **text, double x, double y, double size, segment segments[LETTER_SEGMENTS],
                          double *advance);

#endif
