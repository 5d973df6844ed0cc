/* SPDX-License-Identifier: MIT
 * The plain-C csb against the golden traces and cases computed by hand.
 */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "../tools/verify/csb_trace.h"
#include "csb_reference.h"

#include <dirent.h>

#define TRACES CAROM_TEST_DATA "/csb"

#define PI 3.14159265358979323846
#define MAX_TURN (PI / 10)
#define PODS CSB_REF_PODS

/* ---- replay of the traces ---- */

/* Both must have the same bits. */
static void check(const char *path, size_t turn, int pod, const char *what, double found, double expected)
{
    uint64_t found_bits, expected_bits;
    memcpy(&found_bits, &found, sizeof found_bits);
    memcpy(&expected_bits, &expected, sizeof expected_bits);
    if (found_bits != expected_bits)
        fail_msg("%s: turn %zu, pod %d, %s: %.17g instead of %.17g", path, turn, pod, what, found, expected);
}

static void check_state(const char *path, size_t turn, const csb_ref_world *world, const csb_trace_state *pods)
{
    for (int i = 0; i < PODS; i++) { /* whole numbers are printed without the sign of -0: adding 0 removes it */
        check(path, turn, i, "x", world->x[i] + 0.0, pods->x[i]);
        check(path, turn, i, "y", world->y[i] + 0.0, pods->y[i]);
        check(path, turn, i, "vx", world->vx[i] + 0.0, pods->vx[i]);
        check(path, turn, i, "vy", world->vy[i] + 0.0, pods->vy[i]);
        check(path, turn, i, "angle", world->angle[i], pods->angle[i]);
        check(path, turn, i, "next", world->next[i], pods->next[i]);
        check(path, turn, i, "shield", world->shield[i], pods->shield[i]);
        check(path, turn, i, "boosted", world->boosted[i], pods->boosted[i]);
        check(path, turn, i, "won", world->won[i], pods->won[i]);
    }
}

static void check_turn(const char *path, size_t t, const csb_ref_world *world, const csb_ref_record *record,
                       const csb_trace *trace)
{
    static const char *const moved_names[4] = {"unrounded x", "unrounded y", "unrounded vx", "unrounded vy"};
    const csb_trace_turn *turn = &trace->turns[t];
    check(path, t, -1, "number of bounces", record->bounce_count, (double)turn->base.event_count);
    for (size_t k = 0; k < turn->base.event_count; k++) {
        const carom_event *expected = &trace->base.events[turn->base.first_event + k];
        check(path, t, expected->first, "time left", record->bounces[k].left, expected->left);
        check(path, t, expected->first, "first of the pair", record->bounces[k].first, expected->first);
        check(path, t, expected->first, "second of the pair", record->bounces[k].second, expected->second);
    }
    for (int i = 0; i < PODS; i++)
        for (int k = 0; k < 4; k++)
            check(path, t, i, moved_names[k], record->moved[i][k], turn->state.moved[i][k]);
    check_state(path, t, world, &turn->state);
    for (int p = 0; p < 2; p++)
        check(path, t, 2 * p, "timeout", world->timeout[p], turn->state.timeout[p]);
}

static void replay(const char *path, const csb_trace *trace, const csb_ref_map *map)
{
    csb_ref_world world;
    csb_ref_record record;
    csb_ref_start(&world, map);
    check_state(path, 0, &world, &trace->start);
    for (size_t t = 0; t < trace->base.turn_count; t++) {
        csb_ref_step(&world, map, CAROM_CSB_TEST, CSB_REF_REFEREE, trace->turns[t].actions, NULL, &record);
        check(path, t, -1, "fault", world.fault, 0);
        check_turn(path, t, &world, &record, trace);
    }
}

/* The traces of the folder, in no order; to be freed. */
static size_t list_traces(char ***paths)
{
    size_t count = 0;
    DIR *folder = opendir(TRACES);
    *paths = NULL;
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t size = strlen(TRACES) + strlen(entry->d_name) + 2;
        const char *dot = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, "trace_", 6) != 0 || dot == NULL || strcmp(dot, ".txt") != 0)
            continue;
        *paths = (char **)realloc((void *)*paths, (count + 1) * sizeof **paths);
        assert_non_null(*paths);
        (*paths)[count] = (char *)malloc(size);
        assert_non_null((*paths)[count]);
        snprintf((*paths)[count++], size, "%s/%s", TRACES, entry->d_name);
    }
    closedir(folder);
    return count;
}

