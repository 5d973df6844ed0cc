/* SPDX-License-Identifier: MIT
 * Lane-by-lane operations through memory, for backends without an instruction for them. A backend includes this file
 * after its own definitions. It gets all of it (emulated 512 bits) or, with GENERIC_SOME, only gathering and the
 * packing of integers.
 */
#ifndef CAROM_SIMD_GENERIC_H
#define CAROM_SIMD_GENERIC_H

CAROM_LANE vreal v_gather(const real *base, vint index)
{
    int32_t at[LANES];
    real lanes[LANES];
    __builtin_memcpy(at, &index, sizeof at);
    for (int l = 0; l < LANES; l++) {
        lanes[l] = base[at[l]];
        LANES_HOLD(lanes[l]);
    }
    return v_loadu(lanes);
}

CAROM_LANE void i_pairs(const int32_t (*pairs)[2], vint index, vint *a, vint *b)
{
    int32_t at[LANES], first[LANES], second[LANES];
    __builtin_memcpy(at, &index, sizeof at);
    for (int l = 0; l < LANES; l++) {
        first[l] = pairs[at[l]][0];
        second[l] = pairs[at[l]][1];
        LANES_HOLD(first[l]);
        LANES_HOLD(second[l]);
    }
    *a = i_loadu32(first);
    *b = i_loadu32(second);
}

#if !defined(I_HAS_COMPRESS)
CAROM_LANE void i_compress(int32_t *to, vmask m, vint a)
{
    int32_t lanes[LANES];
    __builtin_memcpy(lanes, &a, sizeof lanes);
    for (unsigned bits = m_bits(m); bits != 0; bits &= bits - 1) {
        *to++ = lanes[__builtin_ctz(bits)];
    }
}
#endif

#if !defined(GENERIC_SOME)

CAROM_LANE void v_compress(real *to, vmask m, vreal a)
{
    real lanes[LANES];
    v_storeu(lanes, a);
    for (unsigned bits = m_bits(m); bits != 0; bits &= bits - 1) {
        *to++ = lanes[__builtin_ctz(bits)];
    }
}

CAROM_LANE vreal v_expand(vreal a, vmask m, const real *from)
{
    real lanes[LANES];
    v_storeu(lanes, a);
    for (unsigned bits = m_bits(m); bits != 0; bits &= bits - 1) {
        lanes[__builtin_ctz(bits)] = *from++;
    }
    return v_loadu(lanes);
}

#define EACH_REAL(expression)                                                                                          \
    real x[LANES];                                                                                                     \
    v_storeu(x, a);                                                                                                    \
    for (int l = 0; l < LANES; l++) {                                                                                  \
        x[l] = expression;                                                                                             \
    }                                                                                                                  \
    return v_loadu(x)

#if CAROM_REAL_BITS == 64
CAROM_LANE vreal v_floor(vreal a) { EACH_REAL(__builtin_floor(x[l])); }
CAROM_LANE vreal v_trunc(vreal a) { EACH_REAL(__builtin_trunc(x[l])); }
#else
CAROM_LANE vreal v_floor(vreal a) { EACH_REAL(__builtin_floorf(x[l])); }
CAROM_LANE vreal v_trunc(vreal a) { EACH_REAL(__builtin_truncf(x[l])); }
#endif

CAROM_LANE vreal v_min(vreal a, vreal b) { return v_select(v_lt(a, b), a, b); }
CAROM_LANE vreal v_max(vreal a, vreal b) { return v_select(v_gt(a, b), a, b); }
CAROM_LANE vreal v_flip(vmask m, vreal a) { return v_select(m, -a, a); }

#if CAROM_REAL_BITS == 64
typedef uint64_t generic_bits;
#define GENERIC_EXPONENT 0x7ff0000000000000u
#define GENERIC_RSQRT 0x5fe6eb50c7b537a9u
#define GENERIC_HIGH 0xffffffff00000000u
#else
typedef uint32_t generic_bits;
#define GENERIC_EXPONENT 0x7f800000u
#define GENERIC_RSQRT 0x5f3759dfu
#define GENERIC_HIGH 0xffff0000u
#endif

#define EACH_BITS(expression)                                                                                          \
    generic_bits x[LANES];                                                                                             \
    __builtin_memcpy(x, &a, sizeof x);                                                                                 \
    for (int l = 0; l < LANES; l++) {                                                                                  \
        x[l] = expression;                                                                                             \
    }                                                                                                                  \
    __builtin_memcpy(&a, x, sizeof x);                                                                                 \
    return a

