/* SPDX-License-Identifier: MIT
 * The wide engine's event loop under the policy `advance_all`: lane = world, every body moves to each event.
 *
 * A tick has two parts. First every register group of worlds looks for its earliest event at once; most have none, and
 * only need to be moved. The few worlds (one lane here, one there) that have an event are taken out of their groups,
 * packed side by side into a worklist, and played there in rounds, one event a round, until none is left:
 *
 *     group 0   . . E . . . . E                        worklist, round 1   E E E E E E E E | E E . . . . . .
 *     group 1   . . . . . . . .   no event                           resolve, look for the next event,
 *     group 2   E . . . E E . .                                      finished lanes go back to their groups,
 *     group 3   . E E E . . E .   ... pack =>                        the others close up
 *                                                      round 2             E E E . . . . .
 *
 * So registers stay full whatever share of the worlds has events, and a group never waits for its slowest lane: in a
 * race of Coders Strike Back, 0.17 events a world and tick in the mean are 0.92 in the worst of 8 lanes and 1.37 in the
 * worst of 16. Worlds do not see each other, so the order of the worklist has no effect on any result.
 *
 * bench/README.md has the figures of this way against the plain one (lanes of a group wait for each other).
 *
 * A rule set defines, before it includes this file,
 *     MOTION_ROWS                        rows of reals that make up a world in motion; of these, by number,
 *     MOTION_BACK                        those before it go back to the group when a world is done
 *     MOTION_GIVEN, MOTION_GIVEN_END     from .. to: what the worklist is told of a world; motion_open() sets the rest
 *     MOTION_ROUNDS                      no world has more events than this in a tick: bounded in every case
 *     typedef ... motion_context;
 * and after it the functions motion_...(), which are declared below.
 */
#ifndef CAROM_TICK_WORKLIST_H
#define CAROM_TICK_WORKLIST_H

#include "tick/run.h"

typedef struct motion {
    vreal r[CHECKED_ROOM(MOTION_ROWS)];
} motion;

static_assert(MOTION_GIVEN <= MOTION_GIVEN_END && MOTION_GIVEN_END <= MOTION_ROWS,
              "the rows that are given, MOTION_GIVEN .. MOTION_GIVEN_END, are among MOTION_ROWS");
static_assert(MOTION_BACK <= MOTION_ROWS, "the rows that go back, MOTION_BACK, are among MOTION_ROWS");

/* For a motion before and after the rules have had it. */
#define MOTION_FILL(m) CHECKED_FILL((m)->r, MOTION_ROWS)
#define MOTION_HELD(m) CHECKED_HELD((m)->r, MOTION_ROWS, "the rules set row %d of a motion, of MOTION_ROWS %d")

/* Sets the rows that are not given, as they are at the start of a tick. */
CAROM_LANE void motion_open(motion *m);

/* Plays the pending event of the active lanes; true for those with time left. home[l] names the world in lane l. */
CAROM_LANE vmask motion_resolve(motion *m, vmask active, const int32_t *home, motion_context *context);

/* Looks for the next event within the time left. Lanes without one are moved to the end of the tick. True for those
 * with one, which stay where they are; the event is noted in the motion. A rule set that needs the context for it
 * defines MOTION_DETECT beforehand. */
#if !defined(MOTION_DETECT)
#define MOTION_DETECT(m, active, context) motion_detect(m, active)
CAROM_LANE vmask motion_detect(motion *m, vmask active);
#endif

/* A world has had MOTION_ROUNDS events and is not done. */
CAROM_LANE void motion_overrun(int32_t home, motion_context *context);

/* Unrolled, so that the rows of a motion may be in registers. */
#if defined(__clang__)
#define EACH_ROW(k, first, end) _Pragma("clang loop unroll(full)") for (int k = first; k < end; k++)
#else
#define EACH_ROW(k, first, end) _Pragma("GCC unroll 64") for (int k = first; k < end; k++)
#endif

#define WORKLIST_ROOM (RUN_WORLDS + (LANES > 1 ? 64 / sizeof(real) : 0)) /* a store of packed lanes may run over */

/* Every world has a slot, in the order of its arrival, where it is found again when it is done. Most have a single
 * event and never leave it; those with more go on in `rest`, which closes up from round to round. */
typedef struct worklist {
    size_t count;
    int32_t home[WORKLIST_ROOM], rest_home[WORKLIST_ROOM], rest_slot[WORKLIST_ROOM];
    alignas(64) real slot[MOTION_ROWS][WORKLIST_ROOM];
    alignas(64) real rest[MOTION_ROWS][WORKLIST_ROOM];
} worklist;

/* Appends the chosen lanes, in order. home is that of lane 0; the others follow it. */
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

/* Takes back one row, below MOTION_BACK, of worlds that are done: the chosen lanes, of which the first is in slot
 * `from`; the others keep what they have in a. */
CAROM_LANE vreal worklist_take(const worklist *list, int row, vreal a, vmask chosen, size_t from)
{
    CHECKED_INDEX(row, MOTION_BACK, "worklist_take() is to give row %d of a motion, of MOTION_BACK %d");
    return v_expand(a, chosen, &list->slot[row][from]);
}

/* Packs the chosen lanes to the end of `rest`; returns its new length. */
CAROM_LANE size_t worklist_keep(worklist *list, size_t kept, const motion *m, vmask chosen, const int32_t *home,
                                const int32_t *slot, int32_t first_slot)
{
    unsigned bits = m_bits(chosen);
    if (bits != 0) {
        EACH_ROW (k, 0, MOTION_ROWS) {
            v_compress(&list->rest[k][kept], chosen, m->r[k]);
        }
    }
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        list->rest_home[kept] = home[lane];
        list->rest_slot[kept++] = slot != NULL ? slot[lane] : first_slot + lane;
    }
    return kept;
}

/* Later rounds: the worlds of `rest`. */
static void worklist_run_rest(worklist *list, size_t count, motion_context *context)
{
    for (int round = 2; count != 0; round++) {
        size_t kept = 0;
        for (size_t at = 0; at < count; at += LANES) {
            motion m;
            MOTION_FILL(&m);
            EACH_ROW (k, 0, MOTION_ROWS) {
                m.r[k] = v_loadu(&list->rest[k][at]);
            }
            vmask there = m_below(count - at);
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
            /* kept <= at, and this group is in registers: closing up overwrites nothing that is still needed */
            kept = worklist_keep(list, kept, &m, more, &list->rest_home[at], &list->rest_slot[at], 0);
        }
        count = kept;
    }
}

/* Plays all worlds of the list to the end of the tick. */
CAROM_LANE void worklist_run(worklist *list, motion_context *context)
{
    size_t kept = 0;
    for (size_t at = 0; at < list->count; at += LANES) {
        motion m;
        MOTION_FILL(&m);
        EACH_ROW (k, MOTION_GIVEN, MOTION_GIVEN_END) {
            m.r[k] = v_loadu(&list->slot[k][at]);
        }
        motion_open(&m);
        vmask there = m_below(list->count - at);
        vmask more = motion_resolve(&m, there, &list->home[at], context);
        if (m_any(more)) {
            more = MOTION_DETECT(&m, more, context);
        }
        MOTION_HELD(&m);
        EACH_ROW (k, 0, MOTION_BACK) {
            v_storeu(&list->slot[k][at], m.r[k]);
        }
        kept = worklist_keep(list, kept, &m, more, &list->home[at], NULL, (int32_t)at);
    }
    worklist_run_rest(list, kept, context);
}

#endif
