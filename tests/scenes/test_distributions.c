/* SPDX-License-Identifier: MIT
 * f32 games against f64 ones after their paths have diverged: the distributions of energy, impacts and score over 10^4
 * worlds played by the built-in policies.
 *
 * The test is the two-sample Kolmogorov-Smirnov test. The precisions use different seeds, so that the samples are
 * independent; at the level 10^-5 the greatest distance of the two distribution functions is at most sqrt(ln(2 / level)
 * / 2) sqrt(2 / n). The same samples with a shift show that it can distinguish distributions.
 */
#include "test.h"

#define LEVEL 1e-5

typedef enum quantity { ENERGY, IMPACTS, SCORE, QUANTITIES } quantity;

static const char *const quantity_names[QUANTITIES] = {"energy", "impacts", "score"};

/* Of one game in one precision: [quantity][world]. */
typedef struct sample {
    size_t n;
    double *of[QUANTITIES];
} sample;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

/* Adds the squares of a real field's elements to sums[world]; whether there is such a field. */
static bool add_squares(const carom_worlds *worlds, const char *name, double *sums)
{
    size_t index;
    carom_view view;
    if (carom_worlds_find_field(worlds, name, &index) != CAROM_OK) {
        return false;
    }
    must(carom_worlds_view(worlds, index, &view), "carom_worlds_view");
    const bool is_float = carom_worlds_describe(worlds).precision == CAROM_F32;
    for (size_t w = 0; w < view.worlds; w++) {
        for (size_t e = 0; e < view.elements; e++) {
            const char *at = (const char *)view.data + w / CAROM_TILE * view.tile_stride + e * view.element_stride +
                             w % CAROM_TILE * view.lane_stride;
            double value;
            float single;
            if (is_float) {
                memcpy(&single, at, sizeof single);
                value = (double)single;
            } else {
                memcpy(&value, at, sizeof value);
            }
            sums[w] += value * value;
        }
    }
    return true;
}

static sample play(const carom_game *game, carom_precision precision, uint64_t seed, size_t n, int ticks)
{
    const carom_game_info info = carom_game_describe(game);
    carom_action_kind kind;
    sample s = {n, {NULL}};
    size_t policy = 0;
    for (int q = 0; q < QUANTITIES; q++) {
        s.of[q] = (double *)allocate(n, sizeof(double));
    }
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(game, .count = n, .precision = precision, .seed = seed);
    must(carom_game_action_kind(game, 0, &kind), "carom_game_action_kind");
    if (strcmp(info.name, "fall") == 0) { /* else they do not move */
        must(carom_game_find_policy(game, "random", &policy), "carom_game_find_policy");
    }
    FREED void *actions = allocate(n * info.players * kind.size, sizeof(double));
    FREED float *rewards = (float *)allocate(n * info.players, sizeof(float));
    FREED uint32_t *counts = (uint32_t *)allocate(n, sizeof(uint32_t));
    carom_step step = STEP_WITH(.actions = actions, .rewards = rewards, .event_counts = counts);
    for (int t = 0; t < ticks; t++) {
        must(carom_worlds_policy(worlds, policy, 0, actions), "carom_worlds_policy");
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        for (size_t w = 0; w < n; w++) {
            s.of[IMPACTS][w] += counts[w];
            s.of[SCORE][w] += (double)rewards[w * info.players];
        }
    }
    assert_int_equal(carom_worlds_faults(worlds, NULL), 0);
    if (add_squares(worlds, "vx", s.of[ENERGY])) {
        (void)add_squares(worlds, "vy", s.of[ENERGY]);
    } else {
        assert_true(add_squares(worlds, "speed", s.of[ENERGY]));
    }
    return s;
}

static void free_sample(sample *s)
{
    for (int q = 0; q < QUANTITIES; q++) {
        free(s->of[q]);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The greatest distance of the distribution functions of two samples, which are sorted. */
static double distance(const double *a, const double *b, size_t n)
{
    double greatest = 0;
    for (size_t i = 0, j = 0; i < n && j < n;) {
        const double x = fmin(a[i], b[j]);
        while (i < n && a[i] <= x) {
            i++;
        }
        while (j < n && b[j] <= x) {
            j++;
        }
        greatest = fmax(greatest, fabs((double)i - (double)j) / (double)n);
    }
    return greatest;
}

static double mean(const double *a, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += a[k];
    }
    return sum / (double)n;
}

/* A change that must be seen: by a third of the quartiles' distance in all worlds, or where most worlds have the same
 * value, as the score of games with few goals, by a whole goal in every fourth. */
static void change(double *sorted, size_t n)
{
    const double quartiles = sorted[3 * n / 4] - sorted[n / 4];
    for (size_t k = 0; k < n; k += quartiles > 0 ? 1 : 4) {
        sorted[k] += quartiles > 0 ? quartiles / 3 : 1;
    }
    qsort(sorted, n, sizeof *sorted, ascending);
}

static void compare(const carom_game *game, int ticks)
{
    const char *name = carom_game_describe(game).name;
    const size_t n = (size_t)unless_short(10000, 1500);
    const double limit = sqrt(log(2 / LEVEL) / 2) * sqrt(2 / (double)n);
    sample f32 = play(game, CAROM_F32, 1, n, ticks), f64 = play(game, CAROM_F64, 2, n, ticks);
    for (quantity q = ENERGY; q < QUANTITIES; q++) {
        double *a = f32.of[q], *b = f64.of[q];
        qsort(a, n, sizeof *a, ascending);
        qsort(b, n, sizeof *b, ascending);
        const double apart = distance(a, b, n);
        print_message("%s, %s: mean %.6g in f32, %.6g in f64; distance %.4f of at most %.4f\n", name, quantity_names[q],
                      mean(a, n), mean(b, n), apart, limit);
        assert_true(a[n - 1] > a[0] && b[n - 1] > b[0]);
        assert_true(apart <= limit);
        change(b, n);
        assert_true(distance(a, b, n) > limit);
    }
    free_sample(&f32);
    free_sample(&f64);
}

TEST(test_csb)
{
    compare(carom_game_find("csb"), 80);
}

TEST(test_fantastic_bits)
{
    compare(carom_game_find("fantastic_bits"), 60);
}

TEST(test_soccer)
{
    compare(carom_game_find("soccer"), 300);
}

TEST(test_stones)
{
    compare(carom_game_find("stones"), 60);
}

TEST(test_fall)
{
    compare(carom_game_find("fall"), 100);
}
