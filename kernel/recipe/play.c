/* SPDX-License-Identifier: MIT
 * Playing a block of a recipe. Its worlds are played in pieces, each from its start for all ticks, by a thread with a
 * separate batch and rows, which stay in the core's cache from the tick to the digest. A piece depends only on the
 * recipe and on the ids of its worlds, and the digests of pieces add up to that of the block.
 */
#include "recipe/recipe.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/little.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "games/game.h"

#define PIECE_WORLDS 512              /* at most, */
#define PIECE_BYTES ((size_t)1 << 19) /* as many as fit into this much, */
#define SEARCH_WORLDS 16              /* or these if a planner plays */

/* A thread's working memory, allocated when it takes its first piece. */
typedef struct piece_room {
    carom_worlds *worlds; /* NULL: not yet made */
    carom_search *searches[CAROM_MAX_PLAYERS];
    unsigned char *memory;            /* holds all of the following */
    uint64_t *ids;                    /* [world] */
    float *observations[2], *rewards; /* of one tick; observations before and after it */
    uint8_t *ends;
    unsigned char *played, *given[CAROM_MAX_PLAYERS]; /* actions of all players; by planners */
} piece_room;

/* A block while it is played. */
typedef struct block_job {
    const carom_recipe *recipe;
    const carom_recipe_how *how;
    uint64_t first, count;        /* its worlds */
    const affinity *where;        /* the processors of its threads; NULL: any */
    size_t piece;                 /* worlds of a piece */
    carom_recipe_how inner;       /* how a thread plays a piece */
    size_t seen, acted, rewarded; /* bytes of a world's rows */
    carom_step step;              /* the players */
    piece_room *rooms;            /* [threads] */
    atomic_uint_fast64_t digest;
    atomic_int status; /* the first one other than CAROM_OK */
} block_job;

static bool searches(const carom_recipe *r)
{
    bool any = false;
    for (uint32_t p = 0; p < r->desc.game->info.players; p++) {
        any = any || r->players[p].said.source == CAROM_GIVEN;
    }
    return any;
}

/* ---- rooms ---- */

static void drop_searches(piece_room *room)
{
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        carom_search_destroy(room->searches[p]);
        room->searches[p] = NULL;
    }
}

static void drop_room(piece_room *room)
{
    drop_searches(room);
    carom_worlds_destroy(room->worlds);
    carom_memory_release(room->memory);
}

/* Lays the rows out, and returns their size; with NULL it only returns the size. */
static size_t lay_out(const block_job *job, unsigned char *memory, piece_room *room)
{
    const size_t n = job->piece;
    size_t used = 0;
    room->ids = (uint64_t *)memory_part(memory, &used, n * sizeof *room->ids);
    room->observations[0] = (float *)memory_part(memory, &used, n * job->seen);
    room->observations[1] = (float *)memory_part(memory, &used, n * job->seen);
    room->rewards = (float *)memory_part(memory, &used, n * job->rewarded);
    room->ends = (uint8_t *)memory_part(memory, &used, n);
    room->played = (unsigned char *)memory_part(memory, &used, n * job->acted);
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        const bool planner = job->recipe->players[p].said.source == CAROM_GIVEN;
        room->given[p] = (unsigned char *)memory_part(memory, &used, planner ? n * job->acted : 0);
    }
    return used;
}

