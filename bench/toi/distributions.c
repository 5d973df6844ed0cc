/* SPDX-License-Identifier: MIT
 * The distributions, a function for each. Lengths are in units of the radii unless stated otherwise.
 */
#include "distributions.h"

#include <math.h>
#include <string.h>

typedef distribution_stream stream;

static bool is_single(const stream *s)
{
    return s->precision == CAROM_F32;
}

/* ---- numbers ---- */

static uint64_t bits(stream *s)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double uniform(stream *s, double low, double high)
{
    return low + (high - low) * ((double)(bits(s) >> 11) * 0x1p-53);
}

/* An integer of low .. high. */
static int whole(stream *s, int low, int high)
{
    return low + (int)(bits(s) % (uint64_t)(high - low + 1));
}

static bool chance(stream *s, double probability)
{
    return uniform(s, 0, 1) < probability;
}

static double sign(stream *s)
{
    return chance(s, 0.5) ? 1 : -1;
}

/* From low to high, every binary order of magnitude alike. */
static double spread(stream *s, double low, double high)
{
    double value;
    do {
        value = ldexp(uniform(s, 1, 2) * low, whole(s, 0, ilogb(high / low)));
    } while (value > high);
    return value;
}

/* ---- geometry ---- */

/* Some unit vector times the length; without sin and cos, which differ from machine to machine. */
static void direct(stream *s, double length, double vector[2])
{
    const double u = uniform(s, -1, 1), scale = length / (1 + u * u), x = (1 - u * u) * scale, y = 2 * u * scale;
    const int quarter = whole(s, 0, 3);
    vector[0] = quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y;
    vector[1] = quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? -y : -x;
}

/* Places p at that distance, so that the pair passes at distance |miss|: ahead, or behind in one case of five. Velocity
 * and radius are there. */
static void place(stream *s, double pair[5], double distance, double miss)
{
    const double vx = pair[2], vy = pair[3], speed = sqrt(vx * vx + vy * vy), x = vx / speed, y = vy / speed;
    const double along = sqrt(fmax(distance * distance - miss * miss, 0)) * (chance(s, 0.2) ? 1 : -1);
    pair[0] = along * x - miss * y;
    pair[1] = along * y + miss * x;
}

/* As the pair will be when it is stored. */
static void store(const stream *s, double pair[5])
{
    for (int k = 0; k < 5 && is_single(s); k++) {
        pair[k] = (double)(float)pair[k];
    }
}

/* ---- the distributions ---- */

static void uniform_pair(stream *s, double pair[5])
{
    pair[0] = uniform(s, -8000, 8000);
    pair[1] = uniform(s, -8000, 8000);
    pair[2] = uniform(s, -1000, 1000);
    pair[3] = uniform(s, -1000, 1000);
    pair[4] = uniform(s, 400, 1200);
}

/* What rounding makes of it may be farther from tangency: then another. */
static void grazing_pair(stream *s, double pair[5])
{
    double passing;
    do {
        pair[4] = uniform(s, 0.5, 2);
        const double distance = pair[4] * spread(s, 1.0625, 8);
        const double shift = sign(s) * (chance(s, 0.05) ? 0 : spread(s, is_single(s) ? 0x1p-26 : 0x1p-56, 1e-6));
        direct(s, distance * spread(s, 0.125, 8), pair + 2);
        place(s, pair, distance, sign(s) * pair[4] * (1 + shift));
        store(s, pair);
        passing = fabs(pair[0] * pair[3] - pair[1] * pair[2]) / sqrt(pair[2] * pair[2] + pair[3] * pair[3]);
    } while (!(fabs(passing - pair[4]) <= 1e-6 * pair[4]));
}

static void near_contact_pair(stream *s, double pair[5])
{
    pair[4] = uniform(s, 0.5, 2);
    const double distance = pair[4] * (1 + spread(s, 1e-10, 1e-2));
    direct(s, spread(s, 0x1p-8, 8), pair + 2);
    place(s, pair, distance, uniform(s, -1, 1) * pair[4]);
}

static void far_fast_pair(stream *s, double pair[5])
{
    pair[4] = uniform(s, 0.5, 2);
    const double distance = pair[4] * spread(s, 10, 1e4);
    direct(s, distance * spread(s, 0.125, 8), pair + 2);
    place(s, pair, distance, uniform(s, -1.25, 1.25) * pair[4]);
}

