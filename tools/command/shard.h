/* SPDX-License-Identifier: MIT
 * A part of a run: shard K of N, numbered from 0. All N together equal one run; `carom merge` adds them up.
 */
#ifndef CAROM_TOOLS_COMMAND_SHARD_H
#define CAROM_TOOLS_COMMAND_SHARD_H

#include "command.h"

typedef struct shard {
    uint64_t index, count; /* index < count; {0, 1} is the whole */
} shard;

/* The part of the run to play, and the file for its results. */
typedef struct shard_options {
    shard part;      /* count 0: not given */
    const char *out; /* NULL: stdout */
} shard_options;

extern const argument_row carom_shard_rows[];

/* "K/N". */
void carom_take_shard(const char *name, const char *text, void *to);

/* Without --shard (count 0) takes it from the environment: the rank and number of processes of Open MPI's mpirun, a PMI
 * launcher or Slurm's srun; else the whole. Dies if these are invalid. */
shard carom_resolve_shard(shard part);

/* The part [*begin, *end) of `total` items. Dies if there are fewer items than shards. */
void carom_shard_range(shard part, uint64_t total, const char *things, uint64_t *begin, uint64_t *end);

/* The name of a shard's own file: %d in `name` is replaced by its index. NULL for NULL; else to be freed. Dies, as an
 * error of `option`, if several shards would have the same one. */
char *carom_shard_path(shard part, const char *option, const char *name);

/* Redirects stdout to the file share->out, with %d replaced by the shard's index; it appears only when complete. NULL:
 * no change. Dies if the file cannot be written, or if several shards would write the same one. */
void carom_shard_output(const shard_options *share);

#endif
