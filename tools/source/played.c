/* SPDX-License-Identifier: MIT
 * What the commands that record and draw play: see played.h.
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
    COUNT("--seed S", seed, 0, UINT64_MAX, 1, "of everything that is drawn"),
    COUNT("--first-id I", first_id, 0, INT64_MAX, 0,
          "the id of the first world, $ by default: other games of the same seed"),
    TEXT("--workload NAME", workload, NULL,
         "the built-in policy that plays; NAME,NAME,... for each player. The game's first by default"),
    TEXT("--policy NAME", workload, NULL, "the same"),
    TEXT("--actions NAME", actions, NULL, "the kind of action it plays with; the game's first by default"),
    CHOICE("--at-end", at_end, carom_at_end_names, CAROM_FREEZE, "of a finished game"),
    SET,
    NUMBER("--scatter V", scatter, 0, 1e30, 0, SCATTER_HELP),
    PRECISION,
    ISA,
    THREADS,
    END};

/* All but how it is computed. */
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

/* "race", for all, or "race,ram" -> the policy of each player. */
static void choose_policies(source *from, const char *names)
{
    char one[64];
    const char *name = names;
    for (uint32_t p = 0; p < from->about.players; p++) {
        from->step.players[p].source = CAROM_POLICY;
        if (names == NULL || strchr(names, ',') == NULL) {
            name = names;
        } else if (*name == '\0' || (strchr(name, ',') == NULL) != (p + 1 == from->about.players)) {
            carom_die("--workload: '%s' does not name one for each player", names);
        }
        if (name != NULL) {
            snprintf(one, sizeof one, "%.*s", (int)strcspn(name, ","), name);
            carom_choose_policy(from->game, one, &from->step.players[p].policy);
            name += strcspn(name, ",");
            name += *name == ',';
        }
    }
}

static void open_replay(source *from, const played_options *options)
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
    choose_policies(&from, options->workload);
    if (options->actions != NULL) {
        carom_choose_actions(from.game, options->actions, &from.step.action_kind);
    }
    make_worlds(&from, options);
    return from;
}

carom_status carom_played_tick(source *from, const carom_step *wanted)
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

void carom_played_close(source *from)
{
    carom_worlds_destroy(from->worlds);
    if (from->replay.replay != NULL) {
        carom_replay_free(&from->replay);
    }
    carom_scene_destroy(from->scene);
}
