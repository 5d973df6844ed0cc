/* SPDX-License-Identifier: MIT
 * The planners: how a generation is drawn, and what is learnt from its returns.
 *
 * All planners use the random sources of rollouts: uniform numbers, or normal ones about the members of a pool of means
 * (rollout_origin). Random numbers depend only on seed, root, sequence, row and player, so that sequences need not be
 * stored: the numbers of the few that matter are drawn a second time.
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
static double half_width(const carom_search *search, size_t number)
{
    return ((double)search->high[number] - (double)search->low[number]) / 2;
}

/* Is the next generation drawn from normal distributions? The genetic planner begins with a uniform one; later it
 * mutates crossovers of parents by normal numbers. */
static bool is_normal(const carom_search *search)
{
    return search->desc.planner == CAROM_CEM || search->desc.planner == CAROM_MPPI ||
           (search->desc.planner == CAROM_GENETIC && search->number > 0);
}

/* The initial deviation in halves of the bounds' width; for the genetic planner that of a mutation. */
static double first_sigma(const carom_search *search)
{
    return search->desc.planner == CAROM_GENETIC ? search->desc.mutation_spread : search->desc.sigma;
}

void carom_search_open(carom_search *search)
{
    search->number = 0;
    search->pooled = 1;
    memcpy(search->mean, search->plans[search->planner_player], search->roots * search->series * sizeof(float));
    for (size_t root = 0; root < search->roots; root++) {
        search->reached[root] = -INFINITY;
        for (size_t n = 0; n < search->series; n++) {
            search->sigma[root * search->series + n] = (float)(first_sigma(search) * half_width(search, n));
        }
    }
}

/* ---- how a generation is drawn ---- */

/* The index of a parent from a uniform number in [-1, 1). Parents are sorted, best first; squaring makes low indices
 * more likely. */
static uint32_t choose_parent(float number, size_t parents)
{
    const double u = ((double)number + 1) / 2;
    return (uint32_t)(u * u * (double)parents);
}

/* Chooses two parents and the row of the crossover for every sequence of a root, sixteen at a time. Uses the random
 * numbers of row UINT32_MAX, which no plan has, so that they are independent of the mutations. */
static void mate(const carom_search *search, size_t root, rollout_origin *origins)
{
    const carom_worlds *worlds = search->from;
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
    transpose_name(&names, search->r.desc.seed, ids, sequences);

    for (size_t first = 0; first < search->count; first += CAROM_TILE) {
        alignas(64) float numbers[3][CAROM_TILE];
        search->r.d.transpose->draw(numbers[0], &names, UINT32_MAX, search->planner_player, 3);
        for (size_t lane = 0; lane < CAROM_TILE && first + lane < search->count; lane++) {
            rollout_origin *origin = &origins[first + lane];
            origin->first = choose_parent(numbers[0][lane], search->pooled);
            origin->second = choose_parent(numbers[1][lane], search->pooled);
            origin->cut = (uint32_t)(((double)numbers[2][lane] + 1) / 2 * (double)(search->rows + 1));
            origin->exact = 0;
        }
        for (size_t lane = 0; lane < CAROM_TILE; lane++) {
            names.sequence[lane] += CAROM_TILE;
        }
    }
}

/* The distance from 0 beyond which a standard normal number lies with probability p: bisection on the power series of
 * the error function. 40 steps are more than enough for a float. */
static double threshold_of(double p)
{
    double low = 0, high = 6;
    for (int step = 0; step < 40; step++) {
        const double z = (low + high) / 2;
        double term = z, sum = z; /* the integral of exp(-x^2 / 2) from 0 to z */
        for (int n = 1; n < 100; n++) {
            term *= -z * z / (2 * n);
            sum += term / (2 * n + 1);
        }
        if (sum * 0.7978845608028654 < 1 - p) { /* sqrt(2 / pi) */
            low = z;
        } else {
            high = z;
        }
    }
    return (low + high) / 2;
}

