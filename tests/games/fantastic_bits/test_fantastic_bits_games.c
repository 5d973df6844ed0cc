/* SPDX-License-Identifier: MIT
 * The game fantastic_bits against the referee: recorded games at every lane of a tile among garbage, the starts of
 * seeds, command lines, invalid states; and results do not depend on a batch's shape.
 *
 * Every run has another random seed: set CAROM_TEST_SEED to repeat one that failed.
 */
#include "fantastic_bits_batch.h"
#include "tests/games/changed_traces.h"

#include <time.h>

static uint64_t seed;

/* ---- traces ---- */

#define TURNS 90                         /* of a trace; `carom verify` plays them to their end */
#define PLACES (CAROM_TILE * CAROM_TILE) /* in every tile another lane plays the trace; all others are garbage */

static struct {
    fb_ref_world worlds[PLACES];
    double actions[PLACES][4][4];
} arena;

static fb_ref_world world_of(const fb_trace_state *s, const fb_trace *trace)
{
    fb_ref_world w;
    fb_ref_start(&w, trace->seed);
    memcpy(w.x, s->x, sizeof w.x);
    memcpy(w.y, s->y, sizeof w.y);
    memcpy(w.vx, s->vx, sizeof w.vx);
    memcpy(w.vy, s->vy, sizeof w.vy);
    memcpy(w.hold, s->hold, sizeof w.hold);
    memcpy(w.wait, s->wait, sizeof w.wait);
    memcpy(w.countdown, s->countdown, sizeof w.countdown);
    memcpy(w.target, s->target, sizeof w.target);
    memcpy(w.alive, s->alive, sizeof w.alive);
    memcpy(w.ignores, s->ignores, sizeof w.ignores);
    memcpy(w.last, s->last, sizeof w.last);
    memcpy(w.score, s->score, sizeof w.score);
    memcpy(w.mana, s->mana, sizeof w.mana);
    return w;
}

static void check_place(const fb_trace *trace, const fb_trace_turn *turn, const char *name, size_t t, carom_isa isa,
                        size_t place)
{
    fb_ref_world expected = world_of(&turn->state, trace), found = arena.worlds[place];
    if ((found.end == CAROM_TERMINATED) != turn->state.over[0])
        fail_msg("%s, turn %zu, %s, world %zu: over is not %d", name, t + 1, carom_isa_name(isa), place,
                 turn->state.over[0]);
    memcpy(expected.cast, found.cast, sizeof found.cast); /* not in traces */
    memcpy(expected.cast_target, found.cast_target, sizeof found.cast_target);
    expected.tick = found.tick;
    expected.end = found.end;
    expected.winner = found.winner;
    const char *field = fb_ref_difference(&found, &expected);
    if (field != NULL)
        fail_msg("%s, turn %zu, %s, world %zu: %s differs", name, t + 1, carom_isa_name(isa), place, field);
}

static void play_trace(const fb_trace *trace, const char *name, carom_isa isa)
{
    const size_t apart = (size_t)unless_short(1, 8); /* the lanes of two neighbouring tiles */
    const size_t tiles = (CAROM_TILE + apart - 1) / apart, places = tiles * CAROM_TILE;
    carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
    options.seeds = &trace->seed;
    options.seed_count = 1;
    OWNED(carom_worlds) *worlds =
        MAKE_WORLDS(fb_game(), .options = &options, .count = places, .isa = isa, .threads = 1);
    for (size_t t = 0; t < trace->base.turn_count && t < TURNS; t++) {
        fb_get_worlds(worlds, places, arena.worlds);
        for (size_t w = 0; w < places; w++) {
            const bool plays = w / CAROM_TILE * apart == w % CAROM_TILE;
            if (!plays && t % 7 == 0)
                arena.worlds[w] = fb_random_world(&seed);
            fb_random_referee(&seed, &arena.worlds[w], true, arena.actions[w]);
            if (plays)
                memcpy(arena.actions[w], trace->turns[t].actions, sizeof trace->turns[t].actions);
        }
        if (t % 7 == 0)
            fb_put_worlds(worlds, places, arena.worlds);
        PLAY(worlds, .action_kind = fb_kind("referee"), .actions = arena.actions);
        fb_get_worlds(worlds, places, arena.worlds);
        for (size_t k = 0; k < tiles; k++)
            check_place(trace, &trace->turns[t], name, t, isa, k * CAROM_TILE + k * apart);
    }
}

