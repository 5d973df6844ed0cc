/* SPDX-License-Identifier: MIT
 * The part of csb that takes one world at a time: the start of a game, the range of a state, passed checkpoints and the
 * end of the game (RULES.md, 3).
 */
#ifndef CAROM_GAMES_CSB_WORLDS_H
#define CAROM_GAMES_CSB_WORLDS_H

#include "base/random.h"
#include "games/csb/motion.h"
#include "games/csb/observe.h"

/* ---- start, check, derive ---- */

/* Sets up game number `episode` of a world. */
static void rules_start(const csb_context *context, uint64_t seed, tick_world w)
{
    const uint64_t id = world_id(w);
    const uint32_t episode = world_episode(w);

    /* The map of this game: drawn at random, or the caller's maps in turn. */
    if (context->drawn) {
        random_stream stream = random_begin(seed, id, CSB_DRAW_GAME, episode);
        *at_map(w, 0) = (int32_t)random_below(&stream, context->map_count);
    } else {
        *at_map(w, 0) = (int32_t)((id + episode) % context->map_count);
    }

    /* All pods rest at the start of the map, beside checkpoint 0, and have to pass checkpoint 1 next. */
    const csb_course *course = csb_course_of(context, w);
    for (int i = 0; i < CSB_PODS; i++) {
        *at_x(w, i) = (real)course->start_x[i];
        *at_y(w, i) = (real)course->start_y[i];
        *at_vx(w, i) = *at_vy(w, i) = 0;
        *at_angle(w, i) = (real)CSB_START_ANGLE;
        *at_next(w, i) = 1;
        *at_shield(w, i) = *at_boosted(w, i) = *at_won(w, i) = 0;
    }

    /* In a time trial the pods of player 1 wait far off the board, where nothing comes. */
    for (int i = 2; i < CSB_PODS && context->alone; i++) {
        *at_x(w, i) = *at_y(w, i) = (real)(CSB_OFF_BOARD - (i - 2) * CSB_OFF_BOARD_STEP);
    }

    *at_timeout(w, 0) = *at_timeout(w, 1) = CSB_TIMEOUT;
    *at_winner(w, 0) = -1;
}

static bool csb_is_flag(int8_t value)
{
    return value == 0 || value == 1;
}

static bool csb_within(real value, real range)
{
    return value >= -range && value <= range; /* false for NaN */
}

/* Is this a state that the rules can play from? */
static bool rules_check(const csb_context *context, tick_world w)
{
    if (*at_map(w, 0) < 0 || (uint32_t)*at_map(w, 0) >= context->map_count || *at_winner(w, 0) < -1 ||
        *at_winner(w, 0) > 1) {
        return false;
    }

    /* Checked first: the map says how many checkpoints there are. */
    const int32_t last = csb_course_of(context, w)->last;
    for (int i = 0; i < CSB_PODS; i++) {
        if (!csb_within(*at_x(w, i), CSB_RANGE) || !csb_within(*at_y(w, i), CSB_RANGE) ||
            !csb_within(*at_vx(w, i), 2 * CSB_RANGE) || !csb_within(*at_vy(w, i), 2 * CSB_RANGE) ||
            !csb_within(*at_angle(w, i), (real)CSB_MAX_ANGLE) || *at_next(w, i) < 1 || *at_next(w, i) > last ||
            *at_shield(w, i) < 0 || *at_shield(w, i) > CSB_SHIELD_TICKS || !csb_is_flag(*at_boosted(w, i)) ||
            !csb_is_flag(*at_won(w, i))) {
            return false;
        }
    }
    return true;
}

/* Sets what follows from the rest of the state: the place of each next checkpoint. */
static void rules_derive(const csb_context *context, tick_world w)
{
    for (int i = 0; i < CSB_PODS; i++) {
        csb_point(context, w, i, 0, at_cx(w, i), at_cy(w, i));
    }
}

