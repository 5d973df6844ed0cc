/* SPDX-License-Identifier: MIT
 * stones for one instruction set and precision: a tick over a run of tiles, one register group of worlds after the
 * other.
 *
 * The engine's event loop (step/advance_all.h) plays impacts in the order of their times. Here there is no such order:
 * sweeps go through the stones as they are listed, and a stone that was hit starts anew, with what it has of the tick.
 * So a group is loaded, pushed, swept (sweep.h), moved and stored.
 */
#include "base/random.h"
#include "games/stones/observe.h"
#include "games/stones/push.h"
#include "games/stones/sweep.h"
#include "step/exchange.h"

/* ---- single worlds ---- */

static void stones_derive(void *any, unsigned lane)
{
    stones_tile *tile = (stones_tile *)any;
    alignas(64) real course[LANES], cosine[LANES], sine[LANES];
    for (int i = 0; i < STONES_MAX; i++) {
        for (int l = 0; l < LANES; l++) {
            course[l] = tile->course[i][lane];
        }
        vreal s, c;
        fd_sincos(v_load(course), &s, &c);
        v_store(cosine, c);
        v_store(sine, s);
        tile->course_cos[i][lane] = cosine[0];
        tile->course_sin[i][lane] = sine[0];
    }
}

/* In [-8, 8], in steps of 1/256: exact in both precisions. */
static real stones_jitter(random_stream *stream)
{
    return (real)((int32_t)random_below(stream, 4097) - 2048) / 256;
}

/* The start of the game with the world's id and episode: two blocks of stones, four in a column, that face each other.
 * Player 1's are those of player 0, turned by half a turn. */
static void stones_start(const stones_context *context, uint64_t seed, void *any, unsigned lane)
{
    stones_tile *tile = (stones_tile *)any;
    const uint64_t id = (uint64_t)(uint32_t)tile->id[1][lane] << 32 | (uint32_t)tile->id[0][lane];
    random_stream stream = random_begin(seed, id, STONES_DRAW_GAME, (uint32_t)tile->episode[0][lane]);
    real x = 0, y = 0, power = 1;
    for (int i = 0; i < STONES_MAX; i++) {
        const int place = i / 2;
        if (i % 2 == 0) {
            x = (real)(-140 - 60 * (place / 4)) + stones_jitter(&stream);
            y = (real)(60 * (place % 4) - 90) + stones_jitter(&stream);
            power = (real)(1 + random_below(&stream, 3));
        } else {
            x = -x;
            y = -y;
        }
        tile->px[i][lane] = x - (real)STONES_START_RADIUS;
        tile->py[i][lane] = y - (real)STONES_START_RADIUS;
        tile->radius[i][lane] = (real)STONES_START_RADIUS;
        tile->power[i][lane] = power;
        tile->friction[i][lane] = (real)STONES_START_FRICTION;
        tile->unused[i][lane] = -1;
        tile->speed[i][lane] = tile->course[i][lane] = 0;
        tile->curve[i][lane] = tile->shot_course[i][lane] = tile->origin_x[i][lane] = tile->origin_y[i][lane] = 0;
        tile->shot_distance[i][lane] = tile->shot_traveled[i][lane] = 0;
        tile->next_x[i][lane] = tile->next_y[i][lane] = 0;
        tile->shot[i][lane] = 0;
        tile->in_play[i][lane] = (uint32_t)i < context->stones;
    }
    tile->sweeps[0][lane] = 0;
    tile->winner[0][lane] = -1;
    tile->tick[0][lane] = 0;
    tile->end[0][lane] = CAROM_RUNNING;
}

static bool stones_is_in(real value, real least, real most)
{
    return value >= least && value <= most; /* false for NaN */
}

