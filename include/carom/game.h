/* SPDX-License-Identifier: MIT
 * Games: rules on top of worlds. Actions go in; observations, rewards and ends come out.
 *
 * A game is a const table. carom_game_find("csb") gives the table of Coders Strike Back; csb.h is its manual.
 * Everything here works for every game.
 *
 * All arrays are the caller's, contiguous and world-major: actions [world][player][number], observations
 * [world][player][number], rewards [world][player], ends [world].
 */
#ifndef CAROM_GAME_H
#define CAROM_GAME_H

#include <carom/worlds.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The game of that name, or NULL. The games in order; NULL from carom_game_count() on. */
CAROM_API const carom_game *carom_game_find(const char *name);
CAROM_API size_t carom_game_count(void);
CAROM_API const carom_game *carom_game_at(size_t index);

typedef struct carom_game_info {
    const char *name;
    const char *title;
    uint32_t players;          /* sides that act and are rewarded */
    uint32_t bodies;           /* circles a world */
    uint32_t max_events;       /* of one tick, before the world is given a fault */
    uint32_t observation_size; /* floats a player */
    uint32_t action_kinds;     /* see carom_game_action_kind() */
    uint32_t policies;         /* built-in policies */
    const char *counts;        /* what carom_counters.goals counts: "checkpoints passed"; NULL: nothing */
} carom_game_info;

CAROM_API carom_game_info carom_game_describe(const carom_game *game);

/* A kind of action: how a player's numbers are read. Every game has `normalised`: floats in [-1, 1]. */
typedef struct carom_action_kind {
    const char *name;
    carom_precision precision; /* of the numbers in the array: float or double */
    uint32_t size;             /* numbers a player */
} carom_action_kind;

CAROM_API carom_status carom_game_action_kind(const carom_game *game, size_t index, carom_action_kind *kind);
CAROM_API carom_status carom_game_find_action_kind(const carom_game *game, const char *name, size_t *index);

/* How a world's game stands (field `end`, and the array `ends`). */
typedef enum carom_end {
    CAROM_RUNNING = 0,
    CAROM_TERMINATED = 1, /* decided by its rules */
    CAROM_TRUNCATED = 2   /* stopped by its limit of ticks */
} carom_end;

/* One impact, as recorded. A game's header may give `left`, and `moved` below, another meaning. */
typedef struct carom_event {
    double left;            /* time left in the tick at the impact, in ticks */
    uint32_t first, second; /* the two bodies, in the order in which the game names them */
    uint32_t part;          /* of the second body, where the game tells (fall, scenes); else 0 */
    uint32_t kind;          /* what the second is (scenes: carom_impact_kind); else 0 */
    double x, y;            /* the point (fall, scenes); else not written */
    double nx, ny, impulse; /* the unit normal from the second to the first, the impulse (scenes); else not written */
} carom_event;

/* One call plays `ticks` ticks. Arrays with a leading [tick] hold every tick of the call; NULL for an output means that
 * it is not wanted (and costs nothing). */
typedef struct carom_step {
    size_t size;              /* sizeof(carom_step), set by carom_step_default() */
    size_t ticks;             /* at least 1 */
    size_t action_kind;       /* an index into the game's kinds */
    double dt;                /* length of a tick, > 0, where the game leaves it open (scenes); 0: the game's own */
    const void *actions;      /* [tick][row][player][number]; NULL: all numbers are 0 */
    size_t action_rows;       /* rows of a tick; 0: the number of worlds */
    const uint32_t *rows;     /* world w acts as row rows[w]; NULL: as row w */
    float *observations;      /* [tick][world][player][observation_size], after the tick (and after a reset) */
    float *last_observations; /* [tick][world][player][observation_size]; written only where a game ended in that tick:
                                 the state in which it ended, before any reset */
    float *rewards;           /* [tick][world][player] */
    uint8_t *ends;            /* [tick][world]: carom_end if the game ended in this tick, else 0 */
    /* Recording, for tools and tests; it slows the call down. */
    carom_event *events;    /* [tick][world][event_capacity], in the order of the impacts */
    uint32_t *event_counts; /* [tick][world]: impacts of the tick, those that did not fit included */
    size_t event_capacity;
    double *moved; /* [tick][world][body][4]: x, y, vx, vy after the motion, before the end-of-tick rules */
    /* Control of a long call; both may be NULL. */
    const volatile int *cancel; /* read between chunks of work; once it is not 0 the call stops: CAROM_ERROR_CANCELLED.
                                   Worlds have then played different numbers of ticks, all of them whole. */
    uint64_t *progress;         /* grows (atomically) up to ticks x worlds */
} carom_step;

/* One tick, no outputs, action kind 0. */
CAROM_API carom_step carom_step_default(void);

/* Plays. The worlds are shared among threads; nothing is allocated. Actions of frozen worlds are not read as meaning
 * anything, but their rows must exist. */
CAROM_API carom_status carom_worlds_play(carom_worlds *worlds, const carom_step *step);

/* observations[world][player][observation_size] of the state as it is. Not const: it works in the batch's scratch. */
CAROM_API carom_status carom_worlds_observe(carom_worlds *worlds, float *observations);

/* Built-in policies, by name: for demonstrations, benchmarks, and as sparring partners. */
CAROM_API const char *carom_game_policy_name(const carom_game *game, size_t index); /* NULL from info.policies on */
CAROM_API carom_status carom_game_find_policy(const carom_game *game, const char *name, size_t *index);

/* actions[world][player][number] of kind `action_kind` that policy `policy` plays in every world, for all players.
 * Draws are keyed by the batch's seed and each world's id, episode and tick. */
CAROM_API carom_status carom_worlds_policy(const carom_worlds *worlds, size_t policy, size_t action_kind,
                                           void *actions);

#ifdef __cplusplus
}
#endif
#endif