static void free_list(char **paths, size_t count)
{
    for (size_t k = 0; k < count; k++)
        free(paths[k]);
    free((void *)paths);
}

TEST(test_traces)
{
    char **paths, message[TRACE_MESSAGE];
    size_t count = list_traces(&paths), turns = 0, bounces = 0;
    if (count == 0)
        fail_msg("no traces in %s", TRACES);
    for (size_t k = 0; k < count; k++) {
        csb_trace trace;
        csb_ref_map map;
        if (!trace_read(&csb_trace_format, paths[k], &trace, message, sizeof message))
            fail_msg("%s", message);
        assert_true(csb_ref_map_create(&map, (const int32_t(*)[2])trace.checkpoints, trace.n, trace.laps));
        replay(paths[k], &trace, &map);
        turns += trace.base.turn_count;
        bounces += trace.base.event_count;
        end_csb_ref_map(&map);
        trace_free(&trace);
    }
    print_message("%zu traces, %zu turns, %zu bounces\n", count, turns, bounces);
    free_list(paths, count);
}

/* ---- the rules by hand ---- */

static const int32_t square[4][2] = {{0, 0}, {10000, 0}, {10000, 8000}, {0, 8000}};

/* A world at the start of `square` with pods far from each other and from all checkpoints. */
static void set_apart(csb_ref_world *world, csb_ref_map *map)
{
    assert_true(csb_ref_map_create(map, square, 4, 3));
    csb_ref_start(world, map);
    for (int i = 0; i < PODS; i++) {
        world->x[i] = 4000 + 2000 * (i % 2);
        world->y[i] = 3000 + (i < 2 ? 0 : 2000);
    }
}

/* Every pod aims at its own position: no pod turns or accelerates. */
static void stay(const csb_ref_world *world, double actions[PODS][3])
{
    for (int i = 0; i < PODS; i++) {
        actions[i][0] = world->x[i];
        actions[i][1] = world->y[i];
        actions[i][2] = 200;
    }
}

TEST(test_elementary)
{
    double s, c;
    csb_ref_sincos(0.0, &s, &c);
    assert_true(s == 0 && !signbit(s) && c == 1);
    csb_ref_sincos(-0.0, &s, &c);
    assert_true(s == 0 && signbit(s) && c == 1);
    csb_ref_sincos(PI, &s, &c);
    assert_true(s == 1.2246467991473515e-16 && c == -1); /* the C library's sine ends in ...532e-16 */
    csb_ref_sincos(-PI, &s, &c);
    assert_true(s == -1.2246467991473515e-16 && c == -1);
    csb_ref_sincos(PI / 2, &s, &c);
    assert_true(s == 1 && c == 6.1232339957367574e-17);

    assert_true(csb_ref_atan2(0, 5) == 0 && csb_ref_atan2(0, 0) == 0);
    assert_true(csb_ref_atan2(0, -5) == PI);
    assert_true(csb_ref_atan2(3, 0) == PI / 2 && csb_ref_atan2(-3, 0) == -PI / 2);
    assert_true(csb_ref_atan2(7, 7) == PI / 4 && csb_ref_atan2(-7, 7) == -PI / 4);
    assert_true(csb_ref_atan2(7, -7) == 3 * PI / 4 && csb_ref_atan2(-7, -7) == -3 * PI / 4);
    assert_true(csb_ref_atan2(-1e-300, -1e300) == PI); /* the quotient vanishes: +0, which is not below 0 */
    assert_true(csb_ref_atan2(1e300, 1e-300) == PI / 2);

    /* Elsewhere they are near the C library's. */
    for (int k = -4000; k <= 4000; k++) {
        double a = k * 0.05;
        csb_ref_sincos(a, &s, &c);
        assert_true(fabs(s - sin(a)) < 4e-16 && fabs(c - cos(a)) < 4e-16);
        double x = 1000 * cos(a), y = 1000 * sin(a);
        assert_true(fabs(csb_ref_atan2(y, x) - atan2(y, x)) < 1e-15);
    }
}

