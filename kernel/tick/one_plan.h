/* SPDX-License-Identifier: MIT
 * Programs that rank sequences, learn from them and draw new ones: like rollout/elites.c, with the same bits, but no
 * thread waits for another. Ranking is counting: a sequence's rank is the number of sequences that come before it. The
 * numbers of a sequence are independent, so a thread does all the work for one number of a root's sequences, and draws
 * it again rather than store it.
 */
#ifndef CAROM_TICK_ONE_PLAN_H
#define CAROM_TICK_ONE_PLAN_H

#include "tick/one_plan_task.h"

/* ---- roots ---- */

/* The int32 in row `row` of a field of a root. at: the field's offset in a tile. */
static inline int32_t one_root_int32(const one_roots *roots, uint64_t root, uint32_t at, uint32_t row)
{
    const unsigned char *tile = (const unsigned char *)roots->tiles + root / CAROM_TILE * roots->tile_bytes + at;
    return ((const int32_t *)(const void *)tile)[row * CAROM_TILE + root % CAROM_TILE];
}

static inline uint64_t one_root_id(const one_roots *roots, uint64_t root)
{
    const uint32_t low = (uint32_t)one_root_int32(roots, root, roots->id_at, 0);
    return (uint64_t)(uint32_t)one_root_int32(roots, root, roots->id_at, 1) << 32 | low;
}

/* A sequence of a root; the caller sets its number. */
static inline one_sequence one_sequence_of(const one_roots *roots, uint64_t seed, uint64_t root)
{
    const one_sequence of = {philox_key_of(seed, one_root_id(roots, root)), root, 0};
    return of;
}

/* ---- the best ---- */

static void one_best(const one_best_task *task, size_t thread)
{
    const uint64_t root = thread / task->players, player = thread - root * task->players;
    const double *returns = task->returns + root * task->sequences * task->players + player;
    uint64_t chosen = 0;
    double most = returns[0];
    for (uint64_t k = 1; k < task->sequences; k++) {
        const double value = returns[k * task->players];
        if (value > most) {
            most = value;
            chosen = k;
        }
    }
    task->best[thread] = (uint32_t)chosen;
}

/* The value by which a sequence, or one of the other values, of a root is ranked; NaN is the worst. */
static inline double one_rank_value(const one_rank_task *task, uint64_t root, uint64_t k)
{
    if (k == 0 && task->first_best != 0) {
        return __builtin_inf();
    }
    const double value = k < task->sequences ? task->returns[(root * task->sequences + k) * task->stride]
                                             : task->other_values[root * task->other_stride + (k - task->sequences)];
    return value > -__builtin_inf() ? value : -__builtin_inf();
}

static void one_rank(const one_rank_task *task, size_t thread)
{
    const uint64_t all = task->sequences + task->others, root = thread / all, k = thread - root * all;
    const double value = one_rank_value(task, root, k);

    /* Greater values come before it, and among equal ones lower numbers. */
    uint64_t rank = 0;
    for (uint64_t other = 0; other < all; other++) {
        const double its = one_rank_value(task, root, other);
        rank += its > value || (its == value && other < k);
    }

    if (rank < task->count) {
        task->best[root * task->count + rank] = (uint32_t)k;
        if (task->values != NULL) {
            task->values[root * task->count + rank] = value;
        }
    }
    if (task->ranks != NULL && k < task->sequences) {
        task->ranks[root * task->sequences + k] = (uint32_t)rank;
    }
}

/* ---- what chosen sequences have in common ---- */

/* Mean and deviation of some numbers, in two passes: the caller adds each number, in the same order, first to `mean`,
 * then to `spread`. */
typedef struct one_moments {
    double whole, mean, spread;
} one_moments;

static inline void one_add_number(one_moments *moments, double weight, float number)
{
    moments->whole += weight;
    moments->mean += weight * (double)number;
}

static inline void one_add_distance(one_moments *moments, double weight, float number)
{
    const double far = (double)number - moments->mean;
    moments->spread += weight * (far * far);
}

static inline float one_deviation(const one_moments *moments)
{
    return (float)__builtin_sqrt(moments->spread / moments->whole);
}

static void one_fit(const one_fit_task *task, size_t thread)
{
    const one_numbers *numbers = &task->numbers;
    const uint64_t series = (uint64_t)numbers->rows * numbers->size, root = thread / series;
    const uint32_t n = (uint32_t)(thread - root * series), row = n / numbers->size, e = n - row * numbers->size;
    const uint32_t *best = task->best + root * task->count;
    one_sequence of = one_sequence_of(&task->roots, numbers->seed, root);

    one_moments moments = {0, 0, 0};
    for (uint64_t i = 0; i < task->count; i++) {
        of.number = best[i];
        one_add_number(&moments, 1, one_number(numbers, &of, row, e));
    }
    moments.mean /= moments.whole;
    for (uint64_t i = 0; i < task->count && task->sigma != NULL; i++) {
        of.number = best[i];
        one_add_distance(&moments, 1, one_number(numbers, &of, row, e));
    }

    /* Last, since this number may be drawn from these arrays. */
    if (task->mean != NULL) {
        task->mean[thread] = (float)moments.mean;
    }
    if (task->sigma != NULL) {
        task->sigma[thread] = one_deviation(&moments);
    }
}

/* ---- draws ---- */

static void one_draws(const one_draws_task *task, size_t thread)
{
    const one_numbers *numbers = &task->numbers;
    const uint64_t item = thread / numbers->rows, root = item / task->count;
    const uint32_t row = (uint32_t)(thread - item * numbers->rows);
    one_sequence of = one_sequence_of(&task->roots, numbers->seed, root);
    of.number = task->sequences != NULL ? task->sequences[item] : (uint32_t)(item - root * task->count);
    for (uint32_t e = 0; e < numbers->size; e++) {
        const float number = one_number(numbers, &of, row, e);
        if (numbers->wide != 0) {
            ((double *)task->actions)[thread * numbers->size + e] = (double)number;
        } else {
            ((float *)task->actions)[thread * numbers->size + e] = number;
        }
    }
}

#endif
