/* SPDX-License-Identifier: MIT
 * Robot soccer in plain C: see soccer_reference.h.
 */
#include "soccer_reference.h"

#include "base/random.h"
#include "tests/games/csb/csb_reference.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define LEAST 1e-12 /* squares of the least closing speed and angle */

typedef struct body {
    double x, y, vx, vy; /* at the end of the tick */
    double begin;        /* its starting point, counted backwards from the end */
    double r, m;
    bool fast;
} body;

/* second: a body, or 26 + wall. */
typedef struct collision {
    double time;
    int first, second;
} collision;

typedef struct table {
    body bodies[26];
    int count, robots;
    const carom_soccer_options *options;
    int *holder; /* by ball */
} table;

/* ---- finding collisions ---- */

static bool find_circles(const table *t, int i, int j, collision *found)
{
    const body *one = &t->bodies[i], *other = &t->bodies[j];
    const double reach = one->r + other->r, begin = one->begin > other->begin ? one->begin : other->begin;
    const double dx = one->x - other->x, dy = one->y - other->y, wx = one->vx - other->vx, wy = one->vy - other->vy;
    const bool swept = one->fast || other->fast || t->options->continuous;
    if (j >= t->robots && t->holder[j - t->robots] == i)
        return false;
    if (!swept && !(dx * dx + dy * dy < reach * reach))
        return false;
    const double a = wx * dx + wy * dy, b = wx * wx + wy * wy, c = dx * dx + dy * dy - reach * reach;
    const double q = a * a - b * c, u = a + b * begin, least = reach * reach * (LEAST + LEAST * b);
    if (a < 0 && c > 0)
        return false; /* in the future, if at all */
    if (!(u < 0) || !(q > least) || !(u * u > least))
        return false; /* not approaching, or hardly */
    found->time = -((a + sqrt(q)) / b);
    if (!(found->time > begin))
        found->time = begin; /* they overlapped already */
    found->first = i;
    found->second = j;
    return true;
}

static bool find_wall(const table *t, int i, int wall, collision *found)
{
    const carom_soccer_options *o = t->options;
    const body *b = &t->bodies[i];
    const bool along_x = wall < 2;
    const double sign = wall % 2 == 0 ? 1 : -1;
    const double at = sign * (along_x ? b->x : b->y), v = sign * (along_x ? b->vx : b->vy);
    const double depth = at - ((along_x ? o->length : o->width) / 2 - b->r);
    if (!(depth > 0) || !(v > 0))
        return false;
    double time = -(depth / v);
    if (!(time > b->begin))
        time = b->begin;
    double side = along_x ? b->y : b->x;
    if (b->fast || o->continuous)
        side += (along_x ? b->vy : b->vx) * time;
    side = fabs(side);
    if (!(side < (along_x ? o->width : o->length) / 2))
        return false;
    if (b->fast && along_x && !(side > o->mouth / 2))
        return false; /* the goal's mouth */
    found->time = time;
    found->first = i;
    found->second = 26 + wall;
    return true;
}

/* ---- the list ---- */

typedef struct list {
    collision items[26 * 30];
    int count;
} list;

static void find_pair(const table *t, int i, int j, list *l)
{
    if (find_circles(t, i < j ? i : j, i < j ? j : i, &l->items[l->count]))
        l->count++;
}

static void find_walls(const table *t, int i, list *l)
{
    for (int wall = 0; wall < 4; wall++)
        if (find_wall(t, i, wall, &l->items[l->count]))
            l->count++;
}

static bool comes_before(const collision *a, const collision *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->first != b->first ? a->first < b->first : a->second < b->second;
}

static void drop(list *l, int body_number)
{
    int kept = 0;
    for (int k = 0; k < l->count; k++)
        if (l->items[k].first != body_number && l->items[k].second != body_number)
            l->items[kept++] = l->items[k];
    l->count = kept;
}

