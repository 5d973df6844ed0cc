/* SPDX-License-Identifier: MIT
 * `carom bench solvers`: pairs a second of every variant of the circle equation, in every shape, precision and
 * instruction set, beside what the processor's units and the memory could do.
 *
 * The cases of one (shape, precision, n) are a group. Every round runs each of its cases once, beginning one case
 * further than the round before, and beside them what they are compared with: the ports (ports.h) where the arrays fit
 * into the first cache, copies of as many bytes where they do not fit into the last. So all meet the same weather.
 */
#define _POSIX_C_SOURCE 200809L

#include "../bench/machine.h"
#include "../bench/statistics.h"
#include "command.h"
#include "solver_data.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 7
#define RUN_SECONDS 0.03 /* one run of a case at most */
#define SECONDS 60       /* all of them together, by default */
#define UNDISTURBED 0.97 /* share of the processor that a run should have had */
#define GROUPS ((size_t)SHAPES * 2 * 2)
#define CASES ((CAROM_ISA_COUNT + 1) * CAROM_TOI_VARIANTS)
#define MEMORY_MOST ((size_t)1 << 30) /* bytes of the arrays that lie in memory */

typedef struct solvers_options {
    size_t n;      /* 0: the default sizes */
    int shape;     /* -1: all */
    int precision; /* 0: both */
    carom_isa isa; /* CAROM_ISA_DEFAULT: all that are usable */
    int variant;   /* -1: all */
    unsigned seconds;
    bool json;
    FILE *text; /* the table: stderr beside JSON */
} solvers_options;

/* What one quantity was in the rounds so far. */
typedef struct series {
    double values[ROUNDS];
    unsigned count;
} series;

typedef struct solver_case {
    int variant;
    carom_isa isa;
    double hits;
    uint64_t calls; /* of a run */
    series ns;      /* a pair */
} solver_case;

typedef struct group {
    solver_shape shape;
    carom_precision precision;
    size_t n;
    solver_case cases[CASES];
    size_t count;
    bool in_l1, in_memory;
    series clock;                         /* MHz */
    series ports[CAROM_ISA_COUNT][PORTS]; /* ns */
    series copies[2];                     /* ns a byte: memcpy, plain loads and stores */
} group;

typedef struct result {
    int variant;
    solver_shape shape;
    carom_precision precision;
    carom_isa isa;
    size_t n;
    double hits, ns, cycles;
    unsigned bytes;
    double bandwidth, ports; /* fractions; NAN: not defined */
    const char *limit;       /* of the ports */
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

void carom_help_bench_solvers(void)
{
    printf(
        "carom bench solvers [options]\n"
        "\n"
        "  --n N                 pairs; by default as many as fit into the first cache, and as many as fill four\n"
        "                        times the last one; `first`: 64 and 1024\n"
        "  --solver NAME         one variant, or \"fast\"; NAME/branches: only its scalar code with branches\n"
        "  --shape NAME          pairs (relative motion), indexed (pairs of bodies by index), one (one body against\n"
        "                        many), first (the earliest of these)\n"
        "  --precision f32|f64   both by default\n"
        "  --isa NAME            instruction set; all that are usable by default\n"
        "  --seconds S           time that the runs take together, about; %d by default\n"
        "  --json                an array of objects on stdout; all else goes to stderr\n"
        "\n"
        "variants\n",
        SECONDS);
    for (int v = 0; v < CAROM_TOI_VARIANTS; v++) {
        const carom_toi_variant_info *about = carom_toi_variant_describe(v);
        printf("  %-20s  %s\n", about->name, about->summary);
    }
    printf("  %-20s  %s\n", "fast", carom_toi_variant_describe(CAROM_TOI_FAST)->name);
    puts(
        "\n"
        "columns\n"
        "  ns/pair, G pairs/s    medians of interleaved rounds; calls take at most 65,536 pairs and walk through "
        "larger\n"
        "                        arrays\n"
        "  cycles/pair           by the clock measured in the same rounds\n"
        "  bytes, GB/s           read and written for a pair; of `indexed` the indices and times alone, for its 256\n"
        "                        bodies stay in the first cache\n"
        "  of copy               fraction of the bytes a second that memcpy reads and writes at this size; memcpy may\n"
        "                        store past the caches, and then writes without reading first, as no solver does\n"
        "  of ports              fraction of the speed that the processor's units allow, and which unit limits it:\n"
        "                        loops of independent instructions measure them; for lanes in the first cache\n"
        "\n"
        "Pairs are drawn at random and some 10% of them meet; in JSON, `hits` is the share. In small arrays the same\n"
        "pairs come again and again, and the processor learns the branches of the scalar code by heart: its true "
        "speed\n"
        "is the one in memory. Before a case is timed its answers to the first pairs are compared with those at width "
        "1,\n"
        "bit for bit (pow's, which is the C library's, with its own). Ctrl-C ends with what has been measured.");
}

static carom_precision parse_precision(const char *text)
{
    if (strcmp(text, "f32") != 0 && strcmp(text, "f64") != 0) {
        carom_die("--precision: unknown precision '%s' (f32 or f64)", text);
    }
    return strcmp(text, "f32") == 0 ? CAROM_F32 : CAROM_F64;
}

static int parse_shape(const char *text)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        if (strcmp(text, carom_shape_names[shape]) == 0) {
            return shape;
        }
    }
    carom_die("--shape: unknown shape '%s' (pairs, indexed, one or first)", text);
}

