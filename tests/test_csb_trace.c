/* SPDX-License-Identifier: MIT
 * The reader of csb traces takes whole traces and refuses damaged ones, naming the line.
 *
 * Usage: test_csb_trace [FOLDER]   with trace_05.txt; by default the folder csb in CAROM_TEST_DATA.
 */
#include "../tools/csb_trace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#ifndef CAROM_TEST_DATA
#define CAROM_TEST_DATA "tests/data"
#endif

static const char *trace_folder = CAROM_TEST_DATA "/csb";

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

/* Reads a trace from memory. */
static bool read_text(const char *text, size_t length, csb_trace *trace, char message[CSB_TRACE_MESSAGE])
{
    FILE *stream = tmpfile();
    if (stream == NULL || fwrite(text, 1, length, stream) != length || fseek(stream, 0, SEEK_SET) != 0) {
        fail_msg("cannot write a temporary file");
        return false;
    }
    bool good = csb_trace_read_stream(stream, "F", trace, message, CSB_TRACE_MESSAGE);
    fclose(stream);
    return good;
}

/* The good trace with line `index` (from 0) replaced; NULL: left out. */
static size_t write_with(char text[4096], size_t index, const char *line, const char *end)
{
    size_t length = 0;
    for (size_t k = 0; k < GOOD_LINES; k++) {
        const char *now = k == index ? line : good_lines[k];
        if (now != NULL)
            length += (size_t)snprintf(text + length, 4096 - length, "%s%s", now, end);
    }
    return length;
}

/* It must be refused at that line, counted from 1. */
static void assert_refused(const char *text, size_t length, size_t line)
{
    char message[CSB_TRACE_MESSAGE], prefix[32];
    csb_trace trace;
    if (read_text(text, length, &trace, message))
        fail_msg("a trace with a wrong line %zu was taken", line);
    snprintf(prefix, sizeof prefix, "F:%zu: ", line);
    if (strncmp(message, prefix, strlen(prefix)) != 0 || strchr(message, '\n') != NULL)
        fail_msg("'%s' is not about line %zu", message, line);
    assert_null(trace.turns);
}

static void test_accepts(void **state)
{
    char text[4096], message[CSB_TRACE_MESSAGE];
    csb_trace trace;
    (void)state;
    for (int crlf = 0; crlf < 2; crlf++) {
        size_t length = write_with(text, GOOD_LINES, NULL, crlf ? "\r\n" : "\n");
        length += (size_t)snprintf(text + length, sizeof text - length, "# the end\n");
        assert_true(read_text(text, length, &trace, message));
        assert_true(trace.n == 2 && trace.laps == 1 && trace.expanded_count == 3 && trace.turn_count == 1);
        assert_true(trace.checkpoints[1][0] == -5000 && trace.expanded[2][0] == 0);
        assert_true(trace.start[0].angle == -0.5 && trace.start[0].next == 1);
        const csb_trace_turn *turn = &trace.turns[0];
        assert_true(turn->commands[1].x == -1e15 && turn->commands[1].token == CSB_TRACE_SHIELD);
        assert_true(turn->commands[2].token == CSB_TRACE_BOOST && turn->commands[3].thrust == -7);
        assert_true(turn->bounce_count == 1 && trace.bounces[0].left == 0.5 && trace.bounces[0].first == 3);
        assert_true(turn->moved[3][0] == 1.5 && signbit(turn->moved[3][3]));
        assert_true(turn->pods[0].next == 2 && turn->pods[0].shield == 3 && turn->pods[0].won == 1);
        assert_true(turn->timeouts[0] == 100 && turn->timeouts[1] == -3);
        csb_trace_free(&trace);
        csb_trace_free(&trace); /* an empty one may be freed again */
    }
}

