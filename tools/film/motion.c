/* SPDX-License-Identifier: MIT
 * Positions within a tick: see motion.h.
 */
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const film_body *body_at(const film *f, size_t frame, size_t world, size_t body)
{
    return &f->frames[frame].bodies[world * f->bodies + body];
}

/* The image of x nearest to another position, in a box of this width with periodic sides; 0: without them. */
static double near(double x, double to, double period)
{
    return period > 0 ? x - period * round((x - to) / period) : x;
}

/* The image nearest to where the velocity leads, since a body may cross more than half of a box. */
static double ahead(double x, double from, double velocity, double time, double period)
{
    const double way = velocity * time;
    return near(x, isfinite(way) ? from + way : from, period);
}

/* ---- knots ---- */

/* Did the world continue from the previous frame to the last one? Not if a new game has begun, or a fault has reset it
 * to the start of the tick. */
static bool world_goes_on(const film *f, size_t world)
{
    const film_state *before = &f->frames[f->count - 2].states[world], *after = &f->frames[f->count - 1].states[world];
    return before->episode == after->episode && after->fault == 0;
}

/* The index in the list of bodies of one side of an impact; -1: it has none, or its path there is unknown. */
static int32_t tied(const film_impact *impact, int side)
{
    const int32_t body = side == 0 ? impact->body : impact->other;
    const bool told =
        !isnan(impact->time[side]) && isfinite(impact->centre[side][0]) && isfinite(impact->centre[side][1]);
    return told ? body : -1;
}

static void tie(film_knot *knot, const film_impact *impact, int side)
{
    knot->time = impact->time[side];
    knot->x = impact->centre[side][0];
    knot->y = impact->centre[side][1];
    memcpy(knot->before, impact->before[side], sizeof knot->before);
    memcpy(knot->after, impact->after[side], sizeof knot->after);
}

/* Replaces the positions of a body's knots by their images on one path. */
static void unfold(const film *f, const film_body *start, film_knot *knots, size_t count)
{
    double x = start->x, y = start->y, time = 0;
    for (size_t k = 0; k < count; k++) {
        const double length = (knots[k].time - time) * f->view.dt;
        x = knots[k].x = ahead(knots[k].x, x, knots[k].before[0], length, f->view.wrap_x);
        y = knots[k].y = ahead(knots[k].y, y, knots[k].before[1], length, f->view.wrap_y);
        time = knots[k].time;
    }
}

void carom_film_tie(film *f)
{
    film_frame *frame = &f->frames[f->count - 1];
    const size_t bodies = f->worlds * f->bodies;
    size_t count = 0;
    for (size_t k = 0; k < frame->impact_count; k++) {
        count += (size_t)(tied(&frame->impacts[k], 0) >= 0) + (size_t)(tied(&frame->impacts[k], 1) >= 0);
    }
    if (count == 0) {
        return;
    }

    /* A counting sort: those of a body stay in the order of the impacts. */
    frame->knots = carom_allocate(count, sizeof *frame->knots);
    frame->first_knot = carom_allocate(bodies + 1, sizeof *frame->first_knot);
    memset(frame->first_knot, 0, (bodies + 1) * sizeof *frame->first_knot);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < frame->impact_count; k++) {
            const film_impact *impact = &frame->impacts[k];
            for (int side = 0; side < 2 && world_goes_on(f, impact->world); side++) {
                const int32_t body = tied(impact, side);
                if (body >= 0 && pass == 0) {
                    frame->first_knot[impact->world * f->bodies + (size_t)body]++;
                } else if (body >= 0) {
                    tie(&frame->knots[frame->first_knot[impact->world * f->bodies + (size_t)body]++], impact, side);
                }
            }
        }
        /* After the first pass the counts become first indices. After the second every first index has become the next
         * one. */
        uint32_t sum = 0;
        for (size_t k = 0; k <= bodies; k++) {
            const uint32_t here = frame->first_knot[k];
            frame->first_knot[k] = sum;
            sum = pass == 0 ? sum + here : here;
        }
    }

    for (size_t k = 0; k < bodies; k++) {
        unfold(f, &f->frames[f->count - 2].bodies[k], frame->knots + frame->first_knot[k],
               frame->first_knot[k + 1] - frame->first_knot[k]);
    }
}

static const film_knot *knots_of(const film *f, size_t frame, size_t world, size_t body, size_t *count)
{
    const film_frame *next = &f->frames[frame + 1];
    const size_t at = world * f->bodies + body;
    *count = 0;
    if (next->first_knot == NULL) {
        return NULL;
    }
    *count = next->first_knot[at + 1] - next->first_knot[at];
    return next->knots + next->first_knot[at];
}

/* ---- paths ---- */

