/* SPDX-License-Identifier: MIT
 * Ghosts: futures of a world from a frame on. If a planner plays, they are those of its search, generation by
 * generation, and its plan; otherwise futures with drawn actions.
 */
#ifndef CAROM_TOOLS_FILM_GHOSTS_H
#define CAROM_TOOLS_FILM_GHOSTS_H

#include "motion.h"

/* Other values of film_ghosts.generation. */
#define GHOSTS_PLAN (-1)  /* the plan found by a search */
#define GHOSTS_DRAWN (-2) /* drawn actions, without a search */

/* `count` futures, `horizon` ticks deep. */
typedef struct film_ghosts {
    size_t frame, world; /* where they begin */
    unsigned player;     /* the player that acts in them */
    int64_t generation;  /* of the search, from 0; or as above */
    size_t generations;  /* in this player's search; 0: drawn */
    size_t sequences;    /* of the generation, some of which are shown, the best first; 0: drawn, or the plan */
    size_t count, horizon, bodies;
    film_leg *legs;    /* the bodies' paths, with times in ticks since the frame; none for bodies that are not shown */
    size_t *first_leg; /* [count][bodies], and the end of the last */
    size_t leg_room;
    double *returns; /* [count]: for that player; -INFINITY after a fault, or if the search cut the rollout */
} film_ghosts;

typedef struct ghost_list {
    film_ghosts *all; /* [count] */
    size_t count, room;
} ghost_list;

void carom_ghosts_free(ghost_list *list);

/* Is a body shown in that player's futures? The player's own bodies are or, if it has none, all that can move. */
bool carom_ghosts_show(const film *f, unsigned player, size_t body);

/* Adds `count` futures of a world from the last frame on, in which player 0 has drawn actions and the others play as
 * before. */
void carom_ghosts_draw(film *f, size_t world, size_t count, size_t horizon, uint64_t seed, ghost_list *to);

/* The searches of a film's planners. */
typedef struct ghost_watch ghost_watch;

/* Watches the searches of all planners of a film, in worlds [first, end), and keeps `count` futures of every
 * generation. The film must not move in memory until the watch has ended. */
ghost_watch *carom_ghosts_watch(film *f, size_t first, size_t end, size_t count);
void carom_ghosts_end(ghost_watch *watch); /* NULL is allowed */

/* Lets the planners search from the last frame, and adds their futures: for each planner and world at most `most`
 * generations (at least 2), evenly spread over the search and including the first and the last, in order; then the
 * plan. Once a frame. */
void carom_ghosts_think(ghost_watch *watch, size_t most, ghost_list *to);

#endif
