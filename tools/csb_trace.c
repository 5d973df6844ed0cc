/* SPDX-License-Identifier: MIT
 * The reader of csb traces: lines and their fields, checked numbers, and the order of the records.
 */
#include "csb_trace.h"

#include <carom/csb.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 256       /* a valid line has at most about 130 characters */
#define MAX_LINES 10000000u /* more than the longest trace has: a stream without end is given up */
#define MAX_FIELDS 12
#define MAX_CHECKPOINTS 1024
#define MAX_LAPS 31
#define CHECKPOINT_LIMIT 16777216 /* 2^24 */
#define STATE_LIMIT 67108864.0    /* 2^26: of positions and velocities, as in carom/csb.h */
#define ANGLE_LIMIT 1048576.0     /* 2^20 */

typedef struct reader {
    FILE *stream;
    const char *name;
    unsigned line; /* number of the current line, from 1 */
    char text[LINE_SIZE];
    char *fields[MAX_FIELDS]; /* of the current record, within text */
    size_t field_count;
    char *message;
    size_t message_size;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
fail(reader *r, const char *format, ...)
{
    char what[LINE_SIZE + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (r->message_size > 0)
        snprintf(r->message, r->message_size, "%s:%u: %s", r->name, r->line, what);
    return false;
}

/* ---- lines and fields ---- */

/* Reads one line without its end into r->text. `expected` is for the message at the end of the file. */
static bool read_line(reader *r, const char *expected)
{
    size_t length = 0;
    int c;
    r->line++;
    if (r->line > MAX_LINES)
        return fail(r, "the file has more lines than a trace can have");
    while ((c = getc(r->stream)) != EOF && c != '\n') {
        if (length == LINE_SIZE - 1)
            return fail(r, "the line has more than %d characters", LINE_SIZE - 1);
        r->text[length++] = (char)c;
    }
    if (ferror(r->stream))
        return fail(r, "cannot read the file: %s", strerror(errno));
    if (c == EOF && length == 0)
        return fail(r, "the file ends where %s should follow", expected);
    if (c == EOF)
        return fail(r, "the file ends within the line");
    if (length > 0 && r->text[length - 1] == '\r')
        length--;
    for (size_t i = 0; i < length; i++)
        if (r->text[i] < ' ' || r->text[i] > '~')
            return fail(r, "byte 0x%02x is not part of a text", (unsigned)(unsigned char)r->text[i]);
    r->text[length] = '\0';
    return true;
}

/* Cuts r->text at its single spaces. */
static bool split(reader *r)
{
    char *at = r->text;
    r->field_count = 0;
    for (;;) {
        if (r->field_count == MAX_FIELDS)
            return fail(r, "the line has more than %d fields", MAX_FIELDS);
        r->fields[r->field_count++] = at;
        char *end = strchr(at, ' ');
        if (end == at || *at == '\0')
            return fail(r, "an empty line, or an empty field; fields are separated by one space");
        if (end == NULL)
            return true;
        *end = '\0';
        at = end + 1;
    }
}

/* Reads the next line that is no comment. */
static bool next_record(reader *r, const char *expected)
{
    do {
        if (!read_line(r, expected))
            return false;
    } while (r->text[0] == '#');
    return split(r);
}

/* Checks the tag and the number of fields (the tag's own included) of the current record. */
static bool is_record(reader *r, const char *tag, size_t field_count)
{
    if (strcmp(r->fields[0], tag) != 0)
        return fail(r, "a record %s was expected here, not '%s'", tag, r->fields[0]);
    if (r->field_count != field_count)
        return fail(r, "a record %s has %zu fields, not %zu", tag, field_count, r->field_count);
    return true;
}

static bool expect_record(reader *r, const char *tag, size_t field_count)
{
    char expected[32];
    snprintf(expected, sizeof expected, "a record %s", tag);
    return next_record(r, expected) && is_record(r, tag, field_count);
}

/* ---- numbers ---- */

/* Field `index` as an integer in [low, high]. */
static bool get_integer(reader *r, size_t index, const char *what, long low, long high, long *value)
{
    const char *text = r->fields[index];
    char *end;
    bool plain = strspn(text, "-0123456789") == strlen(text);
    errno = 0;
    *value = strtol(text, &end, 10);
    if (!plain || end == text || *end != '\0')
        return fail(r, "%s: '%s' is not an integer", what, text);
    if (errno != 0 || *value < low || *value > high)
        return fail(r, "%s: %s is not within %ld .. %ld", what, text, low, high);
    return true;
}

/* Field `index` as a decimal number within +-limit. */
static bool get_real(reader *r, size_t index, const char *what, double limit, double *value)
{
    const char *text = r->fields[index];
    char *end;
    bool plain = strspn(text, "+-.0123456789eE") == strlen(text); /* no hexadecimal, no names */
    *value = strtod(text, &end);
    if (!plain || end == text || *end != '\0')
        return fail(r, "%s: '%s' is not a decimal number", what, text);
    if (!(fabs(*value) <= limit))
        return fail(r, "%s: %s is not within +-%.10g", what, text, limit);
    return true;
}

/* Fields `first` .. `first` + 3: position and velocity. */
static bool get_motion(reader *r, size_t first, double motion[4])
{
    static const char *const names[4] = {"x", "y", "vx", "vy"};
    for (size_t k = 0; k < 4; k++)
        if (!get_real(r, first + k, names[k], STATE_LIMIT, &motion[k]))
            return false;
    return true;
}

/* Field `index` must be the integer `value`: the records of a kind come in order. */
static bool get_number_in_order(reader *r, size_t index, const char *what, long value)
{
    long found;
    if (!get_integer(r, index, what, 0, CSB_TRACE_MAX_TURNS, &found))
        return false;
    return found == value || fail(r, "%s: %ld was expected here, not %ld", what, value, found);
}

/* ---- memory ---- */

/* Makes room for one more element in an array that grows with what the file holds. */
static bool grow(reader *r, void **array, size_t count, size_t *capacity, size_t element)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity == 0 ? 64 : 2 * *capacity;
    void *grown = realloc(*array, wanted * element);
    if (grown == NULL)
        return fail(r, "out of memory");
    *array = grown;
    *capacity = wanted;
    return true;
}

/* ---- records ---- */

static bool read_head(reader *r)
{
    long version;
    if (!read_line(r, "a trace"))
        return false;
    if (strncmp(r->text, "CSBTRACE ", 9) != 0)
        return fail(r, "not a trace of csb: the first line must be 'CSBTRACE 1'");
    return split(r) && is_record(r, "CSBTRACE", 2) && get_integer(r, 1, "version of the format", 1, 1, &version);
}

static bool read_map(reader *r, csb_trace *trace)
{
    long n, laps, count;
    if (!expect_record(r, "MAP", 4) || !get_integer(r, 1, "checkpoints of the map", 2, MAX_CHECKPOINTS, &n) ||
        !get_integer(r, 2, "laps", 1, MAX_LAPS, &laps) ||
        !get_integer(r, 3, "length of the expanded list", 1, MAX_CHECKPOINTS * MAX_LAPS + 1, &count))
        return false;
    if (count != laps * n + 1)
        return fail(r, "%ld checkpoints and %ld laps give an expanded list of %ld, not %ld", n, laps, laps * n + 1,
                    count);
    trace->n = (uint32_t)n;
    trace->laps = (uint32_t)laps;
    trace->expanded_count = (uint32_t)count;
    return true;
}

static bool read_checkpoints(reader *r, csb_trace *trace)
{
    trace->checkpoints = malloc(trace->n * sizeof *trace->checkpoints);
    trace->expanded = malloc(trace->expanded_count * sizeof *trace->expanded);
    if (trace->checkpoints == NULL || trace->expanded == NULL)
        return fail(r, "out of memory");
    for (uint32_t k = 0; k < trace->expanded_count; k++) {
        int32_t *now = trace->expanded[k];
        long x, y;
        if (!expect_record(r, "CP", 4) || !get_number_in_order(r, 1, "checkpoint", (long)k) ||
            !get_integer(r, 2, "x of the checkpoint", -CHECKPOINT_LIMIT, CHECKPOINT_LIMIT, &x) ||
            !get_integer(r, 3, "y of the checkpoint", -CHECKPOINT_LIMIT, CHECKPOINT_LIMIT, &y))
            return false;
        now[0] = (int32_t)x;
        now[1] = (int32_t)y;
        if (k < trace->n)
            memcpy(trace->checkpoints[k], now, sizeof trace->checkpoints[k]);
        else if (memcmp(now, trace->checkpoints[k % trace->n], sizeof *trace->expanded) != 0)
            return fail(r, "checkpoint %u differs from checkpoint %u: the list is not the map repeated", k,
                        k % trace->n);
        if (k > 0 && memcmp(now, trace->expanded[k - 1], sizeof *trace->expanded) == 0)
            return fail(r, "checkpoint %u is at the same place as the one before it", k);
    }
    return true;
}

/* The body of the records I and S. */
static bool read_pod(reader *r, const csb_trace *trace, const char *tag, long index, csb_trace_pod *pod)
{
    long next, shield, boosted, won;
    double motion[4];
    if (!expect_record(r, tag, 11) || !get_number_in_order(r, 1, "pod", index) || !get_motion(r, 2, motion) ||
        !get_real(r, 6, "angle", ANGLE_LIMIT, &pod->angle) ||
        !get_integer(r, 7, "next checkpoint", 1, (long)trace->expanded_count - 1, &next) ||
        !get_integer(r, 8, "shield", 0, 3, &shield) || !get_integer(r, 9, "boosted", 0, 1, &boosted) ||
        !get_integer(r, 10, "won", 0, 1, &won))
        return false;
    pod->x = motion[0];
    pod->y = motion[1];
    pod->vx = motion[2];
    pod->vy = motion[3];
    pod->next = (int16_t)next;
    pod->shield = (int8_t)shield;
    pod->boosted = (int8_t)boosted;
    pod->won = (int8_t)won;
    return true;
}

static bool read_command(reader *r, long index, csb_trace_command *command)
{
    long thrust = 0;
    if (!expect_record(r, "C", 5) || !get_number_in_order(r, 1, "pod", index) ||
        !get_real(r, 2, "x of the target", DBL_MAX, &command->x) ||
        !get_real(r, 3, "y of the target", DBL_MAX, &command->y))
        return false;
    if (strcmp(r->fields[4], "SHIELD") == 0)
        command->token = CSB_TRACE_SHIELD;
    else if (strcmp(r->fields[4], "BOOST") == 0)
        command->token = CSB_TRACE_BOOST;
    else if (get_integer(r, 4, "thrust", -CSB_TRACE_MAX_THRUST, CSB_TRACE_MAX_THRUST, &thrust))
        command->token = CSB_TRACE_THRUST;
    else
        return false;
    command->thrust = (int32_t)thrust;
    return true;
}

/* The current record is a bounce. */
static bool read_bounce(reader *r, csb_trace_bounce *bounce)
{
    long first, second;
    if (!is_record(r, "B", 4) || !get_real(r, 1, "time left", 1, &bounce->left) ||
        !get_integer(r, 2, "first pod", 1, CSB_TRACE_PODS - 1, &first) ||
        !get_integer(r, 3, "second pod", 0, first - 1, &second))
        return false;
    if (bounce->left < 0)
        return fail(r, "time left: %s is below 0", r->fields[1]);
    bounce->first = (uint8_t)first;
    bounce->second = (uint8_t)second;
    return true;
}

/* The bounces of a turn, and the first record after them, which becomes the current one. */
static bool read_bounces(reader *r, csb_trace *trace, csb_trace_turn *turn, size_t *capacity)
{
    turn->first_bounce = trace->bounce_count;
    turn->bounce_count = 0;
    for (;;) {
        if (!next_record(r, "a record B or U"))
            return false;
        if (strcmp(r->fields[0], "B") != 0)
            return true;
        void *bounces = trace->bounces;
        bool room = grow(r, &bounces, trace->bounce_count, capacity, sizeof *trace->bounces);
        trace->bounces = bounces;
        if (!room || !read_bounce(r, &trace->bounces[trace->bounce_count]))
            return false;
        trace->bounce_count++;
        turn->bounce_count++;
        if (turn->bounce_count > CSB_TRACE_MAX_BOUNCES)
            return fail(r, "more than %d bounces in one turn", CSB_TRACE_MAX_BOUNCES);
    }
}

static bool read_turn(reader *r, csb_trace *trace, csb_trace_turn *turn, long index, size_t *bounce_capacity)
{
    if (!expect_record(r, "T", 2) || !get_number_in_order(r, 1, "turn", index))
        return false;
    for (long i = 0; i < CSB_TRACE_PODS; i++)
        if (!read_command(r, i, &turn->commands[i]))
            return false;
    if (!read_bounces(r, trace, turn, bounce_capacity))
        return false;
    for (long i = 0; i < CSB_TRACE_PODS; i++)
        if ((i > 0 && !next_record(r, "a record U")) || !is_record(r, "U", 6) || !get_number_in_order(r, 1, "pod", i) ||
            !get_motion(r, 2, turn->moved[i]))
            return false;
    for (long i = 0; i < CSB_TRACE_PODS; i++)
        if (!read_pod(r, trace, "S", i, &turn->pods[i]))
            return false;
    if (!expect_record(r, "P", 3))
        return false;
    for (size_t p = 0; p < 2; p++) {
        long timeout;
        if (!get_integer(r, 1 + p, "timeout", -CSB_TRACE_MAX_TURNS, 100, &timeout))
            return false;
        turn->timeouts[p] = (int32_t)timeout;
    }
    return true;
}

static bool read_turns(reader *r, csb_trace *trace)
{
    size_t capacity = 0, bounce_capacity = 0;
    long count;
    if (!expect_record(r, "TURNS", 2) || !get_integer(r, 1, "number of turns", 1, CSB_TRACE_MAX_TURNS, &count))
        return false;
    for (long t = 0; t < count; t++) {
        void *turns = trace->turns;
        bool room = grow(r, &turns, trace->turn_count, &capacity, sizeof *trace->turns);
        trace->turns = turns;
        if (!room || !read_turn(r, trace, &trace->turns[t], t, &bounce_capacity))
            return false;
        trace->turn_count++;
    }
    return true;
}

/* After the last turn there may be comments. */
static bool read_end(reader *r)
{
    for (;;) {
        int c = getc(r->stream);
        if (c == EOF && !ferror(r->stream))
            return true;
        ungetc(c, r->stream);
        if (!read_line(r, "the end"))
            return false;
        if (r->text[0] != '#')
            return fail(r, "the trace goes on after its last turn");
    }
}

bool csb_trace_read_stream(FILE *stream, const char *name, csb_trace *trace, char *message, size_t size)
{
    reader r = {.stream = stream, .name = name, .message = message, .message_size = size};
    memset(trace, 0, sizeof *trace);
    bool good = read_head(&r) && read_map(&r, trace) && read_checkpoints(&r, trace);
    for (long i = 0; good && i < CSB_TRACE_PODS; i++)
        good = read_pod(&r, trace, "I", i, &trace->start[i]);
    good = good && read_turns(&r, trace) && read_end(&r);
    if (!good)
        csb_trace_free(trace);
    return good;
}

bool csb_trace_read(const char *path, csb_trace *trace, char *message, size_t size)
{
    memset(trace, 0, sizeof *trace);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        reader r = {.name = path, .line = 1, .message = message, .message_size = size};
        return fail(&r, "cannot open the file: %s", strerror(errno));
    }
    bool good = csb_trace_read_stream(stream, path, trace, message, size);
    fclose(stream);
    return good;
}

void csb_trace_free(csb_trace *trace)
{
    free(trace->checkpoints);
    free(trace->expanded);
    free(trace->turns);
    free(trace->bounces);
    memset(trace, 0, sizeof *trace);
}

void csb_trace_actions(const csb_trace_turn *turn, double actions[][3])
{
    for (size_t i = 0; i < sizeof turn->commands / sizeof turn->commands[0]; i++) {
        const csb_trace_command *command = &turn->commands[i];
        actions[i][0] = command->x;
        actions[i][1] = command->y;
        actions[i][2] = command->token == CSB_TRACE_SHIELD  ? (double)CAROM_CSB_SHIELD
                        : command->token == CSB_TRACE_BOOST ? (double)CAROM_CSB_BOOST
                                                            : command->thrust;
    }
}
