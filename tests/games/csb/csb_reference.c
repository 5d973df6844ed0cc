/* SPDX-License-Identifier: MIT
 * The plain-C reference of the game csb. Every expression is evaluated as written: compile without contraction
 * (-ffp-contract=off).
 */
#include "csb_reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "the reference needs plain IEEE arithmetic"
#endif

#define PI 3.14159265358979323846
#define TWO_PI (2 * PI)
#define MAX_TURN (PI / 10) /* 18 degrees */
#define START_ANGLE (-PI / 180)
#define FRICTION 0.85
#define CONTACT 800.0 /* distance of two touching pods */
#define CHECKPOINT_RADIUS 600.0
#define PUSH 1e-5           /* overlapping pods are moved apart to a little more than CONTACT */
#define LEAST_IMPULSE 120.0 /* half of it */
#define NO_HIT 10.0         /* any time beyond the end of a tick */
#define MAX_THRUST 200.0
#define BOOST_THRUST 650.0
#define TIMEOUT 100
#define LAST_TICK 500
#define ANGLE_LIMIT 1048576.0  /* 2^20 */
#define STATE_LIMIT 67108864.0 /* 2^26: positions; velocities may have twice that */

/* ---- sine, cosine, angle: with the coefficients of Moshier's Cephes library, in the referee's order ---- */

/* c[0] z^4 + ... + c[4] */
static double polynomial4(double z, const double c[5])
{
    return (((c[0] * z + c[1]) * z + c[2]) * z + c[3]) * z + c[4];
}

/* c[0] z^5 + ... + c[5] */
static double polynomial5(double z, const double c[6])
{
    return polynomial4(z, c) * z + c[5];
}

void csb_ref_sincos(double x, double *sine, double *cosine)
{
    static const double s_coefficients[6] = {1.58962301576546568060e-10, -2.50507477628578072866e-8,
                                             2.75573136213857245213e-6,  -1.98412698295895385996e-4,
                                             8.33333333332211858878e-3,  -1.66666666666666307295e-1};
    static const double c_coefficients[6] = {-1.13585365213876817300e-11, 2.08757008419747316778e-9,
                                             -2.75573141792967388112e-7,  2.48015872888517045348e-5,
                                             -1.38888888888730564116e-3,  4.16666666666665929218e-2};
    if (x == 0) {
        *sine = x;
        *cosine = 1;
        return;
    }
    bool negate_s = x < 0, negate_c = false;
    if (x < 0)
        x = -x;

    /* The octant, made even, and the distance z from its axis; pi/4 in three parts. */
    int octant = (int)(x * 1.2732395447351628);
    if (octant % 2 == 1)
        octant++;
    double k = octant;
    double z = ((x - k * 7.85398125648498535156e-1) - k * 3.77489470793079817668e-8) - k * 2.69515142907905952645e-15;
    octant %= 8;
    if (octant > 3) {
        octant -= 4;
        negate_s = !negate_s;
        negate_c = !negate_c;
    }
    if (octant > 1)
        negate_c = !negate_c;

    double zz = z * z;
    double c = (1.0 - 0.5 * zz) + (zz * zz) * polynomial5(zz, c_coefficients);
    double s = z + (z * zz) * polynomial5(zz, s_coefficients);
    if (octant == 2) { /* it is even: 0 or 2 */
        double swap = s;
        s = c;
        c = swap;
    }
    *sine = negate_s ? -s : s;
    *cosine = negate_c ? -c : c;
}

/* Arc tangent for 0 <= v <= 0.66. */
static double atan_core(double v)
{
    static const double numerator[5] = {-8.750608600031904122785e-01, -1.615753718733365076637e+01,
                                        -7.500855792314704667340e+01, -1.228866684490136173410e+02,
                                        -6.485021904942025371773e+01};
    static const double denominator[6] = {1.0,
                                          2.485846490142306297962e+01,
                                          1.650270098316988542046e+02,
                                          4.328810604912902668951e+02,
                                          4.853903996359136964868e+02,
                                          1.945506571482613964425e+02};
    double zz = v * v;
    double z = (zz * polynomial4(zz, numerator)) / polynomial5(zz, denominator);
    return v * z + v;
}

