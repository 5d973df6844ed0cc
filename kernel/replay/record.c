/* SPDX-License-Identifier: MIT
 * Writing replays: the head, keyframes, and after every tick what the chosen worlds did.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "games/entry.h"
#include "replay/format.h"
#include "scenes/scenes.h"

#define KEYFRAME_TICKS 256

struct carom_recorder {
    const carom_worlds *worlds;
    carom_replay_write *write;
    void *user;
    size_t count;
    size_t *chosen;    /* [count] */
    uint32_t interval; /* ticks from keyframe to keyframe */
    uint32_t since;    /* ticks since the last one */
    uint64_t ticks;    /* written */
    uint64_t sum;      /* of the ticks since the last keyframe */
    size_t kind;       /* of action, and the length of a tick: of the last keyframe */
    double dt;
    unsigned char *records; /* [count][record bytes] as the worlds were after the last tick */
    uint64_t *seeds;        /* [count] with which they draw */
    unsigned char *actions; /* [count][a row of the widest kind]: of this tick */
    unsigned char *before;  /* likewise, of the tick before */
    unsigned char *lanes;   /* a tile's actions, where a policy is asked */
    unsigned char *row;     /* a world's, likewise */
    replay_buffer chunk;
    bool begun; /* the first keyframe is written: it waits for the first tick, of which it tells the kind of action */
    bool over;  /* the stream is at its end, or broken */
};

__attribute__((format(printf, 3, 4))) static carom_status wrong(carom_problem *problem, carom_status status,
                                                                const char *format, ...)
{
    if (problem != NULL) {
        va_list list;
        va_start(list, format);
        vsnprintf(problem->text, sizeof problem->text, format, list);
        va_end(list);
    }
    return status;
}

carom_recorder_desc carom_recorder_desc_default(void)
{
    carom_recorder_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.size = sizeof desc;
    desc.keyframe_ticks = KEYFRAME_TICKS;
    return desc;
}

/* ---- chunks ---- */

static carom_status flush(carom_recorder *r)
{
    const bool whole = !r->chunk.failed;
    const bool taken = whole && r->write(r->user, r->chunk.bytes, r->chunk.size);
    r->chunk.size = 0;
    r->chunk.failed = false;
    r->over = r->over || !taken;
    return taken ? CAROM_OK : whole ? CAROM_ERROR_CANCELLED : CAROM_ERROR_MEMORY;
}

static unsigned char *record_of(carom_recorder *r, size_t k)
{
    return r->records + k * r->worlds->layout.record_bytes;
}

/* A keyframe of what `records` holds, to be written by write_keyframe(). Its own checksum lets it be trusted before the
 * next one is there. */
static void make_keyframe(carom_recorder *r, bool jump, size_t kind, double dt)
{
    const uint8_t tag = REPLAY_KEYFRAME, flags = jump ? 1 : 0;
    const uint32_t number = (uint32_t)kind;
    carom_replay_append(&r->chunk, &tag, sizeof tag);
    carom_replay_append(&r->chunk, &r->sum, sizeof r->sum);
    carom_replay_append(&r->chunk, &flags, sizeof flags);
    carom_replay_append(&r->chunk, &number, sizeof number);
    carom_replay_append(&r->chunk, &dt, sizeof dt);
    carom_replay_append(&r->chunk, r->seeds, r->count * sizeof *r->seeds);
    carom_replay_append(&r->chunk, r->records, r->count * r->worlds->layout.record_bytes);
    const uint64_t sum = r->chunk.failed ? 0 : hash_bytes(REPLAY_VERSION, r->chunk.bytes, r->chunk.size);
    carom_replay_append(&r->chunk, &sum, sizeof sum);
}

static carom_status write_keyframe(carom_recorder *r, size_t kind, double dt)
{
    r->sum = REPLAY_VERSION;
    r->since = 0;
    r->begun = true;
    r->kind = kind;
    r->dt = dt;
    memset(r->before, 0, r->count * carom_game_most_row_bytes(r->worlds->desc.game));
    return flush(r);
}

