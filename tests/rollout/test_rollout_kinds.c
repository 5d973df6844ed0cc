/* SPDX-License-Identifier: MIT
 * Every kind of observation and reward in rollouts and in the leaves of searches equals that of steps for the same
 * worlds and actions, for all agents and for some.
 */
#include "test.h"

enum { W = 6, K = 5, H = 9, MOST_PLAYERS = 2, NUMBERS = 8192, AGENTS = 24, DEPTHS = 4 };
static const uint32_t depths[DEPTHS] = {0, 3, 3, H};

static carom_worlds *make(const carom_game *game, carom_precision precision, carom_isa isa, size_t count)
{
    union {
        carom_csb_options csb;
        carom_soccer_options soccer;
        carom_fantastic_bits_options bits;
        carom_stones_options stones;
    } options;
    size_t index;
    OK(carom_game_options_default(game, &options));
    if (carom_game_find_option(game, "ticks", &index) == CAROM_OK) {
        OK(carom_game_set_option(game, &options, "ticks", 25, NULL)); /* some end on the way */
    }
    return MAKE_WORLDS(game, .options = &options, .count = count, .precision = precision, .isa = isa, .threads = 2,
                       .seed = 3, .first_id = 9, .at_end = CAROM_FREEZE);
}

static carom_worlds *make_roots(const carom_game *game, carom_precision precision, carom_isa isa)
{
    static const uint8_t half[W] = {1, 0, 1, 0, 0, 1};
    carom_worlds *roots = make(game, precision, isa, W);
    for (int part = 0; part < 2; part++) {
        carom_step step = STEP_WITH(.ticks = 10, .skip = part == 0 ? half : NULL);
        for (int p = 0; p < MOST_PLAYERS; p++) {
            step.players[p].source = CAROM_POLICY;
        }
        OK(carom_worlds_play(roots, &step));
    }
    return roots;
}

/* Which outputs, and how many numbers they have. */
typedef struct asked {
    size_t seen, rewarded, width, agents, each; /* each: rewarded agents of a player */
    uint64_t observed;
} asked;

static asked ask(const carom_game *game, size_t seen, size_t rewarded, bool some)
{
    carom_observation_kind kind;
    carom_reward_kind reward;
    const uint32_t players = carom_game_describe(game).players;
    OK(carom_game_observation_kind(game, seen, &kind));
    OK(carom_game_reward_kind(game, rewarded, &reward));
    const uint32_t all = players * kind.agents;
    const asked a = {.seen = seen,
                     .rewarded = rewarded,
                     .width = (size_t)(some ? all / 2 : all) * kind.size,
                     .agents = (size_t)players * reward.agents,
                     .each = reward.agents,
                     .observed = some ? ((UINT64_C(1) << all) - 1) & UINT64_C(0xaaaaaaaa) : 0};
    assert_true(a.width <= NUMBERS && a.agents <= AGENTS);
    return a;
}

/* All outputs, by rollouts and by steps. */
typedef struct told {
    float rewards[W * K][H][AGENTS], seen[W * K][DEPTHS][NUMBERS];
    double returns[W * K][MOST_PLAYERS];
} told;
static told got, want;

static const double discount = 0.75;

