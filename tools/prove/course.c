/* SPDX-License-Identifier: MIT
 * How a course is played: see course.h. Sums are over worlds, each hashed with its id, so that batches and the order of
 * worlds do not matter.
 */
#include "course.h"

#include "base/hash.h"

#include <carom/gas.h>
#include <carom/search.h>

#include <stdlib.h>
#include <string.h>

#define WORLDS 50 /* three tiles and a part */
#define CROWDS 6  /* worlds of the deep engine */
#define TICKS 110
#define MIDDLE 50
#define USUAL_TICKS 7
#define SEED 2026
#define SEQUENCES 8 /* of a rollout */
#define HORIZON 4

const char *const carom_sum_names[SUMS] = {"states", "outputs", "rollouts", "plans"};

/* ---- the courses ---- */

/* Disks of different sizes and masses in a solid box; each player has one that acts. */
static carom_scene *make_scene(unsigned bodies, carom_engine engine)
{
    carom_scene_body body[64];
    const carom_scene_wall wall = {.ax = 3, .ay = 0, .bx = 4, .by = 2, .restitution = 0.75};
    for (unsigned k = 0; k < bodies; k++) {
        const unsigned row = k / 8;
        body[k] = carom_scene_body_default();
        body[k].x = 1 + k % 8 * 1.25;
        body[k].y = 3 + row * 1.25;
        body[k].radius = 0.25 + k % 3 * 0.125;
        body[k].mass = 1 + k % 4;
        body[k].restitution = k % 2 == 0 ? 1 : 0.875;
        body[k].vx_spread = body[k].vy_spread = 4;
        body[k].acts = k < 2;
        body[k].player = k < 2 ? k : 0;
    }
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = body;
    desc.body_count = bodies;
    desc.walls = &wall;
    desc.wall_count = 1;
    desc.box = (carom_scene_box){
        .x1 = 11, .y1 = 13, .horizontal = CAROM_SIDES_SOLID, .vertical = CAROM_SIDES_SOLID, .restitution = 0.9375};
    desc.dt = 0.0625;
    desc.engine = engine;
    desc.last_tick = 100;
    desc.reward = (carom_scene_measure){.kind = CAROM_MEASURE_DISTANCE, .body = 0, .x = 5.5, .y = 6.5};
    desc.final_value = desc.reward;
    carom_scene *scene;
    carom_demand(carom_scene_create(&desc, &scene, NULL), "make a scene");
    return scene;
}

static course open_game(const char *name, const carom_game *game, const char *policy)
{
    course c = {.name = name, .game = game, .worlds = WORLDS, .sums = SUMS};
    carom_demand(carom_game_find_policy(game, policy, &c.policy), "find a policy");
    return c;
}

static course open_scene(const char *name, unsigned bodies, carom_engine engine, size_t worlds)
{
    carom_scene *scene = make_scene(bodies, engine);
    course c = open_game(name, carom_scene_game(scene), "random");
    c.scene = scene;
    c.worlds = worlds;
    return c;
}

void carom_open_courses(course courses[COURSES])
{
    static const char *const games[][3] = {
        {"csb.race", "csb", "race"},
        {"csb.ram", "csb", "ram"},
        {"csb.random", "csb", "random"},
        {"fall.random", "fall", "random"},
        {"soccer.striker", "soccer", "striker"},
        {"stones.strike", "stones", "strike"},
        {"fantastic_bits.striker", "fantastic_bits", "striker"},
    };
    course *c = courses;
    for (size_t k = 0; k < sizeof games / sizeof games[0]; k++) {
        *c++ = open_game(games[k][0], carom_game_find(games[k][1]), games[k][2]);
    }
    *c++ = open_scene("scene.wide", 7, CAROM_ENGINE_WIDE, WORLDS);
    *c++ = open_scene("scene.deep", 64, CAROM_ENGINE_DEEP, CROWDS);
    *c++ = (course){.name = "gas", .worlds = 1, .sums = 1};
}

void carom_close_courses(course courses[COURSES])
{
    for (size_t k = 0; k < COURSES; k++) {
        carom_scene_destroy(courses[k].scene);
    }
}

