/* SPDX-License-Identifier: MIT
 * Options of a training step: a range of worlds, skipped worlds, repeated actions, what to do at the end of a game,
 * results, masks and scattered rows of observations, kinds of reward. Each is compared with ticks of the whole batch,
 * on every instruction set, in both precisions and for every game with players.
 */
#include "batch.h"

#define WORLDS 53
#define TICKS 14
#define SHORT 12       /* ticks of a game, of which some worlds see two ends */
#define MOST_SEEN 4608 /* floats a world */
#define MOST_REWARDS 22
#define UNTOUCHED 777.0F

typedef struct subject {
    const carom_game *game;
    carom_game_info info;
    carom_precision precision;
    carom_isa isa;
    size_t seen, agents; /* floats a world of the kind `raw`; agents of `own` */
} subject;

typedef struct outputs {
    float seen[WORLDS * MOST_SEEN], last[WORLDS * MOST_SEEN], rewards[WORLDS * MOST_REWARDS];
    uint8_t ends[WORLDS];
    carom_result results[WORLDS];
} outputs;

static outputs one, other, third;

static void clear(outputs *out)
{
    memset(out, 0, sizeof *out);
    for (size_t k = 0; k < WORLDS * MOST_SEEN; k++)
        out->last[k] = out->seen[k] = UNTOUCHED;
    memset(out->results, 0x5a, sizeof out->results);
}

/* A batch in which some games end soon. */
static carom_worlds *make(const subject *s, carom_at_end at_end, unsigned threads)
{
    carom_worlds_desc desc = carom_worlds_desc_default(s->game);
    carom_soccer_options soccer = carom_soccer_options_default();
    soccer.ticks = SHORT;
    carom_csb_options csb = carom_csb_options_default();
    csb.ticks = SHORT;
    desc.options = strcmp(s->info.name, "soccer") == 0 ? (const void *)&soccer
                   : strcmp(s->info.name, "csb") == 0  ? (const void *)&csb
                                                       : NULL;
    desc.count = WORLDS;
    desc.precision = s->precision;
    desc.isa = s->isa;
    desc.seed = 5;
    desc.first_id = 70;
    desc.threads = threads;
    desc.at_end = at_end;
    carom_worlds *worlds = make_worlds(&desc);
    const bool brief = strcmp(s->info.name, "csb") == 0 || strcmp(s->info.name, "soccer") == 0;
    const int last = brief ? SHORT : 200;
    int32_t ticks[WORLDS];
    for (int w = 0; w < WORLDS; w++)
        ticks[w] = w % 3 == 0 ? last - 1 - w % 11 : w % 5;
    set_field(worlds, "tick", 0, WORLDS, ticks);
    return worlds;
}

/* Both sides are played by policies, so that there is something to happen. */
static carom_step policies_of(const subject *s)
{
    carom_step step = STEP_WITH(.action_kind = find_kind(s->game, "normalised"));
    for (uint32_t p = 0; p < s->info.players; p++) {
        step.players[p].source = CAROM_POLICY;
        step.players[p].policy = p % s->info.policies;
    }
    return step;
}

static carom_step full(const subject *s, outputs *out)
{
    carom_step step = policies_of(s);
    step.observations = out->seen;
    step.last_observations = out->last;
    step.rewards = out->rewards;
    step.ends = out->ends;
    step.results = out->results;
    return step;
}

/* The games with policies, which may end, on every instruction set and in both precisions. */
static void for_all(void (*test)(const subject *s))
{
    for (size_t g = 0; g < 5; g++)
        for (size_t k = 0; k < 2 * isa_count; k++) {
            subject s = {.game = carom_game_at(g), .isa = isas[k / 2], .precision = k % 2 ? CAROM_F64 : CAROM_F32};
            carom_reward_kind own;
            s.info = carom_game_describe(s.game);
            s.seen = (size_t)s.info.players * s.info.observation_size;
            s.agents = carom_game_reward_kind(s.game, 2, &own) == CAROM_OK ? (size_t)s.info.players * own.agents : 0;
            if (s.info.players == 2)
                test(&s);
        }
}

