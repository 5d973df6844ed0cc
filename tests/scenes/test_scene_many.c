/* SPDX-License-Identifier: MIT
 * Many worlds of many bodies, among walls and polygons, in both engines: every state equals that of the plain
 * reference, to the bit. Of each kind (sides solid, periodic, or one pair of each; f32 and f64) 1,024 worlds of 64 and
 * of 256 bodies, 16 of 1,024; all of them against the reference in the long form (CAROM_TEST_LONG), otherwise some of
 * each kind.
 *
 * The environment variable CAROM_TEST_SEED gives the seed; it is printed.
 */
#include "scene_batch.h"

#define MOST_BODIES 1024
#define CELL 2.1 /* of the lattice on which bodies start */
#define EVERY 8  /* one of its cells is for a wall or a polygon */
#define MOST_OBSTACLES (MOST_BODIES / (EVERY - 1) + 64)

static uint64_t seed = 1;

typedef struct crowd {
    uint32_t bodies;
    size_t worlds, compared; /* compared: with the reference */
    double dt;
    carom_scene_sides horizontal, vertical;
    carom_precision precision;
} crowd;

/* The description and its arrays. */
static carom_scene_desc desc;
static carom_scene_body bodies[MOST_BODIES];
static carom_scene_wall walls[MOST_OBSTACLES];
static carom_scene_polygon polygons[MOST_OBSTACLES];
static double corner_x[MOST_OBSTACLES][4], corner_y[MOST_OBSTACLES][4];
static double place[MOST_BODIES][2]; /* the middle of a body's cell */

/* In the cell around (x, y): a wall across it, or a diamond. */
static void add_obstacle(uint64_t *random, double x, double y)
{
    if (rng_one_in(random, 2)) {
        const double dx = rng_in(random, -1, 1), dy = rng_in(random, -1, 1);
        carom_scene_wall *w = &walls[desc.wall_count++];
        *w = (carom_scene_wall){.ax = x - dx, .ay = y - dy, .bx = x + dx, .by = y + dy, .restitution = 1};
        return;
    }
    const uint32_t k = desc.polygon_count++;
    const double wide = rng_in(random, 0.2, 1), high = rng_in(random, 0.2, 1);
    for (int c = 0; c < 4; c++) {
        corner_x[k][c] = x + (c == 0 ? wide : c == 2 ? -wide : 0);
        corner_y[k][c] = y + (c == 1 ? high : c == 3 ? -high : 0);
    }
    polygons[k] = (carom_scene_polygon){.x = corner_x[k], .y = corner_y[k], .corners = 4, .restitution = 1};
}

static void describe(const crowd *c, uint64_t *random)
{
    const uint32_t cells = c->bodies + c->bodies / (EVERY - 1) + 1, side = (uint32_t)ceil(sqrt(cells));
    uint32_t body = 0;
    desc = carom_scene_desc_default();
    desc.bodies = bodies;
    desc.walls = walls;
    desc.polygons = polygons;
    for (uint32_t k = 0; k < side * side; k++) {
        const double x = (k % side + 0.5) * CELL, y = (k / side + 0.5) * CELL;
        if (k % EVERY == EVERY - 1) {
            add_obstacle(random, x, y);
        } else if (body < c->bodies) {
            bodies[body] = carom_scene_body_default();
            bodies[body].x = place[body][0] = x;
            bodies[body].y = place[body][1] = y;
            bodies[body].radius = rng_in(random, 0.5, 1);
            bodies[body].mass = rng_in(random, 0.5, 2);
            bodies[body].restitution = rng_one_in(random, 4) ? 0.5 : 1;
            body++;
        }
    }
    assert_int_equal(body, c->bodies);
    desc.body_count = body;
    desc.box.x1 = desc.box.y1 = side * CELL;
    desc.box.horizontal = c->horizontal;
    desc.box.vertical = c->vertical;
}

static void start(uint64_t world, scene_state *s)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + world;
    const uint32_t n = s->n;
    for (uint32_t k = 0; k < n; k++) {
        s->number[k] = (double)(float)(place[k][0] + rng_in(&random, -0.04, 0.04));
        s->number[n + k] = (double)(float)(place[k][1] + rng_in(&random, -0.04, 0.04));
        s->number[2 * n + k] = (double)(float)rng_in(&random, -3, 3);
        s->number[3 * n + k] = (double)(float)rng_in(&random, -3, 3);
        s->active[k] = 1;
    }
}

