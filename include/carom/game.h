/* SPDX-License-Identifier: MIT
 * Games: rules on top of worlds. Actions go in; observations, rewards and ends come out.
 *
 * A game is a const table. carom_game_find("csb") returns that of Coders Strike Back, which csb.h documents. Everything
 * in this header works for every game.
 *
 * All arrays are the caller's, contiguous and world-major: actions [world][player][number], observations
 * [world][player][number], rewards [world][player], ends [world].
 *
 * An agent is what has an observation and a reward: a player or, for some kinds of observation and reward, each body
 * that a player acts with. Agents are numbered over all players, player 0's first: with n a player, agent p * n + i is
 * body i of player p. An array [agent] is [player][body of the player].
 */
#ifndef CAROM_GAME_H
#define CAROM_GAME_H

#include <carom/worlds.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The game of that name, or NULL if there is none; the number of games; game number `index`, or NULL if there is none.
 * Games that Carom ships come first, then plug-in games. */
CAROM_API const carom_game *carom_game_find(const char *name);
CAROM_API size_t carom_game_count(void);
CAROM_API const carom_game *carom_game_at(size_t index);

/* ---- plug-in games ----
 *
 * A game written with the headers in carom/kit/ and compiled with the program carom-kit (docs/games.md). Once opened it
 * is a game like any other, until the process ends. These functions may be called from several threads, and at the same
 * time as those above.
 *
 * carom_game_open() loads a shared object. LOADING IT RUNS ITS CODE, with all rights of the process: open only what you
 * would run as a program. The path must contain a slash ("./air_hockey.so"): games are not searched for in any folder.
 * The same file gives the same game. carom_game_adopt() takes a game that is linked into the program (carom-kit build
 * game.c -o game.a), by the entry that its object file defines.
 *
 * *game is NULL after an error; *problem (may be NULL) gets one line on what is wrong.
 *     CAROM_ERROR_ARGUMENT      no path or entry, no slash in the path, or another game has that name
 *     CAROM_ERROR_FORMAT        not a shared object, one without a game, one of another version of the kit, or an
 *                               inconsistent table
 *     CAROM_ERROR_UNSUPPORTED   this system, or a program without a dynamic linker, cannot load shared objects */
typedef struct carom_kit_entry carom_kit_entry; /* see kit/rules.h */
CAROM_API carom_status carom_game_open(const char *path, const carom_game **game, carom_problem *problem);
CAROM_API carom_status carom_game_adopt(const carom_kit_entry *entry, const carom_game **game, carom_problem *problem);

typedef struct carom_game_info {
    const char *name;
    const char *title;
    uint32_t players;           /* sides that act and are rewarded: 1 to CAROM_MAX_PLAYERS */
    uint32_t bodies;            /* circles per world */
    uint32_t max_events;        /* of one tick; more are a fault */
    uint32_t observation_size;  /* floats per player */
    uint32_t action_kinds;      /* see carom_game_action_kind() */
    uint32_t policies;          /* built-in policies */
    uint32_t observation_kinds; /* see carom_game_observation_kind(), */
    uint32_t reward_kinds;      /* carom_game_reward_kind() */
    const char *counts;         /* what carom_counters.goals counts: "checkpoints passed"; NULL: nothing */
} carom_game_info;

CAROM_API carom_game_info carom_game_describe(const carom_game *game);

/* ---- options ----
 *
 * A game's options are the members of a structure (carom_csb_options, ...), to which carom_worlds_desc.options points.
 * A table describes these members. Programs, the command (`--set NAME=VALUE`) and Python all use it. The first member,
 * `size`, is not in the table. */
typedef enum carom_option_type {
    CAROM_OPTION_COUNT,  /* uint32_t */
    CAROM_OPTION_FLAG,   /* uint32_t or bool, as carom_option.bytes says: 0 or 1 */
    CAROM_OPTION_NUMBER, /* double */
    CAROM_OPTION_CHOICE, /* an enum: 0, 1, ... are the names in `choices` */
    CAROM_OPTION_PRESET, /* not a member: each name in `choices` sets several other options */
    CAROM_OPTION_SEED,   /* const uint64_t *: points to the number, read at creation; NULL (the default): none */
    CAROM_OPTION_LIST    /* a pointer to the caller's list, read at creation; NULL (the default): none */
} carom_option_type;

