/* SPDX-License-Identifier: MIT
 * Hashes of worlds, and the digest of a batch. Both depend only on the values of the fields, element by element in
 * table order, not on a world's position, threads or the instruction set. */
#include "base/hash.h"

#include <stdatomic.h>

#include "worlds/device.h"
#include "worlds/layout.h"

/* Hashes all worlds of a tile together: a row of the tile holds one element of each. */
static inline __attribute__((always_inline)) void hash_lanes(const carom_worlds *worlds, const void *tile,
                                                             unsigned lanes, uint64_t hashes[CAROM_TILE])
{
    for (unsigned lane = 0; lane < lanes; ++lane) {
        hashes[lane] = worlds->content;
    }

    /* Hash only what a world's future depends on: its state and its parameters. */
    for (size_t i = 0; i < worlds->layout.count; ++i) {
        const carom_field *field = &worlds->layout.fields[i];
        if (field->role != CAROM_ROLE_STATE && field->role != CAROM_ROLE_PARAMETER) {
            continue;
        }
        const unsigned char *row = (const unsigned char *)field_in(field, tile, 0);
        for (uint32_t e = 0; e < field->count; ++e, row += (size_t)lanes * field->bytes) {
#define HASH_ROW(type, canonical)                                                                                      \
    do {                                                                                                               \
        type values[CAROM_TILE];                                                                                       \
        memcpy(values, row, lanes * sizeof values[0]);                                                                 \
        for (unsigned lane = 0; lane < lanes; ++lane) {                                                                \
            hashes[lane] = hash_step(hashes[lane], canonical(values[lane]));                                           \
        }                                                                                                              \
    } while (0)
            if (field->type == CAROM_TYPE_REAL && field->bytes == 8) {
                HASH_ROW(uint64_t, hash_canonical_f64);
            } else if (field->type == CAROM_TYPE_REAL) {
                HASH_ROW(uint32_t, hash_canonical_f32);
            } else if (field->bytes == 4) {
                HASH_ROW(uint32_t, );
            } else if (field->bytes == 2) {
                HASH_ROW(uint16_t, );
            } else {
                HASH_ROW(uint8_t, );
            }
#undef HASH_ROW
        }
    }

    for (unsigned lane = 0; lane < lanes; ++lane) {
        hashes[lane] = hash_end(hashes[lane]);
    }
}

/* Calls hash_lanes() with a constant number of lanes. */
static void hash_tile(const carom_worlds *worlds, const void *tile, uint64_t hashes[CAROM_TILE])
{
    if (worlds->layout.lanes == 1) {
        hash_lanes(worlds, tile, 1, hashes);
    } else {
        hash_lanes(worlds, tile, CAROM_TILE, hashes);
    }
}

typedef struct hash_job {
    const carom_worlds *worlds;
    size_t first, count;      /* the worlds */
    uint64_t *hashes;         /* [count] */
    atomic_uint_fast64_t sum; /* of the digest */
} hash_job;

static void hash_worlds(void *argument, size_t tile, unsigned thread)
{
    (void)thread;
    const hash_job *job = (const hash_job *)argument;
    uint64_t hashes[CAROM_TILE];
    hash_tile(job->worlds, carom_worlds_tile(job->worlds, tile), hashes);
    const world_layout *layout = &job->worlds->layout;
    const lane_span lanes = lanes_within(layout, tile, job->first, job->count);
    memcpy(job->hashes + (tile * layout->lanes + lanes.begin - job->first), hashes + lanes.begin,
           (lanes.end - lanes.begin) * sizeof hashes[0]);
}

carom_status carom_worlds_hash(const carom_worlds *worlds, size_t first, size_t count, uint64_t *hashes)
{
    if (!worlds || !in_range(worlds, first, count) || (!hashes && count > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    hash_job job = {.worlds = worlds, .first = first, .count = count, .hashes = hashes};
    if (!carom_mirror_open(worlds, first, count, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    carom_worlds_each_tile(worlds, first, count, hash_worlds, &job);
    return carom_mirror_close(worlds, first, count, 0, CAROM_OK);
}

/* The digest is a sum over the worlds of a number computed from id and hash, so the order of worlds does not matter. */
static void digest_tile(void *argument, size_t tile, unsigned thread)
{
    (void)thread;
    hash_job *job = (hash_job *)argument;
    const void *data = carom_worlds_tile(job->worlds, tile);
    uint64_t hashes[CAROM_TILE];
    hash_tile(job->worlds, data, hashes);
    const lane_span lanes = lanes_within(&job->worlds->layout, tile, job->first, job->count);

    uint64_t sum = 0;
    for (unsigned lane = lanes.begin; lane < lanes.end; ++lane) {
        const uint64_t id = carom_tile_get_id(&job->worlds->layout, data, lane);
        sum += mix64(mix64_other(id + HASH_GOLDEN) ^ hashes[lane]);
    }
    atomic_fetch_add_explicit(&job->sum, sum, memory_order_relaxed);
}

carom_status carom_worlds_digest(const carom_worlds *worlds, uint64_t *digest)
{
    if (!worlds || !digest) {
        return CAROM_ERROR_ARGUMENT;
    }
    hash_job job = {.worlds = worlds, .first = 0, .count = worlds->desc.count};
    if (!carom_mirror_open(worlds, 0, worlds->desc.count, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    carom_worlds_each_tile(worlds, 0, worlds->desc.count, digest_tile, &job);
    *digest = atomic_load(&job.sum);
    return carom_mirror_close(worlds, 0, worlds->desc.count, 0, CAROM_OK);
}
