/* SPDX-License-Identifier: MIT
 * `carom verify`: replays recorded games of the referee and compares every number that they hold, bit for bit.
 *
 * Up to 16 traces are played side by side, each in a world of its own, so that every lane of a tile is used. -0 and 0
 * count as equal: csb's referee does not tell them apart. A game's part is a function in the table `games`; csb's is
 * here.
 */
#include "verify.h"
#include "csb_trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PODS CSB_TRACE_PODS
#define PLAYERS 2
#define BATCH VERIFY_BATCH
#define SHOWN 20 /* mismatches that are printed; all are counted */

/* The traces of one batch and the worlds that play them. */
typedef struct match {
    const char *files[BATCH];
    csb_trace traces[BATCH];
    size_t count;
    carom_worlds *worlds; /* world i plays traces[i] */
} match;

/* What a tick leaves behind, [world] first. */
typedef struct result {
    double x[BATCH][PODS], y[BATCH][PODS], vx[BATCH][PODS], vy[BATCH][PODS], angle[BATCH][PODS];
    int16_t next[BATCH][PODS];
    int8_t shield[BATCH][PODS], boosted[BATCH][PODS], won[BATCH][PODS];
    int16_t timeout[BATCH][PLAYERS];
    double moved[BATCH][PODS][4];
    carom_event events[BATCH][CSB_TRACE_MAX_BOUNCES];
    uint32_t event_counts[BATCH];
} result;

void carom_help_verify(void)
{
    puts(
        "carom verify GAME [--isa NAME] FILE...\n"
        "\n"
        "Replays recorded games in f64 and compares every number bit for bit. Prints the first 20 mismatches and\n"
        "the sums; exit code 1 if there are any.\n"
        "\n"
        "  csb      traces of the referee, by the rules of its test mode: the start (I), the impacts (B: time,\n"
        "           pods), the state before friction and rounding (U), the state after the turn (S), timeouts (P)\n"
        "  stones   traces of the plugin: sweeps, hits, and every number of every stone after the tick; shotDistance,\n"
        "           which is reached through pow, to 1e-12");
}

void carom_verify_demand(carom_status status, const char *doing)
{
    if (status != CAROM_OK) {
        carom_die("cannot %s: %s", doing, carom_status_string(status));
    }
}

/* ---- comparing ---- */

void carom_verify_compare(const place *at, const char *field, double expected, double found)
{
    if (expected == found) { /* not true for a NaN, which no trace holds */
        return;
    }
    if (at->count->mismatches++ < SHOWN) {
        printf("%s: %s, %s, %s: the trace has %.17g, carom %.17g\n", at->file, at->when, at->who, field, expected,
               found);
    }
}

void carom_verify_compare_near(const place *at, const char *field, double expected, double found, double tolerance)
{
    if (!(fabs(expected - found) <= tolerance * fabs(expected))) {
        carom_verify_compare(at, field, expected, found);
    }
}

static void compare_pods(place *at, const char *record, const csb_trace_pod *pods, const result *found, size_t world)
{
    for (size_t i = 0; i < PODS; i++) {
        const struct {
            const char *name;
            double expected, found;
        } numbers[] = {
            {"x", pods[i].x, found->x[world][i]},
            {"y", pods[i].y, found->y[world][i]},
            {"vx", pods[i].vx, found->vx[world][i]},
            {"vy", pods[i].vy, found->vy[world][i]},
            {"angle", pods[i].angle, found->angle[world][i]},
            {"next", pods[i].next, found->next[world][i]},
            {"shield", pods[i].shield, found->shield[world][i]},
            {"boosted", pods[i].boosted, found->boosted[world][i]},
            {"won", pods[i].won, found->won[world][i]},
        };
        snprintf(at->who, sizeof at->who, "pod %zu", i);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            char field[16];
            snprintf(field, sizeof field, "%s %s", record, numbers[k].name);
            carom_verify_compare(at, field, numbers[k].expected, numbers[k].found);
        }
    }
}

