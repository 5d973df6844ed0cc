/* SPDX-License-Identifier: MIT
 * A trial of a game, part of the host's side: its rules are compiled once more, for one world at width 1 in f64, so
 * that every number by which they name a part of what the tick holds is compared with what the game declares
 * (tick/checked.h). The library plays one before it takes a game, `carom check` plays many. table.h includes this file
 * after the rules.
 */
#ifndef CAROM_KIT_ENGINE_TRIAL_H
#define CAROM_KIT_ENGINE_TRIAL_H

#include "tick/one_driver.h"

#define KIT_SEEN (RULES_PLAYERS * RULES_OBSERVATION)
#if defined(RULES_EGO)
#define KIT_EGO_SEEN (RULES_PLAYERS * RULES_AGENTS * RULES_EGO)
#else
#define KIT_EGO_SEEN 0
#endif
#define KIT_MOST_SEEN (KIT_SEEN > KIT_EGO_SEEN ? KIT_SEEN : KIT_EGO_SEEN)
#define KIT_TRIAL_EVENTS 16
#if defined(RULES_AGENTS)
#define KIT_REWARDED (RULES_PLAYERS * RULES_AGENTS)
#else
#define KIT_REWARDED RULES_PLAYERS
#endif

/* What a world is played in. */
typedef struct kit_table {
    one_world world;
    one_home home; /* the world as policies see it: in lane 0 */
    game_tick tick;
    carom_event events[KIT_TRIAL_EVENTS];
    uint32_t event_count;
    double moved[RULES_BODIES > 0 ? RULES_BODIES * 4 : 1];
    float seen[KIT_MOST_SEEN > 0 ? KIT_MOST_SEEN : 1];
    uint8_t set[KIT_MOST_SEEN > 0 ? KIT_MOST_SEEN : 1]; /* the numbers of `seen` that the rules have set */
    double values[RULES_PLAYERS];
    float rewards[KIT_REWARDED];
    alignas(8) unsigned char actions[RULES_PLAYERS * KIT_MOST_NUMBERS * sizeof(double)];
} kit_table;

/* Has everything been set that players see? */
static void kit_look_over(const kit_table *table)
{
#if defined(RULES_EGO)
    for (unsigned k = 0; k < KIT_EGO_SEEN && table->tick.view == 1; k++) {
        if (!table->set[k]) {
            CHECKED_WRONG("rules_observe_ego() does not set number %u of what body %u sees, of %d", k % RULES_EGO,
                          k / RULES_EGO, RULES_EGO);
            return;
        }
    }
    if (table->tick.view == 1) {
        return;
    }
#endif
    for (unsigned k = 0; k < KIT_SEEN; k++) {
        if (!table->set[k]) {
            CHECKED_WRONG("rules_observe() does not set number %u of what player %u sees, of RULES_OBSERVATION %d",
                          k % RULES_OBSERVATION, k / RULES_OBSERVATION, RULES_OBSERVATION);
            return;
        }
    }
}

/* The actions of all players. Numbers that a policy does not set, or sets beyond those of the kind, are found out. */
static void kit_act(kit_table *table, const kit_trial *trial)
{
    const carom_action_kind *kind = &kit_kinds[trial->kind];
    const double unset = -0x1.5a5a5a5a5a5a5p+1000;
    one_store(&table->home, &table->world.tile, 0);
    for (int player = 0; player < RULES_PLAYERS; player++) {
        double numbers[KIT_MOST_NUMBERS];
        for (unsigned k = 0; k < KIT_MOST_NUMBERS; k++) {
            numbers[k] = unset;
        }
        kit_decide(trial->context, see_world_at(&table->home, CAROM_F64, 0), &trial->seed, player, trial->policy,
                   trial->kind, numbers);
        for (unsigned k = 0; k < KIT_MOST_NUMBERS; k++) {
            if ((numbers[k] == unset) != (k >= kind->size)) {
                CHECKED_WRONG("rules_policy() %s number %u of a player's action %s, which has %u",
                              k < kind->size ? "does not set" : "sets", k, kind->name, kind->size);
            }
        }
        kit_put(table->actions, player, kind, numbers);
    }
}

static void kit_begin(kit_table *table, const kit_trial *trial)
{
    game_tick *tick = &table->tick;
    tick->tiles = (unsigned char *)&table->world.tile;
    tick->tile_count = 1;
    tick->plays[0] = 1;
    tick->worlds = 1;
    tick->context = trial->context;
    tick->seed = trial->seed;
    tick->at_end = CAROM_RESET;
    tick->kind = trial->kind;
    tick->actions = table->actions;
    tick->action_bytes = (size_t)RULES_PLAYERS * kit_kinds[trial->kind].size * (kit_kinds[trial->kind].precision / 8);
    tick->scratch = &table->world.scratch;
    tick->rewards = table->rewards;
    tick->ends = &table->world.ended;
    tick->record = true;
    tick->events = table->events;
    tick->event_counts = &table->event_count;
    tick->event_capacity = KIT_TRIAL_EVENTS;
    tick->moved = table->moved;
    checked.seen = table->set;
    checked.numbers = RULES_PLAYERS * kit_kinds[trial->kind].size;
    checked.bits = (unsigned)kit_kinds[trial->kind].precision;
    table->world.tile.id[0][0] = (int32_t)(uint32_t)trial->id;
    table->world.tile.id[1][0] = (int32_t)(uint32_t)(trial->id >> 32);
}

static void kit_play(kit_table *table, const kit_trial *trial)
{
    const rules_context *context = (const rules_context *)trial->context;
    const tick_world w = world_at(&table->world.tile, 0);
    rules_start(context, trial->seed, w);
    (void)rules_check(context, w);
    rules_derive(context, w);
    for (size_t k = 0; k < trial->ticks && checked.text[0] == '\0' && *world_frozen(w) == 0; k++) {
        memset(&table->world.scratch, 0xA5, sizeof table->world.scratch); /* as CHECKED_HELD() wants it of rounds */
        memset(table->set, 0, sizeof table->set);
        kit_act(table, trial);
#if defined(RULES_AGENTS)
        table->tick.reward_kind = k % 2 == 0 ? REWARD_GAME : REWARD_OWN;
#endif
#if defined(RULES_EGO)
        table->tick.view = k / 2 % 2;
#endif
        tick_play_run(&table->tick);
        tick_observe(&table->tick, 0, table->seen);
        kit_look_over(table);
        (void)rules_check(context, w);
    }
    tick_value(&table->tick, table->values);
#if defined(RULES_WEIGHTS)
    double weights[KIT_WEIGHTS] = {0};
    table->tick.value = 1;
    table->tick.weights = weights;
    tick_value(&table->tick, table->values);
#endif
}

static carom_status kit_try(const kit_trial *trial, carom_problem *problem)
{
    kit_table *table = (kit_table *)aligned_alloc(64, (sizeof *table + 63) / 64 * 64);
    if (table == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    memset(table, 0, sizeof *table);
    memset(&checked, 0, sizeof checked);
    kit_begin(table, trial);
    kit_play(table, trial);
    checked.seen = NULL;
    free(table);
    if (checked.text[0] == '\0') {
        return CAROM_OK;
    }
    snprintf(problem->text, sizeof problem->text, "%s", checked.text);
    return CAROM_ERROR_FORMAT;
}

#endif
