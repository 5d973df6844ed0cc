/* SPDX-License-Identifier: MIT
 * Scenes for one instruction set and precision: what is around the impacts of a tick.
 *
 *     save       the state, for worlds that take a fault
 *     hook, act  the caller's hook; actions; the speed limit
 *     engine     step 2 of carom/scene.h (scenes/engine.h)
 *     settle     faults; damping; the clock, counters, rewards, games that are over
 *
 * The wide engine is given all worlds of a tile at a time. The deep engine is given one, and other threads may be at
 * work on the tile's other lanes: then `alone` is set, and only the lane played is touched.
 */
#include "scenes/freeze.h"

#include "scenes/engine.h"
#include "step/exchange.h"

#define ALL_LANES ((1u << CAROM_TILE) - 1)

static const scene_engine *engine_of(const scene_frozen *s)
{
    (void)s;
    return &CAROM_KERNEL(scene_wide);
}

static size_t engine_bytes(const scene_frozen *s)
{
    return (engine_of(s)->scratch_bytes(s) + 63) / 64 * 64;
}

typedef struct scene_run {
    game_tick *tick;
    const scene_frozen *s;
    const scene_engine *engine;
    real dt;
    bool alone;
    unsigned char *tile;
    size_t number;        /* of the tile in the run */
    unsigned char *saved; /* [x, y, vx, vy, then user, active if there is a hook][body][stride] */
    size_t stride;        /* CAROM_TILE, or 1 if alone */
    void *scratch;        /* the engine's */
} scene_run;

/* Every lane l of `bits`. */
#define EACH_LANE(bits)                                                                                                \
    for (unsigned left_ = (bits), l = 0; left_ != 0 && ((l = (unsigned)__builtin_ctz(left_)), true); left_ &= left_ - 1)

/* Every register group, from lane `at` on, in which a world of `lanes` is; group: which ones. */
#define EACH_GROUP(lanes)                                                                                              \
    for (unsigned at = 0, group = 0; at < CAROM_TILE; at += LANES)                                                     \
        if ((group = (lanes) >> at & ((1u << LANES) - 1)) != 0)

/* ---- rows of a tile ---- */

static real *row_of(const scene_run *run, size_t field)
{
    return (real *)(void *)(run->tile + field);
}
static int32_t *row32_of(const scene_run *run, size_t field)
{
    return (int32_t *)(void *)(run->tile + field);
}
static int8_t *row8_of(const scene_run *run, size_t field)
{
    return (int8_t *)(void *)(run->tile + field);
}

/* Alone: the one lane's number in all lanes. */
CAROM_LANE vreal row_load(const scene_run *run, const real *row, unsigned group)
{
    return run->alone ? v_set1(row[__builtin_ctz(group)]) : v_load(row);
}
CAROM_LANE vint row_load32(const scene_run *run, const int32_t *row, unsigned group)
{
    return run->alone ? i_set1(row[__builtin_ctz(group)]) : i_load32(row);
}
CAROM_LANE vint row_load8(const scene_run *run, const int8_t *row, unsigned group)
{
    return run->alone ? i_set1(row[__builtin_ctz(group)]) : i_load8(row);
}

/* Only the lanes of `chosen`, which are of `group`. */
CAROM_LANE void row_store(const scene_run *run, real *row, vreal a, vmask chosen, unsigned group)
{
    if (run->alone) {
        const int l = __builtin_ctz(group);
        real lanes[LANES];
        v_storeu(lanes, a);
        row[l] = (m_bits(chosen) >> l & 1) != 0 ? lanes[l] : row[l];
    } else {
        v_store(row, v_select(chosen, a, v_load(row)));
    }
}

CAROM_LANE vmask row_active(const scene_run *run, uint32_t body, unsigned at, unsigned group)
{
    const int8_t *active = row8_of(run, run->s->active) + (size_t)body * CAROM_TILE + at;
    return m_andnot(m_from_bits(group), i_eq(row_load8(run, active, group), i_set1(0)));
}

/* ---- the state of one world ---- */

