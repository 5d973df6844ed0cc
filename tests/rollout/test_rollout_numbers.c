/* SPDX-License-Identifier: MIT
 * The numbers of rollouts: uniform and normal ones against plain C, held for several ticks, within bounds; their
 * rollout against that of the same numbers given; elites, and generations of the cross-entropy method.
 */

#include "base/random.h"
#include "rollout_plain.h"

enum { W = 3, K = 37, H = 7, MOST = 6 };

static float mean[W][H][MOST], sigma[W][H][MOST], low[H][MOST], high[H][MOST];

/* Means, deviations and bounds of rows of `size` numbers, packed as a rollout of W roots takes them. */
static void fill(size_t rows, size_t size)
{
    float *means = &mean[0][0][0], *sigmas = &sigma[0][0][0], *lows = &low[0][0], *highs = &high[0][0];
    for (size_t n = 0; n < W * rows * size; n++) {
        means[n] = 0.1f * (float)(n % 13) - 0.6f;
        sigmas[n] = n % 11 == 0 ? 0 : 0.05f * (float)(n % 17);
    }
    for (size_t n = 0; n < rows * size; n++) {
        lows[n] = -0.9f + 0.1f * (float)(n % 3);
        highs[n] = 0.4f + 0.1f * (float)(n % 7);
    }
}

static carom_rollout_desc describe(carom_source source, size_t kind, size_t hold, bool bounds)
{
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    desc.sequences = K;
    desc.horizon = H;
    desc.action_kind = kind;
    desc.seed = 99;
    desc.discount = 0.9;
    for (int p = 0; p < PLAYERS; p++) {
        desc.players[p].source = source;
        desc.players[p].hold = p == 0 ? hold : 1;
        desc.players[p].mean = &mean[0][0][0];
        desc.players[p].sigma = &sigma[0][0][0];
        desc.players[p].low = bounds ? &low[0][0] : NULL;
        desc.players[p].high = bounds ? &high[0][0] : NULL;
    }
    return desc;
}

/* ---- against plain C ---- */

/* Number n of a sequence, by the formulas of rollout.h in double. */
static double normal_of(uint64_t seed, uint64_t id, uint32_t k, uint32_t player, uint64_t n, double *radius)
{
    const philox_key key = philox_key_of(seed, id);
    uint32_t words[4] = {k, (uint32_t)(n / 8), player * 65536 + 32768, key.tag};
    philox4x32(words, key.key);
    const uint32_t word = words[n % 8 / 2];
    *radius = sqrt(-2 * log(((word >> 16) + 1) / 65536.0));
    const uint32_t quadrant = word >> 14 & 3;
    const double turn = ((double)quadrant + ((word & 0x3fff) + 0.5) / 16384 - 0.5) / 4 * 2 * 3.14159265358979323846;
    return *radius * (n % 2 == 0 ? cos(turn) : sin(turn));
}

TEST(test_normal_numbers)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    fill(H, 4);
    for (size_t hold = 1; hold <= 3; hold++) {
        for (int bounds = 0; bounds < 2; bounds++) {
            const carom_rollout_desc desc = describe(CAROM_GAUSSIAN, NORMALISED, hold, bounds);
            const unsigned player = hold == 1; /* the other's rows are of one tick */
            const size_t rows = (H + hold - 1) / hold;
            static float got[W * K * H * 4];
            OK(carom_rollout_draws(roots, &desc, player, NULL, K, got));
            for (size_t n = 0; n < W * K * rows * 4; n++) {
                const size_t root = n / (rows * 4) / K, k = n / (rows * 4) % K, number = n % (rows * 4);
                double radius;
                const double z = normal_of(99, id_of(roots, root), (uint32_t)k, player, number, &radius);
                const size_t at = root * rows * 4 + number;
                const double least = bounds ? (double)(&low[0][0])[number] : -1;
                const double most = bounds ? (double)(&high[0][0])[number] : 1;
                const double free = (double)(&mean[0][0][0])[at] + (double)(&sigma[0][0][0])[at] * z;
                const double want = free < least ? least : free > most ? most : free;
                /* The logarithm is within 6e-6, which its root makes the more of the nearer it is to 0. */
                assert_true(fabs(want - (double)got[n]) < 4e-6 + 6e-6 / (radius > 2e-3 ? radius : 2e-3));
                assert_true((double)got[n] >= least && (double)got[n] <= most);
            }
        }
    }
}

