/* SPDX-License-Identifier: MIT
 * Numbers as little-endian bytes, which all files, saves, replays, records and checksums consist of, whatever the byte
 * order of the machine. On little-endian machines everything here is memcpy().
 *
 *     little_copy(to, from, count, bytes)   an array of numbers to bytes, or back
 *     little_parts(to, from, parts, n)      the same for a structure without padding
 *     little_read(at, bytes)                one unsigned number from bytes
 *     number_bits(at, bytes)                the bits of a number in memory, in the machine's order
 *     number_put(at, bits, bytes)           the reverse
 *     little_order(word, bytes)             8 or 4 adjacent numbers, read as a word */
#ifndef CAROM_BASE_LITTLE_H
#define CAROM_BASE_LITTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
#error "Carom needs a compiler that defines __BYTE_ORDER__, and a little-endian or big-endian machine"
#endif

#define LITTLE_ENDIAN_MACHINE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LITTLE_SWAP(word) (word)
#else
#define LITTLE_SWAP(word) __builtin_bswap64(word)
#endif

/* `count` numbers of `bytes` bytes each. On a big-endian machine it reverses the bytes of each number, so it converts
 * in both directions. `to` may equal `from`. */
static inline void little_copy(void *to, const void *from, size_t count, size_t bytes)
{
    if (LITTLE_ENDIAN_MACHINE || bytes == 1) {
        if (to != from && count > 0) {
            memcpy(to, from, count * bytes);
        }
        return;
    }
    const unsigned char *in = (const unsigned char *)from;
    unsigned char *out = (unsigned char *)to;
    for (size_t k = 0; k < count; ++k, in += bytes, out += bytes) {
        for (size_t low = 0, high = bytes - 1; low < high; ++low, --high) {
            const unsigned char first = in[low];
            out[low] = in[high];
            out[high] = first;
        }
    }
}

/* Numbers of one width that follow each other in a structure. */
typedef struct little_part {
    uint32_t bytes, count;
} little_part;

static inline void little_parts(void *to, const void *from, const little_part *parts, size_t n)
{
    unsigned char *out = (unsigned char *)to;
    const unsigned char *in = (const unsigned char *)from;
    for (size_t k = 0; k < n; ++k) {
        const size_t size = (size_t)parts[k].bytes * parts[k].count;
        little_copy(out, in, parts[k].count, parts[k].bytes);
        out += size;
        in += size;
    }
}

/* An unsigned number of up to 8 bytes. */
static inline uint64_t little_read(const void *at, size_t bytes)
{
    uint64_t word = 0;
    memcpy(&word, at, bytes);
    return LITTLE_SWAP(word);
}

static inline uint64_t number_bits(const void *at, size_t bytes)
{
    uint64_t word = 0;
    memcpy((unsigned char *)&word + (LITTLE_ENDIAN_MACHINE ? 0 : sizeof word - bytes), at, bytes);
    return word;
}

static inline void number_put(void *at, uint64_t bits, size_t bytes)
{
    memcpy(at, (const unsigned char *)&bits + (LITTLE_ENDIAN_MACHINE ? 0 : sizeof bits - bytes), bytes);
}

/* A word read from an array of numbers of 1 or 2 bytes: the first number becomes the lowest part of the word. */
static inline uint64_t little_order(uint64_t word, size_t bytes)
{
    const uint64_t low = UINT64_C(0x00ff00ff00ff00ff), swapped = LITTLE_SWAP(word);
    return LITTLE_ENDIAN_MACHINE || bytes == 1 ? swapped : (swapped & low) << 8 | (swapped >> 8 & low);
}

#endif
