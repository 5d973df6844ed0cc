/* SPDX-License-Identifier: MIT
 * A film as JSON, for the page of the viewer (tools/viewer/film.js reads it).
 */
#ifndef CAROM_TOOLS_VIEWER_FILM_TEXT_H
#define CAROM_TOOLS_VIEWER_FILM_TEXT_H

#include "../film/layout.h"

typedef struct text_buffer {
    char *bytes;
    size_t size, room;
} text_buffer;

void text_put(text_buffer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Data that does not change from frame to frame, and whether the page may request more (`live`) and plays a side
 * (`human`). It begins an object that film_text_frames() ends. */
void film_text_head(const film *f, const char *name, bool live, bool human, text_buffer *to);

/* Frames [first, count of them), with the sceneries and ghosts that begin there. It ends the object. */
void film_text_frames(const film *f, size_t first, const film_ghosts *ghosts, size_t count, text_buffer *to);

/* The approximate bytes of the last frame, with its sceneries (those from `sceneries` on) and ghosts. */
size_t film_text_size(const film *f, size_t sceneries, const film_ghosts *ghosts, size_t count);

#endif
