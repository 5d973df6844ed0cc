/* SPDX-License-Identifier: MIT
 * Shared by the tests of the game csb: traces, and the worlds of a batch as those of the reference.
 */
#ifndef CAROM_TESTS_GAMES_CSB_CSB_BATCH_H
#define CAROM_TESTS_GAMES_CSB_CSB_BATCH_H

#include "../tools/verify/csb_trace.h"
#include "batch.h"
#include "csb_reference.h"

#include <dirent.h>

#define PODS CSB_REF_PODS
#define MAX_TURN 0.31415926535897931 /* 18 degrees */

/* ---- worlds ---- */

static inline size_t action_kind(const char *name)
{
    return find_kind(carom_game_find("csb"), name);
}

static inline const char *ref_kind_name(csb_ref_kind kind)
{
    static const char *const names[] = {"relative", "referee", "normalised"};
    return names[kind];
}

/* The fields that a world of the reference has. */
static const char *const ref_fields[] = {"x",   "y",       "vx",     "vy",   "angle", "next",  "shield", "boosted",
                                         "won", "timeout", "winner", "tick", "end",   "fault", "frozen"};
#define REF_FIELDS (sizeof ref_fields / sizeof ref_fields[0])

/* Worlds [0, count) of an f64 batch. */
static inline void get_worlds(const carom_worlds *worlds, size_t count, csb_ref_world *out)
{
    unsigned char *values = (unsigned char *)malloc(count * PODS * sizeof(double));
    assert_non_null(values);
    for (size_t f = 0; f < REF_FIELDS; f++) {
        size_t bytes = 0;
        get_field(worlds, ref_fields[f], 0, count, values);
        for (size_t w = 0; w < count; w++) {
            void *to = csb_ref_field(&out[w], ref_fields[f], &bytes);
            memcpy(to, values + w * bytes, bytes);
        }
    }
    free(values);
}

/* The reverse; maps[w] is the map of world w, NULL: unchanged. */
static inline void put_worlds(carom_worlds *worlds, size_t count, const csb_ref_world *in, const int32_t *maps)
{
    unsigned char *values = (unsigned char *)malloc(count * PODS * sizeof(double));
    assert_non_null(values);
    if (maps != NULL) {
        for (size_t k = 0; k < count * PODS; k++)
            ((int16_t *)(void *)values)[k] = 1; /* a checkpoint that every map has */
        set_field(worlds, "next", 0, count, values);
        set_field(worlds, "map", 0, count, maps);
    }
    for (size_t f = 0; f < REF_FIELDS; f++) {
        for (size_t w = 0; w < count; w++) {
            csb_ref_world world = in[w];
            size_t bytes = 0;
            const void *from = csb_ref_field(&world, ref_fields[f], &bytes);
            memcpy(values + w * bytes, from, bytes);
        }
        set_field(worlds, ref_fields[f], 0, count, values);
    }
    free(values);
}

/* Map `index` of a batch, for the reference; to be freed. */
static inline void get_ref_map(const carom_worlds *worlds, uint32_t index, csb_ref_map *map)
{
    uint32_t n = 0, laps = 0;
    int32_t xy[1024][2];
    must(carom_csb_get_map(worlds, index, &n, &laps, xy, 1024), "carom_csb_get_map");
    assert_true(csb_ref_map_create(map, (const int32_t(*)[2])xy, n, laps));
}

/* ---- traces ---- */

typedef struct trace_list {
    size_t count;
    csb_trace *traces;
    char (*names)[64];
} trace_list;

/* Every trace_*.txt of a folder; to be freed with free_traces(). Fails if there is none. */
static inline trace_list load_traces(const char *folder)
{
    trace_list list = {0, NULL, NULL};
    char path[1024], message[TRACE_MESSAGE];
    DIR *open = opendir(folder);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, "trace_", 6) != 0 || dot == NULL || strcmp(dot, ".txt") != 0)
            continue;
        list.traces = (csb_trace *)realloc(list.traces, (list.count + 1) * sizeof *list.traces);
        list.names = (char(*)[64])realloc(list.names, (list.count + 1) * sizeof *list.names);
        assert_true(list.traces != NULL && list.names != NULL);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(list.names[list.count], sizeof list.names[0], "%.63s", entry->d_name);
        if (!trace_read(&csb_trace_format, path, &list.traces[list.count], message, sizeof message))
            fail_msg("%s", message);
        list.count++;
    }
    if (open != NULL)
        closedir(open);
    if (list.count == 0)
        fail_msg("no traces in %s", folder);
    return list;
}

static inline void free_traces(trace_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        trace_free(&list->traces[k]);
    free(list->traces);
    free(list->names);
}

#endif
