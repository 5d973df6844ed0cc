/* SPDX-License-Identifier: MIT
 * Implements what carom/kit/rules.h declares: the types and functions for writing a game's rules.
 */
#ifndef CAROM_KIT_ENGINE_WORDS_H
#define CAROM_KIT_ENGINE_WORDS_H

#include <carom/base.h>

#include <math.h> /* INFINITY */
#include <stddef.h>
#include <stdint.h>

/* ---- defaults for what a game does not define ---- */

#if !defined(RULES_FAR_Y)
#define RULES_FAR_Y RULES_FAR_X
#endif
#if !defined(RULES_EVENTS)
#define RULES_EVENTS 64
#endif
#if !defined(RULES_STATE)
#define RULES_STATE(REAL, INT32, INT16, INT8)
#endif
#if defined(RULES_OPTIONS)
#define KIT_OPTIONS RULES_OPTIONS
#else
#define KIT_OPTIONS(COUNT, FLAG, NUMBER)
#endif
#if defined(RULES_LIDAR_RAYS) && !defined(RULES_AGENTS)
#error "RULES_LIDAR_RAYS are of the bodies that players act with: RULES_AGENTS is their number"
#endif
#if defined(RULES_LIDAR_RAYS) && !defined(RULES_LIDAR_MEETS)
#error "RULES_LIDAR_MEETS are the kinds of things that rays meet"
#endif
#if defined(RULES_LIDAR_RAYS) && !defined(RULES_LIDAR_SEEN)
#define RULES_LIDAR_SEEN(X)
#endif
#if defined(RULES_EGO_SEEN) && !defined(RULES_AGENTS)
#error "RULES_EGO_SEEN is what the bodies see that players act with: RULES_AGENTS is their number"
#endif

/* The options are a batch's whole context. */
#define KIT_COUNT_MEMBER(name, usual, least, most, meaning) uint32_t name;
#define KIT_FLAG_MEMBER(name, usual, meaning) uint32_t name;
#define KIT_NUMBER_MEMBER(name, usual, least, most, meaning) double name;
typedef struct rules_options {
    size_t size;
    KIT_OPTIONS(KIT_COUNT_MEMBER, KIT_FLAG_MEMBER, KIT_NUMBER_MEMBER)
} rules_options;
typedef rules_options rules_context;

/* ---- what the tick needs to know of a game: see tick/run.h and tick/driver.h ---- */

#define RULES_FIELDS(REAL, INT32, INT16, INT8)                                                                         \
    REAL(x, RULES_BODIES, STATE)                                                                                       \
    REAL(y, RULES_BODIES, STATE)                                                                                       \
    REAL(vx, RULES_BODIES, STATE) REAL(vy, RULES_BODIES, STATE) RULES_STATE(REAL, INT32, INT16, INT8)

/* Constants for the kinds of action and the numbers of an observation, in the order of the game's lists. */
#define KIT_ACTION_NAME(name, precision, size) action_##name,
#define KIT_ACTION_SIZE(name, precision, size) action_size_##name = (size),
#define KIT_SEEN_NAME(name, unit, least, most) seen_##name,
enum { RULES_ACTIONS(KIT_ACTION_NAME) KIT_KINDS };
enum { RULES_ACTIONS(KIT_ACTION_SIZE) KIT_SIZES_END };
enum { RULES_SEEN(KIT_SEEN_NAME) KIT_NUMBERS };
#define RULES_OBSERVATION KIT_NUMBERS
#define RULES_DRAWN action_size_normalised
/* Bytes of a player's action in the widest kind, for device programs (tick/one_rollout.h). */
#define KIT_ACTION_BYTES(name, precision, size) unsigned char name[(size) * CAROM_##precision / 8];
typedef union kit_action {
    RULES_ACTIONS(KIT_ACTION_BYTES)
    double aligned;
} kit_action;
#define RULES_ACTION_BYTES sizeof(kit_action)
#define RULES_KINDS 4 /* the maximum; kit_command() skips kinds that the game lacks */
#define RULES_MIXED
#define RULES_PLAY_WORKLIST
#if defined(RULES_EGO_SEEN)
#define KIT_EGO_NAME(name, unit, least, most) ego_##name,
enum { RULES_EGO_SEEN(KIT_EGO_NAME) KIT_EGO_NUMBERS };
#define RULES_EGO KIT_EGO_NUMBERS
#endif
#if defined(RULES_LIDAR_RAYS)
#define KIT_THING_NAME(name) thing_##name,
#define KIT_OWN_NAME(name, unit, least, most) own_##name,
enum { RULES_LIDAR_MEETS(KIT_THING_NAME) KIT_THINGS };
enum { RULES_LIDAR_SEEN(KIT_OWN_NAME) KIT_OWN_NUMBERS };
#define RULES_LIDAR_THINGS KIT_THINGS
#define RULES_LIDAR_OWN KIT_OWN_NUMBERS
#endif
#if defined(RULES_WEIGHTS)
#define KIT_WEIGHT_NAME(name, weight) KIT_WEIGHT_##name,
enum { RULES_WEIGHTS(KIT_WEIGHT_NAME) KIT_WEIGHTS };
#endif

