/* SPDX-License-Identifier: MIT
 * Writing replays: keyframes, and the actions of the chosen worlds in every tick.
 */
#include <stdlib.h>

#include "games/driver.h"
#include "replay/format.h"

/* ---- chunks ---- */

carom_status carom_recorder_flush(carom_recorder *r)
{
    const bool whole = !r->chunk.failed;
    const bool taken = whole && r->write(r->user, r->chunk.bytes, r->chunk.size);
    r->chunk.size = 0;
    r->chunk.failed = false;
    r->ended = r->ended || !taken;
    return taken ? CAROM_OK : whole ? CAROM_ERROR_CANCELLED : CAROM_ERROR_MEMORY;
}

/* Writes a keyframe with the state in `records`. It has a separate checksum, so that it can be used before the next one
 * has been read. */
static carom_status write_keyframe(carom_recorder *r, const replay_acting *acting)
{
    const uint8_t tag = REPLAY_KEYFRAME;
    const unsigned end = acting->at_end == CAROM_AS_MADE ? 0 : (unsigned)acting->at_end + 1;
    const uint8_t flags = (uint8_t)((r->begun ? 0u : 1u) | end << 1);
    uint32_t kinds = acting->kinds[0];
    for (uint32_t p = 1; p < CAROM_MAX_PLAYERS && p < r->worlds->desc.game->info.players; p++) {
        kinds |= (acting->kinds[p] ^ acting->kinds[0]) << 8 * p;
    }

    carom_replay_append(&r->chunk, &tag, sizeof tag);
    carom_replay_append_numbers(&r->chunk, &r->sum, 1, sizeof r->sum);
    carom_replay_append(&r->chunk, &flags, sizeof flags);
    carom_replay_append_numbers(&r->chunk, &kinds, 1, sizeof kinds);
    carom_replay_append_numbers(&r->chunk, &acting->dt, 1, sizeof acting->dt);
    carom_replay_append_numbers(&r->chunk, r->seeds, r->count, sizeof *r->seeds);
    carom_replay_append(&r->chunk, r->records, r->count * r->worlds->layout.record_bytes);
    const uint64_t sum = r->chunk.failed ? 0 : hash_bytes(REPLAY_SUM, r->chunk.bytes, r->chunk.size);
    carom_replay_append_numbers(&r->chunk, &sum, 1, sizeof sum);

    /* The checksum of ticks starts again, and the next tick's numbers are compared with 0. */
    r->sum = REPLAY_SUM;
    r->since = 0;
    r->begun = true;
    r->acting = *acting;
    memset(r->before, 0, r->count * carom_game_most_row_bytes(r->worlds->desc.game));
    return carom_recorder_flush(r);
}

/* Appends an array of masks of `numbers` bits, one of which is filled as its numbers are appended. Returns its offset,
 * since the buffer may move. */
static size_t append_mask(replay_buffer *to, size_t numbers)
{
    const size_t at = to->size;
    const uint8_t none = 0;
    for (size_t b = 0; b < replay_mask_bytes(numbers); b++) {
        carom_replay_append(to, &none, sizeof none);
    }
    return at;
}

static void mark(replay_buffer *to, size_t masks, size_t e)
{
    if (!to->failed) {
        to->bytes[masks + e / 8] |= (uint8_t)(1u << e % 8);
    }
}

/* Appends the k-th world's numbers that differ from the previous tick, after a mask that marks them: as they are, and
 * packed. */
static void append_numbers(carom_recorder *r, size_t k)
{
    const carom_game *game = r->worlds->desc.game;
    const size_t row = carom_replay_row_bytes(game, &r->acting), numbers = carom_replay_numbers(game, &r->acting);
    const unsigned char *now = r->tick.actions + k * row;
    unsigned char *then = r->before + k * row;
    const size_t masks = append_mask(&r->chunk, numbers), packed_masks = append_mask(&r->packed, numbers);

    size_t e = 0;
    for (uint32_t p = 0; p < game->info.players; p++) {
        const carom_action_kind *kind = &game->kinds[r->acting.kinds[p]];
        const size_t bytes = kind->precision / 8;
        for (uint32_t n = 0; n < kind->size; n++, e++, now += bytes, then += bytes) {
            if (memcmp(now, then, bytes) == 0) {
                continue;
            }
            unsigned char packed[REPLAY_MOST_PACKED];
            double is, was;
            size_t short_bytes = bytes;
            little_copy(packed, now, 1, bytes);
            if (kind->precision == CAROM_F64) {
                memcpy(&is, now, sizeof is);
                memcpy(&was, then, sizeof was);
                short_bytes = carom_replay_pack(is, was, packed);
            }
            carom_replay_append_numbers(&r->chunk, now, 1, bytes);
            carom_replay_append(&r->packed, packed, short_bytes);
            mark(&r->chunk, masks, e);
            mark(&r->packed, packed_masks, e);
            memcpy(then, now, bytes);
        }
    }
}

