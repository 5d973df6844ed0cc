/* SPDX-License-Identifier: MIT
 * The built-in drivers of csb in lanes: `race`, `random`, `ram`, `pile` and `drive`. They choose a heading and a thrust
 * in double precision, whatever the worlds' precision; the end of this file converts these to each kind of action.
 */
#include "games/csb/csb.h"
#include "simd/elementary.h"

#define RULES_FIELDS CSB_FIELDS
#include "tick/policy.h"

enum { RACE, RANDOM, RAM, PILE, DRIVE };

/* A racing pod facing away from its target draws one of RACE_BACK_THRUSTS thrusts, from 0 up. On a long straight it
 * boosts in one of RACE_BOOSTS_ONE_IN ticks. */
#define RACE_BACK_THRUSTS 61
#define RACE_BOOSTS_ONE_IN 16

/* `drive`, for the runner: the angle in radians from which a target counts as aside; how near to its centre it must
 * pass a checkpoint, in units; for how many ticks at its speed it may coast before that; by how many ticks of drift it
 * corrects its aim; its thrust while it passes. For the guard: how much farther from the gate than the rival it may be;
 * how far before the gate it waits; from which distance it drives at the rival; their closing speed, units a tick; and
 * what counts as a hard hit. */
#define DRIVE_ASIDE 1.2
#define DRIVE_WITHIN 450
#define DRIVE_ROLL 4
#define DRIVE_DRIFT 3
#define DRIVE_PASSING 120
#define DRIVE_LATE 1500
#define DRIVE_BEFORE 900
#define DRIVE_NEAR 3500
#define DRIVE_CLOSING 800
#define DRIVE_HARD 350

typedef struct pod {
    vreal x, y, vx, vy, angle;
} pod;

/* The intents of the drivers of a tile's pods. */
typedef struct intents {
    alignas(64) double heading[CSB_PODS][SEE_LANES]; /* an angle on the board */
    double turn[CSB_PODS][SEE_LANES];                /* from where the pod points to `heading`, in [-pi, pi] */
    double thrust[CSB_PODS][SEE_LANES];
    int32_t below[CSB_PODS][SEE_LANES]; /* `race`: draw a number below this; 0: draw none */
    int32_t drawn[CSB_PODS][SEE_LANES]; /* the number */
} intents;

CAROM_LANE pod pod_of(see_world w, int i)
{
    const pod p = {see_x(w, i), see_y(w, i), see_vx(w, i), see_vy(w, i), see_angle(w, i)};
    return p;
}

/* a - b in [-pi, pi]. */
CAROM_LANE vreal angle_between(vreal a, vreal b)
{
    const vreal d = a - b;
    const bool near = !m_any(v_ge(v_abs(d), v_set1(2 * V_TWO_PI))); /* nearly always */
    const vreal da = near ? v_remainder_two_pi_once(d) : v_remainder_two_pi(d);
    return v_remainder_two_pi_once(v_set1(2) * da) - da;
}

/* Turns pod i towards a point (dx, dy) away, with full thrust, or none while the point is behind; returns the lanes
 * where it is. */
CAROM_LANE vmask towards(const pod *p, vreal dx, vreal dy, int i, unsigned at, intents *wanted)
{
    const vreal heading = v_atan2(dy, dx), turn = angle_between(heading, p->angle);
    const vmask behind = m_or(v_lt(turn, v_set1(-V_HALF_PI)), v_gt(turn, v_set1(V_HALF_PI)));
    v_store(&wanted->heading[i][at], heading);
    v_store(&wanted->turn[i][at], turn);
    v_store(&wanted->thrust[i][at], v_select(behind, v_set1(0), v_set1(CSB_MAX_THRUST)));
    return behind;
}

/* Drives to the next checkpoint, with an aim that cancels the drift. Returns the lanes that must draw a number: those
 * with the target behind, and those that may boost on a long straight. */
