/* SPDX-License-Identifier: MIT
 * fall for one instruction set and precision: a tick over a run of tiles.
 *
 *     survey     moves the worlds in which nothing happens, in lanes (survey.h); takes the others out of their tiles
 *     play       rounds of these: lane by lane up to the next collision and its bounce (respond.h), then, in full
 *                registers of all that need it, the search for the one after it (predict.h)
 *     put back   of those that stay in range and have an end of collisions
 *     end        rewards, games that are over
 *
 * A tile stays as it was before the tick until a world is put back: one with a fault is left as it is there.
 */
#include "games/fall/observe.h"
#include "games/fall/predict.h"
#include "games/fall/respond.h"
#include "games/fall/survey.h"
#include "step/exchange.h"

/* ---- single worlds ---- */

/* A number in [-1, 1). */
static double fall_draw(random_stream *stream)
{
    return (double)(int32_t)random_word(stream) * (1.0 / 2147483648.0);
}

/* The start of the game with the world's id and episode. */
static void fall_start_world(const fall_context *context, uint64_t seed, void *any, unsigned lane)
{
    fall_tile *tile = (fall_tile *)any;
    const uint64_t id = (uint64_t)(uint32_t)tile->id[1][lane] << 32 | (uint32_t)tile->id[0][lane];
    random_stream stream = random_begin(seed, id, FALL_DRAW_GAME, (uint32_t)tile->episode[0][lane]);
    for (int k = 0; k < FALL_CIRCLES; k++) {
        const fall_circle *circle = &context->circles[k];
        const bool there = k < context->circle_count;
        double vx = there ? circle->vx : 0, vy = there ? circle->vy : 0;
        if (there && circle->fixed == 0 && context->scatter > 0) {
            vx += fall_draw(&stream) * context->scatter;
            vy += fall_draw(&stream) * context->scatter;
        }
        tile->x[k][lane] = there ? (real)circle->x : 0;
        tile->y[k][lane] = there ? (real)circle->y : 0;
        tile->vx[k][lane] = (real)vx;
        tile->vy[k][lane] = (real)vy;
    }
    for (int k = 0; k < FALL_PASTS; k++) {
        tile->past_age[k][lane] = tile->past_x[k][lane] = tile->past_y[k][lane] = 0;
        tile->past_a[k][lane] = tile->past_b[k][lane] = 0;
    }
    tile->wait[0][lane] = -1;
    tile->at[0][lane] = tile->at[1][lane] = 0;
    tile->who[0][lane] = tile->who[1][lane] = tile->who[2][lane] = tile->pasts[0][lane] = 0;
    tile->tick[0][lane] = 0;
    tile->end[0][lane] = CAROM_RUNNING;
}

/* False for NaN. */
static bool fall_in_range(real a, real range)
{
    return a >= -range && a <= range;
}

/* Is this a pair of the scene, with such a part? */
static bool fall_is_pair(const fall_context *context, int a, int b, int part)
{
    if (a < 0 || b < 0 || a >= context->body_count || b >= context->body_count || context->circle_of[a] < 0) {
        return false;
    }
    if (context->circle_of[b] >= 0) {
        return part == CAROM_FALL_CIRCLE && a < b &&
               (context->circles[context->circle_of[a]].fixed == 0 ||
                context->circles[context->circle_of[b]].fixed == 0);
    }
    const int edge = part >= CAROM_FALL_CORNER ? part - CAROM_FALL_CORNER : part - CAROM_FALL_EDGE;
    return context->circles[context->circle_of[a]].fixed == 0 && edge >= 0 &&
           edge < context->polygons[context->polygon_of[b]].count;
}

