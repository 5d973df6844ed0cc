/* SPDX-License-Identifier: MIT
 * The wide engine's event loop under the policy `advance_all`, for games in which most worlds have events in every
 * tick, several may happen at one instant, and an event touches only one or two of many bodies.
 *
 * All worlds of a run are in rows of reals, one column per world, from the start of the tick. A round finds the
 * earliest impact of every world (rules_next) and plays it (rules_hit). Worlds that are done stay where they are; the
 * others are packed side by side into a second set of rows, which is packed again after every round, so that no group
 * waits for its slowest lane:
 *
 *     rows   . E E . E . E .   . . E . E E . .   E . . E . . E .      round 1: all worlds
 *     rest   E E E E E E E E   E E                                    round 2: those with time left
 *     rest   E E E                                                    round 3
 *
 * tick/worklist.h suits games where few worlds have events, one at a time. It keeps a world in registers from the event
 * to the next search; here a search reads every row, but an event writes only a few numbers of one lane, in memory. A
 * round is two passes over the groups, first the impacts and then the packing, so that these single numbers have left
 * the store buffer before whole registers that contain them are read.
 *
 * A world of the run is in the column of its home. Rows 4 i .. 4 i + 3 are x, y, vx, vy of body i, see ROW(); whatever
 * else a world in motion needs comes after the bodies. Before including this file the rules define
 *     ROUNDS_ROWS        rows of reals that make up a world in motion
 *     ROUNDS_BACK        rows 0 .. ROUNDS_BACK - 1 are needed at the end (an expression that may use `run`)
 *     ROUNDS_LIMIT       limit of rounds of a world in a tick, so that every tick ends
 *     ROUNDS_FAR         the largest |x| or |y|; a world that exceeds it faults
 *     ROUNDS_FAST        the largest |vx| or |vy|
 * optionally
 *     ROUNDS_BODIES      bodies of a world, of RULES_BODIES, if that depends on the batch (may use `run`)
 *     ROUNDS_USED        rows in use, of ROUNDS_ROWS, if that depends on the batch (may use `run`)
 *     ROUNDS_CANDIDATES  find candidates in all groups of a round before the first of them moves
 * and after it the functions rules_...() that are declared below.
 */
#ifndef CAROM_TICK_ROUNDS_H
#define CAROM_TICK_ROUNDS_H

#include "tick/run.h"

#if !defined(ROUNDS_USED)
#define ROUNDS_USED ROUNDS_ROWS
#endif
#if !defined(ROUNDS_BODIES)
#define ROUNDS_BODIES RULES_BODIES
#endif

/* The row of a number of a body. */
enum { X, Y, VX, VY };
#define ROW(body, number) (4 * (body) + (number))

/* Columns of a row: packing stores whole registers, which may extend past the last world. The padding also keeps the
 * same column of different rows out of the same cache set. */
#define ROUNDS_ROOM (RUN_WORLDS + (RUN_WORLDS > 1 ? 64 / sizeof(real) : 0))

typedef real rounds_row[ROUNDS_ROOM];

typedef struct rounds {
    alignas(64) rounds_row row[CHECKED_ROOM(ROUNDS_ROWS)];  /* all worlds, in the columns of their homes */
    alignas(64) rounds_row rest[CHECKED_ROOM(ROUNDS_ROWS)]; /* those with time left, packed; used from round 2 on */
    int32_t home[ROUNDS_ROOM], rest_home[ROUNDS_ROOM];      /* the world in each column of `row` and of `rest` */
    /* For each group in the round, lanes as bits: those that hold a world to play, and those with time left after
     * it. */
    uint16_t there[RUN_GROUPS], more[RUN_GROUPS];
} rounds;

/* A number of a body, for the LANES worlds at the start of the rows. */
CAROM_LANE vreal rounds_get(rounds_row *rows, int body, int number)
{
    return v_loadu(rows[ROW(body, number)]);
}

CAROM_LANE void rounds_set(rounds_row *rows, int body, int number, vreal a)
{
    v_storeu(rows[ROW(body, number)], a);
}

