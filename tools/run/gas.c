/* SPDX-License-Identifier: MIT
 * `carom run gas`: hard disks in a box; reports speed, conservation and pressure.
 */
#define _POSIX_C_SOURCE 200809L

#include "../command/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gas_options {
    word_list names;
    carom_gas_desc desc;
    double time, equilibrate;
    bool json;
} gas_options;

/* How long a gas takes to forget its lattice: see gas.h. */
static double settling_time(double packing)
{
    return packing <= 0.6 ? 16 : packing <= 0.65 ? 32 : packing <= 0.68 ? 64 : 400;
}

static const char *const boxes[] = {[CAROM_GAS_PERIODIC] = "periodic", [CAROM_GAS_SOLID] = "solid", NULL};

#define OPTIONS gas_options
static const argument_row rows[] = {
    WORDS("scene", names, 1),
    COUNT("--bodies N", desc.bodies, 1, CAROM_GAS_MAX_BODIES, 1000, "disks"),
    NUMBER("--packing F", desc.packing, 1e-8, 0.9, 0.5, "the part of the box that they cover"),
    NUMBER("--time T", time, 0, 1e12, 100, "units of time to run"),
    NUMBER("--equilibrate T", equilibrate, 0, 1e12, -1,
           "units of time before anything is measured; by default 16 up to packing 0.6, 32 up to 0.65, 64 up to 0.68, "
           "400 above"),
    CHOICE("--box", desc.box, boxes, CAROM_GAS_PERIODIC, ""),
    NUMBER("--restitution E", desc.restitution, 0, 1, 1, "0 to 1; $, elastic, by default"),
    COUNT("--seed S", desc.seed, 0, UINT64_MAX, 1, "of the velocities"),
    CALL("--precision f64|f32", desc.precision, carom_take_precision, "f64", ""),
    CALL("--isa NAME", desc.isa, carom_take_isa, NULL, "instruction set; the fastest by default"),
    JSON,
    END};

/* ---- the run ---- */

/* What a worker runs while the main thread draws the bar. */
typedef struct gas_job {
    carom_gas *gas;
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
    job->status = carom_gas_run(job->gas, job->time, &carom_interrupt, &job->progress);
    job->seconds = carom_now() - start;
}

static void show(void *argument)
{
    const gas_job *job = argument;
    carom_progress_draw((double)__atomic_load_n(&job->progress, __ATOMIC_RELAXED) * 1e-6, job->doing);
}

/* False if interrupted. */
static bool run(carom_gas *gas, double time, const char *doing, double *seconds)
{
    gas_job job = {.gas = gas, .time = time, .doing = doing};
    if (carom_interrupted()) {
        return false;
    }
    carom_watch(work, show, &job);
    *seconds += job.seconds;
    return job.status != CAROM_ERROR_CANCELLED;
}

/* ---- the report ---- */

static void print_json(const carom_gas *gas, const carom_gas_measures *m, double seconds, bool interrupted)
{
    const carom_gas_desc desc = carom_gas_describe(gas);
    carom_json("{'scene': 'gas', 'bodies': %zu, 'packing': %.9g, 'time': %.9g, 'seed': %" PRIu64 ", 'precision': 'f%d'",
               desc.bodies, desc.packing, m->time, desc.seed, (int)desc.precision);
    carom_json(", 'isa': %s, 'box': %s, 'restitution': %.9g, 'events': %" PRIu64 ", 'seconds': %.9g",
               carom_isa_name(desc.isa), boxes[desc.box], desc.restitution, m->collisions, seconds);
    carom_json(", 'events_per_s': %.9g, 'sides': %" PRIu64 ", 'crossings': %" PRIu64 ", 'energy': %.9g",
               (double)m->collisions / seconds, m->sides, m->crossings, m->energy);
    carom_json(", 'energy_drift': %.9g, 'momentum_drift': %.9g, 'compressibility': %.9g", m->energy_drift,
               m->momentum_drift, m->compressibility);
    carom_json(", 'compressibility_error': %.9g, 'bytes_per_body': %.9g", m->compressibility_error,
               round(10 * (double)carom_gas_bytes(&desc) / (double)desc.bodies) / 10);
    carom_json(", 'fault': %i, 'interrupted': %i, 'digest': '%016" PRIx64 "'}\n", m->fault, interrupted,
               carom_gas_digest(gas));
}

