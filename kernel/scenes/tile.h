/* SPDX-License-Identifier: MIT
 * A tile of a scene during a tick: its rows, how its worlds start, faults in them, and saved states for worlds that
 * fault.
 */
#ifndef CAROM_SCENES_TILE_H
#define CAROM_SCENES_TILE_H

#include "base/random.h"
#include "games/game.h"
#include "scenes/engine.h"
#include "tick/outcome.h"

#define REAL_LEAST (CAROM_REAL_BITS == 64 ? (real)DBL_MIN : (real)FLT_MIN)
#define ALL_LANES ((1u << CAROM_TILE) - 1)

/* For the wide engine a tile holds 16 worlds. For the deep engine it holds one, `alone`: its rows are single
 * numbers. */
typedef struct scene_run {
    game_tick *tick;
    const scene_frozen *s;
    const scene_engine *engine;
    real dt;
    bool own_dt; /* each world has its own instead */
    bool alone;
    unsigned char *tile;
    size_t number;                   /* index of the tile in the run */
    unsigned char *saved;            /* the state at the tick's start, as far as it may be needed: saved_reals() */
    size_t stride;                   /* from one element of a field to the next: CAROM_TILE, or 1 if alone */
    void *scratch;                   /* the engine's */
    uint32_t *met;                   /* scene_tick.met, and counts of rules about states; NULL: no rule is counted */
    unsigned decided;                /* lanes whose game a rule or a sensor has ended in this tick */
    unsigned won[CAROM_MAX_PLAYERS]; /* of these, the lanes in which a rule makes this player the winner */
} scene_run;

/* Loops over the register groups, from lane `at` on, that have a world of `lanes`; group: these worlds, as bits. */
#define EACH_GROUP(lanes)                                                                                              \
    for (unsigned at = 0, group = 0; at < CAROM_TILE; at += LANES)                                                     \
        if ((group = (lanes) >> at & ((1u << LANES) - 1)) != 0)

/* ---- rows of a tile ---- */

static inline real *row_of(const scene_run *run, size_t field)
{
    return (real *)(void *)(run->tile + field);
}
static inline int32_t *row32_of(const scene_run *run, size_t field)
{
    return (int32_t *)(void *)(run->tile + field);
}
static inline int8_t *row8_of(const scene_run *run, size_t field)
{
    return (int8_t *)(void *)(run->tile + field);
}

/* The numbers of a group; for a single world its number in all lanes. */
CAROM_LANE vreal row_load(const scene_run *run, const real *row)
{
    return run->alone ? v_set1(row[0]) : v_load(row);
}
CAROM_LANE vint row_load32(const scene_run *run, const int32_t *row)
{
    return run->alone ? i_set1(row[0]) : i_load32(row);
}
CAROM_LANE vint row_load8(const scene_run *run, const int8_t *row)
{
    return run->alone ? i_set1(row[0]) : i_load8(row);
}

/* Stores the chosen lanes. */
CAROM_LANE void row_store(const scene_run *run, real *row, vreal a, vmask chosen)
{
    if (run->alone) {
        real lanes[LANES];
        v_storeu(lanes, a);
        row[0] = (m_bits(chosen) & 1) != 0 ? lanes[0] : row[0];
    } else {
        v_store(row, v_select(chosen, a, v_load(row)));
    }
}

CAROM_LANE void row_store32(const scene_run *run, int32_t *row, vint a, unsigned group)
{
    if (run->alone) {
        alignas(64) int32_t lanes[LANES];
        i_store32(lanes, a);
        row[0] = lanes[0];
    } else {
        i_store32(row, i_select(m_from_bits(group), a, i_load32(row)));
    }
}

/* The two numbers of the action of actor k of `player`: those of lane l at [l] and [CAROM_TILE + l]. */
static inline const unsigned char *act_numbers(const scene_run *run, uint32_t k, uint32_t player, uint32_t kind)
{
    const game_tick *tick = run->tick;
    const unsigned char *tile = (const unsigned char *)tick->actions + run->number * CAROM_TILE * tick->action_bytes;
    const size_t bytes = kind == SCENE_NORMALISED ? sizeof(float) : sizeof(double);
    return tile + CAROM_TILE * (tick->actions_at[player] + 2 * k * bytes);
}