static void scene_start(const scene_frozen *s, void *any, unsigned lane)
{
    unsigned char *tile = (unsigned char *)any;
    real *x = (real *)(void *)(tile + s->x) + lane, *y = (real *)(void *)(tile + s->y) + lane;
    real *vx = (real *)(void *)(tile + s->vx) + lane, *vy = (real *)(void *)(tile + s->vy) + lane;
    int32_t *user = (int32_t *)(void *)(tile + s->user) + lane;
    for (size_t i = 0; i < s->bodies; i++) {
        const carom_scene_body *body = &s->desc->bodies[i];
        x[i * CAROM_TILE] = (real)body->x;
        y[i * CAROM_TILE] = (real)body->y;
        vx[i * CAROM_TILE] = (real)body->vx;
        vy[i * CAROM_TILE] = (real)body->vy;
        if (s->desc->user_words) {
            user[i * CAROM_TILE] = body->user;
        }
        tile[s->active + i * CAROM_TILE + lane] = !body->inactive;
    }
    *((int32_t *)(void *)(tile + s->tick) + lane) = 0;
    tile[s->end + lane] = CAROM_RUNNING;
}

static bool scene_within(carom_scene_sides sides, real low, real value, real high)
{
    return sides != CAROM_SIDES_PERIODIC || (low <= value && value <= high);
}

static bool scene_magnitude(real value, real most)
{
    return value >= -most && value <= most; /* false for NaN */
}

/* What is wrong with a world, of carom_fault; 0 if nothing is. */
static int scene_fault(const scene_frozen *s, const void *any, unsigned lane)
{
    const unsigned char *tile = (const unsigned char *)any;
    const real *rows = (const real *)(const void *)tile + lane; /* x, y, vx, vy follow each other */
    const size_t n = s->bodies;
    bool nan = false, range = false;
    for (size_t i = 0; i < n; i++) {
        const real x = rows[i * CAROM_TILE], y = rows[(n + i) * CAROM_TILE];
        const real vx = rows[(2 * n + i) * CAROM_TILE], vy = rows[(3 * n + i) * CAROM_TILE];
        const unsigned char active = tile[s->active + i * CAROM_TILE + lane];
        const real fast = s->inverse_mass[i] > 0 ? REAL_MAX : 0;
        nan = nan || x != x || y != y || vx != vx || vy != vy;
        range = range || !scene_magnitude(x, SCENE_RANGE) || !scene_magnitude(y, SCENE_RANGE) ||
                !scene_magnitude(vx, fast) || !scene_magnitude(vy, fast) || active > 1 ||
                (active != 0 &&
                 !(scene_within(s->horizontal, s->x0, x, s->x1) && scene_within(s->vertical, s->y0, y, s->y1)));
    }
    return nan ? CAROM_FAULT_NAN : range ? CAROM_FAULT_RANGE : 0;
}

static bool scene_check(const scene_frozen *s, const void *tile, unsigned lane)
{
    return scene_fault(s, tile, lane) == 0;
}

/* ---- saving and putting back ---- */

static size_t saved_bytes(const scene_frozen *s, size_t stride)
{
    const size_t all = s->bodies * stride, reals = 4 * all * sizeof(real);
    return reals + (s->desc->tick_hook != NULL ? all * (sizeof(int32_t) + 1) : 0);
}

static void copy_column(unsigned char *to, size_t to_step, const unsigned char *from, size_t from_step, size_t count,
                        size_t bytes)
{
    for (size_t k = 0; k < count; k++) {
        if (bytes == sizeof(real)) { /* a constant size makes it one move */
            __builtin_memcpy(to + k * to_step, from + k * from_step, sizeof(real));
        } else {
            __builtin_memcpy(to + k * to_step, from + k * from_step, bytes);
        }
    }
}

/* A group of fields that lie together in the tile, between it and what was saved: all lanes of it, or one. */
static void move_fields(const scene_run *run, size_t field, size_t saved, size_t count, size_t bytes, bool back,
                        unsigned lane)
{
    unsigned char *in_tile = run->tile + field, *kept = run->saved + saved;
    if (!back && !run->alone) {
        __builtin_memcpy(kept, in_tile, count * CAROM_TILE * bytes);
        return;
    }
    in_tile += lane * bytes;
    kept += run->alone ? 0 : lane * bytes;
    if (back) {
        copy_column(in_tile, CAROM_TILE * bytes, kept, run->stride * bytes, count, bytes);
    } else {
        copy_column(kept, bytes, in_tile, CAROM_TILE * bytes, count, bytes);
    }
}

