/* SPDX-License-Identifier: MIT
 * The maps of csb: the thirteen base maps, those drawn from them, the caller's; a batch's options; how games start.
 */
#define _GNU_SOURCE

#include "allocations.h"
#include "csb_batch.h"

#define DRAWN 1024 /* by default */
#define SHIFT 30
#define WORLDS 4096

static carom_worlds_desc desc_of(const carom_csb_options *options, size_t count)
{
    carom_worlds_desc desc = WORLDS_DESC(carom_game_find("csb"), .options = options, .count = count, .threads = 1);
    return desc;
}

static carom_worlds *make_drawn(uint32_t map_count, uint64_t seed, size_t count)
{
    carom_csb_options options = carom_csb_options_default();
    options.map_count = map_count;
    carom_worlds_desc desc = desc_of(&options, count);
    desc.seed = seed;
    return make_worlds(&desc);
}

typedef struct some_map {
    uint32_t n, laps;
    int32_t xy[8][2];
} some_map;

static some_map map_of(const carom_worlds *worlds, uint32_t index)
{
    some_map map;
    memset(&map, 0, sizeof map);
    must(carom_csb_get_map(worlds, index, &map.n, &map.laps, map.xy, 8), "carom_csb_get_map");
    assert_in_range(map.n, 2, 8);
    return map;
}

/* ---- base maps ---- */

TEST(test_base_maps)
{
    uint32_t n = 77;
    for (size_t b = 0; b < CAROM_CSB_BASE_MAPS; b++) {
        const int32_t(*xy)[2] = carom_csb_base_map(b, &n);
        assert_non_null(xy);
        assert_in_range(n, 3, 6);
        for (uint32_t k = 0; k < n; k++) {
            assert_in_range(xy[k][0], 2000, 15000);
            assert_in_range(xy[k][1], 800, 8000);
        }
    }
    assert_null(carom_csb_base_map(CAROM_CSB_BASE_MAPS, &n));
    assert_null(carom_csb_base_map(SIZE_MAX, NULL));
    const int32_t(*first)[2] = carom_csb_base_map(0, NULL);
    assert_true(first[0][0] == 12460 && first[0][1] == 1350 && first[3][0] == 13580 && first[3][1] == 7600);
    const int32_t(*last)[2] = carom_csb_base_map(12, &n);
    assert_true(n == 4 && last[0][0] == 10323 && last[0][1] == 3366 && last[3][0] == 5425 && last[3][1] == 2838);
}

/* The checkpoint of a base map that a drawn one is a shift of; n if there is none. */
static uint32_t origin_of(const int32_t (*base)[2], uint32_t n, const int32_t point[2])
{
    uint32_t k = 0;
    while (k < n && (abs(point[0] - base[k][0]) > SHIFT || abs(point[1] - base[k][1]) > SHIFT))
        k++;
    return k;
}

/* Is it a base map with shifts, its order one single cycle of the base map's? */
static bool is_drawn_from(const some_map *map, size_t b, bool shifts[2])
{
    uint32_t n, steps = 0, at = 0;
    const int32_t(*base)[2] = carom_csb_base_map(b, &n);
    if (n != map->n)
        return false;
    do { /* from place to place: where the checkpoint at `at` was in the base map */
        const uint32_t origin = origin_of(base, n, map->xy[at]);
        if (origin == n)
            return false;
        for (int axis = 0; axis < 2; axis++) {
            shifts[0] |= map->xy[at][axis] - base[origin][axis] == -SHIFT;
            shifts[1] |= map->xy[at][axis] - base[origin][axis] == SHIFT;
        }
        at = origin;
        steps++;
    } while (at != 0 && steps < n);
    return at == 0 && steps == n;
}

