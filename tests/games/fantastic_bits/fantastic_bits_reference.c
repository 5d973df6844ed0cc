/* SPDX-License-Identifier: MIT
 * The plain-C reference of the game fantastic_bits. Every expression is evaluated as written: compile without
 * contraction (-ffp-contract=off). More than 800 lines: the rules of a whole game in one piece.
 */
#include "fantastic_bits_reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "the reference needs plain IEEE arithmetic"
#endif

#define WIDTH 16000.0
#define HEIGHT 7500.0
#define MOUTH_TOP 1750.0
#define MOUTH_BOTTOM 5750.0
#define LEAST_IMPULSE 100.0
#define EPS 0.00001
#define GRASP 399.0
#define LAST_TICK 200
#define POSITION_LIMIT 16777216.0 /* 2^24; speeds may have twice that */
#define COORDINATE_LIMIT 99999999.0

#define WIZARDS 4
#define FIRST_SNAFFLE 4
#define SNAFFLES 7
#define FIRST_BLUDGER 11
#define BODIES FB_REF_BODIES
#define FIRST_POST 13
#define POST_RADIUS 300.0

enum { OBLIVIATE, PETRIFICUS, ACCIO, FLIPENDO, SPELLS };
enum { RIGHT, LEFT, BOTTOM, TOP };

static const int spell_cost[SPELLS] = {5, 10, 20, 20};
static const int spell_time[SPELLS] = {3, 1, 6, 3};
static const double post_place[4][2] = {{0, 1750}, {0, 5750}, {16000, 1750}, {16000, 5750}};

typedef struct vector {
    double x, y;
} vector;

static bool is_wizard(int slot)
{
    return slot < FIRST_SNAFFLE;
}

static bool is_snaffle(int slot)
{
    return slot >= FIRST_SNAFFLE && slot < FIRST_BLUDGER;
}

static double radius_of(int slot)
{
    return is_wizard(slot) ? 400 : is_snaffle(slot) ? 150 : 200;
}

static double mass_of(int slot)
{
    return is_wizard(slot) ? 1 : is_snaffle(slot) ? 0.5 : 8;
}

static double length_of(vector v)
{
    return sqrt(v.x * v.x + v.y * v.y);
}

static double square_of(vector v)
{
    return v.x * v.x + v.y * v.y;
}

static vector unit(vector v)
{
    double length = length_of(v);
    if (length == 0)
        return (vector){0, 0};
    return (vector){v.x / length, v.y / length};
}

static vector times(vector v, double k)
{
    return (vector){v.x * k, v.y * k};
}

static vector place(const fb_ref_world *w, int slot)
{
    return (vector){w->x[slot], w->y[slot]};
}

static vector speed(const fb_ref_world *w, int slot)
{
    return (vector){w->vx[slot], w->vy[slot]};
}

/* from a to b */
static vector way(vector a, vector b)
{
    return (vector){b.x - a.x, b.y - a.y};
}

static void push(fb_ref_world *w, int slot, vector force)
{
    double inverse = 1 / mass_of(slot);
    w->vx[slot] += force.x * inverse;
    w->vy[slot] += force.y * inverse;
}

static bool exists(const fb_ref_world *w, int slot)
{
    return !is_snaffle(slot) || slot < FIRST_SNAFFLE + w->snaffles;
}

static bool is_alive(const fb_ref_world *w, int snaffle)
{
    return w->alive[snaffle - FIRST_SNAFFLE] != 0;
}

static bool is_held(const fb_ref_world *w, int snaffle)
{
    return w->hold[0] == snaffle || w->hold[1] == snaffle || w->hold[2] == snaffle || w->hold[3] == snaffle;
}

static bool ignores(const fb_ref_world *w, int a, int b)
{
    return (w->ignores[a - FIRST_SNAFFLE] >> (b - FIRST_SNAFFLE) & 1) != 0;
}

/* The snaffle goes where its wizard is. */
static void carry(fb_ref_world *w, int wizard)
{
    int s = w->hold[wizard];
    if (s >= 0) {
        w->x[s] = w->x[wizard];
        w->y[s] = w->y[wizard];
        w->vx[s] = w->vx[wizard];
        w->vy[s] = w->vy[wizard];
    }
}

/* ---- the start ---- */

