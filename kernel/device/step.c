/* SPDX-License-Identifier: MIT
 * Steps as launches. A step becomes a task (tick/one.h), passed by value, for the simplest entry that supports all that
 * it requests. With policies each tick is two launches: they act, then the worlds play. Nothing is allocated, and
 * nothing waits.
 */
#include "device/step.h"

#include <assert.h>
#include <string.h>

#include "base/progress.h"

static_assert(sizeof(one_step_task) <= ONE_TASK_BYTES && sizeof(one_act_task) <= ONE_TASK_BYTES, "passed by value");

/* Bytes of a world's row of staged actions, at most: see drive.world_bytes. */
static size_t staged_bytes(const carom_game *game)
{
    return carom_game_most_row_bytes(game) * (game->mixes ? game->info.players : 1);
}

size_t carom_device_step_bytes(const carom_game *game)
{
    return staged_bytes(game) + sizeof(uint8_t); /* the latter: one_step_task.over */
}

/* ---- tasks ---- */

/* Sets the sources of the numbers of a world's row that policies do not write. */
static void bind_given(one_step_task *task, const play *p)
{
    const carom_step *step = p->step;
    const uint32_t players = p->d.game->info.players;
    uint32_t sharing = 0, before = 0; /* players whose numbers are in the step's array: all; those before */
    for (uint32_t player = 0; player < players; player++) {
        sharing += step->players[player].source == CAROM_GIVEN && !carom_drive_has_own(step, player);
    }

    for (uint32_t player = 0; player < players; player++) {
        const carom_source source = step->players[player].source;
        const carom_action_kind *kind = &p->d.game->kinds[p->d.kinds[player]];
        const uint32_t bytes = kind->size * (uint32_t)kind->precision / 8;
        const bool own = carom_drive_has_own(step, player), shares = source == CAROM_GIVEN && !own;
        one_given given = {NULL, 0, bytes, (uint32_t)p->d.actions_at[player] + player * bytes};
        if (own) {
            given.actions = (const unsigned char *)step->players[player].actions;
            given.row_bytes = bytes;
        } else if (shares && step->actions != NULL) {
            given.actions = (const unsigned char *)step->actions + (size_t)before * bytes;
            given.row_bytes = (uint64_t)sharing * bytes;
        }
        before += shares;
        if (source != CAROM_POLICY) {
            task->given[task->given_count++] = given;
        }
    }
}

/* Sets where the rows of actions are: in the caller's array if the rules can read them there as they are. */
static void bind_actions(one_step_task *task, const device_target *target, const play *p)
{
    const drive *d = &p->d;
    task->kind = d->kind;
    task->action_bytes = d->world_bytes;
    task->action_rows = p->action_rows;
    task->rows = p->step->rows;
    for (uint32_t player = 0; player < d->game->info.players; player++) {
        task->kinds[player] = d->kinds[player];
        task->actions_at[player] = (uint32_t)d->actions_at[player];
    }

    const play_given *all = &p->given[0];
    if (p->given_count == 1 && all->at == 0 && all->row_bytes == d->world_bytes &&
        (size_t)all->numbers * all->number_bytes == d->world_bytes) {
        task->actions = all->actions;
        return;
    }
    task->staged = target->scratch;
    bind_given(task, p);
}

uint32_t carom_device_pieces(const drive *d, size_t kind, one_piece *pieces)
{
    /* Kind 0, `raw`, is what the rules write unless they share numbers among players, which saves nothing here. */
    const observation_kind *kinds = d->game->observations;
    const bool ordered = kind == 0 || kinds == NULL || kinds[kind].pieces == NULL;
    if (ordered && d->width == d->agents * d->agent_size) {
        return 0;
    }
    for (uint32_t k = 0; k < d->piece_count; k++) {
        const transpose_piece *piece = &d->pieces[k];
        const uint32_t twin = piece->twin == TRANSPOSE_ONCE ? ONE_ONCE : (uint32_t)piece->twin;
        pieces[k] = (one_piece){piece->from, piece->count, (uint32_t)piece->at, twin};
    }
    return d->piece_count;
}

/* Sets where observations go. */
static void bind_seen(one_step_task *task, const play *p)
{
    const drive *d = &p->d;
    const carom_step *step = p->step;
    task->observations = step->observations;
    task->last_observations = step->last_observations;
    task->width = d->width;
    task->observation_rows = p->observation_rows;
    task->places = step->places;
    task->view = d->view;
    task->piece_count = carom_device_pieces(d, step->observation_kind, task->pieces);
    task->shared = task->piece_count != 0 && d->shared;
}

