/* SPDX-License-Identifier: MIT
 * A run of tiles during one tick: what the driver (tick/driver.h) and a game's rules share.
 *
 * `home` is the index of a world in the run; a register group is named by the home of its first lane. Lanes of a group
 * are bits of a mask.
 *
 * Before including this file a game defines
 *     RULES_FIELDS             see tick/state.h
 *     RULES_PLAYERS            sides that act and are rewarded, 1 to CAROM_MAX_PLAYERS
 *     RULES_OBSERVATION        numbers that a player sees
 *     rules_context            typedef: what all worlds of a batch share, read-only
 * optionally
 *     RULES_AGENTS             bodies that a player acts with, if the game has the kind of reward `own`
 *     RULES_EGO                numbers that each of these sees, if it also has the kind of observation `ego`
 *     RULES_MIXED              if its rules_command() takes the kind TICK_MIXED
 *     RULES_SHARED             if it can write its raw observation with every number once: game_tick.shared
 *     RULES_SCORED             if its players have scores, by rules_score()
 * and before including tick/driver.h struct rules_scratch: what its rules remember of a run during a tick.
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

/* A register group during one tick, from tick_load() to tick_end(). Lanes are bits. */
typedef struct run_group {
    uint16_t active;  /* lanes that play: selected, not frozen, and without a fault so far */
    uint16_t event;   /* lanes with an impact; set by tick_look() in games with a worklist */
    uint16_t slot;    /* of the first lane of `event` on the worklist; valid if `event` is not 0 */
    uint16_t overrun; /* lanes that have reached the limit of events */
    uint16_t kept;    /* lanes that have played the tick without a fault */
    uint16_t over;    /* lanes of `kept` whose game may be over */
    uint16_t faulty;  /* lanes that have taken a fault in this tick */
    uint16_t settled; /* 1: settled with rewards in an earlier tick of the call, and no world has restarted since */
} run_group;