static int next_below(uint64_t *state, int bound)
{
    const uint64_t mask = (UINT64_C(1) << 48) - 1;
    for (;;) {
        *state = (*state * UINT64_C(0x5DEECE66D) + 0xB) & mask;
        int32_t bits = (int32_t)(*state >> 17);
        if ((bound & (bound - 1)) == 0)
            return (int)(((int64_t)bound * bits) >> 31);
        int32_t value = bits % bound;
        if ((int64_t)bits - value + (bound - 1) <= INT32_MAX)
            return value;
    }
}

void fb_ref_start(fb_ref_world *w, int64_t seed)
{
    static const double wizards[WIZARDS][2] = {{1000, 5250}, {1000, 2250}, {15000, 2250}, {15000, 5250}};
    uint64_t state = ((uint64_t)seed ^ UINT64_C(0x5DEECE66D)) & ((UINT64_C(1) << 48) - 1);
    memset(w, 0, sizeof *w);
    for (int i = 0; i < WIZARDS; i++) {
        w->x[i] = wizards[i][0];
        w->y[i] = wizards[i][1];
        w->hold[i] = -1;
        w->cast[i] = w->cast_target[i] = -1;
    }
    memset(w->target, -1, sizeof w->target);
    int pairs = 2 + next_below(&state, 2), count = 0;
    while (count < 2 * pairs) {
        vector p;
        p.x = next_below(&state, 5000) + 2000;
        p.y = next_below(&state, 6500) + 500;
        bool near = false;
        for (int k = 0; k < count; k++)
            near |= length_of(way(p, place(w, FIRST_SNAFFLE + k))) < 1250;
        if (near)
            continue;
        w->x[FIRST_SNAFFLE + count] = p.x;
        w->y[FIRST_SNAFFLE + count++] = p.y;
        w->x[FIRST_SNAFFLE + count] = WIDTH - p.x;
        w->y[FIRST_SNAFFLE + count++] = HEIGHT - p.y;
    }
    w->x[FIRST_SNAFFLE + count] = 8000;
    w->y[FIRST_SNAFFLE + count++] = 3750;
    w->snaffles = (int8_t)count;
    for (int k = 0; k < count; k++)
        w->alive[k] = 1;
    w->x[FIRST_BLUDGER] = 7450;
    w->x[FIRST_BLUDGER + 1] = 8550;
    w->y[FIRST_BLUDGER] = w->y[FIRST_BLUDGER + 1] = 3750;
    w->last[0] = w->last[1] = -1;
    w->winner = -1;
}

/* ---- commands ---- */

static void prepare(fb_ref_world *w)
{
    for (int i = 0; i < WIZARDS; i++) {
        int8_t *countdown = &w->countdown[4 * i], *target = &w->target[4 * i];
        for (int s = 0; s < SPELLS; s++)
            if (countdown[s] > 0)
                countdown[s]--;
        if (w->cast[i] >= 0) {
            countdown[w->cast[i]] = (int8_t)spell_time[w->cast[i]];
            target[w->cast[i]] = w->cast_target[i];
        }
        w->cast[i] = w->cast_target[i] = -1;
        for (int s = 0; s < SPELLS; s++)
            if (countdown[s] == 0)
                target[s] = -1;
    }
}

/* The slot of the referee's id, or -1 for posts and unknown ids. */
static int slot_of(const fb_ref_world *w, double id)
{
    if (!(id >= 0 && id < FIRST_SNAFFLE + w->snaffles + 2) || id != floor(id))
        return -1;
    int i = (int)id;
    return i < FIRST_SNAFFLE + w->snaffles ? i : i - FIRST_SNAFFLE - w->snaffles + FIRST_BLUDGER;
}

static bool may_cast(const fb_ref_world *w, int wizard, int spell, int slot)
{
    if (slot < 0 || !exists(w, slot))
        return false;
    if (slot >= FIRST_BLUDGER)
        return true;
    if (is_snaffle(slot))
        return spell != OBLIVIATE && is_alive(w, slot);
    return (spell == PETRIFICUS || spell == FLIPENDO) && slot / 2 != wizard / 2;
}

static vector thrust(const fb_ref_world *w, int wizard, vector target, double power)
{
    vector at = place(w, wizard);
    if (target.x == at.x && target.y == at.y)
        return (vector){0, 0};
    return times(unit(unit(way(at, target))), power);
}

/* What the wizards do; thrusts by slot. */
typedef struct orders {
    vector acc[BODIES];
} orders;

static void cast(fb_ref_world *w, int wizard, int spell, int slot)
{
    int player = wizard / 2;
    if (w->mana[player] >= spell_cost[spell]) {
        w->mana[player] = (int8_t)(w->mana[player] - spell_cost[spell]);
        w->cast[wizard] = (int8_t)spell;
        w->cast_target[wizard] = (int8_t)slot;
    }
}

