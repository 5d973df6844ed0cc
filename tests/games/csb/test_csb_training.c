/* SPDX-License-Identifier: MIT
 * csb's options for training and the kind of action `normalised_full`, in both precisions and on every instruction set.
 */
#include "csb_batch.h"

#define WORLDS 40
#define TICKS 60

typedef struct subject {
    carom_precision precision;
    carom_isa isa;
} subject;

static carom_worlds *make(const subject *s, const carom_csb_options *options, carom_at_end at_end)
{
    return MAKE_WORLDS(carom_game_find("csb"), .options = options, .count = WORLDS, .precision = s->precision,
                       .isa = s->isa, .seed = 6, .threads = 2, .at_end = at_end);
}

static void for_all(void (*test)(const subject *s))
{
    for (size_t k = 0; k < 2 * isa_count; k++) {
        const subject s = {k % 2 ? CAROM_F64 : CAROM_F32, isas[k / 2]};
        test(&s);
    }
}

static carom_step by_policies(size_t first, size_t second)
{
    carom_step step = carom_step_default();
    step.players[0].source = step.players[1].source = CAROM_POLICY;
    step.players[0].policy = first;
    step.players[1].policy = second;
    return step;
}

/* Reals of either precision as doubles. */
static void get_reals(const carom_worlds *worlds, const char *name, double (*to)[PODS])
{
    static double values[WORLDS][PODS];
    get_field(worlds, name, 0, WORLDS, values);
    for (size_t k = 0; k < WORLDS * PODS; k++)
        to[k / PODS][k % PODS] = carom_worlds_describe(worlds).precision == CAROM_F32
                                     ? (double)((float *)(void *)values)[k]
                                     : ((double *)(void *)values)[k];
}

static void set_reals(carom_worlds *worlds, const char *name, double (*from)[PODS])
{
    static float singles[WORLDS][PODS];
    const bool f32 = carom_worlds_describe(worlds).precision == CAROM_F32;
    for (size_t k = 0; k < WORLDS * PODS; k++)
        singles[k / PODS][k % PODS] = (float)from[k / PODS][k % PODS];
    set_field(worlds, name, 0, WORLDS, f32 ? (void *)singles : (void *)from);
}

/* ---- observations ---- */

/* A step's outputs equal those read after it. Worlds that first skip a tick or more end their games, and start others,
 * at other times than their neighbours. */
TEST_BY(for_all, test_seen, const subject *s)
{
    static float seen[WORLDS][2][CAROM_CSB_OBSERVATION], again[WORLDS][2][CAROM_CSB_OBSERVATION];
    static uint8_t skip[WORLDS];
    carom_csb_options options = carom_csb_options_default();
    options.ticks = 9;
    OWNED(carom_worlds) *worlds = make(s, &options, CAROM_RESET);
    carom_step step = by_policies(0, 1);
    step.observations = seen[0][0];
    step.skip = skip;
    for (int t = 0; t < TICKS; t++) {
        for (int w = 0; w < WORLDS; w++)
            skip[w] = t < 6 && (w * 7 >> t & 1) != 0;
        play_worlds(worlds, &step);
        must(carom_worlds_observe(worlds, again[0][0]), "observe");
        assert_memory_equal(seen, again, sizeof seen);
    }
}

