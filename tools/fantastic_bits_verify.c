/* SPDX-License-Identifier: MIT
 * `carom verify fantastic_bits`: up to 16 traces are played side by side, each in a world of its own with the start of
 * its own seed, so that every lane of a tile is used.
 */
#include "fantastic_bits_trace.h"
#include "verify.h"

#include <string.h>

#define BODIES FB_TRACE_BODIES
#define EVENTS FB_TRACE_MAX_HITS

/* The traces of one batch and the worlds that play them. */
typedef struct match {
    const char *files[VERIFY_BATCH];
    fb_trace traces[VERIFY_BATCH];
    size_t count;
    carom_worlds *worlds; /* world i plays traces[i] */
} match;

/* What a tick leaves behind, [world] first. */
typedef struct result {
    double x[VERIFY_BATCH][BODIES], y[VERIFY_BATCH][BODIES], vx[VERIFY_BATCH][BODIES], vy[VERIFY_BATCH][BODIES];
    int8_t hold[VERIFY_BATCH][4], wait[VERIFY_BATCH][4], countdown[VERIFY_BATCH][16], target[VERIFY_BATCH][16];
    int8_t alive[VERIFY_BATCH][7], ignores[VERIFY_BATCH][7];
    int8_t last[VERIFY_BATCH][2], score[VERIFY_BATCH][2], mana[VERIFY_BATCH][2];
    int8_t end[VERIFY_BATCH];
    double moved[VERIFY_BATCH][BODIES][4];
    carom_event events[VERIFY_BATCH][EVENTS];
    uint32_t event_counts[VERIFY_BATCH];
} result;

/* ---- comparing ---- */

static void compare_small(const place *at, const char *field, const int8_t *expected, const int8_t *found, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s %zu", field, k);
        verify_compare(at, name, expected[k], found[k]);
    }
}

static void compare_state(place *at, const fb_trace *trace, const fb_trace_state *s, const result *found, size_t w)
{
    for (int i = 0; i < BODIES; i++) {
        if (i >= CAROM_FANTASTIC_BITS_SNAFFLE + trace->snaffles && i < CAROM_FANTASTIC_BITS_BLUDGER) {
            continue;
        }
        snprintf(at->who, sizeof at->who, "slot %d", i);
        verify_compare(at, "x", s->x[i], found->x[w][i]);
        verify_compare(at, "y", s->y[i], found->y[w][i]);
        verify_compare(at, "vx", s->vx[i], found->vx[w][i]);
        verify_compare(at, "vy", s->vy[i], found->vy[w][i]);
    }
    snprintf(at->who, sizeof at->who, "the world");
    compare_small(at, "hold", s->hold, found->hold[w], 4);
    compare_small(at, "wait", s->wait, found->wait[w], 4);
    compare_small(at, "countdown", s->countdown, found->countdown[w], 16);
    compare_small(at, "target", s->target, found->target[w], 16);
    compare_small(at, "alive", s->alive, found->alive[w], 7);
    compare_small(at, "ignores", s->ignores, found->ignores[w], 7);
    compare_small(at, "last", s->last, found->last[w], 2);
    compare_small(at, "score", s->score, found->score[w], 2);
    compare_small(at, "mana", s->mana, found->mana[w], 2);
}

static void compare_turn(place *at, const fb_trace *trace, const fb_trace_turn *turn, const result *found, size_t w)
{
    static const char *const moved_names[] = {"unrounded x", "unrounded y", "unrounded vx", "unrounded vy"};
    snprintf(at->who, sizeof at->who, "the world");
    verify_compare(at, "number of hits", (double)turn->hit_count, found->event_counts[w]);
    for (size_t k = 0; k < turn->hit_count && k < found->event_counts[w]; k++) {
        const fb_trace_hit *hit = &trace->hits[turn->first_hit + k];
        const carom_event *event = &found->events[w][k];
        snprintf(at->who, sizeof at->who, "hit %zu", k);
        verify_compare(at, "time left", 1 - hit->time, event->left);
        verify_compare(at, "first", hit->first, event->first);
        verify_compare(at, "second", hit->second, event->second);
    }
    for (int i = 0; i < BODIES; i++) {
        snprintf(at->who, sizeof at->who, "slot %d", i);
        for (size_t k = 0; k < 4; k++) {
            verify_compare(at, moved_names[k], turn->state.moved[i][k], found->moved[w][i][k]);
        }
    }
    compare_state(at, trace, &turn->state, found, w);
    snprintf(at->who, sizeof at->who, "the world");
    verify_compare(at, "over", turn->over, found->end[w] == CAROM_TERMINATED);
}

