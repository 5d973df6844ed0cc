/* SPDX-License-Identifier: MIT
 * Robot soccer, 6 against 6 (division B): live world-ticks a second by policy, precision, instruction set and number of
 * threads, in replays of recorded games (replay.h). Baselines: width 1 of the same source, and the tests' plain C, one
 * world after another.
 */
#include "replay.h"
#include "tests/games/soccer/soccer_reference.h"

static void play_plain(size_t number, const unsigned char *actions, size_t stride)
{
    soccer_ref_game game = {carom_soccer_options_default(), 0, number};
    soccer_ref_world w;
    w.episode = 0;
    soccer_ref_start(&game, &w);
    for (size_t tick = 0; tick < REPLAY_TICKS; tick++) {
        soccer_ref_step(&game, &w, SOCCER_REF_NORMALISED, (const float *)(const void *)(actions + tick * stride), NULL,
                        NULL);
    }
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Robot soccer, recorded games replayed",
                                          "M ticks/s",
                                          1e-6,
                                          {"x scalar", "x plain C", "x 1 thread"},
                                          {{"events_per_tick", "events/tick", 1}}};
    /* The first two seconds are not recorded, that robots are on their way. */
    static const replay_game game = {.name = "soccer", .worlds = 512, .warm_up = 120, .plain = play_plain};
    return carom_replay_main(argc, argv, &program, &game);
}
