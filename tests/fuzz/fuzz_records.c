/* SPDX-License-Identifier: MIT
 * libFuzzer: packed records of one world. The first byte chooses the batch. An accepted record is returned unchanged,
 * and the world plays on; a refused one leaves the world as it was.
 */
#include "fuzz_batches.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    carom_worlds *worlds = fuzz_batch(data[0]);
    const size_t whole = carom_worlds_record_size(worlds);
    uint8_t *before = malloc(whole), *after = malloc(whole);
    if (before == NULL || after == NULL) {
        abort();
    }
    fuzz_must(carom_worlds_get_world(worlds, 1, before, whole));
    const carom_status status = carom_worlds_set_world(worlds, 1, data + 1, size - 1);
    fuzz_must(carom_worlds_get_world(worlds, 1, after, whole));
    if (memcmp(after, status == CAROM_OK ? data + 1 : before, whole) != 0) {
        abort();
    }
    if (status == CAROM_OK) {
        fuzz_tick(worlds);
    } else if (status != (size - 1 == whole ? CAROM_ERROR_VALUE : CAROM_ERROR_SIZE)) {
        abort();
    }
    free(before);
    free(after);
    return 0;
}
