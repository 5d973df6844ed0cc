/* SPDX-License-Identifier: MIT
 * Replays: what is recorded plays anew to the same states on every instruction set, whatever was recorded, and however.
 */
#include "replay_stream.h"

#define TICKS 90

/* Plays TICKS ticks of a batch, recorded and by itself; then the replay is looked at from all sides. */
static void record_and_look(const carom_game *game, const void *options, carom_precision precision, double dt)
{
    static const size_t chosen[3] = {35, 0, 17};
    stream s = {0};
    carom_problem problem;
    carom_worlds *worlds = make(game, options, precision, CAROM_RESET);
    carom_worlds *plain = make(game, options, precision, CAROM_RESET);
    carom_recorder *recorder;
    carom_recorder_desc desc = describe(&s);
    desc.worlds = chosen;
    desc.count = 3;
    desc.options = options;
    desc.keyframe_ticks = 16;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_OK);
    carom_step step = policies(game);
    step.dt = dt;
    uint64_t hashes[TICKS + 1][3], ids[3];
    size_t done = 0;
    for (size_t ticks = 1; done < TICKS; done += step.ticks, ticks = ticks % 7 + 1) {
        step.ticks = ticks < TICKS - done ? ticks : TICKS - done;
        for (int k = 0; k < 3; k++) {
            carom_worlds_hash(worlds, chosen[k], 1, &hashes[done][k]);
        }
        assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
        assert_int_equal(carom_worlds_play(plain, &step), CAROM_OK);
        for (size_t t = done + 1; t < done + step.ticks; t++) {
            memset(hashes[t], 0, sizeof hashes[t]); /* not known */
        }
    }
    for (int k = 0; k < 3; k++) {
        carom_worlds_hash(worlds, chosen[k], 1, &hashes[TICKS][k]);
    }
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
    uint64_t recorded, alone;
    carom_worlds_digest(worlds, &recorded);
    carom_worlds_digest(plain, &alone);
    assert_int_equal(recorded, alone);
    verify(&s, TICKS, true);

    carom_replay *replay;
    carom_worlds *again;
    assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_OK);
    assert_int_equal(carom_replay_worlds(replay, CAROM_ISA_DEFAULT, 1, &again), CAROM_OK);
    assert_int_equal(carom_replay_describe(replay).keyframes, (TICKS + 15) / 16);
    carom_worlds_get(again, 0, 0, 3, ids);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(ids[k], 1000 + chosen[k]);
    }
    for (size_t at = 0; at <= TICKS; at++) {
        const uint64_t ticks = at * 37 % (TICKS + 1);
        uint64_t seen[3];
        assert_int_equal(carom_replay_seek(replay, again, ticks), CAROM_OK);
        carom_worlds_hash(again, 0, 3, seen);
        for (int k = 0; k < 3; k++) {
            assert_true(hashes[ticks][k] == 0 || hashes[ticks][k] == seen[k]);
        }
    }
    /* Tick by tick, with outputs. */
    assert_int_equal(carom_replay_seek(replay, again, 0), CAROM_OK);
    for (uint64_t t = 0; t < TICKS; t++) {
        uint8_t ends[3];
        carom_step wanted = carom_step_default();
        wanted.ends = ends;
        assert_int_equal(carom_replay_play(replay, again, t, &wanted), CAROM_OK);
    }
    uint64_t seen[3];
    carom_worlds_hash(again, 0, 3, seen);
    assert_memory_equal(seen, hashes[TICKS], sizeof seen);
    carom_worlds_destroy(again);
    carom_replay_close(replay);
    carom_recorder_destroy(recorder);
    carom_worlds_destroy(worlds);
    carom_worlds_destroy(plain);
    free(s.bytes);
}

static carom_scene *make_scene(bool hook);

static void games(void **state)
{
    (void)state;
    for (size_t k = 0; k < carom_game_count(); k++) {
        record_and_look(carom_game_at(k), NULL, CAROM_F32, 0);
        record_and_look(carom_game_at(k), NULL, CAROM_F64, 0);
    }
}

static void scenes(void **state)
{
    (void)state;
    carom_scene *scene = make_scene(false);
    need_json(scene);
    record_and_look(carom_scene_game(scene), NULL, CAROM_F32, 0.25);
    record_and_look(carom_scene_game(scene), NULL, CAROM_F64, 0.25);
    carom_scene_destroy(scene);
}

/* ---- options and geometry ---- */

static void no_hook(void *user, const carom_scene_range *range)
{
    (void)user;
    (void)range;
}

