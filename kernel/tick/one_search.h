/* SPDX-License-Identifier: MIT
 * Programs of a search on a device: like search/plans.c, planners.c, candidates.c and cut.c, with the same bits. Each
 * thread works on one number, one sequence or one root, and reads nothing that another thread of its launch writes.
 */
#ifndef CAROM_TICK_ONE_SEARCH_H
#define CAROM_TICK_ONE_SEARCH_H

#include "tick/one_plan.h"
#include "tick/one_search_task.h"

/* Half the distance between the bounds of a number: the unit of deviations. */
static inline double one_half_width(const float *low, const float *high, uint64_t n)
{
    return ((double)high[n] - (double)low[n]) / 2;
}

/* ---- plans ---- */

static inline float one_middle(const one_plans *of, uint64_t n)
{
    return (of->low[n] + of->high[n]) * 0.5f;
}

static void one_start(const one_start_task *task, size_t thread)
{
    const uint64_t root = thread / task->of.series, n = thread - root * task->of.series;
    for (uint32_t player = 0; player < CAROM_MAX_PLAYERS; player++) {
        if (player < task->of.players) {
            task->of.plans[player][thread] = one_middle(&task->of, n);
        }
    }
    if (n == 0) {
        const one_moment none = {0, 0, 0, 0, 0};
        task->of.moments[root] = none;
    }
}

/* Shifts number e of all rows of a plan by `ticks` ticks: see shift() of search/plans.c. */
static inline void one_shift(const one_plans *of, float *plan, uint32_t e, uint64_t ticks)
{
    const uint64_t whole = ticks / of->hold, rows = of->rows;
    const float part = (float)(ticks % of->hold) / (float)of->hold;
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t from = whole < rows - row ? row + whole : rows - 1;
        const uint64_t next = from + 1 < rows ? from + 1 : rows - 1;
        const float a = plan[from * of->size + e], b = plan[next * of->size + e];
        const float moved = part > 0 ? a + part * (b - a) : a;
        const float low = of->low[row * of->size + e], high = of->high[row * of->size + e];
        plan[row * of->size + e] = of->uneven == 0 ? moved : moved < low ? low : moved > high ? high : moved;
    }
}

static void one_move(const one_move_task *task, size_t thread)
{
    const one_plans *of = &task->of;
    const uint64_t root = thread / of->size;
    const uint32_t e = (uint32_t)(thread - root * of->size);
    const one_moment then = of->moments[root];
    const int32_t tick = one_root_int32(&task->roots, root, task->roots.tick_at, 0);
    const bool same = then.met != 0 && one_root_id(&task->roots, root) == then.id &&
                      one_root_int32(&task->roots, root, task->roots.episode_at, 0) == then.episode &&
                      tick >= then.tick;

    for (uint32_t player = 0; player < CAROM_MAX_PLAYERS; player++) {
        if (player >= of->players || (then.fresh >> player & 1) != 0) {
            continue;
        }
        float *plan = of->plans[player] + root * of->series;
        if (same) {
            one_shift(of, plan, e, (uint64_t)((int64_t)tick - then.tick));
        } else {
            for (uint64_t n = e; n < of->series; n += of->size) {
                plan[n] = one_middle(of, n);
            }
        }
    }
}

static void one_moments_now(const one_moments_task *task, size_t root)
{
    one_moment now;
    now.id = one_root_id(&task->roots, root);
    now.episode = one_root_int32(&task->roots, root, task->roots.episode_at, 0);
    now.tick = one_root_int32(&task->roots, root, task->roots.tick_at, 0);
    now.met = 1;
    now.fresh = 0;
    task->moments[root] = now;
}

static inline void one_write_number(void *to, uint64_t at, uint32_t wide, float number)
{
    if (wide != 0) {
        ((double *)to)[at] = (double)number;
    } else {
        ((float *)to)[at] = number;
    }
}

static void one_write(const one_write_task *task, size_t thread)
{
    one_write_number(task->to, thread, task->wide, task->plan[thread]);
}

