/* SPDX-License-Identifier: MIT
 * A world's own frozen scene, for the deep engine, where worlds differ: a copy of the shared scene, with the numbers of
 * the world's fields in place of the scene's. Code that reads a frozen scene then reads the world's.
 *
 * The grid of walls and polygons is rebuilt where these differ. It may have fewer cells than freeze.h would give it,
 * since its memory is allocated before the walls are known; no result depends on cells.
 */
#ifndef CAROM_SCENES_OWN_H
#define CAROM_SCENES_OWN_H

#include "scenes/engine.h"
#include "scenes/freeze.h"

#define OWN_NUMBERS (SCENE_OWN_AY + 1) /* of bodies, that the deep engine reads */
#define OWN_CELLS 4                    /* of the grid, a wall or edge at most */
#define OWN_ITEMS 16                   /* listed in cells, a wall or edge at most */
#define OWN_MORE 64                    /* cells, and items, in addition to these */

/* The arrays of the copy; NULL where worlds share the scene's. */
typedef struct own_block {
    freeze_block take; /* memory is allocated by freeze_take() */
    scene_frozen *scene;
    real *numbers[OWN_NUMBERS];
    scene_wall *wall;
    scene_polygon *polygon;
    real *corner_x, *corner_y;
    carom_scene_wall *walls; /* a description of the things that do not move, from which the grid is made */
    carom_scene_polygon *polygons;
    double *corners; /* x of all corners, then y */
    uint32_t *starts, *items;
    real *boxes;
    size_t cells, listed; /* room in starts, without the last one, and items */
} own_block;

static uint32_t own_corners(const scene_frozen *s)
{
    const scene_polygon *last = s->polygons != 0 ? &s->polygon[s->polygons - 1] : NULL;
    return last != NULL ? last->first + last->corners : 0;
}

/* Do walls or polygons differ by world? */
static bool own_has_stills(const scene_frozen *s)
{
    return (s->varies & (CAROM_VARIES_WALLS | CAROM_VARIES_CORNERS | CAROM_VARIES_THERE)) != 0 &&
           s->walls + s->polygons != 0;
}

static own_block own_lay_out(const scene_frozen *s, void *memory)
{
    const size_t corners = own_corners(s), pieces = s->walls + corners + (size_t)PLACES_SLICES * s->arcs;
    own_block b;
    __builtin_memset(&b, 0, sizeof b);
    b.take.memory = (unsigned char *)memory;

    b.scene = (scene_frozen *)freeze_take(&b.take, 1, sizeof *b.scene);
    for (unsigned k = 0; k < OWN_NUMBERS; k++) {
        b.numbers[k] = s->own[k] != 0 ? (real *)freeze_take(&b.take, s->bodies, sizeof(real)) : NULL;
    }
    if (own_has_stills(s)) {
        b.cells = OWN_CELLS * pieces + OWN_MORE, b.listed = OWN_ITEMS * pieces + OWN_MORE;
        b.wall = (scene_wall *)freeze_take(&b.take, s->walls, sizeof *b.wall);
        b.polygon = (scene_polygon *)freeze_take(&b.take, s->polygons, sizeof *b.polygon);
        b.corner_x = (real *)freeze_take(&b.take, corners, sizeof(real));
        b.corner_y = (real *)freeze_take(&b.take, corners, sizeof(real));
        b.walls = (carom_scene_wall *)freeze_take(&b.take, s->walls, sizeof *b.walls);
        b.polygons = (carom_scene_polygon *)freeze_take(&b.take, s->polygons, sizeof *b.polygons);
        b.corners = (double *)freeze_take(&b.take, 2 * corners, sizeof *b.corners);
        b.starts = (uint32_t *)freeze_take(&b.take, b.cells + 1, sizeof *b.starts);
        b.items = (uint32_t *)freeze_take(&b.take, b.listed, sizeof *b.items);
        b.boxes = (real *)freeze_take(&b.take, scene_obstacles(s), 4 * sizeof(real));
    }
    return b;
}

/* A number of the world, or the one that all worlds share. */
static real own_number(const scene_tick *k, unsigned lane, scene_own own, size_t element, real shared)
{
    return k->scene->own[own] != 0 ? scene_own_number(k, lane, own, element) : shared;
}

static bool own_is_there(const scene_tick *k, unsigned lane, scene_own own, size_t element)
{
    const size_t at = k->scene->own[own];
    return at == 0 || k->tile[at + element * k->scene->lanes + lane] != 0;
}

static void own_take_bodies(const scene_tick *k, unsigned lane, const own_block *b)
{
    scene_frozen *to = b->scene;
    for (unsigned n = 0; n < OWN_NUMBERS; n++) {
        for (uint32_t i = 0; b->numbers[n] != NULL && i < to->bodies; i++) {
            const real a = scene_own_number(k, lane, (scene_own)n, i);
            b->numbers[n][i] = n == SCENE_OWN_MASS ? 1 / a : n == SCENE_OWN_DAMPING ? 1 - a : a;
        }
    }

    const real **const arrays[OWN_NUMBERS] = {&to->radius, &to->inverse_mass, &to->restitution,
                                              &to->keep,   &to->ax,           &to->ay};
    for (unsigned n = 0; n < OWN_NUMBERS; n++) {
        *arrays[n] = b->numbers[n] != NULL ? b->numbers[n] : *arrays[n];
    }
}

