/* SPDX-License-Identifier: MIT
 * Finds the device modules that this library was built with.
 */
#include "device/modules.h"

#include <string.h>

/* The build defines CAROM_DEVICE_MODULES(X): X(name) for every module, nothing where there is no compiler for them. */
#if defined(CAROM_DEVICE_MODULES)
#define DECLARE(name) extern const device_module carom_device_module_##name;
CAROM_DEVICE_MODULES(DECLARE)
#define ADDRESS(name) &carom_device_module_##name,
#else
#define CAROM_DEVICE_MODULES(X)
#define ADDRESS(name)
#endif

const device_module *carom_device_module(const char *name)
{
    static const device_module *const modules[] = {CAROM_DEVICE_MODULES(ADDRESS) NULL};
    for (const device_module *const *module = modules; *module != NULL; module++) {
        if (strcmp((*module)->name, name) == 0) {
            return *module;
        }
    }
    return NULL;
}
