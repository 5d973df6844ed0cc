/* SPDX-License-Identifier: MIT
 * Rolls out one sequence of one root, from the fork to its return, with the same bits as rollout/run.c. The world stays
 * in local variables for the whole horizon.
 *
 * A game may define RULES_ACTION_BYTES: bytes of a player's action in the widest kind.
 */
#ifndef CAROM_TICK_ONE_ROLLOUT_H
#define CAROM_TICK_ONE_ROLLOUT_H

#include "tick/one_driver.h"
#include "tick/one_rollout_task.h"
#include "tick/one_step.h"

#if !defined(RULES_ACTION_BYTES)
#define RULES_ACTION_BYTES (12 * RULES_DRAWN)
#endif

/* Before a loop that must not be unrolled, since its body is long. */
#if defined(__CUDACC__) || defined(__clang__)
#define ONE_ROLLED _Pragma("unroll 1")
#else
#define ONE_ROLLED
#endif

/* A pair of root and sequence in progress. */
typedef struct one_pair {
    uint64_t number; /* q */
    one_sequence of;
    uint32_t limit;    /* the root's horizon */
    uint64_t depth_at; /* index of the next depth to observe */
    double weight;     /* the current tick's discount, as a running product */
} one_pair;

/* ---- actions ---- */

/* Copies `size` numbers of a player's actions. */
CAROM_LANE void one_copy_numbers(const one_numbers *numbers, unsigned char *to, const void *from, uint64_t at)
{
    for (uint32_t e = 0; e < numbers->size; e++) {
        if (numbers->wide != 0) {
            ((double *)(void *)to)[e] = from != NULL ? ((const double *)from)[at + e] : 0;
        } else {
            ((float *)(void *)to)[e] = from != NULL ? ((const float *)from)[at + e] : 0;
        }
    }
}

/* Draws a row of a player's actions as floats, widened for kinds in double precision. */
CAROM_LANE void one_draw_numbers(const one_numbers *numbers, const one_sequence *of, uint32_t row, unsigned char *to)
{
    one_draw(numbers, of, row, 0, numbers->size, (float *)(void *)to);
    for (uint32_t e = numbers->size; e-- > 0 && numbers->wide != 0;) {
        float narrow;
        memcpy(&narrow, to + e * sizeof narrow, sizeof narrow);
        const double wide = (double)narrow;
        memcpy(to + e * sizeof wide, &wide, sizeof wide);
    }
}

/* Writes a player's numbers for tick `tick`. They are kept from tick to tick, so only rows that begin are written. */
CAROM_LANE void one_roll_act(const one_rollout_task *task, const one_numbers *numbers, const one_pair *pair,
                             size_t thread, uint32_t tick, unsigned char *to)
{
    const bool first = tick == task->from; /* of this launch */
    if (numbers->source == CAROM_POLICY) {
        one_copy_numbers(numbers, to, task->acted, (thread * RULES_PLAYERS + numbers->player) * numbers->size);
    } else if (numbers->source == CAROM_ZERO) {
        if (first) {
            one_copy_numbers(numbers, to, NULL, 0);
        }
    } else if (first || tick % numbers->hold == 0) {
        const uint32_t row = tick / numbers->hold;
        if (one_is_drawn(numbers)) {
            one_draw_numbers(numbers, &pair->of, row, to);
        } else {
            one_copy_numbers(numbers, to, numbers->actions, one_given_at(numbers, &pair->of, row));
        }
    }
}

/* ---- outputs ---- */

/* Writes the current observation of the world to the caller's row. */
CAROM_LANE void one_roll_see(const one_seen *seen, const game_tick *tick, size_t thread, float *row)
{
    /* If there are pieces, the rules write to the thread's own memory, and the pieces are copied from there. */
    float *to = seen->piece_count == 0 ? row : seen->room + thread * run_seen(seen->view);
    tick_observe(tick, 0, to);
    for (uint32_t k = 0; k < seen->piece_count; k++) {
        const one_piece piece = seen->pieces[k];
        for (uint32_t n = 0; n < piece.count; n++) {
            row[piece.at + n] = to[piece.from + n];
            if (piece.twin != ONE_ONCE) {
                row[piece.twin + n] = to[piece.from + n];
            }
        }
    }
}

/* Writes the observations after `depth` ticks, once for each occurrence in the depths. */
CAROM_LANE void one_roll_see_depth(const one_rollout_task *task, one_pair *pair, const game_tick *tick, size_t thread,
                                   uint32_t depth)
{
    while (pair->depth_at < task->depth_count && task->depths[pair->depth_at] == depth) {
        float *row = task->observations + (pair->number * task->depth_count + pair->depth_at) * task->seen.width;
        one_roll_see(&task->seen, tick, thread, row);
        pair->depth_at++;
    }
}