/* ---- arguments ---- */

static void refuse(carom_worlds *worlds, const carom_step *step, const char *word)
{
    carom_problem problem = {""};
    const uint64_t digest = digest_of(worlds);
    assert_int_equal(carom_worlds_play(worlds, step), CAROM_ERROR_ARGUMENT);
    must(carom_worlds_problem(worlds, &problem), "carom_worlds_problem");
    if (strstr(problem.text, word) == NULL)
        fail_msg("\"%s\" does not name %s", problem.text, word);
    assert_true(digest_of(worlds) == digest && carom_worlds_counters(worlds).ticks == 0);
}

#define REFUSE(member, value, word)                                                                                    \
    do {                                                                                                               \
        carom_step bad = step;                                                                                         \
        bad.member = value;                                                                                            \
        refuse(worlds, &bad, word);                                                                                    \
    } while (0)

TEST(test_arguments)
{
    const subject s = {.game = carom_game_find("csb"),
                       .info = carom_game_describe(carom_game_find("csb")),
                       .precision = CAROM_F64,
                       .isa = CAROM_ISA_SCALAR};
    OWNED(carom_worlds) *worlds = make(&s, CAROM_RESET, 1);
    static uint32_t places[WORLDS];
    static uint32_t counts[WORLDS];
    carom_problem problem;
    const carom_step step = full(&s, &one);
    must(carom_worlds_problem(worlds, &problem), "carom_worlds_problem");
    assert_string_equal(problem.text, "");
    assert_int_equal(carom_worlds_problem(worlds, NULL), CAROM_ERROR_ARGUMENT);
    REFUSE(ticks, 0, "`ticks`");
    REFUSE(repeat, 0, "`repeat`");
    REFUSE(first, WORLDS, "`first`");
    REFUSE(count, WORLDS + 1, "`count`");
    REFUSE(at_end, (carom_at_end)4, "`at_end`");
    REFUSE(observation_kind, s.info.observation_kinds, "kind of observation");
    REFUSE(reward_kind, 3, "kind of reward");
    REFUSE(observed, 4, "`observed`");
    REFUSE(observation_rows, WORLDS - 1, "`observation_rows`");
    REFUSE(players[1].policy, 99, "player");
    carom_step bad = step;
    bad.first = WORLDS - 2;
    bad.count = 3;
    refuse(worlds, &bad, "`first`");
    bad = step;
    places[3] = WORLDS;
    bad.places = places;
    refuse(worlds, &bad, "`observation_rows`");
    bad = step;
    bad.repeat = 2;
    bad.event_counts = counts;
    refuse(worlds, &bad, "recording");
    bad.repeat = 1;
    bad.first = 8;
    refuse(worlds, &bad, "recording");
    bad = step;
    bad.observation_kind = 1;
    bad.observed = 1u << 4;
    refuse(worlds, &bad, "`observed`");
    bad = step;
    bad.observations = NULL;
    assert_int_equal(carom_worlds_observe_step(worlds, &bad), CAROM_ERROR_ARGUMENT);
}

/* ---- ranges and skipped worlds ---- */

/* Parts of the batch, one after the other, are the batch. */
TEST_BY(for_all, test_ranges, const subject *s)
{
    static const size_t ends[] = {1, 16, 30, 31, WORLDS};
    OWNED(carom_worlds) *whole = make(s, CAROM_RESET, 2), *parts = make(s, CAROM_RESET, 2);
    const size_t last = sizeof ends / sizeof ends[0];
    for (int t = 0; t < TICKS; t++) {
        clear(&one);
        clear(&other);
        carom_step step = full(s, &one);
        play_worlds(whole, &step);
        for (size_t k = 0, first = 0; k < last; first = ends[k++]) {
            step = full(s, &other);
            step.first = first;
            step.count = k + 1 < last ? ends[k] - first : 0; /* 0: the rest */
            step.observations += first * s->seen;
            step.last_observations += first * s->seen;
            step.rewards += first * s->info.players;
            step.ends += first;
            step.results += first;
            play_worlds(parts, &step);
        }
        assert_memory_equal(&one, &other, sizeof one);
    }
    assert_true(digest_of(whole) == digest_of(parts));
    const carom_counters a = carom_worlds_counters(whole), b = carom_worlds_counters(parts);
    assert_memory_equal(&a, &b, sizeof a);
}

