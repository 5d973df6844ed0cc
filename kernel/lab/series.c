/* SPDX-License-Identifier: MIT
 * The mean of a series of correlated values, its error, and whether the series has a trend.
 */
#include <carom/measures.h>

#include "base/fpenv.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define LEAST 8         /* values needed for an error */
#define LEAST_JOINED 16 /* blocks, once values have been joined */
#define TREND_MOST 64   /* blocks for the trend */
#define STATIONARY 2.58

static double mean_of(size_t n, const double *values)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += values[k];
    }
    return sum / (double)n;
}

/* The error of the mean of n independent values. */
static double error_of(size_t n, const double *values)
{
    const double mean = mean_of(n, values);
    double squares = 0;
    for (size_t k = 0; k < n; k++) {
        squares += (values[k] - mean) * (values[k] - mean);
    }
    return sqrt(squares / (double)(n - 1) / (double)n);
}

/* Replaces neighbours by their mean, dropping the last one of an odd number. Returns the new number. */
static size_t join(size_t n, double *values)
{
    for (size_t k = 0; k + 1 < n; k += 2) {
        values[k / 2] = (values[k] + values[k + 1]) / 2;
    }
    return n / 2;
}

/* Mann and Kendall's test: the number of pairs of values that rise, minus those that fall, in standard deviations
 * without a trend. */
static double trend_of(size_t n, const double *values)
{
    double rising = 0;
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < k; j++) {
            rising += (values[k] > values[j]) - (values[k] < values[j]);
        }
    }
    const double count = (double)n, variance = count * (count - 1) * (2 * count + 5) / 18;
    return fabs(rising) > 1 ? (rising - copysign(1, rising)) / sqrt(variance) : 0;
}

/* Mean and error; joins the values. */
static void measure_error(size_t n, double *values, carom_series *s)
{
    s->mean = mean_of(n, values);
    s->error = NAN;
    s->block = 1;

    for (size_t length = 1; n >= (length == 1 ? LEAST : LEAST_JOINED); length *= 2) {
        const double error = error_of(n, values);
        if (!(error <= s->error)) {
            s->error = error;
            s->block = (double)length;
        }
        n = join(n, values);
    }
}

carom_status carom_measure_series(size_t n, const double *values, carom_series *series)
{
    if (values == NULL || series == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (n == 0) {
        return CAROM_ERROR_VALUE;
    }
    for (size_t k = 0; k < n; k++) {
        if (!isfinite(values[k])) {
            return CAROM_ERROR_VALUE;
        }
    }
    double *copy = carom_memory_take(n * sizeof *copy);
    if (copy == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    memcpy(copy, values, n * sizeof *copy);

    const fp_environment caller = fp_begin();
    measure_error(n, copy, series);

    /* The trend of uncorrelated values: blocks of the length that the error needs, at most TREND_MOST. */
    memcpy(copy, values, n * sizeof *copy);
    size_t count = n;
    for (double length = 1; count / 2 >= LEAST && (length < series->block || count > TREND_MOST); length *= 2) {
        count = join(count, copy);
    }
    series->drift = count >= LEAST ? trend_of(count, copy) : NAN;
    series->stationary = fabs(series->drift) < STATIONARY;
    fp_end(caller);

    carom_memory_release(copy);
    return CAROM_OK;
}
