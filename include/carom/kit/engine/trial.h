/* SPDX-License-Identifier: MIT
 * The trial of a game, part of the host's side: plays one world with the rules compiled at width 1 in f64 and with
 * bounds checks, which compare every index passed to the tick with what the game declares (tick/checked.h). The library
 * plays a few worlds before it accepts a game; `carom check` plays more. table.h includes this file after the rules.
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
#if defined(RULES_LIDAR)
#define KIT_LIDAR_SEEN (RULES_PLAYERS * RULES_AGENTS * RULES_LIDAR)
#else
#define KIT_LIDAR_SEEN 0
#endif
#define KIT_MORE_SEEN (KIT_LIDAR_SEEN > KIT_EGO_SEEN ? KIT_LIDAR_SEEN : KIT_EGO_SEEN)
#define KIT_MOST_SEEN (KIT_SEEN > KIT_MORE_SEEN ? KIT_SEEN : KIT_MORE_SEEN)
#define KIT_TRIAL_EVENTS 16
#if defined(RULES_AGENTS)
#define KIT_REWARDED (RULES_PLAYERS * RULES_AGENTS)
#else
#define KIT_REWARDED RULES_PLAYERS
#endif

/* The view of each kind of observation. */
static const uint32_t kit_views[] = {
    0,
#if defined(RULES_EGO)
    1,
#endif
#if defined(RULES_LIDAR)
    GAME_VIEW_LIDAR,
#endif
};

/* The world of a trial, with room for all outputs of a tick. Every output is requested, so that all rules run. */
typedef struct kit_table {
    tick_tile world;
    tick_scratch scratch;
    uint8_t ended; /* carom_end if the game ended in this tick, else 0 */
    one_home home; /* a copy of the world in lane 0, for policies */
    game_tick tick;
    carom_event events[KIT_TRIAL_EVENTS];
    carom_contact contacts[KIT_TRIAL_EVENTS];
    uint32_t event_count; /* may exceed KIT_TRIAL_EVENTS */
    double moved[RULES_BODIES > 0 ? RULES_BODIES * 4 : 1];
    float seen[KIT_MOST_SEEN > 0 ? KIT_MOST_SEEN : 1];
    uint8_t set[KIT_MOST_SEEN > 0 ? KIT_MOST_SEEN : 1]; /* 1 for each number of `seen` that the rules have set */
    double values[RULES_PLAYERS];
    float rewards[KIT_REWARDED];
    alignas(8) unsigned char actions[RULES_PLAYERS * KIT_MOST_NUMBERS * sizeof(double)];
} kit_table;

/* Notes an error if the rules left unset a number that players see. */
static void kit_look_over(const kit_table *table)
{
#if defined(RULES_EGO)
    /* The view of single bodies. */
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

#if defined(RULES_LIDAR)
    /* The view by rays. */
    for (unsigned k = 0; k < KIT_LIDAR_SEEN && table->tick.view == GAME_VIEW_LIDAR; k++) {
        if (!table->set[k]) {
            CHECKED_WRONG("rules_lidar() does not set number %u of RULES_LIDAR_SEEN of body %u, of %d", k % RULES_LIDAR,
                          k / RULES_LIDAR, RULES_LIDAR_OWN);
            return;
        }
    }
    if (table->tick.view == GAME_VIEW_LIDAR) {
        return;
    }
#endif

    /* The view of players. */
    for (unsigned k = 0; k < KIT_SEEN; k++) {
        if (!table->set[k]) {
            CHECKED_WRONG("rules_observe() does not set number %u of what player %u sees, of RULES_OBSERVATION %d",
                          k % RULES_OBSERVATION, k / RULES_OBSERVATION, RULES_OBSERVATION);
            return;
        }
    }
}

