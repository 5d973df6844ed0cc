/* SPDX-License-Identifier: MIT
 * Makes the sums of a replay's head and of its first keyframe right again, so that other bytes of them can be wrong.
 */
#ifndef CAROM_TESTS_REPLAY_REPLAY_MEND_H
#define CAROM_TESTS_REPLAY_REPLAY_MEND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

#define VERSION 1 /* of the format, which seeds its sums */

static inline void put_sum(uint8_t *at, uint64_t sum)
{
    memcpy(at, &sum, sizeof sum);
}

/* Bytes of the head, or 0 if there is none. */
static inline uint32_t head_of(const uint8_t *bytes, size_t size)
{
    uint32_t head;
    if (size < 60) {
        return 0;
    }
    memcpy(&head, bytes + 12, sizeof head);
    return head < 60 || head > size ? 0 : head;
}

/* Data after the first keyframe is played before its checksum is reached: there only the check words protect it. */
static inline void mend(uint8_t *bytes, size_t size)
{
    uint32_t record, worlds;
    const uint32_t head = head_of(bytes, size);
    if (head == 0) {
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

#endif