/* Skipped worlds do not move, but are observed. */
TEST_BY(for_all, test_skips, const subject *s)
{
    OWNED(carom_worlds) *all = make(s, CAROM_RESET, 1), *some = make(s, CAROM_RESET, 2);
    uint64_t before[WORLDS], after[WORLDS], played[WORLDS];
    uint8_t skip[WORLDS];
    int8_t frozen[WORLDS];
    for (int w = 0; w < WORLDS; w++)
        skip[w] = w % 7 < 3 || (w >= 16 && w < 32);
    clear(&one);
    clear(&other);
    must(carom_worlds_hash(some, 0, WORLDS, before), "carom_worlds_hash");
    must(carom_worlds_observe(some, third.seen), "carom_worlds_observe");
    carom_step step = full(s, &one);
    play_worlds(all, &step);
    step = full(s, &other);
    step.skip = skip;
    play_worlds(some, &step);
    must(carom_worlds_hash(all, 0, WORLDS, played), "carom_worlds_hash");
    must(carom_worlds_hash(some, 0, WORLDS, after), "carom_worlds_hash");
    get_field(some, "frozen", 0, WORLDS, frozen);
    for (size_t w = 0; w < WORLDS; w++) {
        const float *seen = &other.seen[w * s->seen];
        assert_true(after[w] == (skip[w] ? before[w] : played[w]));
        assert_int_equal(frozen[w], 0);
        assert_memory_equal(seen, skip[w] ? &third.seen[w * s->seen] : &one.seen[w * s->seen], s->seen * sizeof(float));
        for (size_t p = 0; p < s->info.players; p++)
            assert_true(other.rewards[w * s->info.players + p] == (skip[w] ? 0 : one.rewards[w * s->info.players + p]));
        assert_int_equal(other.ends[w], skip[w] ? 0 : one.ends[w]);
    }
}

/* ---- held actions ---- */

/* `repeat` equals that many ticks with the same actions, skipping worlds after the end of their game. */
TEST_BY(for_all, test_repeats, const subject *s)
{
    static float actions[WORLDS * 2 * 256];
    uint64_t rng = 3;
    carom_action_kind kind;
    must(carom_game_action_kind(s->game, find_kind(s->game, "normalised"), &kind), "kind");
    for (size_t k = 0; k < (size_t)WORLDS * kind.size; k++)
        actions[k] = (float)rng_in(&rng, -1, 1);
    for (int at_end = CAROM_PLAY_ON; at_end <= CAROM_RESET; at_end++) {
        OWNED(carom_worlds) *held = make(s, (carom_at_end)at_end, 2), *ticks = make(s, (carom_at_end)at_end, 1);
        for (int t = 0; t < 4; t++) {
            uint8_t skip[WORLDS] = {0};
            clear(&one);
            clear(&other);
            carom_step step = full(s, &one);
            step.players[0].source = CAROM_GIVEN;
            step.actions = actions;
            step.repeat = 3;
            play_worlds(held, &step);
            for (int k = 0; k < 3; k++) {
                carom_step tick = step;
                tick.repeat = 1;
                tick.skip = skip;
                tick.observations = other.seen;
                tick.last_observations = other.last;
                tick.rewards = third.rewards;
                tick.ends = third.ends;
                tick.results = other.results;
                play_worlds(ticks, &tick);
                for (size_t w = 0; w < WORLDS; w++) {
                    other.ends[w] |= third.ends[w];
                    skip[w] = other.ends[w];
                    for (size_t p = 0; p < s->info.players; p++)
                        other.rewards[w * s->info.players + p] += third.rewards[w * s->info.players + p];
                }
            }
            assert_memory_equal(&one, &other, sizeof one);
            assert_true(digest_of(held) == digest_of(ticks));
        }
        assert_true(carom_worlds_counters(held).games > 0);
    }
}

/* ---- the end of games ---- */

