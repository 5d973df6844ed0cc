/* SPDX-License-Identifier: MIT
 * The module `common`: programs that know no game, for rollouts and searches.
 */
#include "tick/one_plan.h"

ONE_PLAN_ENTRIES(DEVICE_ENTRY)
