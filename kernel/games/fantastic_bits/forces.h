/* SPDX-License-Identifier: MIT
 * Forces (RULES.md, section 3): snaffles leave hands, wizards and bludgers accelerate, spells work. At the end of this
 * file all that comes before the motion, in its order.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_FORCES_H
#define CAROM_GAMES_FANTASTIC_BITS_FORCES_H

#include "games/fantastic_bits/command.h"
#include "games/fantastic_bits/ints.h"

/* ---- hands: single worlds ---- */

/* Do two snaffles touch or overlap? */
CAROM_LANE bool fb_overlap(const real *world, int a, int b)
{
    const real dx = AT(X + a) - AT(X + b), dy = AT(Y + a) - AT(Y + b), reach = 2 * FB_SNAFFLE_RADIUS;
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

/* Wizard i lets its snaffle go: its Accio on it ends, and snaffles that overlap it and it ignore each other. */
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

/* Hands of one world: wizards that have obeyed carry their snaffle along, all let go, and throws act. Wizards still
 * have their old velocity, which a snaffle takes over. */
static void fb_open_hands(fb_ints *ints, real *world, const fb_orders *orders, unsigned lane)
{
    real acc[FB_SNAFFLES][2] = {{0}};
    unsigned thrown = 0;

    /* Carry, and remember throws: they act when all hands are open. */
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
        AT(VX + s) += acc[k][0] * fb_inverse(s);
        AT(VY + s) += acc[k][1] * fb_inverse(s);
    }
    fb_hands(ints);
}

/* ---- spells: single worlds ---- */

/* Pushes `target` along (dx, dy), a vector to or from the wizard: the nearer, the stronger. */
CAROM_LANE void fb_push(real *world, int target, real dx, real dy, real strength)
{
    real power = strength * (FB_SPELL_DISTANCE * FB_SPELL_DISTANCE / (dx * dx + dy * dy));
    power = power < FB_MOST_POWER ? power : FB_MOST_POWER;
    fb_unit(&dx, &dy);
    AT(VX + target) += dx * power * fb_inverse(target);
    AT(VY + target) += dy * power * fb_inverse(target);
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

            const real dx = AT(X + target) - AT(X + i), dy = AT(Y + target) - AT(Y + i);
            if (spell == FB_PETRIFICUS) {
                AT(VX + target) = AT(VY + target) = 0;
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

/* ---- in lanes ---- */

/* Lanes in which a bludger does not chase a team, as Obliviate has it. */
typedef struct fb_blind {
    unsigned lanes[FB_BLUDGERS][2];
} fb_blind;

/* The Obliviates that run in one world. */
static void fb_obliviate(fb_blind *blind, const fb_ints *ints, unsigned lane)
{
    for (int i = 0; i < FB_WIZARDS; i++) {
        const int target = ints->target[FB_SPELLS * i + FB_OBLIVIATE];
        if (target >= FB_BLUDGER && ints->countdown[FB_SPELLS * i + FB_OBLIVIATE] > 0) {
            blind->lanes[target - FB_BLUDGER][i / 2] |= 1u << lane;
        }
    }
}

/* Pulls bludger b towards the nearest wizard that it may chase. Comparing squares is exact: they are whole numbers
 * below 2^52, whose roots differ by more than their spacing. */
CAROM_LANE void fb_chase(rounds_row *rows, tick_world w, int b, const fb_blind *blind)
{
    const int body = FB_BLUDGER + b;
    const vreal x = v_loadu(rows[X + body]), y = v_loadu(rows[Y + body]);
    const vint last = get_last(w, b);
    vreal least = v_set1(REAL_MAX), dx = v_set1(REAL(0.0)), dy = dx;
    for (int i = 0; i < FB_WIZARDS; i++) {
        const vreal wx = v_loadu(rows[X + i]) - x, wy = v_loadu(rows[Y + i]) - y;
        const vreal d2 = wx * wx + wy * wy;
        const vmask barred = m_or(i_eq(last, i_set1(i)), m_from_bits(blind->lanes[b][i / 2]));
        const vmask nearer = m_andnot(v_lt(d2, least), barred);
        least = v_select(nearer, d2, least);
        dx = v_select(nearer, wx, dx);
        dy = v_select(nearer, wy, dy);
    }

    fb_direction(&dx, &dy);
    const vreal pull = v_set1((real)FB_PULL), inverse = v_set1(fb_inverse(body));
    v_storeu(rows[VX + body], v_loadu(rows[VX + body]) + dx * pull * inverse);
    v_storeu(rows[VY + body], v_loadu(rows[VY + body]) + dy * pull * inverse);
}

/* The thrust of wizard i where it moves. */
CAROM_LANE void fb_thrust(rounds_row *rows, const fb_orders *orders, int i)
{
    const vmask moves = m_from_bits(orders->moves[i] & ((1u << (LANES - 1) << 1) - 1));
    const vreal vx = v_loadu(rows[VX + i]), vy = v_loadu(rows[VY + i]);
    v_storeu(rows[VX + i], v_select(moves, vx + v_load(orders->acc_x[i]), vx));
    v_storeu(rows[VY + i], v_select(moves, vy + v_load(orders->acc_y[i]), vy));
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
        v_storeu(rows[X + i], get_x(w, i));
        v_storeu(rows[Y + i], get_y(w, i));
        v_storeu(rows[VX + i], get_vx(w, i));
        v_storeu(rows[VY + i], get_vy(w, i));
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

#endif