static bool fall_check(const fall_context *context, const void *any, unsigned lane)
{
    const fall_tile *tile = (const fall_tile *)any;
    const real range = (real)FALL_RANGE, wait = tile->wait[0][lane];
    const int pasts = tile->pasts[0][lane];
    bool good = pasts >= 0 && pasts <= FALL_PASTS && (wait >= 0 || wait == -1) &&
                fall_in_range(tile->at[0][lane], range * range) && fall_in_range(tile->at[1][lane], range * range) &&
                (wait < 0 || fall_is_pair(context, tile->who[0][lane], tile->who[1][lane], tile->who[2][lane]));
    for (int k = 0; k < FALL_CIRCLES && good; k++) {
        const bool there = k < context->circle_count, moves = there && context->circles[k].fixed == 0;
        const real most = there ? range : 0, fast = moves ? range : 0;
        good = fall_in_range(tile->x[k][lane], most) && fall_in_range(tile->y[k][lane], most) &&
               fall_in_range(tile->vx[k][lane], fast) && fall_in_range(tile->vy[k][lane], fast);
    }
    for (int k = 0; k < FALL_PASTS && good; k++) {
        const real most = k < pasts ? range * range : 0;
        good = tile->past_age[k][lane] >= 0 && tile->past_age[k][lane] <= (k < pasts ? FALL_NEAR : 0) &&
               fall_in_range(tile->past_x[k][lane], most) && fall_in_range(tile->past_y[k][lane], most) &&
               tile->past_a[k][lane] >= 0 && tile->past_b[k][lane] >= 0 &&
               (k < pasts || (tile->past_a[k][lane] == 0 && tile->past_b[k][lane] == 0));
    }
    return good;
}

/* ---- play ---- */

/* A number of an action; false for 0 and NaN. */
static bool fall_kick_of(const struct fall_run *run, unsigned index, unsigned lane, real kick[2])
{
    const float *numbers = (const float *)run->tick->actions + (size_t)index * 2 * CAROM_TILE + lane;
    for (int k = 0; k < 2; k++) {
        const float n = numbers[(size_t)k * CAROM_TILE];
        kick[k] = n > 1 ? 1 : n < -1 ? -1 : n == n ? (real)n : 0;
    }
    return run->context->kicked >= 0 && (kick[0] != 0 || kick[1] != 0);
}

static void fall_record(const struct fall_run *run, const fall_world *w)
{
    const game_tick *tick = run->tick;
    if (tick->events != NULL && w->home < tick->worlds && w->events < tick->event_capacity) {
        carom_event *event = &tick->events[(size_t)w->home * tick->event_capacity + w->events];
        event->left = (double)w->rest / FALL_TICK;
        event->first = (uint32_t)w->who[0];
        event->second = (uint32_t)w->who[1];
        event->part = (uint32_t)w->who[2];
        event->x = (double)w->at[0];
        event->y = (double)w->at[1];
    }
}

/* Up to where the next collision must be looked for (true) or the end of the tick (false). */
static bool fall_go_on(const struct fall_run *run, fall_world *w)
{
    const fall_context *context = run->context;
    if (w->bounced) {
        fall_separate(context, w);
        w->bounced = false;
        if (w->wait < 0) {
            return true; /* nothing was found from where they were: once more from where they are now */
        }
    }
    if (w->wait >= 0 && w->wait < w->rest) {
        if (w->events == FALL_EVENTS) {
            w->overrun = true;
            return false;
        }
        fall_advance(context, w, w->wait);
        if (run->tick->record) {
            fall_record(run, w);
        }
        w->events++;
        fall_remember(w);
        fall_bounce(context, w);
        fall_empty_queue(w);
        w->bounced = true;
        return true;
    }
    const real rest = w->rest;
    w->wait = w->wait < 0 ? w->wait : w->wait - rest;
    fall_advance(context, w, rest);
    fall_separate(context, w);
    return false;
}

static void fall_play(const struct fall_run *run, unsigned count)
{
    fall_scratch *scratch = run->scratch;
    unsigned looking = 0;
    for (unsigned k = 0; k < count; k++) {
        if (scratch->worlds[k].wait < 0 || fall_go_on(run, &scratch->worlds[k])) {
            scratch->looking[looking++] = (uint16_t)k;
        }
    }
    while (looking > 0) { /* two of these for each collision, at most */
        unsigned kept = 0;
        for (unsigned at = 0; at < looking; at += LANES) {
            const unsigned there = looking - at < LANES ? looking - at : LANES;
            fall_predict(run->context, &scratch->group, scratch->worlds, &scratch->looking[at], there);
            fall_finish(run->context, &scratch->group, scratch->worlds, &scratch->looking[at], there);
        }
        for (unsigned k = 0; k < looking; k++) {
            const uint16_t index = scratch->looking[k];
            if (!scratch->worlds[index].done && fall_go_on(run, &scratch->worlds[index])) {
                scratch->looking[kept++] = index;
            }
        }
        looking = kept;
    }
}

