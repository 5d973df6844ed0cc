/* SPDX-License-Identifier: MIT
 * The programs that play steps on a device (kernel/tick/one_step.h), compiled for this processor and launched by what
 * launches them there (kernel/device/step.c), against carom_worlds_play(), _expand(), _observe_step() and _restart():
 * random calls must leave the same bits in worlds, outputs, sums of rewards and counters.
 */
#include "test.h"

#include "device/step.h"
#include "games/game.h"
#include "ports/odd.h"
#include "ports/programs.h"
#include "worlds/layout.h"

#define DECLARE(name)                                                                                                  \
    extern const program carom_##name##_programs_f32[], carom_##name##_programs_f64[], carom_##name##_act;
DECLARE(csb)
DECLARE(fall)
DECLARE(fantastic_bits)
DECLARE(soccer)
DECLARE(stones)

static const struct {
    const char *game;
    const program *programs[2], *act;
} games[] = {
    {"csb", {carom_csb_programs_f32, carom_csb_programs_f64}, &carom_csb_act},
    {"fall", {carom_fall_programs_f32, carom_fall_programs_f64}, &carom_fall_act},
    {"fantastic_bits",
     {carom_fantastic_bits_programs_f32, carom_fantastic_bits_programs_f64},
     &carom_fantastic_bits_act},
    {"soccer", {carom_soccer_programs_f32, carom_soccer_programs_f64}, &carom_soccer_act},
    {"stones", {carom_stones_programs_f32, carom_stones_programs_f64}, &carom_stones_act},
};

/* The entries under test. */
#define ENTRY_NAME(name, task, program) #name,
static const char *const entries[] = {ONE_STEP_ENTRIES(ENTRY_NAME) ONE_RESTART_ENTRIES(ENTRY_NAME)
                                          ONE_ACT_ENTRIES(ENTRY_NAME)};

enum { WORLDS = 53, SHORT = 12, CALLS = 15, MOST_STEPS = 3, MOST_ROWS = WORLDS + 11 };

/* The batch that the library plays, the one that programs play, and their parents. */
typedef struct subject {
    const carom_game *game;
    const program *programs, *act;
    carom_precision precision;
    carom_worlds *library, *device, *parents;
    carom_counters *slots; /* of the device's batch */
    double *sums;
    uint32_t wrong;
    uint64_t rng;
    int launches[sizeof entries / sizeof entries[0]];
} subject;

/* ---- the device ---- */

/* Runs a program for all threads, backwards. */
static void run_all(const program *of, const void *task, size_t threads)
{
    for (size_t thread = threads; thread-- > 0;) {
        of->run(task, thread);
    }
}

/* The same, but some launches that play several steps become two, the second starting where the first ends. */
static void run_in_parts(subject *s, const program *of, const one_step_task *task)
{
    one_step_task part = *task;
    if (part.end - part.begin > 1 && rng_one_in(&s->rng, 2)) {
        part.end = part.begin + 1 + (uint64_t)rng_below(&s->rng, (int)(part.end - part.begin - 1));
        run_all(of, &part, part.threads);
        part.parents = NULL;
        part.from = NULL;
        part.begin = part.end;
        part.end = task->end;
    }
    run_all(of, &part, part.threads);
}

static bool plays_steps(const char *entry)
{
    return strcmp(entry, "play") == 0 || strcmp(entry, "step") == 0 || strcmp(entry, "staged") == 0;
}

