/* SPDX-License-Identifier: MIT
 * A frozen scene on the host's side: the game that it is, and the data shared with its kernels.
 */
#ifndef CAROM_SCENES_SCENES_H
#define CAROM_SCENES_SCENES_H

#include <carom/scene.h>

#include "games/game.h"

typedef struct scene_frozen scene_frozen; /* see scenes/frozen.h */

#define SCENE_FIELDS 48 /* of a world, at most, in addition to those of worlds.h */

/* The kinds of action, in the order of carom_scene.kinds. */
enum { SCENE_NORMALISED, SCENE_IMPULSE, SCENE_VELOCITY, SCENE_KINDS };

struct carom_scene {
    carom_game game;       /* first: a carom_scene is a carom_game */
    carom_scene_desc desc; /* its arrays are in `copies`; solver and engine (that of f64) are resolved */
    void *copies;
    carom_engine engines[2];         /* in f32, in f64 */
    void *frozen[2];                 /* scene_frozen in f32, in f64 */
    uint32_t varies;                 /* scene_varies(&desc) */
    uint64_t hash;                   /* of everything on which results depend, except hooks */
    field_spec fields[SCENE_FIELDS]; /* the game's */
    carom_action_kind kinds[SCENE_KINDS];
    struct scene_names *names; /* of observations: scenes/game.c */
    double *rays;              /* [lidar.rays][2]: unit vectors, x and y; NULL: there are none */
};

/* Masses in this range and their reciprocals are normal numbers even in f32. */
#define SCENE_LEAST_MASS 1e-30
#define SCENE_MOST_MASS 1e30

/* The fields of worlds that differ, in their order in a tile. */
typedef enum scene_own {
    SCENE_OWN_RADIUS, /* of bodies */
    SCENE_OWN_MASS,
    SCENE_OWN_RESTITUTION,
    SCENE_OWN_DAMPING,
    SCENE_OWN_AX,
    SCENE_OWN_AY,
    SCENE_OWN_ACTION_SCALE,
    SCENE_OWN_WALL_AX, /* of walls */
    SCENE_OWN_WALL_AY,
    SCENE_OWN_WALL_BX,
    SCENE_OWN_WALL_BY,
    SCENE_OWN_CORNER_X, /* of the corners of all polygons */
    SCENE_OWN_CORNER_Y,
    SCENE_OWN_DT,
    SCENE_OWN_REALS, /* those above are reals, those below int8 */
    SCENE_OWN_WALL_THERE = SCENE_OWN_REALS,
    SCENE_OWN_POLYGON_THERE,
    SCENE_OWNS
} scene_own;

#define SCENE_VARIES_ALL (2 * CAROM_VARIES_THERE - 1)

/* Which of carom_scene_varies a field belongs to. */
static inline uint32_t scene_own_bit(scene_own own)
{
    return own < SCENE_OWN_WALL_AX    ? 1u << own
           : own < SCENE_OWN_CORNER_X ? (uint32_t)CAROM_VARIES_WALLS
           : own < SCENE_OWN_DT       ? (uint32_t)CAROM_VARIES_CORNERS
           : own == SCENE_OWN_DT      ? (uint32_t)CAROM_VARIES_DT
                                      : (uint32_t)CAROM_VARIES_THERE;
}

/* The numbers that differ by world, as bits of carom_scene_varies: those that have a spread, and those that the
 * description names. */