TEST(test_traces)
{
    static const char *const names[] = {"02_striker_rand",   "16_keeper_keeper",  "23_rand_rand",   "29_caster_caster",
                                        "34_carrier_rammer", "35_keeper_striker", "40_burst_rammer"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char path[1024], message[512];
        fb_trace trace;
        snprintf(path, sizeof path, "%s/trace_%s.txt", FB_DATA, names[n]);
        if (!trace_read(&fb_trace_format, path, &trace, message, sizeof message))
            fail_msg("%s", message);
        fb_ref_world start;
        fb_ref_start(&start, trace.seed);
        const fb_ref_world expected = world_of(&trace.start, &trace);
        assert_null(fb_ref_difference(&start, &expected));
        for (size_t k = 0; k < isa_count; k++)
            play_trace(&trace, names[n], isas[k]);
        trace_free(&trace);
    }
}

/* The reader accepts complete traces and names the line of damage. */
TEST(test_trace_reader)
{
    static const trace_change changes[] = {
        {1, "seed", "sead"},           {2, "snaffles 7", "snaffles 6"},
        {3, "post 13", "post 12"},     {7, "turn 0", "turn 1"},
        {8, "players 0", "players x"}, {9, "pod 0", "pod 1"},
        {9, " o 0", " o 9"},           {9, "-1", "-1 5"},
        {13, "alive 1", "alive 2"},    {13, "ignores -", "ignores 3"},
        {20, "last -1", "last 9"},     {22, "turn 1", "turn 2"},
        {23, "cmd 0", "cmd 1"},        {27, "steps 1", "steps 2"},
        {28, "over 0", "over 7"},      {30, "|", ""},
    };
    refuse_changes(&fb_trace_format, FB_DATA "/trace_29_caster_caster.txt", changes,
                   sizeof changes / sizeof changes[0]);

    /* The reader gives up on an endless stream of turns. */
    char message[TRACE_MESSAGE] = "";
    fb_trace full = {.base = {.format = &fb_trace_format, .turn_count = TRACE_TURNS}};
    trace_reader r = {.name = "F", .line = 9, .trace = &full.base, .message = message, .message_size = sizeof message};
    assert_null(trace_add_turn(&r));
    assert_true(r.failed);
    assert_string_equal(message, "F:9: more than 100000 turns");
}

/* ---- starts ---- */

TEST(test_starts)
{
    enum { COUNT = 200 };
    static fb_ref_world found[COUNT];
    int64_t seeds[COUNT];
    int sevens = 0;
    for (int k = 0; k < COUNT; k++)
        seeds[k] = k < 100 ? k - 50 : (int64_t)rng_next(&seed);
    carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
    options.seeds = seeds;
    options.seed_count = COUNT;
    carom_worlds_desc desc = WORLDS_DESC(fb_game(), .options = &options, .count = COUNT);
    carom_worlds *worlds = make_worlds(&desc);
    fb_get_worlds(worlds, COUNT, found);
    for (int k = 0; k < COUNT; k++) {
        fb_ref_world expected;
        fb_ref_start(&expected, seeds[k]);
        assert_null(fb_ref_difference(&found[k], &expected));
        sevens += expected.snaffles == 7;
    }
    assert_true(sevens > 60 && sevens < 140);
    carom_worlds_destroy(worlds);
    /* Drawn seeds: as many snaffles as wanted, and other games for other ids. */
    for (uint32_t wanted = 5; wanted <= 7; wanted += 2) {
        options = carom_fantastic_bits_options_default();
        options.snaffles = wanted;
        worlds = make_worlds(&desc);
        fb_get_worlds(worlds, COUNT, found);
        for (int k = 1; k < COUNT; k++)
            assert_true(found[k].snaffles == (int)wanted && memcmp(found[k].x, found[0].x, sizeof found[0].x) != 0);
        carom_worlds_destroy(worlds);
    }
    options.snaffles = 6;
    assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_ARGUMENT);
    options.snaffles = 5;
    options.seeds = seeds;
    assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_ARGUMENT);
    options.snaffles = 0;
    options.seed_count = 0;
    assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_ARGUMENT);
}

/* ---- command lines ---- */

