/* SPDX-License-Identifier: MIT
 * Outputs of rollouts in addition to returns: rewards by tick, lengths, observations at depths; horizons by root,
 * values of games that ended, weights. Compared with forks played tick by tick.
 */

#include "rollout_plain.h"

enum { W = 8, K = 19, H = 9, SEEN = PLAYERS * CAROM_CSB_OBSERVATION, DEPTHS = 6 };
static const uint32_t depths[DEPTHS] = {0, 1, 4, 4, 8, 9};

/* All outputs of a rollout. */
typedef struct told {
    float rewards[W][K][H][PLAYERS];
    uint32_t lengths[W][K];
    float seen[W][K][DEPTHS][SEEN];
    double returns[W][K][PLAYERS];
} told;

static carom_rollout_desc describe(told *to)
{
    carom_rollout_desc desc = carom_rollout_desc_default(csb);
    desc.sequences = K;
    desc.horizon = H;
    desc.seed = 12;
    desc.discount = 0.75;
    desc.final_weight = 2;
    if (to != NULL) {
        desc.rewards = &to->rewards[0][0][0][0];
        desc.lengths = to->lengths[0];
        desc.depths = depths;
        desc.depth_count = DEPTHS;
        desc.observations = &to->seen[0][0][0][0];
    }
    return desc;
}

static void observe_depth(carom_worlds *forks, uint32_t depth, told *to)
{
    static float seen[W * K][SEEN];
    OK(carom_worlds_observe(forks, *seen));
    for (size_t q = 0; q < W * K; q++) {
        for (size_t d = 0; d < DEPTHS; d++) {
            if (depths[d] == depth) {
                memcpy(to->seen[q / K][q % K][d], seen[q], sizeof seen[q]);
            }
        }
    }
}

/* The same by carom_worlds_play(): each root's forks stop at its horizon (NULL: at H). */
static void play_plainly(const carom_worlds *roots, const carom_rollout_desc *desc, const uint32_t *horizons, told *to)
{
    static float actions[W * K][PLAYERS][4], rewards[W * K][PLAYERS];
    OWNED(carom_worlds) *forks =
        make(carom_worlds_describe(roots).precision, CAROM_ISA_DEFAULT, 1, W * K, CAROM_FREEZE);
    int32_t tick[W * K], begun[W];
    const int8_t one = 1;
    memset(to, 0, sizeof *to);
    for (size_t root = 0; root < W; root++) {
        OK(carom_worlds_fork(forks, root * K, K, roots, root));
    }
    OK(carom_worlds_get(roots, field_index(roots, "tick"), 0, W, begun));
    observe_depth(forks, 0, to);
    for (uint32_t t = 0; t < H; t++) {
        for (uint32_t q = 0; q < W * K; q++) {
            for (uint32_t p = 0; p < PLAYERS; p++) {
                OK(carom_rollout_draw(csb, desc->seed, id_of(roots, q / K), q % K, t, p, actions[q][p]));
            }
        }
        PLAY(forks, .action_kind = NORMALISED, .actions = actions, .rewards = *rewards);
        for (size_t q = 0; q < W * K; q++) {
            memcpy(to->rewards[q / K][q % K][t], rewards[q], sizeof rewards[q]);
            if (horizons != NULL && horizons[q / K] == t + 1) {
                set(forks, "frozen", q, &one);
            }
        }
        observe_depth(forks, t + 1, to);
    }
    OK(carom_worlds_get(forks, field_index(forks, "tick"), 0, W * K, tick));
    for (size_t q = 0; q < W * K; q++) {
        to->lengths[q / K][q % K] = (uint32_t)(tick[q] - begun[q / K]);
    }
}

static told want, got;

static void assert_told(void)
{
    assert_memory_equal(got.rewards, want.rewards, sizeof got.rewards);
    assert_memory_equal(got.lengths, want.lengths, sizeof got.lengths);
    assert_memory_equal(got.seen, want.seen, sizeof got.seen);
}

static const uint32_t by_root[W] = {1, 9, 3, 5, 9, 2, 8, 7};

