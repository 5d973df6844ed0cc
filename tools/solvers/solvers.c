/* SPDX-License-Identifier: MIT
 * `carom bench solvers`: pairs a second of every variant of the circle equation, of circles against walls and of
 * quartics, in every shape, precision and instruction set, compared with the memory bandwidth.
 *
 * The cases of one (shape, precision, n) form a group, measured in turn (bench/common/rounds.h) and, if the arrays do
 * not fit into the last cache, together with copies of the same number of bytes.
 */
#include "../../bench/common/machine.h"
#include "../../bench/common/rounds.h"
#include "../../bench/common/statistics.h"
#include "../command/command.h"
#include "solver_data.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 7
#define RUN_SECONDS 0.03 /* the most for one run of a case */
#define SECONDS 60       /* default for all runs together */
#define GROUPS ((size_t)SHAPES * 2 * 2)
#define CASES ((CAROM_ISA_COUNT + 1) * CAROM_TOI_VARIANTS)
#define ALL (-1)
#define NONE (-2)
#define MEMORY_MOST ((size_t)1 << 30) /* bytes of the arrays in memory */

typedef struct solvers_options {
    size_t n;          /* 0: the default sizes */
    int shape;         /* -1: all */
    int precision;     /* a carom_precision; 0: both */
    carom_isa isa;     /* CAROM_ISA_DEFAULT: all that are usable */
    int variant;       /* of the circle equation; ALL, NONE */
    const char *other; /* solver of another shape; NULL: all if variant is ALL */
    unsigned seconds;
    bool json;
    FILE *text; /* of the table: stderr with --json */
} solvers_options;

/* The values of one quantity in the rounds so far. */
typedef struct series {
    double values[ROUNDS];
    unsigned count;
} series;

typedef struct solver_case {
    int variant;
    carom_isa isa;
    double hits;
    series ns; /* a pair */
} solver_case;

typedef struct group {
    solver_shape shape;
    carom_precision precision;
    size_t n;
    solver_case cases[CASES];
    size_t count;
    bool in_memory;
    series clock; /* MHz */
    series copy;  /* ns a byte of memcpy */
} group;

typedef struct result {
    int variant;
    solver_shape shape;
    carom_precision precision;
    carom_isa isa;
    size_t n;
    double hits, ns, cycles;
    unsigned bytes;
    double bandwidth; /* a fraction; NAN: not defined */
} result;

typedef struct solvers_run {
    solvers_options options;
    machine machine;
    carom_isa isas[CAROM_ISA_COUNT];
    size_t isa_count;
    group *groups; /* GROUPS */
    size_t group_count, case_count;
    double run_seconds;
    result *results;
    size_t result_count;
    size_t runs, runs_planned, disturbed;
} solvers_run;

/* ---- options ---- */

/* A variant of the circle equation, or the solver of another shape. */
static void take_solver(const char *name, const char *text, void *to)
{
    solvers_options *options = (solvers_options *)to;
    for (solver_shape shape = CIRCLE_SHAPES; shape < SHAPES; shape++) {
        for (int variant = 0; variant < carom_solver_count(shape); variant++) {
            if (strcmp(text, carom_solver_name(shape, variant)) == 0) {
                options->other = text;
                options->variant = NONE;
                return;
            }
        }
    }
    options->other = "";
    carom_take_solver(name, text, &options->variant);
}

#define OPTIONS solvers_options
static const argument_row rows[] = {
    COUNT("--n N", n, 1, SIZE_MAX, 0,
          "pairs; by default as many as fit into the first cache, and as many as fill four times the last one; for "
          "`first` "
          "64 and 1024"),
    CALL_WITH_ALL("--solver NAME", take_solver,
                  "one variant, or \"fast\"; NAME/branches: only its scalar code with branches"),
    CHOICE("--shape", shape, carom_shape_names, ALL,
           "pairs (relative motion), indexed (pairs of bodies by index), one (one body against many), first (the "
           "earliest of these); segments, boxes (each circle against its own), polygon (all against one of eight "
           "corners), accelerated (pairs); all by default"),
    CALL("--precision f32|f64", precision, carom_take_precision, NULL, "both by default"),
    CALL("--isa NAME", isa, carom_take_isa, NULL, "instruction set; all that are usable by default"),
    COUNT("--seconds S", seconds, 1, 86400, SECONDS, "approximate time of all runs together; $ by default"),
    FLAG("--json", json, "an array of objects on stdout; everything else on stderr"),
    END};