static bool stones_check(const stones_context *context, const void *any, unsigned lane)
{
    const stones_tile *tile = (const stones_tile *)any;
    for (int i = 0; i < STONES_MAX; i++) {
        const real places[] = {tile->px[i][lane],       tile->py[i][lane],           tile->origin_x[i][lane],
                               tile->origin_y[i][lane], tile->next_x[i][lane],       tile->next_y[i][lane],
                               tile->speed[i][lane],    tile->shot_traveled[i][lane]};
        const real courses[] = {tile->course[i][lane], tile->shot_course[i][lane]};
        for (int k = 0; k < 8; k++) {
            if (!stones_is_in(places[k], -STONES_RANGE, STONES_RANGE)) {
                return false;
            }
        }
        for (int k = 0; k < 2; k++) {
            if (!stones_is_in(courses[k], -(real)STONES_COURSE, (real)STONES_COURSE)) {
                return false;
            }
        }
        if (tile->speed[i][lane] < 0 || !stones_is_in(tile->curve[i][lane], -(real)STONES_CURVE, (real)STONES_CURVE) ||
            !stones_is_in(tile->shot_distance[i][lane], -REAL_MAX, REAL_MAX) ||
            !stones_is_in(tile->unused[i][lane], -1, 1) ||
            !stones_is_in(tile->radius[i][lane], REAL(0.0009765625), 65536) ||
            !stones_is_in(tile->power[i][lane], REAL(0.0009765625), 1024) ||
            !stones_is_in(tile->friction[i][lane], REAL(0.0009765625), REAL(0.99999904632568359375)) ||
            !stones_is_in(tile->shot[i][lane], 0, 1) ||
            !stones_is_in(tile->in_play[i][lane], 0, (uint32_t)i < context->stones)) {
            return false;
        }
    }
    return stones_is_in(tile->sweeps[0][lane], 0, STONES_SWEEPS) && stones_is_in(tile->winner[0][lane], -1, 1);
}

/* ---- recording ---- */

static void stones_record_hit(game_tick *tick, size_t first, uint32_t *counts, const stones_hit *hit)
{
    alignas(64) int32_t striker[LANES], struck[LANES];
    alignas(64) real way[LANES];
    i_store32(striker, hit->striker);
    i_store32(struck, hit->struck);
    v_store(way, hit->way);
    for (unsigned bits = hit->lanes; bits != 0; bits &= bits - 1) {
        const int l = __builtin_ctz(bits);
        const size_t world = first + (unsigned)l;
        const uint32_t k = counts[l]++;
        if (world < tick->worlds && tick->events != NULL && k < tick->event_capacity) {
            carom_event *event = &tick->events[world * tick->event_capacity + k];
            event->left = (hit->shrunk >> l & 1) != 0 ? -(double)way[l] : (double)way[l];
            event->first = (uint32_t)striker[l];
            event->second = (uint32_t)struck[l];
        }
    }
}

static void stones_record_moved(const game_tick *tick, size_t first, const stones_group *g)
{
    alignas(64) real lanes[LANES];
    for (int i = 0; i < STONES_MAX; i++) {
        const vreal none = v_set1(REAL(0.0));
        const bool there = i < g->stones;
        const vreal rows[4] = {there ? g->x[i] : none, there ? g->y[i] : none, there ? g->speed[i] : none,
                               there ? g->unused[i] : none};
        for (int k = 0; k < 4; k++) {
            v_store(lanes, rows[k]);
            for (unsigned l = 0; l < LANES && first + l < tick->worlds; l++) {
                tick->moved[((first + l) * STONES_MAX + (size_t)i) * 4 + (size_t)k] = lanes[l];
            }
        }
    }
}

/* ---- the tick ---- */

CAROM_LANE void stones_sweep(stones_group *g, game_tick *tick, size_t first, bool record)
{
    uint32_t all = g->stones < STONES_MAX ? (UINT32_C(1) << g->stones) - 1 : UINT32_MAX, look = all;
    uint32_t counts[LANES] = {0};
    unsigned lanes = g->active;
    EACH_STONE(i, all)
    {
        stones_prepare(g, i);
    }
    g->sweeps = v_set1(REAL(0.0));
    for (int number = 1; number <= STONES_SWEEPS && lanes != 0; number++) {
        stones_names names;
        stones_look(g, look);
        g->sweeps = v_select(m_from_bits(lanes), v_set1((real)number), g->sweeps);
        lanes = stones_find(g, lanes, &names);
        if (lanes == 0) {
            break;
        }
        stones_hit hits[STONES_ATTEMPTS];
        int rounds;
        look = 0;
        unsigned done = stones_try(g, names, lanes, hits, &rounds, &look);
        for (int k = 0; k < rounds; k++) {
            tick->counters.events += (unsigned)__builtin_popcount(hits[k].lanes);
            if (record) {
                stones_record_hit(tick, first, counts, &hits[k]);
            }
        }
        /* A pair whose way was barred by one that cannot be hit: nothing has changed, nor will in the sweeps left. */
        g->sweeps = v_select(m_from_bits(lanes & ~done), v_set1((real)STONES_SWEEPS), g->sweeps);
        lanes = done;
        g->changed |= look;
        EACH_STONE(i, look)
        {
            stones_prepare(g, i);
        }
    }
    for (unsigned l = 0; l < LANES && record && tick->event_counts != NULL; l++) {
        if (first + l < tick->worlds) {
            tick->event_counts[first + l] = counts[l];
        }
    }
}

