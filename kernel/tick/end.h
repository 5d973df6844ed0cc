/* SPDX-License-Identifier: MIT
 * The end of games, in one tile: decided, reported, observed for the last time; then frozen, or begun anew. What every
 * game has in common stands here; that it is over, and who has won, is for its rules to say. A fault ends a game, too:
 * nobody has won, and the world is as it was before the tick.
 *
 * The user of this file defines before it RULES_PLAYERS, TILE_LANES and, for its types `tick_run` and `tick_world`,
 *     run_world(run, home)          a world, `home` being tile * TILE_LANES + lane
 *     world_end(w), world_fault(w), world_frozen(w), world_episode_at(w)     addresses of one world's fields
 *     world_tick_of(w)              the ticks of its game
 *     end_rewarded(run)             rewards of a player
 *     end_decide(run, home, w)      is this game over?
 *     end_score(w, player)          what a player has scored
 *     end_observe(run, tile, lanes) writes what players of the worlds `lanes` of tile number `tile` see to tick->last;
 *                                   it may write that of the others, too
 *     end_restart(run, home, w)     the start of the game with the world's id and episode
 */
#ifndef CAROM_TICK_END_H
#define CAROM_TICK_END_H

#include "simd/lanes.h"
#include "tick/tick.h"
#include "tick/verdict.h"

/* The stake, to every agent of the winner, and what it costs those of each other player. */
static void tick_pay(tick_run *run, unsigned home, tick_verdict verdict)
{
    const unsigned each = end_rewarded(run), others = RULES_PLAYERS > 1 ? RULES_PLAYERS - 1 : 1;
    const float loss = verdict.stake / (float)others;
    float *rewards = run->tick->rewards + (size_t)(home / TILE_LANES) * RULES_PLAYERS * each * TILE_LANES;
    for (unsigned agent = 0; agent < RULES_PLAYERS * each; agent++) {
        float *to = &rewards[agent * TILE_LANES + home % TILE_LANES];
        *to = (int)(agent / each) == verdict.winner ? *to + verdict.stake : *to - loss;
    }
}

/* What carom_result says. */
static void tick_tell(tick_run *run, unsigned home, tick_world w, int winner, bool fault)
{
    tick_result *result = &run->tick->results[home];
    result->winner = winner;
    result->ticks = world_tick_of(w);
    result->fault = fault ? *world_fault(w) : 0;
    for (int player = 0; player < (int)RULES_PLAYERS; player++) {
        result->score[player] = end_score(w, player);
    }
}

/* over: lanes whose game may be over; faulty: other lanes, which have taken a fault in this tick. */
static void tick_end_tile(tick_run *run, unsigned tile, unsigned over, unsigned faulty)
{
    game_tick *tick = run->tick;
    unsigned ended = 0;
    tick->counters.faults += (unsigned)__builtin_popcount(faulty);
    EACH_LANE (l, over | faulty) {
        const unsigned home = tile * TILE_LANES + l;
        const bool fault = (faulty >> l & 1) != 0;
        const tick_world w = run_world(run, home);
        if (*world_end(w) != CAROM_RUNNING) {
            continue; /* its end was reported: it has played on */
        }
        const tick_verdict verdict = fault ? verdict_of(CAROM_TRUNCATED, -1) : end_decide(run, home, w);
        if (verdict.end == CAROM_RUNNING) {
            continue;
        }
        *world_end(w) = (int8_t)verdict.end;
        ended |= 1u << l;
        tick->counters.games += !fault;
        if (tick->ends != NULL) {
            tick->ends[home] = (uint8_t)verdict.end;
        }
        if (tick->results != NULL) {
            tick_tell(run, home, w, verdict.winner, fault);
        }
        if (tick->rewards != NULL && verdict.winner >= 0) {
            tick_pay(run, home, verdict);
        }
    }
    if (ended != 0 && tick->last != NULL) {
        end_observe(run, tile, ended);
    }
    EACH_LANE (l, tick->at_end == CAROM_PLAY_ON ? 0 : ended) {
        const tick_world w = run_world(run, tile * TILE_LANES + l);
        if (tick->at_end == CAROM_FREEZE) {
            *world_frozen(w) = 1;
        } else {
            int32_t *episode = world_episode_at(w);
            *episode = *episode == INT32_MAX ? 0 : *episode + 1;
            *world_end(w) = CAROM_RUNNING;
            *world_fault(w) = *world_frozen(w) = 0;
            end_restart(run, tile * TILE_LANES + l, w);
        }
    }
}

#endif
