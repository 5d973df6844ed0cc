/* SPDX-License-Identifier: MIT
 * The lane vocabulary at width 1, in plain C: the reference for all other backends. See simd/lanes.h. Also valid C++.
 */
#ifndef CAROM_SIMD_SCALAR_H
#define CAROM_SIMD_SCALAR_H

#define LANES 1

typedef real vreal;
typedef int32_t vint;
typedef bool vmask;

CAROM_LANE vreal v_load(const real *from) { return *from; }
CAROM_LANE vreal v_loadu(const real *from) { return *from; }
CAROM_LANE void v_store(real *to, vreal a) { *to = a; }
CAROM_LANE void v_storeu(real *to, vreal a) { *to = a; }
CAROM_LANE vreal v_load_f32(const float *from) { return (vreal)*from; }
CAROM_LANE vreal v_load_f64(const double *from) { return (vreal)*from; }
CAROM_LANE void v_store_f32(float *to, vreal a) { *to = (float)a; }
CAROM_LANE vreal v_set1(real a) { return a; }

CAROM_LANE vreal v_max(vreal a, vreal b) { return a > b ? a : b; }
#if defined(CAROM_DEVICE)
/* Compilers for devices turn `a < 0 ? a : 0` into an instruction that returns -0 for -0 (LLVM, issue 93414). Hide from
 * them that the number compared is the one returned. */
#if CAROM_REAL_BITS == 64
#define SCALAR_HIDE(a) __asm__("" : "+d"(a))
#else
#define SCALAR_HIDE(a) __asm__("" : "+f"(a))
#endif
CAROM_LANE vreal v_min(vreal a, vreal b)
{
    const bool less = a < b;
    SCALAR_HIDE(a);
    return less ? a : b;
}
#else
CAROM_LANE vreal v_min(vreal a, vreal b) { return a < b ? a : b; }
#endif

#if CAROM_REAL_BITS == 64
#define SCALAR_WHOLE 4503599627370496.0 /* 2^52: from here on every number is whole */
CAROM_LANE vreal v_sqrt(vreal a) { return __builtin_sqrt(a); }
CAROM_LANE vreal v_abs(vreal a) { return __builtin_fabs(a); }
CAROM_LANE vreal v_copysign(vreal a, vreal sign) { return __builtin_copysign(a, sign); }
#else
#define SCALAR_WHOLE 8388608.0f /* 2^23 */
CAROM_LANE vreal v_sqrt(vreal a) { return __builtin_sqrtf(a); }
CAROM_LANE vreal v_abs(vreal a) { return __builtin_fabsf(a); }
CAROM_LANE vreal v_copysign(vreal a, vreal sign) { return __builtin_copysignf(a, sign); }
#endif

#if defined(CAROM_DEVICE)

/* Devices have instructions for both. */
#if CAROM_REAL_BITS == 64
CAROM_LANE vreal v_trunc(vreal a) { return __builtin_trunc(a); }
CAROM_LANE vreal v_floor(vreal a) { return __builtin_floor(a); }
#else
CAROM_LANE vreal v_trunc(vreal a) { return __builtin_truncf(a); }
CAROM_LANE vreal v_floor(vreal a) { return __builtin_floorf(a); }
#endif

#else

/* v_trunc() and v_floor() do without the C library: they convert numbers with fraction bits to an integer and back.
 * Other numbers are whole and returned unchanged; adding 0 makes a signalling NaN quiet. */
CAROM_LANE vreal v_trunc(vreal a) { return v_abs(a) < SCALAR_WHOLE ? v_copysign((vreal)(int64_t)a, a) : a + 0; }

CAROM_LANE vreal v_floor(vreal a)
{
    if (!(v_abs(a) < SCALAR_WHOLE)) {
        return a + 0;
    }
    vreal whole = (vreal)(int64_t)a;
    return v_copysign(whole > a ? whole - 1 : whole, a);
}

#endif

CAROM_LANE vmask v_lt(vreal a, vreal b) { return a < b; }
CAROM_LANE vmask v_le(vreal a, vreal b) { return a <= b; }
CAROM_LANE vmask v_gt(vreal a, vreal b) { return a > b; }
CAROM_LANE vmask v_ge(vreal a, vreal b) { return a >= b; }
CAROM_LANE vmask v_eq(vreal a, vreal b) { return a == b; }
CAROM_LANE vmask v_ne(vreal a, vreal b) { return a != b; }
CAROM_LANE vreal v_select(vmask m, vreal a, vreal b) { return m ? a : b; }
CAROM_LANE vreal v_flip(vmask m, vreal a) { return m ? -a : a; }

#if CAROM_REAL_BITS == 64
typedef uint64_t scalar_bits;
#define SCALAR_EXPONENT 0x7ff0000000000000u
#define SCALAR_RSQRT 0x5fe6eb50c7b537a9u
#else
typedef uint32_t scalar_bits;
#define SCALAR_EXPONENT 0x7f800000u
#define SCALAR_RSQRT 0x5f3759dfu
#endif

