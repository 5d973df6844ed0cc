/* SPDX-License-Identifier: MIT
 * Binds what a call plays, observes and rewards; and the parts of a tick that steps and rollouts share.
 */
#include "games/driver.h"

#include <string.h>

#include "worlds/device.h"

/* ---- binding ---- */

bool carom_drive_has_own(const carom_step *step, uint32_t player)
{
    return step->players[player].source == CAROM_GIVEN && step->players[player].actions != NULL;
}

/* Finds the kind of each player's actions. Only a player with a separate array can have a separate kind; the others act
 * with the step's. */
static const char *find_kinds(drive *d, const carom_step *step)
{
    const uint32_t players = d->game->info.players;
    for (uint32_t player = 0; player < players; player++) {
        const bool own = carom_drive_has_own(step, player);
        const size_t kind = own ? step->players[player].action_kind : step->action_kind;
        if (kind >= d->game->info.action_kinds) {
            return "there is no such kind of action";
        }
        d->kinds[player] = (uint32_t)kind;
        d->kind = player == 0 || d->kind == kind ? (uint32_t)kind : TICK_MIXED;
    }

    if (d->kind == TICK_MIXED && !d->game->mixes) {
        return "all its players act with one kind";
    }

    /* With one kind, a world has one row for all players. With mixed kinds it has such a row for each player with a
     * separate array, of which only that player's numbers are used, and one row shared by the others. */
    d->world_bytes = d->kind != TICK_MIXED ? carom_game_row_bytes(d->game, d->kind) : 0;
    size_t shared = SIZE_MAX; /* not yet placed */
    for (uint32_t player = 0; player < players && d->kind == TICK_MIXED; player++) {
        const bool own = carom_drive_has_own(step, player);
        if (!own && shared != SIZE_MAX) {
            d->actions_at[player] = shared;
            continue;
        }
        d->actions_at[player] = d->world_bytes;
        d->world_bytes += carom_game_row_bytes(d->game, d->kinds[player]);
        shared = own ? shared : d->actions_at[player];
    }
    return NULL;
}

/* Finds the players that policies play. */
static const char *find_actors(drive *d, const carom_step *step)
{
    d->actors.kind = step->action_kind;
    for (uint32_t player = 0; player < d->game->info.players; player++) {
        const size_t policy = step->players[player].policy;
        if (step->players[player].source != CAROM_POLICY) {
            continue;
        }
        if (policy >= d->game->info.policies) {
            return "a player has an unknown policy";
        }
        d->actors.players |= 1u << player;
        d->actors.policy[player] = policy;
        d->policy_at = d->actions_at[player];
    }
    return NULL;
}

/* Where an agent's numbers begin in the caller's row of a world, which holds only observed agents; TRANSPOSE_ONCE if
 * the agent is not observed. */
static size_t seen_at(const drive *d, int agent)
{
    if (agent < 0 || (d->observed >> agent & 1) == 0) {
        return TRANSPOSE_ONCE;
    }
    return (size_t)__builtin_popcountll(d->observed & ((1ull << agent) - 1)) * d->agent_size;
}

/* Adds a piece, unless neither destination is wanted; if only one is, it becomes `at`. */
static void add_piece(drive *d, uint32_t from, uint32_t count, size_t at, size_t twin)
{
    const transpose_piece piece = {from, count, at != TRANSPOSE_ONCE ? at : twin, at != TRANSPOSE_ONCE ? twin : at};
    if (piece.at != TRANSPOSE_ONCE) {
        d->pieces[d->piece_count++] = piece;
    }
}

/* Finds where the kernel's rows belong among the caller's numbers. */
static void find_pieces(drive *d, const observation_kind *kind)
{
    const bool pieces = kind != NULL && kind->pieces != NULL;
    d->view = kind != NULL ? kind->view : 0;
    d->shared = kind != NULL && kind->shared;

    /* The game's table places its rows, for one or two agents each. Offset them by where these agents begin. */
    for (uint32_t k = 0; pieces && k < kind->piece_count; k++) {
        const observation_piece *piece = &kind->pieces[k];
        size_t at[2];
        for (int i = 0; i < 2; i++) {
            at[i] = seen_at(d, piece->agents[i]);
            at[i] = at[i] != TRANSPOSE_ONCE ? at[i] + piece->at[i] : at[i];
        }
        add_piece(d, piece->from, piece->count, at[0], at[1]);
    }

    /* Otherwise the rows are those of all agents in order: one piece if all are observed, one per agent if not. */
    if (!pieces && d->width == d->agents * d->agent_size) {
        add_piece(d, 0, d->width, 0, TRANSPOSE_ONCE);
    } else if (!pieces) {
        for (uint32_t agent = 0; agent < d->agents; agent++) {
            add_piece(d, agent * d->agent_size, d->agent_size, seen_at(d, (int)agent), TRANSPOSE_ONCE);
        }
    }
}

/* Finds what is observed: the kind, and which of its agents. */
static const char *find_observed(drive *d, const carom_step *step)
{
    const carom_observation_kind kind = carom_game_seen(d->game, step->observation_kind);
    if (kind.agents == 0) {
        return "there is no such kind of observation";
    }

    d->agents = d->game->info.players * kind.agents;
    d->agent_size = kind.size;
    const uint64_t all = d->agents < 64 ? (1ull << d->agents) - 1 : ~0ull;
    if ((step->observed & ~all) != 0) {
        return "`observed` has the bit of an unknown agent";
    }

    /* A mask of 0 means all agents, even if there are more than it has bits. */
    d->observed = step->observed != 0 ? step->observed : all;
    d->width = kind.size * (step->observed != 0 ? (uint32_t)__builtin_popcountll(step->observed) : d->agents);
    const observation_kind *seen =
        d->game->observations != NULL ? &d->game->observations[step->observation_kind] : NULL;
    if (seen != NULL && seen->view == GAME_VIEW_LIDAR && carom_is_on_device(d->worlds)) {
        return "batches on a device do not have the kind of observation `lidar`";
    }
    find_pieces(d, seen);
    return NULL;
}

