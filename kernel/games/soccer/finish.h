/* SPDX-License-Identifier: MIT
 * The end of the motion: range checks, and the new state into the tile.
 */
#ifndef CAROM_GAMES_SOCCER_FINISH_H
#define CAROM_GAMES_SOCCER_FINISH_H

#include "games/soccer/run.h"

static void soccer_record_moved(const struct soccer_run *run, size_t column)
{
    const size_t world = run->first + column;
    if (run->tick->moved == NULL) {
        return;
    }
    for (size_t l = 0; l < LANES && world + l < run->tick->worlds; l++) {
        double *to = run->tick->moved + (world + l) * SOCCER_BODIES * 4;
        for (int k = 0; k < 4 * SOCCER_BODIES; k++) {
            to[k] = k < 4 * run->bodies ? (double)run->scratch->motion.row[k][column + l] : 0;
        }
    }
}

static void soccer_fault(soccer_tile *tile, unsigned at, unsigned bits, int8_t fault)
{
    SOCCER_EACH_LANE(bits, tile->fault[0][at + l] = (int8_t)(tile->fault[0][at + l] | fault);
                     tile->frozen[0][at + l] = 1)
}

/* The lanes whose numbers are all in range for certain: two sums tell, in all but odd cases. */
CAROM_LANE vmask soccer_sound(const struct soccer_run *run, real (*rows)[ROUNDS_ROOM])
{
    vreal places = v_set1(REAL(0.0)), speeds = places;
    for (int i = 0; i < run->bodies; i++) {
        places = v_add(places, v_add(v_abs(soccer_row(rows, ROW(i, X))), v_abs(soccer_row(rows, ROW(i, Y)))));
        speeds = v_add(speeds, v_add(v_abs(soccer_row(rows, ROW(i, VX))), v_abs(soccer_row(rows, ROW(i, VY)))));
    }
    return m_and(v_le(places, v_set1((real)SOCCER_RANGE)), v_le(speeds, v_set1((real)SOCCER_FAST)));
}

/* The lanes of `active` in which a number is out of range: NAN if one is not a number, else RANGE. */
static unsigned soccer_out_of_range(const struct soccer_run *run, real (*rows)[ROUNDS_ROOM], soccer_tile *tile,
                                    unsigned at, unsigned active)
{
    vmask inside = m_from_bits(active), number = inside;
    for (int k = 0; k < 4 * run->bodies; k++) {
        const vreal a = soccer_row(rows, k);
        inside = m_and(inside, v_le(v_abs(a), v_set1((real)(k % 4 < VX ? SOCCER_RANGE : SOCCER_FAST))));
        number = m_and(number, v_eq(a, a));
    }
    const unsigned bad = active & ~m_bits(inside), nan = bad & ~m_bits(number);
    soccer_fault(tile, at, nan, CAROM_FAULT_NAN);
    soccer_fault(tile, at, bad & ~nan, CAROM_FAULT_RANGE);
    return bad;
}

CAROM_LANE void soccer_keep(real *to, const real *from, vmask keep, bool all)
{
    const vreal a = v_loadu(from);
    v_store(to, all ? a : v_select(keep, a, v_load(to)));
}

CAROM_LANE void soccer_store(const struct soccer_run *run, soccer_tile *tile, unsigned at, size_t column, vmask keep,
                             bool all)
{
    const soccer_scratch *scratch = run->scratch;
    for (int i = 0; i < run->bodies; i++) {
        soccer_keep(&tile->x[i][at], &scratch->motion.row[ROW(i, X)][column], keep, all);
        soccer_keep(&tile->y[i][at], &scratch->motion.row[ROW(i, Y)][column], keep, all);
        soccer_keep(&tile->vx[i][at], &scratch->motion.row[ROW(i, VX)][column], keep, all);
        soccer_keep(&tile->vy[i][at], &scratch->motion.row[ROW(i, VY)][column], keep, all);
    }
    for (int i = 0; i < run->robots; i++) {
        soccer_keep(&tile->angle[i][at], &scratch->angle[i][column], keep, all);
        soccer_keep(&tile->spin[i][at], &scratch->spin[i][column], keep, all);
    }
    for (int k = 0; k < run->balls; k++) {
        const vint holder = v_truncate(v_loadu(&scratch->motion.row[HOLDER(run, k)][column]));
        const vmask free = i_gt(i_set1(0), holder);
        const vreal zero = v_set1(REAL(0.0));
        v_store(&tile->hold_x[k][at], v_select(m_and(keep, free), zero, v_load(&tile->hold_x[k][at])));
        v_store(&tile->hold_y[k][at], v_select(m_and(keep, free), zero, v_load(&tile->hold_y[k][at])));
        soccer_keep(&tile->hold_x[k][at], &scratch->hold_x[k][column], m_andnot(keep, free), false);
        soccer_keep(&tile->hold_y[k][at], &scratch->hold_y[k][column], m_andnot(keep, free), false);
        i_store8(&tile->holder[k][at], i_select(keep, holder, i_load8(&tile->holder[k][at])));
    }
}

/* Its tick has not been counted yet. */
CAROM_LANE void soccer_wait(const struct soccer_run *run, soccer_tile *tile, unsigned lane, int robot)
{
    const int32_t tick = tile->tick[0][lane], reset = run->context->reset;
    tile->ready[robot][lane] = tick > INT32_MAX - reset ? INT32_MAX : tick + reset;
}

/* Returns the lanes that have played the tick. */
CAROM_LANE unsigned soccer_finish(const struct soccer_run *run, unsigned index, unsigned at, unsigned active)
{
    soccer_tile *tile = &run->tiles[index];
    soccer_scratch *scratch = run->scratch;
    const size_t column = (size_t)index * CAROM_TILE + at;
    real(*rows)[ROUNDS_ROOM] = (real(*)[ROUNDS_ROOM]) & scratch->motion.row[0][column];
    if (run->record) {
        soccer_record_moved(run, column);
    }
    const unsigned sound = m_bits(soccer_sound(run, rows));
    unsigned keep = active;
    if (scratch->any_overrun) {
        unsigned overrun = 0;
        SOCCER_EACH_LANE(active, overrun |= (unsigned)scratch->overrun[column + l] << l)
        soccer_fault(tile, at, overrun, CAROM_FAULT_EVENTS);
        keep &= ~overrun;
    }
    if ((keep & ~sound) != 0) {
        keep &= ~soccer_out_of_range(run, rows, tile, at, keep);
    }
    if (m_all(m_from_bits(keep))) {
        soccer_store(run, tile, at, column, m_from_bits(keep), true);
    } else {
        soccer_store(run, tile, at, column, m_from_bits(keep), false);
    }
    vmask scored = m_from_bits(0);
    for (int k = 0; k < run->balls; k++) {
        SOCCER_EACH_LANE(keep & scratch->kicks[column / LANES][k],
                         soccer_wait(run, tile, at + l, scratch->kicker[k][column + l]))
        const vreal x = v_abs(soccer_row(rows, ROW(run->robots + k, X)));
        scored = m_or(scored, v_gt(x, v_set1(run->rules.half_length)));
    }
    scratch->scored[column / LANES] = (uint16_t)(keep & m_bits(scored));
    const vint old = i_load32(&tile->tick[0][at]), more = i_add(old, i_set1(1));
    const vmask counts = m_and(m_from_bits(keep), i_gt(i_set1(INT32_MAX), old));
    i_store32(&tile->tick[0][at], i_select(counts, more, old));
    return keep;
}

#endif
