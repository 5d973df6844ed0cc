/* SPDX-License-Identifier: MIT
 * The functions that lower layers call for a batch on a device, and the calls that exist only for such batches.
 */
#include "device/device.h"
#include "device/rollout.h"
#include "device/search.h"
#include "device/step.h"

const device_ops carom_device_ops = {
    .create = carom_batch_create,
    .destroy = carom_batch_destroy,
    .open = carom_batch_open,
    .close = carom_batch_close,
    .address = carom_batch_address,

    .play = carom_device_play,
    .observe = carom_device_observe,
    .restart = carom_device_restart,
    .rollout = carom_device_rollout,
    .draws = carom_device_draws,
    .search = &carom_device_search,
    .search_create = carom_device_search_create,
    .search_destroy = carom_device_search_destroy,
};

carom_status carom_worlds_restart_queued(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids,
                                         const uint64_t *seeds, void *stream)
{
    if (worlds == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (worlds->device == NULL) {
        return carom_worlds_refuse(worlds, CAROM_ERROR_ARGUMENT,
                                   "restarts can be queued only on devices: these worlds are on this processor");
    }
    return carom_device_ops.restart(worlds, mask, ids, seeds, stream);
}