/* In f32 numbers are quotients to the bit, those of fractions too, and -0 stays -0. */
TEST_BY(for_all, test_quotients, const subject *s)
{
    static const struct {
        const char *field;
        float scale;
    } numbers[] = {{"x", 16000}, {"y", 9000}, {"vx", 1000}, {"vy", 1000}};
    static float seen[WORLDS][2][CAROM_CSB_OBSERVATION];
    static double given[WORLDS][PODS];
    uint32_t random = 5;
    if (s->precision == CAROM_F64)
        return;
    OWNED(carom_worlds) *worlds = make(s, NULL, CAROM_RESET);
    for (int round = 0; round < 300; round++)
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            for (int w = 0; w < WORLDS; w++)
                for (int i = 0; i < PODS; i++) {
                    random = random * 1664525u + 1013904223u;
                    given[w][i] = w == 0 ? -0.0 : (double)(float)ldexp((int32_t)random, -14 - (int)(random >> 8 & 15));
                    if (round >= 200 && w == 1) /* tiny, subnormal numbers among them */
                        given[w][i] = (double)(float)ldexp((int32_t)random, -160 + (int)(random >> 8 & 63));
                }
            set_reals(worlds, numbers[k].field, given);
            must(carom_worlds_observe(worlds, seen[0][0]), "observe");
            for (int w = 0; w < WORLDS; w++)
                for (int i = 0; i < PODS; i++) {
                    const float found = seen[w][0][i * CAROM_CSB_OBSERVATION_POD + (int)k];
                    const float wanted = (float)given[w][i] / numbers[k].scale;
                    assert_memory_equal(&found, &wanted, sizeof found);
                }
        }
}

/* ---- bad values ---- */

#define REFUSE(member, value)                                                                                          \
    do {                                                                                                               \
        carom_csb_options bad = carom_csb_options_default();                                                           \
        bad.member = value;                                                                                            \
        desc.options = &bad;                                                                                           \
        assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_ARGUMENT);                                   \
        assert_null(worlds);                                                                                           \
        assert_int_equal(carom_worlds_bytes(&desc), 0);                                                                \
    } while (0)

TEST(test_bad)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("csb"));
    carom_worlds *worlds = NULL;
    REFUSE(ticks, 0);
    REFUSE(ticks, (1u << 30) + 1);
    REFUSE(fair_timeouts, 2);
    REFUSE(alone, 2);
    REFUSE(progress_reward, NAN);
    REFUSE(progress_reward, 1.1e6);
    REFUSE(checkpoint_reward, -INFINITY);
    REFUSE(result_reward, -1.1e6);
}

/* ---- the end ---- */

TEST_BY(for_all, test_limits, const subject *s)
{
    carom_csb_options options = carom_csb_options_default();
    static uint8_t ends[TICKS][WORLDS];
    static float seen[WORLDS][2][CAROM_CSB_OBSERVATION];
    options.ticks = 37;
    OWNED(carom_worlds) *worlds = make(s, &options, CAROM_PLAY_ON);
    carom_step step = by_policies(0, 0);
    step.ticks = TICKS;
    step.ends = ends[0];
    play_worlds(worlds, &step);
    must(carom_worlds_observe(worlds, seen[0][0]), "observe");
    for (int t = 0; t < TICKS; t++)
        for (int w = 0; w < WORLDS; w++)
            assert_int_equal(ends[t][w], t == 36 ? CAROM_TRUNCATED : 0);
    assert_true(seen[0][0][CAROM_CSB_OBSERVATION - 1] == (float)(TICKS / 37.0) ||
                s->precision == CAROM_F32); /* divided in the batch's precision */
}

