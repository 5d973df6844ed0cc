/* SPDX-License-Identifier: MIT
 * Air hockey: a game written outside Carom, with nothing but its kit. RULES.md says what is played; this file says it
 * to the machine, one world per SIMD lane.
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
#define HOCKEY_BORDER 80.0 /* from the centre line to a mallet's centre, at least: two cannot squeeze the puck */
#define HOCKEY_PUSH 8.0    /* the most that a mallet's velocity changes in a tick, along x and y */
#define HOCKEY_SPEED 40.0  /* of a mallet, along x and y, at most */
#define HOCKEY_FAST 120.0  /* of the puck, at most, at the end of a tick */
#define HOCKEY_GLIDE 0.995 /* what is left of the puck's velocity after a tick */
#define HOCKEY_IMPACTS 16  /* of a tick; then the puck is pinned */
#define HOCKEY_SERVE 400.0 /* from the centre, after a goal */

/* A world: the puck, the mallets of players 0 (left) and 1 (right), and the score. */
#define HOCKEY_FIELDS(REAL, INT32, INT16, INT8)                                                                        \
    REAL(puck, 2, STATE)                                                                                               \
    REAL(puck_v, 2, STATE)                                                                                             \
    REAL(mallet_x, 2, STATE)                                                                                           \
    REAL(mallet_y, 2, STATE)                                                                                           \
    REAL(mallet_vx, 2, STATE)                                                                                          \
    REAL(mallet_vy, 2, STATE)                                                                                          \
    INT8(score, 2, STATE)

#define RULES_NAME air_hockey
#define RULES_TITLE "Air hockey"
#define RULES_COUNTS "goals"
#define RULES_FIELDS HOCKEY_FIELDS
#define RULES_PLAYERS 2
#define RULES_BODIES 3 /* the mallets, then the puck */
#define RULES_EVENTS HOCKEY_IMPACTS
#define RULES_OBSERVATION 15
#define RULES_KINDS 1
#define RULES_ACTIONS(X) X(normalised, F32, 2)
#define RULES_DRAWN 2
#define RULES_POLICIES(X) X(chase) X(random)
#define RULES_PLAY_WORKLIST
#define RULES_OPTIONS(COUNT, FLAG, NUMBER)                                                                             \
    COUNT(goals, 7, 1, 100, "goals to win")                                                                            \
    COUNT(ticks, 2000, 1, 1 << 24, "ticks after which a game is cut off")                                              \
    NUMBER(bounce, 0.9, 0, 1, "restitution of walls and mallets")

typedef struct rules_context {
    double bounce;
    int goals, ticks;
} rules_context;

#include <carom/kit/rules.h>

#include "toi/circles.h"

/* ---- the motion: the puck meets mallets, sides and ends, at exact times (tick/worklist.h) ---- */

enum { SCORED, X, Y, VX, VY, MX, MY = MX + 2, UX = MY + 2, UY = UX + 2, FIRST = UY + 2, WHAT, LEFT, COUNT, ROWS };
#define MOTION_ROWS ROWS
#define MOTION_BACK MX /* SCORED and the puck; where the mallets end is known beforehand */
#define MOTION_GIVEN X
#define MOTION_GIVEN_END LEFT
#define MOTION_ROUNDS (HOCKEY_IMPACTS + 1)
typedef tick_run motion_context;

#include "tick/worklist.h"

/* What the puck meets. Of equal times the first is played. */
enum { NOTHING, MALLET, SIDE = MALLET + 2, END };

#define HOCKEY_SIDE (HOCKEY_WIDE - HOCKEY_PUCK) /* the puck's centre stays within */
#define HOCKEY_END (HOCKEY_LONG - HOCKEY_PUCK)
#define HOCKEY_REACH (HOCKEY_PUCK + HOCKEY_MALLET)

CAROM_LANE vreal hockey_number(double a)
{
    return v_set1((real)a);
}

/* The wall at `wall` or -`wall` that a coordinate moves towards. */
CAROM_LANE vreal hockey_towards(vreal v, double wall)
{
    return v_flip(v_lt(v, hockey_number(0)), hockey_number(wall));
}