/* Absent walls have NaN coordinates: they meet nothing, as no comparison with NaN is true. */
static void own_take_walls(const scene_tick *k, unsigned lane, const own_block *b)
{
    const scene_frozen *s = k->scene;
    for (uint32_t n = 0; n < s->walls; n++) {
        scene_wall *to = &b->wall[n];
        *to = s->wall[n];
        to->ax = own_number(k, lane, SCENE_OWN_WALL_AX, n, to->ax);
        to->ay = own_number(k, lane, SCENE_OWN_WALL_AY, n, to->ay);
        to->bx = own_number(k, lane, SCENE_OWN_WALL_BX, n, to->bx);
        to->by = own_number(k, lane, SCENE_OWN_WALL_BY, n, to->by);
        to->size = scene_greater_size(scene_greater_size(0, to->ax, to->ay), to->bx, to->by);

        b->walls[n] = s->desc->walls[n];
        b->walls[n].ax = (double)to->ax, b->walls[n].ay = (double)to->ay;
        b->walls[n].bx = (double)to->bx, b->walls[n].by = (double)to->by;
        if (!own_is_there(k, lane, SCENE_OWN_WALL_THERE, n)) {
            to->ax = to->ay = to->bx = to->by = to->size = (real)__builtin_nan("");
        }
    }
}

static void own_take_polygons(const scene_tick *k, unsigned lane, const own_block *b)
{
    const scene_frozen *s = k->scene;
    const size_t corners = own_corners(s);
    for (uint32_t n = 0; n < s->polygons; n++) {
        scene_polygon *to = &b->polygon[n];
        const bool there = own_is_there(k, lane, SCENE_OWN_POLYGON_THERE, n);
        *to = s->polygon[n];
        to->size = 0;
        for (uint32_t c = to->first; c < to->first + to->corners; c++) {
            const real x = own_number(k, lane, SCENE_OWN_CORNER_X, c, s->corner_x[c]);
            const real y = own_number(k, lane, SCENE_OWN_CORNER_Y, c, s->corner_y[c]);
            to->size = scene_greater_size(to->size, x, y);
            b->corner_x[c] = there ? x : (real)__builtin_nan(""), b->corner_y[c] = there ? y : (real)__builtin_nan("");
            b->corners[c] = (double)x, b->corners[corners + c] = (double)y;
        }
        to->size = there ? to->size : (real)__builtin_nan("");

        b->polygons[n] = s->desc->polygons[n];
        b->polygons[n].x = b->corners + to->first, b->polygons[n].y = b->corners + corners + to->first;
    }
}

/* Makes the grid. Absent walls are listed in it, but with a box that nothing reaches. */
static void own_take_places(const scene_tick *k, unsigned lane, own_block *b)
{
    const scene_frozen *s = k->scene;
    carom_scene_desc desc = *s->desc;
    desc.walls = b->walls;
    desc.polygons = b->polygons;

    places_plan plan = places_plan_of(&desc);
    if ((size_t)plan.columns * plan.rows > b->cells || places_items(&desc, &plan) > b->listed) {
        plan.width *= plan.columns, plan.height *= plan.rows;
        plan.columns = plan.rows = 1;
    }
    b->take.scene = b->scene;
    b->take.places = plan;
    b->take.starts = b->starts, b->take.items = b->items, b->take.boxes = b->boxes;
    freeze_places(&b->take, &desc);

    for (uint32_t n = 0; n < s->walls + s->polygons; n++) {
        const bool wall = n < s->walls;
        if (!own_is_there(k, lane, wall ? SCENE_OWN_WALL_THERE : SCENE_OWN_POLYGON_THERE, wall ? n : n - s->walls)) {
            real *box = b->boxes + (size_t)4 * n;
            box[0] = box[1] = SCENE_NEVER, box[2] = box[3] = -SCENE_NEVER;
        }
    }
}

size_t CAROM_KERNEL(scene_own_bytes)(const scene_frozen *s)
{
    return s->varies != 0 ? own_lay_out(s, NULL).take.used : 0;
}

const scene_frozen *CAROM_KERNEL(scene_own)(const scene_tick *k, unsigned lane, void *memory)
{
    own_block b = own_lay_out(k->scene, memory);
    *b.scene = *k->scene;
    own_take_bodies(k, lane, &b);
    if (own_has_stills(k->scene)) {
        own_take_walls(k, lane, &b);
        own_take_polygons(k, lane, &b);
        b.scene->wall = b.wall, b.scene->polygon = b.polygon;
        b.scene->corner_x = b.corner_x, b.scene->corner_y = b.corner_y;
        own_take_places(k, lane, &b);
    }

    /* From here on it is a scene in which nothing differs. */
    b.scene->varies = 0;
    __builtin_memset(b.scene->own, 0, sizeof b.scene->own);
    return b.scene;
}

#endif
