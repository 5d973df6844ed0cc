/* SPDX-License-Identifier: MIT
 * Version 2 of the format adds notes and packed numbers; version 1 is still read.
 */
#include "replay_stream.h"

#include "replay/format.h"

#include <float.h>

/* ---- packed numbers ---- */

static void pack(double now, double before, size_t bytes)
{
    unsigned char packed[REPLAY_MOST_PACKED];
    double again = 17;
    assert_int_equal(carom_replay_pack(now, before, packed), bytes);
    assert_int_equal(carom_replay_unpack(packed, sizeof packed, before, &again), bytes);
    assert_memory_equal(&again, &now, sizeof now);
    for (size_t left = 0; left < bytes; left++) {
        assert_int_equal(carom_replay_unpack(packed, left, before, &again), 0);
    }
}

/* As short as the difference, exactly; numbers without an integer difference are stored as they are. */
TEST(packed_numbers)
{
    const double steps[][2] = {
        {1, 1},     {-64, 1},  {63, 1},      {64, 2},      {-65, 2},           {8191, 2},
        {-8192, 2}, {8192, 3}, {1048575, 3}, {1048576, 4}, {-4294967295.0, 5}, {4294967295.0, 5}};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        pack(12000 + steps[k][0], 12000, (size_t)steps[k][1]);
        pack(0.5 + steps[k][0], 0.5, (size_t)steps[k][1]);
    }
    const double whole[][2] = {{0.25, 0},     {0, 0},    {4294967296.0, 0}, {-0.0, 5},     {-0.0, 0},
                               {INFINITY, 0}, {NAN, 3},  {3, NAN},          {3, INFINITY}, {DBL_MAX, -DBL_MAX},
                               {DBL_MIN, 0},  {1, 1e17}, {0.1, 7.1}};
    for (size_t k = 0; k < sizeof whole / sizeof whole[0]; k++) {
        pack(whole[k][0], whole[k][1], 9);
    }
    const unsigned char endless[6] = {0x80, 0x80, 0x80, 0x80, 0x80, 0};
    double number;
    assert_int_equal(carom_replay_unpack(endless, sizeof endless, 0, &number), 0);
}

/* ---- ticks that are packed ---- */

#define TICKS 300

/* Commands like those of contest bots: distant integer targets, which turn, and thrusts. Every `strange`-th tick one is
 * unlike any bot's; 0: never. */
static void command(double actions[12], size_t tick, size_t strange)
{
    for (size_t pod = 0; pod < 4; pod++) {
        const double angle = 0.05 * (double)tick * (double)(pod + 1);
        actions[3 * pod] = floor(8000 + 100000 * cos(angle));
        actions[3 * pod + 1] = floor(4500 + 100000 * sin(angle));
        actions[3 * pod + 2] = (double)((tick * 37 + pod * 61) % 201);
    }
    if (strange > 0 && tick % strange == 0) {
        actions[0] = 0.1 * (double)tick;
        actions[4] = -1e9;
    }
}

/* Records a world with such commands. */
static void record_commands(stream *s, size_t strange, carom_precision precision)
{
    const carom_game *game = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = make(game, NULL, precision, CAROM_RESET);
    carom_recorder_desc desc = describe(s);
    desc.count = 1;
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
    carom_step step = carom_step_default();
    double actions[12];
    must(carom_game_find_action_kind(game, "referee", &step.action_kind), "referee");
    step.count = 1;
    step.actions = actions;
    for (size_t tick = 0; tick < TICKS; tick++) {
        command(actions, tick, strange);
        OK(carom_recorder_play(recorder, worlds, &step));
    }
    OK(carom_recorder_end(recorder));
}

/* A bot's game takes at most 50 bytes a tick with its head and keyframes, and restores the commands exactly. */
TEST(bots_take_50_bytes_a_tick)
{
    for (size_t strange = 0; strange < 3; strange++) {
        OWNED(stream) s = {0};
        record_commands(&s, strange, strange == 1 ? CAROM_F32 : CAROM_F64);
        if (strange == 0) {
            assert_true(s.size <= 50 * TICKS);
        }
        verify(&s, TICKS, true);
        OWNED(carom_replay) *replay = open_stream(&s);
        for (size_t tick = 0; tick < TICKS; tick += 7) {
            double want[12], got[12];
            command(want, tick, strange);
            OK(carom_replay_actions(replay, tick, NULL, got, sizeof got));
            assert_memory_equal(got, want, sizeof want);
        }
    }
}

/* ---- notes ---- */

