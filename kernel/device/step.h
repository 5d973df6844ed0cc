/* SPDX-License-Identifier: MIT
 * Steps of a batch on a device: the launches of a carom_step and their tasks (device/step.c), and the functions of
 * device_ops (worlds/device.h) for them (device/play.c).
 */
#ifndef CAROM_DEVICE_STEP_H
#define CAROM_DEVICE_STEP_H

#include "games/step.h"
#include "tick/one.h"

/* Where a call's programs run. Tests define targets in host memory. */
typedef struct device_target {
    const carom_worlds *worlds;
    void *stream;
    one_batch batch;        /* of these worlds, in the target's memory */
    unsigned char *scratch; /* likewise: [places][carom_device_step_bytes()] */
    size_t places;          /* worlds of all tiles, padding included */

    /* Queues `entry` of the game's module for all threads of the task, whose first member is `threads`. */
    carom_status (*launch)(const struct device_target *target, const char *entry, void *task, size_t task_bytes,
                           size_t threads);
} device_target;

/* Bytes of scratch that steps of this game need per world, padding included. */
size_t carom_device_step_bytes(const carom_game *game);

/* Describes the destinations, in a row of this kind of observation, of the numbers that the rules write: fills pieces
 * [DRIVE_PIECES] and returns their number. 0: the row is what the rules write without sharing. Also for rollouts.
 */
uint32_t carom_device_pieces(const drive *d, size_t kind, one_piece *pieces);

/* Launch what a checked step requests. parents: the tiles of p->parents in the target's memory, or NULL. */
carom_status carom_device_play_on(const device_target *target, const play *p, const void *parents);
carom_status carom_device_observe_on(const device_target *target, const play *p);

/* carom_worlds_play() and _expand(), of which parents and from are NULL in the former; carom_worlds_observe_step();
 * carom_worlds_restart() with arrays of the device. The batch is on a device. */
carom_status carom_device_play(carom_worlds *worlds, const carom_step *step, const carom_worlds *parents,
                               const size_t *from);
carom_status carom_device_observe(carom_worlds *worlds, const carom_step *step);
carom_status carom_device_restart(carom_worlds *worlds, const uint8_t *mask, const uint64_t *ids, const uint64_t *seeds,
                                  void *stream);

#endif
