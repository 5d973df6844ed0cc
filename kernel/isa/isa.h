/* SPDX-License-Identifier: MIT
 * Which instruction sets this library was built with, and which one a call uses. The public half is in carom/base.h.
 */
#ifndef CAROM_ISA_ISA_H
#define CAROM_ISA_ISA_H

#include <carom/base.h>

/* Expands to X(NAME, suffix) for every instruction set of this build, narrowest first; `suffix` as in CAROM_KERNEL().
 * The build defines CAROM_BUILT_<NAME> for host sources; width 1 is always there. So a module fills its table:
 *     #define DECLARE(NAME, suffix) extern const toi_kernel_f32 carom_toi_##suffix##_f32;
 *     #define ENTRY(NAME, suffix) [CAROM_ISA_##NAME] = &carom_toi_##suffix##_f32,
 *     CAROM_BUILT_ISAS(DECLARE)
 *     static const toi_kernel_f32 *const table[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(ENTRY)};
 */
#define CAROM_BUILT_ISAS(X)                                                                                            \
    X(SCALAR, scalar) CAROM_WITH_SSE4(X) CAROM_WITH_NEON(X) CAROM_WITH_AVX2(X) CAROM_WITH_AVX512(X)

#if defined(CAROM_BUILT_SSE4)
#define CAROM_WITH_SSE4(X) X(SSE4, sse4)
#else
#define CAROM_WITH_SSE4(X)
#endif
#if defined(CAROM_BUILT_NEON)
#define CAROM_WITH_NEON(X) X(NEON, neon)
#else
#define CAROM_WITH_NEON(X)
#endif
#if defined(CAROM_BUILT_AVX2)
#define CAROM_WITH_AVX2(X) X(AVX2, avx2)
#else
#define CAROM_WITH_AVX2(X)
#endif
#if defined(CAROM_BUILT_AVX512)
#define CAROM_WITH_AVX512(X) X(AVX512, avx512)
#else
#define CAROM_WITH_AVX512(X)
#endif

/* The instruction set that a caller's choice means: CAROM_ISA_DEFAULT stands for the current one, any other must be
 * usable. CAROM_ERROR_UNSUPPORTED otherwise; *resolved is then unchanged. */
carom_status carom_isa_resolve(carom_isa isa, carom_isa *resolved);

#endif
