/* SPDX-License-Identifier: MIT
 * Replays: recordings of every kind, made in every way, play to the same states on every instruction set.
 */
#include "replay_stream.h"

#include "replay/format.h"

#define TICKS 90

/* Plays TICKS ticks of a batch, recorded and unrecorded; then checks every aspect of the replay. */
static void record_and_look(const carom_game *game, const void *options, carom_precision precision, double dt)
{
    static const size_t chosen[3] = {35, 0, 17};
    OWNED(stream) s = {0};
    OWNED(carom_worlds) *worlds = make(game, options, precision, CAROM_RESET);
    OWNED(carom_worlds) *plain = make(game, options, precision, CAROM_RESET);
    carom_recorder_desc desc = describe(&s);
    desc.worlds = chosen;
    desc.count = 3;
    desc.options = options;
    desc.keyframe_ticks = 16;
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
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
    assert_int_equal(digest_of(worlds), digest_of(plain));
    verify(&s, TICKS, true);

    OWNED(carom_replay) *replay = open_stream(&s);
    OWNED(carom_worlds) *again = worlds_of(replay);
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
        carom_step wanted = STEP_WITH(.ends = ends);
        assert_int_equal(carom_replay_play(replay, again, t, &wanted), CAROM_OK);
    }
    uint64_t seen[3];
    carom_worlds_hash(again, 0, 3, seen);
    assert_memory_equal(seen, hashes[TICKS], sizeof seen);
}

static carom_scene *three_bodies(bool hook);

TEST(games)
{
    for (size_t k = 0; k < carom_game_count(); k++) {
        record_and_look(carom_game_at(k), NULL, CAROM_F32, 0);
        record_and_look(carom_game_at(k), NULL, CAROM_F64, 0);
    }
}

TEST(scenes)
{
    OWNED(carom_scene) *scene = three_bodies(false);
    need_json(scene);
    record_and_look(carom_scene_game(scene), NULL, CAROM_F32, 0.25);
    record_and_look(carom_scene_game(scene), NULL, CAROM_F64, 0.25);
}

/* ---- options and geometry ---- */

static void no_hook(void *user, const carom_scene_range *range)
{
    (void)user;
    (void)range;
}

static carom_scene *three_bodies(bool hook)
{
    carom_scene_body bodies[3] = {carom_scene_body_default(), carom_scene_body_default(), carom_scene_body_default()};
    carom_scene_wall wall = {-9, -3, 9, -4, 1, false, false};
    carom_scene_desc desc = carom_scene_desc_default();
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
    return make_scene(&desc);
}

TEST(options_are_kept)
{
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

TEST(other_options_are_refused)
{
    OWNED(stream) s = {0};
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
}

TEST(hooks_are_refused)
{
    OWNED(stream) s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    OWNED(carom_scene) *plain = three_bodies(false), *scene = three_bodies(true);
    need_json(plain);
    OWNED(carom_worlds) *worlds = make(carom_scene_game(scene), NULL, CAROM_F64, CAROM_FREEZE);
    const carom_recorder_desc desc = describe(&s);
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(problem.text, "hooks"));
}

/* A build without a JSON library cannot write a scene: the head has the text of the caller. Others write their own. */
TEST(scenes_by_their_text)
{
    static const char text[] = "{\"bodies\": [{\"about\": \"whatever the caller says\"}]}";
    OWNED(stream) s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    OWNED(carom_scene) *scene = three_bodies(false);
    OWNED(carom_worlds) *worlds = make(carom_scene_game(scene), NULL, CAROM_F64, CAROM_FREEZE);
    carom_recorder_desc desc = describe(&s);
    OWNED_TEXT char *own = NULL;
    const bool without = carom_scene_write_json(scene, &own) == CAROM_ERROR_UNSUPPORTED;
    const carom_status status = carom_recorder_create(worlds, &desc, &recorder, &problem);
    assert_int_equal(status, without ? CAROM_ERROR_UNSUPPORTED : CAROM_OK);
    carom_recorder_destroy(recorder);
    s.size = 0;
    desc.scene = text;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_OK);
    const char *held = without ? text : own;
    const size_t length = strlen(held);
    assert_true(s.size > length + 8);
    assert_memory_equal(s.bytes + s.size - 8 - length, held, length); /* the head's last bytes but its sum */
    carom_recorder_destroy(recorder);
}

