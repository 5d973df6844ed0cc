/* SPDX-License-Identifier: MIT
 * The built-in players of soccer in lanes: `striker` and `random`. They choose in axes in which their own side attacks
 * +x, in double precision whatever the worlds' precision; the end of this file converts their intents to each kind of
 * action.
 */
#include "games/soccer/soccer.h"
#include "simd/elementary.h"

#define RULES_FIELDS SOCCER_FIELDS
#include "tick/policy.h"

enum { STRIKER, RANDOM };

/* LANES worlds as a player sees them: own robots first, own goal at -x. */
typedef struct view {
    const carom_soccer_options *options;
    int team, robots, balls; /* as in soccer_context */
    vreal x[SOCCER_BODIES], y[SOCCER_BODIES];
    vreal angle[SOCCER_ROBOTS];
    vreal vx[SOCCER_BALLS], vy[SOCCER_BALLS];
    vint holder[SOCCER_BALLS]; /* in this order of robots; -1: none */
} view;

/* The robot that acts; lanes may have different ones. */
typedef struct robot {
    vint number;
    vreal x, y, angle;
} robot;

typedef struct point {
    vreal x, y;
} point;

/* A robot's intent: velocity in m/s, spin in rad/s, kick in m/s or 0 for none. */
typedef struct intent {
    vreal vx, vy, spin, kick;
    vmask dribble;
} intent;

/* The world as `player` sees it. */
CAROM_LANE void look_at(const soccer_context *context, see_world w, int player, view *v)
{
    const vreal sign = v_set1(player == 0 ? 1 : -1), turn = v_set1(player == 0 ? 0 : V_PI);
    v->options = &context->options;
    v->team = context->team;
    v->robots = context->robots;
    v->balls = context->balls;

    /* For player 1 the two teams are swapped. */
    for (int i = 0; i < v->robots + v->balls; i++) {
        const int body = i >= v->robots || player == 0 ? i : (i + v->team) % v->robots;
        v->x[i] = sign * see_x(w, body);
        v->y[i] = sign * see_y(w, body);
        if (i < v->robots) {
            v->angle[i] = see_angle(w, body) + turn;
        }
    }

    for (int k = 0; k < v->balls; k++) {
        v->vx[k] = sign * see_vx(w, v->robots + k);
        v->vy[k] = sign * see_vy(w, v->robots + k);
        const vint holder = see_holder(w, k), team = i_set1(v->team);
        const vint other = i_select(i_gt(team, holder), i_add(holder, team), i_sub(holder, team));
        v->holder[k] = player == 0 ? holder : i_select(i_gt(i_set1(0), holder), holder, other);
    }
}

CAROM_LANE robot robot_of(const view *v, int i)
{
    const robot r = {i_set1(i), v->x[i], v->y[i], v->angle[i]};
    return r;
}

CAROM_LANE robot select_robot(vmask m, robot a, robot b)
{
    const robot r = {i_select(m, a.number, b.number), v_select(m, a.x, b.x), v_select(m, a.y, b.y),
                     v_select(m, a.angle, b.angle)};
    return r;
}

CAROM_LANE point select_point(vmask m, point a, point b)
{
    const point p = {v_select(m, a.x, b.x), v_select(m, a.y, b.y)};
    return p;
}

CAROM_LANE vreal squared(vreal x, vreal y)
{
    return x * x + y * y;
}

CAROM_LANE vreal length_of(vreal x, vreal y)
{
    return v_sqrt(squared(x, y));
}

CAROM_LANE vreal clamp(vreal low, vreal value, vreal high)
{
    return v_select(v_lt(value, low), low, v_select(v_gt(value, high), high, value));
}

/* a - b in [-pi, pi], where a is a heading and b an angle of a view: at most SOCCER_TURN and half a turn. */
CAROM_LANE vreal angle_between(vreal a, vreal b)
{
    const vreal da = v_remainder_two_pi_once(a - b), turn = v_set1(V_TWO_PI);
    return v_select(v_gt(da, v_set1(V_PI)), da - turn, v_select(v_lt(da, v_set1(-V_PI)), da + turn, da));
}

/* Bends the course away from near robots: from all of them in the lanes `polite`, elsewhere only from its own
 * side's. */
