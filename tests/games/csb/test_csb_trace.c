/* SPDX-License-Identifier: MIT
 * The reader of csb traces accepts complete traces and refuses damaged ones, naming the line.
 */
#include "../tools/verify/csb_trace.h"
#include "tests/games/changed_traces.h"

#define TRACES CAROM_TEST_DATA "/csb"

/* A whole trace of one turn. The numbers of it need not be right. */
/* clang-format off */
static const char *const good_lines[] = {
    "CSBTRACE 1", "# a comment", "MAP 2 1 3", "CP 0 0 0", "CP 1 -5000 20", "CP 2 0 0",
    "I 0 1 2 3 4 -0.5 1 0 0 0", "I 1 1 2 3 4 0.5 1 0 0 0", "I 2 1 2 3 4 0.5 1 0 0 0", "I 3 1 2 3 4 0.5 1 0 0 0",
    "TURNS 1", "T 0", "C 0 10 20 200", "C 1 -1e15 2.5 SHIELD", "C 2 10 20 BOOST", "C 3 10 20 -7",
    "B 0.5 3 1", "U 0 1.5 2 3 -0", "U 1 1.5 2 3 -0", "U 2 1.5 2 3 -0", "U 3 1.5 2 3 -0",
    "S 0 1 2 3 4 0.5 2 3 1 1", "S 1 1 2 3 4 0.5 1 0 0 0", "S 2 1 2 3 4 0.5 1 0 0 0", "S 3 1 2 3 4 0.5 1 0 0 0",
    "P 100 -3",
};
/* clang-format on */

#define GOOD_LINES (sizeof good_lines / sizeof good_lines[0])

TEST(test_accepts)
{
    char text[4096], message[TRACE_MESSAGE];
    csb_trace trace;
    for (int crlf = 0; crlf < 2; crlf++) {
        size_t length = join_lines(text, good_lines, GOOD_LINES, GOOD_LINES, NULL, crlf ? "\r\n" : "\n");
        length += (size_t)snprintf(text + length, sizeof text - length, "# the end\n");
        assert_true(read_text(&csb_trace_format, text, length, &trace, message));
        assert_true(trace.n == 2 && trace.laps == 1 && trace.expanded_count == 3 && trace.base.turn_count == 1);
        assert_true(trace.checkpoints[1][0] == -5000 && trace.checkpoints[2][0] == 0);
        assert_true(trace.start.angle[0] == -0.5 && trace.start.next[0] == 1);
        const csb_trace_turn *turn = &trace.turns[0];
        assert_true(turn->actions[1][0] == -1e15 && turn->actions[1][2] == CAROM_CSB_SHIELD);
        assert_true(turn->actions[2][2] == CAROM_CSB_BOOST && turn->actions[3][2] == -7);
        assert_true(turn->base.event_count == 1 && trace.base.events[0].left == 0.5 && trace.base.events[0].first == 3);
        assert_true(turn->state.moved[3][0] == 1.5 && signbit(turn->state.moved[3][3]));
        assert_true(turn->state.next[0] == 2 && turn->state.shield[0] == 3 && turn->state.won[0] == 1);
        assert_true(turn->state.timeout[0] == 100 && turn->state.timeout[1] == -3);
        trace_free(&trace);
        trace_free(&trace); /* an empty one may be freed again */
    }
}

