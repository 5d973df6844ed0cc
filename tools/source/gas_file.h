/* SPDX-License-Identifier: MIT
 * A gas as a source, for the commands that record and draw.
 */
#ifndef CAROM_TOOLS_SOURCE_GAS_FILE_H
#define CAROM_TOOLS_SOURCE_GAS_FILE_H

#include "game_file.h"

/* A scene with the start of a gas, or with the state of one from `carom run gas`; free it with carom_scene_destroy().
 * Options of --set: bodies, packing, box, start, state, tick. Dies if they are invalid, or the disks do not fit. */
carom_scene *carom_load_gas(const game_settings *settings, uint64_t seed, carom_precision precision);

#endif
