/* SPDX-License-Identifier: MIT
 * The lane vocabulary in 128-bit registers over SIMDe: SSE4.1, or AArch64 NEON or WebAssembly SIMD behind the same
 * functions. See simd/lanes.h. A vmask is a register of all-ones or all-zeros lanes. With two f64 lanes a vint uses its
 * low half.
 */
#ifndef CAROM_SIMD_X128_H
#define CAROM_SIMD_X128_H

#include <simde/x86/sse4.1.h>

#include "simd/packing.h"

#if defined(CAROM_EMULATED) ==                                                                                         \
    (defined(SIMDE_X86_SSE4_1_NATIVE) || defined(SIMDE_ARM_NEON_A64V8_NATIVE) || defined(SIMDE_WASM_SIMD128_NATIVE))
#error "compile this file with -msse4.1, for AArch64, with -msimd128 or with CAROM_EMULATED and SIMDE_NO_NATIVE"
#endif

#if CAROM_REAL_BITS == 64
#define LANES 2
#define V(operation) simde_mm_##operation##_pd
typedef simde__m128d vmask;
#define CAST(a) simde_mm_castsi128_pd(a)
#define UNCAST(a) simde_mm_castpd_si128(a)
#else
#define LANES 4
#define V(operation) simde_mm_##operation##_ps
typedef simde__m128 vmask;
#define CAST(a) simde_mm_castsi128_ps(a)
#define UNCAST(a) simde_mm_castps_si128(a)
#endif
typedef real vreal __attribute__((vector_size(LANES * sizeof(real))));
typedef simde__m128i vint;

CAROM_LANE vreal v_load(const real *from) { return V(load)(from); }
CAROM_LANE vreal v_loadu(const real *from) { return V(loadu)(from); }
CAROM_LANE void v_store(real *to, vreal a) { V(store)(to, a); }
CAROM_LANE void v_storeu(real *to, vreal a) { V(storeu)(to, a); }
CAROM_LANE vreal v_set1(real a)
{
    LANES_HOLD(a);
    return V(set1)(a);
}

CAROM_LANE vreal v_sqrt(vreal a) { return V(sqrt)(a); }
CAROM_LANE vreal v_abs(vreal a) { return V(andnot)(V(set1)(REAL(-0.0)), a); }
CAROM_LANE vreal v_floor(vreal a) { return V(round)(a, SIMDE_MM_FROUND_TO_NEG_INF | SIMDE_MM_FROUND_NO_EXC); }
CAROM_LANE vreal v_trunc(vreal a) { return V(round)(a, SIMDE_MM_FROUND_TO_ZERO | SIMDE_MM_FROUND_NO_EXC); }

CAROM_LANE vmask v_lt(vreal a, vreal b) { return V(cmplt)(a, b); }
CAROM_LANE vmask v_le(vreal a, vreal b) { return V(cmple)(a, b); }
CAROM_LANE vmask v_gt(vreal a, vreal b) { return V(cmpgt)(a, b); }
CAROM_LANE vmask v_ge(vreal a, vreal b) { return V(cmpge)(a, b); }
CAROM_LANE vmask v_eq(vreal a, vreal b) { return V(cmpeq)(a, b); }
CAROM_LANE vmask v_ne(vreal a, vreal b) { return V(cmpneq)(a, b); }
#if defined(SIMDE_WASM_SIMD128_NATIVE) /* bitwise, without first extracting the sign of a lane */
CAROM_LANE vreal v_select(vmask m, vreal a, vreal b)
{
    return (vreal)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)m);
}
#else
CAROM_LANE vreal v_select(vmask m, vreal a, vreal b) { return V(blendv)(b, a, m); }
#endif
CAROM_LANE vreal v_flip(vmask m, vreal a) { return V(xor)(a, V(and)(m, V(set1)(REAL(-0.0)))); }

#if defined(SIMDE_X86_SSE4_1_NATIVE)
CAROM_LANE vreal v_min(vreal a, vreal b) { return V(min)(a, b); }
CAROM_LANE vreal v_max(vreal a, vreal b) { return V(max)(a, b); }
#elif defined(SIMDE_WASM_SIMD128_NATIVE) /* pmin(b, a) = a < b ? a : b */
#if CAROM_REAL_BITS == 64
CAROM_LANE vreal v_min(vreal a, vreal b) { return (vreal)wasm_f64x2_pmin((v128_t)b, (v128_t)a); }
CAROM_LANE vreal v_max(vreal a, vreal b) { return (vreal)wasm_f64x2_pmax((v128_t)b, (v128_t)a); }
#else
CAROM_LANE vreal v_min(vreal a, vreal b) { return (vreal)wasm_f32x4_pmin((v128_t)b, (v128_t)a); }
CAROM_LANE vreal v_max(vreal a, vreal b) { return (vreal)wasm_f32x4_pmax((v128_t)b, (v128_t)a); }
#endif
#else /* NEON's minimum treats NaN and zeros differently */
CAROM_LANE vreal v_min(vreal a, vreal b) { return v_select(v_lt(a, b), a, b); }
CAROM_LANE vreal v_max(vreal a, vreal b) { return v_select(v_gt(a, b), a, b); }
#endif

