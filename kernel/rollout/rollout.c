/* SPDX-License-Identifier: MIT
 * Rollouts: K futures of every root. The pairs (root, k) are numbered q = root * K + k and cut into runs of tiles,
 * which are what threads take; lane l of tile t of a run holds one q. A run lives in its thread's scratch from the fork
 * to the returns. finals have the same numbering, so a run's last state is copied there tile by tile.
 */
#include <carom/rollout.h>

#include <math.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/random.h"
#include "exchange/exchange.h"
#include "games/game.h"
#include "worlds/layout.h"

carom_rollout_desc carom_rollout_desc_default(const carom_game *game)
{
    carom_rollout_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.size = sizeof desc;
    desc.sequences = 1;
    desc.horizon = 1;
    desc.discount = 1;
    desc.final_weight = 1;
    (void)carom_game_find_action_kind(game, "normalised", &desc.action_kind);
    return desc;
}

typedef struct rollout {
    const carom_worlds *roots;
    const carom_rollout_desc *desc;
    const carom_game *game;
    const game_kernel *kernel;
    const exchange_kernel *exchange;
    carom_action_kind kind;
    uint32_t players;
    game_actors actors; /* players whom built-in policies play */
    size_t total;       /* roots x K */
    size_t run;         /* tiles */
    double *returns;    /* [q][player] */
    carom_worlds *finals;
    unsigned char *scratch;
    size_t scratch_bytes; /* of a thread */
} rollout;

/* A thread's working memory. */
typedef struct rollout_buffers {
    unsigned char *kernel, *tiles, *actions;
    unsigned char *row;    /* actions of a world */
    double *sums, *values; /* [tile of the run][player][16] */
    float *rewards;
} rollout_buffers;

/* Lays the buffers out from `scratch`; returns their size, which is all that is of use for NULL. */
static size_t lay_out(const rollout *r, unsigned char *scratch, rollout_buffers *buffers)
{
    const size_t lanes = r->run * CAROM_TILE * r->players;
    const size_t sizes[] = {memory_aligned(carom_game_kernel_bytes(r->game)),
                            r->run * r->roots->layout.tile_bytes,
                            memory_aligned(lanes * r->kind.size * (r->kind.precision / 8)),
                            lanes * sizeof(double),
                            lanes * sizeof(double),
                            lanes * sizeof(float),
                            memory_aligned(carom_game_most_row_bytes(r->game))};
    unsigned char *at[7] = {NULL};
    size_t used = 0;
    for (size_t k = 0; k < 7; k++) {
        at[k] = scratch != NULL ? scratch + used : NULL;
        used += sizes[k];
    }
    buffers->kernel = at[0];
    buffers->tiles = at[1];
    buffers->actions = at[2];
    buffers->sums = (double *)(void *)at[3];
    buffers->values = (double *)(void *)at[4];
    buffers->rewards = (float *)(void *)at[5];
    buffers->row = at[6];
    return used;
}

/* Root and sequence of lane `lane` of tile `tile` (of all); beyond the end the last pair stands in. */
static size_t pair_of(const rollout *r, size_t tile, size_t lane)
{
    const size_t q = tile * CAROM_TILE + lane;
    return q < r->total ? q : r->total - 1;
}

static const void *root_tile(const rollout *r, size_t root)
{
    return carom_worlds_tile(r->roots, root / CAROM_TILE);
}

static void fork_tile(const rollout *r, size_t tile, unsigned char *to)
{
    const world_layout *layout = &r->roots->layout;
    const size_t k = r->desc->sequences;
    size_t first = pair_of(r, tile, 0) / k, last = pair_of(r, tile, CAROM_TILE - 1) / k;
    carom_tile_broadcast(layout, to, root_tile(r, first), (unsigned)(first % CAROM_TILE));
    for (size_t lane = 0; lane < CAROM_TILE && first != last; lane++) {
        size_t root = pair_of(r, tile, lane) / k;
        carom_tile_copy_lane(layout, to, (unsigned)lane, root_tile(r, root), (unsigned)(root % CAROM_TILE));
    }
    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        if (tile * CAROM_TILE + lane >= r->total) {
            carom_tile_freeze(layout, to, (unsigned)lane);
        }
    }
}