CAROM_LANE void give_way(const view *v, const robot *self, vmask polite, intent *wanted)
{
    const double most = v->options->max_speed, room = 4.5 * v->options->robot_radius;
    const vreal reach = v_set1(room), zero = v_set1(0);
    for (int i = 0; i < v->robots; i++) {
        const vreal dx = self->x - v->x[i], dy = self->y - v->y[i], dd = squared(dx, dy);

        /* Most robots are far from each other: skip the root if none is near. */
        if (!m_any(m_and(v_lt(dd, v_set1(1.001 * room * room)), v_gt(dd, zero)))) {
            continue;
        }

        const vreal d = v_sqrt(dd);
        const vmask near = m_and(v_lt(d, reach), m_andnot(v_gt(d, zero), i_eq(self->number, i_set1(i))));
        const vmask pushed = i < v->team ? near : m_and(near, polite);
        const vreal push = v_set1(2 * most) * (reach - d) / reach;
        wanted->vx = v_select(pushed, wanted->vx + push * dx / d, wanted->vx);
        wanted->vy = v_select(pushed, wanted->vy + push * dy / d, wanted->vy);
    }
}

/* Moves to a point and comes to rest there, facing another point. */
CAROM_LANE intent go_to(const view *v, const robot *self, point to, point look, vmask polite)
{
    const vreal three = v_set1(3), most = v_set1(v->options->max_speed), zero = v_set1(0), one = v_set1(1);
    const vreal vx = three * (to.x - self->x), vy = three * (to.y - self->y);
    const vreal speed = length_of(vx, vy), heading = v_atan2(look.y - self->y, look.x - self->x);
    const vreal share = v_select(v_gt(speed, most), most / speed, one);
    intent wanted = {vx * share, vy * share, zero, zero, m_below(0)};
    give_way(v, self, polite, &wanted);
    wanted.spin = v_set1(8) * angle_between(heading, self->angle);
    return wanted;
}

/* The keeper stays between ball and goal, and clears any ball that comes to it. */
CAROM_LANE intent keep(const view *v, int i, int ball)
{
    const double post = v->options->mouth * 0.4, line = v->options->length / 2;
    const robot self = robot_of(v, i);
    const point look = {v->x[ball], v->y[ball]};
    const point to = {v_set1(-line + 2.5 * v->options->robot_radius), clamp(v_set1(-post), look.y, v_set1(post))};
    intent wanted = go_to(v, &self, to, look, m_below(LANES));
    wanted.kick = v_set1(v->options->kick_speed);
    return wanted;
}

/* The holder of the ball: half the speed, little spin, and a kick once the goal is ahead and near. far: its distance,
 * m. */
CAROM_LANE intent with_ball(const view *v, const intent *going, vreal far)
{
    const vreal half = v_set1(0.5), off = going->spin / v_set1(8), most = v_set1(5), least = v_set1(-5);
    const vmask ahead = m_and(v_lt(off, v_set1(0.06)), v_gt(off, v_set1(-0.06)));
    const vmask kicks = m_and(ahead, v_lt(far, v_set1(0.6 * v->options->length)));
    const intent wanted = {going->vx * half, going->vy * half, clamp(least, going->spin, most),
                           v_select(kicks, v_set1(v->options->kick_speed), v_set1(0)), m_below(LANES)};
    return wanted;
}

CAROM_LANE intent select_intent(vmask m, const intent *a, const intent *b)
{
    const intent wanted = {v_select(m, a->vx, b->vx), v_select(m, a->vy, b->vy), v_select(m, a->spin, b->spin),
                           v_select(m, a->kick, b->kick), m_select(m, a->dribble, b->dribble)};
    return wanted;
}

