/* SPDX-License-Identifier: MIT
 * Laboratories of a gas and of a scene's world: watching changes no bit; saves and copies go on to the bit; events,
 * samples and unwrapped positions agree with the motion.
 */
#include "test.h"

#include <float.h>

#define BODIES 300

static carom_gas *make_gas(carom_gas_box box, carom_precision precision, carom_isa isa)
{
    carom_gas_desc desc = carom_gas_desc_default();
    carom_gas *gas;
    desc.bodies = BODIES;
    desc.box = box;
    desc.precision = precision;
    desc.isa = isa;
    OK(carom_gas_create(&desc, &gas));
    return gas;
}

static carom_gas_measures measure(const carom_gas *gas)
{
    carom_gas_measures m;
    OK(carom_gas_measure(gas, &m));
    return m;
}

/* ---- saves ---- */

static void assert_same_measures(const carom_gas *a, const carom_gas *b)
{
    const carom_gas_measures p = measure(a), q = measure(b);
    assert_true(carom_gas_digest(a) == carom_gas_digest(b));
    assert_true(carom_gas_clock(a) == carom_gas_clock(b));
    assert_true(p.time == q.time && p.collisions == q.collisions && p.sides == q.sides && p.crossings == q.crossings);
    assert_true(p.compressibility == q.compressibility && p.energy_drift == q.energy_drift);
    assert_true(p.compressibility_error == q.compressibility_error);

    double x[2][BODIES], y[2][BODIES];
    OK(carom_gas_unwrapped(a, x[0], y[0]));
    OK(carom_gas_unwrapped(b, x[1], y[1]));
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
}

/* A gas that is saved, and loaded on another instruction set, goes on as if nothing had happened. */
static void check_save(carom_gas_box box, carom_precision precision, double before, double after)
{
    OWNED(carom_gas) *gas = make_gas(box, precision, CAROM_ISA_DEFAULT);
    OK(carom_gas_run(gas, before, NULL, NULL));
    const size_t size = carom_gas_save_size(gas);
    FREED unsigned char *save = malloc(size);
    assert_int_equal(carom_gas_save(gas, save, size - 1), CAROM_ERROR_SIZE);
    OK(carom_gas_save(gas, save, size));

    carom_gas_desc desc;
    OK(carom_gas_saved(save, size, &desc));
    assert_true(desc.bodies == BODIES && desc.box == box && desc.precision == precision && desc.seed == 1);
    desc.isa = CAROM_ISA_SCALAR;
    desc.seed = 7;
    carom_gas *other;
    OK(carom_gas_create(&desc, &other));
    OK(carom_gas_run(other, 3, NULL, NULL));
    OK(carom_gas_load(other, save, size));
    assert_same_measures(gas, other);
    assert_true(carom_gas_describe(other).seed == 1);

    OK(carom_gas_run(gas, after, NULL, NULL));
    OK(carom_gas_run(other, after, NULL, NULL));
    assert_same_measures(gas, other);
    assert_true(measure(gas).sides > 0);

    /* Any damage is noticed, and changes nothing. */
    const uint64_t digest = carom_gas_digest(other);
    for (size_t at = 0; at < size; at += 1 + size / 97) {
        save[at] ^= 4;
        assert_int_equal(carom_gas_load(other, save, size), CAROM_ERROR_FORMAT);
        save[at] ^= 4;
    }
    assert_int_equal(carom_gas_load(other, save, size - 8), CAROM_ERROR_FORMAT);
    assert_true(carom_gas_digest(other) == digest);
    carom_gas_destroy(other);
}

TEST(test_save_of_a_gas)
{
    check_save(CAROM_GAS_PERIODIC, CAROM_F64, 8, 40);
    check_save(CAROM_GAS_PERIODIC, CAROM_F32, 24, 9);
    check_save(CAROM_GAS_SOLID, CAROM_F64, 3.3, 20);
}

TEST(test_copy_of_a_gas)
{
    OWNED(carom_gas) *gas = make_gas(CAROM_GAS_PERIODIC, CAROM_F64, CAROM_ISA_DEFAULT);
    OWNED(carom_gas) *copy = make_gas(CAROM_GAS_PERIODIC, CAROM_F64, CAROM_ISA_SCALAR);
    OWNED(carom_gas) *solid = make_gas(CAROM_GAS_SOLID, CAROM_F64, CAROM_ISA_DEFAULT);
    OK(carom_gas_run(gas, 16, NULL, NULL));
    OK(carom_gas_copy(copy, gas));
    assert_int_equal(carom_gas_copy(solid, gas), CAROM_ERROR_ARGUMENT);
    OK(carom_gas_run(gas, 16, NULL, NULL));
    OK(carom_gas_run(copy, 16, NULL, NULL));
    assert_same_measures(gas, copy);
}

/* ---- watching ---- */

typedef struct seen {
    carom_lab *lab;
    size_t samples, events, sides, room;
    double last_time;  /* of a sample */
    double last_event; /* its time */
    double interval, window;
    double impulse; /* sum of the amounts */
    double virial[3];
    double ux[BODIES], uy[BODIES]; /* of the last sample */
    uint64_t stop_at;              /* the sample that ends the run; 0: none */
} seen;

