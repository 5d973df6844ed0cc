/* SPDX-License-Identifier: MIT
 * Finds device modules: those built into this library, and those of plug-in games.
 */
#include "device/modules.h"

#include <string.h>

#include "games/entry.h"

/* The build defines CAROM_DEVICE_MODULES(X) as X(name) for every module; empty if there is no compiler for them. */
#if defined(CAROM_DEVICE_MODULES)
#define DECLARE(name) extern const device_module carom_device_module_##name;
CAROM_DEVICE_MODULES(DECLARE)
#define ADDRESS(name) &carom_device_module_##name,
#else
#define CAROM_DEVICE_MODULES(X)
#define ADDRESS(name)
#endif

/* The module of a plug-in game, which supplies its own. */
static const device_module *find_outside(const char *name)
{
    for (size_t k = 0; carom_game_outside(k) != NULL; k++) {
        const carom_kit_entry *entry = carom_game_entry_of(carom_game_outside(k));
        for (size_t m = 0; m < sizeof entry->device / sizeof entry->device[0]; m++) {
            if (entry->device[m] != NULL && strcmp(entry->device[m]->name, name) == 0) {
                return entry->device[m];
            }
        }
    }
    return NULL;
}

const device_module *carom_device_module(const char *name)
{
    static const device_module *const modules[] = {CAROM_DEVICE_MODULES(ADDRESS) NULL};
    for (const device_module *const *module = modules; *module != NULL; module++) {
        if (strcmp((*module)->name, name) == 0) {
            return *module;
        }
    }
    return find_outside(name);
}
