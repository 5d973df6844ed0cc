/* SPDX-License-Identifier: MIT
 * Reading replays. Opening one walks over all chunks, checks them, and notes where ticks and keyframes are, for reading
 * later. Nothing in the bytes is trusted: every size is compared with the bytes left. Verifying is in verify.c.
 */
#include "replay/format.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/problem.h"
#include "games/entry.h"
#include "games/step.h"

#define HEAD_BYTES (REPLAY_MAGIC_BYTES + 4 * 4 + 2 * 8 + 3 * 4) /* up to the name */

/* ---- the head ---- */

/* The head as it is in the bytes. */
typedef struct head {
    uint32_t version, bytes, precision, at_end; /* bytes: of the head */
    uint64_t seed, content;
    uint32_t record_bytes, worlds, name_length;
    char name[64];
    uint8_t making; /* how the worlds were made: 0 by defaults, 1 with options, 2 from a scene */
    uint32_t making_length;
    const unsigned char *made; /* the options or the scene */
} head;

/* Reads the head, and checks that it is complete and consistent. */
static carom_status read_head(const unsigned char *bytes, size_t size, head *h, carom_problem *problem)
{
    memset(h, 0, sizeof *h);
    if (size < REPLAY_MAGIC_BYTES || memcmp(bytes, REPLAY_MAGIC, REPLAY_MAGIC_BYTES) != 0) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "not a replay");
    }

    /* The version comes first, since the rest depends on it. */
    replay_walk walk = {NULL, bytes + REPLAY_MAGIC_BYTES, size - REPLAY_MAGIC_BYTES, false};
    carom_replay_code(&walk, &h->version, 1, sizeof h->version);
    if (!walk.failed && (h->version < 1 || h->version > REPLAY_VERSION)) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "a replay of format %u: Carom %s reads formats 1 to %d",
                           h->version, carom_version(), REPLAY_VERSION);
    }

    uint32_t *const first[] = {&h->bytes, &h->precision, &h->at_end};
    for (size_t k = 0; k < sizeof first / sizeof first[0]; k++) {
        carom_replay_code(&walk, first[k], 1, sizeof *first[k]);
    }
    if (walk.failed || size < HEAD_BYTES || h->bytes > size) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the replay was cut within its head");
    }

    /* Check the sum of the whole head before using more of it. */
    if (h->bytes < HEAD_BYTES + sizeof(uint64_t)) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the head of the replay is damaged");
    }
    const uint64_t sum = little_read(bytes + h->bytes - sizeof sum, sizeof sum);
    if (sum != hash_bytes(REPLAY_SUM, bytes, h->bytes - sizeof sum)) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the head of the replay is damaged");
    }

    walk.left = h->bytes - sizeof sum - (size_t)(walk.from - bytes);
    carom_replay_code(&walk, &h->seed, 1, sizeof h->seed);
    carom_replay_code(&walk, &h->content, 1, sizeof h->content);
    uint32_t *const second[] = {&h->record_bytes, &h->worlds, &h->name_length};
    for (size_t k = 0; k < sizeof second / sizeof second[0]; k++) {
        carom_replay_code(&walk, second[k], 1, sizeof *second[k]);
    }
    if (h->name_length < sizeof h->name) {
        carom_replay_code(&walk, h->name, h->name_length, 1);
    }
    carom_replay_code(&walk, &h->making, 1, sizeof h->making);
    carom_replay_code(&walk, &h->making_length, 1, sizeof h->making_length);
    h->made = walk.from;

    const bool sound = !walk.failed && h->name_length < sizeof h->name && walk.left == h->making_length &&
                       (h->precision == CAROM_F32 || h->precision == CAROM_F64) && h->at_end <= CAROM_RESET &&
                       h->making <= 2 && h->worlds >= 1 && h->worlds < REPLAY_MOST_WORLDS;
    return sound ? CAROM_OK : carom_wrong(problem, CAROM_ERROR_FORMAT, "the head of the replay contradicts itself");
}

