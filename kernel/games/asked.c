/* SPDX-License-Identifier: MIT
 * What a caller asks of a step: is it possible, and where do its numbers stand?
 */
#include "games/play.h"

#include <float.h>
#include <string.h>

#include "worlds/layout.h"

/* Bytes of the observations of a step from which on they are written past the caches: where they would have stayed in
 * one, that is slower (7 MB: by a tenth); 115 MB are written 1.1 times as fast. */
#define STREAMED ((size_t)32 << 20)

static carom_status refuse(const play *p, const char *why)
{
    return carom_worlds_refuse(p->worlds, CAROM_ERROR_ARGUMENT, "%s: %s", p->game->info.name, why);
}

/* Of which kind are a player's actions? */
static carom_status find_kinds(play *p)
{
    const carom_step *step = p->step;
    const uint32_t players = p->game->info.players;
    p->kind = (uint32_t)step->action_kind;
    for (uint32_t player = 0; player < players; player++) {
        const bool own = step->players[player].source == CAROM_GIVEN && step->players[player].actions != NULL;
        const size_t kind = own ? step->players[player].action_kind : step->action_kind;
        if (kind >= p->game->info.action_kinds) {
            return refuse(p, "there is no such kind of action");
        }
        p->kinds[player] = (uint32_t)kind;
        p->kind = player == 0 || p->kind == kind ? (uint32_t)kind : TICK_MIXED;
    }
    if (p->kind == TICK_MIXED && !p->game->mixes) {
        return refuse(p, "all its players act with one kind");
    }
    p->world_bytes = p->kind != TICK_MIXED ? carom_game_row_bytes(p->game, p->kind) : 0;
    for (uint32_t player = 0; player < players && p->kind == TICK_MIXED; player++) {
        p->actions_at[player] = p->world_bytes;
        p->world_bytes += carom_game_row_bytes(p->game, p->kinds[player]);
    }
    return CAROM_OK;
}

/* The numbers of `player` are the caller's. */
static void add_given(play *p, uint32_t player)
{
    const carom_step *step = p->step;
    const carom_action_kind *kind = &p->game->kinds[p->kinds[player]];
    const void *actions = step->players[player].actions;
    const uint32_t bytes = (uint32_t)kind->precision / 8;
    play_given *last = p->given_count > 0 ? &p->given[p->given_count - 1] : NULL;
    if (actions == NULL && last != NULL && step->players[player - 1].actions == NULL) {
        last->numbers += kind->size; /* side by side with those of the player before */
        last->row_bytes += (size_t)kind->size * bytes;
        return;
    }
    p->given[p->given_count++] = (play_given){
        .actions = (const unsigned char *)(actions != NULL ? actions : step->actions),
        .row_bytes = (size_t)kind->size * bytes,
        .numbers = kind->size,
        .number_bytes = bytes,
        .at = p->actions_at[player] + (size_t)player * kind->size * bytes,
    };
    p->zeros |= actions == NULL && step->actions == NULL;
}

/* Who plays: fills what is said of it in `p`. */
static carom_status find_actors(play *p)
{
    const carom_step *step = p->step;
    const carom_game *game = p->game;
    p->actors.kind = step->action_kind;
    for (uint32_t player = 0; player < game->info.players; player++) {
        const carom_source source = step->players[player].source;
        p->actors.policy[player] = step->players[player].policy;
        if (source == CAROM_GIVEN) {
            add_given(p, player);
        } else if (source == CAROM_POLICY && step->players[player].policy < game->info.policies) {
            p->actors.players |= 1u << player;
            p->policy_at = p->actions_at[player];
        } else if (source == CAROM_ZERO) {
            p->zeros = true;
        } else {
            return refuse(p, "a player is neither given nor zero nor one of the policies");
        }
    }
    return CAROM_OK;
}

