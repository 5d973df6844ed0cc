/* SPDX-License-Identifier: MIT
 * Games of one to four players: results and their stakes, copies of accumulated rewards, rollouts, searches and replays
 * of a scene in which each player pushes its own disc, on every instruction set.
 */
#include "tests/scenes/scene_batch.h"

#include <assert.h>

#define MOST 4 /* players */
#define K 3
#define HORIZON 5
#define SEED 9

static_assert(MOST == CAROM_MAX_PLAYERS, "as many as there may be");

/* A disc for each player, on a circle around the origin; the first to bring its own into the zone in the middle wins.
 * Body 0 has no player: its final distance from (1, 0) is player 0's loss. */
static carom_scene *scene_of(uint32_t players)
{
    carom_scene_body bodies[1 + MOST];
    carom_scene_rule rules[3 * MOST];
    carom_scene_desc desc = carom_scene_desc_default();
    bodies[0] = body_at(3, 3, 0.5, -0.2, 0.3, 0.4);
    bodies[0].x_spread = bodies[0].y_spread = 1;
    for (uint32_t p = 0; p < players; p++) {
        carom_scene_body *b = &bodies[1 + p];
        *b = body_at(p == 0 ? -2.0 : p == 1 ? 2.0 : 0, p == 2 ? -2.0 : p == 3 ? 2.0 : 0, 0, 0, 0.4, 1);
        b->x_spread = b->y_spread = 0.3;
        b->damping = 0.1;
        b->acts = true;
        b->player = p;
        for (uint32_t k = 0; k < 3; k++) {
            rules[3 * p + k] = carom_scene_rule_default();
            rules[3 * p + k].body = 1 + p;
        }
        rules[3 * p].kind = CAROM_RULE_WITHIN;
        rules[3 * p].x = rules[3 * p].y = -0.6;
        rules[3 * p].x1 = rules[3 * p].y1 = 0.6;
        rules[3 * p].ends = true;
        rules[3 * p].winner = (int32_t)p;
        rules[3 * p + 1].kind = CAROM_RULE_NEARS_POINT;
        rules[3 * p + 1].reward = 0.25;
        rules[3 * p + 2].kind = CAROM_RULE_MEETS_BODY;
        rules[3 * p + 2].reward = -0.125;
        rules[3 * p + 2].category = 1;
    }
    desc.bodies = bodies;
    desc.body_count = 1 + players;
    desc.rules = rules;
    desc.rule_count = 3 * players;
    desc.box.x0 = desc.box.y0 = -5;
    desc.box.x1 = desc.box.y1 = 5;
    desc.box.horizontal = desc.box.vertical = CAROM_SIDES_SOLID;
    desc.dt = 0.5;
    desc.action_scale = 0.5;
    desc.last_tick = 40;
    desc.reward = (carom_scene_measure){.kind = CAROM_MEASURE_ENERGY}; /* what anybody does changes it */
    desc.final_value = (carom_scene_measure){.kind = CAROM_MEASURE_DISTANCE, .x = 1};
    return make_scene(&desc);
}

static carom_worlds *worlds_of(const carom_scene *scene, size_t count, carom_precision precision, carom_isa isa,
                               carom_at_end at_end)
{
    return MAKE_WORLDS(carom_scene_game(scene), .count = count, .precision = precision, .isa = isa, .threads = 2,
                       .seed = SEED, .at_end = at_end);
}

static carom_step all_random(const carom_scene *scene)
{
    carom_step step = carom_step_default();
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        step.players[p].source = CAROM_POLICY;
        must(carom_game_find_policy(carom_scene_game(scene), "random", &step.players[p].policy), "random");
    }
    return step;
}

/* ---- results ---- */

#define WORLDS 37
#define TICKS 90

/* Each player's reward at the end of a game. */
static float stake_of(uint32_t players, int32_t winner, uint32_t player)
{
    return winner < 0 ? 0.0f : (uint32_t)winner == player ? 1.0f : -1.0f / (float)(players - 1);
}

