/* SPDX-License-Identifier: MIT
 * The functions of transpose.h for one instruction set. Registers hold floats or doubles, like the rows, whatever the
 * precision of the worlds.
 */
#include "transpose/transpose.h"

#include <simde/x86/sse2.h>
#include <string.h>

#include "base/random_lanes.h"
#include "base/random_normal.h"
#include "simd/lanes.h"

/* Transposes four rows of four floats. */
CAROM_LANE void transpose_4x4(simde__m128 *a, simde__m128 *b, simde__m128 *c, simde__m128 *d)
{
    simde__m128 ab_low = simde_mm_unpacklo_ps(*a, *b), ab_high = simde_mm_unpackhi_ps(*a, *b);
    simde__m128 cd_low = simde_mm_unpacklo_ps(*c, *d), cd_high = simde_mm_unpackhi_ps(*c, *d);
    *a = simde_mm_movelh_ps(ab_low, cd_low);
    *b = simde_mm_movehl_ps(cd_low, ab_low);
    *c = simde_mm_movelh_ps(ab_high, cd_high);
    *d = simde_mm_movehl_ps(cd_high, ab_high);
}

/* Packs four floats of all rows, starting with number `e`. */
CAROM_LANE void transpose_pack_four(float *lanes, const float *const *rows, size_t e)
{
    for (size_t l = 0; l < 16; l += 4) {
        simde__m128 a = simde_mm_loadu_ps(rows[l] + e), b = simde_mm_loadu_ps(rows[l + 1] + e);
        simde__m128 c = simde_mm_loadu_ps(rows[l + 2] + e), d = simde_mm_loadu_ps(rows[l + 3] + e);
        float *to = lanes + e * 16 + l;
        transpose_4x4(&a, &b, &c, &d);
        simde_mm_store_ps(to, a);
        simde_mm_store_ps(to + 16, b);
        simde_mm_store_ps(to + 32, c);
        simde_mm_store_ps(to + 48, d);
    }
}

#if defined(CAROM_ISA_AVX2) || defined(CAROM_ISA_AVX512)

