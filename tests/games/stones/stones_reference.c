/* SPDX-License-Identifier: MIT
 * The stones of King of War in plain C. See stones_reference.h.
 */
#include "stones_reference.h"
#include "tests/simd/fdlibm_plain.h"

#include <math.h>
#include <string.h>

#define MAX_SPEED 40.0
#define STOP_SPEED 0.01
#define SWEEPS 10
#define ATTEMPTS 20
#define SHRINK 0.95
#define PI 3.141592653589793
#define COURSE_RANGE 524288.0

typedef stones_ref_stone stone;

typedef struct play {
    stones_ref_world *world;
    const carom_stones_options *options;
    stones_ref_record *record;
} play;

typedef struct point {
    double x, y;
} point;

void stones_ref_clear(stones_ref_world *world)
{
    memset(world, 0, sizeof *world);
    world->winner = -1;
}

void stones_ref_put(stones_ref_world *world, int index, double px, double py, double radius, double power,
                    double friction)
{
    stone *s = &world->stones[index];
    memset(s, 0, sizeof *s);
    s->px = px;
    s->py = py;
    s->radius = radius;
    s->power = power;
    s->friction = friction;
    s->unused = -1;
    s->in_play = true;
}

/* ---- small functions ---- */

static double length(double a, double b)
{
    return sqrt(a * a + b * b);
}

static double distance(const stone *s, const stone *t)
{
    return length((s->px + s->radius) - (t->px + t->radius), (s->py + s->radius) - (t->py + t->radius));
}

static double relative(double u, double v)
{
    return fdlibm_plain_cos((u - v) + PI / 2);
}

static double travel(double speed, double friction)
{
    double n = fdlibm_plain_log(STOP_SPEED / speed) / fdlibm_plain_log(friction);
    return (speed * (1 - fdlibm_plain_pow(friction, n + 1))) / (1 - friction);
}

static void set_position(stone *s, double x, double y)
{
    s->px = x;
    s->py = y;
    s->has_next = false;
    s->step = 0;
}

static point next_of(stone *s)
{
    if (!s->has_next) {
        double f = s->shot_traveled + s->speed;
        double x = (f / s->shot_distance) * PI;
        double y = fabs(x) <= COURSE_RANGE ? fdlibm_plain_sin(x) * s->curve * 1 : s->curve != 0 ? NAN : 0;
        double al = fdlibm_plain_atan(y / x);
        double r = length(f, (y / PI) * s->shot_distance);
        s->next_x = s->origin_x + fdlibm_plain_cos(s->shot_course - al) * r;
        s->next_y = s->origin_y + fdlibm_plain_sin(s->shot_course - al) * r;
        s->has_next = true;
    }
    const point next = {s->next_x, s->next_y};
    return next;
}

static double step_of(stone *s)
{
    if (s->step == 0 || isnan(s->step)) {
        double d = s->speed;
        if (s->shot) {
            point next = next_of(s);
            d = length(next.x - s->px, next.y - s->py);
        }
        s->step = d * s->unused;
    }
    return s->step;
}

static double aim(stone *s)
{
    point q = next_of(s);
    return fdlibm_plain_atan2((q.y + s->radius) - (s->py + s->radius), (q.x + s->radius) - (s->px + s->radius));
}

/* The share of the tick after which a touches b; negative if it does not. */
static double touch_share(stone *a, stone *b)
{
    double sa = step_of(a), sb = step_of(b), reach = a->radius + b->radius;
    double acx = a->px + a->radius, acy = a->py + a->radius, bcx = b->px + b->radius, bcy = b->py + b->radius;
    double aax = acx + fdlibm_plain_cos(a->course) * sa, aay = acy + fdlibm_plain_sin(a->course) * sa;
    double bbx = bcx + fdlibm_plain_cos(b->course) * sb, bby = bcy + fdlibm_plain_sin(b->course) * sb;
    double dx = (aax - acx) - (bbx - bcx), dy = (aay - acy) - (bby - bcy);
    double fx = acx - bcx, fy = acy - bcy;
    double qa = dx * dx + dy * dy, qb = 2 * (fx * dx + fy * dy), qc = (fx * fx + fy * fy) - reach * reach;
    double q = qb * qb - 4 * qa * qc;
    if (q <= 0) {
        return -1;
    }
    double w = sqrt(q), t1 = (-qb + w) / (2 * qa), t2 = (-qb - w) / (2 * qa);
    if ((t1 < 0 || t1 > 1) && (t2 < 0 || t2 > 1)) {
        return -1;
    }
    return t1 < t2 && t1 >= 0 ? t1 : t2;
}

