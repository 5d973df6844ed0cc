/* SPDX-License-Identifier: MIT
 * fantastic_bits for one instruction set and precision: a tick over a run of tiles, a chunk of worlds at a time whose
 * numbers stay in a core's first cache.
 *
 *     begin    takes the worlds out of their tiles; commands and forces (command.h, forces.h)
 *     motion   rounds of all worlds that have time left (step/advance_rounds.h): in lanes a survey of what may meet
 *              what (survey.h), then lane by lane when it does (events.h) and what that leads to (respond.h)
 *     finish   friction, rounding, range checks; back into the tiles (finish.h)
 *     end      games that are over
 *
 * A tile stays as it was before the tick until `finish` writes it: a world that leaves its range, or has no end of
 * events, is put back by not writing it.
 */
#include "games/fantastic_bits/finish.h"
#include "games/fantastic_bits/forces.h"
#include "games/fantastic_bits/observe.h"
#include "games/fantastic_bits/respond.h"
#include "step/exchange.h"

/* ---- single worlds ---- */

/* The start of the game with the world's id and episode. */
static void fb_start_world(const fb_context *context, uint64_t seed, void *any, unsigned lane)
{
    static const int16_t places[FB_WIZARDS][2] = {{1000, 5250}, {1000, 2250}, {15000, 2250}, {15000, 5250}};
    fb_tile *tile = (fb_tile *)any;
    const uint64_t id = (uint64_t)(uint32_t)tile->id[1][lane] << 32 | (uint32_t)tile->id[0][lane];
    const fb_start start = context->start_of(context, seed, id, (uint32_t)tile->episode[0][lane]);
    for (int i = 0; i < FB_BODIES; i++) {
        tile->vx[i][lane] = tile->vy[i][lane] = 0;
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        tile->x[i][lane] = places[i][0];
        tile->y[i][lane] = places[i][1];
        tile->hold[i][lane] = tile->cast[i][lane] = tile->cast_target[i][lane] = -1;
        tile->wait[i][lane] = 0;
    }
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        tile->countdown[k][lane] = 0;
        tile->target[k][lane] = -1;
    }
    for (int s = 0; s < FB_SNAFFLES; s++) {
        tile->x[FB_SNAFFLE + s][lane] = (real)start.x[s];
        tile->y[FB_SNAFFLE + s][lane] = (real)start.y[s];
        tile->alive[s][lane] = s < start.snaffles;
        tile->ignores[s][lane] = 0;
    }
    for (int b = 0; b < FB_BLUDGERS; b++) {
        tile->x[FB_BLUDGER + b][lane] = (real)(FB_WIDTH / 2 + (b == 0 ? -550 : 550));
        tile->y[FB_BLUDGER + b][lane] = FB_HEIGHT / 2;
        tile->last[b][lane] = -1;
    }
    tile->score[0][lane] = tile->score[1][lane] = tile->mana[0][lane] = tile->mana[1][lane] = 0;
    tile->winner[0][lane] = -1;
    tile->snaffles[0][lane] = (int8_t)start.snaffles;
    tile->tick[0][lane] = 0;
    tile->end[0][lane] = CAROM_RUNNING;
}

static bool fb_is_whole(real value, real range)
{
    return value >= -range && value <= range && value == (real)(int32_t)value; /* false for NaN */
}

static bool fb_is_within(int low, int value, int high)
{
    return low <= value && value <= high;
}

/* -1, or the slot of something that is there, from `low` to `high`. */
static bool fb_is_slot(const fb_tile *tile, unsigned lane, int low, int slot, int high)
{
    return slot == -1 ||
           (fb_is_within(low, slot, high) && (slot < FB_SNAFFLE + tile->snaffles[0][lane] || slot >= FB_BLUDGER));
}