/* False: a bad command. */
static bool obey_referee(fb_ref_world *w, int wizard, const double *numbers, orders *o)
{
    double verb = numbers[0];
    if (verb == 0 || verb == 1) {
        vector target = {numbers[1], numbers[2]};
        double power = numbers[3];
        if (!(fabs(target.x) <= COORDINATE_LIMIT && fabs(target.y) <= COORDINATE_LIMIT) ||
            !(power >= 0 && power <= (verb == 0 ? 150 : 500)) || (verb == 1 && w->hold[wizard] < 0))
            return false;
        o->acc[verb == 0 ? wizard : w->hold[wizard]] = thrust(w, wizard, target, power);
        return true;
    }
    if (!(verb == 2 || verb == 3 || verb == 4 || verb == 5))
        return false;
    int spell = (int)verb - 2, slot = slot_of(w, numbers[1]);
    if (!may_cast(w, wizard, spell, slot))
        return false;
    cast(w, wizard, spell, slot);
    return true;
}

static double clamp(float number)
{
    return number > 1 ? 1 : number < -1 ? -1 : number == number ? (double)number : 0;
}

static void obey_normalised(fb_ref_world *w, int wizard, const float *numbers, orders *o)
{
    double c[5];
    for (int k = 0; k < 5; k++)
        c[k] = clamp(numbers[k]);
    float choice = (float)c[3];
    int spell = choice >= 0.8f ? FLIPENDO : choice >= 0.6f ? ACCIO : choice >= 0.4f ? PETRIFICUS : OBLIVIATE;
    int slot = (int)floor((c[4] + 1) * 6.5);
    slot = slot > 12 ? 12 : slot;
    if (choice >= 0.2f && w->mana[wizard / 2] >= spell_cost[spell] && may_cast(w, wizard, spell, slot)) {
        cast(w, wizard, spell, slot);
        return;
    }
    vector target = {w->x[wizard] + 1000 * c[0], w->y[wizard] + 1000 * c[1]};
    if (w->hold[wizard] >= 0)
        o->acc[w->hold[wizard]] = thrust(w, wizard, target, (c[2] + 1) * 250);
    else
        o->acc[wizard] = thrust(w, wizard, target, (c[2] + 1) * 75);
}

static void obey(fb_ref_world *w, fb_ref_kind kind, const void *actions, orders *o)
{
    for (int i = 0; i < WIZARDS; i++) {
        if (w->score[i / 2] < 0)
            continue;
        if (kind == FB_REF_NORMALISED) {
            obey_normalised(w, i, (const float *)actions + (ptrdiff_t)5 * i, o);
        } else if (!obey_referee(w, i, (const double *)actions + (ptrdiff_t)4 * i, o)) {
            w->score[i / 2] = -1;
            continue;
        }
        if (w->hold[i] >= 0) {
            carry(w, i);
            w->wait[i] = 3;
        }
    }
}

/* ---- forces ---- */

static bool overlap(const fb_ref_world *w, int a, int b)
{
    return square_of(way(place(w, a), place(w, b))) <= 300.0 * 300.0;
}

static void forget(fb_ref_world *w)
{
    for (int a = FIRST_SNAFFLE; a < FIRST_BLUDGER; a++)
        for (int b = FIRST_SNAFFLE; b < FIRST_BLUDGER; b++)
            if (ignores(w, a, b) && !overlap(w, a, b))
                w->ignores[a - FIRST_SNAFFLE] &= (int8_t)~(1 << (b - FIRST_SNAFFLE));
}

static void end_accio(fb_ref_world *w, int wizard)
{
    w->countdown[4 * wizard + ACCIO] = 0;
    w->target[4 * wizard + ACCIO] = -1;
}

static void move_wizard(fb_ref_world *w, int i, vector acc)
{
    push(w, i, acc);
    int h = w->hold[i];
    if (h >= 0) {
        if (w->target[4 * i + ACCIO] == h)
            end_accio(w, i);
        for (int s = FIRST_SNAFFLE; s < FIRST_SNAFFLE + w->snaffles; s++) {
            if (s != h && overlap(w, s, h)) {
                w->ignores[s - FIRST_SNAFFLE] |= (int8_t)(1 << (h - FIRST_SNAFFLE));
                w->ignores[h - FIRST_SNAFFLE] |= (int8_t)(1 << (s - FIRST_SNAFFLE));
            }
        }
        w->hold[i] = -1;
    }
    int target = w->target[4 * i + ACCIO];
    if (target >= 0 && is_snaffle(target) && !is_alive(w, target))
        end_accio(w, i);
    if (w->wait[i] > 0)
        w->wait[i]--;
}

