/* SPDX-License-Identifier: MIT
 * Rules for one world at a time: the start of a game and what a world may hold; then rewards and the end of the game.
 */
#ifndef CAROM_GAMES_STONES_WORLDS_H
#define CAROM_GAMES_STONES_WORLDS_H

#include "base/random.h"
#include "games/stones/group.h"
#include "tick/verdict.h"

/* ---- start, check, derive ---- */

/* A random number in [-8, 8], a multiple of 1/256, which is exact in both precisions. */
static real stones_jitter(random_stream *stream)
{
    return (real)((int32_t)random_below(stream, 2 * STONES_START_JITTER + 1) - STONES_START_JITTER) / 256;
}

/* A new game: two blocks of stones, four in a column, that face each other. Player 1's block is player 0's turned by
 * 180 degrees. */
static void rules_start(const stones_context *context, uint64_t seed, tick_world w)
{
    random_stream stream = random_begin(seed, world_id(w), STONES_DRAW_GAME, world_episode(w));
    real x = 0, y = 0, power = 1;
    for (int i = 0; i < STONES_MAX; i++) {
        /* Stones 0, 2, ... are player 0's; each is followed by its mirror image. */
        const int column = i / 2 / STONES_START_COLUMN, row = i / 2 % STONES_START_COLUMN;
        if (i % 2 == 0) {
            x = (real)(STONES_START_LEFT - STONES_START_APART * column) + stones_jitter(&stream);
            y = (real)(STONES_START_TOP + STONES_START_APART * row) + stones_jitter(&stream);
            power = (real)(1 + random_below(&stream, STONES_START_POWERS));
        } else {
            x = -x;
            y = -y;
        }

        *at_px(w, i) = x - (real)STONES_START_RADIUS;
        *at_py(w, i) = y - (real)STONES_START_RADIUS;
        *at_radius(w, i) = (real)STONES_START_RADIUS;
        *at_power(w, i) = power;
        *at_friction(w, i) = (real)STONES_START_FRICTION;
        *at_unused(w, i) = -1;
        *at_speed(w, i) = *at_course(w, i) = 0;
        *at_curve(w, i) = *at_shot_course(w, i) = *at_origin_x(w, i) = *at_origin_y(w, i) = 0;
        *at_shot_distance(w, i) = *at_shot_traveled(w, i) = 0;
        *at_next_x(w, i) = *at_next_y(w, i) = 0;
        *at_shot(w, i) = 0;
        *at_in_play(w, i) = (uint32_t)i < context->stones;
    }
    *at_sweeps(w, 0) = 0;
    *at_winner(w, 0) = -1;
}

/* False for NaN, as every comparison with it is. */
static bool stones_is_in(real value, real least, real most)
{
    return value >= least && value <= most;
}

static bool stones_is_near(real value, real range)
{
    return stones_is_in(value, -range, range);
}

/* Is this a state that the rules can play? */
static bool rules_check(const stones_context *context, tick_world w)
{
    for (int i = 0; i < STONES_MAX; i++) {
        const real places[] = {*at_px(w, i),     *at_py(w, i),     *at_origin_x(w, i), *at_origin_y(w, i),
                               *at_next_x(w, i), *at_next_y(w, i), *at_speed(w, i),    *at_shot_traveled(w, i)};
        for (int k = 0; k < 8; k++) {
            if (!stones_is_near(places[k], STONES_RANGE)) {
                return false;
            }
        }

        /* Parameters have bounds of their own; only stones of the batch can be in play. */
        if (!stones_is_near(*at_course(w, i), (real)STONES_COURSE) ||
            !stones_is_near(*at_shot_course(w, i), (real)STONES_COURSE) || *at_speed(w, i) < 0 ||
            !stones_is_near(*at_curve(w, i), (real)STONES_CURVE) ||
            !stones_is_near(*at_shot_distance(w, i), REAL_MAX) || !stones_is_in(*at_unused(w, i), -1, 1) ||
            !stones_is_in(*at_radius(w, i), (real)STONES_LEAST, (real)STONES_MOST_RADIUS) ||
            !stones_is_in(*at_power(w, i), (real)STONES_LEAST, (real)STONES_MOST_POWER) ||
            !stones_is_in(*at_friction(w, i), (real)STONES_LEAST, (real)STONES_MOST_FRICTION) ||
            !stones_is_in(*at_shot(w, i), 0, 1) || !stones_is_in(*at_in_play(w, i), 0, (uint32_t)i < context->stones)) {
            return false;
        }
    }
    return stones_is_in(*at_sweeps(w, 0), 0, STONES_SWEEPS) && stones_is_in(*at_winner(w, 0), -1, 1);
}

/* Derived fields: cosine and sine of the courses, by the lanes' functions, so that their bits are the same. */
static void rules_derive(const stones_context *context, tick_world w)
{
    (void)context;
    alignas(64) real cosine[LANES], sine[LANES];
    for (int i = 0; i < STONES_MAX; i++) {
        vreal s, c;
        fd_sincos(v_set1(*at_course(w, i)), &s, &c);
        v_store(cosine, c);
        v_store(sine, s);
        *at_course_cos(w, i) = cosine[0];
        *at_course_sin(w, i) = sine[0];
    }
}

/* ---- rewards and the end ---- */

/* Rewards: stones that went out, the other's less one's own. Returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    (void)kept;
    const vreal *out = run->own->out[home / LANES];
    if (reward != NULL) {
        reward[0] = out[1] - out[0];
        reward[1] = out[0] - out[1];
    }
    vmask any = v_gt(out[0] + out[1], v_set1(REAL(0.0)));
    vmask late = i_gt(get_tick(w), i_set1((int32_t)run->context->ticks - 1));
    return m_bits(m_or(any, late));
}

/* Stones of a player in play. */
static int stones_count(tick_world w, int player)
{
    int count = 0;
    for (int i = player; i < STONES_MAX; i += 2) {
        count += *at_in_play(w, i);
    }
    return count;
}

/* Decides a game in which a player has no stones left, or that has run out of ticks. */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    const int left[2] = {stones_count(w, 0), stones_count(w, 1)};
    const bool lost = run->context->ring > 0 && (left[0] == 0 || left[1] == 0);
    if (!lost && world_tick(w) < (int32_t)run->context->ticks) {
        return verdict_running();
    }

    const int winner = left[0] > left[1] ? 0 : left[1] > left[0] ? 1 : -1;
    *at_winner(w, 0) = (int8_t)winner;
    return verdict_of(lost ? CAROM_TERMINATED : CAROM_TRUNCATED, winner);
}

#endif
