/* SPDX-License-Identifier: MIT
 * Rollouts: against the plain rollout of rollout_plain.h, on every instruction set and number of threads; the draws;
 * errors; cancelling.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* setitimer */
#endif

#include <fenv.h>
#include <signal.h>
#include <sys/time.h>

#include "rollout_plain.h"

/* ---- carom_rollout against it ---- */

static void assert_best(const double *returns, size_t sequences, size_t root, const uint32_t best[PLAYERS])
{
    for (size_t p = 0; p < PLAYERS; p++) {
        const double greatest = returns[(root * sequences + best[p]) * PLAYERS + p];
        for (size_t k = 0; k < sequences; k++) {
            const double other = returns[(root * sequences + k) * PLAYERS + p];
            assert_true(k < best[p] ? other < greatest : other <= greatest);
        }
    }
}

static void assert_rolls(const carom_worlds *roots, const carom_rollout_desc *given, const plain *want)
{
    const size_t count = carom_worlds_count(roots), total = count * given->sequences;
    FREED double *returns = take(total * PLAYERS * sizeof *returns);
    FREED uint32_t *best = take(count * PLAYERS * sizeof *best);
    uint64_t *hashes = take(2 * total * sizeof *hashes), progress = 0;
    OWNED(carom_worlds) *finals =
        make(carom_worlds_describe(roots).precision, CAROM_ISA_DEFAULT, 2, total, CAROM_PLAY_ON);
    const uint64_t before = digest_of(roots);
    carom_rollout_desc desc = *given;
    desc.progress = &progress;
    OK(carom_rollout(roots, &desc, returns, best, finals));
    assert_memory_equal(returns, want->returns, total * PLAYERS * sizeof *returns);
    assert_int_equal(progress, total);
    assert_true(digest_of(roots) == before);
    OK(carom_worlds_hash(finals, 0, total, hashes));
    OK(carom_worlds_hash(want->finals, 0, total, hashes + total));
    assert_memory_equal(hashes, hashes + total, total * sizeof *hashes);
    for (size_t q = 0; q < total; q++) {
        assert_true(id_of(finals, q) == UINT64_C(0x100000000) + q);
    }
    for (size_t root = 0; root < count; root++) {
        assert_best(returns, desc.sequences, root, best + root * PLAYERS);
    }
    /* best alone is the same */
    FREED uint32_t *alone = take(count * PLAYERS * sizeof *alone);
    OK(carom_rollout(roots, &desc, NULL, alone, NULL));
    assert_memory_equal(alone, best, count * PLAYERS * sizeof *best);
    free(hashes);
}

static void assert_best_actions(const carom_worlds *roots, const carom_rollout_desc *desc, const plain *want)
{
    const size_t count = carom_worlds_count(roots), bytes = row_bytes(desc->action_kind);
    unsigned char *actions = take(count * bytes), *expected = take(bytes);
    uint32_t best[ROOTS];
    double value[ROOTS];
    for (unsigned p = 0; p < PLAYERS; p++) {
        OK(carom_rollout_best(roots, desc, p, actions, best, value));
        for (size_t root = 0; root < count; root++) {
            size_t k = 0;
            for (size_t other = 1; other < desc->sequences; other++) {
                const double *at = want->returns + root * desc->sequences * PLAYERS + p;
                k = at[other * PLAYERS] > at[k * PLAYERS] ? other : k;
            }
            assert_int_equal(best[root], k);
            assert_memory_equal(&value[root], &want->returns[(root * desc->sequences + k) * PLAYERS + p],
                                sizeof(double));
            action_of(desc, root, id_of(roots, root), k, 0, p, expected);
            assert_memory_equal(actions + root * bytes, expected, bytes);
        }
        OK(carom_rollout_best(roots, desc, p, actions, NULL, NULL));
    }
    free(actions);
    free(expected);
}

static const unsigned all_threads[] = {1, 2, 7};

