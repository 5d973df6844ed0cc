/* SPDX-License-Identifier: MIT
 * Playing rollouts. The pairs (root, k), numbered q = root * K + k, fill the lanes of tiles in order, and tiles form
 * runs, the work items of threads. A run forks its worlds from the roots into the thread's working memory, plays all
 * ticks there, while the state stays in cache, and writes its outputs; world q of `finals` receives a copy of the last
 * state.
 *
 * Steps have a separate loop over ticks, in games/play.c: a rollout holds each player's rows of actions for that
 * player's `hold` and stops at a deadline or at the horizon of a root, whereas a step plays each row `repeat` times,
 * sums its rewards and restarts games. games/driver.c has what the two share.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "rollout/rollout.h"
#include "worlds/device.h"
#include "worlds/layout.h"

double carom_rollout_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A thread's working memory for one run, in rollout.scratch. Lane-major: 16 lanes are adjacent. */
typedef struct rollout_buffers {
    unsigned char *kernel, *tiles, *actions; /* for the kernel; the worlds; their actions of one tick */
    unsigned char *row;                      /* actions of one world, for policies */
    double *sums;                            /* [tile of the run][rewarded agent][16]: discounted rewards so far */
    double *values;                          /* [tile of the run][player][16]: final values */
    double *weights; /* [tile of the run][16]: the discount at each world's horizon, which multiplies the final value */
    float *rewards;  /* [tile of the run][rewarded agent][16]: of one tick */
    float *seen;     /* [numbers seen][16]: of one tile; size 0 if nothing is observed */
    rollout_lanes *lanes;       /* [tile of the run] */
    transpose_normals *normals; /* [tile of the run][player]: rollout_lanes.normals */
    uint64_t *seeds;            /* [tile of the run][16]: seeds of the roots */
    float *room;                /* for carom_rollout_row() */
} rollout_buffers;

/* Computes the addresses of the buffers in a thread's scratch and returns their size; with NULL only the size. */
static size_t lay_out(const rollout *r, unsigned char *scratch, rollout_buffers *buffers)
{
    const drive *d = &r->d;
    const size_t worlds = r->run * CAROM_TILE, rewarded = worlds * d->rewarded;
    const size_t seen = r->desc.depth_count != 0 ? carom_game_most_seen(d->game) * CAROM_TILE : 0;
    size_t used = 0;

    buffers->kernel = (unsigned char *)memory_part(scratch, &used, carom_game_kernel_bytes(d->game));
    buffers->tiles = (unsigned char *)memory_part(scratch, &used, r->run * r->roots->layout.tile_bytes);
    buffers->actions = (unsigned char *)memory_part(scratch, &used, worlds * d->world_bytes);
    buffers->row = (unsigned char *)memory_part(scratch, &used, d->world_bytes);
    buffers->sums = (double *)memory_part(scratch, &used, rewarded * sizeof(double));
    buffers->values = (double *)memory_part(scratch, &used, worlds * r->players * sizeof(double));
    buffers->weights = (double *)memory_part(scratch, &used, worlds * sizeof(double));
    buffers->rewards = (float *)memory_part(scratch, &used, rewarded * sizeof(float));
    buffers->seen = (float *)memory_part(scratch, &used, seen * sizeof(float));
    buffers->lanes = (rollout_lanes *)memory_part(scratch, &used, r->run * sizeof(rollout_lanes));
    buffers->normals =
        (transpose_normals *)memory_part(scratch, &used, r->run * r->players * sizeof(transpose_normals));
    buffers->seeds = (uint64_t *)memory_part(scratch, &used, worlds * sizeof(uint64_t));
    buffers->room = (float *)memory_part(scratch, &used, 3 * carom_rollout_row_room(r));
    return used;
}

/* Number of tiles for all pairs of root and sequence. */
static size_t tiles_of(const rollout *r)
{
    return (r->total + r->lanes - 1) / r->lanes;
}