/* Transposes eight rows of eight floats; results are 16 floats apart. */
CAROM_LANE void transpose_8x8(float *to, const float *const *rows, size_t e)
{
    simde__m256 r[8], pair[8], four[8];
    for (int k = 0; k < 8; k++) {
        r[k] = simde_mm256_loadu_ps(rows[k] + e);
    }

    /* Interleave pairs of rows, then pairs of pairs, then halves of registers. */
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

/* Transposes four rows of four doubles; results are 16 doubles apart. */
CAROM_LANE void transpose_4x4_f64(double *to, const double *const *rows, size_t e)
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

/* Packs as many leading doubles of all rows as fill blocks; returns their number. */
CAROM_LANE uint32_t transpose_pack_blocks_f64(double *lanes, const double *const *rows, uint32_t size)
{
    uint32_t e = 0;
    for (; e + 4 <= size; e += 4) {
        for (size_t l = 0; l < 16; l += 4) {
            transpose_4x4_f64(lanes + (size_t)e * 16 + l, rows + l, e);
        }
    }
    return e;
}

/* Packs as many leading floats of all rows as fill blocks; returns their number. */
CAROM_LANE uint32_t transpose_pack_blocks(float *lanes, const float *const *rows, uint32_t size)
{
    uint32_t e = 0;
    for (; e + 8 <= size; e += 8) {
        transpose_8x8(lanes + (size_t)e * 16, rows, e);
        transpose_8x8(lanes + (size_t)e * 16 + 8, rows + 8, e);
    }
    if (e + 4 <= size) { /* csb's actions have four numbers */
        transpose_pack_four(lanes, rows, e);
        e += 4;
    }
    return e;
}

#else

CAROM_LANE uint32_t transpose_pack_blocks_f64(double *lanes, const double *const *rows, uint32_t size)
{
    (void)lanes, (void)rows, (void)size;
    return 0; /* a block of two would be no faster than single numbers */
}

CAROM_LANE uint32_t transpose_pack_blocks(float *lanes, const float *const *rows, uint32_t size)
{
    uint32_t e = 0;
    for (; e + 4 <= size; e += 4) {
        transpose_pack_four(lanes, rows, e);
    }
    return e;
}

#endif

/* Packs blocks as far as possible, then single numbers. */
static void transpose_pack(void *lanes, const void *const *rows, uint32_t size, uint32_t number_bytes)
{
    if (number_bytes == sizeof(float)) {
        const float *const *from = (const float *const *)rows;
        float *to = (float *)lanes;
        for (uint32_t e = transpose_pack_blocks(to, from, size); e < size; e++) {
            for (size_t l = 0; l < 16; l++) {
                to[e * 16 + l] = from[l][e];
            }
        }
    } else {
        const double *const *from = (const double *const *)rows;
        double *to = (double *)lanes;
        for (uint32_t e = transpose_pack_blocks_f64(to, from, size); e < size; e++) {
            for (size_t l = 0; l < 16; l++) {
                to[e * 16 + l] = from[l][e];
            }
        }
    }
}

/* ---- lanes into rows ---- */

#if defined(CAROM_ISA_AVX2) || defined(CAROM_ISA_AVX512)
#define TRANSPOSE_BLOCK 8

/* Writes eight numbers of four lanes to four rows. The halves of a register are transposed separately: the lower halves
 * hold the first four numbers of the rows, the upper halves the others. `twice`: also writes them `twin` numbers
 * further on. */
CAROM_LANE void transpose_columns(float *const rows[4], const float *lanes, bool twice, ptrdiff_t twin)
{
    simde__m256 in[4], pair[4], row[4];
    for (size_t k = 0; k < 4; k++) {
        in[k] = simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(simde_mm_load_ps(lanes + k * 16)),
                                          simde_mm_load_ps(lanes + (k + 4) * 16), 1);
    }
    pair[0] = simde_mm256_unpacklo_ps(in[0], in[1]);
    pair[1] = simde_mm256_unpackhi_ps(in[0], in[1]);
    pair[2] = simde_mm256_unpacklo_ps(in[2], in[3]);
    pair[3] = simde_mm256_unpackhi_ps(in[2], in[3]);
    row[0] = simde_mm256_shuffle_ps(pair[0], pair[2], 0x44);
    row[1] = simde_mm256_shuffle_ps(pair[0], pair[2], 0xee);
    row[2] = simde_mm256_shuffle_ps(pair[1], pair[3], 0x44);
    row[3] = simde_mm256_shuffle_ps(pair[1], pair[3], 0xee);
    for (size_t k = 0; k < 4; k++) {
        simde_mm256_storeu_ps(rows[k], row[k]);
        if (twice) {
            simde_mm256_storeu_ps(rows[k] + twin, row[k]);
        }
    }
}
#else
#define TRANSPOSE_BLOCK 4

CAROM_LANE void transpose_columns(float *const rows[4], const float *lanes, bool twice, ptrdiff_t twin)
{
    simde__m128 row[4];
    for (size_t k = 0; k < 4; k++) {
        row[k] = simde_mm_load_ps(lanes + k * 16);
    }
    transpose_4x4(&row[0], &row[1], &row[2], &row[3]);
    for (size_t k = 0; k < 4; k++) {
        simde_mm_storeu_ps(rows[k], row[k]);
        if (twice) {
            simde_mm_storeu_ps(rows[k] + twin, row[k]);
        }
    }
}
#endif

typedef void transpose_columns_of(float *const rows[4], const float *lanes, bool twice, ptrdiff_t twin);

/* Unpacks four lanes, all with rows, in blocks of `block` numbers. The last block is shifted back to be whole, so it
 * overlaps the previous one. */