/* ---- playing ---- */

static void get_state(const match *played, result *found)
{
    verify_get(played->worlds, "x", played->count, found->x);
    verify_get(played->worlds, "y", played->count, found->y);
    verify_get(played->worlds, "vx", played->count, found->vx);
    verify_get(played->worlds, "vy", played->count, found->vy);
    verify_get(played->worlds, "hold", played->count, found->hold);
    verify_get(played->worlds, "wait", played->count, found->wait);
    verify_get(played->worlds, "countdown", played->count, found->countdown);
    verify_get(played->worlds, "target", played->count, found->target);
    verify_get(played->worlds, "alive", played->count, found->alive);
    verify_get(played->worlds, "ignores", played->count, found->ignores);
    verify_get(played->worlds, "last", played->count, found->last);
    verify_get(played->worlds, "score", played->count, found->score);
    verify_get(played->worlds, "mana", played->count, found->mana);
    verify_get(played->worlds, "end", played->count, found->end);
}

static void create_worlds(match *made, carom_isa isa)
{
    int64_t seeds[VERIFY_BATCH];
    for (size_t i = 0; i < made->count; i++) {
        seeds[i] = made->traces[i].seed;
    }
    carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
    options.seeds = seeds; /* game 0 of world i, whose id is i, has seed i */
    options.seed_count = (uint32_t)made->count;
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("fantastic_bits"));
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
    double actions[VERIFY_BATCH][4][4] = {{{0}}};
    carom_step step = carom_step_default();
    verify_demand(carom_game_find_action_kind(carom_game_find("fantastic_bits"), "referee", &step.action_kind),
                  "find the kind of action");
    step.actions = actions;
    step.events = found.events[0];
    step.event_counts = found.event_counts;
    step.event_capacity = EVENTS;
    step.moved = found.moved[0][0];

    get_state(played, &found);
    size_t turns = 0; /* of the longest trace */
    for (size_t i = 0; i < played->count; i++) {
        place at = {.count = count, .file = played->files[i], .when = "start"};
        compare_state(&at, &played->traces[i], &played->traces[i].start, &found, i);
        turns = played->traces[i].turn_count > turns ? played->traces[i].turn_count : turns;
        count->traces++;
        count->turns += played->traces[i].turn_count;
    }
    for (size_t t = 0; t < turns; t++) {
        /* A world whose trace is over repeats its last turn; nobody looks. */
        for (size_t i = 0; i < played->count; i++) {
            if (t < played->traces[i].turn_count) {
                fb_trace_actions(&played->traces[i].turns[t], actions[i]);
            }
        }
        verify_demand(carom_worlds_play(played->worlds, &step), "play");
        get_state(played, &found);
        char when[32];
        snprintf(when, sizeof when, "turn %zu", t + 1);
        for (size_t i = 0; i < played->count; i++) {
            if (t < played->traces[i].turn_count) {
                place at = {.count = count, .file = played->files[i], .when = when};
                compare_turn(&at, &played->traces[i], &played->traces[i].turns[t], &found, i);
            }
        }
    }
}

void verify_fantastic_bits(char **files, carom_isa isa, tally *count)
{
    static match batch;
    for (batch.count = 0; batch.count < VERIFY_BATCH && files[batch.count] != NULL; batch.count++) {
        char message[4096 + 512];
        batch.files[batch.count] = files[batch.count];
        if (!fb_trace_read(files[batch.count], &batch.traces[batch.count], message, sizeof message)) {
            carom_die("%s", message);
        }
    }
    create_worlds(&batch, isa);
    play(&batch, count);
    carom_worlds_destroy(batch.worlds);
    for (size_t i = 0; i < batch.count; i++) {
        fb_trace_free(&batch.traces[i]);
    }
}
