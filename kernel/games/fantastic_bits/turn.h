/* SPDX-License-Identifier: MIT
 * Worlds of fantastic_bits during a tick: what moves, as rows of reals for tick/rounds.h, and for each world the small
 * integers that the rules for single worlds use.
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

/* Rows of a world in motion: element i of X, Y, VX, VY is body i. BEGIN: how much of the tick is past, from 0 to 1. */
enum { X = 0, Y = FB_BODIES, VX = 2 * FB_BODIES, VY = 3 * FB_BODIES, BEGIN = 4 * FB_BODIES };

#define ROUNDS_ROWS (BEGIN + 1)
#define ROUNDS_BACK BEGIN
#define ROUNDS_LIMIT CAROM_FANTASTIC_BITS_STEPS
#define ROUNDS_LOOKS
#include "tick/rounds.h"

/* Meetings: pairs that bounce off each other, and hands that can grab a snaffle. */
#define FB_PAIRS 50
#define FB_MEETINGS (FB_PAIRS + FB_WIZARDS * FB_SNAFFLES)

/* A set of snaffles: bit k is snaffle k. */
typedef uint8_t fb_set;

/* What a world knows beside its bodies' motion. Fields of the state keep their name and meaning. */
typedef struct fb_ints {
    int8_t hold[FB_WIZARDS], wait[FB_WIZARDS];
    fb_set ignores[FB_SNAFFLES];
    fb_set alive;
    fb_set free, all; /* those alive and in no hand; those that this game has */
    uint8_t able;     /* bit i: wizard i can grab, as its hand is empty and its wait over */
    bool none_alive;  /* no snaffle was alive when the forces acted */
    int8_t last[FB_BLUDGERS], score[2], mana[2];
    int8_t goals[2]; /* scored in this tick */
    bool handy;      /* hold, wait and ignores are not all idle: they are loaded, and written back */
    bool spelled;    /* a spell runs or is cast: the last four arrays are loaded, and written back */
    bool scored;     /* a snaffle has gone into a goal: alive is written back */
    uint16_t events; /* so far in this tick */

    /* Undefined unless `spelled`. */
    int8_t countdown[FB_WIZARDS * FB_SPELLS], target[FB_WIZARDS * FB_SPELLS];
    int8_t cast[FB_WIZARDS], cast_target[FB_WIZARDS];
} fb_ints;

/* A listed event. Of equal times the lower order acts first. */
typedef struct fb_event {
    real time;
    uint8_t order, kind, first, second; /* order, kind: see events.h; the rest as in carom_event */
} fb_event;

/* The events of a group's worlds in one round. Only events within FB_EPS of a world's earliest one act, so later ones
 * need not be listed. */
#define FB_LISTED 160 /* there cannot be more than 150 */
typedef struct fb_lists {
    alignas(64) real first[LANES]; /* time of the earliest event so far; 2: none */
    unsigned count[LANES];
    fb_event events[LANES][FB_LISTED];
    unsigned reaching[LANES];               /* bit i: wizard i has a snaffle within reach */
    int8_t nearest[LANES][FB_WIZARDS];      /* the nearest such snaffle */
    real nearest_square[LANES][FB_WIZARDS]; /* and the square of its distance */
} fb_lists;

/* A set of lanes as bits, in the smallest type that holds it. */
#if LANES <= 8
typedef uint8_t fb_lanes;
#else
typedef uint16_t fb_lanes;
#endif

/* What may happen to the worlds of a group: for each code the lanes. Codes count the pairs, then the grabs, and from
 * FB_EDGES on, where a new word begins, the bodies near an edge of the field. */
#define FB_EDGES 80
#define FB_CODES 96
typedef union fb_near {
    fb_lanes lanes[FB_CODES];
    uint64_t words[FB_CODES * sizeof(fb_lanes) / 8];
} fb_near;

/* Possible meetings of several groups, side by side in full registers: relative places and velocities, and what follows
 * from them. They are solved as soon as there are FB_ENOUGH. */
#define FB_ENOUGH 256
#define FB_NEAR_ROOM (FB_ENOUGH + FB_MEETINGS * LANES + LANES)
typedef struct fb_meetings {
    alignas(64) real dx[FB_NEAR_ROOM];
    alignas(64) real dy[FB_NEAR_ROOM];
    alignas(64) real vx[FB_NEAR_ROOM];
    alignas(64) real vy[FB_NEAR_ROOM];
    alignas(64) real reach2[FB_NEAR_ROOM]; /* square of the distance of contact */
    alignas(64) real begin[FB_NEAR_ROOM];  /* time of the world */
    alignas(64) real time[FB_NEAR_ROOM];   /* of contact */
    int32_t name[FB_NEAR_ROOM];            /* code | (group of the round * LANES + lane) << 8 */
} fb_meetings;

/* A meeting that happens. Hits are in the order of their groups. */
typedef struct fb_hit {
    real time;
    uint8_t code, column; /* column: group of the round * LANES + lane */
    bool touch;           /* they are within the distance of contact already */
} fb_hit;

static_assert(RUN_WORLDS <= 256, "a column is a byte");

/* What all groups of a round have found. */
typedef struct fb_sight {
    size_t count, next; /* count: of hits; next: the first hit of the groups that have not yet taken their step */
    fb_near near[RUN_GROUPS];
    rounds_row *rows[RUN_GROUPS];
    fb_hit hits[RUN_WORLDS * FB_MEETINGS];
} fb_sight;

/* The commands of a register group, with lanes as bits. */
typedef struct fb_orders {
    uint16_t moves[FB_WIZARDS], throws[FB_WIZARDS];
    uint16_t obeys[FB_WIZARDS];                /* the wizard's command was read and valid */
    alignas(64) real acc_x[FB_WIZARDS][LANES]; /* the thrust of a move or throw */
    alignas(64) real acc_y[FB_WIZARDS][LANES];
} fb_orders;

struct rules_scratch {
    rounds motion;
    fb_meetings meetings;
    fb_sight sight;
    fb_ints all_ints[RUN_WORLDS];
    fb_lists lists;
    vreal way[RUN_GROUPS][FB_WIZARDS]; /* change of x of what each wizard held; set only if rewards are wanted */
};

/* ---- single worlds ---- */

/* Row k of the one world whose rows begin at `world`. */
#define AT(k) world[(size_t)(k) * ROUNDS_ROOM]

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
        AT(X + s) = AT(X + wizard);
        AT(Y + s) = AT(Y + wizard);
        AT(VX + s) = AT(VX + wizard);
        AT(VY + s) = AT(VY + wizard);
    }
}

CAROM_LANE fb_set fb_bit(int snaffle)
{
    return (fb_set)(1 << (snaffle - FB_SNAFFLE));
}

/* Updates the snaffles and wizards that grabs depend on, after hands have changed. */
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
