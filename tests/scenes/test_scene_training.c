/* SPDX-License-Identifier: MIT
 * Scenes for training: players' actions, rewards and ends by rules, and views, against plain C written from scene.h,
 * which gets the states and the impacts of every tick; in both engines, both precisions, on every instruction set, in
 * pieces, and after a save. Random scenes; as JSON; errors.
 */
#include "scene_batch.h"

#include <inttypes.h>

#define WORLDS 37
#define TICKS 24
#define SCENES 24
#define BODIES 9
#define WALLS 3
#define RULES 12
#define EVENTS 192 /* of a tick, at most */

typedef struct subject {
    uint64_t seed;
    carom_scene_desc desc;
    carom_scene_body bodies[BODIES];
    carom_scene_wall walls[WALLS];
    carom_scene_polygon polygon;
    carom_scene_rule rules[RULES];
    carom_scene_view views[4];
    uint32_t seen[4][BODIES];
    uint32_t players, actors[BODIES], actor_count; /* player 0's first */
} subject;

static const double corner_x[3] = {9.5, 11.5, 10.5}, corner_y[3] = {0.5, 0.5, 2};

/* ---- random scenes ---- */

static void draw_bodies(subject *s, uint64_t *rng)
{
    s->players = 1u << rng_below(rng, 3); /* of the four bodies that act each has as many */
    s->desc.body_count = 4 + (uint32_t)rng_below(rng, BODIES - 3);
    for (uint32_t i = 0; i < s->desc.body_count; i++) {
        carom_scene_body *b = &s->bodies[i];
        *b = body_at(2 + 3 * (i % 3), 2 + 3 * (int)(i / 3), rng_in(rng, -3, 3), rng_in(rng, -3, 3), rng_in(rng, 0.4, 1),
                     rng_in(rng, 0.5, 2));
        b->x_spread = b->y_spread = rng_in(rng, 0, 0.4);
        b->category = 1u << rng_below(rng, 3);
        b->sensor = rng_one_in(rng, 6);
        b->inactive = rng_one_in(rng, 8);
        b->player = i % s->players;
        b->acts = i < 4;
        if (i >= 4 && rng_one_in(rng, 4)) {
            b->mass = INFINITY;
            b->vx = b->vy = 0;
        }
    }
    for (uint32_t player = 0; player < s->players; player++)
        for (uint32_t i = 0; i < 4; i++)
            if (s->bodies[i].player == player)
                s->actors[s->actor_count++] = i;
}

static void draw_rules(subject *s, uint64_t *rng)
{
    s->desc.rule_count = 1 + (uint32_t)rng_below(rng, RULES);
    for (uint32_t r = 0; r < s->desc.rule_count; r++) {
        carom_scene_rule *rule = &s->rules[r];
        *rule = carom_scene_rule_default();
        do {
            rule->kind = (carom_rule_kind)rng_below(rng, 11);
            rule->body = (uint32_t)rng_below(rng, (int)s->desc.body_count);
            rule->which = (uint32_t)rng_below(rng, (int)s->desc.body_count);
        } while (
            (rule->kind == CAROM_RULE_MEETS_SIDE && (rule->which > 3 || s->desc.box.vertical != CAROM_SIDES_SOLID ||
                                                     s->desc.box.horizontal != CAROM_SIDES_SOLID)) ||
            (rule->kind == CAROM_RULE_MEETS_WALL && rule->which >= s->desc.wall_count) ||
            (rule->kind == CAROM_RULE_MEETS_POLYGON && rule->which >= s->desc.polygon_count) ||
            (rule->kind == CAROM_RULE_NEARS_BODY && rule->which == rule->body) ||
            (rule->kind == CAROM_RULE_ACTS && !s->bodies[rule->body].acts));
        rule->category = (uint32_t)rng_below(rng, 8);
        rule->x = rng_in(rng, 0, 12);
        rule->y = rng_in(rng, 0, 10);
        rule->x1 = rule->kind == CAROM_RULE_WITHIN ? rule->x + rng_in(rng, 0, 6) : 0;
        rule->y1 = rule->kind == CAROM_RULE_WITHIN ? rule->y + rng_in(rng, 0, 6) : 0;
        rule->reward = rng_one_in(rng, 5) ? 0 : rng_in(rng, -2, 2);
        rule->to = rule->body < 4 && rng_one_in(rng, 2) ? -1 : rng_below(rng, 4);
        if (rule->kind < CAROM_RULE_NEARS_BODY ? rng_one_in(rng, 2)
                                               : rule->kind == CAROM_RULE_WITHIN && rng_one_in(rng, 4)) {
            rule->ends = true;
            rule->winner = rng_below(rng, (int)s->players + 1) - 1;
        }
    }
}

