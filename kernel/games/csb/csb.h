/* SPDX-License-Identifier: MIT
 * csb inside the library: the fields of a world, the game's constants, and the maps of a batch.
 */
#ifndef CAROM_GAMES_CSB_CSB_H
#define CAROM_GAMES_CSB_CSB_H

#include <carom/csb.h>

#include "games/game.h"

#define CSB_PODS 4

/* (name, count, role). cx, cy: the pod's next checkpoint, copied here so that a tick needs no lookup. */
#define CSB_FIELDS(REAL, INT32, INT16, INT8)                                                                           \
    REAL(x, CSB_PODS, STATE)                                                                                           \
    REAL(y, CSB_PODS, STATE)                                                                                           \
    REAL(vx, CSB_PODS, STATE)                                                                                          \
    REAL(vy, CSB_PODS, STATE)                                                                                          \
    REAL(angle, CSB_PODS, STATE)                                                                                       \
    REAL(cx, CSB_PODS, DERIVED)                                                                                        \
    REAL(cy, CSB_PODS, DERIVED)                                                                                        \
    INT32(map, 1, PARAMETER)                                                                                           \
    INT16(next, CSB_PODS, STATE)                                                                                       \
    INT16(timeout, 2, STATE)                                                                                           \
    INT8(shield, CSB_PODS, STATE)                                                                                      \
    INT8(boosted, CSB_PODS, STATE)                                                                                     \
    INT8(won, CSB_PODS, STATE)                                                                                         \
    INT8(winner, 1, STATE)

#define CSB_TIMEOUT 100   /* ticks to pass a checkpoint */
#define CSB_LAST_TICK 500 /* unless the options say otherwise */
#define CSB_FRICTION 0.85
#define CSB_MAX_TURN 0.31415926535897931        /* 18 degrees a tick */
#define CSB_START_ANGLE (-0.017453292519943295) /* -1 degree */
#define CSB_MAX_THRUST 200
#define CSB_BOOST_THRUST 650
#define CSB_TOUCH 800.0 /* distance of two touching pods */
#define CSB_CHECKPOINT 600.0
#define CSB_LEAST_IMPULSE 120.0
#define CSB_SHIELD_TICKS 3                   /* ticks without thrust after a shield */
#define CSB_SHIELD_UP (CSB_SHIELD_TICKS + 1) /* the shield of a pod that turns it on in this tick */
#define CSB_SHIELD_INVERSE 0.1               /* its inverse mass */
#define CSB_PUSH 1e-5
#define CSB_SUBSTEPS 64 /* a tick that reaches this many faults */
#define CSB_MAX_ANGLE 1048576.0
/* Limits of positions; velocities are limited to twice that: see the box filter in rules.h. */
#define CSB_RANGE_F64 67108864.0
#define CSB_RANGE_F32 131072.0
#define CSB_LEG 20000.0     /* the distance worth a whole checkpoint in the progress */
#define CSB_SCORE 1000000.0 /* for a checkpoint, if the tick limit ends the game */
#define CSB_WIDTH 16000.0
#define CSB_HEIGHT 9000.0
#define CSB_SEEN_SPEED 1000.0 /* 1 in observations */

/* What rays can hit: the player's other pod, or a pod of the other player. */
enum { CSB_LIDAR_MATE, CSB_LIDAR_OTHER, CSB_LIDAR_THINGS };

/* The `purpose` of the streams of base/random.h that csb draws from. */
enum { CSB_DRAW_MAP = 1, CSB_DRAW_GAME, CSB_DRAW_POLICY };

/* Kinds of action: number k of pod i is element 2 i + k (relative, normalised) or 3 i + k (the others). */
enum { CSB_RELATIVE, CSB_REFEREE, CSB_NORMALISED, CSB_FULL, CSB_KINDS };

/* Rewarded quantities, in the order of csb_context.weights. */
enum { CSB_FOR_PROGRESS, CSB_FOR_CHECKPOINT, CSB_FOR_RESULT, CSB_WEIGHTS };

/* In a time trial, x and y of unused pods; each next pod is this much further out. */
#define CSB_OFF_BOARD (-60000.0)
#define CSB_OFF_BOARD_STEP 10000.0

/* All numbers that both players see in csb, each once: the rows of the pods in order and the rest of player 0's view,
 * then the rest of player 1's. The latter starts with a copy of the last rows of player 0's pods, which precede it in
 * that view. So each view ends with CSB_SHARED_END rows, the number written at once. */
#define CSB_SHARED_PODS (CSB_PODS * CAROM_CSB_OBSERVATION_POD)
#define CSB_SHARED_REST 3
#define CSB_SHARED_END 8

typedef struct csb_course {
    int32_t n;     /* checkpoints of the map */
    int32_t last;  /* laps * n: index of the last one in the expanded list */
    int32_t first; /* index of its first point in csb_context.points */
    double start_x[CSB_PODS], start_y[CSB_PODS];
} csb_course;

/* Shared by all worlds of a batch: options, weights of rewards, maps. Read-only once created. */
typedef struct csb_context {
    carom_csb_rules rules;
    int32_t ticks;               /* of a game */
    bool fair, alone;            /* as the options say */
    double weights[CSB_WEIGHTS]; /* of the rewards */
    bool drawn;                  /* draw a map for every game; otherwise games take the caller's maps in turn */
    uint32_t map_count;
    csb_course *courses;
    int32_t (*spans)[2];  /* [map]: a copy of `first` and `last`, adjacent for i_pairs() */
    int32_t (*points)[2]; /* the expanded lists, one after the other */
    size_t point_count;
} csb_context;

extern const game_options carom_csb_table;
size_t carom_csb_context_bytes(const carom_worlds_desc *desc);
carom_status carom_csb_context_create(const carom_worlds_desc *desc, void **result);
void carom_csb_context_destroy(void *any);
uint64_t carom_csb_context_hash(const void *any);
size_t carom_csb_context_image(const void *any, void *to, uint64_t address);

#endif
