/* SPDX-License-Identifier: MIT
 * The rules of fantastic_bits for one instruction set and precision: the steps of a game in the order of RULES.md, each
 * under a line that names the section. They are start, spells and commands, forces, the next events, the effect of an
 * event, the end of the tick, the end of a game. turn.h defines a world during a tick. The search for the next events
 * (section 4) is in candidates.h: read it when you come to rules_candidates(). Over 800 lines with its comments: it is
 * the whole game, from top to bottom.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_RULES_H
#define CAROM_GAMES_FANTASTIC_BITS_RULES_H

#include "games/fantastic_bits/candidates.h"
#include "games/fantastic_bits/starts.h"
#include "games/fantastic_bits/turn.h"

struct rules_scratch {
    rounds motion;
    fb_meetings meetings;
    fb_sight sight;
    fb_ints all_ints[RUN_WORLDS];
    fb_lists lists;
    vreal way[RUN_GROUPS][FB_WIZARDS]; /* change of x of the snaffle that each wizard held; set only if rewards are
                                          wanted */
};

/* ---- the small integers: from a tile, and back ---- */

/* Rows that are idle in every world (no spell, no snaffle in a hand), which most are, are tested a word at a time and
 * skipped. */

/* A row of int8: one byte of every world of a tile, as words. */
#define FB_TILE_WORDS ((TILE_LANES + 7) / 8)
typedef struct fb_bytes {
    uint64_t words[FB_TILE_WORDS];
} fb_bytes;

CAROM_LANE fb_bytes fb_bytes_of(const int8_t *row)
{
    fb_bytes bytes = {{0}};
    __builtin_memcpy(bytes.words, row, TILE_LANES);
    return bytes;
}

/* The lanes, as bits, in which some byte of `count` rows is not `idle`. */
CAROM_LANE unsigned fb_differs(int8_t (*rows)[TILE_LANES], unsigned count, int8_t idle)
{
    const uint64_t usual = (uint64_t)(uint8_t)idle * UINT64_C(0x0101010101010101);
    fb_bytes odd = {{0}};
    uint64_t any = 0;
    unsigned lanes = 0;

    for (unsigned k = 0; k < count; k++) {
        const fb_bytes row = fb_bytes_of(rows[k]);
        for (unsigned n = 0; n < FB_TILE_WORDS; n++) {
            odd.words[n] |= row.words[n] ^ usual;
        }
    }

    /* Usually nothing differs: then skip the test of single bytes. */
    for (unsigned n = 0; n < FB_TILE_WORDS; n++) {
        any |= odd.words[n];
    }
    if (any != 0) {
        uint8_t bytes[TILE_LANES];
        __builtin_memcpy(bytes, odd.words, TILE_LANES);
        for (unsigned l = 0; l < TILE_LANES; l++) {
            lanes |= (unsigned)(bytes[l] != 0) << l;
        }
    }
    return lanes;
}

static void fb_take_spells(fb_ints *ints, tick_world w)
{
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        ints->countdown[k] = *at_countdown(w, k);
        ints->target[k] = *at_target(w, k);
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        ints->cast[i] = *at_cast(w, i);
        ints->cast_target[i] = *at_cast_target(w, i);
    }
    ints->spelled = true;
}

static void fb_take_hands(fb_ints *ints, tick_world w)
{
    for (int i = 0; i < FB_WIZARDS; i++) {
        ints->hold[i] = *at_hold(w, i);
        ints->wait[i] = *at_wait(w, i);
    }
    for (int s = 0; s < FB_SNAFFLES; s++) {
        ints->ignores[s] = (fb_set)*at_ignores(w, s);
    }
    ints->handy = true;
}

