/* SPDX-License-Identifier: MIT
 * Shared by the golden tests of games and scenes: a batch of any game (or scene) is played, observed, recorded and
 * rolled out, and all outputs are added to digests.
 */
#ifndef CAROM_TESTS_GOLDEN_GOLDEN_PLAY_H
#define CAROM_TESTS_GOLDEN_GOLDEN_PLAY_H

#include "golden.h"

#define GOLDEN_WORLDS ((size_t)35) /* two tiles and a part */
#define GOLDEN_DEEPEST ((size_t)3) /* ticks of the longest call */
#define GOLDEN_MOST_EVENTS ((size_t)32)
#define GOLDEN_KINDS 4
#define GOLDEN_POLICIES 6
#define GOLDEN_PLAYING 4     /* the first policies play, this many; the choices of all are added */
#define GOLDEN_K ((size_t)5) /* of rollouts */
#define GOLDEN_H ((size_t)6)
#define GOLDEN_ROOM ((size_t)4 << 20)

typedef struct golden_subject {
    const carom_game *game;
    const void *options;
    carom_at_end at_end;
    size_t calls;
    double dt; /* 0: the game's own */
    bool no_rollouts;
    unsigned device; /* 0: this processor; others leave out what only this one supports: see golden_sums */
    void (*start)(carom_worlds *worlds, const void *user); /* NULL: the game's default */
    const void *user;
} golden_subject;

/* A game as in the tables: a kind of action without digests is not played. */
static inline carom_game_info golden_describe(const carom_game *game)
{
    carom_game_info info = carom_game_describe(game);
    size_t later = 0;
    if (strcmp(info.name, "csb") == 0) {
        must(carom_game_find_action_kind(game, "normalised_full", &later), "normalised_full");
        info.action_kinds = (uint32_t)later;
    }
    return info;
}

/* One running digest a kind of output. */
typedef struct golden_sums {
    uint64_t state, counters, observations, last_observations, rewards, ends, events, moved;
    uint64_t policy[GOLDEN_POLICIES][GOLDEN_KINDS];
    uint64_t drawn, broadcast, given[GOLDEN_KINDS], best; /* rollouts */
    bool there;                                           /* of a device: without events, moved and best */
} golden_sums;

/* What is being played, and the arrays of a call. */
typedef struct golden_run {
    const golden_subject *subject;
    carom_game_info info;
    carom_worlds *worlds;
    uint64_t random;
    golden_sums *sums;
    unsigned char *chosen, *actions; /* by a policy: [world][player][number]; and of the call's ticks */
    float *observations, *last_observations, *rewards;
    uint8_t *ends;
    carom_result *results;
    carom_event *events;
    uint32_t *event_counts;
    double *moved;
    unsigned char *room; /* on a device: its first `used` bytes are copies of `sent` arrays */
    size_t used, sent;
} golden_run;

static inline void *golden_array(size_t count, size_t size)
{
    void *array = calloc(count, size);
    assert_non_null(array);
    return array;
}

/* ---- arrays on both sides ----
 *
 * A batch on a device reads and writes copies of the arrays there, which all are in one room. */

/* The argument for an array: the array itself, or its copy on the device. */
static inline void *golden_send(golden_run *run, const void *array, size_t bytes)
{
    const unsigned device = run->subject->device;
    if (device == 0)
        return (void *)(uintptr_t)array;
    void *const copy = run->room + run->used;
    run->used += (bytes + 255) / 256 * 256;
    run->sent++;
    assert_true(run->used <= GOLDEN_ROOM);
    must(carom_device_write(device, copy, array, bytes, NULL), "carom_device_write");
    return copy;
}

/* Ends what golden_send() started: copies the call's results to the array, unless it is NULL. */
static inline void golden_receive(golden_run *run, void *array, const void *sent, size_t bytes)
{
    const unsigned device = run->subject->device;
    if (device == 0)
        return;
    if (array != NULL)
        must(carom_device_read(device, array, sent, bytes, NULL), "carom_device_read");
    run->sent--;
    if (run->sent == 0)
        run->used = 0;
}

/* ---- actions ---- */