typedef struct carom_option {
    const char *name, *meaning;
    carom_option_type type;
    size_t offset, bytes;       /* of the member in the structure */
    double value;               /* the default */
    double low, high;           /* the allowed range, */
    bool below;                 /* `high` itself is not allowed. For limits between options see the game's header */
    const char *const *choices; /* [high + 1] */
    /* For a list: the offset of its length, a uint32_t; bytes of an item, or 0 if items contain pointers. */
    size_t count_offset, item_bytes;
} carom_option;

/* CAROM_ERROR_ARGUMENT: there is no option of that number, or name. */
CAROM_API carom_status carom_game_option(const carom_game *game, size_t index, carom_option *option);
CAROM_API carom_status carom_game_find_option(const carom_game *game, const char *name, size_t *index);

/* Bytes of the structure; 0: the game has no options. */
CAROM_API size_t carom_game_options_size(const carom_game *game);

/* Fills a structure with the defaults. */
CAROM_API carom_status carom_game_options_default(const carom_game *game, void *options);

/* Sets the option of that name, which must not be a seed or a list, in a structure that has been filled. Set presets
 * first, since they set other options. CAROM_ERROR_ARGUMENT: there is no such option. CAROM_ERROR_VALUE: `value` is out
 * of its range. *problem (may be NULL) gets the name and the range. */
CAROM_API carom_status carom_game_set_option(const carom_game *game, void *options, const char *name, double value,
                                             carom_problem *problem);

/* Whether worlds can be created with desc->options. If not, returns the status that carom_worlds_create() would, and
 * *problem (may be NULL) names the option and its range. */
CAROM_API carom_status carom_game_check_options(const carom_worlds_desc *desc, carom_problem *problem);

/* A kind of action: what a player's numbers mean. Every game has `normalised`: floats in [-1, 1]. */
typedef struct carom_action_kind {
    const char *name;
    carom_precision precision; /* of the numbers in the array: float or double */
    uint32_t size;             /* numbers per player */
} carom_action_kind;

CAROM_API carom_status carom_game_action_kind(const carom_game *game, size_t index, carom_action_kind *kind);
CAROM_API carom_status carom_game_find_action_kind(const carom_game *game, const char *name, size_t *index);

/* A kind of observation. Every game has `raw`, of index 0, described in its header, with one agent per player. Games
 * whose players have several bodies (csb, soccer, fantastic_bits) have two more kinds, with one agent per body: `ego`
 * is what the body sees relative to itself, see the game's header; `raw_body` is `raw` with the body itself before the
 * others of its player. A player's bodies are adjacent: read their rows as one to get all that the player sees. */
typedef struct carom_observation_kind {
    const char *name;
    uint32_t agents; /* per player */
    uint32_t size;   /* floats per agent */
} carom_observation_kind;

CAROM_API carom_status carom_game_observation_kind(const carom_game *game, size_t index, carom_observation_kind *kind);
CAROM_API carom_status carom_game_find_observation_kind(const carom_game *game, const char *name, size_t *index);

/* One number of an observation. For any world that carom_worlds_set() accepts, in either precision, it lies between low
 * and high, which may be infinite; in play most numbers stay far from both. */
typedef struct carom_number {
    char name[48];    /* "mate.ahead" */
    const char *unit; /* what a value of 1 means: "16000 units"; "" for flags, cosines, shares */
    float low, high;
} carom_number;

/* Number `number` < size of an agent's observation. */
CAROM_API carom_status carom_game_observation_number(const carom_game *game, size_t kind, size_t number,
                                                     carom_number *what);

/* A kind of reward. 0 is `game`, described in the game's header. 1 is `result`, given only at the end of a game: 1 for
 * the winner and -1 / (players - 1), as a float, for each other player, so that the sum is 0; 0 for all if there is no
 * winner. 2, in games that have it, is `own`, with one agent per body: what that body gained, and the result; see the
 * game's header. */
typedef struct carom_reward_kind {
    const char *name;
    uint32_t agents; /* per player */
} carom_reward_kind;