void carom_rollout_describe(rollout *r, const carom_worlds *roots, const carom_rollout_desc *desc)
{
    carom_step step = carom_step_default();
    step.action_kind = desc->action_kind;
    step.observation_kind = desc->observation_kind;
    step.observed = desc->observed;
    step.reward_kind = desc->reward_kind;

    memset(r, 0, sizeof *r);
    r->roots = roots;
    r->desc = *desc;
    r->players = roots->desc.game->info.players;
    r->kind = roots->desc.game->kinds[desc->action_kind];
    r->bred.named = desc->sequences;
    r->bred.pool = 1;

    /* The driver knows two sources: policies, which it plays itself, and zeros, which the rollout overwrites with its
     * own numbers. */
    for (uint32_t p = 0; p < r->players; p++) {
        size_t *hold = &r->desc.players[p].hold;
        *hold = *hold == 0 ? 1 : *hold;
        r->rows[p] = rollout_rows(desc->horizon, *hold);
        step.players[p].source = desc->players[p].source == CAROM_POLICY ? CAROM_POLICY : CAROM_ZERO;
        step.players[p].policy = desc->players[p].policy;
    }
    (void)carom_drive_bind(&r->d, roots, &step);

    /* The caller's weights of the final value's features, or the kind's own. */
    const double *weights = desc->weights;
    if (carom_is_on_device(roots)) {
        weights = NULL; /* the program reads them */
    }
    for (size_t k = 0; r->desc.value != 0 && k < r->d.game->values[r->desc.value - 1].count; k++) {
        r->weights[k] = weights != NULL ? weights[k] : r->d.game->values[r->desc.value - 1].weights[k].weight;
    }

    r->lanes = roots->layout.lanes;
    carom_rollout_resize(r, desc->sequences);
}

void carom_rollout_resize(rollout *r, size_t sequences)
{
    rollout_buffers buffers;
    r->desc.sequences = sequences;
    r->total = r->roots->desc.count * sequences;
    r->run = carom_drive_run_length(r->roots, tiles_of(r));
    r->scratch_bytes = lay_out(r, NULL, &buffers);
}

/* The number of work items. */
static size_t runs_of(const rollout *r)
{
    return (tiles_of(r) + r->run - 1) / r->run;
}

unsigned carom_rollout_threads(const rollout *r)
{
    return runs_of(r) < r->roots->desc.threads ? (unsigned)runs_of(r) : r->roots->desc.threads;
}

/* ---- from the roots to the tiles ---- */

/* The tile that holds a root. */
static const void *root_tile(const rollout *r, size_t root)
{
    return carom_worlds_tile_of(r->roots, root);
}

/* Sets root, sequence and seed of each lane of a tile, counted among all tiles. Lanes after the last pair repeat it,
 * and those of a tile of one world are all the same, so that kernels may work on whole vectors. */
static void name_tile(const rollout *r, size_t tile, rollout_lanes *lanes, uint64_t *seeds)
{
    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        const size_t number = tile * r->lanes + (lane < r->lanes ? lane : 0),
                     q = number < r->total ? number : r->total - 1;
        lanes->root[lane] = (uint32_t)(q / r->desc.sequences);
        lanes->sequence[lane] = r->chosen != NULL ? r->chosen[q] : (uint32_t)(q % r->desc.sequences);
        seeds[lane] = carom_worlds_seed(r->roots, lanes->root[lane]);
    }
    carom_rollout_name(r, lanes);
}

/* Forks the worlds of a tile from their roots in the cheapest way: copies the previous tile if it is alike, broadcasts
 * a root shared by all lanes, or gathers lane by lane. */
static void fork_tile(const rollout *r, bool alike, const rollout_lanes *lanes, unsigned char *to)
{
    const world_layout *layout = &r->roots->layout;
    const uint32_t first = lanes->root[0];
    if (alike) {
        memcpy(to, to - layout->tile_bytes, layout->tile_bytes);
    } else if (lanes->one_root) {
        carom_tile_broadcast(layout, to, layout, root_tile(r, first), carom_worlds_lane_of(r->roots, first));
    } else {
        const void *from[CAROM_TILE];
        unsigned from_lanes[CAROM_TILE];
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            from[lane] = root_tile(r, lanes->root[lane]);
            from_lanes[lane] = carom_worlds_lane_of(r->roots, lanes->root[lane]);
        }
        carom_tile_gather(layout, to, (1u << CAROM_TILE) - 1, layout, from, from_lanes);
    }
}

/* A run in progress. */
typedef struct rollout_part {
    drive_run run;
    const rollout *r;
    rollout_buffers buffers;
    size_t first, tiles;  /* its first tile, counted among all tiles; its number of tiles */
    size_t depth;         /* index into desc.depths of the next depth to observe */
    unsigned char *judge; /* r->judge.room of the thread */
} rollout_part;

/* Sets the actions of the run for tick `tick`: lane-major, one player after another. Actions are kept from tick to
 * tick, so only rows that begin are written. Policies write theirs over zeros, which remain in lanes without a
 * world. */