CAROM_LANE vmask m_and(vmask a, vmask b) { return V(and)(a, b); }
CAROM_LANE vmask m_or(vmask a, vmask b) { return V(or)(a, b); }
CAROM_LANE vmask m_andnot(vmask a, vmask b) { return V(andnot)(b, a); }
#if defined(SIMDE_WASM_SIMD128_NATIVE)
#if CAROM_REAL_BITS == 64
CAROM_LANE unsigned m_bits(vmask a) { return (unsigned)wasm_i64x2_bitmask((v128_t)a); }
#else
CAROM_LANE unsigned m_bits(vmask a) { return (unsigned)wasm_i32x4_bitmask((v128_t)a); }
#endif
#else
CAROM_LANE unsigned m_bits(vmask a) { return (unsigned)V(movemask)(a); }
#endif
#if defined(SIMDE_ARM_NEON_A64V8_NATIVE) /* movemask takes several instructions, a horizontal maximum one */
CAROM_LANE bool m_any(vmask a) { return vmaxvq_u32(vreinterpretq_u32_s64(simde__m128i_to_neon_i64(UNCAST(a)))) != 0; }
CAROM_LANE bool m_all(vmask a) { return vminvq_u32(vreinterpretq_u32_s64(simde__m128i_to_neon_i64(UNCAST(a)))) != 0; }
#elif defined(SIMDE_WASM_SIMD128_NATIVE)
CAROM_LANE bool m_any(vmask a) { return wasm_v128_any_true((v128_t)a); }
CAROM_LANE bool m_all(vmask a) { return m_bits(a) == (1u << LANES) - 1; }
#else
CAROM_LANE bool m_any(vmask a) { return m_bits(a) != 0; }
CAROM_LANE bool m_all(vmask a) { return m_bits(a) == (1u << LANES) - 1; }
#endif

CAROM_LANE vint i_set1(int32_t a)
{
    LANES_HOLD(a);
    return simde_mm_set1_epi32(a);
}
CAROM_LANE vint i_add(vint a, vint b) { return simde_mm_add_epi32(a, b); }
CAROM_LANE vint i_sub(vint a, vint b) { return simde_mm_sub_epi32(a, b); }
CAROM_LANE vint i_and(vint a, vint b) { return simde_mm_and_si128(a, b); }
CAROM_LANE vint i_or(vint a, vint b) { return simde_mm_or_si128(a, b); }

#if defined(SIMDE_ARM_NEON_A64V8_NATIVE) /* AArch64 always has fused operations */
#define V_HAS_PRODUCT_ERROR
#if CAROM_REAL_BITS == 64
CAROM_LANE vreal v_product_error(vreal a, vreal b, vreal product)
{
    float64x2_t x = simde__m128d_to_neon_f64(a), y = simde__m128d_to_neon_f64(b);
    return simde__m128d_from_neon_f64(vfmaq_f64(vnegq_f64(simde__m128d_to_neon_f64(product)), x, y));
}
#else
CAROM_LANE vreal v_product_error(vreal a, vreal b, vreal product)
{
    float32x4_t x = simde__m128_to_neon_f32(a), y = simde__m128_to_neon_f32(b);
    return simde__m128_from_neon_f32(vfmaq_f32(vnegq_f32(simde__m128_to_neon_f32(product)), x, y));
}
#endif
#endif

#if CAROM_REAL_BITS == 64

