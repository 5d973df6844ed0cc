/* SPDX-License-Identifier: MIT
 * libFuzzer: replays. The checksums of the head and of the first keyframe are corrected first, or nothing would get
 * past them. A replay that opens is played, with a seek into its middle.
 */
#include "fuzz_batches.h"
#include "tests/replay/replay_mend.h"

#include <carom/replay.h>

#define MOST_TICKS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        for (size_t k = 0; k < info.notes; k++) {
            carom_replay_note note;
            const char *start = (const char *)bytes;
            if (carom_replay_note_at(replay, k, &note) != CAROM_OK || note.text < start ||
                note.text + note.length > start + size || note.tick > info.ticks || note.world >= info.worlds) {
                abort();
            }
        }
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
