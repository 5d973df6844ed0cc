/* SPDX-License-Identifier: MIT
 * Games of an arena between built-in sides: many at a time, in lanes.
 */
#include "../bot/plan.h"
#include "play.h"
#include "seats.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define LANES_BATCH 512 /* games at a time */
#define LANES_TICKS 64  /* of a call: limits the delay of Ctrl-C */

/* How a world's game ended. */
typedef struct lane_end {
    carom_result result;
    bool fault;
    uint64_t digest;
} lane_end;

static size_t field_of(const carom_worlds *worlds, const char *name)
{
    size_t field;
    carom_demand(carom_worlds_find_field(worlds, name, &field), "get the winners");
    return field;
}

/* Worlds whose games are not over. */
static size_t count_running(const carom_worlds *worlds)
{
    int8_t frozen[LANES_BATCH];
    const size_t count = carom_worlds_count(worlds);
    size_t running = 0;
    carom_demand(carom_worlds_get(worlds, field_of(worlds, "frozen"), 0, count, frozen), "read the ends of the games");
    for (size_t w = 0; w < count; w++) {
        running += frozen[w] == 0;
    }
    return running;
}

/* Plays until all games are over or Ctrl-C is pressed. Policies play many ticks in a call; planners act before every
 * tick. */
static void play_batch(const arena_job *job, carom_worlds *worlds, const arena_side *const *seats, lane_end *ends)
{
    const size_t count = carom_worlds_count(worlds);
    unsigned char *actions = carom_allocate(count * job->seats, job->part);
    carom_result *results = carom_allocate(count * LANES_TICKS, sizeof *results);
    carom_player *planners[CAROM_MAX_PLAYERS] = {NULL};
    carom_step step = carom_step_default();
    size_t stride = 0;
    for (unsigned seat = 0; seat < job->seats; seat++) {
        step.players[seat].source = seats[seat]->searches ? CAROM_GIVEN : seats[seat]->zero ? CAROM_ZERO : CAROM_POLICY;
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
    /* A game ends once: its outputs stay as they are. */
    for (size_t w = 0; w < count; w++) {
        ends[w].result = (carom_result){.winner = -1};
        for (size_t t = 0; t < step.ticks; t++) {
            const carom_result *result = &results[t * count + w];
            ends[w].result = result->ticks > 0 ? *result : ends[w].result;
        }
    }
    for (unsigned seat = 0; seat < job->seats; seat++) {
        carom_player_destroy(planners[seat]);
    }
    free(actions);
    free(results);
}

/* Plays `count` starts from `start` on with these sides on their seats; false if interrupted. */
static bool play_starts(const arena_job *job, uint64_t start, size_t count, const arena_side *const *seats,
                        lane_end *ends)
{
    int8_t faults[LANES_BATCH];
    uint64_t hashes[LANES_BATCH];
    carom_worlds *worlds = carom_arena_worlds(job->options, start, count, job->options->threads);
    play_batch(job, worlds, seats, ends);
    const size_t running = count_running(worlds);
    carom_demand(carom_worlds_get(worlds, field_of(worlds, "fault"), 0, count, faults), "read the winners");
    carom_demand(carom_worlds_hash(worlds, 0, count, hashes), "digest");
    for (size_t w = 0; w < count; w++) { /* sums like carom_worlds_digest() */
        const uint64_t id = job->options->first + start + w;
        ends[w].fault = faults[w] != 0;
        ends[w].digest = mix64(mix64_other(id + HASH_GOLDEN) ^ hashes[w]);
    }
    carom_worlds_destroy(worlds);
    return running == 0;
}

static arena_record begin_record(const arena_job *job, const arena_pairing *pairing, uint64_t number)
{
    return (arena_record){.pairing = (size_t)(pairing - job->result->pairings),
                          .number = number,
                          .winner = -1,
                          .winner_seat = -1,
                          .ended = true,
                          .conduct = {{.first = UINT64_MAX}, {.first = UINT64_MAX}}};
}

static void hand_over(arena_job *job, const arena_pairing *pairing, arena_record *record)
{
    if (job->options->results != NULL) {
        record->line = carom_results_line(job->options, pairing, record, NULL);
    }
    carom_arena_take(job, record);
}

/* All players in one world. */
static bool play_together(arena_job *job, const arena_pairing *pairing, uint64_t start, size_t count)
{
    const arena_options *options = job->options;
    lane_end ends[LANES_BATCH];
    const arena_side *seats[CAROM_MAX_PLAYERS];
    memset(ends, 0, sizeof ends);
    for (unsigned round = 0; round < options->rounds; round++) {
        for (unsigned seat = 0; seat < job->seats; seat++) {
            seats[seat] = &options->sides[pairing->sides[arena_side_on(job->seats, seat, round)]];
        }
        if (!play_starts(job, start, count, seats, ends)) {
            return false;
        }
        for (size_t w = 0; w < count; w++) {
            const carom_result *result = &ends[w].result;
            arena_record record = begin_record(job, pairing, (start + w) * options->rounds + round);
            record.seat_count = job->seats;
            record.fault = ends[w].fault;
            record.digest = ends[w].digest;
            for (unsigned seat = 0; seat < job->seats; seat++) {
                record.seats[seat] = (arena_seat){arena_side_on(job->seats, seat, round), result->ticks,
                                                  result->score[seat], result->returns[seat]};
            }
            if (result->winner >= 0) {
                record.winner_seat = (int)result->winner;
                record.winner = (int)record.seats[result->winner].side;
            }
            hand_over(job, pairing, &record);
        }
        __atomic_fetch_add(&job->done, count, __ATOMIC_RELAXED);
    }
    return true;
}

/* Each side alone; compares their scores. */
static bool play_apart(arena_job *job, const arena_pairing *pairing, uint64_t start, size_t count)
{
    lane_end ends[2][LANES_BATCH];
    memset(ends, 0, sizeof ends);
    for (unsigned k = 0; k < 2; k++) {
        const arena_side *side = &job->options->sides[pairing->sides[k]];
        if (!play_starts(job, start, count, &side, ends[k])) {
            return false;
        }
    }
    for (size_t w = 0; w < count; w++) {
        arena_record record = begin_record(job, pairing, start + w);
        record.seat_count = 2;
        for (unsigned k = 0; k < 2; k++) {
            const carom_result *result = &ends[k][w].result;
            record.seats[k] = (arena_seat){k, result->ticks, result->score[0], result->returns[0]};
            record.fault = record.fault || ends[k][w].fault;
            record.digest += ends[k][w].digest;
        }
        record.winner = carom_arena_better(&record, (bool[2]){false, false});
        hand_over(job, pairing, &record);
    }
    __atomic_fetch_add(&job->done, count, __ATOMIC_RELAXED);
    return true;
}

void carom_arena_play_lanes(arena_job *job, const arena_pairing *pairing)
{
    const uint64_t end = job->options->end;
    bool whole = true;
    for (uint64_t start = job->options->begin; start < end && whole; start += LANES_BATCH) {
        const size_t count = (size_t)(end - start < LANES_BATCH ? end - start : LANES_BATCH);
        whole = job->seats == 1 ? play_apart(job, pairing, start, count) : play_together(job, pairing, start, count);
    }
}
