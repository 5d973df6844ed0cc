/* SPDX-License-Identifier: MIT
 * The names of the numbers in a scene's observations, and their bounds.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scenes/scenes.h"

#define NUMBERS 4     /* of a body */
#define ROUNDING 1e-6 /* of a difference to the nearest image, relative to the box */

/* A scene's tables of observations: `raw`, and `ego` if it has views. */
typedef struct scene_names {
    char texts[2 * CAROM_SCENE_OBSERVED][16];
    const char *owners[2 * CAROM_SCENE_OBSERVED];    /* whose numbers they are: of raw, then of ego */
    observation_number place[NUMBERS], way[NUMBERS]; /* the numbers of a body, and relative to another */
    observation_block raw, ego[2];
    observation_kind kinds[2];
} scene_names;

/* The bounds of coordinates, and of their differences: narrow in a periodic box. Inactive bodies are seen at 0. */
static void bound(observation_number *place, observation_number *way, carom_scene_sides sides, double low, double high)
{
    const bool bounded = sides == CAROM_SIDES_PERIODIC;
    const double most = bounded ? (high - low) * (0.5 + ROUNDING) : 2 * CAROM_SCENE_RANGE_F64;
    place->low = (float)(bounded ? fmin(low, 0) : -CAROM_SCENE_RANGE_F64);
    place->high = (float)(bounded ? fmax(high, 0) : CAROM_SCENE_RANGE_F64);
    way->low = (float)-most;
    way->high = (float)most;
}

static void name_numbers(scene_names *n, const carom_scene_box *box)
{
    static const char *const names[NUMBERS] = {"x", "y", "vx", "vy"};
    for (int k = 0; k < NUMBERS; k++) {
        const observation_number number = {names[k], k < 2 ? "the scene's unit of length" : "the scene's unit of speed",
                                           -FLT_MAX, FLT_MAX};
        n->place[k] = n->way[k] = number;
    }
    bound(&n->place[0], &n->way[0], box->horizontal, box->x0, box->x1);
    bound(&n->place[1], &n->way[1], box->vertical, box->y0, box->y1);
}

carom_status carom_scene_name_seen(carom_scene *scene)
{
    const carom_scene_desc *desc = &scene->desc;
    carom_game *game = &scene->game;
    scene_names *n = (scene_names *)carom_memory_take(sizeof *n);
    if (n == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    scene->names = n;

    name_numbers(n, &desc->box);
    for (uint32_t k = 0; k < 2 * CAROM_SCENE_OBSERVED; k++) {
        const bool raw = k < CAROM_SCENE_OBSERVED;
        snprintf(n->texts[k], sizeof n->texts[k], raw ? "body %u" : "seen %u", k % CAROM_SCENE_OBSERVED);
        n->owners[k] = n->texts[k];
    }

    /* raw: every body. ego: the viewing body, then the others of its view. */
    static const char *const own[] = {"own"};
    const uint32_t raw_size = game->info.observation_size, others = desc->view_count > 0 ? desc->views[0].count : 0;
    n->raw = (observation_block){n->owners, raw_size / NUMBERS, n->place, NUMBERS};
    n->ego[0] = (observation_block){own, 1, n->place, NUMBERS};
    n->ego[1] = (observation_block){n->owners + CAROM_SCENE_OBSERVED, others, n->way, NUMBERS};

    n->kinds[0] = (observation_kind){.kind = {"raw", 1, raw_size}, .blocks = &n->raw, .block_count = 1, .view = 0};
    n->kinds[1] = (observation_kind){.kind = {"ego", desc->view_count / game->info.players, NUMBERS * (1 + others)},
                                     .blocks = n->ego,
                                     .block_count = 2,
                                     .view = 1};
    game->observations = n->kinds;
    game->info.observation_kinds = desc->view_count > 0 ? 2 : 1;
    return CAROM_OK;
}
