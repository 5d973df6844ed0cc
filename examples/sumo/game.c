/* SPDX-License-Identifier: MIT
 * Sumo: two discs a side push each other out of a ring. RULES.md has the rules; docs/games.md explains the parts.
 */
#define SUMO_RING 300.0
#define SUMO_DISC 40.0
#define SUMO_PUSH 3.0    /* the largest change of a disc's velocity in a tick, along x and y */
#define SUMO_GLIDE 0.95  /* the share of its velocity that a disc keeps each tick */
#define SUMO_APART 150.0 /* of a side's discs at the start from the centre, */
#define SUMO_ASIDE 90.0  /* and from the middle line */
#define SUMO_AWAY 1000.0 /* where discs that are out are put, one above the other */

enum { SUMO_DISCS = 4 }; /* 0 and 1 are player 0's */
enum { DISC };           /* what a disc can hit */

#define RULES_NAME sumo
#define RULES_TITLE "Sumo"
#define RULES_PLAYERS 2
#define RULES_BODIES 4
#define RULES_FAR_X (SUMO_AWAY + 1)
#define RULES_FAST 250.0
#define RULES_STATE(REAL, INT32, INT16, INT8) INT8(out, SUMO_DISCS, STATE)
#define RULES_COUNTS "discs out"
#define RULES_FINISH sumo_finish
#define RULES_ACTIONS(X) X(normalised, F32, 4) /* along x and y, of each disc */
#define RULES_OPTIONS(COUNT, FLAG, NUMBER)                                                                             \
    COUNT(ticks, 500, 1, 1000000, "ticks after which a game is cut off")                                               \
    NUMBER(bounce, 0.8, 0, 1, "restitution of two discs")
