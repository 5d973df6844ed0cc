/* SPDX-License-Identifier: MIT
 * Fantastic Bits with 7 snaffles: live world-ticks (turns) a second by policy, precision, instruction set and number of
 * threads, in replays of recorded games (replay.h). Baselines: width 1 of the same source, and the tests' plain C, one
 * world after another.
 */
#include "replay.h"
#include "tests/games/fantastic_bits/fantastic_bits_reference.h"

#define SEEDS 509 /* of the referee's starts; prime, so that restarted games always have different neighbours */

static int64_t seeds[SEEDS];

static void make_seeds(void)
{
    fb_ref_world w;
    int64_t seed = 0;
    for (size_t k = 0; k < SEEDS; k++) {
        do {
            fb_ref_start(&w, ++seed);
        } while (w.snaffles != 7);
        seeds[k] = seed;
    }
}

static void play_plain(size_t number, const unsigned char *actions, size_t stride)
{
    fb_ref_world w;
    size_t episode = number;
    fb_ref_start(&w, seeds[episode % SEEDS]);
    for (size_t tick = 0; tick < REPLAY_TICKS; tick++) {
        if (fb_ref_step(&w, FB_REF_REFEREE, (const double *)(const void *)(actions + tick * stride), NULL, NULL) != 0) {
            fb_ref_start(&w, seeds[++episode % SEEDS]);
        }
    }
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Fantastic Bits, recorded games replayed",
                                          "M turns/s",
                                          1e-6,
                                          {"x scalar", "x plain C", "x 1 thread"},
                                          {{"events_per_tick", "events/turn", 1}}};
    carom_fantastic_bits_options options = carom_fantastic_bits_options_default();
    options.seeds = seeds;
    options.seed_count = SEEDS;
    make_seeds();
    const replay_game game = {.name = "fantastic_bits", .options = &options, .worlds = 1024, .plain = play_plain};
    return carom_replay_main(argc, argv, &program, &game);
}
