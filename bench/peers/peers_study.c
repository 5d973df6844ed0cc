/* SPDX-License-Identifier: MIT
 * Accuracy of an engine against exact runs: see peers_study.h.
 */
#include "peers_study.h"

#include "bench/common/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CIRCLES 4
#define RUNS 64         /* exact runs, from which impacts are taken */
#define RUN_TICKS 1000u /* of each */
#define WINDOW 3u       /* ticks: an engine may find an overlap in the tick after it */
#define BATCH 64        /* impacts at a time: worlds of some peers are large */
#define LONG_WORLDS 16
#define LONG_TICKS 10000
#define LONG_TICKS_QUICK 200
#define DEGREES (180 / 3.14159265358979323846)

/* ---- scenes ---- */

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 32) * 0x1p-32;
}

peer_scene carom_peers_scene(size_t worlds, size_t circles, double coverage)
{
    const double r = PEERS_RADIUS, shape = 16.0 / 9;
    peer_scene s = {worlds, circles, 16, 9, r, NULL};
    if (coverage > 0) {
        s.height = sqrt((double)circles * 3.14159265358979 * r * r / coverage / shape);
        s.width = shape * s.height;
    }
    const size_t rows = (size_t)(sqrt((double)circles / shape) + 0.5), columns = (circles + rows - 1) / rows;
    const double w = s.width / (double)columns, h = s.height / (double)rows;
    peer_circle *start = carom_bench_take(worlds * circles, sizeof *start);
    uint64_t state = 1;
    for (size_t i = 0; i < worlds * circles; i++) {
        const size_t cell = i % circles;
        const double speed = PEERS_SPEED * sqrt(draw(&state)), angle = 360 / DEGREES * draw(&state);
        start[i] = (peer_circle){
            (double)(cell % columns) * w + r + (w - 2 * r) * draw(&state),
            (double)(cell / columns) * h + r + (h - 2 * r) * draw(&state),
            speed * cos(angle),
            speed * sin(angle),
        };
    }
    s.start = start;
    return s;
}

/* ---- impacts ---- */

/* An impact that is to be met: the world at the start of its tick, and WINDOW ticks later. */
typedef struct encounter {
    peer_circle before[CIRCLES], after[CIRCLES];
    int pair[2];
} encounter;

static encounter *encounters;
static size_t encounter_count;

static void take_encounters(void)
{
    const peer_scene scene = carom_peers_scene(RUNS, CIRCLES, 0);
    const size_t row = RUNS * CIRCLES;
    peer_circle *states = carom_bench_take((RUN_TICKS + 1) * row, sizeof *states);
    unsigned char *busy = carom_bench_take(RUN_TICKS * row, 1); /* impacts of each circle by tick, walls included */
    peer_impact *impacts = carom_bench_take(RUN_TICKS * row, sizeof *impacts); /* 2 a world and tick are too many */
    size_t first[RUN_TICKS + 1] = {0}, count = 0;
    void *worlds = carom_peer_plain.create(&carom_peer_plain, &scene);
    memset(busy, 0, RUN_TICKS * row);
    carom_peer_plain.read(worlds, states);
    for (size_t t = 0; t < RUN_TICKS; t++) {
        count += carom_peer_plain_tick(worlds, impacts + count, RUN_TICKS * row - count);
        first[t + 1] = count;
        carom_peer_plain.read(worlds, states + (t + 1) * row);
        for (size_t k = first[t]; k < count; k++) {
            const size_t world = t * row + impacts[k].world * CIRCLES;
            busy[world + (size_t)impacts[k].first]++;
            if (impacts[k].second >= 0) {
                busy[world + (size_t)impacts[k].second]++;
            }
        }
    }
    encounters = carom_bench_take(count, sizeof *encounters);
    for (size_t t = 0; t + WINDOW <= RUN_TICKS; t++) {
        for (size_t k = first[t]; k < first[t + 1]; k++) {
            const size_t world = t * row + impacts[k].world * CIRCLES;
            unsigned met = 0;
            for (size_t u = 0; impacts[k].second >= 0 && u < WINDOW; u++) {
                met += busy[world + u * row + (size_t)impacts[k].first];
                met += busy[world + u * row + (size_t)impacts[k].second];
            }
            if (met == 2) {
                encounter *e = &encounters[encounter_count++];
                memcpy(e->before, states + world, sizeof e->before);
                memcpy(e->after, states + world + WINDOW * row, sizeof e->after);
                e->pair[0] = impacts[k].first;
                e->pair[1] = impacts[k].second;
            }
        }
    }
    carom_peer_plain.destroy(worlds);
    free((void *)(uintptr_t)scene.start);
    free(states);
    free(busy);
    free(impacts);
}

