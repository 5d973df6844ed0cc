/* SPDX-License-Identifier: MIT
 * The final values `match` of fantastic_bits, soccer and stones: each feature alone and the weighted sum, against
 * plain C from the fields of finals, in every instruction set and precision.
 */
#include "test.h"

#include <carom/fantastic_bits.h>
#include <carom/soccer.h>
#include <carom/stones.h>

enum { W = 7, K = 5, MOST = 32 };

/* A field of a world, reals and integers. */
static void read_numbers(const carom_worlds *worlds, size_t world, const char *name, double *values)
{
    carom_field field;
    double reals[MOST * 2] = {0};
    const size_t index = field_index(worlds, name);
    OK(carom_worlds_field(worlds, index, &field));
    OK(carom_worlds_get(worlds, index, world, 1, reals));
    for (uint32_t k = 0; k < field.count; k++) {
        float single;
        int32_t four;
        int16_t two;
        memcpy(&single, (unsigned char *)reals + k * sizeof single, sizeof single);
        memcpy(&four, (unsigned char *)reals + k * sizeof four, sizeof four);
        memcpy(&two, (unsigned char *)reals + k * sizeof two, sizeof two);
        values[k] = field.type == CAROM_TYPE_INT32   ? four
                    : field.type == CAROM_TYPE_INT16 ? two
                    : field.type == CAROM_TYPE_INT8  ? ((int8_t *)reals)[k]
                    : field.bytes == sizeof single   ? (double)single
                                                     : reals[k];
    }
}

/* ---- fantastic_bits ---- */

static double far_from(const double *x, const double *y, int a, double to_x, double to_y)
{
    return hypot(x[a] - to_x, y[a] - to_y) / 16000;
}

/* Assigns each wizard of a player its own snaffle, by the least sum. */
static double to_snaffles(const double *x, const double *y, const double *alive, int player)
{
    double best = INFINITY, alone = INFINITY;
    for (int a = 0; a < 7; a++) {
        for (int b = 0; b < 7; b++) {
            const double first = far_from(x, y, 2 * player, x[4 + a], y[4 + a]);
            const double second = far_from(x, y, 2 * player + 1, x[4 + b], y[4 + b]);
            if (alive[a] > 0 && alive[b] > 0 && a != b) {
                best = fmin(best, first + second);
            } else if (alive[a] > 0 && alive[b] > 0) {
                alone = fmin(alone, fmin(first, second));
            }
        }
    }
    return best < INFINITY ? best : alone < INFINITY ? 2 * alone : 0;
}

/* Wizards and snaffles are extrapolated for two ticks, but not out of the field. */
static void go_on(double *at, const double *speed, double side)
{
    for (int k = 0; k < 11; k++) {
        at[k] = fmin(fmax(at[k] + 2 * speed[k], 0), side);
    }
}

