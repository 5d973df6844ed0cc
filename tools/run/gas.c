/* SPDX-License-Identifier: MIT
 * `carom run gas`: hard disks in a box; reports speed, conservation and pressure.
 */
#define _POSIX_C_SOURCE 200809L

#include "gas_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gas_options {
    word_list names;
    carom_gas_desc desc;
    double time, equilibrate;
    carom_lab_start start;
    gas_files files;
    bool json;
} gas_options;

/* The time until a gas's lattice has melted: see gas.h. */
static double settling_time(double packing)
{
    return packing <= 0.6 ? 16 : packing <= 0.65 ? 32 : packing <= 0.68 ? 64 : 400;
}

static const char *const starts[] = {[CAROM_LAB_LATTICE] = "lattice", [CAROM_LAB_GROWN] = "grown", NULL};
static const char *const boxes[] = {[CAROM_GAS_PERIODIC] = "periodic", [CAROM_GAS_SOLID] = "solid", NULL};

#define OPTIONS gas_options
static const argument_row rows[] = {
    WORDS("scene", names, 1),
    COUNT("--bodies N", desc.bodies, 1, CAROM_GAS_MAX_BODIES, 1000, "disks"),
    NUMBER("--packing F", desc.packing, 1e-8, 0.9, 0.5, "the share of the box that they cover"),
    NUMBER("--time T", time, 0, 1e12, 100, "units of time to run"),
    NUMBER("--equilibrate T", equilibrate, 0, 1e12, -1,
           "units of time before measuring; by default 16 up to packing 0.6, 32 up to 0.65, 64 up to 0.68, "
           "400 above"),
    CHOICE("--box", desc.box, boxes, CAROM_GAS_PERIODIC, ""),
    NUMBER("--restitution E", desc.restitution, 0, 1, 1, "0 to 1; $, elastic, by default"),
    CHOICE("--start", start, starts, CAROM_LAB_LATTICE, "a hexagonal lattice, or disks grown from random positions"),
    COUNT("--seed S", desc.seed, 0, UINT64_MAX, 1, "for the velocities and random positions"),
    TEXT("--events FILE", files.events, NULL, "write every measured collision as CSV"),
    TEXT("--trajectory FILE", files.trajectory, NULL,
         "write positions and velocities at intervals: .xyz (extended XYZ) or .dump (LAMMPS)"),
    TEXT("--picture FILE", files.picture, NULL,
         "draw the disks at the end, coloured by psi6, the order of the directions to their neighbours: .svg or .png"),
    NUMBER("--interval T", files.interval, 1e-6, 1e12, 1, "units of time between two frames; $ by default"),
    TEXT("--state FILE", files.state, NULL,
         "save the state regularly; a killed run resumes from it, with the same results"),
    NUMBER("--every T", files.every, CAROM_GAS_EPOCH, 1e12, 64,
           "units of time between two states, a multiple of 8; $ by default"),
    CALL("--precision f64|f32", desc.precision, carom_take_precision, "f64", ""),
    CALL("--isa NAME", desc.isa, carom_take_isa, NULL, "instruction set; the fastest by default"),
    JSON,
    END};

/* ---- the run ---- */

/* The work of a thread while the main thread draws the bar. */
typedef struct gas_job {
    carom_lab *lab;
    double time;
    const char *doing;
    uint64_t progress;
    carom_status status;
    double seconds;
} gas_job;

static void work(void *argument)
{
    gas_job *job = argument;
    const double start = carom_now();
    job->status = carom_lab_run(job->lab, job->time, &carom_interrupt, &job->progress);
    job->seconds = carom_now() - start;
}

static void show(void *argument)
{
    const gas_job *job = argument;
    carom_progress_draw((double)__atomic_load_n(&job->progress, __ATOMIC_RELAXED) * 1e-6, job->doing);
}

/* False if interrupted. */
static bool run_for(carom_lab *lab, double time, const char *doing, double *seconds)
{
    gas_job job = {.lab = lab, .time = time, .doing = doing};
    if (carom_interrupted()) {
        return false;
    }
    carom_watch(work, show, &job);
    *seconds += job.seconds;
    if (job.status != CAROM_ERROR_CANCELLED) {
        carom_demand(job.status, "run the gas");
    }
    return job.status == CAROM_OK;
}

/* A run, and what names it in its state. */
typedef struct gas_run {
    carom_lab *lab;
    carom_gas *gas;
    gas_options *options;
    char name[256];
} gas_run;

