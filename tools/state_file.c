/* SPDX-License-Identifier: MIT
 * How far a long run has come: see state_file.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "state_file.h"
#include "out_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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
    const char *part = carom_file_begin(path);
    FILE *file = fopen(part, "wb");
    if (file == NULL) {
        carom_die("cannot write %s: %s", part, strerror(errno));
    }
    return file;
}

void carom_state_end(FILE *file, const char *path)
{
    bool written = fflush(file) == 0 && ferror(file) == 0;
    written = written && fsync(fileno(file)) == 0; /* before its name is: the machine may fail, too */
    written = fclose(file) == 0 && written;
    if (!written || !carom_file_end(path)) {
        carom_die("cannot write %s: %s", path, strerror(errno));
    }
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
        carom_die("%s is no state of %s", path, what);
    }
}

void carom_state_refuse(const char *path, const char *command)
{
    carom_die("%s is no state of carom %s", path, command);
}