TEST(test_start)
{
    csb_ref_world world;
    OWNED(csb_ref_map) map;
    assert_true(csb_ref_map_create(&map, square, 4, 3));
    csb_ref_start(&world, &map);
    assert_int_equal(map.count, 13);
    assert_true(map.cp[12][0] == 0 && map.cp[12][1] == 0 && map.cp[5][0] == 10000);
    for (int i = 0; i < PODS; i++) {
        const double y[PODS] = {-500, 500, -1500, 1500};
        assert_true(world.x[i] == 0 && world.y[i] == y[i]);
        assert_true(world.angle[i] == -0.017453292519943295 && world.next[i] == 1);
    }
    assert_true(world.timeout[0] == 100 && world.timeout[1] == 100 && world.winner == -1);
}

/* On tick 0 a pod turns at once; the two rule sets store the angle differently. */
TEST(test_first_tick)
{
    static const struct {
        double dx, dy, full, test;
    } cases[] = {
        {0, -1000, -PI / 2, -PI / 2 + 2 * PI},
        {1000, 0, 0, 0},
        {-1000, 0, -PI, -PI + 2 * PI}, /* straight behind: the turn comes out as -pi */
        {0, 1000, PI / 2, PI / 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (int rules = CAROM_CSB_FULL; rules <= CAROM_CSB_TEST; rules++) {
            csb_ref_world world;
            OWNED(csb_ref_map) map;
            double actions[PODS][3];
            set_apart(&world, &map);
            stay(&world, actions);
            actions[0][0] += cases[k].dx;
            actions[0][1] += cases[k].dy;
            csb_ref_step(&world, &map, (carom_csb_rules)rules, CSB_REF_REFEREE, actions, NULL, NULL);
            assert_true(world.angle[0] == (rules == CAROM_CSB_FULL ? cases[k].full : cases[k].test));
            assert_true(hypot(world.vx[0], world.vy[0]) == 170); /* 200 * 0.85, along an axis */
            assert_true(world.angle[1] == -0.017453292519943295);
            assert_true(world.vx[1] == 0);

            /* From then on at most 18 degrees a tick. */
            double angle = world.angle[0];
            stay(&world, actions);
            actions[0][0] -= cases[k].dx;
            actions[0][1] -= cases[k].dy;
            csb_ref_step(&world, &map, (carom_csb_rules)rules, CSB_REF_REFEREE, actions, NULL, NULL);
            assert_true(fabs(world.angle[0] - angle) == MAX_TURN ||
                        fabs(fabs(world.angle[0] - angle) - MAX_TURN) < 1e-15);
        }
    }
}

TEST(test_own_position)
{
    csb_ref_world world, before;
    OWNED(csb_ref_map) map;
    double actions[PODS][3];
    set_apart(&world, &map);
    world.tick = 3;
    world.vx[0] = 100;
    world.angle[0] = 2;
    stay(&world, actions);
    actions[1][0] = NAN; /* no target at all counts as the own position */
    actions[2][1] = -INFINITY;
    before = world;
    csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, NULL, NULL);
    assert_true(world.x[0] == before.x[0] + 100 && world.vx[0] == 85 && world.angle[0] == 2);
    for (int i = 1; i < PODS; i++)
        assert_true(world.x[i] == before.x[i] && world.vx[i] == 0 && world.angle[i] == before.angle[i]);
}

/* SHIELD in tick t: no thrust in t .. t + 3; the engine works again in t + 4. */
TEST(test_shield)
{
    csb_ref_world world;
    OWNED(csb_ref_map) map;
    float actions[PODS][2] = {{0, CAROM_CSB_SHIELD}};
    set_apart(&world, &map);
    world.angle[0] = 0;
    for (int t = 0; t < 5; t++) {
        csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_RELATIVE, actions, NULL, NULL);
        assert_int_equal(world.shield[0], t < 4 ? 3 - t : 0);
        assert_true(world.vx[0] == (t < 4 ? 0 : 85));
        actions[0][1] = 100;
    }
}

