/* SPDX-License-Identifier: MIT
 * What a planner plays: see act.h.
 */
#include "act.h"
#include "../command/command.h"

#include <stdlib.h>
#include <string.h>

size_t carom_planner_kind(const carom_game *game)
{
    const bool speaks = carom_protocol_find(carom_game_describe(game).name) != NULL;
    size_t kind = 0;
    carom_demand(carom_game_find_action_kind(game, speaks ? "referee" : "normalised", &kind),
                 "find the kind of action");
    return kind;
}

void carom_planner_act(planner *asked, carom_worlds *worlds, void *actions, size_t stride)
{
    const carom_game *game = carom_worlds_describe(worlds).game;
    const protocol *speech = carom_protocol_find(carom_game_describe(game).name);
    const size_t count = carom_worlds_count(worlds);
    unsigned char *to = (unsigned char *)actions;
    if (speech == NULL) {
        carom_action_kind kind;
        carom_demand(carom_game_action_kind(game, carom_planner_kind(game), &kind), "find the kind of action");
        const size_t bytes = kind.size * sizeof(float);
        carom_planner_think(asked, worlds, NULL);
        for (size_t w = 0; w < count; w++) {
            memcpy(to + w * stride, carom_planner_numbers(asked) + w * kind.size, bytes);
        }
        return;
    }

    char(*lines)[PROTOCOL_LINES][PROTOCOL_LINE] = carom_allocate(count, sizeof *lines);
    carom_planner_think(asked, worlds, lines);
    for (size_t w = 0; w < count; w++) {
        double *numbers = (double *)(void *)(to + w * stride);
        for (size_t k = 0; k < PROTOCOL_LINES; k++) {
            speech->read(lines[w][k], numbers + k * speech->numbers);
        }
    }
    free(lines);
}