TEST(test_drawn_maps)
{
    OWNED(carom_worlds) *worlds = make_drawn(DRAWN, 5, 1);
    size_t seen[CAROM_CSB_BASE_MAPS] = {0};
    bool shifts[2] = {false, false}; /* by -30, by 30 */
    for (uint32_t m = 0; m < DRAWN; m++) {
        const some_map map = map_of(worlds, m);
        size_t b = 0;
        assert_int_equal(map.laps, 3);
        while (b < CAROM_CSB_BASE_MAPS && !is_drawn_from(&map, b, shifts))
            b++;
        if (b == CAROM_CSB_BASE_MAPS)
            fail_msg("map %u is none of the base maps, shifted and scrambled", m);
        seen[b]++;
    }
    for (size_t b = 0; b < CAROM_CSB_BASE_MAPS; b++)
        assert_in_range(seen[b], 40, 130); /* 1024 / 13 = 79, 6 standard deviations */
    assert_true(shifts[0] && shifts[1]);
}

/* Map k depends on the seed and k only. */
TEST(test_map_count)
{
    OWNED(carom_worlds) *many = make_drawn(DRAWN, 5, 1), *few = make_drawn(10, 5, 100), *other = make_drawn(10, 6, 1);
    size_t equal = 0;
    for (uint32_t m = 0; m < 10; m++) {
        const some_map a = map_of(many, m), b = map_of(few, m), c = map_of(other, m);
        assert_memory_equal(&a, &b, sizeof a);
        equal += memcmp(&a, &c, sizeof a) == 0;
    }
    assert_int_equal(equal, 0);
}

TEST(test_get_map)
{
    OWNED(carom_worlds) *worlds = make_drawn(3, 1, 1);
    const some_map whole = map_of(worlds, 2);
    uint32_t n = 77, laps = 77;
    int32_t xy[3][2] = {{7, 7}, {7, 7}, {7, 7}};
    assert_int_equal(carom_csb_get_map(NULL, 0, &n, &laps, xy, 3), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_csb_get_map(worlds, 3, &n, &laps, xy, 3), CAROM_ERROR_ARGUMENT);
    assert_true(n == 77 && laps == 77 && xy[0][0] == 7);
    assert_int_equal(carom_csb_get_map(worlds, 2, NULL, NULL, NULL, 9), CAROM_OK);
    assert_int_equal(carom_csb_get_map(worlds, 2, &n, NULL, xy, 0), CAROM_OK);
    assert_true(n == whole.n && xy[0][0] == 7);
    assert_int_equal(carom_csb_get_map(worlds, 2, NULL, &laps, xy, 2), CAROM_OK); /* as many as fit */
    assert_true(laps == 3 && xy[2][0] == 7);
    assert_memory_equal(xy, whole.xy, 2 * sizeof xy[0]);
}

/* ---- the caller's maps ---- */

static const int32_t triangle[][2] = {{8000, 4500}, {9000, 4500}, {8500, 5500}};
static const carom_csb_map three_maps[] = {{triangle, 2, 1}, {triangle, 3, 31}, {triangle + 1, 2, 7}};

/* World with id i is on map i mod 3 at first, and on the next one in its next game. */
TEST(test_own_maps)
{
    carom_csb_options options = carom_csb_options_default();
    options.maps = three_maps;
    options.map_count = 3;
    carom_worlds_desc desc = desc_of(&options, 50);
    desc.first_id = UINT64_C(1) << 40 | 7;
    desc.at_end = CAROM_RESET;
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    for (uint32_t m = 0; m < 3; m++) {
        const some_map map = map_of(worlds, m);
        assert_true(map.n == three_maps[m].count && map.laps == three_maps[m].laps);
        assert_memory_equal(map.xy, three_maps[m].checkpoints, map.n * sizeof map.xy[0]);
    }
    static const double idle[50][PODS][3];
    carom_step step = STEP_WITH(.action_kind = action_kind("referee"), .actions = idle);
    for (int32_t e = 0; e < 4; e++) {
        int32_t maps[50], episodes[50];
        int16_t timeouts[50][2];
        get_field(worlds, "map", 0, 50, maps);
        get_field(worlds, "episode", 0, 50, episodes);
        for (size_t w = 0; w < 50; w++) {
            assert_int_equal(maps[w], (desc.first_id + w + (uint64_t)e) % 3);
            assert_int_equal(episodes[w], e);
            timeouts[w][0] = timeouts[w][1] = 1;
        }
        set_field(worlds, "timeout", 0, 50, timeouts); /* the last tick of every game */
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    }
}

