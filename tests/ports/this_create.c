/* SPDX-License-Identifier: MIT
 * Creating searches, with the engine of this_device.h in place of the library's for batches on a device.
 */
#include "ports/this_names.h"

#include "../../kernel/search/create.c"
