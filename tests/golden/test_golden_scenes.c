/* SPDX-License-Identifier: MIT
 * Everything that comes out of scenes and gases, by kind of output, against its golden digest. Both engines have the
 * same numbers, and so the same digests. See golden.h.
 */
#include "golden_play.h"
#include "tests/scenes/scene_batch.h"
#include "tests/scenes/scene_samples.h"

#define SAMPLES 18
#define FIRST_SEED UINT64_C(500)

/* Bodies that act, rewards and final values of every kind, games of five ticks. A body that crosses a periodic box a
 * million times in a tick would be right, and slow. */
static void complete(scene_sample *sample, uint32_t number)
{
    carom_scene_desc *const desc = &sample->desc;
    for (uint32_t k = 0; k < desc->body_count; k++)
        sample->bodies[k].acts = k % 5 == number % 5 && !isinf(sample->bodies[k].mass);
    desc->action_scale = sample->scale;
    desc->reward = (carom_scene_measure){(carom_measure_kind)(number % CAROM_MEASURE_USER), 0, 1, 2, NULL};
    desc->final_value = (carom_scene_measure){(carom_measure_kind)((number + 1) % CAROM_MEASURE_USER), 0, 3, 4, NULL};
    desc->last_tick = 5;
    if (desc->max_events == 0 || desc->max_events > 50) /* clusters without end cost no more than that */
        desc->max_events = 50;
    if (desc->box.horizontal == CAROM_SIDES_PERIODIC || desc->box.vertical == CAROM_SIDES_PERIODIC)
        desc->speed_limit = fmin(desc->speed_limit, 100 * sample->scale);
    if (desc->solver == CAROM_TOI_POW) /* the C library's */
        desc->solver = CAROM_TOI_POW_FOLDED;
}

/* Every world starts from another state. */
static void scatter(carom_worlds *worlds, const void *user)
{
    const scene_sample *const sample = (const scene_sample *)user;
    OWNED(scene_state) s = scene_state_new(sample->desc.body_count);
    double *const v = s.number;
    for (size_t w = 0; w < carom_worlds_count(worlds); w++) {
        scene_sample_state(sample, 9, w, v, v + s.n, v + 2 * s.n, v + 3 * s.n, s.active);
        scene_put(worlds, w, &s);
    }
}

static bool accelerates(const scene_sample *sample)
{
    for (uint32_t k = 0; k < sample->desc.body_count; k++)
        if (sample->bodies[k].ax != 0 || sample->bodies[k].ay != 0)
            return true;
    return false;
}

static void play_samples(carom_engine engine, carom_precision precision, carom_isa isa)
{
    static scene_sample sample;
    golden_sums sums[4] = {{0}, {0}, {0}, {0}};
    const carom_game *game = NULL;
    carom_scene *scenes[SAMPLES];
    for (uint32_t k = 0; k < SAMPLES; k++) {
        const bool crowd = k % 16 == 3;
        scene_sample_make(&sample, FIRST_SEED + k, crowd);
        complete(&sample, k);
        sample.desc.engine = engine;
        carom_problem problem = {""};
        if (carom_scene_create(&sample.desc, &scenes[k], &problem) != CAROM_OK)
            fail_msg("scene %u: %s", k, problem.text);
        game = carom_scene_game(scenes[k]);
        const golden_subject subject = {
            .game = game,
            .at_end = (carom_at_end)(k % 3),
            .calls = crowd ? 3 : 16,
            .dt = sample.dt,
            .no_rollouts = crowd,
            .start = scatter,
            .user = &sample,
        };
        const size_t advance = sample.desc.advance == CAROM_ADVANCE_ALL;
        golden_play(&subject, precision, isa, &sums[2 * advance + accelerates(&sample)]);
    }
    golden_compare_sums("scenes.own_clock", game, precision, isa, &sums[0]);
    golden_compare_sums("scenes.own_clock.accelerated", game, precision, isa, &sums[1]);
    golden_compare_sums("scenes.advance_all", game, precision, isa, &sums[2]);
    golden_compare_sums("scenes.advance_all.accelerated", game, precision, isa, &sums[3]);
    for (uint32_t k = 0; k < SAMPLES; k++)
        carom_scene_destroy(scenes[k]);
}

TEST(test_scenes)
{
    for (size_t k = 0; k < 4 * isa_count; k++)
        play_samples(k % 2 == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP, k / 2 % 2 == 0 ? CAROM_F32 : CAROM_F64,
                     isas[k / 4]);
}

/* ---- gases ---- */

#define DISKS 333

static uint64_t run_gas(const carom_gas_desc *desc)
{
    static double arrays[4][DISKS];
    static const double times[] = {3, 8, 13.5};
    OWNED(carom_gas) *gas = NULL;
    carom_gas_measures m;
    uint64_t sum = 0;
    must(carom_gas_create(desc, &gas), "carom_gas_create");
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
        must(carom_gas_run(gas, times[k], NULL, NULL), "carom_gas_run");
        must(carom_gas_measure(gas, &m), "carom_gas_measure");
        must(carom_gas_get(gas, arrays[0], arrays[1], arrays[2], arrays[3]), "carom_gas_get");
        const uint64_t counts[] = {m.collisions, m.sides, m.crossings, m.fault, carom_gas_digest(gas)};
        const double numbers[] = {
            m.time,           m.energy,          m.energy_drift,          m.momentum_x,       m.momentum_y,
            m.momentum_drift, m.compressibility, m.compressibility_error, carom_gas_side(gas)};
        golden_add_bytes(&sum, counts, sizeof counts);
        golden_add_f64s(&sum, numbers, sizeof numbers / sizeof numbers[0]);
        golden_add_f64s(&sum, arrays[0], 4 * DISKS);
        if (k == 0)
            carom_gas_forget(gas);
    }
    return sum;
}

TEST(test_gases)
{
    const struct {
        const char *name;
        double packing, restitution;
        carom_gas_box box;
    } gases[] = {
        {"gas.periodic", 0.5, 1, CAROM_GAS_PERIODIC},
        {"gas.solid", 0.65, 1, CAROM_GAS_SOLID},
        {"gas.cooling", 0.3, 0.875, CAROM_GAS_PERIODIC},
        {"gas.cooling_solid", 0.4, 0.5, CAROM_GAS_SOLID},
    };
    for (size_t k = 0; k < sizeof gases / sizeof gases[0]; k++) {
        carom_gas_desc desc = carom_gas_desc_default();
        desc.bodies = DISKS;
        desc.packing = gases[k].packing;
        desc.restitution = gases[k].restitution;
        desc.box = gases[k].box;
        for (size_t i = 0; i < 2 * isa_count; i++) {
            desc.precision = i % 2 == 0 ? CAROM_F32 : CAROM_F64;
            desc.isa = isas[i / 2];
            golden_compare(gases[k].name, desc.precision, desc.isa, run_gas(&desc));
        }
    }
}

/* Last: no row of the table was left out. */
TEST(test_all)
{
    golden_close();
}

SET_UP
{
    golden_open(CAROM_TEST_DATA "/golden/scenes.txt");
}
