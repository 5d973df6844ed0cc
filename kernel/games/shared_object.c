/* SPDX-License-Identifier: MIT
 * Shared objects by dlopen(). A loader maps a file as its header says, without checking it: a truncated file (half a
 * download, say) kills the process as soon as a missing page is touched. So check the header against the file's size
 * first.
 */
#define _POSIX_C_SOURCE 200809L

#include "games/shared_object.h"

#include <stdio.h>

#if defined(CAROM_HAVE_DLOPEN)

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__ELF__)
#include <elf.h>
#endif

static carom_status refuse(carom_problem *problem, const char *why)
{
    snprintf(problem->text, sizeof problem->text, "%s", why);
    return CAROM_ERROR_FORMAT;
}

#if defined(__ELF__)

/* Is [from, from + length) part of a file of `size` bytes? */
static bool within(uint64_t from, uint64_t length, uint64_t size)
{
    return from <= size && length <= size - from;
}

/* Is it an ELF shared object, and are all parts named by its header within the file? */
static carom_status check_elf(FILE *file, uint64_t size, carom_problem *problem)
{
    Elf64_Ehdr head;
    if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_DYN) {
        return refuse(problem, "it is not a shared object");
    }

    bool whole = within(head.e_phoff, (uint64_t)head.e_phnum * sizeof(Elf64_Phdr), size) &&
                 within(head.e_shoff, (uint64_t)head.e_shnum * head.e_shentsize, size) &&
                 head.e_phentsize == sizeof(Elf64_Phdr) && fseek(file, (long)head.e_phoff, SEEK_SET) == 0;
    for (unsigned k = 0; whole && k < head.e_phnum; k++) {
        Elf64_Phdr part;
        whole = fread(&part, sizeof part, 1, file) == 1 && within(part.p_offset, part.p_filesz, size);
    }
    return whole ? CAROM_OK : refuse(problem, "it is a shared object that was cut short");
}

#else

static carom_status check_elf(FILE *file, uint64_t size, carom_problem *problem)
{
    (void)file, (void)size, (void)problem;
    return CAROM_OK;
}

#endif

static carom_status check_file(const char *path, carom_problem *problem)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return refuse(problem, strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) { /* opening a pipe would wait for a writer */
        return refuse(problem, "it is not a file");
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return refuse(problem, strerror(errno));
    }
    const carom_status status = check_elf(file, (uint64_t)about.st_size, problem);
    fclose(file);
    return status;
}

carom_status carom_shared_object_open(const char *path, void **object, carom_problem *problem)
{
    const carom_status status = check_file(path, problem);
    if (status != CAROM_OK) {
        return status;
    }
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*object == NULL) {
        const char *why = dlerror();
        return refuse(problem, why != NULL ? why : "it cannot be loaded");
    }
    return CAROM_OK;
}

const void *carom_shared_object_find(void *object, const char *name)
{
    return dlsym(object, name);
}

void carom_shared_object_close(void *object)
{
    dlclose(object);
}

#else

carom_status carom_shared_object_open(const char *path, void **object, carom_problem *problem)
{
    (void)path, (void)object;
    snprintf(problem->text, sizeof problem->text, "this system has no shared objects");
    return CAROM_ERROR_UNSUPPORTED;
}

const void *carom_shared_object_find(void *object, const char *name)
{
    (void)object, (void)name;
    return NULL;
}

void carom_shared_object_close(void *object)
{
    (void)object;
}

#endif
