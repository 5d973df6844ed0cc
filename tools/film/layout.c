/* SPDX-License-Identifier: MIT
 * From a film to a picture: see layout.h. From bottom to top: shapes, trails, ghosts, bodies, impacts, captions.
 */
#include "layout.h"

#include "motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKED 2000     /* the most bodies with marked impacts */
#define SAME_TIME 1e-9  /* ticks */
#define ARROW_RADII 3.0 /* radii of the larger circle: length of the arrow of the greatest velocity at an impact */
#define BANDS 4         /* of a trail; older ones are paler */
#define BOW_STEPS 8     /* points of a leg that is a parabola */

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

/* A trail while it is drawn, leg by leg. */
typedef struct trail {
    picture *p;
    const mapping *m;
    colour paint;
    double width;
    bool begun;
    double x, y; /* where it ends so far */
} trail;

/* Adds the part of a leg between two times. Starts the trail there if it is the first, or the last one ended
 * elsewhere. */
static void add_leg(trail *t, const film_leg *leg, double from, double until)
{
    const size_t steps = leg->ax != 0 || leg->ay != 0 ? BOW_STEPS : 1;
    double x = leg->x0, y = leg->y0;
    if (from > leg->from) {
        carom_film_on_leg(leg, from, &x, &y);
    }
    if (!t->begun || x != t->x || y != t->y) {
        carom_mark_path(t->p, t->paint, t->width);
        carom_mark_point(t->p, to_x(t->m, x), to_y(t->m, y));
        t->begun = true;
    }
    for (size_t k = 1; k <= steps; k++) {
        carom_film_on_leg(leg, from + (until - from) * (double)k / (double)steps, &t->x, &t->y);
        carom_mark_point(t->p, to_x(t->m, t->x), to_y(t->m, t->y));
    }
    if (until >= leg->to) { /* the same bits as the start of the next leg */
        t->x = leg->x1;
        t->y = leg->y1;
    }
}

/* Adds the path of body k in a tick, up to a time within it. Bodies that do not move leave no trail. */
static void add_tick(trail *t, const film *f, size_t frame, size_t world, size_t k, double until)
{
    const film_body *a = body_at(f, frame, world, k), *b = body_at(f, frame + 1, world, k);
    const size_t legs = carom_film_legs(f, frame, world, k);
    if (!carom_film_goes_on(f, frame, world, k) || (a->x == b->x && a->y == b->y && legs == 1)) {
        t->begun = false;
        return;
    }
    for (size_t n = 0; n < legs; n++) {
        const film_leg leg = carom_film_leg(f, frame, world, k, n);
        if (leg.from < until) {
            add_leg(t, &leg, leg.from, fmin(leg.to, until));
        }
    }
}

/* In bands, older ones paler; the current tick belongs to the last one. */
static void draw_trails(picture *p, const film *f, size_t frame, const layout *c, const mapping *m)
{
    const size_t first = frame > c->trail ? frame - c->trail : 0;
    const bool within = c->trail > 0 && c->fraction > 0 && frame + 1 < f->count;
    for (size_t k = 0; k < f->bodies && (first < frame || within); k++) {
        const colour of = c->colours->style[f->about[k].style];
        const double width = fmin(3, fmax(1, 0.3 * body_at(f, frame, c->world, k)->radius * m->scale));
        for (size_t band = 0; band < BANDS; band++) {
            const size_t from = first + band * (frame - first) / BANDS,
                         to = first + (band + 1) * (frame - first) / BANDS;
            trail t = {p, m, carom_picture_pale(of, 0.55 * (double)(band + 1) / BANDS), width, false, 0, 0};
            for (size_t tick = from; tick < to; tick++) {
                add_tick(&t, f, tick, c->world, k, 1);
            }
            if (within && band + 1 == BANDS) {
                add_tick(&t, f, frame, c->world, k, c->fraction);
            }
        }
    }
}

static int by_return(const void *a, const void *b)
{
    const double left = **(double *const *)a, right = **(double *const *)b;
    return (left > right) - (left < right);
}

