/* SPDX-License-Identifier: MIT
 * `carom merge`: adds up the parts of a run, made by several processes or machines with --shard and --out.
 */
#include "merge_games.h"
#include "merge_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- rollout ---- */

typedef enum merge_way {
    MERGE_SAME,
    MERGE_SUM,
    MERGE_DIGEST,
    MERGE_MOST,
    MERGE_ANY,
    MERGE_SPEED,
    MERGE_RATE,
    MERGE_SHARD
} merge_way;

/* How members of a rollout's object are merged; those not listed are the same in all parts. */
static merge_way way_of(const char *key)
{
    static const struct {
        const char *key;
        merge_way way;
    } ways[] = {{"worlds", MERGE_SUM},
                {"world_ticks", MERGE_SUM},
                {"events", MERGE_SUM},
                {"goals", MERGE_SUM},
                {"games", MERGE_SUM},
                {"faults", MERGE_SUM},
                {"bytes", MERGE_SUM},
                {"digest", MERGE_DIGEST},
                {"seconds", MERGE_MOST},
                {"device", MERGE_ANY},
                {"isa", MERGE_ANY},
                {"threads", MERGE_SUM},
                {"compiler", MERGE_ANY},
                {"shard", MERGE_SHARD},
                {"world_ticks_per_s", MERGE_SPEED},
                {"events_per_tick", MERGE_RATE},
                {"first_world", MERGE_ANY}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].key, key) == 0) {
            return ways[i].way;
        }
    }
    return MERGE_SAME;
}

static uint64_t sum_of(const merge_part *parts, size_t count, const char *key)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (way_of(key) == MERGE_DIGEST) {
            sum += carom_part_digest(&parts[i], parts[i].run, key);
        } else {
            carom_part_add(&parts[i], parts[i].run, key, &sum);
        }
    }
    return sum;
}

/* Dies unless the parts belong together and all members can be merged; called before anything is printed. */
static void check_rollout(const merge_part *parts, size_t count)
{
    const uint64_t whole = carom_part_whole(&parts[0], parts[0].run, "run_worlds");
    sum_of(parts, count, "world_ticks");
    sum_of(parts, count, "events");
    for (size_t i = 0; i < count; i++) {
        const json_value *x = parts[0].run->first, *y = parts[i].run->first;
        for (; x != NULL || y != NULL; x = x->next, y = y->next) {
            const char *key = x != NULL ? x->key : y->key;
            const bool both = x != NULL && y != NULL && strcmp(x->key, y->key) == 0;
            if (!both || way_of(key) == MERGE_SAME) {
                carom_parts_same(&parts[0], both ? x : NULL, &parts[i], y, key);
            }
            if (x->kind != y->kind || (x->first != NULL && way_of(key) != MERGE_SHARD)) {
                carom_die("%s: \"%s\" is not as carom writes it", parts[i].path, key);
            }
        }
        uint64_t begin, end;
        carom_part_share(&parts[i], i, count, whole, &begin, &end);
        if (carom_part_whole(&parts[i], parts[i].run, "first_world") != begin ||
            carom_part_whole(&parts[i], parts[i].run, "worlds") != end - begin) {
            carom_die("%s: its worlds are not those of shard %zu of %zu of a run of %" PRIu64 " worlds", parts[i].path,
                      i, count, whole);
        }
    }
    for (const json_value *at = parts[0].run->first; at != NULL; at = at->next) {
        const merge_way way = way_of(at->key);
        if (way == MERGE_SUM || way == MERGE_DIGEST) {
            sum_of(parts, count, at->key);
        } else if (way == MERGE_MOST) {
            carom_parts_slowest(parts, count, at->key);
        }
    }
}

