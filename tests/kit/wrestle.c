/* SPDX-License-Identifier: MIT
 * A plug-in game with every feature of such games: two kinds of action, `ego`, `lidar` and `own`, a weighted value, and
 * policies in lanes. Otherwise it is sumo (examples/sumo). kit.sh plays it, and push.c checks the results.
 */
#define WRESTLE_RING 300.0
#define WRESTLE_DISC 40.0
#define WRESTLE_PUSH 3.0    /* the most that a disc's velocity changes in a tick, along x and y */
#define WRESTLE_GLIDE 0.95  /* what is left of a velocity after a tick */
#define WRESTLE_APART 150.0 /* a side's discs at the start, from the centre, */
#define WRESTLE_ASIDE 90.0  /* and from the middle line */
#define WRESTLE_AWAY 1000.0 /* where discs that are out are put, one above the other */

enum { WRESTLE_DISCS = 4 }; /* discs 0 and 1 are player 0's */
enum { DISC };              /* what a disc meets */

#define RULES_NAME wrestle
#define RULES_TITLE "Wrestling"
#define RULES_PLAYERS 2
#define RULES_BODIES 4
#define RULES_FAR_X (WRESTLE_AWAY + 1)
#define RULES_FAST 250.0
#define RULES_STATE(REAL, INT32, INT16, INT8) INT8(out, WRESTLE_DISCS, STATE)
#define RULES_NOTES(NOTE) NOTE(gone, WRESTLE_DISCS) /* 1: it leaves the ring in this tick */
#define RULES_COUNTS "discs out"
#define RULES_FINISH wrestle_finish
#define RULES_TOUCH wrestle_touch
#define RULES_AGENTS 2
#define RULES_ACTIONS(X) X(normalised, F32, 4) X(push, F64, 4) /* along x and y, of each disc; push: in units a tick */
#define RULES_OPTIONS(COUNT, FLAG, NUMBER)                                                                             \
    COUNT(ticks, 500, 1, 1000000, "ticks after which nobody has won")                                                  \
    NUMBER(bounce, 0.8, 0, 1, "restitution of two discs")
