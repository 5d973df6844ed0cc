/* SPDX-License-Identifier: MIT
 * A tick of stones: load a register group, push, sweep, move, store; then the next group.
 *
 * The engine's ways to play (tick/worklist.h, tick/rounds.h) take impacts in the order of their times. Sweeps do not:
 * they go through the stones as they are listed, and a stone that was hit starts again with the time that it has left.
 */
#ifndef CAROM_GAMES_STONES_PLAY_H
#define CAROM_GAMES_STONES_PLAY_H

#include "games/stones/move.h"
#include "games/stones/push.h"
#include "games/stones/sweep.h"

/* ---- recording ---- */

/* Appends the hits of a group to the recordings of its worlds. A negative way marks a striker that was pulled back. */
static inline void stones_record_hit(const tick_run *run, unsigned home, const stones_hit *hit)
{
    alignas(64) int32_t striker[LANES], struck[LANES];
    alignas(64) real way[LANES];
    i_store32(striker, hit->striker);
    i_store32(struck, hit->struck);
    v_store(way, hit->way);
    EACH_LANE (l, hit->lanes) {
        carom_event *event = run_record(run, home + l);
        if (event != NULL) {
            event->left = (hit->shrunk >> l & 1) != 0 ? -(double)way[l] : (double)way[l];
            event->first = (uint32_t)striker[l];
            event->second = (uint32_t)struck[l];
        }
    }
}

/* Where stones are before the last step of the tick. */
static inline void stones_record_moved(const tick_run *run, const stones_group *g)
{
    const vreal none = v_set1(REAL(0.0));
    for (unsigned i = 0; i < STONES_MAX; i++) {
        const bool there = (int)i < g->stones;
        const vreal where[4] = {there ? g->x[i] : none, there ? g->y[i] : none, there ? g->speed[i] : none,
                                there ? g->unused[i] : none};
        run_record_moved(run, g->home, STONES_MAX, i, where);
    }
}

/* ---- the tick ---- */

/* Sweeps until no lane has a hit, at most STONES_SWEEPS times. */
CAROM_LANE void stones_sweep_all(tick_run *run, stones_group *g)
{
    uint32_t all = g->stones < STONES_MAX ? (UINT32_C(1) << g->stones) - 1 : UINT32_MAX, look = all;
    unsigned lanes = g->active;
    EACH_STONE (i, all) {
        stones_prepare(g, i);
    }
    g->sweeps = v_set1(REAL(0.0));
    for (int number = 1; number <= STONES_SWEEPS && lanes != 0; number++) {
        /* Find a pair that would hit, in each lane. */
        stones_names names;
        stones_look(g, look);
        g->sweeps = v_select(m_from_bits(lanes), v_set1((real)number), g->sweeps);
        lanes = stones_find(g, lanes, &names);
        if (lanes == 0) {
            break;
        }

        /* Let it hit, or whatever stands in the way. */
        stones_hit hits[STONES_ATTEMPTS];
        int rounds;
        look = 0;
        unsigned done = stones_try(g, names, lanes, hits, &rounds, &look);
        for (int k = 0; k < rounds; k++) {
            run_count_impacts(run, (unsigned)__builtin_popcount(hits[k].lanes));
            if (run_records(run)) {
                stones_record_hit(run, g->home, &hits[k]);
            }
        }

        /* A chain that ended without a hit has changed nothing, so the sweeps that are left would all do the same. */
        g->sweeps = v_select(m_from_bits(lanes & ~done), v_set1((real)STONES_SWEEPS), g->sweeps);

        lanes = done;
        g->changed |= look;
        EACH_STONE (i, look) {
            stones_prepare(g, i);
        }
    }
}

/* The tick of one group. */
CAROM_LANE void stones_play_group(tick_run *run, stones_group *g)
{
    stones_load(g);
    stones_act(run, g);
    stones_sweep_all(run, g);
    if (run_records_moved(run)) {
        stones_record_moved(run, g);
    }

    stones_move_all(g);
    if (g->context->check) {
        stones_check_pairs(g);
    }

    /* Worlds out of range are not stored: they stay as they were at the start of the tick. */
    unsigned nan = 0;
    const vmask keep = stones_in_range(g, &nan);
    const unsigned bad = g->active & ~m_bits(keep);
    if (bad != 0) {
        run_fault(run, g->home, bad & nan, CAROM_FAULT_NAN);
        run_fault(run, g->home, bad & ~nan, CAROM_FAULT_RANGE);
    }

    vreal *out = run->own->out[g->home / LANES];
    out[0] = out[1] = v_set1(REAL(0.0));
    if (g->context->ring > 0) {
        run_count_goals(run, stones_leave(g, keep, out));
    }

    const tick_kept kept = {keep, false};
    stones_store(g, kept);
    run_keep(run, g->home, kept);
}

/* The tick of all active groups of the run. */
CAROM_LANE void rules_play(tick_run *run)
{
    stones_group *g = &run->own->group;
    g->context = run->context;
    g->stones = (int)g->context->stones;
    EACH_ACTIVE_GROUP (run, number, home) {
        g->w = run_world(run, home);
        g->home = home;
        g->active = run->groups[number].active;
        stones_play_group(run, g);
    }
}

#endif
