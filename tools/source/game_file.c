/* SPDX-License-Identifier: MIT
 * Games by name or from files, and their options: see game_file.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "game_file.h"

#include "games/entry.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), last = strlen(ending);
    return length > last && strcmp(path + length - last, ending) == 0;
}

/* Loading a shared object runs its code. So a file with the name of a scene or a replay is never taken as one: their
 * readers refuse it. */
static bool is_object(const char *path)
{
    if (ends_in(path, ".so")) {
        return true;
    }
    struct stat about;
    if (ends_in(path, ".json") || ends_in(path, ".carom") || strchr(path, '/') == NULL || stat(path, &about) != 0 ||
        !S_ISREG(about.st_mode)) {
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

void carom_choose_policy(const carom_game *game, const char *name, size_t *policy)
{
    char names[NAMES_SIZE];
    if (carom_game_find_policy(game, name, policy) != CAROM_OK) {
        carom_die("--workload: unknown workload '%s' (%s has %s)", name, carom_game_describe(game).name,
                  carom_policy_names(game, names));
    }
}

void carom_choose_actions(const carom_game *game, const char *name, size_t *kind)
{
    char names[NAMES_SIZE];
    if (carom_game_find_action_kind(game, name, kind) != CAROM_OK) {
        carom_die("--actions: unknown kind of action '%s' (%s has %s)", name, carom_game_describe(game).name,
                  carom_kind_names(game, names));
    }
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

/* The option of a setting, and its value in `text`. */
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

/* ---- lists ---- */

/* Items are separated by '/', their numbers by ','. */
typedef struct list_form {
    const char *option, *form;
    size_t bytes; /* of an item */
    /* Makes an item; false if it cannot have that many numbers. Items last as long as the options. */
    bool (*make)(const double *numbers, size_t count, void *item);
} list_form;

static bool make_map(const double *numbers, size_t count, void *item)
{
    int32_t(*checkpoints)[2] = carom_allocate(count / 2 + 1, sizeof *checkpoints);
    bool good = count % 2 == 1 && numbers[0] > 0;
    for (size_t k = 0; k < count && good; k++) {
        good = numbers[k] == floor(numbers[k]) && fabs(numbers[k]) < INT32_MAX;
        if (good && k > 0) {
            checkpoints[(k - 1) / 2][(k - 1) % 2] = (int32_t)numbers[k];
        }
    }
    const uint32_t laps = good ? (uint32_t)numbers[0] : 0;
    *(carom_csb_map *)item = (carom_csb_map){(const int32_t(*)[2])checkpoints, (uint32_t)(count / 2), laps};
    return good;
}

static bool make_seed(const double *numbers, size_t count, void *item)
{
    *(int64_t *)item = (int64_t)numbers[0];
    return count == 1 && numbers[0] == floor(numbers[0]);
}

static bool make_body(const double *numbers, size_t count, void *item)
{
    carom_fall_body *body = (carom_fall_body *)item;
    if (count == 9) {
        *body = (carom_fall_body){numbers[0], numbers[1], numbers[2], numbers[3],     numbers[4],
                                  numbers[5], numbers[6], numbers[7], numbers[8] != 0};
        return true;
    }
    *body = (carom_fall_body){.fixed = 1, .corner_count = (uint32_t)(count / 2)};
    for (size_t k = 0; k < count && k < (size_t)2 * CAROM_FALL_CORNERS; k++) {
        body->corners[k / 2][k % 2] = numbers[k];
    }
    return count % 2 == 0 && count <= (size_t)2 * CAROM_FALL_CORNERS;
}

static const list_form list_forms[] = {
    {"maps", "LAPS,X,Y,X,Y,... of each map, with / between maps", sizeof(carom_csb_map), make_map},
    {"seeds", "SEED/SEED/...", sizeof(int64_t), make_seed},
    {"bodies", "X,Y,VX,VY,AX,AY,RADIUS,MASS,FIXED of a circle, X,Y,X,Y,... of a polygon, with / between bodies",
     sizeof(carom_fall_body), make_body}};

/* NULL: a list of a plug-in game, whose items are unknown. */
static const list_form *form_of(const carom_game *game, const carom_option *option)
{
    for (size_t k = 0; k < sizeof list_forms / sizeof list_forms[0]; k++) {
        if (strcmp(list_forms[k].option, option->name) == 0 && carom_game_entry_of(game) == NULL) {
            return &list_forms[k];
        }
    }
    return NULL;
}

static void set_list(const carom_game *game, const carom_option *option, void *options, const char *text)
{
    const list_form *form = form_of(game, option);
    if (form == NULL) {
        carom_die("--set: %s: a list, which can only be set from a program", option->name);
    }
    const size_t most = strlen(text) / 2 + 1; /* items, and numbers */
    double *numbers = carom_allocate(most, sizeof *numbers);
    unsigned char *items = carom_allocate(most, form->bytes);
    uint32_t count = 0;
    for (const char *at = text; count == 0 || at[-1] == '/';) {
        size_t length = 0;
        char *end;
        do {
            numbers[length] = strtod(at, &end);
            if (end == at || fabs(numbers[length]) > INT64_C(1) << 53) {
                carom_die("--set: %s: a list is expected: %s", option->name, form->form);
            }
            length++;
            at = end + (*end != '\0');
        } while (*end == ',');
        if ((*end != '/' && *end != '\0') || !form->make(numbers, length, items + count++ * form->bytes)) {
            carom_die("--set: %s: a list is expected: %s", option->name, form->form);
        }
        if (*end == '\0') {
            break;
        }
    }
    memcpy((unsigned char *)options + option->offset, (const void *)&items, sizeof items);
    memcpy((unsigned char *)options + option->count_offset, &count, sizeof count);
    free(numbers);
}

/* ---- single options ---- */

static double parse(const carom_game *game, const carom_option *option, const char *text)
{
    char names[NAMES_SIZE];
    for (unsigned k = 0; option->choices != NULL && k <= (unsigned)option->high; k++) {
        if (strcmp(option->choices[k], text) == 0) {
            return k;
        }
    }
    if (option->choices != NULL) {
        carom_die("--set: %s: unknown choice '%s' (%s)", option->name, text, carom_option_range(game, option, names));
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

/* Presets come first, since they set other options; lists last, since they determine their lengths. */
static unsigned turn_of(const carom_option *option)
{
    return option->type == CAROM_OPTION_PRESET ? 0 : option->type == CAROM_OPTION_LIST ? 2 : 1;
}

static void set(const carom_game *game, void *options, const char *text, unsigned turn)
{
    static uint64_t seed; /* for the only option of this type */
    const uint64_t *at = &seed;
    const carom_option option = find(game, &text);
    carom_problem problem;
    if (turn != turn_of(&option)) {
        return;
    }
    if (option.type == CAROM_OPTION_LIST) {
        set_list(game, &option, options, text);
    } else if (option.type == CAROM_OPTION_SEED) {
        seed = carom_parse_count("--set: map_seed", text, 0, UINT64_MAX);
        memcpy((unsigned char *)options + option.offset, (const void *)&at, sizeof at);
    } else if (carom_game_set_option(game, options, option.name, parse(game, &option, text), &problem) != CAROM_OK) {
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
    for (size_t k = 0; k < 3 * settings->count; k++) {
        set(game, options, settings->texts[k % settings->count], (unsigned)(k / settings->count));
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
        carom_json(", 'options': %s", settings->all);
    }
}

const char *carom_option_range(const carom_game *game, const carom_option *option, char text[NAMES_SIZE])
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
        const list_form *form = form_of(game, option);
        snprintf(text, NAMES_SIZE, "%s", form != NULL ? form->form : "a list, set by programs");
    } else {
        snprintf(text, NAMES_SIZE, "%.10g %s %.10g", option->low, option->below ? "to below" : "to", option->high);
    }
    return text;
}