/* Finds the rewarded agents. */
static const char *find_rewarded(drive *d, const carom_step *step)
{
    const uint32_t each = carom_game_rewarded(d->game, step->reward_kind);
    d->reward_kind = (uint32_t)step->reward_kind;
    d->rewarded = d->game->info.players * each;
    return each != 0 ? NULL : "there is no such kind of reward";
}

const char *carom_drive_bind(drive *d, const carom_worlds *worlds, const carom_step *step)
{
    memset(d, 0, sizeof *d);
    d->worlds = worlds;
    d->game = worlds->desc.game;
    d->kernel = d->game->kernel(worlds->desc.isa, worlds->desc.precision);
    d->transpose = carom_transpose(worlds->desc.isa);

    /* Stop at the first problem. */
    const char *why =
        step->action_kind < d->game->info.action_kinds ? find_kinds(d, step) : "there is no such kind of action";
    why = why == NULL ? find_actors(d, step) : why;
    why = why == NULL ? find_observed(d, step) : why;
    return why == NULL ? find_rewarded(d, step) : why;
}

/* ---- runs ---- */

size_t carom_drive_run_length(const carom_worlds *worlds, size_t tiles)
{
    const size_t length = worlds->layout.lanes == 1 ? 1 : tiles / ((size_t)worlds->desc.threads * 4);
    return length < 1 ? 1 : length > TICK_RUN ? TICK_RUN : length;
}

void carom_drive_begin(drive_run *run, const drive *d, void *tiles, size_t count, size_t first)
{
    const carom_worlds *worlds = d->worlds;
    game_tick *tick = &run->tick;
    memset(run, 0, sizeof *run);
    run->d = d;
    tick->tiles = (unsigned char *)tiles;
    tick->tile_count = count;
    tick->first = first;
    tick->context = worlds->context;
    tick->seed = worlds->desc.seed;

    tick->kind = d->kind;
    memcpy(tick->kinds, d->kinds, sizeof tick->kinds);
    memcpy(tick->actions_at, d->actions_at, sizeof tick->actions_at);
    tick->action_bytes = d->world_bytes;
    tick->view = d->view;
    tick->shared = d->shared;
    tick->unseen = (uint16_t)~d->observed;
    tick->reward_kind = d->reward_kind;

    /* Policies always get a seed for each lane. */
    for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
        run->same[lane] = tick->seed;
    }
}

/* Lets policies write the actions of their players in tile t. */
static void drive_act(const drive_run *run, size_t t)
{
    const drive *d = run->d;
    const game_tick *tick = &run->tick;
    const size_t tile_actions = CAROM_TILE * d->world_bytes;
    unsigned char *to = (unsigned char *)(uintptr_t)tick->actions + t * tile_actions + CAROM_TILE * d->policy_at;

    /* In equal states they repeat what they did in the previous tile. */
    if ((run->alike >> t & 1) != 0) {
        const uint32_t players = d->game->info.players;
        const size_t each = CAROM_TILE * carom_game_row_bytes(d->game, d->actors.kind) / players;
        for (uint32_t player = 0; player < players; player++, to += each) {
            if ((d->actors.players >> player & 1) != 0) {
                memcpy(to, to - tile_actions, each);
            }
        }
        return;
    }

    const policy_asked asked = {d->worlds, tick->tiles + t * d->worlds->layout.tile_bytes,
                                tick->seeds != NULL ? tick->seeds + t * CAROM_TILE : run->same};
    carom_game_act_for(&asked, &d->actors, (1u << d->worlds->layout.lanes) - 1, to, run->row);
}

void carom_drive_tick(drive_run *run)
{
    for (size_t t = 0; t < run->tick.tile_count && run->d->actors.players != 0; t++) {
        drive_act(run, t);
    }
    run->d->kernel->tick(&run->tick);
    run->alike = 0;
}

void carom_drive_reward(const drive_run *run, size_t t, const float *rewards, float *const *rows)
{
    const uint32_t rewarded = run->d->rewarded;
    run->d->transpose->unpack(rows, rewards + t * rewarded * CAROM_TILE, rewarded);
}

void carom_drive_observe(const drive_run *run, size_t t, float *const *rows, bool near)
{
    const drive *d = run->d;
    const size_t width = near ? 0 : d->width;
    transpose_fetch(rows, 0, width);
    d->kernel->observe(&run->tick, t, run->seen);
    d->transpose->unpack_pieces(rows, run->seen, d->pieces, d->piece_count, width);
}

void carom_drive_see(const drive_run *run, size_t t, const float **numbers)
{
    const drive *d = run->d;
    d->kernel->observe(&run->tick, t, run->seen);
    for (uint32_t k = 0; k < d->piece_count; k++) {
        const transpose_piece *piece = &d->pieces[k];
        for (uint32_t i = 0; i < piece->count; i++) {
            const float *lanes = run->seen + (size_t)(piece->from + i) * CAROM_TILE;
            numbers[piece->at + i] = lanes;
            if (piece->twin != TRANSPOSE_ONCE) {
                numbers[piece->twin + i] = lanes;
            }
        }
    }
}

void carom_drive_observe_last(const drive_run *run, size_t t, float *const *rows)
{
    const drive *d = run->d;
    const float *last = run->tick.last + t * d->agents * d->agent_size * CAROM_TILE;
    d->transpose->unpack_pieces(rows, last, d->pieces, d->piece_count, 0);
}
