/* SPDX-License-Identifier: MIT
 * Shared by the tests of the game fantastic_bits: the worlds of a batch as those of the reference, traces, random
 * commands.
 */
#ifndef CAROM_TESTS_GAMES_FANTASTIC_BITS_FANTASTIC_BITS_BATCH_H
#define CAROM_TESTS_GAMES_FANTASTIC_BITS_FANTASTIC_BITS_BATCH_H

#include "../tools/verify/fantastic_bits_trace.h"
#include "batch.h"
#include "fantastic_bits_reference.h"

#define BODIES FB_REF_BODIES
#define SEEN CAROM_FANTASTIC_BITS_OBSERVATION
#define FB_DATA CAROM_TEST_DATA "/fantastic_bits"

static inline const carom_game *fb_game(void)
{
    return carom_game_find("fantastic_bits");
}

static inline size_t fb_kind(const char *name)
{
    return find_kind(fb_game(), name);
}

static inline void *fb_member(void *world, const char *name, size_t *bytes)
{
    return fb_ref_field((fb_ref_world *)world, name, bytes);
}

/* Worlds [0, count). */
static inline void fb_get_worlds(const carom_worlds *worlds, size_t count, fb_ref_world *out)
{
    for (size_t w = 0; w < count; w++)
        get_world(worlds, w, fb_member, &out[w]);
}

static inline void fb_put_worlds(carom_worlds *worlds, size_t count, const fb_ref_world *in)
{
    for (size_t w = 0; w < count; w++) {
        fb_ref_world world = in[w];
        must(try_put_world(worlds, w, fb_member, &world), "carom_worlds_set_world");
    }
}

/* ---- random worlds and commands ---- */

/* Commands like those of bots, many without effect, and (odd) some that lose the game. */
static inline void fb_random_referee(uint64_t *random, const fb_ref_world *w, bool odd, double numbers[4][4])
{
    for (int i = 0; i < 4; i++) {
        double *n = numbers[i];
        int choice = rng_below(random, odd ? 40 : 36);
        memset(n, 0, 4 * sizeof *n);
        n[1] = rng_below(random, 16001);
        n[2] = rng_below(random, 7501);
        if (choice < 24) {
            bool throws = w->hold[i] >= 0 && choice < 20;
            n[0] = throws;
            n[3] = rng_below(random, throws ? 501 : 151);
            if (choice == 0)
                n[1] = w->x[i], n[2] = w->y[i];
            if (choice == 1)
                n[1] = -99999999, n[2] = 99999999;
            if (choice == 2)
                n[1] += 0.5, n[3] *= 0.25;
        } else if (choice < 36) {
            static const int targets[4] = {0, 1, 1, 1};
            n[0] = 2 + choice % 4;
            int spell = choice % 4;
            n[1] = 4 + w->snaffles + rng_below(random, 2); /* a bludger */
            if (targets[spell] && rng_one_in(random, 2)) {
                int s = rng_below(random, w->snaffles);
                if (w->alive[s])
                    n[1] = 4 + s;
            } else if ((spell == 1 || spell == 3) && rng_one_in(random, 2)) {
                n[1] = (i ^ 2) - rng_below(random, 2) * (i % 2);
            }
            n[2] = 0;
        } else {
            n[0] = rng_below(random, 9) - 1.5 * rng_below(random, 2);
            n[1] = rng_below(random, 22) - 2;
            n[3] = rng_below(random, 700) - 50;
            if (rng_one_in(random, 8))
                n[rng_below(random, 4)] = NAN;
            if (rng_one_in(random, 8))
                n[rng_below(random, 4)] = INFINITY;
        }
    }
}

static inline void fb_random_normalised(uint64_t *random, float numbers[20])
{
    for (int k = 0; k < 20; k++) {
        numbers[k] = (float)rng_in(random, -1.2, 1.2);
        if (rng_one_in(random, 200))
            numbers[k] = (float)NAN;
    }
}

