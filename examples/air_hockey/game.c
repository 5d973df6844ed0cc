/* SPDX-License-Identifier: MIT
 * Air hockey: a plug-in game, made with nothing but Carom's kit. RULES.md has the rules; this file implements them, one
 * world per SIMD lane. docs/games.md explains the parts.
 *
 *     carom-kit build game.c -o air_hockey.so
 *     carom rollout ./air_hockey.so
 *     carom check ./air_hockey.so
 */
#define HOCKEY_LONG 1000.0 /* from the centre of the table to an end, */
#define HOCKEY_WIDE 500.0  /* and to a side */
#define HOCKEY_OPENING 160.0
#define HOCKEY_PUCK 30.0 /* radii */
#define HOCKEY_MALLET 50.0
#define HOCKEY_BORDER 80.0 /* least distance of a mallet's centre from the centre line: two cannot squeeze the puck */
#define HOCKEY_PUSH 8.0    /* the largest change of a mallet's velocity in a tick, along x and y */
#define HOCKEY_SPEED 40.0  /* of a mallet, along x and y, at most */
#define HOCKEY_FAST 120.0  /* of the puck, at most, at the end of a tick */
#define HOCKEY_GLIDE 0.995 /* the share of its velocity that the puck keeps each tick */
#define HOCKEY_IMPACTS 16  /* in a tick; after that the puck is pinned */
#define HOCKEY_SERVE 400.0 /* from the centre, after a goal */

#define HOCKEY_SIDE (HOCKEY_WIDE - HOCKEY_PUCK) /* the puck's centre stays within */
#define HOCKEY_END (HOCKEY_LONG - HOCKEY_PUCK)
#define HOCKEY_FAR (HOCKEY_LONG - HOCKEY_MALLET) /* and a mallet's within */
#define HOCKEY_BAND (HOCKEY_WIDE - HOCKEY_MALLET)
#define HOCKEY_HOME (HOCKEY_FAR - HOCKEY_MALLET)

/* Bodies: the mallets of players 0 (left) and 1 (right), which the players push, and the puck. */
enum { PUCK = 2 };
enum { MALLET, WALL }; /* what the puck can hit: a mallet; a side (0) or an end (1) */
enum { SIDE, END };

#define RULES_NAME air_hockey
#define RULES_TITLE "Air hockey"
#define RULES_PLAYERS 2
#define RULES_BODIES 3
#define RULES_DRIVEN 2
#define RULES_EVENTS HOCKEY_IMPACTS
#define RULES_FAR_X (HOCKEY_LONG + 1) /* rounding may leave bodies slightly beyond, which the next tick corrects */
#define RULES_FAR_Y (HOCKEY_WIDE + 1)
#define RULES_FAST (HOCKEY_FAST + 1)
#define RULES_STATE(REAL, INT32, INT16, INT8) INT8(score, 2, STATE)
#define RULES_NOTES(NOTE) NOTE(scored, 1) /* 1: by player 0, -1: by player 1 */
#define RULES_COUNTS "goals"
#define RULES_ACTIONS(X) X(normalised, F32, 2)
#define RULES_POLICIES(X) X(chase) X(random)
#define RULES_FINISH hockey_finish
#define RULES_CHECK hockey_check
#define RULES_TOUCH hockey_touch
#define RULES_OPTIONS(COUNT, FLAG, NUMBER)                                                                             \
    COUNT(goals, 7, 1, 100, "goals to win")                                                                            \
    COUNT(ticks, 2000, 1, 1 << 24, "ticks after which a game is cut off")                                              \
    NUMBER(bounce, 0.9, 0, 1, "restitution of walls and mallets")

