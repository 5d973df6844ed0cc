/* SPDX-License-Identifier: MIT
 * Drawn pictures are mostly flat: each row is stored as its difference from the row above, which leaves runs of zeros,
 * and only runs of one byte are compressed. So this needs neither zlib nor a search for matches.
 */
#include "png.h"

#include <stdlib.h>

typedef struct deflater {
    uint8_t *bytes;
    size_t count;
    uint64_t bits; /* not yet written, the first lowest */
    unsigned bit_count;
} deflater;

/* `count` bits of `value`, the lowest first. */
static void put(deflater *d, unsigned value, unsigned count)
{
    d->bits |= (uint64_t)value << d->bit_count;
    for (d->bit_count += count; d->bit_count >= 8; d->bit_count -= 8, d->bits >>= 8) {
        d->bytes[d->count++] = (uint8_t)d->bits;
    }
}

/* A symbol of the fixed Huffman code (RFC 1951, 3.2.6), whose codes are sent with the highest bit first. */
static void put_symbol(deflater *d, unsigned symbol)
{
    const unsigned length = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
    const unsigned code = symbol < 144   ? 0x30 + symbol
                          : symbol < 256 ? 0x190 + symbol - 144
                          : symbol < 280 ? symbol - 256
                                         : 0xC0 + symbol - 280;
    unsigned reversed = 0;
    for (unsigned k = 0; k < length; k++) {
        reversed |= (code >> k & 1) << (length - 1 - k);
    }
    put(d, reversed, length);
}

/* The last byte again, 3 to 258 times (3.2.5). Lengths come in groups of four symbols, from 11 on each group with one
 * more extra bit; 258 has its own symbol. */
static void put_run(deflater *d, unsigned length)
{
    unsigned extra = 0;
    if (length == 258) {
        put_symbol(d, 285);
    } else {
        while (length - 3 >= 8u << extra) {
            extra++;
        }
        const unsigned group = (length - 3) >> extra; /* 4 to 7 where there are extra bits */
        put_symbol(d, 257 + group + 4 * extra);
        put(d, (length - 3) & ((1u << extra) - 1), extra);
    }
    put(d, 0, 5); /* at distance 1 */
}

static void deflate(deflater *d, const uint8_t *from, size_t size)
{
    put(d, 1, 1); /* the last block, */
    put(d, 1, 2); /* with fixed codes */
    for (size_t at = 0; at < size;) {
        size_t run = 0;
        while (at > 0 && run < 258 && at + run < size && from[at + run] == from[at - 1]) {
            run++;
        }
        if (run >= 3) {
            put_run(d, (unsigned)run);
            at += run;
        } else {
            put_symbol(d, from[at++]);
        }
    }
    put_symbol(d, 256);
    put(d, 0, (8 - d->bit_count) % 8);
}

static uint32_t adler32(const uint8_t *from, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t k = 0; k < size; k++) {
        a = (a + from[k]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint32_t crc32(uint32_t crc, const uint8_t *from, size_t size)
{
    crc = ~crc;
    for (size_t k = 0; k < size; k++) {
        crc ^= from[k];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
        }
    }
    return ~crc;
}

static void set_big_endian(uint8_t *to, uint32_t value)
{
    for (int k = 0; k < 4; k++) {
        to[k] = (uint8_t)(value >> (24 - 8 * k));
    }
}

static bool write_chunk(const char kind[5], const uint8_t *content, size_t size, FILE *file)
{
    uint8_t head[8], tail[4];
    set_big_endian(head, (uint32_t)size);
    for (int k = 0; k < 4; k++) {
        head[4 + k] = (uint8_t)kind[k];
    }
    set_big_endian(tail, crc32(crc32(0, head + 4, 4), content, size));
    return fwrite(head, 1, 8, file) == 8 && fwrite(content, 1, size, file) == size && fwrite(tail, 1, 4, file) == 4;
}

/* Each row as the filter type 2 (difference from the row above) and its bytes. */
static void filter(const uint8_t *rgb, size_t row, size_t height, uint8_t *to)
{
    for (size_t y = 0; y < height; y++) {
        *to++ = 2;
        for (size_t k = 0; k < row; k++, rgb++) {
            *to++ = (uint8_t)(*rgb - (y > 0 ? *(rgb - row) : 0));
        }
    }
}

bool carom_png_write(const uint8_t *rgb, size_t width, size_t height, FILE *file)
{
    const size_t row = 3 * width, size = (row + 1) * height;
    uint8_t *filtered = malloc(size);
    deflater d = {malloc(size + size / 8 + 16), 0, 0, 0}; /* a byte takes nine bits at most */
    bool written = filtered != NULL && d.bytes != NULL;
    if (written) {
        uint8_t header[13] = {[8] = 8, [9] = 2}; /* bits a channel; red, green and blue */
        set_big_endian(header, (uint32_t)width);
        set_big_endian(header + 4, (uint32_t)height);

        filter(rgb, row, height, filtered);
        put(&d, 0x0178, 16); /* zlib's header: deflate, a window of 32 kB */
        deflate(&d, filtered, size);
        set_big_endian(d.bytes + d.count, adler32(filtered, size));

        written = fwrite("\x89PNG\r\n\x1a\n", 1, 8, file) == 8 && write_chunk("IHDR", header, sizeof header, file) &&
                  write_chunk("IDAT", d.bytes, d.count + 4, file) && write_chunk("IEND", d.bytes, 0, file);
    }
    free(filtered);
    free(d.bytes);
    return written;
}
