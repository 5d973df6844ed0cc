/* SPDX-License-Identifier: MIT
 * Pictures painted by cairo, where the command was built with it.
 */
#ifndef CAROM_TOOLS_FILM_PAINT_H
#define CAROM_TOOLS_FILM_PAINT_H

#include "../command/command.h"
#include "picture/marks.h"

/* Was the command built with cairo? Without it the functions below die with a message. */
bool picture_can_paint(void);

/* As PNG. False, with errno set if it can be, if the file cannot be written. */
bool picture_png(const picture *p, FILE *file);

/* Pixels, [height][width] of 4 bytes blue, green, red, unused. */
void picture_pixels(const picture *p, unsigned char *pixels);

#endif
