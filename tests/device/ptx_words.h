/* SPDX-License-Identifier: MIT
 * The instructions of PTX that are not an operator of C, for programs translated by ptx2c.py. Each gives the bits that
 * the PTX manual defines, for all arguments, except that a NaN keeps the processor's payload.
 *
 * Compile with -ffp-contract=off. With PTX_CHECKED every access to memory must be aligned, as a device demands it. With
 * PTX_NAN arithmetic results in the canonical NaN, as on a device, where a processor would propagate an argument's.
 */
#ifndef CAROM_TESTS_DEVICE_PTX_WORDS_H
#define CAROM_TESTS_DEVICE_PTX_WORDS_H

#include "ptx_module.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is in local memory before a program writes there: a device does not define it. */
#define PTX_FILL 0x41

#define PTX_WORD static inline __attribute__((always_inline, unused))

/* ---- memory ---- */

typedef uint8_t __attribute__((may_alias)) ptx_u8;
typedef uint16_t __attribute__((may_alias)) ptx_u16;
typedef uint32_t __attribute__((may_alias)) ptx_u32;
typedef uint64_t __attribute__((may_alias)) ptx_u64;
typedef float __attribute__((may_alias)) ptx_f32;
typedef double __attribute__((may_alias)) ptx_f64;

__attribute__((noreturn, noinline, cold, unused)) static void ptx_stop(const char *why)
{
    fprintf(stderr, "a translated device program stopped: %s\n", why);
    abort();
}

/* The address of an access to `bytes` bytes. */
PTX_WORD uintptr_t ptx_at(uint64_t address, size_t bytes)
{
#if defined(PTX_CHECKED)
    if (address % bytes != 0) {
        ptx_stop("misaligned address");
    }
#else
    (void)bytes;
#endif
    return (uintptr_t)address;
}

#define PTX_LOAD(type, address, bytes, index) (((const ptx_##type *)ptx_at(address, bytes))[index])
#define PTX_STORE(type, address, bytes, index, value) (((ptx_##type *)ptx_at(address, bytes))[index] = (value))

/* ---- bits and numbers ---- */

PTX_WORD float ptx_f32_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

PTX_WORD double ptx_f64_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

