/* SPDX-License-Identifier: MIT
 * Games: rules on top of worlds. Actions go in; observations, rewards and ends come out.
 *
 * A game is a const table. carom_game_find("csb") gives the table of Coders Strike Back; csb.h is its manual.
 * Everything here works for every game.
 *
 * All arrays are the caller's, contiguous and world-major: actions [world][player][number], observations
 * [world][player][number], rewards [world][player], ends [world].
 *
 * An agent is whoever sees and is rewarded: a player, or, where a kind of observation or reward says so, one of the
 * bodies that a player acts with. Agents are counted over all players, first those of player 0: with n a player, agent
 * number p * n + i is body i of player p. What is said of [agent] is [player][body of the player].
 */
#ifndef CAROM_GAME_H
#define CAROM_GAME_H

#include <carom/worlds.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The game of that name, or NULL. The games in order, first those that Carom ships, then those from outside; NULL from
 * carom_game_count() on. */
CAROM_API const carom_game *carom_game_find(const char *name);
CAROM_API size_t carom_game_count(void);
CAROM_API const carom_game *carom_game_at(size_t index);

/* ---- games from outside ----
 *
 * A game that somebody else has written with the headers in carom/kit/ (docs/games.md) and built with the program
 * carom-kit: from then on it is a game like any other. A game stays until the process ends. These functions may be
 * called from several threads, and at the same time as those above.
 *
 * open takes a shared object. LOADING IT RUNS ITS CODE, with all rights of the process: open nothing that you would not
 * run as a program. The path has a slash in it ("./air_hockey.so"), since there is no folder in which games are looked
 * for. The same file gives the same game. adopt takes a game that is linked into the program (carom-kit build game.c
 * -o game.a), by the entry that its object defines.
 *
 * *game is NULL after an error; problem (may be NULL) says in a line what is wrong.
 *     CAROM_ERROR_ARGUMENT      no path or entry, no slash in the path, or the name is another game's
 *     CAROM_ERROR_FORMAT        no shared object, one without a game in it, one of another version of the kit, or a
 *                               table that contradicts itself
 *     CAROM_ERROR_UNSUPPORTED   this system, or a program without a dynamic linker, has no shared objects */
typedef struct carom_kit_entry carom_kit_entry; /* see kit/rules.h */
CAROM_API carom_status carom_game_open(const char *path, const carom_game **game, carom_problem *problem);
CAROM_API carom_status carom_game_adopt(const carom_kit_entry *entry, const carom_game **game, carom_problem *problem);

typedef struct carom_game_info {
    const char *name;
    const char *title;
    uint32_t players;           /* sides that act and are rewarded: 1 to CAROM_MAX_PLAYERS */
    uint32_t bodies;            /* circles a world */
    uint32_t max_events;        /* of one tick, before the world is given a fault */
    uint32_t observation_size;  /* floats a player */
    uint32_t action_kinds;      /* see carom_game_action_kind() */
    uint32_t policies;          /* built-in policies */
    uint32_t observation_kinds; /* see carom_game_observation_kind(), */
    uint32_t reward_kinds;      /* carom_game_reward_kind() */
    const char *counts;         /* what carom_counters.goals counts: "checkpoints passed"; NULL: nothing */
} carom_game_info;

CAROM_API carom_game_info carom_game_describe(const carom_game *game);

/* ---- options ----
 *
 * What a game leaves open stands in its structure of options (carom_csb_options, ...), to which
 * carom_worlds_desc.options points. A table says what the members are. It holds wherever options are given: by
 * programs, by the command (`--set NAME=VALUE`), in Python. The first member, `size`, is not in the table. */
typedef enum carom_option_type {
    CAROM_OPTION_COUNT,  /* uint32_t */
    CAROM_OPTION_FLAG,   /* uint32_t or bool, as carom_option.bytes says: 0 or 1 */
    CAROM_OPTION_NUMBER, /* double */
    CAROM_OPTION_CHOICE, /* an enum: 0, 1, ... are the names in `choices` */
    CAROM_OPTION_PRESET, /* no member: a name in `choices` stands for values of other options, which it sets */
    CAROM_OPTION_SEED, /* const uint64_t *: where the number is, read at creation; NULL (the default): there is none */
    CAROM_OPTION_LIST  /* a pointer to the caller's, read at creation; NULL (the default): there is none */
} carom_option_type;