/* Writes the return of each player's sequence. sums: of all rewarded agents; rewarded: their number. */
CAROM_LANE void one_write_returns(const one_rollout_task *task, const one_pair *pair, const game_tick *tick,
                                  const tick_tile *world, const double *sums, uint32_t rewarded)
{
    double value[RULES_PLAYERS];
    const bool fault = world->fault[0][0] != 0;
    const bool valued = task->value_at_end != 0 || world->end[0][0] == CAROM_RUNNING || world->frozen[0][0] == 0;
    const double weight = pair->weight * task->final_weight;
    tick_value(tick, value);

    for (uint32_t player = 0; player < RULES_PLAYERS && task->returns != NULL; player++) {
        /* The sums of a player's agents are added in order. */
        double sum = sums[player];
        if (ONE_REWARDED != RULES_PLAYERS && rewarded != RULES_PLAYERS) {
            sum = 0;
            for (uint32_t agent = 0; agent < ONE_REWARDED / RULES_PLAYERS; agent++) {
                sum += sums[player * (ONE_REWARDED / RULES_PLAYERS) + agent];
            }
        }
        sum = task->reward_weight * sum;
        task->returns[pair->number * RULES_PLAYERS + player] =
            fault ? -__builtin_inf() : sum + (valued ? weight * value[player] : 0);
    }

    if (task->valued != NULL) {
        task->valued[pair->number] = valued && !fault;
    }
}

/* Copies the last state to the caller's world, which keeps its id. */
CAROM_LANE void one_write_final(const one_rollout_task *task, const one_pair *pair, tick_tile *world)
{
    one_home *home = one_home_of(task->finals, pair->number);
    const unsigned lane = (unsigned)(pair->number % CAROM_TILE);
    world->id[0][0] = home->id[0][lane];
    world->id[1][0] = home->id[1][lane];
    one_store(home, world, lane);
}

/* ---- the rollout ---- */

/* Determines which pair the thread plays, and its state at tick task->from. */
CAROM_LANE one_pair one_pair_of(const one_rollout_task *task, size_t thread, bool whole)
{
    one_pair pair;
    pair.number = task->first + thread;
    pair.of.root = pair.number / task->sequences;
    pair.of.number =
        task->chosen != NULL ? task->chosen[pair.number] : (uint32_t)(pair.number - pair.of.root * task->sequences);
    pair.limit = task->horizon;
    if (task->horizons != NULL && task->horizons[pair.of.root] < task->horizon) {
        pair.limit = task->horizons[pair.of.root];
    }

    pair.depth_at = 0;
    pair.weight = 1;
    while (whole && task->forks == 0 && pair.depth_at < task->depth_count &&
           task->depths[pair.depth_at] <= task->from) {
        pair.depth_at++;
    }
    for (uint32_t number = 0; whole && number < task->from && number < pair.limit; number++) {
        pair.weight *= task->discount;
    }
    return pair;
}

/* Plays tick `number` and adds its rewards to the sums. */
CAROM_LANE void one_roll_tick(const one_rollout_task *task, one_pair *pair, game_tick *tick, size_t thread,
                              uint32_t number, unsigned char *actions, double *sums, uint32_t rewarded)
{
    ONE_ROLLED
    for (uint32_t player = 0; player < RULES_PLAYERS; player++) {
        const one_numbers *numbers = &task->players[player];
        one_roll_act(task, numbers, pair, thread, number, actions + player * (task->action_bytes / RULES_PLAYERS));
    }
    one_tick(tick);
    for (uint32_t k = 0; k < ONE_REWARDED; k++) {
        if (k < rewarded) {
            sums[k] += pair->weight * (double)tick->rewards[k];
        }
    }
    pair->weight *= task->discount;
}

/* Writes the rewards of tick `number`. A stopped world has rewards of 0. */
CAROM_LANE void one_write_rewards(const one_rollout_task *task, const one_pair *pair, const float *rewards,
                                  uint32_t number)
{
    float *to = task->rewards + (pair->number * task->horizon + number) * task->rewarded;
    for (uint32_t k = 0; k < ONE_REWARDED; k++) {
        if (k < task->rewarded) {
            to[k] = number < pair->limit ? rewards[k] : 0;
        }
    }
}

/* Stores a world that continues in another launch, and its sums. */
CAROM_LANE void one_keep(const one_rollout_task *task, size_t thread, const tick_tile *world, uint64_t seed,
                         const double *sums)
{
    one_store(one_home_of(task->state, thread), world, (unsigned)(thread % CAROM_TILE));
    for (uint32_t k = 0; k < ONE_REWARDED; k++) {
        if (k < task->rewarded) {
            task->sums[thread * task->rewarded + k] = sums[k];
        }
    }
    if (task->forks != 0) {
        task->state_seeds[thread] = seed;
    }
}

