/* SPDX-License-Identifier: MIT
 * Shared by the tests of carom/toi.h: one interface for both precisions, pairs of every kind, guarded memory. Numbers
 * pass through double, which holds a float.
 */
#ifndef CAROM_TESTS_TOI_TOI_CASES_H
#define CAROM_TESTS_TOI_TOI_CASES_H

#include <carom/toi.h>

/* --- One interface for both precisions -------------------------------------------------------------------------- */

/* Arrays of floats or doubles: px, py, vx, vy, r of pairs, or x, y, vx, vy, r of bodies. */
typedef struct inputs {
    void *of[5];
} inputs;

enum { OUT_T, OUT_ENTRY, OUT_EXIT, OUT_NX, OUT_NY, OUT_XI, OUT_YI, OUT_XJ, OUT_YJ, OUTPUTS };

/* The arrays of carom_toi_contacts_*, in its order. */
typedef struct outputs {
    void *of[OUTPUTS];
} outputs;

size_t size_of(carom_precision precision);
double get(carom_precision precision, const void *array, size_t i);
void put(carom_precision precision, void *array, size_t i, double value);

/* As a number of that precision: of one operation on such numbers, done in doubles, the correctly rounded result. */
double rounded(carom_precision precision, double value);

/* The number `ulps` steps away from a positive one. */
double step(carom_precision precision, double value, int ulps);

carom_status solve_pairs(carom_precision precision, int variant, size_t n, const inputs *in, const outputs *out);
carom_status solve_indexed(carom_precision precision, int variant, size_t n, size_t count, const inputs *bodies,
                           const int32_t *i, const int32_t *j, const outputs *out);
carom_status solve_one(carom_precision precision, int variant, const double one[5], size_t n, const inputs *others,
                       const outputs *out);
carom_status solve_first(carom_precision precision, int variant, const double one[5], size_t n, const inputs *others,
                         double *t, int32_t *index);
carom_status solve_first_of_each(carom_precision precision, int variant, size_t m, const inputs *bodies, size_t n,
                                 const inputs *others, void *t, int32_t *index);
carom_status solve_within(carom_precision precision, size_t n, const inputs *in, double limit, uint64_t *mask);

/* The times alone, of pairs. */
carom_status solve_times(carom_precision precision, int variant, size_t n, const inputs *in, void *t);

/* --- Loops ------------------------------------------------------------------------------------------------------- */

/* Forces every usable instruction set in turn, from scalar on. */
#define FOR_EACH_ISA(isa)                                                                                              \
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++)                                               \
        if (carom_isa_force(isa) == CAROM_OK)

#define FOR_EACH_PRECISION(precision)                                                                                  \
    for (carom_precision precision = CAROM_F32; precision != 0; precision = precision == CAROM_F32 ? CAROM_F64 : 0)

/* Every variant, then every variant with branches. */
#define FOR_EACH_VARIANT(variant)                                                                                      \
    for (int variant = 0; variant < (CAROM_TOI_BRANCHES | CAROM_TOI_VARIANTS);                                         \
         variant = variant + 1 == CAROM_TOI_VARIANTS ? CAROM_TOI_BRANCHES : variant + 1)

/* The variant without CAROM_TOI_BRANCHES. */
int plain_of(int variant);

/* --- Memory ------------------------------------------------------------------------------------------------------ */

/* Zeros; stops the program if there is no memory. */
void *allocate(size_t bytes);
inputs inputs_new(carom_precision precision, size_t n);
void end_inputs(inputs *in);
outputs outputs_new(carom_precision precision, size_t n);
void end_outputs(outputs *out);

/* Memory between two pages that must not be touched. */
typedef struct guarded {
    unsigned char *first; /* the byte after the one guard */
    size_t bytes;         /* to the other */
} guarded;

guarded guarded_new(size_t bytes);
void guarded_free(guarded *g);

/* `bytes` bytes of it: the last ones if `tail`, else the first ones. */
void *guarded_place(const guarded *g, size_t bytes, bool tail);

/* --- Pairs ------------------------------------------------------------------------------------------------------- */

void random_start(uint64_t from);
uint64_t random_bits(void);
double uniform(double low, double high);

/* A kind of pairs: writes the i-th one. */
typedef void pair_maker(carom_precision precision, const inputs *in, size_t i);

/* Of a game's size: anywhere; aimed at each other; about to graze; about to touch; overlapping; of other magnitudes. */
pair_maker random_pair;
/* Small whole numbers: exactly grazing, touching, at rest, perpendicular, with zeros of both signs. */
pair_maker integer_pair;
/* Values that upset something, mixed at random with ordinary ones: infinite, NaN, denormal, overflowing. */
pair_maker strange_pair;
/* Any bits. */
pair_maker raw_pair;
/* One of the above. */
pair_maker any_pair;

/* Pairs from a table of p, v, r. */
void table_pair(carom_precision precision, const inputs *in, size_t i, const double from[5]);

bool has_nan(carom_precision precision, const inputs *in, size_t i);
bool has_infinity(carom_precision precision, const inputs *in, size_t i);

/* Prints the pair, and how it was solved, to stderr. */
void describe(carom_precision precision, const inputs *in, size_t i, int variant, const char *what);

/* The first of n elements that differ in a bit; n if none does. */
size_t first_difference(carom_precision precision, const void *a, const void *b, size_t n);

#endif