static inline carom_action_kind golden_kind(const golden_run *run, size_t kind)
{
    carom_action_kind of;
    must(carom_game_action_kind(run->subject->game, kind, &of), "carom_game_action_kind");
    return of;
}

static inline double golden_number(uint64_t *random)
{
    static const double special[] = {0.0, -0.0, 1,  -1,   0.95, -0.95,    0.5,       2,       3,
                                     100, 201,  -7, 1e30, NAN,  INFINITY, -INFINITY, 1048576, 2097152};
    switch (rng_below(random, 4)) {
    case 0:
        return special[rng_below(random, (int)(sizeof special / sizeof special[0]))];
    case 1:
        return rng_in(random, -20, 220);
    case 2:
        return rng_in(random, 0, 16000);
    default:
        return rng_in(random, -1, 1);
    }
}

/* Now and then one of `count` numbers becomes another one, an odd one even. */
static inline void golden_disturb(golden_run *run, carom_precision precision, unsigned char *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (!rng_one_in(&run->random, 5))
            continue;
        const double number = golden_number(&run->random);
        const float narrow = (float)number;
        if (precision == CAROM_F32)
            memcpy(numbers + k * sizeof narrow, &narrow, sizeof narrow);
        else
            memcpy(numbers + k * sizeof number, &number, sizeof number);
    }
}

/* The policy's choice in most worlds; in every fourth it is disturbed. */
static inline void golden_choose(golden_run *run, size_t policy, size_t kind, size_t ticks)
{
    const carom_action_kind of = golden_kind(run, kind);
    const size_t row = run->info.players * of.size, bytes = row * (of.precision / 8);
    if (run->info.policies > 0)
        must(carom_worlds_policy(run->worlds, policy, kind, run->chosen), "carom_worlds_policy");
    else
        memset(run->chosen, 0, GOLDEN_WORLDS * bytes);
    for (size_t t = 0; t < ticks; t++) {
        unsigned char *const at = run->actions + t * GOLDEN_WORLDS * bytes;
        memcpy(at, run->chosen, GOLDEN_WORLDS * bytes);
        for (size_t w = 3; w < GOLDEN_WORLDS; w += run->info.policies > 0 ? 4 : 1)
            golden_disturb(run, of.precision, at + w * bytes, row);
    }
}

static inline void golden_add_policies(golden_run *run)
{
    for (size_t policy = 0; policy < run->info.policies; policy++) {
        for (size_t kind = 0; kind < run->info.action_kinds; kind++) {
            const carom_action_kind of = golden_kind(run, kind);
            must(carom_worlds_policy(run->worlds, policy, kind, run->chosen), "carom_worlds_policy");
            golden_add_reals(&run->sums->policy[policy][kind], of.precision, run->chosen,
                             GOLDEN_WORLDS * run->info.players * of.size);
        }
    }
}

/* ---- calls ---- */

static inline void golden_clear(golden_run *run, size_t ticks)
{
    const size_t rows = ticks * GOLDEN_WORLDS, seen = rows * run->info.players * run->info.observation_size;
    memset(run->observations, 0, seen * sizeof *run->observations);
    memset(run->last_observations, 0, seen * sizeof *run->last_observations);
    memset(run->events, 0, rows * GOLDEN_MOST_EVENTS * sizeof *run->events);
    memset(run->moved, 0, rows * run->info.bodies * 4 * sizeof *run->moved);
}

static inline void golden_add_event(uint64_t *sum, const carom_event *event)
{
    const uint32_t words[4] = {event->first, event->second, event->part, event->kind};
    const double numbers[6] = {event->left, event->x, event->y, event->nx, event->ny, event->impulse};
    golden_add_bytes(sum, words, sizeof words);
    golden_add_f64s(sum, numbers, 6);
}

