/* SPDX-License-Identifier: MIT
 * soccer for one instruction set and precision: a tick over a run of tiles, a chunk of worlds at a time whose numbers
 * stay in a core's first caches.
 *
 *     begin    commands, kicks, dribbling; the move to the end of the tick (command.h)
 *     motion   rounds of all worlds that still have an impact (step/advance_rounds.h), one a round: the earliest is
 *              found (detect.h) and resolved (respond.h)
 *     finish   range checks; back into the tiles (finish.h)
 *     end      goals, kick-offs, games that are over
 *
 * A tile stays as it was before the tick until `finish` writes it: a world that leaves its range, or has no end of
 * impacts, is put back by not writing it.
 */
#include "base/random.h"
#include "games/soccer/command.h"
#include "games/soccer/finish.h"
#include "games/soccer/observe.h"
#include "games/soccer/respond.h"
#include "step/exchange.h"

/* ---- single worlds ---- */

/* Places of a kick-off, of the robots of player 0 in shares of half the field. Robot 0 stands in the goal; a team of
 * one has only the second. */
static const double soccer_places[SOCCER_TEAM][2] = {
    {-0.9, 0}, {-0.2, 0},  {-0.55, 0.4}, {-0.55, -0.4}, {-0.25, 0.55}, {-0.25, -0.55},
    {-0.7, 0}, {-0.45, 0}, {-0.75, 0.6}, {-0.75, -0.6}, {-0.35, 0.25},
};
static const double soccer_ball_places[SOCCER_BALLS] = {0, 0.4, -0.4, 0.8};

/* One number in [-1, 1). */
static double soccer_draw(random_stream *stream)
{
    return (double)((int32_t)(random_word(stream) >> 8) - (1 << 23)) * (1.0 / (1 << 23));
}

/* Everything to its place, at rest, robots not quite in it: no two kick-offs of a game are alike. */
static void soccer_kick_off(const soccer_context *context, uint64_t seed, soccer_tile *tile, unsigned lane)
{
    const carom_soccer_options *o = &context->options;
    const uint64_t id = (uint64_t)(uint32_t)tile->id[1][lane] << 32 | (uint32_t)tile->id[0][lane];
    const uint32_t goals = (uint32_t)(tile->score[0][lane] + tile->score[1][lane]);
    random_stream stream = random_begin(seed, id, SOCCER_DRAW_KICKOFF, (uint32_t)tile->episode[0][lane] << 12 ^ goals);
    const double length = o->length / 2, width = o->width / 2, off = o->width * 0.005;
    for (int i = 0; i < context->bodies; i++) {
        const int player = i >= context->team, number = i - player * context->team;
        double x = 0, y = 0;
        if (i < context->robots) {
            const double *place = soccer_places[context->team == 1 ? 1 : number];
            const double dx = off * soccer_draw(&stream), dy = off * soccer_draw(&stream);
            x = (player == 0 ? 1 : -1) * (place[0] * length) + dx;
            y = (player == 0 ? 1 : -1) * (place[1] * width) + dy;
            tile->angle[i][lane] = player == 0 ? 0 : V_PI;
            tile->spin[i][lane] = 0;
        } else {
            y = soccer_ball_places[i - context->robots] * width;
            tile->holder[i - context->robots][lane] = -1;
            tile->hold_x[i - context->robots][lane] = tile->hold_y[i - context->robots][lane] = 0;
        }
        tile->x[i][lane] = (real)x;
        tile->y[i][lane] = (real)y;
        tile->vx[i][lane] = tile->vy[i][lane] = 0;
    }
}

/* The start of the game with the world's id and episode. */
static void soccer_start(const soccer_context *context, uint64_t seed, void *any, unsigned lane)
{
    soccer_tile *tile = (soccer_tile *)any;
    for (int i = 0; i < SOCCER_BODIES; i++) {
        tile->x[i][lane] = tile->y[i][lane] = tile->vx[i][lane] = tile->vy[i][lane] = 0;
    }
    for (int i = 0; i < SOCCER_ROBOTS; i++) {
        tile->angle[i][lane] = tile->spin[i][lane] = 0;
        tile->ready[i][lane] = 0;
    }
    for (int k = 0; k < SOCCER_BALLS; k++) {
        tile->hold_x[k][lane] = tile->hold_y[k][lane] = 0;
        tile->holder[k][lane] = -1;
    }
    tile->score[0][lane] = tile->score[1][lane] = 0;
    tile->winner[0][lane] = -1;
    tile->tick[0][lane] = 0;
    tile->end[0][lane] = CAROM_RUNNING;
    soccer_kick_off(context, seed, tile, lane);
}

