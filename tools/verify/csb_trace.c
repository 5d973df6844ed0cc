/* SPDX-License-Identifier: MIT
 * The format of csb traces.
 */
#include "csb_trace.h"
#include "trace_format.h"

#include <float.h>
#include <string.h>

#define PODS CSB_TRACE_PODS
#define MAX_CHECKPOINTS 1024
#define MAX_LAPS 31
#define MAX_EXPANDED (MAX_CHECKPOINTS * MAX_LAPS + 1)
#define MAX_THRUST 10000          /* of either sign; far from the numbers that stand for SHIELD and BOOST */
#define CHECKPOINT_LIMIT 16777216 /* 2^24 */
#define STATE_LIMIT 67108864.0    /* 2^26: of positions and velocities, as in carom/csb.h */
#define ANGLE_LIMIT 1048576.0     /* 2^20 */

static const trace_word thrusts[] = {{"SHIELD", CAROM_CSB_SHIELD}, {"BOOST", CAROM_CSB_BOOST}, {NULL, 0}};

/* As the records I and S print whole numbers: -0 as 0. */
static double printed(const double *numbers, size_t index)
{
    return numbers[index] + 0.0;
}

#define POD(member, ...) TRACE_STATE(csb_trace_state, member, "pod #, S " #member, "pod #, I " #member, __VA_ARGS__)
#define MOVED(what, k) TRACE_MOVED(csb_trace_state, "U" #what, "pod #, U " #what, STATE_LIMIT, k)
static const trace_field fields[] = {
    {.name = "n", TRACE_INTEGERS(2, MAX_CHECKPOINTS), TRACE_IN(csb_trace, n)},
    {.name = "laps", TRACE_INTEGERS(1, MAX_LAPS), TRACE_IN(csb_trace, laps)},
    {.name = "expanded", TRACE_INTEGERS(1, MAX_EXPANDED), TRACE_IN(csb_trace, expanded_count)},
    {.name = "xy", TRACE_INTEGERS(-CHECKPOINT_LIMIT, CHECKPOINT_LIMIT), .size = sizeof(int32_t), .each = 1},
    {.name = "turns", TRACE_INTEGERS(1, TRACE_TURNS), .size = sizeof(int64_t)},
    {.name = "tx", TRACE_REALS(DBL_MAX), TRACE_COLUMN(csb_trace_turn, actions, 0)},
    {.name = "ty", TRACE_REALS(DBL_MAX), TRACE_COLUMN(csb_trace_turn, actions, 1)},
    {.name = "thrust", TRACE_WHOLES(MAX_THRUST), TRACE_COLUMN(csb_trace_turn, actions, 2), .words = thrusts},
    {.name = "left", .kind = TRACE_REAL, .low = 0, .high = 1, TRACE_IN(carom_event, left)},
    {.name = "first", TRACE_INTEGERS(1, PODS - 1), TRACE_IN(carom_event, first)},
    {.name = "second", TRACE_INTEGERS(0, PODS - 2), TRACE_IN(carom_event, second)},
    MOVED(x, 0),
    MOVED(y, 1),
    MOVED(vx, 2),
    MOVED(vy, 3),
    POD(x, TRACE_REALS(STATE_LIMIT), .seen = printed),
    POD(y, TRACE_REALS(STATE_LIMIT), .seen = printed),
    POD(vx, TRACE_REALS(STATE_LIMIT), .seen = printed),
    POD(vy, TRACE_REALS(STATE_LIMIT), .seen = printed),
    POD(angle, TRACE_REALS(ANGLE_LIMIT)),
    POD(next, TRACE_INTEGERS(1, MAX_EXPANDED - 1)),
    POD(shield, TRACE_INTEGERS(0, 3)),
    POD(boosted, TRACE_INTEGERS(0, 1)),
    POD(won, TRACE_INTEGERS(0, 1)),
    TRACE_STATE(csb_trace_state, timeout, "player #, P timeout", NULL, TRACE_INTEGERS(-TRACE_TURNS, 100)),
    {.name = NULL},
};

#define POD_FIELDS " %# %x %y %vx %vy %angle %next %shield %boosted %won"

