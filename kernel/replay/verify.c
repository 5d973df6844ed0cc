/* SPDX-License-Identifier: MIT
 * Plays a replay again, and compares every check word and every state in a keyframe.
 */
#include <math.h>
#include <stdlib.h>

#include "base/progress.h"
#include "games/entry.h"
#include "replay/format.h"

/* The element of a record at `at`. */
static double recorded_number(const carom_field *field, const unsigned char *at)
{
    uint64_t number = 0;
    little_copy(&number, at, 1, field->bytes);
    return field_number(field, &number);
}

/* Compares a world's record in a keyframe, `was`, with its present one, and notes the first value that differs. Zeros
 * are equal whatever their sign, and so are all NaN. */
static bool differs(const carom_worlds *worlds, const unsigned char *was, const unsigned char *is,
                    carom_replay_difference *difference)
{
    for (size_t k = 0; k < worlds->layout.count; k++) {
        const carom_field *field = &worlds->layout.fields[k];
        if (field->role == CAROM_ROLE_DERIVED) {
            continue;
        }
        for (uint32_t e = 0; e < field->count; e++, was += field->bytes, is += field->bytes) {
            const double a = recorded_number(field, was), b = recorded_number(field, is);
            if (memcmp(was, is, field->bytes) != 0 &&
                !(field->type == CAROM_TYPE_REAL && (a == b || (isnan(a) && isnan(b))))) {
                difference->field = field->name;
                difference->element = e;
                difference->values = true;
                difference->was = a;
                difference->is = b;
                return true;
            }
        }
    }
    return false;
}

/* Notes that world w differs after `ticks` ticks. */
static void note_difference(const carom_worlds *worlds, size_t w, uint64_t ticks, carom_replay_difference *difference)
{
    difference->found = true;
    difference->ticks = ticks;
    difference->world = w;
    difference->id =
        carom_tile_get_id(&worlds->layout, carom_worlds_tile_of(worlds, w), carom_worlds_lane_of(worlds, w));
}

/* Compares all worlds with a keyframe. */
static void compare_keyframe(const carom_replay *r, const keyframe *frame, const carom_worlds *worlds,
                             unsigned char *record, carom_replay_difference *difference)
{
    for (size_t w = 0; w < r->count && !difference->found; w++) {
        carom_worlds_get_world(worlds, w, record, r->record_bytes);
        if (differs(worlds, r->bytes + frame->records + w * r->record_bytes, record, difference)) {
            note_difference(worlds, w, frame->tick, difference);
        }
    }
}

/* Compares all worlds with the check words after a tick. */
static void compare_words(const carom_replay *r, const unsigned char *words, uint64_t ticks, const carom_worlds *worlds,
                          unsigned char *record, carom_replay_difference *difference)
{
    for (size_t w = 0; w < r->count && !difference->found; w++) {
        const uint64_t was = little_read(words + w * sizeof was, sizeof was);
        carom_worlds_get_world(worlds, w, record, r->record_bytes);
        const uint64_t is = carom_replay_word(worlds, w, record);
        if (was != is) {
            note_difference(worlds, w, ticks, difference);
            difference->field = carom_replay_field_of(worlds, was, is);
        }
    }
}

/* The working data of verify(). */
typedef struct checking {
    const volatile int *cancel; /* or NULL */
    uint64_t *progress;         /* or NULL */
    replay_tick *tick;          /* room for a tick */
    unsigned char *record;      /* room for a record */
} checking;

/* Plays all ticks in order, and compares until a difference is found. */
static carom_status verify(const carom_replay *r, carom_worlds *worlds, const checking *c,
                           carom_replay_difference *difference)
{
    size_t next = 0; /* the next keyframe */
    carom_status status = CAROM_OK;
    for (uint64_t tick = 0; tick <= r->tick_count && status == CAROM_OK && !difference->found; tick++) {
        /* Keyframes at this point. Numbers are stored as changes from 0 after each. */
        for (; next < r->keyframe_count && r->keyframes[next].tick == tick && status == CAROM_OK; next++) {
            const keyframe *frame = &r->keyframes[next];
            if (frame->jump) {
                status = carom_replay_load(r, frame, worlds);
            }
            compare_keyframe(r, frame, worlds, c->record, difference);
            memset(c->tick->actions, 0, r->count * carom_game_most_row_bytes(r->game));
        }

        if (tick == r->tick_count || status != CAROM_OK || difference->found) {
            break;
        }

        const keyframe *frame = &r->keyframes[next - 1];
        const unsigned char *words = carom_replay_decode(r, tick, &frame->acting, c->tick);
        status =
            progress_cancelled(c->cancel) ? CAROM_ERROR_CANCELLED : carom_replay_tick(frame, worlds, c->tick, NULL);
        if (status == CAROM_OK) {
            compare_words(r, words, tick + 1, worlds, c->record, difference);
            progress_add(c->progress, 1);
        }
    }
    return status;
}

carom_status carom_replay_verify(const carom_replay *replay, carom_isa isa, unsigned threads,
                                 const volatile int *cancel, uint64_t *progress, carom_replay_difference *difference)
{
    if (replay == NULL || difference == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    memset(difference, 0, sizeof *difference);
    carom_worlds *worlds;
    carom_status status = carom_replay_worlds(replay, isa, threads, &worlds);
    if (status != CAROM_OK) {
        return status;
    }

    replay_tick tick;
    checking c = {cancel, progress, &tick, (unsigned char *)malloc(replay->record_bytes)};
    const bool room = carom_replay_tick_take(&tick, replay->game, replay->count);
    status = room && c.record != NULL ? verify(replay, worlds, &c, difference) : CAROM_ERROR_MEMORY;
    carom_replay_tick_free(&tick);
    free(c.record);
    carom_worlds_destroy(worlds);
    return status;
}
