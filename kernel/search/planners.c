/* SPDX-License-Identifier: MIT
 * The planners: drawing a generation, and learning from its returns.
 *
 * All planners use the random sources of rollouts: uniform numbers, or normal ones about the members of a pool of means
 * (one_origin). Random numbers depend only on seed, root, sequence, row and player. So sequences need not be stored:
 * the numbers of the few that matter can be drawn again. Small generations keep all numbers, which is faster.
 */
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "search/search.h"
#include "worlds/worlds.h"

/* MPPI ignores sequences with a smaller weight. */
#define LEAST_WEIGHT 1e-3
#define FAR (-7.0) /* exp(FAR) is below LEAST_WEIGHT: exponents below need no exponential */

/* Half the distance between the bounds of a number: the unit of deviations. */
static double half_width(const search_fixed *fixed, size_t number)
{
    return ((double)fixed->high[number] - (double)fixed->low[number]) / 2;
}

void carom_search_open(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    search_phase *phase = &search->phase;
    search_distribution *distribution = &search->distribution;
    phase->generations = 0;
    distribution->pooled = 1;
    memcpy(distribution->mean, search->past.plans[phase->player], fixed->roots * fixed->series * sizeof(float));

    /* The initial deviation in halves of the bounds' width; for the genetic planner that of a mutation. */
    const double first = fixed->desc.planner == CAROM_GENETIC ? fixed->desc.mutation_spread : fixed->desc.sigma;
    for (size_t root = 0; root < fixed->roots; root++) {
        phase->reached[root] = -INFINITY;
        for (size_t n = 0; n < fixed->series; n++) {
            distribution->sigma[root * fixed->series + n] = (float)(first * half_width(fixed, n));
        }
    }
}

/* ---- drawing a generation ---- */

/* The index of a parent from a uniform number in [-1, 1). Parents are sorted, best first; squaring makes low indices
 * more likely. */
static uint32_t choose_parent(float number, size_t parents)
{
    const double u = ((double)number + 1) / 2;
    return (uint32_t)(u * u * (double)parents);
}

/* Chooses two parents and the row of the crossover for every sequence of a root, sixteen at a time. Uses the random
 * numbers of row UINT32_MAX, which no plan has, so that they are independent of the mutations. */
static void mate(const carom_search *search, size_t root, one_origin *origins)
{
    const carom_worlds *worlds = search->run.from;
    const rollout *r = &search->generation.r;
    const size_t count = search->generation.count, parents = search->distribution.pooled;
    const uint64_t id =
        carom_tile_get_id(&worlds->layout, carom_worlds_tile_of(worlds, root), carom_worlds_lane_of(worlds, root));

    /* All sixteen lanes belong to the same root; the sequences advance by sixteen with each block. */
    uint64_t ids[CAROM_TILE];
    uint32_t sequences[CAROM_TILE];
    transpose_names names;
    for (size_t lane = 0; lane < CAROM_TILE; lane++) {
        ids[lane] = id;
        sequences[lane] = (uint32_t)lane;
    }
    transpose_name(&names, r->desc.seed, ids, sequences);

    /* Three numbers a sequence: two parents, and the row of the crossover. */
    for (size_t first = 0; first < count; first += CAROM_TILE) {
        alignas(64) float numbers[3][CAROM_TILE];
        r->d.transpose->draw(numbers[0], &names, UINT32_MAX, search->phase.player, 3);
        for (size_t lane = 0; lane < CAROM_TILE && first + lane < count; lane++) {
            one_origin *origin = &origins[first + lane];
            origin->first = choose_parent(numbers[0][lane], parents);
            origin->second = choose_parent(numbers[1][lane], parents);
            origin->cut = (uint32_t)(((double)numbers[2][lane] + 1) / 2 * (double)(search->fixed.rows + 1));
            origin->exact = 0;
        }
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            names.sequence[lane] += CAROM_TILE;
        }
    }
}

float carom_search_threshold(double mutation)
{
    /* Each number must change with probability `mutation`. A mutation adds a normal number that is moved towards 0 by a
     * threshold; if its magnitude is below the threshold it becomes 0. So the threshold is the z that a standard normal
     * number exceeds in magnitude with that probability. Bisection finds it, on the power series of the error function;
     * 40 steps are more than enough for a float. */
    double low = 0, high = 6;
    for (int step = 0; step < 40; step++) {
        const double z = (low + high) / 2;
        double term = z, sum = z; /* the integral of exp(-x^2 / 2) from 0 to z */
        for (int n = 1; n < 100; n++) {
            term *= -z * z / (2 * n);
            sum += term / (2 * n + 1);
        }
        if (sum * 0.7978845608028654 < 1 - mutation) { /* sqrt(2 / pi) */
            low = z;
        } else {
            high = z;
        }
    }
    return (float)((low + high) / 2);
}

