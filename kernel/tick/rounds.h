/* SPDX-License-Identifier: MIT
 * The wide engine's event loop under the policy `advance_all` for games in which most worlds have events in every tick,
 * several may act at one instant, and an event touches only one or two of many bodies.
 *
 * All worlds of a run stand in rows of reals, a lane a world, from its beginning. A round takes every register group
 * one step on: the rule set looks for events, moves its bodies to the earliest and lets all events of that instant act.
 * Worlds that are done stay; the others are packed side by side into a second set of rows, which closes up from round
 * to round, so that no group waits for its slowest lane:
 *
 *     rows   . E E . E . E .   . . E . E E . .   E . . E . . E .      round 1: everyone
 *     rest   E E E E E E E E   E E                                    round 2: those that have time left
 *     rest   E E E                                                    round 3
 *
 * tick/worklist.h suits games where few worlds have events, one at a time. It keeps a world in registers between the
 * event and the next look; here a look reads every row but an event writes few numbers of one lane, which is done in
 * memory. A round is two passes over the groups, first the steps and then the packing, so that these single numbers
 * have left the store buffer before whole registers are read.
 *
 * A world of the run is in the column of its home. The rules define, before they include this file,
 *     ROUNDS_ROWS        rows of reals that make up a world in motion; of these, by number,
 *     ROUNDS_BACK        those before it are wanted at the end (an expression, in which `run` may stand)
 *     ROUNDS_LIMIT       no world has more rounds than this in a tick: bounded in every case
 * if they like
 *     ROUNDS_USED        rows in use, of ROUNDS_ROWS, likewise: where that depends on the batch
 *     ROUNDS_LOOKS       to look at all groups of a round before the first takes its step: see rounds_look()
 * and after it the functions rounds_...(), which are declared below.
 */
#ifndef CAROM_TICK_ROUNDS_H
#define CAROM_TICK_ROUNDS_H

#include "tick/run.h"

#if !defined(ROUNDS_USED)
#define ROUNDS_USED ROUNDS_ROWS
#endif

/* Room for a store of packed lanes to run over; and rows of different number fall into different cache sets. */
#define ROUNDS_ROOM (RUN_WORLDS + (RUN_WORLDS > 1 ? 64 / sizeof(real) : 0))

typedef real rounds_row[ROUNDS_ROOM];

typedef struct rounds {
    alignas(64) rounds_row row[CHECKED_ROOM(ROUNDS_ROWS)];
    alignas(64) rounds_row rest[CHECKED_ROOM(ROUNDS_ROWS)];
    int32_t home[ROUNDS_ROOM], rest_home[ROUNDS_ROOM]; /* the worlds of the columns */
    uint16_t there[RUN_GROUPS], more[RUN_GROUPS];      /* lanes of a group; those that go on */
} rounds;

/* The rows from column `column` on, which is column 0 of what is returned. */
CAROM_LANE rounds_row *rounds_from(rounds_row *rows, size_t column)
{
    return (rounds_row *)(void *)&rows[0][column];
}

/* Takes the lanes `there` of the group whose lane 0 is in column 0 of rows one step on; home[l] is the world of lane
 * l, and the group is number `nth` of those that play in this round. Returns the lanes with time left, as bits. Other
 * lanes may be written, too. `last`: the limit of rounds is reached; what it returns then is dropped. */
CAROM_LANE unsigned rounds_step(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home,
                                bool last);

#if defined(ROUNDS_LOOKS)
/* A look is one long chain of operations, from boxes to bits to a few candidates to their times; as a processor sees
 * only a part of a group's step at once, the chains of several groups hide each other only where they stand in passes
 * of their own. All groups of a round that have a lane `there` look, in order; rounds_weigh() makes what it can of
 * that, for all `count` together; then they take their steps, in the same order. */
CAROM_LANE void rounds_look(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home);
CAROM_LANE void rounds_weigh(tick_run *run, unsigned count);
#endif

