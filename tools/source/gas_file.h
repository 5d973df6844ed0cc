/* SPDX-License-Identifier: MIT
 * A gas as a source, for the commands that record and draw.
 */
#ifndef CAROM_TOOLS_SOURCE_GAS_FILE_H
#define CAROM_TOOLS_SOURCE_GAS_FILE_H

#include "game_file.h"

/* A scene that begins as a gas does, or as one stands in a state of `carom run gas`, to be freed by
 * carom_scene_destroy(). --set says which: bodies, packing, box, start, state, tick. Dies if there is something wrong
 * with them, or the disks do not fit. */
carom_scene *carom_load_gas(const game_settings *settings, uint64_t seed, carom_precision precision);

#endif