static bool soccer_within(real value, double range)
{
    return (double)value >= -range && (double)value <= range; /* false for NaN */
}

static bool soccer_check(const soccer_context *context, const void *any, unsigned lane)
{
    const soccer_tile *tile = (const soccer_tile *)any;
    bool good = tile->winner[0][lane] >= -1 && tile->winner[0][lane] <= 1 && tile->score[0][lane] >= 0 &&
                tile->score[1][lane] >= 0;
    for (int i = 0; i < SOCCER_BODIES && good; i++) {
        const double far = i < context->bodies ? SOCCER_RANGE : 0, fast = i < context->bodies ? SOCCER_FAST : 0;
        good = soccer_within(tile->x[i][lane], far) && soccer_within(tile->y[i][lane], far) &&
               soccer_within(tile->vx[i][lane], fast) && soccer_within(tile->vy[i][lane], fast);
    }
    for (int i = 0; i < SOCCER_ROBOTS && good; i++) {
        const bool there = i < context->robots;
        const double spin = (double)(real)context->options.max_spin;
        good = soccer_within(tile->angle[i][lane], there ? SOCCER_TURN : 0) &&
               soccer_within(tile->spin[i][lane], there ? spin : 0) && tile->ready[i][lane] >= 0 &&
               (there || tile->ready[i][lane] == 0);
    }
    for (int k = 0; k < SOCCER_BALLS && good; k++) {
        const bool there = k < context->bodies - context->robots;
        const int holder = tile->holder[k][lane];
        good = holder >= -1 && holder < (there ? context->robots : 0) &&
               soccer_within(tile->hold_x[k][lane], there ? SOCCER_RANGE : 0) &&
               soccer_within(tile->hold_y[k][lane], there ? SOCCER_RANGE : 0);
    }
    return good;
}

/* ---- end ---- */

/* Counts the goals of a world and kicks off. Returns goals of player 0 - goals of player 1. */
static int soccer_score(struct soccer_run *run, soccer_tile *tile, unsigned lane)
{
    int gained = 0;
    for (int b = run->robots; b < run->bodies; b++) {
        const real x = tile->x[b][lane];
        if (x > run->rules.half_length || x < -run->rules.half_length) {
            int16_t *score = &tile->score[x < 0][lane];
            *score = (int16_t)(*score < SOCCER_MOST_SCORE ? *score + 1 : *score);
            gained += x > 0 ? 1 : -1;
            run->tick->counters.goals++;
        }
    }
    soccer_kick_off(run->context, run->tick->seed, tile, lane);
    return gained;
}

/* Decides the game of one world, if it is over. */
static carom_end soccer_decide(const struct soccer_run *run, soccer_tile *tile, unsigned lane)
{
    const carom_soccer_options *o = &run->context->options;
    const int a = tile->score[0][lane], b = tile->score[1][lane];
    const bool over = a >= (int)o->goals || b >= (int)o->goals;
    if (tile->end[0][lane] != CAROM_RUNNING || (!over && tile->tick[0][lane] < (int32_t)o->ticks)) {
        return CAROM_RUNNING; /* it plays on */
    }
    tile->winner[0][lane] = a > b ? 0 : b > a ? 1 : -1;
    tile->end[0][lane] = over ? CAROM_TERMINATED : CAROM_TRUNCATED;
    return over ? CAROM_TERMINATED : CAROM_TRUNCATED;
}