/* Arc tangent for v > 0. */
static double atan_positive(double v)
{
    const double rest = 6.123233995736765886130e-17; /* pi/2 minus its double */
    if (v <= 0.66)
        return atan_core(v);
    if (v > 2.41421356237309504880)
        return (PI / 2 - atan_core(1 / v)) + rest;
    return (PI / 4 + atan_core((v - 1) / (v + 1))) + 0.5 * rest;
}

double csb_ref_atan2(double y, double x)
{
    if (y == 0)
        return x >= 0 ? 0 : PI;
    if (x == 0)
        return y > 0 ? PI / 2 : -PI / 2;
    double v = y / x;
    double q = v == 0 ? v : v > 0 ? atan_positive(v) : -atan_positive(-v);
    if (x < 0)
        return q <= 0 ? q + PI : q - PI;
    return q;
}

/* ---- maps and starts ---- */

bool csb_ref_map_create(csb_ref_map *map, const int32_t (*xy)[2], uint32_t n, uint32_t laps)
{
    map->n = (int)n;
    map->laps = (int)laps;
    map->count = map->n * map->laps + 1;
    map->cp = malloc((size_t)map->count * sizeof *map->cp);
    if (map->cp == NULL)
        return false;
    for (int k = 0; k < map->count; k++) {
        map->cp[k][0] = xy[k % map->n][0];
        map->cp[k][1] = xy[k % map->n][1];
    }
    return true;
}

void end_csb_ref_map(csb_ref_map *map)
{
    free(map->cp);
    map->cp = NULL;
}

/* To the nearest whole number, halves up, below zero as well. */
static double round_half_up(double value)
{
    return floor(value + 0.5);
}

void csb_ref_start(csb_ref_world *world, const csb_ref_map *map)
{
    /* The pods start in a row across the line from the first checkpoint to the second one. */
    static const double row[CSB_REF_PODS] = {500, -500, 1500, -1500};
    double ex = map->cp[1][0] - map->cp[0][0], ey = map->cp[1][1] - map->cp[0][1];
    double length = sqrt(ex * ex + ey * ey);
    double ux = ex / length, uy = ey / length;
    memset(world, 0, sizeof *world);
    for (int i = 0; i < CSB_REF_PODS; i++) {
        world->x[i] = round_half_up(map->cp[0][0] + uy * row[i]);
        world->y[i] = round_half_up(map->cp[0][1] + ux * -row[i]);
        world->angle[i] = START_ANGLE;
        world->next[i] = 1;
    }
    world->timeout[0] = world->timeout[1] = TIMEOUT;
    world->winner = -1;
}

/* ---- actions ---- */

static double number_or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Executes a thrust, SHIELD or BOOST; returns the thrust. A boost under a shield is used up. */
static double start_engine(csb_ref_world *world, int i, double thrust)
{
    if (thrust == CAROM_CSB_SHIELD) {
        world->shield[i] = 4;
    } else if (thrust == CAROM_CSB_BOOST) {
        thrust = world->boosted[i] ? MAX_THRUST : BOOST_THRUST;
        world->boosted[i] = 1;
    }
    return world->shield[i] > 0 ? 0 : thrust;
}

static void accelerate(csb_ref_world *world, int i, double thrust)
{
    if (!(fabs(world->angle[i]) <= ANGLE_LIMIT))
        return; /* the end of the tick gives it a fault */
    double s, c;
    csb_ref_sincos(world->angle[i], &s, &c);
    world->vx[i] = world->vx[i] + c * thrust;
    world->vy[i] = world->vy[i] + s * thrust;
}

/* The turn from `angle` to `a`, in [-pi, pi]. */
static double turn_between(double a, double angle)
{
    double difference = fmod(a - angle, TWO_PI);
    return fmod(2 * difference, TWO_PI) - difference;
}

/* action = target x, y, thrust. False if the thrust is invalid in the full game; it then counts as 0. */
static bool act_referee(csb_ref_world *world, int i, carom_csb_rules rules, const double action[3])
{
    double tx = action[0], ty = action[1], thrust = action[2];
    bool legal = true;
    if (rules == CAROM_CSB_FULL && thrust != CAROM_CSB_SHIELD && thrust != CAROM_CSB_BOOST) {
        legal = thrust <= MAX_THRUST;
        thrust = legal ? thrust : 0;
    }
    thrust = start_engine(world, i, number_or_zero(thrust));
    if (!isfinite(tx) || !isfinite(ty) || (tx == world->x[i] && ty == world->y[i]))
        return legal;
    double a = csb_ref_atan2(ty - world->y[i], tx - world->x[i]);
    if (world->tick == 0) {
        double angle = turn_between(a, 0);
        if (rules == CAROM_CSB_TEST) {
            while (angle < 0)
                angle += TWO_PI;
            while (angle > TWO_PI)
                angle -= TWO_PI;
        }
        world->angle[i] = angle;
    } else {
        double turn = turn_between(a, world->angle[i]);
        if (turn < -MAX_TURN)
            world->angle[i] = world->angle[i] - MAX_TURN;
        else if (turn > MAX_TURN)
            world->angle[i] = world->angle[i] + MAX_TURN;
        else
            world->angle[i] = a;
    }
    accelerate(world, i, thrust);
    return legal;
}

