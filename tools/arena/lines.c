/* SPDX-License-Identifier: MIT
 * Carom's lines: see lines.h.
 */
#include "lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"

#define NUMBER_BYTES 32 /* the most of a number, including its space */
#define MESSAGE_BYTES 4096
#define CSB_LEAST_THRUST (-9999) /* as in csb's own protocol: below it a pod could leave the range of the world */

/* ---- text ---- */

__attribute__((format(printf, 2, 3))) static void add(lines_text *text, const char *format, ...)
{
    for (;;) {
        const size_t room = text->room - text->length;
        va_list list;
        va_start(list, format);
        const int written = vsnprintf(text->bytes != NULL ? text->bytes + text->length : NULL, room, format, list);
        va_end(list);
        if (written >= 0 && (size_t)written < room) {
            text->length += (size_t)written;
            return;
        }
        const size_t wider = 2 * text->room + (size_t)(written < 0 ? 0 : written) + 1;
        char *bytes = (char *)realloc(text->bytes, wider);
        if (written < 0 || bytes == NULL) {
            carom_die("no memory for the input of a program");
        }
        text->bytes = bytes;
        text->room = wider;
    }
}

static void add_float(lines_text *text, float number)
{
    add(text, " %.9g", (double)number);
}

/* ---- the greeting ---- */

/* Appends the value of an option; for a list the text given to --set. */
static void add_option(const lines_protocol *lines, const carom_option *option, const unsigned char *set,
                       lines_text *text)
{
    const unsigned char *member = set + option->offset;
    add(text, "option %s ", option->name);
    if (option->type == CAROM_OPTION_LIST) {
        const game_settings *settings = &lines->options->settings;
        const char *given = "none";
        for (size_t k = 0; k < settings->count; k++) {
            const size_t length = strlen(option->name);
            if (strncmp(settings->texts[k], option->name, length) == 0 && settings->texts[k][length] == '=') {
                given = settings->texts[k] + length + 1;
            }
        }
        add(text, "%s\n", given);
    } else if (option->type == CAROM_OPTION_SEED) {
        const uint64_t *seed;
        memcpy((void *)&seed, member, sizeof seed);
        if (seed != NULL) {
            add(text, "%" PRIu64 "\n", *seed);
        } else {
            add(text, "none\n");
        }
    } else if (option->type == CAROM_OPTION_NUMBER) {
        double number;
        memcpy(&number, member, sizeof number);
        add(text, "%.17g\n", number);
    } else {
        const uint32_t number = (uint32_t)number_bits(member, option->bytes);
        if (option->choices != NULL && number <= (uint32_t)option->high) {
            add(text, "%s\n", option->choices[number]);
        } else {
            add(text, "%" PRIu32 "\n", number);
        }
    }
}

static void add_options(const lines_protocol *lines, lines_text *text)
{
    const carom_game *game = lines->options->game;
    const unsigned char *set = (const unsigned char *)lines->options->set;
    unsigned char *defaults = NULL;
    if (set == NULL) {
        defaults = (unsigned char *)carom_allocate(1, carom_game_options_size(game) + 1);
        (void)carom_game_options_default(game, defaults);
        set = defaults;
    }
    carom_option option;
    for (size_t k = 0; carom_game_option(game, k, &option) == CAROM_OK; k++) {
        if (option.type != CAROM_OPTION_PRESET) { /* presets only set other options */
            add_option(lines, &option, set, text);
        }
    }
    free(defaults);
}

lines_protocol carom_lines_open(const arena_options *options, size_t action)
{
    lines_protocol lines = {
        .options = options, .players = carom_game_describe(options->game).players, .action_index = action};
    carom_demand(carom_game_action_kind(options->game, action, &lines.action), "find the kind of action");
    carom_demand(carom_game_observation_kind(options->game, options->observation, &lines.observation),
                 "find the kind of observation");
    return lines;
}

size_t carom_lines_room(const lines_protocol *lines)
{
    return (size_t)NUMBER_BYTES * lines->action.size + MESSAGE_BYTES;
}

