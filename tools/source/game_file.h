/* SPDX-License-Identifier: MIT
 * Games by name or from files, and their options, for the commands that play them.
 */
#ifndef CAROM_TOOLS_SOURCE_GAME_FILE_H
#define CAROM_TOOLS_SOURCE_GAME_FILE_H

#include "../command/command.h"

/* The game of that name, or the one in that shared object (a name that ends in .so, or a file that is one). Dies if the
 * object is invalid; NULL if `name` is neither. */
const carom_game *carom_load_game(const char *name);

/* The number of the policy named by --workload, or of the kind named by --actions; both die if there is none. */
void carom_choose_policy(const carom_game *game, const char *name, size_t *policy);
void carom_choose_actions(const carom_game *game, const char *name, size_t *kind);

#define SETTINGS 64

/* The arguments of --set, until the game is known. */
typedef struct game_settings {
    const char *texts[SETTINGS]; /* "NAME=VALUE" */
    size_t count;
    char all[4096]; /* joined by spaces */
} game_settings;

/* The row of --set, for a game_settings. */
void carom_take_setting(const char *name, const char *text, void *to);
#define SET                                                                                                            \
    CALL("--set NAME=VALUE", settings, carom_take_setting, NULL,                                                       \
         "an option of the game, such as ticks=100; carom info GAME lists them. May be given again")

/* The game's options for carom_worlds_desc.options; NULL if none was set. Static: they last until the process ends, for
 * a single game. Dies if they are invalid. */
const void *carom_set_options(const carom_game *game, const game_settings *settings);

/* `, "options": "ticks=100"`, if any option was set. */
void carom_print_settings(const game_settings *settings);

/* The valid values of an option: "1 to 11", "division_b, division_a, original". */
const char *carom_option_range(const carom_game *game, const carom_option *option, char text[NAMES_SIZE]);

#endif
