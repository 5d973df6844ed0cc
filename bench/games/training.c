/* SPDX-License-Identifier: MIT
 * Steps as used in training, mostly in csb, with the policy `race` against itself, one tick a call, one thread:
 *
 *     seen/        observations of both players (raw), and of all pods (ego), for batches that fit into the caches and
 *                  that do not; the ratio is to the same step without outputs
 *     sides/       one side by a built-in policy within the step, and as a caller had to do it before: by asking
 *                  carom_worlds_policy() for both sides and copying one of them next to the other's actions; the ratio
 *                  is to a step in which both sides' actions are given
 *                  (kinds: the second side acts in normalised numbers, from a separate array)
 *     results/     results of games that end; parts of a batch, worlds that are skipped, held actions
 *     trees/       carom_worlds_expand(): every world becomes one of another batch, in mixed order, and plays a tick
 *     air_hockey/  a scene with rules and views, that of examples/scenes/air_hockey.json, with random actions; the
 *                  ratio is to the same scene without them
 *
 * The baseline of `x plain C` is the tests' reference of the game, one world at a time, which writes observations
 * directly into the rows.
 */
#include "bench/common/harness.h"

#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 3
#define WARM 40  /* ticks before the timed ones */
#define STEPS 16 /* an iteration, the first of which is not timed */
#define MOST 128 /* cases */
#define PLAYERS 2
#define NUMBERS 4 /* of a player's action */

typedef enum ask {
    ASK_NOTHING,
    ASK_RAW,
    ASK_EGO,
    ASK_ALL, /* observations, rewards, ends, results */
    ASK_POLICY,
    ASK_COPIED, /* the side's actions by carom_worlds_policy() */
    ASK_RESULTS,
    ASK_HALVES,
    ASK_SKIP,
    ASK_REPEAT,
    ASK_KINDS,
    ASK_EXPAND,
    ASK_REWARDS /* of rules */
} ask;

typedef struct wish {
    ask asked;
    size_t worlds;
    carom_precision precision;
    carom_isa isa;
    bool rules; /* air hockey: the scene has rules and views */
} wish;

typedef struct stage {
    carom_worlds *worlds, *start;
    carom_step step;
    float *given, *both; /* what one side and both do in every step; */
    float *asked;        /* and the requested outputs */
    float *normalised;   /* the second side's actions, in that kind */
    size_t *from;        /* of which parent a world becomes a copy */
    float *seen, *rewards;
    uint8_t *ends, *skip;
    carom_result *results;
} stage;

static stage make_stage(const wish *w)
{
    const carom_game *game = carom_game_find("csb");
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    stage s;
    memset(&s, 0, sizeof s);
    desc.count = w->worlds;
    desc.precision = w->precision;
    desc.isa = w->isa;
    desc.threads = 1;
    desc.seed = SEED;
    desc.at_end = CAROM_RESET;
    carom_bench_demand(carom_worlds_create(&desc, &s.worlds), "create");
    carom_bench_demand(carom_worlds_create(&desc, &s.start), "create");
    s.step = carom_step_default();
    for (int p = 0; p < PLAYERS; p++) {
        s.step.players[p].source = CAROM_POLICY;
    }
    s.step.ticks = WARM;
    carom_bench_demand(carom_worlds_play(s.start, &s.step), "warm up");
    s.given = carom_bench_take(STEPS * w->worlds, NUMBERS * sizeof(float));
    s.both = carom_bench_take(STEPS * w->worlds, PLAYERS * NUMBERS * sizeof(float));
    s.asked = carom_bench_take(w->worlds, PLAYERS * NUMBERS * sizeof(float));
    s.normalised = carom_bench_take(STEPS * w->worlds, NUMBERS * sizeof(float));
    s.from = carom_bench_take(w->worlds, sizeof *s.from);
    s.seen = carom_bench_take(w->worlds, 4 * CAROM_CSB_EGO * sizeof(float));
    s.rewards = carom_bench_take(w->worlds, PLAYERS * sizeof(float));
    s.ends = carom_bench_take(w->worlds, 1);
    s.skip = carom_bench_take(w->worlds, 1);
    s.results = carom_bench_take(w->worlds, sizeof *s.results);
    for (size_t k = 0; k < w->worlds; k++) {
        s.skip[k] = k % 2;
        s.from[k] = k * 7 % w->worlds;
    }
    s.step.ticks = 1;
    for (int p = 0; p < PLAYERS; p++) {
        s.step.players[p].source = CAROM_GIVEN;
    }
    /* The games are the same in all cases: `race` on both sides, with actions computed in advance. */
    size_t normalised;
    carom_bench_demand(carom_game_find_action_kind(game, "normalised", &normalised), "find the kind");
    carom_bench_demand(carom_worlds_copy(s.worlds, NULL, s.start, NULL, w->worlds), "copy");
    for (size_t t = 0; t < STEPS; t++) {
        float *both = s.both + t * w->worlds * PLAYERS * NUMBERS;
        carom_bench_demand(carom_worlds_policy(s.worlds, 0, normalised, both), "ask");
        for (size_t k = 0; k < w->worlds; k++) {
            memcpy(s.normalised + (t * w->worlds + k) * NUMBERS, both + (k * PLAYERS + 1) * NUMBERS,
                   NUMBERS * sizeof(float));
        }
        carom_bench_demand(carom_worlds_policy(s.worlds, 0, 0, both), "ask");
        for (size_t k = 0; k < w->worlds; k++) {
            memcpy(s.given + (t * w->worlds + k) * NUMBERS, both + k * PLAYERS * NUMBERS, NUMBERS * sizeof(float));
        }
        s.step.actions = both;
        carom_bench_demand(carom_worlds_play(s.worlds, &s.step), "play");
    }
    return s;
}

