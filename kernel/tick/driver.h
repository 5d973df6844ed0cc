/* SPDX-License-Identifier: MIT
 * The tick: the one order in which every game is played. A game's kernel.c defines its rules and includes this file
 * last; what it exports is the game's kernel for one instruction set and precision.
 *
 *     load      which worlds play: those that are asked for and not frozen
 *     command   the rules read the actions                                        rules_command
 *     play      the motion, with its impacts, in one of three ways (below)
 *     finish    the state at the end of the tick; worlds out of range, or
 *               without an end of impacts, are put back and take a fault          rules_move, _finish, _store
 *     settle    goals, rewards; which games may be over                           rules_settle
 *     end       games that are over, or were ended by a fault: decided,
 *               observed, frozen or begun anew                                    rules_decide, _start, _derive
 *
 * What players see afterwards is asked for by itself, a tile at a time               rules_observe
 *
 * Each is a pass over all register groups of the run, and not a part of one loop body, so that every branch is taken on
 * a number that the pass before has left in memory. In one body each group's branches wait for the end of its sines,
 * and a branch that was guessed wrong throws away all that the processor has begun of the next group. bench/README.md
 * has the figures. A tile stays as it was before the tick until `finish` writes it: that is how a world is put back.
 *
 * How impacts are played is the game's choice:
 *
 *     RULES_PLAY_WORKLIST   tick/worklist.h, which the rules include: few worlds have an impact. A pass `look` finds
 *                           them (rules_near, rules_look), one more packs them on the worklist (rules_take), where they
 *                           are played side by side; the others are moved by `finish`.
 *     RULES_PLAY_ROUNDS     tick/rounds.h, which the rules include: most worlds have several. Commands write the rows
 *                           of every world in motion, which are played in rounds.
 *     RULES_PLAY_OWN        rules_play() does all from `command` to the new state in the tiles, and says by
 *                           run_keep(), run_fault() what became of every active group.
 *
 * The functions of the rules are declared below. Those of the motion are in worklist.h and rounds.h.
 */
#ifndef CAROM_TICK_DRIVER_H
#define CAROM_TICK_DRIVER_H

#include "tick/run.h"
#include "tick/verdict.h"

/* ---- what the rules define: of LANES worlds ----
 *
 * home: of the first of them, w: their state. active: those that play, as bits; what is done with the others has no
 * effect. Unless it is said otherwise the state in w must not change. */

#if !defined(RULES_PLAY_OWN)

/* Reads the actions, of kind number `kind`: a constant, so that each kind is compiled by itself. */
CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind);

/* struct rules_end, the game's own: the state at the end of the tick, in registers between the next three. */
struct rules_end;

/* The end of the motion; nothing else may change, */
CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end);
/* where body `body` is then, to be recorded: x, y, vx, vy. */
CAROM_LANE void rules_moved(const tick_run *run, unsigned home, const struct rules_end *end, unsigned body,
                            vreal where[4]);

/* The rules of the end of a tick, such as friction. Returns the lanes whose numbers are all in the game's range; of the
 * active others, *nan has those with a number that is none. */
CAROM_LANE vmask rules_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                              unsigned *nan);

/* Writes the state of the lanes that are kept, from `end`. */
CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept);

#else

/* Plays the tick of all active groups of the run: run_keep() says which have played, run_fault() which have not. */
CAROM_LANE void rules_play(tick_run *run);

#endif

/* What follows from the new state: passed checkpoints, goals. It may change the state of the kept lanes. reward: of
 * every player, to be set, or NULL. Returns the lanes whose game may be over. The tick is counted already. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward);

/* What every player sees, by view_put(). */
CAROM_LANE void rules_observe(const rules_context *context, tick_world w, tick_view view);

/* Where a game defines RULES_SHARED: what players see, each number once, by view_put_row(). */
#if defined(RULES_SHARED)
CAROM_LANE void rules_observe_shared(const rules_context *context, tick_world w, tick_view view);
#endif

/* Where a game defines RULES_AGENTS and RULES_EGO, see tick/run.h: what the bodies see that players act with, by
 * view_put_ego(). */
#if defined(RULES_EGO)
CAROM_LANE void rules_observe_ego(const rules_context *context, tick_world w, tick_view view);
#endif

/* Where a game defines RULES_AGENTS: what each of these bodies gained in the tick, after rules_settle().
 * reward[RULES_PLAYERS * RULES_AGENTS], to be set. */
#if defined(RULES_AGENTS)
CAROM_LANE void rules_settle_own(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward);
#endif

