/* SPDX-License-Identifier: MIT
 * csb for one instruction set and precision: a tick over a run of tiles.
 *
 *     begin    load a register group of worlds, read the actions: rotation, thrust, shield, boost
 *     motion   no impact in the whole group: finish at once; else hold the group back and put the worlds that have one on
 *              the worklist (step/advance_all.h)
 *     finish   friction, rounding, checkpoints, timeouts; a world that left its range is put back and frozen
 *     end      games that are over, one by one: rewards, last observation, reset
 *
 * A tile in memory stays as it was before the tick until `finish` writes it: that is what "put back" relies on.
 */
#include "games/csb/csb.h"

#include "games/csb/rules.h"
#include "step/exchange.h"

#if CAROM_REAL_BITS == 64
typedef csb_tile_f64 csb_tile;
#else
typedef csb_tile_f32 csb_tile;
#endif

#define GROUPS (CAROM_TILE / LANES)

/* A register group of worlds after its commands. */
typedef struct csb_group {
    motion m;
    vreal angle[CSB_PODS];
    vint shield[CSB_PODS], boosted[CSB_PODS];
    vmask active;
    bool special; /* a shield is up, or a pod was told to use its shield or boost */
} csb_group;

/* A group that waits for some of its worlds. The motion as plain rows, into which the worklist returns them. */
typedef struct csb_hold {
    csb_group group;
    int32_t passes[CSB_PODS][LANES]; /* checkpoints passed in sub-steps */
    bool passed;
    unsigned overrun; /* lanes that reached the limit of events */
    unsigned tile, at;
} csb_hold;

typedef struct csb_scratch {
    worklist list;
    csb_hold holds[GAME_RUN * GROUPS];
    uint8_t illegal[GAME_RUN][CAROM_TILE]; /* bit p: player p gave a thrust that loses the game */
    uint32_t events[GAME_RUN * CAROM_TILE];
} csb_scratch;

_Static_assert(sizeof(csb_scratch) <= CSB_SCRATCH_BYTES, "CSB_SCRATCH_BYTES is too small");

struct csb_run {
    game_tick *tick;
    const csb_context *context;
    csb_tile *tiles;
    csb_scratch *scratch;
    bool record;
};

/* ---- single worlds ---- */

static const csb_course *csb_course_of(const csb_context *context, const csb_tile *tile, unsigned lane)
{
    return &context->courses[tile->map[0][lane]];
}

static void csb_aim(const csb_context *context, csb_tile *tile, unsigned lane, int pod)
{
    const csb_course *course = csb_course_of(context, tile, lane);
    const int32_t *point = context->points[course->first + tile->next[pod][lane]];
    tile->cx[pod][lane] = (real)point[0];
    tile->cy[pod][lane] = (real)point[1];
}

static void csb_derive(const csb_context *context, void *tile, unsigned lane)
{
    for (int i = 0; i < CSB_PODS; i++) {
        csb_aim(context, (csb_tile *)tile, lane, i);
    }
}

static uint64_t csb_id(const csb_tile *tile, unsigned lane)
{
    return (uint64_t)(uint32_t)tile->id[1][lane] << 32 | (uint32_t)tile->id[0][lane];
}

/* The start of the game with the world's id and episode. */
static void csb_start(const csb_context *context, uint64_t seed, void *any, unsigned lane)
{
    csb_tile *tile = (csb_tile *)any;
    uint64_t id = csb_id(tile, lane);
    uint32_t episode = (uint32_t)tile->episode[0][lane];
    if (context->drawn) {
        random_stream stream = random_begin(seed, id, CSB_DRAW_GAME, episode);
        tile->map[0][lane] = (int32_t)random_below(&stream, context->map_count);
    } else {
        tile->map[0][lane] = (int32_t)((id + episode) % context->map_count);
    }
    const csb_course *course = csb_course_of(context, tile, lane);
    for (int i = 0; i < CSB_PODS; i++) {
        tile->x[i][lane] = (real)course->start_x[i];
        tile->y[i][lane] = (real)course->start_y[i];
        tile->vx[i][lane] = tile->vy[i][lane] = 0;
        tile->angle[i][lane] = (real)CSB_START_ANGLE;
        tile->next[i][lane] = 1;
        tile->shield[i][lane] = tile->boosted[i][lane] = tile->won[i][lane] = 0;
    }
    tile->timeout[0][lane] = tile->timeout[1][lane] = CSB_TIMEOUT;
    tile->winner[0][lane] = -1;
    tile->tick[0][lane] = 0;
    tile->end[0][lane] = CAROM_RUNNING;
}

static bool csb_is_flag(int8_t value)
{
    return value == 0 || value == 1;
}

static bool csb_within(real value, real range)
{
    return value >= -range && value <= range; /* false for NaN */
}

static bool csb_check(const csb_context *context, const void *any, unsigned lane)
{
    const csb_tile *tile = (const csb_tile *)any;
    if (tile->map[0][lane] < 0 || (uint32_t)tile->map[0][lane] >= context->map_count || tile->winner[0][lane] < -1 ||
        tile->winner[0][lane] > 1) {
        return false;
    }
    int32_t last = csb_course_of(context, tile, lane)->last;
    for (int i = 0; i < CSB_PODS; i++) {
        if (!csb_within(tile->x[i][lane], CSB_RANGE) || !csb_within(tile->y[i][lane], CSB_RANGE) ||
            !csb_within(tile->vx[i][lane], CSB_RANGE) || !csb_within(tile->vy[i][lane], CSB_RANGE) ||
            !csb_within(tile->angle[i][lane], (real)CSB_MAX_ANGLE) || tile->next[i][lane] < 1 ||
            tile->next[i][lane] > last || tile->shield[i][lane] < 0 || tile->shield[i][lane] > 3 ||
            !csb_is_flag(tile->boosted[i][lane]) || !csb_is_flag(tile->won[i][lane])) {
            return false;
        }
    }
    return true;
}

