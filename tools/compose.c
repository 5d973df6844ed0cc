/* SPDX-License-Identifier: MIT
 * From a film to a picture: see compose.h. From below: shapes, trails, ghosts, bodies, impacts, captions.
 */
#include "compose.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAPTION 56.0 /* pixels, of both lines */
#define IMPACT_FRAMES 6
#define BANDS 4 /* of a trail, the older the paler */

const theme carom_themes[2] = {
    {"light",
     0xffffffff,
     0x1c2430ff,
     0x6b7684ff,
     0xd0021bff,
     {0x3b4cc0ff, 0x7b9ff9ff, 0xb0b0b0ff, 0xee8468ff, 0xb40426ff},
     {[CAROM_LOOK_PLAIN] = 0x5b7a99ff,
      [CAROM_LOOK_FIRST] = 0x1769c4ff,
      [CAROM_LOOK_SECOND] = 0xd9542bff,
      [CAROM_LOOK_BALL] = 0xe0a100ff,
      [CAROM_LOOK_DANGER] = 0x5c2a86ff,
      [CAROM_LOOK_FIXED] = 0x8a939eff,
      [CAROM_LOOK_SENSOR] = 0x2a9d6fff,
      [CAROM_LOOK_WALL] = 0x3a424dff,
      [CAROM_LOOK_FIELD] = 0xc8d0d8ff,
      [CAROM_LOOK_TARGET] = 0x2a9d6fff}},
    {"dark",
     0x10151cff,
     0xe8edf2ff,
     0x93a0afff,
     0xff6b6bff,
     {0x6788eeff, 0x9abbffff, 0xc9c9c9ff, 0xf4987aff, 0xff5a5aff},
     {[CAROM_LOOK_PLAIN] = 0x8fb0d0ff,
      [CAROM_LOOK_FIRST] = 0x5aa7ffff,
      [CAROM_LOOK_SECOND] = 0xff8a5cff,
      [CAROM_LOOK_BALL] = 0xffcf4aff,
      [CAROM_LOOK_DANGER] = 0xc28cf0ff,
      [CAROM_LOOK_FIXED] = 0x7a8796ff,
      [CAROM_LOOK_SENSOR] = 0x57d19fff,
      [CAROM_LOOK_WALL] = 0xb8c4d0ff,
      [CAROM_LOOK_FIELD] = 0x38434fff,
      [CAROM_LOOK_TARGET] = 0x57d19fff}},
};

/* From the game's units to pixels. */
typedef struct mapping {
    double scale, x0, y0;
    double sign; /* of y */
} mapping;

static double to_x(const mapping *m, double x)
{
    return (x - m->x0) * m->scale;
}

static double to_y(const mapping *m, double y)
{
    return m->sign * (y - m->y0) * m->scale;
}

static colour pale(colour c, double share)
{
    return (c & ~(colour)255) | (colour)(share * (c & 255) + 0.5);
}

static mapping map_of(const film *f, const composition *c)
{
    const carom_look_view *v = &f->view;
    const mapping m = {c->width / (v->x1 - v->x0), v->x0, v->y_down ? v->y0 : v->y1, v->y_down ? 1 : -1};
    return m;
}

double carom_compose_height(const film *f, const composition *c)
{
    const carom_look_view *v = &f->view;
    const double field = ceil(c->width * (v->y1 - v->y0) / (v->x1 - v->x0));
    return field + (c->captions ? CAPTION : 0);
}

/* ---- the parts ---- */

static void draw_shapes(picture *p, const film *f, size_t frame, const composition *c, const mapping *m)
{
    const film_scenery *scenery = carom_film_scenery(f, frame, c->world);
    for (size_t k = 0; scenery != NULL && k < scenery->count; k++) {
        const carom_look_shape *s = &scenery->shapes[k];
        const colour of = c->colours->style[s->style];
        const double x = to_x(m, s->x), y = to_y(m, s->y), width = s->style == CAROM_LOOK_FIELD ? 1 : 2;
        if (s->kind == CAROM_LOOK_LINE) {
            picture_line(p, x, y, to_x(m, s->x2), to_y(m, s->y2), of, s->style == CAROM_LOOK_TARGET ? 3 : width);
        } else if (s->kind == CAROM_LOOK_CIRCLE) {
            const bool filled = s->style == CAROM_LOOK_TARGET || s->style == CAROM_LOOK_FIXED;
            picture_circle(p, x, y, s->radius * m->scale, filled ? pale(of, 0.15) : 0, of, width);
        } else {
            picture_text(p, x, y, 2 * s->radius * m->scale, 0, pale(of, 0.6), s->text);
        }
    }
}

static const film_body *body_at(const film *f, size_t frame, size_t world, size_t k)
{
    return &f->frames[frame].bodies[world * f->bodies + k];
}

