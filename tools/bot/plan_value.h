/* SPDX-License-Identifier: MIT
 * The values of leaves that planners of fantastic_bits work with: see plan_value.c.
 */
#ifndef CAROM_TOOLS_BOT_PLAN_VALUE_H
#define CAROM_TOOLS_BOT_PLAN_VALUE_H

#include "plan.h"

const plan_weight *carom_plan_fantastic_bits(size_t *count);

/* A carom_search_value; user is the weights. */
carom_status carom_plan_value(void *user, size_t leaves, const float *observations, double *values);

#endif
