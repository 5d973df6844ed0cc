/* SPDX-License-Identifier: MIT
 * Rollouts: play K sequences of actions, H ticks deep, from every root world, and compute their returns.
 *
 * A root is forked straight into tiles that stay in a core's cache for the whole horizon: W x K worlds are never laid
 * out in memory. A world whose game ends stays frozen for the rest of its rollout (its later rewards are 0), whatever
 * the batch's at_end. A root whose game has already ended but that is not frozen (CAROM_PLAY_ON) plays on in its
 * rollouts.
 *
 *     return[root][k][player] = reward_weight * (sum over t in 0..H-1 of discount^t * reward_t[player])
 *                               + discount^H * final_weight * V[player]
 *
 * where V is the final value of the state reached, of the chosen kind (carom_game_value_kind()), and reward_t is of the
 * chosen kind of reward; if that has several agents per player (`own`), the sums of all agents are added up in order.
 * All in double; the sum is taken in order of t, discount^t is the product 1 * discount * ..., the last term is
 * (discount^H * final_weight) * V. A sequence whose world faults returns -INFINITY for every player.
 *
 * Roots on a device (device.h) give the same bits. The call queues its work on desc.stream and returns; every array, of
 * the descriptor and of the call, must be memory of that device, and `finals` a batch on it. The contents of arrays are
 * not checked there: horizons above H count as H, depths that do not ascend are left out. `best` and elites need
 * `returns`. `cancel` and `progress` are refused (CAROM_ERROR_UNSUPPORTED), and so is carom_rollout_best(), which would
 * need memory.
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
    size_t horizon;      /* H in ticks, at least 1 */
    size_t action_kind;  /* default: the game's `normalised` */
    uint64_t seed;       /* of the draws; any number */
    double discount;     /* in [0, 1]; default 1 */
    double final_weight; /* default 1; 0 leaves the final value out */
    /* Where each player's actions come from. A row is an action that is held for `hold` ticks; there are
     * rows = ceil(H / hold) of them.
     *   CAROM_DRAWN      uniform in [-1, 1): carom_rollout_draw(), with the row as its `tick`; of the kind `normalised`
     *   CAROM_UNIFORM    the same numbers u, scaled to the bounds: (low + high) / 2 + (high - low) / 2 * u
     *   CAROM_GAUSSIAN   mean + sigma * z, then clipped to the bounds; z is normal: see carom_rollout_draws()
     *   CAROM_GIVEN      actions[root][k][row][number], numbers as in this player's part of a step's
     *   CAROM_BROADCAST  actions[root][row][number]: the same for every k
     *   CAROM_ZERO       every number is 0
     *   CAROM_POLICY     a policy that acts before every tick of the rollout; it draws by each root's seed and by each
     *                    world's id, episode and tick, so that sequences of one root in the same state meet the same
     *                    opponents
     * Uniform and Gaussian numbers are computed in float, whatever the kind's precision. Bounds: low <= high, finite;
     * mean finite, sigma finite and not negative (CAROM_ERROR_VALUE). */
    struct {
        carom_source source;
        const void *actions; /* given and broadcast ones; numbers of the kind's precision */
        size_t policy;
        size_t hold;             /* 0 counts as 1 */
        const float *mean;       /* [root][row][number] */
        const float *sigma;      /* [root][row][number] */
        const float *low, *high; /* bounds [row][number], the same for all roots; both NULL: -1 and 1 */
    } players[CAROM_MAX_PLAYERS];
    const volatile int *cancel; /* as in carom_step */
    uint64_t *progress;         /* grows (atomically) up to roots x K */
    double reward_weight;       /* default 1 */
    bool value_at_end;          /* default true: a game that ended on the way also has a final value */
    size_t value;               /* kind of final value; default 0, `game` */
    const double *weights;      /* of its features, finite (CAROM_ERROR_VALUE); NULL: its own */
    const uint32_t *horizons;   /* [root], each in 1..H: ticks to play from that root instead of H; NULL: H for all */

    /* Observations and rewards, as in carom_step. */
    size_t observation_kind, reward_kind; /* default 0, 0 */
    uint64_t observed;                    /* default 0: all */

    /* Outputs in addition to those of carom_rollout(); NULL or a count of 0: not written. */
    float *rewards;         /* [root][k][tick][agent of the kind of reward] */
    uint32_t *lengths;      /* [root][k]: ticks that the world played */
    const uint32_t *depths; /* [depth_count], ascending, each in 0..H: after how many ticks to observe */
    size_t depth_count;
    float *observations; /* [root][k][depth][agent][number]; of the last state for a world whose game has ended */
    /* The `count` sequences of each root with the greatest returns for `player`, the lowest k first among equals, and
     * the mean and deviation of that player's numbers in them: one generation of the cross-entropy method. `mean` and
     * `sigma` may be the same arrays from which the player's numbers are drawn. They need a source that is given or
     * drawn. */
    struct {
        size_t count; /* at most K; 0: not written */
        unsigned player;
        uint32_t *best; /* [root][count]: k, best first */
        float *mean;    /* [root][row][number]; may be NULL */
        float *sigma;   /* [root][row][number]: root of the mean squared distance from the mean; may be NULL */
    } elites;
    void *stream; /* of a batch on a device: as in carom_step. All arrays are then memory of that device */
} carom_rollout_desc;