static solvers_options parse(arguments *args)
{
    solvers_options options = {.shape = -1, .variant = -1, .seconds = SECONDS, .text = stdout};
    const char *value;
    while (*args->list != NULL) {
        if (carom_take_value(args, "--n", &value)) {
            options.n = (size_t)carom_parse_count("--n", value, 1, SIZE_MAX);
        } else if (carom_take_value(args, "--solver", &value)) {
            options.variant = carom_parse_solver(value);
        } else if (carom_take_value(args, "--shape", &value)) {
            options.shape = parse_shape(value);
        } else if (carom_take_value(args, "--precision", &value)) {
            options.precision = (int)parse_precision(value);
        } else if (carom_take_value(args, "--isa", &value)) {
            options.isa = carom_parse_isa(value);
        } else if (carom_take_value(args, "--seconds", &value)) {
            options.seconds = (unsigned)carom_parse_count("--seconds", value, 1, 86400);
        } else if (carom_take_flag(args, "--json")) {
            options.json = true;
            options.text = stderr;
        } else {
            carom_refuse(args);
        }
    }
    return options;
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

/* Lanes on every instruction set; code with branches, and what has no lanes, only once. */
static bool is_wanted(const solvers_options *options, int variant, carom_isa isa)
{
    const bool branches = variant >= CAROM_TOI_BRANCHES, lanes = carom_toi_variant_describe(variant)->lanes;
    const int chosen = options->variant;
    if ((branches && !lanes) || ((branches || !lanes) && isa != CAROM_ISA_SCALAR)) {
        return false;
    }
    return chosen < 0 || chosen == variant ||
           (variant & ~CAROM_TOI_BRANCHES) == (lanes ? chosen : (chosen & ~CAROM_TOI_BRANCHES));
}

/* Dies unless there is memory for a group's arrays and for a copy of as many bytes. */
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
    const double bodies = (double)carom_solver_bodies(shape, precision);
    g->in_l1 = bytes + bodies <= (double)carom_machine_cache(&r->machine, 1);
    g->in_memory = bytes >= 2.0 * (double)carom_machine_cache(&r->machine, 3);
    for (int v = 0; v < CAROM_TOI_VARIANTS; v++) {
        for (size_t i = 0; i < r->isa_count; i++) {
            for (int branches = 0; branches <= CAROM_TOI_BRANCHES; branches += CAROM_TOI_BRANCHES) {
                if (is_wanted(options, v + branches, r->isas[i])) {
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
        carom_die("--isa: this solver is scalar code, which is measured as scalar only");
    }
    r->run_seconds = (double)options->seconds / ((double)r->case_count * (ROUNDS + 1));
    r->run_seconds = r->run_seconds < RUN_SECONDS ? r->run_seconds : RUN_SECONDS;
    r->runs_planned = r->case_count * ROUNDS;
    r->results = calloc(r->case_count, sizeof *r->results);
    if (r->results == NULL) {
        carom_die("no memory for %zu results", r->case_count);
    }
}

/* ---- runs ---- */

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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

/* Seconds; *pairs are those solved. */
static double run_case(const solver_case *c, solver_data *data, uint64_t calls, double *pairs)
{
    size_t solved = 0;
    carom_isa_force(c->isa);
    const double start = carom_now();
    for (uint64_t i = 0; i < calls; i++) {
        solved += carom_solver_call(data, c->variant);
    }
    const double seconds = carom_now() - start;
    *pairs = (double)solved;
    return seconds;
}

/* Compares, then finds the number of calls that fill a run. */
static void prepare_case(const solvers_run *r, solver_case *c, solver_data *data)
{
    double pairs;
    c->hits = carom_solver_check(data, c->variant, c->isa);
    for (c->calls = 1;;) {
        const double factor = r->run_seconds / (run_case(c, data, c->calls, &pairs) + 1e-9);
        if (factor <= 1.5) {
            break;
        }
        c->calls = (uint64_t)((double)c->calls * (factor < 10 ? factor : 10) + 0.5);
        if (factor < 4) {
            break;
        }
    }
}

static void measure_case(solvers_run *r, solver_case *c, solver_data *data)
{
    double pairs;
    const double cpu = cpu_seconds(), seconds = run_case(c, data, c->calls, &pairs), used = cpu_seconds() - cpu;
    keep(&c->ns, 1e9 * seconds / pairs);
    r->runs++;
    r->disturbed += used < UNDISTURBED * seconds;
}

/* What the group is compared with. */
static void measure_references(const solvers_run *r, group *g, unsigned char *memory, size_t half)
{
    keep(&g->clock, carom_machine_clock(2));
    for (size_t i = 0; i < r->isa_count && g->in_l1; i++) {
        const carom_isa isa = r->isas[i];
        if (isa != CAROM_ISA_SCALAR) {
            double ns[PORTS];
            carom_ports_measure(isa, g->precision, ns);
            for (port which = 0; which < PORTS; which++) {
                keep(&g->ports[isa][which], ns[which]);
            }
        }
    }
    for (int plain = 0; plain < 2 && memory != NULL; plain++) {
        const double start = carom_now();
        if (plain == 0) {
            memcpy(memory + half, memory, half);
        } else {
            carom_ports_copy(r->isas[r->isa_count - 1], half, memory, memory + half);
        }
        __asm__ volatile("" : : "r"(memory) : "memory");
        keep(&g->copies[plain], 1e9 * (carom_now() - start) / (2 * (double)half));
    }
}

static void show_progress(const solvers_run *r, const group *g)
{
    char text[64];
    snprintf(text, sizeof text, "%s f%d n %zu", carom_shape_names[g->shape], (int)g->precision, g->n);
    carom_progress_draw((double)r->runs / (double)r->runs_planned, text);
}

static void run_group(solvers_run *r, group *g)
{
    solver_data data = carom_solver_data_make(g->shape, g->precision, g->n);
    const size_t half = g->n * carom_solver_bytes(g->shape, g->precision) / 2;
    unsigned char *memory = g->in_memory ? carom_memory_take(2 * half) : NULL;
    if (g->in_memory && memory == NULL) {
        carom_die("no memory for a copy of %zu bytes", half);
    }
    if (memory != NULL) {
        memset(memory, 1, 2 * half);
    }
    show_progress(r, g);
    for (size_t i = 0; i < g->count && !carom_interrupted(); i++) {
        prepare_case(r, &g->cases[i], &data);
        show_progress(r, g);
    }
    for (size_t round = 0; round < ROUNDS && !carom_interrupted(); round++) {
        measure_references(r, g, memory, half);
        for (size_t i = 0; i < g->count && !carom_interrupted(); i++) {
            measure_case(r, &g->cases[(i + round) % g->count], &data);
            show_progress(r, g);
        }
    }
    carom_memory_release(memory);
    carom_solver_data_free(&data);
}

/* ---- results ---- */

static void evaluate(solvers_run *r, const group *g, const solver_case *c)
{
    result *made = &r->results[r->result_count++];
    *made = (result){c->variant, g->shape, g->precision, c->isa,      g->n, c->hits, median(&c->ns),
                     0,          0,        (double)NAN,  (double)NAN, NULL};
    made->cycles = made->ns * median(&g->clock) / 1000;
    made->bytes = carom_solver_bytes(g->shape, g->precision);
    if (g->in_memory) {
        made->bandwidth = made->bytes * median(&g->copies[0]) / made->ns;
    }
    if (g->in_l1 && c->isa != CAROM_ISA_SCALAR) {
        double ns[PORTS];
        for (port which = 0; which < PORTS; which++) {
            ns[which] = median(&g->ports[c->isa][which]);
        }
        const operations needed = carom_ports_needed(c->variant, g->shape, c->isa, g->precision);
        made->ports = carom_ports_bound(&needed, ns, &made->limit) / carom_isa_lanes(c->isa, g->precision) / made->ns;
    }
}

static void print_head(const solvers_run *r)
{
    const machine *m = &r->machine;
    FILE *text = r->options.text;
    fprintf(text,
            "The time of impact of two circles, every solver\n\n"
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
            "  rounds      %d, each case once a round, some %.2g ms a run; medians\n"
            "  of copy     fraction of the bytes a second of a memcpy of the same size in the same rounds\n"
            "  of ports    fraction of what the processor's units allow: of a register of pairs the greatest of\n"
            "              (divisions and roots, which share a unit, additions, multiplications, both together,\n"
            "              comparisons, loads, stores, gathers) x the time of one, measured in the same rounds\n",
            m->load[0], m->load[1], m->load[2], m->scaling ? "; the frequency is governed: figures will vary" : "",
            ROUNDS, 1000 * r->run_seconds);
    fflush(text);
}

static void print_references(const solvers_run *r, const group *g)
{
    FILE *text = r->options.text;
    fprintf(text, "\n%s, f%d, %zu pairs", carom_shape_names[g->shape], (int)g->precision, g->n);
    if (g->in_memory && g->copies[0].count > 0) {
        fprintf(text, ": memcpy %.1f GB/s, a copy by plain loads and stores of %s %.1f GB/s", 1 / median(&g->copies[0]),
                carom_isa_name(r->isas[r->isa_count - 1]), 1 / median(&g->copies[1]));
    }
    fputc('\n', text);
    const double clock = median(&g->clock) / 1000;
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        if (g->ports[isa][0].count > 0) {
            fprintf(text, "  %s, cycles of a register:", carom_isa_name(isa));
            for (port which = 0; which < PORTS; which++) {
                fprintf(text, "%s %s %.2f", which > 0 ? "," : "", carom_port_name(which),
                        clock * median(&g->ports[isa][which]));
            }
            fputc('\n', text);
        }
    }
    fprintf(text, "%-24s %-7s %-4s %-6s %9s %9s %9s %7s %5s %7s %7s  %s\n", "variant", "shape", "prec", "isa", "n",
            "ns/pair", "G pairs/s", "cycles", "bytes", "GB/s", "of copy", "of ports");
}

static void print_row(const solvers_run *r, const result *row)
{
    char name[40], copy[16] = "", ports[40] = "";
    snprintf(name, sizeof name, "%s%s", carom_toi_variant_describe(row->variant)->name,
             row->variant >= CAROM_TOI_BRANCHES ? "/branches" : "");
    if (!isnan(row->bandwidth)) {
        snprintf(copy, sizeof copy, "%.2f", row->bandwidth);
    }
    if (!isnan(row->ports)) {
        snprintf(ports, sizeof ports, "  %.2f %s", row->ports, row->limit);
    }
    fprintf(r->options.text, "%-24s %-7s f%-3d %-6s %9zu %9.4f %9.3f %7.3f %5u %7.1f %7s%s\n", name,
            carom_shape_names[row->shape], (int)row->precision, carom_isa_name(row->isa), row->n, row->ns, 1 / row->ns,
            row->cycles, row->bytes, row->bytes / row->ns, copy, ports);
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

static void print_fraction(const char *key, double value)
{
    if (isnan(value)) {
        printf(", \"%s\": null", key);
    } else {
        printf(", \"%s\": %.4g", key, value);
    }
}

static void print_json(const solvers_run *r)
{
    putchar('[');
    for (size_t i = 0; i < r->result_count; i++) {
        const result *row = &r->results[i];
        printf("%s\n{\"variant\": ", i > 0 ? "," : "");
        carom_json_string(carom_toi_variant_describe(row->variant)->name);
        printf(", \"branches\": %s, \"shape\": \"%s\", \"precision\": \"f%d\", \"isa\": \"%s\", \"n\": %zu",
               row->variant >= CAROM_TOI_BRANCHES || !carom_toi_variant_describe(row->variant)->lanes ? "true"
                                                                                                      : "false",
               carom_shape_names[row->shape], (int)row->precision, carom_isa_name(row->isa), row->n);
        printf(", \"hits\": %.4g, \"ns_per_pair\": %.6g, \"pairs_per_s\": %.6g, \"cycles_per_pair\": %.6g", row->hits,
               row->ns, 1e9 / row->ns, row->cycles);
        printf(", \"bytes_per_pair\": %u, \"bytes_per_s\": %.6g", row->bytes, 1e9 * row->bytes / row->ns);
        print_fraction("bandwidth_fraction", row->bandwidth);
        print_fraction("port_bound_fraction", row->ports);
        if (row->limit != NULL) {
            printf(", \"port_bound\": \"%s\"}", row->limit);
        } else {
            printf(", \"port_bound\": null}");
        }
    }
    puts("\n]");
}

int carom_command_bench_solvers(arguments *args)
{
    solvers_run r = {.options = parse(args)};
    r.groups = calloc(GROUPS, sizeof(group));
    if (r.groups == NULL) {
        carom_die("no memory for the plan");
    }
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
            r.runs, 100 * UNDISTURBED,
            r.disturbed * 10 > r.runs ? ": the machine is busy, do not quote these figures" : "",
            complete ? "" : "; interrupted");
    if (r.options.json) {
        print_json(&r);
    }
    free(r.results);
    free(r.groups);
    return complete ? 0 : EXIT_INTERRUPTED;
}