/* The fault of a world at the end of a tick, or 0. */
static int fall_fault(const fall_context *context, const fall_world *w)
{
    int fault = w->overrun ? CAROM_FAULT_EVENTS : 0;
    for (int k = 0; k < context->circle_count; k++) {
        for (int d = 0; d < 4; d++) {
            const real a = w->c[k][d];
            if (a != a) {
                return CAROM_FAULT_NAN;
            }
            fault |= fall_in_range(a, (real)FALL_RANGE) ? 0 : CAROM_FAULT_RANGE;
        }
    }
    return fault;
}

/* Back into the tiles; returns the number of worlds that have a fault. */
static unsigned fall_put_back(const struct fall_run *run, unsigned count)
{
    unsigned bad = 0;
    for (unsigned k = 0; k < count; k++) {
        const fall_world *w = &run->scratch->worlds[k];
        fall_tile *tile = &run->tiles[w->home / CAROM_TILE];
        const unsigned lane = w->home % CAROM_TILE;
        const int fault = fall_fault(run->context, w);
        if (fault == 0) {
            fall_put_world(run->context, w, tile, lane);
            run->tick->counters.events += w->events;
        } else {
            tile->fault[0][lane] = (int8_t)(tile->fault[0][lane] | fault);
            tile->frozen[0][lane] = 1;
            bad++;
        }
        if (run->tick->record && run->tick->event_counts != NULL && w->home < run->tick->worlds) {
            run->tick->event_counts[w->home] = w->events;
        }
    }
    return bad;
}

/* ---- end ---- */

/* Counts the tick; returns the lanes whose game is over by it. */
CAROM_LANE unsigned fall_clock(game_tick *tick, fall_tile *tile, unsigned at, unsigned played, uint32_t last)
{
    const vint before = i_load32(&tile->tick[0][at]), none = i_set1(0);
    /* Not those that have a fault now. */
    const vmask plays = m_and(m_from_bits(played), i_eq(i_load8(&tile->frozen[0][at]), none));
    const vmask counts = m_andnot(plays, i_eq(before, i_set1(INT32_MAX)));
    const vint number = i_select(counts, i_add(before, i_set1(1)), before);
    i_store32(&tile->tick[0][at], number);
    tick->counters.ticks += (unsigned)__builtin_popcount(m_bits(plays));
    const vmask running = i_eq(i_load8(&tile->end[0][at]), none);
    return m_bits(m_andnot(m_and(plays, running), i_gt(i_set1((int32_t)last), number)));
}

/* The clock, rewards and games that are over, in one tile. */
static void fall_end_tile(const struct fall_run *run, unsigned index, unsigned played)
{
    game_tick *tick = run->tick;
    const fall_context *context = run->context;
    fall_tile *tile = &run->tiles[index];
    unsigned ended = 0;
    for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
        ended |= fall_clock(tick, tile, at, played >> at & ((1u << LANES) - 1), context->last_tick) << at;
    }
    for (unsigned lane = 0; lane < CAROM_TILE && tick->rewards != NULL; lane++) { /* 0 for one that does not move */
        const size_t at = (size_t)index * CAROM_TILE + lane;
        const bool rises = context->kicked >= 0;
        tick->rewards[at] = rises ? (float)(tile->y[context->kicked][lane] - run->scratch->before[at]) : 0;
    }
    if (ended == 0) {
        return;
    }
    if (tick->last_observations != NULL) {
        fall_observe_tile(context, tile, tick->last_observations + (size_t)index * CAROM_FALL_OBSERVATION * CAROM_TILE);
    }
    for (; ended != 0; ended &= ended - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(ended);
        tick->counters.games++;
        tile->end[0][lane] = CAROM_TRUNCATED;
        if (tick->ends != NULL) {
            tick->ends[(size_t)index * CAROM_TILE + lane] = CAROM_TRUNCATED;
        }
        if (tick->at_end == CAROM_FREEZE) {
            tile->frozen[0][lane] = 1;
        } else if (tick->at_end == CAROM_RESET) {
            tile->episode[0][lane] = tile->episode[0][lane] == INT32_MAX ? 0 : tile->episode[0][lane] + 1;
            fall_start_world(context, tick->seed, tile, lane);
        }
    }
}

