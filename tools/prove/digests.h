/* SPDX-License-Identifier: MIT
 * The recorded digests of `carom prove`: tools/prove/digests.txt, which is part of the command, or a file of that form.
 */
#ifndef CAROM_TOOLS_PROVE_DIGESTS_H
#define CAROM_TOOLS_PROVE_DIGESTS_H

#include <carom/base.h>

#define DIGESTS 64 /* names of a table, at most */

typedef struct digest_table {
    size_t count;
    struct {
        char name[64]; /* "csb.race.states" */
        uint64_t f32, f64;
    } rows[DIGESTS];
} digest_table;

/* Reads the file, or the command's own table if `path` is NULL. Dies if it is not one. */
void carom_read_digests(const char *path, digest_table *table);

/* The digest "COURSE.SUM"; dies if the table does not have it. */
uint64_t carom_find_digest(const digest_table *table, const char *course, const char *sum, carom_precision precision);

#endif
