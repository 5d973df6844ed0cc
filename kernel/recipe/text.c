/* SPDX-License-Identifier: MIT
 * A recipe as text: a line for each part, always in the same order, the digests, and a checksum of all of these. There
 * is only one way to write a recipe, so a text that is read is written again and must be identical: any change in it,
 * even of one byte, is damage.
 */
#include "recipe/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/problem.h"
#include "games/game.h"

#define TITLE "carom recipe "
#define CHECK "check "
#define CHECK_BYTES (sizeof CHECK - 1 + 16 + 1) /* the line */
#define A_LINE 6                                /* digests of a line */
#define MISSING "----------------"
static const char *const ends[] = {[CAROM_PLAY_ON] = "play_on", [CAROM_FREEZE] = "freeze", [CAROM_RESET] = "reset"};

/* ---- writing ---- */

/* A text that grows; it has failed once it would be too long. */
typedef struct pen {
    char *text; /* [CAROM_RECIPE_BYTES] */
    size_t length;
    bool failed;
} pen;

static void put(pen *to, const char *text)
{
    const size_t length = strlen(text);
    to->failed = to->failed || length > CAROM_RECIPE_BYTES - to->length;
    if (!to->failed) {
        memcpy(to->text + to->length, text, length);
        to->length += length;
    }
}

static void put_line(pen *to, const char *key, const char *value)
{
    put(to, key);
    put(to, " ");
    put(to, value);
    put(to, "\n");
}

static void put_count(pen *to, const char *key, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    put_line(to, key, text);
}

static void put_word(pen *to, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, number);
    put(to, text);
}

/* The options that differ from their defaults. */
static void put_options(pen *to, const carom_recipe *r)
{
    const game_options *about = r->desc.game->options;
    for (size_t k = 0; r->options.bytes != NULL && k < about->count; k++) {
        const carom_option *option = &about->table[k];
        char text[160], number[32];
        const uint64_t *seed = NULL;
        if (option->type == CAROM_OPTION_SEED) {
            memcpy((void *)&seed, r->options.bytes + option->offset, sizeof seed);
        }
        carom_print_number(carom_option_get(option, r->options.bytes), number);
        if (seed != NULL) {
            snprintf(text, sizeof text, "%s %" PRIu64, option->name, *seed);
            put_line(to, "option", text);
        } else if (option->type <= CAROM_OPTION_CHOICE && carom_option_get(option, r->options.bytes) != option->value) {
            snprintf(text, sizeof text, "%s %s", option->name, number);
            put_line(to, "option", text);
        }
    }
}

