/* SPDX-License-Identifier: MIT
 * Carom for PufferLib: one header that implements an environment by the C contract of PufferLib 4 or 5.
 *
 * An environment is CAROM_PUFFER_WORLDS worlds, stepped in one call. A world has an agent for each body of player 0
 * (csb: two pods), with its own observation, action and reward. A policy or a planner (carom/player.h) plays all other
 * players. A world whose game ends starts the next one in the same step. README.md in this folder explains how to build
 * it.
 *
 * Define before including it:
 *     CAROM_PUFFER    4 or 5: PufferLib's version
 *     OBS_SIZE        numbers of an agent's observation; csb: 38
 *     NUM_ATNS        numbers of its action; csb: 2
 *     ACT_SIZES       a 1 for each of them, for continuous actions; in version 4 also OBS_TENSOR_T: FloatTensor
 * The sizes are checked against the game's when an environment is made. For anything but csb against `race` also define
 * CAROM_PUFFER_GAME, _OPPONENT, _ACTION, _OBSERVATION, _REWARD (names), _BODIES (agents of a world). Optional in any
 * case: CAROM_PUFFER_WORLDS, and for csb CAROM_PUFFER_OPPONENT ("cem:100").
 *
 * The contract has no error reporting: errors are written to stderr and end the program.
 */
#ifndef CAROM_INTEGRATIONS_PUFFER_CAROM_PUFFER_H
#define CAROM_INTEGRATIONS_PUFFER_CAROM_PUFFER_H

#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CAROM_PUFFER_GAME
#define CAROM_PUFFER_GAME "csb"
#ifndef CAROM_PUFFER_OPPONENT
#define CAROM_PUFFER_OPPONENT "race"
#endif
#define CAROM_PUFFER_ACTION "normalised"
#define CAROM_PUFFER_OBSERVATION "ego"
#define CAROM_PUFFER_REWARD "own"
#define CAROM_PUFFER_BODIES 2
#endif
#ifndef CAROM_PUFFER_WORLDS
#define CAROM_PUFFER_WORLDS 32
#endif
#define CAROM_PUFFER_AGENTS (CAROM_PUFFER_WORLDS * CAROM_PUFFER_BODIES)

/* Sums over finished games; PufferLib divides them by n and resets them. */
typedef struct Log Log;
struct Log {
    float perf;           /* games won */
    float score;          /* the player's score */
    float episode_return; /* rewards of all its bodies */
    float episode_length; /* ticks */
    float n;              /* games */
};

#if CAROM_PUFFER == 5
typedef float obs_t;
#include "pufferenv.h"
#elif CAROM_PUFFER == 4
typedef struct Env Env;
#else
#error "CAROM_PUFFER: 4 or 5 is expected"
#endif

struct Env {
    Log log;
#if CAROM_PUFFER == 5
    Agent agents[CAROM_PUFFER_AGENTS]; /* PufferLib's arrays, contiguous or not */
    int tag, boundary_reached;
    float actions[CAROM_PUFFER_AGENTS * NUM_ATNS]; /* together */
    float observations[CAROM_PUFFER_AGENTS * OBS_SIZE];
#else
    float *observations, *actions, *rewards, *terminals; /* PufferLib's: [agent][number], [agent] */
#endif
    int num_agents;
    unsigned int rng; /* the seed of its games */
    carom_worlds *worlds;
    carom_step step;
    carom_player *rivals[CAROM_MAX_PLAYERS]; /* the player of the other seats, or NULL */
    uint32_t gained;                         /* rewards of a world, starting with player 0's bodies */
    float *gains;
    uint8_t ends[CAROM_PUFFER_WORLDS];
    carom_result results[CAROM_PUFFER_WORLDS];
};

static void carom_puffer_check(carom_status status, const char *what)
{
    if (status != CAROM_OK) {
        fprintf(stderr, "carom_puffer: %s: %s\n", what, carom_status_string(status));
        exit(1);
    }
}

