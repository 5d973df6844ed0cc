/* SPDX-License-Identifier: MIT
 * Adapts a game's rules, as carom/kit/rules.h declares them, to the tick (tick/driver.h, tick/worklist.h), and plays
 * the motion of circles that move in straight lines between impacts.
 */
#ifndef CAROM_KIT_ENGINE_MOVES_H
#define CAROM_KIT_ENGINE_MOVES_H

/* ---- a world in motion: rows of reals ----
 *
 * First the notes, then x, y, vx, vy of the free bodies, then those of the driven ones. Only the former two go back to
 * their group at the end: impacts do not deflect driven bodies, so rules_move() can compute where these end. */

#define KIT_NOTE_COUNT(name, count) +(count)
#define KIT_FREE (RULES_BODIES - RULES_DRIVEN)
enum {
    KIT_NOTES = 0 RULES_NOTES(KIT_NOTE_COUNT),
    KIT_BACK = KIT_NOTES + 4 * KIT_FREE,
    KIT_TIME = KIT_NOTES + 4 * RULES_BODIES, /* of the next impact, from now */
    KIT_WHAT,                                /* which impact: see tick_impact; below 0: none */
    KIT_LEFT,                                /* of the tick: 1 at its start */
    KIT_COUNTED,                             /* impacts so far */
    KIT_ROWS
};

/* The row of a coordinate (0 to 3: x, y, vx, vy) of body i. */
#define KIT_ROW(coordinate, i)                                                                                         \
    ((i) < RULES_DRIVEN ? KIT_BACK + (coordinate) * RULES_DRIVEN + (i)                                                 \
                        : KIT_NOTES + (coordinate) * KIT_FREE + (i) - RULES_DRIVEN)

#define MOTION_ROWS KIT_ROWS
#define MOTION_BACK KIT_BACK
#define MOTION_GIVEN 0
#define MOTION_GIVEN_END KIT_LEFT
#define MOTION_ROUNDS RULES_EVENTS
#define MOTION_DETECT(m, active, context) kit_detect(m, active, context)
typedef tick_run motion_context;

static_assert(RULES_BODIES >= 1 && RULES_BODIES <= 255, "RULES_BODIES is 1 to 255");
static_assert(RULES_DRIVEN >= 0 && RULES_DRIVEN < RULES_BODIES, "not all bodies are driven");
static_assert(RULES_EVENTS >= 2, "RULES_EVENTS is at least 2");
static_assert(KIT_KINDS >= 1 && KIT_KINDS <= 4, "RULES_ACTIONS has 1 to 4 kinds");

struct motion;
CAROM_LANE vmask kit_detect(struct motion *m, vmask active, const tick_run *run);

#include "tick/worklist.h"

#define KIT_NOTE_FROM(name, count)                                                                                     \
    for (int i = 0; i < (count); i++) {                                                                                \
        b->name[i] = from[row++];                                                                                      \
    }
#define KIT_NOTE_TO(name, count)                                                                                       \
    for (int i = 0; i < (count); i++) {                                                                                \
        to[row++] = b->name[i];                                                                                        \
    }

/* Reads the notes from consecutive rows. */
CAROM_LANE void kit_notes_from(tick_bodies *b, const vreal *from)
{
    int row = 0;
    RULES_NOTES(KIT_NOTE_FROM)
    (void)b, (void)from, (void)row;
}

/* Writes the notes to consecutive rows. */
CAROM_LANE void kit_notes_to(const tick_bodies *b, vreal *to)
{
    int row = 0;
    RULES_NOTES(KIT_NOTE_TO)
    (void)b, (void)to, (void)row;
}

/* Reads the bodies and notes of a motion. */
CAROM_LANE void kit_take(const motion *m, tick_bodies *b)
{
    kit_fill(b);
    kit_notes_from(b, m->r);
    for (int i = 0; i < RULES_BODIES; i++) {
        b->x[i] = m->r[KIT_ROW(0, i)];
        b->y[i] = m->r[KIT_ROW(1, i)];
        b->vx[i] = m->r[KIT_ROW(2, i)];
        b->vy[i] = m->r[KIT_ROW(3, i)];
    }
}