TEST(test_boost)
{
    csb_ref_world world;
    OWNED(csb_ref_map) map;
    float actions[PODS][2] = {{0, CAROM_CSB_BOOST}, {0, CAROM_CSB_SHIELD}, {0, 0}, {0, 1e6f}};
    set_apart(&world, &map);
    for (int i = 0; i < PODS; i++)
        world.angle[i] = i == 0 ? PI : 0; /* away from its neighbour */
    csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_RELATIVE, actions, NULL, NULL);
    assert_true(world.vx[0] == -552 && world.boosted[0] == 1); /* trunc(650 * 0.85) */
    assert_true(world.vx[3] == 170);                           /* clamped to 200 */

    actions[1][1] = CAROM_CSB_BOOST; /* under the shield: wasted */
    actions[0][1] = CAROM_CSB_BOOST; /* a second one is a thrust of 200 */
    csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_RELATIVE, actions, NULL, NULL);
    assert_true(world.vx[0] == trunc((-552 - 200) * 0.85));
    assert_true(world.vx[1] == 0 && world.boosted[1] == 1 && world.shield[1] == 2);
}

/* Two pods close in at 200; each is thrown back by at least 120: 100 + 120 = 220 here. */
TEST(test_least_impulse)
{
    csb_ref_world world;
    csb_ref_map map;
    csb_ref_record record;
    double actions[PODS][3];
    set_apart(&world, &map);
    world.x[0] = 3000, world.x[1] = 3900, world.y[1] = world.y[0];
    world.vx[0] = 100, world.vx[1] = -100;
    stay(&world, actions);
    csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, NULL, &record);
    assert_int_equal(record.bounce_count, 1);
    assert_true(record.bounces[0].left == 0.5 && record.bounces[0].first == 1 && record.bounces[0].second == 0);
    assert_true(record.moved[0][2] == -120 && record.moved[1][2] == 120);
    assert_true(fabs(record.moved[0][0] - (2990 - 1e-5)) < 1e-9); /* pushed apart, then half a tick at 120 */
    assert_true(fabs(record.moved[1][0] - (3910 + 1e-5)) < 1e-9);
    assert_true(world.x[0] == 2990 && world.x[1] == 3910 && world.vx[0] == -102 && world.vx[1] == 102);

    end_csb_ref_map(&map);

    /* With a shield on pod 1 (mass 10) the impulse is shared as the masses are. */
    set_apart(&world, &map);
    world.x[0] = 3000, world.x[1] = 3900, world.y[1] = world.y[0];
    world.vx[0] = 100, world.vx[1] = -100;
    stay(&world, actions);
    actions[1][2] = CAROM_CSB_SHIELD;
    csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, NULL, &record);
    double impulse = 2 * (200 / 1.1);
    assert_true(fabs(record.moved[0][2] - (100 - impulse)) < 1e-9);
    assert_true(fabs(record.moved[1][2] - (-100 + 0.1 * impulse)) < 1e-9);
    end_csb_ref_map(&map);
}

TEST(test_normalised)
{
    csb_ref_world world;
    OWNED(csb_ref_map) map;
    const float actions[PODS][2] = {{0.5f, 0.5f}, {-7, 1}, {NAN, NAN}, {0, -0.96f}};
    set_apart(&world, &map);
    world.tick = 1;
    for (int i = 0; i < PODS; i++)
        world.angle[i] = 0;
    csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_NORMALISED, actions, NULL, NULL);
    assert_true(world.angle[0] == 0.5 * MAX_TURN && world.vx[0] == trunc(150 * cos(0.5 * MAX_TURN) * 0.85));
    assert_true(world.angle[1] == -MAX_TURN && world.boosted[1] == 1);
    assert_true(world.angle[2] == 0 && world.vx[2] == 85);
    assert_true(world.shield[3] == 3 && world.vx[3] == 0);
}