/* Half of them as the difference of two velocities of some thousand units that are a few roundings apart. */
static void tiny_velocity_pair(stream *s, double pair[5])
{
    const int unit = is_single(s) ? -14 : -43;
    pair[4] = uniform(s, 0.5, 2);
    if (chance(s, 0.5)) {
        do {
            pair[2] = ldexp(whole(s, -20, 20), unit);
            pair[3] = ldexp(whole(s, -20, 20), unit);
        } while (pair[2] == 0 && pair[3] == 0);
    } else {
        direct(s, spread(s, is_single(s) ? 1e-7 : 1e-14, 1e-3), pair + 2);
    }
    const double distance = pair[4] * spread(s, 0.5, 100);
    place(s, pair, distance, uniform(s, -1, 1) * fmin(1.25 * pair[4], distance));
}

static void equal_velocity_pair(stream *s, double pair[5])
{
    pair[4] = uniform(s, 0.5, 2);
    direct(s, pair[4] * spread(s, 0.125, 100), pair);
    pair[2] = 0 * sign(s);
    pair[3] = 0 * sign(s);
}

static void scaled_pair(stream *s, double pair[5], int lengths, int speeds)
{
    pair[4] = uniform(s, 1, 2);
    direct(s, spread(s, 0.25, 4), pair + 2);
    const double distance = pair[4] * uniform(s, 0.75, 6);
    place(s, pair, distance, uniform(s, -1, 1) * fmin(1.25 * pair[4], distance));
    for (int k = 0; k < 5; k++) {
        pair[k] = ldexp(pair[k], k == 2 || k == 3 ? speeds : lengths);
    }
}

/* An exponent of low .. high, in half of the cases one of the two. */
static int exponent(stream *s, int low, int high)
{
    return chance(s, 0.5) ? whole(s, low, high) : chance(s, 0.5) ? low : high;
}

/* Distances are 0.75 to 12, speeds 0.25 to 4. */
static void scales_pair(stream *s, double pair[5])
{
    const int limit = is_single(s) ? 30 : 250;
    const int lengths = exponent(s, 1 - limit, limit - 4);
    scaled_pair(s, pair, lengths, exponent(s, 2 - limit, limit - 2));
}

static void outside_pair(stream *s, double pair[5])
{
    const int limit = is_single(s) ? 30 : 250, low = is_single(s) ? -150 : -1075, high = is_single(s) ? 124 : 1020;
    int lengths, speeds;
    do {
        lengths = exponent(s, low, high);
        speeds = exponent(s, low, high);
    } while (lengths > -limit && lengths < limit - 4 && speeds > 1 - limit && speeds < limit - 1);
    scaled_pair(s, pair, lengths, speeds);
}

/* A third exactly, by whole numbers; a third as close as rounding allows; a third up to two roundings away from
 * that. */
static void touching_pair(stream *s, double pair[5])
{
    static const int triples[][3] = {{1, 0, 1},    {3, 4, 5},    {5, 12, 13},   {8, 15, 17},   {7, 24, 25},
                                     {20, 21, 29}, {12, 35, 37}, {9, 40, 41},   {28, 45, 53},  {11, 60, 61},
                                     {33, 56, 65}, {16, 63, 65}, {48, 55, 73},  {36, 77, 85},  {13, 84, 85},
                                     {39, 80, 89}, {65, 72, 97}, {20, 99, 101}, {60, 91, 109}, {15, 112, 113}};
    const int kind = whole(s, 0, 2);
    direct(s, spread(s, 0x1p-8, 8), pair + 2);
    if (kind == 0) {
        const int *triple = triples[whole(s, 0, (int)(sizeof triples / sizeof triples[0]) - 1)];
        const double unit = ldexp(whole(s, 1, 4096), whole(s, -30, 0));
        const int first = whole(s, 0, 1);
        pair[0] = sign(s) * triple[first] * unit;
        pair[1] = sign(s) * triple[1 - first] * unit;
        pair[4] = triple[2] * unit;
        return;
    }
    pair[4] = uniform(s, 0.5, 2);
    direct(s, pair[4], pair);
    store(s, pair);
    for (int k = 0; k < 2 && kind == 2; k++) {
        for (int steps = whole(s, -2, 2); steps != 0; steps += steps < 0 ? 1 : -1) {
            const double towards = steps < 0 ? -INFINITY : INFINITY;
            pair[k] = is_single(s) ? (double)nextafterf((float)pair[k], (float)towards) : nextafter(pair[k], towards);
        }
    }
}