static void print_tables(void)
{
    puts("\nvariants");
    for (int v = 0; v < CAROM_TOI_VARIANTS; v++) {
        const carom_toi_variant_info *about = carom_toi_variant_describe(v);
        carom_print_row(about->name, about->summary);
    }
    carom_print_row("fast", carom_toi_variant_describe(CAROM_TOI_FAST)->name);
    carom_print_row("continuous", "circles against walls that do not move: segments, boxes, polygon");
    carom_print_row("bracketed", "accelerated: brackets the roots, then searches for them; misses none");
    carom_print_row("ferrari", "accelerated: Ferrari's formulas, for comparison; misses impacts");
    puts("\ncolumns");
    carom_print_row("ns/pair, G pairs/s", "medians of interleaved rounds; calls take at most 65,536 pairs and walk "
                                          "through larger arrays");
    carom_print_row("cycles/pair", "by the clock measured in the same rounds");
    carom_print_row("bytes, GB/s", "read and written for a pair; for `indexed` only indices and times, since its 256 "
                                   "bodies stay in the first cache");
    carom_print_row("of copy", "fraction of the bytes a second that memcpy reads and writes at this size; memcpy may "
                               "bypass the caches, and then writes without reading first, which no solver does");
}

/* ---- the plan ---- */

/* All arrays together fill three quarters of the first cache, or four times the last. */
static size_t default_n(const machine *m, bool memory, solver_shape shape, carom_precision precision)
{
    if (shape == SHAPE_FIRST) {
        return memory ? 1024 : 64;
    }
    size_t bytes = memory ? 4 * carom_machine_cache(m, 3) : carom_machine_cache(m, 1) / 4 * 3;
    bytes = bytes < MEMORY_MOST ? bytes : MEMORY_MOST;
    bytes -= carom_solver_bodies(shape, precision);
    return bytes / carom_solver_bytes(shape, precision) / 64 * 64;
}

/* Lanes on every instruction set; code with branches or without lanes only once. */
static bool is_wanted(const solvers_options *options, solver_shape shape, int variant, carom_isa isa)
{
    const bool branches = variant >= CAROM_TOI_BRANCHES, lanes = carom_solver_has_lanes(shape, variant);
    const int chosen = options->variant;
    if (shape >= CIRCLE_SHAPES) {
        return !branches && (options->other == NULL || strcmp(options->other, carom_solver_name(shape, variant)) == 0);
    }
    if ((branches && !lanes) || ((branches || !lanes) && isa != CAROM_ISA_SCALAR)) {
        return false;
    }
    return chosen == ALL ||
           (chosen != NONE && (chosen == variant ||
                               (variant & ~CAROM_TOI_BRANCHES) == (lanes ? chosen : (chosen & ~CAROM_TOI_BRANCHES))));
}

/* Dies unless there is memory for a group's arrays and for a copy of the same size. */
static void demand_memory(const group *g)
{
    const size_t bytes = carom_solver_data_bytes(g->shape, g->precision, g->n);
    void *memory = bytes <= SIZE_MAX / 2 ? carom_memory_take(bytes + (g->in_memory ? bytes : 0)) : NULL;
    if (memory == NULL) {
        carom_die("--n: %zu pairs (shape %s, f%d) need more memory than there is", g->n, carom_shape_names[g->shape],
                  (int)g->precision);
    }
    carom_memory_release(memory);
}

