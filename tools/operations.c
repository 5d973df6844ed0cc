/* SPDX-License-Identifier: MIT
 * Counts the operations of the variants from their own sources: the lane vocabulary once more, in which a value is a
 * node of a graph of operations. Equal operations on equal operands are one node, and what the answer does not need is
 * not counted: compilers see that, too.
 */
#include "ports.h"

#include <assert.h>
#include <float.h>

/* ---- the graph ---- */

typedef enum operation {
    INPUT,
    CONSTANT,
    DIV,
    SQRT,
    ADD,
    SUB,
    MUL,
    FUSED,
    LESS,
    LESS_EQUAL,
    EQUAL,
    UNEQUAL,
    MIN,
    MAX,
    NEG,
    ABS,
    SELECT,
    AND,
    OR,
    BINADE,
    SCALE,
    GUESS,
    KEEP
} operation;

typedef struct node {
    operation operation;
    int operands[3]; /* numbers of nodes; -1: none */
    double value;    /* of a constant */
    bool needed;
} node;

#define NODES 1024

static node nodes[NODES];
static int node_count;
static bool fused_products;
static int counted_bits;

static bool commutes(operation o)
{
    return o == ADD || o == MUL || o == EQUAL || o == UNEQUAL || o == AND || o == OR;
}

static int node_of(operation o, int a, int b, int c, double value)
{
    if (commutes(o) && a > b) {
        const int swapped = a;
        a = b;
        b = swapped;
    }
    for (int i = 0; i < node_count && o != INPUT; i++) {
        const node *n = &nodes[i];
        if (n->operation == o && n->operands[0] == a && n->operands[1] == b && n->operands[2] == c &&
            n->value == value) {
            return i;
        }
    }
    assert(node_count < NODES);
    nodes[node_count] = (node){o, {a, b, c}, value, false};
    return node_count++;
}

/* An operand is always made before its operation: one pass from the end marks what a node needs. */
static void need(int root)
{
    nodes[root].needed = true;
    for (int i = root; i >= 0; i--) {
        for (int k = 0; k < 3 && nodes[i].needed; k++) {
            if (nodes[i].operands[k] >= 0) {
                nodes[nodes[i].operands[k]].needed = true;
            }
        }
    }
}

/* ---- the vocabulary: in place of simd/lanes.h, as much of it as the variants use ---- */

#define CAROM_SIMD_LANES_H
#define CAROM_LANE static inline __attribute__((unused))
#define CAROM_REAL_BITS counted_bits /* where the preprocessor asks, it is not 64: constants of f32 serve both */
#define LANES 2                      /* not 1: no scalar code */
#define REAL(literal) literal
#define REAL_MAX FLT_MAX
#define V_HAS_PRODUCT_ERROR

typedef double real;
typedef struct vreal {
    int node;
} vreal;
typedef struct vmask {
    int node;
} vmask;

#define ONE_OPERAND(name, o)                                                                                           \
    CAROM_LANE vreal name(vreal a)                                                                                     \
    {                                                                                                                  \
        return (vreal){node_of(o, a.node, -1, -1, 0)};                                                                 \
    }
#define TWO_OPERANDS(type, name, operand, o)                                                                           \
    CAROM_LANE type name(operand a, operand b)                                                                         \
    {                                                                                                                  \
        return (type){node_of(o, a.node, b.node, -1, 0)};                                                              \
    }

ONE_OPERAND(v_sqrt, SQRT)
ONE_OPERAND(v_neg, NEG)
ONE_OPERAND(v_abs, ABS)
ONE_OPERAND(v_binade, BINADE)
ONE_OPERAND(v_scale, SCALE)
ONE_OPERAND(v_rsqrt_guess, GUESS)
TWO_OPERANDS(vreal, v_div, vreal, DIV)
TWO_OPERANDS(vreal, v_add, vreal, ADD)
TWO_OPERANDS(vreal, v_sub, vreal, SUB)
TWO_OPERANDS(vreal, v_min, vreal, MIN)
TWO_OPERANDS(vreal, v_max, vreal, MAX)
TWO_OPERANDS(vreal, v_if_negative, vreal, KEEP)
TWO_OPERANDS(vmask, v_lt, vreal, LESS)
TWO_OPERANDS(vmask, v_le, vreal, LESS_EQUAL)
TWO_OPERANDS(vmask, v_eq, vreal, EQUAL)
TWO_OPERANDS(vmask, v_ne, vreal, UNEQUAL)
TWO_OPERANDS(vmask, m_and, vmask, AND)
TWO_OPERANDS(vmask, m_or, vmask, OR)

