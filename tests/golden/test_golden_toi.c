/* SPDX-License-Identifier: MIT
 * Every output array of every function of carom/toi.h, toi_walls.h and toi_accelerated.h against its golden digest. See
 * golden.h. The variant "pow" is left out: its numbers are the C library's.
 */
#include "golden.h"

#define COUNT 617
static const size_t counts[] = {COUNT, 15, 1};         /* of pairs: whole registers, and what is left over */
static const double limits[] = {INFINITY, 1, 0.25, 0}; /* of time, where one is given */

/* Sorts of inputs, in turn. */
enum { PLAIN, WHOLE, TOUCHING, SCALED, AT_REST, SPECIAL, SORTS };

static double input_number(uint64_t *random, size_t sort)
{
    static const double special[] = {0.0,   -0.0,  1,      -1,   NAN,      INFINITY,  -INFINITY, 1e-40,
                                     1e-30, -1e30, 1e-310, 3e38, 0x1p-149, 0x1p-1074, -2,        16777217};
    if (sort == WHOLE)
        return rng_below(random, 9) - 4;
    if (sort == SPECIAL && rng_one_in(random, 3))
        return special[rng_below(random, (int)(sizeof special / sizeof special[0]))];
    return rng_in(random, -8, 8);
}

#define BITS 32
#define REAL float
#include "golden_toi.inc"

#define BITS 64
#define REAL double
#include "golden_toi.inc"

TEST(test_everywhere)
{
    golden_open(CAROM_TEST_DATA "/golden/toi.txt");
    make_inputs_f32();
    make_inputs_f64();
    for (size_t k = 0; k < isa_count; k++) {
        must(carom_isa_force(isas[k]), "carom_isa_force");
        for (int variant = 0; variant < CAROM_TOI_VARIANTS; variant++) {
            const char *name = carom_toi_variant_describe(variant)->name;
            if (variant == CAROM_TOI_POW)
                continue;
            check_variant_f32(isas[k], variant, name);
            check_variant_f64(isas[k], variant, name);
        }
        check_within_f32(isas[k]);
        check_within_f64(isas[k]);
        for (int discrete = 0; discrete < 2; discrete++) {
            check_walls_f32(isas[k], discrete ? CAROM_DETECTION_DISCRETE : CAROM_DETECTION_CONTINUOUS);
            check_walls_f64(isas[k], discrete ? CAROM_DETECTION_DISCRETE : CAROM_DETECTION_CONTINUOUS);
        }
        check_accelerated_f32(isas[k]);
        check_accelerated_f64(isas[k]);
    }
    must(carom_isa_force(CAROM_ISA_DEFAULT), "carom_isa_force");
    golden_close();
}
