/* SPDX-License-Identifier: MIT
 * Recipes: a text of at most 2 kB from which any machine makes the same transitions again. It names the game or scene,
 * options, seed, players, worlds, ticks and the version, and holds a digest of each block of the transitions: of all
 * observations, actions, rewards and ends.
 *
 *     make       carom_recipe_create(&desc, &recipe, &problem);
 *                for (b = 0; b < blocks; b++) {
 *                    carom_recipe_play(recipe, b, &how, &digest);
 *                    carom_recipe_set_digest(recipe, b, digest);
 *                }
 *                carom_recipe_write(recipe, text, &length);
 *     verify     carom_recipe_parse(text, length, &recipe, &problem);
 *                carom_recipe_play(recipe, b, &how, &digest);           any block, in any order, anywhere
 *                carom_recipe_digest(recipe, b, &recorded);             compare the two
 *
 * A block is a range of the worlds, played from their start for all ticks. It depends only on the recipe: you can play
 * blocks in any order, on any number of threads, processes and machines.
 *
 * A transition is one tick of one world: the observation before it, the actions of all players, and the rewards and end
 * that follow. The observation after it is that of the next transition. World w has the id w.
 *
 * Several threads may play one recipe at the same time, each a different block.
 */
#ifndef CAROM_RECIPE_H
#define CAROM_RECIPE_H

#include <carom/scene.h>
#include <carom/search.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- digests of transitions ---- */

/* Transitions in memory. Each array is [tick][world][bytes], without gaps; NULL with 0 bytes: it has none. */
typedef struct carom_transitions {
    size_t size; /* sizeof(carom_transitions), set by carom_transitions_default() */
    size_t ticks, worlds;
    uint64_t first_tick;      /* of the first row of each array, counted from the start of the run */
    uint64_t first_id;        /* the id of world 0 if ids is NULL */
    const uint64_t *ids;      /* [world]: the id of each; NULL: first_id + w */
    const void *observations; /* before the tick; of all agents */
    const void *actions;      /* of all players */
    const void *rewards;      /* of all agents that have rewards */
    const void *ends;         /* carom_end, a byte each */
    size_t observation_bytes, action_bytes, reward_bytes, end_bytes; /* of one world and tick */
} carom_transitions;

CAROM_API carom_transitions carom_transitions_default(void); /* no transitions, no arrays */

/* The sum (modulo 2^64) over all transitions of a hash of the id, the tick and the bytes of the transition's rows: the
 * digests of any parts add up to that of the whole. Two sets of transitions that differ in one number (a word of 8
 * bytes, counted from the start of a row) never have the same digest. The bytes are hashed as they are: -0 is not 0.
 * CAROM_ERROR_ARGUMENT: an array is missing whose rows have bytes, or the other way round. */
CAROM_API carom_status carom_transitions_digest(const carom_transitions *transitions, uint64_t *digest);

/* ---- what a recipe says ---- */

#define CAROM_RECIPE_BYTES 2048 /* of its text, at most */
#define CAROM_RECIPE_BLOCKS 64  /* at most */

typedef struct carom_recipe_desc {
    size_t size;               /* sizeof(carom_recipe_desc), set by carom_recipe_desc_default() */
    const carom_game *game;    /* one of Carom's, an open plug-in, or carom_scene_game() of a scene without hooks */
    const void *options;       /* as in carom_worlds_desc; no lists. Read at creation */
    const char *scene;         /* the JSON text of a scene: needed only in a build without a JSON library */
    uint64_t worlds, ticks;    /* each at least 1; default 1 */
    uint64_t seed;             /* default 0 */
    carom_precision precision; /* default f64 */
    carom_at_end at_end;       /* default CAROM_RESET */
    size_t action_kind, observation_kind, reward_kind; /* default 0 */
    /* One text for each player of the game, read at creation:
     *     "race"       a built-in policy, by its name
     *     "zero"       every number of its actions is 0 (if no policy has that name)
     *     "cem:1000"   a planner, as in carom/player.h, with a budget in rollouts; it searches in every tick, and the
     *                  first row of its plan is its normalised action */
    const char *players[CAROM_MAX_PLAYERS];
    size_t blocks; /* 0 (default): the most that fit into the text, at most one per world and CAROM_RECIPE_BLOCKS */
} carom_recipe_desc;