static void play_plainly(const carom_worlds *roots, const asked *a, uint64_t seed)
{
    static float actions[W * K][MOST_PLAYERS][64], row[W * K * NUMBERS], rewards[W * K * AGENTS];
    const carom_worlds_desc desc = carom_worlds_describe(roots);
    const carom_game *game = desc.game;
    const uint32_t players = carom_game_describe(game).players;
    carom_action_kind kind;
    OK(carom_game_action_kind(game, find_kind(game, "normalised"), &kind));
    OWNED(carom_worlds) *forks = make(game, desc.precision, desc.isa, W * K);
    double sums[W * K][AGENTS] = {{0}}, weight = 1;
    for (size_t root = 0; root < W; root++) {
        OK(carom_worlds_fork(forks, root * K, K, roots, root));
    }
    for (uint32_t t = 0; t <= H; t++) {
        carom_step step =
            STEP_WITH(.action_kind = find_kind(game, "normalised"), .observation_kind = a->seen,
                      .observed = a->observed, .observations = row, .reward_kind = a->rewarded, .rewards = rewards);
        for (size_t q = 0; q < W * K && t > 0; q++) {
            int32_t id[2];
            get_field(roots, "id", q / K, 1, id);
            for (uint32_t p = 0; p < players; p++) {
                float *to = (float *)actions + (q * players + p) * kind.size;
                OK(carom_rollout_draw(game, seed, (uint32_t)id[0], (uint32_t)(q % K), t - 1, p, to));
            }
        }
        step.actions = actions;
        OK(t == 0 ? carom_worlds_observe_step(forks, &step) : carom_worlds_play(forks, &step));
        for (size_t q = 0; q < W * K; q++) {
            for (size_t d = 0; d < DEPTHS; d++) {
                if (depths[d] == t) {
                    memcpy(want.seen[q][d], row + q * a->width, a->width * sizeof *row);
                }
            }
            for (size_t agent = 0; agent < a->agents && t > 0; agent++) {
                want.rewards[q][t - 1][agent] = rewards[q * a->agents + agent];
                sums[q][agent] += weight * (double)rewards[q * a->agents + agent];
            }
        }
        weight *= t > 0 ? discount : 1;
    }
    for (size_t q = 0; q < W * K; q++) {
        for (size_t p = 0; p < players; p++) {
            want.returns[q][p] = 0;
            for (size_t agent = p * a->each; agent < (p + 1) * a->each; agent++) {
                want.returns[q][p] += sums[q][agent];
            }
        }
    }
}

static void roll(const carom_worlds *roots, const asked *a, uint64_t seed)
{
    static float rewards[W * K * H * AGENTS], seen[W * K * DEPTHS * NUMBERS];
    static double returns[W * K * MOST_PLAYERS];
    const carom_game *game = carom_worlds_describe(roots).game;
    const uint32_t players = carom_game_describe(game).players;
    carom_rollout_desc desc = carom_rollout_desc_default(game);
    desc.sequences = K;
    desc.horizon = H;
    desc.seed = seed;
    desc.discount = discount;
    desc.final_weight = 0;
    desc.observation_kind = a->seen;
    desc.observed = a->observed;
    desc.reward_kind = a->rewarded;
    desc.rewards = rewards;
    desc.depths = depths;
    desc.depth_count = DEPTHS;
    desc.observations = seen;
    OK(carom_rollout(roots, &desc, returns, NULL, NULL));
    for (size_t q = 0; q < W * K; q++) {
        for (size_t d = 0; d < DEPTHS; d++) {
            memcpy(got.seen[q][d], seen + (q * DEPTHS + d) * a->width, a->width * sizeof *seen);
        }
        for (size_t t = 0; t < H; t++) {
            memcpy(got.rewards[q][t], rewards + (q * H + t) * a->agents, a->agents * sizeof *rewards);
        }
        memcpy(got.returns[q], returns + q * players, players * sizeof *returns);
    }
}

TEST(test_rollouts)
{
    static const char *const names[] = {"csb", "soccer", "fantastic_bits", "stones"};
    size_t gained = 0, parted = 0; /* rewards that are not 0; agents of a player that gain different things */
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const carom_game *game = carom_game_find(names[n]);
        carom_observation_kind seen;
        carom_reward_kind reward;
        for (size_t o = 0; carom_game_observation_kind(game, o, &seen) == CAROM_OK; o++) {
            for (size_t r = 0; carom_game_reward_kind(game, r, &reward) == CAROM_OK; r++) {
                for (size_t k = 0; k < 4 * isa_count; k++) {
                    const asked a = ask(game, o, r, k % 2 != 0);
                    OWNED(carom_worlds) *roots = make_roots(game, k / 2 % 2 != 0 ? CAROM_F64 : CAROM_F32, isas[k / 4]);
                    memset(&got, 0, sizeof got);
                    memset(&want, 0, sizeof want);
                    play_plainly(roots, &a, 40 + k);
                    roll(roots, &a, 40 + k);
                    assert_memory_equal(got.seen, want.seen, sizeof got.seen);
                    assert_memory_equal(got.rewards, want.rewards, sizeof got.rewards);
                    assert_memory_equal(got.returns, want.returns, sizeof got.returns);
                    for (size_t q = 0; q < W * K; q++) {
                        gained += got.rewards[q][2][0] != 0;
                        parted += a.each > 1 && got.rewards[q][2][0] != got.rewards[q][2][1];
                    }
                }
            }
        }
    }
    assert_true(gained > 100 && parted > 100);
}

/* ---- leaves ---- */

static const asked *valued;