CAROM_API carom_status carom_game_reward_kind(const carom_game *game, size_t index, carom_reward_kind *kind);
CAROM_API carom_status carom_game_find_reward_kind(const carom_game *game, const char *name, size_t *index);

/* A final value: what a state is worth to a player at the end of a rollout (rollout.h). 0 is `game`, described in the
 * game's header; it has no weights. The others, if a game has any, are weighted sums of features of the state, with the
 * caller's weights or the value's defaults. */
typedef struct carom_value_kind {
    const char *name;
    size_t weights;
} carom_value_kind;

typedef struct carom_value_weight {
    const char *name;    /* of the feature */
    double weight;       /* the default */
    const char *meaning; /* one line; "" for plug-in games */
} carom_value_weight;

CAROM_API carom_status carom_game_value_kind(const carom_game *game, size_t index, carom_value_kind *kind);
CAROM_API carom_status carom_game_find_value_kind(const carom_game *game, const char *name, size_t *index);
CAROM_API carom_status carom_game_value_weight(const carom_game *game, size_t kind, size_t number,
                                               carom_value_weight *weight);

/* Whether and how a game has ended (field `end`, and the array `ends`). */
typedef enum carom_end {
    CAROM_RUNNING = 0,
    CAROM_TERMINATED = 1, /* decided by its rules */
    CAROM_TRUNCATED = 2   /* stopped by its limit of ticks or by a fault (carom_fault) */
} carom_end;

/* A recorded impact. A game's header may give `left`, and `moved` below, another meaning. */
typedef struct carom_event {
    double left;            /* time left in the tick at the impact, in ticks */
    uint32_t first, second; /* the two bodies, in the order in which the game names them */
    uint32_t part;          /* fall, scenes: of the second body; other games: 0 */
    uint32_t kind;          /* scenes: what the second is, a carom_impact_kind; other games: 0 */
    double x, y;            /* fall, scenes: the point; other games: not written */
    double nx, ny;          /* scenes: the unit normal from the second to the first; other games: not written */
    double impulse;         /* scenes: see carom_impact_kind in carom/scene.h; other games: not written */
} carom_event;

/* An impact with all that is needed to draw it: where both bodies are, and what it does to them. Arrays are [first,
 * second], in the order of the event, then [x, y]. If the second is not a body but, say, a wall, its centre is the
 * place of the impact (for a post, the post's centre), and its velocities are 0.
 *
 * In a tick a body moves from its place at the start through its centres at its impacts, in order, to its place at the
 * end: straight from each to the next or, in games with accelerations, along a parabola that begins with the velocity
 * after the impact. If bodies overlap, an impact may also move them apart, which its centres do not show. With radii r
 * the centres are place - r[0] normal and, unless the bodies overlap, place + r[1] normal, up to rounding. In a
 * periodic box each centre is that of the body itself, even where the other body met an image of it. A body that is
 * carried (a held ball or snaffle) moves with its carrier and has no separate impacts.
 *
 * A plug-in game reports the first body alone, without place, normal and impulse, unless it says what touches
 * (RULES_TOUCH of kit/rules.h). */
typedef struct carom_contact {
    double x, y;                      /* the place: where the first touches */
    double nx, ny;                    /* the unit normal from the first to the second; 0, 0 if there is none */
    double impulse;                   /* on the second along the normal, mass times speed, also for a wall; 0: none */
    double time[2];                   /* when they are there, from 0 to 1 within the tick; they differ only in stones */
    double centre[2][2];              /* where they are */
    double before[2][2], after[2][2]; /* their velocities, in the game's unit */
} carom_contact;

/* Where the actions of one player come from. */
typedef enum carom_source {
    CAROM_DRAWN,     /* rollouts: uniform in [-1, 1), by carom_rollout_draw(); needs the kind `normalised` */
    CAROM_GIVEN,     /* the caller's: see carom_step.actions and carom_rollout_desc */
    CAROM_BROADCAST, /* rollouts: actions[root][tick][number]: the same for every k */
    CAROM_ZERO,      /* every number is 0 */
    CAROM_POLICY,    /* a built-in policy, which acts before every tick: see carom_worlds_policy() */
    CAROM_UNIFORM,   /* rollouts: uniform between bounds; see carom_rollout_desc */
    CAROM_GAUSSIAN   /* rollouts: normal, about a mean by tick, within bounds; see carom_rollout_desc */
} carom_source;

