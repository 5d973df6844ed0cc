/* SPDX-License-Identifier: MIT
 * What bodies see by rays (the observation kind `lidar`), against plain C in long double.
 *
 * Each obstacle gives an interval for its distance along a ray, as if the obstacle were moved or widened within
 * rounding (kernel/toi/ray.h); it includes infinity where the ray passes that close to a rim. The observed distance
 * must be their minimum within these bounds, and the observed obstacle must be one that can be that minimum.
 *
 * Environment: CAROM_TEST_COUNT=N plays N scenes, CAROM_TEST_FIRST=N starts at seed N; CAROM_TEST_SHORT plays fewer.
 */
#include "scene_batch.h"
#include "scene_samples.h"

#include <float.h>
#include <inttypes.h>

#define WORLDS 19
#define ERRORS 24 /* of rounding, in eps of the distance: 16 of the equations, and those of directions and images */

/* ---- the reference ---- */

typedef struct span {
    long double low, high;
    bool body;
    uint32_t category;
    double vx, vy;
} span;

typedef struct looker {
    const carom_scene_desc *desc;
    const scene_state *state;
    bool narrow; /* f32 */
    double eps;
    uint32_t own;
    long double x, y, ux, uy;
    span *spans;
    size_t count;
} looker;

/* A number of the description as stored in worlds. */
static long double held(const looker *at, double number)
{
    return at->narrow ? (long double)(float)number : (long double)number;
}

static void add_span(looker *at, long double low, long double high, bool body, uint32_t category, double vx, double vy)
{
    at->spans[at->count++] = (span){low, high, body, category, vx, vy};
}

/* Where the ray enters a disc: 0 from inside, infinite if it misses it. */
static long double disc(const looker *at, long double px, long double py, long double r)
{
    const long double b = px * at->ux + py * at->uy, cross = px * at->uy - py * at->ux, d = r * r - cross * cross;
    if (r < 0 || (px * px + py * py > r * r && (b <= 0 || d < 0))) {
        return INFINITY;
    }
    return px * px + py * py <= r * r ? 0 : fmaxl(b - sqrtl(d), 0);
}

static void see_body(looker *at, uint32_t i)
{
    const carom_scene_desc *d = at->desc;
    const uint32_t n = d->body_count;
    const double *number = at->state->number;
    long double px = (long double)number[i] - at->x, py = (long double)number[n + i] - at->y, wide = 0;
    const long double r = held(at, d->bodies[i].radius);
    if (d->box.horizontal == CAROM_SIDES_PERIODIC) {
        wide = held(at, d->box.x1) - held(at, d->box.x0);
        px -= wide * roundl(px / wide);
    }
    if (d->box.vertical == CAROM_SIDES_PERIODIC) {
        const long double high = held(at, d->box.y1) - held(at, d->box.y0);
        py -= high * roundl(py / high);
        wide = fmaxl(wide, high);
    }
    const long double more = ERRORS * (long double)at->eps * (fmaxl(hypotl(px, py), r) + wide);
    add_span(at, disc(at, px, py, r + more), disc(at, px, py, r - more), true, d->bodies[i].category, number[2 * n + i],
             number[3 * n + i]);
}

/* The ray from (x, y) enters the band of width 2 more around the edge; and its crossing, if it is certain. */
static void see_edge(looker *at, long double x, long double y, const long double a[2], const long double b[2],
                     bool one_sided, uint32_t category, long double wide)
{
    const long double ax = a[0] - x, ay = a[1] - y, bx = b[0] - x, by = b[1] - y, ex = bx - ax, ey = by - ay;
    const long double size = hypotl(ex, ey), far = fmaxl(hypotl(ax, ay), hypotl(bx, by));
    const long double more = ERRORS * (long double)at->eps * (far + wide);
    const long double height = (ax * ey - ay * ex) / size, fall = (at->ux * ey - at->uy * ex) / size;
    if (one_sided && height < -more) {
        return;
    }

    /* The range of distances in which it is that close to the line, and next to the edge. */
    const long double along = (at->ux * ex + at->uy * ey) / size, start = -(ax * ex + ay * ey) / size;
    long double from = 0, to = INFINITY;
    const long double lows[2] = {height - more, -start}, highs[2] = {height + more, size - start},
                      speeds[2] = {fall, along};
    for (int k = 0; k < 2; k++) {
        if (speeds[k] == 0) {
            to = lows[k] > 0 || highs[k] < 0 ? -1 : to;
        } else {
            from = fmaxl(from, fminl(lows[k] / speeds[k], highs[k] / speeds[k]));
            to = fminl(to, fmaxl(lows[k] / speeds[k], highs[k] / speeds[k]));
        }
    }
    long double low = from <= to ? from : INFINITY, high = INFINITY;
    low = fminl(low, fminl(disc(at, ax, ay, more), disc(at, bx, by, more)));

    /* It crosses the edge for certain if the ends are on different sides of it, no end as near as that. */
    const long double left = at->ux * ay - at->uy * ax, right = at->ux * by - at->uy * bx;
    if (fabsl(left) > more && fabsl(right) > more && (left > 0) != (right > 0) && height / fall > 0 &&
        fabsl(height) > more) {
        high = (fabsl(height) + more) / fabsl(fall);
    }
    add_span(at, low, high, false, category, 0, 0);
}

