/* SPDX-License-Identifier: MIT
 * The tick: the one sequence of passes by which every game is played. A game's kernel.c defines its rules and includes
 * this file last, which makes them the game's kernel for one instruction set and precision.
 *
 *     load      select the worlds to play: those requested and not frozen
 *     command   the rules read the actions                                        rules_command
 *     play      the motion, with its impacts, in one of three ways (below)
 *     finish    the state at the end of the tick; worlds that are out of range
 *               or reach the limit of impacts keep their old state and fault      rules_move, _finish, _store
 *     settle    goals, rewards; which games may be over                           rules_settle
 *     end       games that are over or faulted: decided and observed,
 *               then frozen or restarted                                          rules_decide, _start, _derive
 *
 * Observations after the tick are a separate call, one tile at a time               rules_observe
 *
 * Each pass runs over all register groups before the next pass begins, so that every branch depends on a number that an
 * earlier pass has left in memory. The exception is `settle`: `finish` does it for each group while the group's new
 * state is in the nearest cache (under RULES_PLAY_OWN it is a pass). In a single loop each group's branches would wait
 * for its sines, and a misprediction would flush the work in flight for the next group. docs/notes/performance.md
 * has the figures. A tile keeps its old state until `finish` writes it: to restore a world, it is simply not written.
 *
 * Each game chooses how impacts are played:
 *
 *     RULES_PLAY_WORKLIST   tick/worklist.h: few worlds have an impact. These are packed side by side and played;
 *                           `finish` moves the others. The file defines rules_move, _moved, _finish and _store from
 *                           simpler rules.
 *     RULES_PLAY_ROUNDS     tick/rounds.h, which the rules include: most worlds have several. Commands write the rows
 *                           of every world in motion, which are played in rounds (rules_next, rules_hit). It also
 *                           has the passes of `finish`; the rules add to them by rules_after() and rules_keep().
 *     RULES_PLAY_OWN        rules_play() does everything from `command` to writing the new state to the tiles, and
 *                           reports every active group by run_keep() and run_fault().
 *
 * The functions of the rules are declared below, those of the motion in worklist.h and rounds.h.
 */
#ifndef CAROM_TICK_DRIVER_H
#define CAROM_TICK_DRIVER_H

#include "tick/run.h"
#if defined(RULES_LIDAR)
#include "tick/lidar.h"
#endif
#if defined(RULES_PLAY_WORKLIST)
#include "tick/worklist.h"
#endif

/* ---- what the rules define, for LANES worlds at a time ----
 *
 * home: the first of these worlds. w: their state, which is read-only unless the function says otherwise. active: the
 * lanes that play, as bits; results in the other lanes are ignored. */

#if !defined(RULES_PLAY_OWN)

/* Reads the actions. kind: their kind, a constant at every call, so that each kind is compiled separately. */
CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind);

/* The state at the end of the tick, as the game defines it: in registers from rules_move() to rules_store(). */
struct rules_end;

/* Computes the state at the end of the motion into *end, and changes nothing else. */
CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end);

/* Reads x, y, vx, vy of one body from the result of rules_move(), for recording. */
CAROM_LANE void rules_moved(const tick_run *run, unsigned home, const struct rules_end *end, unsigned body,
                            vreal where[4]);

/* Applies the rules of the end of a tick, such as friction. Returns the lanes whose numbers are all in the game's
 * range; *nan: those of the other active lanes that hold a NaN. */
CAROM_LANE vmask rules_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                              unsigned *nan);

/* Writes the state of the kept lanes from `end`. */
CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept);

#else

/* Plays the tick of all active groups. Calls run_keep() for worlds that have played it, and run_fault() for the
 * others. */
CAROM_LANE void rules_play(tick_run *run);

#endif

/* Applies the consequences of the new state, such as passed checkpoints and goals; may change the state of the kept
 * lanes. The tick is already counted. reward: one per player, to be set, or NULL. Returns the lanes whose game may be
 * over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward);

/* Writes what every player sees, by view_put(). */
CAROM_LANE void rules_observe(const rules_context *context, tick_world w, tick_view view);

/* For games with RULES_SHARED: writes what players see, each number once, by view_put_row(). */
#if defined(RULES_SHARED)
CAROM_LANE void rules_observe_shared(const rules_context *context, tick_world w, tick_view view);
#endif

/* For games with RULES_AGENTS and RULES_EGO (see tick/run.h): writes what each body that players act with sees, by
 * view_put_ego(). */