/* Only worlds that moved: the entries of others are unspecified. */
static inline void golden_add_moved(golden_run *run, size_t ticks, const int8_t resting[GOLDEN_WORLDS])
{
    const size_t numbers = (size_t)run->info.bodies * 4;
    int8_t faults[GOLDEN_WORLDS];
    get_field(run->worlds, "fault", 0, GOLDEN_WORLDS, faults);
    for (size_t w = 0; w < GOLDEN_WORLDS; w++) {
        bool moves = resting[w] == 0 && faults[w] == 0;
        for (size_t t = 0; t < ticks; t++) { /* a fault after which the next game has started */
            const size_t row = t * GOLDEN_WORLDS + w;
            moves = moves && (run->ends[row] == 0 || run->results[row].fault == 0);
        }
        for (size_t t = 0; t < ticks && moves; t++) {
            const size_t row = t * GOLDEN_WORLDS + w;
            golden_add_f64s(&run->sums->moved, run->moved + row * numbers, numbers);
            moves = run->ends[row] == 0 || run->subject->at_end != CAROM_FREEZE;
        }
    }
}

/* resting: which worlds were frozen before the call. */
static inline void golden_add_call(golden_run *run, size_t ticks, const int8_t resting[GOLDEN_WORLDS])
{
    golden_sums *const sums = run->sums;
    const size_t rows = ticks * GOLDEN_WORLDS, players = rows * run->info.players;
    golden_add_f32s(&sums->observations, run->observations, players * run->info.observation_size);
    golden_add_f32s(&sums->last_observations, run->last_observations, players * run->info.observation_size);
    golden_add_f32s(&sums->rewards, run->rewards, players);
    golden_add_bytes(&sums->ends, run->ends, rows);
    if (run->subject->device != 0)
        return;
    golden_add_bytes(&sums->events, run->event_counts, rows * sizeof *run->event_counts);
    for (size_t row = 0; row < rows; row++)
        for (size_t k = 0; k < GOLDEN_MOST_EVENTS && k < run->event_counts[row]; k++)
            golden_add_event(&sums->events, &run->events[row * GOLDEN_MOST_EVENTS + k]);
    golden_add_moved(run, ticks, resting);
}

/* Plays on a device, without events and motion. */
static inline void golden_call_there(golden_run *run, size_t kind, size_t ticks)
{
    const carom_action_kind of = golden_kind(run, kind);
    const size_t rows = ticks * GOLDEN_WORLDS, players = rows * run->info.players;
    const size_t acted = players * of.size * (of.precision / 8), paid = players * sizeof(float);
    const size_t seen = paid * run->info.observation_size, results = rows * sizeof *run->results;
    carom_step step = carom_step_default();
    step.ticks = ticks;
    step.action_kind = kind;
    step.dt = run->subject->dt;
    step.actions = golden_send(run, run->actions, acted);
    step.observations = (float *)golden_send(run, run->observations, seen);
    step.last_observations = (float *)golden_send(run, run->last_observations, seen);
    step.rewards = (float *)golden_send(run, run->rewards, paid);
    step.ends = (uint8_t *)golden_send(run, run->ends, rows);
    step.results = (carom_result *)golden_send(run, run->results, results);
    play_worlds(run->worlds, &step);
    golden_receive(run, NULL, step.actions, acted);
    golden_receive(run, run->observations, step.observations, seen);
    golden_receive(run, run->last_observations, step.last_observations, seen);
    golden_receive(run, run->rewards, step.rewards, paid);
    golden_receive(run, run->ends, step.ends, rows);
    golden_receive(run, run->results, step.results, results);
}

static inline void golden_call(golden_run *run, size_t policy, size_t kind, size_t ticks)
{
    int8_t resting[GOLDEN_WORLDS];
    get_field(run->worlds, "frozen", 0, GOLDEN_WORLDS, resting);
    golden_choose(run, policy, kind, ticks);
    golden_clear(run, ticks);
    if (run->subject->device != 0)
        golden_call_there(run, kind, ticks);
    else
        PLAY(run->worlds, .ticks = ticks, .action_kind = kind, .dt = run->subject->dt, .actions = run->actions,
             .observations = run->observations, .last_observations = run->last_observations, .rewards = run->rewards,
             .ends = run->ends, .results = run->results, .events = run->events, .event_counts = run->event_counts,
             .event_capacity = GOLDEN_MOST_EVENTS, .moved = run->moved);
    golden_add_call(run, ticks, resting);
}