CAROM_LANE vmask row_active(const scene_run *run, uint32_t body, unsigned at, unsigned group)
{
    const int8_t *active = row8_of(run, run->s->active) + body * run->stride + at;
    return m_andnot(m_from_bits(group), i_eq(row_load8(run, active), i_set1(0)));
}

/* The difference of two coordinates, in a periodic box to the nearest image. */
CAROM_LANE vreal scene_between(vreal from, vreal to, carom_scene_sides sides, real low, real high)
{
    vreal way = to - from;
    if (sides == CAROM_SIDES_PERIODIC) {
        const vreal size = v_set1(high - low), half = size * v_set1(REAL(0.5));
        way = v_select(v_gt(way, half), way - size, v_select(v_lt(way, -half), way + size, way));
    }
    return way;
}

/* Numbers outside the range of float become its greatest number. */
CAROM_LANE vreal observe_number(vreal a)
{
    return v_min(v_max(a, v_set1(-(real)FLT_MAX)), v_set1((real)FLT_MAX));
}

/* The length of the tick, and numbers of a body, of the worlds of a group. */
CAROM_LANE vreal row_own(const scene_run *run, scene_own own, size_t element, unsigned at)
{
    return row_load(run, row_of(run, run->s->own[own]) + element * run->stride + at);
}
CAROM_LANE vreal row_dt(const scene_run *run, unsigned at)
{
    return run->own_dt ? row_own(run, SCENE_OWN_DT, 0, at) : v_set1(run->dt);
}
CAROM_LANE vreal row_inverse_mass(const scene_run *run, uint32_t body, unsigned at)
{
    return run->s->own[SCENE_OWN_MASS] != 0 ? v_set1(1) / row_own(run, SCENE_OWN_MASS, body, at)
                                            : v_set1(run->s->inverse_mass[body]);
}
CAROM_LANE vreal row_keep(const scene_run *run, uint32_t body, unsigned at)
{
    return run->s->own[SCENE_OWN_DAMPING] != 0 ? v_set1(1) - row_own(run, SCENE_OWN_DAMPING, body, at)
                                               : v_set1(run->s->keep[body]);
}
CAROM_LANE vreal row_action_scale(const scene_run *run, uint32_t body, unsigned at)
{
    const vreal own = run->s->own[SCENE_OWN_ACTION_SCALE] != 0 ? row_own(run, SCENE_OWN_ACTION_SCALE, body, at)
                                                               : v_set1(run->s->action_scale[body]);
    return v_set1((real)run->s->desc->action_scale) * own;
}

/* ---- the state of one world ---- */

/* The `purpose` of the random streams for drawn starts (base/random.h); policies have 1. */
#define SCENE_DRAW_START 2

/* A uniform number from [middle - spread, middle + spread). */
static inline real scene_spread(random_stream *stream, double middle, double spread)
{
    const double share = random_number(random_word(stream));
    return (real)(middle + spread * share);
}

/* Draws the starts of the bodies that have a spread: four numbers each, in order. The world's id and episode must be in
 * the tile. */
static inline void scene_scatter(const scene_frozen *s, uint64_t seed, unsigned char *tile, unsigned lane)
{
    const int32_t *id = (const int32_t *)(const void *)(tile + s->id) + lane;
    const int32_t *episode = (const int32_t *)(const void *)(tile + s->episode) + lane;
    const uint64_t name = (uint64_t)(uint32_t)id[s->lanes] << 32 | (uint32_t)id[0];
    real *rows = (real *)(void *)(tile + s->x) + lane; /* x, y, vx, vy are consecutive */
    random_stream stream = random_begin(seed, name, SCENE_DRAW_START, (uint32_t)*episode);

    const size_t n = (size_t)s->bodies * s->lanes;
    for (size_t i = 0; i < s->bodies; i++) {
        const carom_scene_body *body = &s->desc->bodies[i];
        if (scene_is_spread(body)) {
            rows[i * s->lanes] = scene_spread(&stream, body->x, body->x_spread);
            rows[n + i * s->lanes] = scene_spread(&stream, body->y, body->y_spread);
            rows[2 * n + i * s->lanes] = scene_spread(&stream, body->vx, body->vx_spread);
            rows[3 * n + i * s->lanes] = scene_spread(&stream, body->vy, body->vy_spread);
        }
    }
}