/* ---- a sweep ---- */

static stone *first_in_way(play *p, stone *a, stone *b, double d)
{
    double x = (a->px + a->radius) + fdlibm_plain_cos(a->course) * d;
    double y = (a->py + a->radius) + fdlibm_plain_sin(a->course) * d;
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        stone *s = &p->world->stones[i];
        if (s->in_play && s != a && s != b &&
            length(x - (s->px + s->radius), y - (s->py + s->radius)) < a->radius + b->radius) {
            return s;
        }
    }
    return b;
}

static void answer_shipped(stone *a, stone *b, double sa, double sb, double da, double db)
{
    a->unused = a->unused * (da / sa);
    if (sb != 0) {
        b->unused = b->unused * (db / sb);
    }
    double n = fdlibm_plain_atan2(b->py - a->py, b->px - a->px);
    double tangent = n - PI / 2, k = relative(a->course, n);
    a->course = k > 0 ? tangent : tangent - PI;
    b->course = n;
    double f = (a->speed * a->power) / b->power;
    a->speed = a->speed * fabs(k);
    b->speed = f * (1 - fabs(k));
}

static void answer_described(stone *a, stone *b, double t, double loss)
{
    a->unused *= 1 - t;
    b->unused *= 1 - t;
    double n = fdlibm_plain_atan2((b->py + b->radius) - (a->py + a->radius), (b->px + b->radius) - (a->px + a->radius));
    double tangent = n - PI / 2, k = relative(a->course, n);
    b->course = a->course;
    a->course = k > 0 ? tangent : tangent - PI;
    double f = (a->speed * a->power) / b->power;
    a->speed = (a->speed * fabs(k)) * (1 - loss);
    b->speed = (b->speed + f * (1 - fabs(k))) * (1 - loss);
}

static void hit(play *p, stone *a, stone *b, double t)
{
    double sa = step_of(a), sb = step_of(b), da = t * sa, db = t * sb;
    a->shot = b->shot = false;
    double x0 = a->px, y0 = a->py;
    set_position(a, a->px + fdlibm_plain_cos(a->course) * da, a->py + fdlibm_plain_sin(a->course) * da);
    set_position(b, b->px + fdlibm_plain_cos(b->course) * db, b->py + fdlibm_plain_sin(b->course) * db);
    bool shrunk = distance(a, b) < a->radius + b->radius;
    if (shrunk) {
        set_position(a, x0 + fdlibm_plain_cos(a->course) * da * SHRINK, y0 + fdlibm_plain_sin(a->course) * da * SHRINK);
    }
    if (p->options->rules == CAROM_STONES_AS_DESCRIBED) {
        answer_described(a, b, t, p->options->loss);
    } else {
        answer_shipped(a, b, sa, sb, da, db);
    }
    const stones_ref_hit told = {(int)(a - p->world->stones), (int)(b - p->world->stones), da, shrunk};
    p->record->hits[p->record->hit_count++] = told;
}

static bool try_pair(play *p, stone *s, stone *t, int attempt)
{
    stone *a = s->speed >= t->speed ? s : t, *b = a == s ? t : s;
    double share = touch_share(a, b), d = share * step_of(a);
    bool touch = p->options->rules == CAROM_STONES_AS_DESCRIBED ? share >= 0 && share <= 1 : share != -1 && d > 0;
    if (!touch) {
        return false;
    }
    stone *c = first_in_way(p, a, b, d);
    if (c != b && attempt < ATTEMPTS) {
        (void)try_pair(p, a, c, attempt + 1);
    } else {
        hit(p, a, b, share);
    }
    return true;
}

static bool sweep(play *p)
{
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        stone *s = &p->world->stones[i];
        if (!s->in_play || s->speed == 0 || s->unused == 0) {
            continue;
        }
        /* By distance, those of equal distance in list order. */
        stone *sorted[CAROM_STONES_MAX];
        int count = 0;
        for (int j = 0; j < CAROM_STONES_MAX; j++) {
            stone *other = &p->world->stones[j];
            int at = count;
            if (!other->in_play) {
                continue;
            }
            while (at > 0 && distance(s, sorted[at - 1]) > distance(s, other)) {
                sorted[at] = sorted[at - 1];
                at--;
            }
            sorted[at] = other;
            count++;
        }
        for (int k = 1; k < count; k++) {
            if (try_pair(p, s, sorted[k], 1)) {
                return true;
            }
        }
    }
    return false;
}

