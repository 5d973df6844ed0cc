/* SPDX-License-Identifier: MIT
 * A batch's memory on its device, and which batches can be on a device.
 */
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/problem.h"
#include "device/modules.h"
#include "device/step.h"
#include "games/game.h"

/* Parts of a batch's memory start at multiples of this, like memory from the driver. */
#define PART_ALIGNMENT 256

/* ---- which batches ---- */

/* The name of the module of a game at a precision. False: the name is too long for any module. */
static bool name_module(char *name, size_t size, const carom_worlds_desc *desc)
{
    const int length = snprintf(name, size, "%s_f%d", desc->game->info.name, (int)desc->precision);
    return length > 0 && (size_t)length < size;
}

/* Can this build put worlds of this game on a device? */
static carom_status check_game(const carom_worlds_desc *desc, char *name, size_t size, carom_problem *problem)
{
    const carom_game *game = desc->game;
    if (game->type.large[desc->precision == CAROM_F64]) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "%s: worlds that are played one at a time are supported on this processor only",
                           game->info.name);
    }
    if (!name_module(name, size, desc) || carom_device_module(name) == NULL || game->type.context_image == NULL) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "%s: no device program in f%d; supported on this processor only", game->info.name,
                           (int)desc->precision);
    }
    return CAROM_OK;
}

carom_status carom_device_check(const carom_worlds_desc *desc, carom_problem *problem)
{
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    if (desc == NULL || desc->size != sizeof *desc || desc->game == NULL ||
        (desc->precision != CAROM_F32 && desc->precision != CAROM_F64)) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "the description of the worlds is invalid");
    }
    if (desc->device == 0) {
        return CAROM_OK;
    }

    /* Check the device first: without one, nothing else matters. Loading the module is the last check. */
    carom_status status;
    char name[sizeof((device_programs *)NULL)->name];
    device_unit *unit = carom_device_unit(desc->device, &status, problem);
    status = unit != NULL ? check_game(desc, name, sizeof name, problem) : status;
    status = status == CAROM_OK ? carom_device_enter(unit, problem) : status;
    if (status == CAROM_OK) {
        device_programs *programs;
        status = carom_device_load(unit, name, &programs, problem);
        carom_device_leave(unit);
    }
    return status;
}

/* ---- creation ---- */

/* Sizes of the parts of a batch's memory, which is one block; the first part starts at 0. */
typedef struct batch_plan {
    size_t image;                                               /* bytes of the context */
    size_t context, seeds, sums, counters, wrong, scratch, end; /* offsets of the parts, after the tiles */
    size_t scratch_bytes;
} batch_plan;

/* Appends a part at *end, and sets where it begins. */
static bool add_part(size_t *end, size_t count, size_t each, size_t *begin)
{
    size_t bytes;
    *begin = *end;
    if (!size_multiply(count, each, &bytes) || !size_add(*end, bytes, end) ||
        !size_add(*end, PART_ALIGNMENT - 1, end)) {
        return false;
    }
    *end -= *end % PART_ALIGNMENT;
    return true;
}

/* False if a size overflows. */
static bool make_plan(const carom_worlds *worlds, uint32_t players, batch_plan *plan)
{
    const size_t places = worlds->tiles * worlds->layout.lanes;
    size_t tiles;
    memset(plan, 0, sizeof *plan);
    plan->image = worlds->type->context_image(worlds->context, NULL, 0);
    if (!size_multiply(places, carom_device_step_bytes(worlds->desc.game), &plan->scratch_bytes)) {
        return false;
    }
    plan->scratch_bytes = plan->scratch_bytes > DEVICE_SCRATCH ? plan->scratch_bytes : DEVICE_SCRATCH;
    return add_part(&plan->end, worlds->tiles, worlds->layout.tile_bytes, &tiles) &&
           add_part(&plan->end, plan->image, 1, &plan->context) &&
           add_part(&plan->end, places, sizeof(uint64_t), &plan->seeds) &&
           add_part(&plan->end, places, players * sizeof(double), &plan->sums) &&
           add_part(&plan->end, ONE_SLOTS, sizeof(carom_counters), &plan->counters) &&
           add_part(&plan->end, 1, sizeof(uint32_t), &plan->wrong) &&
           add_part(&plan->end, plan->scratch_bytes, 1, &plan->scratch);
}

/* Makes a batch's host side: the lock, and what each world has outside its tile. */
static carom_status make_mirror(carom_worlds *worlds, device_unit *unit, uint32_t players)
{
    device_batch *batch = (device_batch *)calloc(1, sizeof *batch);
    device_mirror *mirror = (device_mirror *)calloc(1, sizeof *mirror);
    if (batch == NULL || mirror == NULL || !carom_batch_make_lock(mirror)) {
        free(batch);
        free(mirror);
        return CAROM_ERROR_MEMORY;
    }

    /* From here on, carom_batch_destroy() frees everything made so far. */
    mirror->worlds = worlds;
    batch->unit = unit;
    batch->mirror = mirror;
    batch->players = players;
    worlds->device = batch;
    const carom_status status = carom_worlds_take_seeds(worlds);
    return status == CAROM_OK ? carom_worlds_take_sums(worlds, players) : status;
}

