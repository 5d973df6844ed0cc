/* SPDX-License-Identifier: MIT
 * Final values: the kinds of every game, csb's features against plain C from the fields of finals, the caller's
 * weights, in rollouts and in searches; errors.
 */

#include "tests/rollout/rollout_plain.h"

enum { W = 16, K = 9, WEIGHTS = CAROM_CSB_VALUE_WEIGHTS };

TEST(test_kinds)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        const carom_game *game = carom_game_at(g);
        carom_value_kind kind;
        carom_value_weight weight;
        size_t index;
        OK(carom_game_value_kind(game, 0, &kind));
        assert_string_equal(kind.name, "game");
        assert_int_equal(kind.weights, 0);
        size_t kinds = 0;
        for (; carom_game_value_kind(game, kinds, &kind) == CAROM_OK; kinds++) {
            OK(carom_game_find_value_kind(game, kind.name, &index));
            assert_int_equal(index, kinds);
            for (size_t k = 0; k < kind.weights; k++) {
                OK(carom_game_value_weight(game, kinds, k, &weight));
                assert_true(strlen(weight.meaning) > 10);
                assert_true(strlen(weight.name) > 0 && fabs(weight.weight) < 1000);
            }
            assert_int_equal(carom_game_value_weight(game, kinds, kind.weights, &weight), CAROM_ERROR_ARGUMENT);
        }
        const bool alone = strcmp(carom_game_describe(game).name, "fall") == 0;
        assert_int_equal(kinds, game == csb ? 5 : alone ? 1 : 2);
        assert_int_equal(carom_game_value_weight(game, kinds, 0, &weight), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_game_find_value_kind(game, "nothing", &index), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_game_find_value_kind(game, NULL, &index), CAROM_ERROR_ARGUMENT);
    }
    carom_value_kind kind;
    assert_int_equal(carom_game_value_kind(NULL, 0, &kind), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_value_kind(csb, 0, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_game_value_weight(csb, 1, 0, NULL), CAROM_ERROR_ARGUMENT);
}

/* ---- csb ---- */

typedef struct pod {
    double x, y, next_x, next_y, progress, speed, facing, angle;
} pod;

static double along(double x, double y, double to_x, double to_y)
{
    const double length = sqrt(to_x * to_x + to_y * to_y);
    return (x * to_x + y * to_y) / (length > 1 ? length : 1);
}

static void read_pods(const carom_worlds *worlds, size_t world, pod pods[4])
{
    uint32_t n, laps;
    int32_t xy[8][2];
    double x[4], y[4], vx[4], vy[4], angle[4];
    int16_t next[4];
    int8_t won[4];
    map_of(worlds, world, &n, &laps, xy);
    get_reals(worlds, "x", world, x);
    get_reals(worlds, "y", world, y);
    get_reals(worlds, "vx", world, vx);
    get_reals(worlds, "vy", world, vy);
    get_reals(worlds, "angle", world, angle);
    get(worlds, "next", world, next);
    get(worlds, "won", world, won);
    for (int i = 0; i < 4; i++) {
        const int32_t *gate = xy[(uint32_t)next[i] % n];
        const double to_x = gate[0] - x[i], to_y = gate[1] - y[i], far = sqrt(to_x * to_x + to_y * to_y) / 20000;
        pods[i].x = x[i];
        pods[i].y = y[i];
        pods[i].next_x = gate[0];
        pods[i].next_y = gate[1];
        pods[i].progress = won[i] ? n * laps + 1 : next[i] - (far < 1 ? far : 1);
        pods[i].speed = along(vx[i], vy[i], to_x, to_y) / 1000;
        pods[i].facing = along(cos(angle[i]), sin(angle[i]), to_x, to_y);
        pods[i].angle = angle[i];
    }
}

static double near_to(double x, double y, double to_x, double to_y)
{
    return 1 - sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y)) / 16000;
}

static void features_of(const carom_worlds *worlds, size_t world, int player, double features[WEIGHTS])
{
    pod pods[4];
    int8_t winner;
    read_pods(worlds, world, pods);
    get(worlds, "winner", world, &winner);
    const pod *own = &pods[2 * player], *other = &pods[2 - 2 * player];
    const int ahead = own[0].progress >= own[1].progress ? 0 : 1;
    const pod *runner = own + ahead, *guard = own + (1 - ahead);
    const int first = other[0].progress >= other[1].progress ? 0 : 1;
    const pod *rival = other + first, *rival_guard = other + (1 - first);
    features[0] = runner->progress;
    features[1] = runner->speed;
    features[2] = runner->facing;
    features[3] = guard->progress;
    features[4] = rival->progress;
    features[5] = near_to(guard->x, guard->y, rival->next_x, rival->next_y);
    features[6] = near_to(guard->x, guard->y, rival->x, rival->y);
    features[7] = along(cos(guard->angle), sin(guard->angle), rival->x - guard->x, rival->y - guard->y);
    features[8] = winner < 0 ? 0 : winner == player ? 1 : -1;
    features[9] = near_to(rival_guard->x, rival_guard->y, runner->next_x, runner->next_y);
    features[10] = near_to(rival_guard->x, rival_guard->y, runner->x, runner->y);
}