bool carom_search_draw(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const search_distribution *distribution = &search->distribution;
    const carom_planner planner = fixed->desc.planner;
    const unsigned player = search->phase.player;
    const bool first = search->phase.generations == 0;
    search_generation *generation = &search->generation;
    rollout *r = &generation->r;

    /* Shooting, and the first generation of the genetic planner, draw uniform numbers. Later this planner mutates
     * crossovers of parents by normal numbers. */
    const bool bred = planner == CAROM_GENETIC && !first;
    const bool normal = bred || planner == CAROM_CEM || planner == CAROM_MPPI;
    r->desc.players[player].source = normal ? CAROM_GAUSSIAN : CAROM_UNIFORM;
    r->desc.players[player].mean = distribution->mean;
    r->desc.players[player].sigma = distribution->sigma;
    r->desc.players[player].low = fixed->bounded ? fixed->low : NULL;
    r->desc.players[player].high = fixed->bounded ? fixed->high : NULL;

    r->bred.player = player;
    r->bred.origins = generation->origins;
    r->bred.pool = distribution->pooled;
    r->bred.threshold = bred ? fixed->threshold : 0.0f;

    /* Sequence 0 is the mean itself of a normal distribution; among uniform sequences it is the current plan, in the
     * first generation. */
    generation->exact = !bred && (normal || first);
    return bred;
}

void carom_search_sample(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    const bool bred = carom_search_draw(search);

    /* Only crossovers choose the mean that each sequence is drawn about: otherwise it is that of their root. */
    for (size_t root = 0; root < fixed->roots && bred; root++) {
        mate(search, root, search->generation.origins + root * search->generation.count);
    }
    if (!bred) {
        search->generation.r.bred.origins = NULL;
        search->generation.r.bred.exact = search->generation.exact;
    }
    if (search_has_network(fixed)) {
        carom_search_mix_proposal(search);
    }
}

/* ---- learning ---- */

/* A thread's working memory while it learns from a root, laid out in search_room.learn. */
typedef struct learn_room {
    double *weights;     /* MPPI: [sequences]; genetic: the returns of children and parents, [sequences + elites] */
    rollout_rank *ranks; /* [sequences + elites] */
    float *draws;        /* for carom_rollout_sequences() */
    float *mean, *sigma; /* [series]: fitted to `rows` */
    float *rows;         /* [sequences whose numbers the planner needs at once][series]: those of `chosen` */
    uint32_t *chosen;    /* [as many + 1]: one more for loops that write before they know whether to keep it */
} learn_room;

/* Lays out the parts in a thread's room and returns their size; with NULL only returns it. */
static size_t lay_out(const search_fixed *fixed, unsigned char *at, learn_room *room)
{
    const size_t series = fixed->series, sequences = fixed->desc.sequences, ranked = sequences + fixed->elites;
    const size_t most = fixed->desc.planner == CAROM_MPPI ? sequences : fixed->elites;
    size_t used = 0;
    room->weights = (double *)memory_part(at, &used, ranked * sizeof(double));
    room->ranks = (rollout_rank *)memory_part(at, &used, ranked * sizeof(rollout_rank));
    room->draws = (float *)memory_part(at, &used, 4 * (size_t)fixed->kind.size * CAROM_TILE * sizeof(float));
    room->mean = (float *)memory_part(at, &used, series * sizeof(float));
    room->sigma = (float *)memory_part(at, &used, series * sizeof(float));
    room->rows = (float *)memory_part(at, &used, most * series * sizeof(float));
    room->chosen = (uint32_t *)memory_part(at, &used, (most + 1) * sizeof(uint32_t));
    return used;
}

size_t carom_search_room_bytes(const search_fixed *fixed)
{
    learn_room room;
    return lay_out(fixed, NULL, &room);
}

/* Writes the numbers of `count` sequences of a root, room->chosen, to room->rows: those kept, or draws them again. */
static void draw_again(const carom_search *search, size_t root, size_t count, const learn_room *room)
{
    const rollout *r = &search->generation.r;
    if (!carom_rollout_kept(r, root, room->chosen, count, room->rows)) {
        carom_rollout_sequences(r, search->phase.player, (uint32_t)root, room->chosen, count, room->rows, room->draws);
    }
}

/* Exponential smoothing: `keep` is the weight of the old value. */
static void mix(float *old, float new, double keep)
{
    *old = (float)(keep * (double)*old + (1 - keep) * (double)new);
}

/* Cross-entropy method: moves the distribution towards mean and deviation of the elites. A lower bound on the deviation
 * keeps the search from collapsing onto one plan. */