/* Shifts the rows: column 0 of the result is `column` of the argument. */
CAROM_LANE rounds_row *rounds_from(rounds_row *rows, size_t column)
{
    return (rounds_row *)(void *)&rows[0][column];
}

/* ---- what the rules define, for the group in columns 0 .. LANES - 1 of rows ----
 *
 * there: the lanes to process, as bits; others may be written, too. home[l]: the world in lane l. nth: the group's
 * number among those in this round. */

/* Finds the earliest impact in the time left, and returns the lanes that have one. */
CAROM_LANE unsigned rules_next(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home);

/* Plays the impacts that rules_next() found, in the lanes `there`, and returns the lanes with time left. In between a
 * world may have been packed into another lane, so its impact must be in the rows. */
CAROM_LANE unsigned rules_hit(tick_run *run, rounds_row *rows, unsigned there, const int32_t *home);

#if defined(ROUNDS_CANDIDATES)
/* Finds the candidates from which rules_next() will choose, in one group. This is one long chain of dependent
 * operations, from boxes to bits to a few candidates to their times, and what follows exceeds a processor's reordering
 * window: chains of several groups overlap only in a separate pass. As candidates are noted by group, no world is
 * packed between rules_next() and rules_hit(). */
CAROM_LANE void rules_candidates(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home);

/* Computes the times of the candidates of all `count` groups together. */
CAROM_LANE void rules_solve(tick_run *run, unsigned count);
#endif

/* ---- the rounds ---- */

/* Packs the lanes in `more`, of the first `count` columns of `from`, into `rest`, which may be the same as `from`.
 * Returns their number. */
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

        /* If `from` is `rest`, packing in place is safe: kept <= at, and a register is loaded before it is packed. */
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

/* Copies the lanes `done` of the group at column `at` of `rest` back to their worlds' columns of `row`. */
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

/* Plays a round of the first `count` columns of `from`, and notes the lanes with time left in `more`. there: the lanes
 * to play, one entry per group; groups without any are skipped. */
static void rounds_pass(rounds *r, rounds_row *from, const int32_t *home, size_t count, const uint16_t *there,
                        int round, tick_run *run)
{
    unsigned nth = 0;

#if defined(ROUNDS_CANDIDATES)
    for (size_t at = 0; at < count; at += LANES) {
        if (there[at / LANES] != 0) {
            rules_candidates(run, nth++, rounds_from(from, at), there[at / LANES], &home[at]);
        }
    }
    rules_solve(run, nth);
    nth = 0;
#endif

    for (size_t at = 0; at < count; at += LANES) {
        unsigned more = there[at / LANES];
        if (more != 0) {
            rounds_row *rows = rounds_from(from, at);
#if defined(ROUNDS_CANDIDATES)
            more = rules_next(run, nth++, rows, more, &home[at]);
            more = rules_hit(run, rows, more, &home[at]);
#else
            /* First play what the previous round found: since then worlds without an impact have dropped out, and
             * registers are full. */
            more = round > 1 ? rules_hit(run, rows, more, &home[at]) : more;
            more = rules_next(run, nth++, rows, more, &home[at]);
#endif
        }

        /* No world may continue after the last round: it has had too many impacts. */
        EACH_LANE (l, round == ROUNDS_LIMIT ? more : 0) {
            run_overrun(run, (unsigned)home[at + l]);
        }
        r->more[at / LANES] = (uint16_t)(round == ROUNDS_LIMIT ? 0 : more);
    }
}

