/* SPDX-License-Identifier: MIT
 * A custom game on top of a scene, and a player for it by random shooting.
 *
 * A puck is pushed around a field of coins and bumpers. Two rules are the game's own: a coin that the puck covers is
 * taken (a tick hook), and a bumper repels the puck at a fixed speed (a response hook). A third function gives the
 * value of a state, for the search. Prints how many coins the search takes and how many random pushes take; fails
 * unless the search takes more than twice as many.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <carom/carom.h>

enum { PUCK, BUMPERS = 1, COINS = 4, BODIES = 12, GAMES = 32, TICKS = 80 };

#define KICK 0.8 /* speed of a puck that leaves a bumper */

/* Every call of the library returns a status. */
static void check(carom_status status)
{
    if (status != CAROM_OK) {
        fprintf(stderr, "scene_game: %s\n", carom_status_string(status));
        exit(2);
    }
}

/* ---- rules: worlds are f32 here, so use the ranges' f32 rows ---- */

static float distance(const carom_scene_range *r, size_t l, size_t coin)
{
    const float dx = r->x32[l] - r->x32[coin * r->stride + l], dy = r->y32[l] - r->y32[coin * r->stride + l];
    return sqrtf(dx * dx + dy * dy);
}

static void take_coins(void *user, const carom_scene_range *r)
{
    (void)user;
    for (size_t l = 0; l < r->count; l++) {
        for (size_t coin = COINS; coin < BODIES; coin++) {
            if (distance(r, l, coin) < 0.5f) {
                r->active[coin * r->stride + l] = 0;
            }
        }
    }
}

/* The puck bounces off the field's sides with half its speed. */
static void bump(void *user, size_t count, carom_impact *impacts)
{
    (void)user;
    for (size_t k = 0; k < count; k++) {
        carom_impact *i = &impacts[k];
        const double approach = -(i->vx1 * i->nx + i->vy1 * i->ny);
        const double change = approach + (i->kind == CAROM_IMPACT_BODY ? KICK : 0.5 * approach);
        i->vx1 += change * i->nx;
        i->vy1 += change * i->ny;
    }
}

/* Ten for a coin, minus the distance to the next one. */
static void worth(void *user, const carom_scene_range *r)
{
    (void)user;
    for (size_t l = 0; l < r->count; l++) {
        float nearest = 20;
        int left = 0;
        for (size_t coin = COINS; coin < BODIES; coin++) {
            if (r->active[coin * r->stride + l] != 0) {
                nearest = fminf(nearest, distance(r, l, coin));
                left++;
            }
        }
        r->value[l] = -10.0 * left - (left > 0 ? (double)nearest : 0);
    }
}

/* ---- the field ---- */

static carom_scene *make_field(void)
{
    carom_scene_body bodies[BODIES];
    carom_scene_desc desc = carom_scene_desc_default();
    for (int i = 0; i < BODIES; i++) {
        bodies[i] = carom_scene_body_default();
        bodies[i].radius = i < COINS ? 0.5 : 0.1;
        bodies[i].mask = i < COINS ? UINT32_MAX : 0; /* nothing collides with a coin */
        bodies[i].x = i < COINS ? 4.0 * i : 1 + 2 * (i - COINS);
        bodies[i].y = i < COINS ? 4.5 : 4.5 + 3 * cos(2.0 * i);
    }
    for (int i = BUMPERS; i < COINS; i++) {
        bodies[i].mass = INFINITY;
    }
    bodies[PUCK] = carom_scene_body_default();
    bodies[PUCK].radius = 0.4;
    bodies[PUCK].x = 1;
    bodies[PUCK].y = 2;
    bodies[PUCK].damping = 0.1;
    bodies[PUCK].acts = true;
    desc.bodies = bodies;
    desc.body_count = BODIES;
    desc.box = (carom_scene_box){
        .x1 = 16, .y1 = 9, .horizontal = CAROM_SIDES_SOLID, .vertical = CAROM_SIDES_SOLID, .restitution = 1};
    desc.action_scale = 0.2;
    desc.tick_hook = take_coins;
    desc.response_hook = bump;
    desc.final_value = (carom_scene_measure){CAROM_MEASURE_USER, 0, 0, 0, worth};
    carom_scene *scene;
    carom_problem problem;
    if (carom_scene_create(&desc, &scene, &problem) != CAROM_OK) {
        fprintf(stderr, "scene_game: %s\n", problem.text);
        exit(2);
    }
    return scene;
}

static int coins_taken(const carom_worlds *worlds)
{
    static int8_t active[GAMES][BODIES];
    size_t index;
    int taken = 0;
    check(carom_worlds_find_field(worlds, "active", &index));
    check(carom_worlds_get(worlds, index, 0, GAMES, active));
    for (int game = 0; game < GAMES; game++) {
        for (int coin = COINS; coin < BODIES; coin++) {
            taken += active[game][coin] == 0;
        }
    }
    return taken;
}

/* Coins taken in all games, with random pushes or with the first push of the best of many random futures. */
static int play(const carom_game *game, bool search)
{
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_rollout_desc rollout = carom_rollout_desc_default(game);
    carom_step step = carom_step_default();
    carom_worlds *worlds;
    float pushes[GAMES][2];
    desc.count = GAMES;
    desc.precision = CAROM_F32;
    check(carom_worlds_create(&desc, &worlds));
    rollout.sequences = 64;
    rollout.horizon = 10;
    step.actions = pushes;
    for (int tick = 0; tick < TICKS; tick++) {
        rollout.seed = (uint64_t)tick;
        check(search ? carom_rollout_best(worlds, &rollout, 0, pushes, NULL, NULL)
                     : carom_worlds_policy(worlds, 1, 0, pushes));
        check(carom_worlds_play(worlds, &step));
    }
    const int taken = coins_taken(worlds);
    carom_worlds_destroy(worlds);
    return taken;
}

int main(void)
{
    carom_scene *scene = make_field();
    const int found = play(carom_scene_game(scene), true), stumbled_on = play(carom_scene_game(scene), false);
    printf("%d games of %d ticks, %d coins each: %.2f taken by search, %.2f by random pushes\n", GAMES, TICKS,
           BODIES - COINS, found / (double)GAMES, stumbled_on / (double)GAMES);
    carom_scene_destroy(scene);
    return found > 2 * stumbled_on ? 0 : 1;
}
