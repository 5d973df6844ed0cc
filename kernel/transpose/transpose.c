/* SPDX-License-Identifier: MIT
 * The table of transposing kernels by instruction set.
 */
#include "transpose/transpose.h"

#include "dispatch/dispatch.h"

CAROM_KERNELS(kernels, transpose_kernel, transpose, );

const transpose_kernel *carom_transpose(carom_isa isa)
{
    return kernels[isa];
}
