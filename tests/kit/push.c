/* SPDX-License-Identifier: MIT
 * Sumo, or with WRESTLE the game with every feature of plug-in games (wrestle.c): ticks with results computed by hand.
 * push GAME.so
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/carom.h>

#define DEMAND(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("push.c:%d: %s\n", __LINE__, #condition);                                                           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

static void put(carom_worlds *worlds, const char *field, const void *values)
{
    size_t index;
    DEMAND(carom_worlds_find_field(worlds, field, &index) == CAROM_OK);
    DEMAND(carom_worlds_set(worlds, index, 0, 1, values) == CAROM_OK);
}

static void get(const carom_worlds *worlds, const char *field, void *values)
{
    size_t index;
    DEMAND(carom_worlds_find_field(worlds, field, &index) == CAROM_OK);
    DEMAND(carom_worlds_get(worlds, index, 0, 1, values) == CAROM_OK);
}

/* One world in which the discs are at (x, y) with velocity (vx, 0). */
static carom_worlds *world_of(const carom_game *game, const double x[4], const double y[4], const double vx[4])
{
    static const double rest[4] = {0};
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_worlds *worlds;
    double options[16];
    DEMAND(carom_game_options_size(game) <= sizeof options && carom_game_options_default(game, options) == CAROM_OK);
    DEMAND(carom_game_set_option(game, options, "bounce", 0.5, NULL) == CAROM_OK);
    desc.options = options;
    desc.precision = CAROM_F64;
    DEMAND(carom_worlds_create(&desc, &worlds) == CAROM_OK);
    put(worlds, "x", x);
    put(worlds, "y", y);
    put(worlds, "vx", vx);
    put(worlds, "vy", rest);
    return worlds;
}

/* Disc 0 runs at disc 2, 120 before it, with 80 a tick: they meet at 80, after half a tick. Half of the relative
 * velocity of 80 is left, reversed: the two change by 60 each, to 20 and 60. Then velocities are multiplied by 0.95. */
static const double head_on[3][4] = {{-60, -150, 60, 150}, {0, 200, 0, 200}, {80, 0, 0, 0}};

static void collide(const carom_game *game)
{
    carom_worlds *worlds = world_of(game, head_on[0], head_on[1], head_on[2]);
    carom_step step = carom_step_default();
    carom_event events[4];
    carom_contact contacts[4];
    uint32_t count;
    double x[4], y[4], vx[4];
    step.events = events;
    step.event_capacity = 4;
    step.event_counts = &count;
    step.contacts = contacts;
    DEMAND(carom_worlds_play(worlds, &step) == CAROM_OK);
    DEMAND(count == 1 && near(events[0].left, 0.5));
    DEMAND(near(contacts[0].centre[0][0], -20) && near(contacts[0].centre[1][0], 60) && near(contacts[0].x, 20));
    DEMAND(contacts[0].nx == 1 && contacts[0].ny == 0 && contacts[0].centre[0][1] == 0 && contacts[0].y == 0);
    DEMAND(contacts[0].before[0][0] == 80 && contacts[0].before[1][0] == 0 && near(contacts[0].time[0], 0.5));
    DEMAND(near(contacts[0].after[0][0], 20) && near(contacts[0].after[1][0], 60) && near(contacts[0].impulse, 60));
    DEMAND(events[0].first == 0 && events[0].second == 2 && events[0].kind == 0);
    get(worlds, "x", x);
    get(worlds, "y", y);
    get(worlds, "vx", vx);
    DEMAND(near(x[0], -60 + 40 + 10) && near(x[2], 60 + 30) && x[1] == -150 && x[3] == 150);
    DEMAND(y[0] == 0 && y[1] == 200);
    DEMAND(near(vx[0], 19) && near(vx[2], 57) && vx[1] == 0 && vx[3] == 0);
    carom_worlds_destroy(worlds);
}

/* Discs 2 and 3 leave one after the other: the second decides the game, which is rewarded once more. */
static void leave(const carom_game *game)
{
    static const double x[4] = {-100, -100, 290, 100}, y[4] = {0, 100, 0, 100}, vx[4] = {0, 0, 20, 0};
    carom_worlds *worlds = world_of(game, x, y, vx);
    carom_step step = carom_step_default();
    carom_result result;
    float rewards[2];
    double now[4], speed[4];
    int8_t out[4];
    uint8_t end;
    step.rewards = rewards;
    step.ends = &end;
    step.results = &result;
    DEMAND(carom_worlds_play(worlds, &step) == CAROM_OK);
    get(worlds, "x", now);
    get(worlds, "vx", speed);
    get(worlds, "out", out);
    DEMAND(rewards[0] == 1 && rewards[1] == -1 && end == CAROM_RUNNING);
    DEMAND(out[0] == 0 && out[1] == 0 && out[2] == 1 && out[3] == 0 && now[2] == 1000 && speed[2] == 0);
    now[3] = 290;
    speed[3] = 20;
    put(worlds, "x", now);
    put(worlds, "vx", speed);
    DEMAND(carom_worlds_play(worlds, &step) == CAROM_OK);
    DEMAND(rewards[0] == 2 && rewards[1] == -2 && end == CAROM_TERMINATED && result.winner == 0 && result.ticks == 2);
    carom_worlds_destroy(worlds);
    /* beyond RULES_FAR_X positions are invalid */
    size_t index;
    worlds = world_of(game, x, y, vx);
    now[0] = 1002;
    DEMAND(carom_worlds_find_field(worlds, "x", &index) == CAROM_OK);
    DEMAND(carom_worlds_set(worlds, index, 0, 1, now) == CAROM_ERROR_VALUE);
    carom_worlds_destroy(worlds);
}

