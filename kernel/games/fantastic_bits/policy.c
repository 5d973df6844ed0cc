/* SPDX-License-Identifier: MIT
 * The built-in players of fantastic_bits: `striker` and `random`. Plain C, in double precision whatever the worlds'
 * precision. The end of this file converts their intents to each kind of action.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include "base/random.h"
#include "games/fantastic_bits/fantastic_bits.h"

#define RULES_FIELDS FB_FIELDS
#include "tick/policy.h"

enum { STRIKER, RANDOM };

/* A world, as a player sees it. */
typedef struct view {
    double x[FB_BODIES], y[FB_BODIES], vx[FB_BODIES], vy[FB_BODIES];
    bool free[FB_BODIES]; /* of snaffles: alive and in no hand */
    bool alive[FB_BODIES];
    int8_t hold[FB_WIZARDS];
    int8_t mana[2];
    int8_t snaffles;
} view;

/* A wizard's intent: to move or throw towards (x, y) with `power`, or to cast a spell on a slot. */
typedef struct intent {
    double verb, x, y, power; /* verb: of the kind `referee` */
    int slot;                 /* -1: no spell */
} intent;

static view view_of(see_world w)
{
    view v;
    for (int i = 0; i < FB_BODIES; i++) {
        v.x[i] = see_x(w, i);
        v.y[i] = see_y(w, i);
        v.vx[i] = see_vx(w, i);
        v.vy[i] = see_vy(w, i);
        v.alive[i] = i < FB_SNAFFLE || i >= FB_BLUDGER || see_alive(w, i - FB_SNAFFLE) != 0;
        v.free[i] = v.alive[i];
    }

    for (int i = 0; i < FB_WIZARDS; i++) {
        v.hold[i] = (int8_t)see_hold(w, i);
        if (v.hold[i] >= 0) {
            v.free[v.hold[i]] = false;
        }
    }
    v.mana[0] = (int8_t)see_mana(w, 0);
    v.mana[1] = (int8_t)see_mana(w, 1);
    v.snaffles = (int8_t)see_snaffles(w, 0);
    return v;
}

static double between(const view *v, int a, int b)
{
    const double dx = v->x[a] - v->x[b], dy = v->y[a] - v->y[b];
    return v_sqrt(dx * dx + dy * dy);
}

static intent move_to(double x, double y)
{
    const intent i = {CAROM_FANTASTIC_BITS_MOVE, x, y, FB_MOST_THRUST, -1};
    return i;
}

static intent cast_on(double verb, int slot)
{
    const intent i = {verb, 0, 0, 0, slot};
    return i;
}

/* ---- the striker ---- */

static double goal_of(int player)
{
    return player == 0 ? FB_WIDTH : 0;
}

/* Does a body that leaves (x, y) along (dx, dy) cross the goal line well within the mouth? */
static bool is_shot(double x, double y, double dx, double dy, double goal)
{
    const double t = (goal - x) / dx, end = y + t * dy;
    return dx != 0 && t > 0 && end > FB_MOUTH_TOP + 500 && end < FB_MOUTH_BOTTOM - 500;
}

/* Throws straight at the mouth. The snaffle keeps the wizard's velocity, so the target is shifted to compensate. */
static intent shoot(const view *v, int wizard)
{
    const double goal = goal_of(wizard / 2), low = FB_MOUTH_TOP + 700, high = FB_MOUTH_BOTTOM - 700;
    const double y = v->y[wizard] < low ? low : v->y[wizard] > high ? high : v->y[wizard];
    const double dx = goal - v->x[wizard], dy = y - v->y[wizard], length = v_sqrt(dx * dx + dy * dy) + 1;
    const intent i = {CAROM_FANTASTIC_BITS_THROW, v->x[wizard] + 4000 * (dx / length) - 4 * v->vx[wizard],
                      v->y[wizard] + 4000 * (dy / length) - 4 * v->vy[wizard], FB_MOST_THROW, -1};
    return i;
}

