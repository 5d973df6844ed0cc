/* SPDX-License-Identifier: MIT
 * A recipe in memory. recipe.c makes and checks it, player.c reads its players, text.c writes and reads its text,
 * play.c plays its blocks, digest.c adds up the results.
 */
#ifndef CAROM_RECIPE_RECIPE_H
#define CAROM_RECIPE_RECIPE_H

#include <carom/recipe.h>

#include "players/plan.h"
#include "replay/format.h"

#define RECIPE_FORMAT 1   /* must change once older recipes become unreadable */
#define RECIPE_PLAYER 256 /* bytes of a player's text, with the 0 */

/* A player's text and its meaning. */
typedef struct recipe_player {
    char text[RECIPE_PLAYER];
    player_text said;
} recipe_player;

struct carom_recipe {
    carom_recipe_desc desc; /* its pointers point into this structure, or to the caller's game */
    carom_scene *scene;     /* owned: the scene of a parsed recipe, or NULL */
    char *scene_text;       /* owned: the scene in one line; NULL: none */
    replay_options options; /* .bytes is NULL: the defaults */
    uint64_t content;       /* of its worlds: see struct carom_worlds */
    recipe_player players[CAROM_MAX_PLAYERS];
    uint64_t digests[CAROM_RECIPE_BLOCKS];
    bool known[CAROM_RECIPE_BLOCKS]; /* is there a digest? */
};

/* Reads the text of player `player` into r->players. */
carom_status carom_recipe_read_player(carom_recipe *r, unsigned player, const char *text, carom_problem *problem);

/* Makes a recipe of desc. If it is a scene, scene_text is its text: allocated, in one line, and owned by the recipe
 * from then on in any case. So is `scene`, which may be NULL. */
carom_status carom_recipe_make(const carom_recipe_desc *desc, carom_scene *scene, char *scene_text,
                               carom_recipe **recipe, carom_problem *problem);

/* A batch of `count` of its worlds. */
carom_status carom_recipe_worlds(const carom_recipe *r, size_t count, const carom_recipe_how *how,
                                 carom_worlds **worlds);

#endif