static void overlapping_pair(stream *s, double pair[5])
{
    pair[4] = uniform(s, 0.5, 2);
    direct(s, pair[4] * uniform(s, 0, 1), pair);
    direct(s, pair[4] * spread(s, 0.125, 8), pair + 2);
}

/* Overlapping, v perpendicular to p up to rounding; exactly perpendicular in a quarter of the cases. */
static void sliding_pair(stream *s, double pair[5])
{
    pair[4] = uniform(s, 0.5, 2);
    direct(s, pair[4] * uniform(s, 0.125, 1), pair);
    store(s, pair);
    const double factor = chance(s, 0.25) ? ldexp(sign(s), whole(s, -6, 6)) : sign(s) * spread(s, 0.125, 8);
    pair[2] = -pair[1] * factor;
    pair[3] = pair[0] * factor;
}

/* Sign and fraction at random, the exponent given. */
static double pattern(stream *s, int power)
{
    return sign(s) * ldexp(uniform(s, 1, 2), power);
}

/* In half of the cases every exponent for itself, else those of the lengths, and those of the velocity, within 8 of
 * each other; the velocity turned so that three quarters approach. */
static void random_bits_pair(stream *s, double pair[5])
{
    const int limit = is_single(s) ? 30 : 250;
    const bool apart = chance(s, 0.5);
    const int lengths = whole(s, 4 - limit, limit - 6), speeds = whole(s, 4 - limit, limit - 6);
    for (int k = 0; k < 5; k++) {
        const int near = k == 2 || k == 3 ? speeds : lengths;
        pair[k] = pattern(s, apart ? whole(s, -limit, limit - 2) : near + whole(s, -4, 4));
    }
    pair[4] = fabs(pair[4]);
    store(s, pair);
    if (chance(s, 0.5) && pair[0] * pair[2] + pair[1] * pair[3] > 0) {
        pair[2] = -pair[2];
        pair[3] = -pair[3];
    }
}

static void any_bits_pair(stream *s, double pair[5])
{
    for (int k = 0; k < 5; k++) {
        const uint64_t word = bits(s);
        const uint32_t half = (uint32_t)(word >> 32);
        float single;
        memcpy(&single, &half, sizeof single);
        memcpy(&pair[k], &word, sizeof word);
        if (is_single(s)) {
            pair[k] = (double)single;
        }
    }
}

/* ---- the table ---- */

typedef struct entry {
    const char *name, *summary;
    void (*draw)(stream *s, double pair[5]);
} entry;

static const entry entries[DISTRIBUTIONS] = {
    {"uniform", "a game: p within 8000 and v within 1000 along each axis, r 400 to 1200", uniform_pair},
    {"grazing", "closest approach within 1e-6 r of r on either side, |p| up to 8 r", grazing_pair},
    {"near-contact", "gap of 1e-10 r to 1e-2 r", near_contact_pair},
    {"far-fast", "|p| of 10 r to 1e4 r, passing within 1.25 r, |v| of |p|/8 to 8 |p|", far_fast_pair},
    {"tiny-velocity", "|v| of 1e-14 r (f32: 1e-7 r) to 1e-3 r, half of them of few bits", tiny_velocity_pair},
    {"equal-velocity", "v = 0", equal_velocity_pair},
    {"scales", "lengths and speeds times powers of two, to 2^-250 and 2^250 (f32: 2^-30, 2^30)", scales_pair},
    {"touching", "|p| = r exactly, as near as rounding gets, and up to 2 roundings beside", touching_pair},
    {"overlapping", "|p| < r", overlapping_pair},
    {"sliding", "|p| < r, p.v as near to 0 as rounding gets", sliding_pair},
    {"random-bits", "signs, exponents within 2^-250 to 2^250 (f32: 2^-30, 2^30) and fractions at random",
     random_bits_pair},
    {"outside", "lengths and speeds times powers of two beyond these, subnormal numbers included", outside_pair},
    {"any-bits", "any bits, NaN and infinities included", any_bits_pair},
};

const char *carom_distribution_name(distribution which)
{
    return entries[which].name;
}

const char *carom_distribution_summary(distribution which)
{
    return entries[which].summary;
}

distribution_stream carom_distribution_begin(distribution which, carom_precision precision, uint64_t seed)
{
    stream s = {which, precision, seed};
    s.state = bits(&s) + (uint64_t)which * 2 + (precision == CAROM_F64);
    s.state = bits(&s);
    return s;
}

void carom_distribution_draw(distribution_stream *s, double pair[5])
{
    entries[s->which].draw(s, pair);
    store(s, pair);
}