/* Makes the worlds. `rng` must be set. */
static void carom_puffer_open(Env *env)
{
    const carom_game *game = carom_game_find(CAROM_PUFFER_GAME);
    carom_puffer_check(game != NULL ? CAROM_OK : CAROM_ERROR_ARGUMENT, "game " CAROM_PUFFER_GAME);
    const carom_game_info info = carom_game_describe(game);
    carom_step step = carom_step_default();
    carom_puffer_check(carom_game_find_action_kind(game, CAROM_PUFFER_ACTION, &step.action_kind), "kind of action");
    carom_puffer_check(carom_game_find_observation_kind(game, CAROM_PUFFER_OBSERVATION, &step.observation_kind),
                       "kind of observation");
    carom_puffer_check(carom_game_find_reward_kind(game, CAROM_PUFFER_REWARD, &step.reward_kind), "kind of reward");
    carom_action_kind acts;
    carom_observation_kind seen;
    carom_reward_kind gained;
    carom_puffer_check(carom_game_action_kind(game, step.action_kind, &acts), "kind of action");
    carom_puffer_check(carom_game_observation_kind(game, step.observation_kind, &seen), "kind of observation");
    carom_puffer_check(carom_game_reward_kind(game, step.reward_kind, &gained), "kind of reward");
    const bool fits = acts.precision == CAROM_F32 && acts.size == CAROM_PUFFER_BODIES * NUM_ATNS &&
                      seen.size == OBS_SIZE && seen.agents == CAROM_PUFFER_BODIES &&
                      gained.agents == CAROM_PUFFER_BODIES;
    carom_puffer_check(fits ? CAROM_OK : CAROM_ERROR_SIZE, "OBS_SIZE, NUM_ATNS or CAROM_PUFFER_BODIES");
    step.observed = (UINT64_C(1) << CAROM_PUFFER_BODIES) - 1;
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    desc.count = CAROM_PUFFER_WORLDS;
    desc.precision = CAROM_F32;
    desc.threads = 1; /* PufferLib steps environments in its own threads */
    desc.seed = env->rng;
    desc.at_end = CAROM_RESET;
    carom_puffer_check(carom_worlds_create(&desc, &env->worlds), "worlds");
    memset(env->rivals, 0, sizeof env->rivals);
    for (uint32_t p = 1; p < info.players; p++) {
        carom_puffer_check(carom_player_create(env->worlds, p, CAROM_PUFFER_OPPONENT, &env->rivals[p], NULL),
                           "opponent");
    }
    env->gained = info.players * gained.agents;
    env->gains = (float *)calloc((size_t)CAROM_PUFFER_WORLDS * env->gained, sizeof(float));
    carom_puffer_check(env->gains != NULL ? CAROM_OK : CAROM_ERROR_MEMORY, "rewards");
    step.ends = env->ends;
    step.results = env->results;
    step.rewards = env->gains;
    env->step = step;
    env->num_agents = CAROM_PUFFER_AGENTS;
}

/* Writes the agents' observations. */
static void carom_puffer_seen(Env *env)
{
#if CAROM_PUFFER == 5
    for (int a = 0; a < CAROM_PUFFER_AGENTS; a++) {
        memcpy(env->agents[a].observations, env->observations + a * OBS_SIZE, OBS_SIZE * sizeof(float));
    }
#else
    (void)env; /* it is in place */
#endif
}

/* Sets the other players' actions for the next step. A planner searches now. */
static void carom_puffer_seat(Env *env)
{
    for (uint32_t p = 1; p < CAROM_MAX_PLAYERS && env->rivals[p] != NULL; p++) {
        carom_puffer_check(carom_player_take(env->rivals[p], env->worlds, &env->step), "opponent");
    }
}

