/* SPDX-License-Identifier: MIT
 * The lane vocabulary in 256-bit registers (AVX2), over SIMDe. See simd/lanes.h. A vmask is a register of all-ones or
 * all-zeros lanes.
 */
#ifndef CAROM_SIMD_X256_H
#define CAROM_SIMD_X256_H

#include <simde/x86/avx2.h>

#include "simd/packing.h"

#if defined(CAROM_EMULATED) == defined(SIMDE_X86_AVX2_NATIVE)
#error "compile this file with -mavx2, or with CAROM_EMULATED and SIMDE_NO_NATIVE"
#endif

#if CAROM_REAL_BITS == 64
#define LANES 4
#define V(operation) simde_mm256_##operation##_pd
typedef simde__m128i vint;
typedef simde__m256d vmask;
#else
#define LANES 8
#define V(operation) simde_mm256_##operation##_ps
typedef simde__m256i vint;
typedef simde__m256 vmask;
#endif
typedef real vreal __attribute__((vector_size(LANES * sizeof(real))));

CAROM_LANE vreal v_load(const real *from) { return V(load)(from); }
CAROM_LANE vreal v_loadu(const real *from) { return V(loadu)(from); }
CAROM_LANE void v_store(real *to, vreal a) { V(store)(to, a); }
CAROM_LANE void v_storeu(real *to, vreal a) { V(storeu)(to, a); }
CAROM_LANE vreal v_set1(real a) { return V(set1)(a); }

CAROM_LANE vreal v_sqrt(vreal a) { return V(sqrt)(a); }
CAROM_LANE vreal v_abs(vreal a) { return V(andnot)(V(set1)(REAL(-0.0)), a); }
CAROM_LANE vreal v_floor(vreal a) { return V(round)(a, SIMDE_MM_FROUND_TO_NEG_INF | SIMDE_MM_FROUND_NO_EXC); }
CAROM_LANE vreal v_trunc(vreal a) { return V(round)(a, SIMDE_MM_FROUND_TO_ZERO | SIMDE_MM_FROUND_NO_EXC); }

CAROM_LANE vmask v_lt(vreal a, vreal b) { return V(cmp)(a, b, SIMDE_CMP_LT_OQ); }
CAROM_LANE vmask v_le(vreal a, vreal b) { return V(cmp)(a, b, SIMDE_CMP_LE_OQ); }
CAROM_LANE vmask v_gt(vreal a, vreal b) { return V(cmp)(a, b, SIMDE_CMP_GT_OQ); }
CAROM_LANE vmask v_ge(vreal a, vreal b) { return V(cmp)(a, b, SIMDE_CMP_GE_OQ); }
CAROM_LANE vmask v_eq(vreal a, vreal b) { return V(cmp)(a, b, SIMDE_CMP_EQ_OQ); }
CAROM_LANE vmask v_ne(vreal a, vreal b) { return V(cmp)(a, b, SIMDE_CMP_NEQ_UQ); }
CAROM_LANE vreal v_select(vmask m, vreal a, vreal b) { return V(blendv)(b, a, m); }
CAROM_LANE vreal v_flip(vmask m, vreal a) { return V(xor)(a, V(and)(m, V(set1)(REAL(-0.0)))); }

#if defined(SIMDE_X86_AVX2_NATIVE)
CAROM_LANE vreal v_min(vreal a, vreal b) { return V(min)(a, b); }
CAROM_LANE vreal v_max(vreal a, vreal b) { return V(max)(a, b); }
#else
CAROM_LANE vreal v_min(vreal a, vreal b) { return v_select(v_lt(a, b), a, b); }
CAROM_LANE vreal v_max(vreal a, vreal b) { return v_select(v_gt(a, b), a, b); }
#endif

