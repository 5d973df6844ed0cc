/* SPDX-License-Identifier: MIT
 * The games of an arena: one at a time with programs, several of them side by side on threads; in lanes where both
 * sides are built in.
 */
#define _POSIX_C_SOURCE 200809L

#include "../bot/plan.h"
#include "arena.h"
#include "notes.h"

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
    unsigned seats;         /* players of the game */
    size_t kind;            /* of action: that of the protocol's numbers, `referee`; without one `normalised` */
    size_t part;            /* bytes of an action of a player */
    uint64_t next;          /* game of those that are played one at a time; over all pairings */
    uint64_t done, total;   /* games */
    uint64_t all;           /* of the run that they are a piece of */
    pthread_mutex_t lock;   /* of the result's pairings */
} arena_job;

/* How one game went, by its seats. */
typedef struct game_outcome {
    int winner; /* seat; -1: a draw */
    bool fault, interrupted;
    uint64_t digest;
    replay_writer *writer; /* NULL: the game is not recorded */
    arena_conduct conduct[CAROM_MAX_PLAYERS];
} game_outcome;

/* Whose seat is it: 0, the pairing's first side, or 1? */
static unsigned side_on(unsigned seat, bool swapped)
{
    return (seat % 2 == 1) != swapped;
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
    desc.options = options->set;
    carom_worlds *worlds;
    carom_demand(carom_worlds_create(&desc, &worlds), "create the worlds");
    return worlds;
}

static size_t field_of(const carom_worlds *worlds, const char *name)
{
    size_t field;
    carom_demand(carom_worlds_find_field(worlds, name, &field), "find who has won");
    return field;
}

/* Programs, and searches that have a time, are asked one by one. */
static bool one_by_one(const arena_side *side)
{
    return side->command != NULL || (side->searches && side->plan.search.milliseconds > 0);
}

static bool is_slow(const arena_options *options, const arena_pairing *pairing)
{
    return options->record != NULL || one_by_one(&options->sides[pairing->sides[0]]) ||
           one_by_one(&options->sides[pairing->sides[1]]);
}

/* ---- one at a time ---- */

static void note_trouble(game_outcome *out, unsigned seat, uint64_t game, int32_t tick, const program_answer *answer)
{
    arena_conduct *conduct = &out->conduct[seat];
    char verdict[128];
    snprintf(verdict, sizeof verdict, "%s: %s", carom_trouble_names[answer->trouble], answer->why);
    carom_note_verdict(out->writer, seat, verdict);
    conduct->troubles[answer->trouble]++;
    if (game < conduct->first) {
        conduct->first = game;
        snprintf(conduct->why, sizeof conduct->why, "game %llu, turn %d: %s", (unsigned long long)game, (int)tick,
                 answer->why);
        carom_plain(conduct->why); /* it may quote what a program has written */
    }
}

/* Who sits on a seat. One of the three; if both pointers are NULL it is the policy. */
typedef struct seat_player {
    program *program;
    carom_player *planner;
    size_t policy;
} seat_player;

