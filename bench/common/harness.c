/* SPDX-License-Identifier: MIT
 * The options, the cases and the table of harness.h; JSON is written by json.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "harness.h"

#include "results.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN_SECONDS 0.03 /* one run of a case */
#define REPEATS 9
#define QUICK_RUN_SECONDS 0.005
#define QUICK_REPEATS 3
#define MAX_REPEATS 10000

static const char *program_name = "bench";

/* ---- for bodies ---- */

void carom_bench_die(const char *format, ...)
{
    va_list list;
    fflush(stdout);
    fprintf(stderr, "%s: ", program_name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

void carom_bench_demand(carom_status status, const char *doing)
{
    if (status != CAROM_OK) {
        carom_bench_die("cannot %s: %s", doing, carom_status_string(status));
    }
}

uint64_t carom_bench_digest(const carom_worlds *worlds)
{
    uint64_t digest;
    carom_bench_demand(carom_worlds_digest(worlds, &digest), "digest");
    return digest;
}

void *carom_bench_take(size_t count, size_t bytes)
{
    size_t size = (count * bytes + 63) / 64 * 64;
    void *memory = bytes != 0 && count > (SIZE_MAX - 63) / bytes ? NULL : aligned_alloc(64, size > 0 ? size : 64);
    if (memory == NULL) {
        carom_bench_die("no memory for %zu x %zu bytes", count, bytes);
    }
    return memory;
}

size_t carom_bench_isas(carom_isa isas[CAROM_ISA_COUNT])
{
    carom_isa widest;
    size_t count = 0;
    carom_bench_demand(carom_isa_current(&widest), "choose an instruction set (see CAROM_ISA)");
    for (carom_isa isa = CAROM_ISA_SCALAR; isa <= widest; isa++) {
        if (carom_isa_usable(isa)) {
            isas[count++] = isa;
        }
    }
    return count;
}

/* ---- options ---- */

static void help(const bench_program *program)
{
    printf("%s: %s\n\n"
           "  --filter TEXT   only the cases with TEXT in their name, and their baselines; may be repeated\n"
           "  --repeats N     rounds, %d by default\n"
           "  --quick         short runs, %d rounds, no large cases: to see that it works\n"
           "  --json FILE     results in the schema of Google Benchmark; - is stdout, the table then goes to stderr\n",
           program_name, program->title, REPEATS, QUICK_REPEATS);
}

/* The value of the option argv[*i], which is the next argument. */
static const char *value_of(char **argv, int *i)
{
    if (argv[*i + 1] == NULL) {
        carom_bench_die("%s needs a value", argv[*i]);
    }
    return argv[++*i];
}

static void add_filter(bench *b, const char *text)
{
    if (b->filter_count == BENCH_FILTERS) {
        carom_bench_die("more than %d filters", BENCH_FILTERS);
    }
    b->filters[b->filter_count++] = text;
}

static unsigned parse_repeats(const char *text)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < 1 || value > MAX_REPEATS) {
        carom_bench_die("--repeats: '%s' is not a number from 1 to %d", text, MAX_REPEATS);
    }
    return (unsigned)value;
}

bench *carom_bench_create(int argc, char **argv, const bench_program *program)
{
    bench *b = carom_bench_take(1, sizeof *b);
    *b = (bench){.program = program, .text = stdout};
    if (argc > 0) {
        const char *slash = strrchr(argv[0], '/');
        program_name = slash != NULL ? slash + 1 : argv[0];
    }
    b->executable = program_name;
    const char *json = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            b->quick = true;
        } else if (strcmp(argv[i], "--filter") == 0) {
            add_filter(b, value_of(argv, &i));
        } else if (strcmp(argv[i], "--repeats") == 0) {
            b->repeats = parse_repeats(value_of(argv, &i));
        } else if (strcmp(argv[i], "--json") == 0) {
            json = value_of(argv, &i);
        } else if (strcmp(argv[i], "--help") == 0) {
            help(program);
            exit(0);
        } else {
            carom_bench_die("unknown option '%s' (see --help)", argv[i]);
        }
    }
    if (b->repeats == 0) {
        b->repeats = b->quick ? QUICK_REPEATS : REPEATS;
    }
    if (json != NULL && strcmp(json, "-") == 0) {
        b->json = stdout;
        b->text = stderr;
    } else if (json != NULL) {
        b->json = fopen(json, "w");
        if (b->json == NULL) {
            carom_bench_die("cannot write %s: %s", json, strerror(errno));
        }
    }
    b->machine = carom_machine_read();
    return b;
}