CAROM_LANE vmask m_and(vmask a, vmask b) { return V(and)(a, b); }
CAROM_LANE vmask m_or(vmask a, vmask b) { return V(or)(a, b); }
CAROM_LANE vmask m_andnot(vmask a, vmask b) { return V(andnot)(b, a); }
CAROM_LANE unsigned m_bits(vmask a) { return (unsigned)V(movemask)(a); }
CAROM_LANE bool m_any(vmask a) { return m_bits(a) != 0; }
CAROM_LANE bool m_all(vmask a) { return m_bits(a) == (1u << LANES) - 1; }

#if CAROM_REAL_BITS == 64

CAROM_LANE vreal v_binade(vreal a)
{
    return V(and)(a, simde_mm256_castsi256_pd(simde_mm256_set1_epi64x(0x7ff0000000000000)));
}
CAROM_LANE vreal v_scale(vreal a)
{
    simde__m256i exponent = simde_mm256_castpd_si256(v_binade(a));
    return simde_mm256_castsi256_pd(simde_mm256_sub_epi64(simde_mm256_set1_epi64x(0x7ff0000000000000), exponent));
}
CAROM_LANE vreal v_if_negative(vreal b, vreal t)
{
    const vreal never = v_set1(__builtin_inf());
    return simde_mm256_blendv_pd(never, V(min)(t, never), V(andnot)(t, b)); /* selects by the sign bit */
}
CAROM_LANE vreal v_rsqrt_guess(vreal a)
{
    simde__m256i half = simde_mm256_srli_epi64(simde_mm256_castpd_si256(a), 1);
    return simde_mm256_castsi256_pd(simde_mm256_sub_epi64(simde_mm256_set1_epi64x(0x5fe6eb50c7b537a9), half));
}

CAROM_LANE vmask v_disjoint(vreal a, vreal b)
{
    return simde_mm256_castsi256_pd(
        simde_mm256_cmpeq_epi64(simde_mm256_castpd_si256(V(and)(a, b)), simde_mm256_setzero_si256()));
}
CAROM_LANE vreal v_high(vreal a) { return V(and)(a, simde_mm256_castsi256_pd(simde_mm256_set1_epi64x(-0x100000000))); }

CAROM_LANE vint v_truncate(vreal a) { return simde_mm256_cvttpd_epi32(a); }
CAROM_LANE vreal v_from_int(vint a) { return simde_mm256_cvtepi32_pd(a); }
CAROM_LANE vreal v_load_f32(const float *from) { return simde_mm256_cvtps_pd(simde_mm_loadu_ps(from)); }
CAROM_LANE vreal v_load_f64(const double *from) { return simde_mm256_loadu_pd(from); }
CAROM_LANE void v_store_f32(float *to, vreal a) { simde_mm_storeu_ps(to, simde_mm256_cvtpd_ps(a)); }

CAROM_LANE vint i_set1(int32_t a) { return simde_mm_set1_epi32(a); }
CAROM_LANE vint i_add(vint a, vint b) { return simde_mm_add_epi32(a, b); }
CAROM_LANE vint i_sub(vint a, vint b) { return simde_mm_sub_epi32(a, b); }
CAROM_LANE vint i_and(vint a, vint b) { return simde_mm_and_si128(a, b); }
CAROM_LANE vint i_or(vint a, vint b) { return simde_mm_or_si128(a, b); }
CAROM_LANE vint i_load32(const int32_t *from) { return simde_mm_load_si128((const simde__m128i *)from); }
CAROM_LANE vint i_loadu32(const int32_t *from) { return simde_mm_loadu_si128((const simde__m128i *)from); }
CAROM_LANE void i_store32(int32_t *to, vint a) { simde_mm_store_si128((simde__m128i *)to, a); }

/* Turns a mask of 32-bit lanes into one of 64-bit lanes. */
CAROM_LANE vmask m_widen(vint a) { return simde_mm256_castsi256_pd(simde_mm256_cvtepi32_epi64(a)); }