/* An arc in the reference: the angle from its first end to its second, and lengths along it. */
typedef struct bow {
    long double r, ax, ay, length;
    bool ring;
} bow;

/* How far along the circle (px, py) is, from the first end on; and is it on the arc, by at least `margin`? */
static bool is_on(const bow *arc, long double px, long double py, long double margin)
{
    long double along = atan2l(arc->ax * py - arc->ay * px, arc->ax * px + arc->ay * py) * arc->r;
    const long double round = 2 * acosl(-1) * arc->r;
    along = along < 0 ? along + round : along;
    return arc->ring || (along >= margin && along <= arc->length - margin) ||
           (margin < 0 && (along >= round + margin || along <= arc->length - margin));
}

/* Where a circle of radius r around (px, py) is entered, or left; NAN: nowhere. */
static long double crossing(const looker *at, long double px, long double py, long double r, bool leaves)
{
    const long double b = px * at->ux + py * at->uy, cross = px * at->uy - py * at->ux, d = r * r - cross * cross;
    return r > 0 && d >= 0 ? b + (leaves ? sqrtl(d) : -sqrtl(d)) : (long double)NAN;
}

static void see_arc(looker *at, long double x, long double y, const carom_scene_arc *from, long double wide)
{
    const long double px = held(at, from->x) - x, py = held(at, from->y) - y, r = held(at, from->radius);
    const long double ax = held(at, from->ax) - held(at, from->x), ay = held(at, from->ay) - held(at, from->y);
    const long double bx = held(at, from->bx) - held(at, from->x), by = held(at, from->by) - held(at, from->y);
    const long double more = ERRORS * (long double)at->eps *
                             (hypotl(px, py) + r + wide + fabsl(held(at, from->x)) + fabsl(held(at, from->y)));
    const bool ring = from->ax == from->bx && from->ay == from->by;
    long double turn = atan2l(ax * by - ay * bx, ax * bx + ay * by);
    turn = turn < 0 ? turn + 2 * acosl(-1) : turn;
    const bow arc = {r, ax / hypotl(ax, ay), ay / hypotl(ax, ay), turn * r, ring};
    long double low = INFINITY, high = INFINITY;

    /* Entering, from outside; leaving, from inside. */
    for (int leaves = 0; leaves < 2; leaves++) {
        if (from->sides == (leaves ? CAROM_ARC_WITHOUT : CAROM_ARC_WITHIN)) {
            continue;
        }
        const long double wider = crossing(at, px, py, r + more, leaves), less = crossing(at, px, py, r - more, leaves);
        if (isnan(wider)) {
            continue;
        }
        const long double nearest = px * at->ux + py * at->uy;
        const long double from_t = leaves ? (isnan(less) ? nearest : less) : wider;
        const long double to_t = leaves ? wider : (isnan(less) ? nearest : less);
        const long double first = fmaxl(fminl(from_t, to_t), 0), last = fmaxl(from_t, to_t);
        if (last < 0) {
            continue;
        }

        /* Positions between the two count as equal. */
        const long double slack = 2 * (last - first + more);
        const long double mx = (first + last) / 2 * at->ux - px, my = (first + last) / 2 * at->uy - py;
        if (is_on(&arc, mx, my, -slack)) {
            low = fminl(low, first);
        }
        if (!isnan(less) && fminl(from_t, to_t) > 0 && is_on(&arc, mx, my, slack)) {
            high = fminl(high, last);
        }
    }

    /* Its ends; and a start that is on it. */
    if (!ring) {
        low = fminl(low, disc(at, px + r * arc.ax, py + r * arc.ay, 4 * more));
        low = fminl(low, disc(at, px + r * bx / hypotl(bx, by), py + r * by / hypotl(bx, by), 4 * more));
    }
    add_span(at, low, high, false, from->category, 0, 0);
}