/* Loads the small integers of all worlds of a tile. */
CAROM_LANE void fb_take_ints(fb_ints *all_ints, tick_tile *tile)
{
    const unsigned spelled = fb_differs(tile->countdown, FB_WIZARDS * FB_SPELLS, 0) |
                             fb_differs(tile->target, FB_WIZARDS * FB_SPELLS, -1) |
                             fb_differs(tile->cast, FB_WIZARDS, -1) | fb_differs(tile->cast_target, FB_WIZARDS, -1);
    const unsigned handy = fb_differs(tile->hold, FB_WIZARDS, -1) | fb_differs(tile->wait, FB_WIZARDS, 0) |
                           fb_differs(tile->ignores, FB_SNAFFLES, 0);

    /* Sets of living snaffles: bytes are 0 or 1, so a shift by s stays within each byte. */
    fb_bytes sets = {{0}};
    for (int s = 0; s < FB_SNAFFLES; s++) {
        const fb_bytes row = fb_bytes_of(tile->alive[s]);
        for (unsigned n = 0; n < FB_TILE_WORDS; n++) {
            sets.words[n] |= row.words[n] << s;
        }
    }
    uint8_t alive[TILE_LANES];
    __builtin_memcpy(alive, sets.words, TILE_LANES);

    /* The numbers of every world; hands and spells as if they were idle. */
    for (unsigned l = 0; l < TILE_LANES; l++) {
        const tick_world w = world_at(tile, l);
        fb_ints *ints = &all_ints[l];
        __builtin_memset(ints, 0, offsetof(fb_ints, countdown));
        __builtin_memset(ints->hold, -1, sizeof ints->hold);
        ints->able = (1u << FB_WIZARDS) - 1;
        ints->alive = ints->free = alive[l];
        ints->all = (fb_set)((1u << *at_snaffles(w, 0)) - 1);
        ints->none_alive = alive[l] == 0;
        for (int k = 0; k < 2; k++) {
            ints->last[k] = *at_last(w, k);
            ints->score[k] = *at_score(w, k);
            ints->mana[k] = *at_mana(w, k);
        }
    }

    /* The few worlds whose hands or spells are not idle. */
    EACH_LANE (l, handy) {
        fb_take_hands(&all_ints[l], world_at(tile, l));
    }
    EACH_LANE (l, spelled) {
        fb_take_spells(&all_ints[l], world_at(tile, l));
    }
}

static void fb_put_spells(tick_world w, const fb_ints *ints)
{
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        *at_countdown(w, k) = ints->countdown[k];
        *at_target(w, k) = ints->target[k];
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        *at_cast(w, i) = ints->cast[i];
        *at_cast_target(w, i) = ints->cast_target[i];
    }
}

static void fb_put_hands(tick_world w, const fb_ints *ints)
{
    for (int i = 0; i < FB_WIZARDS; i++) {
        *at_hold(w, i) = ints->hold[i];
        *at_wait(w, i) = ints->wait[i];
    }
    for (int s = 0; s < FB_SNAFFLES; s++) {
        *at_ignores(w, s) = (int8_t)ints->ignores[s];
    }
}

/* Stores the small integers of one world. Mana grows by 1 a tick. */
CAROM_LANE void fb_put_ints(tick_world w, const fb_ints *ints)
{
    for (int k = 0; k < 2; k++) {
        *at_last(w, k) = ints->last[k];
        *at_score(w, k) = ints->score[k];
        *at_mana(w, k) = (int8_t)(ints->mana[k] < FB_MOST_MANA ? ints->mana[k] + 1 : FB_MOST_MANA);
    }

    if (ints->scored) {
        for (int s = 0; s < FB_SNAFFLES; s++) {
            *at_alive(w, s) = (int8_t)(ints->alive >> s & 1);
        }
    }
    if (ints->handy) {
        fb_put_hands(w, ints);
    }
    if (ints->spelled) {
        fb_put_spells(w, ints);
    }
}

/* ---- the start, and valid states ---- */

/* A new game, with the snaffles where the referee puts them for its seed. */
static void rules_start(const fb_context *context, uint64_t seed, tick_world w)
{
    static const int16_t places[FB_WIZARDS][2] = {{1000, 5250}, {1000, 2250}, {15000, 2250}, {15000, 5250}};
    const fb_start start = fb_start_of(context, seed, world_id(w), world_episode(w));

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

/* Is this state valid? Numbers are integers, as after a tick. */
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

    /* A snaffle that this game does not have is not alive, and ignores and is ignored by none; none ignores itself. */
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

/* ---- spells begin (section 1) ---- */

/* Ticks and price in mana of Obliviate, Petrificus, Accio and Flipendo. */
static const int8_t fb_spell_turns[FB_SPELLS] = {3, 1, 6, 3};
static const int8_t fb_spell_mana[FB_SPELLS] = {5, 10, 20, 20};

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

/* ---- commands (section 2) ---- */

/* Moves and throws are read in lanes. Spells, bad commands and players that have lost are rare: worlds with any of
 * these are read again one by one. */

/* The commands of a register group, with lanes as bits. */
typedef struct fb_orders {
    uint16_t moves[FB_WIZARDS], throws[FB_WIZARDS];
    uint16_t obeys[FB_WIZARDS];                /* the wizard's command was read and valid */
    alignas(64) real acc_x[FB_WIZARDS][LANES]; /* the thrust of a move or throw */
    alignas(64) real acc_y[FB_WIZARDS][LANES];
} fb_orders;

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

/* The slot of the referee's id, or -1. Its ids leave no gap between the last snaffle of a game and the bludgers. */
CAROM_LANE int fb_slot(const fb_ints *ints, double id)
{
    const int snaffles_end = FB_SNAFFLE + __builtin_popcount(ints->all);
    if (!(id >= 0 && id < snaffles_end + FB_BLUDGERS) || (double)(int)id != id) {
        return -1;
    }
    return (int)id < snaffles_end ? (int)id : (int)id - snaffles_end + FB_BLUDGER;
}

/* Obeys a command other than a move or throw. False if it is bad. */
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

        /* A player that has lost by a bad command no longer acts. */
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

        /* A cast spell replaces the move or throw. */
        if (!moves) {
            orders->moves[i] &= others;
            orders->throws[i] &= others;
        }
    }
}

