/* SPDX-License-Identifier: MIT
 * <assert.h> for clang compiling a device module, without a C library. Modules are compiled with NDEBUG.
 */
#ifndef CAROM_DEVICE_CLANG_ASSERT_H
#define CAROM_DEVICE_CLANG_ASSERT_H

#define assert(condition) ((void)0)
#define static_assert _Static_assert

#endif
