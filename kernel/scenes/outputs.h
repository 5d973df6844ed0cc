/* SPDX-License-Identifier: MIT
 * The outputs of a tick of a scene: observations, measures, which the caller's hooks may compute, rewards by the
 * scene's rules, and whether one of these has ended the game.
 */
#ifndef CAROM_SCENES_OUTPUTS_H
#define CAROM_SCENES_OUTPUTS_H

#include "scenes/lidar.h"
#include "scenes/tile.h"

/* ---- observations: `raw`, every body as it is; `ego`, by views, some bodies relative to another; `lidar` ---- */

enum { SCENE_RAW, SCENE_EGO, SCENE_LIDAR = GAME_VIEW_LIDAR }; /* views: kinds of observation */

static inline uint32_t observed_bodies(const scene_frozen *s)
{
    return s->bodies < CAROM_SCENE_OBSERVED ? s->bodies : CAROM_SCENE_OBSERVED;
}

/* Numbers of a world's observation, of all agents. */
static inline size_t observed_numbers(const scene_run *run)
{
    const scene_frozen *s = run->s;
    return run->tick->view == SCENE_LIDAR ? (size_t)s->actor_count * lidar_numbers(run)
           : run->tick->view == SCENE_EGO ? (size_t)4 * s->view_count * s->view_bodies
                                          : (size_t)4 * s->players * observed_bodies(s);
}

/* Where a tile's observations start. */
static inline float *observations_at(const scene_run *run, float *observations)
{
    return observations + run->number * observed_numbers(run) * CAROM_TILE;
}

/* Writes a number for the worlds of a group, which begins at lane `at`; or for a single world. */
CAROM_LANE void observe_put(const scene_run *run, float *out, vreal a, unsigned at)
{
    const vreal number = observe_number(a);
    if (run->alone) {
        alignas(64) float lanes[LANES];
        v_store_f32(lanes, number);
        out[0] = lanes[0];
    } else {
        v_store_f32(out + at, number);
    }
}

/* Writes x, y, vx, vy of a body, relative to `own` unless that is the same body; 0 if one of them is not active. */
static inline void observe_body(const scene_run *run, uint32_t own, uint32_t body, unsigned at, unsigned group,
                                float *out)
{
    const scene_frozen *s = run->s;
    const size_t fields[4] = {s->x, s->y, s->vx, s->vy};
    const vmask there = m_and(row_active(run, own, at, group), row_active(run, body, at, group));

    for (int f = 0; f < 4; f++) {
        const real *row = row_of(run, fields[f]) + at;
        const vreal zero = v_set1(0);
        vreal a = row_load(run, row + body * run->stride);
        if (own != body) {
            const vreal from = row_load(run, row + own * run->stride);
            a = f == 0   ? scene_between(from, a, s->horizontal, s->x0, s->x1)
                : f == 1 ? scene_between(from, a, s->vertical, s->y0, s->y1)
                         : a - from;
        }
        observe_put(run, out + (size_t)f * CAROM_TILE, v_select(there, a, zero), at);
    }
}

static inline void observe_group(const scene_run *run, unsigned at, unsigned group, float *out)
{
    const scene_frozen *s = run->s;
    if (run->tick->view == SCENE_EGO) {
        for (uint32_t k = 0; k < s->view_count * s->view_bodies; k++, out += (size_t)4 * CAROM_TILE) {
            observe_body(run, s->views[k - k % s->view_bodies], s->views[k], at, group, out);
        }
        return;
    }
    for (uint32_t k = 0; k < s->players * observed_bodies(s); k++, out += (size_t)4 * CAROM_TILE) {
        const uint32_t body = k % observed_bodies(s);
        observe_body(run, body, body, at, group, out);
    }
}

static inline void observe_tile(const scene_run *run, unsigned lanes, float *out)
{
    if (run->tick->view == SCENE_LIDAR) {
        lidar_rays rays;
        lidar_aim(run, &rays);
        EACH_GROUP (run->alone ? 1 : lanes) {
            lidar_observe_group(run, at, group, &rays, out);
        }
        return;
    }
    EACH_GROUP (run->alone ? 1 : lanes) {
        observe_group(run, at, group, out);
    }
}

/* ---- the caller's hooks ---- */