static void draw_views(subject *s, uint64_t *rng)
{
    const uint32_t count = (uint32_t)rng_below(rng, (int)s->desc.body_count);
    s->desc.view_count = s->players * (1 + (uint32_t)rng_below(rng, s->players < 4 ? 2 : 1));
    for (uint32_t v = 0; v < s->desc.view_count; v++) {
        carom_scene_view *view = &s->views[v];
        view->body = s->desc.view_count - 1 - v; /* so the list is not by player */
        view->bodies = s->seen[v];
        for (uint32_t body = (uint32_t)rng_below(rng, (int)s->desc.body_count); view->count < count; body++)
            if (body % s->desc.body_count != view->body)
                s->seen[v][view->count++] = body % s->desc.body_count;
    }
}

static void draw(subject *s, uint64_t seed)
{
    uint64_t rng = seed;
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->desc = carom_scene_desc_default();
    s->desc.box = (carom_scene_box){
        0, 0, 12, 11, (carom_scene_sides)rng_below(&rng, 3), (carom_scene_sides)rng_below(&rng, 3), 0.9};
    s->desc.bodies = s->bodies;
    s->desc.walls = s->walls;
    s->desc.polygons = &s->polygon;
    s->desc.rules = s->rules;
    s->desc.views = s->views;
    draw_bodies(s, &rng);
    s->desc.wall_count = (uint32_t)rng_below(&rng, WALLS + 1);
    for (uint32_t w = 0; w < s->desc.wall_count; w++)
        s->walls[w] = (carom_scene_wall){10.5 - 0.4 * w, 3, 10.5, 9.0 - w, 0.8, false, rng_one_in(&rng, 2)};
    s->desc.polygon_count = (uint32_t)rng_below(&rng, 2);
    s->polygon = (carom_scene_polygon){corner_x, corner_y, 3, 0.9, rng_one_in(&rng, 2)};
    draw_rules(s, &rng);
    draw_views(s, &rng);
    s->desc.dt = 0.1;
    s->desc.action = (carom_scene_action)rng_below(&rng, 3);
    s->desc.action_scale = rng_in(&rng, 1, 3);
    s->desc.last_tick = rng_one_in(&rng, 2) ? TICKS - 4 : 0;
    s->desc.ends_at_sensor = rng_one_in(&rng, 6);
    if (rng_one_in(&rng, 2))
        s->desc.reward = (carom_scene_measure){CAROM_MEASURE_DISTANCE, 1, 3, 4, NULL};
    s->desc.max_events = EVENTS;
}

/* ---- plain C ---- */

typedef struct moment {
    double x[BODIES], y[BODIES], vx[BODIES], vy[BODIES];
    int8_t active[BODIES], frozen;
    int32_t tick;
} moment;

/* Arithmetic in the precision of the worlds: a number that was rounded to float after every operation. */
static bool narrow;

static double rounded(double a)
{
    return narrow ? (double)(float)a : a;
}

/* Between coordinates, as the nearest image is seen. */
static double between(double from, double to, carom_scene_sides sides, double low, double high)
{
    const double way = rounded(to - from), size = rounded(high - low), half = rounded(size * 0.5);
    if (sides != CAROM_SIDES_PERIODIC)
        return way;
    return way > half ? rounded(way - size) : way < -half ? rounded(way + size) : way;
}

static double distance_from(const subject *s, const moment *of, uint32_t body, double x, double y)
{
    const carom_scene_box *box = &s->desc.box;
    const double dx = between(of->x[body], x, box->horizontal, box->x0, box->x1);
    const double dy = between(of->y[body], y, box->vertical, box->y0, box->y1);
    const double sum = rounded(rounded(dx * dx) + rounded(dy * dy));
    return rounded(sqrt(sum)); /* rounding twice is harmless: of a float, the double's root is near no middle */
}

static double distance(const subject *s, const moment *of, const carom_scene_rule *rule)
{
    const bool point = rule->kind == CAROM_RULE_NEARS_POINT;
    const double x = point ? rounded(rule->x) : of->x[rule->which], y = point ? rounded(rule->y) : of->y[rule->which];
    return distance_from(s, of, rule->body, x, y);
}

static double nearest(const subject *s, const moment *of, const carom_scene_rule *rule)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < s->desc.body_count; i++)
        if (i != rule->body && of->active[i] != 0 && (s->bodies[i].category & rule->category) != 0)
            least = fmin(least, distance_from(s, of, rule->body, of->x[i], of->y[i]));
    return isinf(least) ? 0 : least;
}

static bool is_sensor(const subject *s, const carom_event *e)
{
    switch (e->kind) {
    case CAROM_IMPACT_BODY:
        return s->bodies[e->first].sensor || s->bodies[e->second].sensor;
    case CAROM_IMPACT_WALL:
        return s->bodies[e->first].sensor || s->walls[e->second].sensor;
    case CAROM_IMPACT_POLYGON:
        return s->bodies[e->first].sensor || s->polygon.sensor;
    default:
        return false;
    }
}

