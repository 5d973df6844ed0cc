/* SPDX-License-Identifier: MIT
 * How single games of an arena went, and the file that tells it, one JSON line for each.
 */
#ifndef CAROM_TOOLS_ARENA_RESULTS_H
#define CAROM_TOOLS_ARENA_RESULTS_H

#include "arena.h"

/* A player's answers in a game. */
typedef struct arena_answers {
    double *seconds; /* of each */
    size_t count, room;
    char error[200];       /* the last line that it wrote to its standard error; "" if there is none */
    trouble trouble;       /* TROUBLE_NONE, or the first */
    int32_t turn;          /* of the trouble */
    char why[160];         /* likewise */
    arena_conduct conduct; /* the same, summed up */
} arena_answers;

/* How a seat fared. In a game of one player there is one for each side. */
typedef struct arena_seat {
    unsigned side; /* 0 or 1 of the pairing */
    uint32_t ticks;
    int32_t score;  /* carom_result.score */
    double returns; /* the sum of its rewards */
} arena_seat;

/* A game that is over. */
typedef struct arena_record {
    size_t pairing;  /* its place in the result's list */
    uint64_t number; /* start * rounds + round */
    unsigned seat_count;
    arena_seat seats[CAROM_MAX_PLAYERS];
    int winner;        /* a side, 0 or 1; -1: a draw */
    int winner_seat;   /* -1: nobody, or the game has one player */
    bool fault, ended; /* ended: by its rules, not by a program's trouble; only then are scores and ticks known */
    uint64_t digest;
    arena_conduct conduct[2]; /* of the sides */
    char *line;               /* its JSON; NULL: not asked for */
} arena_record;

/* Begins the answers of a game. */
arena_answers carom_answers_begin(void);

/* Notes one. All are kept if `all`, else only their sum. */
void carom_answers_add(arena_answers *answers, double seconds, bool all);

/* The JSON line of a record, with what its seats answered: [seat_count]. To be freed. */
char *carom_results_line(const arena_options *options, const arena_pairing *pairing, const arena_record *record,
                         const arena_answers *answers);

/* Sorts records by game, then by pairing. */
void carom_results_sort(arena_record *records, size_t count);

/* Opens the file options->results to go on behind its first `bytes` bytes; those that follow are removed. Dies if it is
 * shorter, or cannot be written. */
FILE *carom_results_open(const arena_options *options, uint64_t bytes);

/* Appends the lines; returns the bytes of the file, which are on the disk then. Dies if they cannot be written. */
uint64_t carom_results_write(FILE *file, const arena_options *options, const arena_record *records, size_t count);

#endif
