/* SPDX-License-Identifier: MIT
 * The format of fantastic_bits traces.
 */
#include "fantastic_bits_trace.h"
#include "trace_format.h"

#include <stdlib.h>
#include <string.h>

#define BODIES FB_TRACE_BODIES
#define SNAFFLE CAROM_FANTASTIC_BITS_SNAFFLE
#define BLUDGER CAROM_FANTASTIC_BITS_BLUDGER
#define WALL CAROM_FANTASTIC_BITS_WALL
#define GOAL CAROM_FANTASTIC_BITS_GOAL
#define LIMIT 16777216.0 /* 2^24: of positions and velocities */

static const trace_word counts[] = {{"5", 5}, {"7", 7}, {NULL, 0}};
static const trace_word sides[] = {
    {"RIGHT", WALL}, {"LEFT", WALL + 1}, {"BOTTOM", WALL + 2}, {"TOP", WALL + 3}, {NULL, 0}};
static const trace_word goals[] = {{"0", GOAL}, {"1", GOAL + 1}, {NULL, 0}};

/* Hits, and what their records hold. Worlds do not have their positions and impulses. */
static const struct {
    const char *word, *pattern;
} hits[] = {
    {"WALL", "WALL %time %first %side %number %number %number"},
    {"POST", "POST %time %first %second %number %number %number %number %number"},
    {"PAIR", "PAIR %time %first %second %number %number %number %number %number"},
    {"GRAB", "GRAB %time %first %second %number %number %number %number"},
    {"GOAL", "GOAL %time %first %goal"},
};

static double is_over(const double *end, size_t index)
{
    return end[index] == (double)CAROM_TERMINATED;
}