static void plan_group(solvers_run *r, solver_shape shape, carom_precision precision, bool memory)
{
    const solvers_options *options = &r->options;
    group *g = &r->groups[r->group_count];
    memset(g, 0, sizeof *g);
    g->shape = shape;
    g->precision = precision;
    g->n = options->n > 0 ? options->n : default_n(&r->machine, memory, shape, precision);
    const double bytes = (double)g->n * carom_solver_bytes(shape, precision);
    g->in_memory = bytes >= 2.0 * (double)carom_machine_cache(&r->machine, 3);
    for (int v = 0; v < carom_solver_count(shape); v++) {
        for (size_t i = 0; i < r->isa_count; i++) {
            for (int branches = 0; branches <= CAROM_TOI_BRANCHES; branches += CAROM_TOI_BRANCHES) {
                if (is_wanted(options, shape, v + branches, r->isas[i])) {
                    g->cases[g->count++] = (solver_case){.variant = v + branches, .isa = r->isas[i]};
                }
            }
        }
    }
    if (g->count > 0) {
        demand_memory(g);
        r->group_count++;
        r->case_count += g->count;
    }
}

static void plan(solvers_run *r)
{
    const solvers_options *options = &r->options;
    const carom_isa widest = carom_chosen_isa();
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        if (options->isa != CAROM_ISA_DEFAULT ? isa == options->isa : isa <= widest && carom_isa_usable(isa)) {
            r->isas[r->isa_count++] = isa;
        }
    }
    for (solver_shape shape = 0; shape < SHAPES; shape++) {
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            for (int memory = 0; memory < (options->n > 0 ? 1 : 2); memory++) {
                if ((options->shape < 0 || options->shape == (int)shape) &&
                    (options->precision == 0 || options->precision == precision)) {
                    plan_group(r, shape, (carom_precision)precision, memory == 1);
                }
            }
        }
    }
    if (r->case_count == 0) {
        carom_die("--shape, --solver, --isa: nothing is measured (scalar code is on scalar only)");
    }
    r->run_seconds = (double)options->seconds / ((double)r->case_count * (ROUNDS + 1));
    r->run_seconds = r->run_seconds < RUN_SECONDS ? r->run_seconds : RUN_SECONDS;
    r->runs_planned = r->case_count * ROUNDS;
    r->results = carom_allocate(r->case_count, sizeof *r->results);
}

/* ---- runs ---- */

static void keep(series *s, double value)
{
    s->values[s->count++] = value;
}

static double median(const series *s)
{
    double values[ROUNDS];
    memcpy(values, s->values, sizeof values);
    return s->count > 0 ? carom_bench_sort(values, s->count).median : (double)NAN;
}

/* The reference of the group. */
static void measure_references(group *g, unsigned char *memory, size_t half)
{
    keep(&g->clock, carom_machine_clock(2));
    if (memory != NULL) {
        const double start = carom_now();
        memcpy(memory + half, memory, half);
        __asm__ volatile("" : : "r"(memory) : "memory");
        keep(&g->copy, 1e9 * (carom_now() - start) / (2 * (double)half));
    }
}

static void show_progress(const solvers_run *r, const group *g)
{
    char text[64];
    snprintf(text, sizeof text, "%s f%d n %zu", carom_shape_names[g->shape], (int)g->precision, g->n);
    carom_progress_draw((double)r->runs / (double)r->runs_planned, text);
}

/* A group while it is measured. */
typedef struct measuring {
    solvers_run *run;
    group *group;
    solver_data data;
    unsigned char *memory; /* of a copy, 2 x half bytes; NULL: none */
    size_t half;
} measuring;

static void run_case(void *context, size_t number, uint64_t iterations, bench_sample *sample)
{
    measuring *m = context;
    const solver_case *c = &m->group->cases[number];
    size_t solved = 0;
    carom_isa_force(c->isa);
    carom_bench_start(sample);
    for (uint64_t i = 0; i < iterations; i++) {
        solved += carom_solver_call(&m->data, c->variant);
    }
    carom_bench_stop(sample);
    sample->items = (double)solved;
}

static void keep_case(void *context, size_t number, unsigned round, const bench_sample *sample)
{
    measuring *m = context;
    (void)round;
    keep(&m->group->cases[number].ns, 1e9 * sample->seconds / sample->items);
    m->run->runs++;
    m->run->disturbed += carom_bench_disturbed(sample->seconds, sample->cpu_seconds);
    show_progress(m->run, m->group);
}