CAROM_LANE void transpose_unpack_blocks(float *const *rows, const float *lanes, size_t size, bool twice, ptrdiff_t twin,
                                        size_t block, transpose_columns_of *columns)
{
    float *to[4] = {rows[0], rows[1], rows[2], rows[3]};
    size_t left = size;
    for (; left > block; left -= block, lanes += block * 16) {
        columns(to, lanes, twice, twin);
        to[0] += block;
        to[1] += block;
        to[2] += block;
        to[3] += block;
    }

    const size_t back = block - left;
    float *const last[4] = {to[0] - back, to[1] - back, to[2] - back, to[3] - back};
    columns(last, lanes - back * 16, twice, twin);
}

#if defined(CAROM_ISA_AVX512) && defined(SIMDE_X86_AVX512F_NATIVE)
/* Reads numbers k, k + 4, k + 8 and k + 12 of four lanes. */
CAROM_LANE __m512 transpose_load_quarters(const float *lanes)
{
    __m512 all = _mm512_castps128_ps512(_mm_load_ps(lanes));
    all = _mm512_insertf32x4(all, _mm_load_ps(lanes + 4 * 16), 1);
    all = _mm512_insertf32x4(all, _mm_load_ps(lanes + 8 * 16), 2);
    return _mm512_insertf32x4(all, _mm_load_ps(lanes + 12 * 16), 3);
}

/* transpose_columns() for sixteen numbers, a whole line of each row. */
CAROM_LANE void transpose_columns_wide(float *const rows[4], const float *lanes, bool twice, ptrdiff_t twin)
{
    __m512 in[4], pair[4], row[4];
    for (size_t k = 0; k < 4; k++) {
        in[k] = transpose_load_quarters(lanes + k * 16);
    }
    pair[0] = _mm512_unpacklo_ps(in[0], in[1]);
    pair[1] = _mm512_unpackhi_ps(in[0], in[1]);
    pair[2] = _mm512_unpacklo_ps(in[2], in[3]);
    pair[3] = _mm512_unpackhi_ps(in[2], in[3]);
    row[0] = _mm512_shuffle_ps(pair[0], pair[2], 0x44);
    row[1] = _mm512_shuffle_ps(pair[0], pair[2], 0xee);
    row[2] = _mm512_shuffle_ps(pair[1], pair[3], 0x44);
    row[3] = _mm512_shuffle_ps(pair[1], pair[3], 0xee);
    for (size_t k = 0; k < 4; k++) {
        _mm512_storeu_ps(rows[k], row[k]);
        if (twice) {
            _mm512_storeu_ps(rows[k] + twin, row[k]);
        }
    }
}

/* Wide blocks pay up to this many numbers. A tile of 512, which with its rows does not fit into the nearest cache, is
 * written 8% faster in narrow ones. */
#define TRANSPOSE_WIDE 256

CAROM_LANE void transpose_unpack_four(float *const *rows, const float *lanes, size_t size, bool twice, ptrdiff_t twin)
{
    if (size >= TRANSPOSE_LINE && size <= TRANSPOSE_WIDE) {
        transpose_unpack_blocks(rows, lanes, size, twice, twin, TRANSPOSE_LINE, transpose_columns_wide);
    } else {
        transpose_unpack_blocks(rows, lanes, size, twice, twin, TRANSPOSE_BLOCK, transpose_columns);
    }
}
#else
CAROM_LANE void transpose_unpack_four(float *const *rows, const float *lanes, size_t size, bool twice, ptrdiff_t twin)
{
    transpose_unpack_blocks(rows, lanes, size, twice, twin, TRANSPOSE_BLOCK, transpose_columns);
}
#endif

/* Unpacks one lane, for few numbers or if some of four lanes have no row. */
CAROM_LANE void transpose_unpack_one(float *row, const float *lanes, size_t size, bool twice, ptrdiff_t twin)
{
    for (size_t e = 0; e < size; e++) {
        row[e] = lanes[e * 16];
        if (twice) {
            row[(ptrdiff_t)e + twin] = lanes[e * 16];
        }
    }
}

