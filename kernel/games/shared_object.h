/* SPDX-License-Identifier: MIT
 * Shared objects, as far as the system has them.
 */
#ifndef CAROM_GAMES_SHARED_OBJECT_H
#define CAROM_GAMES_SHARED_OBJECT_H

#include <carom/base.h>

/* Loads the file, which runs its code. CAROM_ERROR_FORMAT if it is none, CAROM_ERROR_UNSUPPORTED where there are none;
 * the problem is told. The same file, while it is loaded, is the same object. */
carom_status carom_shared_object_open(const char *path, void **object, carom_problem *problem);

/* The address of a name that it exports; NULL if it does not. */
const void *carom_shared_object_find(void *object, const char *name);

void carom_shared_object_close(void *object);

#endif