/* Writes the bodies and notes to a motion, in the lanes given. */
CAROM_LANE void kit_give(motion *m, const tick_bodies *b, vmask lanes)
{
    vreal r[KIT_TIME];
    kit_held(b);

    /* Lay them out in the order of rows, then merge all rows in one loop. */
    kit_notes_to(b, r);
    for (int i = 0; i < RULES_BODIES; i++) {
        r[KIT_ROW(0, i)] = b->x[i];
        r[KIT_ROW(1, i)] = b->y[i];
        r[KIT_ROW(2, i)] = b->vx[i];
        r[KIT_ROW(3, i)] = b->vy[i];
    }
    for (int k = 0; k < KIT_TIME; k++) {
        m->r[k] = v_select(lanes, r[k], m->r[k]);
    }
}

/* Moves all bodies on by the time t. */
CAROM_LANE void kit_advance(tick_bodies *b, vreal t)
{
    for (int i = 0; i < RULES_BODIES; i++) {
        b->x[i] = b->x[i] + b->vx[i] * t;
        b->y[i] = b->y[i] + b->vy[i] * t;
    }
}

/* Finds the earliest impact within the time `left`, and sets KIT_TIME and KIT_WHAT of m. */
CAROM_LANE void kit_first(const rules_options *options, const tick_bodies *b, vreal left, motion *m)
{
    tick_impact next = {left, v_number(-1), left, v_number(0)};
    rules_next(options, b, &next);
    m->r[KIT_TIME] = next.time;
    m->r[KIT_WHAT] = next.what;
}

/* Starts a world's tick: all of it is left, and no impact is counted. */
CAROM_LANE void motion_open(motion *m)
{
    m->r[KIT_LEFT] = v_number(1);
    m->r[KIT_COUNTED] = v_number(0);
}

/* See MOTION_DETECT in tick/worklist.h. */
CAROM_LANE vmask kit_detect(motion *m, vmask active, const tick_run *run)
{
    tick_bodies b;
    kit_take(m, &b);
    kit_first(run->context, &b, m->r[KIT_LEFT], m);
    const vmask meets = v_ge(m->r[KIT_WHAT], v_number(0));
    kit_advance(&b, m->r[KIT_LEFT]);
    kit_give(m, &b, m_andnot(active, meets));
    return m_and(active, meets);
}

/* Records the impact of each of the lanes, as bits, for those worlds that still have room. */
static void kit_record(const tick_run *run, const motion *m, unsigned lanes, const int32_t *home)
{
    alignas(64) real left[LANES], what[LANES];
    v_store(left, m->r[KIT_LEFT]);
    v_store(what, m->r[KIT_WHAT]);

    EACH_LANE (l, lanes) {
        carom_event *event = run_record(run, (unsigned)home[l]);
        if (event != NULL) {
            const uint32_t met = (uint32_t)what[l];
            event->left = (double)left[l];
            event->first = met % 256;
            event->second = met / 256 % 256;
            event->kind = met / 65536;
            event->part = 0;
        }
    }
}

CAROM_LANE vmask motion_resolve(motion *m, vmask active, const int32_t *home, motion_context *run)
{
    /* Move to the impact. */
    tick_bodies b;
    kit_take(m, &b);
    kit_advance(&b, m->r[KIT_TIME]);
    m->r[KIT_LEFT] = m->r[KIT_LEFT] - m->r[KIT_TIME];
    m->r[KIT_COUNTED] = m->r[KIT_COUNTED] + v_number(1);

    /* Count it, and record it if the caller records. */
    run_count_impacts(run, (unsigned)__builtin_popcount(m_bits(active)));
    if (run_records(run)) {
        kit_record(run, m, m_bits(active), home);
    }

    /* Let the rules play it. They need not look at lanes: what they do to inactive ones is dropped here. */
    const tick_impact impact = {m->r[KIT_TIME], m->r[KIT_WHAT], m->r[KIT_LEFT], m->r[KIT_COUNTED]};
    const vmask still = rules_hit(run->context, &b, &impact);
    kit_give(m, &b, active);
    return m_andnot(m_and(active, v_gt(m->r[KIT_LEFT], v_number(0))), still);
}