/* The host's side plays one world at a time and checks every index: see trial.h. */
#if defined(CAROM_KIT_HOST)
#define TILE_LANES 1
#include "carom/kit/engine/checked.h"
#endif
#if defined(CAROM_KIT_HOST) || (defined(CAROM_KIT_POLICIES) && defined(RULES_POLICY_LANES))
#define CAROM_KIT_POLICY
#endif

#include "base/random.h"
#include "simd/elementary.h"
#include "simd/lanes.h"
#include "tick/bodies.h"
#include "tick/run.h"
#include "toi/circles.h"
#if defined(RULES_LIDAR_RAYS)
#include "tick/lidar.h"
#endif

#if defined(CAROM_KIT_HOST)
#include "games/look.h"
#endif
#if defined(CAROM_KIT_POLICY)
#include "tick/policy.h"
#endif

#define KIT_RULE static __attribute__((unused))

/* ---- arithmetic ---- */

CAROM_LANE vreal v_number(double a)
{
    return v_set1((real)a);
}

/* ---- bodies ---- */

CAROM_LANE vreal time_circles(vreal px, vreal py, vreal vx, vreal vy, double reach)
{
    const circles_pair pair = {px, py, vx, vy, v_number(reach)};
    const circles_equation e = equation_components(pair);
    return circles_decided(e, root_citardauq(e, v_sqrt(e.d)));
}

/* The wall that a coordinate of velocity v moves towards: at -`wall` if v < 0, else at `wall`. */
CAROM_LANE vreal kit_towards(vreal v, double wall)
{
    return v_flip(v_lt(v, v_number(0)), v_number(wall));
}

CAROM_LANE vreal time_wall(vreal x, vreal v, double wall)
{
    const vreal t = (kit_towards(v, wall) - x) / v;
    return v_max(v_number(0), t); /* rounding may have left the centre slightly beyond the wall */
}

CAROM_LANE void bodies_collide(tick_bodies *b, int i, int j, double share_i, double share_j, double bounce, vmask lanes)
{
    /* The normal n, not normalised, and the velocity of i relative to j along it. The lower bound avoids a division by
     * 0 in lanes where the centres coincide. */
    const vreal nx = b->x[i] - b->x[j], ny = b->y[i] - b->y[j];
    const vreal square = v_max(v_set1(REAL(1e-30)), dot_product(nx, ny, nx, ny));
    const vreal away = dot_product(b->vx[i] - b->vx[j], b->vy[i] - b->vy[j], nx, ny);

    /* Reverse that velocity, times bounce: n * push is the change of the relative velocity, which the two bodies
     * share. */
    const vreal push = v_number(-1 - bounce) * (away / square);
    const vreal to_i = push * v_number(share_i), to_j = push * v_number(-share_j);

    b->vx[i] = v_select(lanes, b->vx[i] + to_i * nx, b->vx[i]);
    b->vy[i] = v_select(lanes, b->vy[i] + to_i * ny, b->vy[i]);
    b->vx[j] = v_select(lanes, b->vx[j] + to_j * nx, b->vx[j]);
    b->vy[j] = v_select(lanes, b->vy[j] + to_j * ny, b->vy[j]);
}

