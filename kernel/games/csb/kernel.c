/* SPDX-License-Identifier: MIT
 * csb for one instruction set and precision: a tick over a run of tiles.
 *
 * The tick is played in passes over all register groups of the run:
 *
 *     command   reads the actions: rotation, thrust, shield, boost; notes which pairs of pods come near each other, and
 *               which pods a checkpoint
 *     look      of the groups with near pods: the earliest impact of every world
 *     gather    the worlds that have one, packed on the worklist, which plays them (step/advance_all.h)
 *     finish    moves the others, takes back those from the worklist; friction and rounding; checkpoints are tested
 *     settle    passes checkpoints, ends games
 *
 * They are passes, and not one loop body, so that every branch is taken on a number that the pass before has left in
 * memory. In one body each group's branches wait for the end of its sines, and a branch that was guessed wrong throws
 * away all that the processor has begun of the next group. bench/README.md has the figures.
 *
 * A tile stays as it was before the tick until `finish` writes it: a world that leaves its range, or has no end of
 * impacts, is put back by not writing it.
 */
#include "games/csb/command.h"
#include "games/csb/finish.h"
#include "games/csb/observe.h"
#include "games/csb/run.h"
#include "step/exchange.h"

/* ---- single worlds ---- */

static void csb_aim(const csb_context *context, csb_tile *tile, unsigned lane, int pod)
{
    csb_point(context, tile, lane, pod, 0, &tile->cx[pod][lane], &tile->cy[pod][lane]);
}

static void csb_derive(const csb_context *context, void *tile, unsigned lane)
{
    for (int i = 0; i < CSB_PODS; i++) {
        csb_aim(context, (csb_tile *)tile, lane, i);
    }
}

static uint64_t csb_id(const csb_tile *tile, unsigned lane)
{
    return (uint64_t)(uint32_t)tile->id[1][lane] << 32 | (uint32_t)tile->id[0][lane];
}

/* The start of the game with the world's id and episode. */
static void csb_start(const csb_context *context, uint64_t seed, void *any, unsigned lane)
{
    csb_tile *tile = (csb_tile *)any;
    uint64_t id = csb_id(tile, lane);
    uint32_t episode = (uint32_t)tile->episode[0][lane];
    if (context->drawn) {
        random_stream stream = random_begin(seed, id, CSB_DRAW_GAME, episode);
        tile->map[0][lane] = (int32_t)random_below(&stream, context->map_count);
    } else {
        tile->map[0][lane] = (int32_t)((id + episode) % context->map_count);
    }
    const csb_course *course = csb_course_of(context, tile, lane);
    for (int i = 0; i < CSB_PODS; i++) {
        tile->x[i][lane] = (real)course->start_x[i];
        tile->y[i][lane] = (real)course->start_y[i];
        tile->vx[i][lane] = tile->vy[i][lane] = 0;
        tile->angle[i][lane] = (real)CSB_START_ANGLE;
        tile->next[i][lane] = 1;
        tile->shield[i][lane] = tile->boosted[i][lane] = tile->won[i][lane] = 0;
    }
    tile->timeout[0][lane] = tile->timeout[1][lane] = CSB_TIMEOUT;
    tile->winner[0][lane] = -1;
    tile->tick[0][lane] = 0;
    tile->end[0][lane] = CAROM_RUNNING;
}

static bool csb_is_flag(int8_t value)
{
    return value == 0 || value == 1;
}

static bool csb_within(real value, real range)
{
    return value >= -range && value <= range; /* false for NaN */
}

static bool csb_check(const csb_context *context, const void *any, unsigned lane)
{
    const csb_tile *tile = (const csb_tile *)any;
    if (tile->map[0][lane] < 0 || (uint32_t)tile->map[0][lane] >= context->map_count || tile->winner[0][lane] < -1 ||
        tile->winner[0][lane] > 1) {
        return false;
    }
    int32_t last = csb_course_of(context, tile, lane)->last;
    for (int i = 0; i < CSB_PODS; i++) {
        if (!csb_within(tile->x[i][lane], CSB_RANGE) || !csb_within(tile->y[i][lane], CSB_RANGE) ||
            !csb_within(tile->vx[i][lane], 2 * CSB_RANGE) || !csb_within(tile->vy[i][lane], 2 * CSB_RANGE) ||
            !csb_within(tile->angle[i][lane], (real)CSB_MAX_ANGLE) || tile->next[i][lane] < 1 ||
            tile->next[i][lane] > last || tile->shield[i][lane] < 0 || tile->shield[i][lane] > 3 ||
            !csb_is_flag(tile->boosted[i][lane]) || !csb_is_flag(tile->won[i][lane])) {
            return false;
        }
    }
    return true;
}

