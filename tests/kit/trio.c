/* SPDX-License-Identifier: MIT
 * A plug-in game for three players, for the arena: each has a runner on a line, and the one ahead after the last tick
 * wins. kit.sh plays it with all seats in turn.
 */
#define TRIO_STEP 3.0  /* the most that a runner's velocity changes in a tick */
#define TRIO_GLIDE 0.9 /* what is left of a velocity after a tick */

enum { TRIO_RUNNERS = 3 }; /* runner i is player i's */

#define RULES_NAME trio
#define RULES_TITLE "Three runners"
#define RULES_PLAYERS 3
#define RULES_BODIES 3
#define RULES_FAR_X 1000000.0
#define RULES_FAST 100.0
#define RULES_STATE(REAL, INT32, INT16, INT8) INT32(lead, 1, STATE)
#define RULES_FINISH trio_finish
#define RULES_ACTIONS(X) X(normalised, F32, 1)
#define RULES_OPTIONS(COUNT, FLAG, NUMBER) COUNT(ticks, 50, 1, 1000000, "ticks of a game")
#define RULES_SEEN(X)                                                                                                  \
    X(own, "100", -INFINITY, INFINITY) X(next, "100", -INFINITY, INFINITY) X(last, "100", -INFINITY, INFINITY)
#define RULES_POLICIES(X) X(run) X(random)

#include <carom/kit/rules.h>

CAROM_LANE void rules_command(const rules_options *options, tick_world w, tick_actions actions, tick_bodies *b)
{
    for (unsigned i = 0; i < TRIO_RUNNERS; i++) {
        b->vx[i] = b->vx[i] + action_unit(actions, i, 0) * v_number(TRIO_STEP);
    }
}

CAROM_LANE void rules_next(const rules_options *options, const tick_bodies *b, tick_impact *next) {}

CAROM_LANE vmask rules_hit(const rules_options *options, tick_bodies *b, const tick_impact *impact)
{
    return v_ge(impact_count(impact), v_number(RULES_EVENTS));
}

CAROM_LANE void trio_finish(const rules_options *options, tick_bodies *b)
{
    for (int i = 0; i < TRIO_RUNNERS; i++) {
        b->vx[i] = b->vx[i] * v_number(TRIO_GLIDE);
    }
}

CAROM_LANE unsigned rules_settle(const rules_options *options, tick_world w, const tick_bodies *b, unsigned kept,
                                 vreal *reward, unsigned *counted)
{
    for (int i = 0; i < TRIO_RUNNERS; i++) {
        reward[i] = b->vx[i];
    }
    return m_bits(i_gt(get_tick(w), i_set1((int)options->ticks - 1)));
}

KIT_RULE tick_verdict rules_decide(const rules_options *options, tick_world w)
{
    int ahead = 0;
    for (int i = 1; i < TRIO_RUNNERS; i++) {
        ahead = *at_x(w, i) > *at_x(w, ahead) ? i : ahead;
    }
    return world_tick(w) < (int)options->ticks ? verdict_running() : verdict_of(CAROM_TERMINATED, ahead);
}

KIT_RULE void rules_start(const rules_options *options, random_stream *draws, tick_world w)
{
    for (int i = 0; i < TRIO_RUNNERS; i++) {
        *at_x(w, i) = (real)random_number(random_word(draws));
        *at_y(w, i) = (real)(100 * i);
    }
}

CAROM_LANE void rules_observe(const rules_options *options, tick_world w, tick_view view)
{
    for (unsigned player = 0; player < TRIO_RUNNERS; player++) {
        for (unsigned k = 0; k < TRIO_RUNNERS; k++) {
            const int i = (int)((player + k) % TRIO_RUNNERS);
            view_put(view, player, seen_own + k, get_x(w, i) * v_number(0.01));
        }
    }
}

CAROM_LANE void rules_value(const rules_options *options, tick_world w, vreal *value)
{
    for (int i = 0; i < TRIO_RUNNERS; i++) {
        value[i] = get_x(w, i);
    }
}

#if defined(CAROM_KIT_HOST)

enum { RUN, RANDOM };

CAROM_LANE void rules_policy(const rules_options *options, see_world w, int player, unsigned policy, unsigned kind,
                             tick_draws *draws, vreal *numbers)
{
    numbers[0] = policy == RANDOM ? draw_number(draws) : 1;
}

#endif

#include <carom/kit/game.h>