/* Both out of time in the same tick. */
TEST_BY(for_all, test_fair, const subject *s)
{
    carom_csb_options options = carom_csb_options_default();
    for (uint32_t is_fair = 0; is_fair < 2; is_fair++) {
        options.fair_timeouts = is_fair;
        OWNED(carom_worlds) *worlds = make(s, &options, CAROM_FREEZE);
        static int16_t next[WORLDS][PODS], timeouts[WORLDS][2];
        static double x[WORLDS][PODS], y[WORLDS][PODS], cx[WORLDS][PODS], cy[WORLDS][PODS], still[WORLDS][PODS];
        carom_result results[WORLDS];
        for (int w = 0; w < WORLDS; w++) {
            timeouts[w][0] = timeouts[w][1] = 1;
            for (int i = 0; i < PODS; i++)
                next[w][i] = 2;
            if (w % 4 == 0)
                next[w][w / 4 % PODS] = 3;
        }
        set_field(worlds, "next", 0, WORLDS, next);
        set_field(worlds, "timeout", 0, WORLDS, timeouts);
        get_reals(worlds, "cx", cx);
        get_reals(worlds, "cy", cy);
        for (int w = 0; w < WORLDS; w++)
            for (int i = 0; i < PODS; i++) { /* far from each other and from all checkpoints, on one line */
                const int nearer = w % 4 == 1 ? 0 : w % 4 == 2 ? 3 : -1;
                x[w][i] = cx[w][i] + (i < 2 ? -1 : 1) * (40000 - (i == nearer) * 5000 + 2000 * (i % 2));
                y[w][i] = cy[w][i];
            }
        set_reals(worlds, "x", x);
        set_reals(worlds, "y", y);
        set_reals(worlds, "vx", still);
        carom_step step = carom_step_default(); /* no thrust */
        step.results = results;
        play_worlds(worlds, &step);
        for (int w = 0; w < WORLDS; w++) {
            const int ahead = w % 4 == 0 ? w / 4 % PODS / 2 : w % 4 == 1 ? 0 : w % 4 == 2 ? 1 : -1;
            assert_int_equal(results[w].ticks, 1);
            assert_int_equal(results[w].winner, is_fair ? ahead : 1);
        }
    }
}

/* Random play from both seats: the purpose of the option. */
TEST(test_seats)
{
    const subject s = {CAROM_F64, CAROM_ISA_DEFAULT};
    for (uint32_t is_fair = 0; is_fair < 2; is_fair++) {
        carom_csb_options options = carom_csb_options_default();
        options.fair_timeouts = is_fair;
        OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_game_find("csb"), .options = &options, .count = 1000,
                                                  .isa = s.isa, .at_end = CAROM_FREEZE);
        static int8_t winner[1000];
        size_t wins[2] = {0, 0};
        carom_step step = by_policies(1, 1);
        step.ticks = 500;
        play_worlds(worlds, &step);
        get_field(worlds, "winner", 0, 1000, winner);
        for (int w = 0; w < 1000; w++)
            if (winner[w] >= 0)
                wins[winner[w]]++;
        if (is_fair) /* four deviations */
            assert_true(wins[0] > 430 && wins[1] > 430);
        else
            assert_true(wins[0] < 200);
    }
}

/* ---- a time trial ---- */

TEST_BY(for_all, test_alone, const subject *s)
{
    carom_csb_options options = carom_csb_options_default();
    options.alone = 1;
    options.ticks = 120;
    OWNED(carom_worlds) *worlds = make(s, &options, CAROM_FREEZE), *same = make(s, &options, CAROM_FREEZE);
    double before[WORLDS][PODS], after[WORLDS][PODS];
    int8_t winner[WORLDS], end[WORLDS], boosted[WORLDS][PODS], won[WORLDS][PODS];
    int16_t next[WORLDS][PODS];
    size_t passed = 0, truncated = 0;
    get_reals(worlds, "x", before);
    carom_step step = by_policies(0, 0);
    step.ticks = 120;
    play_worlds(worlds, &step);
    step.players[1].policy = 2; /* whatever the other's actions */
    play_worlds(same, &step);
    assert_true(digest_of(worlds) == digest_of(same));
    get_reals(worlds, "x", after);
    get_field(worlds, "winner", 0, WORLDS, winner);
    get_field(worlds, "end", 0, WORLDS, end);
    get_field(worlds, "next", 0, WORLDS, next);
    get_field(worlds, "boosted", 0, WORLDS, boosted);
    get_field(worlds, "won", 0, WORLDS, won);
    for (int w = 0; w < WORLDS; w++) {
        assert_true(after[w][2] == before[w][2] && after[w][3] == before[w][3] && before[w][2] < -50000);
        assert_true(boosted[w][2] == 0 && next[w][3] == 1);
        passed += (size_t)(next[w][0] > 1);
        truncated += end[w] == CAROM_TRUNCATED;
        assert_int_equal(winner[w], end[w] == CAROM_TRUNCATED ? -1 : won[w][0] || won[w][1] ? 0 : 1);
    }
    assert_true(passed > WORLDS * 3 / 4 && truncated > WORLDS / 2);
}