static void put_note(carom_recorder *recorder, carom_note_kind kind, size_t world, unsigned player, const char *text,
                     size_t length)
{
    const carom_replay_note note = {
        .kind = kind, .tick = 99, .world = world, .player = player, .text = text, .length = length};
    OK(carom_recorder_note(recorder, &note));
}

static char long_text[CAROM_REPLAY_TEXT + 1];

/* Two of the worlds, with notes before, between and after their nine ticks, around keyframes. */
static void record_notes(stream *s)
{
    const carom_game *game = carom_game_find("csb");
    OWNED(carom_worlds) *worlds = make(game, NULL, CAROM_F64, CAROM_RESET);
    carom_recorder_desc desc = describe(s);
    const size_t chosen[2] = {20, 3};
    desc.worlds = chosen;
    desc.count = 2;
    desc.keyframe_ticks = 4;
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
    carom_step step = policies(game);
    put_note(recorder, CAROM_NOTE_NAME, 0, 0, "./bot --fast", 12);
    put_note(recorder, CAROM_NOTE_NAME, 1, 1, "", 0);
    for (size_t tick = 0; tick < 9; tick++) {
        if (tick % 4 != 2) {
            put_note(recorder, CAROM_NOTE_MESSAGE, tick % 2, 1, "go\0go", 5);
        }
        if (tick == 4) {
            put_note(recorder, CAROM_NOTE_ERROR, 1, 0, long_text, 300);
        }
        OK(carom_recorder_play(recorder, worlds, &step));
    }
    put_note(recorder, CAROM_NOTE_REFEREE, 0, 1, "late", 4);
    OK(carom_recorder_end(recorder));
    const carom_replay_note more = {.text = "", .length = 0};
    assert_int_equal(carom_recorder_note(recorder, &more), CAROM_ERROR_CANCELLED);
}

static void check_note(const carom_replay *replay, size_t index, carom_note_kind kind, uint64_t tick, size_t world,
                       unsigned player, const char *text, size_t length)
{
    carom_replay_note note;
    OK(carom_replay_note_at(replay, index, &note));
    assert_int_equal(note.kind, kind);
    assert_int_equal(note.tick, tick);
    assert_int_equal(note.world, world);
    assert_int_equal(note.player, player);
    assert_int_equal(note.length, length);
    assert_memory_equal(note.text, text, length);
}

TEST(notes_are_read)
{
    OWNED(stream) s = {0};
    memset(long_text, 'x', sizeof long_text);
    record_notes(&s);
    verify(&s, 9, true);
    OWNED(carom_replay) *replay = open_stream(&s);
    carom_replay_note note;
    size_t at = 2;
    const size_t all = carom_replay_describe(replay).notes;
    assert_int_equal(all, 2 + 7 + 1 + 1);
    check_note(replay, 0, CAROM_NOTE_NAME, 0, 0, 0, "./bot --fast", 12);
    check_note(replay, 1, CAROM_NOTE_NAME, 0, 1, 1, "", 0);
    for (size_t tick = 0; tick < 9; tick++) {
        if (tick % 4 != 2) {
            check_note(replay, at++, CAROM_NOTE_MESSAGE, tick, tick % 2, 1, "go\0go", 5);
        }
        if (tick == 4) {
            check_note(replay, at++, CAROM_NOTE_ERROR, tick, 1, 0, long_text, 300);
        }
    }
    check_note(replay, at++, CAROM_NOTE_REFEREE, 9, 0, 1, "late", 4);
    assert_int_equal(at, all);
    assert_int_equal(carom_replay_note_at(replay, all, &note), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_replay_note_at(NULL, 0, &note), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_replay_note_at(replay, 0, NULL), CAROM_ERROR_ARGUMENT);
}

/* No bit of them can be another; of a file that was cut those before the cut are there. */
TEST(notes_that_are_damaged_or_cut)
{
    OWNED(stream) s = {0};
    carom_replay *replay = NULL;
    carom_problem problem;
    size_t before = 0, lengths = 0;
    memset(long_text, 'x', sizeof long_text);
    record_notes(&s);
    for (size_t at = 0; at < s.size; at++) {
        s.bytes[at] ^= (unsigned char)(1u << at % 8);
        const carom_status status = carom_replay_open(s.bytes, s.size, &replay, &problem);
        if (status == CAROM_OK) { /* a length that reaches beyond the end looks like a replay that was cut */
            assert_false(carom_replay_describe(replay).whole);
            lengths++;
        } else {
            assert_int_equal(status, CAROM_ERROR_FORMAT);
        }
        carom_replay_close(replay);
        replay = NULL;
        s.bytes[at] ^= (unsigned char)(1u << at % 8);
    }
    assert_true(lengths <= 16); /* few bytes are lengths */
    for (size_t size = 0; size < s.size; size++) {
        if (carom_replay_open(s.bytes, size, &replay, &problem) == CAROM_OK) {
            const carom_replay_info info = carom_replay_describe(replay);
            assert_false(info.whole);
            assert_true(before == 0 ? info.notes == 3 /* those of tick 0 come before the first keyframe */
                                    : info.notes == before || info.notes == before + 1);
            before = info.notes;
        }
        carom_replay_close(replay);
        replay = NULL;
    }
    assert_int_equal(before, 2 + 7 + 1 + 1);
}