CAROM_LANE unsigned race(see_world w, int i, intents *wanted)
{
    const pod p = pod_of(w, i);
    const vreal cx = see_cx(w, i), cy = see_cy(w, i), three = v_set1(3);
    const vreal x = cx - three * p.vx, y = cy - three * p.vy;
    const vmask behind = towards(&p, x - p.x, y - p.y, i, w.at, wanted);

    const vreal turn = v_load(&wanted->turn[i][w.at]), dx = cx - p.x, dy = cy - p.y;
    const vmask ahead = m_and(v_gt(turn, v_set1(-0.25)), v_lt(turn, v_set1(0.25)));
    const vmask far = v_gt(dx * dx + dy * dy, v_set1(4000.0 * 4000.0));
    const vmask may_boost = i_eq(see_boosted(w, i), i_set1(0));
    const vmask straight = m_and(m_and(ahead, far), may_boost);

    const vint below = i_select(straight, i_set1(RACE_BOOSTS_ONE_IN), i_set1(0));
    i_store32(&wanted->below[i][w.at], i_select(behind, i_set1(RACE_BACK_THRUSTS), below));
    return m_bits(m_or(behind, straight));
}

/* sin(2 pi x), within 1e-5: a parabola for each half-turn, with a correction. */
CAROM_LANE vreal rough_sine(vreal x)
{
    const vreal f = x - v_floor(x + v_set1(0.5));
    const vreal s = f * (v_set1(8) - v_set1(16) * v_abs(f));
    const vreal p = v_abs(s);
    return s * (v_set1(0.785554) + p * (v_set1(0.19541) + p * v_set1(0.019028)));
}

/* Only the draws of race(), at half the cost: a rough cosine of the turn decides them, unless it is too near to a bound
 * for some pod. */
CAROM_LANE void race_draws(see_world w, int i, intents *wanted)
{
    const pod p = pod_of(w, i);
    const vreal cx = see_cx(w, i), cy = see_cy(w, i), three = v_set1(3);
    const vreal x = cx - three * p.vx - p.x, y = cy - three * p.vy - p.y;
    const vreal dx = cx - p.x, dy = cy - p.y, turns = p.angle * v_set1(1 / V_TWO_PI);
    const vreal dot = x * rough_sine(turns + v_set1(0.25)) + y * rough_sine(turns);
    const vreal dots = dot * dot, squares = x * x + y * y;

    /* Compare squares of the cosine, dot / sqrt(squares), with those of the bounds. cos(0.25)^2 is 0.938791, which lies
     * between the two here, further from both than the error of a square due to the rough sines, 3e-5; for thrust the
     * bound is the right angle. Comparisons are false for NaN. */
    const vmask may = m_and(v_gt(dx * dx + dy * dy, v_set1(4000.0 * 4000.0)), i_eq(see_boosted(w, i), i_set1(0)));
    const vmask ahead = v_gt(dots, v_set1(0.9389) * squares);
    const vmask aside = v_lt(dots, v_set1(0.9387) * squares);
    const vmask clear = v_gt(dots, v_set1(1e-8) * squares);
    if (!m_all(m_and(clear, m_or(m_or(ahead, aside), m_not(may))))) {
        (void)race(w, i, wanted);
        return;
    }

    const vint below = i_select(m_and(ahead, may), i_set1(RACE_BOOSTS_ONE_IN), i_set1(0));
    i_store32(&wanted->below[i][w.at], i_select(v_lt(dot, v_set1(0)), i_set1(RACE_BACK_THRUSTS), below));
}

/* Draws the numbers below wanted->below, pod by pod, as random_below() does, but for all worlds of a tile at once. Each
 * takes one word of the first block of its world's stream. Returns the lanes in which random_below() would have
 * rejected a word and taken another. */