static void end_stage(stage *s)
{
    carom_worlds_destroy(s->worlds);
    carom_worlds_destroy(s->start);
    free(s->given);
    free(s->both);
    free(s->asked);
    free(s->normalised);
    free(s->from);
    free(s->seen);
    free(s->rewards);
    free(s->ends);
    free(s->skip);
    free(s->results);
}

static void ask_for(const wish *w, stage *s)
{
    carom_step *step = &s->step;
    switch (w->asked) {
    case ASK_ALL:
        step->rewards = s->rewards;
        step->ends = s->ends;
        step->results = s->results;
        step->observations = s->seen;
        break;
    case ASK_RAW:
        step->observations = s->seen;
        break;
    case ASK_EGO:
        step->observations = s->seen;
        step->observation_kind = 1;
        break;
    case ASK_POLICY:
        step->players[1].source = CAROM_POLICY;
        break;
    case ASK_RESULTS:
        step->rewards = s->rewards;
        step->ends = s->ends;
        step->results = s->results;
        break;
    case ASK_SKIP:
        step->skip = s->skip;
        break;
    case ASK_REPEAT:
        step->repeat = 4;
        break;
    case ASK_KINDS:
        carom_bench_demand(
            carom_game_find_action_kind(carom_game_find("csb"), "normalised", &step->players[1].action_kind),
            "find the kind");
        break;
    default:
        break;
    }
}

static void tick(const wish *w, stage *s, size_t t)
{
    const size_t half = w->worlds / 2, row = (size_t)PLAYERS * NUMBERS;
    const float *given = s->given + t * w->worlds * NUMBERS, *both = s->both + t * w->worlds * row;
    s->step.actions = w->asked == ASK_POLICY || w->asked == ASK_KINDS ? given : both;
    if (w->asked == ASK_KINDS) {
        s->step.players[1].actions = s->normalised + t * w->worlds * NUMBERS;
    }
    if (w->asked == ASK_EXPAND) {
        carom_bench_demand(carom_worlds_expand(s->worlds, s->start, s->from, &s->step), "expand");
        return;
    }
    if (w->asked == ASK_COPIED) {
        carom_bench_demand(carom_worlds_policy(s->worlds, 0, 0, s->asked), "ask");
        for (size_t k = 0; k < w->worlds; k++) {
            memcpy(s->asked + k * row, given + k * NUMBERS, NUMBERS * sizeof(float));
        }
        s->step.actions = s->asked;
    }
    if (w->asked == ASK_HALVES) {
        s->step.first = 0;
        s->step.count = half;
        carom_bench_demand(carom_worlds_play(s->worlds, &s->step), "play");
        s->step.first = half;
        s->step.count = 0;
        s->step.actions = both + half * row;
    }
    carom_bench_demand(carom_worlds_play(s->worlds, &s->step), "play");
}

