/* SPDX-License-Identifier: MIT
 * The rules of soccer for one instruction set and precision. After the definition of a world during a tick come the
 * steps of a game in the order of RULES.md, each under a line that names the section: start, commands, kick and
 * dribble, the earliest impact, one impact, the end of the tick, goals, the end of a game. Over 800 lines with its
 * comments: it is the whole game, from top to bottom.
 */
#ifndef CAROM_GAMES_SOCCER_RULES_H
#define CAROM_GAMES_SOCCER_RULES_H

#include "base/random.h"
#include "games/soccer/soccer.h"
#include "simd/elementary.h"

/* ---- a world during a tick ---- */

#define RULES_FIELDS SOCCER_FIELDS
#define RULES_PLAYERS 2
#define RULES_BODIES SOCCER_BODIES
#define RULES_OBSERVATION CAROM_SOCCER_OBSERVATION
#define RULES_KINDS 2
#define RULES_MIXED
#define RULES_AGENTS SOCCER_TEAM
#define RULES_EGO CAROM_SOCCER_EGO
#define RULES_LIDAR_RAYS CAROM_SOCCER_LIDAR_RAYS
#define RULES_LIDAR_THINGS SOCCER_LIDAR_THINGS
#define RULES_LIDAR_OWN CAROM_SOCCER_EGO_OWN
#define RULES_SCORED
#define RULES_DRAWN (SOCCER_TEAM * SOCCER_NUMBERS)
typedef soccer_context rules_context;

#include "tick/run.h"

static_assert(RULES_KINDS == SOCCER_KINDS, "every kind of action");

/* Rows of a world in motion. Positions are extrapolated to the end of the tick. After the bodies come the holder of
 * each ball (-1: none), the time of each body's last impact (-dt at first), the number of impacts so far, and the next
 * impact: its time, and its code, which is 0 if there is none. Times count back from the end of the tick. */
#define HOLDER(context, k) (4 * (context)->bodies + (k))
#define BEGIN(context, i) (4 * (context)->bodies + (context)->balls + (i))
#define COUNT(context) (5 * (context)->bodies + (context)->balls)
#define TIME(context) (COUNT(context) + 1)
#define CODE(context) (COUNT(context) + 2)

#define ROUNDS_ROWS (5 * SOCCER_BODIES + SOCCER_BALLS + 3)
#define ROUNDS_BACK (size_t)BEGIN(run->context, 0) /* bodies and holders are the motion's result */
#define ROUNDS_BODIES run->context->bodies
#define ROUNDS_USED (CODE(run->context) + 1)
#define ROUNDS_LIMIT CAROM_SOCCER_EVENTS
#define ROUNDS_FAR SOCCER_RANGE
#define ROUNDS_FAST SOCCER_FAST
#include "tick/rounds.h"

/* One register group of worlds during a tick. */
typedef struct soccer_turn {
    vreal angle[SOCCER_ROBOTS], spin[SOCCER_ROBOTS];  /* at the end of the tick */
    vreal hold_x[SOCCER_BALLS], hold_y[SOCCER_BALLS]; /* position in its holder's frame, m; 0 if free */
    uint16_t kicks[SOCCER_BALLS];                     /* lanes in which the ball was kicked */
    int8_t kicker[SOCCER_BALLS][LANES];               /* the robot that kicked it, in those lanes */
    vreal way[SOCCER_BALLS]; /* change of the ball's x in the tick; set only if rewards are wanted */
    vreal gained;            /* goals of player 0 minus goals of player 1 in this tick */
} soccer_turn;

struct rules_scratch {
    rounds motion;
    soccer_turn turns[RUN_GROUPS];
    /* Commands of the current group: a kick's speed in m/s, and the dribbler. 0 or less means off. */
    vreal kick[SOCCER_ROBOTS], dribble[SOCCER_ROBOTS];
};

CAROM_LANE soccer_turn *soccer_turn_of(const tick_run *run, unsigned home)
{
    return &run->own->turns[home / LANES];
}

/* The rules' constants in the worlds' precision. */
#if CAROM_REAL_BITS == 64
typedef soccer_rules_f64 soccer_rules;
#else
typedef soccer_rules_f32 soccer_rules;
#endif

CAROM_LANE const soccer_rules *soccer_rules_of(const soccer_context *context)
{
#if CAROM_REAL_BITS == 64
    return &context->f64;
#else
    return &context->f32;
#endif
}

CAROM_LANE real soccer_radius(const soccer_context *context, int body)
{
    const soccer_rules *r = soccer_rules_of(context);
    return body < context->robots ? r->robot_radius : r->ball_radius;
}

/* ---- the start, and valid states (section 4: the kick-off) ---- */

/* Positions of player 0's robots at a kick-off, as shares of half the field's length and width. Robot 0 is the keeper;
 * a team of one has only the second robot. */
static const double soccer_places[SOCCER_TEAM][2] = {
    {-0.9, 0}, {-0.2, 0},  {-0.55, 0.4}, {-0.55, -0.4}, {-0.25, 0.55}, {-0.25, -0.55},
    {-0.7, 0}, {-0.45, 0}, {-0.75, 0.6}, {-0.75, -0.6}, {-0.35, 0.25},
};
static const double soccer_ball_places[SOCCER_BALLS] = {0, 0.4, -0.4, 0.8};

/* A random number in [-1, 1). */
static double soccer_draw(random_stream *stream)
{
    return random_number(random_word(stream));
}

/* Puts everything in its starting position, at rest. Robots are shifted randomly, depending on the number of goals, so
 * that the kick-offs of a game differ. */
static void soccer_kick_off(const soccer_context *context, uint64_t seed, tick_world w)
{
    const carom_soccer_options *o = &context->options;
    const uint32_t goals = (uint32_t)(*at_score(w, 0) + *at_score(w, 1));
    random_stream stream = random_begin(seed, world_id(w), SOCCER_DRAW_KICKOFF, world_episode(w) << 12 ^ goals);
    const double length = o->length / 2, width = o->width / 2, off = o->width * SOCCER_SPREAD;

    /* Player 1's positions are player 0's rotated by 180 degrees. Balls are on the middle line. */
    for (int i = 0; i < context->bodies; i++) {
        const int player = i >= context->team, place = i - player * context->team;
        double x = 0, y = 0;
        if (i < context->robots) {
            const double *at = soccer_places[context->team == 1 ? 1 : place];
            const double dx = off * soccer_draw(&stream), dy = off * soccer_draw(&stream);
            x = (player == 0 ? 1 : -1) * (at[0] * length) + dx;
            y = (player == 0 ? 1 : -1) * (at[1] * width) + dy;
            *at_angle(w, i) = player == 0 ? 0 : V_PI;
            *at_spin(w, i) = 0;
        } else {
            const int k = i - context->robots;
            y = soccer_ball_places[k] * width;
            *at_holder(w, k) = -1;
            *at_hold_x(w, k) = *at_hold_y(w, k) = 0;
        }
        *at_x(w, i) = (real)x;
        *at_y(w, i) = (real)y;
        *at_vx(w, i) = *at_vy(w, i) = 0;
    }
}

