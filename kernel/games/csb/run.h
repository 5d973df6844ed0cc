/* SPDX-License-Identifier: MIT
 * What the passes of a tick share: the groups of a run of tiles, and the small things that they do with single worlds.
 */
#ifndef CAROM_GAMES_CSB_RUN_H
#define CAROM_GAMES_CSB_RUN_H

#include "games/csb/csb.h"
#include "games/csb/rules.h"

#if CAROM_REAL_BITS == 64
typedef csb_tile_f64 csb_tile;
#else
typedef csb_tile_f32 csb_tile;
#endif

#define GROUPS (CAROM_TILE / LANES)

/* A register group of worlds during a tick: what is not in its tile. */
typedef struct csb_group {
    vreal vx[CSB_PODS], vy[CSB_PODS], angle[CSB_PODS]; /* after the commands */
    vreal first, pair;                                 /* the earliest impact; only where an event is */
    vreal before[2];                                   /* the players' progress before the tick, for the reward */
    vint shield[CSB_PODS], boosted[CSB_PODS];          /* only if special */
    uint16_t active, event;                            /* lanes, as bits */
    union {
        uint16_t near[8];  /* lanes in which pair p + 1 comes near */
        uint64_t pairs[2]; /* the same, four pairs a word */
    };
    uint16_t hit[CSB_PODS];          /* lanes that pass a checkpoint on their last segment */
    uint16_t overrun;                /* lanes that reached the limit of events */
    uint16_t over;                   /* lanes whose game may be over */
    uint16_t kept;                   /* lanes that have played the tick */
    bool special;                    /* a shield is up, or a pod was told to use its shield or boost */
    bool cross;                      /* a pod may pass a checkpoint */
    bool passed;                     /* one was passed in a sub-step */
    size_t slot;                     /* on the worklist, of the first lane of `event` */
    int32_t passes[CSB_PODS][LANES]; /* checkpoints passed in sub-steps; only if passed */
} csb_group;

typedef struct csb_scratch {
    worklist list;
    csb_group groups[GAME_RUN * GROUPS];
    uint8_t illegal[GAME_RUN][CAROM_TILE]; /* bit p: player p gave a thrust that loses the game */
    uint32_t events[GAME_RUN * CAROM_TILE];
} csb_scratch;

static_assert(sizeof(csb_scratch) <= CSB_SCRATCH_BYTES, "CSB_SCRATCH_BYTES is too small");

/* The pods of a pair, by its number in rules.h; the one with the larger index is the first. */
static const uint8_t csb_first_of[CSB_PAIRS + 1] = {0, 3, 3, 3, 2, 2, 1};
static const uint8_t csb_second_of[CSB_PAIRS + 1] = {0, 2, 1, 0, 1, 0, 0};

struct csb_run {
    game_tick *tick;
    const csb_context *context;
    csb_tile *tiles;
    csb_scratch *scratch;
    bool record;
};

/* ---- single worlds ---- */

static const csb_course *csb_course_of(const csb_context *context, const csb_tile *tile, unsigned lane)
{
    return &context->courses[tile->map[0][lane]];
}

/* The checkpoint `further` places after the pod's next one; the last one stands for those beyond it. */
static void csb_point(const csb_context *context, const csb_tile *tile, unsigned lane, int pod, int32_t further,
                      real *x, real *y)
{
    const csb_course *course = csb_course_of(context, tile, lane);
    int32_t index = tile->next[pod][lane] + further;
    const int32_t *point = context->points[course->first + (index > course->last ? course->last : index)];
    *x = (real)point[0];
    *y = (real)point[1];
}

CAROM_LANE bool csb_any_set(const int8_t *flags, unsigned count)
{
    int any = 0;
    for (unsigned k = 0; k < count; k++) {
        any |= flags[k];
    }
    return any != 0;
}

/* ---- range and faults ---- */

CAROM_LANE vmask csb_inside(vreal a, real range)
{
    return v_le(v_abs(a), v_set1(range));
}

static void csb_fault(csb_tile *tile, unsigned at, unsigned bits, int8_t fault)
{
    for (; bits != 0; bits &= bits - 1) {
        unsigned lane = at + (unsigned)__builtin_ctz(bits);
        tile->fault[0][lane] = (int8_t)(tile->fault[0][lane] | fault);
        tile->frozen[0][lane] = 1;
    }
}

#endif
