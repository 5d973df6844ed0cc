/* SPDX-License-Identifier: MIT
 * A run of tiles during one tick: what the driver (tick/driver.h) and a game's rules share.
 *
 * A world of the run is named by its `home`, its place in it; a register group by the home of its first lane. Lanes of
 * a group are kept as bits.
 *
 * Before including this file a game defines
 *     RULES_FIELDS             see tick/state.h
 *     RULES_PLAYERS            sides that act and are rewarded, 1 to CAROM_MAX_PLAYERS
 *     RULES_OBSERVATION        numbers that a player sees
 *     rules_context            typedef: what a batch shares, read-only
 * and if it likes
 *     RULES_AGENTS             bodies that a player acts with: it has the kind of reward `own`, and
 *     RULES_EGO                numbers that each of them sees: it has the kind of observation `ego`
 *     RULES_MIXED              its rules_command() can be called with the kind TICK_MIXED
 *     RULES_SHARED             its raw observation can be written with every number once: game_tick.shared
 *     RULES_SCORED             its players score: it has rules_score()
 * and before tick/driver.h struct rules_scratch, whatever its rules want to remember of a run during a tick.
 */
#ifndef CAROM_TICK_RUN_H
#define CAROM_TICK_RUN_H

#include "simd/lanes.h"
#include "tick/outcome.h"
#include "tick/state.h"
#include "tick/tick.h"

#define TILE_GROUPS (TILE_LANES / LANES)
#define RUN_TILES (TILE_LANES == 1 ? 1 : TICK_RUN)
#define RUN_WORLDS (RUN_TILES * TILE_LANES)
#define RUN_GROUPS (RUN_WORLDS / LANES)

typedef struct run_group {
    uint16_t active;  /* lanes that play: not frozen */
    uint16_t event;   /* lanes that have an impact (worklist) */
    uint16_t slot;    /* on the worklist, of the first lane of `event` */
    uint16_t overrun; /* lanes that reached the limit of events */
    uint16_t kept;    /* lanes that have played the tick: they have no fault */
    uint16_t over;    /* lanes of these whose game may be over */
    uint16_t faulty;  /* lanes that have taken a fault in this tick */
    uint16_t settled; /* 1: settled with rewards in an earlier tick of the call, and no world was begun anew since */
} run_group;

typedef struct tick_run {
    game_tick *tick;
    tick_tile *tiles;
    const rules_context *context;
    struct rules_scratch *own;
    run_group *groups;  /* [RUN_GROUPS] */
    uint32_t *recorded; /* [RUN_WORLDS]: impacts of the tick, if it records */
    unsigned group_count;
} tick_run;

CAROM_LANE tick_world run_world(const tick_run *run, unsigned home)
{
    return world_at(&run->tiles[home / TILE_LANES], home % TILE_LANES);
}

/* The register group that a home is in. */
CAROM_LANE run_group *run_group_of(const tick_run *run, unsigned home)
{
    return &run->groups[home / LANES];
}

/* ---- what became of worlds ---- */

/* A world has reached its limit of events. */
CAROM_LANE void run_overrun(const tick_run *run, unsigned home)
{
    run_group *group = run_group_of(run, home);
    group->overrun = (uint16_t)(group->overrun | 1u << home % LANES);
}

/* The worlds `lanes`, counted from `home` on and all of one group, take a fault: they are active no more, and their
 * games are over (tick/end.h). */
static inline void run_fault(const tick_run *run, unsigned home, unsigned lanes, int fault)
{
    run_group *group = run_group_of(run, home);
    group->active = (uint16_t)(group->active & ~(lanes << home % LANES));
    group->faulty = (uint16_t)(group->faulty | lanes << home % LANES);
    EACH_LANE (l, lanes) {
        const tick_world w = run_world(run, home + l);
        outcome_fault(&w.tile->fault[0][w.at], &w.tile->frozen[0][w.at], fault);
    }
}

/* The worlds `kept` of a group have played the tick. */
CAROM_LANE void run_keep(const tick_run *run, unsigned home, tick_kept kept)
{
    const tick_world w = run_world(run, home);
    state_put32(&w.tile->tick[0][w.at], outcome_next_tick(get_tick(w)), kept);
    const unsigned bits = m_bits(kept.lanes);
    run_group_of(run, home)->kept = (uint16_t)bits;
    run->tick->counters.ticks += (unsigned)__builtin_popcount(bits);
}