/* Writes a tick that has just been played, in the batch or in the shadow: the actions, and the check words. */
static carom_status write_tick(carom_recorder *r, const carom_worlds *played, const replay_acting *acting)
{
    if (!r->begun || r->since == r->interval || acting->at_end != r->acting.at_end ||
        memcmp(acting->kinds, r->acting.kinds, sizeof acting->kinds) != 0 || acting->dt != r->acting.dt) {
        const carom_status status = write_keyframe(r, acting);
        if (status != CAROM_OK) {
            return status;
        }
    }

    /* A tick in which some worlds do not move has a mask of them. */
    const bool part = memchr(r->tick.still, 1, r->count) != NULL;
    const uint8_t tag = part ? REPLAY_PART : REPLAY_TICK, packed_tag = tag | REPLAY_PACKED;
    r->packed.size = 0;
    carom_replay_append(&r->chunk, &tag, sizeof tag);
    carom_replay_append(&r->packed, &packed_tag, sizeof packed_tag);
    for (size_t first = 0; part && first < r->count; first += 8) {
        uint8_t mask = 0;
        for (size_t k = first; k < r->count && k < first + 8; k++) {
            mask |= (uint8_t)(r->tick.still[k] << (k - first));
        }
        carom_replay_append(&r->chunk, &mask, sizeof mask);
        carom_replay_append(&r->packed, &mask, sizeof mask);
    }

    /* The actions of those that move, in the shorter of the two forms. */
    for (size_t k = 0; k < r->count; k++) {
        if (r->tick.still[k] == 0) {
            append_numbers(r, k);
        }
    }
    if (!r->packed.failed && r->packed.size < r->chunk.size) {
        r->chunk.size = 0;
        carom_replay_append(&r->chunk, r->packed.bytes, r->packed.size);
    }
    r->packed.failed = false;

    /* The check words of all, and their records for the next keyframe. */
    for (size_t k = 0; k < r->count; k++) {
        const size_t world = played == r->shadow ? k : r->chosen[k];
        carom_worlds_get_world(played, world, recorder_record(r, k), r->worlds->layout.record_bytes);
        const uint64_t word = carom_replay_word(played, world, recorder_record(r, k));
        carom_replay_append_numbers(&r->chunk, &word, 1, sizeof word);
    }

    r->sum = r->chunk.failed ? 0 : hash_bytes(r->sum, r->chunk.bytes, r->chunk.size);
    r->ticks++;
    r->since++;
    return carom_recorder_flush(r);
}

/* ---- actions ---- */

/* Updates `records` and `seeds` to the chosen worlds' present state. If that is not the result of the last tick, the
 * next one must begin with a keyframe. */
