/* SPDX-License-Identifier: MIT
 * Laboratories of a gas and of a scene's world: measuring changes no bit; saves and copies continue bit for bit;
 * events, samples and unwrapped positions agree with the motion.
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

/* A gas saved, and loaded on another instruction set, continues as if uninterrupted. */
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

        /* No disk is faster than 12 or so: so none has jumped. */
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

/* Reconstructs the motion from the start and the events alone: every position and time must fit, and so must the
 * end. */
typedef struct replayed {
    const carom_lab_info *info;
    double x[BODIES], y[BODIES], vx[BODIES], vy[BODIES], t[BODIES];
    double slack;
} replayed;

static void replay_to(replayed *r, uint32_t i, double time)
{
    r->x[i] += r->vx[i] * (time - r->t[i]);
    r->y[i] += r->vy[i] * (time - r->t[i]);
    r->t[i] = time;
}

static double nearest(double p, double side, bool periodic)
{
    return periodic ? p - round(p / side) * side : p;
}

static bool replay_events(void *user, const carom_lab_event *events, size_t count)
{
    replayed *r = user;
    const carom_lab_info *box = r->info;
    for (size_t k = 0; k < count; k++) {
        const carom_lab_event *e = &events[k];
        const uint32_t i = e->first, j = e->second;
        replay_to(r, i, e->time);
        double dx = 0, dy = 0;
        if (e->kind == CAROM_IMPACT_SIDE) {
            dx = j == 0 ? -box->radii[i] : j == 1 ? box->radii[i] : 0;
            dy = j == 2 ? -box->radii[i] : j == 3 ? box->radii[i] : 0;
            const double wall = j == 0 || j == 2 ? 0 : j == 1 ? box->width : box->height;
            assert_true(fabs((j < 2 ? e->x : e->y) - wall) < r->slack);
        } else {
            replay_to(r, j, e->time);
            dx = nearest(r->x[j] - r->x[i], box->width, box->periodic_x);
            dy = nearest(r->y[j] - r->y[i], box->height, box->periodic_y);
            const double sum = box->radii[i] + box->radii[j], length = hypot(dx, dy);
            assert_true(fabs(length - sum) < r->slack);
            assert_true(fabs(e->jx * dy - e->jy * dx) < r->slack && e->jx * dx + e->jy * dy <= 0);
            dx *= box->radii[i] / length;
            dy *= box->radii[i] / length;
            r->vx[j] -= e->jx / box->masses[j];
            r->vy[j] -= e->jy / box->masses[j];
        }
        assert_true(fabs(nearest(e->x - r->x[i] - dx, box->width, box->periodic_x)) < r->slack);
        assert_true(fabs(nearest(e->y - r->y[i] - dy, box->height, box->periodic_y)) < r->slack);
        r->vx[i] += e->jx / box->masses[i];
        r->vy[i] += e->jy / box->masses[i];
    }
    return true;
}

static void check_replay(carom_lab *lab, double time, double slack)
{
    carom_lab_info info;
    replayed *r = calloc(1, sizeof *r);
    OK(carom_lab_describe(lab, &info));
    r->info = &info;
    r->slack = slack;
    OK(carom_lab_get(lab, r->x, r->y, r->vx, r->vy));
    for (uint32_t i = 0; i < BODIES; i++) {
        r->t[i] = info.time;
    }
    const carom_lab_watcher w = {.interval = INFINITY, .window = INFINITY, .events = replay_events, .user = r};
    unsigned number;
    OK(carom_lab_watch(lab, &w, &number));
    OK(carom_lab_run(lab, time, NULL, NULL));
    OK(carom_lab_unwatch(lab, number));

    double x[BODIES], y[BODIES];
    OK(carom_lab_unwrapped(lab, x, y));
    for (uint32_t i = 0; i < BODIES; i++) {
        replay_to(r, i, info.time + time);
        assert_true(fabs(r->x[i] - x[i]) < slack && fabs(r->y[i] - y[i]) < slack);
    }
    free(r);
}