/* ---- options ---- */

static void assert_refused(const carom_csb_options *options, carom_precision precision, carom_status status)
{
    carom_worlds_desc desc = desc_of(options, 20);
    desc.precision = precision;
    carom_worlds *worlds = (carom_worlds *)&desc;
    const size_t live = atomic_load(&allocation_live);
    assert_int_equal(carom_worlds_create(&desc, &worlds), status);
    assert_null(worlds);
    assert_int_equal(atomic_load(&allocation_live), live); /* nothing is leaked */
    assert_int_equal(carom_worlds_bytes(&desc), 0);
}

TEST(test_bad_options)
{
    carom_csb_options options = carom_csb_options_default();
    options.size--;
    assert_refused(&options, CAROM_F64, CAROM_ERROR_ARGUMENT);
    options = carom_csb_options_default();
    options.rules = (carom_csb_rules)2;
    assert_refused(&options, CAROM_F64, CAROM_ERROR_ARGUMENT);
    options = carom_csb_options_default();
    options.map_count = 0;
    assert_refused(&options, CAROM_F64, CAROM_ERROR_ARGUMENT);
    options.map_count = UINT32_MAX;
    assert_refused(&options, CAROM_F64, CAROM_ERROR_ARGUMENT);
    options.maps = three_maps;
    options.map_count = 0;
    assert_refused(&options, CAROM_F64, CAROM_ERROR_ARGUMENT);
    memset(&options, 0, sizeof options);
    assert_refused(&options, CAROM_F64, CAROM_ERROR_ARGUMENT);
}

TEST(test_bad_maps)
{
    static const int32_t same[][2] = {{0, 0}, {5, 5}, {5, 5}, {1, 1}}, round[][2] = {{0, 0}, {5, 5}, {0, 0}};
    static const int32_t wide[][2] = {{1 << 24, 0}, {0, -(1 << 24)}}, wider[][2] = {{0, 0}, {(1 << 24) + 1, 0}};
    static const int32_t lowest[][2] = {{0, 0}, {0, INT32_MIN}}, wide_f32[][2] = {{1 << 16, 0}, {0, -(1 << 16)}};
    static int32_t many[1025][2];
    for (int32_t k = 0; k < 1025; k++)
        many[k][0] = k;
    const int32_t(*all)[2] = (const int32_t(*)[2])many;
    const struct {
        carom_csb_map map;
        carom_status f64, f32;
    } cases[] = {
        {{triangle, 2, 1}, CAROM_OK, CAROM_OK},
        {{all, 1024, 31}, CAROM_OK, CAROM_OK},
        {{NULL, 3, 1}, CAROM_ERROR_ARGUMENT, CAROM_ERROR_ARGUMENT},
        {{triangle, 0, 1}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{triangle, 1, 1}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{all, 1025, 1}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{triangle, 3, 0}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{triangle, 3, 32}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{triangle, UINT32_MAX, 1}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{triangle, 2, UINT32_MAX}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{same, 4, 1}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{round, 3, 1}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE}, /* the last one is next to the first */
        {{wide, 2, 1}, CAROM_OK, CAROM_ERROR_VALUE},
        {{wider, 2, 1}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{lowest, 2, 1}, CAROM_ERROR_VALUE, CAROM_ERROR_VALUE},
        {{wide_f32, 2, 1}, CAROM_OK, CAROM_OK},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const carom_csb_map maps[2] = {{triangle, 3, 3}, cases[c].map}; /* also if the first one is right */
        for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
            carom_csb_options options = carom_csb_options_default();
            options.maps = maps;
            options.map_count = 2;
            const carom_status status = precision == CAROM_F64 ? cases[c].f64 : cases[c].f32;
            if (status != CAROM_OK) {
                assert_refused(&options, (carom_precision)precision, status);
                continue;
            }
            carom_worlds_desc desc = desc_of(&options, 20);
            desc.precision = (carom_precision)precision;
            const size_t live = atomic_load(&allocation_live);
            carom_worlds *worlds = NULL;
            if (carom_worlds_create(&desc, &worlds) != CAROM_OK)
                fail_msg("case %zu, f%d is refused", c, precision);
            carom_worlds_destroy(worlds);
            assert_int_equal(atomic_load(&allocation_live), live);
        }
    }
}