CAROM_LANE void hockey_offer(vreal t, int what, vreal *first, vreal *chosen)
{
    const vmask take = v_lt(t, *first); /* false if t is NaN: 0/0, at a wall at rest */
    *first = v_select(take, t, *first);
    *chosen = v_select(take, v_set1((real)what), *chosen);
}

/* The first impact within the time left. */
CAROM_LANE void hockey_first(motion *m, vreal left)
{
    const vreal zero = hockey_number(0);
    vreal first = left, what = v_set1(NOTHING);
    for (int i = 0; i < 2; i++) {
        const circles_pair pair = {m->r[MX + i] - m->r[X], m->r[MY + i] - m->r[Y], m->r[UX + i] - m->r[VX],
                                   m->r[UY + i] - m->r[VY], hockey_number(HOCKEY_REACH)};
        const circles_equation e = equation_components(pair);
        hockey_offer(circles_decided(e, root_citardauq(e, v_sqrt(e.d))), MALLET + i, &first, &what);
    }
    const vreal side = (hockey_towards(m->r[VY], HOCKEY_SIDE) - m->r[Y]) / m->r[VY];
    const vreal end = (hockey_towards(m->r[VX], HOCKEY_END) - m->r[X]) / m->r[VX];
    hockey_offer(v_max(zero, side), SIDE, &first, &what); /* rounding may have left it beyond the wall */
    hockey_offer(v_max(zero, end), END, &first, &what);
    m->r[FIRST] = first;
    m->r[WHAT] = what;
}

CAROM_LANE void hockey_advance(motion *m, vreal t, vmask lanes)
{
    for (int k = X; k <= Y; k++) {
        m->r[k] = v_select(lanes, m->r[k] + m->r[k + VX - X] * t, m->r[k]);
    }
    for (int k = MX; k < UX; k++) {
        m->r[k] = v_select(lanes, m->r[k] + m->r[k + UX - MX] * t, m->r[k]);
    }
}

CAROM_LANE void motion_open(motion *m)
{
    m->r[SCORED] = m->r[COUNT] = hockey_number(0);
    m->r[LEFT] = hockey_number(1);
}

CAROM_LANE vmask motion_detect(motion *m, vmask active)
{
    hockey_first(m, m->r[LEFT]);
    const vmask meets = v_gt(m->r[WHAT], v_set1(NOTHING));
    hockey_advance(m, m->r[LEFT], m_andnot(active, meets));
    return m_and(active, meets);
}

/* A mallet's mass is without end: only the puck changes. */
CAROM_LANE void hockey_hit(motion *m, int i, double bounce, vmask lanes)
{
    const vreal nx = m->r[X] - m->r[MX + i], ny = m->r[Y] - m->r[MY + i];
    const vreal square = v_max(hockey_number(1), dot_product(nx, ny, nx, ny));
    const vreal away = dot_product(m->r[VX] - m->r[UX + i], m->r[VY] - m->r[UY + i], nx, ny);
    const vreal push = hockey_number(-1 - bounce) * (away / square);
    m->r[VX] = v_select(lanes, m->r[VX] + push * nx, m->r[VX]);
    m->r[VY] = v_select(lanes, m->r[VY] + push * ny, m->r[VY]);
}

/* The puck is thrown back by the wall at `wall` or -`wall`. */
CAROM_LANE void hockey_reflect(motion *m, int coordinate, double wall, double bounce, vmask lanes)
{
    vreal *x = &m->r[X + coordinate], *v = &m->r[VX + coordinate];
    *x = v_select(lanes, hockey_towards(*v, wall), *x);
    *v = v_select(lanes, *v * hockey_number(-bounce), *v);
}

