/* SPDX-License-Identifier: MIT
 * The options of soccer: their table, the leagues' values, checks, and the context of a batch.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include <math.h>
#include <stdlib.h>

#include "base/fpenv.h"
#include "base/hash.h"
#include "base/problem.h"
#include "games/soccer/soccer.h"
#include "simd/elementary.h"

static const char *const leagues[] = {"division_b", "division_a", "original"};

#define ROW(member, kind, ...) OPTION(carom_soccer_options, member, kind, __VA_ARGS__)
static const carom_option table[] = {
    {.name = "league",
     .meaning = "the small-size league's divisions or the original, CRISS: values of other options",
     .type = CAROM_OPTION_PRESET,
     .high = 2,
     .choices = leagues},
    {ROW(robots, COUNT, 6, 1, SOCCER_TEAM, "robots of a side")},
    {ROW(balls, COUNT, 1, 1, SOCCER_BALLS, "balls")},
    {ROW(goals, COUNT, 10, 1, 10000, "goals to win")},
    {ROW(ticks, COUNT, 18000, 1, 1 << 30, "ticks after which a game is cut off")},
    {ROW(continuous, FLAG, 0, 0, 1, "test robots like balls: none passes through another in a tick")},
    {ROW(rate, NUMBER, 60, 1, 10000, "ticks a second")},
    {ROW(length, NUMBER, 9, 1, 100, "of the field, m")},
    {ROW(width, NUMBER, 6, 1, 100, "of the field, m")},
    {ROW(mouth, NUMBER, 1, 0, 100, "width of a goal, m; below the field's width"), .below = true},
    {ROW(robot_radius, NUMBER, 0.09, 0.001, 5, "m; at most a 20th of length and width")},
    {ROW(robot_mass, NUMBER, 2.2, 0.001, 1000, "kg")},
    {ROW(ball_radius, NUMBER, 0.0215, 0.001, 5, "m; at most that of a robot")},
    {ROW(ball_mass, NUMBER, 0.046, 0.001, 1000, "kg")},
    {ROW(robot_restitution, NUMBER, 0.5, 0, 1, "of two robots")},
    {ROW(ball_restitution, NUMBER, 0.83, 0, 1, "of a ball and any circle")},
    {ROW(wall_restitution, NUMBER, 0.8, 0, 1, "of any circle and a wall")},
    {ROW(friction, NUMBER, 0.49, 0, 1000, "deceleration of a ball, m/s^2")},
    {ROW(max_speed, NUMBER, 3.5, 0.001, 1000, "of robots, m/s")},
    {ROW(max_acceleration, NUMBER, 3, 0, 1e6, "of robots, m/s^2")},
    {ROW(max_spin, NUMBER, 10, 0.001, 30000, "of robots, rad/s; at most three times the rate")},
    {ROW(max_spin_acceleration, NUMBER, 50, 0, 1e6, "of robots, rad/s^2")},
    {ROW(kick_speed, NUMBER, 6.5, 0.001, 1000, "greatest speed of a kick, m/s")},
    {ROW(kick_reset, NUMBER, 0.1, 0, 100, "time between a robot's kicks, s")},
    {ROW(arc, NUMBER, 30, 0, 180, "half the angle of a robot's front, degrees")},
    {ROW(reach, NUMBER, 0.005, 0, 1, "distance within which a robot can act on a ball, m")},
    {ROW(stickiness, NUMBER, 100, 0, 1e9, "greatest force of a dribbler, N")},
};

/* The preset of a league: the defaults, which are division B's, and the differences. */
static void play_in(void *any, unsigned league)
{
    carom_soccer_options *o = (carom_soccer_options *)any;
    const bool original = league == CAROM_SOCCER_ORIGINAL, large = league == CAROM_SOCCER_DIVISION_A;
    (void)carom_game_options_default(&carom_game_soccer, o);
    if (large) {
        o->robots = 11;
        o->length = 12;
        o->width = 9;
        o->mouth = 1.8;
    } else if (original) {
        o->robots = 5;
        o->length = 4;
        o->width = 2;
        o->mouth = 0.6;
        o->ball_mass = 0.0483;
        o->friction = 2.943;
        o->max_speed = 2;
        o->kick_speed = 5;
        o->arc = 90;
    }
}

