/* SPDX-License-Identifier: MIT
 * A film: bodies, impacts, numbers and hashes of a source, tick by tick, for pictures and the viewer.
 */
#ifndef CAROM_TOOLS_FILM_FILM_H
#define CAROM_TOOLS_FILM_FILM_H

#include "../source/played.h"

#include <carom/look.h>

typedef struct film_body {
    double x, y, vx, vy, facing, radius;
    double ax, ay; /* acceleration: distance / tick^2, independent of the unit of velocities */
    bool there;
} film_body;

/* One impact. Numbers that the game does not report are NAN, except the position, which is then computed from those of
 * the two bodies, as if they had moved straight through the tick. */
typedef struct film_impact {
    uint32_t world, first, second, part, kind; /* as in carom_event */
    int32_t body, other;                       /* indices in the list of bodies; -1: not a body */
    double time[2];                            /* times of the first and the second: 0 to 1 in the tick */
    double x, y;
    double nx, ny; /* from the second to the first */
    double impulse;
    double centre[2][2], before[2][2], after[2][2]; /* as in carom_contact */
} film_impact;

/* A knot: a point of a body's path in a tick, where it has an impact. */
typedef struct film_knot {
    double time, x, y; /* unwrapped beyond periodic sides */
    double before[2], after[2];
} film_knot;

/* The state of a world after a tick. */
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
    film_impact *impacts; /* of the tick that led to it */
    size_t impact_count;
    film_knot *knots;     /* of that tick, body by body */
    uint32_t *first_knot; /* [world][body], and the end of the last; NULL: there are none */
} film_frame;

/* The shapes of a world, from a frame on. */
typedef struct film_scenery {
    size_t frame, world, count;
    carom_look_shape *shapes;
} film_scenery;

typedef struct film {
    source from;
    size_t worlds, bodies, numbers;
    carom_look_view view;
    bool accelerated;         /* some body is accelerated */
    carom_look_body *about;   /* [body]: name, number, id, style, mass */
    carom_look_number *named; /* [number] */
    uint64_t first;           /* ticks before frame 0 */
    film_frame *frames;
    size_t count, room;
    film_scenery *sceneries;
    size_t scenery_count, scenery_room;
    uint32_t capacity; /* impacts kept for a world and tick */
    carom_event *events;
    carom_contact *contacts; /* scratch, NAN */
    uint32_t *event_counts;
    float *rewards;
    carom_result *results;
    int32_t *body_of; /* [ids]: bodies by id of events */
    uint32_t ids;
    bool whole; /* the end is reached */
    bool full;  /* because there is no room for more */
} film;

/* A film of a source from the state after `first` ticks on, which is its frame 0. Dies if the source is invalid. */
film carom_film_open(const played_options *options, uint64_t first);

/* Plays a tick and adds a frame; false at the end of a replay. */
bool carom_film_next(film *f);

/* Changes the players, for game sources only. NULL: no given actions. actions as in carom_step. Planners search
 * first. */
bool carom_film_next_with(film *f, const carom_step *who);

void carom_film_close(film *f);

/* A film of other worlds like those of a film, sharing its common data; frame 0 is their current state. Keeps at most
 * `most` impacts of a world and tick. Play it with carom_film_play(). */
film carom_film_beside(const film *f, carom_worlds *worlds, uint32_t most);
void carom_film_close_beside(film *f);

/* Plays a tick of the worlds by a step, and adds a frame. */
void carom_film_play(film *f, const carom_step *who);

/* The shapes of a world in a frame. */
const film_scenery *carom_film_scenery(const film *f, size_t frame, size_t world);

/* The stored numbers of a body, in a world with ticks of length `dt`. */
film_body carom_film_seen(const carom_look_body *b, double dt);

#endif