/* ---- begin: the commands ---- */

typedef struct csb_command {
    vreal turn_to; /* the new angle */
    vreal thrust;
    vmask shield, boost; /* told so */
    vmask idle;          /* the target is the pod's own position: neither rotation nor thrust */
} csb_command;

CAROM_LANE vreal csb_number(vreal a)
{
    return v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
}

CAROM_LANE vreal csb_clamp(vreal a, vreal low, vreal high)
{
    return v_max(v_min(a, high), low);
}

/* turn and thrust, section "relative" of csb.h. */
CAROM_LANE void csb_read_relative(csb_command *command, const float *numbers, vreal angle, vmask first_tick, bool first)
{
    vreal limit = v_set1((real)CSB_MAX_TURN);
    vreal turn = csb_number(v_load_f32(numbers)), clamped = csb_clamp(turn, v_neg(limit), limit);
    command->turn_to = v_add(angle, first ? v_select(first_tick, turn, clamped) : clamped);
    command->idle = m_from_bits(0);
    vreal thrust = v_load_f32(numbers + CAROM_TILE);
    command->shield = v_eq(thrust, v_set1(CAROM_CSB_SHIELD));
    command->boost = v_eq(thrust, v_set1(CAROM_CSB_BOOST));
    command->thrust = csb_clamp(csb_number(thrust), v_set1(REAL(0.0)), v_set1((real)CSB_MAX_THRUST));
}

CAROM_LANE void csb_read_normalised(csb_command *command, const float *numbers, vreal angle, vint boosted)
{
    vreal one = v_set1(REAL(1.0));
    vreal turn = csb_clamp(csb_number(v_load_f32(numbers)), v_neg(one), one);
    vreal thrust = csb_clamp(csb_number(v_load_f32(numbers + CAROM_TILE)), v_neg(one), one);
    command->turn_to = v_add(angle, v_mul(turn, v_set1((real)CSB_MAX_TURN)));
    command->idle = m_from_bits(0);
    command->shield = v_le(thrust, v_set1((real)-0.95));
    command->boost = m_and(v_ge(thrust, v_set1((real)0.95)), i_eq(boosted, i_set1(0)));
    command->thrust = csb_clamp(v_mul(v_set1(REAL(100.0)), v_add(thrust, one)), v_set1(REAL(0.0)),
                                v_set1((real)CSB_MAX_THRUST));
}

CAROM_LANE vreal csb_difference(vreal a, vreal angle)
{
    vreal da = v_remainder_two_pi(v_sub(a, angle));
    return v_sub(v_remainder_two_pi(v_add(da, da)), da);
}

/* A bot's target and thrust. Bits of illegal: lanes that lose by their thrust. */
CAROM_LANE void csb_read_referee(csb_command *command, const double *numbers, const motion *m, int i, vreal angle,
                                 vmask first_tick, carom_csb_rules rules, unsigned *illegal)
{
    vreal zero = v_set1(REAL(0.0)), limit = v_set1((real)CSB_MAX_TURN), turn = v_set1(V_TWO_PI);
    vreal target_x = v_load_f64(numbers), target_y = v_load_f64(numbers + CAROM_TILE);
    vreal thrust = v_load_f64(numbers + 2 * CAROM_TILE);
    vmask finite = m_and(v_le(v_abs(target_x), v_set1(REAL_MAX)), v_le(v_abs(target_y), v_set1(REAL_MAX)));
    vreal dx = v_sub(target_x, m->r[X + i]), dy = v_sub(target_y, m->r[Y + i]);
    command->idle = m_or(m_not(finite), m_and(v_eq(target_x, m->r[X + i]), v_eq(target_y, m->r[Y + i])));
    vreal to = v_atan2(dy, dx);
    vreal rotation = csb_difference(to, angle);
    vreal next = v_select(v_gt(rotation, limit), v_add(angle, limit), to);
    next = v_select(v_lt(rotation, v_neg(limit)), v_sub(angle, limit), next);
    if (m_any(first_tick)) {
        vreal at_once = csb_difference(to, zero);
        if (rules == CAROM_CSB_TEST) {
            at_once = v_select(v_lt(at_once, zero), v_add(at_once, turn), at_once);
            at_once = v_select(v_gt(at_once, turn), v_sub(at_once, turn), at_once);
        }
        next = v_select(first_tick, at_once, next);
    }
    command->turn_to = v_select(command->idle, angle, next);
    command->shield = v_eq(thrust, v_set1(CAROM_CSB_SHIELD));
    command->boost = v_eq(thrust, v_set1(CAROM_CSB_BOOST));
    vmask plain = m_andnot(m_andnot(v_eq(thrust, thrust), command->shield), command->boost);
    if (rules == CAROM_CSB_FULL) {
        vmask allowed = v_le(thrust, v_set1((real)CSB_MAX_THRUST));
        *illegal |= m_bits(m_andnot(m_not(m_or(command->shield, command->boost)), m_and(plain, allowed)));
        plain = m_and(plain, allowed);
    }
    command->thrust = v_select(plain, thrust, zero);
}