/* ---- starts ---- */

/* Every world at the start that the reference knows for its map; maps are drawn for worlds evenly. */
TEST(test_starts)
{
    static csb_ref_world worlds[WORLDS];
    static int32_t maps[WORLDS];
    static float x[WORLDS][PODS], y[WORLDS][PODS];
    uint32_t used[13] = {0};
    carom_csb_options options = carom_csb_options_default();
    options.map_count = 13;
    carom_worlds_desc desc = desc_of(&options, WORLDS);
    desc.seed = 3;
    OWNED(carom_worlds) *batch = make_worlds(&desc);
    desc.precision = CAROM_F32;
    OWNED(carom_worlds) *batch_f32 = make_worlds(&desc);
    get_worlds(batch, WORLDS, worlds);
    get_field(batch, "map", 0, WORLDS, maps);
    get_field(batch_f32, "x", 0, WORLDS, x);
    get_field(batch_f32, "y", 0, WORLDS, y);
    for (size_t w = 0; w < WORLDS; w++) {
        OWNED(csb_ref_map) map;
        csb_ref_world start;
        assert_in_range(maps[w], 0, 12);
        used[maps[w]]++;
        get_ref_map(batch, (uint32_t)maps[w], &map);
        csb_ref_start(&start, &map);
        assert_null(csb_ref_difference(&worlds[w], &start));
        for (int i = 0; i < PODS; i++)
            assert_true(x[w][i] == start.x[i] && y[w][i] == start.y[i]);
    }
    for (size_t m = 0; m < 13; m++)
        assert_in_range(used[m], 215, 415); /* 4096 / 13 = 315, about 6 standard deviations */
}

/* The angle of pod 0 after tick 0. */
static double first_angle(carom_csb_rules rules, const char *kind, double dx, double dy, float turn)
{
    carom_csb_options options = carom_csb_options_default();
    options.rules = rules;
    const carom_worlds_desc desc = desc_of(&options, 1);
    carom_worlds *worlds = make_worlds(&desc);
    double x[PODS], y[PODS], referee[PODS][3], angle[PODS];
    float small[PODS][2] = {{turn, 0}};
    get_field(worlds, "x", 0, 1, x);
    get_field(worlds, "y", 0, 1, y);
    for (int i = 0; i < PODS; i++) {
        referee[i][0] = x[i] + dx;
        referee[i][1] = y[i] + dy;
        referee[i][2] = 0;
    }
    PLAY(worlds, .action_kind = action_kind(kind),
         .actions = strcmp(kind, "referee") == 0 ? (const void *)referee : small);
    get_field(worlds, "angle", 0, 1, angle);
    carom_worlds_destroy(worlds);
    return angle[0];
}

/* In tick 0 a referee's pod turns at once, a relative one by any angle, a normalised one by at most 18 degrees. */
TEST(test_first_turn)
{
    const double up = -1.5707963267948966, start = -0.017453292519943295, whole = 6.2831853071795862;
    assert_true(first_angle(CAROM_CSB_FULL, "referee", 0, -9, 0) == up);
    assert_true(first_angle(CAROM_CSB_TEST, "referee", 0, -9, 0) == up + whole);
    assert_true(first_angle(CAROM_CSB_FULL, "referee", -9, 0, 0) == 2 * up);
    assert_true(first_angle(CAROM_CSB_TEST, "referee", -9, 0, 0) == 2 * up + whole);
    assert_true(first_angle(CAROM_CSB_TEST, "referee", 0, 0, 0) == start);
    for (int rules = CAROM_CSB_FULL; rules <= CAROM_CSB_TEST; rules++) {
        assert_true(first_angle((carom_csb_rules)rules, "relative", 0, 0, -2.5F) == start - 2.5);
        assert_true(first_angle((carom_csb_rules)rules, "relative", 0, 0, 40.0F) == start + 40);
        assert_true(first_angle((carom_csb_rules)rules, "normalised", 0, 0, -2.5F) == start - MAX_TURN);
    }
}
