/* SPDX-License-Identifier: MIT
 * Rules for one world at a time: kick-offs, what a world may hold, goals and the end of the game (RULES.md, section 4).
 */
#ifndef CAROM_GAMES_SOCCER_WORLDS_H
#define CAROM_GAMES_SOCCER_WORLDS_H

#include "base/random.h"
#include "games/soccer/turn.h"
#include "simd/elementary.h"

/* ---- start, check, derive ---- */

/* Places of player 0's robots at a kick-off, as shares of half the field's length and width. Robot 0 is the keeper; a
 * team of one has only the second robot. */
static const double soccer_places[SOCCER_TEAM][2] = {
    {-0.9, 0}, {-0.2, 0},  {-0.55, 0.4}, {-0.55, -0.4}, {-0.25, 0.55}, {-0.25, -0.55},
    {-0.7, 0}, {-0.45, 0}, {-0.75, 0.6}, {-0.75, -0.6}, {-0.35, 0.25},
};
static const double soccer_ball_places[SOCCER_BALLS] = {0, 0.4, -0.4, 0.8};

/* A random number in [-1, 1). */
static double soccer_draw(random_stream *stream)
{
    return random_number(random_word(stream));
}

/* Puts everything in its place, at rest. Robots are shifted by a draw that depends on the number of goals, so that no
 * two kick-offs of a game are alike. */
static void soccer_kick_off(const soccer_context *context, uint64_t seed, tick_world w)
{
    const carom_soccer_options *o = &context->options;
    const uint32_t goals = (uint32_t)(*at_score(w, 0) + *at_score(w, 1));
    random_stream stream = random_begin(seed, world_id(w), SOCCER_DRAW_KICKOFF, world_episode(w) << 12 ^ goals);
    const double length = o->length / 2, width = o->width / 2, off = o->width * SOCCER_SPREAD;

    /* Player 1's places are player 0's turned by 180 degrees. Balls are on the middle line. */
    for (int i = 0; i < context->bodies; i++) {
        const int player = i >= context->team, place = i - player * context->team;
        double x = 0, y = 0;
        if (i < context->robots) {
            const double *at = soccer_places[context->team == 1 ? 1 : place];
            const double dx = off * soccer_draw(&stream), dy = off * soccer_draw(&stream);
            x = (player == 0 ? 1 : -1) * (at[0] * length) + dx;
            y = (player == 0 ? 1 : -1) * (at[1] * width) + dy;
            *at_angle(w, i) = player == 0 ? 0 : V_PI;
            *at_spin(w, i) = 0;
        } else {
            const int k = i - context->robots;
            y = soccer_ball_places[k] * width;
            *at_holder(w, k) = -1;
            *at_hold_x(w, k) = *at_hold_y(w, k) = 0;
        }
        *at_x(w, i) = (real)x;
        *at_y(w, i) = (real)y;
        *at_vx(w, i) = *at_vy(w, i) = 0;
    }
}

/* A new game. Fields are set in full, because what the batch does not use must be 0, or -1. */
static void rules_start(const soccer_context *context, uint64_t seed, tick_world w)
{
    for (int i = 0; i < SOCCER_BODIES; i++) {
        *at_x(w, i) = *at_y(w, i) = *at_vx(w, i) = *at_vy(w, i) = 0;
    }
    for (int i = 0; i < SOCCER_ROBOTS; i++) {
        *at_angle(w, i) = *at_spin(w, i) = 0;
        *at_ready(w, i) = 0;
    }
    for (int k = 0; k < SOCCER_BALLS; k++) {
        *at_hold_x(w, k) = *at_hold_y(w, k) = 0;
        *at_holder(w, k) = -1;
    }
    *at_score(w, 0) = *at_score(w, 1) = 0;
    *at_winner(w, 0) = -1;
    soccer_kick_off(context, seed, w);
}

static bool soccer_within(real value, double range)
{
    return (double)value >= -range && (double)value <= range; /* false for NaN */
}

/* Is this a state that the rules can play? Fields that the batch does not use must be 0, or -1. */
static bool rules_check(const soccer_context *context, tick_world w)
{
    bool good = *at_winner(w, 0) >= -1 && *at_winner(w, 0) <= 1 && *at_score(w, 0) >= 0 && *at_score(w, 1) >= 0;

    /* Places and velocities. Bodies that the batch does not have must be at 0. */
    for (int i = 0; i < SOCCER_BODIES && good; i++) {
        const double far = i < context->bodies ? SOCCER_RANGE : 0, fast = i < context->bodies ? SOCCER_FAST : 0;
        good = soccer_within(*at_x(w, i), far) && soccer_within(*at_y(w, i), far) &&
               soccer_within(*at_vx(w, i), fast) && soccer_within(*at_vy(w, i), fast);
    }

    /* What only robots have; then what only balls have. */
    for (int i = 0; i < SOCCER_ROBOTS && good; i++) {
        const bool there = i < context->robots;
        const double spin = (double)soccer_rules_of(context)->max_spin;
        good = soccer_within(*at_angle(w, i), there ? SOCCER_TURN : 0) &&
               soccer_within(*at_spin(w, i), there ? spin : 0) && *at_ready(w, i) >= 0 &&
               (there || *at_ready(w, i) == 0);
    }

    for (int k = 0; k < SOCCER_BALLS && good; k++) {
        const bool there = k < context->balls;
        const int holder = *at_holder(w, k);
        good = holder >= -1 && holder < (there ? context->robots : 0) &&
               soccer_within(*at_hold_x(w, k), there ? SOCCER_RANGE : 0) &&
               soccer_within(*at_hold_y(w, k), there ? SOCCER_RANGE : 0);
    }
    return good;
}

