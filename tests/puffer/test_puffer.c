/* SPDX-License-Identifier: MIT
 * integrations/puffer: the environment with PufferLib's interface plays what carom_worlds_play() plays. A driver like
 * PufferLib's makes two environments over its own arrays, steps them, draws one and reads the logs. Compiled for each
 * version of the interface (CAROM_PUFFER).
 */
#define OBS_SIZE 38
#define NUM_ATNS 2
#define CAROM_PUFFER_WORLDS 20
#include "../integrations/puffer/carom_puffer.h"

#include "tests/test.h"

#if CAROM_PUFFER == 5
#define VERB(verb) puf_##verb
#define INIT puf_init
#define LOG puf_log
#else
#define VERB(verb) c_##verb
#define INIT my_init
#define LOG my_log
#endif

enum { ENVS = 2, AGENTS = CAROM_PUFFER_AGENTS, STEPS = 300 };

static float observations[ENVS][AGENTS][OBS_SIZE], actions[ENVS][AGENTS][NUM_ATNS], rewards[ENVS][AGENTS],
    terminals[ENVS][AGENTS];

/* Gives an environment its arrays; version 5 may scatter the agents, so here they are in reverse order. */
static int place(int agent)
{
    return CAROM_PUFFER == 5 ? AGENTS - 1 - agent : agent;
}

static void lend(Env *env, int e)
{
#if CAROM_PUFFER == 5
    for (int a = 0; a < AGENTS; a++) {
        const Agent agent = {
            observations[e][place(a)], actions[e][place(a)], &rewards[e][place(a)], &terminals[e][place(a)], NULL, 0};
        env->agents[a] = agent;
    }
#else
    env->observations = &observations[e][0][0];
    env->actions = &actions[e][0][0];
    env->rewards = rewards[e];
    env->terminals = terminals[e];
#endif
}

static uint32_t drawn_word;

static float draw(void)
{
    drawn_word = drawn_word * 1664525u + 1013904223u;
    return (float)(drawn_word >> 8) / 8388608.0f - 1.0f;
}

/* The same worlds, without the environment. */
typedef struct plain {
    carom_worlds *worlds;
    carom_player *rival;
    carom_step step;
    float actions[AGENTS * NUM_ATNS], observations[AGENTS * OBS_SIZE], rewards[2 * AGENTS];
    uint8_t ends[CAROM_PUFFER_WORLDS];
} plain;

static void open_plain(plain *p, uint64_t seed)
{
    const carom_game *game = carom_game_find("csb");
    carom_worlds_desc desc =
        WORLDS_DESC(game, .count = CAROM_PUFFER_WORLDS, .precision = CAROM_F32, .seed = seed, .at_end = CAROM_RESET);
    assert_int_equal(carom_worlds_create(&desc, &p->worlds), CAROM_OK);
    p->step = carom_step_default();
    carom_game_find_action_kind(game, "normalised", &p->step.action_kind);
    carom_game_find_observation_kind(game, "ego", &p->step.observation_kind);
    carom_game_find_reward_kind(game, "own", &p->step.reward_kind);
    assert_int_equal(carom_player_create(p->worlds, 1, CAROM_PUFFER_OPPONENT, &p->rival, NULL), CAROM_OK);
    p->step.observed = 3;
    p->step.actions = p->actions;
    p->step.observations = p->observations;
    p->step.rewards = p->rewards;
    p->step.ends = p->ends;
    assert_int_equal(carom_worlds_observe_step(p->worlds, &p->step), CAROM_OK);
}

static void same_seen(const plain *p, int e)
{
    for (int a = 0; a < AGENTS; a++) {
        assert_memory_equal(observations[e][place(a)], p->observations + a * OBS_SIZE, OBS_SIZE * sizeof(float));
    }
}