/* One scenario on every instruction set and number of threads; adds up what happened. */
static void run_scenario(const scenario *s, carom_precision precision, size_t first, size_t *over, size_t *faults)
{
    void *owned[PLAYERS];
    const carom_rollout_desc desc = desc_of(s, owned);
    carom_worlds *roots = make_roots(precision, CAROM_ISA_SCALAR, 1, first, s->roots);
    plain want = roll_plainly(roots, &desc);
    *over += want.over;
    *faults += want.faults;
    assert_best_actions(roots, &desc, &want);
    carom_worlds_destroy(roots);
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        for (size_t t = 0; t < 3 && carom_isa_usable(isa); t++) {
            roots = make_roots(precision, isa, all_threads[t], first, s->roots);
            assert_rolls(roots, &desc, &want);
            carom_worlds_destroy(roots);
        }
    }
    plain_free(&want);
    free(owned[0]);
    free(owned[1]);
}

TEST(test_against_plain_play)
{
    static const size_t shapes[][3] = {{1, 1, 1}, {1, 16, 6},  {1, 17, 8},  {2, 100, 5}, {3, 16, 1},
                                       {5, 1, 9}, {17, 5, 10}, {40, 1, 12}, {40, 17, 4}, {3, 64, 2}}; /* roots, K, H */
    static const carom_source sources[][PLAYERS] = {{CAROM_GIVEN, CAROM_GIVEN},     {CAROM_GIVEN, CAROM_BROADCAST},
                                                    {CAROM_BROADCAST, CAROM_GIVEN}, {CAROM_DRAWN, CAROM_DRAWN},
                                                    {CAROM_BROADCAST, CAROM_DRAWN}, {CAROM_DRAWN, CAROM_GIVEN}};
    static const double discounts[] = {1, 0.9, 0}, weights[] = {1, 0, -0.5, 3};
    size_t over = 0, faults = 0, number = 0;
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        for (size_t source = 0; source < 6; source++, number++) {
            const bool drawn = sources[source][0] == CAROM_DRAWN || sources[source][1] == CAROM_DRAWN;
            const scenario s = {shapes[shape][0],
                                shapes[shape][1],
                                shapes[shape][2],
                                {sources[source][0], sources[source][1]},
                                drawn ? NORMALISED : (shape + source) % KINDS,
                                discounts[(shape + source / 2) % 3],
                                weights[(shape / 2 + source) % 4]};
            run_scenario(&s, (shape + source) % 2 ? CAROM_F64 : CAROM_F32, 5 * number, &over, &faults);
        }
    }
    /* Every discount with every weight. */
    for (size_t k = 0; k < 12; k++, number++) {
        const scenario s = {
            13, 20, 6, {sources[k % 6][0], sources[k % 6][1]}, NORMALISED, discounts[k % 3], weights[k / 3]};
        run_scenario(&s, k / 6 ? CAROM_F64 : CAROM_F32, 3 * k, &over, &faults);
    }
    assert_true(over > 200);
    assert_true(faults > 200);
}

/* A game that ends on the way no longer changes, and its later rewards are 0. */
TEST(test_end_within_the_horizon)
{
    for (int f64 = 0; f64 < 2; f64++) {
        carom_worlds *roots =
            make_roots(f64 ? CAROM_F64 : CAROM_F32, CAROM_ISA_DEFAULT, 2, 27, 2); /* timeout, finish */
        OWNED(carom_worlds) *finals = make(f64 ? CAROM_F64 : CAROM_F32, CAROM_ISA_DEFAULT, 2, 2, CAROM_RESET);
        carom_rollout_desc desc = carom_rollout_desc_default(csb);
        double returns[2][2][PLAYERS];
        uint64_t ended[2], later[2];
        int8_t frozen[2], end[2];
        for (int k = 0; k < 2; k++) {
            desc.horizon = k == 0 ? 5 : 50;
            desc.final_weight = 0;
            OK(carom_rollout(roots, &desc, &returns[k][0][0], NULL, finals));
            OK(carom_worlds_hash(finals, 0, 2, k == 0 ? ended : later));
        }
        OK(carom_worlds_get(finals, field_index(finals, "frozen"), 0, 2, frozen));
        OK(carom_worlds_get(finals, field_index(finals, "end"), 0, 2, end));
        for (int root = 0; root < 2; root++) {
            assert_int_equal(frozen[root], 1);
            assert_int_equal(end[root], CAROM_TERMINATED);
            assert_true(ended[root] == later[root]);
        }
        assert_memory_equal(returns[0], returns[1], sizeof returns[0]);
        assert_true(returns[0][0][0] < -0.5 && returns[0][0][1] > 0.5); /* player 0 is late */
        assert_true(returns[0][1][0] > 1.9 && returns[0][1][1] < 0.1);  /* player 0 wins */
        carom_worlds_destroy(roots);
    }
}