static void see_side(looker *at, long double gap, long double fall, uint32_t category)
{
    const long double slack = 3 * (long double)at->eps, more = ERRORS * (long double)at->eps * fmaxl(fabsl(gap), 1);
    const long double low = gap <= more ? 0 : fall > -slack ? (gap - more) / (fall + slack) : INFINITY;
    const long double high = gap < -more ? 0 : fall > slack ? (gap + more) / (fall - slack) : INFINITY;
    add_span(at, fmaxl(low, 0), high, false, category, 0, 0);
}

static bool meets(const carom_scene_lidar *lidar, uint32_t category, bool sensor, bool body)
{
    return !(sensor && !lidar->sensors) && ((category & lidar->mask) != 0 || (category == 0 && !body));
}

/* All that the ray of the looker may meet. */
static void look_around(looker *at)
{
    const carom_scene_desc *d = at->desc;
    const carom_scene_box *box = &d->box;
    at->count = 0;
    for (uint32_t i = 0; i < d->body_count; i++) {
        if (i != at->own && at->state->active[i] &&
            meets(&d->lidar, d->bodies[i].category, d->bodies[i].sensor, true)) {
            see_body(at, i);
        }
    }

    const long double x0 = held(at, box->x0), x1 = held(at, box->x1), y0 = held(at, box->y0), y1 = held(at, box->y1);
    if (box->horizontal == CAROM_SIDES_SOLID && meets(&d->lidar, box->category, false, false)) {
        see_side(at, at->x - x0, -at->ux, box->category);
        see_side(at, x1 - at->x, at->ux, box->category);
    }
    if (box->vertical == CAROM_SIDES_SOLID && meets(&d->lidar, box->category, false, false)) {
        see_side(at, at->y - y0, -at->uy, box->category);
        see_side(at, y1 - at->y, at->uy, box->category);
    }

    const int across = box->horizontal == CAROM_SIDES_PERIODIC, up = box->vertical == CAROM_SIDES_PERIODIC;
    const long double wide = across ? fabsl(x0) + fabsl(x1) : 0, high = up ? fabsl(y0) + fabsl(y1) : 0;
    for (int shift = 0; shift < 9; shift++) {
        const int i = shift % 3 - 1, j = shift / 3 - 1;
        if (abs(i) > across || abs(j) > up) {
            continue;
        }
        const long double x = at->x + i * (x1 - x0), y = at->y + j * (y1 - y0);
        for (uint32_t w = 0; w < d->wall_count; w++) {
            const carom_scene_wall *wall = &d->walls[w];
            const long double a[2] = {held(at, wall->ax), held(at, wall->ay)};
            const long double b[2] = {held(at, wall->bx), held(at, wall->by)};
            if (meets(&d->lidar, wall->category, wall->sensor, false)) {
                see_edge(at, x, y, a, b, wall->one_sided, wall->category, wide + high);
            }
        }
        for (uint32_t k = 0; k < d->arc_count; k++) {
            if (meets(&d->lidar, d->arcs[k].category, d->arcs[k].sensor, false)) {
                see_arc(at, x, y, &d->arcs[k], wide + high);
            }
        }
        for (uint32_t p = 0; p < d->polygon_count; p++) {
            const carom_scene_polygon *polygon = &d->polygons[p];
            for (uint32_t c = 0; c < polygon->corners && meets(&d->lidar, polygon->category, polygon->sensor, false);
                 c++) {
                const uint32_t next = (c + 1) % polygon->corners;
                const long double a[2] = {held(at, polygon->x[c]), held(at, polygon->y[c])};
                const long double b[2] = {held(at, polygon->x[next]), held(at, polygon->y[next])};
                see_edge(at, x, y, a, b, false, polygon->category, wide + high);
            }
        }
    }
}

/* ---- comparing ---- */

typedef struct tally {
    size_t rays, bodies, walls, nothing, inside, open;
} tally;

static tally all;