static void note_answer(arena_conduct *conduct, double seconds)
{
    conduct->answers++;
    conduct->seconds += seconds;
    conduct->slowest = seconds > conduct->slowest ? seconds : conduct->slowest;
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
    carom_protocol_get(world, 0, "tick", &tick);
    if (tick == 0) {
        job->speech->greet(world, seat, &question);
    }
    job->speech->tell(world, seat, options->scores, &question);
    carom_program_ask(asked, &question, 1e-3 * (tick == 0 ? options->first_ms : options->ms), options->patience,
                      &answer);
    if (answer.interrupted) {
        out->interrupted = true;
        return false;
    }
    carom_note_errors(out->writer, seat, asked);
    if (answer.trouble == TROUBLE_NONE || answer.trouble == TROUBLE_LATE) {
        note_answer(&out->conduct[seat], answer.seconds);
        carom_note_messages(out->writer, seat, options->name, answer.lines);
        for (size_t k = 0; k < PROTOCOL_LINES; k++) {
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
    note_trouble(out, seat, game, tick, &answer);
    return answer.trouble == TROUBLE_LATE && options->late_plays;
}

/* Some rules take a command that they forbid, and end the game with a score of -1. */
static void look_for_fouls(const carom_worlds *world, uint64_t game, game_outcome *out)
{
    size_t field;
    int8_t score[2];
    int32_t tick;
    if (carom_worlds_find_field(world, "score", &field) != CAROM_OK ||
        carom_worlds_get(world, field, 0, 1, score) != CAROM_OK) {
        return;
    }
    carom_protocol_get(world, 0, "tick", &tick);
    for (unsigned seat = 0; seat < 2; seat++) {
        if (score[seat] < 0) {
            const program_answer answer = {.trouble = TROUBLE_RUBBISH, .why = "a command that the rules forbid"};
            note_trouble(out, seat, game, tick - 1, &answer);
        }
    }
}

static void play_ticks(const arena_job *job, carom_worlds *world, const seat_player *players, unsigned char *actions,
                       uint64_t game, game_outcome *out)
{
    uint8_t end = 0;
    carom_result result = {.winner = -1};
    carom_step step = carom_step_default();
    step.action_kind = job->kind;
    step.actions = actions;
    step.ends = &end;
    step.results = &result;
    for (unsigned seat = 0; seat < job->seats; seat++) {
        const bool given = players[seat].program != NULL || players[seat].planner != NULL;
        step.players[seat].source = given ? CAROM_GIVEN : CAROM_POLICY;
        step.players[seat].policy = players[seat].policy;
    }
    while (end == 0) {
        unsigned char *given = actions;
        for (unsigned seat = 0; seat < job->seats; seat++) {
            if (step.players[seat].source == CAROM_POLICY) {
                continue;
            }
            if (players[seat].planner != NULL) {
                const double start = carom_now();
                carom_planner_act(players[seat].planner, world, given, 0);
                note_answer(&out->conduct[seat], carom_now() - start);
            } else if (!ask(job, players[seat].program, world, seat, game, (double *)(void *)given, out)) {
                out->winner = 1 - (int)seat; /* games that have a protocol are for two */
                return;
            }
            given += job->part;
        }
        carom_demand(out->writer != NULL ? carom_replay_record(out->writer, world, &step)
                                         : carom_worlds_play(world, &step),
                     "play");
        if (carom_worlds_faults(world, NULL) > 0) {
            out->fault = true;
            return;
        }
        if (carom_interrupted()) {
            out->interrupted = true;
            return;
        }
    }
    if (job->speech != NULL) {
        look_for_fouls(world, game, out);
    }
    out->winner = (int)result.winner;
}

void carom_arena_add_conduct(arena_conduct *sum, const arena_conduct *part)
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
        pairing->wins[side_on((unsigned)winner, swapped)]++;
    }
}

/* Game `game` of the pairing: start game / 2, the sides swapped if it is odd. */
static void play_game(arena_job *job, arena_pairing *pairing, uint64_t game)
{
    const arena_options *options = job->options;
    const bool swapped = game % 2 != 0;
    game_outcome out = {.winner = -1};
    seat_player players[CAROM_MAX_PLAYERS] = {{NULL, NULL, 0}};
    carom_worlds *world = make_worlds(options, game / 2, 1, 1);
    unsigned char *actions = carom_allocate(job->seats, job->part);
    for (unsigned seat = 0; seat < job->seats; seat++) {
        const arena_side *side = &options->sides[pairing->sides[side_on(seat, swapped)]];
        out.conduct[seat].first = UINT64_MAX;
        players[seat].policy = side->policy;
        if (side->command != NULL) {
            players[seat].program = carom_program_start(side->command, options->show_errors, options->record != NULL);
        } else if (side->searches) {
            players[seat].planner = carom_planner_create(world, &side->plan, seat);
        }
    }
    replay_writer writer;
    char path[4096];
    if (options->record != NULL) {
        const int length = snprintf(path, sizeof path, "%s/%zu-%zu-%llu.carom", options->record, pairing->sides[0] + 1,
                                    pairing->sides[1] + 1, (unsigned long long)game);
        if (length >= (int)sizeof path) {
            carom_die("--record: '%.60s...' is too long a name", options->record);
        }
        carom_replay_begin(&writer, path, world, options->set, 1, 256);
        out.writer = &writer;
    }
    for (unsigned seat = 0; seat < job->seats; seat++) {
        carom_note_name(out.writer, seat, options->sides[pairing->sides[side_on(seat, swapped)]].text);
    }
    play_ticks(job, world, players, actions, game, &out);
    for (unsigned seat = 0; seat < job->seats; seat++) {
        carom_note_errors(out.writer, seat, players[seat].program);
    }
    if (out.writer != NULL) {
        carom_replay_finish(&writer);
    }
    free(actions);
    for (unsigned seat = 0; seat < job->seats; seat++) {
        carom_program_end(players[seat].program);
        carom_player_destroy(players[seat].planner);
    }
    carom_demand(carom_worlds_digest(world, &out.digest), "digest");
    carom_worlds_destroy(world);
    if (out.interrupted) {
        return;
    }
    pthread_mutex_lock(&job->lock);
    count_game(pairing, swapped, out.winner, out.fault);
    pairing->digest += out.digest;
    for (unsigned seat = 0; seat < job->seats; seat++) {
        carom_arena_add_conduct(&pairing->conduct[side_on(seat, swapped)], &out.conduct[seat]);
    }
    pthread_mutex_unlock(&job->lock);
    __atomic_fetch_add(&job->done, 1, __ATOMIC_RELAXED);
}