/* Finds the game with its options, or makes the scene. */
static carom_status find_game(carom_replay *r, const head *h, carom_problem *problem)
{
    /* A scene is a separate game, whatever its name. */
    if (h->making == 2) {
        const carom_status status =
            carom_replay_read_scene((const char *)h->made, h->making_length, &r->scene, problem);
        r->game = status == CAROM_OK ? carom_scene_game(r->scene) : NULL;
        return status;
    }

    r->game = carom_game_find(h->name);
    if (r->game == NULL) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "a replay of the unknown game %s", h->name);
    }
    if (h->making == 1) {
        replay_walk walk = {NULL, h->made, h->making_length, false};
        if (!carom_replay_code_options(&walk, r->game, NULL, &r->options) || walk.failed || walk.left != 0) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "the options of the replay are not those of %s", h->name);
        }
    }
    return CAROM_OK;
}

/* Describes `count` worlds like the recorded ones. */
static carom_worlds_desc describe(const carom_replay *r, size_t count)
{
    carom_worlds_desc desc = carom_worlds_desc_default(r->game);
    desc.options = r->options.bytes; /* NULL: the defaults */
    desc.count = count;
    desc.precision = r->precision;
    desc.seed = r->seed;
    desc.at_end = r->at_end;
    return desc;
}

/* Makes a world as described in the head, and checks that it is like the recorded ones. */
static carom_status check_worlds(const carom_replay *r, carom_problem *problem)
{
    carom_worlds_desc desc = describe(r, 1);
    desc.threads = 1;
    carom_worlds *one;
    const carom_status status = carom_worlds_create(&desc, &one);
    const bool same = status == CAROM_OK && one->content == r->content && one->layout.record_bytes == r->record_bytes;
    carom_worlds_destroy(one);

    if (status == CAROM_ERROR_MEMORY || status == CAROM_ERROR_UNSUPPORTED) {
        return carom_wrong(problem, status, "the replay's worlds: %s", carom_status_string(status));
    }
    if (status != CAROM_OK) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the replay's %s cannot be made: %s", r->game->info.name,
                           carom_status_string(status));
    }
    return same ? CAROM_OK
                : carom_wrong(problem, CAROM_ERROR_FORMAT, "the replay is of another version of %s than Carom %s has",
                              r->game->info.name, carom_version());
}

/* ---- chunks ---- */

/* Makes room for one more item of `bytes` bytes; false if there is no memory. */
static bool grow(void **list, size_t bytes, size_t count, size_t *room)
{
    if (*list != NULL && count < *room) {
        return true;
    }
    const size_t more = 2 * *room + 64;
    void *larger = more <= SIZE_MAX / bytes ? realloc(*list, more * bytes) : NULL;
    if (larger == NULL) {
        return false;
    }
    *list = larger;
    *room = more;
    return true;
}

static bool bit_of(const unsigned char *mask, size_t bit)
{
    return (mask[bit / 8] >> bit % 8 & 1) != 0;
}

/* Are the unused bits of a mask of `bits` bits 0? */
static bool is_mask(const unsigned char *mask, size_t bits)
{
    return bits % 8 == 0 || mask[bits / 8] >> bits % 8 == 0;
}

/* Bytes of the numbers that a world's mask marks as changed, of which `left` are there; SIZE_MAX if they are cut. */
static size_t changed_bytes(const carom_replay *r, const replay_acting *acting, bool packed, const unsigned char *mask,
                            const unsigned char *from, size_t left)
{
    size_t bytes = 0, e = 0;
    for (uint32_t p = 0; p < r->game->info.players; p++) {
        const carom_action_kind *kind = &r->game->kinds[acting->kinds[p]];
        for (const size_t end = e + kind->size; e < end; e++) {
            if (!bit_of(mask, e)) {
                continue;
            }
            double number;
            const size_t one = packed && kind->precision == CAROM_F64
                                   ? carom_replay_unpack(from + bytes, left - bytes, 0, &number)
                                   : kind->precision / 8;
            if (one == 0 || one > left - bytes) {
                return SIZE_MAX;
            }
            bytes += one;
        }
    }
    return bytes;
}

/* Is a tick's chunk at `at` one in which some worlds do not move, and are its doubles packed? */
static bool is_part(const carom_replay *r, size_t at)
{
    return (r->bytes[at] & ~REPLAY_PACKED) == REPLAY_PART;
}

static bool is_packed(const carom_replay *r, size_t at)
{
    return (r->bytes[at] & REPLAY_PACKED) != 0;
}