static carom_status launch(const device_target *target, const char *entry, void *task, size_t task_bytes,
                           size_t threads)
{
    subject *s = (subject *)target->stream;
    uint64_t told;
    memcpy(&told, task, sizeof told);
    assert_int_equal(told, threads);
    assert_in_range(task_bytes, 1, ONE_TASK_BYTES);

    const program *found = strcmp(entry, s->act->entry) == 0 ? s->act : NULL;
    for (int k = 0; s->programs[k].entry != NULL && found == NULL; k++) {
        found = strcmp(s->programs[k].entry, entry) == 0 ? &s->programs[k] : NULL;
    }
    if (found == NULL) {
        fail_msg("there is no entry %s", entry);
    }
    for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++) {
        s->launches[k] += strcmp(entries[k], entry) == 0;
    }
    if (plays_steps(entry)) {
        run_in_parts(s, found, (const one_step_task *)task);
    } else {
        run_all(found, task, threads);
    }
    return CAROM_OK;
}

static one_batch batch_of(subject *s)
{
    const carom_worlds *worlds = s->device;
    const one_batch batch = {worlds->data,       worlds->context, worlds->seeds, worlds->desc.seed,
                             worlds->desc.count, s->sums,         s->slots,      &s->wrong};
    return batch;
}

static carom_counters counters_of(const subject *s)
{
    carom_counters all = {0};
    for (size_t k = 0; k < ONE_SLOTS; k++) {
        all.ticks += s->slots[k].ticks;
        all.events += s->slots[k].events;
        all.games += s->slots[k].games;
        all.goals += s->slots[k].goals;
        all.faults += s->slots[k].faults;
    }
    return all;
}

/* ---- batches ---- */

/* Every 16th world gets the greatest valid speed of its game: in most games it soon faults. */
static void throw_some(carom_worlds *worlds)
{
    size_t index = 0;
    carom_field field;
    if (carom_worlds_find_field(worlds, "vx", &index) != CAROM_OK) {
        index = field_index(worlds, "speed");
    }
    OK(carom_worlds_field(worlds, index, &field));
    FREED unsigned char *values = take((size_t)field.count * field.bytes);
    for (size_t w = 0; w < WORLDS; w += 16) {
        OK(carom_worlds_get(worlds, index, w, 1, values));
        carom_status status = CAROM_ERROR_VALUE;
        for (double speed = 0x1p30; status != CAROM_OK; speed /= 2) {
            const float narrow = (float)speed;
            memcpy(values, field.bytes == sizeof narrow ? (const void *)&narrow : &speed, field.bytes);
            status = carom_worlds_set(worlds, index, w, 1, values);
        }
    }
}

/* A batch in which some games end soon: early, by their options or their age, and by faults. */
static carom_worlds *make(const subject *s, uint64_t seed)
{
    unsigned char options[1024];
    assert_in_range(carom_game_options_size(s->game), 0, sizeof options);
    carom_worlds_desc desc = WORLDS_DESC(s->game, .count = WORLDS, .precision = s->precision, .seed = seed,
                                         .first_id = 70, .at_end = CAROM_RESET);
    bool brief = false;
    if (carom_game_options_size(s->game) != 0) {
        OK(carom_game_options_default(s->game, options));
        brief = carom_game_set_option(s->game, options, "ticks", SHORT, NULL) == CAROM_OK ||
                carom_game_set_option(s->game, options, "last_tick", SHORT, NULL) == CAROM_OK;
        choose_odd_options(s->game, options, seed);
        desc.options = options;
    }
    carom_worlds *worlds = make_worlds(&desc);
    uint64_t rng = seed;
    make_odd_worlds(worlds, &rng);
    int32_t ticks[WORLDS];
    for (int w = 0; w < WORLDS; w++) {
        ticks[w] = w % 3 == 0 ? (brief ? SHORT : 200) - 1 - w % 11 : w % 5;
    }
    set_field(worlds, "tick", 0, WORLDS, ticks);
    throw_some(worlds);
    return worlds;
}