static void rules_derive(const soccer_context *context, tick_world w)
{
    (void)context, (void)w; /* no field is derived */
}

/* ---- settle ---- */

/* Counts the goals of a world and kicks off. Returns goals of player 0 less goals of player 1. */
static int soccer_score(const tick_run *run, unsigned home, tick_world w)
{
    const soccer_context *context = run->context;
    const real line = soccer_rules_of(context)->half_length;
    int gained = 0;
    for (int b = context->robots; b < context->bodies; b++) {
        const real x = *at_x(w, b);
        if (x > line || x < -line) {
            int16_t *score = at_score(w, x < 0);
            *score = (int16_t)(*score < SOCCER_MOST_SCORE ? *score + 1 : *score);
            gained += x > 0 ? 1 : -1;
            run_count_goals(run, 1);
        }
    }
    soccer_kick_off(context, run_seed(run, home), w);
    return gained;
}

/* Goals: a ball whose centre is behind a goal line has scored. Returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    const soccer_context *context = run->context;
    const vreal line = v_set1(soccer_rules_of(context)->half_length), zero = v_set1(REAL(0.0));
    vmask behind = m_from_bits(0);
    for (int b = context->robots; b < context->bodies; b++) {
        behind = m_or(behind, v_gt(v_abs(get_x(w, b)), line));
    }

    /* Goals are rare; the worlds that have one are handled one by one. */
    const unsigned scored = kept & m_bits(behind);
    vreal gained = zero;
    if (scored != 0) {
        alignas(64) real goals[LANES];
        v_store(goals, zero);
        EACH_LANE (l, scored) {
            goals[l] = (real)soccer_score(run, home + l, world_of(w, l));
        }
        gained = v_load(goals);
    }

    /* Rewards: a goal is 1 for its player and -1 for the other. */
    soccer_turn_of(run, home)->gained = gained;
    if (reward != NULL) {
        reward[0] = gained;
        reward[1] = zero - gained;
    }

    const vint last = i_set1((int32_t)context->options.ticks - 1), most = i_set1((int32_t)context->options.goals - 1);
    return m_bits(m_or(i_gt(get_tick(w), last), m_or(i_gt(get_score(w, 0), most), i_gt(get_score(w, 1), most))));
}

/* Has robot `robot` of lane l kicked ball k in this tick, or does it hold it? */
CAROM_LANE bool soccer_has_handled(const soccer_turn *t, tick_world w, unsigned l, int k, int robot)
{
    return ((t->kicks[k] >> l & 1) != 0 && t->kicker[k][l] == robot) || *at_holder(w, k) == robot;
}

/* Rewards of single robots: the goals of their team, and how far they took a ball towards the other goal, in lengths of
 * the field. */
CAROM_LANE void rules_settle_own(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    const soccer_context *context = run->context;
    const soccer_turn *t = soccer_turn_of(run, home);
    const real length = (real)context->options.length;
    (void)kept;
    for (int agent = 0; agent < 2 * SOCCER_TEAM; agent++) {
        const int player = agent / SOCCER_TEAM, place = agent % SOCCER_TEAM, robot = player * context->team + place;
        const real side = player == 0 ? 1 : -1;

        alignas(64) real way[LANES], sums[LANES];
        reward[agent] = v_set1(REAL(0.0));
        if (place >= context->team) {
            continue;
        }

        /* Add up the ways of the balls that this robot handled, lane by lane. */
        v_store(sums, reward[agent]);
        for (int k = 0; k < context->balls; k++) {
            v_store(way, t->way[k]);
            for (unsigned l = 0; l < LANES; l++) {
                if (soccer_has_handled(t, world_of(w, l), l, k, robot)) {
                    sums[l] += side * way[l] / length;
                }
            }
        }
        reward[agent] = v_set1(side) * t->gained + v_load(sums);
    }
}

/* ---- the end ---- */

static int32_t rules_score(tick_world w, int player)
{
    return *at_score(w, player);
}

/* Decides a game that a player has won by goals, or that has run out of ticks. */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    const carom_soccer_options *o = &run->context->options;
    const int a = *at_score(w, 0), b = *at_score(w, 1);
    const bool over = a >= (int)o->goals || b >= (int)o->goals;
    if (!over && world_tick(w) < (int32_t)o->ticks) {
        return verdict_running();
    }

    const int winner = a > b ? 0 : b > a ? 1 : -1;
    *at_winner(w, 0) = (int8_t)winner;
    return verdict_of(over ? CAROM_TERMINATED : CAROM_TRUNCATED, winner);
}

#endif
