/* SPDX-License-Identifier: MIT
 * Random scenes of all kinds of things, random questions about them, and a plain search that answers: everything is
 * tried, in long double, by other equations than the library's. Arcs are approached step by step.
 */
#ifndef CAROM_TESTS_QUERY_PLAIN_SEARCH_H
#define CAROM_TESTS_QUERY_PLAIN_SEARCH_H

#include "base/narrow.h"
#include "test.h"

#define ALL UINT32_MAX
#define NOT_ONE CAROM_QUERY_NOBODY

static carom_scene_body body_at(double x, double y, double radius)
{
    carom_scene_body body = carom_scene_body_default();
    body.x = x, body.y = y, body.radius = radius;
    return body;
}

/* ---- random scenes ---- */

typedef struct site {
    carom_scene_body *bodies;
    carom_scene_wall *walls;
    double *x, *y;
    carom_scene_polygon *polygons;
    carom_scene_arc *arcs;
    carom_scene_desc desc;
    carom_scene *scene;
} site;

static void end_site(site *s)
{
    carom_scene_destroy(s->scene);
    free(s->bodies);
    free(s->walls);
    free(s->x);
    free(s->y);
    free(s->polygons);
    free(s->arcs);
}

#define CORNERS 5

/* Spread over [-half, half]^2; f32 holds all numbers. */
static site random_site(uint64_t *rng, uint32_t bodies, uint32_t walls, uint32_t polygons, uint32_t arcs,
                        carom_scene_sides across, carom_scene_sides up)
{
    const double half = 2 * sqrt(bodies);
    site s = {0};
    s.bodies = take(bodies * sizeof *s.bodies);
    s.walls = take((walls + 1) * sizeof *s.walls);
    s.polygons = take((polygons + 1) * sizeof *s.polygons);
    s.x = take((polygons + 1) * CORNERS * sizeof *s.x);
    s.y = take((polygons + 1) * CORNERS * sizeof *s.y);

    for (uint32_t i = 0; i < bodies; i++) {
        const double radius = rng_one_in(rng, 50) ? half / 5 : rng_in(rng, 0.1, 1);
        s.bodies[i] = body_at(narrowed(rng_in(rng, -half, half)), narrowed(rng_in(rng, -half, half)), narrowed(radius));
        s.bodies[i].category = 1u << rng_below(rng, 3);
        s.bodies[i].mask = (uint32_t)rng_below(rng, 8);
        s.bodies[i].sensor = rng_one_in(rng, 6);
        s.bodies[i].inactive = rng_one_in(rng, 6);
    }
    for (uint32_t k = 0; k < walls; k++) {
        const double x = rng_in(rng, -half, half), y = rng_in(rng, -half, half), size = rng_one_in(rng, 9) ? half : 2;
        s.walls[k] = (carom_scene_wall){narrowed(x),
                                        narrowed(y),
                                        narrowed(x + rng_in(rng, -size, size)),
                                        narrowed(y + rng_in(rng, -size, size)),
                                        1,
                                        rng_one_in(rng, 3),
                                        rng_one_in(rng, 6),
                                        (uint32_t)rng_below(rng, 4),
                                        (uint32_t)rng_below(rng, 4)};
    }
    for (uint32_t k = 0; k < polygons; k++) {
        const double x = rng_in(rng, -half, half), y = rng_in(rng, -half, half);
        s.polygons[k] = (carom_scene_polygon){s.x + k * CORNERS, s.y + k * CORNERS, CORNERS, 1, false, 0, 0};
        for (uint32_t c = 0; c < CORNERS; c++) {
            s.x[k * CORNERS + c] = narrowed(x + rng_in(rng, -3, 3));
            s.y[k * CORNERS + c] = narrowed(y + rng_in(rng, -3, 3));
        }
    }

    s.arcs = take((arcs + 1) * sizeof *s.arcs);
    for (uint32_t k = 0; k < arcs; k++) {
        carom_scene_arc *a = &s.arcs[k];
        a->x = narrowed(rng_in(rng, -half, half)), a->y = narrowed(rng_in(rng, -half, half));
        a->radius = narrowed(rng_one_in(rng, 5) ? half / 2 : rng_in(rng, 0.1, 3));
        a->restitution = 1;
        if (!rng_one_in(rng, 4)) { /* otherwise it is a ring */
            a->ax = narrowed(a->x + rng_in(rng, -2, 2)), a->ay = narrowed(a->y + rng_in(rng, -2, 2));
            a->bx = narrowed(a->x + rng_in(rng, -2, 2)), a->by = narrowed(a->y + rng_in(rng, -2, 2));
        }
        a->sensor = rng_one_in(rng, 6);
    }

    s.desc = carom_scene_desc_default();
    s.desc.arcs = s.arcs, s.desc.arc_count = arcs;
    s.desc.bodies = s.bodies, s.desc.body_count = bodies;
    s.desc.walls = s.walls, s.desc.wall_count = walls;
    s.desc.polygons = s.polygons, s.desc.polygon_count = polygons;
    const double side = narrowed(half);
    s.desc.box = (carom_scene_box){-side, -side, side, side, across, up, 1, 0, 0};
    carom_problem problem;
    if (carom_scene_create(&s.desc, &s.scene, &problem) != CAROM_OK) {
        fail_msg("%s", problem.text);
    }
    return s;
}

