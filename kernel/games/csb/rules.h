/* SPDX-License-Identifier: MIT
 * The rules of csb (RULES.md), in its order: the start, the commands of a turn, the movement, the end of the turn, and
 * the winner. Each lane plays one world; the order of operations is the referee's, to the bit (f64). The file exceeds
 * 800 lines so that a whole turn can be read in one file.
 *
 * In a turn the functions named rules_... are called in this order: rules_command() by tick/driver.h; rules_first(),
 * rules_give(), rules_hit(), rules_next(), rules_after() and rules_keep() by tick/worklist.h; rules_settle() and
 * rules_decide() by tick/driver.h. Code in lanes addresses pods by constant indices, so that compilers keep them in
 * registers.
 */
#ifndef CAROM_GAMES_CSB_RULES_H
#define CAROM_GAMES_CSB_RULES_H

#include "base/little.h"
#include "base/random.h"
#include "games/csb/csb.h"
#include "simd/elementary.h"

/* The game's parameters for the tick: see the heads of tick/run.h and tick/bodies.h; for RULES_FIRST tick/worklist.h,
 * for RULES_DRAWN tick/one_driver.h. */
#define RULES_FIELDS CSB_FIELDS
#define RULES_PLAYERS 2
#define RULES_BODIES CSB_PODS
#define RULES_OBSERVATION CAROM_CSB_OBSERVATION
#define RULES_KINDS 4
#define RULES_MIXED
#define RULES_AGENTS (CSB_PODS / 2)
#define RULES_EGO CAROM_CSB_EGO
#define RULES_LIDAR_RAYS CAROM_CSB_LIDAR_RAYS
#define RULES_LIDAR_THINGS CSB_LIDAR_THINGS
#define RULES_LIDAR_OWN CAROM_CSB_EGO_OWN
#define RULES_SHARED
#define RULES_SCORED
#define RULES_DRAWN 4
#define RULES_FAR_X CSB_RANGE
#define RULES_FAR_Y CSB_RANGE
#define RULES_FAST (2 * CSB_RANGE)
#define RULES_SLOWED
#define RULES_EVENTS (CSB_SUBSTEPS - 1)
#define RULES_FROM(X) X(px, x) X(py, y) /* where the pod was at the start of the current sub-step */
#define RULES_GIVEN(X) X(cx, CSB_PODS) X(cy, CSB_PODS) X(inverse, CSB_PODS) /* its next checkpoint; its inverse mass */
#define RULES_FIRST
#define RULES_TOUCH
#define RULES_TURN csb_turn
typedef csb_context rules_context;

#include "tick/run.h"

static_assert(RULES_KINDS == CSB_KINDS, "every kind of action");

#if CAROM_REAL_BITS == 64
#define CSB_SLACK 1.0 /* the box test's margin on the touching distance: see the proof above csb_boxes */
#define CSB_RANGE CSB_RANGE_F64
#else
#define CSB_SLACK 800.0f
#define CSB_RANGE ((real)CSB_RANGE_F32)
#endif

/* ---- data of worlds during a turn; their state is CSB_FIELDS in csb.h, the options csb_context ---- */

/* A register group of worlds during a turn. Every uint16_t is a set of lanes, as bits. */
typedef struct csb_turn {
    vreal angle[CSB_PODS];                  /* after the commands */
    vreal sine[CSB_PODS], cosine[CSB_PODS]; /* of `angle`; only if the tick is watched */
    vreal progress[CSB_PODS]; /* before the turn, if rewarded: of all pods, or of each player's leading pod */
    vint shield[CSB_PODS], boosted[CSB_PODS]; /* after the commands; only if `special` */
    union {
        uint16_t hit[CSB_PODS]; /* lanes in which the pod passes a checkpoint on its last segment */
        uint64_t hits;          /* the same, all pods in one word */
    };
    union {
        uint16_t midway[CSB_PODS]; /* lanes in which the pod passed checkpoints in earlier sub-steps */
        uint64_t midways;          /* the same, all pods in one word */
    };
    uint16_t late;                   /* lanes in which a player has run out of time */
    uint16_t illegal[2];             /* by player: lanes in which its thrust loses the game */
    bool special;                    /* in some lane a shield is up, or shield or boost is requested */
    bool cross;                      /* in some lane a pod may pass a checkpoint, moving freely */
    bool wild;                       /* an angle or a velocity may be far out of range or NaN */
    bool fast;                       /* a velocity is beyond those for which the boxes are proven */
    int32_t passes[CSB_PODS][LANES]; /* checkpoints passed in earlier sub-steps; valid if midways != 0 */
} csb_turn;

#include "tick/bodies.h"

/* The turn of the group that contains the world at place `home` of the run. */
CAROM_LANE csb_turn *csb_turn_of(const tick_run *run, unsigned home)
{
    return &run_turn(run, home)->own;
}

/* ---- maps ---- */

/* The map that one world plays on. */
CAROM_LANE const csb_course *csb_course_of(const csb_context *context, tick_world w)
{
    return &context->courses[*at_map(w, 0)];
}

/* In one world, the checkpoint `further` positions after a pod's next one; after the last one, the last one again. */
CAROM_LANE void csb_point(const csb_context *context, tick_world w, int pod, int32_t further, real *x, real *y)
{
    const csb_course *course = csb_course_of(context, w);
    const int32_t index = *at_next(w, pod) + further;
    const int32_t *point = context->points[course->first + (index > course->last ? course->last : index)];

    *x = (real)point[0];
    *y = (real)point[1];
}

/* ---- small vocabulary ---- */