static void play(const crowd *c)
{
    enum { TICKS = 2 };
    uint64_t random = seed + c->bodies + 10000 * (uint64_t)(c->horizontal + 3 * c->vertical), impacts = 0;
    describe(c, &random);
    carom_worlds *worlds[2];
    carom_scene *scenes[2];
    OWNED(scene_state) want = scene_state_new(c->bodies), got = scene_state_new(c->bodies);
    OWNED(scene_state) other = scene_state_new(c->bodies);
    for (int engine = 0; engine < 2; engine++) {
        desc.engine = engine == 0 ? CAROM_ENGINE_WIDE : CAROM_ENGINE_DEEP;
        scenes[engine] = make_scene(&desc);
        worlds[engine] = scene_worlds(scenes[engine], c->worlds, c->precision, CAROM_ISA_DEFAULT, 2);
        for (size_t w = 0; w < c->worlds; w++) {
            start(w, &want);
            scene_put(worlds[engine], w, &want);
        }
        must(carom_worlds_step(worlds[engine], c->dt, TICKS), "carom_worlds_step");
        assert_int_equal(carom_worlds_faults(worlds[engine], NULL), 0);
    }
    const uint64_t all = carom_worlds_counters(worlds[0]).events;
    assert_true(carom_worlds_counters(worlds[1]).events == all);
    for (size_t w = 0; w < c->worlds; w++) {
        const size_t bytes = 4 * (size_t)c->bodies * sizeof(double);
        scene_get(worlds[0], w, &got);
        scene_get(worlds[1], w, &other);
        if (memcmp(got.number, other.number, bytes) != 0) {
            fail_msg("seed %llu: world %zu of %u bodies differs between the engines", (unsigned long long)seed, w,
                     c->bodies);
        }
        if (w % (c->worlds / c->compared) == 0) {
            start(w, &want);
            for (int t = 0; t < TICKS; t++) {
                scene_ref_record record = {NULL, 0, 0, 0, NULL};
                assert_int_equal(
                    scene_reference_tick(carom_scene_describe(scenes[0]), c->precision, c->dt, &want, &record), 0);
                impacts += record.impacts;
            }
            if (memcmp(got.number, want.number, bytes) != 0) {
                fail_msg("seed %llu: world %zu of %u bodies is not that of the reference", (unsigned long long)seed, w,
                         c->bodies);
            }
        }
    }
    print_message("f%d, sides %d %d: %zu worlds of %u bodies, %u walls, %u polygons: %llu impacts; %zu worlds and %llu "
                  "impacts in the "
                  "reference, too\n",
                  (int)c->precision, (int)c->horizontal, (int)c->vertical, c->worlds, c->bodies, desc.wall_count,
                  desc.polygon_count, (unsigned long long)all, c->compared, (unsigned long long)impacts);
    assert_true(all > 2 * c->worlds && impacts > c->compared);
    for (int engine = 0; engine < 2; engine++) {
        carom_worlds_destroy(worlds[engine]);
        carom_scene_destroy(scenes[engine]);
    }
}

/* Every kind. compared: in the three forms of the test, see test.h. */
static void play_all(uint32_t count, int worlds, int brief, const int compared[3], double dt)
{
    static const carom_scene_sides sides[][2] = {{CAROM_SIDES_SOLID, CAROM_SIDES_SOLID},
                                                 {CAROM_SIDES_PERIODIC, CAROM_SIDES_PERIODIC},
                                                 {CAROM_SIDES_PERIODIC, CAROM_SIDES_SOLID}};
    const size_t many = (size_t)unless_short(worlds, brief);
    const size_t some = (size_t)at_length(compared[0], compared[1], compared[2]);
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            const crowd c = {count, many, some, dt, sides[k][0], sides[k][1], (carom_precision)precision};
            play(&c);
        }
    }
}

TEST(test_64_bodies)
{
    play_all(64, 1024, 64, (const int[]){1024, 128, 4}, 0.08);
}

TEST(test_256_bodies)
{
    play_all(256, 1024, 16, (const int[]){1024, 16, 1}, 0.05);
}

TEST(test_1024_bodies)
{
    play_all((uint32_t)unless_short(1024, 512), 16, 2, (const int[]){16, 2, 1}, 0.025);
}

SET_UP
{
    seed = test_seed(seed);
}
