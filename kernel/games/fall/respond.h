/* SPDX-License-Identifier: MIT
 * One world of fall: motion, bounces, and the separation of overlaps (RULES.md, Bounces and Overlaps).
 */
#ifndef CAROM_GAMES_FALL_RESPOND_H
#define CAROM_GAMES_FALL_RESPOND_H

#include "games/fall/world.h"

/* Moves all circles by dt. */
CAROM_LANE void fall_advance(const fall_context *context, fall_world *w, real dt)
{
    const real dtt = dt * dt;
    for (int k = 0; k < context->circle_count; k++) {
        const fall_circle *circle = &context->circles[k];
        const real ax = (real)circle->ax, ay = (real)circle->ay;
        real *c = w->c[k];
        c[FALL_X] += c[FALL_VX] * dt + ax * dtt / 2;
        c[FALL_Y] += c[FALL_VY] * dt + ay * dtt / 2;
        c[FALL_VX] += ax * dt;
        c[FALL_VY] += ay * dt;
    }
    w->rest -= dt;
    fall_age(w, dt);
}

/* ---- bounces ---- */

/* What a collision leaves of a circle's velocity. */
CAROM_LANE void fall_damp(const fall_context *context, real *c)
{
    const real keep = (real)context->keep, cutoff = (real)context->cutoff;
    for (int k = FALL_VX; k <= FALL_VY; k++) {
        c[k] *= keep;
        c[k] = fall_size(c[k]) < cutoff ? 0 : c[k];
    }
}

/* Turns round the part of a velocity along the unit vector (nx, ny). */
CAROM_LANE void fall_reflect(real *c, real nx, real ny)
{
    const real twice = 2 * (c[FALL_VX] * nx + c[FALL_VY] * ny);
    c[FALL_VX] -= twice * nx;
    c[FALL_VY] -= twice * ny;
}

/* Elastic impact of circles a and b along the line of their centres; one that is fixed has the share 0. */
CAROM_LANE void fall_bounce_circles(const fall_circle *circle, real *a, const fall_circle *other, real *b)
{
    const real dx = a[FALL_X] - b[FALL_X], dy = a[FALL_Y] - b[FALL_Y], d = fall_length(dx, dy);
    const real share_a = (real)circle->share, share_b = (real)other->share, sum = share_a + share_b;
    if (d > 0 && sum > 0) {
        const real nx = dx / d, ny = dy / d;
        const real j = -2 * ((a[FALL_VX] - b[FALL_VX]) * nx + (a[FALL_VY] - b[FALL_VY]) * ny) / sum;
        a[FALL_VX] += j * share_a * nx;
        a[FALL_VY] += j * share_a * ny;
        b[FALL_VX] -= j * share_b * nx;
        b[FALL_VY] -= j * share_b * ny;
    }
}

/* Lets the collision in the queue happen; both bodies are where it does. */
CAROM_LANE void fall_bounce(const fall_context *context, fall_world *w)
{
    const int first = context->circle_of[w->who[0]], part = w->who[2];
    const fall_circle *circle = &context->circles[first];
    real *c = w->c[first];

    /* The other body is a circle, an edge, or a corner. */
    if (part == CAROM_FALL_CIRCLE) {
        const int second = context->circle_of[w->who[1]];
        fall_bounce_circles(circle, c, &context->circles[second], w->c[second]);
        if (context->circles[second].fixed == 0) {
            fall_damp(context, w->c[second]);
        }
    } else {
        const fall_polygon *polygon = &context->polygons[context->polygon_of[w->who[1]]];
        const fall_edge *edge = &context->edges[polygon->first];
        if (part < CAROM_FALL_CORNER) {
            edge += part - CAROM_FALL_EDGE;
            fall_reflect(c, -(real)edge->uy, (real)edge->ux);
        } else {
            edge += part - CAROM_FALL_CORNER;
            const real dx = c[FALL_X] - (real)edge->x, dy = c[FALL_Y] - (real)edge->y, d = fall_length(dx, dy);
            if (d > 0) {
                fall_reflect(c, dx / d, dy / d);
            }
        }
    }

    if (circle->fixed == 0) {
        fall_damp(context, c);
    }
}

/* ---- separation ---- */

CAROM_LANE real fall_clamp(real a, real low, real high)
{
    return a < low ? low : a > high ? high : a;
}