#if defined(WRESTLE)

/* The observation of disc 2, player 1's first, after the collision: itself, its mate, its rivals; the table is
 * rotated. */
static void ego(const carom_game *game)
{
    carom_worlds *worlds = world_of(game, head_on[0], head_on[1], head_on[2]);
    carom_step step = carom_step_default();
    carom_observation_kind kind;
    carom_number number;
    float seen[4][16];
    DEMAND(carom_game_find_observation_kind(game, "ego", &step.observation_kind) == CAROM_OK);
    DEMAND(carom_game_observation_kind(game, step.observation_kind, &kind) == CAROM_OK);
    DEMAND(kind.agents == 2 && kind.size == 16 && carom_game_describe(game).observation_size == 17);
    DEMAND(carom_game_observation_number(game, 0, 16, &number) == CAROM_OK && strcmp(number.name, "tick") == 0);
    DEMAND(strcmp(number.unit, "a game") == 0 && number.low == 0 && isinf(number.high));
    DEMAND(carom_game_observation_number(game, 1, 8, &number) == CAROM_OK && strcmp(number.name, "rival_x") == 0);
    DEMAND(number.low == -4 && number.high == 4);
    step.observations = &seen[0][0];
    DEMAND(carom_worlds_play(worlds, &step) == CAROM_OK);
    DEMAND(near(seen[2][0], -90.0 / 300) && near(seen[2][1], 0) && near(seen[2][2], -5.7F));
    DEMAND(near(seen[2][4], -150.0 / 300) && near(seen[2][5], -200.0 / 300));
    DEMAND(near(seen[2][8], 10.0 / 300) && near(seen[2][10], -1.9F) && near(seen[2][12], 150.0 / 300));
    DEMAND(near(seen[0][0], -10.0 / 300) && near(seen[1][4], -10.0 / 300) && near(seen[3][0], -150.0 / 300));
    carom_worlds_destroy(worlds);
}

/* Ray 0 goes towards the other side, ray 2 a quarter of a turn from it towards +y from +x; see wrestle.c. */
static void lidar(const carom_game *game)
{
    static const double x[4] = {-100, -100, 290, 100}, y[4] = {0, 100, 0, 100}, vx[4] = {0, 0, 20, 0};
    carom_worlds *worlds = world_of(game, x, y, vx);
    carom_step step = carom_step_default();
    carom_observation_kind kind;
    carom_number number;
    float seen[4][49];
    DEMAND(carom_game_find_observation_kind(game, "lidar", &step.observation_kind) == CAROM_OK);
    DEMAND(carom_game_observation_kind(game, step.observation_kind, &kind) == CAROM_OK);
    DEMAND(kind.agents == 2 && kind.size == 1 + 8 * 6);
    DEMAND(carom_game_observation_number(game, 2, 0, &number) == CAROM_OK && strcmp(number.name, "out") == 0);
    DEMAND(carom_game_observation_number(game, 2, 1, &number) == CAROM_OK && strcmp(number.name, "ray0.distance") == 0);
    DEMAND(carom_game_observation_number(game, 2, 45, &number) == CAROM_OK && strcmp(number.name, "ray7.rival") == 0);
    step.observations = &seen[0][0];
    DEMAND(carom_worlds_observe_step(worlds, &step) == CAROM_OK);
    const float *ray = &seen[0][1]; /* disc 0 sees the line, and its mate */
    DEMAND(seen[0][0] == 0 && near(ray[0], 100.0 / 300) && ray[1] == 0 && ray[2] == 0 && ray[3] == 1 && ray[4] == 0);
    ray += 2 * 6;
    DEMAND(near(ray[0], 60.0 / 300) && ray[1] == 1 && ray[2] == 0 && ray[3] == 0);
    ray += 2 * 6; /* and nothing behind it */
    DEMAND(ray[0] == 1 && ray[1] == 0 && ray[2] == 0 && ray[3] == 0 && ray[4] == 0 && ray[5] == 0);
    ray = &seen[2][1]; /* disc 2 leaves the line, with 20 a tick */
    DEMAND(near(ray[0], 290.0 / 300) && ray[3] == 1 && near(ray[4], 2) && near(ray[5], 0));
    ray = &seen[3][1 + 6]; /* disc 3 sees disc 0, half down: (100, 100) away, minus its radius */
    DEMAND(near(ray[0], 100 * 1.4142135 / 300) && ray[3] == 1);
    carom_worlds_destroy(worlds);
}

