/* SPDX-License-Identifier: MIT
 * Scenes from a description to the frozen object: defaults, copies, the choice of the engine, what it is known by.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "scenes/scenes.h"

carom_scene_desc carom_scene_desc_default(void)
{
    carom_scene_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.size = sizeof desc;
    desc.box.restitution = 1;
    desc.dt = 1;
    desc.speed_limit = INFINITY;
    desc.solver = CAROM_TOI_FAST;
    desc.action_scale = 1;
    return desc;
}

carom_scene_body carom_scene_body_default(void)
{
    carom_scene_body body;
    memset(&body, 0, sizeof body);
    body.radius = 1;
    body.mass = 1;
    body.restitution = 1;
    body.category = 1;
    body.mask = UINT32_MAX;
    return body;
}

/* ---- copies ---- */

/* One block: bodies, walls, polygons, then the corners of all. */
static carom_status copy_arrays(carom_scene *scene)
{
    carom_scene_desc *desc = &scene->desc;
    const size_t bodies = memory_aligned(desc->body_count * sizeof(carom_scene_body));
    const size_t walls = memory_aligned(desc->wall_count * sizeof(carom_scene_wall));
    const size_t polygons = memory_aligned(desc->polygon_count * sizeof(carom_scene_polygon));
    size_t corners = 0;
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        corners += desc->polygons[p].corners;
    }
    unsigned char *at = (unsigned char *)carom_memory_take(bodies + walls + polygons + corners * 2 * sizeof(double));
    if (at == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    scene->copies = at;
    memcpy(at, desc->bodies, desc->body_count * sizeof(carom_scene_body));
    desc->bodies = (const carom_scene_body *)(const void *)at;
    at += bodies;
    if (desc->wall_count > 0) {
        memcpy(at, desc->walls, desc->wall_count * sizeof(carom_scene_wall));
    }
    desc->walls = desc->wall_count > 0 ? (const carom_scene_wall *)(const void *)at : NULL;
    at += walls;
    carom_scene_polygon *copied = (carom_scene_polygon *)(void *)at;
    double *numbers = (double *)(void *)(at + polygons);
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        const carom_scene_polygon *from = &desc->polygons[p];
        copied[p] = *from;
        memcpy(numbers, from->x, from->corners * sizeof(double));
        memcpy(numbers + from->corners, from->y, from->corners * sizeof(double));
        copied[p].x = numbers;
        copied[p].y = numbers + from->corners;
        numbers += (size_t)2 * from->corners;
    }
    desc->polygons = desc->polygon_count > 0 ? copied : NULL;
    return CAROM_OK;
}

/* ---- what a scene is known by ---- */

static uint64_t hash_number(uint64_t hash, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return hash_step(hash, bits);
}

static uint64_t hash_numbers(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        hash = hash_number(hash, numbers[k]);
    }
    return hash_step(hash, count);
}

#define HASH_NUMBERS(hash, ...)                                                                                        \
    hash_numbers(hash, (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double))

static uint64_t hash_measure(uint64_t hash, const carom_scene_measure *m)
{
    return HASH_NUMBERS(hash, (double)m->kind, m->body, m->x, m->y);
}

/* Number by number, for structures may have gaps. Engines give the same bits, so the engine is not in it. */
static uint64_t hash_of(const carom_scene_desc *desc)
{
    const carom_scene_box *box = &desc->box;
    uint64_t hash =
        HASH_NUMBERS(0, desc->body_count, desc->wall_count, desc->polygon_count, box->x0, box->y0, box->x1, box->y1,
                     (double)box->horizontal, (double)box->vertical, box->restitution, desc->dt, desc->speed_limit,
                     desc->least_impulse, desc->contact_time, scene_max_events(desc), desc->last_tick,
                     (double)desc->solver, (double)desc->advance, desc->action_scale, desc->user_words);
    hash = hash_measure(hash_measure(hash, &desc->reward), &desc->final_value);
    hash = desc->ends_at_sensor ? hash_step(hash, 1) : hash;
    for (uint32_t i = 0; i < desc->body_count; i++) {
        const carom_scene_body *b = &desc->bodies[i];
        hash = HASH_NUMBERS(hash, b->x, b->y, b->vx, b->vy, b->radius, b->mass, b->restitution, b->damping, b->ax,
                            b->ay, b->category, b->mask, b->sensor, b->slow, b->inactive, b->acts, b->user);
        if (b->x_spread != 0 || b->y_spread != 0 || b->vx_spread != 0 || b->vy_spread != 0) {
            hash = HASH_NUMBERS(hash, b->x_spread, b->y_spread, b->vx_spread, b->vy_spread);
        }
    }
    for (uint32_t w = 0; w < desc->wall_count; w++) {
        const carom_scene_wall *wall = &desc->walls[w];
        hash = HASH_NUMBERS(hash, wall->ax, wall->ay, wall->bx, wall->by, wall->restitution, wall->one_sided,
                            wall->sensor);
    }
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        const carom_scene_polygon *polygon = &desc->polygons[p];
        hash = hash_numbers(hash, polygon->x, polygon->corners);
        hash = hash_numbers(hash, polygon->y, polygon->corners);
        hash = HASH_NUMBERS(hash, polygon->restitution, polygon->sensor);
    }
    return hash_end(hash);
}

/* ---- the choice of the engine ---- */

/* Measured (bench/README.md): the wide engine looks at every pair and every wall, twice as many at a time in f32. A
 * wall costs it half as much as a body does in f64, as much in f32. */
static carom_engine choose_engine(const carom_scene_desc *desc, carom_precision precision)
{
    uint64_t walls = desc->wall_count;
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        walls += desc->polygons[p].corners;
    }
    const uint64_t weight = (precision == CAROM_F64 ? 2 : 1) * (uint64_t)desc->body_count + walls;
    if (desc->engine != CAROM_ENGINE_AUTO) {
        return desc->engine;
    }
    return weight < UINT64_C(2) * CAROM_SCENE_CROSSOVER ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
}

/* ---- the object ---- */

carom_status carom_scene_create(const carom_scene_desc *desc, carom_scene **scene, carom_problem *problem)
{
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    if (scene == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *scene = NULL;
    carom_status status = carom_scene_check(desc, problem);
    if (status != CAROM_OK) {
        return status;
    }
    carom_scene *made = (carom_scene *)carom_memory_take(sizeof *made);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    made->desc = *desc;
    made->engines[0] = choose_engine(desc, CAROM_F32);
    made->engines[1] = made->desc.engine = choose_engine(desc, CAROM_F64);
    status = copy_arrays(made);
    if (status == CAROM_OK) {
        made->hash = hash_of(&made->desc);
        status = carom_scene_make_game(made);
    }
    if (status != CAROM_OK) {
        carom_scene_destroy(made);
        return status;
    }
    *scene = made;
    return CAROM_OK;
}

void carom_scene_destroy(carom_scene *scene)
{
    if (scene != NULL) {
        carom_scene_free_game(scene);
        carom_memory_release(scene->copies);
        carom_memory_release(scene);
    }
}

const carom_game *carom_scene_game(const carom_scene *scene)
{
    return scene != NULL ? &scene->game : NULL;
}

const carom_scene_desc *carom_scene_describe(const carom_scene *scene)
{
    return scene != NULL ? &scene->desc : NULL;
}

carom_engine carom_scene_engine(const carom_scene *scene)
{
    return scene != NULL ? scene->desc.engine : CAROM_ENGINE_WIDE;
}