static void begin(subject *s, uint64_t seed)
{
    const size_t places = (WORLDS + CAROM_TILE - 1) / CAROM_TILE * CAROM_TILE;
    s->library = make(s, seed);
    s->device = make(s, seed);
    s->parents = make(s, seed);
    s->slots = take(ONE_SLOTS * sizeof *s->slots);
    s->sums = take(places * CAROM_MAX_PLAYERS * sizeof *s->sums);
    if (rng_one_in(&s->rng, 2)) {
        OK(carom_worlds_take_seeds(s->library));
        OK(carom_worlds_take_seeds(s->device));
    }

    /* The parents are some ticks on. */
    carom_step step = STEP_WITH(.ticks = 3);
    for (uint32_t p = 0; p < s->game->info.players; p++) {
        step.players[p].source = CAROM_POLICY;
    }
    play_worlds(s->parents, &step);
}

static void end(subject *s)
{
    carom_worlds_destroy(s->library);
    carom_worlds_destroy(s->device);
    carom_worlds_destroy(s->parents);
    free(s->slots);
    free(s->sums);
}

static void compare(subject *s)
{
    const size_t bytes = carom_worlds_record_size(s->library) * WORLDS;
    FREED unsigned char *one = take(bytes), *other = take(bytes);
    OK(carom_worlds_get_records(s->library, NULL, WORLDS, one, bytes));
    OK(carom_worlds_get_records(s->device, NULL, WORLDS, other, bytes));
    assert_memory_equal(one, other, bytes);
    assert_memory_equal(s->library->data, s->device->data, s->library->layout.tile_bytes * s->library->tiles);

    const carom_counters all = counters_of(s);
    assert_memory_equal(&all, &s->library->counters, sizeof all);
    for (size_t k = 0; k < (size_t)WORLDS * s->game->info.players; k++) {
        const double sum = s->library->sums != NULL ? s->library->sums[k] : 0;
        assert_memory_equal(&sum, &s->sums[k], sizeof sum);
    }
    assert_int_equal(s->wrong, 0);
}

/* ---- random calls ---- */

/* A call without its outputs, which exist twice. */
typedef struct call {
    carom_step step;
    uint32_t rows[WORLDS], places[WORLDS];
    uint8_t skip[WORLDS];
    size_t from[WORLDS], count;
    bool expands, lists, plain;
    void *actions[CAROM_MAX_PLAYERS + 1];
} call;

/* Rows of actions of a kind, [step][row][size numbers of `players` players from `player` on]: those of a policy, and
 * odd ones. */
static void *draw_actions(subject *s, size_t kind, size_t rows, uint32_t player, uint32_t players)
{
    const size_t row = carom_game_row_bytes(s->game, kind), each = row / s->game->info.players;
    FREED unsigned char *all = take(WORLDS * row);
    unsigned char *drawn = take(MOST_STEPS * rows * each * players);
    for (size_t k = 0; k < MOST_STEPS * rows; k++) {
        if (k % WORLDS == 0) {
            const size_t policy = (size_t)rng_below(&s->rng, (int)s->game->info.policies);
            OK(carom_worlds_policy(s->library, policy, kind, all));
        }
        memcpy(drawn + k * each * players, all + k % WORLDS * row + player * each, each * players);
    }
    const carom_action_kind of = s->game->kinds[kind];
    make_odd_actions(of.precision, drawn, MOST_STEPS * rows, (size_t)players * of.size, &s->rng);
    return drawn;
}

