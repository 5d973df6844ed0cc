/* SPDX-License-Identifier: MIT
 * What rays show to bodies that act: the kind of observation `lidar` (carom/scene.h), by the equations of toi/ray.h.
 *
 * In the wide engine a lane is a world: rays are the same in all lanes, things differ. A single world has its rays in
 * the lanes, LANES of them at a time, and things are the same in all lanes. Each ray goes through the same operations
 * in both cases, so its numbers have the same bits.
 */
#ifndef CAROM_SCENES_LIDAR_H
#define CAROM_SCENES_LIDAR_H

#include "scenes/tile.h"
#include "toi/ray_arc.h"

#define LIDAR_BLOCK 16             /* things prepared at a time, for all rays */
#define LIDAR_WIDER REAL(1.01)     /* things further than this many ranges are skipped: far more than any rounding */
#define LIDAR_NOTHING ((real) - 1) /* the id of a ray that hits nothing */

/* The rays of one body: each a vector whose lanes are worlds, or for a single world LANES rays in a vector. */
typedef struct lidar_rays {
    uint32_t count; /* of vectors */
    vreal ux[CAROM_SCENE_RAYS], uy[CAROM_SCENE_RAYS];
    vreal t[CAROM_SCENE_RAYS]; /* the distance of the nearest thing so far, or the range */
    vreal id[CAROM_SCENE_RAYS];
} lidar_rays;

/* The origin of rays. */
typedef struct lidar_eye {
    const scene_run *run;
    uint32_t own;
    unsigned at, group;
    vreal x, y;
    vmask there; /* the own body is active */
} lidar_eye;

typedef struct lidar_discs {
    uint32_t count;
    rays_disc disc[LIDAR_BLOCK];
    uint32_t id[LIDAR_BLOCK];
} lidar_discs;

typedef struct lidar_edges {
    uint32_t count;
    rays_edge edge[LIDAR_BLOCK];
    uint32_t id[LIDAR_BLOCK];
} lidar_edges;

static inline const carom_scene_lidar *lidar_of(const scene_run *run)
{
    return &run->s->desc->lidar;
}

/* The number of outputs of the rays of a body. */
static inline size_t lidar_numbers(const scene_run *run)
{
    return (size_t)lidar_of(run)->rays * scene_lidar_numbers(lidar_of(run));
}

/* Do rays hit a body, or something that does not move, of this category? */
static inline bool lidar_meets(const carom_scene_lidar *lidar, uint32_t category, bool sensor, bool moves)
{
    return (!sensor || lidar->sensors) && ((category & lidar->mask) != 0 || (!moves && category == 0));
}

/* ---- rays ---- */

/* Spreads the scene's directions over vectors. */
static inline void lidar_aim(const scene_run *run, lidar_rays *rays)
{
    const carom_scene *scene = (const carom_scene *)run->tick->context;
    const uint32_t all = lidar_of(run)->rays;
    rays->count = run->alone ? (all + LANES - 1) / LANES : all;

    for (uint32_t k = 0; k < rays->count; k++) {
        alignas(64) real x[LANES], y[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            const uint32_t ray = !run->alone ? k : k * LANES + l < all ? k * LANES + l : all - 1;
            x[l] = (real)scene->rays[2 * ray];
            y[l] = (real)scene->rays[2 * ray + 1];
        }
        rays->ux[k] = v_load(x);
        rays->uy[k] = v_load(y);
    }
}

/* Takes the hit at `met` if it is nearer than *t, the ray's present hit with *id. */
CAROM_LANE void lidar_take(vreal *t, vreal *id, vreal met, uint32_t what)
{
    const vmask nearer = v_lt(met, *t);
    *t = v_select(nearer, met, *t);
    *id = v_select(nearer, v_set1((real)what), *id);
}

static inline void lidar_meet_discs(lidar_rays *rays, lidar_discs *discs)
{
    for (uint32_t k = 0; k < rays->count; k++) {
        vreal t = rays->t[k], id = rays->id[k];
        for (uint32_t i = 0; i < discs->count; i++) {
            const vreal met = rays_disc_met(discs->disc[i], rays->ux[k], rays->uy[k]);
            lidar_take(&t, &id, met, discs->id[i]);
        }
        rays->t[k] = t;
        rays->id[k] = id;
    }
    discs->count = 0;
}