static carom_scene *make_scene(bool hook)
{
    carom_scene_body bodies[3] = {carom_scene_body_default(), carom_scene_body_default(), carom_scene_body_default()};
    carom_scene_wall wall = {-9, -3, 9, -4, 1, false, false};
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene *scene;
    carom_problem problem;
    for (int k = 0; k < 3; k++) {
        bodies[k].x = 4 * k - 4;
        bodies[k].vx = 1 - k;
        bodies[k].ay = -0.5;
        bodies[k].acts = k != 1;
    }
    desc.bodies = bodies;
    desc.body_count = 3;
    desc.walls = &wall;
    desc.wall_count = 1;
    desc.contact_time = 0.01;
    desc.tick_hook = hook ? no_hook : NULL;
    assert_int_equal(carom_scene_create(&desc, &scene, &problem), CAROM_OK);
    return scene;
}

static void options_are_kept(void **state)
{
    (void)state;
    static const int32_t first[][2] = {{1000, 1000}, {9000, 2000}, {4000, 8000}},
                         second[][2] = {{12000, 500}, {500, 7000}};
    const carom_csb_map maps[2] = {{first, 3, 2}, {second, 2, 5}};
    static const int64_t seeds[] = {5, -7, 123456789};
    carom_csb_options csb = carom_csb_options_default();
    csb.rules = CAROM_CSB_TEST;
    csb.maps = maps;
    csb.map_count = 2;
    record_and_look(carom_game_find("csb"), &csb, CAROM_F64, 0);
    csb.maps = NULL;
    csb.map_count = 5;
    record_and_look(carom_game_find("csb"), &csb, CAROM_F32, 0);
    const uint64_t map_seed = 77;
    csb.map_seed = &map_seed;
    csb.ticks = 30;
    csb.fair_timeouts = csb.alone = 1;
    csb.checkpoint_reward = 2;
    record_and_look(carom_game_find("csb"), &csb, CAROM_F64, 0);
    carom_fantastic_bits_options bits = carom_fantastic_bits_options_default();
    bits.seeds = seeds;
    bits.seed_count = 3;
    record_and_look(carom_game_find("fantastic_bits"), &bits, CAROM_F64, 0);
    carom_soccer_options soccer = carom_soccer_options_of(CAROM_SOCCER_ORIGINAL);
    soccer.balls = 3;
    soccer.ticks = 40;
    soccer.friction = 2.943;
    record_and_look(carom_game_find("soccer"), &soccer, CAROM_F64, 0);
    carom_stones_options stones = carom_stones_options_default();
    stones.rules = CAROM_STONES_AS_DESCRIBED;
    stones.stones = 20;
    stones.loss = 0.125;
    stones.check = true;
    record_and_look(carom_game_find("stones"), &stones, CAROM_F64, 0);
    carom_fall_body bodies[8];
    carom_fall_options fall = carom_fall_options_default();
    fall.bodies = bodies;
    fall.body_count = carom_fall_box(bodies);
    fall.gravity = -2;
    fall.scatter = 0.5;
    record_and_look(carom_game_find("fall"), &fall, CAROM_F64, 0);
}

static void other_options_are_refused(void **state)
{
    (void)state;
    stream s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    carom_csb_options options = carom_csb_options_default();
    options.map_count = 5;
    carom_worlds *worlds = make(carom_game_find("csb"), &options, CAROM_F64, CAROM_FREEZE);
    carom_recorder_desc desc = describe(&s);
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_ARGUMENT);
    assert_null(recorder);
    assert_non_null(strstr(problem.text, "options"));
    options.map_count = 6;
    desc.options = &options;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_ARGUMENT);
    carom_worlds_destroy(worlds);
    options.map_count = CAROM_REPLAY_MAPS + 1;
    worlds = make(carom_game_find("csb"), &options, CAROM_F64, CAROM_FREEZE);
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_VALUE);
    carom_worlds_destroy(worlds);
    free(s.bytes);
}

static void hooks_are_refused(void **state)
{
    (void)state;
    stream s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    carom_scene *plain = make_scene(false), *scene = make_scene(true);
    need_json(plain);
    carom_worlds *worlds = make(carom_scene_game(scene), NULL, CAROM_F64, CAROM_FREEZE);
    const carom_recorder_desc desc = describe(&s);
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem.text, "hooks"));
    carom_worlds_destroy(worlds);
    carom_scene_destroy(scene);
    carom_scene_destroy(plain);
    free(s.bytes);
}

