/* SPDX-License-Identifier: MIT
 * Writing replays: the recorder and the head of the file. Ticks are in ticks.c.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/problem.h"
#include "games/game.h"
#include "replay/format.h"

#define KEYFRAME_TICKS 256

carom_recorder_desc carom_recorder_desc_default(void)
{
    carom_recorder_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.size = sizeof desc;
    desc.keyframe_ticks = KEYFRAME_TICKS;
    return desc;
}

/* Makes the shadow. Its content differs from the batch's if the options are not those with which the batch was made. */
static carom_status make_shadow(carom_recorder *r, const void *options, carom_problem *problem)
{
    carom_worlds_desc desc = r->worlds->desc;
    desc.options = options;
    desc.count = r->count;
    const carom_status status = carom_worlds_create(&desc, &r->shadow);
    if (status == CAROM_ERROR_MEMORY) {
        return status;
    }
    if (status != CAROM_OK || r->shadow->content != r->worlds->content) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "the options are not those that the batch was made with");
    }

    /* It plays on the batch's processors. */
    if (r->worlds->where != NULL) {
        r->shadow->where = (affinity *)malloc(sizeof *r->shadow->where);
        if (r->shadow->where == NULL) {
            return CAROM_ERROR_MEMORY;
        }
        *r->shadow->where = *r->worlds->where;
    }
    return CAROM_OK;
}

/* Appends how the worlds were made: 0 (defaults), 1 and options, or 2 and the text of a scene. */
static carom_status append_making(const carom_worlds *worlds, const carom_recorder_desc *desc, replay_buffer *head,
                                  carom_problem *problem)
{
    const void *options = desc->options;
    const carom_game *game = worlds->desc.game;
    uint8_t making = 0;
    replay_buffer made = {NULL, 0, 0, false};
    carom_status status = CAROM_OK;

    if (carom_replay_is_scene(game)) {
        making = 2;
        status = carom_replay_append_scene(&made, game, desc->scene, problem);
    } else if (options != NULL) {
        replay_options of;
        replay_walk walk = {&made, NULL, 0, false};
        making = 1;
        memset(&of, 0, sizeof of);
        if (!carom_replay_code_options(&walk, game, options, &of)) {
            status = CAROM_ERROR_MEMORY;
        } else if (walk.failed && !made.failed) {
            status = carom_wrong(problem, CAROM_ERROR_VALUE, "a replay holds at most %d drawn maps", CAROM_REPLAY_MAPS);
        }
        carom_replay_drop_options(&of);
    }

    if (status == CAROM_OK && made.size > UINT32_MAX / 2) {
        status = carom_wrong(problem, CAROM_ERROR_VALUE, "the options take more bytes than a replay's head may have");
    }

    if (status == CAROM_OK) {
        const uint32_t length = (uint32_t)made.size;
        carom_replay_append(head, &making, sizeof making);
        carom_replay_append_numbers(head, &length, 1, sizeof length);
        carom_replay_append(head, made.bytes, made.size);
        head->failed = head->failed || made.failed;
    }

    free(made.bytes);
    return status;
}

/* Writes the head: fixed numbers, the game's name, how the worlds were made, and a checksum of all of these. */
static carom_status write_head(carom_recorder *r, const carom_recorder_desc *desc, carom_problem *problem)
{
    const carom_worlds *worlds = r->worlds;
    const char *name = worlds->desc.game->info.name;
    const uint32_t numbers[] = {REPLAY_VERSION, 0, (uint32_t)worlds->desc.precision, (uint32_t)worlds->desc.at_end};
    const uint64_t keys[] = {worlds->desc.seed, worlds->content};
    const uint32_t sizes[] = {(uint32_t)worlds->layout.record_bytes, (uint32_t)r->count, (uint32_t)strlen(name)};
    carom_replay_append(&r->chunk, REPLAY_MAGIC, REPLAY_MAGIC_BYTES);
    carom_replay_append_numbers(&r->chunk, numbers, 4, sizeof numbers[0]);
    carom_replay_append_numbers(&r->chunk, keys, 2, sizeof keys[0]);
    carom_replay_append_numbers(&r->chunk, sizes, 3, sizeof sizes[0]);
    carom_replay_append(&r->chunk, name, strlen(name));

    const carom_status status = append_making(worlds, desc, &r->chunk, problem);
    if (status != CAROM_OK) {
        return status;
    }

    /* The size of the head is now known: fill it in. */
    if (!r->chunk.failed) {
        const uint32_t whole = (uint32_t)(r->chunk.size + sizeof(uint64_t));
        little_copy(r->chunk.bytes + REPLAY_MAGIC_BYTES + sizeof numbers[0], &whole, 1, sizeof whole);
        const uint64_t sum = hash_bytes(REPLAY_SUM, r->chunk.bytes, r->chunk.size);
        carom_replay_append_numbers(&r->chunk, &sum, 1, sizeof sum);
    }
    return carom_recorder_flush(r);
}