static void begin_round(void *context, unsigned round)
{
    measuring *m = context;
    (void)round;
    measure_references(m->group, m->memory, m->half);
}

static void run_group(solvers_run *r, group *g)
{
    measuring m = {r, g, carom_solver_data_make(g->shape, g->precision, g->n), NULL,
                   g->n * carom_solver_bytes(g->shape, g->precision) / 2};
    const bench_rounds rounds = {.context = &m,
                                 .cases = g->count,
                                 .rounds = ROUNDS,
                                 .seconds = r->run_seconds,
                                 .run = run_case,
                                 .keep = keep_case,
                                 .begin = begin_round,
                                 .stopped = carom_interrupted};
    uint64_t calls[CASES];
    m.memory = g->in_memory ? carom_memory_take(2 * m.half) : NULL;
    if (g->in_memory && m.memory == NULL) {
        carom_die("no memory for a copy of %zu bytes", m.half);
    }
    if (m.memory != NULL) {
        memset(m.memory, 1, 2 * m.half);
    }
    show_progress(r, g);
    for (size_t i = 0; i < g->count && !carom_interrupted(); i++) {
        g->cases[i].hits = carom_solver_check(&m.data, g->cases[i].variant, g->cases[i].isa);
        calls[i] = carom_bench_calibrate(&rounds, i);
        show_progress(r, g);
    }
    if (!carom_interrupted()) {
        carom_bench_go_round(&rounds, calls);
    }
    carom_memory_release(m.memory);
    carom_solver_data_free(&m.data);
}

/* ---- results ---- */

static void evaluate(solvers_run *r, const group *g, const solver_case *c)
{
    result *made = &r->results[r->result_count++];
    *made = (result){c->variant, g->shape, g->precision, c->isa, g->n, c->hits, median(&c->ns), 0, 0, (double)NAN};
    made->cycles = made->ns * median(&g->clock) / 1000;
    made->bytes = carom_solver_bytes(g->shape, g->precision);
    if (g->in_memory) {
        made->bandwidth = made->bytes * median(&g->copy) / made->ns;
    }
}

static void print_head(const solvers_run *r)
{
    const machine *m = &r->machine;
    FILE *text = r->options.text;
    fprintf(text,
            "The time of impact, every solver\n\n"
            "  carom       %s, %s\n"
            "  processor   %s, %.2f GHz (measured)",
            carom_version(), carom_build_info(), m->cpu, m->clock / 1000);
    for (size_t i = 0; i < m->cache_count; i++) {
        if (strcmp(m->caches[i].type, "Instruction") != 0) {
            fprintf(text, ", L%d %zu KiB", m->caches[i].level, m->caches[i].bytes / 1024);
        }
    }
    fprintf(text,
            "\n"
            "  load        %.2f %.2f %.2f%s\n"
            "  rounds      %d, each case once a round, about %.2g ms a run; medians\n"
            "  of copy     fraction of the bytes a second of a memcpy of the same size in the same rounds\n",
            m->load[0], m->load[1], m->load[2], m->scaling ? "; the frequency is governed: figures will vary" : "",
            ROUNDS, 1000 * r->run_seconds);
    fflush(text);
}

static void print_references(const solvers_run *r, const group *g)
{
    FILE *text = r->options.text;
    fprintf(text, "\n%s, f%d, %zu pairs", carom_shape_names[g->shape], (int)g->precision, g->n);
    if (g->in_memory && g->copy.count > 0) {
        fprintf(text, ": memcpy %.1f GB/s", 1 / median(&g->copy));
    }
    fprintf(text, "\n%-24s %-11s %-4s %-6s %9s %9s %9s %7s %5s %7s %7s\n", "variant", "shape", "prec", "isa", "n",
            "ns/pair", "G pairs/s", "cycles", "bytes", "GB/s", "of copy");
}