/* Sequences far beyond K, in any order; mean 0, deviation 1, the tails of a normal distribution, no two equal. */
TEST(test_normal_distribution)
{
    enum { COUNT = 40000 };
    static uint32_t sequences[COUNT];
    static float got[COUNT][4];
    OWNED(carom_worlds) *roots = make_roots(CAROM_F32, CAROM_ISA_DEFAULT, 2, 0, 1);
    carom_rollout_desc desc = describe(CAROM_GAUSSIAN, NORMALISED, 1, false);
    static const float none[4] = {0, 0, 0, 0}, ones[4] = {1, 1, 1, 1}, far[2][4] = {{-9, -9, -9, -9}, {9, 9, 9, 9}};
    desc.horizon = 1;
    desc.players[1].source = CAROM_ZERO;
    desc.players[0].mean = none;
    desc.players[0].sigma = ones;
    desc.players[0].low = far[0];
    desc.players[0].high = far[1];
    for (uint32_t k = 0; k < COUNT; k++) {
        sequences[k] = (COUNT - k) * 100003u;
    }
    OK(carom_rollout_draws(roots, &desc, 0, sequences, COUNT, got));
    double sum[4] = {0}, squares[4] = {0}, together[4] = {0};
    int beyond[4] = {0}, largest = 0;
    for (int k = 0; k < COUNT; k++) {
        for (int e = 0; e < 4; e++) {
            const double z = (double)got[k][e];
            sum[e] += z;
            squares[e] += z * z;
            together[e] += z * (double)got[k][(e + 1) % 4];
            beyond[e] += fabs(z) > 2;
            largest += fabs(z) > 4.7092;
        }
    }
    const double n = COUNT;
    for (int e = 0; e < 4; e++) {
        assert_true(fabs(sum[e] / n) < 5 / sqrt(n));
        assert_true(fabs(squares[e] / n - 1) < 5 * sqrt(2.0 / n));
        assert_true(fabs(together[e] / n) < 5 / sqrt(n));
        assert_true(fabs((double)beyond[e] / n - 0.0455) < 5 * sqrt(0.0455 / n));
    }
    assert_int_equal(largest, 0);
}

TEST(test_uniform_numbers)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    fill(H, 4);
    static float got[W][K][H][4];
    for (int bounds = 0; bounds < 2; bounds++) {
        const carom_rollout_desc desc = describe(CAROM_UNIFORM, NORMALISED, 1, bounds);
        OK(carom_rollout_draws(roots, &desc, 1, NULL, K, got));
        for (uint32_t n = 0; n < W * K * H * 4; n++) {
            const uint32_t root = n / (K * H * 4), k = n / (H * 4) % K, row = n / 4 % H, e = n % 4;
            float u[4];
            OK(carom_rollout_draw(csb, 99, id_of(roots, root), k, row, 1, u));
            const float a = (&low[0][0])[row * 4 + e], b = (&high[0][0])[row * 4 + e];
            const float want = bounds ? (a + b) * 0.5f + (b - a) * 0.5f * u[e] : u[e];
            assert_true(got[root][k][row][e] == want);
        }
    }
}

/* ---- drawn numbers against the same numbers given ---- */

static void assert_same_as_given(const carom_worlds *roots, const carom_rollout_desc *desc, const double *want)
{
    static double got[W * K * PLAYERS];
    OK(carom_rollout(roots, desc, got, NULL, NULL));
    assert_memory_equal(got, want, sizeof got);
}

