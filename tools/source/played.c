/* SPDX-License-Identifier: MIT
 * The source of the commands that record and draw: see played.h.
 */
#include "played.h"

#include "gas_file.h"
#include "scene_file.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORLDS (1 << 20)

#define OPTIONS played_options
const argument_row carom_played_rows[] = {
    COUNT("--worlds N", worlds, 1, MOST_WORLDS, 1, "worlds"),
    COUNT("--seed S", seed, 0, UINT64_MAX, 1, "for all random numbers"),
    COUNT("--first-id I", first_id, 0, INT64_MAX, 0,
          "the id of the first world, $ by default: another id gives other games of the same seed"),
    TEXT("--workload NAME", workload, NULL,
         "a built-in policy, or a planner with its keys, cem:rollouts=1000,horizon=8 (carom bot --help); "
         "NAME,NAME,... for each player. The game's first policy by default"),
    TEXT("--policy NAME", workload, NULL, "the same"),
    TEXT("--actions NAME", actions, NULL, "the kind of action it plays with; the game's first by default"),
    CHOICE("--at-end", at_end, carom_at_end_names, CAROM_FREEZE, "when a game has finished"),
    SET,
    NUMBER("--scatter V", scatter, 0, 1e30, 0, SCATTER_HELP),
    PRECISION,
    ISA,
    THREADS,
    END};

/* All options except those of the computation. */
bool carom_played_changed(const arguments *args)
{
    bool changed = false;
    for (const argument_row *row = carom_played_rows; row->text != NULL; row++) {
        const bool free = row->at == offsetof(played_options, isa) || row->at == offsetof(played_options, threads) ||
                          row->call == carom_take_affinity;
        changed = changed || (!free && carom_was_given(args, row->text));
    }
    return changed;
}

/* Bytes of the first name of a list: "race,ram", or "cem:rollouts=1000,horizon=8,race", where keys belong to the
 * planner before them. */
static size_t name_length(const char *names)
{
    size_t length = strcspn(names, ",");
    while (names[length] == ',') {
        const char *next = names + length + 1;
        const size_t more = strcspn(next, ",");
        if (memchr(next, '=', more) == NULL || carom_plan_is_planner(next)) {
            break;
        }
        length += 1 + more;
    }
    return length;
}

/* A planner for a player, created once there are worlds. */
static void choose_planner(source *from, const char *text, uint32_t player)
{
    carom_action_kind kind;
    from->planned[player].options = carom_plan_parse(from->game, text);
    from->planned[player].options.search.cancel = &carom_interrupt;
    carom_plan_allow(&from->planned[player].options, from->set);
    const size_t plans = from->planned[player].options.search.action_kind;
    if (carom_game_action_kind(from->game, plans, &kind) != CAROM_OK || kind.size == 0) {
        carom_die("--workload: no player acts in %s, so %s has nothing to plan", from->about.name, text);
    }
    from->step.players[player].source = CAROM_GIVEN;
    from->plans = true;
}

static char *copy_name(const char *name)
{
    const size_t size = strlen(name) + 1;
    char *copy = carom_allocate(size, 1);
    memcpy(copy, name, size);
    return copy;
}

/* Parses "race", for all, or "race,ram", for each player not played by a person. */
static void choose_players(source *from, const played_options *options)
{
    char one[1024];
    const char *names = options->workload, *name = names;
    const bool each = names != NULL && names[name_length(names)] == ',';
    for (uint32_t p = (uint32_t)options->people; p < from->about.players; p++) {
        from->step.players[p].source = CAROM_POLICY;
        if (!each) {
            name = names;
        } else if (*name == '\0' || (name[name_length(name)] == '\0') != (p + 1 == from->about.players)) {
            carom_die("--workload: '%s' does not have a name for each player", names);
        }
        if (name == NULL) {
            const char *first = carom_game_policy_name(from->game, 0);
            from->names[p] = first != NULL ? copy_name(first) : NULL;
            continue;
        }
        const size_t length = name_length(name);
        if (length >= sizeof one) {
            carom_die("--workload: the name '%.60s...' is too long", name);
        }
        snprintf(one, sizeof one, "%.*s", (int)length, name);
        from->names[p] = copy_name(one);
        if (carom_plan_is_planner(one)) {
            choose_planner(from, one, p);
        } else {
            carom_choose_policy(from->game, one, &from->step.players[p].policy);
        }
        name += length;
        name += *name == ',';
    }
}