/* Plays a line of wizard 0 as the first of a game (or with a snaffle in his hand and 7 mana): its score, over, mana. */
static void judge(const char *line, bool holding, int *score, int *over, int *mana)
{
    const int64_t seven = 1000; /* a seed with 7 snaffles */
    carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
    options.seeds = &seven;
    options.seed_count = 1;
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(fb_game(), .options = &options);
    fb_ref_world w;
    fb_get_worlds(worlds, 1, &w);
    assert_int_equal(w.snaffles, 7);
    double actions[4][4] = {{0}};
    for (int i = 0; i < 4; i++)
        must(carom_fantastic_bits_read_line("MOVE 8000 4000 0", actions[i]), "a good line");
    const carom_status status = carom_fantastic_bits_read_line(line, actions[0]);
    assert_true(status == CAROM_OK || (status == CAROM_ERROR_VALUE && actions[0][0] == CAROM_FANTASTIC_BITS_BAD));
    if (holding) {
        w.hold[0] = 4;
        w.mana[0] = 7;
        fb_put_worlds(worlds, 1, &w);
    }
    uint8_t end = 0;
    PLAY(worlds, .action_kind = fb_kind("referee"), .actions = actions, .ends = &end);
    fb_get_worlds(worlds, 1, &w);
    *score = w.score[0];
    *over = end != 0;
    *mana = w.mana[0];
}

TEST(test_commands)
{
    char line[512];
    int cases = 0;
    FILE *stream = fopen(FB_DATA "/commands.list", "rb");
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream) != NULL) {
        char verdict[16], text[256];
        int score, over, mana, found[3], at = 0;
        line[strcspn(line, "\n")] = '\0';
        assert_int_equal(sscanf(line, "%15s score %d over %d mana %d |%n", verdict, &score, &over, &mana, &at), 4);
        const bool holding = strstr(line + at, " holding |") == line + at;
        const char *from = strchr(line + at, '|') + 2;
        char *to = text;
        for (; *from != '\0'; from++) {
            const bool tabulator = from[0] == '\\' && from[1] == 't';
            *to++ = tabulator ? '\t' : *from;
            from += tabulator;
        }
        *to = '\0';
        judge(text, holding, &found[0], &found[1], &found[2]);
        if (found[0] != score || found[1] != over || found[2] != mana)
            fail_msg("'%s': score %d, over %d, mana %d instead of %d, %d, %d", text, found[0], found[1], found[2],
                     score, over, mana);
        cases++;
    }
    fclose(stream);
    assert_int_equal(cases, 43);
    double numbers[4];
    assert_int_equal(carom_fantastic_bits_read_line(NULL, numbers), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_fantastic_bits_read_line("MOVE 1 2 3", NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_fantastic_bits_read_line("MOVE -12 34 5 go", numbers), CAROM_OK);
    assert_true(numbers[0] == CAROM_FANTASTIC_BITS_MOVE && numbers[1] == -12 && numbers[2] == 34 && numbers[3] == 5);
    assert_int_equal(carom_fantastic_bits_read_line("FLIPENDO 12", numbers), CAROM_OK);
    assert_true(numbers[0] == CAROM_FANTASTIC_BITS_FLIPENDO && numbers[1] == 12);
}

/* Random bytes and damaged lines: read or refused, never more. */
TEST(test_fuzzed_lines)
{
    static const char *const good[] = {"MOVE 1 2 3", "THROW 99999999 -99999999 500 hey", "ACCIO 4", "PETRIFICUS -12 x"};
    for (int k = 0; k < unless_short(200000, 20000); k++) {
        char line[64];
        double numbers[4] = {NAN, NAN, NAN, NAN};
        snprintf(line, sizeof line, "%s", good[k % 4]);
        for (int n = rng_below(&seed, 3); n >= 0; n--)
            line[rng_below(&seed, (int)strlen(good[k % 4]) + 1)] = (char)rng_below(&seed, 256);
        const carom_status status = carom_fantastic_bits_read_line(line, numbers);
        assert_true((status == CAROM_OK) == (numbers[0] >= 0));
        assert_true(fabs(numbers[1]) <= 99999999 && fabs(numbers[2]) <= 99999999 && numbers[3] >= 0);
    }
}

/* ---- states set by the caller ---- */