/* When a game ends, each player gets its stake; returns are the sums of rewards. */
static void check_results(uint32_t players, carom_precision precision, carom_isa isa)
{
    OWNED(carom_scene) *scene = scene_of(players);
    OWNED(carom_worlds) *worlds = worlds_of(scene, WORLDS, precision, isa, CAROM_RESET);
    OWNED(carom_worlds) *twin =
        worlds_of(scene, WORLDS, precision, isa, CAROM_RESET); /* its kind of reward is `result` */
    static carom_result results[WORLDS], twins[WORLDS];
    float rewards[WORLDS * MOST], stakes[WORLDS * MOST];
    uint8_t ends[WORLDS];
    double sums[WORLDS][MOST] = {{0}};
    unsigned won[MOST] = {0}, drawn = 0;
    for (int t = 0; t < TICKS; t++) {
        carom_step step = all_random(scene);
        memset(results, 0x5a, sizeof results);
        step.results = results;
        step.rewards = rewards;
        step.ends = ends;
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        step.results = twins;
        step.rewards = stakes;
        step.reward_kind = 1;
        must(carom_worlds_play(twin, &step), "carom_worlds_play");
        for (size_t w = 0; w < WORLDS; w++) {
            const carom_result *r = &results[w];
            for (uint32_t p = 0; p < players; p++) {
                sums[w][p] += (double)rewards[w * players + p];
                assert_true(stakes[w * players + p] == (ends[w] == 0 ? 0 : stake_of(players, r->winner, p)));
            }
            if (ends[w] == 0) {
                assert_int_equal(r->winner, 0x5a5a5a5a);
                continue;
            }
            for (uint32_t p = 0; p < MOST; p++) {
                assert_true(r->returns[p] == sums[w][p] && r->score[p] == 0);
                assert_true(twins[w].returns[p] == (p < players ? (double)stake_of(players, r->winner, p) : 0));
                sums[w][p] = 0;
            }
            assert_true(r->winner < (int32_t)players && twins[w].winner == r->winner);
            drawn += r->winner < 0;
            if (r->winner >= 0) {
                won[r->winner]++;
            }
        }
    }
    for (uint32_t p = 0; p < players; p++) {
        assert_true(won[p] > 0); /* or the test would show little */
    }
    assert_true(drawn > 0);
}

TEST(test_results)
{
    for (uint32_t players = 1; players <= MOST; players++) {
        for (size_t k = 0; k < isa_count; k++) {
            check_results(players, CAROM_F32, isas[k]);
            check_results(players, CAROM_F64, isas[k]);
        }
    }
}

/* A player's numbers do not depend on where they come from: with any mixture of sources and kinds a step plays as if
 * every player had its own array. */
static void check_sources(carom_precision precision)
{
    enum { SHARED, OWN, IMPULSE, POLICY, ZERO, SOURCES };
    OWNED(carom_scene) *scene = scene_of(MOST);
    OWNED(carom_worlds) *worlds = worlds_of(scene, WORLDS, precision, CAROM_ISA_DEFAULT, CAROM_RESET);
    OWNED(carom_worlds) *twin = worlds_of(scene, WORLDS, precision, CAROM_ISA_DEFAULT, CAROM_RESET);
    const carom_step random = all_random(scene);
    static float given[MOST][WORLDS][2], shared[WORLDS * MOST][2], chosen[WORLDS][MOST][2];
    static const float zeros[WORLDS][2];
    static double impulses[MOST][WORLDS][2];
    uint64_t rng = SEED;
    for (unsigned code = 0; code < SOURCES * SOURCES * SOURCES * SOURCES; code++) {
        carom_step step = carom_step_default(), plain = carom_step_default();
        unsigned source[MOST], together = 0;
        must(carom_worlds_policy(worlds, random.players[0].policy, 0, chosen), "carom_worlds_policy");
        for (unsigned p = 0, left = code; p < MOST; p++, left /= SOURCES) {
            source[p] = left % SOURCES;
            together += source[p] == SHARED;
        }
        for (unsigned p = 0, at = 0; p < MOST; at += source[p++] == SHARED) {
            for (size_t w = 0; w < WORLDS; w++) {
                for (int c = 0; c < 2; c++) {
                    impulses[p][w][c] = rng_in(&rng, -0.5, 0.5);
                    given[p][w][c] = source[p] == POLICY ? chosen[w][p][c] : (float)rng_in(&rng, -1, 1);
                    if (source[p] == SHARED) {
                        shared[w * together + at][c] = given[p][w][c];
                    }
                }
            }
            step.players[p].source = source[p] == POLICY ? CAROM_POLICY : source[p] == ZERO ? CAROM_ZERO : CAROM_GIVEN;
            step.players[p].policy = random.players[p].policy;
            step.players[p].action_kind = plain.players[p].action_kind = source[p] == IMPULSE;
            plain.players[p].actions = source[p] == IMPULSE ? (const void *)impulses[p]
                                       : source[p] == ZERO  ? (const void *)zeros
                                                            : given[p];
            step.players[p].actions = source[p] == OWN || source[p] == IMPULSE ? plain.players[p].actions : NULL;
        }
        step.actions = shared;
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        must(carom_worlds_play(twin, &plain), "carom_worlds_play");
        uint64_t digest, wanted;
        must(carom_worlds_digest(worlds, &digest), "digest");
        must(carom_worlds_digest(twin, &wanted), "digest");
        if (digest != wanted) {
            fail_msg("sources %u %u %u %u: not what each player gave", source[0], source[1], source[2], source[3]);
        }
    }
}

