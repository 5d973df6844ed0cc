/* SPDX-License-Identifier: MIT
 * The surroundings of the loop of docs/training.md: its arrays, and a learner that drives at random and counts its
 * inputs. After 100 rounds it ends the program: with 0 if there were rewards and observations.
 */
#include <carom/carom.h>
#include <stdlib.h>
/* directives */

enum { WORLDS = 4096, PODS = 2, ROUNDS = 100 };

static float actions[WORLDS * PODS * 3], observations[WORLDS * PODS * CAROM_CSB_EGO], rewards[WORLDS * 4];
static float last[WORLDS * PODS * CAROM_CSB_EGO];
static uint8_t ends[WORLDS];
static carom_result results[WORLDS];

static void choose(const float *seen, float *numbers)
{
    for (size_t i = 0; i < WORLDS * PODS * 3; i++) {
        numbers[i] = seen[i] > 0 ? 1 : -1;
    }
}

static void learn(const float *seen, const float *gained, const uint8_t *ended, const float *before,
                  const carom_result *result)
{
    static int rounds = 0;
    static double all = 0;
    for (size_t i = 0; i < WORLDS * PODS; i++) {
        all += gained[i] < 0 ? -gained[i] : gained[i];
    }
    if (++rounds == ROUNDS) {
        exit(all > 0 && seen != before && result != NULL && ended != NULL ? 0 : 1);
    }
}

int main(void)
{
    /* the rest */
}
