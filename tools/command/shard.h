/* SPDX-License-Identifier: MIT
 * A part of a run: shard K of N, numbered from 0. All N together do what one run does, and `carom merge` adds them up.
 */
#ifndef CAROM_TOOLS_COMMAND_SHARD_H
#define CAROM_TOOLS_COMMAND_SHARD_H

#include "command.h"

typedef struct shard {
    uint64_t index, count; /* index < count; {0, 1} is the whole */
} shard;

/* Which part of the run is played, and where its results go. */
typedef struct shard_options {
    shard part;      /* count 0: not said */
    const char *out; /* NULL: stdout */
} shard_options;

extern const argument_row carom_shard_rows[];

/* "K/N". */
void carom_take_shard(const char *name, const char *text, void *to);

/* What the environment says where no --shard was given (count 0): the rank and number of processes of Open MPI's
 * mpirun, of a PMI launcher or of Slurm's srun; else the whole. Dies if what it says makes no sense. */
shard carom_resolve_shard(shard part);

/* The part [*begin, *end) of `total` things. Dies if there are fewer things than shards. */
void carom_shard_range(shard part, uint64_t total, const char *things, uint64_t *begin, uint64_t *end);

/* The name of a shard's own file: %d in `name` stands for its index. NULL for NULL; else to be freed. Dies, as an error
 * of `option`, if several shards would have the same. */
char *carom_shard_path(shard part, const char *option, const char *name);

/* From here on what is printed goes to the file share->out, in which %d stands for the shard's index; it appears under
 * its name when it is whole. NULL: nothing changes. Dies if the file cannot be written, or if several shards would
 * write the same one. */
void carom_shard_output(const shard_options *share);

#endif