/* A new game. Sets all fields in full, because those that the batch does not use must be 0, or -1. */
static void rules_start(const soccer_context *context, uint64_t seed, tick_world w)
{
    for (int i = 0; i < SOCCER_BODIES; i++) {
        *at_x(w, i) = *at_y(w, i) = *at_vx(w, i) = *at_vy(w, i) = 0;
    }
    for (int i = 0; i < SOCCER_ROBOTS; i++) {
        *at_angle(w, i) = *at_spin(w, i) = 0;
        *at_ready(w, i) = 0;
    }
    for (int k = 0; k < SOCCER_BALLS; k++) {
        *at_hold_x(w, k) = *at_hold_y(w, k) = 0;
        *at_holder(w, k) = -1;
    }
    *at_score(w, 0) = *at_score(w, 1) = 0;
    *at_winner(w, 0) = -1;
    soccer_kick_off(context, seed, w);
}

static bool soccer_within(real value, double range)
{
    return (double)value >= -range && (double)value <= range; /* false for NaN */
}

/* Is this state valid? Fields that the batch does not use must be 0, or -1. */
static bool rules_check(const soccer_context *context, tick_world w)
{
    bool good = *at_winner(w, 0) >= -1 && *at_winner(w, 0) <= 1 && *at_score(w, 0) >= 0 && *at_score(w, 1) >= 0;

    /* Positions and velocities. Bodies that the batch does not have must be at 0. */
    for (int i = 0; i < SOCCER_BODIES && good; i++) {
        const double far = i < context->bodies ? SOCCER_RANGE : 0, fast = i < context->bodies ? SOCCER_FAST : 0;
        good = soccer_within(*at_x(w, i), far) && soccer_within(*at_y(w, i), far) &&
               soccer_within(*at_vx(w, i), fast) && soccer_within(*at_vy(w, i), fast);
    }

    /* Fields of robots only, then fields of balls only. */
    for (int i = 0; i < SOCCER_ROBOTS && good; i++) {
        const bool there = i < context->robots;
        const double spin = (double)soccer_rules_of(context)->max_spin;
        good = soccer_within(*at_angle(w, i), there ? SOCCER_TURN : 0) &&
               soccer_within(*at_spin(w, i), there ? spin : 0) && *at_ready(w, i) >= 0 &&
               (there || *at_ready(w, i) == 0);
    }

    for (int k = 0; k < SOCCER_BALLS && good; k++) {
        const bool there = k < context->balls;
        const int holder = *at_holder(w, k);
        good = holder >= -1 && holder < (there ? context->robots : 0) &&
               soccer_within(*at_hold_x(w, k), there ? SOCCER_RANGE : 0) &&
               soccer_within(*at_hold_y(w, k), there ? SOCCER_RANGE : 0);
    }
    return good;
}

static void rules_derive(const soccer_context *context, tick_world w)
{
    (void)context, (void)w; /* no field is derived */
}

/* ---- commands (section 1) ---- */

/* Clamps a to [-limit, limit]; NaN becomes 0. */
CAROM_LANE vreal soccer_clamp(vreal a, real limit)
{
    const vreal number = v_select(v_eq(a, a), a, v_set1(REAL(0.0)));
    return v_max(v_min(number, v_set1(limit)), v_set1(-limit));
}

/* Shortens the vector (x, y) to `limit` in the lanes where it is longer, and returns those lanes. */
CAROM_LANE vmask soccer_shorten(vreal *x, vreal *y, real limit)
{
    const vreal square = *x * *x + *y * *y, most = v_set1(limit);
    const vmask over = v_gt(square, most * most);
    if (m_any(over)) {
        const vreal k = most / v_sqrt(square);
        *x = v_select(over, *x * k, *x);
        *y = v_select(over, *y * k, *y);
    }
    return over;
}

/* Drives robot i by its five numbers, which begin at number `own`: its new velocity goes to the rows, its new spin and
 * angle to the turn. */
CAROM_LANE void soccer_drive(const tick_run *run, unsigned home, tick_world w, rounds_row *rows, int i, uint32_t kind,
                             tick_numbers numbers, unsigned own)
{
    const soccer_rules *r = soccer_rules_of(run->context);
    soccer_turn *t = soccer_turn_of(run, home);
    vreal tx = number_f32(numbers, own), ty = number_f32(numbers, own + 1), turn = number_f32(numbers, own + 2);
    vreal kick = number_f32(numbers, own + 3);

    /* Convert both kinds to m/s in the field's axes and rad/s. Normalised numbers of player 1 are in axes rotated by
     * 180 degrees. */
    if (kind == SOCCER_NORMALISED) {
        const vreal speed = v_set1(i < run->context->team ? r->max_speed : -r->max_speed);
        tx = soccer_clamp(tx, REAL(1.0)) * speed;
        ty = soccer_clamp(ty, REAL(1.0)) * speed;
        turn = soccer_clamp(turn, REAL(1.0)) * v_set1(r->max_spin);
        kick = soccer_clamp(kick, REAL(1.0)) * v_set1(r->kick_speed);
    } else {
        tx = soccer_clamp(tx, r->max_speed);
        ty = soccer_clamp(ty, r->max_speed);
        turn = soccer_clamp(turn, r->max_spin);
        kick = soccer_clamp(kick, r->kick_speed);
    }
    run->own->kick[i] = kick;
    run->own->dribble[i] = number_f32(numbers, own + 4);

    /* Accelerate towards the target velocity. Within reach take it as it is: v + (target - v) would round. */
    const vreal vx = get_vx(w, i), vy = get_vy(w, i);
    (void)soccer_shorten(&tx, &ty, r->max_speed);
    vreal dvx = tx - vx, dvy = ty - vy;
    const vmask over = soccer_shorten(&dvx, &dvy, r->most_change);
    rounds_set(rows, i, X, get_x(w, i));
    rounds_set(rows, i, Y, get_y(w, i));
    rounds_set(rows, i, VX, v_select(over, vx + dvx, tx));
    rounds_set(rows, i, VY, v_select(over, vy + dvy, ty));

    /* Turn towards the target spin. The new spin acts for the whole tick; the angle wraps at most once, as spin is at
     * most three times the rate. */
    const vreal old = get_spin(w, i), most = v_set1(r->most_spin_change);
    const vreal pi = v_set1(V_PI), circle = v_set1(V_TWO_PI);
    const vreal spin = v_min(v_max(turn, old - most), old + most);
    vreal angle = get_angle(w, i) + spin * v_set1(r->dt);
    angle = v_select(v_gt(angle, pi), angle - circle, angle);
    angle = v_select(v_lt(angle, -pi), angle + circle, angle);
    t->spin[i] = spin;
    t->angle[i] = angle;
}

