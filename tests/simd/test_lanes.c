/* SPDX-License-Identifier: MIT
 * Every operation of the lane vocabulary against plain C, lane by lane and bit for bit. Compiled like a kernel, once
 * per instruction set and precision; exits with 77 where this machine cannot run that one.
 */
#include "test.h"

#include "simd/elementary.h"
#include "simd/lanes.h"
#include "this_isa.h"

#if CAROM_REAL_BITS == 64
typedef uint64_t raw;
#define RAW_SIGN 0x8000000000000000u
#define RAW_EXPONENT 0x7ff0000000000000u
#define RAW_HIGH 0xffffffff00000000u
#define FRACTION_BITS 52
#define EXPONENT_BIAS 1023u
#define RSQRT_MAGIC 0x5fe6eb50c7b537a9u
#define C_SQRT sqrt
#define C_FLOOR floor
#define C_TRUNC trunc
#else
typedef uint32_t raw;
#define RAW_SIGN 0x80000000u
#define RAW_EXPONENT 0x7f800000u
#define RAW_HIGH 0xffff0000u
#define FRACTION_BITS 23
#define EXPONENT_BIAS 127u
#define RSQRT_MAGIC 0x5f3759dfu
#define C_SQRT sqrtf
#define C_FLOOR floorf
#define C_TRUNC truncf
#endif

#define ALIGNED _Alignas(64)
#define GUARD 0xa5

/* One vector of every kind of operand, as arrays. */
typedef struct operands {
    ALIGNED real x[LANES];
    ALIGNED real y[LANES];
    ALIGNED int32_t i[LANES];
    ALIGNED int32_t j[LANES];
    unsigned m, n; /* masks */
} operands;

static const real special_reals[] = {
    0,
    REAL(-0.0),
    1,
    -1,
    REAL(0.5),
    REAL(-0.5),
    REAL(1.5),
    REAL(-1.5),
    REAL(2.5),
    REAL(-2.5),
    REAL(0.99999994),
    REAL(-0.99999994),
    REAL(8388607.5), /* 2^23 and about */
    8388608,
    -8388609,
    2147483648.0, /* 2^31 */
    -2147483648.0,
    REAL(4503599627370495.5), /* 2^52 and about */
    -4503599627370496.0,
    9007199254740992.0, /* 2^53 */
    (real)1e30,
#if CAROM_REAL_BITS == 64
    DBL_MIN,
    -DBL_MIN,
    5e-324,
    -DBL_MIN / 3,
    DBL_MAX,
    -DBL_MAX,
#else
    FLT_MIN,
    -FLT_MIN,
    1e-45f,
    -FLT_MIN / 3,
    FLT_MAX,
    -FLT_MAX,
#endif
    (real)INFINITY,
    -(real)INFINITY,
    (real)NAN,
    -(real)NAN,
};