/* The players, and their sources of actions. */
static void draw_players(subject *s, call *c, size_t rows)
{
    const uint32_t players = s->game->info.players;
    const size_t kinds = s->game->info.action_kinds;
    c->step.action_kind = (size_t)rng_below(&s->rng, (int)kinds);
    uint32_t sharing = 0;
    const bool plain = c->plain || rng_one_in(&s->rng, 3);
    for (uint32_t p = 0; p < players; p++) {
        static const carom_source sources[] = {CAROM_GIVEN, CAROM_GIVEN, CAROM_GIVEN, CAROM_ZERO, CAROM_POLICY};
        const carom_source source = plain ? CAROM_GIVEN : sources[rng_below(&s->rng, 5)];
        c->step.players[p].source = source;
        c->step.players[p].policy = (size_t)rng_below(&s->rng, (int)s->game->info.policies);
        if (source == CAROM_GIVEN && !plain && rng_one_in(&s->rng, 2)) {
            const bool mixes = s->game->mixes && rng_one_in(&s->rng, 2);
            const size_t kind = mixes ? (size_t)rng_below(&s->rng, (int)kinds) : c->step.action_kind;
            c->actions[p] = draw_actions(s, kind, rows, p, 1);
            c->step.players[p].action_kind = kind;
            c->step.players[p].actions = c->actions[p];
        }
        sharing += source == CAROM_GIVEN && c->actions[p] == NULL;
    }
    if (sharing != 0 && (plain || !rng_one_in(&s->rng, 4))) {
        c->actions[players] = draw_actions(s, c->step.action_kind, rows, 0, sharing);
        c->step.actions = c->actions[players];
    }
}

/* Which worlds, in which rows. */
static void draw_worlds(subject *s, call *c)
{
    carom_step *step = &c->step;
    step->first = rng_one_in(&s->rng, 2) ? 0 : (size_t)rng_below(&s->rng, WORLDS);
    step->count = rng_one_in(&s->rng, 2) ? 0 : 1 + (size_t)rng_below(&s->rng, WORLDS - (int)step->first);
    c->count = step->count != 0 ? step->count : WORLDS - step->first;
    step->action_rows = rng_one_in(&s->rng, 2) ? 0 : c->count + (size_t)rng_below(&s->rng, 11);
    step->observation_rows = rng_one_in(&s->rng, 2) ? 0 : c->count + (size_t)rng_below(&s->rng, 11);
    const size_t rows = step->action_rows != 0 ? step->action_rows : c->count;
    const size_t places = step->observation_rows != 0 ? step->observation_rows : c->count;
    const uint32_t turn = (uint32_t)rng_below(&s->rng, (int)places);
    for (size_t w = 0; w < c->count; w++) {
        c->rows[w] = (uint32_t)rng_below(&s->rng, (int)rows);
        c->places[w] = (uint32_t)(places - 1 - (w + turn) % places);
        c->skip[w] = rng_one_in(&s->rng, 3);
        c->from[w] = (size_t)rng_below(&s->rng, WORLDS);
    }
    step->rows = rng_one_in(&s->rng, 3) ? c->rows : NULL;
    step->places = rng_one_in(&s->rng, 3) ? c->places : NULL;
    step->skip = rng_one_in(&s->rng, 3) ? c->skip : NULL;
    c->expands = rng_one_in(&s->rng, 4);
    c->lists = rng_one_in(&s->rng, 2);
}

/* Removes features that only the most general program supports. */
static void make_plain(call *c)
{
    c->step.repeat = 1;
    c->step.observation_kind = c->step.observed = 0;
    c->expands = false;
}

/* silent: one of those that the least program plays. */
static void draw_call(subject *s, call *c, bool silent)
{
    const carom_game_info info = carom_game_describe(s->game);
    memset(c, 0, sizeof *c);
    c->step = carom_step_default();
    draw_worlds(s, c);
    c->plain = silent || rng_one_in(&s->rng, 3);
    draw_players(s, c, c->step.action_rows != 0 ? c->step.action_rows : c->count);
    c->step.ticks = 1 + (size_t)rng_below(&s->rng, MOST_STEPS);
    c->step.repeat = rng_one_in(&s->rng, 2) ? 1 : 1 + (size_t)rng_below(&s->rng, 4);
    c->step.at_end = (carom_at_end)rng_below(&s->rng, 4);
    c->step.reward_kind = (size_t)rng_below(&s->rng, (int)info.reward_kinds);
    c->step.observation_kind = (size_t)rng_below(&s->rng, (int)observation_kinds_on_devices(s->game));
    if (rng_one_in(&s->rng, 2)) {
        const carom_observation_kind kind = carom_game_seen(s->game, c->step.observation_kind);
        const uint64_t all = (UINT64_C(1) << kind.agents * info.players) - 1;
        c->step.observed = rng_next(&s->rng) & all;
    }
    if (c->plain) {
        make_plain(c);
    }
    if (silent) {
        c->step.skip = NULL;
    }
}