static void hockey_record(const tick_run *run, const motion *m, unsigned lanes, const int32_t *home)
{
    alignas(64) real left[LANES], what[LANES];
    v_store(left, m->r[LEFT]);
    v_store(what, m->r[WHAT]);
    EACH_LANE (l, lanes) {
        carom_event *event = run_record(run, (unsigned)home[l]);
        if (event != NULL) { /* kind 0: a mallet; kind 1: 0 a side, 1 an end */
            const uint32_t met = (uint32_t)what[l];
            event->left = (double)left[l];
            event->first = 2;
            event->kind = met >= SIDE;
            event->second = met - (met >= SIDE ? SIDE : MALLET);
            event->part = 0;
        }
    }
}

CAROM_LANE vmask motion_resolve(motion *m, vmask active, const int32_t *home, motion_context *run)
{
    const vreal zero = hockey_number(0), one = hockey_number(1), what = m->r[WHAT];
    const double bounce = run->context->bounce;
    hockey_advance(m, m->r[FIRST], active);
    m->r[LEFT] = m->r[LEFT] - m->r[FIRST];
    m->r[COUNT] = m->r[COUNT] + one;
    run_count_impacts(run, (unsigned)__builtin_popcount(m_bits(active)));
    if (run_records(run)) {
        hockey_record(run, m, m_bits(active), home);
    }
    hockey_hit(m, 0, bounce, m_and(active, v_eq(what, v_set1(MALLET))));
    hockey_hit(m, 1, bounce, m_and(active, v_eq(what, v_set1(MALLET + 1))));
    hockey_reflect(m, 1, HOCKEY_SIDE, bounce, m_and(active, v_eq(what, v_set1(SIDE))));
    const vmask end = m_and(active, v_eq(what, v_set1(END)));
    const vmask goal = m_and(end, v_lt(v_abs(m->r[Y]), hockey_number(HOCKEY_OPENING)));
    m->r[SCORED] = v_select(goal, v_select(v_gt(m->r[X], zero), one, -one), m->r[SCORED]);
    hockey_reflect(m, 0, HOCKEY_END, bounce, m_andnot(end, goal));
    const vmask pinned = m_and(active, v_ge(m->r[COUNT], hockey_number(HOCKEY_IMPACTS)));
    m->r[VX] = v_select(pinned, zero, m->r[VX]);
    m->r[VY] = v_select(pinned, zero, m->r[VY]);
    return m_andnot(m_and(active, v_gt(m->r[LEFT], zero)), m_or(goal, pinned));
}

CAROM_LANE void motion_overrun(int32_t home, motion_context *run)
{
    run_overrun(run, (unsigned)home);
}

/* ---- what is remembered of a run during a tick ---- */

typedef struct hockey_turn {
    vreal ux[2], uy[2]; /* the mallets' velocities in this tick */
    vreal first, what;
    uint16_t goal[2]; /* lanes in which the player has scored */
} hockey_turn;

struct rules_scratch {
    worklist list;
    hockey_turn turns[RUN_GROUPS];
};

CAROM_LANE hockey_turn *hockey_turn_of(const tick_run *run, unsigned home)
{
    return &run->own->turns[home / LANES];
}

/* ---- command: players push their mallets; both play from left to right ---- */

CAROM_LANE vreal hockey_clamp(vreal a, vreal low, vreal high)
{
    return v_max(v_min(a, high), low);
}

/* A mallet's velocity along one coordinate, so that at the end of the tick it is between low and high. */
CAROM_LANE vreal hockey_drive(vreal x, vreal v, vreal number, double low, double high)
{
    const vreal one = hockey_number(1), fast = hockey_number(HOCKEY_SPEED);
    number = hockey_clamp(v_select(v_eq(number, number), number, hockey_number(0)), -one, one);
    v = hockey_clamp(v + number * hockey_number(HOCKEY_PUSH), -fast, fast);
    return hockey_clamp(x + v, hockey_number(low), hockey_number(high)) - x;
}

#define HOCKEY_FAR (HOCKEY_LONG - HOCKEY_MALLET)
#define HOCKEY_BAND (HOCKEY_WIDE - HOCKEY_MALLET)

