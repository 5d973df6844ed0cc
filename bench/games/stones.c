/* SPDX-License-Identifier: MIT
 * The stones of King of War: world-ticks a second with 12 stones in motion, for every instruction set and precision.
 *
 * Every world starts with all its stones pushed at once, at random, and then plays 32 ticks without pushes, in which
 * stones collide; none comes to rest unless a hit stops it. In a crowd they start next to each other, are pushed
 * towards its middle, and play 8 ticks with more than one hit each. Only these ticks are timed, in one call, after
 * resetting the worlds to the start. After each replay the digest must equal that of width 1. `moving` is the mean
 * number of stones in motion, `hits` that of hits a tick.
 *
 * Baselines: width 1 of the same source, and the tests' plain C (f64), which plays one world after another.
 */
#include "bench/common/harness.h"
#include "tests/games/stones/stones_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 512
#define TICKS 32
#define CROWDED_TICKS 8
#define STONES 12
#define SEED 1
#define CROWD_STEP 70 /* between the stones of a crowd */

/* Straight: every push is. Mixed: every other one is bent. Crowd: straight, and at least a hit a tick. */
typedef enum workload { STRAIGHT, MIXED, CROWD, WORKLOADS } workload;
static const char *const workload_names[WORKLOADS] = {"straight", "mixed", "crowd"};

typedef struct scene {
    carom_worlds *start; /* with the pushes just done; NULL until it is wanted */
    uint64_t digest;     /* after ticks_of() */
    double moving;       /* stones, in the mean */
    workload what;
    carom_precision precision;
} scene;