/* Plays the worlds of the run to the end of the tick. */
static void rounds_run(rounds *r, tick_run *run)
{
    /* Round 1: every active world, in the column of its home. */
    const size_t count = (size_t)run->group_count * LANES;
    for (size_t at = 0; at < count; at++) {
        r->home[at] = (int32_t)at;
        r->there[at / LANES] = run->groups[at / LANES].active;
    }
    rounds_pass(r, r->row, r->home, count, r->there, 1, run);

    /* Worlds that are done stay in `row`. The others are packed into `rest` for further rounds. */
    size_t kept = rounds_pack(r, r->row, r->home, count, run);
    for (int round = 2; kept != 0; round++) {
        for (size_t at = 0; at < kept; at += LANES) {
            r->there[at / LANES] = (uint16_t)m_bits(m_below(kept - at));
        }
        rounds_pass(r, r->rest, r->rest_home, kept, r->there, round, run);

        /* Return the worlds that are done before packing overwrites them. */
        for (size_t at = 0; at < kept; at += LANES) {
            rounds_return(r, at, r->there[at / LANES] & ~(unsigned)r->more[at / LANES], run);
        }
        kept = rounds_pack(r, r->rest, r->rest_home, kept, run);
    }

    CHECKED_HELD(r->row, ROUNDS_ROWS, "the rules set row %d of a motion, of ROUNDS_ROWS %d");
    CHECKED_HELD(r->rest, ROUNDS_ROWS, "the rules set row %d of a motion, of ROUNDS_ROWS %d");
}

/* ---- the end of the tick: what tick/driver.h requires of the rules ---- */

/* Applies what follows the motion, such as friction; rows: those of the group. The tile still has its old state. */
CAROM_LANE void rules_after(tick_run *run, unsigned home, tick_world w, rounds_row *rows);

/* Writes the new state of the kept lanes, except positions and velocities. */
CAROM_LANE void rules_keep(tick_run *run, unsigned home, tick_world w, rounds_row *rows, tick_kept kept);

/* The motion leaves its result in the rows, which are read in place. */
struct rules_end {
    rounds_row *rows;
};

/* The position and velocity of body `body`, for recordings: before rules_after(). Bodies that the batch does not have
 * are at 0. */
CAROM_LANE void rules_moved(const tick_run *run, unsigned home, const struct rules_end *end, unsigned body,
                            vreal where[4])
{
    (void)run, (void)home;
    for (int k = X; k <= VY; k++) {
        where[k] = (int)body < ROUNDS_BODIES ? rounds_get(end->rows, (int)body, k) : v_set1(REAL(0.0));
    }
}

/* Exact, one number at a time: the lanes in range; *nan: those with a NaN. */
static unsigned rounds_in_range(const tick_run *run, rounds_row *rows, unsigned *nan)
{
    (void)run; /* if ROUNDS_BODIES is a constant */
    vmask inside = m_from_bits(LANES_ALL), number = inside;
    for (int k = 0; k < ROW(ROUNDS_BODIES, X); k++) {
        const vreal a = v_loadu(rows[k]);
        inside = m_and(inside, v_le(v_abs(a), v_set1((real)(k % 4 < VX ? ROUNDS_FAR : ROUNDS_FAST))));
        number = m_and(number, v_eq(a, a));
    }
    *nan = ~m_bits(number);
    return m_bits(inside);
}

CAROM_LANE vmask rules_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                              unsigned *nan)
{
    rounds_row *rows = end->rows;
    rules_after(run, home, w, rows);

    /* Sums of absolute values bound every number with two comparisons, but may reject a world that is in range. */
    vreal places = v_set1(REAL(0.0)), speeds = places;
    for (int i = 0; i < ROUNDS_BODIES; i++) {
        places = places + (v_abs(rounds_get(rows, i, X)) + v_abs(rounds_get(rows, i, Y)));
        speeds = speeds + (v_abs(rounds_get(rows, i, VX)) + v_abs(rounds_get(rows, i, VY)));
    }
    const vmask sure = m_and(v_le(places, v_set1((real)ROUNDS_FAR)), v_le(speeds, v_set1((real)ROUNDS_FAST)));
    return (active & ~m_bits(sure)) == 0 ? sure : m_from_bits(rounds_in_range(run, rows, nan));
}

CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept)
{
    rounds_row *rows = end->rows;
    for (int i = 0; i < ROUNDS_BODIES; i++) {
        set_x(w, i, rounds_get(rows, i, X), kept);
        set_y(w, i, rounds_get(rows, i, Y), kept);
        set_vx(w, i, rounds_get(rows, i, VX), kept);
        set_vy(w, i, rounds_get(rows, i, VY), kept);
    }
    rules_keep(run, home, w, rows, kept);
}

#endif
