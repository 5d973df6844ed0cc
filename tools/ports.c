/* SPDX-License-Identifier: MIT
 * Loops of independent instructions, which show how often each can start; compiled once per instruction set and
 * precision.
 *
 * An operand passes through an empty piece of assembly before every instruction and the result through another, so that
 * the compiler can neither drop the instruction nor move it out of the loop, and no instruction waits for another.
 */
#include "ports.h"

#include "simd/lanes.h"

/* Where a piece of assembly finds a vreal, a vmask and a vint. */
#if defined(CAROM_EMULATED) || !(defined(__x86_64__) || defined(__aarch64__))
#define IN_REAL "m"
#define IN_MASK "m"
#define IN_INT "m"
#elif defined(CAROM_ISA_SCALAR)
#define IN_MASK "r"
#define IN_INT "r"
#elif defined(CAROM_ISA_AVX512)
#define IN_REAL "v"
#define IN_MASK "k"
#endif
#if !defined(IN_REAL)
#if defined(__aarch64__)
#define IN_REAL "w"
#else
#define IN_REAL "x"
#endif
#endif
#if !defined(IN_MASK)
#define IN_MASK IN_REAL
#endif
#if !defined(IN_INT)
#define IN_INT IN_REAL
#endif

#define UNKNOWN(place, value) __asm__ volatile("" : "+" place(value))
#define USED(place, value) __asm__ volatile("" : : place(value))

/* Four of each statement in turn: changing between division and root costs some processors extra time. */
#define FOUR_OF_EACH(first, second, third)                                                                             \
    EACH4 (i) {                                                                                                        \
        first;                                                                                                         \
    }                                                                                                                  \
    EACH4 (i) {                                                                                                        \
        second;                                                                                                        \
    }                                                                                                                  \
    EACH4 (i) {                                                                                                        \
        third;                                                                                                         \
    }
#define LOOP(first, second, third)                                                                                     \
    for (uint64_t n = 0; n < times; n++) {                                                                             \
        FOUR_OF_EACH(first, second, third)                                                                             \
        FOUR_OF_EACH(first, second, third)                                                                             \
        FOUR_OF_EACH(first, second, third)                                                                             \
    }                                                                                                                  \
    break
#define NOTHING (void)0
#define DIVIDE                                                                                                         \
    UNKNOWN(IN_REAL, a);                                                                                               \
    r = v_div(a, b);                                                                                                   \
    USED(IN_REAL, r)
#define ROOT                                                                                                           \
    UNKNOWN(IN_REAL, a);                                                                                               \
    r = v_sqrt(a);                                                                                                     \
    USED(IN_REAL, r)

/* Instructions of SSE overwrite an operand, and all those copies would be what is measured. So additions here are
 * chains, enough of them to hide the latency of each. */
#define CHAINS 8
#define BOTH(chain)                                                                                                    \
    UNKNOWN(IN_REAL, a);                                                                                               \
    r = v_mul(a, b);                                                                                                   \
    USED(IN_REAL, r);                                                                                                  \
    sums[chain] = v_add(sums[chain], b)

#define ENTRIES 256 /* of the table that is gathered from */

static void run(port which, uint64_t times)
{
    vreal a = v_set1(REAL(1.2345678)), b = v_set1(REAL(0.76543217)), r;
    vreal sums[CHAINS];
    vreal gathered[4]; /* four registers, for a gather waits for what its target held before */
    vmask m;
    real table[ENTRIES];
    alignas(64) real memory[4][LANES];
    real(*at)[LANES] = memory;
    alignas(64) int32_t numbers[LANES];
    for (int i = 0; i < ENTRIES; i++) {
        table[i] = (real)i;
    }
    for (int l = 0; l < LANES; l++) {
        numbers[l] = 37 * l % ENTRIES;
    }
    vint index = i_loadu32(numbers);
    for (int i = 0; i < 4; i++) {
        v_storeu(memory[i], a);
    }
    for (int i = 0; i < CHAINS; i++) {
        sums[i] = a;
    }
    UNKNOWN(IN_REAL, b);
    switch (which) {
    case PORT_DIV:
        LOOP(DIVIDE, NOTHING, NOTHING);
    case PORT_SQRT:
        LOOP(ROOT, NOTHING, NOTHING);
    case PORT_DIV_SQRT:
        LOOP(DIVIDE, ROOT, NOTHING);
    case PORT_DIV_DIV_SQRT:
        LOOP(DIVIDE, DIVIDE, ROOT);
    case PORT_ADD:
        LOOP(UNKNOWN(IN_REAL, a); r = v_add(a, b); USED(IN_REAL, r), NOTHING, NOTHING);
    case PORT_MUL:
        LOOP(UNKNOWN(IN_REAL, a); r = v_mul(a, b); USED(IN_REAL, r), NOTHING, NOTHING);
    case PORT_ADD_MUL:
        for (uint64_t n = 0; n < times; n++) {
            EACH4 (i) {
                BOTH(i);
            }
            EACH4 (i) {
                BOTH(4 + i);
            }
            EACH4 (i) {
                BOTH(i);
            }
        }
        for (int i = 0; i < CHAINS; i++) {
            USED(IN_REAL, sums[i]);
        }
        break;
    case PORT_COMPARE:
        LOOP(UNKNOWN(IN_REAL, a); m = v_lt(a, b); USED(IN_MASK, m), NOTHING, NOTHING);
    case PORT_LOAD:
        LOOP(UNKNOWN("r", at); r = v_loadu(at[i]); USED(IN_REAL, r), NOTHING, NOTHING);
    case PORT_STORE:
        LOOP(v_storeu(at[i], a); __asm__ volatile("" : "+r"(at) : : "memory"), NOTHING, NOTHING);
    case PORT_GATHER:
        LOOP(UNKNOWN(IN_INT, index); gathered[i] = v_gather(table, index), USED(IN_REAL, gathered[i]), NOTHING);
    default:
        break;
    }
}

static void copy(size_t bytes, const void *from, void *to)
{
    const real *source = (const real *)from;
    real *target = (real *)to;
    const size_t n = bytes / sizeof(real);
    size_t k = 0;
    for (; n - k >= LANES; k += LANES) {
        vreal a = v_loadu(source + k);
        UNKNOWN(IN_REAL, a); /* else compilers call memcpy */
        v_storeu(target + k, a);
    }
    for (; k < n; k++) {
        target[k] = source[k];
    }
}

CAROM_EXTERN const port_kernel CAROM_KERNEL(ports);
const port_kernel CAROM_KERNEL(ports) = {run, copy};