/* Scales (x, y) to length 1; (0, 0) stays. */
CAROM_LANE void fb_direction(vreal *x, vreal *y)
{
    const vreal zero = v_set1(REAL(0.0));
    const vreal length = v_sqrt(*x * *x + *y * *y);
    const vmask none = v_eq(length, zero);
    *x = v_select(none, zero, *x / length);
    *y = v_select(none, zero, *y / length);
}

/* Wizard i's thrust of `power` towards a target (dx, dy) away. The referee normalises the direction twice, which can
 * change the last bit. */
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

/* Clamps a to [-1, 1]; NaN becomes 0. */
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
 * snaffle throws it; any other moves. */
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

/* ---- forces (section 3) ---- */

/* Do two snaffles touch or overlap? */
CAROM_LANE bool fb_overlap(const real *world, int a, int b)
{
    const real dx = AT(a, X) - AT(b, X), dy = AT(a, Y) - AT(b, Y), reach = 2 * FB_SNAFFLE_RADIUS;
    return dx * dx + dy * dy <= reach * reach;
}

/* Snaffles that ignore each other and no longer overlap forget it. */
static void fb_forget(fb_ints *ints, const real *world)
{
    for (int a = FB_SNAFFLE; a < FB_BLUDGER; a++) {
        fb_set *set = &ints->ignores[a - FB_SNAFFLE];
        for (unsigned left = *set; left != 0; left &= left - 1) {
            const int b = FB_SNAFFLE + __builtin_ctz(left);
            if (!fb_overlap(world, a, b)) {
                *set = (fb_set)(*set & ~fb_bit(b));
            }
        }
    }
}

/* Wizard i releases its snaffle: its Accio on it ends, and it and the snaffles that overlap it ignore each other. */
static void fb_release(fb_ints *ints, const real *world, int i)
{
    const int h = ints->hold[i];
    if (ints->spelled && ints->target[FB_SPELLS * i + FB_ACCIO] == h) {
        ints->countdown[FB_SPELLS * i + FB_ACCIO] = 0;
        ints->target[FB_SPELLS * i + FB_ACCIO] = -1;
    }
    for (int s = FB_SNAFFLE; s < FB_BLUDGER; s++) {
        if (s != h && (ints->all & fb_bit(s)) != 0 && fb_overlap(world, s, h)) {
            ints->ignores[s - FB_SNAFFLE] |= fb_bit(h);
            ints->ignores[h - FB_SNAFFLE] |= fb_bit(s);
        }
    }
    ints->hold[i] = -1;
}

/* Hands of one world: wizards that have obeyed carry their snaffle along, all release it, and throws act. Wizards still
 * have their old velocity, which a snaffle takes over. */
static void fb_open_hands(fb_ints *ints, real *world, const fb_orders *orders, unsigned lane)
{
    real acc[FB_SNAFFLES][2] = {{0}};
    unsigned thrown = 0;

    /* Carry, and remember throws: they act once all hands are open. */
    for (int i = 0; i < FB_WIZARDS; i++) {
        if (ints->hold[i] >= 0 && (orders->obeys[i] >> lane & 1) != 0) {
            const int k = ints->hold[i] - FB_SNAFFLE;
            fb_carry(ints, world, i);
            ints->wait[i] = FB_WAIT;
            if ((orders->throws[i] >> lane & 1) != 0) {
                acc[k][0] = orders->acc_x[i][lane];
                acc[k][1] = orders->acc_y[i][lane];
                thrown |= 1u << k;
            }
        }
    }

    fb_forget(ints, world);
    for (int i = 0; i < FB_WIZARDS; i++) {
        if (ints->hold[i] >= 0) {
            fb_release(ints, world, i);
        }
        if (ints->wait[i] > 0) {
            ints->wait[i]--;
        }
    }

    for (; thrown != 0; thrown &= thrown - 1) {
        const int k = __builtin_ctz(thrown), s = FB_SNAFFLE + k;
        AT(s, VX) += acc[k][0] * fb_inverse(s);
        AT(s, VY) += acc[k][1] * fb_inverse(s);
    }
    fb_hands(ints);
}

