/* SPDX-License-Identifier: MIT
 * New games on request: restart, reseed, seeds by world; worlds with the same seed and id have the same games at any
 * index. State by lists of worlds. Reasons for refused copies, sets and loads.
 */
#include "batch.h"

#define WORLDS 37
#define SHARED_MAPS 99

typedef struct subject {
    const carom_game *game;
    carom_precision precision;
    carom_isa isa;
} subject;

static const uint64_t shared_maps = SHARED_MAPS;

static carom_worlds *make(const subject *s, uint64_t seed, uint64_t first_id, size_t count)
{
    carom_worlds_desc desc = carom_worlds_desc_default(s->game);
    carom_csb_options csb = carom_csb_options_default();
    carom_soccer_options soccer = carom_soccer_options_default();
    csb.map_seed = &shared_maps;
    csb.ticks = 30;
    soccer.ticks = 25;
    desc.options = s->game == carom_game_find("csb")      ? (const void *)&csb
                   : s->game == carom_game_find("soccer") ? (const void *)&soccer
                                                          : NULL;
    desc.count = count;
    desc.precision = s->precision;
    desc.isa = s->isa;
    desc.seed = seed;
    desc.first_id = first_id;
    desc.threads = 2;
    desc.at_end = CAROM_RESET;
    return make_worlds(&desc);
}

/* By the last policy of the game, which draws. */
static void play(carom_worlds *worlds, size_t ticks)
{
    const carom_game_info info = carom_game_describe(carom_worlds_describe(worlds).game);
    carom_step step = STEP_WITH(.ticks = ticks);
    for (uint32_t p = 0; p < info.players; p++) {
        step.players[p].source = CAROM_POLICY;
        step.players[p].policy = info.policies > 1 ? 1 : 0;
    }
    must(carom_worlds_play(worlds, &step), "carom_worlds_play");
}

static void hashes_of(const carom_worlds *worlds, uint64_t *hashes)
{
    must(carom_worlds_hash(worlds, 0, carom_worlds_count(worlds), hashes), "carom_worlds_hash");
}

static void for_all(void (*test)(const subject *s))
{
    for (size_t g = 0; carom_game_at(g) != NULL; g++)
        for (size_t k = 0; k < 2 * isa_count; k++) {
            const subject s = {carom_game_at(g), k % 2 ? CAROM_F64 : CAROM_F32, isas[k / 2]};
            test(&s);
        }
}

static const char *problem_of(const carom_worlds *worlds)
{
    static carom_problem problem;
    must(carom_worlds_problem(worlds, &problem), "carom_worlds_problem");
    return problem.text;
}

/* ---- restart ---- */

/* Restarted worlds of one batch, with their own ids and seeds, play what batches created with those play, at other
 * indices. */
TEST_BY(for_all, test_shared, const subject *s)
{
    uint64_t ids[WORLDS], seeds[WORLDS], before[WORLDS], after[WORLDS], single = 0;
    uint8_t mask[WORLDS];
    OWNED(carom_worlds) *mixed = make(s, 1, 0, WORLDS), *untouched = make(s, 1, 0, WORLDS);
    for (size_t w = 0; w < WORLDS; w++) {
        ids[w] = 1000 + 7 * (WORLDS - w);
        seeds[w] = w % 4 == 0 ? 1 : 50 + w % 3;
        mask[w] = w % 5 != 2;
    }
    play(mixed, 7);
    play(untouched, 7);
    must(carom_worlds_restart(mixed, mask, ids, seeds), "carom_worlds_restart");
    uint64_t told[WORLDS];
    must(carom_worlds_seeds(mixed, 0, WORLDS, told), "carom_worlds_seeds");
    play(mixed, 45);
    play(untouched, 45);
    hashes_of(untouched, before);
    hashes_of(mixed, after);
    for (size_t w = 0; w < WORLDS; w++) {
        assert_true(told[w] == (mask[w] ? seeds[w] : 1));
        if (!mask[w]) {
            assert_true(after[w] == before[w]);
        } else if (w % 6 == 1) {
            OWNED(carom_worlds) *alone = make(s, seeds[w], ids[w] - 3, 5);
            play(alone, 45);
            must(carom_worlds_hash(alone, 3, 1, &single), "carom_worlds_hash");
            assert_true(single == after[w]);
        }
    }

    /* Worlds copied by carom_worlds_copy() continue as the originals would have. */
    OWNED(carom_worlds) *copy = make(s, 9, 500, WORLDS + 2);
    size_t to[WORLDS];
    for (size_t w = 0; w < WORLDS; w++)
        to[w] = WORLDS + 1 - w;
    must(carom_worlds_copy(copy, to, mixed, NULL, WORLDS), problem_of(copy));
    play(copy, 20);
    play(mixed, 20);
    hashes_of(mixed, after);
    for (size_t w = 0; w < WORLDS; w++) {
        must(carom_worlds_hash(copy, to[w], 1, &single), "carom_worlds_hash");
        assert_true(single == after[w]);
    }
}

