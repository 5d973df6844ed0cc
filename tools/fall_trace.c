/* SPDX-License-Identifier: MIT
 * The reader of fall's traces: see fall_trace.h.
 */
#include "fall_trace.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 1024

typedef struct reader {
    FILE *stream;
    const char *name;
    unsigned line;
    char text[LINE_SIZE];
    char *message;
    size_t message_size;
    fall_trace *trace;
    double (*block)[4]; /* of circles, that lines are read into; NULL before the run */
    uint32_t filled;    /* circles of it */
} reader;

static bool refuse(reader *r, const char *format, ...)
{
    va_list list;
    const int used = snprintf(r->message, r->message_size, "%s:%u: ", r->name, r->line);
    if (used >= 0 && (size_t)used < r->message_size) {
        va_start(list, format);
        vsnprintf(r->message + used, r->message_size - (size_t)used, format, list);
        va_end(list);
    }
    return false;
}

/* The next line, without its end; false at the end of the file. */
static bool next_line(reader *r)
{
    if (fgets(r->text, LINE_SIZE, r->stream) == NULL) {
        return false;
    }
    r->line++;
    r->text[strcspn(r->text, "\r\n")] = '\0';
    return true;
}

/* `count` finite numbers, nothing behind the last if `whole`. Returns what follows, or NULL. */
static const char *read_numbers(const char *at, size_t count, double *numbers, bool whole)
{
    for (size_t k = 0; k < count; k++) {
        char *end;
        numbers[k] = strtod(at, &end);
        if (end == at || !isfinite(numbers[k])) {
            return NULL;
        }
        at = end;
    }
    return whole && *at != '\0' ? NULL : at;
}

static bool is_body(const fall_trace *trace, double id, bool circle)
{
    return id >= 1 && id <= trace->body_count && id == floor(id) &&
           (trace->bodies[(size_t)id - 1].corner_count == 0) == circle;
}

/* make KIND ID NUMBERS free|fixed mass M vel VX VY */
static bool read_make(reader *r)
{
    fall_trace *trace = r->trace;
    carom_fall_body body;
    double n[14];
    char kind[16];
    int used = 0;
    memset(&body, 0, sizeof body);
    if (sscanf(r->text, "make %15s %n", kind, &used) != 1 || used == 0) {
        return refuse(r, "what is made?");
    }
    const bool circle = strcmp(kind, "circle") == 0, box = strcmp(kind, "box") == 0;
    body.corner_count = circle ? 0 : box ? 4 : strncmp(kind, "poly", 4) == 0 ? (uint32_t)(kind[4] - '0') : 1;
    if (!circle && (body.corner_count < 3 || body.corner_count > CAROM_FALL_CORNERS || (!box && kind[5] != '\0'))) {
        return refuse(r, "'%s' is none of circle, box, poly3 .. poly6", kind);
    }
    const char *at = read_numbers(r->text + used, 1 + (circle ? 3 : box ? 4 : 2 * (size_t)body.corner_count), n, false);
    double rest[3];
    bool fixed = false;
    if (at != NULL) {
        fixed = strncmp(at, " fixed mass ", 12) == 0;
        at = fixed || strncmp(at, " free mass ", 11) == 0 ? at + (fixed ? 12 : 11) : NULL;
    }
    at = at != NULL ? read_numbers(at, 1, &rest[0], false) : NULL;
    at = at != NULL && strncmp(at, " vel ", 5) == 0 ? read_numbers(at + 5, 2, &rest[1], true) : NULL;
    if (at == NULL) {
        return refuse(r, "not a whole body");
    }
    if (n[0] != trace->body_count + 1 || trace->body_count == CAROM_FALL_BODIES) {
        return refuse(r, "body %u was expected, of at most %d", trace->body_count + 1, CAROM_FALL_BODIES);
    }
    body.fixed = fixed;
    body.mass = rest[0];
    body.vx = rest[1];
    body.vy = rest[2];
    if (circle) {
        body.x = n[1];
        body.y = n[2];
        body.radius = n[3];
        trace->circle_count++;
    } else if (box) {
        const double right = n[1] + n[3], top = n[2] + n[4];
        const double corners[4][2] = {{n[1], n[2]}, {right, n[2]}, {right, top}, {n[1], top}};
        memcpy(body.corners, corners, sizeof corners);
    } else {
        memcpy(body.corners, &n[1], body.corner_count * sizeof body.corners[0]);
    }
    if (!circle && !fixed) {
        trace->unplayable = "polygons move";
    }
    trace->bodies[trace->body_count++] = body;
    return true;
}