/* ---- settle ---- */

/* Pod `pod` of one world has passed `count` checkpoints in this turn. All else of the new state is in the tile. */
static void csb_pass(tick_run *run, tick_world w, int pod, int32_t count)
{
    const csb_course *course = csb_course_of(run->context, w);

    int32_t next = *at_next(w, pod) + count;
    const bool won = next > course->last;
    next = won ? course->last : next;
    const int32_t *point = run->context->points[course->first + next];
    *at_next(w, pod) = (int16_t)next;

    /* Write only if it changes: vector loads of `won` follow at once, and would wait for a byte just written. */
    if (won) {
        *at_won(w, pod) = 1;
    }

    /* The count-down of this turn comes after the checkpoint in the rules, but the tile has it already: hence 99. */
    *at_timeout(w, pod >> 1) = CSB_TIMEOUT - 1;
    *at_cx(w, pod) = (real)point[0];
    *at_cy(w, pod) = (real)point[1];

    run_count_goals(run, (unsigned)count);
}

/* How many checkpoints pod i of one world has passed in the turn. */
CAROM_LANE int32_t csb_passes_of(const csb_turn *t, int i, unsigned lane)
{
    return (t->hit[i] >> lane & 1) + (t->midways != 0 ? t->passes[i][lane] : 0);
}

/* How many checkpoints pod i has passed in the turn, in every lane. */
CAROM_LANE vreal csb_passed_by(const csb_turn *t, int i)
{
    alignas(64) real passed[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        passed[l] = (real)csb_passes_of(t, i, l);
    }
    return v_load(passed);
}

/* The reward for progress `gained`, and for the checkpoints that `count` pods from `first` on have passed. */
CAROM_LANE vreal csb_weighed(const csb_context *context, const csb_turn *t, vreal gained, int first, int count)
{
    vreal reward = v_set1((real)context->weights[CSB_FOR_PROGRESS]) * gained;
    if (context->weights[CSB_FOR_CHECKPOINT] != 0) {
        vreal passed = csb_passed_by(t, first);
        for (int i = first + 1; i < first + count; i++) {
            passed = passed + csb_passed_by(t, i);
        }
        reward = reward + v_set1((real)context->weights[CSB_FOR_CHECKPOINT]) * passed;
    }
    return reward;
}

/* Passed checkpoints, and the rewards of the players if they are wanted; returns the lanes whose game may be over. */
CAROM_LANE unsigned rules_settle(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    csb_turn *t = csb_turn_of(run, home);

    /* Few pods pass a checkpoint in a turn: visit each by itself. `passed` has 16 bits, a lane each, for every pod. */
    const uint64_t passed = (t->hits | t->midways) & kept * UINT64_C(0x0001000100010001);
    for (uint64_t left = passed; left != 0; left &= left - 1) {
        const int at = __builtin_ctzll(left), i = at / 16;
        csb_pass(run, world_of(w, (unsigned)at % 16), i, csb_passes_of(t, i, (unsigned)at % 16));
    }

    /* The progress after this turn is that before the next one. */
    if (reward != NULL) {
        vreal after[2];
        csb_progress_ahead(run->context, w, after);
        for (int p = 0; p < 2; p++) {
            reward[p] = csb_weighed(run->context, t, after[p] - t->progress[p], 2 * p, 2);
            t->progress[p] = after[p];
        }
    }

    /* Only candidates: rules_decide() tells whether and how these games end. */
    const vmask last = i_gt(get_tick(w), i_set1(run->context->ticks - 1));
    return t->late | t->illegal[0] | t->illegal[1] | m_bits(m_or(last, CSB_ANY_ABOVE_0(won, w)));
}

