/* SPDX-License-Identifier: MIT
 * csb for one instruction set and precision: a tick over a run of tiles.
 *
 * The tick is played in passes over all register groups of the run:
 *
 *     command   reads the actions: rotation, thrust, shield, boost; notes which pairs of pods come near each other, and
 *               which pods a checkpoint
 *     look      of the groups with near pods: the earliest impact of every world
 *     gather    the worlds that have one, packed on the worklist, which plays them (step/advance_all.h)
 *     finish    moves the others, takes back those from the worklist; friction and rounding; checkpoints are tested
 *     settle    passes checkpoints, ends games
 *
 * They are passes, and not one loop body, so that every branch is taken on a number that the pass before has left in
 * memory. In one body each group's branches wait for the end of its sines, and a branch that was guessed wrong throws away
 * all that the processor has begun of the next group: that cost 2.2 instead of 3.3 instructions a cycle.
 *
 * A tile stays as it was before the tick until `finish` writes it: a world that leaves its range, or has no end of impacts,
 * is put back by not writing it.
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

/* A register group of worlds during a tick: what is not in its tile. */
typedef struct csb_group {
    vreal vx[CSB_PODS], vy[CSB_PODS], angle[CSB_PODS]; /* after the commands */
    vreal first, pair;                                 /* the earliest impact; only where an event is */
    vreal before[2];                                   /* the players' progress before the tick, for the reward */
    vint shield[CSB_PODS], boosted[CSB_PODS];          /* only if special */
    uint16_t active, event;                            /* lanes, as bits */
    union {
        uint16_t near[8]; /* lanes in which pair p + 1 comes near */
        uint64_t pairs[2]; /* the same, four pairs a word */
    };
    uint16_t hit[CSB_PODS];                            /* lanes that pass a checkpoint on their last segment */
    uint16_t overrun;                                  /* lanes that reached the limit of events */
    uint16_t over;                                     /* lanes whose game may be over */
    uint16_t kept;                                     /* lanes that have played the tick */
    bool special; /* a shield is up, or a pod was told to use its shield or boost */
    bool cross;   /* a pod may pass a checkpoint */
    bool passed;  /* one was passed in a sub-step */
    size_t slot;                     /* on the worklist, of the first lane of `event` */
    int32_t passes[CSB_PODS][LANES]; /* checkpoints passed in sub-steps; only if passed */
} csb_group;

typedef struct csb_scratch {
    worklist list;
    csb_group groups[GAME_RUN * GROUPS];
    uint8_t illegal[GAME_RUN][CAROM_TILE]; /* bit p: player p gave a thrust that loses the game */
    uint32_t events[GAME_RUN * CAROM_TILE];
} csb_scratch;

_Static_assert(sizeof(csb_scratch) <= CSB_SCRATCH_BYTES, "CSB_SCRATCH_BYTES is too small");

/* The pods of a pair, by its number in rules.h; the one with the larger index is the first. */
static const uint8_t csb_first_of[CSB_PAIRS + 1] = {0, 3, 3, 3, 2, 2, 1};
static const uint8_t csb_second_of[CSB_PAIRS + 1] = {0, 2, 1, 0, 1, 0, 0};

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

/* The checkpoint `further` places after the pod's next one; the last one stands for those beyond it. */
static void csb_point(const csb_context *context, const csb_tile *tile, unsigned lane, int pod, int32_t further, real *x,
                      real *y)
{
    const csb_course *course = csb_course_of(context, tile, lane);
    int32_t index = tile->next[pod][lane] + further;
    const int32_t *point = context->points[course->first + (index > course->last ? course->last : index)];
    *x = (real)point[0];
    *y = (real)point[1];
}