static void set_actions(const rollout_part *part, size_t tick)
{
    const rollout *r = part->r;
    const size_t each = CAROM_TILE * r->d.world_bytes / r->players;
    unsigned char *actions = part->buffers.actions;
    for (size_t t = 0; t < part->tiles; t++) {
        for (uint32_t p = 0; p < r->players; p++, actions += each) {
            const carom_source source = r->desc.players[p].source;
            const size_t hold = r->desc.players[p].hold;
            if (source != CAROM_ZERO && source != CAROM_POLICY) {
                if (tick % hold == 0) {
                    carom_rollout_row(r, p, tick / hold, &part->buffers.lanes[t], actions, part->buffers.room);
                    if (p == r->bred.player) {
                        carom_rollout_keep(r, part->first + t, tick / hold, actions);
                    }
                }
            } else if (tick == 0) {
                memset(actions, 0, each);
            }
        }
    }
}

/* ---- outputs ---- */

/* Tile t of the run. */
static unsigned char *tile_of(const rollout_part *part, size_t t)
{
    return part->buffers.tiles + t * part->r->roots->layout.tile_bytes;
}

/* The number of non-padding lanes of tile t of the run. */
static size_t lanes_of(const rollout_part *part, size_t t)
{
    const size_t left = part->r->total - (part->first + t) * part->r->lanes;
    return left < part->r->lanes ? left : part->r->lanes;
}

/* For an output array [root][k][count][numbers]: the address of entry `at` of the `count` for each lane of tile t; NULL
 * for padding. */
static void sequence_rows(const rollout_part *part, size_t t, float *array, size_t count, size_t at, size_t numbers,
                          float *rows[CAROM_TILE])
{
    const size_t q = (part->first + t) * part->r->lanes;
    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        rows[lane] = lane < lanes_of(part, t) ? array + ((q + lane) * count + at) * numbers : NULL;
    }
}

/* Writes the rewards of one tick. */
static void write_rewards(const rollout_part *part, size_t tick)
{
    const rollout *r = part->r;
    float *rows[CAROM_TILE];
    for (size_t t = 0; t < part->tiles; t++) {
        sequence_rows(part, t, r->desc.rewards, r->desc.horizon, tick, r->d.rewarded, rows);
        carom_drive_reward(&part->run, t, part->buffers.rewards, rows);
    }
}

size_t carom_rollout_judge_bytes(const carom_network *network, size_t agents)
{
    return carom_network_room(network) + memory_aligned((agents * network->inputs + 1) * sizeof(float *));
}

/* Evaluates the network on what the agents of tile t see now. */
static void judge_tile(const rollout_part *part, size_t t)
{
    const rollout *r = part->r;
    const rollout_judge *judge = &r->judge;
    const carom_network *network = judge->network;
    const float **numbers = (const float **)(void *)(part->judge + carom_network_room(network));
    carom_drive_see(&part->run, t, numbers);
    numbers[judge->agents * network->inputs] = numbers[0]; /* after an odd number of inputs there must be one more */

    float *values = judge->values + (part->first + t) * r->lanes * judge->agents;
    for (size_t agent = 0; agent < judge->agents; agent++) {
        carom_network_tile(network, r->roots->desc.isa, NETWORK_VALUE, numbers + agent * network->inputs,
                           lanes_of(part, t), values + agent, judge->agents, part->judge);
    }
}

/* Writes the observations after `depth` ticks, once for each occurrence in desc.depths, or what the network makes of
 * them. */
static void observe(rollout_part *part, size_t depth)
{
    const carom_rollout_desc *desc = &part->r->desc;
    float *rows[CAROM_TILE];
    for (; part->depth < desc->depth_count && desc->depths[part->depth] == depth; part->depth++) {
        for (size_t t = 0; t < part->tiles; t++) {
            if (part->r->judge.network != NULL) {
                judge_tile(part, t);
                continue;
            }
            sequence_rows(part, t, desc->observations, desc->depth_count, part->depth, part->r->d.width, rows);
            carom_drive_observe(&part->run, t, rows, false);
        }
    }
}

/* Stops the worlds whose root has `depth` as its horizon, and notes their discount for the final value. */
static void stop_at_horizons(rollout_part *part, size_t depth, double weight)
{
    const rollout *r = part->r;
    for (size_t t = 0; t < part->tiles; t++) {
        for (unsigned lane = 0; lane < r->lanes; lane++) {
            if (r->desc.horizons[part->buffers.lanes[t].root[lane]] == depth) {
                part->buffers.weights[t * CAROM_TILE + lane] = weight;
                part->run.tick.plays[t] &= (uint16_t)~(1u << lane);
            }
        }
    }
}