TEST(test_floating_point_environment)
{
    NOT_ON_WEB(); /* rounds to nearest only */
    const scenario s = {7, 9, 6, {CAROM_DRAWN, CAROM_BROADCAST}, NORMALISED, 0.9, 1};
    static const int rounding[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    void *owned[PLAYERS];
    const carom_rollout_desc desc = desc_of(&s, owned);
    for (size_t k = 0; k < 3; k++) {
        OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, all_threads[k], 0, s.roots);
        double want[7 * 9 * PLAYERS], got[7 * 9 * PLAYERS];
        float drawn[2][4];
        OK(carom_rollout(roots, &desc, want, NULL, NULL));
        OK(carom_rollout_draw(csb, 1, 2, 3, 4, 0, drawn[0]));
        assert_int_equal(fesetround(rounding[k]), 0);
        const carom_status status = carom_rollout(roots, &desc, got, NULL, NULL);
        const carom_status second = carom_rollout_draw(csb, 1, 2, 3, 4, 0, drawn[1]);
        assert_int_equal(fegetround(), rounding[k]);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        OK(status);
        OK(second);
        assert_memory_equal(want, got, sizeof want);
        assert_memory_equal(drawn[0], drawn[1], sizeof drawn[0]);
    }
    free(owned[0]);
    free(owned[1]);
}

/* ---- the draws ---- */

TEST(test_drawn_numbers)
{
    /* Promised by the library: they may change only with the definition of the draws. */
    static const struct {
        uint64_t seed, id;
        uint32_t k, tick, player;
        float numbers[4];
    } golden[] = {
        {0, 0, 0, 0, 0, {0x1.ace54p-4f, -0x1.8d9bccp-1f, -0x1.fc5278p-1f, 0x1.32c13cp-1f}},
        {1, UINT64_C(0x123456789abcdef0), 3, 5, 1, {-0x1.fcb7b8p-2f, -0x1.e1747p-1f, 0x1.fe1548p-2f, 0x1.0346cp-2f}},
        {UINT64_MAX,
         UINT64_MAX,
         UINT32_MAX,
         UINT32_MAX,
         1,
         {-0x1.45fb4p-1f, -0x1.10cc5cp-1f, 0x1.4511a4p-1f, 0x1.2ca9c8p-1f}},
    };
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        float got[4];
        OK(carom_rollout_draw(csb, golden[i].seed, golden[i].id, golden[i].k, golden[i].tick, golden[i].player, got));
        for (int e = 0; e < 4; e++) {
            if (got[e] != golden[i].numbers[e]) {
                fail_msg("golden %zu: %af, %af, %af, %af", i, (double)got[0], (double)got[1], (double)got[2],
                         (double)got[3]);
            }
        }
    }
}

/* Every part of the name matters, and the numbers fill [-1, 1) evenly. */
TEST(test_drawn_distribution)
{
    float one[4], other[4];
    OK(carom_rollout_draw(csb, 9, 8, 7, 6, 0, one));
    for (int part = 0; part < 7; part++) {
        OK(carom_rollout_draw(csb, 9 + (part == 0) + (part == 1 ? UINT64_C(1) << 32 : 0),
                              8 + (part == 2) + (part == 3 ? UINT64_C(1) << 32 : 0), 7 + (part == 4), 6 + (part == 5),
                              part == 6, other));
        for (int e = 0; e < 4; e++) {
            assert_true(one[e] != other[e]);
        }
    }
    assert_true(one[0] != one[1] && one[1] != one[2] && one[2] != one[3]);
    const int count = 20000;
    double sum[4] = {0, 0, 0, 0}, squares[4] = {0, 0, 0, 0}, neighbours = 0;
    int bins[16] = {0};
    for (int k = 0; k < count; k++) {
        float now[4];
        OK(carom_rollout_draw(csb, 3, 14, (uint32_t)k, (uint32_t)k % 6, (uint32_t)k % 2, now));
        for (int e = 0; e < 4; e++) {
            assert_true(now[e] >= -1 && now[e] < 1);
            assert_true((double)now[e] * 8388608 == floor((double)now[e] * 8388608)); /* 24 bits */
            sum[e] += (double)now[e];
            squares[e] += (double)now[e] * (double)now[e];
            bins[(int)((now[e] + 1) * 8)]++;
        }
        neighbours += (double)now[0] * (double)now[1];
    }
    /* Within five standard deviations. */
    for (int e = 0; e < 4; e++) {
        assert_true(fabs(sum[e] / count) < 5 * sqrt(1.0 / 3 / count));
        assert_true(fabs(squares[e] / count - 1.0 / 3) < 5 * sqrt(4.0 / 45 / count));
    }
    assert_true(fabs(neighbours / count) < 5.0 / 3 / sqrt(count));
    for (int b = 0; b < 16; b++) {
        assert_true(abs(bins[b] - count / 4) < 5 * sqrt(count / 4.0));
    }
}

