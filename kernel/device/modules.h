/* SPDX-License-Identifier: MIT
 * Device modules: what a GPU's driver loads. scripts/device_module makes them, for this library and for plug-in
 * games.
 */
#ifndef CAROM_DEVICE_MODULES_H
#define CAROM_DEVICE_MODULES_H

#include <stddef.h>

/* Examples of names: csb_f64 (a game, with the precision of its worlds), csb_policy (its policies, for both precisions)
 * and common (shared by all games). */
typedef struct device_module {
    const char *name;
    const void *image; /* for cuModuleLoadData(): PTX, packed in a fatbin if the build found NVIDIA's tools */
    size_t bytes;      /* of the image, a final zero included */
} device_module;

/* The module of that name; NULL if it was not built. */
const device_module *carom_device_module(const char *name);

#endif