/* ---- kick and dribble (section 2) ---- */

/* The robot that may act on ball k: its holder, otherwise the nearest, among equals the lowest. *held: lanes with a
 * holder; *near: lanes in which the nearest robot is within reach, whatever its arc. */
CAROM_LANE vreal soccer_nearest(const soccer_context *context, tick_world w, int k, vmask *held, vmask *near)
{
    const int b = context->robots + k;
    const vreal bx = get_x(w, b), by = get_y(w, b);
    vreal best = v_set1(REAL_MAX), robot = v_set1(REAL(0.0));
    for (int i = 0; i < context->robots; i++) {
        const vreal dx = bx - get_x(w, i), dy = by - get_y(w, i);
        const vreal square = dx * dx + dy * dy;
        const vmask nearer = v_lt(square, best);
        best = v_select(nearer, square, best);
        robot = v_select(nearer, v_set1((real)i), robot);
    }

    const vreal holder = v_from_int(get_holder(w, k)), reach = v_set1(soccer_rules_of(context)->reach);
    *held = v_ge(holder, v_set1(REAL(0.0)));
    *near = v_le(best, reach * reach);
    return v_select(*held, holder, robot);
}

/* The robot that acts on a ball, which may differ by lane. Units as in carom/soccer.h. */
typedef struct soccer_robot {
    vreal x, y, vx, vy;
    vreal old_angle, angle; /* at the start and at the end of the tick */
    vreal kick, dribble;
} soccer_robot;

/* Collects robot which[lane] by selection over all robots: few processors gather quickly. */
CAROM_LANE soccer_robot soccer_robot_of(const tick_run *run, unsigned home, tick_world w, rounds_row *rows, vreal which)
{
    const soccer_turn *t = soccer_turn_of(run, home);
    soccer_robot r;
    r.x = r.y = r.vx = r.vy = r.old_angle = r.angle = r.kick = r.dribble = v_set1(REAL(0.0));
    for (int i = 0; i < run->context->robots; i++) {
        const vmask m = v_eq(which, v_set1((real)i));
        r.x = v_select(m, rounds_get(rows, i, X), r.x);
        r.y = v_select(m, rounds_get(rows, i, Y), r.y);
        r.vx = v_select(m, rounds_get(rows, i, VX), r.vx);
        r.vy = v_select(m, rounds_get(rows, i, VY), r.vy);
        r.old_angle = v_select(m, get_angle(w, i), r.old_angle);
        r.angle = v_select(m, t->angle[i], r.angle);
        r.kick = v_select(m, run->own->kick[i], r.kick);
        r.dribble = v_select(m, run->own->dribble[i], r.dribble);
    }
    return r;
}

/* The lanes of `wish` whose robot has waited long enough since its last kick and has not kicked a lower ball in this
 * tick. */
static unsigned soccer_may_kick(const soccer_turn *t, tick_world w, int k, unsigned wish, const int32_t *robots)
{
    unsigned may = 0;
    EACH_LANE (l, wish) {
        const tick_world one = world_of(w, l);
        bool ready = *at_ready(one, robots[l]) <= world_tick(one);
        for (int other = 0; other < k; other++) {
            ready = ready && !((t->kicks[other] >> l & 1) != 0 && t->kicker[other][l] == robots[l]);
        }
        may |= (unsigned)ready << l;
    }
    return may;
}

/* Lets robot which[lane] kick or dribble ball k, whose velocity *vx, *vy is replaced. Returns the ball's holder, or
 * -1. */
CAROM_LANE vreal soccer_handle(const tick_run *run, unsigned home, tick_world w, unsigned active, rounds_row *rows,
                               int k, vreal which, vmask held, vreal *vx, vreal *vy)
{
    const soccer_rules *r = soccer_rules_of(run->context);
    soccer_turn *t = soccer_turn_of(run, home);
    const int b = run->context->robots + k;
    const vreal zero = v_set1(REAL(0.0)), x = get_x(w, b), y = get_y(w, b);
    const soccer_robot robot = soccer_robot_of(run, home, w, rows, which);
    const vreal dx = x - robot.x, dy = y - robot.y, reach = v_set1(r->reach);

    /* The robot faces its heading at the start of the tick for reach and kick, and that at the end for dribbling. One
     * call of v_sincos4() computes both. */
    vreal angles[4], sines[4], cosines[4];
    angles[0] = angles[2] = robot.old_angle;
    angles[1] = angles[3] = robot.angle;
    v_sincos4(angles, sines, cosines);

    /* The ball in the robot's frame, and whether the robot touches it: near enough, and within its arc. */
    const vreal c = cosines[0], s = sines[0], square = dx * dx + dy * dy;
    const vreal ahead = dx * c + dy * s, left = dy * c - dx * s;
    const vmask in_arc = v_ge(ahead, v_set1(r->front) * v_sqrt(square));
    const vmask touches = m_and(v_le(square, reach * reach), in_arc);

    /* Kick. Counters and earlier kicks are looked up lane by lane, only if a robot wants to kick. */
    const unsigned wish = active & m_bits(m_and(touches, v_gt(robot.kick, zero)));
    vmask kicked = m_from_bits(0);
    if (wish != 0) {
        alignas(64) int32_t robots[LANES];
        i_store32(robots, v_truncate(which));
        const unsigned kicks = soccer_may_kick(t, w, k, wish, robots);
        t->kicks[k] = (uint16_t)kicks;
        EACH_LANE (l, kicks) {
            t->kicker[k][l] = (int8_t)robots[l];
        }
        kicked = m_from_bits(kicks);
    }

    /* Otherwise dribble. A ball that was held keeps its position in the robot's frame; any other takes its present
     * one. */
    vmask holds = m_andnot(m_and(v_gt(robot.dribble, zero), m_or(held, touches)), kicked);
    const vreal place_x = v_select(held, get_hold_x(w, k), ahead);
    const vreal place_y = v_select(held, get_hold_y(w, k), left);
    if (m_any(holds)) {
        /* The velocity that takes the ball to this position at the end of the tick, after the robot has moved and
         * turned. The robot loses the ball if that needs more force than the dribbler has. */
        const vreal dt = v_set1(r->dt), rate = v_set1(r->rate), most = v_set1(r->most_pull);
        const vreal end_x = robot.x + robot.vx * dt, end_y = robot.y + robot.vy * dt;
        const vreal c2 = cosines[1], s2 = sines[1];
        const vreal to_x = end_x + (place_x * c2 - place_y * s2);
        const vreal to_y = end_y + (place_x * s2 + place_y * c2);
        const vreal wx = (to_x - x) * rate, wy = (to_y - y) * rate;
        const vreal px = wx - *vx, py = wy - *vy;
        holds = m_and(holds, v_le(px * px + py * py, most * most));
        *vx = v_select(holds, wx, *vx);
        *vy = v_select(holds, wy, *vy);
    }

    /* A kick goes in the robot's old heading; a ball that is not held has no position to keep. */
    *vx = v_select(kicked, robot.kick * c, *vx);
    *vy = v_select(kicked, robot.kick * s, *vy);
    t->hold_x[k] = v_select(holds, place_x, zero);
    t->hold_y[k] = v_select(holds, place_y, zero);
    return v_select(holds, which, v_set1(REAL(-1.0)));
}

