/* SPDX-License-Identifier: MIT
 * The candidates for what the other players do, and what a sequence is worth against all of them.
 */
#include "search/search.h"

/* Entry `index` of the caller's list; without a list, `other` and `policy` are its only entry. */
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
        if ((unsigned)candidate.other > CAROM_OTHER_FICTITIOUS ||
            (candidate.other == CAROM_OTHER_POLICY && candidate.policy >= game->info.policies) ||
            (candidate.other == CAROM_OTHER_FICTITIOUS && game->info.players != 2) ||
            (candidate.other >= CAROM_OTHER_SEARCH &&
             !(desc->other_share > 0 && desc->other_share < 1 && desc->other_rounds >= 1))) {
            return false;
        }
    }

    return true;
}

void carom_search_take_candidates(carom_search *search, const carom_search_desc *desc)
{
    size_t used = 0;
    search->desc.other = CAROM_OTHER_ZERO;
    if (search->players == 1) {
        return;
    }

    /* First the candidates that exist from the beginning. carom_other is ordered by what the others need: nothing, a
     * policy, a plan, a search; the greatest decides for the whole search. */
    for (size_t c = 0; c < listed(desc); c++) {
        const carom_candidate one = candidate_of(desc, c);
        if (one.other > search->desc.other) {
            search->desc.other = one.other;
        }
        if (one.other != CAROM_OTHER_FICTITIOUS) {
            search->list[used++] = (search_candidate){one.other, one.policy, 0};
        }
    }

    /* Then the plans of fictitious play by the round that found them, so that those known in any round come first in
     * the list. */
    for (unsigned round = 0; used < search->candidates; round++) {
        for (size_t k = 0; k < search->a_round; k++) {
            search->list[used++] = (search_candidate){CAROM_OTHER_PLAN, 0, round};
        }
    }
}

void carom_search_face(carom_search *search, size_t candidate)
{
    rollout *r = &search->r;
    if (search->players == 1) {
        return;
    }

    /* While another player plans, the rest follow their current plans, the search's own player among them: the
     * candidates are only its own. */
    search_candidate faced = search->list[candidate];
    if (search->planner_player != search->desc.player) {
        faced.other = CAROM_OTHER_SEARCH;
    }

    /* The rollout is described already: change both its descriptor and the binding that the driver has made of it. */
    r->d.actors.players = 0;
    for (unsigned other = 0; other < search->players; other++) {
        if (other == search->planner_player) {
            continue;
        }
        r->desc.players[other].source = faced.other == CAROM_OTHER_ZERO     ? CAROM_ZERO
                                        : faced.other == CAROM_OTHER_POLICY ? CAROM_POLICY
                                                                            : CAROM_BROADCAST;
        r->desc.players[other].policy = faced.policy;
        r->desc.players[other].actions =
            faced.other == CAROM_OTHER_PLAN ? carom_search_found(search, other, faced.round) : search->broadcast[other];
        r->d.actors.players |= (unsigned)(faced.other == CAROM_OTHER_POLICY) << other;
        r->d.actors.policy[other] = faced.policy;
    }
}

void carom_search_combine(carom_search *search)
{
    const size_t numbers = search->r.total * search->players;
    const bool worst = search->desc.against == CAROM_AGAINST_WORST;

    /* Only the returns of the planning player are used. */
    for (size_t k = search->planner_player; k < numbers; k += search->players) {
        double all = search->returns[k];
        for (size_t c = 1; c < search->facing; c++) {
            const double one = search->returns[c * numbers + k];
            all = !worst ? all + one : all < one ? all : one;
        }
        search->returns[k] = worst ? all : all / (double)search->facing;
    }
}
