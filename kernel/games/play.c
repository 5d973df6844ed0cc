/* SPDX-License-Identifier: MIT
 * Playing a batch. A call plays `ticks` steps, each of which holds a world's actions for `repeat` ticks. Threads take
 * runs of tiles: a thread plays the whole call on one run before it takes the next, so that the state of the run stays
 * in its core's cache.
 *
 * Rollouts have a separate loop over ticks, in rollout/run.c: a step plays each row of actions `repeat` times, sums its
 * rewards and restarts games, whereas a rollout holds rows as long as each player's plan says and stops at a deadline
 * or at the horizon of a root. Their common part is games/driver.c.
 */
#include "games/step.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "worlds/device.h"
#include "worlds/layout.h"

/* A thread's working memory, part of the batch's scratch. Blocks are lane-major and of a whole run, unless noted
 * otherwise. */
typedef struct play_buffers {
    unsigned char *kernel;     /* for the kernel itself */
    unsigned char *actions;    /* [tile of the run][numbers of all players][16], of the widest kind; one such block for
                                  each player if the game mixes kinds */
    unsigned char *row;        /* actions of one world, all players, of the widest kind: for policies */
    float *seen, *rows;        /* observations of one tile: lane-major; as rows of the caller, before streaming */
    float *rewards, *gathered; /* of one tick; summed over a step. For the kind with the most agents */
    tick_result *results;      /* of one tick */
    uint8_t *ends, *over;      /* of one tick; of the step so far */
    float *last;               /* observations in the states in which games ended, of all tiles */
} play_buffers;

/* Lays the buffers out in a thread's scratch and returns their size; with NULL it only returns the size. */
static size_t lay_out(const carom_worlds_desc *desc, unsigned char *scratch, play_buffers *buffers)
{
    const carom_game *game = desc->game;
    const bool large = game->type.large[desc->precision == CAROM_F64];
    const size_t worlds = (size_t)(large ? 1 : TICK_RUN) * CAROM_TILE, row = carom_game_most_row_bytes(game);
    const size_t seen = carom_game_most_seen(game) * CAROM_TILE * sizeof(float);
    const size_t rewarded = worlds * game->info.players * (game->agents > 1 ? game->agents : 1) * sizeof(float);
    const size_t blocks = game->mixes ? game->info.players : 1;
    size_t used = 0;

    buffers->kernel = (unsigned char *)memory_part(scratch, &used, carom_game_kernel_bytes(game));
    buffers->actions = (unsigned char *)memory_part(scratch, &used, worlds * row * blocks);
    buffers->row = (unsigned char *)memory_part(scratch, &used, row);
    buffers->seen = (float *)memory_part(scratch, &used, seen);
    buffers->rows = (float *)memory_part(scratch, &used, seen);
    buffers->rewards = (float *)memory_part(scratch, &used, rewarded);
    buffers->gathered = (float *)memory_part(scratch, &used, rewarded);
    buffers->results = (tick_result *)memory_part(scratch, &used, worlds * sizeof(tick_result));
    buffers->ends = (uint8_t *)memory_part(scratch, &used, worlds);
    buffers->over = (uint8_t *)memory_part(scratch, &used, worlds);
    buffers->last = (float *)memory_part(scratch, &used, worlds / CAROM_TILE * seen);
    return used;
}

size_t carom_game_scratch_bytes(const carom_worlds_desc *desc)
{
    play_buffers buffers;
    return lay_out(desc, NULL, &buffers);
}

/* ---- a run of a call ---- */

/* A run of tiles of a call while one thread plays it. */
typedef struct play_run {
    drive_run run;
    const play *p;
    play_buffers buffers;
    size_t first_tile, number; /* the run's first tile in the batch; index of the current step */
    uint16_t wanted[TICK_RUN]; /* bit `lane` of each tile: the caller wants this world played */
} play_run;

