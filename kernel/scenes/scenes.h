/* SPDX-License-Identifier: MIT
 * A frozen scene on the host's side: the game that it is, and what it shares with its kernels.
 */
#ifndef CAROM_SCENES_SCENES_H
#define CAROM_SCENES_SCENES_H

#include <carom/scene.h>

#include "games/game.h"

typedef struct scene_frozen scene_frozen; /* see scenes/frozen.h */

/* The kinds of action, in the order of carom_scene.kinds. */
enum { SCENE_NORMALISED, SCENE_IMPULSE, SCENE_VELOCITY, SCENE_KINDS };

struct carom_scene {
    carom_game game;       /* first: a carom_scene is a carom_game */
    carom_scene_desc desc; /* its arrays are in `copies`; solver and engine are resolved */
    void *copies;
    void *frozen[2]; /* scene_frozen, in f32 and f64 */
    uint64_t hash;   /* of everything that a result depends on, but for hooks */
    field_spec fields[6];
    carom_action_kind kinds[SCENE_KINDS];
};

/* Scenes compiled for one instruction set and precision. */
typedef struct scene_kernel {
    game_kernel game;
    size_t (*frozen_bytes)(const carom_scene_desc *desc);
    /* Fills `memory`, 64-byte aligned. desc has been checked, is complete, and outlives it. */
    void (*freeze)(const carom_scene_desc *desc, void *memory);
    void (*start)(const scene_frozen *scene, void *tile, unsigned lane);
    bool (*check)(const scene_frozen *scene, const void *tile, unsigned lane);
    size_t (*scratch_bytes)(const scene_frozen *scene); /* of a thread */
} scene_kernel;

/* Fills scene->game (and fields, kinds, frozen) from scene->desc: scenes/game.c. */
carom_status carom_scene_make_game(carom_scene *scene);
void carom_scene_free_game(carom_scene *scene);

/* Impacts of a tick, before a world takes a fault. */
static inline uint32_t scene_max_events(const carom_scene_desc *desc)
{
    return desc->max_events != 0 ? desc->max_events : 64 + 16 * desc->body_count;
}

/* What is wrong with a description, in words; CAROM_OK if nothing is: scenes/check.c. */
carom_status carom_scene_check(const carom_scene_desc *desc, carom_problem *problem);

#endif
