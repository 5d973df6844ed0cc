/* SPDX-License-Identifier: MIT
 * Batches that load saves and records: a few worlds of every game, in both precisions, and of a scene.
 */
#ifndef CAROM_TESTS_FUZZ_FUZZ_BATCHES_H
#define CAROM_TESTS_FUZZ_FUZZ_BATCHES_H

#include <carom/carom.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_WORLDS 3

static inline void fuzz_must(carom_status status)
{
    if (status != CAROM_OK) {
        abort();
    }
}

static inline const carom_game *fuzz_scene(void)
{
    static const char text[] =
        "{\"body\": {\"radius\": 1}, \"bodies\": [{\"x\": 0, \"y\": 0, \"vx\": 1}, {\"x\": 4, \"y\": 0}, "
        "{\"x\": 8, \"y\": 1, \"ay\": -1}], \"walls\": [{\"a\": [-9, -9], \"b\": [20, -9]}], "
        "\"max_events\": 1000}"; /* bodies at the same position would collide a million times */
    static carom_scene *scene;
    carom_problem problem;
    if (scene == NULL) {
        fuzz_must(carom_scene_read_json(text, sizeof text - 1, &scene, &problem));
    }
    return carom_scene_game(scene);
}

/* The batch that the byte chooses; made once. */
static inline carom_worlds *fuzz_batch(uint8_t which)
{
    static carom_worlds *batches[64];
    const size_t games = carom_game_count() + 1, index = which % (2 * games);
    if (index >= sizeof batches / sizeof batches[0]) {
        abort();
    }
    if (batches[index] == NULL) {
        const carom_game *game = index / 2 < carom_game_count() ? carom_game_at(index / 2) : fuzz_scene();
        carom_worlds_desc desc = carom_worlds_desc_default(game);
        desc.count = FUZZ_WORLDS;
        desc.threads = 1;
        desc.precision = index % 2 == 0 ? CAROM_F64 : CAROM_F32;
        fuzz_must(carom_worlds_create(&desc, &batches[index]));
    }
    return batches[index];
}

/* One tick without actions. Its impacts are recorded with contacts: in states that play never reaches bodies overlap,
 * coincide or are far away. */
static inline void fuzz_tick(carom_worlds *worlds)
{
    static carom_event events[FUZZ_WORLDS][3];
    static carom_contact contacts[FUZZ_WORLDS][3];
    carom_step step = carom_step_default();
    step.events = events[0];
    step.contacts = contacts[0];
    step.event_capacity = 3;
    step.dt = carom_worlds_describe(worlds).game == fuzz_scene() ? 0.1 : 0;
    fuzz_must(carom_worlds_play(worlds, &step));
}

#endif
