/* SPDX-License-Identifier: MIT
 * A picture as a list of things to draw, and as SVG: see picture.h.
 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *more(void *list, size_t count, size_t *room, size_t bytes)
{
    if (count < *room) {
        return list;
    }
    *room = 2 * *room + 64;
    void *larger = realloc(list, *room * bytes);
    if (larger == NULL) {
        carom_die("cannot draw: %s", carom_status_string(CAROM_ERROR_MEMORY));
    }
    return larger;
}

void picture_begin(picture *p, double width, double height, colour ground, const char *title)
{
    memset(p, 0, sizeof *p);
    p->width = width;
    p->height = height;
    p->ground = ground;
    snprintf(p->title, sizeof p->title, "%s", title);
}

void picture_free(picture *p)
{
    free(p->marks);
    free(p->points);
}

static mark *add(picture *p, mark_kind kind, double x, double y, colour fill, colour stroke)
{
    p->marks = more(p->marks, p->count, &p->room, sizeof *p->marks);
    mark *m = &p->marks[p->count++];
    memset(m, 0, sizeof *m);
    m->kind = kind;
    m->x = x;
    m->y = y;
    m->fill = fill;
    m->stroke = stroke;
    return m;
}

void picture_circle(picture *p, double x, double y, double radius, colour fill, colour stroke, double width)
{
    mark *m = add(p, MARK_CIRCLE, x, y, fill, stroke);
    m->radius = radius;
    m->width = width;
}

void picture_line(picture *p, double x, double y, double x2, double y2, colour stroke, double width)
{
    mark *m = add(p, MARK_LINE, x, y, 0, stroke);
    m->x2 = x2;
    m->y2 = y2;
    m->width = width;
}

void picture_text(picture *p, double x, double y, double size, int anchor, colour fill, const char *text)
{
    mark *m = add(p, MARK_TEXT, x, y, fill, 0);
    m->radius = size;
    m->anchor = anchor;
    snprintf(m->text, sizeof m->text, "%s", text);
}

void picture_path(picture *p, colour stroke, double width)
{
    mark *m = add(p, MARK_PATH, 0, 0, 0, stroke);
    m->width = width;
    m->first = p->point_count;
}

void picture_point(picture *p, double x, double y)
{
    p->points = more(p->points, p->point_count, &p->point_room, sizeof *p->points);
    p->points[p->point_count][0] = x;
    p->points[p->point_count][1] = y;
    p->point_count++;
    p->marks[p->count - 1].count++;
}

/* ---- SVG ---- */

/* A hundredth of a pixel, without zeros at the end. */
static void put_number(FILE *file, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.2f", fabs(value) < 1e9 ? value : copysign(1e9, value));
    size_t length = strlen(text);
    while (text[length - 1] == '0') {
        length--;
    }
    length -= text[length - 1] == '.';
    text[length] = '\0';
    fputs(strcmp(text, "-0") == 0 ? "0" : text, file);
}

static void put_attribute(FILE *file, const char *name, double value)
{
    fprintf(file, " %s=\"", name);
    put_number(file, value);
    fputc('"', file);
}

static void put_colour(FILE *file, const char *name, colour c)
{
    if (c == 0) {
        fprintf(file, " %s=\"none\"", name);
        return;
    }
    fprintf(file, " %s=\"#%06x\"", name, c >> 8);
    if ((c & 255) != 255) {
        fprintf(file, " %s-opacity=\"", name);
        put_number(file, (double)(c & 255) / 255);
        fputc('"', file);
    }
}

static void put_text(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? '?' : *text, file);
        }
    }
}

static void put_mark(const picture *p, const mark *m, FILE *file)
{
    switch (m->kind) {
    case MARK_CIRCLE:
        fputs("<circle", file);
        put_attribute(file, "cx", m->x);
        put_attribute(file, "cy", m->y);
        put_attribute(file, "r", m->radius);
        put_colour(file, "fill", m->fill);
        break;
    case MARK_LINE:
        fputs("<line", file);
        put_attribute(file, "x1", m->x);
        put_attribute(file, "y1", m->y);
        put_attribute(file, "x2", m->x2);
        put_attribute(file, "y2", m->y2);
        break;
    case MARK_PATH:
        fputs("<polyline points=\"", file);
        for (size_t k = 0; k < m->count; k++) {
            fputs(k > 0 ? " " : "", file);
            put_number(file, p->points[m->first + k][0]);
            fputc(',', file);
            put_number(file, p->points[m->first + k][1]);
        }
        fputs("\" fill=\"none\"", file);
        break;
    case MARK_TEXT:
        fputs("<text", file);
        put_attribute(file, "x", m->x);
        put_attribute(file, "y", m->anchor == 0 ? m->y + 0.35 * m->radius : m->y);
        put_attribute(file, "font-size", m->radius);
        put_colour(file, "fill", m->fill);
        fputs(m->anchor == 0 ? " text-anchor=\"middle\">" : m->anchor > 0 ? " text-anchor=\"end\">" : ">", file);
        put_text(file, m->text);
        fputs("</text>\n", file);
        return;
    }
    if (m->stroke != 0) {
        put_colour(file, "stroke", m->stroke);
        put_attribute(file, "stroke-width", m->width);
    }
    fputs("/>\n", file);
}

void picture_svg(const picture *p, FILE *file)
{
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"",
            p->width, p->height, p->width, p->height);
    fputs(" font-family=\"sans-serif\" stroke-linecap=\"round\" stroke-linejoin=\"round\" role=\"img\">\n<title>",
          file);
    put_text(file, p->title);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\"", file);
    put_colour(file, "fill", p->ground);
    fputs("/>\n", file);
    for (size_t k = 0; k < p->count; k++) {
        put_mark(p, &p->marks[k], file);
    }
    fputs("</svg>\n", file);
}