/* How a game ended. Entries beyond the game's players are 0. */
typedef struct carom_result {
    int32_t winner;                    /* the player, or -1 for none */
    uint32_t ticks;                    /* its length */
    int32_t score[CAROM_MAX_PLAYERS];  /* goals; csb: checkpoints passed by the pod ahead */
    uint32_t fault;                    /* carom_fault bits if a fault ended it, else 0 */
    double returns[CAROM_MAX_PLAYERS]; /* sums of their rewards, of all their agents: see carom_step.results */
} carom_result;

/* One call plays `ticks` steps of `repeat` ticks each. Arrays with a leading [step] hold every step of the call. An
 * output that is NULL is not written, and costs nothing. [world] counts the worlds of the call, from `first` on. */
typedef struct carom_step {
    size_t size;              /* sizeof(carom_step), set by carom_step_default() */
    size_t ticks;             /* steps, at least 1; with the default `repeat` of 1 a step is a tick */
    size_t action_kind;       /* an index into the game's kinds */
    double dt;                /* length of a tick, > 0, in games that leave it open (scenes); 0: the game's own */
    const void *actions;      /* [step][row][player][number], for the players whose source is CAROM_GIVEN and that have
                                 no array of their own below; NULL: all numbers are 0 */
    size_t action_rows;       /* rows of a step; 0: the number of worlds */
    const uint32_t *rows;     /* [world]: world w acts as row rows[w]; NULL: as row w */
    float *observations;      /* [step][row][agent][number], after the step (and after a reset) */
    float *last_observations; /* likewise, but written only where a game ended in that step: of the state in which it
                                 ended, before any reset */
    float *rewards;           /* [step][world][agent of the kind of reward]; the sum over the step's ticks */
    uint8_t *ends;            /* [step][world]: carom_end if the game ended in this step, else 0 */
    /* Recording, for tools and tests; it slows the call down. Only with repeat 1. */
    carom_event *events;    /* [step][world][event_capacity], in the order of the impacts */
    uint32_t *event_counts; /* [step][world]: impacts of the tick, including those that did not fit */
    size_t event_capacity;
    carom_contact *contacts; /* [step][world][event_capacity]: entry k belongs to event k; entries after the last event
                                may be overwritten. Needs `events`. */
    double *moved;           /* [step][world][body][4]: x, y, vx, vy after the motion, before the end-of-tick rules */
    /* Control of a long call; both may be NULL. */
    const volatile int *cancel; /* read between chunks of work; once it is not 0 the call stops: CAROM_ERROR_CANCELLED.
                                   Worlds may then have played different numbers of steps, but whole ones: a world of a
                                   scene that is stopped within a tick returns to the tick's start. */
    uint64_t *progress;         /* grows (atomically) up to steps x worlds */
    /* Where each player's actions come from: CAROM_GIVEN (the default), CAROM_ZERO, or CAROM_POLICY with a built-in
       policy, which acts before every tick within the call. Entries beyond the game's players are not read. */
    struct {
        carom_source source;
        size_t policy;
        const void *actions; /* CAROM_GIVEN: [step][row][number] of this player; NULL: they are in `actions` above */
        size_t action_kind;  /* their kind; read only with such an array */
    } players[CAROM_MAX_PLAYERS];
    /* Which worlds to play: `count` of the batch from world `first` on; 0: all from there on. */
    size_t first, count;
    const uint8_t *skip; /* [world]: worlds to leave out where it is not 0, as if frozen; NULL: none */
    size_t repeat; /* ticks of a step, at least 1, which all use the same actions. A world whose game ends waits for
                            the end of the step; if it is reset, at the start of its next game. */
    carom_at_end at_end; /* what happens to a game that ends; CAROM_AS_MADE (the default): as the batch was created */
    size_t observation_kind, reward_kind; /* see carom_game_observation_kind(), carom_game_reward_kind(): 0, 0 */
    uint64_t observed; /* a bit for each agent: observe agent k if bit k is set, and leave the others out of [agent]; 0:
                          observe all. Bits beyond the agents must be 0. */
    size_t observation_rows; /* rows of a step in the arrays of observations; 0: the number of worlds */
    const uint32_t *places;  /* [world]: write world w to row places[w], all different; NULL: to row w */
    /* [step][world]; written only where a game ended in that step. `returns` sums the rewards, of this call's kind, of
       all ticks of the game that were played by calls with results; carom_worlds_reset() and _restart() set it to 0,
       carom_worlds_copy() copies it. It is not part of any record, save or hash. */
    carom_result *results;
    /* [step][world][player][number], of the step's kind of action: the actions of all players, policies included.
       Requires repeat 1 and one kind of action for all players. Skipped, frozen and faulted worlds have a row, too:
       what their players would have done. */
    void *played;
    /* For a batch on a device: the CUstream on which to queue the call; NULL: the default stream. All arrays must then
       be memory of that device (device.h). */
    void *stream;
} carom_step;