static void move_state(const scene_run *run, bool back, unsigned lane)
{
    const scene_frozen *s = run->s;
    const size_t all = (size_t)s->bodies * run->stride, reals = 4 * all * sizeof(real);
    move_fields(run, s->x, 0, (size_t)4 * s->bodies, sizeof(real), back, lane);
    if (s->desc->tick_hook != NULL) { /* which may change these, too */
        if (s->desc->user_words) {
            move_fields(run, s->user, reals, s->bodies, sizeof(int32_t), back, lane);
        }
        move_fields(run, s->active, reals + all * sizeof(int32_t), s->bodies, 1, back, lane);
    }
}

static void put_back(const scene_run *run, unsigned lane, int fault)
{
    move_state(run, true, lane);
    int8_t *faults = row8_of(run, run->s->fault) + lane;
    *faults = (int8_t)(*faults | fault);
    row8_of(run, run->s->frozen)[lane] = 1;
}

/* The worlds of a group whose numbers are all in range. */
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

/* Puts worlds with a fault back; returns the others. hooked: flags and boxes are looked at, too, which only a hook can
 * have broken. */
static unsigned find_faults(const scene_run *run, unsigned lanes, bool hooked)
{
    unsigned doubtful = lanes;
    if (!run->alone && !hooked) {
        EACH_GROUP (lanes) {
            doubtful &= ~(sound_group(run, at, group) << at);
        }
    }
    EACH_LANE (doubtful) {
        const int fault = scene_fault(run->s, run->tile, l);
        if (fault != 0) {
            put_back(run, l, fault);
            lanes &= ~(1u << l);
        }
    }
    return lanes;
}

/* ---- hooks ---- */

/* Calls a hook for each series of neighbouring worlds among `lanes`. */
static void call_hook(const scene_run *run, carom_range_hook *hook, unsigned lanes, double *value)
{
    const scene_frozen *s = run->s;
    while (lanes != 0) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes), count = (unsigned)__builtin_ctz(~(lanes >> lane));
        carom_scene_range range;
        __builtin_memset(&range, 0, sizeof range);
        range.precision = CAROM_REAL_BITS == 64 ? CAROM_F64 : CAROM_F32;
        range.first = run->tick->first + run->number * CAROM_TILE + lane;
        range.count = count;
        range.dt = (double)run->dt;
        range.tick = row32_of(run, s->tick) + lane;
#if CAROM_REAL_BITS == 64
        range.x64 = row_of(run, s->x) + lane;
        range.y64 = row_of(run, s->y) + lane;
        range.vx64 = row_of(run, s->vx) + lane;
        range.vy64 = row_of(run, s->vy) + lane;
#else
        range.x32 = row_of(run, s->x) + lane;
        range.y32 = row_of(run, s->y) + lane;
        range.vx32 = row_of(run, s->vx) + lane;
        range.vy32 = row_of(run, s->vy) + lane;
#endif
        range.active = row8_of(run, s->active) + lane;
        range.user = s->desc->user_words ? row32_of(run, s->user) + lane : NULL;
        range.value = value != NULL ? value + lane : NULL;
        hook(s->desc->user, &range);
        lanes &= ~(((1u << count) - 1) << lane);
    }
}

/* ---- actions and the speed limit ---- */

CAROM_LANE vreal act_on(const scene_run *run, uint32_t body, const void *numbers, vreal v)
{
    const vreal one = v_set1(1);
    const vreal inverse = v_set1(run->s->inverse_mass[body]);
    if (run->tick->kind == SCENE_NORMALISED) {
        vreal a = v_load_f32((const float *)numbers);
        a = v_select(v_eq(a, a), v_min(v_max(a, v_neg(one)), one), v_set1(0));
        return v_add(v, v_mul(v_mul(a, v_set1((real)run->s->desc->action_scale)), inverse));
    }
    const vreal a = v_load_f64((const double *)numbers);
    return run->tick->kind == SCENE_IMPULSE ? v_add(v, v_mul(a, inverse)) : v_select(v_eq(a, a), a, v);
}