CAROM_LANE void motion_overrun(int32_t home, motion_context *run)
{
    run_overrun(run, (unsigned)home);
}

/* ---- what is remembered of a run during a tick ---- */

/* The turn of one register group: what its tiles do not hold. */
typedef struct kit_turn {
    vreal vx[RULES_BODIES], vy[RULES_BODIES]; /* velocities as commanded */
    vreal notes[KIT_NOTES + 1];               /* 1 more than there are, as an array may not be empty */
    vreal time, what;                         /* of the first impact; valid after rules_look() */
} kit_turn;

struct rules_scratch {
    worklist list;
    kit_turn turns[RUN_GROUPS]; /* of each group */
};

CAROM_LANE kit_turn *kit_turn_of(const tick_run *run, unsigned home)
{
    return &run->own->turns[home / LANES];
}

/* Reads the bodies from their tile. */
CAROM_LANE void kit_state(tick_world w, tick_bodies *b)
{
    kit_fill(b);
    for (int i = 0; i < RULES_BODIES; i++) {
        b->x[i] = get_x(w, i);
        b->y[i] = get_y(w, i);
        b->vx[i] = get_vx(w, i);
        b->vy[i] = get_vy(w, i);
    }
}

/* Reads the bodies as they are when the motion begins: positions from the tile, velocities and notes as commanded. */
CAROM_LANE void kit_setting_out(const tick_run *run, unsigned home, tick_world w, tick_bodies *b)
{
    const kit_turn *t = kit_turn_of(run, home);
    kit_fill(b);
    kit_notes_from(b, t->notes);
    for (int i = 0; i < RULES_BODIES; i++) {
        b->x[i] = get_x(w, i);
        b->y[i] = get_y(w, i);
        b->vx[i] = t->vx[i];
        b->vy[i] = t->vy[i];
    }
}

/* ---- what the rules define for tick/driver.h and tick/worklist.h ---- */

CAROM_LANE void kit_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                            uint32_t kind)
{
    (void)active;

    /* The driver compiles RULES_KINDS kinds: leave out the code of those that this game lacks. */
    if (kind >= KIT_KINDS && (kind != TICK_MIXED || KIT_KINDS == 1)) {
        return;
    }

    /* Let the rules change velocities, and the notes: each of these is 0 when a tick begins. */
    kit_turn *t = kit_turn_of(run, home);
    const tick_actions actions = {run, numbers, kind};
    tick_bodies b;
    vreal notes[KIT_NOTES + 1];
    for (int k = 0; k <= KIT_NOTES; k++) {
        notes[k] = v_number(0);
    }
    kit_state(w, &b);
    kit_notes_from(&b, notes);
    rules_command(run->context, w, actions, &b);
    kit_held(&b);

    /* Remember both until the motion; the tile keeps its state until the tick is known to be sound. */
    kit_notes_to(&b, t->notes);
    for (int i = 0; i < RULES_BODIES; i++) {
        t->vx[i] = b.vx[i];
        t->vy[i] = b.vy[i];
    }
}

CAROM_LANE bool rules_near(const tick_run *run, unsigned home)
{
    (void)run, (void)home;
    return true; /* the kit has no cheaper test than rules_look() itself */
}

/* Writes a group to a motion, with the impact that rules_look() has found. */
CAROM_LANE void rules_take(const tick_run *run, unsigned home, tick_world w, motion *m)
{
    const kit_turn *t = kit_turn_of(run, home);
    tick_bodies b;
    kit_setting_out(run, home, w, &b);
    kit_notes_to(&b, m->r);
    for (int i = 0; i < RULES_BODIES; i++) {
        m->r[KIT_ROW(0, i)] = b.x[i];
        m->r[KIT_ROW(1, i)] = b.y[i];
        m->r[KIT_ROW(2, i)] = b.vx[i];
        m->r[KIT_ROW(3, i)] = b.vy[i];
    }
    m->r[KIT_TIME] = t->time;
    m->r[KIT_WHAT] = t->what;
}

