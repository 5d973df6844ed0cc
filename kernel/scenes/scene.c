/* SPDX-License-Identifier: MIT
 * From the description of a scene to the object: defaults, copies, the choice of the engine, the hash.
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
    desc.lidar.mask = UINT32_MAX;
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
    body.action_scale = 1;
    return body;
}

carom_scene_rule carom_scene_rule_default(void)
{
    carom_scene_rule rule;
    memset(&rule, 0, sizeof rule);
    rule.category = UINT32_MAX;
    rule.to = rule.winner = -1;
    return rule;
}

/* ---- copies ---- */

/* Copies a list to *at, and advances that past it. */
static void *copy_list(unsigned char **at, const void *items, uint32_t count, size_t size)
{
    void *to = *at;
    if (count == 0) {
        return NULL;
    }
    memcpy(to, items, count * size);
    *at += memory_aligned(count * size);
    return to;
}

/* Copies the description's arrays into one block: bodies, walls, rules, arcs, polygons, views, then the corners of all
 * polygons and the bodies of all views. */
static carom_status copy_arrays(carom_scene *scene)
{
    carom_scene_desc *desc = &scene->desc;
    const carom_scene_polygon *polygons = desc->polygons;
    const carom_scene_view *views = desc->views;

    size_t corners = 0, seen = 0;
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        corners += polygons[p].corners;
    }
    for (uint32_t v = 0; v < desc->view_count; v++) {
        seen += views[v].count;
    }
    unsigned char *at =
        (unsigned char *)carom_memory_take(memory_aligned(desc->body_count * sizeof(carom_scene_body)) +
                                           memory_aligned(desc->wall_count * sizeof(carom_scene_wall)) +
                                           memory_aligned(desc->polygon_count * sizeof(carom_scene_polygon)) +
                                           memory_aligned(desc->arc_count * sizeof(carom_scene_arc)) +
                                           memory_aligned(desc->rule_count * sizeof(carom_scene_rule)) +
                                           memory_aligned(desc->view_count * sizeof(carom_scene_view)) +
                                           corners * 2 * sizeof(double) + seen * sizeof(uint32_t));
    if (at == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    scene->copies = at;

    desc->bodies = (const carom_scene_body *)copy_list(&at, desc->bodies, desc->body_count, sizeof *desc->bodies);
    desc->walls = (const carom_scene_wall *)copy_list(&at, desc->walls, desc->wall_count, sizeof *desc->walls);
    desc->rules = (const carom_scene_rule *)copy_list(&at, desc->rules, desc->rule_count, sizeof *desc->rules);
    desc->arcs = (const carom_scene_arc *)copy_list(&at, desc->arcs, desc->arc_count, sizeof *desc->arcs);
    carom_scene_polygon *own_polygons =
        (carom_scene_polygon *)copy_list(&at, polygons, desc->polygon_count, sizeof *polygons);
    carom_scene_view *own_views = (carom_scene_view *)copy_list(&at, views, desc->view_count, sizeof *views);

    /* The copies of polygons and views still point to the caller's arrays. */
    double *numbers = (double *)(void *)at;
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        const uint32_t count = polygons[p].corners;
        own_polygons[p].x = (const double *)memcpy(numbers, polygons[p].x, count * sizeof(double));
        own_polygons[p].y = (const double *)memcpy(numbers + count, polygons[p].y, count * sizeof(double));
        numbers += (size_t)2 * count;
    }
    uint32_t *bodies = (uint32_t *)(void *)numbers;
    for (uint32_t v = 0; v < desc->view_count; v++) {
        const uint32_t count = views[v].count;
        own_views[v].bodies =
            count > 0 ? (const uint32_t *)memcpy(bodies, views[v].bodies, count * sizeof *bodies) : NULL;
        bodies += count;
    }

    desc->polygons = own_polygons;
    desc->views = own_views;
    return CAROM_OK;
}

/* ---- the hash ----
 *
 * Saves and replays identify a scene by it, so it never changes for older descriptions: newer parts of a description
 * enter it only where they differ from the default. */

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

/* thing: 0 the box, then walls, polygons and arcs. */
static uint64_t hash_passing(uint64_t hash, uint32_t thing, uint32_t category, uint32_t mask)
{
    return category != 0 || mask != 0 ? HASH_NUMBERS(hash, 6, thing, category, mask) : hash;
}

/* The numbers that differ by world; `kind` identifies the kind of thing. */
static uint64_t hash_spreads(uint64_t hash, int kind, uint32_t thing, const double *spreads, size_t count)
{
    bool any = false;
    for (size_t k = 0; k < count; k++) {
        any = any || spreads[k] != 0;
    }
    return any ? hash_numbers(HASH_NUMBERS(hash, kind, thing), spreads, count) : hash;
}