typedef struct carom_option {
    const char *name, *meaning;
    carom_option_type type;
    size_t offset, bytes;       /* of the member in the structure */
    double value;               /* the default */
    double low, high;           /* what is allowed: from low to high, */
    bool below;                 /* without high itself. What options must be to each other the game's header says */
    const char *const *choices; /* [high + 1] */
    /* Of a list: the place of its length, a uint32_t; bytes of an item, or 0 if items point at something themselves. */
    size_t count_offset, item_bytes;
} carom_option;

/* CAROM_ERROR_ARGUMENT: there is none of that number, or name. */
CAROM_API carom_status carom_game_option(const carom_game *game, size_t index, carom_option *option);
CAROM_API carom_status carom_game_find_option(const carom_game *game, const char *name, size_t *index);

/* Bytes of the structure; 0: the game has no options. */
CAROM_API size_t carom_game_options_size(const carom_game *game);

/* Fills a structure with the defaults. */
CAROM_API carom_status carom_game_options_default(const carom_game *game, void *options);

/* Sets the option of that name, which is no seed or list, in a structure that is filled. Presets come first: they set
 * other options. CAROM_ERROR_ARGUMENT: there is no such option. CAROM_ERROR_VALUE: it must not be `value`. `problem`
 * (may be NULL) names it and its range. */
CAROM_API carom_status carom_game_set_option(const carom_game *game, void *options, const char *name, double value,
                                             carom_problem *problem);

/* Could worlds be made with desc->options? If not, this is the status that carom_worlds_create() gives, and `problem`
 * (may be NULL) names the option and its range. */
CAROM_API carom_status carom_game_check_options(const carom_worlds_desc *desc, carom_problem *problem);

/* A kind of action: how a player's numbers are read. Every game has `normalised`: floats in [-1, 1]. */
typedef struct carom_action_kind {
    const char *name;
    carom_precision precision; /* of the numbers in the array: float or double */
    uint32_t size;             /* numbers a player */
} carom_action_kind;

CAROM_API carom_status carom_game_action_kind(const carom_game *game, size_t index, carom_action_kind *kind);
CAROM_API carom_status carom_game_find_action_kind(const carom_game *game, const char *name, size_t *index);

/* A kind of observation. Every game has `raw`, of index 0: what its header says, one agent a player. Where a game has
 * bodies of its players' own (csb, soccer, fantastic_bits) the agents of two more kinds are these: `ego` is what each
 * body sees relative to itself, see the game's header; `raw_body` is `raw` with the body itself first, before the
 * others of its player. Who wants what a player sees in one row takes the rows of its bodies together, which stand side
 * by side. */
typedef struct carom_observation_kind {
    const char *name;
    uint32_t agents; /* a player */
    uint32_t size;   /* floats an agent */
} carom_observation_kind;

CAROM_API carom_status carom_game_observation_kind(const carom_game *game, size_t index, carom_observation_kind *kind);
CAROM_API carom_status carom_game_find_observation_kind(const carom_game *game, const char *name, size_t *index);

/* What a number of an observation is. A number of any world that carom_worlds_set() takes, in either precision, lies
 * within low and high, which may be infinite; in play most are far within. */
typedef struct carom_number {
    char name[48];    /* "mate.ahead" */
    const char *unit; /* what 1 is: "16000 units"; "" for flags, cosines, shares */
    float low, high;
} carom_number;

/* Number `number` < size of an agent's observation. */
CAROM_API carom_status carom_game_observation_number(const carom_game *game, size_t kind, size_t number,
                                                     carom_number *what);

/* A kind of reward: 0 `game`: what the game's header says; 1 `result`: only the end of a game is rewarded, with 1 for
 * the winner and -1 / (players - 1), as a float, for each other player: their sum is 0; all get 0 if nobody wins. 2,
 * where a game has it, `own`: what each body gained that players act with, and the result for each: see the game's
 * header. */