/* What has just been played: the numbers that are not those of the tick before, and the words of check. */
static carom_status write_tick(carom_recorder *r)
{
    const carom_game *game = r->worlds->desc.game;
    const size_t row = carom_game_row_bytes(game, r->kind), bytes = game->kinds[r->kind].precision / 8;
    const size_t numbers = row / bytes;
    const uint8_t tag = REPLAY_TICK;
    carom_replay_append(&r->chunk, &tag, sizeof tag);
    for (size_t k = 0; k < r->count; k++) {
        const unsigned char *now = r->actions + k * row, *then = r->before + k * row;
        for (size_t first = 0; first < numbers; first += 8) {
            uint8_t mask = 0;
            for (size_t e = first; e < numbers && e < first + 8; e++) {
                mask |= (uint8_t)((memcmp(now + e * bytes, then + e * bytes, bytes) != 0) << (e - first));
            }
            carom_replay_append(&r->chunk, &mask, sizeof mask);
        }
        for (size_t e = 0; e < numbers; e++) {
            if (memcmp(now + e * bytes, then + e * bytes, bytes) != 0) {
                carom_replay_append(&r->chunk, now + e * bytes, bytes);
            }
        }
    }
    for (size_t k = 0; k < r->count; k++) {
        carom_worlds_get_world(r->worlds, r->chosen[k], record_of(r, k), r->worlds->layout.record_bytes);
        const uint64_t word = carom_replay_word(r->worlds, r->chosen[k], record_of(r, k));
        carom_replay_append(&r->chunk, &word, sizeof word);
    }
    memcpy(r->before, r->actions, r->count * row);
    r->sum = r->chunk.failed ? 0 : hash_bytes(r->sum, r->chunk.bytes, r->chunk.size);
    r->ticks++;
    r->since++;
    return flush(r);
}

/* ---- the beginning ---- */

static bool is_scene(const carom_game *game)
{
    return strcmp(game->type.name, "scene") == 0 && carom_game_entry_of(game) == NULL;
}

/* Are these the options of the batch? Worlds made with them tell. */
static carom_status check_options(const carom_worlds *worlds, const void *options, carom_problem *problem)
{
    carom_worlds_desc desc = worlds->desc;
    carom_worlds *same;
    desc.options = options;
    desc.count = 1;
    desc.threads = 1;
    const carom_status status = carom_worlds_create(&desc, &same);
    const bool fits = status == CAROM_OK && same->content == worlds->content;
    carom_worlds_destroy(same);
    if (status == CAROM_ERROR_MEMORY) {
        return status;
    }
    return fits ? CAROM_OK
                : wrong(problem, CAROM_ERROR_ARGUMENT, "the options are not those that the batch was made with");
}

/* How the worlds were made: 0 and nothing (the defaults), 1 and options, 2 and a scene's text. */
static carom_status append_making(const carom_worlds *worlds, const void *options, replay_buffer *head,
                                  carom_problem *problem)
{
    const carom_game *game = worlds->desc.game;
    uint8_t making = 0;
    replay_buffer made = {NULL, 0, 0, false};
    carom_status status = CAROM_OK;
    if (is_scene(game)) {
        char *text = NULL;
        making = 2;
        status = carom_scene_write_json((const carom_scene *)(const void *)game, &text);
        if (status == CAROM_OK) {
            carom_replay_append(&made, text, strlen(text));
            carom_text_free(text);
        } else if (status == CAROM_ERROR_ARGUMENT) {
            wrong(problem, status, "the scene has hooks, which no file can hold");
        } else if (status == CAROM_ERROR_UNSUPPORTED) {
            wrong(problem, status, "this build has no JSON library, in which a scene is written");
        }
    } else if (options != NULL) {
        replay_options of;
        replay_walk walk = {&made, NULL, 0, false};
        making = 1;
        memset(&of, 0, sizeof of);
        size_t size;
        memcpy(&size, options, sizeof size); /* check_options() has found it to be right, if the game is known */
        if (carom_game_entry_of(game) == NULL && size <= sizeof of.of) {
            memcpy(&of.of, options, size);
        }
        if (carom_game_entry_of(game) != NULL || !carom_replay_code_options(&walk, game->info.name, &of)) {
            status = wrong(problem, CAROM_ERROR_UNSUPPORTED, "%s was made with options that a replay cannot hold",
                           game->info.name);
        } else if (walk.failed && !made.failed) {
            status = wrong(problem, CAROM_ERROR_VALUE, "a replay holds at most %d drawn maps", CAROM_REPLAY_MAPS);
        }
    }
    if (status == CAROM_OK && made.size > UINT32_MAX / 2) {
        status = wrong(problem, CAROM_ERROR_VALUE, "the options take more bytes than a replay's head may have");
    }
    if (status == CAROM_OK) {
        const uint32_t length = (uint32_t)made.size;
        carom_replay_append(head, &making, sizeof making);
        carom_replay_append(head, &length, sizeof length);
        carom_replay_append(head, made.bytes, made.size);
        head->failed = head->failed || made.failed;
    }
    free(made.bytes);
    return status;
}

