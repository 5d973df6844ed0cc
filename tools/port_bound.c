/* SPDX-License-Identifier: MIT
 * Measures the ports of an instruction set and puts the bound of ports.h together.
 */
#include "command.h"
#include "isa/isa.h"
#include "ports.h"

#define RUN_SECONDS 1e-4
#define RUNS 3

CAROM_KERNEL_OF(port_kernel, ports)

static const char *const names[PORTS] = {
    [PORT_DIV] = "div",         [PORT_SQRT] = "sqrt",     [PORT_DIV_SQRT] = "div+sqrt",
    [PORT_ADD] = "add",         [PORT_MUL] = "mul",       [PORT_DIV_DIV_SQRT] = "2 div+sqrt",
    [PORT_LOAD] = "load",       [PORT_STORE] = "store",   [PORT_ADD_MUL] = "add+mul",
    [PORT_COMPARE] = "compare", [PORT_GATHER] = "gather",
};

const char *carom_port_name(port which)
{
    return names[which];
}

/* Nanoseconds of one. */
static double run_port(const port_kernel *kernel, port which, uint64_t times)
{
    const double start = carom_now();
    kernel->run(which, times);
    return 1e9 * (carom_now() - start) / ((double)times * PORT_UNROLLED);
}

void carom_ports_measure(carom_isa isa, carom_precision precision, double ns[PORTS])
{
    const port_kernel *kernel = kernel_of(isa, precision);
    for (port which = 0; which < PORTS; which++) {
        const uint64_t times = 1 + (uint64_t)(1e9 * RUN_SECONDS / (run_port(kernel, which, 100) * PORT_UNROLLED));
        ns[which] = run_port(kernel, which, times);
        for (int run = 1; run < RUNS; run++) {
            const double taken = run_port(kernel, which, times);
            ns[which] = taken < ns[which] ? taken : ns[which];
        }
    }
}

void carom_ports_copy(carom_isa isa, size_t bytes, const void *from, void *to)
{
    kernels_f32[isa]->copy(bytes, from, to);
}

operations carom_ports_needed(int variant, solver_shape shape, carom_isa isa, carom_precision precision)
{
    return carom_operations_count(variant, shape, precision, isa == CAROM_ISA_AVX512 || isa == CAROM_ISA_NEON);
}

static void at_least(double *bound, const char **limit, double time, const char *name)
{
    if (time > *bound) {
        *bound = time;
        *limit = name;
    }
}

/* The measured mixes cover every variant: at most a root, and beside it one or two divisions. */
static port divisions_of(const operations *needed)
{
    return needed->sqrt == 0  ? PORT_DIV
           : needed->div == 0 ? PORT_SQRT
           : needed->div == 1 ? PORT_DIV_SQRT
                              : PORT_DIV_DIV_SQRT;
}

double carom_ports_bound(const operations *needed, const double ns[PORTS], const char **limit)
{
    const operations *o = needed;
    const port divisions = divisions_of(o);
    const unsigned both = o->add < o->mul ? o->add : o->mul;
    const unsigned all = o->add + o->mul + o->compare + o->choose + o->div + o->sqrt;
    double bound = 0;
    if (o->div + o->sqrt > 0) {
        at_least(&bound, limit, (divisions == PORT_DIV ? o->div : 1) * ns[divisions], names[divisions]);
    }
    at_least(&bound, limit, o->add * ns[PORT_ADD], names[PORT_ADD]);
    at_least(&bound, limit, o->mul * ns[PORT_MUL], names[PORT_MUL]);
    at_least(&bound, limit, both * ns[PORT_ADD_MUL], names[PORT_ADD_MUL]);
    at_least(&bound, limit, o->compare * ns[PORT_COMPARE], names[PORT_COMPARE]);
    at_least(&bound, limit, all * ns[PORT_ADD_MUL] / 2, "arithmetic");
    at_least(&bound, limit, o->load * ns[PORT_LOAD], names[PORT_LOAD]);
    at_least(&bound, limit, o->store * ns[PORT_STORE], names[PORT_STORE]);
    at_least(&bound, limit, o->gather * ns[PORT_GATHER], names[PORT_GATHER]);
    return bound;
}
