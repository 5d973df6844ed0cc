/* SPDX-License-Identifier: MIT
 * Playing a batch: runs of tiles are shared among threads, and each stays in its core's cache for all ticks of the
 * call.
 */
#include "games/game.h"

#include <float.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "exchange/exchange.h"

carom_step carom_step_default(void)
{
    carom_step step;
    memset(&step, 0, sizeof step);
    step.size = sizeof step;
    step.ticks = 1;
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        step.players[p].source = CAROM_GIVEN;
    }
    return step;
}

/* A thread's working memory: the kernel's, then lane-major blocks of a run. */
typedef struct play_buffers {
    unsigned char *kernel;
    unsigned char *actions; /* [tile of the run][numbers of all players][16], of the widest kind */
    unsigned char *row;     /* actions of a world, all players, of the widest kind */
    float *observations, *last_observations;
    float *rewards;
    uint8_t *ends;
} play_buffers;

typedef struct play_sizes {
    size_t kernel, actions, row, observations, rewards, ends;
} play_sizes;

static play_sizes sizes_of(const carom_game *game, size_t kernel_bytes)
{
    const size_t tiles = game->large ? 1 : TICK_RUN, lanes = tiles * CAROM_TILE * game->info.players;
    const size_t row = carom_game_most_row_bytes(game);
    play_sizes sizes = {memory_aligned(kernel_bytes), tiles * CAROM_TILE * row,
                        memory_aligned(row),          lanes * game->info.observation_size * sizeof(float),
                        lanes * sizeof(float),        memory_aligned(tiles * CAROM_TILE)};
    return sizes;
}

size_t carom_game_kernel_bytes(const carom_game *game)
{
    size_t most = 0;
    for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        for (int k = 0; k < 2; k++) {
            const game_kernel *kernel = game->kernel((carom_isa)isa, k == 0 ? CAROM_F32 : CAROM_F64);
            most = kernel != NULL && kernel->scratch_bytes > most ? kernel->scratch_bytes : most;
        }
    }
    return most + game->scratch_bytes;
}

size_t carom_game_scratch_bytes(const carom_worlds_desc *desc)
{
    const play_sizes sizes = sizes_of(desc->game, carom_game_kernel_bytes(desc->game));
    return sizes.kernel + sizes.actions + sizes.row + 2 * sizes.observations + sizes.rewards + sizes.ends;
}

static play_buffers buffers_in(unsigned char *scratch, const carom_game *game)
{
    const play_sizes sizes = sizes_of(game, carom_game_kernel_bytes(game));
    play_buffers buffers;
    buffers.kernel = scratch;
    buffers.actions = buffers.kernel + sizes.kernel;
    buffers.row = buffers.actions + sizes.actions;
    buffers.observations = (float *)(void *)(buffers.row + sizes.row);
    buffers.last_observations = buffers.observations + sizes.observations / sizeof(float);
    buffers.rewards = buffers.last_observations + sizes.observations / sizeof(float);
    buffers.ends = (uint8_t *)buffers.rewards + sizes.rewards;
    return buffers;
}

size_t carom_game_run_length(size_t tiles, unsigned threads)
{
    size_t length = tiles / ((size_t)threads * 4);
    return length < 1 ? 1 : length > TICK_RUN ? TICK_RUN : length;
}

/* ---- playing ---- */

typedef struct play {
    carom_worlds *worlds;
    const carom_step *step;
    const carom_game *game;
    const game_kernel *kernel;
    const exchange_kernel *exchange;
    size_t run;         /* tiles; 0: single worlds, which are large */
    game_actors actors; /* players whom the library plays */
    /* The caller's rows, which hold the players whose actions are given. Those stand side by side. */
    size_t action_rows; /* of a tick */
    size_t row_bytes;
    uint32_t numbers, number_bytes; /* of a row */
    size_t given_at;                /* the given players' part of a world's actions: bytes from its start on */
    size_t world_bytes;             /* of a world's actions, all players */
    bool zeros;                     /* some are 0 */
} play;

static void pack_actions(const play *p, size_t tick, size_t first_tile, size_t tiles, unsigned char *lanes)
{
    const carom_step *step = p->step;
    const unsigned char *base = (const unsigned char *)step->actions + tick * p->action_rows * p->row_bytes;
    for (size_t t = 0; t < tiles; t++) {
        const size_t first = (first_tile + t) * CAROM_TILE;
        const size_t last = p->worlds->desc.count - 1 - first; /* padding reads what the last world reads */
        const void *rows[CAROM_TILE];
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            const size_t world = first + (lane < last ? lane : last);
            rows[lane] = base + (step->rows != NULL ? step->rows[world] : world) * p->row_bytes;
        }
        p->exchange->pack(lanes + CAROM_TILE * (t * p->world_bytes + p->given_at), rows, p->numbers, p->number_bytes);
    }
}

