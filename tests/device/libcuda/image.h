/* SPDX-License-Identifier: MIT
 * An image of a module, as passed to a driver: its length, and its hash, by which its translation is found.
 */
#ifndef CAROM_TESTS_DEVICE_LIBCUDA_IMAGE_H
#define CAROM_TESTS_DEVICE_LIBCUDA_IMAGE_H

#include <stdint.h>
#include <string.h>

#define FATBIN_MAGIC 0xBA55ED50u

/* Of a fatbin as its head says, of PTX to its final zero. 0: it is empty. */
static inline size_t image_bytes(const void *image)
{
    struct {
        uint32_t magic;
        uint16_t version, head_bytes;
        uint64_t bytes;
    } head;
    memcpy(&head.magic, image, sizeof head.magic);
    if (head.magic != FATBIN_MAGIC) {
        return strlen(image);
    }
    memcpy(&head, image, sizeof head);
    return head.head_bytes + head.bytes;
}

/* FNV-1a */
static inline uint64_t image_hash(const void *image)
{
    const unsigned char *bytes = image;
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0, n = image_bytes(image); i < n; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    }
    return hash;
}

#endif