/* Gives a world the greatest valid velocity of its game: it leaves its range, or nearly. */
static inline void golden_throw(golden_run *run, size_t world)
{
    size_t index = 0;
    carom_field field;
    if (carom_worlds_find_field(run->worlds, "vx", &index) != CAROM_OK)
        return;
    must(carom_worlds_field(run->worlds, index, &field), "carom_worlds_field");
    unsigned char *values = (unsigned char *)golden_array(field.count, field.bytes);
    must(carom_worlds_get(run->worlds, index, world, 1, values), "carom_worlds_get");
    carom_status status = CAROM_ERROR_VALUE;
    for (double speed = 0x1p30; speed > 1 && status != CAROM_OK; speed /= 2) {
        const float narrow = (float)speed;
        if (field.bytes == sizeof narrow)
            memcpy(values, &narrow, sizeof narrow);
        else
            memcpy(values, &speed, sizeof speed);
        status = carom_worlds_set(run->worlds, index, world, 1, values);
    }
    free(values);
}

static inline void golden_add_state(golden_run *run)
{
    uint64_t hashes[GOLDEN_WORLDS], digest = 0;
    unsigned bits = 0;
    must(carom_worlds_hash(run->worlds, 0, GOLDEN_WORLDS, hashes), "carom_worlds_hash");
    must(carom_worlds_digest(run->worlds, &digest), "carom_worlds_digest");
    const carom_counters counters = carom_worlds_counters(run->worlds);
    const uint64_t counts[] = {
        counters.ticks, counters.events, counters.games, counters.goals, carom_worlds_faults(run->worlds, &bits), bits};
    golden_add_bytes(&run->sums->state, hashes, sizeof hashes);
    golden_add_word(&run->sums->state, digest);
    golden_add_bytes(&run->sums->counters, counts, sizeof counts);
    const size_t seen = GOLDEN_WORLDS * run->info.players * run->info.observation_size;
    float *const sent = (float *)golden_send(run, run->observations, seen * sizeof *run->observations);
    must(carom_worlds_observe(run->worlds, sent), "carom_worlds_observe");
    golden_receive(run, run->observations, sent, seen * sizeof *run->observations);
    golden_add_f32s(&run->sums->observations, run->observations, seen);
}

/* ---- rollouts ---- */

/* A player's actions for every root, k and tick (or, to be broadcast, for every root and tick). */
static inline unsigned char *golden_rollout_actions(golden_run *run, size_t kind, bool broadcast)
{
    const carom_action_kind of = golden_kind(run, kind);
    const size_t bytes = of.size * (of.precision / 8), each = GOLDEN_H * (broadcast ? 1 : GOLDEN_K);
    unsigned char *actions = (unsigned char *)golden_array(GOLDEN_WORLDS * each, bytes);
    for (size_t w = 0; w < GOLDEN_WORLDS; w++) {
        for (size_t k = 0; k < each; k++) {
            unsigned char *const at = actions + (w * each + k) * bytes;
            if (run->info.policies > 0)
                memcpy(at, run->chosen + w * run->info.players * bytes, bytes);
            golden_disturb(run, of.precision, at, of.size);
        }
    }
    return actions;
}

static inline void golden_add_rollout(golden_run *run, const carom_rollout_desc *desc, uint64_t *sum)
{
    static double returns[GOLDEN_WORLDS * GOLDEN_K * CAROM_MAX_PLAYERS];
    static uint32_t best[GOLDEN_WORLDS * CAROM_MAX_PLAYERS];
    carom_worlds_desc finals_desc = carom_worlds_describe(run->worlds);
    carom_worlds *finals;
    uint64_t digest = 0;
    finals_desc.options = run->subject->options;
    finals_desc.count = GOLDEN_WORLDS * GOLDEN_K;
    finals = make_worlds(&finals_desc);
    double *const sent_returns = (double *)golden_send(run, returns, sizeof returns);
    uint32_t *const sent_best = (uint32_t *)golden_send(run, best, sizeof best);
    must(carom_rollout(run->worlds, desc, sent_returns, sent_best, finals), "carom_rollout");
    golden_receive(run, returns, sent_returns, sizeof returns);
    golden_receive(run, best, sent_best, sizeof best);
    must(carom_worlds_digest(finals, &digest), "carom_worlds_digest");
    golden_add_f64s(sum, returns, GOLDEN_WORLDS * GOLDEN_K * run->info.players);
    golden_add_bytes(sum, best, GOLDEN_WORLDS * run->info.players * sizeof *best);
    golden_add_word(sum, digest);
    carom_worlds_destroy(finals);
}