/* Shield, boost and engine of pod i. */
CAROM_LANE void csb_obey(csb_group *g, int i, csb_command *command, bool referee)
{
    vreal zero = v_set1(REAL(0.0));
    g->m.r[MASS + i] = v_set1(REAL(1.0));
    if (g->special) {
        vint none = i_set1(0), one = i_set1(1), full = i_set1(4);
        vmask used = i_eq(g->boosted[i], one);
        vreal boost = v_select(used, v_set1((real)CSB_MAX_THRUST), v_set1((real)CSB_BOOST_THRUST));
        command->thrust = v_select(command->boost, boost, command->thrust);
        g->boosted[i] = i_select(command->boost, one, g->boosted[i]);
        g->shield[i] = i_select(command->shield, full, g->shield[i]);
        command->thrust = v_select(i_gt(g->shield[i], none), zero, command->thrust);
        g->m.r[MASS + i] = v_select(i_eq(g->shield[i], full), v_set1(REAL(0.1)), g->m.r[MASS + i]);
    }
    g->angle[i] = command->turn_to;
    vreal s, c;
    v_sincos(command->turn_to, &s, &c);
    vreal vx = v_add(g->m.r[VX + i], v_mul(c, command->thrust));
    vreal vy = v_add(g->m.r[VY + i], v_mul(s, command->thrust));
    g->m.r[VX + i] = referee ? v_select(command->idle, g->m.r[VX + i], vx) : vx;
    g->m.r[VY + i] = referee ? v_select(command->idle, g->m.r[VY + i], vy) : vy;
}

CAROM_LANE void csb_load_pod(csb_group *g, const csb_tile *tile, unsigned at, int i)
{
    g->m.r[X + i] = v_load(&tile->x[i][at]);
    g->m.r[Y + i] = v_load(&tile->y[i][at]);
    g->m.r[VX + i] = v_load(&tile->vx[i][at]);
    g->m.r[VY + i] = v_load(&tile->vy[i][at]);
    g->m.r[CX + i] = v_load(&tile->cx[i][at]);
    g->m.r[CY + i] = v_load(&tile->cy[i][at]);
    g->m.r[PX + i] = g->m.r[X + i];
    g->m.r[PY + i] = g->m.r[Y + i];
    g->angle[i] = v_load(&tile->angle[i][at]);
    g->shield[i] = i_load8(&tile->shield[i][at]);
    g->boosted[i] = i_load8(&tile->boosted[i][at]);
}

CAROM_LANE void csb_begin(csb_group *g, struct csb_run *run, unsigned index, unsigned at, uint32_t kind)
{
    const csb_tile *tile = &run->tiles[index];
    CSB_EACH(csb_load_pod(g, tile, at, i))
    vmask first_tick = i_eq(i_load32(&tile->tick[0][at]), i_set1(0));
    csb_command command[CSB_PODS];
    unsigned illegal[CSB_PODS] = {0, 0, 0, 0};
    if (kind == CSB_REFEREE) {
        const double *numbers = (const double *)run->tick->actions + (size_t)index * 12 * CAROM_TILE + at;
        CSB_EACH(csb_read_referee(&command[i], numbers + 3 * i * CAROM_TILE, &g->m, i, g->angle[i], first_tick,
                                  run->context->rules, &illegal[i]))
        for (unsigned l = 0; l < LANES; l++) {
            run->scratch->illegal[index][at + l] =
                (uint8_t)(((illegal[0] | illegal[1]) >> l & 1) | ((illegal[2] | illegal[3]) >> l & 1) << 1);
        }
    } else {
        const float *numbers = (const float *)run->tick->actions + (size_t)index * 8 * CAROM_TILE + at;
        if (kind == CSB_RELATIVE) {
            bool first = m_any(first_tick);
            CSB_EACH(csb_read_relative(&command[i], numbers + 2 * i * CAROM_TILE, g->angle[i], first_tick, first))
        } else {
            CSB_EACH(csb_read_normalised(&command[i], numbers + 2 * i * CAROM_TILE, g->angle[i], g->boosted[i]))
        }
    }
    vmask told = m_or(command[0].shield, command[0].boost);
    told = m_or(told, m_or(command[1].shield, command[1].boost));
    told = m_or(told, m_or(command[2].shield, command[2].boost));
    told = m_or(told, m_or(command[3].shield, command[3].boost));
    vint shields = i_or(i_or(g->shield[0], g->shield[1]), i_or(g->shield[2], g->shield[3]));
    g->special = m_any(m_or(told, i_gt(shields, i_set1(0))));
    CSB_EACH(csb_obey(g, i, &command[i], kind == CSB_REFEREE))
    g->m.r[LEFT] = v_set1(REAL(1.0));
}

/* ---- motion: what the worklist calls ---- */

/* A checkpoint passed in a sub-step: the tile must not change yet, so the hold counts, and the motion gets its new aim. */
static void csb_pass_midway(struct csb_run *run, int32_t home, int pod, real *cx, real *cy)
{
    csb_hold *hold = &run->scratch->holds[home / LANES];
    int lane = home % LANES;
    const csb_tile *tile = &run->tiles[hold->tile];
    const csb_course *course = csb_course_of(run->context, tile, hold->at + (unsigned)lane);
    int32_t next = tile->next[pod][hold->at + (unsigned)lane] + ++hold->passes[pod][lane];
    hold->passed = true;
    const int32_t *point = run->context->points[course->first + (next > course->last ? course->last : next)];
    *cx = (real)point[0];
    *cy = (real)point[1];
}

