/* SPDX-License-Identifier: MIT
 * The lane vocabulary in 512-bit registers (AVX-512 F, DQ, BW, VL), over SIMDe. See simd/lanes.h.
 *
 * SIMDe 0.7 lacks a few of these functions; they are replaced by the native intrinsic, and by a plain loop in the
 * emulated build.
 */
#ifndef CAROM_SIMD_X512_H
#define CAROM_SIMD_X512_H

#include <simde/x86/avx512.h>

#if defined(CAROM_EMULATED) == defined(SIMDE_X86_AVX512F_NATIVE)
#error "compile this file with -mavx512f -mavx512dq -mavx512bw -mavx512vl, or with CAROM_EMULATED and SIMDE_NO_NATIVE"
#endif

#if CAROM_REAL_BITS == 64
#define LANES 8
#define V(operation) simde_mm512_##operation##_pd
#define CMP(a, b, predicate) simde_mm512_cmp_pd_mask(a, b, predicate)
#define VI(operation) simde_mm256_##operation
typedef simde__m256i vint;
typedef simde__mmask8 vmask;
#else
#define LANES 16
#define V(operation) simde_mm512_##operation##_ps
#define CMP(a, b, predicate) simde_mm512_cmp_ps_mask(a, b, predicate)
#define VI(operation) simde_mm512_##operation
typedef simde__m512i vint;
typedef simde__mmask16 vmask;
#endif
typedef real vreal __attribute__((vector_size(LANES * sizeof(real))));

CAROM_LANE vreal v_load(const real *from) { return V(load)(from); }
CAROM_LANE vreal v_loadu(const real *from) { return V(loadu)(from); }
CAROM_LANE void v_store(real *to, vreal a) { V(store)(to, a); }
CAROM_LANE void v_storeu(real *to, vreal a) { V(storeu)(to, a); }
CAROM_LANE vreal v_set1(real a) { return V(set1)(a); }

CAROM_LANE vreal v_sqrt(vreal a) { return V(sqrt)(a); }
/* SIMDe 0.7 emulates abs by a < 0, which misses -0. */
CAROM_LANE vreal v_abs(vreal a) { return V(andnot)(V(set1)(REAL(-0.0)), a); }

CAROM_LANE vmask v_lt(vreal a, vreal b) { return CMP(a, b, SIMDE_CMP_LT_OQ); }
CAROM_LANE vmask v_le(vreal a, vreal b) { return CMP(a, b, SIMDE_CMP_LE_OQ); }
CAROM_LANE vmask v_gt(vreal a, vreal b) { return CMP(a, b, SIMDE_CMP_GT_OQ); }
CAROM_LANE vmask v_ge(vreal a, vreal b) { return CMP(a, b, SIMDE_CMP_GE_OQ); }
CAROM_LANE vmask v_eq(vreal a, vreal b) { return CMP(a, b, SIMDE_CMP_EQ_OQ); }
CAROM_LANE vmask v_ne(vreal a, vreal b) { return CMP(a, b, SIMDE_CMP_NEQ_UQ); }
CAROM_LANE vreal v_select(vmask m, vreal a, vreal b) { return V(mask_blend)(m, b, a); }

CAROM_LANE vint i_set1(int32_t a) { return VI(set1_epi32)(a); }
CAROM_LANE vint i_add(vint a, vint b) { return VI(add_epi32)(a, b); }
CAROM_LANE vint i_sub(vint a, vint b) { return VI(sub_epi32)(a, b); }

CAROM_LANE vmask m_and(vmask a, vmask b) { return (vmask)(a & b); }
CAROM_LANE vmask m_or(vmask a, vmask b) { return (vmask)(a | b); }
CAROM_LANE vmask m_not(vmask a) { return (vmask)~a; }
CAROM_LANE vmask m_andnot(vmask a, vmask b) { return (vmask)(a & ~b); }
CAROM_LANE bool m_any(vmask a) { return a != 0; }
CAROM_LANE bool m_all(vmask a) { return a == (vmask)-1; }
CAROM_LANE unsigned m_bits(vmask a) { return a; }
CAROM_LANE vmask m_from_bits(unsigned bits) { return (vmask)bits; }