static inline void lidar_meet_edges(lidar_rays *rays, lidar_edges *edges)
{
    for (uint32_t k = 0; k < rays->count; k++) {
        vreal t = rays->t[k], id = rays->id[k];
        for (uint32_t i = 0; i < edges->count; i++) {
            const vreal met = rays_edge_met(edges->edge[i], rays->ux[k], rays->uy[k]);
            lidar_take(&t, &id, met, edges->id[i]);
        }
        rays->t[k] = t;
        rays->id[k] = id;
    }
    edges->count = 0;
}

/* ---- things ---- */

/* A number of the worlds' own, or the one that they share. */
CAROM_LANE vreal lidar_number(const lidar_eye *eye, scene_own own, size_t element, real shared)
{
    return eye->run->s->own[own] != 0 ? row_own(eye->run, own, element, eye->at) : v_set1(shared);
}

/* The worlds that see, and in which a wall or polygon exists. */
CAROM_LANE vmask lidar_is_there(const lidar_eye *eye, scene_own own, size_t element)
{
    const scene_run *run = eye->run;
    const size_t field = run->s->own[own];
    const int8_t *there = row8_of(run, field) + element * run->stride + eye->at;
    return field == 0 ? eye->there : m_andnot(eye->there, i_eq(row_load8(run, there), i_set1(0)));
}

/* Adds a body, unless it is too far from the eye in all lanes. */
static inline void lidar_add_body(const lidar_eye *eye, uint32_t body, lidar_discs *to)
{
    const scene_run *run = eye->run;
    const scene_frozen *s = run->s;
    const size_t row = body * run->stride + eye->at;
    const vreal x = scene_between(eye->x, row_load(run, row_of(run, s->x) + row), s->horizontal, s->x0, s->x1);
    const vreal y = scene_between(eye->y, row_load(run, row_of(run, s->y) + row), s->vertical, s->y0, s->y1);

    /* In lanes where it is not near use a circle that no ray hits. */
    const vreal radius = lidar_number(eye, SCENE_OWN_RADIUS, body, s->radius[body]);
    const vreal reach = (v_set1((real)lidar_of(run)->range) + radius) * v_set1(LIDAR_WIDER);
    const vmask near = m_and(m_and(v_le(v_abs(x), reach), v_le(v_abs(y), reach)),
                             m_and(eye->there, row_active(run, body, eye->at, eye->group)));
    if (m_any(near)) {
        const vreal zero = v_set1(0), one = v_set1(1);
        rays_disc disc = rays_disc_of(zero, zero, x, y, radius);
        disc.rr = v_select(near, disc.rr, -one);
        disc.c = v_select(near, disc.c, one);
        to->disc[to->count] = disc;
        to->id[to->count++] = body;
    }
}

static inline void lidar_meet_bodies(const lidar_eye *eye, lidar_rays *rays)
{
    const scene_frozen *s = eye->run->s;
    lidar_discs discs;
    discs.count = 0;
    for (uint32_t i = 0; i < s->bodies; i++) {
        if (i != eye->own && lidar_meets(lidar_of(eye->run), s->category[i], s->sensor[i] != 0, true)) {
            lidar_add_body(eye, i, &discs);
        }
        if (discs.count == LIDAR_BLOCK) {
            lidar_meet_discs(rays, &discs);
        }
    }
    lidar_meet_discs(rays, &discs);
}