#if defined(RULES_EGO)
CAROM_LANE void rules_observe_ego(const rules_context *context, tick_world w, tick_view view);
#endif

/* For games with RULES_AGENTS: the reward of each of these bodies in the tick. Called after rules_settle().
 * reward[RULES_PLAYERS * RULES_AGENTS], to be set. */
#if defined(RULES_AGENTS)
CAROM_LANE void rules_settle_own(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward);
#endif

/* Writes the value of a state at the end of a rollout to every player, by value_put(). */
CAROM_LANE void rules_value(const rules_context *context, tick_world w, tick_values values);

/* ---- what the rules define, for one world at a time ---- */

/* Decides whether this running game is over. May write the game's own fields, such as `winner`. */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w);

/* For games with RULES_SCORED: the player's score, for carom_result. */
#if defined(RULES_SCORED)
static int32_t rules_score(tick_world w, int player);
#endif

/* See world_ops. */
static void rules_start(const rules_context *context, uint64_t seed, tick_world w);
static bool rules_check(const rules_context *context, tick_world w);
static void rules_derive(const rules_context *context, tick_world w);

/* On a device a world of few bodies stays in registers if its whole tick is inlined. A world of many bodies is in
 * memory anyway: its tick is a function shared by all programs of the game, which would otherwise take minutes to
 * compile. */
#if defined(CAROM_DEVICE) && !defined(RULES_PLAY_WORKLIST)
#define TICK_WHOLE DEVICE_APART
#else
#define TICK_WHOLE DEVICE_LANE
#endif

/* ---- load ---- */

/* Selects the worlds that play, and clears what the tick adds up. */
DEVICE_LANE void tick_load(tick_run *run)
{
    game_tick *tick = run->tick;

    /* Only `settled` persists from tick to tick, and only within one call: between calls the caller may change
     * worlds. */
    for (unsigned number = 0; number < run->group_count; number++) {
        const tick_world w = run_world(run, number * LANES);
        const uint16_t settled = tick->continues ? run->groups[number].settled : 0;
        const run_group fresh = {0, 0, 0, 0, 0, 0, 0, settled};
        run->groups[number] = fresh;
        const unsigned plays = (unsigned)tick->plays[number / TILE_GROUPS] >> w.at;
        run->groups[number].active = (uint16_t)(m_bits(i_eq(i_load8(&w.tile->frozen[0][w.at]), i_set1(0))) & plays);
    }

    /* Zero the outputs: nothing else writes them for worlds that do not play. */
    for (size_t home = 0; home < RUN_TILE_COUNT(tick) * TILE_LANES && tick->record; home++) {
        run->recorded[home] = 0;
    }
    const size_t rewards = RUN_TILE_COUNT(tick) * run_agents(run) * TILE_LANES;
    for (size_t k = 0; k < rewards && tick->rewards != NULL; k++) {
        tick->rewards[k] = 0;
    }

    tick->continues = true;
}

/* ---- settle ---- */

/* Writes the rewards of a group, for `count` agents: 0 in lanes that are not kept. */
CAROM_LANE void tick_reward(tick_run *run, unsigned home, unsigned kept, const vreal *reward, unsigned count)
{
    float *to = run->tick->rewards + (size_t)(home / TILE_LANES) * count * TILE_LANES + home % TILE_LANES;
    for (unsigned agent = 0; agent < count; agent++) {
        v_store_f32(to + agent * TILE_LANES, v_select(m_from_bits(kept), reward[agent], v_set1(REAL(0.0))));
    }
}

/* Settles the kept worlds of a group, with rewards if requested; returns those whose game may be over. */
CAROM_LANE unsigned tick_settle_group(tick_run *run, unsigned home, tick_world w, unsigned kept)
{
    /* If no rewards are requested from the rules, skip computing them; tick_pay() may still reward the end. */
    if (!run_rewarded(run)) {
        return rules_settle(run, home, w, kept, NULL) & kept;
    }

    run_group_of(run, home)->settled = 1;

#if defined(RULES_AGENTS)
    /* Reward each body separately. rules_settle() comes first: the rewards depend on what it changes. */
    if (run->tick->reward_kind == REWARD_OWN) {
        vreal own[CHECKED_ROOM(RULES_PLAYERS * RULES_AGENTS)];
        const unsigned over = rules_settle(run, home, w, kept, NULL) & kept;
        CHECKED_FILL(own, RULES_PLAYERS * RULES_AGENTS);
        rules_settle_own(run, home, w, kept, own);
        CHECKED_HELD(own, RULES_PLAYERS * RULES_AGENTS, "rules_settle_own() sets reward[%d], of %d");
        tick_reward(run, home, kept, own, RULES_PLAYERS * RULES_AGENTS);
        return over;
    }
#endif

    /* Otherwise each player has one reward. */
    vreal reward[CHECKED_ROOM(RULES_PLAYERS)];
    CHECKED_FILL(reward, RULES_PLAYERS);
    const unsigned over = rules_settle(run, home, w, kept, reward) & kept;
    CHECKED_HELD(reward, RULES_PLAYERS, "rules_settle() sets reward[%d], of RULES_PLAYERS %d");
    tick_reward(run, home, kept, reward, RULES_PLAYERS);
    return over;
}

