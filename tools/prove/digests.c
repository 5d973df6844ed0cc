/* SPDX-License-Identifier: MIT
 * Tables of digests: see digests.h.
 */
#include "digests.h"

#include "../command/command.h"
#include "../command/out_file.h"
#include "prove_digests.h" /* made of digests.txt */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const own[] = {PROVE_DIGESTS};

static void add(digest_table *table, const char *line, const char *where)
{
    if (line[0] == '#' || line[0] == '\0') {
        return;
    }
    if (table->count == DIGESTS) {
        carom_die("%s: more than %d digests", where, DIGESTS);
    }
    char *name = table->rows[table->count].name;
    int length = 0;
    if (sscanf(line, "%63s %" SCNx64 " %" SCNx64 " %n", name, &table->rows[table->count].f32,
               &table->rows[table->count].f64, &length) != 3 ||
        line[length] != '\0') {
        carom_die("%s: not a name and two digests: %.80s", where, line);
    }
    table->count++;
}

static void add_file(digest_table *table, const char *path)
{
    size_t size;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        carom_die("cannot read '%s': %s", path, strerror(errno));
    }
    char *text = carom_file_read(file, path, NULL, &size), *rest = text;
    while (*rest != '\0') {
        char *line = rest;
        rest += strcspn(rest, "\n");
        if (*rest == '\n') {
            *rest++ = '\0';
        }
        add(table, line, path);
    }
    free(text);
}

void carom_read_digests(const char *path, digest_table *table)
{
    memset(table, 0, sizeof *table);
    if (path != NULL) {
        add_file(table, path);
        return;
    }
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
        add(table, own[k], "digests.txt");
    }
}

uint64_t carom_find_digest(const digest_table *table, const char *course, const char *sum, carom_precision precision)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", course, sum);
    for (size_t k = 0; k < table->count; k++) {
        if (strcmp(table->rows[k].name, name) == 0) {
            return precision == CAROM_F32 ? table->rows[k].f32 : table->rows[k].f64;
        }
    }
    carom_die("the table of digests has no %s", name);
}