carom_soccer_options carom_soccer_options_of(carom_soccer_league league)
{
    carom_soccer_options options;
    play_in(&options, league);
    return options;
}

carom_soccer_options carom_soccer_options_default(void)
{
    return carom_soccer_options_of(CAROM_SOCCER_DIVISION_B);
}

/* Bounds that depend on other options. */
static carom_status check(const carom_worlds_desc *desc, carom_problem *problem)
{
    const carom_soccer_options *o = (const carom_soccer_options *)desc->options;
    const struct {
        const char *name, *most;
        double value, high;
    } bounds[] = {{"mouth", "below width", o->mouth, nextafter(o->width, 0)},
                  {"robot_radius", "at most length / 20", o->robot_radius, o->length / 20},
                  {"robot_radius", "at most width / 20", o->robot_radius, o->width / 20},
                  {"ball_radius", "at most robot_radius", o->ball_radius, o->robot_radius},
                  {"max_spin", "at most 3 * rate", o->max_spin, 3 * o->rate}};

    for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
        if (bounds[k].value > bounds[k].high) {
            return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "%s: %.10g is not %s", bounds[k].name, bounds[k].value,
                               bounds[k].most);
        }
    }
    return CAROM_OK;
}

const game_options carom_soccer_table = {sizeof(carom_soccer_options), table, sizeof table / sizeof table[0],
                                         CAROM_ERROR_ARGUMENT,         check, play_in};

size_t carom_soccer_context_bytes(const carom_worlds_desc *desc)
{
    carom_soccer_options options;
    return carom_options_read(desc, &options) == CAROM_OK ? sizeof(soccer_context) : 0;
}

/* Creates a batch's options and the constants of the rules. */
carom_status carom_soccer_context_create(const carom_worlds_desc *desc, void **result)
{
    carom_soccer_options options;
    const carom_soccer_options *o = &options;
    const carom_status status = carom_options_read(desc, &options);
    if (status != CAROM_OK) {
        return status;
    }
    soccer_context *context = (soccer_context *)calloc(1, sizeof *context);
    if (context == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    /* Constants must not depend on the caller's rounding mode. */
    const fp_environment caller = fp_begin();
    double sine, front;
    const double dt = 1 / o->rate, wait = o->kick_reset * o->rate;
    v_sincos(o->arc / 180 * V_PI, &sine, &front);
    context->options = options;
#define RULE_F32(name, value) context->f32.name = (float)(value);
#define RULE_F64(name, value) context->f64.name = value;
    SOCCER_RULES(RULE_F32)
    SOCCER_RULES(RULE_F64)

    context->team = (int)o->robots;
    context->robots = 2 * (int)o->robots;
    context->balls = (int)o->balls;
    context->bodies = context->robots + context->balls;

    /* Rounded up, at least 1. */
    context->reset = (int32_t)wait + ((double)(int32_t)wait < wait);
    context->reset = context->reset < 1 ? 1 : context->reset;

    /* Candidates for an impact, in the order of the tie rule: lowest body, then lowest other body, then the walls. */
    for (int i = 0; i < context->bodies; i++) {
        for (int j = i + 1; j <= context->bodies; j++) {
            context->first[context->candidates] = (uint8_t)i;
            context->second[context->candidates++] = (uint8_t)(j < context->bodies ? j : SOCCER_WALL);
        }
    }

    fp_end(caller);
    *result = context;
    return CAROM_OK;
}

void carom_soccer_context_destroy(void *any)
{
    free(any);
}

/* Hashes the options one by one, because structures may have padding. The league is omitted: it only sets others. */
uint64_t carom_soccer_context_hash(const void *any)
{
    const carom_soccer_options *o = &((const soccer_context *)any)->options;
    double numbers[sizeof table / sizeof table[0] - 1];
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        numbers[k] = carom_option_get(&table[k + 1], o);
    }
    return hash_array(0, numbers, sizeof numbers / sizeof numbers[0], sizeof numbers[0]);
}