#if CAROM_REAL_BITS == 64
CAROM_LANE vint i_and(vint a, vint b) { return simde_mm256_and_si256(a, b); }
CAROM_LANE vint i_or(vint a, vint b) { return simde_mm256_or_si256(a, b); }
CAROM_LANE vint i_load32(const int32_t *from) { return simde_mm256_load_si256((const simde__m256i *)from); }
CAROM_LANE vint i_loadu32(const int32_t *from) { return simde_mm256_loadu_si256((const simde__m256i *)from); }
CAROM_LANE void i_store32(int32_t *to, vint a) { simde_mm256_store_si256((simde__m256i *)to, a); }
#else
CAROM_LANE vint i_and(vint a, vint b) { return simde_mm512_and_si512(a, b); }
CAROM_LANE vint i_or(vint a, vint b) { return simde_mm512_or_si512(a, b); }
CAROM_LANE vint i_load32(const int32_t *from) { return simde_mm512_load_si512(from); }
CAROM_LANE vint i_loadu32(const int32_t *from) { return simde_mm512_loadu_si512(from); }
CAROM_LANE void i_store32(int32_t *to, vint a) { simde_mm512_store_si512(to, a); }
#endif

#if defined(SIMDE_X86_AVX512F_NATIVE)
#define V_HAS_PRODUCT_ERROR
#define V_HAS_OCTANT_WITHIN

#if CAROM_REAL_BITS == 64
CAROM_LANE vmask v_disjoint(vreal a, vreal b)
{
    return _mm512_testn_epi64_mask(_mm512_castpd_si512(a), _mm512_castpd_si512(b));
}
#else
CAROM_LANE vmask v_disjoint(vreal a, vreal b)
{
    return _mm512_testn_epi32_mask(_mm512_castps_si512(a), _mm512_castps_si512(b));
}
#endif

CAROM_LANE vreal v_min(vreal a, vreal b) { return V(min)(a, b); }
CAROM_LANE vreal v_max(vreal a, vreal b) { return V(max)(a, b); }

