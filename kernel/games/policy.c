/* SPDX-License-Identifier: MIT
 * Actions from built-in policies, both those that run in lanes and those that choose for one world at a time.
 */
#include "games/game.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "base/parallel.h"
#include "transpose/transpose.h"
#include "worlds/device.h"

/* Writes the lane-major actions of these players in a whole tile. */
static void act_in_lanes(const policy_asked *asked, size_t policy, size_t kind, unsigned players, void *lanes)
{
    const carom_worlds_desc *desc = &asked->worlds->desc;
    const policy_question question = {asked->tile,      asked->worlds->context, desc->precision, asked->seeds,
                                      (uint32_t)policy, (uint32_t)kind,         players,         lanes};
    desc->game->lane_policies[desc->isa]->act(&question);
}

/* Fills `seeds` for a batch whose worlds all draw with the same seed. */
static const uint64_t *alike(const carom_worlds *worlds, uint64_t seeds[CAROM_TILE])
{
    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        seeds[lane] = worlds->desc.seed;
    }
    return seeds;
}

void carom_game_act_for(const policy_asked *asked, const game_actors *actors, unsigned chosen, unsigned char *lanes,
                        unsigned char *row)
{
    const carom_game *game = asked->worlds->desc.game;
    const carom_action_kind *kind = &game->kinds[actors->kind];
    const size_t number_bytes = kind->precision / 8;
    unsigned done = 0;

    for (uint32_t p = 0; p < game->info.players; p++) {
        /* One call handles all players with the same policy. */
        const size_t policy = actors->policy[p];
        unsigned players = 0;
        for (uint32_t other = p; other < game->info.players && (actors->players & ~done) >> p & 1; other++) {
            players |= (actors->policy[other] == policy ? actors->players : 0) & 1u << other;
        }
        done |= players;
        if (players != 0 && game->lane_policies != NULL) {
            act_in_lanes(asked, policy, actors->kind, players, lanes);
            continue;
        }

        /* World by world: a policy writes the actions of all players, of which these are taken. */
        for (unsigned lane = 0; lane < CAROM_TILE && players != 0; lane++) {
            if ((chosen >> lane & 1) != 0) {
                game->policy(asked, lane, policy, actors->kind, row);
                for (size_t e = 0; e < (size_t)kind->size * game->info.players; e++) {
                    if ((players >> e / kind->size & 1) != 0) {
                        memcpy(lanes + (e * CAROM_TILE + lane) * number_bytes, row + e * number_bytes, number_bytes);
                    }
                }
            }
        }
    }
}

void carom_game_unpack_actions(carom_isa isa, unsigned char *const rows[CAROM_TILE], const unsigned char *lanes,
                               uint32_t numbers, uint32_t number_bytes)
{
    /* A transposition; floats have a fast one. */
    if (number_bytes == sizeof(float)) {
        float *floats[CAROM_TILE];
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            floats[lane] = (float *)(void *)rows[lane];
        }
        carom_transpose(isa)->unpack(floats, (const float *)(const void *)lanes, numbers);
        return;
    }

    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        for (size_t e = 0; e < numbers && rows[lane] != NULL; e++) {
            memcpy(rows[lane] + e * number_bytes, lanes + (e * CAROM_TILE + lane) * number_bytes, number_bytes);
        }
    }
}

/* A call of carom_worlds_policy(). out: [world][row_bytes]. */
typedef struct act {
    const carom_worlds *worlds;
    size_t policy, kind, row_bytes;
    unsigned char *out;
} act;

/* Writes the actions of one tile, all players. */
static void act_tile(void *argument, size_t tile, unsigned thread)
{
    (void)thread;
    const act *a = (const act *)argument;
    const carom_game *game = a->worlds->desc.game;
    const size_t width = a->worlds->layout.lanes, first = tile * width;
    uint64_t same[CAROM_TILE];
    const policy_asked asked = {a->worlds, carom_worlds_tile(a->worlds, tile),
                                a->worlds->seeds != NULL ? a->worlds->seeds + first : alike(a->worlds, same)};
    unsigned char *out = a->out + first * a->row_bytes;
    const size_t room = a->worlds->desc.count - first, count = room < width ? room : width;

    if (game->lane_policies == NULL) {
        for (size_t lane = 0; lane < count; lane++) {
            game->policy(&asked, (unsigned)lane, a->policy, a->kind, out + lane * a->row_bytes);
        }
        return;
    }

    alignas(64) unsigned char lanes[(size_t)GAME_LANE_NUMBERS * CAROM_TILE * sizeof(double)];
    const size_t number_bytes = game->kinds[a->kind].precision / 8, numbers = a->row_bytes / number_bytes;
    assert(numbers <= GAME_LANE_NUMBERS);
    act_in_lanes(&asked, a->policy, a->kind, (1u << game->info.players) - 1, lanes);

    unsigned char *rows[CAROM_TILE];
    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        rows[lane] = lane < count ? out + lane * a->row_bytes : NULL;
    }
    carom_game_unpack_actions(a->worlds->desc.isa, rows, lanes, (uint32_t)numbers, (uint32_t)number_bytes);
}

carom_status carom_worlds_policy(const carom_worlds *worlds, size_t policy, size_t action_kind, void *actions)
{
    if (worlds == NULL || actions == NULL || policy >= worlds->desc.game->info.policies ||
        action_kind >= worlds->desc.game->info.action_kinds) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!carom_mirror_open(worlds, 0, worlds->desc.count, MIRROR_WORLDS)) {
        return CAROM_ERROR_DEVICE;
    }
    act a = {worlds, policy, action_kind, carom_game_row_bytes(worlds->desc.game, action_kind),
             (unsigned char *)actions};
    carom_parallel_for(worlds->desc.threads, worlds->where, worlds->tiles, act_tile, &a);
    return carom_mirror_close(worlds, 0, worlds->desc.count, 0, CAROM_OK);
}
