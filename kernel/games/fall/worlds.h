/* SPDX-License-Identifier: MIT
 * Rules for one world at a time: the start of a game and what a world may hold; then rewards and the end of the game.
 */
#ifndef CAROM_GAMES_FALL_WORLDS_H
#define CAROM_GAMES_FALL_WORLDS_H

#include "base/random.h"
#include "games/fall/observe.h"
#include "tick/verdict.h"

/* ---- start, check, derive ---- */

/* A random number in [-1, 1). */
static double fall_draw(random_stream *stream)
{
    return (double)(int32_t)random_word(stream) * (1.0 / 2147483648.0);
}

/* A new game: the scene's circles, with velocities scattered by a draw. */
static void rules_start(const fall_context *context, uint64_t seed, tick_world w)
{
    random_stream stream = random_begin(seed, world_id(w), FALL_DRAW_GAME, world_episode(w));
    for (int k = 0; k < FALL_CIRCLES; k++) {
        const fall_circle *circle = &context->circles[k];
        const bool there = k < context->circle_count;

        /* Only free circles draw. */
        double vx = there ? circle->vx : 0, vy = there ? circle->vy : 0;
        if (there && circle->fixed == 0 && context->scatter > 0) {
            vx += fall_draw(&stream) * context->scatter;
            vy += fall_draw(&stream) * context->scatter;
        }

        *at_x(w, k) = there ? (real)circle->x : 0;
        *at_y(w, k) = there ? (real)circle->y : 0;
        *at_vx(w, k) = (real)vx;
        *at_vy(w, k) = (real)vy;
    }

    for (int k = 0; k < FALL_PASTS; k++) {
        *at_past_age(w, k) = *at_past_x(w, k) = *at_past_y(w, k) = 0;
        *at_past_a(w, k) = *at_past_b(w, k) = 0;
    }
    *at_wait(w, 0) = -1;
    *at_at(w, 0) = *at_at(w, 1) = 0;
    *at_who(w, 0) = *at_who(w, 1) = *at_who(w, 2) = *at_pasts(w, 0) = 0;
}

/* Can bodies a and b of the scene collide in such a part? */
static bool fall_is_pair(const fall_context *context, int a, int b, int part)
{
    if (a < 0 || b < 0 || a >= context->body_count || b >= context->body_count || context->circle_of[a] < 0) {
        return false;
    }
    if (context->circle_of[b] >= 0) {
        return part == CAROM_FALL_CIRCLE && a < b &&
               (context->circles[context->circle_of[a]].fixed == 0 ||
                context->circles[context->circle_of[b]].fixed == 0);
    }

    const int edge = part >= CAROM_FALL_CORNER ? part - CAROM_FALL_CORNER : part - CAROM_FALL_EDGE;
    return context->circles[context->circle_of[a]].fixed == 0 && edge >= 0 &&
           edge < context->polygons[context->polygon_of[b]].count;
}

/* Is this a state that the rules can play? What the scene does not have must be 0. */
static bool rules_check(const fall_context *context, tick_world w)
{
    const real range = (real)FALL_RANGE, wait = *at_wait(w, 0);
    const int pasts = *at_pasts(w, 0);
    bool good = pasts >= 0 && pasts <= FALL_PASTS && (wait >= 0 || wait == -1) &&
                fall_in_range(*at_at(w, 0), range * range) && fall_in_range(*at_at(w, 1), range * range) &&
                (wait < 0 || fall_is_pair(context, *at_who(w, 0), *at_who(w, 1), *at_who(w, 2)));

    /* Circles; a fixed one has no velocity. */
    for (int k = 0; k < FALL_CIRCLES && good; k++) {
        const bool there = k < context->circle_count, moves = there && context->circles[k].fixed == 0;
        const real most = there ? range : 0, fast = moves ? range : 0;
        good = fall_in_range(*at_x(w, k), most) && fall_in_range(*at_y(w, k), most) &&
               fall_in_range(*at_vx(w, k), fast) && fall_in_range(*at_vy(w, k), fast);
    }

    for (int k = 0; k < FALL_PASTS && good; k++) {
        const real most = k < pasts ? range * range : 0;
        good = *at_past_age(w, k) >= 0 && *at_past_age(w, k) <= (k < pasts ? FALL_NEAR : 0) &&
               fall_in_range(*at_past_x(w, k), most) && fall_in_range(*at_past_y(w, k), most) &&
               *at_past_a(w, k) >= 0 && *at_past_b(w, k) >= 0 &&
               (k < pasts || (*at_past_a(w, k) == 0 && *at_past_b(w, k) == 0));
    }
    return good;
}

static void rules_derive(const fall_context *context, tick_world w)
{
    (void)context, (void)w; /* nothing is derived */
}

/* ---- rewards and the end ---- */

/* Reward: how far the kicked circle has risen. Returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    (void)kept;
    if (reward != NULL) {
        reward[0] = fall_height(run->context, w) - run->own->before[home / LANES];
    }
    return m_bits(i_gt(get_tick(w), i_set1((int32_t)run->context->last_tick - 1)));
}

static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    const bool late = world_tick(w) >= (int32_t)run->context->last_tick;
    return late ? verdict_of(CAROM_TRUNCATED, -1) : verdict_running();
}

#endif