static unsigned race_draw(const random_streams *streams, int end, intents *wanted)
{
    int32_t used[SEE_LANES] = {0}, again[SEE_LANES] = {0};
    for (int i = 0; i < end; i++) {
        for (int l = 0; l < SEE_LANES; l++) {
            const uint32_t below = (uint32_t)wanted->below[i][l];
            const uint32_t early = used[l] == 0 ? streams->words[0][l] : streams->words[1][l];
            const uint32_t late = used[l] == 2 ? streams->words[2][l] : streams->words[3][l];
            const uint64_t product = (uint64_t)(used[l] < 2 ? early : late) * below;
            wanted->drawn[i][l] = (int32_t)(product >> 32);
            again[l] |= (uint32_t)product < below;
            used[l] += below != 0;
        }
    }

    unsigned lanes = 0;
    for (unsigned l = 0; l < SEE_LANES; l++) {
        lanes |= (unsigned)again[l] << l;
    }
    return lanes;
}

/* Draws the numbers of one world word by word, with rejections. */
static void race_draw_one(const random_streams *streams, unsigned l, int end, intents *wanted)
{
    random_lane draws = {streams, l, 0};
    for (int i = 0; i < end; i++) {
        if (wanted->below[i][l] != 0) {
            wanted->drawn[i][l] = (int32_t)random_lane_below(&draws, (uint32_t)wanted->below[i][l]);
        }
    }
}

/* Applies the drawn numbers. A pod with its target behind gets a small random thrust, so that pods with equal starts
 * separate; a pod on a long straight occasionally boosts. */
CAROM_LANE void race_take(unsigned at, int i, intents *wanted)
{
    const vint below = i_load32(&wanted->below[i][at]), drawn = i_load32(&wanted->drawn[i][at]);
    const vmask behind = i_eq(below, i_set1(RACE_BACK_THRUSTS));
    const vmask boost = m_and(i_eq(below, i_set1(RACE_BOOSTS_ONE_IN)), i_eq(drawn, i_set1(0)));
    const vreal thrust = v_select(behind, v_from_int(drawn), v_load(&wanted->thrust[i][at]));
    v_store(&wanted->thrust[i][at], v_select(boost, v_set1(CAROM_CSB_BOOST), thrust));
}

/* The race of pods [first, end) of a tile. Pods of a world draw one after the other, so the draws of pods before
 * `first` must be made, too. */
static void race_tile(const policy_question *question, int first, int end, intents *wanted)
{
    unsigned draw = 0;
    random_streams streams;

    /* Generate the words before knowing whether any pod draws: in most tiles one does, and the processor overlaps this
     * with the headings. */
    see_streams(question, CSB_DRAW_POLICY, 10, 1, &streams);
    EACH_SEEN_GROUP(at)
    {
        const see_world w = see_world_at(question->tile, question->precision, at);
        unsigned lanes = 0;
        for (int i = first; i < end; i++) {
            lanes |= race(w, i, wanted);
        }
        for (int i = 0; i < first; i++) {
            if (lanes != 0) {
                race_draws(w, i, wanted);
            } else {
                i_store32(&wanted->below[i][at], i_set1(0));
            }
        }
        draw |= lanes;
    }

    if (draw == 0) {
        return;
    }
    const unsigned again = race_draw(&streams, end, wanted);
    EACH_LANE (l, again) {
        race_draw_one(&streams, l, end, wanted);
    }
    EACH_SEEN_GROUP(at)
    {
        for (int i = first; i < end; i++) {
            race_take(at, i, wanted);
        }
    }
}

/* A random reachable heading and a random thrust, for pods [first, end) of a tile. */
static void random_tile(const policy_question *question, int first, int end, intents *wanted)
{
    random_streams streams;
    see_streams(question, CSB_DRAW_POLICY, 10, CSB_PODS / 2, &streams); /* two words per pod */
    const double unit = 1.0 / 4294967296.0;
    for (unsigned l = 0; l < SEE_LANES; l++) {
        random_lane draws = {&streams, l, 0};
        for (int i = 0; i < end; i++) {
            wanted->turn[i][l] = (2 * (random_lane_word(&draws) * unit) - 1) * CSB_MAX_TURN;
            wanted->thrust[i][l] = random_lane_below(&draws, CSB_MAX_THRUST + 1);
        }
    }

    EACH_SEEN_GROUP(at)
    {
        const see_world w = see_world_at(question->tile, question->precision, at);
        for (int i = first; i < end; i++) {
            const vreal angle = see_angle(w, i), heading = angle + v_load(&wanted->turn[i][at]);
            v_store(&wanted->heading[i][at], heading);
            v_store(&wanted->turn[i][at], angle_between(heading, angle));
        }
    }
}