CAROM_LANE void rules_command(tick_run *run, unsigned home, tick_world w, unsigned active, tick_numbers numbers,
                              uint32_t kind)
{
    (void)active, (void)kind;
    hockey_turn *t = hockey_turn_of(run, home);
    t->ux[0] =
        hockey_drive(get_mallet_x(w, 0), get_mallet_vx(w, 0), number_f32(numbers, 0), -HOCKEY_FAR, -HOCKEY_BORDER);
    t->ux[1] =
        hockey_drive(get_mallet_x(w, 1), get_mallet_vx(w, 1), -number_f32(numbers, 2), HOCKEY_BORDER, HOCKEY_FAR);
    for (int i = 0; i < 2; i++) {
        t->uy[i] = hockey_drive(get_mallet_y(w, i), get_mallet_vy(w, i), number_f32(numbers, 2 * (unsigned)i + 1),
                                -HOCKEY_BAND, HOCKEY_BAND);
    }
}

/* ---- look and take: which worlds have an impact, and what the worklist is told of them ---- */

CAROM_LANE bool rules_near(const tick_run *run, unsigned home)
{
    (void)run, (void)home;
    return true; /* rules_look() costs less than to ask */
}

CAROM_LANE void rules_take(const tick_run *run, unsigned home, tick_world w, motion *m)
{
    const hockey_turn *t = hockey_turn_of(run, home);
    for (int i = 0; i < 2; i++) {
        m->r[X + i] = get_puck(w, i);
        m->r[VX + i] = get_puck_v(w, i);
        m->r[MX + i] = get_mallet_x(w, i);
        m->r[MY + i] = get_mallet_y(w, i);
        m->r[UX + i] = t->ux[i];
        m->r[UY + i] = t->uy[i];
    }
    m->r[FIRST] = t->first;
    m->r[WHAT] = t->what;
}

CAROM_LANE unsigned rules_look(tick_run *run, unsigned home, tick_world w)
{
    hockey_turn *t = hockey_turn_of(run, home);
    motion m;
    t->first = t->what = hockey_number(0);
    rules_take(run, home, w, &m);
    hockey_first(&m, hockey_number(1));
    t->first = m.r[FIRST];
    t->what = m.r[WHAT];
    return run_group_of(run, home)->active & m_bits(v_gt(t->what, v_set1(NOTHING)));
}

/* ---- finish: where the motion has left the puck; it glides, and not too fast ---- */

struct rules_end {
    vreal x[2], v[2], scored;
};

CAROM_LANE void rules_move(tick_run *run, unsigned home, tick_world w, struct rules_end *end)
{
    const run_group *group = run_group_of(run, home);
    end->scored = hockey_number(0);
    for (int i = 0; i < 2; i++) {
        end->v[i] = get_puck_v(w, i);
        end->x[i] = get_puck(w, i) + end->v[i];
    }
    if (group->event != 0) {
        const vmask event = m_from_bits(group->event);
        const worklist *list = &run->own->list;
        end->scored = worklist_take(list, SCORED, end->scored, event, group->slot);
        for (int i = 0; i < 2; i++) {
            end->x[i] = worklist_take(list, X + i, end->x[i], event, group->slot);
            end->v[i] = worklist_take(list, VX + i, end->v[i], event, group->slot);
        }
    }
}

CAROM_LANE void rules_moved(const tick_run *run, unsigned home, const struct rules_end *end, unsigned body,
                            vreal where[4])
{
    const hockey_turn *t = hockey_turn_of(run, home);
    const tick_world w = run_world(run, home);
    const int i = (int)(body & 1);
    where[0] = body == 2 ? end->x[0] : get_mallet_x(w, i) + t->ux[i];
    where[1] = body == 2 ? end->x[1] : get_mallet_y(w, i) + t->uy[i];
    where[2] = body == 2 ? end->v[0] : t->ux[i];
    where[3] = body == 2 ? end->v[1] : t->uy[i];
}

/* Rounding may leave things beyond their bounds, which the next tick puts right: faults, and checks, allow 1. */
#define HOCKEY_BOUND_X (HOCKEY_LONG + 1)
#define HOCKEY_BOUND_Y (HOCKEY_WIDE + 1)