static void fall_record_moved(const struct fall_run *run)
{
    const game_tick *tick = run->tick;
    for (size_t world = 0; world < tick->worlds && tick->moved != NULL; world++) {
        const fall_tile *tile = &run->tiles[world / CAROM_TILE];
        double *to = tick->moved + world * FALL_CIRCLES * 4;
        for (int k = 0; k < FALL_CIRCLES; k++, to += 4) {
            to[0] = (double)tile->x[k][world % CAROM_TILE];
            to[1] = (double)tile->y[k][world % CAROM_TILE];
            to[2] = (double)tile->vx[k][world % CAROM_TILE];
            to[3] = (double)tile->vy[k][world % CAROM_TILE];
        }
    }
}

/* ---- the tick ---- */

/* Takes a world in which something happens out of its tile. */
static void fall_take_out(const struct fall_run *run, fall_world *w, unsigned index, unsigned lane)
{
    real kick[2];
    fall_take_world(run->context, w, &run->tiles[index], lane);
    w->home = index * CAROM_TILE + lane;
    if (fall_kick_of(run, index, lane, kick)) {
        const real strength = (real)run->context->kick;
        w->c[run->context->kicked][FALL_VX] += strength * kick[0];
        w->c[run->context->kicked][FALL_VY] += strength * kick[1];
        fall_empty_queue(w);
    }
}

/* Lanes that are kicked, as fall_kick_of() says. */
CAROM_LANE vmask fall_kicked(const struct fall_run *run, unsigned index, unsigned at)
{
    const float *numbers = (const float *)run->tick->actions + (size_t)index * 2 * CAROM_TILE + at;
    const vreal x = v_load_f32(numbers), y = v_load_f32(numbers + CAROM_TILE), zero = v_set1(0);
    return m_or(m_or(v_lt(x, zero), v_gt(x, zero)), m_or(v_lt(y, zero), v_gt(y, zero)));
}

static void fall_tick(game_tick *tick)
{
    const struct fall_run run = {tick, (const fall_context *)tick->context, (fall_tile *)(void *)tick->tiles,
                                 (fall_scratch *)tick->scratch};
    const fall_context *context = run.context;
    fall_scratch *scratch = run.scratch;
    uint16_t played[GAME_RUN];
    unsigned count = 0;
    for (size_t w = 0; w < tick->worlds && tick->record && tick->event_counts != NULL; w++) {
        tick->event_counts[w] = 0;
    }
    for (unsigned index = 0; index < tick->tile_count; index++) {
        fall_tile *tile = &run.tiles[index];
        unsigned actives = 0;
        for (unsigned lane = 0; lane < CAROM_TILE && tick->rewards != NULL; lane++) {
            scratch->before[index * CAROM_TILE + lane] = tile->y[context->kicked < 0 ? 0 : context->kicked][lane];
        }
        for (unsigned at = 0; at < CAROM_TILE; at += LANES) {
            const vmask active = i_eq(i_load8(&tile->frozen[0][at]), i_set1(0));
            actives |= m_bits(active) << at;
            unsigned busy = 0;
            if (m_any(active)) {
                busy = fall_survey(context, &scratch->group, tile, at, active, fall_kicked(&run, index, at));
            }
            for (; busy != 0; busy &= busy - 1) {
                fall_take_out(&run, &scratch->worlds[count++], index, at + (unsigned)__builtin_ctz(busy));
            }
        }
        played[index] = (uint16_t)actives;
    }
    fall_play(&run, count);
    fall_put_back(&run, count);
    if (tick->record) {
        fall_record_moved(&run);
    }
    for (unsigned index = 0; index < tick->tile_count; index++) {
        fall_end_tile(&run, index, played[index]);
        if (tick->observations != NULL) {
            fall_observe_tile(context, &run.tiles[index],
                              tick->observations + (size_t)index * CAROM_FALL_OBSERVATION * CAROM_TILE);
        }
    }
}

CAROM_EXTERN const fall_kernel CAROM_KERNEL(fall);
const fall_kernel CAROM_KERNEL(fall) = {
    {fall_tick, fall_observe, fall_value, exchange_pack, exchange_unpack, exchange_draw}, fall_start_world, fall_check};
