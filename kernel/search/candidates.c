/* SPDX-License-Identifier: MIT
 * The candidate behaviours of the other players, the plans that they follow, and the value of a sequence against all
 * candidates.
 */
#include "search/search.h"

#include <string.h>

/* Entry `index` of the caller's list. Without a list, `other` and `policy` form its only entry. */
static carom_candidate candidate_of(const carom_search_desc *desc, size_t index)
{
    const carom_candidate one = {desc->other, desc->policy};
    return desc->candidates != NULL ? desc->candidates[index] : one;
}

/* The number of candidates that the caller named. */
static size_t listed(const carom_search_desc *desc)
{
    return desc->candidates != NULL ? desc->candidate_count : 1;
}

size_t carom_search_candidates(const carom_game *game, const carom_search_desc *desc, size_t *a_round)
{
    *a_round = 0;
    if (game->info.players == 1) {
        return 1;
    }
    for (size_t c = 0; c < listed(desc); c++) {
        *a_round += candidate_of(desc, c).other == CAROM_OTHER_FICTITIOUS;
    }
    return listed(desc) + *a_round * desc->other_rounds;
}

bool carom_search_check_candidates(const carom_game *game, const carom_search_desc *desc)
{
    if (game->info.players == 1) {
        return true;
    }

    if ((desc->candidates == NULL) != (desc->candidate_count == 0) || (unsigned)desc->against > CAROM_AGAINST_MEAN) {
        return false;
    }

    /* Policies must exist, fictitious play is defined for two players only, and a search for the others' plans needs
     * a share of the budget. */
    for (size_t c = 0; c < listed(desc); c++) {
        const carom_candidate candidate = candidate_of(desc, c);
        if ((unsigned)candidate.other > CAROM_OTHER_NETWORK ||
            (candidate.other == CAROM_OTHER_POLICY && candidate.policy >= game->info.policies) ||
            (candidate.other == CAROM_OTHER_FICTITIOUS && game->info.players != 2) ||
            ((candidate.other == CAROM_OTHER_SEARCH || candidate.other == CAROM_OTHER_FICTITIOUS) &&
             !(desc->other_share > 0 && desc->other_share < 1 && desc->other_rounds >= 1))) {
            return false;
        }
    }

    return true;
}

void carom_search_take_candidates(search_fixed *fixed, const carom_search_desc *desc)
{
    size_t used = 0;
    fixed->desc.other = CAROM_OTHER_ZERO;
    if (fixed->players == 1) {
        return;
    }

    /* First the candidates that exist from the start. carom_other is ordered by what the others need: nothing, a
     * policy, a plan, a search; the greatest applies to the whole search. */
    for (size_t c = 0; c < listed(desc); c++) {
        const carom_candidate one = candidate_of(desc, c);
        if (one.other > fixed->desc.other) {
            fixed->desc.other = one.other;
        }
        if (one.other != CAROM_OTHER_FICTITIOUS) {
            fixed->list[used++] = (search_candidate){one.other, one.policy, 0};
        }
    }

    /* A network needs no more than a policy does, although it is the last of carom_other. */
    if (search_has_network(fixed)) {
        fixed->desc.other = CAROM_OTHER_ZERO;
        for (size_t c = 0; c < listed(desc); c++) {
            const carom_candidate one = candidate_of(desc, c);
            if (one.other == CAROM_OTHER_NETWORK && fixed->desc.other < CAROM_OTHER_POLICY) {
                fixed->desc.other = CAROM_OTHER_POLICY;
            } else if (one.other != CAROM_OTHER_NETWORK && one.other > fixed->desc.other) {
                fixed->desc.other = one.other;
            }
        }
    }

    /* Then the plans of fictitious play in the order of rounds, so that in every round those already known are a prefix
     * of the list. */
    for (unsigned round = 0; used < fixed->candidates; round++) {
        for (size_t k = 0; k < fixed->a_round; k++) {
            fixed->list[used++] = (search_candidate){CAROM_OTHER_PLAN, 0, round};
        }
    }
}

