/* SPDX-License-Identifier: MIT
 * The public side of rollouts: check the descriptor, allocate memory, play (run.c), and choose the best sequences.
 */
#include "rollout/rollout.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "worlds/device.h"

carom_rollout_desc carom_rollout_desc_default(const carom_game *game)
{
    carom_rollout_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.size = sizeof desc;
    desc.sequences = 1;
    desc.horizon = 1;
    desc.discount = 1;
    desc.final_weight = 1;
    desc.reward_weight = 1;
    desc.value_at_end = true;
    (void)carom_game_find_action_kind(game, "normalised", &desc.action_kind);
    return desc;
}

/* ---- checks ---- */

static bool is_fraction(double x)
{
    return x >= 0 && x <= 1; /* false for NaN */
}

bool carom_rollout_check_bounds(const float *low, const float *high, size_t series)
{
    for (size_t n = 0; n < series && low != NULL; n++) {
        if (!(low[n] > -INFINITY && low[n] <= high[n] && high[n] < INFINITY)) {
            return false;
        }
    }
    return true;
}

/* Checks a player's bounds, means and deviations: CAROM_ERROR_ARGUMENT if an array is missing, CAROM_ERROR_VALUE if a
 * number is invalid. Comparisons are written so that NaN fails them. */
static carom_status check_numbers(const carom_worlds *roots, const carom_rollout_desc *desc, uint32_t player)
{
    const float *low = desc->players[player].low, *high = desc->players[player].high;
    const float *mean = desc->players[player].mean, *sigma = desc->players[player].sigma;
    const bool gaussian = desc->players[player].source == CAROM_GAUSSIAN;
    const size_t series =
        rollout_rows(desc->horizon, desc->players[player].hold) * roots->desc.game->kinds[desc->action_kind].size;

    if ((low == NULL) != (high == NULL) || (gaussian && (mean == NULL || sigma == NULL))) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(roots)) {
        return CAROM_OK; /* the host cannot read them */
    }

    if (!carom_rollout_check_bounds(low, high, series)) {
        return CAROM_ERROR_VALUE;
    }

    for (size_t n = 0; n < roots->desc.count * series && gaussian; n++) {
        if (!(fabsf(mean[n]) < INFINITY && sigma[n] >= 0 && sigma[n] < INFINITY)) {
            return CAROM_ERROR_VALUE;
        }
    }
    return CAROM_OK;
}

/* Checks what one player's source needs. */
static carom_status check_player(const carom_worlds *roots, const carom_rollout_desc *desc, uint32_t player)
{
    const carom_game *game = roots->desc.game;
    switch (desc->players[player].source) {
    case CAROM_ZERO:
        return CAROM_OK;
    case CAROM_GIVEN:
    case CAROM_BROADCAST:
        return desc->players[player].actions != NULL ? CAROM_OK : CAROM_ERROR_ARGUMENT;
    case CAROM_POLICY:
        return desc->players[player].policy < game->info.policies ? CAROM_OK : CAROM_ERROR_ARGUMENT;
    case CAROM_DRAWN:
        return strcmp(game->kinds[desc->action_kind].name, "normalised") == 0 ? CAROM_OK : CAROM_ERROR_ARGUMENT;
    case CAROM_UNIFORM:
    case CAROM_GAUSSIAN:
        return check_numbers(roots, desc, player);
    default:
        return CAROM_ERROR_ARGUMENT;
    }
}

/* Are elites in range, and horizons, depths and elites complete? For a device, whose arrays cannot be read here. */
static bool are_outputs_complete(const carom_game *game, const carom_rollout_desc *desc)
{
    const unsigned player = desc->elites.player;
    return (desc->depths != NULL || desc->depth_count == 0) &&
           (desc->observations != NULL) == (desc->depth_count != 0) &&
           (desc->elites.count == 0 ||
            (desc->elites.count <= desc->sequences && player < game->info.players && desc->elites.best != NULL &&
             desc->players[player].source != CAROM_ZERO && desc->players[player].source != CAROM_POLICY));
}

/* Are horizons, depths and elites complete and in range? */
static bool are_outputs_sound(const carom_worlds *roots, const carom_rollout_desc *desc)
{
    const carom_game *game = roots->desc.game;
    const unsigned player = desc->elites.player;
    if (carom_is_on_device(roots)) {
        return are_outputs_complete(game, desc);
    }

    for (size_t root = 0; root < roots->desc.count && desc->horizons != NULL; root++) {
        if (desc->horizons[root] < 1 || desc->horizons[root] > desc->horizon) {
            return false;
        }
    }

    /* Depths must ascend, so that a rollout observes them as it plays. */
    for (size_t d = 0; d < desc->depth_count; d++) {
        if (desc->depths == NULL || desc->depths[d] > desc->horizon ||
            (d > 0 && desc->depths[d] < desc->depths[d - 1])) {
            return false;
        }
    }
    if ((desc->observations != NULL) != (desc->depth_count != 0)) {
        return false;
    }

    /* Elites are sequences of numbers: their player must have some. */
    return desc->elites.count == 0 ||
           (desc->elites.count <= desc->sequences && player < game->info.players && desc->elites.best != NULL &&
            desc->players[player].source != CAROM_ZERO && desc->players[player].source != CAROM_POLICY);
}

