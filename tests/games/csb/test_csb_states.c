/* SPDX-License-Identifier: MIT
 * Adversarial states of csb against the plain-C reference: pods that overlap, touch, tie, chain up, coincide, meet or
 * graze at the ends of the range, or leave it. Every trial is a few ticks, on every instruction set.
 *
 * The environment variable CAROM_TEST_SEED gives the first seed; it is printed.
 */
#define _POSIX_C_SOURCE 200809L

#include "csb_arena.h"

#define ROUNDS 24        /* a test: each sets all worlds */
#define FEW 6            /* rounds of the short form */
#define TICKS 3          /* a round */
#define RANGE 67108864.0 /* of positions; that of velocities is twice as wide */
#define TWO_PI 6.2831853071795862

static uint64_t first_seed = 1, rounds = ROUNDS;
static arena field; /* too large for every stack */
static arena_actions actions;

static const int32_t points[][2] = {{8000, 4500}, {12000, 4500}, {-16777216, 16777216}};
static const carom_csb_map map = {points, 3, 5};

/* ---- start states ---- */

typedef void make_pods(uint64_t *random, csb_ref_world *world);

static void put_pod(csb_ref_world *world, int i, double x, double y, double vx, double vy)
{
    world->x[i] = x;
    world->y[i] = y;
    world->vx[i] = vx;
    world->vy[i] = vy;
}

/* Random positions in a square so small that most pods overlap, or so large that few do; integers, halves or any
 * numbers. */
static void make_crowd(uint64_t *random, csb_ref_world *world)
{
    const double sizes[] = {1, 300, 1000, 2000}, speeds[] = {0, 10, 600, 20000};
    const double size = sizes[rng_below(random, 4)], speed = speeds[rng_below(random, 4)];
    const int grain = rng_below(random, 3);
    for (int i = 0; i < PODS; i++) {
        double numbers[4] = {rng_in(random, -size, size), rng_in(random, -size, size), rng_in(random, -speed, speed),
                             rng_in(random, -speed, speed)};
        for (int k = 0; k < 4 && grain < 2; k++)
            numbers[k] = grain == 0 ? floor(numbers[k]) : floor(2 * numbers[k]) / 2;
        put_pod(world, i, numbers[0], numbers[1], numbers[2], numbers[3]);
    }
}

/* Neighbours at a distance of exactly 800, or an ulp from it, or a little more: in a row, a square or a zigzag. */
static void make_touching(uint64_t *random, csb_ref_world *world)
{
    static const double shapes[][PODS][2] = {
        {{0, 0}, {800, 0}, {1600, 0}, {2400, 0}},
        {{0, 0}, {800, 0}, {0, 800}, {800, 800}},
        {{0, 0}, {480, 640}, {960, 0}, {1440, 640}},
        {{0, 0}, {-640, 480}, {640, 480}, {0, 960}},
        {{0, 0}, {0, -800}, {5000, 0}, {5000, -800}},
        {{0, 0}, {800, 0}, {400, 692.82032302755092}, {400, -692.82032302755092}},
    };
    const int shape = rng_below(random, 6), turn = rng_below(random, PODS), how = rng_below(random, 4);
    const double wider = rng_one_in(random, 2) ? 1 : rng_one_in(random, 2) ? 1 + 1e-9 : nextafter(1, 2 * (turn % 2));
    const double ux = rng_below(random, 401) - 200, uy = rng_below(random, 401) - 200;
    for (int i = 0; i < PODS; i++) {
        const double *at = shapes[shape][(i + turn) % PODS];
        double vx = 0, vy = 0; /* at rest, */
        if (how == 1) {        /* all the same, */
            vx = ux;
            vy = uy;
        } else if (how == 2) { /* all to the middle, */
            vx = -at[0] / 8;
            vy = -at[1] / 8;
        } else if (how == 3) { /* or as it comes */
            vx = rng_below(random, 401) - 200;
            vy = rng_below(random, 401) - 200;
        }
        put_pod(world, i, at[0] * wider, at[1] * wider, vx, vy);
    }
}

/* Mirror images and half turns of each other: equal times of impact. */
static void make_symmetric(uint64_t *random, csb_ref_world *world)
{
    const int order = rng_below(random, 24), axes = rng_below(random, 3);
    const double x = rng_below(random, 3000) / 2.0, y = rng_below(random, 3000) / 2.0;
    const double vx = rng_below(random, 4000) / 2.0 - 1500, vy = rng_below(random, 4000) / 2.0 - 1500;
    static const double signs[3][PODS][2] = {
        {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}}, {{1, 1}, {-1, -1}, {1, 1}, {-1, -1}}, {{1, 1}, {1, -1}, {1, 1}, {1, -1}}};
    for (int i = 0; i < PODS; i++) {
        const int j = (i + order) % PODS;
        const double *sign = signs[axes][order % 2 == 0 ? j : PODS - 1 - j];
        const double away = axes > 0 && i >= 2 ? 6000 : 0; /* two pairs, the same except for the position */
        put_pod(world, i, sign[0] * x + away, sign[1] * y, sign[0] * vx, sign[1] * vy);
    }
}