/* Drives at the nearest other pod's position after one tick, relative to this one's. */
CAROM_LANE void ram(see_world w, int self, intents *wanted)
{
    const pod p = pod_of(w, self);
    pod nearest = p;
    vreal least = v_set1(0);
    bool found = false;

    /* Lanes may differ in which pod is nearest. */
    for (int i = 0; i < CSB_PODS; i++) {
        if (i != self) {
            const pod other = pod_of(w, i);
            const vreal dx = other.x - p.x, dy = other.y - p.y;
            const vreal d = dx * dx + dy * dy;
            const vmask nearer = found ? v_lt(d, least) : m_below(LANES);
            nearest.x = v_select(nearer, other.x, nearest.x);
            nearest.y = v_select(nearer, other.y, nearest.y);
            nearest.vx = v_select(nearer, other.vx, nearest.vx);
            nearest.vy = v_select(nearer, other.vy, nearest.vy);
            least = v_select(nearer, d, least);
            found = true;
        }
    }

    const vreal x = nearest.x + nearest.vx - p.vx, y = nearest.y + nearest.vy - p.vy;
    (void)towards(&p, x - p.x, y - p.y, self, w.at, wanted);
}

/* Full thrust to the middle of the board. */
CAROM_LANE void pile(see_world w, int i, intents *wanted)
{
    const pod p = pod_of(w, i);
    const vreal heading = v_atan2(v_set1(4500) - p.y, v_set1(8000) - p.x);
    v_store(&wanted->heading[i][w.at], heading);
    v_store(&wanted->turn[i][w.at], angle_between(heading, p.angle));
    v_store(&wanted->thrust[i][w.at], v_set1(CSB_MAX_THRUST));
}

/* ---- drive: the leading pod drives lines and brakes for corners, the other blocks the rival ---- */

/* A pod and its next two checkpoints. */
typedef struct course {
    pod p;
    vreal cx, cy, after_x, after_y;
    vreal progress; /* grows along the course */
} course;

CAROM_LANE course select_course(vmask m, const course *a, const course *b)
{
    const course c = {{v_select(m, a->p.x, b->p.x), v_select(m, a->p.y, b->p.y), v_select(m, a->p.vx, b->p.vx),
                       v_select(m, a->p.vy, b->p.vy), v_select(m, a->p.angle, b->p.angle)},
                      v_select(m, a->cx, b->cx),
                      v_select(m, a->cy, b->cy),
                      v_select(m, a->after_x, b->after_x),
                      v_select(m, a->after_y, b->after_y),
                      v_select(m, a->progress, b->progress)};
    return c;
}

CAROM_LANE vreal length_of(vreal x, vreal y)
{
    return v_sqrt(x * x + y * y);
}

/* Pod i and its targets. The last checkpoint replaces those after it. */
CAROM_LANE course course_of(const csb_context *context, see_world w, int i)
{
    alignas(64) int32_t map[LANES], next[LANES];
    alignas(64) double x[LANES], y[LANES];
    i_store32(map, see_map(w, 0));
    i_store32(next, see_next(w, i));
    for (unsigned l = 0; l < LANES; l++) {
        const csb_course *on = &context->courses[map[l]];
        const int32_t *point = context->points[on->first + (next[l] < on->last ? next[l] + 1 : on->last)];
        x[l] = point[0];
        y[l] = point[1];
    }
    course c = {pod_of(w, i), see_cx(w, i), see_cy(w, i), v_load(x), v_load(y), v_set1(0)};
    const vreal left = length_of(c.cx - c.p.x, c.cy - c.p.y);
    c.progress = v_from_int(see_next(w, i)) - v_min(left / v_set1(CSB_LEG), v_set1(1));
    return c;
}