static carom_status write_head(carom_recorder *r, const void *options, carom_problem *problem)
{
    const carom_worlds *worlds = r->worlds;
    const char *name = worlds->desc.game->info.name;
    const uint32_t numbers[] = {REPLAY_VERSION, 0, (uint32_t)worlds->desc.precision, (uint32_t)worlds->desc.at_end};
    const uint64_t keys[] = {worlds->desc.seed, worlds->content};
    const uint32_t sizes[] = {(uint32_t)worlds->layout.record_bytes, (uint32_t)r->count, (uint32_t)strlen(name)};
    carom_replay_append(&r->chunk, REPLAY_MAGIC, REPLAY_MAGIC_BYTES);
    carom_replay_append(&r->chunk, numbers, sizeof numbers);
    carom_replay_append(&r->chunk, keys, sizeof keys);
    carom_replay_append(&r->chunk, sizes, sizeof sizes);
    carom_replay_append(&r->chunk, name, strlen(name));
    const carom_status status = append_making(worlds, options, &r->chunk, problem);
    if (status != CAROM_OK) {
        return status;
    }
    if (!r->chunk.failed) {
        const uint32_t whole = (uint32_t)(r->chunk.size + sizeof(uint64_t));
        memcpy(r->chunk.bytes + REPLAY_MAGIC_BYTES + sizeof numbers[0], &whole, sizeof whole);
        const uint64_t sum = hash_bytes(REPLAY_VERSION, r->chunk.bytes, r->chunk.size);
        carom_replay_append(&r->chunk, &sum, sizeof sum);
    }
    return flush(r);
}

static int by_number(const void *a, const void *b)
{
    const size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return (left > right) - (left < right);
}

static carom_status choose(carom_recorder *r, const carom_recorder_desc *desc, carom_problem *problem)
{
    const size_t all = r->worlds->desc.count;
    r->count = desc->count != 0 ? desc->count : all;
    if (r->count > all || r->count >= REPLAY_MOST_WORLDS) {
        return wrong(problem, CAROM_ERROR_ARGUMENT, "%zu worlds cannot be recorded: the batch has %zu", r->count, all);
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
    qsort(sorted, r->count, sizeof *sorted, by_number);
    carom_status status = CAROM_OK;
    for (size_t k = 0; k < r->count && status == CAROM_OK; k++) {
        if (sorted[k] >= all || (k > 0 && sorted[k] == sorted[k - 1])) {
            status =
                wrong(problem, CAROM_ERROR_ARGUMENT, "world %zu is chosen twice, or is not in the batch", sorted[k]);
        }
    }
    free(sorted);
    return status;
}

static carom_status take_memory(carom_recorder *r)
{
    const size_t row = carom_game_most_row_bytes(r->worlds->desc.game);
    size_t records, rows;
    if (!size_multiply(r->count, r->worlds->layout.record_bytes, &records) || !size_multiply(r->count, row, &rows)) {
        return CAROM_ERROR_MEMORY;
    }
    r->records = (unsigned char *)calloc(records, 1);
    r->seeds = (uint64_t *)calloc(r->count, sizeof *r->seeds);
    r->actions = (unsigned char *)calloc(rows + 1, 1);
    r->before = (unsigned char *)calloc(rows + 1, 1);
    r->lanes = (unsigned char *)carom_memory_take(CAROM_TILE * row + 1);
    r->row = (unsigned char *)carom_memory_take(row + 1);
    return r->records != NULL && r->seeds != NULL && r->actions != NULL && r->before != NULL && r->lanes != NULL &&
                   r->row != NULL
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
        return wrong(problem, CAROM_ERROR_ARGUMENT, "no batch, no way to write, or a descriptor that is not one");
    }
    carom_recorder *r = (carom_recorder *)calloc(1, sizeof *r);
    if (r == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    r->worlds = worlds;
    r->write = desc->write;
    r->user = desc->user;
    r->interval = desc->keyframe_ticks;
    r->sum = REPLAY_VERSION;
    carom_status status = choose(r, desc, problem);
    status = status == CAROM_OK ? check_options(worlds, desc->options, problem) : status;
    status = status == CAROM_OK ? take_memory(r) : status;
    status = status == CAROM_OK ? write_head(r, desc->options, problem) : status;
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
        free(recorder->actions);
        free(recorder->before);
        carom_memory_release(recorder->lanes);
        carom_memory_release(recorder->row);
        free(recorder->chunk.bytes);
        free(recorder);
    }
}