/* Turns a mask of 64-bit lanes into one of 32-bit lanes. */
CAROM_LANE vint m_narrow(vmask a)
{
    simde__m256 both = simde_mm256_castpd_ps(a);
    return simde_mm_castps_si128(
        simde_mm_shuffle_ps(simde_mm256_castps256_ps128(both), simde_mm256_extractf128_ps(both, 1), 0x88));
}

CAROM_LANE vmask i_eq(vint a, vint b) { return m_widen(simde_mm_cmpeq_epi32(a, b)); }
CAROM_LANE vmask i_gt(vint a, vint b) { return m_widen(simde_mm_cmpgt_epi32(a, b)); }
CAROM_LANE vint i_select(vmask m, vint a, vint b) { return simde_mm_blendv_epi8(b, a, m_narrow(m)); }

CAROM_LANE vmask m_from_bits(unsigned bits)
{
    simde__m128i lane = simde_mm_setr_epi32(1, 2, 4, 8);
    return m_widen(simde_mm_cmpeq_epi32(simde_mm_and_si128(simde_mm_set1_epi32((int)bits), lane), lane));
}

CAROM_LANE vint i_load16(const int16_t *from)
{
    return simde_mm_cvtepi16_epi32(simde_mm_loadl_epi64((const simde__m128i *)from));
}

CAROM_LANE vint i_load8(const int8_t *from)
{
    int32_t four;
    __builtin_memcpy(&four, from, sizeof four);
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

#else

CAROM_LANE vreal v_binade(vreal a) { return V(and)(a, simde_mm256_castsi256_ps(simde_mm256_set1_epi32(0x7f800000))); }
CAROM_LANE vreal v_scale(vreal a)
{
    simde__m256i exponent = simde_mm256_castps_si256(v_binade(a));
    return simde_mm256_castsi256_ps(simde_mm256_sub_epi32(simde_mm256_set1_epi32(0x7f800000), exponent));
}
CAROM_LANE vreal v_if_negative(vreal b, vreal t)
{
    /* As unsigned integers, negative numbers and NaN are greater than infinity. */
    simde__m256i refused = simde_mm256_castps_si256(V(or)(V(andnot)(b, v_set1(-0.0f)), t));
    return simde_mm256_castsi256_ps(simde_mm256_min_epu32(refused, simde_mm256_set1_epi32(0x7f800000)));
}
CAROM_LANE vreal v_rsqrt_guess(vreal a)
{
    simde__m256i half = simde_mm256_srli_epi32(simde_mm256_castps_si256(a), 1);
    return simde_mm256_castsi256_ps(simde_mm256_sub_epi32(simde_mm256_set1_epi32(0x5f3759df), half));
}

CAROM_LANE vmask v_disjoint(vreal a, vreal b)
{
    return simde_mm256_castsi256_ps(
        simde_mm256_cmpeq_epi32(simde_mm256_castps_si256(V(and)(a, b)), simde_mm256_setzero_si256()));
}
CAROM_LANE vreal v_high(vreal a) { return V(and)(a, simde_mm256_castsi256_ps(simde_mm256_set1_epi32(-0x10000))); }

CAROM_LANE vint v_truncate(vreal a) { return simde_mm256_cvttps_epi32(a); }
CAROM_LANE vreal v_from_int(vint a) { return simde_mm256_cvtepi32_ps(a); }
CAROM_LANE vreal v_load_f32(const float *from) { return simde_mm256_loadu_ps(from); }
CAROM_LANE vreal v_load_f64(const double *from)
{
    simde__m128 low = simde_mm256_cvtpd_ps(simde_mm256_loadu_pd(from));
    simde__m128 high = simde_mm256_cvtpd_ps(simde_mm256_loadu_pd(from + 4));
    return simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(low), high, 1);
}
CAROM_LANE void v_store_f32(float *to, vreal a) { simde_mm256_storeu_ps(to, a); }