static void compare_bounces(place *at, const csb_trace *trace, const csb_trace_turn *turn, const result *found,
                            size_t world)
{
    snprintf(at->who, sizeof at->who, "all pods");
    carom_verify_compare(at, "number of B", (double)turn->bounce_count, found->event_counts[world]);
    for (size_t k = 0; k < turn->bounce_count && k < found->event_counts[world]; k++) {
        const csb_trace_bounce *expected = &trace->bounces[turn->first_bounce + k];
        const carom_event *event = &found->events[world][k];
        snprintf(at->who, sizeof at->who, "pods %u %u (bounce %zu)", expected->first, expected->second, k);
        carom_verify_compare(at, "B time", expected->left, event->left);
        carom_verify_compare(at, "B first pod", expected->first, event->first);
        carom_verify_compare(at, "B second pod", expected->second, event->second);
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
            carom_verify_compare(at, moved_names[k], turn->moved[i][k], found->moved[world][i][k]);
        }
    }
    compare_pods(at, "S", turn->pods, found, world);
    for (size_t p = 0; p < PLAYERS; p++) {
        snprintf(at->who, sizeof at->who, "player %zu", p);
        carom_verify_compare(at, "P timeout", turn->timeouts[p], found->timeout[world][p]);
    }
}

/* ---- playing ---- */

static void get_field(const match *played, const char *name, void *values)
{
    size_t index;
    carom_verify_demand(carom_worlds_find_field(played->worlds, name, &index), "find a field");
    carom_verify_demand(carom_worlds_get(played->worlds, index, 0, played->count, values), "read a field");
}

static void get_state(const match *played, result *found)
{
    get_field(played, "x", found->x);
    get_field(played, "y", found->y);
    get_field(played, "vx", found->vx);
    get_field(played, "vy", found->vy);
    get_field(played, "angle", found->angle);
    get_field(played, "next", found->next);
    get_field(played, "shield", found->shield);
    get_field(played, "boosted", found->boosted);
    get_field(played, "won", found->won);
    get_field(played, "timeout", found->timeout);
}

static void create_worlds(match *made, carom_isa isa)
{
    carom_csb_map maps[BATCH];
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
    carom_verify_demand(carom_worlds_create(&desc, &made->worlds), "create the worlds");
}

static void play(match *played, tally *count)
{
    static result found; /* too large for every stack */
    double actions[BATCH][PODS][3] = {{{0}}};
    carom_step step = carom_step_default();
    carom_verify_demand(carom_game_find_action_kind(carom_game_find("csb"), "referee", &step.action_kind),
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
        carom_verify_demand(carom_worlds_play(played->worlds, &step), "play");
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

/* Takes up to BATCH files, plays and compares them. */
static void verify_csb(char **files, carom_isa isa, tally *count)
{
    static match batch;
    for (batch.count = 0; batch.count < BATCH && files[batch.count] != NULL; batch.count++) {
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

static const struct {
    const char *name;
    carom_verify_batch *verify;
} games[] = {{"csb", verify_csb}, {"stones", carom_verify_stones}};

static carom_verify_batch *find_game(const char *name)
{
    for (size_t i = 0; i < sizeof games / sizeof games[0]; i++) {
        if (strcmp(games[i].name, name) == 0) {
            return games[i].verify;
        }
    }
    carom_die("no traces of a game '%s' can be verified (see carom verify --help)", name);
}

int carom_command_verify(arguments *args)
{
    const char *game = NULL;
    const char *value;
    carom_isa isa = CAROM_ISA_DEFAULT;
    char **files = args->list; /* the words that are files move to the front of the list */
    size_t file_count = 0;
    while (*args->list != NULL) {
        char *word = *args->list;
        if (carom_take_value(args, "--isa", &value)) {
            isa = carom_parse_isa(value);
        } else if (carom_take_word(args) == NULL) {
            carom_refuse(args);
        } else if (game == NULL) {
            game = word;
        } else {
            files[file_count++] = word;
        }
    }
    if (game == NULL) {
        carom_die("which game? (see carom verify --help)");
    }
    carom_verify_batch *verify = find_game(game);
    if (file_count == 0) {
        carom_die("which traces? (see carom verify --help)");
    }
    files[file_count] = NULL;

    tally count = {0};
    for (size_t i = 0; i < file_count; i += BATCH) {
        verify(files + i, isa, &count);
    }
    if (count.mismatches > SHOWN) {
        printf("(the first %d mismatches are shown)\n", SHOWN);
    }
    printf("%zu traces, %zu turns, %zu mismatches\n", count.traces, count.turns, count.mismatches);
    return count.mismatches > 0 ? EXIT_MISMATCH : 0;
}
