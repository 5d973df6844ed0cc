/* SPDX-License-Identifier: MIT
 * Random games of csb against the plain-C reference: every kind of action, both rule sets, every way to continue after
 * an end, sane and nasty actions; and rollouts.
 *
 * The environment variable CAROM_TEST_SEED gives the first seed; it is printed.
 */
#define _POSIX_C_SOURCE 200809L

#include "csb_arena.h"

#define TICKS 24
#define RENEW 6 /* ticks until the worlds get new states */
#define DRAWN_MAPS 40

static uint64_t first_seed = 1;
static arena games; /* too large for every stack */
static arena_actions actions;

/* Short courses, which end soon, and a long one. */
static const int32_t near_points[][2] = {{8000, 4500}, {9000, 4500}, {8500, 5500}};
static const int32_t far_points[][2] = {{-16777216, 16777216}, {16777216, -16777216}, {0, 0}};
static const carom_csb_map own_maps[] = {
    {near_points, 2, 1}, {near_points, 3, 1}, {near_points, 3, 31}, {far_points, 3, 2}};
#define OWN_MAPS (sizeof own_maps / sizeof own_maps[0])

/* ---- states ---- */

static double grid(uint64_t *random, double low, double high)
{
    return floor(rng_in(random, low, high));
}

/* Angles exactly at the turn limit from an axis, or one ulp off; -0; far ones. */
static double odd_angle(uint64_t *random)
{
    const double axis[] = {0, 1.5707963267948966, 3.1415926535897931, -1.5707963267948966, -3.1415926535897931};
    switch (rng_below(random, 4)) {
    case 0:
        return rng_in(random, -1048570, 1048570);
    case 1:
        return rng_one_in(random, 2) ? -0.0 : 1048576;
    default: {
        double angle = axis[rng_below(random, 5)] + (rng_one_in(random, 2) ? MAX_TURN : -MAX_TURN);
        for (int n = rng_below(random, 5); n > 2; n--)
            angle = nextafter(angle, rng_one_in(random, 2) ? 100 : -100);
        return angle;
    }
    }
}

/* A world somewhere in a game: racing, or in a crowd. */
static void make_state(arena *a, size_t w)
{
    uint64_t *random = &a->random;
    csb_ref_world *world = &a->worlds[w];
    a->map[w] = rng_below(random, (int)a->map_count);
    const csb_ref_map *map = &a->maps[a->map[w]];
    csb_ref_start(world, map);
    if (rng_one_in(random, 6))
        return;
    const double size = rng_one_in(random, 2) ? 1500 : 8000, speed = rng_one_in(random, 2) ? 200 : 1500;
    world->tick = rng_one_in(random, 6)   ? 0
                  : rng_one_in(random, 6) ? 496 + rng_below(random, 8)
                                          : rng_below(random, 490);
    for (int i = 0; i < PODS; i++) {
        world->x[i] = 8000 + grid(random, -size, size);
        world->y[i] = 4500 + grid(random, -size, size);
        world->vx[i] = grid(random, -speed, speed);
        world->vy[i] = grid(random, -speed, speed);
        world->angle[i] = rng_one_in(random, 4) ? odd_angle(random) : rng_in(random, -7, 7);
        world->shield[i] = (int8_t)(rng_one_in(random, 2) ? 0 : rng_below(random, 4));
        world->boosted[i] = (int8_t)rng_below(random, 2);
        world->won[i] = (int8_t)rng_one_in(random, 40);
        const int last = map->count - 1;
        world->next[i] = (int16_t)(rng_one_in(random, 2) || last < 3 ? last : 1 + rng_below(random, last));
    }
    for (int p = 0; p < 2; p++)
        world->timeout[p] = (int16_t)(rng_one_in(random, 10)  ? INT16_MIN + rng_below(random, 3)
                                      : rng_one_in(random, 3) ? rng_below(random, 8)
                                                              : 100);
    if (rng_one_in(random, 20)) { /* over, and played on, or stopped by hand */
        world->end = CAROM_TERMINATED;
        world->winner = (int8_t)(rng_below(random, 3) - 1);
    }
    world->frozen = (int8_t)rng_one_in(random, 30);
}

/* ---- actions ---- */

#define PICK(random, list) ((list)[rng_below(random, (int)(sizeof(list) / sizeof(list)[0]))])

static float odd_turn(uint64_t *random)
{
    const float limit = (float)MAX_TURN;
    const float list[] = {NAN,
                          INFINITY,
                          -INFINITY,
                          -0.0F,
                          1e-40F,
                          3e38F,
                          limit,
                          -limit,
                          1,
                          -1,
                          nextafterf(limit, 0),
                          nextafterf(-limit, 0),
                          nextafterf(limit, 1),
                          nextafterf(1, 2),
                          nextafterf(-1, 0)};
    return PICK(random, list);
}

