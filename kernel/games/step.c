/* SPDX-License-Identifier: MIT
 * The defaults of a carom_step, the checks of its arguments, and where its numbers are.
 */
#include "games/step.h"

#include <float.h>
#include <string.h>

#include "worlds/device.h"
#include "worlds/layout.h"

/* If the observations of a step exceed this many bytes, they bypass the caches. That is slower if they would have
 * fitted (7 MB: by a tenth), and faster otherwise (115 MB: 1.1 times). */
#define STREAMED ((size_t)32 << 20)

carom_step carom_step_default(void)
{
    carom_step step;
    memset(&step, 0, sizeof step);
    step.size = sizeof step;
    step.ticks = 1;
    step.repeat = 1;
    step.at_end = CAROM_AS_MADE;
    for (int p = 0; p < CAROM_MAX_PLAYERS; p++) {
        step.players[p].source = CAROM_GIVEN;
    }
    return step;
}

/* Notes in the batch why a step was refused. */
static carom_status refuse(const play *p, const char *why)
{
    return carom_worlds_refuse(p->worlds, CAROM_ERROR_ARGUMENT, "%s: %s", p->d.game->info.name, why);
}

/* Finds where each player's numbers come from. */
static const char *find_given(play *p)
{
    const carom_step *step = p->step;
    const uint32_t players = p->d.game->info.players;

    /* A row of the step's array has the numbers of all players without a separate array. */
    uint32_t row = 0, before = 0;
    for (uint32_t player = 0; player < players; player++) {
        row += step->players[player].source == CAROM_GIVEN && !carom_drive_has_own(step, player);
    }

    /* Players that are adjacent both there and in the world are packed at once. */
    bool last = false; /* the previous player's numbers are in that array */
    for (uint32_t player = 0; player < players; player++) {
        const carom_source source = step->players[player].source;
        const carom_action_kind *kind = &p->d.game->kinds[p->d.kinds[player]];
        const uint32_t bytes = (uint32_t)kind->precision / 8, size = kind->size * bytes;
        const bool own = carom_drive_has_own(step, player), together = source == CAROM_GIVEN && !own;
        const unsigned char *actions = (const unsigned char *)(own ? step->players[player].actions : step->actions);
        if (together && last) {
            p->given[p->given_count - 1].numbers += kind->size;
        } else if (source == CAROM_GIVEN && actions != NULL) {
            p->given[p->given_count++] = (play_given){
                .actions = own ? actions : actions + (size_t)before * size,
                .row_bytes = (size_t)size * (own ? 1 : row),
                .numbers = kind->size,
                .number_bytes = bytes,
                .at = p->d.actions_at[player] + (size_t)player * size,
            };
        } else if (source != CAROM_GIVEN && source != CAROM_ZERO && source != CAROM_POLICY) {
            return "a player has an unknown source";
        } else {
            p->zeros |= source != CAROM_POLICY;
        }
        before += together;
        last = together && actions != NULL;
    }
    return NULL;
}

/* Finds the worlds of the call, and the tiles that hold them. */
static const char *find_worlds(play *p)
{
    const size_t all = p->worlds->desc.count, first = p->step->first, count = p->step->count;
    if (first >= all || count > all - first) {
        return "not all of `count` worlds from `first` on are in the batch";
    }

    p->first = first;
    p->count = count != 0 ? count : all - first;

    /* The first and the last tile may also hold worlds outside the call. */
    const unsigned lanes = p->worlds->layout.lanes;
    p->first_tile = first / lanes;
    p->end = (first + p->count - 1) / lanes + 1;
    p->run = carom_drive_run_length(p->worlds, p->end - p->first_tile);
    return NULL;
}

/* Are all rows of the call below the limit? NULL: they are not listed. Lists in a device's memory cannot be read here;
 * the device's code checks them. */
static bool within(const play *p, const uint32_t *rows, size_t limit)
{
    for (size_t w = 0; w < p->count && rows != NULL && !carom_is_on_device(p->worlds); w++) {
        if (rows[w] >= limit) {
            return false;
        }
    }
    return true;
}

/* Finds where observations go: without `places` world w has row w. Scattered rows are never streamed, since only
 * adjacent ones fill whole cache lines. */
static const char *find_places(play *p)
{
    const carom_step *step = p->step;
    p->observation_rows = step->observation_rows != 0 ? step->observation_rows : p->count;
    p->streams = step->places == NULL && p->count * p->d.width * sizeof(float) > STREAMED;
    return (step->places == NULL ? p->observation_rows < p->count : !within(p, step->places, p->observation_rows))
               ? "`observation_rows` is too small"
               : NULL;
}