/* A rollout of drawn numbers equals one with the same numbers given. */
TEST(test_drawn_equals_given)
{
    enum { R = 4, K = 9, H = 5 };
    static float given[PLAYERS][R][K][H][4];
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, R);
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    desc.sequences = K;
    desc.horizon = H;
    desc.seed = 31;
    double drawn[R][K][PLAYERS], same[R][K][PLAYERS];
    OK(carom_rollout(roots, &desc, **drawn, NULL, NULL));
    for (uint32_t p = 0; p < PLAYERS; p++) {
        for (uint32_t q = 0; q < R * K * H; q++) {
            OK(carom_rollout_draw(csb, 31, id_of(roots, q / H / K), q / H % K, q % H, p,
                                  given[p][q / H / K][q / H % K][q % H]));
        }
        desc.players[p].source = CAROM_GIVEN;
        desc.players[p].actions = given[p];
    }
    desc.seed = 0;
    OK(carom_rollout(roots, &desc, **same, NULL, NULL));
    assert_memory_equal(drawn, same, sizeof drawn);
}

/* ---- refusals ---- */

static void assert_refused(const carom_worlds *roots, const carom_rollout_desc *desc, carom_status want)
{
    double returns[8] = {42, 42, 42, 42, 42, 42, 42, 42};
    uint32_t best[8] = {42, 42, 42, 42, 42, 42, 42, 42};
    assert_int_equal(carom_rollout(roots, desc, returns, best, NULL), want);
    for (int i = 0; i < 8; i++) {
        assert_true(returns[i] == 42);
        assert_int_equal(best[i], 42);
    }
    float actions[8] = {42};
    assert_int_equal(carom_rollout_best(roots, desc, 0, actions, best, returns), want);
    assert_true(actions[0] == 42 && best[0] == 42 && returns[0] == 42);
}

TEST(test_refused)
{
    carom_worlds *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, 2);
    const carom_rollout_desc good = carom_rollout_desc_default(csb);
    double returns[4];
    assert_int_equal(good.sequences, 1);
    assert_int_equal(good.horizon, 1);
    assert_int_equal(good.action_kind, NORMALISED);
    assert_true(good.discount == 1 && good.final_weight == 1);
    assert_int_equal(good.players[1].source, CAROM_DRAWN);
#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        carom_rollout_desc desc = good;                                                                                \
        desc.change;                                                                                                   \
        assert_refused(roots, &desc, CAROM_ERROR_ARGUMENT);                                                            \
    } while (0)
    REFUSED(size = 0);
    REFUSED(size = sizeof good - 1);
    REFUSED(sequences = 0);
    REFUSED(sequences = (size_t)UINT32_MAX + 1);
    REFUSED(sequences = SIZE_MAX);
    REFUSED(horizon = 0);
    REFUSED(horizon = SIZE_MAX);
    REFUSED(action_kind = KINDS);
    REFUSED(action_kind = RELATIVE); /* which cannot be drawn */
    REFUSED(discount = -0.1);
    REFUSED(discount = 1.1);
    REFUSED(discount = (double)NAN);
    REFUSED(final_weight = (double)NAN);
    REFUSED(final_weight = (double)INFINITY);
    REFUSED(players[0].source = CAROM_GIVEN); /* with no actions */
    REFUSED(players[1].source = CAROM_BROADCAST);