/* In a row, also overlapping, moving along it: impacts run through the chain. */
static void make_chain(uint64_t *random, csb_ref_world *world)
{
    const double steps[] = {0.5, 600, 799, 799.5, 800, 801, 1000};
    const double angle = rng_one_in(random, 2) ? 0 : rng_in(random, 0, TWO_PI);
    const double speed = rng_one_in(random, 4) ? 0 : rng_in(random, 0, 3000);
    const int first = rng_below(random, PODS);
    double at = 0;
    for (int i = 0; i < PODS; i++) {
        const double v = i == 0 ? speed : i == 3 ? -speed * rng_below(random, 2) : 0;
        put_pod(world, (first + i) % PODS, cos(angle) * at, sin(angle) * at, cos(angle) * v, sin(angle) * v);
        at += rng_one_in(random, 2) ? steps[rng_below(random, 7)] : rng_in(random, 780, 1200);
    }
}

/* Two or more pods at the same position: no direction to push them apart. */
static void make_on_top(uint64_t *random, csb_ref_world *world)
{
    make_crowd(random, world);
    const int a = rng_below(random, PODS), b = (a + 1 + rng_below(random, PODS - 1)) % PODS;
    world->x[a] = world->x[b];
    world->y[a] = world->y[b];
}

/* Relative motion of pod j seen from pod i: at time t it is at (dx, dy). False if that is outside the range. */
static bool put_meeting(uint64_t *random, csb_ref_world *world, int i, int j, double range, double speed, double t,
                        double dx, double dy)
{
    const double xi = rng_in(random, -range, range), yi = rng_in(random, -range, range);
    const double vxi = rng_in(random, -speed, speed), vyi = rng_in(random, -speed, speed);
    const double vxj = rng_in(random, -speed, speed), vyj = rng_in(random, -speed, speed);
    const double xj = xi + dx - (vxj - vxi) * t, yj = yi + dy - (vyj - vyi) * t;
    if (fabs(xj) > RANGE || fabs(yj) > RANGE)
        return false;
    put_pod(world, i, xi, yi, vxi, vyi);
    put_pod(world, j, xj, yj, vxj, vyj);
    return true;
}

/* Far away and fast: pods that touch at a time in or just outside of the tick, up to the ends of the range. */
static void make_far_meeting(uint64_t *random, csb_ref_world *world)
{
    const double scale = pow(10, -rng_below(random, 5));
    const int other = 1 + rng_below(random, 3); /* pairs: 0 with it, and the two others */
    for (int pair = 0; pair < 2; pair++) {
        const int i = pair == 0 ? 0 : other == 1 ? 2 : 1, j = pair == 0 ? other : other == 3 ? 2 : 3;
        bool made = false;
        while (!made) {
            const double angle = rng_in(random, 0, TWO_PI);
            const double reach = 800 + (rng_one_in(random, 2) ? rng_in(random, -5, 5) : rng_in(random, -1e-6, 1e-6));
            const double t = rng_one_in(random, 4) ? 1 + rng_in(random, -1e-8, 1e-8) : rng_in(random, -0.05, 1.05);
            made =
                put_meeting(random, world, i, j, RANGE, 2 * RANGE * scale, t, reach * cos(angle), reach * sin(angle));
        }
    }
}

/* Some 1e7 away, and closest at 800 +- 1e-3 or nearer: the discriminant is all cancellation. */
static void make_grazing(uint64_t *random, csb_ref_world *world)
{
    for (int pair = 0; pair < 2; pair++) {
        const double angle = rng_in(random, 0, TWO_PI), length = rng_in(random, 1e6, 1.2e7);
        const double closest = 800 + rng_in(random, -1e-3, 1e-3) * pow(10, -rng_below(random, 7));
        const double x = rng_in(random, -1e7, 1e7), y = rng_in(random, -1e7, 1e7);
        const double speed = length / rng_in(random, 0.3, 1.1), share = rng_in(random, 0, 1);
        const double c = cos(angle), s = sin(angle);
        put_pod(world, 2 * pair, x, y, c * speed * share, s * speed * share);
        put_pod(world, 2 * pair + 1, x + c * length - s * closest, y + s * length + c * closest,
                -c * speed * (1 - share), -s * speed * (1 - share));
    }
}

/* Leaving the range, or just inside it. */
static void make_edge(uint64_t *random, csb_ref_world *world)
{
    make_far_meeting(random, world);
    for (int n = rng_below(random, 3); n > 0; n--) {
        const int i = rng_below(random, PODS);
        const double side = rng_one_in(random, 2) ? 1 : -1;
        const double beyond = rng_below(random, 5) - 2; /* of the limit after the tick; 0 is the limit itself */
        world->vx[i] = side * rng_below(random, 3000);
        world->x[i] = side * (RANGE + beyond) - world->vx[i];
        if (fabs(world->x[i]) > RANGE)
            world->x[i] = side * RANGE;
    }
}