/* Creates the planners, once there are worlds. They have their own kind of action. */
static void make_planners(source *from)
{
    carom_action_kind kind;
    const size_t kinds = from->plans ? carom_player_kind(from->game) : 0, worlds = carom_worlds_count(from->worlds);
    for (uint32_t p = 0; p < from->about.players && from->plans; p++) {
        source_planner *planned = &from->planned[p];
        if (from->step.players[p].source != CAROM_GIVEN || planned->options.search.size == 0) {
            continue;
        }
        carom_demand(carom_game_action_kind(from->game, kinds, &kind), "find the kind of action");
        planned->planner = carom_planner_create(from->worlds, &planned->options, p);
        planned->actions = carom_allocate(worlds * kind.size, kind.precision / 8);
        from->step.players[p].actions = planned->actions;
        from->step.players[p].action_kind = kinds;
    }
}

static void open_replay(source *from, const played_options *options)
{
    from->replay = carom_replay_read(options->name);
    if (options->changed) {
        carom_die("%s is a replay, which fixes this option", options->name);
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

static void make_worlds(source *from, const played_options *options)
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

source carom_played_open(const played_options *options, bool replays)
{
    source from;
    const scene_changes changes = {-1, -1};
    memset(&from, 0, sizeof from);
    from.ticks = UINT64_MAX;
    from.step = carom_step_default();
    if (replays && carom_is_replay(options->name)) {
        open_replay(&from, options);
        return from;
    }
    const bool is_gas = strcmp(options->name, "gas") == 0;
    if (is_gas) {
        from.scene = carom_load_gas(&options->settings, options->seed, options->precision);
        from.game = carom_scene_game(from.scene);
    } else {
        from.game = carom_load_played(options->name, replays ? "game, scene or replay" : "game", changes, &from.scene);
    }
    if (from.scene == NULL && options->scatter > 0) {
        carom_die("--scatter: %s begins as its rules say", options->name);
    }
    from.about = carom_game_describe(from.game);
    from.set = is_gas ? NULL : carom_set_options(from.game, &options->settings);
    choose_players(&from, options);
    if (options->actions != NULL) {
        carom_choose_actions(from.game, options->actions, &from.step.action_kind);
    } else if (from.plans) {
        from.step.action_kind = carom_player_kind(from.game);
    }
    make_worlds(&from, options);
    make_planners(&from);
    return from;
}

void carom_played_think(source *from)
{
    carom_action_kind kind;
    for (uint32_t p = 0; p < from->about.players && from->plans && !from->thought; p++) {
        source_planner *planned = &from->planned[p];
        if (planned->planner != NULL) {
            carom_demand(carom_game_action_kind(from->game, from->step.players[p].action_kind, &kind), "plan");
            carom_planner_act(planned->planner, from->worlds, planned->actions,
                              (size_t)kind.size * (kind.precision / 8));
        }
    }
    from->thought = true;
}

carom_status carom_played_tick(source *from, const carom_step *wanted)
{
    carom_status status;
    if (from->replay.replay != NULL) {
        status = carom_replay_play(from->replay.replay, from->worlds, from->tick, wanted);
    } else {
        carom_step step = *wanted;
        carom_played_think(from);
        step.ticks = 1;
        step.action_kind = from->step.action_kind;
        memcpy(step.players, from->step.players, sizeof step.players);
        status = carom_worlds_play(from->worlds, &step);
    }
    from->thought = false;
    from->tick += status == CAROM_OK;
    return status;
}

void carom_played_close(source *from)
{
    for (uint32_t p = 0; p < CAROM_MAX_PLAYERS; p++) {
        carom_player_destroy(from->planned[p].planner);
        free(from->planned[p].actions);
        free(from->names[p]);
    }
    carom_worlds_destroy(from->worlds);
    if (from->replay.replay != NULL) {
        carom_replay_free(&from->replay);
    }
    carom_scene_destroy(from->scene);
}