/* Disc 2 leaves and loses 1; each of its rivals has a half. */
static void own(const carom_game *game)
{
    static const double x[4] = {-100, -100, 290, 100}, y[4] = {0, 100, 0, 100}, vx[4] = {0, 0, 20, 0};
    carom_worlds *worlds = world_of(game, x, y, vx);
    carom_step step = carom_step_default();
    float rewards[4];
    DEMAND(carom_game_find_reward_kind(game, "own", &step.reward_kind) == CAROM_OK);
    step.rewards = rewards;
    DEMAND(carom_worlds_play(worlds, &step) == CAROM_OK);
    DEMAND(rewards[0] == 0.5F && rewards[1] == 0.5F && rewards[2] == -1 && rewards[3] == 0);
    carom_worlds_destroy(worlds);
}

/* Three discs, 150 from the centre, are in, so 1 - 1/4 each: one disc and 0.75 more are player 0's. */
static void value(const carom_game *game)
{
    static const double x[4] = {-150, 0, 1000, 150}, y[4] = {0, 150, 0, 0}, vx[4] = {0};
    static const int8_t out[4] = {0, 0, 1, 0};
    static const double weights[2] = {2, 4};
    carom_worlds *worlds = world_of(game, x, y, vx);
    carom_rollout_desc rollout = carom_rollout_desc_default(game);
    carom_value_kind kind;
    carom_value_weight weight;
    double returns[2];
    put(worlds, "out", out);
    DEMAND(carom_game_find_value_kind(game, "weighted", &rollout.value) == CAROM_OK && rollout.value == 1);
    DEMAND(carom_game_value_kind(game, 1, &kind) == CAROM_OK && kind.weights == 2);
    DEMAND(carom_game_value_weight(game, 1, 1, &weight) == CAROM_OK && strcmp(weight.name, "inward") == 0);
    DEMAND(weight.weight == 0.1);
    rollout.sequences = 1;
    rollout.horizon = 1;
    rollout.final_weight = 1;
    rollout.players[0].source = rollout.players[1].source = CAROM_ZERO;
    DEMAND(carom_rollout(worlds, &rollout, returns, NULL, NULL) == CAROM_OK);
    DEMAND(near(returns[0], 1 + 0.1 * 0.75) && near(returns[1], -returns[0]));
    rollout.weights = weights;
    DEMAND(carom_rollout(worlds, &rollout, returns, NULL, NULL) == CAROM_OK);
    DEMAND(near(returns[0], 2 + 4 * 0.75) && near(returns[1], -5));
    rollout.value = 0; /* the discs alone */
    rollout.weights = NULL;
    DEMAND(carom_rollout(worlds, &rollout, returns, NULL, NULL) == CAROM_OK && returns[0] == 1 && returns[1] == -1);
    carom_worlds_destroy(worlds);
}

/* Player 0 acts in `normalised`, player 1 in `push`: 1 is 3 units, 1.5 is 1.5; both are cut by 0.95. */
static void mixed(const carom_game *game)
{
    static const double x[4] = {-150, -150, 150, 150}, y[4] = {-100, 100, -100, 100}, vx[4] = {0};
    static const float told[4] = {1, 0, 0, 0};
    static const double push[4] = {1.5, 0, 0, 0};
    carom_worlds *worlds = world_of(game, x, y, vx);
    carom_step step = carom_step_default();
    double speed[4];
    step.players[0].actions = told;
    step.players[1].actions = push;
    DEMAND(carom_game_find_action_kind(game, "push", &step.players[1].action_kind) == CAROM_OK);
    DEMAND(carom_worlds_play(worlds, &step) == CAROM_OK);
    get(worlds, "vx", speed);
    DEMAND(near(speed[0], 2.85) && speed[1] == 0 && near(speed[2], -1.425) && speed[3] == 0);
    carom_worlds_destroy(worlds);
}

#endif

int main(int argc, char **argv)
{
    const carom_game *game = NULL;
    carom_problem problem;
    DEMAND(argc == 2);
    if (carom_game_open(argv[1], &game, &problem) != CAROM_OK) {
        printf("push.c: %s\n", problem.text);
        return 1;
    }
    collide(game);
    leave(game);
#if defined(WRESTLE)
    ego(game);
    lidar(game);
    own(game);
    value(game);
    mixed(game);
#endif
    return 0;
}