/* Continues a part of the run, of `length`, that began at `begin`, and saves its state regularly, except at its end.
 * False if interrupted. */
static bool run_part(gas_run *r, double begin, double length, const char *doing, double *seconds)
{
    /* States are saved after whole epochs, whose number is exact. */
    const bool keeps = r->options->files.state != NULL;
    double done = round((carom_gas_clock(r->gas) - begin) / CAROM_GAS_EPOCH) * CAROM_GAS_EPOCH;
    while (done < length) {
        const double left = length - done, piece = keeps ? fmin(left, r->options->files.every) : left;
        if (!run_for(r->lab, piece, doing, seconds)) {
            return false;
        }
        done += piece;
        if (done < length) {
            carom_gas_files_keep(&r->options->files, r->gas, r->name);
        }
    }
    return true;
}

/* Equilibrates, unless that is already done, and measures. False if interrupted. */
static bool run(gas_run *r, double *seconds, uint64_t *before)
{
    gas_options *o = r->options;
    if (carom_gas_clock(r->gas) < o->equilibrate) {
        if (!run_part(r, 0, o->equilibrate, "equilibrating", seconds)) {
            carom_gas_forget(r->gas);
            return false;
        }
        carom_gas_forget(r->gas);
        carom_gas_files_keep(&o->files, r->gas, r->name);
    }

    carom_gas_measures m;
    carom_demand(carom_gas_measure(r->gas, &m), "measure the gas");
    *before = m.collisions;
    *seconds = 0;
    carom_gas_files_watch(&o->files, r->lab);
    const bool whole = run_part(r, o->equilibrate, o->time, "running", seconds);
    carom_gas_files_unwatch(&o->files, r->lab);
    if (whole) {
        carom_gas_files_keep(&o->files, r->gas, r->name);
    }
    return whole;
}

/* ---- the report ---- */

static void print_json(const carom_gas *gas, const carom_gas_measures *m, double speed, double seconds,
                       bool interrupted)
{
    const carom_gas_desc desc = carom_gas_describe(gas);
    carom_json("{'scene': 'gas', 'bodies': %zu, 'packing': %.9g, 'time': %.9g, 'seed': %" PRIu64 ", 'precision': 'f%d'",
               desc.bodies, desc.packing, m->time, desc.seed, (int)desc.precision);
    carom_json(", 'isa': %s, 'box': %s, 'restitution': %.9g, 'events': %" PRIu64 ", 'seconds': %.9g",
               carom_isa_name(desc.isa), boxes[desc.box], desc.restitution, m->collisions, seconds);
    carom_json(", 'events_per_s': %.9g, 'sides': %" PRIu64 ", 'crossings': %" PRIu64 ", 'energy': %.9g", speed,
               m->sides, m->crossings, m->energy);
    carom_json(", 'energy_drift': %.9g, 'momentum_drift': %.9g, 'compressibility': %.9g", m->energy_drift,
               m->momentum_drift, m->compressibility);
    carom_json(", 'compressibility_error': %.9g, 'bytes_per_body': %.9g", m->compressibility_error,
               round(10 * (double)carom_gas_bytes(&desc) / (double)desc.bodies) / 10);
    carom_json(", 'fault': %i, 'interrupted': %i, 'digest': '%016" PRIx64 "'}\n", m->fault, interrupted,
               carom_gas_digest(gas));
}

static void print_text(const carom_gas *gas, const carom_gas_measures *m, double speed, double seconds,
                       const gas_options *options, bool interrupted)
{
    const carom_gas_desc desc = carom_gas_describe(gas);
    printf("gas: hard disks in a %s box\n\n", desc.box == CAROM_GAS_SOLID ? "solid" : "periodic");
    printf("  disks               %zu, packing %g, restitution %g, seed %" PRIu64 "\n", desc.bodies, desc.packing,
           desc.restitution, desc.seed);
    printf("  time                %g", m->time);
    if (interrupted) {
        printf(" of %g: interrupted", options->time);
    }
    printf("%s\n", m->fault ? "; then time did not advance: the gas is frozen" : "");
    printf("  computed in         f%d, %s (%u lanes), 1 thread\n", (int)desc.precision, carom_isa_name(desc.isa),
           carom_isa_lanes(desc.isa, desc.precision));
    printf("  memory              %.1f bytes a disk\n\n", (double)carom_gas_bytes(&desc) / (double)desc.bodies);
    printf("  collisions          %" PRIu64 " in %.3f s\n", m->collisions, seconds);
    printf("  speed               %.3f M collisions/s\n", 1e-6 * speed);
    printf("  energy drift        %.2e\n", m->energy_drift);
    if (desc.box == CAROM_GAS_PERIODIC) {
        printf("  momentum drift      %.2e\n", m->momentum_drift);
    }
    if (isfinite(m->compressibility)) {
        printf("  compressibility     %.5f", m->compressibility);
        if (isfinite(m->compressibility_error)) {
            printf(" +- %.5f", m->compressibility_error);
        }
        puts("");
    }
    printf("  digest              %016" PRIx64 "\n", carom_gas_digest(gas));
}