static carom_status refresh_records(carom_recorder *r)
{
    const size_t bytes = r->worlds->layout.record_bytes;
    unsigned char *now = (unsigned char *)malloc(bytes);
    if (now == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    for (size_t k = 0; k < r->count; k++) {
        uint64_t seed = 0;
        carom_worlds_get_world(r->worlds, r->chosen[k], now, bytes);
        carom_worlds_seeds(r->worlds, r->chosen[k], 1, &seed);
        r->begun = r->begun && seed == r->seeds[k] && memcmp(now, recorder_record(r, k), bytes) == 0;
        r->seeds[k] = seed;
        memcpy(recorder_record(r, k), now, bytes);
    }
    free(now);
    return CAROM_OK;
}

/* The number of worlds that a step plays. */
static size_t worlds_of(const carom_worlds *worlds, const carom_step *step)
{
    return step->count != 0 ? step->count : worlds->desc.count - step->first;
}

/* The number of rows of actions that a step has. */
static size_t rows_of(const carom_worlds *worlds, const carom_step *step)
{
    return step->action_rows != 0 ? step->action_rows : worlds_of(worlds, step);
}

/* How a step's ticks are played. */
static replay_acting acting_of(const carom_worlds *worlds, const carom_step *step)
{
    replay_acting acting;
    memset(&acting, 0, sizeof acting);
    for (uint32_t p = 0; p < worlds->desc.game->info.players; p++) {
        acting.kinds[p] = (uint32_t)(carom_drive_has_own(step, p) ? step->players[p].action_kind : step->action_kind);
    }
    acting.at_end = step->at_end == worlds->desc.at_end ? CAROM_AS_MADE : step->at_end;
    acting.dt = step->dt;
    return acting;
}

/* Marks the chosen worlds that do not move in a step; false if none moves. */
static bool find_still(carom_recorder *r, const carom_step *step)
{
    const size_t count = worlds_of(r->worlds, step);
    bool moves = false;
    for (size_t k = 0; k < r->count; k++) {
        const size_t at = r->chosen[k] - step->first; /* wraps to beyond `count` for worlds before the first */
        r->tick.still[k] = at >= count || (step->skip != NULL && step->skip[at] != 0);
        moves = moves || r->tick.still[k] == 0;
    }
    return moves;
}

/* Collects the actions of the players of the k-th chosen world, which is `world` of `from`, in a step of one tick. */
static void collect_actions(carom_recorder *r, const carom_worlds *from, size_t world, const carom_step *step,
                            const replay_acting *acting, size_t k)
{
    const carom_game *game = from->desc.game;
    const carom_action_kind *common = &game->kinds[step->action_kind];
    const size_t at = r->chosen[k] - step->first, row = step->rows != NULL ? step->rows[at] : at;
    const size_t common_part = (size_t)common->size * (common->precision / 8);
    unsigned char *to = r->tick.actions + k * carom_replay_row_bytes(game, acting);

    /* Sort the players by the source of their actions. Those that share the step's array have adjacent rows in it. */
    game_actors actors;
    size_t together = 0;
    memset(&actors, 0, sizeof actors);
    actors.kind = step->action_kind;
    for (uint32_t p = 0; p < game->info.players; p++) {
        together += step->players[p].source == CAROM_GIVEN && !carom_drive_has_own(step, p);
        if (step->players[p].source == CAROM_POLICY) {
            actors.players |= 1u << p;
            actors.policy[p] = step->players[p].policy;
        }
    }

    /* Policies choose for a tile in lanes; only the lane of this world is wanted. */
    const unsigned lane = carom_worlds_lane_of(from, world);
    if (actors.players != 0) {
        uint64_t seeds[CAROM_TILE] = {0};
        seeds[lane] = r->seeds[k]; /* the policy chooses for this lane only */
        const policy_asked asked = {from, carom_worlds_tile_of(from, world), seeds};
        carom_game_act_for(&asked, &actors, 1u << lane, r->lanes, r->row);
    }

    /* Copy each player's numbers to their place in the row. */
    const unsigned char *given =
        step->actions != NULL ? (const unsigned char *)step->actions + row * together * common_part : NULL;
    for (uint32_t p = 0; p < game->info.players; p++) {
        const carom_action_kind *kind = &game->kinds[acting->kinds[p]];
        const size_t bytes = kind->precision / 8, part = (size_t)kind->size * bytes;
        if (carom_drive_has_own(step, p)) {
            memcpy(to, (const unsigned char *)step->players[p].actions + row * part, part);
        } else if (step->players[p].source == CAROM_POLICY) {
            for (size_t e = 0; e < kind->size; e++) {
                const size_t place = (p * (size_t)kind->size + e) * CAROM_TILE + lane;
                memcpy(to + e * bytes, r->lanes + place * bytes, bytes);
            }
        } else if (step->players[p].source == CAROM_GIVEN && given != NULL) {
            memcpy(to, given, part);
            given += part;
        } else {
            memset(to, 0, part);
        }
        to += part;
    }
}

/* ---- steps ---- */

/* Tick `tick` of a call of several, as a separate step: its inputs and outputs begin where those of that tick do. */
static carom_step step_of_tick(const carom_worlds *worlds, const carom_step *step, size_t tick)
{
    const carom_game *game = worlds->desc.game;
    const carom_game_info *info = &game->info;
    const carom_action_kind *kind = &game->kinds[step->action_kind];
    const size_t count = worlds_of(worlds, step), rows = rows_of(worlds, step);
    const size_t seen_rows = step->observation_rows != 0 ? step->observation_rows : count;

    /* The sizes of a tick's outputs. A kind that does not exist counts 0 here; carom_worlds_play() refuses it. */
    carom_observation_kind seen;
    carom_reward_kind rewarded;
    memset(&seen, 0, sizeof seen);
    memset(&rewarded, 0, sizeof rewarded);
    carom_game_observation_kind(game, step->observation_kind, &seen);
    carom_game_reward_kind(game, step->reward_kind, &rewarded);
    const size_t agents =
        step->observed != 0 ? (size_t)__builtin_popcountll(step->observed) : (size_t)info->players * seen.agents;
    const size_t observed = tick * seen_rows * agents * seen.size;

    /* Arrays of single players, and the number of players that share the step's array. */
    carom_step one = *step;
    size_t given = 0;
    for (uint32_t p = 0; p < info->players; p++) {
        given += step->players[p].source == CAROM_GIVEN && !carom_drive_has_own(step, p);
        if (carom_drive_has_own(step, p)) {
            const carom_action_kind *own = &game->kinds[step->players[p].action_kind];
            one.players[p].actions =
                (const unsigned char *)step->players[p].actions + tick * rows * own->size * (own->precision / 8);
        }
    }

    /* Move every other array of the caller to the part of this tick. */
    one.ticks = 1;
#define MOVE(member, elements) one.member = step->member != NULL ? step->member + (elements) : NULL
    const unsigned char *actions = (const unsigned char *)step->actions;
    one.actions = actions != NULL ? actions + tick * rows * given * kind->size * (kind->precision / 8) : NULL;
    MOVE(observations, observed);
    MOVE(last_observations, observed);
    MOVE(rewards, tick * count * info->players * rewarded.agents);
    MOVE(ends, tick * count);
    MOVE(events, tick * count * step->event_capacity);
    MOVE(contacts, tick * count * step->event_capacity);
    MOVE(event_counts, tick * count);
    MOVE(moved, tick * count * info->bodies * 4);
    MOVE(results, tick * count);
#undef MOVE
    unsigned char *played = (unsigned char *)step->played;
    one.played = played != NULL ? played + tick * count * info->players * kind->size * (kind->precision / 8) : NULL;
    return one;
}

/* Checks the parts of a step that the recorder reads: worlds and actions. carom_worlds_play() checks the rest. */
static bool is_readable(const carom_worlds *worlds, const carom_step *step)
{
    const carom_game_info *info = &worlds->desc.game->info;
    bool good = step->size == sizeof *step && step->ticks >= 1 && step->repeat >= 1 &&
                step->action_kind < info->action_kinds && step->dt >= 0 && step->first < worlds->desc.count &&
                step->count <= worlds->desc.count - step->first && (unsigned)step->at_end <= CAROM_AS_MADE;

    for (uint32_t p = 0; good && p < info->players; p++) {
        const carom_source source = step->players[p].source;
        good = source == CAROM_GIVEN || source == CAROM_ZERO ||
               (source == CAROM_POLICY && step->players[p].policy < info->policies);
        good = good && (!carom_drive_has_own(step, p) || step->players[p].action_kind < info->action_kinds);
    }

    const size_t count = good ? worlds_of(worlds, step) : 0, rows = good ? rows_of(worlds, step) : 0;
    for (size_t w = 0; good && step->rows != NULL && w < count; w++) {
        good = step->rows[w] < rows;
    }
    return good && (step->rows != NULL || rows >= count || step->actions == NULL);
}

/* Sets the shadow to the state of the chosen worlds. */
static carom_status copy_to_shadow(carom_recorder *r)
{
    const size_t bytes = r->worlds->layout.record_bytes;
    carom_status status = carom_worlds_restart(r->shadow, NULL, NULL, r->seeds);
    for (size_t k = 0; k < r->count && status == CAROM_OK; k++) {
        status = carom_worlds_set_world(r->shadow, k, recorder_record(r, k), bytes);
    }
    return status;
}

/* Replays a step that repeats its actions in the shadow, after the batch has played it, to record each of its ticks. */
static carom_status play_in_shadow(carom_recorder *r, const carom_step *step, const replay_acting *acting)
{
    carom_status status = CAROM_OK;
    for (size_t tick = 0; tick < step->repeat && status == CAROM_OK; tick++) {
        carom_step one = carom_step_default();
        bool moves = false;

        /* Policies choose in every tick; given actions are the same in all of them. */
        for (size_t k = 0; k < r->count; k++) {
            if (r->tick.still[k] == 0) {
                collect_actions(r, r->shadow, k, step, acting, k);
                moves = true;
            }
        }

        if (!moves) {
            break;
        }

        carom_replay_tick_step(&r->tick, r->worlds->desc.game, acting, r->count, &one);
        one.ends = r->over;
        status = carom_worlds_play(r->shadow, &one);
        status = status == CAROM_OK ? write_tick(r, r->shadow, acting) : status;

        for (size_t k = 0; k < r->count; k++) {
            r->tick.still[k] |= r->over[k] != 0; /* a game that is over waits for the next step */
        }
    }
    return status;
}

/* Plays a step in the batch, and records it. */
static carom_status play_step(carom_recorder *r, carom_worlds *worlds, const carom_step *step)
{
    const replay_acting acting = acting_of(worlds, step);
    const bool moves = find_still(r, step), several = step->repeat > 1;

    /* Before the batch plays, take what its state determines: the actions of one tick, or the state for the shadow. */
    carom_status status = moves && several ? copy_to_shadow(r) : CAROM_OK;
    for (size_t k = 0; k < r->count && !several; k++) {
        if (r->tick.still[k] == 0) {
            collect_actions(r, worlds, r->chosen[k], step, &acting, k);
        }
    }

    /* A step that fails may have changed worlds: the next one begins with a keyframe. */
    status = status == CAROM_OK ? carom_worlds_play(worlds, step) : status;
    if (status != CAROM_OK) {
        r->begun = false;
        return status;
    }

    if (moves) {
        status = several ? play_in_shadow(r, step, &acting) : write_tick(r, worlds, &acting);
    }
    return status;
}

carom_status carom_recorder_play(carom_recorder *recorder, carom_worlds *worlds, const carom_step *step)
{
    carom_recorder *r = recorder;
    if (r == NULL || worlds == NULL || step == NULL || r->worlds != worlds || !is_readable(worlds, step)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (r->ended) {
        return CAROM_ERROR_CANCELLED;
    }

    carom_status status = refresh_records(r);
    for (size_t tick = 0; tick < step->ticks && status == CAROM_OK; tick++) {
        const carom_step one = step_of_tick(worlds, step, tick);
        status = play_step(r, worlds, &one);
    }
    return status;
}

carom_status carom_recorder_note(carom_recorder *recorder, const carom_replay_note *note)
{
    carom_recorder *r = recorder;
    if (r == NULL || note == NULL || (unsigned)note->kind > CAROM_NOTE_REFEREE || note->world >= r->count ||
        note->player >= r->worlds->desc.game->info.players || note->length > CAROM_REPLAY_TEXT ||
        (note->text == NULL && note->length > 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (r->ended) {
        return CAROM_ERROR_CANCELLED;
    }

    const uint8_t tag = REPLAY_NOTE, whose = (uint8_t)((unsigned)note->kind | note->player << 4);
    unsigned char whole[REPLAY_MOST_WHOLE];
    carom_replay_append(&r->chunk, &tag, sizeof tag);
    carom_replay_append(&r->chunk, &whose, sizeof whose);
    carom_replay_append(&r->chunk, whole, replay_put_whole(note->world, whole));
    carom_replay_append(&r->chunk, whole, replay_put_whole(note->length, whole));
    carom_replay_append(&r->chunk, note->text, note->length);

    /* Its bytes are in the sum of the ticks around it. */
    r->sum = r->chunk.failed ? 0 : hash_bytes(r->sum, r->chunk.bytes, r->chunk.size);
    return carom_recorder_flush(r);
}

carom_status carom_recorder_end(carom_recorder *recorder)
{
    if (recorder == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (recorder->ended) {
        return CAROM_ERROR_CANCELLED;
    }

    /* If the state does not follow from the ticks, write it as a last keyframe. */
    const uint8_t tag = REPLAY_END;
    carom_status status = CAROM_OK;
    if (!recorder->begun) {
        const replay_acting acting = {.at_end = CAROM_AS_MADE};
        status = refresh_records(recorder);
        status = status == CAROM_OK ? write_keyframe(recorder, &acting) : status;
    }

    if (status == CAROM_OK) {
        carom_replay_append(&recorder->chunk, &tag, sizeof tag);
        carom_replay_append_numbers(&recorder->chunk, &recorder->sum, 1, sizeof recorder->sum);
        carom_replay_append_numbers(&recorder->chunk, &recorder->ticks, 1, sizeof recorder->ticks);
        status = carom_recorder_flush(recorder);
    }

    recorder->ended = true;
    return status;
}
