/* SPDX-License-Identifier: MIT
 * The policies of soccer and stones decide in lanes; here is what plain C decides in the same worlds: random ones, on
 * every instruction set, in both precisions, in every kind of action, to the bit.
 */
#include "batch.h"
#include "policy_reference.h"

#define WORLDS 37 /* the last tile is not full */
#define SEED 77
#define FIRST_ID 1000003
#define PI 3.14159265358979323846

typedef struct batch {
    carom_worlds_desc desc;
    carom_worlds *worlds;
} batch;

static batch make_batch(const char *game, const void *options, carom_isa isa, carom_precision precision)
{
    batch b = {.desc = carom_worlds_desc_default(carom_game_find(game))};
    b.desc.options = options;
    b.desc.count = WORLDS;
    b.desc.seed = SEED;
    b.desc.first_id = FIRST_ID;
    b.desc.isa = isa;
    b.desc.precision = precision;
    b.desc.threads = 1;
    b.worlds = make_worlds(&b.desc);
    return b;
}

/* Writes values of world w to a field of reals; they are rounded in place to the precision. */
static void put_reals(const batch *b, size_t w, const char *name, double *values, size_t count)
{
    float floats[64];
    assert_true(count <= 64);
    for (size_t k = 0; k < count && b->desc.precision == CAROM_F32; k++) {
        floats[k] = (float)values[k];
        values[k] = (double)floats[k];
    }
    set_field(b->worlds, name, w, 1, b->desc.precision == CAROM_F32 ? (const void *)floats : (const void *)values);
}

static int32_t small(uint64_t *rng)
{
    return rng_one_in(rng, 4) ? 0 : rng_below(rng, 500);
}

/* Tick and episode: every draw depends on both. */
static void put_time(const batch *b, size_t w, uint64_t *rng, int32_t *episode, int32_t *tick)
{
    *episode = small(rng);
    *tick = small(rng);
    set_field(b->worlds, "episode", w, 1, episode);
    set_field(b->worlds, "tick", w, 1, tick);
}

/* ---- soccer ---- */

/* Robots all over the field, some in a crowd around a ball, two at the same position; angles of all sizes. */
static void put_soccer(const batch *b, size_t w, const carom_soccer_options *o, uint64_t *rng, soccer_ref_world *world)
{
    const int robots = 2 * (int)o->robots, bodies = robots + (int)o->balls;
    const double crowd = rng_one_in(rng, 3) ? 8 * o->robot_radius : o->length / 2;
    memset(world, 0, sizeof *world);
    for (int i = bodies - 1; i >= 0; i--) {
        const bool ball = i >= robots;
        const double reach = ball || rng_one_in(rng, 3) ? o->length / 2 : crowd;
        world->x[i] = (ball ? 0 : world->x[robots]) + rng_in(rng, -reach, reach);
        world->y[i] = (ball ? 0 : world->y[robots]) + rng_in(rng, -reach, reach);
        world->vx[i] = rng_one_in(rng, 3) ? 0 : rng_in(rng, -4, 4);
        world->vy[i] = rng_one_in(rng, 3) ? 0 : rng_in(rng, -4, 4);
        if (!ball)
            world->angle[i] = rng_one_in(rng, 4) ? 0 : rng_in(rng, -4, 4);
    }
    if (rng_one_in(rng, 3)) {
        const int i = rng_below(rng, robots), j = rng_below(rng, bodies);
        world->x[i] = world->x[j];
        world->y[i] = world->y[j];
    }
    for (int k = 0; k < CAROM_SOCCER_BALLS; k++) {
        const int holder = k < (int)o->balls && rng_one_in(rng, 2) ? rng_below(rng, robots) : -1;
        world->holder[k] = (int8_t)holder;
        if (holder >= 0 && rng_one_in(rng, 2)) { /* its holder is near it, and faces the goal roughly */
            world->x[holder] = world->x[robots + k] - 0.1;
            world->y[holder] = world->y[robots + k];
            world->angle[holder] = rng_in(rng, -0.1, 0.1) + (holder < robots / 2 ? 0 : PI);
        }
    }
    put_reals(b, w, "x", world->x, SOCCER_REF_BODIES);
    put_reals(b, w, "y", world->y, SOCCER_REF_BODIES);
    put_reals(b, w, "vx", world->vx, SOCCER_REF_BODIES);
    put_reals(b, w, "vy", world->vy, SOCCER_REF_BODIES);
    put_reals(b, w, "angle", world->angle, SOCCER_REF_ROBOTS);
    set_field(b->worlds, "holder", w, 1, world->holder);
    put_time(b, w, rng, &world->episode, &world->tick);
}