/* Moves stone i to the end of the tick, and if it is on a path, finds the point that it goes to next. */
CAROM_LANE void stones_move(stones_group *g, uint32_t i)
{
    vmask moving = m_from_bits(g->moving[i] & g->active), shot = m_and(moving, m_from_bits(g->shot[i]));
    vreal speed = g->speed[i], unused = g->unused[i], zero = v_set1(REAL(0.0));
    vreal x = v_add(g->x[i], v_mul(v_mul(g->cos[i], speed), unused));
    vreal y = v_add(g->y[i], v_mul(v_mul(g->sin[i], speed), unused));
    vreal traveled = v_add(g->traveled[i], speed);
    if (m_any(shot)) {
        const stones_path path = {g->curve[i], g->shot_course[i], g->origin_x[i], g->origin_y[i], g->distance[i]};
        vreal next_x, next_y;
        x = v_select(shot, g->next_x[i], x);
        y = v_select(shot, g->next_y[i], y);
        stones_point(&path, v_add(traveled, speed), &next_x, &next_y); /* for the speed before friction */
        g->next_x[i] = v_select(shot, next_x, g->next_x[i]);
        g->next_y[i] = v_select(shot, next_y, g->next_y[i]);
    }
    speed = v_mul(speed, v_load(&g->tile->friction[i][g->at]));
    speed = v_select(v_lt(speed, v_set1((real)STONES_STOP_SPEED)), zero, speed);
    g->x[i] = v_select(moving, x, g->x[i]);
    g->y[i] = v_select(moving, y, g->y[i]);
    g->traveled[i] = v_select(moving, traveled, g->traveled[i]);
    g->speed[i] = v_select(moving, speed, g->speed[i]);
    g->unused[i] = v_select(moving, zero, g->unused[i]);
}

/* The course of stone i, where it is on a path: to its next point. */
CAROM_LANE void stones_turn(stones_group *g, uint32_t i)
{
    vreal course = stones_aim(g->x[i], g->y[i], stones_radius(g, i), g->next_x[i], g->next_y[i]);
    g->course[i] = v_select(m_from_bits(g->moving[i] & g->active & g->shot[i]), course, g->course[i]);
}

/* One thing after the other for all stones, and not all for one stone after the other: so the calculations of several
 * stones, which do not wait for each other, are under way at once. */
CAROM_LANE void stones_move_all(stones_group *g)
{
    uint32_t moving = 0, turning = 0;
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        const unsigned lanes = g->moving[i] & g->active;
        moving |= (uint32_t)(lanes != 0) << i;
        turning |= (uint32_t)((lanes & g->shot[i]) != 0) << i;
    }
    EACH_STONE(i, moving)
    {
        stones_move(g, i);
    }
    EACH_STONE(i, turning)
    {
        stones_turn(g, i);
    }
    EACH_STONE(i, turning)
    {
        fd_sincos(g->course[i], &g->sin[i], &g->cos[i]); /* no other numbers where the course is the same */
    }
    g->changed |= moving;
}

/* The plugin's collisionCheck: the first pair whose corners are near turns as in a hit. */
CAROM_LANE void stones_check_pairs(stones_group *g)
{
    unsigned lanes = g->active;
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        for (uint32_t j = i + 1; j < (uint32_t)g->stones && lanes != 0; j++) {
            vreal apart = stones_length(v_sub(g->x[i], g->x[j]), v_sub(g->y[i], g->y[j]));
            vmask near = v_lt(apart, v_add(stones_radius(g, i), stones_radius(g, j)));
            near = m_and(near, m_from_bits(lanes & g->in_play[i] & g->in_play[j]));
            if (!m_any(near)) {
                continue;
            }
            vreal n = fd_atan2(v_sub(g->y[j], g->y[i]), v_sub(g->x[j], g->x[i])), s, c;
            vreal tangent = stones_tangent(n, stones_relative(g->course[i], n));
            fd_sincos(tangent, &s, &c);
            g->course[i] = v_select(near, tangent, g->course[i]);
            g->cos[i] = v_select(near, c, g->cos[i]);
            g->sin[i] = v_select(near, s, g->sin[i]);
            fd_sincos(n, &s, &c);
            g->course[j] = v_select(near, n, g->course[j]);
            g->cos[j] = v_select(near, c, g->cos[j]);
            g->sin[j] = v_select(near, s, g->sin[j]);
            g->changed |= UINT32_C(1) << i | UINT32_C(1) << j;
            lanes &= ~m_bits(near);
        }
    }
}