CAROM_LANE vreal v_binade(vreal a) { return V(and)(a, CAST(simde_mm_set1_epi64x(0x7ff0000000000000))); }
CAROM_LANE vreal v_scale(vreal a)
{
    return CAST(simde_mm_sub_epi64(simde_mm_set1_epi64x(0x7ff0000000000000), UNCAST(v_binade(a))));
}
CAROM_LANE vreal v_if_negative(vreal b, vreal t)
{
    const vreal never = v_set1(__builtin_inf());
    return simde_mm_blendv_pd(never, v_select(v_lt(t, never), t, never), V(andnot)(t, b)); /* selects by the sign bit */
}
CAROM_LANE vreal v_rsqrt_guess(vreal a)
{
    return CAST(simde_mm_sub_epi64(simde_mm_set1_epi64x(0x5fe6eb50c7b537a9), simde_mm_srli_epi64(UNCAST(a), 1)));
}
CAROM_LANE vmask v_disjoint(vreal a, vreal b)
{
    return CAST(simde_mm_cmpeq_epi64(simde_mm_castpd_si128(V(and)(a, b)), simde_mm_setzero_si128()));
}
CAROM_LANE vreal v_high(vreal a) { return V(and)(a, CAST(simde_mm_set1_epi64x(-0x100000000))); }
CAROM_LANE vint v_truncate(vreal a) { return simde_mm_cvttpd_epi32(a); }
CAROM_LANE vreal v_from_int(vint a) { return simde_mm_cvtepi32_pd(a); }
CAROM_LANE vreal v_load_f32(const float *from)
{
    return simde_mm_cvtps_pd(simde_mm_castsi128_ps(simde_mm_loadl_epi64((const simde__m128i *)from)));
}
CAROM_LANE vreal v_load_f64(const double *from) { return simde_mm_loadu_pd(from); }
CAROM_LANE void v_store_f32(float *to, vreal a)
{
    simde_mm_storel_epi64((simde__m128i *)to, simde_mm_castps_si128(simde_mm_cvtpd_ps(a)));
}

CAROM_LANE vint i_load32(const int32_t *from) { return simde_mm_loadl_epi64((const simde__m128i *)from); }
CAROM_LANE vint i_loadu32(const int32_t *from) { return simde_mm_loadl_epi64((const simde__m128i *)from); }
CAROM_LANE void i_store32(int32_t *to, vint a) { simde_mm_storel_epi64((simde__m128i *)to, a); }

/* Turns a mask of 32-bit lanes into one of 64-bit lanes. */
CAROM_LANE vmask m_widen(simde__m128i a) { return CAST(simde_mm_shuffle_epi32(a, 0x50)); }

/* Turns a mask of 64-bit lanes into one of 32-bit lanes. */
CAROM_LANE simde__m128i m_narrow(vmask a) { return simde_mm_shuffle_epi32(UNCAST(a), 0x08); }

CAROM_LANE vint i_load16(const int16_t *from)
{
    int32_t two;
    __builtin_memcpy(&two, from, sizeof two);
    LANES_HOLD(two);
    return simde_mm_cvtepi16_epi32(simde_mm_cvtsi32_si128(two));
}

CAROM_LANE vint i_load8(const int8_t *from) { return simde_mm_setr_epi32(from[0], from[1], 0, 0); }

CAROM_LANE void i_store16(int16_t *to, vint a)
{
    to[0] = (int16_t)simde_mm_extract_epi16(a, 0);
    to[1] = (int16_t)simde_mm_extract_epi16(a, 2);
}

CAROM_LANE void i_store8(int8_t *to, vint a)
{
    to[0] = (int8_t)simde_mm_extract_epi8(a, 0);
    to[1] = (int8_t)simde_mm_extract_epi8(a, 4);
}

#else

CAROM_LANE vreal v_binade(vreal a) { return V(and)(a, CAST(simde_mm_set1_epi32(0x7f800000))); }
CAROM_LANE vreal v_scale(vreal a)
{
    return CAST(simde_mm_sub_epi32(simde_mm_set1_epi32(0x7f800000), UNCAST(v_binade(a))));
}
CAROM_LANE vreal v_if_negative(vreal b, vreal t)
{
    /* As unsigned integers, negative numbers and NaN are greater than infinity. */
    vreal refused = V(or)(V(andnot)(b, v_set1(-0.0f)), t);
    return CAST(simde_mm_min_epu32(UNCAST(refused), simde_mm_set1_epi32(0x7f800000)));
}
CAROM_LANE vreal v_rsqrt_guess(vreal a)
{
    return CAST(simde_mm_sub_epi32(simde_mm_set1_epi32(0x5f3759df), simde_mm_srli_epi32(UNCAST(a), 1)));
}
CAROM_LANE vmask v_disjoint(vreal a, vreal b)
{
    return CAST(simde_mm_cmpeq_epi32(simde_mm_castps_si128(V(and)(a, b)), simde_mm_setzero_si128()));
}
CAROM_LANE vreal v_high(vreal a) { return V(and)(a, CAST(simde_mm_set1_epi32(-0x10000))); }
CAROM_LANE vint v_truncate(vreal a) { return simde_mm_cvttps_epi32(a); }
CAROM_LANE vreal v_from_int(vint a) { return simde_mm_cvtepi32_ps(a); }
CAROM_LANE vreal v_load_f32(const float *from) { return simde_mm_loadu_ps(from); }
CAROM_LANE vreal v_load_f64(const double *from)
{
    return simde_mm_movelh_ps(simde_mm_cvtpd_ps(simde_mm_loadu_pd(from)),
                              simde_mm_cvtpd_ps(simde_mm_loadu_pd(from + 2)));
}
CAROM_LANE void v_store_f32(float *to, vreal a) { simde_mm_storeu_ps(to, a); }