static void csb_pass_lanes(struct csb_run *run, motion *m, const int32_t *home, int pod, unsigned bits)
{
    _Alignas(64) real cx[LANES], cy[LANES];
    v_store(cx, m->r[CX + pod]);
    v_store(cy, m->r[CY + pod]);
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        csb_pass_midway(run, home[lane], pod, &cx[lane], &cy[lane]);
    }
    m->r[CX + pod] = v_load(cx);
    m->r[CY + pod] = v_load(cy);
}

static void csb_record(struct csb_run *run, const motion *m, unsigned bits, const int32_t *home)
{
    game_tick *tick = run->tick;
    _Alignas(64) real left[LANES], pairs[LANES];
    v_store(left, m->r[LEFT]);
    v_store(pairs, m->r[PAIR]);
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        const csb_hold *hold = &run->scratch->holds[home[lane] / LANES];
        size_t world = (size_t)hold->tile * CAROM_TILE + hold->at + (size_t)(home[lane] % LANES);
        uint32_t k = run->scratch->events[world]++;
        if (tick->events != NULL && k < tick->event_capacity) {
            carom_event *event = &tick->events[world * tick->event_capacity + k];
            int pair = (int)pairs[lane];
            event->left = left[lane];
            event->first = (uint8_t)CSB_PAIR_FIRST(pair);
            event->second = (uint8_t)CSB_PAIR_SECOND(pair);
        }
    }
}

CAROM_LANE void csb_substep_checkpoint(struct csb_run *run, motion *m, int i, vmask alive, const int32_t *home)
{
    vmask hit = m_and(alive, csb_cross(m->r[PX + i], m->r[PY + i], m->r[X + i], m->r[Y + i], m->r[CX + i], m->r[CY + i]));
    if (m_any(hit)) {
        csb_pass_lanes(run, m, home, i, m_bits(hit));
    }
    m->r[PX + i] = v_select(alive, m->r[X + i], m->r[PX + i]);
    m->r[PY + i] = v_select(alive, m->r[Y + i], m->r[PY + i]);
}

CAROM_LANE vmask motion_resolve(motion *m, vmask active, const int32_t *home, motion_context *run)
{
    vreal first = m->r[FIRST];
    CSB_EACH(m->r[X + i] = v_add(m->r[X + i], v_mul(m->r[VX + i], first));
             m->r[Y + i] = v_add(m->r[Y + i], v_mul(m->r[VY + i], first)))
    m->r[LEFT] = v_sub(m->r[LEFT], first);
    csb_bounce(m, active);
    run->tick->counters.events += (unsigned)__builtin_popcount(m_bits(active));
    if (run->record) {
        csb_record(run, m, m_bits(active), home);
    }
    vmask alive = m_and(active, v_gt(m->r[LEFT], v_set1(REAL(0.0))));
    if (m_any(alive)) {
        CSB_EACH(csb_substep_checkpoint(run, m, i, alive, home))
    }
    return alive;
}

static inline void motion_return(const real *rows, int lane, int32_t home, motion_context *run)
{
    (void)lane;
    real *to = (real *)(void *)&run->scratch->holds[home / LANES].group.m + home % LANES;
    for (int k = 0; k < MOTION_BACK; k++) {
        to[k * LANES] = rows[k * LANES];
    }
}

static inline void motion_overrun(int32_t home, motion_context *run)
{
    run->scratch->holds[home / LANES].overrun |= 1u << home % LANES;
}

/* ---- finish ---- */

/* Pod `pod` has passed `count` checkpoints in this tick, whose end is already in the tile. */
static void csb_pass(struct csb_run *run, csb_tile *tile, unsigned lane, int pod, int32_t count)
{
    int32_t last = csb_course_of(run->context, tile, lane)->last, next = tile->next[pod][lane] + count;
    if (next > last) {
        next = last;
        tile->won[pod][lane] = 1;
    }
    tile->next[pod][lane] = (int16_t)next;
    tile->timeout[pod >> 1][lane] = CSB_TIMEOUT - 1;
    csb_aim(run->context, tile, lane, pod);
    run->tick->counters.goals += (uint64_t)count;
}

static void csb_fault(csb_tile *tile, unsigned at, unsigned bits, int8_t fault)
{
    for (; bits != 0; bits &= bits - 1) {
        unsigned lane = at + (unsigned)__builtin_ctz(bits);
        tile->fault[0][lane] = (int8_t)(tile->fault[0][lane] | fault);
        tile->frozen[0][lane] = 1;
    }
}

CAROM_LANE void csb_round_pod(csb_group *g, int i)
{
    vreal friction = v_set1((real)CSB_FRICTION), half = v_set1(REAL(0.5));
    g->m.r[VX + i] = v_trunc(v_mul(g->m.r[VX + i], friction));
    g->m.r[VY + i] = v_trunc(v_mul(g->m.r[VY + i], friction));
    g->m.r[X + i] = v_floor(v_add(g->m.r[X + i], half));
    g->m.r[Y + i] = v_floor(v_add(g->m.r[Y + i], half));
}

CAROM_LANE vreal csb_size(const csb_group *g, int i)
{
    return v_add(v_add(v_abs(g->m.r[X + i]), v_abs(g->m.r[Y + i])),
                 v_add(v_abs(g->m.r[VX + i]), v_abs(g->m.r[VY + i])));
}

CAROM_LANE vmask csb_inside(vreal a, real range)
{
    return v_le(v_abs(a), v_set1(range));
}

