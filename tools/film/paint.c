/* SPDX-License-Identifier: MIT
 * Pictures painted by cairo: see paint.h.
 */
#include "paint.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool picture_can_paint(void)
{
    return true;
}

static void set(cairo_t *to, colour c)
{
    cairo_set_source_rgba(to, (c >> 24) / 255.0, (c >> 16 & 255) / 255.0, (c >> 8 & 255) / 255.0, (c & 255) / 255.0);
}

static void paint_text(cairo_t *to, const mark *m)
{
    cairo_text_extents_t size;
    cairo_set_font_size(to, m->radius);
    cairo_text_extents(to, m->text, &size);
    const double left = m->anchor < 0 ? 0 : m->anchor == 0 ? 0.5 * size.x_advance : size.x_advance;
    cairo_move_to(to, m->x - left, m->anchor == 0 ? m->y + 0.35 * m->radius : m->y);
    set(to, m->fill);
    cairo_show_text(to, m->text);
    cairo_new_path(to);
}

static void paint_mark(cairo_t *to, const picture *p, const mark *m)
{
    if (m->kind == MARK_TEXT) {
        paint_text(to, m);
        return;
    }
    cairo_new_path(to);
    if (m->kind == MARK_CIRCLE) {
        cairo_arc(to, m->x, m->y, m->radius, 0, 2 * 3.14159265358979323846);
    } else if (m->kind == MARK_LINE) {
        cairo_move_to(to, m->x, m->y);
        cairo_line_to(to, m->x2, m->y2);
    }
    for (size_t k = 0; k < m->count; k++) {
        cairo_line_to(to, p->points[m->first + k][0], p->points[m->first + k][1]);
    }
    if (m->fill != 0) {
        set(to, m->fill);
        cairo_fill_preserve(to);
    }
    if (m->stroke != 0) {
        set(to, m->stroke);
        cairo_set_line_width(to, m->width);
        cairo_stroke(to);
    }
}

static cairo_surface_t *paint(const picture *p)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)p->width, (int)p->height);
    cairo_t *to = cairo_create(surface);
    cairo_set_line_cap(to, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(to, CAIRO_LINE_JOIN_ROUND);
    cairo_select_font_face(to, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    set(to, p->ground);
    cairo_paint(to);
    for (size_t k = 0; k < p->count; k++) {
        paint_mark(to, p, &p->marks[k]);
    }
    const cairo_status_t status = cairo_status(to);
    cairo_destroy(to);
    if (status != CAIRO_STATUS_SUCCESS) {
        carom_die("cannot paint: %s", cairo_status_to_string(status));
    }
    cairo_surface_flush(surface);
    return surface;
}

static cairo_status_t put(void *file, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, (FILE *)file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

bool picture_png(const picture *p, FILE *file)
{
    cairo_surface_t *surface = paint(p);
    const cairo_status_t status = cairo_surface_write_to_png_stream(surface, put, file);
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS;
}

void picture_pixels(const picture *p, unsigned char *pixels)
{
    cairo_surface_t *surface = paint(p);
    const unsigned char *from = cairo_image_surface_get_data(surface);
    const size_t stride = (size_t)cairo_image_surface_get_stride(surface), row = (size_t)p->width * 4;
    for (size_t y = 0; y < (size_t)p->height; y++) {
        memcpy(pixels + y * row, from + y * stride, row);
    }
    cairo_surface_destroy(surface);
}
