/* SPDX-License-Identifier: MIT
 * The end of games, in one tile: decided, reported, observed for the last time; then frozen, or begun anew. What every
 * game has in common stands here; that it is over, and who has won, is for its rules to say.
 *
 * The user of this file defines before it RULES_PLAYERS, TILE_LANES and, for its types `tick_run` and `tick_world`,
 *     run_world(run, home)          a world, `home` being tile * TILE_LANES + lane
 *     world_end(w), world_frozen(w), world_episode_at(w)     addresses of one world's fields
 *     end_decide(run, home, w)      is this game over?
 *     end_observe(run, tile, lanes, out)   what players of the worlds `lanes` of tile number `tile` see; it may write
 *                                   that of the others, too
 *     end_restart(run, w)           the start of the game with the world's id and episode
 */
#ifndef CAROM_TICK_END_H
#define CAROM_TICK_END_H

#include "simd/lanes.h"
#include "tick/tick.h"
#include "tick/verdict.h"

/* over: lanes whose game may be over. */
static void tick_end_tile(tick_run *run, unsigned tile, unsigned over)
{
    game_tick *tick = run->tick;
    unsigned ended = 0;
    EACH_LANE (l, over) {
        const unsigned home = tile * TILE_LANES + l;
        const tick_world w = run_world(run, home);
        if (*world_end(w) != CAROM_RUNNING) {
            continue; /* it plays on */
        }
        const tick_verdict verdict = end_decide(run, home, w);
        if (verdict.end == CAROM_RUNNING) {
            continue;
        }
        *world_end(w) = (int8_t)verdict.end;
        ended |= 1u << l;
        tick->counters.games++;
        if (tick->ends != NULL) {
            tick->ends[home] = (uint8_t)verdict.end;
        }
        if (tick->rewards != NULL && verdict.winner >= 0) {
            float *rewards = tick->rewards + (size_t)tile * RULES_PLAYERS * TILE_LANES + l;
            rewards[verdict.winner * TILE_LANES] += 1.0f;
            rewards[(1 - verdict.winner) * TILE_LANES] -= 1.0f;
        }
    }
    if (ended != 0 && tick->last_observations != NULL) {
        end_observe(run, tile, ended, tick->last_observations);
    }
    EACH_LANE (l, tick->at_end == CAROM_PLAY_ON ? 0 : ended) {
        const tick_world w = run_world(run, tile * TILE_LANES + l);
        if (tick->at_end == CAROM_FREEZE) {
            *world_frozen(w) = 1;
        } else {
            int32_t *episode = world_episode_at(w);
            *episode = *episode == INT32_MAX ? 0 : *episode + 1;
            *world_end(w) = CAROM_RUNNING;
            end_restart(run, w);
        }
    }
}

#endif