static bool fb_check(const void *any, unsigned lane)
{
    const fb_tile *tile = (const fb_tile *)any;
    const int snaffles = tile->snaffles[0][lane];
    bool good = (snaffles == 5 || snaffles == FB_SNAFFLES) && fb_is_within(-1, tile->winner[0][lane], 1);
    for (int i = 0; i < FB_BODIES && good; i++) {
        good = fb_is_whole(tile->x[i][lane], FB_RANGE) && fb_is_whole(tile->y[i][lane], FB_RANGE) &&
               fb_is_whole(tile->vx[i][lane], 2 * FB_RANGE) && fb_is_whole(tile->vy[i][lane], 2 * FB_RANGE);
    }
    for (int i = 0; i < FB_WIZARDS && good; i++) {
        good = fb_is_slot(tile, lane, FB_SNAFFLE, tile->hold[i][lane], FB_BLUDGER - 1) &&
               fb_is_within(0, tile->wait[i][lane], FB_WAIT) && fb_is_within(-1, tile->cast[i][lane], FB_SPELLS - 1) &&
               fb_is_slot(tile, lane, 0, tile->cast_target[i][lane], FB_BODIES - 1);
    }
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS && good; k++) {
        good = fb_is_within(0, tile->countdown[k][lane], 6) &&
               fb_is_slot(tile, lane, 0, tile->target[k][lane], FB_BODIES - 1);
    }
    for (int s = 0; s < FB_SNAFFLES && good; s++) {
        const int ignores = tile->ignores[s][lane];
        good = fb_is_within(0, tile->alive[s][lane], s < snaffles) &&
               fb_is_within(0, ignores, s < snaffles ? (1 << snaffles) - 1 : 0) && (ignores >> s & 1) == 0;
    }
    for (int k = 0; k < 2 && good; k++) {
        good = fb_is_within(-1, tile->last[k][lane], FB_WIZARDS - 1) &&
               fb_is_within(-1, tile->score[k][lane], FB_SNAFFLES) &&
               fb_is_within(0, tile->mana[k][lane], FB_MOST_MANA);
    }
    return good;
}

/* ---- end ---- */

/* Decides the game of one world, if it is over. */
static carom_end fb_decide(fb_tile *tile, unsigned lane, bool none_alive)
{
    const int a = tile->score[0][lane], b = tile->score[1][lane], win = tile->snaffles[0][lane] / 2 + 1;
    const bool over = none_alive || a >= win || b >= win || a < 0 || b < 0;
    if (tile->end[0][lane] != CAROM_RUNNING || (!over && tile->tick[0][lane] < FB_LAST_TICK)) {
        return CAROM_RUNNING; /* it plays on */
    }
    tile->winner[0][lane] = a > b ? 0 : b > a ? 1 : -1;
    tile->end[0][lane] = over ? CAROM_TERMINATED : CAROM_TRUNCATED;
    return over ? CAROM_TERMINATED : CAROM_TRUNCATED;
}

/* Rewards, and all that happens to games that are over, in one tile. played: lanes. */
static void fb_end_tile(struct fb_run *run, unsigned index, unsigned played)
{
    game_tick *tick = run->tick;
    fb_tile *tile = &run->tiles[index];
    const fb_mind *minds = &run->scratch->minds[(size_t)index * CAROM_TILE];
    const size_t number = run->first / CAROM_TILE + index; /* of the tile in the run */
    float *rewards = tick->rewards != NULL ? tick->rewards + number * 2 * CAROM_TILE : NULL;
    unsigned ended = 0;
    FB_EACH_LANE(
        played, const carom_end end = fb_decide(tile, l, minds[l].none_alive);
        const int gained = minds[l].goals[0] - minds[l].goals[1]; const int winner = tile->winner[0][l];
        const int won = end == CAROM_RUNNING || winner < 0 ? 0 : 1 - 2 * winner;
        ended |= (unsigned)(end != CAROM_RUNNING) << l; if (rewards != NULL) {
            rewards[l] = (float)gained + (float)won;
            rewards[CAROM_TILE + l] = (float)-gained - (float)won;
        } if (end != CAROM_RUNNING && tick->ends != NULL) { tick->ends[number * CAROM_TILE + l] = (uint8_t)end; })
    if (ended == 0) {
        return;
    }
    tick->counters.games += (unsigned)__builtin_popcount(ended);
    if (tick->last_observations != NULL) {
        fb_observe_tile(tile, tick->last_observations + number * 2 * CAROM_FANTASTIC_BITS_OBSERVATION * CAROM_TILE);
    }
    FB_EACH_LANE(
        tick->at_end == CAROM_PLAY_ON ? 0 : ended, if (tick->at_end == CAROM_FREEZE) { tile->frozen[0][l] = 1; } else {
            tile->episode[0][l] = tile->episode[0][l] == INT32_MAX ? 0 : tile->episode[0][l] + 1;
            fb_start_world((const fb_context *)tick->context, tick->seed, tile, l);
        })
}