static bool meets(const subject *s, const carom_scene_rule *rule, const carom_event *e)
{
    const bool pair = e->kind == CAROM_IMPACT_BODY, second = pair && e->second == rule->body;
    if (e->first != rule->body && !second)
        return false;
    switch (rule->kind) {
    case CAROM_RULE_MEETS_BODY:
        return pair && (s->bodies[second ? e->first : e->second].category & rule->category) != 0;
    case CAROM_RULE_MEETS_SIDE:
        return e->kind == CAROM_IMPACT_SIDE && e->second == rule->which;
    case CAROM_RULE_MEETS_WALL:
        return e->kind == CAROM_IMPACT_WALL && e->second == rule->which;
    case CAROM_RULE_MEETS_POLYGON:
        return e->kind == CAROM_IMPACT_POLYGON && e->second == rule->which;
    default:
        return is_sensor(s, e);
    }
}

/* The size of a body's action: the squares of its two numbers. */
static double effort(const subject *s, uint32_t body, const float *actions)
{
    double sum = 0;
    for (uint32_t k = 0; k < 2 * s->actor_count; k++)
        if (s->actors[k / 2] == body && !isnan(actions[k]))
            sum += fmin(fabs((double)actions[k]), 1) * fmin(fabs((double)actions[k]), 1);
    return sum;
}

/* The value of a rule that is not about a meeting. */
static double state_of(const subject *s, const carom_scene_rule *rule, const moment *before, const moment *after,
                       const float *actions)
{
    const double x = after->x[rule->body], y = after->y[rule->body];
    if (after->active[rule->body] == 0)
        return 0;
    switch (rule->kind) {
    case CAROM_RULE_NEARS_BODY:
        return after->active[rule->which] == 0 ? 0 : rounded(distance(s, before, rule) - distance(s, after, rule));
    case CAROM_RULE_NEARS_POINT:
        return rounded(distance(s, before, rule) - distance(s, after, rule));
    case CAROM_RULE_WITHIN:
        return rounded(rule->x) <= x && x <= rounded(rule->x1) && rounded(rule->y) <= y && y <= rounded(rule->y1);
    case CAROM_RULE_TICK:
        return 1;
    case CAROM_RULE_NEAREST:
        return nearest(s, after, rule);
    default:
        return effort(s, rule->body, actions);
    }
}

/* The rewards of a world's tick. */
typedef struct verdict {
    double game[4], own[BODIES];
    int end, winner;
} verdict;

static verdict judge(const subject *s, const moment *before, const moment *after, const carom_event *events,
                     uint32_t count, int32_t tick, const float *actions)
{
    verdict v = {{0}, {0}, CAROM_RUNNING, -1};
    bool won[4] = {false};
    int winners = 0;
    if (s->desc.reward.kind == CAROM_MEASURE_DISTANCE) {
        const double dx = after->x[1] - 3, dy = after->y[1] - 4;
        v.game[0] = -sqrt(dx * dx + dy * dy);
        for (uint32_t p = 1; p < s->players; p++)
            v.game[p] = sqrt(dx * dx + dy * dy) / (s->players - 1);
    }
    for (uint32_t k = 0; k < count && s->desc.ends_at_sensor; k++)
        v.end = is_sensor(s, &events[k]) ? CAROM_TERMINATED : v.end;
    for (uint32_t r = 0; r < s->desc.rule_count; r++) {
        const carom_scene_rule *rule = &s->rules[r];
        const uint32_t to = rule->to < 0 ? rule->body : (uint32_t)rule->to;
        double measured = rule->kind >= CAROM_RULE_NEARS_BODY ? state_of(s, rule, before, after, actions) : 0;
        for (uint32_t k = 0; k < count && rule->kind < CAROM_RULE_NEARS_BODY; k++)
            measured += meets(s, rule, &events[k]);
        v.game[s->bodies[to].player] += rule->reward * measured;
        for (uint32_t k = 0; k < s->actor_count; k++)
            v.own[k] += s->actors[k] == to ? rule->reward * measured : 0;
        if (rule->ends && measured > 0) {
            v.end = CAROM_TERMINATED;
            if (rule->winner >= 0)
                won[rule->winner] = true;
        }
    }
    for (int p = 0; p < 4; p++) {
        winners += won[p];
        v.winner = won[p] ? p : v.winner;
    }
    v.winner = winners == 1 ? v.winner : -1;
    if (v.end == CAROM_RUNNING && s->desc.last_tick != 0 && tick >= (int32_t)s->desc.last_tick)
        v.end = CAROM_TRUNCATED;
    return v;
}

static float result_of(const subject *s, const verdict *v, uint32_t player)
{
    return v->winner < 0 ? 0.0f : (uint32_t)v->winner == player ? 1.0f : -1.0f / (float)(s->players - 1);
}