static const int32_t special_ints[] = {
    0,     1,     -1,     2,      127,   128,      -128,      -129,      255,           256,
    32767, 32768, -32768, -32769, 65535, 16777217, INT32_MAX, INT32_MIN, INT32_MIN + 1,
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ALL_LANES ((1u << (LANES - 1) << 1) - 1)

static uint64_t random_state;

static uint64_t random_bits(void)
{
    return rng_next(&random_state);
}

static raw raw_of(real a)
{
    raw bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static real real_of(raw bits)
{
    real a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Any bit pattern, or a number with some bits before and some behind the point, where rounding is at work. */
static real random_real(void)
{
    raw bits = (raw)random_bits();
    if (random_bits() % 2 == 0) {
        raw exponent = EXPONENT_BIAS - 3 + (raw)(random_bits() % (FRACTION_BITS + 6));
        bits = (bits & ~(raw)RAW_EXPONENT) | exponent << FRACTION_BITS;
    }
    return real_of(bits);
}

static void random_operands(operands *o)
{
    for (int l = 0; l < LANES; l++) {
        o->x[l] = random_real();
        o->y[l] = random_bits() % 8 == 0 ? o->x[l] : random_real();
        o->i[l] = (int32_t)(random_bits() >> random_bits() % 32);
        o->j[l] = random_bits() % 8 == 0 ? o->i[l] : (int32_t)random_bits();
    }
    o->m = (unsigned)random_bits() & ALL_LANES;
    o->n = (unsigned)random_bits() & ALL_LANES;
}

static void wrong(const char *operation, int lane, uint64_t a, uint64_t b, uint64_t expected, uint64_t got)
{
    fail_msg("%s, lane %d of %d: a = %#llx, b = %#llx: expected %#llx, got %#llx", operation, lane, LANES,
             (unsigned long long)a, (unsigned long long)b, (unsigned long long)expected, (unsigned long long)got);
}

/* Runs `call` on whole vectors and compares lane l with `expected`, an expression in p, q (lane l of a and b), t
 * (whether mask m chooses it). The _EXACT ones are moves of bits, which keep those of a NaN, too. */
#define CHECK_LANES(type, store, call, expected, differ, bits_of)                                                      \
    do {                                                                                                               \
        ALIGNED type out[LANES];                                                                                       \
        store(out, call);                                                                                              \
        for (int l = 0; l < LANES; l++) {                                                                              \
            const real p = o->x[l], q = o->y[l];                                                                       \
            const int32_t i = o->i[l], j = o->j[l];                                                                    \
            const bool t = (o->m >> l & 1) != 0;                                                                       \
            (void)p, (void)q, (void)i, (void)j, (void)t;                                                               \
            const type want = expected;                                                                                \
            if (differ(want, out[l])) {                                                                                \
                wrong(#call, l, raw_of(p), raw_of(q), bits_of(want), bits_of(out[l]));                                 \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)
#define DIFFER_EXACT(a, b) (raw_of(a) != raw_of(b))
#define DIFFER_REAL(a, b) (isnan(a) ? !isnan(b) : DIFFER_EXACT(a, b))
#define DIFFER_INT(a, b) ((a) != (b))
#define INT_BITS(a) (uint32_t)(a)
#define REALS(call, expected) CHECK_LANES(real, v_storeu, call, expected, DIFFER_REAL, raw_of)
#define REALS_EXACT(call, expected) CHECK_LANES(real, v_storeu, call, expected, DIFFER_EXACT, raw_of)
#define INTS(call, expected) CHECK_LANES(int32_t, i_store32, call, expected, DIFFER_INT, INT_BITS)

/* The same for masks, by m_bits, m_any and m_all. */
#define MASKS(call, expected)                                                                                          \
    do {                                                                                                               \
        const vmask got = call;                                                                                        \
        unsigned want = 0;                                                                                             \
        for (int l = 0; l < LANES; l++) {                                                                              \
            const real p = o->x[l], q = o->y[l];                                                                       \
            const int32_t i = o->i[l], j = o->j[l];                                                                    \
            const bool s = (o->m >> l & 1) != 0, t = (o->n >> l & 1) != 0;                                             \
            (void)p, (void)q, (void)i, (void)j, (void)s, (void)t;                                                      \
            want |= (unsigned)(expected) << l;                                                                         \
        }                                                                                                              \
        if (m_bits(got) != want || m_any(got) != (want != 0) || m_all(got) != (want == ALL_LANES)) {                   \
            wrong(#call, 0, raw_of(o->x[0]), raw_of(o->y[0]), want, m_bits(got));                                      \
        }                                                                                                              \
    } while (0)

static void check_arithmetic(const operands *o)
{
    const vreal a = v_loadu(o->x), b = v_loadu(o->y);
    const vmask m = m_from_bits(o->m);
    REALS_EXACT(a, p);
    REALS(a + b, p + q);
    REALS(a - b, p - q);
    REALS(a * b, p * q);
    REALS(a / b, p / q);
    REALS(v_sqrt(a), C_SQRT(p));
    REALS(v_floor(a), C_FLOOR(p));
    REALS(v_trunc(a), C_TRUNC(p));
    REALS_EXACT(v_min(a, b), p < q ? p : q);
    REALS_EXACT(v_max(a, b), p > q ? p : q);
    REALS_EXACT(-a, real_of(raw_of(p) ^ RAW_SIGN));
    REALS_EXACT(v_abs(a), real_of(raw_of(p) & ~(raw)RAW_SIGN));
    REALS_EXACT(v_select(m, a, b), t ? p : q);
    REALS_EXACT(v_flip(m, a), t ? real_of(raw_of(p) ^ RAW_SIGN) : p);
    REALS_EXACT(v_binade(a), real_of(raw_of(p) & RAW_EXPONENT));
    REALS_EXACT(v_scale(a), real_of(RAW_EXPONENT - (raw_of(p) & RAW_EXPONENT)));
    REALS_EXACT(v_if_negative(a, b), raw_of(p) >= RAW_SIGN && raw_of(q) < RAW_EXPONENT ? q : (real)INFINITY);
    REALS_EXACT(v_rsqrt_guess(a), real_of(RSQRT_MAGIC - (raw_of(p) >> 1)));
    REALS_EXACT(v_high(a), real_of(raw_of(p) & RAW_HIGH));
    REALS_EXACT(v_set1(o->x[0]), o->x[0]);
    MASKS(v_lt(a, b), p < q);
    MASKS(v_le(a, b), p <= q);
    MASKS(v_gt(a, b), p > q);
    MASKS(v_ge(a, b), p >= q);
    MASKS(v_eq(a, b), p == q);
    MASKS(v_ne(a, b), p != q);
    MASKS(v_ne(a, a), isnan(p));
    MASKS(v_disjoint(a, b), (raw_of(p) & raw_of(q)) == 0);
    MASKS(v_disjoint(a, v_set1(real_of(1))), (raw_of(p) & 1) == 0);
}

static void check_integers(const operands *o)
{
    const vint a = i_load32(o->i), b = i_load32(o->j);
    const vmask m = m_from_bits(o->m);
    INTS(a, i);
    INTS(i_add(a, b), (int32_t)((uint32_t)i + (uint32_t)j));
    INTS(i_sub(a, b), (int32_t)((uint32_t)i - (uint32_t)j));
    INTS(i_and(a, b), i & j);
    INTS(i_or(a, b), i | j);
    INTS(i_select(m, a, b), t ? i : j);
    INTS(i_set1(o->i[0]), o->i[0]);
    MASKS(i_eq(a, b), i == j);
    MASKS(i_gt(a, b), i > j);
    REALS(v_from_int(a), (real)i);

    operands small = *o; /* with every x in the range of v_truncate */
    for (int l = 0; l < LANES; l++) {
        if (!(o->x[l] > REAL(-2147483648.0) && o->x[l] < REAL(2147483648.0))) {
            small.x[l] = (real)o->i[l] / 3;
        }
    }
    o = &small;
    INTS(v_truncate(v_loadu(o->x)), (int32_t)p);
}

static void check_masks(const operands *o)
{
    const vmask a = m_from_bits(o->m), b = m_from_bits(o->n);
    MASKS(a, s);
    MASKS(m_and(a, b), s && t);
    MASKS(m_or(a, b), s || t);
    MASKS(m_not(a), !s);
    MASKS(m_andnot(a, b), s && !t);
    MASKS(m_select(v_lt(v_loadu(o->x), v_loadu(o->y)), a, b), p < q ? s : t);
}

static void check_values(const operands *o)
{
    check_arithmetic(o);
    check_integers(o);
    check_masks(o);
}

TEST(test_special_values)
{
    for (size_t x = 0; x < COUNT(special_reals); x++) {
        for (size_t y = 0; y < COUNT(special_reals); y++) {
            for (int l = 0; l < LANES; l++) {
                operands o;
                random_operands(&o);
                o.x[l] = special_reals[x];
                o.y[l] = special_reals[y];
                o.i[l] = special_ints[x % COUNT(special_ints)];
                o.j[l] = special_ints[y % COUNT(special_ints)];
                check_values(&o);
            }
        }
    }
}

TEST(test_random_values)
{
    for (int k = 0; k < 100000; k += LANES) {
        operands o;
        random_operands(&o);
        check_values(&o);
    }
}

TEST(test_rows)
{
    enum { ROWS = 40, STRIDE = 7 };
    real rows[ROWS * STRIDE];
    for (int k = 0; k < ROWS * STRIDE; k++) {
        do {
            rows[k] = random_real();
        } while (isnan(rows[k]));
    }
    for (int run = 0; run < 1000; run++) {
        int32_t index[LANES];
        vreal fields[V_ROWS];
        for (int l = 0; l < LANES; l++) {
            index[l] = (int32_t)(random_bits() % ROWS);
        }
        v_rows(rows, STRIDE, index, fields);
        for (int f = 0; f < V_ROWS; f++) {
            real lanes[LANES];
            v_storeu(lanes, fields[f]);
            for (int l = 0; l < LANES; l++) {
                assert_true(raw_of(lanes[l]) == raw_of(rows[index[l] * STRIDE + f]));
            }
        }
    }
}

TEST(test_least)
{
    for (int run = 0; run < 10000; run++) {
        real lanes[LANES], least = (real)INFINITY;
        for (int l = 0; l < LANES; l++) {
            do {
                lanes[l] = run % 3 == 0 ? (real)INFINITY : random_real();
            } while (isnan(lanes[l]));
            least = lanes[l] < least ? lanes[l] : least;
        }
        assert_true(v_least(v_loadu(lanes)) == least);
    }
}

TEST(test_pack16)
{
    for (int run = 0; run < 10000; run++) {
        int32_t from[16], to[16], want[16];
        uint32_t n = 0, count = (uint32_t)(random_bits() % 17);
        const int32_t self = (int32_t)(random_bits() % 4);
        for (uint32_t k = 0; k < 16; k++) {
            from[k] = (int32_t)(random_bits() % 8) - 3;
            if (k < count && from[k] >= 0 && from[k] != self) {
                want[n++] = from[k];
            }
        }
        assert_int_equal(i_pack16(to, from, count, self), n);
        assert_memory_equal(to, want, n * sizeof *to);
    }
}

/* Memory with a known byte pattern around the target of a store. */
typedef struct arena {
    ALIGNED unsigned char bytes[512];
} arena;

#define ARENA_START 128

static void arena_clear(arena *a)
{
    memset(a->bytes, GUARD, sizeof a->bytes);
}

/* Fails if anything outside of [ARENA_START + skip, + size) was written. */
static void arena_check(const arena *a, const char *operation, size_t skip, size_t size)
{
    for (size_t i = 0; i < sizeof a->bytes; i++) {
        const bool inside = i >= ARENA_START + skip && i < ARENA_START + skip + size;
        if (!inside && a->bytes[i] != GUARD) {
            fail_msg("%s wrote at offset %td", operation, (ptrdiff_t)i - (ptrdiff_t)(ARENA_START + skip));
        }
    }
}

/* A store to an aligned address (or to one `skip` bytes further), the bytes it must leave there, and no others. */
#define STORES(call, type, skip, expected)                                                                             \
    do {                                                                                                               \
        arena_clear(&place);                                                                                           \
        type *to = (type *)(void *)(place.bytes + ARENA_START + (skip));                                               \
        call;                                                                                                          \
        arena_check(&place, #call, skip, LANES * sizeof(type));                                                        \
        for (int l = 0; l < LANES; l++) {                                                                              \
            const type want = expected;                                                                                \
            if (memcmp(&want, &to[l], sizeof want) != 0) {                                                             \
                fail_msg("%s, lane %d", #call, l);                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

TEST(test_stores)
{
    static arena place;
    for (int k = 0; k < 2000; k++) {
        operands o;
        random_operands(&o);
        for (int l = 0; l < LANES; l++) {
            o.i[l] = k % 2 == 0 ? special_ints[random_bits() % COUNT(special_ints)] : o.i[l];
            o.y[l] = isnan(o.y[l]) ? special_reals[k % 27] : o.y[l];
        }
        const vreal x = v_load(o.x), y = v_load(o.y);
        const vint i = i_load32(o.i);
        STORES(v_store(to, x), real, 0, o.x[l]);
        STORES(v_storeu(to, x), real, 0, o.x[l]);
        STORES(v_storeu(to, x), real, sizeof(real), o.x[l]);
        STORES(v_storeu(to, x), real, (LANES - 1) * sizeof(real), o.x[l]);
        STORES(v_store_f32(to, y), float, 0, (float)o.y[l]);
        STORES(v_store_f32(to, y), float, sizeof(float), (float)o.y[l]);
        STORES(i_store32(to, i), int32_t, 0, o.i[l]);
        STORES(i_store16(to, i), int16_t, 0, (int16_t)o.i[l]);
        STORES(i_store16(to, i), int16_t, LANES * sizeof(int16_t), (int16_t)o.i[l]);
        STORES(i_store8(to, i), int8_t, 0, (int8_t)o.i[l]);
        STORES(i_store8(to, i), int8_t, LANES * sizeof(int8_t), (int8_t)o.i[l]);
    }
}

/* The narrow loads at every address that LANES elements of their size may have, among other numbers. */
TEST(test_loads)
{
    enum { ROOM = 64 };
    ALIGNED static int32_t words[ROOM];
    ALIGNED static int16_t shorts[ROOM];
    ALIGNED static int8_t bytes[ROOM];
    ALIGNED static float floats[ROOM];
    ALIGNED static double doubles[ROOM];
    ALIGNED static real reals[ROOM];
    static const operands zero;
    const operands *o = &zero;
    for (int k = 0; k < 500; k++) {
        for (int e = 0; e < ROOM; e++) {
            words[e] = k % 2 == 0 ? special_ints[random_bits() % COUNT(special_ints)] : (int32_t)random_bits();
            shorts[e] = (int16_t)random_bits();
            bytes[e] = (int8_t)random_bits();
            const uint32_t single = (uint32_t)random_bits();
            memcpy(&floats[e], &single, sizeof single);
            const uint64_t wide = random_bits();
            memcpy(&doubles[e], &wide, sizeof wide);
            if (random_bits() % 2 == 0) {
                doubles[e] =
                    (double)floats[e] * (1 + 1e-8 * (double)(random_bits() % 32)); /* in the range of a float */
            }
            reals[e] = random_real();
        }
        shorts[5] = INT16_MIN;
        bytes[5] = INT8_MIN;
        for (int at = 0; at + LANES <= ROOM; at++) {
            INTS(i_loadu32(words + at), words[at + l]);
            REALS_EXACT(v_loadu(reals + at), reals[at + l]);
            REALS(v_load_f32(floats + at), (real)floats[at + l]);
            REALS(v_load_f64(doubles + at), (real)doubles[at + l]);
            if (at % LANES == 0) {
                INTS(i_load32(words + at), words[at + l]);
                INTS(i_load16(shorts + at), shorts[at + l]);
                INTS(i_load8(bytes + at), bytes[at + l]);
                REALS_EXACT(v_load(reals + at), reals[at + l]);
            }
        }
    }
}

/* Reads numbers from memory, overwrites them, and then makes registers of the old ones. */
static __attribute__((noinline)) void exchange(real *one, int32_t *count, real (*rows)[V_ROWS], operands *was)
{
    const real first = *one;
    const int32_t number = *count;
    ALIGNED int32_t index[LANES];
    vreal row[V_ROWS];
    for (int l = 0; l < LANES; l++) {
        index[l] = l;
    }
    const vreal gathered = v_gather(rows[LANES], i_load32(index));
    v_rows(rows[0], V_ROWS, index, row);

    *one = 0, *count = 0;
    rows[0][V_ROWS - 1] = rows[LANES][0] = 0;
    v_store(was[0].x, v_set1(first)), i_store32(was[0].i, i_set1(number));
    v_store(was[0].y, gathered);
    v_store(was[1].x, row[V_ROWS - 1]);
}

/* clang 14 for WebAssembly read such numbers again: see LANES_HOLD. */
TEST(test_numbers_overwritten)
{
    real rows[LANES + 4][V_ROWS];
    for (int k = 0; k < (int)(LANES + 4) * V_ROWS; k++) {
        rows[k / V_ROWS][k % V_ROWS] = (real)(k + 1);
    }
    real one = 7;
    int32_t count = 9;
    operands was[2];
    exchange(&one, &count, rows, was);
    for (int l = 0; l < LANES; l++) {
        assert_true(was[0].x[l] == 7 && was[0].i[l] == 9);
        assert_true(was[0].y[l] == (real)(LANES * V_ROWS + l + 1));
        assert_true(was[1].x[l] == (real)((l + 1) * V_ROWS));
    }
    assert_true(one == 0 && count == 0 && rows[0][V_ROWS - 1] == 0 && rows[LANES][0] == 0);
}

TEST(test_gather)
{
    enum { ROOM = 1000 };
    static real table[ROOM];
    for (int e = 0; e < ROOM; e++) {
        table[e] = random_real();
    }
    for (int k = 0; k < 5000; k++) {
        operands operand, *o = &operand;
        random_operands(o);
        for (int l = 0; l < LANES; l++) {
            o->i[l] = (int32_t)(random_bits() % ROOM) - ROOM / 2;
        }
        o->i[0] = k % 2 == 0 ? -ROOM / 2 : ROOM / 2 - 1;
        REALS_EXACT(v_gather(table + ROOM / 2, i_load32(o->i)), table[ROOM / 2 + i]);
    }
}

TEST(test_pairs)
{
    enum { ROOM = 1000 };
    static int32_t pairs[ROOM][2];
    for (int k = 0; k < 2 * ROOM; k++) {
        pairs[k / 2][k % 2] = (int32_t)random_bits();
    }
    for (int k = 0; k < 5000; k++) {
        operands operand, *o = &operand;
        vint first, second;
        random_operands(o);
        for (int l = 0; l < LANES; l++) {
            o->i[l] = (int32_t)(random_bits() % ROOM) - ROOM / 2;
        }
        o->i[0] = k % 2 == 0 ? -ROOM / 2 : ROOM / 2 - 1;
        i_pairs((const int32_t(*)[2])(pairs + ROOM / 2), i_load32(o->i), &first, &second);
        INTS(first, pairs[ROOM / 2 + i][0]);
        INTS(second, pairs[ROOM / 2 + i][1]);
    }
}

TEST(test_compress)
{
    static arena place;
    for (unsigned bits = 0; bits <= ALL_LANES; bits++) {
        operands o;
        random_operands(&o);
        size_t count = 0;
        real chosen[LANES];
        int32_t chosen_ints[LANES];
        for (int l = 0; l < LANES; l++) {
            if (bits >> l & 1) {
                chosen[count] = o.x[l];
                chosen_ints[count++] = o.i[l];
            }
        }
        const size_t skip = bits % 3 * sizeof(real);
        arena_clear(&place);
        v_compress((real *)(void *)(place.bytes + ARENA_START + skip), m_from_bits(bits), v_load(o.x));
        arena_check(&place, "v_compress", skip, LANES * sizeof(real));
        assert_memory_equal(place.bytes + ARENA_START + skip, chosen, count * sizeof(real));
        arena_clear(&place);
        i_compress((int32_t *)(void *)(place.bytes + ARENA_START + skip), m_from_bits(bits), i_load32(o.i));
        arena_check(&place, "i_compress", skip, LANES * sizeof(int32_t));
        assert_memory_equal(place.bytes + ARENA_START + skip, chosen_ints, count * sizeof(int32_t));
    }
}

/* Every mask, from numbers that are followed by others; what an operation may read ends with LANES reals from `from`.
 * */
TEST(test_expand)
{
    for (unsigned bits = 0; bits <= ALL_LANES; bits++) {
        operands operand, *o = &operand;
        random_operands(o);
        FREED real *from = malloc(LANES * sizeof *from); /* AddressSanitizer detects reads beyond it */
        assert_non_null(from);
        real expected[LANES];
        size_t taken = 0;
        for (int l = 0; l < LANES; l++) {
            from[l] = o->y[l];
        }
        for (int l = 0; l < LANES; l++) {
            expected[l] = bits >> l & 1 ? from[taken++] : o->x[l];
        }
        REALS_EXACT(v_expand(v_load(o->x), m_from_bits(bits), from), expected[l]);

        /* The inverse of v_compress. */
        ALIGNED real packed[2 * LANES];
        v_compress(packed, m_from_bits(bits), v_load(o->x));
        REALS_EXACT(v_expand(v_load(o->y), m_from_bits(bits), packed), bits >> l & 1 ? p : q);
    }
}

TEST(test_mask_bits)
{
    for (unsigned bits = 0; bits <= ALL_LANES; bits++) {
        assert_int_equal(m_bits(m_from_bits(bits)), bits);
        assert_int_equal(m_any(m_from_bits(bits)), bits != 0);
        assert_int_equal(m_all(m_from_bits(bits)), bits == ALL_LANES);
        assert_int_equal(m_bits(m_not(m_from_bits(bits))), ~bits & ALL_LANES);
    }
    for (size_t n = 0; n < 2 * LANES + 2; n++) {
        assert_int_equal(m_bits(m_below(n)), n < LANES ? (1u << n) - 1 : ALL_LANES);
    }
    assert_int_equal(m_bits(m_below(SIZE_MAX)), ALL_LANES);
#if SIZE_MAX > UINT32_MAX
    assert_int_equal(m_bits(m_below((size_t)1 << 32)), ALL_LANES);
#endif
}

/* ---- sines of small angles ---- */

/* On whole eighths of a turn and at both sides of them, up to the greatest angle; at random. */
static real some_angle(int k)
{
    const real eighth = V_QUARTER_PI, most = REAL(1048576.0);
    const real near_bound = eighth * (real)(k % 4096 < 2048 ? k % 2048 : 1335086 - k % 2048);
    const real beside[] = {near_bound,
                           near_bound * (1 + (real)(1.0 / (UINT64_C(1) << FRACTION_BITS))),
                           near_bound * (1 - (real)(1.0 / (UINT64_C(1) << FRACTION_BITS))),
                           0,
                           most,
                           most * (1 - (real)(1.0 / (UINT64_C(1) << FRACTION_BITS))),
                           REAL(1e-30),
                           (real)(int32_t)random_bits() / 2048};
    const real angle = beside[random_bits() % COUNT(beside)];
    return random_bits() % 2 != 0 ? -angle : angle;
}

TEST(test_small_angles)
{
    for (int k = 0; k < 100000; k++) {
        vreal angle[4], sine[2][4], cosine[2][4];
        real a[LANES];
        for (int i = 0; i < 4; i++) {
            for (int l = 0; l < LANES; l++) {
                a[l] = some_angle(k);
                a[l] = a[l] > REAL(1048576.0) || a[l] < -REAL(1048576.0) ? REAL(-0.0) : a[l];
            }
            angle[i] = v_loadu(a);
        }
        v_sincos4(angle, sine[0], cosine[0]);
        v_sincos4_within(angle, sine[1], cosine[1]);
        for (int i = 0; i < 4; i++) {
            real s[2][LANES], c[2][LANES];
            for (int way = 0; way < 2; way++) {
                v_storeu(s[way], sine[way][i]);
                v_storeu(c[way], cosine[way][i]);
            }
            for (int l = 0; l < LANES; l++) {
                assert_true(raw_of(s[0][l]) == raw_of(s[1][l]) && raw_of(c[0][l]) == raw_of(c[1][l]));
            }
        }
    }
}

SET_UP
{
    needs_this_isa();
    random_state = test_seed(20);
}