static void check_soccer(const carom_soccer_options *options, carom_isa isa, carom_precision precision, uint64_t *rng)
{
    enum { ROW = 2 * CAROM_SOCCER_ROBOTS * CAROM_SOCCER_NUMBERS };
    static soccer_ref_world worlds[WORLDS];
    static float got[WORLDS][ROW];
    const batch b = make_batch("soccer", options, isa, precision);
    for (size_t w = 0; w < WORLDS; w++)
        put_soccer(&b, w, options, rng, &worlds[w]);
    for (size_t policy = 0; policy < carom_game_describe(b.desc.game).policies; policy++)
        for (int kind = SOCCER_REF_NORMALISED; kind <= SOCCER_REF_METRIC; kind++) {
            must(carom_worlds_policy(b.worlds, policy, (size_t)kind, got), "carom_worlds_policy");
            for (size_t w = 0; w < WORLDS; w++) {
                const soccer_ref_game game = {*options, SEED, FIRST_ID + w};
                float want[ROW];
                soccer_ref_policy(&game, &worlds[w], policy, (soccer_ref_kind)kind, want);
                for (int k = 0; k < ROW; k++)
                    if (memcmp(&want[k], &got[w][k], sizeof want[k]) != 0)
                        fail_msg(
                            "soccer, policy %zu, kind %d, %s, f%d, %u robots, %u balls: world %zu, number %d is %a, "
                            "not %a",
                            policy, kind, carom_isa_name(isa), (int)precision, options->robots, options->balls, w, k,
                            (double)got[w][k], (double)want[k]);
            }
        }
    carom_worlds_destroy(b.worlds);
}

TEST(test_soccer)
{
    static const uint32_t sides[][2] = {{6, 1}, {1, 1}, {2, 4}, {11, 4}, {5, 2}}; /* robots, balls */
    const carom_soccer_league leagues[] = {CAROM_SOCCER_ORIGINAL, CAROM_SOCCER_DIVISION_A, CAROM_SOCCER_DIVISION_B};
    uint64_t rng = 1;
    for (int round = 0; round < unless_short(60, 10); round++)
        for (size_t k = 0; k < 2 * isa_count; k++) {
            carom_soccer_options options = carom_soccer_options_of(leagues[round % 3]);
            options.robots = sides[round % 5][0];
            options.balls = sides[round % 5][1];
            check_soccer(&options, isas[k / 2], k % 2 == 0 ? CAROM_F32 : CAROM_F64, &rng);
        }
}

/* ---- stones ---- */

/* Most stones rest, and often all of them; some are at the same position. */
static void put_stones(const batch *b, size_t w, const carom_stones_options *o, uint64_t *rng, stones_ref_seen *world)
{
    const int moving = rng_one_in(rng, 2) ? 12 : 1 << 20, out = 1 + rng_below(rng, 5);
    const double reach = rng_one_in(rng, 5) ? 50000 : 400;
    memset(world, 0, sizeof *world);
    for (size_t i = 0; i < CAROM_STONES_MAX; i++) {
        world->px[i] = rng_in(rng, -reach, reach);
        world->py[i] = rng_in(rng, -reach, reach);
        world->radius[i] = rng_in(rng, 1, 40);
        world->speed[i] = rng_one_in(rng, moving) ? rng_in(rng, 0.01, 40) : 0;
        world->in_play[i] = i < o->stones && !rng_one_in(rng, out);
        if (i > 0 && rng_one_in(rng, 8)) {
            world->px[i] = world->px[i - 1];
            world->py[i] = world->py[i - 1];
            world->radius[i] = world->radius[i - 1];
        }
    }
    put_reals(b, w, "px", world->px, CAROM_STONES_MAX);
    put_reals(b, w, "py", world->py, CAROM_STONES_MAX);
    put_reals(b, w, "radius", world->radius, CAROM_STONES_MAX);
    put_reals(b, w, "speed", world->speed, CAROM_STONES_MAX);
    set_field(b->worlds, "in_play", w, 1, world->in_play);
    put_time(b, w, rng, &world->episode, &world->tick);
    world->seed = SEED;
    world->id = FIRST_ID + w;
}