static void one_first(const one_first_task *task, size_t thread)
{
    const uint64_t root = thread / task->size, e = thread - root * task->size;
    one_write_number(task->to, thread, task->wide, task->plan != NULL ? task->plan[root * task->series + e] : 0.0f);
}

static void one_set(const one_set_task *task, size_t thread)
{
    const uint64_t root = thread / task->of.series, n = thread - root * task->of.series;
    const float low = task->of.low[n], high = task->of.high[n], number = task->plan[thread];
    const float above = number >= low ? number : low; /* NaN becomes the lower bound */
    for (uint32_t player = 0; player < CAROM_MAX_PLAYERS; player++) {
        if (player == task->player) {
            task->of.plans[player][thread] = above > high ? high : above;
        }
    }
    if (n == 0) {
        task->of.moments[root].fresh |= 1u << task->player;
    }
}

/* ---- how a generation is drawn ---- */

static void one_open(const one_open_task *task, size_t thread)
{
    const uint64_t root = thread / task->series, n = thread - root * task->series;
    task->mean[thread] = task->plan[thread];
    task->sigma[thread] = (float)(task->first * one_half_width(task->low, task->high, n));
    if (n == 0) {
        task->reached[root] = -__builtin_inf();
    }
}

/* The index of a parent from a random word: see choose_parent() of search/planners.c. */
static inline uint32_t one_parent(uint32_t word, uint64_t parents)
{
    const double u = ((double)(float)random_number(word) + 1) / 2;
    return (uint32_t)(u * u * (double)parents);
}

static void one_origins(const one_origins_task *task, size_t thread)
{
    const uint64_t root = thread / task->count;
    const uint32_t k = (uint32_t)(thread - root * task->count);
    one_origin origin = {0, 0, 0, k == 0 && task->exact != 0};
    if (task->bred != 0) {
        /* Three numbers: two parents, and the row at which the sequence switches from one to the other. */
        const philox_key key = philox_key_of(task->seed, one_root_id(&task->roots, root));
        uint32_t words[4] = {k, UINT32_MAX, task->player << 16, key.tag};
        philox4x32(words, key.key);
        origin.first = one_parent(words[0], task->parents);
        origin.second = one_parent(words[1], task->parents);
        const double u = ((double)(float)random_number(words[2]) + 1) / 2;
        origin.cut = (uint32_t)(u * (double)(task->rows + UINT64_C(1)));
        origin.exact = 0;
    }
    task->origins[thread] = origin;
}

/* ---- returns ---- */

static void one_value(const one_value_task *task, size_t thread)
{
    if (task->valued[thread / task->players] != 0) {
        const double sum = task->returns[thread] + task->weight * task->values[thread];
        task->returns[thread] = sum > -__builtin_inf() ? sum : -__builtin_inf(); /* NaN: the worst return */
    }
}

static void one_ticks(const one_ticks_task *task, size_t root)
{
    uint64_t ticks = task->first != 0 ? 0 : task->ticks[root];
    for (uint64_t k = 0; k < task->count; k++) {
        ticks += task->lengths[root * task->count + k];
    }
    task->ticks[root] = ticks;
}

static void one_combine(const one_combine_task *task, size_t thread)
{
    double *at = task->returns + thread * task->players + task->player, all = *at;
    for (uint64_t c = 1; c < task->facing; c++) {
        const double one = at[c * task->numbers];
        all = task->worst == 0 ? all + one : all < one ? all : one;
    }
    *at = task->worst != 0 ? all : all / (double)task->facing;
}

static void one_choose(const one_choose_task *task, size_t thread)
{
    const uint64_t root = thread / task->count, k = thread - root * task->count;
    const uint32_t *ranks = task->ranks + root * task->count;
    if (ranks[k] >= task->kept) {
        task->places[thread] = UINT32_MAX;
        return;
    }
    uint32_t place = 0;
    for (uint64_t before = 0; before < k; before++) {
        place += ranks[before] < task->kept;
    }
    task->places[thread] = place;
    task->chosen[root * task->kept + place] = (uint32_t)k;
}

static void one_spread_out(const one_spread_task *task, size_t thread)
{
    const uint64_t root = thread / task->count;
    const uint32_t place = task->places[thread];
    task->returns[thread * task->players + task->player] =
        place == UINT32_MAX ? -__builtin_inf()
                            : task->packed[(root * task->kept + place) * task->players + task->player];
}