/* Every player is the game's first policy. */
CAROM_API carom_recipe_desc carom_recipe_desc_default(const carom_game *game);

typedef struct carom_recipe carom_recipe;

/* Creates a recipe without digests. Free *recipe with carom_recipe_destroy(); it is NULL after an error, and *problem
 * (may be NULL) gets one line on what is wrong. The game, or its scene, must outlive the recipe.
 *     CAROM_ERROR_ARGUMENT      something out of its range, no such player, a scene with hooks
 *     CAROM_ERROR_VALUE         options that the game does not allow
 *     CAROM_ERROR_SIZE          the text would be longer than CAROM_RECIPE_BYTES
 *     CAROM_ERROR_UNSUPPORTED   what a recipe cannot hold: lists of options, a network, a budget in milliseconds, a
 *                               planner's precision; a scene in a build without a JSON library and without
 *                               desc.scene */
CAROM_API carom_status carom_recipe_create(const carom_recipe_desc *desc, carom_recipe **recipe,
                                           carom_problem *problem);

/* Parses a recipe; ownership as above. Open plug-in games first.
 *     CAROM_ERROR_FORMAT        not a recipe, or a damaged one: a changed byte is always detected
 *     CAROM_ERROR_UNSUPPORTED   made by another version of Carom or of the game, whose results may differ; the game
 *                               does not exist; a scene in a build without a JSON library */
CAROM_API carom_status carom_recipe_parse(const char *text, size_t length, carom_recipe **recipe,
                                          carom_problem *problem);
CAROM_API void carom_recipe_destroy(carom_recipe *recipe); /* NULL is allowed */

/* Writes the text, of at most CAROM_RECIPE_BYTES and without a terminating 0, and its length. Missing digests are
 * written as missing: an incomplete recipe can be parsed and completed. */
CAROM_API carom_status carom_recipe_write(const carom_recipe *recipe, char text[CAROM_RECIPE_BYTES], size_t *length);

/* What the recipe was created with. Pointers belong to the recipe. */
CAROM_API carom_recipe_desc carom_recipe_describe(const carom_recipe *recipe);

/* ---- blocks ---- */

/* The worlds of block `block` < carom_recipe_describe().blocks. */
CAROM_API carom_status carom_recipe_block(const carom_recipe *recipe, size_t block, uint64_t *first_world,
                                          uint64_t *worlds);

/* How a block is played. */
typedef struct carom_recipe_how {
    size_t size; /* sizeof(carom_recipe_how), set by carom_recipe_how_default() */
    carom_isa isa;
    unsigned threads;           /* as in carom_worlds_desc */
    const volatile int *cancel; /* as in carom_step */
    uint64_t *progress;         /* incremented atomically as transitions are played */
    const unsigned *affinity;   /* as in carom_worlds_desc */
    size_t affinity_count;
} carom_recipe_how;

/* The defaults of a batch; no cancel, no progress. */
CAROM_API carom_recipe_how carom_recipe_how_default(void);

/* Plays a block and computes the digest of its transitions; there is none after CAROM_ERROR_CANCELLED. Allocates some
 * hundred worlds per thread (CAROM_ERROR_MEMORY). how may be NULL for the defaults.
 * CAROM_ERROR_ARGUMENT: a block that the recipe does not have, too many threads, a `how` of the wrong size. */
CAROM_API carom_status carom_recipe_play(const carom_recipe *recipe, size_t block, const carom_recipe_how *how,
                                         uint64_t *digest);

/* The recorded digest of a block; CAROM_ERROR_VALUE if it is missing. */
CAROM_API carom_status carom_recipe_digest(const carom_recipe *recipe, size_t block, uint64_t *digest);

/* Stores the digest of a block. Do not call it while another call uses the recipe. */
CAROM_API carom_status carom_recipe_set_digest(carom_recipe *recipe, size_t block, uint64_t digest);

#ifdef __cplusplus
}
#endif
#endif