#define SUMO_THING(X, thing)                                                                                           \
    X(thing##_x, "the ring", -4, 4)                                                                                    \
    X(thing##_y, "the ring", -4, 4) X(thing##_vx, "10 a tick", -25, 25) X(thing##_vy, "10 a tick", -25, 25)
#define RULES_SEEN(X) SUMO_THING(X, first) SUMO_THING(X, second) SUMO_THING(X, rival) SUMO_THING(X, other)
#define RULES_POLICIES(X) X(charge) X(random)
#define RULES_TOUCH sumo_touch
#define RULES_LOOK sumo_look

#include <carom/kit/rules.h>

/* Both sides play from left to right. */
CAROM_LANE vreal sumo_sign(unsigned player)
{
    return v_number(player == 0 ? 1 : -1);
}

CAROM_LANE void rules_command(const rules_options *options, tick_world w, tick_actions actions, tick_bodies *b)
{
    for (unsigned i = 0; i < SUMO_DISCS; i++) {
        const vmask in = i_eq(get_out(w, (int)i), i_set1(0));
        const vreal push = v_select(in, sumo_sign(i / 2) * v_number(SUMO_PUSH), v_number(0));
        b->vx[i] = b->vx[i] + action_unit(actions, i / 2, 2 * (i % 2)) * push;
        b->vy[i] = b->vy[i] + action_unit(actions, i / 2, 2 * (i % 2) + 1) * push;
    }
}

CAROM_LANE void rules_next(const rules_options *options, const tick_bodies *b, tick_impact *next)
{
    impact_offer_pairs(next, b, 0, SUMO_DISCS, DISC, 2 * SUMO_DISC);
}

CAROM_LANE vmask rules_hit(const rules_options *options, tick_bodies *b, const tick_impact *impact)
{
    bodies_collide_pairs(b, impact, 0, SUMO_DISCS, DISC, options->bounce);
    return v_ge(impact_count(impact), v_number(RULES_EVENTS)); /* wedged: at rest until the next tick */
}

/* Two discs touch. */
KIT_RULE void sumo_touch(const rules_options *options, unsigned first, unsigned kind, unsigned second,
                         impact_touch *touch)
{
    touch->body = (int)second;
    touch->radius = SUMO_DISC;
    touch->mass[0] = touch->mass[1] = 1;
}

CAROM_LANE void sumo_finish(const rules_options *options, tick_bodies *b)
{
    for (int i = 0; i < SUMO_DISCS; i++) {
        b->vx[i] = b->vx[i] * v_number(SUMO_GLIDE);
        b->vy[i] = b->vy[i] * v_number(SUMO_GLIDE);
    }
}

CAROM_LANE unsigned rules_settle(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward, unsigned *counted)
{
    const vreal ring = v_number(SUMO_RING * SUMO_RING);
    vreal lost[2] = {v_number(0), v_number(0)}; /* discs of each player that leave the ring in this tick */
    unsigned over = m_bits(i_gt(get_tick(w), i_set1((int)options->ticks - 1)));
    for (int i = 0; i < SUMO_DISCS; i++) {
        const vmask in = i_eq(get_out(w, i), i_set1(0));
        const vmask leaves = m_and(in, v_gt(dot_product(b->x[i], b->y[i], b->x[i], b->y[i]), ring));
        lost[i / 2] = lost[i / 2] + v_select(leaves, v_number(1), v_number(0));
        over |= m_bits(leaves);
        EACH_LANE (l, m_bits(leaves) & kept) { /* next to the ring, each at a separate position */
            const tick_world one = world_of(w, l);
            *at_out(one, i) = 1;
            *at_x(one, i) = (real)(i < 2 ? -SUMO_AWAY : SUMO_AWAY);
            *at_y(one, i) = (real)(i % 2 == 0 ? SUMO_ASIDE : -SUMO_ASIDE);
            *at_vx(one, i) = *at_vy(one, i) = 0;
            ++*counted;
        }
    }
    reward[0] = lost[1] - lost[0];
    reward[1] = lost[0] - lost[1];
    return over;
}

KIT_RULE tick_verdict rules_decide(const rules_options *options, tick_world w)
{
    const bool left = *at_out(w, 0) && *at_out(w, 1), right = *at_out(w, 2) && *at_out(w, 3);
    if (left || right) {
        return verdict_of(CAROM_TERMINATED, left && right ? -1 : left);
    }
    return world_tick(w) < (int)options->ticks ? verdict_running() : verdict_of(CAROM_TRUNCATED, -1);
}

KIT_RULE void rules_start(const rules_options *options, random_stream *draws, tick_world w)
{
    for (int i = 0; i < SUMO_DISCS; i++) {
        *at_x(w, i) = (real)(i < 2 ? -SUMO_APART : SUMO_APART);
        *at_y(w, i) = (real)((i % 2 == 0 ? SUMO_ASIDE : -SUMO_ASIDE) + random_number(random_word(draws)) * SUMO_DISC);
    }
}

/* A player sees its own discs first. */
CAROM_LANE void rules_observe(const rules_options *options, tick_world w, tick_view view)
{
    const vreal far = v_number(1 / SUMO_RING), slow = v_number(0.1);
    for (unsigned k = 0; k < 2 * SUMO_DISCS; k++) {
        const unsigned player = k / SUMO_DISCS, at = 4 * (k % SUMO_DISCS);
        const int i = (int)((k % SUMO_DISCS) ^ (2 * player));
        view_put(view, player, seen_first_x + at, get_x(w, i) * far * sumo_sign(player));
        view_put(view, player, seen_first_y + at, get_y(w, i) * far * sumo_sign(player));
        view_put(view, player, seen_first_vx + at, get_vx(w, i) * slow * sumo_sign(player));
        view_put(view, player, seen_first_vy + at, get_vy(w, i) * slow * sumo_sign(player));
    }
}

/* Discs in the ring: one's own, minus the other's. */
CAROM_LANE void rules_value(const rules_options *options, tick_world w, vreal *value)
{
    value[0] = v_from_int(i_sub(i_add(get_out(w, 2), get_out(w, 3)), i_add(get_out(w, 0), get_out(w, 1))));
    value[1] = -value[0];
}

#if defined(CAROM_KIT_HOST)

enum { CHARGE, RANDOM };

/* Each disc runs at the rival opposite, or at the other one if that is out. */
CAROM_LANE void rules_policy(const rules_options *options, see_world w, int player, unsigned policy, unsigned kind,
                             tick_draws *draws, vreal *numbers)
{
    for (int k = 0; k < 2; k++) {
        const int self = 2 * player + k, across = 2 - 2 * player + k, rival = see_out(w, across) ? across ^ 1 : across;
        const double dx = see_x(w, rival) - see_x(w, self), dy = see_y(w, rival) - see_y(w, self);
        const double far = v_sqrt(dx * dx + dy * dy), sign = player == 0 ? 1 : -1;
        const double towards[2] = {sign * dx / (far > 1 ? far : 1), sign * dy / (far > 1 ? far : 1)};
        for (int c = 0; c < 2; c++) {
            const double drawn = draw_number(draws), told = towards[c] + drawn / 2;
            numbers[2 * k + c] = policy == RANDOM ? drawn : told < -1 ? -1 : told > 1 ? 1 : told;
        }
    }
}

static const look_group sumo_groups[] = {LOOK_BODIES("left", 0, 2, CAROM_LOOK_FIRST, SUMO_DISC),
                                         LOOK_BODIES("right", 2, 2, CAROM_LOOK_SECOND, SUMO_DISC)};

static void sumo_shapes(const carom_worlds *worlds, size_t world, look_sink *sink)
{
    look_circle(sink, CAROM_LOOK_FIELD, 0, 0, SUMO_RING);
}

static const game_look sumo_look = {.view = {-400, -350, 400, 350, false, true, false, 0, 0, 0},
                                    .groups = sumo_groups,
                                    .group_count = 2,
                                    .shapes = sumo_shapes};

#endif

#include <carom/kit/game.h>