void carom_search_sample(carom_search *search)
{
    rollout *r = &search->r;
    const unsigned player = search->planner_player;
    const bool bred = search->desc.planner == CAROM_GENETIC && search->number > 0;
    r->desc.players[player].source = is_normal(search) ? CAROM_GAUSSIAN : CAROM_UNIFORM;
    r->desc.players[player].mean = search->mean;
    r->desc.players[player].sigma = search->sigma;
    r->desc.players[player].low = search->bounded ? search->low : NULL;
    r->desc.players[player].high = search->bounded ? search->high : NULL;

    r->breeder = player;
    r->origins = search->origins;
    r->pool = search->pooled;

    /* A mutation changes each number with probability `mutation`: normal numbers are moved towards 0 by a
     * threshold, within which the others lie and so become 0.
     * Finding the threshold takes as long as rolling out dozens of sequences, so it is done once, and only for this
     * planner. */
    if (bred && search->threshold == 0) {
        search->threshold = (float)threshold_of(search->desc.mutation);
    }
    r->threshold = bred ? search->threshold : 0.0f;

    /* Where each sequence is drawn about. Sequence 0 is the mean itself of a normal distribution; among uniform
     * sequences it is the current plan, in the first generation. */
    for (size_t root = 0; root < search->roots; root++) {
        rollout_origin *origins = search->origins + root * search->count;
        if (bred) {
            mate(search, root, origins);
        } else {
            memset(origins, 0, search->count * sizeof *origins);
            origins[0].exact = is_normal(search) || search->number == 0;
        }
    }
}

/* ---- what is learnt ---- */

/* A thread's working memory while it learns from a root, laid out in search->room. */
typedef struct learn_room {
    double *sums;        /* [2 * series]: for carom_rollout_fit() */
    double *weights;     /* MPPI: [sequences]; genetic: the returns of children and parents, [sequences + elites] */
    rollout_rank *ranks; /* [sequences + elites] */
    float *draws;        /* for carom_rollout_sequences() */
    float *mean, *sigma; /* [series]: fitted to `rows` */
    float *rows;         /* [most_rows()][series]: numbers of the sequences `chosen` */
    uint32_t *chosen;    /* [most_rows() + 1]: one more for loops that write before they know whether to keep it */
} learn_room;

/* Sequences of a root whose numbers the planner needs at once, at most. */
static size_t most_rows(const carom_search *search)
{
    return search->desc.planner == CAROM_MPPI ? search->desc.sequences : search->elites;
}

/* Lays the parts out from `at`, in the order of the sizes; NULL gives only their size. Returns the bytes. */
static size_t lay_out(const carom_search *search, unsigned char *at, learn_room *room)
{
    const size_t series = search->series, sequences = search->desc.sequences;
    const size_t sizes[] = {memory_aligned(2 * series * sizeof(double)),
                            memory_aligned((sequences + search->elites) * sizeof(double)),
                            memory_aligned((sequences + search->elites) * sizeof(rollout_rank)),
                            4 * (size_t)search->kind.size * CAROM_TILE * sizeof(float),
                            memory_aligned(series * sizeof(float)),
                            memory_aligned(series * sizeof(float)),
                            memory_aligned(most_rows(search) * series * sizeof(float)),
                            memory_aligned((most_rows(search) + 1) * sizeof(uint32_t))};

    unsigned char *part[8] = {NULL};
    size_t used = 0;
    for (size_t k = 0; k < 8; k++) {
        part[k] = at != NULL ? at + used : NULL;
        used += sizes[k];
    }

    room->sums = (double *)(void *)part[0];
    room->weights = (double *)(void *)part[1];
    room->ranks = (rollout_rank *)(void *)part[2];
    room->draws = (float *)(void *)part[3];
    room->mean = (float *)(void *)part[4];
    room->sigma = (float *)(void *)part[5];
    room->rows = (float *)(void *)part[6];
    room->chosen = (uint32_t *)(void *)part[7];
    return used;
}

size_t carom_search_room_bytes(const carom_search *search)
{
    learn_room room;
    return lay_out(search, NULL, &room);
}