static float odd_thrust(uint64_t *random)
{
    const float list[] = {NAN,
                          INFINITY,
                          -INFINITY,
                          -0.0F,
                          1e-40F,
                          -3e38F,
                          200,
                          200.5F,
                          nextafterf(200, 0),
                          -1,
                          0.95F,
                          -0.95F,
                          nextafterf(0.95F, 1),
                          nextafterf(-0.95F, -1),
                          nextafterf(0.95F, 0),
                          1,
                          nextafterf(1, 2),
                          -1.5F,
                          CAROM_CSB_SHIELD,
                          CAROM_CSB_BOOST,
                          nextafterf(CAROM_CSB_SHIELD, 0),
                          nextafterf(CAROM_CSB_BOOST, 1e9F),
                          -CAROM_CSB_SHIELD};
    return PICK(random, list);
}

static void small_action(uint64_t *random, csb_ref_kind kind, int odd, float action[2])
{
    if (kind == CSB_REF_RELATIVE) {
        action[0] = (float)rng_in(random, -0.35, 0.35);
        action[1] = rng_one_in(random, 10)   ? CAROM_CSB_SHIELD
                    : rng_one_in(random, 10) ? CAROM_CSB_BOOST
                                             : (float)rng_in(random, -10, 220);
    } else {
        action[0] = (float)rng_in(random, -1.1, 1.1);
        action[1] = (float)rng_in(random, -1.1, 1.1);
    }
    if (odd > 0 && rng_one_in(random, odd))
        action[0] = odd_turn(random);
    if (odd > 0 && rng_one_in(random, odd))
        action[1] = odd_thrust(random);
}

static void referee_action(uint64_t *random, const csb_ref_world *world, int i, int odd, double action[3])
{
    static const double targets[] = {NAN,    INFINITY, -INFINITY, -0.0, 1e15, -1e300, 1.7976931348623157e308,
                                     5e-324, 8000.5};
    static const double thrusts[] = {NAN,  INFINITY, -INFINITY, -0.0,        200.5,       201,   -1,
                                     -200, 1e9,      1e300,     1048576.001, 2097151.999, 5e-324};
    const int other = rng_below(random, PODS);
    switch (rng_below(random, 5)) {
    case 0: /* on an axis, or the own position */
        action[0] = world->x[i] + rng_below(random, 3) - 1;
        action[1] = world->y[i] + (action[0] != world->x[i] ? 0 : rng_below(random, 3) - 1);
        break;
    case 1: /* at a pod, the own one included */
        action[0] = world->x[other];
        action[1] = world->y[other];
        break;
    default:
        action[0] = grid(random, -1000, 17000);
        action[1] = grid(random, -1000, 10000);
    }
    action[2] = rng_one_in(random, 10)   ? (double)CAROM_CSB_SHIELD
                : rng_one_in(random, 10) ? (double)CAROM_CSB_BOOST
                                         : grid(random, 0, 201);
    for (int k = 0; k < 2; k++)
        if (odd > 0 && rng_one_in(random, odd))
            action[k] = PICK(random, targets);
    if (odd > 0 && rng_one_in(random, odd))
        action[2] = PICK(random, thrusts);
}

/* odd: one number in `odd` is a nasty one; 0: none. */
static void make_actions(arena *a, int odd)
{
    for (size_t w = 0; w < WORLDS; w++)
        for (int i = 0; i < PODS; i++)
            if (a->kind == CSB_REF_REFEREE)
                referee_action(&a->random, &a->worlds[w], i, odd, actions.referee[w][i]);
            else
                small_action(&a->random, a->kind, odd, actions.small[w][i]);
}

/* ---- games ---- */

static void play_games(arena *a, int odd)
{
    const int ticks = unless_short(TICKS, TICKS / 4), renew = unless_short(RENEW, RENEW / 3);
    for (int t = 0; t < ticks; t++) {
        if (t % renew == 0 && t > 0) {
            for (size_t w = 0; w < WORLDS; w++)
                make_state(a, w);
            arena_put(a);
        }
        make_actions(a, odd);
        arena_tick(a, &actions);
    }
}

static void add_tally(tally *sum, const tally *more)
{
    sum->ticks += more->ticks;
    sum->bounces += more->bounces;
    sum->passed += more->passed;
    sum->games += more->games;
    sum->truncated += more->truncated;
    for (int k = 0; k < 8; k++)
        sum->faults[k] += more->faults[k];
}

