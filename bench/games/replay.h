/* SPDX-License-Identifier: MIT
 * Benchmarks of games by replay: each built-in policy plays REPLAY_GAMES games, which are recorded; then world w starts
 * as game w % REPLAY_GAMES and is given that game's actions. Only playing is timed, and after each replay the digest of
 * the batch must equal that of the recording. (csb has additional cases: see recording.h.)
 */
#ifndef CAROM_BENCH_GAMES_REPLAY_H
#define CAROM_BENCH_GAMES_REPLAY_H

#include "bench/common/harness.h"

#define REPLAY_GAMES 128 /* a multiple of the tile, so that neighbours in a tile differ */
#define REPLAY_TICKS 256 /* recorded; a game that ends restarts */

typedef struct replay_game {
    const char *name;    /* of the game; the cases are <name>/<policy>/f64/avx512, ... */
    const void *options; /* of the batches; NULL: the game's own */
    size_t worlds;       /* of a batch: their state fits into a core's second cache. A multiple of REPLAY_GAMES */
    size_t warm_up;      /* ticks played before the recording begins */
    /* Plays game `number` from its start in plain C. actions: those of its first tick, in the game's first kind; those
     * of a tick are `stride` bytes behind those of the tick before. */
    void (*plain)(size_t number, const unsigned char *actions, size_t stride);
} replay_game;

/* What main() returns. */
int carom_replay_main(int argc, char **argv, const bench_program *program, const replay_game *game);

#endif
