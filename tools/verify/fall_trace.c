/* SPDX-License-Identifier: MIT
 * The format of fall's traces.
 */
#include "fall_trace.h"
#include "trace_format.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CIRCLE = 0, BOX = 7 }; /* other shapes: the number of corners */
static const trace_word shapes[] = {{"circle", CIRCLE}, {"box", BOX}, {"poly3", 3}, {"poly4", 4},
                                    {"poly5", 5},       {"poly6", 6}, {NULL, 0}};
static const trace_word freedoms[] = {{"free", 0}, {"fixed", 1}, {NULL, 0}};
static const trace_word whats[] = {{"collision", 1}, {"frame", 0}, {"frames", 0}, {NULL, 0}};
static const trace_word parts[] = {{"edge", CAROM_FALL_EDGE}, {"corner", CAROM_FALL_CORNER}, {NULL, 0}};

#define WORDS(list) .kind = TRACE_INTEGER, .low = 1, .high = 0, .words = (list)
#define FINITE TRACE_REALS(DBL_MAX)
#define BODIES TRACE_INTEGERS(1, CAROM_FALL_BODIES)
static const trace_field fields[] = {
    {.name = "shape", WORDS(shapes), TRACE_IN(carom_fall_body, corner_count)},
    {.name = "fixed", WORDS(freedoms), TRACE_IN(carom_fall_body, fixed)},
    {.name = "mass", FINITE, TRACE_IN(carom_fall_body, mass)},
    {.name = "vx", FINITE, TRACE_IN(carom_fall_body, vx)},
    {.name = "vy", FINITE, TRACE_IN(carom_fall_body, vy)},
    {.name = "ax", FINITE, TRACE_IN(carom_fall_body, ax)},
    {.name = "ay", FINITE, TRACE_IN(carom_fall_body, ay)},
    {.name = "gravity", FINITE, TRACE_IN(fall_trace, gravity)},
    {.name = "number", FINITE, .size = sizeof(double), .each = 1},
    {.name = "spring", FINITE},
    {.name = "body", BODIES, .size = sizeof(uint32_t)},
    {.name = "time", .kind = TRACE_REAL, .low = 0, .high = FALL_TRACE_TICKS * 0.01, TRACE_IN(fall_trace_record, time)},
    {.name = "what", WORDS(whats), TRACE_IN(fall_trace_record, collision)},
    {.name = "frame", TRACE_INTEGERS(0, FALL_TRACE_TICKS), TRACE_IN(fall_trace_record, frame)},
    {.name = "first", BODIES, TRACE_IN(carom_event, first)},
    {.name = "second", BODIES, TRACE_IN(carom_event, second)},
    {.name = "part", WORDS(parts), TRACE_IN(carom_event, part)},
    {.name = "line", TRACE_INTEGERS(1, CAROM_FALL_CORNERS), TRACE_IN(carom_event, kind)},
    {.name = "x", FINITE, TRACE_IN(carom_event, x)},
    {.name = "y", FINITE, TRACE_IN(carom_event, y)},
    {.name = NULL},
};

/* Lines that make a scene one that the game does not play. */
static const char reads[] = "reading a velocity changes it: a slip that the game does not repeat";
static const struct {
    const char *begins, *why;
} unplayable[] = {{"spring ", "springs"}, {"rvel ", "polygons turn"}, {"get_", reads}, {"put_", reads}};

/* `count` numbers; the line continues. */
static void read_numbers(trace_reader *r, double *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        trace_line(r, "%number ...", numbers, k);
    }
}

static void read_make(trace_reader *r, fall_trace *trace)
{
    carom_fall_body body;
    double n[2 * CAROM_FALL_CORNERS] = {0};
    memset(&body, 0, sizeof body);
    trace_line(r, "make %shape ...", &body, 0);
    trace_line(r, "%# ...", NULL, trace->body_count + 1);
    const uint32_t shape = body.corner_count;
    const size_t count = shape == CIRCLE ? 3 : shape == BOX ? 4 : 2 * (size_t)shape;
    if (!trace_check(r, trace->body_count < CAROM_FALL_BODIES && trace->circle_count < CAROM_FALL_CIRCLES,
                     "more bodies than a scene can have")) {
        return;
    }
    read_numbers(r, n, count);
    trace_line(r, "%fixed mass %mass vel %vx %vy", &body, 0);
    if (shape == CIRCLE) {
        body.x = n[0];
        body.y = n[1];
        body.radius = n[2];
        trace->circle_count++;
    } else if (shape == BOX) {
        const double right = n[0] + n[2], top = n[1] + n[3];
        const double corners[4][2] = {{n[0], n[1]}, {right, n[1]}, {right, top}, {n[0], top}};
        body.corner_count = 4;
        memcpy(body.corners, corners, sizeof corners);
    } else {
        memcpy(body.corners, n, count * sizeof n[0]);
    }
    if (shape != CIRCLE && !body.fixed) {
        trace->base.unplayable = "polygons move";
    }
    trace->bodies[trace->body_count++] = body;
}

