/* SPDX-License-Identifier: MIT
 * The built-in players of soccer. They think in axes in which their own side attacks +x; this file also says their
 * wishes in every kind of action. Plain C at width 1, in double precision for both precisions of worlds.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include "base/random.h"
#include "games/soccer/soccer.h"
#include "simd/elementary.h"

#define RULES_FIELDS SOCCER_FIELDS
#include "tick/policy.h"

enum { STRIKER, RANDOM };

/* A world as a player sees it: its own robots first. */
typedef struct view {
    const carom_soccer_options *options;
    int team, robots, balls;
    double x[SOCCER_BODIES], y[SOCCER_BODIES], vx[SOCCER_BODIES], vy[SOCCER_BODIES];
    double angle[SOCCER_ROBOTS];
    int8_t holder[SOCCER_BALLS];
} view;

/* Target velocity in m/s, spin in rad/s; kick: in m/s, 0 for none. */
typedef struct intent {
    double vx, vy, spin, kick;
    bool dribble;
} intent;

static view view_of(const soccer_context *context, see_world w, int player)
{
    const double sign = player == 0 ? 1 : -1;
    view v = {.options = &context->options, .team = context->team, .robots = context->robots, .balls = context->balls};
    for (int i = 0; i < v.robots + v.balls; i++) {
        const int body = i >= v.robots || player == 0 ? i : (i + v.team) % v.robots;
        v.x[i] = sign * see_x(w, body);
        v.y[i] = sign * see_y(w, body);
        v.vx[i] = sign * see_vx(w, body);
        v.vy[i] = sign * see_vy(w, body);
        if (i < v.robots) {
            v.angle[i] = see_angle(w, body) + (player == 0 ? 0 : V_PI);
        }
    }
    for (int k = 0; k < v.balls; k++) {
        const int holder = see_holder(w, k);
        v.holder[k] = (int8_t)(holder < 0 || player == 0 ? holder : (holder + v.team) % v.robots);
    }
    return v;
}

static double length_of(double x, double y)
{
    return v_sqrt(x * x + y * y);
}