/* Bytes of a tick's chunk at `at`; 0 if it is cut. Sets *sound to whether all masks are valid. */
static size_t tick_bytes(const carom_replay *r, size_t at, const replay_acting *acting, bool *sound)
{
    const size_t numbers = carom_replay_numbers(r->game, acting), mask = replay_mask_bytes(numbers);
    const unsigned char *still = NULL;
    size_t end = at + 1;
    *sound = true;

    if (is_part(r, at)) {
        if (replay_mask_bytes(r->count) > r->size - end) {
            return 0;
        }
        still = r->bytes + end;
        *sound = is_mask(still, r->count);
        end += replay_mask_bytes(r->count);
    }

    /* Each world that moves has a mask, and the numbers that it marks. Their sizes follow only from the mask. */
    for (size_t w = 0; w < r->count; w++) {
        if (still != NULL && bit_of(still, w)) {
            continue;
        }
        if (mask > r->size - end) {
            return 0;
        }
        *sound = *sound && is_mask(r->bytes + end, numbers);
        const unsigned char *changed = r->bytes + end;
        end += mask;
        const size_t bytes = changed_bytes(r, acting, is_packed(r, at), changed, r->bytes + end, r->size - end);
        if (bytes == SIZE_MAX) {
            return 0;
        }
        end += bytes;
    }

    return r->count * sizeof(uint64_t) <= r->size - end ? end + r->count * sizeof(uint64_t) - at : 0;
}

/* Where a note begins: its two numbers, and its text. */
typedef struct note_head {
    uint64_t world, length;
    size_t text; /* offset in the bytes */
} note_head;

/* Bytes of a note's chunk at `at`; 0 if it is cut. Sets *sound to whether its numbers are valid. */
static size_t note_bytes(const carom_replay *r, size_t at, note_head *begins, bool *sound)
{
    *sound = true;
    if (r->size - at < 2) {
        return 0;
    }
    size_t end = at + 2;
    uint64_t *const numbers[] = {&begins->world, &begins->length};
    for (size_t k = 0; k < 2; k++) {
        const size_t left = r->size - end, bytes = replay_get_whole(r->bytes + end, left, numbers[k]);
        if (bytes == 0) {
            *sound = left < REPLAY_MOST_WHOLE;
            return 0;
        }
        end += bytes;
    }
    begins->text = end;
    *sound = (r->bytes[at + 1] & 0xFu) <= CAROM_NOTE_REFEREE && r->bytes[at + 1] >> 4 < r->game->info.players &&
             begins->world < r->count && begins->length <= CAROM_REPLAY_TEXT;
    return *sound && begins->length <= r->size - end ? end + (size_t)begins->length - at : 0;
}

static carom_status damaged(carom_problem *problem, size_t at)
{
    return carom_wrong(problem, CAROM_ERROR_FORMAT, "the replay is damaged before byte %zu", at);
}

/* Bytes of a keyframe's chunk at `at`; 0 if it is cut. */
static size_t keyframe_bytes(const carom_replay *r, size_t at)
{
    const size_t fixed = 1 + 8 + 1 + 4 + 8 + 8, each = sizeof(uint64_t) + r->record_bytes;
    const size_t left = r->size - at;
    return left >= fixed && r->count <= (left - fixed) / each ? fixed + r->count * each : 0;
}

/* Reads the players' kinds of action, a byte each; those after the first are stored by exclusive or with the first. */
static bool read_kinds(const carom_replay *r, uint32_t word, uint32_t kinds[CAROM_MAX_PLAYERS])
{
    bool good = true, mixed = false;
    for (uint32_t p = 0; p < 4; p++) {
        const uint32_t kind = (word >> 8 * p & 0xFF) ^ (p > 0 ? word & 0xFF : 0);
        const bool there = p < r->game->info.players;
        good = good && (there ? kind < r->game->info.action_kinds : (word >> 8 * p & 0xFF) == 0);
        mixed = mixed || (there && kind != (word & 0xFF));
        if (p < CAROM_MAX_PLAYERS) {
            kinds[p] = kind;
        }
    }
    return good && (!mixed || r->game->mixes);
}