/* action = turn, thrust. */
static void act_relative(csb_ref_world *world, int i, const float action[2])
{
    double turn = number_or_zero(action[0]);
    double thrust = number_or_zero(action[1]);
    if (thrust != CAROM_CSB_SHIELD && thrust != CAROM_CSB_BOOST)
        thrust = clamp(thrust, 0, MAX_THRUST);
    thrust = start_engine(world, i, thrust);
    if (world->tick > 0)
        turn = clamp(turn, -MAX_TURN, MAX_TURN);
    world->angle[i] = world->angle[i] + turn;
    accelerate(world, i, thrust);
}

/* action = turn and thrust, each in [-1, 1]. */
static void act_normalised(csb_ref_world *world, int i, const float action[2])
{
    double a0 = clamp(number_or_zero(action[0]), -1, 1);
    double a1 = clamp(number_or_zero(action[1]), -1, 1);
    double thrust = clamp(100 * (a1 + 1), 0, MAX_THRUST);
    if (a1 <= -0.95)
        thrust = CAROM_CSB_SHIELD;
    else if (a1 >= 0.95 && !world->boosted[i])
        thrust = CAROM_CSB_BOOST;
    thrust = start_engine(world, i, thrust);
    world->angle[i] = world->angle[i] + a0 * MAX_TURN;
    accelerate(world, i, thrust);
}

/* All four commands. lost[player]: in the full game, it gave an invalid thrust. */
static void act(csb_ref_world *world, carom_csb_rules rules, csb_ref_kind kind, const void *actions, bool lost[2])
{
    lost[0] = lost[1] = false;
    for (int i = 0; i < CSB_REF_PODS; i++) {
        if (kind == CSB_REF_REFEREE) {
            if (!act_referee(world, i, rules, (const double *)actions + 3 * (size_t)i))
                lost[i / 2] = true;
        } else {
            const float *action = (const float *)actions + 2 * (size_t)i;
            if (kind == CSB_REF_RELATIVE)
                act_relative(world, i, action);
            else
                act_normalised(world, i, action);
        }
    }
}

/* ---- checkpoints ---- */

/* Does the path of pod i from `from` to its position come closer to its checkpoint than the radius? */
static bool crosses(const csb_ref_world *world, const csb_ref_map *map, int i, const double from[2])
{
    const double *c = map->cp[world->next[i]];
    double zx = from[0], zy = from[1]; /* the point of the path nearest to the checkpoint */
    double dx = world->x[i] - from[0], dy = world->y[i] - from[1];
    double l2 = dx * dx + dy * dy;
    if (l2 != 0) {
        double u = ((c[0] - from[0]) * dx + (c[1] - from[1]) * dy) / l2;
        if (u > 1) {
            zx = world->x[i];
            zy = world->y[i];
        } else if (u > 0) {
            zx = from[0] + u * dx;
            zy = from[1] + u * dy;
        }
    }
    zx = zx - c[0];
    zy = zy - c[1];
    return zx * zx + zy * zy < CHECKPOINT_RADIUS * CHECKPOINT_RADIUS;
}

/* Counts a checkpoint for pod i if it crosses it: 1, else 0. A pod that has won keeps crossing the last one. */
static int pass(csb_ref_world *world, const csb_ref_map *map, int i, const double from[2])
{
    if (!crosses(world, map, i, from))
        return 0;
    world->timeout[i / 2] = TIMEOUT;
    if (world->next[i] + 1 < map->count)
        world->next[i]++;
    else
        world->won[i] = 1;
    return 1;
}

/* ---- motion ---- */