static void bounce(body *one, body *two, double e)
{
    const double m1 = one->m, m2 = two->m;
    double dx = one->x - two->x, dy = one->y - two->y;
    if (!(dx * dx + dy * dy > 0)) { /* the centres are at one point */
        dx = two->vx - one->vx;
        dy = two->vy - one->vy;
    }
    const double k = 1 / sqrt(dx * dx + dy * dy);
    dx = dx * k;
    dy = dy * k;
    const double dot1 = one->vx * dx + one->vy * dy, dot2 = two->vx * dx + two->vy * dy;
    const double par1x = dot1 * dx, par1y = dot1 * dy, par2x = dot2 * dx, par2y = dot2 * dy;
    const double perp1x = one->vx - par1x, perp1y = one->vy - par1y;
    const double perp2x = two->vx - par2x, perp2y = two->vy - par2y;
    const double c1 = 1 / (m1 + m2);
    if (e == 1) { /* the original's text */
        const double dm = m1 - m2;
        one->vx = c1 * (dm * par1x + 2 * m2 * par2x) + perp1x;
        one->vy = c1 * (dm * par1y + 2 * m2 * par2y) + perp1y;
        two->vx = c1 * (2 * m1 * par1x - dm * par2x) + perp2x;
        two->vy = c1 * (2 * m1 * par1y - dm * par2y) + perp2y;
    } else {
        one->vx = c1 * ((m1 - e * m2) * par1x + (1 + e) * m2 * par2x) + perp1x;
        one->vy = c1 * ((m1 - e * m2) * par1y + (1 + e) * m2 * par2y) + perp1y;
        two->vx = c1 * ((1 + e) * m1 * par1x - (e * m1 - m2) * par2x) + perp2x;
        two->vy = c1 * ((1 + e) * m1 * par1y - (e * m1 - m2) * par2y) + perp2y;
    }
}

static void move_to(body *b, double from, double to)
{
    if (from == 0) {
        b->x = b->x + b->vx * to;
        b->y = b->y + b->vy * to;
    } else {
        b->x = b->x - b->vx * from;
        b->y = b->y - b->vy * from;
        b->begin = from;
    }
}

static void resolve(table *t, const collision *c, int number)
{
    const carom_soccer_options *o = t->options;
    body *one = &t->bodies[c->first], *two = c->second < 26 ? &t->bodies[c->second] : NULL;
    double e = two == NULL ? o->wall_restitution : two->fast ? o->ball_restitution : o->robot_restitution;
    if (number >= CAROM_SOCCER_ELASTIC)
        e = 1;
    const double time = c->time;
    move_to(one, 0, time);
    if (two == NULL) {
        if (c->second < 28)
            one->vx = -e * one->vx;
        else
            one->vy = -e * one->vy;
    } else {
        move_to(two, 0, time);
        bounce(one, two, e);
        two->x = two->x - two->vx * time;
        two->y = two->y - two->vy * time;
        two->begin = time;
        if (two->fast && !one->fast)
            t->holder[c->second - t->robots] = -1;
    }
    one->x = one->x - one->vx * time;
    one->y = one->y - one->vy * time;
    one->begin = time;
}

/* Steps (4) to (7). Returns the number of impacts, or the limit. */
static int collide(table *t, soccer_ref_record *record)
{
    static list l;
    int impacts = 0;
    l.count = 0;
    for (int i = 0; i < t->count; i++) {
        for (int j = i + 1; j < t->count; j++)
            find_pair(t, i, j, &l);
        find_walls(t, i, &l);
    }
    while (l.count > 0) {
        int best = 0;
        for (int k = 1; k < l.count; k++)
            if (comes_before(&l.items[k], &l.items[best]))
                best = k;
        const collision c = l.items[best];
        resolve(t, &c, ++impacts);
        if (record != NULL) {
            record->events[record->event_count].left = -c.time * t->options->rate;
            record->events[record->event_count].first = c.first;
            record->events[record->event_count++].second = c.second;
        }
        if (impacts == CAROM_SOCCER_EVENTS)
            break;
        drop(&l, c.first);
        if (c.second < 26)
            drop(&l, c.second);
        for (int other = 0; other < t->count; other++) {
            if (other != c.first)
                find_pair(t, c.first, other, &l);
            if (c.second < 26 && other != c.second && other != c.first)
                find_pair(t, c.second, other, &l);
        }
        find_walls(t, c.first, &l);
        if (c.second < 26)
            find_walls(t, c.second, &l);
    }
    return impacts;
}

