/* SPDX-License-Identifier: MIT
 * Letters as strokes: the 95 visible characters of ASCII, and a box for all others.
 *
 * A letter is lines, and each line is points of two characters, x and y, from 0 to z as in numbers of base 36. The
 * origin is at the upper left; capitals reach from y = 0 to the base line at e (14), small letters without an ascender
 * begin at 4, descenders end at i (18). A line that begins with ~ is curved: it touches the middle of each segment
 * between two points, as a quadratic B-spline, and begins and ends at its first and last point, or is closed if they
 * are the same.
 */
#include "picture/picture.h"

typedef struct outline {
    unsigned char width;
    const char *lines;
} outline;

#define BASE 14             /* the height of capitals, in units of the grid */
#define BEARING 1.6         /* left free on both sides of a letter */
#define UNIT (0.716 / BASE) /* of the grid, for a text of size 1 */
#define PIECES 5            /* straight pieces per curve */

static const outline letters[] = {
    {2, ""},                                    /* space */
    {0, "000a 0e0e"},                           /* ! */
    {3, "0004 3034"},                           /* " */
    {8, "301e 705e 0585 0989"},                 /* # */
    {8, "~83800007878e0e0b 404e"},              /* $ */
    {12, "~0040460600 ~88c8ce8e88 a02e"},       /* % */
    {9, "9e23 ~23206064080e6e98"},              /* & */
    {0, "0004"},                                /* ' */
    {3, "~30050b3g"},                           /* ( */
    {3, "~00353b0g"},                           /* ) */
    {6, "3036 0165 0561"},                      /* * */
    {8, "444c 0888"},                           /* + */
    {1, "1d0g"},                                /* , */
    {4, "0949"},                                /* - */
    {0, "0e0e"},                                /* . */
    {5, "500e"},                                /* / */
    {8, "~00808e0e00"},                         /* 0 */
    {8, "23505e"},                              /* 1 */
    {8, "~040080860e 0e8e"},                    /* 2 */
    {8, "~0300707737 ~37878e0e0b"},             /* 3 */
    {8, "6e600a8a"},                            /* 4 */
    {8, "701006 ~0624848e0e0b"},                /* 5 */
    {8, "~09006072 ~05858e0e05"},               /* 6 */
    {8, "00803e"},                              /* 7 */
    {8, "~1070771710 ~07878e0e07"},             /* 8 */
    {8, "~858e2e1c ~8909008089"},               /* 9 */
    {0, "0505 0e0e"},                           /* : */
    {1, "1515 1d0g"},                           /* ; */
    {7, "74087c"},                              /* < */
    {8, "0686 0a8a"},                           /* = */
    {7, "04780c"},                              /* > */
    {7, "~03007075363a 3e3e"},                  /* ? */
    {12, "~8a9cccc0000g9g ~34848b3b34 848a"},   /* @ */
    {10, "0e50ae 2989"},                        /* A */
    {8, "40000e4e 0747 ~40707747 ~47878e4e"},   /* B */
    {10, "~a390000e9eab"},                      /* C */
    {9, "40000e4e ~40909e4e"},                  /* D */
    {7, "70000e7e 0767"},                       /* E */
    {7, "70000e 0767"},                         /* F */
    {10, "~a390000eaea8 a868"},                 /* G */
    {9, "000e 909e 0797"},                      /* H */
    {0, "000e"},                                /* I */
    {6, "606a ~6a6e0e0a"},                      /* J */
    {9, "000e 8009 369e"},                      /* K */
    {7, "000e7e"},                              /* L */
    {10, "0e005ba0ae"},                         /* M */
    {9, "0e009e90"},                            /* N */
    {11, "~00b0be0e00"},                        /* O */
    {8, "0e0040 ~40808848 4808"},               /* P */
    {11, "~00b0be0e00 7abf"},                   /* Q */
    {9, "0e0040 ~40808848 4808 488e"},          /* R */
    {8, "~83800007878e0e0b"},                   /* S */
    {10, "00a0 505e"},                          /* T */
    {9, "0009 9099 ~090e9e99"},                 /* U */
    {10, "005ea0"},                             /* V */
    {14, "003e72bee0"},                         /* W */
    {9, "009e 900e"},                           /* X */
    {10, "0057a0 575e"},                        /* Y */
    {9, "00900e9e"},                            /* Z */
    {3, "30000g3g"},                            /* [ */
    {5, "005e"},                                /* \ */
    {3, "00303g0g"},                            /* ] */
    {6, "043064"},                              /* ^ */
    {8, "0g8g"},                                /* _ */
    {2, "0023"},                                /* ` */
    {7, "747e ~04747e0e04"},                    /* a */
    {7, "000e ~04747e0e04"},                    /* b */
    {7, "~7664040e6e7c"},                       /* c */
    {7, "707e ~04747e0e04"},                    /* d */
    {8, "0989 ~8984040e7e7c"},                  /* e */
    {5, "~502024 242e 0444"},                   /* f */
    {7, "747e ~7e7i0i0g ~04747e0e04"},          /* g */
    {7, "000e ~08047478 787e"},                 /* h */
    {0, "040e 0000"},                           /* i */
    {2, "242f ~2f2i0i 2020"},                   /* j */
    {7, "000e 640a 287e"},                      /* k */
    {0, "000e"},                                /* l */
    {12, "040e ~08046468 686e ~6864c4c8 c8ce"}, /* m */
    {7, "040e ~08047478 787e"},                 /* n */
    {8, "~04848e0e04"},                         /* o */
    {7, "040i ~04747e0e04"},                    /* p */
    {7, "747i ~04747e0e04"},                    /* q */
    {4, "040e ~080444"},                        /* r */
    {6, "~66640409696e0e0c"},                   /* s */
    {5, "202b ~2b2e5e 0454"},                   /* t */
    {7, "040a 747e ~0a0e7e7a"},                 /* u */
    {8, "044e84"},                              /* v */
    {12, "043e659ec4"},                         /* w */
    {7, "047e 740e"},                           /* x */
    {8, "044e 842i"},                           /* y */
    {7, "04740e7e"},                            /* z */
    {4, "~40202808 ~08282g4g"},                 /* { */
    {0, "000g"},                                /* | */
    {4, "~00202848 ~48282g0g"},                 /* } */
    {8, "~09256b87"},                           /* ~ */
};
static const outline box = {7, "00707e0e00"};