void carom_lines_greet(const lines_protocol *lines, const carom_worlds *world, unsigned seat, lines_text *text)
{
    const arena_options *options = lines->options;
    const carom_worlds_desc desc = carom_worlds_describe(world);
    add(text, "carom %d\n", LINES_VERSION);
    add(text, "game %s\n", carom_game_describe(options->game).name);
    add(text, "players %zu\nseat %u\nseed %" PRIu64 "\nworld %" PRIu64 "\n", lines->players, seat, desc.seed,
        desc.first_id);
    add_options(lines, text);
    add(text, "time %.9g %.9g\n", options->first_ms, options->ms);
    add(text, "action %s %s %u\n", lines->action.name, lines->action.precision == CAROM_F32 ? "f32" : "f64",
        lines->action.size);
    add(text, "observation %s %u %u\n", lines->observation.name, lines->observation.agents, lines->observation.size);
    for (uint32_t k = 0; k < lines->observation.size; k++) {
        carom_number number;
        carom_demand(carom_game_observation_number(options->game, options->observation, k, &number),
                     "name what is observed");
        add(text, "number");
        add_float(text, number.low);
        add_float(text, number.high);
        add(text, " %s; %s\n", number.name, number.unit);
    }
    add(text, "ready\n");
}

/* ---- a turn ---- */

static void add_did(const lines_protocol *lines, const void *did, lines_text *text)
{
    const float *singles = (const float *)did;
    const double *doubles = (const double *)did;
    for (size_t p = 0; p < lines->players; p++) {
        add(text, "did");
        for (size_t k = 0; k < lines->action.size; k++) {
            const size_t at = p * lines->action.size + k;
            if (lines->action.precision == CAROM_F32) {
                add_float(text, singles[at]);
            } else {
                add(text, " %.17g", doubles[at]);
            }
        }
        add(text, "\n");
    }
}

void carom_lines_tell(const lines_protocol *lines, carom_worlds *world, unsigned seat, const void *did,
                      lines_text *text)
{
    const size_t agents = lines->observation.agents, size = lines->observation.size;
    float *seen = (float *)carom_allocate(lines->players * agents * size, sizeof *seen);
    int32_t tick;
    carom_step step = carom_step_default();
    step.observations = seen;
    step.observation_kind = lines->options->observation;
    carom_demand(carom_worlds_observe_step(world, &step), "observe");
    carom_protocol_get(world, 0, "tick", &tick);

    add(text, "turn %" PRId32 "\n", tick);
    if (did != NULL) {
        add_did(lines, did, text);
    }
    for (size_t a = 0; a < agents; a++) {
        const float *row = seen + (seat * agents + a) * size;
        add(text, "see");
        for (size_t k = 0; k < size; k++) {
            add_float(text, row[k]);
        }
        add(text, "\n");
    }
    add(text, "go\n");
    free(seen);
}

/* Whether a world can take these numbers. Anything else that is forbidden is up to the rules. */
static bool may_be_given(const lines_protocol *lines, const void *numbers)
{
    const double *referee = (const double *)numbers; /* x, y, thrust of each pod */
    return strcmp(carom_game_describe(lines->options->game).name, "csb") != 0 ||
           (referee[2] >= CSB_LEAST_THRUST && referee[5] >= CSB_LEAST_THRUST);
}

bool carom_lines_read(const lines_protocol *lines, const char *line, void *numbers, const char **message)
{
    const bool single = lines->action.precision == CAROM_F32;
    const char *at = line;
    for (size_t k = 0; k < lines->action.size; k++) {
        char *end;
        double number;
        if (single) {
            const float value = strtof(at, &end);
            ((float *)numbers)[k] = value;
            number = (double)value;
        } else {
            number = ((double *)numbers)[k] = strtod(at, &end);
        }
        if (end == at || !isfinite(number) || (*end != '\0' && *end != ' ' && *end != '\t' && *end != '#')) {
            return false;
        }
        at = end;
    }
    at += strspn(at, " \t");
    *message = *at == '#' ? at + 1 + strspn(at + 1, " \t") : NULL;
    return (*at == '\0' || *at == '#') && may_be_given(lines, numbers);
}