static void act(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    const size_t bytes = run->tick->kind == SCENE_NORMALISED ? sizeof(float) : sizeof(double);
    const unsigned char *numbers =
        (const unsigned char *)run->tick->actions + run->number * 2 * s->actor_count * CAROM_TILE * bytes;
    for (uint32_t k = 0; k < s->actor_count; k++, numbers += 2 * CAROM_TILE * bytes) {
        const uint32_t body = s->actors[k];
        real *vx = row_of(run, s->vx) + (size_t)body * CAROM_TILE, *vy = row_of(run, s->vy) + (size_t)body * CAROM_TILE;
        if (s->inverse_mass[body] > 0) {
            EACH_GROUP (lanes) {
                const vmask active = row_active(run, body, at, group);
                const vreal x = act_on(run, body, numbers + at * bytes, row_load(run, vx + at, group));
                const vreal y = act_on(run, body, numbers + (CAROM_TILE + at) * bytes, row_load(run, vy + at, group));
                row_store(run, vx + at, x, active, group);
                row_store(run, vy + at, y, active, group);
            }
        }
    }
}

/* Velocities are scaled by a power of two first, which changes no digit: their squares neither overflow nor vanish. */
CAROM_LANE void limit_speed(const scene_run *run, uint32_t body, unsigned at, unsigned group)
{
    real *px = row_of(run, run->s->vx) + (size_t)body * CAROM_TILE + at;
    real *py = row_of(run, run->s->vy) + (size_t)body * CAROM_TILE + at;
    const vreal vx = row_load(run, px, group), vy = row_load(run, py, group), most = v_set1(run->s->speed_limit);
    const vreal scale = v_scale(v_max(v_abs(vx), v_abs(vy))), x = v_mul(vx, scale), y = v_mul(vy, scale);
    const vreal speed = v_sqrt(v_add(v_mul(x, x), v_mul(y, y)));
    const vmask fast = m_and(v_gt(speed, v_mul(most, scale)), row_active(run, body, at, group));
    if (m_any(fast)) {
        row_store(run, px, v_mul(v_div(x, speed), most), fast, group);
        row_store(run, py, v_mul(v_div(y, speed), most), fast, group);
    }
}

static void limit_speeds(const scene_run *run, unsigned lanes)
{
    for (uint32_t i = 0; i < run->s->bodies && run->s->speed_limit < SCENE_NEVER; i++) {
        EACH_GROUP (lanes) {
            limit_speed(run, i, at, group);
        }
    }
}

/* ---- after the impacts ---- */

CAROM_LANE void stay_in(const scene_run *run, real *row, real low, real high, vmask active, unsigned group)
{
    const vreal a = row_load(run, row, group), lowest = v_set1(low), highest = v_set1(high);
    row_store(run, row, v_select(v_lt(a, lowest), lowest, v_select(v_gt(a, highest), highest, a)), active, group);
}

/* What rounding has left beyond a periodic side is put on it. */
static void stay_in_box(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    for (uint32_t i = 0; i < s->bodies; i++) {
        const size_t row = (size_t)i * CAROM_TILE;
        EACH_GROUP (lanes) {
            const vmask active = row_active(run, i, at, group);
            if (s->horizontal == CAROM_SIDES_PERIODIC) {
                stay_in(run, row_of(run, s->x) + row + at, s->x0, s->x1, active, group);
            }
            if (s->vertical == CAROM_SIDES_PERIODIC) {
                stay_in(run, row_of(run, s->y) + row + at, s->y0, s->y1, active, group);
            }
        }
    }
}

