/* SPDX-License-Identifier: MIT
 * The interface of engines: an engine plays the impacts of one tick, for the worlds of some tiles. scenes/kernel.c does
 * the rest of a tick; scenes/wide_kernel.c and scenes/deep_kernel.c are the engines.
 */
#ifndef CAROM_SCENES_ENGINE_H
#define CAROM_SCENES_ENGINE_H

#include "base/little.h"
#include "scenes/frozen.h"
#include "tick/contact.h"

#define SCENE_TILES 8 /* the most tiles that an engine plays at once */

/* The tick of one tile. In the deep engine a tile is one world: then arrays of 16 have only element 0. */
typedef struct scene_tick {
    const scene_frozen *scene;
    unsigned char *tile;
    void *scratch; /* scene_engine.scratch_bytes, 64-byte aligned; nothing in it outlives the call */
    real dt;
    const real *dts;          /* [16], or NULL: each world has its own dt instead */
    unsigned worlds;          /* bit l: play the world in lane l */
    const uint64_t *world_id; /* [16], for the response hook */
    uint32_t watched;         /* a body whose impacts are counted, or UINT32_MAX */
    const volatile int *cancel;
    bool behind; /* the tile is not read until scene_engine.catch_up(): the engine need not write to it */
    bool again;  /* `behind` was set in the previous tick, with this tile and scratch; neither has been touched since */

    /* Out, [16]; only lanes of `worlds` are written. A world that faults is left unchanged. */
    uint32_t *impacts, *sensed, *watched_impacts; /* impacts: all, sensed ones included */
    uint32_t *met; /* [rule][16], of rules about meetings: the engine adds to it. NULL: no rule is counted */
    /* carom_fault, or 0. The deep engine checks numbers before it writes them; the wide engine leaves that to the
     * caller and sets only CAROM_FAULT_EVENTS. */
    uint8_t *fault;
    bool cancelled; /* no result is valid, and the caller restores the worlds */

    /* Recording, or NULL: the destination of each lane's events (NULL: none), and their number. Those of a world that
     * faults stay. */
    carom_event **events;
    uint32_t *event_counts; /* [16], set to 0 by the caller */
    size_t event_capacity;
    carom_contact **contacts; /* the same for contacts; NULL: not wanted */
} scene_tick;

/* A world in the middle of a tick: the records of body b at [b * step], and the counts so far. */
typedef struct scene_begun {
    const real *x, *y, *vx, *vy, *t;
    const real *k;           /* see scene_circle; NULL: records end with the tick */
    const real *at_x, *at_y; /* positions at the start of this tick of bodies with a record of an earlier one */
    const real *met;         /* NULL: there is no contact_time */
    const int32_t *last;     /* NULL: nothing is a sensor */
    size_t step;
    real time; /* of the next event: all earlier ones have been played */
    uint32_t impacts, sensed, watched;
    uint64_t passages; /* through periodic sides */
} scene_begun;

typedef struct scene_engine {
    size_t (*scratch_bytes)(const scene_frozen *scene);
    /* The number of tiles for which tick() is fastest. */
    size_t (*tiles)(const scene_frozen *scene);
    /* Step 2 of a tick (see carom/scene.h): x, y, vx, vy of the tiles' active bodies go from its start to its end.
     * scene, scratch and dt are the same in all ticks. */
    void (*tick)(scene_tick *ticks, size_t count);
    /* Finishes the tick of the world in `lane`, which another engine has begun; scratch as for tick(). NULL in the wide
     * engine. */
    void (*resume)(scene_tick *tick, unsigned lane, const scene_begun *begun, void *scratch);
    /* Writes to the tile what ticks with `behind` have omitted; only tile and scratch of the tick are read. NULL in the
     * wide engine. */
    void (*catch_up)(scene_tick *tick);
} scene_engine;

CAROM_LANE real *scene_reals(const scene_tick *k, size_t offset)
{
    return (real *)(void *)(k->tile + offset);
}
CAROM_LANE int32_t *scene_ints(const scene_tick *k, size_t offset)
{
    return (int32_t *)(void *)(k->tile + offset);
}
CAROM_LANE const int8_t *scene_actives(const scene_tick *k)
{
    return (const int8_t *)(k->tile + k->scene->active);
}

