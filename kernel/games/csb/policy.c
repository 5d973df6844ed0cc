/* SPDX-License-Identifier: MIT
 * The built-in drivers of csb. They decide a heading and a thrust; this file also says them in every kind of action.
 * Plain C at width 1, in double precision for both precisions of worlds.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include "base/random.h"
#include "games/csb/csb.h"
#include "simd/elementary.h"

enum { RACE, RANDOM, RAM, PILE };

typedef struct pod {
    double x, y, vx, vy, angle, cx, cy;
    bool boosted;
} pod;

/* What a driver wants: to be at that angle, with that thrust. */
typedef struct intent {
    double heading, thrust;
} intent;

#define POD_OF(tile_type)                                                                                              \
    const tile_type *tile = (const tile_type *)any;                                                                    \
    const pod p = {tile->x[i][lane],     tile->y[i][lane],  tile->vx[i][lane], tile->vy[i][lane],                      \
                   tile->angle[i][lane], tile->cx[i][lane], tile->cy[i][lane], tile->boosted[i][lane] != 0};           \
    return p

static pod pod_of_f32(const void *any, unsigned lane, int i)
{
    POD_OF(csb_tile_f32);
}

static pod pod_of_f64(const void *any, unsigned lane, int i)
{
    POD_OF(csb_tile_f64);
}

/* a - b in [-pi, pi]. */
static double angle_between(double a, double b)
{
    double da = v_remainder_two_pi(a - b);
    return v_remainder_two_pi(2 * da) - da;
}

/* Full thrust towards a point, none while it lies behind. */
static intent towards(const pod *p, double x, double y)
{
    intent wanted = {v_atan2(y - p->y, x - p->x), CSB_MAX_THRUST};
    double off = angle_between(wanted.heading, p->angle);
    if (off < -V_HALF_PI || off > V_HALF_PI) {
        wanted.thrust = 0;
    }
    return wanted;
}

/* To the checkpoint, against the drift. Behind the target a little thrust, not always the same, so that pods that
 * started alike come apart; now and then the boost, on a long straight. */
static intent race(const pod *p, random_stream *stream)
{
    intent wanted = towards(p, p->cx - 3 * p->vx, p->cy - 3 * p->vy);
    double off = angle_between(wanted.heading, p->angle), dx = p->cx - p->x, dy = p->cy - p->y;
    if (wanted.thrust == 0) {
        wanted.thrust = random_below(stream, 61);
    } else if (!p->boosted && off > -0.25 && off < 0.25 && dx * dx + dy * dy > 4000.0 * 4000.0) {
        wanted.thrust = random_below(stream, 16) == 0 ? CAROM_CSB_BOOST : wanted.thrust;
    }
    return wanted;
}

/* Flat out to the middle of the board. */
static intent pile(const pod *p)
{
    const intent wanted = {v_atan2(4500 - p->y, 8000 - p->x), CSB_MAX_THRUST};
    return wanted;
}

/* To where the nearest other pod will be, relative to this one. */
static intent ram(const pod pods[CSB_PODS], int self)
{
    int nearest = -1;
    double least = 0;
    for (int i = 0; i < CSB_PODS; i++) {
        double dx = pods[i].x - pods[self].x, dy = pods[i].y - pods[self].y;
        if (i != self && (nearest < 0 || dx * dx + dy * dy < least)) {
            nearest = i;
            least = dx * dx + dy * dy;
        }
    }
    const pod *p = &pods[self], *other = &pods[nearest];
    return towards(p, other->x + other->vx - p->vx, other->y + other->vy - p->vy);
}

static intent random_intent(const pod *p, random_stream *stream)
{
    const double unit = 1.0 / 4294967296.0;
    double turn = (2 * (random_word(stream) * unit) - 1) * CSB_MAX_TURN;
    const intent wanted = {p->angle + turn, random_below(stream, CSB_MAX_THRUST + 1)};
    return wanted;
}

/* The intent in numbers of a kind of action. On the first tick a pod may turn at once. */
static void say(const pod *p, const intent *wanted, bool first_tick, size_t kind, int i, void *actions)
{
    double turn = angle_between(wanted->heading, p->angle);
    if (kind == CSB_REFEREE) {
        double *numbers = (double *)actions + (size_t)3 * (size_t)i;
        double s, c;
        v_sincos(wanted->heading, &s, &c);
        numbers[0] = v_floor(p->x + 10000 * c + 0.5);
        numbers[1] = v_floor(p->y + 10000 * s + 0.5);
        numbers[2] = wanted->thrust;
        return;
    }
    float *numbers = (float *)actions + (size_t)2 * (size_t)i;
    double clamped = turn < -CSB_MAX_TURN ? -CSB_MAX_TURN : turn > CSB_MAX_TURN ? CSB_MAX_TURN : turn;
    if (kind == CSB_RELATIVE) {
        numbers[0] = (float)(first_tick ? turn : clamped);
        numbers[1] = (float)wanted->thrust;
        return;
    }
    double a1 = wanted->thrust / 100 - 1; /* the ends of the range mean shield and boost */
    a1 = wanted->thrust == CAROM_CSB_BOOST ? 1 : a1 < -0.9 ? -0.9 : !p->boosted && a1 > 0.9 ? 0.9 : a1;
    numbers[0] = (float)(clamped / CSB_MAX_TURN);
    numbers[1] = (float)a1;
}

void carom_csb_policy(const carom_worlds *worlds, const void *tile, unsigned lane, size_t policy, size_t kind,
                      void *actions)
{
    bool f64 = worlds->desc.precision == CAROM_F64;
    const int32_t *tick = f64 ? ((const csb_tile_f64 *)tile)->tick[0] : ((const csb_tile_f32 *)tile)->tick[0];
    const int32_t *episode = f64 ? ((const csb_tile_f64 *)tile)->episode[0] : ((const csb_tile_f32 *)tile)->episode[0];
    pod pods[CSB_PODS];
    for (int i = 0; i < CSB_PODS; i++) {
        pods[i] = f64 ? pod_of_f64(tile, lane, i) : pod_of_f32(tile, lane, i);
    }
    random_stream stream = random_begin(worlds->desc.seed, carom_tile_get_id(&worlds->layout, tile, lane),
                                        CSB_DRAW_POLICY, (uint32_t)episode[lane] << 10 ^ (uint32_t)tick[lane]);
    for (int i = 0; i < CSB_PODS; i++) {
        intent wanted;
        switch (policy) {
        case RACE:
            wanted = race(&pods[i], &stream);
            break;
        case RANDOM:
            wanted = random_intent(&pods[i], &stream);
            break;
        case RAM:
            wanted = ram(pods, i);
            break;
        default:
            wanted = pile(&pods[i]);
        }
        say(&pods[i], &wanted, tick[lane] == 0, kind, i, actions);
    }
}
