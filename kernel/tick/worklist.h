/* SPDX-License-Identifier: MIT
 * The wide engine's event loop under the policy `advance_all`: one world per lane, every body moves to each event.
 *
 * A tick has two parts. First every register group looks for the earliest event of each of its worlds; most have none,
 * and only need to be moved. The few worlds (one lane here, one there) that have an event are taken out of their
 * groups, packed side by side into a worklist, and played there in rounds, one event per round, until none is left:
 *
 *     group 0   . . E . . . . E                        worklist, round 1   E E E E E E E E | E E . . . . . .
 *     group 1   . . . . . . . .   no event                           resolve, look for the next event,
 *     group 2   E . . . E E . .                                      finished lanes go back to their groups,
 *     group 3   . E E E . . E .   ... pack =>                        the others close up
 *                                                      round 2             E E E . . . . .
 *
 * So registers stay full whatever share of the worlds has events, and a group never waits for its slowest lane. In a
 * race of Coders Strike Back a world has 0.17 events per tick on average, but the worst of 8 lanes has 0.92 and the
 * worst of 16 has 1.37. Worlds are independent, so the order of the worklist has no effect on any result.
 *
 * bench/README.md compares this method with the plain one, in which the lanes of a group wait for each other.
 *
 * A rule set defines, before it includes this file,
 *     MOTION_ROWS                        rows of reals that make up a world in motion
 *     MOTION_BACK                        rows 0 .. MOTION_BACK - 1 go back to the group when a world is done
 *     MOTION_GIVEN, MOTION_GIVEN_END     first row, and one past the last, that worklist_push() copies; motion_open()
 *                                        sets the rest
 *     MOTION_ROUNDS                      limit of events of a world in a tick, so that every tick ends
 *     typedef ... motion_context;
 * and after it the functions motion_...(), which are declared below.
 */
#ifndef CAROM_TICK_WORKLIST_H
#define CAROM_TICK_WORKLIST_H

#include "tick/run.h"

/* LANES worlds in motion, in registers where they fit. */
typedef struct motion {
    vreal r[CHECKED_ROOM(MOTION_ROWS)]; /* the rule set gives each row its meaning */
} motion;

static_assert(MOTION_GIVEN <= MOTION_GIVEN_END && MOTION_GIVEN_END <= MOTION_ROWS,
              "the rows that are given, MOTION_GIVEN .. MOTION_GIVEN_END, are among MOTION_ROWS");
static_assert(MOTION_BACK <= MOTION_ROWS, "the rows that go back, MOTION_BACK, are among MOTION_ROWS");

/* Do the rules write rows beyond MOTION_ROWS? In a trial of a game (see tick/checked.h) spare rows are filled before
 * they run and compared afterwards. */
#define MOTION_FILL(m) CHECKED_FILL((m)->r, MOTION_ROWS)
#define MOTION_HELD(m) CHECKED_HELD((m)->r, MOTION_ROWS, "the rules set row %d of a motion, of MOTION_ROWS %d")

/* Sets the rows outside MOTION_GIVEN .. MOTION_GIVEN_END to their values at the start of a tick. */
CAROM_LANE void motion_open(motion *m);

/* Plays the pending event of the active lanes; returns those with time left. home[l]: the world in lane l. */
CAROM_LANE vmask motion_resolve(motion *m, vmask active, const int32_t *home, motion_context *context);

/* Finds the next event within the time left. Active lanes with one keep their positions, note it in the motion and are
 * returned; those without one are moved to the end of the tick. A rule set that needs the context for this defines
 * MOTION_DETECT before including this file. */
#if !defined(MOTION_DETECT)
#define MOTION_DETECT(m, active, context) motion_detect(m, active)
CAROM_LANE vmask motion_detect(motion *m, vmask active);
#endif

/* Reports that a world has had MOTION_ROUNDS events and still has time left. */
CAROM_LANE void motion_overrun(int32_t home, motion_context *context);

/* Unrolled, so that compilers can keep the rows of a motion in registers. */
#if defined(__clang__)
#define EACH_ROW(k, first, end) _Pragma("clang loop unroll(full)") for (int k = first; k < end; k++)
#else
#define EACH_ROW(k, first, end) _Pragma("GCC unroll 64") for (int k = first; k < end; k++)
#endif

#define WORKLIST_ROOM (RUN_WORLDS + (LANES > 1 ? 64 / sizeof(real) : 0)) /* a store of packed lanes may run over */

/* Every world has a slot, in the order of its arrival, from which its group takes the result. Most worlds have a single
 * event and stay in their slots; those with more continue in `rest`, which is packed again after every round. */
typedef struct worklist {
    size_t count; /* of slots in use */
    /* Of each slot, its world; of each column of `rest`, its world and the slot where its result goes. */
    int32_t home[WORKLIST_ROOM], rest_home[WORKLIST_ROOM], rest_slot[WORKLIST_ROOM];
    alignas(64) real slot[MOTION_ROWS][WORKLIST_ROOM]; /* the given rows, and after worklist_run() those that go back */
    alignas(64) real rest[MOTION_ROWS][WORKLIST_ROOM]; /* all rows, between rounds */
} worklist;