static void look_at(const subject *s, const moment *w, uint32_t body, uint32_t own, float *to)
{
    const bool there = w->active[body] != 0 && w->active[own] != 0, self = body == own;
    const carom_scene_box *box = &s->desc.box;
    const double numbers[4] = {
        self ? w->x[body] : between(w->x[own], w->x[body], box->horizontal, box->x0, box->x1),
        self ? w->y[body] : between(w->y[own], w->y[body], box->vertical, box->y0, box->y1),
        self ? w->vx[body] : rounded(w->vx[body] - w->vx[own]),
        self ? w->vy[body] : rounded(w->vy[body] - w->vy[own]),
    };
    for (int k = 0; k < 4; k++)
        to[k] = there ? (float)numbers[k] : 0;
}

/* ---- the library ---- */

static void read_reals(const carom_worlds *worlds, const char *name, uint32_t n, size_t world, double *to)
{
    double wide[BODIES];
    float *const floats = (float *)(void *)wide;
    get_field(worlds, name, world, 1, wide);
    for (uint32_t i = 0; i < n; i++)
        to[i] = narrow ? (double)floats[i] : wide[i];
}

static void read_states(const subject *s, const carom_worlds *worlds, moment *to)
{
    for (size_t w = 0; w < WORLDS; w++) {
        read_reals(worlds, "x", s->desc.body_count, w, to[w].x);
        read_reals(worlds, "y", s->desc.body_count, w, to[w].y);
        read_reals(worlds, "vx", s->desc.body_count, w, to[w].vx);
        read_reals(worlds, "vy", s->desc.body_count, w, to[w].vy);
        get_field(worlds, "active", w, 1, to[w].active);
        get_field(worlds, "frozen", w, 1, &to[w].frozen);
        get_field(worlds, "tick", w, 1, &to[w].tick);
    }
}

#define SEEN (4 * 2 * 4 * BODIES) /* numbers of a world, at most */

/* Requests to three batches that play the same, each with another kind of reward, and their results. */
typedef struct outputs {
    float rewards[3][WORLDS * BODIES];
    uint8_t ends[3][WORLDS];
    carom_result results[WORLDS];
    carom_event events[WORLDS][EVENTS];
    uint32_t counts[WORLDS];
    float seen_rows[2][WORLDS * SEEN];
} outputs;

static outputs out;
static moment before[WORLDS], after[WORLDS];

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ ((const unsigned char *)bytes)[k]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A tick of all batches; in two calls if `pieces`. */
static void play_tick(const subject *s, carom_worlds *const worlds[3], const float *actions, bool pieces)
{
    const carom_game *game = carom_worlds_describe(worlds[0]).game;
    const size_t row = 2 * s->actor_count;
    for (size_t kind = 0; kind < 3; kind++) {
        carom_reward_kind rewarded;
        carom_observation_kind kinds;
        carom_step step = STEP_WITH(.reward_kind = kind, .observation_kind = kind % 2);
        must(carom_game_reward_kind(game, kind, &rewarded), "kind of reward");
        must(carom_game_observation_kind(game, kind % 2, &kinds), "kind of observation");
        const size_t agents = (size_t)s->players * rewarded.agents,
                     seen = (size_t)s->players * kinds.agents * kinds.size;
        const size_t most = !pieces ? WORLDS : kind == 0 ? CAROM_TILE : 11; /* recording is by whole tiles */
        memset(out.ends[kind], 0xff, WORLDS);
        for (size_t first = 0; first < WORLDS; first += most) {
            step.first = first;
            step.count = WORLDS - first < most ? WORLDS - first : most;
            step.actions = actions + first * row;
            step.rewards = out.rewards[kind] + first * agents;
            step.ends = out.ends[kind] + first;
            step.observations = out.seen_rows[kind % 2] + first * seen;
            if (kind == 0) {
                step.results = out.results + first;
                step.events = out.events[first];
                step.event_counts = out.counts + first;
                step.event_capacity = EVENTS;
            }
            carom_problem problem = {""};
            if (carom_worlds_play(worlds[kind], &step) != CAROM_OK) {
                (void)carom_worlds_problem(worlds[kind], &problem);
                fail_msg("play: %s", problem.text);
            }
        }
    }
}

static void demand(bool same, const subject *s, size_t w, const char *what)
{
    if (!same)
        fail_msg("scene of seed %" PRIu64 ", f%d, world %zu, tick %d: %s differs", s->seed, narrow ? 32 : 64, w,
                 (int)before[w].tick + 1, what);
}

/* Compares the results of a world's tick with plain C. After a restart the last state of the old game is not
 * available. */
