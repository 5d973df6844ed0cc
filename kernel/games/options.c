/* SPDX-License-Identifier: MIT
 * Options of games, read and written through each game's table of options: see carom/game.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/little.h"
#include "base/problem.h"
#include "games/game.h"

carom_status carom_game_option(const carom_game *game, size_t index, carom_option *option)
{
    if (game == NULL || option == NULL || game->options == NULL || index >= game->options->count) {
        return CAROM_ERROR_ARGUMENT;
    }
    *option = game->options->table[index];
    return CAROM_OK;
}

carom_status carom_game_find_option(const carom_game *game, const char *name, size_t *index)
{
    carom_option option;
    for (size_t k = 0; name != NULL && index != NULL && carom_game_option(game, k, &option) == CAROM_OK; k++) {
        if (strcmp(option.name, name) == 0) {
            *index = k;
            return CAROM_OK;
        }
    }
    return CAROM_ERROR_ARGUMENT;
}

size_t carom_game_options_size(const carom_game *game)
{
    return game != NULL && game->options != NULL ? game->options->bytes : 0;
}

/* ---- members ---- */

/* Is the option a single number in the structure? Presets, seeds and lists are not. */
static bool is_plain(const carom_option *option)
{
    return option->type <= CAROM_OPTION_CHOICE;
}

double carom_option_get(const carom_option *option, const void *options)
{
    const unsigned char *at = (const unsigned char *)options + option->offset;
    double number = 0;
    if (option->type == CAROM_OPTION_NUMBER) {
        memcpy(&number, at, sizeof number);
    } else if (is_plain(option)) {
        number = (double)(uint32_t)number_bits(at, option->bytes);
    }
    return number;
}

/* Writes a plain option; does nothing for others. */
static void put(const carom_option *option, void *options, double value)
{
    unsigned char *at = (unsigned char *)options + option->offset;
    if (option->type == CAROM_OPTION_NUMBER) {
        memcpy(at, &value, sizeof value);
    } else if (is_plain(option)) {
        number_put(at, (uint32_t)value, option->bytes);
    }
}

carom_status carom_game_options_default(const carom_game *game, void *options)
{
    const size_t bytes = carom_game_options_size(game);
    if (bytes == 0 || options == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    memset(options, 0, bytes);
    memcpy(options, &bytes, sizeof bytes);
    for (size_t k = 0; k < game->options->count; k++) {
        put(&game->options->table[k], options, game->options->table[k].value);
    }
    return CAROM_OK;
}

/* ---- checks ---- */

/* Is the value in the option's range and, unless it is a NUMBER, whole? */
static bool fits(const carom_option *option, double value)
{
    return value >= option->low && value <= option->high && (!option->below || value < option->high) &&
           (option->type == CAROM_OPTION_NUMBER || value == (double)(uint32_t)value); /* false for NaN */
}

/* Writes to *problem why a value does not fit, and returns `status`. */
static carom_status refuse(const carom_option *option, double value, carom_status status, carom_problem *problem)
{
    /* Numbers: report the range, or that a whole number is needed. A value beyond int64_t counts as whole, since the
     * range is then the better reason. */
    if (option->choices == NULL) {
        const bool fits = value > -0x1p62 && value < 0x1p62; /* false for NaN */
        const bool whole =
            option->type == CAROM_OPTION_NUMBER || (fits ? value == (double)(int64_t)value : value == value);
        return carom_wrong(problem, status, "%s: %.10g is %s between %.10g and %s%.10g", option->name, value,
                           whole ? "not" : "not a whole number", option->low, option->below ? "below " : "",
                           option->high);
    }

    /* Choices: list their names. */
    char names[160] = "";
    for (unsigned k = 0; k <= (unsigned)option->high; k++) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", k > 0 ? ", " : "", option->choices[k]);
    }
    return carom_wrong(problem, status, "%s: there is no choice %.10g of %s", option->name, value, names);
}

carom_status carom_game_set_option(const carom_game *game, void *options, const char *name, double value,
                                   carom_problem *problem)
{
    size_t index;
    if (options == NULL || name == NULL || carom_game_find_option(game, name, &index) != CAROM_OK) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "there is no option '%.100s'", name != NULL ? name : "");
    }

    const carom_option *option = &game->options->table[index];
    if (!is_plain(option) && option->type != CAROM_OPTION_PRESET) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "%s: a pointer, not a number", name);
    }

    if (!fits(option, value)) {
        return refuse(option, value, CAROM_ERROR_VALUE, problem);
    }

    /* A preset fills the whole structure, not a member of it. */
    if (option->type == CAROM_OPTION_PRESET) {
        game->options->preset(options, (unsigned)value);
    } else {
        put(option, options, value);
    }
    return CAROM_OK;
}

carom_status carom_game_check_options(const carom_worlds_desc *desc, carom_problem *problem)
{
    carom_wrong(problem, CAROM_OK, "%s", "");
    if (desc == NULL || desc->size != sizeof *desc || desc->game == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* No options: the defaults, which are valid. Any game allows that. */
    const game_options *about = desc->game->options;
    if (desc->options == NULL) {
        return CAROM_OK;
    }
    if (about == NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "%s has no options", desc->game->info.name);
    }

    /* Another size: the options of another game or version. Nothing else in them can then be read. */
    size_t size;
    memcpy(&size, desc->options, sizeof size);
    if (size != about->bytes) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "these are not options of %s: their size is %zu",
                           desc->game->info.name, size);
    }

    /* Check each option alone, then what only the game knows about several together. */
    for (size_t k = 0; k < about->count; k++) {
        const carom_option *option = &about->table[k];
        const double value = carom_option_get(option, desc->options);
        if (is_plain(option) && !fits(option, value)) {
            return refuse(option, value,
                          option->type == CAROM_OPTION_NUMBER ? about->out_of_range : CAROM_ERROR_ARGUMENT, problem);
        }
    }

    return about->check != NULL ? about->check(desc, problem) : CAROM_OK;
}

carom_status carom_options_read(const carom_worlds_desc *desc, void *options)
{
    const carom_status status = carom_game_check_options(desc, NULL);
    if (desc->options == NULL) {
        return carom_game_options_default(desc->game, options);
    }
    if (status == CAROM_OK) {
        memcpy(options, desc->options, desc->game->options->bytes);
    }
    return status;
}
