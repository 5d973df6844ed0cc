/* SPDX-License-Identifier: MIT
 * Files that are whole or not there: they are written under another name, which is removed if the program ends before
 * they are whole, be it by an error or by a signal that can be caught.
 */
#ifndef CAROM_TOOLS_COMMAND_OUT_FILE_H
#define CAROM_TOOLS_COMMAND_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* The name to write under: `path` with ".part" behind it. It is `path` itself if that is a device or a pipe: nothing
 * may be put in its place. Good until carom_file_end(). Dies if the name is too long. */
const char *carom_file_begin(const char *path);

/* What was written is whole, and gets its name. False, with the reason in errno, if that cannot be. */
bool carom_file_end(const char *path);

/* The same as a stream: both die if it cannot be written; at the end also if `good` is false, or anything was lost. */
FILE *carom_file_create(const char *path);
void carom_file_finish(FILE *file, const char *path, bool good);

/* Dies: it could not be written, for the reason in errno. */
_Noreturn void carom_file_unwritten(const char *path);

/* It is not to be; removes what was written. */
void carom_file_drop(const char *path);

/* All that the file holds, with a zero behind it; closes it, and dies if it cannot be read. It is text, or begins with
 * the 8 bytes of `magic`: others are not read on, however long they are. */
char *carom_file_read(FILE *file, const char *path, const char *magic, size_t *size);

#endif
