/* SPDX-License-Identifier: MIT
 * `carom tune`: a run, its state, and the step from the games of a generation, played in one process or several, to the
 * next.
 */
#ifndef CAROM_TOOLS_ARENA_TUNE_H
#define CAROM_TOOLS_ARENA_TUNE_H

#include "arena.h"

#define TUNE_CANDIDATES (ARENA_SIDES - 1)
#define TUNE_LINE 192

#define TUNE_NUMBERS 16 /* the most in a program's command */

typedef enum tune_method { TUNE_CEM, TUNE_SPSA } tune_method;

/* A program whose command has numbers to tune: tune_bot.h. */
typedef struct tune_bot_options {
    const char *command; /* with {NAME} in it; NULL: a planner's weights are tuned */
    const char *against; /* the other side; NULL: the program itself */
    const char *ranges[TUNE_NUMBERS], *starts[TUNE_NUMBERS];
    size_t range_count, start_count;
    uint64_t budget; /* games */
    tune_method method;
    arena_language language;
    double ms, first_ms;
} tune_bot_options;

typedef struct tune_options {
    const carom_game *game;
    const char *name;
    game_settings settings;
    const void *set;          /* the game's options, or NULL */
    const char *plan, *state; /* of the planner; the file */
    uint64_t seed, games, generations;
    size_t population, elites;
    double spread;
    unsigned threads;
    tune_bot_options bot;
    bool in_parts; /* plays a part of one generation and reports the points */
    shard_options share;
} tune_options;

/* What is kept between generations. */
typedef struct tune_state {
    uint64_t generation; /* completed ones */
    size_t weights;
    double mean[PLAN_WEIGHTS], spread[PLAN_WEIGHTS]; /* logarithms of the weights' sizes; their deviations */
} tune_state;

/* Results of the games of a generation, or of a part of them. */
typedef struct tune_points {
    uint64_t of[TUNE_CANDIDATES]; /* two for a win against the weights so far, one for a draw */
    uint64_t digest;
} tune_points;

/* A normal number, for weight `weight` of a candidate. */
double carom_tune_normal(uint64_t seed, uint64_t generation, size_t candidate, size_t weight);

/* Advances to the next generation by all games of this one; writes to `line` what to print on stdout after saving. */
void carom_tune_improve(const tune_options *options, tune_state *s, const tune_points *points, char line[TUNE_LINE]);

/* Writes the file options->state, if that is not NULL. */
void carom_tune_save(const tune_options *options, const tune_state *s);

#endif
