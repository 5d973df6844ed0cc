/* SPDX-License-Identifier: MIT
 * Scenes in plain C: see scene_reference.h. The text for both precisions is in scene_reference.inc.
 */
#include "scene_reference.h"

#include <carom/toi_accelerated.h>
#include <carom/toi_arcs.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How two things go together. */
typedef enum ref_kind { REF_PASSES, REF_STRIKES, REF_SENSES } ref_kind;

static ref_kind pair_kind(const carom_scene_desc *scene, uint32_t i, uint32_t j, bool *slow)
{
    const carom_scene_body *a = &scene->bodies[i], *b = &scene->bodies[j];
    *slow = a->slow && b->slow;
    if ((a->category & b->mask) == 0 || (b->category & a->mask) == 0 || (isinf(a->mass) && isinf(b->mass))) {
        return REF_PASSES;
    }
    return a->sensor || b->sensor ? REF_SENSES : REF_STRIKES;
}

/* What does not move lets a body pass that is not of its mask, or has not its category in its own; 0: of any. */
static bool lets_pass(const carom_scene_body *b, uint32_t category, uint32_t mask)
{
    return (mask != 0 && (b->category & mask) == 0) || (category != 0 && (b->mask & category) == 0);
}

/* The arc that comes `at` walls, polygons and arcs, or NULL. */
static const carom_scene_arc *arc_at(const carom_scene_desc *scene, uint32_t at)
{
    const uint32_t others = scene->wall_count + scene->polygon_count;
    return at < others ? NULL : &scene->arcs[at - others];
}

/* at: of the walls, then of the polygons, then of the arcs. */
static ref_kind wall_kind(const carom_scene_desc *scene, uint32_t i, uint32_t at)
{
    const carom_scene_body *b = &scene->bodies[i];
    bool sensor, passes;
    if (at < scene->wall_count) {
        const carom_scene_wall *wall = &scene->walls[at];
        sensor = wall->sensor, passes = lets_pass(b, wall->category, wall->mask);
    } else if (arc_at(scene, at) != NULL) {
        const carom_scene_arc *arc = arc_at(scene, at);
        sensor = arc->sensor, passes = lets_pass(b, arc->category, arc->mask);
    } else {
        const carom_scene_polygon *polygon = &scene->polygons[at - scene->wall_count];
        sensor = polygon->sensor, passes = lets_pass(b, polygon->category, polygon->mask);
    }
    return isinf(b->mass) || passes ? REF_PASSES : sensor || b->sensor ? REF_SENSES : REF_STRIKES;
}

static bool side_is_there(const carom_scene_desc *scene, uint32_t i, int side)
{
    const carom_scene_sides sides = side < 2 ? scene->box.horizontal : scene->box.vertical;
    return sides == CAROM_SIDES_PERIODIC ||
           (sides == CAROM_SIDES_SOLID && !lets_pass(&scene->bodies[i], scene->box.category, scene->box.mask));
}

/* The images of a body in a periodic box, in the order in which they count. */
static const int images[9][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {-1, -1}, {1, -1}, {0, 1}, {-1, 1}, {1, 1}};

static bool has_image(const carom_scene_desc *scene, int image)
{
    return (images[image][0] == 0 || scene->box.horizontal == CAROM_SIDES_PERIODIC) &&
           (images[image][1] == 0 || scene->box.vertical == CAROM_SIDES_PERIODIC);
}

/* Has it settled? See scene_reference_settle.inc. */
typedef enum ref_state { REF_FREE, REF_SETTLED, REF_AS_ONE } ref_state;

static uint32_t default_events(const carom_scene_desc *scene)
{
    return 1000000 + 1000 * scene->body_count;
}

/* Impacts of a tick before short ones are counted. */
static uint32_t settles_after(const carom_scene_desc *scene)
{
    const bool sides = scene->box.horizontal == CAROM_SIDES_SOLID || scene->box.vertical == CAROM_SIDES_SOLID;
    bool takes = scene->contact_time > 0 || (sides && scene->box.restitution < 1), slow = false;
    for (uint32_t k = 0; k < scene->body_count; k++) {
        takes = takes || scene->bodies[k].restitution < 1;
        slow = slow || scene->bodies[k].slow;
    }
    for (uint32_t k = 0; k < scene->wall_count; k++) {
        takes = takes || scene->walls[k].restitution < 1;
    }
    for (uint32_t k = 0; k < scene->polygon_count; k++) {
        takes = takes || scene->polygons[k].restitution < 1;
    }
    for (uint32_t k = 0; k < scene->arc_count; k++) {
        takes = takes || scene->arcs[k].restitution < 1;
    }
    const uint32_t few = 32 + 2 * scene->body_count;
    return takes && !slow ? (few < 1024 ? few : 1024) : UINT32_MAX;
}

/* Do records outlive ticks? */
bool scene_ref_goes_on(const carom_scene_desc *scene)
{
    for (uint32_t k = 0; k < scene->body_count; k++) {
        if (scene->bodies[k].slow) {
            return false;
        }
    }
    return scene->advance == CAROM_OWN_CLOCK;
}

/* A body that is a sensor, or can trigger one, starts a new record every tick. */
static bool renews(const carom_scene_desc *scene, uint32_t i)
{
    uint32_t category = 0, mask = 0;
    for (uint32_t k = 0; k < scene->body_count; k++) {
        category |= scene->bodies[k].sensor ? scene->bodies[k].category : 0;
        mask |= scene->bodies[k].sensor ? scene->bodies[k].mask : 0;
    }
    if (scene->bodies[i].sensor ||
        ((scene->bodies[i].category & mask) != 0 && (scene->bodies[i].mask & category) != 0)) {
        return true;
    }
    for (uint32_t at = 0; at < scene->wall_count + scene->polygon_count + scene->arc_count; at++) {
        if (wall_kind(scene, i, at) == REF_SENSES) {
            return true;
        }
    }
    return false;
}

#define REF(name) ref_f32_##name
#define REF_TICK scene_ref_tick_f32
#define REF_TOI(name) carom_toi_##name##_f32
#define REF_RANGE CAROM_SCENE_RANGE_F32
#define REF_MAX FLT_MAX
#define REF_EPSILON FLT_EPSILON
#define ref_sqrt sqrtf
#define ref_trunc truncf
#define ref_abs fabsf
#define ref_real float
#include "scene_reference.inc"
#undef REF
#undef REF_TICK
#undef REF_TOI
#undef REF_RANGE
#undef REF_MAX
#undef REF_EPSILON
#undef ref_sqrt
#undef ref_trunc
#undef ref_abs
#undef ref_real

#define REF(name) ref_f64_##name
#define REF_TICK scene_ref_tick_f64
#define REF_TOI(name) carom_toi_##name##_f64
#define REF_RANGE CAROM_SCENE_RANGE_F64
#define REF_MAX DBL_MAX
#define REF_EPSILON DBL_EPSILON
#define ref_sqrt sqrt
#define ref_trunc trunc
#define ref_abs fabs
#define ref_real double
#include "scene_reference.inc"