/* ---- what differs by world ---- */

#define SCENE_DRAW_OWN 3 /* a `purpose`, as SCENE_DRAW_START */
#define SCENE_DRAWS 16   /* of a wall or polygon, until it has no edge of length 0 */

/* A world whose own numbers are drawn, or checked. */
typedef struct scene_owner {
    const scene_frozen *s;
    unsigned char *tile;
    unsigned lane;
    random_stream stream;
} scene_owner;

/* A world's own number. There must be such a field. */
static inline real *scene_own_real(const scene_frozen *s, const unsigned char *tile, unsigned lane, scene_own own,
                                   size_t element)
{
    return (real *)(uintptr_t)(tile + s->own[own]) + element * s->lanes + lane;
}

/* Sets a world's own number, if there is such a field: one around `middle`. A number is drawn only if it has a spread,
 * so that it does not depend on other spreads. */
static inline void scene_draw(scene_owner *w, scene_own own, size_t element, double middle, double spread)
{
    if (w->s->own[own] != 0) {
        *scene_own_real(w->s, w->tile, w->lane, own, element) =
            spread != 0 ? scene_spread(&w->stream, middle, spread) : (real)middle;
    }
}

/* Are corners e and f of a polygon, or ends of a wall, the same point? */
static inline bool scene_same_point(const scene_owner *w, scene_own x, size_t e, scene_own to_x, size_t f)
{
    const scene_own y = (scene_own)(x + 1), to_y = (scene_own)(to_x + 1); /* fields of y follow those of x */
    return *scene_own_real(w->s, w->tile, w->lane, x, e) == *scene_own_real(w->s, w->tile, w->lane, to_x, f) &&
           *scene_own_real(w->s, w->tile, w->lane, y, e) == *scene_own_real(w->s, w->tile, w->lane, to_y, f);
}

static inline bool scene_wall_is_point(const scene_owner *w, size_t wall)
{
    return w->s->own[SCENE_OWN_WALL_AX] != 0 && scene_same_point(w, SCENE_OWN_WALL_AX, wall, SCENE_OWN_WALL_BX, wall);
}

/* Does the polygon have an edge of length 0? */
static inline bool scene_polygon_has_point(const scene_owner *w, size_t polygon)
{
    const scene_polygon *p = &w->s->polygon[polygon];
    bool has = false;
    for (uint32_t c = 0; c < p->corners && w->s->own[SCENE_OWN_CORNER_X] != 0; c++) {
        const uint32_t next = c + 1 < p->corners ? c + 1 : 0;
        has = has || scene_same_point(w, SCENE_OWN_CORNER_X, p->first + c, SCENE_OWN_CORNER_X, p->first + next);
    }
    return has;
}

static inline void scene_draw_bodies(scene_owner *w)
{
    for (uint32_t i = 0; i < w->s->bodies; i++) {
        const carom_scene_body *b = &w->s->desc->bodies[i];
        scene_draw(w, SCENE_OWN_RADIUS, i, b->radius, b->radius_spread);
        scene_draw(w, SCENE_OWN_MASS, i, b->mass, b->mass_spread);
        scene_draw(w, SCENE_OWN_RESTITUTION, i, b->restitution, b->restitution_spread);
        scene_draw(w, SCENE_OWN_DAMPING, i, b->damping, b->damping_spread);
        scene_draw(w, SCENE_OWN_AX, i, b->ax, b->ax_spread);
        scene_draw(w, SCENE_OWN_AY, i, b->ay, b->ay_spread);
        scene_draw(w, SCENE_OWN_ACTION_SCALE, i, b->action_scale, b->action_scale_spread);
    }
}

static inline void scene_draw_wall(scene_owner *w, uint32_t n)
{
    const carom_scene_wall *wall = &w->s->desc->walls[n];
    scene_draw(w, SCENE_OWN_WALL_AX, n, wall->ax, wall->ax_spread);
    scene_draw(w, SCENE_OWN_WALL_AY, n, wall->ay, wall->ay_spread);
    scene_draw(w, SCENE_OWN_WALL_BX, n, wall->bx, wall->bx_spread);
    scene_draw(w, SCENE_OWN_WALL_BY, n, wall->by, wall->by_spread);
}

