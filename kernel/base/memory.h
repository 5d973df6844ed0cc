/* SPDX-License-Identifier: MIT
 * Memory: how much is really left, and aligned blocks that are refused rather than overcommitted. */
#ifndef CAROM_BASE_MEMORY_H
#define CAROM_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define MEMORY_ALIGNMENT 64 /* bytes: a cache line, and the widest register */

/* The bytes that this process may still take without swapping or being killed: what the system has available, within
 * the limits of the process's control group and its parents. SIZE_MAX if unknown. */
size_t carom_memory_available(void);

/* Allocates a zeroed block, MEMORY_ALIGNMENT-aligned; free it with carom_memory_release(). NULL if there is not enough
 * memory with a twentieth kept in reserve; blocks below 32 MiB are not checked. Pages of large blocks are not touched,
 * so that each is placed near the thread that first writes it. */
void *carom_memory_take(size_t size);
void carom_memory_release(void *memory); /* NULL is allowed */

/* Arithmetic on sizes. False, with *result unspecified, if the result does not fit. */
static inline bool size_multiply(size_t a, size_t b, size_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

static inline bool size_add(size_t a, size_t b, size_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

/* Rounds a size that cannot overflow up to a multiple of MEMORY_ALIGNMENT. */
static inline size_t memory_aligned(size_t size)
{
    return (size + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

/* Cuts the next part out of a block, MEMORY_ALIGNMENT-aligned; *used counts the bytes so far. With block NULL it only
 * computes *used, the size that a block needs. */
static inline void *memory_part(unsigned char *block, size_t *used, size_t bytes)
{
    unsigned char *part = block != NULL ? block + *used : NULL;
    *used += memory_aligned(bytes);
    return part;
}

/* Rounds any size up to a multiple of MEMORY_ALIGNMENT. */
static inline bool size_align(size_t size, size_t *result)
{
    if (!size_add(size, MEMORY_ALIGNMENT - 1, result)) {
        return false;
    }
    *result &= ~(size_t)(MEMORY_ALIGNMENT - 1);
    return true;
}

#endif
