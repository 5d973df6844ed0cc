/* SPDX-License-Identifier: MIT
 * The start of a tick (RULES.md, sections 1 and 2): spells that were cast begin, and commands are read.
 *
 * Moves and throws are read in lanes. Spells, bad commands and players who have lost are rare: the worlds that have one
 * are read again one by one.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_COMMAND_H
#define CAROM_GAMES_FANTASTIC_BITS_COMMAND_H

#include "games/fantastic_bits/turn.h"

/* Ticks and price in mana of Obliviate, Petrificus, Accio and Flipendo. */
static const int8_t fb_spell_turns[FB_SPELLS] = {3, 1, 6, 3};
static const int8_t fb_spell_mana[FB_SPELLS] = {5, 10, 20, 20};

/* ---- spells ---- */

/* Counts spells down and begins those that were cast in the last tick. A spell that has ended loses its target. */
static void fb_prepare(fb_ints *ints)
{
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        ints->countdown[k] = (int8_t)(ints->countdown[k] > 0 ? ints->countdown[k] - 1 : 0);
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        if (ints->cast[i] >= 0) {
            ints->countdown[FB_SPELLS * i + ints->cast[i]] = fb_spell_turns[ints->cast[i]];
            ints->target[FB_SPELLS * i + ints->cast[i]] = ints->cast_target[i];
        }
        ints->cast[i] = ints->cast_target[i] = -1;
    }
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        ints->target[k] = ints->countdown[k] > 0 ? ints->target[k] : -1;
    }
}

/* Is the slot, or -1, a legal target? Bludgers are for every spell, living snaffles for all but Obliviate, the other's
 * wizards for Petrificus and Flipendo. */
CAROM_LANE bool fb_may_cast(const fb_ints *ints, int wizard, int spell, int slot)
{
    if (slot < 0) {
        return false;
    }
    if (slot >= FB_BLUDGER) {
        return true;
    }
    if (slot >= FB_SNAFFLE) {
        return spell != FB_OBLIVIATE && (ints->alive & fb_bit(slot)) != 0;
    }
    return (spell == FB_PETRIFICUS || spell == FB_FLIPENDO) && slot / 2 != wizard / 2;
}

/* Casts a spell, which begins in the next tick. Without enough mana nothing happens. */
static void fb_cast(fb_ints *ints, int wizard, int spell, int slot)
{
    int8_t *mana = &ints->mana[wizard / 2];
    if (*mana < fb_spell_mana[spell]) {
        return;
    }

    /* The first spell of a world whose spell fields were idle, and therefore not loaded. */
    if (!ints->spelled) {
        ints->spelled = true;
        for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
            ints->countdown[k] = 0;
            ints->target[k] = -1;
        }
        for (int i = 0; i < FB_WIZARDS; i++) {
            ints->cast[i] = ints->cast_target[i] = -1;
        }
    }

    *mana = (int8_t)(*mana - fb_spell_mana[spell]);
    ints->cast[wizard] = (int8_t)spell;
    ints->cast_target[wizard] = (int8_t)slot;
}

/* ---- commands of single worlds ---- */

/* The slot of the referee's id, or -1. Its ids leave no gap between the last snaffle of a game and the bludgers. */
CAROM_LANE int fb_slot(const fb_ints *ints, double id)
{
    const int snaffles_end = FB_SNAFFLE + __builtin_popcount(ints->all);
    if (!(id >= 0 && id < snaffles_end + FB_BLUDGERS) || (double)(int)id != id) {
        return -1;
    }
    return (int)id < snaffles_end ? (int)id : (int)id - snaffles_end + FB_BLUDGER;
}

/* Obeys a command that is no move or throw. False if it is bad. */
static bool fb_cast_by_referee(fb_ints *ints, int wizard, double verb, double id)
{
    const int spell = verb == CAROM_FANTASTIC_BITS_OBLIVIATE    ? FB_OBLIVIATE
                      : verb == CAROM_FANTASTIC_BITS_PETRIFICUS ? FB_PETRIFICUS
                      : verb == CAROM_FANTASTIC_BITS_ACCIO      ? FB_ACCIO
                      : verb == CAROM_FANTASTIC_BITS_FLIPENDO   ? FB_FLIPENDO
                                                                : -1;
    const int slot = fb_slot(ints, id);
    if (spell < 0 || !fb_may_cast(ints, wizard, spell, slot)) {
        return false;
    }
    fb_cast(ints, wizard, spell, slot);
    return true;
}

