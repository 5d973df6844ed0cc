/* SPDX-License-Identifier: MIT
 * A gas of hard disks: up to millions of equal disks in a square box, exactly, from collision to collision.
 *
 * Units: diameter 1, mass 1; at the start the temperature is 1, kT = m <v^2> / 2. The packing fraction is that of the
 * whole box, N pi / 4 / side^2. A gas starts on a hexagonal lattice (places left over are spread evenly) with random
 * velocities and zero total momentum. Before you measure, run it until it has forgotten the lattice, then call
 * carom_gas_forget().
 *
 * How long that takes depends on the packing. With 1024 disks and six seeds the compressibility Z came within 0.2% of
 * its final value, from below, after 4 units of time at packing 0.3 and 0.5, 16 at 0.6 and 0.65, 32 at 0.68, and 100 at
 * 0.69. From 0.70 to 0.72 the lattice melts slowly: at 0.70 Z wanders by 0.5%; at 0.71 it is within 1% after 40 units;
 * at 0.72 it still falls from 10.4 to 10.2 between 100 and 300. Allow for a thousand units there. More disks take
 * somewhat longer. `carom run gas` waits for 16 units up to packing 0.6, 32 up to 0.65, 64 up to 0.68 and 400 above,
 * which is not enough from 0.70 on.
 *
 * Time. A gas runs in epochs of CAROM_GAS_EPOCH units of time: carom_gas_run(t) runs whole epochs, then a shorter one
 * for the rest. At the end of an epoch all disks move to that time. So run(a), run(b) is the same, bit for bit, as
 * run(a + b) if a is a multiple of CAROM_GAS_EPOCH; otherwise it differs by roundings.
 *
 * With a restitution below 1 the gas cools. A collision less than 1e-5 after either disk's last event is elastic, since
 * clusters would otherwise collide infinitely often in a finite time. If time stands still nevertheless, as with
 * restitution 0, the gas freezes with its fault set. Disks do not settle as bodies of scenes do (scene.h): nothing
 * accelerates them, so only a collapsing cluster has no end, and it is more useful to report it than to stop it. The
 * sides of a solid box are elastic.
 *
 * Results do not depend on the instruction set. One gas runs on one thread; several may run at once.
 */
#ifndef CAROM_GAS_H
#define CAROM_GAS_H

#include <carom/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_GAS_EPOCH 8               /* units of time */
#define CAROM_GAS_MAX_BODIES 0x4000000u /* 2^26 */

typedef struct carom_gas carom_gas;

/* A periodic box must be at least 5.001 wide. */
typedef enum carom_gas_box { CAROM_GAS_PERIODIC, CAROM_GAS_SOLID } carom_gas_box;

typedef struct carom_gas_desc {
    size_t size;   /* sizeof(carom_gas_desc), set by carom_gas_desc_default() */
    size_t bodies; /* N, 1 to CAROM_GAS_MAX_BODIES */
    double packing;
    carom_gas_box box;
    double restitution; /* in [0, 1] */
    uint64_t seed;      /* any number */
    carom_precision precision;
    carom_isa isa;
} carom_gas_desc;

/* 1000 bodies, packing 0.5, periodic, elastic, seed 1, f64, the default instruction set. */
CAROM_API carom_gas_desc carom_gas_desc_default(void);

/* CAROM_ERROR_VALUE: N disks do not fit at that packing (0.7, and mostly more, fits for any N from 32 on), or the
 * periodic box is too narrow. Free *gas with carom_gas_destroy(); it is NULL after an error. */
CAROM_API carom_status carom_gas_create(const carom_gas_desc *desc, carom_gas **gas);
CAROM_API void carom_gas_destroy(carom_gas *gas); /* NULL is allowed */

/* All bytes that a gas takes; 0 for an invalid desc. */
CAROM_API size_t carom_gas_bytes(const carom_gas_desc *desc);

/* What the gas was created with, with `isa` resolved; the side of its box. Zeros for NULL. */
CAROM_API carom_gas_desc carom_gas_describe(const carom_gas *gas);
CAROM_API double carom_gas_side(const carom_gas *gas);

