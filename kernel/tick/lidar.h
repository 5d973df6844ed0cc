/* SPDX-License-Identifier: MIT
 * The kind of observation `lidar` of games: what bodies that players act with see by rays. Distances are those of
 * toi/ray.h. Device programs do not support it.
 *
 * Before including tick/run.h a game defines
 *     RULES_LIDAR_RAYS      rays of a body, evenly spaced all around: the first points ahead, the others follow towards
 *                           +angle
 *     RULES_LIDAR_THINGS    number of kinds of things that they can hit, numbered from 0
 *     RULES_LIDAR_OWN       numbers that a body sees before those of its rays, by lidar_own(); may be 0
 * and then rules_lidar(), which gives, for one body after another, its position and the things to hit. Among things at
 * the same distance a ray hits the one named first.
 *
 * Numbers of a ray: the distance as a fraction of the range (1: no hit); for each kind of thing 1 if the ray hits such
 * a thing, else 0; the velocity of the thing relative to the body, along the ray (positive: away) and across it, 90
 * degrees from it towards +angle, in units of lidar_from()'s `speed`, 0 without a hit.
 */
#ifndef CAROM_TICK_LIDAR_H
#define CAROM_TICK_LIDAR_H

#include "simd/elementary.h"
#include "tick/run.h"
#include "toi/ray.h"

/* What one body sees in LANES worlds. */
typedef struct tick_lidar {
    tick_view view;
    unsigned agent;
    bool there; /* lidar_from() has been called */
    vreal x, y, vx, vy, range, speed;
    const real *cosine, *sine; /* [RULES_LIDAR_RAYS]: of the angle between each ray and straight ahead */
    vreal ux[RULES_LIDAR_RAYS], uy[RULES_LIDAR_RAYS];
    /* The nearest thing so far: distance, kind (-1: none), velocity. */
    vreal t[RULES_LIDAR_RAYS], thing[RULES_LIDAR_RAYS], thing_vx[RULES_LIDAR_RAYS], thing_vy[RULES_LIDAR_RAYS];
} tick_lidar;

/* The body's index among the bodies of all players. */
CAROM_LANE unsigned lidar_agent(const tick_lidar *lidar)
{
    return lidar->agent;
}

/* Sets number k of those that the body sees before its rays. */
CAROM_LANE void lidar_own(const tick_lidar *lidar, unsigned k, vreal a)
{
    view_put_lidar(lidar->view, lidar->agent, k, a);
}

/* Sets the body's position and velocity, and the cosine and sine of the direction of its first ray. Must be called
 * before anything is named; without it all numbers of the rays are 0. */
CAROM_LANE void lidar_from(tick_lidar *lidar, vreal x, vreal y, vreal vx, vreal vy, vreal cosine, vreal sine,
                           double range, double speed)
{
    lidar->there = true;
    lidar->x = x;
    lidar->y = y;
    lidar->vx = vx;
    lidar->vy = vy;
    lidar->range = v_set1((real)range);
    lidar->speed = v_set1((real)speed);
    for (unsigned k = 0; k < RULES_LIDAR_RAYS; k++) {
        const vreal c = v_set1(lidar->cosine[k]), s = v_set1(lidar->sine[k]);
        lidar->ux[k] = cosine * c - sine * s;
        lidar->uy[k] = sine * c + cosine * s;
        lidar->t[k] = lidar->range;
        lidar->thing[k] = v_set1(-1);
        lidar->thing_vx[k] = lidar->thing_vy[k] = v_set1(0);
    }
}

/* Ray k hits a thing at distance t, if that is nearer than all before. */
CAROM_LANE void lidar_meet(tick_lidar *lidar, unsigned k, vreal t, unsigned thing, vreal vx, vreal vy)
{
    const vmask nearer = v_lt(t, lidar->t[k]);
    lidar->t[k] = v_select(nearer, t, lidar->t[k]);
    lidar->thing[k] = v_select(nearer, v_set1((real)thing), lidar->thing[k]);
    lidar->thing_vx[k] = v_select(nearer, vx, lidar->thing_vx[k]);
    lidar->thing_vy[k] = v_select(nearer, vy, lidar->thing_vy[k]);
}