/* ---- the tick ---- */

CAROM_LANE void fb_play_chunk(struct fb_run *run, unsigned tiles, uint32_t kind)
{
    fb_scratch *scratch = run->scratch;
    const unsigned groups = tiles * GROUPS;
    for (unsigned index = 0; index < tiles; index++) {
        fb_take_minds(&scratch->minds[(size_t)index * CAROM_TILE], &run->tiles[index]);
    }
    for (unsigned g = 0; g < groups; g++) {
        const unsigned index = g / GROUPS, at = g % GROUPS * LANES;
        scratch->active[g] = (uint16_t)m_bits(i_eq(i_load8(&run->tiles[index].frozen[0][at]), i_set1(0)));
        if (scratch->active[g] != 0) {
            fb_begin(run, index, at, scratch->active[g], kind);
        }
    }
    scratch->sight.looked = 0;
    rounds_run(&scratch->motion, (size_t)tiles * CAROM_TILE, scratch->active, run);
    for (unsigned index = 0; index < tiles; index++) {
        unsigned played = 0;
        for (unsigned g = index * GROUPS; g < (index + 1) * GROUPS; g++) {
            const unsigned at = g % GROUPS * LANES;
            if (scratch->active[g] != 0) {
                played |= fb_finish(run, index, at, scratch->active[g]) << at;
            }
        }
        run->tick->counters.ticks += (unsigned)__builtin_popcount(played);
        fb_end_tile(run, index, played);
        if (run->tick->observations != NULL) {
            fb_observe_tile(&run->tiles[index], run->tick->observations + (run->first / CAROM_TILE + index) * 2 *
                                                                              CAROM_FANTASTIC_BITS_OBSERVATION *
                                                                              CAROM_TILE);
        }
    }
    for (size_t w = 0; w < (size_t)tiles * CAROM_TILE && run->record && run->tick->event_counts != NULL; w++) {
        if (run->first + w < run->tick->worlds) {
            run->tick->event_counts[run->first + w] = scratch->minds[w].recorded;
        }
    }
}

static void fb_tick(game_tick *tick)
{
    for (size_t w = 0; w < tick->tile_count * 2 * CAROM_TILE && tick->rewards != NULL; w++) {
        tick->rewards[w] = 0;
    }
    for (size_t index = 0; index < tick->tile_count; index += FB_CHUNK_TILES) {
        const size_t left = tick->tile_count - index;
        struct fb_run run = {tick, (fb_tile *)(void *)tick->tiles + index, (fb_scratch *)tick->scratch,
                             index * CAROM_TILE, tick->record};
        fb_play_chunk(&run, (unsigned)(left < FB_CHUNK_TILES ? left : FB_CHUNK_TILES), tick->kind);
    }
}

CAROM_EXTERN const fb_kernel CAROM_KERNEL(fantastic_bits);
const fb_kernel CAROM_KERNEL(fantastic_bits) = {
    {fb_tick, fb_observe, fb_value, exchange_pack, exchange_unpack, exchange_draw}, fb_start_world, fb_check};
