/* SPDX-License-Identifier: MIT
 * <math.h> for clang compiling a device module, without a C library. Rules call none of its functions.
 */
#ifndef CAROM_DEVICE_CLANG_MATH_H
#define CAROM_DEVICE_CLANG_MATH_H

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

#endif
