/* SPDX-License-Identifier: MIT
 * Windows: see system.h; and what this build of the command lacks, which it says.
 */
#include "../film/encoder.h"
#include "../run/merge_games.h"
#include "../viewer/browser.h"
#include "../viewer/playground.h"
#include "../viewer/server.h"
#include "command.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <windows.h>

void carom_system_begin(void)
{
    FILE *const streams[] = {stdin, stdout, stderr};
    _fmode = _O_BINARY; /* of files opened from now on */
    for (size_t k = 0; k < sizeof streams / sizeof streams[0]; k++) {
        (void)_setmode(_fileno(streams[k]), _O_BINARY);
    }
}

void carom_system_on_end(void (*handler)(int), bool replace)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        void (*const before)(int) = signal(numbers[k], handler);
        if (!replace && before != SIG_DFL && before != SIG_ERR) {
            signal(numbers[k], before);
        }
    }
}

bool carom_system_rename(const char *from, const char *to)
{
    const bool done = MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
    errno = done ? errno : EACCES;
    return done;
}

bool carom_system_flush(FILE *file)
{
    return fflush(file) == 0 && _commit(_fileno(file)) == 0;
}

/* ---- what needs pipes, other programs or sockets ---- */

static int refuse(arguments *args)
{
    carom_die("on Windows there is no 'carom %s'", args->command);
}

const command_row carom_arena_command = {.name = "arena", .usage = "", .run = refuse};
const command_row carom_tune_command = {.name = "tune", .usage = "", .run = refuse};

void carom_merge_arena(const merge_part *parts, size_t count, bool json)
{
    (void)count, (void)json;
    carom_die("%s: on Windows no parts of 'carom arena' are merged", parts[0].path);
}

void carom_merge_tune(const merge_part *parts, size_t count, const char *path)
{
    (void)count, (void)path;
    carom_die("%s: on Windows no parts of 'carom tune' are merged", parts[0].path);
}

encoder carom_encoder_begin(const char *path, encoder_kind kind, size_t width, size_t height, size_t rate)
{
    (void)path, (void)kind, (void)width, (void)height, (void)rate;
    carom_die("on Windows no movies are drawn: only pictures");
}

void carom_encoder_end(encoder *e, const char *path)
{
    (void)e, (void)path;
}

void server_start(server *s)
{
    (void)s;
    carom_die("on Windows the viewer has no server: write the page to a file (--out)");
}

void server_wait(void) {}

void browser_open(browser *b, const char *address)
{
    (void)b, (void)address;
}

void browser_forget(const browser *b)
{
    (void)b;
}

void playground_find(playground *p)
{
    p->missing[0] = '\0';
    p->page = NULL;
}

void playground_tell_missing(const playground *p)
{
    (void)p;
}

void playground_free(playground *p)
{
    (void)p;
}