/* The lanes of a tile that hold worlds of the call: `lane` holds world at + lane, counted from p->first. */
typedef struct play_span {
    unsigned begin, end; /* lanes [begin, end) */
    size_t at;           /* wraps around below 0 if the call begins within the tile: only at + lane is a world */
} play_span;

static play_span span_of(const play *p, size_t tile)
{
    const world_layout *layout = &p->worlds->layout;
    const lane_span lanes = lanes_within(layout, tile, p->first, p->count);
    const play_span span = {lanes.begin, lanes.end, tile * layout->lanes - p->first};
    return span;
}

/* ---- actions ---- */

/* Packs given actions of step `number` from the caller's rows into the lanes of the run. */
static void pack_actions(const play *p, const play_given *given, size_t number, size_t first_tile, size_t tiles,
                         unsigned char *lanes)
{
    const carom_step *step = p->step;
    const unsigned char *base = given->actions + number * p->action_rows * given->row_bytes;
    for (size_t t = 0; t < tiles; t++) {
        const play_span span = span_of(p, first_tile + t);
        const void *rows[CAROM_TILE];

        /* Packing reads sixteen rows. Lanes outside the call take the row of the nearest lane inside it, which
         * exists. */
        for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
            const unsigned there = lane < span.begin ? span.begin : lane < span.end ? lane : span.end - 1;
            const size_t world = span.at + there;
            rows[lane] = base + (step->rows != NULL ? step->rows[world] : world) * given->row_bytes;
        }

        p->d.transpose->pack(lanes + CAROM_TILE * (t * p->d.world_bytes + given->at), rows, given->numbers,
                             given->number_bytes);
    }
}

/* Sets the actions of a step, except for those of policies, which choose in every tick. */
static void take_actions(const play *p, size_t number, size_t first_tile, size_t tiles, const play_buffers *buffers)
{
    if (p->zeros) {
        memset(buffers->actions, 0, tiles * CAROM_TILE * p->d.world_bytes);
    }
    for (uint32_t k = 0; k < p->given_count; k++) {
        pack_actions(p, &p->given[k], number, first_tile, tiles, buffers->actions);
    }
}

/* ---- worlds that are not played ---- */

/* Finds which lanes the caller wants played: worlds of the call that `skip` does not exclude. */
static void find_wanted(play_run *r)
{
    const uint8_t *skip = r->p->step->skip;
    for (size_t t = 0; t < r->run.tick.tile_count; t++) {
        const play_span span = span_of(r->p, r->first_tile + t);
        unsigned wanted = 0;
        for (unsigned lane = span.begin; lane < span.end; lane++) {
            wanted |= (unsigned)(skip == NULL || skip[span.at + lane] == 0) << lane;
        }
        r->wanted[t] = r->run.tick.plays[t] = (uint16_t)wanted;
    }
}

/* Stops worlds whose game has ended until the step is over. */
static void stop_over(play_run *r)
{
    for (size_t home = 0; home < r->run.tick.tile_count * CAROM_TILE; home++) {
        const unsigned over = r->buffers.over[home] != 0;
        r->run.tick.plays[home / CAROM_TILE] &= (uint16_t)~(over << home % CAROM_TILE);
    }
}

/* ---- outputs ---- */

/* The row of a world of the call in one of the caller's arrays of observations. */
static float *row_of(const play_run *r, float *observations, size_t world)
{
    const carom_step *step = r->p->step;
    const size_t row = step->places != NULL ? step->places[world] : world;
    return observations + (r->number * r->p->observation_rows + row) * r->p->d.width;
}

/* Writes the present observations of a tile to the caller's rows. If the observations of a step exceed the caches,
 * first gathers a full tile's rows, which fill whole cache lines, and streams them past the caches. */
static void show_tile(const play_run *r, size_t t)
{
    const play *p = r->p;
    const play_span span = span_of(p, r->first_tile + t);
    const bool streams = p->streams && span.end - span.begin == CAROM_TILE;

    float *rows[CAROM_TILE] = {NULL};
    for (unsigned lane = span.begin; lane < span.end; lane++) {
        rows[lane] =
            streams ? r->buffers.rows + (size_t)lane * p->d.width : row_of(r, p->step->observations, span.at + lane);
    }

    carom_drive_observe(&r->run, t, rows, streams);
    if (streams) {
        p->d.transpose->stream(row_of(r, p->step->observations, span.at), r->buffers.rows,
                               (size_t)CAROM_TILE * p->d.width);
    }
}

