/* SPDX-License-Identifier: MIT
 * What the commands that record and draw play: a game with built-in policies, a scene from a file, or a replay.
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
    size_t people; /* the first so many players are played by people: `workload` is of the others */
    bool changed;  /* something was asked that a replay has settled: carom_played_changed() */
} played_options;

extern const argument_row carom_played_rows[];
bool carom_played_changed(const arguments *args);

/* A player who searches. */
typedef struct source_planner {
    plan_options options;
    carom_player *planner;  /* NULL: this player does not search */
    unsigned char *actions; /* [world]: what it does in the next tick, once it has searched */
} source_planner;

typedef struct source {
    const carom_game *game;
    carom_scene *scene; /* of its own; NULL if it is a game's or a replay's */
    carom_game_info about;
    const void *set; /* the game's options, or NULL */
    carom_worlds *worlds;
    carom_step step; /* who plays; a tick of it */
    source_planner planned[CAROM_MAX_PLAYERS];
    char *names[CAROM_MAX_PLAYERS]; /* who plays, as it was asked for; NULL: not known */
    bool plans;           /* somebody searches: ticks are played one by one, each after carom_played_think() */
    bool thought;         /* it has been called for the next tick */
    replay_reader replay; /* .replay is NULL if it is none */
    uint64_t tick;        /* played */
    uint64_t ticks;       /* of a replay; else UINT64_MAX */
} source;

/* Dies if there is something wrong with it. Replays are taken only if `replays` is true. */
source carom_played_open(const played_options *options, bool replays);

/* Lets those who search do so from the worlds as they are, once a tick: the step then plays what they found. Whoever
 * plays a tick by the step sets `thought` to false. */
void carom_played_think(source *from);

/* Plays one tick; of `wanted` the outputs are taken. */
carom_status carom_played_tick(source *from, const carom_step *wanted);

void carom_played_close(source *from);

#endif