TEST_BY(for_all, test_ends_by_call, const subject *s)
{
    for (int at_end = CAROM_PLAY_ON; at_end <= CAROM_RESET; at_end++) {
        OWNED(carom_worlds) *made = make(s, (carom_at_end)at_end, 1),
                            *told = make(s, (carom_at_end)((at_end + 1) % 3), 1);
        carom_step step = policies_of(s);
        step.ticks = TICKS;
        play_worlds(made, &step);
        step.at_end = (carom_at_end)at_end;
        play_worlds(told, &step);
        assert_true(digest_of(made) == digest_of(told));
    }
}

/* The winner as in the field of a frozen world, the score, the length and the sums of rewards. */
TEST_BY(for_all, test_results, const subject *s)
{
    for (size_t kind = 0; kind < s->info.reward_kinds; kind++) {
        OWNED(carom_worlds) *reset = make(s, CAROM_RESET, 2), *frozen = make(s, CAROM_FREEZE, 1);
        const size_t rewards = kind == 2 ? s->agents : s->info.players, each = rewards / s->info.players;
        double sums[WORLDS][2] = {{0}};
        bool over[WORLDS] = {false};
        int32_t ticks[WORLDS];
        size_t ended = 0;
        assert_true(rewards <= MOST_REWARDS);
        for (int t = 0; t < TICKS; t++) {
            int8_t winner[WORLDS];
            int16_t score16[WORLDS][2];
            int8_t score8[WORLDS][2];
            clear(&one);
            carom_step step = full(s, &one);
            step.reward_kind = kind;
            play_worlds(reset, &step);
            step = policies_of(s);
            play_worlds(frozen, &step);
            get_field(frozen, "winner", 0, WORLDS, winner);
            get_field(frozen, "tick", 0, WORLDS, ticks);
            if (strcmp(s->info.name, "soccer") == 0)
                get_field(frozen, "score", 0, WORLDS, score16);
            if (strcmp(s->info.name, "fantastic_bits") == 0)
                get_field(frozen, "score", 0, WORLDS, score8);
            for (size_t w = 0; w < WORLDS; w++) {
                const carom_result *r = &one.results[w];
                for (size_t agent = 0; agent < rewards; agent++)
                    sums[w][agent / each] += (double)one.rewards[w * rewards + agent];
                if (one.ends[w] == 0) {
                    assert_int_equal(r->winner, 0x5a5a5a5a);
                    continue;
                }
                ended++;
                assert_true(r->returns[0] == sums[w][0] && r->returns[1] == sums[w][1]);
                sums[w][0] = sums[w][1] = 0;
                if (over[w]) /* the frozen one has no second game */
                    continue;
                over[w] = true;
                assert_int_equal(r->winner, winner[w]);
                assert_int_equal(r->ticks, ticks[w]);
                for (int p = 0; p < 2; p++) {
                    if (strcmp(s->info.name, "soccer") == 0)
                        assert_int_equal(r->score[p], score16[w][p]);
                    if (strcmp(s->info.name, "fantastic_bits") == 0)
                        assert_int_equal(r->score[p], score8[w][p]);
                }
                for (size_t agent = 0; kind == 1 && agent < 2; agent++)
                    assert_true(one.rewards[w * 2 + agent] == (winner[w] < 0             ? 0.0F
                                                               : winner[w] == (int)agent ? 1.0F
                                                                                         : -1.0F));
            }
        }
        assert_true(ended > 10);
    }
}

/* Checkpoints, which no field counts. */
TEST(test_checkpoints)
{
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_game_find("csb"), .at_end = CAROM_FREEZE, .count = 8);
    int16_t next[8][4];
    int8_t won[8][4];
    carom_result got[500][8];
    static uint8_t ends[500][8];
    carom_step step = STEP_WITH(.ticks = 500);
    step.players[0].source = step.players[1].source = CAROM_POLICY;
    step.players[1].policy = 1;
    step.results = got[0];
    step.ends = ends[0];
    play_worlds(worlds, &step);
    get_field(worlds, "next", 0, 8, next);
    get_field(worlds, "won", 0, 8, won);
    for (int w = 0; w < 8; w++) {
        int t = 0;
        while (ends[t][w] == 0)
            t++;
        for (int p = 0; p < 2; p++) {
            const int a = next[w][2 * p] - 1 + won[w][2 * p], b = next[w][2 * p + 1] - 1 + won[w][2 * p + 1];
            assert_int_equal(got[t][w].score[p], a > b ? a : b);
        }
        assert_int_equal(got[t][w].ticks, t + 1);
        assert_true(got[t][w].score[0] > 2); /* race drives on */
    }
}

