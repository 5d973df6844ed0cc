/* SPDX-License-Identifier: MIT
 * `carom run gas`: hard disks in a box; reports speed, conservation and pressure.
 */
#define _POSIX_C_SOURCE 200809L

#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gas_options {
    carom_gas_desc desc;
    double time, equilibrate;
    bool json;
} gas_options;

/* How long a gas takes to forget its lattice: see gas.h. */
static double settling_time(double packing)
{
    return packing <= 0.6 ? 16 : packing <= 0.65 ? 32 : packing <= 0.68 ? 64 : 400;
}

static gas_options parse(arguments *args)
{
    gas_options options = {.desc = carom_gas_desc_default(), .time = 100, .equilibrate = -1};
    carom_gas_desc *desc = &options.desc;
    const char *value;
    bool named = false;
    while (*args->list != NULL) {
        if (carom_take_value(args, "--bodies", &value)) {
            desc->bodies = (size_t)carom_parse_count("--bodies", value, 1, CAROM_GAS_MAX_BODIES);
        } else if (carom_take_value(args, "--packing", &value)) {
            desc->packing = carom_parse_number("--packing", value, 1e-8, 0.9);
        } else if (carom_take_value(args, "--time", &value)) {
            options.time = carom_parse_number("--time", value, 0, 1e12);
        } else if (carom_take_value(args, "--equilibrate", &value)) {
            options.equilibrate = carom_parse_number("--equilibrate", value, 0, 1e12);
        } else if (carom_take_value(args, "--restitution", &value)) {
            desc->restitution = carom_parse_number("--restitution", value, 0, 1);
        } else if (carom_take_value(args, "--seed", &value)) {
            desc->seed = carom_parse_count("--seed", value, 0, UINT64_MAX);
        } else if (carom_take_value(args, "--box", &value)) {
            if (strcmp(value, "periodic") != 0 && strcmp(value, "solid") != 0) {
                carom_die("--box: unknown box '%s' (periodic or solid)", value);
            }
            desc->box = strcmp(value, "solid") == 0 ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC;
        } else if (carom_take_value(args, "--precision", &value)) {
            desc->precision = carom_parse_precision(value);
        } else if (carom_take_value(args, "--isa", &value)) {
            desc->isa = carom_parse_isa(value);
        } else if (carom_take_flag(args, "--json")) {
            options.json = true;
        } else {
            value = !named ? carom_take_word(args) : NULL;
            if (value == NULL || strcmp(value, "gas") != 0) {
                args->list -= value != NULL ? 1 : 0;
                carom_refuse(args);
            }
            named = true;
        }
    }
    options.equilibrate = options.equilibrate < 0 ? settling_time(desc->packing) : options.equilibrate;
    return options;
}

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

/* A number, or null where there is none. */
static void json_number(const char *name, double value)
{
    if (isfinite(value)) {
        printf(", \"%s\": %.9g", name, value);
    } else {
        printf(", \"%s\": null", name);
    }
}

static void print_json(const carom_gas *gas, const carom_gas_measures *m, double seconds, bool interrupted)
{
    const carom_gas_desc desc = carom_gas_describe(gas);
    printf("{\"scene\": \"gas\", \"bodies\": %zu, \"packing\": %.9g", desc.bodies, desc.packing);
    printf(", \"time\": %.9g, \"seed\": %" PRIu64 ", \"precision\": \"f%d\", \"isa\": ", m->time, desc.seed,
           (int)desc.precision);
    carom_json_string(carom_isa_name(desc.isa));
    printf(", \"box\": \"%s\", \"restitution\": %.9g", desc.box == CAROM_GAS_SOLID ? "solid" : "periodic",
           desc.restitution);
    printf(", \"events\": %" PRIu64 ", \"seconds\": %.9g", m->collisions, seconds);
    json_number("events_per_s", (double)m->collisions / seconds);
    printf(", \"sides\": %" PRIu64 ", \"crossings\": %" PRIu64, m->sides, m->crossings);
    json_number("energy", m->energy);
    json_number("energy_drift", m->energy_drift);
    json_number("momentum_drift", m->momentum_drift);
    json_number("compressibility", m->compressibility);
    json_number("compressibility_error", m->compressibility_error);
    printf(", \"bytes_per_body\": %.1f", (double)carom_gas_bytes(&desc) / (double)desc.bodies);
    printf(", \"fault\": %s, \"interrupted\": %s", m->fault ? "true" : "false", interrupted ? "true" : "false");
    printf(", \"digest\": \"%016" PRIx64 "\"}\n", carom_gas_digest(gas));
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

int carom_run_gas(arguments *args)
{
    const gas_options options = parse(args);
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