/* Packs the lanes that go on, of `count` columns, into `rest`; from may be `rest` itself. Returns their number. */
CAROM_LANE size_t rounds_pack(rounds *r, rounds_row *from, const int32_t *home, size_t count, const tick_run *run)
{
    (void)run; /* if ROUNDS_USED is a constant */
    const int used = ROUNDS_USED;
    size_t kept = 0;
    for (size_t at = 0; at < count; at += LANES) {
        const unsigned bits = r->more[at / LANES];
        if (bits == 0) {
            continue;
        }
        const vmask chosen = m_from_bits(bits);
        for (int k = 0; k < used; k++) {
            v_compress(&r->rest[k][kept], chosen, v_loadu(&from[k][at]));
        }
        for (unsigned rest = bits; rest != 0; rest &= rest - 1) {
            r->rest_home[kept++] = home[at + (size_t)__builtin_ctz(rest)];
        }
    }
    return kept;
}

/* Puts the lanes of `done` in column `at` of `rest` back where they came from. */
CAROM_LANE void rounds_return(rounds *r, size_t at, unsigned done, const tick_run *run)
{
    (void)run; /* if ROUNDS_BACK is a constant */
    const size_t back = ROUNDS_BACK;
    for (; done != 0; done &= done - 1) {
        const size_t column = at + (size_t)__builtin_ctz(done);
        real *to = &r->row[0][r->rest_home[column]];
        const real *from = &r->rest[0][column];
        for (size_t k = 0; k < back; k++) {
            to[k * ROUNDS_ROOM] = from[k * ROUNDS_ROOM];
        }
    }
}

/* A round of `count` columns from column 0 of `from` on: of the lanes `there`, an entry a group, those with time left
 * are noted in `more`. Whole groups without a lane are not looked at. */
static void rounds_pass(rounds *r, rounds_row *from, const int32_t *home, size_t count, const uint16_t *there,
                        bool last, tick_run *run)
{
    unsigned nth = 0;
#if defined(ROUNDS_LOOKS)
    for (size_t at = 0; at < count; at += LANES) {
        if (there[at / LANES] != 0) {
            rounds_look(run, nth++, rounds_from(from, at), there[at / LANES], &home[at]);
        }
    }
    rounds_weigh(run, nth);
    nth = 0;
#endif
    for (size_t at = 0; at < count; at += LANES) {
        unsigned more = 0;
        if (there[at / LANES] != 0) {
            more = rounds_step(run, nth++, rounds_from(from, at), there[at / LANES], &home[at], last);
        }
        r->more[at / LANES] = (uint16_t)(last ? 0 : more);
    }
}

/* Plays the worlds of the run to the end of the tick. */
static void rounds_run(rounds *r, tick_run *run)
{
    const size_t count = (size_t)run->group_count * LANES;
    for (size_t at = 0; at < count; at++) {
        r->home[at] = (int32_t)at;
        r->there[at / LANES] = run->groups[at / LANES].active;
    }
    rounds_pass(r, r->row, r->home, count, r->there, false, run);
    size_t kept = rounds_pack(r, r->row, r->home, count, run);
    for (int round = 2; kept != 0; round++) {
        for (size_t at = 0; at < kept; at += LANES) {
            r->there[at / LANES] = (uint16_t)m_bits(m_below(kept - at));
        }
        rounds_pass(r, r->rest, r->rest_home, kept, r->there, round == ROUNDS_LIMIT, run);
        for (size_t at = 0; at < kept; at += LANES) {
            rounds_return(r, at, r->there[at / LANES] & ~(unsigned)r->more[at / LANES], run);
        }
        kept = rounds_pack(r, r->rest, r->rest_home, kept, run);
    }
    CHECKED_HELD(r->row, ROUNDS_ROWS, "the rules set row %d of a motion, of ROUNDS_ROWS %d");
    CHECKED_HELD(r->rest, ROUNDS_ROWS, "the rules set row %d of a motion, of ROUNDS_ROWS %d");
}

#endif
