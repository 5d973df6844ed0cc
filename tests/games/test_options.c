/* SPDX-License-Identifier: MIT
 * Options of games by their tables: every member of a structure is in its table, with the default of the game's header;
 * every option accepts both ends of its range, and an error names it beyond; presets; and a replay restores every
 * option.
 */
#include <math.h>
#include <stdio.h>

#include "tests/replay/replay_stream.h"

#define TICKS 40
#define MOST_BYTES 512

/* A structure of options of any game. */
typedef union structure {
    unsigned char bytes[MOST_BYTES];
    size_t size;
    double align;
} structure;

static structure defaults_of(const carom_game *game)
{
    structure s;
    memset(&s, 0, sizeof s);
    assert_in_range(carom_game_options_size(game), sizeof(size_t), sizeof s);
    assert_int_equal(carom_game_options_default(game, &s), CAROM_OK);
    assert_int_equal(s.size, carom_game_options_size(game));
    return s;
}

static bool is_number(const carom_option *option)
{
    return option->type <= CAROM_OPTION_CHOICE;
}

static carom_status check(const carom_game *game, const structure *s, carom_problem *problem)
{
    carom_worlds_desc desc = WORLDS_DESC(game, .options = s);
    return carom_game_check_options(&desc, problem);
}

/* ---- the tables are those of the structures ---- */

/* Every byte of a structure is a member's, or a gap before one that is aligned to its size. */
TEST(tables_hold_every_member)
{
    for (size_t g = 0; carom_game_at(g) != NULL; g++) {
        const carom_game *game = carom_game_at(g);
        const size_t size = carom_game_options_size(game);
        unsigned char taken[MOST_BYTES] = {0};
        carom_option o;
        memset(taken, 1, sizeof(size_t));
        for (size_t k = 0; carom_game_option(game, k, &o) == CAROM_OK; k++) {
            assert_true(o.meaning != NULL && o.meaning[0] != '\0');
            size_t index;
            assert_int_equal(carom_game_find_option(game, o.name, &index), CAROM_OK);
            assert_int_equal(index, k);
            assert_in_range(o.offset + o.bytes, 0, size);
            memset(taken + o.offset, 1, o.bytes);
            if (o.type == CAROM_OPTION_LIST)
                memset(taken + o.count_offset, 1, sizeof(uint32_t));
        }
        for (size_t at = 0; at < size; at++) {
            size_t end = at;
            while (end < size && !taken[end])
                end++;
            if (end != at && (end % 8 != 0 || end - at >= 8)) /* no gap before a member of 8 bytes, or the end */
                fail_msg("%s: bytes %zu to %zu are in no option", carom_game_describe(game).name, at, end);
            at = end;
        }
    }
}