CAROM_LANE vint i_load32(const int32_t *from) { return simde_mm_load_si128((const simde__m128i *)from); }
CAROM_LANE vint i_loadu32(const int32_t *from) { return simde_mm_loadu_si128((const simde__m128i *)from); }
CAROM_LANE void i_store32(int32_t *to, vint a) { simde_mm_store_si128((simde__m128i *)to, a); }

CAROM_LANE vmask m_widen(simde__m128i a) { return CAST(a); }
CAROM_LANE simde__m128i m_narrow(vmask a) { return UNCAST(a); }

CAROM_LANE vint i_load16(const int16_t *from)
{
    return simde_mm_cvtepi16_epi32(simde_mm_loadl_epi64((const simde__m128i *)from));
}

CAROM_LANE vint i_load8(const int8_t *from)
{
    int32_t four;
    __builtin_memcpy(&four, from, sizeof four);
    LANES_HOLD(four);
    return simde_mm_cvtepi8_epi32(simde_mm_cvtsi32_si128(four));
}

CAROM_LANE void i_store16(int16_t *to, vint a)
{
    simde__m128i low = simde_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
    simde_mm_storel_epi64((simde__m128i *)to, simde_mm_shuffle_epi8(a, low));
}

CAROM_LANE void i_store8(int8_t *to, vint a)
{
    simde__m128i low = simde_mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    int32_t four = simde_mm_cvtsi128_si32(simde_mm_shuffle_epi8(a, low));
    __builtin_memcpy(to, &four, sizeof four);
}

#endif

CAROM_LANE vmask i_eq(vint a, vint b) { return m_widen(simde_mm_cmpeq_epi32(a, b)); }
CAROM_LANE vmask i_gt(vint a, vint b) { return m_widen(simde_mm_cmpgt_epi32(a, b)); }
#if defined(SIMDE_WASM_SIMD128_NATIVE)
CAROM_LANE vint i_select(vmask m, vint a, vint b)
{
    return (vint)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)m_narrow(m));
}
#else
CAROM_LANE vint i_select(vmask m, vint a, vint b) { return simde_mm_blendv_epi8(b, a, m_narrow(m)); }
#endif

CAROM_LANE vmask m_from_bits(unsigned bits)
{
    simde__m128i lane = simde_mm_setr_epi32(1, 2, 4, 8);
    return m_widen(simde_mm_cmpeq_epi32(simde_mm_and_si128(simde_mm_set1_epi32((int)bits), lane), lane));
}

CAROM_LANE vmask m_not(vmask a) { return m_andnot(m_from_bits((1u << LANES) - 1), a); }

#if CAROM_REAL_BITS == 64

CAROM_LANE void v_compress(real *to, vmask m, vreal a)
{
    const vreal high = simde_mm_unpackhi_pd(a, a);
    v_storeu(to, m_bits(m) == 2 ? high : a);
}

CAROM_LANE vreal v_expand(vreal a, vmask m, const real *from)
{
    return v_select(m, m_bits(m) == 2 ? v_set1(*from) : v_loadu(from), a);
}

#else

CAROM_LANE void v_compress(real *to, vmask m, vreal a)
{
    static const int8_t pack[16][16] = {PACKING_PACK(PACKING_BYTES, 0)};
    simde__m128i order = simde_mm_loadu_si128((const simde__m128i *)pack[m_bits(m)]);
    v_storeu(to, CAST(simde_mm_shuffle_epi8(UNCAST(a), order)));
}

CAROM_LANE vreal v_expand(vreal a, vmask m, const real *from)
{
    static const int8_t spread[16][16] = {PACKING_SPREAD(PACKING_BYTES, 0)};
    simde__m128i order = simde_mm_loadu_si128((const simde__m128i *)spread[m_bits(m)]);
    return v_select(m, CAST(simde_mm_shuffle_epi8(UNCAST(v_loadu(from)), order)), a);
}

#endif

#define GENERIC_SOME
#include "simd/generic.h"
#undef GENERIC_SOME
#undef V
#undef CAST
#undef UNCAST

#endif
