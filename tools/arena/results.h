/* SPDX-License-Identifier: MIT
 * Results of single games of an arena, and their file with a JSON line for each.
 */
#ifndef CAROM_TOOLS_ARENA_RESULTS_H
#define CAROM_TOOLS_ARENA_RESULTS_H

#include "arena.h"

/* A player's answers in a game. */
typedef struct arena_answers {
    double *seconds; /* of each */
    size_t count, room;
    char error[200];       /* the last line of its standard error; "" if there is none */
    trouble trouble;       /* TROUBLE_NONE, or the first */
    int32_t turn;          /* of the trouble */
    char why[160];         /* likewise */
    arena_conduct conduct; /* the same, as sums */
} arena_answers;

/* The result of a seat. A game of one player has one for each side. */
typedef struct arena_seat {
    unsigned side; /* 0 or 1 of the pairing */
    uint32_t ticks;
    int32_t score;  /* carom_result.score */
    double returns; /* the sum of its rewards */
} arena_seat;

/* A finished game. */
typedef struct arena_record {
    size_t pairing;  /* its index in the result's list */
    uint64_t number; /* start * rounds + round */
    unsigned seat_count;
    arena_seat seats[CAROM_MAX_PLAYERS];
    int winner;        /* a side, 0 or 1; -1: a draw */
    int winner_seat;   /* -1: a draw, or the game has one player */
    bool fault, ended; /* ended: by its rules, not by a program's trouble; otherwise scores and ticks are unknown */
    uint64_t digest;
    arena_conduct conduct[2]; /* of the sides */
    char *line;               /* its JSON; NULL: not needed */
} arena_record;

/* The answers of a game before its first turn. */
arena_answers carom_answers_begin(void);

/* Adds an answer. Keeps all if `all`, else only their sum. */
void carom_answers_add(arena_answers *answers, double seconds, bool all);

/* The JSON line of a record, with the answers of its seats: [seat_count]. The caller frees it. */
char *carom_results_line(const arena_options *options, const arena_pairing *pairing, const arena_record *record,
                         const arena_answers *answers);

/* Sorts records by game, then by pairing. */
void carom_results_sort(arena_record *records, size_t count);

/* Opens the file options->results for appending after its first `bytes` bytes; truncates the rest. Dies if it is
 * shorter or cannot be written. */
FILE *carom_results_open(const arena_options *options, uint64_t bytes);

/* Appends the lines and syncs the file to disk; returns its size in bytes. Dies if the lines cannot be written. */
uint64_t carom_results_write(FILE *file, const arena_options *options, const arena_record *records, size_t count);

#endif
