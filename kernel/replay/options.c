/* SPDX-License-Identifier: MIT
 * The options of the shipped games as bytes. One walk over each structure writes and reads it; members without a fixed
 * width in C go through an integer of 32 bits. What is read is checked by the game itself, when worlds are made of it.
 */
#include <assert.h>
#include <stdlib.h>

#include "replay/format.h"

#define CODE(walk, member) carom_replay_code(walk, &(member), sizeof(member))
#define CODE_U32(walk, type, member)                                                                                   \
    do {                                                                                                               \
        uint32_t number = (uint32_t)(member);                                                                          \
        CODE(walk, number);                                                                                            \
        (member) = (type)number;                                                                                       \
    } while (0)

/* Room for `count` things of `bytes` each, of which at least `least` bytes each must still come; NULL, and the walk has
 * failed, if they do not. */
static void *make_room(replay_walk *walk, size_t count, size_t bytes, size_t least)
{
    if (walk->failed || count == 0 || count > walk->left / least) {
        walk->failed = true;
        return NULL;
    }
    void *room = calloc(count, bytes);
    walk->failed = room == NULL;
    return room;
}

/* A member that is new to one of these structures belongs into its walk below, and its size here. */
static_assert(sizeof(void *) != 8 || (sizeof(carom_csb_options) == 72 && sizeof(carom_fall_options) == 72 &&
                                      sizeof(carom_fantastic_bits_options) == 32 &&
                                      sizeof(carom_soccer_options) == 200 && sizeof(carom_stones_options) == 48),
              "every option is in a replay");

/* ---- csb ---- */