static uint64_t hash_varies(uint64_t hash, const carom_scene_desc *desc)
{
    for (uint32_t i = 0; i < desc->body_count; i++) {
        const carom_scene_body *b = &desc->bodies[i];
        const double spreads[] = {b->radius_spread, b->mass_spread, b->restitution_spread, b->damping_spread,
                                  b->ax_spread,     b->ay_spread,   b->action_scale_spread};
        hash = b->action_scale != 1 ? HASH_NUMBERS(hash, 24, i, b->action_scale) : hash;
        hash = hash_spreads(hash, 20, i, spreads, sizeof spreads / sizeof spreads[0]);
    }
    for (uint32_t w = 0; w < desc->wall_count; w++) {
        const carom_scene_wall *wall = &desc->walls[w];
        const double spreads[] = {wall->ax_spread, wall->ay_spread, wall->bx_spread, wall->by_spread};
        hash = hash_spreads(hash, 21, w, spreads, sizeof spreads / sizeof spreads[0]);
    }
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        const double spreads[] = {desc->polygons[p].x_spread, desc->polygons[p].y_spread};
        hash = hash_spreads(hash, 22, p, spreads, sizeof spreads / sizeof spreads[0]);
    }
    const double rest[] = {desc->dt_spread, desc->varies};
    return hash_spreads(hash, 23, 0, rest, sizeof rest / sizeof rest[0]);
}

static uint64_t hash_training(uint64_t hash, const carom_scene_desc *desc)
{
    if (desc->action != CAROM_ACTION_IMPULSE) {
        hash = HASH_NUMBERS(hash, 1, (double)desc->action);
    }

    for (uint32_t i = 0; i < desc->body_count; i++) {
        if (desc->bodies[i].player != 0) {
            hash = HASH_NUMBERS(hash, 2, i, desc->bodies[i].player);
        }
    }

    for (uint32_t r = 0; r < desc->rule_count; r++) {
        const carom_scene_rule *rule = &desc->rules[r];
        hash = HASH_NUMBERS(hash, 3, (double)rule->kind, rule->body, rule->category, rule->which, rule->x, rule->y,
                            rule->reward, rule->to, rule->ends, rule->winner);
        if (rule->x1 != 0 || rule->y1 != 0) {
            hash = HASH_NUMBERS(hash, 5, rule->x1, rule->y1);
        }
    }

    for (uint32_t v = 0; v < desc->view_count; v++) {
        const carom_scene_view *view = &desc->views[v];
        hash = HASH_NUMBERS(hash, 4, view->body, view->count);
        for (uint32_t k = 0; k < view->count; k++) {
            hash = hash_step(hash, view->bodies[k]);
        }
    }

    const carom_scene_lidar *lidar = &desc->lidar;
    if (lidar->rays != 0) {
        hash = HASH_NUMBERS(hash, 11, lidar->rays, lidar->range, lidar->first, lidar->step, lidar->mask, lidar->tells,
                            lidar->sensors);
    }
    return hash;
}

/* Number by number, because structures may have padding. The engine is omitted, as all give the same bits. */
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

    hash = hash_passing(hash, 0, box->category, box->mask);
    for (uint32_t w = 0; w < desc->wall_count; w++) {
        hash = hash_passing(hash, 1 + w, desc->walls[w].category, desc->walls[w].mask);
    }
    for (uint32_t p = 0; p < desc->polygon_count; p++) {
        hash = hash_passing(hash, 1 + desc->wall_count + p, desc->polygons[p].category, desc->polygons[p].mask);
    }
    for (uint32_t k = 0; k < desc->arc_count; k++) {
        const carom_scene_arc *arc = &desc->arcs[k];
        hash = HASH_NUMBERS(hash, 7, arc->x, arc->y, arc->radius, arc->ax, arc->ay, arc->bx, arc->by, arc->restitution,
                            (double)arc->sides, arc->sensor);
        hash = hash_passing(hash, 1 + desc->wall_count + desc->polygon_count + k, arc->category, arc->mask);
    }
    return hash_end(hash_varies(hash_training(hash, desc), desc));
}

/* ---- the choice of the engine ---- */

/* By measurement (docs/notes/performance.md). The wide engine tests every pair and every wall, twice as many at a time
 * in f32. A wall costs it half as much as a body in f64, and as much in f32. */
static carom_engine choose_engine(const carom_scene_desc *desc, carom_precision precision)
{
    uint64_t walls = (uint64_t)desc->wall_count + desc->arc_count;
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
