/* SPDX-License-Identifier: MIT
 * libFuzzer: the readers of recorded games. The first byte chooses the game: c, f, b or s. A trace is read, or refused
 * with a message.
 */
#define _POSIX_C_SOURCE 200809L

#include "csb_trace.h"
#include "fall_trace.h"
#include "fantastic_bits_trace.h"
#include "stones_trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char message[512] = "";
    bool good = false;
    FILE *stream = size > 1 ? fmemopen((void *)(uintptr_t)(data + 1), size - 1, "rb") : NULL;
    if (stream == NULL) {
        return 0;
    }
    if (data[0] == 'c') {
        csb_trace trace;
        good = csb_trace_read_stream(stream, "F", &trace, message, sizeof message);
        csb_trace_free(&trace);
    } else if (data[0] == 'f') {
        fall_trace trace;
        good = fall_trace_read_stream(stream, "F", &trace, message, sizeof message);
        if (good) {
            fall_trace_free(&trace);
        }
    } else if (data[0] == 'b') {
        fb_trace trace;
        good = fb_trace_read_stream(stream, "F", &trace, message, sizeof message);
        fb_trace_free(&trace);
    } else if (data[0] == 's') {
        stones_trace trace;
        good = stones_trace_read_stream(stream, "F", &trace, message, sizeof message);
        stones_trace_free(&trace);
    } else {
        good = true;
    }
    if (!good && (strncmp(message, "F:", 2) != 0 || memchr(message, '\0', sizeof message) == NULL)) {
        abort();
    }
    fclose(stream);
    return 0;
}