static void damp(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    for (uint32_t i = 0; i < s->bodies && s->damped; i++) {
        real *vx = row_of(run, s->vx) + (size_t)i * CAROM_TILE, *vy = row_of(run, s->vy) + (size_t)i * CAROM_TILE;
        const vreal keep = v_set1(s->keep[i]);
        if (s->keep[i] != 1) {
            EACH_GROUP (lanes) {
                const vmask active = row_active(run, i, at, group);
                row_store(run, vx + at, v_mul(row_load(run, vx + at, group), keep), active, group);
                row_store(run, vy + at, v_mul(row_load(run, vy + at, group), keep), active, group);
            }
        }
    }
}

static void record_moved(const scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    const size_t n = s->bodies;
    const real *rows = row_of(run, s->x);
    EACH_LANE (lanes) {
        double *to = run->tick->moved + (run->number * CAROM_TILE + l) * n * 4;
        for (size_t k = 0; k < 4 * n; k++) {
            to[k] = (double)rows[(k % 4 * n + k / 4) * CAROM_TILE + l];
        }
    }
}

/* ---- what players see, and what it is worth ---- */

/* Where a tile's part of the observations starts. */
static float *observations_at(const scene_run *run, float *observations)
{
    const size_t n = run->s->bodies < CAROM_SCENE_OBSERVED ? run->s->bodies : CAROM_SCENE_OBSERVED;
    return observations + run->number * 4 * n * CAROM_TILE;
}

CAROM_LANE void observe_row(const scene_run *run, unsigned lanes, uint32_t body, const real *row, float *out)
{
    const vreal zero = v_set1(0);
    if (run->alone) {
        const int8_t *active = row8_of(run, run->s->active) + (size_t)body * CAROM_TILE;
        EACH_LANE (lanes) {
            out[l] = active[l] != 0 ? (float)row[l] : 0;
        }
        return;
    }
    EACH_GROUP (lanes) {
        v_store_f32(out + at, v_select(row_active(run, body, at, group), v_load(row + at), zero));
    }
}

static void observe_tile(const scene_run *run, unsigned lanes, float *out)
{
    const scene_frozen *s = run->s;
    const uint32_t seen = s->bodies < CAROM_SCENE_OBSERVED ? s->bodies : CAROM_SCENE_OBSERVED;
    const size_t fields[4] = {s->x, s->y, s->vx, s->vy};
    for (uint32_t i = 0; i < seen; i++) {
        for (int f = 0; f < 4; f++, out += CAROM_TILE) {
            observe_row(run, lanes, i, row_of(run, fields[f]) + (size_t)i * CAROM_TILE, out);
        }
    }
}

/* Kinetic energy in double, body after body. */
static void measure_energy(const scene_run *run, unsigned lanes, double *value)
{
    const scene_frozen *s = run->s;
    for (size_t i = 0; i < s->bodies; i++) {
        const real *vx = row_of(run, s->vx) + i * CAROM_TILE, *vy = row_of(run, s->vy) + i * CAROM_TILE;
        const int8_t *active = row8_of(run, s->active) + i * CAROM_TILE;
        const double half = s->inverse_mass[i] > 0 ? 0.5 * s->desc->bodies[i].mass : 0;
        EACH_LANE (lanes) {
            const double a = (double)vx[l], b = (double)vy[l];
            value[l] += active[l] != 0 ? half * (a * a + b * b) : 0;
        }
    }
}

/* value[16]; impacts: of the watched body. */
static void measure(const scene_run *run, const carom_scene_measure *m, unsigned lanes, const uint32_t *impacts,
                    double *value)
{
    const scene_frozen *s = run->s;
    for (int l = 0; l < CAROM_TILE; l++) {
        value[l] = 0;
    }
    if (m->kind == CAROM_MEASURE_DISTANCE) {
        const real *x = row_of(run, s->x) + (size_t)m->body * CAROM_TILE;
        const real *y = row_of(run, s->y) + (size_t)m->body * CAROM_TILE;
        EACH_LANE (lanes) {
            const double dx = (double)x[l] - m->x, dy = (double)y[l] - m->y;
            value[l] = -__builtin_sqrt(dx * dx + dy * dy);
        }
    } else if (m->kind == CAROM_MEASURE_ENERGY) {
        measure_energy(run, lanes, value);
    } else if (m->kind == CAROM_MEASURE_IMPACTS && impacts != NULL) {
        EACH_LANE (lanes) {
            value[l] = impacts[l];
        }
    } else if (m->kind == CAROM_MEASURE_USER) {
        call_hook(run, m->hook, lanes, value);
    }
}

