/* SPDX-License-Identifier: MIT
 * Rollouts: from every root world, K sequences of actions, H ticks deep, to their returns.
 *
 * A root is forked straight into tiles that stay in a core's cache for the whole horizon: W x K worlds are never laid
 * out in memory. A world whose game ends stays frozen for the rest of its rollout (its later rewards are 0), whatever
 * the batch's at_end says. A root whose game has ended already but that is not frozen (play on) plays on in its
 * rollouts.
 *
 *     return[root][k][player] = sum over t in 0..H-1 of discount^t * reward_t[player] + discount^H * weight * V[player]
 *
 * where V is the game's final value of the state reached (its formula is in the game's header). Doubles; the sum is
 * taken in order of t, discount^t is the product 1 * discount * ..., the last term is (discount^H * weight) * V. A
 * sequence whose world takes a fault returns -INFINITY for every player.
 */
#ifndef CAROM_ROLLOUT_H
#define CAROM_ROLLOUT_H

#include <carom/game.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_rollout_desc {
    size_t size;         /* sizeof(carom_rollout_desc), set by carom_rollout_desc_default() */
    size_t sequences;    /* K, at least 1 */
    size_t horizon;      /* H, at least 1 */
    size_t action_kind;  /* default: the game's `normalised` */
    uint64_t seed;       /* of the draws */
    double discount;     /* in [0, 1]; default 1 */
    double final_weight; /* default 1; 0 leaves the final value out */
    /* Who plays. CAROM_GIVEN: actions[root][sequences][horizon][number], numbers as in this player's part of a step's.
       CAROM_POLICY reacts to what happens in the rollout; its draws are keyed by the roots' seed and each world's id,
       episode and tick, so that sequences of one root in the same state meet the same opponent. */
    struct {
        carom_source source;
        const void *actions; /* given and broadcast ones; numbers of the kind's precision */
        size_t policy;
    } players[CAROM_MAX_PLAYERS];
    const volatile int *cancel; /* as in carom_step */
    uint64_t *progress;         /* grows (atomically) up to roots x K */
} carom_rollout_desc;

/* K = 1, H = 1, every player's actions drawn. */
CAROM_API carom_rollout_desc carom_rollout_desc_default(const carom_game *game);

/* Rolls out every world of `roots`, which stay as they are.
 *   returns  [root][k][player] doubles; may be NULL if best or finals is given
 *   best     [root][player]: the k with the player's greatest return, the lowest of equals; may be NULL. Each
 *            player's is chosen by itself: the best k against what the other does in that k
 *   finals   NULL, or a batch of roots x K worlds of the same game, options and precision, which receives the final
 *            states (root-major) under its own ids
 * Takes working memory for the call, a few hundred KiB a thread (CAROM_ERROR_MEMORY). After CAROM_ERROR_CANCELLED the
 * outputs hold unspecified numbers. */
CAROM_API carom_status carom_rollout(const carom_worlds *roots, const carom_rollout_desc *desc, double *returns,
                                     uint32_t *best, carom_worlds *finals);

/* The numbers that CAROM_DRAWN gives: actions[size] of `player` at `tick` of sequence k from the root with that id,
 * where size is that of the game's kind `normalised`. Philox 4x32-10 (Salmon et al., SC 2011) under a key mixed from
 * (seed, root id), with the counter (k, tick, player * 65536 + number / 4, a tag of the key); the top 24 bits of word
 * number % 4 give the number. */
CAROM_API carom_status carom_rollout_draw(const carom_game *game, uint64_t seed, uint64_t root_id, uint32_t k,
                                          uint32_t tick, uint32_t player, float *actions);

/* Search in one call: rolls out and gives, for every root, what `player` does first in its best sequence:
 * actions[root][size of the kind], in the kind's precision, and, if not NULL, its index and its return [root]. */
CAROM_API carom_status carom_rollout_best(const carom_worlds *roots, const carom_rollout_desc *desc, unsigned player,
                                          void *actions, uint32_t *best, double *value);

#ifdef __cplusplus
}
#endif
#endif
