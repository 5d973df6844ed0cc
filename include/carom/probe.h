/* SPDX-License-Identifier: MIT
 * A probe: measures a laboratory while it runs, from samples and from stretches of events, without changing its motion.
 *
 *     carom_probe_desc desc = carom_probe_desc_default();
 *     carom_probe_create(lab, &desc, &probe);          starts measuring
 *     carom_lab_run(lab, 10000, NULL, NULL);
 *     carom_probe_results(probe, &results);
 *
 * It takes a sample at each multiple of `interval` and follows all events for the time `window` from there. With the
 * defaults all this costs at most 5% of the speed; docs/notes/performance.md has figures.
 *
 * Units are the laboratory's. Fixed bodies of scenes count as disks that do not move. Motion within a window is wrong
 * for scenes whose bodies have different accelerations or damping.
 */
#ifndef CAROM_PROBE_H
#define CAROM_PROBE_H

#include <carom/lab.h>
#include <carom/measures.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_PROBE_LEVELS 12 /* lags of 1, 2, 4, ..., 2048 intervals */

typedef struct carom_probe_desc {
    size_t size;       /* sizeof(carom_probe_desc), set by carom_probe_desc_default() */
    double interval;   /* between samples; for a scene a multiple of its tick. 0: about 1200 mean free times */
    double window;     /* of events after each sample, at most the interval. 0: interval / 64 */
    double range;      /* of g(r). 0: 8 mean diameters, less in a small box */
    size_t bins;       /* of g(r) */
    double greatest;   /* wave number of S(k). 0: 4 pi / mean diameter */
    size_t wave_bins;  /* of S(k) */
    size_t directions; /* waves in each of these bins, at most */
    size_t lags;       /* motion is measured at the ends of that many equal parts of a window; bins of the free times */
    double ax, ay;     /* the laboratory's external field, which accelerates disks between events */
} carom_probe_desc;

/* 0 for everything that has a default at 0; 256 bins, 64 wave bins with 6 directions, 32 lags. */
CAROM_API carom_probe_desc carom_probe_desc_default(void);

typedef struct carom_probe carom_probe;

/* The box must be closed or periodic. The probe is one of the laboratory's watchers; destroy it first.
 * CAROM_ERROR_VALUE: a number is out of its range, or nothing moves, so that there is no default interval. Free *probe
 * with carom_probe_destroy(); it is NULL after an error. */
CAROM_API carom_status carom_probe_create(carom_lab *lab, const carom_probe_desc *desc, carom_probe **probe);
CAROM_API void carom_probe_destroy(carom_probe *probe); /* NULL is allowed */

/* Discards all results; the next sample is the first again. */
CAROM_API void carom_probe_forget(carom_probe *probe);

/* Arrays belong to the probe and are valid until the laboratory runs again or the probe is destroyed. Results without
 * samples are NaN. */
typedef struct carom_probe_measures {
    double interval, window; /* with defaults resolved */
    uint64_t samples, windows;

    /* Pairs, [bins], by bins of `range`. */
    size_t bins;
    double range;
    const double *g;  /* g(r) */
    const double *g6; /* the mean of Re psi6_i conj(psi6_j), of pairs at that distance */

    /* Structure factor, [waves], periodic boxes only; else waves is 0. */
    size_t waves;
    const carom_wave *wave;
    const double *structure; /* S(k) */

    /* Motion, means over disks (a regular selection of at most 65,536) and samples. `short_`: at the ends of `lags`
     * parts of a window; `long_`: after 2^level intervals, by unwrapped positions. NaN before the first sample. */
    size_t lags;
    const double *short_displacement, *short_velocity; /* [lags]: mean square displacement, v(0).v(t) */
    double long_displacement[CAROM_PROBE_LEVELS], long_velocity[CAROM_PROBE_LEVELS];

    /* Free times between two collisions of a disk with others, [lags], by bins of half a window: the share of those
     * that began in the first half of a window. Longer ones are missing, so the shares add up to less than 1. */
    const double *free_times;
    uint64_t free_count; /* that began */

    /* A value for each sample or window, in order of time: [samples], [windows]. */
    const double *psi6; /* the length of the mean of psi6 over disks, by equal weights */
    const double *pxx, *pxy,
        *pyy; /* pressure tensor: kinetic part at the window's beginning, and collisions of disks */
    carom_series psi6_series, pressure_series; /* of these: psi6, and (pxx + pyy) / 2 */

    carom_status status; /* the first error while samples were taken; CAROM_OK: none */
} carom_probe_measures;

/* The pressure is the mechanical one. To compare a periodic box of zero total momentum with systems of many disks,
 * multiply the collisions' part by (N - 1) / N, as carom_gas_measures does. */
CAROM_API carom_status carom_probe_results(carom_probe *probe, carom_probe_measures *measures);

#ifdef __cplusplus
}
#endif

#endif
