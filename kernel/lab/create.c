/* SPDX-License-Identifier: MIT
 * Laboratories that own their engine: carom_lab_create() makes a gas, or a scene of one world, and fills it with grown
 * disks.
 */
#include "lab/lab.h"

#include "base/fpenv.h"
#include "base/memory.h"
#include "base/narrow.h"
#include "base/problem.h"
#include "lab/grow.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define ASPECT_MOST 64.0
#define MASS_LEAST 1e-30
#define MASS_MOST 1e30
#define TICK_MOST 1e6

carom_lab_desc carom_lab_desc_default(void)
{
    const carom_lab_desc desc = {.size = sizeof desc,
                                 .bodies = 1000,
                                 .packing = 0.5,
                                 .aspect = 1,
                                 .restitution = 1,
                                 .growth = 0.05,
                                 .tick = 0.125,
                                 .seed = 1,
                                 .precision = CAROM_F64};
    return desc;
}

/* ---- checks ---- */

static bool is_gas(const carom_lab_desc *d)
{
    return d->radii == NULL && d->masses == NULL && d->aspect == 1 && d->horizontal == d->vertical && d->ax == 0 &&
           d->ay == 0;
}

static bool is_box(carom_gas_box box)
{
    return box == CAROM_GAS_PERIODIC || box == CAROM_GAS_SOLID;
}

static carom_status check_bodies(const carom_lab_desc *d, carom_problem *problem)
{
    for (size_t i = 0; i < d->bodies; i++) {
        if (d->radii != NULL && !(d->radii[i] > 0 && d->radii[i] <= 1e6)) {
            return carom_wrong(problem, CAROM_ERROR_VALUE, "radius %zu: %g is not in (0, 1e6]", i, d->radii[i]);
        }
        if (d->masses != NULL && !(d->masses[i] >= MASS_LEAST && d->masses[i] <= MASS_MOST)) {
            return carom_wrong(problem, CAROM_ERROR_VALUE, "mass %zu: %g is not in [1e-30, 1e30]", i, d->masses[i]);
        }
    }
    return CAROM_OK;
}

static carom_status check(const carom_lab_desc *d, carom_problem *problem)
{
    const size_t most = is_gas(d) ? CAROM_GAS_MAX_BODIES : CAROM_SCENE_BODIES;
    if (!is_box(d->horizontal) || !is_box(d->vertical) || (d->precision != CAROM_F32 && d->precision != CAROM_F64) ||
        (d->start != CAROM_LAB_LATTICE && d->start != CAROM_LAB_GROWN)) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "an enumerator is unknown");
    }
    if (d->bodies < 1 || d->bodies > most) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "%zu bodies: 1 to %zu are possible", d->bodies, most);
    }
    if (d->start == CAROM_LAB_LATTICE && !is_gas(d)) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT,
                           "a lattice is for equal disks in a square box without a field: start grown");
    }
    if (!(d->packing > 1e-9 && d->packing < 0.91)) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "packing: %g is not in (1e-9, 0.91)", d->packing);
    }
    if (!(d->aspect >= 1 / ASPECT_MOST && d->aspect <= ASPECT_MOST)) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "aspect: %g is not in [1/64, 64]", d->aspect);
    }
    if (!(d->restitution >= 0 && d->restitution <= 1)) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "restitution: %g is not in [0, 1]", d->restitution);
    }
    if (!(fabs(d->ax) <= 1e6 && fabs(d->ay) <= 1e6)) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "field: (%g, %g) is not within 1e6", d->ax, d->ay);
    }
    if (!(d->growth >= 1e-4 && d->growth <= 1)) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "growth: %g is not in [1e-4, 1]", d->growth);
    }
    if (!(d->tick > 0 && d->tick <= TICK_MOST)) {
        return carom_wrong(problem, CAROM_ERROR_VALUE, "tick: %g is not in (0, 1e6]", d->tick);
    }
    return check_bodies(d, problem);
}

/* ---- growth ---- */

/* A laboratory's initial state, in one block of memory that starts at radii. */
typedef struct start {
    double *radii, *masses, *x, *y, *vx, *vy;
    double width, height;
} start;