#if CAROM_REAL_BITS == 64
CAROM_LANE vreal v_floor(vreal a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
CAROM_LANE vreal v_trunc(vreal a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
CAROM_LANE vreal v_flip(vmask m, vreal a) { return _mm512_mask_xor_pd(a, m, a, _mm512_set1_pd(-0.0)); }
CAROM_LANE vint v_truncate(vreal a) { return _mm512_cvttpd_epi32(a); }
CAROM_LANE vreal v_from_int(vint a) { return _mm512_cvtepi32_pd(a); }
CAROM_LANE vreal v_load_f32(const float *from) { return _mm512_cvtps_pd(_mm256_loadu_ps(from)); }
CAROM_LANE vreal v_load_f64(const double *from) { return _mm512_loadu_pd(from); }
CAROM_LANE void v_store_f32(float *to, vreal a) { _mm256_storeu_ps(to, _mm512_cvtpd_ps(a)); }
CAROM_LANE vreal v_gather(const real *base, vint index) { return _mm512_i32gather_pd(index, base, 8); }
CAROM_LANE void i_pairs(const int32_t (*pairs)[2], vint index, vint *a, vint *b)
{
    const __m512i both = _mm512_i32gather_epi64(index, pairs, 8);
    *a = _mm512_cvtepi64_epi32(both);
    *b = _mm512_cvtepi64_epi32(_mm512_srli_epi64(both, 32));
}
CAROM_LANE void v_compress(real *to, vmask m, vreal a) { _mm512_storeu_pd(to, _mm512_mask_compress_pd(a, m, a)); }
CAROM_LANE vreal v_expand(vreal a, vmask m, const real *from)
{
    return _mm512_mask_expand_pd(a, m, _mm512_loadu_pd(from));
}
CAROM_LANE vreal v_binade(vreal a)
{
    return _mm512_and_pd(a, _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff0000000000000)));
}
CAROM_LANE vreal v_scale(vreal a)
{
    __m512i exponent = _mm512_castpd_si512(v_binade(a));
    return _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(0x7ff0000000000000), exponent));
}
CAROM_LANE vreal v_if_negative(vreal b, vreal t)
{
    /* As unsigned integers, negative numbers and NaN are greater than infinity. 0xf2: t | (~b & sign) */
    __m512i sign = _mm512_set1_epi64(INT64_MIN);
    __m512i refused = _mm512_ternarylogic_epi64(_mm512_castpd_si512(t), _mm512_castpd_si512(b), sign, 0xf2);
    return _mm512_castsi512_pd(_mm512_min_epu64(refused, _mm512_set1_epi64(0x7ff0000000000000)));
}
CAROM_LANE vreal v_rsqrt_guess(vreal a)
{
    __m512i half = _mm512_srli_epi64(_mm512_castpd_si512(a), 1);
    return _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(0x5fe6eb50c7b537a9), half));
}
/* A sum of at least 2^52 is whole, and its last bits are those of the whole number that was added. */
CAROM_LANE vreal v_octant_within(vreal a, vmask *quarter, vmask *half)
{
    const __m512d large = _mm512_set1_pd(0x1p52);
    __m512i j = _mm512_castpd_si512(_mm512_add_round_pd(a, large, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    j = _mm512_and_si512(_mm512_add_epi64(j, _mm512_set1_epi64(1)), _mm512_set1_epi64(~INT64_C(1)));
    *quarter = _mm512_test_epi64_mask(j, _mm512_set1_epi64(2));
    *half = _mm512_test_epi64_mask(j, _mm512_set1_epi64(4));
    return _mm512_sub_pd(_mm512_castsi512_pd(j), large);
}
CAROM_LANE vreal v_product_error(vreal a, vreal b, vreal product) { return _mm512_fmsub_pd(a, b, product); }
CAROM_LANE vreal v_high(vreal a) { return _mm512_and_pd(a, _mm512_castsi512_pd(_mm512_set1_epi64(-0x100000000))); }
CAROM_LANE void i_compress(int32_t *to, vmask m, vint a)
{
    _mm256_storeu_si256((__m256i *)to, _mm256_maskz_compress_epi32(m, a));
}
CAROM_LANE vmask i_eq(vint a, vint b) { return _mm256_cmpeq_epi32_mask(a, b); }
CAROM_LANE vmask i_gt(vint a, vint b) { return _mm256_cmpgt_epi32_mask(a, b); }
CAROM_LANE vint i_select(vmask m, vint a, vint b) { return _mm256_mask_blend_epi32(m, b, a); }
CAROM_LANE vint i_load16(const int16_t *from) { return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)from)); }
CAROM_LANE vint i_load8(const int8_t *from) { return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)from)); }
CAROM_LANE void i_store16(int16_t *to, vint a) { _mm_storeu_si128((__m128i *)to, _mm256_cvtepi32_epi16(a)); }
CAROM_LANE void i_store8(int8_t *to, vint a) { _mm_storel_epi64((__m128i *)to, _mm256_cvtepi32_epi8(a)); }
#else
CAROM_LANE vreal v_floor(vreal a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
CAROM_LANE vreal v_trunc(vreal a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
CAROM_LANE vreal v_flip(vmask m, vreal a) { return _mm512_mask_xor_ps(a, m, a, _mm512_set1_ps(-0.0f)); }
CAROM_LANE vint v_truncate(vreal a) { return _mm512_cvttps_epi32(a); }
CAROM_LANE vreal v_from_int(vint a) { return _mm512_cvtepi32_ps(a); }
CAROM_LANE vreal v_load_f32(const float *from) { return _mm512_loadu_ps(from); }
CAROM_LANE vreal v_load_f64(const double *from)
{
    __m256 low = _mm512_cvtpd_ps(_mm512_loadu_pd(from)), high = _mm512_cvtpd_ps(_mm512_loadu_pd(from + 8));
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
CAROM_LANE void v_store_f32(float *to, vreal a) { _mm512_storeu_ps(to, a); }
CAROM_LANE vreal v_gather(const real *base, vint index) { return _mm512_i32gather_ps(index, base, 4); }
CAROM_LANE void i_pairs(const int32_t (*pairs)[2], vint index, vint *a, vint *b)
{
    const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(index), pairs, 8);
    const __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(index, 1), pairs, 8);
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *a = _mm512_permutex2var_epi32(low, even, high);
    *b = _mm512_permutex2var_epi32(low, _mm512_or_si512(even, _mm512_set1_epi32(1)), high);
}
CAROM_LANE void v_compress(real *to, vmask m, vreal a) { _mm512_storeu_ps(to, _mm512_mask_compress_ps(a, m, a)); }
CAROM_LANE vreal v_expand(vreal a, vmask m, const real *from)
{
    return _mm512_mask_expand_ps(a, m, _mm512_loadu_ps(from));
}
CAROM_LANE vreal v_binade(vreal a) { return _mm512_and_ps(a, _mm512_castsi512_ps(_mm512_set1_epi32(0x7f800000))); }
CAROM_LANE vreal v_scale(vreal a)
{
    __m512i exponent = _mm512_castps_si512(v_binade(a));
    return _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(0x7f800000), exponent));
}
CAROM_LANE vreal v_if_negative(vreal b, vreal t)
{
    __m512i sign = _mm512_set1_epi32(INT32_MIN);
    __m512i refused = _mm512_ternarylogic_epi32(_mm512_castps_si512(t), _mm512_castps_si512(b), sign, 0xf2);
    return _mm512_castsi512_ps(_mm512_min_epu32(refused, _mm512_set1_epi32(0x7f800000)));
}
CAROM_LANE vreal v_rsqrt_guess(vreal a)
{
    __m512i half = _mm512_srli_epi32(_mm512_castps_si512(a), 1);
    return _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(0x5f3759df), half));
}
/* As in f64, with sums of at least 2^23. */
CAROM_LANE vreal v_octant_within(vreal a, vmask *quarter, vmask *half)
{
    const __m512 large = _mm512_set1_ps(0x1p23f);
    __m512i j = _mm512_castps_si512(_mm512_add_round_ps(a, large, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    j = _mm512_and_si512(_mm512_add_epi32(j, _mm512_set1_epi32(1)), _mm512_set1_epi32(~1));
    *quarter = _mm512_test_epi32_mask(j, _mm512_set1_epi32(2));
    *half = _mm512_test_epi32_mask(j, _mm512_set1_epi32(4));
    return _mm512_sub_ps(_mm512_castsi512_ps(j), large);
}
CAROM_LANE vreal v_product_error(vreal a, vreal b, vreal product) { return _mm512_fmsub_ps(a, b, product); }
CAROM_LANE vreal v_high(vreal a) { return _mm512_and_ps(a, _mm512_castsi512_ps(_mm512_set1_epi32(-0x10000))); }
CAROM_LANE void i_compress(int32_t *to, vmask m, vint a) { _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(m, a)); }
CAROM_LANE vmask i_eq(vint a, vint b) { return _mm512_cmpeq_epi32_mask(a, b); }
CAROM_LANE vmask i_gt(vint a, vint b) { return _mm512_cmpgt_epi32_mask(a, b); }
CAROM_LANE vint i_select(vmask m, vint a, vint b) { return _mm512_mask_blend_epi32(m, b, a); }
CAROM_LANE vint i_load16(const int16_t *from)
{
    return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)from));
}
CAROM_LANE vint i_load8(const int8_t *from) { return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)from)); }
CAROM_LANE void i_store16(int16_t *to, vint a) { _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(a)); }
CAROM_LANE void i_store8(int8_t *to, vint a) { _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(a)); }
#endif