static void test_refuses_lines(void **state)
{
    /* clang-format off */
    static const struct {
        size_t line; /* counted from 1 */
        const char *text;
    } cases[] = {
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
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_refused(text, write_with(text, cases[k].line - 1, cases[k].text, "\n"), cases[k].line);
    /* A record that is missing is missed where the next one stands; the 26th at the end. */
    for (size_t k = 0; k < GOOD_LINES; k++)
        if (k != 1 && k != 16) /* the comment and the bounce may be left out */
            assert_refused(text, write_with(text, k, NULL, "\n"), k + 1);
}

static void test_refuses_files(void **state)
{
    char text[4096], message[CSB_TRACE_MESSAGE], tiny[4] = "abc";
    static const char first[11] = {'C', 'S', 'B', 'T', 'R', 'A', 'C', 'E', ' ', '1', '\n'};
    unsigned char bytes[4096];
    csb_trace trace;
    uint32_t random = 1;
    (void)state;

    /* A trace that goes on, or is cut at any byte. */
    size_t length = write_with(text, GOOD_LINES, NULL, "\n");
    length += (size_t)snprintf(text + length, sizeof text - length, "T 1\n");
    assert_refused(text, length, 27);
    length = write_with(text, GOOD_LINES, NULL, "\n");
    for (size_t cut = 0; cut < length; cut++) {
        size_t line = 1;
        for (size_t k = 0; k < cut; k++)
            line += text[k] == '\n';
        assert_refused(text, cut, line);
    }

    /* Every byte damaged by a zero, and by a change of one bit: refused, or taken as another trace, but no harm. */
    for (size_t k = 0; k < length; k++) {
        char kept = text[k];
        text[k] = '\0';
        assert_false(read_text(text, length, &trace, message));
        for (int bit = 0; bit < 8; bit++) {
            text[k] = (char)(kept ^ (1 << bit));
            if (read_text(text, length, &trace, message))
                csb_trace_free(&trace);
        }
        text[k] = kept;
    }

    /* Binary garbage, with and without the first line. */
    for (size_t k = 0; k < sizeof bytes; k++) {
        random = random * 1664525u + 1013904223u;
        bytes[k] = (unsigned char)(random >> 24);
    }
    assert_refused((const char *)bytes, sizeof bytes, 1);
    memcpy(bytes, first, sizeof first);
    assert_refused((const char *)bytes, sizeof bytes, 2);

    /* Lines without end, comments too. */
    memset(text, '7', sizeof text);
    assert_refused(text, sizeof text, 1);
    memcpy(text, first, sizeof first);
    text[sizeof first] = '#';
    assert_refused(text, sizeof text, 2);

    /* No file, a folder, and messages that do not fit. */
    assert_false(csb_trace_read("no/such/file", &trace, message, sizeof message));
    assert_non_null(strstr(message, "no/such/file:1: "));
    assert_false(csb_trace_read(".", &trace, message, sizeof message));
    assert_false(csb_trace_read("no/such/file", &trace, tiny, sizeof tiny));
    assert_string_equal(tiny, "no/");
    assert_false(csb_trace_read("no/such/file", &trace, NULL, 0));
}

/* More bounces than a turn can have, and a count of turns that the file does not hold. */
static void test_bounds(void **state)
{
    char text[4096], bounces[2048];
    (void)state;
    for (int k = 0; k < 70; k++)
        snprintf(bounces + (size_t)k * 10, sizeof bounces - (size_t)k * 10, "B 0.5 3 1%s", k < 69 ? "\n" : "");
    assert_refused(text, write_with(text, 16, bounces, "\n"), 17 + CSB_TRACE_MAX_BOUNCES);
    assert_refused(text, write_with(text, 10, "TURNS 100000", "\n"), 27);
}

/* A real trace, cut after each of its first 40 lines. */
static void test_refuses_cut_trace(void **state)
{
    char path[1024], text[8192];
    (void)state;
    snprintf(path, sizeof path, "%s/trace_05.txt", trace_folder);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        fail_msg("cannot open %s", path);
        return;
    }
    size_t length = fread(text, 1, sizeof text, stream), line = 0;
    fclose(stream);
    assert_refused(text, 0, 1);
    for (size_t k = 0; k < length && line < 40; k++) {
        if (text[k] == '\n') {
            line++;
            assert_refused(text, k, line);         /* the end of the line is missing */
            assert_refused(text, k + 1, line + 1); /* the next line is missing */
        }
    }
    assert_int_equal(line, 40);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts), cmocka_unit_test(test_refuses_lines),     cmocka_unit_test(test_refuses_files),
        cmocka_unit_test(test_bounds),  cmocka_unit_test(test_refuses_cut_trace),
    };
    if (argc > 1)
        trace_folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
