/* SPDX-License-Identifier: MIT
 * The lane vocabulary: one set of names for every register width, chosen by CAROM_ISA_<NAME> and CAROM_REAL_BITS.
 *
 * Types
 *     real    the C type of one lane (float or double)       LANES   lanes of a register: 1, 2, 4, 8 or 16
 *     vreal   LANES reals          vint   LANES int32          vmask   LANES truth values
 * Operations; every one gives the same bits in every backend
 *     v_load v_store      aligned to LANES reals      v_loadu v_storeu      any address
 *     v_set1 v_add v_sub v_mul v_div v_sqrt v_neg v_abs v_floor v_trunc     IEEE; floor and trunc keep the sign of 0
 *     v_min(a, b) = a < b ? a : b      v_max(a, b) = a > b ? a : b          so b if one is NaN
 *     v_lt v_le v_gt v_ge v_eq     false with a NaN      v_ne     true with a NaN
 *     v_disjoint(a, b): the representations of a and b have no bit in common
 *     v_select(m, a, b) = m ? a : b      v_flip(m, a) = m ? -a : a          v_binade(a) = 2^floor(log2|a|), a normal
 *     v_scale(a) = 2 / v_binade(a), which takes a normal a into [2, 4)      v_rsqrt_guess(a): 1 / sqrt(a), within 3.5%
 *     v_truncate(a): to vint, towards zero, |a| < 2^31      v_from_int
 *     v_load_f32 v_load_f64: LANES floats or doubles, converted      v_store_f32: to floats
 *     v_gather(base, index)     v_compress(to, m, a): the chosen lanes, packed; may write LANES reals at `to`
 *     v_expand(a, m, from): the inverse: the chosen lanes from consecutive reals (it may read LANES), the others from a
 *     i_load32 i_load16 i_load8 i_store32 i_store16 i_store8 (the low bits)   aligned to LANES elements of that size
 *     i_set1 i_add i_sub i_and i_or i_eq i_gt i_select i_loadu32 i_compress
 *     m_and m_or m_not m_andnot(a, b) = a && !b      m_any m_all      m_bits: bit l is lane l      m_from_bits
 *
 * Vectors never cross an object file's boundary: entry points take pointers and counts.
 */
#ifndef CAROM_SIMD_LANES_H
#define CAROM_SIMD_LANES_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__FAST_MATH__)
#error "Carom's results are exact to the bit: it must not be built with -ffast-math"
#endif
#include <float.h>
#if FLT_EVAL_METHOD != 0
#error "Carom needs arithmetic in the precision of its operands (FLT_EVAL_METHOD 0)"
#endif

/* The one macro that every lane function carries. CAROM_LANES_APART: where registers are emulated, or sanitizers add to
 * every access, compilers would take minutes for kernels in one piece. */
#if defined(CAROM_LANES_APART)
#define CAROM_LANE static inline __attribute__((unused))
#else
#define CAROM_LANE static inline __attribute__((always_inline, unused))
#endif

#if CAROM_REAL_BITS == 64
typedef double real;
#define REAL(literal) literal
#define REAL_MAX DBL_MAX
#elif CAROM_REAL_BITS == 32
typedef float real;
#define REAL(literal) literal##f
#define REAL_MAX FLT_MAX
#else
#error "CAROM_REAL_BITS must be 32 or 64"
#endif

#if defined(CAROM_ISA_SCALAR)
#define CAROM_ISA_SUFFIX scalar
#include "simd/scalar.h"
#elif defined(CAROM_ISA_SSE4)
#define CAROM_ISA_SUFFIX sse4
#include "simd/x128.h"
#elif defined(CAROM_ISA_NEON)
#define CAROM_ISA_SUFFIX neon
#include "simd/x128.h"
#elif defined(CAROM_ISA_AVX2)
#define CAROM_ISA_SUFFIX avx2
#include "simd/x256.h"
#elif defined(CAROM_ISA_AVX512)
#define CAROM_ISA_SUFFIX avx512
#include "simd/x512.h"
#else
#error "define CAROM_ISA_SCALAR, _SSE4, _NEON, _AVX2 or _AVX512"
#endif

/* carom_<name>_<isa>_f<bits>: the name of what this compilation exports, and how it is declared. */
#define CAROM_PASTE_(name, isa, bits) carom_##name##_##isa##_f##bits
#define CAROM_PASTE(name, isa, bits) CAROM_PASTE_(name, isa, bits)
#define CAROM_KERNEL(name) CAROM_PASTE(name, CAROM_ISA_SUFFIX, CAROM_REAL_BITS)
#if defined(__cplusplus)
#define CAROM_EXTERN extern "C"
#else
#define CAROM_EXTERN extern
#endif

/* The lanes below n. */
CAROM_LANE vmask m_below(size_t n) { return m_from_bits(n >= LANES ? (1u << (LANES - 1) << 1) - 1 : (1u << n) - 1); }

/* `statement` with i = 0, 1, 2, 3, each a constant. Four independent calculations in step: their chains of operations
 * hide each other's latency, and they share their constants. Constant indices let compilers keep small arrays in
 * registers. */
#define V_EACH4(statement) {V_ONE(0, statement) V_ONE(1, statement) V_ONE(2, statement) V_ONE(3, statement)}
#define V_ONE(number, statement)                                                                                       \
    {                                                                                                                  \
        enum { i = number };                                                                                           \
        statement;                                                                                                     \
    }

CAROM_LANE vmask m_select(vmask m, vmask a, vmask b) { return m_or(m_and(m, a), m_andnot(b, m)); }

#endif
