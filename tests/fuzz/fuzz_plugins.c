/* SPDX-License-Identifier: MIT
 * libFuzzer: plug-in games, as far as their tables and files are checked before any of their code runs. The first byte
 * chooses: a table of options in a game that is otherwise one of Carom's (o), or a shared object (s), which the linker
 * keeps from being loaded (--wrap in meson.build). A table of options that is accepted is used; the game itself is
 * refused for its tiles, so that each input starts afresh.
 */
#define _GNU_SOURCE /* memfd_create */

#include "games/entry.h"

#include <carom/carom.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_OPTIONS 8
#define NAME 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void *__wrap_dlopen(const char *path, int flags);

void *__wrap_dlopen(const char *path, int flags)
{
    (void)path, (void)flags;
    return NULL;
}

/* An option in the input. */
typedef struct row {
    char name[NAME];
    uint8_t type, bytes, below, reserved[5];
    uint64_t offset;
    double value, low, high;
} row;

static const kit_tile *no_tile(carom_isa isa, carom_precision precision)
{
    (void)isa, (void)precision;
    return NULL;
}

static carom_status no_trial(const kit_trial *trial, carom_problem *problem)
{
    (void)trial, (void)problem;
    abort(); /* the game must have been refused before */
}

/* Uses a table that was accepted: writes the defaults, and what the ends of the ranges are. */
static void use(const carom_game *game)
{
    const size_t bytes = carom_game_options_size(game);
    void *options = malloc(bytes + 1); /* one byte even if it has no options */
    if (options == NULL) {
        abort();
    }
    if (bytes > 0 && carom_game_options_default(game, options) != CAROM_OK) {
        abort();
    }
    carom_option option;
    for (size_t k = 0; carom_game_option(game, k, &option) == CAROM_OK; k++) {
        carom_problem problem;
        (void)carom_game_set_option(game, options, option.name, option.low, &problem);
        (void)carom_game_set_option(game, options, option.name, option.high, &problem);
        carom_worlds_desc desc = carom_worlds_desc_default(game);
        desc.options = options;
        (void)carom_game_check_options(&desc, &problem);
    }
    free(options);
}

static void try_options(const uint8_t *data, size_t size)
{
    static const size_t sizes[] = {KIT_STRUCTURES(KIT_SIZE)};
    static const char meaning[] = "";
    carom_option table[MOST_OPTIONS];
    char names[MOST_OPTIONS][NAME + 1];
    uint64_t bytes;
    if (size < sizeof bytes) {
        return;
    }
    memcpy(&bytes, data, sizeof bytes);
    game_options about = {.bytes = (size_t)bytes, .table = table};
    memset(table, 0, sizeof table);
    for (size_t at = sizeof bytes; about.count < MOST_OPTIONS && size - at >= sizeof(row); at += sizeof(row)) {
        row given;
        memcpy(&given, data + at, sizeof given);
        memcpy(names[about.count], given.name, NAME);
        names[about.count][NAME] = '\0';
        table[about.count] = (carom_option){.name = names[about.count],
                                            .meaning = meaning,
                                            .type = (carom_option_type)given.type,
                                            .offset = (size_t)given.offset,
                                            .bytes = given.bytes,
                                            .value = given.value,
                                            .low = given.low,
                                            .high = given.high,
                                            .below = given.below != 0};
        about.count++;
    }

    carom_game game = *carom_game_find("fall");
    game.info.name = game.type.name = "fuzzed";
    game.options = &about;
    carom_kit_entry entry = {.version = KIT_VERSION,
                             .bytes = sizeof entry,
                             .layout = KIT_LAYOUT,
                             .game = &game,
                             .tile = no_tile,
                             .trial = no_trial};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        entry.sizes[k] = (uint32_t)sizes[k];
    }
    const carom_game *adopted;
    carom_problem problem;
    if (carom_game_adopt(&entry, &adopted, &problem) == CAROM_OK || problem.text[0] == '\0') {
        abort();
    }
    if (strstr(problem.text, "option") == NULL) {
        use(&game);
    }
}

static void try_object(const uint8_t *data, size_t size)
{
    static int file = -1;
    char path[64];
    const carom_game *game;
    carom_problem problem;
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size ||
        carom_game_open(path, &game, &problem) == CAROM_OK || game != NULL || problem.text[0] == '\0') {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 'o') {
        try_options(data + 1, size - 1);
    } else if (size > 0 && data[0] == 's') {
        try_object(data + 1, size - 1);
    }
    return 0;
}
