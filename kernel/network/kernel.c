/* SPDX-License-Identifier: MIT
 * Layers in lanes, one row of inputs per lane. Compiled once per instruction set.
 *
 * Two consecutive 16-bit numbers share a lane, as do the weights by which they are multiplied: one instruction
 * multiplies both and adds the products. Sums are integers and cannot overflow (text.c), so that neither their order
 * nor the number of lanes affects the results.
 */
#include "network/kernel.h"

#include <string.h>

#include "simd/lanes.h"

#if defined(CAROM_ISA_SCALAR)

CAROM_LANE vint network_multiply(vint a, vint b)
{
    return (int16_t)a * (int16_t)b + (a >> 16) * (b >> 16);
}
CAROM_LANE vint network_shift(vint a, int bits)
{
    return a >> bits;
}
CAROM_LANE vint network_pair(vint low, vint high)
{
    return (vint)(((uint32_t)low & 0xffff) | (uint32_t)high << 16);
}

#elif LANES == 4

CAROM_LANE vint network_multiply(vint a, vint b)
{
    return simde_mm_madd_epi16(a, b);
}
CAROM_LANE vint network_shift(vint a, int bits)
{
    return simde_mm_sra_epi32(a, simde_mm_cvtsi32_si128(bits));
}
CAROM_LANE vint network_pair(vint low, vint high)
{
    return simde_mm_blend_epi16(low, simde_mm_slli_epi32(high, 16), 0xaa);
}

#elif LANES == 8

CAROM_LANE vint network_multiply(vint a, vint b)
{
    return simde_mm256_madd_epi16(a, b);
}
CAROM_LANE vint network_shift(vint a, int bits)
{
    return simde_mm256_sra_epi32(a, simde_mm_cvtsi32_si128(bits));
}
CAROM_LANE vint network_pair(vint low, vint high)
{
    return simde_mm256_blend_epi16(low, simde_mm256_slli_epi32(high, 16), 0xaa);
}

#else

CAROM_LANE vint network_multiply(vint a, vint b)
{
    return simde_mm512_madd_epi16(a, b);
}
CAROM_LANE vint network_shift(vint a, int bits)
{
#if defined(SIMDE_X86_AVX512F_NATIVE)
    return _mm512_sra_epi32(a, _mm_cvtsi32_si128(bits)); /* SIMDe 0.7 lacks it */
#else
    int32_t lanes[LANES];
    simde_mm512_storeu_si512(lanes, a);
    for (int l = 0; l < LANES; l++) {
        lanes[l] >>= bits;
    }
    return simde_mm512_loadu_si512(lanes);
#endif
}
CAROM_LANE vint network_pair(vint low, vint high)
{
    const vint lower = simde_mm512_and_si512(low, simde_mm512_set1_epi32(0xffff));
    return simde_mm512_or_si512(lower, simde_mm512_slli_epi32(high, 16));
}

#endif

#define REGISTERS (NETWORK_ROWS / LANES) /* of a tile */
#define SHARED (REGISTERS >= 2 ? 2 : 1)  /* registers that share loaded weights */
#define UNROLL(count) _Pragma(TEXT(GCC unroll count))
#define TEXT(text) #text

CAROM_LANE vint network_clip(vint a, vint low, vint high)
{
    const vint raised = i_select(i_gt(low, a), low, a);
    return i_select(i_gt(raised, high), high, raised);
}

/* ---- inputs ---- */

/* Numbers of LANES rows as integers: scaled, clipped, rounded to nearest, 0 for NaN. */
CAROM_LANE vint network_whole(const float *from, vreal unit, vreal limit)
{
    const vreal zero = v_set1(0), half = v_set1(0.5f);
    vreal x = v_load(from) * unit;
    x = v_select(v_eq(x, x), x, zero);
    x = v_max(v_min(x, limit), -limit);
    return v_truncate(x + v_flip(v_lt(x, zero), half));
}

static void take_inputs(const carom_network *network, const float *const *inputs, int32_t *pairs)
{
    const vreal unit = v_set1((float)(1 << network->input_bits)), limit = v_set1((float)network->input_limit);
    for (size_t k = 0; k < (network->inputs + 1) / 2; k++) {
        for (size_t l = 0; l < NETWORK_ROWS; l += LANES) {
            const vint low = network_whole(inputs[2 * k] + l, unit, limit);
            i_store32(pairs + k * NETWORK_ROWS + l,
                      network_pair(low, network_whole(inputs[2 * k + 1] + l, unit, limit)));
        }
    }
}

/* ---- layers ---- */

/* The sums of a block of outputs, for the lanes of SHARED registers. */
CAROM_LANE void network_sum(const network_layer *layer, size_t block, const int32_t *in,
                            vint sums[NETWORK_BLOCK][SHARED])
{
    const int32_t *weights = layer->packed + block * layer->pairs * NETWORK_BLOCK;
    UNROLL(4)
    for (int k = 0; k < NETWORK_BLOCK; k++) {
        UNROLL(2)
        for (int s = 0; s < SHARED; s++) {
            sums[k][s] = i_set1(layer->biases[block * NETWORK_BLOCK + (size_t)k]);
        }
    }
    for (size_t pair = 0; pair < layer->pairs; pair++, weights += NETWORK_BLOCK, in += NETWORK_ROWS) {
        vint numbers[SHARED];
        UNROLL(2)
        for (int s = 0; s < SHARED; s++) {
            numbers[s] = i_load32(in + s * LANES);
        }
        UNROLL(4)
        for (int k = 0; k < NETWORK_BLOCK; k++) {
            const vint two = i_set1(weights[k]);
            UNROLL(2)
            for (int s = 0; s < SHARED; s++) {
                sums[k][s] = i_add(sums[k][s], network_multiply(numbers[s], two));
            }
        }
    }
}

