/* SPDX-License-Identifier: MIT
 * The laboratory behind carom_lab: its engine, its watchers, and the data that a scene's world lacks.
 */
#ifndef CAROM_LAB_LAB_H
#define CAROM_LAB_LAB_H

#include <carom/lab.h>

#include "deep/gas.h"

/* A watcher and its progress. */
typedef struct lab_watch {
    carom_lab_watcher watcher;
    bool used;
    uint64_t due; /* the index of its next sample */
} lab_watch;

/* A state by disk, in one piece of memory that starts at x. */
typedef struct lab_rows {
    double *x, *y, *vx, *vy, *ux, *uy;
} lab_rows;

/* Data that a laboratory keeps for a scene, which has neither a clock nor counts of crossed sides. */
typedef struct lab_world {
    carom_scene *scene; /* the laboratory's own, or NULL */
    const carom_scene_desc *desc;
    double tick;
    uint64_t ticks;   /* of the clock */
    uint64_t events;  /* since the clock was at 0 */
    int32_t *images;  /* [bodies][2] */
    size_t fields[4]; /* x, y, vx, vy */
    carom_event *log; /* [room]; allocated when events are first wanted */
    size_t room;
} lab_world;

struct carom_lab {
    carom_lab_info info; /* fixed properties */
    bool owns;           /* it owns the gas, or worlds and scene */
    double *traits;      /* radii, then masses */
    lab_world world;     /* of a scene */
    lab_rows now;        /* of a frame, for any call that needs it */
    lab_watch watches[CAROM_LAB_WATCHERS];
    double reached; /* while it runs: the time up to which watchers have been called */
};

/* Reads the state into lab->now. In a running gas: at the time reached. */
void carom_lab_read(carom_lab *lab);

/* The positions of a scene's bodies. */
void carom_lab_read_places(carom_lab *lab, double *x, double *y);

/* The clock; for a running gas the start of its epoch. */
double carom_lab_clock(const carom_lab *lab);

#endif