/* ---- the end of a tick ---- */

/* Counts the tick; returns the worlds whose game is over by it. */
CAROM_LANE unsigned clock_group(const scene_run *run, unsigned at, unsigned group)
{
    const scene_frozen *s = run->s;
    int32_t *ticks = row32_of(run, s->tick) + at;
    const vint before = row_load32(run, ticks, group);
    const vmask counts = m_and(m_from_bits(group), i_gt(i_set1(INT32_MAX), before));
    const vint number = i_select(counts, i_add(before, i_set1(1)), before);
    if (run->alone) {
        const int l = __builtin_ctz(group);
        ticks[l] += ticks[l] < INT32_MAX;
    } else {
        i_store32(ticks, number);
    }
    if (s->desc->last_tick == 0) {
        return 0;
    }
    const vint last = i_set1(s->desc->last_tick > INT32_MAX ? INT32_MAX : (int32_t)s->desc->last_tick);
    const vmask running = i_eq(row_load8(run, row8_of(run, s->end) + at, group), i_set1(CAROM_RUNNING));
    return m_bits(m_andnot(m_and(m_from_bits(group), running), i_gt(last, number)));
}

static void end_games(const scene_run *run, unsigned ended)
{
    const scene_frozen *s = run->s;
    game_tick *tick = run->tick;
    tick->counters.games += (unsigned)__builtin_popcount(ended);
    if (tick->last_observations != NULL) {
        observe_tile(run, ended, observations_at(run, tick->last_observations));
    }
    EACH_LANE (ended) {
        row8_of(run, s->end)[l] = CAROM_TRUNCATED;
        if (tick->ends != NULL) {
            tick->ends[run->number * CAROM_TILE + l] = CAROM_TRUNCATED;
        }
        if (tick->at_end == CAROM_FREEZE) {
            row8_of(run, s->frozen)[l] = 1;
        } else if (tick->at_end == CAROM_RESET) {
            int32_t *episode = row32_of(run, s->episode) + l;
            *episode = *episode == INT32_MAX ? 0 : *episode + 1;
            scene_start(s, run->tile, l);
        }
    }
}

/* ---- one tile ---- */

/* What an engine writes for the worlds of one tile. */
typedef struct scene_outcome {
    uint32_t impacts[CAROM_TILE], sensed[CAROM_TILE], watched[CAROM_TILE], counts[CAROM_TILE];
    uint8_t fault[CAROM_TILE];
    uint64_t ids[CAROM_TILE];
    carom_event *events[CAROM_TILE];
} scene_outcome;

/* Where events go; recorded or not, all are counted. */
static void record_events(const scene_run *run, unsigned lanes, scene_tick *k, scene_outcome *outcome)
{
    static carom_event nowhere; /* never written: its capacity is 0 */
    const game_tick *tick = run->tick;
    k->events = outcome->events;
    k->event_counts = outcome->counts;
    k->event_capacity = tick->events != NULL ? tick->event_capacity : 0;
    EACH_LANE (lanes) {
        const size_t world = run->number * CAROM_TILE + l;
        outcome->events[l] = tick->events != NULL ? &tick->events[world * tick->event_capacity] : &nowhere;
    }
}

