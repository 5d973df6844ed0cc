/* SPDX-License-Identifier: MIT
 * The reader of stones traces accepts complete traces and refuses damaged ones, naming the line; and the plain-C game
 * plays every trace to the last bit.
 */
#include "stones_batch.h"

#include "tests/games/changed_traces.h"

#include <dirent.h>

static const char *const good_lines[] = {"# name",
                                         "stones 2",
                                         "stone 0 -0 1.5 20 1 0.9",
                                         "stone 1 100 0 20 2 0.9",
                                         "check 1",
                                         "pushes 1",
                                         "push 0 1 -0.5 40 -1",
                                         "ticks 1",
                                         "tick 0 moving 1 sweeps 2 hits 1",
                                         "hit 0 1 12.5 1",
                                         "s 0 1 2 3 4 0 0.5 none 40 399.5",
                                         "s 1 1 2 3 4 1 1 -1 0 0"};
#define GOOD_LINES (sizeof good_lines / sizeof good_lines[0])

TEST(test_accepts)
{
    char text[4096], message[TRACE_MESSAGE];
    stones_trace trace;
    assert_true(read_text(&stones_trace_format, text, join_lines(text, good_lines, GOOD_LINES, GOOD_LINES, NULL, "\n"),
                          &trace, message));
    assert_true(trace.stones == 2 && trace.base.batch == 1 && trace.push_count == 1 && trace.base.turn_count == 1);
    assert_true(signbit(trace.start[0][0]) && trace.start[1][3] == 2 && trace.pushes[0].action[3] == -1);
    assert_true(trace.base.events[0].left == -12.5 && trace.turns[0].state.shot[0] == 0);
    assert_true(trace.turns[0].state.shot[1] == 1 && trace.turns[0].state.curve[1] == -1);
    const double(*numbers)[4] = (const double(*)[4])trace.turns[0].actions;
    assert_true(numbers[0][0] == 1 && numbers[0][1] == -0.5 && numbers[0][2] == 40 && numbers[1][2] == 0);
    trace_free(&trace);
    trace_free(&trace); /* an empty one may be freed again */
}

TEST(test_refuses)
{
    static const trace_line_case cases[] = {
        {1, "name"},
        {2, "stones 0"},
        {2, "stones 33"},
        {2, "stones x"},
        {2, "stones 2 2"},
        {3, "stone 1 0 0 20 1 0.9"},
        {3, "stone 0 0 0 20 1"},
        {3, "stone 0 nan 0 20 1 0.9"},
        {3, "stone 0 0x1 0 20 1 0.9"},
        {3, "stone 0  0 20 1 0.9"},
        {5, "check 2"},
        {6, "pushes -1"},
        {7, "push 0 2 0 40 0"},
        {7, "push -1 0 0 40 0"},
        {7, "push 0 0 0 inf 0"},
        {8, "ticks 0"},
        {8, "ticks 100001"},
        {9, "tick 1 moving 1 sweeps 2 hits 1"},
        {9, "tick 0 moving 1 sweeps 11 hits 1"},
        {9, "tick 0 moving 1 sweeps 2 hits 11"},
        {9, "tick 0 moved 1 sweeps 2 hits 1"},
        {10, "hit 0 2 1 1"},
        {10, "hit 0 1 1 2"},
        {11, "s 0 1 2 3 4 0 0.5 nothing 40 399.5"},
        {12, "s 1 1 2 3 4 1 1 -1 0"},
        {12, "s 1 1 2 3 4 1 1 -1 0 0 0"},
    };
    char text[4096];
    refuse_lines(&stones_trace_format, good_lines, GOOD_LINES, cases, sizeof cases / sizeof cases[0]);
    for (size_t k = 0; k < GOOD_LINES; k++) {
        refuse_text(&stones_trace_format, text, join_lines(text, good_lines, GOOD_LINES, k, NULL, "\n"), k + 1);
    }
    const size_t length = join_lines(text, good_lines, GOOD_LINES, GOOD_LINES, NULL, "\n");
    text[length] = 'x';
    refuse_text(&stones_trace_format, text, length + 1, GOOD_LINES + 1);
    char message[TRACE_MESSAGE];
    stones_trace trace;
    assert_false(trace_read(&stones_trace_format, "no/such/file", &trace, message, sizeof message));
    assert_non_null(strstr(message, "no/such/file:1: "));
    memset(text, '7', sizeof text);
    refuse_text(&stones_trace_format, text, sizeof text, 1);
}

