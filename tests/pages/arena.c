/* SPDX-License-Identifier: MIT
 * The game for the lidar block of docs/games.md: one disc a side in a square arena. The block's definitions go before
 * the kit's header, its function after it; test_pages.py inserts both, builds the game and checks it.
 */
#define ARENA_SIDE 300.0
#define ARENA_DISC 40.0

#define RULES_NAME arena
#define RULES_TITLE "Arena"
#define RULES_PLAYERS 2
#define RULES_BODIES 2
#define RULES_FAR_X (ARENA_SIDE + 1)
#define RULES_FAST 100.0
#define RULES_STATE(REAL, INT32, INT16, INT8) REAL(energy, 2, STATE)
#define RULES_ACTIONS(X) X(normalised, F32, 2)
#define RULES_SEEN(X) X(x, "the arena", -2, 2) X(y, "the arena", -2, 2)
#define RULES_POLICIES(X) X(random)
/* directives */

#include <carom/kit/rules.h>

enum { ARENA_WALL, ARENA_RIVAL };

CAROM_LANE void rules_command(const rules_options *options, tick_world w, tick_actions actions, tick_bodies *b)
{
    for (unsigned i = 0; i < 2; i++) {
        b->vx[i] = b->vx[i] * v_number(0.9) + action_unit(actions, i, 0) * v_number(3);
        b->vy[i] = b->vy[i] * v_number(0.9) + action_unit(actions, i, 1) * v_number(3);
    }
}

CAROM_LANE void rules_next(const rules_options *options, const tick_bodies *b, tick_impact *next)
{
    impact_offer_pairs(next, b, 0, 2, ARENA_RIVAL, 2 * ARENA_DISC);
    for (unsigned i = 0; i < 2; i++) {
        impact_offer(next, time_wall(b->x[i], b->vx[i], ARENA_SIDE - ARENA_DISC), i, ARENA_WALL, 0);
        impact_offer(next, time_wall(b->y[i], b->vy[i], ARENA_SIDE - ARENA_DISC), i, ARENA_WALL, 1);
    }
}

CAROM_LANE vmask rules_hit(const rules_options *options, tick_bodies *b, const tick_impact *impact)
{
    bodies_collide_pairs(b, impact, 0, 2, ARENA_RIVAL, 1);
    for (unsigned i = 0; i < 2; i++) {
        bodies_reflect(&b->x[i], &b->vx[i], ARENA_SIDE - ARENA_DISC, 1, impact_is(impact, i, ARENA_WALL, 0));
        bodies_reflect(&b->y[i], &b->vy[i], ARENA_SIDE - ARENA_DISC, 1, impact_is(impact, i, ARENA_WALL, 1));
    }
    return v_ge(impact_count(impact), v_number(RULES_EVENTS));
}

CAROM_LANE unsigned rules_settle(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward, unsigned *counted)
{
    reward[0] = reward[1] = v_number(0);
    return m_bits(i_gt(get_tick(w), i_set1(99)));
}

CAROM_LANE void rules_settle_own(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward)
{
    reward[0] = reward[1] = v_number(0);
}

KIT_RULE tick_verdict rules_decide(const rules_options *options, tick_world w)
{
    return world_tick(w) < 100 ? verdict_running() : verdict_of(CAROM_TRUNCATED, -1);
}

KIT_RULE void rules_start(const rules_options *options, random_stream *draws, tick_world w)
{
    for (int i = 0; i < 2; i++) {
        *at_x(w, i) = (real)(i == 0 ? -150 : 150);
        *at_y(w, i) = (real)(random_number(random_word(draws)) * 100);
        *at_energy(w, i) = 1;
    }
}

CAROM_LANE void rules_observe(const rules_options *options, tick_world w, tick_view view)
{
    for (unsigned player = 0; player < 2; player++) {
        view_put(view, player, seen_x, get_x(w, (int)player) * v_number(1 / ARENA_SIDE));
        view_put(view, player, seen_y, get_y(w, (int)player) * v_number(1 / ARENA_SIDE));
    }
}

CAROM_LANE void rules_value(const rules_options *options, tick_world w, vreal *value)
{
    value[0] = get_energy(w, 0) - get_energy(w, 1);
    value[1] = -value[0];
}

/* the rest */

#if defined(CAROM_KIT_HOST)

CAROM_LANE void rules_policy(const rules_options *options, see_world w, int player, unsigned policy, unsigned kind,
                             tick_draws *draws, vreal *numbers)
{
    numbers[0] = draw_number(draws);
    numbers[1] = draw_number(draws);
}

#endif

#include <carom/kit/game.h>