/* ---- steps in which worlds are skipped, play several ticks, or each act in their own way ---- */

enum { PARTS = 40, MOST_SEEN = 512, MOST_ACTED = 64 };

/* The outputs of a call of at most two steps. */
typedef struct outputs {
    float seen[2 * WORLDS * MOST_SEEN], last[2 * WORLDS * MOST_SEEN], rewards[2 * WORLDS * 2];
    uint8_t ends[2 * WORLDS];
    carom_result results[2 * WORLDS];
} outputs;

static void ask(carom_step *step, outputs *o)
{
    memset(o, 0, sizeof *o);
    step->observations = o->seen;
    step->last_observations = o->last;
    step->rewards = o->rewards;
    step->ends = o->ends;
    step->results = o->results;
}

/* The same steps, recorded and by themselves: the same results, and the replay plays to the same states. `kinds` of
 * action are tried. */
static void parts(const carom_game *game, const void *options, carom_precision precision, size_t kinds)
{
    static const size_t chosen[4] = {30, 2, 17, 5};
    static outputs with, alone;
    static double numbers[2 * WORLDS * MOST_ACTED];
    OWNED(stream) s = {0};
    OWNED(carom_worlds) *worlds = make(game, options, precision, CAROM_RESET);
    OWNED(carom_worlds) *plain = make(game, options, precision, CAROM_RESET);
    carom_recorder_desc desc = describe(&s);
    desc.worlds = chosen;
    desc.count = 4;
    desc.options = options;
    desc.keyframe_ticks = 7;
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
    uint8_t skip[WORLDS];
    size_t ended = 0;
    carom_observation_kind raw;
    carom_game_observation_kind(game, 0, &raw);
    assert_in_range(carom_game_describe(game).players * raw.agents * raw.size, 1, MOST_SEEN);
    for (size_t k = 0; k < kinds; k++) {
        carom_action_kind kind;
        assert_int_equal(carom_game_action_kind(game, k, &kind), CAROM_OK);
        assert_in_range(kind.size, 1, MOST_ACTED);
    }
    for (size_t k = 0; k < PARTS; k++) {
        carom_step step = policies(game);
        step.repeat = k % 4 == 0 ? 3 : k % 4;
        step.ticks = 1 + k % 7 % 2;
        step.first = k % 5 == 1 ? 6 : 0;
        step.count = k % 5 == 2 ? 20 : 0;
        step.at_end = k % 10 < 6 ? CAROM_AS_MADE : k % 10 < 7 ? CAROM_RESET : k % 10 < 8 ? CAROM_PLAY_ON : CAROM_FREEZE;
        for (size_t w = 0; w < WORLDS; w++) {
            skip[w] = (w * 7 + k * 3) % 4 == 0;
        }
        step.skip = k % 2 == 0 ? skip : NULL;
        for (size_t e = 0; e < sizeof numbers / sizeof numbers[0]; e++) {
            const float both[2] = {(float)(e * 31 % 17) / 17, (float)(e * 13 % 11) / 11};
            memcpy(&numbers[e], both, sizeof both); /* good numbers as floats; as doubles, too */
        }
        if (k % 3 == 1) { /* player 0 by its own array, in its own kind */
            step.players[0].source = CAROM_GIVEN;
            step.players[0].actions = numbers;
            step.players[0].action_kind = k % kinds;
        } else if (k % 3 == 2) {
            step.players[0].source = CAROM_GIVEN;
            step.actions = numbers;
            step.action_kind = k / 3 % kinds;
        }
        carom_step other = step;
        ask(&step, &with);
        ask(&other, &alone);
        assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
        assert_int_equal(carom_worlds_play(plain, &other), CAROM_OK);
        assert_memory_equal(&with, &alone, sizeof with);
        ended += memchr(with.ends, 1, sizeof with.ends) != NULL || memchr(with.ends, 2, sizeof with.ends) != NULL;
        if (k % 10 == 9) { /* like an environment that restarts games after their players have seen the end */
            uint8_t over[WORLDS];
            for (size_t w = 0; w < WORLDS; w++) {
                over[w] = w % 3 == 0;
            }
            assert_int_equal(carom_worlds_restart(worlds, over, NULL, NULL), CAROM_OK);
            assert_int_equal(carom_worlds_restart(plain, over, NULL, NULL), CAROM_OK);
        }
    }
    assert_true(ended > 2);
    assert_int_equal(s.jumps, 1 + 3); /* the first, and restarted games: only these cannot be computed */
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
    assert_int_equal(digest_of(worlds), digest_of(plain));

    OWNED(carom_replay) *replay = open_stream(&s);
    const uint64_t ticks = carom_replay_describe(replay).ticks;
    assert_in_range(ticks, PARTS + 1, 6 * PARTS);
    verify(&s, ticks, true);
    OWNED(carom_worlds) *again = worlds_of(replay);
    for (uint64_t t = 0; t < ticks; t++) {
        assert_int_equal(carom_replay_play(replay, again, t, NULL), CAROM_OK);
    }
    for (size_t k = 0; k < 4; k++) {
        uint64_t was, is;
        carom_worlds_hash(worlds, chosen[k], 1, &was);
        carom_worlds_hash(again, k, 1, &is);
        /* It does not contain restarts after the last tick. */
        assert_true(was == is || chosen[k] % 3 == 0);
    }
}