#define V_HAS_ROWS
#define V_HAS_LEAST
#define I_HAS_PACK16

CAROM_LANE uint32_t i_pack16(int32_t *to, const int32_t *from, uint32_t count, int32_t self)
{
    __m512i a = _mm512_loadu_si512(from);
    __mmask16 below = (__mmask16)((1u << count) - 1);
    below = _mm512_mask_cmpge_epi32_mask(below, a, _mm512_setzero_si512());
    below = _mm512_mask_cmpneq_epi32_mask(below, a, _mm512_set1_epi32(self));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(below, a));
    return (uint32_t)__builtin_popcount(below);
}

#if CAROM_REAL_BITS == 64
CAROM_LANE real v_least(vreal a) { return _mm512_reduce_min_pd(a); }

/* Reals 0..3 of rows k and k + 4. */
CAROM_LANE __m512d x512_rows(const real *base, size_t stride, const int32_t *index, int k)
{
    __m256d low = _mm256_loadu_pd(base + (size_t)index[k] * stride);
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), _mm256_loadu_pd(base + (size_t)index[k + 4] * stride), 1);
}

CAROM_LANE __m128d x512_fifths(const real *base, size_t stride, const int32_t *index)
{
    __m128d low = _mm_load_sd(base + (size_t)index[0] * stride + 4);
    return _mm_loadh_pd(low, base + (size_t)index[1] * stride + 4);
}

