/* SPDX-License-Identifier: MIT
 * The reader of traces.
 */
#include "trace_format.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINES 10000000u /* more than in the longest trace, to stop at an endless stream */

bool trace_fail(trace_reader *r, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (r->message_size > 0 && !r->failed) {
        snprintf(r->message, r->message_size, "%s:%u: %s", r->name, r->line, what);
    }
    r->failed = true;
    return false;
}

bool trace_check(trace_reader *r, bool good, const char *what_else)
{
    return !r->failed && (good || trace_fail(r, "%s", what_else));
}

/* ---- lines and words ---- */

static bool read_line(trace_reader *r)
{
    size_t length = 0;
    int c;
    if (++r->line > MAX_LINES) {
        return trace_fail(r, "the file has more lines than a trace can have");
    }
    while ((c = getc(r->stream)) != EOF && c != '\n') {
        if (length == TRACE_LINE - 1) {
            return trace_fail(r, "the line has more than %d characters", TRACE_LINE - 1);
        }
        r->text[length++] = (char)c;
    }
    if (ferror(r->stream)) {
        return trace_fail(r, "cannot read the file: %s", strerror(errno));
    }
    if (c == EOF && length > 0) {
        return trace_fail(r, "the file ends within the line");
    }
    length -= length > 0 && r->text[length - 1] == '\r';
    for (size_t i = 0; i < length; i++) {
        if ((r->text[i] < ' ' && r->text[i] != '\t') || r->text[i] > '~') {
            return trace_fail(r, "byte 0x%02x is not part of a text", (unsigned)(unsigned char)r->text[i]);
        }
    }
    r->text[length] = '\0';
    r->at = r->text;
    r->ended = c == EOF;
    return true;
}

/* Makes the next line the current one, unless it already is. */
static bool load(trace_reader *r)
{
    while (!r->failed && !r->loaded && read_line(r)) {
        r->loaded = !r->remarks || r->text[0] != '#' || r->ended;
    }
    return !r->failed;
}

/* Whether the text begins with that word. */
static bool begins(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return text != NULL && strncmp(text, word, length) == 0 && (text[length] == ' ' || text[length] == '\0');
}

bool trace_is(trace_reader *r, const char *word)
{
    return load(r) && begins(r->at, word);
}

bool trace_ended(trace_reader *r)
{
    return load(r) && r->ended;
}

const char *trace_next(trace_reader *r, const char *what)
{
    if (!load(r)) {
        return NULL;
    }
    char *word = r->at;
    if (word == NULL || *word == ' ' || *word == '\0') {
        trace_fail(r, "%s should stand here%s", what,
                   r->ended       ? ", where the file ends"
                   : word == NULL ? ", where the line ends"
                                  : "; words have one space between them");
        return NULL;
    }
    char *end = strchr(word, ' ');
    r->at = end == NULL ? NULL : end + 1;
    if (end != NULL) {
        *end = '\0';
    }
    return word;
}

const char *trace_rest(trace_reader *r)
{
    if (load(r) && r->at == NULL) {
        trace_fail(r, "the line ends too early");
    }
    r->loaded = false;
    return r->failed ? NULL : r->at;
}

/* ---- fields ---- */

static bool take_whole(trace_reader *r, const char *what, bool body, int64_t *whole)
{
    const char *word = trace_next(r, what);
    char *end;
    if (word == NULL) {
        return false;
    }
    errno = 0;
    *whole = strtoll(word, &end, 10);
    if (strspn(word, "-0123456789") != strlen(word) || end == word || *end != '\0' || errno != 0) {
        return trace_fail(r, "%s: '%.40s' is not an integer", what, word);
    }
    if (body && *whole >= (int64_t)r->trace->gap_first && *whole < INT32_MAX) {
        *whole += (int64_t)(r->trace->gap_end - r->trace->gap_first);
    }
    return true;
}

static bool take_number(trace_reader *r, const trace_field *field, void *to)
{
    double number = 0;
    int64_t whole = 0;
    bool named = false;
    for (const trace_word *w = field->words; w != NULL && w->word != NULL && load(r) && !named; w++) {
        named = begins(r->at, w->word);
        number = w->number;
    }
    if (named) {
        trace_next(r, field->name);
        whole = field->kind == TRACE_INTEGER ? (int64_t)number : 0;
    } else if (field->kind == TRACE_REAL) {
        const char *word = trace_next(r, field->name);
        char *end;
        number = word == NULL ? 0 : strtod(word, &end);
        if (word != NULL && (strspn(word, "+-.0123456789eE") != strlen(word) || end == word || *end != '\0')) {
            trace_fail(r, "%s: '%.40s' is not a decimal number", field->name, word);
        }
    } else if (take_whole(r, field->name, field->kind == TRACE_BODY, &whole)) {
        number = (double)whole;
    }
    if (!r->failed && !named && !(number >= field->low && number <= field->high)) {
        trace_fail(r, "%s: %.17g is not within %.10g .. %.10g", field->name, number, field->low, field->high);
    }
    if (r->failed) {
        return false;
    }
    const int32_t word = (int32_t)whole;
    const int16_t half = (int16_t)whole;
    const int8_t byte = (int8_t)whole;
    memcpy(to,
           field->kind < TRACE_INTEGER ? (const void *)&number
           : field->size == 8          ? (const void *)&whole
           : field->size == 4          ? (const void *)&word
           : field->size == 2          ? (const void *)&half
                                       : &byte,
           field->size);
    return true;
}