/* One tick of all worlds, without outputs, all kinds 0, all players CAROM_GIVEN. */
CAROM_API carom_step carom_step_default(void);

/* Plays, with the worlds shared among the threads. Allocates nothing, except 8 bytes per player and world in the first
 * call on the batch that asks for results (CAROM_ERROR_MEMORY). Actions for frozen worlds are ignored, but the array
 * must include their rows. CAROM_ERROR_ARGUMENT: see carom_worlds_problem().
 *
 * A thread takes up to 128 worlds at a time and plays all ticks of the call in them while their state is in its core's
 * cache, so that the state of a batch is read and written once a call rather than once a tick. This matters for batches
 * larger than the caches: a million worlds of csb, called tick by tick, move 260 MB a tick to and from memory and reach
 * about a third of the speed of calls of 64 ticks. If each action depends on the previous observation, you can use
 * batches that fit into the cache (some thousand worlds per thread) and play each for many ticks before the next; give
 * the actions of several ticks in one call; or use carom_rollout(), which keeps its worlds in the cache for a whole
 * horizon. Use `cancel` and `progress` for long calls. */
CAROM_API carom_status carom_worlds_play(carom_worlds *worlds, const carom_step *step);

/* For tree search: copies and plays in one call. World w of the call (step->first + w of `children`) becomes world
 * from[w] of `parents` (`from` NULL: world step->first + w), but keeps its own id and seed and starts with no rewards
 * (carom_step.results); then it plays as in carom_worlds_play(). The parents do not change. They must be another batch
 * of the same game, options and precision (CAROM_ERROR_ARGUMENT). Children on a device need parents on the same device
 * (CAROM_ERROR_ARGUMENT); children on this processor take parents from any. */
CAROM_API carom_status carom_worlds_expand(carom_worlds *children, const carom_worlds *parents, const size_t *from,
                                           const carom_step *step);

/* observations[world][player][observation_size] of the current state. Not const: it uses the batch's scratch. */
CAROM_API carom_status carom_worlds_observe(carom_worlds *worlds, float *observations);

/* Writes step->observations as a step would, but of the current state. Also reads `first`, `count`, `observation_kind`,
 * `observed`, `observation_rows` and `places`, and nothing else. */
CAROM_API carom_status carom_worlds_observe_step(carom_worlds *worlds, const carom_step *step);

/* Built-in policies, by name: for demonstrations, benchmarks, and as sparring partners. To seat one, name it in
 * carom_step.players or carom_rollout_desc.players: that is faster than computing its actions with the function
 * below. */
CAROM_API const char *carom_game_policy_name(const carom_game *game, size_t index); /* NULL if there is none */
CAROM_API carom_status carom_game_find_policy(const carom_game *game, const char *name, size_t *index);

/* actions[world][player][number], of kind `action_kind`: what policy `policy` would do in every world, for all players.
 * It draws by each world's seed, id, episode and tick. */
CAROM_API carom_status carom_worlds_policy(const carom_worlds *worlds, size_t policy, size_t action_kind,
                                           void *actions);

#ifdef __cplusplus
}
#endif
#endif