/* The path of a body in a future, from a time on. */
static void draw_ghost(picture *p, const film_ghosts *g, size_t way, const mapping *m, double from, colour paint,
                       double width)
{
    trail t = {p, m, paint, width, false, 0, 0};
    for (size_t k = g->first_leg[way]; k < g->first_leg[way + 1]; k++) {
        if (g->legs[k].to > from) {
            add_leg(&t, &g->legs[k], fmax(g->legs[k].from, from), g->legs[k].to);
        }
    }
}

/* From the current time on. The worst first, so that the best are on top; coloured by rank, a plan in the colour of
 * texts. */
static void draw_ghosts(picture *p, const layout *c, double now, const film_ghosts *g, const mapping *m)
{
    double **order = (double **)carom_allocate(g->count, sizeof *order);
    for (size_t k = 0; k < g->count; k++) {
        order[k] = &g->returns[k];
    }
    qsort((void *)order, g->count, sizeof *order, by_return);
    for (size_t rank = 0; rank < g->count; rank++) {
        const size_t k = (size_t)(order[rank] - g->returns);
        const bool best = rank + 1 == g->count, plan = g->generation == GHOSTS_PLAN;
        const colour of = plan ? c->colours->text : c->colours->ghost[best ? 4 : rank * 5 / g->count];
        for (size_t b = 0; b < g->bodies; b++) {
            draw_ghost(p, g, k * g->bodies + b, m, now - (double)g->frame, carom_picture_pale(of, best ? 1 : 0.45),
                       best ? 2.5 : 1);
        }
    }
    free((void *)order);
}

static void draw_bodies(picture *p, const film *f, size_t frame, const layout *c, const mapping *m)
{
    for (size_t k = 0; k < f->bodies; k++) {
        const film_body at = carom_film_body(f, frame, c->fraction, c->world, k);
        carom_look_body body = f->about[k];
        body.there = at.there;
        body.x = at.x;
        body.y = at.y;
        body.radius = at.radius;
        body.facing = at.facing;
        carom_picture_body(p, c->colours, m, &body, f->bodies <= PICTURE_NUMBERED);
    }
}

/* The impacts of the world to draw, with their ages in ticks: those up to now, not older than `most`. */
typedef void draw_impact(picture *p, const film *f, const film_impact *impact, double age, const layout *c,
                         const mapping *m);

static void each_impact(picture *p, const film *f, size_t frame, double most, const layout *c, const mapping *m,
                        draw_impact *draw)
{
    const double now = (double)frame + c->fraction;
    const size_t last = frame + 1 < f->count ? frame + 1 : frame;
    for (size_t back = 0; back <= last && (double)(last - back) + 1 > now - most; back++) {
        const film_frame *of = &f->frames[last - back];
        for (size_t k = 0; k < of->impact_count; k++) {
            const double age = now - carom_film_when(last - back, &of->impacts[k]);
            if (of->impacts[k].world == c->world && age >= -SAME_TIME && age < most + SAME_TIME) {
                draw(p, f, &of->impacts[k], age, c, m);
            }
        }
    }
}

/* A cross; older ones are paler. */
static void mark_impact(picture *p, const film *f, const film_impact *impact, double age, const layout *c,
                        const mapping *m)
{
    (void)f;
    const double share = fmin(1 - age / (double)MARK_TICKS, 1), size = 4;
    if (share > 0 && !isnan(impact->x) && !isnan(impact->y)) {
        const colour paint = carom_picture_pale(c->colours->impact, share);
        const double x = to_x(m, impact->x), y = to_y(m, impact->y);
        carom_mark_line(p, x - size, y - size, x + size, y + size, paint, 1.5);
        carom_mark_line(p, x - size, y + size, x + size, y - size, paint, 1.5);
    }
}

