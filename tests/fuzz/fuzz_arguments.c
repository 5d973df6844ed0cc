/* SPDX-License-Identifier: MIT
 * libFuzzer: the command's arguments, one a line; after a byte 0x1e comes the content of a file, whose path replaces
 * arguments that are "F". The linker replaces functions that would run long, touch other files or end the program (see
 * fuzz_command.h): this tests parsing of arguments, of merged results, ladders, states and other files, and that
 * mistakes end in an exit code of the command.
 */
#define _GNU_SOURCE /* memfd_create */

#include "fuzz_command.h"

#include <carom/carom.h>

#include "bench/common/machine.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 32
#define MOST_BYTES 8192
#define FILE_FOLLOWS 0x1e

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int carom_command(int argc, char **argv); /* all of it */

carom_status __wrap_carom_worlds_create(const carom_worlds_desc *desc, carom_worlds **worlds);
carom_status __wrap_carom_lab_create(const carom_lab_desc *desc, carom_lab **lab, carom_problem *problem);
void __wrap_carom_catch_interrupt(void);
machine __wrap_carom_machine_read(void);
extern volatile int carom_interrupt;

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

typedef struct call {
    int count;
    char *list[MOST + 2];
} call;

static int run(void *what)
{
    call *asked = (call *)what;
    return carom_command(asked->count + 1, asked->list);
}

/* Puts the bytes into the file that the command can read. */
static void fill_file(const uint8_t *data, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        fuzz_readable = path;
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2 * MOST_BYTES], program[] = "carom";
    const uint8_t *mark = size > 0 ? memchr(data, FILE_FOLLOWS, size) : NULL;
    const size_t words = mark != NULL ? (size_t)(mark - data) : size;
    call asked = {0, {program}};
    char *at = text;
    if (size > MOST_BYTES) {
        return 0;
    }
    fill_file(mark != NULL ? mark + 1 : data, mark != NULL ? size - words - 1 : 0);
    for (size_t k = 0; k < words && asked.count < MOST; k++) {
        char *word = at;
        for (; k < words && data[k] != '\n' && data[k] != '\0'; k++) {
            *at++ = (char)data[k];
        }
        *at++ = '\0';
        asked.list[++asked.count] = strcmp(word, "F") == 0 ? (char *)(uintptr_t)fuzz_readable : word;
    }
    asked.list[asked.count + 1] = NULL;
    carom_interrupt = 0;
    fuzz_try(run, &asked);
    return 0;
}