/* ---- rewards ---- */

TEST_BY(for_all, test_weights, const subject *s)
{
    carom_csb_options options = carom_csb_options_default();
    static float plain[WORLDS][2], weighed[WORLDS][2], own[WORLDS][PODS];
    OWNED(carom_worlds) *usual = make(s, &options, CAROM_RESET);
    options.progress_reward = 0.5;
    options.checkpoint_reward = 4;
    options.result_reward = 16;
    OWNED(carom_worlds) *other = make(s, &options, CAROM_RESET), *third = make(s, &options, CAROM_RESET);
    int16_t timeouts[WORLDS][2];
    size_t passes = 0, ends = 0;
    for (int w = 0; w < WORLDS; w++) {
        timeouts[w][0] = (int16_t)(w % 5 == 0 ? 3 + w / 5 : 100);
        timeouts[w][1] = 100;
    }
    set_field(usual, "timeout", 0, WORLDS, timeouts);
    set_field(other, "timeout", 0, WORLDS, timeouts);
    set_field(third, "timeout", 0, WORLDS, timeouts);
    for (int t = 0; t < 100; t++) {
        int16_t before[WORLDS][PODS], after[WORLDS][PODS];
        int8_t won[WORLDS][PODS];
        uint8_t over[WORLDS];
        carom_step step = by_policies(0, 0);
        get_field(usual, "next", 0, WORLDS, before);
        step.rewards = plain[0];
        step.ends = over;
        play_worlds(usual, &step);
        get_field(usual, "next", 0, WORLDS, after);
        get_field(usual, "won", 0, WORLDS, won);
        step.rewards = weighed[0];
        play_worlds(other, &step);
        step.rewards = own[0];
        step.reward_kind = 2;
        play_worlds(third, &step);
        for (int w = 0; w < WORLDS; w++)
            for (int p = 0; p < 2; p++) {
                const int i = 2 * p, passed[2] = {after[w][i] - before[w][i], after[w][i + 1] - before[w][i + 1]};
                if (over[w]) {
                    /* Two equal progresses of 0.5 apart, and the stake of 16 for 1. */
                    assert_true(fabsf(weighed[w][p]) > 14);
                    ends++;
                    continue;
                }
                const double wanted = 0.5 * (double)plain[w][p] + 4.0 * (passed[0] + passed[1]);
                assert_true(fabs((double)weighed[w][p] - wanted) < 1e-5);
                passes += (size_t)(passed[0] + passed[1]);
                for (int k = 0; k < 2; k++)
                    assert_true(passed[k] == 0 ? fabsf(own[w][i + k]) < 0.5F : own[w][i + k] > 4);
            }
    }
    assert_true(passes > WORLDS && ends > 4);
}

/* How far pods have come, in the batch's precision, from the fields of the state; of each player the greater. */
static void get_ahead(const carom_worlds *worlds, double ahead[WORLDS][2])
{
    const bool f32 = carom_worlds_describe(worlds).precision == CAROM_F32;
    static double x[WORLDS][PODS], y[WORLDS][PODS], cx[WORLDS][PODS], cy[WORLDS][PODS];
    static int16_t next[WORLDS][PODS];
    static int8_t won[WORLDS][PODS];
    static int32_t map[WORLDS];
    get_reals(worlds, "x", x);
    get_reals(worlds, "y", y);
    get_reals(worlds, "cx", cx);
    get_reals(worlds, "cy", cy);
    get_field(worlds, "next", 0, WORLDS, next);
    get_field(worlds, "won", 0, WORLDS, won);
    get_field(worlds, "map", 0, WORLDS, map);
    for (int w = 0; w < WORLDS; w++)
        for (int i = 0; i < PODS; i++) {
            uint32_t n, laps;
            int32_t points[1024][2];
            double made;
            must(carom_csb_get_map(worlds, (uint32_t)map[w], &n, &laps, points, 1024), "carom_csb_get_map");
            if (f32) {
                const float dx = (float)cx[w][i] - (float)x[w][i], dy = (float)cy[w][i] - (float)y[w][i];
                const float far = sqrtf(dx * dx + dy * dy) / 20000;
                made = (double)((float)next[w][i] - (far < 1 ? far : 1));
            } else {
                const double dx = cx[w][i] - x[w][i], dy = cy[w][i] - y[w][i], far = sqrt(dx * dx + dy * dy) / 20000;
                made = next[w][i] - (far < 1 ? far : 1);
            }
            made = won[w][i] ? n * laps + 1.0 : made;
            ahead[w][i / 2] = i % 2 == 0 || made > ahead[w][i / 2] ? made : ahead[w][i / 2];
        }
}

