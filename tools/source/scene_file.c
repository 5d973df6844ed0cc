/* SPDX-License-Identifier: MIT
 * Scenes from files: see scene_file.h.
 */
#include "scene_file.h"
#include "../command/out_file.h"
#include "game_file.h"

#include "base/random.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAW_SCATTER 2 /* the purpose of these random numbers; the library's policies use another */

const char *const carom_engine_names[] = {
    [CAROM_ENGINE_AUTO] = "auto", [CAROM_ENGINE_WIDE] = "wide", [CAROM_ENGINE_DEEP] = "deep", NULL};

/* ---- files ---- */

static carom_scene *change(carom_scene *scene, const char *path, scene_changes changes)
{
    carom_scene_desc desc = *carom_scene_describe(scene);
    desc.solver = changes.solver >= 0 ? (carom_toi_variant)changes.solver : desc.solver;
    desc.engine = changes.engine >= 0 ? (carom_engine)changes.engine : desc.engine;
    carom_scene *changed;
    carom_problem problem;
    const carom_status status = carom_scene_create(&desc, &changed, &problem);
    if (status != CAROM_OK) {
        carom_die("%s, changed as asked: %s", path,
                  problem.text[0] != '\0' ? problem.text : carom_status_string(status));
    }
    carom_scene_destroy(scene);
    return changed;
}

carom_scene *carom_load_scene(const char *path, const char *what, const char *others, scene_changes changes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        carom_die("unknown %s '%s': neither %s nor a scene's file (%s)", what, path, others, strerror(errno));
    }
    size_t length;
    char *text = carom_file_read(file, path, NULL, &length);
    carom_scene *scene;
    carom_problem problem;
    const carom_status status = carom_scene_read_json(text, length, &scene, &problem);
    free(text);
    if (status != CAROM_OK) {
        carom_die("%s: %s", path, problem.text[0] != '\0' ? problem.text : carom_status_string(status));
    }
    return changes.solver >= 0 || changes.engine >= 0 ? change(scene, path, changes) : scene;
}

const carom_game *carom_load_played(const char *name, const char *what, scene_changes changes, carom_scene **scene)
{
    const carom_game *game = carom_load_game(name);
    *scene = game == NULL ? carom_load_scene(name, what, "one that carom info lists", changes) : NULL;
    return game != NULL ? game : carom_scene_game(*scene);
}

/* ---- worlds ---- */

static size_t find(const carom_worlds *worlds, const char *name)
{
    size_t index;
    if (carom_worlds_find_field(worlds, name, &index) != CAROM_OK) {
        carom_die("the scene has no field %s", name);
    }
    return index;
}

void carom_get_reals(const carom_worlds *worlds, const char *name, size_t first, size_t count, size_t elements,
                     double *values)
{
    const bool is_float = carom_worlds_describe(worlds).precision == CAROM_F32;
    const carom_status status = carom_worlds_get(worlds, find(worlds, name), first, count, values);
    if (status != CAROM_OK) {
        carom_die("cannot read the field %s: %s", name, carom_status_string(status));
    }
    for (size_t k = count * elements; k-- > 0 && is_float;) { /* from the end: a double covers two floats */
        float value;
        memcpy(&value, (const char *)values + k * sizeof value, sizeof value);
        values[k] = (double)value;
    }
}

static void set_reals(carom_worlds *worlds, const char *name, size_t world, size_t elements, double *values)
{
    const bool is_float = carom_worlds_describe(worlds).precision == CAROM_F32;
    for (size_t k = 0; k < elements && is_float; k++) {
        const float value = (float)values[k];
        memcpy((char *)values + k * sizeof value, &value, sizeof value);
    }
    const carom_status status = carom_worlds_set(worlds, find(worlds, name), world, 1, values);
    if (status != CAROM_OK) {
        carom_die("--scatter: cannot set the field %s: %s", name, carom_status_string(status));
    }
}

/* Uniform in [-1, 1). */
static double draw(random_stream *stream)
{
    return (double)random_word(stream) * 0x1p-31 - 1;
}

void carom_scatter(carom_worlds *worlds, const carom_scene *scene, uint64_t seed, double amount)
{
    const carom_scene_desc *desc = carom_scene_describe(scene);
    const size_t n = desc->body_count;
    double *vx = carom_allocate(n, sizeof *vx), *vy = carom_allocate(n, sizeof *vy);
    for (size_t w = 0; w < carom_worlds_count(worlds) && amount > 0; w++) {
        uint32_t id[2];
        carom_worlds_get(worlds, find(worlds, "id"), w, 1, id);
        random_stream stream = random_begin(seed, (uint64_t)id[1] << 32 | id[0], DRAW_SCATTER, 0);
        carom_get_reals(worlds, "vx", w, 1, n, vx);
        carom_get_reals(worlds, "vy", w, 1, n, vy);
        for (size_t k = 0; k < n; k++) {
            const double dx = draw(&stream), dy = draw(&stream);
            if (!isinf(desc->bodies[k].mass)) {
                vx[k] += amount * dx;
                vy[k] += amount * dy;
            }
        }
        set_reals(worlds, "vx", w, n, vx);
        set_reals(worlds, "vy", w, n, vy);
    }
    free(vx);
    free(vy);
}