TEST(test_outputs)
{
    for (int f64 = 0; f64 < 2; f64++) {
        for (int stops = 0; stops < 2; stops++) {
            const carom_precision precision = f64 ? CAROM_F64 : CAROM_F32;
            const carom_rollout_desc told_plainly = describe(NULL);
            carom_worlds *roots = make_roots(precision, CAROM_ISA_SCALAR, 1, 0, W);
            uint32_t shortest = H;
            play_plainly(roots, &told_plainly, stops ? by_root : NULL, &want);
            carom_worlds_destroy(roots);
            for (size_t q = 0; q < W * K; q++) {
                shortest = want.lengths[q / K][q % K] < shortest ? want.lengths[q / K][q % K] : shortest;
            }
            assert_true(shortest == 0); /* a root that is over */
            for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
                for (unsigned threads = 1; threads <= 3 && carom_isa_usable(isa); threads += 2) {
                    roots = make_roots(precision, isa, threads, 0, W);
                    carom_rollout_desc desc = describe(&got);
                    desc.horizons = stops ? by_root : NULL;
                    memset(&got, 0x55, sizeof got);
                    OK(carom_rollout(roots, &desc, NULL, NULL, NULL));
                    assert_told();
                    carom_worlds_destroy(roots);
                }
            }
        }
    }
}

/* A return is the sum of its rewards and the value; each root's horizon gives the return of a call with that one. */
TEST(test_returns)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    carom_worlds *finals[2] = {make(CAROM_F64, CAROM_ISA_DEFAULT, 2, W * K, CAROM_FREEZE),
                               make(CAROM_F64, CAROM_ISA_DEFAULT, 2, W * K, CAROM_FREEZE)};
    carom_rollout_desc desc = describe(&got);
    static double alone[W][K][PLAYERS], weighed[W][K][PLAYERS];
    desc.horizons = by_root;
    OK(carom_rollout(roots, &desc, **got.returns, NULL, finals[0]));
    for (size_t root = 0; root < W; root++) {
        carom_rollout_desc one = describe(NULL);
        one.horizon = by_root[root];
        OK(carom_rollout(roots, &one, **alone, NULL, finals[1]));
        assert_memory_equal(alone[root], got.returns[root], sizeof alone[root]);
        uint64_t hashes[2][K];
        OK(carom_worlds_hash(finals[0], root * K, K, hashes[0]));
        OK(carom_worlds_hash(finals[1], root * K, K, hashes[1]));
        assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    }
    /* The weight of rewards; without a value the rest is the value's part. */
    carom_rollout_desc bare = describe(NULL), heavy = describe(NULL);
    bare.horizons = heavy.horizons = by_root;
    bare.final_weight = 0;
    heavy.reward_weight = -3;
    OK(carom_rollout(roots, &bare, **alone, NULL, NULL));
    OK(carom_rollout(roots, &heavy, **weighed, NULL, NULL));
    size_t faults = 0;
    for (size_t n = 0; n < W * K * PLAYERS; n++) {
        const size_t q = n / PLAYERS, p = n % PLAYERS;
        const double whole = (&got.returns[0][0][0])[n], sum = (&alone[0][0][0])[n];
        if (whole == -INFINITY) {
            faults++;
            continue;
        }
        double summed = 0, weight = 1;
        for (size_t t = 0; t < H; t++) {
            summed += weight * (double)got.rewards[q / K][q % K][t][p];
            weight *= 0.75;
        }
        assert_true(sum == summed);
        assert_true(fabs((&weighed[0][0][0])[n] - (whole - sum - 3 * sum)) < 1e-12);
    }
    assert_true(faults > 0 && faults < W * K);
    carom_worlds_destroy(finals[0]);
    carom_worlds_destroy(finals[1]);
}

/* Games that ended have no final value if so chosen: roots that are frozen, too, but not those that play on. */
TEST(test_value_at_end)
{
    static double with[W][K][PLAYERS], without[W][K][PLAYERS], bare[W][K][PLAYERS];
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    OWNED(carom_worlds) *finals = make(CAROM_F64, CAROM_ISA_DEFAULT, 2, W * K, CAROM_FREEZE);
    int8_t end[W * K], frozen[W * K];
    carom_rollout_desc desc = describe(NULL);
    assert_true(desc.value_at_end);
    OK(carom_rollout(roots, &desc, **with, NULL, finals));
    desc.value_at_end = false;
    OK(carom_rollout(roots, &desc, **without, NULL, NULL));
    desc.final_weight = 0;
    OK(carom_rollout(roots, &desc, **bare, NULL, NULL));
    OK(carom_worlds_get(finals, field_index(finals, "end"), 0, W * K, end));
    OK(carom_worlds_get(finals, field_index(finals, "frozen"), 0, W * K, frozen));
    size_t over = 0, on = 0;
    for (size_t q = 0; q < W * K; q++) {
        const bool fault = with[q / K][q % K][0] == -INFINITY;
        const bool ended = end[q] != 0 && frozen[q] != 0 && !fault;
        over += ended;
        on += end[q] != 0 && frozen[q] == 0;
        assert_true(!fault || (end[q] != 0 && frozen[q] != 0));
        assert_memory_equal(without[q / K][q % K], (ended ? bare : with)[q / K][q % K], sizeof with[0][0]);
        assert_true(!ended || with[q / K][q % K][0] != bare[q / K][q % K][0]);
    }
    assert_true(over > 3 * K / 2 && over < W * K && on > 0);
}