/* ---- outputs ---- */

/* The outputs of a call, initialised to the same bytes on both sides. */
typedef struct outputs {
    size_t bytes, at;
    unsigned char *memory;
} outputs;

static void *output(outputs *out, bool wanted, size_t bytes)
{
    void *at = out->memory + out->at;
    out->at += (bytes + 15) / 16 * 16;
    assert_in_range(out->at, 0, out->bytes);
    return wanted ? at : NULL;
}

/* wanted: which outputs, as bits. */
static carom_step with_outputs(const subject *s, const call *c, unsigned wanted, outputs *out)
{
    carom_step step = c->step;
    const uint32_t players = s->game->info.players;
    const carom_observation_kind kind = carom_game_seen(s->game, step.observation_kind);
    const size_t rows = step.observation_rows != 0 ? step.observation_rows : c->count, each = step.ticks * c->count;
    const size_t agents = step.observed != 0 ? (size_t)__builtin_popcountll(step.observed) : kind.agents * players;
    const size_t seen = step.ticks * rows * agents * kind.size * sizeof(float);
    const size_t rewarded = players * carom_game_rewarded(s->game, step.reward_kind);
    const size_t played = each * carom_game_row_bytes(s->game, step.action_kind);
    out->bytes = 2 * seen + each * (rewarded * sizeof(float) + 1 + sizeof(carom_result)) + played + 6 * 16;
    out->memory = take(out->bytes);
    memset(out->memory, 0x5a, out->bytes);

    bool plays = step.repeat == 1;
    for (uint32_t p = 0; p < players; p++) {
        plays &= step.players[p].actions == NULL || step.players[p].action_kind == step.action_kind;
    }
    step.observations = (float *)output(out, wanted & 1, seen);
    step.last_observations = (float *)output(out, wanted & 2, seen);
    step.rewards = (float *)output(out, wanted & 4, each * rewarded * sizeof(float));
    step.ends = (uint8_t *)output(out, wanted & 8, each);
    step.results = (carom_result *)output(out, wanted & 16, each * sizeof(carom_result));
    step.played = output(out, (wanted & 32) && plays, played);
    return step;
}

/* ---- the tests ---- */

static void same_outputs(const subject *s, const call *c, unsigned wanted, const outputs *one, const outputs *other)
{
    assert_int_equal(one->bytes, other->bytes);
    for (size_t k = 0; k < one->bytes; k++) {
        if (one->memory[k] != other->memory[k]) {
            fail_msg("%s, f%d: outputs %#x differ at byte %zu of %zu (%zu worlds, %zu steps of %zu)",
                     s->game->info.name, (int)s->precision, wanted, k, one->bytes, c->count, c->step.ticks,
                     c->step.repeat);
        }
    }
}

static device_target target_for(subject *s, unsigned char *scratch)
{
    const size_t places = s->device->tiles * CAROM_TILE;
    const device_target target = {s->device, s, batch_of(s), scratch, places, launch};
    return target;
}

