/* SPDX-License-Identifier: MIT
 * fantastic_bits inside the library: the game's constants, the fields of a world, and the starts of a batch.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_FANTASTIC_BITS_H
#define CAROM_GAMES_FANTASTIC_BITS_FANTASTIC_BITS_H

#include <carom/fantastic_bits.h>

#include "games/game.h"

#define FB_BODIES 13
#define FB_WIZARDS 4
#define FB_SNAFFLES 7
#define FB_BLUDGERS 2
#define FB_SPELLS 4

/* Fields as (name, count, role); include/carom/fantastic_bits.h gives their meaning. */
#define FB_FIELDS(REAL, INT32, INT16, INT8)                                                                            \
    REAL(x, FB_BODIES, STATE)                                                                                          \
    REAL(y, FB_BODIES, STATE)                                                                                          \
    REAL(vx, FB_BODIES, STATE)                                                                                         \
    REAL(vy, FB_BODIES, STATE)                                                                                         \
    INT8(hold, FB_WIZARDS, STATE)                                                                                      \
    INT8(wait, FB_WIZARDS, STATE)                                                                                      \
    INT8(countdown, FB_WIZARDS *FB_SPELLS, STATE)                                                                      \
    INT8(target, FB_WIZARDS *FB_SPELLS, STATE)                                                                         \
    INT8(cast, FB_WIZARDS, STATE)                                                                                      \
    INT8(cast_target, FB_WIZARDS, STATE)                                                                               \
    INT8(alive, FB_SNAFFLES, STATE)                                                                                    \
    INT8(ignores, FB_SNAFFLES, STATE)                                                                                  \
    INT8(last, FB_BLUDGERS, STATE)                                                                                     \
    INT8(score, 2, STATE)                                                                                              \
    INT8(mana, 2, STATE)                                                                                               \
    INT8(winner, 1, STATE)                                                                                             \
    INT8(snaffles, 1, PARAMETER)

/* Slots: the first of each kind. Wizards begin at 0. */
#define FB_SNAFFLE CAROM_FANTASTIC_BITS_SNAFFLE
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
#define FB_GRASP 399 /* a wizard can grab a snaffle whose centre is this close */
#define FB_WAIT 3    /* ticks until a hand can grab again */
#define FB_MOST_THRUST 150
#define FB_MOST_THROW 500
#define FB_PULL 1000 /* of a bludger towards its victim */
#define FB_LEAST_IMPULSE 100.0
#define FB_FRICTION 0.25 /* of wizards and snaffles */
#define FB_BLUDGER_FRICTION 0.1
#define FB_LONGEST_SPELL 6     /* ticks */
#define FB_FLIPENDO_POWER 6000 /* at FB_SPELL_DISTANCE; falls with the square of the distance */
#define FB_ACCIO_POWER 3000
#define FB_MOST_POWER 1000 /* of a spell, however close */
#define FB_SPELL_DISTANCE 1000
#define FB_EPS 0.00001 /* tolerance of times; also added when bodies are separated */
#define FB_MOST_MANA 100
#define FB_LAST_TICK 200
#define FB_SEEN_SPEED 1000.0     /* the speed shown as 1 in observations */
#define FB_TARGET_REACH 1000.0   /* distance of a target of 1 in normalised actions */
#define FB_COORDINATE 99999999.0 /* largest coordinate of a target */
#define FB_EVENTS 1024           /* a world with more events in a tick faults */
/* Largest |x| and |y|; velocities go to twice that. The filter of candidates.h relies on it. */
#define FB_RANGE_F64 16777216.0
#define FB_RANGE_F32 65536.0

enum { FB_OBLIVIATE, FB_PETRIFICUS, FB_ACCIO, FB_FLIPENDO };

/* The `purpose` of each random stream (base/random.h) that the game draws from. */
enum { FB_DRAW_GAME = 1, FB_DRAW_POLICY };

/* Kinds of action. Number k of wizard i is element FB_REFEREE_NUMBERS i + k, or FB_NORMALISED_NUMBERS i + k. */
enum { FB_REFEREE, FB_NORMALISED, FB_KINDS };
#define FB_REFEREE_NUMBERS 4
#define FB_NORMALISED_NUMBERS 5

/* Where the snaffles of a game start; entries from `snaffles` on are 0. */
typedef struct fb_start {
    int32_t snaffles;
    int32_t x[FB_SNAFFLES], y[FB_SNAFFLES];
} fb_start;

/* The games of a batch; read-only once created. */
typedef struct fb_context {
    uint32_t snaffles; /* 5 or 7: draw seeds until one has this number; 0: take any */
    uint32_t seed_count;
    int64_t *seeds; /* [seed_count] of the referee, owned; NULL: draw the seeds */
} fb_context;

extern const game_options carom_fantastic_bits_table;
size_t carom_fantastic_bits_context_bytes(const carom_worlds_desc *desc);
carom_status carom_fantastic_bits_context_create(const carom_worlds_desc *desc, void **result);
void carom_fantastic_bits_context_destroy(void *any);
uint64_t carom_fantastic_bits_context_hash(const void *any);
size_t carom_fantastic_bits_context_image(const void *any, void *to, uint64_t address);

void carom_fantastic_bits_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions);

#endif