#define ASSERT_DEFAULTS(game, ...)                                                                                     \
    do {                                                                                                               \
        const carom_##game##_options said = {__VA_ARGS__};                                                             \
        const carom_##game##_options is = carom_##game##_options_default();                                            \
        const structure table = defaults_of(carom_game_find(#game));                                                   \
        assert_memory_equal(&is, &table, sizeof is);                                                                   \
        carom_option o;                                                                                                \
        for (size_t k = 0; carom_game_option(carom_game_find(#game), k, &o) == CAROM_OK; k++)                          \
            if (memcmp((const char *)&said + o.offset, (const char *)&is + o.offset, o.bytes) != 0)                    \
                fail_msg(#game ": the default of %s is another", o.name);                                              \
    } while (0)

/* As in the headers. */
TEST(defaults)
{
    ASSERT_DEFAULTS(csb, .rules = CAROM_CSB_FULL, .map_count = 1024, .ticks = 500, .progress_reward = 1,
                    .result_reward = 1);
    ASSERT_DEFAULTS(fall, .scatter = -1, .gravity = -9.81, .keep = 0.98, .cutoff = 0.01, .kick = 0.5,
                    .last_tick = 1000);
    ASSERT_DEFAULTS(fantastic_bits, .snaffles = 0);
    ASSERT_DEFAULTS(soccer, .robots = 6, .balls = 1, .goals = 10, .ticks = 18000, .rate = 60, .length = 9, .width = 6,
                    .mouth = 1, .robot_radius = 0.09, .robot_mass = 2.2, .ball_radius = 0.0215, .ball_mass = 0.046,
                    .robot_restitution = 0.5, .ball_restitution = 0.83, .wall_restitution = 0.8, .friction = 0.49,
                    .max_speed = 3.5, .max_acceleration = 3, .max_spin = 10, .max_spin_acceleration = 50,
                    .kick_speed = 6.5, .kick_reset = 0.1, .arc = 30, .reach = 0.005, .stickiness = 100);
    ASSERT_DEFAULTS(stones, .rules = CAROM_STONES_AS_SHIPPED, .stones = 12, .ticks = 200, .ring = 400);
}

TEST(presets)
{
    const carom_game *soccer = carom_game_find("soccer");
    for (int league = CAROM_SOCCER_DIVISION_B; league <= CAROM_SOCCER_ORIGINAL; league++) {
        structure s = defaults_of(soccer);
        const carom_soccer_options is = carom_soccer_options_of((carom_soccer_league)league);
        assert_int_equal(carom_game_set_option(soccer, &s, "league", league, NULL), CAROM_OK);
        assert_memory_equal(&s, &is, sizeof is);
        assert_int_equal(check(soccer, &s, NULL), CAROM_OK);
        const double length[] = {9, 12, 4}, robots[] = {6, 11, 5};
        assert_true(is.length == length[league] && is.robots == robots[league]);
    }
}

/* ---- ranges ---- */

/* Options that must fit to others fit to these: a large field, or a small one; a ring, or none. */
static structure wide(const carom_game *game, bool large)
{
    structure s = defaults_of(game);
    if (strcmp(carom_game_describe(game).name, "soccer") == 0) {
        carom_soccer_options *o = (carom_soccer_options *)(void *)&s;
        o->length = o->width = large ? 100 : 1;
        o->rate = large ? 10000 : 20;
        o->mouth = 0.5;
        o->robot_radius = large ? 5 : 0.03;
        o->max_spin = 3;
        o->ball_radius = 0.001;
    } else if (strcmp(carom_game_describe(game).name, "stones") == 0 && !large) {
        ((carom_stones_options *)(void *)&s)->ring = 0;
    }
    return s;
}

/* A structure in which the option is `value`, if that is good. */
static carom_status with(const carom_game *game, const carom_option *o, double value, structure *s,
                         carom_problem *problem)
{
    carom_status status = CAROM_ERROR_VALUE;
    for (int k = 0; k < 3 && status != CAROM_OK; k++) {
        *s = k == 0 ? defaults_of(game) : wide(game, k == 1);
        status = carom_game_set_option(game, s, o->name, value, problem);
        status = status == CAROM_OK ? check(game, s, problem) : status;
    }
    return status;
}

static double get(const carom_option *o, const structure *s)
{
    double number;
    uint32_t word = 0;
    if (o->type == CAROM_OPTION_NUMBER) {
        memcpy(&number, s->bytes + o->offset, sizeof number);
        return number;
    }
    memcpy(&word, s->bytes + o->offset, o->bytes);
    return word;
}

static void refused(const carom_game *game, const carom_option *o, double value)
{
    structure s;
    carom_problem problem = {""};
    char bound[32];
    assert_int_not_equal(with(game, o, value, &s, &problem), CAROM_OK);
    assert_true(strncmp(problem.text, o->name, strlen(o->name)) == 0 && problem.text[strlen(o->name)] == ':');
    snprintf(bound, sizeof bound, "%.10g", o->high);
    if (o->choices == NULL && strstr(problem.text, bound) == NULL)
        fail_msg("'%s' does not say the range of %s", problem.text, o->name);
    /* Set directly in the structure, bypassing carom_game_set_option(): creating worlds fails. */
    s = defaults_of(game);
    carom_worlds *worlds;
    const uint32_t word = o->type == CAROM_OPTION_NUMBER ? 0 : (uint32_t)(int64_t)value;
    if (o->type == CAROM_OPTION_NUMBER)
        memcpy(s.bytes + o->offset, &value, sizeof value);
    else
        memcpy(s.bytes + o->offset, &word, o->bytes);
    carom_worlds_desc desc = WORLDS_DESC(game, .options = &s);
    problem.text[0] = '\0';
    const carom_status status = carom_worlds_create(&desc, &worlds);
    assert_int_not_equal(status, CAROM_OK);
    assert_int_equal(carom_game_check_options(&desc, &problem), status);
    assert_non_null(strstr(problem.text, o->name));
    assert_int_equal(carom_worlds_bytes(&desc), 0);
}

TEST(both_ends_of_every_range)
{
    for (size_t g = 0; carom_game_at(g) != NULL; g++) {
        const carom_game *game = carom_game_at(g);
        carom_option o;
        for (size_t k = 0; carom_game_option(game, k, &o) == CAROM_OK; k++) {
            if (!is_number(&o))
                continue;
            const bool real = o.type == CAROM_OPTION_NUMBER;
            const double ends[] = {o.low, o.below ? nextafter(o.high, o.low) : o.high, o.value};
            for (size_t e = 0; e < 3; e++) {
                structure s;
                carom_problem problem = {""};
                if (with(game, &o, ends[e], &s, &problem) != CAROM_OK)
                    fail_msg("%s: %s", carom_game_describe(game).name, problem.text);
                assert_true(get(&o, &s) == ends[e]);
            }
            if (real || o.low > 0)
                refused(game, &o, real ? nextafter(o.low, -INFINITY) : o.low - 1);
            refused(game, &o, o.below ? o.high : real ? nextafter(o.high, INFINITY) : o.high + 1);
            if (real)
                refused(game, &o, NAN);
        }
    }
}

/* Words, and outputs that stay as they are. */
TEST(what_is_no_option)
{
    carom_problem problem;
    carom_option o;
    size_t index = 7;
    const carom_game *csb = carom_game_find("csb");
    structure s = defaults_of(csb), before = s;
    assert_int_equal(carom_game_find_option(csb, "tikcs", &index), CAROM_ERROR_ARGUMENT);
    assert_int_equal(index, 7);
    assert_int_equal(carom_game_option(csb, 1000, &o), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_option(NULL, 0, &o), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_set_option(csb, &s, "tikcs", 5, &problem), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem.text, "'tikcs'"));
    assert_int_equal(carom_game_set_option(csb, &s, "maps", 5, &problem), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_set_option(csb, &s, "map_seed", 5, &problem), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_set_option(csb, &s, "ticks", 1.5, &problem), CAROM_ERROR_VALUE);
    assert_int_equal(carom_game_set_option(csb, &s, "ticks", 0, NULL), CAROM_ERROR_VALUE);
    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(carom_game_options_size(NULL), 0);
    s.size--;
    assert_int_equal(check(csb, &s, &problem), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem.text, "csb"));
    carom_scene_body body = carom_scene_body_default();
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = &body;
    desc.body_count = 1;
    OWNED(carom_scene) *scene = NULL;
    assert_int_equal(carom_scene_create(&desc, &scene, NULL), CAROM_OK);
    assert_int_equal(carom_game_options_size(carom_scene_game(scene)), 0);
    assert_int_equal(check(carom_scene_game(scene), &s, &problem), CAROM_ERROR_ARGUMENT);
}

/* ---- replays ---- */

/* Records, and lets the replay create worlds; returns the head's bytes. */
static void record(const carom_game *game, const structure *options, stream *s)
{
    carom_recorder *recorder;
    carom_problem problem;
    carom_worlds *worlds = make(game, options, CAROM_F64, CAROM_FREEZE);
    carom_recorder_desc desc = describe(s);
    carom_step step = policies(game);
    desc.options = options;
    step.ticks = TICKS;
    if (carom_recorder_create(worlds, &desc, &recorder, &problem) != CAROM_OK)
        fail_msg("%s", problem.text);
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
    carom_recorder_destroy(recorder);
    carom_worlds_destroy(worlds);
    verify(s, TICKS, true);
}

TEST(every_option_comes_back)
{
    for (size_t g = 0; carom_game_at(g) != NULL; g++) {
        const carom_game *game = carom_game_at(g);
        const structure usual = defaults_of(game);
        carom_option o;
        for (size_t k = 0; carom_game_option(game, k, &o) == CAROM_OK; k++) {
            const double tried[] = {o.value / 2, 1, 0.5, 5, 2};
            structure s;
            size_t t = 0;
            if (!is_number(&o))
                continue; /* test_replay.c has lists and seeds */
            while (tried[t] == o.value || with(game, &o, tried[t], &s, NULL) != CAROM_OK)
                assert_in_range(++t, 1, 4);
            stream first = {0}, other = {0};
            record(game, &usual, &first);
            record(game, &s, &other);
            assert_true(first.size != other.size || memcmp(first.bytes, other.bytes, first.size) != 0);
            free(first.bytes);
            free(other.bytes);
        }
    }
}