/* Has the body gone on from one frame to the next, or was it put elsewhere (a new game, a periodic side)? */
static bool goes_on(const film *f, size_t frame, size_t world, size_t k)
{
    const film_body *a = body_at(f, frame, world, k), *b = body_at(f, frame + 1, world, k);
    const double far = 0.4 * fmin(f->view.x1 - f->view.x0, f->view.y1 - f->view.y0);
    return a->there && b->there && hypot(b->x - a->x, b->y - a->y) < far &&
           f->frames[frame].states[world].episode == f->frames[frame + 1].states[world].episode;
}

static void draw_trails(picture *p, const film *f, size_t frame, const composition *c, const mapping *m)
{
    const size_t first = frame > c->trail ? frame - c->trail : 0;
    for (size_t k = 0; k < f->bodies && first < frame; k++) {
        const colour of = c->colours->style[f->about[k].style];
        const double width = fmin(3, fmax(1, 0.3 * body_at(f, frame, c->world, k)->radius * m->scale));
        for (size_t band = 0; band < BANDS; band++) {
            const size_t from = first + band * (frame - first) / BANDS,
                         to = first + (band + 1) * (frame - first) / BANDS;
            bool begun = false;
            for (size_t t = from; t < to; t++) {
                const film_body *a = body_at(f, t, c->world, k), *b = body_at(f, t + 1, c->world, k);
                if (!goes_on(f, t, c->world, k) || (a->x == b->x && a->y == b->y)) {
                    begun = false;
                    continue;
                }
                if (!begun) {
                    picture_path(p, pale(of, 0.55 * (double)(band + 1) / BANDS), width);
                    picture_point(p, to_x(m, a->x), to_y(m, a->y));
                    begun = true;
                }
                picture_point(p, to_x(m, b->x), to_y(m, b->y));
            }
        }
    }
}

static int by_return(const void *a, const void *b)
{
    const double left = **(double *const *)a, right = **(double *const *)b;
    return (left > right) - (left < right);
}

/* The worst first, so that the best lie on top; coloured by rank. Those of player 0's bodies, if it has any. */
static void draw_ghosts(picture *p, const film *f, const composition *c, const mapping *m)
{
    const film_ghosts *g = c->ghosts;
    if (g == NULL || g->count == 0) {
        return;
    }
    bool owned = false;
    for (size_t b = 0; b < f->bodies; b++) {
        owned = owned || f->about[b].style == CAROM_LOOK_FIRST;
    }
    double **order = (double **)malloc(g->count * sizeof *order);
    if (order == NULL) {
        carom_die("cannot draw: %s", carom_status_string(CAROM_ERROR_MEMORY));
    }
    for (size_t k = 0; k < g->count; k++) {
        order[k] = &g->returns[k];
    }
    qsort((void *)order, g->count, sizeof *order, by_return);
    for (size_t rank = 0; rank < g->count; rank++) {
        const size_t k = (size_t)(order[rank] - g->returns);
        const bool best = rank + 1 == g->count;
        const colour of = c->colours->ghost[best ? 4 : rank * 5 / g->count];
        for (size_t b = 0; b < f->bodies; b++) {
            const film_body *path = &g->paths[k * (g->horizon + 1) * g->bodies + b];
            if ((owned && f->about[b].style != CAROM_LOOK_FIRST) || !path->there || isinf(f->about[b].mass)) {
                continue;
            }
            picture_path(p, pale(of, best ? 1 : 0.45), best ? 2.5 : 1);
            for (size_t t = 0; t <= g->horizon && path[t * g->bodies].there; t++) {
                picture_point(p, to_x(m, path[t * g->bodies].x), to_y(m, path[t * g->bodies].y));
            }
        }
    }
    free((void *)order);
}

/* On the way to the next frame. */
static film_body between(const film *f, size_t frame, const composition *c, size_t k)
{
    film_body body = *body_at(f, frame, c->world, k);
    if (c->fraction > 0 && frame + 1 < f->count && goes_on(f, frame, c->world, k)) {
        const film_body *next = body_at(f, frame + 1, c->world, k);
        body.x += c->fraction * (next->x - body.x);
        body.y += c->fraction * (next->y - body.y);
        body.facing += c->fraction * remainder(next->facing - body.facing, 2 * 3.14159265358979323846);
    }
    return body;
}