static bool is_oblivious(const fb_ref_world *w, int team, int bludger)
{
    for (int i = 2 * team; i < 2 * team + 2; i++)
        if (w->countdown[4 * i + OBLIVIATE] > 0 && w->target[4 * i + OBLIVIATE] == bludger)
            return true;
    return false;
}

static void chase(fb_ref_world *w, int bludger)
{
    int nearest = -1;
    double least = 0;
    for (int i = 0; i < WIZARDS; i++) {
        if (w->last[bludger - FIRST_BLUDGER] == i || is_oblivious(w, i / 2, bludger))
            continue;
        double distance = length_of(way(place(w, bludger), place(w, i)));
        if (nearest < 0 || distance < least) {
            nearest = i;
            least = distance;
        }
    }
    vector acc = {0, 0};
    if (nearest >= 0)
        acc = times(unit(way(place(w, bludger), place(w, nearest))), 1000);
    push(w, bludger, acc);
}

static double weaker(double strength, vector d)
{
    double power = strength * (1000000 / square_of(d));
    return power < 1000 ? power : 1000;
}

static void work_spells(fb_ref_world *w)
{
    for (int spell = PETRIFICUS; spell <= FLIPENDO; spell++) {
        for (int i = 0; i < WIZARDS; i++) {
            int target = w->target[4 * i + spell];
            if (w->countdown[4 * i + spell] <= 0 || target < 0)
                continue;
            vector d = way(place(w, i), place(w, target));
            if (spell == PETRIFICUS) {
                w->vx[target] = w->vy[target] = 0;
            } else if (spell == ACCIO) {
                d = way(place(w, target), place(w, i));
                push(w, target, times(unit(d), weaker(3000, d)));
            } else if (d.x != 0 || d.y != 0) {
                push(w, target, times(unit(d), weaker(6000, d)));
            }
        }
    }
}

static int alive_count(const fb_ref_world *w)
{
    int count = 0;
    for (int k = 0; k < w->snaffles; k++)
        count += w->alive[k];
    return count;
}

static void apply_forces(fb_ref_world *w, const orders *o)
{
    forget(w);
    for (int i = 0; i < WIZARDS; i++)
        move_wizard(w, i, o->acc[i]);
    for (int s = FIRST_SNAFFLE; s < FIRST_SNAFFLE + w->snaffles; s++)
        push(w, s, o->acc[s]);
    chase(w, FIRST_BLUDGER);
    chase(w, FIRST_BLUDGER + 1);
    work_spells(w);
    for (int p = 0; p < 2; p++)
        w->mana[p] = (int8_t)(w->mana[p] < 100 ? w->mana[p] + 1 : 100);
}

/* ---- candidate events ---- */

typedef struct candidate {
    fb_ref_hit kind;
    double time;
    int first, second; /* second: slot, post 13.., side of a wall, or player */
} candidate;

typedef struct list {
    candidate items[400];
    int count;
} list;

static void add(list *l, fb_ref_hit kind, double time, int first, int second)
{
    l->items[l->count++] = (candidate){kind, time, first, second};
}

/* The time of contact, or a negative number. */
static double contact(vector dv, vector d, double distance)
{
    double a = square_of(dv), b = d.x * dv.x + d.y * dv.y, c = square_of(d) - distance * distance;
    double q = b * b - a * c;
    if (!(q > 0) || a == 0)
        return -1;
    double root = sqrt(q), t1 = (-b + root) / a, t2 = (-b - root) / a;
    return t1 < t2 ? t1 : t2;
}

static void find_round(const fb_ref_world *w, list *l, double begin, fb_ref_hit kind, int a, int b)
{
    vector at = place(w, a), other = {0, 0}, dv = speed(w, a);
    double reach;
    if (kind == FB_REF_POST) {
        other = (vector){post_place[b - FIRST_POST][0], post_place[b - FIRST_POST][1]};
        reach = radius_of(a) + POST_RADIUS;
    } else {
        other = place(w, b);
        dv = way(speed(w, b), dv);
        reach = radius_of(a) + radius_of(b);
    }
    vector d = way(other, at);
    if (square_of(d) <= reach * reach) {
        add(l, kind, begin, a, b);
        return;
    }
    double t = contact(dv, d, reach);
    if (t <= 1 - begin && t > 0)
        add(l, kind, begin + t, a, b);
}