/* Does the observation match this obstacle? */
static bool is_told(const looker *at, const span *thing, const float *seen)
{
    const carom_scene_lidar *lidar = &at->desc->lidar;
    const uint32_t n = at->desc->body_count;
    bool same = seen[1] == (thing->body ? 1.0f : 0.0f) && seen[2] == (thing->body ? 0.0f : 1.0f);
    size_t number = 3;
    for (uint32_t k = 0; k < 32; k++) {
        if ((lidar->tells >> k & 1) != 0) {
            same = same && seen[number++] == (float)(thing->category >> k & 1);
        }
    }
    const double vx = thing->vx - at->state->number[2 * n + at->own];
    const double vy = thing->vy - at->state->number[3 * n + at->own];
    const double away = vx * (double)at->ux + vy * (double)at->uy, aside = vy * (double)at->ux - vx * (double)at->uy;
    const double slack = 8 * (double)FLT_EPSILON * (fabs(vx) + fabs(vy) + fabs(thing->vx) + fabs(thing->vy));
    return same && fabs((double)seen[number] - away) <= slack && fabs((double)seen[number + 1] - aside) <= slack;
}

static bool check_ray(looker *at, const float *seen, size_t numbers)
{
    const long double range = held(at, at->desc->lidar.range), slack = 4 * (long double)FLT_EPSILON * range;
    const long double t = (long double)seen[0] * range;
    look_around(at);

    long double low = range, high = range;
    for (size_t k = 0; k < at->count; k++) {
        low = fminl(low, at->spans[k].low);
        high = fminl(high, at->spans[k].high);
    }
    bool good = seen[0] >= 0 && seen[0] <= 1 && t >= low - slack && t <= high + slack;

    const bool met = seen[1] != 0 || seen[2] != 0;
    bool told = false;
    for (size_t k = 0; k < at->count && met; k++) {
        told = told ||
               (at->spans[k].low <= t + slack && t <= at->spans[k].high + slack && is_told(at, &at->spans[k], seen));
    }
    for (size_t k = 1; k < numbers && !met; k++) {
        good = good && seen[k] == 0;
    }
    good = good && (met ? told : seen[0] == 1);

    all.rays++;
    all.bodies += seen[1] != 0;
    all.walls += seen[2] != 0;
    all.nothing += !met;
    all.inside += seen[0] == 0;
    all.open += high - low > 100 * slack;
    return good;
}

/* ---- scenes ---- */

static void read_reals(const carom_worlds *worlds, const char *name, size_t world, size_t count, double *to)
{
    if (carom_worlds_describe(worlds).precision == CAROM_F64) {
        get_field(worlds, name, world, 1, to);
        return;
    }
    float narrow[SAMPLE_BODIES];
    get_field(worlds, name, world, 1, narrow);
    for (size_t k = 0; k < count; k++) {
        to[k] = (double)narrow[k];
    }
}

static uint32_t below(uint64_t *rng, uint32_t n)
{
    return (uint32_t)(rng_next(rng) >> 33) % n;
}

/* Gives the sample a lidar, and bodies that use it. */
static bool add_lidar(scene_sample *s, uint64_t seed)
{
    uint64_t rng = seed ^ 0x6c69646172;
    carom_scene_desc *d = &s->desc;
    uint32_t acting = 0;
    double widest = 0, most = INFINITY;
    for (uint32_t k = 0; k < d->body_count; k++) {
        s->bodies[k].acts = acting < 4 && isfinite(s->bodies[k].mass) && below(&rng, 3) != 0;
        s->bodies[k].player = 0;
        acting += s->bodies[k].acts;
        widest = fmax(widest, s->bodies[k].radius);
    }
    if (d->box.horizontal == CAROM_SIDES_PERIODIC) {
        most = (d->box.x1 - d->box.x0) / 2 - widest;
    }
    if (d->box.vertical == CAROM_SIDES_PERIODIC) {
        most = fmin(most, (d->box.y1 - d->box.y0) / 2 - widest);
    }

    carom_scene_lidar *lidar = &d->lidar;
    lidar->rays = 1 + below(&rng, 24);
    lidar->range = fmin(s->scale * (1 + below(&rng, 20)), most);
    lidar->first = below(&rng, 3) == 0 ? 0.1 * below(&rng, 60) : 0;
    lidar->step = below(&rng, 3) == 0 ? 0.01 * (1 + below(&rng, 20)) : 0;
    lidar->mask = below(&rng, 3) == 0 ? 1 + below(&rng, 7) : UINT32_MAX;
    lidar->tells = below(&rng, 2) == 0 ? below(&rng, 8) : 0;
    lidar->sensors = below(&rng, 2) == 0;
    return acting > 0 && lidar->range > 0;
}

