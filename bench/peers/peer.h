/* SPDX-License-Identifier: MIT
 * The interface of a physics engine for bench/peers/peers.c: many worlds of equal circles in a walled box, stepped
 * together.
 *
 * Every circle has mass 1, every restitution is 1, there is no friction, damping or sleeping, and continuous collision
 * is on if the engine has it.
 */
#ifndef CAROM_BENCH_PEERS_PEER_H
#define CAROM_BENCH_PEERS_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ticks a second for engines that are tuned in seconds. */
#define PEER_RATE 60

typedef struct peer_circle {
    double x, y, vx, vy; /* velocity: a tick */
} peer_circle;

/* The box is [0, width] x [0, height]. */
typedef struct peer_scene {
    size_t worlds, circles; /* circles a world */
    double width, height, radius;
    const peer_circle *start; /* [worlds][circles], not overlapping */
} peer_scene;

typedef struct peer peer;
struct peer {
    const char *name;    /* in names of cases: "box2d" */
    const char *version; /* "2.4.1"; NULL: it is part of this project */
    /* How the engine is to compute; only Carom can choose: a carom_isa, a carom_precision. */
    int isa, precision;
    void *(*create)(const peer *self, const peer_scene *scene);     /* never NULL */
    void (*step)(void *worlds, unsigned ticks, unsigned sub_ticks); /* all worlds, each tick in equal parts */
    void (*read)(const void *worlds, peer_circle *circles);         /* [worlds][circles] */
    void (*destroy)(void *worlds);
    /* Worlds to[0..n-1] become worlds from[0..n-1], or with NULL for both worlds 1..n become world 0. NULL: the engine
     * cannot copy worlds; a copy must be built. */
    void (*copy)(void *worlds, const size_t *to, const size_t *from, size_t n);
};

extern const peer carom_peer_box2d, carom_peer_chipmunk;
extern const peer carom_peer_box2d_discrete; /* without continuous collision */
extern const peer carom_peer_carom;          /* to be copied: isa and precision are the caller's choice */
extern const peer carom_peer_plain;          /* exact, plain C: looks at every pair at every impact */

/* An impact of the plain engine. */
typedef struct peer_impact {
    size_t world;
    int first, second; /* circles of the world; second: -1, a wall */
} peer_impact;

/* One tick of worlds that carom_peer_plain made. The first `room` impacts, in order of time within each world; how many
 * there were. */
size_t carom_peer_plain_tick(void *worlds, peer_impact *impacts, size_t room);

#ifdef __cplusplus
}
#endif
#endif