static double unit(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static int ticks_of(const scene *s)
{
    return s->what == CROWD ? CROWDED_TICKS : TICKS;
}

static carom_stones_options options_of(void)
{
    carom_stones_options options = carom_stones_options_default();
    options.stones = STONES;
    options.ring = 0;
    options.ticks = 1 << 20;
    return options;
}

static carom_worlds *make_worlds(const scene *s, carom_isa isa, unsigned threads)
{
    const carom_stones_options options = options_of();
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("stones"));
    desc.options = &options;
    desc.count = WORLDS;
    desc.precision = s->precision;
    desc.isa = isa;
    desc.threads = threads;
    desc.seed = SEED;
    carom_worlds *worlds;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

/* The places of a crowd: three rows of four, somewhat out of line. */
static double crowd_place(int stone, bool across, uint64_t *state)
{
    return CROWD_STEP * (across ? stone % 4 - 1.5 : stone / 4 - 1) + 2 * unit(state);
}

static void crowd(carom_worlds *worlds)
{
    static const char *const names[2] = {"px", "py"};
    const bool f64 = carom_worlds_describe(worlds).precision == CAROM_F64;
    static double doubles[WORLDS][CAROM_STONES_MAX];
    static float floats[WORLDS][CAROM_STONES_MAX];
    uint64_t state = 5;
    for (int axis = 0; axis < 2; axis++) {
        size_t field;
        carom_bench_demand(carom_worlds_find_field(worlds, names[axis], &field), "find a field");
        void *values = f64 ? (void *)doubles : (void *)floats;
        carom_bench_demand(carom_worlds_get(worlds, field, 0, WORLDS, values), "read a field");
        for (size_t w = 0; w < WORLDS; w++) {
            for (int i = 0; i < STONES; i++) {
                doubles[w][i] = crowd_place(i, axis == 0, &state);
                floats[w][i] = (float)doubles[w][i];
            }
        }
        carom_bench_demand(carom_worlds_set(worlds, field, 0, WORLDS, values), "place the stones");
    }
}

/* Pushes for all stones of all worlds, of the kind "engine". */
static double *make_pushes(const scene *s)
{
    double *pushes = carom_bench_take((size_t)WORLDS * 2 * CAROM_STONES_PUSHES * 4, sizeof *pushes);
    uint64_t state = 7;
    memset(pushes, 0, (size_t)WORLDS * 2 * CAROM_STONES_PUSHES * 4 * sizeof *pushes);
    for (size_t w = 0; w < WORLDS; w++) {
        for (int i = 0; i < STONES; i++) {
            double *push = pushes + (w * 2 * CAROM_STONES_PUSHES + (size_t)i) * 4;
            push[0] = i;
            push[1] = unit(&state) * 6.28 - 3.14;
            if (s->what == CROWD) { /* to the middle, by and large */
                push[1] = atan2(1 - i / 4, 1.5 - i % 4) + 0.5 * (unit(&state) - 0.5);
            }
            push[2] = 20 + 20 * unit(&state);
            push[3] = s->what == MIXED && i % 2 != 0 ? unit(&state) - 0.5 : 0;
        }
    }
    return pushes;
}

static size_t count_moving(const carom_worlds *worlds)
{
    static double doubles[WORLDS * CAROM_STONES_MAX];
    static float floats[WORLDS * CAROM_STONES_MAX];
    const bool f64 = carom_worlds_describe(worlds).precision == CAROM_F64;
    size_t speed, count = 0;
    carom_bench_demand(carom_worlds_find_field(worlds, "speed", &speed), "find a field");
    carom_bench_demand(carom_worlds_get(worlds, speed, 0, WORLDS, f64 ? (void *)doubles : (void *)floats),
                       "read a field");
    for (size_t k = 0; k < WORLDS * CAROM_STONES_MAX; k++) {
        count += f64 ? doubles[k] != 0 : floats[k] != 0;
    }
    return count;
}

static const double no_pushes[2][4];

static carom_step no_action(uint32_t rows[WORLDS])
{
    carom_step step = carom_step_default();
    memset(rows, 0, WORLDS * sizeof *rows);
    step.actions = no_pushes;
    step.action_rows = 1;
    step.rows = rows;
    return step;
}

static void make_scene(scene *s)
{
    if (s->start != NULL) {
        return;
    }
    uint32_t rows[WORLDS];
    s->start = make_worlds(s, CAROM_ISA_SCALAR, 1);
    if (s->what == CROWD) {
        crowd(s->start);
    }
    double *pushes = make_pushes(s);
    carom_step step = carom_step_default();
    step.action_kind = 1;
    step.actions = pushes;
    carom_bench_demand(carom_worlds_play(s->start, &step), "push");
    free(pushes);
    carom_worlds *worlds = make_worlds(s, CAROM_ISA_SCALAR, 1);
    carom_bench_demand(carom_worlds_copy(worlds, NULL, s->start, NULL, WORLDS), "copy worlds");
    step = no_action(rows);
    size_t moving = 0;
    for (int t = 0; t < ticks_of(s); t++) {
        moving += count_moving(worlds);
        carom_bench_demand(carom_worlds_play(worlds, &step), "play");
    }
    s->moving = (double)moving / ticks_of(s) / WORLDS;
    s->digest = carom_bench_digest(worlds);
    const carom_counters counters = carom_worlds_counters(worlds);
    if (s->what == CROWD && counters.events < counters.ticks) {
        carom_bench_die("the crowd has %g hits a tick only", (double)counters.events / (double)counters.ticks);
    }
    carom_worlds_destroy(worlds);
}

static void run_library(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const bench_engine *engine = argument;
    scene *s = engine->subject;
    uint32_t rows[WORLDS];
    make_scene(s);
    carom_worlds *worlds = make_worlds(s, engine->isa, engine->threads);
    carom_step step = no_action(rows);
    double(*quiet)[2][4] = carom_bench_take(TICKS, sizeof *quiet);
    memset(quiet, 0, TICKS * sizeof *quiet);
    step.actions = quiet;
    step.ticks = (uint32_t)ticks_of(s);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_copy(worlds, NULL, s->start, NULL, WORLDS), "set the worlds back");
        carom_bench_start(sample);
        carom_status status = carom_worlds_play(worlds, &step);
        carom_bench_stop(sample);
        carom_bench_demand(status, "play");
        if (carom_bench_digest(worlds) != s->digest) {
            carom_bench_die("%s, f%d: the digest differs", carom_isa_name(engine->isa), (int)s->precision);
        }
    }
    const carom_counters counters = carom_worlds_counters(worlds);
    sample->items = (double)counters.ticks;
    sample->counters[0] = (double)counters.events / (double)counters.ticks;
    sample->counters[1] = s->moving;
    free(quiet);
    carom_worlds_destroy(worlds);
}

/* ---- plain C ---- */