static void run(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const wish *w = argument;
    stage s = make_stage(w);
    ask_for(w, &s);
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_copy(s.worlds, NULL, s.start, NULL, w->worlds), "set back");
        for (size_t t = 0; t < STEPS; t++) {
            tick(w, &s, t); /* once untimed: pages and caches */
            if (t == 0) {
                carom_bench_start(sample);
            }
        }
        carom_bench_stop(sample);
    }
    sample->items = (double)iterations * (double)w->worlds * (STEPS - 1) * (w->asked == ASK_REPEAT ? 4 : 1);
    end_stage(&s);
}

/* ---- plain C ---- */

/* Reads the worlds of a batch, plays them one by one and, if requested, writes the observations of both players. */
static void run_plain(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const wish *w = argument;
    stage s = make_stage(w);
    csb_ref_world *start = carom_bench_take(w->worlds, sizeof *start);
    csb_ref_world *worlds = carom_bench_take(w->worlds, sizeof *worlds);
    csb_ref_map *maps = carom_bench_take(w->worlds, sizeof *maps);
    size_t map_field;
    carom_bench_demand(carom_worlds_find_field(s.start, "map", &map_field), "find the maps");
    for (size_t k = 0; k < w->worlds; k++) {
        int32_t map, xy[8][2];
        uint32_t n, laps;
        carom_plain_read(&start[k], s.start, k);
        carom_bench_demand(carom_worlds_get(s.start, map_field, k, 1, &map), "read the maps");
        carom_bench_demand(carom_csb_get_map(s.start, (uint32_t)map, &n, &laps, xy, 8), "read a map");
        if (!csb_ref_map_create(&maps[k], (const int32_t(*)[2])xy, n, laps)) {
            carom_bench_die("out of memory");
        }
    }
    for (uint64_t i = 0; i < iterations; i++) {
        memcpy(worlds, start, w->worlds * sizeof *worlds);
        for (int t = 0; t < STEPS; t++) {
            for (size_t k = 0; k < w->worlds; k++) {
                float *seen = s.seen + k * PLAYERS * CAROM_CSB_OBSERVATION;
                (void)csb_ref_step(&worlds[k], &maps[k], CAROM_CSB_FULL, CSB_REF_RELATIVE,
                                   s.both + ((size_t)t * w->worlds + k) * PLAYERS * NUMBERS, NULL, NULL);
                for (int p = 0; p < PLAYERS && w->asked == ASK_RAW; p++) {
                    csb_ref_observe(&worlds[k], &maps[k], p, seen + p * CAROM_CSB_OBSERVATION);
                }
            }
            if (t == 0) {
                carom_bench_start(sample);
            }
        }
        carom_bench_stop(sample);
    }
    for (size_t k = 0; k < w->worlds; k++) {
        end_csb_ref_map(&maps[k]);
    }
    free(start);
    free(worlds);
    free(maps);
    sample->items = (double)iterations * (double)w->worlds * (STEPS - 1);
    end_stage(&s);
}

/* ---- air hockey ---- */

#define HOCKEY_NUMBERS 2 /* of a player's action */

