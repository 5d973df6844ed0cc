/* SPDX-License-Identifier: MIT
 * soak SECONDS [SEED]: for that long, a gas and a scene run and must conserve energy; meanwhile random scenes run on
 * two engines, with random instruction sets and numbers of threads, and must have the same digest. Prints what it did;
 * exits with 1 at the first failure. See scripts/soak.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "tests/random.h"
#include "tests/scenes/scene_samples.h"

#include <carom/carom.h>
#include <carom/scene.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DRIFT 1e-10 /* of the energy, relative, from beginning to end */
#define BODIES 500
#define WORLDS 40

static void fail(const char *what, uint64_t seed)
{
    fprintf(stderr, "soak: %s (seed %" PRIu64 ")\n", what, seed);
    exit(1);
}

static void must(carom_status status, const char *what, uint64_t seed)
{
    if (status != CAROM_OK) {
        fail(what, seed);
    }
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static carom_isa any_isa(uint64_t *rng)
{
    for (;;) {
        const carom_isa isa = (carom_isa)(rng_next(rng) % CAROM_ISA_COUNT);
        if (isa != CAROM_ISA_DEFAULT && carom_isa_usable(isa)) {
            return isa;
        }
    }
}

/* ---- a scene that plays on ---- */

typedef struct long_scene {
    carom_scene *scene;
    carom_worlds *worlds;
    double start; /* its energy */
} long_scene;

static double energy_of(const long_scene *s)
{
    const carom_scene_desc *d = carom_scene_describe(s->scene);
    static double v[2][BODIES];
    long double energy = 0;
    for (int axis = 0; axis < 2; axis++) {
        size_t field = 0;
        must(carom_worlds_find_field(s->worlds, axis == 0 ? "vx" : "vy", &field), "carom_worlds_find_field", 0);
        must(carom_worlds_get(s->worlds, field, 0, 1, v[axis]), "carom_worlds_get", 0);
    }
    for (uint32_t k = 0; k < BODIES; k++) {
        const long double vx = v[0][k], vy = v[1][k];
        energy += d->bodies[k].mass * (vx * vx + vy * vy) / 2;
    }
    return (double)energy;
}

static long_scene begin_scene(carom_engine engine, carom_scene_sides sides, uint64_t seed)
{
    static carom_scene_body bodies[BODIES];
    uint64_t rng = seed;
    carom_scene_desc d = carom_scene_desc_default();
    carom_problem problem;
    long_scene s;
    for (uint32_t k = 0; k < BODIES; k++) {
        carom_scene_body *b = &bodies[k];
        *b = carom_scene_body_default();
        b->x = 2.5 * (k % 23) - 27;
        b->y = 2.5 * (k / 23) - 27;
        b->vx = (double)(rng_next(&rng) >> 11) * 0x1p-52 - 1;
        b->vy = (double)(rng_next(&rng) >> 11) * 0x1p-52 - 1;
        b->radius = 0.4 + 0.6 * (double)(rng_next(&rng) >> 11) * 0x1p-53;
        b->mass = b->radius * b->radius;
    }
    d.bodies = bodies;
    d.body_count = BODIES;
    d.box.x0 = d.box.y0 = -29;
    d.box.x1 = d.box.y1 = 30;
    d.box.restitution = 1;
    d.box.horizontal = d.box.vertical = sides;
    d.engine = engine;
    if (carom_scene_create(&d, &s.scene, &problem) != CAROM_OK) {
        fail(problem.text, seed);
    }
    carom_worlds_desc w = carom_worlds_desc_default(carom_scene_game(s.scene));
    w.threads = 1;
    must(carom_worlds_create(&w, &s.worlds), "carom_worlds_create", seed);
    s.start = energy_of(&s);
    return s;
}

static double play_scene(const long_scene *s, double seconds, uint64_t seed)
{
    const double end = now() + seconds;
    while (now() < end) {
        must(carom_worlds_step(s->worlds, 0.5, 4), "carom_worlds_step", seed);
    }
    const double drift = fabs(energy_of(s) / s->start - 1);
    if (!(drift <= DRIFT) || carom_worlds_faults(s->worlds, NULL) != 0) {
        fprintf(stderr, "drift %.3g\n", drift);
        fail("a scene lost or gained energy, or took a fault", seed);
    }
    return drift;
}

/* ---- random scenes, twice ---- */

static uint64_t digest_of(scene_sample *sample, carom_engine engine, carom_precision precision, uint64_t seed,
                          uint64_t *rng, uint64_t *impacts)
{
    carom_scene *scene;
    carom_worlds *worlds;
    carom_problem problem;
    uint64_t digest = 0;
    sample->desc.engine = engine;
    if (carom_scene_create(&sample->desc, &scene, &problem) != CAROM_OK) {
        fail(problem.text, seed);
    }
    carom_worlds_desc w = carom_worlds_desc_default(carom_scene_game(scene));
    w.count = WORLDS;
    w.precision = precision;
    w.isa = any_isa(rng);
    w.threads = 1 + (unsigned)(rng_next(rng) % 3);
    must(carom_worlds_create(&w, &worlds), "carom_worlds_create", seed);
    size_t field[5];
    static const char *const names[5] = {"x", "y", "vx", "vy", "active"};
    for (int f = 0; f < 5; f++) {
        must(carom_worlds_find_field(worlds, names[f], &field[f]), names[f], seed);
    }
    for (size_t world = 0; world < WORLDS; world++) {
        double numbers[4][SAMPLE_BODIES];
        float narrow[SAMPLE_BODIES];
        int8_t active[SAMPLE_BODIES];
        scene_sample_state(sample, seed, world, numbers[0], numbers[1], numbers[2], numbers[3], active);
        for (int f = 0; f < 4; f++) {
            for (uint32_t k = 0; k < sample->desc.body_count; k++) {
                narrow[k] = (float)numbers[f][k];
            }
            must(carom_worlds_set(worlds, field[f], world, 1,
                                  precision == CAROM_F64 ? (const void *)numbers[f] : narrow),
                 names[f], seed);
        }
        must(carom_worlds_set(worlds, field[4], world, 1, active), names[4], seed);
    }
    must(carom_worlds_step(worlds, sample->dt, 5), "carom_worlds_step", seed);
    must(carom_worlds_digest(worlds, &digest), "carom_worlds_digest", seed);
    *impacts += carom_worlds_counters(worlds).events;
    carom_worlds_destroy(worlds);
    carom_scene_destroy(scene);
    return digest;
}

static void play_sample(uint64_t seed, uint64_t *impacts)
{
    static scene_sample sample;
    uint64_t rng = seed;
    const carom_precision precision = rng_next(&rng) % 2 != 0 ? CAROM_F64 : CAROM_F32;
    scene_sample_make(&sample, seed, seed % 16 == 0);
    if (seed % 3 == 0) {
        scene_sample_let_pass(&sample, seed);
    }
    if (sample.desc.max_events == 0) {
        sample.desc.max_events = 5000; /* an endless tick takes minutes to reach the default of a million impacts */
    }
    const uint64_t one = digest_of(&sample, CAROM_ENGINE_WIDE, precision, seed, &rng, impacts);
    const uint64_t same = digest_of(&sample, CAROM_ENGINE_WIDE, precision, seed, &rng, impacts);
    const uint64_t other = digest_of(&sample, CAROM_ENGINE_DEEP, precision, seed, &rng, impacts);
    if (one != same || one != other) {
        fail("digests differ", seed);
    }
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
    if (!(seconds > 0)) {
        fprintf(stderr, "usage: soak SECONDS [SEED]\n");
        return 2;
    }
    carom_gas_desc desc = carom_gas_desc_default();
    carom_gas *gas, *twin;
    desc.bodies = 2000;
    desc.seed = seed;
    must(carom_gas_create(&desc, &gas), "carom_gas_create", seed);
    desc.isa = CAROM_ISA_SCALAR;
    must(carom_gas_create(&desc, &twin), "carom_gas_create", seed);
    const long_scene periodic = begin_scene(CAROM_ENGINE_DEEP, CAROM_SIDES_PERIODIC, seed);
    const long_scene solid = begin_scene(CAROM_ENGINE_DEEP, CAROM_SIDES_SOLID, seed + 1);
    const double begin = now(), slice = fmin(1, seconds / 20);
    uint64_t samples = 0, impacts = 0;
    double drift = 0;
    carom_gas_measures m;
    printf("soak: %g s, seed %" PRIu64 "\n", seconds, seed);
    do {
        must(carom_gas_run(gas, 8 * slice, NULL, NULL), "carom_gas_run", seed);
        must(carom_gas_run(twin, 8 * slice, NULL, NULL), "carom_gas_run", seed);
        must(carom_gas_measure(gas, &m), "carom_gas_measure", seed);
        if (carom_gas_digest(gas) != carom_gas_digest(twin) || m.fault || !(fabs(m.energy_drift) <= DRIFT)) {
            fail("the gas lost or gained energy, took a fault, or differs from the same on one lane", seed);
        }
        drift = fmax(drift, play_scene(&periodic, slice, seed));
        drift = fmax(drift, play_scene(&solid, slice, seed + 1));
        for (const double end = now() + slice; now() < end; samples++) {
            play_sample(seed * UINT64_C(1000003) + samples, &impacts);
        }
    } while (now() - begin < seconds);
    printf("gas: %" PRIu64 " collisions, energy drift %.2g\n", m.collisions, m.energy_drift);
    printf("scenes: %" PRIu64 " impacts, energy drift at most %.2g\n",
           carom_worlds_counters(periodic.worlds).events + carom_worlds_counters(solid.worlds).events, drift);
    printf("random scenes: %" PRIu64 ", %" PRIu64 " impacts, both engines the same\n", samples, impacts);
    carom_gas_destroy(gas);
    carom_gas_destroy(twin);
    carom_worlds_destroy(periodic.worlds);
    carom_worlds_destroy(solid.worlds);
    carom_scene_destroy(periodic.scene);
    carom_scene_destroy(solid.scene);
    return 0;
}