CAROM_LANE vint i_set1(int32_t a) { return simde_mm256_set1_epi32(a); }
CAROM_LANE vint i_add(vint a, vint b) { return simde_mm256_add_epi32(a, b); }
CAROM_LANE vint i_sub(vint a, vint b) { return simde_mm256_sub_epi32(a, b); }
CAROM_LANE vint i_and(vint a, vint b) { return simde_mm256_and_si256(a, b); }
CAROM_LANE vint i_or(vint a, vint b) { return simde_mm256_or_si256(a, b); }
CAROM_LANE vint i_load32(const int32_t *from) { return simde_mm256_load_si256((const simde__m256i *)from); }
CAROM_LANE vint i_loadu32(const int32_t *from) { return simde_mm256_loadu_si256((const simde__m256i *)from); }
CAROM_LANE void i_store32(int32_t *to, vint a) { simde_mm256_store_si256((simde__m256i *)to, a); }
CAROM_LANE vmask i_eq(vint a, vint b) { return simde_mm256_castsi256_ps(simde_mm256_cmpeq_epi32(a, b)); }
CAROM_LANE vmask i_gt(vint a, vint b) { return simde_mm256_castsi256_ps(simde_mm256_cmpgt_epi32(a, b)); }
CAROM_LANE vint i_select(vmask m, vint a, vint b) { return simde_mm256_blendv_epi8(b, a, simde_mm256_castps_si256(m)); }

CAROM_LANE vmask m_from_bits(unsigned bits)
{
    vint lane = simde_mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return i_eq(i_and(i_set1((int)bits), lane), lane);
}

CAROM_LANE vint i_load16(const int16_t *from)
{
    return simde_mm256_cvtepi16_epi32(simde_mm_loadu_si128((const simde__m128i *)from));
}

CAROM_LANE vint i_load8(const int8_t *from)
{
    return simde_mm256_cvtepi8_epi32(simde_mm_loadl_epi64((const simde__m128i *)from));
}

/* The low 16 bits of every lane, in order. */
CAROM_LANE simde__m128i i_low16(vint a)
{
    simde__m256i low = simde_mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, /**/
                                             0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
    simde__m256i halves = simde_mm256_permute4x64_epi64(simde_mm256_shuffle_epi8(a, low), 0x08);
    return simde_mm256_castsi256_si128(halves);
}

CAROM_LANE void i_store16(int16_t *to, vint a) { simde_mm_storeu_si128((simde__m128i *)to, i_low16(a)); }
CAROM_LANE void i_store8(int8_t *to, vint a)
{
    simde__m128i low = simde_mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, -1, -1, -1, -1, -1, -1, -1, -1);
    simde_mm_storel_epi64((simde__m128i *)to, simde_mm_shuffle_epi8(i_low16(a), low));
}

#endif

CAROM_LANE vmask m_not(vmask a) { return m_andnot(m_from_bits((1u << LANES) - 1), a); }

#if CAROM_REAL_BITS == 64

CAROM_LANE void v_compress(real *to, vmask m, vreal a)
{
    static const int32_t pack[16][8] = {PACKING_PACK(PACKING_HALVES, 0)};
    simde__m256i order = simde_mm256_loadu_si256((const simde__m256i *)pack[m_bits(m)]);
    v_storeu(to, simde_mm256_castsi256_pd(simde_mm256_permutevar8x32_epi32(simde_mm256_castpd_si256(a), order)));
}

CAROM_LANE vreal v_expand(vreal a, vmask m, const real *from)
{
    static const int32_t spread[16][8] = {PACKING_SPREAD(PACKING_HALVES, 0)};
    simde__m256i order = simde_mm256_loadu_si256((const simde__m256i *)spread[m_bits(m)]);
    simde__m256i lanes = simde_mm256_permutevar8x32_epi32(simde_mm256_castpd_si256(v_loadu(from)), order);
    return v_select(m, simde_mm256_castsi256_pd(lanes), a);
}

#else

