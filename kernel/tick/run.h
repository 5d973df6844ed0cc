/* SPDX-License-Identifier: MIT
 * The state of worlds as a game's rules see it, and a run of tiles during one tick: what the driver (tick/driver.h) and
 * the rules share.
 *
 * `home` is the index of a world in the run; a register group is identified by the home of its first lane. Lanes of a
 * group are bits of a mask.
 *
 * Before including this file a game defines
 *     RULES_FIELDS             its list of fields: see WORLD_FIELD_TABLE() in worlds/worlds.h
 *     RULES_PLAYERS            number of players, each of which acts and is rewarded, 1 to CAROM_MAX_PLAYERS
 *     RULES_OBSERVATION        numbers that a player sees
 *     RULES_KINDS              kinds of action, 1 to 4 (not needed under RULES_PLAY_OWN, see tick/driver.h)
 *     rules_context            typedef: what all worlds of a batch share, read-only
 * optionally
 *     RULES_AGENTS             bodies that a player acts with, if the game has the kind of reward `own`
 *     RULES_EGO                numbers that each of these sees, if it also has the kind of observation `ego`
 *     RULES_LIDAR_RAYS         rays of each of these, if it also has the kind `lidar`: see tick/lidar.h
 *     RULES_MIXED              if its rules_command() accepts the kind TICK_MIXED
 *     RULES_SHARED             if it can write its raw observation with every number once: game_tick.shared
 *     RULES_SCORED             if its players have scores, by rules_score()
 * and before including tick/driver.h struct rules_scratch: what its rules remember of a run during a tick
 * (tick/worklist.h defines it for its games).
 */
#ifndef CAROM_TICK_RUN_H
#define CAROM_TICK_RUN_H

#include "simd/lanes.h"
#include "tick/checked.h"
#include "tick/contact.h"
#include "tick/outcome.h"
#include "tick/tick.h"
#include "worlds/worlds.h"

/* ---- state: one list of fields defines both the tile in memory and the functions that read and write it ----
 *
 * Each field `x` of RULES_FIELDS defines
 *     get_x(w, i)              element i of the LANES worlds from w on, as a vreal (vint for a field of integers)
 *     set_x(w, i, a, kept)     writes it, in the lanes that are kept
 *     at_x(w, i)               the address of element i of the one world w
 * Fields that every world has are read by get_tick(w), for LANES worlds, and world_id(w), world_episode(w) and
 * world_tick(w), for one. Rules must not write these, nor frozen, fault and end: the tick does (below, tick/end.h).
 *
 * A tile has TILE_LANES worlds side by side: 16 in a batch, 1 where a world is played by itself (tick/one_driver.h). */

#if !defined(TILE_LANES)
#define TILE_LANES CAROM_TILE
#endif

#define STATE_REAL_ROW(name, count, role) real name[count][TILE_LANES];
#define STATE_INT32_ROW(name, count, role) int32_t name[count][TILE_LANES];
#define STATE_INT16_ROW(name, count, role) int16_t name[count][TILE_LANES];
#define STATE_INT8_ROW(name, count, role) int8_t name[count][TILE_LANES];

/* clang-format off */
typedef struct tick_tile {
    alignas(TILE_LANES < 16 ? sizeof(real) : 64)
    WORLD_TILE(RULES_FIELDS, STATE_REAL_ROW, STATE_INT32_ROW, STATE_INT16_ROW, STATE_INT8_ROW)
} tick_tile;
/* clang-format on */

/* One world, or the LANES adjacent worlds that begin with it. */
typedef struct tick_world {
    tick_tile *tile;
    unsigned at;          /* the lane */
    unsigned char *reals; /* the tile's address plus `at` reals: rows of reals are at constant offsets from it */
} tick_world;

CAROM_LANE tick_world world_at(tick_tile *tile, unsigned at)
{
    unsigned char *reals = (unsigned char *)tile + at * sizeof(real);
#if LANES > 1 && !defined(__clang__)
    /* Hide the sum from gcc, which otherwise keeps a separate address for every row and runs out of registers. */
    __asm__("" : "+r"(reals));
#endif
    const tick_world w = {tile, at, reals};
    return w;
}

/* World l of those that begin with w. */
CAROM_LANE tick_world world_of(tick_world w, unsigned l)
{
    return world_at(w.tile, w.at + l);
}

/* The lanes to write. */
typedef struct tick_kept {
    vmask lanes;
    bool all; /* every lane: a constant at each use, so that the code for `true` does not load the old values */
} tick_kept;

