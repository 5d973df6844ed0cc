/* SPDX-License-Identifier: MIT
 * What the other player may do: its candidates, one after the other, and what a sequence is worth against all of them.
 */
#include "search/search.h"

/* The one that `other` and `policy` name, or the caller's list. */
static carom_candidate candidate_of(const carom_search_desc *desc, size_t index)
{
    const carom_candidate one = {desc->other, desc->policy};
    return desc->candidates != NULL ? desc->candidates[index] : one;
}

size_t carom_search_candidates(const carom_game *game, const carom_search_desc *desc)
{
    return game->info.players == 2 && desc->candidates != NULL ? desc->candidate_count : 1;
}

bool carom_search_check_candidates(const carom_game *game, const carom_search_desc *desc)
{
    if (game->info.players == 1) {
        return true;
    }
    if ((desc->candidates == NULL) != (desc->candidate_count == 0) || (unsigned)desc->against > CAROM_AGAINST_MEAN) {
        return false;
    }
    for (size_t c = 0; c < carom_search_candidates(game, desc); c++) {
        const carom_candidate candidate = candidate_of(desc, c);
        if ((unsigned)candidate.other > CAROM_OTHER_SEARCH ||
            (candidate.other == CAROM_OTHER_POLICY && candidate.policy >= game->info.policies) ||
            (candidate.other == CAROM_OTHER_SEARCH &&
             !(desc->other_share > 0 && desc->other_share < 1 && desc->other_rounds >= 1))) {
            return false;
        }
    }
    return true;
}

void carom_search_take_candidates(carom_search *search, const carom_search_desc *desc)
{
    search->desc.other = CAROM_OTHER_ZERO;
    for (size_t c = 0; c < search->candidates; c++) {
        search->list[c] = candidate_of(desc, c);
        search->desc.other = search->list[c].other > search->desc.other ? search->list[c].other : search->desc.other;
    }
}

void carom_search_face(carom_search *search, size_t candidate)
{
    const unsigned other = 1 - search->planner_player;
    rollout *r = &search->r;
    if (search->players == 1) {
        return;
    }
    carom_candidate faced = search->list[candidate];
    if (other == search->desc.player) {
        faced.other = CAROM_OTHER_SEARCH; /* the other plans: against the player's plan */
    }
    r->desc.players[other].source = faced.other == CAROM_OTHER_ZERO     ? CAROM_ZERO
                                    : faced.other == CAROM_OTHER_POLICY ? CAROM_POLICY
                                                                        : CAROM_BROADCAST;
    r->desc.players[other].policy = faced.policy;
    r->desc.players[other].actions = faced.other == CAROM_OTHER_PLAN ? search->remembered : search->broadcast;
    r->actors.players = (unsigned)(faced.other == CAROM_OTHER_POLICY) << other;
    r->actors.policy[other] = faced.policy;
}

void carom_search_combine(carom_search *search)
{
    const size_t numbers = search->r.total * search->players;
    const bool worst = search->desc.against == CAROM_AGAINST_WORST;
    for (size_t k = search->planner_player; k < numbers; k += search->players) {
        double all = search->returns[k];
        for (size_t c = 1; c < search->facing; c++) {
            const double one = search->returns[c * numbers + k];
            all = !worst ? all + one : all < one ? all : one;
        }
        search->returns[k] = worst ? all : all / (double)search->facing;
    }
}
