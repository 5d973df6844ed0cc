/* SPDX-License-Identifier: MIT
 * The options of soccer: the leagues' values, checks, and what a batch keeps of them.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/hash.h"
#include "games/soccer/soccer.h"
#include "simd/elementary.h"

carom_soccer_options carom_soccer_options_of(carom_soccer_league league)
{
    const bool original = league == CAROM_SOCCER_ORIGINAL, large = league == CAROM_SOCCER_DIVISION_A;
    carom_soccer_options o;
    memset(&o, 0, sizeof o);
    o.size = sizeof o;
    o.robots = original ? 5 : large ? 11 : 6;
    o.balls = 1;
    o.goals = 10;
    o.ticks = 18000;
    o.rate = 60;
    o.length = original ? 4 : large ? 12 : 9;
    o.width = original ? 2 : large ? 9 : 6;
    o.mouth = original ? 0.6 : large ? 1.8 : 1;
    o.robot_radius = 0.09;
    o.robot_mass = 2.2;
    o.ball_radius = 0.0215;
    o.ball_mass = original ? 0.0483 : 0.046;
    o.robot_restitution = 0.5;
    o.ball_restitution = 0.83;
    o.wall_restitution = 0.8;
    o.friction = original ? 2.943 : 0.49;
    o.max_speed = original ? 2 : 3.5;
    o.max_acceleration = 3;
    o.max_spin = 10;
    o.max_spin_acceleration = 50;
    o.kick_speed = original ? 5 : 6.5;
    o.kick_reset = 0.1;
    o.arc = original ? 90 : 30;
    o.reach = 0.005;
    o.stickiness = 100;
    return o;
}

carom_soccer_options carom_soccer_options_default(void)
{
    return carom_soccer_options_of(CAROM_SOCCER_DIVISION_B);
}

static bool is_within(double low, double value, double high)
{
    return low <= value && value <= high; /* false for NaN */
}

static bool is_share(double value)
{
    return is_within(0, value, 1);
}

static bool is_allowed(const carom_soccer_options *o)
{
    return is_within(1, o->robots, SOCCER_TEAM) && is_within(1, o->balls, SOCCER_BALLS) &&
           is_within(1, o->goals, 10000) && is_within(1, o->ticks, 1 << 30) && o->continuous <= 1 &&
           is_within(1, o->rate, 10000) && is_within(1, o->length, 100) && is_within(1, o->width, 100) &&
           is_within(0, o->mouth, o->width) && o->mouth < o->width &&
           is_within(0.001, o->robot_radius, (o->length < o->width ? o->length : o->width) / 20) &&
           is_within(0.001, o->ball_radius, o->robot_radius) && is_within(0.001, o->robot_mass, 1000) &&
           is_within(0.001, o->ball_mass, 1000) && is_share(o->robot_restitution) && is_share(o->ball_restitution) &&
           is_share(o->wall_restitution) && is_within(0, o->friction, 1000) && is_within(0.001, o->max_speed, 1000) &&
           is_within(0, o->max_acceleration, 1e6) && is_within(0.001, o->max_spin, 3 * o->rate) &&
           is_within(0, o->max_spin_acceleration, 1e6) && is_within(0.001, o->kick_speed, 1000) &&
           is_within(0, o->kick_reset, 100) && is_within(0, o->arc, 180) && is_within(0, o->reach, 1) &&
           is_within(0, o->stickiness, 1e9);
}

static bool read_options(const carom_worlds_desc *desc, carom_soccer_options *options)
{
    *options = carom_soccer_options_default();
    if (desc->options != NULL) { /* of another size: only that is known of it */
        size_t size;
        memcpy(&size, desc->options, sizeof size);
        if (size != sizeof *options) {
            return false;
        }
        memcpy(options, desc->options, sizeof *options);
    }
    return is_allowed(options);
}

size_t carom_soccer_context_bytes(const carom_worlds_desc *desc)
{
    carom_soccer_options options;
    return read_options(desc, &options) ? sizeof(soccer_context) : 0;
}

carom_status carom_soccer_context_create(const carom_worlds_desc *desc, void **result)
{
    carom_soccer_options options;
    const carom_soccer_options *o = &options;
    if (!read_options(desc, &options)) {
        return CAROM_ERROR_ARGUMENT;
    }
    soccer_context *context = (soccer_context *)calloc(1, sizeof *context);
    if (context == NULL) {
        return CAROM_ERROR_MEMORY;
    }
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
    context->reset = (int32_t)wait + ((double)(int32_t)wait < wait);
    context->reset = context->reset < 1 ? 1 : context->reset;
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

/* Number by number, for structures may have gaps. */
uint64_t carom_soccer_context_hash(const void *any)
{
    const carom_soccer_options *o = &((const soccer_context *)any)->options;
    const double numbers[] = {o->robots,
                              o->balls,
                              o->goals,
                              o->ticks,
                              o->continuous,
                              o->rate,
                              o->length,
                              o->width,
                              o->mouth,
                              o->robot_radius,
                              o->robot_mass,
                              o->ball_radius,
                              o->ball_mass,
                              o->robot_restitution,
                              o->ball_restitution,
                              o->wall_restitution,
                              o->friction,
                              o->max_speed,
                              o->max_acceleration,
                              o->max_spin,
                              o->max_spin_acceleration,
                              o->kick_speed,
                              o->kick_reset,
                              o->arc,
                              o->reach,
                              o->stickiness};
    return hash_bytes(0, numbers, sizeof numbers);
}