bool carom_bench_is_quick(const bench *b)
{
    return b->quick;
}

/* ---- cases ---- */

bench_case carom_bench_case(bench_body *body, const void *argument)
{
    bench_case c = {.body = body, .argument = argument, .threads = 1};
    for (size_t i = 0; i < BENCH_BASELINES; i++) {
        c.baselines[i] = BENCH_NONE;
    }
    return c;
}

void carom_bench_name(bench_case *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->name, sizeof c->name, format, list);
    va_end(list);
}

size_t carom_bench_add(bench *b, const bench_case *c)
{
    if (b->count == b->capacity) {
        b->capacity = b->capacity == 0 ? 64 : 2 * b->capacity;
        b->cases = realloc(b->cases, b->capacity * sizeof *b->cases);
        if (b->cases == NULL) {
            carom_bench_die("no memory for %zu cases", b->capacity);
        }
    }
    b->cases[b->count] = (measured){.what = *c};
    return b->count++;
}

static size_t add_engine(bench *b, const bench_workload *w, bench_body *body, const bench_engine *engine,
                         const char *path, const size_t baselines[BENCH_BASELINES])
{
    bench_case c = carom_bench_case(body, engine);
    c.threads = engine->threads;
    memcpy(c.baselines, baselines, sizeof c.baselines);
    carom_bench_name(&c, "%s/%s%s", w->name, path, engine->threads == 1 ? w->one_thread : "/threads:2");
    return carom_bench_add(b, &c);
}

void carom_bench_add_workload(bench *b, bench_workload *w)
{
    size_t baselines[BENCH_BASELINES] = {BENCH_NONE, BENCH_NONE, BENCH_NONE};
    bench_engine *engine = w->engines;
    carom_isa isas[CAROM_ISA_COUNT];
    const size_t count = carom_bench_isas(isas);
    *engine = (bench_engine){w->subjects[1], CAROM_ISA_SCALAR, 1};
    baselines[1] = add_engine(b, w, w->plain, engine++, "f64/plain_c", baselines);
    for (int f64 = 1; f64 >= 0; f64--) {
        baselines[0] = baselines[2] = BENCH_NONE;
        for (size_t k = 0; k <= count; k++) { /* at last the widest once more */
            char path[32];
            const carom_isa isa = isas[k < count ? k : count - 1];
            *engine = (bench_engine){w->subjects[f64], isa, k < count ? 1 : 2};
            snprintf(path, sizeof path, "f%d/%s", f64 ? 64 : 32, carom_isa_name(isa));
            const size_t number = add_engine(b, w, w->library, engine++, path, baselines);
            baselines[0] = k == 0 ? number : baselines[0];
            baselines[2] = k + 1 == count ? number : baselines[2];
        }
    }
}

static void select_case(bench *b, size_t number)
{
    measured *m = &b->cases[number];
    if (!m->selected) {
        m->selected = true;
        for (size_t i = 0; i < BENCH_BASELINES; i++) {
            if (m->what.baselines[i] != BENCH_NONE) {
                select_case(b, m->what.baselines[i]);
            }
        }
    }
}

/* Selects the cases with a text in their name; all contain "". */
static void apply_filter(bench *b, const char *text)
{
    size_t found = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (strstr(b->cases[i].what.name, text) != NULL) {
            select_case(b, i);
            found++;
        }
    }
    if (found == 0) {
        carom_bench_die("no case has '%s' in its name", text);
    }
}

static void apply_filters(bench *b)
{
    for (size_t i = 0; i < b->filter_count; i++) {
        apply_filter(b, b->filters[i]);
    }
    if (b->filter_count == 0) {
        apply_filter(b, "");
    }
}

/* ---- runs ---- */