/* Reads a keyframe's chunk of `bytes` bytes at `at`; `sum` is that of the ticks before it. */
static carom_status read_keyframe(carom_replay *r, size_t at, size_t bytes, uint64_t sum, carom_problem *problem)
{
    uint64_t before;
    uint8_t flags;
    uint32_t kinds;
    keyframe frame;
    replay_walk walk = {NULL, r->bytes + at + 1, bytes - 1, false};
    memset(&frame, 0, sizeof frame);

    carom_replay_code(&walk, &before, 1, sizeof before);
    carom_replay_code(&walk, &flags, 1, sizeof flags);
    carom_replay_code(&walk, &kinds, 1, sizeof kinds);
    carom_replay_code(&walk, &frame.acting.dt, 1, sizeof frame.acting.dt);
    const uint64_t own = little_read(r->bytes + at + bytes - sizeof own, sizeof own);

    /* It holds the sum of the ticks before it, and one of itself. */
    if (before != sum || own != hash_bytes(REPLAY_SUM, r->bytes + at, bytes - sizeof own)) {
        return damaged(problem, at + bytes);
    }

    frame.acting.at_end = flags >> 1 == 0 ? CAROM_AS_MADE : (carom_at_end)((flags >> 1) - 1);
    if (flags >> 1 > CAROM_RESET + 1 || !read_kinds(r, kinds, frame.acting.kinds) ||
        !carom_play_takes_dt(r->game, r->precision, frame.acting.dt) || (r->keyframe_count == 0 && (flags & 1) == 0)) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the replay contradicts itself before byte %zu", at + bytes);
    }

    frame.tick = r->tick_count;
    frame.seeds = (size_t)(walk.from - r->bytes);
    frame.records = frame.seeds + r->count * sizeof(uint64_t);

    /* A keyframe with no tick since a jump is part of that jump. */
    const keyframe *last = r->keyframe_count > 0 ? &r->keyframes[r->keyframe_count - 1] : NULL;
    frame.jump = (flags & 1) != 0 || (last != NULL && last->tick == frame.tick && last->jump);

    void *list = r->keyframes;
    if (!grow(&list, sizeof frame, r->keyframe_count, &r->keyframe_room)) {
        return CAROM_ERROR_MEMORY;
    }
    r->keyframes = (keyframe *)list;
    r->keyframes[r->keyframe_count++] = frame;
    return CAROM_OK;
}

/* Reads the end: the sum of the last ticks, and the number of ticks. It may be cut. */
static carom_status read_end(carom_replay *r, size_t at, uint64_t sum, carom_problem *problem)
{
    uint64_t numbers[2];
    if (r->size - at < 1 + sizeof numbers) {
        return CAROM_OK; /* cut */
    }
    little_copy(numbers, r->bytes + at + 1, 2, sizeof numbers[0]);
    if (numbers[0] != sum || numbers[1] != r->tick_count) {
        return damaged(problem, at);
    }
    if (r->size - at != 1 + sizeof numbers) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the replay ends at byte %zu, and bytes follow",
                           at + 1 + sizeof numbers);
    }
    r->whole = true;
    return CAROM_OK;
}

/* Reads a tick's chunk at `at` of *bytes bytes, 0 if it is cut. */
static carom_status read_tick(carom_replay *r, size_t at, size_t *bytes, carom_problem *problem)
{
    bool sound;
    void *list = r->ticks;
    *bytes = tick_bytes(r, at, &r->keyframes[r->keyframe_count - 1].acting, &sound);
    if (*bytes == 0) {
        return CAROM_OK;
    }
    if (!sound) {
        return damaged(problem, at + *bytes);
    }
    if (!grow(&list, sizeof *r->ticks, r->tick_count, &r->tick_room)) {
        return CAROM_ERROR_MEMORY;
    }
    r->ticks = (size_t *)list;
    r->ticks[r->tick_count++] = at;
    return CAROM_OK;
}

/* The same of a note's chunk. */
static carom_status read_note(carom_replay *r, size_t at, size_t *bytes, carom_problem *problem)
{
    bool sound;
    note_head begins;
    void *list = r->notes;
    *bytes = note_bytes(r, at, &begins, &sound);
    if (!sound) {
        return damaged(problem, at + 2);
    }
    if (*bytes == 0) {
        return CAROM_OK;
    }
    if (!grow(&list, sizeof *r->notes, r->note_count, &r->note_room)) {
        return CAROM_ERROR_MEMORY;
    }
    r->notes = (noted *)list;
    r->notes[r->note_count++] = (noted){r->tick_count, at};
    return CAROM_OK;
}

