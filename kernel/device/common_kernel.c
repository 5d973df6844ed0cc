/* SPDX-License-Identifier: MIT
 * The module shared by all games: the programs of searches between rollouts.
 */
#include "tick/one_search.h"

ONE_PLAN_ENTRIES(DEVICE_ENTRY)
ONE_SEARCH_ENTRIES(DEVICE_ENTRY)
