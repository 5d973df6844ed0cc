/* SPDX-License-Identifier: MIT
 * A laboratory: one large system of disks to run and observe. It is a gas of equal disks (gas.h), or a scene in the
 * deep engine (scene.h) for mixtures, boxes of any aspect, solid sides, and an external field.
 *
 *     carom_lab_desc desc = carom_lab_desc_default();
 *     desc.bodies = 2000, desc.packing = 0.7, desc.start = CAROM_LAB_GROWN;
 *     carom_lab_create(&desc, &lab, &problem);
 *     carom_lab_watch(lab, &watcher, &number);        samples and events while it runs
 *     carom_lab_run(lab, 1000, NULL, NULL);
 *
 * Radii and masses set the units; by default the diameter and the mass are 1. The temperature kT, the mean of m v^2 / 2
 * of a disk, is 1 at the start.
 *
 * The clock starts at 0 when the laboratory is created, and again whenever positions or velocities are set; saves
 * include it. Watching changes no bit of the motion.
 *
 * One thread at a time may use a laboratory. A run computes on one thread.
 */
#ifndef CAROM_LAB_H
#define CAROM_LAB_H

#include <carom/gas.h>
#include <carom/picture.h>
#include <carom/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_lab carom_lab;

/* ---- making one ---- */

typedef enum carom_lab_start {
    CAROM_LAB_LATTICE, /* a hexagonal lattice, as of gas.h: equal disks in a square box without a field only */
    CAROM_LAB_GROWN    /* disorder: placed at random with small radii, which grow while the disks collide */
} carom_lab_start;

typedef struct carom_lab_desc {
    size_t size;                        /* sizeof(carom_lab_desc), set by carom_lab_desc_default() */
    size_t bodies;                      /* N: 1 to CAROM_GAS_MAX_BODIES, or CAROM_SCENE_BODIES for a scene */
    const double *radii;                /* [N], each > 0; NULL: 0.5 each. Copied */
    const double *masses;               /* [N], each in [1e-30, 1e30]; NULL: 1 each. Copied */
    double packing;                     /* the share of the box that the disks cover */
    double aspect;                      /* width / height of the box, in [1/64, 64] */
    carom_gas_box horizontal, vertical; /* left and right sides; lower and upper sides */
    double restitution; /* between disks, in [0, 1]; at a side 1 in a gas, the square root of this in a scene */
    double ax, ay;      /* an external field: a constant acceleration of all disks */
    carom_lab_start start;
    double growth; /* for CAROM_LAB_GROWN: how fast the mean radius grows, in [1e-4, 1] */
    double tick;   /* for a scene: the length of its ticks */
    uint64_t seed;
    carom_precision precision;
    carom_isa isa;
} carom_lab_desc;

/* 1000 equal disks at packing 0.5 on a lattice, in a periodic square box, elastic, no field; growth 0.05, tick 1/8,
 * seed 1, f64, the default instruction set. */
CAROM_API carom_lab_desc carom_lab_desc_default(void);

/* Equal disks in a square box with sides of one kind and no field become a gas, everything else a scene.
 * CAROM_ERROR_VALUE: a number is out of its range, or the disks do not reach that packing; *problem (may be NULL) says
 * which. Free *lab with carom_lab_destroy(); it is NULL after an error. */
CAROM_API carom_status carom_lab_create(const carom_lab_desc *desc, carom_lab **lab, carom_problem *problem);

/* A laboratory for an existing gas, which remains the caller's and must outlive the laboratory. */
CAROM_API carom_status carom_lab_of_gas(carom_gas *gas, carom_lab **lab);

/* Likewise for a batch of one world of a scene whose game never ends; ticks of length `tick`. Frames list all bodies,
 * active or not. CAROM_ERROR_ARGUMENT for any other batch; CAROM_ERROR_VALUE for a tick out of (0, 1e6]. */
CAROM_API carom_status carom_lab_of_worlds(carom_worlds *worlds, double tick, carom_lab **lab);

CAROM_API void carom_lab_destroy(carom_lab *lab); /* NULL is allowed */

/* ---- state ---- */

/* Description and counters of a laboratory. Arrays are the laboratory's own. */
typedef struct carom_lab_info {
    size_t bodies;
    const double *radii, *masses; /* [bodies]; a mass is INFINITY for a fixed body of a scene */
    double x0, y0, width, height; /* the box; 0 along an axis with open sides */
    bool periodic_x, periodic_y;
    carom_precision precision;
    carom_isa isa;
    double time;     /* the clock */
    uint64_t events; /* impacts since the clock was at 0; for a gas since carom_gas_forget() */
    /* For a gas: sums, since the clock was at 0, of the impulse between two disks times the vector from the other's
     * centre: xx, xy, yy; in a sample() callback up to the sample's time. NaN for a scene: use its events. */
    double virial[3];
    bool fault;           /* it no longer moves: see carom_gas_measures and carom_fault */
    carom_gas *gas;       /* the gas behind it, or NULL; the caller's only after carom_lab_of_gas() */
    carom_worlds *worlds; /* likewise */
} carom_lab_info;

CAROM_API carom_status carom_lab_describe(const carom_lab *lab, carom_lab_info *info);

