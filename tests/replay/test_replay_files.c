/* SPDX-License-Identifier: MIT
 * Replays that are not as they were written: a cut is survived, damage is seen, what differs is named; and their size.
 */
#include "replay_stream.h"

#include <float.h>

/* ---- files that are not whole ---- */

/* Records `ticks` ticks of two worlds of csb. */
static void record_csb(stream *s, size_t ticks, size_t policy, uint32_t keyframe_ticks, size_t worlds_recorded)
{
    const carom_game *game = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = make(game, NULL, CAROM_F64, CAROM_RESET);
    carom_recorder_desc desc = describe(s);
    desc.count = worlds_recorded;
    desc.keyframe_ticks = keyframe_ticks;
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
    carom_step step = policies(game);
    step.ticks = ticks;
    step.players[0].policy = step.players[1].policy = policy;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
    assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
}

TEST(cut_anywhere)
{
    OWNED(stream) s = {0};
    record_csb(&s, 9, 1, 4, 2);
    uint64_t before = 0;
    for (size_t size = 0; size <= s.size; size++) {
        FREED unsigned char *piece = malloc(size + 1); /* so that a sanitizer detects reads beyond it */
        OWNED(carom_replay) *replay = NULL;
        carom_problem problem;
        memcpy(piece, s.bytes, size);
        const carom_status status = carom_replay_open(piece, size, &replay, &problem);
        const carom_replay_info info = carom_replay_describe(replay);
        assert_true(status == CAROM_OK || (status == CAROM_ERROR_FORMAT && problem.text[0] != '\0' && before == 0));
        assert_true(info.ticks == before || info.ticks == before + 1);
        assert_int_equal(info.whole, size == s.size);
        if (info.ticks != before) {
            carom_replay_difference difference;
            assert_int_equal(carom_replay_verify(replay, CAROM_ISA_DEFAULT, 1, NULL, NULL, &difference), CAROM_OK);
            assert_false(difference.found);
        }
        before = info.ticks;
    }
    assert_int_equal(before, 9);
}

TEST(damage_is_seen)
{
    OWNED(stream) s = {0};
    record_csb(&s, 9, 1, 4, 2);
    for (size_t at = 0; at < s.size; at++) {
        for (int bit = 0; bit < 8; bit += 3) {
            carom_replay *replay;
            carom_problem problem;
            s.bytes[at] ^= (unsigned char)(1 << bit);
            const carom_status status = carom_replay_open(s.bytes, s.size, &replay, &problem);
            s.bytes[at] ^= (unsigned char)(1 << bit);
            if (status == CAROM_OK) { /* a chunk's first byte, which now promises more data: as if truncated */
                assert_false(carom_replay_describe(replay).whole);
                carom_replay_close(replay);
            } else {
                assert_int_equal(status, CAROM_ERROR_FORMAT);
                assert_true(problem.text[0] != '\0' && strchr(problem.text, '\n') == NULL);
            }
        }
    }
}

TEST(later_and_foreign)
{
    OWNED(stream) s = {0};
    carom_replay *replay;
    carom_problem problem;
    record_csb(&s, 2, 1, 4, 2);
    put(&s, "", 1);
    assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_ERROR_FORMAT);
    assert_non_null(strstr(problem.text, "bytes follow"));
    s.bytes[8]++; /* the version */
    assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_ERROR_FORMAT);
    assert_non_null(strstr(problem.text, "format 3"));
    assert_int_equal(carom_replay_open("no replay at all", 16, &replay, &problem), CAROM_ERROR_FORMAT);
    assert_string_equal(problem.text, "not a replay");
}

/* A keyframe's tick length is refused if no call would accept it, whatever the checksums. */
TEST(lengths_of_ticks)
{
    static const struct {
        carom_precision precision;
        double dt;
        bool taken;
    } cases[] = {{CAROM_F64, 0, true},
                 {CAROM_F64, DBL_MIN, true},
                 {CAROM_F64, DBL_MIN / 2, false},
                 {CAROM_F64, DBL_MAX, true},
                 {CAROM_F64, INFINITY, false},
                 {CAROM_F64, NAN, false},
                 {CAROM_F64, -1, false},
                 {CAROM_F32, (double)FLT_MIN, true},
                 {CAROM_F32, (double)FLT_MIN / 2, false},
                 {CAROM_F32, (double)FLT_MAX, true},
                 {CAROM_F32, 1e39, false}};
    const carom_scene_body body = carom_scene_body_default();
    carom_scene_desc one = carom_scene_desc_default();
    one.bodies = &body;
    one.body_count = 1;
    OWNED(carom_scene) *scene = make_scene(&one);
    need_json(scene);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        OWNED(stream) s = {0};
        carom_problem problem;
        OWNED(carom_replay) *replay = NULL;
        const carom_game *game = carom_scene_game(scene);
        OWNED(carom_worlds) *worlds = make(game, NULL, cases[k].precision, CAROM_FREEZE);
        const carom_recorder_desc desc = describe(&s);
        carom_step step = STEP_WITH(.players[0].source = CAROM_ZERO, .dt = 0.25);
        OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
        assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_OK);
        assert_int_equal(carom_recorder_end(recorder), CAROM_OK);
        memcpy(s.bytes + head_of(s.bytes, s.size) + 14, &cases[k].dt, sizeof cases[k].dt); /* of the first keyframe */
        mend(s.bytes, s.size);
        const carom_status status = carom_replay_open(s.bytes, s.size, &replay, &problem);
        assert_int_equal(status, cases[k].taken ? CAROM_OK : CAROM_ERROR_FORMAT);
    }
}