static void carom_puffer_reset(Env *env)
{
    env->step.observations = env->observations;
    env->step.actions = env->actions;
    carom_puffer_check(carom_worlds_reset(env->worlds), "reset");
    for (uint32_t p = 1; p < CAROM_MAX_PLAYERS && env->rivals[p] != NULL; p++) {
        carom_puffer_check(carom_player_forget(env->rivals[p]), "reset");
    }
    carom_puffer_check(carom_worlds_observe_step(env->worlds, &env->step), "reset");
    carom_puffer_seen(env);
}

static void carom_puffer_step(Env *env)
{
#if CAROM_PUFFER == 5
    for (int a = 0; a < CAROM_PUFFER_AGENTS; a++) {
        memcpy(env->actions + a * NUM_ATNS, env->agents[a].actions, NUM_ATNS * sizeof(float));
    }
#endif
    carom_puffer_seat(env);
    carom_puffer_check(carom_worlds_play(env->worlds, &env->step), "step");
    carom_puffer_seen(env);
    for (int w = 0; w < CAROM_PUFFER_WORLDS; w++) {
        for (int body = 0; body < CAROM_PUFFER_BODIES; body++) {
            const int a = w * CAROM_PUFFER_BODIES + body;
            const float reward = env->gains[(uint32_t)w * env->gained + (uint32_t)body];
            const float over = env->ends[w] != 0 ? 1.0f : 0.0f;
#if CAROM_PUFFER == 5
            *env->agents[a].rewards = reward;
            *env->agents[a].terminals = over;
#else
            env->rewards[a] = reward;
            env->terminals[a] = over;
#endif
        }
        if (env->ends[w] != 0) {
            const carom_result *result = &env->results[w];
            env->log.perf += result->winner == 0 ? 1.0f : 0.0f;
            env->log.score += (float)result->score[0];
            env->log.episode_return += (float)result->returns[0];
            env->log.episode_length += (float)result->ticks;
            env->log.n += 1.0f;
        }
    }
}

static void carom_puffer_close(Env *env)
{
    for (uint32_t p = 1; p < CAROM_MAX_PLAYERS; p++) {
        carom_player_destroy(env->rivals[p]);
        env->rivals[p] = NULL;
    }
    carom_worlds_destroy(env->worlds);
    free(env->gains);
    env->worlds = NULL;
    env->gains = NULL;
}

#if CAROM_PUFFER == 4
/* PufferLib 4 expects a static function for the names in its log. */
void c_reset(Env *env);
void c_step(Env *env);
void c_render(Env *env);
void c_close(Env *env);
#include "vecenv.h"
#endif

/* ---- drawing by raylib, which both versions of PufferLib include ---- */

enum { CAROM_PUFFER_WIDTH = 960, CAROM_PUFFER_THINGS = 256 };

static Color carom_puffer_color(carom_look_style style)
{
    static const Color colors[CAROM_LOOK_STYLES] = {
        {200, 200, 200, 255}, {90, 170, 255, 255}, {255, 120, 90, 255},  {255, 220, 90, 255}, {220, 60, 200, 255},
        {130, 130, 130, 255}, {80, 200, 160, 120}, {230, 230, 230, 255}, {70, 80, 90, 255},   {120, 200, 120, 255}};
    return colors[(unsigned)style < CAROM_LOOK_STYLES ? style : CAROM_LOOK_PLAIN];
}