/* ---- what is learnt ---- */

/* MPPI ignores sequences with a smaller weight. */
#define ONE_LEAST_WEIGHT 1e-3
#define ONE_FAR (-7.0) /* exp(ONE_FAR) is below ONE_LEAST_WEIGHT */

/* exp(x) for ONE_FAR < x <= 0: see exp_below() of search/planners.c. */
static inline double one_exp_below(double x)
{
    const int turns = (int)(x * 1.4426950408889634 - 0.5);
    const double rest = x - (double)turns * 0.6931471805599453;
    const uint64_t bits = (uint64_t)(1023 + turns) << 52;
    double sum = 1, power;
    for (int n = 12; n > 0; n--) {
        sum = 1 + sum * rest / n;
    }
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

static void one_scale(const one_scale_task *task, size_t root)
{
    const double *returns = task->returns + root * task->count * task->stride, inf = __builtin_inf();
    double sum = 0, squares = 0;
    uint64_t sound = 0;
    for (uint64_t k = 0; k < task->count; k++) {
        const double at = returns[k * task->stride];
        if (at > -inf && at < inf) {
            sum += at;
            sound++;
        }
    }
    for (uint64_t k = 0; k < task->count && sound != 0; k++) {
        const double at = returns[k * task->stride], far = at - sum / (double)sound;
        if (at > -inf && at < inf) {
            squares += far * far;
        }
    }
    task->scales[root] = sound == 0 ? 0 : task->temperature * __builtin_sqrt(squares / (double)sound);
}

static void one_weigh(const one_weigh_task *task, size_t thread)
{
    const uint64_t root = thread / task->count, k = thread - root * task->count;
    const uint32_t first = task->best[root * task->ranked];
    const double *returns = task->returns + root * task->count * task->stride, inf = __builtin_inf();
    const double best = returns[first * task->stride], at = returns[k * task->stride], scale = task->scales[root];
    double weight = k == first ? 1 : 0;
    if (k != first && best > -inf) {
        const double far = at == best ? 0 : scale > 0 ? (at - best) / scale : -inf;
        const double near = far > ONE_FAR ? one_exp_below(far) : 0;
        weight = near >= ONE_LEAST_WEIGHT ? near : 0;
    }
    task->weights[thread] = weight;
}

/* Which number a thread learns, and of which root. */
typedef struct one_learner {
    const one_learn_task *task;
    uint64_t n;
    uint32_t row, e;
    one_sequence of;
    const uint32_t *best; /* of the root */
} one_learner;

/* The number in sequence k, or in an old parent. */
static inline float one_learner_number(one_learner *learner, uint32_t k)
{
    const one_learn_task *task = learner->task;
    if (k >= task->count) {
        const uint64_t series = (uint64_t)task->numbers.rows * task->numbers.size;
        return task->mean[(learner->of.root * task->pooled + (k - task->count)) * series + learner->n];
    }
    learner->of.number = k;
    return one_number(&task->numbers, &learner->of, learner->row, learner->e);
}

/* Mean and deviation over the elites. Genetic: they become the next parents. */
static inline one_moments one_fit_elites(one_learner *learner)
{
    const one_learn_task *task = learner->task;
    const uint64_t series = (uint64_t)task->numbers.rows * task->numbers.size;
    one_moments moments = {0, 0, 0};
    for (uint64_t i = 0; i < task->ranked; i++) {
        const float number = one_learner_number(learner, learner->best[i]);
        one_add_number(&moments, 1, number);
        if (task->planner == ONE_GENETIC) {
            task->next_parents[(learner->of.root * task->elites + i) * series + learner->n] = number;
        }
    }
    moments.mean /= moments.whole;
    for (uint64_t i = 0; i < task->ranked; i++) {
        one_add_distance(&moments, 1, one_learner_number(learner, learner->best[i]));
    }
    return moments;
}

/* Weighted mean and deviation over all sequences, the best first. */
static inline one_moments one_fit_weighted(one_learner *learner)
{
    const one_learn_task *task = learner->task;
    const double *weights = task->weights + learner->of.root * task->count;
    const uint32_t first = learner->best[0];
    one_moments moments = {0, 0, 0};
    one_add_number(&moments, 1, one_learner_number(learner, first));
    for (uint32_t k = 0; k < task->count; k++) {
        if (k != first && weights[k] > 0) {
            one_add_number(&moments, weights[k], one_learner_number(learner, k));
        }
    }
    moments.mean /= moments.whole;
    one_add_distance(&moments, 1, one_learner_number(learner, first));
    for (uint32_t k = 0; k < task->count; k++) {
        if (k != first && weights[k] > 0) {
            one_add_distance(&moments, weights[k], one_learner_number(learner, k));
        }
    }
    return moments;
}

/* Exponential smoothing: keeps the fraction `keep` of the old value. */
static inline float one_mix(float old, float new_one, double keep)
{
    return (float)(keep * (double)old + (1 - keep) * (double)new_one);
}

static void one_learn(const one_learn_task *task, size_t thread)
{
    const one_numbers *numbers = &task->numbers;
    const uint64_t series = (uint64_t)numbers->rows * numbers->size, root = thread / series, n = thread - root * series;
    one_learner learner = {task,
                           n,
                           (uint32_t)n / numbers->size,
                           (uint32_t)n % numbers->size,
                           one_sequence_of(&task->roots, numbers->seed, root),
                           task->best + root * task->ranked};
    const double best = task->values[root * task->ranked];
    const float first = one_learner_number(&learner, learner.best[0]);
    const one_moments moments = task->planner == ONE_MPPI ? one_fit_weighted(&learner) : one_fit_elites(&learner);
    const float mean = (float)moments.mean, sigma = one_deviation(&moments);

    /* Everything has been drawn, so the distribution may change. */
    if (task->planner == ONE_CEM) {
        const float least = (float)(task->sigma_least * one_half_width(task->low, task->high, n));
        const float mixed = one_mix(task->sigma[thread], sigma, task->keep);
        task->mean[thread] = one_mix(task->mean[thread], mean, task->keep);
        task->sigma[thread] = mixed < least ? least : mixed;
    } else if (task->planner == ONE_MPPI && best > -__builtin_inf()) {
        task->mean[thread] = mean;
    }
    task->fitted[thread] = sigma;
    if (best > task->reached[root]) {
        task->plan[thread] = first;
    }
}

static void one_note(const one_note_task *task, size_t root)
{
    const double *values = task->values + root * task->ranked;
    one_result result = {values[0], 0, 0};
    for (uint64_t i = 0; i < task->ranked; i++) {
        result.mean += values[i] / (double)task->ranked;
        if (task->parents != NULL) {
            task->parents[root * task->elites + i] = values[i];
        }
    }
    for (uint64_t n = 0; n < task->series; n++) {
        const double half = one_half_width(task->low, task->high, n);
        result.spread += half > 0 ? (double)task->fitted[root * task->series + n] / half / (double)task->series : 0;
    }
    task->results[root] = result;
    if (values[0] > task->reached[root]) {
        task->reached[root] = values[0];
    }
}

static void one_parents(const one_parents_task *task, size_t thread)
{
    const uint64_t member = thread / task->series, n = thread - member * task->series, root = member / task->pooled;
    const uint64_t i = member - root * task->pooled;
    task->mean[thread] = task->next_parents[(root * task->elites + i) * task->series + n];
}

static void one_tell(const one_tell_task *task, size_t thread)
{
    if (thread == 3) {
        uint64_t ticks = 0;
        for (uint64_t root = 0; root < task->roots; root++) {
            ticks += task->ticks[root];
        }
        task->log->ticks = ticks;
        return;
    }
    double sum = 0;
    for (uint64_t root = 0; root < task->roots; root++) {
        const one_result *result = &task->results[root];
        sum += (thread == 0 ? result->best : thread == 1 ? result->mean : result->spread) / (double)task->roots;
    }
    *(thread == 0 ? &task->log->result.best : thread == 1 ? &task->log->result.mean : &task->log->result.spread) = sum;
}

#endif
