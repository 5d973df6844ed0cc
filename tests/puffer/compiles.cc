/* SPDX-License-Identifier: MIT
 * PufferLib 5 compiles its environments as C++.
 */
#define OBS_SIZE 38
#define NUM_ATNS 2
#define CAROM_PUFFER 5
#include "../../integrations/puffer/carom_puffer.h"
