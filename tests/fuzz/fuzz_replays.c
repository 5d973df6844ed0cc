/* SPDX-License-Identifier: MIT
 * libFuzzer: replays. The sums of the head and of the first keyframe are made right first, for else nothing would get
 * past them. What is opened is played anew, and a state in its middle is asked for.
 */
#include "fuzz_batches.h"

#include "base/hash.h"

#include <carom/replay.h>

#define VERSION 1
#define MOST_TICKS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_sum(uint8_t *at, uint64_t sum)
{
    memcpy(at, &sum, sizeof sum);
}

/* What comes after the first keyframe is played before its sum is met: there the words of check are all there is. */
static void mend(uint8_t *bytes, size_t size)
{
    uint32_t head, record, worlds;
    if (size < 60) {
        return;
    }
    memcpy(&head, bytes + 12, sizeof head);
    if (head < 60 || head > size) {
        return;
    }
    put_sum(bytes + head - 8, hash_bytes(VERSION, bytes, head - 8));
    memcpy(&record, bytes + 40, sizeof record);
    memcpy(&worlds, bytes + 44, sizeof worlds);
    const uint64_t frame = 30 + (8 + (uint64_t)record) * worlds;
    if (record > size || worlds > size || frame > size - head) {
        return;
    }
    put_sum(bytes + head + 1, VERSION);
    put_sum(bytes + head + frame - 8, hash_bytes(VERSION, bytes + head, frame - 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    carom_replay *replay;
    carom_problem problem;
    if (bytes == NULL) {
        abort();
    }
    memcpy(bytes, data, size);
    mend(bytes, size);
    const carom_status status = carom_replay_open(bytes, size, &replay, &problem);
    if (status == CAROM_OK) {
        const carom_replay_info info = carom_replay_describe(replay);
        carom_worlds *worlds = NULL;
        const carom_status made = carom_replay_worlds(replay, CAROM_ISA_DEFAULT, 1, &worlds);
        if (made == CAROM_OK && info.ticks <= MOST_TICKS) {
            carom_replay_difference difference;
            const carom_status played = carom_replay_verify(replay, CAROM_ISA_DEFAULT, 1, NULL, NULL, &difference);
            if (played != CAROM_OK && played != CAROM_ERROR_FORMAT) {
                abort();
            }
            if (played == CAROM_OK && carom_replay_seek(replay, worlds, info.ticks / 2) != CAROM_OK) {
                abort();
            }
        } else if (made != CAROM_OK && made != CAROM_ERROR_FORMAT && made != CAROM_ERROR_MEMORY) {
            abort();
        }
        carom_worlds_destroy(worlds);
        carom_replay_close(replay);
    } else if (problem.text[0] == '\0' && status != CAROM_ERROR_MEMORY) {
        abort();
    }
    free(bytes);
    return 0;
}
