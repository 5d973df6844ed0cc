/* SPDX-License-Identifier: MIT
 * The games of an arena: one at a time with programs, several of them side by side on threads; in lanes where both
 * sides are built in.
 */
#define _POSIX_C_SOURCE 200809L

#include "arena.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define LANES_BATCH 512 /* games side by side */
#define LANES_TICKS 64  /* of a call: how soon Ctrl-C is heard */

typedef struct arena_job {
    const arena_options *options;
    arena_result *result;
    const protocol *speech; /* NULL: no programs play */
    size_t referee;         /* the kind of action that the protocol's numbers are */
    uint64_t next;          /* game with programs to be played; over all pairings */
    uint64_t done, total;   /* games */
    pthread_mutex_t lock;   /* of the result's pairings */
} arena_job;

/* How one game went, seen from its seats 0 and 1. */
typedef struct game_outcome {
    int winner; /* seat; -1: a draw */
    bool fault, interrupted;
    uint64_t digest;
    arena_conduct conduct[2];
} game_outcome;

static void demand(carom_status status, const char *doing)
{
    if (status != CAROM_OK) {
        carom_die("cannot %s: %s", doing, carom_status_string(status));
    }
}

static carom_worlds *make_worlds(const arena_options *options, uint64_t start, size_t count, unsigned threads)
{
    carom_worlds_desc desc = carom_worlds_desc_default(options->game);
    desc.count = count;
    desc.isa = options->isa;
    desc.threads = threads;
    desc.seed = options->seed;
    desc.first_id = options->first + start;
    desc.at_end = CAROM_FREEZE;
    carom_worlds *worlds;
    demand(carom_worlds_create(&desc, &worlds), "create the worlds");
    return worlds;
}

static size_t field_of(const carom_worlds *worlds, const char *name)
{
    size_t field;
    demand(carom_worlds_find_field(worlds, name, &field), "find who has won");
    return field;
}

static bool is_program(const arena_options *options, const arena_pairing *pairing)
{
    return options->sides[pairing->sides[0]].command != NULL || options->sides[pairing->sides[1]].command != NULL;
}

/* ---- with programs ---- */

static void note_trouble(arena_conduct *conduct, uint64_t game, int32_t tick, const program_answer *answer)
{
    conduct->troubles[answer->trouble]++;
    if (game < conduct->first) {
        conduct->first = game;
        snprintf(conduct->why, sizeof conduct->why, "game %llu, turn %d: %s", (unsigned long long)game, (int)tick,
                 answer->why);
    }
}

/* Asks a program for its part of the tick; false if the game is over for it. */
static bool ask(const arena_job *job, program *asked, const carom_worlds *world, unsigned seat, uint64_t game,
                double *numbers, game_outcome *out)
{
    const arena_options *options = job->options;
    protocol_text question;
    program_answer answer;
    int32_t tick;
    question.length = 0;
    carom_protocol_get(world, "tick", &tick);
    if (tick == 0) {
        job->speech->greet(world, seat, &question);
    }
    job->speech->tell(world, seat, options->scores, &question);
    carom_program_ask(asked, &question, tick == 0 ? options->first_limit : options->limit, options->patience, &answer);
    if (answer.interrupted) {
        out->interrupted = true;
        return false;
    }
    arena_conduct *conduct = &out->conduct[seat];
    if (answer.trouble == TROUBLE_NONE || answer.trouble == TROUBLE_LATE) {
        conduct->answers++;
        conduct->seconds += answer.seconds;
        conduct->slowest = answer.seconds > conduct->slowest ? answer.seconds : conduct->slowest;
        for (unsigned k = 0; k < PROTOCOL_LINES; k++) {
            if (!job->speech->read(answer.lines[k], numbers + k * job->speech->numbers)) {
                answer.trouble = TROUBLE_RUBBISH;
                snprintf(answer.why, sizeof answer.why, "'%.60s' is no command", answer.lines[k]);
                break;
            }
        }
    }
    if (answer.trouble == TROUBLE_NONE) {
        return true;
    }
    note_trouble(conduct, game, tick, &answer);
    return answer.trouble == TROUBLE_LATE && options->late_plays;
}

/* Some rules take a command that they forbid, and end the game with a score of -1. */
static void look_for_fouls(const carom_worlds *world, uint64_t game, const double *numbers, game_outcome *out)
{
    size_t field;
    int8_t score[2];
    int32_t tick;
    (void)numbers;
    if (carom_worlds_find_field(world, "score", &field) != CAROM_OK ||
        carom_worlds_get(world, field, 0, 1, score) != CAROM_OK) {
        return;
    }
    carom_protocol_get(world, "tick", &tick);
    for (unsigned seat = 0; seat < 2; seat++) {
        if (score[seat] < 0) {
            const program_answer answer = {.trouble = TROUBLE_RUBBISH, .why = "a command that the rules forbid"};
            note_trouble(&out->conduct[seat], game, tick - 1, &answer);
        }
    }
}

