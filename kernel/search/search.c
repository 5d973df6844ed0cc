/* SPDX-License-Identifier: MIT
 * A run of a search. It consists of phases, in each of which one player plans against the others' plans for its part of
 * the budget. A phase consists of generations: draw sequences, roll them out, learn from their returns. With a cut
 * (cut.c) a generation has two parts.
 */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/progress.h"

/* ---- phases ---- */

/* The fraction of the budget that the first `phases` phases use. The rounds share it equally; within a round the others
 * get other_share, in equal parts, and the player the rest. */
static double part_after(const search_fixed *fixed, unsigned phases)
{
    const unsigned players = (unsigned)fixed->players, whole = phases / players, planned = phases % players;
    const double rounds = (double)whole + fixed->desc.other_share * planned / (players - 1);
    return rounds / (double)fixed->desc.other_rounds;
}

/* Sets the planning player of a phase, and the fractions of the budget at which it begins and ends: in each round first
 * the others plan, in order, then the search's own player. */
static void begin_turn(const search_fixed *fixed, search_phase *phase, double *from, double *to)
{
    const unsigned turn = phase->index % (unsigned)fixed->players, player = fixed->desc.player;
    phase->player = turn + 1 == fixed->players ? player : turn < player ? turn : turn + 1;
    *from = part_after(fixed, phase->index);
    *to = part_after(fixed, phase->index + 1);
}

/* Gives a phase its share of the time that remains, so that time lost or left over by earlier phases is spread over all
 * that follow. All phases have the same number of generations, however long they are. */
static void share_time(carom_search *search, double share)
{
    const carom_search_desc *desc = &search->fixed.desc;
    const search_run *run = &search->run;
    const double now = carom_rollout_clock(), left = run->begun + desc->milliseconds / 1000 - now;
    search->phase.end = now + share * left;
    if (desc->generations > 0) {
        search->phase.generation = share * left * run->phases / (double)desc->generations;
    }
}

/* Begins a phase: sets the planning player, its opponents' plans and its part of the budget. */
static void begin_phase(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const carom_search_desc *desc = &fixed->desc;
    const search_run *run = &search->run;
    search_phase *phase = &search->phase;
    const bool last = phase->index + 1 == run->phases;
    double from = 0, to = 1;
    phase->player = desc->player;
    if (run->phases > 1) {
        begin_turn(fixed, phase, &from, &to);
    }

    /* The last phase ends with the budget itself, since rounding of the fractions could lose a rollout. */
    const uint64_t first = (uint64_t)(from * (double)desc->rollouts);
    const uint64_t end = last ? desc->rollouts : (uint64_t)(to * (double)desc->rollouts);

    /* Only the search's own player plans against all candidates found so far. Another player plans against the current
     * plans, its only candidate. */
    const unsigned rounds = (phase->index + 1) / (unsigned)fixed->players; /* finished by the others */
    phase->facing =
        phase->player == desc->player ? fixed->candidates - fixed->a_round * (desc->other_rounds - rounds) : 1;

    /* Every phase has enough for one small generation, however small its share; with a budget in time the clock limits
     * it instead. */
    phase->left = end - first > SEARCH_LEAST * phase->facing ? end - first : SEARCH_LEAST * phase->facing;
    phase->spare = 0;
    if (desc->milliseconds > 0) {
        share_time(search, last ? 1 : (to - from) / (1 - from));
    }
    phase->slowest = 0;

    /* Draw about the plan as it is now, with the other players' plans fixed. */
    if (desc->other >= CAROM_OTHER_PLAN) {
        search->engine->take_plans(search, rounds);
    }
    search->engine->open(search);
}

/* The number of sequences of a root in the next generation; 0 if this phase can afford none. */
static size_t next_size(const carom_search *search)
{
    const carom_search_desc *desc = &search->fixed.desc;
    const search_phase *phase = &search->phase;
    if (search->run.late != 0) {
        return 0;
    }

    /* Budget in time: as many as the speed suggests or, without desc.generations, all, if a generation 5% slower than
     * the slowest so far would end in time: an unfinished one is wasted. */
    if (desc->milliseconds > 0) {
        const double now = carom_rollout_clock();
        return desc->generations > 0                      ? carom_search_size(&search->fixed, &search->pace, phase, now)
               : now + 1.05 * phase->slowest < phase->end ? desc->sequences
                                                          : 0;
    }

    /* Budget in rollouts: the last generation of a phase may be smaller and uses up what is left. */
    const uint64_t left = phase->left / phase->facing;
    return left < SEARCH_LEAST ? 0 : left < desc->sequences ? (size_t)left : desc->sequences;
}

