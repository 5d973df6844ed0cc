/* SPDX-License-Identifier: MIT
 * Median, minimum and maximum.
 */
#include "statistics.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

statistics carom_bench_sort(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    const statistics s = {(values[(count - 1) / 2] + values[count / 2]) / 2, values[0], values[count - 1]};
    return s;
}