TEST(a_stream_that_refuses)
{
    carom_problem problem;
    const carom_game *game = carom_game_find("csb");
    OWNED(stream) s = {.most = 10};
    OWNED(carom_worlds) *worlds = make(game, NULL, CAROM_F64, CAROM_RESET);
    OWNED(carom_recorder) *recorder = NULL;
    carom_recorder_desc desc = describe(&s);
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_ERROR_CANCELLED);
    assert_null(recorder);
    s.most = 20000;
    assert_int_equal(carom_recorder_create(worlds, &desc, &recorder, &problem), CAROM_OK);
    carom_step step = policies(game);
    step.ticks = 1000;
    assert_int_equal(carom_recorder_play(recorder, worlds, &step), CAROM_ERROR_CANCELLED);
    assert_int_equal(carom_recorder_end(recorder), CAROM_ERROR_CANCELLED);
}

/* ---- what differs is named ---- */

/* The result of verifying a forged replay, 12 ticks of two worlds with keyframes before ticks 1 and 9. */
static carom_replay_difference verify_forged(stream how)
{
    OWNED(stream) s = how;
    carom_replay_difference difference;
    s.sum = VERSION;
    record_csb(&s, 12, 1, 8, 2);
    OWNED(carom_replay) *replay = open_stream(&s);
    assert_int_equal(carom_replay_verify(replay, CAROM_ISA_DEFAULT, 1, NULL, NULL, &difference), CAROM_OK);
    return difference;
}

static carom_replay_difference forged(size_t tick, size_t from_end, unsigned char flip)
{
    const stream s = {.tick = tick, .from_end = from_end, .flip = flip};
    return verify_forged(s);
}

/* A keyframe has the numbers, too. A record of csb is id, episode, tick, end, fault, frozen, then 4 reals x, ...; the
 * last world's is before the checksum. */
TEST(keyframes_are_compared)
{
    const size_t record = 208, sign_of_x = 8 + 4 + 4 + 3 + 7;
    stream s = {.keyframe = 2, .from_end = 8 + record - sign_of_x - 8, .flip = 0x80};
    carom_replay_difference d = verify_forged(s);
    assert_true(d.found && d.ticks == 8 && d.world == 1 && d.id == 1001);
    assert_string_equal(d.field, "x");
    assert_true(d.values && d.element == 1 && d.was == -d.is && d.was != 0);
    s.from_end += record; /* world 0, element 1 */
    d = verify_forged(s);
    assert_true(d.found && d.ticks == 8 && d.world == 0 && d.id == 1000);
    s.keyframe = 1; /* play starts from the first state: the game takes another course */
    d = verify_forged(s);
    assert_true(d.found && d.ticks == 1 && d.world == 0);
}

TEST(differences_are_named)
{
    /* The last word of a tick is world 1's, the one before it world 0's; its low half has a bit for each field:
     * episode, tick, end, fault, frozen, then x, y, vx, vy, angle, ... */
    carom_replay_difference d = forged(5, 16, 1 << 5);
    assert_true(d.found && d.ticks == 5 && d.world == 0 && d.id == 1000);
    assert_string_equal(d.field, "x");
    d = forged(11, 8 - 1, 1 << 1);
    assert_true(d.found && d.ticks == 11 && d.world == 1 && d.id == 1001);
    assert_string_equal(d.field, "angle");
    d = forged(1, 8 - 7, 1); /* the hash alone */
    assert_true(d.found && d.ticks == 1 && d.world == 1 && d.field == NULL);
    /* An action, a little before the check words: the game takes another course from there. */
    d = forged(6, 16 + 2, 0x40);
    assert_true(d.found && d.ticks == 6 && d.world == 1);
    d = forged(1, 1, 0);
    assert_false(d.found);
}

/* ---- size ---- */

TEST(csb_takes_44_bytes_a_tick)
{
    const size_t ticks = 500;
    for (size_t policy = 0; policy < 4; policy++) {
        OWNED(stream) s = {0};
        record_csb(&s, ticks, policy, 256, 1);
        assert_true(s.size <= 44 * ticks);
    }
}