/* Reads all chunks, beginning after the head. A replay may be cut anywhere after its first keyframe. */
static carom_status read_chunks(carom_replay *r, size_t at, carom_problem *problem)
{
    uint64_t sum = REPLAY_SUM;
    while (at < r->size) {
        const unsigned char tag = r->bytes[at];
        const bool begun = r->keyframe_count > 0;
        const bool ticks = tag == REPLAY_TICK || tag == REPLAY_PART;
        const bool packed_ticks = tag == (REPLAY_TICK | REPLAY_PACKED) || tag == (REPLAY_PART | REPLAY_PACKED);
        size_t bytes = 0;
        carom_status status = CAROM_OK;

        /* `bytes` stays 0 if the chunk is cut. */
        if (tag == REPLAY_KEYFRAME) {
            bytes = keyframe_bytes(r, at);
            status = bytes != 0 ? read_keyframe(r, at, bytes, sum, problem) : CAROM_OK;
            sum = REPLAY_SUM;
        } else if (begun && (ticks || (packed_ticks && r->version > 1))) {
            status = read_tick(r, at, &bytes, problem);
            sum = hash_bytes(sum, r->bytes + at, bytes);
        } else if (tag == REPLAY_NOTE && r->version > 1) {
            status = read_note(r, at, &bytes, problem);
            sum = hash_bytes(sum, r->bytes + at, bytes);
        } else if (tag == REPLAY_END && begun) {
            return read_end(r, at, sum, problem);
        } else {
            status = damaged(problem, at + 1);
        }

        if (status != CAROM_OK) {
            return status;
        }
        if (bytes == 0) {
            break; /* cut */
        }
        at += bytes;
    }

    return r->keyframe_count > 0
               ? CAROM_OK
               : carom_wrong(problem, CAROM_ERROR_FORMAT, "the replay was cut before its first state");
}

carom_status carom_replay_open(const void *bytes, size_t size, carom_replay **replay, carom_problem *problem)
{
    if (replay != NULL) {
        *replay = NULL;
    }
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    if (bytes == NULL || replay == NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "no bytes, or no pointer for the replay");
    }

    carom_replay *r = (carom_replay *)calloc(1, sizeof *r);
    head h;
    if (r == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    r->bytes = (const unsigned char *)bytes;
    r->size = size;

    /* Each part needs those before it: the head, the game, its worlds, the chunks. */
    carom_status status = read_head(r->bytes, size, &h, problem);
    if (status == CAROM_OK) {
        r->version = h.version;
        r->precision = h.precision == CAROM_F32 ? CAROM_F32 : CAROM_F64; /* read_head() allows no other */
        r->at_end = (carom_at_end)h.at_end;
        r->seed = h.seed;
        r->content = h.content;
        r->count = h.worlds;
        r->record_bytes = h.record_bytes;
        status = find_game(r, &h, problem);
    }

    status = status == CAROM_OK ? check_worlds(r, problem) : status;
    status = status == CAROM_OK ? read_chunks(r, h.bytes, problem) : status;
    if (status != CAROM_OK) {
        carom_replay_close(r);
        return status;
    }

    *replay = r;
    return CAROM_OK;
}

void carom_replay_close(carom_replay *replay)
{
    if (replay != NULL) {
        carom_scene_destroy(replay->scene);
        carom_replay_drop_options(&replay->options);
        free(replay->keyframes);
        free(replay->ticks);
        free(replay->notes);
        free(replay);
    }
}

carom_replay_info carom_replay_describe(const carom_replay *replay)
{
    carom_replay_info info;
    memset(&info, 0, sizeof info);
    if (replay != NULL) {
        info.game = replay->game;
        info.scene = replay->scene;
        info.precision = replay->precision;
        info.at_end = replay->at_end;
        info.seed = replay->seed;
        info.worlds = replay->count;
        info.ticks = replay->tick_count;
        info.whole = replay->whole;
        info.keyframes = replay->keyframe_count;
        info.notes = replay->note_count;
    }
    return info;
}

