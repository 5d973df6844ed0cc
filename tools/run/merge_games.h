/* SPDX-License-Identifier: MIT
 * `carom merge` for parts of `carom arena` and `carom tune`, in the order of their shards. Both die if the parts do not
 * belong together. */
#ifndef CAROM_TOOLS_RUN_MERGE_GAMES_H
#define CAROM_TOOLS_RUN_MERGE_GAMES_H

#include "merge_part.h"

/* Prints the table of the whole run, or one JSON object. */
void carom_merge_arena(const merge_part *parts, size_t count, bool json);

/* Writes the next generation's state to the file `path`, and prints its line; dies if path is NULL. */
void carom_merge_tune(const merge_part *parts, size_t count, const char *path);

#endif
