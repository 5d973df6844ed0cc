/* SPDX-License-Identifier: MIT
 * Worlds that differ. Each world of a batch plays, to the bit, as the only world of a scene that is described with that
 * world's numbers: random scenes of which a random part differs, in both engines, on every instruction set. More than
 * 800 lines: all tests compare a world with the same world alone, or set parameters that may differ.
 *
 * In the environment: CAROM_TEST_SEED=N plays scene N alone; CAROM_TEST_SHORT makes them fewer, CAROM_TEST_LONG plays
 * 4,096 worlds of each of some scenes.
 */
#include "scene_batch.h"
#include "scene_samples.h"

#include "tests/random.h"

#include <float.h>
#include <inttypes.h>

#define TICKS 3
#define EVENTS 96 /* recorded of a world's tick */
#define ALL_BITS (2 * CAROM_VARIES_THERE - 1)

/* ---- scenes that differ ---- */

/* A spread within which a share stays one. */
static double share_spread(double middle)
{
    return 0.9 * (middle < 0.5 ? middle : 1 - middle);
}

/* Gives what `bits` names spreads, and lets the rest of it be set. */
static void let_vary(scene_sample *s, uint32_t bits)
{
    carom_scene_desc *d = &s->desc;
    bool slow = false;
    for (uint32_t i = 0; i < d->body_count; i++) {
        slow = slow || s->bodies[i].slow;
    }
    d->varies = slow ? bits & ~(uint32_t)(CAROM_VARIES_AX | CAROM_VARIES_AY) : bits;

    for (uint32_t i = 0; i < d->body_count; i++) {
        carom_scene_body *b = &s->bodies[i];
        const bool fixed = isinf(b->mass);
        const double push = !fixed && !slow ? 0.5 * s->scale : 0;
        b->radius_spread = (bits & CAROM_VARIES_RADIUS) != 0 ? 0.4 * b->radius : 0;
        b->mass_spread = (bits & CAROM_VARIES_MASS) != 0 && !fixed ? 0.6 * b->mass : 0;
        b->restitution_spread = (bits & CAROM_VARIES_RESTITUTION) != 0 ? share_spread(b->restitution) : 0;
        b->damping_spread = (bits & CAROM_VARIES_DAMPING) != 0 ? share_spread(b->damping) : 0;
        b->ax_spread = (bits & CAROM_VARIES_AX) != 0 ? push : 0;
        b->ay_spread = (bits & CAROM_VARIES_AY) != 0 ? push : 0;
    }
    for (uint32_t k = 0; k < d->wall_count && (bits & CAROM_VARIES_WALLS) != 0; k++) {
        carom_scene_wall *w = &s->walls[k];
        w->ax_spread = w->ay_spread = w->bx_spread = w->by_spread = 0.7 * s->scale;
    }
    for (uint32_t k = 0; k < d->polygon_count && (bits & CAROM_VARIES_CORNERS) != 0; k++) {
        s->polygons[k].x_spread = s->polygons[k].y_spread = 0.2 * s->scale;
    }
    d->dt = s->dt;
    d->dt_spread = (bits & CAROM_VARIES_DT) != 0 ? 0.5 * s->dt : 0;
    d->reward.kind = CAROM_MEASURE_ENERGY;
}

/* ---- one world as its own scene ---- */

/* A field of reals as doubles; false: no such field, worlds share the description. */
static bool get_reals(const carom_worlds *worlds, const char *name, size_t world, double *to)
{
    size_t index;
    carom_field field;
    if (carom_worlds_find_field(worlds, name, &index) != CAROM_OK) {
        return false;
    }
    must(carom_worlds_field(worlds, index, &field), name);
    FREED float *narrow = calloc(field.count, sizeof *narrow);
    get_field(worlds, name, world, 1, field.bytes == sizeof(double) ? (void *)to : narrow);
    for (size_t k = 0; k < field.count && field.bytes == sizeof(float); k++) {
        to[k] = (double)narrow[k];
    }
    return true;
}

/* A scene of one world, without anything that differs. */
typedef struct alone {
    scene_sample sample;
    uint32_t wall[SAMPLE_WALLS], polygon[SAMPLE_POLYGONS]; /* which of the batch's they are */
} alone;