static void find_posts(const fb_ref_world *w, list *l, double begin, int a)
{
    for (int p = 0; p < 4; p++)
        find_round(w, l, begin, FB_REF_POST, a, FIRST_POST + p);
}

static bool in_goal(const fb_ref_world *w, int s)
{
    return (w->x[s] <= 150 || w->x[s] >= 15850) && w->y[s] >= MOUTH_TOP && w->y[s] <= MOUTH_BOTTOM;
}

static bool hits_end(const fb_ref_world *w, int a, double t)
{
    double y = w->y[a] + t * w->vy[a];
    return !is_snaffle(a) || y < MOUTH_TOP || y > MOUTH_BOTTOM;
}

static void find_wall(const fb_ref_world *w, list *l, double begin, int a)
{
    double r = radius_of(a), x = w->x[a], y = w->y[a], vx = w->vx[a], vy = w->vy[a], left = 1 - begin;
    if (is_snaffle(a) && in_goal(w, a))
        return;
    if (x < r || x > WIDTH - r || y < r || y > HEIGHT - r) {
        add(l, FB_REF_WALL, begin, a, x < r ? LEFT : x > WIDTH - r ? RIGHT : y < r ? TOP : BOTTOM);
        return;
    }
    int side = -1;
    double best = 0;
    if (vx != 0) {
        double t = vx > 0 ? ((WIDTH - r) - x) / vx : (r - x) / vx;
        if (t >= 0 && hits_end(w, a, t)) {
            side = vx > 0 ? RIGHT : LEFT;
            best = t;
        }
    }
    if (vy != 0) {
        double t = vy > 0 ? ((HEIGHT - r) - y) / vy : (r - y) / vy;
        if (t >= 0 && (side < 0 || t < best)) {
            side = vy > 0 ? BOTTOM : TOP;
            best = t;
        }
    }
    if (side >= 0 && best <= left)
        add(l, FB_REF_WALL, begin + best, a, side);
}

static void find_grabs(const fb_ref_world *w, list *l, double begin, int wizard)
{
    int nearest = -1;
    double least = 0;
    if (w->hold[wizard] >= 0 || w->wait[wizard] > 0)
        return;
    for (int pass = 0; pass < 2; pass++) {
        for (int s = FIRST_SNAFFLE; s < FIRST_SNAFFLE + w->snaffles; s++) {
            if (!is_alive(w, s) || is_held(w, s))
                continue;
            vector d = way(place(w, s), place(w, wizard));
            if (pass == 0) {
                if (square_of(d) <= GRASP * GRASP && (nearest < 0 || square_of(d) < least)) {
                    nearest = s;
                    least = square_of(d);
                }
            } else if (s != nearest) {
                double t = contact(way(speed(w, s), speed(w, wizard)), d, GRASP);
                if (t <= 1 - begin && t > 0)
                    add(l, FB_REF_GRAB, begin + t, wizard, s);
            }
        }
        if (pass == 0 && nearest >= 0)
            add(l, FB_REF_GRAB, begin, wizard, nearest);
    }
}

static void find_goal(const fb_ref_world *w, list *l, double begin, int s)
{
    double x = w->x[s], vx = w->vx[s], left = 1 - begin;
    if (x >= WIDTH) {
        add(l, FB_REF_GOAL, begin, s, 0);
    } else if (x <= 0) {
        add(l, FB_REF_GOAL, begin, s, 1);
    } else if (vx != 0) {
        double right = (WIDTH - x) / vx, leftward = (-x) / vx;
        if (right > 0 && right <= left)
            add(l, FB_REF_GOAL, begin + right, s, 0);
        else if (leftward > 0 && leftward <= left)
            add(l, FB_REF_GOAL, begin + leftward, s, 1);
    }
}

static bool is_free(const fb_ref_world *w, int s)
{
    return is_alive(w, s) && !is_held(w, s);
}