/* A circle of kind `thing`. Rays that begin inside it hit it at 0. */
CAROM_LANE void lidar_circle(tick_lidar *lidar, unsigned thing, vreal x, vreal y, vreal vx, vreal vy, double radius)
{
    CHECKED_INDEX(thing, RULES_LIDAR_THINGS, "rules_lidar() names a thing of kind %d, of %d");
    const rays_disc disc = rays_disc_of(lidar->x, lidar->y, x, y, v_set1((real)radius));
    for (unsigned k = 0; k < RULES_LIDAR_RAYS; k++) {
        lidar_meet(lidar, k, rays_disc_met(disc, lidar->ux[k], lidar->uy[k]), thing, vx, vy);
    }
}

/* A wall from a to b, which rays hit from either side. */
CAROM_LANE void lidar_wall(tick_lidar *lidar, unsigned thing, double ax, double ay, double bx, double by)
{
    CHECKED_INDEX(thing, RULES_LIDAR_THINGS, "rules_lidar() names a thing of kind %d, of %d");
    const vreal zero = v_set1(0);
    const rays_edge edge =
        rays_edge_of(lidar->x, lidar->y, v_set1((real)ax), v_set1((real)ay), v_set1((real)bx), v_set1((real)by));
    for (unsigned k = 0; k < RULES_LIDAR_RAYS; k++) {
        lidar_meet(lidar, k, rays_edge_met(edge, lidar->ux[k], lidar->uy[k]), thing, zero, zero);
    }
}

CAROM_LANE void rules_lidar(const rules_context *context, tick_world w, tick_lidar *lidar);

/* Writes the numbers of ray k. */
CAROM_LANE void lidar_show(const tick_lidar *lidar, unsigned k)
{
    const unsigned at = RULES_LIDAR_OWN + k * (3 + RULES_LIDAR_THINGS);
    const vreal zero = v_set1(0), one = v_set1(1);
    vreal number[3 + RULES_LIDAR_THINGS];
    for (unsigned i = 0; i < 3 + RULES_LIDAR_THINGS; i++) {
        number[i] = zero;
    }

    if (lidar->there) {
        const vmask met = v_ge(lidar->thing[k], zero);
        const vreal vx = lidar->thing_vx[k] - lidar->vx, vy = lidar->thing_vy[k] - lidar->vy;
        const vreal away = (vx * lidar->ux[k] + vy * lidar->uy[k]) / lidar->speed;
        const vreal aside = (vy * lidar->ux[k] - vx * lidar->uy[k]) / lidar->speed;
        number[0] = lidar->t[k] / lidar->range;
        for (unsigned i = 0; i < RULES_LIDAR_THINGS; i++) {
            number[1 + i] = v_select(v_eq(lidar->thing[k], v_set1((real)i)), one, zero);
        }
        number[1 + RULES_LIDAR_THINGS] = v_select(met, away, zero);
        number[2 + RULES_LIDAR_THINGS] = v_select(met, aside, zero);
    }
    for (unsigned i = 0; i < 3 + RULES_LIDAR_THINGS; i++) {
        view_put_lidar(lidar->view, lidar->agent, at + i, number[i]);
    }
}

/* Writes what all bodies that players act with see. */
CAROM_LANE void lidar_observe(const rules_context *context, tick_world w, tick_view view)
{
    /* The angles of the rays, several at a time. */
    enum { ROOM = (RULES_LIDAR_RAYS + LANES - 1) / LANES * LANES };
    alignas(64) real cosine[ROOM], sine[ROOM];
    for (unsigned k = 0; k < ROOM; k += LANES) {
        alignas(64) real angle[LANES];
        vreal s, c;
        for (unsigned l = 0; l < LANES; l++) {
            angle[l] = (real)(k + l) * (V_TWO_PI / RULES_LIDAR_RAYS);
        }
        v_sincos(v_load(angle), &s, &c);
        v_store(sine + k, s);
        v_store(cosine + k, c);
    }

    tick_lidar lidar;
    lidar.view = view;
    lidar.cosine = cosine;
    lidar.sine = sine;
    lidar.x = lidar.y = lidar.vx = lidar.vy = v_set1(0);
    lidar.range = lidar.speed = v_set1(1);
    for (unsigned agent = 0; agent < RULES_PLAYERS * RULES_AGENTS; agent++) {
        lidar.agent = agent;
        lidar.there = false;
        rules_lidar(context, w, &lidar);
        for (unsigned k = 0; k < RULES_LIDAR_RAYS; k++) {
            lidar_show(&lidar, k);
        }
    }
}

#endif
