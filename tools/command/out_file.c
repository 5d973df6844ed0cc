/* SPDX-License-Identifier: MIT
 * Files that appear only when complete (see out_file.h), and the signals that end the program or stop a run.
 */
#define _POSIX_C_SOURCE 200809L

#include "out_file.h"
#include "command.h"
#include "system.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 1040 /* at once: a report, a state, a replay on each of 1024 threads */
#define PATH 4096

enum { FREE, TAKEN, WRITTEN }; /* TAKEN: without names yet, since a signal may come at any time */

typedef struct out_names {
    char path[PATH], part[PATH];
} out_names;

/* A slot keeps its memory for reuse. Threads acquire and release slots; each uses only its own. */
static struct {
    int state;
    out_names *names;
} files[FILES];

static bool change_state(size_t k, int from, int to)
{
    return __atomic_compare_exchange_n(&files[k].state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void remove_all(void)
{
    for (size_t k = 0; k < FILES; k++) {
        if (change_state(k, WRITTEN, FREE)) {
            unlink(files[k].names->part);
        }
    }
}

/* ---- signals ---- */

static void on_end(int number)
{
    remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

volatile int carom_interrupt;

/* Runs on any thread; threads that play read the flag, too. */
static void on_interrupt(int number)
{
    __atomic_store_n(&carom_interrupt, 1, __ATOMIC_RELAXED);
    signal(number, on_end); /* a second one ends the program at once */
}

bool carom_interrupted(void)
{
    return __atomic_load_n(&carom_interrupt, __ATOMIC_RELAXED) != 0;
}

void carom_catch_interrupt(void)
{
    carom_system_on_end(on_interrupt, true);
}

/* Signals that end the program at once must first remove the files. */
static void watch_signals(void)
{
    static bool done;
    if (!__atomic_exchange_n(&done, true, __ATOMIC_ACQ_REL)) {
        carom_system_on_end(on_end, false);
        atexit(remove_all);
    }
}

/* ---- files ---- */

/* Acquires a free slot; FILES: there is none. */
static size_t take_place(void)
{
    size_t k = 0;
    while (k < FILES && !change_state(k, FREE, TAKEN)) {
        k++;
    }
    if (k < FILES && files[k].names == NULL) {
        files[k].names = carom_allocate(1, sizeof *files[k].names);
    }
    return k;
}

/* The slot of `path`; FILES: there is none. */
static size_t find(const char *path)
{
    size_t k = 0;
    while (k < FILES &&
           (__atomic_load_n(&files[k].state, __ATOMIC_ACQUIRE) != WRITTEN || strcmp(files[k].names->path, path) != 0)) {
        k++;
    }
    return k;
}

const char *carom_file_begin(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return path;
    }
    const size_t length = strlen(path);
    if (length + sizeof ".part" > PATH) {
        carom_die("'%.60s...' is too long for a file name", path);
    }
    const size_t k = take_place();
    if (k == FILES) {
        carom_die("cannot write '%s': %d files are being written already", path, FILES);
    }
    memcpy(files[k].names->path, path, length + 1);
    snprintf(files[k].names->part, PATH, "%s.part", path);
    watch_signals();
    __atomic_store_n(&files[k].state, WRITTEN, __ATOMIC_RELEASE);
    return files[k].names->part;
}

bool carom_file_end(const char *path)
{
    const size_t k = find(path);
    const bool named = k == FILES || carom_system_rename(files[k].names->part, path);
    if (k < FILES && named) {
        change_state(k, WRITTEN, FREE);
    }
    return named;
}

void carom_file_drop(const char *path)
{
    const size_t k = find(path);
    if (k < FILES && change_state(k, WRITTEN, FREE)) {
        unlink(files[k].names->part);
    }
}

void carom_file_unwritten(const char *path)
{
    carom_die("cannot write '%s': %s", path, errno != 0 ? strerror(errno) : "an earlier write failed");
}

FILE *carom_file_create(const char *path)
{
    errno = 0;
    FILE *file = fopen(carom_file_begin(path), "wb");
    if (file == NULL) {
        carom_file_unwritten(path);
    }
    return file;
}

void carom_file_finish(FILE *file, const char *path, bool good)
{
    good = good && ferror(file) == 0;
    const int reason = errno;
    const bool closed = fclose(file) == 0;
    errno = closed ? reason : errno;
    if (!good || !closed || !carom_file_end(path)) {
        carom_file_unwritten(path);
    }
}

/* ---- reading ---- */

#define MOST_TEXT ((size_t)1 << 29) /* a scene of a million bodies with every key takes less */
#define MOST_BYTES (SIZE_MAX > UINT32_MAX ? (size_t)UINT32_MAX + 1 : (size_t)1 << 30) /* a quarter of 32-bit memory */
#define MAGIC_BYTES 8

char *carom_file_read(FILE *file, const char *path, const char *magic, size_t *size)
{
    const size_t most = magic != NULL ? MOST_BYTES : MOST_TEXT;
    size_t room = 0, before;
    char *bytes = NULL;
    *size = 0;
    do {
        bytes = carom_widen(bytes, *size + 1, &room, 1);
        before = *size;
        *size += fread(bytes + before, 1, room - 1 - before, file);
        if (*size > most) {
            carom_die("%s is longer than %zu bytes: too large to be read", path, most);
        }
        if (magic == NULL &&
            memchr(bytes + before, '\0', *size - before) != NULL) { /* a device may have endless ones */
            carom_die("%s is not text: it has a byte of 0", path);
        }
    } while (*size == room - 1 && (magic == NULL || memcmp(bytes, magic, MAGIC_BYTES) == 0));
    if (ferror(file)) {
        carom_die("cannot read '%s': %s", path, strerror(errno));
    }
    fclose(file);
    bytes[*size] = '\0';
    return bytes;
}
