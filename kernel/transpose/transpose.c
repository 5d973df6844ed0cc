/* SPDX-License-Identifier: MIT
 * The table of exchange kernels by instruction set.
 */
#include "transpose/transpose.h"

#include "dispatch/dispatch.h"

CAROM_KERNELS(kernels, transpose_kernel, exchange, );

const transpose_kernel *carom_transpose(carom_isa isa)
{
    return kernels[isa];
}
