/* SPDX-License-Identifier: MIT
 * The exchange (exchange.h) for one instruction set. Blocks of a row go through registers of floats or doubles of a
 * width of their own, whatever the precision of worlds.
 */
#include "exchange/exchange.h"

#include <simde/x86/sse2.h>

#include "base/random_lanes.h"
#include "simd/lanes.h"

/* Four rows of four floats into four columns. */
CAROM_LANE void exchange_4x4(simde__m128 *a, simde__m128 *b, simde__m128 *c, simde__m128 *d)
{
    simde__m128 ab_low = simde_mm_unpacklo_ps(*a, *b), ab_high = simde_mm_unpackhi_ps(*a, *b);
    simde__m128 cd_low = simde_mm_unpacklo_ps(*c, *d), cd_high = simde_mm_unpackhi_ps(*c, *d);
    *a = simde_mm_movelh_ps(ab_low, cd_low);
    *b = simde_mm_movehl_ps(cd_low, ab_low);
    *c = simde_mm_movelh_ps(ab_high, cd_high);
    *d = simde_mm_movehl_ps(cd_high, ab_high);
}

#if defined(CAROM_ISA_AVX2) || defined(CAROM_ISA_AVX512)

/* Eight rows of eight floats into eight columns, 16 floats apart. */
CAROM_LANE void exchange_8x8(float *to, const float *const *rows, size_t e)
{
    simde__m256 r[8], pair[8], four[8];
    for (int k = 0; k < 8; k++) {
        r[k] = simde_mm256_loadu_ps(rows[k] + e);
    }
    for (int k = 0; k < 8; k += 2) {
        pair[k] = simde_mm256_unpacklo_ps(r[k], r[k + 1]);
        pair[k + 1] = simde_mm256_unpackhi_ps(r[k], r[k + 1]);
    }
    for (int k = 0; k < 8; k += 4) {
        four[k] = simde_mm256_shuffle_ps(pair[k], pair[k + 2], 0x44);
        four[k + 1] = simde_mm256_shuffle_ps(pair[k], pair[k + 2], 0xee);
        four[k + 2] = simde_mm256_shuffle_ps(pair[k + 1], pair[k + 3], 0x44);
        four[k + 3] = simde_mm256_shuffle_ps(pair[k + 1], pair[k + 3], 0xee);
    }
    for (int k = 0; k < 4; k++) {
        simde_mm256_store_ps(to + k * 16, simde_mm256_permute2f128_ps(four[k], four[k + 4], 0x20));
        simde_mm256_store_ps(to + (k + 4) * 16, simde_mm256_permute2f128_ps(four[k], four[k + 4], 0x31));
    }
}