TEST(test_sources)
{
    check_sources(CAROM_F32);
    check_sources(CAROM_F64);
}

/* What player 0 loses by the scene's measure the others gain in equal parts; without rewards from rules there is no
 * other reward. */
TEST(test_measure_is_shared)
{
    for (uint32_t players = 1; players <= MOST; players++) {
        carom_scene_body bodies[MOST];
        carom_scene_desc desc = carom_scene_desc_default();
        for (uint32_t p = 0; p < players; p++) {
            bodies[p] = body_at(3.0 * p + 1, 1, 0.25, 0.5, 1, 1);
            bodies[p].player = p;
        }
        desc.bodies = bodies;
        desc.body_count = players;
        desc.reward = (carom_scene_measure){.kind = CAROM_MEASURE_DISTANCE, .body = players - 1};
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *worlds = worlds_of(scene, 1, CAROM_F64, CAROM_ISA_DEFAULT, CAROM_PLAY_ON);
        float rewards[MOST];
        PLAY(worlds, .rewards = rewards);
        const double x = 3.0 * (players - 1) + 1.25, y = 1.5, loss = sqrt(x * x + y * y);
        assert_true(rewards[0] == (float)-loss);
        for (uint32_t p = 1; p < players; p++) {
            assert_true(rewards[p] == (float)(loss / (players - 1)));
        }
    }
}

/* If the rules of one tick name several players, there is no winner. */
TEST(test_several_winners)
{
    for (unsigned within = 1; within < 1u << MOST; within++) {
        carom_scene_body bodies[MOST];
        carom_scene_rule rules[MOST];
        carom_scene_desc desc = carom_scene_desc_default();
        for (uint32_t p = 0; p < MOST; p++) {
            bodies[p] = body_at(4.0 * p, (within >> p & 1) != 0 ? 0 : 9, 0, 0, 1, 1);
            bodies[p].player = p;
            rules[p] = carom_scene_rule_default();
            rules[p].kind = CAROM_RULE_WITHIN;
            rules[p].body = p;
            rules[p].x = -1;
            rules[p].y = -1;
            rules[p].x1 = 99;
            rules[p].y1 = 1;
            rules[p].ends = true;
            rules[p].winner = (int32_t)p;
        }
        desc.bodies = bodies;
        desc.rules = rules;
        desc.body_count = desc.rule_count = MOST;
        OWNED(carom_scene) *scene = make_scene(&desc);
        OWNED(carom_worlds) *worlds = worlds_of(scene, 1, CAROM_F32, CAROM_ISA_DEFAULT, CAROM_FREEZE);
        carom_result result = {.winner = -2};
        float stakes[MOST];
        PLAY(worlds, .results = &result, .rewards = stakes, .reward_kind = 1);
        assert_int_equal(result.winner, (within & (within - 1)) != 0 ? -1 : __builtin_ctz(within));
        for (uint32_t p = 0; p < MOST; p++) {
            assert_true(stakes[p] == stake_of(MOST, result.winner, p));
        }
    }
}