bool carom_course_has(const course *c, const way *w)
{
    return c->game != NULL || (w->threads <= 1 && w->batch == 0 && w->ticks == 0 &&
                               (w->middle == MIDDLE_NONE || w->middle == MIDDLE_SAVED || w->middle == MIDDLE_COPIED));
}

static carom_isa other_isa(carom_isa isa)
{
    carom_isa other = isa != CAROM_ISA_DEFAULT ? isa : carom_chosen_isa();
    do {
        other = other + 1 < CAROM_ISA_COUNT ? (carom_isa)(other + 1) : CAROM_ISA_SCALAR;
    } while (!carom_isa_usable(other));
    return other;
}

/* ---- a gas ---- */

static carom_gas *make_gas(carom_precision precision, carom_isa isa)
{
    carom_gas_desc desc = carom_gas_desc_default();
    carom_gas *gas;
    desc.bodies = 200;
    desc.seed = SEED;
    desc.precision = precision;
    desc.isa = isa;
    carom_demand(carom_gas_create(&desc, &gas), "create a gas");
    return gas;
}

static void play_gas(carom_precision precision, const way *w, uint64_t sums[SUMS])
{
    carom_gas *gas = make_gas(precision, w->isa);
    carom_demand(carom_gas_run(gas, CAROM_GAS_EPOCH, NULL, NULL), "run a gas");
    if (w->middle != MIDDLE_NONE) {
        carom_gas *next = make_gas(precision, other_isa(w->isa));
        const size_t size = carom_gas_save_size(gas);
        void *save = carom_allocate(size, 1);
        carom_demand(carom_gas_save(gas, save, size), "save a gas");
        carom_demand(w->middle == MIDDLE_SAVED ? carom_gas_load(next, save, size) : carom_gas_copy(next, gas),
                     "restore a gas");
        carom_gas_destroy(gas);
        free(save);
        gas = next;
    }
    carom_demand(carom_gas_run(gas, CAROM_GAS_EPOCH, NULL, NULL), "run a gas");
    sums[SUM_STATES] = carom_gas_digest(gas);
    carom_gas_destroy(gas);
}

/* ---- a batch: some worlds of a course ---- */

typedef struct batch {
    const course *course;
    const way *way;
    carom_game_info about;
    carom_precision precision;
    carom_worlds *worlds;
    size_t first, count; /* which of the course's worlds */
    uint64_t *ids;       /* [count]: of the world at each place */
    uint64_t *hashes;    /* [id - first]: of a world's outputs so far */
    float *observations, *rewards;
    uint8_t *ends;
    uint64_t *sums;
} batch;

static carom_worlds *make(const batch *b, carom_isa isa, unsigned threads, uint64_t first_id)
{
    carom_worlds_desc desc = carom_worlds_desc_default(b->course->game);
    carom_worlds *worlds;
    desc.count = b->count;
    desc.precision = b->precision;
    desc.isa = isa;
    desc.threads = threads > 0 ? threads : 1;
    desc.seed = SEED;
    desc.first_id = first_id;
    desc.at_end = CAROM_RESET;
    carom_demand(carom_worlds_create(&desc, &worlds), "create the worlds");
    return worlds;
}

/* With the kind of action that Python and JavaScript use by default. */
static carom_step make_step(const batch *b)
{
    carom_step step = carom_step_default();
    carom_demand(carom_game_find_action_kind(b->course->game, "normalised", &step.action_kind),
                 "find a kind of action");
    for (uint32_t p = 0; p < b->about.players; p++) {
        step.players[p].source = CAROM_POLICY;
        step.players[p].policy = b->course->policy;
    }
    return step;
}

static void restart(batch *b)
{
    uint64_t *seeds = carom_allocate(b->count, sizeof *seeds);
    carom_step step = make_step(b);
    step.ticks = USUAL_TICKS;
    carom_demand(carom_worlds_play(b->worlds, &step), "play");
    for (size_t w = 0; w < b->count; w++) {
        b->ids[w] = b->first + b->count - 1 - w;
        seeds[w] = SEED;
    }
    carom_demand(carom_worlds_restart(b->worlds, NULL, b->ids, seeds), "restart");
    free(seeds);
}

