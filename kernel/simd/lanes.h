/* SPDX-License-Identifier: MIT
 * The lane vocabulary: one set of names for every register width, chosen by CAROM_ISA_<NAME> and CAROM_REAL_BITS.
 *
 * Types
 *     real    the C type of one lane (float or double)       LANES   lanes of a register: 1, 2, 4, 8 or 16
 *     vreal   LANES reals          vint   LANES int32          vmask   LANES truth values
 * Operations; every one gives the same bits in every backend
 *     a + b  a - b  a * b  a / b  -a      of vreals (vectors of GNU C; a plain number at width 1); IEEE. Constants are
 *     v_set1(REAL(0.5)): with a bare 0.5 width 1 would compute in double in f32, as vectors do not
 *     v_load v_store      aligned to LANES reals      v_loadu v_storeu      any address
 *     v_set1 v_sqrt v_abs v_floor v_trunc     IEEE; floor and trunc keep the sign of 0
 *     v_min(a, b) = a < b ? a : b      v_max(a, b) = a > b ? a : b          so b if one is NaN
 *     v_lt v_le v_gt v_ge v_eq     false with a NaN      v_ne     true with a NaN
 *     v_disjoint(a, b): the representations of a and b have no bit in common
 *     v_select(m, a, b) = m ? a : b      v_flip(m, a) = m ? -a : a          v_binade(a) = 2^floor(log2|a|), a normal
 *     v_scale(a) = 2 / v_binade(a), which takes a normal a into [2, 4)      v_rsqrt_guess(a): 1 / sqrt(a), within 3.5%
 *     v_if_negative(b, t): t where b has its sign bit set, and t neither has nor is NaN; elsewhere infinity
 *     v_high(a) = a without the lower half of its bits
 *     v_truncate(a): to vint, towards zero, |a| < 2^31      v_from_int
 *     v_load_f32 v_load_f64: LANES floats or doubles, converted      v_store_f32: to floats
 *     v_gather(base, index)     v_compress(to, m, a): the chosen lanes, packed; may write LANES reals at `to`
 *     v_expand(a, m, from): the inverse: the chosen lanes from consecutive reals (may read LANES), the others from a
 *     v_rows(base, stride, index, to): to[f] = real f of rows base + index[l] * stride, for f = 0..4, l = 0..LANES-1
 *     v_least(a): the least lane, any of equal ones; there must be no NaN
 *     i_load32 i_load16 i_load8 i_store32 i_store16 i_store8 (the low bits)   aligned to LANES elements of that size
 *     i_pack16(to, from, count, self): packs those of `count` <= 16 int32 that are neither negative nor `self`;
 *     returns their number; may read and write 16
 *     i_pairs(pairs, index, &a, &b): a and b = the first and the second int32 of pairs[index]
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
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF /* plug-ins may be compiled without -ffp-contract=off */
#endif

/* Every lane function begins with this macro. CAROM_LANES_APART stops compilers from inlining them all, which takes
 * minutes with emulated registers or sanitizers. */
#if defined(CAROM_LANES_APART)
#define CAROM_LANE static inline __attribute__((unused))
#else
#define CAROM_LANE static inline __attribute__((always_inline, unused))
#endif

/* Use after a load of `a` that may become a register: fixes its value. clang 14 for WebAssembly builds that register by
 * loading `a` a second time (load32_splat), even after later stores to the same address. clang 19 does not. */
#if defined(__wasm_simd128__) && __clang_major__ < 19
#define LANES_HOLD(a)                                                                                                  \
    do {                                                                                                               \
        if (!__builtin_constant_p(a)) {                                                                                \
            __asm__("" : "+r"(a));                                                                                     \
        }                                                                                                              \
    } while (0)
#else
#define LANES_HOLD(a)
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
#elif defined(CAROM_ISA_WASM128)
#define CAROM_ISA_SUFFIX wasm128
#include "simd/x128.h"
#elif defined(CAROM_ISA_AVX2)
#define CAROM_ISA_SUFFIX avx2
#include "simd/x256.h"
#elif defined(CAROM_ISA_AVX512)
#define CAROM_ISA_SUFFIX avx512
#include "simd/x512.h"
#else
#error "define CAROM_ISA_SCALAR, _SSE4, _NEON, _WASM128, _AVX2 or _AVX512"
#endif