/* Shuffles the four lanes of one half of a register. */
CAROM_LANE simde__m128 v_shuffle_half(simde__m128 half, const int8_t *order)
{
    simde__m128i bytes = simde_mm_loadu_si128((const simde__m128i *)order);
    return simde_mm_castsi128_ps(simde_mm_shuffle_epi8(simde_mm_castps_si128(half), bytes));
}

CAROM_LANE void v_compress(real *to, vmask m, vreal a)
{
    static const int8_t pack[16][16] = {PACKING_PACK(PACKING_BYTES, 0)};
    unsigned bits = m_bits(m), low = bits & 15;
    simde_mm_storeu_ps(to, v_shuffle_half(simde_mm256_castps256_ps128(a), pack[low]));
    simde_mm_storeu_ps(to + __builtin_popcount(low), v_shuffle_half(simde_mm256_extractf128_ps(a, 1), pack[bits >> 4]));
}

CAROM_LANE vreal v_expand(vreal a, vmask m, const real *from)
{
    static const int8_t spread[16][16] = {PACKING_SPREAD(PACKING_BYTES, 0)};
    unsigned bits = m_bits(m), low = bits & 15;
    simde__m128 lows = v_shuffle_half(simde_mm_loadu_ps(from), spread[low]);
    simde__m128 highs = v_shuffle_half(simde_mm_loadu_ps(from + __builtin_popcount(low)), spread[bits >> 4]);
    return v_select(m, simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(lows), highs, 1), a);
}

#endif

#define GENERIC_SOME
#define I_HAS_COMPRESS
#include "simd/generic.h"
#undef GENERIC_SOME

#define V_HAS_ROWS
#define V_HAS_LEAST
#define I_HAS_PACK16

/* Packs the chosen lanes of four int32; may write four at `to`. */
CAROM_LANE void x256_pack4(int32_t *to, unsigned bits, simde__m128i a)
{
    static const int32_t pack[16][4] = {PACKING_PACK(PACKING_WHOLES, 0)};
    simde__m128i order = simde_mm_loadu_si128((const simde__m128i *)pack[bits]);
    simde__m128 packed = simde_mm_permutevar_ps(simde_mm_castsi128_ps(a), order);
    simde_mm_storeu_si128((simde__m128i *)to, simde_mm_castps_si128(packed));
}

CAROM_LANE uint32_t i_pack16(int32_t *to, const int32_t *from, uint32_t count, int32_t self)
{
    simde__m128i none = simde_mm_set1_epi32(-1), own = simde_mm_set1_epi32(self);
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k += 4) {
        simde__m128i a = simde_mm_loadu_si128((const simde__m128i *)(from + k));
        simde__m128i kept = simde_mm_andnot_si128(simde_mm_cmpeq_epi32(a, own), simde_mm_cmpgt_epi32(a, none));
        unsigned bits = (unsigned)simde_mm_movemask_ps(simde_mm_castsi128_ps(kept));
        bits &= count - k < 4 ? (1u << (count - k)) - 1 : 15;
        x256_pack4(to + n, bits, a);
        n += (uint32_t)__builtin_popcount(bits);
    }
    return n;
}

#if CAROM_REAL_BITS == 64

CAROM_LANE void i_compress(int32_t *to, vmask m, vint a) { x256_pack4(to, m_bits(m), a); }

CAROM_LANE real v_least(vreal a)
{
    simde__m128d two = simde_mm_min_pd(simde_mm256_castpd256_pd128(a), simde_mm256_extractf128_pd(a, 1));
    return simde_mm_cvtsd_f64(simde_mm_min_sd(two, simde_mm_unpackhi_pd(two, two)));
}