/* One of the threads that play games one at a time, until none is left. */
static void *play_games(void *argument)
{
    arena_job *job = argument;
    const uint64_t games = 2 * (job->options->end - job->options->begin);
    while (!carom_interrupted()) {
        uint64_t next = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        arena_pairing *pairing = job->result->pairings;
        arena_pairing *end = pairing + job->result->pairing_count;
        for (; pairing < end; pairing++) {
            if (!is_slow(job->options, pairing)) {
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
        play_game(job, pairing, 2 * job->options->begin + next);
    }
    return NULL;
}

/* ---- in lanes ---- */

/* Worlds that still play. */
static size_t count_running(const carom_worlds *worlds)
{
    int8_t frozen[LANES_BATCH];
    const size_t count = carom_worlds_count(worlds);
    size_t running = 0;
    carom_demand(carom_worlds_get(worlds, field_of(worlds, "frozen"), 0, count, frozen), "see who is done");
    for (size_t w = 0; w < count; w++) {
        running += frozen[w] == 0;
    }
    return running;
}

/* Plays until all games are over or Ctrl-C is pressed; says who has won. Policies play many ticks in a call; planners
 * are asked before every one. */
static void play_batch(const arena_job *job, carom_worlds *worlds, const arena_side *const *seats, int32_t *winners)
{
    const size_t count = carom_worlds_count(worlds);
    unsigned char *actions = carom_allocate(count * job->seats, job->part);
    carom_result *results = carom_allocate(count * LANES_TICKS, sizeof *results);
    carom_player *planners[CAROM_MAX_PLAYERS] = {NULL};
    carom_step step = carom_step_default();
    size_t stride = 0;
    for (unsigned seat = 0; seat < job->seats; seat++) {
        step.players[seat].source = seats[seat]->searches ? CAROM_GIVEN : CAROM_POLICY;
        step.players[seat].policy = seats[seat]->policy;
        if (seats[seat]->searches) {
            planners[seat] = carom_planner_create(worlds, &seats[seat]->plan, seat);
            stride += job->part;
        }
    }
    step.ticks = stride > 0 ? 1 : LANES_TICKS;
    step.action_kind = job->kind;
    step.actions = actions;
    step.results = results;
    step.cancel = &carom_interrupt;
    for (size_t k = 0; k < count * step.ticks; k++) {
        results[k].winner = -1;
    }
    while (count_running(worlds) > 0 && !carom_interrupted()) {
        unsigned char *given = actions;
        for (unsigned seat = 0; seat < job->seats; seat++) {
            if (planners[seat] != NULL) {
                carom_planner_act(planners[seat], worlds, given, stride);
                given += job->part;
            }
        }
        const carom_status status = carom_worlds_play(worlds, &step);
        if (status != CAROM_ERROR_CANCELLED) {
            carom_demand(status, "play");
        }
    }
    /* A game ends once: what it has written is left. */
    for (size_t w = 0; w < count; w++) {
        winners[w] = -1;
        for (size_t t = 0; t < step.ticks; t++) {
            winners[w] = results[t * count + w].winner >= 0 ? results[t * count + w].winner : winners[w];
        }
    }
    for (unsigned seat = 0; seat < job->seats; seat++) {
        carom_player_destroy(planners[seat]);
    }
    free(actions);
    free(results);
}

/* Games of `count` starts from `start` on, in one order of the sides; false if interrupted. */
static bool play_lanes(arena_job *job, arena_pairing *pairing, uint64_t start, size_t count, bool swapped)
{
    int32_t winners[LANES_BATCH] = {0};
    int8_t faults[LANES_BATCH];
    const arena_options *options = job->options;
    const arena_side *seats[CAROM_MAX_PLAYERS];
    carom_worlds *worlds = make_worlds(options, start, count, options->threads);
    for (unsigned seat = 0; seat < job->seats; seat++) {
        seats[seat] = &options->sides[pairing->sides[side_on(seat, swapped)]];
    }
    play_batch(job, worlds, seats, winners);
    const size_t running = count_running(worlds);
    if (running == 0) {
        uint64_t digest;
        carom_demand(carom_worlds_get(worlds, field_of(worlds, "fault"), 0, count, faults), "see who has won");
        carom_demand(carom_worlds_digest(worlds, &digest), "digest");
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
    const uint64_t end = job->options->end;
    for (uint64_t start = job->options->begin; start < end; start += LANES_BATCH) {
        const size_t count = (size_t)(end - start < LANES_BATCH ? end - start : LANES_BATCH);
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
    uint64_t slow_games = 0;
    for (size_t i = 0; i < result->pairing_count && !carom_interrupted(); i++) {
        if (is_slow(job->options, &result->pairings[i])) {
            slow_games += 2 * (job->options->end - job->options->begin);
        } else {
            play_all_lanes(job, &result->pairings[i]);
        }
    }
    pthread_t threads[1024];
    unsigned started = 0;
    while (started < job->options->concurrency && started < slow_games &&
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
    const uint64_t done = __atomic_load_n(&job->done, __ATOMIC_RELAXED) + job->options->played;
    const uint64_t all = job->all > done ? job->all : done;
    char text[64];
    snprintf(text, sizeof text, "%llu of %llu games", (unsigned long long)done, (unsigned long long)all);
    carom_progress_draw((double)done / (double)all, text);
}

size_t carom_arena_pairings(const arena_options *options)
{
    const size_t sides = options->side_count;
    return options->gauntlet ? sides - 1 : sides * (sides - 1) / 2;
}

void carom_arena_begin(const arena_options *options, arena_result *result)
{
    const size_t sides = options->side_count;
    *result = (arena_result){.pairing_count = carom_arena_pairings(options)};
    result->pairings = carom_allocate(result->pairing_count, sizeof *result->pairings);
    size_t at = 0;
    for (size_t a = 0; a < (options->gauntlet ? 1 : sides); a++) {
        for (size_t b = a + 1; b < sides; b++) {
            arena_pairing *pairing = &result->pairings[at++];
            pairing->sides[0] = a;
            pairing->sides[1] = b;
            pairing->conduct[0].first = pairing->conduct[1].first = UINT64_MAX;
        }
    }
}

void carom_arena_play(const arena_options *options, arena_result *result)
{
    arena_job job = {.options = options, .result = result, .speech = carom_protocol_find(options->name)};
    const double start = carom_now();
    carom_arena_begin(options, result);
    job.total = 2 * (options->end - options->begin) * result->pairing_count;
    job.all = options->whole > 0 ? 2 * options->whole * result->pairing_count : job.total;
    carom_action_kind kind;
    job.seats = carom_game_describe(options->game).players;
    job.kind = carom_player_kind(options->game);
    carom_demand(carom_game_action_kind(options->game, job.kind, &kind), "find the kind of action");
    job.part = (size_t)kind.size * (kind.precision / 8);
    pthread_mutex_init(&job.lock, NULL);
    signal(SIGPIPE, SIG_IGN); /* a program that has ended is no reason to end */
    carom_catch_interrupt();
    carom_watch(play_all, show, &job);
    pthread_mutex_destroy(&job.lock);
    result->seconds = carom_now() - start;
    result->interrupted = job.done < job.total;
}