/* Searches for a spell that is worth its mana: a free snaffle to push into the goal, or one far behind to call. */
static bool find_spell(const view *v, int wizard, intent *wanted)
{
    const int player = wizard / 2;
    const double goal = goal_of(player), ahead = player == 0 ? 1 : -1;
    for (int s = FB_SNAFFLE; s < FB_BLUDGER && v->mana[player] >= 20; s++) {
        const double distance = between(v, wizard, s);
        if (!v->free[s]) {
            continue;
        }

        /* Push it into the goal from behind. */
        if (distance > 600 && distance < 3500 &&
            is_shot(v->x[s], v->y[s], v->x[s] - v->x[wizard], v->y[s] - v->y[wizard], goal)) {
            *wanted = cast_on(CAROM_FANTASTIC_BITS_FLIPENDO, s);
            return true;
        }

        /* Call back one that is far behind, if there is mana to spare. */
        if (v->mana[player] >= 40 && distance > 2000 && distance < 5000 && (v->x[s] - v->x[wizard]) * ahead < -1500) {
            *wanted = cast_on(CAROM_FANTASTIC_BITS_ACCIO, s);
            return true;
        }
    }
    return false;
}

/* The free snaffle nearest to the wizard, other than `taken`; -1 if there is none. */
static int choose(const view *v, int wizard, int taken)
{
    int best = -1;
    double least = 0;
    for (int s = FB_SNAFFLE; s < FB_BLUDGER; s++) {
        const double distance = between(v, wizard, s);
        if (v->free[s] && s != taken && (best < 0 || distance < least)) {
            best = s;
            least = distance;
        }
    }
    return best;
}

/* The intents of both wizards of a player. */
static void strike(const view *v, int player, intent wanted[FB_WIZARDS])
{
    const int a = 2 * player, b = a + 1;

    /* Each goes for its nearest snaffle. If that is the same one, the farther wizard takes another if there is one. */
    int first = choose(v, a, -1), second = choose(v, b, -1);
    if (first == second && first >= 0) {
        if (between(v, a, first) <= between(v, b, first)) {
            second = choose(v, b, first);
            second = second < 0 ? first : second;
        } else {
            first = choose(v, a, second);
            first = first < 0 ? second : first;
        }
    }

    for (int i = a; i <= b; i++) {
        const int s = i == a ? first : second;
        if (v->hold[i] >= 0) {
            wanted[i] = shoot(v, i);
        } else if (i == a && find_spell(v, i, &wanted[i])) {
            continue;
        } else if (s >= 0) {
            wanted[i] = move_to(v->x[s] + 2 * v->vx[s] - 2 * v->vx[i], v->y[s] + 2 * v->vy[s] - 2 * v->vy[i]);
        } else { /* all snaffles are held: back towards the own goal */
            wanted[i] = move_to(FB_WIDTH * 0.5 + (FB_WIDTH * 0.5 - goal_of(player)) * 0.5, FB_HEIGHT * 0.5);
        }
    }
}

/* ---- random players ---- */

/* A random move or throw, or in one of 8 cases a random spell, if it may have the drawn target. */
static intent random_intent(const view *v, int wizard, random_stream *stream)
{
    const bool holds = v->hold[wizard] >= 0;
    intent wanted = {holds ? CAROM_FANTASTIC_BITS_THROW : CAROM_FANTASTIC_BITS_MOVE, 0, 0, 0, -1};
    wanted.x = random_below(stream, FB_WIDTH + 1);
    wanted.y = random_below(stream, FB_HEIGHT + 1);
    wanted.power = random_below(stream, (holds ? FB_MOST_THROW : FB_MOST_THRUST) + 1);

    if (random_below(stream, 8) == 0) {
        const int spell = (int)random_below(stream, FB_SPELLS), slot = (int)random_below(stream, FB_BODIES);
        const bool allowed = slot >= FB_BLUDGER || (spell != FB_OBLIVIATE && slot >= FB_SNAFFLE && v->alive[slot]) ||
                             (spell % 2 == 1 && slot < FB_SNAFFLE && slot / 2 != wizard / 2);
        wanted = allowed ? cast_on(CAROM_FANTASTIC_BITS_OBLIVIATE + spell, slot) : wanted;
    }
    return wanted;
}