/* ---- look and gather ---- */

CAROM_LANE void csb_look(csb_group *g, const csb_tile *tile, unsigned at)
{
    vreal first = v_set1(REAL(1.0)), chosen = v_set1(REAL(0.0));
    for (int word = 0; word < 2; word++) {
        for (uint64_t pairs = g->pairs[word]; pairs != 0;) {
            int at16 = __builtin_ctzll(pairs) / 16, pair = 4 * word + at16 + 1;
            int a = csb_first_of[pair], b = csb_second_of[pair];
            pairs &= ~(UINT64_C(0xffff) << 16 * at16);
            csb_try(v_sub(v_load(&tile->x[b][at]), v_load(&tile->x[a][at])),
                    v_sub(v_load(&tile->y[b][at]), v_load(&tile->y[a][at])), v_sub(g->vx[b], g->vx[a]),
                    v_sub(g->vy[b], g->vy[a]), m_from_bits(g->near[pair - 1]), v_set1((real)pair), &first, &chosen);
        }
    }
    g->first = first;
    g->pair = chosen;
    g->event = (uint16_t)m_bits(v_gt(chosen, v_set1(REAL(0.0))));
}

CAROM_LANE void csb_gather(csb_group *g, worklist *list, const csb_tile *tile, unsigned at, int32_t home)
{
    motion m;
    V_EACH4(m.r[X + i] = v_load(&tile->x[i][at]); m.r[Y + i] = v_load(&tile->y[i][at]); m.r[VX + i] = g->vx[i];
            m.r[VY + i] = g->vy[i]; m.r[CX + i] = v_load(&tile->cx[i][at]); m.r[CY + i] = v_load(&tile->cy[i][at]);
            m.r[MASS + i] = v_set1(REAL(1.0)))
    if (g->special) {
        V_EACH4(m.r[MASS + i] = v_select(i_eq(g->shield[i], i_set1(4)), v_set1(REAL(0.1)), m.r[MASS + i]))
    }
    m.r[FIRST] = g->first;
    m.r[PAIR] = g->pair;
    g->slot = list->count;
    worklist_push(list, &m, m_from_bits(g->event), home);
}

/* ---- motion: what the worklist calls ---- */

/* Where a world on the worklist lives: home counts the lanes of the run. */
CAROM_LANE csb_tile *csb_tile_of(const struct csb_run *run, int32_t home)
{
    return &run->tiles[home / CAROM_TILE];
}

CAROM_LANE unsigned csb_lane_of(int32_t home)
{
    return (unsigned)(home % CAROM_TILE);
}

/* A checkpoint passed in a sub-step: the tile must not change yet, so the group counts, and the motion gets its new
 * aim. */
static void csb_pass_midway(struct csb_run *run, int32_t home, int pod, real *cx, real *cy)
{
    csb_group *g = &run->scratch->groups[home / LANES];
    int lane = home % LANES;
    if (!g->passed) {
        g->passed = true;
        for (int i = 0; i < CSB_PODS; i++) {
            for (int l = 0; l < LANES; l++) {
                g->passes[i][l] = 0;
            }
        }
    }
    csb_point(run->context, csb_tile_of(run, home), csb_lane_of(home), pod, ++g->passes[pod][lane], cx, cy);
}

static void csb_pass_lanes(struct csb_run *run, motion *m, const int32_t *home, int pod, unsigned bits)
{
    alignas(64) real cx[LANES], cy[LANES];
    v_store(cx, m->r[CX + pod]);
    v_store(cy, m->r[CY + pod]);
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        csb_pass_midway(run, home[lane], pod, &cx[lane], &cy[lane]);
    }
    m->r[CX + pod] = v_load(cx);
    m->r[CY + pod] = v_load(cy);
}

