/* SPDX-License-Identifier: MIT
 * Numbers as text: see number.h.
 */
#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"

/* Replaces the decimal point `from` by `to`. */
static void replace_point(char *text, const char *from, const char *to)
{
    char *at = strlen(from) == 1 && strlen(to) == 1 ? strchr(text, from[0]) : NULL;
    if (at != NULL) {
        *at = to[0];
    }
}

void carom_print_number(double number, char text[32])
{
    const fenv_t caller = fp_begin_text();
    snprintf(text, 32, "%.15g", number);
    if (strtod(text, NULL) != number) {
        snprintf(text, 32, "%.17g", number);
    }
    fp_end_text(caller);
    replace_point(text, localeconv()->decimal_point, ".");
}

bool carom_read_number(const char *text, double *number)
{
    char copy[64];
    if (text[0] == '\0' || strlen(text) >= sizeof copy || text[strspn(text, "+-.0123456789e")] != '\0') {
        return false; /* strtod() would also accept spaces, "nan" and "0x1" */
    }
    memcpy(copy, text, strlen(text) + 1);
    replace_point(copy, ".", localeconv()->decimal_point);
    char *end;
    const fenv_t caller = fp_begin_text();
    *number = strtod(copy, &end);
    fp_end_text(caller);
    return *end == '\0' && *number - *number == 0;
}

bool carom_read_count(const char *text, uint64_t *number)
{
    uint64_t value = 0;
    bool good = text[0] != '\0';
    for (; good && *text != '\0'; text++) {
        good = *text >= '0' && *text <= '9' && !__builtin_mul_overflow(value, 10u, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*text - '0'), &value);
    }
    *number = value;
    return good;
}