/* Transposes four rows of four reals; the fifth reals are loaded one by one. */
CAROM_LANE void v_rows(const real *base, size_t stride, const int32_t *index, vreal to[5])
{
    const real *row[4];
    vreal r[4];
    for (int l = 0; l < 4; l++) {
        row[l] = base + (size_t)index[l] * stride;
        r[l] = v_loadu(row[l]);
    }
    vreal even = V(unpacklo)(r[0], r[1]), odd = V(unpackhi)(r[0], r[1]);
    vreal even_high = V(unpacklo)(r[2], r[3]), odd_high = V(unpackhi)(r[2], r[3]);
    to[0] = V(permute2f128)(even, even_high, 0x20);
    to[1] = V(permute2f128)(odd, odd_high, 0x20);
    to[2] = V(permute2f128)(even, even_high, 0x31);
    to[3] = V(permute2f128)(odd, odd_high, 0x31);
    simde__m128d low = simde_mm_loadh_pd(simde_mm_load_sd(row[0] + 4), row[1] + 4);
    simde__m128d high = simde_mm_loadh_pd(simde_mm_load_sd(row[2] + 4), row[3] + 4);
    to[4] = simde_mm256_insertf128_pd(simde_mm256_castpd128_pd256(low), high, 1);
}

#else

CAROM_LANE void i_compress(int32_t *to, vmask m, vint a)
{
    unsigned bits = m_bits(m), low = bits & 15;
    x256_pack4(to, low, simde_mm256_castsi256_si128(a));
    x256_pack4(to + __builtin_popcount(low), bits >> 4, simde_mm256_extracti128_si256(a, 1));
}

CAROM_LANE real v_least(vreal a)
{
    simde__m128 four = simde_mm_min_ps(simde_mm256_castps256_ps128(a), simde_mm256_extractf128_ps(a, 1));
    simde__m128 two = simde_mm_min_ps(four, simde_mm_movehl_ps(four, four));
    return simde_mm_cvtss_f32(simde_mm_min_ss(two, simde_mm_shuffle_ps(two, two, 1)));
}

/* Loads reals 0 to 3 of row k into the low half, and those of row k + 4 into the high half. */
CAROM_LANE vreal x256_rows(const real *base, size_t stride, const int32_t *index, int k)
{
    simde__m128 low = simde_mm_loadu_ps(base + (size_t)index[k] * stride);
    simde__m128 high = simde_mm_loadu_ps(base + (size_t)index[k + 4] * stride);
    return simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(low), high, 1);
}

/* Transposes four rows of four reals in each half; the fifth reals are loaded one by one. */
CAROM_LANE void v_rows(const real *base, size_t stride, const int32_t *index, vreal to[5])
{
    vreal a = x256_rows(base, stride, index, 0), b = x256_rows(base, stride, index, 1);
    vreal c = x256_rows(base, stride, index, 2), d = x256_rows(base, stride, index, 3);
    simde__m256d ab = simde_mm256_castps_pd(V(unpacklo)(a, b)), cd = simde_mm256_castps_pd(V(unpacklo)(c, d));
    simde__m256d ab_high = simde_mm256_castps_pd(V(unpackhi)(a, b)), cd_high = simde_mm256_castps_pd(V(unpackhi)(c, d));
    to[0] = simde_mm256_castpd_ps(simde_mm256_unpacklo_pd(ab, cd));
    to[1] = simde_mm256_castpd_ps(simde_mm256_unpackhi_pd(ab, cd));
    to[2] = simde_mm256_castpd_ps(simde_mm256_unpacklo_pd(ab_high, cd_high));
    to[3] = simde_mm256_castpd_ps(simde_mm256_unpackhi_pd(ab_high, cd_high));
    const real *at = base + 4;
    to[4] =
        simde_mm256_setr_ps(at[(size_t)index[0] * stride], at[(size_t)index[1] * stride], at[(size_t)index[2] * stride],
                            at[(size_t)index[3] * stride], at[(size_t)index[4] * stride], at[(size_t)index[5] * stride],
                            at[(size_t)index[6] * stride], at[(size_t)index[7] * stride]);
}

#endif
#undef V

#endif
