/* SPDX-License-Identifier: MIT
 * A frozen scene, as kernels read it: one block of memory, with numbers in the kernel's precision.
 *
 * scenes/freeze.h fills it; afterwards it is read-only. Everything that can be hit has an id: bodies 0..bodies-1, then
 * the box's sides (left, right, lower, upper), walls, polygons, arcs.
 */
#ifndef CAROM_SCENES_FROZEN_H
#define CAROM_SCENES_FROZEN_H

#include <carom/scene.h>

#include "scenes/scenes.h"
#include "simd/lanes.h"
#include "toi/arc.h"

/* Is the start of this body drawn? */
static inline bool scene_is_spread(const carom_scene_body *body)
{
    return body->x_spread != 0 || body->y_spread != 0 || body->vx_spread != 0 || body->vy_spread != 0;
}

#define SCENE_SIDES 4
#define SCENE_NEVER ((real)__builtin_inf())
#if CAROM_REAL_BITS == 64
#define SCENE_RANGE ((real)CAROM_SCENE_RANGE_F64)
#else
#define SCENE_RANGE ((real)CAROM_SCENE_RANGE_F32)
#endif

/* The result of a contact between two bodies, or a body and anything else. */
typedef enum scene_kind {
    SCENE_PASSES,      /* nothing */
    SCENE_STRIKES,     /* an impact */
    SCENE_SENSES,      /* one is a sensor, which notices the other */
    SCENE_STRIKES_SLOW /* an impact of two slow bodies, or of one with a wall or polygon: see motion.h */
} scene_kind;

CAROM_LANE real scene_amount(real a)
{
    return a < 0 ? -a : a;
}

/* |x| + |y|, if that is more than `most`. */
CAROM_LANE real scene_greater_size(real most, real x, real y)
{
    const real size = scene_amount(x) + scene_amount(y);
    return size > most ? size : most;
}

/* The number nearest to a in [low, high]; NaN stays. */
CAROM_LANE vreal scene_clamped(vreal a, real low, real high)
{
    const vreal lowest = v_set1(low), highest = v_set1(high);
    return v_select(v_lt(a, lowest), lowest, v_select(v_gt(a, highest), highest, a));
}

typedef struct scene_wall {
    real ax, ay, bx, by, restitution;
    real size; /* the greatest |x| + |y| of its ends */
    bool one_sided, sensor;
    uint32_t category, mask;
} scene_wall;

typedef struct scene_polygon {
    uint32_t first, corners; /* range of scene_frozen.corner_x and corner_y */
    real restitution;
    real size; /* the greatest |x| + |y| of its corners */
    bool sensor;
    uint32_t category, mask;
} scene_polygon;

typedef struct scene_arc {
    real x, y, radius, ax, ay, bx, by; /* the ends as seen from (x, y), see arc_shape */
    bool ring, major, within, without;
    real restitution;
    real size;           /* no less than the greatest |x| + |y| of its points */
    real x0, y0, x1, y1; /* a box around it */
    bool sensor;
    uint32_t category, mask;
} scene_arc;

typedef struct scene_rule {
    carom_rule_kind kind;
    uint32_t body, category;
    uint32_t other; /* id of what it meets, or of the body that it approaches */
    real x, y, x1, y1;
    uint32_t player; /* gets the reward */
    uint32_t agent;  /* gets it as a separate agent: an index of scene_frozen.actors */
    uint32_t actor;  /* the index of `body` there, if it acts */
} scene_rule;

/* A grid over walls, polygons and arcs, counted in this order: see scenes/freeze.h. */
typedef struct scene_places {
    uint32_t columns, rows;                     /* 0: there are none */
    real x0, y0, inverse_width, inverse_height; /* corner of the first cell, and cells per unit of length */
    const uint32_t *starts;                     /* [rows * columns + 1]: start of a cell's part of items */
    const uint32_t *items; /* walls, polygons and arcs in a cell; these once for each of their pieces there */
    const real *boxes;     /* [walls + polygons + arcs][4], low x, y, high x, y, widened by the possible rounding */
} scene_places;

