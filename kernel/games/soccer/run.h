/* SPDX-License-Identifier: MIT
 * What the passes of a tick share: the rules in the precision of the worlds, and worlds in motion as rows of reals.
 */
#ifndef CAROM_GAMES_SOCCER_RUN_H
#define CAROM_GAMES_SOCCER_RUN_H

#include "games/soccer/soccer.h"
#include "simd/elementary.h"
#include "simd/lanes.h"

#if CAROM_REAL_BITS == 64
typedef soccer_tile_f64 soccer_tile;
#else
typedef soccer_tile_f32 soccer_tile;
#endif

/* Rows of a world in motion: x, y, vx, vy of body i are 4 i .. 4 i + 3. Behind those of all bodies of the batch come
 * the holders of the balls, the starting points in time of the bodies, the number of impacts so far, and the impact
 * that comes next: its time, and its code, which is 0 if none is known. */
enum { X, Y, VX, VY };
#define ROW(i, what) (4 * (i) + (what))
#define HOLDER(run, k) (4 * (run)->bodies + (k))
#define BEGIN(run, i) (4 * (run)->bodies + (run)->balls + (i))
#define COUNT(run) (5 * (run)->bodies + (run)->balls)
#define TIME(run) (COUNT(run) + 1)
#define CODE(run) (COUNT(run) + 2)

/* Worlds that are played together: their rows stay in a core's first caches. */
#define SOCCER_CHUNK_TILES 8
#define ROUNDS_WORLDS (SOCCER_CHUNK_TILES * CAROM_TILE)
#define ROUNDS_ROWS (5 * SOCCER_BODIES + SOCCER_BALLS + 3)
#define ROUNDS_BACK (size_t)(4 * context->bodies + context->balls)
#define ROUNDS_USED (5 * context->bodies + context->balls + 3)
#define ROUNDS_LIMIT CAROM_SOCCER_EVENTS
struct soccer_run;
typedef struct soccer_run rounds_context;

/* The rules, as reals. */
typedef struct soccer_rules {
    real dt, rate;
    real half_length, half_width, half_mouth;
    real radius[2], mass[2]; /* of a robot, of a ball */
    real robot_restitution, ball_restitution, wall_restitution;
    real drop; /* of a ball's speed in a tick */
    real max_speed, most_change, max_spin, most_spin_change;
    real kick_speed, front, reach;
    real most_pull; /* change of a dribbled ball's velocity in a tick */
} soccer_rules;

struct soccer_run {
    game_tick *tick;
    soccer_tile *tiles; /* of the chunk */
    struct soccer_scratch *scratch;
    const soccer_context *context;
    size_t first; /* world of the run */
    int team, robots, balls, bodies;
    bool continuous, record;
    soccer_rules rules;
};

#include "step/advance_rounds.h"

#define GROUPS (CAROM_TILE / LANES)
#define SOCCER_GROUPS (SOCCER_CHUNK_TILES * GROUPS)

typedef struct soccer_scratch {
    rounds motion;
    /* What the tick leaves of the rest of the state; a world's numbers stand in its column. */
    alignas(64) real angle[SOCCER_ROBOTS][ROUNDS_ROOM];
    alignas(64) real spin[SOCCER_ROBOTS][ROUNDS_ROOM];
    alignas(64) real hold_x[SOCCER_BALLS][ROUNDS_ROOM];
    alignas(64) real hold_y[SOCCER_BALLS][ROUNDS_ROOM];
    /* Commands of the group at hand: the speed of a kick, and the dribbler. Not above 0: none. */
    alignas(64) real kick[SOCCER_ROBOTS][LANES];
    alignas(64) real dribble[SOCCER_ROBOTS][LANES];
    uint16_t kicks[SOCCER_GROUPS][SOCCER_BALLS]; /* lanes in which the ball is kicked, */
    int8_t kicker[SOCCER_BALLS][ROUNDS_ROOM];    /* and by whom */
    uint16_t active[SOCCER_GROUPS];              /* lanes, as bits */
    uint16_t scored[SOCCER_GROUPS];              /* lanes with a ball behind a goal line */
    bool overrun[ROUNDS_ROOM];                   /* too many impacts */
    bool any_overrun;
    uint32_t recorded[ROUNDS_ROOM]; /* impacts */
} soccer_scratch;

static_assert(sizeof(soccer_scratch) <= SOCCER_SCRATCH_BYTES, "SOCCER_SCRATCH_BYTES is too small");

/* `statement` with l = every lane of `bits`. */
#define SOCCER_EACH_LANE(bits, statement)                                                                              \
    for (unsigned left_ = (bits); left_ != 0; left_ &= left_ - 1) {                                                    \
        const unsigned l = (unsigned)__builtin_ctz(left_);                                                             \
        statement;                                                                                                     \
    }

CAROM_LANE vreal soccer_row(real (*rows)[ROUNDS_ROOM], int row)
{
    return v_loadu(rows[row]);
}

static void soccer_set_rules(struct soccer_run *run, const soccer_context *context)
{
    const carom_soccer_options *o = &context->options;
    soccer_rules *r = &run->rules;
    run->context = context;
    run->team = context->team;
    run->robots = context->robots;
    run->bodies = context->bodies;
    run->balls = context->bodies - context->robots;
    run->continuous = o->continuous != 0;
    r->dt = (real)context->dt;
    r->rate = (real)o->rate;
    r->half_length = (real)(o->length / 2);
    r->half_width = (real)(o->width / 2);
    r->half_mouth = (real)(o->mouth / 2);
    r->radius[0] = (real)o->robot_radius;
    r->radius[1] = (real)o->ball_radius;
    r->mass[0] = (real)o->robot_mass;
    r->mass[1] = (real)o->ball_mass;
    r->robot_restitution = (real)o->robot_restitution;
    r->ball_restitution = (real)o->ball_restitution;
    r->wall_restitution = (real)o->wall_restitution;
    r->drop = (real)(o->friction * context->dt);
    r->max_speed = (real)o->max_speed;
    r->most_change = (real)(o->max_acceleration * context->dt);
    r->max_spin = (real)o->max_spin;
    r->most_spin_change = (real)(o->max_spin_acceleration * context->dt);
    r->kick_speed = (real)o->kick_speed;
    r->front = (real)context->front;
    r->reach = (real)(o->robot_radius + o->ball_radius + o->reach);
    r->most_pull = (real)(o->stickiness * context->dt / o->ball_mass);
}

#endif