static void read_world(stones_ref_world *to, const carom_worlds *from, size_t world)
{
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {{"px", offsetof(stones_ref_stone, px)},
                  {"py", offsetof(stones_ref_stone, py)},
                  {"radius", offsetof(stones_ref_stone, radius)},
                  {"power", offsetof(stones_ref_stone, power)},
                  {"friction", offsetof(stones_ref_stone, friction)},
                  {"speed", offsetof(stones_ref_stone, speed)},
                  {"course", offsetof(stones_ref_stone, course)},
                  {"unused", offsetof(stones_ref_stone, unused)},
                  {"curve", offsetof(stones_ref_stone, curve)},
                  {"shot_course", offsetof(stones_ref_stone, shot_course)},
                  {"origin_x", offsetof(stones_ref_stone, origin_x)},
                  {"origin_y", offsetof(stones_ref_stone, origin_y)},
                  {"shot_distance", offsetof(stones_ref_stone, shot_distance)},
                  {"shot_traveled", offsetof(stones_ref_stone, shot_traveled)},
                  {"next_x", offsetof(stones_ref_stone, next_x)},
                  {"next_y", offsetof(stones_ref_stone, next_y)}};
    size_t index;
    double values[CAROM_STONES_MAX];
    int8_t shot[CAROM_STONES_MAX];
    stones_ref_clear(to);
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        carom_bench_demand(carom_worlds_find_field(from, fields[k].name, &index), "find a field");
        carom_bench_demand(carom_worlds_get(from, index, world, 1, values), "read a field");
        for (size_t i = 0; i < STONES; i++) {
            memcpy((char *)&to->stones[i] + fields[k].offset, &values[i], sizeof values[i]);
        }
    }
    carom_bench_demand(carom_worlds_find_field(from, "shot", &index), "find a field");
    carom_bench_demand(carom_worlds_get(from, index, world, 1, shot), "read a field");
    for (size_t i = 0; i < STONES; i++) {
        to->stones[i].in_play = true;
        to->stones[i].shot = to->stones[i].has_next = shot[i] != 0;
    }
}

static void run_plain(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const bench_engine *engine = argument;
    scene *s = engine->subject;
    const carom_stones_options options = options_of();
    make_scene(s);
    stones_ref_world *start = carom_bench_take(WORLDS, sizeof *start);
    stones_ref_world *worlds = carom_bench_take(WORLDS, sizeof *worlds);
    for (size_t w = 0; w < WORLDS; w++) {
        read_world(&start[w], s->start, w);
    }
    for (uint64_t i = 0; i < iterations; i++) {
        memcpy(worlds, start, WORLDS * sizeof *worlds);
        carom_bench_start(sample);
        for (size_t w = 0; w < WORLDS; w++) {
            for (int t = 0; t < ticks_of(s); t++) {
                stones_ref_step(&worlds[w], &options, 0, no_pushes, NULL, NULL);
            }
        }
        carom_bench_stop(sample);
    }
    free(start);
    free(worlds);
    sample->items = (double)iterations * WORLDS * ticks_of(s);
}

/* ---- the cases ---- */

int main(int argc, char **argv)
{
    static const bench_program program = {"King of War stones, 12 in motion",
                                          "M world-ticks/s",
                                          1e-6,
                                          {"x scalar", "x plain C", "x 1 thread"},
                                          {{"hits_per_tick", "hits/tick", 1}, {"moving", "moving", 1}}};
    static scene scenes[WORKLOADS][2];
    static bench_workload workloads[WORKLOADS];
    bench *b = carom_bench_create(argc, argv, &program);
    for (int what = 0; what < WORKLOADS; what++) {
        bench_workload *w = &workloads[what];
        snprintf(w->name, sizeof w->name, "stones/12_moving/%s", workload_names[what]);
        w->one_thread = "/threads:1";
        w->library = run_library;
        w->plain = run_plain;
        for (int f64 = 0; f64 < 2; f64++) {
            scenes[what][f64].what = (workload)what;
            scenes[what][f64].precision = f64 ? CAROM_F64 : CAROM_F32;
            w->subjects[f64] = &scenes[what][f64];
        }
        carom_bench_add_workload(b, w);
    }
    return carom_bench_run(b);
}
