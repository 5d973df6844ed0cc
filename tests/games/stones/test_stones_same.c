/* SPDX-License-Identifier: MIT
 * The same bits everywhere: one experiment of stones has one digest on every instruction set, with any number of
 * threads, in batches of any size and in calls of any length.
 */
#include "stones_batch.h"

#define MOST ((size_t)300) /* worlds */
#define FEW ((size_t)36)   /* in the short form: two tiles and a part */
#define TICKS ((size_t)120)

/* The digests of the experiment, by rules and precision. They may change with the rules, the policies, the starts or
 * the random numbers of the game, and with the definition of the hash; never with a compiler, a machine or a number of
 * threads. */
static const uint64_t golden[2][2][2] = {
    /* f32, f64 */
    {{0x165eb60e9555ce9f, 0x6fa78f5d4eccc7a1},  /* as shipped */
     {0xf73dda07af724a1d, 0x4bac1f4ea4988d6c}}, /* as described */
    /* in the short form */
    {{0x005eddbe887616fe, 0x86b37e21260a909c}, {0x406167a56f238471, 0x74bb3af87f6253f3}},
};

static size_t world_count;

typedef struct variation {
    carom_isa isa;
    unsigned threads;
    size_t batch, ticks; /* worlds of a batch (MOST: all of them), ticks of a call */
} variation;

typedef struct experiment {
    carom_stones_rules rules;
    carom_precision precision;
    float (*actions)[MOST][2][4]; /* [TICKS] */
} experiment;

static carom_worlds *make(const experiment *e, const variation *v, size_t first, size_t count)
{
    carom_stones_options options = carom_stones_options_default();
    options.rules = e->rules;
    options.ticks = 70;
    return MAKE_WORLDS(carom_game_find("stones"), .options = &options, .count = count, .precision = e->precision,
                       .isa = v->isa, .threads = v->threads, .seed = 2026, .first_id = first, .at_end = CAROM_RESET);
}

/* Played by both policies, world w by number w % 2 of them, at width 1. Returns the digest. */
static uint64_t record(experiment *e)
{
    const variation first = {CAROM_ISA_SCALAR, 1, MOST, 1};
    OWNED(carom_worlds) *worlds = make(e, &first, 0, world_count);
    float(*choice)[2][4] = (float(*)[2][4])calloc(world_count, sizeof *choice);
    e->actions = (float(*)[MOST][2][4])calloc(TICKS, sizeof *e->actions);
    assert_true(choice != NULL && e->actions != NULL);
    carom_step step = STEP_WITH(.action_kind = NORMALISED);
    for (size_t t = 0; t < TICKS; t++) {
        for (size_t policy = 0; policy < 2; policy++) {
            must(carom_worlds_policy(worlds, policy, NORMALISED, choice), "carom_worlds_policy");
            for (size_t w = policy; w < world_count; w += 2) {
                memcpy(e->actions[t][w], choice[w], sizeof choice[w]);
            }
        }
        step.actions = e->actions[t];
        must(carom_worlds_play(worlds, &step), "carom_worlds_play");
    }
    const carom_counters counters = carom_worlds_counters(worlds);
    print_message("%" PRIu64 " games, %" PRIu64 " goals, %" PRIu64 " hits\n", counters.games, counters.goals,
                  counters.events);
    assert_true(counters.games >= world_count && counters.goals > world_count && counters.events > world_count);
    uint64_t digest = 0;
    must(carom_worlds_digest(worlds, &digest), "carom_worlds_digest");
    free(choice);
    return digest;
}

static uint64_t replay(const experiment *e, const variation *v)
{
    uint64_t sum = 0;
    uint32_t rows[MOST];
    for (size_t first = 0; first < world_count; first += v->batch) {
        const size_t count = world_count - first < v->batch ? world_count - first : v->batch;
        OWNED(carom_worlds) *worlds = make(e, v, first, count);
        carom_step step = STEP_WITH(.action_kind = NORMALISED, .action_rows = MOST, .rows = rows);
        for (size_t w = 0; w < count; w++) {
            rows[w] = (uint32_t)(first + w);
        }
        for (size_t t = 0; t < TICKS; t += v->ticks) {
            step.ticks = TICKS - t < v->ticks ? TICKS - t : v->ticks;
            step.actions = e->actions[t];
            must(carom_worlds_play(worlds, &step), "carom_worlds_play");
        }
        sum += digest_of(worlds);
    }
    return sum;
}

TEST(test_same)
{
    world_count = unless_short(MOST, FEW);
    static const variation ways[] = {
        {CAROM_ISA_DEFAULT, 1, MOST, 7}, {CAROM_ISA_DEFAULT, 2, MOST, 1}, {CAROM_ISA_DEFAULT, 7, MOST, TICKS},
        {CAROM_ISA_DEFAULT, 1, 1, 30},   {CAROM_ISA_DEFAULT, 2, 15, 7},   {CAROM_ISA_DEFAULT, 2, 17, 11},
        {CAROM_ISA_DEFAULT, 7, 100, 7},
    };
    int wrong = 0;
    for (int rules = 0; rules < 2; rules++) {
        for (int f64 = 0; f64 < 2; f64++) {
            experiment e = {(carom_stones_rules)rules, f64 ? CAROM_F64 : CAROM_F32, NULL};
            const uint64_t digest = record(&e);
            if (digest != golden[world_count == FEW][rules][f64]) {
                print_error("rules %d, f%d: digest 0x%016" PRIx64 "\n", rules, (int)e.precision, digest);
                wrong++;
            }
            for (size_t k = 0; k < isa_count; k++) {
                for (size_t n = 0; n < sizeof ways / sizeof ways[0]; n++) {
                    variation v = ways[n];
                    v.isa = isas[k];
                    if (replay(&e, &v) != digest) {
                        fail_msg("rules %d, f%d, %s, %u threads, batches of %zu, calls of %zu: another digest", rules,
                                 (int)e.precision, carom_isa_name(v.isa), v.threads, v.batch, v.ticks);
                    }
                }
            }
            free(e.actions);
        }
    }
    assert_int_equal(wrong, 0);
}