/* The value of a state at the end of a rollout, to every player, by value_put(). */
CAROM_LANE void rules_value(const rules_context *context, tick_world w, tick_values values);

/* ---- of one world ---- */

/* Is this game, which was running, over? It may write the game's own fields (`winner`). */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w);

/* Where a game defines RULES_SCORED: what a player has scored, for carom_result. */
#if defined(RULES_SCORED)
static int32_t rules_score(tick_world w, int player);
#endif

/* See world_ops. */
static void rules_start(const rules_context *context, uint64_t seed, tick_world w);
static bool rules_check(const rules_context *context, tick_world w);
static void rules_derive(const rules_context *context, tick_world w);

/* ---- load ---- */

static void tick_load(tick_run *run)
{
    game_tick *tick = run->tick;
    for (unsigned number = 0; number < run->group_count; number++) {
        const tick_world w = run_world(run, number * LANES);
        const uint16_t settled = tick->continues ? run->groups[number].settled : 0;
        const run_group fresh = {0, 0, 0, 0, 0, 0, 0, settled};
        run->groups[number] = fresh;
        const unsigned plays = (unsigned)tick->plays[number / TILE_GROUPS] >> w.at;
        run->groups[number].active = (uint16_t)(m_bits(i_eq(i_load8(&w.tile->frozen[0][w.at]), i_set1(0))) & plays);
    }
    for (size_t home = 0; home < tick->tile_count * TILE_LANES && tick->record; home++) {
        run->recorded[home] = 0;
    }
    const size_t rewards = tick->tile_count * run_agents(run) * TILE_LANES;
    for (size_t k = 0; k < rewards && tick->rewards != NULL; k++) {
        tick->rewards[k] = 0;
    }
    tick->continues = true;
}

/* ---- settle ---- */

/* What the kept worlds of a group are rewarded with: numbers of `count` agents. */
CAROM_LANE void tick_reward(tick_run *run, unsigned home, unsigned kept, const vreal *reward, unsigned count)
{
    float *to = run->tick->rewards + (size_t)(home / TILE_LANES) * count * TILE_LANES + home % TILE_LANES;
    for (unsigned agent = 0; agent < count; agent++) {
        v_store_f32(to + agent * TILE_LANES, v_select(m_from_bits(kept), reward[agent], v_set1(REAL(0.0))));
    }
}

/* What the worlds of a group have come to that have played; returns those whose game may be over. */
CAROM_LANE unsigned tick_settle_group(tick_run *run, unsigned home, tick_world w, unsigned kept)
{
    if (!run_rewarded(run)) { /* by the end only, if at all */
        return rules_settle(run, home, w, kept, NULL) & kept;
    }
    run_group_of(run, home)->settled = 1;
#if defined(RULES_AGENTS)
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
    vreal reward[CHECKED_ROOM(RULES_PLAYERS)];
    CHECKED_FILL(reward, RULES_PLAYERS);
    const unsigned over = rules_settle(run, home, w, kept, reward) & kept;
    CHECKED_HELD(reward, RULES_PLAYERS, "rules_settle() sets reward[%d], of RULES_PLAYERS %d");
    tick_reward(run, home, kept, reward, RULES_PLAYERS);
    return over;
}

#if defined(RULES_PLAY_OWN)

static void tick_settle(tick_run *run)
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

CAROM_LANE void tick_command_kind(tick_run *run, uint32_t kind)
{
    EACH_ACTIVE_GROUP (run, number, home) {
        rules_command(run, home, run_world(run, home), run->groups[number].active, run_numbers(run, home), kind);
    }
}

#if RULES_KINDS < 1 || RULES_KINDS > 4
#error "RULES_KINDS is a number, and tick_command() knows four kinds of action"
#endif

static void tick_command(tick_run *run)
{
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
}

CAROM_LANE void tick_finish_group(tick_run *run, run_group *group, unsigned home)
{
    const tick_world w = run_world(run, home);
    struct rules_end end;
    rules_move(run, home, w, &end);
    const unsigned plays = group->active & ~(unsigned)group->overrun;
    unsigned nan = 0;
    const vmask sound = rules_finish(run, home, w, plays, &end, &nan);
    const vmask keep = m_and(m_from_bits(plays), sound);
    if (m_all(keep)) {
        const tick_kept kept = {keep, true};
        rules_store(run, home, w, &end, kept);
        run_keep(run, home, kept);
    } else {
        const tick_kept kept = {keep, false};
        const unsigned bad = plays & ~m_bits(keep);
        run_fault(run, home, group->overrun, CAROM_FAULT_EVENTS);
        run_fault(run, home, bad & nan, CAROM_FAULT_NAN);
        run_fault(run, home, bad & ~nan, CAROM_FAULT_RANGE);
        rules_store(run, home, w, &end, kept);
        run_keep(run, home, kept);
    }
    if (group->kept != 0) {
        group->over = (uint16_t)tick_settle_group(run, home, w, group->kept);
    }
}

