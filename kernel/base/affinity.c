/* SPDX-License-Identifier: MIT
 * See affinity.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif

#include "base/affinity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/problem.h"

size_t carom_affinity_count(const affinity *set)
{
    size_t count = 0;
    for (size_t k = 0; k < sizeof set->mask / sizeof set->mask[0]; ++k) {
        count += (size_t)__builtin_popcountl(set->mask[k]);
    }
    return count;
}

bool carom_affinity_equal(const affinity *a, const affinity *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

carom_status carom_affinity_check(const unsigned *processors, size_t count, carom_problem *problem)
{
    affinity unused;
    return carom_affinity_make(processors, count, &unused, problem);
}

carom_status carom_affinity_threads(const unsigned *processors, size_t count, unsigned *threads)
{
    const bool listed = processors != NULL || count > 0;
    if (*threads == 0) {
        *threads = !listed ? carom_threads() : count < CAROM_MAX_THREADS ? (unsigned)count : CAROM_MAX_THREADS;
    }
    return listed ? carom_affinity_check(processors, count, NULL) : CAROM_OK;
}

carom_status carom_affinity_create(const unsigned *processors, size_t count, affinity **made)
{
    *made = (affinity *)malloc(sizeof **made);
    const carom_status status =
        *made != NULL ? carom_affinity_make(processors, count, *made, NULL) : CAROM_ERROR_MEMORY;
    if (status != CAROM_OK) {
        free(*made);
        *made = NULL;
    }
    return status;
}

#if defined(__linux__)
#include <sched.h>

#define WORD_BITS (8 * sizeof(unsigned long))

static bool has(const affinity *set, size_t processor)
{
    return (set->mask[processor / WORD_BITS] >> processor % WORD_BITS & 1) != 0;
}

void carom_affinity_get(affinity *now)
{
    if (sched_getaffinity(0, sizeof now->mask, (cpu_set_t *)(void *)now->mask) != 0) {
        memset(now, 0, sizeof *now);
    }
}

void carom_affinity_set(const affinity *to)
{
    (void)sched_setaffinity(0, sizeof to->mask, (const cpu_set_t *)(const void *)to->mask);
}

bool carom_affinity_enter(const affinity *to, affinity *before)
{
    if (to == NULL) {
        return false;
    }

    /* A thread that may not run elsewhere needs no move, neither now nor afterwards. */
    bool within = true;
    carom_affinity_get(before);
    for (size_t k = 0; k < sizeof to->mask / sizeof to->mask[0]; ++k) {
        within = within && (before->mask[k] & ~to->mask[k]) == 0;
    }
    if (!within) {
        carom_affinity_set(to);
    }
    return !within;
}

/* Writes the set as "0-3,8", ending in "..." if not all of it fits. */
static void print(const affinity *set, char *text, size_t bytes)
{
    size_t end = 0;
    text[0] = '\0';
    for (size_t first = 0; first < AFFINITY_PROCESSORS && end < bytes; ++first) {
        size_t last = first;
        if (!has(set, first)) {
            continue;
        }
        while (last + 1 < AFFINITY_PROCESSORS && has(set, last + 1)) {
            ++last;
        }
        const char *comma = end > 0 ? "," : "";
        const int more = first == last ? snprintf(text + end, bytes - end, "%s%zu", comma, first)
                                       : snprintf(text + end, bytes - end, "%s%zu-%zu", comma, first, last);
        if (end + (size_t)more >= bytes) { /* cut within a number: end at the preceding comma */
            char *cut = strrchr(text, ',');
            cut = cut == NULL || cut + 5 > text + bytes ? text + bytes - 5 : cut;
            memcpy(cut, ",...", 5);
            return;
        }
        end += (size_t)more;
        first = last;
    }
}

carom_status carom_affinity_make(const unsigned *processors, size_t count, affinity *made, carom_problem *problem)
{
    affinity allowed;
    char text[128];
    memset(made, 0, sizeof *made);
    if (processors == NULL || count == 0) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "affinity: no processor is listed");
    }

    carom_affinity_get(&allowed);
    print(&allowed, text, sizeof text);
    carom_status status = CAROM_OK;
    for (size_t k = 0; k < count && status == CAROM_OK; ++k) {
        const unsigned processor = processors[k];
        if (processor >= AFFINITY_PROCESSORS || !has(&allowed, processor)) {
            status = carom_wrong(problem, CAROM_ERROR_VALUE,
                                 "affinity: processor %u does not exist or is not allowed; this thread may run on %s",
                                 processor, text);
        } else if (has(made, processor)) {
            status = carom_wrong(problem, CAROM_ERROR_VALUE, "affinity: processor %u is listed twice", processor);
        } else {
            made->mask[processor / WORD_BITS] |= 1UL << processor % WORD_BITS;
        }
    }
    if (status != CAROM_OK) {
        memset(made, 0, sizeof *made);
    }
    return status;
}

#else

void carom_affinity_get(affinity *now)
{
    memset(now, 0, sizeof *now);
}

void carom_affinity_set(const affinity *to)
{
    (void)to;
}

bool carom_affinity_enter(const affinity *to, affinity *before)
{
    (void)to, (void)before;
    return false;
}

carom_status carom_affinity_make(const unsigned *processors, size_t count, affinity *made, carom_problem *problem)
{
    (void)processors, (void)count;
    memset(made, 0, sizeof *made);
    return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "affinity: supported on Linux only");
}

#endif
