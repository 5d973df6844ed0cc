/* SPDX-License-Identifier: MIT
 * This processor as a device: work that kernel/device queues runs at once, thread by thread in random order, by the
 * programs of kernel/tick/one_*.h, compiled for it. Include this file before sources of kernel/device: it replaces the
 * loader that they call.
 */
#ifndef CAROM_TESTS_PORTS_THIS_DEVICE_H
#define CAROM_TESTS_PORTS_THIS_DEVICE_H

#include "test.h"

#include "base/memory.h"
#include "device/batch.h"
#include "games/game.h"
#include "ports/programs.h"
#include "search/search.h"
#include "tick/one_rollout_task.h"
#include "tick/one_search.h"
#include "tick/tick.h"
#include "worlds/layout.h"

#define COMMON_RUN(entry, TASK, function)                                                                              \
    static void run_##entry(const void *task, size_t thread)                                                           \
    {                                                                                                                  \
        function((const TASK *)task, thread);                                                                          \
    }
#define COMMON_ROW(entry, TASK, function) {#entry, run_##entry},
ONE_PLAN_ENTRIES(COMMON_RUN)
ONE_SEARCH_ENTRIES(COMMON_RUN)
static const program common_programs[] = {ONE_PLAN_ENTRIES(COMMON_ROW) ONE_SEARCH_ENTRIES(COMMON_ROW)};

#define DECLARE(name) extern const program carom_##name##_programs_f32[], carom_##name##_programs_f64[];
DECLARE(csb)
DECLARE(fall)
DECLARE(fantastic_bits)
DECLARE(soccer)
DECLARE(stones)

static const struct {
    const char *name;
    const program *programs[2];
} one_games[] = {
    {"csb", {carom_csb_programs_f32, carom_csb_programs_f64}},
    {"fall", {carom_fall_programs_f32, carom_fall_programs_f64}},
    {"fantastic_bits", {carom_fantastic_bits_programs_f32, carom_fantastic_bits_programs_f64}},
    {"soccer", {carom_soccer_programs_f32, carom_soccer_programs_f64}},
    {"stones", {carom_stones_programs_f32, carom_stones_programs_f64}},
};
#define ONE_GAMES (sizeof one_games / sizeof one_games[0])

/* A program of the worlds' game, or one independent of games; NULL: no such name. */
static inline void (*program_of(const carom_worlds *worlds, const char *entry))(const void *, size_t)
{
    for (size_t g = 0; g < ONE_GAMES; g++) {
        if (strcmp(one_games[g].name, worlds->desc.game->info.name) == 0) {
            const program *at = one_games[g].programs[worlds->desc.precision == CAROM_F64];
            for (; at->entry != NULL; at++) {
                if (strcmp(at->entry, entry) == 0) {
                    return at->run;
                }
            }
        }
    }
    for (size_t k = 0; k < sizeof common_programs / sizeof common_programs[0]; k++) {
        if (strcmp(common_programs[k].entry, entry) == 0) {
            return common_programs[k].run;
        }
    }
    return NULL;
}

static size_t launches; /* since the test has set it to 0 */

/* ---- programs ---- */

/* What policies do, by the library's own policies: a tile at a time. */
static inline void act_once(const carom_worlds *worlds, const one_act_task *task)
{
    const carom_game *game = worlds->desc.game;
    game_actors actors = {.players = task->players, .kind = task->kind};
    for (unsigned p = 0; p < game->info.players; p++) {
        actors.policy[p] = task->policy[p];
    }
    const uint32_t number_bytes = game->kinds[task->kind].precision / 8,
                   numbers = (uint32_t)task->row_bytes / number_bytes;
    unsigned char *lanes = carom_memory_take(CAROM_TILE * task->row_bytes), *row = take(task->row_bytes);
    for (size_t first = 0; first < task->threads; first += CAROM_TILE) {
        const size_t count = task->threads - first < CAROM_TILE ? task->threads - first : CAROM_TILE;
        const policy_asked asked = {
            worlds, (const unsigned char *)task->batch.tiles + first / CAROM_TILE * worlds->layout.tile_bytes,
            task->batch.seeds + first};
        carom_game_act_for(&asked, &actors, (1u << count) - 1, lanes, row);
        unsigned char *rows[CAROM_TILE];
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            rows[lane] = lane < count ? task->rows + (first + lane) * task->row_bytes : NULL;
        }
        carom_game_unpack_actions(worlds->desc.isa, rows, lanes, numbers, number_bytes);
    }
    carom_memory_release(lanes);
    free(row);
}

