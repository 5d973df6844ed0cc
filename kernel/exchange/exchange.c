/* SPDX-License-Identifier: MIT
 * The table of exchange kernels by instruction set.
 */
#include "exchange/exchange.h"

#include "isa/isa.h"

CAROM_KERNELS(kernels, exchange_kernel, exchange, );

const exchange_kernel *carom_exchange(carom_isa isa)
{
    return kernels[isa];
}