static void check_world(const subject *s, size_t w, bool resets, const float *actions)
{
    const int32_t tick = before[w].tick + 1;
    const bool still = before[w].frozen != 0;
    const uint32_t each = s->actor_count / s->players;
    demand(out.counts[w] <= EVENTS, s, w, "impacts");
    const verdict v =
        judge(s, &before[w], &after[w], out.events[w], out.counts[w], tick, actions + 2 * w * s->actor_count);
    for (int kind = 0; kind < 3; kind++)
        demand(out.ends[kind][w] == (still ? 0 : v.end), s, w, "end");
    for (uint32_t p = 0; p < s->players; p++)
        demand(out.rewards[1][w * s->players + p] == (still ? 0 : result_of(s, &v, p)), s, w, "result");
    for (uint32_t p = 0; p < s->players && !(resets && v.end != CAROM_RUNNING); p++) {
        const float result = result_of(s, &v, p);
        const float game = still ? 0 : (float)v.game[p] + result;
        demand(out.rewards[0][w * s->players + p] == game, s, w, "reward of a player");
        for (uint32_t k = p * each; k < (p + 1) * each; k++)
            demand(out.rewards[2][w * s->actor_count + k] == (still ? 0 : (float)v.own[k] + result), s, w,
                   "reward of a body");
    }
    if (!still && v.end != CAROM_RUNNING)
        demand(out.results[w].winner == v.winner && out.results[w].ticks == (uint32_t)tick, s, w, "winner, ticks");
}

/* Whole rows: agents of player 0 first. */
static void check_seen(const subject *s, size_t w)
{
    const uint32_t n = s->desc.body_count;
    float wanted[SEEN];
    uint32_t used = 0;
    for (uint32_t k = 0; k < s->players * n; k++, used += 4)
        look_at(s, &after[w], k % n, k % n, wanted + used);
    demand(memcmp(wanted, out.seen_rows[0] + w * used, used * sizeof(float)) == 0, s, w, "raw observation");
    used = 0;
    for (uint32_t player = 0; player < s->players; player++)
        for (uint32_t v = 0; v < s->desc.view_count; v++) {
            const carom_scene_view *view = &s->views[v];
            if (s->bodies[view->body].player != player)
                continue;
            look_at(s, &after[w], view->body, view->body, wanted + used);
            used += 4;
            for (uint32_t k = 0; k < view->count; k++, used += 4)
                look_at(s, &after[w], view->bodies[k], view->body, wanted + used);
        }
    demand(memcmp(wanted, out.seen_rows[1] + w * used, used * sizeof(float)) == 0, s, w, "view");
}

typedef struct tally {
    uint64_t games, won[4], meetings;
} tally;

/* The batches continue like others that load their saves: earlier ticks leave nothing else behind. */
static void transpose_saved(carom_worlds *worlds[3], const carom_worlds_desc *made)
{
    for (int k = 0; k < 3; k++) {
        const size_t size = carom_worlds_save_size(worlds[k]);
        FREED void *buffer = malloc(size);
        must(carom_worlds_save(worlds[k], buffer, size), "save");
        carom_worlds_destroy(worlds[k]);
        worlds[k] = make_worlds(made);
        must(carom_worlds_load(worlds[k], buffer, size), "load");
    }
}

/* May a zone end its games? Then games must not restart, or the body's last position would be lost. */
static bool ends_in_zone(const subject *s)
{
    bool ends = false;
    for (uint32_t r = 0; r < s->desc.rule_count; r++)
        ends |= s->rules[r].kind == CAROM_RULE_WITHIN && s->rules[r].ends;
    return ends;
}

/* Plays a scene and compares; returns a hash of all that came out. */
static uint64_t run(const subject *s, carom_engine engine, carom_precision precision, carom_isa isa, bool pieces,
                    uint64_t seed, tally *t)
{
    carom_scene_desc desc = s->desc;
    uint64_t rng = seed, hash = UINT64_C(0xcbf29ce484222325);
    desc.engine = engine;
    narrow = precision == CAROM_F32;
    OWNED(carom_scene) *scene = make_scene(&desc);
    carom_worlds *worlds[3];
    carom_worlds_desc made = WORLDS_DESC(carom_scene_game(scene), .count = WORLDS, .precision = precision, .isa = isa,
                                         .threads = pieces ? 2 : 1, .seed = seed,
                                         .at_end = seed % 2 || ends_in_zone(s) ? CAROM_FREEZE : CAROM_RESET);
    for (int k = 0; k < 3; k++)
        worlds[k] = make_worlds(&made);
    memset(&out, 0, sizeof out);
    for (int32_t tick = 1; tick <= TICKS; tick++) {
        static float actions[WORLDS * 2 * BODIES];
        for (size_t k = 0; k < WORLDS * 2 * (size_t)s->actor_count; k++)
            actions[k] = rng_one_in(&rng, 30) ? NAN : (float)rng_in(&rng, -1.2, 1.2);
        read_states(s, worlds[0], before);
        play_tick(s, worlds, actions, pieces);
        read_states(s, worlds[0], after);
        for (size_t w = 0; w < WORLDS; w++) {
            check_world(s, w, made.at_end == CAROM_RESET, actions);
            check_seen(s, w);
            t->games += out.ends[0][w] != 0;
            if (out.ends[0][w] != 0 && out.results[w].winner >= 0)
                t->won[out.results[w].winner]++;
            t->meetings += out.counts[w];
        }
        hash = hash_bytes(hash, out.rewards, sizeof out.rewards);
        hash = hash_bytes(hash, out.ends, sizeof out.ends);
        hash = hash_bytes(hash, out.seen_rows, sizeof out.seen_rows);
        hash = hash_bytes(hash, after, sizeof after);
        if (tick == TICKS / 2 && pieces)
            transpose_saved(worlds, &made);
    }
    unsigned faults;
    assert_int_equal(carom_worlds_faults(worlds[0], &faults), 0);
    for (int k = 0; k < 3; k++)
        carom_worlds_destroy(worlds[k]);
    return hash;
}