/* Each player sees itself on the left, and its own mallet first. */
#define HOCKEY_THING(X, thing)                                                                                         \
    X(thing##_x, "half a table", -2, 2)                                                                                \
    X(thing##_y, "half a table", -2, 2)                                                                                \
    X(thing##_vx, "the puck's most", -2, 2) X(thing##_vy, "the puck's most", -2, 2)
#define RULES_SEEN(X)                                                                                                  \
    HOCKEY_THING(X, own)                                                                                               \
    HOCKEY_THING(X, other)                                                                                             \
    HOCKEY_THING(X, puck) X(score, "goals to win", 0, 1) X(score_other, "goals to win", 0, 1) X(tick, "a game", 0, 129)

#include <carom/kit/rules.h>

/* ---- a tick ---- */

CAROM_LANE vreal hockey_clamp(vreal a, double low, double high)
{
    return v_max(v_min(a, v_number(high)), v_number(low));
}

/* A mallet's velocity along one coordinate, such that at the end of the tick it is between low and high. */
CAROM_LANE vreal hockey_drive(vreal x, vreal v, vreal number, double low, double high)
{
    v = hockey_clamp(v + number * v_number(HOCKEY_PUSH), -HOCKEY_SPEED, HOCKEY_SPEED);
    return hockey_clamp(x + v, low, high) - x;
}

/* Players push their mallets; both play from left to right. */
CAROM_LANE void rules_command(const rules_options *options, tick_world w, tick_actions actions, tick_bodies *b)
{
    b->vx[0] = hockey_drive(b->x[0], b->vx[0], action_unit(actions, 0, 0), -HOCKEY_FAR, -HOCKEY_BORDER);
    b->vx[1] = hockey_drive(b->x[1], b->vx[1], -action_unit(actions, 1, 0), HOCKEY_BORDER, HOCKEY_FAR);
    for (unsigned i = 0; i < 2; i++) {
        b->vy[i] = hockey_drive(b->y[i], b->vy[i], action_unit(actions, i, 1), -HOCKEY_BAND, HOCKEY_BAND);
    }
}

CAROM_LANE void rules_next(const rules_options *options, const tick_bodies *b, tick_impact *next)
{
    for (unsigned i = 0; i < 2; i++) {
        const vreal t = time_circles(b->x[i] - b->x[PUCK], b->y[i] - b->y[PUCK], b->vx[i] - b->vx[PUCK],
                                     b->vy[i] - b->vy[PUCK], HOCKEY_PUCK + HOCKEY_MALLET);
        impact_offer(next, t, PUCK, MALLET, i);
    }
    impact_offer(next, time_wall(b->y[PUCK], b->vy[PUCK], HOCKEY_SIDE), PUCK, WALL, SIDE);
    impact_offer(next, time_wall(b->x[PUCK], b->vx[PUCK], HOCKEY_END), PUCK, WALL, END);
}

/* A mallet's mass is infinite: only the puck changes. A goal ends the motion, and so does the last impact. */
CAROM_LANE vmask rules_hit(const rules_options *options, tick_bodies *b, const tick_impact *impact)
{
    const double bounce = options->bounce;
    const vreal zero = v_number(0), one = v_number(1);
    for (unsigned i = 0; i < 2; i++) {
        bodies_collide(b, PUCK, (int)i, 1, 0, bounce, impact_is(impact, PUCK, MALLET, i));
    }
    bodies_reflect(&b->y[PUCK], &b->vy[PUCK], HOCKEY_SIDE, bounce, impact_is(impact, PUCK, WALL, SIDE));
    const vmask end = impact_is(impact, PUCK, WALL, END);
    const vmask goal = m_and(end, v_lt(v_abs(b->y[PUCK]), v_number(HOCKEY_OPENING)));
    b->scored[0] = v_select(goal, v_select(v_gt(b->x[PUCK], zero), one, -one), b->scored[0]);
    bodies_reflect(&b->x[PUCK], &b->vx[PUCK], HOCKEY_END, bounce, m_andnot(end, goal));
    const vmask pinned = v_ge(impact_count(impact), v_number(HOCKEY_IMPACTS));
    b->vx[PUCK] = v_select(pinned, zero, b->vx[PUCK]);
    b->vy[PUCK] = v_select(pinned, zero, b->vy[PUCK]);
    return m_or(goal, pinned);
}

/* The puck touches a mallet, or a side or an end of the table. */
KIT_RULE void hockey_touch(const rules_options *options, unsigned first, unsigned kind, unsigned second,
                           impact_touch *touch)
{
    touch->body = kind == MALLET ? (int)second : -1;
    touch->nx = second == END ? 1 : 0;
    touch->ny = second == SIDE ? 1 : 0;
    touch->radius = HOCKEY_PUCK;
    touch->mass[0] = 1;
}

/* The puck glides; its speed is limited. */
CAROM_LANE void hockey_finish(const rules_options *options, tick_bodies *b)
{
    const vreal glide = v_number(HOCKEY_GLIDE), most = v_number(HOCKEY_FAST);
    const vreal vx = b->vx[PUCK] * glide, vy = b->vy[PUCK] * glide;
    const vreal speed = v_sqrt(dot_product(vx, vy, vx, vy));
    const vreal scale = v_select(v_gt(speed, most), most / speed, v_number(1));
    b->vx[PUCK] = vx * scale;
    b->vy[PUCK] = vy * scale;
}

/* Mallets at home, the puck at rest at (x, y). */
static void hockey_serve(tick_world w, double x, double y)
{
    for (int i = 0; i < 3; i++) {
        *at_x(w, i) = (real)(i == PUCK ? x : (2 * i - 1) * HOCKEY_HOME);
        *at_y(w, i) = (real)(i == PUCK ? y : 0);
        *at_vx(w, i) = *at_vy(w, i) = 0;
    }
}

CAROM_LANE unsigned rules_settle(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward, unsigned *counted)
{
    const vreal zero = v_number(0);
    const unsigned goal[2] = {m_bits(v_gt(b->scored[0], zero)) & kept, m_bits(v_lt(b->scored[0], zero)) & kept};
    for (int i = 0; i < 2; i++) {
        EACH_LANE (l, goal[i]) { /* the player that conceded gets the puck */
            ++*at_score(world_of(w, l), i);
            hockey_serve(world_of(w, l), (1 - 2 * i) * HOCKEY_SERVE, 0);
            ++*counted;
        }
    }
    reward[0] = b->scored[0];
    reward[1] = zero - b->scored[0];
    return goal[0] | goal[1] | m_bits(i_gt(get_tick(w), i_set1((int)options->ticks - 1)));
}

KIT_RULE tick_verdict rules_decide(const rules_options *options, tick_world w)
{
    const int goals = (int)options->goals, ahead = *at_score(w, 0) - *at_score(w, 1);
    const int leader = ahead > 0 ? 0 : ahead < 0 ? 1 : -1;
    if (*at_score(w, 0) >= goals || *at_score(w, 1) >= goals) {
        return verdict_of(CAROM_TERMINATED, leader);
    }
    return world_tick(w) < (int)options->ticks ? verdict_running() : verdict_of(CAROM_TRUNCATED, leader);
}

/* ---- a world: its start, valid states, observations, and its value ---- */

KIT_RULE void rules_start(const rules_options *options, random_stream *draws, tick_world w)
{
    hockey_serve(w, 0, random_number(random_word(draws)) * HOCKEY_WIDE / 2);
    *at_vx(w, PUCK) = (real)(random_number(random_word(draws)) * HOCKEY_SPEED);
}

/* Each mallet is in its half. */
KIT_RULE bool hockey_check(const rules_options *options, tick_world w)
{
    bool good = true;
    for (int i = 0; i < 2; i++) {
        const double x = (2 * i - 1) * (double)*at_x(w, i), y = (double)*at_y(w, i);
        good = good && x >= HOCKEY_BORDER - 1 && x <= HOCKEY_FAR + 1 && y >= -HOCKEY_BAND - 1 && y <= HOCKEY_BAND + 1 &&
               *at_score(w, i) >= 0 && *at_score(w, i) <= (int)options->goals;
    }
    return good;
}

CAROM_LANE void rules_observe(const rules_options *options, tick_world w, tick_view view)
{
    const vreal far = v_number(1 / HOCKEY_LONG), slow = v_number(1 / HOCKEY_FAST);
    for (unsigned p = 0; p < 2; p++) {
        const vreal sign = v_number(p == 0 ? 1 : -1);
        const int bodies[3] = {(int)p, 1 - (int)p, PUCK};
        for (unsigned k = 0; k < 3; k++) {
            view_put(view, p, seen_own_x + 4 * k, get_x(w, bodies[k]) * far * sign);
            view_put(view, p, seen_own_y + 4 * k, get_y(w, bodies[k]) * far);
            view_put(view, p, seen_own_vx + 4 * k, get_vx(w, bodies[k]) * slow * sign);
            view_put(view, p, seen_own_vy + 4 * k, get_vy(w, bodies[k]) * slow);
        }
        for (unsigned k = 0; k < 2; k++) {
            view_put(view, p, seen_score + k, v_from_int(get_score(w, bodies[k])) * v_number(1.0 / options->goals));
        }
        view_put(view, p, seen_tick, v_from_int(get_tick(w)) * v_number(1.0 / options->ticks));
    }
}

/* The lead in goals, plus a tenth for the puck's position. */
CAROM_LANE void rules_value(const rules_options *options, tick_world w, vreal *value)
{
    const vreal goals = v_from_int(get_score(w, 0)) - v_from_int(get_score(w, 1));
    value[0] = goals + get_x(w, PUCK) * v_number(0.1 / HOCKEY_LONG);
    value[1] = -value[0];
}

/* ---- policies, and how it is drawn ---- */

#if defined(CAROM_KIT_HOST)

enum { CHASE, RANDOM };

/* The push that brings a mallet at x with velocity v to `to` and stops it there. */
static double hockey_steer(double x, double v, double to)
{
    return ((to - x) / 4 - v) / HOCKEY_PUSH;
}

/* Goes after the puck while it is in its own half, from behind; otherwise stays between the goal and the puck. */
CAROM_LANE void rules_policy(const rules_options *options, see_world w, int player, unsigned policy, unsigned kind,
                             tick_draws *draws, vreal *numbers)
{
    const double sign = player == 0 ? 1 : -1;
    const double x = sign * see_x(w, player), y = see_y(w, player);
    const double px = sign * see_x(w, PUCK), py = see_y(w, PUCK), pvx = sign * see_vx(w, PUCK);
    double to_x = -HOCKEY_HOME, to_y = py / 3;
    if (px <= HOCKEY_PUCK) { /* from behind: first past it, on the goal's side */
        to_x = px > x + HOCKEY_MALLET ? px + pvx : px - 3 * HOCKEY_MALLET;
        to_y = py + (px > x + HOCKEY_MALLET ? 4 * see_vy(w, PUCK) : 0);
    }
    numbers[0] = hockey_steer(x, sign * see_vx(w, player), to_x);
    numbers[1] = hockey_steer(y, see_vy(w, player), to_y);
    for (int k = 0; k < 2; k++) {
        const double drawn = draw_number(draws);
        numbers[k] = policy == RANDOM ? drawn : numbers[k] + drawn / 8; /* noise: play is imperfect, games differ */
        numbers[k] = numbers[k] < -1 ? -1 : numbers[k] > 1 ? 1 : numbers[k];
    }
}

static const look_group hockey_groups[] = {LOOK_BODIES("mallet", 0, 1, CAROM_LOOK_FIRST, HOCKEY_MALLET),
                                           LOOK_BODIES("mallet", 1, 1, CAROM_LOOK_SECOND, HOCKEY_MALLET),
                                           LOOK_BODIES("puck", PUCK, 1, CAROM_LOOK_BALL, HOCKEY_PUCK)};
static const look_number hockey_numbers[] = {{"score", 0, "score", 0}, {"score", 1, "score", 1}};

static void hockey_shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    look_line(sink, CAROM_LOOK_FIELD, 0, -HOCKEY_WIDE, 0, HOCKEY_WIDE);
    look_line(sink, CAROM_LOOK_WALL, -HOCKEY_LONG, -HOCKEY_WIDE, HOCKEY_LONG, -HOCKEY_WIDE);
    look_line(sink, CAROM_LOOK_WALL, -HOCKEY_LONG, HOCKEY_WIDE, HOCKEY_LONG, HOCKEY_WIDE);
    for (int side = -1; side <= 1; side += 2) {
        const double x = side * HOCKEY_LONG;
        look_line(sink, CAROM_LOOK_WALL, x, -HOCKEY_WIDE, x, -HOCKEY_OPENING);
        look_line(sink, CAROM_LOOK_TARGET, x, -HOCKEY_OPENING, x, HOCKEY_OPENING);
        look_line(sink, CAROM_LOOK_WALL, x, HOCKEY_OPENING, x, HOCKEY_WIDE);
    }
}

static const game_look hockey_look = {
    .view = {-1.05 * HOCKEY_LONG, -1.1 * HOCKEY_WIDE, 1.05 * HOCKEY_LONG, 1.1 * HOCKEY_WIDE, false, true, false, 0, 0,
             0},
    .groups = hockey_groups,
    .group_count = sizeof hockey_groups / sizeof hockey_groups[0],
    .numbers = hockey_numbers,
    .number_count = sizeof hockey_numbers / sizeof hockey_numbers[0],
    .shapes = hockey_shapes,
};
#define RULES_LOOK hockey_look

#endif

#include <carom/kit/game.h>