typedef long double exact;

typedef struct point {
    exact x, y;
} point;

static exact dot(point a, point b)
{
    return a.x * b.x + a.y * b.y;
}

static exact cross(point a, point b)
{
    return a.x * b.y - a.y * b.x;
}

/* A ray from o along u against a circle; 0 inside. */
static exact plain_disc(point o, point u, point centre, exact r)
{
    const point p = {centre.x - o.x, centre.y - o.y};
    const exact b = dot(p, u), c = dot(p, p) - r * r, d = b * b - c;
    return c <= 0 ? 0 : b <= 0 || d < 0 ? (exact)INFINITY : b - sqrtl(d);
}

/* Against a segment, by Cramer's rule. */
static exact plain_segment(point o, point u, point a, point b)
{
    const point e = {b.x - a.x, b.y - a.y}, p = {a.x - o.x, a.y - o.y};
    const exact det = cross(u, e), t = cross(p, e) / det, s = cross(p, u) / det;
    return t >= 0 && s >= 0 && s <= 1 ? t : (exact)INFINITY;
}

static exact plain_apart(point o, point a, point b)
{
    const point e = {b.x - a.x, b.y - a.y}, p = {o.x - a.x, o.y - a.y};
    const exact at = fminl(fmaxl(dot(p, e) / dot(e, e), 0), 1);
    return hypotl(p.x - at * e.x, p.y - at * e.y);
}

/* A circle of radius w against a segment: against two discs and the two long sides of a rectangle. */
static exact plain_capsule(point o, point u, point a, point b, exact w)
{
    const exact length = hypotl(b.x - a.x, b.y - a.y);
    const point n = {-(b.y - a.y) / length * w, (b.x - a.x) / length * w};
    if (w == 0) {
        return plain_segment(o, u, a, b);
    }
    if (plain_apart(o, a, b) <= w) {
        return 0;
    }
    exact t = fminl(plain_disc(o, u, a, w), plain_disc(o, u, b, w));
    for (int side = -1; side <= 1; side += 2) {
        const point from = {a.x + side * n.x, a.y + side * n.y}, to = {b.x + side * n.x, b.y + side * n.y};
        t = fminl(t, plain_segment(o, u, from, to));
    }
    return t;
}

typedef struct plain_answer {
    exact distance, second; /* of the first thing, and of the next after it */
    carom_found_kind kind;
    uint32_t index;
    size_t near; /* things not beyond the range */
} plain_answer;

static void plain_offer(plain_answer *best, exact distance, exact range, carom_found_kind kind, uint32_t index)
{
    best->near += distance <= range && distance < (exact)INFINITY;
    if (distance < best->distance && distance <= range) {
        best->second = best->distance;
        best->distance = distance;
        best->kind = kind;
        best->index = index;
    } else if (distance < best->second) {
        best->second = distance;
    }
}

static bool plain_finds(const carom_query *q, uint32_t category, uint32_t mask, bool sensor)
{
    return (category & q->mask) != 0 && (mask & q->category) != 0 && (q->sensors || !sensor);
}

/* A wall of any kind: a segment, or an arc. */
typedef struct plain_still {
    point a, b;
    bool one_sided;
    const carom_scene_arc *arc; /* NULL: a segment */
} plain_still;