/* ---- the command ---- */

static gas_options read_options(arguments *args)
{
    gas_options options = {.desc = carom_gas_desc_default()};
    carom_read_arguments(args, rows, &options);
    for (size_t k = 0; k < options.names.count; k++) {
        if (k > 0 || strcmp(options.names.list[k], "gas") != 0) {
            carom_die("unexpected argument '%s' (see carom run --help)", options.names.list[k]);
        }
    }
    options.equilibrate = options.equilibrate < 0 ? settling_time(options.desc.packing) : options.equilibrate;
    if (fmod(options.files.every, CAROM_GAS_EPOCH) != 0) {
        carom_die("--every: %g is not a multiple of %d", options.files.every, CAROM_GAS_EPOCH);
    }
    carom_gas_files_check(&options.files);
    return options;
}

/* A laboratory that owns the gas. */
static carom_lab *create(const gas_options *o)
{
    carom_lab_desc desc = carom_lab_desc_default();
    desc.bodies = o->desc.bodies;
    desc.packing = o->desc.packing;
    desc.horizontal = desc.vertical = o->desc.box;
    desc.restitution = o->desc.restitution;
    desc.seed = o->desc.seed;
    desc.precision = o->desc.precision;
    desc.isa = o->desc.isa;
    desc.start = o->start;

    carom_lab *lab;
    carom_problem problem;
    const carom_status status = carom_lab_create(&desc, &lab, &problem);
    if (status == CAROM_ERROR_VALUE) {
        carom_die("%s%s", problem.text,
                  o->desc.box == CAROM_GAS_SOLID ? "" : ", which must be 5 diameters wide at least");
    }
    if (status != CAROM_OK) {
        carom_die("cannot create the gas: %s", carom_status_string(status));
    }
    return lab;
}

static int run_gas(arguments *args)
{
    gas_options options = read_options(args);
    carom_lab_info info;
    gas_run r = {.lab = create(&options), .options = &options};
    carom_demand(carom_lab_describe(r.lab, &info), "describe the gas");
    r.gas = info.gas;
    snprintf(r.name, sizeof r.name, "%zu %.17g %s %s %.17g %" PRIu64 " f%d %.17g %d %d %.17g", options.desc.bodies,
             options.desc.packing, boxes[options.desc.box], starts[options.start], options.desc.restitution,
             options.desc.seed, (int)options.desc.precision, options.equilibrate, options.files.events != NULL,
             options.files.trajectory != NULL, options.files.interval);

    carom_catch_interrupt();
    carom_gas_files_open(&options.files, r.gas, r.name);
    double seconds = 0;
    uint64_t before = 0;
    const bool whole = run(&r, &seconds, &before);
    carom_gas_files_close(&options.files);
    if (whole) {
        carom_gas_files_draw(&options.files, r.lab);
    }

    carom_gas_measures m;
    if (carom_gas_measure(r.gas, &m) != CAROM_OK) {
        carom_die("cannot measure the gas: not enough memory");
    }
    seconds = seconds > 0 ? seconds : 1e-9;
    const double speed = (double)(m.collisions - before) / seconds;
    if (options.json) {
        print_json(r.gas, &m, speed, seconds, !whole);
    } else {
        print_text(r.gas, &m, speed, seconds, &options, !whole);
    }
    carom_lab_destroy(r.lab);
    return whole ? 0 : EXIT_INTERRUPTED;
}

const command_row carom_run_gas_command = {
    .name = "run gas",
    .usage = "[options]",
    .about = "Equal hard disks (diameter 1, mass 1, temperature 1 at the start) in a square box.",
    .rows = rows,
    .notes = "The disks start with random velocities. At packing 0.7 and above the gas needs "
             "more than 1000 units of time to relax.",
    .run = run_gas};