#if defined(RULES_PLAY_OWN)

/* The `settle` pass of games with RULES_PLAY_OWN, which have no `finish` pass to settle in. */
DEVICE_LANE void tick_settle(tick_run *run)
{
    for (unsigned number = 0, home = 0; number < run->group_count; number++, home += LANES) {
        run_group *group = &run->groups[number];
        if (group->kept != 0) {
            group->over = (uint16_t)tick_settle_group(run, home, run_world(run, home), group->kept);
        }
    }
}

#endif

/* ---- command, play, finish ---- */

#if !defined(RULES_PLAY_OWN)

/* Inlined once for each constant kind, see rules_command(). */
CAROM_LANE void tick_command_kind(tick_run *run, uint32_t kind)
{
    EACH_ACTIVE_GROUP (run, number, home) {
        rules_command(run, home, run_world(run, home), run->groups[number].active, run_numbers(run, home), kind);
    }
}

#if RULES_KINDS < 1 || RULES_KINDS > 4
#error "RULES_KINDS is a number, and tick_command() knows four kinds of action"
#endif

/* Lets the rules read the actions of all active groups. */
DEVICE_LANE void tick_command(tick_run *run)
{
#if TILE_LANES == 1
    /* Code for a single world handles all kinds at once: five copies would not fit in a device's instruction cache. */
    tick_command_kind(run, run->tick->kind);
#else
    /* Turn the kind into a constant, outside the loop over groups. */
    switch (run->tick->kind) {
    case 0:
        tick_command_kind(run, 0);
        break;
#if RULES_KINDS > 1
    case 1:
        tick_command_kind(run, 1);
        break;
#endif
#if RULES_KINDS > 2
    case 2:
        tick_command_kind(run, 2);
        break;
#endif
#if RULES_KINDS > 3
    case 3:
        tick_command_kind(run, 3);
        break;
#endif
#if defined(RULES_MIXED)
    case TICK_MIXED:
        tick_command_kind(run, TICK_MIXED);
        break;
#endif
    default:
        break;
    }
#endif
}

/* Ends the tick of one group: stores its valid worlds, faults the others, and settles. */
CAROM_LANE void tick_finish_group(tick_run *run, run_group *group, unsigned home)
{
    /* Compute the end of the tick in registers, and decide which lanes may be written. */
    const tick_world w = run_world(run, home);
    struct rules_end end;
    rules_move(run, home, w, &end);
    const unsigned plays = group->active & ~(unsigned)group->overrun;
    unsigned nan = 0;
    const vmask sound = rules_finish(run, home, w, plays, &end, &nan);
    const vmask keep = m_and(m_from_bits(plays), sound);

    /* In most groups every lane is kept: with the constant `all`, stores need not read the old values. */
    if (m_all(keep)) {
        const tick_kept kept = {keep, true};
        rules_store(run, home, w, &end, kept);
        run_keep(run, home, kept);
    } else {
        /* Each lane that played but is not kept gets one fault: too many impacts, a NaN, or a number out of range. */
        const tick_kept kept = {keep, false};
        const unsigned bad = plays & ~m_bits(keep);
        run_fault(run, home, group->overrun, CAROM_FAULT_EVENTS);
        run_fault(run, home, bad & nan, CAROM_FAULT_NAN);
        run_fault(run, home, bad & ~nan, CAROM_FAULT_RANGE);
        rules_store(run, home, w, &end, kept);
        run_keep(run, home, kept);
    }

    /* Settle while the group's new state is still in the nearest cache. */
    if (group->kept != 0) {
        group->over = (uint16_t)tick_settle_group(run, home, w, group->kept);
    }
}

#if defined(RULES_PLAY_ROUNDS)

CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end)
{
    (void)w;
    end->rows = rounds_from(run->own->motion.row, home);
}

