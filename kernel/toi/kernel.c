/* SPDX-License-Identifier: MIT
 * The array drivers of the time-of-impact equations; compiled once per instruction set and precision.
 */
#include "toi/kernel.h"

#include "toi/circles.h"

#if CAROM_REAL_BITS == 64
typedef toi_kernel_f64 toi_kernel;
typedef carom_toi_pairs_f64 pairs_of_reals;
#else
typedef toi_kernel_f32 toi_kernel;
typedef carom_toi_pairs_f32 pairs_of_reals;
#endif

/* LANES pairs from the i-th on. */
CAROM_LANE circles_pair load(const pairs_of_reals *pairs, size_t i)
{
    circles_pair q;
    q.px = v_loadu(pairs->px + i);
    q.py = v_loadu(pairs->py + i);
    q.vx = v_loadu(pairs->vx + i);
    q.vy = v_loadu(pairs->vy + i);
    q.r = v_loadu(pairs->r + i);
    return q;
}

/* The `count` < LANES pairs from the i-th on, and nothing beyond them; the other lanes are at rest. */
CAROM_LANE circles_pair load_some(const pairs_of_reals *pairs, size_t i, size_t count)
{
    real px[LANES] = {0}, py[LANES] = {0}, vx[LANES] = {0}, vy[LANES] = {0}, r[LANES] = {0};
    for (size_t l = 0; l < count; l++) {
        px[l] = pairs->px[i + l];
        py[l] = pairs->py[i + l];
        vx[l] = pairs->vx[i + l];
        vy[l] = pairs->vy[i + l];
        r[l] = pairs->r[i + l];
    }
    const pairs_of_reals block = {px, py, vx, vy, r};
    return load(&block, 0);
}

/* t may be one of the inputs: a vector is stored after its own pairs, and before others, are read. */
static void circles(size_t n, const pairs_of_reals *pairs, real *t)
{
    const pairs_of_reals p = *pairs; /* a copy that t cannot alias */
    size_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        v_storeu(t + i, circles_time(load(&p, i)));
    }
    if (i < n) {
        real last[LANES];
        v_storeu(last, circles_time(load_some(&p, i, n - i)));
        for (size_t l = 0; i + l < n; l++) {
            t[i + l] = last[l];
        }
    }
}

/* `count` <= 64 pairs from the i-th on, as bits. */
CAROM_LANE uint64_t within_some(const pairs_of_reals *pairs, size_t i, size_t count, circles_limit limit)
{
    uint64_t bits = 0;
    for (size_t l = 0; l < count; l += LANES) {
        circles_pair q = count - l >= LANES ? load(pairs, i + l) : load_some(pairs, i + l, count - l);
        bits |= (uint64_t)m_bits(circles_within(q, limit)) << l;
    }
    return count < 64 ? bits & (((uint64_t)1 << count) - 1) : bits;
}

/* 64 pairs. All are filtered before one branch asks whether any of them needs its root. */
CAROM_LANE uint64_t within_word(const pairs_of_reals *pairs, size_t i, circles_limit limit)
{
    uint64_t bits = 0;
    vmask unsure = m_from_bits(0);
    for (size_t l = 0; l < 64; l += LANES) {
        vmask here;
        bits |= (uint64_t)m_bits(circles_filter(load(pairs, i + l), limit, &here)) << l;
        unsure = m_or(unsure, here);
    }
    return m_any(unsure) ? within_some(pairs, i, 64, limit) : bits;
}

static carom_status within(size_t n, const pairs_of_reals *pairs, real limit, uint64_t *mask)
{
    if (!(limit >= 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    const pairs_of_reals p = *pairs;
    const circles_limit prepared = circles_limit_of(limit);
    size_t i = 0;
    for (; n - i >= 64; i += 64) {
        mask[i / 64] = prepared.filter ? within_word(&p, i, prepared) : within_some(&p, i, 64, prepared);
    }
    if (i < n) {
        mask[i / 64] = within_some(&p, i, n - i, prepared);
    }
    return CAROM_OK;
}

CAROM_EXTERN const toi_kernel CAROM_KERNEL(toi);
const toi_kernel CAROM_KERNEL(toi) = {circles, within};