/* Finds each world's first impact, and remembers it for rules_take(). Returns the active lanes that have one. */
CAROM_LANE unsigned rules_look(tick_run *run, unsigned home, tick_world w)
{
    kit_turn *t = kit_turn_of(run, home);
    tick_bodies b;
    motion m;
    kit_setting_out(run, home, w, &b);
    kit_first(run->context, &b, v_number(1), &m);
    t->time = m.r[KIT_TIME];
    t->what = m.r[KIT_WHAT];
    return run_group_of(run, home)->active & m_bits(v_ge(t->what, v_number(0)));
}

struct rules_end {
    tick_bodies b; /* bodies and notes at the end of the motion */
};

CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end)
{
    const run_group *group = run_group_of(run, home);

    /* Move every world as if nothing met in it. */
    tick_bodies *b = &end->b;
    kit_setting_out(run, home, w, b);
    for (int i = 0; i < RULES_BODIES; i++) {
        b->x[i] = b->x[i] + b->vx[i];
        b->y[i] = b->y[i] + b->vy[i];
    }

    /* Replace the lanes that had an impact by their results on the worklist; driven bodies are right already. */
    if (group->event != 0) {
        const vmask event = m_from_bits(group->event);
        const worklist *list = &run->own->list;
        vreal notes[KIT_NOTES + 1];
        kit_notes_to(b, notes);
        for (int k = 0; k < KIT_NOTES; k++) {
            notes[k] = worklist_take(list, k, notes[k], event, group->slot);
        }
        kit_notes_from(b, notes);
        for (int i = RULES_DRIVEN; i < RULES_BODIES; i++) {
            int row[4] = {KIT_ROW(0, i), KIT_ROW(1, i), KIT_ROW(2, i), KIT_ROW(3, i)};
            b->x[i] = worklist_take(list, row[0], b->x[i], event, group->slot);
            b->y[i] = worklist_take(list, row[1], b->y[i], event, group->slot);
            b->vx[i] = worklist_take(list, row[2], b->vx[i], event, group->slot);
            b->vy[i] = worklist_take(list, row[3], b->vy[i], event, group->slot);
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

CAROM_LANE vmask kit_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                            unsigned *nan)
{
    (void)run, (void)home, (void)w, (void)active;
    const tick_bodies *b = &end->b;

#if defined(RULES_FINISH)
    RULES_FINISH(run->context, &end->b);
    kit_held(b);
#endif

    /* Check all bodies by their largest numbers. v_max() may drop a NaN, so a sum watches for it. */
    const vreal far_x = v_number(RULES_FAR_X), far_y = v_number(RULES_FAR_Y), fast = v_number(RULES_FAST);
    vreal sum = v_number(0), most_x = sum, most_y = sum, most_v = sum;
    for (int i = 0; i < RULES_BODIES; i++) {
        const vreal ax = v_abs(b->x[i]), ay = v_abs(b->y[i]), avx = v_abs(b->vx[i]), avy = v_abs(b->vy[i]);
        sum = sum + (ax + ay + (avx + avy)); /* NaN if and only if one is */
        most_x = v_max(most_x, ax);
        most_y = v_max(most_y, ay);
        most_v = v_max(most_v, v_max(avx, avy));
    }
    const vmask none = v_ne(sum, sum);
    *nan = m_bits(none);
    return m_andnot(m_and(m_and(v_le(most_x, far_x), v_le(most_y, far_y)), v_le(most_v, fast)), none);
}

CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept)
{
    const tick_bodies *b = &end->b;
    for (int i = 0; i < RULES_BODIES; i++) {
        set_x(w, i, b->x[i], kept);
        set_y(w, i, b->y[i], kept);
        set_vx(w, i, b->vx[i], kept);
        set_vy(w, i, b->vy[i], kept);
    }
    kit_notes_to(b, kit_turn_of(run, home)->notes);
}

/* The kit's rules compute rewards even where the tick wants none: these are then dropped. */
CAROM_LANE unsigned kit_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    vreal unwanted[CHECKED_ROOM(RULES_PLAYERS)];
    unsigned counted = 0;
    tick_bodies b;
    kit_state(w, &b);
    kit_notes_from(&b, kit_turn_of(run, home)->notes);
    CHECKED_FILL(unwanted, RULES_PLAYERS);
    const unsigned over = rules_settle(run->context, w, &b, kept, reward != NULL ? reward : unwanted, &counted);
    CHECKED_HELD(unwanted, RULES_PLAYERS, "rules_settle() sets reward[%d], of RULES_PLAYERS %d");
    run_count_goals(run, counted);
    return over;
}

