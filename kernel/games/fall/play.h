/* SPDX-License-Identifier: MIT
 * A tick of fall, over the run of tiles:
 *
 *     quiet      moves the worlds in which nothing happens, in lanes (quiet.h), and copies the others out of their
 *                tiles
 *     play       rounds of these: one by one up to the next collision and its bounce (respond.h), then the search for
 *                the collision after it (predict.h), in full registers of all that need one
 *     put back   writes those into their tiles that are in range and have not had too many collisions
 *
 * A tile stays as it was before the tick until then, so a world with a fault is left as it was.
 */
#ifndef CAROM_GAMES_FALL_PLAY_H
#define CAROM_GAMES_FALL_PLAY_H

#include "games/fall/observe.h"
#include "games/fall/predict.h"
#include "games/fall/quiet.h"
#include "games/fall/respond.h"

/* ---- quiet worlds ---- */

/* The kicks of a group, limited to [-1, 1]; NaN becomes 0. Returns the lanes that are kicked. */
CAROM_LANE vmask fall_kicks(const tick_run *run, unsigned home, vreal kick[2])
{
    const tick_numbers numbers = run_numbers(run, home);
    const vreal zero = v_set1(0), one = v_set1(1);
    for (unsigned k = 0; k < 2; k++) {
        const vreal a = number_f32(numbers, k);
        kick[k] = v_select(v_eq(a, a), v_max(v_min(a, one), -one), zero);
    }
    return run->context->kicked < 0 ? m_from_bits(0) : m_or(v_ne(kick[0], zero), v_ne(kick[1], zero));
}

/* Copies the worlds `busy` of a group, in which something happens, out of their tile, behind `count` others. A kick
 * empties the queue. */
CAROM_LANE void fall_take_out(const tick_run *run, unsigned home, unsigned busy, unsigned kicked, const vreal kick[2],
                              unsigned count)
{
    const fall_context *context = run->context;
    alignas(64) real kicks[2][LANES];
    v_store(kicks[0], kick[0]);
    v_store(kicks[1], kick[1]);
    EACH_LANE (l, busy) {
        fall_world *w = &run->own->worlds[count++];
        fall_take_world(context, w, run_world(run, home + l));
        w->home = home + l;
        if ((kicked >> l & 1) != 0) {
            w->c[context->kicked][FALL_VX] += (real)context->kick * kicks[0][l];
            w->c[context->kicked][FALL_VY] += (real)context->kick * kicks[1][l];
            fall_empty_queue(w);
        }
    }
}

/* Surveys all groups, and returns how many worlds were copied out. */
CAROM_LANE unsigned fall_quiet_all(const tick_run *run)
{
    unsigned count = 0;
    EACH_ACTIVE_GROUP (run, number, home) {
        const tick_world w = run_world(run, home);
        if (run_rewarded(run)) {
            run->own->before[number] = fall_height(run->context, w);
        }

        vreal kick[2];
        const vmask kicked = fall_kicks(run, home, kick);
        const vmask active = m_from_bits(run->groups[number].active);

        const unsigned busy = fall_quiet(run->context, &run->own->group, w, active, kicked);
        if (busy != 0) {
            fall_take_out(run, home, busy, m_bits(kicked), kick, count);
            count += (unsigned)__builtin_popcount(busy);
        }
    }
    return count;
}

/* ---- play ---- */

/* Appends the collision in the queue to the recording of its world, if that has room. */
static inline void fall_record(const tick_run *run, const fall_world *w)
{
    carom_event *event = run_record(run, w->home);
    if (event != NULL) {
        event->left = (double)w->rest / FALL_TICK;
        event->first = (uint32_t)w->who[0];
        event->second = (uint32_t)w->who[1];
        event->part = (uint32_t)w->who[2];
        event->x = (double)w->at[0];
        event->y = (double)w->at[1];
    }
}