/* A line before `run`. */
static bool read_setup(reader *r)
{
    fall_trace *trace = r->trace;
    double n[3];
    if (r->text[0] == '#') {
        return true;
    }
    if (strncmp(r->text, "make ", 5) == 0) {
        return read_make(r);
    }
    if (strncmp(r->text, "gravity ", 8) == 0) {
        return read_numbers(r->text + 8, 1, &trace->gravity, true) != NULL || refuse(r, "how much gravity?");
    }
    if (strncmp(r->text, "accel ", 6) == 0) {
        if (read_numbers(r->text + 6, 3, n, true) == NULL || n[0] < 1 || n[0] > trace->body_count) {
            return refuse(r, "accel ID AX AY was expected");
        }
        trace->bodies[(size_t)n[0] - 1].ax = n[1];
        trace->bodies[(size_t)n[0] - 1].ay = n[2];
        return true;
    }
    if (strncmp(r->text, "spring ", 7) == 0) {
        trace->unplayable = "springs";
        return true;
    }
    if (strncmp(r->text, "rvel ", 5) == 0) {
        trace->unplayable = "polygons turn";
        return true;
    }
    if (strncmp(r->text, "get_", 4) == 0 || strncmp(r->text, "put_", 4) == 0) {
        trace->unplayable = "reading a velocity changes it: a slip that the game does not repeat";
        return true;
    }
    return refuse(r, "'%.20s' begins no line of a trace", r->text);
}

static fall_trace_record *add_record(reader *r)
{
    fall_trace *trace = r->trace;
    if ((trace->record_count & (trace->record_count + 1)) == 0) {
        void *more = realloc(trace->records, (2 * trace->record_count + 1) * sizeof *trace->records);
        if (more == NULL) {
            refuse(r, "not enough memory");
            return NULL;
        }
        trace->records = (fall_trace_record *)more;
    }
    fall_trace_record *record = &trace->records[trace->record_count];
    memset(record, 0, sizeof *record);
    record->circles = (double(*)[4])calloc((size_t)trace->circle_count + 1, sizeof *record->circles);
    if (record->circles == NULL) {
        refuse(r, "not enough memory");
        return NULL;
    }
    trace->record_count++;
    r->block = record->circles;
    r->filled = 0;
    return record;
}

/* CC a b at x y | CP circle c polygon p edge|corner line k at x y */
static bool read_collision(reader *r, const char *at, fall_trace_record *record)
{
    const fall_trace *trace = r->trace;
    int first, second, line = 0, used = 0;
    char kind[8];
    if (sscanf(at, "CC %d %d at %n", &first, &second, &used) == 2 && used != 0) {
        if (!is_body(trace, first, true) || !is_body(trace, second, true)) {
            return refuse(r, "no such circles");
        }
        record->part = CAROM_FALL_CIRCLE;
    } else if (sscanf(at, "CP circle %d polygon %d %7s line %d at %n", &first, &second, kind, &line, &used) == 4 &&
               used != 0) {
        if (!is_body(trace, first, true) || !is_body(trace, second, false) || line < 1 ||
            line > (int)trace->bodies[second - 1].corner_count) {
            return refuse(r, "no such circle, polygon or line");
        }
        record->part = (uint8_t)((strcmp(kind, "edge") == 0 ? CAROM_FALL_EDGE : CAROM_FALL_CORNER) + line - 1);
    } else {
        return refuse(r, "not a collision that the game knows");
    }
    double point[2];
    if (read_numbers(at + used, 2, point, true) == NULL) {
        return refuse(r, "where is the collision?");
    }
    record->collision = true;
    record->first = (uint8_t)(first - 1);
    record->second = (uint8_t)(second - 1);
    record->x = point[0];
    record->y = point[1];
    return true;
}

