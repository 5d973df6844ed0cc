/* SPDX-License-Identifier: MIT
 * A good trace, changed in one place after the other: its reader must name the line of each.
 */
#ifndef CAROM_TESTS_CHANGED_TRACES_H
#define CAROM_TESTS_CHANGED_TRACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct trace_change {
    unsigned line; /* from 1 */
    const char *what, *with;
} trace_change;

/* Reads the trace "F". True: it is good. */
typedef bool trace_reader(FILE *stream, char *message, size_t size);

static inline void refuse_text(const char *text, size_t size, const char *prefix, trace_reader *read)
{
    char message[512];
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    rewind(file);
    if (read(file, message, sizeof message))
        fail_msg("a changed trace was taken, though not good: %s", prefix);
    if (strncmp(message, prefix, strlen(prefix)) != 0)
        fail_msg("'%s' does not begin with '%s'", message, prefix);
    fclose(file);
}

static inline void refuse_changed_traces(const char *path, const trace_change *changes, size_t count,
                                         trace_reader *read)
{
    enum { ROOM = 1 << 21 };
    char *const text = (char *)calloc(2, ROOM), *const changed = text + ROOM;
    FILE *stream = fopen(path, "rb");
    assert_true(text != NULL && stream != NULL);
    const size_t length = fread(text, 1, ROOM / 2, stream);
    assert_true(length > 9 && length < ROOM / 2);
    fclose(stream);
    for (size_t c = 0; c < count; c++) {
        char prefix[32];
        memcpy(changed, text, length + 1);
        char *line = changed;
        for (unsigned k = 1; k < changes[c].line; k++)
            line = strchr(line, '\n') + 1;
        char *at = strstr(line, changes[c].what);
        assert_non_null(at);
        const size_t old = strlen(changes[c].what), new = strlen(changes[c].with);
        memmove(at + new, at + old, length + 1 - (size_t)(at + old - changed));
        memcpy(at, changes[c].with, new);
        snprintf(prefix, sizeof prefix, "F:%u: ", changes[c].line);
        refuse_text(changed, strlen(changed), prefix, read);
    }
    refuse_text(text, length - 9, "F:", read); /* cut */
    free(text);
}

#endif
