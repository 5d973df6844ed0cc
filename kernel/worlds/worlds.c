/* SPDX-License-Identifier: MIT
 * The life of a batch: descriptor, memory, the start of every world, counters and faults. */
#include "worlds/worlds.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "dispatch/dispatch.h"
#include "worlds/device.h"
#include "worlds/layout.h"

/* Tiles in one item of parallel work: enough to be worth handing over, few enough to balance the load. */
#define CHUNK 64

carom_worlds_desc carom_worlds_desc_default(const carom_game *game)
{
    const carom_worlds_desc desc = {
        .size = sizeof desc, .game = game, .count = 1, .precision = CAROM_F64, .at_end = CAROM_PLAY_ON};
    return desc;
}

/* Checks desc, and copies it with instruction set and number of threads resolved. */
static carom_status resolve(const carom_worlds_desc *desc, carom_worlds_desc *resolved)
{
    if (!desc || desc->size != sizeof *desc || !desc->game || desc->count == 0 ||
        (desc->precision != CAROM_F32 && desc->precision != CAROM_F64) ||
        (desc->at_end != CAROM_PLAY_ON && desc->at_end != CAROM_FREEZE && desc->at_end != CAROM_RESET)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (desc->threads > CAROM_MAX_THREADS) {
        return CAROM_ERROR_VALUE;
    }
    if (!precision_is_built(desc->precision)) {
        return CAROM_ERROR_UNSUPPORTED;
    }

    *resolved = *desc;
    if (desc->isa == CAROM_ISA_DEFAULT) {
        const carom_status status = carom_isa_current(&resolved->isa);
        if (status != CAROM_OK) {
            return status;
        }
    } else if (!carom_isa_usable(desc->isa)) {
        return CAROM_ERROR_UNSUPPORTED;
    }
    return carom_affinity_threads(desc->affinity, desc->affinity_count, &resolved->threads);
}

/* A batch's single block of memory: its tiles, then the scratch of each thread. */
typedef struct block_plan {
    size_t tiles, data_bytes, scratch_bytes, total;
} block_plan;

/* Computes the sizes; false if one overflows. */
static bool make_plan(const carom_worlds_desc *desc, const world_type *type, const world_layout *layout,
                      block_plan *plan)
{
    /* Scratch also holds one tile, for checking changes of the state. */
    size_t scratch = type->scratch_bytes(desc);
    scratch = scratch > layout->tile_bytes ? scratch : layout->tile_bytes;
    const size_t threads = desc->threads < desc->count ? desc->threads : desc->count; /* one per world at most */
    size_t all_scratch;
    plan->tiles = desc->count / layout->lanes + (desc->count % layout->lanes != 0);
    return size_align(scratch, &plan->scratch_bytes) &&
           size_multiply(plan->tiles, layout->tile_bytes, &plan->data_bytes) &&
           size_multiply(plan->scratch_bytes, threads, &all_scratch) &&
           size_add(plan->data_bytes, all_scratch, &plan->total);
}

size_t carom_worlds_bytes(const carom_worlds_desc *desc)
{
    carom_worlds_desc resolved;
    world_layout layout;
    if (resolve(desc, &resolved) != CAROM_OK) {
        return 0;
    }
    const world_type *type = (const world_type *)desc->game;
    const size_t context = type->context_bytes(&resolved);
    if (context == 0 || carom_layout_create(type, resolved.precision, &layout) != CAROM_OK) {
        return 0;
    }
    block_plan plan;
    size_t total = 0;
    if (!make_plan(&resolved, type, &layout, &plan) || !size_add(plan.total, context, &total) ||
        !size_add(total, sizeof(carom_worlds) + layout.count * sizeof *layout.fields, &total) ||
        !size_add(total, desc->affinity_count > 0 ? sizeof(affinity) : 0, &total)) {
        total = 0;
    }
    carom_layout_destroy(&layout);
    return total;
}

/* Everything that the meaning of a record depends on. */
static uint64_t hash_content(const carom_worlds *worlds)
{
    uint64_t hash = hash_bytes(0, worlds->type->name, strlen(worlds->type->name));
    hash = hash_step(hash, (uint64_t)worlds->desc.precision);
    for (size_t i = 0; i < worlds->layout.count; ++i) {
        const carom_field *field = &worlds->layout.fields[i];
        hash = hash_bytes(hash, field->name, strlen(field->name));
        hash = hash_step(hash, (uint64_t)field->type);
        hash = hash_step(hash, (uint64_t)field->role);
        hash = hash_step(hash, field->count);
    }
    return hash_end(hash_step(hash, worlds->type->context_hash(worlds->context)));
}

/* Starts the first game of every world of a tile. Lanes after the last world are started, too, so that kernels can
 * compute on any lane, and frozen, so that they do not change. */
static void start_tile(void *argument, size_t tile, unsigned thread)
{
    (void)thread;
    const carom_worlds *worlds = (const carom_worlds *)argument;
    const world_ops *ops = world_ops_of(worlds);
    void *data = carom_worlds_tile(worlds, tile);
    memset(data, 0, worlds->layout.tile_bytes);
    for (unsigned lane = 0; lane < worlds->layout.lanes; ++lane) {
        const size_t world = tile * worlds->layout.lanes + lane;
        carom_tile_set_id(&worlds->layout, data, lane, worlds->desc.first_id + world);
        ops->start(worlds->context, worlds->desc.seed, data, lane);
        ops->derive(worlds->context, data, lane);
        if (world >= worlds->desc.count) {
            carom_tile_freeze(&worlds->layout, data, lane);
        }
    }
}

carom_status carom_worlds_create(const carom_worlds_desc *desc, carom_worlds **worlds)
{
    if (!worlds) {
        return CAROM_ERROR_ARGUMENT;
    }
    *worlds = NULL;

    carom_worlds_desc resolved;
    carom_status status = resolve(desc, &resolved);
    if (status != CAROM_OK) {
        return status;
    }

    /* From here on, carom_worlds_destroy() frees everything made so far. */
    carom_worlds *made = (carom_worlds *)calloc(1, sizeof *made);
    if (!made) {
        return CAROM_ERROR_MEMORY;
    }
    made->type = (const world_type *)desc->game;
    made->desc = resolved;
    made->desc.options = NULL; /* belongs to the caller, like the list of processors */
    made->desc.affinity = NULL;
    made->desc.affinity_count = 0;

    status = made->type->context_create(&resolved, &made->context);
    if (status != CAROM_OK) {
        made->context = NULL;
    } else if (desc->affinity) {
        status = carom_affinity_create(desc->affinity, desc->affinity_count, &made->where);
    }
    if (status != CAROM_OK) {
        carom_worlds_destroy(made);
        return status;
    }

    /* One block for tiles and scratch, whose sizes depend on the layout. */
    status = carom_layout_create(made->type, resolved.precision, &made->layout);
    if (status == CAROM_OK) {
        block_plan plan = {0};
        if (make_plan(&resolved, made->type, &made->layout, &plan)) {
            made->data = (unsigned char *)carom_memory_take(plan.total);
        }
        if (!made->data) {
            status = CAROM_ERROR_MEMORY;
        } else {
            made->tiles = plan.tiles;
            made->scratch = made->data + plan.data_bytes;
            made->scratch_bytes = plan.scratch_bytes;
        }
    }

    if (status != CAROM_OK) {
        carom_worlds_destroy(made);
        return status;
    }

    made->content = hash_content(made);
    carom_worlds_each_tile(made, 0, made->desc.count, start_tile, made);
    if (carom_is_for_device(&resolved)) {
        status = carom_device_ops.create(made);
        if (status != CAROM_OK) {
            carom_worlds_destroy(made);
            return status;
        }
    }
    *worlds = made;
    return CAROM_OK;
}

void carom_worlds_destroy(carom_worlds *worlds)
{
    if (!worlds) {
        return;
    }
    if (carom_is_on_device(worlds)) {
        carom_device_ops.destroy(worlds);
    }
    if (worlds->context) {
        worlds->type->context_destroy(worlds->context);
    }
    carom_layout_destroy(&worlds->layout);
    carom_memory_release(worlds->data);
    carom_memory_release(worlds->seeds);
    carom_memory_release(worlds->sums);
    free(worlds->where);
    free(worlds);
}

carom_worlds_desc carom_worlds_describe(const carom_worlds *worlds)
{
    static const carom_worlds_desc none = {0};
    return worlds ? worlds->desc : none;
}

size_t carom_worlds_count(const carom_worlds *worlds)
{
    return worlds ? worlds->desc.count : 0;
}

void carom_worlds_forget_sums(const carom_worlds *worlds, size_t first, size_t count)
{
    if (worlds->sums) {
        memset(worlds->sums + first * worlds->players, 0, count * worlds->players * sizeof *worlds->sums);
    }
}

void carom_worlds_forget_seeds(carom_worlds *worlds)
{
    /* On a device every world always has a seed. */
    if (carom_is_on_device(worlds)) {
        for (size_t i = 0; i < worlds->tiles * worlds->layout.lanes; ++i) {
            worlds->seeds[i] = worlds->desc.seed;
        }
        return;
    }
    carom_memory_release(worlds->seeds);
    worlds->seeds = NULL;
}

carom_status carom_worlds_reset(carom_worlds *worlds)
{
    if (!worlds) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!carom_mirror_open(worlds, 0, 0, 0)) {
        return CAROM_ERROR_DEVICE;
    }
    carom_worlds_forget_seeds(worlds);
    carom_worlds_each_tile(worlds, 0, worlds->desc.count, start_tile, worlds);
    worlds->counters = (carom_counters){0};
    carom_worlds_forget_sums(worlds, 0, worlds->desc.count);
    return carom_mirror_close(worlds, 0, worlds->desc.count, MIRROR_ALL, CAROM_OK);
}