/* The sums of rewards so far go with a world to a batch that has never been played with results. */
TEST(test_sums_are_copied)
{
    carom_csb_options options = carom_csb_options_default();
    options.ticks = SHORT;
    carom_worlds_desc desc =
        WORLDS_DESC(carom_game_find("csb"), .options = &options, .count = 20, .at_end = CAROM_FREEZE);
    OWNED(carom_worlds) *whole = make_worlds(&desc), *copy = make_worlds(&desc);
    carom_result results[2][SHORT][20], copied[SHORT][20];
    carom_step step = STEP_WITH(.ticks = SHORT - 2);
    step.players[0].source = step.players[1].source = CAROM_POLICY;
    step.players[1].policy = 1;
    step.results = results[0][0];
    play_worlds(whole, &step);
    must(carom_worlds_copy(copy, NULL, whole, NULL, 20), "carom_worlds_copy");
    step.ticks = 2;
    step.results = results[1][0];
    play_worlds(whole, &step);
    step.results = copied[0];
    play_worlds(copy, &step);
    for (int w = 0; w < 20; w++) {
        const carom_result *r = &results[1][1][w];
        assert_int_equal(r->ticks, SHORT);
        assert_true(r->returns[0] != 0 && r->returns[1] != 0);
        assert_memory_equal(r->returns, copied[1][w].returns, sizeof r->returns);
    }
}

/* ---- observations ---- */

TEST_BY(for_all, test_masks, const subject *s)
{
    static float seen[2 * WORLDS * MOST_SEEN];
    OWNED(carom_worlds) *worlds = make(s, CAROM_RESET, 2);
    carom_step step = policies_of(s);
    uint32_t places[WORLDS];
    step.ticks = 3;
    play_worlds(worlds, &step);
    for (size_t kind = 0; kind < s->info.observation_kinds; kind++) {
        carom_observation_kind of;
        must(carom_game_observation_kind(s->game, kind, &of), "carom_game_observation_kind");
        const size_t agents = (size_t)of.agents * s->info.players, width = agents * of.size;
        assert_true(width <= MOST_SEEN && agents <= 64);
        step = carom_step_default();
        step.observation_kind = kind;
        clear(&one);
        step.observations = one.seen;
        must(carom_worlds_observe_step(worlds, &step), "carom_worlds_observe_step");
        for (uint64_t mask = 1; mask < 1ull << (agents < 5 ? agents : 5); mask++) {
            const size_t count = (size_t)__builtin_popcountll(mask), first = mask % 3 * 5;
            for (size_t w = 0; w < WORLDS; w++)
                places[w] = (uint32_t)(2 * WORLDS - 1 - 2 * w % (2 * WORLDS));
            for (size_t k = 0; k < 2 * WORLDS * MOST_SEEN; k++)
                seen[k] = UNTOUCHED;
            step.observations = seen;
            step.observed = mask;
            step.places = places;
            step.observation_rows = 2 * WORLDS;
            step.first = first;
            must(carom_worlds_observe_step(worlds, &step), "carom_worlds_observe_step");
            for (size_t w = 0; w < WORLDS - first; w++) {
                const float *row = &seen[places[w] * count * of.size];
                for (size_t agent = 0; agent < agents; agent++)
                    if ((mask >> agent & 1) != 0) {
                        assert_memory_equal(row, &one.seen[(w + first) * width + agent * of.size],
                                            of.size * sizeof(float));
                        row += of.size;
                    }
                assert_true(seen[(places[w] - 1) * count * of.size] == UNTOUCHED); /* between the rows */
            }
            step.first = 0;
        }
    }
}