static void print_member(const merge_part *parts, size_t count, const json_value *at, bool json)
{
    const double ticks = (double)sum_of(parts, count, "world_ticks"),
                 seconds = carom_parts_slowest(parts, count, "seconds");
    if (json) {
        carom_json_string(at->key);
        printf(": ");
    } else {
        printf("  %-20s", at->key);
    }
    switch (way_of(at->key)) {
    case MERGE_SUM:
        printf("%" PRIu64, sum_of(parts, count, at->key));
        break;
    case MERGE_DIGEST:
        printf(json ? "\"%016" PRIx64 "\"" : "%016" PRIx64, sum_of(parts, count, at->key));
        break;
    case MERGE_MOST:
        printf("%.9g", carom_parts_slowest(parts, count, at->key));
        break;
    case MERGE_SPEED:
        printf("%.9g", seconds > 0 ? ticks / seconds : 0);
        break;
    case MERGE_RATE:
        printf("%.9g", ticks > 0 ? (double)sum_of(parts, count, "events") / ticks : 0);
        break;
    case MERGE_SHARD:
        printf(json ? "[0, 1]" : "%zu, all there", count);
        break;
    case MERGE_SAME:
    case MERGE_ANY:
        if (at->kind == JSON_STRING && json) {
            carom_json_string(at->text);
        } else {
            carom_print_plain(at->text);
        }
        break;
    }
}

static void merge_rollout(const merge_part *parts, size_t count, bool json)
{
    check_rollout(parts, count);
    printf(json ? "{" : "");
    for (const json_value *at = parts[0].run->first; at != NULL; at = at->next) {
        print_member(parts, count, at, json);
        printf(json ? at->next != NULL ? ", " : "}\n" : "\n");
    }
}

/* ---- the command ---- */

typedef struct merge_options {
    word_list files;
    bool json;
    const char *state;
} merge_options;

#define OPTIONS merge_options
static const argument_row rows[] = {
    WORDS("files", files, 1),
    FLAG("--json", json, "for parts of carom rollout or carom arena: one JSON object instead of the table"),
    TEXT("--state TUNED", state, NULL,
         "for parts of a generation of carom tune: the file for the next state, the same bytes as in "
         "a single run"),
    END};

static int run(arguments *args)
{
    merge_options options = {.json = false};
    carom_read_arguments(args, rows, &options);
    const size_t count = options.files.count;
    const bool json = options.json;
    merge_part *parts = carom_allocate(count, sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        parts[i].path = options.files.list[i];
        parts[i].file = carom_json_read(parts[i].path);
        parts[i].run = parts[i].file->first;
    }
    const json_value *command = carom_part_member(&parts[0], parts[0].run, "command", JSON_STRING);
    for (size_t i = 1; i < count; i++) {
        carom_parts_same(&parts[0], command, &parts[i], carom_json_find(parts[i].run, "command"), "command");
    }
    carom_parts_order(parts, count);
    const bool tunes = strcmp(command->text, "tune") == 0;
    if (tunes ? json : options.state != NULL) {
        carom_die("%s: parts of carom %s are merged without it", tunes ? "--json" : "--state", command->text);
    }
    if (tunes) {
        carom_merge_tune(parts, count, options.state);
    } else if (strcmp(command->text, "rollout") == 0) {
        merge_rollout(parts, count, json);
    } else if (strcmp(command->text, "arena") == 0) {
        carom_merge_arena(parts, count, json);
    } else {
        carom_die("%s: runs of carom %s are not merged", parts[0].path, command->text);
    }
    for (size_t i = 0; i < count; i++) {
        carom_json_free(parts[i].file);
    }
    free(parts);
    return 0;
}

const command_row carom_merge_command = {
    .name = "merge",
    .usage = "FILE... [options]",
    .summary = "add up the parts of a run on several machines",
    .about = "Adds up the parts of a run, made with --shard K/N and --out. The numbers and the digest are those of one "
             "run, for any N. All N parts must be given; a missing one is named. Parts that do not belong together "
             "are refused: each records how many worlds or games the whole run has, which of them it played, and which "
             "game or scene it is, with every option. Seconds are those of the slowest part; speed is what all parts "
             "reach together.",
    .rows = rows,
    .notes = "    carom rollout csb --shard 0/2 --out part-%d.json; carom rollout csb --shard 1/2 --out part-%d.json\n"
             "    mpirun -n 4 carom rollout csb --out part-%d.json\n"
             "    carom merge part-*.json",
    .run = run};