/* ---- what is asked of the tick ---- */

/* The number of a player's kind of action, where `kind` is what the tick has. */
CAROM_LANE uint32_t run_kind_of(const tick_run *run, uint32_t kind, unsigned player)
{
    return kind != TICK_MIXED ? kind : run->tick->kinds[player];
}

/* Are rewards wanted that the rules give before the end? */
CAROM_LANE bool run_rewarded(const tick_run *run)
{
    return run->tick->rewards != NULL && run->tick->reward_kind != REWARD_RESULT;
}

/* Is what the rules noted of a group when they last settled it, in an earlier tick of the call, still true of its
 * worlds? */
CAROM_LANE bool run_settled(const tick_run *run, unsigned home)
{
    return run_group_of(run, home)->settled != 0;
}

/* Those who are rewarded, of all players. */
CAROM_LANE unsigned run_agents(const tick_run *run)
{
#if defined(RULES_AGENTS)
    if (run->tick->reward_kind == REWARD_OWN) {
        return RULES_PLAYERS * RULES_AGENTS;
    }
#endif
    (void)run;
    return RULES_PLAYERS;
}

/* Numbers of an observation of a world, of all players. */
CAROM_LANE size_t run_seen(uint32_t kind)
{
#if defined(RULES_EGO)
    if (kind == 1) {
        return (size_t)RULES_PLAYERS * RULES_AGENTS * RULES_EGO;
    }
#endif
    (void)kind;
    return (size_t)RULES_PLAYERS * RULES_OBSERVATION;
}

/* The seed that a world draws with. */
CAROM_LANE uint64_t run_seed(const tick_run *run, unsigned home)
{
    return run->tick->seeds != NULL ? run->tick->seeds[home] : run->tick->seed;
}

/* ---- loops ---- */

/* For every register group of the run that has a world to play: its number and its home are new variables. */
#define EACH_ACTIVE_GROUP(run, number, home)                                                                           \
    for (unsigned number = 0, home = 0; number < (run)->group_count; number++, home += LANES)                          \
        if ((run)->groups[number].active != 0)

/* Is this group, which plays, the first of its tile that does? */
CAROM_LANE bool run_opens_tile(const tick_run *run, unsigned home)
{
    for (unsigned before = home - home % TILE_LANES; before < home; before += LANES) {
        if (run_group_of(run, before)->active != 0) {
            return false;
        }
    }
    return true;
}

/* ---- counting and recording ---- */

CAROM_LANE void run_count_impacts(const tick_run *run, unsigned count)
{
    run->tick->counters.events += count;
}

/* What carom_game_info.counts says. */
CAROM_LANE void run_count_goals(const tick_run *run, unsigned count)
{
    run->tick->counters.goals += count;
}

CAROM_LANE bool run_records(const tick_run *run)
{
    return run->tick->record;
}

/* Is the place of bodies after the motion wanted? */
CAROM_LANE bool run_records_moved(const tick_run *run)
{
    return run->tick->moved != NULL;
}

/* Counts an impact of a world, in a tick that records. Returns where to describe it, or NULL if there is no room. */
CAROM_LANE carom_event *run_record(const tick_run *run, unsigned home)
{
    const game_tick *tick = run->tick;
    const uint32_t k = run->recorded[home]++;
    if (tick->events == NULL || k >= tick->event_capacity || home >= tick->worlds) {
        return NULL;
    }
    return &tick->events[home * tick->event_capacity + k];
}

/* Notes where body `body` of a register group is after the motion, in a tick that wants it: x, y, vx, vy. */
CAROM_LANE void run_record_moved(const tick_run *run, unsigned home, unsigned bodies, unsigned body,
                                 const vreal where[4])
{
    for (unsigned k = 0; k < 4; k++) {
        alignas(64) real lanes[LANES];
        v_store(lanes, where[k]);
        for (unsigned l = 0; l < LANES && home + l < run->tick->worlds; l++) {
            run->tick->moved[((size_t)(home + l) * bodies + body) * 4 + k] = (double)lanes[l];
        }
    }
}

/* ---- actions, observations and values ---- */

/* The actions of LANES worlds: number e, counted over all players. */
typedef struct tick_numbers {
    const void *tile;
    unsigned at;
} tick_numbers;

CAROM_LANE vreal number_f32(tick_numbers numbers, unsigned e)
{
    CHECKED_ACTION(e, 32);
    return v_load_f32((const float *)numbers.tile + (size_t)e * TILE_LANES + numbers.at);
}

