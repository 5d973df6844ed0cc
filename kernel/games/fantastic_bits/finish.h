/* SPDX-License-Identifier: MIT
 * The end of a tick (RULES.md, section 5): friction and rounding, range checks, and the new state into the tile.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_FINISH_H
#define CAROM_GAMES_FANTASTIC_BITS_FINISH_H

#include "games/fantastic_bits/ints.h"

/* Rounds to a whole number, halves away from zero; never -0. */
CAROM_LANE vreal fb_whole(vreal a)
{
    const vreal zero = v_set1(REAL(0.0)), r = v_floor(v_abs(a) + v_set1(REAL(0.5)));
    return v_select(v_lt(a, zero), zero - r, r);
}

/* The motion leaves its result in the rows, which are read where they are. */
struct rules_end {
    rounds_row *rows;
};

CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end)
{
    (void)w;
    end->rows = rounds_from(run->own->motion.row, home);
}

/* Where body `body` is, for recordings: before friction and rounding. */
CAROM_LANE void rules_moved(const tick_run *run, unsigned home, const struct rules_end *end, unsigned body,
                            vreal where[4])
{
    (void)run, (void)home;
    where[0] = v_loadu(end->rows[X + (int)body]);
    where[1] = v_loadu(end->rows[Y + (int)body]);
    where[2] = v_loadu(end->rows[VX + (int)body]);
    where[3] = v_loadu(end->rows[VY + (int)body]);
}

/* Applies friction and rounding to the rows. Returns the lanes that are certainly in range: a sum of absolute values
 * bounds each of them with one comparison. */
CAROM_LANE vmask fb_slow(rounds_row *rows)
{
    vreal sum = v_set1(REAL(0.0));
    for (int i = 0; i < FB_BODIES; i++) {
        const vreal keep = v_set1((real)(i < FB_BLUDGER ? 1 - FB_FRICTION : 1 - FB_BLUDGER_FRICTION));
        const vreal x = fb_whole(v_loadu(rows[X + i])), y = fb_whole(v_loadu(rows[Y + i]));
        const vreal vx = fb_whole(v_loadu(rows[VX + i]) * keep);
        const vreal vy = fb_whole(v_loadu(rows[VY + i]) * keep);
        v_storeu(rows[X + i], x);
        v_storeu(rows[Y + i], y);
        v_storeu(rows[VX + i], vx);
        v_storeu(rows[VY + i], vy);
        sum = sum + (v_abs(x) + v_abs(y) + (v_abs(vx) + v_abs(vy)));
    }
    return v_le(sum, v_set1(FB_RANGE));
}

/* Exact, one number at a time: the lanes that are in range; *nan: those with a NaN. */
static unsigned fb_in_range(rounds_row *rows, unsigned *nan)
{
    const vreal far = v_set1(FB_RANGE), fast = v_set1(2 * FB_RANGE);
    vmask inside = m_from_bits((1u << (LANES - 1) << 1) - 1), number = inside;
    for (int i = 0; i < FB_BODIES; i++) {
        const vreal x = v_loadu(rows[X + i]), y = v_loadu(rows[Y + i]);
        const vreal vx = v_loadu(rows[VX + i]), vy = v_loadu(rows[VY + i]);
        const vreal sum = x + y + (vx + vy);
        const vmask near = m_and(v_le(v_abs(x), far), v_le(v_abs(y), far));
        const vmask slow = m_and(v_le(v_abs(vx), fast), v_le(v_abs(vy), fast));
        inside = m_and(inside, m_and(near, slow));
        number = m_and(number, v_eq(sum, sum));
    }
    *nan = ~m_bits(number);
    return m_bits(inside);
}

/* How far along x the snaffle has moved that wizard i held when the tick began; 0 if it held none. */
CAROM_LANE vreal fb_way(tick_world w, rounds_row *rows, int i)
{
    const vint hold = get_hold(w, i);
    vreal way = v_set1(REAL(0.0));
    for (int s = FB_SNAFFLE; s < FB_BLUDGER; s++) {
        way = v_select(i_eq(hold, i_set1(s)), v_loadu(rows[X + s]) - get_x(w, s), way);
    }
    return way;
}

/* The lanes that are in range; *nan: lanes of the others that hold a NaN. */
CAROM_LANE vmask rules_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                              unsigned *nan)
{
    const vmask sure = fb_slow(end->rows);
    for (int i = 0; i < FB_WIZARDS && run_rewarded(run); i++) {
        run->own->way[home / LANES][i] = fb_way(w, end->rows, i);
    }
    if ((active & ~m_bits(sure)) != 0) {
        return m_from_bits(fb_in_range(end->rows, nan));
    }
    return sure;
}

/* Writes the new state of the lanes that are kept. */
CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept)
{
    const fb_ints *all_ints = &run->own->all_ints[home];
    for (int i = 0; i < FB_BODIES; i++) {
        set_x(w, i, v_loadu(end->rows[X + i]), kept);
        set_y(w, i, v_loadu(end->rows[Y + i]), kept);
        set_vx(w, i, v_loadu(end->rows[VX + i]), kept);
        set_vy(w, i, v_loadu(end->rows[VY + i]), kept);
    }
    EACH_LANE (l, m_bits(kept.lanes)) {
        fb_put_ints(world_of(w, l), &all_ints[l]);
    }
}

#endif