TEST(notes_that_are_refused)
{
    OWNED(stream) s = {0};
    OWNED(carom_worlds) *worlds = make(carom_game_find("csb"), NULL, CAROM_F64, CAROM_RESET);
    carom_recorder_desc desc = describe(&s);
    desc.count = 2;
    OWNED(carom_recorder) *recorder = make_recorder(worlds, &desc);
    const carom_replay_note good = {
        .kind = CAROM_NOTE_MESSAGE, .world = 1, .player = 1, .text = long_text, .length = CAROM_REPLAY_TEXT};
#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        carom_replay_note note = good;                                                                                 \
        note.change;                                                                                                   \
        assert_int_equal(carom_recorder_note(recorder, &note), CAROM_ERROR_ARGUMENT);                                  \
    } while (0)
    const size_t size = s.size;
    REFUSED(world = 2);
    REFUSED(player = 2);
    REFUSED(length = CAROM_REPLAY_TEXT + 1);
    REFUSED(kind = (carom_note_kind)(CAROM_NOTE_REFEREE + 1));
    REFUSED(text = NULL);
#undef REFUSED
    assert_int_equal(carom_recorder_note(NULL, &good), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_recorder_note(recorder, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(s.size, size);
    OK(carom_recorder_note(recorder, &good));
    s.most = s.size;
    assert_int_equal(carom_recorder_note(recorder, &good), CAROM_ERROR_CANCELLED);
}

/* A note with impossible contents is damage, even if its checksum is right; a truncated one is not. */
TEST(notes_that_contradict)
{
    const unsigned char wrong[][6] = {
        {'N', 0x04, 0, 1, 'x', 0},           /* kind 4 */
        {'N', 0x20, 0, 1, 'x', 0},           /* player 2 */
        {'N', 0x00, 2, 1, 'x', 0},           /* world 2 */
        {'N', 0x00, 0x80, 0x80, 0x80, 0x80}, /* a number without an end, cut: no damage */
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        OWNED(stream) s = {0};
        carom_replay *replay;
        carom_problem problem;
        record_notes(&s);
        memcpy(s.bytes + s.size - 17 - 8, wrong[k], 6); /* over the last note, which is 8 bytes long */
        const carom_status status = carom_replay_open(s.bytes, s.size - 17 - 2, &replay, &problem);
        assert_int_equal(status, k < 3 ? CAROM_ERROR_FORMAT : CAROM_OK);
        if (status == CAROM_OK) {
            assert_int_equal(carom_replay_describe(replay).notes, 10);
            carom_replay_close(replay);
        }
    }
}

/* ---- version 1 ---- */

static void load(stream *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char bytes[65536];
    put(s, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

/* A file that Carom 0.1.0 wrote before there was version 2. */
TEST(version_1_is_read)
{
    OWNED(stream) s = {0};
    load(&s, CAROM_TEST_DATA "/replay/version1.carom");
    assert_int_equal(s.bytes[8], 1);
    verify(&s, 8, true);
    OWNED(carom_replay) *replay = open_stream(&s);
    assert_int_equal(carom_replay_describe(replay).notes, 0);
    assert_int_equal(carom_replay_describe(replay).keyframes, 2);
}

/* What only version 2 has is damage in a file of version 1. */
TEST(version_1_has_no_more)
{
    for (int notes = 0; notes < 2; notes++) {
        OWNED(stream) s = {0};
        carom_replay *replay;
        carom_problem problem;
        memset(long_text, 'x', sizeof long_text);
        if (notes) {
            record_notes(&s);
        } else {
            record_commands(&s, 0, CAROM_F64);
        }
        uint32_t head;
        memcpy(&head, s.bytes + 12, sizeof head);
        s.bytes[8] = 1;
        put_sum(s.bytes + head - 8, hash_bytes(VERSION, s.bytes, head - 8));
        assert_int_equal(carom_replay_open(s.bytes, s.size, &replay, &problem), CAROM_ERROR_FORMAT);
        assert_non_null(strstr(problem.text, "damaged"));
    }
}
