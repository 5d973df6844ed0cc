/* SPDX-License-Identifier: MIT
 * Batches that live on a device, as this layer and those above it see them: a table of functions, which kernel/device
 * fills in, and the mirror.
 *
 * A batch on a device has its worlds in the device's memory, in tiles of the same bytes. worlds->data is then their
 * mirror: memory of this processor of the same size. A call that asks or changes the worlds opens the mirror, which
 * waits for the device and copies the tiles that the call needs, does to them what it does on this processor, and
 * closes it, which copies back what has changed. So all such calls answer the same on both.
 *
 *     if (!carom_mirror_open(worlds, first, count, MIRROR_TILES)) {
 *         return CAROM_ERROR_DEVICE;
 *     }
 *     ... read or change worlds [first, first + count) ...
 *     return carom_mirror_close(worlds, first, count, MIRROR_TILES, CAROM_OK);
 *
 * Calls that play are other functions on a device: those of the table.
 */
#ifndef CAROM_WORLDS_DEVICE_H
#define CAROM_WORLDS_DEVICE_H

#include "worlds/worlds.h"

/* Parts of a batch, as bits. */
enum {
    MIRROR_TILES = 1,
    MIRROR_BESIDE = 2, /* what is kept beside the tiles for each world: seeds, sums of rewards */
    MIRROR_WORLDS = MIRROR_TILES | MIRROR_BESIDE,
    MIRROR_COUNTERS = 4, /* of the batch */
    MIRROR_ALL = MIRROR_WORLDS | MIRROR_COUNTERS
};

struct carom_step;
struct carom_rollout_desc;
struct carom_search;
struct search_engine;

typedef struct device_ops {
    /* Creation: takes the batch's memory on its device and fills it from the mirror. Destruction takes NULL, too. */
    carom_status (*create)(carom_worlds *worlds);
    void (*destroy)(carom_worlds *worlds);

    /* Opens and closes the mirror: parts are those to be copied from the device, and back to it. Between the two the
     * batch is locked, since several threads may ask the same batch. An error of open leaves it closed. */
    carom_status (*open)(const carom_worlds *worlds, size_t first, size_t count, unsigned parts);
    carom_status (*close)(const carom_worlds *worlds, size_t first, size_t count, unsigned changed);

    /* Where the tiles are, on the device. */
    const void *(*address)(const carom_worlds *worlds);

    carom_status (*restart)(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids, const uint64_t *seeds,
                            void *stream);
    /* parents: NULL, or the batch of which the worlds become copies first. */
    carom_status (*play)(carom_worlds *worlds, const struct carom_step *step, const carom_worlds *parents,
                         const size_t *from);
    carom_status (*observe)(carom_worlds *worlds, const struct carom_step *step);
    carom_status (*rollout)(const carom_worlds *roots, const struct carom_rollout_desc *desc, double *returns,
                            uint32_t *best, carom_worlds *finals);
    carom_status (*draws)(const carom_worlds *roots, const struct carom_rollout_desc *desc, unsigned player,
                          const uint32_t *sequences, size_t count, void *actions);
    /* Searches: what is done to their arrays, see search/search.h; and what a search has there beside them. */
    const struct search_engine *search;
    carom_status (*search_create)(struct carom_search *search, const carom_worlds *roots);
    void (*search_destroy)(struct carom_search *search);
} device_ops;

extern const device_ops carom_device_ops;

#ifdef CAROM_NO_DEVICES /* scripts/single_file: a contest's bot has none */
#define carom_is_for_device(desc) 0
#define carom_is_on_device(worlds) 0
#define carom_mirror_open(worlds, first, count, parts) 1
#define carom_mirror_close(worlds, first, count, changed, status) status
#define carom_mirror_open_list(worlds, indices, n) 1
#define carom_mirror_close_list(worlds, indices, n, changed, status) status
#else

static inline bool carom_is_for_device(const carom_worlds_desc *desc)
{
    return desc->device != 0;
}

/* NULL is allowed. */
static inline bool carom_is_on_device(const carom_worlds *worlds)
{
    return worlds != NULL && worlds->device != NULL;
}

/* False: it cannot be opened, and the call fails with CAROM_ERROR_DEVICE. The batch has the reason. */
static inline bool carom_mirror_open(const carom_worlds *worlds, size_t first, size_t count, unsigned parts)
{
    return worlds->device == NULL || carom_device_ops.open(worlds, first, count, parts) == CAROM_OK;
}

/* Ends a call with `status`, which it returns unless it fails itself. changed: the parts that the call has changed, all
 * of which it has opened or overwritten; 0: none. If `status` is an error the call has changed nothing. */
static inline carom_status carom_mirror_close(const carom_worlds *worlds, size_t first, size_t count, unsigned changed,
                                              carom_status status)
{
    if (worlds->device == NULL) {
        return status;
    }
    const carom_status closed = carom_device_ops.close(worlds, first, count, status == CAROM_OK ? changed : 0);
    return status == CAROM_OK ? closed : status;
}

/* The same for the worlds that a list names (NULL: 0 to n - 1): all from the least to the greatest of them. */
bool carom_mirror_open_list(const carom_worlds *worlds, const size_t *indices, size_t n);
carom_status carom_mirror_close_list(const carom_worlds *worlds, const size_t *indices, size_t n, unsigned changed,
                                     carom_status status);

#endif

#endif