/* One word of a pattern. */
static bool take(trace_reader *r, const char *name, char *to, size_t index)
{
    char nowhere[1];
    if (name[0] != '%' || name[1] == '?') {
        const char *word = trace_next(r, name);
        return word != NULL && (name[0] == '%' || strcmp(word, name) == 0 ||
                                trace_fail(r, "'%s' should stand here, not '%.40s'", name, word));
    }
    if (name[1] == '#' || name[1] == '@') {
        int64_t whole;
        return take_whole(r, "number in order", name[1] == '@', &whole) &&
               (whole == (int64_t)index || trace_fail(r, "number %lld is not in order", (long long)whole));
    }
    const trace_field *field = r->trace->format->fields;
    while (strcmp(field->name, name + 1) != 0) {
        field++;
    }
    const ptrdiff_t element = field->first + field->each * (ptrdiff_t)index;
    return take_number(r, field, field->size == 0 ? nowhere : to + field->at + element * (ptrdiff_t)field->size);
}

bool trace_line(trace_reader *r, const char *pattern, void *to, size_t index)
{
    while (*pattern != '\0') {
        char name[32];
        const size_t length = strcspn(pattern, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, pattern);
        pattern += length + (pattern[length] == ' ');
        if (strcmp(name, "...") == 0) {
            return true;
        }
        if (!take(r, name, (char *)to, index)) {
            return false;
        }
    }
    r->loaded = false;
    return !r->failed && (r->at == NULL || trace_fail(r, "'%.40s' is too much", r->at));
}

bool trace_lines(trace_reader *r, const char *pattern, void *to, size_t first, size_t count)
{
    for (size_t k = first; k < first + count && !r->failed; k++) {
        trace_line(r, pattern, to, k);
    }
    return !r->failed;
}

double trace_number(const void *from, size_t size)
{
    double number;
    int32_t word;
    int16_t half;
    int8_t byte;
    memcpy(size == 8 ? (void *)&number : size == 4 ? (void *)&word : size == 2 ? (void *)&half : &byte, from, size);
    return size == 8 ? number : size == 4 ? word : size == 2 ? half : byte;
}

/* ---- lists ---- */

bool trace_grow(trace_reader *r, void *list, size_t count, size_t size)
{
    void *items;
    memcpy((void *)&items, list, sizeof items);
    if (r->failed) {
        return false;
    }
    if (count == 0 || (count >= 16 && (count & (count - 1)) == 0)) {
        void *larger = realloc(items, (count == 0 ? 16 : 2 * count) * size);
        if (larger == NULL) {
            return trace_fail(r, "out of memory");
        }
        items = larger;
        memcpy(list, (const void *)&items, sizeof items);
    }
    memset((char *)items + count * size, 0, size);
    return true;
}

const void *trace_turn_at(const void *trace, size_t t)
{
    const trace_format *format = ((const trace_base *)trace)->format;
    const char *turns;
    memcpy((void *)&turns, (const char *)trace + format->turns, sizeof turns);
    return turns + t * format->turn_size;
}

void *trace_add_turn(trace_reader *r)
{
    trace_base *trace = r->trace;
    if (trace->turn_count == TRACE_TURNS) {
        trace_fail(r, "more than %d turns", TRACE_TURNS);
        return NULL;
    }
    if (!trace_grow(r, (char *)trace + trace->format->turns, trace->turn_count, trace->format->turn_size)) {
        return NULL;
    }
    trace_turn *turn = (trace_turn *)(uintptr_t)trace_turn_at(trace, trace->turn_count++);
    turn->first_event = trace->event_count;
    return turn;
}

carom_event *trace_add_event(trace_reader *r, trace_turn *turn, size_t most)
{
    if (turn->event_count == most) {
        trace_fail(r, "more than %zu events in a turn", most);
        return NULL;
    }
    if (!trace_grow(r, (void *)&r->trace->events, r->trace->event_count, sizeof *r->trace->events)) {
        return NULL;
    }
    turn->event_count++;
    return &r->trace->events[r->trace->event_count++];
}

