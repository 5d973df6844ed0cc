/* SPDX-License-Identifier: MIT
 * The games of an arena: those with programs one at a time on each of several threads; those between built-in sides in
 * lanes.
 */
#define _POSIX_C_SOURCE 200809L

#include "../bot/plan.h"
#include "play.h"
#include "seats.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool is_slow(const arena_options *options, const arena_pairing *pairing)
{
    return options->record != NULL || arena_one_by_one(&options->sides[pairing->sides[0]]) ||
           arena_one_by_one(&options->sides[pairing->sides[1]]);
}

carom_worlds *carom_arena_worlds(const arena_options *options, uint64_t start, size_t count, unsigned threads)
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

/* ---- counting ---- */

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

int carom_arena_better(const arena_record *record, const bool guilty[2])
{
    const double scores[2] = {record->seats[0].returns, record->seats[1].returns};
    if (record->fault) {
        return -1;
    }
    if (guilty[0] || guilty[1]) {
        return guilty[0] && guilty[1] ? -1 : guilty[0] ? 1 : 0;
    }
    return scores[0] > scores[1] ? 0 : scores[1] > scores[0] ? 1 : -1;
}

void carom_arena_count(arena_pairing *pairing, const arena_record *record)
{
    pairing->games++;
    pairing->faults += record->fault;
    if (record->winner < 0 || record->fault) {
        pairing->draws++;
    } else {
        pairing->wins[record->winner]++;
    }
    pairing->digest += record->digest;
    carom_arena_add_conduct(&pairing->conduct[0], &record->conduct[0]);
    carom_arena_add_conduct(&pairing->conduct[1], &record->conduct[1]);
}

void carom_arena_take(arena_job *job, arena_record *record)
{
    arena_result *result = job->result;
    pthread_mutex_lock(&job->lock);
    if (!result->keeps) {
        carom_arena_count(&result->pairings[record->pairing], record);
    } else {
        if (result->record_count == result->record_room) {
            result->records =
                carom_widen(result->records, result->record_count, &result->record_room, sizeof *result->records);
        }
        result->records[result->record_count++] = *record;
    }
    pthread_mutex_unlock(&job->lock);
}

/* ---- playing ---- */

/* A thread that plays games one at a time until none is left. */
static void *play_games(void *argument)
{
    arena_job *job = argument;
    const uint64_t games = job->options->rounds * (job->options->end - job->options->begin);
    while (!carom_interrupted()) {
        uint64_t next = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        const arena_pairing *pairing = job->result->pairings;
        const arena_pairing *end = pairing + job->result->pairing_count;
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
        carom_arena_play_game(job, pairing, job->options->rounds * job->options->begin + next);
    }
    return NULL;
}

static void play_all(void *argument)
{
    arena_job *job = argument;
    arena_result *result = job->result;
    uint64_t slow_games = 0;
    for (size_t i = 0; i < result->pairing_count && !carom_interrupted(); i++) {
        if (is_slow(job->options, &result->pairings[i])) {
            slow_games += job->options->rounds * (job->options->end - job->options->begin);
        } else {
            carom_arena_play_lanes(job, &result->pairings[i]);
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
    const bool contest = options->language == ARENA_CONTEST;
    arena_job job = {.options = options,
                     .result = result,
                     .speech = contest ? carom_protocol_find(carom_game_describe(options->game).name) : NULL};
    const double start = carom_now();
    carom_arena_begin(options, result);
    result->keeps = options->results != NULL || carom_arena_tests(options);
    job.total = options->rounds * (options->end - options->begin) * result->pairing_count;
    job.all = options->whole > 0 ? options->rounds * options->whole * result->pairing_count : job.total;
    job.seats = carom_game_describe(options->game).players;
    job.kind = carom_player_kind(options->game);
    job.lines = carom_lines_open(options, job.kind);
    job.part = (size_t)job.lines.action.size * (job.lines.action.precision / 8);
    pthread_mutex_init(&job.lock, NULL);
    signal(SIGPIPE, SIG_IGN); /* a program that has ended must not end this process */
    carom_catch_interrupt();
    carom_watch(play_all, show, &job);
    pthread_mutex_destroy(&job.lock);
    carom_results_sort(result->records, result->record_count);
    result->seconds = carom_now() - start;
    result->interrupted = job.done < job.total;
}