TEST(test_given_the_same)
{
    static unsigned char given[PLAYERS][W * K * H * MOST * sizeof(double)];
    static unsigned char held[W * K * H * MOST * sizeof(double)];
    static double want[W * K * PLAYERS];
    static const carom_source sources[] = {CAROM_GAUSSIAN, CAROM_UNIFORM, CAROM_DRAWN};
    for (size_t run = 0; run < 12; run++) {
        const carom_source source = sources[run % 3];
        const size_t hold = 1 + run % 4, kind = source == CAROM_DRAWN ? NORMALISED : run % KINDS;
        const carom_action_kind k = kind_of(kind);
        const size_t row = row_bytes(kind);
        const carom_precision precision = run % 2 ? CAROM_F32 : CAROM_F64;
        carom_worlds *roots = make_roots(precision, CAROM_ISA_SCALAR, 1, run, W);
        fill(H, k.size);
        const carom_rollout_desc desc = describe(source, kind, hold, run % 5 != 0);
        carom_rollout_desc same = desc;
        for (unsigned p = 0; p < PLAYERS; p++) {
            const size_t times = p == 0 ? hold : 1, rows = (H + times - 1) / times;
            OK(carom_rollout_draws(roots, &desc, p, NULL, K, held));
            for (size_t n = 0; n < W * K * H; n++) {
                memcpy(given[p] + n * row, held + (n / H * rows + n % H / times) * row, row);
            }
            same.players[p].source = CAROM_GIVEN;
            same.players[p].actions = given[p];
            same.players[p].hold = 0;
        }
        OK(carom_rollout(roots, &same, want, NULL, NULL));
        /* Given numbers are held, too. */
        OK(carom_rollout_draws(roots, &desc, 0, NULL, K, held));
        same.players[0].actions = held;
        same.players[0].hold = hold;
        assert_same_as_given(roots, &same, want);
        carom_worlds_destroy(roots);
        for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
            for (unsigned threads = 1; threads <= 3 && carom_isa_usable(isa); threads++) {
                roots = make_roots(precision, isa, threads, run, W);
                assert_same_as_given(roots, &desc, want);
                carom_worlds_destroy(roots);
            }
        }
    }
}

/* ---- elites ---- */

/* The next-best sequence after `last` (none: K), by linear search. */
static uint32_t next_best(const double *returns, uint32_t last)
{
    uint32_t best = K;
    for (uint32_t k = 0; k < K; k++) {
        const double at = returns[k * PLAYERS];
        const bool later = last == K || at < returns[last * PLAYERS] || (at == returns[last * PLAYERS] && k > last);
        if (later && (best == K || at > returns[best * PLAYERS])) {
            best = k;
        }
    }
    return best;
}

static void assert_elites(const carom_worlds *roots, carom_rollout_desc *desc, size_t count)
{
    static double returns[W][K][PLAYERS];
    static uint32_t best[W * K];
    static float numbers[W][K][H][4], centre[W][H][4], spread[W][H][4];
    const unsigned player = desc->elites.player;
    OK(carom_rollout_draws(roots, desc, player, NULL, K, numbers));
    desc->elites.count = count;
    desc->elites.best = best;
    desc->elites.mean = &centre[0][0][0];
    desc->elites.sigma = &spread[0][0][0];
    OK(carom_rollout(roots, desc, **returns, NULL, NULL));
    for (size_t root = 0; root < W; root++) {
        uint32_t last = K;
        double sum[H][4] = {{0}}, squares[H][4] = {{0}};
        for (size_t i = 0; i < count; i++) {
            last = next_best(&returns[root][0][player], last);
            assert_int_equal(best[root * count + i], last);
        }
        for (int pass = 0; pass < 2; pass++) {
            for (size_t n = 0; n < count * H * 4; n++) {
                const size_t t = n / 4 % H, e = n % 4;
                const double x = (double)numbers[root][best[root * count + n / (H * 4)]][t][e];
                const double far = x - sum[t][e] / (double)count;
                *(pass == 0 ? &sum[t][e] : &squares[t][e]) += pass == 0 ? x : far * far;
            }
        }
        for (size_t n = 0; n < H * 4; n++) {
            const double m = sum[n / 4][n % 4] / (double)count, s = sqrt(squares[n / 4][n % 4] / (double)count);
            assert_true(fabs((double)centre[root][n / 4][n % 4] - m) < 1e-6);
            assert_true(fabs((double)spread[root][n / 4][n % 4] - s) < 1e-6);
        }
    }
}