/* Calls a hook for each range of adjacent worlds among `lanes`. value[16]: its result, or NULL. */
static inline void call_hook(const scene_run *run, carom_range_hook *hook, unsigned lanes, double *value)
{
    const scene_frozen *s = run->s;

    while (lanes != 0) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        const unsigned adjacent = (unsigned)__builtin_ctz(~(lanes >> lane)), count = run->own_dt ? 1 : adjacent;

        carom_scene_range range;
        __builtin_memset(&range, 0, sizeof range);
        range.precision = CAROM_REAL_BITS == 64 ? CAROM_F64 : CAROM_F32;
        range.first = run->tick->first + run->number * run->stride + lane;
        range.count = count;
        range.stride = run->stride;
        range.dt = (double)(run->own_dt ? row_of(run, s->own[SCENE_OWN_DT])[lane] : run->dt);
        range.tick = row32_of(run, s->tick) + lane;
#if CAROM_REAL_BITS == 64
        range.x64 = row_of(run, s->x) + lane;
        range.y64 = row_of(run, s->y) + lane;
        range.vx64 = row_of(run, s->vx) + lane;
        range.vy64 = row_of(run, s->vy) + lane;
#else
        range.x32 = row_of(run, s->x) + lane;
        range.y32 = row_of(run, s->y) + lane;
        range.vx32 = row_of(run, s->vx) + lane;
        range.vy32 = row_of(run, s->vy) + lane;
#endif
        range.active = row8_of(run, s->active) + lane;
        range.user = s->desc->user_words ? row32_of(run, s->user) + lane : NULL;
        range.value = value != NULL ? value + lane : NULL;

        hook(s->desc->user, &range);
        lanes &= ~(((1u << count) - 1) << lane);
    }
}

/* ---- measures ---- */

/* Kinetic energy, in double, added up in the order of bodies. */
static inline void measure_energy(const scene_run *run, unsigned lanes, double *value)
{
    const scene_frozen *s = run->s;
    for (size_t i = 0; i < s->bodies; i++) {
        const real *vx = row_of(run, s->vx) + i * run->stride, *vy = row_of(run, s->vy) + i * run->stride;
        const int8_t *active = row8_of(run, s->active) + i * run->stride;
        const bool own = s->own[SCENE_OWN_MASS] != 0 && s->inverse_mass[i] > 0;
        const real *mass = own ? row_of(run, s->own[SCENE_OWN_MASS]) + i * run->stride : NULL;
        const double shared = s->inverse_mass[i] > 0 ? 0.5 * s->desc->bodies[i].mass : 0;
        EACH_LANE (l, lanes) {
            const double half = own ? 0.5 * (double)mass[l] : shared;
            const double a = (double)vx[l], b = (double)vy[l];
            value[l] += active[l] != 0 ? half * (a * a + b * b) : 0;
        }
    }
}

/* Sets value[16] to a measure of the worlds in `lanes`. impacts[16]: those of the watched body in this tick, or
 * NULL. */
static inline void measure(const scene_run *run, const carom_scene_measure *m, unsigned lanes, const uint32_t *impacts,
                           double *value)
{
    const scene_frozen *s = run->s;
    for (int l = 0; l < CAROM_TILE; l++) {
        value[l] = 0;
    }

    if (m->kind == CAROM_MEASURE_DISTANCE) {
        const real *x = row_of(run, s->x) + m->body * run->stride;
        const real *y = row_of(run, s->y) + m->body * run->stride;
        EACH_LANE (l, lanes) {
            const double dx = (double)x[l] - m->x, dy = (double)y[l] - m->y;
            value[l] = -__builtin_sqrt(dx * dx + dy * dy);
        }
    } else if (m->kind == CAROM_MEASURE_ENERGY) {
        measure_energy(run, lanes, value);
    } else if (m->kind == CAROM_MEASURE_IMPACTS && impacts != NULL) {
        EACH_LANE (l, lanes) {
            value[l] = impacts[l];
        }
    } else if (m->kind == CAROM_MEASURE_USER) {
        call_hook(run, m->hook, lanes, value);
    }
}

/* ---- rewards ---- */

/* Agents of each player, for the requested kind of reward. */
static inline uint32_t rewarded_agents(const scene_run *run)
{
    return run->tick->reward_kind == REWARD_OWN ? run->s->actor_count / run->s->players : 1;
}