/* A copy of a world includes its players' accumulated rewards. */
TEST(test_copies)
{
    OWNED(carom_scene) *scene = scene_of(MOST);
    OWNED(carom_worlds) *from = worlds_of(scene, 20, CAROM_F64, CAROM_ISA_DEFAULT, CAROM_FREEZE);
    OWNED(carom_worlds) *to = worlds_of(scene, 20, CAROM_F64, CAROM_ISA_DEFAULT, CAROM_FREEZE);
    static carom_result first[50 * 20], second[50 * 20];
    carom_step step = all_random(scene);
    step.results = first;
    step.ticks = 3;
    must(carom_worlds_play(from, &step), "carom_worlds_play");
    size_t order[20];
    for (size_t w = 0; w < 20; w++) {
        order[w] = 19 - w;
    }
    must(carom_worlds_copy(to, order, from, NULL, 20), "carom_worlds_copy");
    memset(first, 0, sizeof first);
    memset(second, 0, sizeof second);
    step.ticks = 50;
    must(carom_worlds_play(from, &step), "carom_worlds_play");
    step.results = second;
    must(carom_worlds_play(to, &step), "carom_worlds_play");
    unsigned ended = 0;
    for (size_t t = 0; t < 50; t++) {
        for (size_t w = 0; w < 20; w++) {
            assert_memory_equal(&first[t * 20 + w], &second[t * 20 + 19 - w], sizeof first[0]);
            ended += first[t * 20 + w].ticks > 0;
        }
    }
    assert_true(ended > 10);
}

/* ---- rollouts ---- */

/* Plays one sequence: returns of each player. numbers[player][tick][2], at tick `tick` of the game. */
static void play_plan(const carom_scene *scene, const carom_worlds *roots, size_t root, const float *numbers,
                      uint32_t players, double discount, double *returns)
{
    const carom_worlds_desc like = carom_worlds_describe(roots);
    OWNED(carom_worlds) *worlds = worlds_of(scene, 1, like.precision, like.isa, CAROM_FREEZE);
    must(carom_worlds_copy(worlds, NULL, roots, &root, 1), "carom_worlds_copy");
    double weight = 1;
    for (uint32_t p = 0; p < players; p++) {
        returns[p] = 0;
    }
    for (size_t t = 0; t < HORIZON; t++, weight *= discount) {
        float actions[MOST][2], rewards[MOST];
        for (uint32_t p = 0; p < players; p++) {
            memcpy(actions[p], numbers + (p * HORIZON + t) * 2, sizeof actions[p]);
        }
        PLAY(worlds, .actions = actions, .rewards = rewards);
        for (uint32_t p = 0; p < players; p++) {
            returns[p] += weight * (double)rewards[p];
        }
    }
    double x[1 + MOST], y[1 + MOST];
    if (like.precision == CAROM_F64) {
        get_field(worlds, "x", 0, 1, x);
        get_field(worlds, "y", 0, 1, y);
    } else {
        float narrow[2][1 + MOST];
        get_field(worlds, "x", 0, 1, narrow[0]);
        get_field(worlds, "y", 0, 1, narrow[1]);
        x[0] = (double)narrow[0][0], y[0] = (double)narrow[1][0];
    }
    const double loss = sqrt((x[0] - 1) * (x[0] - 1) + y[0] * y[0]);
    returns[0] += weight * -loss;
    for (uint32_t p = 1; p < players; p++) {
        returns[p] += weight * (loss / (players - 1));
    }
}