/* ---- commands ---- */

static double limited(double value, double limit)
{
    if (isnan(value))
        return 0;
    return value < -limit ? -limit : value > limit ? limit : value;
}

typedef struct order {
    double kick;
    bool dribble;
} order;

static order obey(const carom_soccer_options *o, soccer_ref_world *w, int i, int player, soccer_ref_kind kind,
                  const float *n)
{
    const double dt = 1 / o->rate;
    double tx, ty, spin;
    order given;
    if (kind == SOCCER_REF_NORMALISED) {
        const double speed = player == 0 ? o->max_speed : -o->max_speed;
        tx = limited(n[0], 1) * speed;
        ty = limited(n[1], 1) * speed;
        spin = limited(n[2], 1) * o->max_spin;
        given.kick = limited(n[3], 1) * o->kick_speed;
    } else {
        tx = limited(n[0], o->max_speed);
        ty = limited(n[1], o->max_speed);
        spin = limited(n[2], o->max_spin);
        given.kick = limited(n[3], o->kick_speed);
    }
    given.dribble = n[4] > 0;
    const double square = tx * tx + ty * ty;
    if (square > o->max_speed * o->max_speed) {
        const double k = o->max_speed / sqrt(square);
        tx = tx * k;
        ty = ty * k;
    }
    const double dvx = tx - w->vx[i], dvy = ty - w->vy[i], change = dvx * dvx + dvy * dvy;
    const double most = o->max_acceleration * dt;
    if (change > most * most) {
        const double k = most / sqrt(change);
        w->vx[i] += dvx * k;
        w->vy[i] += dvy * k;
    } else {
        w->vx[i] = tx;
        w->vy[i] = ty;
    }
    const double turn = o->max_spin_acceleration * dt;
    w->spin[i] = spin > w->spin[i] + turn ? w->spin[i] + turn : spin < w->spin[i] - turn ? w->spin[i] - turn : spin;
    w->angle[i] += w->spin[i] * dt;
    if (w->angle[i] > PI)
        w->angle[i] -= 2 * PI;
    if (w->angle[i] < -PI)
        w->angle[i] += 2 * PI;
    return given;
}