/* ---- new games, seeds ---- */

typedef struct restart_job {
    carom_worlds *worlds;
    const uint8_t *mask;         /* which worlds to restart; NULL: all */
    const uint64_t *ids, *seeds; /* new ones; NULL: unchanged */
} restart_job;

static void restart_tile(void *argument, size_t tile, unsigned thread)
{
    (void)thread;
    const restart_job *job = (const restart_job *)argument;
    carom_worlds *worlds = job->worlds;
    const world_layout *layout = &worlds->layout;
    const world_ops *ops = world_ops_of(worlds);
    void *data = carom_worlds_tile(worlds, tile);

    const lane_span lanes = lanes_within(layout, tile, 0, worlds->desc.count);
    for (unsigned lane = lanes.begin; lane < lanes.end; ++lane) {
        const size_t world = tile * layout->lanes + lane;
        if (job->mask && job->mask[world] == 0) {
            continue;
        }

        /* The world's next game; with another id or seed, its first one. */
        int32_t *episode = (int32_t *)field_at(&layout->fields[FIELD_episode], data, lane);
        const bool first = job->ids || job->seeds || *episode == INT32_MAX;
        *episode = first ? 0 : *episode + 1;
        *(int32_t *)field_at(&layout->fields[FIELD_tick], data, lane) = 0;
        *(int8_t *)field_at(&layout->fields[FIELD_end], data, lane) = 0;
        *(int8_t *)field_at(&layout->fields[FIELD_fault], data, lane) = 0;
        *(int8_t *)field_at(&layout->fields[FIELD_frozen], data, lane) = 0;

        if (job->ids) {
            carom_tile_set_id(layout, data, lane, job->ids[world]);
        }
        if (job->seeds) {
            worlds->seeds[world] = job->seeds[world];
        }

        ops->start(worlds->context, carom_worlds_seed(worlds, world), data, lane);
        ops->derive(worlds->context, data, lane);
        carom_worlds_forget_sums(worlds, world, 1);
    }
}

