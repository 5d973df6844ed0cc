/* SPDX-License-Identifier: MIT
 * `carom verify stones`: replays recordings of the plugin and compares every number that they hold, bit for bit. Only
 * shot_distance, which is reached through pow, need just agree to 1e-12.
 */
#include "stones_trace.h"
#include "verify.h"

#include <math.h>
#include <string.h>

#define STONES CAROM_STONES_MAX
#define POW_TOLERANCE 1e-12

/* The traces with the same setting of `check`, and the worlds that play them. */
typedef struct match {
    const char *files[VERIFY_BATCH];
    stones_trace traces[VERIFY_BATCH];
    size_t count;
    carom_worlds *worlds;
} match;

/* What a tick leaves behind, [world] first. */
typedef struct result {
    double px[VERIFY_BATCH][STONES], py[VERIFY_BATCH][STONES], course[VERIFY_BATCH][STONES];
    double speed[VERIFY_BATCH][STONES], unused[VERIFY_BATCH][STONES], curve[VERIFY_BATCH][STONES];
    double traveled[VERIFY_BATCH][STONES], distance[VERIFY_BATCH][STONES];
    int8_t shot[VERIFY_BATCH][STONES], sweeps[VERIFY_BATCH], fault[VERIFY_BATCH];
    double moved[VERIFY_BATCH][STONES][4];
    carom_event events[VERIFY_BATCH][STONES_TRACE_HITS];
    uint32_t event_counts[VERIFY_BATCH];
} result;

static void get_state(const match *played, result *found)
{
    verify_get(played->worlds, "px", played->count, found->px);
    verify_get(played->worlds, "py", played->count, found->py);
    verify_get(played->worlds, "course", played->count, found->course);
    verify_get(played->worlds, "speed", played->count, found->speed);
    verify_get(played->worlds, "unused", played->count, found->unused);
    verify_get(played->worlds, "shot", played->count, found->shot);
    verify_get(played->worlds, "curve", played->count, found->curve);
    verify_get(played->worlds, "shot_traveled", played->count, found->traveled);
    verify_get(played->worlds, "shot_distance", played->count, found->distance);
    verify_get(played->worlds, "sweeps", played->count, found->sweeps);
    verify_get(played->worlds, "fault", played->count, found->fault);
}

static void set_field(carom_worlds *worlds, const char *name, size_t count, const void *values, const char *who)
{
    size_t index;
    verify_demand(carom_worlds_find_field(worlds, name, &index), "find a field");
    if (carom_worlds_set(worlds, index, 0, count, values) != CAROM_OK) {
        carom_die("%s: a stone's %s is out of range", who, name);
    }
}

/* Worlds at rest with the stones of the traces. Stones that a trace does not have are out of play. */
static void create_worlds(match *made, carom_isa isa)
{
    static const char *const names[5] = {"px", "py", "radius", "power", "friction"};
    const char *const who = made->count == 1 ? made->files[0] : "the traces";
    carom_stones_options options = carom_stones_options_default();
    options.stones = STONES;
    options.ring = 0;
    options.ticks = STONES_TRACE_TICKS + 1;
    options.check = made->traces[0].check;
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("stones"));
    desc.options = &options;
    desc.count = made->count;
    desc.isa = isa;
    desc.threads = 1;
    verify_demand(carom_worlds_create(&desc, &made->worlds), "create the worlds");
    static double values[VERIFY_BATCH][STONES];
    for (size_t k = 0; k < 5; k++) {
        verify_get(made->worlds, names[k], made->count, values);
        for (size_t w = 0; w < made->count; w++) {
            for (size_t i = 0; i < made->traces[w].stones; i++) {
                values[w][i] = made->traces[w].start[i][k];
            }
        }
        set_field(made->worlds, names[k], made->count, values, who);
    }
    int8_t in_play[VERIFY_BATCH][STONES];
    for (size_t w = 0; w < made->count; w++) {
        for (size_t i = 0; i < STONES; i++) {
            in_play[w][i] = i < made->traces[w].stones ? 1 : 0;
        }
    }
    set_field(made->worlds, "in_play", made->count, in_play, who);
}

