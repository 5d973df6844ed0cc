/* SPDX-License-Identifier: MIT
 * Built-in policies that play a side within a step or a rollout: every game, policy, kind of action, precision and
 * instruction set, both sides. Their actions must equal those of carom_worlds_policy() before every tick.
 */
#include "base/random.h"
#include "batch.h"
#include "tests/scenes/scene_samples.h"

#define WORLDS 21
#define TICKS 6
#define MOST_ROW 8192 /* bytes of a world's actions */
#define PLAYERS CAROM_MAX_PLAYERS
#define SEQUENCES 3
#define CSB_STREAM 3 /* the purpose of its policies' draws */

typedef struct subject {
    const carom_game *game;
    carom_game_info info;
    carom_action_kind kinds[8];
    double dt;
    carom_precision precision;
    carom_isa isa;
    size_t policy, kind;
} subject;

typedef struct result {
    float rewards[TICKS][WORLDS][PLAYERS];
    uint8_t ends[TICKS][WORLDS];
    uint64_t digest;
} result;

static unsigned char all[WORLDS * MOST_ROW], other[WORLDS * MOST_ROW], part[WORLDS * MOST_ROW];
static scene_sample sample;

static carom_worlds *make(const subject *s, carom_isa isa, carom_at_end at_end)
{
    return MAKE_WORLDS(s->game, .count = WORLDS, .seed = 11, .precision = s->precision, .isa = isa, .at_end = at_end,
                       .threads = 2);
}

static size_t part_bytes(const subject *s)
{
    return (size_t)s->kinds[s->kind].size * (s->kinds[s->kind].precision / 8);
}

static carom_step step_of(const subject *s, result *to, size_t tick)
{
    carom_step step =
        STEP_WITH(.action_kind = s->kind, .dt = s->dt,
                  .rewards = &to->rewards[0][0][0] + tick * WORLDS * s->info.players, .ends = to->ends[tick]);
    return step;
}

/* The actions of the policy, or of another one. */
static void ask(const subject *s, const carom_worlds *worlds, size_t policy, unsigned char *actions)
{
    must(carom_worlds_policy(worlds, policy % s->info.policies, s->kind, actions), "carom_worlds_policy");
}

/* The other side's actions into those of all, or zeros; and alone. */
static void mix(const subject *s, unsigned played, bool zero)
{
    const size_t bytes = part_bytes(s);
    unsigned char *alone = part;
    for (size_t w = 0; w < WORLDS; w++) {
        for (size_t p = 0; p < s->info.players; p++) {
            const size_t at = (w * s->info.players + p) * bytes;
            if ((played >> p & 1) == 0) {
                if (zero)
                    memset(all + at, 0, bytes);
                else
                    memcpy(all + at, other + at, bytes);
                memcpy(alone, all + at, bytes);
                alone += bytes;
            }
        }
    }
}

static void let_play(const subject *s, carom_step *step, unsigned played, carom_source rest)
{
    for (size_t p = 0; p < PLAYERS; p++) {
        step->players[p].source = (played >> p & 1) != 0 ? CAROM_POLICY : rest;
        step->players[p].policy = (played >> p & 1) != 0 ? s->policy : (s->policy + 1) % s->info.policies;
    }
}

/* The players `played` by the policy; the rest by `rest`. Played tick by tick, and in one call if no actions are given.
 */
static void check_step(const subject *s, unsigned played, carom_source rest)
{
    static result want, got;
    OWNED(carom_worlds) *plain = make(s, CAROM_ISA_SCALAR, CAROM_RESET), *worlds = make(s, s->isa, CAROM_RESET);
    memset(&want, 0, sizeof want);
    memset(&got, 0, sizeof got);
    assert_true(part_bytes(s) * s->info.players <= MOST_ROW);
    for (size_t tick = 0; tick < TICKS; tick++) {
        ask(s, plain, s->policy, all);
        ask(s, plain, s->policy + 1, other);
        mix(s, played, rest == CAROM_ZERO);
        carom_step step = step_of(s, &want, tick);
        step.actions = all;
        must(carom_worlds_play(plain, &step), "carom_worlds_play");
        step = step_of(s, &got, rest == CAROM_GIVEN ? tick : 0);
        let_play(s, &step, played, rest);
        step.actions = rest == CAROM_GIVEN ? part : NULL;
        step.ticks = rest == CAROM_GIVEN ? 1 : TICKS;
        if (rest == CAROM_GIVEN || tick == 0)
            must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    }
    must(carom_worlds_digest(plain, &want.digest), "digest");
    must(carom_worlds_digest(worlds, &got.digest), "digest");
    if (memcmp(&want, &got, sizeof want) != 0)
        fail_msg("%s, %s by %s, f%d, %s, players %u, the others by %d: differs", s->info.name, s->kinds[s->kind].name,
                 carom_game_policy_name(s->game, s->policy), (int)s->precision, carom_isa_name(s->isa), played,
                 (int)rest);
}