static void play_ticks(const arena_job *job, carom_worlds *world, program *const programs[2], const size_t policies[2],
                       uint64_t game, game_outcome *out)
{
    double actions[2 * PROTOCOL_LINES * PROTOCOL_NUMBERS];
    uint8_t end = 0;
    carom_step step = carom_step_default();
    step.action_kind = job->referee;
    step.actions = actions;
    step.ends = &end;
    for (unsigned seat = 0; seat < 2; seat++) {
        step.players[seat].source = programs[seat] != NULL ? CAROM_GIVEN : CAROM_POLICY;
        step.players[seat].policy = policies[seat];
    }
    while (end == 0) {
        double *given = actions;
        for (unsigned seat = 0; seat < 2; seat++) {
            if (programs[seat] == NULL) {
                continue;
            }
            if (!ask(job, programs[seat], world, seat, game, given, out)) {
                out->winner = 1 - (int)seat;
                return;
            }
            given += PROTOCOL_LINES * job->speech->numbers;
        }
        demand(carom_worlds_play(world, &step), "play");
        if (carom_worlds_faults(world, NULL) > 0) {
            out->fault = true;
            return;
        }
        if (carom_interrupted()) {
            out->interrupted = true;
            return;
        }
    }
    look_for_fouls(world, game, actions, out);
    int8_t winner;
    carom_protocol_get(world, "winner", &winner);
    out->winner = winner;
}

static void add_conduct(arena_conduct *sum, const arena_conduct *part)
{
    sum->answers += part->answers;
    sum->seconds += part->seconds;
    sum->slowest = part->slowest > sum->slowest ? part->slowest : sum->slowest;
    for (int k = 0; k < TROUBLES; k++) {
        sum->troubles[k] += part->troubles[k];
    }
    if (part->first < sum->first) {
        sum->first = part->first;
        memcpy(sum->why, part->why, sizeof sum->why);
    }
}

static void count_game(arena_pairing *pairing, bool swapped, int winner, bool fault)
{
    pairing->games++;
    pairing->faults += fault;
    if (winner < 0 || fault) {
        pairing->draws++;
    } else {
        pairing->wins[(winner == 1) != swapped]++;
    }
}

/* Game `game` of the pairing: start game / 2, the sides swapped if it is odd. */
static void play_game(arena_job *job, arena_pairing *pairing, uint64_t game)
{
    const arena_options *options = job->options;
    const bool swapped = game % 2 != 0;
    game_outcome out = {.winner = -1};
    program *programs[2] = {NULL, NULL};
    size_t policies[2];
    carom_worlds *world = make_worlds(options, game / 2, 1, 1);
    for (unsigned seat = 0; seat < 2; seat++) {
        const arena_side *side = &options->sides[pairing->sides[(seat == 1) != swapped]];
        out.conduct[seat].first = UINT64_MAX;
        policies[seat] = side->policy;
        if (side->command != NULL) {
            programs[seat] = carom_program_start(side->command, options->show_errors);
        }
    }
    play_ticks(job, world, programs, policies, game, &out);
    carom_program_end(programs[0]);
    carom_program_end(programs[1]);
    demand(carom_worlds_digest(world, &out.digest), "digest");
    carom_worlds_destroy(world);
    if (out.interrupted) {
        return;
    }
    pthread_mutex_lock(&job->lock);
    count_game(pairing, swapped, out.winner, out.fault);
    pairing->digest += out.digest;
    for (unsigned seat = 0; seat < 2; seat++) {
        add_conduct(&pairing->conduct[(seat == 1) != swapped], &out.conduct[seat]);
    }
    pthread_mutex_unlock(&job->lock);
    __atomic_fetch_add(&job->done, 1, __ATOMIC_RELAXED);
}

/* One of the threads that play games with programs, until none is left. */
static void *play_games(void *argument)
{
    arena_job *job = argument;
    const uint64_t games = job->options->games;
    while (!carom_interrupted()) {
        uint64_t next = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        arena_pairing *pairing = job->result->pairings;
        arena_pairing *end = pairing + job->result->pairing_count;
        for (; pairing < end; pairing++) {
            if (!is_program(job->options, pairing)) {
                continue;
            }
            if (next < games) {
                break;
            }
            next -= games;
        }
        if (pairing == end) {
            break;
        }
        play_game(job, pairing, next);
    }
    return NULL;
}

/* ---- in lanes ---- */