/* Plays the impacts; returns the worlds that have not taken a fault. */
static unsigned play_impacts(const scene_run *run, unsigned lanes, scene_outcome *outcome)
{
    const scene_frozen *s = run->s;
    const carom_scene_measure *reward = &s->desc->reward;
    scene_tick k;
    __builtin_memset(outcome, 0, offsetof(scene_outcome, ids));
    __builtin_memset(&k, 0, sizeof k);
    k.scene = s;
    k.tile = run->tile;
    k.scratch = run->scratch;
    k.dt = run->dt;
    k.worlds = lanes;
    k.world_id = outcome->ids;
    k.watched = reward->kind == CAROM_MEASURE_IMPACTS ? reward->body : UINT32_MAX;
    k.impacts = outcome->impacts;
    k.sensed = outcome->sensed;
    k.watched_impacts = outcome->watched;
    k.fault = outcome->fault;
    if (s->desc->response_hook != NULL) {
        const int32_t *id = row32_of(run, s->id);
        EACH_LANE (lanes) {
            outcome->ids[l] = (uint64_t)(uint32_t)id[CAROM_TILE + l] << 32 | (uint32_t)id[l];
        }
    }
    if (run->tick->record) {
        record_events(run, lanes, &k, outcome);
    }
    if (lanes != 0) {
        run->engine->tick(&k);
    }
    uint64_t words[2]; /* of fault[] */
    __builtin_memcpy(words, outcome->fault, sizeof words);
    if ((words[0] | words[1]) != 0) {
        EACH_LANE (lanes) {
            if (outcome->fault[l] != 0) {
                put_back(run, l, outcome->fault[l]);
                lanes &= ~(1u << l);
            }
        }
    }
    return lanes;
}

static void count(scene_run *run, unsigned lanes, const scene_outcome *outcome)
{
    uint64_t impacts = 0, sensed = 0;
    for (unsigned l = 0; l < CAROM_TILE; l++) {
        const uint32_t kept = 0 - (lanes >> l & 1);
        impacts += outcome->impacts[l] & kept;
        sensed += outcome->sensed[l] & kept;
    }
    run->tick->counters.ticks += (unsigned)__builtin_popcount(lanes);
    run->tick->counters.events += impacts;
    run->tick->counters.goals += sensed;
}

/* One tick of the worlds in `lanes`, none of them frozen. */
static void play_worlds(scene_run *run, unsigned lanes)
{
    const scene_frozen *s = run->s;
    game_tick *tick = run->tick;
    const bool hooked = s->desc->tick_hook != NULL;
    scene_outcome outcome;
    const unsigned asked = lanes;
    move_state(run, false, (unsigned)__builtin_ctz(lanes));
    if (hooked) {
        call_hook(run, s->desc->tick_hook, lanes, NULL);
    }
    if (s->actor_count > 0) {
        act(run, lanes);
    }
    if (hooked || s->actor_count > 0) { /* engines are given sound states only */
        lanes = find_faults(run, lanes, hooked);
    }
    limit_speeds(run, lanes);
    lanes = play_impacts(run, lanes, &outcome);
    if (s->horizontal == CAROM_SIDES_PERIODIC || s->vertical == CAROM_SIDES_PERIODIC) {
        stay_in_box(run, lanes);
    }
    lanes = find_faults(run, lanes, false);
    if (tick->record) {
        const size_t first = run->number * CAROM_TILE;
        EACH_LANE (tick->event_counts != NULL ? asked : 0) {
            tick->event_counts[first + l] = outcome.counts[l];
        }
        if (tick->moved != NULL) {
            record_moved(run, asked);
        }
    }
    damp(run, lanes);
    count(run, lanes, &outcome);
    unsigned ended = 0;
    EACH_GROUP (lanes) {
        ended |= clock_group(run, at, group) << at;
    }
    if (tick->rewards != NULL) {
        double value[CAROM_TILE];
        measure(run, &s->desc->reward, lanes, outcome.watched, value);
        EACH_LANE (lanes) {
            tick->rewards[run->number * CAROM_TILE + l] = (float)value[l];
        }
    }
    if (ended != 0) {
        end_games(run, ended);
    }
}

/* The lanes of the tile whose worlds are to be played. */
static unsigned awake(const scene_run *run)
{
    const int8_t *frozen = row8_of(run, run->s->frozen);
    unsigned lanes = 0;
    if (run->alone) {
        EACH_LANE (run->tick->lanes) {
            lanes |= (unsigned)(frozen[l] == 0) << l;
        }
    } else {
        EACH_GROUP (ALL_LANES) {
            lanes |= m_bits(i_eq(i_load8(frozen + at), i_set1(0))) << at;
            (void)group;
        }
    }
    return lanes;
}