static carom_status find_worlds(play *p)
{
    const size_t all = p->worlds->desc.count, first = p->step->first, count = p->step->count;
    if (first >= all || count > all - first) {
        return refuse(p, "the worlds from `first` on, `count` of them, are not all in the batch");
    }
    p->first = first;
    p->count = count != 0 ? count : all - first;
    const unsigned lanes = p->worlds->layout.lanes;
    p->first_tile = first / lanes;
    p->end = (first + p->count - 1) / lanes + 1;
    p->run = lanes == 1 ? 1 : carom_game_run_length(p->end - p->first_tile, p->worlds->desc.threads);
    return CAROM_OK;
}

static bool within(const uint32_t *rows, size_t count, size_t limit)
{
    for (size_t w = 0; w < count && rows != NULL; w++) {
        if (rows[w] >= limit) {
            return false;
        }
    }
    return true;
}

/* Where an agent's numbers begin in a world's row; EXCHANGE_ONCE, which is nowhere, if it is not observed. */
static size_t seen_at(const play *p, int agent)
{
    if (agent < 0 || (p->observed >> agent & 1) == 0) {
        return EXCHANGE_ONCE;
    }
    return (size_t)__builtin_popcountll(p->observed & ((1ull << agent) - 1)) * p->agent_size;
}

static void add_piece(play *p, uint32_t from, uint32_t count, size_t at, size_t twin)
{
    const play_piece piece = {from, count, at != EXCHANGE_ONCE ? at : twin, at != EXCHANGE_ONCE ? twin : at};
    if (piece.at != EXCHANGE_ONCE) {
        p->pieces[p->piece_count++] = piece;
    }
}

/* Which rows of lanes go where. */
static void find_pieces(play *p)
{
    const seen_kind *kind = p->game->seen != NULL ? &p->game->seen[p->step->observation_kind] : NULL;
    const bool pieces = kind != NULL && kind->pieces != NULL;
    p->view = kind != NULL ? kind->view : 0;
    p->shared = kind != NULL && kind->shared;
    for (uint32_t k = 0; pieces && k < kind->piece_count; k++) {
        const seen_piece *piece = &kind->pieces[k];
        size_t at[2];
        for (int i = 0; i < 2; i++) {
            at[i] = seen_at(p, piece->agents[i]);
            at[i] = at[i] != EXCHANGE_ONCE ? at[i] + piece->at[i] : at[i];
        }
        add_piece(p, piece->from, piece->count, at[0], at[1]);
    }
    if (!pieces && p->observed_count == p->agents) {
        add_piece(p, 0, p->agents * p->agent_size, 0, EXCHANGE_ONCE);
    } else if (!pieces) {
        for (uint32_t agent = 0; agent < p->agents; agent++) {
            add_piece(p, agent * p->agent_size, p->agent_size, seen_at(p, (int)agent), EXCHANGE_ONCE);
        }
    }
}

static carom_status find_observed(play *p)
{
    const carom_step *step = p->step;
    const carom_observation_kind kind = carom_game_seen(p->game, step->observation_kind);
    if (kind.agents == 0) {
        return refuse(p, "there is no such kind of observation");
    }
    p->agents = p->game->info.players * kind.agents;
    p->agent_size = kind.size;
    const uint64_t all = p->agents < 64 ? (1ull << p->agents) - 1 : ~0ull;
    if ((step->observed & ~all) != 0) {
        return refuse(p, "`observed` has a bit of an agent that there is not");
    }
    p->observed = step->observed != 0 ? step->observed : all;
    p->observed_count = step->observed != 0 ? (uint32_t)__builtin_popcountll(step->observed) : p->agents;
    p->observation_rows = step->observation_rows != 0 ? step->observation_rows : p->count;
    find_pieces(p);
    p->streams = step->places == NULL && p->count * p->observed_count * kind.size * sizeof(float) > STREAMED;
    if (step->places == NULL ? p->observation_rows < p->count : !within(step->places, p->count, p->observation_rows)) {
        return refuse(p, "`observation_rows` are fewer than are written");
    }
    return CAROM_OK;
}

