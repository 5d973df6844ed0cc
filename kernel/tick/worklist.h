/* SPDX-License-Identifier: MIT
 * Plays the motion of games in which few worlds have an impact in a tick: bodies that move in straight lines between
 * impacts, one world per lane; every body of a world moves to each of its impacts.
 *
 * A tick has two parts. First every register group finds the earliest impact of each of its worlds; most have none, and
 * only need to be moved. The few worlds (one lane here, one there) that have an impact are taken out of their groups,
 * packed side by side into a worklist, and played there in rounds, one impact per round, until none is left:
 *
 *     group 0   . . E . . . . E                        worklist, round 1   E E E E E E E E | E E . . . . . .
 *     group 1   . . . . . . . .   no impact                          play it, find the next one,
 *     group 2   E . . . E E . .                                      finished lanes return to their groups,
 *     group 3   . E E . . . E .   ... pack =>                        the others close up
 *                                                      round 2             E E E . . . . .
 *
 * So registers stay full whatever fraction of the worlds has impacts, and a group never waits for its slowest lane: if
 * one world in six has an impact, the worst of 8 lanes has about one and the worst of 16 more than one. Worlds are
 * independent, so the order of the worklist has no effect on any result.
 *
 * docs/notes/performance.md compares this method with the plain one, in which the lanes of a group wait for each other.
 *
 * This file is the rules' side of tick/driver.h for such a game: it gathers the bodies, packs, moves, records, checks
 * ranges and stores. A game defines what tick/bodies.h requires, and the functions that are declared below. Its
 * rules_command() sets vx, vy and the notes in the tick_turn of its group, which run_turn() returns.
 */
#ifndef CAROM_TICK_WORKLIST_H
#define CAROM_TICK_WORKLIST_H

#include "tick/bodies.h"

/* ---- what a game defines ---- */

/* Finds the earliest impact within the time next->left, and sets next->time and next->what. On entry these are the
 * remaining time and -1, and they stay so if there is none. Only the lanes `lanes` matter. */
CAROM_LANE void rules_next(tick_run *run, const tick_bodies *b, tick_impact *next, vmask lanes);

/* Plays one impact of each world in `lanes`; its bodies have already moved there. Changes to bodies in other lanes have
 * no effect. home[l]: the world in lane l, valid only in `lanes`. Returns the lanes in which nothing moves any more
 * until the tick is over. */
CAROM_LANE vmask rules_hit(tick_run *run, tick_bodies *b, const tick_impact *impact, vmask lanes, const int32_t *home);

/* Sets what is in RULES_GIVEN; nothing to do for a game without that list. */
CAROM_LANE void rules_give(const tick_run *run, unsigned home, tick_world w, tick_bodies *b);

/* What follows the motion: friction. b: bodies at its end; notes, and what is in RULES_FROM, as they are then. */
CAROM_LANE void rules_after(tick_run *run, unsigned home, tick_world w, tick_bodies *b);

/* Writes the fields that the engine does not know, in the kept lanes. */
CAROM_LANE void rules_keep(tick_run *run, unsigned home, tick_world w, tick_kept kept);

/* For games with RULES_FIRST: called instead of rules_next() at the start of a tick, for a group as it is in its tile.
 * csb determines there which of its worlds need no test of checkpoints. */
#if defined(RULES_FIRST)
CAROM_LANE void rules_first(tick_run *run, unsigned home, tick_world w, const tick_bodies *b, tick_impact *next,
                            vmask lanes);
#endif

/* For games with RULES_TOUCH: describes what touches in an impact, for contacts. On entry *touch is a first body
 * without a radius that nothing moves, and no second body; without RULES_TOUCH contacts have no more than that. */
#if defined(RULES_TOUCH)
static void rules_touch(const tick_run *run, unsigned home, unsigned first, unsigned kind, unsigned second,
                        impact_touch *touch);
#endif

/* ---- the list ---- */

/* Unrolled, so that compilers can keep the rows of a motion in registers. */
#define EACH_ROW(k, first, end) LANES_UNROLL(64) for (int k = first; k < end; k++)

#if TILE_LANES > 1

#define WORKLIST_ROOM (RUN_WORLDS + (LANES > 1 ? 64 / sizeof(real) : 0)) /* packed stores may run past the end */

/* Every world has a slot, in the order of arrival, from which its group takes the result. Most worlds have a single
 * impact and stay in their slots; those with more continue in `rest`, which is packed again after every round. */