carom_status carom_recipe_write(const carom_recipe *recipe, char text[CAROM_RECIPE_BYTES], size_t *length)
{
    if (recipe == NULL || text == NULL || length == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_recipe_desc *desc = &recipe->desc;
    const carom_game *game = desc->game;
    pen to = {text, 0, false};
    carom_observation_kind seen = carom_game_seen(game, desc->observation_kind);
    carom_reward_kind rewarded = {"game", 1};
    (void)carom_game_reward_kind(game, desc->reward_kind, &rewarded);

    put_count(&to, "carom recipe", RECIPE_FORMAT);
    put_line(&to, "version", carom_version());
    if (recipe->scene_text != NULL) {
        put_line(&to, "scene", recipe->scene_text);
    } else {
        put_line(&to, "game", game->info.name);
    }
    put(&to, "content ");
    put_word(&to, recipe->content);
    put(&to, "\n");
    put_options(&to, recipe);
    put_count(&to, "worlds", desc->worlds);
    put_count(&to, "ticks", desc->ticks);
    put_count(&to, "seed", desc->seed);
    put_line(&to, "precision", desc->precision == CAROM_F32 ? "f32" : "f64");
    put_line(&to, "at-end", ends[desc->at_end]);
    put_line(&to, "actions", game->kinds[desc->action_kind].name);
    put_line(&to, "observations", seen.name);
    put_line(&to, "rewards", rewarded.name);
    for (uint32_t p = 0; p < game->info.players; p++) {
        put_line(&to, "player", recipe->players[p].text);
    }
    put_count(&to, "blocks", desc->blocks);
    for (size_t b = 0; b < desc->blocks; b++) {
        if (recipe->known[b]) {
            put_word(&to, recipe->digests[b]);
        } else {
            put(&to, MISSING);
        }
        put(&to, b + 1 == desc->blocks || (b + 1) % A_LINE == 0 ? "\n" : " ");
    }

    /* The checksum of the above. */
    const uint64_t sum = hash_bytes(RECIPE_FORMAT, to.text, to.length);
    put(&to, CHECK);
    put_word(&to, sum);
    put(&to, "\n");
    *length = to.failed ? 0 : to.length;
    return to.failed ? CAROM_ERROR_SIZE : CAROM_OK;
}

/* ---- reading ---- */

/* A text that is read line by line. Reading a line terminates it with a 0. */
typedef struct reader {
    char *next;
    bool failed;
} reader;

/* The rest of the next line, if it begins with `key` and a space; otherwise NULL, and the line is still the next. */
static char *take_line(reader *from, const char *key)
{
    const size_t length = strlen(key);
    char *line = from->next, *end = strchr(line, '\n');
    if (end == NULL || strncmp(line, key, length) != 0 || line[length] != ' ') {
        return NULL;
    }
    *end = '\0';
    from->next = end + 1;
    return line + length + 1;
}

/* The same for a required line: "" if it is missing. */
static const char *need_line(reader *from, const char *key)
{
    const char *line = take_line(from, key);
    from->failed = from->failed || line == NULL;
    return line != NULL ? line : "";
}

static uint64_t need_count(reader *from, const char *key)
{
    uint64_t number = 0;
    from->failed = !carom_read_count(need_line(from, key), &number) || from->failed;
    return number;
}

/* Exactly 16 hexadecimal digits. */
static bool read_word(const char *text, uint64_t *number)
{
    uint64_t value = 0;
    for (int k = 0; k < 16; k++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = text[k] != '\0' ? strchr(digits, text[k]) : NULL;
        if (digit == NULL) {
            return false;
        }
        value = value << 4 | (uint64_t)(digit - digits);
    }
    *number = value;
    return true;
}

/* Finds the game, or makes the scene of the text in the next line. */
static carom_status read_game(reader *from, carom_recipe_desc *desc, carom_scene **scene, char **scene_text,
                              carom_problem *problem)
{
    const char *line = take_line(from, "scene");
    if (line != NULL) {
        const size_t length = strlen(line);
        const carom_status status = carom_replay_read_scene(line, length, scene, problem);
        if (status != CAROM_OK) {
            return status;
        }
        *scene_text = (char *)malloc(length + 1);
        if (*scene_text == NULL) {
            return CAROM_ERROR_MEMORY;
        }
        memcpy(*scene_text, line, length + 1);
        desc->game = carom_scene_game(*scene);
        return CAROM_OK;
    }
    line = need_line(from, "game");
    desc->game = carom_game_find(line);
    return desc->game != NULL
               ? CAROM_OK
               : carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "a recipe of the unknown game %.64s", line);
}

/* Sets the options in the next lines. `options`: their memory. */
static carom_status read_options(reader *from, carom_recipe_desc *desc, replay_options *options, carom_problem *problem)
{
    for (char *line = take_line(from, "option"); line != NULL; line = take_line(from, "option")) {
        if (options->bytes == NULL) {
            const size_t bytes = carom_game_options_size(desc->game);
            options->bytes = bytes > 0 ? (unsigned char *)malloc(bytes) : NULL;
            if (options->bytes == NULL) {
                return bytes > 0 ? CAROM_ERROR_MEMORY
                                 : carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has no options", desc->game->info.name);
            }
            (void)carom_game_options_default(desc->game, options->bytes);
            desc->options = options->bytes;
        }

        char *value = strchr(line, ' ');
        double number = 0;
        size_t index = 0;
        if (value != NULL) {
            *value++ = '\0';
        }
        if (value == NULL || carom_game_find_option(desc->game, line, &index) != CAROM_OK) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has no option '%.64s'", desc->game->info.name, line);
        }
        const carom_option *option = &desc->game->options->table[index];
        if (option->type == CAROM_OPTION_SEED) {
            const uint64_t *seed = &options->seed;
            from->failed = !carom_read_count(value, &options->seed) || from->failed;
            memcpy(options->bytes + option->offset, (const void *)&seed, sizeof seed);
        } else if (!carom_read_number(value, &number)) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: '%.64s' is not a number", line, value);
        } else if (carom_game_set_option(desc->game, options->bytes, line, number, problem) != CAROM_OK) {
            return CAROM_ERROR_FORMAT;
        }
    }
    return CAROM_OK;
}

/* Reads the lines between the options and the digests. */
static void read_numbers(reader *from, carom_recipe_desc *desc)
{
    const carom_game *game = desc->game;
    desc->worlds = need_count(from, "worlds");
    desc->ticks = need_count(from, "ticks");
    desc->seed = need_count(from, "seed");
    desc->precision = strcmp(need_line(from, "precision"), "f32") == 0 ? CAROM_F32 : CAROM_F64;
    const char *end = need_line(from, "at-end");
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        desc->at_end = strcmp(end, ends[k]) == 0 ? (carom_at_end)k : desc->at_end;
    }
    const char *name = need_line(from, "actions");
    from->failed = carom_game_find_action_kind(game, name, &desc->action_kind) != CAROM_OK || from->failed;
    name = need_line(from, "observations");
    from->failed = carom_game_find_observation_kind(game, name, &desc->observation_kind) != CAROM_OK || from->failed;
    name = need_line(from, "rewards");
    from->failed = carom_game_find_reward_kind(game, name, &desc->reward_kind) != CAROM_OK || from->failed;
    for (uint32_t p = 0; p < game->info.players; p++) {
        desc->players[p] = need_line(from, "player");
    }
    desc->blocks = (size_t)need_count(from, "blocks");
}