/* Rewards each pod by itself, after rules_settle(). */
CAROM_LANE void rules_settle_own(tick_run *run, unsigned home, tick_world w, unsigned kept, vreal *reward)
{
    csb_turn *t = csb_turn_of(run, home);
    vreal after[CSB_PODS];
    (void)kept;
    csb_progress_each(run->context, w, after);
    for (int i = 0; i < CSB_PODS; i++) {
        reward[i] = csb_weighed(run->context, t, after[i] - t->progress[i], i, 1);
        t->progress[i] = after[i];
    }
}

/* ---- the end ---- */

/* The referee's score of a pod after the last turn: next * 1000000 - distance. */
static double csb_score_of(tick_world w, int pod)
{
    const double dx = (double)*at_x(w, pod) - (double)*at_cx(w, pod);
    const double dy = (double)*at_y(w, pod) - (double)*at_cy(w, pod);
    return *at_next(w, pod) * CSB_SCORE - __builtin_sqrt(dx * dx + dy * dy);
}

/* The player of the pod with the greatest score, the first of equals; -1 if no score is above 0. */
static int csb_winner_by_score(tick_world w)
{
    int best = -1;
    double greatest = 0;
    for (int i = 0; i < CSB_PODS; i++) {
        const double score = csb_score_of(w, i);
        if (score > greatest) {
            greatest = score;
            best = i >> 1;
        }
    }
    return best;
}

/* The player with the greater score of its better pod, or -1 if both are equal (option fair_timeouts). */
static int csb_fair_winner(tick_world w)
{
    double score[2];
    for (int p = 0; p < 2; p++) {
        const double a = csb_score_of(w, 2 * p), b = csb_score_of(w, 2 * p + 1);
        score[p] = a > b ? a : b;
    }
    return score[0] > score[1] ? 0 : score[1] > score[0] ? 1 : -1;
}

/* The greatest number of checkpoints that a pod of the player has passed. */
static int32_t rules_score(tick_world w, int player)
{
    int32_t most = 0;
    for (int i = 2 * player; i < 2 * player + 2; i++) {
        const int32_t passed = *at_next(w, i) - 1 + (*at_won(w, i) != 0);
        most = passed > most ? passed : most;
    }
    return most;
}

/* Does the game end, and who wins? In the order of RULES.md, 3. */
static tick_verdict csb_verdict(const csb_context *context, const csb_turn *t, unsigned lane, tick_world w)
{
    const int players = context->alone ? 1 : 2;

    /* A thrust that loses comes before all else. */
    for (int player = 0; player < 2; player++) {
        if ((t->illegal[player] >> lane & 1) != 0) {
            return verdict_of(CAROM_TERMINATED, 1 - player);
        }
    }

    /* Timeouts, player 0 first: if both are out of time it loses, unless the options ask for a fair decision. */
    if (context->fair && !context->alone && *at_timeout(w, 0) <= 0 && *at_timeout(w, 1) <= 0) {
        return verdict_of(CAROM_TERMINATED, csb_fair_winner(w));
    }
    for (int player = 0; player < players; player++) {
        if (*at_timeout(w, player) <= 0) {
            return verdict_of(CAROM_TERMINATED, 1 - player);
        }
    }

    for (int i = 0; i < CSB_PODS; i++) {
        if (*at_won(w, i) != 0) {
            return verdict_of(CAROM_TERMINATED, i >> 1);
        }
    }

    return world_tick(w) < context->ticks ? verdict_running()
                                          : verdict_of(CAROM_TRUNCATED, context->alone ? -1 : csb_winner_by_score(w));
}

/* The verdict on one world, which also becomes its `winner`. */
static tick_verdict rules_decide(tick_run *run, unsigned home, tick_world w)
{
    tick_verdict verdict = csb_verdict(run->context, csb_turn_of(run, home), home % LANES, w);
    if (verdict.end != CAROM_RUNNING) {
        *at_winner(w, 0) = (int8_t)verdict.winner;
        verdict.stake = (float)run->context->weights[CSB_FOR_RESULT];
    }
    return verdict;
}

#endif