/* ---- the plans that the others follow ---- */

/* Writes the plan of a player for all roots, in the precision of its actions. */
static void write_plan(const search_fixed *fixed, const float *plan, unsigned char *to)
{
    const size_t numbers = fixed->roots * fixed->series;
    if (fixed->kind.precision == CAROM_F32) {
        memcpy(to, plan, numbers * sizeof *plan);
    }
    for (size_t n = 0; n < numbers && fixed->kind.precision == CAROM_F64; n++) {
        ((double *)(void *)to)[n] = (double)plan[n];
    }
}

/* The plan of another player after `round` rounds: [root][series] in phase->found. */
static unsigned char *found_in(const search_fixed *fixed, const search_phase *phase, unsigned player, unsigned round)
{
    return phase->found[player] + round * fixed->roots * fixed->series * (fixed->kind.precision / 8);
}

void carom_search_keep_found(carom_search *search, unsigned round)
{
    const search_fixed *fixed = &search->fixed;
    const search_phase *phase = &search->phase;
    for (unsigned p = 0; p < fixed->players; p++) {
        if (phase->found[p] != NULL) {
            write_plan(fixed, search->past.plans[p], found_in(fixed, phase, p, round));
        }
    }
}

void carom_search_take_plans(carom_search *search, unsigned rounds)
{
    const search_fixed *fixed = &search->fixed;
    const search_phase *phase = &search->phase;
    for (unsigned p = 0; p < fixed->players; p++) {
        if (p != phase->player) {
            write_plan(fixed, search->past.plans[p], phase->broadcast[p]);
        }
    }

    /* In fictitious play the search's own player plans against them from now on. */
    if (phase->player == fixed->desc.player && fixed->a_round > 0) {
        carom_search_keep_found(search, rounds);
    }
}

/* ---- the candidates of a generation ---- */

void carom_search_face(const search_fixed *fixed, const search_phase *phase, rollout *r, size_t candidate)
{
    if (fixed->players == 1) {
        return;
    }

    /* While another player plans, the rest follow their current plans, the search's own player among them: the
     * candidates are only its own. */
    search_candidate faced = fixed->list[candidate];
    if (phase->player != fixed->desc.player) {
        faced.other = CAROM_OTHER_SEARCH;
    }

    /* The rollout has been described already: change both its descriptor and the binding that the driver derived from
     * it. */
    r->d.actors.players = 0;
    for (unsigned other = 0; other < fixed->players; other++) {
        if (other == phase->player) {
            continue;
        }
        r->desc.players[other].source = faced.other == CAROM_OTHER_ZERO     ? CAROM_ZERO
                                        : faced.other == CAROM_OTHER_POLICY ? CAROM_POLICY
                                                                            : CAROM_BROADCAST;
        r->desc.players[other].policy = faced.policy;
        r->desc.players[other].actions =
            faced.other == CAROM_OTHER_PLAN ? found_in(fixed, phase, other, faced.round) : phase->broadcast[other];
        if (search_has_network(fixed)) {
            if (faced.other == CAROM_OTHER_NETWORK) {
                r->desc.players[other].actions = phase->proposed[other];
            }
        }
        r->d.actors.players |= (unsigned)(faced.other == CAROM_OTHER_POLICY) << other;
        r->d.actors.policy[other] = faced.policy;
    }
}

void carom_search_combine(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_phase *phase = &search->phase;
    const size_t numbers = search->generation.r.total * fixed->players;
    const bool worst = fixed->desc.against == CAROM_AGAINST_WORST;
    double *returns = search->generation.returns;

    /* Only the returns of the planning player are used. */
    for (size_t k = phase->player; k < numbers; k += fixed->players) {
        double all = returns[k];
        for (size_t c = 1; c < phase->facing; c++) {
            const double one = returns[c * numbers + k];
            all = !worst ? all + one : all < one ? all : one;
        }
        returns[k] = worst ? all : all / (double)phase->facing;
    }
}