/* Pushes `target` along (dx, dy), a vector to or from the wizard, more strongly the shorter it is. */
CAROM_LANE void fb_push(real *world, int target, real dx, real dy, real strength)
{
    real power = strength * (FB_SPELL_DISTANCE * FB_SPELL_DISTANCE / (dx * dx + dy * dy));
    power = power < FB_MOST_POWER ? power : FB_MOST_POWER;
    fb_unit(&dx, &dy);
    AT(target, VX) += dx * power * fb_inverse(target);
    AT(target, VY) += dy * power * fb_inverse(target);
}

/* Petrificus, Accio and Flipendo of one world, in this order. */
static void fb_work_spells(fb_ints *ints, real *world)
{
    for (int spell = FB_PETRIFICUS; spell <= FB_FLIPENDO; spell++) {
        for (int i = 0; i < FB_WIZARDS; i++) {
            const int target = ints->target[FB_SPELLS * i + spell];
            if (target < 0 || ints->countdown[FB_SPELLS * i + spell] <= 0) {
                continue;
            }

            const real dx = AT(target, X) - AT(i, X), dy = AT(target, Y) - AT(i, Y);
            if (spell == FB_PETRIFICUS) {
                AT(target, VX) = AT(target, VY) = 0;
            } else if (spell == FB_FLIPENDO) {
                if (dx != 0 || dy != 0) {
                    fb_push(world, target, dx, dy, FB_FLIPENDO_POWER);
                }
            } else if (target >= FB_SNAFFLE && target < FB_BLUDGER && (ints->alive & fb_bit(target)) == 0) {
                ints->countdown[FB_SPELLS * i + spell] = 0; /* Accio ends on a dead snaffle */
                ints->target[FB_SPELLS * i + spell] = -1;
            } else {
                fb_push(world, target, -dx, -dy, FB_ACCIO_POWER);
            }
        }
    }
}

/* Lanes in which a bludger does not chase a team, due to Obliviate. */
typedef struct fb_blind {
    unsigned lanes[FB_BLUDGERS][2];
} fb_blind;

/* The active Obliviates of one world. */
static void fb_obliviate(fb_blind *blind, const fb_ints *ints, unsigned lane)
{
    for (int i = 0; i < FB_WIZARDS; i++) {
        const int target = ints->target[FB_SPELLS * i + FB_OBLIVIATE];
        if (target >= FB_BLUDGER && ints->countdown[FB_SPELLS * i + FB_OBLIVIATE] > 0) {
            blind->lanes[target - FB_BLUDGER][i / 2] |= 1u << lane;
        }
    }
}

/* Pulls bludger b towards the nearest wizard that it may chase. Comparing squares is exact: they are integers below
 * 2^52, whose roots differ by more than their spacing. */
CAROM_LANE void fb_chase(rounds_row *rows, tick_world w, int b, const fb_blind *blind)
{
    const int body = FB_BLUDGER + b;
    const vreal x = rounds_get(rows, body, X), y = rounds_get(rows, body, Y);
    const vint last = get_last(w, b);
    vreal least = v_set1(REAL_MAX), dx = v_set1(REAL(0.0)), dy = dx;
    for (int i = 0; i < FB_WIZARDS; i++) {
        const vreal wx = rounds_get(rows, i, X) - x, wy = rounds_get(rows, i, Y) - y;
        const vreal d2 = wx * wx + wy * wy;
        const vmask barred = m_or(i_eq(last, i_set1(i)), m_from_bits(blind->lanes[b][i / 2]));
        const vmask nearer = m_andnot(v_lt(d2, least), barred);
        least = v_select(nearer, d2, least);
        dx = v_select(nearer, wx, dx);
        dy = v_select(nearer, wy, dy);
    }

    fb_direction(&dx, &dy);
    const vreal pull = v_set1((real)FB_PULL), inverse = v_set1(fb_inverse(body));
    rounds_set(rows, body, VX, rounds_get(rows, body, VX) + dx * pull * inverse);
    rounds_set(rows, body, VY, rounds_get(rows, body, VY) + dy * pull * inverse);
}

