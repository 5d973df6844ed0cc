/* SPDX-License-Identifier: MIT
 * Parts of a run for merging: see merge_part.h.
 */
#include "merge_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARDS 1000000

/* ---- members of a part ---- */

const json_value *carom_part_member(const merge_part *part, const json_value *object, const char *key, json_kind kind)
{
    const json_value *found = carom_json_find(object, key);
    if (found == NULL || found->kind != kind) {
        carom_die("%s: no \"%s\" where it should be: not a part of a run of carom rollout, arena or tune", part->path,
                  key);
    }
    return found;
}

static uint64_t value_of(const merge_part *part, const json_value *value)
{
    return carom_parse_count(part->path, value->kind == JSON_NUMBER ? value->text : "", 0, UINT64_MAX);
}

uint64_t carom_part_whole(const merge_part *part, const json_value *object, const char *key)
{
    return value_of(part, carom_part_member(part, object, key, JSON_NUMBER));
}

double carom_part_number(const merge_part *part, const json_value *object, const char *key)
{
    return strtod(carom_part_member(part, object, key, JSON_NUMBER)->text, NULL);
}

double carom_part_seconds(const merge_part *part, const json_value *object, const char *key)
{
    const double seconds = carom_part_number(part, object, key);
    if (seconds < 0) {
        carom_die("%s: \"%s\" is negative", part->path, key);
    }
    return seconds;
}

double carom_parts_slowest(const merge_part *parts, size_t count, const char *key)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = carom_part_seconds(&parts[i], parts[i].run, key);
        most = value > most ? value : most;
    }
    return most;
}

bool carom_part_bool(const merge_part *part, const json_value *object, const char *key)
{
    return strcmp(carom_part_member(part, object, key, JSON_BOOL)->text, "true") == 0;
}

void carom_part_add(const merge_part *part, const json_value *object, const char *key, uint64_t *sum)
{
    if (__builtin_add_overflow(*sum, carom_part_whole(part, object, key), sum)) {
        carom_die("%s: \"%s\" is too large", part->path, key);
    }
}

uint64_t carom_part_digest(const merge_part *part, const json_value *object, const char *key)
{
    char *end;
    const char *text = carom_part_member(part, object, key, JSON_STRING)->text;
    const uint64_t digest = strtoull(text, &end, 16);
    if (strlen(text) != 16 || *end != '\0') {
        carom_die("%s: '%s' is not a digest", part->path, text);
    }
    return digest;
}

static shard shard_of(const merge_part *part)
{
    const json_value *list = carom_part_member(part, part->run, "shard", JSON_ARRAY)->first;
    if (list == NULL || list->next == NULL || list->next->next != NULL) {
        carom_die("%s: \"shard\" is not [K, N]", part->path);
    }
    const shard found = {value_of(part, list), value_of(part, list->next)};
    if (found.index >= found.count || found.count > MOST_SHARDS) {
        carom_die("%s: there is no shard %" PRIu64 " of %" PRIu64, part->path, found.index, found.count);
    }
    return found;
}

/* ---- all parts, once ---- */

void carom_parts_order(merge_part *parts, size_t count)
{
    const shard first = shard_of(&parts[0]);
    merge_part *ordered = carom_allocate(first.count, sizeof *ordered);
    for (size_t i = 0; i < count; i++) {
        const shard part = shard_of(&parts[i]);
        if (part.count != first.count) {
            carom_die("%s is one of %" PRIu64 " shards, %s one of %" PRIu64, parts[0].path, first.count, parts[i].path,
                      part.count);
        }
        if (ordered[part.index].path != NULL) {
            carom_die("%s and %s are both shard %" PRIu64, ordered[part.index].path, parts[i].path, part.index);
        }
        if (carom_part_bool(&parts[i], parts[i].run, "interrupted")) {
            carom_die("%s: shard %" PRIu64 " was interrupted: play it again", parts[i].path, part.index);
        }
        ordered[part.index] = parts[i];
    }
    char missing[512] = "";
    size_t length = 0, gone = 0;
    for (uint64_t k = 0; k < first.count; k++) {
        if (ordered[k].path == NULL) {
            gone++;
            if (length < sizeof missing - 64) {
                length += (size_t)snprintf(missing + length, sizeof missing - length, "%s%" PRIu64,
                                           length > 0 ? ", " : "", k);
            }
        }
    }
    if (gone > 0) {
        carom_die("of %" PRIu64 " shards %zu %s missing: %s", first.count, gone, gone == 1 ? "is" : "are", missing);
    }
    memcpy(parts, ordered, count * sizeof *parts);
    free(ordered);
}

void carom_parts_same(const merge_part *a, const json_value *x, const merge_part *b, const json_value *y,
                      const char *key)
{
    if (x == NULL || y == NULL || x->kind != y->kind || (x->text != NULL && strcmp(x->text, y->text) != 0)) {
        carom_die("%s and %s are not of one run: they differ in \"%s\"%s", a->path, b->path, key,
                  strcmp(key, "content") == 0 ? ": another game or scene" : "");
    }
}

void carom_part_share(const merge_part *part, size_t index, size_t count, uint64_t total, uint64_t *begin,
                      uint64_t *end)
{
    if (total < count) {
        carom_die("%s: a run in %zu parts does not have %" PRIu64, part->path, count, total);
    }
    carom_shard_range((shard){index, count}, total, "things", begin, end);
}