static bool take_start(const carom_lab_desc *d, start *s)
{
    const size_t n = d->bodies;
    s->radii = carom_memory_take(6 * n * sizeof *s->radii);
    if (s->radii == NULL) {
        return false;
    }
    s->masses = s->radii + n;
    s->x = s->radii + 2 * n;
    s->y = s->radii + 3 * n;
    s->vx = s->radii + 4 * n;
    s->vy = s->radii + 5 * n;

    double area = 0;
    for (size_t i = 0; i < n; i++) {
        s->radii[i] = d->radii != NULL ? d->radii[i] : 0.5;
        s->masses[i] = d->masses != NULL ? d->masses[i] : 1;
        area += PI * s->radii[i] * s->radii[i];
    }
    s->width = sqrt(area / d->packing * d->aspect);
    s->height = area / d->packing / s->width;
    if (d->precision == CAROM_F32) {
        s->width = narrowed(s->width);
        s->height = narrowed(s->height);
    }
    return true;
}

/* In f32 the engine rounds coordinates: grow the disks by that much more. */
static double excess_of(const carom_lab_desc *d, const start *s)
{
    double least = s->radii[0];
    for (size_t i = 0; i < d->bodies; i++) {
        least = fmin(least, s->radii[i]);
    }
    return d->precision == CAROM_F64 ? 1e-10 : 1e-6 + 0x1p-23 * (s->width + s->height) / least;
}

static carom_status grow(const carom_lab_desc *d, start *s, carom_problem *problem)
{
    const grow_setup setup = {.bodies = d->bodies,
                              .radii = s->radii,
                              .masses = s->masses,
                              .width = s->width,
                              .height = s->height,
                              .periodic_x = d->horizontal == CAROM_GAS_PERIODIC,
                              .periodic_y = d->vertical == CAROM_GAS_PERIODIC,
                              .packing = d->packing,
                              .speed = d->growth,
                              .excess = excess_of(d, s),
                              .seed = d->seed};
    const carom_status status = carom_grow(&setup, s->x, s->y, s->vx, s->vy);
    return status == CAROM_ERROR_VALUE
               ? carom_wrong(problem, status,
                             "the disks do not reach packing %g: they jam, or a periodic box is narrower than three of "
                             "them",
                             d->packing)
               : status;
}

/* ---- engines ---- */

static carom_status create_gas(const carom_lab_desc *d, carom_gas **gas, carom_problem *problem)
{
    carom_gas_desc of = carom_gas_desc_default();
    of.bodies = d->bodies;
    of.packing = d->packing;
    of.box = d->horizontal;
    of.restitution = d->restitution;
    of.seed = d->seed;
    of.precision = d->precision;
    of.isa = d->isa;
    carom_status status = carom_gas_create(&of, gas);
    if (status == CAROM_ERROR_VALUE) {
        return carom_wrong(problem, status, "%zu disks at packing %g do not fit into the box", d->bodies, d->packing);
    }

    start s;
    if (status != CAROM_OK || d->start == CAROM_LAB_LATTICE) {
        return status;
    }
    if (!take_start(d, &s)) {
        return CAROM_ERROR_MEMORY;
    }
    s.width = s.height = (*gas)->side;
    status = grow(d, &s, problem);
    status = status == CAROM_OK ? carom_gas_set(*gas, s.x, s.y, s.vx, s.vy) : status;
    carom_memory_release(s.radii);
    return status;
}

/* The parameters of a scene of disks in a box. */
typedef struct scene_setup {
    size_t bodies;
    const double *radii, *masses, *x, *y, *vx, *vy;
    double x0, y0, width, height;
    bool periodic_x, periodic_y;
    double restitution, ax, ay, tick;
} scene_setup;

static carom_scene_sides sides_of(bool periodic)
{
    return periodic ? CAROM_SIDES_PERIODIC : CAROM_SIDES_SOLID;
}

/* The impact of a disk with a side has the product of their restitutions: two disks have that of the laboratory, a disk
 * and a side its root. */