/* ---- traces ---- */

bool trace_read_stream(const trace_format *format, FILE *stream, const char *name, void *trace, char *message,
                       size_t size)
{
    trace_reader r = {.stream = stream, .name = name, .message = message, .message_size = size, .trace = trace};
    memset(trace, 0, format->trace_size);
    r.trace->format = format;
    if (stream == NULL) {
        r.line = 1;
        trace_fail(&r, "cannot open the file: %s", strerror(errno));
    } else {
        format->read(&r, trace);
        trace_check(&r, trace_ended(&r), "the trace goes on after its end");
    }
    if (r.failed) {
        trace_free(trace);
    }
    return !r.failed;
}

bool trace_read(const trace_format *format, const char *path, void *trace, char *message, size_t size)
{
    FILE *stream = fopen(path, "rb");
    const bool good = trace_read_stream(format, stream, path, trace, message, size);
    if (stream != NULL) {
        fclose(stream);
    }
    return good;
}

void trace_free(void *trace)
{
    trace_base *base = (trace_base *)trace;
    const trace_format *format = base->format;
    if (format == NULL) {
        return;
    }
    const size_t lists[] = {format->turns, format->more};
    for (size_t k = 0; k < 2; k++) {
        void *list;
        memcpy((void *)&list, (char *)trace + lists[k], sizeof list);
        if (lists[k] != 0) {
            free(list);
        }
    }
    free(base->events);
    memset(trace, 0, format->trace_size);
}

void trace_get(const carom_worlds *worlds, size_t world, const char *name, double numbers[TRACE_NUMBERS])
{
    double raw[TRACE_NUMBERS];
    carom_field field;
    size_t index;
    for (size_t i = 0; i < TRACE_NUMBERS; i++) {
        numbers[i] = NAN;
    }
    if (carom_worlds_find_field(worlds, name, &index) == CAROM_OK &&
        carom_worlds_field(worlds, index, &field) == CAROM_OK && field.count <= TRACE_NUMBERS &&
        carom_worlds_get(worlds, index, world, 1, raw) == CAROM_OK) {
        for (size_t i = 0; i < field.count; i++) {
            numbers[i] = trace_number((const char *)raw + i * field.bytes, field.bytes);
        }
    }
}

/* Replaces the # in `text` by the index. */
static void write_index(char *to, size_t size, const char *text, size_t index)
{
    const int before = (int)strcspn(text, "#");
    if (text[before] == '\0') {
        snprintf(to, size, "%s", text);
    } else {
        snprintf(to, size, "%.*s%zu%s", before, text, index, text + before + 1);
    }
}

/* Signs of zeros matter; a NaN equals nothing. */
static bool is_same(const trace_field *f, double expected, double found)
{
    return (expected == found && signbit(expected) == signbit(found)) ||
           (f->near > 0 && fabs(expected - found) <= f->near * fabs(expected));
}

void trace_compare(const void *trace, const void *state, bool start, const carom_worlds *worlds, size_t world,
                   const double *moved, trace_tell *tell, void *context)
{
    const trace_base *base = (const trace_base *)trace;
    for (const trace_field *f = base->format->fields; f->name != NULL; f++) {
        const char *shown = start ? f->at_start : f->shown;
        double numbers[TRACE_NUMBERS];
        if (shown == NULL || (f->moved != 0 && moved == NULL)) {
            continue;
        }
        if (f->moved == 0) {
            trace_get(worlds, world, f->field != NULL ? f->field : f->name, numbers);
        }
        ptrdiff_t index = 0;
        for (ptrdiff_t e = f->first; e < (ptrdiff_t)f->count; e += f->each > 0 ? f->each : 1 + e, index++) {
            const size_t body = world * base->format->moved + (size_t)index;
            /* For numbers of all bodies, skips those that the trace does not have. */
            if (e < 0 || (f->count % base->format->moved == 0 && index >= (ptrdiff_t)base->gap_first &&
                          index < (ptrdiff_t)base->gap_end)) {
                continue;
            }
            const double expected = trace_number((const char *)state + f->at + (size_t)e * f->size, f->size);
            const double found = f->moved != 0     ? moved[4 * body + (size_t)f->moved - 1]
                                 : f->seen != NULL ? f->seen(numbers, (size_t)e)
                                                   : numbers[e];
            if (!isnan(expected) && !is_same(f, expected, found)) {
                char who[64];
                write_index(who, sizeof who, shown, (size_t)index);
                tell(context, who, expected, found);
            }
        }
    }
}
