/* SPDX-License-Identifier: MIT
 * Shared objects, on systems that have them.
 */
#ifndef CAROM_GAMES_SHARED_OBJECT_H
#define CAROM_GAMES_SHARED_OBJECT_H

#include <carom/base.h>

/* Loads a shared object, which runs its code. Returns CAROM_ERROR_FORMAT if the file is not one,
 * CAROM_ERROR_UNSUPPORTED if the system has no shared objects; either sets `problem`. Loading a file again gives the
 * same object. */
carom_status carom_shared_object_open(const char *path, void **object, carom_problem *problem);

/* The address of an exported name, or NULL. */
const void *carom_shared_object_find(void *object, const char *name);

void carom_shared_object_close(void *object);

#endif
