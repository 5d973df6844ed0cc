/* SPDX-License-Identifier: MIT
 * Scenes from files, for the commands that play them.
 */
#ifndef CAROM_TOOLS_SOURCE_SCENE_FILE_H
#define CAROM_TOOLS_SOURCE_SCENE_FILE_H

#include "../command/command.h"

#include <carom/scene.h>

/* What the user wants changed of a scene; -1: nothing. */
typedef struct scene_changes {
    int solver; /* carom_toi_variant */
    int engine; /* carom_engine */
} scene_changes;

/* The names of a carom_engine. */
extern const char *const carom_engine_names[];

/* What --scatter means. */
#define SCATTER_HELP                                                                                                   \
    "of a scene: to each component of the velocity of each body that can move, a number drawn from [-V, V] is added "  \
    "at the start; $ by default"

/* Reads and freezes the scene in the file `path`, to be freed by carom_scene_destroy(). Dies if that fails: "unknown
 * `what` 'x': neither `others` nor a scene's file". */
carom_scene *carom_load_scene(const char *path, const char *what, const char *others, scene_changes changes);

/* The game of that name or in that shared object, *scene then being NULL, or that of the scene in that file. Dies if it
 * is none of them: "unknown `what` 'x'". */
const carom_game *carom_load_played(const char *name, const char *what, scene_changes changes, carom_scene **scene);

/* Adds a number from [-amount, amount] to each component of the velocity of every body that can move, by (seed, world's
 * id). */
void carom_scatter(carom_worlds *worlds, const carom_scene *scene, uint64_t seed, double amount);

/* A real field, of `elements` a world, of worlds [first, first + count) as doubles. */
void carom_get_reals(const carom_worlds *worlds, const char *name, size_t first, size_t count, size_t elements,
                     double *values);

#endif