static void fantastic_bits(const carom_worlds *worlds, size_t world, int player, double *features)
{
    double x[MOST], y[MOST], now_x[MOST], now_y[MOST], vx[MOST], vy[MOST];
    double hold[4], alive[MOST], score[2], mana[2], snaffles[1];
    read_numbers(worlds, world, "x", x);
    read_numbers(worlds, world, "y", y);
    read_numbers(worlds, world, "vx", vx);
    read_numbers(worlds, world, "vy", vy);
    memcpy(now_x, x, sizeof x);
    memcpy(now_y, y, sizeof y);
    go_on(x, vx, 16000);
    go_on(y, vy, 7500);
    read_numbers(worlds, world, "hold", hold);
    read_numbers(worlds, world, "alive", alive);
    read_numbers(worlds, world, "score", score);
    read_numbers(worlds, world, "mana", mana);
    read_numbers(worlds, world, "snaffles", snaffles);
    const double sign = player == 0 ? 1 : -1, wins = snaffles[0] == 7 ? 4 : 3;
    const int own = 2 * player, other = 2 - own;
    double count = 0, nearer = 0;
    features[6] = 1;
    for (int s = 0; s < 7; s++) {
        if (alive[s] > 0) {
            const int k = 4 + s;
            const double me = fmin(far_from(x, y, own, x[k], y[k]), far_from(x, y, own + 1, x[k], y[k]));
            const double them = fmin(far_from(x, y, other, x[k], y[k]), far_from(x, y, other + 1, x[k], y[k]));
            features[0] += sign * (far_from(x, y, k, 0, 3750) - far_from(x, y, k, 16000, 3750));
            features[2] += sign * vx[k] / 1000;
            features[6] = fmin(features[6], player == 0 ? now_x[k] / 16000 : 1 - now_x[k] / 16000);
            features[8] += (them - me) / (them + me + 0.025);
            nearer += me < them;
            count++;
        }
    }
    features[1] = -to_snaffles(x, y, alive, player);
    features[3] = (hold[own] >= 0) + (hold[own + 1] >= 0) - (hold[other] >= 0) - (hold[other + 1] >= 0);
    features[4] = mana[player] / 100;
    for (int k = 0; k < 4; k++) {
        features[5] -= fmax(0, 1 - 8 * far_from(x, y, 11 + k % 2, now_x[own + k / 2], now_y[own + k / 2]));
    }
    features[7] = to_snaffles(x, y, alive, 1 - player);
    features[9] = (nearer >= wins - score[player]) - (count - nearer >= wins - score[1 - player]);
}

/* ---- soccer: two robots a side, one ball ---- */

static void soccer(const carom_worlds *worlds, size_t world, int player, double *features)
{
    double x[MOST], y[MOST], vx[MOST], holder[4];
    const carom_soccer_options options = carom_soccer_options_of(CAROM_SOCCER_DIVISION_B);
    read_numbers(worlds, world, "x", x);
    read_numbers(worlds, world, "y", y);
    read_numbers(worlds, world, "vx", vx);
    read_numbers(worlds, world, "holder", holder);
    const double sign = player == 0 ? 1 : -1;
    double least[2];
    int nearest[2];
    for (int side = 0; side < 2; side++) {
        const int a = 2 * side, b = a + 1;
        const double to_a = hypot(x[a] - x[4], y[a] - y[4]), to_b = hypot(x[b] - x[4], y[b] - y[4]);
        least[side] = fmin(to_a, to_b) / options.length;
        nearest[side] = to_b < to_a ? b : a;
    }
    const int own = nearest[player];
    const double dx = x[4] - x[own], dy = y[4] - y[own], gx = sign * options.length / 2 - x[4], gy = -y[4];
    features[0] = sign * x[4] / options.length;
    features[1] = sign * vx[4] / options.kick_speed;
    features[2] = -least[player];
    features[3] = least[1 - player];
    features[4] = holder[0] < 0 ? 0 : ((int)holder[0] / 2 == player ? 1 : -1);
    features[5] = (dx * gx + dy * gy) / hypot(dx, dy) / hypot(gx, gy);
}

/* ---- stones ---- */

static void stones(const carom_worlds *worlds, size_t world, int player, double *features)
{
    static const char *const names[] = {"px", "py", "radius", "speed", "course", "friction", "in_play"};
    double n[7][MOST];
    for (int k = 0; k < 7; k++) {
        read_numbers(worlds, world, names[k], n[k]);
    }
    for (int i = 0; i < CAROM_STONES_MAX; i++) {
        const double sign = i % 2 == player ? 1 : -1, way = n[3][i] / (1 - n[5][i]);
        const double x = n[0][i] + n[2][i] + way * cos(n[4][i]), y = n[1][i] + n[2][i] + way * sin(n[4][i]);
        const double out = fmin(hypot(x, y) / 400, 2);
        if (n[6][i] > 0) {
            features[0] += sign;
            features[1] -= sign * (out > 1);
            features[2] -= sign * out * out;
        }
    }
}

/* ---- all of them ---- */

/* Makes wizards and snaffles of every second world fast, each its own way, so that two ticks take them out
 * of the field on every side. */
