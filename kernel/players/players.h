/* SPDX-License-Identifier: MIT
 * A player in memory, and what the files of this folder share: player.c makes players, plan.c those that search, text.c
 * reads texts, network.c has what networks do for players, referee.c turns plans into the numbers that a bot would
 * write.
 */
#ifndef CAROM_PLAYERS_PLAYERS_H
#define CAROM_PLAYERS_PLAYERS_H

#include "players/plan.h"
#include "search/search.h"

#define PLAYER_REALS 16 /* room for the reals of a field that is read */

/* Turns a normalised action of a world into the numbers that a bot's lines stand for, an action of the kind
 * `referee`. */
typedef void referee_say(const carom_worlds *worlds, size_t world, unsigned seat, const float *action, double *numbers);

struct carom_player {
    const carom_game *game;
    unsigned seat;
    size_t worlds;       /* of the batches that it plays in */
    size_t kind;         /* of its actions */
    size_t bytes;        /* of one of them */
    carom_source source; /* CAROM_POLICY, CAROM_ZERO, or CAROM_GIVEN: it searches */
    size_t policy;
    unsigned char *actions; /* [world], of the last step that it took a seat in; NULL before */

    /* Of one that searches. */
    referee_say *say; /* NULL: it acts in the kind `normalised` */
    size_t size;      /* numbers of a normalised action */
    bool turns;       /* it must turn pods before it plans: see plan.c */
    carom_search *search;
    carom_worlds *mirror; /* the worlds in f32; NULL: it searches in the worlds themselves */
    float *found;         /* [world][size] */
    void *angles;         /* [world][4], if it turns pods: the worlds' own, in their precision */

    /* Of one that has a network: of its search, or, if it does not search, whose policy it asks. */
    carom_network *network;
    struct player_policy *policy_room; /* of network.c; NULL: it searches */
};

/* Does it ask a network's policy, instead of searching? */
#ifdef CAROM_NO_NETWORKS
#define player_asks(player) 0
#else
#define player_asks(player) ((player)->policy_room != NULL)
#endif

/* How plans of this game become actions of the kind `referee`; NULL: the game has no such kind. */
referee_say *carom_referee_of(const carom_game *game);

void carom_csb_say(const carom_worlds *worlds, size_t world, unsigned seat, const float *action, double *numbers);
void carom_fantastic_bits_say(const carom_worlds *worlds, size_t world, unsigned seat, const float *action,
                              double *numbers);

/* Reads field `name` of a world, whose type is the field's, into `values`. The game must have it. */
void carom_player_read(const carom_worlds *worlds, size_t world, const char *name, void *values);

/* The same of a field of at most PLAYER_REALS reals, in whichever precision the worlds are. */
void carom_player_read_reals(const carom_worlds *worlds, size_t world, const char *name, double *values);

#endif
