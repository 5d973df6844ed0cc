/* SPDX-License-Identifier: MIT
 * Files that are whole or not there: they are written under another name, which is removed if the program ends before
 * they are whole, be it by an error or by a signal that can be caught.
 */
#ifndef CAROM_TOOLS_OUT_FILE_H
#define CAROM_TOOLS_OUT_FILE_H

#include <stdbool.h>

/* The name to write under: `path` with ".part" behind it. It is `path` itself if that is a device or a pipe: nothing
 * may be put in its place. Good until carom_file_end(). Dies if the name is too long. */
const char *carom_file_begin(const char *path);

/* What was written is whole, and gets its name. False, with the reason in errno, if that cannot be. */
bool carom_file_end(const char *path);

/* It is not to be; removes what was written. */
void carom_file_drop(const char *path);

#endif