CAROM_LANE vmask rules_finish(tick_run *run, unsigned home, tick_world w, unsigned active, struct rules_end *end,
                              unsigned *nan)
{
    (void)run, (void)home, (void)w, (void)active;
    const vreal glide = hockey_number(HOCKEY_GLIDE), most = hockey_number(HOCKEY_FAST);
    const vreal vx = end->v[0] * glide, vy = end->v[1] * glide;
    const vreal speed = v_sqrt(dot_product(vx, vy, vx, vy));
    const vmask over = v_gt(speed, most);
    const vreal scale = v_select(over, most / speed, hockey_number(1));
    end->v[0] = vx * scale;
    end->v[1] = vy * scale;
    const vreal sum = end->x[0] + end->x[1] + speed;
    *nan = m_bits(v_ne(sum, sum));
    return m_and(m_and(v_le(v_abs(end->x[0]), hockey_number(HOCKEY_BOUND_X)),
                       v_le(v_abs(end->x[1]), hockey_number(HOCKEY_BOUND_Y))),
                 v_le(speed, v_set1(REAL_MAX)));
}

CAROM_LANE void rules_store(tick_run *run, unsigned home, tick_world w, const struct rules_end *end, tick_kept kept)
{
    hockey_turn *t = hockey_turn_of(run, home);
    for (int i = 0; i < 2; i++) {
        set_puck(w, i, end->x[i], kept);
        set_puck_v(w, i, end->v[i], kept);
        set_mallet_x(w, i, get_mallet_x(w, i) + t->ux[i], kept);
        set_mallet_y(w, i, get_mallet_y(w, i) + t->uy[i], kept);
        set_mallet_vx(w, i, t->ux[i], kept);
        set_mallet_vy(w, i, t->uy[i], kept);
    }
    t->goal[0] = (uint16_t)m_bits(v_gt(end->scored, hockey_number(0)));
    t->goal[1] = (uint16_t)m_bits(v_lt(end->scored, hockey_number(0)));
}

/* ---- settle and decide: goals, and the end of a game ---- */

/* Mallets at home, the puck at rest at (x, y). */
static void hockey_serve(tick_world w, real x, real y)
{
    *at_puck(w, 0) = x;
    *at_puck(w, 1) = y;
    for (int i = 0; i < 2; i++) {
        *at_puck_v(w, i) = *at_mallet_vx(w, i) = *at_mallet_vy(w, i) = *at_mallet_y(w, i) = 0;
        *at_mallet_x(w, i) = (real)((2 * i - 1) * (HOCKEY_FAR - HOCKEY_MALLET));
    }
}

CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    const hockey_turn *t = hockey_turn_of(run, home);
    const unsigned goal[2] = {t->goal[0] & kept, t->goal[1] & kept};
    for (int i = 0; i < 2; i++) {
        EACH_LANE (l, goal[i]) { /* the puck to whom the goal was scored against */
            ++*at_score(world_of(w, l), i);
            hockey_serve(world_of(w, l), (real)((1 - 2 * i) * HOCKEY_SERVE), 0);
        }
        run_count_goals(run, (unsigned)__builtin_popcount(goal[i]));
    }
    if (reward != NULL) {
        const vreal zero = hockey_number(0), one = hockey_number(1);
        reward[0] = v_select(m_from_bits(goal[0]), one, v_select(m_from_bits(goal[1]), -one, zero));
        reward[1] = zero - reward[0];
    }
    return goal[0] | goal[1] | m_bits(i_gt(get_tick(w), i_set1(run->context->ticks - 1)));
}

static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    (void)home;
    const int ahead = *at_score(w, 0) - *at_score(w, 1), leader = ahead > 0 ? 0 : ahead < 0 ? 1 : -1;
    if (*at_score(w, 0) >= run->context->goals || *at_score(w, 1) >= run->context->goals) {
        return verdict_of(CAROM_TERMINATED, leader);
    }
    return world_tick(w) < run->context->ticks ? verdict_running() : verdict_of(CAROM_TRUNCATED, leader);
}

