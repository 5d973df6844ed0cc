/* SPDX-License-Identifier: MIT
 * After the motion: check ranges, and write the new state to the tile.
 */
#ifndef CAROM_GAMES_SOCCER_FINISH_H
#define CAROM_GAMES_SOCCER_FINISH_H

#include "games/soccer/turn.h"

/* The motion leaves its result in the rows, which are read where they are. */
struct rules_end {
    rounds_row *rows;
};

CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end)
{
    (void)w;
    end->rows = rounds_from(run->own->motion.row, home);
}

/* Where body `body` is, for recordings. Bodies that the batch does not have are at 0. */
CAROM_LANE void rules_moved(const tick_run *run, unsigned home, const struct rules_end *end, unsigned body,
                            vreal where[4])
{
    (void)home;
    for (int k = X; k <= VY; k++) {
        where[k] = (int)body < run->context->bodies ? soccer_row(end->rows, ROW((int)body, k)) : v_set1(REAL(0.0));
    }
}

/* The lanes that are certainly in range. Sums of absolute values bound each of them and need two comparisons, but may
 * fail a world that is in range. */
CAROM_LANE vmask soccer_surely_in_range(const soccer_context *context, rounds_row *rows)
{
    vreal places = v_set1(REAL(0.0)), speeds = places;
    for (int i = 0; i < context->bodies; i++) {
        places = places + (v_abs(soccer_row(rows, ROW(i, X))) + v_abs(soccer_row(rows, ROW(i, Y))));
        speeds = speeds + (v_abs(soccer_row(rows, ROW(i, VX))) + v_abs(soccer_row(rows, ROW(i, VY))));
    }
    return m_and(v_le(places, v_set1((real)SOCCER_RANGE)), v_le(speeds, v_set1((real)SOCCER_FAST)));
}

/* Exact, one number at a time: the lanes that are in range; *nan: those with a NaN. */
static unsigned soccer_in_range(const soccer_context *context, rounds_row *rows, unsigned *nan)
{
    vmask inside = m_from_bits((1u << (LANES - 1) << 1) - 1), number = inside;
    for (int k = 0; k < 4 * context->bodies; k++) {
        const vreal a = soccer_row(rows, k);
        inside = m_and(inside, v_le(v_abs(a), v_set1((real)(k % 4 < VX ? SOCCER_RANGE : SOCCER_FAST))));
        number = m_and(number, v_eq(a, a));
    }
    *nan = ~m_bits(number);
    return m_bits(inside);
}

/* The lanes that are in range; *nan: lanes of the others that hold a NaN. */
CAROM_LANE vmask rules_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                              unsigned *nan)
{
    /* Rewards count how far a ball moved in the tick; the tile still has its old place. */
    for (int k = 0; k < run->context->balls && run_rewarded(run); k++) {
        const int b = run->context->robots + k;
        soccer_turn_of(run, home)->way[k] = soccer_row(end->rows, ROW(b, X)) - get_x(w, b);
    }

    const vmask sure = soccer_surely_in_range(run->context, end->rows);
    if ((active & ~m_bits(sure)) != 0) {
        return m_from_bits(soccer_in_range(run->context, end->rows, nan));
    }
    return sure;
}

/* Writes the new state of the lanes that are kept. */
CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept)
{
    const soccer_context *context = run->context;
    const soccer_turn *t = soccer_turn_of(run, home);
    rounds_row *rows = end->rows;
    for (int i = 0; i < context->bodies; i++) {
        set_x(w, i, soccer_row(rows, ROW(i, X)), kept);
        set_y(w, i, soccer_row(rows, ROW(i, Y)), kept);
        set_vx(w, i, soccer_row(rows, ROW(i, VX)), kept);
        set_vy(w, i, soccer_row(rows, ROW(i, VY)), kept);
    }

    for (int i = 0; i < context->robots; i++) {
        set_angle(w, i, t->angle[i], kept);
        set_spin(w, i, t->spin[i], kept);
    }

    for (int k = 0; k < context->balls; k++) {
        /* A ball that was freed by an impact has no place to keep. */
        const vint holder = v_truncate(soccer_row(rows, HOLDER(context, k)));
        const vmask free = i_gt(i_set1(0), holder);
        const vreal zero = v_set1(REAL(0.0));
        set_hold_x(w, k, v_select(free, zero, t->hold_x[k]), kept);
        set_hold_y(w, k, v_select(free, zero, t->hold_y[k]), kept);
        set_holder(w, k, holder, kept);

        /* A robot that kicked has to wait. Its counter must not overflow. */
        EACH_LANE (l, t->kicks[k] & m_bits(kept.lanes)) {
            const tick_world one = world_of(w, l);
            const int32_t tick = world_tick(one), reset = context->reset;
            *at_ready(one, t->kicker[k][l]) = tick > INT32_MAX - reset ? INT32_MAX : tick + reset;
        }
    }
}

#endif