enum { PUSH, ENGINE, NORMALISED, KINDS };

typedef union stones_row {
    stones_ref_push push[2], engine[2][CAROM_STONES_PUSHES];
    float normalised[2][4];
} stones_row;

/* The actions of the plain-C policy in a kind. Returns their size in bytes. */
static size_t say_stones(const stones_ref_seen *world, size_t policy, int kind, stones_row *row)
{
    static const size_t bytes[KINDS] = {sizeof row->push, sizeof row->engine, sizeof row->normalised};
    stones_ref_push pushes[2];
    int places[2], counts[2];
    memset(row, 0, sizeof *row);
    stones_ref_policy(world, policy, pushes, places, counts);
    for (int player = 0; player < 2; player++) {
        const stones_ref_push *push = &pushes[player];
        if (push->stone < 0)
            continue;
        if (kind == NORMALISED) {
            row->normalised[player][0] = (float)((places[player] + 0.5) / counts[player] * 2 - 1);
            row->normalised[player][1] = (float)(push->course / PI);
            row->normalised[player][2] = (float)(push->speed / 40);
            row->normalised[player][3] = (float)push->curve;
        } else {
            *(kind == PUSH ? &row->push[player] : &row->engine[player][0]) = *push;
        }
    }
    return bytes[kind];
}

static void check_stones(const carom_stones_options *options, carom_isa isa, carom_precision precision, uint64_t *rng,
                         size_t *pushes)
{
    static stones_ref_seen worlds[WORLDS];
    static unsigned char got[WORLDS * sizeof(stones_row)];
    const batch b = make_batch("stones", options, isa, precision);
    for (size_t w = 0; w < WORLDS; w++)
        put_stones(&b, w, options, rng, &worlds[w]);
    for (size_t policy = 0; policy < carom_game_describe(b.desc.game).policies; policy++)
        for (int kind = 0; kind < KINDS; kind++) {
            must(carom_worlds_policy(b.worlds, policy, (size_t)kind, got), "carom_worlds_policy");
            for (size_t w = 0; w < WORLDS; w++) {
                stones_row want;
                const size_t bytes = say_stones(&worlds[w], policy, kind, &want);
                if (memcmp(&want, got + w * bytes, bytes) != 0)
                    fail_msg("stones, policy %zu, kind %d, %s, f%d, %u stones: world %zu differs", policy, kind,
                             carom_isa_name(isa), (int)precision, options->stones, w);
                *pushes += kind == PUSH && policy == STONES_REF_STRIKE && want.push[0].speed != 0;
            }
        }
    carom_worlds_destroy(b.worlds);
}

TEST(test_stones)
{
    static const uint32_t counts[] = {12, 32, 2};
    const int rounds = unless_short(60, 12);
    uint64_t rng = 2;
    size_t pushes = 0;
    for (int round = 0; round < rounds; round++)
        for (size_t k = 0; k < 2 * isa_count; k++) {
            carom_stones_options options = carom_stones_options_default();
            options.stones = counts[round % 3];
            check_stones(&options, isas[k / 2], k % 2 == 0 ? CAROM_F32 : CAROM_F64, &rng, &pushes);
        }
    const size_t worlds = 2 * isa_count * WORLDS * (size_t)rounds;
    assert_true(pushes > worlds / 4 && pushes < worlds * 3 / 4); /* some rest, some do not */
}