static carom_status find_rewarded(play *p)
{
    const uint32_t each = carom_game_rewarded(p->game, p->step->reward_kind);
    p->rewarded = p->game->info.players * each;
    return each != 0 ? CAROM_OK : refuse(p, "there is no such kind of reward");
}

bool carom_play_takes_dt(const carom_game *game, carom_precision precision, double dt)
{
    const bool f32 = precision == CAROM_F32;
    return dt == 0 || (game->any_dt && dt >= (f32 ? FLT_MIN : DBL_MIN) && dt <= (f32 ? FLT_MAX : DBL_MAX));
}

static carom_status check_ticks(const play *p)
{
    const carom_step *step = p->step;
    if (step->ticks < 1 || step->repeat < 1) {
        return refuse(p, "`ticks` and `repeat` are at least 1");
    }
    if (!carom_play_takes_dt(p->game, p->worlds->desc.precision, step->dt)) {
        return refuse(p, "its ticks have a length of their own, or `dt` is none");
    }
    if (step->action_kind >= p->game->info.action_kinds) {
        return refuse(p, "there is no such kind of action");
    }
    if (step->at_end < CAROM_PLAY_ON || step->at_end > CAROM_AS_MADE) {
        return refuse(p, "`at_end` is none of its values");
    }
    if ((step->events != NULL || step->event_counts != NULL || step->moved != NULL) &&
        (step->repeat > 1 || step->first % CAROM_TILE != 0)) {
        return refuse(p, "recording needs `repeat` 1 and `first` a multiple of 16");
    }
    return CAROM_OK;
}

static void begin_play(play *p, carom_worlds *worlds, const carom_step *step)
{
    memset(p, 0, sizeof *p);
    p->worlds = worlds;
    p->step = step;
    p->game = worlds->desc.game;
    p->kernel = p->game->kernel(worlds->desc.isa, worlds->desc.precision);
    p->exchange = carom_exchange(worlds->desc.isa);
}

carom_status carom_play_ask_parents(play *p, const carom_worlds *parents, const size_t *from)
{
    if (parents == p->worlds) {
        return refuse(p, "the parents are the children's own batch");
    }
    if (!carom_worlds_are_alike(p->worlds, parents)) {
        return CAROM_ERROR_ARGUMENT;
    }
    for (size_t w = 0; w < p->count; w++) {
        if ((from != NULL ? from[w] : p->first + w) >= parents->desc.count) {
            return refuse(p, "`from` names a world that the parents' batch does not have");
        }
    }
    p->parents = parents;
    p->from = from;
    return CAROM_OK;
}

carom_status carom_play_ask(play *p, carom_worlds *worlds, const carom_step *step)
{
    begin_play(p, worlds, step);
    carom_status status = check_ticks(p);
    status = status == CAROM_OK ? find_worlds(p) : status;
    status = status == CAROM_OK ? find_kinds(p) : status;
    status = status == CAROM_OK ? find_actors(p) : status;
    status = status == CAROM_OK ? find_observed(p) : status;
    status = status == CAROM_OK ? find_rewarded(p) : status;
    if (status != CAROM_OK) {
        return status;
    }
    p->at_end = step->at_end == CAROM_AS_MADE ? worlds->desc.at_end : step->at_end;
    p->action_rows = step->action_rows != 0 ? step->action_rows : p->count;
    if (step->rows == NULL ? p->action_rows < p->count : !within(step->rows, p->count, p->action_rows)) {
        return refuse(p, "`action_rows` are fewer than are read");
    }
    return CAROM_OK;
}

carom_status carom_play_ask_seen(play *p, carom_worlds *worlds, const carom_step *step)
{
    begin_play(p, worlds, step);
    carom_status status = find_worlds(p);
    status = status == CAROM_OK ? find_observed(p) : status;
    if (status == CAROM_OK && step->observations == NULL) {
        status = refuse(p, "there is no array for its observations");
    }
    return status;
}
