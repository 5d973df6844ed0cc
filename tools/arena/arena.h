/* SPDX-License-Identifier: MIT
 * `carom arena`: options and results.
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

/* A side: "carom:POLICY", "carom:PLANNER:KEYS", or a shell command. See seats.h for its seats. */
typedef struct arena_side {
    const char *text;    /* as given */
    const char *command; /* NULL: built in */
    bool zero;           /* built in: all its numbers are 0 */
    bool searches;       /* built in: searches, with `plan`; else it is a policy */
    plan_options plan;
    size_t policy;
} arena_side;

typedef enum arena_language {
    ARENA_CONTEST, /* the contest's own protocol in games that have one (protocol.h), else Carom's lines */
    ARENA_LINES    /* Carom's lines in every game (lines.h) */
} arena_language;

typedef struct arena_options {
    const carom_game *game;
    carom_scene *scene; /* NULL if the game is not a scene */
    const char *name;   /* of the game or its file */
    game_settings settings;
    const void *set;               /* the game's options, or NULL */
    arena_side sides[ARENA_SIDES]; /* only texts until the game is loaded */
    size_t side_count;
    bool gauntlet;   /* the first side plays all others, which do not play each other */
    uint64_t games;  /* of every pair of sides; a multiple of `rounds` */
    unsigned rounds; /* games of a start: seats.h */
    uint64_t seed, first;
    shard_options share;
    uint64_t begin, end; /* starts of this shard, of games / rounds */
    unsigned concurrency;
    double ms, first_ms, patience; /* limits of an answer and of the first one, in ms; of silence, in s */
    bool late_plays;               /* late answers are only counted */
    bool scores;                   /* protocol.h */
    arena_language language;       /* of programs */
    const char *observation_name;  /* the kind in Carom's lines; NULL: the first one */
    size_t observation;
    bool show_errors;
    double sprt[2]; /* Elo of the two hypotheses; both 0: no test */
    const char *results_name;
    char *results;            /* file with a line for each game; NULL: none */
    const char *ladder, *add; /* ladder.h; NULL: none */
    const char *state_name;
    char *state;     /* file with the progress of a long run; NULL: none */
    uint64_t played; /* of a piece, for the progress bar: games of the run before it; starts of the whole run */
    uint64_t whole;
    const char *record; /* folder for a replay of every game; NULL: none */
    carom_isa isa;
    unsigned threads;
    bool json;
} arena_options;

/* How a side behaved; all 0 for built-in sides, except the search time of those with a budget in time. */
typedef struct arena_conduct {
    uint64_t answers;
    double seconds, slowest; /* of the answers: sum and maximum */
    uint64_t troubles[TROUBLES];
    uint64_t first; /* the game with the first trouble; UINT64_MAX: none */
    char why[160];  /* the first trouble, in words */
} arena_conduct;

/* Results of the games of sides a and b, a < b. */
typedef struct arena_pairing {
    size_t sides[2];
    uint64_t games; /* played to their end */
    uint64_t wins[2], draws;
    uint64_t faults; /* games undecided because the referee's world has a fault; counted as draws */
    uint64_t digest; /* the sum of carom_worlds_digest() over the games */
    arena_conduct conduct[2];
} arena_pairing;

typedef struct arena_record arena_record; /* of a single game: results.h */

typedef struct arena_result {
    arena_pairing *pairings; /* (0, 1), (0, 2), ..., (1, 2), ...; of a gauntlet those with side 0 only */
    size_t pairing_count;
    bool keeps;            /* keep games as records instead of counting them */
    arena_record *records; /* sorted by game */
    size_t record_count, record_room;
    arena_sprt sprt; /* of the only pairing, if it is tested */
    double seconds;
    bool interrupted;
} arena_result;

/* Loads the game options->name; dies if there is none. */
void carom_arena_load(arena_options *options);

/* Parses a side of the options' game; dies if the text is invalid. */
arena_side carom_arena_side(const arena_options *options, const char *text);

size_t carom_arena_pairings(const arena_options *options);

/* Initialises the results. The caller frees result->pairings. */
void carom_arena_begin(const arena_options *options, arena_result *result);

/* Plays all games and draws the progress bar. The caller frees result->pairings and ->records. */
void carom_arena_play(const arena_options *options, arena_result *result);

/* The same in pieces. After each piece counts its games and writes options->results and options->state; continues from
 * the state if there is one. A piece that is interrupted does not count. Dies if the state is of another run. */
void carom_arena_play_on(const arena_options *options, arena_result *result);

/* Writes all options that identify a run. run: the arena_options. */
void carom_arena_write_run(FILE *file, const void *run);

/* The progress of a run. */
typedef struct arena_progress {
    uint64_t done;  /* starts */
    uint64_t bytes; /* of the file of results */
} arena_progress;

/* Saves the results of a run after a piece. */
typedef void (*arena_keep)(const arena_options *options, const arena_progress *at, const arena_result *result,
                           void *user);

/* The same from *at on, with the results so far in *result. */
void carom_arena_go_on(const arena_options *options, arena_result *result, arena_progress *at, arena_keep keep,
                       void *user);

/* Whether a sequential test compares the sides. */
static inline bool carom_arena_tests(const arena_options *options)
{
    return options->sprt[0] != options->sprt[1];
}

/* Counts a game that was kept as a record. */
void carom_arena_count(arena_pairing *pairing, const arena_record *record);

/* In a game of one player: the side that did better, or -1. guilty: sides that lost by their behaviour. */
int carom_arena_better(const arena_record *record, const bool guilty[2]);

void carom_arena_add_conduct(arena_conduct *sum, const arena_conduct *part);

void carom_arena_report(const arena_options *options, const arena_result *result);

#endif
