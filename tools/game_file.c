/* SPDX-License-Identifier: MIT
 * Games by name or from files, and their options: see game_file.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "game_file.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_object(const char *path)
{
    const size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".so") == 0) {
        return true;
    }
    struct stat about;
    if (strchr(path, '/') == NULL || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        return false;
    }
    char magic[4];
    FILE *file = fopen(path, "rb");
    const bool is = file != NULL && fread(magic, sizeof magic, 1, file) == 1 && memcmp(magic, "\177ELF", 4) == 0;
    if (file != NULL) {
        fclose(file);
    }
    return is;
}

const carom_game *carom_load_game(const char *name)
{
    const carom_game *game = carom_game_find(name);
    if (game == NULL && is_object(name)) {
        carom_problem problem;
        const carom_status status = carom_game_open(name, &game, &problem);
        if (status != CAROM_OK) {
            carom_die("%s: %s", name, problem.text[0] != '\0' ? problem.text : carom_status_string(status));
        }
    }
    return game;
}

/* ---- options ---- */

#define MOST_BYTES 4096

void carom_take_setting(const char *name, const char *text, void *to)
{
    game_settings *settings = (game_settings *)to;
    if (strchr(text, '=') == NULL) {
        carom_die("%s: '%s' is not NAME=VALUE", name, text);
    }
    if (settings->count == SETTINGS) {
        carom_die("--set: it can be given %d times", SETTINGS);
    }
    const size_t end = strlen(settings->all);
    const int length =
        snprintf(settings->all + end, sizeof settings->all - end, "%s%s", settings->count > 0 ? " " : "", text);
    if ((size_t)length >= sizeof settings->all - end) {
        carom_die("--set: too many options");
    }
    settings->texts[settings->count++] = text;
}

/* The option that a setting names, and its value in `text`. */
static carom_option find(const carom_game *game, const char **text)
{
    const size_t length = strcspn(*text, "=");
    carom_option option;
    char names[1024] = "";
    for (size_t k = 0; carom_game_option(game, k, &option) == CAROM_OK; k++) {
        if (strlen(option.name) == length && memcmp(option.name, *text, length) == 0) {
            *text += length + 1;
            return option;
        }
        const size_t end = strlen(names);
        snprintf(names + end, sizeof names - end, "%s%s", k > 0 ? ", " : "", option.name);
    }
    if (names[0] == '\0') {
        carom_die("--set: there are no options of a %s", carom_game_describe(game).name);
    }
    carom_die("--set: unknown option '%.*s' (%s has %s)", (int)length, *text, carom_game_describe(game).name, names);
}

static double parse(const carom_option *option, const char *text)
{
    char names[NAMES_SIZE];
    for (unsigned k = 0; option->choices != NULL && k <= (unsigned)option->high; k++) {
        if (strcmp(option->choices[k], text) == 0) {
            return k;
        }
    }
    if (option->choices != NULL) {
        carom_die("--set: %s: unknown choice '%s' (%s)", option->name, text, carom_option_range(option, names));
    }
    if (option->type == CAROM_OPTION_FLAG && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        return text[0] == 't';
    }
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0') {
        carom_die("--set: %s: '%s' is not a number", option->name, text);
    }
    return value;
}

static void set(const carom_game *game, void *options, const char *text, bool presets)
{
    static uint64_t seed; /* of the only option of that kind */
    const uint64_t *at = &seed;
    const carom_option option = find(game, &text);
    carom_problem problem;
    if (presets != (option.type == CAROM_OPTION_PRESET)) {
        return;
    }
    if (option.type == CAROM_OPTION_LIST) {
        carom_die("--set: %s: a list, which only programs can give", option.name);
    }
    if (option.type == CAROM_OPTION_SEED) {
        seed = carom_parse_count("--set: map_seed", text, 0, UINT64_MAX);
        memcpy((unsigned char *)options + option.offset, (const void *)&at, sizeof at);
    } else if (carom_game_set_option(game, options, option.name, parse(&option, text), &problem) != CAROM_OK) {
        carom_die("--set: %s", problem.text);
    }
}

const void *carom_set_options(const carom_game *game, const game_settings *settings)
{
    static max_align_t options[MOST_BYTES / sizeof(max_align_t)];
    if (settings->count == 0) {
        return NULL;
    }
    if (carom_game_options_size(game) > sizeof options) {
        carom_die("--set: too many options");
    }
    (void)carom_game_options_default(game, options);
    for (size_t k = 0; k < 2 * settings->count; k++) { /* presets first, wherever they stand */
        set(game, options, settings->texts[k % settings->count], k < settings->count);
    }
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_problem problem;
    desc.options = options;
    if (carom_game_check_options(&desc, &problem) != CAROM_OK) {
        carom_die("--set: %s", problem.text);
    }
    return options;
}

void carom_print_settings(const game_settings *settings)
{
    if (settings->count > 0) {
        printf(", \"options\": ");
        carom_json_string(settings->all);
    }
}

const char *carom_option_range(const carom_option *option, char text[NAMES_SIZE])
{
    text[0] = '\0';
    if (option->choices != NULL) {
        for (unsigned k = 0; k <= (unsigned)option->high; k++) {
            const size_t end = strlen(text);
            snprintf(text + end, NAMES_SIZE - end, "%s%s", k > 0 ? ", " : "", option->choices[k]);
        }
    } else if (option->type == CAROM_OPTION_SEED) {
        snprintf(text, NAMES_SIZE, "0 to %" PRIu64, UINT64_MAX);
    } else if (option->type == CAROM_OPTION_LIST) {
        snprintf(text, NAMES_SIZE, "a list, of programs");
    } else {
        snprintf(text, NAMES_SIZE, "%.10g %s %.10g", option->low, option->below ? "to below" : "to", option->high);
    }
    return text;
}