/* Wizards [first, end): those of one player, or of both. */
typedef struct fb_wizards {
    int first, end;
} fb_wizards;

/* Reads a world's `referee` commands one by one. orders has the valid moves and throws; the rest are spells, or are bad
 * and lose the game. A player's commands after a bad one are not read. */
static void fb_read_one_referee(fb_orders *orders, fb_ints *ints, unsigned lane, tick_numbers numbers,
                                fb_wizards wizards)
{
    const uint16_t others = (uint16_t)~(1u << lane);
    for (int i = wizards.first; i < wizards.end; i++) {
        const unsigned own = FB_REFEREE_NUMBERS * (unsigned)i;
        const bool carries = ((orders->moves[i] | orders->throws[i]) >> lane & 1) != 0;

        bool obeys = ints->score[i / 2] >= 0;
        if (obeys && !carries &&
            !fb_cast_by_referee(ints, i, number_one_f64(numbers, lane, own), number_one_f64(numbers, lane, own + 1))) {
            ints->score[i / 2] = -1;
            obeys = false;
        }

        if (!obeys) {
            orders->moves[i] &= others;
            orders->throws[i] &= others;
            orders->obeys[i] &= others;
        }
    }
}

CAROM_LANE real fb_clamped(float number)
{
    return number > 1 ? 1 : number < -1 ? -1 : number == number ? (real)number : 0;
}

/* Reads a world's `normalised` commands one by one. A spell that cannot be cast becomes a move or throw. */
static void fb_read_one_normalised(fb_orders *orders, fb_ints *ints, unsigned lane, tick_numbers numbers,
                                   fb_wizards wizards)
{
    const uint16_t others = (uint16_t)~(1u << lane);
    for (int i = wizards.first; i < wizards.end; i++) {
        const unsigned own = FB_NORMALISED_NUMBERS * (unsigned)i;

        const float choice = number_one_f32(numbers, lane, own + 3);
        bool moves = ints->score[i / 2] >= 0;

        /* A player who has lost by a bad command does nothing any more. */
        if (!moves) {
            orders->obeys[i] &= others;
        } else if (choice >= 0.2f) {
            const int spell = choice >= 0.8f   ? FB_FLIPENDO
                              : choice >= 0.6f ? FB_ACCIO
                              : choice >= 0.4f ? FB_PETRIFICUS
                                               : FB_OBLIVIATE;
            int slot = (int)((fb_clamped(number_one_f32(numbers, lane, own + 4)) + 1) * REAL(6.5));
            slot = slot > FB_BODIES - 1 ? FB_BODIES - 1 : slot;
            if (ints->mana[i / 2] >= fb_spell_mana[spell] && fb_may_cast(ints, i, spell, slot)) {
                fb_cast(ints, i, spell, slot);
                moves = false;
            }
        }

        /* A cast spell takes the place of the move or throw. */
        if (!moves) {
            orders->moves[i] &= others;
            orders->throws[i] &= others;
        }
    }
}

/* ---- commands in lanes ---- */

/* Scales (x, y) to length 1; (0, 0) stays. */
CAROM_LANE void fb_direction(vreal *x, vreal *y)
{
    const vreal zero = v_set1(REAL(0.0));
    const vreal length = v_sqrt(*x * *x + *y * *y);
    const vmask none = v_eq(length, zero);
    *x = v_select(none, zero, *x / length);
    *y = v_select(none, zero, *y / length);
}

/* Wizard i's thrust of `power` towards a target (dx, dy) away. The referee normalises the direction twice, which is not
 * the same as once in the last bit. */
CAROM_LANE void fb_aim(fb_orders *orders, int i, vreal dx, vreal dy, vreal power)
{
    fb_direction(&dx, &dy);
    fb_direction(&dx, &dy);
    v_store(orders->acc_x[i], dx * power);
    v_store(orders->acc_y[i], dy * power);
}

CAROM_LANE vmask fb_within(vreal a, real limit)
{
    return v_le(v_abs(a), v_set1(limit));
}