/* Unpacks four lanes, starting with l, to number `at` of their rows. `twice`: also writes each number `twin` numbers
 * further on. */
CAROM_LANE void transpose_unpack_lanes(float *const *rows, size_t l, size_t at, const float *lanes, size_t size,
                                       bool twice, ptrdiff_t twin)
{
    if (size >= TRANSPOSE_BLOCK && rows[l] != NULL && rows[l + 1] != NULL && rows[l + 2] != NULL &&
        rows[l + 3] != NULL) {
        float *const four[4] = {rows[l] + at, rows[l + 1] + at, rows[l + 2] + at, rows[l + 3] + at};
        transpose_unpack_four(four, lanes + l, size, twice, twin);
        return;
    }
    for (size_t k = l; k < l + 4; k++) {
        if (rows[k] != NULL) {
            transpose_unpack_one(rows[k] + at, lanes + k, size, twice, twin);
        }
    }
}

static void transpose_unpack_pieces(float *const *rows, const float *lanes, const transpose_piece *pieces,
                                    uint32_t count, size_t width)
{
    for (size_t l = 0; l < 16; l += TRANSPOSE_AHEAD) {
        if (l + TRANSPOSE_AHEAD < 16) {
            transpose_fetch(rows, (unsigned)(l + TRANSPOSE_AHEAD), width);
        }
        for (uint32_t k = 0; k < count; k++) {
            const transpose_piece *piece = &pieces[k];
            const float *from = lanes + (size_t)piece->from * 16;
            if (piece->twin == TRANSPOSE_ONCE) {
                transpose_unpack_lanes(rows, l, piece->at, from, piece->count, false, 0);
            } else {
                transpose_unpack_lanes(rows, l, piece->at, from, piece->count, true,
                                       (ptrdiff_t)piece->twin - (ptrdiff_t)piece->at);
            }
        }
    }
}

static void transpose_unpack(float *const *rows, const float *lanes, uint32_t size)
{
    for (size_t l = 0; l < 16; l += 4) {
        transpose_unpack_lanes(rows, l, 0, lanes, size, false, 0);
    }
}

static void transpose_stream(float *to, const float *from, size_t count)
{
    size_t k = 0;
    for (; k < count && (uintptr_t)(to + k) % (TRANSPOSE_LINE * sizeof(float)) != 0; k++) {
        to[k] = from[k];
    }

    for (; k + TRANSPOSE_LINE <= count; k += TRANSPOSE_LINE) {
        for (size_t part = 0; part < TRANSPOSE_LINE; part += 4) {
            simde_mm_stream_ps(to + k + part, simde_mm_loadu_ps(from + k + part));
        }
    }

    for (; k < count; k++) {
        to[k] = from[k];
    }
}

static void transpose_settle(void)
{
    simde_mm_sfence();
}

/* Draws four words for every lane: the Philox block (sequence, second, slot, tag). */
CAROM_LANE void transpose_block(uint32_t words[4][16], const transpose_names *names, uint32_t second, uint32_t slot)
{
    uint32_t key[2][16];
    for (int l = 0; l < 16; l++) {
        words[0][l] = names->sequence[l];
        words[1][l] = second;
        words[2][l] = slot;
        words[3][l] = names->tag[l];
        key[0][l] = names->key[0][l];
        key[1][l] = names->key[1][l];
    }
    philox4x32_lanes(words, key);
}

/* Number s of lane l is word s mod 4 of the Philox block (sequence, tick, slot, tag) with slot = player << 16 | s / 4.
 * The top 24 bits of the word become a number in [-1, 1). */
static void transpose_draw(float *lanes, const transpose_names *names, uint32_t tick, uint32_t player, uint32_t size)
{
    for (uint32_t block = 0; block * 4 < size; block++) {
        uint32_t words[4][16];
        transpose_block(words, names, tick, player << 16 | block);
        for (uint32_t word = 0; word < 4 && block * 4 + word < size; word++) {
            for (int l = 0; l < 16; l++) {
                int32_t top = (int32_t)(words[word][l] >> 8) - (1 << 23);
                lanes[(size_t)(block * 4 + word) * 16 + (size_t)l] = (float)top * (1.0f / (1 << 23));
            }
        }
    }
}