/* One call on both batches. silent: without outputs. */
static void play_both(subject *s, bool silent)
{
    call c;
    outputs one = {0}, other = {0};
    draw_call(s, &c, silent);
    const unsigned all = silent ? 0 : (unsigned)rng_below(&s->rng, 64);
    const unsigned wanted = c.plain ? all % 16 : all;
    const carom_step here = with_outputs(s, &c, wanted, &one), there = with_outputs(s, &c, wanted, &other);
    const size_t *from = c.lists ? c.from : NULL;
    if (c.expands) {
        must(carom_worlds_expand(s->library, s->parents, from, &here), "carom_worlds_expand");
    } else {
        play_worlds(s->library, &here);
    }

    play p;
    FREED unsigned char *scratch = take(s->device->tiles * CAROM_TILE * carom_device_step_bytes(s->game));
    memset(scratch, 0xa5, s->device->tiles * CAROM_TILE * carom_device_step_bytes(s->game));
    OK(carom_play_ask(&p, s->device, &there));
    OK(c.expands ? carom_play_ask_parents(&p, s->parents, from) : CAROM_OK);
    const device_target target = target_for(s, scratch);
    OK(carom_device_play_on(&target, &p, c.expands ? s->parents->data : NULL));
    same_outputs(s, &c, wanted, &one, &other);
    compare(s);

    /* And observations of the current state. */
    if (here.observations != NULL) {
        OK(carom_worlds_observe_step(s->library, &here));
        OK(carom_play_ask_seen(&p, s->device, &there));
        OK(carom_device_observe_on(&target, &p));
        same_outputs(s, &c, wanted, &one, &other);
    }
    free(one.memory);
    free(other.memory);
    for (size_t k = 0; k <= CAROM_MAX_PLAYERS; k++) {
        free(c.actions[k]);
    }
}

/* New games in some worlds of both batches. */
static void restart_both(subject *s)
{
    uint8_t mask[WORLDS];
    uint64_t ids[WORLDS], seeds[WORLDS];
    for (size_t w = 0; w < WORLDS; w++) {
        mask[w] = rng_one_in(&s->rng, 3);
        ids[w] = rng_next(&s->rng);
        seeds[w] = rng_next(&s->rng);
    }
    const bool some = !rng_one_in(&s->rng, 4), named = rng_one_in(&s->rng, 2);
    const bool seeded = s->device->seeds != NULL && rng_one_in(&s->rng, 2);
    OK(carom_worlds_restart(s->library, some ? mask : NULL, named ? ids : NULL, seeded ? seeds : NULL));
    one_restart_task task = {
        WORLDS, batch_of(s), some ? mask : NULL, named ? ids : NULL, seeded ? seeds : NULL, s->device->seeds};
    const device_target target = target_for(s, NULL);
    OK(launch(&target, "restart", &task, sizeof task, task.threads));
    compare(s);
}

TEST(test_same_bits)
{
    uint64_t rng = test_seed(28);
    carom_counters all = {0};
    for (size_t g = 0; g < 2 * sizeof games / sizeof games[0]; g++) {
        subject s = {.game = carom_game_find(games[g / 2].game),
                     .programs = games[g / 2].programs[g % 2],
                     .act = games[g / 2].act,
                     .precision = g % 2 ? CAROM_F64 : CAROM_F32};
        assert_non_null(s.game);
        if (!program_is_asked(games[g / 2].game, g % 2 != 0)) {
            continue;
        }
        carom_counters done = {0};
        for (int n = 0; n < at_length(400, 40, 4); n++) {
            s.rng = rng_next(&rng);
            begin(&s, s.rng % 7);
            for (int k = 0; k < CALLS; k++) {
                play_both(&s, k % 3 == 2);
                if (rng_one_in(&s.rng, 4)) {
                    restart_both(&s);
                }
            }
            const carom_counters now = carom_worlds_counters(s.library);
            done.ticks += now.ticks;
            done.games += now.games;
            done.events += now.events;
            done.faults += now.faults;
            end(&s);
        }

        /* Every entry of these has been launched, and there was something to see. */
        for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++) {
            assert_true(s.launches[k] > 0);
        }
        all.games += done.games;
        all.events += done.events;
        all.faults += done.faults;
        assert_true(done.games > 0);
        print_message("%s, f%d: %llu ticks, %llu games, %llu faults\n", s.game->info.name, (int)s.precision,
                      (unsigned long long)done.ticks, (unsigned long long)done.games, (unsigned long long)done.faults);
    }
}

/* ---- lists with indices that do not exist ---- */