static carom_status make_room(const block_job *job, piece_room *room)
{
    const carom_status status = carom_recipe_worlds(job->recipe, job->piece, &job->inner, &room->worlds);
    if (status != CAROM_OK) {
        return status;
    }
    room->memory = (unsigned char *)carom_memory_take(lay_out(job, NULL, room));
    if (room->memory == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    (void)lay_out(job, room->memory, room);
    return CAROM_OK;
}

/* ---- a piece ---- */

/* Starts its worlds, with planners that have no memory yet. */
static carom_status begin_piece(const block_job *job, piece_room *room, uint64_t first)
{
    for (size_t w = 0; w < job->piece; w++) {
        room->ids[w] = first + w;
    }
    drop_searches(room);
    carom_status status = carom_worlds_restart(room->worlds, NULL, room->ids, NULL);
    for (uint32_t p = 0; p < job->recipe->desc.game->info.players && status == CAROM_OK; p++) {
        const player_text *said = &job->recipe->players[p].said;
        if (said->source == CAROM_GIVEN) {
            carom_search_desc search = carom_plan_search(&said->plan, job->recipe->desc.game, p);
            search.cancel = job->how->cancel;
            status = carom_search_create(room->worlds, &search, &room->searches[p]);
        }
    }
    return status;
}

/* Lets planners choose the actions of a tick. */
static carom_status plan(const block_job *job, piece_room *room)
{
    carom_status status = CAROM_OK;
    for (uint32_t p = 0; p < job->recipe->desc.game->info.players && status == CAROM_OK; p++) {
        if (room->searches[p] != NULL) {
            status = carom_search_run(room->searches[p], room->worlds);
            status = status == CAROM_OK ? carom_search_actions(room->searches[p], p, room->given[p]) : status;
        }
    }
    return status;
}

/* Converts the rows of a tick, which its successors do not need, to the bytes that the digest is defined by. */
static void make_little(const block_job *job, piece_room *room, size_t count, size_t before)
{
    const carom_recipe_desc *d = &job->recipe->desc;
    const size_t number = d->game->kinds[d->action_kind].precision / 8;
    little_copy(room->observations[before], room->observations[before], count * job->seen / sizeof(float),
                sizeof(float));
    little_copy(room->rewards, room->rewards, count * job->rewarded / sizeof(float), sizeof(float));
    little_copy(room->played, room->played, count * job->acted / number, number);
}

/* Plays `count` worlds from world `first` on for all ticks, and adds up their digest. */
static carom_status play_piece(const block_job *job, piece_room *room, uint64_t first, size_t count, uint64_t *digest)
{
    carom_step step = job->step;
    carom_transitions rows = carom_transitions_default();
    rows.ticks = 1;
    rows.worlds = count;
    rows.first_id = first;
    rows.actions = job->acted != 0 ? room->played : NULL;
    rows.rewards = room->rewards;
    rows.ends = room->ends;
    rows.observation_bytes = job->seen;
    rows.action_bytes = job->acted;
    rows.reward_bytes = job->rewarded;
    rows.end_bytes = 1;

    step.count = count;
    step.cancel = job->how->cancel;
    step.observations = room->observations[0];
    step.rewards = room->rewards;
    step.ends = room->ends;
    step.played = rows.actions != NULL ? room->played : NULL;
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        step.players[p].actions = step.players[p].source == CAROM_GIVEN ? room->given[p] : NULL;
    }

    carom_status status = begin_piece(job, room, first);
    status = status == CAROM_OK ? carom_worlds_observe_step(room->worlds, &step) : status;
    for (uint64_t tick = 0; tick < job->recipe->desc.ticks && status == CAROM_OK; tick++) {
        if (progress_cancelled(job->how->cancel)) {
            return CAROM_ERROR_CANCELLED;
        }

        /* The observations after the last tick are those before this one. */
        rows.observations = step.observations;
        rows.first_tick = tick;
        step.observations = room->observations[(tick + 1) % 2];
        status = plan(job, room);
        status = status == CAROM_OK ? carom_worlds_play(room->worlds, &step) : status;
        uint64_t sum = 0;
        make_little(job, room, count, tick % 2);
        status = status == CAROM_OK ? carom_transitions_digest(&rows, &sum) : status;
        *digest += sum;
        if (status == CAROM_OK) {
            progress_add(job->how->progress, count);
        }
    }
    return status;
}

static void play_item(void *argument, size_t item, unsigned thread)
{
    block_job *job = (block_job *)argument;
    piece_room *room = &job->rooms[thread];
    const uint64_t at = (uint64_t)item * job->piece, left = job->count - at;
    uint64_t digest = 0;
    if (atomic_load(&job->status) != CAROM_OK) {
        return;
    }

    carom_status status = room->worlds == NULL ? make_room(job, room) : CAROM_OK;
    if (status == CAROM_OK) {
        const size_t count = left < job->piece ? (size_t)left : job->piece;
        status = play_piece(job, room, job->first + at, count, &digest);
    }
    int none = CAROM_OK;
    if (status == CAROM_OK) {
        atomic_fetch_add(&job->digest, digest);
    } else {
        atomic_compare_exchange_strong(&job->status, &none, (int)status);
    }
}

/* ---- a block ---- */

