/* SPDX-License-Identifier: MIT
 * One world at a time, behind a batch's kernel table: every world of a run is taken out of its tile, played by itself
 * (kernel/tick/one_driver.h) and put back. So anything that plays batches, such as `carom verify`, can run on it. Slow;
 * for tests only.
 *
 * A file for each game includes the game's kernel.c, compiled with TILE_LANES 1, defines MOVED, the numbers that are
 * recorded of a world's motion, includes this file, and ends in ONE_AS_BATCH(name, the bytes of a number of action kind
 * `kind`).
 */
#ifndef CAROM_TESTS_PORTS_ONE_ONE_AS_BATCH_H
#define CAROM_TESTS_PORTS_ONE_ONE_AS_BATCH_H

#define SEEN ((size_t)RULES_PLAYERS * RULES_OBSERVATION)
#define MOST_ACTION_BYTES 4096

static size_t number_bytes(uint32_t kind);

/* Element k of `lane` of a lane-major tile, to or from a row. */
static void scatter(float *tile, unsigned lane, const float *row, size_t count)
{
    for (size_t k = 0; k < count && tile != NULL; k++) {
        tile[k * CAROM_TILE + lane] = row[k];
    }
}

static void gather_actions(const game_tick *batch, size_t tile, unsigned lane, unsigned char *row)
{
    const size_t bytes = number_bytes(batch->kind);
    const unsigned char *from = (const unsigned char *)batch->actions + tile * CAROM_TILE * batch->action_bytes;
    for (size_t at = 0; at < batch->action_bytes; at += bytes) {
        __builtin_memcpy(row + at, from + at * CAROM_TILE + lane * bytes, bytes);
    }
}

static void add(carom_counters *to, const carom_counters *from)
{
    to->ticks += from->ticks;
    to->events += from->events;
    to->games += from->games;
    to->goals += from->goals;
    to->faults += from->faults;
}

/* Tiles are a multiple of 64 bytes apart. */
static one_home *home_of(const game_tick *batch, size_t tile)
{
    return (one_home *)(void *)(batch->tiles + tile * ((sizeof(one_home) + 63) / 64 * 64));
}

static void play_alone(const game_tick *batch, size_t tile, unsigned lane, carom_counters *counters)
{
    one_home *home = home_of(batch, tile);
    const size_t place = tile * CAROM_TILE + lane;
    alignas(8) unsigned char actions[MOST_ACTION_BYTES];
    float rewards[RULES_PLAYERS], last[SEEN];
    uint8_t ended = 0;
    tick_tile world;
    tick_scratch scratch;
    game_tick tick = *batch;
    const carom_counters none = {0, 0, 0, 0, 0};
    assert(batch->action_bytes <= sizeof actions);
    one_load(&world, home, lane);
    gather_actions(batch, tile, lane, actions);
    tick.tiles = (unsigned char *)&world;
    tick.tile_count = 1;
    tick.first = batch->first + place;
    tick.plays[0] = batch->plays[tile] >> lane & 1;
    tick.actions = actions;
    tick.scratch = &scratch;
    tick.seeds = batch->seeds != NULL ? batch->seeds + place : NULL;
    tick.last = last;
    tick.results = batch->results != NULL ? batch->results + place : NULL;
    tick.rewards = batch->rewards != NULL ? rewards : NULL;
    tick.ends = &ended;
    tick.worlds = place < batch->worlds;
    tick.events = batch->events != NULL ? batch->events + place * batch->event_capacity : NULL;
    tick.contacts = batch->contacts != NULL ? batch->contacts + place * batch->event_capacity : NULL;
    tick.event_counts = batch->event_counts != NULL ? batch->event_counts + place : NULL;
    tick.moved = batch->moved != NULL && tick.worlds != 0 ? batch->moved + place * MOVED : NULL;
    tick.counters = none;
    one_tick(&tick);
    add(counters, &tick.counters);
    one_store(home, &world, lane);
    if (ended != 0) {
        scatter(batch->last != NULL ? batch->last + tile * SEEN * CAROM_TILE : NULL, lane, last, SEEN);
        if (batch->ends != NULL) {
            batch->ends[place] = ended;
        }
    }
    scatter(batch->rewards != NULL ? batch->rewards + tile * RULES_PLAYERS * CAROM_TILE : NULL, lane, rewards,
            RULES_PLAYERS);
}

static void play_run(game_tick *batch)
{
    for (size_t place = 0; place < batch->tile_count * CAROM_TILE; place++) {
        play_alone(batch, place / CAROM_TILE, (unsigned)(place % CAROM_TILE), &batch->counters);
    }
}

/* ---- queries of the current state ---- */

static tick_world taken(tick_tile *to, const void *tile, unsigned lane)
{
    one_load(to, (const one_home *)tile, lane);
    return world_at(to, 0);
}

static void observe_run(const game_tick *batch, size_t tile, float *observations)
{
    for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
        float seen[SEEN];
        tick_tile world;
        game_tick tick = *batch;
        (void)taken(&world, home_of(batch, tile), lane);
        tick.tiles = (unsigned char *)&world;
        tick_observe(&tick, 0, seen);
        scatter(observations, lane, seen, SEEN);
    }
}

static void value_run(const game_tick *batch, double *values)
{
    for (size_t place = 0; place < batch->tile_count * CAROM_TILE; place++) {
        const size_t tile = place / CAROM_TILE, lane = place % CAROM_TILE;
        double value[RULES_PLAYERS];
        tick_tile world;
        const tick_values to = {value, 0, batch->value, batch->weights};
        const tick_world w = taken(&world, home_of(batch, tile), (unsigned)lane);
        rules_value((const rules_context *)batch->context, w, to);
        for (size_t player = 0; player < RULES_PLAYERS; player++) {
            values[(tile * RULES_PLAYERS + player) * CAROM_TILE + lane] = value[player];
        }
    }
}

static void start_one(const void *context, uint64_t seed, void *tile, unsigned lane)
{
    tick_tile world;
    rules_start((const rules_context *)context, seed, taken(&world, tile, lane));
    one_store((one_home *)tile, &world, lane);
}

static bool check_one(const void *context, const void *tile, unsigned lane)
{
    tick_tile world;
    return rules_check((const rules_context *)context, taken(&world, tile, lane));
}

static void derive_one(const void *context, void *tile, unsigned lane)
{
    tick_tile world;
    rules_derive((const rules_context *)context, taken(&world, tile, lane));
    one_store((one_home *)tile, &world, lane);
}

#define ONE_AS_BATCH(name, bytes)                                                                                      \
    static size_t number_bytes(uint32_t kind)                                                                          \
    {                                                                                                                  \
        (void)kind;                                                                                                    \
        return bytes;                                                                                                  \
    }                                                                                                                  \
    CAROM_EXTERN const game_kernel CAROM_KERNEL(name);                                                                 \
    const game_kernel CAROM_KERNEL(name) = {{start_one, check_one, derive_one}, play_run, observe_run, value_run, 64};

#endif