static bool see_sample(void *user, const carom_lab_frame *frame)
{
    seen *s = user;
    assert_true(frame->time > s->last_time && frame->time == (double)frame->index * s->interval);
    assert_true(s->last_event <= frame->time);
    s->last_time = frame->time;
    s->samples++;

    carom_lab_info info;
    OK(carom_lab_describe(frame->lab, &info));
    assert_true(fabs(info.time - frame->time) < 1e-9);
    for (size_t i = 0; i < BODIES; i++) {
        const double turns_x = (frame->ux[i] - frame->x[i]) / info.width;
        const double turns_y = (frame->uy[i] - frame->y[i]) / info.height;
        assert_true(fabs(turns_x - round(turns_x)) < 1e-9 && fabs(turns_y - round(turns_y)) < 1e-9);
        assert_true(info.periodic_x || turns_x == 0);

        /* Nobody is faster than 12 or so: so no disk has jumped. */
        if (s->samples > 1) {
            assert_true(fabs(frame->ux[i] - s->ux[i]) < 12 * s->interval);
            assert_true(fabs(frame->uy[i] - s->uy[i]) < 12 * s->interval);
        }
        s->ux[i] = frame->ux[i];
        s->uy[i] = frame->uy[i];
    }
    return s->stop_at == 0 || frame->index < s->stop_at;
}

static bool see_events(void *user, const carom_lab_event *events, size_t count)
{
    seen *s = user;
    for (size_t k = 0; k < count; k++) {
        const carom_lab_event *e = &events[k];
        assert_true(e->time >= s->last_event && e->first < BODIES);
        assert_true(e->time - floor(e->time / s->interval) * s->interval < s->window);
        s->last_event = e->time;
        s->impulse += hypot(e->jx, e->jy);
        if (e->kind == CAROM_IMPACT_SIDE) {
            s->sides++;
            assert_true(e->second < 4);
            assert_true((e->second < 2 ? e->jy : e->jx) == 0);
            assert_true((e->second % 2 == 0 ? e->jx + e->jy : -e->jx - e->jy) > 0);
        } else {
            const double j = hypot(e->jx, e->jy);
            assert_true(e->first < e->second && e->second < BODIES);
            s->virial[0] += j > 0 ? e->jx * e->jx / j : 0;
            s->virial[1] += j > 0 ? e->jx * e->jy / j : 0;
            s->virial[2] += j > 0 ? e->jy * e->jy / j : 0;
            s->events++;
        }
    }
    return true;
}

static carom_lab_watcher watcher_of(seen *s, double interval, double window)
{
    s->interval = interval;
    s->window = window;
    return (carom_lab_watcher){
        .interval = interval, .sample = see_sample, .window = window, .events = see_events, .user = s};
}

/* Two watchers with different intervals see all that there is, and change nothing. */
static void check_watching(carom_gas_box box, carom_precision precision)
{
    OWNED(carom_gas) *alone = make_gas(box, precision, CAROM_ISA_DEFAULT);
    OWNED(carom_gas) *gas = make_gas(box, precision, CAROM_ISA_DEFAULT);
    seen *often = calloc(1, sizeof *often), *all = calloc(1, sizeof *all);
    carom_lab_watcher one = watcher_of(often, 0.3, 0.1), two = watcher_of(all, 5, INFINITY);
    carom_lab *lab;
    unsigned number;
    OK(carom_lab_of_gas(gas, &lab));
    OK(carom_lab_watch(lab, &one, &number));
    OK(carom_lab_watch(lab, &two, &number));

    OK(carom_lab_run(lab, 16, NULL, NULL));
    OK(carom_lab_run(lab, 5, NULL, NULL));
    OK(carom_gas_run(alone, 21, NULL, NULL));
    assert_same_measures(alone, gas);
    assert_int_equal(often->samples, 70);
    assert_int_equal(all->samples, 4);

    const carom_gas_measures m = measure(alone);
    assert_int_equal(all->events, m.collisions);
    assert_true(box == CAROM_GAS_PERIODIC ? all->sides == 0 : all->sides == m.sides && m.sides > 0);
    assert_true(often->events > m.collisions / 4 && often->events < m.collisions / 2);

    /* The impulses are those that the gas counts itself. */
    carom_lab_info info;
    OK(carom_lab_describe(lab, &info));
    for (size_t k = 0; k < 3; k++) {
        assert_true(fabs(all->virial[k] - info.virial[k]) < (precision == CAROM_F64 ? 1e-9 : 1e-3) * all->impulse);
    }
    carom_lab_destroy(lab);
    free(often);
    free(all);
}

TEST(test_watching_a_gas)
{
    check_watching(CAROM_GAS_PERIODIC, CAROM_F64);
    check_watching(CAROM_GAS_PERIODIC, CAROM_F32);
    check_watching(CAROM_GAS_SOLID, CAROM_F64);
}

/* A sample ends the run at its time; the next run goes on from there, and tells no sample twice. */
TEST(test_a_watcher_that_stops)
{
    OWNED(carom_gas) *gas = make_gas(CAROM_GAS_PERIODIC, CAROM_F64, CAROM_ISA_DEFAULT);
    seen *s = calloc(1, sizeof *s);
    carom_lab_watcher w = watcher_of(s, 0.7, 0);
    carom_lab *lab;
    unsigned number;
    OK(carom_lab_of_gas(gas, &lab));
    OK(carom_lab_watch(lab, &w, &number));
    s->stop_at = 9;
    assert_int_equal(carom_lab_run(lab, 16, NULL, NULL), CAROM_ERROR_CANCELLED);
    assert_int_equal(s->samples, 9);
    assert_true(fabs(carom_gas_clock(gas) - 6.3) < 1e-12);
    s->stop_at = 0;
    OK(carom_lab_run(lab, 7, NULL, NULL));
    assert_int_equal(s->samples, 19);
    OK(carom_lab_unwatch(lab, number));
    assert_int_equal(carom_lab_unwatch(lab, number), CAROM_ERROR_ARGUMENT);
    OK(carom_lab_run(lab, 7, NULL, NULL));
    assert_int_equal(s->samples, 19);
    carom_lab_destroy(lab);
    free(s);
}
