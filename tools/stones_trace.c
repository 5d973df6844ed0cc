/* SPDX-License-Identifier: MIT
 * The reader of stones traces.
 */
#include "stones_trace.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINE 512
#define FIELDS 16

typedef struct reader {
    FILE *stream;
    const char *name;
    size_t line;
    char *message;
    size_t message_size;
    char text[LINE];
    char *fields[FIELDS];
    size_t count;
} reader;

static bool fail(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(reader *r, const char *format, ...)
{
    char what[LINE + 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (char *c = what; *c != '\0'; c++) {
        if (*c < ' ' || *c > '~') {
            *c = '?';
        }
    }
    if (r->message != NULL && r->message_size > 0) {
        snprintf(r->message, r->message_size, "%s:%zu: %s", r->name, r->line, what);
    }
    return false;
}

/* The next line, cut into fields at single blanks. */
static bool next_line(reader *r)
{
    r->line++;
    size_t length = 0;
    int c = getc(r->stream);
    for (; c != EOF && c != '\n'; c = getc(r->stream)) {
        if (length + 1 == sizeof r->text || c == '\0') {
            return fail(r, "not a line of text");
        }
        r->text[length++] = (char)c;
    }
    if (c == EOF) {
        return fail(r, "the trace ends too early");
    }
    if (length > 0 && r->text[length - 1] == '\r') {
        length--;
    }
    r->text[length] = '\0';
    r->count = 0;
    for (char *at = r->text; at != NULL; r->count++) {
        if (r->count == FIELDS) {
            return fail(r, "more than %d fields", FIELDS);
        }
        r->fields[r->count] = at;
        at = strchr(at, ' ');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    return true;
}

/* The next line must be a record of that name with so many fields, its name included. */
static bool expect(reader *r, const char *record, size_t fields)
{
    if (!next_line(r)) {
        return false;
    }
    if (strcmp(r->fields[0], record) != 0 || r->count != fields) {
        return fail(r, "a record '%s' of %zu fields is missing", record, fields);
    }
    return true;
}

static bool get_real(reader *r, size_t field, double *value)
{
    const char *text = r->fields[field];
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || strspn(text, "0123456789+-.e") != strlen(text) || !isfinite(*value)) {
        return fail(r, "'%s' is no number", text);
    }
    return true;
}

static bool get_integer(reader *r, size_t field, long least, long most, long *value)
{
    const char *text = r->fields[field];
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || strspn(text, "0123456789-") != strlen(text) || errno != 0 || *value < least ||
        *value > most) {
        return fail(r, "'%s' is no whole number from %ld to %ld", text, least, most);
    }
    return true;
}

/* A field that counts: it must be `expected`. */
static bool get_place(reader *r, size_t field, size_t expected)
{
    long value;
    return get_integer(r, field, (long)expected, (long)expected, &value);
}

static bool get_count(reader *r, const char *record, long least, long most, size_t *count)
{
    long value;
    if (!expect(r, record, 2) || !get_integer(r, 1, least, most, &value)) {
        return false;
    }
    *count = (size_t)value;
    return true;
}

static bool read_start(reader *r, stones_trace *trace)
{
    long check;
    if (!next_line(r)) {
        return false;
    }
    if (strcmp(r->fields[0], "#") != 0) {
        return fail(r, "the first line does not begin with '# '");
    }
    if (!get_count(r, "stones", 1, STONES_TRACE_MAX, &trace->stones)) {
        return false;
    }
    for (size_t i = 0; i < trace->stones; i++) {
        bool good = expect(r, "stone", 7) && get_place(r, 1, i);
        for (size_t k = 0; k < 5 && good; k++) {
            good = get_real(r, 2 + k, &trace->start[i][k]);
        }
        if (!good) {
            return false;
        }
    }
    if (!expect(r, "check", 2) || !get_integer(r, 1, 0, 1, &check)) {
        return false;
    }
    trace->check = check != 0;
    return true;
}

static bool read_push(reader *r, const stones_trace *trace, stones_trace_push *push)
{
    long tick, stone;
    if (!expect(r, "push", 6) || !get_integer(r, 1, 0, STONES_TRACE_TICKS, &tick) ||
        !get_integer(r, 2, 0, (long)trace->stones - 1, &stone) || !get_real(r, 3, &push->course) ||
        !get_real(r, 4, &push->speed) || !get_real(r, 5, &push->curve)) {
        return false;
    }
    push->tick = (uint32_t)tick;
    push->stone = (double)stone;
    return true;
}

static bool read_pushes(reader *r, stones_trace *trace)
{
    if (!get_count(r, "pushes", 0, STONES_TRACE_TICKS, &trace->push_count)) {
        return false;
    }
    trace->pushes = (stones_trace_push *)calloc(trace->push_count + 1, sizeof *trace->pushes);
    if (trace->pushes == NULL) {
        return fail(r, "no memory");
    }
    size_t same = 0; /* pushes of the tick */
    for (size_t k = 0; k < trace->push_count; k++) {
        stones_trace_push *push = &trace->pushes[k];
        if (!read_push(r, trace, push)) {
            return false;
        }
        if (k > 0 && push->tick < push[-1].tick) {
            return fail(r, "pushes are not in order of their ticks");
        }
        same = k > 0 && push->tick == push[-1].tick ? same + 1 : 1;
        if (same > STONES_TRACE_PUSHES) {
            return fail(r, "more than %d pushes in one tick", STONES_TRACE_PUSHES);
        }
    }
    return true;
}

static bool read_hit(reader *r, const stones_trace *trace, stones_trace_hit *hit)
{
    long striker, struck, shrunk, last = (long)trace->stones - 1;
    if (!expect(r, "hit", 5) || !get_integer(r, 1, 0, last, &striker) || !get_integer(r, 2, 0, last, &struck) ||
        !get_real(r, 3, &hit->way) || !get_integer(r, 4, 0, 1, &shrunk)) {
        return false;
    }
    hit->striker = (int)striker;
    hit->struck = (int)struck;
    hit->shrunk = shrunk != 0;
    return true;
}

static bool read_stone(reader *r, size_t index, stones_trace_stone *stone)
{
    double *const numbers[] = {&stone->px, &stone->py, &stone->course, &stone->speed, &stone->unused, &stone->share};
    if (!expect(r, "s", 11) || !get_place(r, 1, index)) {
        return false;
    }
    for (size_t k = 0; k < 6; k++) {
        if (!get_real(r, 2 + k, numbers[k])) {
            return false;
        }
    }
    stone->shot = strcmp(r->fields[8], "none") != 0;
    return (!stone->shot || get_real(r, 8, &stone->curve)) && get_real(r, 9, &stone->shot_traveled) &&
           get_real(r, 10, &stone->shot_distance);
}

static bool read_tick(reader *r, const stones_trace *trace, size_t index, stones_trace_tick *tick)
{
    static const char *const words[] = {"tick", "moving", "sweeps", "hits"};
    long moving, sweeps, hits;
    if (!expect(r, "tick", 8) || !get_place(r, 1, index)) {
        return false;
    }
    for (size_t k = 1; k < 4; k++) {
        if (strcmp(r->fields[2 * k], words[k]) != 0) {
            return fail(r, "'%s' is missing", words[k]);
        }
    }
    if (!get_integer(r, 3, 0, 1, &moving) || !get_integer(r, 5, 1, 10, &sweeps) ||
        !get_integer(r, 7, 0, STONES_TRACE_HITS, &hits)) {
        return false;
    }
    tick->moving = moving != 0;
    tick->sweeps = (int)sweeps;
    tick->hit_count = (int)hits;
    for (long k = 0; k < hits; k++) {
        if (!read_hit(r, trace, &tick->hits[k])) {
            return false;
        }
    }
    for (size_t i = 0; i < trace->stones; i++) {
        if (!read_stone(r, i, &tick->stones[i])) {
            return false;
        }
    }
    return true;
}

static bool read_ticks(reader *r, stones_trace *trace)
{
    size_t count, room = 0;
    if (!get_count(r, "ticks", 1, STONES_TRACE_TICKS, &count)) {
        return false;
    }
    for (size_t t = 0; t < count; t++) {
        if (t == room) { /* no more than the file really holds, and as much again */
            room = room == 0 ? 64 : 2 * room;
            void *more = realloc(trace->ticks, room * sizeof *trace->ticks);
            if (more == NULL) {
                return fail(r, "no memory");
            }
            trace->ticks = (stones_trace_tick *)more;
        }
        memset(&trace->ticks[t], 0, sizeof trace->ticks[t]);
        if (!read_tick(r, trace, t, &trace->ticks[t])) {
            return false;
        }
        trace->tick_count++;
    }
    r->line++;
    return getc(r->stream) == EOF || fail(r, "the trace goes on after its last tick");
}

bool stones_trace_read_stream(FILE *stream, const char *name, stones_trace *trace, char *message, size_t size)
{
    reader r = {.stream = stream, .name = name, .message = message, .message_size = size};
    memset(trace, 0, sizeof *trace);
    bool good = read_start(&r, trace) && read_pushes(&r, trace) && read_ticks(&r, trace);
    if (!good) {
        stones_trace_free(trace);
    }
    return good;
}

bool stones_trace_read(const char *path, stones_trace *trace, char *message, size_t size)
{
    memset(trace, 0, sizeof *trace);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        reader r = {.name = path, .line = 1, .message = message, .message_size = size};
        return fail(&r, "cannot open the file: %s", strerror(errno));
    }
    bool good = stones_trace_read_stream(stream, path, trace, message, size);
    fclose(stream);
    return good;
}

void stones_trace_free(stones_trace *trace)
{
    free(trace->pushes);
    free(trace->ticks);
    memset(trace, 0, sizeof *trace);
}

void stones_trace_actions(const stones_trace *trace, size_t tick, double numbers[STONES_TRACE_PUSHES][4])
{
    size_t count = 0;
    memset(numbers, 0, STONES_TRACE_PUSHES * sizeof *numbers);
    for (size_t k = 0; k < trace->push_count; k++) {
        const stones_trace_push *push = &trace->pushes[k];
        if (push->tick == tick) {
            const double action[4] = {push->stone, push->course, push->speed, push->curve};
            memcpy(numbers[count++], action, sizeof action);
        }
    }
}