/* The lanes whose numbers are all in range; the others get a fault. */
CAROM_LANE vmask stones_sound(stones_group *g)
{
    vmask sound = m_from_bits(g->active);
    unsigned nan = 0;
    EACH_STONE(i, g->changed)
    {
        vmask shot = m_from_bits(g->shot[i]), there = m_from_bits(g->in_play[i] & g->active);
        vreal zero = v_set1(REAL(0.0));
        const vreal numbers[6] = {g->x[i],
                                  g->y[i],
                                  g->speed[i],
                                  g->traveled[i],
                                  v_select(shot, g->next_x[i], zero),
                                  v_select(shot, g->next_y[i], zero)};
        vmask good = stones_within(g->course[i], (real)STONES_COURSE);
        for (int k = 0; k < 6; k++) {
            good = m_and(good, stones_within(numbers[k], STONES_RANGE));
        }
        vmask bad = m_andnot(there, good);
        if (m_any(bad)) {
            vmask is_nan = v_ne(g->course[i], g->course[i]);
            for (int k = 0; k < 6; k++) {
                is_nan = m_or(is_nan, v_ne(numbers[k], numbers[k]));
            }
            nan |= m_bits(m_and(bad, is_nan));
            sound = m_andnot(sound, bad);
        }
    }
    for (unsigned bits = g->active & ~m_bits(sound); bits != 0; bits &= bits - 1) {
        const unsigned l = (unsigned)__builtin_ctz(bits), lane = g->at + l;
        int8_t fault = (nan >> l & 1) != 0 ? CAROM_FAULT_NAN : CAROM_FAULT_RANGE;
        g->tile->fault[0][lane] = (int8_t)(g->tile->fault[0][lane] | fault);
        g->tile->frozen[0][lane] = 1;
    }
    return sound;
}

/* ---- the ring and the end ---- */

/* Stones outside of the ring leave play. out[p]: how many of player p, a lane. */
CAROM_LANE void stones_leave(stones_group *g, vmask keep, vreal out[2])
{
    vreal ring = v_set1((real)g->context->ring), one = v_set1(REAL(1.0)), zero = v_set1(REAL(0.0));
    for (uint32_t i = 0; i < (uint32_t)g->stones; i++) {
        vreal x = v_add(g->x[i], stones_radius(g, i)), y = v_add(g->y[i], stones_radius(g, i));
        vmask outside = v_gt(v_add(v_mul(x, x), v_mul(y, y)), v_mul(ring, ring));
        outside = m_and(outside, m_and(keep, m_from_bits(g->in_play[i])));
        unsigned bits = m_bits(outside);
        if (bits != 0) {
            out[i & 1] = v_add(out[i & 1], v_select(outside, one, zero));
            g->speed[i] = v_select(outside, zero, g->speed[i]);
            g->shot[i] = (uint16_t)(g->shot[i] & ~bits);
            g->in_play[i] = (uint16_t)(g->in_play[i] & ~bits);
            g->changed |= UINT32_C(1) << i;
        }
    }
}

/* Decides the game of one world, if it is over. */
static carom_end stones_decide(const stones_context *context, stones_tile *tile, unsigned lane)
{
    const int left[2] = {stones_count(tile, lane, 0), stones_count(tile, lane, 1)};
    carom_end end = CAROM_RUNNING;
    if (context->ring > 0 && (left[0] == 0 || left[1] == 0)) {
        end = CAROM_TERMINATED;
    } else if (tile->tick[0][lane] >= (int32_t)context->ticks) {
        end = CAROM_TRUNCATED;
    }
    if (end != CAROM_RUNNING) {
        tile->winner[0][lane] = left[0] > left[1] ? 0 : left[1] > left[0] ? 1 : -1;
        tile->end[0][lane] = (int8_t)end;
    }
    return end;
}

/* What happens to the games of a tile that are over; `played`: lanes that have played the tick. */
static void stones_end_tile(game_tick *tick, unsigned index, unsigned played)
{
    const stones_context *context = (const stones_context *)tick->context;
    stones_tile *tile = &((stones_tile *)(void *)tick->tiles)[index];
    unsigned ended = 0;
    for (unsigned bits = played; bits != 0; bits &= bits - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(bits);
        carom_end end = tile->end[0][lane] == CAROM_RUNNING ? stones_decide(context, tile, lane) : CAROM_RUNNING;
        if (end == CAROM_RUNNING) {
            continue;
        }
        ended |= 1u << lane;
        tick->counters.games++;
        if (tick->ends != NULL) {
            tick->ends[(size_t)index * CAROM_TILE + lane] = (uint8_t)end;
        }
        const int winner = tile->winner[0][lane];
        if (tick->rewards != NULL && winner >= 0) {
            float *rewards = tick->rewards + (size_t)index * 2 * CAROM_TILE + lane;
            rewards[winner * CAROM_TILE] += 1.0f;
            rewards[(1 - winner) * CAROM_TILE] -= 1.0f;
        }
    }
    if (ended != 0 && tick->last_observations != NULL) {
        stones_observe_tile(context, tile,
                            tick->last_observations + (size_t)index * 2 * CAROM_STONES_OBSERVATION * CAROM_TILE);
    }
    for (unsigned bits = ended; bits != 0 && tick->at_end != CAROM_PLAY_ON; bits &= bits - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(bits);
        if (tick->at_end == CAROM_FREEZE) {
            tile->frozen[0][lane] = 1;
        } else {
            tile->episode[0][lane] = tile->episode[0][lane] == INT32_MAX ? 0 : tile->episode[0][lane] + 1;
            stones_start(context, tick->seed, tile, lane);
            stones_derive(tile, lane);
        }
    }
}

