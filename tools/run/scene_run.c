/* SPDX-License-Identifier: MIT
 * `carom run FILE`: plays a scene in many worlds; reports speed, conservation, digest, and optionally every impact.
 *
 * Only the calls that play are timed. Energy is kinetic plus, with accelerations, potential; both sums run over the
 * active bodies of all worlds that can move.
 */
#define _POSIX_C_SOURCE 200809L

#include "../source/scene_file.h"

#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALL_SECONDS 0.1              /* target duration of a call: the bar moves between calls */
#define CALL_TICKS 4096               /* at most */
#define EVENT_BYTES ((size_t)1 << 26) /* of impacts recorded at once */

typedef struct run_options {
    const char *path;
    scene_changes changes;
    size_t worlds;
    uint64_t ticks, seed;
    double dt, scatter; /* dt = 0: the scene's own */
    carom_precision precision;
    carom_isa isa;
    unsigned threads;
    const char *events; /* NULL: none */
    bool json;
} run_options;

/* Sums over all worlds. */
typedef struct measures {
    double energy; /* NaN if it is not conserved: a body accelerates from one periodic side to the other */
    double px, py; /* momentum */
    double scale;  /* the sum of the magnitudes of all momenta */
} measures;

/* Impacts of one tick of all worlds, and the file for them. */
typedef struct recording {
    FILE *file;
    carom_event *events;
    uint32_t *counts;
    size_t capacity;
    uint64_t written, lost;
} recording;

typedef struct run_state {
    const run_options *options;
    carom_scene *scene;
    carom_worlds *worlds;
    double dt;
    recording record;
    measures before, after;
    uint64_t ticks; /* played by every world */
    double seconds;
    bool interrupted;
} run_state;

/* ---- arguments ---- */

#define OPTIONS run_options
static const argument_row rows[] = {
    WORD("scene", path),
    COUNT("--worlds N", worlds, 1, SIZE_MAX, 1, "worlds"),
    COUNT("--ticks N", ticks, 1, INT32_MAX, 1000, "ticks that each world plays"),
    NUMBER("--dt T", dt, 1e-300, 1e300, 0, "length of a tick; the scene's by default"),
    NUMBER("--scatter V", scatter, 0, 1e30, 0,
           "add a number drawn from [-V, V] to each component of the velocity of each body that can move, at the "
           "start: otherwise all worlds are the same; $ by default"),
    COUNT("--seed S", seed, 0, UINT64_MAX, 1, "for the drawn numbers"),
    CHOICE("--engine", changes.engine, carom_engine_names, -1, "the scene's by default"),
    CALL("--solver NAME", changes.solver, carom_take_solver, NULL,
         "solver of the time of impact; the scene's by default (see carom bench solvers --help for the names)"),
    PRECISION,
    ISA,
    THREADS,
    TEXT("--events FILE", events, NULL, "write every impact to FILE, as comma-separated values; slower"),
    JSON,
    END};

static void create_worlds(run_state *run)
{
    const run_options *options = run->options;
    carom_worlds_desc desc = carom_worlds_desc_default(carom_scene_game(run->scene));
    desc.count = options->worlds;
    desc.precision = options->precision;
    desc.isa = options->isa;
    desc.threads = options->threads;
    desc.seed = options->seed;
    const carom_status status = carom_worlds_create(&desc, &run->worlds);
    const size_t bytes = carom_worlds_bytes(&desc);
    if (status == CAROM_ERROR_VALUE) {
        carom_die("%s: its numbers do not fit into f%d", options->path, (int)options->precision);
    }
    if (status == CAROM_ERROR_MEMORY || (status != CAROM_OK && bytes == 0)) {
        carom_die("--worlds: %zu worlds of %u bodies are more than the memory holds", options->worlds,
                  carom_scene_describe(run->scene)->body_count);
    }
    carom_demand(status, "create the worlds");
}

/* ---- measuring ---- */

/* Is there a potential energy of the constant accelerations? */
static bool has_potential(const carom_scene_desc *desc)
{
    bool good = true;
    for (uint32_t k = 0; k < desc->body_count; k++) {
        good = good && (desc->bodies[k].ax == 0 || desc->box.horizontal != CAROM_SIDES_PERIODIC) &&
               (desc->bodies[k].ay == 0 || desc->box.vertical != CAROM_SIDES_PERIODIC);
    }
    return good;
}

