/* SPDX-License-Identifier: MIT
 * Loading modules, and preparing their entries: a launch must not be the first to load a function or to enlarge the
 * memory of the threads' local variables, since both wait for the device, which is forbidden while a graph is
 * captured.
 */
#include "device/device.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/problem.h"
#include "device/modules.h"
#include "tick/one_plan_task.h"
#include "tick/one_rollout_task.h"
#include "tick/one_search_task.h"

/* All entries that modules may have. A module has either those of a game or those shared by all games. */
#define ENTRY_NAME(name, task, program) #name,
static const char *const entry_names[] = {ONE_STEP_ENTRIES(ENTRY_NAME) ONE_RESTART_ENTRIES(ENTRY_NAME) ONE_ACT_ENTRIES(
    ENTRY_NAME) ONE_ROLLOUT_ENTRIES(ENTRY_NAME) ONE_PLAN_ENTRIES(ENTRY_NAME) ONE_SEARCH_ENTRIES(ENTRY_NAME)};
#undef ENTRY_NAME

/* The local variables of all resident threads take at most this part of a device's memory. */
#define LOCAL_SHARE 8

static_assert(sizeof entry_names / sizeof entry_names[0] <= DEVICE_MOST_ENTRIES, "a module has room for all entries");

/* The greatest number of blocks of a launch. Programs loop over threads, so any number will do. */
static cuda_result bound_blocks(const device_unit *unit, device_entry *entry)
{
    int local = 0, resident = 0;
    cuda_result result = unit->cuda->function_attribute(&local, CUDA_FUNCTION_LOCAL_BYTES, entry->function);
    result = result == 0 ? unit->cuda->occupancy(&resident, entry->function, DEVICE_BLOCK, 0) : result;
    if (result != 0) {
        return result;
    }

    /* Blocks beyond the resident ones cost nothing, unless too many are resident. */
    const uint64_t full = (uint64_t)(resident > 0 ? resident : 1) * unit->info.processors;
    const uint64_t each = (uint64_t)local * DEVICE_BLOCK, share = unit->info.memory / LOCAL_SHARE;
    const uint64_t least = unit->info.processors, most = each > 0 ? share / each : full;
    entry->most_blocks = most >= full ? INT32_MAX : (unsigned)(most > least ? most : least);
    return 0;
}

/* Runs an entry without threads, on as many blocks as can be resident: this loads it and reserves its local memory. */
static cuda_result warm(const device_unit *unit, const device_entry *entry)
{
    unsigned char task[ONE_TASK_BYTES] = {0};
    void *parameters[] = {task};
    int resident = 0;
    cuda_result result = unit->cuda->occupancy(&resident, entry->function, DEVICE_BLOCK, 0);
    unsigned blocks = (unsigned)(resident > 0 ? resident : 1) * unit->info.processors;
    blocks = blocks < entry->most_blocks ? blocks : entry->most_blocks;
    if (result == 0) {
        result =
            unit->cuda->launch(entry->function, blocks, 1, 1, DEVICE_BLOCK, 1, 1, 0, unit->transfers, parameters, NULL);
    }
    return result == 0 ? unit->cuda->stream_wait(unit->transfers) : result;
}

/* Finds the module's entries and prepares them. */
static cuda_result find_entries(const device_unit *unit, cuda_module *module, device_programs *programs)
{
    for (size_t k = 0; k < sizeof entry_names / sizeof entry_names[0]; k++) {
        char symbol[64];
        device_entry *entry = &programs->entries[programs->count];
        snprintf(symbol, sizeof symbol, "carom_entry_%s", entry_names[k]);
        cuda_result result = unit->cuda->module_function(&entry->function, module, symbol);
        if (result == CUDA_NOT_FOUND) {
            continue;
        }
        entry->name = entry_names[k];
        result = result == 0 ? bound_blocks(unit, entry) : result;
        result = result == 0 ? warm(unit, entry) : result;
        if (result != 0) {
            return result;
        }
        programs->count++;
    }
    return 0;
}

/* Reports why a module cannot be loaded. */
static carom_status refuse(const device_unit *unit, const char *name, cuda_result result, carom_problem *problem)
{
    if (result == CUDA_UNSUPPORTED_PTX || result == CUDA_INVALID_PTX || result == CUDA_NO_BINARY) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "the driver, which supports CUDA %u.%u, is too old for the program %s of this build, or the "
                           "device is (compute capability %u.%u)",
                           unit->info.driver / 1000, unit->info.driver % 1000 / 10, name, unit->info.major,
                           unit->info.minor);
    }
    return carom_cuda_failed(unit->cuda, result, "loading a program", problem);
}

static carom_status load(device_unit *unit, const char *name, device_programs **programs, carom_problem *problem)
{
    const device_module *module = carom_device_module(name);
    if (module == NULL) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "this build has no device program named %s", name);
    }
    device_programs *made = (device_programs *)calloc(1, sizeof *made);
    if (made == NULL) {
        return carom_wrong(problem, CAROM_ERROR_MEMORY, "not enough memory for the list of a module's programs");
    }

    /* A module that fails halfway stays loaded in the driver: it is small, and unloading waits for the device. */
    cuda_module *loaded = NULL;
    cuda_result result = unit->cuda->module_load(&loaded, module->image);
    result = result == 0 ? find_entries(unit, loaded, made) : result;
    if (result != 0) {
        free(made);
        return refuse(unit, name, result, problem);
    }

    snprintf(made->name, sizeof made->name, "%s", name);
    made->next = unit->loaded;
    unit->loaded = made;
    *programs = made;
    return CAROM_OK;
}

carom_status carom_device_load(device_unit *unit, const char *name, device_programs **programs, carom_problem *problem)
{
    carom_device_lock();
    device_programs *found = unit->loaded;
    while (found != NULL && strcmp(found->name, name) != 0) {
        found = found->next;
    }
    *programs = found;
    const carom_status status = found != NULL ? CAROM_OK : load(unit, name, programs, problem);
    carom_device_unlock();
    return status;
}

const device_entry *carom_device_find(const device_programs *programs, const char *name)
{
    for (size_t k = 0; programs != NULL && k < programs->count; k++) {
        if (strcmp(programs->entries[k].name, name) == 0) {
            return &programs->entries[k];
        }
    }
    return NULL;
}
