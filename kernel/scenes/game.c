/* SPDX-License-Identifier: MIT
 * The table that makes a scene a game, built when the scene is created.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/memory.h"
#include "base/random.h"
#include "scenes/scenes.h"
#include "worlds/layout.h"

enum { SCENE_STILL, SCENE_RANDOM, SCENE_POLICIES };
static const char *const policies[SCENE_POLICIES] = {"still", "random"};

#define DRAW_POLICY 1

CAROM_KERNEL_OF(scene_kernel, scene)

static const game_kernel *game_kernel_of(carom_isa isa, carom_precision precision)
{
    const scene_kernel *kernel = kernel_of(isa, precision);
    return kernel != NULL ? &kernel->game : NULL;
}

/* ---- the context of a batch: the scene itself, which batches share ---- */

static size_t context_bytes(const carom_worlds_desc *desc)
{
    return desc->options == NULL ? sizeof(void *) : 0;
}

/* Is the description in range? It is in double, and may be too large for f32. */
static bool fits(const carom_scene_desc *desc, carom_precision precision)
{
    const double far = precision == CAROM_F64 ? CAROM_SCENE_RANGE_F64 : CAROM_SCENE_RANGE_F32;
    const double fast = precision == CAROM_F64 ? DBL_MAX : (double)FLT_MAX;
    if (precision == CAROM_F32 &&
        !(desc->dt - desc->dt_spread >= (double)FLT_MIN && desc->dt + desc->dt_spread <= fast)) {
        return false;
    }

    for (uint32_t i = 0; i < desc->body_count; i++) {
        const carom_scene_body *b = &desc->bodies[i];
        if (!(fabs(b->x) + b->x_spread <= far && fabs(b->y) + b->y_spread <= far &&
              fabs(b->vx) + b->vx_spread <= fast && fabs(b->vy) + b->vy_spread <= fast)) {
            return false;
        }
    }
    return true;
}

static carom_status context_create(const carom_worlds_desc *desc, void **context)
{
    carom_scene *scene = (carom_scene *)(uintptr_t)desc->game;
    if (desc->options != NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!fits(&scene->desc, desc->precision)) {
        return CAROM_ERROR_VALUE;
    }
    *context = scene;
    return CAROM_OK;
}

static void context_destroy(void *context)
{
    (void)context; /* it belongs to the caller */
}

static uint64_t context_hash(const void *context)
{
    return ((const carom_scene *)context)->hash;
}

/* ---- policies ---- */

/* still: all numbers are 0 (with the kind "velocity" the bodies that act stop). random: uniform in [-1, 1), times the
 * scene's action_scale for kinds without a scale. */
static void policy(const policy_asked *asked, unsigned lane, size_t number, size_t kind, void *actions)
{
    const carom_scene *scene = (const carom_scene *)asked->worlds->context;
    const uint32_t size = scene->game.info.players * scene->kinds[kind].size;
    const world_layout *layout = &asked->worlds->layout;

    /* A stream for each world, episode and tick. */
    int32_t tick, episode;
    memcpy(&tick, field_in(&layout->fields[FIELD_tick], asked->tile, lane), sizeof tick);
    memcpy(&episode, field_in(&layout->fields[FIELD_episode], asked->tile, lane), sizeof episode);
    random_stream stream = random_begin(asked->seeds[lane], carom_tile_get_id(layout, asked->tile, lane), DRAW_POLICY,
                                        (uint32_t)episode << 12 ^ (uint32_t)tick);

    for (uint32_t e = 0; e < size; e++) {
        double value = 0;
        if (number == SCENE_RANDOM) {
            value = random_number(random_word(&stream));
        }
        if (kind == SCENE_NORMALISED) {
            ((float *)actions)[e] = (float)value;
        } else {
            ((double *)actions)[e] = value * scene->desc.action_scale;
        }
    }
}

/* ---- the names of the numbers in observations, and their bounds ---- */

#define NUMBERS 4     /* of a body */
#define ROUNDING 1e-6 /* of a difference to the nearest image, relative to the box */

/* A scene's tables of observations: `raw`, `ego` if it has views, and `lidar` if it has rays. */
typedef struct scene_names {
    char texts[2 * CAROM_SCENE_OBSERVED][16];
    const char *owners[2 * CAROM_SCENE_OBSERVED];    /* the owners of the numbers: of raw, then of ego */
    observation_number place[NUMBERS], way[NUMBERS]; /* the numbers of a body, absolute and relative to another */
    char rays[CAROM_SCENE_RAYS][16], tells[32][16];
    const char *ray_owners[CAROM_SCENE_RAYS];
    observation_number ray[5 + 32];
    observation_block raw, ego[2], lidar;
    observation_kind kinds[3];
} scene_names;

/* The bounds of coordinates, and of their differences: narrow in a periodic box. Inactive bodies are observed at 0. */
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