static void csb_aim(const csb_context *context, csb_tile *tile, unsigned lane, int pod)
{
    csb_point(context, tile, lane, pod, 0, &tile->cx[pod][lane], &tile->cy[pod][lane]);
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
            !csb_within(tile->vx[i][lane], 2 * CSB_RANGE) || !csb_within(tile->vy[i][lane], 2 * CSB_RANGE) ||
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
CAROM_LANE void csb_read_relative(csb_command *command, const float *numbers, vreal angle, vmask first_tick)
{
    vreal limit = v_set1((real)CSB_MAX_TURN), zero = v_set1(REAL(0.0)), most = v_set1((real)CSB_MAX_THRUST);
    vreal turn = csb_number(v_load_f32(numbers)), clamped = csb_clamp(turn, v_neg(limit), limit);
    command->turn_to = v_add(angle, v_select(first_tick, turn, clamped));
    command->idle = command->shield = command->boost = m_from_bits(0);
    vreal thrust = v_load_f32(numbers + CAROM_TILE);
    vmask usual = v_le(thrust, most);
    if (!m_all(usual)) { /* a mark, too much or NaN */
        command->shield = v_eq(thrust, v_set1(CAROM_CSB_SHIELD));
        command->boost = v_eq(thrust, v_set1(CAROM_CSB_BOOST));
        thrust = v_min(csb_number(thrust), most);
    }
    command->thrust = v_max(thrust, zero);
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
CAROM_LANE void csb_read_referee(csb_command *command, const double *numbers, vreal x, vreal y, vreal angle,
                                 vmask first_tick, carom_csb_rules rules, unsigned *illegal)
{
    vreal zero = v_set1(REAL(0.0)), limit = v_set1((real)CSB_MAX_TURN), turn = v_set1(V_TWO_PI);
    vreal target_x = v_load_f64(numbers), target_y = v_load_f64(numbers + CAROM_TILE);
    vreal thrust = v_load_f64(numbers + 2 * CAROM_TILE);
    vmask finite = m_and(v_le(v_abs(target_x), v_set1(REAL_MAX)), v_le(v_abs(target_y), v_set1(REAL_MAX)));
    vreal dx = v_sub(target_x, x), dy = v_sub(target_y, y);
    command->idle = m_or(m_not(finite), m_and(v_eq(target_x, x), v_eq(target_y, y)));
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

/* Shield and boost of pod i. */
CAROM_LANE void csb_equip(csb_group *g, const csb_tile *tile, unsigned at, int i, csb_command *command)
{
    vint none = i_set1(0), one = i_set1(1), full = i_set1(4);
    vint boosted = i_load8(&tile->boosted[i][at]), shield = i_load8(&tile->shield[i][at]);
    vreal boost = v_select(i_eq(boosted, one), v_set1((real)CSB_MAX_THRUST), v_set1((real)CSB_BOOST_THRUST));
    command->thrust = v_select(command->boost, boost, command->thrust);
    g->boosted[i] = i_select(command->boost, one, boosted);
    g->shield[i] = i_select(command->shield, full, shield);
    command->thrust = v_select(i_gt(g->shield[i], none), v_set1(REAL(0.0)), command->thrust);
}

/* Rotation and engines of all pods. */
CAROM_LANE void csb_obey(csb_group *g, const csb_tile *tile, unsigned at, csb_command command[CSB_PODS], bool referee)
{
    vreal angle[CSB_PODS], sine[CSB_PODS], cosine[CSB_PODS];
    V_EACH4(angle[i] = command[i].turn_to; g->angle[i] = angle[i])
    v_sincos4(angle, sine, cosine);
    V_EACH4(vreal old_vx = v_load(&tile->vx[i][at]); vreal old_vy = v_load(&tile->vy[i][at]);
            vreal vx = v_add(old_vx, v_mul(cosine[i], command[i].thrust));
            vreal vy = v_add(old_vy, v_mul(sine[i], command[i].thrust));
            g->vx[i] = referee ? v_select(command[i].idle, old_vx, vx) : vx;
            g->vy[i] = referee ? v_select(command[i].idle, old_vy, vy) : vy)
}

CAROM_LANE bool csb_any_set(const int8_t *flags, unsigned count)
{
    int any = 0;
    for (unsigned k = 0; k < count; k++) {
        any |= flags[k];
    }
    return any != 0;
}

CAROM_LANE bool csb_any_shield(const csb_tile *tile, unsigned at)
{
    return csb_any_set(&tile->shield[0][at], LANES) || csb_any_set(&tile->shield[1][at], LANES) ||
           csb_any_set(&tile->shield[2][at], LANES) || csb_any_set(&tile->shield[3][at], LANES);
}

CAROM_LANE vmask csb_inside(vreal a, real range)
{
    return v_le(v_abs(a), v_set1(range));
}

/* Which pods come near which in the tick, and near their checkpoints. */
CAROM_LANE void csb_survey(csb_group *g, const csb_tile *tile, unsigned at)
{
    csb_boxes boxes;
    vmask cross = m_from_bits(0), active = m_from_bits(g->active);
    V_EACH4(vreal x = v_load(&tile->x[i][at]); vreal y = v_load(&tile->y[i][at]);
             csb_box(&boxes, i, x, y, v_add(x, g->vx[i]), v_add(y, g->vy[i]));
             cross = m_or(cross, csb_may_cross(&boxes, i, v_load(&tile->cx[i][at]), v_load(&tile->cy[i][at]))))
    g->cross = m_any(cross);
#define CSB_SURVEY(pair, a, b) g->near[pair - 1] = (uint16_t)m_bits(m_and(active, csb_near(&boxes, a, b)));
    CSB_EACH_PAIR(CSB_SURVEY)
#undef CSB_SURVEY
    g->near[6] = g->near[7] = 0;
}

/* A bot may ask for any thrust. Beyond the velocities that the box filter is proven for, every pair is near. */
CAROM_LANE void csb_survey_wild(csb_group *g)
{
    vmask tame = m_from_bits((1u << (LANES - 1) << 1) - 1);
    V_EACH4(tame = m_and(tame, m_and(csb_inside(g->vx[i], 2 * CSB_RANGE), csb_inside(g->vy[i], 2 * CSB_RANGE))))
    if (!m_all(tame)) {
        for (int pair = 0; pair < CSB_PAIRS; pair++) {
            g->near[pair] = g->active;
        }
        g->cross = true;
    }
}

CAROM_LANE void csb_command_group(csb_group *g, struct csb_run *run, unsigned index, unsigned at, uint32_t kind)
{
    const csb_tile *tile = &run->tiles[index];
    vmask first_tick = i_eq(i_load32(&tile->tick[0][at]), i_set1(0));
    csb_command command[CSB_PODS];
    vreal angle[CSB_PODS];
    V_EACH4(angle[i] = v_load(&tile->angle[i][at]))
    if (kind == CSB_REFEREE) {
        const double *numbers = (const double *)run->tick->actions + (size_t)index * 12 * CAROM_TILE + at;
        unsigned illegal[CSB_PODS] = {0, 0, 0, 0};
        V_EACH4(csb_read_referee(&command[i], numbers + 3 * i * CAROM_TILE, v_load(&tile->x[i][at]),
                                  v_load(&tile->y[i][at]), angle[i], first_tick, run->context->rules, &illegal[i]))
        for (unsigned l = 0; l < LANES; l++) {
            run->scratch->illegal[index][at + l] =
                (uint8_t)(((illegal[0] | illegal[1]) >> l & 1) | ((illegal[2] | illegal[3]) >> l & 1) << 1);
        }
    } else {
        const float *numbers = (const float *)run->tick->actions + (size_t)index * 8 * CAROM_TILE + at;
        if (kind == CSB_RELATIVE) {

            V_EACH4(csb_read_relative(&command[i], numbers + 2 * i * CAROM_TILE, angle[i], first_tick))
        } else {
            V_EACH4(csb_read_normalised(&command[i], numbers + 2 * i * CAROM_TILE, angle[i],
                                         i_load8(&tile->boosted[i][at])))
        }
    }
    vmask told = m_or(command[0].shield, command[0].boost);
    told = m_or(told, m_or(command[1].shield, command[1].boost));
    told = m_or(told, m_or(command[2].shield, command[2].boost));
    told = m_or(told, m_or(command[3].shield, command[3].boost));
    g->special = m_any(told) || csb_any_shield(tile, at);
    if (g->special) {
        V_EACH4(csb_equip(g, tile, at, i, &command[i]))
    }
    csb_obey(g, tile, at, command, kind == CSB_REFEREE);
    g->event = 0;
    g->overrun = 0;
    g->passed = false;
    csb_survey(g, tile, at);
    if (kind == CSB_REFEREE) {
        csb_survey_wild(g);
    }
}

/* ---- look and gather ---- */

CAROM_LANE void csb_look(csb_group *g, const csb_tile *tile, unsigned at)
{
    vreal first = v_set1(REAL(1.0)), chosen = v_set1(REAL(0.0));
    for (int word = 0; word < 2; word++) {
        for (uint64_t pairs = g->pairs[word]; pairs != 0;) {
            int at16 = __builtin_ctzll(pairs) / 16, pair = 4 * word + at16 + 1;
            int a = csb_first_of[pair], b = csb_second_of[pair];
            pairs &= ~(UINT64_C(0xffff) << 16 * at16);
            csb_try(v_sub(v_load(&tile->x[b][at]), v_load(&tile->x[a][at])),
                    v_sub(v_load(&tile->y[b][at]), v_load(&tile->y[a][at])), v_sub(g->vx[b], g->vx[a]),
                    v_sub(g->vy[b], g->vy[a]), m_from_bits(g->near[pair - 1]), v_set1((real)pair), &first, &chosen);
        }
    }
    g->first = first;
    g->pair = chosen;
    g->event = (uint16_t)m_bits(v_gt(chosen, v_set1(REAL(0.0))));
}

CAROM_LANE void csb_gather(csb_group *g, worklist *list, const csb_tile *tile, unsigned at, int32_t home)
{
    motion m;
    V_EACH4(m.r[X + i] = v_load(&tile->x[i][at]); m.r[Y + i] = v_load(&tile->y[i][at]); m.r[VX + i] = g->vx[i];
             m.r[VY + i] = g->vy[i]; m.r[CX + i] = v_load(&tile->cx[i][at]); m.r[CY + i] = v_load(&tile->cy[i][at]);
             m.r[MASS + i] = v_set1(REAL(1.0)))
    if (g->special) {
        V_EACH4(m.r[MASS + i] = v_select(i_eq(g->shield[i], i_set1(4)), v_set1(REAL(0.1)), m.r[MASS + i]))
    }
    m.r[FIRST] = g->first;
    m.r[PAIR] = g->pair;
    g->slot = list->count;
    worklist_push(list, &m, m_from_bits(g->event), home);
}

/* ---- motion: what the worklist calls ---- */

/* Where a world on the worklist lives: home counts the lanes of the run. */
CAROM_LANE csb_tile *csb_tile_of(const struct csb_run *run, int32_t home)
{
    return &run->tiles[home / CAROM_TILE];
}

CAROM_LANE unsigned csb_lane_of(int32_t home)
{
    return (unsigned)(home % CAROM_TILE);
}

/* A checkpoint passed in a sub-step: the tile must not change yet, so the group counts, and the motion gets its new aim. */
static void csb_pass_midway(struct csb_run *run, int32_t home, int pod, real *cx, real *cy)
{
    csb_group *g = &run->scratch->groups[home / LANES];
    int lane = home % LANES;
    if (!g->passed) {
        g->passed = true;
        for (int i = 0; i < CSB_PODS; i++) {
            for (int l = 0; l < LANES; l++) {
                g->passes[i][l] = 0;
            }
        }
    }
    csb_point(run->context, csb_tile_of(run, home), csb_lane_of(home), pod, ++g->passes[pod][lane], cx, cy);
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
        size_t world = (size_t)home[lane];
        uint32_t k = run->scratch->events[world]++;
        if (tick->events != NULL && k < tick->event_capacity) {
            carom_event *event = &tick->events[world * tick->event_capacity + k];
            int pair = (int)pairs[lane];
            event->left = left[lane];
            event->first = csb_first_of[pair];
            event->second = csb_second_of[pair];
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
    V_EACH4(m->r[X + i] = v_add(m->r[X + i], v_mul(m->r[VX + i], first));
             m->r[Y + i] = v_add(m->r[Y + i], v_mul(m->r[VY + i], first)))
    m->r[LEFT] = v_sub(m->r[LEFT], first);
    csb_bounce(m, active);
    run->tick->counters.events += (unsigned)__builtin_popcount(m_bits(active));
    if (run->record) {
        csb_record(run, m, m_bits(active), home);
    }
    vmask alive = m_and(active, v_gt(m->r[LEFT], v_set1(REAL(0.0))));
    if (m_any(alive)) {
        V_EACH4(csb_substep_checkpoint(run, m, i, alive, home))
    }
    return alive;
}

CAROM_LANE void motion_overrun(int32_t home, motion_context *run)
{
    csb_group *g = &run->scratch->groups[home / LANES];
    g->overrun = (uint16_t)(g->overrun | 1u << home % LANES);
}

/* ---- finish ---- */

static void csb_fault(csb_tile *tile, unsigned at, unsigned bits, int8_t fault)
{
    for (; bits != 0; bits &= bits - 1) {
        unsigned lane = at + (unsigned)__builtin_ctz(bits);
        tile->fault[0][lane] = (int8_t)(tile->fault[0][lane] | fault);
        tile->frozen[0][lane] = 1;
    }
}

/* The state at the end of the motion. */
typedef struct csb_state {
    vreal x[CSB_PODS], y[CSB_PODS], vx[CSB_PODS], vy[CSB_PODS];
} csb_state;

CAROM_LANE vmask csb_pod_inside(const csb_state *s, vreal angle, int i)
{
    return m_and(m_and(m_and(csb_inside(s->x[i], CSB_RANGE), csb_inside(s->y[i], CSB_RANGE)),
                       m_and(csb_inside(s->vx[i], 2 * CSB_RANGE), csb_inside(s->vy[i], 2 * CSB_RANGE))),
                 csb_inside(angle, (real)CSB_MAX_ANGLE));
}

CAROM_LANE vmask csb_pod_nan(const csb_state *s, vreal angle, int i)
{
    vreal sum = v_add(v_add(v_add(s->x[i], s->y[i]), v_add(s->vx[i], s->vy[i])), angle);
    return v_ne(sum, sum);
}

CAROM_LANE vreal csb_sum4(const vreal *a)
{
    return v_add(v_add(v_abs(a[0]), v_abs(a[1])), v_add(v_abs(a[2]), v_abs(a[3])));
}

/* The lanes whose numbers are all in range. One sum tells, in all but odd cases: it is NaN or large if one of them is.
 * Without an impact, velocities need no look: old and new positions within CSB_RANGE bound them by twice that. */
CAROM_LANE vmask csb_sound(const csb_group *g, const csb_state *s, csb_tile *tile, unsigned at)
{
    vreal sum = v_add(csb_sum4(s->x), csb_sum4(s->y)), angles = csb_sum4(g->angle);
    if (g->event != 0) {
        sum = v_add(sum, v_add(csb_sum4(s->vx), csb_sum4(s->vy)));
    }
    vmask sound = m_and(v_le(sum, v_set1(CSB_RANGE)), v_le(angles, v_set1((real)CSB_MAX_ANGLE)));
    vmask active = m_from_bits(g->active);
    if (m_any(m_andnot(active, sound))) {
        sound = m_and(m_and(csb_pod_inside(s, g->angle[0], 0), csb_pod_inside(s, g->angle[1], 1)),
                      m_and(csb_pod_inside(s, g->angle[2], 2), csb_pod_inside(s, g->angle[3], 3)));
        vmask bad = m_andnot(active, sound);
        vmask nan = m_and(bad, m_or(m_or(csb_pod_nan(s, g->angle[0], 0), csb_pod_nan(s, g->angle[1], 1)),
                                    m_or(csb_pod_nan(s, g->angle[2], 2), csb_pod_nan(s, g->angle[3], 3))));
        csb_fault(tile, at, m_bits(nan), CAROM_FAULT_NAN);
        csb_fault(tile, at, m_bits(m_andnot(bad, nan)), CAROM_FAULT_RANGE);
    }
    return sound;
}

CAROM_LANE void csb_put(real *to, vreal a, vmask keep, bool all)
{
    v_store(to, all ? a : v_select(keep, a, v_load(to)));
}

CAROM_LANE void csb_store_special(const csb_group *g, csb_tile *tile, unsigned at, int i, vmask keep)
{
    vint none = i_set1(0);
    vint shield = i_select(i_gt(g->shield[i], none), i_sub(g->shield[i], i_set1(1)), none);
    i_store8(&tile->shield[i][at], i_select(keep, shield, i_load8(&tile->shield[i][at])));
    i_store8(&tile->boosted[i][at], i_select(keep, g->boosted[i], i_load8(&tile->boosted[i][at])));
}

/* One less; it stops before it would wrap. */
CAROM_LANE vint csb_count_down(int16_t *timeout, vmask keep, bool all)
{
    vint old = i_load16(timeout), less = i_sub(old, i_set1(1));
    vmask wraps = i_gt(i_set1(INT16_MIN + 1), old);
    if (m_any(wraps)) {
        less = i_select(wraps, old, less);
    }
    less = all ? less : i_select(keep, less, old);
    i_store16(timeout, less);
    return less;
}

CAROM_LANE vint csb_count_up(int32_t *tick, vmask keep, bool all)
{
    vint old = i_load32(tick), more = i_add(old, i_set1(1));
    vmask wraps = i_gt(i_set1(0), more);
    if (m_any(wraps)) {
        more = i_select(wraps, old, more);
    }
    more = all ? more : i_select(keep, more, old);
    i_store32(tick, more);
    return more;
}

/* Writes the state of the kept lanes. */
CAROM_LANE void csb_store(csb_group *g, const csb_state *s, csb_tile *tile, unsigned at, vmask keep, bool all)
{
    V_EACH4(csb_put(&tile->x[i][at], s->x[i], keep, all); csb_put(&tile->y[i][at], s->y[i], keep, all);
             csb_put(&tile->vx[i][at], s->vx[i], keep, all); csb_put(&tile->vy[i][at], s->vy[i], keep, all);
             csb_put(&tile->angle[i][at], g->angle[i], keep, all))
    vint left0 = csb_count_down(&tile->timeout[0][at], keep, all), left1 = csb_count_down(&tile->timeout[1][at], keep, all);
    vint tick = csb_count_up(&tile->tick[0][at], keep, all), one = i_set1(1);
    vmask over = m_or(m_or(i_gt(one, left0), i_gt(one, left1)), i_gt(tick, i_set1(CSB_LAST_TICK - 1)));
    g->over = (uint16_t)m_bits(m_and(keep, over));
}

CAROM_LANE void csb_record_moved(const struct csb_run *run, const csb_state *s, unsigned index, unsigned at)
{
    if (run->tick->moved == NULL) {
        return;
    }
    const vreal *rows[4] = {s->x, s->y, s->vx, s->vy};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < CSB_PODS; i++) {
            _Alignas(64) real lanes[LANES];
            v_store(lanes, rows[k][i]);
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

CAROM_LANE void csb_progress(const csb_context *context, const csb_tile *tile, unsigned at, vreal progress[2])
{
    vreal last = csb_last_of(context, tile, at);
    progress[0] = v_max(csb_progress_of(tile, at, 0, last), csb_progress_of(tile, at, 1, last));
    progress[1] = v_max(csb_progress_of(tile, at, 2, last), csb_progress_of(tile, at, 3, last));
}

/* The checkpoint of pod i for the last segment, where some lanes have passed one midway. */
CAROM_LANE void csb_aim_midway(const struct csb_run *run, const csb_group *g, const csb_tile *tile, unsigned at, int i,
                               vreal *cx, vreal *cy)
{
    _Alignas(64) real x[LANES], y[LANES];
    v_store(x, *cx);
    v_store(y, *cy);
    for (int l = 0; l < LANES; l++) {
        if (g->passes[i][l] != 0) {
            csb_point(run->context, tile, at + (unsigned)l, i, g->passes[i][l], &x[l], &y[l]);
        }
    }
    *cx = v_load(x);
    *cy = v_load(y);
}

CAROM_LANE void csb_cross_pod(const struct csb_run *run, csb_group *g, const csb_state *s, const csb_tile *tile,
                              unsigned at, int i)
{
    vreal px = v_load(&tile->x[i][at]), py = v_load(&tile->y[i][at]);
    vreal cx = v_load(&tile->cx[i][at]), cy = v_load(&tile->cy[i][at]);
    if (g->event != 0) {
        const worklist *list = &run->scratch->list;
        px = v_expand(px, m_from_bits(g->event), &list->slot[PX + i][g->slot]);
        py = v_expand(py, m_from_bits(g->event), &list->slot[PY + i][g->slot]);
    }
    if (g->passed) {
        csb_aim_midway(run, g, tile, at, i, &cx, &cy);
    }
    g->hit[i] = (uint16_t)m_bits(csb_cross(px, py, s->x[i], s->y[i], cx, cy));
}

CAROM_LANE void csb_move_pod(const struct csb_run *run, const csb_group *g, csb_state *s, const csb_tile *tile, unsigned at,
                             int i)
{
    s->vx[i] = g->vx[i];
    s->vy[i] = g->vy[i];
    s->x[i] = v_add(v_load(&tile->x[i][at]), s->vx[i]);
    s->y[i] = v_add(v_load(&tile->y[i][at]), s->vy[i]);
    if (g->event != 0) {
        const worklist *list = &run->scratch->list;
        vmask event = m_from_bits(g->event);
        s->x[i] = v_expand(s->x[i], event, &list->slot[X + i][g->slot]);
        s->y[i] = v_expand(s->y[i], event, &list->slot[Y + i][g->slot]);
        s->vx[i] = v_expand(s->vx[i], event, &list->slot[VX + i][g->slot]);
        s->vy[i] = v_expand(s->vy[i], event, &list->slot[VY + i][g->slot]);
    }
}

CAROM_LANE void csb_round_pod(csb_state *s, int i)
{
    vreal friction = v_set1((real)CSB_FRICTION), half = v_set1(REAL(0.5));
    s->vx[i] = v_trunc(v_mul(s->vx[i], friction));
    s->vy[i] = v_trunc(v_mul(s->vy[i], friction));
    s->x[i] = v_floor(v_add(s->x[i], half));
    s->y[i] = v_floor(v_add(s->y[i], half));
}

CAROM_LANE void csb_finish(csb_group *g, struct csb_run *run, unsigned index, unsigned at)
{
    csb_tile *tile = &run->tiles[index];
    csb_state s;
    V_EACH4(csb_move_pod(run, g, &s, tile, at, i))
    if (run->record) {
        csb_record_moved(run, &s, index, at);
    }
    if (run->tick->rewards != NULL) {
        csb_progress(run->context, tile, at, g->before);
    }
    V_EACH4(csb_round_pod(&s, i))
    g->hit[0] = g->hit[1] = g->hit[2] = g->hit[3] = 0;
    if (g->cross || g->event != 0) {
        V_EACH4(csb_cross_pod(run, g, &s, tile, at, i))
    }
    vmask keep = m_and(m_from_bits(g->active), csb_sound(g, &s, tile, at));
    if (g->overrun != 0) {
        csb_fault(tile, at, g->overrun, CAROM_FAULT_EVENTS);
        keep = m_andnot(keep, m_from_bits(g->overrun));
    }
    if (m_all(keep)) {
        csb_store(g, &s, tile, at, keep, true);
    } else {
        csb_store(g, &s, tile, at, keep, false);
    }
    if (g->special) {
        V_EACH4(csb_store_special(g, tile, at, i, keep))
    }
    g->kept = (uint16_t)m_bits(keep);
}

/* ---- settle ---- */

/* Pod `pod` has passed `count` checkpoints in this tick, whose end is already in the tile. */
static void csb_pass(struct csb_run *run, csb_tile *tile, unsigned lane, int pod, int32_t count)
{
    const csb_course *course = csb_course_of(run->context, tile, lane);
    int32_t next = tile->next[pod][lane] + count;
    bool won = next > course->last;
    next = won ? course->last : next;
    const int32_t *point = run->context->points[course->first + next];
    tile->next[pod][lane] = (int16_t)next;
    tile->won[pod][lane] = (int8_t)(tile->won[pod][lane] | won);
    tile->timeout[pod >> 1][lane] = CSB_TIMEOUT - 1;
    tile->cx[pod][lane] = (real)point[0];
    tile->cy[pod][lane] = (real)point[1];
    run->tick->counters.goals += (uint64_t)count;
}

CAROM_LANE void csb_pass_pod(csb_group *g, struct csb_run *run, csb_tile *tile, unsigned at, int i)
{
    unsigned bits = g->hit[i];
    for (unsigned l = 0; l < LANES && g->passed; l++) {
        bits |= (unsigned)(g->passes[i][l] != 0) << l;
    }
    for (bits &= g->kept; bits != 0; bits &= bits - 1) {
        unsigned l = (unsigned)__builtin_ctz(bits);
        int32_t count = (g->hit[i] >> l & 1) + (g->passed ? g->passes[i][l] : 0);
        csb_pass(run, tile, at + l, i, count);
    }
}

/* Lanes with a pod that has won and may play. */
static unsigned csb_winners(const csb_tile *tile)
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
        int won = tile->won[0][lane] | tile->won[1][lane] | tile->won[2][lane] | tile->won[3][lane];
        lanes |= (unsigned)(won != 0 && tile->frozen[0][lane] == 0) << lane;
    }
    return lanes;
}

CAROM_LANE void csb_settle(csb_group *g, struct csb_run *run, unsigned index, unsigned at)
{
    csb_tile *tile = &run->tiles[index];
    run->tick->counters.ticks += (unsigned)__builtin_popcount(g->kept);
    if ((g->hit[0] | g->hit[1] | g->hit[2] | g->hit[3]) != 0 || g->passed) {
        V_EACH4(csb_pass_pod(g, run, tile, at, i))
    }
    if (run->tick->rewards != NULL) {
        float *rewards = run->tick->rewards + (size_t)index * 2 * CAROM_TILE + at;
        vreal after[2], none = v_set1(REAL(0.0));
        vmask active = m_from_bits(g->active);
        csb_progress(run->context, tile, at, after);
        v_store_f32(rewards, v_select(active, v_sub(after[0], g->before[0]), none));
        v_store_f32(rewards + CAROM_TILE, v_select(active, v_sub(after[1], g->before[1]), none));
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

/* `statement` for every group g of the run in which a world is active; index and at say where it is. */
#define EACH_GROUP(statement)                                                                                          \
    for (unsigned number = 0; number < groups; number++) {                                                             \
        csb_group *g = &scratch->groups[number];                                                                       \
        const unsigned index = number / GROUPS, at = number % GROUPS * LANES;                                          \
        if (g->active != 0) {                                                                                          \
            statement;                                                                                                 \
        }                                                                                                              \
    }

CAROM_LANE void csb_tick_of(game_tick *tick, uint32_t kind, bool record)
{
    struct csb_run run = {tick, (const csb_context *)tick->context, (csb_tile *)(void *)tick->tiles,
                          (csb_scratch *)tick->scratch, record};
    csb_scratch *scratch = run.scratch;
    const unsigned groups = (unsigned)tick->tile_count * GROUPS;
    for (unsigned number = 0; number < groups; number++) {
        const csb_tile *tile = &run.tiles[number / GROUPS];
        vmask active = i_eq(i_load8(&tile->frozen[0][number % GROUPS * LANES]), i_set1(0));
        scratch->groups[number].active = (uint16_t)m_bits(active);
        scratch->groups[number].over = 0;
    }
    for (size_t w = 0; w < tick->tile_count * CAROM_TILE && record; w++) {
        scratch->events[w] = 0;
    }
    for (size_t w = 0; w < tick->tile_count * 2 * CAROM_TILE && tick->rewards != NULL; w++) {
        tick->rewards[w] = 0;
    }
    scratch->list.count = 0;
    EACH_GROUP(csb_command_group(g, &run, index, at, kind))
    EACH_GROUP(if ((g->pairs[0] | g->pairs[1]) != 0) { csb_look(g, &run.tiles[index], at); })
    EACH_GROUP(if (g->event != 0) {
        csb_gather(g, &scratch->list, &run.tiles[index], at, (int32_t)(number * LANES));
    })
    worklist_run(&scratch->list, &run);
    EACH_GROUP(csb_finish(g, &run, index, at))
    EACH_GROUP(csb_settle(g, &run, index, at))
    bool illegal = kind == CSB_REFEREE && run.context->rules == CAROM_CSB_FULL;
    for (unsigned index = 0; index < tick->tile_count; index++) {
        unsigned over = 0;
        for (unsigned k = 0; k < GROUPS; k++) {
            over |= (unsigned)scratch->groups[index * GROUPS + k].over << k * LANES;
        }
        if (csb_any_set(&run.tiles[index].won[0][0], CSB_PODS * CAROM_TILE)) {
            over |= csb_winners(&run.tiles[index]);
        }
        for (unsigned lane = 0; lane < CAROM_TILE && illegal; lane++) {
            bool lost = scratch->illegal[index][lane] != 0 && run.tiles[index].frozen[0][lane] == 0;
            over |= (unsigned)lost << lane;
        }
        if (over != 0) {
            csb_end_tile(&run, index, over, illegal);
        }
        if (tick->observations != NULL) {
            csb_observe_tile(run.context, &run.tiles[index],
                             tick->observations + (size_t)index * 2 * CAROM_CSB_OBSERVATION * CAROM_TILE);
        }
    }
    for (size_t w = 0; w < tick->worlds && record && tick->event_counts != NULL; w++) {
        tick->event_counts[w] = scratch->events[w];
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
        csb_point(context, tile, at + l, i, 1, &after_x[l], &after_y[l]);
        last[l] = (real)csb_course_of(context, tile, at + l)->last;
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
            vreal progress[2];
            csb_progress((const csb_context *)tick->context, &tiles[index], at, progress);
            _Alignas(64) real ahead[LANES];
            v_store(ahead, v_sub(progress[0], progress[1]));
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
