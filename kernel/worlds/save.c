/* SPDX-License-Identifier: MIT
 * A batch in a buffer: a header, the record of every world, a checksum of all that. Little-endian; the padding lanes
 * and the derived fields are left out, so equal batches give equal bytes. */
#include <assert.h>

#include "base/hash.h"
#include "worlds/layout.h"

/* Changes whenever buffers of the older one cannot be read any more. */
#define SAVE_VERSION 1

/* The line end is there to be spoilt by a transfer that takes the buffer for text. */
static const unsigned char save_magic[8] = {'C', 'A', 'R', 'O', 'M', 'W', '\r', '\n'};

typedef struct save_header {
    unsigned char magic[8];
    uint32_t version;
    uint32_t precision;
    uint64_t content; /* see struct carom_worlds */
    uint64_t record_bytes;
    uint64_t count;
    uint64_t seed;
    uint64_t first_id;
    carom_counters counters;
} save_header;

static_assert(sizeof(save_header) == 88, "the header has no padding");

/* The parts of a save of this batch. It cannot overflow: a record takes less than the world in its tile, and the few
 * bytes around them less than the tile. */
static size_t records_bytes(const carom_worlds *worlds)
{
    return worlds->desc.count * worlds->layout.record_bytes;
}

size_t carom_worlds_save_size(const carom_worlds *worlds)
{
    return worlds ? sizeof(save_header) + records_bytes(worlds) + sizeof(uint64_t) : 0;
}

static save_header make_header(const carom_worlds *worlds)
{
    save_header header = {.version = SAVE_VERSION,
                          .precision = (uint32_t)worlds->desc.precision,
                          .content = worlds->content,
                          .record_bytes = worlds->layout.record_bytes,
                          .count = worlds->desc.count,
                          .seed = worlds->desc.seed,
                          .first_id = worlds->desc.first_id,
                          .counters = worlds->counters};
    memcpy(header.magic, save_magic, sizeof header.magic);
    return header;
}

carom_status carom_worlds_save(const carom_worlds *worlds, void *buffer, size_t size)
{
    if (!worlds || !buffer) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (size < carom_worlds_save_size(worlds)) {
        return CAROM_ERROR_SIZE;
    }
    unsigned char *bytes = (unsigned char *)buffer;
    const save_header header = make_header(worlds);
    const size_t body = sizeof header + records_bytes(worlds);
    memcpy(bytes, &header, sizeof header);
    carom_worlds_fetch(worlds, NULL, 0, worlds->desc.count, bytes + sizeof header);
    const uint64_t checksum = hash_bytes(SAVE_VERSION, bytes, body);
    memcpy(bytes + body, &checksum, sizeof checksum);
    return CAROM_OK;
}

carom_status carom_worlds_load(carom_worlds *worlds, const void *buffer, size_t size)
{
    if (!worlds || !buffer) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (size != carom_worlds_save_size(worlds)) {
        return CAROM_ERROR_FORMAT;
    }
    const unsigned char *bytes = (const unsigned char *)buffer;
    const size_t body = size - sizeof(uint64_t);
    uint64_t checksum;
    save_header header;
    memcpy(&checksum, bytes + body, sizeof checksum);
    memcpy(&header, bytes, sizeof header);

    /* Everything but what is taken over must be as this batch would write it. */
    save_header expected = make_header(worlds);
    expected.seed = header.seed;
    expected.first_id = header.first_id;
    expected.counters = header.counters;
    if (memcmp(&header, &expected, sizeof header) != 0 || checksum != hash_bytes(SAVE_VERSION, bytes, body) ||
        carom_worlds_put(worlds, NULL, 0, worlds->desc.count, bytes + sizeof header) != CAROM_OK) {
        return CAROM_ERROR_FORMAT;
    }
    worlds->desc.seed = header.seed;
    worlds->desc.first_id = header.first_id;
    worlds->counters = header.counters;
    return CAROM_OK;
}