/* Time until pods i and j touch, 0 if they do now. NaN for two with the same velocity: it never compares as earlier. */
static double time_to_hit(const csb_ref_world *world, int i, int j)
{
    double px = world->x[j] - world->x[i], py = world->y[j] - world->y[i];
    double p2 = px * px + py * py;
    if (p2 <= CONTACT * CONTACT)
        return 0;
    double wx = world->vx[j] - world->vx[i], wy = world->vy[j] - world->vy[i];
    double dot = px * wx + py * wy;
    if (dot > 0)
        return NO_HIT;
    double w2 = wx * wx + wy * wy;
    double discriminant = dot * dot - w2 * (p2 - CONTACT * CONTACT);
    if (discriminant < 0)
        return NO_HIT;
    return (-dot - sqrt(discriminant)) / w2;
}

/* The impact of pods a and b. */
static void bounce(csb_ref_world *world, int a, int b)
{
    double nx = world->x[b] - world->x[a], ny = world->y[b] - world->y[a];
    double distance = sqrt(nx * nx + ny * ny);
    nx = nx / distance;
    ny = ny / distance;
    double rx = world->vx[a] - world->vx[b], ry = world->vy[a] - world->vy[b];
    double inverse_a = world->shield[a] == 4 ? 0.1 : 1.0; /* of the masses */
    double inverse_b = world->shield[b] == 4 ? 0.1 : 1.0;
    double impulse = (nx * rx + ny * ry) / (inverse_a + inverse_b);
    if (impulse < LEAST_IMPULSE)
        impulse = impulse + LEAST_IMPULSE;
    else
        impulse = impulse + impulse;
    double ix = nx * -impulse, iy = ny * -impulse;
    world->vx[a] = world->vx[a] + ix * inverse_a;
    world->vy[a] = world->vy[a] + iy * inverse_a;
    world->vx[b] = world->vx[b] + (-ix) * inverse_b;
    world->vy[b] = world->vy[b] + (-iy) * inverse_b;
    if (distance <= CONTACT) {
        double apart = (-(distance - CONTACT)) / 2 + PUSH;
        world->x[a] = world->x[a] + nx * (-apart);
        world->y[a] = world->y[a] + ny * (-apart);
        world->x[b] = world->x[b] + nx * apart;
        world->y[b] = world->y[b] + ny * apart;
    }
}

static void copy_positions(const csb_ref_world *world, double to[CSB_REF_PODS][2])
{
    for (int i = 0; i < CSB_REF_PODS; i++) {
        to[i][0] = world->x[i];
        to[i][1] = world->y[i];
    }
}

/* Moves the pods for one unit of time, from impact to impact. from[] = where the last sub-step began. False if the
 * limit of sub-steps is reached. */
static bool move(csb_ref_world *world, const csb_ref_map *map, double from[CSB_REF_PODS][2], csb_ref_record *record)
{
    double left = 1;
    copy_positions(world, from);
    for (int substeps = 1; left > 0; substeps++) {
        /* The earliest impact; among equals the last pair examined. */
        double first = left;
        int a = 0, b = 0;
        for (int i = CSB_REF_PODS - 1; i > 0; i--) {
            for (int j = i - 1; j >= 0; j--) {
                double time = time_to_hit(world, i, j);
                if (time <= first) {
                    first = time;
                    a = i;
                    b = j;
                }
            }
        }
        for (int i = 0; i < CSB_REF_PODS; i++) {
            world->x[i] = world->x[i] + world->vx[i] * first;
            world->y[i] = world->y[i] + world->vy[i] * first;
        }
        left = left - first;
        if (a != b) {
            bounce(world, a, b);
            if (record != NULL)
                record->bounces[record->bounce_count++] = (csb_ref_bounce){left, a, b};
        }
        if (substeps == CSB_REF_MAX_SUBSTEPS)
            return false;
        if (left > 0) {
            for (int i = 0; i < CSB_REF_PODS; i++) {
                int passed = pass(world, map, i, from[i]);
                if (record != NULL)
                    record->passed += passed;
            }
            copy_positions(world, from);
        }
    }
    return true;
}

/* ---- the end of a tick ---- */