/* The lanes in which a number of the four pods is above 0. */
#define CSB_ANY_ABOVE_0(field, w)                                                                                      \
    i_gt(i_or(i_or(get_##field(w, 0), get_##field(w, 1)), i_or(get_##field(w, 2), get_##field(w, 3))), i_set1(0))

/* The sum of four magnitudes. */
CAROM_LANE vreal csb_sum4(const vreal *a)
{
    return v_abs(a[0]) + v_abs(a[1]) + (v_abs(a[2]) + v_abs(a[3]));
}

/* |a| <= range; false for NaN. */
CAROM_LANE vmask csb_inside(vreal a, real range)
{
    return v_le(v_abs(a), v_set1(range));
}

/* a, or 0 where it is NaN. */
CAROM_LANE vreal csb_number(vreal a)
{
    return v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
}

/* Clamps a to [low, high]. */
CAROM_LANE vreal csb_clamp(vreal a, vreal low, vreal high)
{
    return v_max(v_min(a, high), low);
}

/* ---- the start, and valid states ---- */

/* Sets up game number `episode` of a world. */
static void rules_start(const csb_context *context, uint64_t seed, tick_world w)
{
    const uint64_t id = world_id(w);
    const uint32_t episode = world_episode(w);

    /* The map of this game: drawn at random, or the caller's maps in turn. */
    if (context->drawn) {
        random_stream stream = random_begin(seed, id, CSB_DRAW_GAME, episode);
        *at_map(w, 0) = (int32_t)random_below(&stream, context->map_count);
    } else {
        *at_map(w, 0) = (int32_t)((id + episode) % context->map_count);
    }

    /* All pods start at rest around checkpoint 0; checkpoint 1 is next. */
    const csb_course *course = csb_course_of(context, w);
    for (int i = 0; i < CSB_PODS; i++) {
        *at_x(w, i) = (real)course->start_x[i];
        *at_y(w, i) = (real)course->start_y[i];
        *at_vx(w, i) = *at_vy(w, i) = 0;
        *at_angle(w, i) = (real)CSB_START_ANGLE;
        *at_next(w, i) = 1;
        *at_shield(w, i) = *at_boosted(w, i) = *at_won(w, i) = 0;
    }

    /* In a time trial the pods of player 1 wait far off the board, out of reach. */
    for (int i = 2; i < CSB_PODS && context->alone; i++) {
        *at_x(w, i) = *at_y(w, i) = (real)(CSB_OFF_BOARD - (i - 2) * CSB_OFF_BOARD_STEP);
    }

    *at_timeout(w, 0) = *at_timeout(w, 1) = CSB_TIMEOUT;
    *at_winner(w, 0) = -1;
}

static bool csb_is_flag(int8_t value)
{
    return value == 0 || value == 1;
}

static bool csb_within(real value, real range)
{
    return value >= -range && value <= range; /* false for NaN */
}

/* Is this state valid under the rules? */
static bool rules_check(const csb_context *context, tick_world w)
{
    if (*at_map(w, 0) < 0 || (uint32_t)*at_map(w, 0) >= context->map_count || *at_winner(w, 0) < -1 ||
        *at_winner(w, 0) > 1) {
        return false;
    }

    /* Checked first: the map has the number of checkpoints. */
    const int32_t last = csb_course_of(context, w)->last;
    for (int i = 0; i < CSB_PODS; i++) {
        if (!csb_within(*at_x(w, i), CSB_RANGE) || !csb_within(*at_y(w, i), CSB_RANGE) ||
            !csb_within(*at_vx(w, i), 2 * CSB_RANGE) || !csb_within(*at_vy(w, i), 2 * CSB_RANGE) ||
            !csb_within(*at_angle(w, i), (real)CSB_MAX_ANGLE) || *at_next(w, i) < 1 || *at_next(w, i) > last ||
            *at_shield(w, i) < 0 || *at_shield(w, i) > CSB_SHIELD_TICKS || !csb_is_flag(*at_boosted(w, i)) ||
            !csb_is_flag(*at_won(w, i))) {
            return false;
        }
    }
    return true;
}

/* Sets the fields that follow from the rest of the state: the position of each next checkpoint. */
static void rules_derive(const csb_context *context, tick_world w)
{
    for (int i = 0; i < CSB_PODS; i++) {
        csb_point(context, w, i, 0, at_cx(w, i), at_cy(w, i));
    }
}

/* ---- progress, from which rewards and values are made ---- */

/* The square of a pod's distance to its next checkpoint. */
CAROM_LANE vreal csb_far2(tick_world w, int pod)
{
    const vreal dx = get_cx(w, pod) - get_x(w, pod), dy = get_cy(w, pod) - get_y(w, pod);
    return dx * dx + dy * dy;
}

/* A pod's progress in checkpoints: next - min(distance / 20000, 1), or last + 1 once it has won. */
CAROM_LANE vreal csb_progress_of(tick_world w, int pod, vreal last)
{
    vreal far = v_sqrt(csb_far2(w, pod)) / v_set1((real)CSB_LEG);
    vreal progress = v_from_int(get_next(w, pod)) - v_min(far, v_set1(REAL(1.0)));
    vmask won = i_gt(get_won(w, pod), i_set1(0));
    return v_select(won, last + v_set1(REAL(1.0)), progress);
}

/* The maps of LANES worlds: the index of the first point of each among all points, and that of its last checkpoint. */
CAROM_LANE void csb_spans_of(const csb_context *context, tick_world w, vint *first, vint *last)
{
    i_pairs((const int32_t(*)[2])context->spans, get_map(w, 0), first, last);
}

/* The index of the last checkpoint, by world. */
CAROM_LANE vreal csb_last_of(const csb_context *context, tick_world w)
{
    vint first, last;
    csb_spans_of(context, w, &first, &last);
    return v_from_int(last);
}

/* The progress of each pod. */
CAROM_LANE void csb_progress_each(const csb_context *context, tick_world w, vreal progress[CSB_PODS])
{
    const vreal last = csb_last_of(context, w);
    for (int i = 0; i < CSB_PODS; i++) {
        progress[i] = csb_progress_of(w, i, last);
    }
}

/* The greater progress of each player's two pods. The leading pod is the one with the later next checkpoint or, if
 * equal, the nearer one, so one root and one division do for both. Root and division are monotonic even with rounding,
 * so the result is the greater one of csb_progress_each() to the bit. */
CAROM_LANE void csb_progress_ahead(const csb_context *context, tick_world w, vreal ahead[2])
{
    for (int player = 0; player < 2; player++) {
        const int a = 2 * player, b = a + 1;
        const vint next_a = get_next(w, a), next_b = get_next(w, b);
        const vmask first = i_gt(next_a, next_b), second = i_gt(next_b, next_a);
        const vreal far_a = csb_far2(w, a), far_b = csb_far2(w, b);
        const vreal far2 = v_select(first, far_a, v_select(second, far_b, v_min(far_a, far_b)));
        const vreal far = v_sqrt(far2) / v_set1((real)CSB_LEG);
        ahead[player] = v_from_int(i_select(second, next_b, next_a)) - v_min(far, v_set1(REAL(1.0)));
    }

    /* A pod that has won is ahead of all others, and has passed all checkpoints. */
    if (m_any(CSB_ANY_ABOVE_0(won, w))) {
        const vreal whole = csb_last_of(context, w) + v_set1(REAL(1.0));
        for (int player = 0; player < 2; player++) {
            const vint won = i_or(get_won(w, 2 * player), get_won(w, 2 * player + 1));
            ahead[player] = v_select(i_gt(won, i_set1(0)), whole, ahead[player]);
        }
    }
}

/* The rewarded progress: of every pod if each has its own reward, otherwise of each player's leading pod. */
CAROM_LANE void csb_progress(const tick_run *run, tick_world w, vreal progress[CSB_PODS])
{
    if (run->tick->reward_kind == REWARD_OWN) {
        csb_progress_each(run->context, w, progress);
    } else {
        csb_progress_ahead(run->context, w, progress);
    }
}

/* ---- commands (RULES.md, 1) ----
 *
 * Actions of all kinds, shield and boost, rotation and thrust. The kinds are described in the public header
 * carom/csb.h, which is the "csb.h" of the comments below. */

/* The command of one pod, in each lane, for any kind of action. */
typedef struct csb_command {
    vreal turn_to;       /* the new angle, radians */
    vreal thrust;        /* units per turn, along the new angle */
    vmask shield, boost; /* the action requests it */
    vmask idle;          /* the target is the pod's own position: neither rotation nor thrust */
} csb_command;

/* Reads two numbers, turn and thrust, of each pod in [first, end); NaN counts as 0. */
CAROM_LANE void csb_numbers(tick_numbers numbers, int first, int end, vreal turn[CSB_PODS], vreal thrust[CSB_PODS])
{
    vreal sum = v_set1(REAL(0.0));
    ALONE_UNROLL
    for (int i = first; i < end; i++) {
        turn[i] = number_f32(numbers, 2 * (unsigned)i);
        thrust[i] = number_f32(numbers, 2 * (unsigned)i + 1);
        sum = sum + (turn[i] + thrust[i]);
    }

    /* A NaN in any number makes the sum NaN (infinities may, too, which is harmless): check the numbers one by one only
     * then. */
    if (!m_all(v_eq(sum, sum))) {
        ALONE_UNROLL
        for (int i = first; i < end; i++) {
            turn[i] = csb_number(turn[i]);
            thrust[i] = csb_number(thrust[i]);
        }
    }
}

/* Reads actions "relative" (csb.h) of the pods [first, end). */
CAROM_LANE void csb_read_relative(csb_command command[CSB_PODS], tick_numbers numbers, int first, int end,
                                  const vreal angle[CSB_PODS], vmask first_tick)
{
    const vreal zero = v_set1(REAL(0.0)), most = v_set1((real)CSB_MAX_THRUST);

    /* On turn 0 a pod may turn by any angle. */
    const vreal limit = v_select(first_tick, v_set1((real)__builtin_inf()), v_set1((real)CSB_MAX_TURN));
    vreal turn[CSB_PODS], thrust[CSB_PODS];
    csb_numbers(numbers, first, end, turn, thrust);

    /* Turn from the present angle, and find out whether any thrust is above 200. */
    vreal greatest = thrust[first];
    ALONE_UNROLL
    for (int i = first; i < end; i++) {
        command[i].turn_to = angle[i] + csb_clamp(turn[i], -limit, limit);
        command[i].idle = command[i].shield = command[i].boost = m_from_bits(0);
        greatest = v_max(greatest, thrust[i]);
    }

    /* SHIELD and BOOST are thrusts far above 200. They and thrusts to be clamped are rare. */
    if (!m_all(v_le(greatest, most))) {
        ALONE_UNROLL
        for (int i = first; i < end; i++) {
            command[i].shield = v_eq(thrust[i], v_set1(CAROM_CSB_SHIELD));
            command[i].boost = v_eq(thrust[i], v_set1(CAROM_CSB_BOOST));
            thrust[i] = v_min(thrust[i], most);
        }
    }

    ALONE_UNROLL
    for (int i = first; i < end; i++) {
        command[i].thrust = v_max(thrust[i], zero);
    }
}

/* Reads actions "normalised" (csb.h) of the pods [first, end). */
CAROM_LANE void csb_read_normalised(csb_command command[CSB_PODS], tick_numbers numbers, tick_world w, int first,
                                    int end, const vreal angle[CSB_PODS])
{
    const vreal one = v_set1(REAL(1.0)), most = v_set1((real)CSB_MAX_THRUST);
    vreal turn[CSB_PODS], thrust[CSB_PODS];
    csb_numbers(numbers, first, end, turn, thrust);

    ALONE_UNROLL
    for (int i = first; i < end; i++) {
        const vreal asked = csb_clamp(thrust[i], -one, one);
        command[i].turn_to = angle[i] + csb_clamp(turn[i], -one, one) * v_set1((real)CSB_MAX_TURN);
        command[i].idle = m_from_bits(0);
        command[i].shield = v_le(asked, v_set1((real)-0.95));
        command[i].boost = m_and(v_ge(asked, v_set1((real)0.95)), i_eq(get_boosted(w, i), i_set1(0)));
        command[i].thrust = csb_clamp(v_set1(REAL(100.0)) * (asked + one), v_set1(REAL(0.0)), most);
    }
}

/* Reads the action "normalised_full" (csb.h) of pod i. */
CAROM_LANE void csb_read_full(csb_command *command, tick_numbers numbers, int i, vreal angle, vint boosted,
                              vmask first_tick)
{
    const vreal one = v_set1(REAL(1.0)), half = v_set1(REAL(0.5));
    const unsigned own = 3 * (unsigned)i;
    const vreal turn = csb_clamp(csb_number(number_f32(numbers, own)), -one, one);
    const vreal thrust = csb_clamp(csb_number(number_f32(numbers, own + 1)), -one, one);
    const vreal special = csb_number(number_f32(numbers, own + 2));

    const vreal most = v_select(first_tick, v_set1((real)V_PI), v_set1((real)CSB_MAX_TURN));
    command->turn_to = angle + turn * most;
    command->idle = m_from_bits(0);
    command->shield = v_le(special, -half);
    command->boost = m_and(v_ge(special, half), i_eq(boosted, i_set1(0)));
    command->thrust = v_set1(REAL(100.0)) * (thrust + one);
}

/* The command of a pod without a player: no change. */
CAROM_LANE void csb_read_nothing(csb_command *command, vreal angle)
{
    command->turn_to = angle;
    command->thrust = v_set1(REAL(0.0));
    command->shield = command->boost = m_from_bits(0);
    command->idle = m_from_bits(LANES_ALL);
}

/* The rotation from `angle` to a, D of RULES.md: from -pi to pi, computed as the referee does. */
CAROM_LANE vreal csb_difference(vreal a, vreal angle)
{
    vreal da = v_remainder_two_pi(a - angle);
    return v_remainder_two_pi_once(da + da) - da;
}

/* Reads the action "referee" (csb.h) of pod i: a target and a thrust, as a bot prints them. Adds to *illegal the lanes
 * whose player loses by this thrust. */
CAROM_LANE void csb_read_referee(csb_command *command, tick_numbers numbers, int i, vreal x, vreal y, vreal angle,
                                 vmask first_tick, carom_csb_rules rules, unsigned *illegal)
{
    vreal zero = v_set1(REAL(0.0)), limit = v_set1((real)CSB_MAX_TURN), turn = v_set1(V_TWO_PI);
    const unsigned own = 3 * (unsigned)i;
    vreal target_x = number_f64(numbers, own), target_y = number_f64(numbers, own + 1);
    vreal thrust = number_f64(numbers, own + 2);

    /* A target that is not finite counts as the pod's own position, and gives no direction. */
    vmask finite = m_and(v_le(v_abs(target_x), v_set1(REAL_MAX)), v_le(v_abs(target_y), v_set1(REAL_MAX)));
    vreal dx = target_x - x, dy = target_y - y;
    command->idle = m_or(m_not(finite), m_and(v_eq(target_x, x), v_eq(target_y, y)));

    /* Turn towards the target by at most 18 degrees. Within reach take the target's own angle, not the old angle plus a
     * difference, which would round differently. */
    vreal to = v_atan2(dy, dx);
    vreal rotation = csb_difference(to, angle);
    vreal next = v_select(v_gt(rotation, limit), angle + limit, to);
    next = v_select(v_lt(rotation, -limit), angle - limit, next);

    /* On turn 0 the pod turns at once. The -test mode of the referee also brings this angle into [0, 2 pi]. */
    if (m_any(first_tick)) {
        vreal at_once = csb_difference(to, zero);
        if (rules == CAROM_CSB_TEST) {
            at_once = v_select(v_lt(at_once, zero), at_once + turn, at_once);
            at_once = v_select(v_gt(at_once, turn), at_once - turn, at_once);
        }
        next = v_select(first_tick, at_once, next);
    }

    command->turn_to = v_select(command->idle, angle, next);
    command->shield = v_eq(thrust, v_set1(CAROM_CSB_SHIELD));
    command->boost = v_eq(thrust, v_set1(CAROM_CSB_BOOST));

    /* Any number but the two marks is a plain thrust. In the real game one above 200, or NaN, loses, and counts as
     * 0. */
    vmask plain = m_andnot(m_andnot(v_eq(thrust, thrust), command->shield), command->boost);
    if (rules == CAROM_CSB_FULL) {
        vmask allowed = v_le(thrust, v_set1((real)CSB_MAX_THRUST));
        *illegal |= m_bits(m_andnot(m_not(m_or(command->shield, command->boost)), m_and(plain, allowed)));
        plain = m_and(plain, allowed);
    }

    command->thrust = v_select(plain, thrust, zero);
}

/* Reads the actions of the pods [first, end), all of kind `own`. */
CAROM_LANE void csb_read(const tick_run *run, tick_world w, int first, int end, const vreal angle[CSB_PODS],
                         vmask first_tick, tick_numbers numbers, uint32_t own, csb_command command[CSB_PODS],
                         unsigned illegal[CSB_PODS])
{
    if (own == CSB_RELATIVE) {
        csb_read_relative(command, numbers, first, end, angle, first_tick);
    } else if (own == CSB_NORMALISED) {
        csb_read_normalised(command, numbers, w, first, end, angle);
    } else {
        ALONE_UNROLL
        for (int i = first; i < end; i++) {
            if (own == CSB_REFEREE) {
                csb_read_referee(&command[i], numbers, i, get_x(w, i), get_y(w, i), angle[i], first_tick,
                                 run->context->rules, &illegal[i]);
            } else {
                csb_read_full(&command[i], numbers, i, angle[i], get_boosted(w, i), first_tick);
            }
        }
    }
}

/* Applies shield and boost of pod i: changes its thrust, and stores the new state of both in *t, since the tile must
 * not change before the turn is over. */
CAROM_LANE void csb_equip(csb_turn *t, tick_world w, int i, csb_command *command)
{
    vint none = i_set1(0), one = i_set1(1), full = i_set1(CSB_SHIELD_UP);
    vint boosted = get_boosted(w, i), shield = get_shield(w, i);

    /* The first boost thrusts with 650, later ones with 200. */
    vreal boost = v_select(i_eq(boosted, one), v_set1((real)CSB_MAX_THRUST), v_set1((real)CSB_BOOST_THRUST));
    command->thrust = v_select(command->boost, boost, command->thrust);

    t->boosted[i] = i_select(command->boost, one, boosted);
    t->shield[i] = i_select(command->shield, full, shield);

    /* No thrust while a shield is up; a boost requested now is used up all the same. */
    command->thrust = v_select(i_gt(t->shield[i], none), v_set1(REAL(0.0)), command->thrust);
}

/* Sines and cosines for angles that may be NaN or beyond CSB_MAX_ANGLE. A world with such an angle faults; the results
 * decide which fault it is. */
static void csb_sincos_spun(const vreal angle[CSB_PODS], vreal sine[CSB_PODS], vreal cosine[CSB_PODS])
{
    v_sincos4(angle, sine, cosine);
}

/* Rotates and accelerates all pods. `referee`: some pods may be idle. */
CAROM_LANE void csb_obey(const tick_run *run, tick_turn *turn, tick_world w, csb_command command[CSB_PODS],
                         bool referee)
{
    csb_turn *t = &turn->own;
    vreal angle[CSB_PODS], sine[CSB_PODS], cosine[CSB_PODS];
    EACH4 (i) {
        angle[i] = command[i].turn_to;
        t->angle[i] = angle[i];
    }

    /* The fast sines need angles within CSB_MAX_ANGLE; the sum of the magnitudes shows at once that all are. Otherwise
     * recompute them carefully, which is very rare. */
    t->wild = !m_all(v_le(csb_sum4(angle), v_set1((real)CSB_MAX_ANGLE)));
    v_sincos4_within(angle, sine, cosine);
    if (t->wild) {
        vreal apart[2][CSB_PODS]; /* so that sine and cosine can stay in registers */
        csb_sincos_spun(t->angle, apart[0], apart[1]);
        EACH4 (i) {
            sine[i] = apart[0][i];
            cosine[i] = apart[1][i];
        }
    }

    if (run->tick->watched) {
        EACH4 (i) {
            t->sine[i] = sine[i];
            t->cosine[i] = cosine[i];
        }
    }

    /* Thrust along the new angle. An idle pod keeps its velocity, whatever the requested thrust. */
    EACH4 (i) {
        vreal old_vx = get_vx(w, i);
        vreal old_vy = get_vy(w, i);
        vreal vx = old_vx + cosine[i] * command[i].thrust;
        vreal vy = old_vy + sine[i] * command[i].thrust;
        turn->vx[i] = referee ? v_select(command[i].idle, old_vx, vx) : vx;
        turn->vy[i] = referee ? v_select(command[i].idle, old_vy, vy) : vy;
    }
}

/* Actions "referee" may have any thrust. Notes velocities beyond those for which the boxes are proven (csb_boxes). */
CAROM_LANE void csb_limit(tick_turn *turn)
{
    vmask tame = m_from_bits(LANES_ALL);
    EACH4 (i) {
        tame = m_and(tame, m_and(csb_inside(turn->vx[i], 2 * CSB_RANGE), csb_inside(turn->vy[i], 2 * CSB_RANGE)));
    }
    turn->own.fast = !m_all(tame);
    turn->own.wild = turn->own.wild || turn->own.fast;
}

/* The commands of the worlds of a group, from actions of kind `kind`. */
CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind)
{
    tick_turn *turn = run_turn(run, home);
    csb_turn *t = &turn->own;
    (void)active;

    /* Rewards need the progress before the turn, unless the last turn of this call has left it. */
    if (run_rewarded(run) && !run_settled(run, home)) {
        csb_progress(run, w, t->progress);
    }

    vmask first_tick = i_eq(get_tick(w), i_set1(0));
    csb_command command[CSB_PODS];
    vreal angle[CSB_PODS];
    EACH4 (i) {
        angle[i] = get_angle(w, i);
    }

    /* Read the actions of all pods at once, or player by player if their kinds differ. */
    unsigned illegal[CSB_PODS] = {0, 0, 0, 0};
    if (kind != TICK_MIXED) {
        csb_read(run, w, 0, CSB_PODS, angle, first_tick, numbers, kind, command, illegal);
    } else {
        ALONE_UNROLL
        for (int player = 0; player < 2; player++) {
            csb_read(run, w, 2 * player, 2 * player + 2, angle, first_tick,
                     run_numbers_of(run, numbers, kind, (unsigned)player), run->tick->kinds[player], command, illegal);
        }
    }

    t->illegal[0] = (uint16_t)(illegal[0] | illegal[1]);
    t->illegal[1] = (uint16_t)(illegal[2] | illegal[3]);

    /* In a time trial player 1 gets no actions. */
    if (run->context->alone) {
        csb_read_nothing(&command[2], angle[2]);
        csb_read_nothing(&command[3], angle[3]);
        t->illegal[1] = 0;
    }

    /* Shields and boosts are rare: handle them only if some pod has or requests one. */
    vmask special = m_or(command[0].shield, command[0].boost);
    special = m_or(special, m_or(command[1].shield, command[1].boost));
    special = m_or(special, m_or(command[2].shield, command[2].boost));
    special = m_or(special, m_or(command[3].shield, command[3].boost));
    t->special = m_any(m_or(special, CSB_ANY_ABOVE_0(shield, w)));
    if (t->special) {
        EACH4 (i) {
            csb_equip(t, w, i, &command[i]);
        }
    }

    const bool referee = run_kind_of(run, kind, 0) == CSB_REFEREE || run_kind_of(run, kind, 1) == CSB_REFEREE;
    csb_obey(run, turn, w, command, referee);
    t->midways = 0;
    t->fast = false;
    if (referee) {
        csb_limit(turn);
    }
}

/* ---- movement (RULES.md, 2): candidate pairs ----
 *
 * A filter precedes the referee's own expression, and removes only pairs that this expression would reject. If the
 * boxes that two pods sweep in the time left, each widened by 400, are apart by more than CSB_SLACK, then f(t) = |p + w
 * t|^2 - 800^2 > (1600 + CSB_SLACK) CSB_SLACK throughout. The computed time of contact is the root of a quadratic that
 * differs from f by at most u |p| (35 |p| + 14 |w|) in [0, 1] (u: half a unit in the last place): 21 u |p|^2 for the
 * roundings of the coefficients and of the discriminant, counted as one of c, and 14 u |p| (|p| + |w|) for those of the
 * root, counted as a shift of t. In the range of valid states, |p| <= 2 sqrt(2) CSB_RANGE and, if impacts may double
 * velocities, |w| <= 8 sqrt(2) CSB_RANGE: that is 370 of 1601 (f64) and 7.5e5 of 1.9e6 (f32). So there is no root. */

/* The box that the centre of each pod sweeps while it moves freely. */
typedef struct csb_boxes {
    vreal low_x[4], high_x[4], low_y[4], high_y[4]; /* high: with CSB_REACH added */
} csb_boxes;

#define CSB_REACH ((real)CSB_TOUCH + CSB_SLACK)

/* Sets box i, for a pod that moves from (x, y) to (end_x, end_y). */
CAROM_LANE void csb_box(csb_boxes *boxes, int i, vreal x, vreal y, vreal end_x, vreal end_y)
{
    vreal reach = v_set1(CSB_REACH);
    boxes->low_x[i] = v_min(x, end_x);
    boxes->low_y[i] = v_min(y, end_y);
    boxes->high_x[i] = v_max(x, end_x) + reach;
    boxes->high_y[i] = v_max(y, end_y) + reach;
}

/* May pods i and j touch? Their boxes are within CSB_REACH of each other. */
CAROM_LANE vmask csb_near(const csb_boxes *boxes, int i, int j)
{
    vmask x = m_and(v_le(boxes->low_x[i], boxes->high_x[j]), v_le(boxes->low_x[j], boxes->high_x[i]));
    vmask y = m_and(v_le(boxes->low_y[i], boxes->high_y[j]), v_le(boxes->low_y[j], boxes->high_y[i]));
    return m_and(x, y);
}

/* The radius of a checkpoint, plus a margin for positions rounded at the end of the turn. */
#define CSB_PASS_WITHIN ((real)CSB_CHECKPOINT + REAL(2.0))

/* May pod i, moving within its box, pass the checkpoint (cx, cy), even if its end is rounded? */
CAROM_LANE vmask csb_box_may_pass(const csb_boxes *boxes, int i, vreal cx, vreal cy)
{
    vreal wide = v_set1(CSB_PASS_WITHIN), rest = v_set1(CSB_REACH - CSB_PASS_WITHIN);
    vmask x = m_and(v_ge(cx + wide, boxes->low_x[i]), v_le(cx + rest, boxes->high_x[i]));
    vmask y = m_and(v_ge(cy + wide, boxes->low_y[i]), v_le(cy + rest, boxes->high_y[i]));
    return m_and(x, y);
}

/* ---- movement: the earliest contact ---- */

/* Sets what impacts need besides positions and velocities (RULES_GIVEN): checkpoints and inverse masses. Called only
 * for groups with an impact. */
CAROM_LANE void rules_give(const tick_run *run, unsigned home, tick_world w, tick_bodies *pods)
{
    const csb_turn *t = csb_turn_of(run, home);
    EACH4 (i) {
        pods->cx[i] = get_cx(w, i);
        pods->cy[i] = get_cy(w, i);
        pods->inverse[i] = v_set1(REAL(1.0));
    }

    /* A pod whose shield went up in this turn is heavier; a shield in cool-down does not count. */
    if (t->special) {
        EACH4 (i) {
            pods->inverse[i] =
                v_select(i_eq(t->shield[i], i_set1(CSB_SHIELD_UP)), v_set1((real)CSB_SHIELD_INVERSE), pods->inverse[i]);
        }
    }
}

/* Computes the contact of pods a and b, with relative position p and relative velocity w, where they are near. If it is
 * not later than next->time, it becomes the next impact. */
CAROM_LANE void csb_try(tick_impact *next, unsigned a, unsigned b, vreal px, vreal py, vreal wx, vreal wy, vmask near)
{
    vreal zero = v_set1(REAL(0.0)), reach2 = v_set1((real)(CSB_TOUCH * CSB_TOUCH));

    /* The contact is the smaller root of |p + w t|^2 = 800^2, with the coefficients as the referee computes them. */
    vreal p2 = px * px + py * py;
    vreal dot = px * wx + py * wy;
    vreal w2 = wx * wx + wy * wy;
    vreal disc = dot * dot - w2 * (p2 - reach2);

    /* Pods that already touch meet at time 0, whatever the root is. Otherwise they must not be separating; in f32 that
     * holds for touching pods, too, and they must approach. */
    vmask touch = v_le(p2, reach2);
    vreal t = (-dot - v_sqrt(disc)) / w2; /* NaN if disc < 0 or w = 0: never chosen */
#if CAROM_REAL_BITS == 64
    vmask meet = m_or(touch, v_le(dot, zero));
#else
    vmask meet = v_lt(dot, zero);
#endif
    t = v_select(touch, zero, t);

    /* "<=", not "<": among equal times the last pair tried wins. */
    vmask take = m_and(m_and(near, meet), v_le(t, next->time));
    next->time = v_select(take, t, next->time);
    next->what = v_select(take, impact_what(a, 0, b), next->what);
}

/* The boxes that the pods sweep in the time left if they meet nothing. */
CAROM_LANE void csb_sweep(csb_boxes *boxes, const tick_bodies *pods, vreal left)
{
    EACH4 (i) {
        csb_box(boxes, i, pods->x[i], pods->y[i], pods->x[i] + pods->vx[i] * left, pods->y[i] + pods->vy[i] * left);
    }
}

/* The pairs in the referee's order, which breaks ties: X(the larger index, the smaller). */
#define CSB_EACH_PAIR(X) X(3, 2) X(3, 1) X(3, 0) X(2, 1) X(2, 0) X(1, 0)

/* Calls csb_try() for each pair in the lanes where its boxes are near, and in the lanes `all` (bits) for every pair.
 * Mostly no pair is near in any lane: then one branch skips all six. The near lanes of a pair are kept as bits, since
 * six masks would take six vector registers, more than AVX2 can spare. */
CAROM_LANE void csb_try_pairs(tick_impact *next, const tick_bodies *p, const csb_boxes *boxes, vmask lanes,
                              unsigned all)
{
    unsigned any = all;
#define CSB_NEAR(a, b) const unsigned near_##a##b = all | m_bits(m_and(lanes, csb_near(boxes, a, b)));
#define CSB_ANY(a, b) any |= near_##a##b;
#define CSB_TRY(a, b)                                                                                                  \
    if (near_##a##b != 0) {                                                                                            \
        csb_try(next, a, b, p->x[b] - p->x[a], p->y[b] - p->y[a], p->vx[b] - p->vx[a], p->vy[b] - p->vy[a],            \
                m_from_bits(near_##a##b));                                                                             \
    }
    CSB_EACH_PAIR(CSB_NEAR)
    CSB_EACH_PAIR(CSB_ANY)
    if (any != 0) {
        CSB_EACH_PAIR(CSB_TRY)
    }
#undef CSB_NEAR
#undef CSB_ANY
#undef CSB_TRY
}

/* The first impact of the turn: like rules_next() below, but velocities may be beyond those for which the boxes are
 * proven, and the boxes also show whether any pod may pass its checkpoint without an impact. */
CAROM_LANE void rules_first(tick_run *run, unsigned home, tick_world w, const tick_bodies *pods, tick_impact *next,
                            vmask lanes)
{
    csb_turn *t = csb_turn_of(run, home);
    csb_boxes boxes;
    vmask cross = m_from_bits(0);
    csb_sweep(&boxes, pods, next->left);
    csb_try_pairs(next, pods, &boxes, lanes, t->fast ? m_bits(lanes) : 0);

    EACH4 (i) {
        cross = m_or(cross, csb_box_may_pass(&boxes, i, get_cx(w, i), get_cy(w, i)));
    }
    t->cross = t->fast || m_any(cross);
}

/* The next impact of a turn, after the first. */
CAROM_LANE void rules_next(tick_run *run, const tick_bodies *pods, tick_impact *next, vmask lanes)
{
    csb_boxes boxes;
    (void)run;
    csb_sweep(&boxes, pods, next->left);
    csb_try_pairs(next, pods, &boxes, lanes, 0);
}

/* ---- movement: bounce ---- */

/* Selects one of three numbers: the last where is2, otherwise the second where is1, otherwise the first. */
CAROM_LANE vreal csb_pick(const vreal a[3], vmask is1, vmask is2)
{
    return v_select(is2, a[2], v_select(is1, a[1], a[0]));
}

/* Bounces the pair of every active lane (RULES.md, 2); the pods are at their positions of contact. */
CAROM_LANE void csb_bounce(tick_bodies *pods, const tick_impact *impact, vmask active)
{
    /* Lanes differ in their pairs. Copy out the two pods: a with the larger index (1..3), b with the smaller (0..2). */
    vmask a3 = m_or(impact_is(impact, 3, 0, 2), m_or(impact_is(impact, 3, 0, 1), impact_is(impact, 3, 0, 0)));
    vmask a2 = m_or(impact_is(impact, 2, 0, 1), impact_is(impact, 2, 0, 0));
    vmask b2 = impact_is(impact, 3, 0, 2);
    vmask b1 = m_or(impact_is(impact, 3, 0, 1), impact_is(impact, 2, 0, 1));
    vreal xa = csb_pick(pods->x + 1, a2, a3), ya = csb_pick(pods->y + 1, a2, a3);
    vreal xb = csb_pick(pods->x, b1, b2), yb = csb_pick(pods->y, b1, b2);
    vreal vxa = csb_pick(pods->vx + 1, a2, a3), vya = csb_pick(pods->vy + 1, a2, a3);
    vreal vxb = csb_pick(pods->vx, b1, b2), vyb = csb_pick(pods->vy, b1, b2);
    vreal ma = csb_pick(pods->inverse + 1, a2, a3), mb = csb_pick(pods->inverse, b1, b2);

    /* The unit vector n from a to b, along which the pods exchange momentum. */
    vreal nx = xb - xa, ny = yb - ya;
    vreal d = v_sqrt(nx * nx + ny * ny);
    nx = nx / d;
    ny = ny / d;

    /* The elastic impulse is twice f. The referee adds f to itself, or the minimum impulse if f is smaller. */
    vreal rx = vxa - vxb, ry = vya - vyb;
    vreal f = (nx * rx + ny * ry) / (ma + mb);
    vreal least = v_set1((real)CSB_LEAST_IMPULSE);
    f = f + v_select(v_lt(f, least), least, f);

    vreal ix = nx * -f, iy = ny * -f;
    vxa = vxa + ix * ma;
    vya = vya + iy * ma;
    vxb = vxb + -ix * mb;
    vyb = vyb + -iy * mb;

    /* If the computed distance is at most 800, move both pods apart along n until it is 800.00002; otherwise they would
     * count as touching, and meet again at time 0. In f32 large coordinates would lose such a small push, so it grows
     * with them. */
    vmask overlap = v_le(d, v_set1((real)CSB_TOUCH));
    vreal push = v_set1((real)CSB_PUSH);
#if CAROM_REAL_BITS == 32
    vreal greatest = v_max(v_max(v_abs(xa), v_abs(ya)), v_max(v_abs(xb), v_abs(yb)));
    push = v_max(push, v_binade(greatest) * v_set1(4 * FLT_EPSILON));
#endif
    vreal o = -(d - v_set1((real)CSB_TOUCH)) * v_set1(REAL(0.5)) + push;
    xa = v_select(overlap, xa + nx * -o, xa);
    ya = v_select(overlap, ya + ny * -o, ya);
    xb = v_select(overlap, xb + nx * o, xb);
    yb = v_select(overlap, yb + ny * o, yb);

    /* Put the two pods back, in the active lanes only. */
    a3 = m_and(a3, active);
    a2 = m_and(a2, active);
    vmask a1 = m_andnot(active, m_or(a2, a3));
    b2 = m_and(b2, active);
    b1 = m_and(b1, active);
    vmask b0 = m_andnot(active, m_or(b1, b2));
#define CSB_PUT(field, a, b)                                                                                           \
    pods->field[0] = v_select(b0, b, pods->field[0]);                                                                  \
    pods->field[1] = v_select(a1, a, v_select(b1, b, pods->field[1]));                                                 \
    pods->field[2] = v_select(a2, a, v_select(b2, b, pods->field[2]));                                                 \
    pods->field[3] = v_select(a3, a, pods->field[3])
    CSB_PUT(x, xa, xb);
    CSB_PUT(y, ya, yb);
    CSB_PUT(vx, vxa, vxb);
    CSB_PUT(vy, vya, vyb);
#undef CSB_PUT
}

/* The two pods of a contact, for recordings and hooks. */
static void rules_touch(const tick_run *run, unsigned home, unsigned first, unsigned kind, unsigned second,
                        impact_touch *touch)
{
    const csb_turn *t = csb_turn_of(run, home);
    const unsigned pods[2] = {first, second};
    (void)kind;
    touch->body = (int)second;
    touch->radius = CSB_TOUCH / 2;
    for (unsigned k = 0; k < 2; k++) {
        alignas(64) int32_t shield[LANES];
        i_store32(shield, t->special ? t->shield[pods[k]] : i_set1(0));
        touch->mass[k] = shield[home % LANES] == CSB_SHIELD_UP ? 1 / CSB_SHIELD_INVERSE : 1;
    }
}

/* ---- movement: checkpoints ---- */

/* May the segment from (px, py) to (qx, qy) pass the checkpoint (cx, cy)? Compares the boxes around them. */
CAROM_LANE vmask csb_segment_may_pass(vreal px, vreal py, vreal qx, vreal qy, vreal cx, vreal cy)
{
    vreal wide = v_set1(CSB_PASS_WITHIN);
    vmask x = m_and(v_le(v_min(px, qx) - wide, cx), v_le(cx, v_max(px, qx) + wide));
    vmask y = m_and(v_le(v_min(py, qy) - wide, cy), v_le(cy, v_max(py, qy) + wide));
    return m_and(x, y);
}

/* Does the segment from (px, py) to (qx, qy) pass the checkpoint (cx, cy)? */
CAROM_LANE vmask csb_cross(vreal px, vreal py, vreal qx, vreal qy, vreal cx, vreal cy)
{
    /* The point of the segment nearest to the checkpoint: its foot p + u d, or an end if u is outside [0, 1]. */
    vreal dx = qx - px, dy = qy - py;
    vreal l2 = dx * dx + dy * dy;
    vreal u = ((cx - px) * dx + (cy - py) * dy) / l2; /* NaN without motion: then p itself is the nearest */
    vmask inside = v_gt(u, v_set1(REAL(0.0))), past = v_gt(u, v_set1(REAL(1.0)));
    vreal zx = v_select(past, qx, v_select(inside, px + u * dx, px));
    vreal zy = v_select(past, qy, v_select(inside, py + u * dy, py));

    zx = zx - cx;
    zy = zy - cy;
    return v_lt(zx * zx + zy * zy, v_set1((real)(CSB_CHECKPOINT * CSB_CHECKPOINT)));
}

/* A pod passes a checkpoint before the end of the turn. The world may still be restored to its old state, so the tile
 * must not change: count the pass in csb_turn, and set (*cx, *cy) to the checkpoint after it. */
static void csb_pass_midway(tick_run *run, unsigned home, int pod, real *cx, real *cy)
{
    csb_turn *t = csb_turn_of(run, home);
    const unsigned lane = home % LANES;

    /* The first such pass of the group in this turn: clear the counts, which are from an earlier turn. */
    if (t->midways == 0) {
        for (int i = 0; i < CSB_PODS; i++) {
            for (int l = 0; l < LANES; l++) {
                t->passes[i][l] = 0;
            }
        }
    }

    t->midway[pod] = (uint16_t)(t->midway[pod] | 1u << lane);
    csb_point(run->context, run_world(run, home), pod, ++t->passes[pod][lane], cx, cy);
}

/* csb_pass_midway() for the lanes `bits`, in which pod `pod` has passed its checkpoint. */
static void csb_pass_lanes(tick_run *run, tick_bodies *pods, const int32_t *home, int pod, unsigned bits)
{
    alignas(64) real cx[LANES], cy[LANES];
    v_store(cx, pods->cx[pod]);
    v_store(cy, pods->cy[pod]);
    EACH_LANE (l, bits) {
        csb_pass_midway(run, (unsigned)home[l], pod, &cx[l], &cy[l]);
    }
    pods->cx[pod] = v_load(cx);
    pods->cy[pod] = v_load(cy);
}

/* Ends a sub-step of pod i, in the lanes with time left. */
CAROM_LANE void csb_substep_checkpoint(tick_run *run, tick_bodies *pods, int i, vmask alive, const int32_t *home)
{
    /* Compute the nearest point only where the cheaper box test succeeds. */
    vreal px = pods->px[i], py = pods->py[i], x = pods->x[i], y = pods->y[i], cx = pods->cx[i], cy = pods->cy[i];
    if (m_any(m_and(alive, csb_segment_may_pass(px, py, x, y, cx, cy)))) {
        vmask hit = m_and(alive, csb_cross(px, py, x, y, cx, cy));
        if (m_any(hit)) {
            csb_pass_lanes(run, pods, home, i, m_bits(hit));
        }
    }

    /* The next sub-step starts here. */
    pods->px[i] = v_select(alive, x, px);
    pods->py[i] = v_select(alive, y, py);
}

/* Bounces the pair of every active lane, and ends a sub-step of all pods. */
CAROM_LANE vmask rules_hit(tick_run *run, tick_bodies *pods, const tick_impact *impact, vmask active,
                           const int32_t *home)
{
    csb_bounce(pods, impact, active);

    /* Test the sub-step against the checkpoints. If no time is left, the end of the turn does that with rounded
     * positions. */
    vmask alive = m_and(active, v_gt(impact->left, v_set1(REAL(0.0))));
    if (m_any(alive)) {
        EACH4 (i) {
            csb_substep_checkpoint(run, pods, i, alive, home);
        }
    }
    return m_from_bits(0);
}

/* ---- the end of a turn (RULES.md, 3): last segment, friction and rounding ---- */

/* Where pod i passed checkpoints earlier in the turn, sets (*cx, *cy) to the one after them. */
CAROM_LANE void csb_aim_midway(const csb_context *context, const csb_turn *t, tick_world w, int i, vreal *cx, vreal *cy)
{
    alignas(64) real x[LANES], y[LANES];
    v_store(x, *cx);
    v_store(y, *cy);

    EACH_LANE (l, t->midway[i]) {
        csb_point(context, world_of(w, l), i, t->passes[i][l], &x[l], &y[l]);
    }
    *cx = v_load(x);
    *cy = v_load(y);
}

/* Tests the last segment of pod i against its checkpoint: the lanes that pass it go to hit[i]. */
CAROM_LANE void csb_cross_pod(const tick_run *run, unsigned home, tick_world w, const tick_bodies *pods, int i)
{
    csb_turn *t = csb_turn_of(run, home);

    /* The last segment starts where the turn began or, in a world with impacts, at the end of its last sub-step with
     * time left. Each pod aims at the checkpoint after those that it already passed in this turn. */
    vreal px = pods->px[i], py = pods->py[i], x = pods->x[i], y = pods->y[i], cx = get_cx(w, i), cy = get_cy(w, i);
    if (t->midways != 0) {
        csb_aim_midway(run->context, t, w, i, &cx, &cy);
    }

    /* Where all pods move freely rules_first() has already made the box test. */
    if (run_group_of(run, home)->event == 0 || m_any(csb_segment_may_pass(px, py, x, y, cx, cy))) {
        t->hit[i] = (uint16_t)m_bits(csb_cross(px, py, x, y, cx, cy));
    }
}

/* Friction and rounding, as in the referee. */
CAROM_LANE void csb_round_pod(tick_bodies *pods, int i)
{
    vreal friction = v_set1((real)CSB_FRICTION), half = v_set1(REAL(0.5));
    pods->vx[i] = v_trunc(pods->vx[i] * friction);
    pods->vy[i] = v_trunc(pods->vy[i] * friction);
    pods->x[i] = v_floor(pods->x[i] + half);
    pods->y[i] = v_floor(pods->y[i] + half);
}

/* Makes wild worlds take the right fault. Ranges are checked by position and velocity alone, so a bad angle must show
 * in x: infinity if the angle is out of range, NaN if any number of the pod is NaN. The sum of its numbers shows the
 * latter; opposite infinities make it NaN, too. */
CAROM_LANE void csb_lose_wild(const csb_turn *t, tick_bodies *pods)
{
    EACH4 (i) {
        const vreal x =
            v_select(csb_inside(t->angle[i], (real)CSB_MAX_ANGLE), pods->x[i], v_set1((real)__builtin_inf()));
        const vreal sum = pods->x[i] + pods->y[i] + (pods->vx[i] + pods->vy[i]) + t->angle[i];
        pods->x[i] = v_select(v_eq(sum, sum), x, sum);
    }
}

/* The rules of the end of the turn, after the movement. */
CAROM_LANE void rules_after(tick_run *run, unsigned home, tick_world w, tick_bodies *pods)
{
    csb_turn *t = csb_turn_of(run, home);
    EACH4 (i) {
        csb_round_pod(pods, i);
    }

    /* Skip the checkpoints where rules_first() found none in reach. Its result is for pods that move freely only. */
    t->hits = 0;
    if (t->cross || run_group_of(run, home)->event != 0) {
        EACH4 (i) {
            csb_cross_pod(run, home, w, pods, i);
        }
    }

    if (t->wild) {
        csb_lose_wild(t, pods);
    }
}

/* ---- the end of a turn: the new state ---- */

/* Counts down the shield of pod i, and stores its boost. */
CAROM_LANE void csb_store_special(const csb_turn *t, tick_world w, int i, tick_kept kept)
{
    vint none = i_set1(0);
    set_shield(w, i, i_select(i_gt(t->shield[i], none), i_sub(t->shield[i], i_set1(1)), none), kept);
    set_boosted(w, i, t->boosted[i], kept);
}

/* Counts down the player's timeout; returns the lanes in which it has run out. */
CAROM_LANE vmask csb_count_down(tick_world w, int player, tick_kept kept)
{
    vint old = get_timeout(w, player), less = i_sub(old, i_set1(1));
    vmask wraps = i_gt(i_set1(INT16_MIN + 1), old);
    if (m_any(wraps)) {
        less = i_select(wraps, old, less); /* a game may continue after its end: stop before the int16 wraps */
    }

    set_timeout(w, player, less, kept);
    return i_gt(i_set1(1), less);
}

/* Writes the new state of the kept lanes to the tile, except positions and velocities, which rules_store() has
 * written. */
CAROM_LANE void rules_keep(tick_run *run, unsigned home, tick_world w, tick_kept kept)
{
    csb_turn *t = csb_turn_of(run, home);
    EACH4 (i) {
        set_angle(w, i, t->angle[i], kept);
    }

    /* In a time trial player 1 cannot run out of time. */
    const vmask late = csb_count_down(w, 0, kept);
    t->late = (uint16_t)m_bits(run->context->alone ? late : m_or(late, csb_count_down(w, 1, kept)));

    if (t->special) {
        EACH4 (i) {
            csb_store_special(t, w, i, kept);
        }
    }
}

/* ---- the end of a turn: passed checkpoints, rewards ---- */

/* Pod `pod` of one world has passed `count` checkpoints in this turn. The rest of the new state is already in the
 * tile. */
static void csb_pass(tick_run *run, tick_world w, int pod, int32_t count)
{
    const csb_course *course = csb_course_of(run->context, w);

    int32_t next = *at_next(w, pod) + count;
    const bool won = next > course->last;
    next = won ? course->last : next;
    const int32_t *point = run->context->points[course->first + next];
    *at_next(w, pod) = (int16_t)next;

    /* Write only a change: vector loads of `won` follow at once, and would stall on a byte just written. */
    if (won) {
        *at_won(w, pod) = 1;
    }

    /* The countdown of this turn comes after the checkpoint in the rules, but the tile already has it: hence 99. */
    *at_timeout(w, pod >> 1) = CSB_TIMEOUT - 1;
    *at_cx(w, pod) = (real)point[0];
    *at_cy(w, pod) = (real)point[1];

    run_count_goals(run, (unsigned)count);
}

/* Loops over the set bits of `passed`; declares `at`. With one lane it takes one of four constants. */
#if TILE_LANES == 1
#define CSB_EACH_PASSED(at, passed)                                                                                    \
    ALONE_UNROLL                                                                                                       \
    for (unsigned at = 0; at < 16 * CSB_PODS; at += 16)                                                                \
        if (((passed) >> at & 1) != 0)
#else
#define CSB_EACH_PASSED(at, passed)                                                                                    \
    for (uint64_t at##_left = (passed), at = 0; at##_left != 0 && (at = (uint64_t)__builtin_ctzll(at##_left), true);   \
         at##_left &= at##_left - 1)
#endif

/* How many checkpoints pod i of one world has passed in the turn. */
CAROM_LANE int32_t csb_passes_of(const csb_turn *t, int i, unsigned lane)
{
    return (t->hit[i] >> lane & 1) + (t->midways != 0 ? t->passes[i][lane] : 0);
}

/* How many checkpoints pod i has passed in the turn, in every lane. */
CAROM_LANE vreal csb_passed_by(const csb_turn *t, int i)
{
    alignas(64) real passed[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        passed[l] = (real)csb_passes_of(t, i, l);
    }
    return v_load(passed);
}

/* The reward for progress `gained`, and for the checkpoints passed by `count` pods from `first` on. */
CAROM_LANE vreal csb_weighed(const csb_context *context, const csb_turn *t, vreal gained, int first, int count)
{
    vreal reward = v_set1((real)context->weights[CSB_FOR_PROGRESS]) * gained;
    if (context->weights[CSB_FOR_CHECKPOINT] != 0) {
        vreal passed = csb_passed_by(t, first);
        for (int i = first + 1; i < first + count; i++) {
            passed = passed + csb_passed_by(t, i);
        }
        reward = reward + v_set1((real)context->weights[CSB_FOR_CHECKPOINT]) * passed;
    }
    return reward;
}

/* Applies passed checkpoints, and writes the players' rewards if wanted; returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    csb_turn *t = csb_turn_of(run, home);

    /* Few pods pass a checkpoint in a turn: visit them one by one. `passed` has 16 bits, one per lane, for every
     * pod. */
    const uint64_t kept_pods = kept * UINT64_C(0x0001000100010001);
    const uint64_t passed = little_order(t->hits | t->midways, sizeof t->hit[0]) & kept_pods;
    CSB_EACH_PASSED(at, passed)
    {
        const int i = (int)at / 16;
        const unsigned lane = (unsigned)at % 16;
        csb_pass(run, world_of(w, lane), i, csb_passes_of(t, i, lane));
    }

    /* The progress after this turn is the progress before the next one. */
    if (reward != NULL) {
        vreal after[2];
        csb_progress_ahead(run->context, w, after);
        for (int p = 0; p < 2; p++) {
            reward[p] = csb_weighed(run->context, t, after[p] - t->progress[p], 2 * p, 2);
            t->progress[p] = after[p];
        }
    }

    /* These are only candidates: rules_decide() says whether and how the games end. */
    const vmask last = i_gt(get_tick(w), i_set1(run->context->ticks - 1));
    return t->late | t->illegal[0] | t->illegal[1] | m_bits(m_or(last, CSB_ANY_ABOVE_0(won, w)));
}

/* Rewards each pod separately, after rules_settle(). */
CAROM_LANE void rules_settle_own(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    csb_turn *t = csb_turn_of(run, home);
    vreal after[CSB_PODS];
    (void)kept;
    csb_progress_each(run->context, w, after);
    for (int i = 0; i < CSB_PODS; i++) {
        reward[i] = csb_weighed(run->context, t, after[i] - t->progress[i], i, 1);
        t->progress[i] = after[i];
    }
}

/* ---- the end of the game (RULES.md, 3) ---- */

/* The referee's score of a pod at (x, y) after the last turn: next * 1000000 - distance. */
DEVICE_APART double csb_score(int next, real x, real y, real cx, real cy)
{
    const double dx = (double)x - (double)cx;
    const double dy = (double)y - (double)cy;
    return next * CSB_SCORE - __builtin_sqrt(dx * dx + dy * dy);
}

static double csb_score_of(tick_world w, int pod)
{
    return csb_score(*at_next(w, pod), *at_x(w, pod), *at_y(w, pod), *at_cx(w, pod), *at_cy(w, pod));
}

/* The player of the pod with the greatest score, the first among equals; -1 if no score is above 0. */
static int csb_winner_by_score(tick_world w)
{
    int best = -1;
    double greatest = 0;
    for (int i = 0; i < CSB_PODS; i++) {
        const double score = csb_score_of(w, i);
        if (score > greatest) {
            greatest = score;
            best = i >> 1;
        }
    }
    return best;
}

/* The player whose better pod has the greater score, or -1 if both are equal (option fair_timeouts). */
static int csb_fair_winner(tick_world w)
{
    double score[2];
    for (int p = 0; p < 2; p++) {
        const double a = csb_score_of(w, 2 * p), b = csb_score_of(w, 2 * p + 1);
        score[p] = a > b ? a : b;
    }
    return score[0] > score[1] ? 0 : score[1] > score[0] ? 1 : -1;
}

/* The greatest number of checkpoints that a pod of the player has passed. */
static int32_t rules_score(tick_world w, int player)
{
    int32_t most = 0;
    for (int i = 2 * player; i < 2 * player + 2; i++) {
        const int32_t passed = *at_next(w, i) - 1 + (*at_won(w, i) != 0);
        most = passed > most ? passed : most;
    }
    return most;
}

/* Does the game end, and with which winner? In the order of RULES.md, 3. */
static tick_verdict csb_verdict(const csb_context *context, const csb_turn *t, unsigned lane, tick_world w)
{
    const int players = context->alone ? 1 : 2;

    /* An illegal thrust takes precedence over everything else. */
    for (int player = 0; player < 2; player++) {
        if ((t->illegal[player] >> lane & 1) != 0) {
            return verdict_of(CAROM_TERMINATED, 1 - player);
        }
    }

    /* Timeouts. If both players are out of time player 0 loses, unless the option fair_timeouts is set. */
    if (context->fair && !context->alone && *at_timeout(w, 0) <= 0 && *at_timeout(w, 1) <= 0) {
        return verdict_of(CAROM_TERMINATED, csb_fair_winner(w));
    }
    for (int player = 0; player < 2; player++) {
        if (player < players && *at_timeout(w, player) <= 0) {
            return verdict_of(CAROM_TERMINATED, 1 - player);
        }
    }

    for (int i = 0; i < CSB_PODS; i++) {
        if (*at_won(w, i) != 0) {
            return verdict_of(CAROM_TERMINATED, i >> 1);
        }
    }

    return world_tick(w) < context->ticks ? verdict_running()
                                          : verdict_of(CAROM_TRUNCATED, context->alone ? -1 : csb_winner_by_score(w));
}

/* The verdict on one world, which is also stored as its `winner`. */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    tick_verdict verdict = csb_verdict(run->context, csb_turn_of(run, home), home % LANES, w);
    if (verdict.end != CAROM_RUNNING) {
        *at_winner(w, 0) = (int8_t)verdict.winner;
        verdict.stake = (float)run->context->weights[CSB_FOR_RESULT];
    }
    return verdict;
}

#endif
