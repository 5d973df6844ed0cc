/* SPDX-License-Identifier: MIT
 * What bounds a solver whose data are in the first cache: how often the processor can start each kind of operation, and
 * how many of each a variant needs. `carom bench solvers` reports speeds as fractions of that bound.
 *
 * The bound of a register of pairs is the greatest of these times:
 *     divisions and roots    as measured for just this many of both, for on many processors they share one unit; four
 *                            of a kind in turn, as changing from one to the other may cost extra
 *     add                    additions and subtractions x the time of one
 *     mul                    multiplications x the time of one (an error term by fused multiplication is one)
 *     add+mul                as many of both as there are of the rarer kind x the time of one of each
 *     compare                comparisons x the time of one
 *     arithmetic             all the above, minima and maxima x half the time of one addition and one multiplication,
 *                            which together keep all units of arithmetic busy
 *     load, store, gather    likewise
 * The times are not taken from tables: loops of independent instructions measure them on the running machine, in the
 * same rounds as the solvers (ports.c). The numbers of operations are counted from the sources of the variants
 * (operations.c). Left out are selections, logic on masks and signs, integers, the loop itself and the width of the
 * front end, which compilers fold into other instructions or arrange differently. So the true bound may be higher, but
 * not lower: no code of these operations is faster, and a fraction of 1 could not be improved upon.
 */
#ifndef CAROM_TOOLS_PORTS_H
#define CAROM_TOOLS_PORTS_H

#include <carom/toi.h>

/* What is measured: one operation, or some that run beside each other. */
typedef enum port {
    PORT_DIV,
    PORT_SQRT,
    PORT_DIV_SQRT,     /* a division and a root */
    PORT_DIV_DIV_SQRT, /* two divisions and a root */
    PORT_ADD,
    PORT_MUL,
    PORT_ADD_MUL, /* an addition and a multiplication */
    PORT_COMPARE,
    PORT_LOAD,
    PORT_STORE,
    PORT_GATHER,
    PORTS
} port;

/* The shapes in which pairs of circles come, as in carom/toi.h; then circles against walls, and quartics. */
typedef enum solver_shape {
    SHAPE_PAIRS,
    SHAPE_INDEXED,
    SHAPE_ONE,
    SHAPE_FIRST,
    CIRCLE_SHAPES, /* how many have the variants of the circle equation */
    SHAPE_SEGMENTS = CIRCLE_SHAPES,
    SHAPE_BOXES,
    SHAPE_POLYGON,
    SHAPE_ACCELERATED,
    SHAPES
} solver_shape;

/* Operations on a register of pairs. */
typedef struct operations {
    unsigned div, sqrt, add, mul, compare, choose /* minima and maxima */, load, store, gather;
} operations;

/* What ports.c exports, once for every instruction set and precision, as carom_ports_<isa>_f<bits>. */
typedef struct port_kernel {
    void (*run)(port which, uint64_t times);                /* PORT_UNROLLED times that often */
    void (*copy)(size_t bytes, const void *from, void *to); /* by plain loads and stores of whole registers */
} port_kernel;

#define PORT_UNROLLED 12

/* The operations of a variant of the circle equation that has lanes; `fused`: products' errors come from a fused
 * multiplication. */
operations carom_operations_count(int variant, solver_shape shape, carom_precision precision, bool fused);

/* The name of what is measured: "div+sqrt". */
const char *carom_port_name(port which);

/* Nanoseconds of every port: the best of a few runs of some 0.1 ms. */
void carom_ports_measure(carom_isa isa, carom_precision precision, double ns[PORTS]);

/* A copy by the instruction set's widest registers, in memory order, without hints that bypass the caches. */
void carom_ports_copy(carom_isa isa, size_t bytes, const void *from, void *to);

/* Nanoseconds that a register of pairs takes at least, and what takes them. */
double carom_ports_bound(const operations *needed, const double ns[PORTS], const char **limit);

/* The operations of a variant of the circle equation as the kernel of an instruction set carries them out. */
operations carom_ports_needed(int variant, solver_shape shape, carom_isa isa, carom_precision precision);

#endif