static void handle_ball(const carom_soccer_options *o, soccer_ref_world *w, const double *old_angle,
                        const order *orders, int robots, int k)
{
    const double dt = 1 / o->rate;
    const int b = robots + k;
    const double speed = sqrt(w->vx[b] * w->vx[b] + w->vy[b] * w->vy[b]), slow = o->friction * dt;
    if (speed > slow) {
        w->vx[b] *= (speed - slow) / speed;
        w->vy[b] *= (speed - slow) / speed;
    } else {
        w->vx[b] = w->vy[b] = 0;
    }
    int robot = w->holder[k];
    const bool held = robot >= 0;
    double nearest = INFINITY;
    for (int i = 0; i < robots && !held; i++) {
        const double dx = w->x[b] - w->x[i], dy = w->y[b] - w->y[i];
        if (dx * dx + dy * dy < nearest) {
            nearest = dx * dx + dy * dy;
            robot = i;
        }
    }
    double c, s, c2, s2, front, unused;
    csb_ref_sincos(old_angle[robot], &s, &c);
    csb_ref_sincos(w->angle[robot], &s2, &c2);
    csb_ref_sincos(o->arc / 180 * PI, &unused, &front);
    const double dx = w->x[b] - w->x[robot], dy = w->y[b] - w->y[robot],
                 reach = o->robot_radius + o->ball_radius + o->reach;
    const double ahead = dx * c + dy * s, left = dy * c - dx * s;
    const bool touches = dx * dx + dy * dy <= reach * reach && ahead >= front * sqrt(dx * dx + dy * dy);
    const double px = held ? w->hold_x[k] : ahead, py = held ? w->hold_y[k] : left;
    w->holder[k] = -1;
    w->hold_x[k] = w->hold_y[k] = 0;
    if (touches && orders[robot].kick > 0 && w->ready[robot] <= w->tick) {
        const double wait = ceil(o->kick_reset * o->rate);
        w->vx[b] = orders[robot].kick * c;
        w->vy[b] = orders[robot].kick * s;
        w->ready[robot] = w->tick + (wait < 1 ? 1 : (int32_t)wait);
    } else if (orders[robot].dribble && (held || touches)) {
        const double to_x = w->x[robot] + w->vx[robot] * dt + (px * c2 - py * s2);
        const double to_y = w->y[robot] + w->vy[robot] * dt + (px * s2 + py * c2);
        const double vx = (to_x - w->x[b]) * o->rate, vy = (to_y - w->y[b]) * o->rate;
        const double pull_x = vx - w->vx[b], pull_y = vy - w->vy[b], most = o->stickiness * dt / o->ball_mass;
        if (pull_x * pull_x + pull_y * pull_y <= most * most) {
            w->vx[b] = vx;
            w->vy[b] = vy;
            w->holder[k] = (int8_t)robot;
            w->hold_x[k] = px;
            w->hold_y[k] = py;
        }
    }
}

/* ---- starts, goals, ends ---- */

static double share(random_stream *stream)
{
    return ((int32_t)(random_word(stream) >> 8) - 8388608) / 8388608.0;
}

static void kick_off(const soccer_ref_game *game, soccer_ref_world *w)
{
    static const double places[11][2] = {{-0.9, 0},     {-0.2, 0},      {-0.55, 0.4}, {-0.55, -0.4},
                                         {-0.25, 0.55}, {-0.25, -0.55}, {-0.7, 0},    {-0.45, 0},
                                         {-0.75, 0.6},  {-0.75, -0.6},  {-0.35, 0.25}};
    static const double balls[4] = {0, 0.4, -0.4, 0.8};
    const carom_soccer_options *o = &game->options;
    const int n = (int)o->robots;
    random_stream stream =
        random_begin(game->seed, game->id, 1, (uint32_t)w->episode << 12 ^ (uint32_t)(w->score[0] + w->score[1]));
    for (int i = 0; i < 2 * n; i++) {
        const double *place = places[n == 1 ? 1 : i % n];
        const double dx = o->width * 0.005 * share(&stream), dy = o->width * 0.005 * share(&stream);
        w->x[i] = (i < n ? 1 : -1) * (place[0] * (o->length / 2)) + dx;
        w->y[i] = (i < n ? 1 : -1) * (place[1] * (o->width / 2)) + dy;
        w->angle[i] = i < n ? 0 : PI;
        w->vx[i] = w->vy[i] = w->spin[i] = 0;
    }
    for (int k = 0; k < (int)o->balls; k++) {
        w->x[2 * n + k] = w->vx[2 * n + k] = w->vy[2 * n + k] = 0;
        w->y[2 * n + k] = balls[k] * (o->width / 2);
        w->holder[k] = -1;
        w->hold_x[k] = w->hold_y[k] = 0;
    }
}

void soccer_ref_start(const soccer_ref_game *game, soccer_ref_world *w)
{
    const int32_t episode = w->episode;
    memset(w, 0, sizeof *w);
    w->episode = episode;
    memset(w->holder, -1, sizeof w->holder);
    w->winner = -1;
    kick_off(game, w);
}

