/* SPDX-License-Identifier: MIT
 * Carom as a peer: a scene of circles in a solid box.
 */
#include "bench/common/harness.h"
#include "peer.h"

#include <carom/scene.h>

#include <stdlib.h>

typedef struct carom_batch {
    carom_scene *scene;
    carom_worlds *worlds;
    size_t count, circles;
    size_t fields[4]; /* x, y, vx, vy */
    bool single;
} carom_batch;

static const char *const names[4] = {"x", "y", "vx", "vy"};

static carom_scene *make_scene(const peer_scene *from)
{
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene_body *bodies = carom_bench_take(from->circles, sizeof *bodies);
    carom_scene *scene;
    carom_problem problem = {""};
    for (size_t i = 0; i < from->circles; i++) {
        bodies[i] = carom_scene_body_default();
        bodies[i].x = from->start[i].x;
        bodies[i].y = from->start[i].y;
        bodies[i].vx = from->start[i].vx;
        bodies[i].vy = from->start[i].vy;
        bodies[i].radius = from->radius;
    }
    desc.bodies = bodies;
    desc.body_count = (uint32_t)from->circles;
    desc.box = (carom_scene_box){0, 0, from->width, from->height, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 1};
    if (carom_scene_create(&desc, &scene, &problem) != CAROM_OK) {
        carom_bench_die("cannot create a scene: %s", problem.text);
    }
    free(bodies);
    return scene;
}

/* Component k of all circles of the scene's start, in the precision of the batch. */
static void set_start(carom_batch *b, const peer_scene *scene, size_t k)
{
    const size_t n = b->count * b->circles;
    void *values = carom_bench_take(n, b->single ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const peer_circle c = scene->start[i];
        const double components[4] = {c.x, c.y, c.vx, c.vy};
        if (b->single) {
            ((float *)values)[i] = (float)components[k];
        } else {
            ((double *)values)[i] = components[k];
        }
    }
    carom_bench_demand(carom_worlds_set(b->worlds, b->fields[k], 0, b->count, values), "set the worlds");
    free(values);
}

static void *create(const peer *self, const peer_scene *scene)
{
    carom_batch *b = carom_bench_take(1, sizeof *b);
    b->count = scene->worlds;
    b->circles = scene->circles;
    b->single = self->precision == CAROM_F32;
    b->scene = make_scene(scene);
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(b->scene));
    desc.count = scene->worlds;
    desc.precision = (carom_precision)self->precision;
    desc.isa = (carom_isa)self->isa;
    desc.threads = 1;
    carom_bench_demand(carom_worlds_create(&desc, &b->worlds), "create worlds");
    for (size_t k = 0; k < 4; k++) {
        carom_bench_demand(carom_worlds_find_field(b->worlds, names[k], &b->fields[k]), "find a field");
        set_start(b, scene, k);
    }
    return b;
}

static void step(void *worlds, unsigned ticks, unsigned sub_ticks)
{
    const carom_batch *b = worlds;
    carom_bench_demand(carom_worlds_step(b->worlds, 1.0 / sub_ticks, ticks * sub_ticks), "step the worlds");
}

static void read(const void *worlds, peer_circle *circles)
{
    const carom_batch *b = worlds;
    const size_t n = b->count * b->circles;
    void *values = carom_bench_take(n, b->single ? sizeof(float) : sizeof(double));
    for (size_t k = 0; k < 4; k++) {
        carom_bench_demand(carom_worlds_get(b->worlds, b->fields[k], 0, b->count, values), "read the worlds");
        for (size_t i = 0; i < n; i++) {
            const double value = b->single ? (double)((float *)values)[i] : ((double *)values)[i];
            *(k == 0 ? &circles[i].x : k == 1 ? &circles[i].y : k == 2 ? &circles[i].vx : &circles[i].vy) = value;
        }
    }
    free(values);
    if (carom_worlds_faults(b->worlds, NULL) != 0) {
        carom_bench_die("a world has a fault");
    }
}

static void copy(void *worlds, const size_t *to, const size_t *from, size_t n)
{
    const carom_batch *b = worlds;
    carom_bench_demand(from == NULL ? carom_worlds_fork(b->worlds, 1, n, b->worlds, 0)
                                    : carom_worlds_copy(b->worlds, to, b->worlds, from, n),
                       "copy worlds");
}

static void destroy(void *worlds)
{
    carom_batch *b = worlds;
    carom_worlds_destroy(b->worlds);
    carom_scene_destroy(b->scene);
    free(b);
}

const peer carom_peer_carom = {"carom", NULL, CAROM_ISA_DEFAULT, CAROM_F64, create, step, read, destroy, copy};