static carom_rollout_desc describe(size_t value, const double *weights)
{
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    desc.sequences = K;
    desc.horizon = 5;
    desc.seed = 3;
    desc.reward_weight = 0;
    desc.value = value;
    desc.weights = weights;
    return desc;
}

TEST(test_csb)
{
    static double returns[W][K][PLAYERS], first[W][K][PLAYERS];
    for (int run = 0; run < 2 * (WEIGHTS + 4); run++) {
        const carom_precision precision = run % 2 ? CAROM_F64 : CAROM_F32;
        const int single = run / 2 - 4; /* one feature alone, or the four kinds with their own weights */
        const size_t value = single < 0 ? (size_t)(run / 2 + 1) : 2;
        double weights[WEIGHTS] = {0};
        for (size_t k = 0; k < WEIGHTS; k++) {
            carom_value_weight own;
            OK(carom_game_value_weight(csb, value, k, &own));
            weights[k] = single < 0 ? own.weight : (int)k == single ? -2.5 : 0;
        }
        const carom_rollout_desc desc = describe(value, single < 0 ? NULL : weights);
        bool known = false;
        for (size_t i = 0; i < isa_count; i++) {
            const carom_isa isa = isas[i];
            OWNED(carom_worlds) *roots = make_roots(precision, isa, 1 + (unsigned)isa % 2, 0, W);
            OWNED(carom_worlds) *finals = make(precision, isa, 1, W * K, CAROM_FREEZE);
            OK(carom_rollout(roots, &desc, known ? **returns : **first, NULL, finals));
            if (known) {
                assert_memory_equal(returns, first, sizeof first);
            }
            known = true;
            for (size_t q = 0; q < W * K; q++) {
                for (int p = 0; p < PLAYERS; p++) {
                    double features[WEIGHTS], want = 0;
                    features_of(finals, q, p, features);
                    for (size_t k = 0; k < WEIGHTS; k++) {
                        want += weights[k] * features[k];
                    }
                    const double got = first[q / K][q % K][p];
                    assert_true(got == -INFINITY || fabs(got - want) < (precision == CAROM_F64 ? 1e-9 : 3e-4));
                }
            }
        }
    }
}

/* A search maximises it: the plan's return is that of a rollout with the same weights, and other weights give another
 * plan. The search copies its weights. */
TEST(test_search)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, 3);
    static float plans[5][3][6][4];
    for (size_t value = 0; value < 5; value++) {
        carom_search_desc desc = carom_search_desc_default(csb);
        double weights[WEIGHTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, told[3], want[3][PLAYERS];
        const double kept[WEIGHTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        desc.value_kind = value;
        desc.weights = value == 4 ? weights : NULL;
        desc.reward_weight = 0;
        desc.rollouts = 512;
        OWNED(carom_search) *search = NULL;
        OK(carom_search_create(roots, &desc, &search));
        memset(weights, 0, sizeof weights);
        OK(carom_search_run(search, roots));
        OK(carom_search_plan(search, 0, **plans[value]));
        OK(carom_search_returns(search, told));
        carom_rollout_desc same = describe(value, value == 4 ? kept : NULL);
        same.sequences = 1;
        same.horizon = 6;
        same.players[0].source = CAROM_BROADCAST;
        same.players[0].actions = plans[value];
        same.players[1].source = CAROM_ZERO;
        OK(carom_rollout(roots, &same, *want, NULL, NULL));
        for (int root = 0; root < 3; root++) {
            assert_true(told[root] == want[root][0]);
        }
        for (size_t before = 0; before < value; before++) {
            assert_true(memcmp(plans[before], plans[value], sizeof plans[0]) != 0);
        }
    }
}

TEST(test_refused)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, 1);
    double returns[K * PLAYERS], weights[WEIGHTS] = {0};
    carom_search_desc asked = carom_search_desc_default(csb);
    carom_search *search;
    carom_rollout_desc desc = describe(5, NULL);
    assert_int_equal(carom_rollout(roots, &desc, returns, NULL, NULL), CAROM_ERROR_ARGUMENT);
    asked.value_kind = 5;
    assert_int_equal(carom_search_create(roots, &asked, &search), CAROM_ERROR_ARGUMENT);
    desc = describe(1, weights);
    asked.value_kind = 1;
    asked.weights = weights;
    for (int k = 0; k < 2; k++) {
        weights[WEIGHTS - 1] = k == 0 ? (double)NAN : (double)INFINITY;
        assert_int_equal(carom_rollout(roots, &desc, returns, NULL, NULL), CAROM_ERROR_VALUE);
        assert_int_equal(carom_search_create(roots, &asked, &search), CAROM_ERROR_VALUE);
        assert_null(search);
    }
    desc.value = 0; /* which has no weights */
    OK(carom_rollout(roots, &desc, returns, NULL, NULL));
}

SET_UP
{
    set_up_samples();
}
