/* SPDX-License-Identifier: MIT
 * An error text to go with the status of a call.
 */
#ifndef CAROM_BASE_PROBLEM_H
#define CAROM_BASE_PROBLEM_H

#include <carom/base.h>

/* Writes the text as printf() does, unless `problem` is NULL; returns the status. */
__attribute__((format(printf, 3, 4))) carom_status carom_wrong(carom_problem *problem, carom_status status,
                                                               const char *format, ...);

#endif
