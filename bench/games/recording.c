/* SPDX-License-Identifier: MIT
 * Recording and plain-C replay: see recording.h.
 */
#include "recording.h"

#include "bench/common/harness.h"

#include <stdlib.h>
#include <string.h>

#define SEED 1
#define MAX_CHECKPOINTS 16 /* the game's own maps have at most 7 */

size_t carom_recording_tick(mark at)
{
    static const size_t ticks[MARKS] = {0, 256, 320, TICKS};
    return ticks[at];
}

carom_worlds_desc carom_recording_desc(const recording *r)
{
    carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("csb"));
    desc.count = r->games;
    desc.precision = r->precision;
    desc.threads = 1;
    desc.seed = SEED;
    desc.at_end = CAROM_RESET;
    return desc;
}

static void read_field(const carom_worlds *worlds, const char *name, size_t first, size_t count, void *values)
{
    size_t index;
    carom_bench_demand(carom_worlds_find_field(worlds, name, &index), "find a field");
    carom_bench_demand(carom_worlds_get(worlds, index, first, count, values), "read a field");
}

static carom_worlds *make_batch(const recording *r)
{
    const carom_worlds_desc desc = carom_recording_desc(r);
    carom_worlds *worlds;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

static void make_plain_maps(recording *r)
{
    const uint32_t count = carom_csb_options_default().map_count;
    r->plain_maps = carom_bench_take(count, sizeof *r->plain_maps);
    for (uint32_t m = 0; m < count; m++) {
        int32_t xy[MAX_CHECKPOINTS][2];
        uint32_t n, laps;
        carom_bench_demand(carom_csb_get_map(r->at[MARK_START], m, &n, &laps, xy, MAX_CHECKPOINTS), "get a map");
        if (n > MAX_CHECKPOINTS || !csb_ref_map_create(&r->plain_maps[m], (const int32_t(*)[2])xy, n, laps)) {
            carom_bench_die("cannot make map %u in plain C", m);
        }
    }
}

void carom_recording_make(recording *r)
{
    if (r->actions != NULL) {
        return;
    }
    carom_worlds *games = make_batch(r);
    const carom_game *game = carom_worlds_describe(games).game;
    carom_action_kind kind;
    carom_bench_demand(carom_game_action_kind(game, r->kind, &kind), "find a kind of action");
    r->row_bytes = (size_t)carom_game_describe(game).players * kind.size * (kind.precision / 8);
    r->actions = carom_bench_take(TICKS * r->games, r->row_bytes);
    r->maps = carom_bench_take((TICKS + 1) * r->games, sizeof *r->maps);
    mark next = MARK_START;
    for (size_t tick = 0; tick <= TICKS; tick++) {
        if (tick == carom_recording_tick(next)) {
            r->at[next] = make_batch(r);
            carom_bench_demand(carom_worlds_copy(r->at[next], NULL, games, NULL, r->games), "copy worlds");
            next++;
        }
        read_field(games, "map", 0, r->games, r->maps + tick * r->games);
        if (tick < TICKS) {
            carom_step step = carom_step_default();
            unsigned char *actions = r->actions + tick * r->games * r->row_bytes;
            step.action_kind = r->kind;
            step.actions = actions;
            carom_bench_demand(carom_worlds_policy(games, r->policy, r->kind, actions), "ask the policy");
            carom_bench_demand(carom_worlds_play(games, &step), "play");
        }
    }
    carom_worlds_destroy(games);
    make_plain_maps(r);
}

/* ---- plain C ---- */

void carom_plain_read(csb_ref_world *world, const carom_worlds *worlds, size_t index)
{
    memset(world, 0, sizeof *world);
    for (size_t i = 0; i < carom_worlds_field_count(worlds); i++) {
        carom_field field;
        size_t bytes;
        carom_bench_demand(carom_worlds_field(worlds, i, &field), "describe a field");
        void *there = csb_ref_field(world, field.name, &bytes);
        if (there != NULL) {
            if (bytes != (size_t)field.count * field.bytes) {
                carom_bench_die("field %s has another size in plain C", field.name);
            }
            carom_bench_demand(carom_worlds_get(worlds, i, index, 1, there), "read a field");
        }
    }
}

const csb_ref_map *carom_plain_map(const recording *r, const carom_worlds *worlds, size_t index)
{
    int32_t map;
    read_field(worlds, "map", index, 1, &map);
    return &r->plain_maps[map];
}

void carom_plain_play(csb_ref_world *world, const recording *r, size_t game, size_t first, size_t end,
                      const unsigned char *actions)
{
    for (size_t tick = first; tick < end; tick++) {
        const csb_ref_map *map = &r->plain_maps[r->maps[tick * r->games + game]];
        if (csb_ref_step(world, map, CAROM_CSB_FULL, (csb_ref_kind)r->kind, actions, NULL, NULL) != CAROM_RUNNING) {
            csb_ref_start(world, &r->plain_maps[r->maps[(tick + 1) * r->games + game]]);
        }
        actions += r->row_bytes;
    }
}