TEST(test_refuses_lines)
{
    /* clang-format off */
    static const trace_line_case cases[] = {
        {1, "CSBTRACE 2"}, {1, "CSBTRACE"}, {1, "CSBTRACE 1 1"}, {1, "csbtrace 1"}, {1, ""}, {1, "# first"},
        {2, ""}, {2, "JUNK"}, {2, "\t"}, {2, "# caf\xc3\xa9"},
        {3, "MAP 2 1 4"}, {3, "MAP 1 1 2"}, {3, "MAP 2 0 1"}, {3, "MAP 2 32 65"}, {3, "MAP 1024 32 32769"},
        {3, "MAP 99999999999999999999 1 3"}, {3, "MAP 2 1 3 "}, {3, "MAP  2 1 3"}, {3, " MAP 2 1 3"},
        {3, "MAP -2 1 -1"}, {3, "MAP 2.0 1 3"}, {3, "MAP 1025 1 1026"}, {3, "CP 0 0 0"},
        {4, "CP 1 0 0"}, {4, "CP 0 0"}, {4, "CP 0 0.5 0"}, {4, "CP 0 16777217 0"}, {4, "CP 0 0x1 0"}, {4, "CP 0 - 0"},
        {5, "CP 1 0 0"}, {6, "CP 2 0 1"}, {6, "CP 1 -5000 20"},
        {7, "I 1 1 2 3 4 0.5 1 0 0 0"}, {7, "S 0 1 2 3 4 0.5 1 0 0 0"}, {7, "I 0 1 2 3 4 0.5 0 0 0 0"},
        {7, "I 0 1 2 3 4 0.5 3 0 0 0"}, {7, "I 0 1 2 3 4 0.5 1 4 0 0"}, {7, "I 0 1 2 3 4 0.5 1 0 2 0"},
        {7, "I 0 1 2 3 4 0.5 1 0 0 -1"}, {7, "I 0 1e9 2 3 4 0.5 1 0 0 0"}, {7, "I 0 1 2 3 4 1048577 1 0 0 0"},
        {7, "I 0 nan 2 3 4 0.5 1 0 0 0"}, {7, "I 0 1 inf 3 4 0.5 1 0 0 0"}, {7, "I 0 1 2 3x 4 0.5 1 0 0 0"},
        {7, "I 0 1 2 3 4 0.5 1 0 0"}, {7, "I 0 1 2 3 4 0.5 1 0 0 0 0"}, {7, "I 0 1 2 3 4 0.5 1 0 0 0 0 0 0 0 0"},
        {11, "TURNS 0"}, {11, "TURNS -1"}, {11, "TURNS 100001"}, {11, "TURNS"}, {11, "TURNS 1e1"}, {12, "T 1"},
        {12, "T -1"}, {12, "T"}, {12, "B 0.5 3 1"},
        {13, "C 1 10 20 200"}, {13, "C 0 10 20 shield"}, {13, "C 0 10 20 20.5"}, {13, "C 0 10 20 10001"},
        {13, "C 0 1e999 20 200"}, {13, "C 0 10 -inf 200"}, {13, "C 0 10 20"}, {13, "C 0 10 20 "}, {13, "C 0 1e 20 5"},
        {13, "C 0 0x10 20 5"}, {13, "C 0 1,5 20 5"}, {13, "C 0 1-5 20 5"}, {13, "C 0 10 20 --5"}, {13, "C 0 . 20 5"},
        {17, "B 1.5 3 1"}, {17, "B -0.5 3 1"}, {17, "B 0.5 1 3"}, {17, "B 0.5 2 2"}, {17, "B 0.5 4 1"},
        {17, "B 0.5 3"}, {17, "B nan 3 1"}, {17, "T 1"},
        {18, "U 1 1.5 2 3 -0"}, {18, "U 0 1.5 2 3"}, {18, "U 0 1.5 2 3 -0 0"}, {18, "U 0 1.5.5 2 3 -0"},
        {18, "U 0 1.5 2 3 -nan"}, {18, "U 0 1.5 2 3 1e300"}, {19, "S 0 1 2 3 4 0.5 2 3 1 1"},
        {22, "S 0 1 2 3 4 0.5 2 3 1 1x"}, {22, "S 0 1 2 3 4 0.5 2 9 1 1"}, {22, "U 0 1.5 2 3 -0"},
        {26, "P 100"}, {26, "P 101 0"}, {26, "P 100 -3 1"}, {26, "P 1.5 0"}, {26, "T 1"},
    };
    /* clang-format on */
    char text[4096];
    refuse_lines(&csb_trace_format, good_lines, GOOD_LINES, cases, sizeof cases / sizeof cases[0]);
    /* A missing record is reported at the next one; the 26th at the end. */
    for (size_t k = 0; k < GOOD_LINES; k++)
        if (k != 1 && k != 16) /* the comment and the bounce may be left out */
            refuse_text(&csb_trace_format, text, join_lines(text, good_lines, GOOD_LINES, k, NULL, "\n"), k + 1);
}