/* Also puts the centre exactly on the wall, in case rounding left it beyond. */
CAROM_LANE void bodies_reflect(vreal *x, vreal *v, double wall, double bounce, vmask lanes)
{
    *x = v_select(lanes, kit_towards(*v, wall), *x);
    *v = v_select(lanes, *v * v_number(-bounce), *v);
}

/* ---- impacts ---- */

CAROM_LANE void impact_offer(tick_impact *next, vreal t, unsigned first, unsigned kind, unsigned second)
{
    const vmask take = v_lt(t, next->time);
    next->time = v_select(take, t, next->time);
    next->what = v_select(take, impact_what(first, kind, second), next->what);
}

CAROM_LANE void impact_offer_pairs(tick_impact *next, const tick_bodies *b, unsigned from, unsigned to, unsigned kind,
                                   double reach)
{
    for (unsigned i = from; i < to; i++) {
        for (unsigned j = i + 1; j < to; j++) {
            const vreal px = b->x[j] - b->x[i], py = b->y[j] - b->y[i];
            impact_offer(next, time_circles(px, py, b->vx[j] - b->vx[i], b->vy[j] - b->vy[i], reach), i, kind, j);
        }
    }
}

CAROM_LANE void bodies_collide_pairs(tick_bodies *b, const tick_impact *impact, unsigned from, unsigned to,
                                     unsigned kind, double bounce)
{
    for (unsigned i = from; i < to; i++) {
        for (unsigned j = i + 1; j < to; j++) {
            bodies_collide(b, (int)i, (int)j, 0.5, 0.5, bounce, impact_is(impact, i, kind, j));
        }
    }
}

CAROM_LANE vreal impact_left(const tick_impact *impact)
{
    return impact->left;
}

CAROM_LANE vreal impact_count(const tick_impact *impact)
{
    return impact->count;
}

/* ---- actions ---- */

/* The actions of all players in LANES worlds. */
typedef struct tick_actions {
    const tick_run *run;
    tick_numbers numbers; /* as returned by run_numbers() */
    uint32_t kind;        /* the tick's kind, possibly TICK_MIXED */
} tick_actions;

CAROM_LANE uint32_t action_kind(tick_actions actions, unsigned player)
{
    return run_kind_of(actions.run, actions.kind, player);
}

#define KIT_NUMBER_F32(numbers, e) number_f32(numbers, e)
#define KIT_NUMBER_F64(numbers, e) number_f64(numbers, e)
#define KIT_ACTION_CASE(name, precision, size)                                                                         \
    case action_##name:                                                                                                \
        CHECKED_INDEX(k, size, "the rules read number %d of a player's action " #name ", which has %d");               \
        return KIT_NUMBER_##precision(numbers, player * (size) + k);

CAROM_LANE vreal action_number(tick_actions actions, unsigned player, unsigned k)
{
    CHECKED_INDEX(player, RULES_PLAYERS, "the rules read actions of player %d, of RULES_PLAYERS %d");
    const tick_numbers numbers = run_numbers_of(actions.run, actions.numbers, actions.kind, player);
    switch (action_kind(actions, player)) {
        RULES_ACTIONS(KIT_ACTION_CASE)
    default:
        return v_number(0);
    }
}

CAROM_LANE vreal action_unit(tick_actions actions, unsigned player, unsigned k)
{
    /* Replace NaN by 0. NaN is the only number not equal to itself. */
    const vreal one = v_number(1), number = action_number(actions, player, k);
    const vreal some = v_select(v_eq(number, number), number, v_number(0));
    return v_max(v_min(some, one), -one);
}

/* ---- worlds, draws ---- */

CAROM_LANE tick_kept kept_in(vmask lanes)
{
    const tick_kept kept = {lanes, false};
    return kept;
}

#if defined(CAROM_KIT_POLICY)

/* The random streams of a policy, one per world. */
typedef struct tick_draws {
    random_stream lane[LANES];
} tick_draws;

CAROM_LANE vreal draw_number(tick_draws *draws)
{
    alignas(64) real number[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        number[l] = random_number(random_word(&draws->lane[l]));
    }
    return v_load(number);
}

#endif
#endif