TEST(test_events_tell_the_motion)
{
    for (int k = 0; k < 3; k++) {
        OWNED(carom_gas) *gas =
            make_gas(k == 1 ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC, k == 2 ? CAROM_F32 : CAROM_F64, CAROM_ISA_DEFAULT);
        carom_lab *lab;
        OK(carom_lab_of_gas(gas, &lab));
        check_replay(lab, 11, k == 2 ? 2e-3 : 1e-9);
        carom_lab_destroy(lab);
    }
}

/* Two watchers with different intervals see everything, and change nothing. */
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

/* A sample ends the run at its time; the next run continues from there, and repeats no sample. */
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

/* ---- mixtures ---- */

/* Two kinds of disks, one of four times the mass of the other, in a box of 2:1. */
typedef struct mixture {
    double radii[BODIES], masses[BODIES];
    carom_lab_desc desc;
} mixture;

static void describe_mixture(mixture *m, double packing)
{
    m->desc = carom_lab_desc_default();
    for (size_t i = 0; i < BODIES; i++) {
        m->radii[i] = i % 3 == 0 ? 1 : 0.5;
        m->masses[i] = i % 3 == 0 ? 4 : 1;
    }
    m->desc.bodies = BODIES;
    m->desc.radii = m->radii;
    m->desc.masses = m->masses;
    m->desc.packing = packing;
    m->desc.aspect = 2;
    m->desc.vertical = CAROM_GAS_SOLID;
    m->desc.start = CAROM_LAB_GROWN;
}

static carom_lab *make_lab(const carom_lab_desc *desc)
{
    carom_lab *lab;
    carom_problem problem;
    assert_int_equal(carom_lab_create(desc, &lab, &problem), CAROM_OK);
    assert_string_equal(problem.text, "");
    return lab;
}

typedef struct state {
    double x[BODIES], y[BODIES], vx[BODIES], vy[BODIES];
} state;

static void read_state(carom_lab *lab, state *s)
{
    OK(carom_lab_get(lab, s->x, s->y, s->vx, s->vy));
}

/* The least gap of two disks, or of a disk and a solid side, in units of the mean of the radii. */
static double least_gap(const carom_lab_info *info, const state *s)
{
    double least = INFINITY;
    for (size_t i = 0; i < info->bodies; i++) {
        for (size_t j = 0; j < i; j++) {
            const double dx = nearest(s->x[i] - s->x[j], info->width, info->periodic_x);
            const double dy = nearest(s->y[i] - s->y[j], info->height, info->periodic_y);
            least = fmin(least, hypot(dx, dy) / (info->radii[i] + info->radii[j]) - 1);
        }
        if (!info->periodic_x) {
            least = fmin(least, fmin(s->x[i], info->width - s->x[i]) / info->radii[i] - 1);
        }
        if (!info->periodic_y) {
            least = fmin(least, fmin(s->y[i], info->height - s->y[i]) / info->radii[i] - 1);
        }
    }
    return least;
}

/* Disks grow to packings up to where fluids freeze, without overlaps, and with the temperature 1. */
TEST(test_growth)
{
    static const double packings[] = {0.1, 0.5, 0.7, 0.78};
    for (size_t k = 0; k < 8; k++) {
        mixture m;
        state s;
        carom_lab_info info;
        describe_mixture(&m, packings[k % 4]);
        m.desc.precision = k < 4 ? CAROM_F64 : CAROM_F32;
        m.desc.growth = k % 2 == 0 ? 1 : 0.05;
        m.desc.horizontal = k % 4 == 2 ? CAROM_GAS_SOLID : CAROM_GAS_PERIODIC;
        carom_lab *lab = make_lab(&m.desc);
        OK(carom_lab_describe(lab, &info));
        read_state(lab, &s);

        double area = 0, energy = 0, px = 0;
        for (size_t i = 0; i < BODIES; i++) {
            area += 3.14159265358979 * m.radii[i] * m.radii[i];
            energy += m.masses[i] * (s.vx[i] * s.vx[i] + s.vy[i] * s.vy[i]) / 2;
            px += m.masses[i] * s.vx[i];
        }
        assert_true(fabs(area / (info.width * info.height) / m.desc.packing - 1) < 1e-6);
        assert_true(fabs(info.width / info.height - 2) < 1e-6);
        assert_true(least_gap(&info, &s) >= 0);
        assert_true(fabs(energy / BODIES - 1) < 1e-5 && fabs(px) < 1e-3);
        assert_true(info.gas == NULL && info.periodic_x == (k % 4 != 2) && !info.periodic_y);
        carom_lab_destroy(lab);
    }
}