/* K = 1, H = 1, all players CAROM_DRAWN. */
CAROM_API carom_rollout_desc carom_rollout_desc_default(const carom_game *game);

/* Rolls out every world of `roots`, which do not change.
 *   returns  [root][k][player] doubles; may be NULL
 *   best     [root][player]: the k with the player's greatest return, the lowest of equals; may be NULL. Chosen
 *            separately for each player: the best k against what the others do in that k
 *   finals   NULL, or a batch of roots x K worlds of the same game, options and precision, which receives the final
 *            states (root-major) under its own ids
 * There must be at least one output, of these or of the descriptor's. Allocates a few hundred KiB per thread for the
 * call, and memory for returns and elites (CAROM_ERROR_MEMORY). After CAROM_ERROR_CANCELLED the outputs are
 * unspecified. */
CAROM_API carom_status carom_rollout(const carom_worlds *roots, const carom_rollout_desc *desc, double *returns,
                                     uint32_t *best, carom_worlds *finals);

/* The numbers of CAROM_DRAWN: actions[size] of `player` at `tick` of sequence k from the root with that id, where size
 * is that of the game's kind `normalised`. Philox 4x32-10 (Salmon et al., SC 2011) under a key mixed from (seed, root
 * id), with the counter (k, tick, player * 65536 + number / 4, a tag of the key); the top 24 bits of word number % 4
 * give the number. */
CAROM_API carom_status carom_rollout_draw(const carom_game *game, uint64_t seed, uint64_t root_id, uint32_t k,
                                          uint32_t tick, uint32_t player, float *actions);

/* What `player` draws in some sequences of a rollout of `roots` by desc: actions[root][i][row][number], in the kind's
 * precision, of sequences[root][i], i in [0, count); sequences NULL: 0..count-1. The number of a sequence may also be K
 * or more. The player's source must be CAROM_DRAWN, CAROM_UNIFORM or CAROM_GAUSSIAN. Normal numbers: number n (= row *
 * size + number) of a sequence is made from half of word n % 8 / 2 of a block of Philox under the key of
 * carom_rollout_draw(), with the counter (k, n / 8, player * 65536 + 32768, tag): Box and Muller's two normal numbers,
 * the radius from the word's upper, the angle from its lower 16 bits, in float. No number is beyond 4.71. */
CAROM_API carom_status carom_rollout_draws(const carom_worlds *roots, const carom_rollout_desc *desc, unsigned player,
                                           const uint32_t *sequences, size_t count, void *actions);

/* Search in one call: rolls out and returns, for every root, the first action of `player` in its best sequence:
 * actions[root][size of the kind], in the kind's precision, and, if not NULL, the sequence's index and return [root].
 * search.h plans over several generations. */
CAROM_API carom_status carom_rollout_best(const carom_worlds *roots, const carom_rollout_desc *desc, unsigned player,
                                          void *actions, uint32_t *best, double *value);

#ifdef __cplusplus
}
#endif
#endif