/* Writes the observations of the states in which games ended in this tick. */
static void show_last(const play_run *r)
{
    for (size_t t = 0; t < r->run.tick.tile_count; t++) {
        const play_span span = span_of(r->p, r->first_tile + t);
        float *rows[CAROM_TILE] = {NULL};
        bool any = false;
        for (unsigned lane = span.begin; lane < span.end; lane++) {
            if (r->buffers.ends[t * CAROM_TILE + lane] != 0) {
                rows[lane] = row_of(r, r->p->step->last_observations, span.at + lane);
                any = true;
            }
        }
        if (any) {
            carom_drive_observe_last(&r->run, t, rows);
        }
    }
}

/* Adds the rewards of a tick to the batch's sums for each game, and writes the results of games that have ended. */
static void write_results(const play_run *r)
{
    const play *p = r->p;
    const uint32_t players = p->d.game->info.players, each = p->d.rewarded / players;
    for (size_t t = 0; t < r->run.tick.tile_count; t++) {
        const play_span span = span_of(p, r->first_tile + t);
        for (unsigned lane = span.begin; lane < span.end; lane++) {
            /* A player's sum is over all its agents. */
            const size_t home = t * CAROM_TILE + lane;
            double *sums = p->worlds->sums + (r->run.tick.first + home) * players;
            for (uint32_t agent = 0; agent < p->d.rewarded; agent++) {
                sums[agent / each] += (double)r->buffers.rewards[(t * p->d.rewarded + agent) * CAROM_TILE + lane];
            }

            /* The next game begins with sums of 0. Players that the game does not have get zeros. */
            if (r->buffers.ends[home] != 0) {
                const tick_result *of = &r->buffers.results[home];
                carom_result *result = &p->step->results[r->number * p->count + span.at + lane];
                result->winner = of->winner;
                result->ticks = (uint32_t)of->ticks;
                result->fault = (uint32_t)of->fault;
                for (uint32_t player = 0; player < CAROM_MAX_PLAYERS; player++) {
                    const bool there = player < players;
                    result->score[player] = there ? of->score[player] : 0;
                    result->returns[player] = there ? sums[player] : 0;
                }
                memset(sums, 0, players * sizeof *sums);
            }
        }
    }
}

/* Writes rewards and ends of a step: of its only tick, or gathered over its ticks. */
static void write_step(const play_run *r, const float *rewards, const uint8_t *ends)
{
    const play *p = r->p;
    const carom_step *step = p->step;
    for (size_t t = 0; t < r->run.tick.tile_count; t++) {
        const play_span span = span_of(p, r->first_tile + t);
        float *rows[CAROM_TILE];
        for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
            const size_t world = r->number * p->count + span.at + lane;
            const bool there = lane >= span.begin && lane < span.end;
            rows[lane] = there && step->rewards != NULL ? step->rewards + world * p->d.rewarded : NULL;
            if (there && step->ends != NULL) {
                step->ends[world] = ends[t * CAROM_TILE + lane];
            }
        }

        if (step->rewards != NULL) {
            carom_drive_reward(&r->run, t, rewards, rows);
        }
    }
}

/* Writes the actions of all players in a tick. */
static void write_played(const play_run *r)
{
    const play *p = r->p;
    const uint32_t number_bytes = (uint32_t)p->d.game->kinds[p->d.kind].precision / 8;
    const uint32_t numbers = (uint32_t)p->d.world_bytes / number_bytes;
    for (size_t t = 0; t < r->run.tick.tile_count; t++) {
        const play_span span = span_of(p, r->first_tile + t);
        unsigned char *rows[CAROM_TILE] = {NULL};
        for (unsigned lane = span.begin; lane < span.end; lane++) {
            const size_t world = r->number * p->count + span.at + lane;
            rows[lane] = (unsigned char *)p->step->played + world * p->d.world_bytes;
        }
        carom_game_unpack_actions(p->worlds->desc.isa, rows, r->buffers.actions + t * CAROM_TILE * p->d.world_bytes,
                                  numbers, number_bytes);
    }
}

