/* SPDX-License-Identifier: MIT
 * Games by name or from files: see game_file.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "game_file.h"

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
