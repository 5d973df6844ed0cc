/* SPDX-License-Identifier: MIT
 * libFuzzer: the readers of recorded games. The first byte chooses the game: c, f, b or s. A trace is read, or refused
 * with a message.
 */
#define _POSIX_C_SOURCE 200809L

#include "verify/csb_trace.h"
#include "verify/fall_trace.h"
#include "verify/fantastic_bits_trace.h"
#include "verify/stones_trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static union {
        csb_trace csb;
        fall_trace fall;
        fb_trace fb;
        stones_trace stones;
    } trace;
    char message[512] = "";
    FILE *stream = size > 1 ? fmemopen((void *)(uintptr_t)(data + 1), size - 1, "rb") : NULL;
    if (stream == NULL) {
        return 0;
    }
    const trace_format *format = data[0] == 'c'   ? &csb_trace_format
                                 : data[0] == 'f' ? &fall_trace_format
                                 : data[0] == 'b' ? &fb_trace_format
                                 : data[0] == 's' ? &stones_trace_format
                                                  : NULL;
    if (format != NULL && !trace_read_stream(format, stream, "F", &trace, message, sizeof message) &&
        (strncmp(message, "F:", 2) != 0 || memchr(message, '\0', sizeof message) == NULL)) {
        abort();
    }
    if (format != NULL) {
        trace_free(&trace);
    }
    fclose(stream);
    return 0;
}
