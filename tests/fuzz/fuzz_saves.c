/* SPDX-License-Identifier: MIT
 * libFuzzer: saved batches. The first byte chooses the batch; the checksum at the end is corrected, or nothing would
 * get past it. A loaded batch saves the same bytes, and plays on.
 */
#include "fuzz_batches.h"

#include "base/hash.h"

#define SAVE_VERSION 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    carom_worlds *worlds = fuzz_batch(data[0]);
    const size_t length = size - 1, whole = carom_worlds_save_size(worlds);
    uint8_t *buffer = malloc(length + 1), *again = malloc(whole);
    if (buffer == NULL || again == NULL) {
        abort();
    }
    memcpy(buffer, data + 1, length);
    if (length >= sizeof(uint64_t)) {
        const uint64_t checksum = hash_bytes(SAVE_VERSION, buffer, length - sizeof checksum);
        memcpy(buffer + length - sizeof checksum, &checksum, sizeof checksum);
    }
    const carom_status status = carom_worlds_load(worlds, buffer, length);
    if (status == CAROM_OK) {
        fuzz_must(carom_worlds_save(worlds, again, whole));
        if (length != whole || memcmp(again, buffer, whole) != 0) {
            abort();
        }
        fuzz_tick(worlds);
    } else if (status != CAROM_ERROR_FORMAT) {
        abort();
    }
    free(buffer);
    free(again);
    return 0;
}