/* x, y, vx or vy (number 0 to 3) of a body at the start of the tick, as saved then. */
CAROM_LANE vreal saved_load(const scene_run *run, unsigned number, uint32_t body, unsigned at)
{
    const real *rows = (const real *)(const void *)run->saved;
    const size_t row = ((size_t)number * run->s->bodies + body) * run->stride;
    return run->alone ? v_set1(rows[row]) : v_loadu(rows + row + at);
}

CAROM_LANE vreal rule_length(vreal x, vreal y)
{
    return v_sqrt(x * x + y * y);
}

/* The distance of a rule's body to the other body or the point, now or at the start of the tick. */
CAROM_LANE vreal rule_distance(const scene_run *run, const scene_rule *rule, bool now, unsigned at)
{
    const scene_frozen *s = run->s;
    const uint32_t of[2] = {rule->body, rule->other};
    vreal x[2], y[2];
    x[1] = v_set1(rule->x), y[1] = v_set1(rule->y);
    for (unsigned k = 0; k < (rule->kind == CAROM_RULE_NEARS_BODY ? 2 : 1); k++) {
        const size_t row = of[k] * run->stride + at;
        x[k] = now ? row_load(run, row_of(run, s->x) + row) : saved_load(run, 0, of[k], at);
        y[k] = now ? row_load(run, row_of(run, s->y) + row) : saved_load(run, 1, of[k], at);
    }
    return rule_length(scene_between(x[0], x[1], s->horizontal, s->x0, s->x1),
                       scene_between(y[0], y[1], s->vertical, s->y0, s->y1));
}

/* The decrease of that distance in the tick; 0 where a body is not active. */
static inline void rule_way(const scene_run *run, const scene_rule *rule, unsigned at, unsigned group, real *way)
{
    vmask there = row_active(run, rule->body, at, group);
    if (rule->kind == CAROM_RULE_NEARS_BODY) {
        there = m_and(there, row_active(run, rule->other, at, group));
    }
    const vreal before = rule_distance(run, rule, false, at), after = rule_distance(run, rule, true, at);
    v_storeu(way, v_select(there, before - after, v_set1(0)));
}

/* The least distance of a rule's body from the others of its categories; 0 where there are none. */
static inline void rule_nearest(const scene_run *run, const scene_rule *rule, unsigned at, unsigned group,
                                real *distance)
{
    const scene_frozen *s = run->s;
    const real *xs = row_of(run, s->x) + at, *ys = row_of(run, s->y) + at;
    const vmask there = row_active(run, rule->body, at, group);
    const vreal never = v_set1(SCENE_NEVER);
    const vreal x = row_load(run, xs + rule->body * run->stride), y = row_load(run, ys + rule->body * run->stride);

    vreal least = never; /* squared */
    for (uint32_t i = 0; i < s->bodies; i++) {
        if ((s->category[i] & rule->category) == 0 || i == rule->body) {
            continue;
        }
        const vreal dx = scene_between(x, row_load(run, xs + i * run->stride), s->horizontal, s->x0, s->x1);
        const vreal dy = scene_between(y, row_load(run, ys + i * run->stride), s->vertical, s->y0, s->y1);
        const vmask both = m_and(there, row_active(run, i, at, group));
        least = v_min(least, v_select(both, dx * dx + dy * dy, never));
    }
    v_storeu(distance, v_select(v_lt(least, never), v_sqrt(least), v_set1(0)));
}

/* The sum of the squares of the action of a rule's body, in lane l. In double whatever the precision. */
static inline double rule_effort(const scene_run *run, const scene_rule *rule, unsigned l)
{
    const game_tick *tick = run->tick;
    const uint32_t player = rule->actor / (run->s->actor_count / run->s->players);
    const uint32_t kind = tick->kind != TICK_MIXED ? tick->kind : tick->kinds[player];
    const unsigned char *numbers = act_numbers(run, rule->actor, player, kind);

    double sum = 0;
    for (unsigned k = 0; k < 2; k++) {
        const size_t at = k * CAROM_TILE + l;
        double a = kind == SCENE_NORMALISED ? (double)((const float *)(const void *)numbers)[at]
                                            : ((const double *)(const void *)numbers)[at];
        if (kind == SCENE_NORMALISED) {
            a = a < -1 ? -1 : a > 1 ? 1 : a;
        }
        sum += a == a ? a * a : 0;
    }
    return sum;
}

