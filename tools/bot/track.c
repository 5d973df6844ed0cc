/* SPDX-License-Identifier: MIT
 * Code common to the trackers of all games: see track.h.
 */
#include "track.h"
#include "../command/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void demand(carom_status status, const char *doing)
{
    if (status != CAROM_OK) {
        carom_die("tracking: cannot %s: %s", doing, carom_status_string(status));
    }
}

tracker *carom_track_create(const char *game, const void *options)
{
    static const track_game *const all[] = {&carom_track_csb, &carom_track_fantastic_bits};
    tracker *made = (tracker *)carom_allocate(1, sizeof *made);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i]->game, game) == 0) {
            made->how = all[i];
        }
    }
    if (made->how == NULL) {
        carom_die("cannot track the game '%s'", game);
    }
    made->game = carom_game_find(game);
    made->options = options;
    demand(carom_game_find_action_kind(made->game, "referee", &made->referee), "find the referee's actions");
    return made;
}

void carom_track_destroy(tracker *tracked)
{
    tracked->how->free(tracked);
    carom_worlds_destroy(tracked->world);
    carom_worlds_destroy(tracked->trials);
    free(tracked);
}

bool carom_track_begin(tracker *tracked, FILE *input)
{
    return tracked->how->begin(tracked, input);
}

bool carom_track_turn(tracker *tracked, FILE *input)
{
    const bool read = tracked->how->turn(tracked, input);
    tracked->turn += read;
    return read;
}

void carom_track_answer(tracker *tracked, const double *numbers)
{
    const size_t count = (size_t)PROTOCOL_LINES * carom_protocol_find(tracked->how->game)->numbers;
    memcpy(tracked->answer, numbers, count * sizeof *numbers);
}

const carom_worlds *carom_track_world(const tracker *tracked)
{
    return tracked->world;
}

unsigned carom_track_player(const tracker *tracked)
{
    return tracked->player;
}

bool carom_track_line(FILE *input, char line[TRACK_LINE])
{
    if (fgets(line, TRACK_LINE, input) == NULL) {
        return false;
    }
    const size_t length = strcspn(line, "\r\n");
    if (line[length] == '\0' && length + 1 >= TRACK_LINE) {
        carom_track_refuse(line);
    }
    line[length] = '\0';
    return true;
}

void carom_track_refuse(const char *line)
{
    carom_die("the referee's line '%.60s' cannot be read", line);
}

void carom_track_numbers(const char *line, size_t count, double *numbers)
{
    const char *at = line;
    for (size_t k = 0; k < count; k++) {
        char *end;
        numbers[k] = strtod(at, &end);
        if (end == at || !isfinite(numbers[k])) {
            carom_track_refuse(line);
        }
        at = end;
    }
    if (at[strspn(at, " \t")] != '\0') {
        carom_track_refuse(line);
    }
}

void carom_track_make(tracker *tracked, const void *options, size_t trials)
{
    carom_worlds_desc desc = carom_worlds_desc_default(tracked->game);
    desc.options = options;
    desc.at_end = CAROM_PLAY_ON;
    desc.threads = 1;
    demand(carom_worlds_create(&desc, &tracked->world), "create worlds");
    desc.count = trials;
    demand(carom_worlds_create(&desc, &tracked->trials), "create worlds");
}

static size_t field_of(const carom_worlds *worlds, const char *name)
{
    size_t field;
    demand(carom_worlds_find_field(worlds, name, &field), name);
    return field;
}

void carom_track_get(const carom_worlds *worlds, const char *name, size_t count, void *values)
{
    demand(carom_worlds_get(worlds, field_of(worlds, name), 0, count, values), "read a state");
}

void carom_track_set(carom_worlds *worlds, const char *name, size_t count, const void *values)
{
    demand(carom_worlds_set(worlds, field_of(worlds, name), 0, count, values), "take the referee's input");
}

void carom_track_play(const tracker *tracked, carom_worlds *worlds, const double *actions)
{
    carom_step step = carom_step_default();
    step.action_kind = tracked->referee;
    step.actions = actions;
    demand(carom_worlds_play(worlds, &step), "play");
}