CAROM_LANE vmask csb_pod_inside(const csb_group *g, int i)
{
    return m_and(m_and(m_and(csb_inside(g->m.r[X + i], CSB_RANGE), csb_inside(g->m.r[Y + i], CSB_RANGE)),
                       m_and(csb_inside(g->m.r[VX + i], CSB_RANGE), csb_inside(g->m.r[VY + i], CSB_RANGE))),
                 csb_inside(g->angle[i], (real)CSB_MAX_ANGLE));
}

/* The lanes whose numbers are all in range. One sum tells, in all but odd cases: it is NaN or large if one of them is. */
CAROM_LANE vmask csb_sound(const csb_group *g, csb_tile *tile, unsigned at)
{
    vreal sum = v_add(v_add(csb_size(g, 0), csb_size(g, 1)), v_add(csb_size(g, 2), csb_size(g, 3)));
    vreal angles = v_add(v_add(v_abs(g->angle[0]), v_abs(g->angle[1])), v_add(v_abs(g->angle[2]), v_abs(g->angle[3])));
    vmask sound = m_and(v_le(sum, v_set1(CSB_RANGE)), v_le(angles, v_set1((real)CSB_MAX_ANGLE)));
    if (m_any(m_andnot(g->active, sound))) {
        sound = m_and(m_and(csb_pod_inside(g, 0), csb_pod_inside(g, 1)),
                      m_and(csb_pod_inside(g, 2), csb_pod_inside(g, 3)));
        vreal all = v_add(sum, angles);
        vmask bad = m_andnot(g->active, sound), nan = m_and(bad, v_ne(all, all));
        csb_fault(tile, at, m_bits(nan), CAROM_FAULT_NAN);
        csb_fault(tile, at, m_bits(m_andnot(bad, nan)), CAROM_FAULT_RANGE);
    }
    return sound;
}

CAROM_LANE void csb_put(real *to, vreal a, vmask keep, bool all)
{
    v_store(to, all ? a : v_select(keep, a, v_load(to)));
}

CAROM_LANE void csb_store_pod(const csb_group *g, csb_tile *tile, unsigned at, int i, vmask keep, bool all)
{
    csb_put(&tile->x[i][at], g->m.r[X + i], keep, all);
    csb_put(&tile->y[i][at], g->m.r[Y + i], keep, all);
    csb_put(&tile->vx[i][at], g->m.r[VX + i], keep, all);
    csb_put(&tile->vy[i][at], g->m.r[VY + i], keep, all);
    csb_put(&tile->angle[i][at], g->angle[i], keep, all);
}

CAROM_LANE void csb_store_special(const csb_group *g, csb_tile *tile, unsigned at, int i, vmask keep)
{
    vint none = i_set1(0);
    vint shield = i_select(i_gt(g->shield[i], none), i_sub(g->shield[i], i_set1(1)), none);
    i_store8(&tile->shield[i][at], i_select(keep, shield, i_load8(&tile->shield[i][at])));
    i_store8(&tile->boosted[i][at], i_select(keep, g->boosted[i], i_load8(&tile->boosted[i][at])));
}

/* The counters that every tick changes; they stop before they would wrap. */
CAROM_LANE void csb_count_down(int16_t *timeout, vmask keep)
{
    vint old = i_load16(timeout);
    i_store16(timeout, i_select(m_and(keep, i_gt(old, i_set1(INT16_MIN))), i_sub(old, i_set1(1)), old));
}

CAROM_LANE void csb_record_moved(const struct csb_run *run, const csb_group *g, unsigned index, unsigned at)
{
    if (run->tick->moved == NULL) {
        return;
    }
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < CSB_PODS; i++) {
            _Alignas(64) real lanes[LANES];
            v_store(lanes, g->m.r[4 * k + i]);
            for (unsigned l = 0; l < LANES && (size_t)index * CAROM_TILE + at + l < run->tick->worlds; l++) {
                run->tick->moved[(((size_t)index * CAROM_TILE + at + l) * CSB_PODS + (size_t)i) * 4 + (size_t)k] = lanes[l];
            }
        }
    }
}

/* The greater progress of a player's two pods. */
CAROM_LANE vreal csb_progress_of(const csb_tile *tile, unsigned at, int pod, vreal last)
{
    vreal dx = v_sub(v_load(&tile->cx[pod][at]), v_load(&tile->x[pod][at]));
    vreal dy = v_sub(v_load(&tile->cy[pod][at]), v_load(&tile->y[pod][at]));
    vreal far = v_div(v_sqrt(v_add(v_mul(dx, dx), v_mul(dy, dy))), v_set1((real)CSB_LEG));
    vreal progress = v_sub(v_from_int(i_load16(&tile->next[pod][at])), v_min(far, v_set1(REAL(1.0))));
    vmask won = i_gt(i_load8(&tile->won[pod][at]), i_set1(0));
    return v_select(won, v_add(last, v_set1(REAL(1.0))), progress);
}

CAROM_LANE vreal csb_last_of(const csb_context *context, const csb_tile *tile, unsigned at)
{
    _Alignas(64) real last[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        last[l] = (real)csb_course_of(context, tile, at + l)->last;
    }
    return v_load(last);
}

CAROM_LANE void csb_progress(const csb_context *context, const csb_tile *tile, unsigned at, vreal *p0, vreal *p1)
{
    vreal last = csb_last_of(context, tile, at);
    vreal pod0 = csb_progress_of(tile, at, 0, last), pod1 = csb_progress_of(tile, at, 1, last);
    vreal pod2 = csb_progress_of(tile, at, 2, last), pod3 = csb_progress_of(tile, at, 3, last);
    *p0 = v_max(pod0, pod1);
    *p1 = v_max(pod2, pod3);
}