/* Pods equally far along, or nearly so, on different paths; pods that have won, whatever their next checkpoint. */
static void place_ahead(carom_worlds *worlds, uint64_t *rng)
{
    static double x[WORLDS][PODS], y[WORLDS][PODS], cx[WORLDS][PODS], cy[WORLDS][PODS], vx[WORLDS][PODS];
    static int16_t next[WORLDS][PODS];
    static int8_t won[WORLDS][PODS];
    for (int w = 0; w < WORLDS; w++)
        for (int i = 0; i < PODS; i++) {
            const int way = w % 8;
            next[w][i] = (int16_t)(way < 3 ? 2 : way < 5 ? 1 + i % 2 : way == 5 ? 3 - i % 2 : 1 + rng_below(rng, 3));
            won[w][i] = way == 6 && rng_one_in(rng, 2);
        }
    set_field(worlds, "next", 0, WORLDS, next);
    set_field(worlds, "won", 0, WORLDS, won);
    get_reals(worlds, "cx", cx);
    get_reals(worlds, "cy", cy);
    for (int w = 0; w < WORLDS; w++)
        for (int i = 0; i < PODS; i++) {
            const double side = i % 2 == 0 ? 1 : -1, far = i < 2 ? 9000 : 30000;
            vx[w][i] = rng_below(rng, 400) - 200;
            switch (w % 8) {
            case 0: /* as far on both sides, and both drive as fast away: a tie after the tick, too */
                x[w][i] = cx[w][i] + side * far, y[w][i] = cy[w][i] + side * 4000, vx[w][i] = side * 100;
                break;
            case 1: /* a unit apart, which the root or the division may round away */
                x[w][i] = cx[w][i] + side * (i == 1 ? nextafter(far, 0) : far), y[w][i] = cy[w][i], vx[w][i] = side;
                break;
            case 2: /* around the distance that counts as a whole checkpoint */
                x[w][i] = cx[w][i] + side * 20000, y[w][i] = cy[w][i] + 3000 * (i / 2);
                break;
            case 3: /* on the checkpoint before, and as far as can be from the one after: the same progress */
                x[w][i] = cx[w][i] + (i % 2 == 0 ? 0 : 25000), y[w][i] = cy[w][i] + 70000 * (i / 2), vx[w][i] = 0;
                break;
            case 4: /* nearly so */
                x[w][i] = cx[w][i] + (i % 2 == 0 ? 1e-5 : 19999.99), y[w][i] = cy[w][i] + 70000 * (i / 2), vx[w][i] = 0;
                break;
            default:
                x[w][i] = cx[w][i] + rng_in(rng, -2e4, 2e4), y[w][i] = cy[w][i] + rng_in(rng, -2e4, 2e4);
                break;
            }
        }
    set_reals(worlds, "x", x);
    set_reals(worlds, "y", y);
    set_reals(worlds, "vx", vx);
}

