/* SPDX-License-Identifier: MIT
 * Ghosts: futures of a world from a frame on. Where a planner plays they are those that its search looked at,
 * generation by generation, and its plan; elsewhere drawn ones.
 */
#ifndef CAROM_TOOLS_FILM_GHOSTS_H
#define CAROM_TOOLS_FILM_GHOSTS_H

#include "motion.h"

/* film_ghosts.generation of what is no generation. */
#define GHOSTS_PLAN (-1)  /* the plan that a search came to */
#define GHOSTS_DRAWN (-2) /* drawn actions: nobody searches */

/* `count` futures, `horizon` ticks deep. */
typedef struct film_ghosts {
    size_t frame, world; /* where they begin */
    unsigned player;     /* who acts in them */
    int64_t generation;  /* of the search, from 0; or as above */
    size_t generations;  /* of this player in the search; 0: drawn */
    size_t sequences;    /* of the generation: some of them are shown, the best first; 0: drawn, or the plan */
    size_t count, horizon, bodies;
    film_leg *legs;    /* the bodies' ways, their times in ticks since the frame; of bodies that are not shown none */
    size_t *first_leg; /* [count][bodies], and the end of the last */
    size_t leg_room;
    double *returns; /* [count]: to that player; -INFINITY after a fault, or if the search gave it up early */
} film_ghosts;

typedef struct ghost_list {
    film_ghosts *all; /* [count] */
    size_t count, room;
} ghost_list;

void carom_ghosts_free(ghost_list *list);

/* Is a body shown in the futures of that player? Those of the player, or, if it has none, all that can move. */
bool carom_ghosts_show(const film *f, unsigned player, size_t body);

/* Adds `count` futures of a world from the last frame on, in which player 0 does what is drawn and the others go on as
 * they do. */
void carom_ghosts_draw(film *f, size_t world, size_t count, size_t horizon, uint64_t seed, ghost_list *to);

/* What the planners of a film look at. */
typedef struct ghost_watch ghost_watch;

/* Watches the searches of all who plan in a film, in worlds [first, end): `count` futures of every generation are kept.
 * The film must stay where it is until the watch has ended. */
ghost_watch *carom_ghosts_watch(film *f, size_t first, size_t end, size_t count);
void carom_ghosts_end(ghost_watch *watch); /* NULL is allowed */

/* Lets the planners search from the last frame, and adds what they looked at there: of each planner and world at most
 * `most` generations, at least 2, spread over the search with the first and the last among them, in their order; then
 * the plan. Once a frame. */
void carom_ghosts_think(ghost_watch *watch, size_t most, ghost_list *to);

#endif