/* Appends the chosen lanes, in order. home: the world in lane 0; that in lane l is home + l. */
CAROM_LANE void worklist_push(worklist *list, const motion *m, vmask chosen, int32_t home)
{
    size_t at = list->count;
    EACH_ROW (k, MOTION_GIVEN, MOTION_GIVEN_END) {
        v_compress(&list->slot[k][at], chosen, m->r[k]);
    }
    for (unsigned bits = m_bits(chosen); bits != 0; bits &= bits - 1) {
        list->home[at++] = home + __builtin_ctz(bits);
    }
    list->count = at;
}

/* Returns row `row`, below MOTION_BACK, of a group whose worlds are done: the chosen lanes from consecutive slots,
 * beginning with slot `from`, the other lanes from a. */
CAROM_LANE vreal worklist_take(const worklist *list, int row, vreal a, vmask chosen, size_t from)
{
    CHECKED_INDEX(row, MOTION_BACK, "worklist_take() is to give row %d of a motion, of MOTION_BACK %d");
    return v_expand(a, chosen, &list->slot[row][from]);
}

/* Appends the chosen lanes to `rest`, which has `kept` columns; returns its new length. slot: the slot of each lane, or
 * NULL where lane l is in slot first_slot + l. */
CAROM_LANE size_t worklist_keep(worklist *list, size_t kept, const motion *m, vmask chosen, const int32_t *home,
                                const int32_t *slot, int32_t first_slot)
{
    unsigned bits = m_bits(chosen);

    /* Pack the rows, whole registers at a time. */
    if (bits != 0) {
        EACH_ROW (k, 0, MOTION_ROWS) {
            v_compress(&list->rest[k][kept], chosen, m->r[k]);
        }
    }

    /* Note for each column its world, and the slot where its result goes. */
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        list->rest_home[kept] = home[lane];
        list->rest_slot[kept++] = slot != NULL ? slot[lane] : first_slot + lane;
    }
    return kept;
}

/* Plays the `count` worlds of `rest`, which have had one event, to the end of the tick. */
static void worklist_run_rest(worklist *list, size_t count, motion_context *context)
{
    /* Play one event of every world in each round, and pack those with a further event for the next one. */
    for (int round = 2; count != 0; round++) {
        size_t kept = 0;
        for (size_t at = 0; at < count; at += LANES) {
            /* Load LANES worlds into registers; the last group may be partly filled. */
            motion m;
            MOTION_FILL(&m);
            EACH_ROW (k, 0, MOTION_ROWS) {
                m.r[k] = v_loadu(&list->rest[k][at]);
            }
            vmask there = m_below(count - at);

            /* Play the pending event and find the next one; in the last round report worlds with time left instead. */
            vmask more = motion_resolve(&m, there, &list->rest_home[at], context);
            if (round == MOTION_ROUNDS) {
                for (unsigned bits = m_bits(more); bits != 0; bits &= bits - 1) {
                    motion_overrun(list->rest_home[at + (size_t)__builtin_ctz(bits)], context);
                }
                more = m_from_bits(0);
            } else if (m_any(more)) {
                more = MOTION_DETECT(&m, more, context);
            }
            MOTION_HELD(&m);

            /* The slots of worlds that are done are scattered: write their results through memory, lane by lane. */
            unsigned done = m_bits(m_andnot(there, more));
            if (done != 0) {
                alignas(64) real back[MOTION_BACK][LANES];
                EACH_ROW (k, 0, MOTION_BACK) {
                    v_store(back[k], m.r[k]);
                }
                for (; done != 0; done &= done - 1) {
                    int lane = __builtin_ctz(done);
                    real *to = &list->slot[0][list->rest_slot[at + (size_t)lane]];
                    EACH_ROW (k, 0, MOTION_BACK) {
                        to[(size_t)k * WORKLIST_ROOM] = back[k][lane];
                    }
                }
            }

            /* Pack the others in place: as kept <= at and this group is in registers, no unread column is lost. */
            kept = worklist_keep(list, kept, &m, more, &list->rest_home[at], &list->rest_slot[at], 0);
        }
        count = kept;
    }
}

/* Plays all worlds of the list to the end of the tick, and leaves the results in their slots. */
CAROM_LANE void worklist_run(worklist *list, motion_context *context)
{
    /* Round 1, with all worlds in their slots: for most of them it is the only one. */
    size_t kept = 0;
    for (size_t at = 0; at < list->count; at += LANES) {
        motion m;
        MOTION_FILL(&m);
        EACH_ROW (k, MOTION_GIVEN, MOTION_GIVEN_END) {
            m.r[k] = v_loadu(&list->slot[k][at]);
        }
        motion_open(&m);

        /* Play the event that was found before the world was packed, and find the next one. */
        vmask there = m_below(list->count - at);
        vmask more = motion_resolve(&m, there, &list->home[at], context);
        if (m_any(more)) {
            more = MOTION_DETECT(&m, more, context);
        }
        MOTION_HELD(&m);

        /* Store the results of all lanes, done or not, as whole registers; later rounds overwrite those of the rest. */
        EACH_ROW (k, 0, MOTION_BACK) {
            v_storeu(&list->slot[k][at], m.r[k]);
        }
        kept = worklist_keep(list, kept, &m, more, &list->home[at], NULL, (int32_t)at);
    }

    worklist_run_rest(list, kept, context);
}

#endif