/* Returns the first letter of *text, and advances *text past it: for anything but ASCII past all bytes of its UTF-8. */
static const outline *next_letter(const char **text)
{
    const unsigned char c = (unsigned char)*(*text)++;
    while (c >= 0xC0 && ((unsigned char)**text & 0xC0) == 0x80) {
        ++*text;
    }
    return c >= ' ' && c <= '~' ? &letters[c - ' '] : &box;
}

double carom_letters_width(const char *text)
{
    double units = 0;
    while (*text != '\0') {
        units += next_letter(&text)->width + 2 * BEARING;
    }
    return units * UNIT;
}

typedef struct pen {
    segment *segments;
    size_t count;
    double x, y; /* its position */
} pen;

static void draw_to(pen *p, double x, double y)
{
    const segment s = {p->x, p->y, x - p->x, y - p->y};
    if (p->count < LETTER_SEGMENTS) {
        p->segments[p->count++] = s;
    }
    p->x = x, p->y = y;
}

/* To (x, y) in a curve that leaves towards (cx, cy) and arrives from there: a quadratic Bezier curve. */
static void bend_to(pen *p, double cx, double cy, double x, double y)
{
    const double from_x = p->x, from_y = p->y;
    for (int k = 1; k <= PIECES; k++) {
        const double t = (double)k / PIECES, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
        draw_to(p, a * from_x + b * cx + c * x, a * from_y + b * cy + c * y);
    }
}

#define MOST_POINTS 16 /* of a line */

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Draws a line of n points, at least one; the pen may be anywhere. */
static void draw_line(pen *p, double (*points)[2], size_t n, bool bent)
{
    if (!bent || n < 3) {
        p->x = points[0][0], p->y = points[0][1];
        for (size_t k = 1; k < n; k++) {
            draw_to(p, points[k][0], points[k][1]);
        }
        return;
    }
    const bool closed = points[0][0] == points[n - 1][0] && points[0][1] == points[n - 1][1];
    const size_t bends = closed ? n - 1 : n - 2;
    p->x = closed ? (points[0][0] + points[1][0]) / 2 : points[0][0];
    p->y = closed ? (points[0][1] + points[1][1]) / 2 : points[0][1];
    for (size_t k = 1; k <= bends; k++) {
        const double *c = points[k], *next = points[k + 1 < n ? k + 1 : 1];
        const bool last = !closed && k == bends;
        bend_to(p, c[0], c[1], last ? next[0] : (c[0] + next[0]) / 2, last ? next[1] : (c[1] + next[1]) / 2);
    }
}

size_t carom_letters_next(const char **text, double x, double y, double size, segment segments[LETTER_SEGMENTS],
                          double *advance)
{
    const outline *letter = next_letter(text);
    const double unit = UNIT * size;
    pen p = {segments, 0, 0, 0};
    for (const char *at = letter->lines; *at != '\0'; at += *at == ' ') {
        double points[MOST_POINTS][2];
        size_t n = 0;
        const bool bent = *at == '~';
        for (at += bent; *at != ' ' && *at != '\0' && n < MOST_POINTS; at += 2, n++) {
            points[n][0] = x + (BEARING + digit(at[0])) * unit;
            points[n][1] = y + (digit(at[1]) - BASE) * unit;
        }
        if (n > 0) {
            draw_line(&p, points, n, bent);
        }
    }
    *advance = (letter->width + 2 * BEARING) * unit;
    return p.count;
}
