/* SPDX-License-Identifier: MIT
 * What targets share that run code of the commands, which ends the program on an error: the linker replaces exit() by
 * a jump back to fuzz_try(), and keeps the code away from files (--wrap in meson.build).
 */
#ifndef CAROM_TESTS_FUZZ_FUZZ_COMMAND_H
#define CAROM_TESTS_FUZZ_FUZZ_COMMAND_H

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void __wrap_exit(int status);
_Noreturn void __real_exit(int status);
/* With large files these are the names of fopen() and freopen(). */
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_freopen64(const char *path, const char *mode, FILE *file);
FILE *__real_freopen64(const char *path, const char *mode, FILE *file);

static jmp_buf fuzz_end;
static int fuzz_code;
static bool fuzz_running;         /* the code under test; else libFuzzer itself calls these functions */
static const char *fuzz_readable; /* the only file that the code under test can read; NULL: none */

_Noreturn void __wrap_exit(int status)
{
    if (!fuzz_running) {
        __real_exit(status);
    }
    fuzz_code = status;
    longjmp(fuzz_end, 1);
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
    const bool readable = fuzz_readable != NULL && strcmp(path, fuzz_readable) == 0 && strpbrk(mode, "wa+") == NULL;
    if (!fuzz_running || readable) { /* libFuzzer writes what it finds */
        return __real_fopen64(path, mode);
    }
    errno = ENOENT;
    return NULL;
}

FILE *__wrap_freopen64(const char *path, const char *mode, FILE *file)
{
    if (!fuzz_running) {
        return __real_freopen64(path, mode, file);
    }
    errno = ENOENT;
    return NULL;
}

/* Runs a function, whose exit() returns from here. Any exit code other than those of the commands is a bug. */
static inline void fuzz_try(int (*run)(void *what), void *what)
{
    static bool quiet;
    if (!quiet && freopen("/dev/null", "w", stdout) == NULL) {
        abort();
    }
    quiet = true;
    fuzz_running = true;
    if (setjmp(fuzz_end) == 0) {
        fuzz_code = run(what);
    }
    fuzz_running = false;
    if (fuzz_code != 0 && fuzz_code != 1 && fuzz_code != 2 && fuzz_code != 130) {
        abort();
    }
}

#endif