/* Turns pod i towards (dx, dy) with `thrust`, or a tenth of it while that is far aside. */
CAROM_LANE void steer(const pod *p, vreal dx, vreal dy, vreal thrust, int i, unsigned at, intents *wanted)
{
    const vreal heading = v_atan2(dy, dx), turn = angle_between(heading, p->angle);
    const vmask aside = v_gt(v_abs(turn), v_set1(DRIVE_ASIDE));
    v_store(&wanted->heading[i][at], heading);
    v_store(&wanted->turn[i][at], turn);
    v_store(&wanted->thrust[i][at], v_floor(v_select(aside, thrust * v_set1(0.1), thrust)));
}

/* The lanes where the pod will pass its checkpoint even if it only coasts: there it turns to the next one. */
CAROM_LANE vmask is_passing(const course *c)
{
    const vreal dx = c->cx - c->p.x, dy = c->cy - c->p.y, speed = length_of(c->p.vx, c->p.vy) + v_set1(1e-9);
    const vreal along = (dx * c->p.vx + dy * c->p.vy) / speed, aside = (dx * c->p.vy - dy * c->p.vx) / speed;
    const vmask meets = v_lt(v_abs(aside), v_set1(DRIVE_WITHIN));
    return m_and(meets, m_and(v_gt(along, v_set1(0)), v_lt(along, v_set1(DRIVE_ROLL) * speed + v_set1(400))));
}

/* The runner: an aim that cancels the drift, and a boost where the course ahead is long and straight. */
CAROM_LANE void run(see_world w, const course *c, int i, intents *wanted)
{
    const vmask passing = is_passing(c);
    const vreal cx = v_select(passing, c->after_x, c->cx), cy = v_select(passing, c->after_y, c->cy);
    const vreal drift = v_select(passing, v_set1(1), v_set1(DRIVE_DRIFT));
    const vreal dx = cx - c->p.x - drift * c->p.vx, dy = cy - c->p.y - drift * c->p.vy;
    steer(&c->p, dx, dy, v_select(passing, v_set1(DRIVE_PASSING), v_set1(CSB_MAX_THRUST)), i, w.at, wanted);

    const vreal turn = v_abs(v_load(&wanted->turn[i][w.at]));
    const vmask far = v_gt(length_of(c->cx - c->p.x, c->cy - c->p.y), v_set1(5000));
    const vmask boosts = m_and(m_and(far, v_lt(turn, v_set1(0.1))), i_eq(see_boosted(w, i), i_set1(0)));
    const vreal thrust = v_load(&wanted->thrust[i][w.at]);
    v_store(&wanted->thrust[i][w.at], v_select(m_andnot(boosts, passing), v_set1(CAROM_CSB_BOOST), thrust));
}

/* The guard: waits before the checkpoint that the rival needs next, or before the one after that if it would arrive too
 * late, and drives at the rival once it is near. */
CAROM_LANE void guard(see_world w, const course *own, const course *rival, int i, intents *wanted)
{
    const pod *p = &own->p, *r = &rival->p;
    const vreal to_gate = length_of(rival->cx - p->x, rival->cy - p->y);
    const vreal its = length_of(rival->cx - r->x, rival->cy - r->y);
    const vmask late = v_gt(to_gate, its + v_set1(DRIVE_LATE));
    const vreal gate_x = v_select(late, rival->after_x, rival->cx), gate_y = v_select(late, rival->after_y, rival->cy);

    /* It waits between the gate and where the rival comes from. */
    const vreal from_x = v_select(late, rival->cx, r->x) - gate_x, from_y = v_select(late, rival->cy, r->y) - gate_y;
    const vreal share = v_set1(DRIVE_BEFORE) / (length_of(from_x, from_y) + v_set1(DRIVE_BEFORE));
    const vreal drift = v_set1(DRIVE_DRIFT);
    const vreal wait_x = gate_x + share * from_x - p->x - drift * p->vx;
    const vreal wait_y = gate_y + share * from_y - p->y - drift * p->vy;
    const vreal wait = v_min(length_of(wait_x, wait_y) * v_set1(0.2), v_set1(CSB_MAX_THRUST));

    /* Or it meets the rival where both will be in a few ticks. */
    const vreal apart = length_of(r->x - p->x, r->y - p->y);
    const vreal ticks = v_min(apart / v_set1(DRIVE_CLOSING), v_set1(6));
    const vreal meet_x = r->x + ticks * r->vx - p->x - ticks * p->vx * v_set1(0.7);
    const vreal meet_y = r->y + ticks * r->vy - p->y - ticks * p->vy * v_set1(0.7);
    const vmask near = m_andnot(v_lt(apart, v_set1(DRIVE_NEAR)), late);
    steer(p, v_select(near, meet_x, wait_x), v_select(near, meet_y, wait_y),
          v_select(near, v_set1(CSB_MAX_THRUST), wait), i, w.at, wanted);
}