bool carom_play_takes_dt(const carom_game *game, carom_precision precision, double dt)
{
    const bool f32 = precision == CAROM_F32;
    return dt == 0 || (game->any_dt && dt >= (f32 ? FLT_MIN : DBL_MIN) && dt <= (f32 ? FLT_MAX : DBL_MAX));
}

/* Checks number and length of ticks, ends and recording. */
static const char *check_ticks(const play *p)
{
    const carom_step *step = p->step;
    if (step->ticks < 1 || step->repeat < 1) {
        return "`ticks` and `repeat` are at least 1";
    }
    if (!carom_play_takes_dt(p->d.game, p->worlds->desc.precision, step->dt)) {
        return "its ticks have a fixed length, or `dt` is invalid";
    }
    if (step->at_end < CAROM_PLAY_ON || step->at_end > CAROM_AS_MADE) {
        return "`at_end` is invalid";
    }
    if ((step->events != NULL || step->event_counts != NULL || step->moved != NULL) &&
        (step->repeat > 1 || step->first % CAROM_TILE != 0)) {
        return "recording needs `repeat` 1 and `first` a multiple of 16";
    }
    if (step->contacts != NULL && step->events == NULL) {
        return "`contacts` need `events`";
    }
    if (step->played != NULL && (step->repeat > 1 || p->d.kind != step->action_kind)) {
        return "`played` needs `repeat` 1, and all players to act with the step's kind";
    }
    return NULL;
}

/* Fills what steps that play and steps that only observe have in common. bound: the step to bind, `step` itself or a
 * reduced one. */
static const char *begin_play(play *p, carom_worlds *worlds, const carom_step *step, const carom_step *bound)
{
    memset(p, 0, sizeof *p);
    p->worlds = worlds;
    p->step = step;
    const char *why = carom_drive_bind(&p->d, worlds, bound);
    why = why == NULL ? find_worlds(p) : why;
    return why == NULL ? find_places(p) : why;
}

carom_status carom_play_ask_parents(play *p, const carom_worlds *parents, const size_t *from)
{
    if (parents == p->worlds) {
        return refuse(p, "parents and children are the same batch");
    }
    if (!carom_worlds_are_alike(p->worlds, parents)) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* On the host, parents on a device are read from their mirror. */
    if (carom_is_on_device(p->worlds) && parents->desc.device != p->worlds->desc.device) {
        return refuse(p, "the parents are not on the children's device: copy them there first");
    }

    /* The list is checked where it can be read, as in within(). Without one, each world's parent has its own number. */
    bool there = from != NULL || p->first + p->count <= parents->desc.count;
    for (size_t w = 0; w < p->count && from != NULL && !carom_is_on_device(p->worlds); w++) {
        there &= from[w] < parents->desc.count;
    }
    if (!there) {
        return refuse(p, "`from` names a world that the parents' batch does not have");
    }

    p->parents = parents;
    p->from = from;
    return CAROM_OK;
}

carom_status carom_play_ask(play *p, carom_worlds *worlds, const carom_step *step)
{
    const char *why = begin_play(p, worlds, step, step);
    why = why == NULL ? check_ticks(p) : why;
    why = why == NULL ? find_given(p) : why;

    /* Fill in the step's defaults. Without `rows` world w acts as row w, so there must be a row for each. */
    p->at_end = step->at_end == CAROM_AS_MADE ? worlds->desc.at_end : step->at_end;
    p->action_rows = step->action_rows != 0 ? step->action_rows : p->count;
    if (why == NULL && (step->rows == NULL ? p->action_rows < p->count : !within(p, step->rows, p->action_rows))) {
        why = "`action_rows` is too small";
    }

    return why == NULL ? CAROM_OK : refuse(p, why);
}

carom_status carom_play_ask_seen(play *p, carom_worlds *worlds, const carom_step *step)
{
    /* Bind only what is observed: the step's actions, policies and rewards are not read, so they must not fail it. */
    carom_step seen = carom_step_default();
    seen.observation_kind = step->observation_kind;
    seen.observed = step->observed;
    const char *why = begin_play(p, worlds, step, &seen);
    why = why == NULL && step->observations == NULL ? "no array for the observations" : why;
    return why == NULL ? CAROM_OK : refuse(p, why);
}