/* Counts the rules about states: zones, and ticks. */
static inline void count_states(const scene_run *run, unsigned lanes, uint32_t *met)
{
    const scene_frozen *s = run->s;
    for (uint32_t r = 0; r < s->rule_count; r++) {
        const scene_rule *rule = &s->rules[r];
        if (rule->kind != CAROM_RULE_WITHIN && rule->kind != CAROM_RULE_TICK) {
            continue;
        }

        const real *x = row_of(run, s->x) + rule->body * run->stride, *y = row_of(run, s->y) + rule->body * run->stride;
        const int8_t *active = row8_of(run, s->active) + rule->body * run->stride;
        EACH_LANE (l, lanes) {
            const bool within = x[l] >= rule->x && x[l] <= rule->x1 && y[l] >= rule->y && y[l] <= rule->y1;
            met[r * CAROM_TILE + l] = active[l] != 0 && (within || rule->kind == CAROM_RULE_TICK);
        }
    }
}

/* Adds the rewards of rule r to value[16]; lanes outside `lanes` get any number, so that loops are plain ones. met:
 * counts, as in scene_tick.met. */
static inline void reward_by(const scene_run *run, uint32_t r, unsigned lanes, const uint32_t *met, double *value)
{
    const scene_rule *rule = &run->s->rules[r];
    const double weight = run->s->desc->rules[r].reward;

    if (scene_is_counted(rule->kind)) {
        for (unsigned l = 0; l < CAROM_TILE; l++) {
            value[l] += weight * (double)met[r * CAROM_TILE + l];
        }
        return;
    }

    if (rule->kind == CAROM_RULE_ACTS) {
        const int8_t *active = row8_of(run, run->s->active) + rule->body * run->stride;
        EACH_LANE (l, lanes) {
            value[l] += active[l] != 0 ? weight * rule_effort(run, rule, l) : 0;
        }
        return;
    }

    EACH_GROUP (lanes) {
        real length[LANES];
        if (rule->kind == CAROM_RULE_NEAREST) {
            rule_nearest(run, rule, at, group, length);
        } else {
            rule_way(run, rule, at, group, length);
        }
        for (unsigned l = 0; l < LANES; l++) {
            value[at + l] += weight * (double)length[l];
        }
    }
}

/* The rewards of a tick, without the game's result. met: counts of rules; watched: the impacts for measure(). */
static inline void reward_tile(const scene_run *run, unsigned lanes, const uint32_t *met, const uint32_t *watched)
{
    const scene_frozen *s = run->s;
    const uint32_t each = rewarded_agents(run);
    const bool own = run->tick->reward_kind == REWARD_OWN;

    /* The scene's measure is player 0's gain; the others share the loss. */
    double common[CAROM_TILE], value[CAROM_TILE];
    const double others = s->players > 1 ? s->players - 1 : 1;
    for (unsigned l = 0; l < CAROM_TILE; l++) {
        common[l] = 0;
    }
    if (!own) {
        measure(run, &s->desc->reward, lanes, watched, common);
    }

    /* A rule's reward goes to a separate agent, or to its player. */
    for (uint32_t agent = 0; agent < s->players * each; agent++) {
        float *to = run->tick->rewards + ((size_t)run->number * s->players * each + agent) * CAROM_TILE;
        for (unsigned l = 0; l < CAROM_TILE; l++) {
            value[l] = agent == 0 ? common[l] : (0 - common[l]) / others;
        }

        for (uint32_t r = 0; r < s->rule_count; r++) {
            const scene_rule *rule = &s->rules[r];
            if ((own ? rule->agent : rule->player) == agent && s->desc->rules[r].reward != 0) {
                reward_by(run, r, lanes, met, value);
            }
        }

        EACH_LANE (l, lanes) {
            to[l] = (float)value[l];
        }
    }
}

/* The worlds whose game a rule has ended. Sets run->won. */
static inline unsigned decide_by_rules(scene_run *run, unsigned lanes, const uint32_t *met)
{
    const scene_frozen *s = run->s;
    unsigned over = 0;

    for (uint32_t player = 0; player < s->players; player++) {
        run->won[player] = 0;
    }

    for (uint32_t r = 0; r < s->rule_count; r++) {
        const carom_scene_rule *rule = &s->desc->rules[r];
        unsigned here = 0;
        EACH_LANE (l, rule->ends ? lanes : 0) {
            here |= (unsigned)(met[r * CAROM_TILE + l] != 0) << l;
        }
        over |= here;
        if (rule->winner >= 0) {
            run->won[rule->winner] |= here;
        }
    }
    return over;
}

#endif