static double clamp(double low, double value, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* a - b in [-pi, pi]. */
static double angle_between(double a, double b)
{
    const double da = v_remainder_two_pi(a - b);
    return da > V_PI ? da - V_TWO_PI : da < -V_PI ? da + V_TWO_PI : da;
}

/* To a point and there to rest, looking at another one. Robots in the way push the course aside. */
static intent go_to(const view *v, int self, double x, double y, double look_x, double look_y, bool polite)
{
    intent wanted = {3 * (x - v->x[self]), 3 * (y - v->y[self]), 0, 0, false};
    const double speed = length_of(wanted.vx, wanted.vy), most = v->options->max_speed;
    const double heading = v_atan2(look_y - v->y[self], look_x - v->x[self]);
    if (speed > most) {
        wanted.vx *= most / speed;
        wanted.vy *= most / speed;
    }
    const double room = 4.5 * v->options->robot_radius;
    for (int i = 0; i < v->robots; i++) {
        const double dx = v->x[self] - v->x[i], dy = v->y[self] - v->y[i], d = length_of(dx, dy);
        if (i != self && d < room && d > 0 && (polite || i < v->team)) {
            const double push = 2 * most * (room - d) / room;
            wanted.vx += push * dx / d;
            wanted.vy += push * dy / d;
        }
    }
    wanted.spin = 8 * angle_between(heading, v->angle[self]);
    return wanted;
}

/* The keeper stays between ball and goal, and clears what comes to him. */
static intent keep(const view *v, int self, int ball)
{
    const double post = v->options->mouth * 0.4, line = v->options->length / 2;
    intent wanted = go_to(v, self, -line + 2.5 * v->options->robot_radius, clamp(-post, v->y[ball], post), v->x[ball],
                          v->y[ball], true);
    wanted.kick = v->options->kick_speed;
    return wanted;
}

/* To the ball, and with it to the goal. */
static intent strike(const view *v, int self, int ball)
{
    const double goal_x = v->options->length / 2, keeper_y = v->y[v->team];
    const double goal_y = (keeper_y > 0 ? -0.3 : 0.3) * v->options->mouth;
    const double lead = 0.15, bx = v->x[ball] + lead * v->vx[ball], by = v->y[ball] + lead * v->vy[ball];
    const double gx = goal_x - bx, gy = goal_y - by, far = length_of(gx, gy) + 1e-9;
    const double touch = v->options->robot_radius + v->options->ball_radius;
    const double dx = bx - v->x[self], dy = by - v->y[self];
    if (v->holder[ball - v->robots] == self) {
        intent wanted = go_to(v, self, goal_x, goal_y, goal_x, goal_y, true);
        const double off = wanted.spin / 8;
        wanted.vx *= 0.5;
        wanted.vy *= 0.5;
        wanted.spin = clamp(-5, wanted.spin, 5);
        wanted.dribble = true;
        wanted.kick = (off < 0.06 && off > -0.06 && far < 0.6 * v->options->length) ? v->options->kick_speed : 0;
        return wanted;
    }
    if (dx * gx + dy * gy < 0 && length_of(dx, dy) < 6 * touch) { /* it is in front of the ball: around it */
        const double side = dx * gy - dy * gx > 0 ? 1 : -1;
        return go_to(v, self, bx - 2.5 * touch * gx / far - side * 2.5 * touch * gy / far,
                     by - 2.5 * touch * gy / far + side * 2.5 * touch * gx / far, bx, by, true);
    }
    intent wanted = go_to(v, self, bx - 0.5 * touch * gx / far, by - 0.5 * touch * gy / far, v->x[ball], v->y[ball],
                          length_of(dx, dy) > 5 * touch);
    wanted.dribble = true;
    return wanted;
}

/* The others keep a loose formation that goes with the ball. */
static intent support(const view *v, int self, int ball)
{
    static const double places[SOCCER_TEAM][2] = {{0, 0},        {0.1, 0.45}, {0.1, -0.45}, {-0.35, 0.25},
                                                  {-0.35, -.25}, {0.3, 0.7},  {0.3, -0.7},  {-0.5, 0.6},
                                                  {-0.5, -0.6},  {-0.2, 0},   {0.45, 0.1}};
    const double half_x = v->options->length / 2, half_y = v->options->width / 2, edge = 2 * v->options->robot_radius;
    const double x = 0.5 * v->x[ball] + places[self][0] * half_x, y = 0.2 * v->y[ball] + places[self][1] * half_y;
    return go_to(v, self, clamp(edge - half_x, x, half_x - edge), clamp(edge - half_y, y, half_y - edge), v->x[ball],
                 v->y[ball], true);
}

static void play(const view *v, intent wanted[SOCCER_TEAM])
{
    bool busy[SOCCER_TEAM] = {false};
    const int first = v->team > 1; /* a team of one has no keeper */
    for (int i = 0; i < v->team; i++) {
        wanted[i] = i < first ? keep(v, i, v->robots) : support(v, i, v->robots);
    }
    for (int ball = v->robots; ball < v->robots + v->balls; ball++) {
        int nearest = -1;
        double least = 0;
        for (int i = first; i < v->team; i++) {
            const double d = length_of(v->x[ball] - v->x[i], v->y[ball] - v->y[i]);
            if (!busy[i] && (nearest < 0 || d < least)) {
                nearest = i;
                least = d;
            }
        }
        if (nearest >= 0) {
            busy[nearest] = true;
            wanted[nearest] = strike(v, nearest, ball);
        }
    }
}

/* A share in [-1, 1). */
static double draw(random_stream *stream)
{
    return random_number(random_word(stream));
}

static intent random_intent(const view *v, random_stream *stream)
{
    intent wanted = {0, 0, 0, 0, false};
    wanted.vx = draw(stream) * v->options->max_speed;
    wanted.vy = draw(stream) * v->options->max_speed;
    wanted.spin = draw(stream) * v->options->max_spin;
    wanted.kick = draw(stream) * v->options->kick_speed;
    wanted.dribble = draw(stream) > 0;
    return wanted;
}

static void say(const view *v, const intent *wanted, int player, size_t kind, float *numbers)
{
    const carom_soccer_options *o = v->options;
    const double speed = length_of(wanted->vx, wanted->vy);
    const double k = speed > o->max_speed ? o->max_speed / speed : 1;
    const bool normalised = kind == SOCCER_NORMALISED;
    const double sign = normalised || player == 0 ? 1 : -1;
    numbers[0] = (float)(sign * wanted->vx * k / (normalised ? o->max_speed : 1));
    numbers[1] = (float)(sign * wanted->vy * k / (normalised ? o->max_speed : 1));
    numbers[2] = (float)(clamp(-o->max_spin, wanted->spin, o->max_spin) / (normalised ? o->max_spin : 1));
    numbers[3] = (float)(wanted->kick / (normalised ? o->kick_speed : 1));
    numbers[4] = wanted->dribble ? 1 : -1;
}

void carom_soccer_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions)
{
    const soccer_context *context = (const soccer_context *)asked->worlds->context;
    const see_world w = see_world_at(asked->tile, asked->worlds->desc.precision, lane);
    const uint32_t turn = (uint32_t)see_episode(w, 0) << 16 ^ (uint32_t)see_tick(w, 0); /* among all of the world */
    float *numbers = (float *)actions;
    for (int k = 0; k < 2 * SOCCER_TEAM * SOCCER_NUMBERS; k++) {
        numbers[k] = 0;
    }
    for (int player = 0; player < 2; player++) {
        const view v = view_of(context, w, player);
        intent wanted[SOCCER_TEAM];
        random_stream stream =
            random_begin(asked->seeds[lane], see_world_id(w), SOCCER_DRAW_POLICY + (uint32_t)player, turn);
        play(&v, wanted);
        for (int i = 0; i < v.team; i++) {
            if (policy == RANDOM) {
                wanted[i] = random_intent(&v, &stream);
            }
            say(&v, &wanted[i], player, kind, numbers + (size_t)(player * SOCCER_TEAM + i) * SOCCER_NUMBERS);
        }
    }
}