/* Writes the actions of all players. Notes an error if the policy leaves a number of the kind unset or sets others. */
static void kit_act(kit_table *table, const kit_trial *trial)
{
    const carom_action_kind *kind = &kit_kinds[trial->kind];
    const double unset = -0x1.5a5a5a5a5a5a5p+1000; /* no policy returns this, except by chance */

    one_store(&table->home, &table->world, 0);
    for (int player = 0; player < RULES_PLAYERS; player++) {
        /* Mark all numbers as unset, then call the policy. */
        double numbers[KIT_MOST_NUMBERS];
        for (unsigned k = 0; k < KIT_MOST_NUMBERS; k++) {
            numbers[k] = unset;
        }
        kit_decide(trial->context, see_world_at(&table->home, CAROM_F64, 0), &trial->seed, player, trial->policy,
                   trial->kind, numbers);

        /* It must have set exactly the numbers of the kind. */
        for (unsigned k = 0; k < KIT_MOST_NUMBERS; k++) {
            if ((numbers[k] == unset) != (k >= kind->size)) {
                CHECKED_WRONG("rules_policy() %s number %u of a player's action %s, which has %u",
                              k < kind->size ? "does not set" : "sets", k, kind->name, kind->size);
            }
        }
        kit_put(table->actions, player, kind, numbers);
    }
}

/* Prepares the request of a tick and the checks. */
static void kit_begin(kit_table *table, const kit_trial *trial)
{
    /* One tile with one world. */
    game_tick *tick = &table->tick;
    tick->tiles = (unsigned char *)&table->world;
    tick->tile_count = 1;
    tick->plays[0] = 1;
    tick->worlds = 1;
    tick->context = trial->context;
    tick->seed = trial->seed;
    tick->at_end = CAROM_RESET;
    tick->kind = trial->kind;
    tick->actions = table->actions;
    tick->action_bytes = (size_t)RULES_PLAYERS * kit_kinds[trial->kind].size * (kit_kinds[trial->kind].precision / 8);
    tick->scratch = &table->scratch;

    /* Request every output, so that the rules write it. */
    tick->rewards = table->rewards;
    tick->ends = &table->ended;
    tick->record = true;
    tick->events = table->events;
    tick->contacts = table->contacts;
    tick->event_counts = &table->event_count;
    tick->event_capacity = KIT_TRIAL_EVENTS;
    tick->moved = table->moved;

    /* Pass the checks the size and type of an action, which depend on the kind. */
    checked.seen = table->set;
    checked.numbers = RULES_PLAYERS * kit_kinds[trial->kind].size;
    checked.bits = (unsigned)kit_kinds[trial->kind].precision;

    /* The id, with the seed, selects the world's random draws. */
    table->world.id[0][0] = (int32_t)(uint32_t)trial->id;
    table->world.id[1][0] = (int32_t)(uint32_t)(trial->id >> 32);
}

/* Plays the trial until the first error, a fault or the last tick. */
static void kit_play(kit_table *table, const kit_trial *trial)
{
    /* Start the first game. */
    const rules_context *context = (const rules_context *)trial->context;
    const tick_world w = world_at(&table->world, 0);
    rules_start(context, trial->seed, w);
    (void)rules_check(context, w);
    rules_derive(context, w);

    /* Play tick by tick. Alternate between the kinds of reward and observation, so that all of them are checked. */
    for (size_t k = 0; k < trial->ticks && checked.text[0] == '\0' && *world_frozen(w) == 0; k++) {
        /* The value that CHECKED_FILL() writes and CHECKED_HELD() expects. */
        memset(&table->scratch, 0xA5, sizeof table->scratch);
        memset(table->set, 0, sizeof table->set);
        kit_act(table, trial);

#if defined(RULES_AGENTS)
        table->tick.reward_kind = k % 2 == 0 ? REWARD_GAME : REWARD_OWN;
#endif
        table->tick.view = kit_views[k / 2 % KIT_COUNT(kit_views)];

        tick_play_run(&table->tick);
        tick_observe(&table->tick, 0, table->seen);
        kit_look_over(table);
        (void)rules_check(context, w);
    }

    /* Compute every kind of value of the last state. */
    tick_value(&table->tick, table->values);
#if defined(RULES_WEIGHTS)
    double weights[KIT_WEIGHTS] = {0};
    table->tick.value = 1;
    table->tick.weights = weights;
    tick_value(&table->tick, table->values);
#endif
}

/* Plays a trial. Returns CAROM_OK, or CAROM_ERROR_FORMAT with the first error in *problem. */
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