/* Is a circle so far outside of the box around a polygon that no edge would move it? */
CAROM_LANE bool fall_is_clear(const fall_polygon *p, const real *c, real radius)
{
    const real r = radius - (real)FALL_NEAR / 2;
    return c[FALL_X] + r < (real)p->left || c[FALL_X] - r > (real)p->right || c[FALL_Y] + r < (real)p->low ||
           c[FALL_Y] - r > (real)p->high;
}

/* Puts a circle of radius r back on each edge that it is in by FALL_NEAR or more. True if it was moved. */
CAROM_LANE bool fall_leave_polygon(const fall_context *context, const fall_polygon *p, real *c, real r)
{
    bool moved = false;
    for (int e = p->first; e < p->first + p->count; e++) {
        const fall_edge *edge = &context->edges[e];
        const real px = (real)edge->px, py = (real)edge->py, ux = (real)edge->ux, uy = (real)edge->uy;
        const real dx = c[FALL_X] - px, dy = c[FALL_Y] - py, along = dx * ux + dy * uy;
        if (along >= 0 && along <= (real)edge->length) {
            const real x = px + along * ux, y = py + along * uy, ox = c[FALL_X] - x, oy = c[FALL_Y] - y;
            const real d = fall_length(ox, oy);
            if (r - d >= FALL_NEAR && d > 0) {
                c[FALL_X] = x + ox * r / d;
                c[FALL_Y] = y + oy * r / d;
                moved = true;
            }
        }
    }
    return moved;
}

/* Separates two circles: the later one, unless it is fixed, is put where they touch, and the overlap is added to its
 * velocity. True if they overlapped. */
CAROM_LANE bool fall_leave_circle(const fall_circle *circle, real *a, const fall_circle *other, real *b)
{
    const real dx = b[FALL_X] - a[FALL_X], dy = b[FALL_Y] - a[FALL_Y], r = (real)circle->radius + (real)other->radius;

    /* Most pairs are far apart in x or y: no root for them. */
    if (!(dx < r && dx > -r && dy < r && dy > -r)) {
        return false;
    }

    const real d = fall_length(dx, dy), overlap = r - d;
    if (!(overlap > 0 && d > 0)) {
        return false;
    }

    const real nx = dx / d, ny = dy / d;
    if (other->fixed == 0) {
        b[FALL_X] = a[FALL_X] + nx * r;
        b[FALL_Y] = a[FALL_Y] + ny * r;
        b[FALL_VX] += nx * overlap;
        b[FALL_VY] += ny * overlap;
    } else {
        a[FALL_X] = b[FALL_X] - nx * r;
        a[FALL_Y] = b[FALL_Y] - ny * r;
        a[FALL_VX] -= nx * overlap;
        a[FALL_VY] -= ny * overlap;
    }
    return true;
}

/* One pass over all free circles and polygons. True if a circle was moved. Circles do not see each other here, so it
 * only matters that the polygons come in the order of their bodies. */
CAROM_LANE bool fall_leave_polygons(const fall_context *context, fall_world *w)
{
    bool moved = false;
    for (int k = 0; k < context->circle_count; k++) {
        const real r = (real)context->circles[k].radius;
        real *c = w->c[k];
        for (int p = 0; p < context->polygon_count && context->circles[k].fixed == 0; p++) {
            const bool now =
                !fall_is_clear(&context->polygons[p], c, r) && fall_leave_polygon(context, &context->polygons[p], c, r);

            /* Into the unit square. Where the circle was not moved again, the first polygon has done that. */
            if (now || p == 0) {
                c[FALL_X] = fall_clamp(c[FALL_X], r, 1 - r);
                c[FALL_Y] = fall_clamp(c[FALL_Y], r, 1 - r);
            }
            moved |= now;
        }
    }
    return moved;
}

/* One pass over all pairs of circles. True if two overlapped. */
CAROM_LANE bool fall_leave_circles(const fall_context *context, fall_world *w)
{
    bool moved = false;
    for (int a = 0; a < context->circle_count; a++) {
        const fall_circle *circle = &context->circles[a];
        for (int b = a + 1; b < context->circle_count; b++) {
            const fall_circle *other = &context->circles[b];
            if (circle->fixed == 0 || other->fixed == 0) {
                moved |= fall_leave_circle(circle, w->c[a], other, w->c[b]);
            }
        }
    }
    return moved;
}

/* Undoes overlaps: first with polygons, then of circles, until nothing moves, at most a pass for each body. */
CAROM_LANE void fall_separate(const fall_context *context, fall_world *w)
{
    for (int round = 0; round < context->body_count && fall_leave_polygons(context, w); round++) {
    }
    for (int round = 0; round < context->body_count && fall_leave_circles(context, w); round++) {
    }
}

#endif