/* Fast growth of many small systems: none ends with an overlap. */
TEST(test_fast_growth)
{
    mixture m;
    describe_mixture(&m, 0.72);
    m.desc.bodies = 40;
    m.desc.growth = 0.5;
    m.desc.aspect = 1;
    for (m.desc.seed = 1; m.desc.seed <= 100; m.desc.seed++) {
        state s;
        carom_lab_info info;
        carom_lab *lab = make_lab(&m.desc);
        OK(carom_lab_describe(lab, &info));
        read_state(lab, &s);
        assert_true(least_gap(&info, &s) >= 0);
        carom_lab_destroy(lab);
    }
}

/* Equal disks become a gas, which has grown, too, and has forgotten any lattice: they are as disordered as a fluid. */
TEST(test_a_gas_that_has_grown)
{
    carom_lab_desc desc = carom_lab_desc_default();
    carom_lab_info info;
    state s;
    desc.bodies = BODIES;
    desc.packing = 0.69;
    desc.start = CAROM_LAB_GROWN;
    carom_lab *lab = make_lab(&desc);
    OK(carom_lab_describe(lab, &info));
    assert_non_null(info.gas);
    assert_null(info.worlds);
    read_state(lab, &s);
    assert_true(least_gap(&info, &s) >= 0);
    OK(carom_lab_run(lab, 16, NULL, NULL));
    read_state(lab, &s);
    assert_true(least_gap(&info, &s) > -1e-9);
    carom_lab_destroy(lab);

    /* Another seed, another start. */
    desc.seed = 2;
    lab = make_lab(&desc);
    state other;
    read_state(lab, &other);
    assert_true(other.x[0] != s.x[0]);
    carom_lab_destroy(lab);
}

/* A mixture runs without overlaps, keeps its energy, and its watchers see what happens. */
TEST(test_watching_a_mixture)
{
    mixture m;
    describe_mixture(&m, 0.6);
    seen *s = calloc(1, sizeof *s);
    carom_lab *lab = make_lab(&m.desc), *alone = make_lab(&m.desc);
    carom_lab_watcher w = watcher_of(s, 0.25, INFINITY);
    unsigned number;
    w.interval = 0.3;
    assert_int_equal(carom_lab_watch(lab, &w, &number), CAROM_ERROR_VALUE);
    w.interval = 0.25;
    OK(carom_lab_watch(lab, &w, &number));
    OK(carom_lab_run(lab, 10, NULL, NULL));
    OK(carom_lab_run(lab, 2.5, NULL, NULL));
    assert_int_equal(carom_lab_run(lab, 0.1, NULL, NULL), CAROM_ERROR_VALUE);
    OK(carom_lab_run(alone, 12.5, NULL, NULL));
    assert_int_equal(s->samples, 50);

    carom_lab_info info, other;
    OK(carom_lab_describe(lab, &info));
    OK(carom_lab_describe(alone, &other));
    assert_true(carom_lab_digest(lab) == carom_lab_digest(alone));
    assert_true(info.time == 12.5 && info.events == other.events && info.events == s->events + s->sides);
    assert_true(s->events > (size_t)10 * BODIES && s->sides > 20);

    state now;
    read_state(lab, &now);
    double energy = 0, far = 0;
    for (size_t i = 0; i < BODIES; i++) {
        energy += m.masses[i] * (now.vx[i] * now.vx[i] + now.vy[i] * now.vy[i]) / 2;
        far = fmax(far, fabs(s->ux[i] - now.x[i]) / info.width);
    }
    assert_true(fabs(energy / BODIES - 1) < 1e-12);
    assert_true(least_gap(&info, &now) > -1e-9);
    assert_true(far >= 0.999);
    carom_lab_destroy(lab);
    carom_lab_destroy(alone);
    free(s);
}