enum { WRONG = 7, LISTS = 3, LEVELS = 4 };

/* A step with a list in which the index of world WRONG is just beyond the array: of rows, of places, or of parents
 * (which is no member of the step). level: the outputs and repetitions, which select the step's entry, and finally
 * `observe`. */
static carom_step wrong_step(int list, int level, const uint32_t *indices, outputs *out, size_t seen)
{
    carom_step step = carom_step_default();
    step.rows = list == 0 ? indices : NULL;
    step.places = list == 1 ? indices : NULL;
    out->bytes = WORLDS * (seen + 1) * sizeof(float);
    out->memory = take(out->bytes);
    memset(out->memory, 0x5a, out->bytes);
    step.observations = (float *)output(out, level > 0, WORLDS * seen * sizeof(float));
    step.ends = (uint8_t *)output(out, level > 0, WORLDS);
    step.repeat = level == 2 ? 2 : 1;
    return step;
}

/* The world's row of observations is as it was before the step. */
static void assert_unseen(const outputs *out, size_t seen)
{
    for (size_t k = 0; k < seen * sizeof(float); k++) {
        assert_int_equal(out->memory[WRONG * seen * sizeof(float) + k], 0x5a);
    }
}

static void play_wrong(subject *s, int list, int level)
{
    begin(s, 1);
    uint32_t indices[WORLDS];
    size_t from[WORLDS];
    for (size_t w = 0; w < WORLDS; w++) {
        indices[w] = (uint32_t)(from[w] = w);
    }
    const size_t row = carom_game_row_bytes(s->game, 0), bytes = carom_worlds_record_size(s->device);
    const size_t seen = (size_t)s->game->info.players * s->game->info.observation_size;
    FREED unsigned char *actions = take(WORLDS * row), *scratch = take(64 * carom_device_step_bytes(s->game));
    FREED unsigned char *before = take(bytes), *after = take(bytes);
    outputs out = {0};
    carom_step step = wrong_step(list, level, indices, &out, seen);
    step.actions = actions;
    play p;
    if (level == LEVELS - 1) {
        OK(carom_play_ask_seen(&p, s->device, &step));
    } else {
        OK(carom_play_ask(&p, s->device, &step));
        OK(list == 2 ? carom_play_ask_parents(&p, s->parents, from) : CAROM_OK);
    }
    indices[WRONG] = WORLDS;
    from[WRONG] = WORLDS;

    OK(carom_worlds_get_world(s->device, WRONG, before, bytes));
    const device_target target = target_for(s, scratch);
    if (level == LEVELS - 1) {
        OK(carom_device_observe_on(&target, &p));
    } else {
        OK(carom_device_play_on(&target, &p, list == 2 ? s->parents->data : NULL));
        const carom_counters counts = counters_of(s);
        assert_in_range(counts.ticks + counts.faults, WORLDS - 1, (WORLDS - 1) * step.repeat);
    }
    OK(carom_worlds_get_world(s->device, WRONG, after, bytes));
    assert_memory_equal(before, after, bytes);
    assert_int_equal(s->wrong, 1);
    if (list == 1 && step.observations != NULL) {
        assert_unseen(&out, seen);
    }
    s->wrong = 0;
    free(out.memory);
    end(s);
}

/* Worlds with a row, place or parent beyond its array do not change, the others play, and the batch records it. */
TEST(test_wrong_indices)
{
    subject s = {.game = carom_game_find("csb"),
                 .programs = carom_csb_programs_f64,
                 .act = &carom_csb_act,
                 .precision = CAROM_F64};
    for (int k = 0; k < LISTS * LEVELS && program_is_asked("csb", true); k++) {
        const int list = k % LISTS, level = k / LISTS;
        if (level < LEVELS - 1 || list == 1) { /* `observe` has places alone */
            s.rng = (uint64_t)k;
            play_wrong(&s, list, level);
        }
    }
}
