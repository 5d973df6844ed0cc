/* SPDX-License-Identifier: MIT
 * The deep engine: one large world of equal disks (diameter 1, mass 1) in a square box, by events in order of time.
 * deep/gas_kernel.c exports it once for every instruction set and precision.
 *
 * Policy own_clock. A body's record is (x, y, vx, vy, t): its position at its own time t and its motion. It changes
 * only when
 *     two bodies meet     each moves to the time of impact; their velocities change along 1.25 times the vector from
 *                         one to the other, in proportion to the speed of approach, divided by that vector's square
 *     a body leaves       through a side of a periodic box: it moves to that time, and onto the opposite side
 *     a body hits a side  of a solid box: it moves to that time, its centre a radius off the side, and turns back
 *     an epoch ends       every body moves to that time, which becomes 0
 * The time of impact of two bodies is a pure, symmetric function of their records, starting at the later of their
 * times; so is that of a body with a side. Events are ordered by (time, lower id, higher id), where side s (left,
 * right, lower, upper) counts as id bodies + s. Nothing else in an engine (grid, queue, order in memory) changes a bit.
 *
 * A collision less than `contact` after either body's last change of record is elastic, whatever the restitution:
 * otherwise an inelastic cluster would have infinitely many in a finite time (Luding and McNamara's TC model).
 *
 * A world is one block of memory, which begins with its totals. Times here are within an epoch.
 */
#ifndef CAROM_DEEP_GAS_KERNEL_H
#define CAROM_DEEP_GAS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gas_setup {
    uint32_t bodies;
    bool periodic;
    double side;        /* of the box, in diameters */
    double restitution; /* of bodies; sides are elastic */
    double contact;     /* a time: see above */
    double epoch;       /* the longest time between begin() and end() */
} gas_setup;

typedef enum gas_fault { GAS_FAULT_STALLED = 1 /* too many events without time advancing */ } gas_fault;

/* A logged event. The first body gets the impulse (jx, jy). */
typedef struct gas_event {
    double time; /* within the epoch */
    double x, y; /* point of contact; in a periodic box up to a radius outside */
    double jx, jy;
    uint32_t first, second; /* ids, the lower one first; side s of a solid box is bodies + s */
} gas_event;

/* Sums since create(); the caller may set any of them to 0. */
typedef struct gas_totals {
    double now;                  /* time of the last event, within the epoch */
    double virial;               /* sum over collisions of (change of velocity) . (vector between centres) */
    double virial_xx, virial_xy; /* the same by components: change along x times vector's x, and times its y */
    double push;                 /* sum of the changes of velocity at the sides of a solid box */
    uint64_t collisions;
    uint64_t sides;     /* bodies that reached a side of the box */
    uint64_t crossings; /* bodies that moved from cell to cell */
    unsigned fault;     /* gas_fault; stays set */
    gas_event *log;     /* log of collisions, and hits at solid sides, or NULL */
    uint32_t logged;    /* events there; run() adds at most `most` */
    int32_t *images;    /* [bodies][2], by id: how often a disk has crossed a periodic box along x and y; in the world's
                        memory */
} gas_totals;

typedef struct gas_kernel {
    size_t (*bytes)(const gas_setup *setup);
    void (*create)(const gas_setup *setup, void *world);
    /* State by id; get() after end(). */
    void (*put)(void *world, const double *x, const double *y, const double *vx, const double *vy);
    void (*get)(const void *world, double *x, double *y, double *vx, double *vy);
    /* The state at `at` of a world whose events before `at` have been played; the world does not change. */
    void (*look)(const void *world, double at, double *x, double *y, double *vx, double *vy);
    /* Starts an epoch: sorts the bodies into cells and predicts an event of each. */
    void (*begin)(void *world);
    /* Plays events before `until`, about `most` of them at most; true if none is left, or after a fault. */
    bool (*run)(void *world, double until, uint64_t most);
    /* Moves all bodies to `at`, which becomes 0. */
    void (*end)(void *world, double at);
} gas_kernel;

#endif