/* The numbers of a ray, in the order of carom_scene_lidar. */
static void name_rays(scene_names *n, const carom_scene_lidar *lidar)
{
    observation_number *to = n->ray;
    *to++ = (observation_number){"distance", "the range", 0, 1};
    *to++ = (observation_number){"body", "", 0, 1};
    *to++ = (observation_number){"wall", "", 0, 1};
    for (uint32_t k = 0; k < 32; k++) {
        if ((lidar->tells >> k & 1) != 0) {
            snprintf(n->tells[k], sizeof n->tells[k], "category %u", k);
            *to++ = (observation_number){n->tells[k], "", 0, 1};
        }
    }
    *to++ = (observation_number){"away", "the scene's unit of speed", -FLT_MAX, FLT_MAX};
    *to++ = (observation_number){"aside", "the scene's unit of speed", -FLT_MAX, FLT_MAX};

    for (uint32_t k = 0; k < CAROM_SCENE_RAYS; k++) {
        snprintf(n->rays[k], sizeof n->rays[k], "ray %u", k);
        n->ray_owners[k] = n->rays[k];
    }
    n->lidar = (observation_block){n->ray_owners, lidar->rays, n->ray, scene_lidar_numbers(lidar)};
}

static carom_status name_observations(carom_scene *scene)
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

    observation_kind *kind = n->kinds;
    *kind++ = (observation_kind){.kind = {"raw", 1, raw_size}, .blocks = &n->raw, .block_count = 1, .view = 0};
    if (desc->view_count > 0) {
        *kind++ = (observation_kind){.kind = {"ego", desc->view_count / game->info.players, NUMBERS * (1 + others)},
                                     .blocks = n->ego,
                                     .block_count = 2,
                                     .view = 1};
    }
    if (desc->lidar.rays > 0) {
        name_rays(n, &desc->lidar);
        *kind++ = (observation_kind){.kind = {"lidar", scene_actors(desc, 0), n->lidar.owner_count * n->lidar.count},
                                     .blocks = &n->lidar,
                                     .block_count = 1,
                                     .view = GAME_VIEW_LIDAR};
    }
    game->observations = n->kinds;
    game->info.observation_kinds = (uint32_t)(kind - n->kinds);
    return CAROM_OK;
}

/* ---- the table ---- */

/* Appends a field to the game's. */
static void list_field(carom_scene *scene, const char *name, carom_type type, carom_role role, uint32_t count)
{
    const field_spec field = {name, type, role, count};
    scene->fields[scene->game.type.field_count++] = field;
}

/* The records from which x and y are computed: see "Records across ticks" in carom/scene.h. Reals are consecutive, and
 * so are integers: scenes/tile.h saves them together. */
static void list_records(carom_scene *scene)
{
    static const char *const names[] = {"record_x", "record_y", "record_time", "record_vx", "record_vy"};
    const uint32_t n = scene->desc.body_count, count = scene_has_accelerations(&scene->desc) ? 5 : 3;
    for (uint32_t k = 0; k < count; k++) {
        list_field(scene, names[k], CAROM_TYPE_REAL, CAROM_ROLE_STATE, n);
    }
    list_field(scene, "record_dt", CAROM_TYPE_REAL, CAROM_ROLE_STATE, 1);
    list_field(scene, "record_tick", CAROM_TYPE_INT32, CAROM_ROLE_STATE, n);
    if (scene_watches_numbers(&scene->desc)) {
        list_field(scene, "record_numbers", CAROM_TYPE_INT32, CAROM_ROLE_STATE, 1);
    }
}

static void list_fields(carom_scene *scene)
{
    const uint32_t n = scene->desc.body_count;
    scene->game.type.fields = scene->fields;
    scene->game.type.field_count = 0;

    list_field(scene, "x", CAROM_TYPE_REAL, CAROM_ROLE_STATE, n);
    list_field(scene, "y", CAROM_TYPE_REAL, CAROM_ROLE_STATE, n);
    list_field(scene, "vx", CAROM_TYPE_REAL, CAROM_ROLE_STATE, n);
    list_field(scene, "vy", CAROM_TYPE_REAL, CAROM_ROLE_STATE, n);
    if (scene_goes_on(&scene->desc)) {
        list_records(scene);
    }
    list_field(scene, "active", CAROM_TYPE_INT8, CAROM_ROLE_STATE, n);
    if (scene->desc.user_words) {
        list_field(scene, "user", CAROM_TYPE_INT32, CAROM_ROLE_STATE, n);
    }

    static const char *const own[SCENE_OWNS] = {
        "radius",  "mass",    "restitution", "damping",  "ax",       "ay", "action_scale", "wall_ax",
        "wall_ay", "wall_bx", "wall_by",     "corner_x", "corner_y", "dt", "wall_there",   "polygon_there"};
    const uint32_t varies = scene->varies = scene_varies(&scene->desc);
    for (unsigned k = 0; k < SCENE_OWNS; k++) {
        const uint32_t count = scene_own_count(&scene->desc, varies, (scene_own)k);
        if (count != 0) {
            list_field(scene, own[k], k < SCENE_OWN_REALS ? CAROM_TYPE_REAL : CAROM_TYPE_INT8, CAROM_ROLE_PARAMETER,
                       count);
        }
    }
}