static void hurry(carom_worlds *worlds)
{
    for (size_t w = 0; w < 2 * W; w += 2) {
        const char *name = w < W ? "vx" : "vy";
        const size_t world = w % W, index = field_index(worlds, name);
        double speeds[MOST] = {0};
        float singles[MOST];
        read_numbers(worlds, world, name, speeds);
        for (int k = 0; k < 11; k++) {
            speeds[k] = (k + (int)w / 2) % 2 == 0 ? 9000 : -9000;
        }
        for (int k = 0; k < MOST; k++) {
            singles[k] = (float)speeds[k];
        }
        OK(carom_worlds_set(worlds, index, world, 1,
                            carom_worlds_describe(worlds).precision == CAROM_F64 ? (void *)speeds : (void *)singles));
    }
}

typedef void features_of(const carom_worlds *worlds, size_t world, int player, double *features);

static void expect_match(const carom_game *game, const void *options, features_of *expected, carom_precision precision)
{
    size_t value, best = 0;
    carom_value_kind kind;
    OK(carom_game_find_value_kind(game, "match", &value));
    OK(carom_game_value_kind(game, value, &kind));
    for (int single = -1; single < (int)kind.weights; single++) {
        double weights[MOST] = {0};
        for (size_t k = 0; k < kind.weights; k++) {
            carom_value_weight usual;
            OK(carom_game_value_weight(game, value, k, &usual));
            weights[k] = single < 0 ? usual.weight : (int)k == single ? -2.5 : 0;
        }
        carom_rollout_desc desc = carom_rollout_desc_default(game);
        desc.sequences = K;
        desc.horizon = 5;
        desc.reward_weight = 0;
        desc.value = value;
        desc.weights = single < 0 ? NULL : weights;
        static double first[W][K][2], returns[W][K][2];
        for (size_t i = 0; i < isa_count; i++) {
            OWNED(carom_worlds) *roots =
                MAKE_WORLDS(game, .count = W, .precision = precision, .isa = isas[i], .seed = 5, .options = options);
            OWNED(carom_worlds) *finals = MAKE_WORLDS(game, .count = W * K, .precision = precision, .isa = isas[i],
                                                      .options = options, .at_end = CAROM_FREEZE);
            carom_step step = STEP_WITH(.ticks = 30);
            step.players[0].source = step.players[1].source = CAROM_POLICY;
            play_worlds(roots, &step);
            if (game == carom_game_find("fantastic_bits")) {
                hurry(roots);
            }
            OK(carom_rollout(roots, &desc, i == 0 ? **first : **returns, NULL, finals));
            if (i > 0) {
                assert_memory_equal(returns, first, sizeof first);
            }
            for (size_t q = 0; q < 2 * W * K; q++) {
                double features[MOST] = {0}, want = 0;
                expected(finals, q / 2, (int)(q % 2), features);
                for (size_t k = 0; k < kind.weights; k++) {
                    want += weights[k] * features[k];
                    best += features[k] != 0;
                }
                const double got = first[q / 2 / K][q / 2 % K][q % 2];
                if (!(fabs(got - want) < (precision == CAROM_F64 ? 1e-9 : 3e-4))) {
                    fail_msg("feature %d of %s: %.12g, not %.12g", single, carom_game_describe(game).name, got, want);
                }
            }
        }
    }
    assert_true(best > 0);
}

TEST(match_is_the_sum_of_its_features)
{
    carom_soccer_options two = carom_soccer_options_of(CAROM_SOCCER_DIVISION_B);
    two.robots = 2;
    for (int k = 0; k < 2; k++) {
        const carom_precision precision = k == 0 ? CAROM_F64 : CAROM_F32;
        expect_match(carom_game_find("fantastic_bits"), NULL, fantastic_bits, precision);
        expect_match(carom_game_find("soccer"), &two, soccer, precision);
        expect_match(carom_game_find("stones"), NULL, stones, precision);
    }
}
