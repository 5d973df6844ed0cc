/* SPDX-License-Identifier: MIT
 * `carom verify csb`: up to 16 traces are played side by side, each in a world of its own on its own map, so that every
 * lane of a tile is used.
 */
#include "csb_trace.h"
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#define PODS CSB_TRACE_PODS
#define PLAYERS 2

/* The traces of one batch and the worlds that play them. */
typedef struct match {
    const char *files[VERIFY_BATCH];
    csb_trace traces[VERIFY_BATCH];
    size_t count;
    carom_worlds *worlds; /* world i plays traces[i] */
} match;

/* What a tick leaves behind, [world] first. */
typedef struct result {
    double x[VERIFY_BATCH][PODS], y[VERIFY_BATCH][PODS], vx[VERIFY_BATCH][PODS], vy[VERIFY_BATCH][PODS],
        angle[VERIFY_BATCH][PODS];
    int16_t next[VERIFY_BATCH][PODS];
    int8_t shield[VERIFY_BATCH][PODS], boosted[VERIFY_BATCH][PODS], won[VERIFY_BATCH][PODS];
    int16_t timeout[VERIFY_BATCH][PLAYERS];
    double moved[VERIFY_BATCH][PODS][4];
    carom_event events[VERIFY_BATCH][CSB_TRACE_MAX_BOUNCES];
    uint32_t event_counts[VERIFY_BATCH];
} result;

/* ---- comparing ---- */

/* As the records I and S print whole numbers: -0 as 0. */
static double printed(double whole)
{
    return whole + 0.0;
}

static void compare_pods(place *at, const char *record, const csb_trace_pod *pods, const result *found, size_t world)
{
    for (size_t i = 0; i < PODS; i++) {
        const struct {
            const char *name;
            double expected, found;
        } numbers[] = {
            {"x", pods[i].x, printed(found->x[world][i])},       {"y", pods[i].y, printed(found->y[world][i])},
            {"vx", pods[i].vx, printed(found->vx[world][i])},    {"vy", pods[i].vy, printed(found->vy[world][i])},
            {"angle", pods[i].angle, found->angle[world][i]},    {"next", pods[i].next, found->next[world][i]},
            {"shield", pods[i].shield, found->shield[world][i]}, {"boosted", pods[i].boosted, found->boosted[world][i]},
            {"won", pods[i].won, found->won[world][i]},
        };
        snprintf(at->who, sizeof at->who, "pod %zu", i);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            char field[16];
            snprintf(field, sizeof field, "%s %s", record, numbers[k].name);
            verify_compare(at, field, numbers[k].expected, numbers[k].found);
        }
    }
}

static void compare_bounces(place *at, const csb_trace *trace, const csb_trace_turn *turn, const result *found,
                            size_t world)
{
    snprintf(at->who, sizeof at->who, "all pods");
    verify_compare(at, "number of B", (double)turn->bounce_count, found->event_counts[world]);
    for (size_t k = 0; k < turn->bounce_count && k < found->event_counts[world]; k++) {
        const csb_trace_bounce *expected = &trace->bounces[turn->first_bounce + k];
        const carom_event *event = &found->events[world][k];
        snprintf(at->who, sizeof at->who, "pods %u %u (bounce %zu)", expected->first, expected->second, k);
        verify_compare(at, "B time", expected->left, event->left);
        verify_compare(at, "B first pod", expected->first, event->first);
        verify_compare(at, "B second pod", expected->second, event->second);
    }
}

static void compare_turn(place *at, const csb_trace *trace, const csb_trace_turn *turn, const result *found,
                         size_t world)
{
    static const char *const moved_names[] = {"U x", "U y", "U vx", "U vy"};
    compare_bounces(at, trace, turn, found, world);
    for (size_t i = 0; i < PODS; i++) {
        snprintf(at->who, sizeof at->who, "pod %zu", i);
        for (size_t k = 0; k < 4; k++) {
            verify_compare(at, moved_names[k], turn->moved[i][k], found->moved[world][i][k]);
        }
    }
    compare_pods(at, "S", turn->pods, found, world);
    for (size_t p = 0; p < PLAYERS; p++) {
        snprintf(at->who, sizeof at->who, "player %zu", p);
        verify_compare(at, "P timeout", turn->timeouts[p], found->timeout[world][p]);
    }
}

