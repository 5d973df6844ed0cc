/* SPDX-License-Identifier: MIT
 * The floating-point environment: results must not depend on the caller's environment, and calls must not change it.
 *
 *     const fp_environment caller = fp_begin();   round to nearest, no flush to zero, exceptions masked
 *     ...
 *     fp_end(caller);                             everything as before, exception flags included
 *
 * The environment belongs to a thread, so every worker sets it, too (base/parallel.h takes care of that). Compiler
 * barriers keep loads and stores, and so the arithmetic between them, on their side of the change. Arithmetic on values
 * in registers may still move, so put a call to an out-of-line function between the two. */
#ifndef CAROM_BASE_FPENV_H
#define CAROM_BASE_FPENV_H

#include <fenv.h>
#include <float.h>

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "Carom needs strict floating-point arithmetic: no -ffast-math, no excess precision"
#endif

#if defined(__x86_64__)

#include <xmmintrin.h>

/* All arithmetic uses SSE, so only MXCSR matters. */
typedef struct fp_environment {
    unsigned control; /* MXCSR: modes and exception flags */
} fp_environment;

static inline fp_environment fp_begin(void)
{
    const fp_environment caller = {_mm_getcsr()};
    _mm_setcsr(0x1f80); /* its value at the start of a process */
    __asm__ volatile("" ::: "memory");
    return caller;
}

static inline void fp_end(fp_environment caller)
{
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(caller.control);
}

#elif defined(__SSE2_MATH__)

#include <xmmintrin.h>

/* Carom computes with SSE, but 32-bit C libraries with the x87 unit, on whose mode pow() depends, which a solver
 * calls. */
typedef struct fp_environment {
    unsigned control; /* MXCSR: modes and exception flags */
    fenv_t x87;
} fp_environment;

static inline fp_environment fp_begin(void)
{
    fp_environment caller = {.control = _mm_getcsr()};
    (void)fegetenv(&caller.x87);
    (void)fesetenv(FE_DFL_ENV);
    _mm_setcsr(0x1f80); /* its value at the start of a process */
    __asm__ volatile("" ::: "memory");
    return caller;
}

static inline void fp_end(fp_environment caller)
{
    __asm__ volatile("" ::: "memory");
    (void)fesetenv(&caller.x87);
    _mm_setcsr(caller.control);
}

#elif defined(__aarch64__)

#include <stdint.h>

typedef struct fp_environment {
    uint64_t control, status;
} fp_environment;

static inline fp_environment fp_begin(void)
{
    fp_environment caller;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(caller.control), "=r"(caller.status)::"memory");
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
    return caller;
}

static inline void fp_end(fp_environment caller)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(caller.control), "r"(caller.status) : "memory");
}

#else

typedef struct fp_environment {
    fenv_t all;
} fp_environment;

static inline fp_environment fp_begin(void)
{
    fp_environment caller;
    (void)fegetenv(&caller.all);
    (void)fesetenv(FE_DFL_ENV);
    __asm__ volatile("" ::: "memory");
    return caller;
}

static inline void fp_end(fp_environment caller)
{
    __asm__ volatile("" ::: "memory");
    (void)fesetenv(&caller.all);
}

#endif

/* The environment for printf() and strtod(), which on x86 take the rounding mode from the x87 unit, although they
 * compute with SSE. */
static inline fenv_t fp_begin_text(void)
{
    fenv_t caller;
    (void)fegetenv(&caller);
    (void)fesetenv(FE_DFL_ENV);
    return caller;
}

static inline void fp_end_text(fenv_t caller)
{
    (void)fesetenv(&caller);
}

#endif