typedef struct carom_reward_kind {
    const char *name;
    uint32_t agents; /* a player */
} carom_reward_kind;

CAROM_API carom_status carom_game_reward_kind(const carom_game *game, size_t index, carom_reward_kind *kind);
CAROM_API carom_status carom_game_find_reward_kind(const carom_game *game, const char *name, size_t *index);

/* A final value: what a state is worth to a player, at the end of a rollout (rollout.h). 0 `game`: what the game's
 * header says; it has no weights. The others, where a game has some, are sums of features of the state, each times a
 * weight of the caller's, or else the one that the value has by default. */
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

/* How a world's game stands (field `end`, and the array `ends`). */
typedef enum carom_end {
    CAROM_RUNNING = 0,
    CAROM_TERMINATED = 1, /* decided by its rules */
    CAROM_TRUNCATED = 2   /* stopped by its limit of ticks, or by a fault (carom_fault) */
} carom_end;

/* One impact, as recorded. A game's header may give `left`, and `moved` below, another meaning. */
typedef struct carom_event {
    double left;            /* time left in the tick at the impact, in ticks */
    uint32_t first, second; /* the two bodies, in the order in which the game names them */
    uint32_t part;          /* of the second body, where the game tells (fall, scenes); else 0 */
    uint32_t kind;          /* what the second is (scenes: carom_impact_kind); else 0 */
    double x, y;            /* the point (fall, scenes); else not written */
    double nx, ny;          /* the unit normal from the second to the first (scenes); else not written */
    double impulse;         /* scenes: see carom_impact_kind in carom/scene.h; else not written */
} carom_event;

/* An impact as it can be drawn: where both bodies are, and what it does to them. Arrays are [first, second], in the
 * order of the event, and then [x, y]. If the second is no body but, say, a wall, its centre is the place (that of a
 * post, the post's) and its velocities are 0.
 *
 * A body's way in a tick leads from where it was at the start through its centres at its impacts, in their order, to
 * where it is at the end: straight from each to the next or, where the game has accelerations, along a parabola that
 * begins with the velocity after the impact. An impact of bodies that overlap may move them apart, which its centres do
 * not show. With the radii r the centres are also place - r[0] normal and, unless the two overlap, place + r[1] normal,
 * but for rounding. In a periodic box each centre is that of the body itself, of which the other may have met an image.
 * A body that another carries (a held ball or snaffle) goes its way, and has no impacts of its own.
 *
 * In a game from outside only the first body is told, without place, normal and impulse, unless the game says what
 * touches (RULES_TOUCH of kit/rules.h). */
typedef struct carom_contact {
    double x, y;   /* the place: where the first touches */
    double nx, ny; /* the unit normal from the first to the second; 0, 0 if there is none */
    double
        impulse; /* that the second gets along the normal, mass times speed, also of a wall; 0: nothing is exchanged */
    double time[2];                   /* of the tick, from 0 to 1, when they are there: one time, but in stones */
    double centre[2][2];              /* where they are */
    double before[2][2], after[2][2]; /* their velocities, in the game's unit */
} carom_contact;

/* Where the actions of one player come from. */
typedef enum carom_source {
    CAROM_DRAWN,     /* rollouts: uniform in [-1, 1), by carom_rollout_draw(); needs the kind `normalised` */
    CAROM_GIVEN,     /* the caller's: see carom_step.actions and carom_rollout_desc */
    CAROM_BROADCAST, /* rollouts: actions[root][tick][number]: the same for every k */
    CAROM_ZERO,      /* every number is 0 */
    CAROM_POLICY,    /* what carom_worlds_policy() answers for this player, asked before every tick */
    CAROM_UNIFORM,   /* rollouts: uniform between bounds; see carom_rollout_desc */
    CAROM_GAUSSIAN   /* rollouts: normal, about a mean by tick, within bounds; see carom_rollout_desc */
} carom_source;