TEST(test_rules)
{
    const uint64_t scenes = (uint64_t)at_length(1000, SCENES, 24);
    tally t = {0};
    for (uint64_t seed = 1; seed <= scenes; seed++) {
        subject s;
        draw(&s, seed);
        for (int bits = 32; bits <= 64; bits += 32) {
            const uint64_t first = run(&s, CAROM_ENGINE_WIDE, (carom_precision)bits, CAROM_ISA_SCALAR, false, seed, &t);
            for (size_t k = 0; k < 2 * isa_count; k++) {
                const carom_engine engine = k % 2 ? CAROM_ENGINE_DEEP : CAROM_ENGINE_WIDE;
                const uint64_t found = run(&s, engine, (carom_precision)bits, isas[k / 2], true, seed, &t);
                if (found != first)
                    fail_msg("scene %" PRIu64 ", f%d, %s, engine %d: other bits", seed, bits,
                             carom_isa_name(isas[k / 2]), (int)engine);
            }
        }
    }
    print_message("%" PRIu64 " games, won %" PRIu64 " and %" PRIu64 ", %" PRIu64 " meetings\n", t.games, t.won[0],
                  t.won[1], t.meetings);
    assert_true(t.won[0] > 4 * scenes && t.won[1] > 4 * scenes && t.games > t.won[0] + t.won[1] &&
                t.meetings > 40 * scenes);
}

/* ---- actions ---- */

/* Bodies far apart: the effect of actions in a tick without impacts. Player 1's bodies come last, wherever they are in
 * the scene. */
TEST(test_actions)
{
    static const float actions[8] = {0.5f, -2, 1, NAN, -0.25f, 0.75f, -1, 0};
    static const uint32_t actors[4] = {1, 3, 0, 4}; /* player 0's, then player 1's */
    for (int k = 0; k < 12; k++) {
        carom_scene_body bodies[5];
        carom_scene_desc desc = carom_scene_desc_default();
        double vx[5], vy[5];
        for (int i = 0; i < 5; i++) {
            bodies[i] = body_at(100.0 * i, 0, 1, 2, 1, 4);
            bodies[i].acts = i != 2;
            bodies[i].player = i == 0 || i == 4;
        }
        desc.bodies = bodies, desc.body_count = 5;
        desc.dt = 0.5;
        desc.action = (carom_scene_action)(k / 4);
        desc.action_scale = 8;
        desc.engine = k % 2 ? CAROM_ENGINE_DEEP : CAROM_ENGINE_WIDE;
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *worlds = scene_worlds(scene, 1, k / 2 % 2 ? CAROM_F64 : CAROM_F32, CAROM_ISA_DEFAULT, 1);
        const carom_game_info info = carom_game_describe(carom_scene_game(scene));
        carom_action_kind kind;
        must(carom_game_action_kind(carom_scene_game(scene), 0, &kind), "kind");
        assert_true(info.players == 2 && kind.size == 4 && info.reward_kinds == 2 && info.observation_kinds == 1);
        PLAY(worlds, .actions = actions);
        narrow = k / 2 % 2 == 0;
        read_reals(worlds, "vx", 5, 0, vx);
        read_reals(worlds, "vy", 5, 0, vy);
        assert_true(vx[2] == 1 && vy[2] == 2);
        for (int a = 0; a < 4; a++) {
            const double x = (double)actions[2 * a] * 8, y = isnan(actions[2 * a + 1]) ? 0
                                                             : actions[2 * a + 1] < -1 ? -8
                                                                                       : (double)actions[2 * a + 1] * 8;
            const double wanted_x = k / 4 == 0 ? 1 + x / 4 : k / 4 == 1 ? x : 1 + x * 0.5;
            const double wanted_y = k / 4 == 0 ? 2 + y / 4 : k / 4 == 1 ? y : 2 + y * 0.5;
            assert_true(vx[actors[a]] == wanted_x && vy[actors[a]] == wanted_y);
        }
    }
}

/* ---- tables, text, complaints ---- */