/* Some sum of what agents see. */
static double value_of(const float *seen, size_t width)
{
    double sum = 0;
    for (size_t k = 0; k < width; k++) {
        sum += (double)(k % 7) * (double)seen[k];
    }
    return sum;
}

static carom_status value_leaves(void *user, size_t leaves, const float *observations, double *values)
{
    const uint32_t players = *(const uint32_t *)user;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        for (uint32_t p = 0; p < players; p++) {
            values[leaf * players + p] = p == 0 ? value_of(observations + leaf * valued->width, valued->width) : 0;
        }
    }
    return CAROM_OK;
}

/* The plan's return is what steps come to that play it. */
TEST(test_leaves)
{
    static const char *const names[] = {"csb", "soccer", "fantastic_bits"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const carom_game *game = carom_game_find(names[n]);
        size_t ego, own;
        OK(carom_game_find_observation_kind(game, "ego", &ego));
        OK(carom_game_find_reward_kind(game, "own", &own));
        const asked a = ask(game, ego, own, true);
        uint32_t players = carom_game_describe(game).players;
        OWNED(carom_worlds) *roots = make_roots(game, CAROM_F64, CAROM_ISA_DEFAULT);
        carom_search_desc desc = carom_search_desc_default(game);
        OWNED(carom_search) *search = NULL;
        valued = &a;
        desc.sequences = 16;
        desc.rollouts = 64;
        desc.horizon = 4;
        desc.discount = discount;
        desc.final_weight = 0.5;
        desc.value = value_leaves;
        desc.user = &players;
        desc.observation_kind = a.seen;
        desc.observed = a.observed;
        desc.reward_kind = a.rewarded;
        OK(carom_search_create(roots, &desc, &search));
        OK(carom_search_run(search, roots));
        double told_returns[W];
        static float plan[W * H * 64], actions[W * MOST_PLAYERS * 64], rewards[W * AGENTS], seen[W * NUMBERS];
        carom_action_kind kind;
        OK(carom_game_action_kind(game, desc.action_kind, &kind));
        OK(carom_search_returns(search, told_returns));
        OK(carom_search_plan(search, 0, plan));
        double sums[W][AGENTS] = {{0}}, weight = 1;
        for (size_t t = 0; t < desc.horizon; t++) {
            memset(actions, 0, sizeof actions);
            for (size_t w = 0; w < W; w++) {
                memcpy(actions + w * players * kind.size, plan + (w * desc.horizon + t) * kind.size,
                       kind.size * sizeof *plan);
            }
            PLAY(roots, .action_kind = desc.action_kind, .actions = actions, .observation_kind = a.seen,
                 .observed = a.observed, .observations = seen, .reward_kind = a.rewarded, .rewards = rewards);
            for (size_t k = 0; k < W * a.agents; k++) {
                sums[k / a.agents][k % a.agents] += weight * (double)rewards[k];
            }
            weight *= discount;
        }
        for (size_t w = 0; w < W; w++) {
            double sum = 0;
            for (size_t agent = 0; agent < a.each; agent++) {
                sum += sums[w][agent];
            }
            double far = desc.final_weight;
            for (size_t t = 0; t < desc.horizon; t++) {
                far *= discount;
            }
            const double whole = sum + far * value_of(seen + w * a.width, a.width);
            assert_memory_equal(&whole, &told_returns[w], sizeof whole);
        }
    }
}

TEST(test_refused)
{
    const carom_game *game = carom_game_find("csb");
    OWNED(carom_worlds) *roots = make_roots(game, CAROM_F64, CAROM_ISA_DEFAULT);
    double returns[W * MOST_PLAYERS];
    for (int k = 0; k < 4; k++) {
        carom_rollout_desc desc = carom_rollout_desc_default(game);
        carom_search_desc planned = carom_search_desc_default(game);
        OWNED(carom_search) *search = NULL;
        desc.observation_kind = planned.observation_kind = k == 1 ? 99 : 0;
        desc.reward_kind = planned.reward_kind = k == 2 ? 99 : 0;
        desc.observed = planned.observed = k == 3 ? 1u << 2 : 0;
        const carom_status status = k == 0 ? CAROM_OK : CAROM_ERROR_ARGUMENT;
        assert_int_equal(carom_rollout(roots, &desc, returns, NULL, NULL), status);
        assert_int_equal(carom_search_create(roots, &planned, &search), status);
    }
}