/* Raises the shield of pod i if a pod of the other player is about to hit it hard. */
CAROM_LANE void shield(see_world w, int i, intents *wanted)
{
    const pod p = pod_of(w, i);
    vmask struck = m_below(0);
    for (int k = 0; k < CSB_PODS / 2; k++) {
        const pod other = pod_of(w, (i < CSB_PODS / 2 ? CSB_PODS / 2 : 0) + k);
        const vreal dx = other.x - p.x, dy = other.y - p.y, vx = other.vx - p.vx, vy = other.vy - p.vy;
        const vreal d = length_of(dx, dy), closing = (dx * vx + dy * vy) / (d + v_set1(1e-9));
        const vmask touches = v_lt(length_of(dx + vx, dy + vy), v_set1(CSB_TOUCH + 30));
        struck = m_or(struck, m_and(touches, v_lt(closing, v_set1(-DRIVE_HARD))));
    }
    const vreal thrust = v_load(&wanted->thrust[i][w.at]);
    v_store(&wanted->thrust[i][w.at], v_select(struck, v_set1(CAROM_CSB_SHIELD), thrust));
}

/* Both pods of a player. */
CAROM_LANE void drive(const csb_context *context, see_world w, int player, intents *wanted)
{
    const int a = 2 * player, b = 2 - a;
    const course own[2] = {course_of(context, w, a), course_of(context, w, a + 1)};
    const course other[2] = {course_of(context, w, b), course_of(context, w, b + 1)};
    const course rival = select_course(v_ge(other[0].progress, other[1].progress), &other[0], &other[1]);
    const vmask first = v_ge(own[0].progress, own[1].progress);
    for (int k = 0; k < 2; k++) {
        intents guards;
        run(w, &own[k], a + k, wanted);
        guard(w, &own[k], &rival, a + k, &guards);
        const vmask runs = k == 0 ? first : m_not(first);
        double(*const rows[])[SEE_LANES] = {wanted->heading, wanted->turn, wanted->thrust};
        double(*const its[])[SEE_LANES] = {guards.heading, guards.turn, guards.thrust};
        for (int row = 0; row < 3; row++) {
            v_store(&rows[row][a + k][w.at],
                    v_select(runs, v_load(&rows[row][a + k][w.at]), v_load(&its[row][a + k][w.at])));
        }
        shield(w, a + k, wanted);
    }
}

/* ---- actions ---- */

/* The kind `referee`: a target 10,000 units away in the wanted direction, and a thrust. */
CAROM_LANE void put_referee(const policy_question *question, see_world w, int i, const intents *wanted)
{
    const vreal far = v_set1(10000), half = v_set1(0.5);
    vreal s, c;
    v_sincos(v_load(&wanted->heading[i][w.at]), &s, &c);
    act_put_f64(question, w.at, 3 * i, v_floor(see_x(w, i) + far * c + half));
    act_put_f64(question, w.at, 3 * i + 1, v_floor(see_y(w, i) + far * s + half));
    act_put_f64(question, w.at, 3 * i + 2, v_load(&wanted->thrust[i][w.at]));
}