TEST(test_elites)
{
    static const size_t counts[] = {1, 2, 16, 17, K - 1, K};
    carom_worlds *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 3, W); /* some time out, some are over: ties */
    fill(H, 4);
    for (size_t k = 0; k < 6; k++) {
        carom_rollout_desc desc = describe(CAROM_GAUSSIAN, NORMALISED, 1, k % 2);
        desc.elites.player = k % 2;
        assert_elites(roots, &desc, counts[k]);
    }
    carom_worlds_destroy(roots);
}

/* Generations in place, on every instruction set: the same bits, and better. */
TEST(test_generations)
{
    static float first[W][H][4], now[2][W][H][4];
    static uint32_t best[W][8];
    static double returns[W][K][PLAYERS];
    for (int f64 = 0; f64 < 2; f64++) {
        bool known = false;
        for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
            for (unsigned threads = 1; threads <= 2 && carom_isa_usable(isa); threads++) {
                OWNED(carom_worlds) *roots = make_roots(f64 ? CAROM_F64 : CAROM_F32, isa, threads, 0, W);
                carom_rollout_desc desc = describe(CAROM_GAUSSIAN, NORMALISED, 1, false);
                double begun = 0, ended = 0;
                for (size_t n = 0; n < W * H * 4; n++) {
                    (&now[0][0][0][0])[n] = 0;
                    (&now[1][0][0][0])[n] = 0.6f;
                }
                desc.players[1].source = CAROM_ZERO;
                desc.players[0].mean = &now[0][0][0][0];
                desc.players[0].sigma = &now[1][0][0][0];
                desc.elites.count = 8;
                desc.elites.best = *best;
                desc.elites.mean = &now[0][0][0][0];
                desc.elites.sigma = &now[1][0][0][0];
                for (uint64_t generation = 0; generation < 6; generation++) {
                    desc.seed = generation;
                    OK(carom_rollout(roots, &desc, **returns, NULL, NULL));
                    for (size_t q = 0; q < W * K; q++) {
                        *(generation == 0 ? &begun : &ended) +=
                            generation == 0 || generation == 5 ? (&returns[0][0][0])[q * PLAYERS] : 0;
                    }
                }
                assert_true(ended > begun + 5);
                if (!known) {
                    memcpy(first, now[0], sizeof first);
                    known = true;
                }
                assert_memory_equal(first, now[0], sizeof first);
            }
        }
    }
}

/* With one elite the mean equals its numbers, for every source, including given doubles. */
TEST(test_elites_of_given)
{
    static double given[W][K][H][MOST];
    static float centre[W][H][MOST];
    uint32_t best[W];
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    carom_rollout_desc desc = describe(CAROM_ZERO, REFEREE, 1, false);
    for (size_t n = 0; n < W * K * H * MOST; n++) {
        (&given[0][0][0][0])[n] = n % 3 == 2 ? 100 : (double)(n * 7919 % 16000);
    }
    desc.players[0].source = CAROM_GIVEN;
    desc.players[0].actions = given;
    desc.elites.count = 1;
    desc.elites.best = best;
    desc.elites.mean = &centre[0][0][0];
    OK(carom_rollout(roots, &desc, NULL, NULL, NULL));
    for (size_t n = 0; n < W * H * MOST; n++) {
        const size_t root = n / (H * MOST);
        assert_true((double)(&centre[0][0][0])[n] == (&given[root][best[root]][0][0])[n % (H * MOST)]);
    }
}

/* The best few of many, of which the library looks at a sample first: of drawn sequences, and of two kinds of which the
 * sample (every 15th) holds one alone, so that it misleads. */