static void finish_tick(csb_ref_world *world, const csb_ref_map *map, double from[CSB_REF_PODS][2],
                        csb_ref_record *record)
{
    for (int i = 0; i < CSB_REF_PODS; i++) {
        world->vx[i] = trunc(world->vx[i] * FRICTION);
        world->vy[i] = trunc(world->vy[i] * FRICTION);
        world->x[i] = round_half_up(world->x[i]);
        world->y[i] = round_half_up(world->y[i]);
        if (world->shield[i] > 0)
            world->shield[i]--;
        int passed = pass(world, map, i, from[i]);
        if (record != NULL)
            record->passed += passed;
    }
    for (int p = 0; p < 2; p++)
        if (world->timeout[p] > INT16_MIN)
            world->timeout[p]--;
    if (world->tick < INT32_MAX)
        world->tick++;
}

/* The fault that the numbers of a world deserve, or 0. */
static int find_fault(const csb_ref_world *world)
{
    int fault = 0;
    for (int i = 0; i < CSB_REF_PODS; i++) {
        const double numbers[5] = {world->x[i], world->y[i], world->vx[i], world->vy[i], world->angle[i]};
        for (int k = 0; k < 5; k++) {
            if (isnan(numbers[k]))
                return CAROM_FAULT_NAN;
            if (fabs(numbers[k]) > (k < 2 ? STATE_LIMIT : k < 4 ? 2 * STATE_LIMIT : ANGLE_LIMIT))
                fault = CAROM_FAULT_RANGE;
        }
    }
    return fault;
}

static double distance_to_next(const csb_ref_world *world, const csb_ref_map *map, int i)
{
    const double *c = map->cp[world->next[i]];
    double dx = c[0] - world->x[i], dy = c[1] - world->y[i];
    return sqrt(dx * dx + dy * dy);
}

/* Sets end and winner if the game is over now. */
static void judge(csb_ref_world *world, const csb_ref_map *map, const bool lost[2])
{
    int loser = lost[0] ? 0 : lost[1] ? 1 : world->timeout[0] <= 0 ? 0 : world->timeout[1] <= 0 ? 1 : -1;
    if (loser >= 0) {
        world->end = CAROM_TERMINATED;
        world->winner = (int8_t)(1 - loser);
        return;
    }
    for (int i = 0; i < CSB_REF_PODS; i++) {
        if (world->won[i]) {
            world->end = CAROM_TERMINATED;
            world->winner = (int8_t)(i / 2);
            return;
        }
    }
    if (world->tick < LAST_TICK)
        return;
    double best = 0;
    world->winner = -1;
    for (int i = 0; i < CSB_REF_PODS; i++) {
        double score = world->next[i] * 1000000.0 - distance_to_next(world, map, i);
        if (score > best) {
            best = score;
            world->winner = (int8_t)(i / 2);
        }
    }
    world->end = CAROM_TRUNCATED;
}

/* The progress of a player's better pod. */
static double progress(const csb_ref_world *world, const csb_ref_map *map, int player)
{
    double best = 0;
    for (int i = 2 * player; i < 2 * player + 2; i++) {
        double made = map->count;
        if (!world->won[i]) {
            double way = distance_to_next(world, map, i) / 20000;
            made = world->next[i] - (way < 1 ? way : 1);
        }
        if (i == 2 * player || made > best)
            best = made;
    }
    return best;
}

/* A fault ends a game that is not over yet. */
static int fault_ends(csb_ref_world *world)
{
    if (world->end != CAROM_RUNNING)
        return CAROM_RUNNING;
    world->end = CAROM_TRUNCATED;
    return CAROM_TRUNCATED;
}

int csb_ref_step(csb_ref_world *world, const csb_ref_map *map, carom_csb_rules rules, csb_ref_kind kind,
                 const void *actions, float *rewards, csb_ref_record *record)
{
    if (record != NULL)
        record->bounce_count = record->passed = 0;
    if (rewards != NULL)
        rewards[0] = rewards[1] = 0;
    if (world->frozen)
        return CAROM_RUNNING;

    const csb_ref_world before = *world;
    double from[CSB_REF_PODS][2];
    bool lost[2];
    act(world, rules, kind, actions, lost);
    int fault = CAROM_FAULT_EVENTS;
    if (move(world, map, from, record)) {
        if (record != NULL) {
            for (int i = 0; i < CSB_REF_PODS; i++) {
                record->moved[i][0] = world->x[i];
                record->moved[i][1] = world->y[i];
                record->moved[i][2] = world->vx[i];
                record->moved[i][3] = world->vy[i];
            }
        }
        finish_tick(world, map, from, record);
        fault = find_fault(world);
    }
    if (fault != 0) {
        *world = before;
        world->fault = (int8_t)fault;
        world->frozen = 1;
        return fault_ends(world);
    }

    bool ended = false;
    if (world->end == CAROM_RUNNING) {
        judge(world, map, lost);
        ended = world->end != CAROM_RUNNING;
    }
    if (rewards != NULL) {
        for (int p = 0; p < 2; p++) {
            rewards[p] = (float)(progress(world, map, p) - progress(&before, map, p));
            if (ended && world->winner >= 0)
                rewards[p] += world->winner == p ? 1.0f : -1.0f;
        }
    }
    return ended ? world->end : CAROM_RUNNING;
}