/* Everyone's actions of one tick. */
static void choose_actions(const play *p, size_t tick, size_t first_tile, size_t tiles, unsigned chosen,
                           const play_buffers *buffers)
{
    if (p->zeros) {
        memset(buffers->actions, 0, tiles * CAROM_TILE * p->world_bytes);
    }
    if (p->row_bytes != 0 && p->step->actions != NULL) {
        pack_actions(p, tick, first_tile, tiles, buffers->actions);
    }
    for (size_t t = 0; t < tiles && p->actors.players != 0; t++) {
        carom_game_act(p->worlds, &p->actors, carom_worlds_tile(p->worlds, first_tile + t), chosen,
                       buffers->actions + t * CAROM_TILE * p->world_bytes, buffers->row);
    }
}

/* One lane-major block of a tile into the caller's rows; only the lanes of `chosen`. */
static void unpack_rows(const play *p, float *out, size_t tick, size_t tile, uint32_t size, const float *lanes,
                        unsigned chosen)
{
    float *rows[CAROM_TILE];
    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        size_t world = tile * CAROM_TILE + lane;
        bool there = world < p->worlds->desc.count && (chosen >> lane & 1) != 0;
        rows[lane] = there ? out + (tick * p->worlds->desc.count + world) * size : NULL;
    }
    p->exchange->unpack(rows, lanes, size);
}

static void write_outputs(const play *p, const game_tick *tick, size_t number, size_t first_tile)
{
    const carom_step *step = p->step;
    const uint32_t players = p->game->info.players, seen = players * p->game->info.observation_size;
    const size_t count = p->worlds->desc.count;
    for (size_t t = 0; t < tick->tile_count; t++) {
        size_t tile = first_tile + t;
        unsigned ended = 0;
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            uint8_t end = tick->ends[t * CAROM_TILE + lane];
            size_t world = tile * CAROM_TILE + lane;
            if ((tick->lanes >> lane & 1) == 0) {
                continue;
            }
            ended |= (unsigned)(end != 0) << lane;
            if (step->ends != NULL && world < count) {
                step->ends[number * count + world] = end;
            }
        }
        if (step->observations != NULL) {
            unpack_rows(p, step->observations, number, tile, seen, tick->observations + t * seen * CAROM_TILE,
                        tick->lanes);
        }
        if (step->last_observations != NULL && ended != 0) {
            unpack_rows(p, step->last_observations, number, tile, seen, tick->last_observations + t * seen * CAROM_TILE,
                        ended);
        }
        if (step->rewards != NULL) {
            unpack_rows(p, step->rewards, number, tile, players, tick->rewards + t * players * CAROM_TILE, tick->lanes);
        }
    }
}

static void add_counters(carom_counters *to, const carom_counters *from)
{
    __atomic_fetch_add(&to->ticks, from->ticks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->events, from->events, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->games, from->games, __ATOMIC_RELAXED);
    __atomic_fetch_add(&to->goals, from->goals, __ATOMIC_RELAXED);
}

static void play_run(void *argument, size_t item, unsigned thread)
{
    const play *p = (const play *)argument;
    const carom_step *step = p->step;
    carom_worlds *worlds = p->worlds;
    const play_buffers buffers = buffers_in(worlds->scratch + thread * worlds->scratch_bytes, p->game);
    const bool single = p->run == 0;
    const size_t first_tile = single ? item / CAROM_TILE : item * p->run;
    const size_t tiles = single ? 1 : worlds->tiles - first_tile < p->run ? worlds->tiles - first_tile : p->run;
    const size_t first = first_tile * CAROM_TILE;
    const size_t room = worlds->desc.count - first;
    const size_t count = single ? 1 : room < tiles * CAROM_TILE ? room : tiles * CAROM_TILE;
    const bool outputs =
        step->observations != NULL || step->last_observations != NULL || step->rewards != NULL || step->ends != NULL;
    game_tick tick;
    memset(&tick, 0, sizeof tick);
    tick.tiles = (unsigned char *)carom_worlds_tile(worlds, first_tile);
    tick.tile_count = tiles;
    tick.first = first;
    tick.lanes = single ? 1u << item % CAROM_TILE : (1u << CAROM_TILE) - 1;
    tick.dt = step->dt;
    tick.context = worlds->context;
    tick.seed = worlds->desc.seed;
    tick.at_end = worlds->desc.at_end;
    tick.kind = (uint32_t)step->action_kind;
    tick.actions = buffers.actions;
    tick.action_bytes = p->world_bytes;
    tick.scratch = buffers.kernel;
    tick.cancel = step->cancel;
    tick.observations = step->observations != NULL ? buffers.observations : NULL;
    tick.last_observations = step->last_observations != NULL ? buffers.last_observations : NULL;
    tick.rewards = step->rewards != NULL ? buffers.rewards : NULL;
    tick.ends = outputs ? buffers.ends : NULL;
    tick.record = step->events != NULL || step->event_counts != NULL || step->moved != NULL;
    tick.worlds = room < tiles * CAROM_TILE ? room : tiles * CAROM_TILE;
    tick.event_capacity = step->events != NULL ? step->event_capacity : 0;
    for (size_t number = 0; number < step->ticks && !progress_cancelled(step->cancel); number++) {
        choose_actions(p, number, first_tile, tiles, tick.lanes, &buffers);
        if (tick.record) {
            size_t at = number * worlds->desc.count + first;
            tick.events = step->events != NULL ? step->events + at * step->event_capacity : NULL;
            tick.event_counts = step->event_counts != NULL ? step->event_counts + at : NULL;
            tick.moved = step->moved != NULL ? step->moved + at * p->game->info.bodies * 4 : NULL;
        }
        if (outputs) {
            memset(buffers.ends, 0, tiles * CAROM_TILE);
        }
        p->kernel->tick(&tick);
        if (outputs) {
            write_outputs(p, &tick, number, first_tile);
        }
        progress_add(step->progress, count);
    }
    add_counters(&worlds->counters, &tick.counters);
}

