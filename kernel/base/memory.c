/* SPDX-License-Identifier: MIT
 * Memory: how much is really left, and aligned blocks that are refused rather than overcommitted.
 *
 * Linux grants almost any allocation and kills the process when the pages are written. A batch of worlds may take most
 * of a machine's memory, so limits are checked beforehand, including those of the control group: in a container the
 * machine's own figure means little. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise */
#endif

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(__linux__)
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LARGE = 32 << 20,    /* bytes; larger blocks are checked, which takes 0.15 ms */
    HUGE_PAGE = 2 << 20, /* bytes */
    LINE = 4096,         /* bytes for the longest line, a path */
    PATH = LINE + 128
};

/* Reads the number after `key` at the start of a line of a file; an empty key matches the first line. False if there is
 * no number, as for a limit of "max". */
static bool read_number(const char *path, const char *key, uint64_t *number)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    bool found = false;
    char line[256];
    const size_t length = strlen(key);
    while (!found && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, length) == 0) {
            char *end;
            *number = strtoull(line + length, &end, 10);
            found = end != line + length;
            break;
        }
    }
    fclose(file);
    return found;
}

/* The file names of one version of control groups. */
typedef struct group_files {
    const char *root, *limit, *usage, *inactive, *active;
} group_files;

static const group_files group_v1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                     "total_inactive_file ", "total_active_file "};
static const group_files group_v2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ",
                                     "active_file "};

static bool group_number(const group_files *files, const char *group, const char *name, const char *key,
                         uint64_t *number)
{
    char path[PATH];
    const int length = snprintf(path, sizeof path, "%s%s/%s", files->root, group, name);
    return length > 0 && (size_t)length < sizeof path && read_number(path, key, number);
}

/* The bytes that a group's own limit leaves it. Its page cache counts as used, but is dropped when memory is short. */
static uint64_t group_left(const group_files *files, const char *group)
{
    uint64_t limit, usage, inactive = 0, active = 0;
    if (!group_number(files, group, files->limit, "", &limit) ||
        !group_number(files, group, files->usage, "", &usage)) {
        return UINT64_MAX;
    }
    if (group_number(files, group, "memory.stat", files->inactive, &inactive) &&
        group_number(files, group, "memory.stat", files->active, &active)) {
        const uint64_t cached = inactive + active;
        usage -= cached < usage ? cached : usage;
    }
    return limit > usage ? limit - usage : 0;
}

/* The least that a group and its parents leave. A container may see its group's full path, but only its own subtree, so
 * try the root of that last. */
static uint64_t groups_left(const group_files *files, char *group)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        const uint64_t left = group_left(files, group);
        least = left < least ? left : least;
        char *slash = strrchr(group, '/');
        if (!slash) {
            return least;
        }
        *slash = '\0';
    }
}

/* Is "memory" in this comma-separated list? */
static bool names_memory(const char *controllers)
{
    const char *at = strstr(controllers, "memory");
    return at && (at == controllers || at[-1] == ',') && (at[6] == ',' || at[6] == '\0');
}

size_t carom_memory_available(void)
{
    uint64_t least = UINT64_MAX;
    uint64_t kibibytes;
    if (read_number("/proc/meminfo", "MemAvailable:", &kibibytes)) {
        least = kibibytes * 1024;
    }

    /* The process's control groups: lines of "hierarchy:controllers:path"; version 2 lists no controllers. */
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[LINE];
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) {
            continue;
        }

        *controllers++ = '\0';
        *group++ = '\0';
        uint64_t left = UINT64_MAX;
        if (*controllers == '\0') {
            left = groups_left(&group_v2, group);
        } else if (names_memory(controllers)) {
            left = groups_left(&group_v1, group);
        }
        least = left < least ? left : least;
    }
    if (file) {
        fclose(file);
    }

    return least < SIZE_MAX ? (size_t)least : SIZE_MAX;
}

/* Can `size` bytes be taken with a twentieth kept in reserve? */
static bool is_left(size_t size)
{
    if (size < LARGE) {
        return true;
    }
    const size_t available = carom_memory_available();
    return size <= available - available / 20;
}

/* Requests large pages: a batch is traversed from end to end, tile by tile. */
static void advise(void *memory, size_t size)
{
    if (size >= (size_t)2 * HUGE_PAGE) {
        const uintptr_t start = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        const uintptr_t end = ((uintptr_t)memory + size) / HUGE_PAGE * HUGE_PAGE;
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
    }
}

#else

size_t carom_memory_available(void)
{
    return SIZE_MAX;
}

static bool is_left(size_t size)
{
    (void)size;
    return true;
}

static void advise(void *memory, size_t size)
{
    (void)memory;
    (void)size;
}

#endif

/* Uses calloc rather than aligned_alloc, because calloc does not touch fresh memory from the system, which is already
 * zero. The address to free is kept in front of the block. */
void *carom_memory_take(size_t size)
{
    size_t total;
    if (!size_add(size, sizeof(void *) + MEMORY_ALIGNMENT, &total) || !is_left(total)) {
        return NULL;
    }
    unsigned char *raw = (unsigned char *)calloc(1, total);
    if (!raw) {
        return NULL;
    }
    advise(raw, total);
    unsigned char *block = raw + sizeof(void *);
    block += (MEMORY_ALIGNMENT - (uintptr_t)block % MEMORY_ALIGNMENT) % MEMORY_ALIGNMENT;
    ((void **)(void *)block)[-1] = raw;
    return block;
}

void carom_memory_release(void *memory)
{
    if (memory) {
        free(((void **)memory)[-1]);
    }
}