static void take_bodies(alone *a, const carom_worlds *worlds, size_t world)
{
    scene_sample *s = &a->sample;
    double number[SAMPLE_BODIES];
    for (uint32_t i = 0; i < s->desc.body_count; i++) {
        carom_scene_body *b = &s->bodies[i];
        b->radius_spread = b->mass_spread = b->restitution_spread = b->damping_spread = 0;
        b->ax_spread = b->ay_spread = b->action_scale_spread = 0;
    }
#define TAKE(member)                                                                                                   \
    for (uint32_t i = 0; i < s->desc.body_count && get_reals(worlds, #member, world, number); i++) {                   \
        s->bodies[i].member = number[i];                                                                               \
    }
    TAKE(radius)
    TAKE(mass)
    TAKE(restitution)
    TAKE(damping)
    TAKE(ax)
    TAKE(ay)
    TAKE(action_scale)
#undef TAKE
}

/* Missing walls and polygons are left out, so the others get new numbers. */
static void take_stills(alone *a, const carom_worlds *worlds, size_t world)
{
    scene_sample *s = &a->sample;
    carom_scene_desc *d = &s->desc;
    double end[4][SAMPLE_WALLS], x[SAMPLE_POLYGONS * SAMPLE_CORNERS], y[SAMPLE_POLYGONS * SAMPLE_CORNERS];
    int8_t wall_there[SAMPLE_WALLS], polygon_there[SAMPLE_POLYGONS];
    memset(wall_there, 1, sizeof wall_there);
    memset(polygon_there, 1, sizeof polygon_there);
    if ((d->varies & CAROM_VARIES_THERE) != 0 && d->wall_count > 0) {
        get_field(worlds, "wall_there", world, 1, wall_there);
    }
    if ((d->varies & CAROM_VARIES_THERE) != 0 && d->polygon_count > 0) {
        get_field(worlds, "polygon_there", world, 1, polygon_there);
    }

    static const char *const names[] = {"wall_ax", "wall_ay", "wall_bx", "wall_by"};
    bool own = true;
    for (int k = 0; k < 4; k++) {
        own = get_reals(worlds, names[k], world, end[k]);
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < d->wall_count; k++) {
        carom_scene_wall w = s->walls[k];
        w.ax_spread = w.ay_spread = w.bx_spread = w.by_spread = 0;
        if (own) {
            w.ax = end[0][k], w.ay = end[1][k], w.bx = end[2][k], w.by = end[3][k];
        }
        a->wall[count] = k;
        s->walls[count] = w;
        count += wall_there[k] != 0;
    }
    d->wall_count = count;

    own = get_reals(worlds, "corner_x", world, x) && get_reals(worlds, "corner_y", world, y);
    uint32_t first = 0;
    count = 0;
    for (uint32_t k = 0; k < d->polygon_count; k++) {
        carom_scene_polygon p = s->polygons[k];
        p.x_spread = p.y_spread = 0;
        memmove(s->corner_x[count], s->corner_x[k], sizeof s->corner_x[k]);
        memmove(s->corner_y[count], s->corner_y[k], sizeof s->corner_y[k]);
        if (own) {
            memcpy(s->corner_x[count], x + first, p.corners * sizeof *x);
            memcpy(s->corner_y[count], y + first, p.corners * sizeof *y);
        }
        p.x = s->corner_x[count], p.y = s->corner_y[count];
        first += p.corners;
        a->polygon[count] = k;
        s->polygons[count] = p;
        count += polygon_there[k] != 0;
    }
    d->polygon_count = count;
}

static void take_world(alone *a, const scene_sample *of, const carom_worlds *worlds, size_t world)
{
    a->sample = *of;
    carom_scene_desc *d = &a->sample.desc;
    d->bodies = a->sample.bodies, d->walls = a->sample.walls, d->polygons = a->sample.polygons;
    d->arcs = a->sample.arcs;
    take_bodies(a, worlds, world);
    take_stills(a, worlds, world);
    (void)get_reals(worlds, "dt", world, &d->dt);
    d->dt_spread = 0;
    d->varies = 0;
}

/* ---- playing ---- */

/* The results of a world's ticks. */
typedef struct outcome {
    scene_state after[TICKS];
    carom_event events[TICKS][EVENTS];
    uint32_t counts[TICKS];
    float rewards[TICKS];
    uint8_t ends[TICKS];
    int8_t fault;
} outcome;

static void end_outcome(outcome *o)
{
    for (int t = 0; t < TICKS; t++) {
        end_scene_state(&o->after[t]);
    }
}

static void play_all(carom_worlds *worlds, uint32_t bodies, outcome *of)
{
    const size_t count = carom_worlds_count(worlds);
    FREED carom_event *events = calloc(count * EVENTS, sizeof *events);
    FREED uint32_t *counts = calloc(count, sizeof *counts);
    FREED float *rewards = calloc(count, sizeof *rewards);
    FREED uint8_t *ends = calloc(count, sizeof *ends);
    for (int t = 0; t < TICKS; t++) {
        PLAY(worlds, .events = events, .event_capacity = EVENTS, .event_counts = counts, .rewards = rewards,
             .ends = ends);
        for (size_t w = 0; w < count; w++) {
            outcome *o = &of[w];
            o->after[t] = scene_state_new(bodies);
            scene_get(worlds, w, &o->after[t]);
            memcpy(o->events[t], events + w * EVENTS, sizeof o->events[t]);
            o->counts[t] = counts[w], o->rewards[t] = rewards[w], o->ends[t] = ends[w];
            get_field(worlds, "fault", w, 1, &o->fault);
        }
    }
}

static bool same_event(const alone *a, const carom_event *got, const carom_event *want)
{
    const uint32_t second = want->kind == CAROM_IMPACT_WALL      ? a->wall[want->second]
                            : want->kind == CAROM_IMPACT_POLYGON ? a->polygon[want->second]
                                                                 : want->second;
    return got->left == want->left && got->first == want->first && got->second == second && got->part == want->part &&
           got->kind == want->kind && got->x == want->x && got->y == want->y && got->nx == want->nx &&
           got->ny == want->ny && got->impulse == want->impulse;
}

static bool same_outcome(const alone *a, const outcome *got, const outcome *want, const char *where)
{
    for (int t = 0; t < TICKS; t++) {
        const uint32_t n = want->after[t].n;
        for (uint32_t k = 0; k < 4 * n; k++) {
            if (memcmp(&got->after[t].number[k], &want->after[t].number[k], sizeof(double)) != 0) {
                print_error("%s, tick %d: %s of body %u is %.17g, alone %.17g\n", where, t, scene_numbers[k / n], k % n,
                            got->after[t].number[k], want->after[t].number[k]);
                return false;
            }
        }
        bool same = got->counts[t] == want->counts[t] && got->ends[t] == want->ends[t] &&
                    memcmp(&got->rewards[t], &want->rewards[t], sizeof(float)) == 0;
        for (uint32_t e = 0; e < want->counts[t] && e < EVENTS && same; e++) {
            same = same_event(a, &got->events[t][e], &want->events[t][e]);
        }
        if (!same) {
            print_error("%s, tick %d: %u events, reward %.9g, alone %u, %.9g\n", where, t, got->counts[t],
                        (double)got->rewards[t], want->counts[t], (double)want->rewards[t]);
            return false;
        }
    }
    return got->fault == want->fault;
}

static struct {
    uint64_t worlds, impacts, stills, arcs, lacking;
} seen;

/* Plays a world alone; false if it came out otherwise. */
static bool check_world(const scene_sample *sample, const carom_worlds *started, size_t world, carom_isa isa,
                        const outcome *got, const char *where)
{
    FREED alone *a = calloc(1, sizeof *a);
    FREED outcome *want = calloc(1, sizeof *want);
    const carom_precision precision = carom_worlds_describe(started).precision;
    take_world(a, sample, started, world);
    seen.lacking +=
        a->sample.desc.wall_count + a->sample.desc.polygon_count < sample->desc.wall_count + sample->desc.polygon_count;

    carom_scene *scene = make_scene(&a->sample.desc);
    carom_worlds *worlds = scene_worlds(scene, 1, precision, isa, 1);
    OWNED(scene_state) start = scene_state_new(sample->desc.body_count);
    scene_get(started, world, &start);
    scene_put(worlds, 0, &start);
    play_all(worlds, sample->desc.body_count, want);

    const bool same = same_outcome(a, got, want, where);
    for (int t = 0; t < TICKS; t++) {
        seen.impacts += want->counts[t];
        for (uint32_t e = 0; e < want->counts[t] && e < EVENTS; e++) {
            seen.stills += want->events[t][e].kind >= CAROM_IMPACT_WALL;
            seen.arcs += want->events[t][e].kind == CAROM_IMPACT_ARC;
        }
    }
    seen.worlds++;
    end_outcome(want);
    carom_worlds_destroy(worlds);
    carom_scene_destroy(scene);
    return same;
}

/* Leaves out some walls and polygons, but no sensors: a scene without one has other records (scenes/record.h). */
static void leave_out(carom_worlds *worlds, const carom_scene_desc *d, uint64_t *rng)
{
    for (size_t w = 0; w < carom_worlds_count(worlds) && (d->varies & CAROM_VARIES_THERE) != 0; w++) {
        int8_t wall[SAMPLE_WALLS], polygon[SAMPLE_POLYGONS];
        for (uint32_t k = 0; k < d->wall_count; k++) {
            wall[k] = d->walls[k].sensor || !rng_one_in(rng, 3);
        }
        for (uint32_t k = 0; k < d->polygon_count; k++) {
            polygon[k] = d->polygons[k].sensor || !rng_one_in(rng, 3);
        }
        if (d->wall_count > 0) {
            set_field(worlds, "wall_there", w, 1, wall);
        }
        if (d->polygon_count > 0) {
            set_field(worlds, "polygon_there", w, 1, polygon);
        }
    }
}

/* Adds to a field of reals. */
static void add(carom_worlds *worlds, const char *name, size_t world, double by)
{
    size_t index;
    carom_field field;
    must(carom_worlds_find_field(worlds, name, &index), name);
    must(carom_worlds_field(worlds, index, &field), name);
    FREED double *numbers = calloc(field.count, sizeof *numbers);
    (void)get_reals(worlds, name, world, numbers);
    for (size_t k = 0; k < field.count; k++) {
        numbers[k] += by;
    }
    scene_put_field(worlds, name, world, (uint32_t)field.count, numbers);
}

/* Moves every second world, with all that is in it. */
static void move_away(carom_worlds *worlds, double by)
{
    static const char *const x[] = {"x", "wall_ax", "wall_bx", "corner_x"};
    static const char *const y[] = {"y", "wall_ay", "wall_by", "corner_y"};
    for (size_t w = 0; w < carom_worlds_count(worlds); w += 2) {
        for (size_t k = 0; k < sizeof x / sizeof x[0]; k++) {
            add(worlds, x[k], w, by);
            add(worlds, y[k], w, -by);
        }
    }
}

/* away: how far every second world is moved, see move_away(). */
static bool play_varied(const scene_sample *sample, uint64_t seed, carom_precision precision, carom_isa isa,
                        size_t count, size_t checked, double away)
{
    carom_scene *scene = make_scene(&sample->desc);
    carom_worlds *worlds = scene_worlds(scene, count, precision, isa, 1);
    carom_worlds *started = scene_worlds(scene, count, precision, isa, 1);
    carom_worlds *at_once = scene_worlds(scene, count, precision, isa, 1);
    uint64_t rng = seed + 99;
    leave_out(worlds, &sample->desc, &rng);
    if (away != 0) {
        move_away(worlds, away);
    }
    OK(carom_worlds_copy(started, NULL, worlds, NULL, count));
    OK(carom_worlds_copy(at_once, NULL, worlds, NULL, count));

    outcome *got = calloc(count, sizeof *got);
    play_all(worlds, sample->desc.body_count, got);
    PLAY(at_once, .ticks = TICKS);
    bool same = digest_of(at_once) == digest_of(worlds);
    if (!same) {
        print_error("seed %" PRIu64 ", varies %#x: one call is not a call for each tick\n", seed, sample->desc.varies);
    }
    for (size_t w = 0; w < count && same; w += count / checked) {
        char where[160];
        snprintf(where, sizeof where, "seed %" PRIu64 " f%d, %s engine, %s, varies %#x, world %zu", seed,
                 (int)precision, carom_scene_engine(scene) == CAROM_ENGINE_WIDE ? "wide" : "deep", carom_isa_name(isa),
                 sample->desc.varies, w);
        same = check_world(sample, started, w, isa, &got[w], where);
    }
    for (size_t w = 0; w < count; w++) {
        end_outcome(&got[w]);
    }
    free(got);
    carom_worlds_destroy(worlds);
    carom_worlds_destroy(started);
    carom_worlds_destroy(at_once);
    carom_scene_destroy(scene);
    return same;
}

static bool play_seed(uint64_t seed, size_t count, size_t checked)
{
    FREED scene_sample *sample = calloc(1, sizeof *sample);
    uint64_t rng = 77 * seed;
    bool same = true;
    scene_sample_make(sample, seed, seed % 11 == 0);
    if (seed % 2 == 0 && seed % 11 != 0) { /* arcs, which never differ, with walls that may; slow with a crowd */
        scene_sample_add_arcs(sample, seed);
    }
    if (seed % 4 == 0) {
        scene_sample_let_pass(sample, seed);
    }
    sample->desc.max_events = sample->desc.max_events == 0 ? 2000 : sample->desc.max_events;
    const uint32_t some = (uint32_t)rng_below(&rng, ALL_BITS + 1);
    let_vary(sample, seed % 3 == 0 ? ALL_BITS : some);

    for (int engine = 0; engine < 2 && same; engine++) {
        sample->desc.engine = engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        for (size_t i = 0; i < isa_count && same; i++) {
            const carom_precision precision = (seed + i) % 2 == 0 ? CAROM_F32 : CAROM_F64;
            same = play_varied(sample, seed, precision, isas[i], count, checked, 0);
        }
    }
    return same;
}

TEST(test_random_scenes)
{
    const char *one = getenv("CAROM_TEST_SEED");
    const uint64_t first = one != NULL ? strtoull(one, NULL, 0) : 1;
    const uint64_t scenes = one != NULL ? 1 : (uint64_t)at_length(24, 300, 60);
    const size_t most = (size_t)at_length(4096, 37, 37);
    for (uint64_t seed = first; seed < first + scenes; seed++) {
        const size_t count = seed % 5 == 0 && most < 4096 ? 1 : most;
        assert_true(play_seed(seed, count, most == 4096 || count == 1 ? count : 12));
    }
    if (one == NULL) { /* otherwise a test that compares nothing would pass */
        assert_true(seen.worlds > 1000 && seen.impacts > 10 * seen.worlds && seen.stills > 1000 && seen.arcs > 200 &&
                    seen.lacking > 100);
    }
}

/* ---- the deep engine: what lives on from tick to tick ---- */

#define CROWD 400

/* A crowd in a box, in which walls, radii, masses and ticks differ. Nothing but the engine looks at it during a call,
 * so a world's records, predictions and cells live on from tick to tick. The result is that of a call for each tick. */
TEST(test_one_call)
{
    static carom_scene_body bodies[CROWD];
    carom_scene_wall walls[3] = {{.ax = 12, .ay = 5, .bx = 12, .by = 30, .restitution = 0.75},
                                 {.ax = 28, .ay = 35, .bx = 28, .by = 8, .restitution = 1},
                                 {.ax = 5, .ay = 20, .bx = 35, .by = 20.5, .restitution = 0.5}};
    uint64_t rng = 4;
    for (uint32_t i = 0; i < CROWD; i++) {
        const double x = 1 + 2 * (double)(i % 20), y = 1 + 2 * (double)(i / 20);
        bodies[i] = body_at(x, y, rng_in(&rng, -0.5, 0.5), rng_in(&rng, -0.5, 0.5), 0.4, 1);
        bodies[i].radius_spread = 0.3, bodies[i].mass_spread = 0.5;
    }
    for (int k = 0; k < 3; k++) {
        walls[k].ax_spread = walls[k].by_spread = 3;
    }
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = bodies, desc.body_count = CROWD;
    desc.walls = walls, desc.wall_count = 3;
    desc.box.x1 = desc.box.y1 = 40;
    desc.box.horizontal = desc.box.vertical = CAROM_SIDES_SOLID;
    desc.dt = 0.25, desc.dt_spread = 0.125, desc.varies = CAROM_VARIES_THERE;
    desc.engine = CAROM_ENGINE_DEEP;

    for (int moves = 0; moves < 2; moves++) {
        OWNED(carom_scene) *scene = make_scene(&desc);
        for (size_t i = 0; i < isa_count; i++) {
            for (int bits = 32; bits <= 64; bits += 32) {
                OWNED(carom_worlds) *once = scene_worlds(scene, 4, (carom_precision)bits, isas[i], 1);
                OWNED(carom_worlds) *ticks = scene_worlds(scene, 4, (carom_precision)bits, isas[i], 1);
                set_field(once, "wall_there", 2, 1, (const int8_t[]){1, 0, 1});
                set_field(ticks, "wall_there", 2, 1, (const int8_t[]){1, 0, 1});
                PLAY(once, .ticks = 30);
                for (int t = 0; t < 30; t++) {
                    PLAY(ticks, .ticks = 1);
                }
                assert_true(digest_of(once) == digest_of(ticks));
            }
        }
        for (uint32_t i = 0; i < CROWD; i++) { /* the second time accelerations differ, too */
            bodies[i].ax_spread = bodies[i].ay_spread = 0.25;
        }
    }
}

/* ---- far from the origin ---- */

/* Rooms of some worlds are far from the described position, so that the margins of walls and polygons must cover the
 * spacing of coordinates there. */
TEST(test_far_walls)
{
    static const double ends[4][4] = {{0, 0, 12, 0}, {12, 0, 12, 8}, {12, 8, 0, 8}, {0, 8, 0, 0}};
    static const double corner_x[3] = {3, 9, 6}, corner_y[3] = {8.5, 9, 12};
    FREED scene_sample *sample = calloc(1, sizeof *sample);
    carom_scene_desc *d = &sample->desc;
    *d = carom_scene_desc_default();
    d->bodies = sample->bodies, d->body_count = 24;
    d->walls = sample->walls, d->wall_count = 4;
    d->polygons = sample->polygons, d->polygon_count = 1;
    d->varies = CAROM_VARIES_WALLS | CAROM_VARIES_CORNERS;
    d->max_events = 2000;
    for (int k = 0; k < 4; k++) {
        sample->walls[k] = (carom_scene_wall){
            .ax = ends[k][0], .ay = ends[k][1], .bx = ends[k][2], .by = ends[k][3], .restitution = 1};
    }
    memcpy(sample->corner_x[0], corner_x, sizeof corner_x);
    memcpy(sample->corner_y[0], corner_y, sizeof corner_y);
    sample->polygons[0] =
        (carom_scene_polygon){.x = sample->corner_x[0], .y = sample->corner_y[0], .corners = 3, .restitution = 1};

    for (uint64_t seed = 0; seed < 12; seed++) {
        uint64_t rng = 5 * seed + 1;
        for (uint32_t i = 0; i < d->body_count; i++) {
            const double x = 1 + 2 * (double)(i % 6), y = 1 + 2 * (double)(i / 6);
            sample->bodies[i] = body_at(x, y, rng_in(&rng, -9, 9), rng_in(&rng, -9, 9), 0.5, 1);
        }
        for (int engine = 0; engine < 2; engine++) {
            d->engine = engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
            for (size_t i = 0; i < isa_count; i++) {
                assert_true(play_varied(sample, seed, CAROM_F32, isas[i], 7, 7, ldexp(1, (int)(seed % 5) + 11)));
            }
        }
    }
}

/* ---- actions ---- */

/* Mass, action_scale and dt as they act on actions; the kind of action is the desc's. */
TEST(test_actions)
{
    for (int action = CAROM_ACTION_IMPULSE; action <= CAROM_ACTION_ACCELERATION; action++) {
        for (size_t i = 0; i < isa_count; i++) {
            carom_scene_body bodies[2] = {body_at(0, 0, 0, 0, 1, 2), body_at(9, 0, 0, 0, 1, 1)};
            bodies[0].acts = true;
            bodies[0].mass_spread = 1, bodies[0].action_scale = 3, bodies[0].action_scale_spread = 2;
            carom_scene_desc desc = carom_scene_desc_default();
            desc.bodies = bodies, desc.body_count = 2;
            desc.dt = 0.5, desc.dt_spread = 0.25, desc.action_scale = 1.5, desc.action = (carom_scene_action)action;
            OWNED(carom_scene) *scene = make_scene(&desc);
            OWNED(carom_worlds) *worlds = scene_worlds(scene, 21, CAROM_F64, isas[i], 1);
            float actions[21][2];
            for (int w = 0; w < 21; w++) {
                actions[w][0] = 0.75F, actions[w][1] = -0.5F;
            }
            double dt[21], mass[21][2], scale[21][2], vx[21][2];
            get_field(worlds, "dt", 0, 21, dt);
            get_field(worlds, "mass", 0, 21, mass);
            get_field(worlds, "action_scale", 0, 21, scale);
            PLAY(worlds, .actions = actions);
            get_field(worlds, "vx", 0, 21, vx);
            for (int w = 0; w < 21; w++) {
                const double a = 0.75 * (1.5 * scale[w][0]);
                assert_true(scale[w][0] >= 1 && scale[w][0] <= 5 && scale[w][1] == 1);
                assert_true(w == 0 || (dt[w] != dt[0] && mass[w][0] != mass[0][0] && scale[w][0] != scale[0][0]));
                assert_true(vx[w][0] == (action == CAROM_ACTION_IMPULSE    ? a * (1 / mass[w][0])
                                         : action == CAROM_ACTION_VELOCITY ? a
                                                                           : a * dt[w]));
            }

            /* A tick length given by the call applies to all worlds. */
            double x[21][2], before[21][2];
            get_field(worlds, "x", 0, 21, before);
            PLAY(worlds, .dt = 0.125, .actions = actions);
            get_field(worlds, "x", 0, 21, x);
            get_field(worlds, "vx", 0, 21, vx);
            for (int w = 0; w < 21; w++) {
                assert_true(fabs(x[w][0] - before[w][0] - 0.125 * vx[w][0]) < 1e-12);
            }
        }
    }
}

/* ---- fields, draws, saves ---- */

static carom_scene_desc small_scene(carom_scene_body *bodies, carom_scene_wall *wall)
{
    bodies[0] = body_at(2, 2, 1, 0.5, 0.5, 1), bodies[1] = body_at(6, 5, -1, 0, 1, 3);
    bodies[0].x_spread = bodies[1].vy_spread = 0.5;
    *wall = (carom_scene_wall){.ax = 0, .ay = 4, .bx = 3, .by = 4, .restitution = 1};
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = bodies, desc.body_count = 2;
    desc.walls = wall, desc.wall_count = 1;
    desc.box.x1 = 8, desc.box.y1 = 8;
    desc.box.horizontal = desc.box.vertical = CAROM_SIDES_SOLID;
    return desc;
}

TEST(test_draws)
{
    carom_scene_body bodies[2];
    carom_scene_wall wall;
    carom_scene_desc desc = small_scene(bodies, &wall);
    OWNED(carom_scene) *plain = make_scene(&desc);
    bodies[0].radius_spread = 0.25, wall.bx_spread = 1, desc.varies = CAROM_VARIES_THERE;
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *a = scene_worlds(plain, 33, CAROM_F64, isas[0], 1);
    OWNED(carom_worlds) *b = scene_worlds(scene, 33, CAROM_F64, isas[0], 2);

    /* Additional draws do not change the starts; only parameters that differ are fields. */
    double x[2][33][2], radius[3][33][2], end[33];
    int8_t there[33];
    size_t index;
    get_field(a, "x", 0, 33, x[0]), get_field(b, "x", 0, 33, x[1]);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_int_equal(carom_worlds_field_count(b), carom_worlds_field_count(a) + 1 + 4 + 1 + 1); /* record_numbers */
    assert_int_equal(carom_worlds_find_field(b, "mass", &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_find_field(a, "radius", &index), CAROM_ERROR_ARGUMENT);

    /* Uniformly from the range, again for each game, the same for the same key. */
    get_field(b, "radius", 0, 33, radius[0]), get_field(b, "wall_bx", 0, 33, end),
        get_field(b, "wall_there", 0, 33, there);
    double least = 1, most = 0, sum = 0;
    for (int w = 0; w < 33; w++) {
        assert_true(radius[0][w][1] == 1 && there[w] == 1 && end[w] >= 2 && end[w] < 4);
        assert_true(fabs((x[1][w][0] - 2) / 0.5 - (radius[0][w][0] - 0.5) / 0.25) > 1e-9); /* its own draw */
        least = fmin(least, radius[0][w][0]), most = fmax(most, radius[0][w][0]);
        sum += radius[0][w][0];
    }
    assert_true(least >= 0.25 && least < 0.3 && most < 0.75 && most > 0.7 && fabs(sum / 33 - 0.5) < 0.1);
    OK(carom_worlds_restart(b, NULL, NULL, NULL));
    get_field(b, "radius", 0, 33, radius[1]);
    OK(carom_worlds_reset(b));
    get_field(b, "radius", 0, 33, radius[2]);
    assert_memory_equal(radius[0], radius[2], sizeof radius[0]);
    for (int w = 0; w < 33; w++) {
        assert_true(radius[0][w][0] != radius[1][w][0]);
    }
}

TEST(test_kept)
{
    carom_scene_body bodies[2];
    carom_scene_wall wall;
    carom_scene_desc desc = small_scene(bodies, &wall);
    desc.varies = ALL_BITS;
    for (int engine = 0; engine < 2; engine++) {
        desc.engine = engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *a = scene_worlds(scene, 5, CAROM_F32, isas[0], 1);
        OWNED(carom_worlds) *b = scene_worlds(scene, 5, CAROM_F32, isas[0], 1);
        const float radius[2] = {0.125F, 2}, mass[2] = {7, 0.25F}, end = 1.5F;
        const uint64_t before = digest_of(a);
        set_field(a, "radius", 3, 1, radius), set_field(a, "mass", 3, 1, mass), set_field(a, "wall_bx", 2, 1, &end);
        assert_true(digest_of(a) != before);

        /* A save, and a fork, have what differs. */
        const size_t size = carom_worlds_save_size(a);
        FREED unsigned char *saved = take(size);
        OK(carom_worlds_save(a, saved, size));
        OK(carom_worlds_load(b, saved, size));
        assert_true(digest_of(a) == digest_of(b));
        PLAY(a, .ticks = 20);
        PLAY(b, .ticks = 20);
        assert_true(digest_of(a) == digest_of(b));
        float got[5][2];
        OK(carom_worlds_fork(b, 0, 5, a, 3));
        get_field(b, "mass", 0, 5, got);
        assert_true(got[0][0] == 7 && got[4][1] == 0.25F);

        /* A new game starts as described. */
        OK(carom_worlds_restart(b, NULL, NULL, NULL));
        get_field(b, "mass", 0, 5, got);
        assert_true(got[0][0] == 1 && got[4][1] == 3);
    }
}

/* ---- changes between ticks ---- */

/* Two bodies that move to a wall for some ticks. dt is short, so that records outlive ticks. */
static carom_scene_desc long_way(carom_scene_body bodies[2], carom_scene_wall *wall)
{
    carom_scene_desc desc = small_scene(bodies, wall);
    bodies[0] = body_at(1, 4, 1, 0.125, 0.25, 1);
    bodies[1] = body_at(1.5, 6, 0.75, -0.25, 0.25, 3);
    bodies[1].ay = 0.0625; /* so that the reference, too, counts the scene as accelerated */
    *wall = (carom_scene_wall){.ax = 4, .ay = 1, .bx = 4, .by = 7, .restitution = 1};
    desc.dt = 0.1;
    desc.varies = ALL_BITS;
    return desc;
}

/* The caller's changes to some worlds: the field, how many of its numbers, and their new values. */
typedef struct change {
    const char *field;
    uint32_t count;
    double to[2];
} change;

static const change changes[] = {
    {"radius", 2, {0.5, 0.25}}, {"radius", 2, {0.25, 0.375}}, {"ax", 2, {-0.5, 0.5}},       {"ay", 2, {0.25, 0}},
    {"wall_ax", 1, {2.5, 0}},   {"wall_bx", 1, {3, 0}},       {"restitution", 2, {0.5, 1}}, {"ax", 2, {0, 0.125}},
    {"wall_ay", 1, {4.125, 0}}, {"mass", 2, {7, 0.25}},       {"radius", 2, {0.75, 0.25}},  {"wall_by", 1, {4.25, 0}},
};
enum { CHANGES = sizeof changes / sizeof changes[0], CHANGED_AT = 9, LONG_TICKS = 30 };

/* The reference plays world w, which the batch has changed: from then on all records are new. */
static void check_changed(const scene_sample *sample, const carom_worlds *worlds, size_t w, scene_state *ref)
{
    alone a;
    OWNED(scene_state) got = scene_state_new(sample->desc.body_count);
    take_world(&a, sample, worlds, w);
    assert_int_equal(
        scene_reference_tick(&a.sample.desc, carom_worlds_describe(worlds).precision, sample->desc.dt, ref, NULL), 0);
    scene_get(worlds, w, &got);
    assert_memory_equal(got.number, ref->number, 9 * (size_t)got.n * sizeof *got.number);
    assert_memory_equal(got.ticks, ref->ticks, got.n * sizeof *got.ticks);
}

static void put_change(carom_worlds *worlds, const change *c, size_t w)
{
    scene_put_field(worlds, c->field, w, c->count, c->to);
}

static void play_changes(const scene_sample *sample, const carom_scene *scene, carom_precision precision, carom_isa isa)
{
    OWNED(carom_worlds) *worlds = scene_worlds(scene, 2 * CHANGES, precision, isa, 1);
    scene_state ref[2 * CHANGES];
    for (size_t w = 0; w < 2 * CHANGES; w++) {
        ref[w] = scene_state_new(sample->desc.body_count);
        scene_get(worlds, w, &ref[w]);
    }
    for (int t = 0; t < LONG_TICKS; t++) {
        for (size_t c = 0; c < CHANGES && t == CHANGED_AT; c++) { /* the other half of the worlds continues */
            put_change(worlds, &changes[c], c);
            for (uint32_t b = 0; b < ref[c].n; b++) {
                ref[c].ticks[b] = -1;
            }
        }
        OK(carom_worlds_step(worlds, sample->desc.dt, 1));
        for (size_t w = 0; w < 2 * CHANGES; w++) {
            check_changed(sample, worlds, w, &ref[w]);
        }
    }
    for (size_t w = 0; w < 2 * CHANGES; w++) {
        end_scene_state(&ref[w]);
    }
}

/* A changed number starts new records: a body does not collide, from the start of its record, with things that exist
 * only since.
 */
TEST(test_changes)
{
    FREED scene_sample *sample = calloc(1, sizeof *sample);
    sample->desc = long_way(sample->bodies, sample->walls);
    for (int engine = 0; engine < 2; engine++) {
        sample->desc.engine = engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        OWNED(carom_scene) *scene = make_scene(&sample->desc);
        for (size_t i = 0; i < isa_count; i++) {
            play_changes(sample, scene, CAROM_F32, isas[i]);
            play_changes(sample, scene, CAROM_F64, isas[i]);
        }
    }
}

/* ---- refusals ---- */

static void refuses(carom_worlds *worlds, const char *field, const void *values)
{
    carom_problem problem;
    assert_int_equal(carom_worlds_set(worlds, field_index(worlds, field), 1, 1, values), CAROM_ERROR_VALUE);
    OK(carom_worlds_problem(worlds, &problem));
    assert_non_null(strstr(problem.text, field));
}

TEST(test_values)
{
    carom_scene_body bodies[2];
    carom_scene_wall wall;
    carom_scene_desc desc = small_scene(bodies, &wall);
    const double x[3] = {9, 12, 10}, y[3] = {0, 0, 2};
    const carom_scene_polygon polygon = {.x = x, .y = y, .corners = 3, .restitution = 1};
    bodies[1].vx = bodies[1].vy_spread = 0, bodies[1].mass = INFINITY;
    desc.polygons = &polygon, desc.polygon_count = 1;
    desc.varies = ALL_BITS;
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *w = scene_worlds(scene, 3, CAROM_F64, isas[0], 1);

    refuses(w, "radius", (const double[]){-1, 1});
    refuses(w, "radius", (const double[]){NAN, 1});
    refuses(w, "radius", (const double[]){4.5, 1});
    set_field(w, "radius", 1, 1, (const double[]){4, 99}); /* a fixed one has no room to keep to */
    refuses(w, "mass", (const double[]){INFINITY, INFINITY});
    refuses(w, "mass", (const double[]){0, INFINITY});
    refuses(w, "mass", (const double[]){1, 1});
    refuses(w, "restitution", (const double[]){1.5, 1});
    refuses(w, "damping", (const double[]){0, -0.5});
    refuses(w, "ax", (const double[]){INFINITY, 0});
    refuses(w, "ay", (const double[]){0, 1});
    refuses(w, "action_scale", (const double[]){NAN, 0});
    refuses(w, "wall_bx", (const double[]){0}); /* both ends at (0, 4) */
    refuses(w, "wall_ay", (const double[]){1e12});
    refuses(w, "corner_x", (const double[]){12, 12, 10}); /* corners 0 and 1 at (12, 0) */
    refuses(w, "corner_y", (const double[]){NAN, 0, 2});
    refuses(w, "dt", (const double[]){0});
    refuses(w, "dt", (const double[]){INFINITY});
    refuses(w, "wall_there", (const int8_t[]){2});
    refuses(w, "polygon_there", (const int8_t[]){-1});
}

static void refused_for(carom_scene_desc *desc, const char *text)
{
    carom_scene *scene = NULL;
    carom_problem problem;
    assert_int_not_equal(carom_scene_create(desc, &scene, &problem), CAROM_OK);
    assert_string_equal(problem.text, text);
}

TEST(test_descriptions)
{
    carom_scene_body bodies[2];
    carom_scene_wall wall;
    carom_scene_desc desc = small_scene(bodies, &wall);
    const carom_scene_body good = bodies[0];

#define REFUSED(member, value, text)                                                                                   \
    bodies[0].member = (value);                                                                                        \
    refused_for(&desc, "body 0: " text);                                                                               \
    bodies[0] = good
    REFUSED(radius_spread, 0.75, "radius_spread 0.75 takes radius below 0");
    REFUSED(radius_spread, NAN, "radius_spread is not a number");
    REFUSED(mass_spread, 1, "mass_spread 1 takes mass below 1e-30");
    REFUSED(restitution_spread, 0.5, "restitution_spread 0.5 takes restitution above 1");
    REFUSED(damping_spread, -1, "damping_spread -1 is negative");
    REFUSED(ax_spread, INFINITY, "ax_spread is infinite");
    REFUSED(action_scale, NAN, "action_scale is not a number");
    bodies[0].radius = 3, bodies[0].radius_spread = 1.5;
    refused_for(&desc, "body 0: radius 4.5 is too large for the box, x 0 to 8");
    bodies[0] = good;
    bodies[0].slow = true, desc.varies = CAROM_VARIES_AX;
    refused_for(&desc, "body 0: it is slow, which accelerations that differ by world do not allow");
    bodies[0] = good, desc.varies = 4096;
    refused_for(&desc, "varies: 0x1000 has unknown bits");
    desc.varies = 0, desc.dt_spread = 1;
    refused_for(&desc, "dt_spread 1 takes dt below 2.22507386e-308");
    desc.dt_spread = 0, wall.ay_spread = 2e9;
    refused_for(&desc, "wall 0: ay_spread 2e+09 takes ay below -1.07374182e+09");
}

/* A wall with both ends at the same point in f32, however often they are drawn. */
TEST(test_no_wall)
{
    carom_scene_body body = body_at(0, 0, 1, 0, 1, 1);
    carom_scene_wall wall = {.ax = 1e9, .ay = 0, .bx = 1e9 + 4, .by = 0, .restitution = 1, .ax_spread = 1};
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = &body, desc.body_count = 1;
    desc.walls = &wall, desc.wall_count = 1;
    OWNED(carom_scene) *scene = make_scene(&desc);
    for (int bits = 32; bits <= 64; bits += 32) {
        OWNED(carom_worlds) *worlds = scene_worlds(scene, 3, (carom_precision)bits, isas[0], 1);
        int8_t fault[3], frozen[3];
        get_field(worlds, "fault", 0, 3, fault), get_field(worlds, "frozen", 0, 3, frozen);
        for (int w = 0; w < 3; w++) {
            assert_int_equal(fault[w], bits == 32 ? CAROM_FAULT_RANGE : 0);
            assert_int_equal(frozen[w], bits == 32);
        }
        PLAY(worlds, .ticks = 2);
    }
}
