/* SPDX-License-Identifier: MIT
 * The beginning of a turn: worlds are taken from their tile, spells that were cast begin, and commands of both kinds
 * are read.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_COMMAND_H
#define CAROM_GAMES_FANTASTIC_BITS_COMMAND_H

#include "games/fantastic_bits/run.h"

/* Turns of Obliviate, Petrificus, Accio and Flipendo, and their price. */
static const int8_t fb_spell_turns[FB_SPELLS] = {3, 1, 6, 3};
static const int8_t fb_spell_mana[FB_SPELLS] = {5, 10, 20, 20};

/* ---- minds ---- */

/* The lanes of a tile, as bits, in which a byte of `count` rows is not `idle`. */
CAROM_LANE unsigned fb_differs(const int8_t (*rows)[CAROM_TILE], unsigned count, int8_t idle)
{
    const uint64_t usual = (uint64_t)(uint8_t)idle * UINT64_C(0x0101010101010101);
    uint64_t halves[2] = {0, 0};
    unsigned lanes = 0;
    for (unsigned k = 0; k < count; k++) {
        uint64_t row[2];
        __builtin_memcpy(row, rows[k], sizeof row);
        halves[0] |= row[0] ^ usual;
        halves[1] |= row[1] ^ usual;
    }
    if ((halves[0] | halves[1]) != 0) {
        uint8_t bytes[CAROM_TILE];
        __builtin_memcpy(bytes, halves, sizeof bytes);
        for (unsigned l = 0; l < CAROM_TILE; l++) {
            lanes |= (unsigned)(bytes[l] != 0) << l;
        }
    }
    return lanes;
}

static void fb_take_spells(fb_mind *mind, const fb_tile *tile, unsigned lane)
{
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        mind->countdown[k] = tile->countdown[k][lane];
        mind->target[k] = tile->target[k][lane];
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        mind->cast[i] = tile->cast[i][lane];
        mind->cast_target[i] = tile->cast_target[i][lane];
    }
    mind->spelled = true;
}

static void fb_take_hands(fb_mind *mind, const fb_tile *tile, unsigned lane)
{
    for (int i = 0; i < FB_WIZARDS; i++) {
        mind->hold[i] = tile->hold[i][lane];
        mind->wait[i] = tile->wait[i][lane];
    }
    for (int s = 0; s < FB_SNAFFLES; s++) {
        mind->ignores[s] = (fb_set)tile->ignores[s][lane];
    }
    mind->handy = true;
}

/* The minds of a tile's worlds. */
CAROM_LANE void fb_take_minds(fb_mind *minds, const fb_tile *tile)
{
    const unsigned spelled = fb_differs(tile->countdown, FB_WIZARDS * FB_SPELLS, 0) |
                             fb_differs(tile->target, FB_WIZARDS * FB_SPELLS, -1) |
                             fb_differs(tile->cast, FB_WIZARDS, -1) | fb_differs(tile->cast_target, FB_WIZARDS, -1);
    const unsigned handy = fb_differs(tile->hold, FB_WIZARDS, -1) | fb_differs(tile->wait, FB_WIZARDS, 0) |
                           fb_differs(tile->ignores, FB_SNAFFLES, 0);
    uint64_t sets[2] = {0, 0};
    for (int s = 0; s < FB_SNAFFLES; s++) {
        uint64_t row[2];
        __builtin_memcpy(row, tile->alive[s], sizeof row);
        sets[0] |= row[0] << s;
        sets[1] |= row[1] << s;
    }
    uint8_t alive[CAROM_TILE];
    __builtin_memcpy(alive, sets, sizeof alive);
    for (unsigned l = 0; l < CAROM_TILE; l++) {
        fb_mind *mind = &minds[l];
        __builtin_memset(mind, 0, offsetof(fb_mind, countdown));
        __builtin_memset(mind->hold, -1, sizeof mind->hold);
        mind->able = (1u << FB_WIZARDS) - 1;
        mind->alive = mind->free = alive[l];
        mind->all = (fb_set)((1u << tile->snaffles[0][l]) - 1);
        mind->none_alive = alive[l] == 0;
        for (int k = 0; k < 2; k++) {
            mind->last[k] = tile->last[k][l];
            mind->score[k] = tile->score[k][l];
            mind->mana[k] = tile->mana[k][l];
        }
    }
    FB_EACH_LANE(handy, fb_take_hands(&minds[l], tile, l))
    FB_EACH_LANE(spelled, fb_take_spells(&minds[l], tile, l))
}

/* ---- spells ---- */

static void fb_prepare(fb_mind *mind)
{
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        mind->countdown[k] = (int8_t)(mind->countdown[k] > 0 ? mind->countdown[k] - 1 : 0);
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        if (mind->cast[i] >= 0) {
            mind->countdown[FB_SPELLS * i + mind->cast[i]] = fb_spell_turns[mind->cast[i]];
            mind->target[FB_SPELLS * i + mind->cast[i]] = mind->cast_target[i];
        }
        mind->cast[i] = mind->cast_target[i] = -1;
    }
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        mind->target[k] = mind->countdown[k] > 0 ? mind->target[k] : -1;
    }
}