/* Solid sides: everything beyond them is solid. */
static inline void lidar_meet_sides(const lidar_eye *eye, lidar_rays *rays)
{
    const scene_frozen *s = eye->run->s;
    const vreal gaps[SCENE_SIDES] = {eye->x - v_set1(s->x0), v_set1(s->x1) - eye->x, eye->y - v_set1(s->y0),
                                     v_set1(s->y1) - eye->y};
    for (uint32_t side = 0; side < SCENE_SIDES; side++) {
        if (scene_sides_of(s, side) != CAROM_SIDES_SOLID ||
            !lidar_meets(lidar_of(eye->run), s->side_category, false, false)) {
            continue;
        }
        for (uint32_t k = 0; k < rays->count; k++) {
            const vreal u = side < 2 ? rays->ux[k] : rays->uy[k];
            lidar_take(&rays->t[k], &rays->id[k], rays_box_met(gaps[side], side % 2 == 0 ? -u : u),
                       scene_side_id(s, side));
        }
    }
}

/* Adds an edge from a to b, unless it is too far from the eye in all lanes, or absent. */
static inline void lidar_add_edge(const lidar_eye *eye, const vreal a[2], const vreal b[2], vmask there, bool one_sided,
                                  uint32_t id, lidar_edges *to)
{
    const vreal reach = v_set1((real)lidar_of(eye->run)->range * LIDAR_WIDER);
    rays_edge edge = rays_edge_of(eye->x, eye->y, a[0], a[1], b[0], b[1]);

    vmask near = m_and(there, m_and(v_le(v_min(edge.ax, edge.bx), reach), v_le(v_min(edge.ay, edge.by), reach)));
    near = m_and(near, m_and(v_ge(v_max(edge.ax, edge.bx), -reach), v_ge(v_max(edge.ay, edge.by), -reach)));
    near = one_sided ? m_and(near, v_gt(edge.cross, v_set1(0))) : near;
    if (m_any(near)) {
        /* No ray hits an edge with NaN ends. */
        const vreal nan = v_set1((real)__builtin_nan(""));
        edge.ax = v_select(near, edge.ax, nan);
        edge.bx = v_select(near, edge.bx, nan);
        to->edge[to->count] = edge;
        to->id[to->count++] = id;
    }
}

CAROM_LANE void lidar_corner(const lidar_eye *eye, uint32_t corner, vreal at[2])
{
    at[0] = lidar_number(eye, SCENE_OWN_CORNER_X, corner, eye->run->s->corner_x[corner]);
    at[1] = lidar_number(eye, SCENE_OWN_CORNER_Y, corner, eye->run->s->corner_y[corner]);
}

/* The walls and polygons, as hit by rays that start at `eye`. */
static inline void lidar_meet_walls(const lidar_eye *eye, lidar_rays *rays)
{
    const scene_frozen *s = eye->run->s;
    const carom_scene_lidar *lidar = lidar_of(eye->run);
    lidar_edges edges;
    edges.count = 0;

    for (uint32_t i = 0; i < s->walls; i++) {
        const scene_wall *wall = &s->wall[i];
        if (lidar_meets(lidar, wall->category, wall->sensor, false)) {
            const vreal a[2] = {lidar_number(eye, SCENE_OWN_WALL_AX, i, wall->ax),
                                lidar_number(eye, SCENE_OWN_WALL_AY, i, wall->ay)};
            const vreal b[2] = {lidar_number(eye, SCENE_OWN_WALL_BX, i, wall->bx),
                                lidar_number(eye, SCENE_OWN_WALL_BY, i, wall->by)};
            lidar_add_edge(eye, a, b, lidar_is_there(eye, SCENE_OWN_WALL_THERE, i), wall->one_sided,
                           scene_wall_id(s, i), &edges);
        }
        if (edges.count == LIDAR_BLOCK) {
            lidar_meet_edges(rays, &edges);
        }
    }

    for (uint32_t i = 0; i < s->polygons; i++) {
        const scene_polygon *polygon = &s->polygon[i];
        const vmask there = lidar_is_there(eye, SCENE_OWN_POLYGON_THERE, i);
        const bool met = lidar_meets(lidar, polygon->category, polygon->sensor, false);
        for (uint32_t c = 0; met && c < polygon->corners; c++) {
            vreal a[2], b[2];
            lidar_corner(eye, polygon->first + c, a);
            lidar_corner(eye, polygon->first + (c + 1 < polygon->corners ? c + 1 : 0), b);
            lidar_add_edge(eye, a, b, there, false, scene_polygon_id(s, i), &edges);
            if (edges.count == LIDAR_BLOCK) {
                lidar_meet_edges(rays, &edges);
            }
        }
    }
    lidar_meet_edges(rays, &edges);
}