TEST(test_refused_states)
{
    carom_worlds_desc desc = carom_worlds_desc_default(fb_game());
    const double nowhere[] = {NAN, INFINITY, 0.5, 16777217, -33554433};
    const struct {
        const char *field;
        int element, value;
    } cases[] = {{"hold", 1, 3},      {"hold", 0, 11},   {"hold", 2, -2},    {"wait", 0, 4},   {"wait", 3, -1},
                 {"countdown", 5, 7}, {"target", 2, 13}, {"target", 0, -2},  {"cast", 0, 4},   {"cast_target", 0, 13},
                 {"alive", 0, 2},     {"ignores", 0, 1}, {"ignores", 1, -1}, {"last", 1, 4},   {"score", 0, 8},
                 {"score", 0, -2},    {"mana", 1, 101},  {"mana", 0, -1},    {"winner", 0, 2}, {"snaffles", 0, 6}};
    OWNED(carom_worlds) *worlds = make_worlds(&desc);
    for (size_t k = 0; k < sizeof nowhere / sizeof nowhere[0]; k++) {
        static const char *const reals[] = {"x", "y"};
        double values[BODIES] = {0};
        values[k] = nowhere[k];
        for (size_t n = 0; n < 2; n++)
            assert_int_equal(carom_worlds_set(worlds, field_index(worlds, reals[n]), 0, 1, values), CAROM_ERROR_VALUE);
    }
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int8_t values[16];
        get_field(worlds, cases[k].field, 0, 1, values);
        values[cases[k].element] = (int8_t)cases[k].value;
        if (carom_worlds_set(worlds, field_index(worlds, cases[k].field), 0, 1, values) != CAROM_ERROR_VALUE)
            fail_msg("%s %d was taken", cases[k].field, cases[k].value);
    }
}

/* ---- the same bits everywhere ---- */

/* The digest of 200 worlds after 250 ticks of striker and random players; in the short form, of 20 worlds after 130.
 * They may change with the rules, the policies or the random numbers of the game; they never change with a compiler, a
 * machine, an instruction set, a number of threads or a batch size. */
static const uint64_t golden[2][2][2] = {
    /* referee, normalised */
    {{0x2de6bfc5bb7c071d, 0x4f710dacd483d2e0},  /* f32 */
     {0x85e4323dcedf790a, 0x66fe78bd97df8efd}}, /* f64 */
    /* in the short form */
    {{0x6be3e15f786f8c58, 0xb1fbfc8467db267c}, {0xc27f066ba81bfabb, 0x8d4e86a3aaa7aa55}},
};

/* Worlds [first, first + count) of the experiment; the sum of the digests of its parts is that of the whole. */
static uint64_t play_part(carom_precision precision, size_t kind, carom_isa isa, unsigned threads, size_t first,
                          size_t count, unsigned *faults)
{
    carom_action_kind of;
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(fb_game(), .precision = precision, .isa = isa, .threads = threads,
                                              .first_id = first, .count = count, .seed = 7, .at_end = CAROM_RESET);
    must(carom_game_action_kind(fb_game(), kind, &of), "carom_game_action_kind");
    FREED void *actions = calloc(count, (size_t)of.size * 2 * (of.precision / 8));
    assert_non_null(actions);
    for (int tick = 0; tick < unless_short(250, 130); tick++) {
        must(carom_worlds_policy(worlds, tick % 100 >= 60, kind, actions), "carom_worlds_policy");
        PLAY(worlds, .action_kind = kind, .actions = actions);
    }
    uint64_t digest = 0;
    must(carom_worlds_digest(worlds, &digest), "carom_worlds_digest");
    *faults += (unsigned)carom_worlds_counters(worlds).faults;
    return digest;
}

TEST(test_determinism)
{
    enum { MOST = 200, FEW = 20 };
    const size_t count = (size_t)unless_short(MOST, FEW), sizes[] = {count, 1, 16, 17, 67};
    for (int f64 = 0; f64 < 2; f64++) {
        for (size_t kind = 0; kind < 2; kind++) {
            for (size_t k = 0; k < isa_count; k++) {
                for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                    if (s > 0 && (kind > 0 || (k > 0 && k + 1 < isa_count)))
                        continue; /* sizes and threads: the narrowest and the widest do */
                    uint64_t digest = 0;
                    unsigned faults = 0;
                    for (size_t first = 0; first < count; first += sizes[s])
                        digest +=
                            play_part(f64 ? CAROM_F64 : CAROM_F32, kind, isas[k], s % 3 == 1 ? 1 : (unsigned)s + 1,
                                      first, count - first < sizes[s] ? count - first : sizes[s], &faults);
                    assert_int_equal(faults, 0);
                    if (digest != golden[count == FEW][f64][kind])
                        fail_msg("f%d, kind %zu, %s, batches of %zu: the digest is 0x%016llx", f64 ? 64 : 32, kind,
                                 carom_isa_name(isas[k]), sizes[s], (unsigned long long)digest);
                }
            }
        }
    }
}