CAROM_LANE bool fb_may_cast(const fb_mind *mind, int wizard, int spell, int slot)
{
    if (slot < 0) {
        return false;
    }
    if (slot >= FB_BLUDGER) {
        return true;
    }
    if (slot >= FB_SNAFFLE) {
        return spell != FB_OBLIVIATE && (mind->alive & fb_bit(slot)) != 0;
    }
    return (spell == FB_PETRIFICUS || spell == FB_FLIPENDO) && slot / 2 != wizard / 2;
}

/* Without enough mana nothing happens. */
static void fb_cast(fb_mind *mind, int wizard, int spell, int slot)
{
    int8_t *mana = &mind->mana[wizard / 2];
    if (*mana < fb_spell_mana[spell]) {
        return;
    }
    if (!mind->spelled) {
        mind->spelled = true;
        for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
            mind->countdown[k] = 0;
            mind->target[k] = -1;
        }
        for (int i = 0; i < FB_WIZARDS; i++) {
            mind->cast[i] = mind->cast_target[i] = -1;
        }
    }
    *mana = (int8_t)(*mana - fb_spell_mana[spell]);
    mind->cast[wizard] = (int8_t)spell;
    mind->cast_target[wizard] = (int8_t)slot;
}

/* ---- commands of single worlds: spells, bad ones, and players who have lost ---- */

/* The slot that the referee's id names, or -1. */
CAROM_LANE int fb_slot(const fb_mind *mind, double id)
{
    const int snaffles_end = FB_SNAFFLE + __builtin_popcount(mind->all);
    if (!(id >= 0 && id < snaffles_end + FB_BLUDGERS) || (double)(int)id != id) {
        return -1;
    }
    return (int)id < snaffles_end ? (int)id : (int)id - snaffles_end + FB_BLUDGER;
}

static bool fb_cast_by_referee(fb_mind *mind, int wizard, double verb, double id)
{
    const int spell = verb == CAROM_FANTASTIC_BITS_OBLIVIATE    ? FB_OBLIVIATE
                      : verb == CAROM_FANTASTIC_BITS_PETRIFICUS ? FB_PETRIFICUS
                      : verb == CAROM_FANTASTIC_BITS_ACCIO      ? FB_ACCIO
                      : verb == CAROM_FANTASTIC_BITS_FLIPENDO   ? FB_FLIPENDO
                                                                : -1;
    const int slot = fb_slot(mind, id);
    if (spell < 0 || !fb_may_cast(mind, wizard, spell, slot)) {
        return false;
    }
    fb_cast(mind, wizard, spell, slot);
    return true;
}