/* The members that all tasks of a step have. */
static void bind_worlds(one_step_task *task, const device_target *target, const play *p)
{
    memset(task, 0, sizeof *task);
    task->threads = p->count;
    task->batch = target->batch;
    task->first = p->first;
    task->part = ONE_FIRST | ONE_LAST;
    bind_seen(task, p);
}

static void bind_step(one_step_task *task, const device_target *target, const play *p, const void *parents)
{
    const carom_step *step = p->step;
    bind_worlds(task, target, p);
    bind_actions(task, target, p);
    task->end = step->ticks;
    task->repeat = step->repeat;
    task->at_end = p->at_end;
    task->reward_kind = p->d.reward_kind;
    task->rewarded = p->d.rewarded;
    task->rewards = step->rewards;
    task->ends = step->ends;
    task->results = step->results;
    task->played = (unsigned char *)step->played;
    task->skip = step->skip;
    task->over = target->scratch + target->places * staged_bytes(p->d.game);
    if (parents != NULL) {
        task->parents = parents;
        task->parent_count = p->parents->desc.count;
        task->from = p->from;
    }
}

/* The actions of policies, which are written next to the staged ones. */
static void bind_actors(one_act_task *task, const device_target *target, const play *p)
{
    const drive *d = &p->d;
    const carom_action_kind *kind = &d->game->kinds[d->actors.kind];
    memset(task, 0, sizeof *task);
    task->threads = p->count;
    task->batch = target->batch;
    task->first = p->first;
    task->precision = p->worlds->desc.precision;
    task->kind = (uint32_t)d->actors.kind;
    task->players = d->actors.players;
    task->player_bytes = kind->size * (uint32_t)kind->precision / 8;
    for (uint32_t player = 0; player < d->game->info.players; player++) {
        task->policy[player] = (uint32_t)d->actors.policy[player];
    }
    task->rows = target->scratch + d->policy_at;
    task->row_bytes = d->world_bytes;
}

/* ---- launches ---- */

/* The simplest entry that plays a task, see tick/one.h. */
static const char *entry_for(const one_step_task *task)
{
    if (task->staged != NULL || task->repeat > 1 || task->last_observations != NULL || task->results != NULL ||
        task->played != NULL || task->piece_count != 0 || task->parents != NULL) {
        return "staged";
    }
    const bool outputs = task->observations != NULL || task->rewards != NULL || task->ends != NULL;
    return outputs || task->skip != NULL ? "step" : "play";
}

static carom_status launch_step(const device_target *target, one_step_task *task)
{
    return target->launch(target, entry_for(task), task, sizeof *task, task->threads);
}

/* Plays a tick of a step: policies act, then the worlds play. */
static carom_status play_tick(const device_target *target, const play *p, one_step_task *task)
{
    one_act_task act;
    bind_actors(&act, target, p);
    const carom_status status = target->launch(target, "act", &act, sizeof act, act.threads);
    return status == CAROM_OK ? launch_step(target, task) : status;
}

/* Plays all steps tick by tick, since policies act before each tick. */
static carom_status play_ticks(const device_target *target, const play *p, one_step_task *task)
{
    const carom_step *step = p->step;
    carom_status status = CAROM_OK;

    /* Policies must see the worlds as copies of their parents. */
    if (task->parents != NULL) {
        task->end = 0;
        status = launch_step(target, task);
        task->parents = NULL;
        task->from = NULL;
    }

    task->repeat = 1;
    for (size_t number = 0; number < step->ticks && status == CAROM_OK; number++) {
        if (progress_cancelled(step->cancel)) {
            return CAROM_ERROR_CANCELLED;
        }
        task->begin = number;
        task->end = number + 1;
        for (size_t k = 0; k < step->repeat && status == CAROM_OK; k++) {
            task->part = (k == 0 ? ONE_FIRST : 0u) | (k == step->repeat - 1 ? ONE_LAST : 0u);
            status = play_tick(target, p, task);
        }
        progress_add(step->progress, p->count);
    }
    return status;
}

carom_status carom_device_play_on(const device_target *target, const play *p, const void *parents)
{
    one_step_task task;
    bind_step(&task, target, p, parents);
    if (p->d.actors.players != 0) {
        return play_ticks(target, p, &task);
    }

    /* One launch plays all steps, so that a world is read and written once. */
    if (progress_cancelled(p->step->cancel)) {
        return CAROM_ERROR_CANCELLED;
    }
    const carom_status status = launch_step(target, &task);
    progress_add(p->step->progress, p->count * p->step->ticks);
    return status;
}

carom_status carom_device_observe_on(const device_target *target, const play *p)
{
    one_step_task task;
    bind_worlds(&task, target, p);
    return target->launch(target, "observe", &task, sizeof task, task.threads);
}