TEST(steps_of_parts)
{
    carom_csb_options csb = carom_csb_options_default();
    csb.ticks = 5;
    parts(carom_game_find("csb"), &csb, CAROM_F64, 3);
    parts(carom_game_find("csb"), &csb, CAROM_F32, 3);
    carom_soccer_options soccer = carom_soccer_options_of(CAROM_SOCCER_ORIGINAL);
    soccer.ticks = 4;
    soccer.robots = 2;
    parts(carom_game_find("soccer"), &soccer, CAROM_F32, 1);
}

/* Keyframes are written only where needed; nothing is written for worlds that do not move. */
TEST(what_is_written)
{
    OWNED(stream) s = {0};
    carom_problem problem;
    carom_replay *replay;
    OWNED(carom_worlds) *worlds = make(carom_game_find("csb"), NULL, CAROM_F64, CAROM_FREEZE);
    carom_recorder_desc desc = describe(&s);
    const size_t chosen[2] = {3, 9};
    const uint64_t seeds[WORLDS] = {0};
    desc.worlds = chosen;
    desc.count = 2;
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
    carom_step step = policies(carom_game_find("csb"));
    for (size_t k = 0; k < 12; k++) {
        step.repeat = 1 + k % 3;
        step.at_end = k % 2 == 0 ? CAROM_AS_MADE : CAROM_FREEZE; /* which is the same */
        assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    }
    step.first = 10; /* without the chosen */
    const size_t before = s.size;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(s.size, before);
    step.first = 9; /* one of them */
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(carom_worlds_restart(worlds, NULL, NULL, seeds), CAROM_OK); /* a change, not recorded yet */
    step.first = 10;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    step.first = 0;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    step.at_end = CAROM_RESET;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
    verify(&s, 24 + 3 + 3 + 3, true);
    assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_OK);
    assert_int_equal(carom_replay_describe(replay).keyframes, 1 + 1 + 1);
    carom_replay_close(replay);
    assert_non_null(memchr(s.bytes, 'P', s.size));
    for (size_t at = 0; at < s.size; at++) { /* no bit of it can be another */
        s.bytes[at] ^= (unsigned char)(1u << at % 8);
        assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_ERROR_FORMAT);
        s.bytes[at] ^= (unsigned char)(1u << at % 8);
    }
    step.first = WORLDS;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_ARGUMENT);
}

