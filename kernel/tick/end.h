/* SPDX-License-Identifier: MIT
 * The end of games in one tile: they are decided, reported and observed for the last time, then frozen or restarted.
 * This file has the part common to all games; their rules decide whether a game is over, and who has won. A fault also
 * ends a game, without a winner and with the world as it was before the tick.
 *
 * Before including this file define RULES_PLAYERS, TILE_LANES and, for the types `tick_run` and `tick_world`,
 *     run_world(run, home)          a world, `home` being tile * TILE_LANES + lane
 *     world_end(w), world_fault(w), world_frozen(w), world_episode_at(w)     addresses of one world's fields
 *     world_tick_of(w)              ticks played in its game
 *     end_rewarded(run)             number of rewards per player
 *     end_decide(run, home, w)      is this game over?
 *     end_score(w, player)          a player's score
 *     end_observe(run, tile, lanes) writes to tick->last what players see in these lanes of tile number `tile`; it may
 *                                   write the other lanes, too
 *     end_restart(run, home, w)     starts the game of the world's id and episode
 */
#ifndef CAROM_TICK_END_H
#define CAROM_TICK_END_H

#include "simd/lanes.h"
#include "tick/tick.h"

/* Adds the stake to the reward of each of the winner's agents, and subtracts an equal share from those of every other
 * player. */
DEVICE_LANE void tick_pay(tick_run *run, unsigned home, tick_verdict verdict)
{
    /* A game with a single player has no loser; `others` is then 1 only to keep the division valid. */
    const unsigned each = end_rewarded(run), others = RULES_PLAYERS > 1 ? RULES_PLAYERS - 1 : 1;
    const float loss = verdict.stake / (float)others;
    float *rewards = run->tick->rewards + (size_t)(home / TILE_LANES) * RULES_PLAYERS * each * TILE_LANES;
    for (unsigned agent = 0; agent < RULES_PLAYERS * each; agent++) {
        float *to = &rewards[agent * TILE_LANES + home % TILE_LANES];
        *to = (int)(agent / each) == verdict.winner ? *to + verdict.stake : *to - loss;
    }
}

/* Writes what carom_result reports of a game that has ended. */
DEVICE_LANE void tick_tell(tick_run *run, unsigned home, tick_world w, int winner, bool fault)
{
    tick_result *result = &run->tick->results[home];
    result->winner = winner;
    result->ticks = world_tick_of(w);
    result->fault = fault ? *world_fault(w) : 0;
    for (int player = 0; player < (int)RULES_PLAYERS; player++) {
        result->score[player] = end_score(w, player);
    }
}

/* Ends the games of a tile that are over. over: lanes whose game may be over; faulty: other lanes, which faulted in
 * this tick. */
DEVICE_LANE void tick_end_tile(tick_run *run, unsigned tile, unsigned over, unsigned faulty)
{
    game_tick *tick = run->tick;
    unsigned ended = 0;
    tick->counters.faults += (unsigned)__builtin_popcount(faulty);

    /* Decide and report each game separately: ends are rare, so this is not done in lanes. */
    EACH_LANE (l, over | faulty) {
        const unsigned home = tile * TILE_LANES + l;
        const bool fault = (faulty >> l & 1) != 0;
        const tick_world w = run_world(run, home);
        if (*world_end(w) != CAROM_RUNNING) {
            continue; /* under CAROM_PLAY_ON: this game's end has already been reported */
        }

        const tick_verdict verdict = fault ? verdict_of(CAROM_TRUNCATED, -1) : end_decide(run, home, w);
        if (verdict.end == CAROM_RUNNING) {
            continue;
        }

        *world_end(w) = (int8_t)verdict.end;
        ended |= 1u << l;
        tick->counters.games += !fault;

        /* Write the requested outputs. */
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

    /* Observe the last state of these games before any of them restarts. */
    if (ended != 0 && tick->last != NULL) {
        end_observe(run, tile, ended);
    }

    /* Freeze or restart, as the caller chose. The next game has a new episode number, and so different random draws. */
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