/* Replaces magnitudes of up to 12 bits by table entries; `sums` are in memory, since each is looked up separately. */
static void look_up(const int16_t *table, int32_t *sums, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const int32_t sum = sums[k], amount = sum < 0 ? -sum : sum;
        const int32_t found = table[amount < NETWORK_TANH ? amount : NETWORK_TANH - 1];
        sums[k] = sum < 0 ? -found : found;
    }
}

/* The outputs of a block, [NETWORK_BLOCK][NETWORK_ROWS] integers. */
static void run_block(const carom_network *network, const network_layer *layer, size_t block, const int32_t *in,
                      int32_t *out)
{
    const bool linear = layer->activation == NETWORK_LINEAR, table = layer->activation == NETWORK_TANH_TABLE;
    const vint low = i_set1(layer->activation == NETWORK_RELU ? 0 : -layer->limit), high = i_set1(layer->limit);
    for (size_t l = 0; l < NETWORK_ROWS; l += SHARED * LANES) {
        vint sums[NETWORK_BLOCK][SHARED];
        network_sum(layer, block, in + l, sums);
        UNROLL(4)
        for (int k = 0; k < NETWORK_BLOCK; k++) {
            UNROLL(2)
            for (int s = 0; s < SHARED; s++) {
                vint sum = sums[k][s];
                sum = linear ? sum : network_shift(sum, layer->bits - NETWORK_BITS);
                sum = linear || table ? sum : network_clip(sum, low, high);
                i_store32(out + k * NETWORK_ROWS + l + (size_t)s * LANES, sum);
            }
        }
    }
    if (table) {
        look_up(network->tanh, out, (size_t)NETWORK_BLOCK * NETWORK_ROWS);
    }
}

/* A hidden layer that is clipped: pairs from pairs. A block stays in registers up to its outputs. */
static void run_clipped(const network_layer *layer, const int32_t *in, int32_t *out)
{
    const vint low = i_set1(layer->activation == NETWORK_RELU ? 0 : -layer->limit), high = i_set1(layer->limit);
    const int shift = layer->bits - NETWORK_BITS;
    for (size_t block = 0; block < layer->blocks; block++, out += NETWORK_BLOCK / 2 * NETWORK_ROWS) {
        for (size_t l = 0; l < NETWORK_ROWS; l += SHARED * LANES) {
            vint sums[NETWORK_BLOCK][SHARED];
            network_sum(layer, block, in + l, sums);
            UNROLL(4)
            for (int k = 0; k < NETWORK_BLOCK; k += 2) {
                UNROLL(2)
                for (int s = 0; s < SHARED; s++) {
                    const vint first = network_clip(network_shift(sums[k][s], shift), low, high);
                    const vint second = network_clip(network_shift(sums[k + 1][s], shift), low, high);
                    i_store32(out + k / 2 * NETWORK_ROWS + l + (size_t)s * LANES, network_pair(first, second));
                }
            }
        }
    }
}

/* Any other hidden layer. sums: room for a block. */
static void run_table(const carom_network *network, const network_layer *layer, const int32_t *in, int32_t *out,
                      int32_t *sums)
{
    for (size_t block = 0; block < layer->blocks; block++) {
        run_block(network, layer, block, in, sums);
        for (size_t k = 0; k < NETWORK_BLOCK; k += 2, out += NETWORK_ROWS) {
            for (size_t l = 0; l < NETWORK_ROWS; l += LANES) {
                const int32_t *first = sums + k * NETWORK_ROWS + l;
                i_store32(out + l, network_pair(i_load32(first), i_load32(first + NETWORK_ROWS)));
            }
        }
    }
}

static void run_head(const carom_network *network, const network_layer *head, const int32_t *in, size_t count,
                     float *outputs, size_t stride, int32_t *sums)
{
    const int bits = head->activation == NETWORK_LINEAR ? head->bits : NETWORK_BITS;
    const float unit = 1.0f / (float)(UINT64_C(1) << bits);
    for (size_t block = 0; block < head->blocks; block++) {
        run_block(network, head, block, in, sums);
        const size_t first = block * NETWORK_BLOCK, left = head->outputs - first;
        for (size_t k = 0; k < NETWORK_BLOCK && k < left; k++) {
            for (size_t lane = 0; lane < count; lane++) {
                outputs[lane * stride + first + k] = (float)sums[k * NETWORK_ROWS + lane] * unit;
            }
        }
    }
}

static void run_tile(const carom_network *network, network_heads heads, const float *const *inputs, size_t count,
                     float *outputs, size_t stride, int32_t *room)
{
    int32_t *sums = room, *in = sums + NETWORK_BLOCK * NETWORK_ROWS, *out = in + network->width * NETWORK_ROWS;
    take_inputs(network, inputs, in);
    for (size_t k = 0; k < network->count; k++) {
        if (network->layers[k].activation == NETWORK_TANH_TABLE) {
            run_table(network, &network->layers[k], in, out, sums);
        } else {
            run_clipped(&network->layers[k], in, out);
        }
        int32_t *next = out;
        out = in;
        in = next;
    }

    for (unsigned head = 0; head < NETWORK_HEADS; head++) {
        if ((heads >> head & 1) != 0) {
            run_head(network, &network->heads[head], in, count, outputs, stride, sums);
            outputs += network->heads[head].outputs;
        }
    }
}

CAROM_EXTERN const network_kernel CAROM_KERNEL_ANY(network);
const network_kernel CAROM_KERNEL_ANY(network) = {run_tile};