static inline void scene_draw_polygon(scene_owner *w, uint32_t n)
{
    const carom_scene_polygon *p = &w->s->desc->polygons[n];
    const size_t first = w->s->polygon[n].first;
    for (uint32_t c = 0; c < p->corners; c++) {
        scene_draw(w, SCENE_OWN_CORNER_X, first + c, p->x[c], p->x_spread);
        scene_draw(w, SCENE_OWN_CORNER_Y, first + c, p->y[c], p->y_spread);
    }
}

/* Gives a world its own numbers, in the order of the fields' things: bodies, walls, polygons, dt. False if a wall or
 * polygon had an edge of length 0 each time that it was drawn. */
static inline bool scene_draw_own(const scene_frozen *s, uint64_t seed, unsigned char *tile, unsigned lane)
{
    const int32_t *id = (const int32_t *)(const void *)(tile + s->id) + lane;
    const int32_t *episode = (const int32_t *)(const void *)(tile + s->episode) + lane;
    const uint64_t name = (uint64_t)(uint32_t)id[s->lanes] << 32 | (uint32_t)id[0];
    scene_owner w = {s, tile, lane, random_begin(seed, name, SCENE_DRAW_OWN, (uint32_t)*episode)};
    bool sound = true;

    scene_draw_bodies(&w);
    for (uint32_t n = 0; n < s->walls; n++) {
        int draws = 0;
        do {
            scene_draw_wall(&w, n);
        } while (scene_wall_is_point(&w, n) && ++draws < SCENE_DRAWS);
        sound = sound && draws < SCENE_DRAWS;
    }
    for (uint32_t n = 0; n < s->polygons; n++) {
        int draws = 0;
        do {
            scene_draw_polygon(&w, n);
        } while (scene_polygon_has_point(&w, n) && ++draws < SCENE_DRAWS);
        sound = sound && draws < SCENE_DRAWS;
    }
    scene_draw(&w, SCENE_OWN_DT, 0, s->desc->dt, s->desc->dt_spread);

    /* All walls and polygons exist at first. */
    for (int own = SCENE_OWN_WALL_THERE; own <= SCENE_OWN_POLYGON_THERE; own++) {
        const size_t count = own == SCENE_OWN_WALL_THERE ? s->walls : s->polygons;
        for (size_t n = 0; n < count && s->own[own] != 0; n++) {
            tile[s->own[own] + n * s->lanes + lane] = 1;
        }
    }
    return sound;
}

/* Is a world's own number, if there is such a field, at least `least` and at most `most`? */
static inline bool scene_own_within(const scene_owner *w, scene_own own, size_t element, real least, real most)
{
    if (w->s->own[own] == 0) {
        return true;
    }
    const real value = *scene_own_real(w->s, w->tile, w->lane, own, element);
    return value >= least && value <= most; /* false for NaN */
}

/* The greatest radius of a body for which the box has room. */
static inline real scene_greatest_radius(const scene_frozen *s, uint32_t body)
{
    const carom_scene_box *box = &s->desc->box;
    const bool stops = s->inverse_mass[body] > 0 && scene_sides_stop(s, body);
    double most = CAROM_SCENE_RANGE_F64;
    if (box->horizontal == CAROM_SIDES_PERIODIC || (box->horizontal == CAROM_SIDES_SOLID && stops)) {
        most = (box->x1 - box->x0) / 2 < most ? (box->x1 - box->x0) / 2 : most;
    }
    if (box->vertical == CAROM_SIDES_PERIODIC || (box->vertical == CAROM_SIDES_SOLID && stops)) {
        most = (box->y1 - box->y0) / 2 < most ? (box->y1 - box->y0) / 2 : most;
    }
    return (real)most;
}