/* ---- rollouts ---- */

/* The sequence k of every root, played plainly: returns[root][player]. The other side's numbers are given, or 0. */
static void roll_plainly(const subject *s, unsigned played, const unsigned char *given, size_t k, double *returns)
{
    static result got;
    const size_t bytes = part_bytes(s);
    OWNED(carom_worlds) *worlds = make(s, CAROM_ISA_SCALAR, CAROM_FREEZE);
    memset(returns, 0, WORLDS * s->info.players * sizeof *returns);
    for (size_t tick = 0; tick < TICKS; tick++) {
        ask(s, worlds, s->policy, all);
        for (size_t w = 0; w < WORLDS; w++)
            for (size_t p = 0; p < s->info.players; p++)
                if ((played >> p & 1) == 0)
                    memcpy(all + (w * s->info.players + p) * bytes,
                           given + ((w * SEQUENCES + k) * TICKS + tick) * bytes, bytes);
        carom_step step = step_of(s, &got, 0);
        step.actions = all;
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        for (size_t e = 0; e < WORLDS * s->info.players; e++)
            returns[e] += (double)(&got.rewards[0][0][0])[e];
    }
    int8_t faults[WORLDS];
    get_field(worlds, "fault", 0, WORLDS, faults);
    for (size_t e = 0; e < WORLDS * s->info.players; e++)
        returns[e] = faults[e / s->info.players] != 0 ? -INFINITY : returns[e];
}

static void check_rollout(const subject *s, unsigned played)
{
    const size_t bytes = part_bytes(s), players = s->info.players, total = WORLDS * SEQUENCES;
    unsigned char *given = (unsigned char *)calloc(total * TICKS, bytes);
    double *want = (double *)calloc(WORLDS * players, sizeof *want),
           *got = (double *)calloc(total * players, sizeof *got);
    OWNED(carom_worlds) *roots = make(s, s->isa, CAROM_FREEZE);
    uint64_t rng = 5;
    carom_rollout_desc desc = carom_rollout_desc_default(s->game);
    assert_true(given != NULL && want != NULL && got != NULL);
    desc.sequences = SEQUENCES;
    desc.horizon = TICKS;
    desc.action_kind = s->kind;
    desc.final_weight = 0;
    for (size_t e = 0; e < total * TICKS * s->kinds[s->kind].size && s->kinds[s->kind].precision == CAROM_F32; e++)
        ((float *)(void *)given)[e] = (float)rng_in(&rng, -1, 1);
    for (size_t p = 0; p < players; p++) {
        desc.players[p].source = (played >> p & 1) != 0                     ? CAROM_POLICY
                                 : s->kinds[s->kind].precision == CAROM_F32 ? CAROM_GIVEN
                                                                            : CAROM_ZERO;
        desc.players[p].policy = s->policy;
        desc.players[p].actions = given;
    }
    must(carom_rollout(roots, &desc, got, NULL, NULL), "carom_rollout");
    for (size_t k = 0; k < SEQUENCES; k++) {
        roll_plainly(s, played, given, k, want);
        for (size_t w = 0; w < WORLDS; w++)
            if (memcmp(want + w * players, got + (w * SEQUENCES + k) * players, players * sizeof *want) != 0)
                fail_msg("%s, %s by %s, f%d, %s, players %u: root %zu, sequence %zu differs", s->info.name,
                         s->kinds[s->kind].name, carom_game_policy_name(s->game, s->policy), (int)s->precision,
                         carom_isa_name(s->isa), played, w, k);
    }
    /* The best sequence starts with the policy's action. */
    ask(s, roots, s->policy, all);
    for (unsigned p = 0; p < players; p++) {
        must(carom_rollout_best(roots, &desc, p, part, NULL, NULL), "carom_rollout_best");
        for (size_t w = 0; w < WORLDS; w++) {
            const unsigned char *policy = all + (w * players + p) * bytes, *mine = part + w * bytes;
            bool same = memcmp(mine, policy, bytes) == 0;
            for (size_t k = 0; k < SEQUENCES && (played >> p & 1) == 0; k++)
                same = same || memcmp(mine, given + (w * SEQUENCES + k) * TICKS * bytes, bytes) == 0;
            assert_true(same);
        }
    }
    free(given);
    free(want);
    free(got);
}