/* Allocates the device's memory; its context is current. */
static cuda_result take_memory(carom_worlds *worlds, const batch_plan *plan)
{
    device_batch *batch = worlds->device;
    const cuda_driver *cuda = batch->unit->cuda;
    cuda_address memory = 0;
    cuda_result result = cuda->memory_take(&memory, plan->end);
    if (result != 0) {
        return result;
    }

    unsigned char *at = (unsigned char *)(uintptr_t)memory;
    batch->tiles = at;
    batch->context = at + plan->context;
    batch->seeds = (uint64_t *)(void *)(at + plan->seeds);
    batch->sums = (double *)(void *)(at + plan->sums);
    batch->counters = (carom_counters *)(void *)(at + plan->counters);
    batch->wrong = (uint32_t *)(void *)(at + plan->wrong);
    batch->scratch = at + plan->scratch;
    batch->scratch_bytes = plan->scratch_bytes;
    return cuda->stream_create(&batch->mirror->stream, CUDA_STREAM_NON_BLOCKING);
}

/* Writes the initial contents of the device's memory. */
static carom_status fill_memory(const carom_worlds *worlds, const batch_plan *plan)
{
    unsigned char *image = (unsigned char *)carom_memory_take(plan->image + 1);
    if (image == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    const device_batch *batch = worlds->device;
    (void)worlds->type->context_image(worlds->context, image, (uint64_t)(uintptr_t)batch->context);
    carom_status status = carom_device_upload(worlds, (void *)(uintptr_t)batch->context, image, plan->image);
    carom_memory_release(image);

    /* Padding lanes are read, too, so write the seeds and sums of whole tiles. */
    const size_t places = worlds->tiles * worlds->layout.lanes;
    if (status == CAROM_OK) {
        status = carom_device_upload(worlds, batch->seeds, worlds->seeds, places * sizeof *worlds->seeds);
    }
    if (status == CAROM_OK) {
        status = carom_device_upload(worlds, batch->sums, worlds->sums, places * batch->players * sizeof *worlds->sums);
    }
    const uint32_t right = 0;
    if (status == CAROM_OK) {
        status = carom_device_upload(worlds, batch->wrong, &right, sizeof right);
    }

    /* Closing the mirror writes tiles and counters. */
    if (status == CAROM_OK) {
        status = carom_batch_open(worlds, 0, 0, 0);
    }
    return status == CAROM_OK ? carom_batch_close(worlds, 0, worlds->desc.count, MIRROR_TILES | MIRROR_COUNTERS)
                              : status;
}

/* Loads a module that not every build has; calls that need it report it missing. */
static carom_status load_if_built(device_unit *unit, const char *name, device_programs **programs)
{
    return carom_device_module(name) != NULL ? carom_device_load(unit, name, programs, NULL) : CAROM_OK;
}

carom_status carom_batch_create(carom_worlds *worlds)
{
    carom_status status;
    char name[sizeof((device_programs *)NULL)->name];
    device_unit *unit = carom_device_unit(worlds->desc.device, &status, NULL);
    status = unit != NULL ? check_game(&worlds->desc, name, sizeof name, NULL) : status;
    if (status != CAROM_OK) {
        return status;
    }

    const uint32_t players = worlds->desc.game->info.players;
    batch_plan plan;
    if (!make_plan(worlds, players, &plan)) {
        return CAROM_ERROR_MEMORY;
    }
    status = make_mirror(worlds, unit, players);
    status = status == CAROM_OK ? carom_batch_enter(worlds) : status;
    if (status != CAROM_OK) {
        return status;
    }

    char policies[sizeof name];
    (void)snprintf(policies, sizeof policies, "%.50s_policy", worlds->desc.game->info.name);
    status = carom_device_load(unit, name, &worlds->device->game, NULL);
    status = status == CAROM_OK ? load_if_built(unit, policies, &worlds->device->policies) : status;
    status = status == CAROM_OK ? load_if_built(unit, DEVICE_COMMON, &worlds->device->common) : status;
    const cuda_result result = status == CAROM_OK ? take_memory(worlds, &plan) : 0;
    const carom_status taken = carom_batch_leave(worlds, result, "allocating memory of the device");
    status = status == CAROM_OK ? taken : status;
    return status == CAROM_OK ? fill_memory(worlds, &plan) : status;
}

void carom_batch_destroy(carom_worlds *worlds)
{
    device_batch *batch = worlds->device;
    if (batch == NULL) {
        return;
    }

    /* In a forked child the driver must not be called: the memory is the parent's. */
    if (!carom_cuda_is_lost() && carom_batch_enter(worlds) == CAROM_OK) {
        const cuda_driver *cuda = batch->unit->cuda;
        (void)cuda->context_wait();
        if (batch->mirror->stream != NULL) {
            (void)cuda->stream_destroy(batch->mirror->stream);
        }
        if (batch->tiles != NULL) {
            (void)cuda->memory_give((cuda_address)(uintptr_t)batch->tiles);
        }
        carom_device_leave(batch->unit);
    }

    carom_batch_unmake_lock(batch->mirror);
    free(batch->mirror);
    free(batch);
    worlds->device = NULL;
}

const void *carom_batch_address(const carom_worlds *worlds)
{
    return worlds->device->tiles;
}
