/* SPDX-License-Identifier: MIT
 * A laboratory behind carom_lab: its engine, what watches it, and what is kept beside a scene's world. */
#ifndef CAROM_LAB_LAB_H
#define CAROM_LAB_LAB_H

#include <carom/lab.h>

#include "deep/gas.h"

/* A watcher, and how far it is. */
typedef struct lab_watch {
    carom_lab_watcher watcher;
    bool used;
    uint64_t due; /* the index of its next sample */
} lab_watch;

/* A state by disk, in one piece of memory that starts at x. */
typedef struct lab_rows {
    double *x, *y, *vx, *vy, *ux, *uy;
} lab_rows;

/* What a laboratory keeps of a scene, which knows neither a clock nor how often a body has passed a side. */
typedef struct lab_world {
    carom_scene *scene; /* the laboratory's own, or NULL */
    const carom_scene_desc *desc;
    double tick;
    uint64_t ticks;   /* of the clock */
    uint64_t events;  /* since the clock was at 0 */
    int32_t *images;  /* [bodies][2] */
    size_t fields[4]; /* x, y, vx, vy */
    carom_event *log; /* [room]; taken when events are first wanted */
    size_t room;
} lab_world;

struct carom_lab {
    carom_lab_info info; /* what does not change */
    bool owns;           /* the gas, or worlds and scene, are its own */
    double *traits;      /* radii, then masses */
    lab_world world;     /* of a scene */
    lab_rows now;        /* of a frame, by whichever call needs it */
    lab_watch watches[CAROM_LAB_WATCHERS];
    double reached; /* while it runs: the time up to which watchers have been told */
};

/* Reads the state into lab->now. In a gas that runs: as of the time reached. */
void carom_lab_read(carom_lab *lab);

/* The positions of a scene's bodies. */
void carom_lab_read_places(carom_lab *lab, double *x, double *y);

/* The clock; of a gas the start of its epoch while it runs. */
double carom_lab_clock(const carom_lab *lab);

#endif