/* The reward is the progress of the pod ahead, to the bit, in the first tick of a call and in those after it. */
TEST_BY(for_all, test_ahead, const subject *s)
{
    enum { CALL = 3 };
    static float rewards[CALL][WORLDS][2];
    static double progress[CALL + 1][WORLDS][2];
    uint64_t rng = 8;
    carom_csb_options options = carom_csb_options_default();
    options.result_reward = 0;
    for (int round = 0; round < 20; round++) {
        OWNED(carom_worlds) *worlds = make(s, &options, CAROM_PLAY_ON), *slow = make(s, &options, CAROM_PLAY_ON);
        place_ahead(worlds, &rng);
        must(carom_worlds_copy(slow, NULL, worlds, NULL, WORLDS), "copy");
        carom_step step = carom_step_default();
        get_ahead(slow, progress[0]);
        for (int t = 0; t < CALL; t++) {
            play_worlds(slow, &step);
            get_ahead(slow, progress[t + 1]);
        }
        step.ticks = CALL;
        step.rewards = rewards[0][0];
        play_worlds(worlds, &step);
        for (int t = 0; t < CALL; t++)
            for (int k = 0; k < 2 * WORLDS; k++) {
                const double now = progress[t + 1][k / 2][k % 2], before = progress[t][k / 2][k % 2];
                const float gained = s->precision == CAROM_F32 ? (float)now - (float)before : (float)(now - before);
                assert_true(rewards[t][k / 2][k % 2] == gained);
            }
    }
}

/* Rewards carried over between the ticks of a call are right for worlds that do not move, restart or fault: a call of
 * many steps equals as many calls. */
TEST_BY(for_all, test_carried, const subject *s)
{
    enum { STEPS = 30 };
    static const carom_at_end at_ends[] = {CAROM_RESET, CAROM_FREEZE, CAROM_PLAY_ON};
    static float once[STEPS * WORLDS * PODS], each[STEPS * WORLDS * PODS]; /* [STEPS][WORLDS][players or pods] */
    static double vx[WORLDS][PODS];
    int16_t timeouts[WORLDS][2];
    uint8_t skip[WORLDS];
    for (int w = 0; w < WORLDS; w++) {
        skip[w] = w % 7 == 3;
        timeouts[w][0] = (int16_t)(w % 3 == 0 ? 1 + w / 3 : 100);
        timeouts[w][1] = 100;
        vx[w][0] = w % 11 == 5 ? (s->precision == CAROM_F64 ? 1.3e8 : 2.6e5) : 0; /* out of the range */
    }
    for (int k = 0; k < 12; k++) {
        OWNED(carom_worlds) *a = make(s, NULL, at_ends[k / 4]), *b = make(s, NULL, at_ends[k / 4]);
        carom_step step = by_policies(0, 1);
        uint64_t digests[2];
        step.reward_kind = k % 2 == 0 ? 0 : 2;
        step.repeat = k / 2 % 2 == 0 ? 1 : 3;
        step.skip = skip;
        set_field(a, "timeout", 0, WORLDS, timeouts);
        set_reals(a, "vx", vx);
        must(carom_worlds_copy(b, NULL, a, NULL, WORLDS), "copy");
        step.ticks = STEPS;
        step.rewards = once;
        play_worlds(a, &step);
        const size_t width = (size_t)WORLDS * (k % 2 == 0 ? 2 : PODS);
        step.ticks = 1;
        for (size_t t = 0; t < STEPS; t++) {
            step.rewards = each + t * width;
            play_worlds(b, &step);
        }
        must(carom_worlds_digest(a, &digests[0]), "digest");
        must(carom_worlds_digest(b, &digests[1]), "digest");
        assert_true(digests[0] == digests[1]);
        assert_memory_equal(once, each, STEPS * width * sizeof(float));
    }
}

/* ---- normalised_full ---- */