/* The actions of one tick of one tile, lane-major, players one after the other. state: the tile as it is. */
static void set_actions(const rollout *r, size_t tile, size_t tick, const unsigned char *state,
                        const rollout_buffers *buffers, unsigned char *lanes)
{
    const carom_rollout_desc *desc = r->desc;
    const size_t row = (size_t)r->kind.size * (r->kind.precision / 8);
    for (uint32_t p = 0; p < r->players; p++) {
        unsigned char *to = lanes + (size_t)p * row * CAROM_TILE;
        const carom_source source = desc->players[p].source;
        if (source == CAROM_DRAWN) {
            uint64_t ids[CAROM_TILE];
            uint32_t sequences[CAROM_TILE];
            for (size_t lane = 0; lane < CAROM_TILE; lane++) {
                size_t q = pair_of(r, tile, lane), root = q / desc->sequences;
                ids[lane] = carom_tile_get_id(&r->roots->layout, root_tile(r, root), (unsigned)(root % CAROM_TILE));
                sequences[lane] = (uint32_t)(q % desc->sequences);
            }
            r->exchange->draw((float *)(void *)to, desc->seed, ids, sequences, (uint32_t)tick, p, r->kind.size);
        } else if (source == CAROM_ZERO) {
            memset(to, 0, row * CAROM_TILE);
        } else if (source != CAROM_POLICY) {
            const void *rows[CAROM_TILE];
            for (size_t lane = 0; lane < CAROM_TILE; lane++) {
                size_t q = pair_of(r, tile, lane);
                size_t series = source == CAROM_GIVEN ? q : q / desc->sequences;
                rows[lane] = (const unsigned char *)desc->players[p].actions + (series * desc->horizon + tick) * row;
            }
            r->exchange->pack(to, rows, r->kind.size, r->kind.precision / 8);
        }
    }
    if (r->actors.players != 0) {
        carom_game_act(r->roots, &r->actors, state, (1u << CAROM_TILE) - 1, lanes, buffers->row);
    }
}

/* The final states of one tile; each keeps the id of its place. */
static void keep_finals(const rollout *r, size_t tile, const unsigned char *from)
{
    const world_layout *layout = &r->finals->layout;
    void *to = carom_worlds_tile(r->finals, tile);
    for (size_t lane = 0; lane < CAROM_TILE && tile * CAROM_TILE + lane < r->total; lane++) {
        uint64_t id = carom_tile_get_id(layout, to, (unsigned)lane);
        carom_tile_copy_lane(layout, to, (unsigned)lane, from, (unsigned)lane);
        carom_tile_set_id(layout, to, (unsigned)lane, id);
    }
}

static void finish_tile(const rollout *r, size_t tile, size_t t, const rollout_buffers *buffers, double weight)
{
    const world_layout *layout = &r->roots->layout;
    const unsigned char *state = buffers->tiles + t * layout->tile_bytes;
    for (size_t lane = 0; lane < CAROM_TILE && tile * CAROM_TILE + lane < r->total && r->returns != NULL; lane++) {
        const int8_t *fault = (const int8_t *)field_in(&layout->fields[FIELD_fault], state, (unsigned)lane);
        for (uint32_t p = 0; p < r->players; p++) {
            size_t at = (t * r->players + p) * CAROM_TILE + lane;
            r->returns[(tile * CAROM_TILE + lane) * r->players + p] =
                *fault != 0 ? -INFINITY : buffers->sums[at] + weight * buffers->values[at];
        }
    }
    if (r->finals != NULL) {
        keep_finals(r, tile, state);
    }
}

static void roll_run(void *argument, size_t item, unsigned thread)
{
    const rollout *r = (const rollout *)argument;
    const carom_rollout_desc *desc = r->desc;
    if (progress_cancelled(desc->cancel)) {
        return;
    }
    rollout_buffers buffers;
    (void)lay_out(r, r->scratch + thread * r->scratch_bytes, &buffers);
    const size_t all = (r->total + CAROM_TILE - 1) / CAROM_TILE, first = item * r->run;
    const size_t tiles = all - first < r->run ? all - first : r->run;
    const size_t tile_bytes = r->roots->layout.tile_bytes, lanes = (size_t)r->players * CAROM_TILE;
    const size_t action_bytes = lanes * r->kind.size * (r->kind.precision / 8);
    game_tick tick;
    memset(&tick, 0, sizeof tick);
    tick.tiles = buffers.tiles;
    tick.tile_count = tiles;
    tick.first = first * CAROM_TILE;
    tick.lanes = (1u << CAROM_TILE) - 1;
    tick.worlds = r->total - tick.first < tiles * CAROM_TILE ? r->total - tick.first : tiles * CAROM_TILE;
    tick.context = r->roots->context;
    tick.seed = r->roots->desc.seed;
    tick.at_end = CAROM_FREEZE;
    tick.kind = (uint32_t)desc->action_kind;
    tick.actions = buffers.actions;
    tick.action_bytes = action_bytes / CAROM_TILE;
    tick.scratch = buffers.kernel;
    tick.cancel = desc->cancel;
    tick.rewards = buffers.rewards;
    for (size_t t = 0; t < tiles; t++) {
        fork_tile(r, first + t, buffers.tiles + t * tile_bytes);
    }
    memset(buffers.sums, 0, tiles * lanes * sizeof(double));
    double weight = 1;
    for (size_t number = 0; number < desc->horizon; number++) {
        if (progress_cancelled(desc->cancel)) {
            return;
        }
        for (size_t t = 0; t < tiles; t++) {
            set_actions(r, first + t, number, buffers.tiles + t * tile_bytes, &buffers,
                        buffers.actions + t * action_bytes);
        }
        r->kernel->tick(&tick);
        if (progress_cancelled(desc->cancel)) {
            return;
        }
        for (size_t k = 0; k < tiles * lanes; k++) {
            buffers.sums[k] += weight * (double)buffers.rewards[k];
        }
        weight *= desc->discount;
    }
    r->kernel->value(&tick, buffers.values);
    for (size_t t = 0; t < tiles; t++) {
        finish_tile(r, first + t, t, &buffers, weight * desc->final_weight);
    }
    progress_add(desc->progress, tick.worlds);
}