/* Steps that a replay has no words for. */
static void steps_of_parts(void **state)
{
    (void)state;
    stream s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    carom_worlds *worlds = make(carom_game_find("csb"), NULL, CAROM_F64, CAROM_FREEZE);
    const carom_recorder_desc desc = describe(&s);
    const uint8_t skip[WORLDS] = {0};
    const uint64_t seeds[WORLDS] = {0};
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_OK);
    carom_step step = policies(carom_game_find("csb"));
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    step.first = 1;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_UNSUPPORTED);
    step.first = 0;
    step.skip = skip;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_UNSUPPORTED);
    step.skip = NULL;
    step.repeat = 2;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_UNSUPPORTED);
    step.repeat = 1;
    step.at_end = CAROM_RESET;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_UNSUPPORTED);
    step.at_end = CAROM_FREEZE;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    /* Seeds of worlds it has. */
    assert_int_equal(carom_worlds_restart(worlds, NULL, NULL, seeds), CAROM_OK);
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    carom_recorder_destroy(recorder);
    carom_worlds_destroy(worlds);
    free(s.bytes);
}

static void arguments(void **state)
{
    (void)state;
    stream s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    carom_replay *replay;
    carom_worlds *worlds = make(carom_game_find("csb"), NULL, CAROM_F64, CAROM_FREEZE), *other;
    carom_recorder_desc desc = describe(&s);
    const size_t twice[2] = {3, 3}, beyond[1] = {WORLDS};
    desc.worlds = twice;
    desc.count = 2;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_ARGUMENT);
    desc.worlds = beyond;
    desc.count = 1;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_ARGUMENT);
    desc.worlds = NULL;
    desc.count = WORLDS + 1;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_ARGUMENT);
    desc.count = 0;
    desc.keyframe_ticks = 0;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_ARGUMENT);
    desc.keyframe_ticks = 1;
    assert_int_equal(carom_recorder_create(worlds, NULL, &recorder, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, NULL), CAROM_OK);
    other = make(carom_game_find("csb"), NULL, CAROM_F64, CAROM_FREEZE);
    carom_step step = policies(carom_game_find("csb"));
    assert_int_equal(carom_recorder_play(recorder, other, &step), CAROM_ERROR_ARGUMENT);
    step.players[1].policy = 99;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_ARGUMENT);
    step.players[1].policy = 0;
    step.dt = 1; /* csb has its own */
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_ARGUMENT);
    step.dt = 0;
    step.repeat = 2;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_UNSUPPORTED);
    step.repeat = 1;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
    assert_int_equal(carom_recorder_end(recorder), CAROM_ERROR_CANCELLED);
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_CANCELLED);
    carom_recorder_destroy(recorder);
    carom_recorder_destroy(NULL);

    assert_int_equal(carom_replay_open(NULL, 1, &replay, &problem), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_OK);
    assert_int_equal(carom_replay_seek(replay, other, 2), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_replay_play(replay, other, 1, NULL), CAROM_ERROR_ARGUMENT);
    float actions[WORLDS][2][4];
    size_t kind;
    assert_int_equal(carom_replay_actions(replay, 0, &kind, actions, sizeof actions - 1), CAROM_ERROR_SIZE);
    assert_int_equal(carom_replay_actions(replay, 0, &kind, actions, sizeof actions), CAROM_OK);
    assert_int_equal(kind, 0);
    carom_replay_close(replay);
    carom_worlds_destroy(worlds);
    carom_worlds_destroy(other);
    free(s.bytes);
}

/* ---- what a caller does between ticks ---- */

static void changes_between_ticks(void **state)
{
    (void)state;
    stream s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    const carom_game *game = carom_game_find("csb");
    carom_worlds *worlds = make(game, NULL, CAROM_F64, CAROM_RESET);
    carom_recorder_desc desc = describe(&s);
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_OK);
    carom_step step = policies(game);
    step.ticks = 10;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    const double x[4] = {100, 2000, 4000, 6000};
    size_t field;
    carom_worlds_find_field(worlds, "x", &field);
    assert_int_equal(carom_worlds_set(worlds, field, 5, 1, x), CAROM_OK);
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    const size_t to = 7, from = 20;
    assert_int_equal(carom_worlds_copy(worlds, &to, worlds, &from, 1), CAROM_OK); /* the id, too */
    step.action_kind = 2;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    const uint8_t mask[WORLDS] = {[3] = 1, [36] = 1};
    uint64_t seeds[WORLDS];
    for (uint64_t w = 0; w < WORLDS; w++) {
        seeds[w] = 100 + w;
    }
    assert_int_equal(carom_worlds_restart(worlds, mask, NULL, seeds), CAROM_OK);
    step.ticks = 600; /* games end, and begin anew as these seeds draw them */
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
    verify(&s, 630, true);

    carom_replay *replay;
    carom_worlds *again;
    double seen[4];
    assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_OK);
    assert_int_equal(carom_replay_describe(replay).keyframes, 4 + 2);
    assert_int_equal(carom_replay_worlds(replay, CAROM_ISA_DEFAULT, 1, &again), CAROM_OK);
    assert_int_equal(carom_replay_seek(replay, again, 10), CAROM_OK); /* as the tick left it, before the change */
    carom_worlds_get(again, field, 5, 1, seen);
    assert_true(seen[0] != x[0]);
    for (uint64_t t = 10; t < 630; t++) {
        assert_int_equal(carom_replay_play(replay, again, t, NULL), CAROM_OK);
    }
    uint64_t first, second;
    carom_worlds_digest(worlds, &first);
    carom_worlds_digest(again, &second);
    assert_int_equal(first, second);
    carom_worlds_destroy(again);
    carom_replay_close(replay);
    carom_recorder_destroy(recorder);
    carom_worlds_destroy(worlds);
    free(s.bytes);
}