static void transpose_spread(float *lanes, const float *low, const float *high, uint32_t size)
{
    for (uint32_t e = 0; e < size && low != NULL; e++) {
        const float middle = (low[e] + high[e]) * 0.5f, half = (high[e] - low[e]) * 0.5f;
        for (size_t l = 0; l < 16; l++) {
            float *to = &lanes[(size_t)e * 16 + l];
            *to = random_clip(middle + half * *to, low[e], high[e]);
        }
    }
}

/* Fills a block: words 0 to 3 of the Philox block (sequence, block, slot, tag) each give two numbers. */
CAROM_LANE void transpose_fill(transpose_normals normals, const transpose_names *names, uint32_t block, uint32_t player)
{
    uint32_t words[4][16];
    transpose_block(words, names, block, player << 16 | 0x8000u);
    for (int word = 0; word < 4; word++) {
        for (int l = 0; l < 16; l++) {
            random_normal_pair(words[word][l], &normals[2 * word][l], &normals[2 * word + 1][l]);
        }
    }
}

/* Overwrites the lanes of one number that have the mean itself. */
CAROM_LANE void transpose_put_means(float *to, const float *z, const transpose_blend *how, size_t e, float low,
                                    float high)
{
    for (unsigned left = how->exact; left != 0; left &= left - 1) {
        const size_t l = (size_t)__builtin_ctz(left);
        const float mean = how->mean_alike ? how->mean[e] : how->mean[e * 16 + l];
        to[l] = random_clip(mean + 0.0f * random_beyond(z[l], how->threshold), low, high);
    }
}

static void transpose_blend_row(float *lanes, transpose_normals normals, const transpose_names *names,
                                const transpose_blend *how, uint32_t row, uint32_t player, uint32_t size)
{
    const float threshold = how->threshold;
    for (uint32_t e = 0; e < size; e++) {
        /* Rows continue through blocks of normal numbers; draw the next block when it is reached. */
        const uint64_t number = (uint64_t)row * size + e;
        if (number % TRANSPOSE_NORMALS == 0) {
            transpose_fill(normals, names, (uint32_t)(number / TRANSPOSE_NORMALS), player);
        }

        const float *z = normals[number % TRANSPOSE_NORMALS];
        const float low = how->low != NULL ? how->low[e] : -1.0f, high = how->high != NULL ? how->high[e] : 1.0f;
        float *to = lanes + (size_t)e * 16;

        /* One loop for each form of mean and sigma, so that compilers can vectorise it. */
        if (how->mean_alike) {
            const float mean = how->mean[e], sigma = how->sigma[e];
            for (size_t l = 0; l < 16; l++) {
                to[l] = random_clip(mean + sigma * random_beyond(z[l], threshold), low, high);
            }
        } else if (how->sigma_alike) {
            const float *mean = how->mean + (size_t)e * 16, sigma = how->sigma[e];
            for (size_t l = 0; l < 16; l++) {
                to[l] = random_clip(mean[l] + sigma * random_beyond(z[l], threshold), low, high);
            }
        } else {
            const float *mean = how->mean + (size_t)e * 16, *sigma = how->sigma + (size_t)e * 16;
            for (size_t l = 0; l < 16; l++) {
                to[l] = random_clip(mean[l] + sigma[l] * random_beyond(z[l], threshold), low, high);
            }
        }
        transpose_put_means(to, z, how, e, low, high);
    }
}

CAROM_EXTERN const transpose_kernel CAROM_KERNEL_ANY(transpose);
const transpose_kernel CAROM_KERNEL_ANY(transpose) = {transpose_pack,   transpose_unpack,   transpose_unpack_pieces,
                                                      transpose_stream, transpose_settle,   transpose_draw,
                                                      transpose_spread, transpose_blend_row};