/* numbers: of wizard 0, in the world's lane. A player's lines end with the first bad one. */
static void fb_odd_referee(fb_orders *orders, fb_mind *mind, unsigned lane, const double *numbers)
{
    const uint16_t others = (uint16_t)~(1u << lane);
    for (int i = 0; i < FB_WIZARDS; i++) {
        const double *own = numbers + (size_t)(FB_REFEREE_NUMBERS * i) * CAROM_TILE;
        const bool carries = ((orders->moves[i] | orders->throws[i]) >> lane & 1) != 0;
        bool obeys = mind->score[i / 2] >= 0;
        if (obeys && !carries && !fb_cast_by_referee(mind, i, own[0], own[CAROM_TILE])) {
            mind->score[i / 2] = -1;
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

static void fb_odd_normalised(fb_orders *orders, fb_mind *mind, unsigned lane, const float *numbers)
{
    const uint16_t others = (uint16_t)~(1u << lane);
    for (int i = 0; i < FB_WIZARDS; i++) {
        const float *own = numbers + (size_t)(FB_NORMALISED_NUMBERS * i) * CAROM_TILE;
        const float choice = own[3 * CAROM_TILE];
        bool moves = mind->score[i / 2] >= 0;
        if (!moves) {
            orders->obeys[i] &= others;
        } else if (choice >= 0.2f) {
            const int spell = choice >= 0.8f   ? FB_FLIPENDO
                              : choice >= 0.6f ? FB_ACCIO
                              : choice >= 0.4f ? FB_PETRIFICUS
                                               : FB_OBLIVIATE;
            int slot = (int)((fb_clamped(own[4 * CAROM_TILE]) + 1) * REAL(6.5));
            slot = slot > FB_BODIES - 1 ? FB_BODIES - 1 : slot;
            if (mind->mana[i / 2] >= fb_spell_mana[spell] && fb_may_cast(mind, i, spell, slot)) {
                fb_cast(mind, i, spell, slot);
                moves = false;
            }
        }
        if (!moves) {
            orders->moves[i] &= others;
            orders->throws[i] &= others;
        }
    }
}

/* ---- commands in lanes ---- */

/* (x, y) over its length; (0, 0) if that is 0. */
CAROM_LANE void fb_direction(vreal *x, vreal *y)
{
    const vreal zero = v_set1(REAL(0.0));
    const vreal length = v_sqrt(v_add(v_mul(*x, *x), v_mul(*y, *y)));
    const vmask none = v_eq(length, zero);
    *x = v_select(none, zero, v_div(*x, length));
    *y = v_select(none, zero, v_div(*y, length));
}

/* The thrust of `power` towards a target d away; the referee takes the direction's direction. */
CAROM_LANE void fb_aim(fb_orders *orders, int i, vreal dx, vreal dy, vreal power)
{
    fb_direction(&dx, &dy);
    fb_direction(&dx, &dy);
    v_store(orders->acc_x[i], v_mul(dx, power));
    v_store(orders->acc_y[i], v_mul(dy, power));
}

CAROM_LANE vmask fb_within(vreal a, real limit)
{
    return v_le(v_abs(a), v_set1(limit));
}

CAROM_LANE vreal fb_clamp(vreal a)
{
    const vreal one = v_set1(REAL(1.0)), number = v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
    return v_max(v_min(number, one), v_neg(one));
}

/* Lanes in which a player has lost, or a hand holds something: from the minds. */
CAROM_LANE unsigned fb_lost(const fb_mind *minds)
{
    unsigned lanes = 0;
    for (unsigned l = 0; l < LANES; l++) {
        lanes |= (unsigned)(minds[l].score[0] < 0 || minds[l].score[1] < 0) << l;
    }
    return lanes;
}

CAROM_LANE void fb_read_referee(fb_orders *orders, fb_mind *minds, const fb_tile *tile, unsigned at, unsigned active,
                                const double *numbers)
{
    unsigned odd = fb_lost(minds);
    for (int i = 0; i < FB_WIZARDS; i++) {
        const double *own = numbers + (size_t)(FB_REFEREE_NUMBERS * i) * CAROM_TILE;
        const vreal verb = v_load_f64(own), power = v_load_f64(own + 3 * CAROM_TILE), zero = v_set1(REAL(0.0));
        const vreal tx = v_load_f64(own + CAROM_TILE), ty = v_load_f64(own + 2 * CAROM_TILE);
        const vmask holds = i_gt(i_load8(&tile->hold[i][at]), i_set1(-1));
        const vmask sane =
            m_and(m_and(fb_within(tx, (real)FB_COORDINATE), fb_within(ty, (real)FB_COORDINATE)), v_ge(power, zero));
        const vmask moves = m_and(v_eq(verb, zero), v_le(power, v_set1((real)FB_MOST_THRUST)));
        const vmask throws =
            m_and(m_and(v_eq(verb, v_set1(REAL(1.0))), v_le(power, v_set1((real)FB_MOST_THROW))), holds);
        orders->moves[i] = (uint16_t)m_bits(m_and(sane, moves));
        orders->throws[i] = (uint16_t)m_bits(m_and(sane, throws));
        orders->obeys[i] = (uint16_t)active;
        odd |= ~(unsigned)(orders->moves[i] | orders->throws[i]);
        fb_aim(orders, i, v_sub(tx, v_load(&tile->x[i][at])), v_sub(ty, v_load(&tile->y[i][at])), power);
    }
    FB_EACH_LANE(odd & active, fb_odd_referee(orders, &minds[l], l, numbers + l))
}

CAROM_LANE void fb_read_normalised(fb_orders *orders, fb_mind *minds, const fb_tile *tile, unsigned at, unsigned active,
                                   const float *numbers)
{
    unsigned odd = fb_lost(minds);
    for (int i = 0; i < FB_WIZARDS; i++) {
        const float *own = numbers + (size_t)(FB_NORMALISED_NUMBERS * i) * CAROM_TILE;
        const vreal far = v_set1(REAL(1000.0)), one = v_set1(REAL(1.0));
        const vreal x = v_load(&tile->x[i][at]), y = v_load(&tile->y[i][at]);
        const vreal tx = v_add(x, v_mul(far, fb_clamp(v_load_f32(own))));
        const vreal ty = v_add(y, v_mul(far, fb_clamp(v_load_f32(own + CAROM_TILE))));
        const vreal part = v_add(fb_clamp(v_load_f32(own + 2 * CAROM_TILE)), one);
        const vmask holds = i_gt(i_load8(&tile->hold[i][at]), i_set1(-1));
        orders->throws[i] = (uint16_t)m_bits(holds);
        orders->moves[i] = (uint16_t)~orders->throws[i];
        orders->obeys[i] = (uint16_t)active;
        odd |= m_bits(v_ge(v_load_f32(own + 3 * CAROM_TILE), v_set1((real)0.2f)));
        const vreal power = v_select(holds, v_mul(part, v_set1(REAL(250.0))), v_mul(part, v_set1(REAL(75.0))));
        fb_aim(orders, i, v_sub(tx, x), v_sub(ty, y), power);
    }
    FB_EACH_LANE(odd & active, fb_odd_normalised(orders, &minds[l], l, numbers + l))
}

#endif