#if defined(RULES_AGENTS)
CAROM_LANE void kit_settle_own(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    tick_bodies b;
    kit_state(w, &b);
    kit_notes_from(&b, kit_turn_of(run, home)->notes);
    rules_settle_own(run->context, w, &b, kept, reward);
}
#endif

static tick_verdict kit_verdict(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    return rules_decide(run->context, w);
}

CAROM_LANE void kit_value(const rules_options *options, tick_world w, tick_values values)
{
    vreal value[CHECKED_ROOM(RULES_PLAYERS)];

#if defined(RULES_WEIGHTS)
    /* The kind `weighted`: the sum of each player's features by the caller's weights. */
    if (values.kind != 0) {
        for (unsigned player = 0; player < RULES_PLAYERS; player++) {
            vreal features[CHECKED_ROOM(KIT_WEIGHTS)], sum = v_number(0);
            CHECKED_FILL(features, KIT_WEIGHTS);
            rules_features(options, w, player, features);
            CHECKED_HELD(features, KIT_WEIGHTS, "rules_features() sets feature %d, of %d");
            for (int k = 0; k < KIT_WEIGHTS; k++) {
                sum = sum + v_number(values.weights[k]) * features[k];
            }
            value_put(values, player, sum);
        }
        return;
    }
#endif

    /* The game's own value, of all players at once. */
    CHECKED_FILL(value, RULES_PLAYERS);
    rules_value(options, w, value);
    CHECKED_HELD(value, RULES_PLAYERS, "rules_value() sets the value to player %d, of RULES_PLAYERS %d");
    for (unsigned player = 0; player < RULES_PLAYERS; player++) {
        value_put(values, player, value[player]);
    }
}

/* The purpose of random draws at a game's start: no other stream has it. */
enum { KIT_DRAW_START = 1 };

#define KIT_ZERO(name, count, role)                                                                                    \
    for (int i = 0; i < (count); i++) {                                                                                \
        *at_##name(w, i) = 0;                                                                                          \
    }

/* Starts a game from a state in which all of the game's fields are 0. */
static void kit_start(const rules_options *options, uint64_t seed, tick_world w)
{
    random_stream draws = random_begin(seed, world_id(w), KIT_DRAW_START, world_episode(w));
    RULES_FIELDS(KIT_ZERO, KIT_ZERO, KIT_ZERO, KIT_ZERO)
    rules_start(options, &draws, w);
}

/* Is a number within -most .. most? */
static bool kit_within(real a, double most)
{
    return (double)a >= -most && (double)a <= most; /* false for NaN */
}

static bool rules_check(const rules_options *options, tick_world w)
{
    bool good = true;
    (void)options;

    for (int i = 0; i < RULES_BODIES; i++) {
        good = good && kit_within(*at_x(w, i), RULES_FAR_X) && kit_within(*at_y(w, i), RULES_FAR_Y) &&
               kit_within(*at_vx(w, i), RULES_FAST) && kit_within(*at_vy(w, i), RULES_FAST);
    }

#if defined(RULES_CHECK)
    good = good && RULES_CHECK(options, w);
#endif
    return good;
}

static void rules_derive(const rules_options *options, tick_world w)
{
    (void)options, (void)w; /* no field follows from the others */
}

/* For the driver these names mean the adapted rules above, not the game's own. */
#define rules_command kit_command
#define rules_finish kit_finish
#define rules_settle kit_settle
#define rules_settle_own kit_settle_own
#define rules_decide kit_verdict
#define rules_value kit_value
#define rules_start kit_start

#include "tick/driver.h"

#endif
