/* SPDX-License-Identifier: MIT
 * Pixels as a PNG file (ISO/IEC 15948, RFC 1950 and 1951).
 */
#ifndef CAROM_TOOLS_FILM_PNG_H
#define CAROM_TOOLS_FILM_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* rgb[height][width][3]: red, green, blue; width and height at least 1. False, with errno set, if there is no memory or
 * the file cannot be written. */
bool carom_png_write(const uint8_t *rgb, size_t width, size_t height, FILE *file);

#endif
