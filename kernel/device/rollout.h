/* SPDX-License-Identifier: MIT
 * Rollouts on a device, for carom_rollout() and for searches on the device.
 */
#ifndef CAROM_DEVICE_ROLLOUT_H
#define CAROM_DEVICE_ROLLOUT_H

#include "rollout/rollout.h"
#include "tick/one_plan_task.h"
#include "tick/one_rollout_task.h"

/* device_ops.rollout: carom_rollout() for roots on a device. */
carom_status carom_device_rollout(const carom_worlds *roots, const carom_rollout_desc *desc, double *returns,
                                  uint32_t *best, carom_worlds *finals);

/* device_ops.draws: carom_rollout_draws() for roots on a device. */
carom_status carom_device_draws(const carom_worlds *roots, const carom_rollout_desc *desc, unsigned player,
                                const uint32_t *sequences, size_t count, void *actions);

/* Queues a rollout described by carom_rollout_describe(), with the outputs of *r, all in device memory. lengths: see
 * one_rollout_task; desc.lengths is not read. */
carom_status carom_device_roll(const rollout *r, uint32_t *lengths);

/* Describes to programs where the common fields of the roots are. */
one_roots carom_device_plan_roots(const carom_worlds *roots);

/* Describes the numbers of a player's sequences to a program. */
void carom_device_numbers(const rollout *r, uint32_t player, one_numbers *numbers);

#endif