/* How a game has ended. Entries of players that the game does not have are 0. */
typedef struct carom_result {
    int32_t winner;                    /* the player, or -1: nobody */
    uint32_t ticks;                    /* that it lasted */
    int32_t score[CAROM_MAX_PLAYERS];  /* what its players scored: goals; csb: checkpoints of the pod ahead */
    uint32_t fault;                    /* carom_fault bits if a fault has ended it; else 0 */
    double returns[CAROM_MAX_PLAYERS]; /* sums of their rewards, of all their agents: see carom_step.results */
} carom_result;

/* One call plays `ticks` steps of `repeat` ticks. Arrays with a leading [step] hold every step of the call; NULL for an
 * output means that it is not wanted (and costs nothing).
 * [world] counts the worlds of the call: those from `first` on. */
typedef struct carom_step {
    size_t size;              /* sizeof(carom_step), set by carom_step_default() */
    size_t ticks;             /* steps, at least 1; with repeat 1, which is the default, these are ticks */
    size_t action_kind;       /* an index into the game's kinds */
    double dt;                /* length of a tick, > 0, where the game leaves it open (scenes); 0: the game's own */
    const void *actions;      /* [step][row][player][number], of the players whose source is CAROM_GIVEN and who have no
                                 array of their own below; NULL: all numbers are 0 */
    size_t action_rows;       /* rows of a step; 0: the number of worlds */
    const uint32_t *rows;     /* [world]: world w acts as row rows[w]; NULL: as row w */
    float *observations;      /* [step][row][agent][number], after the step (and after a reset) */
    float *last_observations; /* likewise; written only where a game ended in that step: the state in which it ended,
                                 before any reset */
    float *rewards;           /* [step][world][agent of the kind of reward]; of a step, the sum of its ticks */
    uint8_t *ends;            /* [step][world]: carom_end if the game ended in this step, else 0 */
    /* Recording, for tools and tests; it slows the call down. Only with repeat 1. */
    carom_event *events;    /* [step][world][event_capacity], in the order of the impacts */
    uint32_t *event_counts; /* [step][world]: impacts of the tick, those that did not fit included */
    size_t event_capacity;
    carom_contact *contacts; /* [step][world][event_capacity]: entry k is of event k; those behind the last event may be
                                written, too. Needs `events`. */
    double *moved;           /* [step][world][body][4]: x, y, vx, vy after the motion, before the end-of-tick rules */
    /* Control of a long call; both may be NULL. */
    const volatile int *cancel; /* read between chunks of work; once it is not 0 the call stops: CAROM_ERROR_CANCELLED.
                                   Worlds have then played different numbers of steps, all of them whole: a
                                   world of a scene that is stopped within a tick goes back to its start. */
    uint64_t *progress;         /* grows (atomically) up to steps x worlds */
    /* Who plays: CAROM_GIVEN (the default), CAROM_ZERO, or CAROM_POLICY with a built-in policy, which then
       plays within the call, asked before every tick. Those beyond the game's players are not read. */
    struct {
        carom_source source;
        size_t policy;
        const void
            *actions; /* given ones: [step][row][number] of this player alone, NULL: they are among those above; */
        size_t action_kind; /* and of what kind they are. Not read without such an array */
    } players[CAROM_MAX_PLAYERS];
    /* Which worlds: `count` of the batch from world `first` on; 0: all from there on. The others stay as they are. */
    size_t first, count;
    const uint8_t *skip; /* [world]: those that are not 0 stand still, as frozen worlds do; NULL: none */
    size_t repeat;       /* ticks of a step, at least 1: its actions are held. A world whose game ends in a step stands
                            still until the step is over (anew, if it is reset). */
    carom_at_end at_end; /* what becomes of a game that ends; CAROM_AS_MADE (the default): as the batch was made */
    size_t observation_kind, reward_kind; /* see carom_game_observation_kind(), carom_game_reward_kind(): 0, 0 */
    uint64_t observed; /* bit k: agent number k is observed: [agent] of the observations counts these only; 0: all.
                                No bit beyond the agents. */
    size_t observation_rows; /* rows of a step in the arrays of observations; 0: the number of worlds */
    const uint32_t *places;  /* [world]: world w is seen in row places[w], no two in the same; NULL: in row w */
    /* [step][world]; written only where a game ended in that step: how. `returns` are the sums of the rewards, of this
       call's kind, of all ticks of the game that were played by calls with results; carom_worlds_reset() and _restart()
       make them 0, carom_worlds_copy() takes them along. The batch keeps them beside its worlds: they are in no record,
       save or hash. */
    carom_result *results;
    /* [step][world][player][number], numbers of the step's kind of action: the actions of all players, those of
       policies included. Requires repeat 1 and one kind of action for all players. Worlds that are skipped, frozen or
       faulty have a row, too: what their players would have done. */
    void *played;
    /* Of a batch on a device: the CUstream on which the call is queued; NULL: the default stream. All arrays are then
       memory of that device (device.h). */
    void *stream;
} carom_step;