static void check_rollout(uint32_t players, carom_precision precision, carom_isa isa)
{
    enum { ROOTS = 18 };
    OWNED(carom_scene) *scene = scene_of(players);
    OWNED(carom_worlds) *roots = worlds_of(scene, ROOTS, precision, isa, CAROM_FREEZE);
    carom_rollout_desc desc = carom_rollout_desc_default(carom_scene_game(scene));
    double returns[ROOTS][K][MOST], wanted[K][MOST];
    uint32_t best[ROOTS * MOST];
    FREED float *numbers = calloc((size_t)MOST * ROOTS * K * HORIZON * 2, sizeof *numbers);
    assert_non_null(numbers);
    carom_step step = all_random(scene);
    step.ticks = 4;
    must(carom_worlds_play(roots, &step), "carom_worlds_play");
    desc.sequences = K;
    desc.horizon = HORIZON;
    desc.seed = SEED;
    desc.discount = 0.875;
    for (uint32_t p = 0; p < players; p += 2) { /* player 0 and 2 by the caller, 1 and 3 drawn */
        float *own = numbers + (size_t)p * ROOTS * K * HORIZON * 2;
        uint64_t rng = p + 1;
        for (size_t n = 0; n < (size_t)ROOTS * K * HORIZON * 2; n++) {
            own[n] = (float)rng_in(&rng, -1, 1);
        }
        desc.players[p].source = CAROM_GIVEN;
        desc.players[p].actions = own;
    }
    FREED double *flat = malloc(sizeof returns);
    assert_non_null(flat);
    must(carom_rollout(roots, &desc, flat, best, NULL), "carom_rollout");
    for (size_t root = 0; root < ROOTS; root++) {
        for (size_t k = 0; k < K; k++) {
            float plan[MOST * HORIZON * 2];
            for (uint32_t p = 0; p < players; p++) {
                for (uint32_t t = 0; t < HORIZON; t++) {
                    float *to = plan + (p * HORIZON + t) * 2;
                    if (p % 2 == 0) {
                        memcpy(to, numbers + (((p * ROOTS + root) * K + k) * HORIZON + t) * 2, 2 * sizeof *to);
                    } else {
                        must(carom_rollout_draw(carom_scene_game(scene), SEED, root, (uint32_t)k, t, p, to), "draw");
                    }
                }
            }
            play_plan(scene, roots, root, plan, players, desc.discount, wanted[k]);
            for (uint32_t p = 0; p < players; p++) {
                returns[root][k][p] = flat[(root * K + k) * players + p];
                assert_true(fabs(returns[root][k][p] - wanted[k][p]) < 1e-12 * (1 + fabs(wanted[k][p])));
            }
        }
        for (uint32_t p = 0; p < players; p++) {
            uint32_t first = 0;
            for (uint32_t k = 1; k < K; k++) {
                first = returns[root][k][p] > returns[root][first][p] ? k : first;
            }
            assert_int_equal(best[root * players + p], first);
        }
    }
}

TEST(test_rollout)
{
    for (uint32_t players = 1; players <= MOST; players++) {
        for (size_t k = 0; k < isa_count; k++) {
            check_rollout(players, CAROM_F32, isas[k]);
            check_rollout(players, CAROM_F64, isas[k]);
        }
    }
}

/* ---- searches ---- */

static carom_search_desc search_desc(const carom_scene *scene, unsigned player, carom_other other)
{
    carom_search_desc desc = carom_search_desc_default(carom_scene_game(scene));
    desc.player = player;
    desc.horizon = HORIZON;
    desc.sequences = 16;
    desc.rollouts = 96;
    desc.other = other;
    desc.other_share = 0.5;
    desc.other_rounds = 2;
    return desc;
}

/* The plan's reported value is its return against the others' plans. */
static void check_worth(const carom_scene *scene, const carom_worlds *roots, const carom_search *search,
                        const carom_search_desc *desc, uint32_t players)
{
    enum { ROOTS = 3 };
    float plans[MOST][ROOTS][HORIZON][2] = {{{{0}}}}, first[ROOTS][2];
    double values[ROOTS];
    must(carom_search_returns(search, values), "carom_search_returns");
    for (unsigned p = 0; p < players; p++) {
        must(carom_search_plan(search, p, &plans[p][0][0][0]), "carom_search_plan");
        if (desc->other == CAROM_OTHER_ZERO && p != desc->player) {
            memset(plans[p], 0, sizeof plans[p]);
        }
        must(carom_search_actions(search, p, first), "carom_search_actions");
        for (size_t root = 0; root < ROOTS; root++) {
            assert_memory_equal(first[root], plans[p][root][0], sizeof first[root]);
        }
    }
    for (size_t root = 0; root < ROOTS; root++) {
        float plan[MOST][HORIZON][2];
        double returns[MOST];
        for (unsigned p = 0; p < players; p++) {
            memcpy(plan[p], plans[p][root], sizeof plan[p]);
        }
        play_plan(scene, roots, root, &plan[0][0][0], players, 1, returns);
        assert_true(fabs(returns[desc->player] - values[root]) < 1e-9);
    }
}

/* In each of two rounds the others plan in their order, each with its part of half of the budget, then the player. */
static void check_turns(const carom_search *search, unsigned player, uint32_t players)
{
    carom_search_generation g;
    unsigned turns[2 * MOST] = {0}, turn_count = 0;
    uint64_t spent[2 * MOST] = {0};
    for (size_t k = 0; k < carom_search_last(search).generations; k++) {
        must(carom_search_generation_at(search, k, &g), "carom_search_generation_at");
        if (turn_count == 0 || turns[turn_count - 1] != g.player) {
            assert_true(turn_count < 2 * players);
            turns[turn_count++] = g.player;
        }
        spent[turn_count - 1] += g.rollouts;
    }
    assert_int_equal(turn_count, 2 * players);
    for (unsigned k = 0; k < turn_count; k++) {
        const unsigned at = k % players, other = at < player ? at : at + 1;
        assert_int_equal(turns[k], at + 1 == players ? player : other);
        assert_int_equal(spent[k], 3 * (at + 1 == players ? 24 : 24 / (players - 1)));
    }
}

