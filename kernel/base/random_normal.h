/* SPDX-License-Identifier: MIT
 * Random numbers of non-uniform distributions, made from random words. They use float and only exactly rounded
 * operations, so that every processor gets the same bits, and are always inlined, so that loops over lanes
 * vectorise.
 */
#ifndef CAROM_BASE_RANDOM_NORMAL_H
#define CAROM_BASE_RANDOM_NORMAL_H

#include <stdint.h>
#include <string.h>

#define RANDOM_INLINE static inline __attribute__((always_inline, unused))

RANDOM_INLINE float random_clip(float x, float low, float high)
{
    const float above = x < low ? low : x;
    return above > high ? high : above;
}

/* ln x for x = 1 .. 2^16, within 3e-6, from the exponent and a polynomial in the mantissa. */
RANDOM_INLINE float random_log(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t exponent = (int32_t)(bits >> 23) - 127;
    bits = (bits & 0x7fffffu) | 0x3f800000u;
    memcpy(&x, &bits, sizeof x);
    const float m = x - 1.0f;
    float sum = -0.01833885721862316f; /* the minimax polynomial of degree 5 for ln(1 + m) / m, 0 <= m <= 1 */
    sum = sum * m + 0.08556991070508957f;
    sum = sum * m - 0.1937609314918518f;
    sum = sum * m + 0.3176490366458893f;
    sum = sum * m - 0.49787506461143494f;
    sum = sum * m + 0.9999016523361206f;
    return (float)exponent * 0.69314718f + sum * m;
}

/* Makes two normal numbers from one word (Box and Muller, "A note on the generation of random normal deviates", 1958).
 * The upper half gives the radius, sqrt(-2 ln u) with u = 1/65536 .. 1. Of the lower half two bits give the quadrant of
 * the angle, and the others the angle within 45 degrees of the quadrant's middle. */
RANDOM_INLINE void random_normal_pair(uint32_t word, float *first, float *second)
{
    const float u = (float)((int32_t)(word >> 16) + 1);
    const float squared = 2.0f * (11.09035489f - random_log(u)); /* ln 65536 */
    const float radius = __builtin_sqrtf(squared > 0.0f ? squared : 0.0f);

    const int32_t angle = (int32_t)(word & 0x3fffu) - 0x2000;
    const uint32_t quadrant = word >> 14 & 3;
    const float a = ((float)angle + 0.5f) * 9.58737992e-5f; /* pi / 2 / 16384 */
    const float aa = a * a;
    const float c = radius * (1.0f - aa * (0.5f - aa * (4.16666667e-2f - aa * 1.38888889e-3f)));
    const float s = radius * (a * (1.0f - aa * (1.66666667e-1f - aa * (8.33333333e-3f - aa * 1.98412698e-4f))));

    const float x = (quadrant & 1) != 0 ? s : c, y = (quadrant & 1) != 0 ? c : s;
    *first = quadrant == 1 || quadrant == 2 ? -x : x;
    *second = quadrant >= 2 ? -y : y;
}

/* z moved towards 0 by `threshold`; 0 if |z| is smaller. */
RANDOM_INLINE float random_beyond(float z, float threshold)
{
    return z - random_clip(z, -threshold, threshold);
}

#endif