/* No pod moves: player 0 is the first to lose, after 100 ticks. Play continues; the end is not reported again. */
TEST(test_timeout)
{
    csb_ref_world world;
    OWNED(csb_ref_map) map;
    double actions[PODS][3];
    set_apart(&world, &map);
    stay(&world, actions);
    for (int t = 1; t <= 103; t++) {
        float rewards[2];
        int end = csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, rewards, NULL);
        assert_int_equal(end, t == 100 ? CAROM_TERMINATED : CAROM_RUNNING);
        assert_true(rewards[0] == (t == 100 ? -1 : 0) && rewards[1] == (t == 100 ? 1 : 0));
        assert_int_equal(world.timeout[0], 100 - t);
        assert_int_equal(world.winner, t < 100 ? -1 : 1);
    }
}

/* Pods 0 (at x = -450) and 2 (at x2) rest within reach of all checkpoints and pass one a tick. */
static void set_in_reach(csb_ref_world *world, csb_ref_map *map, uint32_t laps, double x2)
{
    int32_t xy[17][2];
    for (int32_t k = 0; k < 17; k++) {
        xy[k][0] = k;
        xy[k][1] = 0;
    }
    assert_true(csb_ref_map_create(map, (const int32_t(*)[2])xy, 17, laps));
    csb_ref_start(world, map);
    world->x[0] = -450, world->y[0] = 0;
    world->x[1] = -5000;
    world->x[2] = x2, world->y[2] = 0;
    world->x[3] = 5000;
}

/* After 500 ticks the last checkpoint is (8, 0). Its distance decides; among equals the first pod. */
TEST(test_truncation)
{
    static const struct {
        double x2;
        int winner;
    } cases[] = {{450, 1}, {466, 0}, {480, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        csb_ref_world world;
        OWNED(csb_ref_map) map;
        double actions[PODS][3];
        set_in_reach(&world, &map, 31, cases[k].x2); /* 527 checkpoints: more than there are ticks */
        stay(&world, actions);
        for (int t = 1; t <= 500; t++) {
            float rewards[2];
            int end = csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, rewards, NULL);
            assert_int_equal(end, t == 500 ? CAROM_TRUNCATED : CAROM_RUNNING);
            assert_int_equal(world.next[0], t + 1);
            assert_int_equal(world.winner, t < 500 ? -1 : cases[k].winner);
            double change = 1 - ((450 + (t + 1) % 17) - (450 + t % 17)) / 20000.0;
            double prize = t < 500 ? 0 : cases[k].winner == 0 ? 1 : -1;
            assert_true(fabs(rewards[0] - (change + prize)) < 1e-6);
        }
    }
}

/* The radius itself is too far; a path that comes closer in its middle is near enough. */
TEST(test_checkpoint_radius)
{
    csb_ref_world world;
    OWNED(csb_ref_map) map;
    double actions[PODS][3];
    set_apart(&world, &map);
    world.x[0] = 9400, world.y[0] = 0; /* 600 from checkpoint 1 */
    world.x[1] = 9400, world.y[1] = 7000;
    world.next[1] = 2; /* (10000, 8000): passed by at high speed */
    world.vy[1] = 2000;
    stay(&world, actions);
    csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, NULL, NULL);
    assert_int_equal(world.next[0], 1);
    assert_int_equal(world.next[1], 2);
    assert_int_equal(world.timeout[0], 99);

    world.x[0] = 9401;
    world.x[1] = 9401, world.y[1] = 7000;
    world.vy[1] = 2000;
    stay(&world, actions);
    csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, NULL, NULL);
    assert_int_equal(world.next[0], 2);
    assert_int_equal(world.next[1], 3);
    assert_int_equal(world.timeout[0], 99); /* 100, less this tick */
}

TEST(test_win)
{
    csb_ref_world world;
    OWNED(csb_ref_map) map;
    double actions[PODS][3];
    csb_ref_record record;
    set_in_reach(&world, &map, 1, 450);
    world.next[2]++;
    stay(&world, actions);
    for (int t = 1; t <= 18; t++) {
        int end = csb_ref_step(&world, &map, CAROM_CSB_TEST, CSB_REF_REFEREE, actions, NULL, &record);
        assert_int_equal(end, t == 16 ? CAROM_TERMINATED : CAROM_RUNNING);
        assert_int_equal(world.won[2], t >= 16);
        assert_int_equal(record.passed, 2); /* the last one again after the win */
        assert_int_equal(world.next[2], t < 16 ? t + 2 : 17);
    }
    assert_int_equal(world.winner, 1);
    assert_true(csb_ref_value(&world, &map, 0) == 0); /* both have won by now */
}