/* ---- generations ---- */

void carom_search_describe(carom_search *search, const carom_worlds *roots, size_t count)
{
    const carom_search_desc *desc = &search->fixed.desc;
    search_run *run = &search->run;
    search_generation *generation = &search->generation;
    carom_rollout_desc asked = carom_rollout_desc_default(search->fixed.game);

    /* Every generation has its own seed, so that no generation repeats the sequences of another. The caller's values
     * replace the final value, which must then not be added to the returns. */
    asked.sequences = count;
    asked.horizon = desc->horizon;
    asked.action_kind = desc->action_kind;
    asked.seed = mix64(desc->seed + HASH_GOLDEN * (search->past.draws + 1));
    asked.discount = desc->discount;
    asked.reward_weight = desc->reward_weight;
    asked.final_weight = run->external ? 0 : desc->final_weight;
    asked.observation_kind = desc->observation_kind;
    asked.observed = desc->observed;
    asked.reward_kind = desc->reward_kind;
    asked.value_at_end = desc->value_at_end;
    asked.value = desc->value_kind;
    asked.cancel = desc->cancel;

    for (unsigned p = 0; p < search->fixed.players; p++) {
        asked.players[p].hold = desc->hold;
    }

    /* The caller's value function needs observations at the leaves only. The depth is a pointer, since a cut changes it
     * between two parts. */
    if (run->external) {
        asked.depths = &generation->depth;
        asked.depth_count = 1;
    }

    if (search_has_network(&search->fixed)) {
        carom_search_see_leaves(search, &asked);
    }

    /* Not part of public rollouts: shared working memory, the count of ticks and the deadline. */
    rollout *r = &generation->r;
    carom_rollout_describe(r, roots, &asked);
    if (desc->weights != NULL) {
        memcpy(r->weights, desc->weights, sizeof r->weights);
    }
    r->scratch = search->room.rollout;
    r->ticks = &generation->ticks;
    r->late = &run->late;
    r->pause = &run->pause;
    r->deadline = desc->milliseconds > 0 ? run->begun + desc->milliseconds / 1000 : 0;
    generation->count = count;
}

/* The number of elites of a generation of `count` sequences: the same fraction as of desc.sequences if the speed sets
 * its size. */
static size_t elites_of(const search_fixed *fixed, size_t count)
{
    const carom_search_desc *desc = &fixed->desc;
    const size_t part = fixed->elites * count / desc->sequences;
    return !(desc->milliseconds > 0) || desc->generations == 0 ? fixed->elites : part > 2 ? part : 2;
}

/* Describes the next part of a generation, and begins the next phase if one is over. False: the run is over. */
static bool begin_part(carom_search *search)
{
    const carom_search_desc *desc = &search->fixed.desc;
    search_phase *phase = &search->phase;
    search_generation *generation = &search->generation;
    if (generation->first_part) {
        carom_search_begin_rest(&search->fixed, generation);
        return true;
    }

    /* Skip to the phase that still has budget. */
    const unsigned phases = search->run.phases;
    size_t count = 0;
    while (phase->index < phases && (count = next_size(search)) == 0) {
        phase->index++;
        if (phase->index < phases) {
            begin_phase(search);
        }
    }
    if (phase->index == phases || progress_cancelled(desc->cancel)) {
        return false;
    }

    /* Draw the generation. Without a cut its first part is the whole. */
    generation->begun = carom_rollout_clock();
    generation->ticks = 0;
    carom_search_describe(search, search->run.from, count);
    search->past.draws++;
    search->engine->sample(search);
    generation->kept = count;
    generation->elites = elites_of(&search->fixed, count);
    generation->depth = (uint32_t)desc->horizon;
    if (desc->cut_after > 0) {
        carom_search_begin_cut(&search->fixed, generation);
    }
    return true;
}

/* Leaves of the current part: of all roots, against all candidates. */
static size_t leaves_of(const carom_search *search)
{
    return search->phase.facing * search->generation.r.total;
}

/* Rolls a part of a generation out against every candidate. False if the deadline or a cancellation left it
 * incomplete: its returns are then meaningless. */
