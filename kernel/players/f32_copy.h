/* SPDX-License-Identifier: MIT
 * A copy in f32 of a batch in f64, for a search in f32 within games in f64.
 */
#ifndef CAROM_PLAYERS_F32_COPY_H
#define CAROM_PLAYERS_F32_COPY_H

#include <carom/worlds.h>

/* `worlds` must have its game's default options, since a batch does not expose its options; otherwise returns
 * CAROM_ERROR_UNSUPPORTED. The caller destroys the mirror. */
carom_status carom_f32_copy_create(const carom_worlds *worlds, carom_worlds **mirror, carom_problem *problem);

/* Copies all states and parameters; reals are rounded. */
carom_status carom_f32_copy_set(carom_worlds *mirror, const carom_worlds *worlds);

#endif