carom_status carom_worlds_restart(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids, const uint64_t *seeds)
{
    if (!worlds) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (seeds && carom_worlds_take_seeds(worlds) != CAROM_OK) {
        return CAROM_ERROR_MEMORY;
    }
    if (!carom_mirror_open(worlds, 0, worlds->desc.count, MIRROR_WORLDS)) {
        return CAROM_ERROR_DEVICE;
    }
    restart_job job = {worlds, mask, ids, seeds};
    carom_worlds_each_tile(worlds, 0, worlds->desc.count, restart_tile, &job);
    return carom_mirror_close(worlds, 0, worlds->desc.count, MIRROR_WORLDS, CAROM_OK);
}

carom_status carom_worlds_reseed(carom_worlds *worlds, uint64_t seed)
{
    if (!worlds) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!carom_mirror_open(worlds, 0, worlds->desc.count, MIRROR_BESIDE)) {
        return CAROM_ERROR_DEVICE;
    }
    worlds->desc.seed = seed;
    carom_worlds_forget_seeds(worlds);
    return carom_mirror_close(worlds, 0, worlds->desc.count, MIRROR_BESIDE, CAROM_OK);
}

carom_status carom_worlds_seeds(const carom_worlds *worlds, size_t first, size_t count, uint64_t *seeds)
{
    if (!worlds || !in_range(worlds, first, count) || (!seeds && count > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!carom_mirror_open(worlds, first, count, MIRROR_BESIDE)) {
        return CAROM_ERROR_DEVICE;
    }
    for (size_t i = 0; i < count; ++i) {
        seeds[i] = carom_worlds_seed(worlds, first + i);
    }
    return carom_mirror_close(worlds, first, count, 0, CAROM_OK);
}

carom_status carom_worlds_take_seeds(carom_worlds *worlds)
{
    if (!worlds->seeds) {
        const size_t places = worlds->tiles * worlds->layout.lanes;
        worlds->seeds = (uint64_t *)carom_memory_take(places * sizeof *worlds->seeds);
        for (size_t i = 0; worlds->seeds && i < places; ++i) {
            worlds->seeds[i] = worlds->desc.seed;
        }
    }
    return worlds->seeds ? CAROM_OK : CAROM_ERROR_MEMORY;
}

carom_status carom_worlds_take_sums(carom_worlds *worlds, uint32_t players)
{
    const size_t numbers = worlds->tiles * worlds->layout.lanes * players;
    if (!worlds->sums) {
        worlds->sums = (double *)carom_memory_take(numbers * sizeof *worlds->sums);
        worlds->players = players;
    }
    return worlds->sums ? CAROM_OK : CAROM_ERROR_MEMORY;
}

/* ---- refusals, counters, faults ---- */

carom_status carom_worlds_refuse(carom_worlds *worlds, carom_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(worlds->problem.text, sizeof worlds->problem.text, format, list);
    va_end(list);
    return status;
}

carom_status carom_worlds_problem(const carom_worlds *worlds, carom_problem *problem)
{
    if (!worlds || !problem) {
        return CAROM_ERROR_ARGUMENT;
    }
    *problem = worlds->problem;
    return CAROM_OK;
}

carom_counters carom_worlds_counters(const carom_worlds *worlds)
{
    static const carom_counters none = {0};
    if (!worlds || !carom_mirror_open(worlds, 0, 0, MIRROR_COUNTERS)) {
        return none;
    }
    const carom_counters counters = worlds->counters;
    (void)carom_mirror_close(worlds, 0, 0, 0, CAROM_OK);
    return counters;
}

typedef struct fault_count {
    const carom_worlds *worlds;
    atomic_size_t faulty;
    atomic_uint bits;
} fault_count;

static void count_faults(void *argument, size_t tile, unsigned thread)
{
    (void)thread;
    fault_count *count = (fault_count *)argument;
    const carom_worlds *worlds = count->worlds;
    const int8_t *faults =
        (const int8_t *)field_in(&worlds->layout.fields[FIELD_fault], carom_worlds_tile(worlds, tile), 0);
    const lane_span lanes = lanes_within(&worlds->layout, tile, 0, worlds->desc.count);

    size_t faulty = 0;
    unsigned bits = 0;
    for (unsigned lane = lanes.begin; lane < lanes.end; ++lane) {
        faulty += faults[lane] != 0;
        bits |= (unsigned)faults[lane];
    }
    if (faulty) { /* rare, so threads do not contend for the sums */
        atomic_fetch_add(&count->faulty, faulty);
        atomic_fetch_or(&count->bits, bits);
    }
}

size_t carom_worlds_faults(const carom_worlds *worlds, unsigned *bits)
{
    fault_count count = {.worlds = worlds};
    if (worlds && carom_mirror_open(worlds, 0, worlds->desc.count, MIRROR_TILES)) {
        carom_worlds_each_tile(worlds, 0, worlds->desc.count, count_faults, &count);
        (void)carom_mirror_close(worlds, 0, worlds->desc.count, 0, CAROM_OK);
    }
    if (bits) {
        *bits = atomic_load(&count.bits);
    }
    return atomic_load(&count.faulty);
}

typedef struct tile_walk {
    size_t first, end; /* tiles */
    parallel_body *body;
    void *argument; /* of body */
} tile_walk;

static void walk_chunk(void *argument, size_t chunk, unsigned thread)
{
    const tile_walk *walk = (const tile_walk *)argument;
    const size_t first = walk->first + chunk * CHUNK;
    const size_t end = walk->end - first < CHUNK ? walk->end : first + CHUNK;
    for (size_t tile = first; tile < end; ++tile) {
        walk->body(walk->argument, tile, thread);
    }
}

void carom_worlds_each_tile(const carom_worlds *worlds, size_t first, size_t count, parallel_body *body, void *argument)
{
    if (count == 0) {
        return;
    }
    const unsigned lanes = worlds->layout.lanes;
    tile_walk walk = {first / lanes, (first + count - 1) / lanes + 1, body, argument};
    carom_parallel_for(worlds->desc.threads, worlds->where, (walk.end - walk.first + CHUNK - 1) / CHUNK, walk_chunk,
                       &walk);
}
