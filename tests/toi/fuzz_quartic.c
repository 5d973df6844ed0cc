/* SPDX-License-Identifier: MIT
 * fuzz_quartic [--cases N] [--seed S] [--bits 32|64] [--variant bracketed|ferrari]: accelerating circles against the
 * exact impact, N cases of every distribution; prints a table and exits with 1 if an answer is wrong.
 *
 * Most answers are certified in long double, with bounds of all rounding errors (see quartic_certify()): f changes its
 * sign within w of t, w at most 16 eps x condition, and window by window from the start to there it is shown not to
 * fall through 0. Undecided answers are checked at 400 bits. Every 64th case goes through both, together with a
 * different answer to it: a certificate of an answer that is wrong at 400 bits counts as "unfounded", and as wrong.
 *
 * These faults of the certificate were not detected in 131,072 cases: no bounds of rounding errors, a band ten times as
 * wide, errors up to 160, the wrong sign of D.V around a least distance.
 */
#include "mpfr_quartic.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/toi_accelerated.h>

enum { BLOCK = 4096 };

static double inputs64[QUARTIC_INPUTS][BLOCK], times64[BLOCK];
static float inputs32[QUARTIC_INPUTS][BLOCK], times32[BLOCK];

static void solve_block(carom_toi_quartic variant, bool single)
{
    carom_status status;
    if (single) {
        const carom_toi_motion_f32 in = {inputs32[0], inputs32[1], inputs32[2], inputs32[3],
                                         inputs32[4], inputs32[5], inputs32[6]};
        for (int k = 0; k < QUARTIC_INPUTS; k++) {
            for (int i = 0; i < BLOCK; i++) {
                inputs32[k][i] = (float)inputs64[k][i];
            }
        }
        status = carom_toi_accelerated_f32(variant, BLOCK, &in, INFINITY, times32);
        for (int i = 0; i < BLOCK; i++) {
            times64[i] = (double)times32[i];
        }
    } else {
        const carom_toi_motion_f64 in = {inputs64[0], inputs64[1], inputs64[2], inputs64[3],
                                         inputs64[4], inputs64[5], inputs64[6]};
        status = carom_toi_accelerated_f64(variant, BLOCK, &in, INFINITY, times64);
    }
    if (status != CAROM_OK) {
        fprintf(stderr, "fuzz_quartic: %s\n", carom_status_string(status));
        exit(2);
    }
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Some other answer than t: never, a time near t, one of the same size, or any; or the next time at which |D| = r. */
static double another(const double in[QUARTIC_INPUTS], double t, bool single, uint64_t *state)
{
    const double pick = uniform(state), size = uniform(state);
    const double base = isfinite(t) && t > 0 ? t : exp2(20 * size - 10);
    if (pick < 0.2) {
        return isfinite(t) ? INFINITY : base;
    }
    if (pick < 0.6 && isfinite(t)) {
        const carom_toi_motion_f64 one = {in, in + 1, in + 2, in + 3, in + 4, in + 5, in + 6};
        double root[4];
        double *const to[4] = {root, root + 1, root + 2, root + 3};
        int32_t count;
        (void)carom_toi_accelerated_roots_f64(1, &one, to, &count);
        for (int k = count - 1; k >= 0; k--) {
            if (root[k] > t * 1.01 && (pick < 0.4 || k % 2 == 0)) { /* the others are those of parting */
                return single ? (double)(float)root[k] : root[k];
            }
        }
    }
    const double by = pick < 0.8 ? exp2(-(single ? 24 : 53) * size) : size;
    return base * (pick < 0.7 || pick > 0.9 ? 1 + by : 1 - by);
}

static void show(const char *what, const double in[QUARTIC_INPUTS], double t, double error)
{
    static int shown;
    if (shown++ < 20) {
        printf("%s: %a, exactly %a, error %g: {%a, %a, %a, %a, %a, %a, %a}\n", what, t, quartic_exact(in), error, in[0],
               in[1], in[2], in[3], in[4], in[5], in[6]);
    }
}

/* Is an answer certified that is wrong at 400 bits? */
static bool unfounded(const double in[QUARTIC_INPUTS], double t, double eps)
{
    double error;
    if (quartic_certify(in, t, eps, &error) == QUARTIC_UNSURE || quartic_judge(in, t, eps, &error) <= QUARTIC_BAND) {
        return false;
    }
    show("unfounded", in, t, error);
    return true;
}

int main(int argc, char **argv)
{
    uint64_t cases = 100000, seed = 1;
    bool single = false;
    carom_toi_quartic variant = CAROM_QUARTIC_BRACKETED;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--cases") == 0) {
            cases = strtoull(argv[i + 1], NULL, 0);
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = strtoull(argv[i + 1], NULL, 0);
        } else if (strcmp(argv[i], "--bits") == 0) {
            single = strcmp(argv[i + 1], "32") == 0;
        } else if (strcmp(argv[i], "--variant") == 0) {
            variant = strcmp(argv[i + 1], "ferrari") == 0 ? CAROM_QUARTIC_FERRARI : CAROM_QUARTIC_BRACKETED;
        } else {
            fprintf(stderr, "usage: fuzz_quartic [--cases N] [--seed S] [--bits 32|64] [--variant NAME]\n");
            return 2;
        }
    }
    const double eps = single ? (double)FLT_EPSILON : DBL_EPSILON;
    uint64_t wrong = 0;
    printf("%-26s %12s %12s %12s %10s %8s %8s %8s %10s %8s\n", "distribution", "cases", "impacts", "at 400 bits",
           "in band", "missed", "false", "inexact", "unfounded", "error");
    for (int kind = 0; kind < QUARTIC_KINDS; kind++) {
        uint64_t count[QUARTIC_UNSURE + 1] = {0}, impacts = 0, judged = 0, done = 0, unproved = 0;
        uint64_t state = seed * 0x9e3779b97f4a7c15u + (uint64_t)kind * 0xd1342543de82ef95u;
        uint64_t others = state;
        double worst = 0;
        while (done < cases) {
            double in[QUARTIC_INPUTS], error;
            for (int i = 0; i < BLOCK; i++) {
                quartic_case(kind, single, &state, in);
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    inputs64[k][i] = in[k];
                }
            }
            solve_block(variant, single);
            for (int i = 0; i < BLOCK && done < cases; i++, done++) {
                for (int k = 0; k < QUARTIC_INPUTS; k++) {
                    in[k] = inputs64[k][i];
                }
                quartic_verdict verdict = quartic_certify(in, times64[i], eps, &error);
                if (done % 64 == 0) {
                    unproved +=
                        unfounded(in, times64[i], eps) + unfounded(in, another(in, times64[i], single, &others), eps);
                }
                if (verdict == QUARTIC_UNSURE) {
                    verdict = quartic_judge(in, times64[i], eps, &error);
                    judged++;
                }
                count[verdict]++;
                impacts += isfinite(times64[i]) != 0;
                worst = error > worst && verdict == QUARTIC_GOOD ? error : worst;
                if (verdict > QUARTIC_BAND && variant == CAROM_QUARTIC_BRACKETED) {
                    static const char *const names[] = {"good", "band", "missed", "false", "inexact", "unsure"};
                    show(names[verdict], in, times64[i], error);
                }
            }
        }
        wrong += count[QUARTIC_MISSED] + count[QUARTIC_FALSE] + count[QUARTIC_INEXACT] + unproved;
        printf("%-26s %12llu %12llu %12llu %10llu %8llu %8llu %8llu %10llu %8.3g\n", quartic_kind_names[kind],
               (unsigned long long)done, (unsigned long long)impacts, (unsigned long long)judged,
               (unsigned long long)count[QUARTIC_BAND], (unsigned long long)count[QUARTIC_MISSED],
               (unsigned long long)count[QUARTIC_FALSE], (unsigned long long)count[QUARTIC_INEXACT],
               (unsigned long long)unproved, worst);
        fflush(stdout);
    }
    printf("%llu wrong\n", (unsigned long long)wrong);
    return wrong != 0;
}
