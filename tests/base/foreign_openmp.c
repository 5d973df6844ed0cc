/* SPDX-License-Identifier: MIT
 * foreign_openmp.h. */
#include "foreign_openmp.h"

int foreign_openmp(void)
{
    int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) {
        sum += i;
    }
    return sum;
}