TEST(test_few_of_many)
{
    enum { MANY = 1000, FEW = 70 };
    static float given[MANY][2][4];
    static double returns[MANY][PLAYERS];
    uint32_t best[FEW];
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, 1);
    for (int sample = -1; sample <= 1; sample++) {
        carom_rollout_desc desc = describe(sample == 0 ? CAROM_UNIFORM : CAROM_ZERO, NORMALISED, 1, false);
        desc.sequences = MANY;
        desc.horizon = 2;
        for (size_t k = 0; k < MANY && sample != 0; k++) {
            const float thrust = k % 15 == 0 ? (float)sample * 0.5f : (float)sample * -0.5f;
            for (size_t tick = 0; tick < 2; tick++) {
                given[k][tick][1] = given[k][tick][3] = thrust;
            }
            desc.players[0].source = CAROM_GIVEN;
            desc.players[0].actions = given;
        }
        desc.elites.count = FEW;
        desc.elites.best = best;
        OK(carom_rollout(roots, &desc, *returns, NULL, NULL));
        for (size_t i = 0; i < FEW; i++) {
            size_t before = 0;
            for (size_t k = 0; k < MANY; k++) {
                const double at = returns[k][0], of = returns[best[i]][0];
                before += at > of || (at == of && k < best[i]);
            }
            assert_int_equal(before, i);
        }
        assert_true(sample == 0 || returns[0][0] != returns[1][0]);
    }
}

/* ---- refusals ---- */

TEST(test_refused)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 1, 0, W);
    static double returns[W * K * PLAYERS];
    static float numbers[W * K * H * 4];
    uint32_t best[W * K];
    fill(H, 4);
#define REFUSED(status, change)                                                                                        \
    do {                                                                                                               \
        carom_rollout_desc desc = describe(CAROM_GAUSSIAN, NORMALISED, 1, true);                                       \
        desc.elites.count = 3;                                                                                         \
        desc.elites.best = best;                                                                                       \
        best[0] = 77;                                                                                                  \
        returns[0] = 42;                                                                                               \
        numbers[0] = 42;                                                                                               \
        change;                                                                                                        \
        assert_int_equal(carom_rollout(roots, &desc, returns, NULL, NULL), status);                                    \
        assert_int_equal(carom_rollout_draws(roots, &desc, 0, NULL, K, numbers), status);                              \
        assert_true(returns[0] == 42 && best[0] == 77 && numbers[0] == 42);                                            \
    } while (0)
    REFUSED(CAROM_ERROR_ARGUMENT, desc.players[1].mean = NULL);
    REFUSED(CAROM_ERROR_ARGUMENT, desc.players[1].sigma = NULL);
    REFUSED(CAROM_ERROR_ARGUMENT, desc.players[0].low = NULL);
    REFUSED(CAROM_ERROR_ARGUMENT, desc.players[0].high = NULL);
    REFUSED(CAROM_ERROR_ARGUMENT, desc.elites.count = K + 1);
    REFUSED(CAROM_ERROR_ARGUMENT, desc.elites.best = NULL);
    REFUSED(CAROM_ERROR_ARGUMENT, desc.elites.player = PLAYERS);
    REFUSED(CAROM_ERROR_ARGUMENT, desc.players[0].source = CAROM_ZERO);
    REFUSED(CAROM_ERROR_ARGUMENT, desc.players[0].source = CAROM_POLICY);
    float *const places[] = {&(&mean[0][0][0])[W * H * 4 - 1], &sigma[0][0][1], &(&low[0][0])[H * 4 - 1], &high[0][1]};
    for (size_t k = 0; k < 4; k++) {
        float *at = places[k];
        const float old = *at;
        *at = NAN;
        REFUSED(CAROM_ERROR_VALUE, (void)0);
        *at = INFINITY;
        REFUSED(CAROM_ERROR_VALUE, (void)0);
        *at = old;
    }
    sigma[0][0][0] = -0.1f;
    REFUSED(CAROM_ERROR_VALUE, (void)0);
    sigma[0][0][0] = 0;
    low[0][0] = 0.9f;
    REFUSED(CAROM_ERROR_VALUE, (void)0);
    fill(H, 4);
#undef REFUSED
    const carom_rollout_desc good = describe(CAROM_GAUSSIAN, NORMALISED, 1, true);
    assert_int_equal(carom_rollout_draws(NULL, &good, 0, NULL, K, numbers), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_draws(roots, NULL, 0, NULL, K, numbers), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_draws(roots, &good, PLAYERS, NULL, K, numbers), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_draws(roots, &good, 0, NULL, 0, numbers), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_draws(roots, &good, 0, NULL, SIZE_MAX, numbers), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_draws(roots, &good, 0, NULL, K, NULL), CAROM_ERROR_ARGUMENT);
}

SET_UP
{
    set_up_samples();
}
