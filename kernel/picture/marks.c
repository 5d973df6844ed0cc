/* SPDX-License-Identifier: MIT
 * The list of marks of a picture, and its SVG text.
 */
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more item in a list, and returns the list. If out of memory, the picture fails, and the result
 * is NULL. */
static void *more(picture *p, void *list, size_t count, size_t *room, size_t bytes)
{
    if (p->failed || count < *room) {
        return p->failed ? NULL : list;
    }
    const size_t wanted = 2 * *room + 64;
    void *larger = realloc(list, wanted * bytes);
    p->failed = larger == NULL;
    *room = p->failed ? *room : wanted;
    return larger;
}

void carom_marks_begin(picture *p, double width, double height, colour ground, const char *title)
{
    memset(p, 0, sizeof *p);
    p->width = width;
    p->height = height;
    p->ground = ground;
    snprintf(p->title, sizeof p->title, "%s", title);
}

void carom_marks_free(picture *p)
{
    free(p->marks);
    free(p->points);
}

/* Appends a mark; NULL if out of memory. */
static mark *add(picture *p, mark_kind kind, double x, double y, colour fill, colour stroke)
{
    mark *marks = more(p, p->marks, p->count, &p->room, sizeof *p->marks);
    if (marks == NULL) {
        return NULL;
    }
    p->marks = marks;
    mark *m = &marks[p->count++];
    memset(m, 0, sizeof *m);
    m->kind = kind;
    m->x = x;
    m->y = y;
    m->fill = fill;
    m->stroke = stroke;
    return m;
}

void carom_mark_circle(picture *p, double x, double y, double radius, colour fill, colour stroke, double width)
{
    mark *m = add(p, MARK_CIRCLE, x, y, fill, stroke);
    if (m != NULL) {
        m->radius = radius;
        m->width = width;
    }
}

void carom_mark_line(picture *p, double x, double y, double x2, double y2, colour stroke, double width)
{
    mark *m = add(p, MARK_LINE, x, y, 0, stroke);
    if (m != NULL) {
        m->x2 = x2;
        m->y2 = y2;
        m->width = width;
    }
}

void carom_mark_text(picture *p, double x, double y, double size, int anchor, colour fill, const char *text)
{
    mark *m = add(p, MARK_TEXT, x, y, fill, 0);
    if (m != NULL) {
        m->radius = size;
        m->anchor = anchor;
        snprintf(m->text, sizeof m->text, "%s", text);
    }
}

void carom_mark_path(picture *p, colour stroke, double width)
{
    mark *m = add(p, MARK_PATH, 0, 0, 0, stroke);
    if (m != NULL) {
        m->width = width;
        m->first = p->point_count;
    }
}

void carom_mark_point(picture *p, double x, double y)
{
    double(*points)[2] = more(p, p->points, p->point_count, &p->point_room, sizeof *p->points);
    if (points != NULL) {
        p->points = points;
        points[p->point_count][0] = x;
        points[p->point_count][1] = y;
        p->point_count++;
        p->marks[p->count - 1].count++;
    }
}

/* ---- SVG ---- */

/* Growing text. `bytes` becomes NULL if out of memory. */
typedef struct writer {
    char *bytes;
    size_t size, room;
} writer;

static void put_bytes(writer *to, const char *bytes, size_t count)
{
    if (to->bytes != NULL && to->room - to->size <= count) {
        to->room = 2 * (to->size + count) + 1;
        char *larger = realloc(to->bytes, to->room);
        if (larger == NULL) {
            free(to->bytes);
        }
        to->bytes = larger;
    }
    if (to->bytes != NULL) {
        memcpy(to->bytes + to->size, bytes, count);
        to->size += count;
        to->bytes[to->size] = '\0';
    }
}

static void put(writer *to, const char *text)
{
    put_bytes(to, text, strlen(text));
}

/* Writes a number to two places, without trailing zeros; the same text in every locale. */
static void put_number(writer *to, double value)
{
    const double most = 1e9;
    const long long hundredths = llround(100 * (value > most ? most : value > -most ? value : -most));
    const long long size = hundredths < 0 ? -hundredths : hundredths, part = size % 100;
    char text[32];
    const int length = snprintf(text, sizeof text, "%s%lld", hundredths < 0 ? "-" : "", size / 100);
    put_bytes(to, text, (size_t)length);
    if (part != 0) {
        const char digits[] = {'.', (char)('0' + part / 10), (char)('0' + part % 10)};
        put_bytes(to, digits, part % 10 != 0 ? 3 : 2);
    }
}