/* One tick of all worlds, no outputs, all kinds 0, all actions given. */
CAROM_API carom_step carom_step_default(void);

/* Plays. The worlds are shared among threads. Nothing is allocated, but for 8 bytes a player and world by the first
 * call on the batch that wants results (CAROM_ERROR_MEMORY). Actions of frozen worlds are not read as meaning
 * anything, but their rows must exist. CAROM_ERROR_ARGUMENT: see carom_worlds_problem().
 * A thread takes up to 128 worlds at a time and plays all ticks of the call in them while their state is in its core's
 * cache: the state of a batch is read and written once a call, not once a tick. That matters for a batch larger than
 * the caches. A million worlds of csb, called tick by tick, stream 260 MB a tick from memory and back, and reach about
 * a third of the speed of calls of 64 ticks. Who needs every tick's outputs to choose the next actions has these ways:
 * batches that fit into the cache (some thousand worlds a thread), each played for many ticks before the next; actions
 * given for several ticks, which one call plays; carom_rollout(), which keeps its worlds in the cache and draws or
 * takes their actions for a whole horizon. `cancel` and `progress` serve a call that is long. */
CAROM_API carom_status carom_worlds_play(carom_worlds *worlds, const carom_step *step);

/* Trees: copies and plays in one call. World w of the call (step->first + w of `children`) becomes world from[w] of
 * `parents`, keeping its own id and seed, with no rewards so far (carom_step.results), and then plays as in
 * carom_worlds_play(), by whose rules all else goes. from NULL: world step->first + w. The parents stay as they are;
 * they are another batch of the same game, options and precision (CAROM_ERROR_ARGUMENT). Children on a device need
 * parents on the same device (CAROM_ERROR_ARGUMENT); children on this processor take parents from any. */
CAROM_API carom_status carom_worlds_expand(carom_worlds *children, const carom_worlds *parents, const size_t *from,
                                           const carom_step *step);

/* observations[world][player][observation_size] of the state as it is. Not const: it works in the batch's scratch. */
CAROM_API carom_status carom_worlds_observe(carom_worlds *worlds, float *observations);

/* Writes step->observations as one step would, of the state as it is: `first`, `count`, `observation_kind`, `observed`,
 * `observation_rows` and `places` are read, too, and nothing else. */
CAROM_API carom_status carom_worlds_observe_step(carom_worlds *worlds, const carom_step *step);

/* Built-in policies, by name: for demonstrations, benchmarks, and as sparring partners. To let one play a side, name it
 * in carom_step.players or carom_rollout_desc.players, which is faster than asking for its actions here. */
CAROM_API const char *carom_game_policy_name(const carom_game *game, size_t index); /* NULL from info.policies on */
CAROM_API carom_status carom_game_find_policy(const carom_game *game, const char *name, size_t *index);

/* actions[world][player][number] of kind `action_kind` that policy `policy` plays in every world, for all players.
 * Draws are keyed by each world's seed, id, episode and tick. */
CAROM_API carom_status carom_worlds_policy(const carom_worlds *worlds, size_t policy, size_t action_kind,
                                           void *actions);

#ifdef __cplusplus
}
#endif
#endif
