/* SPDX-License-Identifier: MIT
 * Texts of status codes, and the library's version and build. */
#include "base/problem.h"

#include <stdarg.h>
#include <stdio.h>

#define STRING_(x) #x
#define STRING(x) STRING_(x)

#if defined(__clang__) || !defined(__GNUC__)
#define COMPILER "" /* clang's __VERSION__ starts with its name */
#else
#define COMPILER "gcc "
#endif

/* The build system passes its flags; a build by hand may not. */
#ifndef CAROM_BUILD_FLAGS
#define CAROM_BUILD_FLAGS "flags unknown"
#endif

const char *carom_version(void)
{
    return STRING(CAROM_VERSION_MAJOR) "." STRING(CAROM_VERSION_MINOR) "." STRING(CAROM_VERSION_PATCH);
}

const char *carom_build_info(void)
{
    return COMPILER __VERSION__ ", " CAROM_BUILD_FLAGS;
}

const char *carom_status_string(carom_status status)
{
    switch (status) {
    case CAROM_OK:
        return "no error";
    case CAROM_ERROR_ARGUMENT:
        return "an argument is null, out of range or a descriptor of the wrong size";
    case CAROM_ERROR_VALUE:
        return "a state or an option has a value that the game does not allow";
    case CAROM_ERROR_MEMORY:
        return "not enough memory is left";
    case CAROM_ERROR_SIZE:
        return "a buffer has the wrong size";
    case CAROM_ERROR_FORMAT:
        return "a saved buffer is foreign, damaged or of another kind of batch, or a text is not a scene";
    case CAROM_ERROR_UNSUPPORTED:
        return "an instruction set is unknown, not built or not usable on this machine, or this build lacks a feature";
    case CAROM_ERROR_CANCELLED:
        return "the call was cancelled";
    case CAROM_ERROR_DEVICE:
        return "a device or its driver failed";
    }
    return "an unknown status";
}

carom_status carom_wrong(carom_problem *problem, carom_status status, const char *format, ...)
{
    if (problem != NULL) {
        va_list list;
        va_start(list, format);
        vsnprintf(problem->text, sizeof problem->text, format, list);
        va_end(list);
    }
    return status;
}
