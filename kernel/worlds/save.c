/* SPDX-License-Identifier: MIT
 * A batch in a buffer: a header, the records of all worlds, their seeds unless all use the batch's, and a checksum of
 * all this. Little-endian. Padding lanes and derived fields are left out, so equal batches give equal bytes. */
#include <assert.h>

#include "base/hash.h"
#include "base/memory.h"
#include "worlds/device.h"
#include "worlds/layout.h"

/* Versions without and with seeds. Versions 1 and 2 had no counter of faults. */
#define SAVE_VERSION 3
#define SAVE_VERSION_SEEDS 4

/* The line end reveals a transfer that altered the buffer as text. */
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

static_assert(sizeof(save_header) == 96, "the header has no padding");

static const little_part header_parts[] = {{1, 8}, {4, 2}, {8, 10}};
#define HEADER_PARTS (sizeof header_parts / sizeof header_parts[0])

/* Bytes of all records. No size of a save can overflow: a record is smaller than the world in its tile, and the few
 * bytes around the records are fewer than a tile's. */
static size_t records_bytes(const carom_worlds *worlds)
{
    return worlds->desc.count * worlds->layout.record_bytes;
}

/* Does any world use a seed other than the batch's? */
static bool has_seeds(const carom_worlds *worlds)
{
    for (size_t w = 0; worlds->seeds && w < worlds->desc.count; ++w) {
        if (worlds->seeds[w] != worlds->desc.seed) {
            return true;
        }
    }
    return false;
}

static size_t seeds_bytes(const carom_worlds *worlds, bool seeds)
{
    return seeds ? worlds->desc.count * sizeof(uint64_t) : 0;
}

/* Bytes of a save with or without seeds. */
static size_t size_with(const carom_worlds *worlds, bool seeds)
{
    return sizeof(save_header) + records_bytes(worlds) + seeds_bytes(worlds, seeds) + sizeof(uint64_t);
}

size_t carom_worlds_save_size(const carom_worlds *worlds)
{
    if (!worlds || !carom_mirror_open(worlds, 0, worlds->desc.count, MIRROR_BESIDE)) {
        return 0;
    }
    const size_t size = size_with(worlds, has_seeds(worlds));
    (void)carom_mirror_close(worlds, 0, worlds->desc.count, 0, CAROM_OK);
    return size;
}

/* The header of a save of this batch. */
static save_header make_header(const carom_worlds *worlds, bool seeds)
{
    save_header header = {.version = seeds ? SAVE_VERSION_SEEDS : SAVE_VERSION,
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
    if (!carom_mirror_open(worlds, 0, worlds->desc.count, MIRROR_ALL)) {
        return CAROM_ERROR_DEVICE;
    }
    const bool seeds = has_seeds(worlds);
    if (size < size_with(worlds, seeds)) {
        return carom_mirror_close(worlds, 0, 0, 0, CAROM_ERROR_SIZE);
    }

    unsigned char *bytes = (unsigned char *)buffer;
    const save_header header = make_header(worlds, seeds);
    const size_t body = size_with(worlds, seeds) - sizeof(uint64_t); /* everything but the checksum */

    little_parts(bytes, &header, header_parts, HEADER_PARTS);
    carom_worlds_fetch(worlds, NULL, 0, worlds->desc.count, bytes + sizeof header);
    if (seeds) {
        little_copy(bytes + sizeof header + records_bytes(worlds), worlds->seeds, worlds->desc.count, sizeof(uint64_t));
    }

    const uint64_t checksum = hash_bytes(SAVE_VERSION, bytes, body);
    little_copy(bytes + body, &checksum, 1, sizeof checksum);
    return carom_mirror_close(worlds, 0, worlds->desc.count, 0, CAROM_OK);
}

carom_status carom_worlds_load(carom_worlds *worlds, const void *buffer, size_t size)
{
    if (!worlds || !buffer) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* The size shows whether there are seeds. Make room for them before anything is changed. */
    const bool seeds = size == size_with(worlds, true);
    if (size != size_with(worlds, seeds)) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_FORMAT,
                                   "a save of %zu worlds of this kind has %zu bytes, not %zu: it is from other worlds "
                                   "or another version of Carom",
                                   worlds->desc.count, size_with(worlds, false), size);
    }
    if (seeds && carom_worlds_take_seeds(worlds) != CAROM_OK) {
        return CAROM_ERROR_MEMORY;
    }

    const unsigned char *bytes = (const unsigned char *)buffer;
    const size_t body = size - sizeof(uint64_t);
    const uint64_t checksum = little_read(bytes + body, sizeof checksum);
    save_header header = {0};
    little_parts(&header, bytes, header_parts, HEADER_PARTS);

    /* Except for the values that are adopted, the header must be the one that this batch would write. */
    save_header expected = make_header(worlds, seeds);
    expected.seed = header.seed;
    expected.first_id = header.first_id;
    expected.counters = header.counters;
    if (memcmp(&header, &expected, sizeof header) != 0) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_FORMAT,
                                   "the save has another game, precision, count, version or options");
    }
    if (checksum != hash_bytes(SAVE_VERSION, bytes, body)) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_FORMAT, "the save is damaged: its checksum is wrong");
    }

    /* Records are checked and adopted all or none; the rest follows only then. */
    if (!carom_mirror_open(worlds, 0, 0, 0)) {
        return CAROM_ERROR_DEVICE;
    }
    if (carom_worlds_put(worlds, NULL, 0, worlds->desc.count, bytes + sizeof header) != CAROM_OK) {
        return carom_mirror_close(worlds, 0, 0, 0, CAROM_ERROR_FORMAT);
    }
    worlds->desc.seed = header.seed;
    worlds->desc.first_id = header.first_id;
    worlds->counters = header.counters;
    if (seeds) {
        little_copy(worlds->seeds, bytes + sizeof header + records_bytes(worlds), worlds->desc.count, sizeof(uint64_t));
    } else {
        carom_worlds_forget_seeds(worlds);
    }
    return carom_mirror_close(worlds, 0, worlds->desc.count, MIRROR_ALL, CAROM_OK);
}