static void read_map(trace_reader *r, csb_trace *trace)
{
    trace_line(r, "MAP %n %laps %expanded", trace, 0);
    trace_check(r, trace->expanded_count == trace->laps * trace->n + 1, "not the length of the expanded list");
    for (uint32_t k = 0; k < trace->expanded_count; k++) {
        if (!trace_grow(r, (void *)&trace->checkpoints, k, sizeof *trace->checkpoints)) {
            return;
        }
        const void *now = trace->checkpoints[k], *same = trace->checkpoints[k % trace->n];
        trace_line(r, "CP %# ...", NULL, k);
        trace_line(r, "%xy ...", trace->checkpoints[k], 0);
        trace_line(r, "%xy", trace->checkpoints[k], 1);
        trace_check(r, memcmp(now, same, sizeof trace->checkpoints[0]) == 0, "the list is not the map repeated");
        trace_check(r, k == 0 || memcmp(now, trace->checkpoints[k - 1], sizeof trace->checkpoints[0]) != 0,
                    "a checkpoint at the same place as the one before it");
    }
}

static void read_pods(trace_reader *r, const csb_trace *trace, const char *pattern, csb_trace_state *state)
{
    for (size_t i = 0; i < PODS; i++) {
        trace_line(r, pattern, state, i);
        trace_check(r, (uint32_t)state->next[i] < trace->expanded_count, "there is no such next checkpoint");
    }
}

static void read_turn(trace_reader *r, const csb_trace *trace, csb_trace_turn *turn, size_t t)
{
    trace_line(r, "T %#", NULL, t);
    trace_lines(r, "C %# %tx %ty %thrust", turn, 0, PODS);
    while (trace_is(r, "B")) {
        carom_event *event = trace_add_event(r, &turn->base, CSB_TRACE_MAX_BOUNCES);
        if (event == NULL) {
            return;
        }
        trace_line(r, "B %left %first %second", event, 0);
        trace_check(r, event->second < event->first, "the second pod must be less than the first");
    }
    trace_lines(r, "U %# %Ux %Uy %Uvx %Uvy", &turn->state, 0, PODS);
    read_pods(r, trace, "S" POD_FIELDS, &turn->state);
    trace_line(r, "P %timeout ...", &turn->state, 0);
    trace_line(r, "%timeout", &turn->state, 1);
}

static void read(trace_reader *r, void *into)
{
    csb_trace *trace = (csb_trace *)into;
    int64_t turns = 0;
    trace_line(r, "CSBTRACE 1", NULL, 0);
    r->remarks = true;
    read_map(r, trace);
    read_pods(r, trace, "I" POD_FIELDS, &trace->start);
    trace->start.timeout[0] = trace->start.timeout[1] = 100;
    trace_line(r, "TURNS %turns", &turns, 0);
    for (csb_trace_turn *turn; (int64_t)trace->base.turn_count < turns && (turn = trace_add_turn(r)) != NULL;) {
        read_turn(r, trace, turn, trace->base.turn_count - 1);
    }
}

static void describe(const void *const *traces, size_t count, carom_worlds_desc *desc)
{
    static carom_csb_map maps[CAROM_TILE];
    static carom_csb_options options;
    for (size_t i = 0; i < count; i++) {
        const csb_trace *trace = (const csb_trace *)traces[i];
        maps[i] = (carom_csb_map){(const int32_t(*)[2])trace->checkpoints, trace->n, trace->laps};
    }
    options = carom_csb_options_default();
    options.rules = CAROM_CSB_TEST;
    options.maps = maps; /* game 0 of world i, whose id is i, is on map i */
    options.map_count = (uint32_t)count;
    desc->options = &options;
}

const trace_format csb_trace_format = {
    .game = "csb",
    .fields = fields,
    .read = read,
    TRACE_PLACES(csb_trace, csb_trace_turn),
    .more = offsetof(csb_trace, checkpoints),
    .kind = "referee",
    .start = offsetof(csb_trace, start),
    .moved = PODS,
    .turn = "turn",
    .bodies = "pods",
    .events = {"number of B", "B time", "B first pod", "B second pod"},
    .describe = describe,
};