/* Positions and velocities, [N] each, by disk; any may be NULL. Unwrapped positions equal the positions when the clock
 * is at 0, and continue beyond a periodic box. */
CAROM_API carom_status carom_lab_get(carom_lab *lab, double *x, double *y, double *vx, double *vy);
CAROM_API carom_status carom_lab_unwrapped(carom_lab *lab, double *x, double *y);
/* As carom_gas_set() and carom_worlds_set(): checks, then starts the clock at 0. */
CAROM_API carom_status carom_lab_set(carom_lab *lab, const double *x, const double *y, const double *vx,
                                     const double *vy);

/* A hash of positions and velocities: the same on every instruction set. */
CAROM_API uint64_t carom_lab_digest(carom_lab *lab);

/* A save holds everything that the rest of a run depends on: state, clock, unwrapped positions, measures of the gas.
 * Load it into a laboratory created with the same desc (any instruction set), which then continues as the saved one
 * would, bit for bit. Watchers are not saved. CAROM_ERROR_FORMAT if the buffer is not a whole save of such a
 * laboratory, CAROM_ERROR_SIZE if the buffer is too small to save to. */
CAROM_API size_t carom_lab_save_size(const carom_lab *lab);
CAROM_API carom_status carom_lab_save(const carom_lab *lab, void *buffer, size_t size);
CAROM_API carom_status carom_lab_load(carom_lab *lab, const void *buffer, size_t size);

/* ---- running and watching ---- */

/* An event; they come in order of time. The impulse acts on `first`; the second body gets the opposite. */
typedef struct carom_lab_event {
    double time;            /* of the clock */
    double x, y;            /* where they touch */
    double jx, jy;          /* the impulse: along the line from the second's centre to the first's */
    uint32_t first, second; /* of two disks: first < second */
    uint32_t kind;          /* carom_impact_kind: what the second is */
    uint32_t part;          /* as in carom_event */
} carom_lab_event;

/* The system at one time. Arrays are [bodies], by disk, and valid during the call only. */
typedef struct carom_lab_frame {
    const carom_lab *lab;
    double time;    /* of the clock */
    uint64_t index; /* time = index * interval of the watcher */
    const double *x, *y, *vx, *vy;
    const double *ux, *uy; /* unwrapped */
} carom_lab_frame;

/* Callbacks while a laboratory runs, on the thread that runs it and in the library's floating-point environment. They
 * must not change the laboratory. A callback that returns false ends the run with CAROM_ERROR_CANCELLED, at the time
 * reached. */
typedef struct carom_lab_watcher {
    double interval; /* sample() is called when the clock reaches index * interval, index = 1, 2, ...; > 0. For a scene
                        a multiple of its tick */
    bool (*sample)(void *user, const carom_lab_frame *frame); /* NULL: no samples */
    /* events() gets those with times in [index * interval, index * interval + window), index = 0, 1, ..., in one or
     * more calls before the next sample. window 0: none; INFINITY: all. */
    double window;
    bool (*events)(void *user, const carom_lab_event *events, size_t count); /* NULL: none */
    void *user;
} carom_lab_watcher;

#define CAROM_LAB_WATCHERS 8 /* of one laboratory */

/* Copies the watcher. *number is for carom_lab_unwatch(). CAROM_ERROR_VALUE: a number out of its range;
 * CAROM_ERROR_SIZE: there are CAROM_LAB_WATCHERS already. */
CAROM_API carom_status carom_lab_watch(carom_lab *lab, const carom_lab_watcher *watcher, unsigned *number);
CAROM_API carom_status carom_lab_unwatch(carom_lab *lab, unsigned number);

/* Runs for `time` >= 0 like carom_gas_run(), with the same cancel and progress. For a scene `time` must be a multiple
 * of its tick, up to rounding, and no body may move a quarter of a periodic box in one tick (CAROM_ERROR_VALUE, at the
 * time reached). */
CAROM_API carom_status carom_lab_run(carom_lab *lab, double time, const volatile int *cancel, uint64_t *progress);

/* ---- looking ---- */

/* A scene that starts from the laboratory's current state, with ticks of length `tick` > 0: for the viewer, recordings
 * and everything else that takes scenes. It moves as the laboratory does, up to rounding. Free *scene with
 * carom_scene_destroy(). Errors are those of carom_scene_create(); CAROM_ERROR_ARGUMENT also for a laboratory created
 * by carom_lab_of_worlds(), which already has a scene. */
CAROM_API carom_status carom_lab_scene(carom_lab *lab, double tick, carom_scene **scene, carom_problem *problem);

/* A picture of the disks, coloured by psi6 (measures.h): the hue shows its direction; grey disks have none. Like
 * carom_picture_size(), carom_picture_pixels() and carom_picture_svg(), with the same errors; also CAROM_ERROR_VALUE
 * for an open box, and for too few disks to compute psi6. */
CAROM_API carom_status carom_lab_picture_size(const carom_lab *lab, const carom_picture_desc *desc, uint32_t *width,
                                              uint32_t *height);
CAROM_API carom_status carom_lab_picture_pixels(carom_lab *lab, const carom_picture_desc *desc, uint8_t *rgb);
CAROM_API carom_status carom_lab_picture_svg(carom_lab *lab, const carom_picture_desc *desc, char **text);

#ifdef __cplusplus
}
#endif
#endif