CAROM_LANE vreal v_set1(real value)
{
    return (vreal){node_of(CONSTANT, -1, -1, -1, value)};
}
CAROM_LANE vmask v_gt(vreal a, vreal b)
{
    return v_lt(b, a);
}
CAROM_LANE vmask v_ge(vreal a, vreal b)
{
    return v_le(b, a);
}
CAROM_LANE vreal v_select(vmask m, vreal a, vreal b)
{
    return (vreal){node_of(SELECT, m.node, a.node, b.node, 0)};
}

/* Twice a number is a sum to compilers. */
CAROM_LANE vreal v_mul(vreal a, vreal b)
{
    if (nodes[a.node].operation == CONSTANT && nodes[a.node].value == 2) {
        return v_add(b, b);
    }
    return (vreal){node_of(MUL, a.node, b.node, -1, 0)};
}

/* Asked only whether any lane is out of the ordinary: none is. */
CAROM_LANE bool m_all(vmask m)
{
    need(m.node);
    return true;
}

CAROM_LANE vreal v_product_error_dekker(vreal a, vreal b, vreal product);
CAROM_LANE vreal v_product_error(vreal a, vreal b, vreal product)
{
    return fused_products ? (vreal){node_of(FUSED, a.node, b.node, product.node, 0)}
                          : v_product_error_dekker(a, b, product);
}

#include "toi/variants.h"

/* ---- the counts ---- */

static operations count_needed(void)
{
    operations found = {0};
    for (int i = 0; i < node_count; i++) {
        const operation o = nodes[i].needed ? nodes[i].operation : INPUT;
        found.div += o == DIV;
        found.sqrt += o == SQRT;
        found.add += o == ADD || o == SUB;
        found.mul += o == MUL || o == FUSED;
        found.compare += o == LESS || o == LESS_EQUAL || o == EQUAL || o == UNEQUAL;
        found.choose += o == MIN || o == MAX;
    }
    return found;
}

/* What the array drivers of toi/kernel.c add: a body's five numbers against another's, the least time so far. */
static const operations drivers[CIRCLE_SHAPES] = {
    [SHAPE_PAIRS] = {.load = 5, .store = 1},
    [SHAPE_INDEXED] = {.add = 5, .load = 2, .store = 1, .gather = 10},
    [SHAPE_ONE] = {.add = 5, .load = 5, .store = 1},
    [SHAPE_FIRST] = {.add = 5, .compare = 1, .load = 5},
};

operations carom_operations_count(int variant, solver_shape shape, carom_precision precision, bool fused)
{
    node_count = 0;
    fused_products = fused;
    counted_bits = (int)precision;
    int inputs[5];
    for (int k = 0; k < 5; k++) {
        inputs[k] = node_of(INPUT, -1, -1, -1, 0);
    }
    const circles_pair q = {{inputs[0]}, {inputs[1]}, {inputs[2]}, {inputs[3]}, {inputs[4]}};
#define SOLVE(name) circles_##name,
#define SOLVE_PLAIN(name, equation, root) SOLVE(name)
    static vreal (*const solve[])(circles_pair) = {NULL, CIRCLES_VARIANTS(SOLVE_PLAIN, SOLVE)};
#undef SOLVE
#undef SOLVE_PLAIN
    const vreal t = solve[variant] != NULL ? solve[variant](q) : q.px;
    need(t.node);
    operations found = count_needed();
    found.add += drivers[shape].add;
    found.compare += drivers[shape].compare;
    found.load = drivers[shape].load;
    found.store = drivers[shape].store;
    found.gather = drivers[shape].gather;
    return found;
}
