/* SPDX-License-Identifier: MIT
 * Results in the schema of Google Benchmark, for its tools (compare.py) and others: an entry for each round, then one
 * for the median, the minimum and the maximum of each quantity.
 */
#define _POSIX_C_SOURCE 200809L

#include "results.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', file);
        }
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
    }
    fputc('"', file);
}

static void write_member(FILE *file, const char *key, const char *value)
{
    fprintf(file, "    \"%s\": ", key);
    write_string(file, value);
    fputs(",\n", file);
}

/* Local time as 2026-01-31T12:00:00+01:00. */
static void write_date(FILE *file)
{
    char date[40] = "", zone[8] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &local);
        strftime(zone, sizeof zone, "%z", &local);
    }
    fprintf(file, "    \"date\": \"%s%.3s:%s\",\n", date, zone, strlen(zone) > 3 ? zone + 3 : "");
}

static void write_context(const bench *b)
{
    FILE *file = b->json;
    const machine *m = &b->machine;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    fputs("  \"context\": {\n", file);
    write_date(file);
    write_member(file, "host_name", host);
    write_member(file, "executable", b->executable);
    fprintf(file, "    \"num_cpus\": %u,\n    \"mhz_per_cpu\": %.0f,\n    \"cpu_scaling_enabled\": %s,\n",
            carom_threads(), m->mhz, m->scaling ? "true" : "false");
    fputs("    \"caches\": [", file);
    for (size_t i = 0; i < m->cache_count; i++) {
        const machine_cache *c = &m->caches[i];
        fprintf(file, "%s\n      {\"type\": \"%s\", \"level\": %d, \"size\": %zu, \"num_sharing\": %u}",
                i > 0 ? "," : "", c->type, c->level, c->bytes, c->sharing);
    }
    fprintf(file, "],\n    \"load_avg\": [%g, %g, %g],\n", m->load[0], m->load[1], m->load[2]);
#ifdef NDEBUG
    write_member(file, "library_build_type", "release");
#else
    write_member(file, "library_build_type", "debug");
#endif
    write_member(file, "cpu_model", m->cpu);
    fprintf(file, "    \"mhz_measured\": %.0f,\n", m->clock);
    write_member(file, "carom_version", carom_version());
    write_member(file, "carom_build_info", carom_build_info());
    fprintf(file, "    \"quick\": %s,\n    \"instruction_sets\": [", b->quick ? "true" : "false");
    bool first = true;
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        if (carom_isa_usable(isa)) {
            fprintf(file, "%s\"%s\"", first ? "" : ", ", carom_isa_name(isa));
            first = false;
        }
    }
    fputs("]\n  },\n", file);
}

/* What all entries of a case begin with. aggregate: NULL for a round. */
static void begin_entry(const bench *b, size_t family, const char *aggregate, bool first)
{
    FILE *file = b->json;
    const char *name = b->cases[family].what.name;
    fprintf(file, "%s\n    {\n      \"name\": \"%s%s%s\",\n      \"family_index\": %zu,\n", first ? "" : ",", name,
            aggregate != NULL ? "_" : "", aggregate != NULL ? aggregate : "", family);
    fprintf(file,
            "      \"per_family_instance_index\": 0,\n      \"run_name\": \"%s\",\n      \"run_type\": \"%s\",\n"
            "      \"repetitions\": %u,\n      \"threads\": %u,\n",
            name, aggregate != NULL ? "aggregate" : "iteration", b->repeats, b->cases[family].what.threads);
}

static void end_entry(const bench *b, double seconds, double cpu_seconds, double rate,
                      const double counters[BENCH_COUNTERS])
{
    FILE *file = b->json;
    fprintf(file,
            "      \"real_time\": %.9g,\n      \"cpu_time\": %.9g,\n      \"time_unit\": \"ns\",\n"
            "      \"items_per_second\": %.9g",
            1e9 * seconds, 1e9 * cpu_seconds, rate);
    for (size_t i = 0; i < BENCH_COUNTERS && b->program->counters[i].name != NULL; i++) {
        if (counters[i] != 0) { /* else the case does not count it */
            fprintf(file, ",\n      \"%s\": %.9g", b->program->counters[i].name, counters[i]);
        }
    }
    fputs("\n    }", file);
}

static void write_rounds(const bench *b, size_t family, bool first)
{
    const measured *m = &b->cases[family];
    for (unsigned round = 0; round < b->repeats; round++) {
        double counters[BENCH_COUNTERS];
        for (size_t i = 0; i < BENCH_COUNTERS; i++) {
            counters[i] = m->counters[i][round];
        }
        begin_entry(b, family, NULL, first && round == 0);
        fprintf(b->json, "      \"repetition_index\": %u,\n      \"iterations\": %llu,\n", round,
                (unsigned long long)m->iterations);
        end_entry(b, m->seconds[round], m->cpu_seconds[round], m->rates[round], counters);
    }
}

static double pick(const double *values, unsigned count, size_t which)
{
    const statistics s = carom_bench_statistics(values, count);
    return which == 0 ? s.median : which == 1 ? s.min : s.max;
}

static void write_aggregates(const bench *b, size_t family)
{
    static const char *const names[] = {"median", "min", "max"};
    const measured *m = &b->cases[family];
    for (size_t which = 0; which < 3; which++) {
        double counters[BENCH_COUNTERS];
        for (size_t i = 0; i < BENCH_COUNTERS; i++) {
            counters[i] = pick(m->counters[i], b->repeats, which);
        }
        begin_entry(b, family, names[which], false);
        fprintf(b->json,
                "      \"aggregate_name\": \"%s\",\n      \"aggregate_unit\": \"time\",\n      \"iterations\": %u,\n",
                names[which], b->repeats);
        end_entry(b, pick(m->seconds, b->repeats, which), pick(m->cpu_seconds, b->repeats, which),
                  pick(m->rates, b->repeats, which), counters);
    }
}

void carom_bench_write_json(const bench *b)
{
    bool first = true;
    fputs("{\n", b->json);
    write_context(b);
    fputs("  \"benchmarks\": [", b->json);
    for (size_t i = 0; i < b->count; i++) {
        if (b->cases[i].selected) {
            write_rounds(b, i, first);
            write_aggregates(b, i);
            first = false;
        }
    }
    fputs("\n  ]\n}\n", b->json);
}