typedef struct worklist {
    size_t count; /* used slots */
    /* For each slot, its world; for each column of `rest`, its world and the slot of its result. */
    int32_t home[WORKLIST_ROOM], rest_home[WORKLIST_ROOM], rest_slot[WORKLIST_ROOM];
    alignas(64) real slot[MOTION_ROWS][WORKLIST_ROOM]; /* the given rows, and after worklist_run() those to return */
    alignas(64) real rest[MOTION_ROWS][WORKLIST_ROOM]; /* all rows, between rounds */
} worklist;

/* Appends the chosen lanes, in order. home: the world in lane 0; that in lane l is home + l. */
CAROM_LANE void worklist_push(worklist *list, const motion *m, vmask chosen, int32_t home)
{
    size_t at = list->count;
    EACH_ROW (k, MOTION_FROM, MOTION_GIVEN) {
        v_compress(&list->slot[k][at], chosen, m->r[k]);
    }
    for (unsigned bits = m_bits(chosen); bits != 0; bits &= bits - 1) {
        list->home[at++] = home + __builtin_ctz(bits);
    }
    list->count = at;
}

/* Appends the chosen lanes to `rest`, which has `kept` columns; returns its new length. slot: the slot of each lane, or
 * NULL if lane l is in slot first_slot + l. */
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

    /* Note for each column its world, and the slot of its result. */
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        list->rest_home[kept] = home[lane];
        list->rest_slot[kept++] = slot != NULL ? slot[lane] : first_slot + lane;
    }
    return kept;
}

/* Row `row` of the motion from slot `at` on. */
#define WORKLIST_RESULT(own, row, at) (&(own)->list.slot[row][at])

#else

/* A single world needs no list, only its motion. */
typedef motion worklist;
#define WORKLIST_RESULT(own, row, at) (&(own)->list.r[row])

#endif

/* What a kernel remembers of a run during a tick. */
struct rules_scratch {
    worklist list;               /* the worlds with impacts */
    tick_turn turns[RUN_GROUPS]; /* one per register group */
};

CAROM_LANE tick_turn *run_turn(const tick_run *run, unsigned home)
{
    return &run->own->turns[home / LANES];
}

/* ---- bodies begin to move ---- */

/* Notes where bodies begin to move. */
#define WORKLIST_BEGIN(name, of)                                                                                       \
    EACH_BODY (i, 0) {                                                                                                 \
        b->name[i] = b->of[i];                                                                                         \
    }
CAROM_LANE void worklist_begin(tick_bodies *b)
{
    (void)b;
    RULES_FROM(WORKLIST_BEGIN)
}

/* Reads the bodies of a group at the start of the motion: centres from the tile, velocities and notes as commanded. */
CAROM_LANE void worklist_gather(const tick_run *run, unsigned home, tick_world w, tick_bodies *to)
{
    const tick_turn *from = run_turn(run, home);
    bodies_fill(to);
    EACH_BODY (i, 0) {
        to->x[i] = get_x(w, i);
        to->y[i] = get_y(w, i);
        to->vx[i] = from->vx[i];
        to->vy[i] = from->vy[i];
    }
    RULES_NOTES(BODIES_COPY)
}

/* Moves all bodies by the time t. */
CAROM_LANE void worklist_move(tick_bodies *b, vreal t)
{
    EACH_BODY (i, 0) {
        b->x[i] = b->x[i] + b->vx[i] * t;
        b->y[i] = b->y[i] + b->vy[i] * t;
    }
}

/* ---- impacts ---- */

/* Finds the next impact in the remaining time, in the active lanes; returns those that have one. The others move to the
 * end of the tick. */
CAROM_LANE vmask worklist_next(tick_run *run, motion *m, vmask active)
{
    tick_bodies *b = &m->at.b;
    const vreal left = m->at.left;
    tick_impact next = {left, v_set1(REAL(-1.0)), left, v_set1(REAL(0.0))};
    rules_next(run, b, &next, active);
    m->at.time = next.time;
    m->at.what = next.what;

    const vmask meets = m_and(active, v_ge(next.what, v_set1(REAL(0.0))));
    const vmask done = m_andnot(active, meets);
    EACH_BODY (i, 0) {
        b->x[i] = v_select(done, b->x[i] + b->vx[i] * left, b->x[i]);
        b->y[i] = v_select(done, b->y[i] + b->vy[i] * left, b->y[i]);
    }
    return meets;
}