/* Plays a world on. True: its next collision must be looked for. False: it is at the end of the tick. */
static inline bool fall_go_on(const tick_run *run, fall_world *w)
{
    const fall_context *context = run->context;

    /* After a bounce the next collision has been looked for before overlaps are undone, as in the engine. If none was
     * found it is looked for once more, from where the circles are now. */
    if (w->bounced) {
        fall_separate(context, w);
        w->bounced = false;
        if (w->wait < 0) {
            return true;
        }
    }

    /* A collision within the tick. */
    if (w->wait >= 0 && w->wait < w->rest) {
        if (w->events == FALL_EVENTS) {
            w->overrun = true;
            return false;
        }
        fall_advance(context, w, w->wait);
        if (run_records(run)) {
            fall_record(run, w);
        }
        w->events++;
        fall_remember(w);
        fall_bounce(context, w);
        fall_empty_queue(w);
        w->bounced = true;
        return true;
    }

    /* None: to the end of the tick. */
    const real rest = w->rest;
    w->wait = w->wait < 0 ? w->wait : w->wait - rest;
    fall_advance(context, w, rest);
    fall_separate(context, w);
    return false;
}

/* Plays all worlds that were copied out to the end of the tick. */
static inline void fall_play(const tick_run *run, unsigned count)
{
    struct rules_scratch *own = run->own;
    unsigned looking = 0;
    for (unsigned k = 0; k < count; k++) {
        if (own->worlds[k].wait < 0 || fall_go_on(run, &own->worlds[k])) {
            own->looking[looking++] = (uint16_t)k;
        }
    }

    /* Rounds, at most two for each collision: look in full registers, then play on those that are not done. */
    while (looking > 0) {
        unsigned kept = 0;
        for (unsigned at = 0; at < looking; at += LANES) {
            const unsigned there = looking - at < LANES ? looking - at : LANES;
            fall_predict(run->context, &own->group, own->worlds, &own->looking[at], there);
            fall_finish(run->context, &own->group, own->worlds, &own->looking[at], there);
        }

        for (unsigned k = 0; k < looking; k++) {
            const uint16_t index = own->looking[k];
            if (!own->worlds[index].done && fall_go_on(run, &own->worlds[index])) {
                own->looking[kept++] = index;
            }
        }
        looking = kept;
    }
}

/* ---- put back ---- */

/* The fault of a world at the end of a tick, or 0. NaN comes before any other. */
static inline int fall_fault(const fall_context *context, const fall_world *w)
{
    int fault = w->overrun ? CAROM_FAULT_EVENTS : 0;
    for (int k = 0; k < context->circle_count; k++) {
        for (int d = 0; d < 4; d++) {
            const real a = w->c[k][d];
            if (a != a) {
                return CAROM_FAULT_NAN;
            }
            fault |= fall_in_range(a, (real)FALL_RANGE) ? 0 : CAROM_FAULT_RANGE;
        }
    }
    return fault;
}

/* Writes the worlds that were copied out back, or notes their fault. */
static inline void fall_put_back(const tick_run *run, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        const fall_world *w = &run->own->worlds[k];
        const int fault = fall_fault(run->context, w);
        if (fault == 0) {
            fall_put_world(run->context, w, run_world(run, w->home));
            run_count_impacts(run, w->events);
        } else {
            run_fault(run, w->home, 1, fault);
        }
    }
}

/* Where all circles are at the end of the tick. */
static inline void fall_record_moved(const tick_run *run)
{
    for (unsigned home = 0; home < run->group_count * LANES; home += LANES) {
        const tick_world w = run_world(run, home);
        for (unsigned k = 0; k < FALL_CIRCLES; k++) {
            const vreal where[4] = {get_x(w, (int)k), get_y(w, (int)k), get_vx(w, (int)k), get_vy(w, (int)k)};
            run_record_moved(run, home, FALL_CIRCLES, k, where);
        }
    }
}

/* The tick of all active groups of the run. */
CAROM_LANE void rules_play(tick_run *run)
{
    const unsigned count = fall_quiet_all(run);
    fall_play(run, count);
    fall_put_back(run, count);
    if (run_records_moved(run)) {
        fall_record_moved(run);
    }

    /* A world that has taken a fault is not active any more. */
    EACH_ACTIVE_GROUP (run, number, home) {
        const tick_kept kept = {m_from_bits(run->groups[number].active), false};
        run_keep(run, home, kept);
    }
}

#endif