/* The kind `normalised_full`: turn, thrust and boost. On the first tick a pod may turn by half a turn. */
CAROM_LANE void put_full(const policy_question *question, see_world w, int i, vreal turn, vreal thrust)
{
    const vreal one = v_set1(1), boost = v_set1(CAROM_CSB_BOOST);
    const vreal most = v_select(i_eq(see_tick(w, 0), i_set1(0)), v_set1(V_PI), v_set1(CSB_MAX_TURN));
    const vreal share = turn / most;
    act_put_f32(question, w.at, 3 * i, v_select(v_lt(share, -one), -one, v_min(share, one)));
    act_put_f32(question, w.at, 3 * i + 1, v_min(thrust / v_set1(100) - one, one));
    const vreal shielded = v_select(v_eq(thrust, v_set1(CAROM_CSB_SHIELD)), -one, v_set1(0));
    act_put_f32(question, w.at, 3 * i + 2, v_select(v_eq(thrust, boost), one, shielded));
}

/* The kinds `relative`, `normalised` and `normalised_full`. On the first tick a pod may turn by any angle, which only
 * the first and the last can express. */
CAROM_LANE void put_action(const policy_question *question, see_world w, int i, const intents *wanted)
{
    const vreal turn = v_load(&wanted->turn[i][w.at]), thrust = v_load(&wanted->thrust[i][w.at]);
    const vreal most = v_set1(CSB_MAX_TURN), least = v_set1(-CSB_MAX_TURN);
    const vreal clamped = v_select(v_lt(turn, least), least, v_select(v_gt(turn, most), most, turn));

    if (question->kind == CSB_RELATIVE) {
        const vmask first_tick = i_eq(see_tick(w, 0), i_set1(0));
        act_put_f32(question, w.at, 2 * i, v_select(first_tick, turn, clamped));
        act_put_f32(question, w.at, 2 * i + 1, thrust);
        return;
    }
    if (question->kind == CSB_FULL) {
        put_full(question, w, i, turn, thrust);
        return;
    }

    /* `normalised`: the ends of the range mean shield and boost, so keep thrust away from them. */
    const vreal a = thrust / v_set1(100) - v_set1(1), low = v_set1(-0.9), high = v_set1(0.9);
    const vmask may_boost = i_eq(see_boosted(w, i), i_set1(0));
    const vreal safe = v_select(v_lt(a, low), low, v_select(m_and(may_boost, v_gt(a, high)), high, a));
    act_put_f32(question, w.at, 2 * i, clamped / most);
    const vreal word = v_select(v_eq(thrust, v_set1(CAROM_CSB_SHIELD)), v_set1(-1), safe);
    act_put_f32(question, w.at, 2 * i + 1, v_select(v_eq(thrust, v_set1(CAROM_CSB_BOOST)), v_set1(1), word));
}

static void csb_act(const policy_question *question)
{
    const int first = (question->players & 1) != 0 ? 0 : 2, end = (question->players & 2) != 0 ? CSB_PODS : 2;
    intents wanted;

    /* `race` and `random` draw for all worlds of the tile at once. */
    if (question->policy == RACE) {
        race_tile(question, first, end, &wanted);
    } else if (question->policy == RANDOM) {
        random_tile(question, first, end, &wanted);
    }

    EACH_SEEN_GROUP(at)
    {
        const see_world w = see_world_at(question->tile, question->precision, at);
        for (int player = first / 2; player < end / 2 && question->policy == DRIVE; player++) {
            drive((const csb_context *)question->context, w, player, &wanted);
        }
        for (int i = first; i < end; i++) {
            if (question->policy == RAM) {
                ram(w, i, &wanted);
            } else if (question->policy == PILE) {
                pile(w, i, &wanted);
            }
            if (question->kind == CSB_REFEREE) {
                put_referee(question, w, i, &wanted);
            } else {
                put_action(question, w, i, &wanted);
            }
        }
    }
}

POLICY_KERNEL(csb_policy, csb_act)