static void print_row(const solvers_run *r, const result *row)
{
    char name[40], copy[16] = "";
    snprintf(name, sizeof name, "%s%s", carom_solver_name(row->shape, row->variant),
             row->variant >= CAROM_TOI_BRANCHES ? "/branches" : "");
    if (!isnan(row->bandwidth)) {
        snprintf(copy, sizeof copy, "%.2f", row->bandwidth);
    }
    fprintf(r->options.text, "%-24s %-11s f%-3d %-6s %9zu %9.4f %9.3f %7.3f %5u %7.1f %7s\n", name,
            carom_shape_names[row->shape], (int)row->precision, carom_isa_name(row->isa), row->n, row->ns, 1 / row->ns,
            row->cycles, row->bytes, row->bytes / row->ns, copy);
}

static void report_group(solvers_run *r, const group *g)
{
    bool any = false;
    carom_progress_erase();
    for (size_t i = 0; i < g->count; i++) {
        if (g->cases[i].ns.count > 0) {
            if (!any) {
                print_references(r, g);
            }
            any = true;
            evaluate(r, g, &g->cases[i]);
            print_row(r, &r->results[r->result_count - 1]);
        }
    }
    fflush(r->options.text);
}

static void print_json(const solvers_run *r)
{
    putchar('[');
    for (size_t i = 0; i < r->result_count; i++) {
        const result *row = &r->results[i];
        const bool branches = row->variant >= CAROM_TOI_BRANCHES || !carom_solver_has_lanes(row->shape, row->variant);
        carom_json(i > 0 ? ",\n{'variant': %s" : "\n{'variant': %s", carom_solver_name(row->shape, row->variant));
        carom_json(", 'branches': %i, 'shape': %s, 'precision': 'f%d', 'isa': %s, 'n': %zu, 'hits': %.4g", branches,
                   carom_shape_names[row->shape], (int)row->precision, carom_isa_name(row->isa), row->n, row->hits);
        carom_json(", 'ns_per_pair': %.6g, 'pairs_per_s': %.6g, 'cycles_per_pair': %.6g, 'bytes_per_pair': %u", row->ns,
                   1e9 / row->ns, row->cycles, row->bytes);
        carom_json(", 'bytes_per_s': %.6g, 'bandwidth_fraction': %.4g}", 1e9 * row->bytes / row->ns, row->bandwidth);
    }
    puts("\n]");
}

static int run(arguments *args)
{
    solvers_run r = {.options = {.variant = ALL}};
    carom_read_arguments(args, rows, &r.options);
    r.options.text = r.options.json ? stderr : stdout;
    r.groups = carom_allocate(GROUPS, sizeof(group));
    carom_catch_interrupt();
    r.machine = carom_machine_read();
    plan(&r);
    print_head(&r);
    for (size_t i = 0; i < r.group_count && !carom_interrupted(); i++) {
        run_group(&r, &r.groups[i]);
        report_group(&r, &r.groups[i]);
    }
    const bool complete = r.runs == r.runs_planned;
    fprintf(r.options.text, "\n%zu of %zu runs had the processor for less than %.0f%% of their time%s%s\n", r.disturbed,
            r.runs, 100 * BENCH_UNDISTURBED,
            r.disturbed * 10 > r.runs ? ": the machine is busy, do not quote these figures" : "",
            complete ? "" : "; interrupted");
    if (r.options.json) {
        print_json(&r);
    }
    free(r.results);
    free(r.groups);
    return complete ? 0 : EXIT_INTERRUPTED;
}

const command_row carom_bench_solvers_command = {
    .name = "bench solvers",
    .usage = "[options]",
    .summary = "time all solvers of the time of impact",
    .about = "Times every variant of the circle equation, of circles against walls and of quartics.",
    .rows = rows,
    .tables = print_tables,
    .notes =
        "Pairs are random, and about 10% of them meet; in JSON, `hits` is the share. In small arrays the "
        "same pairs are repeated, and the processor learns the branches of the scalar code: its "
        "true speed is the one in memory. Before a case is timed, its results for the first pairs are compared with "
        "those at width 1, bit for bit (pow's, which is the C library's, with its own). Ctrl-C ends with what has "
        "been measured.",
    .run = run};