/* Circles and walls that differ by world; walls that are missing in some. */
static void let_differ(scene_sample *s)
{
    carom_scene_desc *d = &s->desc;
    d->varies = CAROM_VARIES_RADIUS | CAROM_VARIES_WALLS | CAROM_VARIES_THERE;
    for (uint32_t k = 0; k < d->body_count; k++) {
        s->bodies[k].radius_spread = s->bodies[k].radius / 4;
    }
    for (uint32_t k = 0; k < d->wall_count; k++) {
        const double size = fabs(s->walls[k].ax - s->walls[k].bx) + fabs(s->walls[k].ay - s->walls[k].by);
        s->walls[k].ax_spread = s->walls[k].by_spread = size / 16;
    }
}

static void observe(const carom_scene *scene, carom_worlds *worlds, float *seen)
{
    carom_step step = carom_step_default();
    must(carom_game_find_observation_kind(carom_scene_game(scene), "lidar", &step.observation_kind), "lidar");
    step.observations = seen;
    must(carom_worlds_observe_step(worlds, &step), "observe");
}

static void set_states(carom_worlds *worlds, const scene_sample *sample, uint64_t seed)
{
    const uint32_t n = sample->desc.body_count;
    scene_state state = scene_state_new(n);
    for (size_t w = 0; w < WORLDS; w++) {
        scene_sample_state(sample, seed, w % 5, state.number, state.number + n, state.number + 2 * n,
                           state.number + 3 * n, state.active);
        scene_put(worlds, w, &state);
    }
    end_scene_state(&state);

    if (sample->desc.varies != 0) {
        int8_t there[WORLDS][SAMPLE_WALLS], *flags = there[0];
        for (size_t k = 0; k < WORLDS * sample->desc.wall_count; k++) {
            flags[k] = k % 3 != 0;
        }
        if (sample->desc.wall_count != 0) {
            set_field(worlds, "wall_there", 0, WORLDS, flags);
        }
    }
}

/* Numbers of a world's own, as the description's. */
static void take_own(const carom_worlds *worlds, size_t w, scene_sample *sample)
{
    carom_scene_desc *d = &sample->desc;
    double radius[SAMPLE_BODIES], ends[4][SAMPLE_WALLS];
    int8_t there[SAMPLE_WALLS];
    static const char *const names[] = {"wall_ax", "wall_ay", "wall_bx", "wall_by"};
    read_reals(worlds, "radius", w, d->body_count, radius);
    for (uint32_t i = 0; i < d->body_count; i++) {
        sample->bodies[i].radius = radius[i];
    }
    for (int k = 0; k < 4; k++) {
        read_reals(worlds, names[k], w, d->wall_count, ends[k]);
    }
    get_field(worlds, "wall_there", w, 1, there);
    uint32_t walls = 0;
    for (uint32_t i = 0; i < d->wall_count; i++) {
        carom_scene_wall wall = sample->walls[i];
        wall.ax = ends[0][i], wall.ay = ends[1][i], wall.bx = ends[2][i], wall.by = ends[3][i];
        if (there[i] != 0) {
            sample->walls[walls++] = wall;
        }
    }
    d->wall_count = walls;
}