/* A line before `run`. */
static void read_setup(trace_reader *r, fall_trace *trace)
{
    uint32_t body = 0;
    if (trace_is(r, "gravity")) {
        trace_line(r, "gravity %gravity", trace, 0);
        return;
    }
    if (trace_is(r, "accel")) {
        trace_line(r, "accel %body ...", &body, 0);
        if (trace_check(r, body <= trace->body_count, "there is no such body")) {
            trace_line(r, "%ax %ay", &trace->bodies[body - 1], 0);
        }
        return;
    }
    for (size_t k = 0; k < sizeof unplayable / sizeof unplayable[0]; k++) {
        if (strncmp(r->text, unplayable[k].begins, strlen(unplayable[k].begins)) == 0) {
            trace->base.unplayable = unplayable[k].why;
            trace_rest(r);
            return;
        }
    }
    read_make(r, trace);
}

/* Whether body `id`, from 1, is a circle (corners 0), or has that many corners. */
static bool has_corners(const fall_trace *trace, uint32_t id, uint32_t corners)
{
    const uint32_t count = id > 0 && id <= trace->body_count ? trace->bodies[id - 1].corner_count : 0;
    return id > 0 && id <= trace->body_count && (corners == 0 ? count == 0 : count >= corners);
}

static void read_collision(trace_reader *r, const fall_trace *trace, carom_event *event)
{
    const bool circles = trace_is(r, "CC");
    trace_line(r, circles ? "CC %first %second at %x %y" : "CP circle %first polygon %second %part line %line at %x %y",
               event, 0);
    trace_check(r, has_corners(trace, event->first, 0) && has_corners(trace, event->second, event->kind),
                "no such circle, polygon or line");
    event->part += circles ? CAROM_FALL_CIRCLE : event->kind - 1;
    event->kind = 0;
    event->first--;
    event->second--;
}

/* All bodies: the circles, and polygons, which do not move. */
static void read_bodies(trace_reader *r, const fall_trace *trace, double places[][4])
{
    uint32_t filled = 0, body = 0;
    for (; trace_is(r, "polygon") || trace_is(r, "circle"); filled += body > 0) {
        if (trace_is(r, "polygon")) {
            body = 0;
            trace_rest(r);
        } else {
            trace_line(r, "circle %body ...", &body, 0);
            if (!trace_check(r, has_corners(trace, body, 0) && filled < trace->circle_count,
                             "no circle of the scene")) {
                return;
            }
            read_numbers(r, places[filled], 4);
            trace_line(r, "%spring %spring", NULL, 0);
        }
    }
    trace_check(r, filled == trace->circle_count, "circles are missing");
}

static void read_record(trace_reader *r, const fall_trace *trace, fall_trace_record *record, bool ends)
{
    trace_line(r, ends ? "end %time %what ..." : "time %time %what ...", record, 0);
    trace_check(r, trace->base.turn_count == 1 || record->time >= record[-1].time, "a time before the last");
    if (record->collision) {
        read_collision(r, trace, &record->event);
    } else {
        trace_line(r, ends ? "%frame collisions ..." : "%frame", record, 0);
        trace_check(r, fabs(record->frame * 0.01 - record->time) < 0.005, "a frame that is not of its time");
        if (ends) {
            trace_rest(r);
        }
    }
    read_bodies(r, trace, record->circles);
}

static void read(trace_reader *r, void *into)
{
    fall_trace *trace = (fall_trace *)into;
    double start[CAROM_FALL_CIRCLES][4];
    r->remarks = true;
    while (!r->failed && !trace_is(r, "run")) {
        read_setup(r, trace);
    }
    trace_rest(r);
    if (trace->base.unplayable != NULL) {
        r->ended = r->loaded = true; /* the rest says nothing */
        return;
    }
    read_bodies(r, trace, start);
    fall_trace_record *record;
    for (bool ended = false; !ended && (record = trace_add_turn(r)) != NULL;) {
        ended = trace_is(r, "end");
        read_record(r, trace, record, ended);
    }
}

carom_fall_options fall_trace_options(const fall_trace *trace)
{
    carom_fall_options options = carom_fall_options_default();
    options.bodies = trace->bodies;
    options.body_count = trace->body_count;
    options.gravity = trace->gravity;
    return options;
}

static void describe(const void *const *traces, size_t count, carom_worlds_desc *desc)
{
    static carom_fall_options options;
    (void)count;
    options = fall_trace_options((const fall_trace *)traces[0]);
    desc->options = &options;
}

const trace_format fall_trace_format = {
    .game = "fall",
    .fields = fields,
    .read = read,
    .trace_size = sizeof(fall_trace),
    .turn_size = sizeof(fall_trace_record),
    .turns = offsetof(fall_trace, records),
    .describe = describe,
};