/* Plays the motion of all active worlds, impacts included. */
DEVICE_LANE void tick_play(tick_run *run)
{
    rounds_run(&run->own->motion, run);
}

#endif

/* Records where bodies are after the motion. In tick_finish_group() this would make compilers keep struct rules_end in
 * memory rather than in registers, because it is indexed here by a variable. */
static void tick_record_moved(tick_run *run)
{
    EACH_ACTIVE_GROUP (run, number, home) {
        struct rules_end end;
        rules_move(run, home, run_world(run, home), &end);
        for (unsigned body = 0; body < RULES_BODIES; body++) {
            vreal where[4];
            rules_moved(run, home, &end, body, where);
            run_record_moved(run, home, RULES_BODIES, body, where);
        }
    }
}

/* Ends the tick of all active groups, and settles them. */
DEVICE_LANE void tick_finish(tick_run *run)
{
    if (run_records_moved(run)) {
        tick_record_moved(run);
    }
#if defined(RULES_PLAY_WORKLIST) && !defined(CAROM_DEVICE)
    if (run_records_contacts(run)) {
        worklist_part_all(run);
    }
#endif
    EACH_ACTIVE_GROUP (run, number, home) {
        tick_finish_group(run, &run->groups[number], home);
    }
}

#endif

/* ---- end, observe ---- */

/* The kernel's part of a thread's working memory, see game_kernel.scratch_bytes. */
typedef struct tick_scratch {
    run_group groups[RUN_GROUPS];
    uint32_t recorded[RUN_WORLDS]; /* impacts of each world in this tick */
    alignas(64) struct rules_scratch own;
} tick_scratch;

/* The turn of the group at `home` of the run, if that turn produced the current state of all its worlds; otherwise
 * NULL. */
CAROM_LANE const struct tick_turn *tick_watched_turn(const game_tick *tick, size_t home)
{
#if defined(RULES_TURN)
    tick_scratch *scratch = (tick_scratch *)tick->scratch;
    if (tick->watched && tick->continues && scratch->groups[home / LANES].kept == LANES_ALL) {
        return &scratch->own.turns[home / LANES];
    }
#else
    (void)tick, (void)home;
#endif
    return NULL;
}

/* Writes what players see of tile `number` to `seen`, in the tick's kind of observation. */
TICK_WHOLE void tick_observe(const game_tick *tick, size_t number, float *seen)
{
    const rules_context *context = (const rules_context *)tick->context;
    tick_tile *tile = (tick_tile *)(void *)tick->tiles + number;
    for (unsigned at = 0; at < TILE_LANES; at += LANES) {
        const tick_view view = {seen, at, tick_watched_turn(tick, number * TILE_LANES + at), tick->unseen};
#if defined(RULES_SHARED)
        if (tick->view == 0 && tick->shared) {
            rules_observe_shared(context, world_at(tile, at), view);
            continue;
        }
#endif
#if defined(RULES_EGO)
        if (tick->view == 1) {
            rules_observe_ego(context, world_at(tile, at), view);
            continue;
        }
#endif
#if defined(RULES_LIDAR) && !defined(CAROM_DEVICE)
        if (tick->view == GAME_VIEW_LIDAR) {
            lidar_observe(context, world_at(tile, at), view);
            continue;
        }
#endif
        rules_observe(context, world_at(tile, at), view);
    }
}

/* tick/end.h describes the functions from here to its inclusion. */
CAROM_LANE int8_t *world_end(tick_world w)
{
    return &w.tile->end[0][w.at];
}
CAROM_LANE int8_t *world_fault(tick_world w)
{
    return &w.tile->fault[0][w.at];
}
CAROM_LANE int8_t *world_frozen(tick_world w)
{
    return &w.tile->frozen[0][w.at];
}
CAROM_LANE int32_t *world_episode_at(tick_world w)
{
    return &w.tile->episode[0][w.at];
}

CAROM_LANE tick_verdict end_decide(tick_run *run, unsigned home, tick_world w)
{
    return rules_decide(run, home, w);
}

CAROM_LANE int32_t end_score(tick_world w, int player)
{
#if defined(RULES_SCORED)
    return rules_score(w, player);
#else
    (void)w, (void)player;
    return 0;
#endif
}

CAROM_LANE int32_t world_tick_of(tick_world w)
{
    return world_tick(w);
}

CAROM_LANE unsigned end_rewarded(const tick_run *run)
{
    return run_agents(run) / RULES_PLAYERS;
}