static inline uint32_t scene_varies(const carom_scene_desc *desc)
{
    uint32_t varies = desc->varies | (desc->dt_spread != 0 ? (uint32_t)CAROM_VARIES_DT : 0);
    for (uint32_t i = 0; i < desc->body_count; i++) {
        const carom_scene_body *b = &desc->bodies[i];
        const double spreads[] = {b->radius_spread, b->mass_spread, b->restitution_spread, b->damping_spread,
                                  b->ax_spread,     b->ay_spread,   b->action_scale_spread};
        for (uint32_t k = 0; k < sizeof spreads / sizeof spreads[0]; k++) {
            varies |= spreads[k] != 0 ? 1u << k : 0;
        }
    }
    for (uint32_t w = 0; w < desc->wall_count; w++) {
        const carom_scene_wall *wall = &desc->walls[w];
        const bool spread =
            wall->ax_spread != 0 || wall->ay_spread != 0 || wall->bx_spread != 0 || wall->by_spread != 0;
        varies |= spread ? (uint32_t)CAROM_VARIES_WALLS : 0;
    }
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        const carom_scene_polygon *polygon = &desc->polygons[p];
        varies |= polygon->x_spread != 0 || polygon->y_spread != 0 ? (uint32_t)CAROM_VARIES_CORNERS : 0;
    }
    return varies;
}

static inline uint32_t scene_corners_in_all(const carom_scene_desc *desc)
{
    uint32_t corners = 0;
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        corners += desc->polygons[p].corners;
    }
    return corners;
}

/* The elements of a field of worlds that differ; 0: there is no such field. varies: of scene_varies(). */
static inline uint32_t scene_own_count(const carom_scene_desc *desc, uint32_t varies, scene_own own)
{
    const uint32_t count = own < SCENE_OWN_WALL_AX || own == SCENE_OWNS ? desc->body_count
                           : own < SCENE_OWN_CORNER_X                   ? desc->wall_count
                           : own < SCENE_OWN_DT                         ? scene_corners_in_all(desc)
                           : own == SCENE_OWN_DT                        ? 1
                           : own == SCENE_OWN_WALL_THERE                ? desc->wall_count
                                                                        : desc->polygon_count;
    return (varies & scene_own_bit(own)) != 0 ? count : 0;
}

/* Scenes compiled for one instruction set and precision. */
typedef struct scene_kernel {
    game_kernel game;
    size_t (*frozen_bytes)(const carom_scene_desc *desc);
    /* Fills `memory`, 64-byte aligned. desc must have been checked, and must live as long as the result. */
    void (*freeze)(const carom_scene_desc *desc, carom_engine engine, void *memory);
    size_t (*scratch_bytes)(const scene_frozen *scene); /* for each thread */
} scene_kernel;

/* Fills scene->game (and fields, kinds, frozen) from scene->desc: scenes/game.c. */
carom_status carom_scene_make_game(carom_scene *scene);
void carom_scene_free_game(carom_scene *scene);

/* Fills scene->rays, if its description has rays: scenes/aim.c. CAROM_ERROR_MEMORY. */
carom_status carom_scene_aim_rays(carom_scene *scene);

/* The number of players: up to the last one that has a body. */
static inline uint32_t scene_players(const carom_scene_desc *desc)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < desc->body_count; i++) {
        last = desc->bodies[i].player > last ? desc->bodies[i].player : last;
    }
    return last + 1;
}

/* Does something that does not move, with this category and mask, stop a body with its own? */
static inline bool scene_stops(uint32_t category, uint32_t mask, uint32_t its_category, uint32_t its_mask)
{
    return (mask == 0 || (mask & its_category) != 0) && (category == 0 || (category & its_mask) != 0);
}

/* Does scene_tick.met count how often a rule of this kind was fulfilled in a tick? */
static inline bool scene_is_counted(carom_rule_kind kind)
{
    return kind <= CAROM_RULE_MEETS_SENSOR || kind == CAROM_RULE_WITHIN || kind == CAROM_RULE_TICK ||
           kind == CAROM_RULE_MEETS_ARC;
}

/* The number of bodies of a player that act. */
static inline uint32_t scene_actors(const carom_scene_desc *desc, uint32_t player)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < desc->body_count; i++) {
        count += desc->bodies[i].acts && desc->bodies[i].player == player;
    }
    return count;
}