static void check(const char *file, size_t tick, size_t stone, const char *what, double found, double expected)
{
    if (memcmp(&found, &expected, sizeof found) != 0) {
        fail_msg("%s: tick %zu, stone %zu, %s: %.17g instead of %.17g", file, tick, stone, what, found, expected);
    }
}

static void replay(const char *file, const stones_trace *trace)
{
    carom_stones_options options = carom_stones_options_default();
    options.stones = STONES;
    options.ring = 0;
    options.ticks = 1 << 20;
    options.check = trace->base.batch;
    stones_ref_world world;
    stones_ref_clear(&world);
    for (size_t i = 0; i < trace->stones; i++) {
        const double *s = trace->start[i];
        stones_ref_put(&world, (int)i, s[0], s[1], s[2], s[3], s[4]);
    }
    for (size_t t = 0; t < trace->base.turn_count; t++) {
        const stones_trace_turn *tick = &trace->turns[t];
        const stones_trace_state *want = &tick->state;
        stones_ref_record record;
        stones_ref_step(&world, &options, ENGINE, tick->actions, NULL, &record);
        check(file, t, 0, "fault", world.fault, 0);
        check(file, t, 0, "sweeps", world.sweeps, want->sweeps[0]);
        check(file, t, 0, "hits", record.hit_count, (double)tick->base.event_count);
        for (size_t k = 0; k < tick->base.event_count; k++) {
            const carom_event *hit = &trace->base.events[tick->base.first_event + k];
            check(file, t, k, "striker", record.hits[k].striker, hit->first);
            check(file, t, k, "struck", record.hits[k].struck, hit->second);
            check(file, t, k, "dA", record.hits[k].way, fabs(hit->left));
            check(file, t, k, "shrunk", record.hits[k].shrunk, signbit(hit->left) != 0);
        }
        for (size_t i = 0; i < trace->stones; i++) {
            const stones_ref_stone *found = &world.stones[i];
            check(file, t, i, "px", found->px, want->px[i]);
            check(file, t, i, "py", found->py, want->py[i]);
            check(file, t, i, "course", found->course, want->course[i]);
            check(file, t, i, "speed", found->speed, want->speed[i]);
            check(file, t, i, "unused", found->unused, want->unused[i]);
            check(file, t, i, "share", record.moved[i][3], want->share[i]);
            check(file, t, i, "shot", found->shot, want->shot[i]);
            if (want->shot[i]) {
                check(file, t, i, "curve", found->curve, want->curve[i]);
            }
            check(file, t, i, "shotTraveled", found->shot_traveled, want->shot_traveled[i]);
            check(file, t, i, "shotDistance", found->shot_distance, want->shot_distance[i]);
        }
    }
}

TEST(test_reference_replays)
{
    char path[1024], message[TRACE_MESSAGE];
    size_t count = 0;
    DIR *folder = opendir(CAROM_TEST_DATA "/stones");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        stones_trace trace;
        if (dot == NULL || strcmp(dot, ".txt") != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/stones/%s", CAROM_TEST_DATA, entry->d_name);
        if (!trace_read(&stones_trace_format, path, &trace, message, sizeof message)) {
            fail_msg("%s", message);
        }
        replay(entry->d_name, &trace);
        trace_free(&trace);
        count++;
    }
    closedir(folder);
    assert_true(count > 10);
}