/* For code that runs only if the caller requests recordings: out of line, calls that record nothing are faster. */
#define WORKLIST_APART static __attribute__((noinline, cold, unused))

/* The bodies of a register group, for contacts: lane by lane, in memory. */
typedef struct worklist_sight {
    alignas(64) real x[RULES_BODIES][LANES];
    alignas(64) real y[RULES_BODIES][LANES];
    alignas(64) real vx[RULES_BODIES][LANES];
    alignas(64) real vy[RULES_BODIES][LANES];
} worklist_sight;

CAROM_LANE void worklist_see(worklist_sight *s, const tick_bodies *b)
{
    EACH_BODY (i, 0) {
        v_store(s->x[i], b->x[i]);
        v_store(s->y[i], b->y[i]);
        v_store(s->vx[i], b->vx[i]);
        v_store(s->vy[i], b->vy[i]);
    }
}

/* What touches in a recorded impact. */
static impact_touch worklist_touch(const tick_run *run, unsigned home, const carom_event *event)
{
    impact_touch touch = {-1, 0, 0, 0, {0, 0}};
#if defined(RULES_TOUCH)
    rules_touch(run, home, event->first, event->kind, event->second, &touch);
    if (touch.body >= 0) {
        CHECKED_INDEX(touch.body, RULES_BODIES, "RULES_TOUCH sets the second body to %d, of RULES_BODIES %d");
    }
#else
    (void)run, (void)home, (void)event;
#endif
    return touch;
}

/* Completes the latest contact of a world, in lane l: velocities are those after that impact until the next impact or
 * the end of the motion. */
static void worklist_part(const tick_run *run, const worklist_sight *s, unsigned l, unsigned home)
{
    carom_contact *c = run->recorded[home] > 0 ? run_last_contact(run, home) : NULL;
    if (c == NULL) {
        return;
    }

    const carom_event *event = &run->tick->events[c - run->tick->contacts];
    const impact_touch touch = worklist_touch(run, home, event);
    const unsigned a = event->first;
    contact_after(c, 0, (double)s->vx[a][l], (double)s->vy[a][l]);
    if (touch.body >= 0) {
        contact_after(c, 1, (double)s->vx[touch.body][l], (double)s->vy[touch.body][l]);
    }
    contact_push(c, touch.mass[0], touch.mass[1]);
}

/* Begins the contact of the impact just recorded in a world, in lane l: positions and velocities are those at the
 * impact, before it. */
static void worklist_meet(const tick_run *run, const worklist_sight *s, unsigned l, unsigned home)
{
    carom_contact *c = run_last_contact(run, home);
    if (c == NULL) {
        return;
    }

    const carom_event *event = &run->tick->events[c - run->tick->contacts];
    const impact_touch touch = worklist_touch(run, home, event);
    const unsigned a = event->first;
    c->time[0] = c->time[1] = 1 - event->left;
    contact_body(c, 0, (double)s->x[a][l], (double)s->y[a][l], (double)s->vx[a][l], (double)s->vy[a][l]);
    if (touch.body >= 0) {
        const unsigned b = (unsigned)touch.body;
        contact_body(c, 1, (double)s->x[b][l], (double)s->y[b][l], (double)s->vx[b][l], (double)s->vy[b][l]);
        contact_meet(c, touch.radius);
    } else {
        /* The first comes from the other side. */
        const double side = c->before[0][0] * touch.nx + c->before[0][1] * touch.ny < 0 ? -1 : 1;
        contact_touch(c, side * touch.nx, side * touch.ny, touch.radius);
    }
}

/* Records the impacts of the lanes `bits`, for the worlds that are being recorded. sight: NULL without contacts. */
static void worklist_record(const tick_run *run, const worklist_sight *sight, vreal left_of, vreal what_of,
                            unsigned bits, const int32_t *home)
{
    alignas(64) real left[LANES], what[LANES];
    v_store(left, left_of);
    v_store(what, what_of);

    EACH_LANE (l, bits) {
        const unsigned world = (unsigned)home[l];
        if (sight != NULL) {
            worklist_part(run, sight, l, world);
        }
        carom_event *event = run_record(run, world);
        if (event != NULL) {
            const uint32_t met = (uint32_t)what[l];
            event->left = (double)left[l];
            event->first = met % 256;
            event->second = met / 256 % 256;
            event->kind = met / 65536;
            event->part = 0;
        }
        if (sight != NULL) {
            worklist_meet(run, sight, l, world);
        }
    }
}

