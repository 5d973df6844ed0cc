/* SPDX-License-Identifier: MIT
 * libFuzzer: what contests and programs say. The first byte chooses: the referee's input of a bot for csb (c) or
 * fantastic_bits (f), read for a few turns; or a player's lines, one an answer, in the contests' protocols (C, F) or in
 * Carom's lines for each game (0 to 4).
 */
#define _POSIX_C_SOURCE 200809L

#include "fuzz_command.h"

#include "arena/lines.h"
#include "bot/protocol.h"
#include "bot/track.h"
#include "command/command.h"

#include <math.h>

#define MOST_TURNS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    const uint8_t *data;
    size_t size;
    FILE *stream;
    tracker *tracked;
    char *line;
} input;

/* ---- a referee's input ---- */

static int follow(void *what)
{
    input *in = (input *)what;
    static const double none[PROTOCOL_LINES * PROTOCOL_NUMBERS];
    in->tracked = carom_track_create(in->data[0] == 'c' ? "csb" : "fantastic_bits", NULL);
    bool more = carom_track_begin(in->tracked, in->stream);
    for (int turn = 0; turn < MOST_TURNS && more; turn++) {
        more = carom_track_turn(in->tracked, in->stream);
        if (more) {
            carom_track_answer(in->tracked, none);
        }
    }
    return 0;
}

/* ---- answers ---- */

static void read_contest(const char *game, const char *line)
{
    const protocol *speech = carom_protocol_find(game);
    double numbers[PROTOCOL_NUMBERS] = {0};
    if (speech->read(line, numbers)) {
        for (unsigned k = 0; k < speech->numbers; k++) {
            if (!isfinite(numbers[k])) {
                abort();
            }
        }
    }
}

static void read_lines(size_t game, const char *line)
{
    static arena_options options;
    options.game = carom_game_at(game);
    size_t kind = 0;
    const char *name = options.game == carom_game_find("csb") || options.game == carom_game_find("fantastic_bits")
                           ? "referee"
                           : "normalised";
    carom_demand(carom_game_find_action_kind(options.game, name, &kind), "find the kind of action");
    const lines_protocol lines = carom_lines_open(&options, kind);
    const size_t bytes = lines.action.size * (lines.action.precision == CAROM_F32 ? sizeof(float) : sizeof(double));
    void *numbers = carom_allocate(bytes, 1);
    const char *message;
    if (carom_lines_read(&lines, line, numbers, &message) && message != NULL &&
        (message < line || message > line + strlen(line))) {
        abort();
    }
    free(numbers);
}

static int answer(void *what)
{
    const input *in = (const input *)what;
    const uint8_t *at = in->data + 1, *end = in->data + in->size;
    while (at < end) {
        const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = stop != NULL ? (size_t)(stop - at) : (size_t)(end - at);
        memcpy(in->line, at, length);
        in->line[length] = '\0';
        if (in->data[0] == 'C') {
            read_contest("csb", in->line);
        } else if (in->data[0] == 'F') {
            read_contest("fantastic_bits", in->line);
        } else {
            read_lines((size_t)(in->data[0] - '0'), in->line);
        }
        at += length + 1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size, NULL, NULL, NULL};
    const bool game = size > 0 && data[0] >= '0' && (size_t)(data[0] - '0') < carom_game_count();
    if (size < 2) {
        return 0;
    }
    if (data[0] == 'c' || data[0] == 'f') {
        in.stream = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "rb");
        if (in.stream == NULL) {
            abort();
        }
        fuzz_try(follow, &in);
        fclose(in.stream);
        if (in.tracked != NULL) {
            carom_track_destroy(in.tracked);
        }
    } else if (data[0] == 'C' || data[0] == 'F' || game) {
        in.line = (char *)malloc(size);
        if (in.line == NULL) {
            abort();
        }
        fuzz_try(answer, &in);
        free(in.line);
    }
    return 0;
}