/* Ball k up to the motion: friction, then the robot that may act on it. Writes the ball's rows. */
CAROM_LANE void soccer_ball(const tick_run *run, unsigned home, tick_world w, unsigned active, rounds_row *rows, int k)
{
    const soccer_context *context = run->context;
    soccer_turn *t = soccer_turn_of(run, home);
    const int b = context->robots + k;
    const vreal zero = v_set1(REAL(0.0)), drop = v_set1(soccer_rules_of(context)->drop);
    vreal vx = get_vx(w, b), vy = get_vy(w, b);

    /* Rolling friction subtracts a fixed speed per tick, at most down to rest. */
    const vreal speed = v_sqrt(vx * vx + vy * vy);
    const vmask rolls = v_gt(speed, drop);
    const vreal keep = (speed - drop) / speed;
    vx = v_select(rolls, vx * keep, zero);
    vy = v_select(rolls, vy * keep, zero);

    /* Most balls are out of every robot's reach: then skip the sines and the selection of a robot. */
    vmask held, near;
    const vreal robot = soccer_nearest(context, w, k, &held, &near);
    t->kicks[k] = 0;
    vreal holder = v_set1(REAL(-1.0));
    if (m_any(m_or(near, held))) {
        holder = soccer_handle(run, home, w, active, rows, k, robot, held, &vx, &vy);
    } else {
        t->hold_x[k] = t->hold_y[k] = zero;
    }

    v_storeu(rows[HOLDER(context, k)], holder);
    rounds_set(rows, b, X, get_x(w, b));
    rounds_set(rows, b, Y, get_y(w, b));
    rounds_set(rows, b, VX, vx);
    rounds_set(rows, b, VY, vy);
}

/* Everything before the first impact. Balls come after robots because they need the robots' new velocities and
 * angles. */
CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind)
{
    const soccer_context *context = run->context;
    rounds_row *rows = rounds_from(run->own->motion.row, home);
    const vreal dt = v_set1(soccer_rules_of(context)->dt);

    /* Actions have room for 11 robots per player, whatever the size of the teams. */
    for (int i = 0; i < context->robots; i++) {
        const int slot = i < context->team ? i : SOCCER_TEAM + i - context->team;
        const unsigned player = i >= context->team;
        soccer_drive(run, home, w, rows, i, run_kind_of(run, kind, player), run_numbers_of(run, numbers, kind, player),
                     (unsigned)slot * SOCCER_NUMBERS);
    }
    for (int k = 0; k < context->balls; k++) {
        soccer_ball(run, home, w, active, rows, k);
    }

    /* Extrapolate everything to the end of the tick. No body has had an impact yet, so each starts at -dt. */
    for (int i = 0; i < context->bodies; i++) {
        rounds_set(rows, i, X, rounds_get(rows, i, X) + rounds_get(rows, i, VX) * dt);
        rounds_set(rows, i, Y, rounds_get(rows, i, Y) + rounds_get(rows, i, VY) * dt);
        v_storeu(rows[BEGIN(context, i)], -dt);
    }
    v_storeu(rows[COUNT(context)], v_set1(REAL(0.0)));
}

/* ---- motion (section 3): the earliest impact ---- */

/* All pairs are tested without a root or a division; then come the times of the pairs found in some lane. The original
 * keeps a list of impacts; each one that is resolved removes those of its two bodies and searches for new ones. Here
 * every round searches all pairs again, which lanes do faster than lists. The result is the same, because an impact
 * depends only on its two bodies' records (position at the end, velocity, time of the last impact). */

/* Squares of the smallest closing speed (m/s) and of the smallest angle (rad) that count as an impact: 1e-6 both in
 * f64, 1e-4 and 2^-10 in f32. */
#if CAROM_REAL_BITS == 64
#define SOCCER_LEAST2 1e-12
#define SOCCER_GLANCE2 1e-12
#else
#define SOCCER_LEAST2 1e-8f
#define SOCCER_GLANCE2 9.5367431640625e-7f /* 2^-20 */
#endif

/* An impact's code: 32 times the first body, plus the second, or plus SOCCER_WALL and the number of the wall. */
#define SOCCER_CODE(i, j) (32 * (i) + (j))
#define SOCCER_CODE_FIRST(code) ((code) / 32)
#define SOCCER_CODE_SECOND(code) ((code) % 32)

/* A set of lanes as bits, in the smallest type that holds it. */
#if LANES <= 8
typedef uint8_t soccer_lanes;
#else
typedef uint16_t soccer_lanes;
#endif

/* For each candidate of the context, in order, the lanes in which it may be an impact. Read a word at a time: most are
 * 0. */
#define SOCCER_PER_WORD (8 / (int)sizeof(soccer_lanes))
typedef union soccer_near {
    soccer_lanes lanes[SOCCER_CANDIDATES + SOCCER_PER_WORD];
    uint64_t words[(SOCCER_CANDIDATES + SOCCER_PER_WORD) / SOCCER_PER_WORD];
} soccer_near;

/* Two bodies at the end of the tick. At time t their distance d satisfies d^2 - R^2 = b t^2 + 2 a t + c, R the sum of
 * radii. */
typedef struct soccer_pair {
    vreal a, b, c, q; /* q: a^2 - b c, a quarter of the discriminant */
    vreal begin;      /* the later of the two bodies' last impacts */
} soccer_pair;