TEST(test_search)
{
    static const carom_other others[] = {CAROM_OTHER_ZERO, CAROM_OTHER_PLAN, CAROM_OTHER_SEARCH};
    for (uint32_t players = 1; players <= MOST; players++) {
        OWNED(carom_scene) *scene = scene_of(players);
        OWNED(carom_worlds) *roots = worlds_of(scene, 3, CAROM_F64, CAROM_ISA_DEFAULT, CAROM_FREEZE);
        for (unsigned run = 0; run < 3 * players; run++) {
            const unsigned player = run / 3;
            const carom_search_desc desc = search_desc(scene, player, others[run % 3]);
            OWNED(carom_search) *search = NULL;
            must(carom_search_create(roots, &desc, &search), "carom_search_create");
            for (unsigned p = 0; p < players && desc.other == CAROM_OTHER_PLAN; p++) {
                float plan[3 * HORIZON * 2];
                for (size_t n = 0; n < sizeof plan / sizeof plan[0]; n++) {
                    plan[n] = 0.0625f * (float)((n * 7 + p * 5) % 32) - 1;
                }
                must(carom_search_set_plan(search, p, plan), "carom_search_set_plan");
            }
            must(carom_search_run(search, roots), "carom_search_run");
            check_worth(scene, roots, search, &desc, players);
            if (desc.other == CAROM_OTHER_SEARCH && players > 1) {
                check_turns(search, player, players);
            }
        }
    }
}

/* Policies and several candidates: all others play the same, and the plan's value is the mean. */
TEST(test_candidates)
{
    const carom_candidate both[2] = {{CAROM_OTHER_ZERO, 0}, {CAROM_OTHER_POLICY, 1}};
    for (uint32_t players = 2; players <= MOST; players++) {
        OWNED(carom_scene) *scene = scene_of(players);
        OWNED(carom_worlds) *roots = worlds_of(scene, 3, CAROM_F64, CAROM_ISA_DEFAULT, CAROM_FREEZE);
        carom_search_desc desc = search_desc(scene, players - 1, CAROM_OTHER_ZERO);
        OWNED(carom_search) *search = NULL;
        float plan[3 * HORIZON * 2];
        double values[3];
        desc.candidates = both;
        desc.candidate_count = 2;
        desc.against = CAROM_AGAINST_MEAN;
        must(carom_search_create(roots, &desc, &search), "carom_search_create");
        must(carom_search_run(search, roots), "carom_search_run");
        must(carom_search_plan(search, players - 1, plan), "carom_search_plan");
        must(carom_search_returns(search, values), "carom_search_returns");
        double sums[3] = {0};
        for (size_t c = 0; c < 2; c++) {
            carom_rollout_desc rolled = carom_rollout_desc_default(carom_scene_game(scene));
            double returns[3 * MOST];
            rolled.horizon = HORIZON;
            for (uint32_t p = 0; p < players; p++) {
                rolled.players[p].source = both[c].other == CAROM_OTHER_ZERO ? CAROM_ZERO : CAROM_POLICY;
                rolled.players[p].policy = both[c].policy;
            }
            rolled.players[players - 1].source = CAROM_BROADCAST;
            rolled.players[players - 1].actions = plan;
            must(carom_rollout(roots, &rolled, returns, NULL, NULL), "carom_rollout");
            for (size_t root = 0; root < 3; root++) {
                sums[root] += returns[root * players + players - 1];
            }
        }
        for (size_t root = 0; root < 3; root++) {
            assert_true(values[root] == sums[root] / 2);
        }
    }
}

