/* SPDX-License-Identifier: MIT
 * libFuzzer: recipes. The checksum in the last line is corrected, or nothing would get past it. A recipe that is read
 * is written as the same text; a short one without planners is played.
 */
#include <carom/carom.h>
#include <carom/recipe.h>

#include "base/hash.h"
#include "recipe/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAST_LINE (sizeof "check 0123456789abcdef") /* with a line end for the 0 */
#define MOST_WORLDS 8
#define MOST_TICKS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether playing it takes no time that matters. */
static bool is_short(const carom_recipe_desc *desc)
{
    bool plain = desc->worlds <= MOST_WORLDS && desc->ticks <= MOST_TICKS;
    const carom_game_info about = carom_game_describe(desc->game);
    for (uint32_t p = 0; p < about.players && plain; p++) {
        plain = strchr(desc->players[p], ':') == NULL;
    }
    return plain && about.bodies <= 64;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *)malloc(size + 1), again[CAROM_RECIPE_BYTES];
    carom_recipe *recipe;
    carom_problem problem;
    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    if (size > LAST_LINE) {
        const size_t body = size - LAST_LINE;
        char line[LAST_LINE + 1];
        snprintf(line, sizeof line, "check %016" PRIx64 "\n", hash_bytes(RECIPE_FORMAT, text, body));
        memcpy(text + body, line, LAST_LINE);
    }
    memset(&problem, 1, sizeof problem);
    const carom_status status = carom_recipe_parse(text, size, &recipe, &problem);
    if (status == CAROM_OK) {
        const carom_recipe_desc desc = carom_recipe_describe(recipe);
        size_t length = 0;
        uint64_t digest = 0;
        if (carom_recipe_write(recipe, again, &length) != CAROM_OK || length != size ||
            memcmp(again, text, size) != 0 ||
            (is_short(&desc) && carom_recipe_play(recipe, desc.blocks - 1, NULL, &digest) != CAROM_OK)) {
            abort();
        }
    } else if (recipe != NULL || memchr(problem.text, '\0', sizeof problem.text) == NULL ||
               (problem.text[0] == '\0' && status != CAROM_ERROR_MEMORY)) {
        abort();
    }
    carom_recipe_destroy(recipe);
    free(text);
    return 0;
}
