/* SPDX-License-Identifier: MIT
 * libFuzzer: saved gases (first byte even) and searches (odd). The checksum at the end is corrected, or nothing would
 * get past it. What is loaded can be saved and loaded, and runs on.
 */
#include "fuzz_batches.h"

#include "base/hash.h"

#include <carom/gas.h>
#include <carom/search.h>

#include <math.h>

#define SAVE_VERSION 1 /* of both */
#define DISKS 12
#define ROOTS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static carom_gas *gas_of(uint8_t which)
{
    static carom_gas *made[4];
    carom_gas_desc desc = carom_gas_desc_default();
    const size_t k = which / 2 % 4;
    desc.bodies = DISKS;
    desc.packing = 0.3;
    desc.box = k % 2 == 0 ? CAROM_GAS_PERIODIC : CAROM_GAS_SOLID;
    desc.precision = k / 2 == 0 ? CAROM_F64 : CAROM_F32;
    desc.seed = 1;
    if (made[k] == NULL) {
        fuzz_must(carom_gas_create(&desc, &made[k]));
    }
    return made[k];
}

/* A time in which the fastest disk moves a few diameters: a save may have disks of any speed, and each cell that they
 * cross takes time. */
static double short_time(const carom_gas *gas)
{
    double x[DISKS], y[DISKS], vx[DISKS], vy[DISKS], fastest = 1000;
    fuzz_must(carom_gas_get(gas, x, y, vx, vy));
    for (size_t k = 0; k < DISKS; k++) {
        fastest = fmax(fastest, fmax(fabs(vx[k]), fabs(vy[k])));
    }
    return 3 / fastest;
}

static void try_gas(carom_gas *gas, const uint8_t *bytes, size_t size)
{
    static const volatile int no_cancel;
    carom_gas_desc desc;
    carom_gas_measures measures;
    const size_t whole = carom_gas_save_size(gas);
    uint8_t *once = malloc(whole), *again = malloc(whole);
    if (once == NULL || again == NULL) {
        abort();
    }
    const carom_status known = carom_gas_saved(bytes, size, &desc), status = carom_gas_load(gas, bytes, size);
    if (status == CAROM_OK) {
        fuzz_must(carom_gas_save(gas, once, whole)); /* other bytes where they are not all of a gas of f32 */
        fuzz_must(carom_gas_load(gas, once, whole));
        fuzz_must(carom_gas_save(gas, again, whole));
        if (known != CAROM_OK || size != whole || memcmp(again, once, whole) != 0) {
            abort();
        }
        fuzz_must(carom_gas_run(gas, short_time(gas), &no_cancel, NULL));
        fuzz_must(carom_gas_measure(gas, &measures));
    } else if (status != CAROM_ERROR_FORMAT) {
        abort();
    }
    free(once);
    free(again);
}

static carom_search *search_of(uint8_t which, carom_worlds **worlds)
{
    static carom_search *made[4];
    static carom_worlds *roots;
    const size_t k = which / 2 % 4; /* the planner */
    if (roots == NULL) {
        carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("csb"));
        desc.count = ROOTS;
        desc.threads = 1;
        fuzz_must(carom_worlds_create(&desc, &roots));
    }
    if (made[k] == NULL) {
        carom_search_desc desc = carom_search_desc_default(carom_game_find("csb"));
        desc.planner = (carom_planner)k;
        desc.horizon = 3;
        desc.sequences = 8;
        desc.rollouts = 16;
        fuzz_must(carom_search_create(roots, &desc, &made[k]));
    }
    *worlds = roots;
    return made[k];
}

static void try_search(uint8_t which, const uint8_t *bytes, size_t size)
{
    carom_worlds *worlds;
    carom_problem problem = {""};
    carom_search *search = search_of(which, &worlds);
    const carom_status status = carom_search_load(search, 0, bytes, size, &problem);
    if (status == CAROM_OK) {
        uint8_t *again = malloc(size);
        if (again == NULL) {
            abort();
        }
        const size_t each = carom_search_save_size(search, 1) - carom_search_save_size(search, 0);
        fuzz_must(carom_search_save(search, 0, (size - carom_search_save_size(search, 0)) / each, again, size));
        if (memcmp(again, bytes, size) != 0) {
            abort();
        }
        free(again);
        fuzz_must(carom_search_run(search, worlds));
    } else if (problem.text[0] == '\0') {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const size_t length = size - 1;
    uint8_t *bytes = malloc(length + 1);
    if (bytes == NULL) {
        abort();
    }
    memcpy(bytes, data + 1, length);
    if (length >= sizeof(uint64_t)) {
        const uint64_t checksum = hash_bytes(SAVE_VERSION, bytes, length - sizeof checksum);
        memcpy(bytes + length - sizeof checksum, &checksum, sizeof checksum);
    }
    if (data[0] % 2 == 0) {
        try_gas(gas_of(data[0]), bytes, length);
    } else {
        try_search(data[0], bytes, length);
    }
    free(bytes);
    return 0;
}