/* Positions and velocities [N] by disk; a disk keeps its number. carom_gas_set() clears the fault. It refuses
 * (CAROM_ERROR_VALUE) numbers that are not finite, a centre outside the box (in a solid one: less than a radius from a
 * side), and disks that overlap by more than 1e-9 (f32: 1e-3). */
CAROM_API carom_status carom_gas_get(const carom_gas *gas, double *x, double *y, double *vx, double *vy);
CAROM_API carom_status carom_gas_set(carom_gas *gas, const double *x, const double *y, const double *vx,
                                     const double *vy);

/* Unwrapped positions, [N] by disk: those of carom_gas_get(), plus or minus the side of the box for each time that the
 * disk has crossed a periodic side since creation or carom_gas_set(). In a solid box those of carom_gas_get(). */
CAROM_API carom_status carom_gas_unwrapped(const carom_gas *gas, double *x, double *y);

/* Runs for `time` >= 0. cancel and progress may be NULL: *cancel != 0 ends the run early with CAROM_ERROR_CANCELLED and
 * the gas intact at the time reached; *progress (written atomically) grows to 1,000,000. A gas with a fault does not
 * move; that is not an error. */
CAROM_API carom_status carom_gas_run(carom_gas *gas, double time, const volatile int *cancel, uint64_t *progress);

/* Measures since creation or the last carom_gas_forget(). */
typedef struct carom_gas_measures {
    double time;                   /* run */
    uint64_t collisions;           /* of two disks */
    uint64_t sides;                /* crossings of a periodic side, or hits on a solid one */
    uint64_t crossings;            /* from cell to cell: work without an event */
    double energy;                 /* now */
    double energy_drift;           /* energy / energy at the start - 1 */
    double momentum_x, momentum_y; /* now */
    double momentum_drift;         /* length of the change of momentum / (N * sqrt(2 energy / N)) */
    double compressibility;        /* Z = P V / (N kT). Periodic: by the virial of collisions, for zero total momentum
                                 * 1 + (Z' - 1)(N - 1) / N. Solid: by the push on the sides. NaN before time passes */
    double compressibility_error;  /* of one standard deviation, from averages over blocks; NaN for fewer than 8 */
    bool fault;
} carom_gas_measures;

CAROM_API carom_status carom_gas_measure(const carom_gas *gas, carom_gas_measures *measures);
CAROM_API void carom_gas_forget(carom_gas *gas);

/* A hash of the state by disk: the same on every instruction set. */
CAROM_API uint64_t carom_gas_digest(const carom_gas *gas);

/* Time since creation or carom_gas_set(); carom_gas_forget() does not change it. 0 for NULL. */
CAROM_API double carom_gas_clock(const carom_gas *gas);

/* ---- save, load, copy ----
 *
 * A save is a little-endian buffer with the gas's desc, state and measures. A gas into which it is loaded continues as
 * the saved one would, bit for bit, on any instruction set. */
CAROM_API size_t carom_gas_save_size(const carom_gas *gas); /* of NULL: 0 */

/* CAROM_ERROR_SIZE if size is less than carom_gas_save_size(). */
CAROM_API carom_status carom_gas_save(const carom_gas *gas, void *buffer, size_t size);

/* The desc of a saved gas, with the default instruction set: create the gas to load into from it.
 * CAROM_ERROR_FORMAT if the buffer is not a whole, undamaged save of a gas of this version. */
CAROM_API carom_status carom_gas_saved(const void *buffer, size_t size, carom_gas_desc *desc);

/* Loads into a gas of the same bodies, packing, box, restitution and precision, which takes over the saved seed.
 * Otherwise, and if the numbers are not those of a gas, CAROM_ERROR_FORMAT; the gas then stays as it was. */
CAROM_API carom_status carom_gas_load(carom_gas *gas, const void *buffer, size_t size);

/* Copies state and measures. CAROM_ERROR_ARGUMENT unless they have the same bodies, packing, box, restitution and
 * precision. The instruction set stays. */
CAROM_API carom_status carom_gas_copy(carom_gas *to, const carom_gas *from);

#ifdef __cplusplus
}
#endif
#endif
