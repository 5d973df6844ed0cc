/* SPDX-License-Identifier: MIT
 * Rules for one world at a time: the start of a game, what a world may hold, and the end of the game (RULES.md, section
 * 5 and "The start").
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_WORLDS_H
#define CAROM_GAMES_FANTASTIC_BITS_WORLDS_H

#include "games/fantastic_bits/turn.h"

/* ---- start, check, derive ---- */

/* A new game, with the snaffles where the referee puts them for its seed. */
static void rules_start(const fb_context *context, uint64_t seed, tick_world w)
{
    static const int16_t places[FB_WIZARDS][2] = {{1000, 5250}, {1000, 2250}, {15000, 2250}, {15000, 5250}};
    const fb_start start = context->start_of(context, seed, world_id(w), world_episode(w));

    for (int i = 0; i < FB_BODIES; i++) {
        *at_vx(w, i) = *at_vy(w, i) = 0;
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        *at_x(w, i) = places[i][0];
        *at_y(w, i) = places[i][1];
        *at_hold(w, i) = *at_cast(w, i) = *at_cast_target(w, i) = -1;
        *at_wait(w, i) = 0;
    }

    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        *at_countdown(w, k) = 0;
        *at_target(w, k) = -1;
    }

    for (int s = 0; s < FB_SNAFFLES; s++) {
        *at_x(w, FB_SNAFFLE + s) = (real)start.x[s];
        *at_y(w, FB_SNAFFLE + s) = (real)start.y[s];
        *at_alive(w, s) = s < start.snaffles;
        *at_ignores(w, s) = 0;
    }

    /* The bludgers, left and right of the middle. */
    for (int b = 0; b < FB_BLUDGERS; b++) {
        *at_x(w, FB_BLUDGER + b) = (real)(FB_WIDTH / 2 + (b == 0 ? -550 : 550));
        *at_y(w, FB_BLUDGER + b) = FB_HEIGHT / 2;
        *at_last(w, b) = -1;
    }

    *at_score(w, 0) = *at_score(w, 1) = *at_mana(w, 0) = *at_mana(w, 1) = 0;
    *at_winner(w, 0) = -1;
    *at_snaffles(w, 0) = (int8_t)start.snaffles;
}

static bool fb_is_whole(real value, real range)
{
    return value >= -range && value <= range && value == (real)(int32_t)value; /* false for NaN */
}

static bool fb_is_within(int low, int value, int high)
{
    return low <= value && value <= high;
}

/* Is it -1, or a slot from `low` to `high` that this game has? */
static bool fb_is_slot(tick_world w, int low, int slot, int high)
{
    return slot == -1 ||
           (fb_is_within(low, slot, high) && (slot < FB_SNAFFLE + *at_snaffles(w, 0) || slot >= FB_BLUDGER));
}

