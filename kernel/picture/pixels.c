/* SPDX-License-Identifier: MIT
 * Paints a picture in pixels. The distance of each pixel's centre from a circle or a stroke determines how much of the
 * pixel it covers; partly covered pixels make edges smooth.
 */
#include "picture/picture.h"

#include <math.h>

typedef struct canvas {
    uint8_t *rgb; /* [height][width][3] */
    int width, height;
} canvas;

/* Painted as one: lines with round ends, not darker where they overlap. */
typedef struct strokes {
    const segment *segments;
    double (*points)[2]; /* if there are no segments: a line from point to point */
    size_t count;        /* of segments */
    double width;
} strokes;

static double within(double value, double least, double most)
{
    return value > least ? value < most ? value : most : least; /* least for NaN */
}

/* The first pixel whose centre is at or after `at`, within 0 to `most`. */
static int pixel_from(double at, int most)
{
    return (int)within(ceil(at - 0.5), 0, most);
}

/* Paints `count` pixels with a colour that covers the share `cover`, 0 to 1, of each. */
static void paint(uint8_t *at, int count, colour c, double cover)
{
    const unsigned share = (unsigned)(within(cover, 0, 1) * 256.0 / 255 * (c & 255) + 0.5), rest = 256 - share;
    const unsigned red = (c >> 24) * share + 128, green = (c >> 16 & 255) * share + 128,
                   blue = (c >> 8 & 255) * share + 128;
    for (int k = 0; k < count; k++, at += 3) {
        at[0] = (uint8_t)((at[0] * rest + red) >> 8);
        at[1] = (uint8_t)((at[1] * rest + green) >> 8);
        at[2] = (uint8_t)((at[2] * rest + blue) >> 8);
    }
}

static uint8_t *pixel(const canvas *to, int x, int y)
{
    return to->rgb + 3 * ((size_t)y * (size_t)to->width + (size_t)x);
}

/* Half the width of a circle at a distance of dy from its centre; negative outside. */
static double reach(double radius, double dy)
{
    return radius > fabs(dy) ? sqrt(radius * radius - dy * dy) : -1;
}

/* Paints the ring between two circles around (x, y), or the whole disc if `inner` is negative. */
static void ring(const canvas *to, double x, double y, double inner, double outer, colour c)
{
    const int last = pixel_from(y + outer + 0.5, to->height);
    for (int row = pixel_from(y - outer - 0.5, to->height); row < last; row++) {
        const double dy = row + 0.5 - y, wide = reach(outer + 0.5, dy);

        /* From `first` to before `after` all pixels are alike: within the disc, or within the hole of the ring. They
         * need no distance. */
        const double same = reach(inner < 0 ? outer - 0.5 : inner - 0.5, dy);
        const int begin = pixel_from(x - wide, to->width), end = pixel_from(x + wide, to->width);
        int first = same > 0 ? pixel_from(x - same, to->width) : end,
            after = same > 0 ? pixel_from(x + same, to->width) : end;
        for (int column = begin; column < end; column++) {
            if (column == first && after > first) {
                if (inner < 0) {
                    paint(pixel(to, first, row), after - first, c, 1);
                }
                column = after - 1;
                continue;
            }
            const double dx = column + 0.5 - x, far = sqrt(dx * dx + dy * dy);
            const double hole = inner < 0 ? 0 : within(inner + 0.5 - far, 0, 1);
            paint(pixel(to, column, row), 1, c, within(outer + 0.5 - far, 0, 1) - hole);
        }
    }
}

/* The square of the distance of a point from a segment. */
static double apart(const segment *s, double x, double y)
{
    const double px = x - s->x, py = y - s->y, length = s->dx * s->dx + s->dy * s->dy;
    const double along = length > 0 ? within((px * s->dx + py * s->dy) / length, 0, 1) : 0;
    const double qx = px - along * s->dx, qy = py - along * s->dy;
    return qx * qx + qy * qy;
}

static segment segment_of(const strokes *lines, size_t k)
{
    if (lines->segments != NULL) {
        return lines->segments[k];
    }
    const double *a = lines->points[k], *b = lines->points[k + 1];
    const segment s = {a[0], a[1], b[0] - a[0], b[1] - a[1]};
    return s;
}

/* The part of a row that is nearer than `by` to a segment: from *from to *to. False if there is none. */
static bool stretch(const segment *s, double y, double by, double *from, double *to)
{
    double first = 0, last = 1;
    if (s->dy != 0) {
        const double a = (y - by - s->y) / s->dy, b = (y + by - s->y) / s->dy;
        first = fmax(0, fmin(a, b));
        last = fmin(1, fmax(a, b));
    } else if (fabs(y - s->y) > by) {
        return false;
    }
    const double x1 = s->x + first * s->dx, x2 = s->x + last * s->dx;
    *from = fmin(x1, x2) - by;
    *to = fmax(x1, x2) + by;
    return first <= last;
}

