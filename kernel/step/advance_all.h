/* SPDX-License-Identifier: MIT
 * The wide engine's event loop under the policy `advance_all`: lane = world, every body moves to each event.
 *
 * A tick has two parts. First every register group of worlds looks for its earliest event at once; most have none, and
 * are finished on the spot. The few worlds (one lane here, one there) that have an event are taken out of their groups,
 * packed side by side into a worklist, and played there in rounds, one event a round, until none is left:
 *
 *     group 0   . . E . . . . E                        worklist, round 1   E E E E E E E E | E E . . . . . .
 *     group 1   . . . . . . . .   no event: finished                 resolve, look for the next event,
 *     group 2   E . . . E E . .                                      finished lanes go back to their groups,
 *     group 3   . E E E . . E .   ... pack =>                        the others close up
 *                                                      round 2             E E E . . . . .
 *
 * So registers stay full whatever share of the worlds has events, and a group never waits for its slowest lane: in a race
 * of Coders Strike Back, 0.17 events a world and tick in the mean are 0.92 in the worst of 8 lanes and 1.37 in the worst of
 * 16. Worlds do not see each other, so the order of the worklist has no effect on any result.
 *
 * bench/README.md has the figures of this way against the plain one (lanes of a group wait for each other).
 *
 * A rule set defines, before it includes this file,
 *     MOTION_ROWS     rows of reals that make up a world in motion
 *     MOTION_BACK     the rows, from the first on, that go back to the group when a world is done
 *     MOTION_ROUNDS   no world has more events than this in a tick: bounded in every case
 *     typedef ... motion_context;
 * and after it motion_resolve() and motion_detect(), which are declared below.
 */
#ifndef CAROM_STEP_ADVANCE_ALL_H
#define CAROM_STEP_ADVANCE_ALL_H

#include "simd/lanes.h"

typedef struct motion {
    vreal r[MOTION_ROWS];
} motion;

/* Plays the pending event of the active lanes; true for those that have time left. `at` is the list's index of lane 0,
 * for `home`, which says who these worlds are. */
CAROM_LANE vmask motion_resolve(motion *m, vmask active, const int32_t *home, motion_context *context);

/* Looks for the next event within the time left. Lanes without one are moved to the end of the tick. True for those with
 * one, which stay where they are; the event is noted in the motion. */
CAROM_LANE vmask motion_detect(motion *m, vmask active);

/* A world is done: lane `lane` of m goes back to where `home` says. */
static inline void motion_return(const real *rows, int lane, int32_t home, motion_context *context);

/* A world has reached MOTION_ROUNDS and is not done. */
static inline void motion_overrun(int32_t home, motion_context *context);

#define WORKLIST_WORLDS 256

typedef struct worklist {
    size_t count;
    int32_t home[WORKLIST_WORLDS + LANES];
    _Alignas(64) real r[MOTION_ROWS][WORKLIST_WORLDS + 64 / sizeof(real)];
} worklist;

/* Appends the chosen lanes. home is that of lane 0; the others follow it. */
CAROM_LANE void worklist_push(worklist *list, const motion *m, vmask chosen, int32_t home)
{
    size_t at = list->count;
    for (int k = 0; k < MOTION_ROWS; k++) {
        v_compress(&list->r[k][at], chosen, m->r[k]);
    }
    for (unsigned bits = m_bits(chosen); bits != 0; bits &= bits - 1) {
        list->home[at++] = home + __builtin_ctz(bits);
    }
    list->count = at;
}

/* Plays the worklist until it is empty. */
CAROM_LANE void worklist_run(worklist *list, motion_context *context)
{
    for (int round = 1; list->count != 0; round++) {
        size_t count = list->count, kept = 0;
        for (size_t at = 0; at < count; at += LANES) {
            motion m;
            for (int k = 0; k < MOTION_ROWS; k++) {
                m.r[k] = v_loadu(&list->r[k][at]);
            }
            vmask there = m_below(count - at);
            vmask more = motion_resolve(&m, there, &list->home[at], context);
            if (round < MOTION_ROUNDS) {
                if (m_any(more)) {
                    more = motion_detect(&m, more);
                }
            } else {
                for (unsigned bits = m_bits(more); bits != 0; bits &= bits - 1) {
                    motion_overrun(list->home[at + (size_t)__builtin_ctz(bits)], context);
                }
                more = m_from_bits(0);
            }
            unsigned done = m_bits(m_andnot(there, more));
            if (done != 0) {
                _Alignas(64) real back[MOTION_BACK][LANES];
                for (int k = 0; k < MOTION_BACK; k++) {
                    v_store(back[k], m.r[k]);
                }
                for (unsigned bits = done; bits != 0; bits &= bits - 1) {
                    int lane = __builtin_ctz(bits);
                    motion_return(&back[0][lane], lane, list->home[at + (size_t)lane], context);
                }
            }
            /* Close up: kept <= at, and this group's rows are loaded already. */
            unsigned stay = m_bits(more);
            if (stay != 0) {
                for (int k = 0; k < MOTION_ROWS; k++) {
                    v_compress(&list->r[k][kept], more, m.r[k]);
                }
                for (; stay != 0; stay &= stay - 1) {
                    list->home[kept++] = list->home[at + (size_t)__builtin_ctz(stay)];
                }
            }
        }
        list->count = kept;
    }
}

#endif
