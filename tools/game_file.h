/* SPDX-License-Identifier: MIT
 * Games by name or from files, for the commands that play them.
 */
#ifndef CAROM_TOOLS_GAME_FILE_H
#define CAROM_TOOLS_GAME_FILE_H

#include "command.h"

/* The game of that name, or the one in that shared object (a name that ends in .so, or a file that is one). Dies if
 * there is something wrong with the object; NULL if `name` is neither. */
const carom_game *carom_load_game(const char *name);

#endif