static void apply(stone *s)
{
    if (s->shot) {
        point q = next_of(s);
        set_position(s, q.x, q.y);
    } else {
        set_position(s, s->px + fdlibm_plain_cos(s->course) * s->speed * s->unused,
                     s->py + fdlibm_plain_sin(s->course) * s->speed * s->unused);
    }
    s->shot_traveled += s->speed;
    if (s->shot) {
        s->course = aim(s);
    }
    s->speed *= s->friction;
    if (s->speed < STOP_SPEED) {
        s->speed = 0;
    }
    s->unused = 0;
}

static void collision_check(stones_ref_world *world)
{
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        for (int j = i + 1; j < CAROM_STONES_MAX; j++) {
            stone *a = &world->stones[i], *b = &world->stones[j];
            if (a->in_play && b->in_play && length(a->px - b->px, a->py - b->py) < a->radius + b->radius) {
                double n = fdlibm_plain_atan2(b->py - a->py, b->px - a->px), k = relative(a->course, n);
                a->course = k > 0 ? n - PI / 2 : (n - PI / 2) - PI;
                b->course = n;
                return;
            }
        }
    }
}

/* ---- pushes ---- */

static bool within(double x, double range)
{
    return x >= -range && x <= range;
}

static void push(stone *s, double course, double speed, double curve)
{
    if (!(speed >= 0x1p-30) || !within(course, COURSE_RANGE) || !within(curve, 1024)) {
        return;
    }
    speed = speed < MAX_SPEED ? speed : MAX_SPEED;
    double way = travel(speed, s->friction);
    if (!within((speed / way) * PI, COURSE_RANGE)) {
        return;
    }
    s->shot_distance = way;
    s->speed = speed;
    s->shot_course = course + curve * (PI / 2);
    s->shot = true;
    s->curve = curve;
    s->origin_x = s->px;
    s->origin_y = s->py;
    s->shot_traveled = 0;
    s->course = aim(s);
}

static stone *named(stones_ref_world *world, double index)
{
    if (!(index >= 0 && index < CAROM_STONES_MAX) || index != floor(index) || !world->stones[(int)index].in_play) {
        return NULL;
    }
    return &world->stones[(int)index];
}

static double clamped(float x)
{
    return isnan(x) ? 0 : x < -1 ? -1 : x > 1 ? 1 : (double)x;
}

static void push_normalised(stones_ref_world *world, int player, const float *a)
{
    stone *own[CAROM_STONES_MAX];
    int m = 0;
    for (int i = player; i < CAROM_STONES_MAX; i += 2) {
        if (world->stones[i].in_play && world->stones[i].speed == 0) {
            own[m++] = &world->stones[i];
        }
    }
    if (m > 0) {
        int k = (int)((clamped(a[0]) + 1) / 2 * m);
        double speed = clamped(a[2]);
        push(own[k < m ? k : m - 1], clamped(a[1]) * PI, (speed > 0 ? speed : 0) * MAX_SPEED, clamped(a[3]));
    }
}

static void push_all(stones_ref_world *world, size_t kind, const void *actions)
{
    const stones_ref_push *pushes = (const stones_ref_push *)actions;
    for (int player = 0; player < 2; player++) {
        if (kind == 2) {
            push_normalised(world, player, (const float *)actions + (size_t)player * 4);
            continue;
        }
        int count = kind == 0 ? 1 : CAROM_STONES_PUSHES;
        for (int k = 0; k < count; k++) {
            const stones_ref_push *told = &pushes[player * count + k];
            stone *s = named(world, told->stone);
            if (s != NULL && (kind == 1 || ((int)told->stone % 2 == player && s->speed == 0))) {
                push(s, told->course, told->speed, told->curve);
            }
        }
    }
}

/* ---- a tick ---- */

static int8_t fault_of(const stones_ref_world *world)
{
    bool nan = false, out = false;
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        const stone *s = &world->stones[i];
        const double numbers[] = {
            s->px, s->py, s->speed, s->shot_traveled, s->shot ? s->next_x : 0, s->shot ? s->next_y : 0, s->course};
        for (int k = 0; k < 7 && s->in_play; k++) {
            nan = nan || isnan(numbers[k]);
            out = out || !within(numbers[k], k < 6 ? STONES_REF_RANGE : COURSE_RANGE);
        }
    }
    return nan ? CAROM_FAULT_NAN : out ? CAROM_FAULT_RANGE : 0;
}