/* Without ids and seeds: the next episode, also of a world that is frozen or has a fault. */
TEST(test_next_episode)
{
    const subject s = {carom_game_find("soccer"), CAROM_F64, CAROM_ISA_DEFAULT};
    OWNED(carom_worlds) *worlds = make(&s, 3, 0, WORLDS), *same = make(&s, 3, 0, WORLDS);
    int8_t flags[WORLDS];
    int32_t episodes[WORLDS], ticks[WORLDS];
    uint8_t mask[WORLDS];
    uint64_t a[WORLDS], b[WORLDS];
    play(worlds, 5);
    play(same, 25); /* of 25: a second game starts by itself */
    for (size_t w = 0; w < WORLDS; w++) {
        flags[w] = w % 2;
        mask[w] = w != 20;
    }
    set_field(worlds, "frozen", 0, WORLDS, flags);
    set_field(worlds, "fault", 0, WORLDS, flags);
    must(carom_worlds_restart(worlds, mask, NULL, NULL), "carom_worlds_restart");
    get_field(worlds, "episode", 0, WORLDS, episodes);
    get_field(worlds, "tick", 0, WORLDS, ticks);
    hashes_of(worlds, a);
    hashes_of(same, b);
    assert_int_equal(carom_worlds_faults(worlds, NULL), 0);
    for (size_t w = 0; w < WORLDS; w++) {
        assert_int_equal(episodes[w], mask[w]);
        assert_int_equal(ticks[w], mask[w] ? 0 : 5);
        assert_true((a[w] == b[w]) == mask[w]);
    }
    must(carom_worlds_restart(worlds, NULL, NULL, NULL), "all");
    get_field(worlds, "episode", 0, WORLDS, episodes);
    assert_true(episodes[20] == 1 && episodes[0] == 2);
    episodes[0] = INT32_MAX;
    set_field(worlds, "episode", 0, 1, episodes);
    must(carom_worlds_restart(worlds, NULL, NULL, NULL), "after the last");
    get_field(worlds, "episode", 0, WORLDS, episodes);
    assert_true(episodes[0] == 0 && episodes[20] == 2);
    assert_int_equal(carom_worlds_restart(NULL, NULL, NULL, NULL), CAROM_ERROR_ARGUMENT);
}

/* A reseeded batch starts the same games as one created with that seed. */
TEST_BY(for_all, test_reseeded, const subject *s)
{
    OWNED(carom_worlds) *made = make(s, 8, 20, WORLDS), *told = make(s, 4, 20, WORLDS);
    uint64_t a[WORLDS], b[WORLDS], ids[WORLDS] = {0};
    play(told, 3);
    must(carom_worlds_restart(told, NULL, ids, ids), "carom_worlds_restart");
    must(carom_worlds_reseed(told, 8), "carom_worlds_reseed");
    must(carom_worlds_reset(told), "carom_worlds_reset");
    play(made, 33);
    play(told, 33);
    hashes_of(made, a);
    hashes_of(told, b);
    assert_memory_equal(a, b, sizeof a);
    assert_true(carom_worlds_describe(told).seed == 8);
    assert_int_equal(carom_worlds_reseed(NULL, 1), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_seeds(told, 0, WORLDS + 1, a), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_seeds(told, 0, 1, NULL), CAROM_ERROR_ARGUMENT);
}

