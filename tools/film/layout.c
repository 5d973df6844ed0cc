/* SPDX-License-Identifier: MIT
 * From a film to a picture: see layout.h. From below: shapes, trails, ghosts, bodies, impacts, captions.
 */
#include "layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IMPACT_FRAMES 6
#define BANDS 4 /* of a trail, the older the paler */

_Noreturn static void die_without_memory(void)
{
    carom_die("cannot draw: %s", carom_status_string(CAROM_ERROR_MEMORY));
}

double carom_lay_out_height(const film *f, const layout *c)
{
    const carom_look_view *v = &f->view;
    const double field = ceil(c->width * (v->y1 - v->y0) / (v->x1 - v->x0));
    return field + (c->captions ? CAPTION_HEIGHT : 0);
}

/* ---- the parts ---- */

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

static void draw_trails(picture *p, const film *f, size_t frame, const layout *c, const mapping *m)
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
                    carom_mark_path(p, carom_picture_pale(of, 0.55 * (double)(band + 1) / BANDS), width);
                    carom_mark_point(p, to_x(m, a->x), to_y(m, a->y));
                    begun = true;
                }
                carom_mark_point(p, to_x(m, b->x), to_y(m, b->y));
            }
        }
    }
}

static int by_return(const void *a, const void *b)
{
    const double left = **(double *const *)a, right = **(double *const *)b;
    return (left > right) - (left < right);
}

/* The way of a body in a future. */
static void draw_ghost(picture *p, const film_ghosts *g, size_t k, size_t b, const mapping *m, colour paint,
                       double width)
{
    const film_body *path = &g->paths[k * (g->horizon + 1) * g->bodies + b];
    carom_mark_path(p, paint, width);
    for (size_t t = 0; t <= g->horizon && path[t * g->bodies].there; t++) {
        carom_mark_point(p, to_x(m, path[t * g->bodies].x), to_y(m, path[t * g->bodies].y));
    }
}

/* The worst first, so that the best lie on top; coloured by rank, a plan as texts are. Those of the bodies of the player
 * who acts in them, if it has any. */
static void draw_ghosts(picture *p, const film *f, const layout *c, const film_ghosts *g, const mapping *m)
{
    bool owned = false;
    const int style = CAROM_LOOK_FIRST + (int)g->player;
    for (size_t b = 0; b < f->bodies; b++) {
        owned = owned || (int)f->about[b].style == style;
    }
    double **order = (double **)carom_allocate(g->count, sizeof *order);
    for (size_t k = 0; k < g->count; k++) {
        order[k] = &g->returns[k];
    }
    qsort((void *)order, g->count, sizeof *order, by_return);
    for (size_t rank = 0; rank < g->count; rank++) {
        const size_t k = (size_t)(order[rank] - g->returns);
        const bool best = rank + 1 == g->count, plan = g->generation == GHOSTS_PLAN;
        const colour of = plan ? c->colours->text : c->colours->ghost[best ? 4 : rank * 5 / g->count];
        for (size_t b = 0; b < f->bodies; b++) {
            const bool there = g->paths[k * (g->horizon + 1) * g->bodies + b].there;
            if ((!owned || (int)f->about[b].style == style) && there && !isinf(f->about[b].mass)) {
                draw_ghost(p, g, k, b, m, carom_picture_pale(of, best ? 1 : 0.45), best ? 2.5 : 1);
            }
        }
    }
    free((void *)order);
}

/* On the way to the next frame. */
static film_body between(const film *f, size_t frame, const layout *c, size_t k)
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

static void draw_bodies(picture *p, const film *f, size_t frame, const layout *c, const mapping *m)
{
    for (size_t k = 0; k < f->bodies; k++) {
        const film_body at = between(f, frame, c, k);
        carom_look_body body = f->about[k];
        body.there = at.there;
        body.x = at.x;
        body.y = at.y;
        body.radius = at.radius;
        body.facing = at.facing;
        carom_picture_body(p, c->colours, m, &body, f->bodies <= PICTURE_NUMBERED);
    }
}

/* The older the paler. */
static void draw_impacts(picture *p, const film *f, size_t frame, const layout *c, const mapping *m)
{
    for (size_t age = 0; age < IMPACT_FRAMES && age < frame + 1 && f->bodies <= 2000; age++) {
        const film_frame *of = &f->frames[frame - age];
        const colour paint = carom_picture_pale(c->colours->impact, 1 - (double)age / IMPACT_FRAMES);
        for (size_t k = 0; k < of->impact_count; k++) {
            const film_impact *i = &of->impacts[k];
            if (i->world != c->world || isnan(i->x) || isnan(i->y)) {
                continue;
            }
            const double x = to_x(m, i->x), y = to_y(m, i->y), size = 4;
            carom_mark_line(p, x - size, y - size, x + size, y + size, paint, 1.5);
            carom_mark_line(p, x - size, y + size, x + size, y - size, paint, 1.5);
        }
    }
}

/* What is said of a frame; the numbers go to `numbers`. */
static caption caption_of(const film *f, size_t frame, const layout *c, carom_look_number *numbers)
{
    const film_state *state = &f->frames[frame].states[c->world];
    for (size_t k = 0; k < f->numbers; k++) {
        numbers[k] = f->named[k];
        numbers[k].value = f->frames[frame].numbers[c->world * f->numbers + k];
    }
    const caption said = {f->from.about.title, state->tick, state->end, state->fault,
                          state->hash,         numbers,     f->numbers, f->from.about.players};
    return said;
}

void carom_lay_out(const film *f, size_t frame, const layout *c, picture *p)
{
    const mapping m = carom_picture_map(&f->view, c->width);
    const film_scenery *scenery = carom_film_scenery(f, frame, c->world);
    carom_look_number *numbers = carom_allocate(f->numbers, sizeof *numbers);
    const caption said = caption_of(f, frame, c, numbers);
    char title[96];
    carom_picture_title(&said, title, sizeof title);
    carom_marks_begin(p, c->width, carom_lay_out_height(f, c), c->colours->ground, title);
    if (scenery != NULL) {
        carom_picture_shapes(p, c->colours, &m, scenery->shapes, scenery->count);
    }
    draw_trails(p, f, frame, c, &m);
    for (size_t k = 0; k < c->ghost_count; k++) {
        if (c->ghosts[k].world == c->world && c->ghosts[k].count > 0) {
            draw_ghosts(p, f, c, &c->ghosts[k], &m);
        }
    }
    draw_bodies(p, f, frame, c, &m);
    draw_impacts(p, f, frame, c, &m);
    if (c->captions) {
        carom_picture_caption(p, c->colours, &said);
    }
    free(numbers);
    if (p->failed) {
        die_without_memory();
    }
}
