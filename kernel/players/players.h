/* SPDX-License-Identifier: MIT
 * A player, and what the files of this folder share: player.c creates players, plan.c those that search, text.c parses
 * their texts, network.c uses networks, referee.c turns plans into the numbers that a bot would write.
 */
#ifndef CAROM_PLAYERS_PLAYERS_H
#define CAROM_PLAYERS_PLAYERS_H

#include "players/plan.h"
#include "search/search.h"

#define PLAYER_REALS 16 /* the most reals of a field that is read */

/* Turns a normalised action of a world into the numbers of a bot's lines, an action of the kind `referee`. */
typedef void referee_say(const carom_worlds *worlds, size_t world, unsigned seat, const float *action, double *numbers);

struct carom_player {
    const carom_game *game;
    unsigned seat;
    size_t worlds;       /* of the batches that it plays in */
    size_t kind;         /* of its actions */
    size_t bytes;        /* of one of them */
    carom_source source; /* CAROM_POLICY, CAROM_ZERO, or CAROM_GIVEN: it searches */
    size_t policy;
    unsigned char *actions; /* [world], of the last step in which it was seated; NULL before */

    /* Players that search. */
    referee_say *say; /* NULL: it acts in the kind `normalised` */
    size_t size;      /* numbers of a normalised action */
    bool turns;       /* must turn pods before planning: see plan.c */
    carom_search *search;
    carom_worlds *mirror; /* the worlds in f32; NULL: it searches in the worlds themselves */
    float *found;         /* [world][size] */
    void *angles;         /* [world][4], if it turns pods: the worlds' own, in their precision */

    /* Players with a network: that of the search or, for players that do not search, the one whose policy they
     * follow. */
    carom_network *network;
    struct player_policy *policy_room; /* of network.c; NULL: it searches */
};

/* Whether it follows a network's policy instead of searching. */
#ifdef CAROM_NO_NETWORKS
#define player_asks(player) 0
#else
#define player_asks(player) ((player)->policy_room != NULL)
#endif

/* The function for this game; NULL: it has no kind `referee`. */
referee_say *carom_referee_of(const carom_game *game);

void carom_csb_say(const carom_worlds *worlds, size_t world, unsigned seat, const float *action, double *numbers);
void carom_fantastic_bits_say(const carom_worlds *worlds, size_t world, unsigned seat, const float *action,
                              double *numbers);

/* Reads field `name` of a world, whose type is the field's, into `values`. The game must have it. */
void carom_player_read(const carom_worlds *worlds, size_t world, const char *name, void *values);

/* The same for a field of at most PLAYER_REALS reals, in either precision of the worlds. */
void carom_player_read_reals(const carom_worlds *worlds, size_t world, const char *name, double *values);

#endif