/* Nothing happens in frozen worlds. */
static void record_frozen(const scene_run *run, unsigned lanes)
{
    const game_tick *tick = run->tick;
    const size_t first = run->number * CAROM_TILE;
    EACH_LANE (lanes) {
        if (first + l < tick->worlds && tick->event_counts != NULL) {
            tick->event_counts[first + l] = 0;
        }
        if (first + l < tick->worlds && tick->moved != NULL) {
            record_moved(run, 1u << l);
        }
    }
}

static void play_tile(scene_run *run)
{
    game_tick *tick = run->tick;
    const unsigned lanes = awake(run);
    for (size_t l = 0; l < CAROM_TILE && tick->rewards != NULL; l++) {
        tick->rewards[run->number * CAROM_TILE + l] = 0;
    }
    if (tick->record) {
        record_frozen(run, tick->lanes & ~lanes);
    }
    if (run->alone) {
        EACH_LANE (lanes) {
            play_worlds(run, 1u << l);
        }
    } else if (lanes != 0) {
        play_worlds(run, lanes);
    }
    if (tick->observations != NULL) {
        observe_tile(run, tick->lanes, observations_at(run, tick->observations));
    }
}

/* ---- what the game is asked ---- */

/* Alone: see the head of this file. */
static scene_run begin(const carom_scene *scene, bool alone)
{
    scene_run run;
    __builtin_memset(&run, 0, sizeof run);
    run.s = (const scene_frozen *)scene->frozen[CAROM_REAL_BITS == 64];
    run.engine = engine_of(run.s);
    run.alone = alone || scene->desc.engine == CAROM_ENGINE_DEEP;
    run.stride = run.alone ? 1 : CAROM_TILE;
    return run;
}

static size_t tile_bytes(const scene_frozen *s)
{
    return (s->active + (size_t)s->bodies * CAROM_TILE + 63) / 64 * 64;
}

static void scene_tick_run(game_tick *tick)
{
    const carom_scene *scene = (const carom_scene *)tick->context;
    scene_run run = begin(scene, tick->lanes != ALL_LANES);
    const size_t bytes = tile_bytes(run.s);
    run.tick = tick;
    run.dt = (real)(tick->dt > 0 ? tick->dt : scene->desc.dt);
    run.scratch = tick->scratch;
    run.saved = (unsigned char *)tick->scratch + engine_bytes(run.s);
    for (run.number = 0; run.number < tick->tile_count; run.number++) {
        run.tile = tick->tiles + run.number * bytes;
        play_tile(&run);
    }
}

static void scene_observe(const game_tick *tick, float *observations)
{
    scene_run run = begin((const carom_scene *)tick->context, false);
    const size_t bytes = tile_bytes(run.s);
    for (run.number = 0; run.number < tick->tile_count; run.number++) {
        run.tile = tick->tiles + run.number * bytes;
        observe_tile(&run, ALL_LANES, observations_at(&run, observations));
    }
}

static void scene_value(const game_tick *tick, double *values)
{
    scene_run run = begin((const carom_scene *)tick->context, false);
    const size_t bytes = tile_bytes(run.s);
    game_tick asked = *tick;
    run.tick = &asked;
    run.dt = (real)(tick->dt > 0 ? tick->dt : run.s->desc->dt);
    for (run.number = 0; run.number < tick->tile_count; run.number++) {
        const size_t first = run.number * CAROM_TILE, room = tick->worlds > first ? tick->worlds - first : 0;
        run.tile = tick->tiles + run.number * bytes;
        measure(&run, &run.s->desc->final_value, room < CAROM_TILE ? (1u << room) - 1 : ALL_LANES, NULL,
                values + first);
    }
}

static size_t scene_scratch(const scene_frozen *s)
{
    return engine_bytes(s) + saved_bytes(s, s->desc->engine == CAROM_ENGINE_DEEP ? 1 : CAROM_TILE);
}

CAROM_EXTERN const scene_kernel CAROM_KERNEL(scene);
const scene_kernel CAROM_KERNEL(scene) = {
    {scene_tick_run, scene_observe, scene_value, exchange_pack, exchange_unpack, exchange_draw},
    freeze_bytes,
    freeze,
    scene_start,
    scene_check,
    scene_scratch};