static void draw_bodies(picture *p, const film *f, size_t frame, const composition *c, const mapping *m)
{
    for (size_t k = 0; k < f->bodies; k++) {
        const carom_look_body *about = &f->about[k];
        const film_body body = between(f, frame, c, k);
        const colour of = c->colours->style[about->style];
        const double x = to_x(m, body.x), y = to_y(m, body.y), radius = fmax(body.radius * m->scale, 1);
        if (!body.there) {
            continue;
        }
        const bool hollow = about->style == CAROM_LOOK_SENSOR;
        picture_circle(p, x, y, radius, hollow ? 0 : pale(of, 0.85), of, hollow ? 1.5 : radius > 4 ? 1 : 0.5);
        if (about->has_facing) {
            picture_line(p, x, y, x + radius * cos(body.facing), y + m->sign * radius * sin(body.facing),
                         c->colours->ground, fmax(1.5, 0.15 * radius));
        }
        if (radius >= 9 && f->bodies <= 64) {
            char text[16];
            snprintf(text, sizeof text, "%" PRIu32, about->number);
            const double beside = about->has_facing ? 0.45 * radius : 0;
            picture_text(p, x - beside * cos(body.facing), y - m->sign * beside * sin(body.facing), 0.8 * radius, 0,
                         c->colours->ground, text);
        }
    }
}

/* The older the paler. */
static void draw_impacts(picture *p, const film *f, size_t frame, const composition *c, const mapping *m)
{
    for (size_t age = 0; age < IMPACT_FRAMES && age < frame + 1 && f->bodies <= 2000; age++) {
        const film_frame *of = &f->frames[frame - age];
        const colour paint = pale(c->colours->impact, 1 - (double)age / IMPACT_FRAMES);
        for (size_t k = 0; k < of->impact_count; k++) {
            const film_impact *i = &of->impacts[k];
            if (i->world != c->world || isnan(i->x) || isnan(i->y)) {
                continue;
            }
            const double x = to_x(m, i->x), y = to_y(m, i->y), size = 4;
            picture_line(p, x - size, y - size, x + size, y + size, paint, 1.5);
            picture_line(p, x - size, y + size, x + size, y - size, paint, 1.5);
        }
    }
}

/* "next checkpoint 3 4   timeout 96": the numbers of a player. */
static void tell_numbers(const film *f, size_t frame, size_t world, int32_t player, char *text, size_t size)
{
    const char *last = "";
    size_t length = 0;
    text[0] = '\0';
    for (size_t k = 0; k < f->numbers && length + 1 < size; k++) {
        if (f->named[k].player == player) {
            const bool again = strcmp(last, f->named[k].name) == 0;
            length +=
                (size_t)snprintf(text + length, size - length, "%s%s%s%.6g", again || length == 0 ? "" : "   ",
                                 again ? "" : f->named[k].name, " ", f->frames[frame].numbers[world * f->numbers + k]);
            last = f->named[k].name;
        }
    }
}

static void draw_captions(picture *p, const film *f, size_t frame, const composition *c)
{
    const film_state *state = &f->frames[frame].states[c->world];
    const double top = p->height - CAPTION;
    char text[96];
    snprintf(text, sizeof text, "%s, tick %" PRIi32 "%s%s", f->from.about.title, state->tick,
             state->end == CAROM_TERMINATED  ? ", decided"
             : state->end == CAROM_TRUNCATED ? ", out of time"
                                             : "",
             state->fault != 0 ? ", FAULT" : "");
    picture_text(p, 10, top + 22, 15, -1, c->colours->text, text);
    snprintf(text, sizeof text, "%016" PRIx64, state->hash);
    picture_text(p, p->width - 10, top + 22, 11, 1, c->colours->faint, text);
    double x = 10;
    for (int32_t player = -1; player < (int32_t)f->from.about.players; player++) {
        tell_numbers(f, frame, c->world, player, text, sizeof text);
        if (text[0] != '\0') {
            picture_text(p, x, top + 44, 13, -1,
                         player < 0 ? c->colours->text
                                    : c->colours->style[player == 0 ? CAROM_LOOK_FIRST : CAROM_LOOK_SECOND],
                         text);
            x += p->width / 2;
        }
    }
}

void carom_compose(const film *f, size_t frame, const composition *c, picture *p)
{
    const mapping m = map_of(f, c);
    char title[96];
    snprintf(title, sizeof title, "%s, tick %" PRIi32, f->from.about.title, f->frames[frame].states[c->world].tick);
    picture_begin(p, c->width, carom_compose_height(f, c), c->colours->ground, title);
    draw_shapes(p, f, frame, c, &m);
    draw_trails(p, f, frame, c, &m);
    draw_ghosts(p, f, c, &m);
    draw_bodies(p, f, frame, c, &m);
    draw_impacts(p, f, frame, c, &m);
    if (c->captions) {
        /* What has left the field must not be under the captions. */
        picture_line(p, 0, p->height - CAPTION / 2, p->width, p->height - CAPTION / 2, c->colours->ground, CAPTION);
        draw_captions(p, f, frame, c);
    }
}