static measures measure(const carom_worlds *worlds, const carom_scene *scene)
{
    const carom_scene_desc *desc = carom_scene_describe(scene);
    const size_t n = desc->body_count, worlds_count = carom_worlds_count(worlds);
    const size_t most = n < 65536 ? 65536 / n : 1; /* worlds read at once */
    double *numbers = carom_allocate(4 * most * n, sizeof *numbers);
    int8_t *active = carom_allocate(most, n);
    double *x = numbers, *y = x + most * n, *vx = y + most * n, *vy = vx + most * n;
    size_t field;
    carom_demand(carom_worlds_find_field(worlds, "active", &field), "find a field");
    long double energy = 0, px = 0, py = 0, scale = 0; /* more digits than the drift to be shown */
    for (size_t first = 0; first < worlds_count; first += most) {
        const size_t count = worlds_count - first < most ? worlds_count - first : most;
        carom_get_reals(worlds, "x", first, count, n, x);
        carom_get_reals(worlds, "y", first, count, n, y);
        carom_get_reals(worlds, "vx", first, count, n, vx);
        carom_get_reals(worlds, "vy", first, count, n, vy);
        carom_demand(carom_worlds_get(worlds, field, first, count, active), "read a field");
        for (size_t k = 0; k < count * n; k++) {
            const carom_scene_body *b = &desc->bodies[k % n];
            if (active[k] != 0 && !isinf(b->mass)) {
                const long double m = b->mass, u = vx[k], v = vy[k];
                energy += m * ((u * u + v * v) / 2 - b->ax * (long double)x[k] - b->ay * (long double)y[k]);
                px += m * u;
                py += m * v;
                scale += m * hypotl(u, v);
            }
        }
    }
    free(numbers);
    free(active);
    const measures sums = {has_potential(desc) ? (double)energy : (double)NAN, (double)px, (double)py, (double)scale};
    return sums;
}

/* ---- impacts ---- */

static const char *const kind_names[] = {[CAROM_IMPACT_BODY] = "body",
                                         [CAROM_IMPACT_SIDE] = "side",
                                         [CAROM_IMPACT_WALL] = "wall",
                                         [CAROM_IMPACT_POLYGON] = "polygon",
                                         [CAROM_IMPACT_ARC] = "arc"};

static void begin_recording(run_state *run)
{
    recording *r = &run->record;
    const size_t worlds = run->options->worlds;
    const uint32_t most = carom_game_describe(carom_scene_game(run->scene)).max_events;
    const size_t fitting = EVENT_BYTES / sizeof *r->events / worlds;
    r->capacity = fitting < 64 ? 64 : fitting < most ? fitting : most;
    size_t bytes;
    const bool fits = size_multiply(worlds * sizeof *r->events, r->capacity, &bytes);
    r->events = fits ? carom_memory_take(bytes) : NULL;
    r->counts = carom_memory_take(worlds * sizeof *r->counts);
    if (r->events == NULL || r->counts == NULL) {
        carom_die("--events: not enough memory for the impacts of %zu worlds", worlds);
    }
    r->file = fopen(run->options->events, "w");
    if (r->file == NULL) {
        carom_die("--events: cannot write '%s': %s", run->options->events, strerror(errno));
    }
    fputs("tick,world,time,kind,first,second,part,x,y,nx,ny,impulse\n", r->file);
}

/* Writes the impacts of the last tick. */
static void write_events(run_state *run)
{
    recording *r = &run->record;
    for (size_t w = 0; w < run->options->worlds; w++) {
        const size_t count = r->counts[w] < r->capacity ? r->counts[w] : r->capacity;
        for (size_t k = 0; k < count; k++) {
            const carom_event *e = &r->events[w * r->capacity + k];
            fprintf(r->file, "%" PRIu64 ",%zu,%.17g,%s,%u,%u,%u,%.17g,%.17g,%.17g,%.17g,%.17g\n", run->ticks, w,
                    ((double)run->ticks + (1 - e->left)) * run->dt, kind_names[e->kind], e->first, e->second, e->part,
                    e->x, e->y, e->nx, e->ny, e->impulse);
        }
        r->written += count;
        r->lost += r->counts[w] - count;
    }
    if (ferror(r->file)) {
        carom_die("--events: cannot write '%s': %s", run->options->events, strerror(errno));
    }
}

static void end_recording(run_state *run)
{
    recording *r = &run->record;
    if (r->file != NULL && fclose(r->file) != 0) {
        carom_die("--events: cannot write '%s': %s", run->options->events, strerror(errno));
    }
    carom_memory_release(r->events);
    carom_memory_release(r->counts);
}

/* ---- the run ---- */

