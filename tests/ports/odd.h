/* SPDX-License-Identifier: MIT
 * Worlds and numbers of the kinds that games seldom come to by themselves, for tests of programs: angles of many turns,
 * pods that touch exactly, races about to end, actions that are no numbers.
 */
#ifndef CAROM_TESTS_PORTS_ODD_H
#define CAROM_TESTS_PORTS_ODD_H

#include "test.h"

#include <math.h>
#include <stdlib.h>

/* A number of an action: one that some kind of action has a meaning for, or any. */
static inline double odd_number(uint64_t *rng)
{
    static const double special[] = {0.0, -0.0, 1,  -1,   0.95, -0.95,    0.5,       -0.5,    2,      3,
                                     100, 200,  -7, 1e30, NAN,  INFINITY, -INFINITY, 1048576, 2097152};
    switch (rng_below(rng, 4)) {
    case 0:
        return special[rng_below(rng, (int)(sizeof special / sizeof special[0]))];
    case 1:
        return rng_in(rng, -20, 220);
    case 2:
        return rng_in(rng, 0, 16000);
    default:
        return rng_in(rng, -1, 1);
    }
}

/* In a third of `rows` rows of actions some numbers become odd ones. */
static inline void make_odd_actions(carom_precision precision, void *actions, size_t rows, size_t row_numbers,
                                    uint64_t *rng)
{
    for (size_t k = 0; k < rows * row_numbers; k++) {
        if (k / row_numbers % 3 != 1 || !rng_one_in(rng, 2)) {
            continue;
        }
        const double number = odd_number(rng);
        const float narrow = (float)number;
        if (precision == CAROM_F32) {
            memcpy((float *)actions + k, &narrow, sizeof narrow);
        } else {
            memcpy((double *)actions + k, &number, sizeof number);
        }
    }
}

/* Options of csb, different for each seed: the number of maps, the rules, who takes part. */
static inline void choose_odd_options(const carom_game *game, void *options, uint64_t seed)
{
    static const struct {
        const char *name;
        double values[7]; /* by seed */
    } choices[] = {
        {"map_count", {1, 1024, 3, 17, 64, 300, 5}},
        {"rules", {0, 1, 0, 1, 0, 0, 0}},
        {"fair_timeouts", {0, 0, 1, 1, 0, 1, 0}},
        {"alone", {0, 0, 0, 0, 1, 0, 0}},
    };
    for (size_t k = 0; k < sizeof choices / sizeof choices[0] && game == carom_game_find("csb"); k++) {
        OK(carom_game_set_option(game, options, choices[k].name, choices[k].values[seed % 7], NULL));
    }
}

/* Sets a field of reals in one world of a batch of either precision. */
static inline void put_reals(carom_worlds *worlds, const char *name, size_t world, const double *values, size_t count)
{
    float narrow[16];
    assert_in_range(count, 1, 16);
    for (size_t k = 0; k < count; k++) {
        narrow[k] = (float)values[k];
    }
    const bool f32 = carom_worlds_describe(worlds).precision == CAROM_F32;
    set_field(worlds, name, world, 1, f32 ? (const void *)narrow : values);
}

enum { ODD_PODS = 4 };

/* Pods of csb around a checkpoint of their map: close enough to cross it, to collide, or in contact; so far from it
 * that their progress no longer counts the distance; some at integers, two of them exactly touching. */
static inline void put_pods(carom_worlds *worlds, size_t world, const int32_t about[2], uint64_t *rng)
{
    double x[ODD_PODS], y[ODD_PODS], vx[ODD_PODS], vy[ODD_PODS];
    static const double widths[] = {900, 3000, 40000};
    const double wide = widths[rng_below(rng, 3)], speed = rng_one_in(rng, 2) ? 100 : 1500;
    const bool exact = rng_one_in(rng, 2);
    for (size_t i = 0; i < ODD_PODS; i++) {
        x[i] = about[0] + rng_in(rng, -wide, wide);
        y[i] = about[1] + rng_in(rng, -wide, wide);
        vx[i] = rng_in(rng, -speed, speed);
        vy[i] = rng_in(rng, -speed, speed);
    }
    if (exact) {
        x[0] = about[0] + (rng_one_in(rng, 2) ? 600 : -1400);
        y[0] = about[1];
        x[1] = x[0] + 800;
        y[1] = y[0];
        x[2] = x[0];
        y[2] = y[0] - 800;
        vx[0] = vx[1] = rng_one_in(rng, 2) ? 0 : 40;
        vy[0] = vy[1] = vx[2] = vy[2] = 0;
    }
    put_reals(worlds, "x", world, x, ODD_PODS);
    put_reals(worlds, "y", world, y, ODD_PODS);
    put_reals(worlds, "vx", world, vx, ODD_PODS);
    put_reals(worlds, "vy", world, vy, ODD_PODS);
}

