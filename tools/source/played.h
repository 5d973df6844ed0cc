/* SPDX-License-Identifier: MIT
 * The source of the commands that record and draw: a game with built-in policies, a scene from a file, or a replay.
 */
#ifndef CAROM_TOOLS_SOURCE_PLAYED_H
#define CAROM_TOOLS_SOURCE_PLAYED_H

#include "../bot/plan.h"
#include "../film/replay_file.h"
#include "game_file.h"

typedef struct played_options {
    const char *name; /* a game, a scene's file, or a replay */
    const char *workload, *actions;
    size_t worlds;
    uint64_t seed, first_id;
    double scatter;
    carom_precision precision;
    carom_isa isa;
    unsigned threads;
    carom_at_end at_end;
    game_settings settings;
    size_t people; /* how many players, from the first on, are played by people; `workload` is for the others */
    bool changed;  /* an option was given that a replay fixes: carom_played_changed() */
} played_options;

extern const argument_row carom_played_rows[];
bool carom_played_changed(const arguments *args);

/* A planner. */
typedef struct source_planner {
    plan_options options;
    carom_player *planner;  /* NULL: this player is not a planner */
    unsigned char *actions; /* [world]: its actions in the next tick, after its search */
} source_planner;

typedef struct source {
    const carom_game *game;
    carom_scene *scene; /* owned; NULL for a game or a replay */
    carom_game_info about;
    const void *set; /* the game's options, or NULL */
    carom_worlds *worlds;
    carom_step step; /* the players, for one tick */
    source_planner planned[CAROM_MAX_PLAYERS];
    char *names[CAROM_MAX_PLAYERS]; /* the players as given; NULL: unknown */
    bool plans;           /* there is a planner: ticks are played one by one, each after carom_played_think() */
    bool thought;         /* carom_played_think() has been called for the next tick */
    replay_reader replay; /* .replay is NULL if it is not a replay */
    uint64_t tick;        /* played */
    uint64_t ticks;       /* of a replay; else UINT64_MAX */
} source;

/* Dies if the source is invalid. Replays are accepted only if `replays` is true. */
source carom_played_open(const played_options *options, bool replays);

/* Lets the planners search from the current worlds, once a tick: the step then plays their actions. After playing a
 * tick by the step, set `thought` to false. */
void carom_played_think(source *from);

/* Plays one tick, with the outputs of `wanted`. */
carom_status carom_played_tick(source *from, const carom_step *wanted);

void carom_played_close(source *from);

#endif