/* Goes to ball k and takes it to the goal. */
CAROM_LANE intent strike(const view *v, const robot *self, int k)
{
    const int ball = v->robots + k;
    const double touch = v->options->robot_radius + v->options->ball_radius;
    const vreal zero = v_set1(0), lead = v_set1(0.15), mouth = v_set1(v->options->mouth);
    const vreal side_of_goal = v_select(v_gt(v->y[v->team], zero), v_set1(-0.3), v_set1(0.3));

    /* Aim at the side of the goal away from the other keeper, from the ball's position in a moment. */
    const point at = {v->x[ball], v->y[ball]}, goal = {v_set1(v->options->length / 2), side_of_goal * mouth};
    const point soon = {at.x + lead * v->vx[k], at.y + lead * v->vy[k]};
    const vreal gx = goal.x - soon.x, gy = goal.y - soon.y, far = length_of(gx, gy) + v_set1(1e-9);
    const vreal dx = soon.x - self->x, dy = soon.y - self->y, away = length_of(dx, dy);

    /* A robot close to the ball, between it and the goal, goes around it on the side where it is. */
    const vmask before = v_lt(dx * gx + dy * gy, zero);
    const vmask around = m_and(before, v_lt(away, v_set1(6 * touch)));
    const vmask right = v_gt(dx * gy - dy * gx, zero);
    const vreal width = v_set1(2.5 * touch), wide_x = width * gx / far, wide_y = width * gy / far;
    const point beside = {soon.x - wide_x + v_flip(right, wide_y), soon.y - wide_y - v_flip(right, wide_x)};

    /* Any other goes to a point just behind the ball. */
    const vreal close = v_set1(0.5 * touch);
    const point behind = {soon.x - close * gx / far, soon.y - close * gy / far};

    /* The holder drives to the goal. Only a robot that attacks the ball from near ignores others on its path. */
    const vmask has = i_eq(v->holder[k], self->number);
    const point to = select_point(has, goal, select_point(around, beside, behind));
    const point look = select_point(has, goal, select_point(around, soon, at));
    const vmask polite = m_or(m_or(has, around), v_gt(away, v_set1(5 * touch)));
    intent going = go_to(v, self, to, look, polite);
    going.dribble = m_not(around);
    const intent holding = with_ball(v, &going, far);
    return select_intent(has, &holding, &going);
}

/* All others keep a loose formation that follows the ball, within the field. */
CAROM_LANE intent support(const view *v, int i, int ball)
{
    static const double places[SOCCER_TEAM][2] = {{0, 0},        {0.1, 0.45}, {0.1, -0.45}, {-0.35, 0.25},
                                                  {-0.35, -.25}, {0.3, 0.7},  {0.3, -0.7},  {-0.5, 0.6},
                                                  {-0.5, -0.6},  {-0.2, 0},   {0.45, 0.1}};
    const double half_x = v->options->length / 2, half_y = v->options->width / 2, edge = 2 * v->options->robot_radius;
    const robot self = robot_of(v, i);
    const point look = {v->x[ball], v->y[ball]};
    const vreal x = v_set1(0.5) * look.x + v_set1(places[i][0] * half_x);
    const vreal y = v_set1(0.2) * look.y + v_set1(places[i][1] * half_y);
    const point to = {clamp(v_set1(edge - half_x), x, v_set1(half_x - edge)),
                      clamp(v_set1(edge - half_y), y, v_set1(half_y - edge))};
    return go_to(v, &self, to, look, m_below(LANES));
}

/* The team: a keeper, for each ball the nearest robot without one, and supporters. */
CAROM_LANE void play(const view *v, intent wanted[SOCCER_TEAM])
{
    vmask busy[SOCCER_TEAM];
    const int first = v->team > 1; /* a team of one has no keeper */

    for (int i = 0; i < v->team; i++) {
        wanted[i] = i < first ? keep(v, i, v->robots) : support(v, i, v->robots);
        busy[i] = m_below(0);
    }

    /* Assign a robot to each ball. Lanes differ in which one, so its number is selected, not branched on. */
    for (int k = 0; k < v->balls && k < v->team - first; k++) {
        const int ball = v->robots + k;
        robot nearest = robot_of(v, first);
        vreal least = v_set1(0);
        vmask found = m_below(0);
        for (int i = first; i < v->team; i++) {
            const vreal d = length_of(v->x[ball] - v->x[i], v->y[ball] - v->y[i]);
            const vmask nearer = m_andnot(m_or(m_not(found), v_lt(d, least)), busy[i]);
            nearest = select_robot(nearer, robot_of(v, i), nearest);
            least = v_select(nearer, d, least);
            found = m_or(found, nearer);
        }

        const intent striking = strike(v, &nearest, k);
        for (int i = first; i < v->team; i++) {
            const vmask strikes = i_eq(nearest.number, i_set1(i));
            wanted[i] = select_intent(strikes, &striking, &wanted[i]);
            busy[i] = m_or(busy[i], strikes);
        }
    }
}