static void print_text(const carom_gas *gas, const carom_gas_measures *m, double seconds, const gas_options *options,
                       bool interrupted)
{
    const carom_gas_desc desc = carom_gas_describe(gas);
    printf("gas: hard disks in a %s box\n\n", desc.box == CAROM_GAS_SOLID ? "solid" : "periodic");
    printf("  disks               %zu, packing %g, restitution %g, seed %" PRIu64 "\n", desc.bodies, desc.packing,
           desc.restitution, desc.seed);
    printf("  time                %g", m->time);
    if (interrupted) {
        printf(" of %g: interrupted", options->time);
    }
    printf("%s\n", m->fault ? "; then time stood still: the gas is frozen" : "");
    printf("  computed in         f%d, %s (%u lanes), 1 thread\n", (int)desc.precision, carom_isa_name(desc.isa),
           carom_isa_lanes(desc.isa, desc.precision));
    printf("  memory              %.1f bytes a disk\n\n", (double)carom_gas_bytes(&desc) / (double)desc.bodies);
    printf("  collisions          %" PRIu64 " in %.3f s\n", m->collisions, seconds);
    printf("  speed               %.3f M collisions/s\n", 1e-6 * (double)m->collisions / seconds);
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

static int run_gas(arguments *args)
{
    gas_options options = {.desc = carom_gas_desc_default()};
    carom_read_arguments(args, rows, &options);
    for (size_t k = 0; k < options.names.count; k++) {
        if (k > 0 || strcmp(options.names.list[k], "gas") != 0) {
            carom_die("unexpected argument '%s' (see carom run --help)", options.names.list[k]);
        }
    }
    options.equilibrate = options.equilibrate < 0 ? settling_time(options.desc.packing) : options.equilibrate;
    carom_gas *gas;
    const carom_status status = carom_gas_create(&options.desc, &gas);
    if (status == CAROM_ERROR_VALUE) {
        carom_die("%zu disks at packing %g do not fit into a %s box%s", options.desc.bodies, options.desc.packing,
                  options.desc.box == CAROM_GAS_SOLID ? "solid" : "periodic",
                  options.desc.box == CAROM_GAS_SOLID ? "" : ", which must be 5 diameters wide at least");
    }
    if (status != CAROM_OK) {
        carom_die("cannot create the gas: %s", carom_status_string(status));
    }
    carom_catch_interrupt();
    double seconds = 0;
    bool whole = run(gas, options.equilibrate, "equilibrating", &seconds);
    carom_gas_forget(gas);
    seconds = 0;
    whole = whole && run(gas, options.time, "running", &seconds);
    carom_gas_measures m;
    if (carom_gas_measure(gas, &m) != CAROM_OK) {
        carom_die("cannot measure the gas: not enough memory");
    }
    seconds = seconds > 0 ? seconds : 1e-9;
    if (options.json) {
        print_json(gas, &m, seconds, !whole);
    } else {
        print_text(gas, &m, seconds, &options, !whole);
    }
    carom_gas_destroy(gas);
    return whole ? 0 : EXIT_INTERRUPTED;
}

const command_row carom_run_gas_command = {
    .name = "run gas",
    .usage = "[options]",
    .about = "Equal hard disks (diameter 1, mass 1, temperature 1 at the start) in a square box.",
    .rows = rows,
    .notes = "The disks start on a hexagonal lattice with random velocities. At packing 0.7 and above the gas needs "
             "more than 1000 units of time to relax.",
    .run = run_gas};