/* The number of outputs of a ray: distance, body, wall, the categories that it distinguishes, away, aside. */
static inline uint32_t scene_lidar_numbers(const carom_scene_lidar *lidar)
{
    return 5 + (uint32_t)__builtin_popcount(lidar->tells);
}

/* The most impacts of a world in a tick. By default more than in any tick that ends. */
static inline uint32_t scene_max_events(const carom_scene_desc *desc)
{
    return desc->max_events != 0 ? desc->max_events : 1000000 + 1000 * desc->body_count;
}

/* The most crossings of periodic sides. These are cheaper than impacts: 64 for each impact of a given limit. */
static inline uint32_t scene_max_crossings(const carom_scene_desc *desc)
{
    const uint32_t most = scene_max_events(desc);
    return desc->max_events == 0 ? most : most > UINT32_MAX / 64 ? UINT32_MAX : 64 * most;
}

/* May bodies settle? In scenes in which impacts may absorb energy, or with a contact_time; not with slow bodies, nor if
 * a hook sets the velocities after impacts. */
static inline bool scene_settles(const carom_scene_desc *desc)
{
    const carom_scene_box *box = &desc->box;
    const bool sides = box->horizontal == CAROM_SIDES_SOLID || box->vertical == CAROM_SIDES_SOLID;
    bool takes = desc->contact_time > 0 || (sides && box->restitution < 1) ||
                 (desc->varies & CAROM_VARIES_RESTITUTION) != 0,
         slow = false;
    for (uint32_t i = 0; i < desc->body_count; i++) {
        takes = takes || desc->bodies[i].restitution < 1 || desc->bodies[i].restitution_spread != 0;
        slow = slow || desc->bodies[i].slow;
    }
    for (uint32_t i = 0; i < desc->wall_count; i++) {
        takes = takes || desc->walls[i].restitution < 1;
    }
    for (uint32_t i = 0; i < desc->polygon_count; i++) {
        takes = takes || desc->polygons[i].restitution < 1;
    }
    for (uint32_t i = 0; i < desc->arc_count; i++) {
        takes = takes || desc->arcs[i].restitution < 1;
    }
    return takes && !slow && desc->response_hook == NULL;
}

/* Do records outlive ticks? See scenes/record.h. */
static inline bool scene_goes_on(const carom_scene_desc *desc)
{
    bool slow = false;
    for (uint32_t i = 0; i < desc->body_count; i++) {
        slow = slow || desc->bodies[i].slow;
    }
    return desc->advance == CAROM_OWN_CLOCK && !slow;
}

/* Do worlds note the own numbers with which their records began? dt is noted separately. */
static inline bool scene_watches_numbers(const carom_scene_desc *desc)
{
    return scene_goes_on(desc) && (scene_varies(desc) & ~(uint32_t)CAROM_VARIES_DT) != 0;
}

/* Is some body accelerated? In f32 a small acceleration may become 0; its scene still counts as accelerated, so that
 * worlds have the same fields in both precisions. */
static inline bool scene_has_accelerations(const carom_scene_desc *desc)
{
    bool accelerates = (scene_varies(desc) & (CAROM_VARIES_AX | CAROM_VARIES_AY)) != 0;
    for (uint32_t i = 0; i < desc->body_count; i++) {
        accelerates = accelerates || desc->bodies[i].ax != 0 || desc->bodies[i].ay != 0;
    }
    return accelerates;
}

/* The number of impacts in a world's tick from which short ones are counted: step 1 in scenes/settle.h. */
static inline uint32_t scene_settles_after(const carom_scene_desc *desc)
{
    const uint32_t few = 32 + 2 * desc->body_count;
    return scene_settles(desc) ? (few < 1024 ? few : 1024) : UINT32_MAX;
}

/* CAROM_OK for a valid description; otherwise writes the error to *problem: scenes/check.c. */
carom_status carom_scene_check(const carom_scene_desc *desc, carom_problem *problem);

#endif