static void find_all(const fb_ref_world *w, list *l, double begin)
{
    l->count = 0;
    for (int i = WIZARDS - 1; i >= 0; i--) {
        find_wall(w, l, begin, i);
        find_posts(w, l, begin, i);
        for (int other = i - 1; other >= 0; other--)
            find_round(w, l, begin, FB_REF_PAIR, i, other);
        find_grabs(w, l, begin, i);
    }
    for (int s = FIRST_SNAFFLE + w->snaffles - 1; s >= FIRST_SNAFFLE; s--) {
        if (!is_free(w, s))
            continue;
        find_posts(w, l, begin, s);
        find_wall(w, l, begin, s);
        for (int other = s - 1; other >= FIRST_SNAFFLE; other--)
            if (is_free(w, other) && !ignores(w, s, other))
                find_round(w, l, begin, FB_REF_PAIR, s, other);
        find_goal(w, l, begin, s);
    }
    for (int b = FIRST_BLUDGER + 1; b >= FIRST_BLUDGER; b--) {
        find_wall(w, l, begin, b);
        find_posts(w, l, begin, b);
        if (b > FIRST_BLUDGER)
            find_round(w, l, begin, FB_REF_PAIR, b, FIRST_BLUDGER);
        for (int other = 0; other < FIRST_SNAFFLE + w->snaffles; other++)
            find_round(w, l, begin, FB_REF_PAIR, b, other);
    }
}

/* Stable. */
static void sort(list *l)
{
    for (int i = 1; i < l->count; i++) {
        candidate now = l->items[i];
        int k = i;
        for (; k > 0 && l->items[k - 1].time > now.time; k--)
            l->items[k] = l->items[k - 1];
        l->items[k] = now;
    }
}

/* ---- acting ---- */

static fb_ref_event *note(fb_ref_record *record, const fb_ref_world *w, const candidate *c)
{
    static fb_ref_event nobody;
    fb_ref_event *e = record != NULL ? &record->events[record->event_count++] : &nobody;
    vector at = place(w, c->first), other = {0, 0};
    int second = c->second;
    if (c->kind == FB_REF_POST)
        other = (vector){post_place[second - FIRST_POST][0], post_place[second - FIRST_POST][1]};
    else if (c->kind == FB_REF_WALL)
        second += CAROM_FANTASTIC_BITS_WALL;
    else if (c->kind == FB_REF_GOAL)
        second += CAROM_FANTASTIC_BITS_GOAL;
    else
        other = place(w, second);
    *e = (fb_ref_event){c->kind, c->time, c->first, second, at.x, at.y, other.x, other.y, 0};
    return e;
}

/* A pair, or a post as the second. */
static void bounce(fb_ref_world *w, const candidate *c, fb_ref_event *e)
{
    int a = c->first, b = c->second;
    bool post = c->kind == FB_REF_POST;
    vector n = unit((vector){e->x2 - e->x1, e->y2 - e->y1});
    if (n.x == 0 && n.y == 0)
        n.x = 1;
    double f;
    if (post) {
        f = (n.x * w->vx[a] + n.y * w->vy[a]) * mass_of(a);
    } else {
        vector v = way(speed(w, b), speed(w, a));
        f = (n.x * v.x + n.y * v.y) / (1 / mass_of(a) + 1 / mass_of(b));
    }
    double F = f + (f > LEAST_IMPULSE ? f : LEAST_IMPULSE);
    e->impulse = F;
    vector j = times(n, -1 * F);
    push(w, a, j);
    if (!post)
        push(w, b, times(j, -1));
    double g = length_of((vector){e->x2 - e->x1, e->y2 - e->y1}) - radius_of(a) - (post ? POST_RADIUS : radius_of(b));
    if (g <= 0) {
        double apart = (-g) / 2 + EPS;
        w->x[a] += n.x * -apart;
        w->y[a] += n.y * -apart;
        if (!post) {
            w->x[b] += n.x * apart;
            w->y[b] += n.y * apart;
        }
    }
    if (a >= FIRST_BLUDGER && is_wizard(b))
        w->last[a - FIRST_BLUDGER] = (int8_t)b;
}

static void reflect(fb_ref_world *w, int a, int side, fb_ref_event *e)
{
    double r = radius_of(a), m = mass_of(a);
    if (is_snaffle(a) && in_goal(w, a))
        return;
    double *v = side == RIGHT || side == LEFT ? &w->vx[a] : &w->vy[a];
    e->impulse = 2 * *v * m;
    *v += -(2 * *v * m) * (1 / m);
    if (w->x[a] > WIDTH - r)
        w->x[a] -= 2 * (w->x[a] - (WIDTH - r));
    if (w->x[a] < r)
        w->x[a] += 2 * (r - w->x[a]);
    if (w->y[a] > HEIGHT - r)
        w->y[a] -= 2 * (w->y[a] - (HEIGHT - r));
    if (w->y[a] < r)
        w->y[a] += 2 * (r - w->y[a]);
}