/* The result of carom_rollout_best() for the last player. */
static inline void golden_add_best(golden_run *run, const carom_rollout_desc *desc)
{
    const carom_action_kind of = golden_kind(run, desc->action_kind);
    uint32_t best[GOLDEN_WORLDS];
    double value[GOLDEN_WORLDS];
    if (run->subject->device != 0)
        return;
    must(carom_rollout_best(run->worlds, desc, run->info.players - 1, run->actions, best, value), "carom_rollout_best");
    golden_add_reals(&run->sums->best, of.precision, run->actions, GOLDEN_WORLDS * of.size);
    golden_add_bytes(&run->sums->best, best, sizeof best);
    golden_add_f64s(&run->sums->best, value, GOLDEN_WORLDS);
}

static inline void golden_add_rollouts(golden_run *run)
{
    carom_rollout_desc desc = carom_rollout_desc_default(run->subject->game);
    const size_t normalised = desc.action_kind, last = run->info.players - 1;
    desc.sequences = GOLDEN_K;
    desc.horizon = GOLDEN_H;
    desc.seed = 77;
    golden_add_rollout(run, &desc, &run->sums->drawn);
    golden_add_best(run, &desc);
    desc.discount = 0.875;
    desc.final_weight = 0.3;
    for (size_t kind = 0; kind < run->info.action_kinds; kind++) {
        desc.action_kind = kind;
        golden_choose(run, 0, kind, 1);
        unsigned char *const given = golden_rollout_actions(run, kind, false);
        unsigned char *const broadcast = golden_rollout_actions(run, kind, true);
        const carom_action_kind of = golden_kind(run, kind);
        const size_t shared = GOLDEN_WORLDS * GOLDEN_H * of.size * (of.precision / 8), all = shared * GOLDEN_K;
        void *const sent_given = golden_send(run, given, all), *const sent_broadcast =
                                                                   golden_send(run, broadcast, shared);
        desc.players[0].source = desc.players[1].source = CAROM_GIVEN;
        desc.players[0].actions = desc.players[1].actions = sent_given;
        golden_add_rollout(run, &desc, &run->sums->given[kind]);
        golden_add_best(run, &desc);
        desc.players[last].source = CAROM_BROADCAST;
        desc.players[last].actions = sent_broadcast;
        golden_add_rollout(run, &desc, &run->sums->broadcast);
        if (kind == normalised && last > 0) {
            desc.players[0].source = CAROM_DRAWN;
            desc.players[0].actions = NULL;
            golden_add_rollout(run, &desc, &run->sums->broadcast);
        }
        golden_receive(run, NULL, sent_given, all);
        golden_receive(run, NULL, sent_broadcast, shared);
        free(given);
        free(broadcast);
    }
}

/* ---- the whole ---- */

static inline void golden_open_run(golden_run *run)
{
    const size_t rows = GOLDEN_DEEPEST * GOLDEN_WORLDS;
    size_t numbers = 0;
    run->info = golden_describe(run->subject->game);
    assert_true(run->info.action_kinds <= GOLDEN_KINDS && run->info.policies <= GOLDEN_POLICIES);
    for (size_t kind = 0; kind < run->info.action_kinds; kind++) {
        const size_t size = golden_kind(run, kind).size;
        numbers = size > numbers ? size : numbers;
    }
    const size_t players = rows * run->info.players, seen = players * run->info.observation_size;
    run->chosen = (unsigned char *)golden_array(players * numbers, sizeof(double));
    run->actions = (unsigned char *)golden_array(players * numbers, sizeof(double));
    run->observations = (float *)golden_array(seen, sizeof(float));
    run->last_observations = (float *)golden_array(seen, sizeof(float));
    run->rewards = (float *)golden_array(players, sizeof(float));
    run->ends = (uint8_t *)golden_array(rows, 1);
    run->results = (carom_result *)golden_array(rows, sizeof *run->results);
    run->events = (carom_event *)golden_array(rows * GOLDEN_MOST_EVENTS, sizeof(carom_event));
    run->event_counts = (uint32_t *)golden_array(rows, sizeof(uint32_t));
    run->moved = (double *)golden_array(rows * run->info.bodies * 4, sizeof(double));
}