static void draw_arrow(picture *p, double x, double y, double dx, double dy, colour paint, double width)
{
    const double length = hypot(dx, dy), head = fmin(9, length / 2);
    if (!(length > 1)) {
        return;
    }
    const double ux = dx / length * head, uy = dy / length * head, tip_x = x + dx, tip_y = y + dy;
    carom_mark_line(p, x, y, tip_x, tip_y, paint, width);
    carom_mark_line(p, tip_x - ux - uy / 2, tip_y - uy + ux / 2, tip_x, tip_y, paint, width);
    carom_mark_line(p, tip_x - ux + uy / 2, tip_y - uy - ux / 2, tip_x, tip_y, paint, width);
}

static double radius_of(const film *f, size_t world, int32_t k)
{
    return body_at(f, f->count - 1, world, (size_t)k)->radius;
}

/* The instant of an impact: the circles at that time, the normal, the velocities before (pale) and after. */
static void draw_instant(picture *p, const film *f, const film_impact *impact, double age, const layout *c,
                         const mapping *m)
{
    (void)age;
    const int32_t bodies[2] = {impact->body, impact->other};
    double fastest = 0, radius = 0;
    for (int side = 0; side < 2; side++) {
        const double *before = impact->before[side], *after = impact->after[side];
        fastest = fmax(fastest, fmax(hypot(before[0], before[1]), hypot(after[0], after[1])));
        radius = bodies[side] >= 0 ? fmax(radius, radius_of(f, c->world, bodies[side]) * m->scale) : radius;
    }
    radius = fmax(radius, 8);

    for (int side = 0; side < 2; side++) {
        if (bodies[side] < 0 || isnan(impact->centre[side][0])) {
            continue;
        }
        const double x = to_x(m, impact->centre[side][0]), y = to_y(m, impact->centre[side][1]);
        const double scale = fastest > 0 ? ARROW_RADII * radius / fastest : 0;
        const double *before = impact->before[side], *after = impact->after[side];
        carom_mark_circle(p, x, y, radius_of(f, c->world, bodies[side]) * m->scale, 0, c->colours->text, 1.5);
        draw_arrow(p, x, y, before[0] * scale, m->sign * before[1] * scale, carom_picture_pale(c->colours->text, 0.45),
                   1.5);
        draw_arrow(p, x, y, after[0] * scale, m->sign * after[1] * scale, c->colours->text, 2);
    }

    if (!isnan(impact->nx) && !isnan(impact->x)) {
        const double x = to_x(m, impact->x), y = to_y(m, impact->y);
        const double nx = impact->nx * 1.3 * radius, ny = m->sign * impact->ny * 1.3 * radius;
        carom_mark_line(p, x - nx, y - ny, x + nx, y + ny, c->colours->impact, 1.5);
        if (impact->impulse > 0) {
            char text[32];
            snprintf(text, sizeof text, "%.4g", impact->impulse);
            carom_mark_text(p, x - 1.2 * ny, y + 1.2 * nx, 12, 0, c->colours->impact, text);
        }
    }
}

/* The caption of a frame; the numbers go to `numbers`. */
static caption caption_of(const film *f, size_t frame, const layout *c, carom_look_number *numbers)
{
    const film_state *state = &f->frames[frame].states[c->world];
    for (size_t k = 0; k < f->numbers; k++) {
        numbers[k] = f->named[k];
        numbers[k].value = f->frames[frame].numbers[c->world * f->numbers + k];
    }
    const double tick = state->tick + floor(1000 * c->fraction + 0.5) / 1000;
    const caption said = {f->from.about.title, tick,    state->end, state->fault,
                          state->hash,         numbers, f->numbers, f->from.about.players};
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
            draw_ghosts(p, c, (double)frame + c->fraction, &c->ghosts[k], &m);
        }
    }
    draw_bodies(p, f, frame, c, &m);
    if (f->bodies <= MARKED) {
        each_impact(p, f, frame, MARK_TICKS, c, &m, mark_impact);
    }
    if (c->instants) {
        each_impact(p, f, frame, c->glow, c, &m, draw_instant);
    }
    if (c->captions) {
        carom_picture_caption(p, c->colours, &said);
    }
    free(numbers);
    if (p->failed) {
        die_without_memory();
    }
}
