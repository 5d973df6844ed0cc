/* SPDX-License-Identifier: MIT
 * What Python.h must know of the target, for extensions in the limited API: a cross build takes the headers of the
 * Python that runs it, with this file instead of what that Python's configure found.
 */
#ifndef CAROM_PACKAGING_CROSS_PYCONFIG_H
#define CAROM_PACKAGING_CROSS_PYCONFIG_H

#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#define SIZEOF_PID_T 4
#define SIZEOF_DOUBLE 8
#define HAVE_LONG_LONG 1
#define HAVE_SSIZE_T 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1

#if defined(_WIN32)
#define MS_WINDOWS 1
#define MS_WIN32 1
#define MS_WIN64 1
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
#else
#define HAVE_UNISTD_H 1
#endif

#endif
