/* SPDX-License-Identifier: MIT
 * What the commands that record and draw play: see source.h.
 */
#include "source.h"

#include "scene_file.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORLDS (1 << 20)

const char carom_source_help[] =
    "  --worlds N            worlds, 1 by default\n"
    "  --seed S              of everything that is drawn, 1 by default\n"
    "  --first-id I          the id of the first world, 0 by default: other games of the same seed\n"
    "  --workload NAME       the built-in policy that plays; NAME,NAME,... for each player. The game's first by "
    "default\n"
    "                        (--policy is the same)\n"
    "  --actions NAME        the kind of action it plays with; the game's first by default\n"
    "  --at-end WHAT         of a finished game: freeze (default), reset, play_on\n" SET_HELP
    "  --scatter V           of a scene: to each component of the velocity of each body that can move, a number\n"
    "                        drawn from [-V, V] is added at the start; 0 by default\n"
    "  --precision f64|f32   f64 by default\n"
    "  --isa NAME            instruction set; the fastest by default\n"
    "  --threads T           at most so many threads; all by default\n";

source_options carom_source_default(void)
{
    const source_options options = {
        .worlds = 1, .seed = 1, .precision = CAROM_F64, .isa = CAROM_ISA_DEFAULT, .at_end = CAROM_FREEZE};
    return options;
}

static carom_at_end parse_at_end(const char *text)
{
    static const char *const names[] = {
        [CAROM_PLAY_ON] = "play_on", [CAROM_FREEZE] = "freeze", [CAROM_RESET] = "reset"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            return (carom_at_end)i;
        }
    }
    carom_die("--at-end: unknown choice '%s' (freeze, reset or play_on)", text);
}

bool carom_take_source(arguments *args, source_options *options)
{
    const char *value;
    if (carom_take_value(args, "--isa", &value)) {
        options->isa = carom_parse_isa(value);
        return true;
    }
    if (carom_take_value(args, "--threads", &value)) {
        options->threads = (unsigned)carom_parse_count("--threads", value, 1, CAROM_MAX_THREADS);
        return true;
    }
    if (carom_take_value(args, "--workload", &options->workload) ||
        carom_take_value(args, "--policy", &options->workload) ||
        carom_take_value(args, "--actions", &options->actions) || carom_take_setting(args, &options->settings)) {
    } else if (carom_take_value(args, "--worlds", &value)) {
        options->worlds = (size_t)carom_parse_count("--worlds", value, 1, MOST_WORLDS);
    } else if (carom_take_value(args, "--seed", &value)) {
        options->seed = carom_parse_count("--seed", value, 0, UINT64_MAX);
    } else if (carom_take_value(args, "--first-id", &value)) {
        options->first_id = carom_parse_count("--first-id", value, 0, INT64_MAX);
    } else if (carom_take_value(args, "--precision", &value)) {
        options->precision = carom_parse_precision(value);
    } else if (carom_take_value(args, "--at-end", &value)) {
        options->at_end = parse_at_end(value);
    } else if (carom_take_value(args, "--scatter", &value)) {
        options->scatter = carom_parse_number("--scatter", value, 0, 1e30);
    } else {
        return false;
    }
    options->changed = true;
    return true;
}

/* "race", for all, or "race,ram" -> the policy of each player. */
static void choose_policies(source *from, const char *names)
{
    char list[NAMES_SIZE];
    uint32_t commas = 0;
    for (uint32_t p = 0; p < from->about.players; p++) {
        from->step.players[p].source = CAROM_POLICY;
    }
    for (const char *at = names; at != NULL && *at != '\0'; at++) {
        commas += *at == ',';
    }
    const char *name = names;
    for (uint32_t p = 0; p < from->about.players && names != NULL; p++) {
        const size_t length = strcspn(name, ",");
        char one[64] = "";
        if (length < sizeof one) {
            snprintf(one, sizeof one, "%.*s", (int)length, name);
        }
        name = name[length] == ',' ? name + length + 1 : name;
        if ((commas > 0 && commas + 1 != from->about.players) ||
            carom_game_find_policy(from->game, one, &from->step.players[p].policy) != CAROM_OK) {
            carom_die("--workload: unknown workload '%s' (%s has %s)", names, from->about.name,
                      carom_policy_names(from->game, list));
        }
    }
}