TEST(test_tables)
{
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        subject s;
        carom_observation_kind ego;
        carom_reward_kind own;
        carom_number number;
        draw(&s, seed);
        OWNED(carom_scene) *scene = make_scene(&s.desc);
        const carom_game *game = carom_scene_game(scene);
        size_t kind;
        must(carom_game_find_observation_kind(game, "ego", &kind), "ego");
        must(carom_game_observation_kind(game, kind, &ego), "ego");
        must(carom_game_find_reward_kind(game, "own", &kind), "own");
        must(carom_game_reward_kind(game, kind, &own), "own");
        assert_true(own.agents == 4 / s.players && ego.agents == s.desc.view_count / s.players &&
                    ego.size == 4 * (1 + s.views[0].count));
        must(carom_game_observation_number(game, 0, 6, &number), "number");
        assert_string_equal(number.name, "body 1.vx");
        must(carom_game_observation_number(game, 1, 1, &number), "number");
        const bool periodic = s.desc.box.vertical == CAROM_SIDES_PERIODIC;
        assert_string_equal(number.name, "own.y");
        assert_true(number.low == (periodic ? 0 : -0x1p30f) && number.high == (periodic ? 11 : 0x1p30f));
        for (uint32_t k = 4; k < ego.size; k++) {
            char name[48];
            must(carom_game_observation_number(game, 1, k, &number), "number");
            snprintf(name, sizeof name, "seen %u.%s", k / 4 - 1, scene_numbers[k % 4]);
            assert_string_equal(number.name, name);
            assert_string_equal(number.unit, k % 4 < 2 ? "the scene's unit of length" : "the scene's unit of speed");
            assert_true(k % 4 != 1 || !periodic || (number.high >= 5.5f && number.high < 5.6f));
        }
        assert_int_equal(carom_game_observation_number(game, 1, ego.size, &number), CAROM_ERROR_ARGUMENT);
    }
}

TEST(test_text)
{
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        subject s;
        OWNED(carom_scene) *read = NULL;
        carom_problem problem;
        OWNED_TEXT char *text = NULL, *again = NULL;
        draw(&s, seed);
        OWNED(carom_scene) *scene = make_scene(&s.desc);
        const carom_status status = carom_scene_write_json(scene, &text);
        if (status == CAROM_ERROR_UNSUPPORTED) {
            carom_scene_destroy(scene);
            skip();
        }
        must(status, "write");
        must(carom_scene_read_json(text, strlen(text), &read, &problem), problem.text);
        must(carom_scene_write_json(read, &again), "write again");
        assert_string_equal(text, again);
        const carom_scene_desc *d = carom_scene_describe(read);
        assert_true(d->rule_count == s.desc.rule_count && d->view_count == s.desc.view_count &&
                    d->action == s.desc.action);
        for (uint32_t r = 0; r < d->rule_count; r++) {
            const carom_scene_rule *a = &d->rules[r], *b = &s.rules[r];
            assert_true(a->kind == b->kind && a->body == b->body && a->category == b->category &&
                        a->which == b->which && a->x == b->x && a->y == b->y && a->reward == b->reward &&
                        a->to == b->to && a->ends == b->ends && a->winner == b->winner && a->x1 == b->x1 &&
                        a->y1 == b->y1);
        }
        for (uint32_t v = 0; v < d->view_count; v++) {
            assert_true(d->views[v].body == s.views[v].body && d->views[v].count == s.views[v].count);
            assert_memory_equal(d->views[v].bodies, s.views[v].bodies, s.views[v].count * sizeof(uint32_t));
        }
        for (uint32_t i = 0; i < d->body_count; i++)
            assert_int_equal(d->bodies[i].player, s.bodies[i].player);
        OWNED(carom_worlds) *a = scene_worlds(scene, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
        OWNED(carom_worlds) *b = scene_worlds(read, 1, CAROM_F64, CAROM_ISA_DEFAULT, 1);
        must(carom_worlds_copy(a, NULL, b, NULL, 1), "they are the same scene");
    }
}

/* Two players, each with a body that acts, and a passive body; a rule and two views. */
#define REFUSE(change, sentence)                                                                                       \
    do {                                                                                                               \
        carom_scene_body bodies[3] = {body_at(0, 0, 0, 0, 1, 1), body_at(5, 0, 0, 0, 1, 1),                            \
                                      body_at(9, 0, 0, 0, 1, 1)};                                                      \
        uint32_t seen[2] = {2, 1}, others[2] = {2, 0};                                                                 \
        carom_scene_view views[2] = {{0, seen, 2}, {1, others, 2}};                                                    \
        carom_scene_rule rule = carom_scene_rule_default();                                                            \
        carom_scene_desc bad = carom_scene_desc_default();                                                             \
        bodies[0].acts = bodies[1].acts = true, bodies[1].player = 1;                                                  \
        bad.bodies = bodies, bad.body_count = 3, bad.rules = &rule, bad.rule_count = 1;                                \
        bad.views = views, bad.view_count = 2;                                                                         \
        change;                                                                                                        \
        carom_scene *refused = NULL;                                                                                   \
        carom_problem problem;                                                                                         \
        if (carom_scene_create(&bad, &refused, &problem) == CAROM_OK || strcmp(problem.text, sentence) != 0)           \
            fail_msg("\"%s\" instead of \"%s\"", problem.text, sentence);                                              \
    } while (0)