static int fault_of(const soccer_ref_world *w)
{
    int fault = 0;
    for (int i = 0; i < 26; i++) {
        if (isnan(w->x[i]) || isnan(w->y[i]) || isnan(w->vx[i]) || isnan(w->vy[i]))
            return CAROM_FAULT_NAN;
        if (fabs(w->x[i]) > 1024 || fabs(w->y[i]) > 1024 || fabs(w->vx[i]) > 131072 || fabs(w->vy[i]) > 131072)
            fault = CAROM_FAULT_RANGE;
    }
    return fault;
}

int soccer_ref_step(const soccer_ref_game *game, soccer_ref_world *world, soccer_ref_kind kind, const float *actions,
                    float *rewards, soccer_ref_record *record)
{
    const carom_soccer_options *o = &game->options;
    const int n = (int)o->robots, count = 2 * n + (int)o->balls;
    const double dt = 1 / o->rate;
    soccer_ref_world before = *world, *w = world;
    double old_angle[22];
    order orders[22];
    table t;
    int holder[4];
    if (rewards != NULL)
        rewards[0] = rewards[1] = 0;
    if (record != NULL)
        memset(record, 0, sizeof *record);
    if (w->frozen)
        return 0;
    memcpy(old_angle, w->angle, sizeof old_angle);
    for (int i = 0; i < 2 * n; i++)
        orders[i] = obey(o, w, i, i / n, kind, actions + ((i / n) * 11 + i % n) * 5);
    for (int k = 0; k < (int)o->balls; k++)
        handle_ball(o, w, old_angle, orders, 2 * n, k);
    memset(&t, 0, sizeof t);
    t.count = count;
    t.robots = 2 * n;
    t.options = o;
    t.holder = holder;
    for (int i = 0; i < count; i++) {
        const bool ball = i >= 2 * n;
        t.bodies[i] = (body){w->x[i] + w->vx[i] * dt,
                             w->y[i] + w->vy[i] * dt,
                             w->vx[i],
                             w->vy[i],
                             -dt,
                             ball ? o->ball_radius : o->robot_radius,
                             ball ? o->ball_mass : o->robot_mass,
                             ball};
        if (ball)
            holder[i - 2 * n] = w->holder[i - 2 * n];
    }
    int fault = collide(&t, record) == CAROM_SOCCER_EVENTS ? CAROM_FAULT_EVENTS : 0;
    for (int i = 0; i < count; i++) {
        w->x[i] = t.bodies[i].x, w->y[i] = t.bodies[i].y;
        w->vx[i] = t.bodies[i].vx, w->vy[i] = t.bodies[i].vy;
        if (record != NULL) {
            record->moved[i][0] = w->x[i], record->moved[i][1] = w->y[i];
            record->moved[i][2] = w->vx[i], record->moved[i][3] = w->vy[i];
        }
    }
    for (int k = 0; k < (int)o->balls; k++) {
        w->holder[k] = (int8_t)holder[k];
        if (holder[k] < 0)
            w->hold_x[k] = w->hold_y[k] = 0;
    }
    fault = fault != 0 ? fault : fault_of(w);
    if (fault != 0) {
        *w = before;
        w->fault = (int8_t)fault;
        w->frozen = 1;
        if (w->end != 0)
            return 0;
        return w->end = CAROM_TRUNCATED; /* a fault ends the game */
    }
    w->tick++;
    int gained = 0, goals = 0;
    for (int b = 2 * n; b < count; b++) {
        if (fabs(w->x[b]) > o->length / 2) {
            w->score[w->x[b] > 0 ? 0 : 1]++;
            gained += w->x[b] > 0 ? 1 : -1;
            goals++;
        }
    }
    if (goals > 0)
        kick_off(game, w);
    const bool over = w->score[0] >= (int)o->goals || w->score[1] >= (int)o->goals;
    int end = 0, won = 0;
    if (w->end == 0 && (over || w->tick >= (int32_t)o->ticks)) {
        w->winner = w->score[0] > w->score[1] ? 0 : w->score[1] > w->score[0] ? 1 : -1;
        won = w->winner < 0 ? 0 : 1 - 2 * w->winner;
        w->end = (int8_t)(end = over ? CAROM_TERMINATED : CAROM_TRUNCATED);
    }
    if (rewards != NULL) {
        rewards[0] = (float)(gained + won);
        rewards[1] = (float)-(gained + won);
    }
    return end;
}