static inline bool scene_check_own_body(const scene_owner *w, uint32_t i)
{
    const scene_frozen *s = w->s;
    const bool fixed = s->inverse_mass[i] == 0;
    const real least = fixed ? SCENE_NEVER : (real)SCENE_LEAST_MASS, most = fixed ? SCENE_NEVER : (real)SCENE_MOST_MASS;
    const real fast = fixed ? 0 : REAL_MAX;
    return scene_own_within(w, SCENE_OWN_RADIUS, i, 0, scene_greatest_radius(s, i)) &&
           scene_own_within(w, SCENE_OWN_MASS, i, least, most) && scene_own_within(w, SCENE_OWN_RESTITUTION, i, 0, 1) &&
           scene_own_within(w, SCENE_OWN_DAMPING, i, 0, 1) && scene_own_within(w, SCENE_OWN_AX, i, -fast, fast) &&
           scene_own_within(w, SCENE_OWN_AY, i, -fast, fast) &&
           scene_own_within(w, SCENE_OWN_ACTION_SCALE, i, -REAL_MAX, REAL_MAX);
}

/* Are the world's own numbers valid? */
static inline bool scene_check_own(const scene_frozen *s, const void *tile, unsigned lane)
{
    const real far = (real)CAROM_SCENE_RANGE_F64;
    scene_owner w;
    w.s = s, w.tile = (unsigned char *)(uintptr_t)tile, w.lane = lane;
    bool sound = scene_own_within(&w, SCENE_OWN_DT, 0, REAL_LEAST, REAL_MAX);

    for (uint32_t i = 0; i < s->bodies && sound; i++) {
        sound = scene_check_own_body(&w, i);
    }
    for (uint32_t n = 0; n < s->walls && sound; n++) {
        for (int own = SCENE_OWN_WALL_AX; own <= SCENE_OWN_WALL_BY; own++) {
            sound = sound && scene_own_within(&w, (scene_own)own, n, -far, far);
        }
        sound = sound && !scene_wall_is_point(&w, n);
    }
    for (uint32_t n = 0; n < s->polygons && sound; n++) {
        for (uint32_t c = 0; c < s->polygon[n].corners; c++) {
            sound = sound && scene_own_within(&w, SCENE_OWN_CORNER_X, s->polygon[n].first + c, -far, far) &&
                    scene_own_within(&w, SCENE_OWN_CORNER_Y, s->polygon[n].first + c, -far, far);
        }
        sound = sound && !scene_polygon_has_point(&w, n);
    }
    for (int own = SCENE_OWN_WALL_THERE; own <= SCENE_OWN_POLYGON_THERE; own++) {
        const size_t count = own == SCENE_OWN_WALL_THERE ? s->walls : s->polygons;
        for (size_t n = 0; n < count && s->own[own] != 0; n++) {
            sound = sound && w.tile[s->own[own] + n * s->lanes + lane] <= 1;
        }
    }
    return sound;
}

/* Marks a world's bodies as without records, until its next tick begins. */
static inline void scene_forget_records(const scene_frozen *s, unsigned char *tile, unsigned lane)
{
    real *numbers = (real *)(void *)(tile + s->record_x) + lane; /* up to record_dt they are consecutive */
    int32_t *ticks = (int32_t *)(void *)(tile + s->record_tick) + lane;
    const size_t count = (s->record_dt - s->record_x) / sizeof(real);

    for (size_t k = 0; k <= count; k += s->lanes) {
        numbers[k] = 0;
    }
    for (size_t i = 0; i < s->bodies; i++) {
        ticks[i * s->lanes] = -1;
    }
    if (s->record_numbers != 0) {
        ((int32_t *)(void *)(tile + s->record_numbers))[lane] = 0;
    }
}

/* Puts a world at its start. */
static inline void scene_start(const scene_frozen *s, uint64_t seed, void *any, unsigned lane)
{
    unsigned char *tile = (unsigned char *)any;
    real *x = (real *)(void *)(tile + s->x) + lane, *y = (real *)(void *)(tile + s->y) + lane;
    real *vx = (real *)(void *)(tile + s->vx) + lane, *vy = (real *)(void *)(tile + s->vy) + lane;
    int32_t *user = (int32_t *)(void *)(tile + s->user) + lane;

    for (size_t i = 0; i < s->bodies; i++) {
        const carom_scene_body *body = &s->desc->bodies[i];
        x[i * s->lanes] = (real)body->x;
        y[i * s->lanes] = (real)body->y;
        vx[i * s->lanes] = (real)body->vx;
        vy[i * s->lanes] = (real)body->vy;
        if (s->desc->user_words) {
            user[i * s->lanes] = body->user;
        }
        tile[s->active + i * s->lanes + lane] = !body->inactive;
    }

    scene_scatter(s, seed, tile, lane);
    if (s->varies != 0 && !scene_draw_own(s, seed, tile, lane)) {
        outcome_fault((int8_t *)tile + s->fault + lane, (int8_t *)tile + s->frozen + lane, CAROM_FAULT_RANGE);
    }
    if (s->goes_on) {
        scene_forget_records(s, tile, lane);
    }
}