TEST(test_events_tell_the_motion_of_a_mixture)
{
    mixture m;
    describe_mixture(&m, 0.6);
    carom_lab *lab = make_lab(&m.desc);
    check_replay(lab, 11, 1e-7);
    carom_lab_destroy(lab);
}

/* More events in a tick than the buffer holds: the tick is played again, and no event is lost. */
TEST(test_many_events_in_a_tick)
{
    mixture m;
    describe_mixture(&m, 0.7);
    m.desc.tick = 4;
    m.desc.horizontal = CAROM_GAS_SOLID;
    seen *s = calloc(1, sizeof *s);
    carom_lab *lab = make_lab(&m.desc), *alone = make_lab(&m.desc);
    carom_lab_watcher w = watcher_of(s, 4, INFINITY);
    unsigned number;
    w.sample = NULL;
    OK(carom_lab_watch(lab, &w, &number));
    OK(carom_lab_run(lab, 4, NULL, NULL));
    OK(carom_lab_run(alone, 4, NULL, NULL));
    carom_lab_info info;
    OK(carom_lab_describe(alone, &info));
    assert_true(info.events == s->events + s->sides && info.events > 4096);
    assert_true(carom_lab_digest(lab) == carom_lab_digest(alone));
    carom_lab_destroy(lab);
    carom_lab_destroy(alone);
    free(s);
}

TEST(test_save_of_a_mixture)
{
    for (int k = 0; k < 2; k++) {
        mixture m;
        describe_mixture(&m, 0.6);
        m.desc.precision = k == 0 ? CAROM_F64 : CAROM_F32;
        carom_lab *lab = make_lab(&m.desc);
        m.desc.isa = CAROM_ISA_SCALAR;
        carom_lab *other = make_lab(&m.desc);
        OK(carom_lab_run(lab, 5, NULL, NULL));

        const size_t size = carom_lab_save_size(lab);
        FREED unsigned char *save = malloc(size);
        assert_int_equal(carom_lab_save(lab, save, size - 1), CAROM_ERROR_SIZE);
        OK(carom_lab_save(lab, save, size));
        for (size_t at = 0; at < size; at += 1 + size / 97) {
            save[at] ^= 4;
            assert_int_equal(carom_lab_load(other, save, size), CAROM_ERROR_FORMAT);
            save[at] ^= 4;
        }
        OK(carom_lab_load(other, save, size));
        OK(carom_lab_run(lab, 5, NULL, NULL));
        OK(carom_lab_run(other, 5, NULL, NULL));

        carom_lab_info a, b;
        double x[2][BODIES], y[2][BODIES];
        OK(carom_lab_describe(lab, &a));
        OK(carom_lab_describe(other, &b));
        OK(carom_lab_unwrapped(lab, x[0], y[0]));
        OK(carom_lab_unwrapped(other, x[1], y[1]));
        assert_true(a.time == 10 && b.time == 10 && a.events == b.events);
        assert_true(carom_lab_digest(lab) == carom_lab_digest(other));
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        carom_lab_destroy(lab);
        carom_lab_destroy(other);
    }
}

