/* SPDX-License-Identifier: MIT
 * <string.h> for clang compiling a device module, without a C library. Calls with a constant size become loads and
 * stores.
 */
#ifndef CAROM_DEVICE_CLANG_STRING_H
#define CAROM_DEVICE_CLANG_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

#endif