TEST(test_games)
{
    tally sum;
    uint64_t seed = first_seed;
    memset(&sum, 0, sizeof sum);
    for (int kind = CSB_REF_RELATIVE; kind <= CSB_REF_NORMALISED; kind++)
        for (int rules = CAROM_CSB_FULL; rules <= CAROM_CSB_TEST; rules++)
            for (int at_end = CAROM_PLAY_ON; at_end <= CAROM_RESET; at_end++)
                for (int k = 0; k < 4; k++) { /* drawn maps or not, nasty actions or not */
                    const bool drawn = k >= 2;
                    games.what = "random games";
                    games.seed = seed++;
                    games.kind = (csb_ref_kind)kind;
                    games.rules = (carom_csb_rules)rules;
                    games.at_end = (carom_at_end)at_end;
                    arena_open(&games, drawn ? NULL : own_maps, drawn ? DRAWN_MAPS : OWN_MAPS);
                    play_games(&games, k % 2 == 0 ? 0 : 12);
                    add_tally(&sum, &games.count);
                    arena_close(&games);
                }
    print_message("seeds %llu to %llu: %llu world-ticks, %llu impacts, %llu checkpoints, %llu ends, %llu truncated\n",
                  (unsigned long long)first_seed, (unsigned long long)seed - 1, (unsigned long long)sum.ticks,
                  (unsigned long long)sum.bounces, (unsigned long long)sum.passed, (unsigned long long)sum.games,
                  (unsigned long long)sum.truncated);
    assert_true(sum.bounces > sum.ticks / 50 && sum.passed > 1000 && sum.games > 1000 && sum.truncated > 100);
}

/* ---- rollouts ---- */

#define SEQUENCES 5
#define HORIZON 8

/* The return of every sequence, by the formula of rollout.h. */
static void expect_returns(const arena *a, const float (*plans)[WORLDS][SEQUENCES][HORIZON][4],
                           double (*returns)[SEQUENCES][2])
{
    for (size_t w = 0; w < WORLDS; w++)
        for (size_t k = 0; k < SEQUENCES; k++) {
            const csb_ref_map *map = &a->maps[a->map[w]];
            csb_ref_world world = a->worlds[w];
            double weight = 1, sums[2] = {0, 0};
            for (size_t t = 0; t < HORIZON; t++) {
                float both[2][4], rewards[2];
                memcpy(both[0], plans[0][w][k][t], sizeof both[0]);
                memcpy(both[1], plans[1][w][k][t], sizeof both[1]);
                if (csb_ref_step(&world, map, a->rules, a->kind, both, rewards, NULL) != CAROM_RUNNING)
                    world.frozen = 1;
                for (int p = 0; p < 2; p++)
                    sums[p] += weight * (double)rewards[p];
                weight *= 0.9;
            }
            for (int p = 0; p < 2; p++)
                returns[w][k][p] = world.fault ? -INFINITY : sums[p] + weight * 0.7 * csb_ref_value(&world, map, p);
        }
}

TEST(test_rollouts)
{
    static float plans[2][WORLDS][SEQUENCES][HORIZON][4];
    static double expected[WORLDS][SEQUENCES][2], found[WORLDS][SEQUENCES][2];
    games.what = "rollouts";
    games.seed = first_seed;
    games.kind = CSB_REF_RELATIVE;
    games.rules = CAROM_CSB_FULL;
    games.at_end = CAROM_RESET; /* which a rollout ignores */
    arena_open(&games, own_maps, OWN_MAPS);
    for (size_t w = 0; w < WORLDS; w++)
        make_state(&games, w);
    arena_put(&games);
    for (size_t n = 0; n < sizeof plans / (2 * sizeof(float)); n++)
        small_action(&games.random, games.kind, 200, &plans[0][0][0][0][0] + 2 * n);
    expect_returns(&games, (const float(*)[WORLDS][SEQUENCES][HORIZON][4])plans, expected);
    carom_rollout_desc desc = carom_rollout_desc_default(carom_game_find("csb"));
    desc.sequences = SEQUENCES;
    desc.horizon = HORIZON;
    desc.action_kind = action_kind("relative");
    desc.discount = 0.9;
    desc.final_weight = 0.7;
    for (int p = 0; p < 2; p++) {
        desc.players[p].source = CAROM_GIVEN;
        desc.players[p].actions = plans[p];
    }
    for (size_t k = 0; k < isa_count; k++) {
        must(carom_rollout(games.batches[k], &desc, &found[0][0][0], NULL, NULL), "carom_rollout");
        for (size_t w = 0; w < WORLDS; w++)
            for (size_t s = 0; s < SEQUENCES; s++)
                for (int p = 0; p < 2; p++)
                    arena_check(&games, k, w, "return", found[w][s][p], expected[w][s][p]);
    }
    arena_close(&games);
}

SET_UP
{
    first_seed = test_seed(first_seed);
}
