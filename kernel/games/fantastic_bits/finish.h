/* SPDX-License-Identifier: MIT
 * The end of a turn: friction and rounding, range checks, and the new state into the tile.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_FINISH_H
#define CAROM_GAMES_FANTASTIC_BITS_FINISH_H

#include "games/fantastic_bits/run.h"

/* To a whole number, halves away from zero; never -0. */
CAROM_LANE vreal fb_whole(vreal a)
{
    const vreal zero = v_set1(REAL(0.0)), r = v_floor(v_add(v_abs(a), v_set1(REAL(0.5))));
    return v_select(v_lt(a, zero), v_sub(zero, r), r);
}

static void fb_record_moved(const struct fb_run *run, size_t column)
{
    const size_t world = run->first + column;
    if (run->tick->moved == NULL) {
        return;
    }
    for (size_t l = 0; l < LANES && world + l < run->tick->worlds; l++) {
        double *to = run->tick->moved + (world + l) * FB_BODIES * 4;
        for (int i = 0; i < FB_BODIES; i++) {
            for (int k = 0; k < 4; k++) {
                to[4 * i + k] = (double)run->scratch->motion.row[k * FB_BODIES + i][column + l];
            }
        }
    }
}

static void fb_fault(fb_tile *tile, unsigned at, unsigned bits, int8_t fault)
{
    FB_EACH_LANE(bits, tile->fault[0][at + l] = (int8_t)(tile->fault[0][at + l] | fault); tile->frozen[0][at + l] = 1)
}

CAROM_LANE vmask fb_body_inside(vreal x, vreal y, vreal vx, vreal vy)
{
    const vreal far = v_set1(FB_RANGE), fast = v_set1(2 * FB_RANGE);
    return m_and(m_and(v_le(v_abs(x), far), v_le(v_abs(y), far)), m_and(v_le(v_abs(vx), fast), v_le(v_abs(vy), fast)));
}

/* The lanes of `active` in which a number is out of range: NAN if one is not a number, else RANGE. */
static unsigned fb_out_of_range(real (*rows)[ROUNDS_ROOM], fb_tile *tile, unsigned at, unsigned active)
{
    vmask inside = m_from_bits(active), number = inside;
    for (int i = 0; i < FB_BODIES; i++) {
        const vreal x = v_loadu(rows[X + i]), y = v_loadu(rows[Y + i]);
        const vreal vx = v_loadu(rows[VX + i]), vy = v_loadu(rows[VY + i]);
        const vreal sum = v_add(v_add(x, y), v_add(vx, vy));
        inside = m_and(inside, fb_body_inside(x, y, vx, vy));
        number = m_and(number, v_eq(sum, sum));
    }
    const unsigned bad = active & ~m_bits(inside), nan = bad & ~m_bits(number);
    fb_fault(tile, at, nan, CAROM_FAULT_NAN);
    fb_fault(tile, at, bad & ~nan, CAROM_FAULT_RANGE);
    return bad;
}

/* Friction and rounding, in the rows. Lanes whose numbers are all in range for certain. */
CAROM_LANE vmask fb_settle(real (*rows)[ROUNDS_ROOM])
{
    vreal sum = v_set1(REAL(0.0));
    for (int i = 0; i < FB_BODIES; i++) {
        const vreal keep = v_set1((real)(i < FB_BLUDGER ? 1 - 0.25 : 1 - 0.1));
        const vreal x = fb_whole(v_loadu(rows[X + i])), y = fb_whole(v_loadu(rows[Y + i]));
        const vreal vx = fb_whole(v_mul(v_loadu(rows[VX + i]), keep));
        const vreal vy = fb_whole(v_mul(v_loadu(rows[VY + i]), keep));
        v_storeu(rows[X + i], x);
        v_storeu(rows[Y + i], y);
        v_storeu(rows[VX + i], vx);
        v_storeu(rows[VY + i], vy);
        sum = v_add(sum, v_add(v_add(v_abs(x), v_abs(y)), v_add(v_abs(vx), v_abs(vy))));
    }
    return v_le(sum, v_set1(FB_RANGE));
}