/* Games that look over: lanes, as bits. */
CAROM_LANE unsigned csb_over(const csb_tile *tile, unsigned at, vmask active)
{
    vint one = i_set1(1), none = i_set1(0);
    vmask late = m_or(i_gt(one, i_load16(&tile->timeout[0][at])), i_gt(one, i_load16(&tile->timeout[1][at])));
    vmask long_ago = i_gt(i_load32(&tile->tick[0][at]), i_set1(CSB_LAST_TICK - 1));
    vint won = i_or(i_or(i_load8(&tile->won[0][at]), i_load8(&tile->won[1][at])),
                    i_or(i_load8(&tile->won[2][at]), i_load8(&tile->won[3][at])));
    return m_bits(m_and(active, m_or(m_or(late, long_ago), i_gt(won, none))));
}

/* hit[i]: pods that pass their checkpoint on the last segment. */
CAROM_LANE void csb_finish(csb_group *g, struct csb_run *run, unsigned index, unsigned at, const csb_hold *hold)
{
    csb_tile *tile = &run->tiles[index];
    if (run->record) {
        csb_record_moved(run, g, index, at);
    }
    vreal before[2] = {v_set1(REAL(0.0)), v_set1(REAL(0.0))};
    if (run->tick->rewards != NULL) {
        csb_progress(run->context, tile, at, &before[0], &before[1]);
    }
    CSB_EACH(csb_round_pod(g, i))
    vmask hit[CSB_PODS];
    CSB_EACH(hit[i] = csb_cross(g->m.r[PX + i], g->m.r[PY + i], g->m.r[X + i], g->m.r[Y + i], g->m.r[CX + i],
                                g->m.r[CY + i]))
    vmask keep = m_and(g->active, csb_sound(g, tile, at));
    if (hold != NULL && hold->overrun != 0) {
        csb_fault(tile, at, hold->overrun, CAROM_FAULT_EVENTS);
        keep = m_andnot(keep, m_from_bits(hold->overrun));
    }
    if (m_all(keep)) {
        CSB_EACH(csb_store_pod(g, tile, at, i, keep, true))
    } else {
        CSB_EACH(csb_store_pod(g, tile, at, i, keep, false))
    }
    if (g->special) {
        CSB_EACH(csb_store_special(g, tile, at, i, keep))
    }
    csb_count_down(&tile->timeout[0][at], keep);
    csb_count_down(&tile->timeout[1][at], keep);
    vint tick = i_load32(&tile->tick[0][at]);
    i_store32(&tile->tick[0][at], i_select(m_and(keep, i_gt(i_set1(INT32_MAX), tick)), i_add(tick, i_set1(1)), tick));
    run->tick->counters.ticks += (unsigned)__builtin_popcount(m_bits(keep));

    vmask any = m_and(keep, m_or(m_or(hit[0], hit[1]), m_or(hit[2], hit[3])));
    if (m_any(any) || (hold != NULL && hold->passed)) {
        unsigned kept = m_bits(keep);
        for (int i = 0; i < CSB_PODS; i++) {
            unsigned bits = m_bits(hit[i]) & kept;
            if (hold != NULL && hold->passed) {
                for (unsigned l = 0; l < LANES; l++) {
                    int32_t count = hold->passes[i][l] + (int32_t)(bits >> l & 1);
                    if (count != 0 && (kept >> l & 1) != 0) {
                        csb_pass(run, tile, at + l, i, count);
                    }
                }
            } else {
                for (; bits != 0; bits &= bits - 1) {
                    csb_pass(run, tile, at + (unsigned)__builtin_ctz(bits), i, 1);
                }
            }
        }
    }
    if (run->tick->rewards != NULL) {
        float *rewards = run->tick->rewards + (size_t)index * 2 * CAROM_TILE + at;
        vreal after[2];
        csb_progress(run->context, tile, at, &after[0], &after[1]);
        v_store_f32(rewards, v_sub(after[0], before[0]));
        v_store_f32(rewards + CAROM_TILE, v_sub(after[1], before[1]));
    }
}

/* ---- end ---- */

static int csb_winner_by_score(const csb_tile *tile, unsigned lane)
{
    int best = -1;
    double greatest = 0;
    for (int i = 0; i < CSB_PODS; i++) {
        double dx = (double)tile->x[i][lane] - (double)tile->cx[i][lane];
        double dy = (double)tile->y[i][lane] - (double)tile->cy[i][lane];
        double score = tile->next[i][lane] * 1000000.0 - __builtin_sqrt(dx * dx + dy * dy);
        if (score > greatest) {
            greatest = score;
            best = i >> 1;
        }
    }
    return best;
}

/* Decides the game of one world, if it is over. */
static carom_end csb_decide(csb_tile *tile, unsigned lane, unsigned illegal)
{
    carom_end end = CAROM_TERMINATED;
    int winner = -1;
    if (illegal != 0) {
        winner = (illegal & 1) != 0 ? 1 : 0;
    } else if (tile->timeout[0][lane] <= 0) {
        winner = 1;
    } else if (tile->timeout[1][lane] <= 0) {
        winner = 0;
    } else {
        for (int i = CSB_PODS - 1; i >= 0; i--) {
            winner = tile->won[i][lane] != 0 ? i >> 1 : winner;
        }
        if (winner < 0) {
            if (tile->tick[0][lane] < CSB_LAST_TICK) {
                return CAROM_RUNNING;
            }
            end = CAROM_TRUNCATED;
            winner = csb_winner_by_score(tile, lane);
        }
    }
    tile->winner[0][lane] = (int8_t)winner;
    tile->end[0][lane] = (int8_t)end;
    return end;
}