/* Everything that the passes of a tick work on. The tick's caller owns all that it points to. */
typedef struct tick_run {
    game_tick *tick;              /* the request, and where its outputs go */
    tick_tile *tiles;             /* tick->tiles, in their type */
    const rules_context *context; /* tick->context, in its type */
    struct rules_scratch *own;    /* what the rules remember; nothing clears it between ticks */
    run_group *groups;            /* [RUN_GROUPS] */
    uint32_t *recorded;           /* [RUN_WORLDS]: impacts of each world in this tick; valid if tick->record */
    unsigned group_count;         /* of `groups`, in use */
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

/* ---- how a world's tick ends ---- */

/* Marks a world that has reached the limit of events; it takes its fault when the tick finishes. */
CAROM_LANE void run_overrun(const tick_run *run, unsigned home)
{
    run_group *group = run_group_of(run, home);
    group->overrun = (uint16_t)(group->overrun | 1u << home % LANES);
}

/* Gives a fault to the worlds `lanes`, counted from `home` and all of one group. They are no longer active, and their
 * games end (tick/end.h). */
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

/* Counts the tick for the worlds `kept` of a group, which have played it. */
CAROM_LANE void run_keep(const tick_run *run, unsigned home, tick_kept kept)
{
    const tick_world w = run_world(run, home);
    state_put32(&w.tile->tick[0][w.at], outcome_next_tick(get_tick(w)), kept);
    const unsigned bits = m_bits(kept.lanes);
    run_group_of(run, home)->kept = (uint16_t)bits;
    run->tick->counters.ticks += (unsigned)__builtin_popcount(bits);
}

/* ---- what the caller wants of the tick ---- */

/* A player's kind of action. kind: that of the tick, which may be TICK_MIXED. */
CAROM_LANE uint32_t run_kind_of(const tick_run *run, uint32_t kind, unsigned player)
{
    return kind != TICK_MIXED ? kind : run->tick->kinds[player];
}

/* Does the caller want rewards from the rules, beyond those of a game's end? */
CAROM_LANE bool run_rewarded(const tick_run *run)
{
    return run->tick->rewards != NULL && run->tick->reward_kind != REWARD_RESULT;
}

/* Have the rules settled this group in an earlier tick of the call, and are the notes that they made of it then still
 * valid? */
CAROM_LANE bool run_settled(const tick_run *run, unsigned home)
{
    return run_group_of(run, home)->settled != 0;
}

/* Number of rewards per world, over all players: one per player, or one per body. */
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

/* Size of an observation of a world, over all players. kind: of observation. */
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

/* The seed of a world's random draws. */
CAROM_LANE uint64_t run_seed(const tick_run *run, unsigned home)
{
    return run->tick->seeds != NULL ? run->tick->seeds[home] : run->tick->seed;
}

/* ---- loops ---- */

/* Loops over the register groups with an active world. Declares their number and home as variables of these names. */
#define EACH_ACTIVE_GROUP(run, number, home)                                                                           \
    for (unsigned number = 0, home = 0; number < (run)->group_count; number++, home += LANES)                          \
        if ((run)->groups[number].active != 0)

/* Is this active group the first one of its tile? */
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

/* Adds to the counter that carom_game_info.counts names. */
CAROM_LANE void run_count_goals(const tick_run *run, unsigned count)
{
    run->tick->counters.goals += count;
}

CAROM_LANE bool run_records(const tick_run *run)
{
    return run->tick->record;
}

/* Does the caller want the positions of bodies after the motion? */
CAROM_LANE bool run_records_moved(const tick_run *run)
{
    return run->tick->moved != NULL;
}

/* Counts an impact of a world, in a tick that records. Returns the entry to fill in, or NULL if the caller has no room
 * for it. */
CAROM_LANE carom_event *run_record(const tick_run *run, unsigned home)
{
    const game_tick *tick = run->tick;
    const uint32_t k = run->recorded[home]++;
    if (tick->events == NULL || k >= tick->event_capacity || home >= tick->worlds) {
        return NULL;
    }
    return &tick->events[home * tick->event_capacity + k];
}

/* Records body `body` of a register group after the motion, if run_records_moved(). bodies: of a world. where: x, y,
 * vx, vy. */
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

/* The actions of LANES worlds, lane-major: [number, counted over all players][TILE_LANES]. */
typedef struct tick_numbers {
    const void *tile; /* of f32 or f64, as the kind of action has them */
    unsigned at;      /* the first lane */
} tick_numbers;

/* Number e of LANES worlds, in a kind of action of f32. */
CAROM_LANE vreal number_f32(tick_numbers numbers, unsigned e)
{
    CHECKED_ACTION(e, 32);
    return v_load_f32((const float *)numbers.tile + (size_t)e * TILE_LANES + numbers.at);
}

/* Number e of LANES worlds, in a kind of action of f64. */
CAROM_LANE vreal number_f64(tick_numbers numbers, unsigned e)
{
    CHECKED_ACTION(e, 64);
    return v_load_f64((const double *)numbers.tile + (size_t)e * TILE_LANES + numbers.at);
}

/* Number e of world l of the LANES, in a kind of action of f32. */
CAROM_LANE float number_one_f32(tick_numbers numbers, unsigned l, unsigned e)
{
    CHECKED_ACTION(e, 32);
    return ((const float *)numbers.tile)[(size_t)e * TILE_LANES + numbers.at + l];
}

/* Number e of world l of the LANES, in a kind of action of f64. */
CAROM_LANE double number_one_f64(tick_numbers numbers, unsigned l, unsigned e)
{
    CHECKED_ACTION(e, 64);
    return ((const double *)numbers.tile)[(size_t)e * TILE_LANES + numbers.at + l];
}

/* The actions of a register group; with TICK_MIXED, the first block of them. */
CAROM_LANE tick_numbers run_numbers(const tick_run *run, unsigned home)
{
    const size_t tile = home / TILE_LANES;
    const tick_numbers numbers = {
        (const unsigned char *)run->tick->actions + tile * TILE_LANES * run->tick->action_bytes, home % TILE_LANES};
    return numbers;
}

/* The block of actions that holds a player's. numbers: as run_numbers() returned them; kind: that of the tick. */
CAROM_LANE tick_numbers run_numbers_of(const tick_run *run, tick_numbers numbers, uint32_t kind, unsigned player)
{
    if (kind == TICK_MIXED) {
        numbers.tile = (const unsigned char *)numbers.tile + TILE_LANES * run->tick->actions_at[player];
    }
    return numbers;
}

/* Where the observations of LANES worlds go, lane-major: [number, counted over all players][TILE_LANES]. */
typedef struct tick_view {
    float *tile;
    unsigned at; /* the first lane */
} tick_view;

/* Writes number k of what `player` sees. */
CAROM_LANE void view_put(tick_view view, unsigned player, unsigned k, vreal a)
{
    CHECKED_INDEX(player, RULES_PLAYERS, "rules_observe() sets what player %d sees, of RULES_PLAYERS %d");
    CHECKED_INDEX(k, RULES_OBSERVATION,
                  "rules_observe() sets number %d of what a player sees, of RULES_OBSERVATION %d");
    CHECKED_SEEN(player * RULES_OBSERVATION + k);
    v_store_f32(view.tile + (size_t)(player * RULES_OBSERVATION + k) * TILE_LANES + view.at, a);
}

/* Writes row k, which several players may share: see RULES_SHARED. */
CAROM_LANE void view_put_row(tick_view view, unsigned k, vreal a)
{
    CHECKED_INDEX(k, RULES_PLAYERS * RULES_OBSERVATION, "the rules set row %d of what players see, of %d");
    v_store_f32(view.tile + (size_t)k * TILE_LANES + view.at, a);
}

#if defined(RULES_EGO)
/* Writes number k of what the body `agent` sees. agent: counted over the bodies of all players. */
CAROM_LANE void view_put_ego(tick_view view, unsigned agent, unsigned k, vreal a)
{
    CHECKED_INDEX(agent, RULES_PLAYERS * RULES_AGENTS, "rules_observe_ego() sets what body %d sees, of %d");
    CHECKED_INDEX(k, RULES_EGO, "rules_observe_ego() sets number %d of what a body sees, of %d");
    CHECKED_SEEN(agent * RULES_EGO + k);
    v_store_f32(view.tile + (size_t)(agent * RULES_EGO + k) * TILE_LANES + view.at, a);
}
#endif

/* Where the values of LANES states go, lane-major: [player][TILE_LANES]. They are f64 in both precisions of worlds. */
typedef struct tick_values {
    double *tile;
    unsigned at;           /* the first lane */
    uint32_t kind;         /* of value: 0, or one that the game adds */
    const double *weights; /* of the kind's features; NULL if kind is 0 */
} tick_values;

/* Writes the value of world l of the LANES to `player`. */
CAROM_LANE void value_put_one(tick_values values, unsigned player, unsigned l, double a)
{
    CHECKED_INDEX(player, RULES_PLAYERS, "rules_value() sets the value to player %d, of RULES_PLAYERS %d");
    values.tile[(size_t)player * TILE_LANES + values.at + l] = a;
}

/* Writes the values of LANES worlds to `player`. */
CAROM_LANE void value_put(tick_values values, unsigned player, vreal a)
{
    alignas(64) real lanes[LANES];
    v_store(lanes, a);
    for (unsigned l = 0; l < LANES; l++) {
        value_put_one(values, player, l, (double)lanes[l]);
    }
}

#endif