/* best[root][player]: the lowest k of the greatest return. */
static void choose_best(const rollout *r, uint32_t *best)
{
    const size_t sequences = r->desc->sequences;
    for (size_t root = 0; root < r->roots->desc.count; root++) {
        const double *returns = r->returns + root * sequences * r->players;
        for (uint32_t p = 0; p < r->players; p++) {
            size_t chosen = 0;
            for (size_t k = 1; k < sequences; k++) {
                chosen = returns[k * r->players + p] > returns[chosen * r->players + p] ? k : chosen;
            }
            best[root * r->players + p] = (uint32_t)chosen;
        }
    }
}

static bool is_fraction(double x)
{
    return x >= 0 && x <= 1; /* false for NaN */
}

static game_actors actors_of(const carom_game *game, const carom_rollout_desc *desc)
{
    game_actors actors;
    memset(&actors, 0, sizeof actors);
    actors.kind = desc->action_kind;
    for (uint32_t p = 0; p < game->info.players; p++) {
        actors.players |= (unsigned)(desc->players[p].source == CAROM_POLICY) << p;
        actors.policy[p] = desc->players[p].policy;
    }
    return actors;
}

static carom_status check(const carom_worlds *roots, const carom_rollout_desc *desc, const double *returns,
                          const uint32_t *best, const carom_worlds *finals, size_t *total)
{
    if (roots == NULL || desc == NULL || desc->size != sizeof *desc || desc->sequences < 1 || desc->horizon < 1 ||
        desc->sequences > UINT32_MAX || desc->horizon > UINT32_MAX || !is_fraction(desc->discount) ||
        !(fabs(desc->final_weight) < INFINITY) || (returns == NULL && best == NULL && finals == NULL) ||
        desc->action_kind >= roots->desc.game->info.action_kinds) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_game *game = roots->desc.game;
    size_t numbers;
    if (!size_multiply(roots->desc.count, desc->sequences, total) || *total > SIZE_MAX / 1024 ||
        !size_multiply(*total, desc->horizon, &numbers)) {
        return CAROM_ERROR_ARGUMENT;
    }
    for (uint32_t p = 0; p < game->info.players; p++) {
        const carom_source source = desc->players[p].source;
        bool drawn = source == CAROM_DRAWN && strcmp(game->kinds[desc->action_kind].name, "normalised") == 0;
        bool given = (source == CAROM_GIVEN || source == CAROM_BROADCAST) && desc->players[p].actions != NULL;
        bool played = source == CAROM_POLICY && desc->players[p].policy < game->info.policies;
        if (!drawn && !given && !played && source != CAROM_ZERO) {
            return CAROM_ERROR_ARGUMENT;
        }
    }
    if (finals != NULL && (finals == roots || finals->desc.count != *total || finals->content != roots->content)) {
        return CAROM_ERROR_ARGUMENT;
    }
    return CAROM_OK;
}

