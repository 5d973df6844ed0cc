/* SPDX-License-Identifier: MIT
 * Replays in files: see replay_file.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "replay_file.h"
#include "../command/out_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "CAROMR\r\n"
#define MAGIC_BYTES 8

/* ---- writing ---- */

static bool put(void *user, const void *bytes, size_t size)
{
    replay_writer *writer = user;
    writer->bytes += size;
    return fwrite(bytes, 1, size, writer->file) == size;
}

void carom_replay_begin(replay_writer *writer, const char *path, const carom_worlds *worlds, const void *options,
                        size_t count, uint32_t keyframe_ticks)
{
    memset(writer, 0, sizeof *writer);
    writer->path = path;
    writer->file = carom_file_create(path);
    carom_recorder_desc desc = carom_recorder_desc_default();
    carom_problem problem;
    desc.options = options;
    desc.count = count;
    desc.keyframe_ticks = keyframe_ticks;
    desc.write = put;
    desc.user = writer;
    const carom_status status = carom_recorder_create(worlds, &desc, &writer->recorder, &problem);
    if (status == CAROM_ERROR_CANCELLED) {
        carom_file_unwritten(path);
    }
    if (status != CAROM_OK) {
        carom_die("cannot record: %s", problem.text[0] != '\0' ? problem.text : carom_status_string(status));
    }
}

carom_status carom_replay_record(replay_writer *writer, carom_worlds *worlds, const carom_step *step)
{
    errno = 0;
    const carom_status status = carom_recorder_play(writer->recorder, worlds, step);
    if (ferror(writer->file)) {
        carom_file_unwritten(writer->path);
    }
    return status;
}

void carom_replay_say(replay_writer *writer, carom_note_kind kind, size_t world, unsigned player, const char *text,
                      size_t length)
{
    const carom_replay_note note = {.kind = kind,
                                    .world = world,
                                    .player = player,
                                    .text = text,
                                    .length = length < CAROM_REPLAY_TEXT ? length : CAROM_REPLAY_TEXT};
    errno = 0;
    const carom_status status = carom_recorder_note(writer->recorder, &note);
    if (ferror(writer->file)) {
        carom_file_unwritten(writer->path);
    }
    carom_demand(status, "record");
}

void carom_replay_finish(replay_writer *writer)
{
    errno = 0;
    carom_file_finish(writer->file, writer->path, carom_recorder_end(writer->recorder) == CAROM_OK);
    carom_recorder_destroy(writer->recorder);
}

/* ---- reading ---- */

bool carom_is_replay(const char *path)
{
    char head[MAGIC_BYTES];
    FILE *file = fopen(path, "rb");
    const bool is = file != NULL && fread(head, sizeof head, 1, file) == 1 && memcmp(head, MAGIC, sizeof head) == 0;
    if (file != NULL) {
        fclose(file);
    }
    return is;
}

replay_reader carom_replay_read(const char *path)
{
    carom_replay *replay = NULL;
    size_t size;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        carom_die("cannot read '%s': %s", path, strerror(errno));
    }
    char *bytes = carom_file_read(file, path, MAGIC, &size);
    carom_problem problem;
    const carom_status status = carom_replay_open(bytes, size, &replay, &problem);
    if (status != CAROM_OK) {
        carom_die("%s: %s", path, problem.text[0] != '\0' ? problem.text : carom_status_string(status));
    }
    return (replay_reader){replay, bytes};
}

void carom_replay_free(replay_reader *reader)
{
    carom_replay_close(reader->replay);
    free(reader->bytes);
}
