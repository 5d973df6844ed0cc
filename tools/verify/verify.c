/* SPDX-License-Identifier: MIT
 * `carom verify`: replays recorded games of the referee and compares every number in them. Up to 16 traces are played
 * at once, each in its own world, so that every lane of a tile is used.
 */
#include "verify.h"

#include "csb_trace.h"
#include "fantastic_bits_trace.h"
#include "stones_trace.h"
#include "trace_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH CAROM_TILE
#define SHOWN 20 /* printed mismatches; all are counted */

static const trace_format *const formats[] = {&csb_trace_format, &fall_trace_format, &fb_trace_format,
                                              &stones_trace_format};

/* The traces of one batch and the worlds that play them. */
typedef struct match {
    const trace_format *format;
    const char *files[BATCH];
    void *traces[BATCH];
    size_t count;
    carom_worlds *worlds; /* world i plays traces[i] */
} match;

/* Outputs of a tick, in addition to the worlds. */
static struct {
    double moved[BATCH * TRACE_NUMBERS];
    carom_event events[BATCH][TRACE_EVENTS];
    uint32_t event_counts[BATCH];
} told;

void verify_compare(const place *at, const char *field, double expected, double found)
{
    if (expected == found && signbit(expected) == signbit(found)) { /* false for a NaN, which no trace has */
        return;
    }
    if (at->count->mismatches++ < SHOWN) {
        printf("%s: %s, %s%s%s: the trace has %.17g, carom %.17g\n", at->file, at->when, at->who,
               field == NULL ? "" : ", ", field == NULL ? "" : field, expected, found);
    }
}

/* ---- comparing ---- */

static void tell(void *of, const char *who, double expected, double found)
{
    place *at = (place *)of;
    snprintf(at->who, sizeof at->who, "%s", who);
    verify_compare(at, NULL, expected, found);
}

static void compare_events(place *at, const match *played, size_t w, const trace_turn *turn)
{
    const char *const *names = played->format->events;
    const carom_event *expected = &((const trace_base *)played->traces[w])->events[turn->first_event];
    const carom_event *found = told.events[w];
    snprintf(at->who, sizeof at->who, "all %s", played->format->bodies);
    verify_compare(at, names[0], (double)turn->event_count, told.event_counts[w]);
    double fault[TRACE_NUMBERS] = {0};
    trace_get(played->worlds, w, "fault", fault);
    verify_compare(at, "fault", 0, fault[0]);
    for (size_t k = 0; k < turn->event_count && k < told.event_counts[w]; k++) {
        snprintf(at->who, sizeof at->who, "%s %u %u (hit %zu)", played->format->bodies, expected[k].first,
                 expected[k].second, k);
        verify_compare(at, names[1], expected[k].left, found[k].left);
        verify_compare(at, names[2], expected[k].first, found[k].first);
        verify_compare(at, names[3], expected[k].second, found[k].second);
    }
}

/* ---- playing ---- */

static void create_worlds(match *made, carom_isa isa)
{
    const trace_format *format = made->format;
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find(format->game));
    desc.count = format->kind == NULL ? BATCH : made->count;
    desc.isa = isa;
    desc.threads = 1;
    desc.at_end = CAROM_PLAY_ON;
    format->describe((const void *const *)made->traces, made->count, &desc);
    carom_demand(carom_worlds_create(&desc, &made->worlds), "create the worlds");
    for (size_t w = 0; format->begin != NULL && w < made->count; w++) {
        const char *wrong = format->begin(made->traces[w], made->worlds, w);
        if (wrong != NULL) {
            carom_die("%s: a body's %s is out of range", made->files[w], wrong);
        }
    }
}

static void play(const match *played, tally *count)
{
    static double actions[BATCH * TRACE_NUMBERS];
    const trace_format *format = played->format;
    const size_t numbers = format->action_size / sizeof actions[0];
    carom_step step = carom_step_default();
    carom_demand(carom_game_find_action_kind(carom_game_find(format->game), format->kind, &step.action_kind),
                 "find the kind of action");
    step.actions = actions;
    step.events = told.events[0];
    step.event_counts = told.event_counts;
    step.event_capacity = TRACE_EVENTS;
    step.moved = told.moved;
    size_t turns = 0; /* of the longest trace */
    for (size_t w = 0; w < played->count; w++) {
        const trace_base *trace = (const trace_base *)played->traces[w];
        place at = {.count = count, .file = played->files[w], .when = "start"};
        if (format->start != 0) {
            trace_compare(trace, (const char *)trace + format->start, true, played->worlds, w, NULL, tell, &at);
        }
        turns = trace->turn_count > turns ? trace->turn_count : turns;
        count->turns += trace->turn_count;
    }
    for (size_t t = 0; t < turns; t++) {
        /* A world whose trace is over repeats its last turn, without comparison. */
        for (size_t w = 0; w < played->count; w++) {
            if (t < ((const trace_base *)played->traces[w])->turn_count) {
                const char *turn = (const char *)trace_turn_at(played->traces[w], t);
                memcpy(actions + w * numbers, turn + format->actions, format->action_size);
            }
        }
        carom_demand(carom_worlds_play(played->worlds, &step), "play");
        for (size_t w = 0; w < played->count; w++) {
            if (t < ((const trace_base *)played->traces[w])->turn_count) {
                const char *turn = (const char *)trace_turn_at(played->traces[w], t);
                place at = {.count = count, .file = played->files[w]};
                snprintf(at.when, sizeof at.when, "%s %zu", format->turn, t + format->first_turn);
                compare_events(&at, played, w, (const trace_turn *)turn);
                trace_compare(played->traces[w], turn + format->state, false, played->worlds, w, told.moved, tell, &at);
            }
        }
    }
}

