/* SPDX-License-Identifier: MIT
 * libFuzzer: the command's arguments, one a line. The linker replaces functions that would run long, touch files or end
 * the program by those of this file (--wrap in meson.build): this tests parsing, and that bad arguments end in exit
 * code 2.
 */
#include <carom/carom.h>

#include "bench/common/machine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int carom_command(int argc, char **argv); /* all of it */

static jmp_buf end;
static int code;
static bool running; /* the command; else libFuzzer itself ends */

_Noreturn void __wrap_exit(int status);
_Noreturn void __real_exit(int status);
/* With large files these are the names of fopen() and freopen(). */
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_freopen64(const char *path, const char *mode, FILE *file);
FILE *__real_freopen64(const char *path, const char *mode, FILE *file);
carom_status __wrap_carom_worlds_create(const carom_worlds_desc *desc, carom_worlds **worlds);
carom_status __wrap_carom_lab_create(const carom_lab_desc *desc, carom_lab **lab, carom_problem *problem);
void __wrap_carom_catch_interrupt(void);
machine __wrap_carom_machine_read(void);
extern volatile int carom_interrupt;

void __wrap_exit(int status)
{
    if (!running) {
        __real_exit(status);
    }
    code = status;
    longjmp(end, 1);
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
    if (!running) { /* libFuzzer writes what it finds */
        return __real_fopen64(path, mode);
    }
    errno = ENOENT;
    return NULL;
}

FILE *__wrap_freopen64(const char *path, const char *mode, FILE *file)
{
    if (!running) {
        return __real_freopen64(path, mode, file);
    }
    errno = ENOENT;
    return NULL;
}

carom_status __wrap_carom_worlds_create(const carom_worlds_desc *desc, carom_worlds **worlds)
{
    (void)desc;
    *worlds = NULL;
    return CAROM_ERROR_MEMORY;
}

carom_status __wrap_carom_lab_create(const carom_lab_desc *desc, carom_lab **lab, carom_problem *problem)
{
    (void)desc;
    problem->text[0] = '\0';
    *lab = NULL;
    return CAROM_ERROR_MEMORY;
}

/* As if Ctrl-C came at once. */
void __wrap_carom_catch_interrupt(void)
{
    carom_interrupt = 1;
}

machine __wrap_carom_machine_read(void)
{
    machine m;
    memset(&m, 0, sizeof m);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2048];
    char *list[MOST + 2] = {text};
    int count = 0;
    if (size > 1024) {
        return 0;
    }
    memcpy(text, "carom", 6);
    char *at = text + 6;
    for (size_t k = 0; k < size && count < MOST;) {
        list[++count] = at;
        for (; k < size && data[k] != '\n' && data[k] != '\0'; k++) {
            *at++ = (char)data[k];
        }
        *at++ = '\0';
        k++;
    }
    list[count + 1] = NULL;
    static bool quiet;
    if (!quiet && freopen("/dev/null", "w", stdout) == NULL) {
        abort();
    }
    quiet = true;
    carom_interrupt = 0;
    running = true;
    if (setjmp(end) == 0) {
        code = carom_command(count + 1, list);
    }
    running = false;
    if (code != 0 && code != 1 && code != 2 && code != 130) {
        abort();
    }
    return 0;
}