static carom_scene *make_hockey(bool trains)
{
    static const carom_scene_wall walls[] = {
        {-1, -0.5, 1, -0.5, 0.9, false, false},   {-1, 0.5, 1, 0.5, 0.9, false, false},
        {-1, -0.5, -1, -0.17, 0.9, false, false}, {-1, 0.17, -1, 0.5, 0.9, false, false},
        {1, -0.5, 1, -0.17, 0.9, false, false},   {1, 0.17, 1, 0.5, 0.9, false, false},
        {-1, -0.17, -1, 0.17, 0.9, false, true},  {1, -0.17, 1, 0.17, 0.9, false, true}};
    static const uint32_t seen[2][2] = {{0, 2}, {0, 1}};
    const carom_scene_view views[2] = {{1, seen[0], 2}, {2, seen[1], 2}};
    carom_scene_body bodies[3];
    carom_scene_rule rules[8];
    carom_scene_desc desc = carom_scene_desc_default();
    carom_scene *scene;
    for (uint32_t i = 0; i < 3; i++) {
        carom_scene_body *b = &bodies[i];
        *b = carom_scene_body_default();
        b->x = i == 0 ? 0 : i == 1 ? -0.7 : 0.7, b->y_spread = 0.2;
        b->radius = i == 0 ? 0.032 : 0.05, b->mass = i == 0 ? 0.03 : 0.2, b->restitution = 0.9;
        b->slow = b->acts = i > 0, b->player = i == 2;
    }
    bodies[0].vx_spread = 1.5, bodies[0].vy_spread = 1, bodies[0].damping = 0.001, bodies[0].category = 2;
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t player = k % 2;
        rules[k] = carom_scene_rule_default();
        rules[k].kind = k < 2   ? CAROM_RULE_MEETS_WALL
                        : k < 4 ? CAROM_RULE_MEETS_BODY
                        : k < 6 ? CAROM_RULE_NEARS_POINT
                                : CAROM_RULE_NEARS_BODY;
        rules[k].body = k < 2 || k / 2 == 2 ? 0 : 1 + player;
        rules[k].category = 2;
        rules[k].which = k < 2 ? 7 - player : 0;
        rules[k].ends = k < 2, rules[k].winner = k < 2 ? (int32_t)player : -1;
        rules[k].x = player == 0 ? 1 : -1;
        rules[k].reward = k < 2 ? 0 : k < 4 ? 0.02 : k < 6 ? 0.1 : 0.05;
        rules[k].to = 1 + (int32_t)player;
    }
    desc.bodies = bodies, desc.body_count = 3, desc.walls = walls, desc.wall_count = 8;
    desc.box = (carom_scene_box){-1.2, -0.7, 1.2, 0.7, CAROM_SIDES_SOLID, CAROM_SIDES_SOLID, 0.5};
    desc.dt = 0.01, desc.speed_limit = 10, desc.last_tick = 1000;
    desc.action = CAROM_ACTION_VELOCITY, desc.action_scale = 2;
    desc.ends_at_sensor = true; /* with rules and without the same games */
    if (trains) {
        desc.rules = rules, desc.rule_count = 8, desc.views = views, desc.view_count = 2;
    }
    carom_bench_demand(carom_scene_create(&desc, &scene, NULL), "describe air hockey");
    return scene;
}

static void run_hockey(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const wish *w = argument;
    const size_t row = (size_t)PLAYERS * HOCKEY_NUMBERS, numbers = STEPS * w->worlds * row;
    carom_scene *scene = make_hockey(w->rules);
    const carom_game *game = carom_scene_game(scene);
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_worlds *worlds, *start;
    uint32_t random = SEED;
    desc.count = w->worlds;
    desc.precision = w->precision;
    desc.isa = w->isa;
    desc.threads = 1;
    desc.seed = SEED;
    desc.at_end = CAROM_RESET;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create");
    carom_bench_demand(carom_worlds_create(&desc, &start), "create");
    float *actions = carom_bench_take(numbers, sizeof(float)), *seen = carom_bench_take(w->worlds * 24, sizeof(float));
    float *rewards = carom_bench_take(w->worlds * PLAYERS, sizeof(float));
    for (size_t k = 0; k < numbers; k++) {
        random = random * 1664525u + 1013904223u;
        actions[k] = (float)(random >> 8) * 0x1p-23f - 1;
    }
    carom_step step = carom_step_default();
    for (int k = 0; k < WARM; k++) {
        step.actions = actions + (size_t)(k % STEPS) * w->worlds * row;
        carom_bench_demand(carom_worlds_play(start, &step), "warm up");
    }
    if (w->asked == ASK_REWARDS || w->asked == ASK_ALL) {
        step.rewards = rewards;
    }
    if (w->asked == ASK_EGO || w->asked == ASK_ALL) {
        step.observations = seen;
        step.observation_kind = 1;
    }
    for (uint64_t i = 0; i < iterations; i++) {
        carom_bench_demand(carom_worlds_copy(worlds, NULL, start, NULL, w->worlds), "set back");
        for (size_t t = 0; t < STEPS; t++) {
            step.actions = actions + t * w->worlds * row;
            carom_bench_demand(carom_worlds_play(worlds, &step), "play");
            if (t == 0) {
                carom_bench_start(sample);
            }
        }
        carom_bench_stop(sample);
    }
    sample->items = (double)iterations * (double)w->worlds * (STEPS - 1);
    free(actions);
    free(seen);
    free(rewards);
    carom_worlds_destroy(worlds);
    carom_worlds_destroy(start);
    carom_scene_destroy(scene);
}

/* ---- the cases ---- */

typedef struct plan {
    bench *bench;
    wish wishes[MOST];
    size_t used;
} plan;

