/* SPDX-License-Identifier: MIT
 * The code that writing and reading replays share.
 */
#include "replay/format.h"

#include <stdlib.h>

#include "base/problem.h"
#include "games/entry.h"
#include "games/game.h"

void carom_replay_append(replay_buffer *buffer, const void *bytes, size_t size)
{
    if (buffer->failed || size == 0) {
        return;
    }

    if (size > buffer->capacity - buffer->size) {
        const size_t capacity = 2 * (buffer->size + size);
        unsigned char *more =
            size < SIZE_MAX / 4 - buffer->size ? (unsigned char *)realloc(buffer->bytes, capacity) : NULL;
        if (more == NULL) {
            buffer->failed = true;
            return;
        }
        buffer->bytes = more;
        buffer->capacity = capacity;
    }

    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

void carom_replay_append_numbers(replay_buffer *buffer, const void *numbers, size_t count, size_t bytes)
{
    const size_t at = buffer->size;
    carom_replay_append(buffer, numbers, count * bytes);
    if (!buffer->failed && count != 0) {
        little_copy(buffer->bytes + at, buffer->bytes + at, count, bytes);
    }
}

void carom_replay_code(replay_walk *walk, void *numbers, size_t count, size_t bytes)
{
    const size_t size = count * bytes;
    if (walk->to != NULL) {
        carom_replay_append_numbers(walk->to, numbers, count, bytes);
        walk->failed = walk->failed || walk->to->failed;
    } else if (walk->failed || size > walk->left) {
        walk->failed = true;
        memset(numbers, 0, size);
    } else {
        little_copy(numbers, walk->from, count, bytes);
        walk->from += size;
        walk->left -= size;
    }
}

/* ---- scenes ---- */

bool carom_replay_is_scene(const carom_game *game)
{
    return strcmp(game->type.name, "scene") == 0 && carom_game_entry_of(game) == NULL;
}

carom_status carom_replay_append_scene(replay_buffer *buffer, const carom_game *game, const char *given,
                                       carom_problem *problem)
{
    char *text = NULL;
    const carom_status status = carom_scene_write_json((const carom_scene *)(const void *)game, &text);
    if (status == CAROM_OK) {
        carom_replay_append(buffer, text, strlen(text));
        carom_text_free(text);
    } else if (status == CAROM_ERROR_ARGUMENT) {
        return carom_wrong(problem, status, "the scene has hooks, which no file can hold");
    } else if (status == CAROM_ERROR_UNSUPPORTED && given != NULL) {
        carom_replay_append(buffer, given, strlen(given));
    } else if (status == CAROM_ERROR_UNSUPPORTED) {
        return carom_wrong(problem, status, "this build has no JSON library to write a scene");
    }
    return buffer->failed ? CAROM_ERROR_MEMORY : status == CAROM_ERROR_UNSUPPORTED ? CAROM_OK : status;
}

carom_status carom_replay_read_scene(const char *text, size_t length, carom_scene **scene, carom_problem *problem)
{
    carom_problem why = {""};
    const carom_status status = carom_scene_read_json(text, length, scene, &why);
    if (status == CAROM_ERROR_UNSUPPORTED) {
        return carom_wrong(problem, status, "this build has no JSON library to read the scene");
    }
    if (status != CAROM_OK) {
        return carom_wrong(problem, status == CAROM_ERROR_MEMORY ? status : CAROM_ERROR_FORMAT, "the scene: %.200s",
                           why.text[0] != '\0' ? why.text : carom_status_string(status));
    }
    return CAROM_OK;
}

/* ---- words of check ---- */

/* One bit of the hash of a field's values, which are packed at `at`. */
static unsigned mark_of(const carom_field *field, const unsigned char *at)
{
    uint64_t state = 0;
    for (uint32_t e = 0; e < field->count; e++, at += field->bytes) {
        uint64_t value = little_read(at, field->bytes);
        if (field->type == CAROM_TYPE_REAL) {
            value = field->bytes == 8 ? hash_canonical_f64(value) : hash_canonical_f32((uint32_t)value);
        }
        state = hash_step(state, value);
    }
    return (unsigned)(hash_end(state) & 1);
}

uint64_t carom_replay_word(const carom_worlds *worlds, size_t world, const unsigned char *record)
{
    uint64_t hash = 0;
    uint32_t marks = 0;
    unsigned place = 0;

    carom_worlds_hash(worlds, world, 1, &hash);

    /* Put one bit for each hashed field into the lower half, to show which field differs. */
    for (size_t k = 0; k < worlds->layout.count; k++) {
        const carom_field *field = &worlds->layout.fields[k];
        if (field->role == CAROM_ROLE_STATE || field->role == CAROM_ROLE_PARAMETER) {
            marks ^= (uint32_t)mark_of(field, record) << place++ % 32;
        }
        record += field->role != CAROM_ROLE_DERIVED ? field_bytes(field) : 0;
    }

    return (hash & ~(uint64_t)UINT32_MAX) | marks;
}

const char *carom_replay_field_of(const carom_worlds *worlds, uint64_t a, uint64_t b)
{
    unsigned place = 0;
    for (size_t k = 0; k < worlds->layout.count; k++) {
        const carom_field *field = &worlds->layout.fields[k];
        if ((field->role == CAROM_ROLE_STATE || field->role == CAROM_ROLE_PARAMETER) &&
            ((a ^ b) >> place++ % 32 & 1) != 0) {
            return field->name;
        }
    }
    return NULL;
}

/* ---- packed numbers ---- */

size_t carom_replay_pack(double now, double before, unsigned char to[REPLAY_MOST_PACKED])
{
    /* Small enough for a whole number: twice the difference must be below 2^35. NaN fails the comparison. */
    const double d = now - before, most = 4294967296.0;
    if (d > -most && d < most && d != 0 && d == (double)(int64_t)d) {
        const double again = before + d;
        uint64_t bits, wanted;
        memcpy(&bits, &again, sizeof bits);
        memcpy(&wanted, &now, sizeof wanted);
        if (bits == wanted) {
            return replay_put_whole((uint64_t)(d > 0 ? 2 * d : -2 * d - 1), to);
        }
    }
    to[0] = 0;
    little_copy(to + 1, &now, 1, sizeof now);
    return 1 + sizeof now;
}

size_t carom_replay_unpack(const unsigned char *from, size_t left, double before, double *now)
{
    uint64_t number;
    const size_t bytes = replay_get_whole(from, left, &number);
    if (bytes != 1 || number != 0) {
        const uint64_t half = number / 2;
        *now = before + (number % 2 == 0 ? (double)half : -(double)half - 1);
        return bytes;
    }
    if (left < 1 + sizeof *now) {
        return 0;
    }
    little_copy(now, from + 1, 1, sizeof *now);
    return 1 + sizeof *now;
}

/* ---- ticks ---- */

/* Bytes of the numbers of one player's action. */
static size_t part_bytes(const carom_game *game, uint32_t kind)
{
    return (size_t)game->kinds[kind].size * (game->kinds[kind].precision / 8);
}

size_t carom_replay_numbers(const carom_game *game, const replay_acting *acting)
{
    size_t numbers = 0;
    for (uint32_t p = 0; p < game->info.players; p++) {
        numbers += game->kinds[acting->kinds[p]].size;
    }
    return numbers;
}

size_t carom_replay_row_bytes(const carom_game *game, const replay_acting *acting)
{
    size_t bytes = 0;
    for (uint32_t p = 0; p < game->info.players; p++) {
        bytes += part_bytes(game, acting->kinds[p]);
    }
    return bytes;
}

bool carom_replay_tick_take(replay_tick *tick, const carom_game *game, size_t worlds)
{
    const size_t row = carom_game_most_row_bytes(game);
    memset(tick, 0, sizeof *tick);
    if (row != 0 && worlds > (SIZE_MAX - 1) / row) {
        return false;
    }

    tick->actions = (unsigned char *)calloc(worlds * row + 1, 1);
    tick->still = (uint8_t *)calloc(worlds, 1);
    bool good = tick->actions != NULL && tick->still != NULL;

    /* A game for one player cannot mix kinds of action, and needs no arrays by player. */
    for (uint32_t p = 0; p < game->info.players && game->info.players > 1; p++) {
        tick->of[p] = (unsigned char *)malloc(worlds * row + 1);
        good = good && tick->of[p] != NULL;
    }
    return good;
}

void carom_replay_tick_free(replay_tick *tick)
{
    free(tick->actions);
    free(tick->still);
    for (uint32_t p = 0; p < CAROM_MAX_PLAYERS; p++) {
        free(tick->of[p]);
    }
}

void carom_replay_tick_step(replay_tick *tick, const carom_game *game, const replay_acting *acting, size_t worlds,
                            carom_step *step)
{
    const uint32_t players = game->info.players;
    const size_t row = carom_replay_row_bytes(game, acting);

    /* If players act in different kinds, each needs a separate array; otherwise the rows are passed as they are. */
    bool mixed = false;
    size_t at = 0;
    step->action_kind = acting->kinds[0];
    for (uint32_t p = 0; p < players; p++) {
        mixed = mixed || acting->kinds[p] != acting->kinds[0];
    }

    for (uint32_t p = 0; p < CAROM_MAX_PLAYERS; p++) {
        step->players[p].source = CAROM_GIVEN;
        step->players[p].actions = NULL;
        if (mixed && p < players) {
            const size_t part = part_bytes(game, acting->kinds[p]);
            for (size_t w = 0; w < worlds; w++) {
                memcpy(tick->of[p] + w * part, tick->actions + w * row + at, part);
            }
            at += part;
            step->players[p].actions = tick->of[p];
            step->players[p].action_kind = acting->kinds[p];
        }
    }

    step->actions = mixed ? NULL : tick->actions;
    step->action_rows = 0;
    step->rows = NULL;

    /* One tick of all worlds except those that do not move. */
    step->ticks = step->repeat = 1;
    step->first = step->count = 0;
    step->skip = tick->still;
    step->at_end = acting->at_end;
    step->dt = acting->dt;
}
