/* SPDX-License-Identifier: MIT
 * The state of a long run: see state_file.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "state_file.h"
#include "out_file.h"
#include "system.h"

#include <errno.h>
#include <string.h>

FILE *carom_state_open(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL && errno != ENOENT) {
        carom_die("%s: %s", path, strerror(errno));
    }
    return file;
}

FILE *carom_state_begin(const char *path)
{
    return carom_file_create(path);
}

void carom_state_end(FILE *file, const char *path)
{
    carom_file_finish(file, path, carom_system_flush(file)); /* before the rename, in case the machine fails */
}

void carom_state_check(FILE *file, const char *path, void (*write)(FILE *file, const void *run), const void *run,
                       const char *what)
{
    FILE *mine = tmpfile();
    if (mine == NULL) {
        carom_die("--state: no room for a temporary file");
    }
    write(mine, run);
    bool same = fseek(mine, 0, SEEK_SET) == 0;
    for (int c = getc(mine); c != EOF && same; c = getc(mine)) {
        same = getc(file) == c;
    }
    fclose(mine);
    if (!same) {
        carom_die("%s is not a state of %s", path, what);
    }
}

void carom_state_refuse(const char *path, const char *command)
{
    carom_die("%s is not a state of carom %s", path, command);
}