/* Seeds are saved if worlds have their own; a save without them has the older format. */
TEST_BY(for_all, test_saved, const subject *s)
{
    uint64_t ids[WORLDS], seeds[WORLDS], a[WORLDS], b[WORLDS];
    OWNED(carom_worlds) *worlds = make(s, 1, 0, WORLDS), *loaded = make(s, 2, 0, WORLDS);
    const size_t plain = carom_worlds_save_size(worlds);
    for (size_t w = 0; w < WORLDS; w++)
        ids[w] = seeds[w] = 100 + w;
    must(carom_worlds_restart(worlds, NULL, ids, seeds), "carom_worlds_restart");
    const size_t size = carom_worlds_save_size(worlds);
    assert_int_equal(size, plain + WORLDS * 8);
    unsigned char *buffer = malloc(size);
    assert_non_null(buffer);
    must(carom_worlds_save(worlds, buffer, size), "carom_worlds_save");
    must(carom_worlds_load(loaded, buffer, size), problem_of(loaded));
    play(worlds, 35);
    play(loaded, 35);
    hashes_of(worlds, a);
    hashes_of(loaded, b);
    assert_memory_equal(a, b, sizeof a);
    buffer[size / 2] ^= 1;
    assert_int_equal(carom_worlds_load(loaded, buffer, size), CAROM_ERROR_FORMAT);
    assert_non_null(strstr(problem_of(loaded), "damaged"));
    assert_int_equal(carom_worlds_load(loaded, buffer, size - 1), CAROM_ERROR_FORMAT);
    assert_non_null(strstr(problem_of(loaded), "bytes"));
    free(buffer);
}

/* ---- lists of worlds ---- */

TEST(test_lists)
{
    const subject s = {carom_game_find("csb"), CAROM_F64, CAROM_ISA_DEFAULT};
    static const size_t list[] = {30, 2, 17, 2, 36};
    OWNED(carom_worlds) *worlds = make(&s, 3, 0, WORLDS), *twin = make(&s, 3, 0, WORLDS);
    double x[5][4], each[4];
    unsigned char records[5][512];
    uint64_t a[WORLDS], b[WORLDS];
    const size_t bytes = carom_worlds_record_size(worlds), field = field_index(worlds, "x");
    assert_true(bytes <= sizeof records[0]);
    play(worlds, 20);
    play(twin, 11);
    must(carom_worlds_get_list(worlds, field, list, 5, x), "carom_worlds_get_list");
    for (size_t k = 0; k < 5; k++) {
        must(carom_worlds_get(worlds, field, list[k], 1, each), "carom_worlds_get");
        assert_memory_equal(x[k], each, sizeof each);
    }
    for (size_t k = 0; k < 5; k++)
        x[k][0] = 100 + (double)k;
    must(carom_worlds_set_list(worlds, field, list, 5, x), "carom_worlds_set_list");
    must(carom_worlds_get(worlds, field, 2, 1, each), "carom_worlds_get");
    assert_true(each[0] == 103); /* the later one stays */
    must(carom_worlds_get(worlds, field, 36, 1, each), "carom_worlds_get");
    assert_true(each[0] == 104);

    must(carom_worlds_get_records(worlds, list, 5, records, 5 * bytes), "carom_worlds_get_records");
    must(carom_worlds_set_records(twin, list, 5, records, 5 * bytes), problem_of(twin));
    hashes_of(worlds, a);
    hashes_of(twin, b);
    for (size_t w = 0; w < WORLDS; w++)
        assert_true((a[w] == b[w]) == (w == 30 || w == 2 || w == 17 || w == 36));
    must(carom_worlds_get_records(worlds, NULL, 3, records, 3 * bytes), "the first three");

    /* All or nothing: the first real of the third record becomes NaN. */
    const double nan = NAN;
    carom_status status = CAROM_OK;
    for (size_t at = 0; at + 8 <= bytes && status == CAROM_OK; at++) {
        hashes_of(twin, b);
        memcpy((unsigned char *)records + 2 * bytes + at, &nan, sizeof nan);
        status = carom_worlds_set_records(twin, NULL, 3, records, 3 * bytes);
    }
    assert_int_equal(status, CAROM_ERROR_VALUE);
    assert_non_null(strstr(problem_of(twin), "world 2: the record"));
    hashes_of(twin, a);
    assert_memory_equal(a, b, sizeof a);
    x[4][1] = NAN;
    assert_int_equal(carom_worlds_set_list(twin, field, list, 5, x), CAROM_ERROR_VALUE);
    assert_non_null(strstr(problem_of(twin), "world 36: the new x"));
    hashes_of(twin, a);
    assert_memory_equal(a, b, sizeof a);

    const size_t beyond[] = {1, WORLDS};
    assert_int_equal(carom_worlds_get_list(worlds, field, beyond, 2, x), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_set_list(worlds, field, beyond, 2, x), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_set_list(worlds, field_index(worlds, "cx"), list, 1, x), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get_list(worlds, 1000, list, 1, x), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get_records(worlds, beyond, 2, records, 2 * bytes), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_get_records(worlds, list, 2, records, bytes), CAROM_ERROR_SIZE);
    assert_int_equal(carom_worlds_set_records(worlds, NULL, WORLDS + 1, records, 2 * bytes), CAROM_ERROR_ARGUMENT);
}