static bool roll(carom_search *search)
{
    search_generation *generation = &search->generation;
    rollout *r = &generation->r;
    for (size_t c = 0; c < search->phase.facing; c++) {
        carom_search_face(&search->fixed, &search->phase, r, c);
        r->returns = generation->returns + c * r->total * r->players;
        if (search->run.external) {
            r->desc.observations = generation->observations + c * r->total * r->d.width;
            r->valued = generation->valued + c * r->total;
        }
        if (search_has_network(&search->fixed)) {
            carom_search_lend_leaves(search, r, c);
        }
        search->engine->roll(search, c);
    }
    if (search_has_network(&search->fixed)) {
        carom_search_value_leaves(search);
    }
    if (carom_is_on_device(search->home)) {
        return search->failed == CAROM_OK;
    }
    return search->run.late == 0 && !progress_cancelled(search->fixed.desc.cancel);
}

/* Accounts for a complete generation in the log, the report and the budget. */
static carom_status tell(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_generation *generation = &search->generation;
    search_run *run = &search->run;
    search_phase *phase = &search->phase;
    const size_t index = run->report.generations;
    if (index == run->logged) {
        carom_search_generation *more = (carom_search_generation *)realloc(run->log, 2 * run->logged * sizeof *more);
        if (more == NULL) {
            return CAROM_ERROR_MEMORY;
        }
        run->log = more;
        run->logged *= 2;
    }

    /* Its rollouts are those of all roots against all candidates. */
    const double now = carom_rollout_clock(), seconds = now - generation->begun;
    const uint64_t rollouts = phase->facing * fixed->roots;
    carom_search_generation *told = &run->log[index];
    *told = (carom_search_generation){.player = phase->player,
                                      .rollouts = rollouts * generation->count,
                                      .seconds = now - run->begun,
                                      .cut = rollouts * (generation->count - generation->kept)};
    run->report.generations++;
    run->report.rollouts += told->rollouts;
    run->report.cut += told->cut;
    search->engine->tell(search, index);

    /* Charge the budget, in rollouts of one root: with a cut the ticks count, rounded up to whole horizons. */
    phase->slowest = seconds > phase->slowest ? seconds : phase->slowest;
    if (fixed->desc.milliseconds > 0) {
        carom_search_measure(&search->pace, phase->facing * generation->count, seconds);
    }
    const uint64_t cost =
        phase->facing *
        (generation->kept < generation->count ? carom_search_cost(fixed, phase, generation) : generation->count);
    phase->left -= cost < phase->left ? cost : phase->left;
    return CAROM_OK;
}

/* Processes the returns of a part that has been rolled out, with the values of its leaves unless values is NULL. After
 * the first part of a cut chooses the sequences to keep; otherwise learns from the generation. */
static carom_status end_part(carom_search *search, const double *values)
{
    const search_fixed *fixed = &search->fixed;
    search_generation *generation = &search->generation;

    /* A value counts like the game's own final value: weighted, and discounted by all ticks before it. */
    double weight = fixed->desc.final_weight;
    for (size_t t = 0; t < generation->depth; t++) {
        weight *= fixed->desc.discount;
    }
    if (values != NULL) {
        search->engine->add_values(search, values, weight);
    }

    /* From here on a sequence has one return, whatever the number of candidates. */
    if (search->phase.facing > 1) {
        search->engine->combine(search);
    }
    if (generation->first_part) {
        search->engine->choose(search);
        return CAROM_OK;
    }
    if (generation->kept < generation->count) {
        search->engine->spread(search);
    }
    search->engine->learn(search);
    const carom_status status = tell(search);
    return status == CAROM_OK ? search->failed : status;
}

/* ---- runs ---- */

/* Whether the roots are like those for which memory was allocated at creation. */
static bool are_roots_alike(const carom_search *search, const carom_worlds *roots)
{
    return search != NULL && roots != NULL && roots->content == search->fixed.content &&
           roots->desc.count == search->fixed.roots && roots->desc.precision == search->fixed.worlds.precision &&
           roots->desc.isa == search->fixed.worlds.isa && roots->desc.device == search->fixed.worlds.device &&
           roots->desc.threads == search->fixed.worlds.threads;
}

/* Begins a run. external: the caller values the leaves. */
static carom_status begin(carom_search *search, const carom_worlds *roots, bool external)
{
    if (!are_roots_alike(search, roots)) {
        return CAROM_ERROR_ARGUMENT;
    }

    const search_fixed *fixed = &search->fixed;
    search_run *run = &search->run;
    if (external && !carom_search_take_leaves(search)) {
        return CAROM_ERROR_MEMORY;
    }

    /* Forget the last run except its plans. */
    search->failed = CAROM_OK;
    run->begun = carom_rollout_clock();
    run->external = external;
    run->from = roots;
    run->late = 0;
    run->pause = 0;
    run->waiting = false;
    memset(&run->report, 0, sizeof run->report);
    search->generation.first_part = false;
    search->engine->move_plans(search, roots);
    if (search_has_network(fixed)) {
        carom_search_propose(search);
    }

    /* Several players plan, each once a round, only if the others' plans are searched for. */
    run->phases = fixed->players > 1 && fixed->desc.other >= CAROM_OTHER_SEARCH
                      ? (unsigned)fixed->players * fixed->desc.other_rounds
                      : 1;
    search->phase.index = 0;

    /* Keep the others' initial plans: one of the candidates may be to follow them for the whole run. */
    if (fixed->desc.other >= CAROM_OTHER_PLAN) {
        search->engine->keep_found(search, 0);
    }
    begin_phase(search);
    return search->failed;
}