/* ---- ticks ---- */

/* Is any chosen world not as the last tick left it? Then `records` and `seeds` hold what they are now. */
static bool have_changed(carom_recorder *r)
{
    const size_t bytes = r->worlds->layout.record_bytes;
    bool changed = false;
    unsigned char *now = (unsigned char *)malloc(bytes);
    if (now == NULL) {
        return true;
    }
    for (size_t k = 0; k < r->count; k++) {
        uint64_t seed = 0;
        carom_worlds_get_world(r->worlds, r->chosen[k], now, bytes);
        carom_worlds_seeds(r->worlds, r->chosen[k], 1, &seed);
        changed = changed || seed != r->seeds[k] || memcmp(now, record_of(r, k), bytes) != 0;
        r->seeds[k] = seed;
        memcpy(record_of(r, k), now, bytes);
    }
    free(now);
    return changed;
}

/* What the players of the k-th chosen world do in tick `tick` of a step. */
static void gather(carom_recorder *r, const carom_step *step, size_t tick, size_t k)
{
    const carom_worlds *worlds = r->worlds;
    const carom_game *game = worlds->desc.game;
    const carom_action_kind *kind = &game->kinds[step->action_kind];
    const size_t bytes = kind->precision / 8, part = kind->size * bytes, world = r->chosen[k];
    unsigned char *row = r->actions + k * part * game->info.players;
    game_actors actors;
    size_t given = 0;
    memset(&actors, 0, sizeof actors);
    actors.kind = step->action_kind;
    memset(row, 0, part * game->info.players);
    for (uint32_t p = 0; p < game->info.players; p++) {
        given += step->players[p].source == CAROM_GIVEN;
        if (step->players[p].source == CAROM_POLICY) {
            actors.players |= 1u << p;
            actors.policy[p] = step->players[p].policy;
        }
    }
    if (step->actions != NULL) {
        const size_t rows = step->action_rows != 0 ? step->action_rows : worlds->desc.count;
        const size_t at = tick * rows + (step->rows != NULL ? step->rows[world] : world);
        const unsigned char *from = (const unsigned char *)step->actions + at * given * part;
        for (uint32_t p = 0; p < game->info.players; p++) {
            if (step->players[p].source == CAROM_GIVEN) {
                memcpy(row + p * part, from, part);
                from += part;
            }
        }
    }
    if (actors.players != 0) {
        const unsigned lane = carom_worlds_lane_of(worlds, world);
        uint64_t seeds[CAROM_TILE] = {0};
        seeds[lane] = r->seeds[k]; /* nobody else is asked for */
        const policy_asked asked = {worlds, carom_worlds_tile_of(worlds, world), seeds};
        carom_game_act_for(&asked, &actors, 1u << lane, r->lanes, r->row);
        for (size_t e = 0; e < (size_t)kind->size * game->info.players; e++) {
            if ((actors.players >> e / kind->size & 1) != 0) {
                memcpy(row + e * bytes, r->lanes + (e * CAROM_TILE + lane) * bytes, bytes);
            }
        }
    }
}

/* Tick `tick` of a step, as a step of its own. */
static carom_step single(const carom_worlds *worlds, const carom_step *step, size_t tick)
{
    const carom_game *game = worlds->desc.game;
    const carom_game_info *info = &game->info;
    const carom_action_kind *kind = &game->kinds[step->action_kind];
    const size_t count = worlds->desc.count, rows = step->action_rows != 0 ? step->action_rows : count;
    const size_t seen_rows = step->observation_rows != 0 ? step->observation_rows : count;
    carom_observation_kind seen;
    carom_reward_kind rewarded;
    memset(&seen, 0, sizeof seen); /* for kinds that there are not, which carom_worlds_play() refuses */
    memset(&rewarded, 0, sizeof rewarded);
    carom_game_observation_kind(game, step->observation_kind, &seen);
    carom_game_reward_kind(game, step->reward_kind, &rewarded);
    const size_t agents =
        step->observed != 0 ? (size_t)__builtin_popcountll(step->observed) : (size_t)info->players * seen.agents;
    const size_t observed = tick * seen_rows * agents * seen.size;
    carom_step one = *step;
    size_t given = 0;
    for (uint32_t p = 0; p < info->players; p++) {
        given += step->players[p].source == CAROM_GIVEN;
    }
    one.ticks = 1;
#define MOVE(member, elements) one.member = step->member != NULL ? step->member + (elements) : NULL
    const unsigned char *actions = (const unsigned char *)step->actions;
    one.actions = actions != NULL ? actions + tick * rows * given * kind->size * (kind->precision / 8) : NULL;
    MOVE(observations, observed);
    MOVE(last_observations, observed);
    MOVE(rewards, tick * count * info->players * rewarded.agents);
    MOVE(ends, tick * count);
    MOVE(events, tick * count * step->event_capacity);
    MOVE(event_counts, tick * count);
    MOVE(moved, tick * count * info->bodies * 4);
    MOVE(results, tick * count);
#undef MOVE
    return one;
}