static void csb_observe_tile(const csb_context *context, const csb_tile *tile, float *observations);

/* All that happens to games that are over, tile by tile. */
static void csb_end_tile(struct csb_run *run, unsigned index, unsigned over, bool illegal)
{
    game_tick *tick = run->tick;
    csb_tile *tile = &run->tiles[index];
    unsigned ended = 0;
    for (unsigned bits = over; bits != 0; bits &= bits - 1) {
        unsigned lane = (unsigned)__builtin_ctz(bits);
        if (tile->end[0][lane] != CAROM_RUNNING) {
            continue; /* it plays on */
        }
        carom_end end = csb_decide(tile, lane, illegal ? run->scratch->illegal[index][lane] : 0);
        if (end == CAROM_RUNNING) {
            continue;
        }
        ended |= 1u << lane;
        tick->counters.games++;
        if (tick->ends != NULL) {
            tick->ends[(size_t)index * CAROM_TILE + lane] = (uint8_t)end;
        }
        int winner = tile->winner[0][lane];
        if (tick->rewards != NULL && winner >= 0) {
            float *rewards = tick->rewards + (size_t)index * 2 * CAROM_TILE + lane;
            rewards[winner * CAROM_TILE] += 1.0f;
            rewards[(1 - winner) * CAROM_TILE] -= 1.0f;
        }
    }
    if (ended != 0 && tick->last_observations != NULL) {
        csb_observe_tile(run->context, tile,
                         tick->last_observations + (size_t)index * 2 * CAROM_CSB_OBSERVATION * CAROM_TILE);
    }
    for (unsigned bits = ended; bits != 0 && tick->at_end != CAROM_PLAY_ON; bits &= bits - 1) {
        unsigned lane = (unsigned)__builtin_ctz(bits);
        if (tick->at_end == CAROM_FREEZE) {
            tile->frozen[0][lane] = 1;
        } else {
            tile->episode[0][lane] = tile->episode[0][lane] == INT32_MAX ? 0 : tile->episode[0][lane] + 1;
            csb_start(run->context, tick->seed, tile, lane);
            csb_derive(run->context, tile, lane);
        }
    }
}

/* ---- the tick ---- */

CAROM_LANE void csb_tick_of(game_tick *tick, uint32_t kind, bool record)
{
    struct csb_run run = {tick, (const csb_context *)tick->context, (csb_tile *)(void *)tick->tiles,
                          (csb_scratch *)tick->scratch, record};
    csb_scratch *scratch = run.scratch;
    uint32_t active[GAME_RUN];
    unsigned holds = 0;
    scratch->list.count = 0;
    if (record) {
        for (size_t w = 0; w < tick->tile_count * CAROM_TILE; w++) {
            scratch->events[w] = 0;
        }
    }
    for (unsigned index = 0; index < tick->tile_count; index++) {
        active[index] = 0;
        for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
            csb_group g;
            g.active = i_eq(i_load8(&run.tiles[index].frozen[0][at]), i_set1(0));
            active[index] |= (uint32_t)m_bits(g.active) << at;
            if (!m_any(g.active)) {
                if (tick->rewards != NULL) {
                    float *rewards = tick->rewards + (size_t)index * 2 * CAROM_TILE + at;
                    v_store_f32(rewards, v_set1(REAL(0.0)));
                    v_store_f32(rewards + CAROM_TILE, v_set1(REAL(0.0)));
                }
                continue;
            }
            csb_begin(&g, &run, index, at, kind);
            vmask event = motion_detect(&g.m, g.active);
            if (!m_any(event)) {
                csb_finish(&g, &run, index, at, NULL);
                continue;
            }
            csb_hold *hold = &scratch->holds[holds];
            hold->group = g;
            hold->passed = false;
            hold->overrun = 0;
            hold->tile = index;
            hold->at = at;
            for (int i = 0; i < CSB_PODS; i++) {
                for (int l = 0; l < LANES; l++) {
                    hold->passes[i][l] = 0;
                }
            }
            worklist_push(&scratch->list, &g.m, event, (int32_t)(holds++ * LANES));
        }
    }
    worklist_run(&scratch->list, &run);
    for (unsigned h = 0; h < holds; h++) {
        csb_hold *hold = &scratch->holds[h];
        csb_finish(&hold->group, &run, hold->tile, hold->at, hold);
    }
    bool illegal = kind == CSB_REFEREE && run.context->rules == CAROM_CSB_FULL;
    for (unsigned index = 0; index < tick->tile_count; index++) {
        const csb_tile *tile = &run.tiles[index];
        unsigned over = 0;
        for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
            over |= csb_over(tile, at, m_from_bits(active[index] >> at)) << at;
        }
        if (illegal) {
            for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
                over |= (unsigned)(scratch->illegal[index][lane] != 0) << lane & active[index];
            }
        }
        for (unsigned lane = 0; lane < CAROM_TILE && over != 0; lane++) {
            over &= ~((unsigned)(tile->fault[0][lane] != 0) << lane);
        }
        if (over != 0) {
            csb_end_tile(&run, index, over, illegal);
        }
        if (tick->observations != NULL) {
            csb_observe_tile(run.context, tile,
                             tick->observations + (size_t)index * 2 * CAROM_CSB_OBSERVATION * CAROM_TILE);
        }
    }
    if (record && tick->event_counts != NULL) {
        for (size_t w = 0; w < tick->worlds; w++) {
            tick->event_counts[w] = scratch->events[w];
        }
    }
}