/* ---- every game ---- */

static void check_all(const carom_game *game, double dt, void (*check)(const subject *s))
{
    subject s = {.game = game, .info = carom_game_describe(game), .dt = dt};
    assert_true(s.info.action_kinds <= 8);
    for (size_t k = 0; k < s.info.action_kinds; k++)
        must(carom_game_action_kind(game, k, &s.kinds[k]), "carom_game_action_kind");
    for (s.policy = 0; s.policy < s.info.policies; s.policy++)
        for (s.kind = 0; s.kind < s.info.action_kinds; s.kind++)
            for (int f64 = 0; f64 < 2; f64++)
                for (size_t i = 0; i < isa_count; i++) {
                    s.precision = f64 ? CAROM_F64 : CAROM_F32;
                    s.isa = isas[i];
                    check(&s);
                }
}

static void check_steps(const subject *s)
{
    const unsigned everyone = (1u << s->info.players) - 1;
    for (unsigned played = 0; played <= everyone; played++) {
        check_step(s, played, CAROM_GIVEN);
        check_step(s, played, CAROM_ZERO);
        check_step(s, played, CAROM_POLICY);
    }
}

/* Those of them that the short form plays if a step takes long. */
static void check_few_steps(const subject *s)
{
    check_step(s, 1, CAROM_GIVEN);
    check_step(s, (1u << s->info.players) - 1, CAROM_POLICY);
}

static void check_rollouts(const subject *s)
{
    for (unsigned played = 1; played < 1u << s->info.players; played++)
        check_rollout(s, played);
}

TEST(test_steps)
{
    for (size_t g = 0; g < carom_game_count(); g++)
        check_all(carom_game_at(g), 0, check_steps);
}

TEST(test_rollouts)
{
    for (size_t g = 0; g < carom_game_count(); g++)
        check_all(carom_game_at(g), 0, check_rollouts);
}

/* Many sequences of a root, several tiles of them and one shared with the next root: the returns are those of each
 * sequence by itself. */
TEST(test_tiles_of_a_root)
{
    enum { ROOTS = 2, MANY = 100, DEEP = 4, NUMBERS = 4 };
    static float given[ROOTS][MANY][DEEP][NUMBERS], alone[ROOTS][1][DEEP][NUMBERS];
    static double returns[ROOTS][MANY][2], one[ROOTS][1][2];
    uint64_t rng = 8;
    carom_worlds_desc start = WORLDS_DESC(carom_game_find("csb"), .count = ROOTS, .threads = 1, .precision = CAROM_F64);
    OWNED(carom_worlds) *roots = make_worlds(&start);
    for (size_t n = 0; n < sizeof given / sizeof(float); n++)
        (&given[0][0][0][0])[n] = (float)rng_in(&rng, -1, 1);
    for (size_t policy = 0; policy < 4; policy++) { /* `ram` sees the other side from the first tick on */
        carom_rollout_desc desc = carom_rollout_desc_default(start.game);
        desc.horizon = DEEP;
        desc.action_kind = find_kind(start.game, "normalised");
        desc.players[0].source = CAROM_GIVEN;
        desc.players[1].source = CAROM_POLICY;
        desc.players[1].policy = policy;
        desc.players[0].actions = given;
        desc.sequences = MANY;
        must(carom_rollout(roots, &desc, **returns, NULL, NULL), "carom_rollout");
        desc.players[0].actions = alone;
        desc.sequences = 1;
        for (size_t k = 0; k < MANY; k++) {
            for (size_t root = 0; root < ROOTS; root++)
                memcpy(alone[root][0], given[root][k], sizeof given[root][k]);
            must(carom_rollout(roots, &desc, **one, NULL, NULL), "carom_rollout");
            for (size_t root = 0; root < ROOTS; root++)
                assert_memory_equal(returns[root][k], one[root][0], sizeof one[root][0]);
        }
    }
}

TEST(test_scenes)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        scene_sample_make(&sample, 502, false);
        sample.desc.engine = (carom_engine)engine;
        for (uint32_t k = 0; k < sample.desc.body_count; k++)
            sample.bodies[k].acts = k % 2 == 0 && !isinf(sample.bodies[k].mass);
        sample.desc.action_scale = sample.scale;
        OWNED(carom_scene) *scene = make_scene(&sample.desc);
        check_all(carom_scene_game(scene), sample.dt, unless_short(1, 0) ? check_steps : check_few_steps);
    }
}

/* ---- draws ---- */

