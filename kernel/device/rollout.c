/* SPDX-License-Identifier: MIT
 * Rollouts on a device: turns a carom_rollout_desc into tasks of the programs tick/one_rollout.h and tick/one_plan.h,
 * and queues them. Without built-in policies a rollout is one launch, in which each thread plays a sequence from the
 * fork to its return. Policies are separate programs: the worlds are then kept in the batch's scratch, as many as fit
 * at a time, and the two programs alternate, tick by tick.
 */
#include "device/rollout.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "device/batch.h"
#include "device/step.h"
#include "worlds/layout.h"

/* ---- tasks ---- */

void carom_device_numbers(const rollout *r, uint32_t player, one_numbers *numbers)
{
    const carom_rollout_desc *desc = &r->desc;
    const bool bred = r->bred.origins != NULL && player == r->bred.player;
    memset(numbers, 0, sizeof *numbers);
    numbers->source = (uint32_t)desc->players[player].source;
    numbers->player = player;
    numbers->size = r->kind.size;
    numbers->rows = (uint32_t)r->rows[player];
    numbers->hold = desc->players[player].hold < UINT32_MAX ? (uint32_t)desc->players[player].hold : UINT32_MAX;
    numbers->wide = r->kind.precision == CAROM_F64;
    numbers->seed = desc->seed;
    numbers->sequences = desc->sequences;
    numbers->actions = desc->players[player].actions;
    numbers->mean = desc->players[player].mean;
    numbers->sigma = desc->players[player].sigma;
    numbers->low = desc->players[player].low;
    numbers->high = desc->players[player].high;
    numbers->origins = bred ? r->bred.origins : NULL;
    numbers->named = bred ? r->bred.named : 0;
    numbers->pool = bred ? r->bred.pool : 1;
    numbers->threshold = bred ? r->bred.threshold : 0;
}

/* Describes a rollout, except for the ticks of one launch and what is kept between launches. */
static void describe(const rollout *r, uint32_t *lengths, one_rollout_task *task)
{
    static_assert(ONE_WEIGHTS == GAME_MOST_WEIGHTS && ONE_MOST_PIECES == OBSERVATION_PIECES, "the same bounds");
    static_assert(sizeof *task <= ONE_TASK_BYTES, "a task is passed by value");
    const carom_rollout_desc *desc = &r->desc;
    const carom_worlds *roots = r->roots;
    const struct device_batch *batch = roots->device;
    memset(task, 0, sizeof *task);
    task->sequences = desc->sequences;
    task->horizon = (uint32_t)desc->horizon;
    task->value_at_end = desc->value_at_end;
    task->kind = r->d.kind;
    task->action_bytes = (uint32_t)r->d.world_bytes;
    task->reward_kind = r->d.reward_kind;
    task->rewarded = r->d.rewarded;
    task->value = (uint32_t)desc->value;
    task->context = batch->context;
    task->roots = batch->tiles;
    task->seeds = roots->seeds != NULL ? batch->seeds : NULL;
    task->seed = roots->desc.seed;
    task->horizons = desc->horizons;
    task->chosen = r->chosen;
    task->depths = desc->depths;
    task->depth_count = desc->depth_count;
    task->discount = desc->discount;
    task->reward_weight = desc->reward_weight;
    task->final_weight = desc->final_weight;
    task->weights = desc->value != 0 ? desc->weights : NULL;
    task->weight_count = desc->value != 0 ? (uint32_t)r->d.game->values[desc->value - 1].count : 0;
    memcpy(task->own_weights, r->weights, sizeof r->weights);
    for (uint32_t p = 0; p < r->players; p++) {
        carom_device_numbers(r, p, &task->players[p]);
    }
    task->seen.view = r->d.view;
    task->seen.width = r->d.width;
    task->seen.piece_count = carom_device_pieces(&r->d, desc->observation_kind, task->seen.pieces);
    task->seen.shared = task->seen.piece_count != 0 && r->d.shared;

    /* Outputs. */
    task->returns = r->returns;
    task->rewards = desc->rewards;
    task->observations = desc->observations;
    task->lengths = lengths;
    task->valued = (uint8_t *)r->valued;
    task->finals = r->finals != NULL ? r->finals->device->tiles : NULL;
}

/* ---- the launches of a rollout ---- */

/* What the batch's scratch keeps for each world. */
typedef struct kept {
    unsigned char *state, *acted;
    uint64_t *seeds;
    double *sums;
    float *room;
} kept;