typedef struct scene_frozen {
    uint32_t bodies, walls, polygons, arcs;
    uint32_t max_events;
    uint32_t max_crossings; /* of periodic sides, per world and tick */
    uint32_t settles_after; /* impacts of a world in a tick from which short ones are counted; UINT32_MAX: never */
    const real *radius, *inverse_mass, *restitution, *keep, *ax, *ay; /* [bodies]; keep = 1 - damping */
    const real *action_scale;                                         /* [bodies] */
    const uint32_t *category, *mask;                                  /* [bodies] */
    const uint8_t *sensor, *slow;                                     /* [bodies], 0 or 1 */
    const uint8_t *renews; /* [bodies], 1: a new record every tick, see scenes/record.h */
    bool renewing;         /* 1 for some body */
    const scene_wall *wall;
    const scene_polygon *polygon;
    const scene_arc *arc;
    const real *corner_x, *corner_y;
    scene_places places;
    real x0, y0, x1, y1, side_restitution;
    uint32_t side_category, side_mask;
    carom_scene_sides horizontal, vertical;
    uint32_t varies; /* numbers that differ by world: of the fields below those with own[] != 0 */
    real speed_limit, least_impulse, contact_time;
    int solver; /* carom_toi_variant */
    carom_advance advance;
    bool goes_on;     /* records outlive ticks: scenes/record.h */
    bool accelerates; /* some body is accelerated */
    bool plain;       /* SCENE_STRIKES for every pair of bodies, and every body with every wall, polygon and side */
    bool slowly;      /* SCENE_STRIKES_SLOW is possible */
    bool choosy;      /* solid sides let some bodies pass: scene_sides_stop() */
    bool damped;      /* some body's velocity is damped */
    bool deep;        /* which engine plays it */
    uint32_t lanes; /* worlds of a tile, and the step from one element of a field to the next: CAROM_TILE, 1 if deep */
    /* Bytes from the start of a tile to element 0 of lane 0. */
    size_t x, y, vx, vy, id, episode, tick, user, end, fault, frozen, active;
    /* Only if goes_on; of accelerated bodies' velocities only if some are. */
    size_t record_x, record_y, record_time, record_vx, record_vy, record_dt, record_tick;
    size_t record_numbers;  /* 0: worlds have no own numbers on which records depend */
    size_t own[SCENE_OWNS]; /* 0: all worlds have the scene's, as above */
    size_t tile_bytes;
    const carom_scene_desc *desc; /* for rare needs of kernels: actions, measures, hooks */
    uint32_t players;
    const uint32_t *actors; /* [actor_count], bodies with `acts`, sorted by player */
    uint32_t actor_count;
    const scene_rule *rules; /* [rule_count] */
    uint32_t rule_count;
    bool counts;           /* there are rules that are counted: scene_is_counted() */
    const uint32_t *views; /* [view_count][view_bodies], the viewing body first; sorted by its player */
    uint32_t view_count, view_bodies;
} scene_frozen;

CAROM_LANE uint32_t scene_side_id(const scene_frozen *s, uint32_t side)
{
    return s->bodies + side;
}
CAROM_LANE uint32_t scene_wall_id(const scene_frozen *s, uint32_t wall)
{
    return s->bodies + SCENE_SIDES + wall;
}
CAROM_LANE uint32_t scene_polygon_id(const scene_frozen *s, uint32_t polygon)
{
    return s->bodies + SCENE_SIDES + s->walls + polygon;
}

CAROM_LANE uint32_t scene_arc_id(const scene_frozen *s, uint32_t arc)
{
    return s->bodies + SCENE_SIDES + s->walls + s->polygons + arc;
}

/* The number of obstacles, things other than the box that can be hit and do not move: walls are counted first, then
 * polygons, then arcs. */
CAROM_LANE uint32_t scene_obstacles(const scene_frozen *s)
{
    return s->walls + s->polygons + s->arcs;
}