static bool may_grab(const fb_ref_world *w, int wizard, int s)
{
    double d2 = square_of(way(place(w, wizard), place(w, s))) + EPS;
    for (int i = 0; i < WIZARDS; i++)
        if (i != wizard && w->hold[i] < 0 && square_of(way(place(w, i), place(w, s))) <= d2)
            return false;
    return w->hold[wizard] < 0;
}

static void act(fb_ref_world *w, const candidate *c, fb_ref_record *record)
{
    if (c->kind == FB_REF_GRAB) {
        if (may_grab(w, c->first, c->second)) {
            note(record, w, c);
            w->hold[c->first] = (int8_t)c->second;
            carry(w, c->first);
        }
        return;
    }
    fb_ref_event *e = note(record, w, c);
    if (c->kind == FB_REF_GOAL) {
        w->alive[c->first - FIRST_SNAFFLE] = 0;
        if (w->score[c->second] >= 0)
            w->score[c->second]++;
        if (record != NULL)
            record->goals++;
        return;
    }
    if (c->kind == FB_REF_WALL)
        reflect(w, c->first, c->second, e);
    else
        bounce(w, c, e);
    if (is_wizard(c->first))
        carry(w, c->first);
    if (c->kind == FB_REF_PAIR && is_wizard(c->second))
        carry(w, c->second);
}

/* False: too many steps or events. */
static bool move_all(fb_ref_world *w, fb_ref_record *record)
{
    double time = 0;
    int steps = 0, events = 0;
    while (time < 1) {
        list l;
        find_all(w, &l, time);
        double s = 1 - time, first = 0;
        if (++steps > FB_REF_MAX_STEPS)
            return false;
        if (l.count > 0) {
            sort(&l);
            first = l.items[0].time;
            s = first - time;
        }
        if (s > 0) {
            for (int i = 0; i < BODIES; i++) {
                w->x[i] += w->vx[i] * s;
                w->y[i] += w->vy[i] * s;
            }
        }
        for (int k = 0; k < l.count && l.items[k].time <= first + EPS; k++) {
            if (++events > FB_REF_MAX_EVENTS)
                return false;
            act(w, &l.items[k], record);
        }
        if (record != NULL && record->step_count < FB_REF_MAX_STEPS)
            record->steps[record->step_count++] = s;
        time += s;
    }
    return true;
}

/* ---- the end of the turn ---- */

static double whole(double v)
{
    double rounded = floor(fabs(v) + 0.5);
    return rounded == 0 ? 0 : v < 0 ? -rounded : rounded;
}

static void settle(fb_ref_world *w)
{
    for (int i = 0; i < BODIES; i++) {
        double keep = 1 - (i >= FIRST_BLUDGER ? 0.1 : 0.25);
        w->vx[i] = whole(w->vx[i] * keep);
        w->vy[i] = whole(w->vy[i] * keep);
        w->x[i] = whole(w->x[i]);
        w->y[i] = whole(w->y[i]);
    }
}

static int fault_of(const fb_ref_world *w)
{
    int fault = 0;
    for (int i = 0; i < BODIES; i++) {
        double sum = w->x[i] + w->y[i] + w->vx[i] + w->vy[i];
        if (sum != sum)
            return CAROM_FAULT_NAN;
        if (fabs(w->x[i]) > POSITION_LIMIT || fabs(w->y[i]) > POSITION_LIMIT || fabs(w->vx[i]) > 2 * POSITION_LIMIT ||
            fabs(w->vy[i]) > 2 * POSITION_LIMIT)
            fault = CAROM_FAULT_RANGE;
    }
    return fault;
}

static int goals_to_win(const fb_ref_world *w)
{
    return w->snaffles / 2 + 1;
}