/* Who plays: fills what is said of it in `p`. */
static carom_status find_actors(const carom_game *game, const carom_step *step, play *p)
{
    const carom_action_kind *kind = &game->kinds[step->action_kind];
    uint32_t given = 0;
    p->actors.kind = step->action_kind;
    p->actors.players = 0;
    p->number_bytes = (uint32_t)kind->precision / 8;
    p->given_at = 0;
    p->zeros = false;
    for (uint32_t player = 0; player < game->info.players; player++) {
        const carom_source source = step->players[player].source;
        p->actors.policy[player] = step->players[player].policy;
        if (source == CAROM_GIVEN) {
            p->given_at = given == 0 ? (size_t)player * kind->size * p->number_bytes : p->given_at;
            given++;
            p->zeros |= step->actions == NULL;
        } else if (source == CAROM_POLICY && step->players[player].policy < game->info.policies) {
            p->actors.players |= 1u << player;
        } else if (source == CAROM_ZERO) {
            p->zeros = true;
        } else {
            return CAROM_ERROR_ARGUMENT;
        }
    }
    p->numbers = kind->size * given;
    p->row_bytes = (size_t)p->numbers * p->number_bytes;
    p->world_bytes = carom_game_row_bytes(game, step->action_kind);
    return CAROM_OK;
}

carom_status carom_worlds_play(carom_worlds *worlds, const carom_step *step)
{
    if (worlds == NULL || step == NULL || step->size != sizeof *step || step->ticks < 1 ||
        step->action_kind >= worlds->desc.game->info.action_kinds ||
        (step->rows == NULL && step->action_rows != 0 && step->action_rows < worlds->desc.count)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const carom_game *game = worlds->desc.game;
    const bool f32 = worlds->desc.precision == CAROM_F32;
    if (step->dt != 0 &&
        !(game->any_dt && step->dt >= (f32 ? FLT_MIN : DBL_MIN) && step->dt <= (f32 ? FLT_MAX : DBL_MAX))) {
        return CAROM_ERROR_ARGUMENT;
    }
    play p;
    if (find_actors(game, step, &p) != CAROM_OK) {
        return CAROM_ERROR_ARGUMENT;
    }
    p.worlds = worlds;
    p.step = step;
    p.game = game;
    p.kernel = game->kernel(worlds->desc.isa, worlds->desc.precision);
    p.exchange = carom_exchange(worlds->desc.isa);
    p.run = game->large ? 0 : carom_game_run_length(worlds->tiles, worlds->desc.threads);
    p.action_rows = step->action_rows != 0 ? step->action_rows : worlds->desc.count;
    if (step->rows != NULL) {
        for (size_t w = 0; w < worlds->desc.count; w++) {
            if (step->rows[w] >= p.action_rows) {
                return CAROM_ERROR_ARGUMENT;
            }
        }
    }
    const size_t items = p.run == 0 ? worlds->desc.count : (worlds->tiles + p.run - 1) / p.run;
    carom_parallel_for(worlds->desc.threads, items, play_run, &p);
    return progress_cancelled(step->cancel) ? CAROM_ERROR_CANCELLED : CAROM_OK;
}

/* ---- observing ---- */

typedef struct observe {
    play p;
    float *out;
} observe;

static void observe_tile(void *argument, size_t tile, unsigned thread)
{
    const observe *o = (const observe *)argument;
    const carom_worlds *worlds = o->p.worlds;
    const play_buffers buffers = buffers_in(worlds->scratch + thread * worlds->scratch_bytes, o->p.game);
    game_tick tick;
    memset(&tick, 0, sizeof tick);
    tick.tiles = (unsigned char *)carom_worlds_tile(worlds, tile);
    tick.tile_count = 1;
    tick.context = worlds->context;
    o->p.kernel->observe(&tick, buffers.observations);
    unpack_rows(&o->p, o->out, 0, tile, o->p.game->info.players * o->p.game->info.observation_size,
                buffers.observations, 0xffff);
}

carom_status carom_worlds_observe(carom_worlds *worlds, float *observations)
{
    if (worlds == NULL || observations == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    observe o;
    memset(&o, 0, sizeof o);
    o.p.worlds = worlds;
    o.p.game = worlds->desc.game;
    o.p.kernel = o.p.game->kernel(worlds->desc.isa, worlds->desc.precision);
    o.p.exchange = carom_exchange(worlds->desc.isa);
    o.out = observations;
    carom_parallel_for(worlds->desc.threads, worlds->tiles, observe_tile, &o);
    return CAROM_OK;
}
