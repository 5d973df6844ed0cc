/* SPDX-License-Identifier: MIT
 * Replays in files, for the commands that write and read them.
 */
#ifndef CAROM_TOOLS_FILM_REPLAY_FILE_H
#define CAROM_TOOLS_FILM_REPLAY_FILE_H

#include "../command/command.h"

#include <carom/replay.h>

/* A replay that is being written to a file. It has another name until it is complete, so that no incomplete file has
 * the user's name. */
typedef struct replay_writer {
    carom_recorder *recorder;
    FILE *file;
    const char *path;
    uint64_t bytes;
} replay_writer;

/* Begins a replay of the chosen worlds, which were made with `options`. Dies on failure. */
void carom_replay_begin(replay_writer *writer, const char *path, const carom_worlds *worlds, const void *options,
                        size_t count, uint32_t keyframe_ticks);

/* As carom_recorder_play(); dies if the file cannot be written. */
carom_status carom_replay_record(replay_writer *writer, carom_worlds *worlds, const carom_step *step);

/* As carom_recorder_note(), of a world of the replay; a text that is too long is truncated. Dies if the file cannot be
 * written. */
void carom_replay_say(replay_writer *writer, carom_note_kind kind, size_t world, unsigned player, const char *text,
                      size_t length);

/* Ends it; dies if the file cannot be written. */
void carom_replay_finish(replay_writer *writer);

/* A replay read from a file. */
typedef struct replay_reader {
    carom_replay *replay;
    void *bytes;
} replay_reader;

/* Does the file begin like a replay? False if it cannot be read. */
bool carom_is_replay(const char *path);

/* Dies if the file is not a replay. */
replay_reader carom_replay_read(const char *path);
void carom_replay_free(replay_reader *reader);

#endif