/* ---- why not ---- */

TEST(test_problems)
{
    const subject csb = {carom_game_find("csb"), CAROM_F64, CAROM_ISA_DEFAULT};
    const subject soccer = {carom_game_find("soccer"), CAROM_F64, CAROM_ISA_DEFAULT};
    const subject single = {carom_game_find("csb"), CAROM_F32, CAROM_ISA_DEFAULT};
    OWNED(carom_worlds) *a = make(&csb, 1, 0, 4), *b = make(&soccer, 1, 0, 4), *c = make(&single, 1, 0, 4);
    static const size_t beyond[] = {4};
    const double x[4] = {NAN, 0, 0, 0};
    carom_worlds_desc desc = WORLDS_DESC(csb.game, .count = 4, .seed = 7);
    OWNED(carom_worlds) *d = make_worlds(&desc);
    desc.seed = 8;
    OWNED(carom_worlds) *e = make_worlds(&desc);
    assert_int_equal(carom_worlds_copy(a, NULL, b, NULL, 1), CAROM_ERROR_ARGUMENT);
    assert_string_equal(problem_of(a), "the worlds are from a batch of soccer, but this is a batch of csb");
    assert_int_equal(carom_worlds_fork(a, 0, 1, c, 0), CAROM_ERROR_ARGUMENT);
    assert_string_equal(problem_of(a), "the worlds are from a batch in f32, but this is a batch in f64");
    assert_int_equal(carom_worlds_copy(d, NULL, e, NULL, 1), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem_of(d), "another seed: 8 there, 7 here"));
    desc.seed = 7;
    carom_csb_options test_mode = carom_csb_options_default();
    test_mode.rules = CAROM_CSB_TEST;
    desc.options = &test_mode;
    OWNED(carom_worlds) *f = make_worlds(&desc);
    assert_int_equal(carom_worlds_copy(d, NULL, f, NULL, 1), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem_of(d), "other options"));
    assert_int_equal(carom_worlds_copy(a, beyond, a, NULL, 1), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem_of(a), "does not have"));
    assert_int_equal(carom_worlds_fork(a, 3, 2, a, 0), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem_of(a), "does not have"));
    assert_int_equal(carom_worlds_set(a, field_index(a, "x"), 2, 1, x), CAROM_ERROR_VALUE);
    assert_string_equal(problem_of(a), "world 2: the new x has a value that csb does not allow");
    assert_int_equal(carom_worlds_set(a, field_index(a, "cx"), 2, 1, x), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem_of(a), "cx is derived"));
}