CAROM_LANE vreal number_f64(tick_numbers numbers, unsigned e)
{
    CHECKED_ACTION(e, 64);
    return v_load_f64((const double *)numbers.tile + (size_t)e * TILE_LANES + numbers.at);
}

/* Number e of world number l of the LANES. */
CAROM_LANE float number_one_f32(tick_numbers numbers, unsigned l, unsigned e)
{
    CHECKED_ACTION(e, 32);
    return ((const float *)numbers.tile)[(size_t)e * TILE_LANES + numbers.at + l];
}

CAROM_LANE double number_one_f64(tick_numbers numbers, unsigned l, unsigned e)
{
    CHECKED_ACTION(e, 64);
    return ((const double *)numbers.tile)[(size_t)e * TILE_LANES + numbers.at + l];
}

CAROM_LANE tick_numbers run_numbers(const tick_run *run, unsigned home)
{
    const size_t tile = home / TILE_LANES;
    const tick_numbers numbers = {
        (const unsigned char *)run->tick->actions + tile * TILE_LANES * run->tick->action_bytes, home % TILE_LANES};
    return numbers;
}

/* The actions among which a player's are, where run_numbers() gave `numbers` and the tick's kind is `kind`. */
CAROM_LANE tick_numbers run_numbers_of(const tick_run *run, tick_numbers numbers, uint32_t kind, unsigned player)
{
    if (kind == TICK_MIXED) {
        numbers.tile = (const unsigned char *)numbers.tile + TILE_LANES * run->tick->actions_at[player];
    }
    return numbers;
}

/* Where the observations of LANES worlds go. */
typedef struct tick_view {
    float *tile;
    unsigned at;
} tick_view;

/* Number k of what `player` sees. */
CAROM_LANE void view_put(tick_view view, unsigned player, unsigned k, vreal a)
{
    CHECKED_INDEX(player, RULES_PLAYERS, "rules_observe() sets what player %d sees, of RULES_PLAYERS %d");
    CHECKED_INDEX(k, RULES_OBSERVATION,
                  "rules_observe() sets number %d of what a player sees, of RULES_OBSERVATION %d");
    CHECKED_SEEN(player * RULES_OBSERVATION + k);
    v_store_f32(view.tile + (size_t)(player * RULES_OBSERVATION + k) * TILE_LANES + view.at, a);
}

/* Row k, of whomever it may be. */
CAROM_LANE void view_put_row(tick_view view, unsigned k, vreal a)
{
    CHECKED_INDEX(k, RULES_PLAYERS * RULES_OBSERVATION, "the rules set row %d of what players see, of %d");
    v_store_f32(view.tile + (size_t)k * TILE_LANES + view.at, a);
}

#if defined(RULES_EGO)
/* Number k of what body number `agent` of those that players act with sees, counted over all players. */
CAROM_LANE void view_put_ego(tick_view view, unsigned agent, unsigned k, vreal a)
{
    CHECKED_INDEX(agent, RULES_PLAYERS * RULES_AGENTS, "rules_observe_ego() sets what body %d sees, of %d");
    CHECKED_INDEX(k, RULES_EGO, "rules_observe_ego() sets number %d of what a body sees, of %d");
    CHECKED_SEEN(agent * RULES_EGO + k);
    v_store_f32(view.tile + (size_t)(agent * RULES_EGO + k) * TILE_LANES + view.at, a);
}
#endif

/* Where the values of LANES states go: f64, whatever the worlds' precision. */
typedef struct tick_values {
    double *tile;
    unsigned at;
    uint32_t kind;         /* of value: 0, or one that the game adds */
    const double *weights; /* of its features; NULL for 0 */
} tick_values;

/* What world number l of the LANES is worth to `player`. */
CAROM_LANE void value_put_one(tick_values values, unsigned player, unsigned l, double a)
{
    CHECKED_INDEX(player, RULES_PLAYERS, "rules_value() sets the value to player %d, of RULES_PLAYERS %d");
    values.tile[(size_t)player * TILE_LANES + values.at + l] = a;
}

CAROM_LANE void value_put(tick_values values, unsigned player, vreal a)
{
    alignas(64) real lanes[LANES];
    v_store(lanes, a);
    for (unsigned l = 0; l < LANES; l++) {
        value_put_one(values, player, l, (double)lanes[l]);
    }
}

#endif