/* The arcs. */
static inline void lidar_meet_arcs(const lidar_eye *eye, lidar_rays *rays)
{
    const scene_frozen *s = eye->run->s;
    const vreal reach = v_set1((real)lidar_of(eye->run)->range * LIDAR_WIDER), zero = v_set1(0);
    for (uint32_t i = 0; i < s->arcs; i++) {
        const scene_arc *arc = &s->arc[i];
        if (!lidar_meets(lidar_of(eye->run), arc->category, arc->sensor, false)) {
            continue;
        }

        /* In lanes where it is too far there is no hit. */
        vmask near = m_and(v_le(v_set1(arc->x0) - eye->x, reach), v_le(v_set1(arc->y0) - eye->y, reach));
        near = m_and(near, m_and(v_ge(v_set1(arc->x1) - eye->x, -reach), v_ge(v_set1(arc->y1) - eye->y, -reach)));
        if (!m_any(near)) {
            continue;
        }

        const rays_arc seen = rays_arc_of(eye->x, eye->y, scene_arc_shape(arc));
        for (uint32_t k = 0; k < rays->count; k++) {
            const vreal t = rays_arc_met(seen, zero, rays->ux[k], rays->uy[k]);
            lidar_take(&rays->t[k], &rays->id[k], v_select(near, t, v_set1(RAYS_NEVER)), scene_arc_id(s, i));
        }
    }
}

/* In a periodic box rays continue from the opposite side: also test walls from positions a box away. */
static inline void lidar_meet_images(const lidar_eye *eye, lidar_rays *rays)
{
    const scene_frozen *s = eye->run->s;
    const int across = s->horizontal == CAROM_SIDES_PERIODIC, up = s->vertical == CAROM_SIDES_PERIODIC;
    if (scene_obstacles(s) == 0) {
        return;
    }
    for (int i = -across; i <= across; i++) {
        for (int j = -up; j <= up; j++) {
            lidar_eye image = *eye;
            image.x = i == 0 ? eye->x : eye->x + v_set1((real)i * (s->x1 - s->x0));
            image.y = j == 0 ? eye->y : eye->y + v_set1((real)j * (s->y1 - s->y0));
            lidar_meet_walls(&image, rays);
            lidar_meet_arcs(&image, rays);
        }
    }
}

/* ---- the output ---- */

/* The hit of each lane's ray: velocity and category of the thing with that id. */
typedef struct lidar_met {
    alignas(64) real vx[LANES], vy[LANES];
    uint32_t category[LANES];
} lidar_met;

static inline void lidar_look_up(const lidar_eye *eye, vreal id, lidar_met *met)
{
    const scene_run *run = eye->run;
    const scene_frozen *s = run->s;
    const real *vx = row_of(run, s->vx) + eye->at, *vy = row_of(run, s->vy) + eye->at;
    alignas(64) real ids[LANES];
    v_store(ids, id);

    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t lane = run->alone ? 0 : l, thing = ids[l] >= 0 ? (uint32_t)ids[l] : UINT32_MAX;
        const bool moves = thing < s->bodies;
        const uint32_t wall = thing - s->bodies - SCENE_SIDES;
        met->vx[l] = moves ? vx[thing * run->stride + lane] : 0;
        met->vy[l] = moves ? vy[thing * run->stride + lane] : 0;
        met->category[l] = ids[l] < 0                        ? 0
                           : moves                           ? s->category[thing]
                           : thing - s->bodies < SCENE_SIDES ? s->side_category
                           : wall < s->walls                 ? s->wall[wall].category
                           : wall < s->walls + s->polygons   ? s->polygon[wall - s->walls].category
                                                             : scene_arc_of(s, wall)->category;
    }
}