/* The thrust of wizard i where it moves. */
CAROM_LANE void fb_thrust(rounds_row *rows, const fb_orders *orders, int i)
{
    const vmask moves = m_from_bits(orders->moves[i] & LANES_ALL);
    const vreal vx = rounds_get(rows, i, VX), vy = rounds_get(rows, i, VY);
    rounds_set(rows, i, VX, v_select(moves, vx + v_load(orders->acc_x[i]), vx));
    rounds_set(rows, i, VY, v_select(moves, vy + v_load(orders->acc_y[i]), vy));
}

/* Everything before the motion: spells begin, commands are read, forces act. Hands and spells are handled one world at
 * a time, where they are not idle. */
CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind)
{
    rounds_row *rows = rounds_from(run->own->motion.row, home);
    fb_ints *all_ints = &run->own->all_ints[home];
    fb_orders orders;
    fb_blind blind = {{{0, 0}, {0, 0}}};

    /* Load the small integers of a whole tile at once, and the bodies into the rows. */
    if (run_opens_tile(run, home)) {
        fb_take_ints(all_ints - w.at, w.tile);
    }
    for (int i = 0; i < FB_BODIES; i++) {
        rounds_set(rows, i, X, get_x(w, i));
        rounds_set(rows, i, Y, get_y(w, i));
        rounds_set(rows, i, VX, get_vx(w, i));
        rounds_set(rows, i, VY, get_vy(w, i));
    }
    v_storeu(rows[BEGIN], v_set1(REAL(0.0)));

    /* Spells of the last tick begin. */
    unsigned spelled = 0, handy = 0;
    for (unsigned l = 0; l < LANES; l++) {
        spelled |= (unsigned)all_ints[l].spelled << l;
        handy |= (unsigned)all_ints[l].handy << l;
    }
    spelled &= active;
    EACH_LANE (l, spelled) {
        fb_prepare(&all_ints[l]);
        fb_obliviate(&blind, &all_ints[l], l);
    }

    /* Commands, of one kind for both players or of a kind each. */
    const fb_wizards all = {0, FB_WIZARDS}, players[2] = {{0, FB_WIZARDS / 2}, {FB_WIZARDS / 2, FB_WIZARDS}};
    if (kind == FB_REFEREE) {
        fb_read_referee(&orders, all_ints, w, active, numbers, all);
    } else if (kind == FB_NORMALISED) {
        fb_read_normalised(&orders, all_ints, w, active, numbers, all);
    } else {
        for (unsigned player = 0; player < 2; player++) {
            const tick_numbers own = run_numbers_of(run, numbers, kind, player);
            if (run_kind_of(run, kind, player) == FB_REFEREE) {
                fb_read_referee(&orders, all_ints, w, active, own, players[player]);
            } else {
                fb_read_normalised(&orders, all_ints, w, active, own, players[player]);
            }
        }
    }

    /* Forces, in the order of the rules. */
    EACH_LANE (l, handy & active) {
        fb_open_hands(&all_ints[l], &rows[0][l], &orders, l);
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        fb_thrust(rows, &orders, i);
    }
    fb_chase(rows, w, 0, &blind);
    fb_chase(rows, w, 1, &blind);
    EACH_LANE (l, spelled) {
        fb_work_spells(&all_ints[l], &rows[0][l]);
    }
}

/* ---- motion (section 4): the next events ---- */

/* The filter, for each group. */
CAROM_LANE void rules_candidates(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home)
{
    fb_sight *sight = &run->own->sight;
    sight->rows[nth] = rows;
    fb_filter(&sight->near[nth], rows, m_from_bits(there), run->own->all_ints, home);
}

/* The meetings of all groups are solved together, in full registers. */
CAROM_LANE void rules_solve(tick_run *run, unsigned groups)
{
    fb_sight *sight = &run->own->sight;
    fb_meetings *m = &run->own->meetings;
    size_t count = 0;
    sight->count = sight->next = 0;
    for (unsigned group = 0; group < groups; group++) {
        count = fb_list_meetings(m, count, &sight->near[group], sight->rows[group], group * LANES);
        if (count >= FB_ENOUGH) {
            fb_solve(sight, m, count);
            count = 0;
        }
    }
    fb_solve(sight, m, count);
}