static bool read_event(reader *r, const char *numbers)
{
    fall_trace *trace = r->trace;
    double time;
    const char *at = read_numbers(numbers, 1, &time, false);
    if (at == NULL || time < 0 || time > FALL_TRACE_TICKS * 0.01 ||
        (trace->record_count > 0 && time < trace->records[trace->record_count - 1].time)) {
        return refuse(r, "no time, or one before the last");
    }
    if (r->filled != trace->circle_count) {
        return refuse(r, "circles are missing");
    }
    fall_trace_record *record = add_record(r);
    if (record == NULL) {
        return false;
    }
    record->time = time;
    if (strncmp(at, " collision ", 11) == 0) {
        return read_collision(r, at + 11, record);
    }
    if (sscanf(at, " frame %u", &record->frame) != 1 && sscanf(at, " frames %u", &record->frame) != 1) {
        return refuse(r, "neither a collision nor a frame");
    }
    return fabs(record->frame * 0.01 - time) < 0.005 || refuse(r, "a frame that is not of its time");
}

/* A line behind `run`. */
static bool read_run(reader *r, bool *ended)
{
    fall_trace *trace = r->trace;
    double n[7];
    if (strncmp(r->text, "time ", 5) == 0) {
        return read_event(r, r->text + 5);
    }
    if (strncmp(r->text, "end ", 4) == 0) {
        *ended = true;
        return read_event(r, r->text + 4);
    }
    if (strncmp(r->text, "polygon ", 8) == 0) {
        return true; /* they do not move */
    }
    if (strncmp(r->text, "circle ", 7) == 0) {
        if (read_numbers(r->text + 7, 7, n, true) == NULL || !is_body(trace, n[0], true) ||
            r->filled == trace->circle_count) {
            return refuse(r, "not a circle of the scene");
        }
        memcpy(r->block[r->filled++], &n[1], 4 * sizeof n[0]);
        return true;
    }
    return refuse(r, "'%.20s' begins no line of a trace", r->text);
}

static bool read_all(reader *r)
{
    fall_trace *trace = r->trace;
    bool running = false, ended = false;
    while (next_line(r)) {
        if (!running && strncmp(r->text, "run ", 4) == 0) {
            running = true;
            if (trace->unplayable != NULL) {
                return true;
            }
            trace->start = (double(*)[4])calloc((size_t)trace->circle_count + 1, sizeof *trace->start);
            if (trace->start == NULL) {
                return refuse(r, "not enough memory");
            }
            r->block = trace->start;
        } else if (!(running ? read_run(r, &ended) : read_setup(r))) {
            return false;
        }
    }
    return (ended && r->filled == trace->circle_count) || refuse(r, "the trace has no end");
}

bool fall_trace_read_stream(FILE *stream, const char *name, fall_trace *trace, char *message, size_t message_size)
{
    reader r = {stream, name, 0, "", message, message_size, trace, NULL, 0};
    memset(trace, 0, sizeof *trace);
    if (read_all(&r)) {
        return true;
    }
    fall_trace_free(trace);
    return false;
}

bool fall_trace_read(const char *path, fall_trace *trace, char *message, size_t message_size)
{
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        memset(trace, 0, sizeof *trace);
        snprintf(message, message_size, "%s: cannot be opened", path);
        return false;
    }
    const bool good = fall_trace_read_stream(stream, path, trace, message, message_size);
    fclose(stream);
    return good;
}

void fall_trace_free(fall_trace *trace)
{
    for (size_t k = 0; k < trace->record_count; k++) {
        free(trace->records[k].circles);
    }
    free(trace->records);
    free(trace->start);
    memset(trace, 0, sizeof *trace);
}

carom_fall_options fall_trace_options(const fall_trace *trace)
{
    carom_fall_options options = carom_fall_options_default();
    options.bodies = trace->bodies;
    options.body_count = trace->body_count;
    options.gravity = trace->gravity;
    return options;
}