bool carom_film_goes_on(const film *f, size_t frame, size_t world, size_t body)
{
    const film_body *a = body_at(f, frame, world, body), *b = body_at(f, frame + 1, world, body);
    const double far = 0.4 * fmin(f->view.x1 - f->view.x0, f->view.y1 - f->view.y0);
    const double fast = 2 * fmax(hypot(a->vx, a->vy), hypot(b->vx, b->vy)) * f->view.dt;
    const double way = hypot(near(b->x, a->x, f->view.wrap_x) - a->x, near(b->y, a->y, f->view.wrap_y) - a->y);
    return a->there && b->there && way < fmax(far, fast) &&
           f->frames[frame].states[world].episode == f->frames[frame + 1].states[world].episode;
}

size_t carom_film_legs(const film *f, size_t frame, size_t world, size_t body)
{
    size_t count;
    knots_of(f, frame, world, body, &count);
    return count + 1;
}

/* The distance between two velocities, large if one is unknown. */
static double apart(double vx, double vy, const double v[2])
{
    const double distance = hypot(v[0] - vx, v[1] - vy);
    return isnan(distance) ? (double)INFINITY : distance;
}

/* Is the leg a parabola? Not for bodies that lean on something and do not move. Rules of the game may have changed the
 * velocity at the start or the end of the tick, so only the velocity at the better-fitting end decides. */
static bool is_curved(const film_leg *leg, double dt, const double before[2], const double after[2])
{
    const double time = (leg->to - leg->from) * dt;
    const double vx = (leg->x1 - leg->x0) / time, vy = (leg->y1 - leg->y0) / time; /* the mean */
    const double gain_x = leg->ax / (dt * dt) * time / 2, gain_y = leg->ay / (dt * dt) * time / 2;
    const double straight = fmin(apart(vx, vy, before), apart(vx, vy, after));
    return fmin(apart(vx - gain_x, vy - gain_y, before), apart(vx + gain_x, vy + gain_y, after)) <= straight;
}

film_leg carom_film_leg(const film *f, size_t frame, size_t world, size_t body, size_t k)
{
    const film_body *start = body_at(f, frame, world, body), *end = body_at(f, frame + 1, world, body);
    size_t count;
    const film_knot *knots = knots_of(f, frame, world, body, &count);
    const film_knot first = {0, start->x, start->y, {0, 0}, {start->vx, start->vy}};
    const film_knot *a = k > 0 ? &knots[k - 1] : &first;
    const double length = (1 - a->time) * f->view.dt;
    const film_knot last = {1,
                            ahead(end->x, a->x, end->vx, length, f->view.wrap_x),
                            ahead(end->y, a->y, end->vy, length, f->view.wrap_y),
                            {end->vx, end->vy},
                            {0, 0}};
    const film_knot *b = k < count ? &knots[k] : &last;

    film_leg leg = {a->time, b->time, a->x, a->y, b->x, b->y, start->ax, start->ay};
    if ((leg.ax != 0 || leg.ay != 0) && !(leg.to > leg.from && is_curved(&leg, f->view.dt, a->after, b->before))) {
        leg.ax = leg.ay = 0;
    }
    return leg;
}

void carom_film_on_leg(const film_leg *leg, double time, double *x, double *y)
{
    const double length = leg->to - leg->from;
    const double u = length > 0 ? fmin(fmax((time - leg->from) / length, 0), 1) : 1;
    const double bow = length * length * u * (1 - u) / 2;
    *x = leg->x0 + u * (leg->x1 - leg->x0) - bow * leg->ax;
    *y = leg->y0 + u * (leg->y1 - leg->y0) - bow * leg->ay;
}

film_body carom_film_body(const film *f, size_t frame, double part, size_t world, size_t body)
{
    film_body at = *body_at(f, frame, world, body);
    if (!(part > 0) || frame + 1 >= f->count || !carom_film_goes_on(f, frame, world, body)) {
        return at;
    }

    const size_t legs = carom_film_legs(f, frame, world, body);
    film_leg leg = carom_film_leg(f, frame, world, body, 0);
    for (size_t k = 1; k < legs && leg.to < part; k++) {
        leg = carom_film_leg(f, frame, world, body, k);
    }
    carom_film_on_leg(&leg, part, &at.x, &at.y);

    /* Back into the box in the middle of the view. */
    at.x = near(at.x, (f->view.x0 + f->view.x1) / 2, f->view.wrap_x);
    at.y = near(at.y, (f->view.y0 + f->view.y1) / 2, f->view.wrap_y);
    at.facing += part * remainder(body_at(f, frame + 1, world, body)->facing - at.facing, 2 * 3.14159265358979323846);
    return at;
}