/* Writes a number of the rays in vector k. out: of the first ray of all, each of which has `each` numbers. */
CAROM_LANE void lidar_put(const lidar_eye *eye, uint32_t k, uint32_t each, uint32_t number, vreal a, float *out)
{
    const scene_run *run = eye->run;
    const vreal shown = v_select(eye->there, observe_number(a), v_set1(0));
    if (!run->alone) {
        v_store_f32(out + ((size_t)k * each + number) * CAROM_TILE + eye->at, shown);
        return;
    }

    /* Each lane is a ray; the last vector has more lanes than rays. */
    const uint32_t first = k * LANES, all = lidar_of(run)->rays;
    alignas(64) float lanes[LANES];
    v_store_f32(lanes, shown);
    for (uint32_t l = 0; l < LANES && first + l < all; l++) {
        out[((size_t)(first + l) * each + number) * CAROM_TILE] = lanes[l];
    }
}

/* Writes all numbers of the rays in vector k. */
static inline void lidar_show(const lidar_eye *eye, const lidar_rays *rays, uint32_t k, float *out)
{
    const scene_run *run = eye->run;
    const scene_frozen *s = run->s;
    const carom_scene_lidar *lidar = lidar_of(run);
    const uint32_t each = scene_lidar_numbers(lidar);
    const vreal zero = v_set1(0), one = v_set1(1), ux = rays->ux[k], uy = rays->uy[k], id = rays->id[k];
    lidar_met met;
    lidar_look_up(eye, id, &met);

    const vmask any = v_ge(id, zero), body = m_and(any, v_lt(id, v_set1((real)s->bodies)));
    lidar_put(eye, k, each, 0, rays->t[k] / v_set1((real)lidar->range), out);
    lidar_put(eye, k, each, 1, v_select(body, one, zero), out);
    lidar_put(eye, k, each, 2, v_select(m_andnot(any, body), one, zero), out);

    uint32_t number = 3;
    for (uint32_t tells = lidar->tells; tells != 0; tells &= tells - 1) {
        const uint32_t category = tells & (0 - tells);
        alignas(64) real has[LANES];
        for (unsigned l = 0; l < LANES; l++) {
            has[l] = (met.category[l] & category) != 0;
        }
        lidar_put(eye, k, each, number++, v_load(has), out);
    }

    const size_t own = eye->own * run->stride + eye->at;
    const vreal vx = v_load(met.vx) - row_load(run, row_of(run, s->vx) + own);
    const vreal vy = v_load(met.vy) - row_load(run, row_of(run, s->vy) + own);
    lidar_put(eye, k, each, number, v_select(any, vx * ux + vy * uy, zero), out);
    lidar_put(eye, k, each, number + 1, v_select(any, vy * ux - vx * uy, zero), out);
}

/* Writes the observations of all bodies that act in the worlds of a group. */
static inline void lidar_observe_group(const scene_run *run, unsigned at, unsigned group, lidar_rays *rays, float *out)
{
    const scene_frozen *s = run->s;
    const carom_scene_lidar *lidar = lidar_of(run);
    group = run->alone ? (1u << LANES) - 1 : group; /* its rays are in all lanes */
    for (uint32_t a = 0; a < s->actor_count; a++) {
        const uint32_t own = s->actors[a];
        const size_t row = own * run->stride + at;
        const lidar_eye eye = {run,
                               own,
                               at,
                               group,
                               row_load(run, row_of(run, s->x) + row),
                               row_load(run, row_of(run, s->y) + row),
                               row_active(run, own, at, group)};
        for (uint32_t k = 0; k < rays->count; k++) {
            rays->t[k] = v_set1((real)lidar->range);
            rays->id[k] = v_set1(LIDAR_NOTHING);
        }

        /* In the order of ids: among things at the same distance the first one stays. */
        if (m_any(eye.there)) {
            lidar_meet_bodies(&eye, rays);
            lidar_meet_sides(&eye, rays);
            lidar_meet_images(&eye, rays);
        }
        for (uint32_t k = 0; k < rays->count; k++) {
            lidar_show(&eye, rays, k, out + a * lidar_numbers(run) * CAROM_TILE);
        }
    }
}

#endif
