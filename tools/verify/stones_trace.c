/* SPDX-License-Identifier: MIT
 * The format of stones traces.
 */
#include "stones_trace.h"
#include "trace_format.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STONES STONES_TRACE_MAX

static const trace_word none[] = {{"none", NAN}, {NULL, 0}};

static double any(const double *numbers, size_t index)
{
    bool found = false;
    for (size_t i = index; i < STONES; i++) {
        found = found || numbers[i] != 0;
    }
    return found;
}

#define STONE_IN .kind = TRACE_BODY, .low = 0, .high = STONES - 1
#define STONE(member, ...)                                                                                             \
    TRACE_STATE(stones_trace_state, member, "stone #, " #member, NULL, TRACE_REALS(DBL_MAX), __VA_ARGS__)
#define START(what, k) {.name = "start_" #what, TRACE_REALS(DBL_MAX), TRACE_COLUMN(stones_trace, start, k)}
#define PUSH(what, k) {.name = "push_" #what, TRACE_REALS(DBL_MAX), TRACE_IN(stones_trace_push, action[k])}
static const trace_field fields[] = {
    {.name = "stones", TRACE_INTEGERS(1, STONES), TRACE_IN(stones_trace, stones)},
    {.name = "pushes", TRACE_INTEGERS(0, TRACE_TURNS), .size = sizeof(int64_t)},
    {.name = "ticks", TRACE_INTEGERS(1, TRACE_TURNS), .size = sizeof(int64_t)},
    {.name = "hits", TRACE_INTEGERS(0, STONES_TRACE_HITS), .size = sizeof(int64_t)},
    {.name = "check", TRACE_INTEGERS(0, 1), TRACE_IN(stones_trace, base.batch)},
    START(px, 0),
    START(py, 1),
    START(radius, 2),
    START(power, 3),
    START(friction, 4),
    PUSH(course, 1),
    PUSH(speed, 2),
    PUSH(curve, 3),
    {.name = "tick", TRACE_INTEGERS(0, TRACE_TURNS), TRACE_IN(stones_trace_push, tick)},
    {.name = "stone", STONE_IN, TRACE_IN(stones_trace_push, stone)},
    {.name = "striker", STONE_IN, TRACE_IN(carom_event, first)},
    {.name = "struck", STONE_IN, TRACE_IN(carom_event, second)},
    {.name = "way", TRACE_REALS(DBL_MAX), TRACE_IN(carom_event, left)},
    {.name = "shrunk", TRACE_INTEGERS(0, 1), TRACE_IN(carom_event, kind)},
    TRACE_STATE(stones_trace_state, sweeps, "all stones, sweeps", NULL, TRACE_INTEGERS(1, 10)),
    STONE(px, .near = 0),
    STONE(py, .near = 0),
    STONE(course, .near = 0),
    STONE(speed, .near = 0),
    STONE(unused, .near = 0),
    STONE(share, .moved = 4),
    STONE(shot, .near = 0),
    STONE(curve, .words = none),
    STONE(shot_traveled, .near = 0),
    STONE(shot_distance, .near = 1e-12), /* it is reached through pow */
    TRACE_STATE(stones_trace_state, moving, "all stones, moving", NULL, TRACE_INTEGERS(0, 1), .field = "speed",
                .seen = any),
    {.name = NULL},
};

static void read_pushes(trace_reader *r, stones_trace *trace)
{
    int64_t count = 0;
    trace_line(r, "pushes %pushes", &count, 0);
    for (size_t k = 0; k < (size_t)count && trace_grow(r, (void *)&trace->pushes, k, sizeof *trace->pushes); k++) {
        stones_trace_push *now = &trace->pushes[trace->push_count++];
        trace_line(r, "push %tick %stone %push_course %push_speed %push_curve", now, 0);
        now->action[0] = (double)now->stone;
        trace_check(r, k == 0 || now->tick >= now[-1].tick, "pushes are not in order of their ticks");
        trace_check(r, k < STONES_TRACE_PUSHES || now->tick != now[-STONES_TRACE_PUSHES].tick,
                    "too many pushes in one tick");
    }
}

static void read_turn(trace_reader *r, const stones_trace *trace, stones_trace_turn *turn, size_t t)
{
    int64_t count = 0;
    stones_trace_state *state = &turn->state;
    trace_line(r, "tick %# moving ...", NULL, t);
    trace_line(r, "%moving sweeps %sweeps hits ...", state, 0);
    trace_line(r, "%hits", &count, 0);
    while (count-- > 0) {
        carom_event *event = trace_add_event(r, &turn->base, STONES_TRACE_HITS);
        if (event == NULL) {
            return;
        }
        trace_line(r, "hit %striker %struck %way %shrunk", event, 0);
        event->left = event->kind != 0 ? -event->left : event->left;
    }
    for (size_t i = 0; i < trace->stones; i++) {
        trace_line(r, "s %# %px %py %course %speed %unused %share %curve %shot_traveled %shot_distance", state, i);
        state->shot[i] = (int8_t)!isnan(state->curve[i]);
    }
}

static void read(trace_reader *r, void *into)
{
    stones_trace *trace = (stones_trace *)into;
    int64_t ticks = 0;
    trace_line(r, "# ...", NULL, 0);
    trace_rest(r); /* its name */
    trace_line(r, "stones %stones", trace, 0);
    trace_lines(r, "stone %# %start_px %start_py %start_radius %start_power %start_friction", trace, 0, trace->stones);
    trace->base.gap_first = trace->stones;
    trace->base.gap_end = STONES;
    trace_line(r, "check %check", trace, 0);
    read_pushes(r, trace);
    trace_line(r, "ticks %ticks", &ticks, 0);
    size_t pushed = 0;
    for (stones_trace_turn *turn; (int64_t)trace->base.turn_count < ticks && (turn = trace_add_turn(r)) != NULL;) {
        const size_t t = trace->base.turn_count - 1;
        for (size_t k = 0; pushed < trace->push_count && trace->pushes[pushed].tick == (int64_t)t; k++, pushed++) {
            memcpy(turn->actions[k], trace->pushes[pushed].action, sizeof turn->actions[k]);
        }
        read_turn(r, trace, turn, t);
    }
}

static void describe(const void *const *traces, size_t count, carom_worlds_desc *desc)
{
    static carom_stones_options options;
    (void)count;
    options = carom_stones_options_default();
    options.stones = STONES;
    options.ring = 0;
    options.ticks = TRACE_TURNS + 1;
    options.check = ((const trace_base *)traces[0])->batch;
    desc->options = &options;
}

/* At rest, with the stones of the trace; the others are out of play. */
static const char *begin(const void *of, carom_worlds *worlds, size_t world)
{
    static const char *const names[] = {"px", "py", "radius", "power", "friction", "in_play"};
    const stones_trace *trace = (const stones_trace *)of;
    for (size_t k = 0; k < 6; k++) {
        double numbers[STONES] = {0};
        int8_t in_play[STONES] = {0};
        void *const values = k < 5 ? (void *)numbers : in_play;
        size_t index = 0;
        (void)carom_worlds_find_field(worlds, names[k], &index);
        (void)carom_worlds_get(worlds, index, world, 1, values);
        for (size_t i = 0; i < STONES; i++) {
            in_play[i] = (int8_t)(i < trace->stones);
            numbers[i] = k < 5 && i < trace->stones ? trace->start[i][k] : numbers[i];
        }
        if (carom_worlds_set(worlds, index, world, 1, values) != CAROM_OK) {
            return names[k];
        }
    }
    return NULL;
}

const trace_format stones_trace_format = {
    .game = "stones",
    .fields = fields,
    .read = read,
    TRACE_PLACES(stones_trace, stones_trace_turn),
    .more = offsetof(stones_trace, pushes),
    .kind = "engine",
    .moved = STONES,
    .turn = "tick",
    .bodies = "stones",
    .events = {"hits", "dA", "striker", "struck"},
    .describe = describe,
    .begin = begin,
};