/* Worlds that no play would make, in f32: the same on every instruction set, faults included. */
TEST(test_adversarial_f32)
{
    enum { COUNT = 67 };
    static fb_ref_world worlds[COUNT];
    static double actions[COUNT][4][4];
    carom_worlds *batches[CAROM_ISA_COUNT];
    const int rounds = unless_short(150, 15);
    size_t faults = 0;
    carom_worlds_desc desc = WORLDS_DESC(fb_game(), .count = COUNT, .precision = CAROM_F32, .threads = 1);
    for (size_t k = 0; k < isa_count; k++) {
        desc.isa = isas[k];
        batches[k] = make_worlds(&desc);
    }
    for (int round = 0; round < rounds; round++) {
        for (size_t w = 0; w < COUNT; w++) {
            worlds[w] = fb_random_world(&seed);
            for (int i = 0; i < BODIES; i++) {
                worlds[w].x[i] = fmin(worlds[w].x[i], 65536);
                worlds[w].vx[i] = fmin(worlds[w].vx[i], 131072);
            }
        }
        for (size_t k = 0; k < isa_count; k++)
            fb_put_worlds(batches[k], COUNT, worlds);
        for (int tick = 0; tick < 3; tick++) {
            uint64_t digests[CAROM_ISA_COUNT];
            unsigned bits = 0;
            for (size_t w = 0; w < COUNT; w++)
                fb_random_referee(&seed, &worlds[w], true, actions[w]);
            for (size_t k = 0; k < isa_count; k++) {
                carom_step step = STEP_WITH(.action_kind = fb_kind("referee"), .actions = actions);
                must(carom_worlds_play(batches[k], &step), "carom_worlds_play");
                must(carom_worlds_digest(batches[k], &digests[k]), "carom_worlds_digest");
                if (digests[k] != digests[0])
                    fail_msg("%s differs from %s", carom_isa_name(isas[k]), carom_isa_name(isas[0]));
            }
            faults += tick == 2 ? carom_worlds_faults(batches[0], &bits) : 0;
        }
    }
    printf("f32: %zu of %d worlds with a fault\n", faults, rounds * COUNT);
    assert_true(faults * 5 < (size_t)rounds * COUNT); /* those beyond the range, mostly */
    for (size_t k = 0; k < isa_count; k++)
        carom_worlds_destroy(batches[k]);
}

/* One tick in f32 from states of f64 games: nearly every body ends where it does in f64. */
TEST(test_precisions)
{
    enum { COUNT = 160 };
    static fb_ref_world a[COUNT];
    static double actions[COUNT][4][4];
    size_t bodies = 0, apart = 0;
    carom_worlds_desc desc = WORLDS_DESC(fb_game(), .count = COUNT, .seed = 5);
    OWNED(carom_worlds) *exact = make_worlds(&desc);
    desc.precision = CAROM_F32;
    OWNED(carom_worlds) *single = make_worlds(&desc);
    for (int tick = 0; tick < unless_short(150, 20); tick++) {
        carom_step step = STEP_WITH(.action_kind = fb_kind("referee"), .actions = actions);
        must(carom_worlds_policy(exact, 0, step.action_kind, actions), "carom_worlds_policy");
        fb_get_worlds(exact, COUNT, a);
        fb_put_worlds(single, COUNT, a);
        must(carom_worlds_play(exact, &step), "carom_worlds_play");
        must(carom_worlds_play(single, &step), "carom_worlds_play");
        fb_get_worlds(exact, COUNT, a);
        float x[COUNT][BODIES], y[COUNT][BODIES];
        get_field(single, "x", 0, COUNT, x);
        get_field(single, "y", 0, COUNT, y);
        for (size_t w = 0; w < COUNT; w++) {
            for (int i = 0; i < BODIES; i++) {
                bodies++;
                apart += fabs(x[w][i] - a[w].x[i]) > 2 || fabs(y[w][i] - a[w].y[i]) > 2;
            }
        }
    }
    unsigned bits = 0;
    assert_int_equal(carom_worlds_faults(single, &bits), 0);
    printf("f32: %zu of %zu bodies apart by more than 2 after a tick\n", apart, bodies);
    assert_true(apart * 200 < bodies);
}

SET_UP
{
    seed = test_seed((uint64_t)time(NULL));
}
