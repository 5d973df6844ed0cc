/* SPDX-License-Identifier: MIT
 * The instruction sets that this library was built for, and the choice of the one that a call uses. carom/base.h has
 * the public part.
 */
#ifndef CAROM_DISPATCH_DISPATCH_H
#define CAROM_DISPATCH_DISPATCH_H

#include <carom/base.h>

/* Expands to X(NAME, suffix, ...) for every instruction set of this build, narrowest first, with `suffix` as in
 * CAROM_KERNEL() and the other arguments passed on. The build defines CAROM_BUILT_<NAME> for host sources. Scalar is
 * always built, except in the module for web pages, which has a single instruction set and also defines
 * CAROM_F64_ONLY. */
#define CAROM_BUILT_ISAS(X, ...)                                                                                       \
    CAROM_WITH_SCALAR(X, __VA_ARGS__)                                                                                  \
    CAROM_WITH_SSE4(X, __VA_ARGS__)                                                                                    \
    CAROM_WITH_NEON(X, __VA_ARGS__)                                                                                    \
    CAROM_WITH_AVX2(X, __VA_ARGS__) CAROM_WITH_AVX512(X, __VA_ARGS__) CAROM_WITH_WASM128(X, __VA_ARGS__)

/* CAROM_NARROWEST, CAROM_OF_NARROWEST(): the narrowest instruction set of this build, and its kernels. */
#if defined(CAROM_BUILT_WASM128) && !defined(CAROM_BUILT_SCALAR)
#define CAROM_WITH_SCALAR(X, ...)
#define CAROM_NARROWEST CAROM_ISA_WASM128
#define CAROM_OF_NARROWEST(name, bits) carom_##name##_wasm128_f##bits
#else
#define CAROM_WITH_SCALAR(X, ...) X(SCALAR, scalar, __VA_ARGS__)
#define CAROM_NARROWEST CAROM_ISA_SCALAR
#define CAROM_OF_NARROWEST(name, bits) carom_##name##_scalar_f##bits
#endif
#if defined(CAROM_BUILT_SSE4)
#define CAROM_WITH_SSE4(X, ...) X(SSE4, sse4, __VA_ARGS__)
#else
#define CAROM_WITH_SSE4(X, ...)
#endif
#if defined(CAROM_BUILT_NEON)
#define CAROM_WITH_NEON(X, ...) X(NEON, neon, __VA_ARGS__)
#else
#define CAROM_WITH_NEON(X, ...)
#endif
#if defined(CAROM_BUILT_AVX2)
#define CAROM_WITH_AVX2(X, ...) X(AVX2, avx2, __VA_ARGS__)
#else
#define CAROM_WITH_AVX2(X, ...)
#endif
#if defined(CAROM_BUILT_AVX512)
#define CAROM_WITH_AVX512(X, ...) X(AVX512, avx512, __VA_ARGS__)
#else
#define CAROM_WITH_AVX512(X, ...)
#endif
#if defined(CAROM_BUILT_WASM128)
#define CAROM_WITH_WASM128(X, ...) X(WASM128, wasm128, __VA_ARGS__)
#else
#define CAROM_WITH_WASM128(X, ...)
#endif

/* Defines `table`[CAROM_ISA_COUNT] with this build's kernels carom_<name>_<isa><ending>, all of `type`; NULL for
 * instruction sets that are not built. `ending` is _f32 or _f64, or nothing for kernels without a precision. */
#define CAROM_KERNELS(table, type, name, ending)                                                                       \
    CAROM_BUILT_ISAS(CAROM_KERNEL_DECLARED, type, name, ending)                                                        \
    static const type *const table[CAROM_ISA_COUNT] = {CAROM_BUILT_ISAS(CAROM_KERNEL_ENTRY, type, name, ending)}
#define CAROM_KERNEL_DECLARED(NAME, suffix, type, name, ending) extern const type carom_##name##_##suffix##ending;
#define CAROM_KERNEL_ENTRY(NAME, suffix, type, name, ending) [CAROM_ISA_##NAME] = &carom_##name##_##suffix##ending,

/* For kernels of one type in both precisions: defines kernel_of(isa, precision), which returns a kernel, or NULL if
 * that instruction set or precision is not built. */
#if defined(CAROM_F64_ONLY)
#define CAROM_KERNEL_OF(type, name)                                                                                    \
    CAROM_KERNELS(kernels_f64, type, name, _f64);                                                                      \
    static const type *kernel_of(carom_isa isa, carom_precision precision)                                             \
    {                                                                                                                  \
        return precision == CAROM_F64 ? kernels_f64[isa] : NULL;                                                       \
    }
#else
#define CAROM_KERNEL_OF(type, name)                                                                                    \
    CAROM_KERNELS(kernels_f32, type, name, _f32);                                                                      \
    CAROM_KERNELS(kernels_f64, type, name, _f64);                                                                      \
    static const type *kernel_of(carom_isa isa, carom_precision precision)                                             \
    {                                                                                                                  \
        return precision == CAROM_F64 ? kernels_f64[isa] : kernels_f32[isa];                                           \
    }
#endif

/* Is the precision part of this build? */
static inline bool precision_is_built(carom_precision precision)
{
#if defined(CAROM_F64_ONLY)
    return precision == CAROM_F64;
#else
    return precision == CAROM_F32 || precision == CAROM_F64;
#endif
}

/* Resolves a caller's choice: CAROM_ISA_DEFAULT becomes the current instruction set, any other must be usable.
 * Otherwise CAROM_ERROR_UNSUPPORTED, with *resolved unchanged. */
carom_status carom_isa_resolve(carom_isa isa, carom_isa *resolved);

#endif
