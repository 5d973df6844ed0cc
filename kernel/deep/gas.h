/* SPDX-License-Identifier: MIT
 * The gas behind carom_gas, for the code that runs, saves and watches it: deep/gas.c, deep/gas_save.c, and the
 * laboratory.
 */
#ifndef CAROM_DEEP_GAS_H
#define CAROM_DEEP_GAS_H

#include <carom/gas.h>

#include "deep/gas_kernel.h"

#define GAS_BLOCKS 128 /* for the error of averages; once all are used, neighbours are joined */

/* Totals of a state: momentum and kinetic energy. */
typedef struct gas_sums {
    double x, y, energy;
} gas_sums;

struct carom_gas {
    carom_gas_desc desc;
    const gas_kernel *kernel;
    double side; /* of the box */
    size_t bytes;
    bool fault;

    /* Since creation, or since carom_gas_set(). `clock` advances at the end of an epoch; `within` is the time reached
     * within the current one. */
    double clock, within;
    double virial_xx, virial_xy, virial_yy; /* see gas_totals */

    /* Measurements since the start, or since carom_gas_forget(). */
    double time;
    uint64_t collisions, sides, crossings;
    gas_sums start;      /* at that time */
    double virial, push; /* see gas_totals */

    /* The same in blocks of time, to estimate the error. */
    double block_time;             /* length of a block */
    double block_sum[GAS_BLOCKS];  /* virial, or push in a solid box */
    double block_part[GAS_BLOCKS]; /* time that the block covers so far */
    size_t blocks;                 /* blocks begun */

    gas_totals *world; /* the deep engine's memory, after this structure */
};

/* ---- watching ---- */

/* Callbacks while a gas runs; they must not change the gas. The clock is that of carom_gas_clock(). */
typedef struct gas_watch {
    void *user;
    double (*next)(void *user);             /* the time of the next stop(): later than the last one; INFINITY: never */
    bool (*stop)(void *user, double clock); /* called at that time; false: end the run there */
    /* Events of two disks, or of a disk and a solid side, in order of time; times are within the epoch that began at
     * `begin`. NULL: never wanted. */
    bool logs; /* are events wanted from here on? stop() may change it */
    bool (*events)(void *user, const gas_event *events, size_t count, double begin);
} gas_watch;

/* carom_gas_run(), watched. NULL: not watched. */
carom_status carom_gas_run_watched(carom_gas *gas, double time, const gas_watch *watch, const volatile int *cancel,
                                   uint64_t *progress);

/* The state by disk, at the time of the clock, during stop(): the results of carom_gas_get() and carom_gas_unwrapped()
 * if the run ended here, up to rounding. */
void carom_gas_look(const carom_gas *gas, double *x, double *y, double *vx, double *vy, double *ux, double *uy);

/* CAROM_ERROR_VALUE if the centres of two disks are nearer than `least` <= 1; x, y: at most 1 outside the box. */
carom_status carom_gas_check_apart(const carom_gas *gas, const double *x, const double *y, double least);

/* Discards the measurements, as carom_gas_forget() does, in the library's floating-point environment. */
void carom_gas_begin_measuring(carom_gas *gas);

#endif
