/* SPDX-License-Identifier: MIT
 * Shared by the tests of carom/toi.h; see toi_cases.h.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "toi_cases.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/random.h"

/* --- One interface for both precisions -------------------------------------------------------------------------- */

size_t size_of(carom_precision precision)
{
    return (size_t)precision / 8;
}

double get(carom_precision precision, const void *array, size_t i)
{
    return precision == CAROM_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

void put(carom_precision precision, void *array, size_t i, double value)
{
    if (precision == CAROM_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

double rounded(carom_precision precision, double value)
{
    return precision == CAROM_F32 ? (double)(float)value : value;
}

double step(carom_precision precision, double value, int ulps)
{
    for (; ulps != 0; ulps += ulps < 0 ? 1 : -1) {
        const double towards = ulps < 0 ? -INFINITY : INFINITY;
        value = precision == CAROM_F32 ? (double)nextafterf((float)value, (float)towards) : nextafter(value, towards);
    }
    return value;
}

/* Null pointers to structures stay null pointers. */
#define PAIRS(bits)                                                                                                    \
    (in == NULL ? NULL : &(carom_toi_pairs_f##bits){in->of[0], in->of[1], in->of[2], in->of[3], in->of[4]})
#define BODIES(bits, in)                                                                                               \
    ((in) == NULL ? NULL : &(carom_toi_bodies_f##bits){(in)->of[0], (in)->of[1], (in)->of[2], (in)->of[3], (in)->of[4]})
#define CONTACTS(bits)                                                                                                 \
    (out == NULL ? NULL                                                                                                \
                 : &(carom_toi_contacts_f##bits){out->of[0], out->of[1], out->of[2], out->of[3], out->of[4],           \
                                                 out->of[5], out->of[6], out->of[7], out->of[8]})
#define ONE(bits, real)                                                                                                \
    (one == NULL ? NULL                                                                                                \
                 : &(carom_toi_body_f##bits){(real)one[0], (real)one[1], (real)one[2], (real)one[3], (real)one[4]})

carom_status solve_pairs(carom_precision precision, int variant, size_t n, const inputs *in, const outputs *out)
{
    if (precision == CAROM_F32) {
        return carom_toi_circles_f32(variant, n, PAIRS(32), CONTACTS(32));
    }
    return carom_toi_circles_f64(variant, n, PAIRS(64), CONTACTS(64));
}

carom_status solve_indexed(carom_precision precision, int variant, size_t n, size_t count, const inputs *bodies,
                           const int32_t *i, const int32_t *j, const outputs *out)
{
    if (precision == CAROM_F32) {
        return carom_toi_circles_indexed_f32(variant, n, count, BODIES(32, bodies), i, j, CONTACTS(32));
    }
    return carom_toi_circles_indexed_f64(variant, n, count, BODIES(64, bodies), i, j, CONTACTS(64));
}

carom_status solve_one(carom_precision precision, int variant, const double one[5], size_t n, const inputs *others,
                       const outputs *out)
{
    if (precision == CAROM_F32) {
        return carom_toi_circles_one_f32(variant, ONE(32, float), n, BODIES(32, others), CONTACTS(32));
    }
    return carom_toi_circles_one_f64(variant, ONE(64, double), n, BODIES(64, others), CONTACTS(64));
}

carom_status solve_first_of_each(carom_precision precision, int variant, size_t m, const inputs *bodies, size_t n,
                                 const inputs *others, void *t, int32_t *index)
{
    if (precision == CAROM_F32) {
        return carom_toi_circles_first_f32(variant, m, BODIES(32, bodies), n, BODIES(32, others), t, index);
    }
    return carom_toi_circles_first_f64(variant, m, BODIES(64, bodies), n, BODIES(64, others), t, index);
}

carom_status solve_first(carom_precision precision, int variant, const double one[5], size_t n, const inputs *others,
                         double *t, int32_t *index)
{
    double place[5], time = 0;
    inputs body = {{NULL}};
    for (int f = 0; f < 5 && one != NULL; f++) {
        body.of[f] = &place[f];
        put(precision, body.of[f], 0, one[f]);
    }
    if (t != NULL) {
        put(precision, &time, 0, *t);
    }
    const carom_status status = solve_first_of_each(precision, variant, 1, one == NULL ? NULL : &body, n, others,
                                                    t == NULL ? NULL : &time, index);
    if (t != NULL) {
        *t = get(precision, &time, 0);
    }
    return status;
}

carom_status solve_within(carom_precision precision, size_t n, const inputs *in, double limit, uint64_t *mask)
{
    if (precision == CAROM_F32) {
        return carom_toi_circles_within_f32(n, PAIRS(32), (float)limit, mask);
    }
    return carom_toi_circles_within_f64(n, PAIRS(64), limit, mask);
}

carom_status solve_times(carom_precision precision, int variant, size_t n, const inputs *in, void *t)
{
    const outputs out = {{t}};
    return solve_pairs(precision, variant, n, in, &out);
}

int plain_of(int variant)
{
    return variant & ~CAROM_TOI_BRANCHES;
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

static void stop(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(2);
}

void *allocate(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    if (memory == NULL) {
        stop("no memory");
    }
    return memory;
}

inputs inputs_new(carom_precision precision, size_t n)
{
    inputs in;
    for (int k = 0; k < 5; k++) {
        in.of[k] = allocate(n * size_of(precision));
    }
    return in;
}

void end_inputs(inputs *in)
{
    for (int k = 0; k < 5; k++) {
        free(in->of[k]);
    }
}

outputs outputs_new(carom_precision precision, size_t n)
{
    outputs out;
    for (int k = 0; k < OUTPUTS; k++) {
        out.of[k] = allocate(n * size_of(precision));
    }
    return out;
}

void end_outputs(outputs *out)
{
    for (int k = 0; k < OUTPUTS; k++) {
        free(out->of[k]);
    }
}

guarded guarded_new(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes / page + 1) * page;
    unsigned char *pages = mmap(NULL, room + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, page, PROT_NONE) != 0 ||
        mprotect(pages + page + room, page, PROT_NONE) != 0) {
        stop("no guarded memory");
    }
    return (guarded){pages + page, room};
}

void guarded_free(guarded *g)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(g->first - page, g->bytes + 2 * page);
}

void *guarded_place(const guarded *g, size_t bytes, bool tail)
{
    return tail ? g->first + g->bytes - bytes : g->first;
}

/* --- Pairs ------------------------------------------------------------------------------------------------------- */

static uint64_t seed, random_state;

void random_start(uint64_t from)
{
    seed = random_state = from;
}

uint64_t random_bits(void)
{
    return rng_next(&random_state);
}

double uniform(double low, double high)
{
    return rng_in(&random_state, low, high);
}

void random_pair(carom_precision precision, const inputs *in, size_t i)
{
    double r = uniform(0.1, 2), angle = uniform(0, 6.283185307179586), speed = exp2(uniform(-6, 6));
    double distance = r * exp2(uniform(-0.2, 6)), miss = uniform(-2, 2) * r; /* of the other's centre from its line */
    const double shift = exp2(-uniform(2, precision == CAROM_F32 ? 20 : 45));
    switch ((int)uniform(0, 6)) {
    case 0:
        miss = uniform(-20, 20) * r;
        break;
    case 1:
        miss = uniform(-0.5, 0.5) * r;
        break;
    case 2:
        miss = r * (uniform(0, 1) < 0.5 ? 1 + shift : 1 - shift);
        break;
    case 3:
        distance = r * (1 + shift);
        break;
    case 4:
        distance = r * uniform(0, 1);
        break;
    default:
        break;
    }
    if (uniform(0, 1) < 0.2) {
        const double scale = exp2(uniform(-20, 20));
        r *= scale, distance *= scale, miss *= scale;
    }
    const double along = sqrt(fmax(distance * distance - miss * miss, 0)) * (uniform(0, 1) < 0.85 ? 1 : -1);
    const double c = cos(angle), s = sin(angle);
    put(precision, in->of[0], i, along * c - miss * s);
    put(precision, in->of[1], i, along * s + miss * c);
    put(precision, in->of[2], i, -speed * c);
    put(precision, in->of[3], i, -speed * s);
    put(precision, in->of[4], i, r);
}

void integer_pair(carom_precision precision, const inputs *in, size_t i)
{
    for (int k = 0; k < 5; k++) {
        const int most = k < 2 ? 6 : 3;
        const double whole = (double)((int)(random_bits() % (unsigned)(2 * most + 1)) - most);
        put(precision, in->of[k], i, whole == 0 && random_bits() % 2 == 0 ? -0.0 : k == 4 ? fabs(whole) : whole);
    }
}

void strange_pair(carom_precision precision, const inputs *in, size_t i)
{
    enum { STRANGE = 15 };
    static const double strange_f32[STRANGE] = {
        0, -0.0, INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, FLT_MIN, 0x1p-149, -1e-40, 1e19, -3e18, 1e-20, 1, -1};
    static const double strange_f64[STRANGE] = {0,       -0.0,     INFINITY, -INFINITY, NAN,
                                                DBL_MAX, -DBL_MAX, DBL_MIN,  0x1p-1074, -1e-310,
                                                1e154,   -3e153,   1e-160,   1,         -1};
    const double *strange = precision == CAROM_F32 ? strange_f32 : strange_f64;
    const double lowest = precision == CAROM_F32 ? -149 : -1074, highest = precision == CAROM_F32 ? 128 : 1023.9;
    random_pair(precision, in, i);
    for (int k = 0; k < 5; k++) {
        if (uniform(0, 1) < 0.4) {
            put(precision, in->of[k], i, strange[(size_t)uniform(0, STRANGE)]);
        } else if (uniform(0, 1) < 0.3) {
            put(precision, in->of[k], i, uniform(-1, 1) * exp2(uniform(lowest, highest)));
        }
    }
}

void raw_pair(carom_precision precision, const inputs *in, size_t i)
{
    for (int k = 0; k < 5; k++) {
        const uint64_t bits = random_bits();
        const uint32_t half = (uint32_t)bits;
        if (precision == CAROM_F32) {
            memcpy((float *)in->of[k] + i, &half, sizeof half);
        } else {
            memcpy((double *)in->of[k] + i, &bits, sizeof bits);
        }
    }
}

void any_pair(carom_precision precision, const inputs *in, size_t i)
{
    pair_maker *const makers[] = {random_pair, integer_pair, strange_pair, raw_pair};
    makers[random_bits() % 4](precision, in, i);
}

void table_pair(carom_precision precision, const inputs *in, size_t i, const double from[5])
{
    for (int k = 0; k < 5; k++) {
        put(precision, in->of[k], i, from[k]);
    }
}

bool has_nan(carom_precision precision, const inputs *in, size_t i)
{
    bool some = false;
    for (int k = 0; k < 5; k++) {
        some = some || isnan(get(precision, in->of[k], i));
    }
    return some;
}

bool has_infinity(carom_precision precision, const inputs *in, size_t i)
{
    bool some = false;
    for (int k = 0; k < 5; k++) {
        some = some || isinf(get(precision, in->of[k], i));
    }
    return some;
}

void describe(carom_precision precision, const inputs *in, size_t i, int variant, const char *what)
{
    const carom_toi_variant_info *info = carom_toi_variant_describe(variant);
    fprintf(stderr, "seed %llu, f%d, %s%s, %s: p = (%a, %a), v = (%a, %a), r = %a\n", (unsigned long long)seed,
            (int)precision, info == NULL ? "?" : info->name, variant != plain_of(variant) ? "/branches" : "", what,
            get(precision, in->of[0], i), get(precision, in->of[1], i), get(precision, in->of[2], i),
            get(precision, in->of[3], i), get(precision, in->of[4], i));
}

size_t first_difference(carom_precision precision, const void *a, const void *b, size_t n)
{
    const size_t size = size_of(precision);
    size_t i = 0;
    while (i < n && memcmp((const char *)a + i * size, (const char *)b + i * size, size) == 0) {
        i++;
    }
    return i;
}