static void show_round(const bench *b, const char *what, unsigned number, size_t of)
{
    if (isatty(STDERR_FILENO) != 0) {
        fprintf(stderr, "\r%s: %s %u of %zu   ", b->executable, what, number, of);
        fprintf(stderr, number == of ? "\r%*s\r" : "%*s", number == of ? 60 : 0, "");
        fflush(stderr);
    }
}

static void run_chosen(void *context, size_t number, uint64_t iterations, bench_sample *sample)
{
    const bench_case *what = &((const bench *)context)->chosen[number]->what;
    sample->threaded = what->threads > 1;
    what->body(what->argument, iterations, sample);
}

static void keep(void *context, size_t number, unsigned round, const bench_sample *sample)
{
    measured *m = ((const bench *)context)->chosen[number];
    m->seconds[round] = sample->seconds / (double)m->iterations;
    m->cpu_seconds[round] = sample->cpu_seconds / (double)m->iterations;
    m->rates[round] = sample->items / sample->seconds;
    for (size_t i = 0; i < BENCH_COUNTERS; i++) {
        m->counters[i][round] = sample->counters[i];
    }
}

static void begin_round(void *context, unsigned round)
{
    const bench *b = context;
    show_round(b, "round", round + 1, b->repeats);
}

static void measure(bench *b)
{
    bench_rounds rounds = {.context = b,
                           .rounds = b->repeats,
                           .seconds = b->quick ? QUICK_RUN_SECONDS : RUN_SECONDS,
                           .run = run_chosen,
                           .keep = keep,
                           .begin = begin_round};
    b->chosen = carom_bench_take(b->count, sizeof *b->chosen);
    for (size_t i = 0; i < b->count; i++) {
        measured *m = &b->cases[i];
        if (m->selected) {
            b->chosen[rounds.cases++] = m;
            m->seconds = carom_bench_take(b->repeats, sizeof(double));
            m->cpu_seconds = carom_bench_take(b->repeats, sizeof(double));
            m->rates = carom_bench_take(b->repeats, sizeof(double));
            for (size_t k = 0; k < BENCH_COUNTERS; k++) {
                m->counters[k] = carom_bench_take(b->repeats, sizeof(double));
            }
        }
    }
    uint64_t *iterations = carom_bench_take(rounds.cases, sizeof *iterations);
    for (unsigned i = 0; i < rounds.cases; i++) {
        b->chosen[i]->iterations = iterations[i] = carom_bench_calibrate(&rounds, i);
        show_round(b, "calibrating case", i + 1, rounds.cases);
    }
    carom_bench_go_round(&rounds, iterations);
    free(iterations);
    free(b->chosen);
}

/* ---- statistics ---- */

statistics carom_bench_statistics(const double *values, unsigned count)
{
    double *sorted = carom_bench_take(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    const statistics s = carom_bench_sort(sorted, count);
    free(sorted);
    return s;
}

/* ---- text ---- */

static void print_head(const bench *b)
{
    const machine *m = &b->machine;
    FILE *text = b->text;
    fprintf(text, "%s\n\n", b->program->title);
    fprintf(text, "  carom       %s, %s\n", carom_version(), carom_build_info());
    fprintf(text, "  processor   %s, %u hardware threads, %.2f GHz (measured)", m->cpu, carom_threads(),
            m->clock / 1000);
    for (size_t i = 0; i < m->cache_count; i++) {
        if (strcmp(m->caches[i].type, "Instruction") != 0) {
            fprintf(text, ", L%d %zu KiB", m->caches[i].level, m->caches[i].bytes / 1024);
        }
    }
    fprintf(text, "\n  usable     ");
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        if (carom_isa_usable(isa)) {
            fprintf(text, " %s (%u f64, %u f32)", carom_isa_name(isa), carom_isa_lanes(isa, CAROM_F64),
                    carom_isa_lanes(isa, CAROM_F32));
        }
    }
    fprintf(text, "\n  load        %.2f %.2f %.2f%s\n", m->load[0], m->load[1], m->load[2],
            m->scaling ? "; the frequency is governed: figures will vary" : "");
    fprintf(text, "  rounds      %u, each case once a round, some %.0f ms a run%s\n\n", b->repeats,
            1000 * (b->quick ? QUICK_RUN_SECONDS : RUN_SECONDS), b->quick ? " (--quick: not to be quoted)" : "");
}