/* Games of `count` starts from `start` on, in one order of the sides; false if interrupted. */
static bool play_lanes(arena_job *job, arena_pairing *pairing, uint64_t start, size_t count, bool swapped)
{
    static int8_t winners[LANES_BATCH], faults[LANES_BATCH], ends[LANES_BATCH];
    const arena_options *options = job->options;
    carom_worlds *worlds = make_worlds(options, start, count, options->threads);
    carom_step step = carom_step_default();
    step.ticks = LANES_TICKS;
    step.cancel = &carom_interrupt;
    for (unsigned seat = 0; seat < 2; seat++) {
        step.players[seat].source = CAROM_POLICY;
        step.players[seat].policy = options->sides[pairing->sides[(seat == 1) != swapped]].policy;
    }
    size_t running = count;
    while (running > 0 && !carom_interrupted()) {
        const carom_status status = carom_worlds_play(worlds, &step);
        if (status != CAROM_ERROR_CANCELLED) {
            demand(status, "play");
        }
        demand(carom_worlds_get(worlds, field_of(worlds, "end"), 0, count, ends), "see who is done");
        demand(carom_worlds_get(worlds, field_of(worlds, "fault"), 0, count, faults), "see who is done");
        running = 0;
        for (size_t w = 0; w < count; w++) {
            running += ends[w] == 0 && faults[w] == 0;
        }
    }
    if (running == 0) {
        uint64_t digest;
        demand(carom_worlds_get(worlds, field_of(worlds, "winner"), 0, count, winners), "see who has won");
        demand(carom_worlds_digest(worlds, &digest), "digest");
        pairing->digest += digest;
        for (size_t w = 0; w < count; w++) {
            count_game(pairing, swapped, winners[w], faults[w] != 0);
        }
        __atomic_fetch_add(&job->done, count, __ATOMIC_RELAXED);
    }
    carom_worlds_destroy(worlds);
    return running == 0;
}

static void play_all_lanes(arena_job *job, arena_pairing *pairing)
{
    const uint64_t starts = job->options->games / 2;
    for (uint64_t start = 0; start < starts; start += LANES_BATCH) {
        const size_t count = (size_t)(starts - start < LANES_BATCH ? starts - start : LANES_BATCH);
        if (!play_lanes(job, pairing, start, count, false) || !play_lanes(job, pairing, start, count, true)) {
            return;
        }
    }
}

/* ---- all ---- */

static void play_all(void *argument)
{
    arena_job *job = argument;
    arena_result *result = job->result;
    uint64_t with_programs = 0;
    for (size_t i = 0; i < result->pairing_count && !carom_interrupted(); i++) {
        if (is_program(job->options, &result->pairings[i])) {
            with_programs += job->options->games;
        } else {
            play_all_lanes(job, &result->pairings[i]);
        }
    }
    pthread_t threads[1024];
    unsigned started = 0;
    while (started < job->options->concurrency && started < with_programs &&
           pthread_create(&threads[started], NULL, play_games, job) == 0) {
        started++;
    }
    if (started == 0) {
        play_games(job);
    }
    for (unsigned k = 0; k < started; k++) {
        pthread_join(threads[k], NULL);
    }
}

static void show(void *argument)
{
    arena_job *job = argument;
    const uint64_t done = __atomic_load_n(&job->done, __ATOMIC_RELAXED);
    char text[64];
    snprintf(text, sizeof text, "%llu of %llu games", (unsigned long long)done, (unsigned long long)job->total);
    carom_progress_draw((double)done / (double)job->total, text);
}

void carom_arena_play(const arena_options *options, arena_result *result)
{
    const size_t sides = options->side_count;
    arena_job job = {.options = options, .result = result, .speech = carom_protocol_find(options->name)};
    const double start = carom_now();
    *result = (arena_result){.pairing_count = sides * (sides - 1) / 2};
    result->pairings = calloc(result->pairing_count, sizeof *result->pairings);
    if (result->pairings == NULL) {
        demand(CAROM_ERROR_MEMORY, "keep the results");
    }
    size_t at = 0;
    for (size_t a = 0; a < sides; a++) {
        for (size_t b = a + 1; b < sides; b++) {
            arena_pairing *pairing = &result->pairings[at++];
            pairing->sides[0] = a;
            pairing->sides[1] = b;
            pairing->conduct[0].first = pairing->conduct[1].first = UINT64_MAX;
        }
    }
    job.total = options->games * result->pairing_count;
    demand(carom_game_find_action_kind(options->game, "referee", &job.referee), "find the referee's actions");
    pthread_mutex_init(&job.lock, NULL);
    signal(SIGPIPE, SIG_IGN); /* a program that has ended is no reason to end */
    carom_program_guard();
    carom_catch_interrupt();
    carom_watch(play_all, show, &job);
    carom_program_unguard();
    pthread_mutex_destroy(&job.lock);
    result->seconds = carom_now() - start;
    result->interrupted = job.done < job.total;
}