/* Computes the addresses for `pairs` worlds, a multiple of 16, and returns the bytes. */
static size_t lay_out(const rollout *r, const one_rollout_task *task, unsigned char *scratch, size_t pairs, kept *to)
{
    const bool acts = r->d.actors.players != 0, seen = task->seen.piece_count != 0 && task->depth_count != 0;
    size_t used = 0;
    to->state =
        (unsigned char *)memory_part(scratch, &used, acts ? pairs / CAROM_TILE * r->roots->layout.tile_bytes : 0);
    to->acted = (unsigned char *)memory_part(scratch, &used, acts ? pairs * task->action_bytes : 0);
    to->seeds = (uint64_t *)memory_part(scratch, &used, acts ? pairs * sizeof(uint64_t) : 0);
    to->sums = (double *)memory_part(scratch, &used, acts ? pairs * task->rewarded * sizeof(double) : 0);
    to->room = (float *)memory_part(scratch, &used, seen ? pairs * carom_game_most_seen(r->d.game) * sizeof(float) : 0);
    return used;
}

/* Queues the ticks [from, from + ticks) of the task's pairs. */
static carom_status play_ticks(const rollout *r, one_rollout_task *task, size_t pairs, uint32_t from, uint32_t ticks)
{
    task->from = from;
    task->ticks = ticks;
    task->ends = from + ticks == task->horizon;
    const bool plain = r->d.actors.players == 0 && task->depth_count == 0 && task->rewards == NULL &&
                       task->finals == NULL && task->value == 0 && task->rewarded == r->players;
    return carom_device_launch(r->roots, r->desc.stream, plain ? "roll" : "rollout", task, sizeof *task, pairs);
}

/* Queues the policies' actions for the next tick of the kept worlds. */
static carom_status act(const rollout *r, const one_rollout_task *task, size_t pairs)
{
    one_act_task asked;
    memset(&asked, 0, sizeof asked);
    asked.batch.tiles = task->state;
    asked.batch.context = task->context;
    asked.batch.seeds = task->state_seeds;
    asked.batch.seed = task->seed;
    asked.batch.worlds = pairs;
    asked.precision = r->roots->desc.precision;
    asked.kind = task->kind;
    asked.players = r->d.actors.players;
    for (uint32_t p = 0; p < r->players; p++) {
        asked.policy[p] = (uint32_t)r->d.actors.policy[p];
    }
    asked.player_bytes = task->action_bytes / r->players;
    asked.rows = (unsigned char *)(uintptr_t)task->acted;
    asked.row_bytes = task->action_bytes;
    return carom_device_launch(r->roots, r->desc.stream, "act", &asked, sizeof asked, pairs);
}

/* Queues the whole rollout of the task's pairs, with policies: forks them, then alternates policies and rollout. */
static carom_status play_with_policies(const rollout *r, one_rollout_task *task, size_t pairs)
{
    task->forks = 1;
    carom_status status = play_ticks(r, task, pairs, 0, 0);
    task->forks = 0;
    for (uint32_t tick = 0; tick < task->horizon && status == CAROM_OK; tick++) {
        status = act(r, task, pairs);
        status = status == CAROM_OK ? play_ticks(r, task, pairs, tick, 1) : status;
    }
    return status;
}

carom_status carom_device_roll(const rollout *r, uint32_t *lengths)
{
    const struct device_batch *batch = r->roots->device;
    const bool acts = r->d.actors.players != 0;
    one_rollout_task task;
    describe(r, lengths, &task);
    if (!acts && (task.depth_count == 0 || task.seen.piece_count == 0)) {
        task.forks = 1;
        return play_ticks(r, &task, r->total, 0, task.horizon);
    }

    /* As many pairs at a time as fit in the scratch. */
    kept to;
    size_t pairs = (r->total + CAROM_TILE - 1) / CAROM_TILE * CAROM_TILE;
    while (lay_out(r, &task, batch->scratch, pairs, &to) > batch->scratch_bytes) {
        if (pairs == CAROM_TILE) {
            return carom_device_refuse(r->roots, CAROM_ERROR_MEMORY,
                                       "%s: the batch's scratch is too small for this rollout", r->d.game->info.name);
        }
        pairs = (pairs / 2 + CAROM_TILE - 1) / CAROM_TILE * CAROM_TILE;
    }
    task.state = to.state;
    task.acted = to.acted;
    task.state_seeds = to.seeds;
    task.sums = to.sums;
    task.seen.room = to.room;

    carom_status status = CAROM_OK;
    for (size_t first = 0; first < r->total && status == CAROM_OK; first += pairs) {
        const size_t count = r->total - first < pairs ? r->total - first : pairs;
        task.first = first;
        task.forks = 1;
        status = acts ? play_with_policies(r, &task, count) : play_ticks(r, &task, count, 0, task.horizon);
    }
    return status;
}

