/* SPDX-License-Identifier: MIT
 * The values of leaves that planners work with: see plan_value.c.
 */
#ifndef CAROM_TOOLS_PLAN_VALUE_H
#define CAROM_TOOLS_PLAN_VALUE_H

#include "plan.h"

typedef struct plan_values {
    bool csb; /* else fantastic_bits */
    double weights[PLAN_WEIGHTS];
    size_t roots;
    const double *checkpoints; /* csb: [root] laps * n */
} plan_values;

/* A carom_search_value; user is a plan_values. */
carom_status carom_plan_value(void *user, size_t leaves, const float *observations, double *values);

#endif