/* Lists the events of a group's worlds, and moves all bodies to the earliest, or to the end of the tick where there is
 * none. */
CAROM_LANE unsigned rules_next(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home)
{
    fb_ints *all_ints = run->own->all_ints;
    fb_lists *lists = &run->own->lists;
    const vreal late = v_set1(REAL(2.0)), begin = v_loadu(rows[BEGIN]);

    /* List the possible events. Grabs of snaffles within reach come last, because only the nearest counts. */
    v_store(lists->first, late);
    for (unsigned l = 0; l < LANES; l++) {
        lists->count[l] = lists->reaching[l] = 0;
    }
    fb_note_all(&run->own->sight, nth, rows, all_ints, home, lists);
    for (unsigned l = 0; l < LANES; l++) {
        if (lists->reaching[l] != 0) {
            fb_note_nearest(&rows[0][l], &all_ints[home[l]], lists, l);
        }
    }

    const vreal first = v_load(lists->first);
    const vmask busy = v_lt(first, late);
    const vreal s = v_select(busy, first, v_set1(REAL(1.0))) - begin;
    for (int i = 0; i < FB_BODIES; i++) {
        rounds_set(rows, i, X, rounds_get(rows, i, X) + rounds_get(rows, i, VX) * s);
        rounds_set(rows, i, Y, rounds_get(rows, i, Y) + rounds_get(rows, i, VY) * s);
    }
    v_storeu(rows[BEGIN], begin + s);
    return there & m_bits(busy);
}

/* ---- motion (section 4): the effect of an event ---- */

CAROM_LANE real fb_greater(real a, real b)
{
    return a > b ? a : b;
}

/* The impact of body a against b, a body or a post, which has infinite mass: an impulse, and separation if they
 * overlap. */
CAROM_LANE void fb_bounce(real *world, fb_ints *ints, int a, int b)
{
    const bool post = b >= FB_POST;
    const int body = post ? 0 : b;

    /* The normal, from a to b; (1, 0) if the centres coincide. */
    const real xa = AT(a, X), ya = AT(a, Y);
    const real xb = post ? (real)fb_post_x[b - FB_POST] : AT(b, X);
    const real yb = post ? (real)fb_post_y[b - FB_POST] : AT(b, Y);
    real nx = xb - xa, ny = yb - ya;
    const real distance = fb_root(nx * nx + ny * ny);
    nx = distance == 0 ? 1 : nx / distance;
    ny = distance == 0 ? 0 : ny / distance;

    /* The impulse: first what stops the approach, then the same again, or the minimum. */
    real f;
    if (post) {
        f = (nx * AT(a, VX) + ny * AT(a, VY)) * fb_mass(a);
    } else {
        f = (nx * (AT(a, VX) - AT(b, VX)) + ny * (AT(a, VY) - AT(b, VY))) / (fb_inverse(a) + fb_inverse(b));
    }
    f += f > (real)FB_LEAST_IMPULSE ? f : (real)FB_LEAST_IMPULSE;
    const real jx = nx * -f, jy = ny * -f;
    AT(a, VX) += jx * fb_inverse(a);
    AT(a, VY) += jy * fb_inverse(a);
    if (!post) {
        AT(body, VX) += -jx * fb_inverse(body);
        AT(body, VY) += -jy * fb_inverse(body);
    }

    /* Separate overlapping bodies; a post stays. */
    const real gap = distance - (real)fb_radius(a) - (real)(post ? FB_POST_RADIUS : fb_radius(body));
    if (gap <= 0) {
        /* Each by half the overlap and a little more. In f32 the little is at least 4 units in the last place of the
         * greatest coordinate, or it would be lost. */
        real more = (real)FB_EPS;
#if CAROM_REAL_BITS == 32
        const real greatest =
            fb_greater(fb_greater(fb_magnitude(xa), fb_magnitude(ya)), fb_greater(fb_magnitude(xb), fb_magnitude(yb)));
        more = fb_greater(4 * FLT_EPSILON * greatest, more);
#endif
        const real apart = (-gap) / 2 + more;
        AT(a, X) += nx * -apart;
        AT(a, Y) += ny * -apart;
        if (!post) {
            AT(body, X) += nx * apart;
            AT(body, Y) += ny * apart;
        }
    }

    /* A bludger remembers its victim, and held snaffles follow their wizards. */
    if (a >= FB_BLUDGER && b < FB_SNAFFLE) {
        ints->last[a - FB_BLUDGER] = (int8_t)b;
    }
    if (a < FB_SNAFFLE) {
        fb_carry(ints, world, a);
    }
    if (b < FB_SNAFFLE) {
        fb_carry(ints, world, b);
    }
}