/* ---- playing ---- */

/* Adds a run's counters to the batch's, to which other threads also add. */
static void add_counters(carom_counters *to, const carom_counters *from)
{
    __atomic_fetch_add(&to->ticks, from->ticks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->events, from->events, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->games, from->games, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->goals, from->goals, __ATOMIC_RELAXED);
    if (from->faults != 0) { /* rare: saves an atomic operation */
        __atomic_fetch_add(&to->faults, from->faults, __ATOMIC_RELAXED);
    }
}

/* Begins a run: sets everything in its tick that is the same in all ticks of the call. */
static void begin_run(play_run *r, const play *p, size_t first_tile, size_t tiles, unsigned thread)
{
    const carom_step *step = p->step;
    carom_worlds *worlds = p->worlds;
    game_tick *tick = &r->run.tick;
    carom_drive_begin(&r->run, &p->d, carom_worlds_tile(worlds, first_tile), tiles, first_tile * worlds->layout.lanes);
    r->p = p;
    (void)lay_out(&worlds->desc, worlds->scratch + thread * worlds->scratch_bytes, &r->buffers);
    r->first_tile = first_tile;
    r->number = 0;
    r->run.row = r->buffers.row;
    r->run.seen = r->buffers.seen;

    tick->dt = step->dt;
    tick->seeds = worlds->seeds != NULL ? worlds->seeds + tick->first : NULL;
    tick->at_end = p->at_end;
    tick->actions = r->buffers.actions;
    tick->scratch = r->buffers.kernel;
    tick->cancel = step->cancel;
    tick->watched = step->observations != NULL;
    tick->behind = step->observations == NULL && step->last_observations == NULL && step->rewards == NULL &&
                   step->results == NULL && step->moved == NULL && (step->ticks > 1 || step->repeat > 1);

    /* Kernels write only what is wanted. Ends are also needed here: for results and last observations, and to stop
     * worlds in a step of several ticks. */
    tick->rewards = step->rewards != NULL || step->results != NULL ? r->buffers.rewards : NULL;
    tick->results = step->results != NULL ? r->buffers.results : NULL;
    tick->last = step->last_observations != NULL ? r->buffers.last : NULL;
    const bool ends = step->ends != NULL || step->results != NULL || tick->last != NULL || step->repeat > 1;
    tick->ends = ends ? r->buffers.ends : NULL;

    tick->record = step->events != NULL || step->event_counts != NULL || step->moved != NULL;
    tick->event_capacity = step->events != NULL ? step->event_capacity : 0;
}

/* Points the recording at the caller's entries for this step. They are in the order of worlds, and so are the run's. */
static void record_at(play_run *r)
{
    const carom_step *step = r->p->step;
    const size_t at = r->number * r->p->count + r->run.tick.first - r->p->first;
    r->run.tick.events = step->events != NULL ? step->events + at * step->event_capacity : NULL;
    r->run.tick.contacts = step->contacts != NULL ? step->contacts + at * step->event_capacity : NULL;
    r->run.tick.event_counts = step->event_counts != NULL ? step->event_counts + at : NULL;
    r->run.tick.moved = step->moved != NULL ? step->moved + at * r->p->d.game->info.bodies * 4 : NULL;
}

/* Plays one tick of the run, and writes the outputs of single ticks. */
static void play_tick(play_run *r)
{
    const carom_counters *counters = &r->run.tick.counters;
    const uint64_t ended = counters->games + counters->faults;
    if (r->run.tick.record) {
        record_at(r);
    }
    if (r->run.tick.ends != NULL) {
        memset(r->buffers.ends, 0, r->run.tick.tile_count * CAROM_TILE);
    }

    carom_drive_tick(&r->run);
    if (r->run.tick.results != NULL) {
        write_results(r);
    }

    /* Most ticks end no game: the counters show that without a look at every world. */
    if (r->run.tick.last != NULL && counters->games + counters->faults != ended) {
        show_last(r);
    }
}