/* The same as `relative`, with its numbers written out. */
TEST_BY(for_all, test_full, const subject *s)
{
    static float told[WORLDS][2][6], said[WORLDS][2][4];
    OWNED(carom_worlds) *a = make(s, NULL, CAROM_RESET), *b = make(s, NULL, CAROM_RESET);
    uint64_t rng = 4;
    for (int t = 0; t < 40; t++) {
        int32_t ticks[WORLDS];
        int8_t boosted[WORLDS][PODS];
        get_field(a, "tick", 0, WORLDS, ticks);
        get_field(a, "boosted", 0, WORLDS, boosted);
        for (int w = 0; w < WORLDS; w++)
            for (int k = 0; k < PODS; k++) {
                float *from = &told[w][k / 2][k % 2 * 3], *to = &said[w][k / 2][k % 2 * 2];
                const float turn = (float)rng_below(&rng, 17) / 8 - 1, thrust = (float)rng_below(&rng, 17) / 8 - 1;
                const float mark = (float)rng_below(&rng, 33) / 16 - 1;
                from[0] = rng_one_in(&rng, 9) ? turn * 3 : turn; /* clamped */
                from[1] = rng_one_in(&rng, 50) ? NAN : thrust;
                from[2] = rng_one_in(&rng, 50) ? NAN : mark;
                const float clamped = from[0] < -1 ? -1 : from[0] > 1 ? 1 : from[0];
                to[0] = (float)((double)clamped * (ticks[w] == 0 ? 3.14159265358979312 : MAX_TURN));
                to[1] = from[1] != from[1] ? 100 : 100 * (thrust + 1);
                if (from[2] <= -0.5F)
                    to[1] = CAROM_CSB_SHIELD;
                else if (from[2] >= 0.5F && !boosted[w][k])
                    to[1] = CAROM_CSB_BOOST;
            }
        carom_step step = STEP_WITH(.action_kind = action_kind("normalised_full"), .actions = told);
        play_worlds(a, &step);
        step.action_kind = action_kind("relative");
        step.actions = said;
        play_worlds(b, &step);
        double xa[WORLDS][PODS], xb[WORLDS][PODS];
        int8_t shield[2][WORLDS][PODS];
        get_reals(a, "x", xa);
        get_reals(b, "x", xb);
        get_field(a, "shield", 0, WORLDS, shield[0]);
        get_field(b, "shield", 0, WORLDS, shield[1]);
        for (int w = 0; w < WORLDS; w++)
            for (int i = 0; i < PODS; i++) { /* angles as floats differ in the last digits */
                assert_true(fabs(xa[w][i] - xb[w][i]) <= 3);
                assert_int_equal(shield[0][w][i], shield[1][w][i]);
            }
        const size_t record = carom_worlds_record_size(a);
        static unsigned char records[WORLDS * 512];
        assert_true(record <= 512);
        must(carom_worlds_get_records(a, NULL, WORLDS, records, WORLDS * record), "get"); /* from the same again */
        must(carom_worlds_set_records(b, NULL, WORLDS, records, WORLDS * record), "set");
    }
}

/* `race` loses nothing by it: it plays as it does in the referee's kind, within a tick a game. `normalised` costs it
 * several. */
TEST(test_race)
{
    static const char *const kinds[] = {"relative", "normalised_full", "normalised"};
    double lengths[3];
    for (int k = 0; k < 3; k++) {
        static carom_result results[600][256];
        static uint8_t ends[600][256];
        double sum = 0;
        OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_game_find("csb"), .count = 256, .at_end = CAROM_FREEZE);
        carom_step step = by_policies(0, 0);
        step.action_kind = action_kind(kinds[k]);
        step.ticks = 600;
        step.results = results[0];
        step.ends = ends[0];
        play_worlds(worlds, &step);
        for (size_t at = 0; at < (size_t)600 * 256; at++)
            sum += ends[at / 256][at % 256] != 0 ? results[at / 256][at % 256].ticks : 0;
        lengths[k] = sum / 256;
    }
    assert_true(fabs(lengths[1] - lengths[0]) < 1 && lengths[2] - lengths[0] > 2);
}
