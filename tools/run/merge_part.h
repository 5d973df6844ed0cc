/* SPDX-License-Identifier: MIT
 * A part of a run, for `carom merge`: access to its members, and checks that parts belong together. Anything that the
 * commands do not write ends the program, with a message that names the file.
 */
#ifndef CAROM_TOOLS_RUN_MERGE_PART_H
#define CAROM_TOOLS_RUN_MERGE_PART_H

#include "../command/json_read.h"
#include "../command/shard.h"

typedef struct merge_part {
    const char *path;
    json_value *file;
    const json_value *run; /* the object in it */
} merge_part;

/* Members of an object of the part. Seconds must not be negative. */
const json_value *carom_part_member(const merge_part *part, const json_value *object, const char *key, json_kind kind);
uint64_t carom_part_whole(const merge_part *part, const json_value *object, const char *key);
double carom_part_number(const merge_part *part, const json_value *object, const char *key);
double carom_part_seconds(const merge_part *part, const json_value *object, const char *key);
double carom_parts_slowest(const merge_part *parts, size_t count, const char *key); /* the most of all parts */
bool carom_part_bool(const merge_part *part, const json_value *object, const char *key);
uint64_t carom_part_digest(const merge_part *part, const json_value *object, const char *key);

/* *sum += a whole number; dies on overflow. */
void carom_part_add(const merge_part *part, const json_value *object, const char *key, uint64_t *sum);

/* Sorts the parts by shard; dies unless all are of one run, each once. */
void carom_parts_order(merge_part *parts, size_t count);

/* Dies unless the values at `key` (NULL if missing) are the same in both parts. */
void carom_parts_same(const merge_part *a, const json_value *x, const merge_part *b, const json_value *y,
                      const char *key);

/* The share [*begin, *end) of part `index` of `count` in `total` items. */
void carom_part_share(const merge_part *part, size_t index, size_t count, uint64_t total, uint64_t *begin,
                      uint64_t *end);

#endif