/* A thread number that runs through all of them in an unusual order. */
static inline size_t mixed_up(size_t thread, size_t threads)
{
    size_t step = 1 + threads * 5 / 8;
    for (size_t a = step, b = threads; b != 0;) {
        const size_t rest = a % b;
        a = b;
        b = rest;
        if (b == 0 && a != 1) {
            step++;
            a = step;
            b = threads;
        }
    }
    return (thread * step + threads / 3) % threads;
}

static inline carom_status this_launch(const carom_worlds *worlds, void *stream, const char *entry, void *task,
                                       size_t task_bytes, size_t threads)
{
    (void)stream;
    const uint64_t count = threads;
    launches++;
    memcpy(task, &count, sizeof count);

    /* The program sees a copy, as it would on a device. */
    void *copy = take(task_bytes);
    memcpy(copy, task, task_bytes);
    if (strcmp(entry, "act") == 0) {
        act_once(worlds, copy);
    } else {
        void (*run)(const void *, size_t) = program_of(worlds, entry);
        assert_non_null(run);
        for (size_t number = 0; number < threads; number++) {
            run(copy, mixed_up(number, threads));
        }
    }
    free(copy);
    return CAROM_OK;
}

static inline carom_status this_move(const carom_worlds *worlds, void *stream, void *to, const void *from, size_t bytes)
{
    (void)worlds, (void)stream;
    memmove(to, from, bytes);
    return CAROM_OK;
}

static inline carom_status this_clear(const carom_worlds *worlds, void *stream, void *to, size_t bytes)
{
    (void)worlds, (void)stream;
    memset(to, 0, bytes);
    return CAROM_OK;
}

static inline carom_status this_take(const carom_worlds *worlds, size_t bytes, void **memory)
{
    (void)worlds;
    *memory = malloc(bytes);
    assert_non_null(*memory);
    memset(*memory, 0xa5, bytes);
    return CAROM_OK;
}

static inline void this_give(const carom_worlds *worlds, void *memory)
{
    (void)worlds;
    free(memory);
}

static inline carom_status this_copy(const carom_worlds *worlds, void *to, const void *from, size_t bytes)
{
    (void)worlds;
    memcpy(to, from, bytes);
    return CAROM_OK;
}

static carom_status waited = CAROM_OK; /* the result of waiting for the device */

static inline carom_status this_wait(const carom_worlds *worlds)
{
    (void)worlds;
    return waited;
}

static inline carom_status this_refuse(const carom_worlds *worlds, carom_status status, const char *format, ...)
{
    (void)worlds, (void)format;
    return status;
}

#define carom_device_launch this_launch
#define carom_device_launch_common this_launch
#define carom_device_move this_move
#define carom_device_clear this_clear
#define carom_device_take this_take
#define carom_device_give this_give
#define carom_device_upload this_copy
#define carom_device_download this_copy
#define carom_device_wait this_wait
#define carom_device_refuse this_refuse

/* The functions of kernel/device that are compiled with it: the library has its own, which queue. */
#define carom_device_rollout this_rollout
#define carom_device_draws this_draws
#define carom_device_roll this_roll
#define carom_device_numbers this_numbers
#define carom_device_plan_roots this_plan_roots
#define carom_device_search this_search
#define carom_device_search_create this_search_create
#define carom_device_search_destroy this_search_destroy

/* ---- batches ---- */

/* A batch as if it were on the device. It shares its memory with `worlds`, which must outlive it. */
typedef struct this_batch {
    carom_worlds worlds;
    struct device_batch device;
    unsigned char *scratch;
} this_batch;

static inline void on_this_device(this_batch *to, carom_worlds *worlds, size_t scratch_bytes)
{
    memset(to, 0, sizeof *to);
    to->worlds = *worlds;
    to->worlds.device = &to->device;
    to->device.tiles = worlds->data;
    to->device.context = worlds->context;
    to->device.seeds = worlds->seeds;
    to->device.scratch = to->scratch = carom_memory_take(scratch_bytes);
    to->device.scratch_bytes = scratch_bytes;
}

static inline void leave_this_device(this_batch *batch)
{
    carom_memory_release(batch->scratch);
}

#endif