/* ---- observe and value: each player sees itself on the left ---- */

CAROM_LANE void rules_observe(const rules_context *context, tick_world w, tick_view view)
{
    const vreal far = hockey_number(1 / HOCKEY_LONG), slow = hockey_number(1 / HOCKEY_FAST);
    for (unsigned p = 0; p < 2; p++) {
        const vreal sign = hockey_number(p == 0 ? 1 : -1);
        for (unsigned k = 0; k < 2; k++) { /* its own mallet first */
            const int i = (int)(p ^ k);
            view_put(view, p, 4 * k, get_mallet_x(w, i) * far * sign);
            view_put(view, p, 4 * k + 1, get_mallet_y(w, i) * far);
            view_put(view, p, 4 * k + 2, get_mallet_vx(w, i) * slow * sign);
            view_put(view, p, 4 * k + 3, get_mallet_vy(w, i) * slow);
            view_put(view, p, 12 + k, v_from_int(get_score(w, i)) * hockey_number(1.0 / context->goals));
        }
        view_put(view, p, 8, get_puck(w, 0) * far * sign);
        view_put(view, p, 9, get_puck(w, 1) * far);
        view_put(view, p, 10, get_puck_v(w, 0) * slow * sign);
        view_put(view, p, 11, get_puck_v(w, 1) * slow);
        view_put(view, p, 14, v_from_int(get_tick(w)) * hockey_number(1.0 / context->ticks));
    }
}

/* Goals ahead, and a tenth for where the puck is. */
CAROM_LANE void rules_value(const rules_context *context, tick_world w, tick_values values)
{
    (void)context;
    const vreal goals = v_from_int(get_score(w, 0)) - v_from_int(get_score(w, 1));
    const vreal ahead = goals + get_puck(w, 0) * hockey_number(0.1 / HOCKEY_LONG);
    value_put(values, 0, ahead);
    value_put(values, 1, -ahead);
}

/* ---- one world: its start, and what it may hold ---- */

enum { HOCKEY_DRAW_START = 1 };

static void rules_start(const rules_context *context, uint64_t seed, tick_world w)
{
    (void)context;
    random_stream draws = random_begin(seed, world_id(w), HOCKEY_DRAW_START, world_episode(w));
    hockey_serve(w, 0, (real)(random_number(random_word(&draws)) * HOCKEY_WIDE / 2));
    *at_puck_v(w, 0) = (real)(random_number(random_word(&draws)) * HOCKEY_SPEED);
    *at_score(w, 0) = *at_score(w, 1) = 0;
}

static bool hockey_within(real a, double low, double high)
{
    return (double)a >= low && (double)a <= high; /* false for NaN */
}

static bool rules_check(const rules_context *context, tick_world w)
{
    bool good = hockey_within(*at_puck(w, 0), -HOCKEY_BOUND_X, HOCKEY_BOUND_X) &&
                hockey_within(*at_puck(w, 1), -HOCKEY_BOUND_Y, HOCKEY_BOUND_Y);
    for (int i = 0; i < 2; i++) {
        good = good && hockey_within(*at_puck_v(w, i), -HOCKEY_FAST - 1, HOCKEY_FAST + 1) &&
               hockey_within((real)(2 * i - 1) * *at_mallet_x(w, i), HOCKEY_BORDER - 1, HOCKEY_FAR + 1) &&
               hockey_within(*at_mallet_y(w, i), -HOCKEY_BAND - 1, HOCKEY_BAND + 1) &&
               hockey_within(*at_mallet_vx(w, i), -HOCKEY_SPEED - 1, HOCKEY_SPEED + 1) &&
               hockey_within(*at_mallet_vy(w, i), -HOCKEY_SPEED - 1, HOCKEY_SPEED + 1) && *at_score(w, i) >= 0 &&
               *at_score(w, i) <= context->goals;
    }
    return good;
}

