/* SPDX-License-Identifier: MIT
 * The short form of the tests, which scripts/test asks for where machines are emulated or every access is checked: the
 * same cases of every kind, fewer of each.
 */
#ifndef CAROM_TESTS_SHORT_H
#define CAROM_TESTS_SHORT_H

#include <stdlib.h>

/* How much of something a test does: `whole`, or `brief` in the short form. */
static inline int unless_short(int whole, int brief)
{
    return getenv("CAROM_TEST_SHORT") == NULL ? whole : brief;
}

/* The same, with a third form, which scripts/test long asks for. */
static inline int at_length(int longest, int whole, int brief)
{
    return getenv("CAROM_TEST_LONG") != NULL ? longest : unless_short(whole, brief);
}

#endif