/* Goals, rewards, and all that happens to games that are over, in one tile. played, scored: lanes. */
static void soccer_end_tile(struct soccer_run *run, unsigned index, unsigned played, unsigned scored)
{
    game_tick *tick = run->tick;
    soccer_tile *tile = &run->tiles[index];
    const size_t number = run->first / CAROM_TILE + index; /* of the tile in the run */
    float *rewards = tick->rewards != NULL ? tick->rewards + number * 2 * CAROM_TILE : NULL;
    const int32_t last = (int32_t)run->context->options.ticks;
    int gained[CAROM_TILE] = {0};
    unsigned ended = 0, late = 0;
    for (unsigned l = 0; l < CAROM_TILE; l++) {
        late |= (unsigned)(tile->tick[0][l] >= last || tile->score[0][l] >= (int)run->context->options.goals ||
                           tile->score[1][l] >= (int)run->context->options.goals)
                << l;
    }
    SOCCER_EACH_LANE(scored, gained[l] = soccer_score(run, tile, l))
    SOCCER_EACH_LANE(
        played & (late | scored), const carom_end end = soccer_decide(run, tile, l);
        const int winner = tile->winner[0][l]; const int won = end == CAROM_RUNNING || winner < 0 ? 0 : 1 - 2 * winner;
        ended |= (unsigned)(end != CAROM_RUNNING) << l; if (rewards != NULL) {
            rewards[l] = (float)gained[l] + (float)won;
            rewards[CAROM_TILE + l] = (float)-gained[l] - (float)won;
        } if (end != CAROM_RUNNING && tick->ends != NULL) { tick->ends[number * CAROM_TILE + l] = (uint8_t)end; })
    if (ended == 0) {
        return;
    }
    tick->counters.games += (unsigned)__builtin_popcount(ended);
    if (tick->last_observations != NULL) {
        soccer_observe_tile(run, tile, tick->last_observations + number * 2 * CAROM_SOCCER_OBSERVATION * CAROM_TILE);
    }
    SOCCER_EACH_LANE(
        tick->at_end == CAROM_PLAY_ON ? 0 : ended, if (tick->at_end == CAROM_FREEZE) { tile->frozen[0][l] = 1; } else {
            tile->episode[0][l] = tile->episode[0][l] == INT32_MAX ? 0 : tile->episode[0][l] + 1;
            soccer_start(run->context, tick->seed, tile, l);
        })
}

/* ---- the tick ---- */

CAROM_LANE void soccer_play_chunk(struct soccer_run *run, unsigned tiles, uint32_t kind)
{
    soccer_scratch *scratch = run->scratch;
    const unsigned groups = tiles * GROUPS;
    scratch->any_overrun = false;
    for (size_t w = 0; w < ROUNDS_ROOM; w++) {
        scratch->overrun[w] = false;
        scratch->recorded[w] = 0;
    }
    for (unsigned g = 0; g < groups; g++) {
        const unsigned index = g / GROUPS, at = g % GROUPS * LANES;
        scratch->active[g] = (uint16_t)m_bits(i_eq(i_load8(&run->tiles[index].frozen[0][at]), i_set1(0)));
        if (scratch->active[g] != 0) {
            soccer_begin(run, index, at, scratch->active[g], kind);
        }
    }
    rounds_run(&scratch->motion, (size_t)tiles * CAROM_TILE, scratch->active, run);
    for (unsigned index = 0; index < tiles; index++) {
        unsigned played = 0, scored = 0;
        for (unsigned g = index * GROUPS; g < (index + 1) * GROUPS; g++) {
            const unsigned at = g % GROUPS * LANES;
            if (scratch->active[g] != 0) {
                played |= soccer_finish(run, index, at, scratch->active[g]) << at;
                scored |= (unsigned)scratch->scored[g] << at;
            }
        }
        run->tick->counters.ticks += (unsigned)__builtin_popcount(played);
        soccer_end_tile(run, index, played, scored);
        if (run->tick->observations != NULL) {
            soccer_observe_tile(run, &run->tiles[index],
                                run->tick->observations +
                                    (run->first / CAROM_TILE + index) * 2 * CAROM_SOCCER_OBSERVATION * CAROM_TILE);
        }
    }
    for (size_t w = 0; w < (size_t)tiles * CAROM_TILE && run->record && run->tick->event_counts != NULL; w++) {
        if (run->first + w < run->tick->worlds) {
            run->tick->event_counts[run->first + w] = scratch->recorded[w];
        }
    }
}

static void soccer_tick(game_tick *tick)
{
    struct soccer_run run;
    soccer_set_rules(&run, (const soccer_context *)tick->context);
    run.tick = tick;
    run.scratch = (soccer_scratch *)tick->scratch;
    run.record = tick->record;
    for (size_t w = 0; w < tick->tile_count * 2 * CAROM_TILE && tick->rewards != NULL; w++) {
        tick->rewards[w] = 0;
    }
    for (size_t index = 0; index < tick->tile_count; index += SOCCER_CHUNK_TILES) {
        const size_t left = tick->tile_count - index;
        run.tiles = (soccer_tile *)(void *)tick->tiles + index;
        run.first = index * CAROM_TILE;
        soccer_play_chunk(&run, (unsigned)(left < SOCCER_CHUNK_TILES ? left : SOCCER_CHUNK_TILES), tick->kind);
    }
}

CAROM_EXTERN const soccer_kernel CAROM_KERNEL(soccer);
const soccer_kernel CAROM_KERNEL(soccer) = {
    {soccer_tick, soccer_observe, soccer_value, exchange_pack, exchange_unpack, exchange_draw},
    soccer_start,
    soccer_check};