CAROM_LANE soccer_pair soccer_pair_of(const soccer_context *context, rounds_row *rows, int i, int j)
{
    soccer_pair p;
    const real reach = soccer_radius(context, i) + soccer_radius(context, j);
    const vreal dx = rounds_get(rows, i, X) - rounds_get(rows, j, X);
    const vreal dy = rounds_get(rows, i, Y) - rounds_get(rows, j, Y);
    const vreal wx = rounds_get(rows, i, VX) - rounds_get(rows, j, VX);
    const vreal wy = rounds_get(rows, i, VY) - rounds_get(rows, j, VY);
    p.a = wx * dx + wy * dy;
    p.b = wx * wx + wy * wy;
    p.c = dx * dx + dy * dy - v_set1(reach * reach);
    p.q = p.a * p.a - p.b * p.c;
    p.begin = v_max(v_loadu(rows[BEGIN(context, i)]), v_loadu(rows[BEGIN(context, j)]));
    return p;
}

/* The lanes in which a pair hits: the earlier root is not in the future, and at `begin` the bodies approached (u < 0)
 * faster than `least` and at more than the least angle. */
CAROM_LANE vmask soccer_hits(const soccer_context *context, const soccer_pair *p, int i, int j)
{
    const real reach = soccer_radius(context, i) + soccer_radius(context, j);
    const vreal zero = v_set1(REAL(0.0)), u = p->a + p->b * p->begin;
    const vreal least = v_set1(reach * reach) * (v_set1(SOCCER_LEAST2) + v_set1(SOCCER_GLANCE2) * p->b);
    const vmask past = m_or(v_ge(p->a, zero), v_le(p->c, zero));
    return m_and(m_and(past, v_lt(u, zero)), m_and(v_gt(p->q, least), v_gt(u * u, least)));
}

/* Tests a pair over its whole motion since `begin`: pairs with a ball, and in continuous detection all. A ball and the
 * robot that dribbles it do not hit each other. */
CAROM_LANE vmask soccer_survey_swept(const soccer_context *context, rounds_row *rows, vmask there, int i, int j)
{
    const soccer_pair p = soccer_pair_of(context, rows, i, j);
    const vmask hits = m_and(there, soccer_hits(context, &p, i, j));
    if (i < context->robots && j >= context->robots) {
        return m_and(hits, v_ne(v_loadu(rows[HOLDER(context, j - context->robots)]), v_set1((real)i)));
    }
    return hits;
}

/* Finds, for every candidate, the lanes in which it may be an impact. Writes them in the candidates' order: per body,
 * its pairs with higher bodies, then the walls. */
CAROM_LANE void soccer_survey(const soccer_context *context, rounds_row *rows, vmask there, soccer_near *near)
{
    const soccer_rules *r = soccer_rules_of(context);
    const bool continuous = context->options.continuous != 0;
    const real both = r->robot_radius + r->robot_radius;
    const vreal both2 = v_set1(both * both);
    soccer_lanes *lanes = near->lanes;
    for (int i = 0; i < context->bodies; i++) {
        const vreal x = rounds_get(rows, i, X), y = rounds_get(rows, i, Y);
        int j = i + 1;

        /* Two robots hit only if they overlap at the end of the tick, unless detection is continuous. */
        for (; j < context->robots && !continuous; j++) {
            const vreal dx = x - rounds_get(rows, j, X), dy = y - rounds_get(rows, j, Y);
            const vmask overlap = v_lt(dx * dx + dy * dy, both2);
            *lanes++ = (soccer_lanes)m_bits(m_and(there, overlap));
        }

        for (; j < context->bodies; j++) {
            *lanes++ = (soccer_lanes)m_bits(soccer_survey_swept(context, rows, there, i, j));
        }

        /* One test for all four walls: is the body beyond one of them at the end? */
        const real radius = soccer_radius(context, i);
        const vmask outside =
            m_or(v_gt(v_abs(x), v_set1(r->half_length - radius)), v_gt(v_abs(y), v_set1(r->half_width - radius)));
        *lanes++ = (soccer_lanes)m_bits(m_and(there, outside));
    }

    /* Words are read whole: clear what follows the last candidate. */
    for (int k = 0; k < SOCCER_PER_WORD; k++) {
        *lanes++ = 0;
    }
}

/* The earliest impact so far, in every lane. A time above 0 and code 0 mean none. */
typedef struct soccer_first {
    vreal time, code;
} soccer_first;

/* Takes an impact in the lanes of `hits` where it is strictly earlier: among equal times the first candidate wins. */
CAROM_LANE void soccer_take(soccer_first *first, vmask hits, vreal time, vreal code)
{
    hits = m_and(hits, v_lt(time, first->time));
    first->time = v_select(hits, time, first->time);
    first->code = v_select(hits, code, first->code);
}

/* Offers the impact of bodies i and j, in the lanes m. A root before `begin` means that they overlapped then: they hit
 * at once. */
CAROM_LANE void soccer_try_pair(const soccer_context *context, rounds_row *rows, vmask m, int i, int j,
                                soccer_first *first)
{
    const soccer_pair p = soccer_pair_of(context, rows, i, j);
    const vmask hits = m_and(m, soccer_hits(context, &p, i, j));
    if (m_any(hits)) {
        const vreal t = -((p.a + v_sqrt(p.q)) / p.b);
        soccer_take(first, hits, v_max(t, p.begin), v_set1((real)SOCCER_CODE(i, j)));
    }
}

/* Offers the impact of body i with a wall, in the lanes m: with the left or right one if along_x, otherwise with the
 * top or bottom one, whichever is on the body's side of the field. */
CAROM_LANE void soccer_try_wall(const soccer_context *context, rounds_row *rows, vmask m, int i, bool along_x,
                                soccer_first *first)
{
    const soccer_rules *r = soccer_rules_of(context);
    const vreal zero = v_set1(REAL(0.0)), begin = v_loadu(rows[BEGIN(context, i)]);

    /* `at` and v: across the wall; `side` and side_v: along it. Outward is away from the centre of the field. */
    const real end = along_x ? r->half_length : r->half_width, side_end = along_x ? r->half_width : r->half_length;
    const vreal at = rounds_get(rows, i, along_x ? X : Y), v = rounds_get(rows, i, along_x ? VX : VY);
    const vreal side = rounds_get(rows, i, along_x ? Y : X);
    const vreal side_v = rounds_get(rows, i, along_x ? VY : VX);
    const vmask lower = v_lt(at, zero);
    const vreal depth = v_abs(at) - v_set1(end - soccer_radius(context, i)), outward = v_flip(lower, v);
    vmask hits = m_and(m, m_and(v_gt(depth, zero), v_gt(outward, zero)));

    /* The point of contact must lie between the wall's ends, a ball's outside the goal's mouth. For robots take the
     * position at the end of the tick, unless detection is continuous. */
    if (m_any(hits)) {
        const vreal time = v_max(-(depth / outward), begin);
        const bool swept = i >= context->robots || context->options.continuous != 0;
        const vreal touch = v_abs(swept ? side + side_v * time : side);
        hits = m_and(hits, v_lt(touch, v_set1(side_end)));
        if (along_x && i >= context->robots) {
            hits = m_and(hits, v_gt(touch, v_set1(r->half_mouth)));
        }

        /* Walls are numbered right, left, top, bottom. */
        const int code = SOCCER_CODE(i, SOCCER_WALL) + (along_x ? 0 : 2);
        soccer_take(first, hits, time, v_select(lower, v_set1((real)(code + 1)), v_set1((real)code)));
    }
}