bool carom_rollout_check_kinds(const carom_worlds *roots, size_t kind, uint64_t observed, size_t reward_kind)
{
    /* Check these kinds by binding a step. */
    carom_step step = carom_step_default();
    step.observation_kind = kind;
    step.observed = observed;
    step.reward_kind = reward_kind;
    drive d;
    return carom_drive_bind(&d, roots, &step) == NULL;
}

carom_status carom_rollout_check_value(const carom_game *game, size_t value, const double *weights)
{
    carom_value_kind kind;
    if (carom_game_value_kind(game, value, &kind) != CAROM_OK) {
        return CAROM_ERROR_ARGUMENT;
    }
    for (size_t k = 0; k < kind.weights && weights != NULL; k++) {
        if (!(fabs(weights[k]) < INFINITY)) {
            return CAROM_ERROR_VALUE;
        }
    }
    return CAROM_OK;
}

carom_status carom_rollout_check(const carom_worlds *roots, const carom_rollout_desc *desc, const carom_worlds *finals,
                                 size_t *total)
{
    if (roots == NULL || desc == NULL || desc->size != sizeof *desc || desc->sequences < 1 || desc->horizon < 1 ||
        desc->sequences > UINT32_MAX || desc->horizon > UINT32_MAX || roots->desc.count > UINT32_MAX ||
        !is_fraction(desc->discount) || !(fabs(desc->final_weight) < INFINITY) ||
        !(fabs(desc->reward_weight) < INFINITY) || desc->action_kind >= roots->desc.game->info.action_kinds) {
        return CAROM_ERROR_ARGUMENT;
    }

    /* The number of world-ticks, and thus every size in bytes, must fit into size_t. */
    size_t numbers;
    if (!size_multiply(roots->desc.count, desc->sequences, total) || *total > SIZE_MAX / 1024 ||
        !size_multiply(*total, desc->horizon, &numbers) || !are_outputs_sound(roots, desc) ||
        !carom_rollout_check_kinds(roots, desc->observation_kind, desc->observed, desc->reward_kind)) {
        return CAROM_ERROR_ARGUMENT;
    }

    const double *weights = desc->weights;
    if (carom_is_on_device(roots)) {
        weights = NULL; /* the host cannot read them */
    }
    carom_status status = carom_rollout_check_value(roots->desc.game, desc->value, weights);
    for (uint32_t p = 0; p < roots->desc.game->info.players && status == CAROM_OK; p++) {
        status = check_player(roots, desc, p);
    }
    if (status != CAROM_OK) {
        return status;
    }

    /* The final states go to other worlds of the same game. */
    if (finals != NULL && (finals == roots || finals->desc.count != *total || finals->content != roots->content)) {
        return CAROM_ERROR_ARGUMENT;
    }
    return CAROM_OK;
}

/* ---- rolling out ---- */

/* Sets best[root][player] to the sequence with the greatest return, the lowest k among equals. */
static void choose_best(const rollout *r, uint32_t *best)
{
    const size_t sequences = r->desc.sequences;
    for (size_t root = 0; root < r->roots->desc.count; root++) {
        const double *returns = r->returns + root * sequences * r->players;
        for (uint32_t p = 0; p < r->players; p++) {
            size_t chosen = 0;
            for (size_t k = 1; k < sequences; k++) {
                chosen = returns[k * r->players + p] > returns[chosen * r->players + p] ? k : chosen;
            }
            best[root * r->players + p] = (uint32_t)chosen;
        }
    }
}

carom_status carom_rollout(const carom_worlds *roots, const carom_rollout_desc *desc, double *returns, uint32_t *best,
                           carom_worlds *finals)
{
    size_t total;
    carom_status status = carom_rollout_check(roots, desc, finals, &total);
    if (status != CAROM_OK) {
        return status;
    }

    /* At least one output must be requested. */
    const bool ranked = best != NULL || desc->elites.count != 0;
    if (!ranked && returns == NULL && finals == NULL && desc->rewards == NULL && desc->lengths == NULL &&
        desc->observations == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }

    if (carom_is_on_device(roots)) {
        return carom_device_ops.rollout(roots, desc, returns, best, finals);
    }
    if (carom_is_on_device(finals)) {
        return carom_worlds_refuse(finals, CAROM_ERROR_ARGUMENT,
                                   "roots on this processor need `finals` on this processor");
    }

    /* Ranking needs returns even if the caller does not request them. */
    rollout r;
    carom_rollout_describe(&r, roots, desc);
    r.finals = finals;
    double *own = NULL;
    if (returns == NULL && ranked) {
        own = (double *)carom_memory_take(total * r.players * sizeof *own);
    }
    r.returns = returns != NULL ? returns : own;

    r.scratch = (unsigned char *)carom_memory_take(carom_rollout_threads(&r) * r.scratch_bytes);
    if (r.scratch == NULL || (r.returns == NULL && ranked)) {
        status = CAROM_ERROR_MEMORY;
    } else {
        carom_rollout_run(&r);
        status = progress_cancelled(desc->cancel) ? CAROM_ERROR_CANCELLED : CAROM_OK;
    }

    if (status == CAROM_OK && best != NULL) {
        choose_best(&r, best);
    }
    if (status == CAROM_OK && desc->elites.count != 0) {
        status = carom_rollout_elites(&r);
    }

    carom_memory_release(own);
    carom_memory_release(r.scratch);
    return status;
}