/* The arc that is obstacle `which`, or NULL. */
CAROM_LANE const scene_arc *scene_arc_of(const scene_frozen *s, uint32_t which)
{
    return which < s->walls + s->polygons ? NULL : &s->arc[which - s->walls - s->polygons];
}

/* The arc in every lane. */
static inline arc_shape scene_arc_shape(const scene_arc *a)
{
    const vmask all = m_below(LANES), none = m_from_bits(0);
    arc_shape shape;
    shape.x = v_set1(a->x), shape.y = v_set1(a->y), shape.radius = v_set1(a->radius);
    shape.ax = v_set1(a->ax), shape.ay = v_set1(a->ay), shape.bx = v_set1(a->bx), shape.by = v_set1(a->by);
    shape.ring = a->ring ? all : none, shape.major = a->major ? all : none;
    shape.within = a->within ? all : none, shape.without = a->without ? all : none;
    return shape;
}

/* Sides are counted left, right, lower, upper. */
CAROM_LANE carom_scene_sides scene_sides_of(const scene_frozen *s, uint32_t side)
{
    return side < 2 ? s->horizontal : s->vertical;
}

/* Is this the id of a periodic side? */
CAROM_LANE bool scene_is_passage(const scene_frozen *s, uint32_t id)
{
    return id - s->bodies < SCENE_SIDES && scene_sides_of(s, id - s->bodies) == CAROM_SIDES_PERIODIC;
}

/* The restitution of a side or obstacle, by its id. */
CAROM_LANE real scene_restitution_of(const scene_frozen *s, uint32_t id)
{
    const uint32_t side = id - s->bodies, which = side - SCENE_SIDES;
    return side < SCENE_SIDES               ? s->side_restitution
           : which < s->walls               ? s->wall[which].restitution
           : which < s->walls + s->polygons ? s->polygon[which - s->walls].restitution
                                            : scene_arc_of(s, which)->restitution;
}

CAROM_LANE scene_kind scene_kind_of(bool sensor, bool slow)
{
    return sensor ? SCENE_SENSES : slow ? SCENE_STRIKES_SLOW : SCENE_STRIKES;
}

CAROM_LANE scene_kind scene_pair_kind(const scene_frozen *s, uint32_t i, uint32_t j)
{
    const bool seen = (s->category[i] & s->mask[j]) != 0 && (s->category[j] & s->mask[i]) != 0;
    if (!seen || (s->inverse_mass[i] == 0 && s->inverse_mass[j] == 0)) {
        return SCENE_PASSES;
    }
    return scene_kind_of(s->sensor[i] || s->sensor[j], s->slow[i] && s->slow[j]);
}

/* The kind of contact of a body with obstacle `which`. */
CAROM_LANE scene_kind scene_wall_kind(const scene_frozen *s, uint32_t i, uint32_t which)
{
    const scene_wall *wall = which < s->walls ? &s->wall[which] : NULL;
    const scene_arc *arc = scene_arc_of(s, which);
    const scene_polygon *polygon = wall == NULL && arc == NULL ? &s->polygon[which - s->walls] : NULL;
    const bool sensor = wall != NULL ? wall->sensor : polygon != NULL ? polygon->sensor : arc->sensor;
    const uint32_t category = wall != NULL ? wall->category : polygon != NULL ? polygon->category : arc->category;
    const uint32_t mask = wall != NULL ? wall->mask : polygon != NULL ? polygon->mask : arc->mask;
    if (s->inverse_mass[i] == 0 || !scene_stops(category, mask, s->category[i], s->mask[i])) {
        return SCENE_PASSES;
    }
    return scene_kind_of(sensor || s->sensor[i], s->slow[i] != 0);
}

/* Do solid sides stop this body? They are never sensors, and slow bodies meet them like any other. */
CAROM_LANE bool scene_sides_stop(const scene_frozen *s, uint32_t i)
{
    return scene_stops(s->side_category, s->side_mask, s->category[i], s->mask[i]);
}

#endif