static exact plain_arc_apart(point o, const carom_scene_arc *arc)
{
    const exact turn = 2 * acosl(-1), x = o.x - arc->x, y = o.y - arc->y;
    const exact from = atan2l(arc->ay - arc->y, arc->ax - arc->x), to = atan2l(arc->by - arc->y, arc->bx - arc->x);
    const bool ring = arc->ax == arc->bx && arc->ay == arc->by;
    const exact span = to - from < 0 ? to - from + turn : to - from, at = atan2l(y, x) - from;
    if (ring || (at < 0 ? at + turn : at) <= span) {
        return fabsl(hypotl(x, y) - arc->radius);
    }
    const exact r = arc->radius;
    return fminl(hypotl(x - r * cosl(from), y - r * sinl(from)), hypotl(x - r * cosl(to), y - r * sinl(to)));
}

static exact plain_still_apart(point o, const plain_still *s)
{
    return s->arc != NULL ? plain_arc_apart(o, s->arc) : plain_apart(o, s->a, s->b);
}

/* An arc is approached by as much as it is away, again and again. */
static exact plain_still_cast(point o, point u, const plain_still *s, exact w)
{
    if (s->arc == NULL) {
        return plain_capsule(o, u, s->a, s->b, w);
    }
    exact t = 0;
    for (int step = 0; step < 100000 && t < 1000; step++) {
        const exact gap = plain_arc_apart((point){o.x + t * u.x, o.y + t * u.y}, s->arc) - w;
        if (gap <= 1e-13L) {
            return t;
        }
        t += gap;
    }
    return (exact)INFINITY;
}

/* From when to when a ray is between low and high. */
static void plain_between(exact x, exact u, exact low, exact high, exact *from, exact *to)
{
    const exact a = (low - x) / u, b = (high - x) / u;
    if (u == 0) {
        *to = x >= low && x <= high ? *to : -1;
        return;
    }
    *from = fmaxl(*from, fminl(a, b));
    *to = fminl(*to, fmaxl(a, b));
}

/* The distance to a wall in all images of the box; in each from where the ray comes into it. */
static exact plain_wall(const carom_scene_desc *d, const carom_query *q, bool cast, point u, const plain_still *s,
                        int images)
{
    const carom_scene_box *box = &d->box;
    const exact width = (exact)box->x1 - box->x0, height = (exact)box->y1 - box->y0;
    const int across = cast && box->horizontal == CAROM_SIDES_PERIODIC ? images : 0;
    const int up = cast && box->vertical == CAROM_SIDES_PERIODIC ? images : 0;
    exact best = (exact)INFINITY;
    for (int i = -across; i <= across; i++) {
        for (int j = -up; j <= up; j++) {
            point o = {q->x - i * width, q->y - j * height};
            exact from = 0, to = (exact)INFINITY;
            if (across > 0) {
                plain_between(o.x, u.x, box->x0, box->x1, &from, &to);
            }
            if (up > 0) {
                plain_between(o.y, u.y, box->y0, box->y1, &from, &to);
            }
            o = (point){o.x + from * u.x, o.y + from * u.y};
            const point e = {s->b.x - s->a.x, s->b.y - s->a.y}, p = {o.x - s->a.x, o.y - s->a.y};
            if (from <= to && !(s->one_sided && cross(e, p) <= 0)) {
                const exact t =
                    cast ? from + plain_still_cast(o, u, s, q->radius) : fmaxl(plain_still_apart(o, s) - q->radius, 0);
                best = t <= to ? fminl(best, t) : best;
            }
        }
    }
    return best;
}

