/* SPDX-License-Identifier: MIT
 * The module that all games share: what searches do between rollouts.
 */
#include "tick/one_search.h"

ONE_PLAN_ENTRIES(DEVICE_ENTRY)
ONE_SEARCH_ENTRIES(DEVICE_ENTRY)
