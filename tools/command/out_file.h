/* SPDX-License-Identifier: MIT
 * Files that appear only when complete: they are written under another name, and removed if the program ends earlier,
 * by an error or a signal that can be caught.
 */
#ifndef CAROM_TOOLS_COMMAND_OUT_FILE_H
#define CAROM_TOOLS_COMMAND_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* The name to write under: `path` followed by ".part", or `path` itself for a device or a pipe, which must not be
 * replaced. Valid until carom_file_end(). Dies if the name is too long. */
const char *carom_file_begin(const char *path);

/* The file is complete and gets its name. False on failure, with errno set. */
bool carom_file_end(const char *path);

/* The same as a stream: both die if it cannot be written; the end also dies if `good` is false or a write failed. */
FILE *carom_file_create(const char *path);
void carom_file_finish(FILE *file, const char *path, bool good);

/* Dies with the message that it could not be written, and errno. */
_Noreturn void carom_file_unwritten(const char *path);

/* Discards the file. */
void carom_file_drop(const char *path);

/* The contents of the file, with a terminating zero; closes it, and dies if it cannot be read. It must be text, or
 * begin with the 8 bytes of `magic`: reading stops early for other files. */
char *carom_file_read(FILE *file, const char *path, const char *magic, size_t *size);

#endif