/* Ends a run, whether complete or not. */
static void finish(carom_search *search)
{
    search_run *run = &search->run;
    if (search->phase.generations > 0 && search->phase.player == search->fixed.desc.player) {
        search->engine->keep_values(search);
    }
    const double now = carom_rollout_clock();
    run->report.seconds = now - run->begun;
    run->report.pause = 1e-6 * run->pause;

    /* If the run ended before its first generation, this gives a lower bound on the time of a leaf. */
    if (run->late != 0 && run->report.generations == 0) {
        carom_search_measure(&search->pace, search->phase.facing * search->generation.count,
                             now - search->generation.begun);
    }
    run->from = NULL;
    run->waiting = false;
}

carom_status carom_search_run(carom_search *search, const carom_worlds *roots)
{
    carom_status status = begin(search, roots, search != NULL && search->fixed.desc.value != NULL);
    if (status != CAROM_OK) {
        return status;
    }

    /* Values live only for this run: a search without a value function never needs them. */
    const carom_search_desc *desc = &search->fixed.desc;
    double *values = NULL;
    if (search->run.external) {
        values = (double *)carom_memory_take(search->fixed.candidates * search->fixed.roots * desc->sequences *
                                             search->fixed.players * sizeof *values);
        status = values == NULL ? CAROM_ERROR_MEMORY : CAROM_OK;
    }

    /* An incomplete part ends the run; the plans are then those of the generations before it. */
    while (status == CAROM_OK && begin_part(search)) {
        if (!roll(search)) {
            status = search->failed;
            break;
        }
        if (search->run.external) {
            status = desc->value(desc->user, leaves_of(search), search->generation.observations, values);
        }
        if (status == CAROM_OK) {
            status = end_part(search, values);
        }
    }

    carom_memory_release(values);
    finish(search);
    return status == CAROM_OK && progress_cancelled(desc->cancel) ? CAROM_ERROR_CANCELLED : status;
}

/* ---- runs in steps: the caller values the leaves ---- */

carom_status carom_search_begin(carom_search *search, const carom_worlds *roots)
{
    return begin(search, roots, true);
}

carom_status carom_search_leaves(carom_search *search, const float **observations, size_t *leaves)
{
    if (search == NULL || observations == NULL || leaves == NULL || search->run.from == NULL || !search->run.external ||
        search->run.waiting) {
        return CAROM_ERROR_ARGUMENT;
    }

    *observations = NULL;
    *leaves = 0;

    /* No further part, or an incomplete one, ends the run with 0 leaves. */
    if (begin_part(search) && roll(search)) {
        search->run.waiting = true;
        *observations = search->generation.observations;
        *leaves = leaves_of(search);
        return CAROM_OK;
    }

    finish(search);
    if (search->failed != CAROM_OK) {
        return search->failed;
    }
    return progress_cancelled(search->fixed.desc.cancel) ? CAROM_ERROR_CANCELLED : CAROM_OK;
}

carom_status carom_search_values(carom_search *search, const double *values)
{
    if (search == NULL || values == NULL || !search->run.waiting) {
        return CAROM_ERROR_ARGUMENT;
    }
    search->run.waiting = false;
    return end_part(search, values);
}

/* ---- reports of a run ---- */

carom_search_report carom_search_last(const carom_search *search)
{
    static const carom_search_report none = {0};
    if (search == NULL) {
        return none;
    }
    if (carom_is_on_device(search->home)) {
        search->engine->read_log((carom_search *)(uintptr_t)search);
    }
    return search->run.report;
}

carom_status carom_search_generation_at(const carom_search *search, size_t index, carom_search_generation *generation)
{
    if (search == NULL || generation == NULL || index >= search->run.report.generations) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(search->home)) {
        search->engine->read_log((carom_search *)(uintptr_t)search);
    }
    *generation = search->run.log[index];
    return CAROM_OK;
}
