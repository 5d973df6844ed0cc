/* SPDX-License-Identifier: MIT
 * The probe: structure, motion and pressure from a laboratory's samples and events.
 */
#include <carom/probe.h>

#include "base/fpenv.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define FOLLOWED 65536    /* disks whose motion is followed, at most */
#define FREE_TIMES 1200.0 /* between samples */
#define WINDOWS 64        /* in an interval */

/* A growing list of numbers. */
typedef struct number_list {
    double *values;
    size_t count, room;
} number_list;

enum { PSI6, PXX, PXY, PYY, LISTS };

struct carom_probe {
    carom_lab *lab;
    unsigned number; /* of the watcher */
    carom_probe_desc desc;
    carom_region region;
    size_t bodies, every, followed; /* every `every`-th disk is followed */
    double area;
    carom_status status;
    uint64_t samples, windows;

    /* Structure. */
    uint64_t *counts;
    double *sums, *expected, *g, *g6; /* [bins] */
    double *re, *im;                  /* psi6 [bodies] */
    size_t waves;
    carom_wave *wave;
    double *wave_sums, *structure; /* [waves] */

    /* Motion, by followed disk: the initial state of each level, and the state within a window. */
    double *origin[CAROM_PROBE_LEVELS]; /* [4 followed]: unwrapped x, y, vx, vy */
    double long_sums[2][CAROM_PROBE_LEVELS];
    uint64_t long_counts[CAROM_PROBE_LEVELS];
    double *start;                /* [2 followed]: velocity at the window's beginning */
    double *now;                  /* [4 followed]: displacement since then, velocity */
    double *since;                /* [followed]: the time of `now` */
    double *short_sums[2];        /* [lags] */
    uint64_t *short_counts;       /* [lags] */
    double *short_mean[2];        /* [lags] */
    double window_begin;          /* NaN: no sample yet */
    size_t lag;                   /* the next one of this window */
    double tensor[3], kinetic[3]; /* of this window: xx, xy, yy */

    /* Free times: the last collision of each disk in this window, NaN if none or if it was too late. */
    double *last; /* [bodies] */
    uint64_t *free_counts, free_begun;
    double *free_times; /* [lags] */

    number_list lists[LISTS];
    double *pressure; /* [windows], for its series */
    unsigned char *memory;
};

carom_probe_desc carom_probe_desc_default(void)
{
    const carom_probe_desc desc = {.size = sizeof desc, .bins = 256, .wave_bins = 64, .directions = 6, .lags = 32};
    return desc;
}

/* ---- lists ---- */

