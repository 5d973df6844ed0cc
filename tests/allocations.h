/* SPDX-License-Identifier: MIT
 * Counts all allocations of the program by interposing the C library's functions: glibc only, and not with a sanitizer,
 * which does the same. Include it in one file of a program.
 */
#ifndef CAROM_TESTS_ALLOCATIONS_H
#define CAROM_TESTS_ALLOCATIONS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

__attribute__((unused)) static atomic_size_t allocation_calls; /* of malloc and its kin, and of mmap */
static atomic_size_t allocation_live;                          /* blocks that are not freed yet */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ALLOCATIONS_SANITIZED
#endif
#endif

#if defined(__GLIBC__) && defined(__LP64__) && !defined(ALLOCATIONS_SANITIZED) && !defined(__SANITIZE_ADDRESS__) &&    \
    !defined(__SANITIZE_THREAD__)

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const bool allocations_counted = true;

/* glibc's own, under the names that it exports for this use. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static void *count_allocation(void *block)
{
    atomic_fetch_add(&allocation_calls, 1);
    atomic_fetch_add(&allocation_live, block != NULL);
    return block;
}

void *malloc(size_t size)
{
    return count_allocation(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return count_allocation(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    atomic_fetch_add(&allocation_calls, 1);
    void *moved = __libc_realloc(block, size);
    if (block == NULL)
        atomic_fetch_add(&allocation_live, moved != NULL);
    else if (size == 0)
        atomic_fetch_sub(&allocation_live, 1);
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return count_allocation(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made = count_allocation(__libc_memalign(alignment, size));
    if (made == NULL)
        return ENOMEM;
    *block = made;
    return 0;
}

void free(void *block)
{
    if (block != NULL)
        atomic_fetch_sub(&allocation_live, 1);
    __libc_free(block);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    atomic_fetch_add(&allocation_calls, 1);
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

#else

static const bool allocations_counted = false;

#endif
#endif