/* A number of the world in a lane, of a field that differs by world. */
CAROM_LANE real scene_own_number(const scene_tick *k, unsigned lane, scene_own own, size_t element)
{
    return ((const real *)(const void *)(k->tile + k->scene->own[own]))[element * k->scene->lanes + lane];
}

/* Adds a word to a hash. The step is one-to-one: worlds that differ in one number of f32 have different hashes. */
CAROM_LANE uint32_t scene_hash_word(uint32_t hash, uint32_t word)
{
    hash = (hash ^ word) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

/* Hashes of the numbers that may differ by world, except dt, for `count` lanes from lane `from` on. */
CAROM_LANE void scene_hash_numbers(const scene_tick *k, unsigned from, unsigned count, uint32_t *to)
{
    const scene_frozen *s = k->scene;
    const uint32_t varies = s->varies & ~(uint32_t)CAROM_VARIES_DT;
    for (unsigned l = 0; l < count; l++) {
        to[l] = 0;
    }

    for (unsigned own = 0; own < SCENE_OWNS; own++) {
        const size_t elements = s->own[own] != 0 ? scene_own_count(s->desc, varies, (scene_own)own) : 0;
        const size_t bytes = own < SCENE_OWN_REALS ? sizeof(real) : 1;
        for (size_t e = 0; e < elements; e++) {
            const unsigned char *row = k->tile + s->own[own] + (e * s->lanes + from) * bytes;
            for (unsigned l = 0; l < count; l++) {
                const uint64_t bits = number_bits(row + l * bytes, bytes);
                to[l] = scene_hash_word(to[l], (uint32_t)bits);
                to[l] = bytes == sizeof bits ? scene_hash_word(to[l], (uint32_t)(bits >> 32)) : to[l];
            }
        }
    }
}

/* Writes a body's record to its world's fields: it is of the time t of tick `tick`; vx, vy are written only if
 * velocities change along the path. */
CAROM_LANE void scene_keep_record(const scene_tick *k, unsigned lane, uint32_t body, real x, real y, real vx, real vy,
                                  real t, int32_t tick)
{
    const scene_frozen *s = k->scene;
    const size_t at = (size_t)body * s->lanes + lane;
    scene_reals(k, s->record_x)[at] = x;
    scene_reals(k, s->record_y)[at] = y;
    scene_reals(k, s->record_time)[at] = t;
    scene_ints(k, s->record_tick)[at] = tick;
    if (s->accelerates) {
        scene_reals(k, s->record_vx)[at] = vx;
        scene_reals(k, s->record_vy)[at] = vy;
    }
}

/* A body that is not active has no record. */
CAROM_LANE void scene_drop_record(const scene_tick *k, unsigned lane, uint32_t body)
{
    scene_keep_record(k, lane, body, 0, 0, 0, 0, 0, -1);
}

/* The length of the tick of the world in a lane, and numbers of one of its bodies. */
CAROM_LANE real scene_dt(const scene_tick *k, unsigned lane)
{
    return k->dts != NULL ? k->dts[lane] : k->dt;
}
CAROM_LANE real scene_radius(const scene_tick *k, unsigned lane, uint32_t body)
{
    return k->scene->own[SCENE_OWN_RADIUS] != 0 ? scene_own_number(k, lane, SCENE_OWN_RADIUS, body)
                                                : k->scene->radius[body];
}
CAROM_LANE real scene_inverse_mass(const scene_tick *k, unsigned lane, uint32_t body)
{
    return k->scene->own[SCENE_OWN_MASS] != 0 ? 1 / scene_own_number(k, lane, SCENE_OWN_MASS, body)
                                              : k->scene->inverse_mass[body];
}

/* Counts an impact of `first` and `second`, ids, for the scene's rules about meetings. */
CAROM_LANE void scene_count_meeting(const scene_tick *k, unsigned lane, uint32_t first, uint32_t second, bool sensed)
{
    const scene_frozen *s = k->scene;
    const bool pair = second < s->bodies;

    for (uint32_t r = 0; r < s->rule_count; r++) {
        const scene_rule *rule = &s->rules[r];
        const bool is_first = rule->body == first, takes_part = is_first || rule->body == second;
        const uint32_t other = is_first ? second : first;

        bool meets = false;
        if (takes_part && rule->kind == CAROM_RULE_MEETS_BODY) {
            meets = pair && (s->category[other] & rule->category) != 0;
        } else if (takes_part && rule->kind == CAROM_RULE_MEETS_SENSOR) {
            meets = sensed;
        } else if (takes_part && (rule->kind < CAROM_RULE_MEETS_SENSOR || rule->kind == CAROM_RULE_MEETS_ARC)) {
            meets = other == rule->other;
        }
        k->met[r * CAROM_TILE + lane] += meets;
    }
}

/* An impact, for recordings and hooks. `second` counts bodies, sides, walls, polygons or arcs, depending on `kind`. */
typedef struct scene_impact {
    real time;
    carom_impact_kind kind;
    uint32_t first, second, part;
    uint32_t id;                 /* of the second */
    real x1, y1, x2, y2, nx, ny; /* centres at the time of impact, and the unit normal towards the first */
    real vx1, vy1, vx2, vy2;     /* velocities before it, for a response hook or contacts; of a second body alone */
    real ux1, uy1, ux2, uy2;     /* and after it */
    real impulse;
    bool settles; /* a settling, whose impulse is that of its contact, also at a wall */
} scene_impact;

/* Sets what the first body meets, by its id; it settles nothing. */
CAROM_LANE void scene_impact_with(const scene_frozen *s, scene_impact *i, uint32_t id)
{
    const uint32_t sides = scene_side_id(s, 0), walls = scene_wall_id(s, 0), polygons = scene_polygon_id(s, 0);
    const uint32_t arcs = scene_arc_id(s, 0);
    i->id = id;
    i->kind = id < sides      ? CAROM_IMPACT_BODY
              : id < walls    ? CAROM_IMPACT_SIDE
              : id < polygons ? CAROM_IMPACT_WALL
              : id < arcs     ? CAROM_IMPACT_POLYGON
                              : CAROM_IMPACT_ARC;
    i->settles = false;
    i->second = id - (id < sides ? 0 : id < walls ? sides : id < polygons ? walls : id < arcs ? polygons : arcs);
}

/* The unit normal of a side, which points into the box. */
CAROM_LANE void scene_side_normal(uint32_t side, real *nx, real *ny)
{
    *nx = side == 0 ? REAL(1.) : side == 1 ? REAL(-1.) : 0;
    *ny = side == 2 ? REAL(1.) : side == 3 ? REAL(-1.) : 0;
}

/* Writes the contact of an impact whose event has been written. At a wall the event has the change of velocity, the
 * contact the impulse. */
CAROM_LANE void scene_record_contact(carom_contact *c, const carom_event *e, const scene_impact *i, real inverse_mass)
{
    const bool pair = i->kind == CAROM_IMPACT_BODY;
    c->x = e->x, c->y = e->y;
    c->nx = 0 - e->nx, c->ny = 0 - e->ny;
    c->impulse = e->impulse;
    c->time[0] = c->time[1] = 1 - e->left;
    c->centre[0][0] = (double)i->x1, c->centre[0][1] = (double)i->y1;
    c->centre[1][0] = pair ? (double)i->x2 : e->x, c->centre[1][1] = pair ? (double)i->y2 : e->y;
    c->before[0][0] = (double)i->vx1, c->before[0][1] = (double)i->vy1;
    c->before[1][0] = pair ? (double)i->vx2 : 0, c->before[1][1] = pair ? (double)i->vy2 : 0;
    c->after[0][0] = (double)i->ux1, c->after[0][1] = (double)i->uy1;
    c->after[1][0] = pair ? (double)i->ux2 : 0, c->after[1][1] = pair ? (double)i->uy2 : 0;
    if (!pair && !i->settles) {
        contact_push(c, 1 / (double)inverse_mass, 0);
    }
}

/* Records an impact at the point where the first body touches, if there is room. */
CAROM_LANE void scene_record(scene_tick *k, unsigned lane, const scene_impact *i)
{
    if (k->events == NULL || k->events[lane] == NULL) {
        return;
    }

    const uint32_t at = k->event_counts[lane]++;
    if (at < k->event_capacity) {
        carom_event *e = &k->events[lane][at];
        const double dt = (double)scene_dt(k, lane);
        const real radius = scene_radius(k, lane, i->first);
        e->left = (dt - (double)i->time) / dt;
        e->first = i->first;
        e->second = i->second;
        e->kind = (uint8_t)i->kind;
        e->part = i->part;
        e->x = (double)(i->x1 - radius * i->nx);
        e->y = (double)(i->y1 - radius * i->ny);
        e->nx = (double)i->nx;
        e->ny = (double)i->ny;
        e->impulse = (double)i->impulse;
        if (k->contacts != NULL) {
            scene_record_contact(&k->contacts[lane][at], e, i, scene_inverse_mass(k, lane, i->first));
        }
    }
}

/* The argument of a scene's response hook. The hook sets the velocities after an impact, in place of scene_collide()
 * and scene_rebound(). */
CAROM_LANE carom_impact scene_question(const scene_tick *k, unsigned lane, const scene_impact *i)
{
    carom_impact c;
    c.world_id = k->world_id[lane];
    c.time = (double)i->time;
    c.kind = (uint32_t)i->kind;
    c.first = i->first;
    c.second = i->second;
    c.part = i->part;
    c.x1 = (double)i->x1, c.y1 = (double)i->y1, c.x2 = (double)i->x2, c.y2 = (double)i->y2;
    c.nx = (double)i->nx, c.ny = (double)i->ny;
    c.inverse_mass1 = (double)scene_inverse_mass(k, lane, i->first);
    c.inverse_mass2 = i->kind == CAROM_IMPACT_BODY ? (double)scene_inverse_mass(k, lane, i->second) : 0;
    c.vx1 = (double)i->vx1, c.vy1 = (double)i->vy1, c.vx2 = (double)i->vx2, c.vy2 = (double)i->vy2;
    return c;
}

/* Takes the velocities from a response hook; the impulse follows from their change. */
CAROM_LANE void scene_answer(const scene_tick *k, unsigned lane, const carom_impact *c, scene_impact *i)
{
    i->ux1 = i->vx1, i->uy1 = i->vy1, i->ux2 = i->vx2, i->uy2 = i->vy2;
    real change = 0, inverse = i->kind == CAROM_IMPACT_BODY ? scene_inverse_mass(k, lane, i->first) : 1;
    if (c->inverse_mass1 > 0) {
        change = ((real)c->vx1 - i->vx1) * i->nx + ((real)c->vy1 - i->vy1) * i->ny;
        i->ux1 = (real)c->vx1, i->uy1 = (real)c->vy1;
    } else {
        change = (i->vx2 - (real)c->vx2) * i->nx + (i->vy2 - (real)c->vy2) * i->ny;
        inverse = scene_inverse_mass(k, lane, i->second);
    }
    i->impulse = change / inverse;
    if (c->inverse_mass2 > 0) {
        i->ux2 = (real)c->vx2, i->uy2 = (real)c->vy2;
    }
}

CAROM_EXTERN const scene_engine CAROM_KERNEL(scene_wide), CAROM_KERNEL(scene_deep);

/* The frozen scene of the world in a lane, with the world's own numbers in place of the scene's: scenes/own.h. memory:
 * scene_own_bytes(), 64-byte aligned; 0 where no worlds differ, and then it must not be called. */
CAROM_EXTERN size_t CAROM_KERNEL(scene_own_bytes)(const scene_frozen *s);
CAROM_EXTERN const scene_frozen *CAROM_KERNEL(scene_own)(const scene_tick *k, unsigned lane, void *memory);

#endif