static bool list_add(number_list *list, double value)
{
    if (list->count == list->room) {
        const size_t room = list->room * 2 + 256;
        double *more = realloc(list->values, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        list->values = more;
        list->room = room;
    }
    list->values[list->count++] = value;
    return true;
}

/* Keeps the first error. */
static void note(carom_probe *p, carom_status status)
{
    p->status = p->status == CAROM_OK ? status : p->status;
}

/* ---- windows: motion, free times and pressure from events ---- */

/* Moves a followed disk to `time`, along its parabola. */
static void move(carom_probe *p, size_t k, double time)
{
    double *d = p->now + 4 * k;
    const double dt = time - p->since[k];
    d[0] += (d[2] + p->desc.ax * dt / 2) * dt;
    d[1] += (d[3] + p->desc.ay * dt / 2) * dt;
    d[2] += p->desc.ax * dt;
    d[3] += p->desc.ay * dt;
    p->since[k] = time;
}

/* Measures the motion at the ends of the parts of a window that are complete by `time`. */
static void pass_lags(carom_probe *p, double time)
{
    const double part = p->desc.window / (double)p->desc.lags;
    for (; p->lag < p->desc.lags && p->window_begin + part * (double)(p->lag + 1) <= time; p->lag++) {
        const double end = p->window_begin + part * (double)(p->lag + 1);
        double square = 0, product = 0;
        for (size_t k = 0; k < p->followed; k++) {
            move(p, k, end);
            const double *d = p->now + 4 * k, *v = p->start + 2 * k;
            square += d[0] * d[0] + d[1] * d[1];
            product += v[0] * d[2] + v[1] * d[3];
        }
        p->short_sums[0][p->lag] += square / (double)p->followed;
        p->short_sums[1][p->lag] += product / (double)p->followed;
        p->short_counts[p->lag]++;
    }
}

/* A disk gets an impulse. */
static void push(carom_probe *p, uint32_t body, double jx, double jy, double mass, double time)
{
    const size_t k = body / p->every;
    if (body % p->every == 0) {
        move(p, k, time);
        p->now[4 * k + 2] += jx / mass;
        p->now[4 * k + 3] += jy / mass;
    }
}

/* A disk collides with another one: the end of a free time, and the start of one if that can be followed. */
static void free_time(carom_probe *p, uint32_t body, double time)
{
    const double half = p->desc.window / 2, taken = time - p->last[body];
    if (taken < half) {
        const size_t bin = (size_t)(taken / half * (double)p->desc.lags);
        p->free_counts[bin < p->desc.lags ? bin : p->desc.lags - 1]++;
    }
    const bool begins = time - p->window_begin < half;
    p->last[body] = begins ? time : NAN;
    p->free_begun += begins;
}

static bool take_events(void *user, const carom_lab_event *events, size_t count)
{
    carom_probe *p = user;
    carom_lab_info info;
    if (isnan(p->window_begin) || carom_lab_describe(p->lab, &info) != CAROM_OK) {
        return true;
    }
    for (size_t e = 0; e < count; e++) {
        const carom_lab_event *event = &events[e];
        pass_lags(p, event->time);
        push(p, event->first, event->jx, event->jy, info.masses[event->first], event->time);
        if (event->kind == CAROM_IMPACT_BODY) {
            push(p, event->second, -event->jx, -event->jy, info.masses[event->second], event->time);
            free_time(p, event->first, event->time);
            free_time(p, event->second, event->time);

            /* The vector between the centres, times the impulse, which has its direction. */
            const double size = hypot(event->jx, event->jy);
            const double reach = size > 0 ? (info.radii[event->first] + info.radii[event->second]) / size : 0;
            p->tensor[0] += reach * event->jx * event->jx;
            p->tensor[1] += reach * event->jx * event->jy;
            p->tensor[2] += reach * event->jy * event->jy;
        }
    }
    return true;
}

/* Includes the completed window in the results. */
static void end_window(carom_probe *p)
{
    if (isnan(p->window_begin)) {
        return;
    }
    pass_lags(p, INFINITY);
    bool whole = true;
    for (int k = 0; k < 3; k++) {
        whole = list_add(&p->lists[PXX + k], (p->kinetic[k] + p->tensor[k] / p->desc.window) / p->area) && whole;
    }
    if (!whole) {
        note(p, CAROM_ERROR_MEMORY);
    }
    p->windows++;
}

static void begin_window(carom_probe *p, const carom_lab_frame *frame)
{
    carom_lab_info info;
    p->window_begin = frame->time;
    p->lag = 0;
    memset(p->tensor, 0, sizeof p->tensor);
    memset(p->kinetic, 0, sizeof p->kinetic);
    if (carom_lab_describe(p->lab, &info) != CAROM_OK) {
        return;
    }

    for (size_t i = 0; i < p->bodies; i++) {
        p->last[i] = NAN;
        if (isfinite(info.masses[i])) {
            p->kinetic[0] += info.masses[i] * frame->vx[i] * frame->vx[i];
            p->kinetic[1] += info.masses[i] * frame->vx[i] * frame->vy[i];
            p->kinetic[2] += info.masses[i] * frame->vy[i] * frame->vy[i];
        }
    }
    for (size_t k = 0; k < p->followed; k++) {
        const size_t i = k * p->every;
        p->start[2 * k] = frame->vx[i];
        p->start[2 * k + 1] = frame->vy[i];
        p->now[4 * k] = p->now[4 * k + 1] = 0;
        p->now[4 * k + 2] = frame->vx[i];
        p->now[4 * k + 3] = frame->vy[i];
        p->since[k] = frame->time;
    }
}

/* ---- samples ---- */

/* Long lags: each level compares with its state 2^level samples ago. */
static void take_motion(carom_probe *p, const carom_lab_frame *frame)
{
    for (unsigned level = 0; level < CAROM_PROBE_LEVELS; level++) {
        if (p->samples % (UINT64_C(1) << level) != 0) {
            break;
        }
        double square = 0, product = 0;
        for (size_t k = 0; k < p->followed; k++) {
            const size_t i = k * p->every;
            double *o = p->origin[level] + 4 * k;
            const double dx = frame->ux[i] - o[0], dy = frame->uy[i] - o[1];
            square += dx * dx + dy * dy;
            product += o[2] * frame->vx[i] + o[3] * frame->vy[i];
            o[0] = frame->ux[i];
            o[1] = frame->uy[i];
            o[2] = frame->vx[i];
            o[3] = frame->vy[i];
        }
        if (p->samples > 0) {
            p->long_sums[0][level] += square / (double)p->followed;
            p->long_sums[1][level] += product / (double)p->followed;
            p->long_counts[level]++;
        }
    }
}

static void take_structure(carom_probe *p, const carom_lab_frame *frame)
{
    const size_t n = p->bodies;
    carom_status status = carom_measure_order(&p->region, n, frame->x, frame->y, false, p->re, p->im, NULL);
    if (status == CAROM_OK) {
        status = carom_measure_pairs(&p->region, n, frame->x, frame->y, p->desc.range, p->desc.bins, p->counts, p->re,
                                     p->im, p->sums);
    }
    if (status == CAROM_OK && p->waves > 0) {
        status = carom_measure_structure(&p->region, n, frame->x, frame->y, p->waves, p->wave, p->wave_sums);
    }
    note(p, status);

    double re = 0, im = 0;
    for (size_t i = 0; i < n; i++) {
        re += p->re[i];
        im += p->im[i];
    }
    if (!list_add(&p->lists[PSI6], hypot(re, im) / (double)n)) {
        note(p, CAROM_ERROR_MEMORY);
    }
}

static bool take_sample(void *user, const carom_lab_frame *frame)
{
    carom_probe *p = user;
    end_window(p);
    take_structure(p, frame);
    take_motion(p, frame);
    p->samples++;
    begin_window(p, frame);
    return true;
}

/* ---- create ---- */

/* An interval of about FREE_TIMES mean free times, a power of two, by Henderson's contact value; 0 if nothing moves. */
static double usual_interval(const carom_lab_info *info, double energy, double mass, double diameter)
{
    double covered = 0;
    for (size_t i = 0; i < info->bodies; i++) {
        covered += PI * info->radii[i] * info->radii[i];
    }
    const double packing = fmin(covered / (info->width * info->height), 0.9);
    const double contact = (1 - 7 * packing / 16) / ((1 - packing) * (1 - packing));
    const double rate = 8 * packing * contact / sqrt(PI) * sqrt(energy / mass) / diameter;
    return rate > 0 ? exp2(ceil(log2(FREE_TIMES / rate))) : 0;
}

/* Fills in the caller's omissions. */
static carom_status complete(carom_lab *lab, const carom_lab_info *info, carom_probe_desc *d)
{
    const size_t n = info->bodies;
    double *v = carom_memory_take(2 * n * sizeof *v);
    if (v == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    carom_status status = carom_lab_get(lab, NULL, NULL, v, v + n);
    double energy = 0, mass = 0, diameter = 0, moving = 0;
    for (size_t i = 0; i < n && status == CAROM_OK; i++) {
        diameter += 2 * info->radii[i] / (double)n;
        if (isfinite(info->masses[i])) {
            energy += info->masses[i] * (v[i] * v[i] + v[n + i] * v[n + i]) / 2;
            mass += info->masses[i];
            moving++;
        }
    }
    carom_memory_release(v);
    if (status != CAROM_OK) {
        return status;
    }

    if (d->interval == 0 && moving > 0) {
        d->interval = usual_interval(info, energy / moving, mass / moving, diameter);
    }
    d->window = d->window == 0 ? d->interval / WINDOWS : d->window;
    d->greatest = d->greatest == 0 ? 4 * PI / diameter : d->greatest;
    if (d->range == 0) {
        const double x = info->periodic_x ? info->width / 2 : info->width - diameter;
        const double y = info->periodic_y ? info->height / 2 : info->height - diameter;
        d->range = fmin(8 * diameter, fmin(x, y));
    }
    const bool valid = d->interval > 0 && isfinite(d->interval) && d->window > 0 && d->window <= d->interval &&
                       d->range > 0 && d->bins >= 1 && d->bins <= 1000000 && d->greatest > 0 && d->wave_bins >= 1 &&
                       d->wave_bins <= 100000 && d->directions >= 1 && d->directions <= 1000 && d->lags >= 1 &&
                       d->lags <= 1000000 && isfinite(d->ax) && isfinite(d->ay);
    return valid ? CAROM_OK : CAROM_ERROR_VALUE;
}

/* The range of centres: along a closed axis a radius off the ends, and a little more for rounding. */
static carom_region region_of(const carom_lab_info *info)
{
    double least = INFINITY;
    for (size_t i = 0; i < info->bodies; i++) {
        least = fmin(least, info->radii[i]);
    }
    least *= 0.999;
    const double x = info->periodic_x ? 0 : least, y = info->periodic_y ? 0 : least;
    const carom_region region = {.x0 = info->x0 + x,
                                 .y0 = info->y0 + y,
                                 .width = info->width - 2 * x,
                                 .height = info->height - 2 * y,
                                 .periodic_x = info->periodic_x,
                                 .periodic_y = info->periodic_y};
    return region;
}

/* Lays the arrays out in `memory`; returns their size. */
static size_t lay_out(carom_probe *p, unsigned char *memory)
{
    const size_t bins = p->desc.bins, lags = p->desc.lags, waves = p->desc.wave_bins * p->desc.directions,
                 n = p->followed;
    const size_t number = sizeof(double);
    size_t used = 0;
    p->counts = memory_part(memory, &used, bins * sizeof *p->counts);
    p->sums = memory_part(memory, &used, bins * number);
    p->expected = memory_part(memory, &used, bins * number);
    p->g = memory_part(memory, &used, bins * number);
    p->g6 = memory_part(memory, &used, bins * number);
    p->re = memory_part(memory, &used, p->bodies * number);
    p->im = memory_part(memory, &used, p->bodies * number);
    p->last = memory_part(memory, &used, p->bodies * number);
    p->wave = memory_part(memory, &used, waves * sizeof *p->wave);
    p->wave_sums = memory_part(memory, &used, waves * number);
    p->structure = memory_part(memory, &used, waves * number);
    for (unsigned level = 0; level < CAROM_PROBE_LEVELS; level++) {
        p->origin[level] = memory_part(memory, &used, 4 * n * number);
    }
    p->start = memory_part(memory, &used, 2 * n * number);
    p->now = memory_part(memory, &used, 4 * n * number);
    p->since = memory_part(memory, &used, n * number);
    for (int k = 0; k < 2; k++) {
        p->short_sums[k] = memory_part(memory, &used, lags * number);
        p->short_mean[k] = memory_part(memory, &used, lags * number);
    }
    p->short_counts = memory_part(memory, &used, lags * sizeof *p->short_counts);
    p->free_counts = memory_part(memory, &used, lags * sizeof *p->free_counts);
    p->free_times = memory_part(memory, &used, lags * number);
    return used;
}

static carom_status create(carom_lab *lab, const carom_lab_info *info, carom_probe *p)
{
    carom_status status = complete(lab, info, &p->desc);
    if (status != CAROM_OK) {
        return status;
    }
    p->lab = lab;
    p->bodies = info->bodies;
    p->region = region_of(info);
    p->area = info->width * info->height;
    p->every = 1 + (info->bodies - 1) / FOLLOWED;
    p->followed = 1 + (info->bodies - 1) / p->every;

    p->memory = carom_memory_take(lay_out(p, NULL));
    if (p->memory == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    (void)lay_out(p, p->memory);
    status = carom_measure_pairs_expected(&p->region, p->bodies, p->desc.range, p->desc.bins, p->expected);
    if (status == CAROM_OK && info->periodic_x && info->periodic_y) {
        status = carom_measure_waves(&p->region, p->desc.greatest, p->desc.wave_bins, p->desc.directions, p->wave,
                                     &p->waves);
    }
    if (status != CAROM_OK) {
        return status;
    }

    carom_probe_forget(p);
    const carom_lab_watcher watcher = {.interval = p->desc.interval,
                                       .sample = take_sample,
                                       .window = p->desc.window,
                                       .events = take_events,
                                       .user = p};
    return carom_lab_watch(lab, &watcher, &p->number);
}

static void release(carom_probe *p)
{
    for (int k = 0; k < LISTS; k++) {
        free(p->lists[k].values);
    }
    free(p->pressure);
    carom_memory_release(p->memory);
    carom_memory_release(p);
}

carom_status carom_probe_create(carom_lab *lab, const carom_probe_desc *desc, carom_probe **probe)
{
    carom_lab_info info;
    if (probe == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *probe = NULL;
    if (lab == NULL || desc == NULL || desc->size != sizeof *desc || carom_lab_describe(lab, &info) != CAROM_OK ||
        info.bodies == 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!(info.width > 0 && info.height > 0)) {
        return CAROM_ERROR_VALUE;
    }
    carom_probe *p = carom_memory_take(sizeof *p);
    if (p == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    p->desc = *desc;
    const fp_environment caller = fp_begin();
    const carom_status status = create(lab, &info, p);
    fp_end(caller);
    if (status != CAROM_OK) {
        release(p);
        return status;
    }
    *probe = p;
    return CAROM_OK;
}

void carom_probe_destroy(carom_probe *probe)
{
    if (probe != NULL) {
        (void)carom_lab_unwatch(probe->lab, probe->number);
        release(probe);
    }
}

void carom_probe_forget(carom_probe *probe)
{
    if (probe == NULL) {
        return;
    }
    carom_probe *p = probe;
    p->samples = p->windows = p->free_begun = 0;
    p->status = CAROM_OK;
    p->window_begin = NAN;
    memset(p->counts, 0, p->desc.bins * sizeof *p->counts);
    memset(p->sums, 0, p->desc.bins * sizeof *p->sums);
    memset(p->wave_sums, 0, p->waves * sizeof *p->wave_sums);
    memset(p->long_sums, 0, sizeof p->long_sums);
    memset(p->long_counts, 0, sizeof p->long_counts);
    memset(p->short_counts, 0, p->desc.lags * sizeof *p->short_counts);
    memset(p->free_counts, 0, p->desc.lags * sizeof *p->free_counts);
    for (int k = 0; k < 2; k++) {
        memset(p->short_sums[k], 0, p->desc.lags * sizeof(double));
    }
    for (int k = 0; k < LISTS; k++) {
        p->lists[k].count = 0;
    }
}

/* ---- results ---- */

static carom_series series_of(size_t n, const double *values)
{
    carom_series series = {NAN, NAN, 1, NAN, false};
    if (n > 0) {
        (void)carom_measure_series(n, values, &series);
    }
    return series;
}

static double ratio(double sum, double count)
{
    return count > 0 ? sum / count : NAN;
}

/* Divides sums by the number of samples. */
static void average(carom_probe *p, carom_probe_measures *m)
{
    for (size_t k = 0; k < p->desc.bins; k++) {
        p->g[k] = ratio((double)p->counts[k], (double)p->samples * p->expected[k]);
        p->g6[k] = ratio(p->sums[k], (double)p->counts[k]);
    }
    for (size_t w = 0; w < p->waves; w++) {
        p->structure[w] = ratio(p->wave_sums[w], (double)p->samples);
    }
    for (size_t k = 0; k < p->desc.lags; k++) {
        p->short_mean[0][k] = ratio(p->short_sums[0][k], (double)p->short_counts[k]);
        p->short_mean[1][k] = ratio(p->short_sums[1][k], (double)p->short_counts[k]);
        p->free_times[k] = ratio((double)p->free_counts[k], (double)p->free_begun);
    }
    for (unsigned level = 0; level < CAROM_PROBE_LEVELS; level++) {
        m->long_displacement[level] = ratio(p->long_sums[0][level], (double)p->long_counts[level]);
        m->long_velocity[level] = ratio(p->long_sums[1][level], (double)p->long_counts[level]);
    }
}

carom_status carom_probe_results(carom_probe *probe, carom_probe_measures *measures)
{
    if (probe == NULL || measures == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    carom_probe *p = probe;
    double *pressure = realloc(p->pressure, (p->windows + 1) * sizeof *pressure);
    if (pressure == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    p->pressure = pressure;

    const fp_environment caller = fp_begin();
    carom_probe_measures m = {.interval = p->desc.interval,
                              .window = p->desc.window,
                              .samples = p->samples,
                              .windows = p->windows,
                              .bins = p->desc.bins,
                              .range = p->desc.range,
                              .g = p->g,
                              .g6 = p->g6,
                              .waves = p->waves,
                              .wave = p->wave,
                              .structure = p->structure,
                              .lags = p->desc.lags,
                              .short_displacement = p->short_mean[0],
                              .short_velocity = p->short_mean[1],
                              .free_times = p->free_times,
                              .free_count = p->free_begun,
                              .psi6 = p->lists[PSI6].values,
                              .pxx = p->lists[PXX].values,
                              .pxy = p->lists[PXY].values,
                              .pyy = p->lists[PYY].values,
                              .status = p->status};
    average(p, &m);
    for (size_t k = 0; k < p->windows; k++) {
        pressure[k] = (m.pxx[k] + m.pyy[k]) / 2;
    }
    m.psi6_series = series_of(p->samples, m.psi6);
    m.pressure_series = series_of(p->windows, pressure);
    fp_end(caller);
    *measures = m;
    return CAROM_OK;
}
