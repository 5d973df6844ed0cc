/* SPDX-License-Identifier: MIT
 * A game is one const table: what its worlds hold, how they are played, and its kernels.
 */
#ifndef CAROM_GAMES_GAME_H
#define CAROM_GAMES_GAME_H

#include <carom/game.h>

#include "worlds/worlds.h"

/* One tick of a run of tiles: the argument of a kernel. Lane-major arrays are [tile of the run][element][16]. */
typedef struct game_tick {
    unsigned char *tiles;
    size_t tile_count; /* at most GAME_RUN */
    size_t first;      /* number of the run's first world (in a rollout: root * K + k) */
    unsigned lanes;    /* which lanes of every tile are played: all, unless the game's worlds are large */
    double dt;         /* 0, or the length that the caller gives the tick */
    const void *context;
    uint64_t seed;
    carom_at_end at_end;
    uint32_t kind;       /* of action */
    const void *actions; /* lane-major [players * size], float or double by kind */
    void *scratch;       /* the game's own part of a thread's scratch, 64-byte aligned */

    /* Outputs, lane-major; NULL if not wanted. */
    float *observations;      /* [players * observation_size] */
    float *last_observations; /* likewise; only lanes whose game ended are written */
    float *rewards;           /* [players] */
    uint8_t *ends;            /* [1]: carom_end if the game ended in this tick, else 0 */

    /* Recording: `record` chooses the slower kernel. World-major, as in carom_step, for the run's first world. */
    bool record;
    size_t worlds; /* of the run that are no padding */
    carom_event *events;
    uint32_t *event_counts;
    size_t event_capacity;
    double *moved;

    carom_counters counters; /* added to */
} game_tick;

#define GAME_RUN 8 /* tiles that a kernel is given at once: their state stays in a core's first and second cache */

/* A game compiled for one instruction set and precision. No function allocates or calls the C library in a loop. */
typedef struct game_kernel {
    /* Plays one tick. Frozen worlds do not change. */
    void (*tick)(game_tick *tick);
    /* Lane-major observations of the state as it is. */
    void (*observe)(const game_tick *tick, float *observations);
    /* Lane-major doubles [tile][player][16]: the final value of a rollout. */
    void (*value)(const game_tick *tick, double *values);

    /* The same in every game, compiled for this instruction set:
     * rows[16] (addresses of world-major rows of `size` numbers of 4 or 8 bytes) into one lane-major tile, */
    void (*pack)(void *lanes, const void *const *rows, uint32_t size, uint32_t number_bytes);
    /* and one lane-major tile of floats into up to 16 rows (NULL: skip). */
    void (*unpack)(float *const *rows, const float *lanes, uint32_t size);
    /* Draws one lane-major tile, `size` numbers a player: what carom_rollout_draw() says, for 16 (root id, k). */
    void (*draw)(float *lanes, uint64_t seed, const uint64_t *root_ids, const uint32_t *sequences, uint32_t tick,
                 uint32_t player, uint32_t size);
} game_kernel;

struct carom_game {
    world_type type; /* first: a carom_game is a world_type */
    carom_game_info info;
    const carom_action_kind *kinds; /* [info.action_kinds] */
    const char *const *policies;    /* [info.policies], names */
    size_t scratch_bytes;           /* what a kernel wants of a thread's working memory */
    bool large;                     /* a world is enough work for a thread */
    bool any_dt;                    /* ticks have the length that the caller gives */
    /* The kernel of an instruction set, or NULL if it is not built. */
    const game_kernel *(*kernel)(carom_isa isa, carom_precision precision);
    /* One world's actions [players][size] by a built-in policy, in the kind's precision. */
    void (*policy)(const carom_worlds *worlds, const void *tile, unsigned lane, size_t policy, size_t kind,
                   void *actions);
};

/* Working memory of a thread that plays, kernel_bytes of it for the kernel: what world_type.scratch_bytes answers. */
size_t carom_game_play_bytes(const carom_game *game, size_t kernel_bytes);

/* The greatest tile count, at most GAME_RUN, that leaves every thread several runs of `tiles` tiles to take. */
size_t carom_game_run_length(size_t tiles, unsigned threads);

extern const carom_game carom_game_csb;
extern const carom_game carom_game_fantastic_bits;
extern const carom_game carom_game_stones;
extern const carom_game carom_game_soccer;
extern const carom_game carom_game_fall;

#endif
