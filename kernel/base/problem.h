/* SPDX-License-Identifier: MIT
 * A text that says what is wrong, beside the status of a call.
 */
#ifndef CAROM_BASE_PROBLEM_H
#define CAROM_BASE_PROBLEM_H

#include <carom/base.h>

/* Writes the text as printf() does, unless `problem` is NULL; returns the status. */
__attribute__((format(printf, 3, 4))) carom_status carom_wrong(carom_problem *problem, carom_status status,
                                                               const char *format, ...);

#endif