/* Ticks of the next call, so that it takes CALL_SECONDS. */
static size_t fit_call(double seconds, size_t ticks)
{
    const double fitting = CALL_SECONDS * (double)ticks / (seconds + 1e-9);
    return fitting < 1 ? 1 : fitting > CALL_TICKS ? CALL_TICKS : (size_t)fitting;
}

static void play(run_state *run)
{
    const run_options *options = run->options;
    carom_step step = carom_step_default();
    step.dt = run->dt;
    step.cancel = &carom_interrupt;
    step.events = run->record.events;
    step.event_counts = run->record.counts;
    step.event_capacity = run->record.capacity;
    size_t call = 1;
    while (run->ticks < options->ticks && !carom_interrupted()) {
        const uint64_t left = options->ticks - run->ticks;
        step.ticks = step.events != NULL ? 1 : call < left ? call : (size_t)left;
        const double start = carom_now();
        const carom_status status = carom_worlds_play(run->worlds, &step);
        const double seconds = carom_now() - start;
        run->seconds += seconds;
        if (status != CAROM_ERROR_CANCELLED) {
            carom_demand(status, "play");
            if (step.events != NULL) {
                write_events(run);
            }
            run->ticks += step.ticks;
            call = fit_call(seconds, step.ticks);
            char text[64];
            snprintf(text, sizeof text, "%.2f M events/s",
                     1e-6 * (double)carom_worlds_counters(run->worlds).events / (run->seconds + 1e-9));
            carom_progress_draw((double)run->ticks / (double)options->ticks, text);
        }
    }
    run->interrupted = run->ticks < options->ticks;
    carom_progress_erase();
}

/* ---- the report ---- */

static double energy_drift(const run_state *run)
{
    return (run->after.energy - run->before.energy) / fabs(run->before.energy);
}

static double momentum_drift(const run_state *run)
{
    return hypot(run->after.px - run->before.px, run->after.py - run->before.py) / run->before.scale;
}

static const char *solver_name(const carom_scene *scene)
{
    return carom_toi_variant_describe((int)carom_scene_describe(scene)->solver)->name;
}

static void print_text(const run_state *run)
{
    const run_options *options = run->options;
    const carom_scene_desc *scene = carom_scene_describe(run->scene);
    const carom_worlds_desc desc = carom_worlds_describe(run->worlds);
    const carom_counters counters = carom_worlds_counters(run->worlds);
    uint64_t digest;
    carom_demand(carom_worlds_digest(run->worlds, &digest), "digest");
    unsigned bits;
    const size_t faults = carom_worlds_faults(run->worlds, &bits);
    char number[32];
    printf("%s: %u bodies, %u walls, %u polygons", options->path, scene->body_count, scene->wall_count,
           scene->polygon_count);
    if (scene->arc_count > 0) {
        printf(", %u arcs", scene->arc_count);
    }
    printf("\n\n");
    printf("  worlds              %s, scatter %g, seed %" PRIu64 "\n", carom_grouped(options->worlds, number),
           options->scatter, options->seed);
    printf("  ticks               %s", carom_grouped(run->ticks, number));
    if (run->interrupted) {
        printf(" of %s: interrupted", carom_grouped(options->ticks, number));
    }
    printf("; of length %g\n", run->dt);
    printf("  computed in         f%d, %s (%u lanes), %u thread%s\n", (int)desc.precision, carom_isa_name(desc.isa),
           carom_isa_lanes(desc.isa, desc.precision), desc.threads, desc.threads == 1 ? "" : "s");
    printf("  by                  the %s engine, solver %s\n\n", carom_engine_names[scene->engine],
           solver_name(run->scene));
    printf("  speed               %.4g world-ticks/s\n", (double)counters.ticks / run->seconds);
    printf("                      %.4g events/s\n", (double)counters.events / run->seconds);
    printf("  world-ticks         %s in %.3f s\n", carom_grouped(counters.ticks, number), run->seconds);
    printf("  events              %s\n", carom_grouped(counters.events, number));
    printf("  sensor events       %s\n", carom_grouped(counters.goals, number));
    if (!isnan(run->before.energy)) {
        printf("  energy              %.9g at the start, %.9g at the end", run->before.energy, run->after.energy);
        if (run->before.energy != 0) {
            printf(" (%+.2e)", energy_drift(run));
        }
        puts("");
    }
    printf("  momentum            (%.9g, %.9g) at the start, (%.9g, %.9g) at the end", run->before.px, run->before.py,
           run->after.px, run->after.py);
    if (run->before.scale > 0) {
        printf(" (%.2e)", momentum_drift(run));
    }
    printf("\n  faults              %s", carom_grouped(faults, number));
    printf("%s\n", carom_fault_names(bits, number));
    printf("  digest              %016" PRIx64 "\n", digest);
    if (options->events != NULL) {
        printf("  impacts             %s in %s", carom_grouped(run->record.written, number), options->events);
        if (run->record.lost > 0) {
            printf("; %s did not fit", carom_grouped(run->record.lost, number));
        }
        puts("");
    }
}