/* Plays a step of several ticks with the same actions: sums its rewards, and collects how games ended. */
static void play_ticks(play_run *r)
{
    const size_t worlds = r->run.tick.tile_count * CAROM_TILE, rewards = worlds * r->p->d.rewarded;
    for (size_t k = 0; k < r->p->step->repeat; k++) {
        play_tick(r);
        for (size_t i = 0; i < rewards && r->run.tick.rewards != NULL; i++) {
            r->buffers.gathered[i] = (k == 0 ? 0 : r->buffers.gathered[i]) + r->buffers.rewards[i];
        }
        for (size_t i = 0; i < worlds; i++) {
            r->buffers.over[i] = (uint8_t)((k == 0 ? 0 : r->buffers.over[i]) | r->buffers.ends[i]);
        }
        stop_over(r);
    }

    /* The next step again plays all worlds that the caller wants. */
    memcpy(r->run.tick.plays, r->wanted, sizeof r->wanted);
}

/* Plays all steps of the call in a run. */
static void play_steps(play_run *r)
{
    const play *p = r->p;
    const carom_step *step = p->step;
    const bool repeats = step->repeat > 1;

    /* Worlds of the run: of the call, for progress; up to the last of them, for recording. */
    size_t count = 0;
    for (size_t t = 0; t < r->run.tick.tile_count; t++) {
        const play_span span = span_of(p, r->first_tile + t);
        count += span.end - span.begin;
        r->run.tick.worlds = t * CAROM_TILE + span.end;
    }

    for (; r->number < step->ticks && !progress_cancelled(step->cancel); r->number++) {
        take_actions(p, r->number, r->first_tile, r->run.tick.tile_count, &r->buffers);
        if (repeats) {
            play_ticks(r);
        } else {
            play_tick(r);
        }
        if (step->played != NULL) {
            write_played(r);
        }

        /* Observations and rewards are written after the whole step. */
        for (size_t t = 0; t < r->run.tick.tile_count && step->observations != NULL; t++) {
            show_tile(r, t);
        }
        if (step->rewards != NULL || step->ends != NULL) {
            write_step(r, repeats ? r->buffers.gathered : r->buffers.rewards,
                       repeats ? r->buffers.over : r->buffers.ends);
        }

        progress_add(step->progress, count);
    }
    if (p->d.kernel->catch_up != NULL) {
        p->d.kernel->catch_up(&r->run.tick);
    }
}

/* Copies the parents into the worlds of the run, which keep their own ids. */
static void copy_parents(const play_run *r)
{
    const play *p = r->p;
    const world_layout *layout = &p->worlds->layout;
    for (size_t t = 0; t < r->run.tick.tile_count; t++) {
        void *tile = carom_worlds_tile(p->worlds, r->first_tile + t);
        const play_span span = span_of(p, r->first_tile + t);

        /* Where each lane's parent is. */
        const void *from[CAROM_TILE];
        unsigned lanes[CAROM_TILE], chosen = 0;
        uint64_t ids[CAROM_TILE];
        for (unsigned lane = span.begin; lane < span.end; lane++) {
            const size_t world = span.at + lane, parent = p->from != NULL ? p->from[world] : p->first + world;
            from[lane] = carom_worlds_tile_of(p->parents, parent);
            lanes[lane] = carom_worlds_lane_of(p->parents, parent);
            ids[lane] = carom_tile_get_id(layout, tile, lane);
            chosen |= 1u << lane;
        }

        /* Gathering overwrites the ids as well: restore the saved ones. */
        carom_tile_gather(layout, tile, chosen, &p->parents->layout, from, lanes);
        for (unsigned lane = span.begin; lane < span.end; lane++) {
            carom_tile_set_id(layout, tile, lane, ids[lane]);
        }
    }
}