#undef REFUSED
    carom_rollout_desc no_source = good;
    memset(&no_source.players[1].source, 3, sizeof no_source.players[1].source);
    assert_refused(roots, &no_source, CAROM_ERROR_ARGUMENT);
    assert_refused(NULL, &good, CAROM_ERROR_ARGUMENT);
    assert_refused(roots, NULL, CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout(roots, &good, NULL, NULL, NULL), CAROM_ERROR_ARGUMENT);

    /* finals that are the roots, of another number, precision or map */
    carom_worlds *three = make(CAROM_F64, CAROM_ISA_DEFAULT, 1, 3, CAROM_FREEZE);
    carom_worlds *narrow = make(CAROM_F32, CAROM_ISA_DEFAULT, 1, 2, CAROM_FREEZE);
    OWNED(carom_worlds) *elsewhere = MAKE_WORLDS(csb, .count = 2);
    carom_worlds *wrong[] = {roots, three, narrow, elsewhere};
    for (int i = 0; i < 4; i++) {
        const uint64_t before = digest_of(wrong[i]);
        assert_int_equal(carom_rollout(roots, &good, returns, NULL, wrong[i]), CAROM_ERROR_ARGUMENT);
        assert_true(digest_of(wrong[i]) == before);
    }

    float actions[8];
    assert_int_equal(carom_rollout_best(roots, &good, PLAYERS, actions, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_best(roots, &good, 0, NULL, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_draw(NULL, 0, 0, 0, 0, 0, actions), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_draw(csb, 0, 0, 0, 0, PLAYERS, actions), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_rollout_draw(csb, 0, 0, 0, 0, 0, NULL), CAROM_ERROR_ARGUMENT);
    carom_worlds_destroy(roots);
    carom_worlds_destroy(three);
    carom_worlds_destroy(narrow);
}

TEST(test_too_large)
{
    NOT_ON_WEB(); /* needs sizes of 64 bits */
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, ROOTS);
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    uint32_t best[ROOTS * PLAYERS];
    desc.sequences = UINT32_MAX;
    desc.horizon = UINT32_MAX; /* 40 x 2^64 numbers */
    assert_int_equal(carom_rollout(roots, &desc, NULL, best, NULL), CAROM_ERROR_ARGUMENT);
    desc.horizon = 1; /* 2.7 TB of returns */
    assert_int_equal(carom_rollout(roots, &desc, NULL, best, NULL), CAROM_ERROR_MEMORY);
    float actions[ROOTS][4];
    assert_int_equal(carom_rollout_best(roots, &desc, 0, actions, NULL, NULL), CAROM_ERROR_MEMORY);
}

/* ---- cancelling ---- */

static volatile int raised;

static void on_alarm(int number)
{
    (void)number;
    raised = 1;
}

TEST(test_cancel)
{
    NOT_ON_WEB(); /* nothing interrupts a call */
    for (int f64 = 0; f64 < 2; f64++) {
        OWNED(carom_worlds) *roots = make_roots(f64 ? CAROM_F64 : CAROM_F32, CAROM_ISA_DEFAULT, f64 ? 2 : 1, 0, 2);
        const uint64_t before = digest_of(roots);
        FREED double *returns = take(sizeof *returns * 2000 * PLAYERS);
        uint64_t progress = 0;
        carom_rollout_desc desc = carom_rollout_desc_default(csb);
        desc.sequences = 1000;
        desc.cancel = &raised;
        desc.progress = &progress;
        raised = 1;
        assert_int_equal(carom_rollout(roots, &desc, returns, NULL, NULL), CAROM_ERROR_CANCELLED);
        assert_int_equal(progress, 0);
        float actions[2][4] = {{42}};
        assert_int_equal(carom_rollout_best(roots, &desc, 0, actions, NULL, NULL), CAROM_ERROR_CANCELLED);
        assert_true(actions[0][0] == 42);
        /* Longer than anyone would wait. */
        const struct itimerval soon = {{0, 0}, {0, 100000}};
        raised = 0;
        desc.horizon = UINT32_MAX;
        assert_true(signal(SIGALRM, on_alarm) != SIG_ERR);
        assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
        assert_int_equal(carom_rollout(roots, &desc, returns, NULL, NULL), CAROM_ERROR_CANCELLED);
        assert_int_equal(progress, 0);
        assert_true(digest_of(roots) == before);
        /* Not raised: it runs to its end. */
        raised = 0;
        desc.horizon = 3;
        OK(carom_rollout(roots, &desc, returns, NULL, NULL));
        assert_int_equal(progress, 2000);
    }
}

SET_UP
{
    set_up_samples();
}
