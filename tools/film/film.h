/* SPDX-License-Identifier: MIT
 * What is seen of a source, tick by tick: bodies, impacts, numbers, hashes. Pictures and the viewer are made of it.
 */
#ifndef CAROM_TOOLS_FILM_FILM_H
#define CAROM_TOOLS_FILM_FILM_H

#include "../source/played.h"

#include <carom/look.h>

typedef struct film_body {
    double x, y, vx, vy, facing, radius;
    double ax, ay; /* acceleration: distance / tick^2, whatever the unit of velocities is */
    bool there;
} film_body;

/* One impact. Numbers that the game does not tell are NAN, but for the place: that is then found between the places of
 * the two bodies, as if they had moved straight on through the tick. */
typedef struct film_impact {
    uint32_t world, first, second, part, kind; /* as carom_event has them */
    int32_t body, other;                       /* places in the list of bodies; -1: it is none */
    double time[2];                            /* when the first and the second are there: 0 to 1 in the tick */
    double x, y;
    double nx, ny; /* from the second to the first */
    double impulse;
    double centre[2][2], before[2][2], after[2][2]; /* as carom_contact has them */
} film_impact;

/* A place through which a body's way in a tick leads, for it has an impact there. */
typedef struct film_knot {
    double time, x, y; /* beyond a periodic side the place goes on, as if there were none */
    double before[2], after[2];
} film_knot;

/* How a world stands after a tick. */
typedef struct film_state {
    uint64_t hash, id;
    int32_t tick, episode;
    uint8_t end, fault, frozen;
    double score[CAROM_MAX_PLAYERS]; /* rewards since the film began */
    double energy;                   /* of all bodies that can move */
} film_state;

typedef struct film_frame {
    film_body *bodies;    /* [world][body] */
    film_state *states;   /* [world] */
    double *numbers;      /* [world][number] */
    film_impact *impacts; /* of the tick that has led here */
    size_t impact_count;
    film_knot *knots;     /* of that tick, body by body */
    uint32_t *first_knot; /* [world][body], and the end of the last; NULL: there are none */
} film_frame;

/* The shapes of a world from a frame on. */
typedef struct film_scenery {
    size_t frame, world, count;
    carom_look_shape *shapes;
} film_scenery;

typedef struct film {
    source from;
    size_t worlds, bodies, numbers;
    carom_look_view view;
    bool accelerated;         /* some body is */
    carom_look_body *about;   /* [body]: name, number, id, style, mass */
    carom_look_number *named; /* [number] */
    uint64_t first;           /* ticks before frame 0 */
    film_frame *frames;
    size_t count, room;
    film_scenery *sceneries;
    size_t scenery_count, scenery_room;
    uint32_t capacity; /* impacts of a world and tick that are kept */
    carom_event *events;
    carom_contact *contacts; /* NAN where nothing is written */
    uint32_t *event_counts;
    float *rewards;
    carom_result *results;
    int32_t *body_of; /* [ids]: by what events call it */
    uint32_t ids;
    bool whole; /* nothing comes any more */
    bool full;  /* for there is no room for more */
} film;

/* A film of a source from the state after `first` ticks on, which is its frame 0. Dies if the source is no good. */
film carom_film_open(const played_options *options, uint64_t first);

/* Plays a tick and adds a frame; false at the end of a replay. */
bool carom_film_next(film *f);

/* Changes who plays: of game sources only. NULL: nothing is given. actions as in carom_step. Planners search first. */
bool carom_film_next_with(film *f, const carom_step *who);

void carom_film_close(film *f);

/* A film of other worlds such as a film has, which lends it what both have in common; frame 0 is as they are. No more
 * impacts of a world and tick are kept than `most`. It is played by carom_film_play(). */
film carom_film_beside(const film *f, carom_worlds *worlds, uint32_t most);
void carom_film_close_beside(film *f);

/* Plays a tick of the worlds by a step, and adds a frame. */
void carom_film_play(film *f, const carom_step *who);

/* The shapes of a world as they are in a frame. */
const film_scenery *carom_film_scenery(const film *f, size_t frame, size_t world);

/* What is kept of a body, in a world whose ticks are `dt` long. */
film_body carom_film_seen(const carom_look_body *b, double dt);

#endif