/* Another kind of action, or another length of the tick, begins with a keyframe that says so. */
static void kinds_and_lengths_change(void **state)
{
    (void)state;
    carom_scene *scene = make_scene(false);
    need_json(scene);
    const carom_game *const of[2] = {carom_game_find("csb"), carom_scene_game(scene)};
    for (size_t k = 0; k < 2; k++) {
        stream s = {0};
        carom_problem problem;
        carom_recorder *recorder;
        carom_replay *replay;
        size_t kind;
        carom_worlds *worlds = make(of[k], NULL, CAROM_F64, CAROM_FREEZE);
        const carom_recorder_desc desc = describe(&s);
        assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_OK);
        carom_step step = policies(of[k]);
        for (uint32_t p = 0; k == 1 && p < CAROM_MAX_PLAYERS; p++) {
            step.players[p].source = CAROM_ZERO;
        }
        step.ticks = 6;
        step.dt = k == 1 ? 0.25 : 0;
        assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
        step.action_kind = k == 0 ? 2 : 0;
        step.dt = k == 1 ? 0.125 : 0;
        assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
        assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
        verify(&s, 12, true);
        assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_OK);
        assert_int_equal(carom_replay_describe(replay).keyframes, 2);
        assert_int_equal(carom_replay_actions(replay, 6, &kind, NULL, 0), CAROM_OK);
        assert_int_equal(kind, step.action_kind);
        carom_replay_close(replay);
        carom_recorder_destroy(recorder);
        carom_worlds_destroy(worlds);
        free(s.bytes);
    }
    carom_scene_destroy(scene);
}

/* Given actions, in scattered rows: the recorder's copy of what was played. */
static void given_actions(void **state)
{
    (void)state;
    stream s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    const carom_game *game = carom_game_find("csb");
    carom_worlds *worlds = make(game, NULL, CAROM_F64, CAROM_RESET);
    carom_recorder_desc desc = describe(&s);
    const size_t chosen[2] = {9, 30};
    desc.worlds = chosen;
    desc.count = 2;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_OK);
    float rows[3][5][4];
    uint32_t row_of[WORLDS];
    for (size_t k = 0; k < sizeof rows / sizeof(float); k++) {
        ((float *)rows)[k] = (float)k;
    }
    for (uint32_t w = 0; w < WORLDS; w++) {
        row_of[w] = w % 5;
    }
    carom_step step = policies(game);
    step.ticks = 3;
    step.players[1].source = CAROM_GIVEN;
    step.actions = rows;
    step.rows = row_of;
    step.action_rows = 5;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
    verify(&s, 3, true);
    carom_replay *replay;
    float actions[2][2][4];
    assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_OK);
    for (uint64_t t = 0; t < 3; t++) {
        assert_int_equal(carom_replay_actions(replay, t, NULL, actions, sizeof actions), CAROM_OK);
        assert_memory_equal(actions[0][1], rows[t][9 % 5], sizeof rows[0][0]);
        assert_memory_equal(actions[1][1], rows[t][30 % 5], sizeof rows[0][0]);
    }
    carom_replay_close(replay);
    carom_recorder_destroy(recorder);
    carom_worlds_destroy(worlds);
    free(s.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games),
        cmocka_unit_test(scenes),
        cmocka_unit_test(options_are_kept),
        cmocka_unit_test(other_options_are_refused),
        cmocka_unit_test(hooks_are_refused),
        cmocka_unit_test(steps_of_parts),
        cmocka_unit_test(arguments),
        cmocka_unit_test(changes_between_ticks),
        cmocka_unit_test(kinds_and_lengths_change),
        cmocka_unit_test(given_actions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
