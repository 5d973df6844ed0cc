/* SPDX-License-Identifier: MIT
 * The options of a game as bytes, by its table of options. One walk over the table writes or reads them; members
 * without a fixed width in C are stored as 32-bit integers. The game itself checks them when worlds are made.
 */
#include <stdlib.h>

#include <carom/fall.h>

#include "games/game.h"
#include "replay/format.h"

#define CODE(walk, member) carom_replay_code(walk, &(member), 1, sizeof(member))

static bool is_reading(const replay_walk *walk)
{
    return walk->to == NULL;
}

/* Allocates a list of `count` items of `bytes` each, which the options own. Unless at least `least` bytes are left for
 * each item, the walk fails and the result is NULL: damaged counts allocate no more than the file's size warrants. */
static void *make_room(replay_walk *walk, replay_options *options, size_t count, size_t bytes, size_t least)
{
    if (walk->failed || count == 0 || count > walk->left / least) {
        walk->failed = true;
        return NULL;
    }
    void *room = calloc(count, bytes);
    walk->failed = room == NULL;
    options->blocks[options->block_count++] = room;
    return room;
}

/* The maps of csb, the only list whose items point to other memory. */
static void code_maps(replay_walk *walk, replay_options *options, carom_csb_options *o)
{
    const bool reading = is_reading(walk);
    carom_csb_map *maps = (carom_csb_map *)(uintptr_t)o->maps;
    if (reading) {
        maps = (carom_csb_map *)make_room(walk, options, o->map_count, sizeof *maps, 2 * sizeof(uint32_t));
        o->maps = maps;
    }

    /* The sizes of all maps come first, so that one list can hold all checkpoints. */
    size_t points = 0;
    for (uint32_t k = 0; maps != NULL && k < o->map_count; k++) {
        carom_csb_map map = maps[k];
        CODE(walk, map.count);
        CODE(walk, map.laps);
        walk->failed = walk->failed || map.count > SIZE_MAX - points; /* where sizes have 32 bits */
        points += map.count;
        if (reading) {
            maps[k] = map;
        }
    }

    int32_t(*all)[2] = NULL;
    if (reading) {
        all = (int32_t(*)[2])make_room(walk, options, points, sizeof *all, sizeof *all);
    }

    /* Then the checkpoints. Each map points into the list. */
    points = 0;
    for (uint32_t k = 0; !walk->failed && maps != NULL && k < o->map_count; k++) {
        for (uint32_t c = 0; c < maps[k].count; c++) {
            int32_t place[2] = {0, 0};
            if (!reading) {
                memcpy(place, maps[k].checkpoints[c], sizeof place);
            }
            carom_replay_code(walk, place, 2, sizeof place[0]);
            if (all != NULL) {
                memcpy(all[points + c], place, sizeof place);
            }
        }
        if (reading) {
            maps[k].checkpoints = (const int32_t(*)[2])(all + points);
        }
        points += maps[k].count;
    }
}

/* A flag for whether there are maps, then the maps. Without them, csb draws map_count maps; a replay limits their
 * number. */
static void code_whether_maps(replay_walk *walk, replay_options *options)
{
    carom_csb_options *o = (carom_csb_options *)options->bytes;
    uint8_t own = o->maps != NULL;
    CODE(walk, own);
    if (own != 0) {
        code_maps(walk, options, o);
    } else {
        o->maps = NULL;
        walk->failed = walk->failed || o->map_count > CAROM_REPLAY_MAPS;
    }
}

/* An option that points to a seed, or is NULL. */
static void code_seed(replay_walk *walk, replay_options *options, void *member)
{
    const uint64_t *at = NULL;
    memcpy((void *)&at, member, sizeof at);
    uint8_t given = at != NULL;
    uint64_t seed = given != 0 && !is_reading(walk) ? *at : 0;
    CODE(walk, given);
    if (given != 0) {
        CODE(walk, seed);
    }
    if (is_reading(walk)) {
        options->seed = seed;
        at = given != 0 ? &options->seed : NULL;
        memcpy(member, (const void *)&at, sizeof at);
    }
}

/* An item of a list: a number, or a body of fall, the only structure without pointers that options list. */
static void code_item(replay_walk *walk, unsigned char *item, size_t bytes)
{
    const size_t ints = offsetof(carom_fall_body, fixed), corners = offsetof(carom_fall_body, corners);
    if (bytes <= sizeof(uint64_t)) {
        carom_replay_code(walk, item, 1, bytes);
        return;
    }
    carom_replay_code(walk, item, ints / sizeof(double), sizeof(double));
    carom_replay_code(walk, item + ints, (corners - ints) / sizeof(int32_t), sizeof(int32_t));
    carom_replay_code(walk, item + corners, (bytes - corners) / sizeof(double), sizeof(double));
}

/* The items of a list, whose length has already been coded. */
static void code_items(replay_walk *walk, replay_options *options, const carom_option *list)
{
    void *items = NULL;
    uint32_t count = 0;
    memcpy((void *)&items, options->bytes + list->offset, sizeof items);
    memcpy(&count, options->bytes + list->count_offset, sizeof count);
    if (is_reading(walk)) {
        items = count != 0 ? make_room(walk, options, count, list->item_bytes, list->item_bytes) : NULL;
        memcpy(options->bytes + list->offset, (const void *)&items, sizeof items);
    }
    if (!walk->failed && count != 0) {
        for (uint32_t k = 0; k < count; k++) {
            code_item(walk, (unsigned char *)items + k * list->item_bytes, list->item_bytes);
        }
    }
}

/* One member. For a list only the length; a preset is not a member. */
static void code_member(replay_walk *walk, replay_options *options, const carom_option *option)
{
    unsigned char *member = options->bytes + option->offset;
    if (option->type == CAROM_OPTION_SEED) {
        code_seed(walk, options, member);
    } else if (option->type == CAROM_OPTION_LIST && option->item_bytes == 0) {
        code_whether_maps(walk, options);
    } else if (option->type == CAROM_OPTION_LIST) {
        carom_replay_code(walk, options->bytes + option->count_offset, 1, sizeof(uint32_t));
    } else if (option->type == CAROM_OPTION_NUMBER) {
        carom_replay_code(walk, member, 1, option->bytes);
    } else if (option->type != CAROM_OPTION_PRESET) {
        uint32_t number = (uint32_t)carom_option_get(option, options->bytes);
        CODE(walk, number);
        number_put(member, number, option->bytes);
    }
}

bool carom_replay_code_options(replay_walk *walk, const carom_game *game, const void *given, replay_options *options)
{
    const game_options *about = game->options;
    options->bytes = about != NULL ? (unsigned char *)calloc(1, about->bytes) : NULL;
    if (options->bytes == NULL) {
        return false;
    }

    /* A structure begins with its size, which is not stored. */
    memcpy(options->bytes, given != NULL ? given : &about->bytes, given != NULL ? about->bytes : sizeof about->bytes);

    /* Members in the order of the table; the items of lists come last. */
    for (size_t k = 0; k < about->count; k++) {
        code_member(walk, options, &about->table[k]);
    }
    for (size_t k = 0; k < about->count; k++) {
        if (about->table[k].item_bytes != 0) {
            code_items(walk, options, &about->table[k]);
        }
    }
    return true;
}

void carom_replay_drop_options(replay_options *options)
{
    free(options->bytes);
    for (size_t k = 0; k < options->block_count; k++) {
        free(options->blocks[k]);
    }
}