/* ---- playing ---- */

static void get_state(const match *played, result *found)
{
    verify_get(played->worlds, "x", played->count, found->x);
    verify_get(played->worlds, "y", played->count, found->y);
    verify_get(played->worlds, "vx", played->count, found->vx);
    verify_get(played->worlds, "vy", played->count, found->vy);
    verify_get(played->worlds, "angle", played->count, found->angle);
    verify_get(played->worlds, "next", played->count, found->next);
    verify_get(played->worlds, "shield", played->count, found->shield);
    verify_get(played->worlds, "boosted", played->count, found->boosted);
    verify_get(played->worlds, "won", played->count, found->won);
    verify_get(played->worlds, "timeout", played->count, found->timeout);
}

static void create_worlds(match *made, carom_isa isa)
{
    carom_csb_map maps[VERIFY_BATCH];
    for (size_t i = 0; i < made->count; i++) {
        const csb_trace *trace = &made->traces[i];
        maps[i] = (carom_csb_map){(const int32_t(*)[2])trace->checkpoints, trace->n, trace->laps};
    }
    carom_csb_options options = carom_csb_options_default();
    options.rules = CAROM_CSB_TEST;
    options.maps = maps; /* game 0 of world i, whose id is i, is on map i */
    options.map_count = (uint32_t)made->count;
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("csb"));
    desc.options = &options;
    desc.count = made->count;
    desc.isa = isa;
    desc.threads = 1;
    desc.at_end = CAROM_PLAY_ON;
    verify_demand(carom_worlds_create(&desc, &made->worlds), "create the worlds");
}

static void play(match *played, tally *count)
{
    static result found; /* too large for every stack */
    double actions[VERIFY_BATCH][PODS][3] = {{{0}}};
    carom_step step = carom_step_default();
    verify_demand(carom_game_find_action_kind(carom_game_find("csb"), "referee", &step.action_kind),
                  "find the kind of action");
    step.actions = actions;
    step.events = found.events[0];
    step.event_counts = found.event_counts;
    step.event_capacity = CSB_TRACE_MAX_BOUNCES;
    step.moved = found.moved[0][0];

    get_state(played, &found);
    size_t turns = 0; /* of the longest trace */
    for (size_t i = 0; i < played->count; i++) {
        place at = {.count = count, .file = played->files[i], .when = "start"};
        compare_pods(&at, "I", played->traces[i].start, &found, i);
        turns = played->traces[i].turn_count > turns ? played->traces[i].turn_count : turns;
        count->traces++;
        count->turns += played->traces[i].turn_count;
    }
    for (size_t t = 0; t < turns; t++) {
        /* A world whose trace is over repeats its last turn; nobody looks. */
        for (size_t i = 0; i < played->count; i++) {
            if (t < played->traces[i].turn_count) {
                csb_trace_actions(&played->traces[i].turns[t], actions[i]);
            }
        }
        verify_demand(carom_worlds_play(played->worlds, &step), "play");
        get_state(played, &found);
        char when[32];
        snprintf(when, sizeof when, "turn %zu", t);
        for (size_t i = 0; i < played->count; i++) {
            if (t < played->traces[i].turn_count) {
                place at = {.count = count, .file = played->files[i], .when = when};
                compare_turn(&at, &played->traces[i], &played->traces[i].turns[t], &found, i);
            }
        }
    }
}

void verify_csb(char **files, carom_isa isa, tally *count)
{
    static match batch;
    for (batch.count = 0; batch.count < VERIFY_BATCH && files[batch.count] != NULL; batch.count++) {
        char message[4096 + CSB_TRACE_MESSAGE];
        batch.files[batch.count] = files[batch.count];
        if (!csb_trace_read(files[batch.count], &batch.traces[batch.count], message, sizeof message)) {
            carom_die("%s", message);
        }
    }
    create_worlds(&batch, isa);
    play(&batch, count);
    carom_worlds_destroy(batch.worlds);
    for (size_t i = 0; i < batch.count; i++) {
        csb_trace_free(&batch.traces[i]);
    }
}