CAROM_LANE void fb_put(real *to, const real *from, vmask keep, bool all)
{
    const vreal a = v_loadu(from);
    v_store(to, all ? a : v_select(keep, a, v_load(to)));
}

CAROM_LANE void fb_store(fb_tile *tile, unsigned at, real (*rows)[ROUNDS_ROOM], vmask keep, bool all)
{
    for (int i = 0; i < FB_BODIES; i++) {
        fb_put(&tile->x[i][at], rows[X + i], keep, all);
        fb_put(&tile->y[i][at], rows[Y + i], keep, all);
        fb_put(&tile->vx[i][at], rows[VX + i], keep, all);
        fb_put(&tile->vy[i][at], rows[VY + i], keep, all);
    }
}

static void fb_put_spells(fb_tile *tile, unsigned lane, const fb_mind *mind)
{
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        tile->countdown[k][lane] = mind->countdown[k];
        tile->target[k][lane] = mind->target[k];
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        tile->cast[i][lane] = mind->cast[i];
        tile->cast_target[i][lane] = mind->cast_target[i];
    }
}

static void fb_put_hands(fb_tile *tile, unsigned lane, const fb_mind *mind)
{
    for (int i = 0; i < FB_WIZARDS; i++) {
        tile->hold[i][lane] = mind->hold[i];
        tile->wait[i][lane] = mind->wait[i];
    }
    for (int s = 0; s < FB_SNAFFLES; s++) {
        tile->ignores[s][lane] = (int8_t)mind->ignores[s];
    }
}

CAROM_LANE void fb_put_mind(fb_tile *tile, unsigned lane, const fb_mind *mind)
{
    for (int k = 0; k < 2; k++) {
        tile->last[k][lane] = mind->last[k];
        tile->score[k][lane] = mind->score[k];
        tile->mana[k][lane] = (int8_t)(mind->mana[k] < FB_MOST_MANA ? mind->mana[k] + 1 : FB_MOST_MANA);
    }
    if (mind->scored) {
        for (int s = 0; s < FB_SNAFFLES; s++) {
            tile->alive[s][lane] = (int8_t)(mind->alive >> s & 1);
        }
    }
    if (mind->handy) {
        fb_put_hands(tile, lane, mind);
    }
    if (mind->spelled) {
        fb_put_spells(tile, lane, mind);
    }
}

/* Returns the lanes that have played the tick. */
CAROM_LANE unsigned fb_finish(struct fb_run *run, unsigned index, unsigned at, unsigned active)
{
    fb_tile *tile = &run->tiles[index];
    const size_t column = (size_t)index * CAROM_TILE + at;
    real(*rows)[ROUNDS_ROOM] = (real(*)[ROUNDS_ROOM]) & run->scratch->motion.row[0][column];
    const fb_mind *minds = &run->scratch->minds[column];
    if (run->record) {
        fb_record_moved(run, column);
    }
    const unsigned sound = m_bits(fb_settle(rows));
    unsigned overrun = 0;
    FB_EACH_LANE(active, overrun |= (unsigned)minds[l].overrun << l)
    unsigned keep = active & ~overrun;
    fb_fault(tile, at, overrun, CAROM_FAULT_EVENTS);
    if ((keep & ~sound) != 0) {
        keep &= ~fb_out_of_range(rows, tile, at, keep);
    }
    if (m_all(m_from_bits(keep))) {
        fb_store(tile, at, rows, m_from_bits(keep), true);
    } else {
        fb_store(tile, at, rows, m_from_bits(keep), false);
    }
    FB_EACH_LANE(keep, fb_put_mind(tile, at + l, &minds[l]); int32_t *tick = &tile->tick[0][at + l];
                 *tick += *tick != INT32_MAX)
    return keep;
}

#endif
