/* SPDX-License-Identifier: MIT
 * The reader of stones traces takes whole traces and refuses damaged ones, naming the line; and the plain-C game plays
 * every trace to the last bit.
 */
#include "stones_batch.h"

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

static bool read_text(const char *text, size_t length, stones_trace *trace, char message[STONES_TRACE_MESSAGE])
{
    FILE *stream = tmpfile();
    if (stream == NULL || fwrite(text, 1, length, stream) != length || fseek(stream, 0, SEEK_SET) != 0) {
        fail_msg("cannot write a temporary file");
        return false;
    }
    const bool good = stones_trace_read_stream(stream, "F", trace, message, STONES_TRACE_MESSAGE);
    fclose(stream);
    return good;
}

/* The good trace with line `index` (from 0) replaced; NULL: left out. */
static size_t write_with(char text[4096], size_t index, const char *line)
{
    size_t length = 0;
    for (size_t k = 0; k < GOOD_LINES; k++) {
        const char *now = k == index ? line : good_lines[k];
        if (now != NULL) {
            length += (size_t)snprintf(text + length, 4096 - length, "%s\n", now);
        }
    }
    return length;
}

static void assert_refused(const char *text, size_t length, size_t line)
{
    char message[STONES_TRACE_MESSAGE], prefix[32];
    stones_trace trace;
    if (read_text(text, length, &trace, message)) {
        fail_msg("a trace with a wrong line %zu was taken", line);
    }
    snprintf(prefix, sizeof prefix, "F:%zu: ", line);
    if (strncmp(message, prefix, strlen(prefix)) != 0 || strchr(message, '\n') != NULL) {
        fail_msg("'%s' is not about line %zu", message, line);
    }
    assert_null(trace.ticks);
}

static void test_accepts(void **state)
{
    (void)state;
    char text[4096], message[STONES_TRACE_MESSAGE];
    stones_trace trace;
    assert_true(read_text(text, write_with(text, GOOD_LINES, NULL), &trace, message));
    assert_true(trace.stones == 2 && trace.check && trace.push_count == 1 && trace.tick_count == 1);
    assert_true(signbit(trace.start[0][0]) && trace.start[1][3] == 2 && trace.pushes[0].curve == -1);
    assert_true(trace.ticks[0].hits[0].way == 12.5 && trace.ticks[0].hits[0].shrunk && !trace.ticks[0].stones[0].shot);
    assert_true(trace.ticks[0].stones[1].shot && trace.ticks[0].stones[1].curve == -1);
    double numbers[STONES_TRACE_PUSHES][4];
    stones_trace_actions(&trace, 0, numbers);
    assert_true(numbers[0][0] == 1 && numbers[0][1] == -0.5 && numbers[0][2] == 40 && numbers[1][2] == 0);
    stones_trace_free(&trace);
    stones_trace_free(&trace); /* an empty one may be freed again */
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        size_t line; /* counted from 1 */
        const char *text;
    } cases[] = {
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
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_refused(text, write_with(text, cases[k].line - 1, cases[k].text), cases[k].line);
    }
    for (size_t k = 0; k < GOOD_LINES; k++) {
        assert_refused(text, write_with(text, k, NULL), k + 1);
    }
    const size_t length = write_with(text, GOOD_LINES, NULL);
    for (size_t cut = 0; cut < length; cut++) {
        size_t line = 1;
        for (size_t k = 0; k < cut; k++) {
            line += text[k] == '\n';
        }
        assert_refused(text, cut, line);
    }
    text[length] = 'x';
    assert_refused(text, length + 1, GOOD_LINES + 1);
    char message[STONES_TRACE_MESSAGE];
    stones_trace trace;
    assert_false(stones_trace_read("no/such/file", &trace, message, sizeof message));
    assert_non_null(strstr(message, "no/such/file:1: "));
    memset(text, '7', sizeof text);
    assert_refused(text, sizeof text, 1);
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
    options.check = trace->check;
    stones_ref_world world;
    stones_ref_clear(&world);
    for (size_t i = 0; i < trace->stones; i++) {
        const double *s = trace->start[i];
        stones_ref_put(&world, (int)i, s[0], s[1], s[2], s[3], s[4]);
    }
    for (size_t t = 0; t < trace->tick_count; t++) {
        const stones_trace_tick *tick = &trace->ticks[t];
        double pushes[STONES_TRACE_PUSHES][4];
        stones_ref_record record;
        stones_trace_actions(trace, t, pushes);
        stones_ref_step(&world, &options, ENGINE, pushes, NULL, &record);
        check(file, t, 0, "fault", world.fault, 0);
        check(file, t, 0, "sweeps", world.sweeps, tick->sweeps);
        check(file, t, 0, "hits", record.hit_count, tick->hit_count);
        for (int k = 0; k < tick->hit_count; k++) {
            check(file, t, (size_t)k, "striker", record.hits[k].striker, tick->hits[k].striker);
            check(file, t, (size_t)k, "struck", record.hits[k].struck, tick->hits[k].struck);
            check(file, t, (size_t)k, "dA", record.hits[k].way, tick->hits[k].way);
            check(file, t, (size_t)k, "shrunk", record.hits[k].shrunk, tick->hits[k].shrunk);
        }
        for (size_t i = 0; i < trace->stones; i++) {
            const stones_trace_stone *want = &tick->stones[i];
            const stones_ref_stone *found = &world.stones[i];
            check(file, t, i, "px", found->px, want->px);
            check(file, t, i, "py", found->py, want->py);
            check(file, t, i, "course", found->course, want->course);
            check(file, t, i, "speed", found->speed, want->speed);
            check(file, t, i, "unused", found->unused, want->unused);
            check(file, t, i, "share", record.moved[i][3], want->share);
            check(file, t, i, "shot", found->shot, want->shot);
            check(file, t, i, "curve", want->shot ? found->curve : 0, want->curve);
            check(file, t, i, "shotTraveled", found->shot_traveled, want->shot_traveled);
            check(file, t, i, "shotDistance", found->shot_distance, want->shot_distance);
        }
    }
}

static void test_reference_replays(void **state)
{
    (void)state;
    char path[1024], message[STONES_TRACE_MESSAGE];
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
        if (!stones_trace_read(path, &trace, message, sizeof message)) {
            fail_msg("%s", message);
        }
        replay(entry->d_name, &trace);
        stones_trace_free(&trace);
        count++;
    }
    closedir(folder);
    assert_true(count > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_reference_replays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