#if !defined(CAROM_DEVICE) /* there are no contacts, and code for them costs registers even if it never runs */

/* Records the impacts of the lanes `bits`, with contacts if requested. */
WORKLIST_APART void worklist_note(const tick_run *run, const tick_bodies *b, vreal left, vreal what, unsigned bits,
                                  const int32_t *home)
{
    worklist_sight sight;
    const bool contacts = run_records_contacts(run);
    if (contacts) {
        worklist_see(&sight, b);
    }
    worklist_record(run, contacts ? &sight : NULL, left, what, bits, home);
}

#endif

/* Plays the pending impact of the active lanes, number `count` in this tick; returns those that continue. home[l]: the
 * world in lane l. */
CAROM_LANE vmask worklist_hit(tick_run *run, motion *m, vmask active, const int32_t *home, int count)
{
    worklist_move(&m->at.b, m->at.time);
    m->at.left = m->at.left - m->at.time;

    run_count_impacts(run, (unsigned)__builtin_popcount(m_bits(active)));
    if (run_records(run)) {
#if defined(CAROM_DEVICE)
        worklist_record(run, NULL, m->at.left, m->at.what, m_bits(active), home);
#else
        const tick_bodies bodies = m->at.b;
        worklist_note(run, &bodies, m->at.left, m->at.what, m_bits(active), home);
#endif
    }

    const tick_impact impact = {m->at.time, m->at.what, m->at.left, v_set1((real)count)};
    const vmask still = rules_hit(run, &m->at.b, &impact, active, home);
    return m_andnot(m_and(active, v_gt(m->at.left, v_set1(REAL(0.0)))), still);
}

#if TILE_LANES > 1

/* Plays the `count` worlds of `rest`, which have had one impact, to the end of the tick. */
static void worklist_run_rest(worklist *list, size_t count, tick_run *run)
{
    /* Play one impact of every world in each round, and pack those with a further impact for the next round. */
    for (int round = 2; count != 0; round++) {
        size_t kept = 0;
        for (size_t at = 0; at < count; at += LANES) {
            /* Load LANES worlds into registers; the last group may be partly filled. */
            motion m;
            EACH_ROW (k, 0, MOTION_ROWS) {
                m.r[k] = v_loadu(&list->rest[k][at]);
            }
            vmask there = m_below(count - at);

            /* Play the pending impact and find the next one; in the last round report worlds with time left instead. */
            vmask more = worklist_hit(run, &m, there, &list->rest_home[at], round);
            if (round == RULES_EVENTS) {
                for (unsigned bits = m_bits(more); bits != 0; bits &= bits - 1) {
                    run_overrun(run, (unsigned)list->rest_home[at + (size_t)__builtin_ctz(bits)]);
                }
                more = m_from_bits(0);
            } else if (m_any(more)) {
                more = worklist_next(run, &m, more);
            }

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

            /* Pack the others in place: since kept <= at and this group is in registers, no unread column is lost. */
            kept = worklist_keep(list, kept, &m, more, &list->rest_home[at], &list->rest_slot[at], 0);
        }
        count = kept;
    }
}

/* Plays all worlds of the list to the end of the tick, and leaves the results in their slots. */
CAROM_LANE void worklist_run(worklist *list, tick_run *run)
{
    /* Round 1, with all worlds in their slots: for most of them it is the only one. */
    size_t kept = 0;
    for (size_t at = 0; at < list->count; at += LANES) {
        motion m;
        EACH_ROW (k, MOTION_FROM, MOTION_GIVEN) {
            m.r[k] = v_loadu(&list->slot[k][at]);
        }
        worklist_begin(&m.at.b);
        m.at.left = v_set1(REAL(1.0));

        /* Play the impact that was found before the world was packed, and find the next one. */
        vmask there = m_below(list->count - at);
        vmask more = worklist_hit(run, &m, there, &list->home[at], 1);
        if (m_any(more)) {
            more = worklist_next(run, &m, more);
        }

        /* Store the results of all lanes, done or not, as whole registers; later rounds overwrite those of the rest. */
        EACH_ROW (k, 0, MOTION_BACK) {
            v_storeu(&list->slot[k][at], m.r[k]);
        }
        kept = worklist_keep(list, kept, &m, more, &list->home[at], NULL, (int32_t)at);
    }

    worklist_run_rest(list, kept, run);
}

