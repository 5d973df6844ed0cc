/* SPDX-License-Identifier: MIT
 * Batches on a device, as this layer and those above it see them: a table of functions, which kernel/device fills in,
 * and the mirror.
 *
 * A batch on a device has its worlds in the device's memory, in tiles of the same bytes. worlds->data is then their
 * mirror: host memory of the same size. A call that reads or changes the worlds opens the mirror, which waits for the
 * device and copies the tiles that the call needs; works on it like on any batch; and closes it, which copies back what
 * has changed. So such calls behave the same for both kinds of batch.
 *
 *     if (!carom_mirror_open(worlds, first, count, MIRROR_TILES)) {
 *         return CAROM_ERROR_DEVICE;
 *     }
 *     ... read or change worlds [first, first + count) ...
 *     return carom_mirror_close(worlds, first, count, MIRROR_TILES, CAROM_OK);
 *
 * Calls that play are separate functions for a device, in the table.
 */
#ifndef CAROM_WORLDS_DEVICE_H
#define CAROM_WORLDS_DEVICE_H

#include "worlds/worlds.h"

/* Parts of a batch, as bits. */
enum {
    MIRROR_TILES = 1,
    MIRROR_BESIDE = 2, /* seeds and sums of rewards, which each world has outside its tile */
    MIRROR_WORLDS = MIRROR_TILES | MIRROR_BESIDE,
    MIRROR_COUNTERS = 4, /* the batch's counters */
    MIRROR_ALL = MIRROR_WORLDS | MIRROR_COUNTERS
};

struct carom_step;
struct carom_rollout_desc;
struct carom_search;
struct search_engine;

typedef struct device_ops {
    /* Creation takes the batch's memory on its device and fills it from the mirror. Destruction accepts NULL. */
    carom_status (*create)(carom_worlds *worlds);
    void (*destroy)(carom_worlds *worlds);

    /* Open and close the mirror. parts: those to copy from the device, and back to it. In between the batch is locked,
     * since several threads may use the same batch. If open fails, it leaves the mirror closed. */
    carom_status (*open)(const carom_worlds *worlds, size_t first, size_t count, unsigned parts);
    carom_status (*close)(const carom_worlds *worlds, size_t first, size_t count, unsigned changed);

    /* The address of the tiles on the device. */
    const void *(*address)(const carom_worlds *worlds);

    carom_status (*restart)(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids, const uint64_t *seeds,
                            void *stream);
    /* parents: NULL, or the batch whose worlds are copied first. */
    carom_status (*play)(carom_worlds *worlds, const struct carom_step *step, const carom_worlds *parents,
                         const size_t *from);
    carom_status (*observe)(carom_worlds *worlds, const struct carom_step *step);
    carom_status (*rollout)(const carom_worlds *roots, const struct carom_rollout_desc *desc, double *returns,
                            uint32_t *best, carom_worlds *finals);
    carom_status (*draws)(const carom_worlds *roots, const struct carom_rollout_desc *desc, unsigned player,
                          const uint32_t *sequences, size_t count, void *actions);
    /* Searches: the engine that works on their arrays, see search/search.h, and what a search has on the device. */
    const struct search_engine *search;
    carom_status (*search_create)(struct carom_search *search, const carom_worlds *roots);
    void (*search_destroy)(struct carom_search *search);
} device_ops;

extern const device_ops carom_device_ops;

#ifdef CAROM_NO_DEVICES /* scripts/single_file: a contest bot has no devices */
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

/* False if it cannot be opened; the call must then return CAROM_ERROR_DEVICE. The batch has the reason. */
static inline bool carom_mirror_open(const carom_worlds *worlds, size_t first, size_t count, unsigned parts)
{
    return worlds->device == NULL || carom_device_ops.open(worlds, first, count, parts) == CAROM_OK;
}

/* Ends a call with `status`, which it returns unless closing fails. changed: the parts that the call changed, all of
 * which it opened or overwrote; 0: none. If `status` is an error nothing was changed. */
static inline carom_status carom_mirror_close(const carom_worlds *worlds, size_t first, size_t count, unsigned changed,
                                              carom_status status)
{
    if (worlds->device == NULL) {
        return status;
    }
    const carom_status closed = carom_device_ops.close(worlds, first, count, status == CAROM_OK ? changed : 0);
    return status == CAROM_OK ? closed : status;
}

/* The same for the worlds of a list (NULL: 0 to n - 1): opens all from the lowest to the highest of them. */
bool carom_mirror_open_list(const carom_worlds *worlds, const size_t *indices, size_t n);
carom_status carom_mirror_close_list(const carom_worlds *worlds, const size_t *indices, size_t n, unsigned changed,
                                     carom_status status);

#endif

#endif