static void csb_record(struct csb_run *run, const motion *m, unsigned bits, const int32_t *home)
{
    game_tick *tick = run->tick;
    alignas(64) real left[LANES], pairs[LANES];
    v_store(left, m->r[LEFT]);
    v_store(pairs, m->r[PAIR]);
    for (; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        size_t world = (size_t)home[lane];
        uint32_t k = run->scratch->events[world]++;
        if (tick->events != NULL && k < tick->event_capacity) {
            carom_event *event = &tick->events[world * tick->event_capacity + k];
            int pair = (int)pairs[lane];
            event->left = left[lane];
            event->first = csb_first_of[pair];
            event->second = csb_second_of[pair];
            event->part = 0;
            event->x = event->y = 0;
        }
    }
}

CAROM_LANE void csb_substep_checkpoint(struct csb_run *run, motion *m, int i, vmask alive, const int32_t *home)
{
    vmask hit =
        m_and(alive, csb_cross(m->r[PX + i], m->r[PY + i], m->r[X + i], m->r[Y + i], m->r[CX + i], m->r[CY + i]));
    if (m_any(hit)) {
        csb_pass_lanes(run, m, home, i, m_bits(hit));
    }
    m->r[PX + i] = v_select(alive, m->r[X + i], m->r[PX + i]);
    m->r[PY + i] = v_select(alive, m->r[Y + i], m->r[PY + i]);
}

CAROM_LANE vmask motion_resolve(motion *m, vmask active, const int32_t *home, motion_context *run)
{
    vreal first = m->r[FIRST];
    V_EACH4(m->r[X + i] = v_add(m->r[X + i], v_mul(m->r[VX + i], first));
            m->r[Y + i] = v_add(m->r[Y + i], v_mul(m->r[VY + i], first)))
    m->r[LEFT] = v_sub(m->r[LEFT], first);
    csb_bounce(m, active);
    run->tick->counters.events += (unsigned)__builtin_popcount(m_bits(active));
    if (run->record) {
        csb_record(run, m, m_bits(active), home);
    }
    vmask alive = m_and(active, v_gt(m->r[LEFT], v_set1(REAL(0.0))));
    if (m_any(alive)) {
        V_EACH4(csb_substep_checkpoint(run, m, i, alive, home))
    }
    return alive;
}

CAROM_LANE void motion_overrun(int32_t home, motion_context *run)
{
    csb_group *g = &run->scratch->groups[home / LANES];
    g->overrun = (uint16_t)(g->overrun | 1u << home % LANES);
}

/* ---- settle ---- */

/* Pod `pod` has passed `count` checkpoints in this tick, whose end is already in the tile. */
static void csb_pass(struct csb_run *run, csb_tile *tile, unsigned lane, int pod, int32_t count)
{
    const csb_course *course = csb_course_of(run->context, tile, lane);
    int32_t next = tile->next[pod][lane] + count;
    bool won = next > course->last;
    next = won ? course->last : next;
    const int32_t *point = run->context->points[course->first + next];
    tile->next[pod][lane] = (int16_t)next;
    tile->won[pod][lane] = (int8_t)(tile->won[pod][lane] | won);
    tile->timeout[pod >> 1][lane] = CSB_TIMEOUT - 1;
    tile->cx[pod][lane] = (real)point[0];
    tile->cy[pod][lane] = (real)point[1];
    run->tick->counters.goals += (uint64_t)count;
}

CAROM_LANE void csb_pass_pod(csb_group *g, struct csb_run *run, csb_tile *tile, unsigned at, int i)
{
    unsigned bits = g->hit[i];
    for (unsigned l = 0; l < LANES && g->passed; l++) {
        bits |= (unsigned)(g->passes[i][l] != 0) << l;
    }
    for (bits &= g->kept; bits != 0; bits &= bits - 1) {
        unsigned l = (unsigned)__builtin_ctz(bits);
        int32_t count = (g->hit[i] >> l & 1) + (g->passed ? g->passes[i][l] : 0);
        csb_pass(run, tile, at + l, i, count);
    }
}

/* Lanes with a pod that has won and may play. */
static unsigned csb_winners(const csb_tile *tile)
{
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < CAROM_TILE; lane++) {
        int won = tile->won[0][lane] | tile->won[1][lane] | tile->won[2][lane] | tile->won[3][lane];
        lanes |= (unsigned)(won != 0 && tile->frozen[0][lane] == 0) << lane;
    }
    return lanes;
}

