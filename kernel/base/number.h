/* SPDX-License-Identifier: MIT
 * Numbers as text, independent of the decimal point of the program's locale.
 */
#ifndef CAROM_BASE_NUMBER_H
#define CAROM_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Writes the shortest text, of at most 32 bytes, that reads back as the same number. */
void carom_print_number(double number, char text[32]);

/* False if the text is not a finite number. */
bool carom_read_number(const char *text, double *number);

/* False if the text is not a whole number from 0 to 2^64 - 1, in digits only. */
bool carom_read_count(const char *text, uint64_t *number);

#endif