static void open_replay(source *from, const source_options *options)
{
    from->replay = carom_replay_read(options->name);
    if (options->changed) {
        carom_die("%s is a replay: how it is played is settled", options->name);
    }
    const carom_replay_info info = carom_replay_describe(from->replay.replay);
    const carom_status status = carom_replay_worlds(from->replay.replay, options->isa, options->threads, &from->worlds);
    if (status != CAROM_OK) {
        carom_die("%s: cannot create the worlds: %s", options->name, carom_status_string(status));
    }
    from->game = info.game;
    from->about = carom_game_describe(info.game);
    from->ticks = info.ticks;
}

static void make_worlds(source *from, const source_options *options)
{
    carom_worlds_desc desc = carom_worlds_desc_default(from->game);
    desc.count = options->worlds;
    desc.precision = options->precision;
    desc.isa = options->isa;
    desc.threads = options->threads;
    desc.seed = options->seed;
    desc.first_id = options->first_id;
    desc.at_end = options->at_end;
    desc.options = from->set;
    const carom_status status = carom_worlds_create(&desc, &from->worlds);
    if (status != CAROM_OK) {
        carom_die("%s: cannot create the worlds: %s", options->name, carom_status_string(status));
    }
    if (from->scene != NULL) {
        carom_scatter(from->worlds, from->scene, options->seed, options->scatter);
    }
}

source carom_source_open(const source_options *options, const char *command, bool replays)
{
    source from;
    char names[NAMES_SIZE];
    const scene_changes changes = {-1, -1};
    memset(&from, 0, sizeof from);
    from.ticks = UINT64_MAX;
    from.step = carom_step_default();
    if (options->name == NULL) {
        carom_die("which game, scene%s? (see carom %s --help)", replays ? " or replay" : "", command);
    }
    if (replays && carom_is_replay(options->name)) {
        open_replay(&from, options);
        return from;
    }
    from.game = carom_load_game(options->name);
    if (from.game == NULL) {
        from.scene = carom_load_scene(options->name, replays ? "game, scene or replay" : "game",
                                      "one that carom info lists", changes);
        from.game = carom_scene_game(from.scene);
    } else if (options->scatter > 0) {
        carom_die("--scatter: %s begins as its rules say", options->name);
    }
    from.about = carom_game_describe(from.game);
    from.set = carom_set_options(from.game, &options->settings);
    choose_policies(&from, options->workload);
    if (options->actions != NULL &&
        carom_game_find_action_kind(from.game, options->actions, &from.step.action_kind) != CAROM_OK) {
        carom_die("--actions: unknown kind of action '%s' (%s has %s)", options->actions, from.about.name,
                  carom_kind_names(from.game, names));
    }
    make_worlds(&from, options);
    return from;
}

carom_status carom_source_tick(source *from, const carom_step *wanted)
{
    carom_status status;
    if (from->replay.replay != NULL) {
        status = carom_replay_play(from->replay.replay, from->worlds, from->tick, wanted);
    } else {
        carom_step step = *wanted;
        step.ticks = 1;
        step.action_kind = from->step.action_kind;
        memcpy(step.players, from->step.players, sizeof step.players);
        status = carom_worlds_play(from->worlds, &step);
    }
    from->tick += status == CAROM_OK;
    return status;
}

void carom_source_close(source *from)
{
    carom_worlds_destroy(from->worlds);
    if (from->replay.replay != NULL) {
        carom_replay_free(&from->replay);
    }
    carom_scene_destroy(from->scene);
}