/* A field: disks in a solid box fall, and are denser at the bottom than at the top. */
TEST(test_a_field)
{
    carom_lab_desc desc = carom_lab_desc_default();
    desc.bodies = 100;
    desc.packing = 0.1;
    desc.horizontal = desc.vertical = CAROM_GAS_SOLID;
    desc.ay = -1;
    desc.start = CAROM_LAB_GROWN;
    carom_lab *lab = make_lab(&desc);
    double y[100], before = 0, after = 0;
    OK(carom_lab_get(lab, NULL, y, NULL, NULL));
    for (size_t i = 0; i < 100; i++) {
        before += y[i] / 100;
    }
    OK(carom_lab_run(lab, 20, NULL, NULL));
    OK(carom_lab_get(lab, NULL, y, NULL, NULL));
    for (size_t i = 0; i < 100; i++) {
        after += y[i] / 100;
    }
    assert_true(after < before - 2);

    /* Set: the clock restarts, and invalid values change nothing. */
    state s;
    memset(&s, 0, sizeof s);
    OK(carom_lab_get(lab, s.x, s.y, s.vx, s.vy));
    const uint64_t digest = carom_lab_digest(lab);
    s.vx[0] = 3;
    s.vy[0] = NAN;
    assert_int_equal(carom_lab_set(lab, s.x, s.y, s.vx, s.vy), CAROM_ERROR_VALUE);
    assert_true(carom_lab_digest(lab) == digest);
    s.vy[0] = 0;
    OK(carom_lab_set(lab, s.x, s.y, s.vx, s.vy));
    carom_lab_info info;
    OK(carom_lab_describe(lab, &info));
    assert_true(info.time == 0 && info.events == 0);
    carom_lab_destroy(lab);
}

/* ---- errors ---- */

static void refused(const carom_lab_desc *desc, carom_status status, const char *text)
{
    carom_lab *lab;
    carom_problem problem;
    assert_int_equal(carom_lab_create(desc, &lab, &problem), status);
    assert_null(lab);
    assert_non_null(strstr(problem.text, text));
}

TEST(test_refused)
{
    mixture m;
    describe_mixture(&m, 0.5);
    m.radii[7] = 0;
    refused(&m.desc, CAROM_ERROR_VALUE, "radius 7: 0 is not");
    m.radii[7] = 1;
    m.masses[3] = -1;
    refused(&m.desc, CAROM_ERROR_VALUE, "mass 3: -1 is not");
    m.masses[3] = 1;
    m.desc.start = CAROM_LAB_LATTICE;
    refused(&m.desc, CAROM_ERROR_ARGUMENT, "a lattice is for equal disks");
    m.desc.start = CAROM_LAB_GROWN;
    m.desc.packing = 0.905;
    m.desc.growth = 1;
    refused(&m.desc, CAROM_ERROR_VALUE, "do not reach packing 0.905");
    m.desc.packing = 0.5;
    m.desc.bodies = 2;
    m.desc.aspect = 1;
    refused(&m.desc, CAROM_ERROR_VALUE, "do not reach packing 0.5");

    /* Of worlds: one, and of a scene. */
    carom_worlds_desc of = carom_worlds_desc_default(carom_game_find("fall"));
    carom_worlds *worlds;
    carom_lab *lab;
    OK(carom_worlds_create(&of, &worlds));
    assert_int_equal(carom_lab_of_worlds(worlds, 1, &lab), CAROM_ERROR_ARGUMENT);
    carom_worlds_destroy(worlds);

    OWNED(carom_gas) *gas = make_gas(CAROM_GAS_PERIODIC, CAROM_F64, CAROM_ISA_DEFAULT);
    OK(carom_lab_of_gas(gas, &lab));
    carom_lab_watcher w = {.interval = 0};
    unsigned number;
    assert_int_equal(carom_lab_watch(lab, &w, &number), CAROM_ERROR_VALUE);
    w.interval = INFINITY;
    for (int k = 0; k < CAROM_LAB_WATCHERS; k++) {
        OK(carom_lab_watch(lab, &w, &number));
    }
    assert_int_equal(carom_lab_watch(lab, &w, &number), CAROM_ERROR_SIZE);
    assert_int_equal(carom_lab_run(lab, -1, NULL, NULL), CAROM_ERROR_ARGUMENT);
    carom_lab_destroy(lab);
}

/* ---- looking ---- */

/* How many different fills the circles of a picture have; *blue: those with more blue than red. */
static size_t fills_of(const char *svg, size_t *blue)
{
    *blue = 0;
    char seen_fills[64][8];
    size_t count = 0;
    for (const char *at = svg; (at = strstr(at, "<circle")) != NULL; at++) {
        const char *fill = strstr(at, "fill=\"#");
        size_t k = 0;
        assert_non_null(fill);
        while (k < count && memcmp(seen_fills[k], fill + 7, 6) != 0) {
            k++;
        }
        const unsigned long rgb = strtoul(fill + 7, NULL, 16);
        *blue += (rgb & 255) > rgb >> 16;
        if (k == count && count < 64) {
            memcpy(seen_fills[count++], fill + 7, 6);
        }
    }
    return count;
}