static void learn_cem(const search_fixed *fixed, const search_distribution *distribution, size_t root,
                      const learn_room *room)
{
    for (size_t n = 0; n < fixed->series; n++) {
        const size_t at = root * fixed->series + n;
        const float least = (float)(fixed->desc.sigma_least * half_width(fixed, n));
        mix(&distribution->mean[at], room->mean[n], fixed->desc.keep);
        mix(&distribution->sigma[at], room->sigma[n], fixed->desc.keep);
        distribution->sigma[at] = distribution->sigma[at] < least ? least : distribution->sigma[at];
    }
}

/* exp(x) for FAR < x <= 0, within 1e-12. Uses only exactly rounded operations, so that every machine gets the same
 * bits; the C library's would not guarantee that. */
static double exp_below(double x)
{
    const int turns = (int)(x * 1.4426950408889634 - 0.5); /* the nearest multiple of ln 2 */
    const double rest = x - (double)turns * 0.6931471805599453;
    const uint64_t bits = (uint64_t)(1023 + turns) << 52; /* of 2^turns */

    /* The series of exp(rest) in Horner form; |rest| is at most ln(2) / 2. */
    double sum = 1, power;
    for (int n = 12; n > 0; n--) {
        sum = 1 + sum * rest / n;
    }
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

/* MPPI: the new mean is that of all sequences, weighted by exp((return - best) / scale). On entry room->chosen[0] is
 * the best sequence. Leaves in the room the numbers of the sequences used, the best first, and their mean and
 * deviation. */
static void learn_mppi(const carom_search *search, size_t root, const double *returns, const learn_room *room)
{
    const search_fixed *fixed = &search->fixed;
    const size_t count = search->generation.count, stride = fixed->players;
    const uint32_t first = room->chosen[0];
    const double best = returns[first * stride];

    /* The scale is relative to the deviation of the returns, so that `temperature` means the same whatever the size
     * of rewards. Faults and cut sequences have infinite returns and do not count. */
    double sum = 0, squares = 0;
    size_t sound = 0, used = 0;
    for (size_t k = 0; k < count; k++) {
        const double at = returns[k * stride];
        const bool counts = at > -INFINITY && at < INFINITY;
        sum += counts ? at : 0;
        sound += counts;
    }
    for (size_t k = 0; k < count && sound != 0; k++) {
        const double at = returns[k * stride], far = at - sum / (double)sound;
        squares += at > -INFINITY && at < INFINITY ? far * far : 0;
    }
    const double scale = sound == 0 ? 0 : fixed->desc.temperature * __builtin_sqrt(squares / (double)sound);

    /* Collect exponents, compute weights, drop the small ones: three loops, each without a branch that depends on the
     * returns, which a processor could not predict. Each writes an entry first and then advances only if it is kept.
     * With a best return of -INFINITY only that sequence is used. */
    room->weights[used++] = 1;
    size_t near = 1;
    for (size_t k = 0; k < count && best > -INFINITY; k++) {
        const double at = returns[k * stride];
        const double far = at == best ? 0 : scale > 0 ? (at - best) / scale : -INFINITY;
        room->chosen[near] = (uint32_t)k;
        room->weights[near] = far;
        near += (far > FAR) & (k != first);
    }
    for (size_t i = 1; i < near; i++) {
        room->weights[i] = exp_below(room->weights[i]);
    }
    for (size_t i = 1; i < near; i++) {
        room->chosen[used] = room->chosen[i];
        room->weights[used] = room->weights[i];
        used += room->weights[i] >= LEAST_WEIGHT;
    }

    /* Fit even if the best has failed, since the deviation is reported; the mean then stays as it is. */
    draw_again(search, root, used, room);
    carom_rollout_fit(room->rows, room->weights, used, fixed->series, room->mean, room->sigma);
    if (best > -INFINITY) {
        memcpy(search->distribution.mean + root * fixed->series, room->mean, fixed->series * sizeof(float));
    }
}

/* Genetic planner: selects the next parents from the children and the old parents together, best first, into
 * distribution->next_parents. In room->ranks children have their sequence numbers, old parents the numbers from `count`
 * on. Returns the number of parents. */
static size_t learn_genetic(const carom_search *search, size_t root, const double *returns, const learn_room *room)
{
    const search_fixed *fixed = &search->fixed;
    const search_distribution *distribution = &search->distribution;
    const size_t series = fixed->series, count = search->generation.count;
    const size_t old = search->phase.generations > 0 ? distribution->pooled : 0;
    const size_t most = search->generation.elites;
    const size_t kept = most < count + old ? most : count + old;
    double *values = distribution->values + root * fixed->elites;
    float *next = distribution->next_parents + root * fixed->elites * series;

    /* Rank children and old parents by their returns. In the first generation there are no parents yet. */
    for (size_t k = 0; k < count; k++) {
        room->weights[k] = returns[k * fixed->players];
    }
    memcpy(room->weights + count, values, old * sizeof *values);
    carom_rollout_select(room->weights, 1, count + old, kept, room->ranks);

    /* Children exist only as random numbers: draw all those selected at once. */
    size_t children = 0;
    for (size_t i = 0; i < kept; i++) {
        room->chosen[children] = room->ranks[i].sequence;
        children += room->ranks[i].sequence < count;
    }
    draw_again(search, root, children, room);

    /* Merge: old parents from the pool, children in the order in which they were drawn. */
    const float *child = room->rows, *members = distribution->mean + root * distribution->pooled * series;
    for (size_t i = 0; i < kept; i++) {
        const uint32_t first = room->ranks[i].sequence;
        const bool old_one = first >= count;
        memcpy(next + i * series, old_one ? members + (first - count) * series : child, series * sizeof *next);
        child += old_one ? 0 : series;
        values[i] = room->ranks[i].value;
    }
    return kept;
}

/* Summarises a generation for the report: the returns of `count` sequences, best first, and the deviation of their
 * numbers in halves of the bounds' width. */
static search_result sum_up(const search_fixed *fixed, size_t count, const learn_room *room)
{
    search_result result = {room->ranks[0].value, 0, 0};
    for (size_t i = 0; i < count; i++) {
        result.mean += room->ranks[i].value / (double)count;
    }
    for (size_t n = 0; n < fixed->series; n++) {
        const double half = half_width(fixed, n);
        result.spread += half > 0 ? (double)room->sigma[n] / half / (double)fixed->series : 0;
    }
    return result;
}

/* Learns from the returns in one root. */
static void learn_root(void *argument, size_t root, unsigned thread)
{
    const carom_search *search = (const carom_search *)argument;
    const search_fixed *fixed = &search->fixed;
    const search_phase *phase = &search->phase;
    const search_generation *generation = &search->generation;
    const carom_planner planner = fixed->desc.planner;
    learn_room room;
    (void)lay_out(fixed, search->room.learn + thread * search->room.bytes, &room);

    const size_t series = fixed->series;
    const double *returns = generation->returns + root * generation->count * fixed->players + phase->player;
    const float *rows = room.rows;
    size_t count = generation->elites < generation->count ? generation->elites : generation->count;

    /* Find the sequences to learn from and their numbers, in `rows` with the best first, then update the distribution.
     * Shooting has no distribution and fits only for the report. */
    if (planner == CAROM_GENETIC) {
        count = learn_genetic(search, root, returns, &room);
        rows = search->distribution.next_parents + root * fixed->elites * series;
        carom_rollout_fit(rows, NULL, count, series, room.mean, room.sigma);
    } else {
        carom_rollout_select(returns, fixed->players, generation->count, count, room.ranks);
        for (size_t i = 0; i < count; i++) {
            room.chosen[i] = room.ranks[i].sequence;
        }
        if (planner == CAROM_MPPI) {
            learn_mppi(search, root, returns, &room);
        } else {
            draw_again(search, root, count, &room);
            carom_rollout_fit(rows, NULL, count, series, room.mean, room.sigma);
        }
        if (planner == CAROM_CEM) {
            learn_cem(fixed, &search->distribution, root, &room);
        }
    }

    /* The best sequence of the phase becomes the plan. */
    if (room.ranks[0].value > phase->reached[root]) {
        phase->reached[root] = room.ranks[0].value;
        memcpy(search->past.plans[phase->player] + root * series, rows, series * sizeof *rows);
    }

    generation->results[root] = sum_up(fixed, count, &room);
}

void carom_search_learn(carom_search *search)
{
    const search_fixed *fixed = &search->fixed;
    search_phase *phase = &search->phase;
    search_distribution *distribution = &search->distribution;
    carom_parallel_for(fixed->worlds.threads, search->run.from->where, fixed->roots, learn_root, search);

    /* The next parents replace the pool only now, because `pooled`, the same for all roots, is also the pool's stride,
     * and other roots were still reading it. */
    if (fixed->desc.planner == CAROM_GENETIC) {
        const size_t most = search->generation.count + (phase->generations > 0 ? distribution->pooled : 0);
        distribution->pooled = search->generation.elites < most ? search->generation.elites : most;
        for (size_t root = 0; root < fixed->roots; root++) {
            memcpy(distribution->mean + root * distribution->pooled * fixed->series,
                   distribution->next_parents + root * fixed->elites * fixed->series,
                   distribution->pooled * fixed->series * sizeof(float));
        }
    }

    phase->generations++;
}