/* The digests; missing ones stay missing. */
static void read_digests(reader *from, carom_recipe *r)
{
    const char *at = from->next;
    for (size_t b = 0; b < r->desc.blocks && !from->failed; b++) {
        r->known[b] = read_word(at, &r->digests[b]);
        from->failed = !r->known[b] && strncmp(at, MISSING, 16) != 0;
        at += from->failed ? 0 : 17; /* the separators are compared with the rest */
    }
}

/* Reads the lines of `copy`, which it cuts up. */
static carom_status read_lines(char *copy, carom_recipe **recipe, carom_problem *problem)
{
    reader from = {copy, false};
    carom_recipe_desc desc = carom_recipe_desc_default(NULL);
    replay_options options;
    carom_scene *scene = NULL;
    char *scene_text = NULL;
    uint64_t content = 0;
    memset(&options, 0, sizeof options);

    const uint64_t format = need_count(&from, "carom recipe");
    const char *version = need_line(&from, "version");
    if (from.failed) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "it does not begin like a recipe");
    }
    if (format != RECIPE_FORMAT || strcmp(version, carom_version()) != 0) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                           "the recipe is of format %" PRIu64 " and was made by Carom %.32s: this is Carom %s, with "
                           "format %d. Another version may give other results",
                           format, version, carom_version(), RECIPE_FORMAT);
    }

    carom_status status = read_game(&from, &desc, &scene, &scene_text, problem);
    if (status == CAROM_OK) {
        from.failed = !read_word(need_line(&from, "content"), &content) || from.failed;
        status = read_options(&from, &desc, &options, problem);
    }
    if (status == CAROM_OK) {
        read_numbers(&from, &desc);
        status = from.failed ? carom_wrong(problem, CAROM_ERROR_FORMAT, "the recipe contradicts itself") : CAROM_OK;
    }
    if (status == CAROM_OK) {
        status = carom_recipe_make(&desc, scene, scene_text, recipe, problem);
    } else {
        carom_scene_destroy(scene);
        free(scene_text);
    }
    carom_replay_drop_options(&options);
    if (status != CAROM_OK) {
        return status == CAROM_ERROR_MEMORY || status == CAROM_ERROR_UNSUPPORTED ? status : CAROM_ERROR_FORMAT;
    }

    if ((*recipe)->content != content) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "the recipe is of another version of %s than this one",
                           (*recipe)->desc.game->info.name);
    }
    read_digests(&from, *recipe);
    return from.failed ? carom_wrong(problem, CAROM_ERROR_FORMAT, "the recipe contradicts itself") : CAROM_OK;
}

carom_status carom_recipe_parse(const char *text, size_t length, carom_recipe **recipe, carom_problem *problem)
{
    carom_wrong(problem, CAROM_OK, "%s", "");
    if (recipe != NULL) {
        *recipe = NULL;
    }
    if (text == NULL || recipe == NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "no text, or no pointer for the recipe");
    }

    const size_t title = sizeof TITLE - 1;
    if (length < title || memcmp(text, TITLE, title) != 0) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "not a recipe");
    }
    if (length > CAROM_RECIPE_BYTES) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "a text of %zu bytes: a recipe has at most %d", length,
                           CAROM_RECIPE_BYTES);
    }

    /* The checksum comes first: only what it covers can be trusted, including the version. */
    const size_t body = length > CHECK_BYTES ? length - CHECK_BYTES : 0;
    uint64_t sum = 0;
    if (memcmp(text + body, CHECK, sizeof CHECK - 1) != 0 || !read_word(text + body + sizeof CHECK - 1, &sum) ||
        text[length - 1] != '\n' || sum != hash_bytes(RECIPE_FORMAT, text, body)) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the recipe is damaged: its checksum is not that of its text");
    }

    char copy[CAROM_RECIPE_BYTES + 1], again[CAROM_RECIPE_BYTES];
    size_t written = 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    carom_status status = read_lines(copy, recipe, problem);
    if (status == CAROM_OK && (carom_recipe_write(*recipe, again, &written) != CAROM_OK || written != length ||
                               memcmp(again, text, length) != 0)) {
        status = carom_wrong(problem, CAROM_ERROR_FORMAT, "the recipe is not written as Carom writes it");
    }
    if (status != CAROM_OK) {
        carom_recipe_destroy(*recipe);
        *recipe = NULL;
    }
    return status;
}