static bool has_met(const encounter *e, const peer_circle *found)
{
    for (int k = 0; k < 2; k++) {
        const peer_circle a = e->before[e->pair[k]], b = e->after[e->pair[k]], f = found[e->pair[k]];
        if (hypot(f.vx - a.vx, f.vy - a.vy) >= 0.01 * hypot(b.vx - a.vx, b.vy - a.vy)) {
            return true;
        }
    }
    return false;
}

static double angle_between(peer_circle a, peer_circle b)
{
    return DEGREES * fabs(atan2(a.vx * b.vy - a.vy * b.vx, a.vx * b.vx + a.vy * b.vy));
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

peers_accuracy carom_peers_impacts(const peer *p, unsigned sub_ticks)
{
    if (encounters == NULL) {
        take_encounters();
    }
    peers_accuracy result = {.impacts = encounter_count};
    double *errors = carom_bench_take(2 * encounter_count, sizeof *errors);
    size_t met = 0;
    for (size_t from = 0; from < encounter_count; from += BATCH) {
        const size_t n = encounter_count - from < BATCH ? encounter_count - from : BATCH;
        peer_circle circles[BATCH][CIRCLES];
        peer_scene scene = {n, CIRCLES, 16, 9, PEERS_RADIUS, circles[0]};
        for (size_t i = 0; i < n; i++) {
            memcpy(circles[i], encounters[from + i].before, sizeof circles[i]);
        }
        void *worlds = p->create(p, &scene);
        p->step(worlds, WINDOW, sub_ticks);
        p->read(worlds, circles[0]);
        p->destroy(worlds);
        for (size_t i = 0; i < n; i++) {
            const encounter *e = &encounters[from + i];
            if (has_met(e, circles[i])) {
                errors[2 * met] = angle_between(circles[i][e->pair[0]], e->after[e->pair[0]]);
                errors[2 * met + 1] = angle_between(circles[i][e->pair[1]], e->after[e->pair[1]]);
                met++;
            }
        }
    }
    if (met == 0) {
        carom_bench_die("%s has met none of %zu impacts", p->name, encounter_count);
    }
    qsort(errors, 2 * met, sizeof *errors, compare_doubles);
    result.met = (double)met / (double)encounter_count;
    result.direction = errors[met];
    result.direction_90 = errors[2 * met * 9 / 10];
    free(errors);
    return result;
}

/* ---- many ticks ---- */

static double energy_of(const peer_circle *c)
{
    double sum = 0;
    for (size_t i = 0; i < CIRCLES; i++) {
        sum += (c[i].vx * c[i].vx + c[i].vy * c[i].vy) / 2;
    }
    return sum;
}

static double overlap_of(const peer_circle *c)
{
    double deepest = 0;
    for (size_t i = 0; i < CIRCLES; i++) {
        for (size_t j = 0; j < i; j++) {
            const double overlap = 2 - hypot(c[i].x - c[j].x, c[i].y - c[j].y) / PEERS_RADIUS;
            deepest = overlap > deepest ? overlap : deepest;
        }
    }
    return deepest;
}

peers_accuracy carom_peers_accuracy(const peer *p, unsigned sub_ticks, int quick)
{
    peers_accuracy result = carom_peers_impacts(p, sub_ticks);
    const peer_scene scene = carom_peers_scene(LONG_WORLDS, CIRCLES, 0);
    peer_circle now[LONG_WORLDS][CIRCLES];
    void *worlds = p->create(p, &scene);
    for (int t = 0; t < (quick ? LONG_TICKS_QUICK : LONG_TICKS); t++) {
        p->step(worlds, 1, sub_ticks);
        p->read(worlds, now[0]);
        for (size_t w = 0; w < LONG_WORLDS; w++) {
            result.overlap = fmax(result.overlap, overlap_of(now[w]));
        }
    }
    p->destroy(worlds);
    result.least_energy = INFINITY;
    for (size_t w = 0; w < LONG_WORLDS; w++) {
        const double kept = energy_of(now[w]) / energy_of(scene.start + w * CIRCLES);
        result.energy += kept / LONG_WORLDS;
        result.least_energy = fmin(result.least_energy, kept);
    }
    free((void *)(uintptr_t)scene.start);
    return result;
}