/* ---- actions ---- */

/* Writes the intent of robot i of `player` in the requested kind of action: `metric` is in the field's axes,
 * `normalised` in the player's, and in shares of the greatest values. */
CAROM_LANE void put_action(const policy_question *question, unsigned at, int player, int i, const intent *wanted)
{
    const carom_soccer_options *o = &((const soccer_context *)question->context)->options;
    const bool normalised = question->kind == SOCCER_NORMALISED;
    const vreal most = v_set1(o->max_speed), most_spin = v_set1(o->max_spin), one = v_set1(1);

    /* A speed beyond the limit is scaled, not clamped by component, to keep its direction. */
    const vreal speed = length_of(wanted->vx, wanted->vy);
    const vreal k = v_select(v_gt(speed, most), most / speed, one);
    const vreal sign = v_set1(normalised || player == 0 ? 1 : -1), unit = normalised ? most : one;

    const int e = (player * SOCCER_TEAM + i) * SOCCER_NUMBERS;
    act_put_f32(question, at, e, sign * wanted->vx * k / unit);
    act_put_f32(question, at, e + 1, sign * wanted->vy * k / unit);
    act_put_f32(question, at, e + 2, clamp(-most_spin, wanted->spin, most_spin) / (normalised ? most_spin : one));
    act_put_f32(question, at, e + 3, wanted->kick / v_set1(normalised ? o->kick_speed : 1));
    act_put_f32(question, at, e + 4, v_select(wanted->dribble, one, v_set1(-1)));
}

static void strike_tile(const policy_question *question, int player)
{
    const soccer_context *context = (const soccer_context *)question->context;
    EACH_SEEN_GROUP(at)
    {
        view v;
        intent wanted[SOCCER_TEAM];
        look_at(context, see_world_at(question->tile, question->precision, at), player, &v);
        play(&v, wanted);
        for (int i = 0; i < v.team; i++) {
            put_action(question, at, player, i, &wanted[i]);
        }
    }
}

/* Each number is uniform in [-1, 1) times the largest value. */
static void random_tile(const policy_question *question, int player)
{
    const soccer_context *context = (const soccer_context *)question->context;
    const carom_soccer_options *o = &context->options;
    alignas(64) double share[SOCCER_NUMBERS][SEE_LANES];
    random_streams streams;
    const int numbers = context->team * SOCCER_NUMBERS;
    see_streams(question, SOCCER_DRAW_POLICY + (uint32_t)player, 16, (unsigned)(numbers + 3) / 4, &streams);

    /* Collect the numbers of a robot in all lanes, then write them a register at a time. */
    for (int n = 0; n < numbers; n++) {
        for (int l = 0; l < SEE_LANES; l++) {
            share[n % SOCCER_NUMBERS][l] = random_number(streams.words[n][l]);
        }
        for (unsigned at = 0; at < SEE_LANES && n % SOCCER_NUMBERS == SOCCER_NUMBERS - 1; at += LANES) {
            const intent wanted = {
                v_load(&share[0][at]) * v_set1(o->max_speed), v_load(&share[1][at]) * v_set1(o->max_speed),
                v_load(&share[2][at]) * v_set1(o->max_spin), v_load(&share[3][at]) * v_set1(o->kick_speed),
                v_gt(v_load(&share[4][at]), v_set1(0))};
            put_action(question, at, player, n / SOCCER_NUMBERS, &wanted);
        }
    }
}

static void soccer_act(const policy_question *question)
{
    const soccer_context *context = (const soccer_context *)question->context;
    for (int player = 0; player < 2; player++) {
        if ((question->players >> player & 1) == 0) {
            continue;
        }
        if (question->policy == STRIKER) {
            strike_tile(question, player);
        } else {
            random_tile(question, player);
        }

        /* Robots that the teams do not have get zeros. */
        EACH_SEEN_GROUP(at)
        {
            for (int n = context->team * SOCCER_NUMBERS; n < SOCCER_TEAM * SOCCER_NUMBERS; n++) {
                act_put_f32(question, at, player * SOCCER_TEAM * SOCCER_NUMBERS + n, v_set1(0));
            }
        }
    }
}

POLICY_KERNEL(soccer_policy, soccer_act)