PTX_WORD uint32_t ptx_bits_f32(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

PTX_WORD uint64_t ptx_bits_f64(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* ---- arithmetic ---- */

#if defined(PTX_NAN)
PTX_WORD float ptx_made_f32(float number)
{
    return number != number ? ptx_f32_of(UINT32_C(0x7fffffff)) : number;
}

PTX_WORD double ptx_made_f64(double number)
{
    return number != number ? ptx_f64_of(UINT64_C(0x7fffffffffffffff)) : number;
}
#else
#define ptx_made_f32(number) (number)
#define ptx_made_f64(number) (number)
#endif

/* -0 is less than +0; with a NaN the result is the other argument. */
#define PTX_FLOATS(type, name, bits_type)                                                                              \
    PTX_WORD type ptx_min_##name(type a, type b)                                                                       \
    {                                                                                                                  \
        if (a == b) {                                                                                                  \
            return ptx_##name##_of(ptx_bits_##name(a) | ptx_bits_##name(b));                                           \
        }                                                                                                              \
        return a < b || b != b ? a : b;                                                                                \
    }                                                                                                                  \
    PTX_WORD type ptx_max_##name(type a, type b)                                                                       \
    {                                                                                                                  \
        if (a == b) {                                                                                                  \
            return ptx_##name##_of(ptx_bits_##name(a) & ptx_bits_##name(b));                                           \
        }                                                                                                              \
        return a > b || b != b ? a : b;                                                                                \
    }                                                                                                                  \
    PTX_WORD type ptx_abs_##name(type a)                                                                               \
    {                                                                                                                  \
        return ptx_##name##_of(ptx_bits_##name(a) & ~((bits_type)1 << (sizeof a * 8 - 1)));                            \
    }                                                                                                                  \
    PTX_WORD type ptx_neg_##name(type a)                                                                               \
    {                                                                                                                  \
        return ptx_##name##_of(ptx_bits_##name(a) ^ (bits_type)1 << (sizeof a * 8 - 1));                               \
    }                                                                                                                  \
    PTX_WORD type ptx_copysign_##name(type sign, type magnitude)                                                       \
    {                                                                                                                  \
        const bits_type mask = (bits_type)1 << (sizeof sign * 8 - 1);                                                  \
        return ptx_##name##_of((ptx_bits_##name(sign) & mask) | (ptx_bits_##name(magnitude) & ~mask));                 \
    }
PTX_FLOATS(float, f32, uint32_t)
PTX_FLOATS(double, f64, uint64_t)

/* Rounded to a whole number: i to the nearest, of two the even one; z, m, p towards 0, down, up. */
#define ptx_whole_f32_rni(a) rintf(a)
#define ptx_whole_f32_rzi(a) truncf(a)
#define ptx_whole_f32_rmi(a) floorf(a)
#define ptx_whole_f32_rpi(a) ceilf(a)
#define ptx_whole_f64_rni(a) rint(a)
#define ptx_whole_f64_rzi(a) trunc(a)
#define ptx_whole_f64_rmi(a) floor(a)
#define ptx_whole_f64_rpi(a) ceil(a)

/* A whole number as an integer: numbers out of range are clamped, a NaN becomes 0. */
#define PTX_INTEGERS(name, integer, least, beyond)                                                                     \
    PTX_WORD integer ptx_to_##name(double a, integer low, integer high)                                                \
    {                                                                                                                  \
        if (a != a) {                                                                                                  \
            return 0;                                                                                                  \
        }                                                                                                              \
        return a < (least) ? low : a >= (beyond) ? high : (integer)a;                                                  \
    }
PTX_INTEGERS(s32, int32_t, -0x1p31, 0x1p31)
PTX_INTEGERS(u32, uint32_t, 0, 0x1p32)
PTX_INTEGERS(s64, int64_t, -0x1p63, 0x1p63)
PTX_INTEGERS(u64, uint64_t, 0, 0x1p64)
PTX_INTEGERS(s16, int16_t, -0x1p15, 0x1p15)
PTX_INTEGERS(u16, uint16_t, 0, 0x1p16)
PTX_INTEGERS(s8, int8_t, -0x1p7, 0x1p7)
PTX_INTEGERS(u8, uint8_t, 0, 0x1p8)

/* ---- integers ---- */

/* A device does not trap on these; it defines no result. */
#define PTX_DIVIDE(name, type, overflows)                                                                              \
    PTX_WORD type ptx_div_##name(type a, type b)                                                                       \
    {                                                                                                                  \
        return b == 0 || (overflows) ? ~(type)0 : a / b;                                                               \
    }                                                                                                                  \
    PTX_WORD type ptx_rem_##name(type a, type b)                                                                       \
    {                                                                                                                  \
        return b == 0 || (overflows) ? ~(type)0 : a % b;                                                               \
    }
PTX_DIVIDE(u16, uint16_t, false)
PTX_DIVIDE(u32, uint32_t, false)
PTX_DIVIDE(u64, uint64_t, false)
PTX_DIVIDE(s16, int16_t, false)
PTX_DIVIDE(s32, int32_t, b == -1 && a == INT32_MIN)
PTX_DIVIDE(s64, int64_t, b == -1 && a == INT64_MIN)

PTX_WORD uint64_t ptx_high_u64(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
}

PTX_WORD uint64_t ptx_high_s64(uint64_t a, uint64_t b)
{
    __extension__ typedef __int128 wide;
    return (uint64_t)((wide)(int64_t)a * (int64_t)b >> 64);
}

/* Shifts by the width or more give 0, or the sign. */
#define PTX_SHIFTS(bits)                                                                                               \
    PTX_WORD uint##bits##_t ptx_shl_b##bits(uint##bits##_t a, uint32_t by)                                             \
    {                                                                                                                  \
        return by >= bits ? 0 : (uint##bits##_t)((uint64_t)a << by);                                                   \
    }                                                                                                                  \
    PTX_WORD uint##bits##_t ptx_shr_u##bits(uint##bits##_t a, uint32_t by)                                             \
    {                                                                                                                  \
        return by >= bits ? 0 : (uint##bits##_t)(a >> by);                                                             \
    }                                                                                                                  \
    PTX_WORD uint##bits##_t ptx_shr_s##bits(uint##bits##_t a, uint32_t by)                                             \
    {                                                                                                                  \
        return (uint##bits##_t)((int##bits##_t)a >> (by >= bits ? bits - 1 : by));                                     \
    }
PTX_SHIFTS(16)
PTX_SHIFTS(32)
PTX_SHIFTS(64)

PTX_WORD uint32_t ptx_clz_b32(uint32_t a)
{
    return a == 0 ? 32 : (uint32_t)__builtin_clz(a);
}

PTX_WORD uint32_t ptx_clz_b64(uint64_t a)
{
    return a == 0 ? 64 : (uint32_t)__builtin_clzll(a);
}

/* The highest bit that is not the sign: its number, or by how much to shift it there; all ones if there is none. */
PTX_WORD uint32_t ptx_bfind_u32(uint32_t a, bool shift)
{
    return a == 0 ? UINT32_MAX : shift ? ptx_clz_b32(a) : 31 - ptx_clz_b32(a);
}

PTX_WORD uint32_t ptx_bfind_s32(uint32_t a, bool shift)
{
    return ptx_bfind_u32((int32_t)a < 0 ? ~a : a, shift);
}

PTX_WORD uint32_t ptx_bfind_u64(uint64_t a, bool shift)
{
    return a == 0 ? UINT32_MAX : shift ? ptx_clz_b64(a) : 63 - ptx_clz_b64(a);
}

PTX_WORD uint32_t ptx_bfind_s64(uint64_t a, bool shift)
{
    return ptx_bfind_u64((int64_t)a < 0 ? ~a : a, shift);
}

PTX_WORD uint32_t ptx_brev_b32(uint32_t a)
{
    a = (a >> 1 & UINT32_C(0x55555555)) | (a & UINT32_C(0x55555555)) << 1;
    a = (a >> 2 & UINT32_C(0x33333333)) | (a & UINT32_C(0x33333333)) << 2;
    a = (a >> 4 & UINT32_C(0x0f0f0f0f)) | (a & UINT32_C(0x0f0f0f0f)) << 4;
    return __builtin_bswap32(a);
}

PTX_WORD uint64_t ptx_brev_b64(uint64_t a)
{
    return (uint64_t)ptx_brev_b32((uint32_t)a) << 32 | ptx_brev_b32((uint32_t)(a >> 32));
}

/* Four bytes out of eight, each chosen by a digit of `which`; a digit of 8 and more gives the byte's sign instead. */
PTX_WORD uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t which)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t digit = which >> (4 * i) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (digit & 7))) & 255;
        byte = (digit & 8) == 0 ? byte : (byte & 128) != 0 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}

/* `length` bits of `from` put into `to` at bit `at`; of both numbers the low eight bits count. */
#define PTX_FIELDS(bits)                                                                                               \
    PTX_WORD uint##bits##_t ptx_bfi_b##bits(uint##bits##_t from, uint##bits##_t to, uint32_t at, uint32_t length)      \
    {                                                                                                                  \
        const uint32_t low = at & 255, count = length & 255;                                                           \
        const uint##bits##_t ones = count >= bits ? ~(uint##bits##_t)0 : ((uint##bits##_t)1 << count) - 1;             \
        const uint##bits##_t mask = ptx_shl_b##bits(ones, low);                                                        \
        return (to & ~mask) | (ptx_shl_b##bits(from, low) & mask);                                                     \
    }                                                                                                                  \
    PTX_WORD uint##bits##_t ptx_bfe_u##bits(uint##bits##_t from, uint32_t at, uint32_t length)                         \
    {                                                                                                                  \
        const uint32_t low = at & 255, count = length & 255;                                                           \
        const uint##bits##_t ones = count >= bits ? ~(uint##bits##_t)0 : ((uint##bits##_t)1 << count) - 1;             \
        return ptx_shr_u##bits(from, low) & ones;                                                                      \
    }                                                                                                                  \
    PTX_WORD uint##bits##_t ptx_bfe_s##bits(uint##bits##_t from, uint32_t at, uint32_t length)                         \
    {                                                                                                                  \
        const uint32_t low = at & 255, count = length & 255;                                                           \
        if (count == 0) {                                                                                              \
            return 0;                                                                                                  \
        }                                                                                                              \
        const uint32_t top = low + count - 1 < bits - 1 ? low + count - 1 : bits - 1;                                  \
        const bool negative = (from >> top & 1) != 0;                                                                  \
        const uint##bits##_t ones = count >= bits ? ~(uint##bits##_t)0 : ((uint##bits##_t)1 << count) - 1;             \
        uint##bits##_t part = ptx_shr_u##bits(from, low);                                                              \
        if (negative && low > 0) {                                                                                     \
            part |= ptx_shl_b##bits(~(uint##bits##_t)0, low >= bits ? 0 : bits - low);                                 \
        }                                                                                                              \
        part &= ones;                                                                                                  \
        return negative ? part | ~ones : part;                                                                         \
    }
PTX_FIELDS(32)
PTX_FIELDS(64)

/* The upper or lower word of (b, a) shifted. */
PTX_WORD uint32_t ptx_shf_l(uint32_t a, uint32_t b, uint32_t by)
{
    return (uint32_t)(((uint64_t)b << 32 | a) << by >> 32);
}

PTX_WORD uint32_t ptx_shf_r(uint32_t a, uint32_t b, uint32_t by)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> by);
}

/* Any function of three bits, as a table of eight. */
PTX_WORD uint32_t ptx_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t result = 0;
    for (uint32_t row = 0; row < 8; row++) {
        if ((table >> row & 1) != 0) {
            result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
        }
    }
    return result;
}

#endif