/* Mirrors a coordinate outside [low, high] at the bound that it has crossed. */
CAROM_LANE void fb_mirror(real *at, real low, real high)
{
    if (*at > high) {
        *at -= 2 * (*at - high);
    }
    if (*at < low) {
        *at += 2 * (low - *at);
    }
}

/* The impact of body a with a wall. A snaffle that is in a goal's mouth by now passes. */
CAROM_LANE void fb_reflect(real *world, const fb_ints *ints, int a, int wall)
{
    const real r = (real)fb_radius(a);
    if (a >= FB_SNAFFLE && a < FB_BLUDGER && fb_in_goal(world, a)) {
        return;
    }

    /* The walls on the right and left come first. The referee has v + (-(2 v m)) (1 / m), which is exactly this,
     * because the mass m is a power of two. */
    real *speed = &AT(a, wall < FB_WALL + 2 ? VX : VY);
    *speed = 0 - *speed;
    fb_mirror(&AT(a, X), r, FB_WIDTH - r);
    fb_mirror(&AT(a, Y), r, FB_HEIGHT - r);
    if (a < FB_SNAFFLE) {
        fb_carry(ints, world, a);
    }
}

/* Grabs a snaffle. False, without effect, if the hand is full by now or another empty hand is as near. */
CAROM_LANE bool fb_grab(real *world, fb_ints *ints, int wizard, int s)
{
    const bool may = ints->hold[wizard] < 0 && !fb_is_barred(world, ints, wizard, s);
    if (may) {
        ints->hold[wizard] = (int8_t)s;
        ints->handy = true;
        fb_carry(ints, world, wizard);
        fb_hands(ints);
    }
    return may;
}

/* A goal of `player`: the snaffle is dead. A player that has lost by a bad command keeps the score of -1. */
CAROM_LANE void fb_score(fb_ints *ints, int s, int player)
{
    ints->alive = (fb_set)(ints->alive & ~fb_bit(s));
    ints->free = (fb_set)(ints->free & ~fb_bit(s));
    ints->scored = true;
    if (ints->score[player] >= 0) {
        ints->score[player]++;
        ints->goals[player]++;
    }
}

/* The contact of an event that is about to act, and will be recorded next. */
static void fb_contact(const tick_run *run, const real *world, int32_t home, const fb_event *event)
{
    const int a = event->first, b = event->second;
    const double radius = fb_radius(a);
    carom_contact *c = run_contact(run, (unsigned)home, run->recorded[home]);
    if (c == NULL) {
        return;
    }

    c->time[0] = c->time[1] = (double)event->time;
    contact_body(c, 0, (double)AT(a, X), (double)AT(a, Y), (double)AT(a, VX), (double)AT(a, VY));
    if (b >= FB_GOAL) { /* on the right for player 0; the centre reaches it */
        contact_touch(c, b == FB_GOAL ? 1 : -1, 0, 0);
    } else if (b >= FB_WALL) { /* right, left, bottom, top; y points down */
        const int side = b - FB_WALL;
        contact_touch(c, side == 0 ? 1 : side == 1 ? -1 : 0, side == 2 ? 1 : side == 3 ? -1 : 0, radius);
    } else if (b >= FB_POST) {
        contact_body(c, 1, fb_post_x[b - FB_POST], fb_post_y[b - FB_POST], 0, 0);
        contact_meet(c, radius);
    } else {
        contact_body(c, 1, (double)AT(b, X), (double)AT(b, Y), (double)AT(b, VX), (double)AT(b, VY));
        contact_meet(c, radius);
    }
}

/* Appends an event that has acted to the recording of its world, if there is room. Recordings give the remaining part
 * of the tick. */
static void fb_record(const tick_run *run, const real *world, int32_t home, const fb_event *event)
{
    const int a = event->first, b = event->second;
    carom_event *to = run_record(run, (unsigned)home);
    if (to == NULL) {
        return;
    }

    to->left = (double)(1 - event->time);
    to->first = event->first;
    to->second = event->second;
    to->part = 0;
    to->x = to->y = 0;
    if (run_records_contacts(run)) {
        carom_contact *c = run_last_contact(run, (unsigned)home);
        contact_after(c, 0, (double)AT(a, VX), (double)AT(a, VY));
        if (b < FB_POST) {
            contact_after(c, 1, (double)AT(b, VX), (double)AT(b, VY));
        }
        contact_push(c, (double)fb_mass(a), event->kind == FB_HIT_ROUND && b < FB_POST ? (double)fb_mass(b) : 0);
    }
}