CAROM_LANE vreal v_binade(vreal a) { EACH_BITS(x[l] & GENERIC_EXPONENT); }
CAROM_LANE vreal v_high(vreal a) { EACH_BITS(x[l] & GENERIC_HIGH); }
CAROM_LANE vreal v_scale(vreal a) { EACH_BITS(GENERIC_EXPONENT - (x[l] & GENERIC_EXPONENT)); }
CAROM_LANE vreal v_rsqrt_guess(vreal a) { EACH_BITS(GENERIC_RSQRT - (x[l] >> 1)); }
CAROM_LANE vreal v_if_negative(vreal b, vreal a)
{
    generic_bits y[LANES];
    __builtin_memcpy(y, &b, sizeof y);
    EACH_BITS(y[l] >> (CAROM_REAL_BITS - 1) != 0 && x[l] < GENERIC_EXPONENT ? x[l] : GENERIC_EXPONENT);
}

CAROM_LANE vmask v_disjoint(vreal a, vreal b)
{
#if CAROM_REAL_BITS == 64
    uint64_t x[LANES], y[LANES];
#else
    uint32_t x[LANES], y[LANES];
#endif
    unsigned bits = 0;
    __builtin_memcpy(x, &a, sizeof x);
    __builtin_memcpy(y, &b, sizeof y);
    for (int l = 0; l < LANES; l++) {
        bits |= (unsigned)((x[l] & y[l]) == 0) << l;
    }
    return m_from_bits(bits);
}

#define EACH_FROM(ctype, target, expression)                                                                           \
    ctype x[LANES];                                                                                                    \
    for (int l = 0; l < LANES; l++) {                                                                                  \
        x[l] = (ctype)(expression);                                                                                    \
    }                                                                                                                  \
    target r;                                                                                                          \
    __builtin_memcpy(&r, x, sizeof r);                                                                                 \
    return r

CAROM_LANE vreal v_load_f32(const float *from) { EACH_FROM(real, vreal, from[l]); }
CAROM_LANE vreal v_load_f64(const double *from) { EACH_FROM(real, vreal, from[l]); }
CAROM_LANE vint i_load16(const int16_t *from) { EACH_FROM(int32_t, vint, from[l]); }
CAROM_LANE vint i_load8(const int8_t *from) { EACH_FROM(int32_t, vint, from[l]); }

CAROM_LANE void v_store_f32(float *to, vreal a)
{
    real x[LANES];
    v_storeu(x, a);
    for (int l = 0; l < LANES; l++) {
        to[l] = (float)x[l];
    }
}

CAROM_LANE vint v_truncate(vreal a)
{
    real from[LANES];
    v_storeu(from, a);
    EACH_FROM(int32_t, vint, from[l] > -2147483648.0 && from[l] < 2147483648.0 ? (int32_t)from[l] : INT32_MIN);
}

CAROM_LANE vreal v_from_int(vint a)
{
    int32_t from[LANES];
    __builtin_memcpy(from, &a, sizeof from);
    EACH_FROM(real, vreal, from[l]);
}

#define EACH_STORE(ctype)                                                                                              \
    int32_t from[LANES];                                                                                               \
    __builtin_memcpy(from, &a, sizeof from);                                                                           \
    for (int l = 0; l < LANES; l++) {                                                                                  \
        to[l] = (ctype)from[l];                                                                                        \
    }

CAROM_LANE void i_store16(int16_t *to, vint a) { EACH_STORE(int16_t) }
CAROM_LANE void i_store8(int8_t *to, vint a) { EACH_STORE(int8_t) }

#define EACH_COMPARE(operator)                                                                                         \
    int32_t x[LANES], y[LANES];                                                                                        \
    unsigned bits = 0;                                                                                                 \
    __builtin_memcpy(x, &a, sizeof x);                                                                                 \
    __builtin_memcpy(y, &b, sizeof y);                                                                                 \
    for (int l = 0; l < LANES; l++) {                                                                                  \
        bits |= (unsigned)(x[l] operator y[l]) << l;                                                                   \
    }                                                                                                                  \
    return m_from_bits(bits)

CAROM_LANE vmask i_eq(vint a, vint b) { EACH_COMPARE(==); }
CAROM_LANE vmask i_gt(vint a, vint b) { EACH_COMPARE(>); }

CAROM_LANE vint i_select(vmask m, vint a, vint b)
{
    int32_t x[LANES], y[LANES];
    unsigned bits = m_bits(m);
    __builtin_memcpy(x, &a, sizeof x);
    __builtin_memcpy(y, &b, sizeof y);
    for (int l = 0; l < LANES; l++) {
        x[l] = bits >> l & 1 ? x[l] : y[l];
    }
    __builtin_memcpy(&a, x, sizeof x);
    return a;
}

#undef EACH_REAL
#undef EACH_BITS
#undef GENERIC_EXPONENT
#undef GENERIC_RSQRT
#undef EACH_FROM
#undef EACH_STORE
#undef EACH_COMPARE

#endif /* GENERIC_SOME */

#endif