carom_status carom_rollout(const carom_worlds *roots, const carom_rollout_desc *desc, double *returns, uint32_t *best,
                           carom_worlds *finals)
{
    rollout r;
    carom_status status = check(roots, desc, returns, best, finals, &r.total);
    if (status != CAROM_OK) {
        return status;
    }
    const carom_game *game = roots->desc.game;
    const size_t tiles = (r.total + CAROM_TILE - 1) / CAROM_TILE;
    r.roots = roots;
    r.desc = desc;
    r.game = game;
    r.kernel = game->kernel(roots->desc.isa, roots->desc.precision);
    r.exchange = carom_exchange(roots->desc.isa);
    r.kind = game->kinds[desc->action_kind];
    r.players = game->info.players;
    r.actors = actors_of(game, desc);
    r.run = game->large ? 1 : carom_game_run_length(tiles, roots->desc.threads);
    const size_t runs = (tiles + r.run - 1) / r.run;
    const unsigned threads = runs < roots->desc.threads ? (unsigned)runs : roots->desc.threads;
    r.returns = returns;
    r.finals = finals;
    r.scratch = NULL;
    rollout_buffers buffers;
    r.scratch_bytes = lay_out(&r, NULL, &buffers);
    double *own = NULL;
    if (returns == NULL && best != NULL) {
        own = (double *)carom_memory_take(r.total * r.players * sizeof *own);
        r.returns = own;
    }
    r.scratch = (unsigned char *)carom_memory_take(threads * r.scratch_bytes);
    if (r.scratch == NULL || (r.returns == NULL && best != NULL)) {
        carom_memory_release(own);
        carom_memory_release(r.scratch);
        return CAROM_ERROR_MEMORY;
    }
    carom_parallel_for(threads, runs, roll_run, &r);
    if (progress_cancelled(desc->cancel)) {
        status = CAROM_ERROR_CANCELLED;
    } else if (best != NULL) {
        choose_best(&r, best);
    }
    carom_memory_release(own);
    carom_memory_release(r.scratch);
    return status;
}

carom_status carom_rollout_draw(const carom_game *game, uint64_t seed, uint64_t root_id, uint32_t k, uint32_t tick,
                                uint32_t player, float *actions)
{
    size_t index = 0;
    if (game == NULL || actions == NULL || player >= game->info.players ||
        carom_game_find_action_kind(game, "normalised", &index) != CAROM_OK) {
        return CAROM_ERROR_ARGUMENT;
    }
    random_rollout(seed, root_id, k, tick, player, game->kinds[index].size, actions);
    return CAROM_OK;
}

carom_status carom_rollout_best(const carom_worlds *roots, const carom_rollout_desc *desc, unsigned player,
                                void *actions, uint32_t *best, double *value)
{
    size_t total;
    uint32_t none;
    carom_status status = check(roots, desc, NULL, &none, NULL, &total);
    if (status != CAROM_OK || actions == NULL || player >= roots->desc.game->info.players) {
        return status != CAROM_OK ? status : CAROM_ERROR_ARGUMENT;
    }
    const carom_game *game = roots->desc.game;
    const carom_action_kind *kind = &game->kinds[desc->action_kind];
    const size_t players = game->info.players, row = (size_t)kind->size * (kind->precision / 8);
    double *returns = (double *)carom_memory_take(total * players * sizeof *returns);
    uint32_t *chosen = (uint32_t *)carom_memory_take(roots->desc.count * players * sizeof *chosen);
    status = returns == NULL || chosen == NULL ? CAROM_ERROR_MEMORY : carom_rollout(roots, desc, returns, chosen, NULL);
    const carom_source source = desc->players[player].source;
    unsigned char *played = NULL; /* [root][player][number] */
    if (status == CAROM_OK && source == CAROM_POLICY) {
        played = (unsigned char *)carom_memory_take(roots->desc.count * players * row);
        status = played == NULL ? CAROM_ERROR_MEMORY
                                : carom_worlds_policy(roots, desc->players[player].policy, desc->action_kind, played);
    }
    for (size_t root = 0; root < roots->desc.count && status == CAROM_OK; root++) {
        const uint32_t k = chosen[root * players + player];
        unsigned char *to = (unsigned char *)actions + root * row;
        if (source == CAROM_DRAWN) {
            const uint64_t id = carom_tile_get_id(&roots->layout, root_tile(&(rollout){.roots = roots}, root),
                                                  (unsigned)(root % CAROM_TILE));
            (void)carom_rollout_draw(game, desc->seed, id, k, 0, player, (float *)(void *)to);
        } else if (source == CAROM_POLICY) {
            memcpy(to, played + (root * players + player) * row, row);
        } else if (source == CAROM_ZERO) {
            memset(to, 0, row);
        } else {
            size_t series = source == CAROM_GIVEN ? root * desc->sequences + k : root;
            memcpy(to, (const unsigned char *)desc->players[player].actions + series * desc->horizon * row, row);
        }
        if (best != NULL) {
            best[root] = k;
        }
        if (value != NULL) {
            value[root] = returns[(root * desc->sequences + k) * players + player];
        }
    }
    carom_memory_release(played);
    carom_memory_release(returns);
    carom_memory_release(chosen);
    return status;
}