/* Is this a state that the rules can play? Numbers are whole, as the end of a tick leaves them. */
static bool rules_check(const fb_context *context, tick_world w)
{
    (void)context;
    const int snaffles = *at_snaffles(w, 0);
    bool good = (snaffles == 5 || snaffles == FB_SNAFFLES) && fb_is_within(-1, *at_winner(w, 0), 1);

    for (int i = 0; i < FB_BODIES && good; i++) {
        good = fb_is_whole(*at_x(w, i), FB_RANGE) && fb_is_whole(*at_y(w, i), FB_RANGE) &&
               fb_is_whole(*at_vx(w, i), 2 * FB_RANGE) && fb_is_whole(*at_vy(w, i), 2 * FB_RANGE);
    }

    /* Hands, spells and their targets: slots must exist in this game. */
    for (int i = 0; i < FB_WIZARDS && good; i++) {
        good = fb_is_slot(w, FB_SNAFFLE, *at_hold(w, i), FB_BLUDGER - 1) && fb_is_within(0, *at_wait(w, i), FB_WAIT) &&
               fb_is_within(-1, *at_cast(w, i), FB_SPELLS - 1) &&
               fb_is_slot(w, 0, *at_cast_target(w, i), FB_BODIES - 1);
    }
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS && good; k++) {
        good = fb_is_within(0, *at_countdown(w, k), 6) && fb_is_slot(w, 0, *at_target(w, k), FB_BODIES - 1);
    }

    /* A snaffle that this game does not have is not alive, ignores none and is ignored by none; none ignores itself. */
    for (int s = 0; s < FB_SNAFFLES && good; s++) {
        const int ignores = *at_ignores(w, s);
        good = fb_is_within(0, *at_alive(w, s), s < snaffles) &&
               fb_is_within(0, ignores, s < snaffles ? (1 << snaffles) - 1 : 0) && (ignores >> s & 1) == 0;
    }

    for (int k = 0; k < 2 && good; k++) {
        good = fb_is_within(-1, *at_last(w, k), FB_WIZARDS - 1) && fb_is_within(-1, *at_score(w, k), FB_SNAFFLES) &&
               fb_is_within(0, *at_mana(w, k), FB_MOST_MANA);
    }
    return good;
}

static void rules_derive(const fb_context *context, tick_world w)
{
    (void)context, (void)w; /* no field is derived */
}

/* ---- the end ---- */

/* Has a player the majority of the goals, has one lost by a bad command, or was no snaffle left when the forces
 * acted? */
CAROM_LANE bool fb_is_over(const fb_ints *ints, tick_world w)
{
    const int a = *at_score(w, 0), b = *at_score(w, 1), win = *at_snaffles(w, 0) / 2 + 1;
    return ints->none_alive || a >= win || b >= win || a < 0 || b < 0;
}

/* Rewards: a goal is 1 for its player and -1 for the other. Returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    const fb_ints *all_ints = &run->own->all_ints[home];
    alignas(64) real gained[LANES];
    unsigned over = m_bits(i_gt(get_tick(w), i_set1(FB_LAST_TICK - 1)));
    for (unsigned l = 0; l < LANES; l++) {
        gained[l] = (real)(all_ints[l].goals[0] - all_ints[l].goals[1]);
    }
    EACH_LANE (l, kept) {
        over |= (unsigned)fb_is_over(&all_ints[l], world_of(w, l)) << l;
    }

    if (reward != NULL) {
        reward[0] = v_load(gained);
        reward[1] = v_set1(REAL(0.0)) - reward[0];
    }
    return over;
}

/* Rewards of single wizards: the goals of their player, and how far they took a snaffle towards the other's goal, in
 * lengths of the field. */
CAROM_LANE void rules_settle_own(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    const fb_ints *all_ints = &run->own->all_ints[home];
    alignas(64) real gained[LANES];
    (void)w, (void)kept;
    for (unsigned l = 0; l < LANES; l++) {
        gained[l] = (real)(all_ints[l].goals[0] - all_ints[l].goals[1]);
    }

    for (int i = 0; i < FB_WIZARDS; i++) {
        const vreal side = v_set1(i < 2 ? REAL(1.0) : REAL(-1.0));
        const vreal way = run->own->way[home / LANES][i] / v_set1((real)FB_WIDTH);
        reward[i] = side * (v_load(gained) + way);
    }
}

static int32_t rules_score(tick_world w, int player)
{
    return *at_score(w, player);
}

/* Decides a game that is over or has run out of ticks. */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    const bool over = fb_is_over(&run->own->all_ints[home], w);
    const int a = *at_score(w, 0), b = *at_score(w, 1), winner = a > b ? 0 : b > a ? 1 : -1;
    if (!over && world_tick(w) < FB_LAST_TICK) {
        return verdict_running();
    }
    *at_winner(w, 0) = (int8_t)winner;
    return verdict_of(over ? CAROM_TERMINATED : CAROM_TRUNCATED, winner);
}

#endif