static void list_kinds(carom_scene *scene)
{
    const uint32_t actors = scene_actors(&scene->desc, 0);
    scene->kinds[SCENE_NORMALISED] = (carom_action_kind){"normalised", CAROM_F32, 2 * actors};
    scene->kinds[SCENE_IMPULSE] = (carom_action_kind){"impulse", CAROM_F64, 2 * actors};
    scene->kinds[SCENE_VELOCITY] = (carom_action_kind){"velocity", CAROM_F64, 2 * actors};
    scene->game.kinds = scene->kinds;
}

static carom_status freeze_both(carom_scene *scene)
{
    const fp_environment caller = fp_begin(); /* freezing rounds */
    for (int k = 0; k < 2; k++) {
        const scene_kernel *kernel = kernel_of(CAROM_NARROWEST, k == 0 ? CAROM_F32 : CAROM_F64);
        if (kernel == NULL) {
            continue; /* a precision that was not built */
        }
        scene->frozen[k] = carom_memory_take(kernel->frozen_bytes(&scene->desc));
        if (scene->frozen[k] != NULL) {
            kernel->freeze(&scene->desc, scene->engines[k], scene->frozen[k]);
        }
    }
    fp_end(caller);
    const bool narrow = scene->frozen[0] != NULL || !precision_is_built(CAROM_F32);
    return narrow && scene->frozen[1] != NULL ? CAROM_OK : CAROM_ERROR_MEMORY;
}

/* Scratch of a thread, enough for every instruction set and precision. */
static size_t greatest_scratch(const carom_scene *scene)
{
    size_t most = 0;
    for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        for (int k = 0; k < 2 && carom_isa_usable((carom_isa)isa); k++) {
            const scene_kernel *kernel = kernel_of((carom_isa)isa, k == 0 ? CAROM_F32 : CAROM_F64);
            const size_t bytes = kernel != NULL ? kernel->scratch_bytes((const scene_frozen *)scene->frozen[k]) : 0;
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

carom_status carom_scene_make_game(carom_scene *scene)
{
    const carom_status status = freeze_both(scene);
    if (status != CAROM_OK) {
        return status;
    }

    carom_game *game = &scene->game;
    game->type.name = "scene";
    game->type.context_bytes = context_bytes;
    game->type.context_create = context_create;
    game->type.context_destroy = context_destroy;
    game->type.context_hash = context_hash;
    for (int k = 0; k < 2; k++) {
        const scene_kernel *kernel = kernel_of(CAROM_NARROWEST, k == 0 ? CAROM_F32 : CAROM_F64);
        game->type.ops[k] = kernel != NULL ? &kernel->game.worlds : NULL;
    }
    game->type.scratch_bytes = carom_game_scratch_bytes;
    list_fields(scene);
    list_kinds(scene);

    const uint32_t bodies = scene->desc.body_count;
    game->info.name = "scene";
    game->info.title = "A scene of circles and walls";
    game->info.players = scene_players(&scene->desc);
    game->mixes = true;
    game->info.bodies = bodies;
    game->info.max_events = scene_max_events(&scene->desc);
    game->info.observation_size = 4 * (bodies < CAROM_SCENE_OBSERVED ? bodies : CAROM_SCENE_OBSERVED);
    game->agents = scene->desc.rule_count > 0 ? scene_actors(&scene->desc, 0) : 0;
    game->info.action_kinds = SCENE_KINDS;
    game->info.policies = SCENE_POLICIES;
    game->info.counts = "sensor events";

    game->policies = policies;
    game->scratch_bytes = greatest_scratch(scene);
    game->type.large[0] = scene->engines[0] == CAROM_ENGINE_DEEP;
    game->type.large[1] = scene->engines[1] == CAROM_ENGINE_DEEP;
    game->any_dt = true;
    game->kernel = game_kernel_of;
    game->look = &carom_scene_look;
    game->policy = policy;
    const carom_status aimed = carom_scene_aim_rays(scene);
    return aimed == CAROM_OK ? name_observations(scene) : aimed;
}

void carom_scene_free_game(carom_scene *scene)
{
    carom_memory_release(scene->frozen[0]);
    carom_memory_release(scene->frozen[1]);
    carom_memory_release(scene->names);
    carom_memory_release(scene->rays);
}

carom_status carom_worlds_step(carom_worlds *worlds, double dt, size_t ticks)
{
    if (worlds == NULL || !worlds->desc.game->any_dt || !(dt > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    carom_step step = carom_step_default();
    step.dt = dt;
    step.ticks = ticks;
    return carom_worlds_play(worlds, &step);
}