/* Fictitious play is for two. */
TEST(test_fictitious)
{
    for (uint32_t players = 1; players <= MOST; players++) {
        OWNED(carom_scene) *scene = scene_of(players);
        OWNED(carom_worlds) *roots = worlds_of(scene, 3, CAROM_F64, CAROM_ISA_DEFAULT, CAROM_FREEZE);
        const carom_search_desc desc = search_desc(scene, 0, CAROM_OTHER_FICTITIOUS);
        OWNED(carom_search) *search = NULL;
        assert_int_equal(carom_search_create(roots, &desc, &search), players < 3 ? CAROM_OK : CAROM_ERROR_ARGUMENT);
    }
}

/* ---- replays ---- */

typedef struct stream {
    unsigned char bytes[1 << 18];
    size_t size;
} stream;

static bool put(void *user, const void *bytes, size_t size)
{
    stream *s = user;
    assert_true(s->size + size <= sizeof s->bytes);
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    return true;
}

/* Players acting in different kinds, or all in `kind`; recorded, verified and read back. */
static void check_replay(const carom_scene *scene, uint32_t players, bool mixed, size_t kind)
{
    static stream s;
    static const size_t kinds[MOST] = {1, 0, 2, 1}; /* impulse, normalised, velocity, impulse */
    OWNED(carom_worlds) *worlds = worlds_of(scene, WORLDS, CAROM_F64, CAROM_ISA_DEFAULT, CAROM_RESET);
    OWNED(carom_recorder) *recorder = NULL;
    OWNED(carom_replay) *replay = NULL;
    carom_problem problem = {""};
    carom_recorder_desc desc = carom_recorder_desc_default();
    carom_step step = all_random(scene);
    float floats[WORLDS][2];
    double doubles[WORLDS][2];
    for (size_t w = 0; w < WORLDS; w++) {
        for (size_t e = 0; e < 2; e++) {
            floats[w][e] = 0.125f * (float)((w * 3 + e) % 16) - 1;
            doubles[w][e] = 0.25 * (double)((w * 5 + e) % 8) - 1;
        }
    }
    s.size = 0;
    desc.write = put;
    desc.user = &s;
    must(carom_recorder_create(worlds, &desc, &recorder, &problem), "carom_recorder_create");
    step.action_kind = kind;
    for (uint32_t p = 0; p < players && mixed; p++) {
        step.players[p].source = CAROM_GIVEN;
        step.players[p].action_kind = kinds[p];
        step.players[p].actions = kinds[p] == 0 ? (const void *)floats : (const void *)doubles;
    }
    for (int t = 0; t < 30; t++) {
        must(carom_recorder_play(recorder, worlds, &step), "carom_recorder_play");
    }
    must(carom_recorder_end(recorder), "carom_recorder_end");
    if (carom_replay_open(s.bytes, s.size, &replay, &problem) != CAROM_OK) {
        fail_msg("%u players: %s", players, problem.text);
    }
    carom_replay_difference difference;
    must(carom_replay_verify(replay, CAROM_ISA_SCALAR, 0, NULL, NULL, &difference), "carom_replay_verify");
    assert_false(difference.found);
    size_t told[CAROM_MAX_PLAYERS];
    unsigned char actions[WORLDS * MOST * 2 * sizeof(double)], *at = actions;
    must(carom_replay_actions(replay, 29, told, actions, sizeof actions), "carom_replay_actions");
    for (size_t w = 0; w < WORLDS; w++) {
        for (uint32_t p = 0; p < players; p++) {
            assert_int_equal(told[p], mixed ? kinds[p] : kind);
            if (mixed && told[p] == 0) {
                assert_memory_equal(at, floats[w], sizeof floats[w]);
            } else if (mixed) {
                assert_memory_equal(at, doubles[w], sizeof doubles[w]);
            }
            at += 2 * (told[p] == 0 ? sizeof(float) : sizeof(double));
        }
    }
    for (uint32_t p = players; p < CAROM_MAX_PLAYERS; p++) {
        assert_int_equal(told[p], told[0]);
    }
}

TEST(test_replay)
{
    for (uint32_t players = 1; players <= MOST; players++) {
        carom_scene *scene = scene_of(players);
        OWNED_TEXT char *text = NULL;
        if (carom_scene_write_json(scene, &text) == CAROM_ERROR_UNSUPPORTED) {
            carom_scene_destroy(scene);
            skip(); /* no scene is recorded */
        }
        for (size_t kind = 0; kind < 3; kind++) {
            check_replay(scene, players, false, kind);
        }
        check_replay(scene, players, true, 0);
        carom_scene_destroy(scene);
    }
}
