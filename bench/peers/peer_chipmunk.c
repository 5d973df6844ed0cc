/* SPDX-License-Identifier: MIT
 * Chipmunk as a peer. It has no continuous collision: overlaps are found after each step. Its walls are thick, so that
 * no circle passes through one in a step.
 */
#include "bench/common/harness.h"
#include "peer.h"

#include <chipmunk/chipmunk.h>

#include <stdlib.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(CP_VERSION_MAJOR) "." TEXT(CP_VERSION_MINOR) "." TEXT(CP_VERSION_RELEASE)
#define WALLS 4
#define WALL 10.0 /* thickness in radii */
#define MANY 1000 /* circles from which on its spatial hash is faster than its tree: 2.8 times at 10,000 */

typedef struct chipmunk_world {
    cpSpace *space;
    cpShape *walls[WALLS];
    cpBody **bodies; /* [circles], inside of the batch's array */
    cpShape **shapes;
} chipmunk_world;

typedef struct chipmunk_worlds {
    size_t count, circles;
    chipmunk_world *worlds;
    cpBody **bodies;
    cpShape **shapes;
} chipmunk_worlds;

static cpShape *add_shape(cpSpace *space, cpShape *shape)
{
    cpShapeSetElasticity(shape, 1);
    cpShapeSetFriction(shape, 0);
    return cpSpaceAddShape(space, shape);
}

static void fill(chipmunk_world *w, const peer_scene *scene, const peer_circle *start)
{
    const double t = WALL * scene->radius, x1 = scene->width + t, y1 = scene->height + t;
    const cpVect corners[WALLS] = {{-t, -t}, {x1, -t}, {x1, y1}, {-t, y1}};
    w->space = cpSpaceNew();
    cpSpaceSetCollisionSlop(w->space, 0); /* 0.1 by default: a quarter of a radius */
    if (scene->circles >= MANY) {
        cpSpaceUseSpatialHash(w->space, 3 * scene->radius, 10 * (int)scene->circles);
    }
    for (size_t i = 0; i < WALLS; i++) {
        cpBody *ground = cpSpaceGetStaticBody(w->space);
        w->walls[i] = add_shape(w->space, cpSegmentShapeNew(ground, corners[i], corners[(i + 1) % WALLS], t));
    }
    for (size_t i = 0; i < scene->circles; i++) {
        const peer_circle c = start[i];
        cpBody *body = cpSpaceAddBody(w->space, cpBodyNew(1, cpMomentForCircle(1, 0, scene->radius, cpvzero)));
        cpBodySetPosition(body, cpv(c.x, c.y));
        cpBodySetVelocity(body, cpv(c.vx * PEER_RATE, c.vy * PEER_RATE));
        w->bodies[i] = body;
        w->shapes[i] = add_shape(w->space, cpCircleShapeNew(body, scene->radius, cpvzero));
    }
}

static void *create(const peer *self, const peer_scene *scene)
{
    (void)self;
    chipmunk_worlds *all = carom_bench_take(1, sizeof *all);
    all->count = scene->worlds;
    all->circles = scene->circles;
    all->worlds = carom_bench_take(scene->worlds, sizeof *all->worlds);
    all->bodies = carom_bench_take(scene->worlds * scene->circles, sizeof(cpBody *));
    all->shapes = carom_bench_take(scene->worlds * scene->circles, sizeof(cpShape *));
    for (size_t w = 0; w < scene->worlds; w++) {
        all->worlds[w].bodies = all->bodies + w * scene->circles;
        all->worlds[w].shapes = all->shapes + w * scene->circles;
        fill(&all->worlds[w], scene, scene->start + w * scene->circles);
    }
    return all;
}

static void step(void *worlds, unsigned ticks, unsigned sub_ticks)
{
    const chipmunk_worlds *all = worlds;
    for (size_t w = 0; w < all->count; w++) {
        for (unsigned k = 0; k < ticks * sub_ticks; k++) {
            cpSpaceStep(all->worlds[w].space, 1.0 / (PEER_RATE * (double)sub_ticks));
        }
    }
}

static void read(const void *worlds, peer_circle *circles)
{
    const chipmunk_worlds *all = worlds;
    for (size_t i = 0; i < all->count * all->circles; i++) {
        const cpVect p = cpBodyGetPosition(all->bodies[i]), v = cpBodyGetVelocity(all->bodies[i]);
        circles[i] = (peer_circle){p.x, p.y, v.x / PEER_RATE, v.y / PEER_RATE};
    }
}

/* A space frees neither its shapes nor its bodies; freed after it, they need not be taken out one by one. */
static void destroy(void *worlds)
{
    chipmunk_worlds *all = worlds;
    for (size_t w = 0; w < all->count; w++) {
        cpSpaceFree(all->worlds[w].space);
        for (size_t i = 0; i < WALLS; i++) {
            cpShapeFree(all->worlds[w].walls[i]);
        }
    }
    for (size_t i = 0; i < all->count * all->circles; i++) {
        cpShapeFree(all->shapes[i]);
        cpBodyFree(all->bodies[i]);
    }
    free(all->worlds);
    free(all->bodies);
    free(all->shapes);
    free(all);
}

const peer carom_peer_chipmunk = {"chipmunk", VERSION, 0, 0, create, step, read, destroy, NULL};
