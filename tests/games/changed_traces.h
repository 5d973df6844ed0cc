/* SPDX-License-Identifier: MIT
 * Good traces, each damaged at one position: the reader must name the line.
 */
#ifndef CAROM_TESTS_GAMES_CHANGED_TRACES_H
#define CAROM_TESTS_GAMES_CHANGED_TRACES_H

#include "test.h"

#include "../tools/verify/trace_format.h"

/* Line `line`, from 1, is `text` instead. */
typedef struct trace_line_case {
    size_t line;
    const char *text;
} trace_line_case;

/* In line `line` `what` becomes `with`. */
typedef struct trace_change {
    size_t line;
    const char *what, *with;
} trace_change;

/* Reads the trace "F" from memory. */
static inline bool read_text(const trace_format *format, const char *text, size_t size, void *trace,
                             char message[TRACE_MESSAGE])
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    rewind(file);
    const bool good = trace_read_stream(format, file, "F", trace, message, TRACE_MESSAGE);
    fclose(file);
    return good;
}

/* It must be refused at that line. */
static inline void refuse_text(const trace_format *format, const char *text, size_t size, size_t line)
{
    char message[TRACE_MESSAGE], prefix[32];
    FREED trace_base *trace = (trace_base *)malloc(format->trace_size);
    assert_non_null(trace);
    if (read_text(format, text, size, trace, message))
        fail_msg("a trace with a wrong line %zu was taken", line);
    snprintf(prefix, sizeof prefix, "F:%zu: ", line);
    if (strncmp(message, prefix, strlen(prefix)) != 0 || strchr(message, '\n') != NULL)
        fail_msg("'%s' is not about line %zu", message, line);
    assert_null(trace->format);
}

/* The lines, one of them (from 0) replaced; NULL: left out. Returns the length. */
static inline size_t join_lines(char text[4096], const char *const *lines, size_t count, size_t index, const char *line,
                                const char *end)
{
    size_t length = 0;
    for (size_t k = 0; k < count; k++) {
        const char *now = k == index ? line : lines[k];
        if (now != NULL)
            length += (size_t)snprintf(text + length, 4096 - length, "%s%s", now, end);
    }
    return length;
}

/* The good lines, with each of the cases; and cut at every byte. */
static inline void refuse_lines(const trace_format *format, const char *const *lines, size_t count,
                                const trace_line_case *cases, size_t case_count)
{
    char text[4096];
    for (size_t k = 0; k < case_count; k++)
        refuse_text(format, text, join_lines(text, lines, count, cases[k].line - 1, cases[k].text, "\n"),
                    cases[k].line);
    const size_t length = join_lines(text, lines, count, count, NULL, "\n");
    for (size_t cut = 0, line = 1; cut < length; line += text[cut++] == '\n')
        refuse_text(format, text, cut, line);
}

/* The trace in a file, with each of the changes; and cut. */
static inline void refuse_changes(const trace_format *format, const char *path, const trace_change *changes,
                                  size_t count)
{
    enum { ROOM = 1 << 21 };
    char *const text = (char *)calloc(2, ROOM), *const changed = text + ROOM;
    FILE *stream = fopen(path, "rb");
    assert_true(text != NULL && stream != NULL);
    const size_t length = fread(text, 1, ROOM / 2, stream);
    assert_true(length > 9 && length < ROOM / 2);
    fclose(stream);
    size_t lines = 1;
    for (size_t k = 0; k < length - 9; k++)
        lines += text[k] == '\n';
    for (size_t c = 0; c < count; c++) {
        memcpy(changed, text, length + 1);
        char *line = changed;
        for (size_t k = 1; k < changes[c].line; k++)
            line = strchr(line, '\n') + 1;
        char *at = strstr(line, changes[c].what);
        assert_non_null(at);
        const size_t old = strlen(changes[c].what), new = strlen(changes[c].with);
        memmove(at + new, at + old, length + 1 - (size_t)(at + old - changed));
        memcpy(at, changes[c].with, new);
        refuse_text(format, changed, strlen(changed), changes[c].line);
    }
    refuse_text(format, text, length - 9, lines);
    free(text);
}

#endif