/* Applies the simultaneous events of one world, in their order. False if the tick has had too many. */
CAROM_LANE bool fb_act(tick_run *run, real *world, int32_t home, const fb_event *events, unsigned count)
{
    fb_ints *ints = &run->own->all_ints[home];
    for (unsigned k = 0; k < count; k++) {
        const fb_event *event = &events[k];
        bool acts = true;
        if (++ints->events > FB_EVENTS) {
            run_overrun(run, (unsigned)home);
            return false;
        }

        if (run_records_contacts(run)) {
            fb_contact(run, world, home, event);
        }
        switch (event->kind) {
        case FB_HIT_ROUND:
            fb_bounce(world, ints, event->first, event->second);
            break;
        case FB_HIT_WALL:
            fb_reflect(world, ints, event->first, event->second);
            break;
        case FB_HIT_GRAB:
            acts = fb_grab(world, ints, event->first, event->second);
            break;
        default:
            fb_score(ints, event->first, event->second - FB_GOAL);
            run_count_goals(run, 1);
        }

        /* A failed grab is not an event. */
        if (acts) {
            run_count_impacts(run, 1);
            if (run_records(run)) {
                fb_record(run, world, home, event);
            }
        }
    }
    return true;
}

/* Applies the listed events that are simultaneous with the earliest. */
CAROM_LANE unsigned rules_hit(tick_run *run, rounds_row *rows, unsigned there, const int32_t *home)
{
    fb_lists *lists = &run->own->lists;
    unsigned more = there & m_bits(v_lt(v_loadu(rows[BEGIN]), v_set1(REAL(1.0))));
    EACH_LANE (l, there) {
        const unsigned count = fb_sort(lists->events[l], lists->count[l], lists->first[l]);
        if (!fb_act(run, &rows[0][l], home[l], lists->events[l], count)) {
            more &= ~(1u << l);
        }
    }
    return more;
}

/* ---- the end of the tick (section 5) ---- */

/* Rounds to an integer, halves away from zero; never -0. */
CAROM_LANE vreal fb_whole(vreal a)
{
    const vreal zero = v_set1(REAL(0.0)), r = v_floor(v_abs(a) + v_set1(REAL(0.5)));
    return v_select(v_lt(a, zero), zero - r, r);
}

/* Displacement along x, in this tick, of the snaffle that wizard i held at its start; 0 if it held none. */
CAROM_LANE vreal fb_way(tick_world w, rounds_row *rows, int i)
{
    const vint hold = get_hold(w, i);
    vreal way = v_set1(REAL(0.0));
    for (int s = FB_SNAFFLE; s < FB_BLUDGER; s++) {
        way = v_select(i_eq(hold, i_set1(s)), rounds_get(rows, s, X) - get_x(w, s), way);
    }
    return way;
}

/* Friction, and rounding to integers. */
CAROM_LANE void rules_after(tick_run *run, unsigned home, tick_world w, rounds_row *rows)
{
    for (int i = 0; i < FB_BODIES; i++) {
        const vreal keep = v_set1((real)(i < FB_BLUDGER ? 1 - FB_FRICTION : 1 - FB_BLUDGER_FRICTION));
        for (int k = X; k <= VY; k++) {
            const vreal a = rounds_get(rows, i, k);
            rounds_set(rows, i, k, fb_whole(k < VX ? a : a * keep));
        }
    }
    for (int i = 0; i < FB_WIZARDS && run_rewarded(run); i++) {
        run->own->way[home / LANES][i] = fb_way(w, rows, i);
    }
}

/* Writes the small integers. */
CAROM_LANE void rules_keep(tick_run *run, unsigned home, tick_world w, rounds_row *rows, tick_kept kept)
{
    (void)rows;
    const fb_ints *all_ints = &run->own->all_ints[home];
    EACH_LANE (l, m_bits(kept.lanes)) {
        fb_put_ints(world_of(w, l), &all_ints[l]);
    }
}

/* ---- rewards, and the end of a game (section 5) ---- */

/* Does a player have the majority of the goals, has one lost by a bad command, or was no snaffle left when the forces
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

/* Rewards of single wizards: the goals of their player, and the distance that they moved a snaffle towards the other's
 * goal, in lengths of the field. */
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