carom_status carom_replay_note_at(const carom_replay *replay, size_t index, carom_replay_note *note)
{
    if (replay == NULL || note == NULL || index >= replay->note_count) {
        return CAROM_ERROR_ARGUMENT;
    }
    const noted *found = &replay->notes[index];
    note_head begins = {0, 0, 0};
    bool sound;
    (void)note_bytes(replay, found->at, &begins, &sound);
    *note = (carom_replay_note){.kind = (carom_note_kind)(replay->bytes[found->at + 1] & 0xF),
                                .tick = found->tick,
                                .world = (size_t)begins.world,
                                .player = replay->bytes[found->at + 1] >> 4,
                                .text = (const char *)replay->bytes + begins.text,
                                .length = (size_t)begins.length};
    return CAROM_OK;
}

/* ---- playing ---- */

/* The last keyframe that is not later than the state after `ticks` ticks. */
static const keyframe *keyframe_before(const carom_replay *r, uint64_t ticks)
{
    size_t low = 0, high = r->keyframe_count; /* always tick[low] <= ticks < tick[high] */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (r->keyframes[middle].tick <= ticks) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &r->keyframes[low];
}

carom_status carom_replay_load(const carom_replay *r, const keyframe *frame, carom_worlds *worlds)
{
    uint64_t *seeds = (uint64_t *)malloc(r->count * sizeof *seeds);
    if (seeds == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    little_copy(seeds, r->bytes + frame->seeds, r->count, sizeof *seeds);
    carom_status status = carom_worlds_restart(worlds, NULL, NULL, seeds);
    free(seeds);
    for (size_t w = 0; w < r->count && status == CAROM_OK; w++) {
        status = carom_worlds_set_world(worlds, w, r->bytes + frame->records + w * r->record_bytes, r->record_bytes);
    }
    return status == CAROM_ERROR_VALUE ? CAROM_ERROR_FORMAT : status;
}

/* Do these worlds match this replay? */
static bool is_of(const carom_replay *r, const carom_worlds *worlds)
{
    return worlds != NULL && worlds->content == r->content && worlds->desc.count == r->count;
}

/* Is this batch, made for a replay, on the host? If not, notes in the batch that it cannot play. */
static carom_status check_place(carom_worlds *worlds)
{
    return worlds->device == NULL ? CAROM_OK
                                  : carom_worlds_refuse(worlds, CAROM_ERROR_UNSUPPORTED,
                                                        "replays are played on this processor, not on a device");
}

carom_status carom_replay_worlds(const carom_replay *replay, carom_isa isa, unsigned threads, carom_worlds **worlds)
{
    if (worlds != NULL) {
        *worlds = NULL;
    }
    if (replay == NULL || worlds == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    carom_worlds_desc desc = describe(replay, replay->count);
    desc.isa = isa;
    desc.threads = threads;
    carom_status status = carom_worlds_create(&desc, worlds);
    if (status == CAROM_OK) {
        status = carom_replay_load(replay, &replay->keyframes[0], *worlds);
        if (status != CAROM_OK) {
            carom_worlds_destroy(*worlds);
            *worlds = NULL;
        }
    }
    return status;
}

const unsigned char *carom_replay_decode(const carom_replay *r, uint64_t number, const replay_acting *acting,
                                         replay_tick *tick)
{
    const size_t mask = replay_mask_bytes(carom_replay_numbers(r->game, acting));
    const size_t row = carom_replay_row_bytes(r->game, acting);
    const bool packed = is_packed(r, r->ticks[number]);
    const unsigned char *at = r->bytes + r->ticks[number], *still = is_part(r, r->ticks[number]) ? at + 1 : NULL;
    at += 1 + (still != NULL ? replay_mask_bytes(r->count) : 0);

    for (size_t w = 0; w < r->count; w++) {
        tick->still[w] = still != NULL && bit_of(still, w);
        if (tick->still[w] != 0) {
            continue;
        }

        /* The numbers that the mask marks replace those of the previous tick. */
        const unsigned char *value = at + mask;
        unsigned char *to = tick->actions + w * row;
        size_t e = 0;
        for (uint32_t p = 0; p < r->game->info.players; p++) {
            const carom_action_kind *kind = &r->game->kinds[acting->kinds[p]];
            const size_t bytes = kind->precision / 8;
            for (uint32_t n = 0; n < kind->size; n++, e++, to += bytes) {
                if (bit_of(at, e) && packed && kind->precision == CAROM_F64) {
                    double now;
                    memcpy(&now, to, sizeof now);
                    value += carom_replay_unpack(value, REPLAY_MOST_PACKED, now, &now);
                    memcpy(to, &now, sizeof now);
                } else if (bit_of(at, e)) {
                    little_copy(to, value, 1, bytes);
                    value += bytes;
                }
            }
        }

        at = value;
    }
    return at;
}

carom_status carom_replay_actions(const carom_replay *replay, uint64_t tick, size_t *kinds, void *actions,
                                  size_t capacity)
{
    if (replay == NULL || tick >= replay->tick_count) {
        return CAROM_ERROR_ARGUMENT;
    }
    const keyframe *frame = keyframe_before(replay, tick);
    for (uint32_t p = 0; kinds != NULL && p < CAROM_MAX_PLAYERS; p++) {
        kinds[p] = frame->acting.kinds[p];
    }

    if (actions == NULL) {
        return CAROM_OK;
    }
    size_t bytes; /* may exceed 32 bits: a plug-in game's actions can be larger than its records */
    if (!size_multiply(replay->count, carom_replay_row_bytes(replay->game, &frame->acting), &bytes) ||
        capacity < bytes) {
        return CAROM_ERROR_SIZE;
    }

    /* Only changes are stored, so decode all ticks from the keyframe on. */
    replay_tick found;
    if (!carom_replay_tick_take(&found, replay->game, replay->count)) {
        carom_replay_tick_free(&found);
        return CAROM_ERROR_MEMORY;
    }
    for (uint64_t t = frame->tick; t <= tick; t++) {
        carom_replay_decode(replay, t, &frame->acting, &found);
    }
    memcpy(actions, found.actions, bytes);
    carom_replay_tick_free(&found);
    return CAROM_OK;
}

carom_status carom_replay_tick(const keyframe *frame, carom_worlds *worlds, replay_tick *tick, const carom_step *wanted)
{
    carom_step step = wanted != NULL ? *wanted : carom_step_default();
    carom_replay_tick_step(tick, worlds->desc.game, &frame->acting, worlds->desc.count, &step);
    return carom_worlds_play(worlds, &step);
}

carom_status carom_replay_play(const carom_replay *replay, carom_worlds *worlds, uint64_t tick,
                               const carom_step *wanted)
{
    if (replay == NULL || !is_of(replay, worlds) || tick >= replay->tick_count ||
        (wanted != NULL && wanted->size != sizeof *wanted)) {
        return CAROM_ERROR_ARGUMENT;
    }
    carom_status status = check_place(worlds);
    if (status != CAROM_OK) {
        return status;
    }

    const keyframe *frame = keyframe_before(replay, tick);
    replay_tick found;
    status = carom_replay_tick_take(&found, replay->game, replay->count) ? CAROM_OK : CAROM_ERROR_MEMORY;
    if (status == CAROM_OK && frame->tick == tick && frame->jump) {
        status = carom_replay_load(replay, frame, worlds);
    }
    for (uint64_t t = frame->tick; status == CAROM_OK && t <= tick; t++) {
        carom_replay_decode(replay, t, &frame->acting, &found);
    }
    status = status == CAROM_OK ? carom_replay_tick(frame, worlds, &found, wanted) : status;
    carom_replay_tick_free(&found);
    return status;
}

carom_status carom_replay_seek(const carom_replay *replay, carom_worlds *worlds, uint64_t ticks)
{
    if (replay == NULL || !is_of(replay, worlds) || ticks > replay->tick_count) {
        return CAROM_ERROR_ARGUMENT;
    }
    carom_status status = check_place(worlds);
    if (status != CAROM_OK) {
        return status;
    }

    /* At a keyframe that jumps there are two states: the result of the last tick, and the caller's changes to it. The
     * former is wanted, unless there was no tick. */
    const keyframe *frame = keyframe_before(replay, ticks > 0 ? ticks - 1 : 0);
    replay_tick found;
    status = carom_replay_tick_take(&found, replay->game, replay->count) ? CAROM_OK : CAROM_ERROR_MEMORY;
    status = status == CAROM_OK ? carom_replay_load(replay, frame, worlds) : status;
    for (uint64_t t = frame->tick; t < ticks && status == CAROM_OK; t++) {
        carom_replay_decode(replay, t, &frame->acting, &found);
        status = carom_replay_tick(frame, worlds, &found, NULL);
    }
    carom_replay_tick_free(&found);
    return status;
}