static void compare_hits(place *at, const stones_trace_tick *tick, const result *found, size_t world)
{
    snprintf(at->who, sizeof at->who, "all stones");
    verify_compare(at, "sweeps", tick->sweeps, found->sweeps[world]);
    verify_compare(at, "fault", 0, found->fault[world]);
    verify_compare(at, "hits", tick->hit_count, found->event_counts[world]);
    for (int k = 0; k < tick->hit_count && k < (int)found->event_counts[world]; k++) {
        const stones_trace_hit *hit = &tick->hits[k];
        const carom_event *event = &found->events[world][k];
        snprintf(at->who, sizeof at->who, "stones %d %d (hit %d)", hit->striker, hit->struck, k);
        verify_compare(at, "striker", hit->striker, event->first);
        verify_compare(at, "struck", hit->struck, event->second);
        verify_compare(at, "dA", hit->way, fabs(event->left));
        verify_compare(at, "shrunk", hit->shrunk, signbit(event->left) != 0);
    }
}

static void compare_tick(place *at, const stones_trace *trace, size_t t, const result *found, size_t w)
{
    const stones_trace_tick *tick = &trace->ticks[t];
    bool moving = false;
    compare_hits(at, tick, found, w);
    for (size_t i = 0; i < trace->stones; i++) {
        const stones_trace_stone *stone = &tick->stones[i];
        snprintf(at->who, sizeof at->who, "stone %zu", i);
        verify_compare(at, "px", stone->px, found->px[w][i]);
        verify_compare(at, "py", stone->py, found->py[w][i]);
        verify_compare(at, "course", stone->course, found->course[w][i]);
        verify_compare(at, "speed", stone->speed, found->speed[w][i]);
        verify_compare(at, "unused", stone->unused, found->unused[w][i]);
        verify_compare(at, "share", stone->share, found->moved[w][i][3]);
        verify_compare(at, "shot", stone->shot, found->shot[w][i]);
        if (stone->shot) {
            verify_compare(at, "curve", stone->curve, found->curve[w][i]);
        }
        verify_compare(at, "shotTraveled", stone->shot_traveled, found->traveled[w][i]);
        verify_compare_near(at, "shotDistance", stone->shot_distance, found->distance[w][i], POW_TOLERANCE);
        moving = moving || found->speed[w][i] != 0;
    }
    snprintf(at->who, sizeof at->who, "all stones");
    verify_compare(at, "moving", tick->moving, moving);
}

static void play(match *played, tally *count)
{
    static result found; /* too large for every stack */
    static double actions[VERIFY_BATCH][STONES_TRACE_PUSHES][4];
    carom_step step = carom_step_default();
    verify_demand(carom_game_find_action_kind(carom_game_find("stones"), "engine", &step.action_kind),
                  "find the kind of action");
    step.actions = actions;
    step.events = found.events[0];
    step.event_counts = found.event_counts;
    step.event_capacity = STONES_TRACE_HITS;
    step.moved = found.moved[0][0];
    size_t ticks = 0; /* of the longest trace */
    for (size_t w = 0; w < played->count; w++) {
        ticks = played->traces[w].tick_count > ticks ? played->traces[w].tick_count : ticks;
        count->traces++;
        count->turns += played->traces[w].tick_count;
    }
    for (size_t t = 0; t < ticks; t++) {
        for (size_t w = 0; w < played->count; w++) {
            stones_trace_actions(&played->traces[w], t, actions[w]);
        }
        verify_demand(carom_worlds_play(played->worlds, &step), "play");
        get_state(played, &found);
        char when[32];
        snprintf(when, sizeof when, "tick %zu", t);
        for (size_t w = 0; w < played->count; w++) {
            if (t < played->traces[w].tick_count) {
                place at = {.count = count, .file = played->files[w], .when = when};
                compare_tick(&at, &played->traces[w], t, &found, w);
            }
        }
    }
}

static void play_match(match *played, carom_isa isa, tally *count)
{
    if (played->count > 0) {
        create_worlds(played, isa);
        play(played, count);
        carom_worlds_destroy(played->worlds);
    }
    for (size_t w = 0; w < played->count; w++) {
        stones_trace_free(&played->traces[w]);
    }
    played->count = 0;
}

void verify_stones(char **files, carom_isa isa, tally *count)
{
    static match matches[2]; /* without and with `check` */
    for (size_t i = 0; i < VERIFY_BATCH && files[i] != NULL; i++) {
        char message[4096 + STONES_TRACE_MESSAGE];
        stones_trace trace;
        if (!stones_trace_read(files[i], &trace, message, sizeof message)) {
            carom_die("%s", message);
        }
        match *to = &matches[trace.check];
        to->files[to->count] = files[i];
        to->traces[to->count++] = trace;
    }
    play_match(&matches[0], isa, count);
    play_match(&matches[1], isa, count);
}
