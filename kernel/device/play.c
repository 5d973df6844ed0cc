/* SPDX-License-Identifier: MIT
 * The calls that play, observe and restart a batch on a device: checks them and queues them.
 */
#include "device/batch.h"
#include "device/step.h"

static carom_status launch(const device_target *target, const char *entry, void *task, size_t task_bytes,
                           size_t threads)
{
    return carom_device_launch(target->worlds, target->stream, entry, task, task_bytes, threads);
}

/* The batch as programs see it. */
static device_target target_of(const carom_worlds *worlds, void *stream)
{
    const struct device_batch *device = worlds->device;
    const one_batch batch = {device->tiles,      device->context, device->seeds,    worlds->desc.seed,
                             worlds->desc.count, device->sums,    device->counters, device->wrong};
    const device_target target = {worlds, stream, batch, device->scratch, worlds->tiles * worlds->layout.lanes, launch};
    return target;
}

/* Refuses what devices do not support. */
static carom_status refuse_recording(carom_worlds *worlds, const carom_step *step)
{
    if (step->events != NULL || step->event_counts != NULL || step->contacts != NULL || step->moved != NULL) {
        return carom_device_refuse(worlds, CAROM_ERROR_UNSUPPORTED,
                                   "devices do not support `events`, `event_counts`, `contacts` and `moved`");
    }
    return CAROM_OK;
}

carom_status carom_device_play(carom_worlds *worlds, const carom_step *step, const carom_worlds *parents,
                               const size_t *from)
{
    play p;
    carom_status status = refuse_recording(worlds, step);
    status = status == CAROM_OK ? carom_play_ask(&p, worlds, step) : status;
    status = status == CAROM_OK && parents != NULL ? carom_play_ask_parents(&p, parents, from) : status;
    if (status != CAROM_OK) {
        return status;
    }

    const device_target target = target_of(worlds, step->stream);
    return carom_device_play_on(&target, &p, parents != NULL ? parents->device->tiles : NULL);
}

carom_status carom_device_observe(carom_worlds *worlds, const carom_step *step)
{
    play p;
    const carom_status status = carom_play_ask_seen(&p, worlds, step);
    if (status != CAROM_OK) {
        return status;
    }
    const device_target target = target_of(worlds, step->stream);
    return carom_device_observe_on(&target, &p);
}

carom_status carom_device_restart(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids, const uint64_t *seeds,
                                  void *stream)
{
    const device_target target = target_of(worlds, stream);
    one_restart_task task = {worlds->desc.count, target.batch, mask, ids, seeds, worlds->device->seeds};
    return launch(&target, "restart", &task, sizeof task, task.threads);
}