void soccer_ref_observe(const soccer_ref_game *game, const soccer_ref_world *w, int player,
                        float out[CAROM_SOCCER_OBSERVATION])
{
    const carom_soccer_options *o = &game->options;
    const int n = (int)o->robots;
    const double sign = player == 0 ? 1 : -1;
    memset(out, 0, CAROM_SOCCER_OBSERVATION * sizeof *out);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < n; k++) {
            const int i = (player ^ side) * n + k;
            float *to = out + (side * 11 + k) * 8;
            double c, s;
            csb_ref_sincos(w->angle[i], &s, &c);
            to[0] = (float)(sign * (w->x[i] / (o->length / 2)));
            to[1] = (float)(sign * (w->y[i] / (o->width / 2)));
            to[2] = (float)(sign * (w->vx[i] / o->max_speed));
            to[3] = (float)(sign * (w->vy[i] / o->max_speed));
            to[4] = (float)(sign * c);
            to[5] = (float)(sign * s);
            to[6] = (float)(w->spin[i] / o->max_spin);
            to[7] = w->ready[i] <= w->tick;
        }
    }
    for (int k = 0; k < (int)o->balls; k++) {
        const int b = 2 * n + k;
        float *to = out + 176 + 5 * k;
        to[0] = (float)(sign * (w->x[b] / (o->length / 2)));
        to[1] = (float)(sign * (w->y[b] / (o->width / 2)));
        to[2] = (float)(sign * (w->vx[b] / o->kick_speed));
        to[3] = (float)(sign * (w->vy[b] / o->kick_speed));
        to[4] = (float)(w->holder[k] < 0 ? 0 : w->holder[k] / n == player ? 1 : -1);
    }
    out[196] = (float)((double)w->score[player] / o->goals);
    out[197] = (float)((double)w->score[1 - player] / o->goals);
    out[198] = (float)((double)w->tick / o->ticks);
}

void *soccer_ref_field(soccer_ref_world *w, const char *name, size_t *bytes)
{
#define MEMBER(member)                                                                                                 \
    if (strcmp(name, #member) == 0) {                                                                                  \
        *bytes = sizeof w->member;                                                                                     \
        return &w->member;                                                                                             \
    }
    MEMBER(x)
    MEMBER(y)
    MEMBER(vx)
    MEMBER(vy)
    MEMBER(angle)
    MEMBER(spin)
    MEMBER(hold_x)
    MEMBER(hold_y)
    MEMBER(episode)
    MEMBER(tick)
    MEMBER(ready)
    MEMBER(score)
    MEMBER(holder)
    MEMBER(winner)
    MEMBER(end)
    MEMBER(fault)
    MEMBER(frozen)
#undef MEMBER
    return NULL;
}

const char *soccer_ref_difference(const soccer_ref_world *a, const soccer_ref_world *b)
{
    static const char *const reals[] = {"x", "y", "vx", "vy", "angle", "spin", "hold_x", "hold_y"};
    static const char *const others[] = {"episode", "tick", "ready", "score", "holder",
                                         "winner",  "end",  "fault", "frozen"};
    soccer_ref_world left = *a, right = *b;
    size_t bytes = 0;
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++) {
        const double *p = soccer_ref_field(&left, reals[k], &bytes), *q = soccer_ref_field(&right, reals[k], &bytes);
        for (size_t i = 0; i < bytes / sizeof *p; i++)
            if (!(p[i] == q[i]))
                return reals[k];
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        const void *p = soccer_ref_field(&left, others[k], &bytes), *q = soccer_ref_field(&right, others[k], &bytes);
        if (memcmp(p, q, bytes) != 0)
            return others[k];
    }
    return NULL;
}