int fb_ref_step(fb_ref_world *world, fb_ref_kind kind, const void *actions, float *rewards, fb_ref_record *record)
{
    fb_ref_world w = *world;
    orders o;
    memset(&o, 0, sizeof o);
    if (rewards != NULL)
        rewards[0] = rewards[1] = 0;
    if (record != NULL)
        memset(record, 0, sizeof *record);
    if (w.frozen)
        return CAROM_RUNNING;
    prepare(&w);
    obey(&w, kind, actions, &o);
    apply_forces(&w, &o);
    int alive = alive_count(&w);
    int before[2] = {w.score[0], w.score[1]};
    int fault = move_all(&w, record) ? 0 : CAROM_FAULT_EVENTS;
    for (int i = 0; i < BODIES && record != NULL; i++) {
        const double moved[4] = {w.x[i], w.y[i], w.vx[i], w.vy[i]};
        memcpy(record->moved[i], moved, sizeof moved);
    }
    settle(&w);
    fault = fault != 0 ? fault : fault_of(&w);
    if (fault != 0) {
        world->fault |= (int8_t)fault;
        world->frozen = 1;
        if (world->end != CAROM_RUNNING)
            return CAROM_RUNNING;
        return world->end = CAROM_TRUNCATED; /* a fault ends the game */
    }
    w.tick = w.tick < INT32_MAX ? w.tick + 1 : w.tick;
    *world = w;
    if (rewards != NULL) {
        int gained = (w.score[0] - before[0]) - (w.score[1] - before[1]);
        rewards[0] = (float)gained;
        rewards[1] = (float)-gained;
    }
    bool over = alive == 0 || w.score[0] >= goals_to_win(&w) || w.score[1] >= goals_to_win(&w) || w.score[0] < 0 ||
                w.score[1] < 0;
    if (w.end != CAROM_RUNNING || (!over && w.tick < LAST_TICK))
        return CAROM_RUNNING;
    world->end = over ? CAROM_TERMINATED : CAROM_TRUNCATED;
    world->winner = (int8_t)(w.score[0] > w.score[1] ? 0 : w.score[1] > w.score[0] ? 1 : -1);
    if (rewards != NULL && world->winner >= 0) {
        rewards[world->winner] += 1;
        rewards[1 - world->winner] -= 1;
    }
    return world->end;
}

/* ---- views ---- */

void fb_ref_observe(const fb_ref_world *w, int player, float out[CAROM_FANTASTIC_BITS_OBSERVATION])
{
    for (int k = 0; k < BODIES; k++) {
        int i = is_wizard(k) && player == 1 ? k ^ 2 : k;
        bool seen = !is_snaffle(i) || is_alive(w, i);
        *out++ = (float)(seen ? w->x[i] / 16000 : 0);
        *out++ = (float)(seen ? w->y[i] / 7500 : 0);
        *out++ = (float)(seen ? w->vx[i] / 1000 : 0);
        *out++ = (float)(seen ? w->vy[i] / 1000 : 0);
        if (is_wizard(i))
            *out++ = w->hold[i] >= 0 ? 1 : 0;
        else if (is_snaffle(i))
            *out++ = seen ? 1 : 0;
    }
    *out++ = (float)(w->mana[player] / 100.0);
    *out++ = (float)(w->score[player] / (double)goals_to_win(w));
    *out++ = (float)(w->score[1 - player] / (double)goals_to_win(w));
    *out++ = player == 0 ? 1.0f : -1.0f;
    *out++ = (float)(w->tick / 200.0);
}

double fb_ref_value(const fb_ref_world *w, int player)
{
    double sum = 0;
    for (int s = FIRST_SNAFFLE; s < FIRST_BLUDGER; s++)
        if (is_alive(w, s))
            sum += (w->x[s] - 8000) / 16000;
    return player == 0 ? sum : -sum;
}

void *fb_ref_field(fb_ref_world *w, const char *name, size_t *bytes)
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
    MEMBER(tick)
    MEMBER(hold)
    MEMBER(wait)
    MEMBER(countdown)
    MEMBER(target)
    MEMBER(cast)
    MEMBER(cast_target)
    MEMBER(alive)
    MEMBER(ignores)
    MEMBER(last)
    MEMBER(score)
    MEMBER(mana)
    MEMBER(winner)
    MEMBER(snaffles)
    MEMBER(end)
    MEMBER(fault)
    MEMBER(frozen)
#undef MEMBER
    return NULL;
}

const char *fb_ref_difference(const fb_ref_world *a, const fb_ref_world *b)
{
    static const char *const reals[] = {"x", "y", "vx", "vy"};
    static const char *const others[] = {"tick",        "hold",     "wait",    "countdown", "target", "cast",
                                         "cast_target", "alive",    "ignores", "last",      "score",  "mana",
                                         "winner",      "snaffles", "end",     "fault",     "frozen"};
    fb_ref_world left = *a, right = *b;
    size_t bytes = 0;
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++) {
        const double *p = fb_ref_field(&left, reals[k], &bytes), *q = fb_ref_field(&right, reals[k], &bytes);
        for (int i = 0; i < BODIES; i++)
            if (p[i] != q[i])
                return reals[k];
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        const void *p = fb_ref_field(&left, others[k], &bytes), *q = fb_ref_field(&right, others[k], &bytes);
        if (memcmp(p, q, bytes) != 0)
            return others[k];
    }
    return NULL;
}