/* A lattice has one colour, a fluid many; pixels and text have the given size. */
TEST(test_pictures)
{
    carom_lab_desc desc = carom_lab_desc_default();
    carom_picture_desc picture = carom_picture_desc_default();
    desc.bodies = 480; /* 20 x 24: nearly regular triangles */
    desc.packing = 0.7;
    carom_lab *lab = make_lab(&desc);
    uint32_t width, height;
    size_t blue;
    char *svg;
    OK(carom_lab_picture_size(lab, &picture, &width, &height));
    assert_true(width == 640 && height == 640 + 28);
    OK(carom_lab_picture_svg(lab, &picture, &svg));
    assert_int_equal(fills_of(svg, &blue), 1);
    assert_int_equal(blue, 0);
    assert_non_null(strstr(svg, "480 disks, time 0, |psi6| of all 0.997"));
    carom_text_free(svg);

    OK(carom_lab_run(lab, 100, NULL, NULL));
    OK(carom_lab_picture_svg(lab, &picture, &svg));
    assert_true(fills_of(svg, &blue) > 40 && blue > 20);
    carom_text_free(svg);
    FREED uint8_t *rgb = malloc((size_t)3 * width * height + 1);
    rgb[(size_t)3 * width * height] = 77;
    OK(carom_lab_picture_pixels(lab, &picture, rgb));
    assert_int_equal(rgb[(size_t)3 * width * height], 77);
    picture.width = 641;
    assert_int_equal(carom_lab_picture_svg(lab, &picture, &svg), CAROM_ERROR_VALUE);
    assert_null(svg);
    carom_lab_destroy(lab);
}

/* The snapshot of a laboratory is a scene with its disks, which moves as it does for some collisions. */
TEST(test_a_scene_of_a_laboratory)
{
    for (int k = 0; k < 2; k++) {
        mixture m;
        describe_mixture(&m, 0.5);
        carom_lab_desc gas = carom_lab_desc_default();
        gas.bodies = BODIES;
        gas.restitution = m.desc.restitution = 0.9;
        carom_lab *lab = make_lab(k == 0 ? &m.desc : &gas), *other;
        carom_scene *scene;
        carom_worlds *worlds;
        carom_problem problem;
        OK(carom_lab_run(lab, 2, NULL, NULL));
        OK(carom_lab_scene(lab, 0.125, &scene, &problem));
        carom_worlds_desc of = carom_worlds_desc_default(carom_scene_game(scene));
        OK(carom_worlds_create(&of, &worlds));
        OK(carom_lab_of_worlds(worlds, 0.125, &other));

        carom_lab_info a, b;
        OK(carom_lab_describe(lab, &a));
        OK(carom_lab_describe(other, &b));
        assert_true(a.width == b.width && a.height == b.height && a.periodic_y == b.periodic_y);
        assert_memory_equal(a.radii, b.radii, sizeof(double[BODIES]));
        assert_memory_equal(a.masses, b.masses, sizeof(double[BODIES]));

        state p, q;
        OK(carom_lab_run(lab, 0.5, NULL, NULL));
        OK(carom_lab_run(other, 0.5, NULL, NULL));
        read_state(lab, &p);
        read_state(other, &q);
        for (size_t i = 0; i < BODIES; i++) {
            assert_true(fabs(p.vx[i] - q.vx[i]) < 1e-6 && fabs(p.vy[i] - q.vy[i]) < 1e-6);
        }
        assert_int_equal(carom_lab_scene(other, 0.125, &scene, &problem), CAROM_ERROR_ARGUMENT);
        assert_null(scene);
        carom_lab_destroy(other);
        carom_scene *made = (carom_scene *)(uintptr_t)of.game;
        carom_worlds_destroy(worlds);
        carom_scene_destroy(made);
        carom_lab_destroy(lab);
    }
}
