/* SPDX-License-Identifier: MIT
 * Ratios of speeds: see figures.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "figures.h"

#include <time.h>

#define WORLDS 2048 /* their state stays in a core's cache */
#define WARM 60     /* ticks until pods meet */
#define TICKS 32
#define ROUNDS 6

static double thread_seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) {
        return carom_now();
    }
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static carom_step make_step(const carom_game *game, const char *policy)
{
    carom_step step = carom_step_default();
    for (uint32_t p = 0; p < carom_game_describe(game).players; p++) {
        step.players[p].source = CAROM_POLICY;
        carom_demand(carom_game_find_policy(game, policy, &step.players[p].policy), "find a policy");
    }
    step.ticks = WARM;
    return step;
}

static carom_worlds *make(const carom_game *game, const carom_step *step, carom_isa isa)
{
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_worlds *worlds;
    desc.count = WORLDS;
    desc.precision = CAROM_F32;
    desc.isa = isa;
    desc.threads = 1;
    desc.at_end = CAROM_RESET;
    carom_demand(carom_worlds_create(&desc, &worlds), "create the worlds");
    carom_demand(carom_worlds_play(worlds, step), "play");
    return worlds;
}

static double play(carom_worlds *worlds, const carom_step *step)
{
    const double start = thread_seconds();
    carom_demand(carom_worlds_play(worlds, step), "play");
    return thread_seconds() - start;
}

double carom_measure_lanes(const char *policy, carom_isa isa)
{
    const carom_game *game = carom_game_find("csb");
    carom_step step = make_step(game, policy);
    carom_worlds *scalar = make(game, &step, CAROM_ISA_SCALAR), *lanes = make(game, &step, isa);
    double least[2] = {1e30, 1e30};
    step.ticks = TICKS;
    for (int round = 0; round < ROUNDS && !carom_interrupted(); round++) {
        const double times[2] = {play(scalar, &step), play(lanes, &step)};
        for (int k = 0; k < 2; k++) {
            least[k] = times[k] < least[k] ? times[k] : least[k];
        }
    }
    carom_worlds_destroy(scalar);
    carom_worlds_destroy(lanes);
    return least[0] / least[1];
}

double carom_least_ratio(carom_isa isa)
{
    return 1 + 0.1 * carom_isa_lanes(isa, CAROM_F32);
}
