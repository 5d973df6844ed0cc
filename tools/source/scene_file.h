/* SPDX-License-Identifier: MIT
 * Scenes from files, for the commands that play them.
 */
#ifndef CAROM_TOOLS_SOURCE_SCENE_FILE_H
#define CAROM_TOOLS_SOURCE_SCENE_FILE_H

#include "../command/command.h"

#include <carom/scene.h>

/* Changes of a scene by the user; -1: none. */
typedef struct scene_changes {
    int solver; /* carom_toi_variant */
    int engine; /* carom_engine */
} scene_changes;

/* The names of a carom_engine. */
extern const char *const carom_engine_names[];

/* The meaning of --scatter. */
#define SCATTER_HELP                                                                                                   \
    "for scenes: add a number drawn from [-V, V] to each component of the velocity of each body that can move "        \
    "at the start; $ by default"

/* Reads and freezes the scene in the file `path`; free it with carom_scene_destroy(). Dies on failure: "unknown `what`
 * 'x': neither `others` nor a scene's file". */
carom_scene *carom_load_scene(const char *path, const char *what, const char *others, scene_changes changes);

/* The game of that name or in that shared object, with *scene NULL, or that of the scene in that file. Dies if it is
 * none of them: "unknown `what` 'x'". */
const carom_game *carom_load_played(const char *name, const char *what, scene_changes changes, carom_scene **scene);

/* Adds a number from [-amount, amount] to each component of the velocity of every body that can move, by (seed, world's
 * id). */
void carom_scatter(carom_worlds *worlds, const carom_scene *scene, uint64_t seed, double amount);

/* A real field with `elements` numbers a world, of worlds [first, first + count), as doubles. */
void carom_get_reals(const carom_worlds *worlds, const char *name, size_t first, size_t count, size_t elements,
                     double *values);

#endif