/* Four rows of four doubles into four columns, 16 doubles apart. */
CAROM_LANE void exchange_4x4_f64(double *to, const double *const *rows, size_t e)
{
    simde__m256d a = simde_mm256_loadu_pd(rows[0] + e), b = simde_mm256_loadu_pd(rows[1] + e);
    simde__m256d c = simde_mm256_loadu_pd(rows[2] + e), d = simde_mm256_loadu_pd(rows[3] + e);
    simde__m256d ab_even = simde_mm256_unpacklo_pd(a, b), ab_odd = simde_mm256_unpackhi_pd(a, b);
    simde__m256d cd_even = simde_mm256_unpacklo_pd(c, d), cd_odd = simde_mm256_unpackhi_pd(c, d);
    simde_mm256_store_pd(to, simde_mm256_permute2f128_pd(ab_even, cd_even, 0x20));
    simde_mm256_store_pd(to + 16, simde_mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
    simde_mm256_store_pd(to + 32, simde_mm256_permute2f128_pd(ab_even, cd_even, 0x31));
    simde_mm256_store_pd(to + 48, simde_mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
}

CAROM_LANE uint32_t exchange_pack_blocks_f64(double *lanes, const double *const *rows, uint32_t size)
{
    uint32_t e = 0;
    for (; e + 4 <= size; e += 4) {
        for (size_t l = 0; l < 16; l += 4) {
            exchange_4x4_f64(lanes + (size_t)e * 16 + l, rows + l, e);
        }
    }
    return e;
}

/* The first floats of all rows, as many as go in blocks; returns their number. */
CAROM_LANE uint32_t exchange_pack_blocks(float *lanes, const float *const *rows, uint32_t size)
{
    uint32_t e = 0;
    for (; e + 8 <= size; e += 8) {
        exchange_8x8(lanes + (size_t)e * 16, rows, e);
        exchange_8x8(lanes + (size_t)e * 16 + 8, rows + 8, e);
    }
    return e;
}

#else

CAROM_LANE uint32_t exchange_pack_blocks_f64(double *lanes, const double *const *rows, uint32_t size)
{
    (void)lanes, (void)rows, (void)size;
    return 0; /* a block of two would be no faster than number by number */
}

CAROM_LANE uint32_t exchange_pack_blocks(float *lanes, const float *const *rows, uint32_t size)
{
    uint32_t e = 0;
    for (; e + 4 <= size; e += 4) {
        for (size_t l = 0; l < 16; l += 4) {
            simde__m128 a = simde_mm_loadu_ps(rows[l] + e), b = simde_mm_loadu_ps(rows[l + 1] + e);
            simde__m128 c = simde_mm_loadu_ps(rows[l + 2] + e), d = simde_mm_loadu_ps(rows[l + 3] + e);
            float *to = lanes + (size_t)e * 16 + l;
            exchange_4x4(&a, &b, &c, &d);
            simde_mm_store_ps(to, a);
            simde_mm_store_ps(to + 16, b);
            simde_mm_store_ps(to + 32, c);
            simde_mm_store_ps(to + 48, d);
        }
    }
    return e;
}

#endif

/* rows[16] of `size` floats or doubles, from anywhere, into lanes[size][16] (64-byte aligned). */
static void exchange_pack(void *lanes, const void *const *rows, uint32_t size, uint32_t number_bytes)
{
    if (number_bytes == sizeof(float)) {
        const float *const *from = (const float *const *)rows;
        float *to = (float *)lanes;
        for (uint32_t e = exchange_pack_blocks(to, from, size); e < size; e++) {
            for (size_t l = 0; l < 16; l++) {
                to[e * 16 + l] = from[l][e];
            }
        }
    } else {
        const double *const *from = (const double *const *)rows;
        double *to = (double *)lanes;
        for (uint32_t e = exchange_pack_blocks_f64(to, from, size); e < size; e++) {
            for (size_t l = 0; l < 16; l++) {
                to[e * 16 + l] = from[l][e];
            }
        }
    }
}

/* lanes[size][16] into rows[16] of `size` floats; a NULL row is passed over. */
static void exchange_unpack(float *const *rows, const float *lanes, uint32_t size)
{
    uint32_t e = 0;
    for (; e + 4 <= size; e += 4) {
        for (int l = 0; l < 16; l += 4) {
            simde__m128 column[4];
            for (int k = 0; k < 4; k++) {
                column[k] = simde_mm_load_ps(lanes + (size_t)(e + (uint32_t)k) * 16 + l);
            }
            exchange_4x4(&column[0], &column[1], &column[2], &column[3]);
            for (int k = 0; k < 4; k++) {
                if (rows[l + k] != NULL) {
                    simde_mm_storeu_ps(rows[l + k] + e, column[k]);
                }
            }
        }
    }
    for (; e < size; e++) {
        for (int l = 0; l < 16; l++) {
            if (rows[l] != NULL) {
                rows[l][e] = lanes[(size_t)e * 16 + (size_t)l];
            }
        }
    }
}

/* lanes[size][16]: number s of lane l is word s mod 4 of the Philox block (sequences[l], tick, slot, tag) of
 * root_ids[l], slot = player << 16 | s / 4; its top 24 bits are a number in [-1, 1). */
static void exchange_draw(float *lanes, uint64_t seed, const uint64_t *root_ids, const uint32_t *sequences,
                          uint32_t tick, uint32_t player, uint32_t size)
{
    uint32_t key[2][16], tag[16];
    for (int l = 0; l < 16; l++) {
        const philox_key named = philox_key_of(seed, root_ids[l]);
        key[0][l] = named.key[0];
        key[1][l] = named.key[1];
        tag[l] = named.tag;
    }
    for (uint32_t block = 0; block * 4 < size; block++) {
        uint32_t counter[4][16];
        for (int l = 0; l < 16; l++) {
            counter[0][l] = sequences[l];
            counter[1][l] = tick;
            counter[2][l] = player << 16 | block;
            counter[3][l] = tag[l];
        }
        philox4x32_lanes(counter, key);
        for (uint32_t word = 0; word < 4 && block * 4 + word < size; word++) {
            for (int l = 0; l < 16; l++) {
                int32_t top = (int32_t)(counter[word][l] >> 8) - (1 << 23);
                lanes[(size_t)(block * 4 + word) * 16 + (size_t)l] = (float)top * (1.0f / (1 << 23));
            }
        }
    }
}

CAROM_EXTERN const exchange_kernel CAROM_KERNEL_ANY(exchange);
const exchange_kernel CAROM_KERNEL_ANY(exchange) = {exchange_pack, exchange_unpack, exchange_draw};