CAROM_LANE scalar_bits scalar_bits_of(vreal a)
{
    scalar_bits bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits;
}

CAROM_LANE vreal scalar_of_bits(scalar_bits bits)
{
    vreal a;
    __builtin_memcpy(&a, &bits, sizeof bits);
    return a;
}

CAROM_LANE vreal v_binade(vreal a) { return scalar_of_bits(scalar_bits_of(a) & SCALAR_EXPONENT); }
CAROM_LANE vreal v_scale(vreal a) { return scalar_of_bits(SCALAR_EXPONENT - (scalar_bits_of(a) & SCALAR_EXPONENT)); }
CAROM_LANE vreal v_rsqrt_guess(vreal a) { return scalar_of_bits(SCALAR_RSQRT - (scalar_bits_of(a) >> 1)); }

CAROM_LANE vreal v_if_negative(vreal b, vreal t)
{
    const bool keep = scalar_bits_of(b) >> (CAROM_REAL_BITS - 1) != 0 && scalar_bits_of(t) < SCALAR_EXPONENT;
    return keep ? t : scalar_of_bits(SCALAR_EXPONENT);
}

CAROM_LANE vmask v_disjoint(vreal a, vreal b)
{
#if CAROM_REAL_BITS == 64
    uint64_t x, y;
#else
    uint32_t x, y;
#endif
    __builtin_memcpy(&x, &a, sizeof x);
    __builtin_memcpy(&y, &b, sizeof y);
    return (x & y) == 0;
}

#if CAROM_REAL_BITS == 64
#define SCALAR_HIGH 0xffffffff00000000u
#else
#define SCALAR_HIGH 0xffff0000u
#endif
CAROM_LANE vreal v_high(vreal a) { return scalar_of_bits(scalar_bits_of(a) & SCALAR_HIGH); }

CAROM_LANE vint v_truncate(vreal a)
{
    return a > REAL(-2147483648.0) && a < REAL(2147483648.0) ? (vint)a : INT32_MIN; /* INT32_MIN as on x86 */
}

CAROM_LANE vreal v_from_int(vint a) { return (vreal)a; }
CAROM_LANE vreal v_gather(const real *base, vint index) { return base[index]; }
CAROM_LANE void i_pairs(const int32_t (*pairs)[2], vint index, vint *a, vint *b)
{
    *a = pairs[index][0];
    *b = pairs[index][1];
}

CAROM_LANE void v_compress(real *to, vmask m, vreal a)
{
    if (m) {
        *to = a;
    }
}

CAROM_LANE vreal v_expand(vreal a, vmask m, const real *from) { return m ? *from : a; }

CAROM_LANE vint i_load32(const int32_t *from) { return *from; }
CAROM_LANE vint i_loadu32(const int32_t *from) { return *from; }
CAROM_LANE vint i_load16(const int16_t *from) { return *from; }
CAROM_LANE vint i_load8(const int8_t *from) { return *from; }
CAROM_LANE void i_store32(int32_t *to, vint a) { *to = a; }
CAROM_LANE void i_store16(int16_t *to, vint a) { *to = (int16_t)a; }
CAROM_LANE void i_store8(int8_t *to, vint a) { *to = (int8_t)a; }
CAROM_LANE vint i_set1(int32_t a) { return a; }
CAROM_LANE vint i_add(vint a, vint b) { return (vint)((uint32_t)a + (uint32_t)b); }
CAROM_LANE vint i_sub(vint a, vint b) { return (vint)((uint32_t)a - (uint32_t)b); }
CAROM_LANE vint i_and(vint a, vint b) { return a & b; }
CAROM_LANE vint i_or(vint a, vint b) { return a | b; }
CAROM_LANE vmask i_eq(vint a, vint b) { return a == b; }
CAROM_LANE vmask i_gt(vint a, vint b) { return a > b; }
CAROM_LANE vint i_select(vmask m, vint a, vint b) { return m ? a : b; }

CAROM_LANE void i_compress(int32_t *to, vmask m, vint a)
{
    if (m) {
        *to = a;
    }
}

CAROM_LANE vmask m_and(vmask a, vmask b) { return a && b; }
CAROM_LANE vmask m_or(vmask a, vmask b) { return a || b; }
CAROM_LANE vmask m_not(vmask a) { return !a; }
CAROM_LANE vmask m_andnot(vmask a, vmask b) { return a && !b; }
CAROM_LANE bool m_any(vmask a) { return a; }
CAROM_LANE bool m_all(vmask a) { return a; }
CAROM_LANE unsigned m_bits(vmask a) { return a; }
CAROM_LANE vmask m_from_bits(unsigned bits) { return (bits & 1) != 0; }

#endif