/* Plays a group; returns the lanes whose game may be over. */
CAROM_LANE unsigned stones_play_group(stones_group *g, game_tick *tick, unsigned index, bool record)
{
    const size_t first = (size_t)index * CAROM_TILE + g->at;
    stones_load(g);
    stones_act(g, tick->kind, tick->actions, index);
    stones_sweep(g, tick, first, record);
    if (record && tick->moved != NULL) {
        stones_record_moved(tick, first, g);
    }
    stones_move_all(g);
    if (g->context->check) {
        stones_check_pairs(g);
    }
    vmask keep = stones_sound(g);
    vreal out[2] = {v_set1(REAL(0.0)), v_set1(REAL(0.0))};
    if (g->context->ring > 0) {
        stones_leave(g, keep, out);
    }
    stones_store(g, keep);
    vint before = i_load32(&g->tile->tick[0][g->at]), after = i_add(before, i_set1(1));
    after = i_select(i_gt(i_set1(0), after), before, after); /* it stops before it would wrap */
    i_store32(&g->tile->tick[0][g->at], i_select(keep, after, before));
    vreal ahead = v_sub(out[1], out[0]), all = v_add(out[0], out[1]), zero = v_set1(REAL(0.0));
    vmask any = v_gt(all, zero);
    if (tick->rewards != NULL) {
        float *rewards = tick->rewards + (size_t)index * 2 * CAROM_TILE + g->at;
        v_store_f32(rewards, ahead);
        v_store_f32(rewards + CAROM_TILE, v_sub(out[0], out[1]));
    }
    if (m_any(any)) {
        alignas(64) real lanes[LANES];
        v_store(lanes, all);
        for (unsigned l = 0; l < LANES; l++) {
            tick->counters.goals += (uint64_t)lanes[l];
        }
    }
    const unsigned played = m_bits(keep);
    tick->counters.ticks += (unsigned)__builtin_popcount(played);
    vmask late = i_gt(after, i_set1((int32_t)g->context->ticks - 1));
    return played & m_bits(m_or(any, late));
}

static void stones_tick(game_tick *tick)
{
    stones_group *g = (stones_group *)tick->scratch;
    stones_tile *tiles = (stones_tile *)(void *)tick->tiles;
    g->context = (const stones_context *)tick->context;
    g->stones = (int)g->context->stones;
    for (size_t w = 0; w < tick->tile_count * 2 * CAROM_TILE && tick->rewards != NULL; w++) {
        tick->rewards[w] = 0;
    }
    for (size_t w = 0; w < tick->worlds && tick->record && tick->event_counts != NULL; w++) {
        tick->event_counts[w] = 0;
    }
    for (unsigned index = 0; index < tick->tile_count; index++) {
        unsigned over = 0;
        g->tile = &tiles[index];
        for (g->at = 0; g->at < CAROM_TILE; g->at += LANES) {
            g->active = m_bits(i_eq(i_load8(&g->tile->frozen[0][g->at]), i_set1(0)));
            if (g->active != 0) {
                over |= stones_play_group(g, tick, index, tick->record) << g->at;
            }
        }
        if (over != 0) {
            stones_end_tile(tick, index, over);
        }
        if (tick->observations != NULL) {
            stones_observe_tile(g->context, g->tile,
                                tick->observations + (size_t)index * 2 * CAROM_STONES_OBSERVATION * CAROM_TILE);
        }
    }
}

CAROM_EXTERN const stones_kernel CAROM_KERNEL(stones);
const stones_kernel CAROM_KERNEL(stones) = {
    {stones_tick, stones_observe, stones_value, exchange_pack, exchange_unpack, exchange_draw},
    stones_start,
    stones_check,
    stones_derive};