static void rules_derive(const rules_context *context, tick_world w)
{
    (void)context, (void)w; /* no field follows from the others */
}

/* ---- options and policies ---- */

#if defined(CAROM_KIT_HOST)

static void rules_prepare(const rules_options *options, rules_context *context)
{
    context->bounce = options->bounce;
    context->goals = (int)options->goals;
    context->ticks = (int)options->ticks;
}

enum { CHASE, RANDOM };

/* The push that brings a mallet at x with velocity v to `to`, and has it stop there. */
static double hockey_steer(double x, double v, double to)
{
    return ((to - x) / 4 - v) / HOCKEY_PUSH;
}

/* After the puck while it is in its own half, from behind; else between the goal and the puck. */
static void rules_policy(const rules_context *context, see_world w, int player, unsigned policy, unsigned kind,
                         random_stream *draws, double *numbers)
{
    (void)context, (void)kind;
    const double sign = player == 0 ? 1 : -1;
    const double x = sign * see_mallet_x(w, player), y = see_mallet_y(w, player);
    const double px = sign * see_puck(w, 0), py = see_puck(w, 1), pvx = sign * see_puck_v(w, 0);
    double to_x = -HOCKEY_FAR + HOCKEY_MALLET, to_y = py / 3;
    if (px <= HOCKEY_PUCK) { /* from behind: at first past it, on the goal's side */
        to_x = px > x + HOCKEY_MALLET ? px + pvx : px - 3 * HOCKEY_MALLET;
        to_y = py + (px > x + HOCKEY_MALLET ? 4 * see_puck_v(w, 1) : 0);
    }
    numbers[0] = hockey_steer(x, sign * see_mallet_vx(w, player), to_x);
    numbers[1] = hockey_steer(y, see_mallet_vy(w, player), to_y);
    for (int k = 0; k < 2; k++) {
        const double drawn = random_number(random_word(draws));
        numbers[k] = policy == RANDOM ? drawn : numbers[k] + drawn / 8; /* nobody is perfect, nor all games alike */
        numbers[k] = numbers[k] < -1 ? -1 : numbers[k] > 1 ? 1 : numbers[k];
    }
}

#endif

/* ---- what it looks like ---- */

#if defined(CAROM_KIT_HOST)

static const look_group hockey_groups[] = {
    {.name = "mallet",
     .count = 1,
     .style = CAROM_LOOK_FIRST,
     .radius = HOCKEY_MALLET,
     .mass = 1,
     .x = {"mallet_x", 0},
     .y = {"mallet_y", 0},
     .vx = {"mallet_vx", 0},
     .vy = {"mallet_vy", 0}},
    {.name = "mallet",
     .count = 1,
     .style = CAROM_LOOK_SECOND,
     .radius = HOCKEY_MALLET,
     .mass = 1,
     .x = {"mallet_x", 1},
     .y = {"mallet_y", 1},
     .vx = {"mallet_vx", 1},
     .vy = {"mallet_vy", 1}},
    {.name = "puck",
     .count = 1,
     .style = CAROM_LOOK_BALL,
     .radius = HOCKEY_PUCK,
     .mass = 1,
     .x = {"puck", 0},
     .y = {"puck", 1},
     .vx = {"puck_v", 0},
     .vy = {"puck_v", 1}},
};

static const look_number hockey_numbers[] = {{"score", 0, "score", 0}, {"score", 1, "score", 1}};

static void hockey_shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    (void)worlds, (void)world;
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
    .view = {-1.05 * HOCKEY_LONG, -1.1 * HOCKEY_WIDE, 1.05 * HOCKEY_LONG, 1.1 * HOCKEY_WIDE, false, true, false},
    .groups = hockey_groups,
    .group_count = sizeof hockey_groups / sizeof hockey_groups[0],
    .numbers = hockey_numbers,
    .number_count = sizeof hockey_numbers / sizeof hockey_numbers[0],
    .shapes = hockey_shapes,
};
#define RULES_LOOK hockey_look

#endif

#include <carom/kit/game.h>