static int counter_width(const bench_program *p, size_t counter)
{
    const int length = (int)strlen(p->counters[counter].title);
    return length > 9 ? length : 9;
}

static void print_table(const bench *b)
{
    const bench_program *p = b->program;
    int width = (int)strlen(p->unit);
    for (size_t i = 0; i < b->count; i++) {
        int length = b->cases[i].selected ? (int)strlen(b->cases[i].what.name) : 0;
        width = length > width ? length : width;
    }
    fprintf(b->text, "%-*s  %9s %9s %9s", width, p->unit, "median", "min", "max");
    for (size_t i = 0; i < BENCH_BASELINES && p->baselines[i] != NULL; i++) {
        fprintf(b->text, "  %11s", p->baselines[i]);
    }
    for (size_t i = 0; i < BENCH_COUNTERS && p->counters[i].name != NULL; i++) {
        fprintf(b->text, "  %*s", counter_width(p, i), p->counters[i].title);
    }
    fputc('\n', b->text);
    for (size_t n = 0; n < b->count; n++) {
        const measured *m = &b->cases[n];
        if (!m->selected) {
            continue;
        }
        const statistics rate = carom_bench_statistics(m->rates, b->repeats);
        fprintf(b->text, "%-*s  %9.4g %9.4g %9.4g", width, m->what.name, rate.median * p->scale, rate.min * p->scale,
                rate.max * p->scale);
        for (size_t i = 0; i < BENCH_BASELINES && p->baselines[i] != NULL; i++) {
            if (m->what.baselines[i] == BENCH_NONE) {
                fprintf(b->text, "  %11s", "");
            } else {
                const measured *baseline = &b->cases[m->what.baselines[i]];
                fprintf(b->text, "  %11.2f", rate.median / carom_bench_statistics(baseline->rates, b->repeats).median);
            }
        }
        for (size_t i = 0; i < BENCH_COUNTERS && p->counters[i].name != NULL; i++) {
            const double value = carom_bench_statistics(m->counters[i], b->repeats).median * p->counters[i].scale;
            if (value == 0) {
                fprintf(b->text, "  %*s", counter_width(p, i), "");
            } else {
                fprintf(b->text, "  %*.4g", counter_width(p, i), value);
            }
        }
        fputc('\n', b->text);
    }
}

/* Rounds of single-threaded cases in which something else had the processor for part of the time. */
static void print_disturbed(const bench *b)
{
    unsigned runs = 0, disturbed = 0;
    for (size_t n = 0; n < b->count; n++) {
        const measured *m = &b->cases[n];
        for (unsigned round = 0; m->selected && m->what.threads == 1 && round < b->repeats; round++) {
            runs++;
            disturbed += carom_bench_disturbed(m->seconds[round], m->cpu_seconds[round]);
        }
    }
    fprintf(b->text, "\n%u of %u runs on one thread had the processor for less than %.0f%% of their time%s\n\n",
            disturbed, runs, 100 * BENCH_UNDISTURBED,
            disturbed * 10 > runs ? ": the machine is busy, do not quote these figures" : "");
}

static void destroy(bench *b)
{
    for (size_t i = 0; i < b->count; i++) {
        measured *m = &b->cases[i];
        free(m->seconds);
        free(m->cpu_seconds);
        free(m->rates);
        for (size_t k = 0; k < BENCH_COUNTERS; k++) {
            free(m->counters[k]);
        }
    }
    free(b->cases);
    free(b);
}

int carom_bench_run(bench *b)
{
    apply_filters(b);
    print_head(b);
    fflush(b->text);
    measure(b);
    print_table(b);
    print_disturbed(b);
    if (b->json != NULL) {
        carom_bench_write_json(b);
        if (fflush(b->json) != 0 || ferror(b->json)) {
            carom_bench_die("cannot write the JSON: %s", strerror(errno));
        }
        if (b->json != stdout) {
            fclose(b->json);
        }
    }
    destroy(b);
    return 0;
}
