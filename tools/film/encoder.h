/* SPDX-License-Identifier: MIT
 * Movies: ffmpeg, which reads raw pictures.
 */
#ifndef CAROM_TOOLS_FILM_ENCODER_H
#define CAROM_TOOLS_FILM_ENCODER_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

typedef enum encoder_kind { ENCODER_GIF, ENCODER_MP4 } encoder_kind;

typedef struct encoder {
    pid_t process;
    FILE *to; /* takes pictures: 3 bytes a pixel */
} encoder;

/* Starts a movie of `rate` pictures a second in the file `path`. The end dies if it cannot be written. */
encoder carom_encoder_begin(const char *path, encoder_kind kind, size_t width, size_t height, size_t rate);
void carom_encoder_end(encoder *e, const char *path);

#endif
