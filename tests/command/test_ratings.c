/* SPDX-License-Identifier: MIT
 * The arena's statistics: intervals of ratings hold, and sequential tests have the stated error rates. Results are
 * drawn from known strengths.
 */
#include "tests/test.h"

#include "arena/ratings.h"
#include "arena/sprt.h"

static double expected(double elo)
{
    return 1 / (1 + pow(10, -elo / 400));
}

/* ---- sequential tests ---- */

#define MATCHES 6000 /* simulated at either hypothesis */

typedef struct match_model {
    unsigned rounds; /* games of a start */
    double draws;    /* share of them */
    double uneven;   /* how much a start favours one of its seats */
} match_model;

/* Points of a start in which side a scores `score` of the points on average. */
static unsigned play_start(const match_model *model, double score, uint64_t *random)
{
    const double favour = model->rounds > 1 ? model->uneven * (rng_in(random, 0, 1) - 0.5) : 0;
    unsigned points = 0;
    for (unsigned r = 0; r < model->rounds; r++) {
        const double wins = score + (r % 2 == 0 ? favour : -favour) - model->draws / 2, x = rng_in(random, 0, 1);
        points += x < wins ? 2 : x < wins + model->draws ? 1 : 0;
    }
    return points;
}

/* The share of simulated matches at hypothesis `truth` that accept the other one. */
static double share_of_errors(const match_model *model, const double elo[2], int truth, uint64_t *random)
{
    const double score = expected(elo[truth]);
    unsigned errors = 0;
    for (unsigned m = 0; m < MATCHES; m++) {
        arena_sprt sprt = {0, 0, 0};
        arena_verdict verdict = SPRT_OPEN;
        while (verdict == SPRT_OPEN) {
            carom_sprt_add(&sprt, play_start(model, score, random));
            verdict = carom_sprt_verdict(&sprt, model->rounds, elo);
        }
        errors += verdict != (truth == 0 ? SPRT_FIRST : SPRT_SECOND);
    }
    return (double)errors / MATCHES;
}

TEST(error_rates)
{
    static const match_model models[] = {{2, 0, 0},   {2, 0, 0.8}, {2, 0.5, 0.4}, {2, 0.8, 0.02},
                                         {1, 0.1, 0}, {6, 0, 0.4}, {6, 0.5, 0}};
    static const double pairs[][2] = {{0, 20}, {-20, 20}, {0, 60}};
    uint64_t random = 31;
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
            for (int truth = 0; truth < 2; truth++) {
                const double errors = share_of_errors(&models[k], pairs[p], truth, &random);
                if (!(errors <= 0.06)) {
                    fail_msg("model %zu, Elo %g and %g, of which %d is true: %.2f%% err", k, pairs[p][0], pairs[p][1],
                             truth, 100 * errors);
                }
            }
        }
    }
}

/* Independent games without draws: the ratio is that of the normal distribution, worked out by hand. */
TEST(ratio)
{
    const double elo[2] = {0, 100};
    arena_sprt sprt = {0, 0, 0};
    assert_true(carom_sprt_ratio(&sprt, 2, elo) == 0);
    for (int k = 0; k < 100; k++) {
        carom_sprt_add(&sprt, k % 4 == 0 ? 0 : k % 4 == 1 ? 4 : 2); /* a mean of a half, a variance of an eighth */
    }
    assert_int_equal(sprt.points, 200);
    assert_int_equal(sprt.squares, 25 * 16 + 50 * 4);
    const double high = 0.64006499980288512; /* 1 / (1 + 10^(-1/4)) */
    const double ratio = 100 * (high - 0.5) * (0.5 - high) / (2 * 0.125);
    assert_true(fabs(carom_sprt_ratio(&sprt, 2, elo) - ratio) < 1e-9);
    assert_int_equal(carom_sprt_verdict(&sprt, 2, elo), SPRT_FIRST);
}

/* ---- ratings ---- */

#define SIDES 5
#define TOURNAMENTS 1000

/* Tournaments of known strengths: the intervals of 95% hold them, neither too seldom nor always. */
TEST(intervals)
{
    static const double truth[SIDES] = {-150, -60, 0, 40, 170};
    static const double games_of[] = {30, 60, 40, 100, 30, 60, 40, 30, 50, 80};
    uint64_t random = 7;
    unsigned held = 0;
    for (int t = 0; t < TOURNAMENTS; t++) {
        double points[SIDES * SIDES] = {0}, games[SIDES * SIDES] = {0};
        arena_rating ratings[SIDES];
        size_t pair = 0;
        for (size_t i = 0; i < SIDES; i++) {
            for (size_t j = i + 1; j < SIDES; j++, pair++) {
                games[i * SIDES + j] = games[j * SIDES + i] = games_of[pair];
                for (int g = 0; g < (int)games_of[pair]; g++) {
                    const size_t winner = rng_in(&random, 0, 1) < expected(truth[i] - truth[j]) ? i : j;
                    points[winner * SIDES + (winner == i ? j : i)]++;
                }
            }
        }
        carom_arena_rate(SIDES, points, games, ratings);
        double sum = 0;
        for (size_t i = 0; i < SIDES; i++) {
            held += ratings[i].low <= truth[i] && truth[i] <= ratings[i].high;
            sum += ratings[i].rating;
        }
        assert_true(fabs(sum) < 1e-6);
    }
    const double share = (double)held / (SIDES * TOURNAMENTS);
    if (!(share >= 0.935 && share <= 0.97)) {
        fail_msg("the intervals hold %.1f%% of the true ratings", 100 * share);
    }
}

/* Two sides: the rating is that of the score, the interval that of its standard error. Sides that nothing connects have
 * no interval. */
TEST(two_sides)
{
    const double points[4] = {0, 299.5, 99.5, 0}, games[4] = {0, 399, 399, 0}; /* and a draw: three quarters of 400 */
    arena_rating ratings[3];
    carom_arena_rate(2, points, games, ratings);
    const double half = 1.959963984540054 * 400 / log(10) / 2 / sqrt(400 * 0.75 * 0.25);
    assert_true(fabs(ratings[0].rating - carom_arena_elo(0.75) / 2) < 1e-6);
    assert_true(fabs(ratings[0].high - ratings[0].rating - half) < 1e-6);
    assert_true(fabs(ratings[1].rating - ratings[1].low - half) < 1e-6);
    const double none[9] = {0, 5, 0, 5, 0, 0, 0, 0, 0}, met[9] = {0, 10, 0, 10, 0, 0, 0, 0, 0};
    carom_arena_rate(3, none, met, ratings);
    assert_true(isinf(ratings[2].high));
}