/* a, limited to [-1, 1]; NaN becomes 0. */
CAROM_LANE vreal fb_clamp(vreal a)
{
    const vreal one = v_set1(REAL(1.0)), number = v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
    return v_max(v_min(number, one), -one);
}

/* Lanes in which a player has lost by a bad command. */
CAROM_LANE unsigned fb_lost(const fb_ints *all_ints)
{
    unsigned lanes = 0;
    for (unsigned l = 0; l < LANES; l++) {
        lanes |= (unsigned)(all_ints[l].score[0] < 0 || all_ints[l].score[1] < 0) << l;
    }
    return lanes;
}

/* Reads `referee` commands: verb, target x, target y, power. */
CAROM_LANE void fb_read_referee(fb_orders *orders, fb_ints *all_ints, tick_world w, unsigned active,
                                tick_numbers numbers, fb_wizards wizards)
{
    unsigned odd = fb_lost(all_ints);
    for (int i = wizards.first; i < wizards.end; i++) {
        const unsigned own = FB_REFEREE_NUMBERS * (unsigned)i;
        const vreal verb = number_f64(numbers, own), power = number_f64(numbers, own + 3), zero = v_set1(REAL(0.0));
        const vreal tx = number_f64(numbers, own + 1), ty = number_f64(numbers, own + 2);

        /* Valid moves and throws; NaN is neither. All other commands make a world odd. */
        const vmask holds = i_gt(get_hold(w, i), i_set1(-1));
        const vmask sane =
            m_and(m_and(fb_within(tx, (real)FB_COORDINATE), fb_within(ty, (real)FB_COORDINATE)), v_ge(power, zero));
        const vmask moves = m_and(v_eq(verb, zero), v_le(power, v_set1((real)FB_MOST_THRUST)));
        const vmask throws =
            m_and(m_and(v_eq(verb, v_set1(REAL(1.0))), v_le(power, v_set1((real)FB_MOST_THROW))), holds);

        orders->moves[i] = (uint16_t)m_bits(m_and(sane, moves));
        orders->throws[i] = (uint16_t)m_bits(m_and(sane, throws));
        orders->obeys[i] = (uint16_t)active;
        odd |= ~(unsigned)(orders->moves[i] | orders->throws[i]);
        fb_aim(orders, i, tx - get_x(w, i), ty - get_y(w, i), power);
    }
    EACH_LANE (l, odd & active) {
        fb_read_one_referee(orders, &all_ints[l], l, numbers, wizards);
    }
}

/* Reads `normalised` commands: direction, power, and two numbers that choose a spell and its target. A wizard with a
 * snaffle throws it, any other moves. */
CAROM_LANE void fb_read_normalised(fb_orders *orders, fb_ints *all_ints, tick_world w, unsigned active,
                                   tick_numbers numbers, fb_wizards wizards)
{
    unsigned odd = fb_lost(all_ints);
    for (int i = wizards.first; i < wizards.end; i++) {
        const unsigned own = FB_NORMALISED_NUMBERS * (unsigned)i;
        const vreal far = v_set1((real)FB_TARGET_REACH), one = v_set1(REAL(1.0));
        const vreal x = get_x(w, i), y = get_y(w, i);
        const vreal tx = x + far * fb_clamp(number_f32(numbers, own));
        const vreal ty = y + far * fb_clamp(number_f32(numbers, own + 1));
        const vreal part = fb_clamp(number_f32(numbers, own + 2)) + one;

        const vmask holds = i_gt(get_hold(w, i), i_set1(-1));
        orders->throws[i] = (uint16_t)m_bits(holds);
        orders->moves[i] = (uint16_t)~orders->throws[i];
        orders->obeys[i] = (uint16_t)active;
        odd |= m_bits(v_ge(number_f32(numbers, own + 3), v_set1((real)0.2f)));

        const vreal power =
            v_select(holds, part * v_set1((real)(FB_MOST_THROW / 2)), part * v_set1((real)(FB_MOST_THRUST / 2)));
        fb_aim(orders, i, tx - x, ty - y, power);
    }
    EACH_LANE (l, odd & active) {
        fb_read_one_normalised(orders, &all_ints[l], l, numbers, wizards);
    }
}

#endif