/* A world that its rules allow, but play would hardly make: bodies in heaps, touching, at posts, walls and goals. */
static inline fb_ref_world fb_random_world(uint64_t *random)
{
    static const double distances[] = {0, 1, 150, 299, 300, 301, 349, 350, 351, 399, 400, 401, 600, 700, 799, 800, 801};
    static const double corners[][2] = {{0, 1750},  {0, 5750},     {16000, 1750}, {16000, 5750},
                                        {0, 3750},  {16000, 3750}, {0, 0},        {16000, 7500},
                                        {400, 400}, {15600, 7100}, {8000, 3750},  {150, 2000}};
    fb_ref_world w;
    fb_ref_start(&w, (int64_t)rng_next(random));
    const int style = rng_below(random, 4);
    const double fast = style == 3 ? 20000 : style == 2 ? 1000 : style == 1 ? 60 : 300;
    double cx = rng_below(random, 16001), cy = rng_below(random, 7501);
    for (int i = 0; i < BODIES; i++) {
        if (i >= 4 + w.snaffles && i < 11)
            continue;
        if (rng_one_in(random, 3))
            cx = rng_below(random, 16001), cy = rng_below(random, 7501);
        if (rng_one_in(random, 4)) {
            int corner = rng_below(random, (int)(sizeof corners / sizeof corners[0]));
            cx = corners[corner][0], cy = corners[corner][1];
        }
        double d = distances[rng_below(random, (int)(sizeof distances / sizeof distances[0]))];
        if (rng_one_in(random, 3))
            d = rng_below(random, 1500);
        double angle = rng_one_in(random, 2) ? rng_below(random, 4) * 1.5707963267948966 : rng_in(random, 0, 6.3);
        cx = floor(cx + d * cos(angle) + 0.5);
        cy = floor(cy + d * sin(angle) + 0.5);
        w.x[i] = cx, w.y[i] = cy;
        if (!rng_one_in(random, 4)) {
            w.vx[i] = floor(rng_in(random, -fast, fast));
            w.vy[i] = floor(rng_in(random, -fast, fast));
        }
        if (rng_one_in(random, 6))
            w.vx[i] = 0;
        if (rng_one_in(random, 6))
            w.vy[i] = 0;
    }
    for (int i = 0; i < 4; i++) {
        w.wait[i] = (int8_t)rng_below(random, rng_one_in(random, 2) ? 4 : 1);
        if (rng_one_in(random, 4)) {
            w.hold[i] = (int8_t)(4 + rng_below(random, w.snaffles)); /* two may hold the same one */
            if (rng_one_in(random, 2)) {
                int s = w.hold[i];
                w.x[s] = w.x[i], w.y[s] = w.y[i], w.vx[s] = w.vx[i], w.vy[s] = w.vy[i];
            }
        }
        for (int k = 0; k < 4; k++) {
            int slot = rng_below(random, 4 + w.snaffles + 2);
            slot = slot < 4 + w.snaffles ? slot : slot - 4 - w.snaffles + 11;
            if (rng_one_in(random, 5)) {
                w.countdown[4 * i + k] = (int8_t)rng_below(random, 7);
                w.target[4 * i + k] = (int8_t)(rng_one_in(random, 8) ? -1 : slot);
            }
            if (rng_one_in(random, 12)) {
                w.cast[i] = (int8_t)k;
                w.cast_target[i] = (int8_t)slot;
            }
        }
    }
    for (int s = 0; s < w.snaffles; s++) {
        w.alive[s] = !rng_one_in(random, 6);
        if (rng_one_in(random, 5))
            w.ignores[s] = (int8_t)(rng_below(random, 1 << w.snaffles) & ~(1 << s));
    }
    w.last[0] = (int8_t)(rng_below(random, 5) - 1);
    w.last[1] = (int8_t)(rng_below(random, 5) - 1);
    for (int p = 0; p < 2; p++) {
        w.mana[p] = (int8_t)rng_below(random, 101);
        w.score[p] = (int8_t)(rng_one_in(random, 10) ? -1 : rng_below(random, 5));
    }
    w.tick = rng_below(random, 205);
    if (rng_one_in(random, 60))
        w.vx[rng_below(random, BODIES)] = 33554432;
    if (rng_one_in(random, 60))
        w.x[rng_below(random, 4)] = 16777216;
    return w;
}

#endif
