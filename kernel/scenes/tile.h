/* SPDX-License-Identifier: MIT
 * A tile of a scene during a tick: its rows, how its worlds start, faults in them, and saving them for worlds that take
 * a fault.
 */
#ifndef CAROM_SCENES_TILE_H
#define CAROM_SCENES_TILE_H

#include "base/random.h"
#include "games/game.h"
#include "scenes/engine.h"
#include "tick/outcome.h"

#define ALL_LANES ((1u << CAROM_TILE) - 1)

/* For the wide engine a tile holds 16 worlds. For the deep engine it holds one, `alone`: its rows are single
 * numbers. */
typedef struct scene_run {
    game_tick *tick;
    const scene_frozen *s;
    const scene_engine *engine;
    real dt;
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

/* Loops over the register groups, from lane `at` on, that have a world of `lanes`; group: which ones, as bits. */
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

/* The numbers of a group; of a world that is alone, its number in all lanes. */
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

/* The length of the tick, and numbers of a body, of the worlds of a group. */
CAROM_LANE vreal row_dt(const scene_run *run, unsigned at)
{
    (void)at;
    return v_set1(run->dt);
}
CAROM_LANE vreal row_inverse_mass(const scene_run *run, uint32_t body, unsigned at)
{
    (void)at;
    return v_set1(run->s->inverse_mass[body]);
}
CAROM_LANE vreal row_keep(const scene_run *run, uint32_t body, unsigned at)
{
    (void)at;
    return v_set1(run->s->keep[body]);
}
CAROM_LANE vreal row_action_scale(const scene_run *run, uint32_t body, unsigned at)
{
    (void)body, (void)at;
    return v_set1((real)run->s->desc->action_scale);
}

/* ---- the state of one world ---- */

/* The `purpose` of the random streams that starts are drawn from (base/random.h); policies have 1. */
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
    real *rows = (real *)(void *)(tile + s->x) + lane; /* x, y, vx, vy follow each other */
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

/* A world whose bodies have no records, until its next tick begins. */
static inline void scene_forget_records(const scene_frozen *s, unsigned char *tile, unsigned lane)
{
    real *numbers = (real *)(void *)(tile + s->record_x) + lane; /* up to record_dt they follow each other */
    int32_t *ticks = (int32_t *)(void *)(tile + s->record_tick) + lane;
    const size_t count = (s->record_dt - s->record_x) / sizeof(real);

    for (size_t k = 0; k <= count; k += s->lanes) {
        numbers[k] = 0;
    }
    for (size_t i = 0; i < s->bodies; i++) {
        ticks[i * s->lanes] = -1;
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
    const real *rows = (const real *)(const void *)tile + lane; /* x, y, vx, vy follow each other */
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
    return scene_fault(s, tile, lane) == 0;
}

/* ---- saving and restoring ---- */

/* How many of the fields x, y, vx, vy are saved, counted from the last one. All if the wide engine or a hook changes
 * them, or if rules compare positions before and after. The deep engine writes only valid worlds, and before it at most
 * velocities change. */
static inline unsigned saved_reals(const scene_frozen *s)
{
    const bool hooked = s->desc->tick_hook != NULL;
    return !s->deep || hooked || s->rule_count > 0 ? 4 : s->actor_count > 0 || s->speed_limit < SCENE_NEVER ? 2 : 0;
}

/* Are records saved, too? Only the wide engine writes to them before it is known whether a world takes a fault. */
static inline bool saves_records(const scene_frozen *s)
{
    return s->goes_on && !s->deep;
}

/* The reals of a body's record. */
static inline unsigned record_reals(const scene_frozen *s)
{
    return (unsigned)((s->record_dt - s->record_x) / ((size_t)s->bodies * s->lanes * sizeof(real)));
}

static inline size_t saved_bytes(const scene_frozen *s)
{
    const size_t all = (size_t)s->bodies * s->lanes, reals = saved_reals(s) * all * sizeof(real);
    const size_t hooked = s->desc->tick_hook != NULL ? all * (sizeof(int32_t) + 1) : 0;
    const size_t records = saves_records(s) ? (record_reals(s) * all + s->lanes) * sizeof(real) + all * sizeof(int32_t)
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

/* Saves fields that lie together in the tile, or restores one lane of them (`back`). */
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
        const size_t count = (size_t)record_reals(s) * s->bodies + 1; /* up to record_dt they follow each other */
        move_fields(run, s->record_x, reals, count, sizeof(real), back, lane);
        reals += count * run->stride * sizeof(real);
        move_fields(run, s->record_tick, reals, s->bodies, sizeof(int32_t), back, lane);
        reals += all * sizeof(int32_t);
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
 * written wrong flags, or positions outside the box. */
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