carom_status carom_rollout_draw(const carom_game *game, uint64_t seed, uint64_t root_id, uint32_t k, uint32_t tick,
                                uint32_t player, float *actions)
{
    size_t index = 0;
    if (game == NULL || actions == NULL || player >= game->info.players ||
        carom_game_find_action_kind(game, "normalised", &index) != CAROM_OK) {
        return CAROM_ERROR_ARGUMENT;
    }
    random_rollout(seed, root_id, k, tick, player, game->kinds[index].size, actions);
    return CAROM_OK;
}

/* Writes the first row of `player` in its best sequence of each root, chosen[root][player]. */
static carom_status first_rows(const rollout *r, unsigned player, const uint32_t *chosen, unsigned char *actions)
{
    const size_t bytes = r->kind.precision / 8, row = r->kind.size * bytes, roots = r->roots->desc.count;
    const bool policy = r->desc.players[player].source == CAROM_POLICY;
    if (r->desc.players[player].source == CAROM_ZERO) {
        memset(actions, 0, roots * row);
        return CAROM_OK;
    }

    /* Room for the actions of all players of all roots, or for rows of sixteen roots in lanes and for drawing them. */
    const size_t lanes_bytes = CAROM_TILE * row;
    unsigned char *room = (unsigned char *)carom_memory_take(policy ? roots * r->players * row
                                                                    : lanes_bytes + 3 * carom_rollout_row_room(r));
    if (room == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    /* A policy acts for all players: pick one. */
    if (policy) {
        (void)carom_worlds_policy(r->roots, r->desc.players[player].policy, r->desc.action_kind, room);
    }
    for (size_t root = 0; root < roots && policy; root++) {
        memcpy(actions + root * row, room + (root * r->players + player) * row, row);
    }

    /* Any other player's row is made as in the rollout. Lanes after the last root repeat it. */
    for (size_t first = 0; first < roots && !policy; first += CAROM_TILE) {
        rollout_lanes lanes;
        transpose_normals normals[CAROM_MAX_PLAYERS];
        lanes.normals = normals;
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            const size_t root = first + lane < roots ? first + lane : roots - 1;
            lanes.root[lane] = (uint32_t)root;
            lanes.sequence[lane] = chosen[root * r->players + player];
        }
        carom_rollout_name(r, &lanes);
        carom_rollout_row(r, player, 0, &lanes, room, (float *)(void *)(room + lanes_bytes));

        for (size_t lane = 0; lane < CAROM_TILE && first + lane < roots; lane++) {
            for (size_t e = 0; e < r->kind.size; e++) {
                memcpy(actions + (first + lane) * row + e * bytes, room + (e * CAROM_TILE + lane) * bytes, bytes);
            }
        }
    }

    carom_memory_release(room);
    return CAROM_OK;
}

carom_status carom_rollout_best(const carom_worlds *roots, const carom_rollout_desc *desc, unsigned player,
                                void *actions, uint32_t *best, double *value)
{
    size_t total;
    carom_status status = carom_rollout_check(roots, desc, NULL, &total);
    if (status != CAROM_OK || actions == NULL || player >= roots->desc.game->info.players) {
        return status != CAROM_OK ? status : CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(roots)) {
        return carom_worlds_refuse((carom_worlds *)(uintptr_t)roots, CAROM_ERROR_UNSUPPORTED,
                                   "%s: carom_rollout_best() does not support devices: call carom_rollout()",
                                   roots->desc.game->info.name);
    }

    /* Roll out for the best sequence of every player, whatever outputs the caller requests. */
    rollout r;
    carom_rollout_describe(&r, roots, desc);
    double *returns = (double *)carom_memory_take(total * r.players * sizeof *returns);
    uint32_t *chosen = (uint32_t *)carom_memory_take(roots->desc.count * r.players * sizeof *chosen);

    status = returns == NULL || chosen == NULL ? CAROM_ERROR_MEMORY : carom_rollout(roots, desc, returns, chosen, NULL);
    /* This player's first action in it, its number, and its return. */
    if (status == CAROM_OK) {
        status = first_rows(&r, player, chosen, (unsigned char *)actions);
    }
    for (size_t root = 0; root < roots->desc.count && status == CAROM_OK; root++) {
        const uint32_t k = chosen[root * r.players + player];
        if (best != NULL) {
            best[root] = k;
        }
        if (value != NULL) {
            value[root] = returns[(root * desc->sequences + k) * r.players + player];
        }
    }

    carom_memory_release(returns);
    carom_memory_release(chosen);
    return status;
}