static void csb_tick(game_tick *tick)
{
    if (tick->record) {
        csb_tick_of(tick, tick->kind, true);
    } else if (tick->kind == CSB_RELATIVE) {
        csb_tick_of(tick, CSB_RELATIVE, false);
    } else if (tick->kind == CSB_REFEREE) {
        csb_tick_of(tick, CSB_REFEREE, false);
    } else {
        csb_tick_of(tick, CSB_NORMALISED, false);
    }
}

/* ---- observation and value ---- */

/* The thirteen numbers of one pod, to both players' views; `own` is its place in its player's view, 0 or 1. */
CAROM_LANE void csb_observe_pod(const csb_context *context, const csb_tile *tile, unsigned at, int i, float *out)
{
    _Alignas(64) real after_x[LANES], after_y[LANES], last[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        const csb_course *course = csb_course_of(context, tile, at + l);
        int32_t after = tile->next[i][at + l] + 1;
        const int32_t *point = context->points[course->first + (after > course->last ? course->last : after)];
        after_x[l] = (real)point[0];
        after_y[l] = (real)point[1];
        last[l] = (real)course->last;
    }
    vreal x = v_load(&tile->x[i][at]), y = v_load(&tile->y[i][at]);
    vreal wide = v_set1(REAL(16000.0)), high = v_set1(REAL(9000.0)), fast = v_set1(REAL(1000.0));
    vreal s, c;
    v_sincos(v_load(&tile->angle[i][at]), &s, &c);
    vreal number[CAROM_CSB_OBSERVATION_POD];
    number[0] = v_div(x, wide);
    number[1] = v_div(y, high);
    number[2] = v_div(v_load(&tile->vx[i][at]), fast);
    number[3] = v_div(v_load(&tile->vy[i][at]), fast);
    number[4] = c;
    number[5] = s;
    number[6] = v_div(v_sub(v_load(&tile->cx[i][at]), x), wide);
    number[7] = v_div(v_sub(v_load(&tile->cy[i][at]), y), wide);
    number[8] = v_div(v_sub(v_load(after_x), x), wide);
    number[9] = v_div(v_sub(v_load(after_y), y), wide);
    number[10] = v_div(v_from_int(i_load16(&tile->next[i][at])), v_load(last));
    number[11] = v_div(v_from_int(i_load8(&tile->shield[i][at])), v_set1(REAL(3.0)));
    number[12] = v_from_int(i_load8(&tile->boosted[i][at]));
    float *player0 = out + (size_t)(i * CAROM_CSB_OBSERVATION_POD) * CAROM_TILE;
    float *player1 = out + (size_t)(CAROM_CSB_OBSERVATION + (i ^ 2) * CAROM_CSB_OBSERVATION_POD) * CAROM_TILE;
    for (int k = 0; k < CAROM_CSB_OBSERVATION_POD; k++) {
        v_store_f32(player0 + k * CAROM_TILE + at, number[k]);
        v_store_f32(player1 + k * CAROM_TILE + at, number[k]);
    }
}

static void csb_observe_tile(const csb_context *context, const csb_tile *tile, float *observations)
{
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        for (int i = 0; i < CSB_PODS; i++) {
            csb_observe_pod(context, tile, at, i, observations);
        }
        vreal ticks = v_div(v_from_int(i_load32(&tile->tick[0][at])), v_set1(REAL(500.0)));
        for (int p = 0; p < 2; p++) {
            float *rest = observations + (size_t)(p * CAROM_CSB_OBSERVATION + 4 * CAROM_CSB_OBSERVATION_POD) * CAROM_TILE + at;
            vreal hundred = v_set1(REAL(100.0));
            v_store_f32(rest, v_div(v_from_int(i_load16(&tile->timeout[p][at])), hundred));
            v_store_f32(rest + CAROM_TILE, v_div(v_from_int(i_load16(&tile->timeout[1 - p][at])), hundred));
            v_store_f32(rest + 2 * CAROM_TILE, ticks);
        }
    }
}

static void csb_observe(const game_tick *tick, float *observations)
{
    const csb_tile *tiles = (const csb_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        csb_observe_tile((const csb_context *)tick->context, &tiles[index],
                         observations + index * 2 * CAROM_CSB_OBSERVATION * CAROM_TILE);
    }
}

static void csb_value(const game_tick *tick, double *values)
{
    const csb_tile *tiles = (const csb_tile *)(const void *)tick->tiles;
    for (size_t index = 0; index < tick->tile_count; index++) {
        for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
            vreal p0, p1;
            csb_progress((const csb_context *)tick->context, &tiles[index], at, &p0, &p1);
            _Alignas(64) real ahead[LANES];
            v_store(ahead, v_sub(p0, p1));
            for (unsigned l = 0; l < LANES; l++) {
                values[index * 2 * CAROM_TILE + at + l] = (double)ahead[l];
                values[(index * 2 + 1) * CAROM_TILE + at + l] = -(double)ahead[l];
            }
        }
    }
}

extern const csb_kernel CAROM_KERNEL(csb);
const csb_kernel CAROM_KERNEL(csb) = {
    {csb_tick, csb_observe, csb_value, exchange_pack, exchange_unpack, exchange_draw}, csb_start, csb_check, csb_derive};
