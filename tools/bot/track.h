/* SPDX-License-Identifier: MIT
 * Tracking a game from a bot's point of view: reads the referee's input, and keeps a world in the state that the game
 * must be in, including what the referee does not reveal.
 *
 * The commands of the bot's own side are known. Those of the other side are guessed from their effect: many guesses are
 * played for a tick, side by side, and the one nearest to what is seen is taken as what happened.
 */
#ifndef CAROM_TOOLS_BOT_TRACK_H
#define CAROM_TOOLS_BOT_TRACK_H

#include "protocol.h"

#include <stdio.h>

typedef struct tracker tracker;

/* Creates a tracker for a game that bots can play. `options` are the game's, or NULL; the referee's input has
 * precedence. They must remain valid until the first turn. Dies if out of memory. */
tracker *carom_track_create(const char *game, const void *options);
void carom_track_destroy(tracker *tracked);

/* Reads the referee's input before the first turn. False at the end of the input; dies if it is invalid. */
bool carom_track_begin(tracker *tracked, FILE *input);

/* Reads a turn, likewise. */
bool carom_track_turn(tracker *tracked, FILE *input);

/* Tells the tracker this side's commands in the turn read last: numbers of the kind `referee`, line after line. */
void carom_track_answer(tracker *tracked, const double *numbers);

/* The state after the last turn read: one world, with players numbered as in the game (see the next function). Callers
 * must not change it. */
const carom_worlds *carom_track_world(const tracker *tracked);

/* The player that this side is. In csb it follows from the positions at the start; 0 if they are unknown. */
unsigned carom_track_player(const tracker *tracked);

/* ---- for the trackers of the games ---- */

struct tracker {
    const struct track_game *how;
    const carom_game *game;
    const void *options;
    size_t referee;      /* the kind of action */
    carom_worlds *world; /* NULL before the first turn */
    carom_worlds *trials;
    unsigned player;
    uint32_t turn;                                    /* turns read */
    double answer[PROTOCOL_LINES * PROTOCOL_NUMBERS]; /* this side's current commands */
    void *own;                                        /* the state of the game's tracker */
};

typedef struct track_game {
    const char *game;
    bool (*begin)(tracker *tracked, FILE *input);
    bool (*turn)(tracker *tracked, FILE *input);
    void (*free)(tracker *tracked); /* the contents of `own` */
} track_game;

extern const track_game carom_track_csb;
extern const track_game carom_track_fantastic_bits;

#define TRACK_LINE 256

/* Reads a line without its end; false at the end of the input. Dies if it is longer than any line of a referee. */
bool carom_track_line(FILE *input, char line[TRACK_LINE]);

/* Reads exactly `count` numbers from a line, or dies. */
void carom_track_numbers(const char *line, size_t count, double *numbers);

_Noreturn void carom_track_refuse(const char *line);

/* Creates the world, and `trials` more, from desc; sets the game, count and so on in it. */
void carom_track_make(tracker *tracked, const void *options, size_t trials);

/* Field `name` of worlds [0, count). Both die on an error, which would be a bug in the tracker. */
void carom_track_get(const carom_worlds *worlds, const char *name, size_t count, void *values);
void carom_track_set(carom_worlds *worlds, const char *name, size_t count, const void *values);

/* One tick of `worlds`, with actions of the kind `referee`: [world][player][number]. */
void carom_track_play(const tracker *tracked, carom_worlds *worlds, const double *actions);

#endif