static plain_answer plain(const carom_scene_desc *d, const carom_query *q, bool cast, int images)
{
    const exact length = hypotl(q->dx, q->dy), range = q->range;
    const point u = {q->dx / length, q->dy / length};
    const exact width = (exact)d->box.x1 - d->box.x0, height = (exact)d->box.y1 - d->box.y0;
    const int across = d->box.horizontal == CAROM_SIDES_PERIODIC ? images : 0;
    const int up = d->box.vertical == CAROM_SIDES_PERIODIC ? images : 0;
    plain_answer best = {(exact)INFINITY, (exact)INFINITY, CAROM_FOUND_NONE, 0, 0};

    for (uint32_t i = 0; i < d->body_count; i++) {
        const carom_scene_body *body = &d->bodies[i];
        exact t = (exact)INFINITY;
        for (int k = -across; k <= across; k++) {
            for (int l = -up; l <= up; l++) {
                const point c = {body->x + k * width, body->y + l * height}, o = {q->x, q->y};
                const exact r = (exact)body->radius + q->radius;
                t = fminl(t, cast ? plain_disc(o, u, c, r) : fmaxl(hypotl(c.x - o.x, c.y - o.y) - r, 0));
            }
        }
        if (!body->inactive && i != q->ignore && plain_finds(q, body->category, body->mask, body->sensor)) {
            plain_offer(&best, t, range, CAROM_FOUND_BODY, i);
        }
    }
    for (uint32_t side = 0; side < 4; side++) {
        const exact gaps[4] = {q->x - d->box.x0, d->box.x1 - q->x, q->y - d->box.y0, d->box.y1 - q->y};
        const exact falls[4] = {-u.x, u.x, -u.y, u.y};
        const exact gap = gaps[side] - q->radius;
        if ((side < 2 ? d->box.horizontal : d->box.vertical) == CAROM_SIDES_SOLID) {
            const exact t = gap <= 0 ? 0 : !cast ? gap : falls[side] > 0 ? gap / falls[side] : (exact)INFINITY;
            plain_offer(&best, t, range, CAROM_FOUND_SIDE, side);
        }
    }
    for (uint32_t k = 0; k < d->wall_count; k++) {
        const carom_scene_wall *w = &d->walls[k];
        if (plain_finds(q, w->category != 0 ? w->category : ALL, w->mask != 0 ? w->mask : ALL, w->sensor)) {
            const plain_still still = {{w->ax, w->ay}, {w->bx, w->by}, w->one_sided, NULL};
            plain_offer(&best, plain_wall(d, q, cast, u, &still, images), range, CAROM_FOUND_WALL, k);
        }
    }
    for (uint32_t k = 0; k < d->polygon_count; k++) {
        const carom_scene_polygon *p = &d->polygons[k];
        exact t = (exact)INFINITY;
        for (uint32_t c = 0; c < p->corners; c++) {
            const uint32_t next = (c + 1) % p->corners;
            const plain_still still = {{p->x[c], p->y[c]}, {p->x[next], p->y[next]}, false, NULL};
            t = fminl(t, plain_wall(d, q, cast, u, &still, images));
        }
        plain_offer(&best, t, range, CAROM_FOUND_POLYGON, k);
    }
    for (uint32_t k = 0; k < d->arc_count; k++) {
        if (plain_finds(q, ALL, ALL, d->arcs[k].sensor)) {
            const plain_still still = {.arc = &d->arcs[k]};
            plain_offer(&best, plain_wall(d, q, cast, u, &still, images), range, CAROM_FOUND_ARC, k);
        }
    }
    return best;
}

static carom_query random_query(uint64_t *rng, const site *s, size_t worlds)
{
    const double half = s->desc.box.x1 * 0.999;
    const bool wraps = s->desc.box.horizontal == CAROM_SIDES_PERIODIC || s->desc.box.vertical == CAROM_SIDES_PERIODIC;
    carom_query q = carom_query_default();
    q.world = rng_next(rng) % worlds;
    q.x = rng_in(rng, -half, half), q.y = rng_in(rng, -half, half);
    q.dx = rng_in(rng, -3, 3), q.dy = rng_one_in(rng, 5) ? 0 : rng_in(rng, -3, 3);
    q.radius = rng_one_in(rng, 2) ? 0 : rng_in(rng, 0, rng_one_in(rng, 5) ? half / 4 : 1);
    q.range = rng_one_in(rng, 2) ? rng_in(rng, 0, half) : wraps ? 3 * half : (double)INFINITY;
    q.category = 1 + (uint32_t)rng_below(rng, 7);
    q.mask = rng_one_in(rng, 2) ? ALL : 1 + (uint32_t)rng_below(rng, 7);
    q.sensors = rng_one_in(rng, 2);
    q.ignore = rng_one_in(rng, 3) ? (uint32_t)rng_below(rng, (int)s->desc.body_count) : NOT_ONE;
    return q;
}

#endif
