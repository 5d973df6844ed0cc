/* SPDX-License-Identifier: MIT
 * Painting a picture in pixels. The distance of each pixel's centre from a circle or a stroke decides how much of the
 * pixel it covers; partly covered pixels make edges smooth.
 */
#include "picture/marks.h"

#include <math.h>
#include <string.h>

typedef struct canvas {
    uint8_t *rgb; /* [height][width][3] */
    int width, height;
} canvas;

typedef struct segment {
    double x, y, dx, dy; /* from (x, y) to (x + dx, y + dy) */
} segment;

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

/* Half the width of a circle at a distance of dy from its centre; negative if that is outside. */
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

            /* A pixel at an edge is covered as far as its centre is inside, give or take half a pixel. */
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

/* Extends [*from, *to) to where the row at y comes nearer than `by` to a segment. */
static void stretch(const segment *s, double y, double by, double *from, double *to)
{
    double first = 0, last = 1;
    if (s->dy != 0) {
        const double a = (y - by - s->y) / s->dy, b = (y + by - s->y) / s->dy;
        first = fmax(0, fmin(a, b));
        last = fmin(1, fmax(a, b));
    } else if (fabs(y - s->y) > by) {
        return;
    }
    if (first <= last) {
        const double x1 = s->x + first * s->dx, x2 = s->x + last * s->dx;
        *from = fmin(*from, fmin(x1, x2) - by);
        *to = fmax(*to, fmax(x1, x2) + by);
    }
}

/* Paints segments with round ends as one shape, which is not darker where they overlap. */
static void stroke(const canvas *to, const segment *segments, size_t count, double width, colour c)
{
    const double half = width / 2, by = half + 0.5;
    double top = INFINITY, bottom = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        top = fmin(top, fmin(segments[k].y, segments[k].y + segments[k].dy));
        bottom = fmax(bottom, fmax(segments[k].y, segments[k].y + segments[k].dy));
    }

    /* Row by row, between the ends of what any segment reaches in it. */
    const int end = pixel_from(bottom + by, to->height);
    for (int row = pixel_from(top - by, to->height); row < end; row++) {
        const double y = row + 0.5;
        double from = INFINITY, until = -INFINITY;
        for (size_t k = 0; k < count; k++) {
            stretch(&segments[k], y, by, &from, &until);
        }

        const int last = pixel_from(until, to->width);
        for (int column = pixel_from(from, to->width); column < last; column++) {
            double nearest = INFINITY;
            for (size_t k = 0; k < count; k++) {
                nearest = fmin(nearest, apart(&segments[k], column + 0.5, y));
            }
            const double far = sqrt(nearest); /* strokes thinner than a pixel are paler */
            paint(pixel(to, column, row), 1, c, within(by - far, 0, 1) - within(0.5 - half - far, 0, 1));
        }
    }
}

/* The segment from (x, y) to (x2, y2). */
static segment between(double x, double y, double x2, double y2)
{
    const segment s = {x, y, x2 - x, y2 - y};
    return s;
}

/* Paints a path, segment by segment. */
static void paint_path(const canvas *to, const picture *p, const mark *m)
{
    for (size_t k = 1; k < m->count; k++) {
        const double *a = p->points[m->first + k - 1], *b = p->points[m->first + k];
        const segment s = between(a[0], a[1], b[0], b[1]);
        stroke(to, &s, 1, m->width, m->stroke);
    }
}

/* ---- letters ---- */

/* The lines of a letter on a grid of 5 x 7 points, (0, 0) at the upper left, as paths of points: "0040 2026" goes from
 * (0, 0) to (4, 0), and from (2, 0) to (2, 6), which is a T. Small letters are drawn as capitals. */
#define MOST_SEGMENTS 16
static const char *letter(char c)
{
    static const char *const digits[] = {"103041453616050110",          "112026",   "01103041420646",
                                         "01103041423323 334445361605", "36300444", "40000312324345361605",
                                         "413010010516364544331304",    "004016",   "13020110304142331304051636454433",
                                         "423313020110304145361605"};
    static const char *const capitals[] = {"0602204246 0444",
                                           "06003041423303 3344453606",
                                           "4130100105163645",
                                           "06003041453606",
                                           "40000646 0333",
                                           "400006 0333",
                                           "41301001051636454323",
                                           "0006 0343 4046",
                                           "2026 1030 1636",
                                           "4045361605",
                                           "0006 400346",
                                           "000646",
                                           "0600234046",
                                           "06004640",
                                           "103041453616050110",
                                           "06003041423303",
                                           "103041453616050110 2446",
                                           "06003041423303 2346",
                                           "413010010213334445361605",
                                           "0040 2026",
                                           "000516364540",
                                           "002640",
                                           "0016233640",
                                           "0046 4006",
                                           "002340 2326",
                                           "00400646"};
    return c >= '0' && c <= '9'   ? digits[c - '0']
           : c >= 'A' && c <= 'Z' ? capitals[c - 'A']
           : c >= 'a' && c <= 'z' ? capitals[c - 'a']
           : c == '-'             ? "1333"
           : c == '+'             ? "0343 2125"
           : c == '.'             ? "2626"
           : c == ','             ? "2617"
           : c == ':'             ? "2222 2525"
           : c == '_'             ? "0646"
           : c == '/'             ? "0640"
                                  : "";
}

/* Paints a text whose letters are strokes. */
static void paint_text(const canvas *to, const mark *m)
{
    const double size = m->radius, advance = 0.54 * size, across = 0.09 * size, down = 0.7 / 6 * size;
    const double width = (double)strlen(m->text) * advance - (advance - 4 * across);
    const double top = (m->anchor == 0 ? m->y + 0.35 * size : m->y) - 6 * down;

    double x = m->anchor < 0 ? m->x : m->anchor == 0 ? m->x - width / 2 : m->x - width;
    for (const char *c = m->text; *c != '\0'; c++, x += advance) {
        segment segments[MOST_SEGMENTS];
        size_t count = 0;

        /* A space in a letter ends a path; otherwise each point is joined to the next. */
        for (const char *at = letter(*c); at[0] != '\0' && at[1] != '\0' && at[2] != '\0'; at += at[2] == ' ' ? 3 : 2) {
            if (at[2] != ' ' && count < MOST_SEGMENTS) {
                segments[count++] = between(x + (at[0] - '0') * across, top + (at[1] - '0') * down,
                                            x + (at[2] - '0') * across, top + (at[3] - '0') * down);
            }
        }

        stroke(to, segments, count, fmax(1, 0.1 * size), m->fill);
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
            paint_path(&to, p, m);
        } else if (m->kind == MARK_LINE) {
            const segment s = between(m->x, m->y, m->x2, m->y2);
            stroke(&to, &s, 1, m->width, m->stroke);
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