/* Does every world play one tick at a time, to the end that the batch was made for, and are the actions all in one
 * array? */
static bool is_plain(const carom_worlds *worlds, const carom_step *step)
{
    for (uint32_t p = 0; p < worlds->desc.game->info.players; p++) {
        if (step->players[p].source == CAROM_GIVEN && step->players[p].actions != NULL) {
            return false;
        }
    }
    return step->first == 0 && (step->count == 0 || step->count == worlds->desc.count) && step->skip == NULL &&
           step->repeat == 1 && (step->at_end == CAROM_AS_MADE || step->at_end == worlds->desc.at_end);
}

/* May this step's actions be read? All else is for carom_worlds_play() to say. */
static bool is_readable(const carom_worlds *worlds, const carom_step *step)
{
    const carom_game_info *info = &worlds->desc.game->info;
    bool good =
        step->size == sizeof *step && step->ticks >= 1 && step->action_kind < info->action_kinds && step->dt >= 0;
    for (uint32_t p = 0; good && p < info->players; p++) {
        const carom_source source = step->players[p].source;
        good = source == CAROM_GIVEN || source == CAROM_ZERO ||
               (source == CAROM_POLICY && step->players[p].policy < info->policies);
    }
    const size_t rows = step->action_rows != 0 ? step->action_rows : worlds->desc.count;
    for (size_t w = 0; good && step->rows != NULL && w < worlds->desc.count; w++) {
        good = step->rows[w] < rows;
    }
    return good && (step->rows != NULL || rows >= worlds->desc.count || step->actions == NULL);
}

carom_status carom_recorder_play(carom_recorder *recorder, carom_worlds *worlds, const carom_step *step)
{
    carom_recorder *r = recorder;
    if (r == NULL || worlds == NULL || step == NULL || r->worlds != worlds || !is_readable(worlds, step)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!is_plain(worlds, step)) {
        return CAROM_ERROR_UNSUPPORTED;
    }
    if (r->over) {
        return CAROM_ERROR_CANCELLED;
    }
    carom_status status = CAROM_OK;
    for (size_t tick = 0; tick < step->ticks && status == CAROM_OK; tick++) {
        const bool jump = tick == 0 && (have_changed(r) || !r->begun);
        for (size_t k = 0; k < r->count; k++) {
            gather(r, step, tick, k);
        }
        const carom_step one = single(worlds, step, tick);
        if (jump || r->since == r->interval || r->kind != step->action_kind || r->dt != step->dt) {
            make_keyframe(r, jump, step->action_kind, step->dt);
        }
        status = carom_worlds_play(worlds, &one);
        if (status != CAROM_OK) {
            r->chunk.size = 0; /* a tick that is not played needs no keyframe: the next one has it */
            r->chunk.failed = false;
            r->begun = false;
        } else if (r->chunk.size != 0) {
            status = write_keyframe(r, step->action_kind, step->dt);
        }
        if (status == CAROM_OK) {
            status = write_tick(r);
        }
    }
    return status;
}

carom_status carom_recorder_end(carom_recorder *recorder)
{
    if (recorder == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (recorder->over) {
        return CAROM_ERROR_CANCELLED;
    }
    const uint8_t tag = REPLAY_END;
    carom_status status = CAROM_OK;
    if (!recorder->begun) {
        have_changed(recorder);
        make_keyframe(recorder, true, 0, 0);
        status = write_keyframe(recorder, 0, 0);
    }
    if (status == CAROM_OK) {
        carom_replay_append(&recorder->chunk, &tag, sizeof tag);
        carom_replay_append(&recorder->chunk, &recorder->sum, sizeof recorder->sum);
        carom_replay_append(&recorder->chunk, &recorder->ticks, sizeof recorder->ticks);
        status = flush(recorder);
    }
    recorder->over = true;
    return status;
}