#define WORDS(list) .kind = TRACE_INTEGER, .low = 1, .high = 0, .words = (list)
#define BODY_IN(least, most) .kind = TRACE_BODY, .low = (least), .high = (most)
#define SLOT(member) TRACE_STATE(fb_trace_state, member, "slot #, " #member, "slot #, " #member, TRACE_REALS(LIMIT))
#define SMALL(member, ...)                                                                                             \
    TRACE_STATE(fb_trace_state, member, "the world, " #member " #", "the world, " #member " #", __VA_ARGS__)
#define MOVED(what, k) TRACE_MOVED(fb_trace_state, "unrounded_" #what, "slot #, unrounded " #what, LIMIT, k)
static const trace_field fields[] = {
    {.name = "seed", TRACE_INTEGERS(-0x1p63, 0x1p63), TRACE_IN(fb_trace, seed)},
    {.name = "snaffles", WORDS(counts), TRACE_IN(fb_trace, snaffles)},
    {.name = "number", TRACE_REALS(LIMIT)},
    {.name = "time", .kind = TRACE_REAL, .low = 0, .high = 1, TRACE_IN(carom_event, left)},
    {.name = "first", BODY_IN(0, BODIES - 1), TRACE_IN(carom_event, first)},
    {.name = "second", BODY_IN(0, BODIES + 3), TRACE_IN(carom_event, second)},
    {.name = "side", WORDS(sides), TRACE_IN(carom_event, second)},
    {.name = "goal", WORDS(goals), TRACE_IN(carom_event, second)},
    {.name = "steps", TRACE_INTEGERS(1, CAROM_FANTASTIC_BITS_STEPS), .size = sizeof(int64_t)},
    {.name = "step", .kind = TRACE_REAL, .low = 0, .high = 1},
    {.name = "held", TRACE_INTEGERS(0, 1)},
    MOVED(x, 0),
    MOVED(y, 1),
    MOVED(vx, 2),
    MOVED(vy, 3),
    SLOT(x),
    SLOT(y),
    SLOT(vx),
    SLOT(vy),
    SMALL(hold, BODY_IN(-1, BLUDGER - 1)),
    SMALL(wait, TRACE_INTEGERS(0, 3)),
    SMALL(countdown, TRACE_INTEGERS(0, 6)),
    SMALL(target, BODY_IN(-1, BODIES - 1)),
    SMALL(alive, TRACE_INTEGERS(0, 1), .first = -SNAFFLE),
    SMALL(ignores, TRACE_INTEGERS(0, 0), .first = -SNAFFLE),
    SMALL(last, BODY_IN(-1, 3), .first = -BLUDGER),
    SMALL(score, TRACE_INTEGERS(-1, 7)),
    SMALL(mana, TRACE_INTEGERS(0, 100)),
    TRACE_STATE(fb_trace_state, over, "the world, over", NULL, TRACE_INTEGERS(0, 1), .field = "end", .seen = is_over),
    {.name = NULL},
};

static void read_hit(trace_reader *r, carom_event *event)
{
    size_t k = 0;
    trace_line(r, "hit ...", NULL, 0);
    while (k + 1 < sizeof hits / sizeof hits[0] && !trace_is(r, hits[k].word)) {
        k++;
    }
    trace_line(r, hits[k].pattern, event, 0);
    event->left = 1 - event->left;
}

/* Snaffles with a comma or a space between them; or "-". */
static void read_ignores(trace_reader *r, int8_t *set)
{
    if (trace_is(r, "-")) {
        trace_next(r, "-");
        return;
    }
    do {
        const char *at = trace_next(r, "snaffles, or -");
        while (at != NULL) {
            char *end;
            const long id = strtol(at, &end, 10);
            if (!trace_check(r, end != at && id >= SNAFFLE && id < (long)r->trace->gap_first, "no snaffle")) {
                return;
            }
            *set = (int8_t)(*set | 1 << ((id - SNAFFLE) & 7));
            trace_check(r, *end == '\0' || *end == ',', "no list of snaffles");
            at = *end == ',' ? end + 1 : NULL;
        }
    } while (!r->failed && r->at != NULL && !trace_is(r, "|"));
}

/* Lines of entities, from slot `slot`. */
static void read_bodies(trace_reader *r, const char *pattern, size_t slot, size_t count, fb_trace_state *s)
{
    static const char *const spells[] = {"o ...", "p ...", "a ...", "f ..."};
    for (size_t i = slot; i < slot + count; i++) {
        trace_line(r, pattern, s, i);
        for (size_t k = 0; k < 4 && i < SNAFFLE; k++) {
            trace_line(r, spells[k], NULL, 0);
            trace_line(r, "%countdown %target ...", s, 4 * i + k);
        }
        if (i >= SNAFFLE && i < BLUDGER) {
            read_ignores(r, &s->ignores[i - SNAFFLE]);
        }
        trace_line(r, r->trace->turn_count == 0 ? "" : "| %unrounded_x %unrounded_y %unrounded_vx %unrounded_vy", s, i);
    }
}

static void read_state(trace_reader *r, const fb_trace *trace, fb_trace_state *s)
{
    trace_line(r, "players %score %mana ...", s, 0);
    trace_line(r, "%score %mana", s, 1);
    read_bodies(r, "pod %# %x %y %vx %vy hold %hold wait %wait ...", 0, 4, s);
    read_bodies(r, "snaffle %# %x %y %vx %vy alive %alive held %held ignores ...", SNAFFLE, (size_t)trace->snaffles, s);
    read_bodies(r, "bludger %@ %x %y %vx %vy last %last ...", BLUDGER, 2, s);
}

static void read_turn(trace_reader *r, const fb_trace *trace, fb_trace_turn *turn)
{
    int64_t count = 0;
    trace_line(r, "turn %#", NULL, trace->base.turn_count);
    for (size_t i = 0; i < 4; i++) {
        trace_line(r, "cmd %# ...", NULL, i);
        const char *line = trace_rest(r);
        if (line != NULL) {
            (void)carom_fantastic_bits_read_line(line, turn->actions[i]); /* an invalid line is also an action */
        }
    }
    while (trace_is(r, "hit")) {
        carom_event *event = trace_add_event(r, &turn->base, TRACE_EVENTS);
        if (event == NULL) {
            return;
        }
        read_hit(r, event);
    }
    trace_line(r, "steps %steps ...", &count, 0);
    while (count-- > 0) {
        trace_line(r, "%step ...", NULL, 0);
    }
    trace_line(r, "", NULL, 0);
    trace_line(r, "over %over", &turn->state, 0);
    read_state(r, trace, &turn->state);
}

static void read(trace_reader *r, void *into)
{
    fb_trace *trace = (fb_trace *)into;
    trace_line(r, "# %? seed %seed ...", trace, 0);
    trace_rest(r); /* the bots' names */
    trace_line(r, "snaffles %snaffles bludgers 2 posts 4 towin ...", trace, 0);
    trace_line(r, "%#", NULL, (size_t)trace->snaffles / 2 + 1);
    trace->base.gap_first = (size_t)(SNAFFLE + trace->snaffles);
    trace->base.gap_end = BLUDGER;
    trace_lines(r, "post %@ %number %number", NULL, BODIES, 4);
    trace_line(r, "turn 0", NULL, 0);
    read_state(r, trace, &trace->start);
    do {
        fb_trace_turn *turn = trace_add_turn(r);
        if (turn != NULL) {
            read_turn(r, trace, turn);
        }
    } while (!r->failed && !trace_ended(r));
}

static void describe(const void *const *traces, size_t count, carom_worlds_desc *desc)
{
    static int64_t seeds[CAROM_TILE];
    static carom_fantastic_bits_options options;
    for (size_t i = 0; i < count; i++) {
        seeds[i] = ((const fb_trace *)traces[i])->seed;
    }
    options = carom_fantastic_bits_options_default();
    options.seeds = seeds; /* game 0 of world i, whose id is i, has seed i */
    options.seed_count = (uint32_t)count;
    desc->options = &options;
}

const trace_format fb_trace_format = {
    .game = "fantastic_bits",
    .fields = fields,
    .read = read,
    TRACE_PLACES(fb_trace, fb_trace_turn),
    .kind = "referee",
    .start = offsetof(fb_trace, start),
    .moved = BODIES,
    .turn = "turn",
    .first_turn = 1,
    .bodies = "slots",
    .events = {"number of hits", "time left", "first", "second"},
    .describe = describe,
};