static void code_maps(replay_walk *walk, replay_options *options)
{
    carom_csb_options *o = &options->of.csb;
    const bool reading = walk->to == NULL;
    carom_csb_map *maps = (carom_csb_map *)(uintptr_t)o->maps;
    if (reading) {
        maps = (carom_csb_map *)make_room(walk, o->map_count, sizeof *maps, 2 * sizeof(uint32_t));
        options->blocks[0] = maps;
        o->maps = maps;
    }
    size_t points = 0;
    for (uint32_t k = 0; maps != NULL && k < o->map_count; k++) {
        carom_csb_map map = maps[k];
        CODE(walk, map.count);
        CODE(walk, map.laps);
        points += map.count;
        if (reading) {
            maps[k] = map;
        }
    }
    int32_t(*all)[2] = NULL;
    if (reading) {
        all = (int32_t(*)[2])make_room(walk, points, sizeof *all, sizeof *all);
        options->blocks[1] = all;
    }
    points = 0;
    for (uint32_t k = 0; !walk->failed && maps != NULL && k < o->map_count; k++) {
        for (uint32_t c = 0; c < maps[k].count; c++) {
            int32_t place[2] = {0, 0};
            if (!reading) {
                memcpy(place, maps[k].checkpoints[c], sizeof place);
            }
            CODE(walk, place);
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

static void code_map_seed(replay_walk *walk, replay_options *options)
{
    carom_csb_options *o = &options->of.csb;
    uint8_t given = o->map_seed != NULL;
    uint64_t seed = given != 0 && walk->to != NULL ? *o->map_seed : 0;
    CODE(walk, given);
    if (given != 0) {
        CODE(walk, seed);
    }
    options->map_seed = seed;
    o->map_seed = given != 0 ? &options->map_seed : NULL;
}

static void code_csb(replay_walk *walk, replay_options *options)
{
    carom_csb_options *o = &options->of.csb;
    uint8_t own = o->maps != NULL;
    o->size = sizeof *o;
    CODE_U32(walk, carom_csb_rules, o->rules);
    CODE(walk, o->map_count);
    CODE(walk, own);
    if (own != 0) {
        code_maps(walk, options);
    } else {
        o->maps = NULL;
    }
    code_map_seed(walk, options);
    CODE(walk, o->ticks);
    CODE(walk, o->fair_timeouts);
    CODE(walk, o->alone);
    CODE(walk, o->progress_reward);
    CODE(walk, o->checkpoint_reward);
    CODE(walk, o->result_reward);
    walk->failed = walk->failed || (own == 0 && o->map_count > CAROM_REPLAY_MAPS);
}

/* ---- the others ---- */

static void code_fantastic_bits(replay_walk *walk, replay_options *options)
{
    carom_fantastic_bits_options *o = &options->of.fantastic_bits;
    o->size = sizeof *o;
    CODE(walk, o->snaffles);
    CODE(walk, o->seed_count);
    if (walk->to == NULL) {
        options->blocks[0] =
            o->seed_count != 0 ? make_room(walk, o->seed_count, sizeof *o->seeds, sizeof *o->seeds) : NULL;
        o->seeds = (const int64_t *)options->blocks[0];
    }
    if (!walk->failed && o->seed_count != 0) {
        carom_replay_code(walk, (void *)(uintptr_t)o->seeds, o->seed_count * sizeof *o->seeds);
    }
}

static void code_soccer(replay_walk *walk, replay_options *options)
{
    carom_soccer_options *o = &options->of.soccer;
    o->size = sizeof *o;
    uint32_t *counts[] = {&o->robots, &o->balls, &o->goals, &o->ticks, &o->continuous};
    double *numbers[] = {&o->rate,
                         &o->length,
                         &o->width,
                         &o->mouth,
                         &o->robot_radius,
                         &o->robot_mass,
                         &o->ball_radius,
                         &o->ball_mass,
                         &o->robot_restitution,
                         &o->ball_restitution,
                         &o->wall_restitution,
                         &o->friction,
                         &o->max_speed,
                         &o->max_acceleration,
                         &o->max_spin,
                         &o->max_spin_acceleration,
                         &o->kick_speed,
                         &o->kick_reset,
                         &o->arc,
                         &o->reach,
                         &o->stickiness};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        CODE(walk, *counts[k]);
    }
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        CODE(walk, *numbers[k]);
    }
}

static void code_stones(replay_walk *walk, replay_options *options)
{
    carom_stones_options *o = &options->of.stones;
    o->size = sizeof *o;
    CODE_U32(walk, carom_stones_rules, o->rules);
    CODE(walk, o->stones);
    CODE(walk, o->ticks);
    CODE(walk, o->ring);
    CODE(walk, o->loss);
    uint32_t check = o->check ? 1 : 0;
    CODE(walk, check);
    o->check = check != 0;
}

static void code_fall_body(replay_walk *walk, carom_fall_body *b)
{
    double *numbers[] = {&b->x, &b->y, &b->vx, &b->vy, &b->ax, &b->ay, &b->radius, &b->mass};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        CODE(walk, *numbers[k]);
    }
    CODE(walk, b->fixed);
    CODE(walk, b->corner_count);
    CODE(walk, b->corners);
}

static void code_fall(replay_walk *walk, replay_options *options)
{
    carom_fall_options *o = &options->of.fall;
    o->size = sizeof *o;
    CODE(walk, o->body_count);
    double *numbers[] = {&o->scatter, &o->gravity, &o->keep, &o->cutoff, &o->kick};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        CODE(walk, *numbers[k]);
    }
    CODE(walk, o->last_tick);
    if (walk->to == NULL) {
        options->blocks[0] = o->body_count != 0
                                 ? make_room(walk, o->body_count, sizeof(carom_fall_body), sizeof(carom_fall_body))
                                 : NULL;
        o->bodies = (const carom_fall_body *)options->blocks[0];
    }
    for (uint32_t k = 0; !walk->failed && k < o->body_count; k++) {
        code_fall_body(walk, (carom_fall_body *)(uintptr_t)&o->bodies[k]);
    }
}

bool carom_replay_code_options(replay_walk *walk, const char *game, replay_options *options)
{
    static const struct {
        const char *game;
        void (*code)(replay_walk *walk, replay_options *options);
    } known[] = {{"csb", code_csb},
                 {"fall", code_fall},
                 {"fantastic_bits", code_fantastic_bits},
                 {"soccer", code_soccer},
                 {"stones", code_stones}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(known[k].game, game) == 0) {
            known[k].code(walk, options);
            return true;
        }
    }
    return false;
}