CAROM_LANE void end_observe(tick_run *run, unsigned tile, unsigned lanes)
{
    (void)lanes;
    tick_observe(run->tick, tile, run->tick->last + tile * run_seen(run->tick->view) * TILE_LANES);
}

CAROM_LANE void end_restart(tick_run *run, unsigned home, tick_world w)
{
    run_group *group = run_group_of(run, home);
    w.tile->tick[0][w.at] = 0;
    group->settled = 0;
    group->kept = (uint16_t)(group->kept & ~(1u << home % LANES));
    rules_start(run->context, run_seed(run, home), w);
    rules_derive(run->context, w);
}

#include "tick/end.h"

/* Gathers, tile by tile, the lanes whose game may be over or has faulted; most tiles have none. */
DEVICE_LANE void tick_end(tick_run *run)
{
    for (unsigned tile = 0; tile < RUN_TILE_COUNT(run->tick); tile++) {
        unsigned over = 0, faulty = 0;
        for (unsigned at = 0; at < TILE_LANES; at += LANES) {
            const run_group *group = run_group_of(run, tile * TILE_LANES + at);
            over |= (unsigned)group->over << at;
            faulty |= (unsigned)group->faulty << at;
        }
        if ((over | faulty) != 0) {
            tick_end_tile(run, tile, over, faulty);
        }
    }
}

/* ---- the kernel ---- */

/* Plays one tick of a run of tiles: the passes listed at the top of this file. */
TICK_WHOLE void tick_play_run(game_tick *tick)
{
    tick_scratch *scratch = (tick_scratch *)tick->scratch;
    tick_run run = {tick,
                    (tick_tile *)(void *)tick->tiles,
                    (const rules_context *)tick->context,
                    &scratch->own,
                    scratch->groups,
                    scratch->recorded,
                    (unsigned)RUN_TILE_COUNT(tick) * TILE_GROUPS};

    tick_load(&run);
#if defined(RULES_PLAY_OWN)
    rules_play(&run);
    tick_settle(&run);
#else
    tick_command(&run);
    tick_play(&run);
    tick_finish(&run);
#endif
    tick_end(&run);

    /* Report impact counts, except for the worlds that only pad the last tile. */
    for (size_t home = 0; home < tick->worlds && tick->record && tick->event_counts != NULL; home++) {
        tick->event_counts[home] = run.recorded[home];
    }
}

/* Writes the final value of every world of the run, see game_kernel.value. */
TICK_WHOLE void tick_value(const game_tick *tick, double *values)
{
    tick_tile *tiles = (tick_tile *)(void *)tick->tiles;
    for (size_t tile = 0; tile < RUN_TILE_COUNT(tick); tile++) {
        for (unsigned at = 0; at < TILE_LANES; at += LANES) {
            const tick_values to = {values + tile * RULES_PLAYERS * TILE_LANES, at, tick->value, tick->weights};
            rules_value((const rules_context *)tick->context, world_at(&tiles[tile], at), to);
        }
    }
}

/* TICK_KERNEL(name) defines the kernel of the game `name`. */
#if defined(CAROM_DEVICE)
#include "tick/one_rollout.h"
#define TICK_KERNEL(name) ONE_ENTRIES(DEVICE_ENTRY) /* device/entry.h, which the build force-includes */
#elif TILE_LANES == 1
#include "tick/one_driver.h"
#define TICK_KERNEL(name)                                                                                              \
    CAROM_EXTERN const one_kernel CAROM_PASTE(name, one, CAROM_REAL_BITS);                                             \
    const one_kernel CAROM_PASTE(name, one, CAROM_REAL_BITS) = {one_play, ONE_BYTES};
#else

static void tick_start(const void *context, uint64_t seed, void *tile, unsigned lane)
{
    rules_start((const rules_context *)context, seed, world_at((tick_tile *)tile, lane));
}

static bool tick_check(const void *context, const void *tile, unsigned lane)
{
    return rules_check((const rules_context *)context, world_at((tick_tile *)(uintptr_t)tile, lane));
}

static void tick_derive(const void *context, void *tile, unsigned lane)
{
    rules_derive((const rules_context *)context, world_at((tick_tile *)tile, lane));
}

#define TICK_KERNEL(name)                                                                                              \
    CAROM_EXTERN const game_kernel CAROM_KERNEL(name);                                                                 \
    const game_kernel CAROM_KERNEL(name) = {                                                                           \
        {tick_start, tick_check, tick_derive}, tick_play_run, tick_observe, tick_value, sizeof(tick_scratch), NULL};
#endif

#endif
