/* SPDX-License-Identifier: MIT
 * A network in the single file that scripts/single_file writes: its policy is the plan from which csb's search begins,
 * as kernel/search/network.c has it, with the arithmetic of carom/network.h: the same plans, to the bit.
 * Only that script compiles it, with these numbers of the network's file:
 *
 *     NETWORK_UNIT, NETWORK_LIMIT   of the inputs: 2^bits, and the limit
 *     NETWORK_TEXT                  for each layer, then for the head: outputs, shift of sums, limit (0: the head), and
 *                                   for each output its bias, rounding included, and its weights
 *     NETWORK_LAST                  digits of NETWORK_TEXT that end a number; the others say that more follow
 *
 * A digit is a printing character; numbers are zigzag: 0, -1, 1, -2, ... are written as 0, 1, 2, 3, ...
 */
#include <carom/csb.h>

#include "games/driver.h"
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLAN 32 /* numbers of a plan: 4 of each tick, and of the tick behind the last */

static float plans[2][PLAN]; /* what the policy does, of each player */
static float means[2 * PLAN];
static unsigned begun; /* bit p: player p has planned in this run */
static const char *text;

static int take_number(void)
{
    int number = 0, digit;
    while (digit = (*text < 35 ? 92 : *text) - 35, text++, digit >= NETWORK_LAST) {
        number = number * (92 - NETWORK_LAST) + digit - NETWORK_LAST + 1;
    }
    number = number * NETWORK_LAST + digit;
    return number & 1 ? ~(number >> 1) : number >> 1;
}

/* Puts what the policy does in the world of the only lane into row `row` of the plans. */
void carom_drive_observe(const drive_run *run, size_t row, float *const *rows, bool near)
{
    (void)rows, (void)near;
    float seen[4 * CAROM_CSB_EGO * CAROM_TILE];
    run->d->kernel->observe(&run->tick, 0, seen);
    for (int agent = 0; agent < 4; agent++) {
        int in[CAROM_NETWORK_WIDTH], out[CAROM_NETWORK_WIDTH], inputs = CAROM_CSB_EGO;
        for (int k = 0; k < inputs; k++) {
            const float x =
                fminf(fmaxf(seen[(agent * inputs + k) * CAROM_TILE] * NETWORK_UNIT, -NETWORK_LIMIT), NETWORK_LIMIT);
            in[k] = x + (x < 0 ? -0.5f : 0.5f);
        }
        text = NETWORK_TEXT;
        for (int limit = 1; limit != 0;) {
            const int outputs = take_number(), shift = take_number();
            limit = take_number();
            for (int o = 0; o < outputs; o++) {
                int sum = take_number();
                for (int k = 0; k < inputs; k++) {
                    sum += take_number() * in[k];
                }
                sum >>= shift;
                out[o] = sum < 0 ? 0 : sum > limit ? limit : sum;
                if (limit == 0) {
                    /* As carom_network_fill_tanh() makes its table. */
                    double e = 1;
                    for (int k = abs(sum) < 4095 ? abs(sum) : 4095; k > 0; k--) {
                        e *= 0.9980487811074755;
                    }
                    const int16_t found = (1 - e) / (1 + e) * 1024 + 0.5;
                    plans[agent / 2][row * 4 + agent % 2 * 2 + o] = (sum < 0 ? -found : found) / 1024.f;
                }
            }
            inputs = outputs;
            memcpy(in, out, sizeof in);
        }
    }
}

void carom_search_propose(carom_search *search)
{
    /* One sequence, in which the players do what the plans say; observe() fills in each row before it is played, for
     * nothing needs returns. */
    rollout *r = &search->generation.r;
    carom_search_describe(search, search->run.from, 1);
    for (int p = 0; p < 2; p++) {
        r->desc.players[p].source = CAROM_GIVEN;
        r->desc.players[p].actions = plans[p];
    }
    begun = 0;
    carom_rollout_run(r);
}

void carom_search_mix_proposal(carom_search *search)
{
    const unsigned player = search->phase.player;
    const size_t series = search->fixed.series;
    search_generation *generation = &search->generation;
    if ((begun >> player & 1) != 0) {
        return;
    }
    begun |= 1u << player;
    for (size_t n = 0; n < series; n++) {
        means[n] = search->distribution.mean[n];
        means[series + n] = plans[player][n];
    }
    memset(generation->origins, 0, generation->count * sizeof *generation->origins);
    generation->origins[0].exact = generation->exact;
    for (size_t k = 1; k < generation->count; k += 2) {
        generation->origins[k].first = generation->origins[k].second = 1;
        generation->origins[k].exact = k == 1;
    }
    generation->r.desc.players[player].mean = means;
    generation->r.bred.pool = 2;
    generation->r.bred.origins = generation->origins;
    generation->r.bred.exact = 0;
}