/* Adds up the sums of each player's agents, in place: a player's sum never overwrites one that is yet to be read. */
static void add_agents(const rollout_part *part)
{
    const size_t each = part->r->d.rewarded / part->r->players;
    double *sums = part->buffers.sums;
    for (size_t row = 0; row < part->tiles * part->r->players && each > 1; row++) {
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            double sum = 0;
            for (size_t agent = row * each; agent < (row + 1) * each; agent++) {
                sum += sums[agent * CAROM_TILE + lane];
            }
            sums[row * CAROM_TILE + lane] = sum;
        }
    }
}

/* Copies the final states of tile t of the run to `finals`, whose worlds keep their ids. */
static void keep_finals(const rollout_part *part, size_t t)
{
    const rollout *r = part->r;
    const world_layout *layout = &r->finals->layout;
    for (unsigned lane = 0; lane < lanes_of(part, t); lane++) {
        const size_t q = (part->first + t) * r->lanes + lane;
        const unsigned to_lane = carom_worlds_lane_of(r->finals, q);
        void *to = carom_worlds_tile_of(r->finals, q);
        const uint64_t id = carom_tile_get_id(layout, to, to_lane);
        carom_tile_copy_lane(layout, to, to_lane, &r->roots->layout, tile_of(part, t), lane);
        carom_tile_set_id(layout, to, to_lane, id);
    }
}

/* Writes how many ticks the worlds of tile t of the run have played. Counts from the root's tick, which need not be
 * 0. */
static void write_lengths(const rollout_part *part, size_t t)
{
    const rollout *r = part->r;
    const carom_field *field = &r->roots->layout.fields[FIELD_tick];
    const int32_t *tick = (const int32_t *)field_in(field, tile_of(part, t), 0);
    for (size_t lane = 0; lane < lanes_of(part, t); lane++) {
        const uint32_t root = part->buffers.lanes[t].root[lane];
        const int32_t *from =
            (const int32_t *)field_in(field, root_tile(r, root), carom_worlds_lane_of(r->roots, root));
        r->desc.lengths[(part->first + t) * r->lanes + lane] = (uint32_t)(tick[lane] - *from);
    }
}

/* Writes the results of tile t of the run: returns, lengths and final states. */
static void finish_tile(const rollout_part *part, size_t t)
{
    const rollout *r = part->r;
    const carom_field *fields = r->roots->layout.fields;
    const unsigned char *state = tile_of(part, t);
    const int8_t *fault = (const int8_t *)field_in(&fields[FIELD_fault], state, 0);
    const int8_t *end = (const int8_t *)field_in(&fields[FIELD_end], state, 0);
    const int8_t *frozen = (const int8_t *)field_in(&fields[FIELD_frozen], state, 0);
    /* The final value counts unless the game has ended, or always if the caller requests it; a fault gives the worst
     * return. */
    for (size_t lane = 0; lane < lanes_of(part, t); lane++) {
        const size_t q = (part->first + t) * r->lanes + lane;
        const bool valued = r->desc.value_at_end || end[lane] == CAROM_RUNNING || frozen[lane] == 0;
        const double weight = part->buffers.weights[t * CAROM_TILE + lane] * r->desc.final_weight;
        for (uint32_t p = 0; p < r->players && r->returns != NULL; p++) {
            const size_t at = (t * r->players + p) * CAROM_TILE + lane;
            const double sum = r->desc.reward_weight * part->buffers.sums[at];
            r->returns[q * r->players + p] =
                fault[lane] != 0 ? -INFINITY : sum + (valued ? weight * part->buffers.values[at] : 0);
        }
        if (r->valued != NULL) {
            r->valued[q] = valued && fault[lane] == 0;
        }
    }

    if (r->desc.lengths != NULL) {
        write_lengths(part, t);
    }
    if (r->finals != NULL) {
        keep_finals(part, t);
    }
}

/* ---- the run ---- */

/* Is the rollout cancelled or past its deadline? The first thread past the deadline informs the others by r->late.
 * *looked: when the thread last read the clock, initially 0; the time since then is a pause. */
static bool is_over(const rollout *r, double *looked)
{
    if (r->deadline > 0) {
        const double now = carom_rollout_clock();
        if (now >= r->deadline) {
            __atomic_store_n(r->late, 1, __ATOMIC_RELAXED);
        }

        /* If two threads raise it at once, the shorter pause may remain, which is good enough. */
        const uint32_t pause = *looked > 0 ? (uint32_t)(1e6 * (now - *looked)) : 0;
        if (pause > __atomic_load_n(r->pause, __ATOMIC_RELAXED)) {
            __atomic_store_n(r->pause, pause, __ATOMIC_RELAXED);
        }
        *looked = now;
    }
    return progress_cancelled(r->desc.cancel) || (r->deadline > 0 && __atomic_load_n(r->late, __ATOMIC_RELAXED) != 0);
}

