/* SPDX-License-Identifier: MIT
 * Reads the machine's data from /proc and /sys.
 */
#define _DEFAULT_SOURCE /* getloadavg, clock_gettime */

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The first line of a file, without its end. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    bool good = fgets(line, (int)size, file) != NULL;
    fclose(file);
    if (good) {
        line[strcspn(line, "\n")] = '\0';
    }
    return good;
}

static void read_cpu(machine *m)
{
    strcpy(m->cpu, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        char *value = strchr(line, ':');
        if (value == NULL) {
            continue;
        }
        if (strncmp(line, "model name", 10) == 0) {
            snprintf(m->cpu, sizeof m->cpu, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        } else if (strncmp(line, "cpu MHz", 7) == 0) {
            m->mhz = strtod(value + 1, NULL);
            break;
        }
    }
    fclose(file);
}

/* A chain of exclusive-ors takes one cycle each on every processor of interest. */
double carom_machine_clock(int runs)
{
    const int steps = 250000;
    double best = 0;
    for (int run = 0; run < runs; run++) {
        struct timespec start, end;
        size_t x = 1, y = (size_t)run;
        __asm__ volatile("" : "+r"(y));
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 0; i < steps; i++) {
#define STEP                                                                                                           \
    x ^= y;                                                                                                            \
    __asm__ volatile("" : "+r"(x));
            STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
#undef STEP
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        double mhz = 1e-6 * 16 * steps / seconds;
        best = mhz > best ? mhz : best;
    }
    return best;
}

/* "0-3,8" -> 5 */
static unsigned count_list(const char *list)
{
    unsigned count = 0;
    while (*list != '\0') {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list) {
            break;
        }
        if (*end == '-') {
            last = strtoul(end + 1, &end, 10);
        }
        count += (unsigned)(last - first + 1);
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

static bool read_cache(unsigned index, machine_cache *cache)
{
    const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    char values[4][64], path[96];
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, names[i]);
        if (!read_line(path, values[i], sizeof values[i])) {
            return false;
        }
    }
    char *unit;
    cache->level = (int)strtol(values[0], NULL, 10);
    snprintf(cache->type, sizeof cache->type, "%.15s", values[1]);
    cache->bytes = (size_t)strtoul(values[2], &unit, 10) * (*unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1);
    cache->sharing = count_list(values[3]);
    return true;
}

/* How many programs have run at a time: 0 where the system does not say. */
static void read_load(double load[3])
{
#if !defined(_WIN32)
    if (getloadavg(load, 3) == 3) {
        return;
    }
#endif
    memset(load, 0, 3 * sizeof *load);
}

machine carom_machine_read(void)
{
    machine m;
    char governor[32];
    memset(&m, 0, sizeof m);
    read_cpu(&m);
    m.clock = carom_machine_clock(20);
    m.scaling = read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor) &&
                strcmp(governor, "performance") != 0;
    read_load(m.load);
    while (m.cache_count < MACHINE_CACHES && read_cache((unsigned)m.cache_count, &m.caches[m.cache_count])) {
        m.cache_count++;
    }
    return m;
}

size_t carom_machine_cache(const machine *m, int level)
{
    static const size_t usual[3] = {(size_t)32 << 10, (size_t)512 << 10, (size_t)32 << 20};
    for (size_t i = 0; i < m->cache_count; i++) {
        if (m->caches[i].level == level && strcmp(m->caches[i].type, "Instruction") != 0 && m->caches[i].bytes > 0) {
            return m->caches[i].bytes;
        }
    }
    return usual[level - 1];
}