/* The first world. */
static void carom_puffer_render(Env *env)
{
    carom_look_view view;
    carom_puffer_check(carom_look_view_of(env->worlds, 0, &view), "view");
    const double scale = (double)CAROM_PUFFER_WIDTH / (view.x1 - view.x0);
    const int height = (int)((view.y1 - view.y0) * scale);
    if (!IsWindowReady()) {
        InitWindow(CAROM_PUFFER_WIDTH, height, "Carom: " CAROM_PUFFER_GAME);
        SetTargetFPS(30);
    }
    if (WindowShouldClose()) {
        CloseWindow();
        exit(0);
    }
    static carom_look_shape shapes[CAROM_PUFFER_THINGS];
    static carom_look_body bodies[CAROM_PUFFER_THINGS];
    size_t shape_count = 0, body_count = 0;
    carom_puffer_check(carom_look_shapes(env->worlds, 0, shapes, CAROM_PUFFER_THINGS, &shape_count), "shapes");
    carom_puffer_check(carom_look_bodies(env->worlds, 0, bodies, CAROM_PUFFER_THINGS, &body_count), "bodies");
#define CAROM_PUFFER_X(x) (int)(((x) - view.x0) * scale)
#define CAROM_PUFFER_Y(y) (int)((view.y_down ? (y) - view.y0 : view.y1 - (y)) * scale)
    BeginDrawing();
    const Color ground = {20, 24, 28, 255}, black = {0, 0, 0, 255};
    ClearBackground(ground);
    for (size_t k = 0; k < shape_count && k < CAROM_PUFFER_THINGS; k++) {
        const carom_look_shape *s = &shapes[k];
        const int x = CAROM_PUFFER_X(s->x), y = CAROM_PUFFER_Y(s->y);
        const Color color = carom_puffer_color(s->style);
        if (s->kind == CAROM_LOOK_LINE) {
            DrawLine(x, y, CAROM_PUFFER_X(s->x2), CAROM_PUFFER_Y(s->y2), color);
        } else if (s->kind == CAROM_LOOK_CIRCLE) {
            DrawCircleLines(x, y, (float)(s->radius * scale), color);
        } else {
            const int size = (int)(2 * s->radius * scale);
            DrawText(s->text, x - MeasureText(s->text, size) / 2, y - size / 2, size, color);
        }
    }
    for (size_t k = 0; k < body_count && k < CAROM_PUFFER_THINGS; k++) {
        const carom_look_body *b = &bodies[k];
        if (b->there) {
            const int x = CAROM_PUFFER_X(b->x), y = CAROM_PUFFER_Y(b->y);
            DrawCircle(x, y, (float)(b->radius * scale), carom_puffer_color(b->style));
            if (b->has_facing) {
                DrawLine(x, y, CAROM_PUFFER_X(b->x + b->radius * cos(b->facing)),
                         CAROM_PUFFER_Y(b->y + b->radius * sin(b->facing)), black);
            }
        }
    }
    EndDrawing();
#undef CAROM_PUFFER_X
#undef CAROM_PUFFER_Y
}

/* ---- the contract ---- */

static void carom_puffer_log(const Log *log, Dict *out)
{
    dict_set(out, "perf", (double)log->perf);
    dict_set(out, "score", (double)log->score);
    dict_set(out, "episode_return", (double)log->episode_return);
    dict_set(out, "episode_length", (double)log->episode_length);
}

/* The functions that PufferLib calls. They read no keys of its configuration. */
#if CAROM_PUFFER == 5
#define CAROM_PUFFER_NAME(verb) puf_##verb
#define CAROM_PUFFER_INIT puf_init
#define CAROM_PUFFER_LOG puf_log
#else
#define CAROM_PUFFER_NAME(verb) c_##verb
#define CAROM_PUFFER_INIT my_init
#define CAROM_PUFFER_LOG my_log
#endif

void CAROM_PUFFER_INIT(Env *env, Dict *kwargs)
{
    (void)kwargs;
    carom_puffer_open(env);
}

void CAROM_PUFFER_LOG(Log *log, Dict *out)
{
    carom_puffer_log(log, out);
}
void CAROM_PUFFER_NAME(reset)(Env *env)
{
    carom_puffer_reset(env);
}
void CAROM_PUFFER_NAME(step)(Env *env)
{
    carom_puffer_step(env);
}
void CAROM_PUFFER_NAME(render)(Env *env)
{
    carom_puffer_render(env);
}
void CAROM_PUFFER_NAME(close)(Env *env)
{
    carom_puffer_close(env);
}

#endif