/* Starts run `item`: sets up its tick, selects its sequences and forks its worlds. */
static void prepare(rollout_part *part, const rollout *r, size_t item, unsigned thread)
{
    game_tick *tick = &part->run.tick;
    rollout_buffers *buffers = &part->buffers;
    (void)lay_out(r, r->scratch + thread * r->scratch_bytes, buffers);
    part->r = r;
    part->first = item * r->run;
    part->tiles = tiles_of(r) - part->first < r->run ? tiles_of(r) - part->first : r->run;
    part->depth = 0;
    part->judge = r->judge.room != NULL ? r->judge.room + thread * r->judge.bytes : NULL;

    carom_drive_begin(&part->run, &r->d, buffers->tiles, part->tiles, part->first * r->lanes);
    part->run.row = buffers->row;
    part->run.seen = buffers->seen;

    /* The last tile may be padded; counting and recording stop at the last pair. Games that end freeze, whatever the
     * batch does. */
    tick->worlds = r->total - tick->first < part->tiles * r->lanes ? r->total - tick->first : part->tiles * r->lanes;
    tick->seeds = r->roots->seeds != NULL ? buffers->seeds : NULL;
    tick->at_end = CAROM_FREEZE;
    tick->actions = buffers->actions;
    tick->scratch = buffers->kernel;
    tick->cancel = r->desc.cancel;
    tick->rewards = buffers->rewards;
    tick->value = (uint32_t)r->desc.value;
    tick->weights = r->weights;

    for (size_t t = 0; t < part->tiles; t++) {
        rollout_lanes *lanes = &buffers->lanes[t];
        lanes->normals = buffers->normals + t * r->players;
        name_tile(r, part->first + t, lanes, &buffers->seeds[t * CAROM_TILE]);

        /* Alike: all worlds of this tile and of the previous one are forks of one root. */
        const bool alike = t > 0 && lanes->one_root && lanes[-1].one_root && lanes[-1].root[0] == lanes->root[0];
        part->run.alike |= (unsigned)alike << t;
        fork_tile(r, alike, lanes, tile_of(part, t));
        tick->plays[t] = (uint16_t)((1u << lanes_of(part, t)) - 1);
    }

    memset(buffers->sums, 0, part->tiles * CAROM_TILE * r->d.rewarded * sizeof(double));
}

/* Plays one run from the fork to its outputs. */
static void roll_run(void *argument, size_t item, unsigned thread)
{
    const rollout *r = (const rollout *)argument;
    double looked = 0;
    if (is_over(r, &looked)) {
        return;
    }
    rollout_part part;
    prepare(&part, r, item, thread);
    observe(&part, 0);

    /* The discount of the current tick, as a running product, as carom/rollout.h defines it to the bit. */
    double weight = 1;
    for (size_t number = 0; number < r->desc.horizon; number++) {
        set_actions(&part, number);
        carom_drive_tick(&part.run);
        if (is_over(r, &looked)) {
            return;
        }

        for (size_t k = 0; k < part.tiles * CAROM_TILE * r->d.rewarded; k++) {
            part.buffers.sums[k] += weight * (double)part.buffers.rewards[k];
        }
        weight *= r->desc.discount;

        if (r->desc.rewards != NULL) {
            write_rewards(&part, number);
        }
        if (r->desc.horizons != NULL) {
            stop_at_horizons(&part, number + 1, weight);
        }
        observe(&part, number + 1);
    }

    /* Without separate horizons all worlds have the same discount at the end. */
    for (size_t k = 0; k < part.tiles * CAROM_TILE && r->desc.horizons == NULL; k++) {
        part.buffers.weights[k] = weight;
    }
    r->d.kernel->value(&part.run.tick, part.buffers.values);
    add_agents(&part);
    for (size_t t = 0; t < part.tiles; t++) {
        finish_tile(&part, t);
    }

    progress_add(r->ticks, part.run.tick.counters.ticks);
    progress_add(r->desc.progress, part.run.tick.worlds);
}

void carom_rollout_run(const rollout *r)
{
    carom_parallel_for(carom_rollout_threads(r), r->roots->where, runs_of(r), roll_run, (void *)(uintptr_t)r);
}