TEST(test_bad)
{
    REFUSE(bodies[2].player = 4, "body 2: there is no player 4");
    REFUSE(bodies[2].player = 2, "body 2: it is player 2's; 0 of player 2's bodies act, but 1 of player 0's");
    REFUSE(bodies[2].player = 3, "body 2: it is player 3's; 0 of player 2's bodies act, but 1 of player 0's");
    REFUSE(bodies[2].player = 2; bodies[2].acts = true, "views: 1 are player 0's, but 0 player 2's");
    REFUSE(bodies[0].acts = false, "body 1: it is player 1's; 1 of player 1's bodies act, but 0 of player 0's");
    REFUSE(bad.action = (carom_scene_action)3, "action: there is none with number 3");
    REFUSE(bad.rules = NULL, "rules: NULL, though there are 1");
    REFUSE(bad.rule_count = 257, "rules: 257, at most 256");
    REFUSE(rule.kind = (carom_rule_kind)12, "rule 0: there is no kind 12");
    REFUSE(rule.kind = CAROM_RULE_WITHIN; rule.x1 = NAN, "rule 0: x1 is not a number");
    REFUSE(rule.kind = CAROM_RULE_WITHIN; rule.y1 = 2e9, "rule 0: y1 2e+09 is more than 1.07374182e+09 from 0");
    REFUSE(rule.kind = CAROM_RULE_WITHIN; rule.x = 2; rule.x1 = 1, "rule 0: x 2 is more than x1 1");
    REFUSE(rule.kind = CAROM_RULE_WITHIN; rule.y1 = -1, "rule 0: y 0 is more than y1 -1");
    REFUSE(rule.kind = CAROM_RULE_ACTS; rule.body = 2, "rule 0: it is about body 2, which does not act");
    REFUSE(rule.kind = CAROM_RULE_TICK; rule.ends = true, "rule 0: it ends the game, but body 0 meets nothing by it");
    REFUSE(rule.kind = CAROM_RULE_ACTS; rule.ends = true, "rule 0: it ends the game, but body 0 meets nothing by it");
    REFUSE(rule.body = 7, "rule 0: there is no body 7");
    REFUSE(rule.kind = CAROM_RULE_MEETS_SIDE; rule.which = 4, "rule 0: there is no side 4");
    REFUSE(rule.kind = CAROM_RULE_MEETS_SIDE, "rule 0: body 0 cannot meet side 0, which is not solid");
    REFUSE(rule.kind = CAROM_RULE_MEETS_WALL, "rule 0: there is no wall 0");
    REFUSE(rule.kind = CAROM_RULE_MEETS_POLYGON; rule.which = 1, "rule 0: there is no polygon 1");
    REFUSE(rule.kind = CAROM_RULE_NEARS_BODY; rule.which = 3, "rule 0: there is no body 3");
    REFUSE(rule.kind = CAROM_RULE_NEARS_BODY, "rule 0: body 0 cannot come nearer to itself");
    REFUSE(rule.x = NAN, "rule 0: x is not a number");
    REFUSE(rule.y = -INFINITY, "rule 0: y is infinite");
    REFUSE(rule.reward = NAN, "rule 0: reward is not a number");
    REFUSE(rule.to = -2, "rule 0: there is no body -2");
    REFUSE(rule.to = 3, "rule 0: there is no body 3");
    REFUSE(rule.body = 2; rule.reward = 1, "rule 0: body 2 is to get its reward, but does not act");
    REFUSE(rule.kind = CAROM_RULE_NEAREST;
           rule.ends = true, "rule 0: it ends the game, but body 0 meets nothing by it");
    REFUSE(rule.kind = CAROM_RULE_NEARS_POINT;
           rule.ends = true, "rule 0: it ends the game, but body 0 meets nothing by it");
    REFUSE(rule.ends = true; rule.winner = 2, "rule 0: there is no player 2 to win");
    REFUSE(rule.winner = 0, "rule 0: player 0 wins by it, but it does not end the game");
    REFUSE(bad.view_count = 65, "views: 65, at most 64");
    REFUSE(views[1].body = 3, "view 1: there is no body 3");
    REFUSE(others[1] = 3, "view 1: there is no body 3");
    REFUSE(others[1] = 1, "view 1: body 1 would see itself");
    REFUSE(others[1] = 2, "view 1: body 1 would see body 2 twice");
    REFUSE(views[1].count = 1, "view 1: body 1 sees 1 others, but that of view 0 sees 2");
    REFUSE(views[1].count = 64, "view 1: bodies: 64, at most 63");
    REFUSE(bad.view_count = 1, "views: 1 are player 0's, but 0 player 1's");
}
