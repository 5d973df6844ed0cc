/* SPDX-License-Identifier: MIT
 * A world of fantastic_bits during a tick: the moving bodies, as rows of reals for tick/rounds.h, and the small
 * integers. The rules (rules.h) and the search for the next events (candidates.h) both work on this.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_TURN_H
#define CAROM_GAMES_FANTASTIC_BITS_TURN_H

#include "games/fantastic_bits/fantastic_bits.h"

#define RULES_FIELDS FB_FIELDS
#define RULES_PLAYERS 2
#define RULES_BODIES FB_BODIES
#define RULES_OBSERVATION CAROM_FANTASTIC_BITS_OBSERVATION
#define RULES_KINDS 2
#define RULES_MIXED
#define RULES_AGENTS (FB_WIZARDS / 2)
#define RULES_EGO CAROM_FANTASTIC_BITS_EGO
#define RULES_SCORED
#define RULES_DRAWN (2 * FB_NORMALISED_NUMBERS)
typedef fb_context rules_context;

#include "tick/run.h"

static_assert(RULES_KINDS == FB_KINDS, "every kind of action");

#if CAROM_REAL_BITS == 64
#define FB_RANGE FB_RANGE_F64
#else
#define FB_RANGE ((real)FB_RANGE_F32)
#endif

/* The row after those of the bodies: the elapsed part of the tick, from 0 to 1. */
#define BEGIN ROW(FB_BODIES, 0)

#define ROUNDS_ROWS (BEGIN + 1)
#define ROUNDS_BACK BEGIN
#define ROUNDS_LIMIT CAROM_FANTASTIC_BITS_STEPS
#define ROUNDS_FAR FB_RANGE
#define ROUNDS_FAST (2 * FB_RANGE)
#define ROUNDS_CANDIDATES
#include "tick/rounds.h"

/* A set of snaffles: bit k is snaffle k. */
typedef uint8_t fb_set;

/* The numbers of a world other than its bodies' motion. Fields of the state keep their name and meaning. */
typedef struct fb_ints {
    int8_t hold[FB_WIZARDS], wait[FB_WIZARDS];
    fb_set ignores[FB_SNAFFLES];
    fb_set alive;
    fb_set free, all; /* those alive and not held; those that this game has */
    uint8_t able;     /* bit i: wizard i can grab: its hand is empty and its wait over */
    bool none_alive;  /* no snaffle was alive when the forces acted */
    int8_t last[FB_BLUDGERS], score[2], mana[2];
    int8_t goals[2]; /* scored in this tick */
    bool handy;      /* hold, wait and ignores are not all idle: they are loaded, and written back */
    bool spelled;    /* a spell is active or cast: the last four arrays are loaded, and written back */
    bool scored;     /* a snaffle has gone into a goal: alive is written back */
    uint16_t events; /* so far in this tick */

    /* Undefined unless `spelled`. */
    int8_t countdown[FB_WIZARDS * FB_SPELLS], target[FB_WIZARDS * FB_SPELLS];
    int8_t cast[FB_WIZARDS], cast_target[FB_WIZARDS];
} fb_ints;

/* A number of a body, and the elapsed part of the tick, of the one world whose rows begin at `world`. */
#define AT(body, number) world[(size_t)ROW(body, number) * ROUNDS_ROOM]
#define AT_BEGIN world[(size_t)BEGIN * ROUNDS_ROOM]

static const int16_t fb_post_x[4] = {0, 0, FB_WIDTH, FB_WIDTH};
static const int16_t fb_post_y[4] = {FB_MOUTH_TOP, FB_MOUTH_BOTTOM, FB_MOUTH_TOP, FB_MOUTH_BOTTOM};

CAROM_LANE int fb_radius(int body)
{
    return body < FB_SNAFFLE ? FB_WIZARD_RADIUS : body < FB_BLUDGER ? FB_SNAFFLE_RADIUS : FB_BLUDGER_RADIUS;
}

CAROM_LANE real fb_mass(int body)
{
    return body < FB_SNAFFLE ? REAL(1.0) : body < FB_BLUDGER ? REAL(0.5) : REAL(8.0);
}

/* 1 / mass, which is exact. */
CAROM_LANE real fb_inverse(int body)
{
    return body < FB_SNAFFLE ? REAL(1.0) : body < FB_BLUDGER ? REAL(2.0) : REAL(0.125);
}

CAROM_LANE real fb_root(real a)
{
#if CAROM_REAL_BITS == 64
    return __builtin_sqrt(a);
#else
    return __builtin_sqrtf(a);
#endif
}

CAROM_LANE real fb_magnitude(real a)
{
#if CAROM_REAL_BITS == 64
    return __builtin_fabs(a);
#else
    return __builtin_fabsf(a);
#endif
}

/* Scales (x, y) to length 1; (0, 0) stays. */
CAROM_LANE void fb_unit(real *x, real *y)
{
    const real length = fb_root(*x * *x + *y * *y);
    *x = length == 0 ? 0 : *x / length;
    *y = length == 0 ? 0 : *y / length;
}

/* Moves the snaffle in a wizard's hand to its wizard. */
CAROM_LANE void fb_carry(const fb_ints *ints, real *world, int wizard)
{
    const int s = ints->hold[wizard];
    if (s >= 0) {
        AT(s, X) = AT(wizard, X);
        AT(s, Y) = AT(wizard, Y);
        AT(s, VX) = AT(wizard, VX);
        AT(s, VY) = AT(wizard, VY);
    }
}

CAROM_LANE fb_set fb_bit(int snaffle)
{
    return (fb_set)(1 << (snaffle - FB_SNAFFLE));
}

/* Updates the snaffles and wizards on which grabs depend, after hands have changed. */
CAROM_LANE void fb_hands(fb_ints *ints)
{
    ints->free = ints->alive;
    ints->able = 0;
    for (int i = 0; i < FB_WIZARDS; i++) {
        if (ints->hold[i] >= 0) {
            ints->free = (fb_set)(ints->free & ~fb_bit(ints->hold[i]));
        } else if (ints->wait[i] <= 0) {
            ints->able = (uint8_t)(ints->able | 1u << i);
        }
    }
}

#endif