/* Policies draw with the seeds of the worlds, whatever their indices. */
TEST(test_seeds)
{
    static double with[2][W][K][PLAYERS];
    carom_worlds *roots[2];
    carom_rollout_desc desc = describe(NULL);
    for (int p = 0; p < PLAYERS; p++) {
        desc.players[p].source = CAROM_POLICY;
        OK(carom_game_find_policy(csb, "random", &desc.players[p].policy));
    }
    for (int k = 0; k < 2; k++) {
        roots[k] = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    }
    OK(carom_worlds_reseed(roots[0], 321));
    OK(carom_rollout(roots[0], &desc, ***with, NULL, NULL));
    OK(carom_rollout(roots[1], &desc, **with[1], NULL, NULL));
    assert_true(memcmp(with[0][0], with[1][0], sizeof with[0][0]) != 0);
    const size_t from[] = {3, 2, 1};
    OK(carom_worlds_copy(roots[1], (const size_t[]){5, 6, 7}, roots[0], from, 3)); /* their seeds go with them */
    OK(carom_rollout(roots[1], &desc, **with[1], NULL, NULL));
    for (size_t k = 0; k < 3; k++) {
        assert_memory_equal(with[1][5 + k], with[0][from[k]], sizeof with[0][0]);
    }
    carom_worlds_destroy(roots[0]);
    carom_worlds_destroy(roots[1]);
}

/* So do games, for example positions at a kick-off: a rollout equals playing. */
TEST(test_seeds_of_games)
{
    enum { SIDES = 2, TICKS = 400 };
    const carom_game *soccer = carom_game_find("soccer");
    carom_worlds_desc of = WORLDS_DESC(soccer, .count = 20, .threads = 1, .seed = 8, .at_end = CAROM_FREEZE);
    OWNED(carom_worlds) *roots = NULL, *finals = NULL;
    OK(carom_worlds_create(&of, &roots));
    OK(carom_worlds_create(&of, &finals));
    const uint64_t seeds[20] = {5, 6, 7, 8, 9};
    OK(carom_worlds_restart(roots, NULL, NULL, seeds));
    carom_rollout_desc desc = carom_rollout_desc_default(soccer);
    carom_step step = carom_step_default();
    desc.horizon = step.ticks = TICKS;
    desc.sequences = 1;
    for (int p = 0; p < SIDES; p++) {
        desc.players[p].source = step.players[p].source = p == 0 ? CAROM_POLICY : CAROM_ZERO;
    }
    double returns[20][SIDES];
    uint64_t hashes[2][20];
    OK(carom_rollout(roots, &desc, *returns, NULL, finals));
    OK(carom_worlds_play(roots, &step));
    assert_true(carom_worlds_counters(roots).goals > 0);
    OK(carom_worlds_hash(finals, 0, 20, hashes[0]));
    OK(carom_worlds_hash(roots, 0, 20, hashes[1]));
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
}

TEST(test_refused)
{
    OWNED(carom_worlds) *roots = make_roots(CAROM_F64, CAROM_ISA_DEFAULT, 2, 0, W);
    memset(&got, 0x55, sizeof got);
    memset(&want, 0x55, sizeof want);
    uint32_t wrong[W];
    memcpy(wrong, by_root, sizeof wrong);
    static const uint32_t falling[2] = {4, 3}, far[1] = {H + 1};
#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        carom_rollout_desc desc = describe(&got);                                                                      \
        change;                                                                                                        \
        assert_int_equal(carom_rollout(roots, &desc, **got.returns, NULL, NULL), CAROM_ERROR_ARGUMENT);                \
        assert_memory_equal(&got, &want, sizeof got);                                                                  \
    } while (0)
    wrong[3] = 0;
    REFUSED(desc.horizons = wrong);
    wrong[3] = H + 1;
    REFUSED(desc.horizons = wrong);
    REFUSED(desc.depths = NULL);
    REFUSED(desc.depth_count = 0);
    REFUSED(desc.observations = NULL);
    REFUSED((desc.depths = falling, desc.depth_count = 2));
    REFUSED((desc.depths = far, desc.depth_count = 1));
    REFUSED(desc.reward_weight = (double)NAN);
    REFUSED(desc.reward_weight = (double)INFINITY);
#undef REFUSED
}

SET_UP
{
    set_up_samples();
}
