/* SPDX-License-Identifier: MIT
 * For programs that are compiled like a kernel, once per instruction set: which one this is.
 */
#ifndef CAROM_TESTS_SIMD_THIS_ISA_H
#define CAROM_TESTS_SIMD_THIS_ISA_H

#if defined(CAROM_ISA_SCALAR)
#define THIS_ISA CAROM_ISA_SCALAR
#elif defined(CAROM_ISA_SSE4)
#define THIS_ISA CAROM_ISA_SSE4
#elif defined(CAROM_ISA_NEON)
#define THIS_ISA CAROM_ISA_NEON
#elif defined(CAROM_ISA_WASM128)
#define THIS_ISA CAROM_ISA_WASM128
#elif defined(CAROM_ISA_AVX2)
#define THIS_ISA CAROM_ISA_AVX2
#else
#define THIS_ISA CAROM_ISA_AVX512
#endif

/* Exits as skipped on a machine that cannot run the program. */
static inline void needs_this_isa(void)
{
    if (!carom_isa_usable(THIS_ISA)) {
        puts("this machine cannot run this instruction set: skipped");
        exit(77);
    }
}

#endif