/* carom_<name>_<isa>_f<bits>: the exported name of this compilation, and its declaration. */
#define CAROM_PASTE_(name, isa, bits) carom_##name##_##isa##_f##bits
#define CAROM_PASTE(name, isa, bits) CAROM_PASTE_(name, isa, bits)
#define CAROM_KERNEL(name) CAROM_PASTE(name, CAROM_ISA_SUFFIX, CAROM_REAL_BITS)
/* carom_<name>_<isa>: the exported name of a kernel without a precision. */
#define CAROM_PASTE_ANY_(name, isa) carom_##name##_##isa
#define CAROM_PASTE_ANY(name, isa) CAROM_PASTE_ANY_(name, isa)
#define CAROM_KERNEL_ANY(name) CAROM_PASTE_ANY(name, CAROM_ISA_SUFFIX)
#if defined(__cplusplus)
#define CAROM_EXTERN extern "C"
#else
#define CAROM_EXTERN extern
#endif

/* ---- general forms of operations for which some backends have instructions ---- */

#define V_ROWS 5

#if !defined(V_HAS_ROWS)
CAROM_LANE void v_rows(const real *base, size_t stride, const int32_t *index, vreal to[V_ROWS])
{
    real lanes[V_ROWS][LANES];
    for (int l = 0; l < LANES; l++) {
        const real *row = base + (size_t)index[l] * stride;
        for (int f = 0; f < V_ROWS; f++) {
            lanes[f][l] = row[f];
            LANES_HOLD(lanes[f][l]);
        }
    }
    for (int f = 0; f < V_ROWS; f++) {
        to[f] = v_loadu(lanes[f]);
    }
}
#endif

#if !defined(V_HAS_LEAST)
CAROM_LANE real v_least(vreal a)
{
    real lanes[LANES];
    v_storeu(lanes, a);
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) {
            lanes[l] = lanes[l] < lanes[l + width] ? lanes[l] : lanes[l + width];
        }
    }
    return lanes[0];
}
#endif

#if !defined(I_HAS_PACK16)
CAROM_LANE uint32_t i_pack16(int32_t *to, const int32_t *from, uint32_t count, int32_t self)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k++) {
        to[n] = from[k];
        n += from[k] >= 0 && from[k] != self;
    }
    return n;
}
#endif

/* A bit for every lane. */
#define LANES_ALL ((1u << LANES) - 1)

/* The mask of the lanes below n. */
CAROM_LANE vmask m_below(size_t n) { return m_from_bits(n >= LANES ? LANES_ALL : (1u << n) - 1); }

/* Before a loop with a constant number of iterations, at most `most`: compilers must unroll it to keep the small arrays
 * that it indexes in registers. */
#define LANES_PRAGMA(text) _Pragma(#text)
#if defined(__CUDACC__)
#define LANES_UNROLL(most) LANES_PRAGMA(unroll)
#elif defined(__clang__)
#define LANES_UNROLL(most) LANES_PRAGMA(clang loop unroll(full))
#else
#define LANES_UNROLL(most) LANES_PRAGMA(GCC unroll most)
#endif

/* The same if a world is played by itself: compilers can keep it in registers if every index is a constant. No effect
 * if worlds are played in tiles. */
#if defined(TILE_LANES) && TILE_LANES == 1
#define ALONE_UNROLL LANES_UNROLL(64)
#else
#define ALONE_UNROLL
#endif

/* DEVICE_LANE: a function that must be inlined on devices, where calls are expensive and keep the world in memory.
 * DEVICE_APART: one that must not be, so that it is not computed in advance for worlds that do not need it; such a
 * function takes and returns plain numbers. */
#if defined(CAROM_DEVICE)
#define DEVICE_LANE CAROM_LANE
#define DEVICE_APART static __attribute__((noinline))
#else
#define DEVICE_LANE static
#define DEVICE_APART static
#endif

/* Loops over the lanes set in `bits`, lowest first; declares the variable `l`. At width 1 l is a constant, so that
 * compilers can keep the world in registers. */
#if defined(TILE_LANES) && TILE_LANES == 1
#define EACH_LANE(l, bits) for (unsigned l##_left = (bits), l = 0; l##_left != 0; l##_left = 0)
#else
#define EACH_LANE(l, bits)                                                                                             \
    for (unsigned l##_left = (bits), l = 0; l##_left != 0 && (l = (unsigned)__builtin_ctz(l##_left), true);            \
         l##_left &= l##_left - 1)
#endif

/* Loops over i = 0, 1, 2, 3: four independent computations in step, which hide each other's latency and share
 * constants. */
#define EACH4(i) LANES_UNROLL(4) for (int i = 0; i < 4; i++)

CAROM_LANE vmask m_select(vmask m, vmask a, vmask b) { return m_or(m_and(m, a), m_andnot(b, m)); }

#endif