/* Draws the numbers of some sequences of a root a second time, into rows[count][series]. */
static void draw_again(const carom_search *search, size_t root, const uint32_t *sequences, size_t count, float *rows,
                       float *room)
{
    for (size_t i = 0; i < count; i += CAROM_TILE) {
        const size_t some = count - i < CAROM_TILE ? count - i : CAROM_TILE;
        carom_rollout_sequences(&search->r, search->planner_player, (uint32_t)root, sequences + i, some,
                                rows + i * search->series, room);
    }
}

/* Exponential smoothing: keeps the part `keep` of the old value. */
static void mix(float *old, float new, double keep)
{
    *old = (float)(keep * (double)*old + (1 - keep) * (double)new);
}

/* Cross-entropy method: moves the distribution towards mean and deviation of the elites. The deviation has a lower
 * bound, lest the search collapse onto one plan. */
static void learn_cem(carom_search *search, size_t root, const float *mean, const float *sigma)
{
    for (size_t n = 0; n < search->series; n++) {
        const size_t at = root * search->series + n;
        const float least = (float)(search->desc.sigma_least * half_width(search, n));
        mix(&search->mean[at], mean[n], search->desc.keep);
        mix(&search->sigma[at], sigma[n], search->desc.keep);
        search->sigma[at] = search->sigma[at] < least ? least : search->sigma[at];
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
static void learn_mppi(carom_search *search, size_t root, const double *returns, const learn_room *room)
{
    const size_t stride = search->players;
    const uint32_t first = room->chosen[0];
    const double best = returns[first * stride];

    /* The scale is relative to the deviation of the returns, so that `temperature` means the same whatever the size
     * of rewards. Faults and cut sequences have infinite returns and do not count. */
    double sum = 0, squares = 0;
    size_t sound = 0, used = 0;
    for (size_t k = 0; k < search->count; k++) {
        const double at = returns[k * stride];
        const bool counts = at > -INFINITY && at < INFINITY;
        sum += counts ? at : 0;
        sound += counts;
    }
    for (size_t k = 0; k < search->count && sound != 0; k++) {
        const double at = returns[k * stride], far = at - sum / (double)sound;
        squares += at > -INFINITY && at < INFINITY ? far * far : 0;
    }
    const double scale = sound == 0 ? 0 : search->desc.temperature * __builtin_sqrt(squares / (double)sound);

    /* Collect exponents, compute weights, drop the small ones: three loops, each without a branch that depends on the
     * returns, which a processor could not predict. Each writes an entry first and then advances only if it is kept.
     * With a best
     * return of -INFINITY only that sequence is used. */
    room->weights[used++] = 1;
    size_t near = 1;
    for (size_t k = 0; k < search->count && best > -INFINITY; k++) {
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

    /* Fit even if the best has failed: the deviation is reported. The mean stays then. */
    draw_again(search, root, room->chosen, used, room->rows, room->draws);
    carom_rollout_fit(room->rows, room->weights, used, search->series, room->mean, room->sigma, room->sums);
    if (best > -INFINITY) {
        memcpy(search->mean + root * search->series, room->mean, search->series * sizeof(float));
    }
}

/* Genetic planner: selects the next parents from the children and the old parents together, best first, into
 * search->offspring. In room->ranks children have their sequence numbers, old parents the numbers from `count` on.
 * Returns the number of parents. */
static size_t learn_genetic(carom_search *search, size_t root, const double *returns, const learn_room *room)
{
    const size_t count = search->count, old = search->number > 0 ? search->pooled : 0;
    const size_t kept = search->elites < count + old ? search->elites : count + old;
    double *values = search->pool_values + root * search->elites;
    float *next = search->offspring + root * search->elites * search->series;

    /* Rank children and old parents by their returns. In the first generation there are no parents yet. */
    for (size_t k = 0; k < count; k++) {
        room->weights[k] = returns[k * search->players];
    }
    memcpy(room->weights + count, values, old * sizeof *values);
    carom_rollout_select(room->weights, 1, count + old, kept, room->ranks);

    /* Children exist only as random numbers: draw those selected in one go. */
    size_t children = 0;
    for (size_t i = 0; i < kept; i++) {
        room->chosen[children] = room->ranks[i].sequence;
        children += room->ranks[i].sequence < count;
    }
    draw_again(search, root, room->chosen, children, room->rows, room->draws);

    /* Merge: old parents from the pool, children in the order in which they were drawn. */
    const float *child = room->rows, *members = search->mean + root * search->pooled * search->series;
    for (size_t i = 0; i < kept; i++) {
        const uint32_t first = room->ranks[i].sequence;
        const bool old_one = first >= count;
        memcpy(next + i * search->series, old_one ? members + (first - count) * search->series : child,
               search->series * sizeof *next);
        child += old_one ? 0 : search->series;
    }

    for (size_t i = 0; i < kept; i++) {
        values[i] = room->ranks[i].value;
    }
    return kept;
}

/* Summarises a generation for the report: the returns of `count` sequences, best first, and the deviation of their
 * numbers in halves of the bounds' width. */
static void sum_up(carom_search *search, size_t root, const rollout_rank *ranks, size_t count, const float *sigma)
{
    search_result *result = &search->results[root];
    result->best = ranks[0].value;
    result->mean = 0;
    result->spread = 0;
    for (size_t i = 0; i < count; i++) {
        result->mean += ranks[i].value / (double)count;
    }
    for (size_t n = 0; n < search->series; n++) {
        const double half = half_width(search, n);
        result->spread += half > 0 ? (double)sigma[n] / half / (double)search->series : 0;
    }
}

/* Learns from the returns of one root. */
static void learn_root(void *argument, size_t root, unsigned thread)
{
    carom_search *search = (carom_search *)argument;
    learn_room room;
    (void)lay_out(search, search->room + thread * search->room_bytes, &room);

    const size_t series = search->series;
    const double *returns = search->returns + root * search->count * search->players + search->planner_player;
    const float *rows = room.rows;
    size_t count = search->elites < search->count ? search->elites : search->count;

    /* Find the sequences to learn from and their numbers, in `rows` with the best first, then update the
     * distribution. Shooting has none: it fits only for the report. */
    if (search->desc.planner == CAROM_GENETIC) {
        count = learn_genetic(search, root, returns, &room);
        rows = search->offspring + root * search->elites * series;
        carom_rollout_fit(rows, NULL, count, series, room.mean, room.sigma, room.sums);
    } else {
        carom_rollout_select(returns, search->players, search->count, count, room.ranks);
        for (size_t i = 0; i < count; i++) {
            room.chosen[i] = room.ranks[i].sequence;
        }
        if (search->desc.planner == CAROM_MPPI) {
            learn_mppi(search, root, returns, &room);
        } else {
            draw_again(search, root, room.chosen, count, room.rows, room.draws);
            carom_rollout_fit(rows, NULL, count, series, room.mean, room.sigma, room.sums);
        }
        if (search->desc.planner == CAROM_CEM) {
            learn_cem(search, root, room.mean, room.sigma);
        }
    }

    /* The best sequence of the phase becomes the plan. */
    if (room.ranks[0].value > search->reached[root]) {
        search->reached[root] = room.ranks[0].value;
        memcpy(search->plans[search->planner_player] + root * series, rows, series * sizeof *rows);
    }

    sum_up(search, root, room.ranks, count, room.sigma);
}

void carom_search_learn(carom_search *search)
{
    carom_parallel_for(search->worlds.threads, search->roots, learn_root, search);

    /* The next parents replace the pool. Only now: `pooled`, the same for all roots, is also the pool's stride, and
     * other roots were still reading it. */
    if (search->desc.planner == CAROM_GENETIC) {
        const size_t old = search->number > 0 ? search->pooled : 0, most = search->count + old;
        search->pooled = search->elites < most ? search->elites : most;
        for (size_t root = 0; root < search->roots; root++) {
            memcpy(search->mean + root * search->pooled * search->series,
                   search->offspring + root * search->elites * search->series,
                   search->pooled * search->series * sizeof(float));
        }
    }

    search->number++;
}
