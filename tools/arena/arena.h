/* SPDX-License-Identifier: MIT
 * `carom arena`: what was asked for, and what came out of it.
 */
#ifndef CAROM_TOOLS_ARENA_ARENA_H
#define CAROM_TOOLS_ARENA_ARENA_H

#include "../bot/plan.h"
#include "../command/shard.h"
#include "../source/game_file.h"
#include "program.h"
#include "ratings.h"
#include "sprt.h"

#include <carom/scene.h>

#define ARENA_SIDES 64

/* Who plays: "carom:POLICY", "carom:PLANNER:KEYS", or a command of the shell. seats.h says which seats a side has. */
typedef struct arena_side {
    const char *text;    /* as it was given */
    const char *command; /* NULL: built in */
    bool zero;           /* built in: all its numbers are 0 */
    bool searches;       /* built in: it searches, by `plan`; else it is a policy */
    plan_options plan;
    size_t policy;
} arena_side;

typedef enum arena_language {
    ARENA_CONTEST, /* the contest's own protocol in games that have one (protocol.h), else Carom's lines */
    ARENA_LINES    /* Carom's lines in every game (lines.h) */
} arena_language;

typedef struct arena_options {
    const carom_game *game;
    carom_scene *scene; /* if it is one; else NULL */
    const char *name;   /* of the game, or a file's */
    game_settings settings;
    const void *set;               /* the game's options, or NULL */
    arena_side sides[ARENA_SIDES]; /* before the game is known they are texts only */
    size_t side_count;
    bool gauntlet;   /* the first side plays all others, and they not each other */
    uint64_t games;  /* of every pair of sides; a multiple of `rounds` */
    unsigned rounds; /* games of a start: seats.h */
    uint64_t seed, first;
    shard_options share;
    uint64_t begin, end; /* starts of this shard, of games / rounds */
    unsigned concurrency;
    double ms, first_ms, patience; /* when an answer is late, and the first one, in ms; silence, in s */
    bool late_plays;               /* a late answer is only counted */
    bool scores;                   /* protocol.h */
    arena_language language;       /* that programs speak */
    const char *observation_name;  /* of the kind that they see in Carom's lines; NULL: the first one */
    size_t observation;
    bool show_errors;
    double sprt[2]; /* Elo of the two hypotheses; both 0: no test */
    const char *results_name;
    char *results;            /* file with a line for each game; NULL: none */
    const char *ladder, *add; /* ladder.h; NULL: none */
    const char *state_name;
    char *state;     /* file in which a long run keeps how far it has come; NULL: none */
    uint64_t played; /* of a piece, for the progress bar: games of the run before it; starts of the whole run */
    uint64_t whole;
    const char *record; /* folder for a replay of every game; NULL: none */
    carom_isa isa;
    unsigned threads;
    bool json;
} arena_options;

/* How a side behaved; all 0 for one that is built in, but for how long it searches where that is its budget. */
typedef struct arena_conduct {
    uint64_t answers;
    double seconds, slowest; /* of the answers: their sum, the longest */
    uint64_t troubles[TROUBLES];
    uint64_t first; /* the number of the game with the first trouble; UINT64_MAX: none */
    char why[160];  /* and what it was */
} arena_conduct;

/* What came out of the games of sides a and b, a < b. */
typedef struct arena_pairing {
    size_t sides[2];
    uint64_t games; /* played to their end */
    uint64_t wins[2], draws;
    uint64_t faults; /* games that the referee could not decide, for its world has a fault; counted as draws */
    uint64_t digest; /* the sum of carom_worlds_digest() over the games */
    arena_conduct conduct[2];
} arena_pairing;

typedef struct arena_record arena_record; /* how a single game went: results.h */

typedef struct arena_result {
    arena_pairing *pairings; /* (0, 1), (0, 2), ..., (1, 2), ...; of a gauntlet those with side 0 only */
    size_t pairing_count;
    bool keeps;            /* games are kept as records, and not counted yet */
    arena_record *records; /* sorted by game */
    size_t record_count, record_room;
    arena_sprt sprt; /* of the only pairing, if it is tested */
    double seconds;
    bool interrupted;
} arena_result;

/* Finds the game of options->name; dies if there is none. */
void carom_arena_load(arena_options *options);

/* The side of a text, of the options' game; dies if it is none. */
arena_side carom_arena_side(const arena_options *options, const char *text);

size_t carom_arena_pairings(const arena_options *options);

/* Results before the first game. result->pairings is to be freed. */
void carom_arena_begin(const arena_options *options, arena_result *result);

/* Plays all games; draws the progress bar. result->pairings and ->records are to be freed. */
void carom_arena_play(const arena_options *options, arena_result *result);

/* The same in pieces. After each of them the games are counted, options->results and options->state are written; the
 * run begins where the state ends. What is interrupted in the middle of a piece has not been played. Dies if the state
 * is of another run. */
void carom_arena_play_on(const arena_options *options, arena_result *result);

/* How far a run has come. */
typedef struct arena_progress {
    uint64_t done;  /* starts */
    uint64_t bytes; /* of the file of results */
} arena_progress;

/* Keeps what a run has come to, after a piece. */
typedef void (*arena_keep)(const arena_options *options, const arena_progress *at, const arena_result *result,
                           void *user);

/* The same from where *at is, with what has been counted so far in *result. */
void carom_arena_go_on(const arena_options *options, arena_result *result, arena_progress *at, arena_keep keep,
                       void *user);

/* Are the sides compared by a sequential test? */
static inline bool carom_arena_tests(const arena_options *options)
{
    return options->sprt[0] != options->sprt[1];
}

/* Counts a game that was kept. */
void carom_arena_count(arena_pairing *pairing, const arena_record *record);

/* Of a game of one player: the side that did better, or -1. guilty: it lost by what it did. */
int carom_arena_better(const arena_record *record, const bool guilty[2]);

void carom_arena_add_conduct(arena_conduct *sum, const arena_conduct *part);

void carom_arena_report(const arena_options *options, const arena_result *result);

#endif
