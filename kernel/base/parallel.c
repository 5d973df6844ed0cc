/* SPDX-License-Identifier: MIT
 * The part of parallel.h that all thread implementations share: the number of threads that affinity and quotas allow,
 * and the loop over items.
 *
 * A control group's quota is the time, summed over all processors, that its members may run in a period. More threads
 * than quota / period only exhaust it sooner, and then all of them are stopped. Every group from the process's own up
 * to the root has a quota. In a container the group's path may be that of the host, which does not exist inside; its
 * group is then the root of the mounted tree. So every existing part of the path is read. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif

#include "base/parallel.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fpenv.h"

#if defined(_WIN32)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sched.h>

#define PATH_BYTES 4096
#define NAME_BYTES 32 /* of a file name in a group's folder */

/* Reads the beginning of a small file as text into buffer[bytes]; false if there is no such file. */
static bool read_text(const char *path, char *buffer, size_t bytes)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    size_t length = 0;
    for (ssize_t more = 1; more > 0 && length < bytes - 1; length += more > 0 ? (size_t)more : 0) {
        more = read(file, buffer + length, bytes - 1 - length);
    }
    (void)close(file);
    buffer[length] = '\0';
    return length > 0;
}

/* "quota period" as a number of threads; PARALLEL_MAX_THREADS for other texts, such as "max 100000" or "-1". */
static unsigned threads_of(const char *quota_text, const char *period_text)
{
    char *end, *last;
    const long long quota = strtoll(quota_text, &end, 10);
    const long long period = strtoll(period_text != NULL ? period_text : end, &last, 10);
    if (end == quota_text || quota <= 0 || period <= 0) {
        return PARALLEL_MAX_THREADS;
    }
    const long long threads = quota / period + (quota % period != 0);
    return threads < PARALLEL_MAX_THREADS ? (unsigned)threads : PARALLEL_MAX_THREADS;
}

/* The number of threads allowed by the quota of the group in `folder`, by version 2 of the interface or else version 1.
 * The buffer of `folder` must have room for NAME_BYTES more. */
static unsigned group_threads(char *folder)
{
    char quota[64], period[64];
    char *name = folder + strlen(folder);
    unsigned threads = PARALLEL_MAX_THREADS;
    (void)snprintf(name, NAME_BYTES, "%s", "/cpu.max");
    if (read_text(folder, quota, sizeof quota)) {
        threads = threads_of(quota, NULL);
    } else {
        (void)snprintf(name, NAME_BYTES, "%s", "/cpu.cfs_quota_us");
        if (read_text(folder, quota, sizeof quota)) {
            (void)snprintf(name, NAME_BYTES, "%s", "/cpu.cfs_period_us");
            threads = read_text(folder, period, sizeof period) ? threads_of(quota, period) : threads;
        }
    }
    *name = '\0';
    return threads;
}

/* The least number that the groups from <mount><path> up to <mount> allow. */
static unsigned path_threads(const char *root, const char *mount, const char *path)
{
    char folder[PATH_BYTES + NAME_BYTES];
    unsigned threads = PARALLEL_MAX_THREADS;
    const int length = snprintf(folder, PATH_BYTES, "%s/sys/fs/cgroup%s%s", root, mount, path);
    if (length < 0 || length >= PATH_BYTES) {
        return threads;
    }
    const size_t top = (size_t)length - strlen(path);
    for (;;) {
        const unsigned here = group_threads(folder);
        threads = here < threads ? here : threads;
        char *slash = strrchr(folder + top, '/');
        if (slash == NULL) {
            return threads;
        }
        *slash = '\0';
    }
}

/* Is `word` in this comma-separated list? */
static bool is_listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == ',')) {
            return true;
        }
    }
    return false;
}

unsigned carom_quota_threads(const char *root)
{
    char text[4 * PATH_BYTES], path[PATH_BYTES];
    unsigned threads = PARALLEL_MAX_THREADS;
    const int length = snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (length < 0 || (size_t)length >= sizeof path || !read_text(path, text, sizeof text)) {
        return threads;
    }

    /* Each line is number:controllers:path; version 2 of the interface lists no controllers. Take the least number that
     * any group allows. `line` ends up as the path. */
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        (void)strsep(&line, ":");
        const char *controllers = strsep(&line, ":");
        if (line == NULL) {
            continue;
        }

        const char *own = strcmp(line, "/") == 0 ? "" : line;
        unsigned here = PARALLEL_MAX_THREADS;
        if (*controllers == '\0') {
            here = path_threads(root, "", own);
        } else if (is_listed(controllers, "cpu")) {
            here = path_threads(root, "/cpu", own); /* mounted alone, or a link to the joint mount */
        }
        threads = here < threads ? here : threads;
    }
    return threads;
}

unsigned carom_processors(void)
{
    cpu_set_t sets[8]; /* the kernels of the largest machines refuse a single, smaller set */
    const unsigned quota = carom_quota_threads("");
    int threads = sched_getaffinity(0, sizeof sets, sets) == 0 ? CPU_COUNT_S(sizeof sets, sets) : 1;
    threads = threads > 0 ? threads : 1;
    return (unsigned)threads < quota ? (unsigned)threads : quota;
}

#else

unsigned carom_quota_threads(const char *root)
{
    (void)root;
    return PARALLEL_MAX_THREADS;
}

unsigned carom_processors(void)
{
#if defined(_SC_NPROCESSORS_ONLN)
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
#elif defined(_WIN32)
    return (unsigned)pthread_num_processors_np();
#else
    return 1;
#endif
}

#endif

void carom_parallel_for(unsigned threads, const affinity *where, size_t items, parallel_body *body, void *argument)
{
    threads = threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
    threads = threads < items ? threads : (unsigned)items;
    const fp_environment caller = fp_begin(); /* starting threads may raise flags, too */
    if (threads <= 1 || !carom_parallel_run(threads, where, items, body, argument)) {
        affinity before;
        const bool moved = carom_affinity_enter(where, &before);
        for (size_t item = 0; item < items; ++item) {
            body(argument, item, 0);
        }
        if (moved) {
            carom_affinity_set(&before);
        }
    }
    fp_end(caller);
}

unsigned carom_threads(void)
{
    unsigned threads = carom_processors();
    const unsigned limit = carom_parallel_limit();
    threads = threads < limit ? threads : limit;
    return threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
}