static int by_number(const void *a, const void *b)
{
    const size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return (left > right) - (left < right);
}

/* Copies the list of worlds to record, and checks that each is in the batch and listed once. */
static carom_status choose_worlds(carom_recorder *r, const carom_recorder_desc *desc, carom_problem *problem)
{
    const size_t all = r->worlds->desc.count;
    r->count = desc->count != 0 ? desc->count : all;
    if (r->count > all || r->count >= REPLAY_MOST_WORLDS) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "%zu worlds cannot be recorded: the batch has %zu", r->count,
                           all);
    }

    size_t *sorted = (size_t *)malloc(r->count * sizeof *sorted);
    r->chosen = (size_t *)malloc(r->count * sizeof *r->chosen);
    if (sorted == NULL || r->chosen == NULL) {
        free(sorted);
        return CAROM_ERROR_MEMORY;
    }
    for (size_t k = 0; k < r->count; k++) {
        sorted[k] = r->chosen[k] = desc->count != 0 && desc->worlds != NULL ? desc->worlds[k] : k;
    }

    /* Sorted, so that equal numbers are adjacent. */
    qsort(sorted, r->count, sizeof *sorted, by_number);
    carom_status status = CAROM_OK;
    for (size_t k = 0; k < r->count && status == CAROM_OK; k++) {
        if (sorted[k] >= all || (k > 0 && sorted[k] == sorted[k - 1])) {
            status = carom_wrong(problem, CAROM_ERROR_ARGUMENT, "world %zu is chosen twice, or is not in the batch",
                                 sorted[k]);
        }
    }
    free(sorted);
    return status;
}

/* Allocates the memory for recording ticks. */
static carom_status take_memory(carom_recorder *r)
{
    const size_t row = carom_game_most_row_bytes(r->worlds->desc.game);
    size_t records, rows;
    if (!size_multiply(r->count, r->worlds->layout.record_bytes, &records) || !size_multiply(r->count, row, &rows)) {
        return CAROM_ERROR_MEMORY;
    }
    r->records = (unsigned char *)calloc(records, 1);
    r->seeds = (uint64_t *)calloc(r->count, sizeof *r->seeds);
    r->before = (unsigned char *)calloc(rows + 1, 1);
    r->over = (uint8_t *)calloc(r->count, 1);
    r->lanes = (unsigned char *)carom_memory_take(CAROM_TILE * row + 1);
    r->row = (unsigned char *)carom_memory_take(row + 1);
    const bool ticks = carom_replay_tick_take(&r->tick, r->worlds->desc.game, r->count);
    return ticks && r->records != NULL && r->seeds != NULL && r->before != NULL && r->over != NULL &&
                   r->lanes != NULL && r->row != NULL
               ? CAROM_OK
               : CAROM_ERROR_MEMORY;
}

carom_status carom_recorder_create(const carom_worlds *worlds, const carom_recorder_desc *desc,
                                   carom_recorder **recorder, carom_problem *problem)
{
    if (recorder != NULL) {
        *recorder = NULL;
    }
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    if (worlds == NULL || desc == NULL || recorder == NULL || desc->size != sizeof *desc || desc->write == NULL ||
        desc->keyframe_ticks == 0) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "no batch, no write function, or an invalid descriptor");
    }

    if (worlds->device != NULL) {
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "worlds on a device cannot be recorded");
    }

    carom_recorder *r = (carom_recorder *)calloc(1, sizeof *r);
    if (r == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    r->worlds = worlds;
    r->write = desc->write;
    r->user = desc->user;
    r->interval = desc->keyframe_ticks;
    r->sum = REPLAY_SUM;

    /* Each part needs those before it: the chosen worlds, their shadow, memory, the head. */
    carom_status status = worlds->desc.game->info.action_kinds > UINT8_MAX
                              ? carom_wrong(problem, CAROM_ERROR_UNSUPPORTED,
                                            "the game has more kinds of action than a replay can distinguish")
                              : choose_worlds(r, desc, problem);
    status = status == CAROM_OK ? make_shadow(r, desc->options, problem) : status;
    status = status == CAROM_OK ? take_memory(r) : status;
    status = status == CAROM_OK ? write_head(r, desc, problem) : status;

    if (status != CAROM_OK) {
        carom_recorder_destroy(r);
        return status;
    }
    *recorder = r;
    return CAROM_OK;
}

void carom_recorder_destroy(carom_recorder *recorder)
{
    if (recorder != NULL) {
        free(recorder->chosen);
        free(recorder->records);
        free(recorder->seeds);
        carom_worlds_destroy(recorder->shadow);
        carom_replay_tick_free(&recorder->tick);
        free(recorder->before);
        free(recorder->over);
        carom_memory_release(recorder->lanes);
        carom_memory_release(recorder->row);
        free(recorder->chunk.bytes);
        free(recorder->packed.bytes);
        free(recorder);
    }
}