/* The full game takes no thrust above 200: it counts as 0 and loses. The test rules take any. */
TEST(test_bad_thrust)
{
    static const struct {
        double thrust;
        bool loses;
        double full_vx, test_vx;
    } cases[] = {{201, true, 0, 170}, {NAN, true, 0, 0}, {200, false, 170, 170}, {-50, false, -42, -42}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        csb_ref_world world;
        OWNED(csb_ref_map) map;
        double actions[PODS][3];
        set_apart(&world, &map);
        stay(&world, actions);
        actions[2][0] += 1000;
        actions[2][2] = cases[k].thrust;
        const csb_ref_world start = world;
        int end = csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, NULL, NULL);
        assert_int_equal(end, cases[k].loses ? CAROM_TERMINATED : CAROM_RUNNING);
        assert_int_equal(world.winner, cases[k].loses ? 0 : -1);
        assert_true(world.vx[2] == cases[k].full_vx);

        world = start;
        end = csb_ref_step(&world, &map, CAROM_CSB_TEST, CSB_REF_REFEREE, actions, NULL, NULL);
        assert_int_equal(end, CAROM_RUNNING);
        assert_true(world.vx[2] == cases[k].test_vx);
    }
}

/* A world in trouble goes back to the start of the tick and stays there. */
TEST(test_faults)
{
    csb_ref_world world, before;
    csb_ref_map map;
    double actions[PODS][3];
    for (int k = 0; k < 3; k++) {
        float turns[PODS][2] = {{0, 100}};
        set_apart(&world, &map);
        if (k == 0)
            world.x[0] = world.x[1], world.y[0] = world.y[1]; /* no direction to bounce */
        else if (k == 1)
            world.vx[0] = 67108000; /* leaves the range */
        else
            turns[3][0] = INFINITY; /* on tick 0 any turn is taken */
        before = world;
        stay(&world, actions);
        csb_ref_step(&world, &map, CAROM_CSB_FULL, k < 2 ? CSB_REF_REFEREE : CSB_REF_RELATIVE,
                     k < 2 ? (const void *)actions : (const void *)turns, NULL, NULL);
        assert_int_equal(world.fault, k == 0 ? CAROM_FAULT_NAN : CAROM_FAULT_RANGE);
        assert_int_equal(world.end, CAROM_TRUNCATED);
        before.end = world.end;
        assert_string_equal(csb_ref_difference(&world, &before), "fault");
        before.fault = world.fault;
        before.frozen = 1;
        csb_ref_step(&world, &map, CAROM_CSB_FULL, CSB_REF_REFEREE, actions, NULL, NULL);
        assert_null(csb_ref_difference(&world, &before));
        end_csb_ref_map(&map);
    }
}

TEST(test_observation)
{
    csb_ref_world world;
    OWNED(csb_ref_map) map;
    float seen[CAROM_CSB_OBSERVATION];
    set_apart(&world, &map);
    world.next[2] = 12; /* the last one */
    world.shield[2] = 3;
    world.angle[2] = 0;
    world.timeout[1] = 50;
    world.tick = 250;
    csb_ref_observe(&world, &map, 1, seen);
    const float pod2[CAROM_CSB_OBSERVATION_POD] = {
        0.25f, (float)(5000.0 / 9000), 0, 0, 1, 0, -0.25f, -0.3125f, -0.25f, -0.3125f, 1, 1, 0};
    assert_memory_equal(seen, pod2, sizeof pod2);
    assert_true(seen[26] == 0.25f && seen[27] == (float)(3000.0 / 9000)); /* pod 0 comes third */
    assert_true(seen[32] == 0.375f && seen[34] == 0.375f && seen[35] == 0.3125f);
    assert_true(seen[52] == 0.5f && seen[53] == 1 && seen[54] == 0.5f);

    size_t bytes;
    int16_t *next = csb_ref_field(&world, "next", &bytes);
    assert_non_null(next);
    assert_true(bytes == 8 && next[2] == 12);
    assert_null(csb_ref_field(&world, "map", &bytes));
}