CAROM_LANE void csb_settle(csb_group *g, struct csb_run *run, unsigned index, unsigned at)
{
    csb_tile *tile = &run->tiles[index];
    run->tick->counters.ticks += (unsigned)__builtin_popcount(g->kept);
    if ((g->hit[0] | g->hit[1] | g->hit[2] | g->hit[3]) != 0 || g->passed) {
        V_EACH4(csb_pass_pod(g, run, tile, at, i))
    }
    if (run->tick->rewards != NULL) {
        float *rewards = run->tick->rewards + (size_t)index * 2 * CAROM_TILE + at;
        vreal after[2], none = v_set1(REAL(0.0));
        vmask active = m_from_bits(g->active);
        csb_progress(run->context, tile, at, after);
        v_store_f32(rewards, v_select(active, v_sub(after[0], g->before[0]), none));
        v_store_f32(rewards + CAROM_TILE, v_select(active, v_sub(after[1], g->before[1]), none));
    }
}

/* ---- end ---- */

static int csb_winner_by_score(const csb_tile *tile, unsigned lane)
{
    int best = -1;
    double greatest = 0;
    for (int i = 0; i < CSB_PODS; i++) {
        double dx = (double)tile->x[i][lane] - (double)tile->cx[i][lane];
        double dy = (double)tile->y[i][lane] - (double)tile->cy[i][lane];
        double score = tile->next[i][lane] * 1000000.0 - __builtin_sqrt(dx * dx + dy * dy);
        if (score > greatest) {
            greatest = score;
            best = i >> 1;
        }
    }
    return best;
}

/* Decides the game of one world, if it is over. */
static carom_end csb_decide(csb_tile *tile, unsigned lane, unsigned illegal)
{
    carom_end end = CAROM_TERMINATED;
    int winner = -1;
    if (illegal != 0) {
        winner = (illegal & 1) != 0 ? 1 : 0;
    } else if (tile->timeout[0][lane] <= 0) {
        winner = 1;
    } else if (tile->timeout[1][lane] <= 0) {
        winner = 0;
    } else {
        for (int i = CSB_PODS - 1; i >= 0; i--) {
            winner = tile->won[i][lane] != 0 ? i >> 1 : winner;
        }
        if (winner < 0) {
            if (tile->tick[0][lane] < CSB_LAST_TICK) {
                return CAROM_RUNNING;
            }
            end = CAROM_TRUNCATED;
            winner = csb_winner_by_score(tile, lane);
        }
    }
    tile->winner[0][lane] = (int8_t)winner;
    tile->end[0][lane] = (int8_t)end;
    return end;
}

/* All that happens to games that are over, tile by tile. */
static void csb_end_tile(struct csb_run *run, unsigned index, unsigned over, bool illegal)
{
    game_tick *tick = run->tick;
    csb_tile *tile = &run->tiles[index];
    unsigned ended = 0;
    for (unsigned bits = over; bits != 0; bits &= bits - 1) {
        unsigned lane = (unsigned)__builtin_ctz(bits);
        if (tile->end[0][lane] != CAROM_RUNNING) {
            continue; /* it plays on */
        }
        carom_end end = csb_decide(tile, lane, illegal ? run->scratch->illegal[index][lane] : 0);
        if (end == CAROM_RUNNING) {
            continue;
        }
        ended |= 1u << lane;
        tick->counters.games++;
        if (tick->ends != NULL) {
            tick->ends[(size_t)index * CAROM_TILE + lane] = (uint8_t)end;
        }
        int winner = tile->winner[0][lane];
        if (tick->rewards != NULL && winner >= 0) {
            float *rewards = tick->rewards + (size_t)index * 2 * CAROM_TILE + lane;
            rewards[winner * CAROM_TILE] += 1.0f;
            rewards[(1 - winner) * CAROM_TILE] -= 1.0f;
        }
    }
    if (ended != 0 && tick->last_observations != NULL) {
        csb_observe_tile(run->context, tile,
                         tick->last_observations + (size_t)index * 2 * CAROM_CSB_OBSERVATION * CAROM_TILE);
    }
    for (unsigned bits = ended; bits != 0 && tick->at_end != CAROM_PLAY_ON; bits &= bits - 1) {
        unsigned lane = (unsigned)__builtin_ctz(bits);
        if (tick->at_end == CAROM_FREEZE) {
            tile->frozen[0][lane] = 1;
        } else {
            tile->episode[0][lane] = tile->episode[0][lane] == INT32_MAX ? 0 : tile->episode[0][lane] + 1;
            csb_start(run->context, tick->seed, tile, lane);
            csb_derive(run->context, tile, lane);
        }
    }
}