/* An angle of some half turns, or of as much more or less as a pod turns in a tick: to the number or the next one or
 * two. So a pod that looks for something ahead or behind finds it just within reach, or just not. */
static inline double odd_angle(carom_precision precision, uint64_t *rng)
{
    static const double pi = 3.141592653589793, reach = 0.31415926535897931;
    const int turns = rng_below(rng, 9) - 4, steps = rng_below(rng, 5) - 2, more = rng_below(rng, 3) - 1;
    double angle = precision == CAROM_F32 ? (double)((float)turns * (float)pi + (float)more * (float)reach)
                                          : turns * pi + more * reach;
    for (int k = 0; k < abs(steps); k++) {
        const double bound = steps < 0 ? -20 : 20;
        angle = precision == CAROM_F32 ? (double)nextafterf((float)angle, (float)bound) : nextafter(angle, bound);
    }
    return angle;
}

/* A world of csb: its pods have turned many times, and are about to pass a checkpoint, the last one or any, or to run
 * out of time; or the game is nearly over, or is played on after a pod has won. */
static inline void make_odd_race(carom_worlds *worlds, size_t world, uint64_t *rng)
{
    enum { MOST = 32 };
    int32_t map, points[MOST][2], about[2];
    uint32_t n, laps;
    get_field(worlds, "map", world, 1, &map);
    OK(carom_csb_get_map(worlds, (uint32_t)map, &n, &laps, points, MOST));

    double angles[ODD_PODS];
    int16_t next[ODD_PODS], timeouts[2];
    int8_t shields[ODD_PODS], boosted[ODD_PODS], won[ODD_PODS];
    const int16_t last = (int16_t)(n * laps), pod = (int16_t)rng_below(rng, ODD_PODS);
    for (size_t i = 0; i < ODD_PODS; i++) {
        static const double turned[] = {7, 100, 1e6};
        angles[i] = rng_one_in(rng, 2) ? odd_angle(carom_worlds_describe(worlds).precision, rng)
                                       : rng_in(rng, -1, 1) * turned[rng_below(rng, 3)];
        next[i] = (int16_t)(last - rng_below(rng, rng_one_in(rng, 2) ? 2 : last));
        shields[i] = (int8_t)rng_below(rng, 4);
        boosted[i] = rng_one_in(rng, 2);
        won[i] = rng_one_in(rng, 16);
    }
    for (size_t p = 0; p < 2; p++) {
        timeouts[p] = (int16_t)(1 + rng_below(rng, rng_one_in(rng, 2) ? 3 : 100));
    }
    if (rng_one_in(rng, 3)) {
        const int32_t tick = 499 - rng_below(rng, 12); /* of 500 */
        set_field(worlds, "tick", world, 1, &tick);
    }
    put_reals(worlds, "angle", world, angles, ODD_PODS);
    set_field(worlds, "next", world, 1, next);
    set_field(worlds, "timeout", world, 1, timeouts);
    set_field(worlds, "shield", world, 1, shields);
    set_field(worlds, "boosted", world, 1, boosted);
    set_field(worlds, "won", world, 1, won);
    memcpy(about, points[(uint32_t)next[pod] % n], sizeof about);
    put_pods(worlds, world, about, rng);
}

/* Some worlds of a batch of csb become odd; those of other games stay. */
static inline void make_odd_worlds(carom_worlds *worlds, uint64_t *rng)
{
    if (carom_worlds_describe(worlds).game != carom_game_find("csb")) {
        return;
    }
    for (size_t w = 0; w < carom_worlds_count(worlds); w++) {
        if (rng_one_in(rng, 2)) {
            make_odd_race(worlds, w, rng);
        }
    }
}

#endif