#if defined(RULES_PLAY_WORKLIST)

/* Which groups have worlds with an impact; then these are packed, and played. */
static void tick_look(tick_run *run)
{
    EACH_ACTIVE_GROUP (run, number, home) {
        if (rules_near(run, home)) {
            run->groups[number].event = (uint16_t)rules_look(run, home, run_world(run, home));
        }
    }
}

static void tick_play(tick_run *run)
{
    worklist *list = &run->own->list;
    tick_look(run);
    list->count = 0;
    EACH_ACTIVE_GROUP (run, number, home) {
        run_group *group = &run->groups[number];
        if (group->event != 0) {
            motion m;
            MOTION_FILL(&m);
            rules_take(run, home, run_world(run, home), &m);
            MOTION_HELD(&m);
            group->slot = (uint16_t)list->count;
            worklist_push(list, &m, m_from_bits(group->event), (int32_t)home);
        }
    }
    worklist_run(list, run);
}

#else /* rounds */

static void tick_play(tick_run *run)
{
    rounds_run(&run->own->motion, run);
}

#endif

/* Where bodies are after the motion. This is no part of tick_finish_group(): there compilers would keep the end of
 * every tick in memory, because a body's number may be anything, and not in registers. */
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

static void tick_finish(tick_run *run)
{
    if (run_records_moved(run)) {
        tick_record_moved(run);
    }
    EACH_ACTIVE_GROUP (run, number, home) {
        tick_finish_group(run, &run->groups[number], home);
    }
}

#endif

/* ---- end, observe ---- */

static void tick_observe(const game_tick *tick, size_t number, float *seen)
{
    const rules_context *context = (const rules_context *)tick->context;
    tick_tile *tile = (tick_tile *)(void *)tick->tiles + number;
    for (unsigned at = 0; at < TILE_LANES; at += LANES) {
        const tick_view view = {seen, at};
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
        rules_observe(context, world_at(tile, at), view);
    }
}

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
    w.tile->tick[0][w.at] = 0;
    run_group_of(run, home)->settled = 0;
    rules_start(run->context, run_seed(run, home), w);
    rules_derive(run->context, w);
}

#include "tick/end.h"

static void tick_end(tick_run *run)
{
    const game_tick *tick = run->tick;
    for (unsigned tile = 0; tile < tick->tile_count; tile++) {
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

typedef struct tick_scratch {
    run_group groups[RUN_GROUPS];
    uint32_t recorded[RUN_WORLDS];
    alignas(64) struct rules_scratch own;
} tick_scratch;

static void tick_play_run(game_tick *tick)
{
    tick_scratch *scratch = (tick_scratch *)tick->scratch;
    tick_run run = {tick,
                    (tick_tile *)(void *)tick->tiles,
                    (const rules_context *)tick->context,
                    &scratch->own,
                    scratch->groups,
                    scratch->recorded,
                    (unsigned)tick->tile_count * TILE_GROUPS};
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
    for (size_t home = 0; home < tick->worlds && tick->record && tick->event_counts != NULL; home++) {
        tick->event_counts[home] = run.recorded[home];
    }
}

static void tick_value(const game_tick *tick, double *values)
{
    tick_tile *tiles = (tick_tile *)(void *)tick->tiles;
    for (size_t tile = 0; tile < tick->tile_count; tile++) {
        for (unsigned at = 0; at < TILE_LANES; at += LANES) {
            const tick_values to = {values + tile * RULES_PLAYERS * TILE_LANES, at, tick->value, tick->weights};
            rules_value((const rules_context *)tick->context, world_at(&tiles[tile], at), to);
        }
    }
}

/* Defines the kernel of the game `name`. */
#if TILE_LANES == 1
#include "tick/one_driver.h"
#define TICK_KERNEL(name)                                                                                              \
    CAROM_EXTERN const one_kernel CAROM_PASTE(name, one, CAROM_REAL_BITS);                                             \
    const one_kernel CAROM_PASTE(name, one, CAROM_REAL_BITS) = {one_play, sizeof(one_world)};
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
        {tick_start, tick_check, tick_derive}, tick_play_run, tick_observe, tick_value, sizeof(tick_scratch)};
#endif

#endif