CAROM_LANE void state_put(real *to, vreal a, tick_kept kept)
{
    v_store(to, kept.all ? a : v_select(kept.lanes, a, v_load(to)));
}

CAROM_LANE void state_put32(int32_t *to, vint a, tick_kept kept)
{
    i_store32(to, kept.all ? a : i_select(kept.lanes, a, i_load32(to)));
}

CAROM_LANE void state_put16(int16_t *to, vint a, tick_kept kept)
{
    i_store16(to, kept.all ? a : i_select(kept.lanes, a, i_load16(to)));
}

CAROM_LANE void state_put8(int8_t *to, vint a, tick_kept kept)
{
    i_store8(to, kept.all ? a : i_select(kept.lanes, a, i_load8(to)));
}

#define STATE_ACCESS(name, count, type, address, lanes, load, put)                                                     \
    CAROM_LANE type *at_##name(tick_world w, int i)                                                                    \
    {                                                                                                                  \
        CHECKED_INDEX(i, count, "the rules use element %d of the field " #name ", which has %d");                      \
        return address;                                                                                                \
    }                                                                                                                  \
    CAROM_LANE lanes get_##name(tick_world w, int i)                                                                   \
    {                                                                                                                  \
        return load(at_##name(w, i));                                                                                  \
    }                                                                                                                  \
    CAROM_LANE void set_##name(tick_world w, int i, lanes a, tick_kept kept)                                           \
    {                                                                                                                  \
        put(at_##name(w, i), a, kept);                                                                                 \
    }
#define STATE_REAL_AT(name) ((real *)(void *)(w.reals + offsetof(tick_tile, name)) + (size_t)i * TILE_LANES)
#define STATE_AT(name) (&w.tile->name[i][w.at])
#define STATE_ACCESS_REAL(name, count, role)                                                                           \
    STATE_ACCESS(name, count, real, STATE_REAL_AT(name), vreal, v_load, state_put)
#define STATE_ACCESS_INT32(name, count, role)                                                                          \
    STATE_ACCESS(name, count, int32_t, STATE_AT(name), vint, i_load32, state_put32)
#define STATE_ACCESS_INT16(name, count, role)                                                                          \
    STATE_ACCESS(name, count, int16_t, STATE_AT(name), vint, i_load16, state_put16)
#define STATE_ACCESS_INT8(name, count, role)                                                                           \
    STATE_ACCESS(name, count, int8_t, STATE_AT(name), vint, i_load8, state_put8)
RULES_FIELDS(STATE_ACCESS_REAL, STATE_ACCESS_INT32, STATE_ACCESS_INT16, STATE_ACCESS_INT8)

/* The id of the one world w. */
CAROM_LANE uint64_t world_id(tick_world w)
{
    return (uint64_t)(uint32_t)w.tile->id[1][w.at] << 32 | (uint32_t)w.tile->id[0][w.at];
}

/* Games that the one world w finished before this one. */
CAROM_LANE uint32_t world_episode(tick_world w)
{
    return (uint32_t)w.tile->episode[0][w.at];
}

/* Ticks played in the current game of the one world w. */
CAROM_LANE int32_t world_tick(tick_world w)
{
    return w.tile->tick[0][w.at];
}

/* Ticks played in the current games of LANES worlds. */
CAROM_LANE vint get_tick(tick_world w)
{
    return i_load32(&w.tile->tick[0][w.at]);
}

/* ---- runs ---- */

#define TILE_GROUPS (TILE_LANES / LANES)
#define RUN_TILES (TILE_LANES == 1 ? 1 : TICK_RUN)
#define RUN_WORLDS (RUN_TILES * TILE_LANES)
#define RUN_GROUPS (RUN_WORLDS / LANES)

/* Tiles of a run. With one world per tile it is a constant, so that compilers can keep the world in registers. */
#if TILE_LANES == 1
#define RUN_TILE_COUNT(tick) ((size_t)1)
#else
#define RUN_TILE_COUNT(tick) (tick)->tile_count
#endif

/* A register group during one tick, from tick_load() to tick_end(). Lanes are bits. */
typedef struct run_group {
    uint16_t active;  /* lanes that play: selected, not frozen, and not faulted so far */
    uint16_t event;   /* lanes with an impact; set by worklist_look() in games with a worklist */
    uint16_t slot;    /* of the first lane of `event` in the worklist; valid if `event` is not 0 */
    uint16_t overrun; /* lanes that reached the limit of events */
    uint16_t kept;    /* lanes that played the tick without a fault and have its result */
    uint16_t over;    /* lanes of `kept` whose game may be over */
    uint16_t faulty;  /* lanes that faulted in this tick */
    uint16_t settled; /* 1: settled with rewards in an earlier tick of the call, and no world has restarted since */
} run_group;

/* Everything that the passes of a tick work on. The tick's caller owns everything that it points to. */
typedef struct tick_run {
    game_tick *tick;              /* the request and its outputs */
    tick_tile *tiles;             /* tick->tiles, in their type */
    const rules_context *context; /* tick->context, in its type */
    struct rules_scratch *own;    /* what the rules remember; not cleared between ticks */
    run_group *groups;            /* [RUN_GROUPS] */
    uint32_t *recorded;           /* [RUN_WORLDS]: impacts of each world in this tick; valid if tick->record */
    unsigned group_count;         /* number of used entries of `groups` */
} tick_run;

CAROM_LANE tick_world run_world(const tick_run *run, unsigned home)
{
    return world_at(&run->tiles[home / TILE_LANES], home % TILE_LANES);
}

/* The register group that contains a home. */
CAROM_LANE run_group *run_group_of(const tick_run *run, unsigned home)
{
    return &run->groups[home / LANES];
}

/* ---- how a world's tick ends ---- */

/* Marks a world that has reached the limit of events; it faults when the tick finishes. */
CAROM_LANE void run_overrun(const tick_run *run, unsigned home)
{
    run_group *group = run_group_of(run, home);
    group->overrun = (uint16_t)(group->overrun | 1u << home % LANES);
}

/* Gives a fault to the worlds `lanes`, counted from `home` and all of one group. They stop being active, and their
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

/* A player's kind of action. kind: the tick's, possibly TICK_MIXED. */
CAROM_LANE uint32_t run_kind_of(const tick_run *run, uint32_t kind, unsigned player)
{
    return kind != TICK_MIXED ? kind : run->tick->kinds[player];
}

/* Does the caller request rewards from the rules, beyond those of a game's end? */
CAROM_LANE bool run_rewarded(const tick_run *run)
{
    return run->tick->rewards != NULL && run->tick->reward_kind != REWARD_RESULT;
}

/* Did the rules settle this group in an earlier tick of the call, and are their notes from then still valid? */
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

/* Numbers that a body sees by its rays and before them. */
#if defined(RULES_LIDAR_RAYS)
#define RULES_LIDAR (RULES_LIDAR_OWN + RULES_LIDAR_RAYS * (3 + RULES_LIDAR_THINGS))
#endif

/* Size of an observation of a world, over all players. kind: of observation. */
CAROM_LANE size_t run_seen(uint32_t kind)
{
#if defined(RULES_LIDAR)
    if (kind == GAME_VIEW_LIDAR) {
        return (size_t)RULES_PLAYERS * RULES_AGENTS * RULES_LIDAR;
    }
#endif
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

/* Loops over the register groups with an active world. Declares variables of the given names for their number and
 * home. */
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

/* Does the caller request the positions of bodies after the motion? */
CAROM_LANE bool run_records_moved(const tick_run *run)
{
    return run->tick->moved != NULL;
}

/* Counts an impact of a world, in a tick that records. Returns the entry to fill in, or NULL if the caller's array is
 * full. */
CAROM_LANE carom_event *run_record(const tick_run *run, unsigned home)
{
    const game_tick *tick = run->tick;
    const uint32_t k = run->recorded[home]++;
    if (tick->events == NULL || k >= tick->event_capacity || home >= tick->worlds) {
        return NULL;
    }
    return &tick->events[home * tick->event_capacity + k];
}

/* Does the caller request contacts in addition to events? On a device there are none: a constant, so that their code
 * costs no registers. */
#if defined(CAROM_DEVICE)
#define run_records_contacts(run) ((void)(run), false)
#else
CAROM_LANE bool run_records_contacts(const tick_run *run)
{
    return __builtin_expect(run->tick->contacts != NULL, 0);
}
#endif

/* The contact of event k of a world in this tick, to fill in, if run_records_contacts(); NULL if the caller's array is
 * full. */
CAROM_LANE carom_contact *run_contact(const tick_run *run, unsigned home, uint32_t k)
{
    const game_tick *tick = run->tick;
    const bool room = k < tick->event_capacity && home < tick->worlds;
    return room ? &tick->contacts[home * tick->event_capacity + k] : NULL;
}

/* The contact of the event that run_record() counted last. */
CAROM_LANE carom_contact *run_last_contact(const tick_run *run, unsigned home)
{
    return run_contact(run, home, run->recorded[home] - 1);
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
    const void *tile; /* of f32 or f64, by the kind of action */
    unsigned at;      /* the first lane */
} tick_numbers;

/* Number e of LANES worlds, in a kind of action in f32. */
CAROM_LANE vreal number_f32(tick_numbers numbers, unsigned e)
{
    CHECKED_ACTION(e, 32);
    return v_load_f32((const float *)numbers.tile + (size_t)e * TILE_LANES + numbers.at);
}

/* Number e of LANES worlds, in a kind of action in f64. */
CAROM_LANE vreal number_f64(tick_numbers numbers, unsigned e)
{
    CHECKED_ACTION(e, 64);
    return v_load_f64((const double *)numbers.tile + (size_t)e * TILE_LANES + numbers.at);
}

/* Number e of world l of the LANES, in a kind of action in f32. */
CAROM_LANE float number_one_f32(tick_numbers numbers, unsigned l, unsigned e)
{
    CHECKED_ACTION(e, 32);
    return ((const float *)numbers.tile)[(size_t)e * TILE_LANES + numbers.at + l];
}

/* Number e of world l of the LANES, in a kind of action in f64. */
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

/* The block of actions that holds a player's. numbers: as returned by run_numbers(); kind: the tick's. */
CAROM_LANE tick_numbers run_numbers_of(const tick_run *run, tick_numbers numbers, uint32_t kind, unsigned player)
{
    if (kind == TICK_MIXED) {
        numbers.tile = (const unsigned char *)numbers.tile + TILE_LANES * run->tick->actions_at[player];
    }
    return numbers;
}

/* Where to write the observations of LANES worlds, lane-major: [number, counted over all players][TILE_LANES]. */
typedef struct tick_view {
    float *tile;
    unsigned at; /* the first lane */
    /* What the rules remember of the turn that produced these worlds' state (tick/bodies.h); NULL: nothing, or some
     * have started another game. */
    const struct tick_turn *turn;
    unsigned unseen; /* game_tick.unseen */
} tick_view;

/* Whether rules_observe_ego() must write what this agent sees. On GPUs always, which costs no branch. */
CAROM_LANE bool view_wants(tick_view view, unsigned agent)
{
#if defined(CAROM_DEVICE)
    (void)view, (void)agent;
    return true;
#else
    return (view.unseen >> agent & 1) == 0;
#endif
}

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
/* Writes number k of what the body `agent` sees. agent: its index among the bodies of all players. */
CAROM_LANE void view_put_ego(tick_view view, unsigned agent, unsigned k, vreal a)
{
    CHECKED_INDEX(agent, RULES_PLAYERS * RULES_AGENTS, "rules_observe_ego() sets what body %d sees, of %d");
    CHECKED_INDEX(k, RULES_EGO, "rules_observe_ego() sets number %d of what a body sees, of %d");
    CHECKED_SEEN(agent * RULES_EGO + k);
    v_store_f32(view.tile + (size_t)(agent * RULES_EGO + k) * TILE_LANES + view.at, a);
}
#endif

#if defined(RULES_LIDAR)
/* Writes number k of what the body `agent` sees by rays. */
CAROM_LANE void view_put_lidar(tick_view view, unsigned agent, unsigned k, vreal a)
{
    CHECKED_INDEX(agent, RULES_PLAYERS * RULES_AGENTS, "rules_lidar() sets what body %d sees, of %d");
    CHECKED_INDEX(k, RULES_LIDAR, "rules_lidar() sets number %d of what a body sees, of %d");
    CHECKED_SEEN(agent * RULES_LIDAR + k);
    v_store_f32(view.tile + (size_t)(agent * RULES_LIDAR + k) * TILE_LANES + view.at, a);
}
#endif

/* Where to write the values of LANES states, lane-major: [player][TILE_LANES]. They are f64 in both precisions of
 * worlds. */
typedef struct tick_values {
    double *tile;
    unsigned at;           /* the first lane */
    uint32_t kind;         /* of value: 0, or one added by the game */
    const double *weights; /* of the kind's features; NULL if kind is 0 */
} tick_values;

/* Writes the value of world l of the LANES to `player`. */
CAROM_LANE void value_put_one(tick_values values, unsigned player, unsigned l, double a)
{
    CHECKED_INDEX(player, RULES_PLAYERS, "rules_value() sets the value for player %d, of RULES_PLAYERS %d");
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
