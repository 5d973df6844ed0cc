/* SPDX-License-Identifier: MIT
 * The starts of the peers' worlds, and an engine's accuracy for worlds of four circles.
 */
#ifndef CAROM_BENCH_PEERS_PEERS_STUDY_H
#define CAROM_BENCH_PEERS_PEERS_STUDY_H

#include "peer.h"

/* The greatest speed at the start, a tick. */
#define PEERS_SPEED 0.6
#define PEERS_RADIUS 0.4

/* A scene of `worlds` worlds of `circles` circles in a box of 16 x 9, or, if coverage is not 0, in one of that shape of
 * which they cover this share. Places are drawn in the cells of a lattice, velocities uniformly among those of
 * PEERS_SPEED at most, always the same ones. scene.start is the caller's, to be freed. */
peer_scene carom_peers_scene(size_t worlds, size_t circles, double coverage);

/* Impacts: of two circles that have no other impact in WINDOW ticks, in exact runs. The engine is put to the state at
 * the start of the tick of the impact, and looked at WINDOW ticks later. */
typedef struct peers_accuracy {
    size_t impacts;                 /* that were looked at */
    double met;                     /* share of which the engine changed a velocity by 1% of what it should, or more */
    double direction, direction_90; /* of those: error of the velocities' direction in degrees, median and 90% */
    /* Many ticks of some worlds. */
    double energy, least_energy; /* kinetic energy at the end over that at the start: mean and least of the worlds */
    double overlap;              /* the deepest that two circles were found in at the end of a tick, in radii */
} peers_accuracy;

/* The first four of peers_accuracy; the others are 0. */
peers_accuracy carom_peers_impacts(const peer *p, unsigned sub_ticks);
/* All of it. quick: fewer ticks. */
peers_accuracy carom_peers_accuracy(const peer *p, unsigned sub_ticks, int quick);

#endif
