/* SPDX-License-Identifier: MIT
 * fantastic_bits inside the library: the game's constants and the starts of a batch.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_FANTASTIC_BITS_H
#define CAROM_GAMES_FANTASTIC_BITS_FANTASTIC_BITS_H

#include <carom/fantastic_bits.h>

#include "games/fantastic_bits/state.h"
#include "games/game.h"

#define FB_SNAFFLE CAROM_FANTASTIC_BITS_SNAFFLE /* slots */
#define FB_BLUDGER CAROM_FANTASTIC_BITS_BLUDGER
#define FB_POST CAROM_FANTASTIC_BITS_POST
#define FB_WALL CAROM_FANTASTIC_BITS_WALL
#define FB_GOAL CAROM_FANTASTIC_BITS_GOAL

#define FB_WIDTH 16000
#define FB_HEIGHT 7500
#define FB_MOUTH_TOP 1750
#define FB_MOUTH_BOTTOM 5750
#define FB_WIZARD_RADIUS 400
#define FB_SNAFFLE_RADIUS 150
#define FB_BLUDGER_RADIUS 200
#define FB_POST_RADIUS 300
#define FB_GRASP 399 /* a snaffle's centre this near can be grabbed */
#define FB_WAIT 3
#define FB_MOST_THRUST 150
#define FB_MOST_THROW 500
#define FB_PULL 1000 /* of a bludger */
#define FB_LEAST_IMPULSE 100.0
#define FB_FRICTION 0.25 /* of wizards and snaffles */
#define FB_BLUDGER_FRICTION 0.1
#define FB_LONGEST_SPELL 6     /* ticks */
#define FB_FLIPENDO_POWER 6000 /* at the distance of FB_SPELL_DISTANCE; with the square of it less */
#define FB_ACCIO_POWER 3000
#define FB_MOST_POWER 1000
#define FB_SPELL_DISTANCE 1000
#define FB_EPS 0.00001 /* of times, and added to what bodies are pushed apart */
#define FB_MOST_MANA 100
#define FB_LAST_TICK 200
#define FB_SEEN_SPEED 1000.0     /* is 1 in observations */
#define FB_TARGET_REACH 1000.0   /* a target of 1 in normalised actions is so far away */
#define FB_COORDINATE 99999999.0 /* of a target */
#define FB_EVENTS 1024           /* a tick that has more is given up */
/* Positions stay within it, velocities within twice that: see the box filter in survey.h. */
#define FB_RANGE_F64 16777216.0
#define FB_RANGE_F32 65536.0

enum { FB_OBLIVIATE, FB_PETRIFICUS, FB_ACCIO, FB_FLIPENDO };

/* The `purpose` of the streams of base/random.h that the game draws from. */
enum { FB_DRAW_GAME = 1, FB_DRAW_POLICY };

/* Number k of wizard i is element FB_REFEREE_NUMBERS i + k, or FB_NORMALISED_NUMBERS i + k. */
enum { FB_REFEREE, FB_NORMALISED, FB_KINDS };
#define FB_REFEREE_NUMBERS 4
#define FB_NORMALISED_NUMBERS 5

/* A start of the referee's. */
typedef struct fb_start {
    int32_t snaffles;
    int32_t x[FB_SNAFFLES], y[FB_SNAFFLES];
} fb_start;

/* The seeds of a batch; read-only after its creation. */
typedef struct fb_context fb_context;
struct fb_context {
    /* The start of game `episode` of the world with that id: here, where kernels compiled as C++ find it, too. */
    fb_start (*start_of)(const fb_context *context, uint64_t seed, uint64_t id, uint32_t episode);
    uint32_t snaffles; /* wanted of a drawn seed; 0: any */
    uint32_t seed_count;
    int64_t *seeds; /* NULL: drawn */
};

extern const game_options carom_fantastic_bits_table;
size_t carom_fantastic_bits_context_bytes(const carom_worlds_desc *desc);
carom_status carom_fantastic_bits_context_create(const carom_worlds_desc *desc, void **result);
void carom_fantastic_bits_context_destroy(void *any);
uint64_t carom_fantastic_bits_context_hash(const void *any);

void carom_fantastic_bits_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions);

#endif