#define STRIP 256 /* pixels of a row whose cover is computed at a time */

/* Paints the pixels of a row from column `left` on, STRIP at most. */
static void stroke_strip(const canvas *to, const strokes *lines, int row, int left, colour c)
{
    const double half = lines->width / 2, by = half + 0.5, y = row + 0.5;
    const int right = left + STRIP < to->width ? left + STRIP : to->width;
    double cover[STRIP] = {0};

    /* The segment that covers most of a pixel determines its cover. */
    int first = right, end = left;
    for (size_t k = 0; k < lines->count; k++) {
        const segment s = segment_of(lines, k);
        double from, until;
        if (!stretch(&s, y, by, &from, &until)) {
            continue;
        }
        const int begin = (int)within(pixel_from(from, to->width), left, right);
        const int last = (int)within(pixel_from(until, to->width), left, right);
        for (int column = begin; column < last; column++) {
            const double far = sqrt(apart(&s, column + 0.5, y)); /* strokes thinner than a pixel are paler */
            cover[column - left] = fmax(cover[column - left], within(by - far, 0, 1) - within(0.5 - half - far, 0, 1));
        }
        first = begin < last && begin < first ? begin : first;
        end = begin < last && last > end ? last : end;
    }

    for (int column = first; column < end; column++) {
        paint(pixel(to, column, row), 1, c, cover[column - left]);
    }
}

/* Paints lines with round ends as one shape, not darker where they overlap. */
static void stroke(const canvas *to, const strokes *lines, colour c)
{
    const double by = lines->width / 2 + 0.5;
    double top = INFINITY, bottom = -INFINITY, left = INFINITY, right = -INFINITY;
    for (size_t k = 0; k < lines->count; k++) {
        const segment s = segment_of(lines, k);
        top = fmin(top, fmin(s.y, s.y + s.dy));
        bottom = fmax(bottom, fmax(s.y, s.y + s.dy));
        left = fmin(left, fmin(s.x, s.x + s.dx));
        right = fmax(right, fmax(s.x, s.x + s.dx));
    }

    /* Row by row, in strips between the ends of what any line reaches. */
    const int end = pixel_from(bottom + by, to->height), last = pixel_from(right + by, to->width);
    for (int row = pixel_from(top - by, to->height); row < end; row++) {
        for (int column = pixel_from(left - by, to->width); column < last; column += STRIP) {
            stroke_strip(to, lines, row, column, c);
        }
    }
}

/* Paints a text letter by letter. */
static void paint_text(const canvas *to, const mark *m)
{
    const double size = m->radius, width = carom_letters_width(m->text) * size;
    const double y = m->anchor == 0 ? m->y + 0.35 * size : m->y;
    double x = m->anchor < 0 ? m->x : m->anchor == 0 ? m->x - width / 2 : m->x - width;
    for (const char *at = m->text; *at != '\0';) {
        segment segments[LETTER_SEGMENTS];
        double advance;
        const size_t count = carom_letters_next(&at, x, y, size, segments, &advance);
        const strokes letter = {segments, NULL, count, fmax(1, 0.09 * size)};
        stroke(to, &letter, m->fill);
        x += advance;
    }
}

/* ---- the picture ---- */

void carom_marks_rgb(const picture *p, uint8_t *rgb)
{
    const canvas to = {rgb, (int)p->width, (int)p->height};
    paint(rgb, to.width * to.height, p->ground | 255, 1);
    for (size_t k = 0; k < p->count; k++) {
        const mark *m = &p->marks[k];
        if (m->kind == MARK_TEXT) {
            paint_text(&to, m);
        } else if (m->kind == MARK_PATH) {
            const strokes path = {NULL, p->points + m->first, m->count > 0 ? m->count - 1 : 0, m->width};
            stroke(&to, &path, m->stroke);
        } else if (m->kind == MARK_LINE) {
            const segment s = {m->x, m->y, m->x2 - m->x, m->y2 - m->y};
            const strokes line = {&s, NULL, 1, m->width};
            stroke(&to, &line, m->stroke);
        } else {
            if (m->fill != 0) {
                ring(&to, m->x, m->y, -1, m->radius, m->fill);
            }
            if (m->stroke != 0) {
                ring(&to, m->x, m->y, fmax(0, m->radius - m->width / 2), m->radius + m->width / 2, m->stroke);
            }
        }
    }
}