static void put_attribute(writer *to, const char *name, double value)
{
    put(to, " ");
    put(to, name);
    put(to, "=\"");
    put_number(to, value);
    put(to, "\"");
}

/* Writes a colour, and its opacity unless it is opaque. */
static void put_colour(writer *to, const char *name, colour c)
{
    char text[16];
    put(to, " ");
    put(to, name);
    if (c == 0) {
        put(to, "=\"none\"");
        return;
    }
    snprintf(text, sizeof text, "=\"#%06x\"", c >> 8);
    put(to, text);
    if ((c & 255) != 255) {
        put(to, " ");
        put(to, name);
        put(to, "-opacity=\"");
        put_number(to, (double)(c & 255) / 255);
        put(to, "\"");
    }
}

/* Writes text with SVG's special characters escaped. */
static void put_text(writer *to, const char *text)
{
    for (; *text != '\0'; text++) {
        const char c = (char)((unsigned char)*text < ' ' ? '?' : *text);
        switch (c) {
        case '&':
            put(to, "&amp;");
            break;
        case '<':
            put(to, "&lt;");
            break;
        case '>':
            put(to, "&gt;");
            break;
        default:
            put_bytes(to, &c, 1);
        }
    }
}

/* Writes a mark as an element. A text ends early, since it has no stroke. */
static void put_mark(writer *to, const picture *p, const mark *m)
{
    switch (m->kind) {
    case MARK_CIRCLE:
        put(to, "<circle");
        put_attribute(to, "cx", m->x);
        put_attribute(to, "cy", m->y);
        put_attribute(to, "r", m->radius);
        put_colour(to, "fill", m->fill);
        break;
    case MARK_LINE:
        put(to, "<line");
        put_attribute(to, "x1", m->x);
        put_attribute(to, "y1", m->y);
        put_attribute(to, "x2", m->x2);
        put_attribute(to, "y2", m->y2);
        break;
    case MARK_PATH:
        put(to, "<polyline points=\"");
        for (size_t k = 0; k < m->count; k++) {
            put(to, k > 0 ? " " : "");
            put_number(to, p->points[m->first + k][0]);
            put(to, ",");
            put_number(to, p->points[m->first + k][1]);
        }
        put(to, "\" fill=\"none\"");
        break;
    case MARK_TEXT:
        put(to, "<text");
        put_attribute(to, "x", m->x);
        put_attribute(to, "y", m->anchor == 0 ? m->y + 0.35 * m->radius : m->y);
        put_attribute(to, "font-size", m->radius);
        put_colour(to, "fill", m->fill);
        put(to, m->anchor == 0 ? " text-anchor=\"middle\">" : m->anchor > 0 ? " text-anchor=\"end\">" : ">");
        put_text(to, m->text);
        put(to, "</text>\n");
        return;
    }

    if (m->stroke != 0) {
        put_colour(to, "stroke", m->stroke);
        put_attribute(to, "stroke-width", m->width);
    }
    put(to, "/>\n");
}

char *carom_marks_svg(const picture *p, size_t *size)
{
    writer to = {p->failed ? NULL : malloc(1), 0, 1};
    char box[160];
    snprintf(box, sizeof box, " width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"", p->width, p->height,
             p->width, p->height);
    put(&to, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put(&to, box);
    put(&to, " font-family=\"sans-serif\" stroke-linecap=\"round\" stroke-linejoin=\"round\" role=\"img\">\n<title>");
    put_text(&to, p->title);
    put(&to, "</title>\n<rect width=\"100%\" height=\"100%\"");
    put_colour(&to, "fill", p->ground);
    put(&to, "/>\n");

    for (size_t k = 0; k < p->count && to.bytes != NULL; k++) {
        put_mark(&to, p, &p->marks[k]);
    }
    put(&to, "</svg>\n");

    *size = to.size;
    return to.bytes;
}