static void print_json(const run_state *run)
{
    const run_options *options = run->options;
    const carom_scene_desc *scene = carom_scene_describe(run->scene);
    const carom_worlds_desc desc = carom_worlds_describe(run->worlds);
    const carom_counters counters = carom_worlds_counters(run->worlds);
    const double ticks = (double)counters.ticks, events = (double)counters.events;
    uint64_t digest;
    carom_demand(carom_worlds_digest(run->worlds, &digest), "digest");
    carom_json("{'scene': %s, 'bodies': %u, 'walls': %u, 'polygons': %u, 'engine': %s, 'solver': %s", options->path,
               scene->body_count, scene->wall_count, scene->polygon_count, carom_engine_names[scene->engine],
               solver_name(run->scene));
    carom_json(", 'precision': 'f%d', 'isa': %s, 'threads': %u, 'worlds': %zu, 'ticks': %" PRIu64 ", 'seed': %" PRIu64,
               (int)desc.precision, carom_isa_name(desc.isa), desc.threads, options->worlds, run->ticks, options->seed);
    carom_json(", 'dt': %.17g, 'scatter': %.17g, 'seconds': %.17g, 'world_ticks': %" PRIu64, run->dt, options->scatter,
               run->seconds, counters.ticks);
    carom_json(", 'events': %" PRIu64 ", 'sensor_events': %" PRIu64 ", 'ticks_per_s': %.17g, 'events_per_s': %.17g",
               counters.events, counters.goals, ticks / run->seconds, events / run->seconds);
    carom_json(", 'energy_start': %.17g, 'energy': %.17g, 'energy_drift': %.17g", run->before.energy, run->after.energy,
               energy_drift(run));
    carom_json(", 'momentum_start': [%.17g, %.17g], 'momentum': [%.17g, %.17g], 'momentum_drift': %.17g",
               run->before.px, run->before.py, run->after.px, run->after.py, momentum_drift(run));
    carom_json(", 'faults': %zu, 'interrupted': %i", carom_worlds_faults(run->worlds, NULL), run->interrupted);
    if (options->events != NULL) {
        carom_json(", 'impacts_written': %" PRIu64 ", 'impacts_lost': %" PRIu64, run->record.written, run->record.lost);
    }
    carom_json(", 'digest': '%016" PRIx64 "'}\n", digest);
}

static int play_scene(arguments *args)
{
    for (char **word = args->list; *word != NULL; word++) {
        if (strcmp(*word, "gas") == 0) {
            return carom_run_gas_command.run(args);
        }
    }
    run_options options = {.changes = {-1, -1}};
    carom_read_arguments(args, rows, &options);
    run_state run = {.options = &options};
    run.scene = carom_load_scene(options.path, "scene", "gas", options.changes);
    run.dt = options.dt > 0 ? options.dt : carom_scene_describe(run.scene)->dt;
    create_worlds(&run);
    carom_scatter(run.worlds, run.scene, options.seed, options.scatter);
    if (options.events != NULL) {
        begin_recording(&run);
    }
    run.before = measure(run.worlds, run.scene);
    carom_catch_interrupt();
    play(&run);
    run.seconds = run.seconds > 0 ? run.seconds : 1e-9;
    run.after = measure(run.worlds, run.scene);
    end_recording(&run);
    if (options.json) {
        print_json(&run);
    } else {
        print_text(&run);
    }
    carom_worlds_destroy(run.worlds);
    carom_scene_destroy(run.scene);
    return run.interrupted ? EXIT_INTERRUPTED : 0;
}

static void print_gas(void)
{
    puts("");
    carom_print_help(&carom_run_gas_command);
}

const command_row carom_run_command = {
    .name = "run",
    .usage = "FILE|gas [options]",
    .summary = "run a scene: speed, conservation, pressure",
    .about = "Plays the scene described by a JSON file (examples/scenes/*.json) in many worlds; no player acts.",
    .rows = rows,
    .tables = print_gas,
    .notes = "Ctrl-C stops and reports the results so far.",
    .run = play_scene};