CAROM_LANE void v_rows(const real *base, size_t stride, const int32_t *index, vreal to[5])
{
    __m512d a = x512_rows(base, stride, index, 0), b = x512_rows(base, stride, index, 1);
    __m512d c = x512_rows(base, stride, index, 2), d = x512_rows(base, stride, index, 3);
    __m512d even = _mm512_unpacklo_pd(a, b), odd = _mm512_unpackhi_pd(a, b);
    __m512d even_high = _mm512_unpacklo_pd(c, d), odd_high = _mm512_unpackhi_pd(c, d);
    __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    to[0] = _mm512_permutex2var_pd(even, first, even_high);
    to[1] = _mm512_permutex2var_pd(odd, first, odd_high);
    to[2] = _mm512_permutex2var_pd(even, second, even_high);
    to[3] = _mm512_permutex2var_pd(odd, second, odd_high);
    __m256d low = _mm256_set_m128d(x512_fifths(base, stride, index + 2), x512_fifths(base, stride, index));
    __m256d high = _mm256_set_m128d(x512_fifths(base, stride, index + 6), x512_fifths(base, stride, index + 4));
    to[4] = _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}
#else
CAROM_LANE real v_least(vreal a) { return _mm512_reduce_min_ps(a); }

/* Reals 0..3 of rows k, k + 4, k + 8 and k + 12. */
CAROM_LANE __m512 x512_rows(const real *base, size_t stride, const int32_t *index, int k)
{
    __m512 rows = _mm512_castps128_ps512(_mm_loadu_ps(base + (size_t)index[k] * stride));
    rows = _mm512_insertf32x4(rows, _mm_loadu_ps(base + (size_t)index[k + 4] * stride), 1);
    rows = _mm512_insertf32x4(rows, _mm_loadu_ps(base + (size_t)index[k + 8] * stride), 2);
    return _mm512_insertf32x4(rows, _mm_loadu_ps(base + (size_t)index[k + 12] * stride), 3);
}

CAROM_LANE void v_rows(const real *base, size_t stride, const int32_t *index, vreal to[5])
{
    __m512 a = x512_rows(base, stride, index, 0), b = x512_rows(base, stride, index, 1);
    __m512 c = x512_rows(base, stride, index, 2), d = x512_rows(base, stride, index, 3);
    __m512d ab = _mm512_castps_pd(_mm512_unpacklo_ps(a, b)), cd = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
    __m512d ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b)), cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    to[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd));
    to[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd));
    to[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_high, cd_high));
    to[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_high, cd_high));
    real fifth[LANES];
    for (int l = 0; l < LANES; l++) {
        fifth[l] = base[(size_t)index[l] * stride + 4];
    }
    to[4] = v_loadu(fifth);
}
#endif

#else
#include "simd/generic.h"
#endif

#undef V
#undef CMP
#undef VI

#endif