static int count_in_play(const stones_ref_world *world, int player)
{
    int count = 0;
    for (int i = player; i < CAROM_STONES_MAX; i += 2) {
        count += world->stones[i].in_play;
    }
    return count;
}

static void leave_ring(stones_ref_world *world, double ring)
{
    for (int i = 0; i < CAROM_STONES_MAX && ring > 0; i++) {
        stone *s = &world->stones[i];
        double x = s->px + s->radius, y = s->py + s->radius;
        if (s->in_play && x * x + y * y > ring * ring) {
            s->in_play = s->shot = s->has_next = false;
            s->speed = 0;
        }
    }
}

int stones_ref_step(stones_ref_world *world, const carom_stones_options *options, size_t kind, const void *actions,
                    float *rewards, stones_ref_record *record)
{
    stones_ref_record own;
    play p = {world, options, record != NULL ? record : &own};
    memset(p.record, 0, sizeof *p.record);
    if (rewards != NULL) {
        rewards[0] = rewards[1] = 0;
    }
    if (world->frozen) {
        return 0;
    }
    const stones_ref_world before = *world;
    push_all(world, kind, actions);
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        world->stones[i].unused = world->stones[i].in_play ? 1 : world->stones[i].unused;
    }
    world->sweeps = 0;
    bool again = true;
    while (again && world->sweeps < SWEEPS) {
        again = sweep(&p);
        world->sweeps++;
    }
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        stone *s = &world->stones[i];
        const double moved[4] = {s->px, s->py, s->speed, s->unused};
        memcpy(p.record->moved[i], moved, sizeof moved);
        if (s->in_play && s->speed != 0 && s->unused != 0) {
            apply(s);
        }
    }
    if (options->check) {
        collision_check(world);
    }
    int8_t fault = fault_of(world);
    if (fault != 0) {
        *world = before;
        world->fault = (int8_t)(world->fault | fault);
        world->frozen = 1;
        if (world->end != 0) {
            return 0;
        }
        world->end = CAROM_TRUNCATED; /* a fault ends the game */
        return CAROM_TRUNCATED;
    }
    const int had[2] = {count_in_play(world, 0), count_in_play(world, 1)};
    leave_ring(world, options->ring);
    const int has[2] = {count_in_play(world, 0), count_in_play(world, 1)};
    world->tick++;
    p.record->out = had[0] + had[1] - has[0] - has[1];
    int end = 0;
    if (world->end == 0) {
        const bool late = world->tick >= (int32_t)options->ticks;
        const bool decided = options->ring > 0 && (p.record->out > 0 || late) && (has[0] == 0 || has[1] == 0);
        end = decided ? CAROM_TERMINATED : late ? CAROM_TRUNCATED : 0;
        if (end != 0) {
            world->end = (int8_t)end;
            world->winner = has[0] > has[1] ? 0 : has[1] > has[0] ? 1 : -1;
        }
    }
    for (int i = 0; i < 2 && rewards != NULL; i++) {
        int won = end == 0 || world->winner < 0 ? 0 : world->winner == i ? 1 : -1;
        rewards[i] = (float)((had[1 - i] - has[1 - i]) - (had[i] - has[i]) + won);
    }
    return end;
}

/* ---- what players see ---- */

void stones_ref_observe(const stones_ref_world *world, const carom_stones_options *options, int player,
                        float out[CAROM_STONES_OBSERVATION])
{
    memset(out, 0, CAROM_STONES_OBSERVATION * sizeof *out);
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        const stone *s = &world->stones[i];
        if (s->in_play) {
            const double numbers[] = {1,
                                      i % 2 == player ? 1 : -1,
                                      (s->px + s->radius) / 400,
                                      (s->py + s->radius) / 400,
                                      fdlibm_plain_cos(s->course) * s->speed / 40,
                                      fdlibm_plain_sin(s->course) * s->speed / 40,
                                      s->radius / 40,
                                      s->power / 3};
            for (int k = 0; k < CAROM_STONES_OBSERVATION_STONE; k++) {
                out[i * CAROM_STONES_OBSERVATION_STONE + k] = (float)numbers[k];
            }
        }
    }
    out[CAROM_STONES_OBSERVATION - 1] = (float)((double)world->tick / (double)options->ticks);
}