TEST(arguments)
{
    OWNED(stream) s = {0};
    carom_problem problem;
    carom_recorder *recorder;
    OWNED(carom_replay) *replay = NULL;
    OWNED(carom_worlds) *worlds = make(carom_game_find("csb"), NULL, CAROM_F64, CAROM_FREEZE), *other = NULL;
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
    step.repeat = 0;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_ARGUMENT);
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
    size_t kinds[CAROM_MAX_PLAYERS];
    assert_int_equal(carom_replay_actions(replay, 0, kinds, actions, sizeof actions - 1), CAROM_ERROR_SIZE);
    assert_int_equal(carom_replay_actions(replay, 0, kinds, actions, sizeof actions), CAROM_OK);
    assert_int_equal(kinds[0] + kinds[1], 0);
}

/* On 32 bits the actions of a tick may have more bytes than any array; here of more worlds than any replay has. */
TEST(more_actions_than_a_size_can_count)
{
    float actions[2][2][4];
    keyframe first = {0};
    const size_t row = sizeof actions[0];
    const carom_replay replay = {.game = carom_game_find("csb"),
                                 .count = SIZE_MAX / row + 2,
                                 .keyframes = &first,
                                 .keyframe_count = 1,
                                 .tick_count = 1};
    assert_int_equal(carom_replay_row_bytes(replay.game, &first.acting), row);
    assert_int_equal(carom_replay_actions(&replay, 0, NULL, actions, sizeof actions), CAROM_ERROR_SIZE);
}

/* ---- changes between ticks ---- */

TEST(changes_between_ticks)
{
    OWNED(stream) s = {0};
    const carom_game *game = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = make(game, NULL, CAROM_F64, CAROM_RESET);
    carom_recorder_desc desc = describe(&s);
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
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
    step.ticks = 600; /* games end, and restart as drawn by these seeds */
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
    verify(&s, 630, true);

    double seen[4];
    OWNED(carom_replay) *replay = open_stream(&s);
    assert_int_equal(carom_replay_describe(replay).keyframes, 4 + 2);
    OWNED(carom_worlds) *again = worlds_of(replay);
    assert_int_equal(carom_replay_seek(replay, again, 10), CAROM_OK); /* as the tick left it, before the change */
    carom_worlds_get(again, field, 5, 1, seen);
    assert_true(seen[0] != x[0]);
    for (uint64_t t = 10; t < 630; t++) {
        assert_int_equal(carom_replay_play(replay, again, t, NULL), CAROM_OK);
    }
    assert_int_equal(digest_of(worlds), digest_of(again));
}

/* Another kind of action, or another tick length, starts with a keyframe that records it. */
TEST(kinds_and_lengths_change)
{
    OWNED(carom_scene) *scene = three_bodies(false);
    need_json(scene);
    const carom_game *const of[2] = {carom_game_find("csb"), carom_scene_game(scene)};
    for (size_t k = 0; k < 2; k++) {
        OWNED(stream) s = {0};
        size_t kinds[CAROM_MAX_PLAYERS];
        OWNED(carom_worlds) *worlds = make(of[k], NULL, CAROM_F64, CAROM_FREEZE);
        const carom_recorder_desc desc = describe(&s);
        OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
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
        OWNED(carom_replay) *replay = open_stream(&s);
        assert_int_equal(carom_replay_describe(replay).keyframes, 2);
        assert_int_equal(carom_replay_actions(replay, 6, kinds, NULL, 0), CAROM_OK);
        assert_int_equal(kinds[0], step.action_kind);
        assert_int_equal(kinds[1], step.action_kind);
    }
}

/* Given actions, in scattered rows: the recorder's copy of what was played. */
TEST(given_actions)
{
    OWNED(stream) s = {0};
    const carom_game *game = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = make(game, NULL, CAROM_F64, CAROM_RESET);
    carom_recorder_desc desc = describe(&s);
    const size_t chosen[2] = {9, 30};
    desc.worlds = chosen;
    desc.count = 2;
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
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
    float actions[2][2][4];
    OWNED(carom_replay) *replay = open_stream(&s);
    for (uint64_t t = 0; t < 3; t++) {
        assert_int_equal(carom_replay_actions(replay, t, NULL, actions, sizeof actions), CAROM_OK);
        assert_memory_equal(actions[0][1], rows[t][9 % 5], sizeof rows[0][0]);
        assert_memory_equal(actions[1][1], rows[t][30 % 5], sizeof rows[0][0]);
    }
}