/* Plays one run of a call. */
static void play_item(void *argument, size_t item, unsigned thread)
{
    const play *p = (const play *)argument;
    const size_t left = p->end - p->first_tile - item * p->run;
    play_run r;
    begin_run(&r, p, p->first_tile + item * p->run, left < p->run ? left : p->run, thread);

    if (p->parents != NULL) {
        copy_parents(&r);
    }
    find_wanted(&r);
    play_steps(&r);

    /* Streamed stores become visible to other threads only after this. */
    if (p->streams) {
        p->d.transpose->settle();
    }
    add_counters(&p->worlds->counters, &r.run.tick.counters);
}

/* Checks and plays a call. parents: NULL, or the batch from which the worlds are first copied. */
static carom_status play_all(carom_worlds *worlds, const carom_step *step, const carom_worlds *parents,
                             const size_t *from)
{
    play p;
    carom_status status = carom_play_ask(&p, worlds, step);
    status = status == CAROM_OK && parents != NULL ? carom_play_ask_parents(&p, parents, from) : status;
    if (status != CAROM_OK) {
        return status;
    }

    /* Results need sums of rewards, whose memory is allocated on first use. A copied world begins with sums of 0. */
    if (step->results != NULL && carom_worlds_take_sums(worlds, p.d.game->info.players) != CAROM_OK) {
        return CAROM_ERROR_MEMORY;
    }
    if (parents != NULL) {
        carom_worlds_forget_sums(worlds, p.first, p.count);
    }

    carom_parallel_for(worlds->desc.threads, worlds->where, (p.end - p.first_tile + p.run - 1) / p.run, play_item, &p);
    return progress_cancelled(step->cancel) ? CAROM_ERROR_CANCELLED : CAROM_OK;
}

carom_status carom_worlds_play(carom_worlds *worlds, const carom_step *step)
{
    if (worlds == NULL || step == NULL || step->size != sizeof *step) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(worlds)) {
        return carom_device_ops.play(worlds, step, NULL, NULL);
    }
    return play_all(worlds, step, NULL, NULL);
}

carom_status carom_worlds_expand(carom_worlds *children, const carom_worlds *parents, const size_t *from,
                                 const carom_step *step)
{
    if (children == NULL || parents == NULL || step == NULL || step->size != sizeof *step) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(children)) {
        return carom_device_ops.play(children, step, parents, from);
    }

    /* Parents on a device are copied from their mirror. */
    if (!carom_mirror_open(parents, 0, parents->desc.count, MIRROR_TILES)) {
        return carom_worlds_refuse(children, CAROM_ERROR_DEVICE, "the parents: %s", parents->problem.text);
    }
    return carom_mirror_close(parents, 0, 0, 0, play_all(children, step, parents, from));
}

/* ---- observing ---- */

/* Observes one tile: a run of one, in which nothing is played. */
static void observe_tile(void *argument, size_t tile, unsigned thread)
{
    const play *p = (const play *)argument;
    play_run r;
    begin_run(&r, p, p->first_tile + tile, 1, thread);
    show_tile(&r, 0);
    if (p->streams) {
        p->d.transpose->settle();
    }
}

carom_status carom_worlds_observe_step(carom_worlds *worlds, const carom_step *step)
{
    if (worlds == NULL || step == NULL || step->size != sizeof *step) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(worlds)) {
        return carom_device_ops.observe(worlds, step);
    }
    play p;
    const carom_status status = carom_play_ask_seen(&p, worlds, step);
    if (status == CAROM_OK) {
        carom_parallel_for(worlds->desc.threads, worlds->where, p.end - p.first_tile, observe_tile, &p);
    }
    return status;
}

carom_status carom_worlds_observe(carom_worlds *worlds, float *observations)
{
    carom_step step = carom_step_default();
    step.observations = observations;
    return carom_worlds_observe_step(worlds, &step);
}