/* ---- observation and value ---- */

void csb_ref_observe(const csb_ref_world *world, const csb_ref_map *map, int player, float out[CAROM_CSB_OBSERVATION])
{
    float *to = out;
    for (int k = 0; k < CSB_REF_PODS; k++) {
        int i = (2 * player + k) % CSB_REF_PODS; /* the player's own pods first */
        int next = world->next[i], after = next + 1 < map->count ? next + 1 : next;
        double s, c;
        csb_ref_sincos(world->angle[i], &s, &c);
        const double numbers[CAROM_CSB_OBSERVATION_POD] = {
            world->x[i] / 16000,
            world->y[i] / 9000,
            world->vx[i] / 1000,
            world->vy[i] / 1000,
            c,
            s,
            (map->cp[next][0] - world->x[i]) / 16000,
            (map->cp[next][1] - world->y[i]) / 16000,
            (map->cp[after][0] - world->x[i]) / 16000,
            (map->cp[after][1] - world->y[i]) / 16000,
            (double)next / (map->count - 1),
            world->shield[i] / 3.0,
            world->boosted[i],
        };
        for (int n = 0; n < CAROM_CSB_OBSERVATION_POD; n++)
            *to++ = (float)numbers[n];
    }
    *to++ = (float)(world->timeout[player] / 100.0);
    *to++ = (float)(world->timeout[1 - player] / 100.0);
    *to = (float)(world->tick / 500.0);
}

double csb_ref_value(const csb_ref_world *world, const csb_ref_map *map, int player)
{
    return progress(world, map, player) - progress(world, map, 1 - player);
}

/* ---- fields ---- */

#define FIELD(name, reals) {#name, offsetof(csb_ref_world, name), sizeof(((csb_ref_world *)0)->name), reals}

static const struct field {
    const char *name;
    size_t offset, bytes;
    bool reals;
} fields[] = {
    FIELD(x, true),       FIELD(y, true),       FIELD(vx, true),       FIELD(vy, true),     FIELD(angle, true),
    FIELD(next, false),   FIELD(shield, false), FIELD(boosted, false), FIELD(won, false),   FIELD(timeout, false),
    FIELD(winner, false), FIELD(tick, false),   FIELD(end, false),     FIELD(fault, false), FIELD(frozen, false),
};

#define FIELD_COUNT (sizeof fields / sizeof fields[0])

void *csb_ref_field(csb_ref_world *world, const char *name, size_t *bytes)
{
    for (size_t k = 0; k < FIELD_COUNT; k++) {
        if (strcmp(fields[k].name, name) == 0) {
            *bytes = fields[k].bytes;
            return (char *)world + fields[k].offset;
        }
    }
    return NULL;
}

/* The bits of four numbers, -0 taken as 0. */
static void read_bits(const void *numbers, uint64_t bits[CSB_REF_PODS])
{
    memcpy(bits, numbers, CSB_REF_PODS * sizeof *bits);
    for (int i = 0; i < CSB_REF_PODS; i++)
        if (bits[i] == UINT64_C(1) << 63)
            bits[i] = 0;
}

const char *csb_ref_difference(const csb_ref_world *a, const csb_ref_world *b)
{
    for (size_t k = 0; k < FIELD_COUNT; k++) {
        const char *in_a = (const char *)a + fields[k].offset, *in_b = (const char *)b + fields[k].offset;
        uint64_t bits_a[CSB_REF_PODS], bits_b[CSB_REF_PODS];
        bool equal;
        if (fields[k].reals) {
            read_bits(in_a, bits_a);
            read_bits(in_b, bits_b);
            equal = memcmp(bits_a, bits_b, sizeof bits_a) == 0;
        } else {
            equal = memcmp(in_a, in_b, fields[k].bytes) == 0;
        }
        if (!equal)
            return fields[k].name;
    }
    return NULL;
}
