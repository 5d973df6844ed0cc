/* SPDX-License-Identifier: MIT
 * Training in C: a linear driver of a pod learns to race in Coders Strike Back by the cross-entropy method.
 *
 * Every world of a batch is a candidate: its weights turn pod 0's observation ("ego", see csb.h) into a turn and a
 * thrust. After a heat of some hundred ticks, alone on the board, the candidates with the greatest sums of rewards
 * determine the distribution of the next generation. Usage: csb_train [generations]. It ends with an error if nothing
 * was learned.
 */
#include <carom/carom.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 256
#define BEST 32
#define SEEN 12 /* of the numbers of a pod: its speed, both checkpoints, ... and a constant */
#define WEIGHTS (2 * SEEN)
#define HEAT 150  /* ticks */
#define NUMBERS 6 /* of a player's action */

static void check(carom_status status, const char *what)
{
    if (status != CAROM_OK) {
        fprintf(stderr, "csb_train: %s: %s\n", what, carom_status_string(status));
        exit(1);
    }
}

/* Uniform in [0, 1): xorshift. */
static double draw(void)
{
    static unsigned long long state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

static double draw_normal(void)
{
    return sqrt(-2 * log(1 - draw())) * cos(6.283185307179586 * draw());
}

/* A candidate's action. Its pod sees CAROM_CSB_EGO numbers, its own first. */
static void drive(const double *weights, const float *seen, float *action)
{
    for (int k = 0; k < 2; k++) {
        double sum = weights[k * SEEN + SEEN - 1];
        for (int i = 0; i < SEEN - 1; i++) {
            sum += weights[k * SEEN + i] * (double)seen[i];
        }
        action[k] = (float)tanh(sum);
    }
}

typedef struct candidate {
    double weights[WEIGHTS];
    double score;
} candidate;

static int by_score(const void *a, const void *b)
{
    const double x = ((const candidate *)a)->score, y = ((const candidate *)b)->score;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* All candidates drive a heat on the same map; scores are sums of rewards. */
static void race(carom_worlds *worlds, const carom_step *step, candidate *all, float *actions)
{
    static uint64_t ids[WORLDS]; /* all 0: the same game for every candidate */
    const float *seen = step->observations, *rewards = step->rewards;
    check(carom_worlds_restart(worlds, NULL, ids, NULL), "restart");
    check(carom_worlds_observe_step(worlds, step), "observe");
    for (size_t w = 0; w < WORLDS; w++) {
        all[w].score = 0;
    }
    for (int tick = 0; tick < HEAT; tick++) {
        for (size_t w = 0; w < WORLDS; w++) {
            drive(all[w].weights, seen + w * CAROM_CSB_EGO, actions + w * NUMBERS);
        }
        check(carom_worlds_play(worlds, step), "play");
        for (size_t w = 0; w < WORLDS; w++) {
            all[w].score += (double)rewards[4 * w]; /* of pod 0 */
        }
    }
}

int main(int argc, char **argv)
{
    const int generations = argc > 1 ? atoi(argv[1]) : 40;
    const carom_game *csb = carom_game_find("csb");
    static candidate all[WORLDS];
    static float actions[WORLDS * NUMBERS], seen[WORLDS * CAROM_CSB_EGO], rewards[WORLDS * 4];
    double mean[WEIGHTS] = {0}, deviation[WEIGHTS], first = 0;

    carom_csb_options options = carom_csb_options_default();
    options.alone = 1; /* a time trial */
    options.result_reward = 0;
    carom_worlds_desc desc = carom_worlds_desc_default(csb);
    desc.options = &options;
    desc.count = WORLDS;
    desc.precision = CAROM_F32;
    desc.at_end = CAROM_FREEZE;
    carom_worlds *worlds;
    check(carom_worlds_create(&desc, &worlds), "create");

    carom_step step = carom_step_default();
    check(carom_game_find_action_kind(csb, "normalised_full", &step.action_kind), "actions");
    check(carom_game_find_observation_kind(csb, "ego", &step.observation_kind), "observations");
    check(carom_game_find_reward_kind(csb, "own", &step.reward_kind), "rewards");
    step.actions = actions;
    step.observations = seen;
    step.observed = 1; /* pod 0 only */
    step.rewards = rewards;
    step.players[1].source = CAROM_ZERO;

    for (int k = 0; k < WEIGHTS; k++) {
        deviation[k] = 1;
    }
    for (int generation = 0; generation < generations; generation++) {
        for (size_t w = 0; w < WORLDS; w++) {
            for (int k = 0; k < WEIGHTS; k++) {
                all[w].weights[k] = mean[k] + deviation[k] * draw_normal();
            }
        }
        race(worlds, &step, all, actions);
        qsort(all, WORLDS, sizeof all[0], by_score);
        for (int k = 0; k < WEIGHTS; k++) {
            double sum = 0, square = 0;
            for (size_t w = 0; w < BEST; w++) {
                sum += all[w].weights[k];
                square += all[w].weights[k] * all[w].weights[k];
            }
            mean[k] = sum / BEST;
            deviation[k] = sqrt(fmax(square / BEST - mean[k] * mean[k], 0)) + 0.02;
        }
        double average = 0;
        for (size_t w = 0; w < WORLDS; w++) {
            average += all[w].score / WORLDS;
        }
        first = generation == 0 ? average : first;
        if (generation % 10 == 0 || generation == generations - 1) {
            printf("generation %2d: %.2f checkpoints in the mean, %.2f the best\n", generation, average, all[0].score);
        }
        if (generation == generations - 1 && !(average > first + 2)) {
            fprintf(stderr, "csb_train: nothing was learned\n");
            return 1;
        }
    }
    carom_worlds_destroy(worlds);
    return 0;
}