/* Pods squeezed into a row that is too short for them, by a little or a lot: every push closes another gap, and
 * sub-steps pile up to the limit. */
static void make_squeezed(uint64_t *random, csb_ref_world *world)
{
    const double angle = rng_in(random, 0, TWO_PI), step = 800 - pow(10, rng_in(random, -5, 3));
    const int order[3][PODS] = {{0, 1, 2, 3}, {1, 3, 0, 2}, {3, 0, 1, 2}};
    const int which = rng_below(random, 3);
    for (int i = 0; i < PODS; i++) {
        const double off = step * rng_in(random, 0.9, 1.1) * i;
        put_pod(world, order[which][i], off * cos(angle), off * sin(angle), 0, 0);
    }
}

/* ---- trials ---- */

static void make_world(arena *a, size_t w, make_pods *make)
{
    uint64_t *random = &a->random;
    csb_ref_world *world = &a->worlds[w];
    csb_ref_start(world, &a->maps[0]);
    world->tick = 1 + rng_below(random, 100);
    make(random, world);
    for (int i = 0; i < PODS; i++) {
        world->angle[i] = rng_in(random, -7, 7);
        world->shield[i] = (int8_t)(rng_one_in(random, 2) ? 0 : rng_below(random, 4));
        world->next[i] = (int16_t)(1 + rng_below(random, 15));
    }
}

/* Half of the worlds have no thrust, so that their velocities stay as generated; some have shields up. */
static void make_actions(arena *a)
{
    for (size_t w = 0; w < WORLDS; w++) {
        const bool idle = rng_one_in(&a->random, 2);
        for (int i = 0; i < PODS; i++) {
            float *action = actions.small[w][i];
            action[0] = idle ? 0 : (float)rng_in(&a->random, -0.3, 0.3);
            action[1] = rng_one_in(&a->random, 4) ? CAROM_CSB_SHIELD : idle ? 0 : (float)rng_below(&a->random, 201);
        }
    }
}

/* Plays trials of one kind; counts of what happened are in field.count. */
static void try_states(const char *what, make_pods *make)
{
    field.what = what;
    field.seed = first_seed;
    field.kind = CSB_REF_RELATIVE;
    field.rules = CAROM_CSB_FULL;
    field.at_end = CAROM_PLAY_ON;
    arena_open(&field, &map, 1);
    for (uint64_t round = 0; round < rounds; round++) {
        for (size_t w = 0; w < WORLDS; w++)
            make_world(&field, w, make);
        arena_put(&field);
        for (int t = 0; t < TICKS; t++) {
            make_actions(&field);
            arena_tick(&field, &actions);
        }
    }
    arena_close(&field);
    const tally *count = &field.count;
    print_message("%s (seed %llu): %llu world-ticks, %llu impacts, faults: %llu events, %llu NaN, %llu range\n", what,
                  (unsigned long long)first_seed, (unsigned long long)count->ticks, (unsigned long long)count->bounces,
                  (unsigned long long)count->faults[CAROM_FAULT_EVENTS],
                  (unsigned long long)count->faults[CAROM_FAULT_NAN],
                  (unsigned long long)count->faults[CAROM_FAULT_RANGE]);
}

TEST(test_crowd)
{
    try_states("crowd", make_crowd);
    assert_true(field.count.bounces > field.count.ticks / 2);
}

TEST(test_touching)
{
    try_states("touching", make_touching);
    assert_true(field.count.bounces > field.count.ticks / 2);
}

TEST(test_symmetric)
{
    try_states("symmetric", make_symmetric);
    assert_true(field.count.bounces > field.count.ticks / 4);
}

TEST(test_chain)
{
    try_states("chain", make_chain);
    assert_true(field.count.bounces > field.count.ticks);
}

TEST(test_on_top)
{
    try_states("on top of each other", make_on_top);
    assert_true(field.count.faults[CAROM_FAULT_NAN] > WORLDS * rounds / 4);
}

TEST(test_far_meeting)
{
    try_states("far meeting", make_far_meeting);
    assert_true(field.count.bounces > WORLDS * rounds / 4);
}

TEST(test_grazing)
{
    try_states("grazing", make_grazing);
    assert_true(field.count.bounces > WORLDS * rounds / 4);
}

TEST(test_edge)
{
    try_states("edge of the range", make_edge);
    assert_true(field.count.faults[CAROM_FAULT_RANGE] > WORLDS * rounds / ROUNDS && field.count.ticks > WORLDS);
}

TEST(test_squeezed)
{
    try_states("squeezed", make_squeezed);
    assert_true(field.count.faults[CAROM_FAULT_EVENTS] > WORLDS * rounds / ROUNDS && field.count.ticks > WORLDS);
}

SET_UP
{
    rounds = (uint64_t)unless_short(ROUNDS, FEW);
    first_seed = test_seed(first_seed);
}