/* Derives from the recipe: rows, players, and the size of pieces. */
static void describe_job(block_job *job)
{
    const carom_recipe *r = job->recipe;
    const carom_game *game = r->desc.game;
    const carom_observation_kind seen = carom_game_seen(game, r->desc.observation_kind);
    job->seen = (size_t)game->info.players * seen.agents * seen.size * sizeof(float);
    job->acted = carom_game_row_bytes(game, r->desc.action_kind);
    job->rewarded = (size_t)game->info.players * carom_game_rewarded(game, r->desc.reward_kind) * sizeof(float);

    job->step = carom_step_default();
    job->step.action_kind = r->desc.action_kind;
    job->step.observation_kind = r->desc.observation_kind;
    job->step.reward_kind = r->desc.reward_kind;
    for (uint32_t p = 0; p < game->info.players; p++) {
        job->step.players[p].source = r->players[p].said.source;
        job->step.players[p].policy = r->players[p].said.policy;
        job->step.players[p].action_kind = r->desc.action_kind;
    }
}

/* Chooses the number of worlds of a piece. */
static void choose_piece(block_job *job, unsigned threads)
{
    carom_worlds_desc one = carom_worlds_desc_default(job->recipe->desc.game);
    one.options = job->recipe->desc.options;
    one.precision = job->recipe->desc.precision;
    one.isa = job->how->isa;
    one.threads = 1;
    one.count = CAROM_TILE;
    const size_t few = carom_worlds_bytes(&one);
    one.count = (size_t)2 * CAROM_TILE;
    const size_t rows = 2 * job->seen + job->acted + job->rewarded;
    const size_t tile = carom_worlds_bytes(&one) - few + CAROM_TILE * rows;
    size_t piece = PIECE_BYTES / (tile > 0 ? tile : 1) * CAROM_TILE;
    piece = piece < CAROM_TILE ? CAROM_TILE : piece > PIECE_WORLDS ? PIECE_WORLDS : piece;
    piece = searches(job->recipe) ? SEARCH_WORLDS : piece;

    /* At least one piece for each thread, and none larger than the block. */
    const uint64_t share = (job->count / threads + CAROM_TILE - 1) / CAROM_TILE * CAROM_TILE;
    piece = share > 0 && share < piece ? (size_t)share : piece;
    if (searches(job->recipe)) { /* of equal sizes: roots beyond the block would be searched in vain */
        const uint64_t pieces = (job->count + piece - 1) / piece;
        piece = (size_t)((job->count + pieces - 1) / pieces);
    }
    job->piece = piece < job->count ? piece : (size_t)job->count;
}

carom_recipe_how carom_recipe_how_default(void)
{
    const carom_recipe_how how = {.size = sizeof how};
    return how;
}

carom_status carom_recipe_play(const carom_recipe *recipe, size_t block, const carom_recipe_how *how, uint64_t *digest)
{
    const carom_recipe_how usual_way = carom_recipe_how_default();
    block_job job;
    memset(&job, 0, sizeof job);
    job.recipe = recipe;
    job.how = how != NULL ? how : &usual_way;
    if (digest == NULL || job.how->size != sizeof *how || job.how->threads > CAROM_MAX_THREADS ||
        carom_recipe_block(recipe, block, &job.first, &job.count) != CAROM_OK) {
        return CAROM_ERROR_ARGUMENT;
    }

    affinity where;
    if (job.how->affinity != NULL || job.how->affinity_count > 0) {
        const carom_status status = carom_affinity_make(job.how->affinity, job.how->affinity_count, &where, NULL);
        if (status != CAROM_OK) {
            return status;
        }
        job.where = &where;
    }
    const size_t listed = job.how->affinity_count < CAROM_MAX_THREADS ? job.how->affinity_count : CAROM_MAX_THREADS;
    const unsigned usual = listed > 0 ? (unsigned)listed : carom_threads();
    const unsigned threads = job.how->threads != 0 ? job.how->threads : usual;
    describe_job(&job);
    choose_piece(&job, threads);
    const size_t pieces = (size_t)((job.count + job.piece - 1) / job.piece);

    /* A single piece is played by all threads; several pieces by one thread each, bound to its processors. */
    job.inner = *job.how;
    job.inner.threads = pieces == 1 ? threads : 1;
    if (pieces > 1) {
        job.inner.affinity = NULL;
        job.inner.affinity_count = 0;
    }
    job.rooms = (piece_room *)calloc(threads, sizeof *job.rooms);
    if (job.rooms == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    if (pieces == 1) {
        play_item(&job, 0, 0);
    } else {
        carom_parallel_for(threads, job.where, pieces, play_item, &job);
    }
    for (unsigned t = 0; t < threads; t++) {
        drop_room(&job.rooms[t]);
    }
    free(job.rooms);

    const carom_status status = (carom_status)atomic_load(&job.status);
    if (status == CAROM_OK) {
        *digest = atomic_load(&job.digest);
    }
    return status;
}