/* Drivers of csb that all drive away from their targets draw their thrusts below 61. In these worlds one of the four
 * words must be drawn again, for there are 57 more of them than a multiple of 61. */
TEST(test_drawn_again)
{
    static const struct {
        uint64_t id;
        int32_t tick;
        uint32_t word;
    } cases[] = {{10946, 241, 0}, {46332, 256, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        double x[16][4], y[16][4], cx[16][4], cy[16][4], angle[16][4];
        int32_t ticks[16];
        float actions[16][8];
        bool again = false;
        carom_worlds_desc desc =
            WORLDS_DESC(carom_game_find("csb"), .count = 16, .seed = 1, .first_id = cases[c].id - 5);
        OWNED(carom_worlds) *worlds = make_worlds(&desc);
        get_field(worlds, "x", 0, 16, x);
        get_field(worlds, "y", 0, 16, y);
        get_field(worlds, "cx", 0, 16, cx);
        get_field(worlds, "cy", 0, 16, cy);
        for (size_t w = 0; w < 16; w++) {
            ticks[w] = cases[c].tick;
            for (int i = 0; i < 4; i++)
                angle[w][i] = atan2(y[w][i] - cy[w][i], x[w][i] - cx[w][i]);
        }
        set_field(worlds, "angle", 0, 16, angle);
        set_field(worlds, "tick", 0, 16, ticks);
        must(carom_worlds_policy(worlds, 0, find_kind(desc.game, "relative"), actions), "carom_worlds_policy");
        for (size_t w = 0; w < 16; w++) {
            random_stream plain = random_begin(1, desc.first_id + w, CSB_STREAM, (uint32_t)cases[c].tick);
            for (uint32_t i = 0; i < 4; i++) {
                random_stream next = plain;
                const float thrust = (float)random_below(&plain, 61);
                (void)random_word(&next);
                again = again || (w == 5 && i == cases[c].word && memcmp(&next, &plain, sizeof next) != 0);
                assert_true(actions[w][2 * i + 1] == thrust);
            }
        }
        assert_true(again);
    }
}

/* ---- arguments ---- */

TEST(test_arguments)
{
    const carom_game *csb = carom_game_find("csb");
    const carom_game_info info = carom_game_describe(csb);
    carom_worlds_desc desc = WORLDS_DESC(csb, .count = 3);
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    const carom_step defaults = carom_step_default();
    assert_true(defaults.players[0].source == CAROM_GIVEN && defaults.players[1].source == CAROM_GIVEN);
    double returns[3 * PLAYERS];
    float actions[3 * 4];
    for (unsigned p = 0; p < info.players; p++) {
        carom_step step = carom_step_default();
        carom_rollout_desc rolled = carom_rollout_desc_default(csb);
        step.players[p].source = rolled.players[p].source = CAROM_POLICY;
        step.players[p].policy = rolled.players[p].policy = info.policies - 1;
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        must(carom_rollout(worlds, &rolled, returns, NULL, NULL), "carom_rollout");
        step.players[p].policy = rolled.players[p].policy = info.policies;
        assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_rollout(worlds, &rolled, returns, NULL, NULL), CAROM_ERROR_ARGUMENT);
        assert_int_equal(carom_rollout_best(worlds, &rolled, p, actions, NULL, NULL), CAROM_ERROR_ARGUMENT);
        step.players[p].policy = 0;
        const carom_source refused[] = {CAROM_DRAWN, CAROM_BROADCAST, (carom_source)(CAROM_GAUSSIAN + 1)};
        for (size_t k = 0; k < 3; k++) {
            step.players[p].source = refused[k];
            assert_int_equal(carom_worlds_play(worlds, &step), CAROM_ERROR_ARGUMENT);
        }
        rolled.players[p].source = (carom_source)(CAROM_GAUSSIAN + 1);
        assert_int_equal(carom_rollout(worlds, &rolled, returns, NULL, NULL), CAROM_ERROR_ARGUMENT);
        rolled.players[p].source = CAROM_ZERO;
        must(carom_rollout_best(worlds, &rolled, p, actions, NULL, NULL), "carom_rollout_best");
        for (size_t k = 0; k < 3 * 4; k++)
            assert_true(actions[k] == 0);
    }
    /* A player beyond the game's is not read. */
    desc = carom_worlds_desc_default(carom_game_find("fall"));
    OWNED(carom_worlds) *alone = make_worlds(&desc);
    carom_step step = carom_step_default();
    step.players[1].source = CAROM_DRAWN;
    must(carom_worlds_play(alone, &step), "carom_worlds_play");
}