static size_t add(plan *p, bench_body *body, const wish *w, const char *group, const char *what, size_t baseline,
                  size_t plain)
{
    if (p->used == MOST) {
        carom_bench_die("more than %d cases", MOST);
    }
    p->wishes[p->used] = *w;
    bench_case c = carom_bench_case(body, &p->wishes[p->used++]);
    c.threads = 1;
    c.baselines[0] = baseline;
    c.baselines[1] = plain;
    carom_bench_name(&c, "%s/%s/f%d/%s/worlds:%zu/%s", body == run_hockey ? "scene" : "csb", group, (int)w->precision,
                     body == run_plain ? "plain_c" : carom_isa_name(w->isa), w->worlds, what);
    return carom_bench_add(p->bench, &c);
}

static void add_seen(plan *p, wish w, bool all)
{
    static const struct {
        ask asked;
        const char *name;
    } outputs[] = {{ASK_RAW, "raw"}, {ASK_EGO, "ego"}, {ASK_ALL, "raw_rewards_results"}};
    size_t plain = BENCH_NONE;
    w.asked = ASK_RAW;
    if (w.precision == CAROM_F64 && all) {
        plain = add(p, run_plain, &w, "seen", "raw", BENCH_NONE, BENCH_NONE);
    }
    w.asked = ASK_NOTHING;
    const size_t without = add(p, run, &w, "seen", "nothing", BENCH_NONE, BENCH_NONE);
    for (size_t k = 0; k < (all ? 3 : 1); k++) {
        w.asked = outputs[k].asked;
        add(p, run, &w, "seen", outputs[k].name, without, outputs[k].asked == ASK_RAW ? plain : BENCH_NONE);
    }
}

static void add_rest(plan *p, wish w)
{
    static const struct {
        ask asked;
        const char *group, *name;
    } rows[] = {{ASK_POLICY, "sides", "policy"},    {ASK_COPIED, "sides", "asked_and_copied"},
                {ASK_RESULTS, "results", "all"},    {ASK_HALVES, "results", "two_halves"},
                {ASK_SKIP, "results", "half_skip"}, {ASK_REPEAT, "results", "repeat:4"},
                {ASK_KINDS, "sides", "kinds"},      {ASK_EXPAND, "trees", "expand"}};
    w.asked = ASK_NOTHING;
    const size_t given = add(p, run, &w, "sides", "given", BENCH_NONE, BENCH_NONE);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        w.asked = rows[k].asked;
        add(p, run, &w, rows[k].group, rows[k].name, given, BENCH_NONE);
    }
}

static void add_hockey(plan *p, wish w)
{
    static const struct {
        ask asked;
        const char *name;
    } rows[] = {{ASK_NOTHING, "rules"}, {ASK_REWARDS, "rewards"}, {ASK_EGO, "ego"}, {ASK_ALL, "rewards_ego"}};
    const size_t without = add(p, run_hockey, &w, "air_hockey", "without", BENCH_NONE, BENCH_NONE);
    w.rules = true;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        w.asked = rows[k].asked;
        add(p, run_hockey, &w, "air_hockey", rows[k].name, without, BENCH_NONE);
    }
}

int main(int argc, char **argv)
{
    static const bench_program program = {
        "What training asks of a step: csb", "M world-ticks/s", 1e-6, {"x without", "x plain C"}, {{NULL, NULL, 0}}};
    static const size_t sizes[] = {1024, 16384, 262144};
    static plan p;
    carom_isa isas[CAROM_ISA_COUNT];
    p.bench = carom_bench_create(argc, argv, &program);
    const carom_isa widest = isas[carom_bench_isas(isas) - 1];
    for (size_t k = 0; k < (carom_bench_is_quick(p.bench) ? 2 : 3); k++) {
        for (int f64 = 1; f64 >= 0; f64--) {
            const wish w = {ASK_NOTHING, sizes[k], f64 ? CAROM_F64 : CAROM_F32, widest, false};
            add_seen(&p, w, k == 0);
        }
    }
    for (int f64 = 1; f64 >= 0; f64--) {
        const wish w = {ASK_NOTHING, 1024, f64 ? CAROM_F64 : CAROM_F32, widest, false};
        add_rest(&p, w);
        add_hockey(&p, w);
    }
    return carom_bench_run(p.bench);
}