/* Sets what is the same in all ticks. Games that end freeze, whatever the batch's setting. */
CAROM_LANE void one_ask_rollout(const one_rollout_task *task, game_tick *tick, bool whole)
{
    tick->at_end = CAROM_FREEZE;
    tick->kind = task->kind;
    tick->action_bytes = task->action_bytes;
    tick->reward_kind = task->reward_kind == REWARD_RESULT ? REWARD_RESULT : REWARD_GAME;
    if (whole) {
        tick->view = task->seen.view;
        tick->shared = task->seen.shared != 0;
        tick->reward_kind = task->reward_kind;
        tick->value = task->value;
    }
}

/* Rolls out the thread's pair. whole: a constant at every call; if false, see ONE_ROLLOUT_ENTRIES. */
CAROM_LANE void one_roll(const one_rollout_task *task, size_t thread, bool whole)
{
    tick_tile world;
    tick_scratch scratch;
    game_tick tick;
    alignas(8) unsigned char actions[RULES_PLAYERS * RULES_ACTION_BYTES];
    float rewards[ONE_REWARDED];
    double sums[ONE_REWARDED], weights[ONE_WEIGHTS];
    const bool forks = !whole || task->forks != 0;
    const uint32_t rewarded = whole ? task->rewarded : RULES_PLAYERS;
    const uint32_t from = whole ? task->from : 0, to = whole ? from + task->ticks : task->horizon;

    /* Identify the sequence by its root, and start where the last launch left the world. */
    one_pair pair = one_pair_of(task, thread, whole);
    const one_home *root = one_home_of(task->roots, pair.of.root);
    const unsigned root_lane = (unsigned)(pair.of.root % CAROM_TILE);
    one_load(&world, forks ? root : one_home_of(task->state, thread),
             forks ? root_lane : (unsigned)(thread % CAROM_TILE));
    pair.of.key =
        philox_key_of(task->players[0].seed, (uint64_t)(uint32_t)world.id[1][0] << 32 | (uint32_t)world.id[0][0]);
    for (uint32_t k = 0; k < ONE_REWARDED; k++) {
        sums[k] = forks || k >= rewarded ? 0 : task->sums[thread * rewarded + k];
    }
    const uint64_t seed = task->seeds != NULL ? task->seeds[pair.of.root] : task->seed;
    one_begin(&tick, &world, &scratch, task->context, seed);
    one_ask_rollout(task, &tick, whole);
    tick.actions = actions;
    tick.rewards = rewards;
    tick.weights = whole ? weights : NULL;

    /* Play the ticks, and observe before, between and after them. */
    for (uint32_t number = from;; number++) {
        if (whole && (forks || number > from)) {
            one_roll_see_depth(task, &pair, &tick, thread, number);
        }
        if (number == to || (!whole && number == pair.limit)) {
            break;
        }
        if (number < pair.limit) {
            one_roll_tick(task, &pair, &tick, thread, number, actions, sums, rewarded);
        }
        if (whole && task->rewards != NULL) {
            one_write_rewards(task, &pair, rewards, number);
        }
    }
    if (whole && task->ends == 0) {
        one_keep(task, thread, &world, seed, sums);
        return;
    }

    /* The horizon is reached. Copy the weights: a pointer into the task would put all of it on the stack. */
    for (uint32_t k = 0; k < ONE_WEIGHTS && whole && task->value != 0; k++) {
        weights[k] = task->weights == NULL ? task->own_weights[k] : k < task->weight_count ? task->weights[k] : 0;
    }
    one_write_returns(task, &pair, &tick, &world, sums, rewarded);
    if (task->lengths != NULL) {
        task->lengths[pair.number] = (uint32_t)(world.tick[0][0] - root->tick[0][root_lane]);
    }
    if (whole && task->finals != NULL) {
        one_write_final(task, &pair, &world);
    }
}

CAROM_LANE void one_rollout_plain(const one_rollout_task *task, size_t thread)
{
    one_roll(task, thread, false);
}

CAROM_LANE void one_rollout_whole(const one_rollout_task *task, size_t thread)
{
    one_roll(task, thread, true);
}

/* All entries of a game's device module: the programs of this file and of tick/one_step.h. */
#define ONE_ENTRIES(ENTRY) ONE_STEP_ENTRIES(ENTRY) ONE_RESTART_ENTRIES(ENTRY) ONE_ROLLOUT_ENTRIES(ENTRY)

#endif