static void play_match(match *played, carom_isa isa, tally *count)
{
    if (played->count > 0) {
        create_worlds(played, isa);
        if (played->format->kind == NULL) {
            verify_fall(played->files[0], (const fall_trace *)played->traces[0], played->worlds, count);
        } else {
            play(played, count);
        }
        carom_worlds_destroy(played->worlds);
    }
    count->traces += played->count;
    while (played->count > 0) {
        trace_free(played->traces[--played->count]);
        free(played->traces[played->count]);
    }
}

static void verify(const trace_format *format, char **files, carom_isa isa, tally *count)
{
    match batch = {.format = format};
    const size_t most = format->kind == NULL ? 1 : BATCH;
    for (; *files != NULL; files++) {
        char message[4096 + TRACE_MESSAGE];
        trace_base *trace = (trace_base *)carom_allocate(1, format->trace_size);
        if (!trace_read(format, *files, trace, message, sizeof message)) {
            carom_die("%s", message);
        }
        if (trace->unplayable != NULL) {
            printf("%s: not played: %s\n", *files, trace->unplayable);
            trace_free(trace);
            free(trace);
            continue;
        }
        if (batch.count > 0 && trace->batch != ((trace_base *)batch.traces[0])->batch) {
            play_match(&batch, isa, count);
        }
        batch.files[batch.count] = *files;
        batch.traces[batch.count++] = trace;
        if (batch.count == most) {
            play_match(&batch, isa, count);
        }
    }
    play_match(&batch, isa, count);
}

typedef struct verify_options {
    const char *game;
    word_list traces;
    carom_isa isa;
} verify_options;

#define OPTIONS verify_options
static const argument_row rows[] = {WORD("game", game), WORDS("traces", traces, 1), ISA, END};

static int run(arguments *args)
{
    verify_options options = {.game = NULL};
    carom_read_arguments(args, rows, &options);
    const trace_format *format = NULL;
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        format = strcmp(formats[k]->game, options.game) == 0 ? formats[k] : format;
    }
    if (format == NULL) {
        carom_die("no traces of a game '%s' can be verified (see carom verify --help)", options.game);
    }
    tally count = {0};
    verify(format, options.traces.list, options.isa, &count);
    if (count.mismatches > SHOWN) {
        printf("(the first %d mismatches are shown)\n", SHOWN);
    }
    printf("%zu traces, %zu turns, %zu mismatches\n", count.traces, count.turns, count.mismatches);
    if (count.traces == 0) {
        carom_die("no trace was played");
    }
    return count.mismatches > 0 ? EXIT_MISMATCH : 0;
}

static void print_games(void)
{
    puts("\ngames");
    carom_print_row("csb",
                    "by the rules of the referee's test mode; I, B, U, S, P: the records of the trace; positions "
                    "and velocities of I and S, which are whole, have no -0 there");
    carom_print_row("fantastic_bits", "every number");
    carom_print_row("fall", "the first 50 collisions in order, all numbers within 1e-9; scenes with springs or moving "
                            "polygons and reads of velocities are skipped; if the engine misses a collision of "
                            "slightly accelerated circles the replay of that trace ends");
    carom_print_row("stones", "traces of the plugin: sweeps, hits, every number of every stone after the tick; "
                              "shotDistance, which is reached through pow, to 1e-12");
}

const command_row carom_verify_command = {
    .name = "verify",
    .usage = "GAME FILE... [options]",
    .summary = "compare with recorded games",
    .about =
        "Replays traces of the game's referee in f64 and compares every number: the start, the events of each turn "
        "(times and bodies), the state before friction and rounding, the state after the turn; bit for bit, the "
        "sign of a zero included, except where the list below says otherwise. Prints the first 20 mismatches and the "
        "sums; exit code 1 if there are any, 2 if no trace could be played.",
    .rows = rows,
    .tables = print_games,
    .run = run};