#define WRESTLE_THING(X, thing)                                                                                        \
    X(thing##_x, "the ring", -4, 4)                                                                                    \
    X(thing##_y, "the ring", -4, 4) X(thing##_vx, "10 a tick", -25, 25) X(thing##_vy, "10 a tick", -25, 25)
#define RULES_EGO_SEEN(X) WRESTLE_THING(X, self) WRESTLE_THING(X, mate) WRESTLE_THING(X, rival) WRESTLE_THING(X, second)
#define RULES_SEEN(X) RULES_EGO_SEEN(X) X(tick, "a game", 0, INFINITY)
#define RULES_LIDAR_RAYS 8
#define RULES_LIDAR_MEETS(X) X(mate) X(rival) X(line)
#define RULES_LIDAR_SEEN(X) X(out, "", 0, 1)
#define RULES_WEIGHTS(X) X(discs, 1) X(inward, 0.1)
#define RULES_POLICIES(X) X(charge) X(random)
#define RULES_POLICY_LANES

#include <carom/kit/rules.h>

/* Both sides play from left to right. */
CAROM_LANE vreal wrestle_sign(unsigned player)
{
    return v_number(player == 0 ? 1 : -1);
}

CAROM_LANE void rules_command(const rules_options *options, tick_world w, tick_actions actions, tick_bodies *b)
{
    const vreal most = v_number(WRESTLE_PUSH), zero = v_number(0);
    for (unsigned i = 0; i < WRESTLE_DISCS; i++) {
        const unsigned player = i / 2, k = 2 * (i % 2);
        const vmask in = i_eq(get_out(w, (int)i), i_set1(0));
        vreal push[2];
        for (unsigned c = 0; c < 2; c++) {
            push[c] = action_kind(actions, player) == action_push
                          ? v_max(v_min(action_number(actions, player, k + c), most), -most)
                          : action_unit(actions, player, k + c) * most;
            push[c] = v_select(m_and(in, v_eq(push[c], push[c])), push[c] * wrestle_sign(player), zero); /* no NaN */
        }
        b->vx[i] = b->vx[i] + push[0];
        b->vy[i] = b->vy[i] + push[1];
    }
}

CAROM_LANE void rules_next(const rules_options *options, const tick_bodies *b, tick_impact *next)
{
    impact_offer_pairs(next, b, 0, WRESTLE_DISCS, DISC, 2 * WRESTLE_DISC);
}

CAROM_LANE vmask rules_hit(const rules_options *options, tick_bodies *b, const tick_impact *impact)
{
    bodies_collide_pairs(b, impact, 0, WRESTLE_DISCS, DISC, options->bounce);
    return v_ge(impact_count(impact), v_number(RULES_EVENTS)); /* wedged: still until the next tick */
}

/* Two discs touch. */
KIT_RULE void wrestle_touch(const rules_options *options, unsigned first, unsigned kind, unsigned second,
                            impact_touch *touch)
{
    touch->body = (int)second;
    touch->radius = WRESTLE_DISC;
    touch->mass[0] = touch->mass[1] = 1;
}

CAROM_LANE void wrestle_finish(const rules_options *options, tick_bodies *b)
{
    const vreal ring = v_number(WRESTLE_RING * WRESTLE_RING), away = v_number(WRESTLE_AWAY * WRESTLE_AWAY / 2);
    for (int i = 0; i < WRESTLE_DISCS; i++) {
        const vreal far = dot_product(b->x[i], b->y[i], b->x[i], b->y[i]);
        b->gone[i] = v_select(m_and(v_gt(far, ring), v_lt(far, away)), v_number(1), v_number(0));
        b->vx[i] = b->vx[i] * v_number(WRESTLE_GLIDE);
        b->vy[i] = b->vy[i] * v_number(WRESTLE_GLIDE);
    }
}

CAROM_LANE unsigned rules_settle(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward, unsigned *counted)
{
    unsigned over = m_bits(i_gt(get_tick(w), i_set1((int)options->ticks - 1)));
    for (int i = 0; i < WRESTLE_DISCS; i++) {
        const unsigned gone = m_bits(v_gt(b->gone[i], v_number(0))) & kept;
        EACH_LANE (l, gone) { /* next to the ring, each at its own position */
            const tick_world one = world_of(w, l);
            *at_out(one, i) = 1;
            *at_x(one, i) = (real)(i < 2 ? -WRESTLE_AWAY : WRESTLE_AWAY);
            *at_y(one, i) = (real)(i % 2 == 0 ? WRESTLE_ASIDE : -WRESTLE_ASIDE);
            *at_vx(one, i) = *at_vy(one, i) = 0;
            ++*counted;
        }
        over |= gone;
    }
    reward[0] = b->gone[2] + b->gone[3] - (b->gone[0] + b->gone[1]);
    reward[1] = v_number(0) - reward[0];
    return over;
}

/* A disc that leaves loses 1, and its rivals have a half each. */
CAROM_LANE void rules_settle_own(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward)
{
    for (int i = 0; i < WRESTLE_DISCS; i++) {
        const int rival = i < 2 ? 2 : 0;
        reward[i] = (b->gone[rival] + b->gone[rival + 1]) * v_number(0.5) - b->gone[i];
    }
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
    for (int i = 0; i < WRESTLE_DISCS; i++) {
        *at_x(w, i) = (real)(i < 2 ? -WRESTLE_APART : WRESTLE_APART);
        *at_y(w, i) =
            (real)((i % 2 == 0 ? WRESTLE_ASIDE : -WRESTLE_ASIDE) + random_number(random_word(draws)) * WRESTLE_DISC);
    }
}

/* What the side of disc `self` sees, this disc first: number k of agent `agent`. */
CAROM_LANE vreal wrestle_number(tick_world w, int self, unsigned k)
{
    const int mate = self ^ 1, rival = self < 2 ? 2 : 0, discs[4] = {self, mate, rival, rival + 1}, i = discs[k / 4];
    const vreal far = v_number(1 / WRESTLE_RING), slow = v_number(0.1), sign = wrestle_sign((unsigned)self / 2);
    return sign * (k % 4 == 0   ? get_x(w, i) * far
                   : k % 4 == 1 ? get_y(w, i) * far
                   : k % 4 == 2 ? get_vx(w, i) * slow
                                : get_vy(w, i) * slow);
}

CAROM_LANE void rules_observe(const rules_options *options, tick_world w, tick_view view)
{
    for (unsigned player = 0; player < 2; player++) {
        for (unsigned k = 0; k < seen_tick; k++) {
            view_put(view, player, k, wrestle_number(w, 2 * (int)player, k));
        }
        view_put(view, player, seen_tick, v_from_int(get_tick(w)) * v_number(1.0 / options->ticks));
    }
}

CAROM_LANE void rules_observe_ego(const rules_options *options, tick_world w, tick_view view)
{
    for (unsigned agent = 0; agent < WRESTLE_DISCS; agent++) {
        for (unsigned k = 0; k < seen_tick; k++) {
            view_put_ego(view, agent, k, wrestle_number(w, (int)agent, k));
        }
    }
}

/* Other discs, and the middle line. */
CAROM_LANE void rules_lidar(const rules_options *options, tick_world w, tick_lidar *lidar)
{
    const int i = (int)lidar_agent(lidar);
    lidar_own(lidar, own_out, v_from_int(get_out(w, i)));
    lidar_from(lidar, get_x(w, i), get_y(w, i), get_vx(w, i), get_vy(w, i), wrestle_sign((unsigned)i / 2), v_number(0),
               WRESTLE_RING, 10);
    for (int k = 0; k < WRESTLE_DISCS; k++) {
        if (k != i) {
            lidar_circle(lidar, k / 2 == i / 2 ? thing_mate : thing_rival, get_x(w, k), get_y(w, k), get_vx(w, k),
                         get_vy(w, k), WRESTLE_DISC);
        }
    }
    lidar_wall(lidar, thing_line, 0, -WRESTLE_RING, 0, WRESTLE_RING);
}

/* Discs in the ring, and how far inside they are: one's own, minus the others'. */
CAROM_LANE void rules_features(const rules_options *options, tick_world w, unsigned player, vreal *features)
{
    features[0] = features[1] = v_number(0);
    for (int i = 0; i < WRESTLE_DISCS; i++) {
        const vreal sign = wrestle_sign(player ^ (unsigned)i / 2), x = get_x(w, i), y = get_y(w, i);
        const vreal in = v_select(i_eq(get_out(w, i), i_set1(0)), sign, v_number(0));
        features[0] = features[0] + in;
        features[1] =
            features[1] + in * (v_number(1) - dot_product(x, y, x, y) * v_number(1 / WRESTLE_RING / WRESTLE_RING));
    }
}

CAROM_LANE void rules_value(const rules_options *options, tick_world w, vreal *value)
{
    value[0] = v_from_int(i_sub(i_add(get_out(w, 2), get_out(w, 3)), i_add(get_out(w, 0), get_out(w, 1))));
    value[1] = -value[0];
}

#if defined(CAROM_KIT_POLICY)

enum { CHARGE, RANDOM };

/* Each disc runs at the rival across from it, or at the other one if that is out. */
CAROM_LANE void rules_policy(const rules_options *options, see_world w, int player, unsigned policy, unsigned kind,
                             tick_draws *draws, vreal *numbers)
{
    const vreal one = v_number(1), unit = v_number(kind == action_push ? WRESTLE_PUSH : 1);
    for (int k = 0; k < 2; k++) {
        const int self = 2 * player + k, rival = 2 - 2 * player + k, other = rival ^ 1;
        const vmask across = i_eq(see_out(w, rival), i_set1(0));
        const vreal dx = v_select(across, see_x(w, rival), see_x(w, other)) - see_x(w, self);
        const vreal dy = v_select(across, see_y(w, rival), see_y(w, other)) - see_y(w, self);
        const vreal scale = wrestle_sign((unsigned)player) / v_max(one, v_sqrt(dot_product(dx, dy, dx, dy)));
        const vreal towards[2] = {dx * scale, dy * scale};
        for (int c = 0; c < 2; c++) {
            const vreal drawn = draw_number(draws), told = towards[c] + drawn * v_number(0.5);
            numbers[2 * k + c] = (policy == RANDOM ? drawn : v_max(v_min(told, one), -one)) * unit;
        }
    }
}

#endif

#include <carom/kit/game.h>