/* ---- rankings ---- */

/* Queues the choice of the best sequence of every root and player. */
static carom_status choose_best(const rollout *r, uint32_t *best)
{
    one_best_task task = {0, r->desc.sequences, r->players, r->returns, best};
    return carom_device_launch_common(r->roots, r->desc.stream, "best", &task, sizeof task,
                                      r->roots->desc.count * r->players);
}

/* Queues the choice of the elites of every root and, if requested, the fit of their distribution. */
static carom_status choose_elites(const rollout *r)
{
    const carom_rollout_desc *desc = &r->desc;
    const size_t roots = r->roots->desc.count, series = r->rows[desc->elites.player] * r->kind.size;
    one_rank_task ranked;
    memset(&ranked, 0, sizeof ranked);
    ranked.sequences = desc->sequences;
    ranked.stride = r->players;
    ranked.count = desc->elites.count;
    ranked.returns = r->returns + desc->elites.player;
    ranked.best = desc->elites.best;
    carom_status status =
        carom_device_launch_common(r->roots, desc->stream, "rank", &ranked, sizeof ranked, roots * desc->sequences);
    if (status != CAROM_OK || (desc->elites.mean == NULL && desc->elites.sigma == NULL)) {
        return status;
    }

    one_fit_task fit;
    memset(&fit, 0, sizeof fit);
    fit.roots = carom_device_plan_roots(r->roots);
    carom_device_numbers(r, desc->elites.player, &fit.numbers);
    fit.count = desc->elites.count;
    fit.best = desc->elites.best;
    fit.mean = desc->elites.mean;
    fit.sigma = desc->elites.sigma;
    return carom_device_launch_common(r->roots, desc->stream, "fit", &fit, sizeof fit, roots * series);
}

one_roots carom_device_plan_roots(const carom_worlds *roots)
{
    const carom_field *fields = roots->layout.fields;
    const one_roots of = {roots->device->tiles, (uint32_t)roots->layout.tile_bytes, (uint32_t)fields[FIELD_id].offset,
                          (uint32_t)fields[FIELD_episode].offset, (uint32_t)fields[FIELD_tick].offset};
    return of;
}

/* ---- carom_rollout, carom_rollout_draws ---- */

/* Does the device support this? If not, notes the reason. */
static carom_status check(const carom_worlds *roots, const carom_rollout_desc *desc, const carom_worlds *finals,
                          bool ranked, const double *returns)
{
    const char *name = roots->desc.game->info.name;
    if (desc->progress != NULL || desc->cancel != NULL) {
        return carom_device_refuse(roots, CAROM_ERROR_UNSUPPORTED,
                                   "%s: rollouts on a device do not support `cancel` and `progress`", name);
    }
    if (ranked && returns == NULL) {
        return carom_device_refuse(roots, CAROM_ERROR_ARGUMENT, "%s: on a device `best` and elites require `returns`",
                                   name);
    }
    if (finals != NULL && (finals->device == NULL || finals->device->unit != roots->device->unit)) {
        return carom_device_refuse(roots, CAROM_ERROR_ARGUMENT, "%s: `finals` must be on the device of the roots",
                                   name);
    }
    return CAROM_OK;
}

carom_status carom_device_rollout(const carom_worlds *roots, const carom_rollout_desc *desc, double *returns,
                                  uint32_t *best, carom_worlds *finals)
{
    const bool ranked = best != NULL || desc->elites.count != 0;
    carom_status status = check(roots, desc, finals, ranked, returns);
    if (status != CAROM_OK) {
        return status;
    }

    rollout r;
    carom_rollout_describe(&r, roots, desc);
    r.returns = returns;
    r.finals = finals;
    status = carom_device_roll(&r, desc->lengths);
    if (status == CAROM_OK && best != NULL) {
        status = choose_best(&r, best);
    }
    if (status == CAROM_OK && desc->elites.count != 0) {
        status = choose_elites(&r);
    }
    return status;
}

carom_status carom_device_draws(const carom_worlds *roots, const carom_rollout_desc *desc, unsigned player,
                                const uint32_t *sequences, size_t count, void *actions)
{
    rollout r;
    carom_rollout_describe(&r, roots, desc);
    one_draws_task task;
    memset(&task, 0, sizeof task);
    task.roots = carom_device_plan_roots(roots);
    carom_device_numbers(&r, player, &task.numbers);
    task.count = count;
    task.sequences = sequences;
    task.actions = actions;
    return carom_device_launch_common(roots, desc->stream, "draws", &task, sizeof task,
                                      roots->desc.count * count * r.rows[player]);
}