#endif

/* ---- for tick/driver.h ---- */

/* Finds the worlds with an impact, in a pass before they are packed. */
DEVICE_LANE void worklist_look(tick_run *run)
{
    EACH_ACTIVE_GROUP (run, number, home) {
        tick_turn *t = run_turn(run, home);
        tick_impact next = {v_set1(REAL(1.0)), v_set1(REAL(-1.0)), v_set1(REAL(1.0)), v_set1(REAL(0.0))};
        run_group *group = &run->groups[number];
        const tick_world w = run_world(run, home);
        tick_bodies b;
        worklist_gather(run, home, w, &b);
#if defined(RULES_FIRST)
        rules_first(run, home, w, &b, &next, m_from_bits(group->active));
#else
        rules_next(run, &b, &next, m_from_bits(group->active));
#endif
        t->time = next.time;
        t->what = next.what;
        group->event = (uint16_t)(group->active & m_bits(v_ge(next.what, v_set1(REAL(0.0)))));
    }
}

/* Reads a group with an impact that worklist_look() has found into *m. */
CAROM_LANE void worklist_take(const tick_run *run, unsigned home, motion *m)
{
    const tick_world w = run_world(run, home);
    worklist_gather(run, home, w, &m->at.b);
    rules_give(run, home, w, &m->at.b);
    m->at.time = run_turn(run, home)->time;
    m->at.what = run_turn(run, home)->what;
}

#if TILE_LANES > 1

/* Plays all impacts, one at a time in each world that has one. */
DEVICE_LANE void tick_play(tick_run *run)
{
    worklist *list = &run->own->list;
    worklist_look(run);

    /* Pack the worlds with an impact side by side; `slot` is where rules_move() finds those of a group. */
    list->count = 0;
    EACH_ACTIVE_GROUP (run, number, home) {
        run_group *group = &run->groups[number];
        if (group->event != 0) {
            motion m;
            worklist_take(run, home, &m);
            group->slot = (uint16_t)list->count;
            worklist_push(list, &m, m_from_bits(group->event), (int32_t)home);
        }
    }

    worklist_run(list, run);
}

#else

/* Plays all impacts of a single world, one at a time. */
DEVICE_LANE void tick_play(tick_run *run)
{
    motion *m = &run->own->list;
    const int32_t home = 0;
    worklist_look(run);
    if (run->groups[0].event == 0) {
        return;
    }

    worklist_take(run, 0, m);
    worklist_begin(&m->at.b);
    m->at.left = v_set1(REAL(1.0));
    vmask more = m_from_bits(1);
    for (int count = 1; m_any(more); count++) {
        /* Play the impact that was found and find the next one; after the last one report a world with time left. */
        more = worklist_hit(run, m, more, &home, count);
        if (count == RULES_EVENTS && count > 1 && m_any(more)) {
            run_overrun(run, 0);
            more = m_from_bits(0);
        } else if (m_any(more)) {
            more = worklist_next(run, m, more);
        }
    }
}

#endif

/* The bodies: at the end of the motion after rules_move(), at the end of the tick after rules_finish(). */
struct rules_end {
    tick_bodies b;
};

/* Row `row` of a motion as the worklist left it, in the group's worlds that had an impact, otherwise a. */
#define WORKLIST_TAKE(a, row) (a) = v_expand((a), event, WORKLIST_RESULT(run->own, row, group->slot))

#define WORKLIST_TAKE_LIST(name, count)                                                                                \
    for (int i = 0; i < (count); i++) {                                                                                \
        WORKLIST_TAKE(b->name[i], MOTION_ROW(name) + i);                                                               \
    }
#define WORKLIST_TAKE_FROM(name, of)                                                                                   \
    EACH_BODY (i, 0) {                                                                                                 \
        WORKLIST_TAKE(b->name[i], MOTION_ROW(name) + i);                                                               \
    }
#define MOTION_ROW(name) ((int)(offsetof(tick_bodies, name) / sizeof(vreal)))

CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end)
{
    const run_group *group = run_group_of(run, home);
    tick_bodies *b = &end->b;

    /* Without an impact every body moves by its velocity. */
    worklist_gather(run, home, w, b);
    worklist_begin(b);
    EACH_BODY (i, 0) {
        b->x[i] = b->x[i] + b->vx[i];
        b->y[i] = b->y[i] + b->vy[i];
    }

    /* Worlds with impacts were moved in the worklist: use their result instead. Driven bodies are right already. */
    if (group->event != 0) {
        const vmask event = m_from_bits(group->event);
        RULES_FROM(WORKLIST_TAKE_FROM)
        RULES_NOTES(WORKLIST_TAKE_LIST)
        EACH_BODY (i, RULES_DRIVEN) {
            WORKLIST_TAKE(b->x[i], MOTION_ROW(x) + i);
            WORKLIST_TAKE(b->y[i], MOTION_ROW(y) + i);
            WORKLIST_TAKE(b->vx[i], MOTION_ROW(vx) + i);
            WORKLIST_TAKE(b->vy[i], MOTION_ROW(vy) + i);
        }
    }
}

CAROM_LANE void rules_moved(const tick_run *run, unsigned home, const struct rules_end *end, unsigned body,
                            vreal where[4])
{
    (void)run, (void)home;
    where[0] = end->b.x[body];
    where[1] = end->b.y[body];
    where[2] = end->b.vx[body];
    where[3] = end->b.vy[body];
}

#if !defined(CAROM_DEVICE)

/* After the motion: completes the last contact of every world that had an impact. */
WORKLIST_APART void worklist_part_all(tick_run *run)
{
    EACH_ACTIVE_GROUP (run, number, home) {
        const unsigned met = run->groups[number].event;
        if (met == 0) {
            continue;
        }

        struct rules_end end;
        worklist_sight sight;
        rules_move(run, home, run_world(run, home), &end);
        worklist_see(&sight, &end.b);
        EACH_LANE (l, met) {
            worklist_part(run, &sight, l, home + l);
        }
    }
}

#endif

/* The lanes whose bodies are all in range; if any active lane may not be, *nan gets the lanes with a NaN. freely: no
 * world of the group had an impact. */
CAROM_LANE vmask worklist_sound(const tick_bodies *b, unsigned active, bool freely, unsigned *nan)
{
    const real far_x = (real)RULES_FAR_X, far_y = (real)RULES_FAR_Y, fast = (real)RULES_FAST;
    const real far = far_x < far_y ? far_x : far_y, least = far < fast ? far : fast;
    (void)freely;

    /* A sum of magnitudes decides almost all cases if ranges are wide: it is NaN if any number is, and large if any is.
     * Under RULES_SLOWED a body that moved freely from one position in range to another cannot be too fast. */
    vreal sum = v_set1(REAL(0.0));
    EACH_BODY (i, 0) {
        sum = sum + (v_abs(b->x[i]) + v_abs(b->y[i]));
    }
#if defined(RULES_SLOWED)
    if (!freely)
#endif
    {
        EACH_BODY (i, 0) {
            sum = sum + (v_abs(b->vx[i]) + v_abs(b->vy[i]));
        }
    }
    const vmask sound = v_le(sum, v_set1(least));
    if (!m_any(m_andnot(m_from_bits(active), sound))) {
        return sound;
    }

    /* Otherwise check every number. v_max() may drop a NaN, but the sum has kept it. */
    vreal most_x = v_set1(REAL(0.0)), most_y = most_x, most_v = most_x;
    EACH_BODY (i, 0) {
        most_x = v_max(most_x, v_abs(b->x[i]));
        most_y = v_max(most_y, v_abs(b->y[i]));
        most_v = v_max(most_v, v_max(v_abs(b->vx[i]), v_abs(b->vy[i])));
    }
    const vmask none = v_ne(sum, sum);
    *nan = m_bits(none);
    return m_andnot(m_and(m_and(v_le(most_x, v_set1(far_x)), v_le(most_y, v_set1(far_y))), v_le(most_v, v_set1(fast))),
                    none);
}

CAROM_LANE vmask rules_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                              unsigned *nan)
{
    rules_after(run, home, w, &end->b);
    return worklist_sound(&end->b, active, run_group_of(run, home)->event == 0, nan);
}

CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept)
{
    const tick_bodies *from = &end->b;
    tick_turn *to = run_turn(run, home);
    EACH_BODY (i, 0) {
        set_x(w, i, from->x[i], kept);
        set_y(w, i, from->y[i], kept);
        set_vx(w, i, from->vx[i], kept);
        set_vy(w, i, from->vy[i], kept);
    }
    RULES_NOTES(BODIES_COPY)
    (void)to;
    rules_keep(run, home, w, kept);
}

#endif
