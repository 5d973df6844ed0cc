/* SPDX-License-Identifier: MIT
 * What a bot knows of its game: reads what the referee tells, and keeps a world in the state that the game must be in,
 * with what is not told.
 *
 * Its own side is known: its commands are its own. What the other side commanded is guessed, from what it has come to:
 * many guesses are played for a tick, side by side, and the one that comes nearest to what is seen is what happened.
 */
#ifndef CAROM_TOOLS_BOT_TRACK_H
#define CAROM_TOOLS_BOT_TRACK_H

#include "protocol.h"

#include <stdio.h>

typedef struct tracker tracker;

/* Of a game that bots can play. `options` are the game's, or NULL; what the referee tells goes before. They stay the
 * caller's until the first turn. Dies if there is no memory. */
tracker *carom_track_create(const char *game, const void *options);
void carom_track_destroy(tracker *tracked);

/* Reads what the referee tells before the first turn. False at the end of the input; dies if it cannot be read. */
bool carom_track_begin(tracker *tracked, FILE *input);

/* Reads a turn. Likewise. */
bool carom_track_turn(tracker *tracked, FILE *input);

/* Says what this side commands in the turn that was read last: numbers of the kind `referee`, line after line. */
void carom_track_answer(tracker *tracked, const double *numbers);

/* The state after the last turn that was read. One world; its players are the game's own: see the next function. What
 * the tracker does not own must not change it. */
const carom_worlds *carom_track_world(const tracker *tracked);

/* Which player this side is. csb does not say: it is seen by the places at the start; 0 if they are unknown. */
unsigned carom_track_player(const tracker *tracked);

/* ---- for the games' own trackers ---- */

struct tracker {
    const struct track_game *how;
    const carom_game *game;
    const void *options;
    size_t referee;      /* the kind of action */
    carom_worlds *world; /* NULL before the first turn */
    carom_worlds *trials;
    unsigned player;
    uint32_t turn;                                    /* turns read */
    double answer[PROTOCOL_LINES * PROTOCOL_NUMBERS]; /* what this side commands now */
    void *own;                                        /* the game's */
};

typedef struct track_game {
    const char *game;
    bool (*begin)(tracker *tracked, FILE *input);
    bool (*turn)(tracker *tracked, FILE *input);
    void (*free)(tracker *tracked); /* what `own` holds */
} track_game;

extern const track_game carom_track_csb;
extern const track_game carom_track_fantastic_bits;

#define TRACK_LINE 256

/* A line without its end; false at the end of the input. Dies if it is longer than a referee's lines are. */
bool carom_track_line(FILE *input, char line[TRACK_LINE]);

/* Reads exactly `count` numbers from a line, or dies. */
void carom_track_numbers(const char *line, size_t count, double *numbers);

_Noreturn void carom_track_refuse(const char *line);

/* Makes the world (and `trials` more) from desc, whose game, count and the like are set here. */
void carom_track_make(tracker *tracked, const void *options, size_t trials);

/* Field `name` of worlds [0, count). Both die on an error, which would be one of the tracker's. */
void carom_track_get(const carom_worlds *worlds, const char *name, size_t count, void *values);
void carom_track_set(carom_worlds *worlds, const char *name, size_t count, const void *values);

/* One tick of `worlds`, with actions of the kind `referee`: [world][player][number]. */
void carom_track_play(const tracker *tracked, carom_worlds *worlds, const double *actions);

#endif