static carom_status create_scene(const scene_setup *s, carom_scene **scene, carom_problem *problem)
{
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene_body *bodies = carom_memory_take(s->bodies * sizeof *bodies);
    if (bodies == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    for (size_t i = 0; i < s->bodies; i++) {
        carom_scene_body *b = &bodies[i];
        *b = carom_scene_body_default();
        b->x = s->x[i];
        b->y = s->y[i];
        b->vx = s->vx[i];
        b->vy = s->vy[i];
        b->radius = s->radii[i];
        b->mass = s->masses[i];
        b->restitution = sqrt(s->restitution);
        b->ax = s->ax;
        b->ay = s->ay;
    }
    desc.bodies = bodies;
    desc.body_count = (uint32_t)s->bodies;
    desc.box = (carom_scene_box){.x0 = s->x0,
                                 .y0 = s->y0,
                                 .x1 = s->x0 + s->width,
                                 .y1 = s->y0 + s->height,
                                 .horizontal = sides_of(s->periodic_x),
                                 .vertical = sides_of(s->periodic_y),
                                 .restitution = 1};
    desc.dt = s->tick;
    desc.engine = CAROM_ENGINE_DEEP;
    const carom_status status = carom_scene_create(&desc, scene, problem);
    carom_memory_release(bodies);
    return status;
}

static carom_status scene_of_start(const carom_lab_desc *d, const start *s, carom_scene **scene, carom_problem *problem)
{
    const scene_setup setup = {.bodies = d->bodies,
                               .radii = s->radii,
                               .masses = s->masses,
                               .x = s->x,
                               .y = s->y,
                               .vx = s->vx,
                               .vy = s->vy,
                               .width = s->width,
                               .height = s->height,
                               .periodic_x = d->horizontal == CAROM_GAS_PERIODIC,
                               .periodic_y = d->vertical == CAROM_GAS_PERIODIC,
                               .restitution = d->restitution,
                               .ax = d->ax,
                               .ay = d->ay,
                               .tick = d->tick};
    return create_scene(&setup, scene, problem);
}

carom_status carom_lab_scene(carom_lab *lab, double tick, carom_scene **scene, carom_problem *problem)
{
    if (scene == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *scene = NULL;
    if (lab == NULL || lab->info.bodies > CAROM_SCENE_BODIES || (lab->info.gas == NULL && lab->world.scene == NULL)) {
        return CAROM_ERROR_ARGUMENT;
    }

    const fp_environment caller = fp_begin();
    const carom_lab_info *i = &lab->info;
    const carom_scene_body *first = i->gas == NULL ? &lab->world.desc->bodies[0] : NULL;
    carom_lab_read(lab);
    const scene_setup setup = {.bodies = i->bodies,
                               .radii = i->radii,
                               .masses = i->masses,
                               .x = lab->now.x,
                               .y = lab->now.y,
                               .vx = lab->now.vx,
                               .vy = lab->now.vy,
                               .x0 = i->x0,
                               .y0 = i->y0,
                               .width = i->width,
                               .height = i->height,
                               .periodic_x = i->periodic_x,
                               .periodic_y = i->periodic_y,
                               .restitution =
                                   first != NULL ? first->restitution * first->restitution : i->gas->desc.restitution,
                               .ax = first != NULL ? first->ax : 0,
                               .ay = first != NULL ? first->ay : 0,
                               .tick = tick};
    const carom_status status = create_scene(&setup, scene, problem);
    fp_end(caller);
    return status;
}

static carom_status create_worlds(const carom_lab_desc *d, carom_scene **scene, carom_worlds **worlds,
                                  carom_problem *problem)
{
    start s;
    if (!take_start(d, &s)) {
        return CAROM_ERROR_MEMORY;
    }
    carom_status status = grow(d, &s, problem);
    status = status == CAROM_OK ? scene_of_start(d, &s, scene, problem) : status;
    carom_memory_release(s.radii);
    if (status != CAROM_OK) {
        return status;
    }

    carom_worlds_desc of = carom_worlds_desc_default(carom_scene_game(*scene));
    of.precision = d->precision;
    of.isa = d->isa;
    of.threads = 1;
    of.seed = d->seed;
    return carom_worlds_create(&of, worlds);
}

static carom_status create(const carom_lab_desc *d, carom_lab **lab, carom_problem *problem)
{
    carom_gas *gas = NULL;
    carom_scene *scene = NULL;
    carom_worlds *worlds = NULL;
    carom_status status = check(d, problem);
    if (status != CAROM_OK) {
        return status;
    }
    if (is_gas(d)) {
        status = create_gas(d, &gas, problem);
        status = status == CAROM_OK ? carom_lab_of_gas(gas, lab) : status;
    } else {
        status = create_worlds(d, &scene, &worlds, problem);
        status = status == CAROM_OK ? carom_lab_of_worlds(worlds, d->tick, lab) : status;
    }
    if (status != CAROM_OK) {
        carom_gas_destroy(gas);
        carom_worlds_destroy(worlds);
        carom_scene_destroy(scene);
        return status;
    }
    (*lab)->owns = true;
    (*lab)->world.scene = scene;
    return CAROM_OK;
}

carom_status carom_lab_create(const carom_lab_desc *desc, carom_lab **lab, carom_problem *problem)
{
    if (lab == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *lab = NULL;
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    if (desc == NULL || desc->size != sizeof *desc) {
        return CAROM_ERROR_ARGUMENT;
    }
    const fp_environment caller = fp_begin();
    const carom_status status = create(desc, lab, problem);
    fp_end(caller);
    return status;
}