static inline void golden_close_run(golden_run *run)
{
    carom_worlds_destroy(run->worlds);
    free(run->chosen);
    free(run->actions);
    free(run->observations);
    free(run->last_observations);
    free(run->rewards);
    free(run->ends);
    free(run->results);
    free(run->events);
    free(run->event_counts);
    free(run->moved);
}

/* Plays a subject and adds its outputs to `sums`: calls of one tick and of several, policies and kinds in turn. */
static inline void golden_play(const golden_subject *subject, carom_precision precision, carom_isa isa,
                               golden_sums *sums)
{
    golden_run run = {.subject = subject, .random = 2026, .sums = sums};
    carom_worlds_desc desc = WORLDS_DESC(subject->game, .options = subject->options, .count = GOLDEN_WORLDS,
                                         .precision = precision, .isa = isa, .threads = 1, .seed = 2026,
                                         .first_id = 1000, .at_end = subject->at_end, .device = subject->device);
    golden_open_run(&run);
    void *room = NULL;
    if (subject->device != 0)
        must(carom_device_allocate(subject->device, GOLDEN_ROOM, &room, NULL), "carom_device_allocate");
    run.room = (unsigned char *)room;
    sums->there = subject->device != 0;
    run.worlds = make_worlds(&desc);
    if (subject->start != NULL)
        subject->start(run.worlds, subject->user);
    for (size_t call = 0; call < subject->calls; call++) {
        const size_t playing = run.info.policies < GOLDEN_PLAYING ? run.info.policies : GOLDEN_PLAYING;
        const size_t policy = playing > 0 ? call / 16 % playing : 0;
        golden_call(&run, policy, call % run.info.action_kinds, call % 4 == 3 ? GOLDEN_DEEPEST : 1);
        if (call % 16 == 7)
            golden_add_policies(&run);
        if (call % 16 == 15)
            golden_add_state(&run);
        if (call + 9 == subject->calls)
            golden_throw(&run, 5);
    }
    golden_add_state(&run);
    if (!subject->no_rollouts)
        golden_add_rollouts(&run);
    golden_close_run(&run);
    carom_device_release(subject->device, room);
}

/* Compares all digests of `name`. */
static inline void golden_compare_sums(const char *name, const carom_game *game, carom_precision precision,
                                       carom_isa isa, const golden_sums *sums)
{
    const carom_game_info info = golden_describe(game);
    char row[GOLDEN_NAME];
    const struct {
        const char *output;
        uint64_t sum;
        bool here; /* not of devices */
    } outputs[] = {
        {"state", sums->state, false},
        {"counters", sums->counters, false},
        {"observations", sums->observations, false},
        {"last_observations", sums->last_observations, false},
        {"rewards", sums->rewards, false},
        {"ends", sums->ends, false},
        {"events", sums->events, true},
        {"moved", sums->moved, true},
        {"rollout.drawn", sums->drawn, false},
        {"rollout.broadcast", sums->broadcast, false},
        {"rollout.best", sums->best, true},
    };
    for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++) {
        if (sums->there && outputs[k].here)
            continue;
        snprintf(row, sizeof row, "%s.%s", name, outputs[k].output);
        golden_compare(row, precision, isa, outputs[k].sum);
    }
    for (size_t kind = 0; kind < info.action_kinds; kind++) {
        carom_action_kind of;
        must(carom_game_action_kind(game, kind, &of), "carom_game_action_kind");
        snprintf(row, sizeof row, "%s.rollout.given.%s", name, of.name);
        golden_compare(row, precision, isa, sums->given[kind]);
        for (size_t policy = 0; policy < info.policies; policy++) {
            snprintf(row, sizeof row, "%s.policy.%s.%s", name, carom_game_policy_name(game, policy), of.name);
            golden_compare(row, precision, isa, sums->policy[policy][kind]);
        }
    }
}

#endif
