/* SPDX-License-Identifier: MIT
 * See policy_reference.h.
 */
#include "policy_reference.h"

#include "base/random.h"
#include "tests/games/csb/csb_reference.h"

#include <math.h>

#define PI 3.14159265358979323846

static double clamp(double low, double value, double high)
{
    return value < low ? low : value > high ? high : value;
}

static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* ---- soccer ---- */

enum { TEAM = CAROM_SOCCER_ROBOTS, DRAWS_SOCCER = 2 }; /* DRAWS_: the purpose of the streams */

/* A world as a player sees it: its own robots first, its own side attacking +x. */
typedef struct view {
    const carom_soccer_options *options;
    int team, robots, balls;
    double x[SOCCER_REF_BODIES], y[SOCCER_REF_BODIES], vx[SOCCER_REF_BODIES], vy[SOCCER_REF_BODIES];
    double angle[SOCCER_REF_ROBOTS];
    int holder[CAROM_SOCCER_BALLS];
} view;

/* Target velocity in m/s, spin in rad/s; kick: in m/s, 0 for none. */
typedef struct intent {
    double vx, vy, spin, kick;
    bool dribble;
} intent;

static view view_of(const soccer_ref_game *game, const soccer_ref_world *w, int player)
{
    const int team = (int)game->options.robots, robots = 2 * team;
    const double sign = player == 0 ? 1 : -1;
    view v = {.options = &game->options, .team = team, .robots = robots, .balls = (int)game->options.balls};
    for (int i = 0; i < robots + v.balls; i++) {
        const int body = i >= robots || player == 0 ? i : (i + team) % robots;
        v.x[i] = sign * w->x[body];
        v.y[i] = sign * w->y[body];
        v.vx[i] = sign * w->vx[body];
        v.vy[i] = sign * w->vy[body];
        if (i < robots)
            v.angle[i] = w->angle[body] + (player == 0 ? 0 : PI);
    }
    for (int k = 0; k < v.balls; k++)
        v.holder[k] = w->holder[k] < 0 || player == 0 ? w->holder[k] : (w->holder[k] + team) % robots;
    return v;
}

/* a - b in [-pi, pi]. */
static double angle_between(double a, double b)
{
    const double da = fmod(a - b, 2 * PI);
    return da > PI ? da - 2 * PI : da < -PI ? da + 2 * PI : da;
}

/* Drive to a point and stop there, facing another one. Robots in the way deflect the course: all of them if the robot
 * is polite, else only its own side's. */
static intent go_to(const view *v, int self, double x, double y, double look_x, double look_y, bool polite)
{
    intent wanted = {3 * (x - v->x[self]), 3 * (y - v->y[self]), 0, 0, false};
    const double speed = length_of(wanted.vx, wanted.vy), most = v->options->max_speed;
    const double heading = csb_ref_atan2(look_y - v->y[self], look_x - v->x[self]);
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

/* The keeper stays between ball and goal, and clears balls that reach it. */
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
    static const double places[TEAM][2] = {{0, 0},         {0.1, 0.45}, {0.1, -0.45}, {-0.35, 0.25},
                                           {-0.35, -0.25}, {0.3, 0.7},  {0.3, -0.7},  {-0.5, 0.6},
                                           {-0.5, -0.6},   {-0.2, 0},   {0.45, 0.1}};
    const double half_x = v->options->length / 2, half_y = v->options->width / 2, edge = 2 * v->options->robot_radius;
    const double x = 0.5 * v->x[ball] + places[self][0] * half_x, y = 0.2 * v->y[ball] + places[self][1] * half_y;
    return go_to(v, self, clamp(edge - half_x, x, half_x - edge), clamp(edge - half_y, y, half_y - edge), v->x[ball],
                 v->y[ball], true);
}