/* Every number of every ray of the sample's worlds in one precision; and the same bits from all that plays them. */
static void check_sample(scene_sample *sample, uint64_t seed, carom_precision precision)
{
    float *first = NULL, *other = NULL;
    size_t size = 0, each = 0;
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        sample->desc.engine = (carom_engine)engine;
        carom_problem problem;
        OWNED(carom_scene) *scene = NULL;
        if (carom_scene_create(&sample->desc, &scene, &problem) != CAROM_OK) {
            fail_msg("seed %" PRIu64 ": %s", seed, problem.text);
        }
        const carom_game *game = carom_scene_game(scene);
        size_t kind;
        carom_observation_kind about;
        must(carom_game_find_observation_kind(game, "lidar", &kind), "lidar");
        must(carom_game_observation_kind(game, kind, &about), "lidar");
        size = WORLDS * (size_t)about.agents * about.size;
        each = about.size / sample->desc.lidar.rays;

        for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
            if (!carom_isa_usable((carom_isa)isa)) {
                continue;
            }
            OWNED(carom_worlds) *worlds = scene_worlds(scene, WORLDS, precision, (carom_isa)isa, 1);
            set_states(worlds, sample, seed);
            if (seed % 4 == 1) { /* the observation is of the state after a tick */
                must(carom_worlds_step(worlds, sample->dt, 1), "step");
            }
            if (first == NULL) {
                first = take(size * sizeof *first);
                other = take(size * sizeof *other);
                observe(scene, worlds, first);
                looker at = {.desc = carom_scene_describe(scene),
                             .narrow = precision == CAROM_F32,
                             .eps = precision == CAROM_F32 ? (double)FLT_EPSILON : DBL_EPSILON};
                at.spans =
                    take((2 * SAMPLE_BODIES + 9 * (SAMPLE_WALLS + SAMPLE_ARCS + SAMPLE_POLYGONS * SAMPLE_CORNERS)) *
                         sizeof *at.spans);
                const float *row = first;
                for (size_t w = 0; w < WORLDS; w++) {
                    scene_state state = scene_state_new(sample->desc.body_count);
                    scene_get(worlds, w, &state);
                    at.state = &state;
                    scene_sample *own = take(sizeof *own);
                    *own = *sample;
                    if (sample->desc.varies != 0) {
                        take_own(worlds, w, own);
                        own->desc.bodies = own->bodies, own->desc.walls = own->walls;
                        at.desc = &own->desc;
                    }
                    for (uint32_t i = 0; i < sample->desc.body_count; i++) {
                        at.own = i;
                        at.x = (long double)state.number[i];
                        at.y = (long double)state.number[state.n + i];
                        for (uint32_t k = 0; sample->bodies[i].acts && k < sample->desc.lidar.rays; k++, row += each) {
                            const carom_scene_lidar *lidar = &sample->desc.lidar;
                            const double step = lidar->step != 0 ? lidar->step : 2 * acos(-1) / lidar->rays;
                            at.ux = (long double)cos(lidar->first + k * step);
                            at.uy = (long double)sin(lidar->first + k * step);
                            bool good = true;
                            for (size_t number = 0; number < each && !state.active[i]; number++) {
                                good = good && row[number] == 0;
                            }
                            if (!(state.active[i] ? check_ray(&at, row, each) : good)) {
                                fail_msg("seed %" PRIu64 ", f%d, world %zu, body %u, ray %u: distance %.9g", seed,
                                         (int)precision, w, i, k, (double)row[0]);
                            }
                        }
                    }
                    end_scene_state(&state);
                    free(own);
                }
                assert_int_equal(row - first, size);
                free(at.spans);
            } else {
                observe(scene, worlds, other);
                if (memcmp(first, other, size * sizeof *first) != 0) {
                    fail_msg("seed %" PRIu64 ", f%d, %s, engine %d: other bits", seed, (int)precision,
                             carom_isa_name((carom_isa)isa), engine);
                }
            }
        }
    }
    free(first);
    free(other);
}

TEST(test_random_scenes)
{
    const char *count_text = getenv("CAROM_TEST_COUNT"), *first_text = getenv("CAROM_TEST_FIRST");
    const uint64_t count = count_text != NULL ? strtoull(count_text, NULL, 0) : (uint64_t)at_length(4000, 300, 60);
    const uint64_t from = first_text != NULL ? strtoull(first_text, NULL, 0) : 1;
    scene_sample *sample = take(sizeof *sample);
    size_t scenes = 0;
    for (uint64_t seed = from; seed < from + count; seed++) {
        scene_sample_make(sample, seed, seed % 8 == 0);
        if (seed % 3 != 1) {
            scene_sample_add_arcs(sample, seed);
        }
        if (seed % 2 == 0) {
            scene_sample_let_pass(sample, seed);
        }
        if (seed % 3 == 0 && sample->desc.box.horizontal != CAROM_SIDES_PERIODIC &&
            sample->desc.box.vertical != CAROM_SIDES_PERIODIC && sample->desc.wall_count > 0) {
            let_differ(sample);
        }
        sample->desc.max_events = 1000;
        if (add_lidar(sample, seed)) {
            check_sample(sample, seed, CAROM_F32);
            check_sample(sample, seed, CAROM_F64);
            scenes++;
        }
    }
    printf("%zu scenes, %zu rays: %zu bodies, %zu walls, %zu nothing; %zu from within, %zu near a rim\n", scenes,
           all.rays, all.bodies, all.walls, all.nothing, all.inside, all.open);
    if (count_text == NULL) { /* everything visible was seen, and rims were rare */
        assert_true(scenes > count / 2 && all.bodies > 1000 && all.walls > 1000 && all.nothing > 1000);
        assert_true(all.inside > 10 && all.open * 7 < all.rays);
    }
    free(sample);
}