/* Finds the earliest impact of every lane of `there` and writes it to the rows. */
CAROM_LANE unsigned rules_next(tick_run *run, unsigned nth, rounds_row *rows, unsigned there, const int32_t *home)
{
    (void)nth, (void)home;
    const soccer_context *context = run->context;
    soccer_near near;
    soccer_first first = {v_set1(REAL(1.0)), v_set1(REAL(0.0))};
    soccer_survey(context, rows, m_from_bits(there), &near);

    /* Compute times only for what the survey has found, in the candidates' order, which is that of the tie rule. */
    for (int word = 0; word * SOCCER_PER_WORD < context->candidates; word++) {
        if (near.words[word] == 0) {
            continue;
        }
        for (int k = word * SOCCER_PER_WORD; k < (word + 1) * SOCCER_PER_WORD; k++) {
            if (near.lanes[k] == 0) {
                continue;
            }
            const vmask m = m_from_bits(near.lanes[k]);
            const int i = context->first[k], j = context->second[k];
            if (j < SOCCER_WALL) {
                soccer_try_pair(context, rows, m, i, j, &first);
            } else {
                soccer_try_wall(context, rows, m, i, true, &first);
                soccer_try_wall(context, rows, m, i, false, &first);
            }
        }
    }

    v_storeu(rows[TIME(context)], first.time);
    v_storeu(rows[CODE(context)], first.code);
    return there & m_bits(v_gt(first.code, v_set1(REAL(0.0))));
}

/* ---- motion (section 3): one impact ---- */

/* One body in every lane, in memory, so that single lanes can be set. */
typedef struct soccer_side {
    alignas(64) real x[LANES];
    alignas(64) real y[LANES];
    alignas(64) real vx[LANES];
    alignas(64) real vy[LANES];
    alignas(64) real mass[LANES];
} soccer_side;

/* The impacts of a register group, one per lane. */
typedef struct soccer_impact {
    int first[LANES], second[LANES]; /* bodies; second is SOCCER_WALL + the wall's number at a wall */
    soccer_side one, other;
    alignas(64) real restitution[LANES];
    unsigned walls, along_y; /* lanes with a wall; those with the top or bottom one, which reverses vy */
} soccer_impact;

/* Harmless numbers for lanes without a body. */
CAROM_LANE void soccer_clear(soccer_side *side)
{
    const vreal zero = v_set1(REAL(0.0));
    v_store(side->x, zero);
    v_store(side->y, zero);
    v_store(side->vx, zero);
    v_store(side->vy, zero);
    v_store(side->mass, v_set1(REAL(1.0)));
}

CAROM_LANE void soccer_get(const soccer_context *context, rounds_row *rows, soccer_side *side, unsigned l, int i)
{
    side->x[l] = rows[ROW(i, X)][l];
    side->y[l] = rows[ROW(i, Y)][l];
    side->vx[l] = rows[ROW(i, VX)][l];
    side->vy[l] = rows[ROW(i, VY)][l];
    side->mass[l] = i < context->robots ? soccer_rules_of(context)->robot_mass : soccer_rules_of(context)->ball_mass;
}

/* Writes a body back to lane l; its last impact is now at `time`. */
CAROM_LANE void soccer_put(const soccer_context *context, rounds_row *rows, const soccer_side *side, unsigned l, int i,
                           real time)
{
    rows[ROW(i, X)][l] = side->x[l];
    rows[ROW(i, Y)][l] = side->y[l];
    rows[ROW(i, VX)][l] = side->vx[l];
    rows[ROW(i, VY)][l] = side->vy[l];
    rows[BEGIN(context, i)][l] = time;
}

/* Decodes the impacts of the lanes `hit` and collects their bodies one by one: an impact touches few numbers of a
 * lane. */
CAROM_LANE void soccer_read_impacts(const soccer_context *context, rounds_row *rows, vreal code, unsigned hit,
                                    soccer_impact *m)
{
    const soccer_rules *r = soccer_rules_of(context);
    alignas(64) real codes[LANES];
    v_store(codes, code);
    m->walls = m->along_y = 0;
    soccer_clear(&m->one);
    soccer_clear(&m->other);
    v_store(m->restitution, v_set1(REAL(1.0)));

    /* The restitution is that of a wall, of a pair with a ball (the second body, as balls come last) or of two
     * robots. */
    EACH_LANE (l, hit) {
        const int i = SOCCER_CODE_FIRST((int)codes[l]), j = SOCCER_CODE_SECOND((int)codes[l]);
        m->first[l] = i;
        m->second[l] = j;
        soccer_get(context, rows, &m->one, l, i);
        if (j >= SOCCER_WALL) {
            m->walls |= 1u << l;
            m->along_y |= (unsigned)(j >= SOCCER_WALL + 2) << l;
            m->restitution[l] = r->wall_restitution;
        } else {
            soccer_get(context, rows, &m->other, l, j);
            m->restitution[l] = j >= context->robots ? r->ball_restitution : r->robot_restitution;
        }
    }
}

/* Newton's impact of two circles at (x1, y1), (x2, y2), with masses m1, m2 and restitution e. With e = 1 every
 * operation is the original's. Where the centres coincide, a case that the original leaves open, the circles separate
 * along the line on which they came. */