static void strikers(const view *v, intent wanted[TEAM])
{
    bool busy[TEAM] = {false};
    const int first = v->team > 1; /* a team of one has no keeper */
    for (int i = 0; i < v->team; i++)
        wanted[i] = i < first ? keep(v, i, v->robots) : support(v, i, v->robots);
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

static void say(const carom_soccer_options *o, const intent *wanted, int player, soccer_ref_kind kind, float *numbers)
{
    const double speed = length_of(wanted->vx, wanted->vy);
    const double k = speed > o->max_speed ? o->max_speed / speed : 1;
    const bool normalised = kind == SOCCER_REF_NORMALISED;
    const double sign = normalised || player == 0 ? 1 : -1;
    numbers[0] = (float)(sign * wanted->vx * k / (normalised ? o->max_speed : 1));
    numbers[1] = (float)(sign * wanted->vy * k / (normalised ? o->max_speed : 1));
    numbers[2] = (float)(clamp(-o->max_spin, wanted->spin, o->max_spin) / (normalised ? o->max_spin : 1));
    numbers[3] = (float)(wanted->kick / (normalised ? o->kick_speed : 1));
    numbers[4] = wanted->dribble ? 1 : -1;
}

void soccer_ref_policy(const soccer_ref_game *game, const soccer_ref_world *world, size_t policy, soccer_ref_kind kind,
                       float *actions)
{
    const carom_soccer_options *o = &game->options;
    const uint32_t turn = (uint32_t)world->episode << 16 ^ (uint32_t)world->tick;
    for (int k = 0; k < 2 * TEAM * CAROM_SOCCER_NUMBERS; k++)
        actions[k] = 0;
    for (int player = 0; player < 2; player++) {
        const view v = view_of(game, world, player);
        intent wanted[TEAM];
        random_stream stream = random_begin(game->seed, game->id, DRAWS_SOCCER + (uint32_t)player, turn);
        strikers(&v, wanted);
        for (int i = 0; i < v.team; i++) {
            if (policy == SOCCER_REF_RANDOM) {
                wanted[i].vx = random_number(random_word(&stream)) * o->max_speed;
                wanted[i].vy = random_number(random_word(&stream)) * o->max_speed;
                wanted[i].spin = random_number(random_word(&stream)) * o->max_spin;
                wanted[i].kick = random_number(random_word(&stream)) * o->kick_speed;
                wanted[i].dribble = random_number(random_word(&stream)) > 0;
            }
            say(o, &wanted[i], player, kind, actions + (size_t)(player * TEAM + i) * CAROM_SOCCER_NUMBERS);
        }
    }
}

/* ---- stones ---- */

enum { DRAWS_STONES = 2 };

static double uniform(random_stream *stream)
{
    return random_word(stream) * (1.0 / 4294967296.0);
}

/* How good it is to drive `target` along the line from `from`: outwards, from near by, and near the edge. */
static double chance(const double from[2], const double target[2])
{
    const double dx = target[0] - from[0], dy = target[1] - from[1];
    const double far = length_of(dx, dy), out = length_of(target[0], target[1]);
    const double outwards = (dx * target[0] + dy * target[1]) / (far * out + 1);
    return outwards + out / 400 - far / 250;
}

/* As soon as the own stones rest, the best of them is pushed at the best target, a little off. */
static stones_ref_push strike_stone(const stones_ref_seen *w, double at[CAROM_STONES_MAX][2], int player,
                                    random_stream *stream)
{
    stones_ref_push push = {-1, 0, 40, 0};
    double best = -1e9;
    for (int i = player; i < CAROM_STONES_MAX; i += 2)
        if (w->in_play[i] != 0 && w->speed[i] != 0)
            return push;
    for (int i = player; i < CAROM_STONES_MAX; i += 2) {
        for (int j = 1 - player; j < CAROM_STONES_MAX; j += 2) {
            const double worth = w->in_play[i] != 0 && w->in_play[j] != 0 ? chance(at[i], at[j]) : best;
            if (worth > best) {
                best = worth;
                push.stone = i;
                push.course = csb_ref_atan2(at[j][1] - at[i][1], at[j][0] - at[i][0]);
            }
        }
    }
    push.course += (uniform(stream) - 0.5) * 0.06;
    return push;
}

/* Any of the own stones at rest. */
static stones_ref_push random_stone(const int *own, int count, random_stream *stream)
{
    stones_ref_push push = {-1, 0, 0, 0};
    push.course = (2 * uniform(stream) - 1) * PI;
    push.speed = uniform(stream) * 40;
    push.curve = 2 * uniform(stream) - 1;
    push.stone = count > 0 ? own[random_below(stream, (uint32_t)count)] : -1;
    push.curve = random_below(stream, 2) == 0 ? 0 : push.curve;
    return push;
}

void stones_ref_policy(const stones_ref_seen *world, size_t policy, stones_ref_push *push, int *places, int *counts)
{
    double at[CAROM_STONES_MAX][2];
    random_stream stream =
        random_begin(world->seed, world->id, DRAWS_STONES, (uint32_t)world->episode << 10 ^ (uint32_t)world->tick);
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        at[i][0] = world->px[i] + world->radius[i];
        at[i][1] = world->py[i] + world->radius[i];
    }
    for (int player = 0; player < 2; player++) {
        int own[CAROM_STONES_MAX], count = 0;
        for (int i = player; i < CAROM_STONES_MAX; i += 2)
            if (world->in_play[i] != 0 && world->speed[i] == 0)
                own[count++] = i;
        push[player] =
            policy == STONES_REF_STRIKE ? strike_stone(world, at, player, &stream) : random_stone(own, count, &stream);
        counts[player] = count;
        places[player] = 0;
        for (int k = 0; k < count; k++)
            places[player] += own[k] < push[player].stone;
    }
}