TEST(test_plays_what_worlds_play)
{
    static Env envs[ENVS];
    static plain plains[ENVS];
    Dict kwargs = {{NULL}, {0}, 0};
    int games = 0;
    for (int e = 0; e < ENVS; e++) {
        envs[e].rng = 7 + (unsigned)e;
        INIT(&envs[e], &kwargs);
        assert_int_equal(envs[e].num_agents, AGENTS);
        lend(&envs[e], e);
        VERB(reset)(&envs[e]);
        open_plain(&plains[e], 7 + (unsigned)e);
        same_seen(&plains[e], e);
    }
    assert_memory_not_equal(observations[0], observations[1], sizeof observations[0]);
    for (int t = 0; t < STEPS; t++) {
        for (int e = 0; e < ENVS; e++) {
            plain *p = &plains[e];
            for (int a = 0; a < AGENTS; a++) {
                for (int k = 0; k < NUM_ATNS; k++) {
                    actions[e][place(a)][k] = p->actions[a * NUM_ATNS + k] = draw();
                }
                rewards[e][a] = terminals[e][a] = 0;
            }
            VERB(step)(&envs[e]);
            assert_int_equal(carom_player_take(p->rival, p->worlds, &p->step), CAROM_OK);
            assert_int_equal(carom_worlds_play(p->worlds, &p->step), CAROM_OK);
            same_seen(p, e);
            for (int a = 0; a < AGENTS; a++) {
                const int w = a / 2;
                assert_true(rewards[e][place(a)] == p->rewards[4 * w + a % 2]);
                assert_true(terminals[e][place(a)] == (p->ends[w] != 0 ? 1.0f : 0.0f));
                games += e == 0 && a % 2 == 0 && p->ends[w] != 0;
            }
        }
    }
    /* A random driver loses by its timeout. */
    assert_true(games >= CAROM_PUFFER_WORLDS);
    Dict out = {{NULL}, {0}, 0};
    const Log *log = &envs[0].log;
    assert_true(log->n == (float)games);
    Log mean = {log->perf / log->n, log->score / log->n, log->episode_return / log->n, log->episode_length / log->n,
                log->n};
    LOG(&mean, &out);
    assert_int_equal(out.size, 4);
    assert_true(dict_value(&out, "perf") >= 0 && dict_value(&out, "perf") < 0.1);
    assert_true(dict_value(&out, "episode_length") > 90 && dict_value(&out, "episode_length") <= (double)STEPS);
    assert_true(dict_value(&out, "score") >= 0 && dict_value(&out, "score") < 3);
    /* A reset goes back to the first games. */
    VERB(reset)(&envs[1]);
    assert_int_equal(carom_worlds_reset(plains[1].worlds), CAROM_OK);
    assert_int_equal(carom_worlds_observe_step(plains[1].worlds, &plains[1].step), CAROM_OK);
    same_seen(&plains[1], 1);
    for (int e = 0; e < ENVS; e++) {
        VERB(close)(&envs[e]);
        carom_player_destroy(plains[e].rival);
        carom_worlds_destroy(plains[e].worlds);
    }
}

/* A fault ends a game; the next step belongs to the next game. */
TEST(test_fault)
{
    static Env env;
    Dict kwargs = {{NULL}, {0}, 0};
    const float fast[4] = {262000, 0, 0, 0};
    size_t vx = 0;
    INIT(&env, &kwargs);
    lend(&env, 0);
    memset(actions, 0, sizeof actions);
    VERB(reset)(&env);
    assert_int_equal(carom_worlds_find_field(env.worlds, "vx", &vx), CAROM_OK);
    assert_int_equal(carom_worlds_set(env.worlds, vx, 1, 1, fast), CAROM_OK);
    VERB(step)(&env);
    for (int a = 0; a < AGENTS; a++) {
        assert_true(terminals[0][place(a)] == (a / 2 == 1 ? 1.0f : 0.0f));
        assert_true(a / 2 != 1 || rewards[0][place(a)] == 0);
    }
    assert_true(env.log.n == 1 && carom_worlds_counters(env.worlds).faults == 1);
    VERB(step)(&env);
    assert_true(terminals[0][place(2)] == 0 && env.log.n == 1);
    VERB(close)(&env);
}

TEST(test_draws)
{
    static Env env;
    Dict kwargs = {{NULL}, {0}, 0};
    INIT(&env, &kwargs);
    lend(&env, 0);
    VERB(reset)(&env);
    VERB(render)(&env);
    VERB(render)(&env);
    assert_int_equal(drawn.windows, 1);
    assert_int_equal(drawn.frames, 2);
    assert_int_equal(drawn.circles, 2 * 4);     /* pods */
    assert_int_equal(drawn.lines, 2 * (4 + 4)); /* where they head; the field */
    assert_true(drawn.rings >= 2 * 3);          /* checkpoints */
    assert_true(drawn.texts >= 2 * 3);
    assert_int_equal(drawn.outside, 0);
    assert_int_equal(window_height, 540); /* 16000 x 9000 */
    VERB(close)(&env);
}