static inline bool scene_within(carom_scene_sides sides, real low, real value, real high)
{
    return sides != CAROM_SIDES_PERIODIC || (low <= value && value <= high);
}

static inline bool scene_magnitude(real value, real most)
{
    return value >= -most && value <= most; /* false for NaN */
}

/* The carom_fault of a world's numbers, or 0. */
static inline int scene_fault(const scene_frozen *s, const void *any, unsigned lane)
{
    const unsigned char *tile = (const unsigned char *)any;
    const real *rows = (const real *)(const void *)tile + lane; /* x, y, vx, vy are consecutive */
    const size_t n = s->bodies;
    bool nan = false, range = false;

    for (size_t i = 0; i < n; i++) {
        const real x = rows[i * s->lanes], y = rows[(n + i) * s->lanes];
        const real vx = rows[(2 * n + i) * s->lanes], vy = rows[(3 * n + i) * s->lanes];
        const unsigned char active = tile[s->active + i * s->lanes + lane];
        const real fast = s->inverse_mass[i] > 0 ? REAL_MAX : 0;
        nan = nan || x != x || y != y || vx != vx || vy != vy;
        range = range || !scene_magnitude(x, SCENE_RANGE) || !scene_magnitude(y, SCENE_RANGE) ||
                !scene_magnitude(vx, fast) || !scene_magnitude(vy, fast) || active > 1 ||
                (active != 0 &&
                 !(scene_within(s->horizontal, s->x0, x, s->x1) && scene_within(s->vertical, s->y0, y, s->y1)));
    }
    return nan ? CAROM_FAULT_NAN : range ? CAROM_FAULT_RANGE : 0;
}

static inline bool scene_check(const scene_frozen *s, const void *tile, unsigned lane)
{
    return scene_fault(s, tile, lane) == 0 && (s->varies == 0 || scene_check_own(s, tile, lane));
}

/* ---- saving and restoring ---- */

/* The number of the fields x, y, vx, vy that are saved, counted from the last one. All if the wide engine or a hook
 * changes them, or if rules compare positions before and after. The deep engine writes only valid worlds, and before it
 * at most velocities change. */
static inline unsigned saved_reals(const scene_frozen *s)
{
    const bool hooked = s->desc->tick_hook != NULL;
    return !s->deep || hooked || s->rule_count > 0 ? 4 : s->actor_count > 0 || s->speed_limit < SCENE_NEVER ? 2 : 0;
}

/* Are records saved, too? Only the wide engine writes to them before it knows whether a world faults. */
static inline bool saves_records(const scene_frozen *s)
{
    return s->goes_on && !s->deep;
}

/* The reals of a body's record. */
static inline unsigned record_reals(const scene_frozen *s)
{
    return (unsigned)((s->record_dt - s->record_x) / ((size_t)s->bodies * s->lanes * sizeof(real)));
}

/* The integers of a world's records. */
static inline size_t record_ints(const scene_frozen *s)
{
    return (size_t)s->bodies + (s->record_numbers != 0 ? 1 : 0);
}

static inline size_t saved_bytes(const scene_frozen *s)
{
    const size_t all = (size_t)s->bodies * s->lanes, reals = saved_reals(s) * all * sizeof(real);
    const size_t hooked = s->desc->tick_hook != NULL ? all * (sizeof(int32_t) + 1) : 0;
    const size_t records = saves_records(s) ? (record_reals(s) * all + s->lanes) * sizeof(real) +
                                                  record_ints(s) * s->lanes * sizeof(int32_t)
                                            : 0;
    return reals + records + hooked;
}