CAROM_LANE void soccer_bounce(vreal x1, vreal y1, vreal x2, vreal y2, vreal m1, vreal m2, vreal e, vreal *vx1,
                              vreal *vy1, vreal *vx2, vreal *vy2)
{
    const vreal one = v_set1(REAL(1.0));

    /* The normal. */
    vreal dx = x1 - x2, dy = y1 - y2;
    const vmask apart = v_gt(dx * dx + dy * dy, v_set1(REAL(0.0)));
    dx = v_select(apart, dx, *vx2 - *vx1);
    dy = v_select(apart, dy, *vy2 - *vy1);
    const vreal k = one / v_sqrt(dx * dx + dy * dy);
    dx = dx * k;
    dy = dy * k;

    /* Split the velocities into components along and across it. */
    const vreal dot1 = *vx1 * dx + *vy1 * dy, dot2 = *vx2 * dx + *vy2 * dy;
    const vreal par1x = dot1 * dx, par1y = dot1 * dy, par2x = dot2 * dx, par2y = dot2 * dy;
    const vreal perp1x = *vx1 - par1x, perp1y = *vy1 - par1y;
    const vreal perp2x = *vx2 - par2x, perp2y = *vy2 - par2y;

    /* Exchange momentum along the normal; the component across stays. */
    const vreal c1 = one / (m1 + m2), both = one + e;
    const vreal dm1 = m1 - e * m2, dm2 = e * m1 - m2;
    const vreal twice1 = both * m1, twice2 = both * m2;
    *vx1 = c1 * (dm1 * par1x + twice2 * par2x) + perp1x;
    *vy1 = c1 * (dm1 * par1y + twice2 * par2y) + perp1y;
    *vx2 = c1 * (twice1 * par1x - dm2 * par2x) + perp2x;
    *vy2 = c1 * (twice1 * par1y - dm2 * par2y) + perp2y;
}

/* Notes each lane's body at its impact, with its velocity before it, for contacts. */
CAROM_LANE void soccer_note(soccer_side *side, vreal x, vreal y, vreal vx, vreal vy)
{
    v_store(side->x, x);
    v_store(side->y, y);
    v_store(side->vx, vx);
    v_store(side->vy, vy);
}

/* Writes the contact of lane l, whose impact has just been recorded. m: after it. */
static void soccer_contact(const tick_run *run, const soccer_side before[2], const soccer_impact *m, unsigned l,
                           const carom_event *event, carom_contact *c)
{
    const soccer_rules *r = soccer_rules_of(run->context);
    const soccer_side *a = &before[0], *b = &before[1];
    const int i = m->first[l], wall = m->second[l] - SOCCER_WALL;
    const double radius = (double)(i < run->context->robots ? r->robot_radius : r->ball_radius);

    c->time[0] = c->time[1] = 1 - event->left;
    contact_body(c, 0, (double)a->x[l], (double)a->y[l], (double)a->vx[l], (double)a->vy[l]);
    if (wall >= 0) { /* right, left, top, bottom; y points up */
        contact_touch(c, wall == 0 ? 1 : wall == 1 ? -1 : 0, wall == 2 ? 1 : wall == 3 ? -1 : 0, radius);
    } else {
        contact_body(c, 1, (double)b->x[l], (double)b->y[l], (double)b->vx[l], (double)b->vy[l]);
        contact_meet(c, radius);
        contact_after(c, 1, (double)m->other.vx[l], (double)m->other.vy[l]);
    }
    contact_after(c, 0, (double)m->one.vx[l], (double)m->one.vy[l]);
    contact_push(c, (double)m->one.mass[l], wall >= 0 ? 0 : (double)m->other.mass[l]);
}

/* Appends the impact of lane l to the recording of its world, if there is room. Events give the remaining part of the
 * tick. before: NULL without contacts. */
static void soccer_record(const tick_run *run, const soccer_side before[2], const soccer_impact *m, unsigned l,
                          real time, int32_t home)
{
    carom_event *event = run_record(run, (unsigned)home);
    if (event != NULL) {
        event->left = (double)(-time * soccer_rules_of(run->context)->rate);
        event->first = (uint32_t)m->first[l];
        event->second = (uint32_t)m->second[l];
        event->part = 0;
        event->x = event->y = 0;
        if (before != NULL) {
            soccer_contact(run, before, m, l, event, run_last_contact(run, (unsigned)home));
        }
    }
}

/* Plays the impacts that are in the rows, in the lanes `hit`. */
CAROM_LANE unsigned rules_hit(tick_run *run, rounds_row *rows, unsigned hit, const int32_t *home)
{
    const soccer_context *context = run->context;
    const vreal time = v_loadu(rows[TIME(context)]);
    soccer_impact m;
    soccer_read_impacts(context, rows, v_loadu(rows[CODE(context)]), hit, &m);

    /* Back to the time of the impact. */
    vreal vx1 = v_load(m.one.vx), vy1 = v_load(m.one.vy), vx2 = v_load(m.other.vx), vy2 = v_load(m.other.vy);
    const vreal x1 = v_load(m.one.x) + vx1 * time, y1 = v_load(m.one.y) + vy1 * time;
    const vreal x2 = v_load(m.other.x) + vx2 * time, y2 = v_load(m.other.y) + vy2 * time;
    const bool contacts = run_records_contacts(run);
    soccer_side before[2]; /* without masses; only for contacts */
    if (contacts) {
        soccer_note(&before[0], x1, y1, vx1, vy1);
        soccer_note(&before[1], x2, y2, vx2, vy2);
    }

    /* Late impacts of a tick are elastic, so that chains of them end. */
    const vreal count = v_loadu(rows[COUNT(context)]) + v_set1(REAL(1.0));
    v_storeu(rows[COUNT(context)], count);
    const vmask elastic = v_ge(count, v_set1((real)CAROM_SOCCER_ELASTIC));
    const vreal e = v_select(elastic, v_set1(REAL(1.0)), v_load(m.restitution));

    /* New velocities: a wall reverses the normal component. Both responses are computed in every lane; then one is
     * selected. */
    const vmask walls = m_from_bits(m.walls), along_y = m_from_bits(m.along_y);
    const vreal wall_vx = v_select(along_y, vx1, -e * vx1);
    const vreal wall_vy = v_select(along_y, -e * vy1, vy1);
    soccer_bounce(x1, y1, x2, y2, v_load(m.one.mass), v_load(m.other.mass), e, &vx1, &vy1, &vx2, &vy2);
    vx1 = v_select(walls, wall_vx, vx1);
    vy1 = v_select(walls, wall_vy, vy1);

    /* To the end of the tick again. */
    v_store(m.one.x, x1 - vx1 * time);
    v_store(m.one.y, y1 - vy1 * time);
    v_store(m.one.vx, vx1);
    v_store(m.one.vy, vy1);
    v_store(m.other.x, x2 - vx2 * time);
    v_store(m.other.y, y2 - vy2 * time);
    v_store(m.other.vx, vx2);
    v_store(m.other.vy, vy2);

    /* Write the changes back, lane by lane. */
    alignas(64) real times[LANES];
    v_store(times, time);
    EACH_LANE (l, hit) {
        const int i = m.first[l], j = m.second[l];
        soccer_put(context, rows, &m.one, l, i, times[l]);
        if (j < SOCCER_WALL) {
            soccer_put(context, rows, &m.other, l, j, times[l]);
            if (i < context->robots && j >= context->robots) { /* a robot that strikes a ball frees it */
                rows[HOLDER(context, j - context->robots)][l] = -1;
            }
        }
        if (run_records(run)) {
            soccer_record(run, contacts ? before : NULL, &m, l, times[l], home[l]);
        }
    }
    run_count_impacts(run, (unsigned)__builtin_popcount(hit));
    return hit;
}

