/* SPDX-License-Identifier: MIT
 * Adapts a game's rules, as carom/kit/rules.h declares them, to the engine that moves the bodies (tick/worklist.h).
 */
#ifndef CAROM_KIT_ENGINE_MOVES_H
#define CAROM_KIT_ENGINE_MOVES_H

static_assert(RULES_BODIES >= 1 && RULES_BODIES <= 255, "RULES_BODIES is 1 to 255");
static_assert(RULES_DRIVEN >= 0 && RULES_DRIVEN < RULES_BODIES, "not all bodies are driven");
static_assert(RULES_EVENTS >= 2, "RULES_EVENTS is at least 2");
static_assert(KIT_KINDS >= 1 && KIT_KINDS <= 4, "RULES_ACTIONS has 1 to 4 kinds");

/* ---- the motion ---- */

#define KIT_NOTE_ZERO(name, count)                                                                                     \
    for (int i = 0; i < (count); i++) {                                                                                \
        b.name[i] = v_number(0);                                                                                       \
    }

/* Reads the bodies from their tile. */
CAROM_LANE void kit_state(tick_world w, tick_bodies *b)
{
    bodies_fill(b);
    EACH_BODY (i, 0) {
        b->x[i] = get_x(w, i);
        b->y[i] = get_y(w, i);
        b->vx[i] = get_vx(w, i);
        b->vy[i] = get_vy(w, i);
    }
}

CAROM_LANE void kit_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                            uint32_t kind)
{
    (void)active;

    /* The driver compiles RULES_KINDS kinds; drop the code of those that this game lacks. */
    if (kind >= KIT_KINDS && (kind != TICK_MIXED || KIT_KINDS == 1)) {
        return;
    }

    /* Let the rules change velocities and notes. Notes are 0 at the start of a tick. */
    tick_turn *to = run_turn(run, home);
    const tick_actions actions = {run, numbers, kind};
    tick_bodies b, *from = &b;
    kit_state(w, &b);
    RULES_NOTES(KIT_NOTE_ZERO)
    rules_command(run->context, w, actions, &b);
    bodies_held(&b);

    /* Keep both for the motion. The tile keeps its old state until the tick is known to be valid. */
    RULES_NOTES(BODIES_COPY)
    EACH_BODY (i, 0) {
        to->vx[i] = from->vx[i];
        to->vy[i] = from->vy[i];
    }
}

CAROM_LANE void kit_give(const tick_run *run, unsigned home, tick_world w, tick_bodies *b)
{
    (void)run, (void)home, (void)w, (void)b; /* only bodies and notes move */
}

CAROM_LANE void kit_next(tick_run *run, const tick_bodies *b, tick_impact *next, vmask lanes)
{
    (void)lanes;
    rules_next(run->context, b, next);
}

CAROM_LANE vmask kit_hit(tick_run *run, tick_bodies *b, const tick_impact *impact, vmask lanes, const int32_t *home)
{
    (void)lanes, (void)home;
    bodies_fill(b);
    const vmask still = rules_hit(run->context, b, impact);
    bodies_held(b);
    return still;
}

#if defined(RULES_TOUCH)
static void kit_touch(const tick_run *run, unsigned home, unsigned first, unsigned kind, unsigned second,
                      impact_touch *touch)
{
    (void)home;
    RULES_TOUCH(run->context, first, kind, second, touch);
}
#endif

CAROM_LANE void kit_after(tick_run *run, unsigned home, tick_world w, tick_bodies *b)
{
    (void)run, (void)home, (void)w, (void)b;
#if defined(RULES_FINISH)
    bodies_fill(b);
    RULES_FINISH(run->context, b);
    bodies_held(b);
#endif
}

CAROM_LANE void kit_keep(tick_run *run, unsigned home, tick_world w, tick_kept kept)
{
    (void)run, (void)home, (void)w, (void)kept; /* other fields are written by rules_settle() */
}

/* ---- the end of the tick ---- */

/* Reads the bodies and notes at the end of the tick. */
CAROM_LANE void kit_settled(const tick_run *run, unsigned home, tick_world w, tick_bodies *to)
{
    const tick_turn *from = run_turn(run, home);
    kit_state(w, to);
    RULES_NOTES(BODIES_COPY)
    (void)from;
}

/* The kit's rules compute rewards even if the tick requests none; these are dropped. */
CAROM_LANE unsigned kit_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    vreal unwanted[CHECKED_ROOM(RULES_PLAYERS)];
    unsigned counted = 0;
    tick_bodies b;
    kit_settled(run, home, w, &b);
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
    kit_settled(run, home, w, &b);
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
    /* The kind `weighted`: the sum of each player's features, times the caller's weights. */
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

    /* The game's own value, for all players at once. */
    CHECKED_FILL(value, RULES_PLAYERS);
    rules_value(options, w, value);
    CHECKED_HELD(value, RULES_PLAYERS, "rules_value() sets the value for player %d, of RULES_PLAYERS %d");
    for (unsigned player = 0; player < RULES_PLAYERS; player++) {
        value_put(values, player, value[player]);
    }
}

/* The purpose of the random draws at a game's start. No other stream uses it. */
enum { KIT_DRAW_START = 1 };

#define KIT_ZERO(name, count, role)                                                                                    \
    for (int i = 0; i < (count); i++) {                                                                                \
        *at_##name(w, i) = 0;                                                                                          \
    }

/* Starts a game. All of the game's fields are 0 on entry. */
static void kit_start(const rules_options *options, uint64_t seed, tick_world w)
{
    random_stream draws = random_begin(seed, world_id(w), KIT_DRAW_START, world_episode(w));
    RULES_FIELDS(KIT_ZERO, KIT_ZERO, KIT_ZERO, KIT_ZERO)
    rules_start(options, &draws, w);
}

/* Is the number within [-most, most]? */
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
    (void)options, (void)w; /* the kit has no derived fields */
}

/* Within the driver these names mean the adapted rules above, not the game's own. */
#define rules_command kit_command
#define rules_give kit_give
#define rules_next kit_next
#define rules_hit kit_hit
#define rules_touch kit_touch
#define rules_after kit_after
#define rules_keep kit_keep
#define rules_settle kit_settle
#define rules_settle_own kit_settle_own
#define rules_decide kit_verdict
#define rules_value kit_value
#define rules_start kit_start

#include "tick/driver.h"

#endif
