/* SPDX-License-Identifier: MIT
 * Parts of a run: see shard.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST (UINT64_C(1) << 32)

#define OPTIONS shard_options
const argument_row carom_shard_rows[] = {
    CALL("--shard K/N", part, carom_take_shard, NULL,
         "play only part K = 0 .. N-1 of the run; carom merge adds the parts up. Without it K and N are taken from "
         "mpirun (Open MPI, PMI) or srun, if one of them started carom"),
    TEXT("--out FILE", out, NULL,
         "write the JSON object to FILE, with %d replaced by K; the file appears when it is complete"),
    END};
#undef OPTIONS

void carom_take_shard(const char *name, const char *text, void *to)
{
    char copy[64];
    const char *slash = strchr(text, '/');
    const size_t length = strlen(text);
    if (slash == NULL || length >= sizeof copy) {
        carom_die("%s: '%s' is not K/N", name, text);
    }
    memcpy(copy, text, length + 1);
    copy[slash - text] = '\0';
    shard part;
    part.count = carom_parse_count(name, copy + (slash - text) + 1, 1, MOST);
    part.index = carom_parse_count(name, copy, 0, part.count - 1);
    *(shard *)to = part;
}

shard carom_resolve_shard(shard part)
{
    /* Slurm's number of tasks belongs to a step; the batch script itself has none. */
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && part.count == 0; i++) {
        const char *rank = getenv(names[i][0]), *number = getenv(names[i][1]);
        if (rank != NULL && number != NULL) {
            part.count = carom_parse_count(names[i][1], number, 1, MOST);
            part.index = carom_parse_count(names[i][0], rank, 0, part.count - 1);
        }
    }
    return part.count == 0 ? (shard){0, 1} : part;
}

void carom_shard_range(shard part, uint64_t total, const char *things, uint64_t *begin, uint64_t *end)
{
    if (total < part.count) {
        carom_die("%" PRIu64 " shards need at least as many %s, there are %" PRIu64, part.count, things, total);
    }
    const uint64_t each = total / part.count, more = total % part.count; /* the first `more` shards have one more */
    *begin = part.index * each + (part.index < more ? part.index : more);
    *end = *begin + each + (part.index < more);
}

char *carom_shard_path(shard part, const char *option, const char *name)
{
    if (name == NULL) {
        return NULL;
    }
    const char *mark = strstr(name, "%d");
    if (mark == NULL && part.count > 1) {
        carom_die("%s: %" PRIu64 " shards would all write '%s': put %%d into its name", option, part.count, name);
    }
    const size_t size = strlen(name) + 32;
    char *path = carom_allocate(1, size);
    if (name[0] == '\0') {
        carom_die("%s: '%s' is not a file name", option, name);
    }
    snprintf(path, size, "%s", name);
    if (mark != NULL) {
        snprintf(path, size, "%.*s%" PRIu64 "%s", (int)(mark - name), name, part.index, mark + 2);
    }
    return path;
}

void carom_shard_output(const shard_options *share)
{
    if (share->out != NULL) {
        char *path = carom_shard_path(share->part, "--out", share->out);
        carom_output_file(path);
        free(path);
    }
}
