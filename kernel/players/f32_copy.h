/* SPDX-License-Identifier: MIT
 * A batch in f32 that is set to what a batch in f64 holds: what a search in f32 plans in, beside games in f64.
 */
#ifndef CAROM_PLAYERS_F32_COPY_H
#define CAROM_PLAYERS_F32_COPY_H

#include <carom/worlds.h>

/* `worlds` must have its game's default options, for a batch does not tell its own: CAROM_ERROR_UNSUPPORTED if it has
 * others. The caller destroys the mirror. */
carom_status carom_f32_copy_create(const carom_worlds *worlds, carom_worlds **mirror, carom_problem *problem);

/* Sets all states and parameters; reals are rounded. */
carom_status carom_f32_copy_set(carom_worlds *mirror, const carom_worlds *worlds);

#endif
