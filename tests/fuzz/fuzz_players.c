/* SPDX-License-Identifier: MIT
 * libFuzzer: texts of players. The first byte chooses the game. No file can be read (see fuzz_command.h), so a network
 * is refused; every other player that is accepted has a text without control characters that could end a line.
 */
#include "fuzz_command.h"

#include <carom/carom.h>
#include <carom/player.h>

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct check {
    const carom_game *game;
    char *text;
} check;

static int run(void *what)
{
    const check *asked = (const check *)what;
    carom_problem problem;
    memset(&problem, 1, sizeof problem);
    const carom_status status = carom_player_check(asked->game, asked->text, &problem);
    if ((status != CAROM_OK && memchr(problem.text, '\0', sizeof problem.text) == NULL) ||
        (status != CAROM_OK && status != CAROM_ERROR_MEMORY && problem.text[0] == '\0') ||
        (status == CAROM_OK && strncmp(asked->text, "network:", 8) == 0)) {
        abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    check asked = {carom_game_at(data[0] % carom_game_count()), (char *)malloc(size)};
    if (asked.text == NULL) {
        abort();
    }
    memcpy(asked.text, data + 1, size - 1);
    asked.text[size - 1] = '\0';
    fuzz_try(run, &asked);
    free(asked.text);
    return 0;
}