/* ---- the end of the tick ---- */

/* Rewards count how far a ball moved in the tick. */
CAROM_LANE void rules_after(tick_run *run, unsigned home, tick_world w, rounds_row *rows)
{
    for (int k = 0; k < run->context->balls && run_rewarded(run); k++) {
        const int b = run->context->robots + k;
        soccer_turn_of(run, home)->way[k] = rounds_get(rows, b, X) - get_x(w, b);
    }
}

/* Writes angles, spins, and the holders of the balls. */
CAROM_LANE void rules_keep(tick_run *run, unsigned home, tick_world w, rounds_row *rows, tick_kept kept)
{
    const soccer_context *context = run->context;
    const soccer_turn *t = soccer_turn_of(run, home);
    for (int i = 0; i < context->robots; i++) {
        set_angle(w, i, t->angle[i], kept);
        set_spin(w, i, t->spin[i], kept);
    }

    for (int k = 0; k < context->balls; k++) {
        /* A ball that was freed by an impact has no position to keep. */
        const vint holder = v_truncate(v_loadu(rows[HOLDER(context, k)]));
        const vmask free = i_gt(i_set1(0), holder);
        const vreal zero = v_set1(REAL(0.0));
        set_hold_x(w, k, v_select(free, zero, t->hold_x[k]), kept);
        set_hold_y(w, k, v_select(free, zero, t->hold_y[k]), kept);
        set_holder(w, k, holder, kept);

        /* A robot that kicked has to wait. Its counter must not overflow. */
        EACH_LANE (l, t->kicks[k] & m_bits(kept.lanes)) {
            const tick_world one = world_of(w, l);
            const int32_t tick = world_tick(one), reset = context->reset;
            *at_ready(one, t->kicker[k][l]) = tick > INT32_MAX - reset ? INT32_MAX : tick + reset;
        }
    }
}

/* ---- goals and rewards (section 4) ---- */

/* Counts the goals of a world and kicks off. Returns goals of player 0 minus goals of player 1. */
static int soccer_score(const tick_run *run, unsigned home, tick_world w)
{
    const soccer_context *context = run->context;
    const real line = soccer_rules_of(context)->half_length;
    int gained = 0;
    for (int b = context->robots; b < context->bodies; b++) {
        const real x = *at_x(w, b);
        if (x > line || x < -line) {
            int16_t *score = at_score(w, x < 0);
            *score = (int16_t)(*score < SOCCER_MOST_SCORE ? *score + 1 : *score);
            gained += x > 0 ? 1 : -1;
            run_count_goals(run, 1);
        }
    }
    soccer_kick_off(context, run_seed(run, home), w);
    return gained;
}

/* Goals: a ball whose centre is behind a goal line has scored. Returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    const soccer_context *context = run->context;
    const vreal line = v_set1(soccer_rules_of(context)->half_length), zero = v_set1(REAL(0.0));
    vmask behind = m_from_bits(0);
    for (int b = context->robots; b < context->bodies; b++) {
        behind = m_or(behind, v_gt(v_abs(get_x(w, b)), line));
    }

    /* Goals are rare; the worlds that have one are handled one by one. */
    const unsigned scored = kept & m_bits(behind);
    vreal gained = zero;
    if (scored != 0) {
        alignas(64) real goals[LANES];
        v_store(goals, zero);
        EACH_LANE (l, scored) {
            goals[l] = (real)soccer_score(run, home + l, world_of(w, l));
        }
        gained = v_load(goals);
    }

    /* Rewards: a goal is 1 for its player and -1 for the other. */
    soccer_turn_of(run, home)->gained = gained;
    if (reward != NULL) {
        reward[0] = gained;
        reward[1] = zero - gained;
    }

    const vint last = i_set1((int32_t)context->options.ticks - 1), most = i_set1((int32_t)context->options.goals - 1);
    return m_bits(m_or(i_gt(get_tick(w), last), m_or(i_gt(get_score(w, 0), most), i_gt(get_score(w, 1), most))));
}

/* Has robot `robot` of lane l kicked ball k in this tick, or does it hold it? */
CAROM_LANE bool soccer_has_handled(const soccer_turn *t, tick_world w, unsigned l, int k, int robot)
{
    return ((t->kicks[k] >> l & 1) != 0 && t->kicker[k][l] == robot) || *at_holder(w, k) == robot;
}

/* Rewards of single robots: the goals of their team, and the distance that they moved a ball towards the other goal, in
 * lengths of the field. */
CAROM_LANE void rules_settle_own(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    const soccer_context *context = run->context;
    const soccer_turn *t = soccer_turn_of(run, home);
    const real length = (real)context->options.length;
    (void)kept;
    for (int agent = 0; agent < 2 * SOCCER_TEAM; agent++) {
        const int player = agent / SOCCER_TEAM, place = agent % SOCCER_TEAM, robot = player * context->team + place;
        const real side = player == 0 ? 1 : -1;

        alignas(64) real way[LANES], sums[LANES];
        reward[agent] = v_set1(REAL(0.0));
        if (place >= context->team) {
            continue;
        }

        /* Add up the displacements of the balls that this robot handled, lane by lane. */
        v_store(sums, reward[agent]);
        for (int k = 0; k < context->balls; k++) {
            v_store(way, t->way[k]);
            for (unsigned l = 0; l < LANES; l++) {
                if (soccer_has_handled(t, world_of(w, l), l, k, robot)) {
                    sums[l] += side * way[l] / length;
                }
            }
        }
        reward[agent] = v_set1(side) * t->gained + v_load(sums);
    }
}

/* ---- the end of a game (section 4) ---- */

static int32_t rules_score(tick_world w, int player)
{
    return *at_score(w, player);
}

/* Decides a game won by goals, or out of ticks. */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    const carom_soccer_options *o = &run->context->options;
    const int a = *at_score(w, 0), b = *at_score(w, 1);
    const bool over = a >= (int)o->goals || b >= (int)o->goals;
    if (!over && world_tick(w) < (int32_t)o->ticks) {
        return verdict_running();
    }

    const int winner = a > b ? 0 : b > a ? 1 : -1;
    *at_winner(w, 0) = (int8_t)winner;
    return verdict_of(over ? CAROM_TERMINATED : CAROM_TRUNCATED, winner);
}

#endif