static void open_batch(batch *b)
{
    const size_t ticks = b->way->ticks > 0 ? b->way->ticks : USUAL_TICKS, rows = ticks * b->count;
    const bool restarted = b->way->middle == MIDDLE_RESTARTED;
    b->about = carom_game_describe(b->course->game);
    b->ids = carom_allocate(b->count, sizeof *b->ids);
    b->hashes = carom_allocate(b->count, sizeof *b->hashes);
    b->observations = carom_allocate(rows * b->about.players * b->about.observation_size, sizeof(float));
    b->rewards = carom_allocate(rows * b->about.players, sizeof(float));
    b->ends = carom_allocate(rows, 1);
    b->worlds = make(b, b->way->isa, b->way->threads, restarted ? 1000 : b->first);
    for (size_t w = 0; w < b->count; w++) {
        b->ids[w] = b->first + w;
    }
    if (restarted) {
        restart(b);
    }
}

static void close_batch(batch *b)
{
    carom_worlds_destroy(b->worlds);
    free(b->ids);
    free(b->hashes);
    free(b->observations);
    free(b->rewards);
    free(b->ends);
}

/* Numbers rather than bytes are hashed, whose order differs between machines. */
static uint64_t hash_f32s(uint64_t hash, const float *numbers, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        hash = hash_step(hash, hash_canonical_f32(bits));
    }
    return hash;
}

static uint64_t hash_f64s(uint64_t hash, const double *numbers, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        hash = hash_step(hash, hash_canonical_f64(bits));
    }
    return hash;
}

static void add_outputs(batch *b, size_t ticks)
{
    const size_t players = b->about.players, seen = players * b->about.observation_size;
    for (size_t at = 0; at < ticks * b->count; at++) {
        uint64_t *hash = &b->hashes[b->ids[at % b->count] - b->first];
        *hash = hash_f32s(*hash, b->observations + at * seen, seen);
        *hash = hash_f32s(*hash, b->rewards + at * players, players);
        *hash = hash_step(*hash, b->ends[at]);
    }
}

/* Plays ticks [from, to). */
static void play(batch *b, size_t from, size_t to)
{
    const size_t most = b->way->ticks > 0 ? b->way->ticks : USUAL_TICKS;
    carom_step step = make_step(b);
    step.observations = b->observations;
    step.rewards = b->rewards;
    step.ends = b->ends;
    for (size_t tick = from; tick < to; tick += step.ticks) {
        step.ticks = to - tick < most ? to - tick : most;
        carom_demand(carom_worlds_play(b->worlds, &step), "play");
        add_outputs(b, step.ticks);
    }
}

static void restore(carom_worlds *next, const carom_worlds *worlds)
{
    const size_t size = carom_worlds_save_size(worlds);
    void *save = carom_allocate(size, 1);
    carom_demand(carom_worlds_save(worlds, save, size), "save");
    carom_demand(carom_worlds_load(next, save, size), "load");
    free(save);
}

static void copy_reversed(batch *b, carom_worlds *next)
{
    size_t *from = carom_allocate(b->count, sizeof *from);
    for (size_t w = 0; w < b->count; w++) {
        from[w] = b->count - 1 - w;
        b->ids[w] = b->first + from[w];
    }
    carom_demand(carom_worlds_copy(next, NULL, b->worlds, from, b->count), "copy");
    free(from);
}

static void copy_records(carom_worlds *next, const carom_worlds *worlds, size_t count)
{
    const size_t size = count * carom_worlds_record_size(worlds);
    void *records = carom_allocate(size, 1);
    carom_demand(carom_worlds_get_records(worlds, NULL, count, records, size), "get records");
    carom_demand(carom_worlds_set_records(next, NULL, count, records, size), "set records");
    free(records);
}

