/* SPDX-License-Identifier: MIT
 * Which exchange kernel an instruction set has.
 */
#include "exchange/exchange.h"

#include "isa/isa.h"

CAROM_KERNELS(kernels, exchange_kernel, exchange, );

const exchange_kernel *carom_exchange(carom_isa isa)
{
    return kernels[isa];
}