static inline void copy_column(unsigned char *to, size_t to_step, const unsigned char *from, size_t from_step,
                               size_t count, size_t bytes)
{
    for (size_t k = 0; k < count; k++) {
        if (bytes == sizeof(real)) { /* a constant size makes it one move */
            __builtin_memcpy(to + k * to_step, from + k * from_step, sizeof(real));
        } else {
            __builtin_memcpy(to + k * to_step, from + k * from_step, bytes);
        }
    }
}

/* Saves fields that are adjacent in the tile, or restores one lane of them (`back`). */
static inline void move_fields(const scene_run *run, size_t field, size_t saved, size_t count, size_t bytes, bool back,
                               unsigned lane)
{
    unsigned char *in_tile = run->tile + field, *kept = run->saved + saved;
    const size_t step = run->stride * bytes;
    if (back) {
        copy_column(in_tile + lane * bytes, step, kept + lane * bytes, step, count, bytes);
    } else {
        __builtin_memcpy(kept, in_tile, count * step);
    }
}

/* Saves a tile's state, or restores that of one lane (`back`). */
static inline void move_state(const scene_run *run, bool back, unsigned lane)
{
    const scene_frozen *s = run->s;
    const unsigned fields = saved_reals(s);
    const size_t all = (size_t)s->bodies * run->stride;
    size_t reals = fields * all * sizeof(real);
    move_fields(run, fields == 2 ? s->vx : s->x, 0, (size_t)fields * s->bodies, sizeof(real), back, lane);
    if (saves_records(s)) {
        const size_t count = (size_t)record_reals(s) * s->bodies + 1; /* up to record_dt they are consecutive */
        move_fields(run, s->record_x, reals, count, sizeof(real), back, lane);
        reals += count * run->stride * sizeof(real);
        move_fields(run, s->record_tick, reals, record_ints(s), sizeof(int32_t), back, lane);
        reals += record_ints(s) * run->stride * sizeof(int32_t);
    }
    if (s->desc->tick_hook != NULL) { /* only a hook may change these */
        if (s->desc->user_words) {
            move_fields(run, s->user, reals, s->bodies, sizeof(int32_t), back, lane);
        }
        move_fields(run, s->active, reals + all * sizeof(int32_t), s->bodies, 1, back, lane);
    }
}

/* Restores a world, and freezes it with a fault. */
static inline void put_back(const scene_run *run, unsigned lane, int fault)
{
    move_state(run, true, lane);
    outcome_fault(row8_of(run, run->s->fault) + lane, row8_of(run, run->s->frozen) + lane, fault);
}

/* The worlds of a group whose numbers are all in range: a quick test, without the sides of a periodic box. */
CAROM_LANE unsigned sound_group(const scene_run *run, unsigned at, unsigned group)
{
    const scene_frozen *s = run->s;
    const size_t n = (size_t)s->bodies * CAROM_TILE;
    const real *rows = row_of(run, s->x) + at;
    const vreal far = v_set1(SCENE_RANGE), fast = v_set1(REAL_MAX);
    vmask sound = m_from_bits(group);
    for (size_t i = 0; i < n; i += CAROM_TILE) {
        sound = m_and(sound, m_and(v_le(v_abs(v_load(rows + i)), far), v_le(v_abs(v_load(rows + n + i)), far)));
        sound = m_and(sound,
                      m_and(v_le(v_abs(v_load(rows + 2 * n + i)), fast), v_le(v_abs(v_load(rows + 3 * n + i)), fast)));
    }
    return m_bits(sound);
}

/* Restores and freezes the worlds with a fault; returns the others. hooked: a hook has been called, which may also have
 * written invalid flags, or positions outside the box. */
static inline unsigned find_faults(const scene_run *run, unsigned lanes, bool hooked)
{
    unsigned doubtful = lanes;

    if (!run->alone && !hooked) {
        EACH_GROUP (lanes) {
            doubtful &= ~(sound_group(run, at, group) << at);
        }
    }

    EACH_LANE (l, doubtful) {
        const int fault = scene_fault(run->s, run->tile, l);
        if (fault != 0) {
            put_back(run, l, fault);
            lanes &= ~(1u << l);
        }
    }
    return lanes;
}

#endif