/* ---- actions ---- */

static void put_referee(const view *v, const intent *wanted, double *numbers)
{
    numbers[0] = wanted->verb;
    if (wanted->slot >= 0) {
        const int id = wanted->slot < FB_BLUDGER ? wanted->slot : wanted->slot - FB_BLUDGER + FB_SNAFFLE + v->snaffles;
        numbers[1] = id;
        numbers[2] = numbers[3] = 0;
    } else {
        numbers[1] = v_floor(wanted->x + 0.5);
        numbers[2] = v_floor(wanted->y + 0.5);
        numbers[3] = wanted->power;
    }
}

/* The middle of the ranges that fb_read_one_normalised() decodes as this spell and target. */
static void put_normalised(const view *v, int wizard, const intent *wanted, float *numbers)
{
    numbers[0] = numbers[1] = numbers[2] = numbers[4] = 0;
    numbers[3] = -1;
    if (wanted->slot >= 0) {
        numbers[3] = (float)(0.3 + 0.2 * (wanted->verb - CAROM_FANTASTIC_BITS_OBLIVIATE));
        numbers[4] = (float)((wanted->slot + 0.5) / 6.5 - 1);
        return;
    }

    const double dx = wanted->x - v->x[wizard], dy = wanted->y - v->y[wizard], length = v_sqrt(dx * dx + dy * dy);
    if (length > 0) {
        numbers[0] = (float)(dx / length);
        numbers[1] = (float)(dy / length);
    }
    numbers[2] = (float)(wanted->power * 2 / (v->hold[wizard] >= 0 ? FB_MOST_THROW : FB_MOST_THRUST) - 1);
}

/* Writes the actions of the wizards of these players in a world that draws with `seed`. */
static void decide(see_world w, uint64_t seed, size_t policy, size_t kind, unsigned players, void *actions)
{
    const view v = view_of(w);
    random_stream stream = random_begin(seed, see_world_id(w), FB_DRAW_POLICY,
                                        (uint32_t)see_episode(w, 0) << 10 ^ (uint32_t)see_tick(w, 0));
    intent wanted[FB_WIZARDS];

    strike(&v, 0, wanted);
    strike(&v, 1, wanted);
    for (int i = 0; i < FB_WIZARDS; i++) {
        if (policy == RANDOM) {
            wanted[i] = random_intent(&v, i, &stream);
        }
        if ((players >> i / (FB_WIZARDS / 2) & 1) == 0) {
            continue;
        }
        if (kind == FB_REFEREE) {
            put_referee(&v, &wanted[i], (double *)actions + (ptrdiff_t)FB_REFEREE_NUMBERS * i);
        } else {
            put_normalised(&v, i, &wanted[i], (float *)actions + (ptrdiff_t)FB_NORMALISED_NUMBERS * i);
        }
    }
}

#if SEE_LANES == 1

static void fantastic_bits_act(const policy_question *question)
{
    decide(see_world_at(question->tile, question->precision, 0), question->seeds[0], question->policy, question->kind,
           question->players, question->actions);
}

POLICY_KERNEL(fantastic_bits_policy, fantastic_bits_act)

#else

void carom_fantastic_bits_policy(const policy_asked *asked, unsigned lane, size_t policy, size_t kind, void *actions)
{
    decide(see_world_at(asked->tile, asked->worlds->desc.precision, lane), asked->seeds[lane], policy, kind, ~0u,
           actions);
}

#endif
