/* SPDX-License-Identifier: MIT
 * The lane vocabulary in 512-bit registers (AVX-512 F, DQ, BW, VL), over SIMDe. See simd/lanes.h.
 *
 * SIMDe 0.7 lacks a few of these functions; where it does, the native intrinsic stands beside a plain loop, which
 * serves the emulated build.
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
typedef simde__m512d vreal;
typedef simde__m256i vint;
typedef simde__mmask8 vmask;
#else
#define LANES 16
#define V(operation) simde_mm512_##operation##_ps
#define CMP(a, b, predicate) simde_mm512_cmp_ps_mask(a, b, predicate)
#define VI(operation) simde_mm512_##operation
typedef simde__m512 vreal;
typedef simde__m512i vint;
typedef simde__mmask16 vmask;
#endif

CAROM_LANE vreal v_load(const real *from) { return V(load)(from); }
CAROM_LANE vreal v_loadu(const real *from) { return V(loadu)(from); }
CAROM_LANE void v_store(real *to, vreal a) { V(store)(to, a); }
CAROM_LANE void v_storeu(real *to, vreal a) { V(storeu)(to, a); }
CAROM_LANE vreal v_set1(real a) { return V(set1)(a); }

CAROM_LANE vreal v_add(vreal a, vreal b) { return V(add)(a, b); }
CAROM_LANE vreal v_sub(vreal a, vreal b) { return V(sub)(a, b); }
CAROM_LANE vreal v_mul(vreal a, vreal b) { return V(mul)(a, b); }
CAROM_LANE vreal v_div(vreal a, vreal b) { return V(div)(a, b); }
CAROM_LANE vreal v_sqrt(vreal a) { return V(sqrt)(a); }
CAROM_LANE vreal v_abs(vreal a) { return V(andnot)(V(set1)(REAL(-0.0)), a); } /* SIMDe 0.7 emulates abs by a < 0 */
CAROM_LANE vreal v_neg(vreal a) { return V(xor)(a, V(set1)(REAL(-0.0))); }

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
CAROM_LANE void v_compress(real *to, vmask m, vreal a) { _mm512_storeu_pd(to, _mm512_maskz_compress_pd(m, a)); }
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
CAROM_LANE vreal v_rsqrt_guess(vreal a)
{
    __m512i half = _mm512_srli_epi64(_mm512_castpd_si512(a), 1);
    return _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(0x5fe6eb50c7b537a9), half));
}
CAROM_LANE vreal v_product_error(vreal a, vreal b, vreal product) { return _mm512_fmsub_pd(a, b, product); }
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
CAROM_LANE void v_compress(real *to, vmask m, vreal a) { _mm512_storeu_ps(to, _mm512_maskz_compress_ps(m, a)); }
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
CAROM_LANE vreal v_rsqrt_guess(vreal a)
{
    __m512i half = _mm512_srli_epi32(_mm512_castps_si512(a), 1);
    return _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(0x5f3759df), half));
}
CAROM_LANE vreal v_product_error(vreal a, vreal b, vreal product) { return _mm512_fmsub_ps(a, b, product); }
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

#else
#include "simd/generic.h"
#endif

#undef V
#undef CMP
#undef VI

#endif