TEST(test_refuses_files)
{
    char text[4096], message[TRACE_MESSAGE], tiny[4] = "abc";
    static const char first[11] = {'C', 'S', 'B', 'T', 'R', 'A', 'C', 'E', ' ', '1', '\n'};
    unsigned char bytes[4096];
    csb_trace trace;
    uint32_t random = 1;

    /* A trace that continues. */
    size_t length = join_lines(text, good_lines, GOOD_LINES, GOOD_LINES, NULL, "\n");
    refuse_text(&csb_trace_format, text, length + (size_t)snprintf(text + length, sizeof text - length, "T 1\n"), 27);

    /* Every byte damaged by a zero, and by a change of one bit: refused, or taken as another trace, but no harm. */
    for (size_t k = 0; k < length; k++) {
        char kept = text[k];
        text[k] = '\0';
        assert_false(read_text(&csb_trace_format, text, length, &trace, message));
        for (int bit = 0; bit < 8; bit++) {
            text[k] = (char)(kept ^ (1 << bit));
            if (read_text(&csb_trace_format, text, length, &trace, message))
                trace_free(&trace);
        }
        text[k] = kept;
    }

    /* Binary garbage, with and without the first line. */
    for (size_t k = 0; k < sizeof bytes; k++) {
        random = random * 1664525u + 1013904223u;
        bytes[k] = (unsigned char)(random >> 24);
    }
    refuse_text(&csb_trace_format, (const char *)bytes, sizeof bytes, 1);
    memcpy(bytes, first, sizeof first);
    refuse_text(&csb_trace_format, (const char *)bytes, sizeof bytes, 2);

    /* Lines without end, comments too. */
    memset(text, '7', sizeof text);
    refuse_text(&csb_trace_format, text, sizeof text, 1);
    memcpy(text, first, sizeof first);
    text[sizeof first] = '#';
    refuse_text(&csb_trace_format, text, sizeof text, 2);

    /* No file, a folder, and messages that do not fit. */
    assert_false(trace_read(&csb_trace_format, "no/such/file", &trace, message, sizeof message));
    assert_non_null(strstr(message, "no/such/file:1: "));
    assert_false(trace_read(&csb_trace_format, ".", &trace, message, sizeof message));
    assert_false(trace_read(&csb_trace_format, "no/such/file", &trace, tiny, sizeof tiny));
    assert_string_equal(tiny, "no/");
    assert_false(trace_read(&csb_trace_format, "no/such/file", &trace, NULL, 0));
}

/* More bounces than a turn can have, and a count of turns that the file does not hold. */
TEST(test_bounds)
{
    char text[4096], bounces[2048];
    for (int k = 0; k < 70; k++)
        snprintf(bounces + (size_t)k * 10, sizeof bounces - (size_t)k * 10, "B 0.5 3 1%s", k < 69 ? "\n" : "");
    refuse_text(&csb_trace_format, text, join_lines(text, good_lines, GOOD_LINES, 16, bounces, "\n"),
                17 + CSB_TRACE_MAX_BOUNCES);
    refuse_text(&csb_trace_format, text, join_lines(text, good_lines, GOOD_LINES, 10, "TURNS 100000", "\n"), 27);
}

/* A real trace, cut after each of its first 40 lines. */
TEST(test_refuses_cut_trace)
{
    char path[1024], text[8192];
    snprintf(path, sizeof path, "%s/trace_05.txt", TRACES);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        fail_msg("cannot open %s", path);
        return;
    }
    size_t length = fread(text, 1, sizeof text, stream), line = 0;
    fclose(stream);
    refuse_text(&csb_trace_format, text, 0, 1);
    for (size_t k = 0; k < length && line < 40; k++) {
        if (text[k] == '\n') {
            line++;
            refuse_text(&csb_trace_format, text, k, line);         /* the end of the line is missing */
            refuse_text(&csb_trace_format, text, k + 1, line + 1); /* the next line is missing */
        }
    }
    assert_int_equal(line, 40);
}