/* ---- the tick ---- */

/* `statement` for every group g of the run in which a world is active; index and at say where it is. */
#define CSB_EACH_GROUP(statement)                                                                                      \
    for (unsigned number = 0; number < groups; number++) {                                                             \
        csb_group *g = &scratch->groups[number];                                                                       \
        const unsigned index = number / GROUPS, at = number % GROUPS * LANES;                                          \
        if (g->active != 0) {                                                                                          \
            statement;                                                                                                 \
        }                                                                                                              \
    }

CAROM_LANE void csb_tick_of(game_tick *tick, uint32_t kind, bool record)
{
    struct csb_run run = {tick, (const csb_context *)tick->context, (csb_tile *)(void *)tick->tiles,
                          (csb_scratch *)tick->scratch, record};
    csb_scratch *scratch = run.scratch;
    const unsigned groups = (unsigned)tick->tile_count * GROUPS;
    for (unsigned number = 0; number < groups; number++) {
        const csb_tile *tile = &run.tiles[number / GROUPS];
        vmask active = i_eq(i_load8(&tile->frozen[0][number % GROUPS * LANES]), i_set1(0));
        scratch->groups[number].active = (uint16_t)m_bits(active);
        scratch->groups[number].over = 0;
    }
    for (size_t w = 0; w < tick->tile_count * CAROM_TILE && record; w++) {
        scratch->events[w] = 0;
    }
    for (size_t w = 0; w < tick->tile_count * 2 * CAROM_TILE && tick->rewards != NULL; w++) {
        tick->rewards[w] = 0;
    }
    scratch->list.count = 0;
    CSB_EACH_GROUP(csb_command_group(g, &run, index, at, kind))
    CSB_EACH_GROUP(if ((g->pairs[0] | g->pairs[1]) != 0) { csb_look(g, &run.tiles[index], at); })
    CSB_EACH_GROUP(
        if (g->event != 0) { csb_gather(g, &scratch->list, &run.tiles[index], at, (int32_t)(number * LANES)); })
    worklist_run(&scratch->list, &run);
    CSB_EACH_GROUP(csb_finish(g, &run, index, at))
    CSB_EACH_GROUP(csb_settle(g, &run, index, at))
    bool illegal = kind == CSB_REFEREE && run.context->rules == CAROM_CSB_FULL;
    for (unsigned index = 0; index < tick->tile_count; index++) {
        unsigned over = 0;
        for (unsigned k = 0; k < GROUPS; k++) {
            over |= (unsigned)scratch->groups[index * GROUPS + k].over << k * LANES;
        }
        if (csb_any_set(&run.tiles[index].won[0][0], CSB_PODS * CAROM_TILE)) {
            over |= csb_winners(&run.tiles[index]);
        }
        for (unsigned lane = 0; lane < CAROM_TILE && illegal; lane++) {
            bool lost = scratch->illegal[index][lane] != 0 && run.tiles[index].frozen[0][lane] == 0;
            over |= (unsigned)lost << lane;
        }
        if (over != 0) {
            csb_end_tile(&run, index, over, illegal);
        }
        if (tick->observations != NULL) {
            csb_observe_tile(run.context, &run.tiles[index],
                             tick->observations + (size_t)index * 2 * CAROM_CSB_OBSERVATION * CAROM_TILE);
        }
    }
    for (size_t w = 0; w < tick->worlds && record && tick->event_counts != NULL; w++) {
        tick->event_counts[w] = scratch->events[w];
    }
}

static void csb_tick(game_tick *tick)
{
    if (tick->record) {
        csb_tick_of(tick, tick->kind, true);
    } else if (tick->kind == CSB_RELATIVE) {
        csb_tick_of(tick, CSB_RELATIVE, false);
    } else if (tick->kind == CSB_REFEREE) {
        csb_tick_of(tick, CSB_REFEREE, false);
    } else {
        csb_tick_of(tick, CSB_NORMALISED, false);
    }
}

CAROM_EXTERN const csb_kernel CAROM_KERNEL(csb);
const csb_kernel CAROM_KERNEL(csb) = {{csb_tick, csb_observe, csb_value, exchange_pack, exchange_unpack, exchange_draw},
                                      csb_start,
                                      csb_check,
                                      csb_derive};