static void take_over(batch *b)
{
    carom_worlds *next = make(b, other_isa(b->way->isa), b->way->threads + 2, b->first);
    switch (b->way->middle) {
    case MIDDLE_SAVED:
        restore(next, b->worlds);
        break;
    case MIDDLE_FORKED:
        for (size_t w = 0; w < b->count; w++) {
            carom_demand(carom_worlds_fork(next, w, 1, b->worlds, w), "fork");
        }
        break;
    case MIDDLE_COPIED:
        copy_reversed(b, next);
        break;
    default:
        copy_records(next, b->worlds, b->count);
    }
    carom_worlds_destroy(b->worlds);
    b->worlds = next;
}

/* ---- sums ---- */

/* The hash of a world's numbers begins with its id. */
static uint64_t begin_world(uint64_t id)
{
    return hash_step(1, id);
}

static void add_rollouts(const batch *b)
{
    const size_t each = SEQUENCES * (size_t)b->about.players;
    double *returns = carom_allocate(b->count * each, sizeof *returns);
    carom_rollout_desc desc = carom_rollout_desc_default(b->course->game);
    desc.sequences = SEQUENCES;
    desc.horizon = HORIZON;
    desc.seed = SEED;
    for (uint32_t p = 1; p < b->about.players; p++) {
        desc.players[p].source = CAROM_POLICY;
        desc.players[p].policy = b->course->policy;
    }
    carom_demand(carom_rollout(b->worlds, &desc, returns, NULL, NULL), "roll out");
    for (size_t w = 0; w < b->count; w++) {
        b->sums[SUM_ROLLOUTS] += hash_end(hash_f64s(begin_world(b->ids[w]), returns + w * each, each));
    }
    free(returns);
}

static void add_plans(const batch *b)
{
    carom_search *search;
    carom_action_kind kind;
    carom_search_desc desc = carom_search_desc_default(b->course->game);
    desc.planner = CAROM_CEM;
    desc.horizon = HORIZON;
    desc.sequences = SEQUENCES;
    desc.rollouts = (uint64_t)3 * SEQUENCES;
    desc.seed = SEED;
    desc.other = CAROM_OTHER_POLICY;
    desc.policy = b->course->policy;
    carom_demand(carom_game_action_kind(b->course->game, desc.action_kind, &kind), "find the kind of action");
    const size_t each = HORIZON * (size_t)kind.size;
    float *plans = carom_allocate(b->count * each, sizeof *plans);
    carom_demand(carom_search_create(b->worlds, &desc, &search), "create a search");
    carom_demand(carom_search_run(search, b->worlds), "search");
    carom_demand(carom_search_plan(search, 0, plans), "get the plans");
    for (size_t w = 0; w < b->count; w++) {
        b->sums[SUM_PLANS] += hash_end(hash_f32s(begin_world(b->ids[w]), plans + w * each, each));
    }
    carom_search_destroy(search);
    free(plans);
}

static void add_sums(const batch *b)
{
    uint64_t digest;
    carom_demand(carom_worlds_digest(b->worlds, &digest), "digest");
    b->sums[SUM_STATES] += digest;
    for (size_t w = 0; w < b->count; w++) {
        b->sums[SUM_OUTPUTS] += hash_end(hash_step(begin_world(b->first + w), b->hashes[w]));
    }
    add_rollouts(b);
    add_plans(b);
}

static void play_batch(batch *b)
{
    const bool taken = b->way->middle != MIDDLE_NONE && b->way->middle != MIDDLE_RESTARTED;
    open_batch(b);
    if (taken) {
        play(b, 0, MIDDLE);
        take_over(b);
    }
    play(b, taken ? MIDDLE : 0, TICKS);
    add_sums(b);
    close_batch(b);
}

void carom_play_course(const course *c, carom_precision precision, const way *w, uint64_t sums[SUMS])
{
    memset(sums, 0, SUMS * sizeof *sums);
    if (c->game == NULL) {
        play_gas(precision, w, sums);
        return;
    }
    batch b = {.course = c, .way = w, .precision = precision, .sums = sums};
    for (; b.first < c->worlds; b.first += b.count) {
        const size_t most = b.first == 0 && w->first > 0 ? w->first : w->batch > 0 ? w->batch : c->worlds;
        b.count = c->worlds - b.first < most ? c->worlds - b.first : most;
        play_batch(&b);
    }
}
